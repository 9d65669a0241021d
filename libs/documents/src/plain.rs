//! Running text: paragraphs, list items, underlined or capital titles, and indented code below a line that ends in `:`.

use assay_domain::LineRange;

use crate::builder::{Builder, MAX_DEPTH};
use crate::inline::Inline;
use crate::{Kind, WarningKind};

/// Indentation of code, in characters.
const CODE: usize = 4;
/// Longest title, in characters.
const MAX_TITLE: usize = 80;
/// Least letters of a title in capitals.
const MIN_LETTERS: usize = 4;

/// Reads a page.
pub(crate) fn read(builder: &mut Builder<'_>) {
    let text = builder.text;
    let lines: Vec<&str> = text.lines().collect();
    let mut reader = Reader { builder, open: None, items: Vec::new(), after_blank: true };
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        at += reader.line(line, lines.get(at..).unwrap_or(&[]), u32::try_from(at + 1).unwrap_or(u32::MAX));
    }
    reader.flush();
}

/// An item whose list is open.
struct Item {
    /// Characters before its mark, and before its words.
    indent: usize,
    words: usize,
    group: u32,
    lead: Option<usize>,
    number: Option<u32>,
    block: Option<usize>,
}

/// A paragraph or item that is being collected.
struct Open {
    inline: Inline,
    lines: LineRange,
    is_item: bool,
}

struct Reader<'b, 't> {
    builder: &'b mut Builder<'t>,
    open: Option<Open>,
    items: Vec<Item>,
    after_blank: bool,
}

impl<'t> Reader<'_, 't> {
    /// Reads a line, and those below it that belong to it; gives their number.
    fn line(&mut self, line: &'t str, rest: &[&'t str], number: u32) -> usize {
        if line.trim().is_empty() {
            self.flush();
            self.after_blank = true;
            return 1;
        }
        let after_blank = std::mem::take(&mut self.after_blank);
        let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
        if after_blank {
            if let Some(level) = title(line, rest) {
                return self.heading(line, level, number);
            }
            let inside =
                self.items.iter().rev().find(|item| item.words <= indent).map_or(0, |item| item.words);
            if indent >= inside + CODE && mark(line).is_none() && self.builder.lead().is_some() {
                return self.code(rest, indent, number);
            }
        }
        let ends_in_colon = || self.open.as_ref().is_some_and(|open| open.inline.text().ends_with(':'));
        let in_list = !after_blank && self.open.as_ref().is_some_and(|open| open.is_item);
        if let Some(mark) = mark(line).filter(|_| after_blank || in_list || ends_in_colon())
            && self.begins(indent, mark)
        {
            self.item(line, indent, mark, number);
        } else {
            self.text(line, indent, after_blank, number);
        }
        1
    }

    /// Whether a number begins a list or goes on with one; a bullet always does.
    fn begins(&self, indent: usize, (number, _): (Option<u32>, usize)) -> bool {
        let before = self.items.iter().rev().find(|item| item.indent == indent).and_then(|item| item.number);
        number.is_none_or(|number| number <= 1 || before.is_some_and(|before| before + 1 == number))
    }

    fn heading(&mut self, line: &str, level: u8, number: u32) -> usize {
        self.items.clear();
        let mut inline = Inline::default();
        inline.push(line, number);
        let taken = if level == CAPITALS { 1 } else { 2 };
        let last = number.saturating_add(taken - 1);
        self.builder.heading(level, inline, LineRange::new(number, last), None);
        self.after_blank = true;
        taken as usize
    }

    fn code(&mut self, rest: &[&'t str], indent: usize, number: u32) -> usize {
        let inside = |line: &&&str| line.trim().is_empty() || indent_of(line) >= indent.min(CODE);
        let taken = rest.iter().take_while(inside).collect::<Vec<_>>();
        let count = taken.iter().rposition(|line| !line.trim().is_empty()).map_or(1, |last| last + 1);
        let lines = taken.get(..count).unwrap_or(&[]);
        let least = lines
            .iter()
            .filter(|line| !line.trim().is_empty())
            .map(|line| indent_of(line))
            .min()
            .unwrap_or(0);
        let code: Vec<&str> = lines.iter().map(|line| line.get(least..).unwrap_or("").trim_end()).collect();
        let last = number.saturating_add(u32::try_from(count - 1).unwrap_or(0));
        let lead = self.builder.lead();
        self.builder.code("", &code.join("\n"), number, LineRange::new(number, last), lead);
        count
    }

    fn item(&mut self, line: &'t str, indent: usize, (number, length): (Option<u32>, usize), at: u32) {
        self.flush();
        while self.items.last().is_some_and(|item| item.indent > indent) {
            self.items.pop();
        }
        let words = line.get(indent + length..).unwrap_or("");
        let place = indent + length + (words.len() - words.trim_start().len());
        match self
            .items
            .last_mut()
            .filter(|item| item.indent == indent && item.number.is_some() == number.is_some())
        {
            Some(item) => (item.words, item.number) = (place, number),
            None => {
                self.items.retain(|item| item.indent < indent);
                if self.items.len() >= MAX_DEPTH {
                    self.builder.warn(
                        at,
                        WarningKind::TooDeep,
                        format!("lists beyond {MAX_DEPTH} levels are not kept"),
                    );
                    self.items.pop();
                }
                let above = self.items.last().and_then(|item| item.block);
                let lead = above.or_else(|| self.builder.lead());
                let group = self.builder.group();
                self.items.push(Item { indent, words: place, group, lead, number, block: None });
            }
        }
        self.push(words, at, true);
    }

    fn text(&mut self, line: &'t str, indent: usize, after_blank: bool, number: u32) {
        if after_blank {
            self.items.retain(|item| item.words <= indent);
        }
        self.push(line, number, false);
    }

    fn push(&mut self, words: &str, number: u32, is_item: bool) {
        let new = || Open { inline: Inline::default(), lines: LineRange::new(number, number), is_item };
        let open = self.open.get_or_insert_with(new);
        open.inline.push(words, number);
        open.inline.space();
        open.lines.last = number;
    }

    fn flush(&mut self) {
        let Some(Open { inline, lines, is_item }) = self.open.take() else { return };
        let depth = u8::try_from(self.items.len()).unwrap_or(u8::MAX);
        match self.items.last_mut() {
            Some(item) if is_item => {
                let kind = Kind::Item { depth, number: item.number, ticked: None };
                item.block = self.builder.block(kind, inline, lines, item.group, item.lead);
            }
            item => {
                let lead = item.and_then(|item| item.block);
                self.builder.block(Kind::Paragraph, inline, lines, 0, lead);
            }
        }
    }
}

/// Level of a title in capitals.
const CAPITALS: u8 = 4;

/// Level of a line that is a title: underlined as long as it is, or alone and in capitals.
fn title(line: &str, rest: &[&str]) -> Option<u8> {
    let length = line.trim_end().chars().count();
    if line.starts_with([' ', '\t']) || length > MAX_TITLE || mark(line).is_some() {
        return None;
    }
    let under = rest.get(1).map_or("", |under| under.trim_end());
    let level = match under.as_bytes().first() {
        Some(b'=') => 1,
        Some(b'-') => 2,
        Some(b'~') => 3,
        _ => CAPITALS,
    };
    if level < CAPITALS {
        let exact = length > 2
            && under.len() == length
            && under.bytes().all(|byte| Some(&byte) == under.as_bytes().first());
        return (exact && line.chars().any(char::is_alphanumeric)).then_some(level);
    }
    let letters = line.chars().filter(|c| c.is_uppercase()).count();
    let shouts = under.is_empty() && letters >= MIN_LETTERS && !line.chars().any(char::is_lowercase);
    (shouts && !line.trim_end().ends_with(['.', ',', ';', ':', '!', '?'])).then_some(CAPITALS)
}

/// Number and length of the mark of an item.
fn mark(line: &str) -> Option<(Option<u32>, usize)> {
    let line = line.trim_start_matches([' ', '\t']);
    let (mark, words) = line.split_once(' ')?;
    if words.trim().is_empty() {
        return None;
    }
    if matches!(mark, "-" | "*" | "•") {
        return Some((None, mark.len()));
    }
    let digits = mark.strip_suffix(['.', ')']).filter(|digits| digits.len() <= 3)?;
    digits.parse().ok().map(|number| (Some(number), mark.len()))
}

fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}
