//! Maps from the codes of a font to text: `ToUnicode`, section 9.10.3 of ISO 32000-1.

use std::collections::HashMap;

/// Most codes of one map.
const MAX_CODES: usize = 1 << 17;

/// Codes with the text that they show.
#[derive(Debug, Default)]
pub(super) struct CMap {
    texts: HashMap<u32, String>,
}

impl CMap {
    /// Reads a map; what it does not understand is left out.
    pub(super) fn read(content: &[u8]) -> Self {
        let mut map = Self::default();
        let mut tokens = Tokens { rest: content };
        let mut section = Section::None;
        while let Some(token) = tokens.next() {
            match token {
                Token::Word(b"beginbfchar") => section = Section::Chars,
                Token::Word(b"beginbfrange") => section = Section::Ranges,
                Token::Word(word) if word.starts_with(b"end") => section = Section::None,
                Token::Hex(code) => map.entry(section, &code, &mut tokens),
                _ => {}
            }
        }
        map
    }

    fn entry(&mut self, section: Section, code: &[u8], tokens: &mut Tokens<'_>) {
        match section {
            Section::None => {}
            Section::Chars => {
                if let Some(Token::Hex(text)) = tokens.next() {
                    self.put(number(code), &text, 0);
                }
            }
            Section::Ranges => {
                let Some(Token::Hex(last)) = tokens.next() else { return };
                let codes = number(code)..=number(&last);
                match tokens.next() {
                    Some(Token::Hex(text)) => {
                        for (step, code) in (0_u32..).zip(codes).take(1 << 16) {
                            self.put(code, &text, step);
                        }
                    }
                    Some(Token::Word(b"[")) => {
                        for code in codes.take(1 << 16) {
                            let Some(Token::Hex(text)) = tokens.next() else { break };
                            self.put(code, &text, 0);
                        }
                    }
                    _ => {}
                }
            }
        }
    }

    /// Keeps a text of UTF-16; `step` is added to its last unit.
    fn put(&mut self, code: u32, text: &[u8], step: u32) {
        let mut units: Vec<u16> =
            text.chunks(2).map(|pair| u16::try_from(number(pair)).unwrap_or(0)).collect();
        if let Some(last) = units.last_mut() {
            *last = last.wrapping_add(u16::try_from(step).unwrap_or(0));
        }
        if self.texts.len() < MAX_CODES {
            self.texts.insert(code, String::from_utf16_lossy(&units));
        }
    }

    /// Text of a code.
    pub(super) fn get(&self, code: u32) -> Option<&str> {
        self.texts.get(&code).map(String::as_str)
    }
}

#[derive(Debug, Clone, Copy)]
enum Section {
    None,
    Chars,
    Ranges,
}

enum Token<'t> {
    Hex(Vec<u8>),
    Word(&'t [u8]),
}

struct Tokens<'t> {
    rest: &'t [u8],
}

impl<'t> Tokens<'t> {
    fn next(&mut self) -> Option<Token<'t>> {
        let start = self.rest.iter().position(|byte| !byte.is_ascii_whitespace())?;
        self.rest = self.rest.get(start..)?;
        let first = *self.rest.first()?;
        if first == b'<' {
            let end = self.rest.iter().position(|byte| *byte == b'>').unwrap_or(self.rest.len());
            let digits: Vec<u8> =
                self.rest.get(1..end)?.iter().filter_map(|byte| hex(*byte)).take(64).collect();
            self.rest = self.rest.get(end + 1..).unwrap_or(&[]);
            return Some(Token::Hex(
                digits.chunks(2).map(|pair| pair.iter().fold(0, |sum, digit| sum * 16 + digit)).collect(),
            ));
        }
        let ends = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'<' | b'[' | b']');
        let end = match first {
            b'[' | b']' => 1,
            _ => self.rest.iter().position(ends).unwrap_or(self.rest.len()),
        };
        let (word, rest) = self.rest.split_at_checked(end)?;
        self.rest = rest;
        Some(Token::Word(word))
    }
}

fn hex(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

fn number(bytes: &[u8]) -> u32 {
    bytes.iter().take(4).fold(0, |sum, byte| sum << 8 | u32::from(*byte))
}
