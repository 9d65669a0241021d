//! The same words with their sides turned round.

use super::opposites::{pairs, sides};
use super::{Mismatch, contradiction, phrase, plain_share};
use crate::align::Alignment;
use crate::flags;
use crate::index::{Analysed, bit};
use crate::lists;
use crate::tokens::{Token, TokenKind};

/// Longest side that is exchanged, in tokens.
const SIDE: usize = 4;

/// Words between two things that stand beside each other or are the same: turned round they say what they said.
const EVEN: &[&str] = &[
    "and",
    "or",
    "nor",
    "&",
    "y",
    "o",
    "e",
    "u",
    "ni",
    "plus",
    "is",
    "are",
    "was",
    "were",
    "be",
    "es",
    "son",
    "equal",
    "equals",
    "same",
    "as",
    "well",
    "with",
    "con",
    "between",
    "entre",
    "both",
    "either",
    "versus",
    "vs",
    "than",
    "like",
    "to",
    "differ",
    "differs",
    "from",
    "de",
    "of",
    "not",
    "no",
    "but",
    "pero",
    "also",
    "together",
    "alongside",
    "like",
    "igual",
    "in",
    "en",
    "for",
    "on",
    "at",
];

/// "A does something to B" where the source has "B does something to A", word by word.
pub(super) fn transposed(claim: &Analysed, best: &Analysed, found: &mut Vec<Mismatch>) {
    let bare = |words: &Analysed| -> Vec<usize> {
        (0..words.tokens.len()).filter(|at| !is_article(&words.tokens[*at])).collect()
    };
    let (mine, theirs) = (bare(claim), bare(best));
    let (mine, theirs) = (mine.as_slice(), theirs.as_slice());
    let one = |at: usize| &claim.tokens[mine[at]];
    let two = |at: usize| &best.tokens[theirs[at]];
    // "day" and "days" are not the same here: one may be the end of another thing.
    let same = |a: &Token, b: &Token| a.folded == b.folded || (a.stem != b.stem && a.means(b));
    let folded: Vec<u64> = theirs.iter().map(|at| best.tokens[*at].folded).collect();
    let folded = folded.as_slice();
    let sieve = folded.iter().fold(0, |sieve, folded| sieve | bit(*folded));
    let stems = theirs.iter().fold(0, |stems, at| stems | bit(best.tokens[*at].stem));
    for start in 1..mine.len() {
        let (own, alone) = (one(start).folded, one(start).others().is_empty());
        // Neither the word nor one that it may stand for.
        if sieve & bit(own) == 0 && one(start).others().iter().all(|other| stems & bit(*other) == 0) {
            continue;
        }
        for place in 1..theirs.len() {
            // Most words are no other's: they are the same as none but themselves.
            if (alone && own != folded[place])
                || !same(one(start), two(place))
                || same(one(start - 1), two(place - 1))
            {
                continue;
            }
            let mut middle = 1;
            while start + middle < mine.len()
                && place + middle < theirs.len()
                && same(one(start + middle), two(place + middle))
            {
                middle += 1;
            }
            // The run may hold the beginning of the other side: every length is tried.
            for length in 1..=middle {
                if let Some((left, right)) = sides_of(mine, theirs, start, place, length, &|a, b| {
                    same(&claim.tokens[a], &best.tokens[b])
                }) && turns(claim, mine, start, length, left, right)
                    && !fronted(claim, mine[start], best, theirs[place])
                    && !stands(&mine[start - left..start + length + right], claim, best)
                {
                    let said = phrase(&claim.tokens, mine[start - left]..=mine[start + length + right - 1]);
                    let held =
                        phrase(&best.tokens, theirs[place - right]..=theirs[place + length + left - 1]);
                    found.push(Mismatch { sure: true, ..contradiction("direction", &said, &held) });
                    return;
                }
            }
        }
    }
}

/// Whether a pronoun before the verb of the claim takes up an object before it: "los purés los pone la escuela" is "la escuela
/// pone los purés".
fn fronted(claim: &Analysed, verb: usize, best: &Analysed, place: usize) -> bool {
    let led = |words: &Analysed, at: usize| {
        at.checked_sub(1)
            .and_then(|before| words.tokens.get(before))
            .is_some_and(|before| matches!(before.norm.as_str(), "lo" | "la" | "los" | "las" | "le" | "les"))
    };
    claim.language == Some(crate::language::Language::Spanish) && led(claim, verb) && !led(best, place)
}

/// Whether the words of a claim at some places stand in the sentence in the same order, articles left out.
fn stands(places: &[usize], claim: &Analysed, best: &Analysed) -> bool {
    let own: Vec<u64> = places.iter().map(|at| claim.tokens[*at].folded).collect();
    let theirs: Vec<u64> =
        best.tokens.iter().filter(|token| !is_article(token)).map(|token| token.folded).collect();
    theirs.windows(own.len().max(1)).any(|run| run == own)
}

/// Numbers of tokens left and right of a shared middle that stand right and left of it in the source.
fn sides_of(
    mine: &[usize],
    theirs: &[usize],
    start: usize,
    place: usize,
    length: usize,
    same: &dyn Fn(usize, usize) -> bool,
) -> Option<(usize, usize)> {
    let (end, close) = (start + length, place + length);
    let left = (1..=SIDE.min(start)).rev().find(|left| {
        close + left <= theirs.len()
            && (0..*left).all(|step| same(mine[start - left + step], theirs[close + step]))
    })?;
    let right = (1..=SIDE.min(place)).rev().find(|right| {
        end + right <= mine.len()
            && (0..*right).all(|step| same(mine[end + step], theirs[place - right + step]))
    })?;
    Some((left, right))
}

/// Whether exchanging what stands on both sides of a middle says something else.
fn turns(claim: &Analysed, mine: &[usize], start: usize, length: usize, left: usize, right: usize) -> bool {
    let token = |at: usize| &claim.tokens[mine[at]];
    let content = |mut range: std::ops::Range<usize>| {
        range.any(|at| token(at).content() && !lists::REFERENCES.contains(&token(at).norm.as_str()))
    };
    let (end, last) = (start + length, start + length + right);
    // Things and not phrases; and in Spanish what a "se" joins stands in any order.
    let plain = |mut range: std::ops::Range<usize>| range.all(|at| !token(at).stop);
    if !plain(start - left..start) || !plain(end..last) || (start..end).any(|at| token(at).norm == "se") {
        return false;
    }
    let even = (start..end).all(|at| EVEN.contains(&token(at).norm.as_str()));
    // "from A to B" is no list; "A, B and C" is one.
    let journey = (start..end).any(|at| matches!(token(at).norm.as_str(), "to" | "hasta" | "a"))
        && start > left
        && matches!(token(start - left - 1).norm.as_str(), "from" | "desde" | "de");
    let listed = (start..=end).any(|at| at < last && token(at).after_break)
        || (start..end).any(|at| matches!(token(at).norm.as_str(), "and" | "or" | "y" | "o"));
    let differ = (start - left..start)
        .all(|at| !(end..last).any(|other| token(at).content() && token(at).stem == token(other).stem));
    content(start - left..start) && content(end..last) && differ && !listed && (!even || journey)
}

/// Whether a gap is of a word or two on both sides.
fn first_is_short(gap: &crate::align::Gap) -> bool {
    (1..=3).contains(&gap.claim.len()) && (1..=3).contains(&gap.source.len())
}

/// Words before a noun that say nothing of which side it is on.
pub(crate) const ARTICLES: &[&str] =
    &["the", "a", "an", "el", "la", "los", "las", "un", "una", "its", "their", "su", "sus"];

fn is_article(token: &Token) -> bool {
    token.is(flags::ARTICLE)
}

pub(super) fn direction(claim: &Analysed, best: &Analysed, alignment: &Alignment, found: &mut Vec<Mismatch>) {
    let passive = |words: &Analysed| words.any_is(flags::PASSIVE);
    // "A before B" and "B after A" say the same.
    let converse = || {
        let mut turned = pairs(claim, best).into_iter();
        turned.any(|(at, _)| lists::RELATIONAL.contains(&claim.tokens[at].norm.as_str()))
    };
    if passive(claim) != passive(best) || plain_share(best, claim) < 0.5 || converse() {
        return;
    }
    let content = |analysed: &Analysed, range: std::ops::Range<usize>| -> Vec<usize> {
        range.filter(|at| analysed.tokens[*at].content()).collect()
    };
    let reflexive = [claim, best].iter().any(|words| words.tokens.iter().any(|token| token.norm == "se"));
    // "The rows are skipped", "se omiten las filas": the sides of a verb in the passive stand the other way round.
    let turned = |words: &Analysed| {
        words.tokens.iter().any(|token| token.norm == "se")
            || words.tokens.windows(2).any(|two| {
                matches!(two[0].norm.as_str(), "is" | "are" | "was" | "were" | "be" | "been" | "being")
                    && (two[1].norm.ends_with("ed")
                        || two[1].norm.ends_with("en")
                        || two[1].norm != crate::lexicon::regular(words.language, &two[1].norm))
            })
    };
    if turned(claim) != turned(best) {
        return;
    }
    // The same two things stand in each other's place.
    for (first, gap) in alignment.gaps.iter().enumerate() {
        let (first_mine, first_theirs) =
            (content(claim, gap.claim.clone()), content(best, gap.source.clone()));
        let ([a, ..], [b, ..]) = (first_mine.as_slice(), first_theirs.as_slice()) else { continue };
        let figure = |words: &Analysed, places: &[usize]| {
            places.iter().any(|at| matches!(words.tokens[*at].kind, TokenKind::Number(_)))
        };
        let mixed = figure(claim, &first_mine) != figure(best, &first_theirs);
        // "A copies it to B" and "B gets a copy from A".
        let named = |words: &Analysed, list: &[&str]| {
            words.tokens.iter().any(|token| list.contains(&token.norm.as_str()))
        };
        let (source, goal): (&[&str], &[&str]) = (&["from", "desde"], &["to", "into", "hasta", "al"]);
        let answered = |one: &Analysed, two: &Analysed| {
            named(one, source) && !named(two, source) && named(two, goal) && !named(one, goal)
        };
        if answered(claim, best) || answered(best, claim) {
            return;
        }
        if first_mine.len() > 2 || first_theirs.len() > 2 || mixed || reflexive {
            continue;
        }
        let (a, b) = (&claim.tokens[*a], &best.tokens[*b]);
        for other in &alignment.gaps[first + 1..] {
            let (mine, theirs) = (content(claim, other.claim.clone()), content(best, other.source.clone()));
            let all_in = |words: &Analysed, places: &[usize], other: &Analysed, others: &[usize]| {
                places
                    .iter()
                    .all(|at| others.iter().any(|place| words.tokens[*at].stem == other.tokens[*place].stem))
            };
            let swapped = mine.len() <= 2
                && theirs.len() <= 2
                && all_in(claim, &first_mine, best, &theirs)
                && all_in(best, &theirs, claim, &first_mine)
                && all_in(claim, &mine, best, &first_theirs)
                && all_in(best, &first_theirs, claim, &mine);
            let listed = (gap.claim.end..other.claim.start).all(|at| !claim.tokens[at].content())
                && (gap.claim.end..other.claim.start)
                    .any(|at| matches!(claim.tokens[at].norm.as_str(), "and" | "or" | "y" | "o" | "e" | "u"));
            if swapped && !listed && a.stem != b.stem {
                let said = phrase(&claim.tokens, gap.claim.start..=other.claim.end.saturating_sub(1));
                let held = phrase(&best.tokens, gap.source.start..=other.source.end.saturating_sub(1));
                let framed = gap.claim.start > 0 || gap.source.start == 0;
                let sure = framed && alignment.share >= 0.5 && first_is_short(gap) && first_is_short(other);
                found.push(Mismatch { sure, ..contradiction("direction", &said, &held) });
                return;
            }
        }
    }
    if turned(claim) || turned(best) {
        return;
    }
    // The two sides of a relation are exchanged.
    for &(at, place) in &alignment.pairs {
        let token = &claim.tokens[at];
        if !token.content()
            || matches!(token.kind, TokenKind::Number(_))
            || matches!(token.norm.as_str(), "and" | "or" | "y" | "o" | "the" | "a" | "an" | "of" | "de")
        {
            continue;
        }
        let (left, right) = sides(&claim.tokens, at);
        let (other_left, other_right) = sides(&best.tokens, place);
        if left != 0 && right != 0 && left != right && left == other_right && right == other_left {
            found.push(contradiction(
                "direction",
                &phrase(&claim.tokens, at.saturating_sub(2)..=(at + 2).min(claim.tokens.len() - 1)),
                &phrase(&best.tokens, place.saturating_sub(2)..=(place + 2).min(best.tokens.len() - 1)),
            ));
            return;
        }
    }
}
