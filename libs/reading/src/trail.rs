//! From where a growing draft must be read again for its next segment: the last paragraphs that nothing before them can
//! change.
//!
//! What a sentence is, and what a marker cites, depends on its block and on the block before it. A paragraph at the left
//! margin behind an empty line begins afresh, unless a fence, a definition or HTML that began before it goes on. A draft
//! with definitions or HTML in its prose, or with fences inside lists and quotations, is always read from its start.

use assay_domain::report::Span;

/// A place of a text in three units.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Place {
    /// UTF-8 bytes before it.
    pub byte: usize,
    utf16: usize,
    chars: usize,
}

impl Place {
    /// Moves a span that was counted from here to where it stands in the text.
    pub fn shift(self, span: &mut Span) {
        span.byte_start += self.byte;
        span.byte_end += self.byte;
        span.utf16_start += self.utf16;
        span.utf16_end += self.utf16;
        span.char_start += self.chars;
        span.char_end += self.chars;
    }

    fn behind(self, text: &str) -> Self {
        let utf16 = self.utf16 + text.chars().map(char::len_utf16).sum::<usize>();
        Self { byte: self.byte + text.len(), utf16, chars: self.chars + text.chars().count() }
    }
}

/// What was seen of a draft so far. Every line is looked at once.
#[derive(Debug, Clone, Default)]
pub struct Trail {
    /// The start of the first line that was not looked at.
    at: Place,
    /// Whether the draft must be read from its start.
    tangled: bool,
    /// Character and length of the fence that is open.
    fence: Option<(u8, usize)>,
    /// Whether the line before was empty.
    blank: bool,
    /// A paragraph that has not ended.
    paragraph: Option<Place>,
    /// Where each paragraph that may be read from begins, and where the empty line behind it does.
    paragraphs: Vec<(Place, usize)>,
}

/// The fence that a line opens at the left margin: its character and length.
fn opens(line: &str) -> Option<(u8, usize)> {
    let mark = *line.as_bytes().first().filter(|byte| matches!(byte, b'`' | b'~'))?;
    let length = line.bytes().take_while(|byte| *byte == mark).count();
    let sound = mark == b'~' || !line[length..].contains('`');
    (length >= 3 && sound).then_some((mark, length))
}

/// Whether a line closes a fence.
fn closes(line: &str, (mark, length): (u8, usize)) -> bool {
    let bare = line.trim_start_matches(' ');
    let run = bare.bytes().take_while(|byte| *byte == mark).count();
    line.len() - bare.len() <= 3 && run >= length && bare[run..].trim().is_empty()
}

impl Trail {
    /// A place from which the segments that begin at `start` or later read as in the whole draft. `so_far` may have grown
    /// since it was last asked, and must not have changed otherwise.
    pub fn before(&mut self, so_far: &str, start: usize) -> Place {
        while let Some(rest) = so_far.get(self.at.byte..)
            && let Some(end) = rest.find('\n')
        {
            self.line(&rest[..end]);
            self.at = self.at.behind(&rest[..=end]);
        }
        // What is still open may tangle the draft too.
        let open = so_far.get(self.at.byte..).unwrap_or_default();
        let open_tangles = self.fence.is_none() && tangles(open);
        if self.tangled || open_tangles {
            return Place::default();
        }
        let found = self.paragraphs.partition_point(|(_, end)| *end <= start);
        found
            .checked_sub(1)
            .and_then(|last| self.paragraphs.get(last))
            .map_or(Place::default(), |found| found.0)
    }

    fn line(&mut self, line: &str) {
        if self.tangled {
            return;
        }
        if line.contains('\r') {
            self.tangled = true;
            return;
        }
        if let Some(fence) = self.fence {
            if closes(line, fence) {
                self.fence = None;
            }
            self.blank = false;
            return;
        }
        if let Some(fence) = opens(line) {
            (self.fence, self.paragraph, self.blank) = (Some(fence), None, false);
            return;
        }
        if tangles(line) {
            self.tangled = true;
            return;
        }
        if line.trim_matches([' ', '\t']).is_empty() {
            if let Some(start) = self.paragraph.take() {
                self.paragraphs.push((start, self.at.byte));
            }
            self.blank = true;
            return;
        }
        if self.blank && line.starts_with(char::is_alphabetic) {
            self.paragraph = Some(self.at);
        }
        // What may be a table, a title or a list is no paragraph that is sure to hold a claim.
        if line.contains('|') || line.starts_with(['=', '-', ':']) {
            self.paragraph = None;
        }
        self.blank = false;
    }
}

/// Whether a line of prose may change how others are read: HTML, definitions, fences that are not at the left margin.
fn tangles(line: &str) -> bool {
    if line.contains(['<', '\r']) || line.contains("]:") {
        return true;
    }
    let container =
        |c: char| matches!(c, ' ' | '\t' | '>' | '-' | '*' | '+' | '.' | ')') || c.is_ascii_digit();
    let bare = line.trim_start_matches(container);
    opens(line).is_none() && (bare.starts_with("```") || bare.starts_with("~~~"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn however_long_a_draft_is_its_last_paragraphs_suffice() {
        let paragraph = "The pool opens four connections. It closes them after 90 seconds.\n\n";
        let (mut draft, mut trail) = (String::new(), Trail::default());
        for _ in 0..50 {
            let start = draft.len();
            draft.push_str(paragraph);
            let from = trail.before(&draft, start);
            assert!(start - from.byte <= 2 * paragraph.len(), "{start} {from:?}");
        }
        draft.push_str("```\n<b>\n```\n\nÑu 😀.\n\nThe end.\n\n- one\n");
        let start = draft.len();
        let from = trail.before(&draft, start);
        assert!(draft[from.byte..].starts_with("The end."));
        assert_eq!(
            (from.chars, from.utf16),
            (draft[..from.byte].chars().count(), draft[..from.byte].encode_utf16().count())
        );
    }

    #[test]
    fn a_draft_with_definitions_html_or_hidden_fences_is_read_from_its_start() {
        for part in ["[a]: /b\n\n", "<b>x\n\n", "- ```\n\n", " ```\n\n", "> ~~~\n\n", "a\r\n\n"] {
            let draft = format!("One.\n\nTwo.\n\nThree.\n\n{part}Four.\n\nFive.\n\n");
            assert_eq!(Trail::default().before(&draft, draft.len()), Place::default(), "{part:?}");
        }
        let plain = "One.\n\nTwo.\n\nThree.\n\n";
        assert_eq!(Trail::default().before(plain, plain.len()).byte, plain.len() - "Three.\n\n".len());
        // The start is not far enough back for a paragraph before it.
        assert_eq!(Trail::default().before(plain, 3), Place::default());
    }
}
