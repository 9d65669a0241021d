//! Walks over syntax trees with a cursor, never by recursion, in time linear in the tree: what stands around and before
//! a node is carried along, since the tree itself can only search for it.

use std::ops::ControlFlow;

use assay_domain::code::{Category, Diagnostic};
use tree_sitter::{Node, Tree};

use super::place::Source;
use super::watch::{Stopped, Watch};

/// Findings of one program that are collected; what follows many is noise.
pub(super) const ENOUGH: usize = 80;

/// A node where the walk stands.
#[derive(Clone, Copy)]
pub(super) struct Spot<'a, 'tree> {
    pub(super) node: Node<'tree>,
    /// Its kind.
    pub(super) kind: &'tree str,
    /// What stands directly before it, in the same node.
    pub(super) before: Option<Node<'tree>>,
    around: &'a [Around<'tree>],
}

/// A node that the walk is inside of.
struct Around<'tree> {
    node: Node<'tree>,
    kind: &'tree str,
    before: Option<Node<'tree>>,
}

impl<'tree> Spot<'_, 'tree> {
    /// The kind of the node around; empty for the root.
    pub(super) fn parent_kind(&self) -> &'tree str {
        self.outer_kind(1)
    }

    /// The node that is this many levels further out.
    pub(super) fn outer(&self, levels: usize) -> Option<Node<'tree>> {
        let at = self.around.len().checked_sub(levels)?;
        self.around.get(at).map(|around| around.node)
    }

    /// The kind of the node that is this many levels further out; empty if there is none.
    pub(super) fn outer_kind(&self, levels: usize) -> &'tree str {
        let at = self.around.len().checked_sub(levels);
        at.and_then(|at| self.around.get(at)).map_or("", |around| around.kind)
    }

    /// Whether this is the whole program.
    pub(super) fn is_root(&self) -> bool {
        self.around.is_empty()
    }

    /// The nearest node that ends before this one begins; not a node around it.
    pub(super) fn previous(&self) -> Option<Node<'tree>> {
        self.before.or_else(|| self.around.iter().rev().find_map(|around| around.before))
    }
}

/// What the walk does at a node.
pub(super) enum Event<'a, 'tree> {
    /// It comes to the node, before what is in it.
    Enter(Spot<'a, 'tree>),
    /// It leaves the node of this kind.
    Leave(&'tree str),
}

/// Where a walk goes on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    /// Into the node.
    Down,
    /// Past it.
    Past,
    /// Nowhere.
    End,
}

/// Walks through a tree in text order. What is said to leaving a node counts only where it is the end.
pub(super) fn walk<'tree>(
    tree: &'tree Tree,
    watch: &Watch<'_>,
    mut each: impl FnMut(Event<'_, 'tree>) -> Next,
) -> Result<(), Stopped> {
    let mut cursor = tree.walk();
    let mut around: Vec<Around<'tree>> = Vec::new();
    let mut before = None;
    loop {
        watch.step()?;
        let node = cursor.node();
        let kind = node.kind();
        let next = each(Event::Enter(Spot { node, kind, before, around: &around }));
        if next == Next::End {
            return Ok(());
        }
        if next == Next::Down && cursor.goto_first_child() {
            around.push(Around { node, kind, before });
            before = None;
            continue;
        }
        let (mut left, mut left_kind) = (node, kind);
        loop {
            if each(Event::Leave(left_kind)) == Next::End {
                return Ok(());
            }
            if cursor.goto_next_sibling() {
                before = Some(left);
                break;
            }
            let Some(outer) = around.pop() else { return Ok(()) };
            cursor.goto_parent();
            watch.step()?;
            (left, left_kind) = (outer.node, outer.kind);
        }
    }
}

/// Calls `each` with every node of a tree, in text order, until it breaks.
pub(super) fn visit<'tree>(
    tree: &'tree Tree,
    watch: &Watch<'_>,
    mut each: impl FnMut(Spot<'_, 'tree>) -> ControlFlow<()>,
) -> Result<(), Stopped> {
    walk(tree, watch, |event| match event {
        Event::Enter(spot) if each(spot).is_break() => Next::End,
        _ => Next::Down,
    })
}

/// Breaks a walk that has found enough.
pub(super) fn enough(found: &[Diagnostic]) -> ControlFlow<()> {
    if found.len() < ENOUGH { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
}

/// A mistake of form over a node.
pub(super) fn said(source: &Source<'_>, node: Node<'_>, id: &str, message: String) -> Diagnostic {
    source.error(node.byte_range(), id, Category::SyntaxError, message)
}
