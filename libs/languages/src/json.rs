//! JSON as RFC 8259 has it, strictly: read with an explicit stack, so that no nesting can overflow. Stops at the first
//! mistake, as a JSON reader does.

use assay_domain::code::{Category, Diagnostic};

use super::place::{Source, clip};
use super::watch::{Halt, Stopped, Watch};

/// The findings about a text; one at most.
pub(super) fn parse(code: &str, watch: &Watch<'_>) -> Result<Vec<Diagnostic>, Stopped> {
    match (Reader { bytes: code.as_bytes(), at: 0, watch }).document() {
        Ok(()) => Ok(Vec::new()),
        Err(Halt::Stopped) => Err(Stopped),
        Err(Halt::Other(mistake)) => {
            let rest = code.get(mistake.at..).unwrap_or_default();
            let end = rest.chars().next().map_or(mistake.at, |c| mistake.at + c.len_utf8());
            let near = clip(rest);
            let found = match rest.chars().next() {
                None => "the text ends".to_owned(),
                Some('\n' | '\r') => "found a line end".to_owned(),
                Some('\t') => "found a tab".to_owned(),
                Some(_) if near.is_empty() => "the text ends".to_owned(),
                Some(_) => format!("found '{near}'"),
            };
            let behind = code.get(..mistake.at).unwrap_or_default().trim_end().ends_with(',');
            let what = match mistake.id {
                "JSON001" if behind => "a JSON value is expected after the ','",
                _ => mistake.what,
            };
            let message = format!("{what}, {found}");
            let range = mistake.at..end;
            Ok(vec![Source::new(code).error(range, mistake.id, Category::SyntaxError, message)])
        }
    }
}

/// What is wrong, and where.
struct Mistake {
    at: usize,
    id: &'static str,
    what: &'static str,
}

impl From<Mistake> for Halt<Mistake> {
    fn from(mistake: Mistake) -> Self {
        Self::Other(mistake)
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    watch: &'a Watch<'a>,
}

impl Reader<'_> {
    fn document(mut self) -> Result<(), Halt<Mistake>> {
        // True for an object, false for an array.
        let mut open: Vec<bool> = Vec::new();
        loop {
            self.watch.step()?;
            self.space();
            // A value is due here.
            match self.peek() {
                Some(b'{') => {
                    self.at += 1;
                    self.space();
                    if self.peek() == Some(b'}') {
                        self.at += 1;
                    } else {
                        open.push(true);
                        self.key()?;
                        continue;
                    }
                }
                Some(b'[') => {
                    self.at += 1;
                    self.space();
                    if self.peek() == Some(b']') {
                        self.at += 1;
                    } else {
                        open.push(false);
                        continue;
                    }
                }
                Some(b'"') => self.string()?,
                Some(b'-' | b'0'..=b'9') => self.number()?,
                Some(b't') => self.word("true")?,
                Some(b'f') => self.word("false")?,
                Some(b'n') => self.word("null")?,
                _ => return Err(self.mistake("JSON001", "a JSON value is expected").into()),
            }
            // A value is complete; commas and closers may follow.
            loop {
                self.watch.step()?;
                self.space();
                match (self.peek(), open.last()) {
                    (None, None) => return Ok(()),
                    (Some(_), None) => {
                        return Err(self.mistake("JSON002", "nothing may follow the JSON value").into());
                    }
                    (Some(b','), Some(object)) => {
                        self.at += 1;
                        if *object {
                            self.space();
                            self.key()?;
                        }
                        break;
                    }
                    (Some(b'}'), Some(true)) | (Some(b']'), Some(false)) => {
                        self.at += 1;
                        open.pop();
                    }
                    (_, Some(true)) => return Err(self.mistake("JSON003", "',' or '}' is missing").into()),
                    (_, Some(false)) => return Err(self.mistake("JSON003", "',' or ']' is missing").into()),
                }
            }
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn mistake(&self, id: &'static str, what: &'static str) -> Mistake {
        Mistake { at: self.at, id, what }
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn key(&mut self) -> Result<(), Mistake> {
        if self.peek() != Some(b'"') {
            return Err(self.mistake("JSON004", "a key in double quotes is expected"));
        }
        self.string()?;
        self.space();
        if self.peek() != Some(b':') {
            return Err(self.mistake("JSON005", "':' is missing after the key"));
        }
        self.at += 1;
        Ok(())
    }

    fn word(&mut self, word: &str) -> Result<(), Mistake> {
        if !self.bytes[self.at..].starts_with(word.as_bytes()) {
            return Err(self.mistake("JSON001", "a JSON value is expected"));
        }
        self.at += word.len();
        Ok(())
    }

    fn string(&mut self) -> Result<(), Mistake> {
        let start = self.at;
        self.at += 1;
        loop {
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') => {
                    let escape = self.bytes.get(self.at + 1).copied();
                    let length = match escape {
                        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => 2,
                        Some(b'u')
                            if self
                                .bytes
                                .get(self.at + 2..self.at + 6)
                                .is_some_and(|hex| hex.iter().all(u8::is_ascii_hexdigit)) =>
                        {
                            6
                        }
                        _ => return Err(self.mistake("JSON006", "this escape does not exist in JSON")),
                    };
                    self.at += length;
                }
                Some(0..=0x1f) => {
                    return Err(self.mistake("JSON007", "a control character must be escaped in a string"));
                }
                Some(_) => self.at += 1,
                None => return Err(Mistake { at: start, id: "JSON008", what: "the string is not closed" }),
            }
        }
    }

    fn digits(&mut self) -> bool {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        self.at > start
    }

    fn number(&mut self) -> Result<(), Mistake> {
        let start = self.at;
        let bad = |what| Err(Mistake { at: start, id: "JSON009", what });
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        let zero = self.peek() == Some(b'0');
        let first = self.at;
        if !self.digits() {
            return bad("a number needs digits");
        }
        if zero && self.at > first + 1 {
            return bad("a number must not start with 0");
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            if !self.digits() {
                return bad("a number needs digits after the point");
            }
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            if !self.digits() {
                return bad("a number needs digits in its exponent");
            }
        }
        Ok(())
    }
}
