//! Lists: bullets, numbers, definitions and blocks of lines.

use assay_domain::LineRange;

use super::Reader;
use super::line::{Line, blanks, block, dedent, hanging, indented, range};
use super::place::{Pending, Place, Terms};
use super::title::{adornment, title};
use crate::inline::Inline;

/// A number or letter before an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Enumerator<'a> {
    /// What stands before and after it.
    format: (&'a str, &'a str),
    text: &'a str,
    /// Bytes up to the text of the item.
    width: usize,
}

impl Reader<'_, '_> {
    /// Reads a bullet list.
    pub(super) fn bullets(&mut self, rest: &[Line<'_>], place: &mut Place) -> Option<usize> {
        let (mark, _) = bullet(rest.first()?.text)?;
        let (lead, group) = (self.lead(place), self.builder.group());
        let mut at = 0;
        while let Some(below) = rest.get(at..) {
            let Some((_, width)) =
                below.first().and_then(|line| bullet(line.text)).filter(|(next, _)| *next == mark)
            else {
                break;
            };
            at += self.item(below, width, None, group, lead, place);
        }
        Some(at)
    }

    /// Reads a list of numbers or letters.
    pub(super) fn enumerated(&mut self, rest: &[Line<'_>], place: &mut Place) -> Option<usize> {
        let first = enumerator(rest.first()?.text)?;
        let mut number = ordinal(first.text, None)?;
        let next = rest.get(1);
        let goes_on =
            next.and_then(|line| enumerator(line.text)).is_some_and(|next| follows(&first, &next, number));
        if !goes_on && !next.is_none_or(|line| line.blank() || line.indent() > 0) {
            return None;
        }
        let (lead, group) = (self.lead(place), self.builder.group());
        let mut at = self.item(rest, first.width, Some(number), group, lead, place);
        while let Some(next) = rest.get(at).and_then(|line| enumerator(line.text)) {
            if !follows(&first, &next, number) {
                break;
            }
            number += 1;
            at += self.item(rest.get(at..)?, next.width, Some(number), group, lead, place);
        }
        Some(at)
    }

    /// Reads an item; gives its lines and the blank ones after it.
    fn item(
        &mut self,
        rest: &[Line<'_>],
        width: usize,
        number: Option<u32>,
        group: u32,
        lead: Option<usize>,
        place: &Place,
    ) -> usize {
        let bare = rest.first().is_none_or(|line| line.text.len() <= width);
        let (lines, taken) = hanging(rest, width, if bare { 1 } else { width });
        let line = rest.first().map_or(1, |line| line.number);
        let inner = place.holding(Pending::Item { number, group, line });
        self.inside(&lines, Place { lead, lists: place.lists.saturating_add(1), ..inner });
        taken + blanks(rest.get(taken..).unwrap_or(&[]))
    }

    /// Reads a definition list.
    pub(super) fn defined(&mut self, rest: &[Line<'_>], place: &mut Place) -> Option<usize> {
        let begins = |rest: &[Line<'_>]| {
            rest.first().is_some_and(|line| line.indent() == 0 && !line.blank())
                && rest.get(1).is_some_and(|line| line.indent() > 0)
        };
        if !begins(rest) {
            return None;
        }
        let (lead, group) = (self.lead(place), self.builder.group());
        let mut at = 0;
        while let Some(below) = rest.get(at..).filter(|below| begins(below) && (at == 0 || plain(below))) {
            at += self.described(below, 1, group, lead, place);
        }
        Some(at)
    }

    /// Reads terms and their description; gives their lines and the blank ones after them.
    pub(super) fn described(
        &mut self,
        rest: &[Line<'_>],
        terms: usize,
        group: u32,
        lead: Option<usize>,
        place: &Place,
    ) -> usize {
        let (above, below) = rest.split_at_checked(terms).unwrap_or((rest, &[]));
        let mut words = Inline::default();
        for (index, term) in above.iter().enumerate() {
            if index > 0 {
                words.push(", ", term.number);
            }
            let inline = self.inline(&[*term]);
            words.append(inline);
        }
        let inside = indented(below, 1);
        let lines = dedent(below.get(..inside).unwrap_or(below));
        let pending = Pending::Terms(vec![Terms { words, group, lines: range(above), bare: false }]);
        self.inside(&lines, Place { lead, ..place.holding(pending) });
        let taken = terms + inside;
        taken + blanks(rest.get(taken..).unwrap_or(&[]))
    }

    /// Reads lines that keep their breaks.
    pub(super) fn line_block(&mut self, rest: &[Line<'_>], place: &mut Place) -> Option<usize> {
        let marked = |line: &Line<'_>| line.text == "|" || line.text.starts_with("| ");
        rest.first().filter(|line| marked(line))?;
        let lines = rest.get(..block(rest))?;
        let inside = lines.iter().position(|line| !marked(line) && line.indent() == 0).unwrap_or(lines.len());
        let lines = lines.get(..inside)?;
        let mut all = Inline::default();
        let mut at = 0;
        while let Some(line) = lines.get(at) {
            let more = lines.iter().skip(at + 1).take_while(|line| !marked(line)).count();
            let mut words = vec![line.after(1)];
            words.extend(lines.iter().skip(at + 1).take(more).map(|line| line.after(0)));
            all.line_break();
            let inline = self.inline(&words);
            all.append(inline);
            at += 1 + more;
        }
        self.paragraph(all, range(lines), place);
        Some(inside)
    }
}

/// Mark of a bullet and the bytes up to the text of its item.
pub(super) fn bullet(text: &str) -> Option<(char, usize)> {
    let mark = text.chars().next().filter(|c| matches!(c, '-' | '*' | '+' | '•' | '‣' | '⁃'))?;
    let after = text.get(mark.len_utf8()..)?;
    let item = after.trim_start();
    (after.is_empty() || item.len() < after.len()).then_some((mark, text.len() - item.len()))
}

/// Whether a line begins no construct of its own, so that it may be a term.
fn plain(rest: &[Line<'_>]) -> bool {
    let Some(line) = rest.first() else { return false };
    let text = line.text;
    bullet(text).is_none()
        && super::fields::field(text).is_none()
        && super::fields::option(text).is_none()
        && !["..", "__ ", ">>> ", "| ", "+-"].iter().any(|mark| text.starts_with(mark))
        && enumerator(text).and_then(|mark| ordinal(mark.text, None)).is_none()
        && adornment(text).is_none_or(|_| title(rest).is_none())
}

/// The number or letter before an item: `1.`, `a)`, `(i)`, `#.`.
fn enumerator(text: &str) -> Option<Enumerator<'_>> {
    let (open, inside) = match text.strip_prefix('(') {
        Some(inside) => ("(", inside),
        None => ("", text),
    };
    let end =
        inside.find(|c: char| !c.is_ascii_alphanumeric() && c != '#').filter(|end| (1..=12).contains(end))?;
    let (number, after) = inside.split_at_checked(end)?;
    let close =
        after.get(..1).filter(|close| matches!(*close, ")" | ".") && (open.is_empty() || *close == ")"))?;
    let after = after.get(1..)?;
    let item = after.trim_start();
    let spaced = after.is_empty() || item.len() < after.len();
    spaced.then_some(Enumerator { format: (open, close), text: number, width: text.len() - item.len() })
}

/// Place of a number, `#`, letter or Roman number in its sequence; `after` is the place before it.
fn ordinal(text: &str, after: Option<u32>) -> Option<u32> {
    let first = text.chars().next()?;
    let expected = after.map(|after| after + 1);
    if text == "#" {
        return Some(expected.unwrap_or(1));
    }
    if first.is_ascii_digit() {
        return text.parse().ok();
    }
    let cased = text.bytes().all(|byte| byte.is_ascii_lowercase())
        || text.bytes().all(|byte| byte.is_ascii_uppercase());
    let letter = (text.len() == 1).then(|| u32::from(first.to_ascii_lowercase()) - u32::from('a') + 1);
    let numeral = roman(text);
    match expected {
        _ if !cased => None,
        Some(_) => [letter, numeral].into_iter().flatten().find(|number| Some(*number) == expected),
        None if matches!(text, "i" | "I") => Some(1),
        None => letter.or(numeral),
    }
}

/// Whether an enumerator is the next one of a list.
fn follows(first: &Enumerator<'_>, next: &Enumerator<'_>, number: u32) -> bool {
    let digits = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
    let alike = next.text == "#" || first.text == "#" || digits(first.text) == digits(next.text);
    first.format == next.format
        && alike
        && number < u32::MAX
        && ordinal(next.text, Some(number)) == Some(number + 1)
}

/// Value of a Roman number.
fn roman(text: &str) -> Option<u32> {
    let value = |c: char| {
        let marks = [('i', 1), ('v', 5), ('x', 10), ('l', 50), ('c', 100), ('d', 500), ('m', 1000)];
        marks.iter().find(|(mark, _)| *mark == c.to_ascii_lowercase()).map(|(_, value)| *value)
    };
    let values: Vec<u32> = text.chars().map(value).collect::<Option<_>>()?;
    let after = values.iter().skip(1).chain([&0]);
    let sum = values.iter().zip(after).fold(0_i64, |sum, (value, next)| {
        sum + if value < next { -i64::from(*value) } else { i64::from(*value) }
    });
    u32::try_from(sum).ok().filter(|sum| *sum > 0)
}

/// First and last line, from one above on.
pub(super) fn from_line(first: u32, lines: &[Line<'_>]) -> LineRange {
    LineRange::new(first, range(lines).last.max(first))
}
