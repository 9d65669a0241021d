//! Hard mismatches between a claim and the sentences that bear on it, each with a reason that a person can read.
//!
//! A rule only speaks where claim and sentence are about the same thing (enough shared weight); it says either that the
//! source holds something else in that place (a contradiction) or that nothing in the sources holds it (an addition).
//!
//! Rules run for every claim against up to three sentences, and again for the parts of a claim, so that each look-up in
//! them counts a hundred times an answer. What can be known of a word alone stands in [`crate::tokens::Word`], made once
//! for all places where it is written so; what depends on its neighbours stands in its [`Token`], made once a text by
//! [`mark`]; both are there to be read by rules and measures. A rule that needs a list of words adds a row
//! to [`crate::flags`] and asks the token for its bit, instead of searching the list for every token it sees. `says` and `others` know the words that may stand for a word without
//! a look-up, `Scope::begins` and its like ask all sources at once and cheaply where the answer is no.

mod additions;
mod amounts;
mod binding;
mod bounds;
mod conceded;
mod contrast;
mod copied;
mod derived;
mod direction;
mod dismissed;
mod duty;
mod effects;
mod except;
mod exchange;
mod exclusive;
mod extent;
mod facing;
mod figures;
mod frequency;
mod further;
mod insertion;
mod invented;
mod listed;
mod moments;
mod names;
mod negation;
mod opposites;
mod order;
mod parallel;
mod parts;
mod polarity;
mod poles;
mod preferred;
mod quantifiers;
mod roles;
mod sections;
mod sequence;
mod slot;
mod standing;
mod swapped;
mod values;
mod within;
mod word;

pub(crate) use binding::JOINERS as CLAUSE_JOINERS;
pub(crate) use except::WORDS as EXCEPTS;
pub(crate) use extent::WORDS as EXTENT;
pub(crate) use frequency::tells_a_rate;
pub(crate) use negation::CONDITIONAL;
pub(crate) use parts::{JOINERS as PART_JOINERS, parts};
pub(crate) use polarity::{
    AND as DENIAL_AND, BEGINS as DENIAL_BEGINS, FINITE as DENIAL_FINITE, LIMITS as DENIAL_LIMITS,
    Reading as Denials,
};
pub(crate) use standing::{DETERMINERS, JOINERS, PREPOSITIONS};
pub(crate) use swapped::ALSO;

use crate::align::{Alignment, align};
use crate::index::{Analysed, SourceIndex};
use crate::quantifiers::{Quantifier, classes};
use crate::select::Scope;
use crate::tokens::{Token, TokenKind};

/// How hard a mismatch is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Strength {
    /// No source holds it.
    Added,
    /// The source holds something else in its place.
    Contradicts,
}

/// A mismatch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mismatch {
    /// How hard.
    pub(crate) strength: Strength,
    /// Stable word for the rule.
    pub(crate) rule: &'static str,
    /// Why, in a sentence.
    pub(crate) reason: String,
    /// Whether it decides however long the claim is.
    pub(crate) sure: bool,
}

impl Mismatch {
    /// The rule, with a plus where no source holds what the claim says.
    pub(crate) fn label(&self) -> String {
        let plus = if self.strength == Strength::Added { "+" } else { "" };
        format!("{}{plus}", self.rule)
    }
}

/// What the rules see.
pub(crate) struct Case<'a> {
    /// The claim.
    pub(crate) claim: &'a Analysed,
    /// Whether it is a part of one: what no source holds of it is said of the whole.
    pub(crate) part: bool,
    /// The question, whose own words are no additions.
    pub(crate) question: Option<&'a Analysed>,
    /// Sentences that cover the claim, best first.
    pub(crate) evidence: Vec<&'a Analysed>,
    /// Where the first of them stands among all sentences of the sources.
    pub(crate) place: usize,
    /// All sources.
    pub(crate) index: &'a SourceIndex,
    /// What the claim is held against.
    pub(crate) scope: &'a Scope,
}

/// Least share of a claim's plain words that the best sentence must hold for a contradiction of slots.
const SAME_SUBJECT: f64 = 0.5;
/// Least share for rules about what stands with what.
const ALIKE: f64 = 0.6;
/// Least share for rules about words that paraphrases often change.
const NEAR_COPY: f64 = 0.7;
/// Least share for rules about things that the sources tell from one another.
const CONTRAST: f64 = 0.34;
/// Least share for a figure's place among those of a sentence, which paraphrases keep.
const VALUES: f64 = 0.25;
/// Least share for a reversal: everything is there, in another order.
const SAME_WORDS: f64 = 0.85;

/// All mismatches, hardest first, and the alignment with the best sentence.
pub(crate) fn mismatches(case: &Case<'_>) -> (Vec<Mismatch>, Alignment) {
    let Some(best) = case.evidence.first() else {
        let mut found = additions::additions(case);
        invented::invented(case, &mut found);
        return (found, Alignment::default());
    };
    let alignment = align(case.claim, best);
    let mut found = Vec::new();
    let shared = plain_share(case.claim, best);
    let near_copy = plainly_aligned(case.claim, &alignment) >= NEAR_COPY;
    let most = alignment.pairs.len() * 5 >= case.claim.tokens.len() * 3;
    if near_copy || most || alignment.share >= SAME_SUBJECT {
        exchange::exchanged(case, best, &alignment, near_copy, &mut found);
    }
    let beside_figures = shared.max(figures::said_beside(case, best));
    if beside_figures >= SAME_SUBJECT {
        figures::figures(case, &alignment, beside_figures, &mut found);
    }
    if shared >= SAME_SUBJECT {
        opposites::opposites(case, best, &alignment, &mut found);
        opposites::kinds(case, best, &alignment, &mut found);
        names::names(case, &alignment, &mut found);
    }
    if shared >= ALIKE {
        negation::turned(case, shared, &mut found);
        binding::bindings(case, &mut found);
        order::journeys(case, &mut found);
    }
    if shared >= NEAR_COPY {
        negation::negation(case, &alignment, &mut found);
        quantifiers::quantifiers(case, best, &alignment, shared, &mut found);
        names::entities(case, &alignment, &mut found);
    }
    if shared >= CONTRAST {
        contrast::contrasts(case, &mut found);
        order::orders(case, &mut found);
        roles::roles(case, &mut found);
    }
    if shared >= VALUES {
        values::values(case, &mut found);
        dismissed::dismissed(case, &mut found);
        sections::sections(case, &mut found);
    }
    if shared >= NEAR_COPY {
        direction::transposed(case.claim, best, &mut found);
    }
    if shared >= SAME_WORDS {
        direction::direction(case.claim, best, &alignment, &mut found);
    }
    if shared >= CONTRAST {
        effects::effects(case, &mut found);
        poles::poles(case, &mut found);
        preferred::preferred(case, &mut found);
        moments::moments(case, &mut found);
    }
    if shared >= SAME_SUBJECT {
        word::words(case, &mut found);
        frequency::frequencies(case, &mut found);
        quantifiers::amounts(case, &mut found);
    }
    copied::copied(case, &alignment, &mut found);
    extent::extents(case, &mut found);
    swapped::swapped(case, &mut found);
    parallel::parallels(case, &mut found);
    slot::slots(case, &alignment, &mut found);
    additions::units(case, shared, &mut found);
    // What follows finds only what no source holds, all but the last.
    if !case.part {
        found.extend(additions::additions(case));
        additions::clauses(case, &mut found);
        insertion::inserted(case, best, &alignment, &mut found);
        insertion::continued(case, best, &alignment, &mut found);
        insertion::tail(case, &mut found);
        listed::listed(case, best, &alignment, &mut found);
        invented::invented(case, &mut found);
    }
    polarity::polarity(case, &mut found);
    within::excuse(case, &mut found);
    found.sort_by_key(|mismatch| std::cmp::Reverse(mismatch.strength));
    (found, alignment)
}

/// Writes into every token what its neighbours make of it.
pub(crate) fn mark(tokens: &mut [Token]) {
    for at in 0..tokens.len() {
        let entity = reads_as_entity(tokens, at);
        let negates = negation::reads_as_negator(tokens, at);
        let class = crate::quantifiers::read(tokens, at);
        let token = &mut tokens[at];
        (token.entity, token.negates, token.class) = (entity, negates, class);
    }
}

/// The rates of a text: times a second, first and last token.
pub(crate) fn rates(words: &Analysed) -> Vec<(f64, usize, usize)> {
    frequency::rates(words).into_iter().map(|rate| (rate.value, rate.first, rate.last)).collect()
}

/// Whether a token is a slot: a figure, a name of code, or a proper name.
pub(crate) fn is_slot(tokens: &[Token], at: usize) -> bool {
    let token = &tokens[at];
    token.entity || !matches!(token.kind, TokenKind::Word)
}

/// Capitalised words of answers that name nothing.
const NO_NAMES: &[&str] = &[
    "passage",
    "passages",
    "source",
    "sources",
    "step",
    "note",
    "according",
    "based",
    "fuente",
    "pasaje",
    "paso",
    "nota",
    "table",
    "section",
];

/// Whether a token is a proper name: a capital inside a sentence, or several capitals anywhere.
pub(crate) fn is_entity(tokens: &[Token], at: usize) -> bool {
    tokens[at].entity
}

/// The same, from the words.
fn reads_as_entity(tokens: &[Token], at: usize) -> bool {
    let token = &tokens[at];
    if !token.capital || token.stop || token.kind != TokenKind::Word || token.norm.chars().count() < 2 {
        return false;
    }
    let inside = at > 0 && (!token.opens || (tokens[at - 1].capital && !tokens[at - 1].stop));
    !NO_NAMES.contains(&token.norm.as_str()) && (inside || token.text.chars().skip(1).any(char::is_uppercase))
}

/// Words that a rewording puts in and that say nothing by themselves, sorted.
pub(crate) const FILLERS: &[&str] = &[
    "able",
    "actually",
    "already",
    "automatically",
    "case",
    "cosa",
    "directly",
    "exist",
    "exists",
    "hace",
    "haces",
    "itself",
    "kind",
    "make",
    "makes",
    "manera",
    "place",
    "posible",
    "possible",
    "really",
    "right",
    "self",
    "sigue",
    "siguen",
    "simply",
    "still",
    "sure",
    "take",
    "takes",
    "thing",
    "things",
    "usa",
    "usar",
    "use",
    "used",
    "uses",
    "way",
    "work",
    "works",
    "yes",
];

/// Whether a token says nothing by itself.
fn is_filler(token: &Token) -> bool {
    token.kind == TokenKind::Word && token.is(crate::flags::FILLER)
}

/// Whether a token is the unit of a figure before it.
fn is_unit(words: &Analysed, at: usize) -> bool {
    words.quantities.iter().any(|figure| figure.unit.is_some() && figure.first < at && at <= figure.last)
}

/// Share of the claim's weight outside slots that a sentence holds; 1 where the claim has nothing but slots.
pub(crate) fn plain_share(claim: &Analysed, source: &Analysed) -> f64 {
    let (mut all, mut held) = (0.0, 0.0);
    for (at, (token, weight)) in claim.tokens.iter().zip(&claim.weights).enumerate() {
        if *weight > 0.0 && !is_slot(&claim.tokens, at) {
            if source.says_token(token) {
                all += weight;
                held += weight;
            } else if !is_filler(token) && !is_unit(claim, at) {
                all += weight;
            }
        }
    }
    if all > 0.0 { held / all } else { 1.0 }
}

/// Share of the claim's weight outside slots that is aligned with the best sentence; 0 where hardly anything is.
pub(crate) fn plainly_aligned(claim: &Analysed, alignment: &Alignment) -> f64 {
    let plain = |at: usize| if is_slot(&claim.tokens, at) { 0.0 } else { claim.weights[at] };
    let all: f64 = (0..claim.tokens.len()).map(plain).sum();
    let aligned: f64 = alignment.pairs.iter().map(|(at, _)| plain(*at)).sum();
    if all > 0.0 && alignment.pairs.len() >= 3 { aligned / all } else { 0.0 }
}

/// Numbers, from 1, of the passages that a claim names: "passage 2", "(Passages 1 and 3)".
pub(crate) fn named_passages(claim: &Analysed) -> Vec<usize> {
    let mut found = Vec::new();
    let mut naming = false;
    for token in &claim.tokens {
        match token.kind {
            TokenKind::Number(value) if naming && (1.0..1e3).contains(&value) && value.fract() == 0.0 => {
                #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
                found.push(value as usize);
            }
            _ if matches!(
                token.norm.as_str(),
                "passage" | "passages" | "source" | "sources" | "pasaje" | "fuente" | "fuentes"
            ) =>
            {
                naming = true;
            }
            _ => naming = naming && token.stop && !found.is_empty(),
        }
    }
    found
}

/// Whether a word denies, or has an opposite.
pub(crate) fn turns(words: &Analysed, at: usize) -> bool {
    negation::is_negator(&words.tokens, at)
        || words.tokens.get(at).is_some_and(|token| !crate::lexicon::opposites(token.stem).is_empty())
}

/// Longest claim, in tokens, for which a rule about what stands with what decides alone.
const SHORT: usize = 16;

/// The first mismatch that decides alone, whatever the fitted models say. Rules about single words and figures do in any
/// claim about the same thing; rules about how things are joined only in a short one that the sentence holds nearly whole.
pub(crate) fn decisive<'m>(
    claim: &Analysed,
    best: Option<&Analysed>,
    alignment: &Alignment,
    found: &'m [Mismatch],
) -> Option<&'m Mismatch> {
    if found.is_empty() {
        return None;
    }
    let aligned = plainly_aligned(claim, alignment);
    let shared = best.map_or(0.0, |best| plain_share(claim, best));
    let short = claim.tokens.len() <= SHORT;
    found.iter().find(|mismatch| match (mismatch.strength, mismatch.rule) {
        (Strength::Contradicts, _) if mismatch.sure => true,
        (Strength::Contradicts, "binding") => short && shared >= SAME_WORDS,
        (Strength::Contradicts, "direction") => short && shared >= NEAR_COPY,
        (Strength::Contradicts, _) => true,
        (Strength::Added, _) if mismatch.sure => true,
        (Strength::Added, "word") => true,
        (Strength::Added, "identifier" | "path") => true,
        (Strength::Added, "number") => shared >= SAME_SUBJECT,
        (Strength::Added, "entity") => aligned >= NEAR_COPY && claim.tokens.len() > 5,
        (Strength::Added, _) => false,
    })
}

/// Number of words that deny something which the other text speaks of too.
fn denials_of(words: &Analysed, other: &Analysed) -> usize {
    (0..words.tokens.len())
        .filter(|at| negation::is_negator(&words.tokens, *at))
        .filter(|at| {
            // "without an excess" denies nothing of a claim that speaks of no excess.
            let beside =
                matches!(words.tokens[*at].norm.as_str(), "without" | "sin" | "no" | "ningun" | "ninguna");
            let target = negation::denied(&words.tokens, *at);
            // "Without requiring an instance restart" denies the restart.
            let lacks = matches!(words.tokens[*at].norm.as_str(), "without" | "sin");
            let reach = (*at + 1..words.tokens.len().min(*at + 6))
                .take_while(|next| !words.tokens[*next].after_break);
            let goes_on = || {
                reach
                    .into_iter()
                    .any(|next| words.tokens[next].content() && other.says(words.tokens[next].stem))
            };
            !beside
                || target.is_none_or(|target| other.says(words.tokens[target].stem))
                || (lacks && goes_on())
        })
        .count()
}

/// Whether two texts deny equally much of what both speak of.
fn deny_alike(claim: &Analysed, source: &Analysed) -> bool {
    denials_of(claim, source) == denials_of(source, claim)
}

/// Number of words that deny.
pub(crate) fn denials(words: &Analysed) -> usize {
    (0..words.tokens.len()).filter(|at| negation::is_negator(&words.tokens, *at)).count()
}

/// Number of quantifier and modal classes of a claim that none of the sentences has.
pub(crate) fn bound_words_missing<'a>(
    claim: &Analysed,
    sentences: impl Iterator<Item = &'a Analysed>,
) -> usize {
    let held: Vec<Quantifier> =
        sentences.flat_map(|sentence| classes(&sentence.tokens)).map(|(_, class)| class).collect();
    let own = classes(&claim.tokens);
    own.iter().filter(|(_, class)| *class != Quantifier::Also && !held.contains(class)).count()
}

/// Whether claim and sentence are the same word for word, but for one place of a word or two.
pub(crate) fn strict_copy(alignment: &Alignment) -> bool {
    let (Some(first), Some(last)) = (alignment.pairs.first(), alignment.pairs.last()) else { return false };
    // What the sentence has before and behind the claim may be left out.
    let inside = |gap: &&crate::align::Gap| {
        !gap.claim.is_empty() || (gap.source.start > first.1 && gap.source.end <= last.1)
    };
    let mut gaps = alignment.gaps.iter().filter(inside);
    let (one, more) = (gaps.next(), gaps.next());
    alignment.pairs.len() >= 5
        && more.is_none()
        && one.is_some_and(|gap| {
            gap.claim.len() <= 3
                && (gap.source.len() <= 3 || gap.source.start >= last.1 || gap.source.end <= first.1 + 1)
        })
}

fn phrase(tokens: &[Token], range: std::ops::RangeInclusive<usize>) -> String {
    tokens
        .get(range)
        .unwrap_or_default()
        .iter()
        .map(|token| token.text.as_str())
        .collect::<Vec<_>>()
        .join(" ")
}

/// Sentences before one in which a thing may have its other name.
const NEARBY: usize = 2;

/// Whether a word stands in the question, or a few sentences before the one that is held against the claim: then it may
/// name the same thing by another word.
fn nearby(case: &Case<'_>, stem: u64) -> bool {
    if case.question.is_some_and(|question| question.says(stem)) {
        return true;
    }
    let Some(own) = case.index.sentences.get(case.place) else { return false };
    let before = case.place.saturating_sub(NEARBY)..case.place;
    case.index.places_between(stem, &before).iter().any(|place| {
        case.index.sentence(*place).is_some_and(|sentence| {
            // A sentence that says the same of the word tells two things apart.
            sentence.source == own.source && plain_share(case.claim, &sentence.words) < ALIKE
        })
    })
}

/// A contradiction that decides however long the claim is.
fn sure(rule: &'static str, claim: &str, source: &str) -> Mismatch {
    Mismatch { sure: true, ..contradiction(rule, claim, source) }
}

fn contradiction(rule: &'static str, claim: &str, source: &str) -> Mismatch {
    let reason = format!("{rule}: the claim says \"{claim}\" where the source says \"{source}\"");
    Mismatch { strength: Strength::Contradicts, rule, reason, sure: false }
}
