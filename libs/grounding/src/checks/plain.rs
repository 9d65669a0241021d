//! Prose in code blocks: what they say in sentences has to stand in the sources, since nobody judges it as claims.

use super::Case;
use super::code::span;
use super::outcome::{clip, finding};
use assay_domain::code::{BlockStatus, ParsedBlock};
use assay_domain::report::{CheckName, Finding};

/// Fewest words of a sentence.
const WORDS: usize = 4;
/// Least share of letters and spaces in it, in percent: rows, logs and settings have fewer.
const LETTERS: usize = 85;

/// Languages whose grammars accept prose (contract §5: they decide nothing).
const ACCEPT_PROSE: &[&str] = &["bash", "sh", "shell", "zsh", "yaml", "yml", "markdown", "md"];

/// The blocks in which prose may hide: not read as code, without a grammar, or accepted by one that accepts prose.
pub(super) fn blocks<'c>(case: &'c Case<'_>) -> impl Iterator<Item = &'c ParsedBlock> {
    case.facts.blocks.iter().filter(|parsed| match parsed.status {
        BlockStatus::Plain | BlockStatus::NoGrammar => true,
        BlockStatus::Valid => ACCEPT_PROSE.contains(&parsed.block.language.to_ascii_lowercase().as_str()),
        _ => false,
    })
}

/// The sentences of such a block, a line each.
pub(super) fn sentences(parsed: &ParsedBlock) -> impl Iterator<Item = &str> {
    lines(parsed).map(str::trim).filter(|line| is_sentence(line))
}

/// The lines that a reader takes for text: all of a plain block, of a program those that are written as sentences.
pub(super) fn lines(parsed: &ParsedBlock) -> impl Iterator<Item = &str> {
    let plain = parsed.status == BlockStatus::Plain;
    parsed.block.code.lines().filter(move |line| plain || is_written(line.trim()) && is_sentence(line))
}

/// Whether plain blocks hold sentences.
pub(super) fn says(case: &Case<'_>) -> bool {
    blocks(case).any(|parsed| sentences(parsed).next().is_some())
}

/// Sentences of plain blocks that no source holds as they stand.
pub(super) fn unread(case: &Case<'_>) -> Vec<Finding> {
    let index = case.judge.index();
    let mut found = Vec::new();
    for parsed in blocks(case) {
        for line in sentences(parsed) {
            let words = index.analyse(line, None);
            if !index.passages.iter().any(|passage| passage.quotes(&words)) {
                let detail = format!("no source holds this line of a plain block: {}", clip(line));
                found.push(finding(CheckName::ClaimSupport.as_str(), detail, span(case, parsed)));
            }
        }
    }
    found
}

/// Whether a line of a program is written as a sentence: commands begin in lower case and end without a full stop.
fn is_written(line: &str) -> bool {
    line.starts_with(char::is_uppercase) || line.ends_with(['.', '!', '?'])
}

/// Whether a line reads as a sentence, and not as a row, a setting or a line of a log.
pub(super) fn is_sentence(line: &str) -> bool {
    let line = line.trim();
    let letters = line.chars().filter(|c| c.is_alphabetic() || *c == ' ').count();
    line.split_whitespace().count() >= WORDS && letters * 100 >= line.chars().count() * LETTERS
}
