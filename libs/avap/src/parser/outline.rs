//! What can be told of a file before its lines are read: the functions that it defines and the names that it assigns.

use std::collections::BTreeMap;

use crate::layout::Line;
use crate::lexer::{Token, TokenKind};
use crate::statement::ANY_ARITY;
use std::collections::HashSet;

/// The functions of the file with the number of their parameters, before any line is read.
pub(super) fn functions<'a>(source: &'a str, tokens: &[Token], layout: &[Line]) -> BTreeMap<&'a str, usize> {
    let mut functions = BTreeMap::new();
    // Without such a symbol nothing in the file is an arrow function.
    let odd = tokens.iter().any(|token| token.kind == TokenKind::UnknownSymbol);
    for line in layout {
        let tokens = without_modifiers(source, &tokens[line.tokens.clone()]);
        let kind = |at: usize| tokens.get(at).map(|token| token.kind);
        let text = |at: usize| tokens.get(at).map_or("", |token| token.text(source));
        let (Some(TokenKind::Name), Some(second)) = (kind(0), kind(1)) else { continue };
        if second == TokenKind::Name {
            if is_function_word(text(0)) {
                // Where the header is wrong its callers are not.
                let parameters = match kind(2) {
                    Some(TokenKind::OpenParen) => parameters(source, tokens),
                    _ => ANY_ARITY,
                };
                // Of two definitions that differ nobody knows which one its callers mean.
                let known = functions.entry(text(1)).or_insert(parameters);
                if *known != parameters {
                    *known = ANY_ARITY;
                }
            } else if odd
                && matches!(text(0), "const" | "let" | "var")
                && tokens.iter().any(|token| token.text(source) == "=>")
            {
                functions.entry(text(1)).or_insert(ANY_ARITY);
            }
        } else if second == TokenKind::Assign
            && (text(2) == "function"
                || odd && tokens.iter().any(|token| matches!(token.text(source), "=>" | "function")))
        {
            functions.entry(text(0)).or_insert(ANY_ARITY);
        }
    }
    functions
}

/// Whether a word stands before the name of a function, here, in another language or with a slip.
fn is_function_word(word: &str) -> bool {
    matches!(word, "function" | "def" | "func" | "fn" | "fun")
        || (6..=10).contains(&word.len()) && strsim::damerau_levenshtein(word, "function") <= 2
}

/// A line without semicolons at its end and without words that other languages put before a definition.
fn without_modifiers<'t>(source: &str, tokens: &'t [Token]) -> &'t [Token] {
    let mut tokens = tokens;
    while let [rest @ .., last] = tokens
        && last.kind == TokenKind::Semicolon
    {
        tokens = rest;
    }
    match tokens {
        [first, rest @ ..]
            if first.kind == TokenKind::Name
                && matches!(first.text(source), "async" | "export" | "pub" | "public") =>
        {
            rest
        }
        _ => tokens,
    }
}

/// The number of parameters of a header; a comma behind the last one is a mistake of its own.
fn parameters(source: &str, tokens: &[Token]) -> usize {
    let inner = tokens[3..].iter().take_while(|token| token.kind != TokenKind::CloseParen);
    let mut seen: HashSet<&str> = HashSet::default();
    let mut inside = false;
    for token in inner {
        if token.kind == TokenKind::Comma {
            inside = false;
        } else if token.kind.is_no_code() {
        } else if inside || token.kind != TokenKind::Name {
            // A default, a type, a splat or a name twice: how many arguments it takes cannot be told.
            return ANY_ARITY;
        } else {
            inside = true;
            if !seen.insert(token.text(source)) {
                return ANY_ARITY;
            }
        }
    }
    seen.len()
}

/// The names that lines seem to assign, roughly.
pub(super) fn assigned<'a>(source: &'a str, tokens: &[Token], layout: &[Line]) -> HashSet<&'a str> {
    let mut assigned = HashSet::default();
    for line in layout {
        let tokens = without_modifiers(source, &tokens[line.tokens.clone()]);
        let kind = |at: usize| tokens.get(at).map(|token| token.kind);
        let text = |at: usize| tokens.get(at).map_or("", |token| token.text(source));
        if kind(1) == Some(TokenKind::Name) && is_function_word(text(0)) {
            if kind(2) == Some(TokenKind::OpenParen) {
                let inner = tokens[3..].iter().take_while(|token| token.kind != TokenKind::CloseParen);
                assigned.extend(inner.filter(|t| t.kind == TokenKind::Name).map(|t| t.text(source)));
            }
            continue;
        }
        if kind(0) != Some(TokenKind::Name) {
            continue;
        }
        match kind(1) {
            Some(TokenKind::Assign) => {
                assigned.insert(text(0));
                // A target may stand inside the call as well.
                assigned.extend(last_argument(source, tokens));
            }
            Some(TokenKind::OpenParen) => {
                if matches!(text(0), "addVar" | "startLoop" | "exception" | "getQueryParamList") {
                    assigned.insert(text(2).trim_matches(['"', '\'']));
                }
                assigned.extend(last_argument(source, tokens));
            }
            _ => {}
        }
    }
    assigned
}

/// The name directly before the closing parenthesis at the end of a line, if more than one argument is given.
fn last_argument<'a>(source: &'a str, tokens: &[Token]) -> Option<&'a str> {
    let [.., comma, name, close] = tokens else { return None };
    let target = close.kind == TokenKind::CloseParen
        && comma.kind == TokenKind::Comma
        && matches!(name.kind, TokenKind::Name | TokenKind::Str);
    target.then(|| name.text(source).trim_matches(['"', '\'']))
}
