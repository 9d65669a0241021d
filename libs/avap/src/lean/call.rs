//! Calls that make a line, with their arguments held against the command's shape, and the conditions of `if`.

use super::cursor::{class, is, offset};
use super::known::{Act, Shape, flag, word};
use super::names::Symbol;
use super::{Called, Heard, Reader};
use crate::call::{token_literal, unquote};
use crate::commands::{COMPARATORS, ENDPOINT_METHODS, Profile};
use crate::rules::CLEANSING;
use crate::syntax::{ExprId, ExprKind, Run, Span, StatementKind};

/// Calls of a line with more arguments than any command takes are left to the full road.
const MOST_ARGUMENTS: usize = 12;

impl Reader<'_> {
    /// Reads the arguments of a call, from its parenthesis; `assigned` is the name left of `=`. `Some(None)` where the
    /// line goes on behind the call, so that it is part of an expression.
    pub(super) fn call(
        &mut self,
        symbol: Symbol,
        name: Span,
        assigned: Option<(Symbol, Span)>,
    ) -> Option<Option<StatementKind>> {
        let flags = self.names.flags(symbol);
        let shape = if flags & flag::COMMAND == 0 {
            if flags & flag::KEYWORD != 0 {
                return None;
            }
            None
        } else {
            let shape = self.names.shape(symbol)?;
            if !self.profiles.contains(shape.profile) || (assigned.is_some() && !shape.assignable) {
                return None;
            }
            Some(shape)
        };
        let arguments = self.arguments(shape)?;
        self.end = self.at;
        let byte = self.space()?;
        if !self.is_statement_end(byte) {
            return Some(None);
        }
        match shape {
            Some(shape) => self.command(shape, arguments, assigned.map(|(symbol, _)| symbol))?,
            None if flags & flag::HELPER != 0 => {
                // Its value must be used.
                let (target, _) = assigned.filter(|_| arguments.len() == 1)?;
                let marks = if symbol == word::LEN { flag::LENGTH } else { 0 };
                self.writes(target, flag::VARIED | marks);
                if !CLEANSING.contains(&self.text(name)) {
                    self.hands_on(target);
                }
            }
            None => {
                self.calls_own(symbol, arguments.len());
                if let Some((target, _)) = assigned {
                    self.writes(target, flag::VARIED);
                    self.hands_on(target);
                }
            }
        }
        Some(Some(StatementKind::Call { name, arguments, assigned: assigned.map(|(_, span)| span) }))
    }

    /// Reads arguments up to the closing parenthesis; what is written is gathered in `targets`.
    fn arguments(&mut self, shape: Option<&'static Shape>) -> Option<Run> {
        let (targets, block, condition) = match shape {
            Some(shape) if shape.profile != Profile::Legacy => {
                (shape.targets, shape.block, shape.act == Act::If)
            }
            _ => (0, false, false),
        };
        self.targets.clear();
        self.at += 1;
        if self.space()? == b')' {
            self.at += 1;
            return Some(Run::default());
        }
        let mut arguments = [None; MOST_ARGUMENTS];
        let mut count = 0;
        loop {
            let id = if targets >> count & 1 != 0 {
                self.target(block)?
            } else if condition && count == 2 {
                self.comparator(arguments[0], arguments[1])?
            } else {
                self.argument()?
            };
            *arguments.get_mut(count)? = Some(id);
            count += 1;
            match self.space()? {
                b',' => self.at += 1,
                b')' => break,
                _ => return None,
            }
        }
        self.at += 1;
        Some(self.arena.keep_slice(&arguments[..count]))
    }

    /// Reads a name that is written, plain or quoted.
    fn target(&mut self, block: bool) -> Option<ExprId> {
        let byte = self.space()?;
        let start = self.at;
        let (symbol, kind) = match byte {
            byte if is(byte, class::LETTER) => (self.name_here(), ExprKind::Name { sigil: false }),
            // A quoted target of a block word draws a hint.
            b'"' | b'\'' if !block => {
                self.at += 1;
                let symbol = if is(self.peek(), class::LETTER) { self.name_here() } else { return None };
                self.at += 1;
                (symbol, ExprKind::Text)
            }
            _ => return None,
        };
        if kind == ExprKind::Text && self.byte(self.at - 1) != self.byte(start) {
            return None;
        }
        let constant = matches!(symbol, word::TRUE_IN_LOWER_CASE | word::FALSE_IN_LOWER_CASE);
        if self.names.any(symbol, flag::KEYWORD) || constant && kind != ExprKind::Text {
            return None;
        }
        self.targets.push(symbol);
        let span = (offset(start), offset(self.at));
        Some(self.arena.add_target(kind, span))
    }

    /// Marks a plain name as written rather than read.
    fn written(&mut self, id: ExprId) {
        if let Some(node) = self.arena.nodes.get_mut(id.index())
            && node.kind == (ExprKind::Name { sigil: false })
        {
            node.read = false;
        }
    }

    /// What a command demands beyond its arguments, and what it does.
    fn command(&mut self, shape: &'static Shape, arguments: Run, assigned: Option<Symbol>) -> Option<()> {
        let count = u8::try_from(arguments.len()).ok()?;
        if shape.profile == Profile::Legacy {
            // Its last argument is written, whatever their number.
            let last = arguments.len().checked_sub(1).and_then(|at| self.arena.child(arguments, at));
            if let Some(last) = last {
                self.written(last);
                let written = self.id_of(last);
                if let Some(written) = written {
                    self.targets.push(written);
                }
            }
        } else {
            let left_out = u8::from(assigned.is_some() && shape.trailing_target);
            let extra = if self.profiles.contains(Profile::Hypothesis) { shape.extra } else { 0 };
            if count < shape.least.saturating_sub(left_out) || count > shape.most + extra {
                return None;
            }
        }
        match shape.act {
            Act::If | Act::Else | Act::End | Act::EndLoop | Act::Try | Act::Exception => {
                self.structure(shape.act)?;
            }
            Act::StartLoop => {
                let (from, to) = (self.arena.child(arguments, 1)?, self.arena.child(arguments, 2)?);
                if self.text(self.arena.span(from)) == "0" {
                    self.runs_to(to);
                }
                self.structure(shape.act)?;
            }
            Act::GoAsync => {
                let first = self.arena.child(arguments, 0)?;
                let plain = self.arena.kind(first) == Some(&ExprKind::Name { sigil: false });
                if !plain && !self.is_text(first) {
                    return None;
                }
                self.written(first);
                if let Some(id) = self.id_of(first) {
                    self.names.set(id, flag::STARTED);
                }
                self.structure(shape.act)?;
            }
            Act::Gather => {
                let first = self.arena.child(arguments, 0)?;
                self.written(first);
                let started = self.id_of(first).is_some_and(|id| self.names.any(id, flag::STARTED));
                self.seen.gathers |= !started;
            }
            Act::Endpoint => {
                let method = self.arena.child(arguments, 1)?;
                let text = self.text(self.arena.span(method));
                if self.is_text(method) && !ENDPOINT_METHODS.contains(&unquote(text)) {
                    return None;
                }
                self.seen.answers = true;
            }
            Act::Connector => {
                let token = self.arena.child(arguments, 0)?;
                if self.is_text(token) {
                    let span = self.arena.span(token);
                    self.notes.push(token_literal(span));
                }
            }
            // The older form without a pattern draws a warning.
            Act::Random if count + u8::from(assigned.is_some()) + 1 == shape.most => return None,
            Act::AddResult => self.seen.answers = true,
            Act::Parameters => self.seen.parameters = true,
            Act::Query => self.queries.push(offset(self.statements.len())),
            Act::AddVar | Act::ListLength | Act::Random | Act::None => {}
        }
        self.seen.commands |= shape.bit;
        self.write_targets(shape, arguments, assigned);
        Some(())
    }

    fn is_text(&self, id: ExprId) -> bool {
        self.arena.kind(id) == Some(&ExprKind::Text)
    }

    /// The name that an argument is, quoted or not.
    pub(super) fn id_of(&mut self, id: ExprId) -> Option<Symbol> {
        let node = self.arena.nodes.get(id.index())?;
        let (start, end) = node.span;
        let name = match node.kind {
            ExprKind::Name { sigil } => (start + u32::from(sigil), end),
            ExprKind::Text => (start + 1, end - 1),
            _ => return None,
        };
        Some(self.symbol_between(name))
    }

    fn write_targets(&mut self, shape: &'static Shape, arguments: Run, assigned: Option<Symbol>) {
        if shape.act == Act::AddVar && assigned.is_none() {
            if let (Some(target), Some(value)) = (self.targets.first(), self.arena.child(arguments, 1)) {
                self.gives(*target, value);
            }
            return;
        }
        let marks = match shape.act {
            Act::ListLength => flag::LENGTH,
            Act::Parameters => flag::BRINGS,
            _ => 0,
        };
        if let Some(target) = assigned {
            self.targets.push(target);
        }
        for at in 0..self.targets.len() {
            self.writes(self.targets[at], flag::VARIED | marks);
            if shape.carries {
                self.hands_on(self.targets[at]);
            }
        }
    }

    /// A loop runs from 0 to this value, which it includes.
    fn runs_to(&mut self, end: ExprId) {
        if self.is_length(end) {
            self.seen.doubtful = true;
        } else if matches!(self.arena.kind(end), Some(ExprKind::Name { .. })) {
            let symbol = self.id_of(end);
            self.ends.extend(symbol);
        }
    }

    /// A call inside an expression: only what has a value can be called.
    pub(super) fn calls_inside(&mut self, symbol: Symbol, count: usize) -> Option<()> {
        if symbol == Symbol::MAX {
            return None;
        }
        let flags = self.names.flags(symbol);
        if flags & flag::HELPER != 0 {
            return (count == 1).then_some(());
        }
        if flags & flag::COMMAND != 0 {
            let shape = self.names.shape(symbol)?;
            let sound = self.profiles.contains(shape.profile)
                && !shape.block
                && shape.targets == 0
                && (shape.profile == Profile::Legacy || count == usize::from(shape.most));
            return sound.then_some(());
        }
        if flags & flag::KEYWORD != 0 {
            return None;
        }
        self.calls_own(symbol, count);
        Some(())
    }

    /// A call of what must turn out to be a function of the program.
    fn calls_own(&mut self, name: Symbol, arguments: usize) {
        let line = offset(self.statements.len());
        self.calls.push(Called { name, arguments: offset(arguments), line });
    }

    /// The third argument of `if`: a comparator, or a condition as text behind `None, None`.
    fn comparator(&mut self, left: Option<ExprId>, right: Option<ExprId>) -> Option<ExprId> {
        let byte = self.space()?;
        let start = self.at;
        let none = |operand: Option<ExprId>| {
            operand.is_some_and(|id| {
                self.arena.kind(id) == Some(&ExprKind::Constant) && self.text(self.arena.span(id)) == "None"
            })
        };
        let text_form = none(left) && none(right);
        let comparator = match byte {
            b'"' | b'\'' => {
                self.quoted()?;
                let text = unquote(self.text((offset(start), offset(self.at)))).trim();
                COMPARATORS.contains(&text)
            }
            b'`' => {
                self.quoted()?;
                false
            }
            b'=' | b'!' | b'<' | b'>' => {
                while matches!(self.peek(), b'=' | b'!' | b'<' | b'>') {
                    self.at += 1;
                }
                COMPARATORS.contains(&self.text((offset(start), offset(self.at)))).then_some(true)?
            }
            _ if is(byte, class::LETTER) => {
                let word = self.word();
                (self.text(word.span) == "in").then_some(true)?
            }
            _ => return None,
        };
        // A comparator between None and None draws a warning, a text between other operands is a mistake.
        if comparator == text_form {
            return None;
        }
        let span = (offset(start), offset(self.at));
        if text_form {
            self.condition(span, byte == b'`')?;
        }
        Some(self.arena.add(ExprKind::Text, span))
    }

    /// The text of a string or template as an expression; its nodes are no part of the tree, only the names count.
    fn condition(&mut self, span: Span, template: bool) -> Option<()> {
        let inner = (span.0 + 1, span.1 - 1);
        if self.text(inner).contains('\\') {
            return None;
        }
        let (bytes, at) = (self.bytes, self.at);
        let (nodes, children) = (self.arena.nodes.len(), self.arena.children.len());
        (self.bytes, self.at) = (self.source.as_bytes().get(..inner.1 as usize)?, inner.0 as usize);
        (self.in_text, self.holes) = (true, template);
        self.expression()?;
        if self.at < self.bytes.len() {
            return None;
        }
        (self.in_text, self.holes) = (false, false);
        (self.bytes, self.at) = (bytes, at);
        let line = offset(self.statements.len());
        self.heard.extend(
            self.arena
                .nodes
                .get(nodes..)?
                .iter()
                .filter(|node| node.read && matches!(node.kind, ExprKind::Name { .. }))
                .map(|node| Heard { line, name: node.span, arithmetic: node.arithmetic, span }),
        );
        self.arena.nodes.truncate(nodes);
        self.arena.children.truncate(children);
        Some(())
    }
}
