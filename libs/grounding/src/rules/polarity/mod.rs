//! Whether claim and sources affirm and deny the same of the same things, however they word it.
//!
//! Every word of a claim's clauses is looked up in the sentences that are about the same things: as it is, by a word that
//! may stand for it, by its opposite, or by a word of the same sense ([`senses`]). Where the one side denies it and the
//! other affirms it, the two contradict one another, unless another sentence that is as near says it as the claim does.

mod around;
mod near;
mod read;
mod senses;
mod subject;

use super::negation::{only_alike, optional_alike};
use super::{Case, Mismatch, contradiction, except, is_filler, phrase};
use crate::index::Analysed;

use crate::tokens::{Token, TokenKind};
use around::{may, nominal, of_some, of_which, turned_otherwise, unaided};
pub(crate) use near::is_light;
use near::{Said, candidates, nearness};
use read::Clause;
pub(crate) use read::{AND, BEGINS, COMPLEMENTED, FINITE, LIMITS, Reading};
use senses::{Own, Relation};
pub(crate) use senses::{may_make_able, may_undo};

/// Longest claim that is looked at, in tokens.
const LONGEST: usize = 60;
/// Least share of what stands beside a word that the sentence must hold where the two words are the same.
const BESIDE: f64 = 0.6;
/// The same where they only share a sense.
const BESIDE_SENSE: f64 = 0.7;
/// The same where nothing is denied, and the two are on the two sides of a sense.
const BESIDE_OTHER: f64 = 0.8;
/// Longest claim for which a little less is enough, in tokens, and how much less.
const SHORT: (usize, f64) = (12, 0.06);
/// How much nearer the sentence that says otherwise must be than any that says the same.
const NEARER: f64 = 0.15;
/// Longest quotation in a reason, in tokens on either side of the word.
const QUOTED: usize = 5;

/// A word of the sources that says the opposite of a word of the claim.
#[derive(Clone, Copy)]
struct Against {
    score: f64,
    sentence: usize,
    at: usize,
}

pub(super) fn polarity(case: &Case<'_>, found: &mut Vec<Mismatch>) {
    let claim = case.claim;
    let spoken = found.iter().any(|other| other.rule == "negation");
    let meta = claim.any_is(crate::flags::META);
    if meta || claim.tokens.len() > LONGEST || claim.mass <= 0.0 {
        return;
    }
    let said = candidates(case);
    if said.is_empty() {
        return;
    }
    let mine = claim.denials();
    if spoken {
        if borne_out(case, mine, &said) {
            found.retain(|other| other.rule != "negation" || other.sure);
        }
        return;
    }
    for clause in mine.clauses.iter().filter(|clause| !clause.case) {
        for at in clause.range.clone() {
            let token = &claim.tokens[at];
            let idle = is_filler(token) || token.is(crate::flags::LIGHT);
            let word = token.content() && token.kind == TokenKind::Word && claim.weights[at] > 0.0;
            if !word || idle || mine.tells(at) {
                continue;
            }
            if let Some(against) = denied_of(case, mine, clause, at, &said) {
                let other = &said[against.sentence];
                found.push(contradiction(
                    "negation",
                    &quoted(claim, mine, at),
                    &quoted(other.words, other.reading, against.at),
                ));
                return;
            }
        }
    }
}

/// Whether the sources deny all that a claim denies, in words of their own: "costs nothing" and "is free".
fn borne_out(case: &Case<'_>, mine: &Reading, said: &[Said<'_>]) -> bool {
    let claim = case.claim;
    let denied = |at: &usize| mine.clause(*at).is_some_and(|clause| !clause.case);
    let mut heads = mine.all_heads().filter(denied).peekable();
    // A claim that says little else is about what the one before it is about.
    let short = claim.tokens.iter().filter(|token| token.content()).count() <= 3;
    heads.peek().is_some()
        && heads.all(|at| {
            let Some(clause) = mine.clause(at) else { return false };
            let (mut same, mut against) = (0.0_f64, 0.0_f64);
            let own = Own::new(&claim.tokens[at]);
            for other in said {
                for (place, word) in other.words.tokens.iter().enumerate().filter(|(_, word)| word.content())
                {
                    let Some(relation) = own.relation(word) else { continue };
                    let near = nearness(claim, clause, at, other, place);
                    if other.reading.denied(place) != relation.agrees {
                        against = against.max(near.unwrap_or(0.0));
                    } else if !denies_more(other, claim, mine) {
                        same = same.max(near.unwrap_or(if short { BESIDE } else { 0.0 }));
                    }
                }
            }
            same >= BESIDE && same >= against
        })
}

/// Whether a sentence denies something that the claim affirms.
fn denies_more(other: &Said<'_>, claim: &Analysed, mine: &Reading) -> bool {
    other.reading.all_heads().any(|head| {
        let token = &other.words.tokens[head];
        let mut own = (0..claim.tokens.len())
            .filter(|at| claim.tokens[*at].content() && claim.tokens[*at].means(token))
            .peekable();
        own.peek().is_some() && own.all(|at| !mine.denied(at))
    })
}

/// The word of the sources that says the opposite of a word of the claim, where none that is as near says the same.
fn denied_of(
    case: &Case<'_>,
    mine: &Reading,
    clause: &Clause,
    at: usize,
    said: &[Said<'_>],
) -> Option<Against> {
    let claim = case.claim;
    let ours = mine.denied(at);
    let own = Own::new(&claim.tokens[at]);
    // Places that say something of the word, each with how, and whether they say otherwise.
    let related = |other: &Said<'_>, place: usize| -> Option<(Relation, bool)> {
        let token = &other.words.tokens[place];
        let relation = token.content().then(|| own.relation(token))??;
        // "Covered by the insurance": what the claim says beside the word is no other word for it.
        if !relation.close && claim.holds(token.stem) {
            return None;
        }
        let contrary = ours ^ other.reading.denied(place) ^ !relation.agrees;
        Some((relation, contrary && !other.reading.tells(place)))
    };
    let mut against: Option<Against> = None;
    let may = |(_, other): &(usize, &Said<'_>)| {
        own.may_disagree(other.words) || (ours || other.reading.denies()) && own.may_agree(other.words)
    };
    for (sentence, other) in said.iter().enumerate().filter(may) {
        for place in 0..other.words.tokens.len() {
            let Some((relation, true)) = related(other, place) else { continue };
            let Some(score) = nearness(claim, clause, at, other, place) else { continue };
            let least = match (ours || other.reading.denied(place), relation.close) {
                (true, true) => BESIDE,
                (true, false) => BESIDE_SENSE,
                (false, _) => BESIDE_OTHER,
            };
            let least = if claim.tokens.len() <= SHORT.0 { least - SHORT.1 } else { least };
            let better = against.is_none_or(|known| score > known.score);
            if score >= least && better && holds_good(case, mine, clause, at, other, place, relation) {
                against = Some(Against { score, sentence, at: place });
            }
        }
    }
    // "Is allowed", "is a good place": whatever the sources deny of it denies that.
    let allows = |at: usize| senses::of(&claim.tokens[at]).contains(&(senses::ALLOWED, true));
    if against.is_none() && allows(at) && !ours {
        for (sentence, other) in said.iter().enumerate() {
            for place in other.reading.heads() {
                let Some(score) = nearness(claim, clause, at, other, place) else { continue };
                let head = &other.words.tokens[place];
                if !claim.tokens[clause.range.clone()]
                    .iter()
                    .any(|token| token.content() && token.means(head))
                {
                    continue;
                }
                let relation = Relation { agrees: true, close: false };
                let better = against.is_none_or(|known| score > known.score);
                if score >= BESIDE_OTHER
                    && better
                    && holds_good(case, mine, clause, at, other, place, relation)
                {
                    against = Some(Against { score, sentence, at: place });
                }
            }
        }
    }
    // What says the same is asked for only where something says otherwise.
    let against = against?;
    let mut same = 0.0_f64;
    for other in said {
        for place in 0..other.words.tokens.len() {
            if let Some((_, false)) = related(other, place) {
                same = same.max(nearness(claim, clause, at, other, place).unwrap_or(0.0));
            }
        }
    }
    (against.score > same + NEARER).then_some(against)
}

/// Whether a denial on the one side is all that the two say otherwise.
fn holds_good(
    case: &Case<'_>,
    mine: &Reading,
    clause: &Clause,
    at: usize,
    other: &Said<'_>,
    place: usize,
    relation: Relation,
) -> bool {
    let (claim, words) = (case.claim, other.words);
    let Some(theirs) = other.reading.clause(place) else { return false };
    let limit = |reading: &Reading, words: &Analysed| reading.limited.map(|at| words.tokens[at].folded);
    if theirs.case || limit(mine, claim) != limit(other.reading, words) {
        return false;
    }
    let (ours_denied, theirs_denied) = (mine.denied(at), other.reading.denied(place));
    let (tokens, others) = (&claim.tokens, &words.tokens);
    if of_some(tokens, &clause.range)
        || of_some(others, &theirs.range)
        || moved(claim, words)
        || subject::is_another(case, clause, at, other)
        || bounded(claim, clause, words)
        || except::speaks_of_exception(claim, words)
    {
        return false;
    }
    // "It doesn't open by itself": that somebody opens it is not denied.
    let only_unaided = |denied: bool, one: &[Token], range: &std::ops::Range<usize>, two: &[Token]| {
        denied && unaided(one, range.clone()) && !unaided(two, 0..two.len())
    };
    if only_unaided(ours_denied, tokens, &clause.range, others)
        || only_unaided(theirs_denied, others, &theirs.range, tokens)
    {
        return false;
    }
    // Both deny something: they may well say the same.
    let turned = |token: &Token| senses::of(token).iter().any(|(_, affirms)| !affirms);
    if (ours_denied || turned(&tokens[at])) && other.reading.denies_besides(place)
        || (theirs_denied || turned(&others[place])) && mine.denies_besides(at)
    {
        return false;
    }
    // A verb that is denied is no noun that is only spoken of; a thing that a claim is without may be somewhere.
    let spoken_of = |tokens: &[Token], at: usize, reading: &Reading, denied: usize| {
        !reading.thing(denied) && nominal(tokens, at)
    };
    let plain = match (ours_denied, theirs_denied) {
        (true, _) => !spoken_of(others, place, mine, at) && !mine.thing(at),
        (_, true) => !spoken_of(tokens, at, other.reading, place),
        _ => {
            [(tokens, at), (others, place)].iter().all(|(tokens, at)| {
                !nominal(tokens, *at) && !tokens[*at].norm.ends_with("ing") && !of_which(tokens, *at)
            }) && (tokens.len() <= SHORT.0 || !may(tokens, &clause.range))
        }
    };
    let case_added = !theirs_denied && mine.cased() && !other.reading.cased();
    let participle =
        !ours_denied && tokens[at].norm.ends_with("ing") && tokens[at].stem != others[place].stem;
    if !plain || case_added || participle || ours_denied && tokens[at].is(crate::flags::META) {
        return false;
    }
    // Where the word is affirmed nothing else in its clause may turn it.
    let affirmed = |denied: bool, words: &Analysed, clause: &Clause, at: usize, opposite: &Token| {
        denied || !(clause.denies || turned_otherwise(&words.tokens, &clause.range, at, opposite))
    };
    if !affirmed(ours_denied, claim, clause, at, &others[place])
        || !affirmed(theirs_denied, words, theirs, place, &tokens[at])
    {
        return false;
    }
    // What is denied goes on with what the other side speaks of.
    let goes_on = |from: &Analysed, clause: &Clause, at: usize, to: &Analysed| {
        let behind: Vec<usize> = (at + 1..clause.range.end)
            .filter(|next| from.tokens[*next].content() && !is_filler(&from.tokens[*next]))
            .collect();
        let met = behind.iter().filter(|next| to.says_token(&from.tokens[**next])).count();
        met * 2 >= behind.len()
    };
    if ours_denied && !goes_on(claim, clause, at, words) {
        return false;
    }
    if theirs_denied && !goes_on(words, theirs, place, claim) {
        return false;
    }
    // Words that are opposites by themselves are read elsewhere; here they must have a sense in common.
    !optional_alike(claim, words)
        && !only_alike(claim, words)
        && (ours_denied || theirs_denied || !relation.close)
}

/// Whether two figures or names stand in another order: "version 1 reads version 2".
fn moved(claim: &Analysed, words: &Analysed) -> bool {
    let slots = |words: &Analysed, other: &Analysed| -> Vec<u64> {
        let both = |at: &usize| {
            super::is_slot(&words.tokens, *at)
                && other.tokens.iter().any(|token| token.stem == words.tokens[*at].stem)
        };
        (0..words.tokens.len()).filter(both).map(|at| words.tokens[at].stem).collect()
    };
    let (mine, theirs) = (slots(claim, words), slots(words, claim));
    mine.len() >= 2 && mine.len() == theirs.len() && mine != theirs
}

/// Whether a clause bounds a figure as the sentence does not.
fn bounded(claim: &Analysed, clause: &Clause, words: &Analysed) -> bool {
    claim.quantities.iter().any(|figure| {
        clause.range.contains(&figure.first)
            && figure.bound.is_some()
            && !words.quantities.iter().any(|other| other.equals(figure) && other.bound == figure.bound)
    })
}

/// The clause around a word, as far as a reason quotes it: from the word that denies it on.
fn quoted(words: &Analysed, reading: &Reading, at: usize) -> String {
    let range = reading.clause(at).map_or(at..at + 1, |clause| clause.range.clone());
    let from = reading.denier(at).map_or(at, |denier| denier.min(at));
    let first = range.start.max(from.saturating_sub(QUOTED)).min(from);
    let last = (range.end.max(at + 1) - 1).min(at + QUOTED);
    phrase(&words.tokens, first..=last)
}
