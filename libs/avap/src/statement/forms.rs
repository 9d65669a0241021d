//! The forms of a statement one by one: values, `include`, `return`, assignments and calls.

use super::{
    Gathered, Reader, assignment_at, bad_assignment, is_expression_word, keyword_as_name, matching, tentative,
};
use crate::blocks::{BRACE, Block, END, END_LOOP};
use crate::commands::{Profile, is_keyword};
use crate::diagnostic::{Code, Finding};
use crate::lexer::{Token, TokenKind};
use crate::syntax::{ExprKind, StatementKind};
use crate::words::{self, clip};

impl Reader<'_> {
    /// A line that starts with a value: a method call, or nothing that is allowed.
    pub(super) fn value_statement(&mut self, tokens: &[Token], out: &mut Gathered) -> Option<StatementKind> {
        let span = (tokens[0].start, tokens[tokens.len() - 1].end);
        if self.prefix_sign(tokens, out) {
            return None;
        }
        if assignment_at(tokens).is_some() {
            out.errors.push(bad_assignment(span));
            return None;
        }
        let before = out.errors.len();
        if self.slice(span) == "..." {
            // A placeholder.
            out.errors.clear();
            out.errors
                .push(words::symbol("...", span).help("write the lines out; a remark stands behind //"));
            return None;
        }
        let id = self.expression(tokens, span, out);
        if out.errors.len() > before {
            self.markup(tokens, out);
            return None;
        }
        let id = id?;
        if let Some(ExprKind::Call(callee, _)) = self.arena.kind(id)
            && matches!(self.arena.kind(*callee), Some(ExprKind::Member(..)))
        {
            return Some(StatementKind::MethodCall(id));
        }
        out.errors.push(
            Finding::unexpected(
                Code::NOT_A_STATEMENT,
                span,
                format!("unexpected construct: '{}' is no statement", clip(self.slice(span))),
            )
            .help("a line is a command, a call, an assignment or a block word"),
        );
        None
    }

    /// `<p>` and `<your code>`: tags and placeholders.
    fn markup(&self, tokens: &[Token], out: &mut Gathered) {
        let named = match tokens {
            [open, name, ..] if name.kind == TokenKind::Name => open.kind == TokenKind::Less,
            [open, slash, ..] => open.kind == TokenKind::Less && slash.kind == TokenKind::Slash,
            _ => false,
        };
        if let Some(error) = out.errors.last_mut().filter(|error| named && error.help.is_none()) {
            error.help =
                Some("a program holds neither tags nor placeholders; remove or replace it".to_owned());
        }
    }

    /// `++i`, `--i`, and the comments of SQL and HTML.
    pub(super) fn prefix_sign(&self, tokens: &[Token], out: &mut Gathered) -> bool {
        let start = tokens[0].start;
        let rest = &self.source[start as usize..];
        if rest.starts_with("<!--") {
            out.errors.clear();
            out.errors.push(words::symbol("<!--", (start, start + 4)).help("comments start with //"));
            return true;
        }
        let sign = match rest.get(..2) {
            Some(sign @ ("++" | "--")) => sign,
            _ => return false,
        };
        let finding = words::symbol(sign, (start, start + 2));
        let skip = if sign == "++" { 1 } else { 2 };
        out.errors.retain(|error| error.start != start);
        out.errors.push(match tokens.get(skip..) {
            Some([name]) if name.kind == TokenKind::Name => {
                let name = self.text(*name);
                let text = format!("{name} = {name} {} 1", &sign[..1]);
                finding.help(format!("write {text} or addVar({name}, {name} {} 1)", &sign[..1])).suggest(text)
            }
            Some([first, ..]) if first.kind == TokenKind::Name => finding.help("comments start with //"),
            _ => finding,
        });
        true
    }

    pub(super) fn include(
        &mut self,
        tokens: &[Token],
        word: &str,
        out: &mut Gathered,
    ) -> Option<StatementKind> {
        let span = (tokens[0].start, tokens[tokens.len() - 1].end);
        if !self.profiles.contains(Profile::Hypothesis) {
            out.errors.push(
                Finding::unexpected(
                    Code::PROFILE_OFF,
                    span,
                    format!("unexpected construct: '{word}' belongs to the profile hypothesis, which is off"),
                )
                .help("remove it; the commands are always there"),
            );
            return None;
        }
        let name_in_angles = word == "import"
            && tokens.len() == 4
            && tokens[1].kind == TokenKind::Less
            && tokens[2].kind == TokenKind::Name
            && tokens[3].kind == TokenKind::Greater;
        if name_in_angles || (tokens.len() == 2 && tokens[1].kind == TokenKind::Str) {
            return Some(StatementKind::Include);
        }
        out.errors.push(
            Finding::unexpected(
                Code::EXPRESSION,
                span,
                format!("unexpected construct: '{word}' takes one name"),
            )
            .help("write include \"file\" or import <name>"),
        );
        None
    }

    pub(super) fn return_statement(&mut self, tokens: &[Token], out: &mut Gathered) -> Option<StatementKind> {
        let rest = &tokens[1..];
        let empty = rest.is_empty()
            || (rest.len() == 2
                && rest[0].kind == TokenKind::OpenParen
                && rest[1].kind == TokenKind::CloseParen);
        if empty {
            return Some(StatementKind::Return(None));
        }
        let id = self.expression(rest, tokens[0].span(), out)?;
        Some(StatementKind::Return(Some(id)))
    }

    pub(super) fn assignment(&mut self, tokens: &[Token], out: &mut Gathered) -> Option<StatementKind> {
        let target = tokens[0];
        let name = self.text(target);
        let rest = &tokens[2..];
        let span = (target.start, tokens[tokens.len() - 1].end);
        if is_keyword(name) {
            out.errors.push(keyword_as_name(name, target.span()));
        }
        if rest.is_empty() {
            out.errors.push(
                Finding::unexpected(
                    Code::EXPRESSION,
                    tokens[1].span(),
                    "unexpected construct: a value is missing",
                )
                .help("write name = value"),
            );
            return None;
        }
        if assignment_at(rest).is_some() {
            out.errors.push(
                Finding::unexpected(
                    Code::ASSIGNMENT_TARGET,
                    span,
                    "unexpected construct: assignments cannot be chained",
                )
                .help("write one assignment on each line"),
            );
            return None;
        }
        let rest = match rest {
            [go, callee, open, ..]
                if self.text(*go) == "go"
                    && callee.kind == TokenKind::Name
                    && open.kind == TokenKind::OpenParen
                    && self.profiles.contains(Profile::Hypothesis) =>
            {
                &rest[1..]
            }
            _ => rest,
        };
        if let [callee, open, ..] = rest
            && callee.kind == TokenKind::Name
            && open.kind == TokenKind::OpenParen
            && !is_expression_word(self.text(*callee))
            && matching(rest, 1) == Some(rest.len() - 1)
        {
            return self.call(rest, Some(target), out);
        }
        let value = self.expression(rest, tokens[1].span(), out)?;
        Some(StatementKind::Assign { target: target.span(), value })
    }

    pub(super) fn call_statement(
        &mut self,
        tokens: &[Token],
        brace: bool,
        out: &mut Gathered,
    ) -> Option<StatementKind> {
        let Some(close) = matching(tokens, 1) else {
            return self.value_statement(tokens, out);
        };
        if is_expression_word(self.text(tokens[0])) {
            return self.value_statement(tokens, out);
        }
        let Some(next) = tokens.get(close + 1) else {
            return self.call(tokens, None, out);
        };
        if matches!(next.kind, TokenKind::Dot | TokenKind::OpenBracket | TokenKind::OpenParen) {
            return self.value_statement(tokens, out);
        }
        let word = self.text(tokens[0]);
        let span = (next.start, tokens[tokens.len() - 1].end);
        let finding = if assignment_at(tokens).is_some_and(|at| at == close + 1) {
            bad_assignment((tokens[0].start, span.1))
        } else if brace {
            Finding::unexpected(Code::SEVERAL_STATEMENTS, span, "unexpected construct: blocks have no braces")
                .help("close if, try and go_async with end(), startLoop with endLoop()")
        } else if next.kind == TokenKind::Name || next.kind == TokenKind::Semicolon {
            Finding::unexpected(
                Code::SEVERAL_STATEMENTS,
                span,
                "unexpected construct: several statements on a line",
            )
            .help("write one statement on each line")
        } else {
            Finding::unexpected(
                Code::SEVERAL_STATEMENTS,
                span,
                format!("unexpected construct: '{}' after the call", clip(self.slice(span))),
            )
            .help("a call ends its line")
        };
        out.errors.push(finding);
        if !self.known(word) {
            self.unknown_call(tokens[0], out, true);
        } else {
            let accepts = if brace { BRACE } else { 0 };
            match word {
                "if" => out.events.push(tentative(Block::If, END | accepts)),
                "startLoop" => out.events.push(tentative(Block::Loop, END_LOOP | accepts)),
                "try" => out.events.push(tentative(Block::Try, END | accepts)),
                _ => {
                    self.block_event(word, out, false);
                    if brace {
                        out.events.push(tentative(Block::Foreign, BRACE));
                    }
                }
            }
        }
        // Statements that follow on the same line still open and close their blocks.
        for at in close + 1..tokens.len() {
            if tokens[at].kind == TokenKind::Name
                && tokens.get(at + 1).is_some_and(|open| open.kind == TokenKind::OpenParen)
                && matches!(tokens[at - 1].kind, TokenKind::CloseParen | TokenKind::Semicolon)
            {
                self.block_event(self.text(tokens[at]), out, false);
            }
        }
        // What was reported for a block with braces closes with them.
        None
    }
}
