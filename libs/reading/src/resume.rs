//! Finds the resume point of a growing draft: from where it must be parsed again for the next segment.
//!
//! A sentence and its markers depend on their block and the block before. A paragraph at the left margin after a blank
//! line starts anew, unless a fence, definition or HTML is still open. Drafts with definitions or HTML in prose, or with
//! fences inside lists and quotations, are parsed from their start.

use assay_domain::report::Span;

/// An offset in three units.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Place {
    /// UTF-8 bytes before it.
    pub byte: usize,
    utf16: usize,
    chars: usize,
}

impl Place {
    /// Shifts a span that is relative to this place, so that it is relative to the text.
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

/// State of the search; each line of the draft is read once.
#[derive(Debug, Clone, Default)]
pub struct ResumePoint {
    /// Start of the first unread line.
    at: Place,
    /// Whether the draft must be parsed from its start.
    tangled: bool,
    /// Character and length of the open fence.
    fence: Option<(u8, usize)>,
    /// Whether the line before was empty.
    blank: bool,
    /// Start of a paragraph that has not ended.
    paragraph: Option<Place>,
    /// Start of each paragraph that may be resumed from, and of the blank line after it.
    paragraphs: Vec<(Place, usize)>,
}

/// Character and length of the fence that a line opens at the left margin.
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

impl ResumePoint {
    /// A place from which segments at `start` or later parse as in the whole draft. Between calls `so_far` may only grow.
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

/// Whether a line of prose may affect others: HTML, definitions, indented or nested fences.
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
        let (mut draft, mut resume) = (String::new(), ResumePoint::default());
        for _ in 0..50 {
            let start = draft.len();
            draft.push_str(paragraph);
            let from = resume.before(&draft, start);
            assert!(start - from.byte <= 2 * paragraph.len(), "{start} {from:?}");
        }
        draft.push_str("```\n<b>\n```\n\nÑu 😀.\n\nThe end.\n\n- one\n");
        let start = draft.len();
        let from = resume.before(&draft, start);
        assert!(draft[from.byte..].starts_with("The end."));
        assert_eq!(
            (from.chars, from.utf16),
            (draft[..from.byte].chars().count(), draft[..from.byte].encode_utf16().count())
        );
    }

    #[test]
    fn drafts_with_definitions_or_html_resume_from_the_start() {
        for part in ["[a]: /b\n\n", "<b>x\n\n", "- ```\n\n", " ```\n\n", "> ~~~\n\n", "a\r\n\n"] {
            let draft = format!("One.\n\nTwo.\n\nThree.\n\n{part}Four.\n\nFive.\n\n");
            assert_eq!(ResumePoint::default().before(&draft, draft.len()), Place::default(), "{part:?}");
        }
        let plain = "One.\n\nTwo.\n\nThree.\n\n";
        assert_eq!(ResumePoint::default().before(plain, plain.len()).byte, plain.len() - "Three.\n\n".len());
        // The start is not far enough back for a paragraph before it.
        assert_eq!(ResumePoint::default().before(plain, 3), Place::default());
    }
}
