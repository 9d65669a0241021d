//! A sentence that says one thing of one subject and another of the next: a claim that says of the one what is said of
//! the other has mixed them up.

use super::super::binding::clauses;
use super::super::negation::is_negator;
use super::super::{Mismatch, phrase, sure};
use super::TELLS;
use crate::flags;
use crate::index::Analysed;
use crate::language::Language;
use crate::lexicon::synonymous;
use crate::tokens::{Token, TokenKind};
use std::ops::Range;

/// Verbs that stand between a subject and what is said of it.
pub(crate) const BETWEEN: &[&str] = &[
    "are", "can", "cannot", "could", "debe", "deben", "did", "do", "does", "es", "esta", "estan", "fue",
    "ha", "had", "han", "has", "have", "is", "may", "might", "must", "need", "needs", "no", "puede",
    "pueden", "se", "should", "son", "tiene", "tienen", "was", "were", "will", "would",
];
/// Words that point back.
pub(crate) const ANAPHORS: &[&str] = &[
    "before",
    "first",
    "following",
    "former",
    "higher",
    "last",
    "latter",
    "later",
    "lower",
    "match",
    "next",
    "one",
    "ones",
    "option",
    "other",
    "others",
    "rest",
    "same",
    "second",
    "setting",
    "stricter",
    "value",
    "way",
    "whole",
    "ultimo",
    "primero",
    "otro",
    "otra",
];

/// A clause of the sentence, with what it speaks of.
struct Clause {
    range: Range<usize>,
    /// Its first noun, with what belongs to it.
    key: Range<usize>,
    /// Whether it begins with a subject of its own.
    own: bool,
    /// Whether it says that the same holds of another.
    also: bool,
    denies: bool,
    /// Whether it speaks of a thing of another clause by a pronoun: "the nurse checks it".
    points: bool,
}

/// Words that stand for a thing of another clause, sorted.
pub(crate) const PRONOUNS: &[&str] = &[
    "her", "him", "it", "le", "les", "lo", "one", "ones", "same", "so", "that", "them", "these", "this",
    "those",
];

/// Whether a word has a pronoun at its end, as Spanish infinitives and gerunds do: "leerla", "leyéndolo".
fn enclitic(token: &Token) -> bool {
    let bare = token.norm.strip_suffix('s').unwrap_or(&token.norm);
    let verb =
        bare.strip_suffix("lo").or_else(|| bare.strip_suffix("la")).or_else(|| bare.strip_suffix("le"));
    verb.is_some_and(|verb| {
        verb.len() >= 4 && ["ar", "er", "ir", "ando", "iendo", "yendo"].iter().any(|end| verb.ends_with(end))
    })
}

/// Whether a clause whose subject ends at `key` speaks of a thing of another clause.
fn points(words: &Analysed, range: &Range<usize>, key: &Range<usize>) -> bool {
    let tokens = &words.tokens;
    let spanish = words.language == Some(Language::Spanish);
    let named = |at: usize| tokens[at].is(flags::PRONOUN);
    // "El portero la abre": what stands right behind the subject is no article.
    let clitic = tokens.get(key.end).is_some_and(|next| {
        spanish && key.end < range.end && matches!(next.norm.as_str(), "la" | "las" | "los")
    });
    clitic || range.clone().any(|at| (at >= key.end && named(at)) || (spanish && enclitic(&tokens[at])))
}

fn read(words: &Analysed, range: Range<usize>) -> Option<Clause> {
    let tokens = &words.tokens;
    let joins = |token: &Token| {
        matches!(
            token.norm.as_str(),
            "and" | "but" | "while" | "whereas" | "or" | "y" | "e" | "pero" | "mientras" | "o"
        )
    };
    let first = range.clone().find(|at| !joins(&tokens[*at]))?;
    let start = range.clone().find(|at| tokens[*at].content() && !joins(&tokens[*at]))?;
    let mut end = start;
    let mut nouns = 0;
    let code = tokens[start].code;
    while end < range.end && nouns < 3 {
        let of = |at: usize| matches!(tokens[at].norm.as_str(), "of" | "de" | "del");
        let of = end > start && (of(end) || (of(end - 1) && tokens[end].is(flags::LEADS_NOUN)));
        if !(tokens[end].content() || of) || (code && !tokens[end].code) {
            break;
        }
        nouns += usize::from(tokens[end].content());
        end += 1;
    }
    // "Diagnostics go to": of two words the second may be the verb.
    while end > start + 1 && matches!(tokens[end - 1].kind, TokenKind::Number(_)) {
        end -= 1;
    }
    let determined = tokens[first].is(flags::LEADS_NOUN);
    let verb = tokens.get(end).is_some_and(|next| next.is(flags::BETWEEN));
    // "The agent writes the reports": what an article follows is the verb.
    let governs = tokens.get(end).is_some_and(|next| {
        next.is(flags::LEADS_NOUN) || matches!(next.norm.as_str(), "it" | "them" | "him" | "her" | "lo")
    });
    if governs && end > start + 1 && tokens[end - 1].content() {
        end -= 1;
    }
    if !verb
        && !determined
        && !code
        && nouns > 1
        && !tokens[start..end].iter().any(|token| token.norm == "of" || token.norm == "de")
    {
        end = start + 1;
    }
    let lead = &tokens[first];
    let named = lead.content() && (lead.capital && !lead.opens || lead.named() || lead.code);
    // "The latter", "a higher value", "the first match": names something that was named before.
    let refers = (start..end).any(|at| tokens[at].is(flags::ANAPHOR));
    let own = !refers && (determined || (start == first && (verb || named)));
    let also = range.clone().any(|at| {
        matches!(
            tokens[at].norm.as_str(),
            "also"
                | "too"
                | "both"
                | "first"
                | "last"
                | "finally"
                | "tambien"
                | "ambos"
                | "primero"
                | "finalmente"
        )
    });
    let denies = range.clone().any(|at| is_negator(tokens, at));
    let points = points(words, &range, &(start..end));
    Some(Clause { range, key: start..end, own, also, denies, points })
}

/// The clauses of a claim; one that only names a case goes with what is said of it.
fn stretches(claim: &Analysed) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut joined = false;
    for range in clauses(claim) {
        let open = !joined
            && found.last().is_some_and(|last| {
                let lead = claim.tokens[last.start].norm.as_str();
                matches!(
                    lead,
                    "if" | "when"
                        | "where"
                        | "for"
                        | "with"
                        | "in"
                        | "on"
                        | "at"
                        | "to"
                        | "after"
                        | "before"
                        | "once"
                        | "si"
                        | "cuando"
                        | "para"
                        | "con"
                        | "en"
                        | "al"
                ) || claim.weights[last.clone()].iter().filter(|weight| **weight > 0.0).count() < 2
            });
        joined = open;
        match found.last_mut() {
            Some(last) if open => last.end = range.end,
            _ => found.push(range),
        }
    }
    found
}

/// The subject of one clause of the sentence with what another clause says of its own.
pub(super) fn mixed(claim: &Analysed, best: &Analysed) -> Option<Mismatch> {
    let ranges = clauses(best);
    if ranges.len() < 2 {
        return None;
    }
    let held: Vec<bool> =
        best.tokens.iter().map(|token| token.content() && claim.says_token(token)).collect();
    if held.iter().filter(|held| **held).count() < 2 {
        return None;
    }
    // What the claim has of two clauses.
    if ranges.iter().filter(|range| held[(*range).clone()].contains(&true)).count() < 2 {
        return None;
    }
    let parts: Vec<Clause> = ranges.into_iter().filter_map(|range| read(best, range)).collect();
    if parts.len() < 2 || parts.len() > 8 {
        return None;
    }
    for stretch in stretches(claim) {
        let mass: f64 = stretch.clone().map(|at| claim.weights[at]).sum();
        if mass < 2.0 * TELLS {
            continue;
        }
        let mine = |place: usize| {
            let stem = best.tokens[place].stem;
            held[place]
                && (claim.tokens[stretch.clone()].iter().any(|token| synonymous(token.stem, stem))
                    || claim.quantities.iter().any(|figure| {
                        stretch.contains(&figure.first) && crate::numbers::hash(figure.value) == stem
                    }))
        };
        let lacks = stretch.clone().any(|at| claim.tokens[at].is(crate::flags::SOFT));
        let denies = stretch.clone().any(|at| is_negator(&claim.tokens, at));
        for (number, subject) in parts.iter().enumerate() {
            for (other, said) in parts.iter().enumerate() {
                let whole = number == 0 || subject.own;
                if number == other || !whole || !said.own || subject.also || said.also || subject.points {
                    continue;
                }
                let only = |clause: &Clause, rest: &Clause| -> Vec<usize> {
                    let apart = |at: &usize| {
                        let token = &best.tokens[*at];
                        token.content()
                            && !best.tokens[rest.range.clone()].iter().any(|other| other.stem == token.stem)
                    };
                    clause.range.clone().filter(apart).collect()
                };
                let (ones, twos) = (only(subject, said), only(said, subject));
                let keyed = |clause: &Clause, at: &usize| clause.key.contains(at);
                let named = ones.iter().any(|at| keyed(subject, at) && mine(*at));
                let mut key = twos.iter().filter(|at| keyed(said, at)).peekable();
                if !named || key.peek().is_none() || key.any(|at| mine(*at)) {
                    continue;
                }
                if ones.iter().any(|at| !keyed(subject, at) && mine(*at)) {
                    continue;
                }
                let taken = twos
                    .iter()
                    .filter(|at| !keyed(said, at) && mine(**at))
                    .map(|at| best.tokens[*at].weight)
                    .sum::<f64>();
                let bare = !ones.iter().any(|at| !keyed(subject, at));
                let held: f64 = stretch
                    .clone()
                    .filter(|at| {
                        let stem = claim.tokens[*at].stem;
                        let holds = |range: &Range<usize>| {
                            best.tokens[range.clone()]
                                .iter()
                                .any(|token| token.content() && synonymous(token.stem, stem))
                        };
                        holds(&subject.key) || holds(&said.range)
                    })
                    .map(|at| claim.weights[at])
                    .sum();
                if taken < TELLS || held < LIKE * mass {
                    continue;
                }
                let quote = |range: &Range<usize>| phrase(&best.tokens, range.start..=range.end - 1);
                let claimed = phrase(&claim.tokens, stretch.start..=stretch.end - 1);
                // "Lectures are recorded, tutorials are not."
                if bare && subject.denies != said.denies && denies == said.denies {
                    return Some(sure("negation", &claimed, &quote(&subject.range)));
                }
                if !bare && (denies == said.denies || lacks) {
                    return Some(sure("binding", &claimed, &quote(&said.range)));
                }
            }
        }
    }
    None
}

/// Least share of a clause of the claim that subject and statement must hold together.
const LIKE: f64 = 0.5;
