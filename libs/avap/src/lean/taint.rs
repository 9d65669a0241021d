//! Whether the rule about SQL that holds request parameters could find anything: whether what comes in with a parameter
//! could reach an `ormDirect` at all. Answers yes too often, never too seldom; the rule itself says what is so.
//!
//! Only programs that both take parameters and run SQL are asked. Their lines are walked: one that reads what may hold
//! a parameter hands it on to what it writes and to the functions that it calls, until a walk changes nothing. Order
//! does not matter in the rule, and few programs need more than two walks; after [`MOST_WALKS`] the rule itself is
//! asked, so that the time stays linear.

use super::Reader;
use super::known::{Act, flag};
use super::names::Symbol;
use crate::commands::Profile;
use crate::syntax::{Expr, ExprId, ExprKind, Run, Span, Statement, StatementKind, Tree};

/// Walks over a program before the rule is asked.
const MOST_WALKS: usize = 6;

impl Reader<'_> {
    /// Whether a request parameter could reach an `ormDirect`.
    pub(super) fn parameters_could_reach_sql(&mut self, tree: &Tree) -> bool {
        if !self.seen.queries || !self.seen.parameters {
            return false;
        }
        // Beyond that the nodes of the tree do not tell names apart.
        if self.names.count() > usize::from(u16::MAX) {
            return true;
        }
        // Lines that have handed on what they read; they have nothing more to say.
        let mut done = vec![false; tree.statements.len()];
        for _ in 0..MOST_WALKS {
            match self.walk(tree, &mut done) {
                Walk::Reached => return true,
                Walk::Changed => {}
                Walk::Done => return false,
            }
        }
        true
    }

    fn walk(&mut self, tree: &Tree, done: &mut [bool]) -> Walk {
        let mut walk = Walk::Done;
        let mut next = 0;
        let mut inside = None;
        for (statement, done) in tree.statements.iter().zip(done) {
            match statement.kind {
                StatementKind::Function { parameters, .. } => {
                    inside = self.functions.get(next).map(|function| function.name);
                    next += 1;
                    if inside.is_some_and(|name| self.names.any(name, flag::FED)) {
                        for parameter in tree.parameters(parameters) {
                            self.taint(*parameter, &mut walk);
                        }
                    }
                }
                StatementKind::CloseFunction => inside = None,
                _ if *done || !self.reads_tainted(tree, statement) => {}
                _ => {
                    *done = true;
                    if !self.hand_on(tree, statement, inside, &mut walk) {
                        return Walk::Reached;
                    }
                }
            }
        }
        walk
    }

    /// Whether a line reads or calls what may hold a parameter.
    fn reads_tainted(&mut self, tree: &Tree, statement: &Statement) -> bool {
        let tainted = |node: &Expr| {
            matches!(node.kind, ExprKind::Name { .. })
                && self.names.any(Symbol::from(node.number), flag::TAINTED)
        };
        if tree.expressions_of(statement).iter().any(tainted) {
            return true;
        }
        match statement.kind {
            StatementKind::Call { name, .. } if !self.functions.is_empty() => {
                let callee = self.symbol_between(name);
                self.names.any(callee, flag::TAINTED)
            }
            _ => false,
        }
    }

    /// Hands on what a line reads; `false` where it runs SQL.
    fn hand_on(
        &mut self,
        tree: &Tree,
        statement: &Statement,
        inside: Option<Symbol>,
        walk: &mut Walk,
    ) -> bool {
        if !self.functions.is_empty() {
            for node in tree.expressions_of(statement) {
                // What is no function of the program is never a header either.
                if matches!(node.kind, ExprKind::Name { .. }) {
                    self.note(Symbol::from(node.number), flag::FED, walk);
                }
            }
        }
        match statement.kind {
            StatementKind::Assign { target, .. } => self.taint(target, walk),
            StatementKind::Call { name, arguments, assigned } => {
                let callee = self.symbol_between(name);
                if self.names.shape(callee).is_some_and(|shape| shape.act == Act::Query) {
                    return false;
                }
                self.note(callee, flag::FED, walk);
                self.call_writes(tree, callee, arguments, assigned, walk);
            }
            StatementKind::Return(_) => {
                if let Some(name) = inside {
                    self.note(name, flag::TAINTED, walk);
                }
            }
            _ => {}
        }
        true
    }

    /// What a line that is a call writes with what it reads.
    fn call_writes(
        &mut self,
        tree: &Tree,
        callee: Symbol,
        arguments: Run,
        assigned: Option<Span>,
        walk: &mut Walk,
    ) {
        let shape = self.names.shape(callee);
        let brings = shape.is_some_and(|shape| shape.act == Act::Parameters);
        if brings || self.names.any(callee, flag::CLEANSES) {
            return;
        }
        if let Some(span) = assigned {
            self.taint(span, walk);
        }
        let Some(shape) = shape else { return };
        let arguments = tree.children(arguments);
        for (at, argument) in arguments.iter().enumerate() {
            let written = if shape.profile == Profile::Legacy {
                at + 1 == arguments.len()
            } else {
                shape.targets >> at.min(31) & 1 != 0
            };
            if let Some(id) = argument.filter(|_| written) {
                self.taint(name_span(tree, id), walk);
            }
        }
    }

    /// Marks the name between two places.
    fn taint(&mut self, name: Span, walk: &mut Walk) {
        let symbol = self.symbol_between(name);
        self.note(symbol, flag::TAINTED, walk);
    }

    fn note(&mut self, symbol: Symbol, mark: u16, walk: &mut Walk) {
        if !self.names.any(symbol, mark) {
            self.names.set(symbol, mark);
            *walk = Walk::Changed;
        }
    }
}

/// Where the name stands that an argument is, quoted or not; what is no name is not read as one anywhere.
fn name_span(tree: &Tree, id: ExprId) -> Span {
    let (start, end) = tree.span(id);
    match tree.kind(id) {
        Some(ExprKind::Name { sigil: true }) => (start + 1, end),
        Some(ExprKind::Text) => (start + 1, end - 1),
        _ => (start, end),
    }
}

/// What a walk came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Walk {
    /// A parameter can reach an `ormDirect`.
    Reached,
    /// More names may hold parameters than before.
    Changed,
    /// Nothing changed.
    Done,
}
