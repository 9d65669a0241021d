//! Text to tokens, in one pass over the whole source and without ever failing: what cannot be a token becomes one
//! that says why. Knows nothing about statements.

use logos::{Lexer, Logos};

/// What a stretch of text is.
#[derive(Logos, Debug, Clone, Copy, PartialEq, Eq)]
#[logos(skip r"[ \t]+", extras = bool)]
pub(crate) enum TokenKind {
    #[regex(r"\r\n|\n|\r")]
    Newline,
    #[token("//", to_line_end)]
    LineComment,
    #[token("/*", block_comment)]
    BlockComment,
    /// A block comment over several lines: white space inside a statement, otherwise the end of a line.
    SoftBreak,
    UnclosedComment,

    #[token("\"", quoted)]
    #[token("'", quoted)]
    Str,
    #[token("`", quoted)]
    Template,
    /// A string or template without its end, as `lex` finds out.
    UnclosedStr,
    #[token("\"\"\"", triple_quote)]
    #[token("'''", triple_quote)]
    TripleQuote,
    #[token("```", to_line_end)]
    Fence,

    #[regex(r"[0-9]", number)]
    Number,
    #[regex(r"\.[0-9]", number)]
    BadNumber,
    #[regex(r"[A-Za-z_][A-Za-z0-9_]*")]
    Name,
    /// A word with letters outside ASCII.
    OddWord,

    #[token("(")]
    OpenParen,
    #[token(")")]
    CloseParen,
    #[token("[")]
    OpenBracket,
    #[token("]")]
    CloseBracket,
    #[token("{")]
    OpenBrace,
    #[token("}")]
    CloseBrace,
    #[token(",")]
    Comma,
    #[token(":")]
    Colon,
    #[token(".")]
    Dot,
    #[token(";")]
    Semicolon,
    #[token("$")]
    Dollar,
    #[token("=")]
    Assign,
    #[token("==")]
    Equal,
    #[token("!=")]
    NotEqual,
    #[token("<")]
    Less,
    #[token(">")]
    Greater,
    #[token("<=")]
    LessEqual,
    #[token(">=")]
    GreaterEqual,
    #[token("+")]
    Plus,
    #[token("-")]
    Minus,
    #[token("*")]
    Star,
    #[token("/")]
    Slash,
    #[token("%")]
    Percent,

    /// `#` and the rest of its line.
    #[token("#", to_line_end)]
    Hash,
    #[regex(
        r"&&|\|\||===|!==|\+\+|\+=|-=|\*=|/=|%=|:=|->|=>|\*\*|<>|<<|>>|::|\.\.\.?|<=>|\?\?|\?\.|[!~^&|?@\\]"
    )]
    UnknownSymbol,
    /// White space other than space and tab, control characters, a byte order mark inside the text.
    BadCharacter,
}

impl TokenKind {
    /// Whether nothing is wrong with such a token by itself.
    pub(crate) fn is_plain(self) -> bool {
        !self.is_no_code()
            && !matches!(
                self,
                Self::UnclosedStr | Self::TripleQuote | Self::BadNumber | Self::OddWord | Self::UnknownSymbol
            )
    }

    /// Whether such a token is no part of a statement.
    pub(crate) fn is_no_code(self) -> bool {
        matches!(
            self,
            Self::Hash | Self::BadCharacter | Self::UnclosedComment | Self::SoftBreak | Self::Fence
        )
    }
}

// What may be long is taken by loops of our own: a state machine that goes from state to state by calls may use a
// stack frame for each character where the compiler does not make them jumps.

fn to_line_end(lexer: &mut Lexer<'_, TokenKind>) {
    let rest = lexer.remainder().as_bytes();
    let length = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(rest.len());
    lexer.bump(length);
}

/// Takes a string or template up to its quote or the end of its line; says whether it was closed.
fn quoted(lexer: &mut Lexer<'_, TokenKind>) {
    let quote = lexer.slice().as_bytes().first().copied().unwrap_or(b'"');
    let rest = lexer.remainder().as_bytes();
    let mut at = 0;
    let mut closed = false;
    while let Some(byte) = rest.get(at).copied() {
        match byte {
            b'\n' | b'\r' => break,
            // Bytes of a longer character that is escaped are none of these.
            b'\\' if !matches!(rest.get(at + 1), None | Some(b'\n' | b'\r')) => at += 2,
            _ => at += 1,
        }
        if byte == quote {
            closed = true;
            break;
        }
    }
    lexer.bump(at);
    lexer.extras = closed;
}

/// Takes digits and what hangs on to them; says whether they are an integer or a decimal.
fn number(lexer: &mut Lexer<'_, TokenKind>) {
    let rest = lexer.remainder().as_bytes();
    let digits = |from: usize| {
        from + rest.get(from..).unwrap_or_default().iter().take_while(|byte| byte.is_ascii_digit()).count()
    };
    let whole = digits(0);
    let mut sound = whole;
    if rest.get(whole) == Some(&b'.') && rest.get(whole + 1).is_some_and(u8::is_ascii_digit) {
        sound = digits(whole + 1);
    }
    let hangs = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.');
    let length = sound + rest.get(sound..).unwrap_or_default().iter().take_while(hangs).count();
    lexer.bump(length);
    lexer.extras = length == sound;
}

fn block_comment(lexer: &mut Lexer<'_, TokenKind>) {
    let length = lexer.remainder().find("*/").map_or(lexer.remainder().len(), |at| at + 2);
    lexer.bump(length);
}

fn triple_quote(lexer: &mut Lexer<'_, TokenKind>) {
    let rest = lexer.remainder();
    let length = match rest.find(lexer.slice()) {
        Some(at) => at + 3,
        None => rest.find(['\n', '\r']).unwrap_or(rest.len()),
    };
    lexer.bump(length);
}

/// A token with its byte range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) start: u32,
    pub(crate) end: u32,
}

impl Token {
    pub(crate) fn span(self) -> (u32, u32) {
        (self.start, self.end)
    }

    pub(crate) fn text(self, source: &str) -> &str {
        source.get(self.start as usize..self.end as usize).unwrap_or_default()
    }
}

/// The tokens of a source, comments apart.
#[derive(Debug, Default)]
pub(crate) struct Lexed {
    pub(crate) tokens: Vec<Token>,
    pub(crate) comments: Vec<(u32, u32)>,
}

/// Splits a source of fewer than 2^32 bytes into tokens; white space is dropped, comments are set apart.
pub(crate) fn lex(source: &str) -> Lexed {
    let skip = if source.starts_with('\u{feff}') { 3 } else { 0 };
    // A token and the white space behind it take some four bytes.
    let mut out = Lexed { tokens: Vec::with_capacity(source.len() / 4 + 4), comments: Vec::new() };
    let mut lexer = TokenKind::lexer(&source[skip..]);
    while let Some(result) = lexer.next() {
        let span = lexer.span();
        let (start, end) = (offset(span.start + skip), offset(span.end + skip));
        match result {
            Ok(TokenKind::LineComment) => out.comments.push((start, end)),
            Ok(TokenKind::BlockComment) => {
                out.comments.push((start, end));
                let text = lexer.slice();
                if text.len() < 4 || !text.ends_with("*/") {
                    out.tokens.push(Token { kind: TokenKind::UnclosedComment, start, end });
                } else if text.contains(['\n', '\r']) {
                    out.tokens.push(Token { kind: TokenKind::SoftBreak, start, end });
                }
            }
            Ok(TokenKind::Str | TokenKind::Template) if !lexer.extras => {
                push(&mut out.tokens, Token { kind: TokenKind::UnclosedStr, start, end });
            }
            Ok(TokenKind::Number) if !lexer.extras => {
                push(&mut out.tokens, Token { kind: TokenKind::BadNumber, start, end });
            }
            Ok(kind) => push(&mut out.tokens, Token { kind, start, end }),
            Err(()) => {
                let mut at = start;
                for c in lexer.slice().chars() {
                    let next = at + offset(c.len_utf8());
                    push(&mut out.tokens, Token { kind: odd_kind(c), start: at, end: next });
                    at = next;
                }
            }
        }
    }
    out
}

fn offset(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

fn odd_kind(c: char) -> TokenKind {
    let invisible = c.is_whitespace()
        || c.is_control()
        || matches!(c, '\u{feff}' | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}' | '\u{ad}');
    if invisible {
        TokenKind::BadCharacter
    } else if c.is_alphanumeric() {
        TokenKind::OddWord
    } else {
        TokenKind::UnknownSymbol
    }
}

/// Appends a token; pieces of one word with letters outside ASCII, and runs of bad characters, become one.
fn push(tokens: &mut Vec<Token>, token: Token) {
    use TokenKind::{BadCharacter, BadNumber, Name, Number, OddWord};
    if let Some(last) = tokens.last_mut()
        && last.end == token.start
    {
        let merged = match (last.kind, token.kind) {
            (OddWord, OddWord | Name | Number | BadNumber) | (Name, OddWord) => Some(OddWord),
            (BadCharacter, BadCharacter) => Some(BadCharacter),
            _ => None,
        };
        if let Some(kind) = merged {
            last.kind = kind;
            last.end = token.end;
            return;
        }
    }
    tokens.push(token);
}

#[cfg(test)]
mod tests {
    use super::TokenKind::{self, *};
    use super::lex;

    fn kinds(source: &str) -> Vec<TokenKind> {
        lex(source).tokens.iter().map(|t| t.kind).collect()
    }

    fn check(source: &str, expected: &[TokenKind]) {
        assert_eq!(kinds(source), expected, "{source:?}");
    }

    #[test]
    fn comments_are_no_tokens_and_strings_hide_them() {
        check("x // y", &[Name]);
        check("\"a // b\" 'c /* d'", &[Str, Str]);
        check("/* a */ x /* b */", &[Name]);
        check("/* a\n b */ x", &[SoftBreak, Name]);
        check("/* a", &[UnclosedComment]);
        check("/*/", &[UnclosedComment]);
    }

    #[test]
    fn strings_end_at_the_line() {
        check("\"a\\\"b\"", &[Str]);
        check("\"ab\nx", &[UnclosedStr, Newline, Name]);
        check("\"ab\\", &[UnclosedStr]);
        check("\"\"\"doc\nstring\"\"\" x", &[TripleQuote, Name]);
        check("`a ${b}`", &[Template]);
    }

    #[test]
    fn numbers_and_their_mistakes() {
        check("1 2.5", &[Number, Number]);
        check(".5", &[BadNumber]);
        check("5.", &[BadNumber]);
        check("0x1F 1e5 1_000 1.2.3", &[BadNumber; 4]);
        check("--5", &[Minus, Minus, Number]);
    }

    #[test]
    fn line_ends_and_odd_characters() {
        check("a\r\nb\rc\nd", &[Name, Newline, Name, Newline, Name, Newline, Name]);
        check("\u{feff}a", &[Name]);
        check("a\u{feff}", &[Name, BadCharacter]);
        check("a\u{a0}\u{a0}b", &[Name, BadCharacter, Name]);
        check("añadir(é)", &[OddWord, OpenParen, OddWord, CloseParen]);
        check("a && b === c # d", &[Name, UnknownSymbol, Name, UnknownSymbol, Name, Hash]);
        check("a <-5", &[Name, Less, Minus, Number]);
    }
}
