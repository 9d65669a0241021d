//! Names that an answer mentions in its prose: paths, symbols, commands; and which of them its own evidence holds.

use std::collections::BTreeSet;
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
    /// Whether the sentence rests on it: "according to P".
    pub(crate) cited: bool,
    /// Index of its claim.
    pub(crate) claim: usize,
    /// Where the claim stands.
    pub(crate) span: Span,
}

/// What stands before a path that a sentence rests on.
static RESTS_ON: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)\b(according\s+to|as\s+(described|stated|shown|documented|explained|defined)\s+(in|by)|as\s+per|per|",
        r"seg[uú]n|de\s+acuerdo\s+con|como\s+(se\s+)?(describe|explica|indica|documenta|define)\s+en)\s+(the\s+|el\s+|la\s+)?",
        r"((file|document|page|archivo|documento|fichero|p[aá]gina)\s+)?$",
    ))
});

/// Unknown names of an answer, in text order, each once.
pub(crate) fn unknown(judge: &Judge, parsed: &Parsed<'_>) -> Vec<Mention> {
    let tokenizers = Tokenizers::over(&judge.index().vocabulary);
    let tokenizer = tokenizers.of(parsed.language);
    let mut programs = String::new();
    for unit in parsed.units.iter().filter(|unit| unit.kind == ClaimKind::Code) {
        programs.push_str(&unit.text.to_lowercase());
        programs.push('\n');
    }
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for (index, (unit, claim)) in parsed.units.iter().zip(&parsed.reading.claims).enumerate() {
        if !matches!(unit.kind, ClaimKind::Factual | ClaimKind::Meta) {
            continue;
        }
        if !may_name(&unit.marked_up) {
            continue;
        }
        for token in tokenizer.tokens(&unit.marked_up) {
            let path = token.kind == TokenKind::Path;
            let symbol = token.kind == TokenKind::Name
                && (token.code || token.text.contains('_') || token.text.starts_with("--"))
                && token.text.contains(char::is_alphabetic);
            if !(path || symbol) || token.text.len() > LONGEST || seen.contains(&token.norm) {
                continue;
            }
            if token.text.starts_with("editor:L")
                || judge.evidence_holds(&token.text)
                || stands_in(&token.text, &programs)
            {
                continue;
            }
            let before = unit.marked_up[..token.start].trim_end_matches(['`', '"', '\'', '“', '*', '_']);
            let cited = path && RESTS_ON.as_ref().is_some_and(|pattern| pattern.is_match(before));
            seen.insert(token.norm.clone());
            found.push(Mention { name: token.text.to_string(), path, cited, claim: index, span: claim.span });
        }
    }
    found
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
