//! Regular lines: assignments, calls, function headers, `return`, method calls, and the blocks they open and close.

use super::Reader;
use super::cursor::{class, is, offset};
use super::known::{Act, flag, word};
use super::names::Symbol;
use crate::statement::trailing_semicolon;
use crate::syntax::{ExprId, ExprKind, Statement, StatementKind};

/// What a block that is open is closed by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Block {
    If = 1,
    Try,
    Async,
    Loop,
    Function,
}

/// Deeper nesting is left to the full road.
const MOST_OPEN: usize = 32;
/// The bit of a block that was divided.
const DIVIDED: u8 = 8;

/// The blocks that are open, the outermost one first.
///
/// Plain arrays whose items are read as they were written, here and not among the statements: what has only just been
/// written in parts and is read as a whole has to reach the cache before, behind everything that was written earlier;
/// and while the tree is written, that is much.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    depth: usize,
    /// What closes each, and whether `else()` or `exception()` was seen.
    blocks: [u8; MOST_OPEN],
    /// The statements that opened them, the parents of the lines inside.
    openers: [u32; MOST_OPEN],
}

impl Blocks {
    fn is_empty(&self) -> bool {
        self.depth == 0
    }

    /// The innermost block; 0 if none is open.
    fn innermost(&self) -> u8 {
        self.blocks.get(self.depth.wrapping_sub(1)).copied().unwrap_or(0)
    }

    /// A statement opens a block.
    fn open(&mut self, block: Block, opener: u32) -> Option<()> {
        *self.blocks.get_mut(self.depth)? = block as u8;
        *self.openers.get_mut(self.depth)? = opener;
        self.depth += 1;
        Some(())
    }

    /// Closes the innermost block; says whether it is one of these, and whether it was divided.
    fn close(&mut self, blocks: &[Block]) -> Option<bool> {
        let open = self.innermost();
        self.depth = self.depth.checked_sub(1)?;
        let fits = blocks.iter().any(|block| *block as u8 == open & !DIVIDED);
        fits.then_some(open & DIVIDED != 0)
    }

    /// The statement that opened the innermost block.
    fn opener(&self) -> Option<u32> {
        self.openers.get(self.depth.wrapping_sub(1)).copied()
    }

    /// Whether the innermost block is such a one.
    fn is_innermost(&self, block: Block) -> bool {
        self.innermost() & !DIVIDED == block as u8
    }

    /// Divides the innermost block, which must be such a one and not divided yet.
    fn divide(&mut self, block: Block) -> Option<()> {
        let whole = self.innermost() == block as u8;
        *self.blocks.get_mut(self.depth.checked_sub(1)?)? |= DIVIDED;
        whole.then_some(())
    }
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
}

impl Reader<'_> {
    /// Reads all lines.
    pub(super) fn program(&mut self) -> Option<()> {
        loop {
            match self.margin()? {
                b'\n' | b'\r' => self.at += 1,
                0 if self.at >= self.bytes.len() => break,
                byte => self.statement(byte)?,
            }
        }
        self.blocks.is_empty().then_some(())
    }

    /// Reads one line up to its end.
    #[inline]
    fn statement(&mut self, byte: u8) -> Option<()> {
        let start = offset(self.at);
        let first = offset(self.arena.nodes.len());
        let parent = self.blocks.opener();
        let kind = if is(byte, class::LETTER) {
            self.worded()?
        } else if byte == b'}' {
            self.at += 1;
            self.end = self.at;
            self.close(&[Block::Function])?;
            self.function = None;
            for parameter in self.parameters.drain(..) {
                self.names.clear(parameter, flag::PARAMETER);
            }
            StatementKind::CloseFunction
        } else {
            self.method_call()?
        };
        let mut end = self.end;
        let mut byte = self.space()?;
        if byte == b';' {
            self.notes.push(trailing_semicolon((offset(self.at), offset(self.at + 1))));
            self.at += 1;
            end = self.at;
            byte = self.space()?;
        }
        if !self.is_line_end(byte) {
            return None;
        }
        let expressions = (first, offset(self.arena.nodes.len()));
        self.statements.push(Statement { kind, span: (start, offset(end)), expressions, parent });
        Some(())
    }

    /// Whether the line ends with the byte that is next.
    fn is_line_end(&self, byte: u8) -> bool {
        matches!(byte, b'\n' | b'\r') || byte == 0 && self.at >= self.bytes.len()
    }

    /// Whether the statement ends before the byte that is next.
    pub(super) fn is_statement_end(&self, byte: u8) -> bool {
        byte == b';' || self.is_line_end(byte)
    }

    /// Before something that starts at a place, where so many comments had been read.
    fn mark(&self, at: usize, comments: usize) -> Mark {
        Mark {
            at,
            nodes: self.arena.nodes.len(),
            children: self.arena.children.len(),
            comments,
            notes: self.notes.len(),
            calls: self.calls.len(),
            objects: self.objects.len(),
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
    }

    /// A line that starts with a name.
    fn worded(&mut self) -> Option<StatementKind> {
        let (start, comments) = (self.at, self.comments.len());
        let (symbol, name) = self.name_with_span();
        self.end = self.at;
        let byte = self.space()?;
        match (symbol, byte) {
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
            (_, b'(') => {
                let mark = self.mark(start, comments);
                match self.call(symbol, name, None)? {
                    Some(kind) => Some(kind),
                    None => {
                        self.rewind(&mark);
                        self.method_call()
                    }
                }
            }
            (_, b'.' | b'[') => {
                self.at = start;
                self.comments.truncate(comments);
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
        let value = if is(self.space()?, class::LETTER) {
            let (start, comments) = (self.at, self.comments.len());
            let (first, name) = self.name_with_span();
            let next = self.space()?;
            if next == b'(' && !matches!(first, word::NOT..=word::IN) {
                let mark = self.mark(start, comments);
                if let Some(kind) = self.call(first, name, Some((symbol, target)))? {
                    return Some(kind);
                }
                self.rewind(&mark);
                self.expression()?
            } else if self.names.any(first, flag::KEYWORD | flag::ODD) {
                self.at = start;
                self.comments.truncate(comments);
                self.expression()?
            } else {
                let value = self.plain_name(first, name, next);
                self.expression_behind(Some(value))?
            }
        } else {
            self.expression()?
        };
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
        self.writes(symbol, varied | length);
        if !matches!(kind, ExprKind::Number | ExprKind::Text | ExprKind::Constant) {
            self.hands_on(symbol);
        }
    }

    /// Whether an expression is `len(…)`.
    pub(super) fn is_length(&self, id: ExprId) -> bool {
        matches!(self.arena.kind(id), Some(ExprKind::Call(callee, _)) if self.text(self.arena.span(*callee)) == "len")
    }

    /// `return`, behind the word.
    fn returns(&mut self) -> Option<StatementKind> {
        self.seen.doubtful |= self.function.is_none();
        if self.is_statement_end(self.peek()) {
            return Some(StatementKind::Return(None));
        }
        if self.peek() == b'(' {
            let (start, comments) = (self.at, self.comments.len());
            self.at += 1;
            if self.space()? == b')' {
                self.at += 1;
                self.end = self.at;
                return Some(StatementKind::Return(None));
            }
            self.at = start;
            self.comments.truncate(comments);
        }
        let value = self.expression()?;
        self.end = self.arena.span(value).1 as usize;
        if let Some(function) = self.function {
            self.hands_on(function);
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
        let (symbol, name) = self.name_with_span();
        let taken = flag::KEYWORD | flag::HELPER | flag::COMMAND | flag::ODD | flag::FUNCTION;
        self.space()?;
        if self.names.any(symbol, taken) || self.peek() != b'(' || !self.blocks.is_empty() {
            return None;
        }
        self.at += 1;
        self.space()?;
        let from = self.arena.parameters.len();
        while self.peek() != b')' || self.arena.parameters.len() > from {
            if !is(self.peek(), class::LETTER) {
                return None;
            }
            let (parameter, span) = self.name_with_span();
            if self.names.any(parameter, flag::KEYWORD | flag::PARAMETER) {
                return None;
            }
            self.names.set(parameter, flag::PARAMETER);
            self.parameters.push(parameter);
            self.arena.parameters.push(span);
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
        self.functions.push(offset(self.statements.len()));
        self.open(Block::Function)?;
        self.function = Some(symbol);
        Some(StatementKind::Function { name, parameters })
    }

    /// The line that is read opens a block.
    fn open(&mut self, block: Block) -> Option<()> {
        let opener = offset(self.statements.len());
        self.blocks.open(block, opener)
    }

    /// The line that is read closes the innermost block; says whether it was divided.
    fn close(&mut self, blocks: &[Block]) -> Option<bool> {
        self.blocks.close(blocks)
    }

    /// What a block word does to the blocks.
    pub(super) fn structure(&mut self, act: Act) -> Option<()> {
        match act {
            Act::If => self.open(Block::If)?,
            Act::Try => self.open(Block::Try)?,
            Act::GoAsync => self.open(Block::Async)?,
            Act::StartLoop => self.open(Block::Loop)?,
            Act::EndLoop => {
                self.close(&[Block::Loop])?;
            }
            Act::Else => self.blocks.divide(Block::If)?,
            Act::Exception => self.blocks.divide(Block::Try)?,
            Act::End => {
                let attempt = self.blocks.is_innermost(Block::Try);
                let divided = self.close(&[Block::If, Block::Async, Block::Try])?;
                (divided || !attempt).then_some(())?;
            }
            _ => {}
        }
        Some(())
    }
}
