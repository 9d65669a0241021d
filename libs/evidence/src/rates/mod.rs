//! How often: "every 15 minutes", "twice a week" and "daily" are figures, in times a second.

pub(crate) mod words;

use self::words::{adverb, period};
use crate::flags;
use crate::index::Analysed;
use crate::numbers::{Dimension, Quantity, figure};
use crate::tokens::Token;

/// Whether a word that may be a rate names a thing: "el diario", "a weekly".
fn names(words: &Analysed, at: usize) -> bool {
    let before = at.checked_sub(1).map_or("", |before| words.tokens[before].norm.as_str());
    let article = matches!(before, "el" | "un" | "del" | "al" | "su" | "este" | "los" | "unos");
    article && matches!(words.tokens[at].norm.as_str(), "diario" | "diarios")
}

/// How many times, as said right before a place: "twice", "three times", "dos veces"; with where that begins.
fn times(words: &Analysed, at: usize) -> Option<(f64, usize)> {
    let before = at.checked_sub(1)?;
    match words.tokens[before].norm.as_str() {
        "once" => return Some((1.0, before)),
        "twice" => return Some((2.0, before)),
        "times" | "vez" | "veces" => {}
        _ => return None,
    }
    let figure = words.quantities.iter().find(|figure| figure.last + 1 == before && figure.unit.is_none())?;
    Some((figure.value, figure.first))
}

/// The rates of a text, in order.
pub(crate) fn rates(words: &Analysed) -> Vec<Quantity> {
    let tokens = &words.tokens;
    let mut found: Vec<Quantity> = Vec::new();
    let rate = |value, first, last| figure(value, Some((Dimension::Rate, 1.0)), first, last);
    if !(words.any_is(flags::RATES) && words.any_is(flags::AMOUNT)) {
        return found;
    }
    for at in 0..tokens.len() {
        if !tokens[at].is(flags::RATES) {
            continue;
        }
        let word = tokens[at].norm.as_str();
        if let Some(value) = adverb(word).filter(|_| !names(words, at)) {
            found.push(rate(value, at, at));
            continue;
        }
        let every = matches!(word, "every" | "each" | "cada");
        // "Todos los días".
        if matches!(word, "todos" | "todas") {
            let plural =
                |at: usize| tokens.get(at).filter(|token| matches!(token.norm.as_str(), "los" | "las"));
            let length = plural(at + 1).and_then(|_| period(&tokens.get(at + 2)?.norm));
            found.extend(length.map(|length| rate(1.0 / length, at, at + 2)));
            continue;
        }
        let count = times(words, at);
        // "Every 15 minutes", "cada dos horas", "every second week", "every month and a half".
        let figure = words.quantities.iter().find(|figure| figure.first == at + 1);
        let unit = |at: usize| Some((period(&tokens.get(at)?.norm)?, at));
        let skips = tokens.get(at + 1).is_some_and(|next| matches!(next.norm.as_str(), "second" | "other"));
        let counted = figure.filter(|_| every && !skips).and_then(|figure| {
            let (length, last) = unit(figure.last).or_else(|| unit(figure.last + 1))?;
            Some((figure.value * length, last))
        });
        let doubled = || unit(at + 2).filter(|_| every && skips).map(|(length, last)| (2.0 * length, last));
        let length = counted.or_else(doubled).or_else(|| unit(at + 1));
        // "Every hour and a half" is not every hour.
        let halved = length.is_some_and(|(_, last)| {
            let joins = |next: &&Token| matches!(next.norm.as_str(), "and" | "y") && !next.after_break;
            let more = tokens.get(last + 1).filter(joins).and_then(|_| tokens.get(last + 2));
            more.is_some_and(|more| {
                matches!(more.norm.as_str(), "a" | "an" | "half" | "media" | "medio" | "cuarto")
                    || more.is(flags::COUNTS)
            })
        });
        if halved {
            return Vec::new();
        }
        let Some((length, last)) = length.filter(|(length, _)| *length > 0.0) else { continue };
        match count {
            Some((times, first)) if times > 0.0 => found.push(rate(times / length, first, last)),
            None if every => found.push(rate(1.0 / length, at, last)),
            _ => {}
        }
    }
    found
}
