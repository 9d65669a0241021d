//! `duplicate` and `contradiction`: what pages say twice, in the same words or in all but one.

use std::collections::HashMap;

use assay_documents::{Block, Style};
use assay_domain::LineRange;
use assay_text::hash::{hash, pair};
use assay_text::{normalize, sentences};

use crate::page::Page;
use crate::{Finding, Place, Rule};

/// Bytes from which on a repetition is a finding; shorter blocks are set phrases and commands.
const LEAST_BYTES: usize = 200;

/// Least tokens that two sentences share to be about the same thing.
const LEAST_TOKENS: usize = 6;

/// Words of which one denies the other.
const PAIRS: [[&str; 2]; 5] =
    [["true", "false"], ["yes", "no"], ["on", "off"], ["enabled", "disabled"], ["always", "never"]];

/// Passages that repeat an earlier one. Adjacent ones that repeat adjacent ones are one finding.
pub(crate) fn duplicates(pages: &[Page<'_>]) -> Vec<Finding> {
    let mut first: HashMap<String, (usize, usize)> = HashMap::new();
    let mut found: Vec<Finding> = Vec::new();
    for (at, page) in pages.iter().enumerate() {
        let mut last: Option<(usize, (usize, usize))> = None;
        for (number, block) in page.blocks.iter().enumerate() {
            let words = normalize(&block.text);
            if words.len() < LEAST_BYTES {
                continue;
            }
            let seen = *first.entry(words).or_insert((at, number));
            if seen == (at, number) {
                continue;
            }
            let original = &pages[seen.0];
            let place = original.place(original.blocks[seen.1].lines);
            let follows =
                last.is_some_and(|(before, other)| before + 1 == number && (other.0, other.1 + 1) == seen);
            match found.last_mut().filter(|_| follows) {
                Some(finding) => {
                    finding.place.lines.last = block.lines.last;
                    for related in &mut finding.related {
                        related.lines.last = place.lines.last;
                    }
                }
                None => found.push(Finding {
                    rule: Rule::Duplicate,
                    place: page.place(block.lines),
                    message: format!("repeats {}", named(&place)),
                    related: vec![place],
                }),
            }
            last = Some((number, seen));
        }
    }
    found
}

/// A sentence without one of its tokens: hashes of the tokens before and behind it, and what is missing there.
#[derive(PartialEq, Eq, Hash)]
struct Frame {
    before: u64,
    behind: u64,
    missing: Value,
}

/// What a token may be to be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Value {
    Figure,
    /// A word of this pair.
    Word(usize),
}

/// Sentences that differ from one of another page in one figure, or in one word of a pair.
pub(crate) fn contradictions(pages: &[Page<'_>]) -> Vec<Finding> {
    // Two statements with different values, of different pages: one of them differs from any third.
    let mut known: HashMap<Frame, Vec<(String, Place)>> = HashMap::new();
    let mut found = Vec::new();
    for page in pages {
        let name = path_parts(page.path);
        for (tokens, line) in page.blocks.iter().filter(|block| block.is_prose()).flat_map(stated) {
            let place = page.place(LineRange::new(line, line));
            let chained =
                |sum: &mut u64, token: &String| Some(std::mem::replace(sum, pair(*sum, hash(token))));
            let mut behind: Vec<u64> = tokens.iter().rev().scan(0, chained).collect();
            behind.reverse();
            let before = tokens.iter().scan(0, chained);
            for ((token, before), behind) in tokens.iter().zip(before).zip(behind) {
                // What tells the pages apart by name is what they are about.
                let value = value(token).filter(|_| !name.contains(&path_parts(token)));
                let Some(missing) = value else { continue };
                let others = known.entry(Frame { before, behind, missing }).or_default();
                let differing = |(other, there): &&(String, Place)| other != token && there.path != page.path;
                let differing = others.iter().find(differing);
                if let Some((other, there)) = differing {
                    let message = format!("`{token}` here, `{other}` in {}", named(there));
                    let related = vec![there.clone()];
                    found.push(Finding { rule: Rule::Contradiction, place: place.clone(), message, related });
                }
                if others.is_empty() || (others.len() == 1 && differing.is_some()) {
                    others.push((token.clone(), place.clone()));
                }
            }
        }
    }
    found
}

/// The sentences of a block that are long enough, as tokens, each with its line.
fn stated(block: &Block) -> Vec<(Vec<String>, u32)> {
    let code = block.spans.iter().filter(|span| span.style == Style::Code).map(|span| span.range.clone());
    let code: Vec<_> = code.collect();
    let sentences = sentences::split(&block.text, &code, &[]);
    let tokens = |text: &str| -> Vec<String> {
        let edge = |c: char| c.is_ascii_punctuation() && !matches!(c, '-' | '%' | '$' | '/' | '#');
        let words = normalize(text);
        words
            .split(' ')
            .map(|word| word.trim_matches(edge).to_owned())
            .filter(|word| !word.is_empty())
            .collect()
    };
    let sentences =
        sentences.into_iter().map(|span| (tokens(&block.text[span.clone()]), block.line_at(span.start)));
    sentences.filter(|(tokens, _)| tokens.len() > LEAST_TOKENS).collect()
}

/// A path or a value with each part between dashes, and no `v` before a figure: `-docs-upgrade-3-1-md-`.
fn path_parts(text: &str) -> String {
    let parts = text.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty());
    let parts = parts.map(|part| part.strip_prefix('v').filter(|rest| is_figure(rest)).unwrap_or(part));
    format!("-{}-", parts.collect::<Vec<_>>().join("-").to_lowercase())
}

fn value(token: &str) -> Option<Value> {
    let word = || PAIRS.iter().position(|pair| pair.contains(&token)).map(Value::Word);
    if is_figure(token) { Some(Value::Figure) } else { word() }
}

fn is_figure(token: &str) -> bool {
    token.trim_start_matches(['-', '$']).starts_with(|c: char| c.is_ascii_digit())
}

/// A place, as a message names it.
fn named(place: &Place) -> String {
    format!("{}:{}", place.path, place.lines.first)
}
