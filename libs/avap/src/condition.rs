//! The three arguments of `if`, in both forms.

use crate::call::{nested, unquote};
use crate::commands::COMPARATORS;
use crate::diagnostic::{Category, Code, Finding};
use crate::expression;
use crate::foreign::rewrite_condition;
use crate::lexer::{Token, TokenKind};
use crate::statement::{Gathered, Reader};
use crate::syntax::{ExprId, ExprKind, Span};
use crate::words::{clip, is_missing_comma};

impl Reader<'_> {
    /// The three arguments of `if`.
    pub(crate) fn condition(
        &mut self,
        parts: &[&[Token]],
        span: Span,
        out: &mut Gathered,
    ) -> Vec<Option<ExprId>> {
        let [left, right, third] = parts else {
            let missing = 3_usize.saturating_sub(parts.len());
            let gaps: usize = parts.iter().map(|part| gaps(part)).sum();
            let arguments = self.values(parts, span, missing > 0 && gaps == missing, out);
            let inner = match parts {
                [[first, .., last]] => self.slice((first.start, last.end)),
                [[one]] => self.text(*one),
                _ => "",
            };
            let suggestion = rewrite_condition(inner);
            // What cannot be read inside is the same mistake.
            out.errors.retain(|error| error.category != Category::UnexpectedConstruct || says_enough(error));
            for error in out.errors.iter_mut().filter(|error| error.code == Code::UNKNOWN_SYMBOL) {
                error.help = Some(format!("write {suggestion}"));
            }
            if !out.errors.iter().any(says_enough) {
                out.errors.push(
                    Finding::unexpected(
                        Code::IF_ARGUMENTS,
                        span,
                        format!("unexpected construct: 'if' takes 3 arguments, found {}", parts.len()),
                    )
                    .suggest(suggestion)
                    .help("write if(x, 1, \"==\") or if(None, None, \"x == 1\")"),
                );
            }
            return arguments;
        };
        let none = |part: &[Token]| matches!(part, [one] if one.kind == TokenKind::Name && self.text(*one) == "None");
        let (left_none, right_none) = (none(left), none(right));
        let third_span = match third {
            [first, .., last] => (first.start, last.end),
            [one] => one.span(),
            [] => span,
        };
        let comparator = match third {
            [one] => {
                let text = self.text(*one);
                let bare = if one.kind == TokenKind::Str { unquote(text).trim() } else { text };
                COMPARATORS.contains(&bare)
            }
            _ => false,
        };
        let mut arguments = Vec::with_capacity(3);
        for part in [left, right] {
            if part.is_empty() {
                out.errors.push(
                    Finding::unexpected(
                        Code::IF_ARGUMENTS,
                        span,
                        "unexpected construct: an operand of 'if' is missing",
                    )
                    .help("write if(x, 1, \"==\") or if(None, None, \"x == 1\")"),
                );
                arguments.push(None);
            } else {
                arguments.push(self.expression(part, span, out));
            }
        }
        if comparator {
            if left_none && right_none {
                out.notes.push(
                    Finding::warning(
                        Category::UnexpectedConstruct,
                        Code::NONE_COMPARISON,
                        third_span,
                        "this compares None with None",
                    )
                    .help("after None, None stands a condition as text: \"x == 1\""),
                );
            }
            arguments.push(Some(self.arena.add(ExprKind::Text, third_span)));
            return arguments;
        }
        arguments.push(None);
        let text = match third {
            [one] if matches!(one.kind, TokenKind::Str | TokenKind::Template) => Some(*one),
            _ => None,
        };
        match text {
            Some(token) if left_none && right_none => {
                self.condition_text(token, out);
                arguments.pop();
                arguments.push(Some(self.arena.add(ExprKind::Text, token.span())));
            }
            _ if out.errors.iter().any(|error| {
                error.category == Category::SyntaxError || error.code == Code::UNKNOWN_SYMBOL
            }) => {}
            _ if left_none && right_none => {
                out.errors.push(
                    Finding::unexpected(
                        Code::IF_ARGUMENTS,
                        third_span,
                        "unexpected construct: after None, None a condition as text is expected",
                    )
                    .help("write if(None, None, \"x == 1\")"),
                );
            }
            _ => {
                let found = clip(self.slice(third_span));
                let message = if third.is_empty() {
                    "unexpected construct: the comparator of 'if' is missing".to_owned()
                } else {
                    format!("unexpected construct: {found} is no comparator")
                };
                let help = if left_none || right_none {
                    "either both operands are None and a condition as text follows, or the third argument is a comparator: if(None, None, \"x == 1\")"
                } else {
                    "the comparators are = == != < > <= >= in: if(x, 1, \"==\")"
                };
                out.errors.push(Finding::unexpected(Code::IF_ARGUMENTS, third_span, message).help(help));
            }
        }
        arguments
    }

    /// The second form of `if`: the text is itself an expression.
    fn condition_text(&mut self, token: Token, out: &mut Gathered) {
        let raw = self.text(token);
        let template = token.kind == TokenKind::Template;
        let text = unescape(unquote(raw));
        match expression::parse_text(&text, token.span(), template) {
            Ok(found) => {
                for (name, place, count) in found.calls {
                    if let Some(finding) = self.nested_text(&name, place, count, token.span()) {
                        out.errors.push(finding);
                    }
                }
                out.text_reads.extend(
                    found.names.into_iter().map(|(name, arithmetic)| (name, arithmetic, token.span())),
                );
            }
            Err(finding) => out.errors.push(finding),
        }
    }

    /// A call inside the text of a condition, at a place behind its quote; where escapes moved it, it is the whole text.
    fn nested_text(&self, name: &str, place: u32, count: usize, span: Span) -> Option<Finding> {
        let at = span.0.saturating_add(1).saturating_add(place);
        let own = (at, at.saturating_add(u32::try_from(name.len()).unwrap_or(u32::MAX)));
        nested(self, name, if self.slice(own) == name { own } else { span }, count)
    }
}

/// Whether a mistake about commas explains that the arguments are not three.
fn says_enough(error: &Finding) -> bool {
    error.code == Code::TRAILING_COMMA || is_missing_comma(error)
}

/// How often a value directly follows another one in an argument that holds nothing but plain values.
fn gaps(part: &[Token]) -> usize {
    let plain = part.iter().all(|token| {
        matches!(token.kind, TokenKind::Name | TokenKind::Str | TokenKind::Number | TokenKind::Template)
    });
    if plain { part.len().saturating_sub(1) } else { 0 }
}

fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c == '\\' {
            out.extend(chars.next());
        } else {
            out.push(c);
        }
    }
    out
}
