//! What comes first and what leads where: "first A, then B", "A before B", "from A to B".

use super::{Case, Mismatch, contradiction, phrase};
use crate::index::Analysed;
use crate::lexicon::synonymous;
use std::ops::Range;

/// Words that put what stands left of them before what stands right of them.
const FORWARD: &[&str] = &["before", "then", "until", "antes", "luego", "hasta", "afterwards"];
/// Words that put what stands left of them behind what stands right of them.
const BACKWARD: &[&str] = &["after", "once", "despues", "tras"];
/// Words that name where something comes from, and where it leads.
const FROM: &[&str] = &["from", "desde", "de"];
const TO: &[&str] = &["to", "until", "into", "hasta", "a"];

/// An order of two stretches of a sentence.
struct Order {
    earlier: Range<usize>,
    later: Range<usize>,
}

/// Whether a word puts what is beside it in an order.
fn connects(words: &Analysed, at: usize) -> bool {
    words.tokens.get(at).is_some_and(|token| {
        let word = token.norm.as_str();
        FORWARD.contains(&word) || BACKWARD.contains(&word)
    })
}

/// The order that a sentence's first connecting word makes.
fn order(words: &Analysed) -> Option<Order> {
    let tokens = &words.tokens;
    let at = (0..tokens.len()).find(|at| connects(words, *at))?;
    let forward = FORWARD.contains(&tokens[at].norm.as_str());
    let end = |from: usize| (from..tokens.len()).find(|at| tokens[*at].after_break).unwrap_or(tokens.len());
    let content = |range: &Range<usize>| tokens[range.clone()].iter().any(|token| token.content());
    let (left, right) = if content(&(0..at)) {
        (0..at, at + 1..tokens.len())
    } else {
        // "Before B, A".
        let comma = end(at + 1);
        (comma..tokens.len(), at + 1..comma)
    };
    if !content(&left) || !content(&right) {
        return None;
    }
    Some(if forward { Order { earlier: left, later: right } } else { Order { earlier: right, later: left } })
}

/// Weight of the content of one stretch that another holds.
fn met(claim: &Analysed, mine: &Range<usize>, source: &Analysed, theirs: &Range<usize>) -> f64 {
    let held = |at: &usize| {
        let stem = claim.tokens[*at].stem;
        claim.tokens[*at].content()
            && source.tokens[theirs.clone()]
                .iter()
                .any(|other| other.content() && synonymous(other.stem, stem))
    };
    mine.clone().filter(held).map(|at| claim.weights[at]).sum()
}

/// Stretch behind a "from" and behind its "to", up to three tokens each.
fn journey(words: &Analysed) -> Option<(Range<usize>, Range<usize>)> {
    let tokens = &words.tokens;
    let is =
        |at: usize, list: &[&str]| tokens.get(at).is_some_and(|token| list.contains(&token.norm.as_str()));
    for from in (0..tokens.len()).filter(|at| is(*at, FROM)) {
        for to in (from + 2..tokens.len().min(from + 6)).filter(|at| is(*at, TO)) {
            let target = to + 1..(to + 4).min(tokens.len());
            let content = |range: &Range<usize>| tokens[range.clone()].iter().any(|token| token.content());
            let source = from + 1..to;
            if content(&source)
                && content(&target)
                && !tokens[source.clone()].iter().any(|token| token.after_break)
            {
                return Some((source, target));
            }
        }
    }
    None
}

pub(super) fn orders(case: &Case<'_>, found: &mut Vec<Mismatch>) {
    let claim = case.claim;
    if let Some((from, to)) = journey(claim) {
        for source in case.evidence.iter().take(2) {
            let Some((start, end)) = journey(source) else { continue };
            let straight = met(claim, &from, source, &start) + met(claim, &to, source, &end);
            let crossed = [met(claim, &from, source, &end), met(claim, &to, source, &start)];
            if crossed.iter().all(|weight| *weight > 0.0) && crossed.iter().sum::<f64>() > straight {
                let said = phrase(&claim.tokens, from.start.saturating_sub(1)..=to.end - 1);
                let held = phrase(&source.tokens, start.start.saturating_sub(1)..=end.end - 1);
                found.push(contradiction("direction", &said, &held));
                return;
            }
        }
    }
    let Some(mine) = order(claim) else { return };
    for source in case.evidence.iter().take(2) {
        let Some(theirs) = order(source) else { continue };
        let straight = met(claim, &mine.earlier, source, &theirs.earlier)
            + met(claim, &mine.later, source, &theirs.later);
        let crossed = [
            met(claim, &mine.earlier, source, &theirs.later),
            met(claim, &mine.later, source, &theirs.earlier),
        ];
        if crossed.iter().all(|weight| *weight >= 2.0) && crossed.iter().sum::<f64>() > straight + 2.0 {
            let around = |words: &Analysed| {
                let at = (0..words.tokens.len()).find(|at| connects(words, *at)).unwrap_or_default();
                phrase(
                    &words.tokens,
                    at.saturating_sub(3)..=(at + 3).min(words.tokens.len().saturating_sub(1)),
                )
            };
            found.push(contradiction("direction", &around(claim), &around(source)));
            return;
        }
        // The other one's order stands: a rule about the same order has spoken.
        return;
    }
}
