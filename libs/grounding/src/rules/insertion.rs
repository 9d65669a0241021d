//! What a near copy puts in where the source goes straight on: an item of a list, a clause, a tail of which no source holds
//! the words.

use super::negation::is_negator;
use super::{Case, Mismatch, Strength, phrase};
use crate::align::Alignment;
use crate::index::Analysed;
use crate::tokens::Token;
use std::ops::Range;

/// Longest claim whose tail is looked at, in tokens.
const LONGEST: usize = 40;
/// Least aligned share of the weight of a claim.
const ALIGNED: f64 = 0.5;
/// Greatest share of the weight beside the stretch that is not aligned.
const BESIDE: f64 = 0.12;
/// Least weight, and least share of the stretch, that no source holds.
const OPEN: (f64, f64) = (5.0, 0.6);

/// Words that join an item or a clause.
const JOINERS: &[&str] = &[
    "and", "or", "but", "then", "which", "who", "in", "with", "for", "to", "by", "because", "so", "y", "e",
    "o", "pero", "que", "con", "para", "por", "de", "en",
];

pub(super) fn inserted(case: &Case<'_>, best: &Analysed, alignment: &Alignment, found: &mut Vec<Mismatch>) {
    let claim = case.claim;
    if alignment.share < ALIGNED || alignment.pairs.len() < 4 || found.iter().any(|other| other.sure) {
        return;
    }
    let Some(&(_, last)) = alignment.pairs.last() else { return };
    let aligned = |at: usize| alignment.pairs.binary_search_by_key(&at, |pair| pair.0).is_ok();
    let said = |place: &usize| best.tokens[*place].stop || claim.says(best.tokens[*place].stem);
    for gap in &alignment.gaps {
        let stretch = gap.claim.clone();
        if stretch.is_empty() || !joined(claim, &stretch) {
            continue;
        }
        // Behind the last aligned word the source may begin another clause, which says nothing of this one.
        let end = if gap.source.start > last {
            gap.source.clone().find(|place| best.tokens[*place].after_break).unwrap_or(gap.source.end)
        } else {
            gap.source.end
        };
        if !(gap.source.start..end).all(|place| said(&place)) {
            continue;
        }
        let beside: f64 = (0..claim.tokens.len())
            .filter(|at| !stretch.contains(at) && !aligned(*at) && !best.says(claim.tokens[*at].stem))
            .map(|at| claim.weights[at])
            .sum();
        let mass: f64 = stretch.clone().map(|at| claim.weights[at]).sum();
        if beside > BESIDE * (claim.mass - mass) {
            continue;
        }
        // "Says the guide", "and lasts four hours": where it is said, or a figure that other rules look at.
        let says = |at: usize| is_saying(&claim.tokens[at].norm);
        let counted = claim.quantities.iter().any(|figure| stretch.contains(&figure.first));
        if counted || stretch.clone().any(says) {
            continue;
        }
        let open: f64 = stretch.clone().filter(|at| unheard(case, *at)).map(|at| claim.weights[at]).sum();
        if open >= OPEN.0 && open >= OPEN.1 * mass {
            let text = phrase(&claim.tokens, stretch.start..=stretch.end - 1);
            let reason = format!("addition: no source says anything of \"{text}\"");
            found.push(Mismatch { strength: Strength::Added, rule: "addition", reason, sure: true });
            return;
        }
    }
}

/// Whether a word says whose a statement is.
pub(super) fn is_saying(word: &str) -> bool {
    matches!(word, "says" | "say" | "states" | "dice" | "dicen" | "indica" | "according" | "segun")
}

/// Whether a stretch is an item or a clause of its own: something joins it on the left, and it ends where one may end.
fn joined(claim: &Analysed, stretch: &Range<usize>) -> bool {
    let first = &claim.tokens[stretch.start];
    let joins = first.after_break || JOINERS.contains(&first.norm.as_str());
    let before =
        stretch.start.checked_sub(1).is_some_and(|at| JOINERS.contains(&claim.tokens[at].norm.as_str()));
    let next = claim.tokens.get(stretch.end);
    let ends = next
        .is_none_or(|next| next.after_break || matches!(next.norm.as_str(), "and" | "or" | "y" | "o" | "e"));
    (joins || before) && ends && stretch.start > 0
}

/// Whether a content word is in no source and not in the question, nor one that may stand for it or begins alike.
pub(super) fn unheard(case: &Case<'_>, at: usize) -> bool {
    let asked = |token: &Token| case.question.is_some_and(|question| question.says_token(token));
    let lacks = |(token, weight): (&Token, &f64)| {
        *weight > 0.0
            && !case.scope.says_token(case.index, token)
            && !asked(token)
            && !case.scope.begins(case.index, token.prefix)
    };
    let all = || case.claim.tokens.iter().zip(&case.claim.weights).map(lacks).collect();
    case.unheard.get_or_init(all).get(at).copied().unwrap_or_default()
}

/// Words that a sentence goes on with.
const FURTHERING: &[&str] = &[
    "and",
    "but",
    "which",
    "because",
    "so",
    "while",
    "although",
    "though",
    "unless",
    "provided",
    "as",
    "until",
    "even",
    "since",
    "where",
    "whereas",
    "particularly",
    "especially",
    "usually",
    "after",
    "a",
    "in",
    "y",
    "pero",
    "porque",
    "salvo",
    "aunque",
    "lo",
    "siempre",
    "mientras",
    "como",
    "ya",
];

/// Least number of words that a claim repeats one after the other before it goes on, and how many of them have content.
const REPEATED: (usize, usize) = (6, 3);
/// Least share of what stands before the going on that the sentence holds.
const REPEATS: f64 = 0.85;
/// Least share and least weight of the going on that is unheard of.
const FURTHER: (f64, f64) = (0.5, 6.0);

/// A claim that repeats a sentence to its end, or to a break, and goes on with what no source says.
pub(super) fn continued(case: &Case<'_>, best: &Analysed, alignment: &Alignment, found: &mut Vec<Mismatch>) {
    let claim = case.claim;
    let Some(&(row, column)) = alignment.pairs.last() else { return };
    let Some(first) = claim.tokens.get(row + 1) else { return };
    let ended = best.tokens.get(column + 1).is_none_or(|next| next.after_break);
    let apart = first.after_break || FURTHERING.contains(&first.norm.as_str());
    // A claim that begins with a case says its matter behind it.
    let cased = CASES.contains(&claim.tokens[0].norm.as_str());
    let says = claim.tokens[row + 1..].iter().any(|token| is_saying(&token.norm));
    if !ended || !apart || cased || says || found.iter().any(|other| other.sure) {
        return;
    }
    let run = alignment.pairs.iter().rev().enumerate();
    let run = run.take_while(|(back, pair)| {
        row.checked_sub(*back) == Some(pair.0) && column.checked_sub(*back) == Some(pair.1)
    });
    let (words, content) = run.fold((0, 0), |(words, content), (_, pair)| {
        (words + 1, content + usize::from(claim.tokens[pair.0].content()))
    });
    if words < REPEATED.0 || content < REPEATED.1 {
        return;
    }
    let head: f64 = claim.weights[..=row].iter().sum();
    let held: f64 = alignment.pairs.iter().map(|pair| claim.weights[pair.0]).sum();
    if held < REPEATS * head {
        return;
    }
    let further = row + 1..claim.tokens.len();
    let mass: f64 = further.clone().map(|at| claim.weights[at]).sum();
    let open: f64 = further.clone().filter(|at| unheard(case, *at)).map(|at| claim.weights[at]).sum();
    if open >= FURTHER.0 * mass && open >= FURTHER.1 {
        let text = phrase(&claim.tokens, further.start..=further.end - 1);
        let reason = format!("addition: no source says anything of \"{text}\"");
        found.push(Mismatch { strength: Strength::Added, rule: "addition", reason, sure: true });
    }
}

/// Words that begin a tail: a further clause, a purpose, a reason.
pub(crate) const TAILS: &[&str] = &[
    "and", "but", "which", "because", "so", "to", "for", "while", "y", "pero", "porque", "para", "mientras",
];
/// Words that begin a case.
const CASES: &[&str] = &[
    "if", "when", "once", "after", "before", "with", "without", "for", "on", "in", "at", "as", "to", "while",
    "unless", "si", "cuando", "con", "sin", "en", "para", "al", "tras", "salvo",
];
/// Greatest share of the weight of the head that is unheard of.
const HEAD: f64 = 0.15;
/// Least share and least weight of the tail that is.
const TAIL: (f64, f64) = (0.7, 9.0);

/// A tail of a reworded claim with words of its own, none of which a source holds, behind a head that the sources hold.
pub(super) fn tail(case: &Case<'_>, found: &mut Vec<Mismatch>) {
    let claim = case.claim;
    if found.iter().any(|other| other.sure || other.strength == Strength::Contradicts)
        || claim.tokens.len() > LONGEST
    {
        return;
    }
    // A claim that begins with a case says its matter behind it.
    if claim.tokens.first().is_none_or(|token| CASES.contains(&token.norm.as_str())) {
        return;
    }
    let starts = |at: &usize| {
        let token = &claim.tokens[*at];
        token.is(crate::flags::TAIL) || token.after_break
    };
    if !(2..claim.tokens.len()).any(|at| starts(&at)) {
        return;
    }
    let open = |at: &usize| unheard(case, *at);
    if (0..claim.tokens.len()).filter(open).count() < 2 {
        return;
    }
    let weigh = |range: Range<usize>| -> (f64, f64, usize, usize) {
        let (mut mass, mut new, mut words, mut news) = (0.0, 0.0, 0, 0);
        for at in range.filter(|at| claim.weights[*at] > 0.0) {
            (mass, words) = (mass + claim.weights[at], words + 1);
            if open(&at) {
                (new, news) = (new + claim.weights[at], news + 1);
            }
        }
        (mass, new, words, news)
    };
    for at in (2..claim.tokens.len()).filter(starts) {
        let tail = at..claim.tokens.len();
        // A denial or a figure rewords what the sources say more often than it adds to it.
        let reworded =
            tail.clone().any(|place| {
                let token = &claim.tokens[place];
                is_negator(&claim.tokens, place) || token.is(crate::flags::SOFT)
            }) || claim.quantities.iter().any(|figure| tail.contains(&figure.first) && figure.unit.is_some());
        if reworded {
            continue;
        }
        let (mass, new, words, _) = weigh(0..at);
        let (rest, fresh, _, news) = weigh(at..claim.tokens.len());
        if words >= 3 && new <= HEAD * mass && news >= 2 && fresh >= TAIL.0 * rest && fresh >= TAIL.1 {
            let text = phrase(&claim.tokens, at..=claim.tokens.len() - 1);
            let reason = format!("addition: no source says anything of \"{text}\"");
            found.push(Mismatch { strength: Strength::Added, rule: "addition", reason, sure: true });
            return;
        }
    }
}
