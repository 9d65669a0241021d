//! Operands: literals, names, templates, and what opens a bracket or stands before a value.

use super::{Frame, Reader};
use crate::commands::is_keyword;
use crate::diagnostic::{Category, Code, Finding};
use crate::foreign;
use crate::lexer::{Token, TokenKind};
use crate::syntax::{BinaryOp, ExprId, ExprKind, Run, UnaryOp};
use crate::words::{
    bad_hole, clip, empty_argument, foreign_constant, lowercase_constant, symbol, template_holes,
    trailing_comma,
};

impl Reader<'_> {
    /// Reads one operand; `None` where it opened something that needs an operand itself.
    pub(super) fn operand(&mut self) -> Result<Option<ExprId>, Finding> {
        let Some(token) = self.peek() else {
            return Err(self.fault(None, "a value is missing"));
        };
        let span = token.span();
        let text = token.text(self.source);
        self.position += 1;
        let kind = match token.kind {
            TokenKind::Number | TokenKind::BadNumber => {
                if token.kind == TokenKind::Number && beyond_64_bits(text) {
                    self.notes.push(Finding::warning(
                        Category::UnexpectedConstruct,
                        Code::LARGE_NUMBER,
                        span,
                        format!("the number {} does not fit 64 bits", clip(text)),
                    ));
                }
                ExprKind::Number
            }
            TokenKind::Str | TokenKind::UnclosedStr | TokenKind::TripleQuote => ExprKind::Text,
            TokenKind::Template => ExprKind::Template(self.template(token)?),
            TokenKind::OddWord => ExprKind::Name { sigil: false },
            TokenKind::Name => return self.name(token),
            TokenKind::Dollar => return self.sigil(token).map(Some),
            TokenKind::Minus => {
                if matches!(self.frames.last(), Some(Frame::Prefix { op: UnaryOp::Negate, .. })) {
                    return Err(self.fault(Some(token), "a value must follow '-'"));
                }
                self.frames.push(Frame::Prefix { op: UnaryOp::Negate, start: token.start });
                return Ok(None);
            }
            TokenKind::OpenParen => {
                self.frames.push(Frame::Group { open: token.start, items: Vec::new() });
                return Ok(None);
            }
            TokenKind::OpenBracket => {
                if self.peek().is_some_and(|next| next.kind == TokenKind::CloseBracket) {
                    let end = self.peek().map_or(token.end, |next| next.end);
                    self.position += 1;
                    return Ok(Some(self.arena.add(ExprKind::List(Run::default()), (token.start, end))));
                }
                self.frames.push(Frame::List { open: token.start, items: Vec::new() });
                return Ok(None);
            }
            TokenKind::OpenBrace => {
                if self.peek().is_some_and(|next| next.kind == TokenKind::CloseBrace) {
                    let end = self.peek().map_or(token.end, |next| next.end);
                    self.position += 1;
                    return Ok(Some(self.arena.add(ExprKind::Dict(Run::default()), (token.start, end))));
                }
                self.frames.push(Frame::Dict { open: token.start, entries: Vec::new(), key: None });
                return Ok(None);
            }
            TokenKind::CloseParen if matches!(self.frames.last(), Some(Frame::Call { .. })) => {
                return self.close_empty_call(token).map(Some);
            }
            TokenKind::Comma if matches!(self.frames.last(), Some(Frame::Call { .. })) => {
                if let Some(Frame::Call { arguments, .. }) = self.frames.last_mut() {
                    arguments.push(None);
                }
                self.notes.push(empty_argument(span));
                return Ok(None);
            }
            TokenKind::CloseParen | TokenKind::CloseBracket | TokenKind::CloseBrace
                if self.previous_was_comma() =>
            {
                return Err(trailing_comma(span));
            }
            TokenKind::UnknownSymbol | TokenKind::Hash => return Err(symbol(text, span)),
            _ => return Err(self.fault(Some(token), "a value is expected here")),
        };
        Ok(Some(self.arena.add(kind, span)))
    }

    fn previous_was_comma(&self) -> bool {
        self.position
            .checked_sub(2)
            .and_then(|at| self.tokens.get(at))
            .is_some_and(|token| token.kind == TokenKind::Comma)
    }

    fn close_empty_call(&mut self, token: Token) -> Result<ExprId, Finding> {
        match self.frames.pop() {
            Some(Frame::Call { callee, arguments }) => {
                if !arguments.is_empty() {
                    return Err(trailing_comma(token.span()));
                }
                let start = self.arena.span(callee).0;
                Ok(self.arena.add(ExprKind::Call(callee, Run::default()), (start, token.end)))
            }
            _ => Err(self.fault(Some(token), "a value is expected here")),
        }
    }

    fn name(&mut self, token: Token) -> Result<Option<ExprId>, Finding> {
        let text = token.text(self.source);
        let called = self.peek().is_some_and(|next| next.kind == TokenKind::OpenParen);
        match text {
            "True" | "False" | "None" => Ok(Some(self.arena.add(ExprKind::Constant, token.span()))),
            "true" | "false" => {
                self.notes.push(lowercase_constant(text == "true", token.span()));
                Ok(Some(self.arena.add(ExprKind::Constant, token.span())))
            }
            "not" => {
                let allowed = match self.frames.last() {
                    Some(Frame::Infix { op, .. }) => matches!(op, BinaryOp::Or | BinaryOp::And),
                    Some(Frame::Prefix { .. }) => false,
                    _ => true,
                };
                if !allowed {
                    return Err(self.fault(Some(token), "put 'not …' in parentheses here"));
                }
                self.frames.push(Frame::Prefix { op: UnaryOp::Not, start: token.start });
                Ok(None)
            }
            _ if foreign::is_foreign_constant(text) && !called => Err(foreign_constant(text, token.span())),
            _ if is_keyword(text) && !called => Err(Finding::unexpected(
                Code::KEYWORD_AS_NAME,
                token.span(),
                format!("unexpected construct: the keyword '{text}' cannot be a value"),
            )),
            _ => Ok(Some(self.arena.add(ExprKind::Name { sigil: false }, token.span()))),
        }
    }

    fn sigil(&mut self, dollar: Token) -> Result<ExprId, Finding> {
        match self.peek() {
            Some(name) if name.kind == TokenKind::Name && name.start == dollar.end => {
                self.position += 1;
                Ok(self.arena.add(ExprKind::Name { sigil: true }, (dollar.start, name.end)))
            }
            Some(open) if self.holes && open.kind == TokenKind::OpenBrace => {
                let name = self.tokens.get(self.position + 1).copied();
                let close = self.tokens.get(self.position + 2).copied();
                match (name, close) {
                    (Some(name), Some(close))
                        if name.kind == TokenKind::Name && close.kind == TokenKind::CloseBrace =>
                    {
                        self.position += 3;
                        Ok(self.arena.add(ExprKind::Name { sigil: false }, name.span()))
                    }
                    _ => Err(bad_hole(dollar.span())),
                }
            }
            _ => Err(self.fault(Some(dollar), "a name must follow '$'")),
        }
    }

    /// The names in the holes of a template.
    fn template(&mut self, token: Token) -> Result<Run, Finding> {
        let text = token.text(self.source);
        let mut names = Vec::new();
        for hole in template_holes(text) {
            match hole {
                Ok((from, to)) => {
                    let span = (token.start + from, token.start + to);
                    names.push(self.arena.add(ExprKind::Name { sigil: false }, span));
                }
                Err(at) => return Err(bad_hole((token.start + at, token.end))),
            }
        }
        Ok(self.arena.keep(names.into_iter().map(Some)))
    }
}

fn beyond_64_bits(text: &str) -> bool {
    let digits = text.split('.').next().unwrap_or_default();
    digits.len() >= 19 && digits.parse::<i64>().is_err()
}
