//! What calls write: which arguments are targets, and what can stand there.

use super::unquote;
use crate::commands::{Command, ParamKind, Profile, is_keyword};
use crate::diagnostic::{Category, Code, Finding};
use crate::lexer::{Token, TokenKind};
use crate::statement::{Gathered, Reader, keyword_as_name};
use crate::syntax::{ExprId, ExprKind, Span};
use crate::words::{clip, is_name};

/// Which argument positions are written, given how many arguments there are and whether the value is assigned.
pub(crate) fn target_positions(
    command: &Command,
    count: usize,
    assigned: bool,
) -> impl Iterator<Item = usize> + use<'_> {
    let legacy = command.profile == Profile::Legacy;
    let last = legacy.then(|| count.checked_sub(1)).flatten();
    let skipped = usize::from(lacks_pattern(command, count, assigned));
    let params = if legacy { &[] } else { command.params.as_slice() };
    params
        .iter()
        .enumerate()
        .filter(|(_, param)| param.kind == ParamKind::Target)
        .filter_map(move |(at, _)| at.checked_sub(skipped))
        .filter(move |at| *at < count)
        .chain(last)
}

/// `randomString(length, target)`: the older form without a pattern.
pub(super) fn lacks_pattern(command: &Command, count: usize, assigned: bool) -> bool {
    command.name == "randomString" && count + 1 + usize::from(assigned) == command.params.len()
}

impl Reader<'_> {
    pub(super) fn assigned_command(&self, command: &Command, target: Token, out: &mut Gathered) {
        let name = &command.name;
        if command.block && name != "exception" {
            out.errors.push(
                Finding::unexpected(
                    Code::NO_VALUE,
                    target.span(),
                    format!("unexpected construct: the block word '{name}' has no value"),
                )
                .help("write it on a line of its own"),
            );
        } else if !command.block && !command.returns && !command.has_target() {
            out.notes.push(Finding::warning(
                Category::UnexpectedConstruct,
                Code::NO_VALUE,
                target.span(),
                format!("'{name}' has no value to assign"),
            ));
        }
    }

    /// Reads the argument of a target position.
    pub(super) fn target(
        &mut self,
        command: &Command,
        parts: &[&[Token]],
        part: &[Token],
        at: Span,
        out: &mut Gathered,
    ) -> Option<ExprId> {
        let [first, .., last] = part else {
            return match part {
                [one] => self.single_target(command, parts, *one, out),
                _ => {
                    out.errors.push(
                        Finding::unexpected(
                            Code::BAD_TARGET,
                            at,
                            "unexpected construct: the target is empty",
                        )
                        .help(format!("write {}", command.signature())),
                    );
                    None
                }
            };
        };
        out.errors.push(self.bad_target(command, parts, (first.start, last.end)));
        None
    }

    fn single_target(
        &mut self,
        command: &Command,
        parts: &[&[Token]],
        token: Token,
        out: &mut Gathered,
    ) -> Option<ExprId> {
        let text = self.text(token);
        match token.kind {
            TokenKind::Name if matches!(text, "True" | "False" | "None" | "true" | "false") => {
                out.errors.push(self.bad_target(command, parts, token.span()));
                None
            }
            TokenKind::Name if is_keyword(text) => {
                out.errors.push(keyword_as_name(text, token.span()));
                None
            }
            TokenKind::Name | TokenKind::OddWord => {
                let id = self.arena.add(ExprKind::Name { sigil: false }, token.span());
                self.written(id);
                Some(id)
            }
            TokenKind::Str if is_name(unquote(text)) => {
                if command.block {
                    out.notes.push(
                        Finding::hint(Code::QUOTED_TARGET, token.span(), "the target needs no quotes")
                            .suggest(unquote(text)),
                    );
                }
                Some(self.arena.add(ExprKind::Text, token.span()))
            }
            TokenKind::UnclosedStr | TokenKind::BadNumber | TokenKind::TripleQuote => None,
            _ => {
                out.errors.push(self.bad_target(command, parts, token.span()));
                None
            }
        }
    }

    fn bad_target(&self, command: &Command, parts: &[&[Token]], span: Span) -> Finding {
        let finding = Finding::unexpected(
            Code::BAD_TARGET,
            span,
            format!("unexpected construct: '{}' cannot be a target", clip(self.slice(span))),
        )
        .help(format!("a target is a plain name: {}", command.signature()));
        let text = self.slice(span);
        if let Some(name) = text.strip_prefix('$')
            && is_name(name)
        {
            return finding.suggest(name);
        }
        match parts {
            [value, [name]] if command.name == "addVar" && name.kind == TokenKind::Name => {
                let value = match value {
                    [first, .., last] => self.slice((first.start, last.end)),
                    [one] => self.text(*one),
                    [] => "",
                };
                finding.suggest(format!("addVar({}, {})", self.text(*name), clip(value)))
            }
            _ => finding,
        }
    }

    /// Marks a name as written rather than read.
    pub(super) fn written(&mut self, id: ExprId) {
        if let Some(node) = self.arena.nodes.get_mut(id.index()) {
            node.read = false;
        }
    }

    pub(super) fn write_last(&mut self, arguments: &[Option<ExprId>]) {
        if let Some(Some(id)) = arguments.last()
            && matches!(self.arena.kind(*id), Some(ExprKind::Name { sigil: false }))
        {
            self.written(*id);
        }
    }
}
