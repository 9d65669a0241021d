//! Whether sources say what a claim says: verbatim first, then the mismatch rules, then a fitted probability.

use crate::align::{Alignment, align};
use crate::clauses;
use crate::features::{self, Features, Measured};
use crate::flags;
use crate::index::{Analysed, SourceIndex};
use crate::language::{self, Language};
use crate::model;
use crate::numbers;
use crate::rules::{self, Case, Mismatch, Strength};
use crate::select::{self, Scope, Selected};
use crate::settle::settle;
use crate::tokens::{Token, TokenKind, Tokenizers};
use assay_domain::evidence::LineRange;
use assay_domain::report::{ClaimStatus, Evidence};

/// Names of the measures of a whole answer.
pub const ANSWER_NAMES: &[&str] = &["worst", "second", "noisy_or", "log_claims", "expected"];

/// Probability of a claim that stands verbatim in its scope.
const VERBATIM: f64 = 0.98;
/// Least probability of a claim that is aligned word by word with a sentence and mismatches it nowhere.
const NEAR_VERBATIM: f64 = 0.93;
/// Probability of a figure without words that no source has.
const NOWHERE: f64 = 0.1;
/// By how much another place must be better than the cited one before that counts as wrong.
const CLEARLY: f64 = 0.2;
/// What a rule about figures, names, denials or direction that decides against a claim takes from its log-odds. The status
/// is the rule's; the probability stays one that real answers bear out, where people often called such claims right.
const RULED: f64 = 1.0;
/// The same where sources hold all other words of the claim, so that the rule is all there is to go by.
const COPIED: f64 = 1.5;
/// Greatest share of weight that no source holds of such a claim.
const HELD: f64 = 0.05;
/// Greatest share of weight that no source holds of a claim whose words count as held.
pub const COVERED: f64 = 0.15;
/// The same for rules about common words.
const WORDED: f64 = 0.3;
/// Least number of words of a claim none of which any source holds.
const FEW: usize = 2;
/// Share of aligned weight from which a claim is one with its sentence and is not taken apart.
const WHOLE: f64 = 0.9;
/// Least share of a part's weight that its own sentence must have in the same order.
const PART: f64 = 0.8;
/// Share of aligned weight from which the model for near copies has its say.
pub const ALIGNED: f64 = 0.5;

/// What holding a claim against a scope gave.
#[derive(Debug, Clone, PartialEq)]
pub struct Held {
    /// Probability that the scope supports it.
    pub probability: f64,
    /// Reason of the hardest mismatch, if a rule speaks.
    pub mismatch: Option<String>,
    /// Whether that mismatch is a contradiction.
    pub contradicted: bool,
    /// What the rules take from the log-odds; 0 where none decides.
    pub cost: f64,
    /// Whether a rule decides against it.
    pub decided: bool,
    /// Least probability that stands for it word by word; 0 where nothing does.
    pub floor: f64,
    /// Rules that speak, with what no source holds marked `+`.
    pub rules: Vec<String>,
    /// Sentences that bear on it, best first.
    pub evidence: Vec<Evidence>,
    /// What the probability was computed from; empty where it was verbatim.
    pub features: Features,
}

/// A content word of a claim.
#[derive(Debug, Clone, PartialEq)]
pub struct ClaimWord {
    /// As written.
    pub text: String,
    /// Its stem; the folded name for what is no word.
    pub stem: String,
    /// How rare it is; above 0.
    pub weight: f64,
    /// Whether it is a word: no number, name or path.
    pub word: bool,
    /// Whether some source holds it.
    pub held: bool,
    /// Whether some source holds a word that begins alike.
    pub begun: bool,
    /// Number of its clause, by punctuation.
    pub clause: usize,
}

/// What comparing a claim with the sentences that bear on it gave.
struct Compared {
    mismatches: Vec<Mismatch>,
    alignment: Alignment,
    /// The sentence that the rules speak of.
    primary: Option<usize>,
}

/// What selecting sentences and applying the rules gave.
struct Found {
    selected: Selected,
    mismatches: Vec<Mismatch>,
    alignment: Alignment,
    /// The sentence that the rules speak of.
    primary: Option<usize>,
    /// What decides against the claim.
    decisive: Option<Mismatch>,
}

/// Judgement of a claim.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// Supported, elsewhere, unsupported, contradicted or not checked.
    pub status: ClaimStatus,
    /// Probability that it is supported; none if not checked.
    pub support: Option<f64>,
    /// Why.
    pub reason: String,
    /// What was held against it, best first.
    pub evidence: Vec<Evidence>,
    /// The source that supports it best, from 0, if it is supported.
    pub source: Option<usize>,
    /// Whether a rule, or standing there word by word, decided it, and not a probability.
    pub decided: bool,
    /// Whether it was not judged because claim and source are in different languages.
    pub foreign: bool,
}

/// Holds claims against the sources of one answer.
#[derive(Debug)]
pub struct Support<'a> {
    index: &'a SourceIndex,
    question: Option<Analysed>,
    bar: f64,
    language: Option<Language>,
    tokenizers: Tokenizers<'a>,
}

impl<'a> Support<'a> {
    /// For an answer to `question` (empty for none); `bar` is the least probability of a supported claim, and
    /// `language` that of the answer, for claims too short to tell.
    #[must_use]
    pub fn new(index: &'a SourceIndex, question: &str, bar: f64, language: Option<Language>) -> Self {
        let question =
            (!question.trim().is_empty()).then(|| index.analyse(question, language::detect(question)));
        let language = language.or_else(|| common_language(index));
        Self { index, question, bar, language, tokenizers: Tokenizers::over(&index.vocabulary) }
    }

    /// Judges a claim. `cited` names sources from 0 with the lines they are narrowed to; empty for a claim without
    /// a marker, which is held against all sources.
    ///
    /// The clauses of a compound claim that stands as a whole are judged alone too: one that the sources contradict
    /// contradicts the claim.
    #[must_use]
    pub fn judge(&self, claim: &str, cited: &[(usize, Option<LineRange>)]) -> Judged {
        let whole = self.judge_whole(claim, cited);
        let stands = matches!(whole.status, ClaimStatus::Supported | ClaimStatus::SupportedElsewhere);
        if !stands || whole.support.is_some_and(|support| support >= VERBATIM) {
            return whole;
        }
        let clauses = clauses::split(claim);
        if clauses.len() < 2 {
            return whole;
        }
        for clause in clauses.iter().filter_map(|clause| claim.get(clause.clone())) {
            let alone = self.judge_whole(clause, cited);
            if alone.status == ClaimStatus::Contradicted {
                let reason = format!("{} (in the clause \"{clause}\")", alone.reason);
                // The clause alone has fewer words to go by: the sentence keeps what a decided rule leaves it.
                let kept = whole.support.map(|support| lowered(support, RULED));
                let support = alone.support.map(|support| kept.map_or(support, |kept| kept.max(support)));
                return Judged { reason, support, ..alone };
            }
        }
        whole
    }

    /// The words of a claim, with its figures in the form that the sources have them in.
    fn read(&self, claim: &str, language: Option<Language>) -> Analysed {
        let mut words = Analysed::claim(claim, language, &self.tokenizers);
        settle(&mut words, self.index);
        words
    }

    fn judge_whole(&self, claim: &str, cited: &[(usize, Option<LineRange>)]) -> Judged {
        let language = language::detect(claim).or(self.language);
        let words = self.read(claim, language);
        if self.index.is_empty() {
            return unsupported(0.05, "there is no source to support it".to_owned(), Vec::new());
        }
        let all = Scope::all(self.index);
        let own = if cited.is_empty() { all.clone() } else { Scope::of(cited.to_vec()) };
        if self.foreign(&words, &own) && !verbatim(&words, self.index, &all) {
            let reason = "language: claim and source are in different languages".to_owned();
            let (status, evidence) = (ClaimStatus::NotChecked, Vec::new());
            return Judged {
                status,
                support: None,
                reason,
                evidence,
                source: None,
                decided: false,
                foreign: true,
            };
        }
        if let Some(figure) = self.bare_figure(&words, &all) {
            let reason = format!("number: no source holds \"{figure}\"");
            return Judged { decided: true, ..unsupported(NOWHERE, reason, Vec::new()) };
        }
        let held = self.hold(claim, &words, &own);
        let bar = self.bar_of(&held);
        let fine = !held.decided && held.probability >= bar;
        if fine && self.strange(&words, &all) {
            return unsupported(held.probability, "no source says it".to_owned(), Vec::new());
        }
        if fine && (cited.is_empty() || held.probability >= NEAR_VERBATIM) {
            return supported(ClaimStatus::Supported, String::new(), held);
        }
        // What merely sounds like the cited place and stands word by word elsewhere was cited wrongly.
        let better = |other: &Held| {
            !other.decided
                && other.probability
                    >= if fine { NEAR_VERBATIM.max(held.probability + CLEARLY) } else { self.bar_of(other) }
        };
        if own.narrowed() {
            let wider = self.hold_elsewhere(claim, &words, &own.widened(), |_| true);
            if let Some(wider) = wider.filter(&better) {
                let reason = "the source supports it at other lines than the cited ones".to_owned();
                return supported(ClaimStatus::SupportedElsewhere, reason, wider);
            }
        }
        // Where the cited sources are all there are, nothing else can hold it better.
        if !cited.is_empty()
            && !held.contradicted
            && !own.is_all(self.index)
            && let Some(other) = self.hold_elsewhere(claim, &words, &all, |source| {
                !fine || !own.sources().any(|own| own == source)
            })
        {
            let number = other.evidence.first().map_or(0, |evidence| evidence.source);
            if better(&other) {
                let reason = format!("source {number} supports it, the cited one does not");
                return supported(ClaimStatus::SupportedElsewhere, reason, other);
            }
        }
        if fine {
            return supported(ClaimStatus::Supported, String::new(), held);
        }
        if held.contradicted {
            let reason = held.mismatch.clone().unwrap_or_default();
            let support = Some(held.probability);
            return Judged {
                status: ClaimStatus::Contradicted,
                support,
                reason,
                evidence: held.evidence,
                source: None,
                decided: true,
                foreign: false,
            };
        }
        let reason = held.mismatch.clone().unwrap_or_else(|| "no source says it".to_owned());
        Judged { decided: held.decided, ..unsupported(held.probability, reason, held.evidence) }
    }

    /// The figure that no sentence has, of a claim that is nothing but figures ("50", a cell of a table): it has no words
    /// that could be measured.
    fn bare_figure(&self, claim: &Analysed, scope: &Scope) -> Option<String> {
        let figure = |token: &Token| matches!(token.kind, TokenKind::Number(_));
        if claim.tokens.iter().any(|token| token.content() && !figure(token)) {
            return None;
        }
        let held = |value: f64| {
            let places = self.index.places(numbers::hash(value)).iter();
            places
                .filter_map(|place| self.index.sentences.get(usize::try_from(*place).ok()?))
                .any(|sentence| scope.holds(sentence))
        };
        let missing = claim.quantities.iter().find(|quantity| !held(quantity.value))?;
        let said = claim.tokens.get(missing.first..=missing.last)?.iter().map(|token| token.text.as_str());
        Some(said.collect::<Vec<_>>().join(" "))
    }

    /// Whether no word of a claim that says something by itself stands in any source, itself or by another that may stand
    /// for it: however harmless it sounds, nothing supports it.
    fn strange(&self, claim: &Analysed, scope: &Scope) -> bool {
        const EMPTY: u32 = flags::FILLER | flags::META | flags::HEDGE | flags::REFERENCE;
        let tells = |(token, weight): &(&Token, &f64)| **weight > 0.0 && !token.is(EMPTY);
        let held = |token: &Token| scope.says_token(self.index, token);
        let mut words = 0;
        claim.tokens.iter().zip(&claim.weights).filter(tells).all(|(token, _)| {
            words += 1;
            !held(token)
        }) && words >= FEW
    }

    /// The bar of a claim. Where sources hold nearly all of its words and no rule speaks, a low probability says little: that
    /// of one rejection in a hundred suffices there.
    fn bar_of(&self, held: &Held) -> f64 {
        let covered = measure(&held.features, "uncovered_soft") <= COVERED;
        let least = model::support().map_or(self.bar, |model| model.bars.fr_1);
        if covered { self.bar.min(least) } else { self.bar }
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

    /// Measures and mismatches of a claim against all sources: what the models are fitted on.
    #[must_use]
    pub fn features(&self, claim: &str) -> Held {
        let words = self.read(claim, language::detect(claim).or(self.language));
        self.hold(claim, &words, &Scope::all(self.index))
    }

    /// The content words of a claim and how far all sources hold them: what the table of added words is fitted on.
    #[must_use]
    pub fn words(&self, claim: &str) -> Vec<ClaimWord> {
        let words = self.read(claim, language::detect(claim).or(self.language));
        let tokenizer = self.tokenizers.of(words.language.or(self.language));
        let scope = Scope::all(self.index);
        let mut clause = 0;
        let mut found = Vec::new();
        for (token, weight) in words.tokens.iter().zip(&words.weights) {
            clause += usize::from(token.after_break && token.start > 0);
            if *weight <= 0.0 {
                continue;
            }
            let word = token.kind == TokenKind::Word;
            let held = scope.has(self.index, token.stem);
            let begun =
                held || scope.any(self.index, |passage| passage.prefixes.contains(&token.prefix), |_| false);
            let stem = if word { tokenizer.stem(&token.norm).into_owned() } else { token.norm.clone() };
            found.push(ClaimWord {
                text: token.text.clone(),
                stem,
                weight: *weight,
                word,
                held,
                begun,
                clause,
            });
        }
        found
    }

    fn hold(&self, text: &str, claim: &Analysed, scope: &Scope) -> Held {
        self.measured(text, claim, scope, self.found(claim, scope))
    }

    /// The same, unless a rule decides against the claim or its best evidence stands in a source that will not do.
    fn hold_elsewhere(
        &self,
        text: &str,
        claim: &Analysed,
        scope: &Scope,
        will_do: impl Fn(usize) -> bool,
    ) -> Option<Held> {
        let found = self.found(claim, scope);
        let mut runs = self.runs(&found.selected, found.primary).into_iter();
        let source = runs.find_map(|run| Some(self.index.sentences.get(run)?.first()?.source));
        // Where no sentence bears on it there is no source that would not do.
        if source.is_some_and(|source| !will_do(source))
            || (found.decisive.is_some() && !verbatim(claim, self.index, scope))
        {
            return None;
        }
        Some(self.measured(text, claim, scope, found))
    }

    /// What rules say of a claim.
    fn found(&self, claim: &Analysed, scope: &Scope) -> Found {
        let selected = select::select(claim, self.index, scope);
        let Compared { mut mismatches, alignment, primary } =
            self.rules(claim, scope, &selected.ranked, &selected);
        let best = primary.and_then(|place| self.index.sentences.get(place)).map(|sentence| &sentence.words);
        let mut decisive = rules::decisive(claim, best, &alignment, &mismatches).cloned();
        if alignment.share < WHOLE {
            let parts = self.parts(claim, scope, &selected, &mut mismatches);
            // What contradicts a part says more than that no source holds a figure.
            let contradicted =
                decisive.as_ref().is_some_and(|mismatch| mismatch.strength == Strength::Contradicts);
            decisive = if contradicted { decisive } else { parts.or(decisive) };
        }
        Found { selected, mismatches, alignment, primary, decisive }
    }

    /// What the models say of a claim, and what both come to.
    fn measured(&self, text: &str, claim: &Analysed, scope: &Scope, found: Found) -> Held {
        let Found { selected, mismatches, alignment, primary, decisive } = found;
        let best = primary.and_then(|place| self.index.sentences.get(place)).map(|sentence| &sentence.words);
        let features = features::measure(&Measured {
            claim,
            text,
            question: self.question.as_ref(),
            index: self.index,
            scope,
            selected: &selected,
            best,
            alignment: &alignment,
            mismatches: &mismatches,
        });
        let evidence = self.evidence(&selected, primary);
        let rules = mismatches.iter().map(Mismatch::label).collect();
        if verbatim(claim, self.index, scope) {
            return Held {
                probability: VERBATIM,
                mismatch: None,
                contradicted: false,
                cost: 0.0,
                decided: false,
                floor: VERBATIM,
                rules,
                evidence,
                features,
            };
        }
        let mut probability = fitted(&features);
        let hardest = decisive.as_ref().or(mismatches.first());
        let contradicted = hardest.is_some_and(|mismatch| mismatch.strength == Strength::Contradicts);
        let cost = match decisive.as_ref().map(|mismatch| mismatch.rule) {
            None => 0.0,
            Some("binding" | "word") => WORDED,
            Some(_) if measure(&features, "uncovered_soft") <= HELD => COPIED,
            Some(_) => RULED,
        };
        let floor = if alignment.share >= 0.95 && mismatches.is_empty() { NEAR_VERBATIM } else { 0.0 };
        probability = probability.max(floor);
        Held {
            probability: lowered(probability, cost),
            cost,
            decided: decisive.is_some(),
            floor,
            rules,
            contradicted,
            mismatch: hardest.map(|mismatch| mismatch.reason.clone()),
            evidence,
            features,
        }
    }

    /// Applies the rules with the sentence that is most about the same thing; one that mismatches nowhere goes first
    /// among equals.
    fn rules(&self, claim: &Analysed, scope: &Scope, places: &[usize], selected: &Selected) -> Compared {
        self.compare(claim, scope, self.nearest(claim, places), selected)
    }

    /// The sentences that hold most of a claim's plain words, three at most.
    fn nearest(&self, claim: &Analysed, places: &[usize]) -> Vec<usize> {
        let mut order: Vec<(f64, usize)> = places
            .iter()
            .map(|place| (rules::plain_share(claim, &self.index.sentences[*place].words), *place))
            .collect();
        order.sort_by(|a, b| b.0.total_cmp(&a.0));
        let best_share = order.first().map_or(0.0, |first| first.0);
        let near = order.into_iter().filter(|(share, _)| *share >= best_share - 1e-9);
        near.map(|(_, place)| place).take(3).collect()
    }

    /// Applies the rules with the first of some sentences that mismatches nowhere, else with the first.
    fn compare(&self, claim: &Analysed, scope: &Scope, places: Vec<usize>, selected: &Selected) -> Compared {
        let mut kept: Option<Compared> = None;
        for place in places {
            let mut evidence = vec![&self.index.sentences[place].words];
            evidence.extend(
                selected
                    .chosen
                    .iter()
                    .filter(|other| **other != place)
                    .take(2)
                    .map(|other| &self.index.sentences[*other].words),
            );
            let question = self.question.as_ref();
            let case = Case { claim, question, evidence, place, index: self.index, scope };
            let (mismatches, alignment) = rules::mismatches(&case);
            let clean = mismatches.iter().all(|mismatch| mismatch.strength != Strength::Contradicts);
            let compared = Compared { mismatches, alignment, primary: Some(place) };
            if clean {
                return compared;
            }
            kept.get_or_insert(compared);
        }
        kept.unwrap_or_else(|| {
            let evidence = Vec::new();
            let question = self.question.as_ref();
            let case = Case { claim, question, evidence, place: 0, index: self.index, scope };
            let (mismatches, alignment) = rules::mismatches(&case);
            Compared { mismatches, alignment, primary: None }
        })
    }

    /// Holds the parts of a compound claim each against a sentence of its own: adds what contradicts them, and says which
    /// of it decides.
    fn parts(
        &self,
        claim: &Analysed,
        scope: &Scope,
        selected: &Selected,
        found: &mut Vec<Mismatch>,
    ) -> Option<Mismatch> {
        let mut places = selected.ranked.clone();
        places.extend(selected.chosen.iter().filter(|place| !selected.ranked.contains(place)));
        let mut decides = None;
        for range in rules::parts(claim) {
            let part = claim.part(range);
            // What a figure or a name says instead is no reason to pass a part over.
            let like =
                |alignment: &Alignment| alignment.share.max(rules::plainly_aligned(&part, alignment)) >= PART;
            let nearest = self.nearest(&part, &places);
            let words = |place: &usize| self.index.sentences.get(*place).map(|sentence| &sentence.words);
            // Most parts have no sentence of their own; then the rules need not be asked.
            if !nearest.iter().filter_map(words).any(|best| like(&align(&part, best))) {
                continue;
            }
            let compared = self.compare(&part, scope, nearest, selected);
            if !like(&compared.alignment) {
                continue;
            }
            let best = compared.primary.and_then(|place| self.index.sentences.get(place));
            let contradicts = |mismatch: &Mismatch| {
                let joined = matches!(mismatch.rule, "binding" | "direction");
                mismatch.strength == Strength::Contradicts && (mismatch.sure || !joined)
            };
            let own: Vec<Mismatch> = compared.mismatches.into_iter().filter(contradicts).collect();
            if decides.is_none() {
                decides =
                    rules::decisive(&part, best.map(|sentence| &sentence.words), &compared.alignment, &own)
                        .cloned();
            }
            found.extend(own);
        }
        found.sort_by_key(|mismatch| std::cmp::Reverse(mismatch.strength));
        decides
    }

    /// The best window, or the sentence that the rules spoke of, and what else covers the claim.
    fn evidence(&self, selected: &Selected, primary: Option<usize>) -> Vec<Evidence> {
        self.runs(selected, primary).into_iter().filter_map(|run| self.quote(run)).take(3).collect()
    }

    /// The sentences of it, by their places.
    fn runs(&self, selected: &Selected, primary: Option<usize>) -> Vec<std::ops::Range<usize>> {
        let mut runs = Vec::new();
        match primary {
            Some(place) if !selected.window.contains(&place) => runs.push(place..place + 1),
            _ if !selected.window.is_empty() => runs.push(selected.window.clone()),
            _ => {}
        }
        for place in selected.chosen.iter().take(3) {
            if !runs.iter().any(|run: &std::ops::Range<usize>| run.contains(place)) {
                runs.push(*place..place + 1);
            }
        }
        runs
    }

    fn quote(&self, run: std::ops::Range<usize>) -> Option<Evidence> {
        let sentences = self.index.sentences.get(run)?;
        let (first, last) = (sentences.first()?, sentences.last()?);
        let passage = self.index.passages.get(first.source)?;
        Some(Evidence {
            source: u32::try_from(first.source + 1).unwrap_or(u32::MAX),
            lines: LineRange::new(first.lines.first, last.lines.last),
            text: passage.text.get(first.range.start..last.range.end).unwrap_or_default().to_owned(),
        })
    }
}

/// The language of all sources, if it is one and known: what a claim too short to tell is read in.
fn common_language(index: &SourceIndex) -> Option<Language> {
    let first = index.passages.first()?.language?;
    index.passages.iter().all(|passage| passage.language == Some(first)).then_some(first)
}

/// One of the measures, by its name; 0 where there are none.
fn measure(features: &Features, name: &str) -> f64 {
    let place = features::NAMES.iter().position(|other| *other == name);
    place.and_then(|at| features.get(at)).copied().unwrap_or_default()
}

/// Probability of the fitted models: the one for free wording, and in a near copy the lower of both.
fn fitted(features: &Features) -> f64 {
    let Some(model) = model::support() else { return 0.5 };
    let free = model.free.probability(model.free.of_measures(features));
    if measure(features, "aligned") < ALIGNED {
        return free;
    }
    free.min(model.near.probability(model.near.of_measures(features)))
}

/// A probability with something taken from its log-odds.
fn lowered(probability: f64, cost: f64) -> f64 {
    let odds = probability / (1.0 - probability).max(1e-9) * (-cost).exp();
    odds / (1.0 + odds)
}

/// Whether the claim's words stand in the scope one after the other.
fn verbatim(claim: &Analysed, index: &SourceIndex, scope: &Scope) -> bool {
    if claim.tokens.is_empty() {
        return false;
    }
    if !scope.narrowed() {
        return scope.any(index, |passage| passage.quotes(claim), |_| false);
    }
    scope.sources().any(|source| {
        let Some(passage) = index.passages.get(source) else { return false };
        let mut flat = String::from(" ");
        for sentence in index.sentences[passage.sentences.clone()].iter().filter(|s| scope.holds(s)) {
            flat.push_str(&sentence.words.flat[1..]);
        }
        flat.contains(&claim.flat)
    })
}

fn supported(status: ClaimStatus, reason: String, held: Held) -> Judged {
    let source = held
        .evidence
        .first()
        .and_then(|evidence| usize::try_from(evidence.source).ok())
        .and_then(|n| n.checked_sub(1));
    let (support, decided) = (Some(held.probability), held.probability >= NEAR_VERBATIM);
    Judged { status, support, reason, evidence: held.evidence, source, decided, foreign: false }
}

fn unsupported(probability: f64, reason: String, evidence: Vec<Evidence>) -> Judged {
    let (status, support) = (ClaimStatus::Unsupported, Some(probability));
    Judged { status, support, reason, evidence, source: None, decided: false, foreign: false }
}

/// Measures of an answer from the probabilities of its claims, in the order of [`ANSWER_NAMES`]; `None` without claims.
#[must_use]
#[allow(clippy::cast_precision_loss)]
pub fn answer_measures(claims: &[f64]) -> Option<Features> {
    let logit = |p: f64| (p.clamp(1e-4, 1.0 - 1e-4) / (1.0 - p.clamp(1e-4, 1.0 - 1e-4))).ln();
    let mut sorted: Vec<f64> = claims.to_vec();
    sorted.sort_by(f64::total_cmp);
    let worst = *sorted.first()?;
    let second = sorted.get(1).copied().unwrap_or(VERBATIM);
    let every: f64 = claims.iter().map(|p| p.clamp(1e-4, 1.0).ln()).sum();
    // How many claims are to be expected unsupported.
    let expected: f64 = claims.iter().map(|p| 1.0 - p).sum();
    Some(vec![logit(worst), logit(second), every, (claims.len() as f64).ln(), expected.ln_1p()])
}

/// Calibrated probability that nothing is unsupported in an answer that only refuses; `None` without a model.
pub(crate) fn of_refusal() -> Option<f64> {
    model::support().map(|model| model.refusal)
}

/// Calibrated probability that every claim is supported; `None` without claims.
#[must_use]
pub fn of_answer(claims: &[f64]) -> Option<f64> {
    let measures = answer_measures(claims)?;
    Some(match model::support() {
        Some(model) => model.answer.probability(ANSWER_NAMES, &measures),
        None => claims.iter().copied().fold(1.0, f64::min),
    })
}
