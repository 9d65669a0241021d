//! Whether sources say what a claim says: verbatim first, then the rules, then a fitted probability.

mod answer;
mod compare;
mod evidence;
mod judge;
mod judged;
mod memory;
mod quoted;

pub use self::answer::{ANSWER_NAMES, answer_measures, of_answer};
pub use self::judge::{ALIGNED, Held};
pub use self::judged::{By, Judged, VERBATIM};

pub(crate) use self::answer::of_refusal;
pub(crate) use self::memory::Memory;

use self::judged::{NEAR_VERBATIM, Wanted};
use self::memory::Asked;
use self::quoted::{Quoted, quoted};
use crate::flags;
use crate::forms::adopt;
use crate::frames;
use crate::index::{Analysed, SourceIndex};
use crate::language::{self, Language};
use crate::numbers;
use crate::readable::beyond_latin;
use crate::select::{self, Scope};
use crate::tokens::{Token, TokenKind, Tokenizers};
use assay_domain::evidence::LineRange;
use assay_domain::report::{ClaimStatus, Evidence};

/// Probability of a figure without words that no source has.
const NOWHERE: f64 = 0.1;
/// By how much another place must be better than the cited one before that counts as wrong.
const CLEARLY: f64 = 0.2;
/// Least number of words of a claim none of which any source holds.
const FEW: usize = 2;
/// Share of a claim's weight below which cited sources hold hardly any of it.
const HARDLY: f64 = 0.25;
/// Least number of words with weight of a claim of which that tells.
const TELLING: usize = 4;

/// Holds claims against the sources of one answer.
#[derive(Debug)]
pub struct Support<'a> {
    index: &'a SourceIndex,
    question: Option<Analysed>,
    bar: f64,
    language: Option<Language>,
    tokenizers: Tokenizers<'a>,
    memory: Memory,
}

impl<'a> Support<'a> {
    /// For an answer to `question` (empty for none); `bar` is the least probability of a supported claim, and
    /// `language` that of the answer, for claims too short to tell.
    #[must_use]
    pub fn new(index: &'a SourceIndex, question: &str, bar: f64, language: Option<Language>) -> Self {
        let question =
            (!question.trim().is_empty()).then(|| index.analyse(question, language::detect(question)));
        let language = language.or_else(|| common_language(index));
        let tokenizers = Tokenizers::over(&index.vocabulary);
        Self { index, question, bar, language, tokenizers, memory: Memory::default() }
    }

    /// With the memory of others that judge by the same sources, question and bar.
    pub(crate) fn remembering(self, memory: &Memory) -> Self {
        Self { memory: memory.clone(), ..self }
    }

    /// Judges a claim. `cited` names sources from 0 with the lines they are narrowed to; empty for a claim without
    /// a marker, which is held against all sources.
    #[must_use]
    pub fn judge(&self, claim: &str, cited: &[(usize, Option<LineRange>)]) -> Judged {
        let judged = self.remembered(claim, cited, Wanted::All);
        let stands = matches!(judged.status, ClaimStatus::Supported | ClaimStatus::SupportedElsewhere);
        match stands.then(|| self.in_other_letters(claim)).flatten() {
            Some(word) => foreign(format!("language: no source has letters as in \"{word}\"")),
            None => judged,
        }
    }

    /// The one sentence of the cited sources that says most of a claim.
    pub(crate) fn sentence(&self, claim: &str, cited: &[(usize, Option<LineRange>)]) -> Option<Evidence> {
        let bare = frames::bare(claim);
        let words = self.read(bare.as_ref(), self.language_of(bare.as_ref()));
        let scope = if cited.is_empty() { Scope::all(self.index) } else { Scope::of(cited.to_vec()) };
        let ranked = select::select(&words, self.index, &scope).ranked;
        let nearest = self.nearest(&words, &ranked);
        let place = *nearest.first().or(ranked.first())?;
        self.quote(place..place + 1)
    }

    /// Whether the cited sources support a claim, with a least probability. Where they do not it costs less than to judge it,
    /// for nobody asks whether others do.
    #[must_use]
    pub fn supports(&self, claim: &str, cited: &[(usize, Option<LineRange>)], least: f64) -> bool {
        let judged = self.remembered(claim, cited, Wanted::Support(least.to_bits()));
        judged.status == ClaimStatus::Supported && judged.support.is_some_and(|support| support >= least)
    }

    fn remembered(&self, claim: &str, cited: &[(usize, Option<LineRange>)], wanted: Wanted) -> Judged {
        let language = self.language;
        let asked = || Asked { claim: claim.to_owned(), cited: cited.to_vec(), wanted, language };
        self.memory.or_judge(asked, || self.judge_whole(claim, cited, wanted))
    }

    /// Language of a claim: by its own words, where one must do, else that of the answer or of all sources.
    fn language_of(&self, claim: &str) -> Option<Language> {
        language::detect(claim).or_else(|| language::detect_short(claim)).or(self.language)
    }

    /// The words of a claim, with its figures in the form that the sources have them in.
    fn read(&self, claim: &str, language: Option<Language>) -> Analysed {
        let mut words = Analysed::claim(claim, language, &self.tokenizers);
        adopt(&mut words, self.index);
        words
    }

    fn judge_whole(&self, claim: &str, cited: &[(usize, Option<LineRange>)], wanted: Wanted) -> Judged {
        let bare = frames::bare(claim);
        let claim = bare.as_ref();
        let language = self.language_of(claim);
        let words = self.read(claim, language);
        // Words that every text has support nothing: "You must not."
        if words.quantities.is_empty() && !words.tokens.iter().any(Token::content) {
            return unchecked("it has no words to look for".to_owned());
        }
        if self.index.is_empty() {
            return unsupported(0.05, "there is no source to support it".to_owned(), Vec::new());
        }
        let all = Scope::all(self.index);
        let own = if cited.is_empty() { all.clone() } else { Scope::of(cited.to_vec()) };
        if self.foreign(&words, &own) && quoted(&words, self.index, &all) == Quoted::No {
            return foreign("language: claim and source are in different languages".to_owned());
        }
        if let Some(figure) = self.bare_figure(&words, &all) {
            let reason = format!("number: no source holds \"{figure}\"");
            return Judged { by: By::Rule, ..unsupported(NOWHERE, reason, Vec::new()) };
        }
        // What hardly a word of stands in the cited sources, and another one supports, was cited wrongly, whatever those say.
        let not_cited = |source| !own.sources().any(|own| own == source);
        let others_are_asked = wanted == Wanted::All && !cited.is_empty() && !own.is_all(self.index);
        let mut nowhere = false;
        if others_are_asked && !own.narrowed() && self.hardly_held(&words, &own) {
            let other = self.hold_elsewhere(claim, &words, &all, not_cited);
            match other {
                Some(other) if self.upholds(&other) => return misplaced(other),
                // All sources together do not support it: they need not be asked again.
                Some(_) => nowhere = true,
                None => {}
            }
        }
        let found = self.found(&words, &own);
        let held = self.measured(claim, &words, &own, found);
        let fine = self.upholds(&held);
        if fine && self.strange(&words, &all) {
            return unsupported(held.probability, "no source says it".to_owned(), Vec::new());
        }
        if fine && (cited.is_empty() || held.probability >= NEAR_VERBATIM) {
            return supported(ClaimStatus::Supported, String::new(), held);
        }
        if matches!(wanted, Wanted::Support(least) if !fine || held.probability < f64::from_bits(least)) {
            return unsupported(held.probability, String::new(), Vec::new());
        }
        // What merely sounds like the cited place and stands word by word elsewhere was cited wrongly.
        let better = |other: &Held| {
            let clearly = NEAR_VERBATIM.max(held.probability + CLEARLY);
            if fine { !other.decided && other.probability >= clearly } else { self.upholds(other) }
        };
        if own.narrowed() {
            let wider = self.hold_elsewhere(claim, &words, &own.widened(), |_| true);
            if let Some(wider) = wider.filter(&better) {
                let reason = "the source supports it at other lines than the cited ones".to_owned();
                return supported(ClaimStatus::SupportedElsewhere, reason, wider);
            }
        }
        // Where the cited sources are all there are, nothing else can hold it better.
        if !cited.is_empty() && !held.contradicted && !own.is_all(self.index) && (fine || !nowhere) {
            let will_do = |source| !fine || not_cited(source);
            if let Some(other) = self.hold_elsewhere(claim, &words, &all, will_do).filter(&better) {
                return misplaced(other);
            }
        }
        if fine {
            return supported(ClaimStatus::Supported, String::new(), held);
        }
        if held.contradicted {
            let reason = held.reason.clone().unwrap_or_default();
            let support = Some(held.probability);
            return Judged {
                status: ClaimStatus::Contradicted,
                support,
                reason,
                evidence: held.evidence,
                source: None,
                by: By::Rule,
            };
        }
        let reason = held.reason.clone().unwrap_or_else(|| "no source says it".to_owned());
        let by = if held.decided { By::Rule } else { By::Trees };
        Judged { by, ..unsupported(held.probability, reason, held.evidence) }
    }

    /// The figure that no sentence has, of a claim that is nothing but figures ("50", a cell of a table): it has no words
    /// that could be measured.
    fn bare_figure(&self, claim: &Analysed, scope: &Scope) -> Option<String> {
        let figure = |token: &Token| matches!(token.kind, TokenKind::Number(_));
        if claim.tokens.iter().any(|token| token.content() && !figure(token)) {
            return None;
        }
        let held = |value: f64| scope.has(self.index, numbers::hash(value));
        let missing = claim.quantities.iter().find(|quantity| !held(quantity.value))?;
        let said = claim.tokens.get(missing.first..=missing.last)?.iter().map(|token| token.text.as_str());
        Some(said.collect::<Vec<_>>().join(" "))
    }

    /// Whether no word of a claim that says something by itself stands in any source, itself or by another that may stand
    /// for it: however harmless it sounds, nothing supports it.
    fn strange(&self, claim: &Analysed, scope: &Scope) -> bool {
        const EMPTY: u64 = flags::FILLER | flags::META | flags::HEDGE | flags::REFERENCE;
        let tells = |(token, weight): &(&Token, &f64)| **weight > 0.0 && !token.is(EMPTY);
        let held = |token: &Token| scope.says_token(self.index, token);
        let mut words = 0;
        claim.tokens.iter().zip(&claim.weights).filter(tells).all(|(token, _)| {
            words += 1;
            !held(token)
        }) && words >= FEW
    }

    /// Whether a scope holds hardly any of a claim that speaks of a matter, and not only to the reader.
    fn hardly_held(&self, claim: &Analysed, scope: &Scope) -> bool {
        const CUES: u64 = flags::META | flags::HEDGE | flags::CONCLUSION | flags::ADDRESS;
        let weighs = || claim.tokens.iter().zip(&claim.weights).filter(|(_, weight)| **weight > 0.0);
        if claim.any_is(CUES) || weighs().count() < TELLING {
            return false;
        }
        let held = weighs().filter(|(token, _)| scope.says_token(self.index, token));
        held.map(|(_, weight)| weight).sum::<f64>() < HARDLY * claim.mass
    }

    /// Whether what a claim was held against supports it.
    fn upholds(&self, held: &Held) -> bool {
        !held.decided && held.probability >= self.bar
    }

    /// A word in letters of another alphabet than the one of all sources, which may say anything: "七", "nоt" with a
    /// Cyrillic letter.
    fn in_other_letters(&self, claim: &str) -> Option<String> {
        if !claim.contains(beyond_latin) || self.index.passages.iter().any(|passage| passage.beyond_latin) {
            return None;
        }
        let words = self.read(claim, self.language_of(claim)).tokens;
        let other = |token: &&Token| token.norm.contains(beyond_latin) && !numbers::names_unit(*token);
        words.iter().find(other).map(|word| word.text.to_string())
    }

    /// Whether every source of the scope is in another known language than the claim.
    fn foreign(&self, claim: &Analysed, scope: &Scope) -> bool {
        let Some(language) = claim.language else { return false };
        let mut any = false;
        for source in scope.sources() {
            match self.index.passages.get(source).and_then(|passage| passage.language) {
                Some(other) if other != language => any = true,
                _ => return false,
            }
        }
        any
    }
}

/// The language of all sources, if it is one and known: what a claim too short to tell is read in.
fn common_language(index: &SourceIndex) -> Option<Language> {
    let first = index.passages.first()?.language?;
    index.passages.iter().all(|passage| passage.language == Some(first)).then_some(first)
}

/// A claim that is not judged, because it is in another language or in other letters than the sources.
fn foreign(reason: String) -> Judged {
    let (status, evidence) = (ClaimStatus::NotChecked, Vec::new());
    Judged { status, support: None, reason, evidence, source: None, by: By::Language }
}

/// A claim that nothing can be held against.
fn unchecked(reason: String) -> Judged {
    let (status, evidence) = (ClaimStatus::NotChecked, Vec::new());
    Judged { status, support: None, reason, evidence, source: None, by: By::Nothing }
}

fn supported(status: ClaimStatus, reason: String, held: Held) -> Judged {
    let source = held
        .evidence
        .first()
        .and_then(|evidence| usize::try_from(evidence.source).ok())
        .and_then(|n| n.checked_sub(1));
    let by = if held.floor > 0.0 { By::Copy } else { By::Trees };
    Judged { status, support: Some(held.probability), reason, evidence: held.evidence, source, by }
}

/// Supported by another source than the cited one.
fn misplaced(held: Held) -> Judged {
    let number = held.evidence.first().map_or(0, |evidence| evidence.source);
    let reason = format!("source {number} supports it, the cited one does not");
    supported(ClaimStatus::SupportedElsewhere, reason, held)
}

fn unsupported(probability: f64, reason: String, evidence: Vec<Evidence>) -> Judged {
    let (status, support) = (ClaimStatus::Unsupported, Some(probability));
    Judged { status, support, reason, evidence, source: None, by: By::Trees }
}
