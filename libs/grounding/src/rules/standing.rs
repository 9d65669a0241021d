//! How a word stands in its sentence: with which noun, behind which preposition, at the head of a clause.

use crate::flags;
use crate::index::Analysed;
use crate::language::Language;
use crate::tokens::{Token, TokenKind};
use std::ops::Range;

/// Words before a noun, sorted.
pub(crate) const DETERMINERS: &[&str] = &[
    "a", "an", "any", "cada", "each", "el", "every", "its", "la", "las", "los", "no", "su", "sus", "the",
    "their", "this", "un", "una", "your",
];
/// Words that say how a thing has part in what happens, sorted.
pub(crate) const PREPOSITIONS: &[&str] = &[
    "a", "al", "as", "at", "by", "como", "con", "contra", "de", "del", "desde", "en", "for", "from", "hacia",
    "in", "into", "of", "on", "para", "per", "por", "sin", "to", "via", "with", "without",
];
/// Prepositions that do not place what stands behind them, sorted.
const LOOSE: &[&str] = &["as", "como", "de", "del", "of", "per", "to"];
/// Words that join things, sorted.
pub(crate) const JOINERS: &[&str] = &["and", "but", "e", "ni", "nor", "o", "or", "pero", "u", "y"];
/// Verbs that stand between a subject and what is said of it, sorted.
const VERBS: &[&str] = &[
    "are", "can", "cannot", "debe", "deben", "do", "does", "es", "esta", "estan", "get", "gets", "has",
    "have", "is", "may", "must", "need", "needs", "puede", "pueden", "se", "should", "son", "tiene",
    "tienen", "was", "were", "will",
];
/// Tokens before a word in which its preposition is looked for.
const REACH: usize = 3;

fn is_in(list: &[&str], token: &Token) -> bool {
    list.binary_search(&token.norm.as_str()).is_ok()
}

/// Whether a word stands before nouns.
pub(super) fn determines(token: &Token) -> bool {
    token.is(flags::DETERMINER)
}

/// Whether a word is a preposition.
pub(super) fn governs(token: &Token) -> bool {
    token.is(flags::PREPOSITION)
}

/// Whether a word joins things.
pub(super) fn joins(token: &Token) -> bool {
    token.is(flags::JOINER)
}

/// The place before another one in the same clause.
fn before(words: &Analysed, at: usize) -> Option<usize> {
    at.checked_sub(1).filter(|_| !words.tokens[at].after_break)
}

/// Whether a token is a name of code: in backticks, or written as no word is.
pub(super) fn is_code(token: &Token) -> bool {
    token.code || token.named() && token.norm.chars().any(|c| matches!(c, '_' | '/' | '-'))
}

/// Whether a word stands as a noun, or a word beside one, does.
pub(super) fn names(words: &Analysed, at: usize) -> bool {
    let token = &words.tokens[at];
    if token.entity || token.named() || token.code {
        return true;
    }
    if !matches!(token.kind, TokenKind::Word) || token.norm.ends_with("ly") || token.norm.ends_with("mente") {
        return false;
    }
    let leads = |at: usize| {
        let token = &words.tokens[at];
        determines(token) || governs(token) || joins(token)
    };
    match before(words, at) {
        None => !token.norm.ends_with("ing"),
        Some(one) if leads(one) => true,
        Some(one) if words.tokens[one].content() => {
            let far = before(words, one).is_none_or(leads);
            far && words.tokens.get(at + 1).is_none_or(|next| next.after_break || !determines(next))
        }
        Some(_) => false,
    }
}

/// The words of content that a clause begins with, two at most.
pub(super) fn lead(words: &Analysed, clause: &Range<usize>) -> Range<usize> {
    let tokens = &words.tokens;
    let start =
        clause.clone().find(|at| !joins(&tokens[*at]) && !determines(&tokens[*at])).unwrap_or(clause.end);
    let end = (start..clause.end.min(start + 2)).find(|at| !tokens[*at].content());
    start..end.unwrap_or(clause.end.min(start + 2))
}

/// A word with the words of content right beside it in its clause.
pub(super) fn with_neighbours(words: &Analysed, clause: &Range<usize>, at: usize) -> Range<usize> {
    let tokens = &words.tokens;
    let first = before(words, at).filter(|one| *one >= clause.start && tokens[*one].content()).unwrap_or(at);
    let behind = at + 1 < clause.end && tokens[at + 1].content() && !tokens[at + 1].after_break;
    first..at + 1 + usize::from(behind)
}

/// Whether no word of content follows a word in its clause.
pub(super) fn closes(words: &Analysed, at: usize) -> bool {
    words.tokens.get(at + 1).is_none_or(|next| next.after_break || !next.content())
}

/// Whether a preposition that places a thing stands right before its noun.
pub(super) fn placed(words: &Analysed, at: usize) -> bool {
    let noun = before(words, at).filter(|one| determines(&words.tokens[*one])).unwrap_or(at);
    before(words, noun).is_some_and(|one| governs(&words.tokens[one]) && !is_in(LOOSE, &words.tokens[one]))
}

/// Whether a verb follows a word, or the next one.
fn is_followed(words: &Analysed, at: usize) -> bool {
    let behind = (at + 1..words.tokens.len().min(at + 3)).take_while(|at| !words.tokens[*at].after_break);
    behind.into_iter().any(|at| is_in(VERBS, &words.tokens[at]))
}

/// How a noun at the head of a clause shows that it is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lead {
    /// A determiner stands before it.
    Determined,
    /// It is a name.
    Named,
    /// A verb follows.
    Followed,
}

/// What two words have in common in the way they stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Alike {
    /// The same noun stands beside both: "live keys", "test keys".
    Head,
    /// A clause begins with both.
    Lead,
    /// The same preposition stands before both.
    Preposition,
    /// Both are names of code.
    Code,
}

/// How a word stands in its sentence.
#[derive(Debug)]
pub(super) struct Standing<'a> {
    next: Option<&'a Token>,
    before: Option<&'a Token>,
    preposition: Option<&'a str>,
    /// How its noun begins a clause, if it does.
    pub(super) lead: Option<Lead>,
    entity: bool,
    code: bool,
    spanish: bool,
}

impl<'a> Standing<'a> {
    pub(super) fn of(words: &'a Analysed, at: usize) -> Self {
        let tokens = &words.tokens;
        let spanish = words.language == Some(Language::Spanish);
        let (preposition, leads) = noun_behind(words, at, spanish);
        let determined = before(words, at).is_some_and(|one| determines(&tokens[one]));
        let kind = if determined {
            Some(Lead::Determined)
        } else if tokens[at].entity || tokens[at].named() {
            Some(Lead::Named)
        } else {
            is_followed(words, at).then_some(Lead::Followed)
        };
        Self {
            next: tokens.get(at + 1).filter(|next| !next.after_break && next.content()),
            before: before(words, at).map(|one| &tokens[one]).filter(|token| token.content()),
            preposition,
            lead: kind.filter(|_| leads),
            entity: tokens[at].entity,
            code: is_code(&tokens[at]),
            spanish,
        }
    }

    /// What it has in common with another one.
    pub(super) fn alike(&self, other: &Standing<'_>) -> Option<Alike> {
        if self.code || other.code {
            return (self.code && other.code).then_some(Alike::Code);
        }
        let same = |one: Option<&Token>, two: Option<&Token>| matches!((one, two), (Some(one), Some(two)) if one.stem == two.stem);
        if same(self.next, other.next) && !self.spanish
            || same(self.before, other.before) && (self.spanish || self.entity)
        {
            return Some(Alike::Head);
        }
        if self.lead.is_some() && self.lead == other.lead {
            return Some(Alike::Lead);
        }
        (self.preposition.is_some() && self.preposition == other.preposition).then_some(Alike::Preposition)
    }
}

/// The preposition that governs the noun of a word, and whether a clause begins with that noun.
fn noun_behind(words: &Analysed, at: usize, spanish: bool) -> (Option<&str>, bool) {
    let tokens = &words.tokens;
    let determined = |place: usize| tokens.get(place + 1).is_some_and(determines);
    for place in (at.saturating_sub(REACH)..=at).rev() {
        let token = &tokens[place];
        if place < at {
            // "To the disk" names a thing, "to copy" does not; "a" is an article in English.
            let verbal = token.norm == "to" && !spanish && !determined(place);
            if verbal {
                return (None, false);
            }
            if governs(token) && (spanish || token.norm != "a") {
                return (Some(token.norm.as_str()), false);
            }
            if joins(token) {
                return (None, place + 1 == at || determined(place));
            }
            if !determines(token) && !token.content() {
                return (None, false);
            }
        }
        if place == 0 || token.after_break {
            return (None, true);
        }
    }
    (None, false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted_for_look_up() {
        for list in [DETERMINERS, PREPOSITIONS, LOOSE, JOINERS, VERBS] {
            assert!(list.is_sorted());
        }
    }

    #[test]
    fn words_stand_alike_beside_one_noun_behind_one_preposition_or_at_the_head_of_clauses() {
        let words = Analysed::new("The live keys are sent by the owner, the reserve is kept by clerks", None);
        let at = |word: &str| words.tokens.iter().position(|token| token.norm == word).unwrap_or_default();
        let alike =
            |one: &str, two: &str| Standing::of(&words, at(one)).alike(&Standing::of(&words, at(two)));
        assert_eq!(alike("owner", "clerks"), Some(Alike::Preposition));
        assert_eq!(alike("live", "reserve"), Some(Alike::Lead));
        assert_eq!(alike("live", "clerks"), None);
    }
}
