//! Physical lines to logical ones: where a line ends, whether its brackets balance, and which following lines belong
//! to a statement that was wrongly spread over several lines.

use std::ops::Range;

use crate::lexer::{Token, TokenKind};

/// How many lines a spread statement may swallow while it is looked for.
const LOOKAHEAD: usize = 400;

/// How many lines are looked at in this way for each line of a file, beyond some thousands, so that the time is linear
/// whatever stands in it.
const LOOKS: usize = 8;

/// What is wrong with the brackets of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Imbalance {
    /// The bracket at this token is never closed.
    Open(usize),
    /// The bracket at this token closes the wrong one.
    Mismatch(usize),
    /// The bracket at this token closes nothing.
    Close(usize),
}

/// One line of the program with its tokens.
#[derive(Debug, Clone)]
pub(crate) struct Line {
    /// Its tokens, as a range of the file's.
    pub(crate) tokens: Range<usize>,
    pub(crate) imbalance: Option<Imbalance>,
    /// Whether it ends in `{` that opens a block rather than a dict.
    pub(crate) brace: bool,
    /// The tokens of following lines that belong to it by mistake; empty if it is not spread.
    pub(crate) spread: Range<usize>,
}

/// Splits the tokens into lines that hold at least one token.
pub(crate) fn lines(source: &str, tokens: &[Token]) -> Vec<Line> {
    let mut physical: Vec<Range<usize>> = Vec::with_capacity(tokens.len() / 6 + 1);
    let mut start = 0;
    let mut depth = 0_i64;
    for (at, token) in tokens.iter().enumerate() {
        let ends = match token.kind {
            TokenKind::Newline => true,
            TokenKind::SoftBreak => depth <= 0 && !(at > start && expects_more(tokens[at - 1].kind)),
            TokenKind::OpenParen | TokenKind::OpenBracket => {
                depth += 1;
                false
            }
            TokenKind::CloseParen | TokenKind::CloseBracket => {
                depth -= 1;
                false
            }
            _ => false,
        };
        if ends {
            if at > start {
                physical.push(start..at);
            }
            start = at + 1;
            depth = 0;
        }
    }
    if tokens.len() > start {
        physical.push(start..tokens.len());
    }

    let mut lines = Vec::with_capacity(physical.len());
    let mut looks = 4_000 + LOOKS * physical.len();
    let mut stack = Vec::new();
    let mut at = 0;
    while at < physical.len() {
        let range = physical[at].clone();
        let (imbalance, brace, open) = measure(source, tokens, &range, &mut stack);
        let swallowed = swallowed(source, tokens, &physical, at, open, &mut looks);
        let last = physical[at + swallowed].end;
        lines.push(Line { spread: range.end..last, tokens: range, imbalance, brace });
        at += swallowed + 1;
    }
    lines
}

/// Whether a line that ends with this token cannot be complete.
pub(crate) fn expects_more(kind: TokenKind) -> bool {
    use TokenKind::{
        Assign, Colon, Comma, Dot, Equal, Greater, GreaterEqual, Less, LessEqual, Minus, NotEqual, OpenBrace,
        OpenBracket, OpenParen, Percent, Plus, Slash, Star,
    };
    matches!(
        kind,
        Assign
            | Colon
            | Comma
            | Dot
            | Equal
            | Greater
            | GreaterEqual
            | Less
            | LessEqual
            | Minus
            | NotEqual
            | OpenBrace
            | OpenBracket
            | OpenParen
            | Percent
            | Plus
            | Slash
            | Star
    )
}

fn closer(kind: TokenKind) -> Option<TokenKind> {
    match kind {
        TokenKind::OpenParen => Some(TokenKind::CloseParen),
        TokenKind::OpenBracket => Some(TokenKind::CloseBracket),
        TokenKind::OpenBrace => Some(TokenKind::CloseBrace),
        _ => None,
    }
}

/// The imbalance of a line, whether it ends in a block brace, and which closers are missing, the outermost first.
fn measure(
    source: &str,
    tokens: &[Token],
    range: &Range<usize>,
    stack: &mut Vec<usize>,
) -> (Option<Imbalance>, bool, Vec<TokenKind>) {
    stack.clear();
    let mut wrong = None;
    let mut brace = false;
    let mut end = range.end;
    while end > range.start && tokens[end - 1].kind == TokenKind::Semicolon {
        end -= 1;
    }
    for at in range.clone() {
        match tokens[at].kind {
            TokenKind::OpenBrace
                if stack.is_empty() && at + 1 == end && opens_block(source, tokens, range.start, at) =>
            {
                brace = true;
            }
            TokenKind::OpenParen | TokenKind::OpenBracket | TokenKind::OpenBrace => stack.push(at),
            kind @ (TokenKind::CloseParen | TokenKind::CloseBracket | TokenKind::CloseBrace) => {
                let fits = stack.last().is_some_and(|open| closer(tokens[*open].kind) == Some(kind));
                if fits {
                    stack.pop();
                } else if kind == TokenKind::CloseBrace && stack.is_empty() && at == range.start {
                    // The brace that closes a function.
                } else if wrong.is_none() {
                    wrong =
                        Some(if stack.is_empty() { Imbalance::Close(at) } else { Imbalance::Mismatch(at) });
                }
            }
            _ => {}
        }
    }
    let imbalance = wrong.or_else(|| stack.first().map(|open| Imbalance::Open(*open)));
    let open = match wrong {
        Some(_) => Vec::new(),
        None => stack.iter().filter_map(|at| closer(tokens[*at].kind)).collect(),
    };
    (imbalance, brace, open)
}

fn opens_block(source: &str, tokens: &[Token], first: usize, at: usize) -> bool {
    if at == first {
        return true;
    }
    let before = tokens[at - 1];
    !expects_more(before.kind) && before.text(source) != "return"
}

/// How many of the following lines belong to the statement of line `at`, which is not closed on it.
fn swallowed(
    source: &str,
    tokens: &[Token],
    physical: &[Range<usize>],
    at: usize,
    open: Vec<TokenKind>,
    looks: &mut usize,
) -> usize {
    let line = &physical[at];
    let Some(last) = tokens[line.clone()].last() else { return 0 };
    match last.kind {
        TokenKind::UnclosedStr => string_end(source, tokens, physical, at, *last, looks),
        TokenKind::UnknownSymbol if last.text(source) == "\\" => usize::from(at + 1 < physical.len()),
        _ if !open.is_empty() => bracket_end(source, tokens, physical, at, open, looks),
        _ => 0,
    }
}

/// A string that goes on: the first later line with its quote holds it once and what follows looks like an end.
fn string_end(
    source: &str,
    tokens: &[Token],
    physical: &[Range<usize>],
    at: usize,
    string: Token,
    looks: &mut usize,
) -> usize {
    let quote = string.text(source).chars().next().unwrap_or('"');
    for (step, line) in physical.iter().skip(at + 1).take(LOOKAHEAD.min(*looks)).enumerate() {
        *looks -= 1;
        let (Some(first), Some(last)) = (tokens[line.clone()].first(), tokens[line.clone()].last()) else {
            return 0;
        };
        let text = source.get(first.start as usize..last.end as usize).unwrap_or_default();
        let Some((before, after)) = text.split_once(quote) else {
            if looks_complete(source, tokens, line) {
                return 0;
            }
            continue;
        };
        let before = before.trim_end();
        let after = after.trim_start();
        let ends = after.is_empty() || after.starts_with([')', ',', ']', '}', ';', '+']);
        let continues = !before.ends_with(['(', ',', '=', '[', '{', '+']) || before.is_empty();
        return if ends && continues && text.matches(quote).count() % 2 == 1 { step + 1 } else { 0 };
    }
    0
}

/// Brackets that are closed on a later line, where the lines between look like the inside of a bracket.
fn bracket_end(
    source: &str,
    tokens: &[Token],
    physical: &[Range<usize>],
    at: usize,
    open: Vec<TokenKind>,
    looks: &mut usize,
) -> usize {
    let mut open = open;
    let mut more = tokens[physical[at].clone()].last().is_some_and(|token| expects_more(token.kind));
    for (step, line) in physical.iter().skip(at + 1).take(LOOKAHEAD.min(*looks)).enumerate() {
        *looks -= 1;
        let inner = &tokens[line.clone()];
        let closes_first = inner.first().is_some_and(|token| {
            matches!(
                token.kind,
                TokenKind::CloseParen | TokenKind::CloseBracket | TokenKind::CloseBrace | TokenKind::Comma
            ) || (expects_more(token.kind)
                && !matches!(
                    token.kind,
                    TokenKind::OpenParen | TokenKind::OpenBracket | TokenKind::OpenBrace
                ))
        });
        if !more && !closes_first && looks_complete(source, tokens, line) {
            return 0;
        }
        for token in inner {
            match token.kind {
                TokenKind::CloseParen | TokenKind::CloseBracket | TokenKind::CloseBrace => {
                    if open.pop() != Some(token.kind) {
                        return 0;
                    }
                    if open.is_empty() {
                        return step + 1;
                    }
                }
                kind => open.extend(closer(kind)),
            }
        }
        more = inner.last().is_some_and(|token| expects_more(token.kind));
    }
    0
}

/// Whether a line starts like a statement and its brackets balance.
fn looks_complete(source: &str, tokens: &[Token], line: &Range<usize>) -> bool {
    let inner = &tokens[line.clone()];
    let starts = match (inner.first(), inner.get(1)) {
        (Some(first), Some(second)) => {
            first.kind == TokenKind::Name
                && (matches!(second.kind, TokenKind::OpenParen | TokenKind::Assign | TokenKind::Dot)
                    || matches!(first.text(source), "function" | "return"))
        }
        (Some(first), None) => matches!(first.text(source), "return"),
        _ => false,
    };
    starts
        && measure(source, tokens, line, &mut Vec::new()).2.is_empty()
        && !inner.last().is_some_and(|token| token.kind == TokenKind::Comma)
}
