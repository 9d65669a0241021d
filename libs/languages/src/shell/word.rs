//! Words of shell: quotes, expansions, substitutions, arrays.

use super::{Opener, Reader, Step, clip};

impl Reader<'_> {
    /// A word; whether it is an assignment, which only one in its place can be.
    pub(super) fn word(&mut self, assignable: bool) -> Step<bool> {
        let start = self.at;
        let mut assigned = false;
        if assignable && let Some(end) = self.target() {
            self.at = end;
            assigned = true;
            if self.peek() == Some(b'(') {
                return self.array().map(|()| true);
            }
        }
        while let Some(byte) = self.peek() {
            match byte {
                b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b')' => break,
                b'\r' if self.line_end() => break,
                b'(' => {
                    let group = self.at > start
                        && matches!(self.bytes[self.at - 1], b'?' | b'*' | b'+' | b'@' | b'!');
                    if !group {
                        break;
                    }
                    self.deeper(Self::pattern)?;
                }
                b'<' | b'>' => {
                    if self.bytes.get(self.at + 1) != Some(&b'(') {
                        break;
                    }
                    self.substitution("<(")?;
                }
                _ => self.piece(false)?,
            }
        }
        if self.at == start {
            let text = format!("{} cannot stand here", self.seen());
            return self.wrong(self.at, 1, "SH001", text);
        }
        Ok(assigned)
    }

    /// One quoted or expanded piece of a word, or one character.
    pub(super) fn piece(&mut self, quoted: bool) -> Step {
        self.watch.step()?;
        match self.peek() {
            Some(b'\\') => {
                self.at += 1;
                self.character();
                Ok(())
            }
            Some(b'\'') if !quoted => self.single(),
            Some(b'"') => self.double(),
            Some(b'`') => self.backquoted(),
            Some(b'$') => self.dollar(quoted),
            _ => {
                self.character();
                Ok(())
            }
        }
    }

    fn character(&mut self) {
        self.at += 1;
        while self.at < self.bytes.len() && !self.code.is_char_boundary(self.at) {
            self.at += 1;
        }
        self.at = self.at.min(self.bytes.len());
    }

    /// The byte after `name=`, `name+=` or `name[…]=`, if an assignment begins here.
    fn target(&self) -> Option<usize> {
        let rest = &self.bytes[self.at..];
        let name = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
        let subscript = rest.first() == Some(&b'[');
        if (name == 0 && !subscript) || rest.first().is_some_and(u8::is_ascii_digit) {
            return None;
        }
        let mut end = name;
        if rest.get(end) == Some(&b'[') {
            let mut depth = 0_u32;
            let inner = rest[end..].iter().take(400).take_while(|byte| **byte != b'\n').position(|byte| {
                match byte {
                    b'[' => depth += 1,
                    b']' => depth -= 1,
                    _ => {}
                }
                depth == 0
            })?;
            end += inner + 1;
        }
        if rest.get(end) == Some(&b'+') {
            end += 1;
        }
        (rest.get(end) == Some(&b'=')).then_some(self.at + end + 1)
    }

    /// `( … )` behind an assignment.
    fn array(&mut self) -> Step {
        let opener = Opener { at: self.at, word: "(" };
        self.at += 1;
        self.deeper(|reader| {
            loop {
                reader.newlines();
                match reader.peek() {
                    Some(b')') => {
                        reader.at += 1;
                        return Ok(());
                    }
                    None => return reader.unclosed(opener, ")"),
                    Some(b'<' | b'>') if reader.bytes.get(reader.at + 1) == Some(&b'(') => {}
                    _ if reader.closed_by_operator() => {
                        let text =
                            format!("{} cannot stand in an array; quote it if it is text", reader.seen());
                        return reader.wrong(reader.at, 1, "SH001", text);
                    }
                    _ => {}
                }
                reader.word(true)?;
            }
        })
    }

    /// The group of an extended pattern, such as `@(a|b)`.
    fn pattern(&mut self) -> Step {
        let opener = Opener { at: self.at, word: "(" };
        self.at += 1;
        loop {
            match self.peek() {
                None => return self.unclosed(opener, ")"),
                Some(b')') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'(') => self.deeper(Self::pattern)?,
                _ => self.piece(false)?,
            }
        }
    }

    pub(super) fn unclosed<T>(&self, opener: Opener, closer: &str) -> Step<T> {
        let Opener { at, word } = opener;
        self.wrong(at, word.len(), "SH003", format!("'{word}' is not closed: '{closer}' is missing"))
    }

    /// A quote that the text ends in. A string before it that ends inside a word is the more likely place.
    fn open_quote(&self, at: usize, quote: &str) -> Step {
        let place = self.suspect.unwrap_or(at);
        let quote = self
            .code
            .get(place..)
            .and_then(|text| text.chars().next())
            .map_or(quote.to_owned(), String::from);
        let text = format!("the text that begins with {quote} is not closed: a {quote} is missing");
        self.wrong(place, 1, "SH003", text)
    }

    /// Remembers a string over lines that ends inside of a word.
    fn suspicious(&mut self, start: usize) {
        let joined = self.peek().is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if joined && self.suspect.is_none() && self.code[start..self.at].contains('\n') {
            self.suspect = Some(start);
        }
    }

    fn single(&mut self) -> Step {
        let start = self.at;
        let Some(length) = self.bytes[start + 1..].iter().position(|byte| *byte == b'\'') else {
            return self.open_quote(start, "'");
        };
        self.at = start + length + 2;
        self.suspicious(start);
        Ok(())
    }

    fn double(&mut self) -> Step {
        let start = self.at;
        self.at += 1;
        self.deeper(|reader| {
            loop {
                match reader.peek() {
                    None => return reader.open_quote(start, "\""),
                    Some(b'"') => {
                        reader.at += 1;
                        reader.suspicious(start);
                        return Ok(());
                    }
                    _ => reader.piece(true)?,
                }
            }
        })
    }

    fn backquoted(&mut self) -> Step {
        let start = self.at;
        self.at += 1;
        while let Some(byte) = self.peek() {
            self.at += 1;
            match byte {
                b'`' => return Ok(()),
                b'\\' => self.character(),
                _ => {}
            }
        }
        self.at = self.bytes.len();
        self.open_quote(start, "`")
    }

    fn dollar(&mut self, quoted: bool) -> Step {
        if self.ahead("$((")
            && let Some(end) = self.arithmetic(self.at + 1)
        {
            self.at = end;
            return Ok(());
        }
        if self.ahead("$(") {
            return self.substitution("$(");
        }
        if self.ahead("${") {
            return self.deeper(|reader| reader.braces(quoted));
        }
        if self.ahead("$[") {
            return self.deeper(Self::brackets);
        }
        if self.ahead("$'") && !quoted {
            return self.escaped();
        }
        self.at += 1;
        Ok(())
    }

    /// `$'…'`, in which a backslash escapes.
    fn escaped(&mut self) -> Step {
        let start = self.at;
        self.at += 2;
        while let Some(byte) = self.peek() {
            self.at += 1;
            match byte {
                b'\'' => return Ok(()),
                b'\\' => self.character(),
                _ => {}
            }
        }
        self.at = self.bytes.len();
        self.open_quote(start + 1, "'")
    }

    /// `$(…)`, `<(…)` or `>(…)`.
    fn substitution(&mut self, word: &'static str) -> Step {
        let opener = Opener { at: self.at, word };
        self.at += 2;
        self.list()?;
        match self.peek() {
            Some(b')') => {
                self.at += 1;
                Ok(())
            }
            None => self.unclosed(opener, ")"),
            _ => self.stray(),
        }
    }

    /// `${…}`.
    fn braces(&mut self, quoted: bool) -> Step {
        let opener = Opener { at: self.at, word: "${" };
        self.at += 2;
        let rest = &self.bytes[self.at..];
        let name = usize::from(matches!(rest.first(), Some(b'!' | b'#')));
        let name = name
            + rest[name.min(rest.len())..]
                .iter()
                .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'@' | b'*' | b'?'))
                .count();
        let mut operator = name;
        if rest.get(name) == Some(&b'[') {
            operator += rest[name..].iter().take(200).position(|byte| *byte == b']').map_or(0, |at| at + 1);
        }
        // In a pattern quotes quote; in a replacement text inside of quotes they are text.
        let pattern = matches!(rest.get(operator), Some(b'#' | b'%' | b'/' | b'^' | b','));
        loop {
            match self.peek() {
                None => return self.unclosed(opener, "}"),
                Some(b'}') => {
                    self.at += 1;
                    return Ok(());
                }
                _ => self.piece(quoted && !pattern)?,
            }
        }
    }

    /// `$[…]`, arithmetic of old.
    fn brackets(&mut self) -> Step {
        let opener = Opener { at: self.at, word: "$[" };
        self.at += 2;
        let mut depth = 1_u32;
        loop {
            match self.peek() {
                None => return self.unclosed(opener, "]"),
                Some(b'[') => depth += 1,
                Some(b']') => depth -= 1,
                _ => {
                    self.piece(true)?;
                    continue;
                }
            }
            self.at += 1;
            if depth == 0 {
                return Ok(());
            }
        }
    }

    /// The byte after `((…))` that begins at `from`; none if the brackets close one by one, as two subshells do.
    pub(super) fn arithmetic(&self, from: usize) -> Option<usize> {
        let mut at = from + 2;
        let mut depth = 2_u32;
        loop {
            match self.bytes.get(at)? {
                b'\\' => at += 1,
                b'\'' | b'"' => {
                    let quote = self.bytes[at];
                    let rest = &self.bytes[at + 1..];
                    at += 1 + rest.iter().position(|byte| *byte == quote)?;
                }
                b'(' => depth += 1,
                b')' if depth == 2 => {
                    return (self.bytes.get(at + 1) == Some(&b')')).then_some(at + 2);
                }
                b')' => depth -= 1,
                _ => {}
            }
            at += 1;
        }
    }

    /// The text of what was read since `start`, for messages.
    pub(super) fn read_since(&self, start: usize) -> String {
        clip(self.code.get(start..self.at).unwrap_or_default())
    }
}
