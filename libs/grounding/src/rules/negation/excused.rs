//! What excuses a denial on one side only: it holds for a case, or the other side denies in other words.

use super::super::Case;
use crate::align::Alignment;
use crate::flags;
use crate::index::Analysed;
use crate::lexicon::synonymous;
use crate::negators::{denied, is_negator, negated};
use crate::tokens::Token;

/// Whether one text denies that it must be and the other says that it may: "not compulsory" and "optional".
pub(in crate::rules) fn optional_alike(claim: &Analysed, best: &Analysed) -> bool {
    use crate::quantifiers::Quantifier;
    // What is recommended is no more obligatory.
    let free = |words: &Analysed| {
        let advised =
            |token: &Token| matches!(token.norm.as_str(), "recommended" | "recomienda" | "recomendado");
        words.tokens.iter().any(|token| token.class == Some(Quantifier::May) || advised(token))
    };
    let unbound = |words: &Analysed| {
        (0..words.tokens.len()).any(|at| {
            let token = &words.tokens[at];
            let must = matches!(
                token.norm.as_str(),
                "compulsory"
                    | "mandatory"
                    | "required"
                    | "necessary"
                    | "needed"
                    | "obliged"
                    | "obligatorio"
                    | "obligatoria"
                    | "necesario"
                    | "necesaria"
                    | "need"
                    | "must"
            );
            // "Cannot be changed after they have been printed" binds as before.
            let must = must
                || token.norm == "have" && words.tokens.get(at + 1).is_some_and(|next| next.norm == "to");
            must && (negated(&words.tokens, at)
                || (at + 1 < words.tokens.len() && is_negator(&words.tokens, at + 1)))
        })
    };
    (unbound(claim) && free(best)) || (unbound(best) && free(claim))
}

/// Whether one text denies twice what the other limits: "does not run without a token" and "runs only with a token".
///
/// So do "up to 10 without a permit" and "more than 10 need a permit".
pub(in crate::rules) fn only_alike(claim: &Analysed, best: &Analysed) -> bool {
    use crate::quantifiers::{Quantifier, classes};
    let bounded = |words: &Analysed| words.quantities.iter().any(|figure| figure.bound.is_some());
    if bounded(claim) && bounded(best) {
        let turned = claim.quantities.iter().any(|figure| {
            best.quantities.iter().any(|other| {
                other.equals(figure)
                    && figure.bound.is_some()
                    && other.bound.is_some()
                    && figure.bound != other.bound
            })
        });
        if turned {
            return true;
        }
    }
    let only = |words: &Analysed| classes(&words.tokens).iter().any(|(_, class)| *class == Quantifier::Only);
    let lacking = |token: &Token| matches!(token.norm.as_str(), "without" | "sin" | "until" | "hasta");
    let twice = |words: &Analysed| {
        let denies = |at: usize| is_negator(&words.tokens, at) && !lacking(&words.tokens[at]);
        let denials = (0..words.tokens.len()).filter(|at| denies(*at)).count();
        // "Does not work with pins that are not outputs" denies twice as well.
        denials >= 2 || (denials == 1 && (words.tokens.iter().any(lacking) || names_an_exception(words)))
    };
    (twice(claim) && only(best) && !twice(best)) || (twice(best) && only(claim) && !twice(claim))
}

/// Whether one text says what follows without a thing and the other that the thing is needed: "without a service you lose the
/// warranty" and "a service is required for the warranty".
pub(in crate::rules) fn required_alike(claim: &Analysed, best: &Analysed) -> bool {
    // "Without a permit you can fill it" says the contrary.
    let lacking = |token: &Token| matches!(token.norm.as_str(), "without" | "sin" | "unless");
    let loses = |token: &Token| {
        (token.negates && !lacking(token))
            || (token.is(flags::SOFT) && !token.is(flags::CONDITIONAL))
            || matches!(
                token.norm.as_str(),
                "lose" | "loses" | "lost" | "void" | "ends" | "expires" | "pierde" | "pierden" | "pierdes"
            )
    };
    let lacks = |words: &Analysed| words.tokens.iter().any(lacking) && words.tokens.iter().any(loses);
    let needs = |words: &Analysed| {
        words.tokens.iter().any(|token| {
            matches!(
                token.norm.as_str(),
                "required"
                    | "requires"
                    | "require"
                    | "needed"
                    | "needs"
                    | "need"
                    | "necessary"
                    | "compulsory"
                    | "mandatory"
                    | "requiere"
                    | "requieren"
                    | "exige"
                    | "exigen"
                    | "necesario"
                    | "necesaria"
                    | "necesita"
                    | "necesitan"
                    | "obligatorio"
                    | "obligatoria"
                    | "falta"
            )
        })
    };
    (lacks(claim) && needs(best) && !lacks(best)) || (lacks(best) && needs(claim) && !lacks(claim))
}

/// Whether a claim says that something is needed without which a sentence denies all: "a licence is needed to drive" and "you cannot
/// drive without a licence"; not so where it denies that. `None` where it speaks of no need.
pub(in crate::rules) fn needs_so(claim: &Analysed, best: &Analysed) -> Option<bool> {
    use crate::quantifiers::Quantifier;
    let needs = |at: &usize| {
        let must = claim.tokens[*at].class == Some(Quantifier::Must);
        must || matches!(
            claim.tokens[*at].norm.as_str(),
            "need"
                | "needs"
                | "needed"
                | "required"
                | "require"
                | "requires"
                | "necesita"
                | "necesitan"
                | "necesario"
                | "necesaria"
                | "falta"
                | "requiere"
        )
    };
    let at = (0..claim.tokens.len()).find(needs)?;
    let lacking = |at: usize| matches!(best.tokens[at].norm.as_str(), "without" | "sin");
    let without = (0..best.tokens.len()).find(|at| lacking(*at))?;
    let thing = &best.tokens[denied(&best.tokens, without)?];
    let denied = (0..best.tokens.len()).any(|at| !lacking(at) && is_negator(&best.tokens, at));
    let near = at.saturating_sub(NEAR)..(at + NEAR + 1).min(claim.tokens.len());
    let said = claim.tokens[near.clone()].iter().any(|token| token.content() && token.means(thing));
    if !denied || !said {
        return None;
    }
    match (0..claim.tokens.len()).filter(|at| is_negator(&claim.tokens, *at)).count() {
        0 => Some(true),
        1 if near.into_iter().any(|at| is_negator(&claim.tokens, at)) => Some(false),
        _ => None,
    }
}

/// Tokens between a word of need and what is needed.
const NEAR: usize = 3;

/// Whether the sentence beside the one that a claim is held against denies, and has a word of the claim that this one has not:
/// sources often go on with the same thing there.
pub(in crate::rules) fn denied_beside(case: &Case<'_>) -> bool {
    let Some(best) = case.index.sentences.get(case.place) else { return false };
    let beside = [case.place.checked_sub(1), case.place.checked_add(1)];
    beside.into_iter().flatten().filter_map(|place| case.index.sentences.get(place)).any(|next| {
        let words = &next.words;
        let denies = || {
            (0..words.tokens.len()).any(|at| {
                is_negator(&words.tokens, at)
                    || (words.tokens[at].is(flags::SOFT) && !words.tokens[at].is(flags::CONDITIONAL))
            })
        };
        let own = |(token, weight): (&Token, &f64)| {
            let says = *weight > 0.0 && !token.is(flags::SOFT);
            says && words.says_token(token) && !best.words.says_token(token)
        };
        next.source == best.source && case.claim.tokens.iter().zip(&case.claim.weights).any(own) && denies()
    })
}

/// Whether both texts deny one word: "no regula nada" on both sides, wherever it stands.
pub(in crate::rules) fn both_deny(claim: &Analysed, best: &Analysed) -> bool {
    let denied = |words: &Analysed| -> Vec<u64> {
        let negators = (0..words.tokens.len()).filter(|at| is_negator(&words.tokens, *at));
        negators.filter_map(|at| denied(&words.tokens, at)).map(|at| words.tokens[at].stem).collect()
    };
    let theirs = denied(best);
    !theirs.is_empty() && denied(claim).iter().any(|one| theirs.iter().any(|other| synonymous(*one, *other)))
}

/// Whether a text ends a clause with a bare denial or affirmation, of what another clause says: "tú no", "con el NIF sí".
pub(in crate::rules) fn elliptic(words: &Analysed) -> bool {
    let ends = |at: usize| words.tokens.get(at + 1).is_none_or(|next| next.after_break);
    (0..words.tokens.len()).any(|at| {
        let token = &words.tokens[at];
        let bare = match token.norm.as_str() {
            "no" | "not" => at > 0 && !token.after_break,
            "si" => token.text.to_lowercase() == "s\u{ed}",
            _ => false,
        };
        bare && ends(at)
    })
}

/// Whether a text has a word, also one without content: "read-only" denies nothing where both have it.
pub(in crate::rules) fn says_word(words: &Analysed, word: &Token) -> bool {
    words.holds(word.stem) || words.tokens.iter().any(|token| token.folded == word.folded)
}

/// Whether a word outside the aligned ones denies by its meaning. `cased`: the other text speaks of a case of its own.
pub(in crate::rules) fn softly_negative(
    analysed: &Analysed,
    cased: bool,
    aligned: impl Fn(usize) -> bool,
) -> bool {
    analysed.tokens.iter().enumerate().any(|(at, token)| {
        if !cased && token.is(flags::CONDITIONAL) {
            return false;
        }
        // "Too slow" denies, "these are too" does not.
        let also = token.norm == "too"
            && analysed.tokens.get(at + 1).is_none_or(|next| next.after_break || !next.content());
        let denies = (token.is(flags::SOFT) && !also)
            || (token.norm.len() > 6 && (token.norm.starts_with("un") || token.norm.starts_with("non")));
        denies && !aligned(at)
    })
}

/// Whether a claim has a condition or a content word beside what is aligned.
pub(in crate::rules) fn names_a_case(claim: &Analysed, alignment: &Alignment) -> bool {
    claim.tokens.iter().enumerate().any(|(at, token)| {
        let open = alignment.pairs.binary_search_by_key(&at, |pair| pair.0).is_err();
        let condition = matches!(
            token.norm.as_str(),
            "if" | "when"
                | "while"
                | "other"
                | "others"
                | "else"
                | "after"
                | "beyond"
                | "outside"
                | "over"
                | "si"
                | "cuando"
                | "otros"
                | "otras"
                | "tras"
                | "despues"
                | "fuera"
        );
        open && (condition || token.content()) && !is_negator(&claim.tokens, at)
    })
}

/// Whether the claim speaks of another case than the sentence ("after those weeks"), or the sentence denies for what it
/// does not repeat ("but not the other way round", "those of boxing, no").
pub(super) fn other_case(claim: &Analysed, best: &Analysed) -> bool {
    let open = |word: &str| {
        claim.tokens.iter().any(|token| token.norm == word)
            && !best.tokens.iter().any(|token| token.norm == word)
    };
    let case =
        ["after", "beyond", "outside", "otherwise", "tras", "despues", "fuera"].iter().any(|word| open(word));
    let mirrored = best.tokens.windows(2).any(|two| {
        matches!(
            (two[0].norm.as_str(), two[1].norm.as_str()),
            ("other", "way") | ("vice", "versa") | ("al", "reves")
        )
    });
    let bare = [claim, best].iter().any(|words| {
        (0..words.tokens.len()).any(|at| {
            matches!(words.tokens[at].norm.as_str(), "no" | "not") && denied(&words.tokens, at).is_none()
        })
    });
    case || mirrored || bare
}

/// Whether a text takes something out of what it says.
pub(in crate::rules) fn names_an_exception(words: &Analysed) -> bool {
    words.any_is(flags::EXCEPTS)
}

/// Whether a sentence names an exception or an end that the claim does not repeat.
pub(in crate::rules) fn excepts(claim: &Analysed, best: &Analysed) -> bool {
    let excepting = |words: &Analysed| {
        names_an_exception(words)
            || words.tokens.iter().any(|token| {
                matches!(token.norm.as_str(), "until" | "hasta" | "menos" | "otherwise" | "contrario")
            })
    };
    excepting(best) != excepting(claim)
}

/// Whether a negator stands in a condition: "if it does not answer", "quien no aparece".
pub(in crate::rules) fn in_case(tokens: &[Token], at: usize) -> bool {
    let before = (at.saturating_sub(6)..=at).rev();
    let mut open = true;
    for place in before {
        if place < at && open {
            let token = &tokens[place];
            if matches!(
                token.norm.as_str(),
                "if" | "should"
                    | "when"
                    | "whenever"
                    | "who"
                    | "whoever"
                    | "once"
                    | "while"
                    | "si"
                    | "cuando"
                    | "quien"
                    | "quienes"
                    | "mientras"
            ) && (token.norm != "should" || place == 0)
            {
                return true;
            }
        }
        open = open && !tokens[place].after_break;
    }
    false
}
