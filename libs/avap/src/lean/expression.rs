//! Expressions of regular lines, read byte by byte with an explicit stack. Makes the same nodes in the same order as
//! the full reader's `expression` does.

use super::Reader;
use super::cursor::{class, is, offset};
use super::known::{flag, word};
use super::names::Symbol;
use crate::foreign;
use crate::syntax::{BinaryOp, COMPARE, ExprId, ExprKind, NEGATE, NOT, Run, Span, UnaryOp, precedence};
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

    /// Reads what may follow a complete value.
    #[inline]
    fn after(&mut self, value: ExprId) -> Option<After> {
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
    fn called(&mut self, callee: ExprId, symbol: Symbol, base: u32) -> Option<ExprId> {
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
