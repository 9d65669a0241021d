//! What is built once an operand is complete: operators by how tightly they bind, and brackets that close.

use super::{Frame, Reader};
use crate::diagnostic::{Code, Finding};
use crate::lexer::{Token, TokenKind};
use crate::syntax::{BinaryOp, COMPARE, ExprId, ExprKind, NEGATE, NOT, UnaryOp, precedence};

impl Reader<'_> {
    pub(super) fn infix(&mut self, value: ExprId, op: BinaryOp, token: Token) -> Result<(), Finding> {
        let precedence = precedence(op);
        let left = if precedence == COMPARE {
            let left = self.reduce_from(value, COMPARE + 1);
            let chained = matches!(
                self.frames.last(),
                Some(Frame::Infix { op: BinaryOp::Compare | BinaryOp::Contains, .. })
            );
            if chained {
                return Err(self
                    .fault(Some(token), "comparisons cannot be chained")
                    .help("write a < b and b < c"));
            }
            left
        } else {
            self.reduce_from(value, precedence)
        };
        self.frames.push(Frame::Infix { op, left });
        Ok(())
    }

    pub(super) fn close(&mut self, value: ExprId, token: Token) -> Result<ExprId, Finding> {
        let value = self.reduce(value, 0)?;
        let frame = self.frames.pop();
        let (kind, start) = match (frame, token.kind) {
            (Some(Frame::Group { open, mut items }), TokenKind::CloseParen) => {
                items.push(value);
                (ExprKind::Group(self.arena.keep(items.into_iter().map(Some))), open)
            }
            (Some(Frame::List { open, mut items }), TokenKind::CloseBracket) => {
                items.push(value);
                (ExprKind::List(self.arena.keep(items.into_iter().map(Some))), open)
            }
            (Some(Frame::Dict { open, mut entries, key: Some(key) }), TokenKind::CloseBrace) => {
                entries.push((key, value));
                (
                    ExprKind::Dict(
                        self.arena
                            .keep(entries.into_iter().flat_map(|(key, value)| [Some(key), Some(value)])),
                    ),
                    open,
                )
            }
            (Some(Frame::Dict { .. }), TokenKind::CloseBrace) => {
                return Err(self.fault(Some(token), "a dict entry is written key: value"));
            }
            (Some(Frame::Call { callee, mut arguments }), TokenKind::CloseParen) => {
                arguments.push(Some(value));
                let start = self.arena.span(callee).0;
                (ExprKind::Call(callee, self.arena.keep(arguments)), start)
            }
            (Some(Frame::Index { base }), TokenKind::CloseBracket) => {
                let start = self.arena.span(base).0;
                (ExprKind::Index(base, value), start)
            }
            _ => return Err(self.fault(Some(token), "nothing is open that this could close")),
        };
        Ok(self.arena.add(kind, (start, token.end)))
    }

    /// Builds the operators on top of the stack whose precedence is at least `least`.
    pub(super) fn reduce_from(&mut self, mut value: ExprId, least: u8) -> ExprId {
        loop {
            match self.frames.last() {
                Some(Frame::Prefix { op, start }) => {
                    let precedence = if *op == UnaryOp::Not { NOT } else { NEGATE };
                    if precedence < least {
                        return value;
                    }
                    let (op, start) = (*op, *start);
                    self.frames.pop();
                    let end = self.arena.span(value).1;
                    value = self.arena.add(ExprKind::Unary(op, value), (start, end));
                }
                Some(Frame::Infix { op, left }) => {
                    if precedence(*op) < least {
                        return value;
                    }
                    let (op, left) = (*op, *left);
                    self.frames.pop();
                    let span = (self.arena.span(left).0, self.arena.span(value).1);
                    value = self.arena.add(ExprKind::Binary(op, left, value), span);
                }
                _ => return value,
            }
        }
    }

    pub(super) fn reduce_operators(&mut self, value: ExprId) -> ExprId {
        self.reduce_from(value, 0)
    }

    /// Builds everything down to the bracket that is open, conditionals included.
    pub(super) fn reduce(&mut self, value: ExprId, least: u8) -> Result<ExprId, Finding> {
        let mut value = self.reduce_from(value, least);
        loop {
            match self.frames.last() {
                Some(Frame::Otherwise { value: first, condition }) => {
                    let (first, condition) = (*first, *condition);
                    self.frames.pop();
                    let span = (self.arena.span(first).0, self.arena.span(value).1);
                    value = self.arena.add(ExprKind::Conditional(first, condition, value), span);
                    value = self.reduce_from(value, least);
                }
                Some(Frame::Condition { .. }) => {
                    return Err(Finding::unexpected(
                        Code::EXPRESSION,
                        self.arena.span(value),
                        "unexpected construct: 'value if condition' needs 'else'",
                    )
                    .help("write value if condition else other"));
                }
                _ => return Ok(value),
            }
        }
    }
}
