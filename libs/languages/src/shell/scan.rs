//! What stands at a place of a script: bytes, blanks, line ends with the here-documents that begin there, bare words.

use super::{CLOSERS, Document, Reader, clip};

impl Reader<'_> {
    pub(super) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    pub(super) fn ahead(&self, text: &str) -> bool {
        self.bytes.get(self.at..).is_some_and(|rest| rest.starts_with(text.as_bytes()))
    }

    pub(super) fn line_end(&self) -> bool {
        self.peek() == Some(b'\n') || self.ahead("\r\n")
    }

    /// Skips white space, continued lines and a comment.
    pub(super) fn blanks(&mut self) {
        loop {
            match self.peek() {
                Some(b' ' | b'\t') => self.at += 1,
                Some(b'\r') if !self.line_end() => self.at += 1,
                Some(b'\\') if self.ahead("\\\n") => self.at += 2,
                Some(b'\\') if self.ahead("\\\r\n") => self.at += 3,
                Some(b'#') => {
                    let rest = &self.bytes[self.at..];
                    self.at += rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
                }
                _ => return,
            }
        }
    }

    /// Skips blanks and line ends, with the here-documents that begin there.
    pub(super) fn newlines(&mut self) {
        loop {
            self.blanks();
            if !self.line_end() {
                return;
            }
            self.at += 1 + usize::from(self.peek() == Some(b'\r'));
            for document in std::mem::take(&mut self.documents) {
                self.document(&document);
            }
        }
    }

    /// Skips the text of a here-document.
    pub(super) fn document(&mut self, document: &Document) {
        while self.at < self.bytes.len() {
            let rest = &self.code[self.at..];
            let line = rest.split('\n').next().unwrap_or_default();
            self.at = (self.at + line.len() + 1).min(self.bytes.len());
            let line = line.strip_suffix('\r').unwrap_or(line);
            let line = if document.tabs { line.trim_start_matches('\t') } else { line };
            if line == document.delimiter {
                return;
            }
        }
        let name = clip(&document.delimiter);
        self.warnings.push((
            document.at,
            format!("the text of '<<{name}' runs to the end: no line '{name}' closes it"),
        ));
    }

    /// The bare word that stands here, if it is short enough to be one of the language's own.
    pub(super) fn bare(&self) -> &str {
        let rest = &self.bytes[self.at..];
        let end = rest
            .iter()
            .take(10)
            .position(|byte| {
                matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>')
            })
            .unwrap_or(rest.len());
        if end > 9 { "" } else { self.code.get(self.at..self.at + end).unwrap_or_default() }
    }

    /// What stands here, for messages: an operator or a word.
    pub(super) fn token(&self) -> &'static str {
        const OPERATORS: &[&str] = &[
            ";;&", ";;", ";&", "&&", "||", "|&", "&>", "<<<", "<<", ">>", ";", "&", "|", "(", ")", "<", ">",
        ];
        let found = OPERATORS.iter().find(|operator| self.ahead(operator));
        found.or_else(|| CLOSERS.iter().find(|word| **word == self.bare())).copied().unwrap_or("")
    }

    /// What stands here, as it is written; the line end and the end of the text by their names.
    pub(super) fn seen(&self) -> String {
        if self.at >= self.bytes.len() {
            return "the end".to_owned();
        }
        if self.line_end() {
            return "the line end".to_owned();
        }
        let token = self.token();
        if !token.is_empty() {
            return format!("'{token}'");
        }
        let rest = &self.code[self.at..];
        let end = rest.find([' ', '\t', '\n', '\r', ';', '(', ')']).unwrap_or(rest.len()).max(1);
        format!("'{}'", clip(rest.get(..end).unwrap_or(rest)))
    }
}
