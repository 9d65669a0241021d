//! Names that an answer mentions in its prose: paths, symbols, commands; and which of them its own evidence holds.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::LazyLock;

use assay_domain::report::{ClaimKind, Span};
use regex::Regex;

use crate::judge::Judge;
use crate::patterns::pattern;
use crate::reading::Parsed;
use crate::text::places;
use crate::tokens::{TokenKind, Tokenizers};

/// Most paths, and most names, that one answer may ask for.
const MOST: usize = 64;
/// Longest name that is looked up, in bytes.
const LONGEST: usize = 200;

/// A name that neither the sources nor the question nor the answer's own programs hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mention {
    /// As written.
    pub(crate) name: String,
    /// Whether it is a path.
    pub(crate) path: bool,
    /// Whether the sentence names it as its source: "according to P", "see P", "P:12-18".
    pub(crate) cited: bool,
    /// Index of its claim.
    pub(crate) claim: usize,
    /// Where the claim stands.
    pub(crate) span: Span,
}

/// What stands before a path that a sentence names as its source.
static RESTS_ON: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)\b(according\s+to|as\s+(described|stated|shown|documented|explained|defined)\s+(in|by)|as\s+per|per|",
        r"see(\s+also)?|refer\s+to|cf\.?|sources?:|",
        r"seg[uú]n|de\s+acuerdo\s+con|como\s+(se\s+)?(describe|explica|indica|documenta|define)\s+en|",
        r"v[eé]ase|v[eé]anse|vea|ver|consulte|fuentes?:)\s+(tambi[eé]n\s+)?(the\s+|el\s+|la\s+)?",
        r"((file|document|page|archivo|documento|fichero|p[aá]gina)\s+)?$",
    ))
});

/// Lines behind the name of a file: `docs/x.md:12-18`, `x.rs#L4`.
static LINES: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"\w\.[A-Za-z][A-Za-z0-9]*((?::\d+(?:[-–]\d+)?|#L\d+(?:-L?\d+)?))(?:[^\w/]|$)"));

/// What tells the reader to work on the file behind it, which need not exist.
static WORKS_ON: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)\b(creat|mak|writ|edit|chang|updat|modif|sav|add|put|append|replac|insert|delet|remov|",
        r"crea|edit|cambi|actualic|modifiqu|guard|añad|agreg|escrib|borr|elimin)\w*\b[^.!?]*$",
    ))
});

/// Unknown names of an answer, in text order, each once.
pub(crate) fn unknown(judge: &Judge, parsed: &Parsed) -> Vec<Mention> {
    let tokenizers = Tokenizers::over(&judge.index().vocabulary);
    let tokenizer = tokenizers.of(parsed.language);
    let mut programs = String::new();
    for unit in parsed.units.iter().filter(|unit| unit.kind == ClaimKind::Code) {
        programs.push_str(&unit.text.to_lowercase());
        programs.push('\n');
    }
    let mut seen = BTreeMap::new();
    let mut found: Vec<Mention> = Vec::new();
    for (index, (unit, claim)) in parsed.units.iter().zip(&parsed.reading.claims).enumerate() {
        if !matches!(unit.kind, ClaimKind::Factual | ClaimKind::Meta) {
            continue;
        }
        if !may_name(&unit.marked_up) {
            continue;
        }
        let (text, lined) = without_lines(&unit.marked_up);
        for token in tokenizer.tokens(&text) {
            let path = token.kind == TokenKind::Path;
            let symbol = token.kind == TokenKind::Name
                && (token.code || token.text.contains('_') || token.text.starts_with("--"))
                && token.text.contains(char::is_alphabetic);
            if !(path || symbol) || token.text.len() > LONGEST {
                continue;
            }
            let before = text[..token.start].trim_end_matches(['`', '"', '\'', '“', '*', '_', '(', '[']);
            let matches = |pattern: &LazyLock<Option<Regex>>| {
                pattern.as_ref().is_some_and(|pattern| pattern.is_match(before))
            };
            let lines = lined.contains(&(token.start + token.text.len()));
            let cited = path && (matches(&RESTS_ON) || lines && !matches(&WORKS_ON));
            if let Some(place) = seen.get(&token.norm).copied() {
                // The sentence that names it as its source is the one that counts.
                if let Some(earlier) =
                    found.get_mut(place).filter(|earlier: &&mut Mention| cited && !earlier.cited)
                {
                    (earlier.cited, earlier.claim, earlier.span) = (true, index, claim.span);
                }
                continue;
            }
            if token.text.starts_with("editor:L")
                || judge.evidence_holds(&token.text)
                || stands_in(&token.text, &programs)
            {
                continue;
            }
            seen.insert(token.norm.clone(), found.len());
            found.push(Mention { name: token.text.to_string(), path, cited, claim: index, span: claim.span });
        }
    }
    found
}

/// A text with blanks for the lines behind names of files, and the places where those names end.
fn without_lines(text: &str) -> (Cow<'_, str>, Vec<usize>) {
    let lines = LINES.as_ref().map(|pattern| pattern.captures_iter(text));
    let places: Vec<Range<usize>> =
        lines.into_iter().flatten().filter_map(|found| Some(found.get(1)?.range())).collect();
    if places.is_empty() {
        return (Cow::Borrowed(text), Vec::new());
    }
    let mut plain = text.to_owned();
    for place in &places {
        plain.replace_range(place.clone(), &" ".repeat(place.len()));
    }
    (Cow::Owned(plain), places.iter().map(|place| place.start).collect())
}

/// Whether a sentence has a character that a path or a name of code cannot do without.
fn may_name(text: &str) -> bool {
    let bytes = text.as_bytes();
    text.contains(['`', '_', '/'])
        || text.contains("--")
        || bytes.windows(2).any(|two| two[0] == b'.' && two[1].is_ascii_alphanumeric())
}

/// Whether a lower-case text holds a name that is no part of a longer one.
pub(crate) fn stands_in(name: &str, text: &str) -> bool {
    let name = name.to_lowercase();
    let name = name.trim_start_matches("./").trim_start_matches(['-', '$', '@']).trim_end_matches("()");
    let edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && c != '_');
    let whole =
        |at: usize| edge(text[..at].chars().next_back()) && edge(text[at + name.len()..].chars().next());
    !name.is_empty() && places(text, name).any(whole)
}

/// Names of code and paths in the sources, each once: what an unknown name may have been meant for.
pub(crate) fn in_sources(judge: &Judge) -> Vec<&str> {
    let texts = judge.terms().sources.iter().flat_map(|source| [source.path.as_str(), source.text.as_str()]);
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for text in texts {
        let marks: Vec<usize> = text.match_indices('`').map(|(at, _)| at).collect();
        let code: BTreeSet<&str> = marks.windows(2).map(|two| &text[two[0] + 1..two[1]]).collect();
        let words = text.split(|c: char| c.is_whitespace() || "`\"'“”«»,;()[]{}<>|=!?*".contains(c));
        let names = words.map(|word| word.trim_end_matches(['.', ':'])).filter(|word| {
            word.len() >= 3
                && (word.contains(['_', '/', '.', '-', ':'])
                    || word.chars().skip(1).any(char::is_uppercase)
                    || word.chars().any(|c| c.is_ascii_digit())
                    || code.contains(word))
        });
        found.extend(names.filter(|name| seen.insert(*name)));
    }
    found
}

/// Paths and names to look up.
pub(crate) fn to_look_up(mentions: &[Mention]) -> (Vec<String>, Vec<String>) {
    let of = |path: bool| {
        let wanted = mentions.iter().filter(|mention| mention.path == path);
        wanted.map(|mention| mention.name.clone()).take(MOST).collect()
    };
    (of(true), of(false))
}
