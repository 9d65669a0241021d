//! Windows: runs of neighbouring sentences of a section, with the list or the code that belongs to them. One is an answer.

use std::collections::BTreeSet;

use super::form::{announces_code, dangles};
use super::passage::{Passages, Shape};
use super::terms::words;
use assay_text::fold;

/// Most sentences of a window; a list counts as one.
const SENTENCES: usize = 5;
/// Most words of a window, unless one piece alone has more.
const WORDS: usize = 130;
/// Most items of a list that is taken over whole; the items of a longer one stand alone.
const ITEMS: usize = 12;
/// Most words of such a list.
const LIST_WORDS: usize = 160;
/// Longest code block that is taken over, in lines.
const CODE_LINES: usize = 30;

/// Neighbouring units of one section, with code blocks.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Window {
    /// Indexes of units, never empty.
    pub(crate) units: BTreeSet<usize>,
    /// Indexes of fences.
    pub(crate) fences: BTreeSet<usize>,
}

impl Window {
    /// Index of the first unit.
    pub(crate) fn first(&self) -> usize {
        self.units.first().copied().unwrap_or_default()
    }
}

/// A piece of a section that is taken over whole.
struct Element {
    units: Vec<usize>,
    fence: Option<usize>,
    words: usize,
    /// The sentence that must come along.
    lead: Option<usize>,
    /// Whether it means nothing without what follows.
    leads: bool,
    /// Whether it means little without what stands before.
    dangles: bool,
}

/// Every window of the passages, in reading order. Code only if it is wanted.
pub(crate) fn windows(passages: &Passages, with_code: bool) -> Vec<Window> {
    let mut out = BTreeSet::new();
    for section in 0..passages.sections.len() {
        let elements = elements(passages, section);
        for start in 0..elements.len() {
            if elements[start].fence.is_some() || (elements[start].dangles && start > 0) {
                continue;
            }
            let mut window = Window::default();
            let (mut sentences, mut length) = (0, 0);
            for element in &elements[start..] {
                match element.fence {
                    Some(fence) if with_code => {
                        window.fences.insert(fence);
                    }
                    Some(_) => continue,
                    None => {
                        sentences += 1;
                        length += element.words;
                        if !window.units.is_empty() && (sentences > SENTENCES || length > WORDS) {
                            break;
                        }
                        window.units.extend(element.units.iter().chain(&element.lead));
                    }
                }
                if !element.leads {
                    out.insert(window.clone());
                }
            }
        }
    }
    out.into_iter().collect()
}

/// The pieces of a section in reading order.
fn elements(passages: &Passages, section: usize) -> Vec<Element> {
    let units: Vec<usize> =
        (0..passages.units.len()).filter(|&unit| passages.units[unit].section == section).collect();
    let count = |of: &[usize]| of.iter().map(|&unit| words(&passages.units[unit].text).len()).sum::<usize>();
    let mut out: Vec<(usize, Element)> = Vec::new();
    let mut at = 0;
    while at < units.len() {
        let unit = &passages.units[units[at]];
        let list: Vec<usize> = match unit.shape {
            Shape::Item { list, depth } => list_from(passages, &units[at..], list, depth),
            _ => Vec::new(),
        };
        let items =
            list.iter().filter(|&&unit| matches!(passages.units[unit].shape, Shape::Item { .. })).count();
        let whole = items > 1 && items <= ITEMS && count(&list) <= LIST_WORDS;
        let taken = if whole { list } else { vec![units[at]] };
        let lead = match unit.shape {
            Shape::Item { .. } => lead(passages, &units[..at]),
            _ => None,
        };
        out.push((
            unit.block,
            Element {
                words: count(&taken),
                lead,
                leads: !whole && (unit.leads() || announces_code(unit)),
                dangles: dangles(&fold(&unit.text)),
                fence: None,
                units: taken.clone(),
            },
        ));
        at += taken.len();
    }
    for (index, fence) in passages.fences.iter().enumerate().filter(|(_, fence)| fence.section == section) {
        if fence.code.lines().count() <= CODE_LINES {
            out.push((
                fence.block,
                Element {
                    units: Vec::new(),
                    fence: Some(index),
                    words: 0,
                    lead: None,
                    leads: false,
                    dangles: false,
                },
            ));
        }
    }
    out.sort_by_key(|(block, _)| *block);
    out.into_iter().map(|(_, element)| element).collect()
}

/// The items of a list from its first on, with what is nested and with further sentences of an item.
fn list_from(passages: &Passages, units: &[usize], list: usize, depth: usize) -> Vec<usize> {
    let mut block = usize::MAX;
    units
        .iter()
        .copied()
        .take_while(|&unit| match passages.units[unit].shape {
            Shape::Item { list: other, depth: deeper } => {
                block = passages.units[unit].block;
                other == list || deeper > depth
            }
            _ => passages.units[unit].block == block,
        })
        .collect()
}

/// The sentence that introduces the list whose item comes next.
fn lead(passages: &Passages, before: &[usize]) -> Option<usize> {
    let unit = before.iter().copied().rev().find(|&unit| {
        let unit = &passages.units[unit];
        matches!(unit.shape, Shape::Sentence) && (unit.leads() || unit.ordinal == 0)
    })?;
    passages.units[unit].leads().then_some(unit)
}
