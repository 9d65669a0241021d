//! Claims that deny what the source affirms, or affirm what it denies.

use super::opposites::opposed;
use super::{Case, Mismatch, contradiction, phrase};
use crate::align::Alignment;
use crate::flags;
use crate::index::Analysed;
use crate::lexicon::synonymous;
use crate::tokens::Token;

/// Whether a token denies what follows it; "not only" and "no more than" do not.
pub(super) fn is_negator(tokens: &[Token], at: usize) -> bool {
    tokens[at].negates
}

/// The same, from the words.
pub(super) fn reads_as_negator(tokens: &[Token], at: usize) -> bool {
    let token = &tokens[at];
    if !token.is(flags::DENIES) {
        return false;
    }
    let next = tokens.get(at + 1).map_or("", |token| token.norm.as_str());
    let counts = matches!(next, "more" | "less" | "later" | "fewer" | "mas" | "menos")
        || (next == "matter" && token.norm == "no");
    // "never more than five" counts, "never more careful" denies.
    let behind = tokens.get(at + 2).map_or("", |token| token.norm.as_str());
    let never = matches!(token.norm.as_str(), "never" | "nunca") && !matches!(behind, "than" | "de");
    // "No hay más de ocho" counts as well.
    let bounds = token.norm == "no"
        && (at + 2..at + 4).any(|more| {
            let word = |at: usize| tokens.get(at).map_or("", |token| token.norm.as_str());
            matches!((word(more), word(more + 1)), ("mas" | "menos", "de"))
        });
    // "With or without food" denies nothing.
    let either = at >= 2
        && matches!(token.norm.as_str(), "without" | "sin")
        && matches!(tokens[at - 1].norm.as_str(), "or" | "o" | "and" | "y")
        && matches!(tokens[at - 2].norm.as_str(), "with" | "con");
    // "Nothing but the logs" are the logs.
    let but =
        matches!(next, "but" | "except") && matches!(token.norm.as_str(), "nothing" | "none" | "cannot");
    let softened = bounds || either || but || matches!(next, "only" | "solo") || (counts && !never);
    // "No se abren nunca" denies once.
    let twice = token.norm == "no"
        && tokens[at + 1..].iter().take(7).take_while(|next| !next.after_break).any(|next| {
            matches!(
                next.norm.as_str(),
                "nunca" | "nada" | "nadie" | "ningun" | "ninguna" | "ninguno" | "jamas" | "tampoco"
            )
        });
    // "Neither A nor B", "no se prestan A ni B" deny once; "…, nor is B" denies anew.
    let goes_on = matches!(token.norm.as_str(), "ni" | "nor")
        && !token.after_break
        && tokens[at.saturating_sub(12)..at].iter().any(|before| before.is(flags::DENIES));
    !softened && !twice && !goes_on
}

/// Whether a content token stands in the reach of a negator: up to four tokens behind it in the same clause.
pub(super) fn negated(tokens: &[Token], at: usize) -> bool {
    let mut seen = at;
    for _ in 0..5 {
        if tokens[seen].after_break || seen == 0 {
            return false;
        }
        seen -= 1;
        if tokens[seen].norm == "but" || tokens[seen].norm == "pero" {
            return false;
        }
        if is_negator(tokens, seen) {
            return true;
        }
    }
    false
}

/// Words that a denial goes over: "no longer", "at no time", "en ningún momento".
fn idle(word: &str) -> bool {
    matches!(
        word,
        "longer"
            | "time"
            | "case"
            | "circumstances"
            | "way"
            | "means"
            | "requiring"
            | "needing"
            | "having"
            | "need"
            | "necesidad"
            | "requerir"
            | "necesitar"
            | "tener"
            | "point"
            | "momento"
            | "caso"
            | "modo"
            | "manera"
    )
}

/// Whether one text denies that it must be and the other says that it may: "not compulsory" and "optional".
pub(super) fn optional_alike(claim: &Analysed, best: &Analysed) -> bool {
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
                    | "have"
                    | "need"
                    | "must"
            );
            must && (negated(&words.tokens, at)
                || (at + 1 < words.tokens.len() && is_negator(&words.tokens, at + 1)))
        })
    };
    (unbound(claim) && free(best)) || (unbound(best) && free(claim))
}

/// Whether one text denies twice what the other limits: "does not run without a token" and "runs only with a token".
///
/// So do "up to 10 without a permit" and "more than 10 need a permit".
pub(super) fn only_alike(claim: &Analysed, best: &Analysed) -> bool {
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
    let lacking = |token: &Token| {
        matches!(
            token.norm.as_str(),
            "without" | "sin" | "unless" | "except" | "excepto" | "salvo" | "until" | "hasta"
        )
    };
    let twice = |words: &Analysed| {
        let denies = |at: usize| is_negator(&words.tokens, at) && !lacking(&words.tokens[at]);
        let denials = (0..words.tokens.len()).filter(|at| denies(*at)).count();
        // "Does not work with pins that are not outputs" denies twice as well.
        denials >= 2 || (denials == 1 && words.tokens.iter().any(lacking))
    };
    (twice(claim) && only(best) && !twice(best)) || (twice(best) && only(claim) && !twice(claim))
}

/// Whether one text says what follows without a thing and the other that the thing is needed: "without a service you lose the
/// warranty" and "a service is required for the warranty".
pub(super) fn required_alike(claim: &Analysed, best: &Analysed) -> bool {
    let lacks = |words: &Analysed| {
        words.tokens.iter().any(|token| matches!(token.norm.as_str(), "without" | "sin" | "unless"))
    };
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

/// Whether the sentence beside the one that a claim is held against denies, and has a word of the claim that this one has not:
/// sources often go on with the same thing there.
pub(super) fn denied_beside(case: &Case<'_>) -> bool {
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

/// Sentences that are asked for a word.
const PLACES: usize = 12;

/// Whether a further sentence of the sources denies the word that the claim denies, beside another word of the claim.
fn denied_elsewhere(case: &Case<'_>, target: usize) -> bool {
    let claim = case.claim;
    let token = &claim.tokens[target];
    let others = case
        .index
        .places(token.stem)
        .iter()
        .filter_map(|place| usize::try_from(*place).ok().filter(|place| *place != case.place))
        .filter_map(|place| case.index.sentences.get(place))
        .filter(|sentence| case.scope.holds(sentence))
        .map(|sentence| &sentence.words)
        .take(PLACES);
    case.evidence.iter().skip(1).copied().chain(others).any(|words| {
        let out = |place: usize| {
            let near = words.tokens.iter().skip(place + 1).take(3).take_while(|next| !next.after_break);
            near.into_iter().any(|next| next.is(flags::SOFT) && !next.is(flags::CONDITIONAL))
        };
        let denies = |place: usize| {
            words.tokens[place].stem == token.stem && (negated(&words.tokens, place) || out(place))
        };
        let beside = || {
            (0..claim.tokens.len())
                .any(|at| at != target && claim.weights[at] > 0.0 && words.holds(claim.tokens[at].stem))
        };
        (0..words.tokens.len()).any(denies) && beside()
    })
}

/// The first content token behind a negator, in reach.
pub(super) fn denied(tokens: &[Token], at: usize) -> Option<usize> {
    let behind = (at + 1..tokens.len().min(at + 6))
        .take_while(|next| !tokens[*next].after_break)
        .find(|next| tokens[*next].content() && !idle(&tokens[*next].norm));
    // "changes nothing": what it denies stands before it.
    let object = matches!(tokens[at].norm.as_str(), "nothing" | "nobody" | "none" | "nada" | "nadie");
    // "if nobody can be reached": what it denies stands behind it.
    let subject = at == 0
        || matches!(
            tokens[at - 1].norm.as_str(),
            "if" | "when" | "that" | "because" | "si" | "cuando" | "que"
        )
        || tokens[at].after_break;
    let object = object && !subject;
    if object { (at.saturating_sub(3)..at).rev().find(|before| tokens[*before].content()) } else { behind }
}

/// Whether a text has a word, also one without content: "read-only" denies nothing where both have it.
pub(super) fn says_word(words: &Analysed, word: &Token) -> bool {
    words.holds(word.stem) || words.tokens.iter().any(|token| token.folded == word.folded)
}

/// Words that deny for a case: they answer a denial only where the other text names a case too.
pub(crate) const CONDITIONAL: &[&str] =
    &["unless", "except", "only", "solo", "salvo", "excepto", "too", "few", "little"];

/// Whether a word outside the aligned ones denies by its meaning. `cased`: the other text speaks of a case of its own.
pub(super) fn softly_negative(analysed: &Analysed, cased: bool, aligned: impl Fn(usize) -> bool) -> bool {
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
pub(super) fn names_a_case(claim: &Analysed, alignment: &Alignment) -> bool {
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

pub(super) fn negation(case: &Case<'_>, alignment: &Alignment, found: &mut Vec<Mismatch>) {
    let (claim, Some(best)) = (case.claim, case.evidence.first()) else { return };
    if alignment.share < 0.55 || optional_alike(claim, best) || only_alike(claim, best) {
        return;
    }
    // Where the two are nearly alike a denial of something else does not count.
    let any = |words: &Analysed, other: &Analysed| {
        if alignment.share >= 0.8 { super::denials_of(words, other) > 0 } else { super::denials(words) > 0 }
    };
    // The claim denies what the source affirms.
    if !any(best, claim)
        && !softly_negative(best, names_a_case(claim, alignment), |at| {
            alignment.pairs.iter().any(|(_, theirs)| *theirs == at)
        })
    {
        for at in (0..claim.tokens.len()).filter(|at| is_negator(&claim.tokens, *at)) {
            let Some(target) = denied(&claim.tokens, at) else { continue };
            if alignment.pairs.iter().any(|(mine, _)| *mine == target)
                && !in_case(&claim.tokens, at)
                && !denies_part(claim, at, target, best)
                && !opposed(claim, best)
                && !other_case(claim, best)
                && !required_alike(claim, best)
                && !denied_elsewhere(case, target)
                && !denied_beside(case)
            {
                found.push(contradiction(
                    "negation",
                    &phrase(&claim.tokens, at..=target),
                    &claim.tokens[target].text,
                ));
                return;
            }
        }
    }
    // The source denies what the claim affirms.
    if excepts(claim, best)
        || any(claim, best)
        || softly_negative(claim, true, |at| says_word(best, &claim.tokens[at]))
    {
        return;
    }
    for at in (0..best.tokens.len()).filter(|at| is_negator(&best.tokens, *at)) {
        let Some(target) = denied(&best.tokens, at) else { continue };
        let said = alignment.pairs.iter().find(|(_, theirs)| *theirs == target);
        // "See it but not change it" denies nothing of those who change it elsewhere in the sentence.
        let elsewhere = (0..best.tokens.len()).any(|place| {
            place != target
                && best.tokens[place].stem == best.tokens[target].stem
                && !negated(&best.tokens, place)
        });
        // "Without execute permission" denies the permission, and "no se puede ausentar más de la mitad" allows up to half.
        let elsewhere =
            elsewhere || denies_part(best, at, target, claim) || (denies_more(best, at) && at_most(claim));
        if let (Some((mine, _)), false, false) = (said, opposed(claim, best), elsewhere) {
            found.push(contradiction(
                "negation",
                &claim.tokens[*mine].text,
                &phrase(&best.tokens, at..=target),
            ));
            return;
        }
    }
}

/// A word that the source only denies and the claim only affirms, or the other way round, where the claim says little more
/// than the sentence does.
pub(super) fn turned(case: &Case<'_>, shared: f64, found: &mut Vec<Mismatch>) {
    let (claim, Some(best)) = (case.claim, case.evidence.first()) else { return };
    let spoken = found.iter().any(|mismatch| mismatch.rule == "negation");
    // Where each denies something that the other speaks of they may well say the same.
    let both = super::denials_of(claim, best) > 0 && super::denials_of(best, claim) > 0;
    let alike = optional_alike(claim, best)
        || only_alike(claim, best)
        || required_alike(claim, best)
        || (super::denials_of(claim, best) > 0 && denied_beside(case));
    if spoken || both || shared < TURNED || other_case(claim, best) || alike {
        return;
    }
    for (one, two, mine) in [(claim, *best, true), (*best, claim, false)] {
        for at in (0..one.tokens.len()).filter(|at| is_negator(&one.tokens, *at)) {
            let Some(target) = denied(&one.tokens, at).filter(|target| *target > at) else { continue };
            let token = &one.tokens[target];
            if in_case(&one.tokens, at)
                || denies_part(one, at, target, two)
                || (!mine && excepts(claim, best))
            {
                continue;
            }
            let places = |words: &Analysed| -> Vec<usize> {
                (0..words.tokens.len())
                    .filter(|place| {
                        words.tokens[*place].content() && synonymous(words.tokens[*place].stem, token.stem)
                    })
                    .collect()
            };
            let (own, other) = (places(one), places(two));
            let denies = |words: &Analysed, places: &[usize]| {
                places.iter().all(|place| negated(&words.tokens, *place))
            };
            let affirms =
                |words: &Analysed, places: &[usize]| places.iter().all(|place| !near_negator(words, *place));
            // What stands beside the word in the one clause must stand in the other text too.
            let clause = beside(one, target);
            let met = clause.iter().filter(|place| two.says(one.tokens[**place].stem)).count();
            let close = clause.len() >= 2 && met * 4 >= clause.len() * 3;
            let excused = softly_negative(two, true, |place| one.holds(two.tokens[place].stem))
                || super::opposites::opposed(one, two);
            if !other.is_empty() && close && denies(one, &own) && affirms(two, &other) && !excused {
                let said = phrase(&one.tokens, at..=target);
                let held = &two.tokens[other[0]].text;
                found.push(if mine {
                    contradiction("negation", &said, held)
                } else {
                    contradiction("negation", held, &said)
                });
                return;
            }
        }
    }
}

/// Whether the claim speaks of another case than the sentence ("after those weeks"), or the sentence denies for what it
/// does not repeat ("but not the other way round", "those of boxing, no").
fn other_case(claim: &Analysed, best: &Analysed) -> bool {
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

/// Whether a sentence names an exception or an end that the claim does not repeat.
pub(super) fn excepts(claim: &Analysed, best: &Analysed) -> bool {
    let excepting = |token: &Token| {
        matches!(
            token.norm.as_str(),
            "except"
                | "unless"
                | "until"
                | "excepto"
                | "salvo"
                | "hasta"
                | "menos"
                | "otherwise"
                | "contrario"
        )
    };
    best.tokens.iter().any(excepting) != claim.tokens.iter().any(excepting)
}

/// Whether a negator stands in a condition: "if it does not answer", "quien no aparece".
pub(super) fn in_case(tokens: &[Token], at: usize) -> bool {
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

/// Whether what is denied is more than something: "no se puede ausentar más de la mitad".
fn denies_more(words: &Analysed, at: usize) -> bool {
    let word = |at: usize| words.tokens.get(at).map_or("", |token| token.norm.as_str());
    let reach = (at + 1..words.tokens.len().min(at + 8)).take_while(|more| !words.tokens[*more].after_break);
    reach.into_iter().any(|more| matches!((word(more), word(more + 1)), ("mas", "de") | ("more", "than")))
}

/// Whether a text says that something is the most.
fn at_most(words: &Analysed) -> bool {
    use crate::quantifiers::{Quantifier, classes};
    classes(&words.tokens).iter().any(|(_, class)| *class == Quantifier::AtMost)
}

/// Whether what is denied goes on with a word that the other text does not have: "without execute permission".
fn denies_part(one: &Analysed, at: usize, target: usize, two: &Analysed) -> bool {
    let noun = matches!(one.tokens[at].norm.as_str(), "without" | "sin" | "no" | "ningun" | "ninguna");
    let next = one.tokens.get(target + 1);
    noun && next.is_some_and(|next| next.content() && !next.after_break && !two.says(next.stem))
}

/// Least share of a claim's plain words that the sentence must hold for [`turned`].
const TURNED: f64 = 0.8;

/// Whether a denial stands anywhere in the clause of a word.
fn near_negator(words: &Analysed, at: usize) -> bool {
    let clause = clause(words, at);
    clause.into_iter().any(|place| is_negator(&words.tokens, place))
}

/// The stretch between punctuation in which a word stands.
fn clause(words: &Analysed, at: usize) -> std::ops::Range<usize> {
    let start = (0..=at).rev().find(|place| words.tokens[*place].after_break).unwrap_or(0);
    let end = (at + 1..words.tokens.len()).find(|place| words.tokens[*place].after_break);
    start..end.unwrap_or(words.tokens.len())
}

/// Content words of the clause of a word.
fn beside(words: &Analysed, at: usize) -> Vec<usize> {
    clause(words, at).filter(|place| words.tokens[*place].content()).collect()
}
