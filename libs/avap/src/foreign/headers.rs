//! Headers and declarations of other languages: functions, variables, conditions and loops, with what AVAP writes
//! instead.

use super::forms::{Form, Opens};
use super::rewrite::{denied_condition, items_of, rewrite_condition, rewrite_loop, textual_condition};
use crate::lexer::{Token, TokenKind};
use crate::words::clip;

pub(super) fn function_form(source: &str, tokens: &[Token]) -> Form {
    let open = tokens.iter().position(|token| token.kind == TokenKind::OpenParen);
    let name = open
        .and_then(|at| at.checked_sub(1))
        .map(|at| tokens[at])
        .filter(|token| token.kind == TokenKind::Name)
        .map_or("f", |token| token.text(source));
    let name = if matches!(name, "function" | "func" | "def" | "fn") { "f" } else { name };
    let mut parameters = Vec::new();
    let mut take = true;
    for token in tokens.iter().skip(open.map_or(tokens.len(), |at| at + 1)) {
        match token.kind {
            TokenKind::CloseParen => break,
            TokenKind::Comma => take = true,
            TokenKind::Name if take => {
                parameters.push(token.text(source));
                take = false;
            }
            _ => {}
        }
    }
    written_here(name, &parameters, Some(Opens::Function))
}

/// A function as AVAP writes it.
fn written_here(name: &str, parameters: &[&str], opens: Option<Opens>) -> Form {
    let header = format!("function {name}({}){{", parameters.join(", "));
    let help = format!("functions are written {header} … }}");
    Form { help, suggestion: Some(header), opens, divides: None }
}

/// `f = (a, b) => {`, `f = a => a + 1`, `f = function(a) {` and `f = lambda a: a + 1`, written as a function of AVAP.
pub(super) fn assigned_function(source: &str, name: &str, value: &[Token]) -> Form {
    let lambda = value.first().is_some_and(|first| first.text(source) == "lambda");
    let mut parameters: Vec<&str> = Vec::new();
    let mut take = true;
    for token in value {
        match token.text(source) {
            "=>" | "{" | ")" => break,
            ":" if lambda => break,
            "async" | "function" | "func" | "lambda" => {}
            "(" => {
                parameters.clear();
                take = true;
            }
            "," => take = true,
            word if take && token.kind == TokenKind::Name => {
                parameters.push(word);
                // Of `a: number` the name counts.
                take = false;
            }
            _ => {}
        }
    }
    let opens = value.last().is_some_and(|last| last.text(source) == "{").then_some(Opens::Function);
    written_here(name, &parameters, opens)
}

/// `function f($a)` or `function f(a: number): number {`.
pub(super) fn bad_function(source: &str, tokens: &[Token]) -> bool {
    tokens.get(1).is_some_and(|token| token.kind == TokenKind::Name)
        && tokens.get(2).is_some_and(|token| token.kind == TokenKind::OpenParen)
        && tokens.iter().skip(3).any(|token| {
            token.kind == TokenKind::Dollar
                || token.text(source) == "->"
                || token.kind == TokenKind::Colon && tokens.last().map(|last| last.text(source)) == Some("{")
        })
}

pub(super) fn declaration(source: &str, tokens: &[Token]) -> Form {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text(source));
    let equals = tokens.iter().enumerate().position(|(at, token)| {
        token.kind == TokenKind::Assign
            || (token.kind == TokenKind::UnknownSymbol && token.text(source) == ":=")
            // let x be 5
            || at == 2 && matches!(word(0), "let" | "set") && matches!(word(at), "be" | "to")
    });
    let colon = tokens.get(1).is_some_and(|token| token.kind == TokenKind::Colon);
    let typed = tokens.get(2).is_some_and(|token| token.kind == TokenKind::Colon);
    // Go writes the type behind the name, and no language one before it where the line starts with "let".
    let behind = (word(0) == "var" || word(0) == "let" && word(1) != "mut")
        && tokens.get(2).is_some_and(|token| token.kind == TokenKind::Name);
    let name = if colon {
        tokens.first()
    } else if behind || typed {
        tokens.get(1)
    } else {
        let end = equals.unwrap_or(tokens.len());
        tokens[..end].iter().rev().find(|token| token.kind == TokenKind::Name)
    };
    let name = name.map_or("x", |token| token.text(source));
    if let Some(at) = equals
        && tokens[at..]
            .iter()
            .any(|token| matches!(token.text(source), "=>" | "function" | "func" | "lambda"))
    {
        return assigned_function(source, name, &tokens[at + 1..]);
    }
    let last = tokens.iter().rposition(|token| token.kind != TokenKind::Semicolon).unwrap_or(0);
    let value = equals
        .filter(|at| *at < last)
        .and_then(|at| source.get(tokens[at + 1].start as usize..tokens[last].end as usize))
        .map_or_else(|| "None".to_owned(), clip);
    Form {
        help: format!("variables are not declared; write {name} = {value} or addVar({name}, {value})"),
        suggestion: Some(format!("{name} = {value}")),
        opens: None,
        divides: None,
    }
}

/// The condition of a header, as it is written; empty where it is the test of a shell, which is no expression.
fn condition_text<'a>(source: &'a str, tokens: &[Token]) -> &'a str {
    let inner: Vec<&Token> = tokens[1..]
        .iter()
        .take_while(|token| {
            !matches!(token.kind, TokenKind::OpenBrace | TokenKind::Colon) && token.text(source) != "then"
        })
        .collect();
    let text = match (inner.first(), inner.last()) {
        (Some(from), Some(to)) => source.get(from.start as usize..to.end as usize).unwrap_or_default(),
        _ => "",
    };
    if text.starts_with('[') { "" } else { text }
}

/// `unless x`: the opposite of the condition.
pub(super) fn denied_form(source: &str, tokens: &[Token]) -> Form {
    let suggestion = denied_condition(condition_text(source, tokens));
    Form {
        help: format!("write {suggestion} … end()"),
        suggestion: Some(suggestion),
        opens: Some(Opens::Condition),
        divides: None,
    }
}

pub(super) fn condition_form(source: &str, tokens: &[Token]) -> Form {
    let text = condition_text(source, tokens);
    let suggestion = rewrite_condition(text);
    Form {
        help: format!("write {suggestion} … end(), or the condition as text: {}", textual_condition(text)),
        suggestion: Some(suggestion),
        opens: Some(Opens::Condition),
        divides: None,
    }
}

pub(super) fn loop_form(line: &str) -> Form {
    let suggestion = rewrite_loop(line).unwrap_or_else(|| "startLoop(i, 1, 5)".to_owned());
    let item =
        items_of(line).map(|(list, item)| format!("; itemFromList({list}, i, {item}) reads each item"));
    Form {
        help: format!("AVAP loop syntax required: {suggestion} … endLoop(){}", item.unwrap_or_default()),
        suggestion: Some(suggestion),
        opens: Some(Opens::Loop),
        divides: None,
    }
}
