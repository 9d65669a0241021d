//! Outline of a document: its blocks say where it may be cut, and what must stay together.

use std::collections::{HashMap, HashSet};

use assay_documents::{Block, Document, Kind};

use crate::{Cut, Lines, Outline, Path, Worth};

/// Bytes of hidden lines between two blocks that a passage may hold: a directive, a comment, a few tags. Longer stretches
/// are navigation, scripts or outputs of a notebook.
pub(crate) const MAX_GAP_BYTES: usize = 512;

/// Cut marks, heading paths and title of a document that was read.
pub(crate) fn outline(text: &str, lines: &Lines, document: &Document) -> Outline {
    let count = lines.len();
    let mut outline = Outline {
        title: document.title.clone(),
        tags: document.tags.clone(),
        worth: vec![Worth::Bare; count],
        leads: vec![false; count],
        ..Outline::of(lines)
    };
    let own: Vec<&Block> = document.blocks.iter().filter(|block| block.file.is_none()).collect();
    for block in &own {
        let (first, last) = range(block, count);
        outline.worth[first..=last].fill(Worth::Text);
        outline.leads[last] = leads(block);
    }
    // Last line of the rows of each table so far.
    let mut tables: HashMap<u32, usize> = HashMap::new();
    let mut section = usize::MAX;
    let mut groups = HashSet::new();
    for block in &own {
        let (first, last) = range(block, count);
        let start = above(text, lines, &outline, first);
        // Without its directive a passage would be read as something else; a tag alone tells nothing.
        if start < first && !lines.line(text, start).trim_start().starts_with('<') {
            outline.worth[start..first].fill(Worth::Text);
        }
        outline.mark(start, cut(document, block, &mut groups));
        if matches!(block.kind, Kind::Code { .. } | Kind::Definition { .. } | Kind::Heading { .. }) {
            outline.keep_whole(start, last);
        } else if start < first {
            outline.keep_whole(start, first);
        }
        if matches!(block.kind, Kind::Row { .. }) {
            outline.keep_whole(tables.get(&block.group).copied().unwrap_or(start), last);
            tables.insert(block.group, last);
        }
        if block.section != section {
            section = block.section;
            let path = document
                .sections
                .get(section)
                .map(|section| Path { headings: section.headings.clone(), anchor: section.anchor.clone() });
            outline.paths.push((start, path.unwrap_or_default()));
        }
    }
    outline.paths.sort_by_key(|(line, _)| *line);
    let front = document.front_matter_lines as usize;
    let edge = own.iter().map(|block| range(block, count).0).min().unwrap_or(count).min(front);
    outline.worth[..edge].fill(Worth::Out);
    leave_out_gaps(text, lines, &mut outline);
    outline
}

/// First and last line of a block, from 0.
fn range(block: &Block, count: usize) -> (usize, usize) {
    let most = count.saturating_sub(1);
    let first = (block.lines.first.max(1) as usize - 1).min(most);
    (first, (block.lines.last.max(1) as usize - 1).clamp(first, most))
}

/// How well the file may be cut before a block. What an item or a definition holds stays with it as long as it can.
fn cut(document: &Document, block: &Block, groups: &mut HashSet<u32>) -> Cut {
    let lead = block.lead.and_then(|lead| document.blocks.get(lead));
    let held = lead.is_some_and(|lead| matches!(lead.kind, Kind::Item { .. } | Kind::Definition { .. }));
    let first = block.group == 0 || groups.insert(block.group);
    match &block.kind {
        Kind::Heading { .. } => Cut::Section,
        Kind::Item { .. } | Kind::Definition { .. } if held || !first => Cut::Inner,
        _ if held || !first => Cut::Line,
        _ => Cut::Block,
    }
}

/// Whether the next block belongs to a block: it is a heading, or introduces something.
fn leads(block: &Block) -> bool {
    let introduces = !matches!(block.kind, Kind::Code { .. }) && block.text.ends_with([':', '：']);
    introduces || matches!(block.kind, Kind::Heading { .. } | Kind::Caption)
}

/// The line at which hidden lines begin that belong to the block below them: a directive, an opening tag. Lines that
/// close something belong to the block above.
fn above(text: &str, lines: &Lines, outline: &Outline, first: usize) -> usize {
    let mut start = first;
    for line in (0..first).rev().take_while(|line| outline.worth(*line) == Worth::Bare) {
        if lines.between(line, first) > MAX_GAP_BYTES {
            return first;
        }
        let shown = lines.line(text, line).trim();
        let closes = shown.starts_with("</") || shown.chars().all(|c| c.is_ascii_punctuation());
        if !shown.is_empty() && !closes {
            start = line;
        }
    }
    start
}

/// Takes long hidden stretches out, so that no passage goes over them.
fn leave_out_gaps(text: &str, lines: &Lines, outline: &mut Outline) {
    let mut line = 0;
    while line < lines.len() {
        let end = (line..lines.len()).find(|at| outline.worth(*at) != Worth::Bare).unwrap_or(lines.len());
        let bytes: usize = (line..end).map(|at| lines.line(text, at).trim().len()).sum();
        if bytes > MAX_GAP_BYTES {
            outline.worth[line..end].fill(Worth::Out);
        }
        line = end + 1;
    }
}
