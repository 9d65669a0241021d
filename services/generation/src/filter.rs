//! What a model says that no reader should see: its thoughts, and the mark with which it abstains. Works on pieces of
//! any size; what could still become a tag is held back until it is decided.

use crate::prompts::NO_ANSWER;

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";

/// Takes a stream of text and gives what may be shown.
#[derive(Debug, Default)]
pub(crate) struct Filter {
    /// Text that is not decided yet.
    held: String,
    /// Inside `<think>`.
    thinking: bool,
    /// Something was shown already.
    begun: bool,
    /// The abstention mark was seen.
    abstained: bool,
    /// Only white space was shown since the last line end.
    at_line_start: bool,
    /// White space that follows is dropped: a thought that filled its line leaves none behind.
    skip_blank: bool,
}

impl Filter {
    pub(crate) fn new() -> Self {
        Self { at_line_start: true, ..Self::default() }
    }

    /// Whether the model began with the abstention mark.
    pub(crate) fn abstained(&self) -> bool {
        self.abstained
    }

    /// Takes a piece and gives what is decided.
    pub(crate) fn push(&mut self, piece: &str) -> String {
        self.held.push_str(piece);
        self.drain(false)
    }

    /// The end: gives what is left.
    pub(crate) fn finish(&mut self) -> String {
        self.drain(true)
    }

    fn drain(&mut self, end: bool) -> String {
        let mut out = String::new();
        loop {
            if self.thinking {
                match self.held.find(CLOSE) {
                    Some(at) => {
                        self.held.drain(..at + CLOSE.len());
                        self.thinking = false;
                        self.skip_blank = self.at_line_start;
                        continue;
                    }
                    None => {
                        let keep = if end { 0 } else { overlap(&self.held, CLOSE) };
                        self.held.drain(..self.held.len() - keep);
                        return out;
                    }
                }
            }
            if self.skip_blank || !self.begun {
                let kept = self.held.trim_start().len();
                self.held.drain(..self.held.len() - kept);
                self.skip_blank &= self.held.is_empty();
            }
            if !self.begun {
                if self.held.starts_with(NO_ANSWER) {
                    self.abstained = true;
                    self.held.drain(..NO_ANSWER.len());
                    continue;
                }
                if self.abstained {
                    let kept = self.held.trim_start_matches([' ', ':', '\n', '-', '—']).len();
                    self.held.drain(..self.held.len() - kept);
                }
                let undecided =
                    NO_ANSWER.starts_with(self.held.as_str()) || OPEN.starts_with(self.held.as_str());
                if !end && (self.held.is_empty() || undecided) {
                    return out;
                }
            }
            match self.think_at() {
                Some(at) => {
                    self.show(at, &mut out);
                    self.held.drain(..OPEN.len());
                    self.thinking = true;
                }
                None => {
                    let keep = if end { 0 } else { overlap(&self.held, OPEN) };
                    let shown = self.held.len() - keep;
                    self.show(shown, &mut out);
                    return out;
                }
            }
        }
    }

    /// Place of a `<think>` that begins a line; elsewhere it is text.
    fn think_at(&self) -> Option<usize> {
        self.held.match_indices(OPEN).map(|(at, _)| at).find(|&at| {
            let line = self.held[..at].rsplit('\n').next().unwrap_or_default();
            let whole = line.len() == at && !self.at_line_start;
            line.trim().is_empty() && !whole
        })
    }

    fn show(&mut self, count: usize, out: &mut String) {
        let text: String = self.held.drain(..count).collect();
        if !text.is_empty() {
            self.at_line_start = match text.rsplit_once('\n') {
                Some((_, tail)) => tail.trim().is_empty(),
                None => self.at_line_start && text.trim().is_empty(),
            };
            self.begun = true;
            out.push_str(&text);
        }
    }
}

/// Length of the longest end of `text` that begins `tag`, short of the whole tag.
fn overlap(text: &str, tag: &str) -> usize {
    (1..tag.len()).rev().find(|&length| text.ends_with(&tag[..length])).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn run(pieces: &[&str]) -> (String, bool) {
        let mut filter = Filter::new();
        let mut out: String = pieces.iter().map(|piece| filter.push(piece)).collect();
        out.push_str(&filter.finish());
        (out, filter.abstained())
    }

    #[test]
    fn thoughts_are_not_shown_however_they_are_cut() {
        assert_eq!(run(&["<thi", "nk>secret</th", "ink>\n\nHello", " there"]), ("Hello there".into(), false));
        assert_eq!(run(&["One.\n<think>x</think>\nTwo."]), ("One.\nTwo.".into(), false));
        assert_eq!(run(&["<think>never closed"]), (String::new(), false));
    }

    #[test]
    fn the_tag_inside_a_line_is_text() {
        assert_eq!(run(&["Write `<think>` to think."]), ("Write `<think>` to think.".into(), false));
    }

    #[test]
    fn the_abstention_mark_is_taken_off() {
        assert_eq!(
            run(&["[NO_", "ANSWER] The sources say nothing."]),
            ("The sources say nothing.".into(), true)
        );
        assert_eq!(run(&["<think>hm</think>[NO_ANSWER]: Nothing."]), ("Nothing.".into(), true));
        assert_eq!(run(&["[NO"]), ("[NO".into(), false));
    }

    proptest! {
        #[test]
        fn the_result_does_not_depend_on_the_cuts(text in "(a|b|<think>|</think>|\n| |\\[NO_ANSWER\\]|<|\\[){0,12}", cuts in proptest::collection::vec(0usize..40, 0..6)) {
            let whole = run(&[&text]);
            let mut places: Vec<usize> = cuts.into_iter().filter(|&at| at <= text.len() && text.is_char_boundary(at)).collect();
            places.push(0);
            places.push(text.len());
            places.sort_unstable();
            let pieces: Vec<&str> = places.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect();
            prop_assert_eq!(run(&pieces), whole);
        }
    }
}
