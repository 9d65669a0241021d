//! Closers and dividers: which open block each belongs to, and what is wrong where it belongs to none.

use super::{
    Behind, Block, END, Open, Placed, Resolver, closer_text, closes_nothing, fits, open_is_function, slot,
};
use crate::diagnostic::{Code, Finding};

impl Resolver {
    pub(super) fn close(&mut self, placed: Placed, behind: Behind, closer: u8, lenient: bool) {
        let top = self.top();
        if let Some(at) = self.tentative(|open| open.accepts & closer != 0)
            && self.closed_later(closer, behind)
        {
            while self.stack.len() > at {
                self.pop();
            }
            return;
        }
        let Some(top) = top else {
            if !lenient {
                self.extra(placed, closer);
            }
            return;
        };
        let needed = self.stack[top].block.closer();
        if lenient && self.closed_later(closer, behind) {
            // Every block finds a sound closer of its own.
            return;
        }
        if needed == closer {
            while self.stack.len() > top {
                if let Some(open) = self.pop() {
                    self.finish(&open);
                }
            }
            return;
        }
        if lenient {
            return;
        }
        let outer = self.open[slot(closer)].last().copied();
        let top_closed_later = self.closed_later(needed, behind);
        let outer_closed_later = self.closed_later(closer, behind);
        match (top_closed_later, outer_closed_later, outer) {
            (true, false, Some(outer)) => {
                // The closers are swapped: this one belongs to the outer block.
                self.wrong(placed, closer, top);
                self.close_outer(outer);
            }
            (true, _, _) => self.extra(placed, closer),
            (false, true, _) | (false, false, None) => {
                self.wrong(placed, closer, top);
                while self.stack.len() > top {
                    self.pop();
                }
            }
            (false, false, Some(outer)) => {
                while self.stack.len() > outer + 1 {
                    if let Some(open) = self.pop() {
                        self.left_open(&open);
                    }
                }
                if let Some(open) = self.pop() {
                    self.finish(&open);
                }
            }
        }
    }

    pub(super) fn extra(&mut self, placed: Placed, closer: u8) {
        self.report(placed.line, closes_nothing(closer, placed.span));
    }

    pub(super) fn wrong(&mut self, placed: Placed, closer: u8, top: usize) {
        let open = &self.stack[top];
        let right = closer_text(open.block.closer());
        let finding = Finding::unexpected(
            Code::WRONG_CLOSER,
            placed.span,
            format!(
                "unexpected construct: {} does not close '{}'",
                closer_text(closer),
                open.block.opener_name()
            ),
        )
        .help(format!("close it with {right}"))
        .suggest(right);
        self.report(placed.line, finding);
    }

    pub(super) fn divide(&mut self, placed: Placed, behind: Behind, block: Block, lenient: bool) {
        loop {
            let Some(top) = self.tentative(|open| fits(open, block)).or_else(|| self.top()) else {
                if !lenient {
                    self.misplaced(placed, block, false);
                    self.assume(placed, block);
                }
                return;
            };
            let open = &self.stack[top];
            // A second divider where an outer block could take it and a closer is missing: the inner was left open.
            let inner_left_open = open.block == block
                && open.required
                && open.firmly
                && !lenient
                && self.dividable[usize::from(block == Block::Try)] > 1
                && !self.closed_later(open.block.closer(), behind);
            if (open.block == block || !open.required) && !inner_left_open {
                if open.firmly && open.required && !lenient {
                    self.misplaced(placed, block, true);
                    if behind.0[slot(END)] > self.count(END) {
                        // A closer to spare: the opener of an inner block is missing.
                        self.assume(placed, block);
                    }
                } else {
                    let open = &mut self.stack[top];
                    open.divided = true;
                    open.firmly |= !lenient;
                }
                return;
            }
            let open = &self.stack[top];
            let needed = open.block.closer();
            let inside = self.dividable[usize::from(block == Block::Try)] > 0;
            if !inner_left_open
                && (lenient || !inside || open_is_function(open) || self.closed_later(needed, behind))
            {
                if !lenient {
                    self.misplaced(placed, block, false);
                    if !inside {
                        self.assume(placed, block);
                    }
                }
                return;
            }
            // The inner block was left open.
            while self.stack.len() > top {
                if let Some(open) = self.pop() {
                    self.left_open(&open);
                }
            }
        }
    }

    /// The opener of a divider is missing; its closer will come.
    pub(super) fn assume(&mut self, placed: Placed, block: Block) {
        self.push(Open {
            line: placed.line,
            span: placed.span,
            block,
            accepts: END,
            required: false,
            divided: true,
            firmly: true,
            dead: false,
        });
    }

    pub(super) fn misplaced(&mut self, placed: Placed, block: Block, second: bool) {
        let (code, word, opener) = match block {
            Block::Try => (Code::MISPLACED_EXCEPTION, "exception()", "try()"),
            _ => (Code::MISPLACED_ELSE, "else()", "if(…)"),
        };
        let message = if second {
            format!("unexpected construct: a second {word} in one block")
        } else {
            format!("unexpected construct: {word} outside of {opener}")
        };
        let finding = Finding::unexpected(code, placed.span, message)
            .help(format!("{word} divides a block that {opener} opened"));
        self.report(placed.line, finding);
    }
}
