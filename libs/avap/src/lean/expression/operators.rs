//! What may follow a complete value in an expression of a regular line: operators by how tightly they bind, brackets that
//! close, members and calls.

use super::{After, Frame};
use crate::foreign;
use crate::lean::Reader;
use crate::lean::cursor::{class, is, offset};
use crate::lean::known::{flag, word};
use crate::lean::names::Symbol;
use crate::syntax::{BinaryOp, COMPARE, ExprId, ExprKind, NEGATE, NOT, UnaryOp, precedence};

impl Reader<'_> {
    /// Reads what may follow a complete value.
    #[inline]
    pub(super) fn after(&mut self, value: ExprId) -> Option<After> {
        let byte = self.space()?;
        if self.frames.is_empty() && matches!(byte, b',' | b')' | b'\n') {
            // A value alone, as most arguments are.
            return Some(After::End(value));
        }
        let (op, length) = match byte {
            b',' => {
                let value = self.reduce(value)?;
                match self.frames.last() {
                    None => return Some(After::End(value)),
                    Some(Frame::Group { .. } | Frame::List { .. } | Frame::Call { .. }) => {}
                    Some(Frame::Dict { base, .. }) if self.holds_key(*base) => {}
                    Some(_) => return None,
                }
                self.items.push(Some(value));
                self.at += 1;
                return Some(After::Operand);
            }
            b')' | b']' | b'}' => {
                let value = self.reduce(value)?;
                if self.frames.is_empty() {
                    return Some(After::End(value));
                }
                self.at += 1;
                return self.close_bracket(value, byte).map(After::Value);
            }
            b'\n' | b'\r' | b';' | 0 => {
                let value = self.reduce(value)?;
                return self.frames.is_empty().then_some(After::End(value));
            }
            b'(' => {
                let callable = match self.arena.kind(value)? {
                    ExprKind::Name { sigil } => !sigil,
                    kind => matches!(kind, ExprKind::Member(..) | ExprKind::Call(..) | ExprKind::Index(..)),
                };
                let symbol = if self.latest.0 == value { self.latest.1 } else { Symbol::MAX };
                self.frames.push(Frame::Call { callee: value, symbol, base: self.base() });
                self.at += 1;
                return callable.then_some(After::Operand);
            }
            b'[' => {
                self.at += 1;
                self.frames.push(Frame::Index { base: value });
                return Some(After::Operand);
            }
            b'.' => {
                self.at += 1;
                if !is(self.space()?, class::LETTER) {
                    return None;
                }
                let name = self.word().span;
                let owner = self.arena.span(value);
                if self.latest.0 == value && foreign::is_foreign_member(self.text(owner), self.text(name)) {
                    return None;
                }
                let span = (owner.0, name.1);
                return Some(After::Value(self.arena.add(ExprKind::Member(value, name), span)));
            }
            b':' => {
                let value = self.reduce(value)?;
                match self.frames.last() {
                    Some(Frame::Dict { base, .. }) if !self.holds_key(*base) => {}
                    _ => return None,
                }
                self.items.push(Some(value));
                self.at += 1;
                return Some(After::Operand);
            }
            b'+' => (BinaryOp::Add, 1),
            b'-' | b'*' | b'/' => (BinaryOp::Arithmetic, 1),
            b'%' => (BinaryOp::Modulo, 1),
            b'<' | b'>' | b'=' | b'!' => match (byte, self.byte(self.at + 1)) {
                (_, b'=') => (BinaryOp::Compare, 2),
                (b'<' | b'>', _) => (BinaryOp::Compare, 1),
                _ => return None,
            },
            _ if is(byte, class::LETTER) => match self.name_here() {
                word::AND => (BinaryOp::And, 0),
                word::OR => (BinaryOp::Or, 0),
                word::IN => (BinaryOp::Contains, 0),
                word::NOT => {
                    if !is(self.space()?, class::LETTER) || self.name_here() != word::IN {
                        return None;
                    }
                    (BinaryOp::Contains, 0)
                }
                word::IF => {
                    let value = self.reduce_from(value, 0);
                    if matches!(self.frames.last(), Some(Frame::Condition { .. })) {
                        return None;
                    }
                    self.frames.push(Frame::Condition { value });
                    return Some(After::Operand);
                }
                word::ELSE => {
                    let condition = self.reduce_from(value, 0);
                    let Some(Frame::Condition { value }) = self.frames.pop() else { return None };
                    self.frames.push(Frame::Otherwise { value, condition });
                    return Some(After::Operand);
                }
                _ => return None,
            },
            _ => return None,
        };
        self.at += length;
        self.infix(value, op)?;
        Some(After::Operand)
    }

    /// Whether a dict has read a key whose value is missing.
    fn holds_key(&self, base: u32) -> bool {
        (self.items.len() - base as usize) % 2 == 1
    }

    fn infix(&mut self, value: ExprId, op: BinaryOp) -> Option<()> {
        let precedence = precedence(op);
        let left = if precedence == COMPARE {
            let left = self.reduce_from(value, COMPARE + 1);
            if let Some(Frame::Infix { op: BinaryOp::Compare | BinaryOp::Contains, .. }) = self.frames.last()
            {
                return None;
            }
            left
        } else {
            self.reduce_from(value, precedence)
        };
        self.frames.push(Frame::Infix { op, left });
        Some(())
    }

    fn close_bracket(&mut self, value: ExprId, byte: u8) -> Option<ExprId> {
        let end = offset(self.at);
        let frame = self.frames.pop()?;
        if let Frame::Index { base } = frame {
            let span = (self.arena.span(base).0, end);
            return (byte == b']').then(|| self.arena.add(ExprKind::Index(base, value), span));
        }
        let full = match frame {
            Frame::Dict { base, .. } => self.holds_key(base),
            _ => true,
        };
        self.items.push(Some(value));
        let (kind, open) = match (frame, byte) {
            (Frame::Group { open, base }, b')') => (ExprKind::Group(self.items(base)), open),
            (Frame::List { open, base }, b']') => (ExprKind::List(self.items(base)), open),
            (Frame::Dict { open, base }, b'}') if full => (ExprKind::Dict(self.items(base)), open),
            (Frame::Call { callee, symbol, base }, b')') => return self.called(callee, symbol, base),
            _ => return None,
        };
        Some(self.arena.add(kind, (open, end)))
    }

    /// A call whose closing parenthesis has been taken.
    pub(super) fn called(&mut self, callee: ExprId, symbol: Symbol, base: u32) -> Option<ExprId> {
        let arguments = self.items(base);
        let span = (self.arena.span(callee).0, offset(self.at));
        match *self.arena.kind(callee)? {
            ExprKind::Name { .. } => self.calls_inside(symbol, arguments.len())?,
            ExprKind::Member(base, method) => self.calls_method(base, method)?,
            _ => {}
        }
        Some(self.arena.add(ExprKind::Call(callee, arguments), span))
    }

    /// A method call: declines on objects of other languages, remembers the name that must hold an object.
    fn calls_method(&mut self, base: ExprId, method: (u32, u32)) -> Option<()> {
        let mut receiver = base;
        while let Some(ExprKind::Member(inner, _)) = self.arena.kind(receiver) {
            receiver = *inner;
        }
        let Some(ExprKind::Name { sigil }) = self.arena.kind(receiver).copied() else { return Some(()) };
        let text = self.text(self.arena.span(receiver));
        if !sigil && foreign::receiver_remedy(text, self.text(method)).is_some() {
            return None;
        }
        if receiver == base && !self.in_text {
            let symbol = self.id_of(base)?;
            if !self.names.any(symbol, flag::PARAMETER) {
                self.objects.push(symbol);
            }
        }
        Some(())
    }

    /// Builds the operators on top of the stack whose precedence is at least `least`.
    #[inline]
    fn reduce_from(&mut self, mut value: ExprId, least: u8) -> ExprId {
        loop {
            match self.frames.last() {
                Some(Frame::Prefix { op, start }) => {
                    let (op, start) = (*op, *start);
                    if (if op == UnaryOp::Not { NOT } else { NEGATE }) < least {
                        return value;
                    }
                    self.frames.pop();
                    let end = self.arena.span(value).1;
                    value = self.arena.add(ExprKind::Unary(op, value), (start, end));
                }
                Some(Frame::Infix { op, left }) => {
                    let (op, left) = (*op, *left);
                    if precedence(op) < least {
                        return value;
                    }
                    self.frames.pop();
                    let span = (self.arena.span(left).0, self.arena.span(value).1);
                    value = self.arena.add(ExprKind::Binary(op, left, value), span);
                }
                _ => return value,
            }
        }
    }

    /// Builds everything down to the bracket that is open, conditionals included.
    #[inline]
    fn reduce(&mut self, value: ExprId) -> Option<ExprId> {
        let mut value = self.reduce_from(value, 0);
        loop {
            match self.frames.last() {
                Some(Frame::Otherwise { value: first, condition }) => {
                    let (first, condition) = (*first, *condition);
                    self.frames.pop();
                    let span = (self.arena.span(first).0, self.arena.span(value).1);
                    value = self.arena.add(ExprKind::Conditional(first, condition, value), span);
                    value = self.reduce_from(value, 0);
                }
                Some(Frame::Condition { .. }) => return None,
                _ => return Some(value),
            }
        }
    }
}
