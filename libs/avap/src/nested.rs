//! Calls inside expressions.

use crate::call;
use crate::diagnostic::{Code, Finding};
use crate::foreign;
use crate::statement::{Gathered, Reader};
use crate::syntax::{ExprId, ExprKind, Span};
use crate::words::clip;

impl Reader<'_> {
    /// Checks the calls inside expressions of the line.
    pub(crate) fn nested_calls(&mut self, from: u32, to: u32, out: &mut Gathered) {
        for at in from..to {
            let (callee, count) = match self.arena.kind(ExprId(at)) {
                Some(ExprKind::Call(callee, arguments)) => (*callee, arguments.len()),
                Some(ExprKind::Member(base, member)) => {
                    out.errors.extend(self.foreign_member(ExprId(at), *base, *member));
                    continue;
                }
                _ => continue,
            };
            let span = self.arena.span(callee);
            match self.arena.kind(callee) {
                Some(ExprKind::Name { .. }) => {
                    if let Some(finding) = call::nested(self, self.slice(span), span, count) {
                        out.errors.push(finding);
                    }
                }
                Some(ExprKind::Member(..)) => {
                    if let Some(finding) = self.foreign_receiver(callee) {
                        out.errors.push(finding);
                    }
                }
                _ => {}
            }
        }
    }

    /// A member of a library object of another language, such as `os.environ`, that the program does not define.
    fn foreign_member(&self, whole: ExprId, base: ExprId, member: Span) -> Option<Finding> {
        let Some(ExprKind::Name { sigil: false }) = self.arena.kind(base) else { return None };
        let receiver = self.slice(self.arena.span(base));
        if !foreign::is_foreign_member(receiver, self.slice(member)) || self.outline.assigns(receiver) {
            return None;
        }
        let (suggestion, help) = foreign::receiver_remedy(receiver, self.slice(member))?;
        let span = self.arena.span(whole);
        let message = format!("unknown name '{}'", clip(self.slice(span)));
        Some(Finding::unknown(Code::FOREIGN_RECEIVER, span, message).suggest(suggestion).help(help))
    }

    /// A method call on a library object of another language that the program does not define.
    fn foreign_receiver(&self, callee: ExprId) -> Option<Finding> {
        let mut base = callee;
        while let Some(ExprKind::Member(inner, _)) = self.arena.kind(base) {
            base = *inner;
        }
        let Some(ExprKind::Name { sigil: false }) = self.arena.kind(base) else { return None };
        let receiver = self.slice(self.arena.span(base));
        if self.outline.assigns(receiver) {
            return None;
        }
        let Some(ExprKind::Member(_, method)) = self.arena.kind(callee) else { return None };
        let (suggestion, help) = foreign::receiver_remedy(receiver, self.slice(*method))?;
        let span = self.arena.span(callee);
        let finding = Finding::unknown(
            Code::FOREIGN_RECEIVER,
            span,
            format!("unknown command '{}'", clip(self.slice(span))),
        );
        Some(finding.suggest(suggestion).help(help))
    }
}
