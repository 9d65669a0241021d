//! How much, how often and how bindingly a claim says something, held against what the sources say of the same thing in
//! other words.
//!
//! [`super::quantifiers`] compares near copies, word beside word. Here the claim may be worded anew: the words that say what
//! it is about, its core, must stand in a sentence, most of them near the word that is compared, and nothing in the
//! evidence that is about as near may agree with the claim.

use super::{Case, Mismatch, Strength, conceded, contradiction, exclusive, is_filler, is_unit, phrase};
use crate::flags;
use crate::index::{Analysed, POSTINGS};
use crate::tokens::Token;
use std::cell::OnceCell;
use std::ops::Range;

/// By how much it must be more like the claim than what agrees with the claim.
const CLEARLY: f64 = 0.07;
/// By how much another sentence may hold more of the claim.
const NEARER: f64 = 0.12;
/// Tokens on either side of a word that are near it.
const REACH: usize = 9;
/// Sentences that a claim is held against.
const STATEMENTS: usize = 4;
/// Words of a claim that count.
const MOST: usize = 24;
/// Words that say nothing of the matter.
const EMPTY: u64 = flags::META | flags::HEDGE | flags::REFERENCE;

/// Words that begin a sentence whose subject stands in the one before.
const POINTING: &[&str] = &["he", "it", "she", "these", "they", "this"];

/// A sentence of the evidence, with the one before where its subject stands there.
#[derive(Clone, Copy)]
pub(super) struct Statement<'a> {
    /// Its words.
    pub(super) words: &'a Analysed,
    before: Option<&'a Analysed>,
}

/// What a claim is about: its words of content that say nothing of how much or how bindingly.
pub(super) struct Core<'a> {
    /// The claim.
    pub(super) claim: &'a Analysed,
    case: &'a Case<'a>,
    /// What it is about, once a rule has met a word that it speaks of.
    about: OnceCell<About<'a>>,
}

/// The words of a core, and where they are looked for.
struct About<'a> {
    places: Vec<usize>,
    statements: Vec<Statement<'a>>,
}

impl<'a> Core<'a> {
    fn new(case: &'a Case<'a>) -> Self {
        Self { claim: case.claim, case, about: OnceCell::new() }
    }

    fn about(&self) -> &About<'a> {
        self.about.get_or_init(|| About::new(self.case))
    }

    fn places(&self) -> &[usize] {
        &self.about().places
    }

    fn statements(&self) -> &[Statement<'a>] {
        &self.about().statements
    }

    /// Whether one of its words is the token, or may stand for it.
    pub(super) fn says(&self, token: &Token) -> bool {
        self.places().iter().any(|at| self.claim.tokens[*at].means(token))
    }

    /// Share of its weight that some words hold, without what stands at some places of the claim.
    fn share(&self, held: impl Fn(&Token) -> bool, without: &Range<usize>) -> f64 {
        let (mut all, mut met) = (0.0, 0.0);
        for at in self.places().iter().filter(|at| !without.contains(at)) {
            all += self.claim.weights[*at];
            if held(&self.claim.tokens[*at]) {
                met += self.claim.weights[*at];
            }
        }
        if all > 0.0 { met / all } else { 0.0 }
    }

    /// How like what stands around a place of a sentence is to the claim without some of its words: the mean of what the
    /// sentence has of the core and of what stands near the place.
    pub(super) fn likeness(&self, statement: Statement<'_>, place: usize, without: &Range<usize>) -> f64 {
        let before = |token: &Token| statement.before.is_some_and(|before| before.says_token(token));
        let tokens = &statement.words.tokens[around(&statement.words.tokens, place)];
        let segment = &statement.words.tokens[segment(&statement.words.tokens, place)];
        let among = |tokens: &[Token], token: &Token| {
            before(token) || tokens.iter().any(|other| other.content() && token.means(other))
        };
        let all = self.share(|token| statement.words.says_token(token) || before(token), without);
        let near = self.share(|token| among(tokens, token), without);
        let beside = self.share(|token| among(segment, token), without);
        all / 2.0 + (near + beside) / 4.0
    }

    /// Number of its words that a sentence has, outside some places of the claim.
    fn met(&self, statement: Statement<'_>, without: &Range<usize>) -> usize {
        let says = |words: &Analysed, at: usize| words.says_token(&self.claim.tokens[at]);
        let met = |at: &&usize| {
            says(statement.words, **at) || statement.before.is_some_and(|before| says(before, **at))
        };
        self.places().iter().filter(|at| !without.contains(at)).filter(met).count()
    }

    /// Whether a sentence of the evidence has a stem.
    pub(super) fn known(&self, stem: u64) -> bool {
        self.statements().iter().any(|statement| statement.words.says(stem))
    }

    /// The place of the evidence that is most like the claim and says otherwise, unless one about as like agrees.
    ///
    /// `judge` says of a place: `Some(true)` it agrees, `Some(false)` it says otherwise, `None` it says nothing of the kind.
    pub(super) fn otherwise(
        &self,
        without: &Range<usize>,
        least: f64,
        judge: impl Fn(Statement<'a>, usize) -> Option<bool>,
    ) -> Option<(Statement<'a>, usize)> {
        let mut judged: Vec<(Statement<'a>, usize, bool)> = Vec::new();
        for statement in self.statements() {
            let places = 0..statement.words.tokens.len();
            judged.extend(places.filter_map(|place| Some((*statement, place, judge(*statement, place)?))));
        }
        // How like the claim it is takes longest to tell, and most places agree.
        if judged.iter().all(|(_, _, same)| *same) {
            return None;
        }
        let mut agrees = 0.0_f64;
        let mut against: Option<(f64, Statement<'a>, usize)> = None;
        for (statement, place, same) in judged {
            let likeness = self.likeness(statement, place, without);
            if same {
                agrees = agrees.max(likeness);
            } else if against.is_none_or(|(best, ..)| likeness > best) && self.met(statement, without) >= 2 {
                against = Some((likeness, statement, place));
            }
        }
        let (likeness, statement, place) = against?;
        // A sentence that says more of the claim and nothing of the kind is what the claim comes from.
        let nearest =
            self.statements().iter().map(|other| self.share(|token| other.words.says_token(token), without));
        let nearest = nearest.fold(0.0, f64::max);
        let own = self.share(|token| statement.words.says_token(token), without);
        (likeness >= least && likeness > agrees + CLEARLY && own + NEARER >= nearest)
            .then_some((statement, place))
    }
}

impl<'a> About<'a> {
    fn new(case: &Case<'a>) -> Self {
        let claim = case.claim;
        let says = |at: &usize| {
            let token = &claim.tokens[*at];
            // "Twelve or fewer".
            let bounds = *at > 0
                && matches!(claim.tokens[*at - 1].norm.as_str(), "or" | "o")
                && matches!(
                    token.norm.as_str(),
                    "fewer" | "less" | "more" | "longer" | "shorter" | "menos" | "mas"
                );
            claim.weights[*at] > 0.0 && !token.is(EMPTY) && !marks(token) && !bounds
        };
        let mut places: Vec<usize> = (0..claim.tokens.len()).filter(says).take(MOST).collect();
        let statements = statements(case, &places);
        // What fills a sentence counts only where the evidence has it.
        places.retain(|at| {
            let token = &claim.tokens[*at];
            !(is_filler(token) || is_unit(claim, *at))
                || statements.iter().any(|statement| statement.words.says_token(token))
        });
        Self { places, statements }
    }
}

/// The sentences that hold most of the words at some places of a claim, best first; with each that goes on with a pronoun the
/// one before.
fn statements<'a>(case: &Case<'a>, places: &[usize]) -> Vec<Statement<'a>> {
    let sentence = |place: usize| case.index.sentences.get(place).filter(|found| case.scope.holds(found));
    let mut words = Vec::with_capacity(case.postings().len());
    words.extend(case.postings().iter().filter(|posting| places.binary_search(&posting.word).is_ok()));
    let tallies = case.index.tally(case.scope, words, POSTINGS, |at| case.claim.weights[at]);
    let mut tallies: Vec<(f64, usize)> = tallies.into_iter().map(|(place, sum)| (sum, place)).collect();
    let order = |one: &(f64, usize), two: &(f64, usize)| two.0.total_cmp(&one.0).then(one.1.cmp(&two.1));
    if tallies.len() > STATEMENTS {
        tallies.select_nth_unstable_by(STATEMENTS, order);
        tallies.truncate(STATEMENTS);
    }
    tallies.sort_by(order);
    let mut best: Vec<usize> = Vec::with_capacity(2 * STATEMENTS);
    for (_, place) in tallies {
        best.extend([place, place + 1].into_iter().filter(|next| *next == place || points(case, *next)));
    }
    best.sort_unstable();
    best.dedup();
    let statement = |place: usize| {
        let before = place.checked_sub(1).filter(|_| points(case, place)).and_then(sentence);
        Some(Statement { words: &sentence(place)?.words, before: before.map(|before| &before.words) })
    };
    best.into_iter().filter_map(statement).collect()
}

/// Whether a sentence begins with a pronoun that means something of the one before.
fn points(case: &Case<'_>, place: usize) -> bool {
    let Some(own) = case.index.sentences.get(place) else { return false };
    let before = place.checked_sub(1).and_then(|before| case.index.sentences.get(before));
    own.words.tokens.first().is_some_and(|token| POINTING.contains(&token.norm.as_str()))
        && before.is_some_and(|before| before.source == own.source)
}

/// The tokens near a place, as far as no word sets another statement against it.
fn around(tokens: &[Token], place: usize) -> Range<usize> {
    let turns = |at: usize| {
        matches!(
            tokens[at].norm.as_str(),
            "but" | "while" | "whereas" | "pero" | "mientras" | "sino" | "whilst"
        )
    };
    let start =
        (place.saturating_sub(REACH)..place).rev().take_while(|at| !turns(*at)).last().unwrap_or(place);
    let end = (place + 1..tokens.len().min(place + REACH + 1)).take_while(|at| !turns(*at)).last();
    start..end.unwrap_or(place) + 1
}

/// The tokens from one punctuation mark to the next.
fn segment(tokens: &[Token], place: usize) -> Range<usize> {
    let start = (0..=place).rev().find(|at| tokens[*at].after_break).unwrap_or(0);
    let end = (place + 1..tokens.len()).find(|at| tokens[*at].after_break);
    start..end.unwrap_or(tokens.len())
}

/// Words beside quantifiers and modals for which a claim is looked at.
pub(crate) const WORDS: &[&str] = &[
    "advise",
    "advised",
    "advises",
    "ambas",
    "ambos",
    "aunque",
    "both",
    "either",
    "even",
    "excepcion",
    "exception",
    "exceptions",
    "forbidden",
    "incluso",
    "needed",
    "necesario",
    "necesita",
    "necesitan",
    "need",
    "needs",
    "prohibida",
    "prohibido",
    "prohibited",
    "recommend",
    "recommends",
    "regardless",
    "siquiera",
    "too",
];

/// Whether a word says how much or how bindingly, and nothing of the matter.
fn marks(token: &Token) -> bool {
    token.class.is_some() || token.is(flags::EXTENT)
}

/// All of it.
pub(super) fn extents(case: &Case<'_>, found: &mut Vec<Mismatch>) {
    let speaks = |mismatch: &Mismatch| {
        mismatch.strength == Strength::Contradicts && matches!(mismatch.rule, "quantifier" | "negation")
    };
    let marked = |words: &Analysed| {
        words.tokens.iter().any(marks) || words.quantities.iter().any(|figure| figure.bound.is_some())
    };
    if !marked(case.claim) || found.iter().any(speaks) {
        return;
    }
    let core = Core::new(case);
    let rules = [
        exclusive::opened,
        exclusive::closed,
        exclusive::excepted,
        exclusive::joined_to,
        conceded::conceded,
        conceded::joined,
        super::duty::duties,
        super::bounds::bounds,
        super::amounts::amounts,
        super::amounts::never,
        super::amounts::unbounded,
    ];
    if let Some(mismatch) = rules.iter().find_map(|rule| rule(&core)) {
        found.push(mismatch);
    }
}

/// A contradiction between two places, each with what stands right behind it, and a denial right before it.
pub(super) fn said(claim: &Analysed, at: usize, source: &Analysed, place: usize) -> Mismatch {
    let quote = |words: &Analysed, at: usize| {
        let last = words.tokens.len().saturating_sub(1);
        let end = (at + 1..=(at + 3).min(last)).take_while(|next| !words.tokens[*next].after_break).last();
        let joined = !words.tokens[at].after_break;
        let denial = at.checked_sub(1).filter(|at| joined && words.tokens[*at].is(flags::DENIES));
        phrase(&words.tokens, denial.unwrap_or(at)..=end.unwrap_or(at))
    };
    contradiction("quantifier", &quote(claim, at), &quote(source, place))
}
