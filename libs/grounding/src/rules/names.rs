//! Identifiers and paths in the place of others.

use super::case::SAME_SUBJECT;
use super::{Case, Finding, Kind, Rule};
use crate::align::Alignment;
use crate::index::Analysed;
use crate::share::plain_share;
use crate::spelling::differ_by;
use crate::text::places;
use crate::tokens::{Token, TokenKind};

/// Whether the scope or the question holds a name, also as words or as the end of a path.
pub(super) fn known_name(case: &Case<'_>, token: &Token) -> bool {
    let norm = token.norm.as_str();
    let bare = norm.trim_start_matches(['-', '$', '@', '/', '.']).trim_end_matches('/');
    let bare = bare.strip_prefix("https://").or_else(|| bare.strip_prefix("http://")).unwrap_or(bare);
    let bare = bare.strip_prefix("www.").unwrap_or(bare);
    let in_question = case.question.is_some_and(|question| question.flat.contains(norm));
    if in_question || bare.is_empty() || case.scope.has(case.index, token.stem) {
        return true;
    }
    let spaced: String = split_name(&token.text);
    let spaced = format!(" {spaced} ");
    case.scope.any(
        case.index,
        |passage| stands_whole(passage.lower(), bare, passage.lower_places(bare)) || passage.says(&spaced),
        |sentence| {
            sentence.words.tokens.iter().any(|other| holds_name(&other.norm, bare))
                || sentence.words.flat.contains(&spaced)
        },
    )
}

/// Whether a text holds a name that is not part of a longer word.
pub(super) fn holds_name(text: &str, name: &str) -> bool {
    stands_whole(text, name, places(text, name))
}

/// Whether a name is not part of a longer word at one of the places of a text where it stands.
fn stands_whole(text: &str, name: &str, mut places: impl Iterator<Item = usize>) -> bool {
    let edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && c != '_');
    places.any(|at| edge(text[..at].chars().next_back()) && edge(text[at + name.len()..].chars().next()))
}

/// `maxRows` and `max_rows` as "max rows".
pub(super) fn split_name(name: &str) -> String {
    let mut out = String::new();
    let mut lower = false;
    for c in name.chars() {
        if c == '_' || c == '-' || c == '.' || c == '/' || c == ':' {
            out.push(' ');
            lower = false;
        } else {
            if c.is_uppercase() && lower {
                out.push(' ');
            }
            lower = c.is_lowercase();
            out.extend(c.to_lowercase());
        }
    }
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// An identifier or a path in the place of another.
pub(super) struct Names;

impl Rule for Names {
    fn name(&self) -> &'static str {
        "names"
    }

    fn judge(&self, case: &Case<'_>) -> Vec<Finding> {
        let (claim, Some(best)) = (case.claim, case.best(SAME_SUBJECT)) else { return Vec::new() };
        let name =
            |token: &Token| token.named() || (token.code && token.content() && token.kind == TokenKind::Word);
        let mut places = (0..claim.tokens.len()).filter(|at| name(&claim.tokens[*at]));
        let differs = places.find_map(|at| Some((at, instead(case, best, at)?)));
        let finding = |(at, place): (usize, usize)| {
            let token = &claim.tokens[at];
            let kind = if token.kind == TokenKind::Path { Kind::Path } else { Kind::Identifier };
            Finding::contradicts(kind, &token.text, &best.tokens[place].text)
        };
        differs.map(finding).into_iter().collect()
    }
}

/// The name that the sentence has where the claim has one that it does not.
fn instead(case: &Case<'_>, best: &Analysed, at: usize) -> Option<usize> {
    let claim = case.claim;
    let token = &claim.tokens[at];
    let holds = |sentence: &Analysed| sentence.holds(token.stem) || holds_name(&sentence.flat, &token.norm);
    // A sentence that has the name but says little of the rest excuses nothing where the best one, that says nearly all,
    // has another name in the very place.
    let bears = |sentence: &&Analysed| plain_share(claim, sentence) >= SAME_SUBJECT;
    if holds(best) || case.evidence.iter().any(|sentence| holds(sentence) && bears(sentence)) {
        return None;
    }
    if case.evidence.iter().any(|sentence| holds(sentence)) {
        return if case.shared >= SAME_PLACE { faced(claim, at, best, &case.alignment) } else { None };
    }
    let rival = |place: &usize| {
        let other = &best.tokens[*place];
        (other.named() || other.code) && other.content() && !claim.holds(other.stem)
    };
    let mut gaps = case.alignment.gaps.iter().filter(|gap| gap.claim.contains(&at));
    let mut rivals = (0..best.tokens.len()).filter(rival);
    let known = known_name(case, token);
    gaps.find_map(|gap| gap.source.clone().find(rival)).or_else(|| {
        rivals.find(|place| {
            let other = &best.tokens[*place];
            // Known from elsewhere, while all that is said of it is said here of another one that is written alike.
            let shaped = token.named() && other.named() && case.shared >= SAME_THING;
            if known { shaped && kin(&token.norm, &other.norm) } else { similar(&token.norm, &other.norm) }
        })
    })
}

/// The name of the same kind that stands in the source where the claim has its own: between aligned words, and facing it alone.
fn faced(claim: &Analysed, at: usize, source: &Analysed, alignment: &Alignment) -> Option<usize> {
    let own = &claim.tokens[at];
    let gap = alignment.gaps.iter().find(|gap| gap.claim.contains(&at))?;
    let aligned = |row: usize| alignment.pairs.binary_search_by_key(&row, |pair| pair.0).is_ok();
    let right = gap.claim.end == claim.tokens.len() || aligned(gap.claim.end);
    let left = gap.claim.start == 0 || aligned(gap.claim.start - 1);
    let mut names = gap.source.clone().filter(|place| {
        let other = &source.tokens[*place];
        (other.named() || other.code) && other.content() && !claim.holds(other.stem)
    });
    let (one, more) = (names.next(), names.next());
    let place = one.filter(|_| more.is_none() && left && right && contents(claim, &gap.claim) <= 2)?;
    let other = &source.tokens[place];
    let path = |token: &Token| token.kind == TokenKind::Path;
    (path(own) == path(other) && contents(source, &gap.source) <= 2).then_some(place)
}

/// Least share of a claim's plain words in a sentence with another name in the very place of the claim's.
const SAME_PLACE: f64 = 0.6;
/// Least share of a claim's plain words that a sentence about another name must hold.
const SAME_THING: f64 = 0.75;

/// Whether two names are written in the same way: both flags, or of one family.
fn kin(one: &str, two: &str) -> bool {
    let flag = |name: &str| name.starts_with("--");
    let common = one.chars().zip(two.chars()).take_while(|(a, b)| a == b).count();
    (flag(one) && flag(two)) || common >= 4
}

/// Whether two names look like one another: they share a half, or differ in few letters.
pub(crate) fn similar(one: &str, two: &str) -> bool {
    if one == two {
        return true;
    }
    let common = one.chars().zip(two.chars()).take_while(|(a, b)| a == b).count();
    let ending = one.chars().rev().zip(two.chars().rev()).take_while(|(a, b)| a == b).count();
    let longest = one.chars().count().max(two.chars().count());
    common.max(ending) * 2 >= longest || differ_by(one, two, longest / 4)
}

/// Content tokens in a range.
pub(super) fn contents(analysed: &Analysed, range: &std::ops::Range<usize>) -> usize {
    analysed.tokens[range.clone()].iter().filter(|token| token.content()).count()
}

/// Whether a word is made of the initials of neighbouring words of a sentence, or the other way round.
pub(super) fn acronym(token: &Token, source: &Analysed) -> bool {
    let letters = token.norm.chars().count();
    (2..=6).contains(&letters)
        && source.tokens.windows(letters).any(|words| {
            words.iter().zip(token.norm.chars()).all(|(word, letter)| word.norm.starts_with(letter))
        })
}
