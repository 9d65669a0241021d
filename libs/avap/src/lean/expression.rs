//! Expressions of regular lines, read byte by byte with an explicit stack. Makes the same nodes in the same order as
//! the full reader's `expression` does.

mod operators;

use super::Reader;
use super::cursor::{class, is, offset};
use super::known::{flag, word};
use super::names::Symbol;
use crate::syntax::{BinaryOp, ExprId, ExprKind, Run, Span, UnaryOp};
use crate::words;

/// What is open while an expression is read. A bracket remembers where its items begin among those that are gathered.
#[derive(Debug, Clone, Copy)]
pub(super) enum Frame {
    Group { open: u32, base: u32 },
    List { open: u32, base: u32 },
    Dict { open: u32, base: u32 },
    Call { callee: ExprId, symbol: Symbol, base: u32 },
    Index { base: ExprId },
    Prefix { op: UnaryOp, start: u32 },
    Infix { op: BinaryOp, left: ExprId },
    Condition { value: ExprId },
    Otherwise { value: ExprId, condition: ExprId },
}

/// What follows a complete value.
enum After {
    /// A longer value.
    Value(ExprId),
    /// An operator or a comma: an operand must follow.
    Operand,
    /// Something that is no part of the expression.
    End(ExprId),
}

impl Reader<'_> {
    /// Reads an expression up to what can be no part of it: a comma, a closing bracket, the end of the line.
    pub(super) fn expression(&mut self) -> Option<ExprId> {
        self.expression_behind(None)
    }

    /// Reads an argument of a line's call: nearly always a name or a text alone.
    #[inline]
    pub(super) fn argument(&mut self) -> Option<ExprId> {
        let byte = self.space()?;
        let start = self.at;
        let first = if is(byte, class::LETTER) {
            let (symbol, span) = self.name_with_span();
            if self.names.any(symbol, flag::KEYWORD | flag::ODD) {
                self.at = start;
                return self.expression();
            }
            let next = self.space()?;
            self.plain_name(symbol, span, next)
        } else if matches!(byte, b'"' | b'\'') {
            self.quoted()?;
            self.arena.add(ExprKind::Text, (offset(start), offset(self.at)))
        } else {
            return self.expression();
        };
        if matches!(self.peek(), b',' | b')') { Some(first) } else { self.expression_behind(Some(first)) }
    }

    /// Reads what is left of an expression behind its first operand, if that has been read.
    pub(super) fn expression_behind(&mut self, first: Option<ExprId>) -> Option<ExprId> {
        let mut read = first;
        loop {
            let Some(mut value) = read.take().map_or_else(|| self.operand(), |value| Some(Some(value)))?
            else {
                continue;
            };
            loop {
                match self.after(value)? {
                    After::Value(longer) => value = longer,
                    After::Operand => break,
                    After::End(value) => return Some(value),
                }
            }
        }
    }

    /// Reads one operand; `Some(None)` where it opened something that needs an operand itself.
    #[inline]
    fn operand(&mut self) -> Option<Option<ExprId>> {
        let byte = self.space()?;
        let start = self.at;
        let kind = match byte {
            _ if is(byte, class::LETTER) => return self.name(),
            _ if is(byte, class::DIGIT) => {
                self.number()?;
                ExprKind::Number
            }
            b'"' | b'\'' => {
                self.quoted()?;
                ExprKind::Text
            }
            b'`' => return self.template().map(Some),
            b'$' => return self.sigil().map(Some),
            b'-' => {
                if matches!(self.frames.last(), Some(Frame::Prefix { op: UnaryOp::Negate, .. })) {
                    return None;
                }
                self.at += 1;
                self.frames.push(Frame::Prefix { op: UnaryOp::Negate, start: offset(start) });
                return Some(None);
            }
            b'(' => {
                self.at += 1;
                self.frames.push(Frame::Group { open: offset(start), base: self.base() });
                return Some(None);
            }
            b'[' | b'{' => {
                self.at += 1;
                self.space()?;
                let (closer, empty, frame) = if byte == b'[' {
                    (
                        b']',
                        ExprKind::List(Run::default()),
                        Frame::List { open: offset(start), base: self.base() },
                    )
                } else {
                    (
                        b'}',
                        ExprKind::Dict(Run::default()),
                        Frame::Dict { open: offset(start), base: self.base() },
                    )
                };
                if self.peek() != closer {
                    self.frames.push(frame);
                    return Some(None);
                }
                self.at += 1;
                empty
            }
            b')' => {
                // A call without arguments.
                let Some(Frame::Call { callee, symbol, base }) = self.frames.pop() else { return None };
                if base != self.base() {
                    return None;
                }
                self.at += 1;
                return self.called(callee, symbol, base).map(Some);
            }
            _ => return None,
        };
        Some(Some(self.arena.add(kind, (offset(start), offset(self.at)))))
    }

    /// Where the items of a bracket that opens here begin.
    fn base(&self) -> u32 {
        offset(self.items.len())
    }

    /// Takes the items of a bracket that closes.
    fn items(&mut self, base: u32) -> Run {
        let run = self.arena.keep_slice(self.items.get(base as usize..).unwrap_or_default());
        self.items.truncate(base as usize);
        run
    }

    fn name(&mut self) -> Option<Option<ExprId>> {
        let (symbol, span) = self.name_with_span();
        if !self.names.any(symbol, flag::KEYWORD | flag::ODD) {
            let next = self.space()?;
            return Some(Some(self.plain_name(symbol, span, next)));
        }
        match symbol {
            word::NONE..=word::FALSE => {}
            word::TRUE_IN_LOWER_CASE | word::FALSE_IN_LOWER_CASE => {
                if !self.in_text {
                    self.notes.push(words::lowercase_constant(symbol == word::TRUE_IN_LOWER_CASE, span));
                }
            }
            word::NOT => {
                let allowed = match self.frames.last() {
                    Some(Frame::Infix { op, .. }) => matches!(op, BinaryOp::Or | BinaryOp::And),
                    Some(Frame::Prefix { .. }) => false,
                    _ => true,
                };
                self.frames.push(Frame::Prefix { op: UnaryOp::Not, start: span.0 });
                return allowed.then_some(None);
            }
            _ => {
                // A keyword or an empty value of another language can only be called.
                if self.space()? != b'(' {
                    return None;
                }
                let id = self.arena.add_name(false, span, symbol);
                self.latest = (id, symbol);
                return Some(Some(id));
            }
        }
        Some(Some(self.arena.add(ExprKind::Constant, span)))
    }

    /// Adds a name; `next` is the byte that follows it.
    #[inline]
    pub(super) fn plain_name(&mut self, symbol: Symbol, span: Span, next: u8) -> ExprId {
        if next != b'(' {
            self.reads(symbol);
        }
        let id = self.arena.add_name(false, span, symbol);
        self.latest = (id, symbol);
        id
    }

    /// `$name`, and `${name}` in the text of a condition.
    fn sigil(&mut self) -> Option<ExprId> {
        let start = self.at;
        self.at += 1;
        if is(self.peek(), class::LETTER) {
            let symbol = self.name_here();
            self.reads(symbol);
            return Some(self.arena.add_name(true, (offset(start), offset(self.at)), symbol));
        }
        if !self.holes || self.peek() != b'{' {
            return None;
        }
        self.hole()
    }

    /// `{name}` behind a `$`.
    fn hole(&mut self) -> Option<ExprId> {
        let blank = |byte| matches!(byte, b' ' | b'\t');
        self.at += 1;
        while blank(self.peek()) {
            self.at += 1;
        }
        if !is(self.peek(), class::LETTER) {
            return None;
        }
        let (symbol, span) = self.name_with_span();
        while blank(self.peek()) {
            self.at += 1;
        }
        if self.peek() != b'}' || self.names.any(symbol, flag::KEYWORD) {
            return None;
        }
        self.at += 1;
        self.reads(symbol);
        let id = self.arena.add_name(false, span, symbol);
        self.latest = (id, symbol);
        Some(id)
    }

    /// A template with its holes.
    fn template(&mut self) -> Option<ExprId> {
        let start = self.at;
        self.quoted()?;
        let end = self.at;
        let base = self.base();
        self.at = start + 1;
        while self.at < end {
            match self.peek() {
                b'\\' => self.at += 2,
                b'$' if self.byte(self.at + 1) == b'{' => {
                    self.at += 1;
                    let id = self.hole()?;
                    self.items.push(Some(id));
                }
                _ => self.at += 1,
            }
        }
        self.at = end;
        let names = self.items(base);
        Some(self.arena.add(ExprKind::Template(names), (offset(start), offset(end))))
    }
}
