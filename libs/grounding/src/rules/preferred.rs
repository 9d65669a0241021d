//! Which of two things holds in place of the other: "the project file wins", "settings in the directory replace those of
//! the main file", "on the camera instead of in the cloud", "30 days, formerly 90".
//!
//! Each such phrase tells what holds from what gives way. A claim where what gives way is what holds in the source has
//! turned it round, however either is worded.

use super::{Case, Mismatch, phrase, sure};
use crate::flags;
use crate::index::Analysed;
use std::ops::Range;

/// Longest stretch on a side, in tokens.
const SIDE: usize = 8;
/// Sentences of the evidence that are looked at.
const SENTENCES: usize = 3;
/// Further sentences that are asked for a word.
const PLACES: usize = 8;
/// Least weight of what tells one side from the other.
const TELLS: f64 = 2.0;

/// What holds, what gives way, and where the phrase stands.
#[derive(Debug)]
struct Preference {
    /// Whether what gives way is gone for good: it was so before.
    change: bool,
    holds: Range<usize>,
    yields: Range<usize>,
    around: Range<usize>,
}

/// Verbs whose subject holds, and those whose subject gives way; also said of what was before and what is now.
fn verb(word: &str) -> Option<(bool, bool)> {
    Some(match word {
        "wins" | "win" | "beats" | "beat" | "overrides" | "override" | "overrule" | "overrules"
        | "outranks" | "trumps" | "prevails" | "prevail" | "precedence" | "priority" | "gana" | "ganan"
        | "prevalece" | "prevalecen" | "prioridad" | "preferencia" | "precedencia" | "manda" => (true, false),
        "loses" | "lose" | "yields" | "yield" | "defers" | "pierde" | "cede" => (false, false),
        "replaces" | "replace" | "supersedes" | "supersede" | "replaced" | "superseded" | "sustituye"
        | "sustituyen" | "reemplaza" | "reemplazan" | "sustituido" | "sustituida" | "reemplazado"
        | "reemplazada" => (true, true),
        _ => return None,
    })
}

/// Words that may make a preference: a look at the letters, before anything else is done.
pub(crate) fn tells(word: &str) -> bool {
    verb(word).is_some()
        || matches!(
            word,
            "not"
                | "no"
                | "instead"
                | "rather"
                | "lugar"
                | "vez"
                | "formerly"
                | "previously"
                | "antes"
                | "before"
                | "down"
                | "up"
                | "way"
                | "paso"
                | "overridden"
                | "beaten"
                | "from"
                | "de"
                | "desde"
        )
        || swaps(word)
}

/// Verbs that put what stands behind a "por" or "with" in the place of their object.
fn swaps(word: &str) -> bool {
    matches!(word, "cambia" | "cambian" | "cambio" | "cambiaron" | "swapped" | "exchanged")
}

/// Words of a change that goes from one thing to another.
fn changes(word: &str) -> bool {
    matches!(
        word,
        "moved"
            | "moves"
            | "changed"
            | "changes"
            | "switched"
            | "switches"
            | "migrated"
            | "migrates"
            | "renamed"
            | "went"
            | "paso"
            | "pasa"
            | "pasan"
            | "pasaron"
            | "cambio"
            | "cambia"
            | "movio"
            | "traslado"
            | "migro"
            | "trajo"
    )
}

/// The preferences of a sentence.
fn preferences_of(words: &Analysed) -> Vec<Preference> {
    let tokens = &words.tokens;
    let norm = |at: usize| tokens.get(at).map_or("", |token| token.norm.as_str());
    let content = |range: &Range<usize>| range.clone().any(|at| words.weights[at] > 0.0);
    let begin = |at: usize| (0..=at).rev().find(|place| tokens[*place].after_break).unwrap_or(0);
    let end = |from: usize| (from..tokens.len()).find(|at| tokens[*at].after_break).unwrap_or(tokens.len());
    let joint = |at: usize| {
        !(norm(at) == "that" && norm(at + 1) == "of")
            && matches!(
                norm(at),
                "and"
                    | "but"
                    | "so"
                    | "y"
                    | "pero"
                    | "whereas"
                    | "while"
                    | "mientras"
                    | "if"
                    | "when"
                    | "si"
                    | "cuando"
                    | "that"
                    | "which"
                    | "que"
                    | "where"
            )
    };
    let left = |at: usize| {
        let low = begin(at).max(at.saturating_sub(SIDE));
        let own = (low..at).rev().find(|place| joint(*place)).map_or(low, |place| place + 1)..at;
        // "If A exists in B, it loses": what the pronoun stands for is in the clause before.
        let pronoun = matches!(norm(own.start), "it" | "they" | "this" | "este" | "esta");
        if pronoun && !content(&own) && own.start == low && low > 0 { left_of(words, low) } else { own }
    };
    let right = |from: usize| {
        let high = end(from.min(tokens.len())).min(from + SIDE).max(from.min(tokens.len()));
        from.min(tokens.len())..(from..high).find(|place| joint(*place)).unwrap_or(high)
    };
    let mut found = Vec::new();
    for at in (0..tokens.len()).filter(|at| tokens[*at].is(flags::PREFERS)) {
        let (before, next) = (at.checked_sub(1).map_or("", &norm), norm(at + 1));
        let put = |holds: Range<usize>, yields: Range<usize>, change: bool| {
            let around = holds.start.min(yields.start).min(at)..holds.end.max(yields.end).max(at + 1);
            Preference { change, holds, yields, around }
        };
        let passive = |by: usize| matches!(norm(by), "by" | "por");
        let was = (at.saturating_sub(3)..at).any(|place| {
            matches!(
                norm(place),
                "is" | "are" | "was" | "were" | "be" | "been" | "es" | "son" | "fue" | "ser"
            )
        });
        let one = match norm(at) {
            // "X is replaced by Y".
            "replaced" | "superseded" | "overridden" | "beaten" | "overruled" | "sustituido"
            | "sustituida" | "reemplazado" | "reemplazada" => (was && passive(at + 1))
                .then(|| put(right(at + 2), left(at), verb(norm(at)).is_some_and(|kind| kind.1))),
            "instead" if next == "of" => Some(put(left(at), right(at + 2), true)),
            "rather" if next == "than" => Some(put(left(at), right(at + 2), true)),
            "not" | "no" if tokens[at].after_break && at > 0 => {
                Some(put(left_of(words, at), right(at + 1), true))
            }
            // "Moved from A to B", "pasó de A a B".
            "from" | "desde" | "de" if (at.saturating_sub(3)..at).any(|place| changes(norm(place))) => {
                let to = (at + 2..tokens.len().min(at + SIDE))
                    .take_while(|place| !tokens[*place].after_break)
                    .find(|place| matches!(norm(*place), "to" | "a" | "hasta" | "al"));
                to.map(|to| put(right(to + 1), at + 1..to, true))
            }
            // "Cambió A por B".
            word if swaps(word) => {
                let by = (at + 1..end(at + 1)).find(|place| matches!(norm(*place), "por" | "with" | "for"));
                by.map(|by| put(right(by + 1), at + 1..by, true))
            }
            "lugar" | "vez" if before == "en" && next == "de" => Some(put(left(at - 1), right(at + 2), true)),
            // "Now it is A; before, it was B".
            "before" | "previously" | "formerly" | "antes"
                if at > 0
                    && tokens[at].after_break
                    && (tokens.get(at + 1).is_some_and(|next| next.after_break)
                        || matches!(next, "it" | "was" | "era" | "estaba" | "eran")) =>
            {
                let high = end((at + 2).min(tokens.len())).min(at + 1 + SIDE);
                Some(put(left_of(words, at), at + 1..high.max(at + 1), true))
            }
            "formerly" | "previously" if tokens[at].after_break && at > 0 => {
                Some(put(left_of(words, at), right(at + 1), true))
            }
            "way" if matches!(before, "gives" | "give") && next == "to" => {
                Some(put(right(at + 2), left(at - 1), false))
            }
            "paso" if matches!(before, "cede" | "ceden") && next == "a" => {
                Some(put(right(at + 2), left(at - 1), false))
            }
            word => verb(word).and_then(|(wins, change)| {
                // What wins and what loses has the other behind a word; what beats has it by itself.
                let behind = matches!(
                    next,
                    "over" | "against" | "to" | "sobre" | "a" | "al" | "frente" | "ante" | "contra"
                );
                let direct = change
                    || matches!(
                        word,
                        "beats"
                            | "beat"
                            | "overrides"
                            | "override"
                            | "overrules"
                            | "overrule"
                            | "outranks"
                            | "trumps"
                    );
                let object = if behind {
                    right(at + 2)
                } else if direct {
                    right(at + 1)
                } else {
                    at + 1..at + 1
                };
                let subject = left(at);
                match (wins, content(&subject), content(&object)) {
                    (true, true, true) => Some(put(subject, object, change)),
                    (true, true, false) if !direct => Some(put(subject, object, change)),
                    (false, true, true) => Some(put(object, subject, change)),
                    _ => None,
                }
            }),
        };
        found.extend(one.filter(|one| content(&one.holds) || content(&one.yields)));
    }
    found
}

/// The clause before a break.
fn left_of(words: &Analysed, at: usize) -> Range<usize> {
    let start = (0..at).rev().find(|place| words.tokens[*place].after_break).unwrap_or(0);
    start.max(at.saturating_sub(SIDE))..at
}

/// Weight of what one side has of a side of the source and what neither the other side has there nor here.
fn meets(
    claim: &Analysed,
    own: &Range<usize>,
    besides: &Range<usize>,
    source: &Analysed,
    theirs: &Range<usize>,
    others: &Range<usize>,
) -> f64 {
    let has = |words: &Analysed, range: &Range<usize>, at: usize| {
        let token = &claim.tokens[at];
        words.tokens[range.clone()].iter().any(|other| other.content() && token.means(other))
    };
    own.clone()
        .filter(|at| claim.weights[*at] > 0.0 && claim.tokens[*at].content())
        .filter(|at| !has(claim, besides, *at) && has(source, theirs, *at) && !has(source, others, *at))
        .map(|at| claim.weights[at])
        .sum()
}

/// The sentences of the evidence, and those that speak of a word of a side.
fn sentences<'a>(case: &Case<'a>, own: &[Preference]) -> Vec<&'a Analysed> {
    let claim = case.claim;
    let mut found: Vec<&Analysed> = case.evidence.iter().take(SENTENCES).copied().collect();
    let sides = own.iter().flat_map(|one| [&one.holds, &one.yields]);
    for side in sides {
        let rarest = side
            .clone()
            .filter(|at| claim.tokens[*at].content())
            .max_by(|one, two| claim.weights[*one].total_cmp(&claim.weights[*two]));
        let places = rarest.map_or(&[][..], |at| case.index.places(claim.tokens[at].stem));
        for place in places.iter().take(PLACES).filter_map(|place| usize::try_from(*place).ok()) {
            let Some(sentence) =
                case.index.sentences.get(place).filter(|sentence| case.scope.holds(sentence))
            else {
                continue;
            };
            if !found.iter().any(|other| std::ptr::eq(*other, &raw const sentence.words))
                && sentence.words.any_is(flags::PREFERS)
            {
                found.push(&sentence.words);
            }
        }
    }
    found
}

pub(super) fn preferred(case: &Case<'_>, found: &mut Vec<Mismatch>) {
    let claim = case.claim;
    if found.iter().any(|other| other.sure) || !claim.any_is(flags::PREFERS) {
        return;
    }
    let own = preferences_of(claim);
    if own.is_empty() {
        return;
    }
    let both = |words: &Analysed, one: &Preference| {
        [&one.holds, &one.yields].iter().all(|side| (*side).clone().any(|at| words.weights[at] > 0.0))
    };
    // The denial that joins the two sides stands between them.
    let denied = |words: &Analysed, one: &Preference| {
        let sides = one.holds.clone().chain(one.yields.clone());
        sides.filter(|at| super::negation::is_negator(&words.tokens, *at)).count() % 2
    };
    let mut turned = None;
    for source in sentences(case, &own) {
        for theirs in preferences_of(source) {
            for mine in &own {
                if denied(claim, mine) != denied(source, &theirs)
                    || !(both(claim, mine) || both(source, &theirs))
                {
                    continue;
                }
                let meet = |one: &Range<usize>,
                            besides: &Range<usize>,
                            two: &Range<usize>,
                            others: &Range<usize>| {
                    meets(claim, one, besides, source, two, others)
                };
                let straight = meet(&mine.holds, &mine.yields, &theirs.holds, &theirs.yields)
                    + meet(&mine.yields, &mine.holds, &theirs.yields, &theirs.holds);
                let (one, two) = (
                    meet(&mine.holds, &mine.yields, &theirs.yields, &theirs.holds),
                    meet(&mine.yields, &mine.holds, &theirs.holds, &theirs.yields),
                );
                // What wins over one thing may lose to another: both sides have to stand the other way round.
                let sided = |one: &Preference| !one.holds.is_empty() && !one.yields.is_empty();
                let both = mine.change || theirs.change || (sided(mine) && sided(&theirs));
                let crossed = if both && one.min(two) <= 0.0 { 0.0 } else { one + two };
                if straight >= TELLS && straight >= crossed {
                    return;
                }
                if crossed >= TELLS && crossed >= 2.0 * straight {
                    let quote = |words: &Analysed, one: &Preference| {
                        phrase(&words.tokens, one.around.start..=one.around.end - 1)
                    };
                    turned.get_or_insert_with(|| {
                        sure("direction", &quote(claim, mine), &quote(source, &theirs))
                    });
                }
            }
        }
    }
    found.extend(turned);
}
