//! Regular lines: assignments, calls, function headers, `return`, method calls, and the blocks they open and close.

use super::cursor::{class, is, offset};
use super::names::{Act, Symbol, flag, word};
use super::taint::Role;
use super::{Function, Reader};
use crate::statement::trailing_semicolon;
use crate::syntax::{ExprId, ExprKind, Statement, StatementKind};

/// What a block that is open is closed by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Block {
    If,
    Try,
    Async,
    Loop,
    Function,
}

/// A block that is open.
#[derive(Debug, Clone, Copy)]
pub(super) struct Open {
    block: Block,
    /// The statement that opened it.
    line: u32,
    /// `else()` or `exception()` was seen.
    divided: bool,
}

/// How far the arrays had grown before something was read that may have to be read again.
struct Mark {
    at: usize,
    nodes: usize,
    children: usize,
    comments: usize,
    notes: usize,
    calls: usize,
    objects: usize,
    mentions: usize,
}

impl Reader<'_> {
    /// Reads all lines.
    pub(super) fn program(&mut self) -> Option<()> {
        loop {
            self.margin()?;
            match self.peek() {
                b'\n' => {
                    self.at += 1;
                    self.line += 1;
                }
                b'\r' => {
                    self.at += 1 + usize::from(self.byte(self.at + 1) == b'\n');
                    self.line += 1;
                }
                0 if self.at >= self.bytes.len() => break,
                _ => self.statement()?,
            }
        }
        self.blocks.is_empty().then_some(())
    }

    /// Reads one line up to its end.
    fn statement(&mut self) -> Option<()> {
        let start = offset(self.at);
        let first = offset(self.arena.nodes.len());
        let parent = self.blocks.last().map(|open| open.line);
        let byte = self.peek();
        let kind = if is(byte, class::LETTER) {
            self.worded()?
        } else if byte == b'}' {
            self.at += 1;
            self.end = self.at;
            self.close(Block::Function)?;
            for parameter in self.parameters.drain(..) {
                self.names.clear(parameter, flag::PARAMETER);
            }
            StatementKind::CloseFunction
        } else {
            self.method_call()?
        };
        let mut end = self.end;
        self.space()?;
        if self.peek() == b';' {
            self.notes.push(trailing_semicolon((offset(self.at), offset(self.at + 1))));
            self.at += 1;
            end = self.at;
            self.space()?;
        }
        if !self.at_line_end() {
            return None;
        }
        let expressions = (first, offset(self.arena.nodes.len()));
        self.statements.push(Statement { kind, span: (start, offset(end)), expressions, parent });
        Some(())
    }

    fn at_line_end(&self) -> bool {
        matches!(self.peek(), b'\n' | b'\r') || self.at >= self.bytes.len()
    }

    /// Whether nothing more of the statement follows.
    pub(super) fn at_statement_end(&self) -> bool {
        self.peek() == b';' || self.at_line_end()
    }

    fn mark(&self) -> Mark {
        Mark {
            at: self.at,
            nodes: self.arena.nodes.len(),
            children: self.arena.children.len(),
            comments: self.comments.len(),
            notes: self.notes.len(),
            calls: self.calls.len(),
            objects: self.objects.len(),
            mentions: self.mentions.len(),
        }
    }

    /// Forgets what was read since the mark. That a name was read stays noted: it will be read again.
    fn rewind(&mut self, mark: &Mark) {
        self.at = mark.at;
        self.arena.nodes.truncate(mark.nodes);
        self.arena.children.truncate(mark.children);
        self.comments.truncate(mark.comments);
        self.notes.truncate(mark.notes);
        self.calls.truncate(mark.calls);
        self.objects.truncate(mark.objects);
        self.mentions.truncate(mark.mentions);
    }

    /// A line that starts with a name.
    fn worded(&mut self) -> Option<StatementKind> {
        let mark = self.mark();
        let start = self.at;
        let text = self.word();
        let symbol = self.names.symbol(text);
        let name = (offset(start), offset(self.at));
        self.end = self.at;
        self.space()?;
        match (symbol, self.peek()) {
            (_, b'=') if self.byte(self.at + 1) != b'=' => {
                self.at += 1;
                self.assignment(symbol, name)
            }
            (word::RETURN, _) => self.returns(),
            (word::FUNCTION, byte) => {
                if is(byte, class::LETTER) {
                    self.header()
                } else {
                    None
                }
            }
            (word::NOT..=word::IN, _) => None,
            (_, b'(') => match self.call(symbol, name, None)? {
                Some(kind) => Some(kind),
                None => {
                    self.rewind(&mark);
                    self.method_call()
                }
            },
            (_, b'.' | b'[') => {
                self.rewind(&mark);
                self.method_call()
            }
            _ => None,
        }
    }

    /// `name = …`, behind the sign.
    fn assignment(&mut self, symbol: Symbol, target: (u32, u32)) -> Option<StatementKind> {
        if self.names.any(symbol, flag::KEYWORD) {
            return None;
        }
        self.space()?;
        if is(self.peek(), class::LETTER) {
            let mark = self.mark();
            let start = self.at;
            let text = self.word();
            let callee = self.names.symbol(text);
            let name = (offset(start), offset(self.at));
            self.space()?;
            if self.peek() == b'('
                && !matches!(callee, word::NOT..=word::IN)
                && let Some(kind) = self.call(callee, name, Some((symbol, target)))?
            {
                return Some(kind);
            }
            self.rewind(&mark);
        }
        let value = self.expression()?;
        self.end = self.arena.span(value).1 as usize;
        self.gives(symbol, value);
        Some(StatementKind::Assign { target, value })
    }

    /// A plain assignment of a value to a name.
    pub(super) fn gives(&mut self, symbol: Symbol, value: ExprId) {
        let Some(kind) = self.arena.kind(value).copied() else { return };
        if symbol == word::STATUS {
            self.seen.doubtful |= match kind {
                ExprKind::Number => {
                    let code = self.text(self.arena.span(value)).parse::<u32>();
                    !code.is_ok_and(|code| (100..=599).contains(&code))
                }
                ExprKind::Text | ExprKind::Unary(..) | ExprKind::Constant => true,
                _ => false,
            };
        }
        let scalar =
            matches!(kind, ExprKind::Number | ExprKind::Text | ExprKind::Constant | ExprKind::Template(_));
        let length = if self.is_length(value) { flag::LENGTH } else { 0 };
        let varied = if scalar { 0 } else { flag::VARIED };
        self.writes(symbol, varied | length, Role::Written);
    }

    /// Whether an expression is `len(…)`.
    pub(super) fn is_length(&self, id: ExprId) -> bool {
        matches!(self.arena.kind(id), Some(ExprKind::Call(callee, _)) if self.text(self.arena.span(*callee)) == "len")
    }

    /// `return`, behind the word.
    fn returns(&mut self) -> Option<StatementKind> {
        self.seen.doubtful |= self.blocks.first().is_none_or(|open| open.block != Block::Function);
        if self.at_statement_end() {
            return Some(StatementKind::Return(None));
        }
        if self.peek() == b'(' {
            let mark = self.mark();
            self.at += 1;
            self.space()?;
            if self.peek() == b')' {
                self.at += 1;
                self.end = self.at;
                return Some(StatementKind::Return(None));
            }
            self.rewind(&mark);
        }
        let value = self.expression()?;
        self.end = self.arena.span(value).1 as usize;
        if let (Some(open), Some(function)) = (self.blocks.first(), self.functions.last())
            && open.block == Block::Function
        {
            self.mention(function.name, Role::Written);
        }
        Some(StatementKind::Return(Some(value)))
    }

    /// A line that is a method call.
    fn method_call(&mut self) -> Option<StatementKind> {
        let value = self.expression()?;
        self.end = self.arena.span(value).1 as usize;
        let Some(ExprKind::Call(callee, _)) = self.arena.kind(value) else { return None };
        matches!(self.arena.kind(*callee), Some(ExprKind::Member(..)))
            .then_some(StatementKind::MethodCall(value))
    }

    /// `function name(a, b) {`, behind the first word.
    fn header(&mut self) -> Option<StatementKind> {
        let start = self.at;
        let text = self.word();
        let symbol = self.names.symbol(text);
        let name = (offset(start), offset(self.at));
        let taken = flag::KEYWORD | flag::HELPER | flag::COMMAND | flag::ODD | flag::FUNCTION;
        self.space()?;
        if self.names.any(symbol, taken) || self.peek() != b'(' || !self.blocks.is_empty() {
            return None;
        }
        self.at += 1;
        self.space()?;
        self.mention(symbol, Role::Header);
        let from = self.arena.parameters.len();
        while self.peek() != b')' || self.arena.parameters.len() > from {
            let start = self.at;
            if !is(self.peek(), class::LETTER) {
                return None;
            }
            let text = self.word();
            let parameter = self.names.symbol(text);
            if self.names.any(parameter, flag::KEYWORD | flag::PARAMETER) {
                return None;
            }
            self.names.set(parameter, flag::PARAMETER);
            self.parameters.push(parameter);
            self.mention(parameter, Role::Written);
            self.arena.parameters.push((offset(start), offset(self.at)));
            self.space()?;
            match self.peek() {
                b',' => self.at += 1,
                b')' => break,
                _ => return None,
            }
            self.space()?;
        }
        self.at += 1;
        self.space()?;
        if self.peek() != b'{' {
            return None;
        }
        self.at += 1;
        self.end = self.at;
        self.names.set(symbol, flag::FUNCTION);
        let parameters = self.arena.parameters_from(from);
        let count = offset(parameters.len());
        self.functions.push(Function { name: symbol, parameters: count, line: self.line });
        self.open(Block::Function);
        Some(StatementKind::Function { name, parameters })
    }

    fn open(&mut self, block: Block) {
        self.blocks.push(Open { block, line: offset(self.statements.len()), divided: false });
    }

    fn close(&mut self, block: Block) -> Option<()> {
        self.blocks.pop().filter(|open| open.block == block).map(|_| ())
    }

    fn divide(&mut self, block: Block) -> Option<()> {
        let open = self.blocks.last_mut()?;
        let first = open.block == block && !open.divided;
        open.divided = true;
        first.then_some(())
    }

    /// What a block word does to the blocks.
    pub(super) fn structure(&mut self, act: Act) -> Option<()> {
        match act {
            Act::If => self.open(Block::If),
            Act::Try => self.open(Block::Try),
            Act::GoAsync => self.open(Block::Async),
            Act::StartLoop => self.open(Block::Loop),
            Act::EndLoop => self.close(Block::Loop)?,
            Act::Else => self.divide(Block::If)?,
            Act::Exception => self.divide(Block::Try)?,
            Act::End => {
                let open = self.blocks.pop()?;
                let closes = match open.block {
                    Block::If | Block::Async => true,
                    Block::Try => open.divided,
                    Block::Loop | Block::Function => false,
                };
                closes.then_some(())?;
            }
            _ => {}
        }
        Some(())
    }
}
