//! Where the pieces of a statement begin and end among its tokens: brackets, separators, arguments.

use crate::lexer::{Token, TokenKind};

pub(super) fn is_expression_word(word: &str) -> bool {
    matches!(word, "not" | "and" | "or" | "in")
}

pub(crate) fn starts_operator(token: Token, source: &str) -> bool {
    !matches!(
        token.kind,
        TokenKind::Name
            | TokenKind::Str
            | TokenKind::Number
            | TokenKind::Template
            | TokenKind::OddWord
            | TokenKind::Colon
    ) || matches!(token.text(source), "and" | "or" | "in" | "not" | "if" | "else")
}

/// The first semicolon outside of brackets.
pub(super) fn separator(tokens: &[Token]) -> Option<usize> {
    let mut depth = 0_i64;
    for (at, token) in tokens.iter().enumerate() {
        match token.kind {
            TokenKind::OpenParen | TokenKind::OpenBracket | TokenKind::OpenBrace => depth += 1,
            TokenKind::CloseParen | TokenKind::CloseBracket | TokenKind::CloseBrace => depth -= 1,
            TokenKind::Semicolon if depth == 0 => return Some(at),
            _ => {}
        }
    }
    None
}

/// The first `=` outside of brackets.
pub(super) fn assignment_at(tokens: &[Token]) -> Option<usize> {
    let mut depth = 0_i64;
    for (at, token) in tokens.iter().enumerate() {
        match token.kind {
            TokenKind::OpenParen | TokenKind::OpenBracket | TokenKind::OpenBrace => depth += 1,
            TokenKind::CloseParen | TokenKind::CloseBracket | TokenKind::CloseBrace => depth -= 1,
            TokenKind::Assign if depth == 0 && at > 0 => return Some(at),
            _ => {}
        }
    }
    None
}

/// The closer of the bracket at `open`, by depth; the brackets are known to balance.
pub(crate) fn matching(tokens: &[Token], open: usize) -> Option<usize> {
    let mut depth = 0_i64;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match token.kind {
            TokenKind::OpenParen | TokenKind::OpenBracket | TokenKind::OpenBrace => depth += 1,
            TokenKind::CloseParen | TokenKind::CloseBracket | TokenKind::CloseBrace => {
                depth -= 1;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

/// The parts between commas outside of brackets.
pub(crate) fn split(tokens: &[Token]) -> Vec<&[Token]> {
    let mut parts = Vec::new();
    let mut depth = 0_i64;
    let mut start = 0;
    for (at, token) in tokens.iter().enumerate() {
        match token.kind {
            TokenKind::OpenParen | TokenKind::OpenBracket | TokenKind::OpenBrace => depth += 1,
            TokenKind::CloseParen | TokenKind::CloseBracket | TokenKind::CloseBrace => depth -= 1,
            TokenKind::Comma if depth == 0 => {
                parts.push(&tokens[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&tokens[start..]);
    parts
}
