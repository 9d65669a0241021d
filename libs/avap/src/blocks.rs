//! Which closer belongs to which opener: decides, for the whole file, what was left open, what closes too much and
//! what stands where it must not, with one finding for each mistake. Uses an explicit stack, so depth has no limit.

mod closers;
mod layout;
mod words;

pub(crate) use layout::by_layout;
use words::{closer_text, closes_nothing, unclosed};

use crate::diagnostic::{Code, Finding};
use crate::syntax::Span;

/// Closes with `end()`.
pub(crate) const END: u8 = 1;
/// Closes with `endLoop()`.
pub(crate) const END_LOOP: u8 = 2;
/// Closes with `}`.
pub(crate) const BRACE: u8 = 4;

/// What a block is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Block {
    If,
    Try,
    Async,
    Loop,
    Function,
    /// A block of another language.
    Foreign,
}

/// What a line does to the block structure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Event {
    /// Opens a block. One that is not `required` stems from a line that has already failed: it takes a closer of
    /// `accepts` if one is to spare and vanishes otherwise.
    Open { block: Block, accepts: u8, required: bool },
    /// `else()`; lenient where the line has already failed.
    Else { lenient: bool },
    /// `exception()`; lenient where the line has already failed.
    Exception { lenient: bool },
    /// A closer; lenient where the line has already failed.
    Close { closer: u8, lenient: bool },
    /// A `}` before a foreign `else`: closes nothing but a foreign block.
    CloseForeign,
}

/// An event with the line it stands on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Placed {
    pub(crate) line: usize,
    pub(crate) span: Span,
    pub(crate) event: Event,
}

/// What was found about the structure.
#[derive(Debug, Default)]
pub(crate) struct Structure {
    /// Findings, each with the line it belongs to.
    pub(crate) findings: Vec<(usize, Finding)>,
    /// For each line, the line of the innermost open block's opener.
    pub(crate) parent: Vec<Option<u32>>,
    /// For each line, the line of the function it stands in.
    pub(crate) function: Vec<Option<u32>>,
}

#[derive(Clone)]
struct Open {
    line: usize,
    span: Span,
    block: Block,
    accepts: u8,
    required: bool,
    /// `else()` or `exception()` was seen.
    divided: bool,
    /// It stood on a sound line.
    firmly: bool,
    /// Closed out of order; waits to be popped.
    dead: bool,
}

/// How far down the stack a failed line's block is looked for.
const TENTATIVE_DEPTH: usize = 64;

/// Unmatched closers behind an event, by kind.
#[derive(Debug, Clone, Copy, Default)]
struct Behind([u32; 3]);

fn slot(closer: u8) -> usize {
    match closer {
        END => 0,
        END_LOOP => 1,
        _ => 2,
    }
}

/// Resolves the events of a file of `lines` lines; events are in text order.
pub(crate) fn resolve(events: &[Placed], lines: usize) -> Structure {
    let mut behind = vec![Behind::default(); events.len()];
    let mut unmatched = Behind::default();
    for (at, placed) in events.iter().enumerate().rev() {
        behind[at] = unmatched;
        match placed.event {
            Event::Close { closer, .. } => unmatched.0[slot(closer)] += 1,
            Event::Open { block, required: true, .. } => {
                let count = &mut unmatched.0[slot(block.closer())];
                *count = count.saturating_sub(1);
            }
            _ => {}
        }
    }

    let dividers = next_dividers(events);
    let uncertain = events.iter().any(
        |placed| matches!(placed.event, Event::Open { accepts, required: false, .. } if accepts & END != 0),
    );
    let mut resolver = Resolver { uncertain, ..Resolver::default() };
    resolver.out.parent = vec![None; lines];
    resolver.out.function = vec![None; lines];
    let mut next = 0;
    let mut function: Option<u32> = None;
    for (at, placed) in events.iter().enumerate() {
        let parent = resolver.parent();
        while next <= placed.line && next < lines {
            resolver.out.parent[next] = parent;
            resolver.out.function[next] = function;
            next += 1;
        }
        resolver.step(*placed, behind[at], dividers[at]);
        while resolver.stack.last().is_some_and(|open| open.dead) {
            resolver.pop();
        }
        function = resolver.function();
    }
    let parent = resolver.parent();
    for line in next..lines {
        resolver.out.parent[line] = parent;
        resolver.out.function[line] = function;
    }
    while let Some(open) = resolver.pop() {
        resolver.left_open(&open);
    }
    resolver.out
}

/// For each event, the first event behind it that divides or closes, by `end()`, the block that is open there.
fn next_dividers(events: &[Placed]) -> Vec<Option<Event>> {
    let mut next = vec![None; events.len()];
    let mut levels: Vec<Event> = Vec::new();
    for (at, placed) in events.iter().enumerate().rev() {
        next[at] = levels.last().copied();
        match placed.event {
            Event::Close { closer: END, .. } => levels.push(placed.event),
            Event::Else { .. } | Event::Exception { .. } => {
                levels.pop();
                levels.push(placed.event);
            }
            Event::Open { block, required: true, .. } if block.closer() == END => {
                levels.pop();
            }
            _ => {}
        }
    }
    next
}

#[derive(Default)]
struct Resolver {
    stack: Vec<Open>,
    /// Positions in the stack of the required open blocks, by closer.
    open: [Vec<usize>; 3],
    /// Required open `if` and `try` blocks.
    dividable: [usize; 2],
    /// Lines of the open functions.
    functions: Vec<usize>,
    /// Some line that failed may have opened a block, so closers cannot be counted exactly.
    uncertain: bool,
    out: Structure,
}

impl Resolver {
    fn parent(&self) -> Option<u32> {
        self.stack.last().map(|open| u32::try_from(open.line).unwrap_or(u32::MAX))
    }

    fn function(&self) -> Option<u32> {
        self.functions.first().map(|line| u32::try_from(*line).unwrap_or(u32::MAX))
    }

    fn count(&self, closer: u8) -> u32 {
        u32::try_from(self.open[slot(closer)].len()).unwrap_or(u32::MAX)
    }

    /// Position of the innermost required block.
    fn top(&self) -> Option<usize> {
        self.open.iter().filter_map(|positions| positions.last().copied()).max()
    }

    fn pop(&mut self) -> Option<Open> {
        let open = self.stack.pop()?;
        if open.required && !open.dead {
            self.forget(&open);
        }
        Some(open)
    }

    fn forget(&mut self, open: &Open) {
        self.open[slot(open.block.closer())].pop();
        match open.block {
            Block::If => self.dividable[0] = self.dividable[0].saturating_sub(1),
            Block::Try => self.dividable[1] = self.dividable[1].saturating_sub(1),
            Block::Function => {
                self.functions.pop();
            }
            _ => {}
        }
    }

    /// Closes a required block that is not the innermost one.
    fn close_outer(&mut self, at: usize) {
        let Some(open) = self.stack.get_mut(at) else { return };
        let closed = open.clone();
        open.dead = true;
        self.forget(&closed);
        self.finish(&closed);
    }

    fn push(&mut self, open: Open) {
        if open.required {
            self.open[slot(open.block.closer())].push(self.stack.len());
            match open.block {
                Block::If => self.dividable[0] += 1,
                Block::Try => self.dividable[1] += 1,
                Block::Function => self.functions.push(open.line),
                _ => {}
            }
        }
        self.stack.push(open);
    }

    fn report(&mut self, line: usize, finding: Finding) {
        self.out.findings.push((line, finding));
    }

    fn left_open(&mut self, open: &Open) {
        if !open.required || open.dead {
            return;
        }
        self.report(open.line, unclosed(open.block, open.span));
    }

    /// A block that was properly closed.
    fn finish(&mut self, open: &Open) {
        if open.required && !open.dead && open.block == Block::Try && !open.divided {
            let finding = Finding::unexpected(
                Code::TRY_WITHOUT_EXCEPTION,
                open.span,
                "unexpected construct: try() without exception()",
            )
            .help("write try() … exception(e) … end()")
            .suggest("exception(e)");
            self.report(open.line, finding);
        }
    }

    fn step(&mut self, placed: Placed, behind: Behind, next: Option<Event>) {
        match placed.event {
            Event::Open { block, accepts, required } => {
                if block == Block::Function && required {
                    self.function_header(placed, behind);
                }
                self.push(Open {
                    line: placed.line,
                    span: placed.span,
                    block,
                    accepts,
                    required,
                    divided: false,
                    firmly: false,
                    dead: false,
                });
            }
            Event::CloseForeign => {
                if let Some(at) = self.tentative(|open| open.accepts & BRACE != 0) {
                    while self.stack.len() > at {
                        self.pop();
                    }
                }
            }
            Event::Close { closer, lenient } => {
                if !self.too_early(placed, behind, next) {
                    self.close(placed, behind, closer, lenient);
                }
            }
            Event::Else { lenient } => self.divide(placed, behind, Block::If, lenient),
            Event::Exception { lenient } => self.divide(placed, behind, Block::Try, lenient),
        }
    }

    /// The innermost block of a failed line above all required ones that fits.
    fn tentative(&self, fits: impl Fn(&Open) -> bool) -> Option<usize> {
        let from = self.top().map_or(0, |top| top + 1).max(self.stack.len().saturating_sub(TENTATIVE_DEPTH));
        (from..self.stack.len()).rev().find(|at| !self.stack[*at].required && fits(&self.stack[*at]))
    }

    /// Whether all required blocks that need this closer will find one later.
    fn closed_later(&self, closer: u8, behind: Behind) -> bool {
        behind.0[slot(closer)] >= self.count(closer)
    }

    fn function_header(&mut self, placed: Placed, behind: Behind) {
        // What was left open before the header is reported there; what is closed later makes the header misplaced.
        while let Some(at) = self.top() {
            let block = self.stack[at].block;
            // The header's own closer stands behind it as well.
            let spare = u32::from(block == Block::Function);
            if behind.0[slot(block.closer())] >= self.count(block.closer()) + spare {
                let finding = Finding::unexpected(
                    Code::FUNCTION_NESTED,
                    placed.span,
                    "unexpected construct: a function inside a block",
                )
                .help("define functions outside of functions and blocks");
                self.report(placed.line, finding);
                return;
            }
            while self.stack.len() > at {
                if let Some(open) = self.pop() {
                    self.left_open(&open);
                }
            }
        }
    }

    /// An `end()` before the `else()` or `exception()` of the block that it would close, where all blocks are closed
    /// behind it: one closer too many.
    fn too_early(&mut self, placed: Placed, behind: Behind, next: Option<Event>) -> bool {
        if self.uncertain || !matches!(placed.event, Event::Close { closer: END, lenient: false }) {
            return false;
        }
        if self.tentative(|open| open.accepts & END != 0).is_some() {
            // It closes the block whose opener is missing.
            return false;
        }
        let Some(top) = self.top().map(|at| &self.stack[at]) else { return false };
        let early = match (top.block, next) {
            (Block::If, Some(Event::Else { .. })) | (Block::Try, Some(Event::Exception { .. })) => {
                !top.divided
            }
            _ => false,
        };
        if early && self.closed_later(END, behind) {
            self.extra(placed, END);
            return true;
        }
        false
    }
}

fn open_is_function(open: &Open) -> bool {
    open.block == Block::Function
}

/// Whether a block that need not be closed can hold this divider.
fn fits(open: &Open, block: Block) -> bool {
    open.block == block || (open.block == Block::Foreign && open.accepts & END != 0)
}
