//! Whether the rule about SQL that holds request parameters could find anything: whether what comes in with a parameter
//! could reach an `ormDirect` at all. Answers yes too often, never too seldom; the rule itself says what is so.
//!
//! Only programs that both take parameters and run SQL are asked, and they are asked backwards, because the texts of SQL
//! hang on few names: whatever a line reads that runs SQL is wanted, and so is what a line reads that writes a wanted
//! name, until a walk over the lines changes nothing. Order does not matter in the rule, and few programs need more than
//! two walks; after [`MOST_WALKS`] the rule itself is asked, so that the time stays linear.

use super::Reader;
use super::known::flag;
use super::names::{Names, Symbol};
use crate::syntax::{ExprKind, Run, Tree};

/// Walks over a program before the rule is asked.
const MOST_WALKS: usize = 6;

impl Reader<'_> {
    /// Whether a request parameter could reach an `ormDirect`; `headers` are the functions with their parameters, which
    /// matter only where something is called.
    #[inline(never)]
    pub(super) fn parameters_could_reach_sql(&mut self, tree: &Tree, headers: &[(Symbol, Run)]) -> bool {
        if self.queries.is_empty() || !self.seen.parameters {
            return false;
        }
        // Beyond that the nodes of the tree do not tell names apart.
        if self.names.count() > usize::from(u16::MAX) {
            return true;
        }
        let parameters = |run: Run| tree.parameters(run).iter().copied();
        let spans = headers.iter().flat_map(|(name, run)| parameters(*run).map(|span| (*name, span)));
        let takes: Vec<(Symbol, Symbol)> =
            spans.map(|(function, span)| (function, self.symbol_between(span))).collect();
        let names = &mut self.names;
        let mut search =
            Search { tree, done: vec![false; tree.statements.len()], grown: false, reached: false };
        for line in &self.queries {
            search.want_line(*line, names);
        }
        for _ in 0..MOST_WALKS {
            if search.reached || !search.grown {
                return search.reached;
            }
            search.grown = false;
            for (line, name) in self.flows.iter().rev() {
                if names.any(*name, flag::WANTED) {
                    search.want_line(*line, names);
                }
            }
            for (function, parameter) in &takes {
                if names.any(*parameter, flag::WANTED) {
                    names.set(*function, flag::FEEDS);
                }
            }
            for call in &self.calls {
                if names.any(call.name, flag::FEEDS) {
                    search.want_line(call.line, names);
                }
                // A name that is called stands for the value.
                if search.done[call.line as usize] {
                    search.want(call.name, names);
                }
            }
        }
        true
    }
}

/// How far the search has come.
struct Search<'t> {
    tree: &'t Tree,
    /// Lines whose names are wanted.
    done: Vec<bool>,
    /// Whether a name came to be wanted since the last walk.
    grown: bool,
    /// Whether one of them brings a request parameter.
    reached: bool,
}

impl Search<'_> {
    /// Whatever a line reads is wanted.
    fn want_line(&mut self, line: u32, names: &mut Names<'_>) {
        let Some(done) = self.done.get_mut(line as usize) else { return };
        if std::mem::replace(done, true) {
            return;
        }
        let tree = self.tree;
        let Some(statement) = tree.statements.get(line as usize) else { return };
        for node in tree.expressions_of(statement) {
            if matches!(node.kind, ExprKind::Name { .. }) {
                self.want(Symbol::from(node.number), names);
            }
        }
    }

    fn want(&mut self, name: Symbol, names: &mut Names<'_>) {
        if !names.any(name, flag::WANTED) {
            names.set(name, flag::WANTED);
            self.grown = true;
            self.reached |= names.any(name, flag::BRINGS);
        }
    }
}
