//! The place in a program that an editor asks about, with the tokens around it.

use crate::lexer::{Lexed, Token, TokenKind, lex};
use crate::syntax::Span;

pub(super) struct Place<'a> {
    pub(super) code: &'a str,
    pub(super) lexed: Lexed,
    pub(super) offset: u32,
}

impl<'a> Place<'a> {
    pub(super) fn new(code: &'a str, offset: usize) -> Self {
        let mut offset = offset.min(code.len());
        while !code.is_char_boundary(offset) {
            offset -= 1;
        }
        Self { code, lexed: lex(code), offset: u32::try_from(offset).unwrap_or(u32::MAX) }
    }

    pub(super) fn slice(&self, span: Span) -> &'a str {
        self.code.get(span.0 as usize..span.1 as usize).unwrap_or_default()
    }

    /// The name that the place touches.
    pub(super) fn name(&self) -> Option<Token> {
        let behind = self.lexed.tokens.partition_point(|token| token.start <= self.offset);
        let token = *self.lexed.tokens.get(behind.checked_sub(1)?)?;
        if token.kind == TokenKind::Name && token.end >= self.offset {
            return Some(token);
        }
        // The end of a name may be the start of the next token.
        let before = *self.lexed.tokens.get(behind.checked_sub(2)?)?;
        (before.kind == TokenKind::Name && before.end == self.offset).then_some(before)
    }

    /// Whether the place is inside a comment.
    pub(super) fn in_comment(&self) -> bool {
        self.lexed.comments.iter().any(|(start, end)| {
            let line = self.slice((*start, *end)).starts_with("//");
            *start < self.offset && (self.offset < *end || line && self.offset == *end)
        })
    }

    /// The text token that the place is inside of.
    pub(super) fn text(&self) -> Option<Token> {
        use TokenKind::{Str, Template, TripleQuote, UnclosedStr};
        let behind = self.lexed.tokens.partition_point(|token| token.start < self.offset);
        let token = *self.lexed.tokens.get(behind.checked_sub(1)?)?;
        let inside = match token.kind {
            Str | Template | TripleQuote => self.offset < token.end,
            UnclosedStr => self.offset <= token.end,
            _ => false,
        };
        inside.then_some(token)
    }

    /// The tokens of the line before the place.
    pub(super) fn before(&self, until: u32) -> &[Token] {
        let end = self.lexed.tokens.partition_point(|token| token.end <= until);
        let start = self.lexed.tokens[..end]
            .iter()
            .rposition(|token| token.kind == TokenKind::Newline)
            .map_or(0, |at| at + 1);
        &self.lexed.tokens[start..end]
    }
}
