//! Compound commands of shell.

use super::{Opener, Reader, Step};

impl Reader<'_> {
    /// A compound command, if one stands here.
    pub(super) fn compound(&mut self) -> Step<bool> {
        let at = self.at;
        let opener = |word| Opener { at, word };
        match self.bare() {
            "if" => self.conditional(opener("if"))?,
            "while" => self.repeated(opener("while"))?,
            "until" => self.repeated(opener("until"))?,
            "for" => self.counted(opener("for"))?,
            "select" => self.counted(opener("select"))?,
            "case" => self.case(opener("case"))?,
            "function" => {
                self.at += 8;
                self.blanks();
                if self.closed_by_operator() {
                    let text = format!("a name is missing after 'function'; found {}", self.seen());
                    return self.wrong(at, 8, "SH002", text);
                }
                self.word(false)?;
                self.blanks();
                if self.peek() == Some(b'(') {
                    self.at += 1;
                    self.blanks();
                    if self.peek() != Some(b')') {
                        let text = format!("')' is missing after '{}'", self.read_since(at));
                        return self.wrong(self.at, 1, "SH002", text);
                    }
                    self.at += 1;
                }
                self.body(at)?;
            }
            "coproc" => {
                self.at += 6;
                self.blanks();
                if !self.deeper(Self::compound)? {
                    self.word(false)?;
                    self.blanks();
                    if !self.deeper(Self::compound)? && !self.closes() && !self.line_end() {
                        self.simple()?;
                    }
                }
            }
            "{" => {
                self.at += 1;
                self.group(opener("{"))?;
            }
            "[[" => {
                self.at += 2;
                self.deeper(|reader| reader.test(opener("[[")))?;
            }
            _ if self.ahead("((") && self.arithmetic(at).is_some() => {
                self.at = self.arithmetic(at).unwrap_or(at + 2);
            }
            _ if self.peek() == Some(b'(') => {
                self.at += 1;
                self.some(opener("("))?;
                if self.peek() != Some(b')') {
                    return self.unfinished(opener("("), ")");
                }
                self.at += 1;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The body of a function whose head began at `start`.
    pub(super) fn body(&mut self, start: usize) -> Step {
        let head = self.read_since(start);
        self.newlines();
        let done = self.deeper(Self::compound)?;
        if !done {
            let text = format!("the function '{head}' needs a body in braces; found {}", self.seen());
            return self.wrong(start, head.len(), "SH002", text);
        }
        Ok(())
    }

    /// A closer that something else, or the end, stands in the place of.
    pub(super) fn unfinished<T>(&self, opener: Opener, closer: &str) -> Step<T> {
        if self.at >= self.bytes.len() {
            return self.unclosed(opener, closer);
        }
        if self.bare() == "}" && self.groups == 0 {
            return self.wrong(self.at, 1, "SH003", "'}' closes nothing".to_owned());
        }
        let Opener { at, word } = opener;
        let text = format!(
            "'{word}' is not closed: '{closer}' is missing before {} in line {}",
            self.seen(),
            self.line(self.at)
        );
        self.wrong(at, word.len(), "SH003", text)
    }

    fn expect(&mut self, opener: Opener, closer: &'static str) -> Step<Opener> {
        let at = self.at;
        if self.bare() != closer {
            return self.unfinished(opener, closer);
        }
        self.at += closer.len();
        Ok(Opener { at, word: closer })
    }

    fn group(&mut self, opener: Opener) -> Step {
        self.groups += 1;
        self.some(opener)?;
        self.groups -= 1;
        self.expect(opener, "}")?;
        Ok(())
    }

    fn conditional(&mut self, opener: Opener) -> Step {
        self.at += 2;
        self.some(opener)?;
        let then = self.then(opener)?;
        self.some(then)?;
        loop {
            let at = self.at;
            match self.bare() {
                "elif" => {
                    self.at += 4;
                    let elif = Opener { at, word: "elif" };
                    self.some(elif)?;
                    let then = self.then(elif)?;
                    self.some(then)?;
                }
                "else" => {
                    self.at += 4;
                    self.some(Opener { at, word: "else" })?;
                    self.expect(opener, "fi")?;
                    return Ok(());
                }
                _ => {
                    self.expect(opener, "fi")?;
                    return Ok(());
                }
            }
        }
    }

    fn then(&mut self, opener: Opener) -> Step<Opener> {
        if self.bare() == "then" {
            return self.expect(opener, "then");
        }
        let text = format!("'then' is missing after '{}', before {}", opener.word, self.seen());
        self.wrong(opener.at, opener.word.len(), "SH002", text)
    }

    fn repeated(&mut self, opener: Opener) -> Step {
        self.at += opener.word.len();
        self.some(opener)?;
        if self.bare() != "do" {
            let text = format!("'do' is missing after '{}', before {}", opener.word, self.seen());
            return self.wrong(opener.at, opener.word.len(), "SH002", text);
        }
        self.loop_body(opener)
    }

    fn loop_body(&mut self, opener: Opener) -> Step {
        let head = Opener { at: self.at, word: "do" };
        self.at += 2;
        self.some(head)?;
        self.expect(opener, "done")?;
        Ok(())
    }

    /// `for` and `select`.
    fn counted(&mut self, opener: Opener) -> Step {
        self.at += opener.word.len();
        self.blanks();
        if self.ahead("((") {
            let Some(end) = self.arithmetic(self.at) else {
                return self.unclosed(Opener { at: self.at, word: "((" }, "))");
            };
            let parts = self.bytes[self.at..end].iter().filter(|byte| **byte == b';').count();
            if parts != 2 {
                let text = format!("'for ((' takes three parts between two ';', here are {}", parts + 1);
                return self.wrong(self.at, end - self.at, "SH001", text);
            }
            self.at = end;
            self.blanks();
            if self.peek() == Some(b';') && !self.ahead(";;") {
                self.at += 1;
            }
        } else {
            if self.closed_by_operator() {
                let text = format!("a name is missing after '{}'; found {}", opener.word, self.seen());
                return self.wrong(opener.at, opener.word.len(), "SH002", text);
            }
            self.word(false)?;
            self.newlines();
            if self.bare() == "in" {
                self.at += 2;
                loop {
                    self.blanks();
                    if self.line_end() || self.peek() == Some(b';') && !self.ahead(";;") {
                        self.at += usize::from(!self.line_end());
                        break;
                    }
                    if self.peek().is_none() {
                        return self.unclosed(opener, "done");
                    }
                    if self.closed_by_operator() && !self.ahead("<(") {
                        let text = format!("{} cannot stand in the list of '{}'", self.seen(), opener.word);
                        return self.wrong(self.at, 1, "SH001", text);
                    }
                    self.word(false)?;
                }
            } else if self.peek() == Some(b';') && !self.ahead(";;") {
                self.at += 1;
            }
        }
        let head = self.read_since(opener.at);
        self.newlines();
        match self.bare() {
            "do" => self.loop_body(opener),
            "{" => {
                let brace = Opener { at: self.at, word: "{" };
                self.at += 1;
                self.group(brace)
            }
            _ => {
                let text = format!("'do' is missing after '{head}'; found {}", self.seen());
                self.wrong(opener.at, head.len(), "SH002", text)
            }
        }
    }

    fn case(&mut self, opener: Opener) -> Step {
        self.at += 4;
        self.blanks();
        if self.closed_by_operator() {
            return self.wrong(
                opener.at,
                4,
                "SH002",
                format!("a word is missing after 'case'; found {}", self.seen()),
            );
        }
        self.word(false)?;
        let head = self.read_since(opener.at);
        self.newlines();
        if self.bare() != "in" {
            let text = format!("'in' is missing after '{head}'; found {}", self.seen());
            return self.wrong(opener.at, head.len(), "SH002", text);
        }
        self.at += 2;
        loop {
            self.newlines();
            if self.bare() == "esac" {
                self.at += 4;
                return Ok(());
            }
            if self.at >= self.bytes.len() {
                return self.unclosed(opener, "esac");
            }
            self.patterns(opener)?;
            self.list()?;
            let separator = [";;&", ";;", ";&"].into_iter().find(|separator| self.ahead(separator));
            match separator {
                Some(separator) => self.at += separator.len(),
                None if self.bare() == "esac" => {}
                None => return self.unfinished(opener, "esac"),
            }
        }
    }

    /// The patterns of a branch, with their bracket.
    fn patterns(&mut self, opener: Opener) -> Step {
        if self.peek() == Some(b'(') {
            self.at += 1;
        }
        loop {
            self.blanks();
            let start = self.at;
            if self.closed_by_operator() {
                let text = format!(
                    "a pattern is missing before {} in 'case' of line {}",
                    self.seen(),
                    self.line(opener.at)
                );
                return self.wrong(self.at, 1, "SH002", text);
            }
            self.word(false)?;
            let pattern = self.read_since(start);
            self.blanks();
            match self.peek() {
                Some(b'|') => self.at += 1,
                Some(b')') => {
                    self.at += 1;
                    return Ok(());
                }
                _ => {
                    let text = format!("')' is missing after the pattern '{pattern}'; found {}", self.seen());
                    return self.wrong(start, pattern.len(), "SH002", text);
                }
            }
        }
    }
}
