//! Splits running text into sentences: abbreviations, initials, brackets and inline code do not end one.

use std::ops::Range;

const ABBREVIATIONS: &[&str] = &[
    "e.g", "i.e", "vs", "cf", "approx", "fig", "no", "sr", "dr", "mr", "mrs", "ms", "st", "inc", "ltd",
    "resp", "ej", "pág", "núm", "art", "ud", "uds", "aprox", "incl", "min", "max", "ca", "al",
];

/// Byte ranges of the sentences of `text`, without surrounding white space. `code` are ranges that are never split.
/// Never fails; text without an end mark is one sentence.
pub(crate) fn sentences(text: &str, code: &[Range<usize>]) -> Vec<Range<usize>> {
    let chars: Vec<(usize, char)> = text.char_indices().collect();
    let mut out = Vec::new();
    let mut start = 0;
    let mut depth = 0usize;
    for (i, &(at, c)) in chars.iter().enumerate() {
        if code.iter().any(|range| range.contains(&at)) {
            continue;
        }
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        // What closed the sentence before it is behind us: the further dots of "...".
        if at < start || !matches!(c, '.' | '!' | '?' | '…') || depth > 0 {
            continue;
        }
        let mut next = i + 1;
        while chars
            .get(next)
            .is_some_and(|&(_, c)| matches!(c, ')' | '"' | '\'' | '”' | '’' | '»' | '*' | '_' | '`' | '.'))
        {
            next += 1;
        }
        let end = chars.get(next).map_or(text.len(), |&(at, _)| at);
        let Some(&(_, after)) = chars.get(next) else { continue };
        if !after.is_whitespace() {
            continue;
        }
        let word: Vec<char> = chars[next..]
            .iter()
            .map(|&(_, c)| c)
            .skip_while(|c| c.is_whitespace())
            .take_while(|c| !c.is_whitespace())
            .collect();
        let opens = word.first().is_some_and(|&c| {
            word.iter().take(3).any(|c| c.is_uppercase())
                || c.is_numeric()
                || matches!(c, '`' | '"' | '“' | '(' | '[' | '*' | '_' | '¿' | '¡' | '«' | '\'')
        });
        if !opens || (c == '.' && abbreviated(&text[start..at])) {
            continue;
        }
        push(text, start..end, &mut out);
        start = end;
    }
    push(text, start..text.len(), &mut out);
    out
}

/// Whether the text before a full stop ends in an abbreviation or an initial.
fn abbreviated(before: &str) -> bool {
    let word = before.rsplit(|c: char| c.is_whitespace() || c == '(' || c == '"').next().unwrap_or_default();
    let initial = word.chars().count() == 1 && word.chars().all(char::is_uppercase);
    initial || ABBREVIATIONS.contains(&word.to_lowercase().as_str())
}

fn push(text: &str, range: Range<usize>, out: &mut Vec<Range<usize>>) {
    let slice = &text[range.clone()];
    let trimmed = slice.trim();
    if !trimmed.is_empty() {
        let start = range.start + (slice.len() - slice.trim_start().len());
        out.push(start..start + trimmed.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Vec<&str> {
        sentences(text, &[]).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn abbreviations_and_initials_do_not_end_a_sentence() {
        assert_eq!(
            split("It was started by Matt T. Proud, e.g. Privately. The rest came later."),
            ["It was started by Matt T. Proud, e.g. Privately.", "The rest came later."]
        );
    }

    #[test]
    fn versions_and_file_names_stay_whole() {
        assert_eq!(
            split("Edit prometheus.yml now. Use 3.0 then"),
            ["Edit prometheus.yml now.", "Use 3.0 then"]
        );
    }

    #[test]
    fn an_ellipsis_ends_a_sentence_once() {
        assert_eq!(
            split("It is `for<'a, ...> Fn`, ... `'b` are its lifetimes."),
            ["It is `for<'a, ...> Fn`, ...", "`'b` are its lifetimes."]
        );
    }

    #[test]
    fn a_bracket_is_not_split() {
        assert_eq!(split("One (a. B is here.) two. Three"), ["One (a. B is here.) two.", "Three"]);
    }

    #[test]
    fn code_is_not_split() {
        let text = "Use `a. B` here. Then stop.";
        let found: Vec<_> =
            sentences(text, std::slice::from_ref(&(4..10))).into_iter().map(|range| &text[range]).collect();
        assert_eq!(found, ["Use `a. B` here.", "Then stop."]);
    }
}
