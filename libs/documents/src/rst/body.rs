//! Body elements: sections, paragraphs, quotations, literal blocks, and which construct begins at a line.

use assay_domain::LineRange;

use super::Reader;
use super::line::{Line, blanks, block, dedent, indented, joined, range};
use super::place::Place;
use super::title::{adornment, title};
use crate::builder::MAX_DEPTH;
use crate::{WarningKind, anchors};

/// Reads a construct at the first of some lines; gives how many it takes, none if it does not begin there.
type Construct<'b, 't> = for<'l> fn(&mut Reader<'b, 't>, &[Line<'l>], &mut Place) -> Option<usize>;

impl<'b, 't> Reader<'b, 't> {
    /// Reads lines.
    pub(super) fn body(&mut self, lines: &[Line<'_>], place: &mut Place) {
        if place.depth > MAX_DEPTH {
            return self.flat(lines, place);
        }
        let mut at = 0;
        while let Some(rest) = lines.get(at..).filter(|rest| !rest.is_empty()) {
            at += match blanks(rest) {
                0 => self.element(rest, place).max(1),
                blank => blank,
            };
        }
    }

    /// Reads lines inside of a place, and adds what they leave waiting.
    pub(super) fn inside(&mut self, lines: &[Line<'_>], mut place: Place) -> Option<usize> {
        self.body(lines, &mut place);
        self.settle(&mut place);
        place.lead
    }

    fn element(&mut self, rest: &[Line<'_>], place: &mut Place) -> usize {
        let constructs: [Construct<'b, 't>; 11] = [
            Self::quotation,
            Self::bullets,
            Self::enumerated,
            Self::fields,
            Self::options,
            Self::doctest,
            Self::grid,
            Self::simple,
            Self::line_block,
            Self::explicit,
            Self::section,
        ];
        constructs.iter().find_map(|read| read(self, rest, place)).unwrap_or_else(|| self.text(rest, place))
    }

    /// Keeps the words of lines that are nested too deeply.
    fn flat(&mut self, lines: &[Line<'_>], place: &mut Place) {
        let range = range(lines);
        if !std::mem::replace(&mut self.too_deep, true) {
            let message = "nested beyond what is read; the words are kept".to_owned();
            self.builder.warn(range.first, WarningKind::TooDeep, message);
        }
        let inline = self.inline(lines);
        self.paragraph(inline, range, place);
    }

    /// Reads indented lines: a quotation.
    fn quotation(&mut self, rest: &[Line<'_>], place: &mut Place) -> Option<usize> {
        rest.first().filter(|line| line.indent() > 0)?;
        let inside = indented(rest, 1);
        let mut inner = Place { pending: place.pending.take(), ..place.inner() };
        self.body(&attributed(dedent(rest.get(..inside)?)), &mut inner);
        place.pending = inner.pending;
        place.lead = inner.lead;
        Some(inside)
    }

    /// Reads a title, or a line between paragraphs.
    fn section(&mut self, rest: &[Line<'_>], place: &mut Place) -> Option<usize> {
        let Some(title) = title(rest) else {
            let first = rest.first()?;
            let ruled = adornment(first.text).is_some() && first.text.len() >= 4;
            return (ruled && rest.get(1).is_none_or(Line::blank)).then_some(1);
        };
        let words = super::text::unescaped(title.text.text);
        let inline = self.inline(&[title.text]);
        let first = rest.first()?.number;
        let lines = LineRange::new(first, rest.get(title.lines - 1)?.number);
        if !place.titles {
            self.paragraph(inline, lines, place);
            return Some(title.lines);
        }
        self.settle(place);
        let level = self.styles.iter().position(|style| *style == title.style).unwrap_or_else(|| {
            self.styles.push(title.style);
            self.styles.len() - 1
        });
        let id =
            self.unique(anchors::docutils(if inline.text().is_empty() { &words } else { inline.text() }));
        *place = Place { lead: None, ..place.clone() };
        self.builder.heading(u8::try_from(level + 1).unwrap_or(u8::MAX), inline, lines, Some(&id));
        Some(title.lines)
    }

    /// An id that the page has not given yet.
    fn unique(&mut self, id: String) -> String {
        if !id.is_empty() && self.ids.insert(id.clone()) {
            return id;
        }
        self.serial += 1;
        format!("id{}", self.serial)
    }

    /// Reads a paragraph or an item of a definition list.
    fn text(&mut self, rest: &[Line<'_>], place: &mut Place) -> usize {
        if let Some(taken) = self.defined(rest, place) {
            return taken;
        }
        let end = rest.iter().position(|line| line.blank() || line.indent() > 0).unwrap_or(rest.len()).max(1);
        let mut lines = rest.get(..end).unwrap_or(rest).to_vec();
        let range = range(&lines);
        let literal = lines.last_mut().is_some_and(literal_follows);
        lines.retain(|line| !line.blank());
        if !self.image_alone(&lines, range, place) {
            let inline = self.inline(&lines);
            self.paragraph(inline, range, place);
        }
        match literal {
            true => end + self.literal(rest.get(end..).unwrap_or(&[]), place),
            false => end,
        }
    }

    /// Reads a literal block: indented lines, or lines that begin with the same mark.
    fn literal(&mut self, rest: &[Line<'_>], place: &mut Place) -> usize {
        let above = blanks(rest);
        let below = rest.get(above..).unwrap_or(&[]);
        let inside = match below.first() {
            Some(line) if line.indent() > 0 => indented(below, 1),
            Some(line) => {
                let mark = line.text.chars().next().filter(char::is_ascii_punctuation);
                let marked = |line: &&Line<'_>| mark.is_some_and(|mark| line.text.starts_with(mark));
                below.get(..block(below)).unwrap_or(&[]).iter().take_while(marked).count()
            }
            None => 0,
        };
        let lines = below.get(..inside).unwrap_or(&[]);
        let language = self.language.clone();
        self.code(&language, lines, range(lines), place);
        above + inside
    }

    /// Reads a session of Python.
    fn doctest(&mut self, rest: &[Line<'_>], place: &mut Place) -> Option<usize> {
        rest.first().filter(|line| line.text == ">>>" || line.text.starts_with(">>> "))?;
        let inside = block(rest);
        let lines = rest.get(..inside)?;
        self.code("pycon", lines, range(lines), place);
        Some(inside)
    }

    /// Adds code of some lines; `whole` also holds what declares it.
    pub(super) fn code(&mut self, language: &str, lines: &[Line<'_>], whole: LineRange, place: &mut Place) {
        let lines = dedent(lines);
        let Some(first) = lines.first() else { return };
        let lead = self.lead(place);
        self.builder.code(language, &joined(&lines), first.number, whole, lead);
    }
}

/// The lines of a quotation, without the dashes before who said it: the last paragraph.
pub(super) fn attributed(mut lines: Vec<Line<'_>>) -> Vec<Line<'_>> {
    let last = lines.iter().rposition(Line::blank).map_or(0, |blank| blank + 1);
    if let Some(line) = lines.get_mut(last).filter(|_| last > 0) {
        let said = line.text.strip_prefix("---").or_else(|| line.text.strip_prefix("--"));
        let said = said.or_else(|| line.text.strip_prefix('—')).filter(|said| !said.starts_with('-'));
        line.text = said.map_or(line.text, str::trim_start);
    }
    lines
}

/// Takes the `::` from the end of a line; whether there was one.
fn literal_follows(line: &mut Line<'_>) -> bool {
    let Some(before) = line.text.strip_suffix("::").filter(|before| !before.ends_with('\\')) else {
        return false;
    };
    line.text = match before.ends_with(char::is_whitespace) || before.is_empty() {
        true => before.trim_end(),
        false => line.text.strip_suffix(':').unwrap_or(line.text),
    };
    true
}
