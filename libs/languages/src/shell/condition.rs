//! Conditions between `[[` and `]]`.

use super::{Opener, Reader, Step, clip};

const UNARY: &str = "abcdefghknoprstuvwxzGLNORS";
const BINARY: &[&str] =
    &["==", "=~", "!=", "=", "<", ">", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-ef", "-nt", "-ot"];

impl Reader<'_> {
    /// What stands between `[[` and `]]`.
    pub(super) fn test(&mut self, opener: Opener) -> Step {
        self.either(opener)?;
        if self.bare() == "]]" {
            self.at += 2;
            return Ok(());
        }
        if self.at >= self.bytes.len() {
            return self.unclosed(opener, "]]");
        }
        if self.peek() == Some(b')') {
            return self.wrong(self.at, 1, "SH003", "')' closes nothing inside of '[['".to_owned());
        }
        self.unfinished(opener, "]]")
    }

    /// Terms joined by `&&` and `||`.
    fn either(&mut self, opener: Opener) -> Step {
        loop {
            self.newlines();
            self.term(opener)?;
            self.newlines();
            if !self.ahead("&&") && !self.ahead("||") {
                return Ok(());
            }
            self.at += 2;
        }
    }

    fn term(&mut self, opener: Opener) -> Step {
        while self.bare() == "!" {
            self.at += 1;
            self.newlines();
        }
        if self.peek() == Some(b'(') {
            let bracket = Opener { at: self.at, word: "(" };
            self.at += 1;
            self.deeper(|reader| reader.either(opener))?;
            if self.peek() != Some(b')') {
                return self.unfinished(bracket, ")");
            }
            self.at += 1;
            return Ok(());
        }
        let start = self.at;
        let first = self.bare().to_owned();
        if first == "]]" || self.closed_by_operator() {
            let what =
                if self.at >= self.bytes.len() { return self.unclosed(opener, "]]") } else { self.seen() };
            return self.wrong(self.at, 1, "SH002", format!("a condition is missing before {what}"));
        }
        self.word(false)?;
        self.blanks();
        let unary = first.strip_prefix('-').is_some_and(|letter| letter.len() == 1 && UNARY.contains(letter));
        if unary && !BINARY.contains(&self.bare()) {
            return self.operand(&first);
        }
        let operator = BINARY.iter().find(|operator| match operator.len() {
            1 if **operator != "=" => self.ahead(operator),
            _ => self.bare() == **operator,
        });
        if let Some(operator) = operator {
            self.at += operator.len();
            self.blanks();
            return if *operator == "=~" { self.regex() } else { self.operand(operator) };
        }
        let ended = self.bare() == "]]" || self.line_end() || self.peek().is_none();
        if ended || self.ahead("&&") || self.ahead("||") || self.peek() == Some(b')') {
            return Ok(());
        }
        let left = clip(self.code[start..self.at].trim_end());
        let text = format!("an operator is missing between '{left}' and {}", self.seen());
        self.wrong(self.at, self.seen().len().saturating_sub(2), "SH002", text)
    }

    /// The word behind an operator.
    fn operand(&mut self, operator: &str) -> Step {
        let process = self.ahead("<(") || self.ahead(">(");
        if (self.bare() == "]]" || self.closed_by_operator()) && !process {
            let text = format!("a value is missing after '{operator}'; found {}", self.seen());
            return self.wrong(self.at, 1, "SH002", text);
        }
        self.word(false)?;
        Ok(())
    }

    /// The expression behind `=~`: brackets and bars are part of it.
    fn regex(&mut self) -> Step {
        let start = self.at;
        let mut depth = 0_u32;
        while let Some(byte) = self.peek() {
            match byte {
                b' ' | b'\t' | b'\n' if depth == 0 => break,
                b'(' => {
                    depth += 1;
                    self.at += 1;
                }
                b')' if depth == 0 => break,
                b')' => {
                    depth -= 1;
                    self.at += 1;
                }
                b'|' | b'<' | b'>' | b'&' | b';' => self.at += 1,
                _ => self.piece(false)?,
            }
        }
        if self.at == start {
            return self.operand("=~");
        }
        Ok(())
    }
}
