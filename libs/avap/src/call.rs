//! Calls: commands, block words and functions with their arguments held against the command table.

mod targets;

use targets::lacks_pattern;
pub(crate) use targets::target_positions;

use crate::commands::{Command, ENDPOINT_METHODS, Profile, command, is_helper};
use crate::diagnostic::{Category, Code, Finding};
use crate::lexer::{Token, TokenKind};
use crate::statement::{ANY_ARITY, Gathered, Reader, keyword_as_name, split};
use crate::syntax::{ExprId, ExprKind, Span, StatementKind};
use crate::words::{self, clip, empty_argument};

/// What is wrong with a call inside an expression, if anything.
pub(crate) fn nested(reader: &Reader<'_>, name: &str, span: Span, count: usize) -> Option<Finding> {
    if let Some(expected) = reader.outline.functions.get(name) {
        return (*expected != count && *expected != ANY_ARITY)
            .then(|| function_arity(name, *expected, count, span));
    }
    if is_helper(name) {
        return (count != 1).then(|| function_arity(name, 1, count, span));
    }
    let Some(command) = command(name).filter(|command| reader.profiles.contains(command.profile)) else {
        if matches!(name, "return" | "function") {
            return Some(keyword_as_name(name, span));
        }
        let mut out = Gathered::default();
        let token = Token { kind: TokenKind::Name, start: span.0, end: span.1 };
        reader.unknown_call(token, &mut out, false);
        return out.errors.pop();
    };
    if command.block {
        return Some(
            Finding::unexpected(
                Code::NESTED_COMMAND,
                span,
                format!("unexpected construct: the block word '{name}' inside an expression"),
            )
            .help("write it on a line of its own"),
        );
    }
    if command.has_target() {
        return Some(
            Finding::unexpected(
                Code::NESTED_COMMAND,
                span,
                format!("unexpected construct: '{name}' inside an expression"),
            )
            .help(format!("write {} on a line of its own and use its target here", command.signature())),
        );
    }
    (command.profile != Profile::Legacy && count != command.params.len())
        .then(|| command_arity(command, count, span))
}

fn plural(count: usize) -> String {
    match count {
        1 => "1 argument".to_owned(),
        _ => format!("{count} arguments"),
    }
}

fn function_arity(name: &str, expected: usize, found: usize, span: Span) -> Finding {
    Finding::unexpected(
        Code::ARITY,
        span,
        format!("unexpected construct: '{name}' takes {}, found {found}", plural(expected)),
    )
}

fn command_arity(command: &Command, found: usize, span: Span) -> Finding {
    let finding = Finding::unexpected(
        Code::ARITY,
        span,
        format!(
            "unexpected construct: '{}' takes {}, found {found}",
            command.name,
            plural(command.params.len())
        ),
    );
    match command.name.as_str() {
        "getTimeStamp" if found <= 2 => finding
            .suggest("getDateTime(format, delta, zone, target)")
            .help("the current time is getDateTime(format, delta, zone, target); getTimeStamp(text, format, delta, target) reads a date text"),
        "startLoop" if found > 3 => {
            finding.help("write startLoop(target, from, to); loops count up by one, there is no step")
        }
        _ => finding.help(format!("write {}: {}", command.signature(), command.effect)),
    }
}

impl Reader<'_> {
    /// Reads `name(arguments)`, which `tokens` hold exactly; `assigned` is the name left of `=`.
    pub(crate) fn call(
        &mut self,
        tokens: &[Token],
        assigned: Option<Token>,
        out: &mut Gathered,
    ) -> Option<StatementKind> {
        let name = tokens[0];
        let word = self.text(name);
        let close = tokens[tokens.len() - 1];
        let inner = &tokens[2..tokens.len() - 1];
        let mut parts = if inner.is_empty() { Vec::new() } else { split(inner) };
        let before = out.errors.len();
        if parts.len() > 1 && parts.last().is_some_and(|part| part.is_empty()) {
            out.errors.push(words::trailing_comma(close.span()));
            parts.pop();
        }
        let span = (name.start, close.end);
        let arguments = if let Some(expected) = self.outline.functions.get(word).copied() {
            // What is wrong with an argument may be why there are too few.
            let arguments = self.values(&parts, close.span(), parts.len() < expected, out);
            if out.errors.len() == before && parts.len() != expected && expected != ANY_ARITY {
                out.errors.push(function_arity(word, expected, parts.len(), name.span()));
            }
            arguments
        } else if let Some(command) = command(word).filter(|c| self.profiles.contains(c.profile)) {
            let arguments = self.command(command, &parts, span, assigned, out);
            let sound = out.errors.len() == before;
            self.block_event(word, out, sound);
            arguments
        } else if is_helper(word) {
            if parts.len() != 1 {
                out.errors.push(function_arity(word, 1, parts.len(), name.span()));
            }
            if assigned.is_none() {
                out.notes.push(Finding::warning(
                    Category::UnexpectedConstruct,
                    Code::UNUSED_VALUE,
                    span,
                    format!("the value of '{word}' is not used"),
                ));
            }
            self.values(&parts, close.span(), false, out)
        } else {
            self.unknown_call(name, out, true);
            out.stand_in = assigned.is_none().then_some(parts.len());
            self.values(&parts, close.span(), false, out)
        };
        let arguments = self.arena.keep(arguments);
        Some(StatementKind::Call { name: name.span(), arguments, assigned: assigned.map(Token::span) })
    }

    /// Reads arguments that may be any expression; an empty one is a warning. `more` says that there could be more of
    /// them.
    pub(crate) fn values(
        &mut self,
        parts: &[&[Token]],
        at: Span,
        more: bool,
        out: &mut Gathered,
    ) -> Vec<Option<ExprId>> {
        parts.iter().map(|part| self.value(part, at, more, out)).collect()
    }

    fn value(&mut self, part: &[Token], at: Span, more: bool, out: &mut Gathered) -> Option<ExprId> {
        if part.is_empty() {
            out.notes.push(empty_argument(at));
            return None;
        }
        self.operand(part, at, more, out)
    }

    fn command(
        &mut self,
        command: &Command,
        parts: &[&[Token]],
        span: Span,
        assigned: Option<Token>,
        out: &mut Gathered,
    ) -> Vec<Option<ExprId>> {
        if let Some(target) = assigned {
            self.assigned_command(command, target, out);
        }
        if command.name == "if" {
            return self.condition(parts, span, out);
        }
        if command.profile == Profile::Legacy {
            let arguments = self.values(parts, span, true, out);
            self.write_last(&arguments);
            return arguments;
        }
        let assigned = assigned.is_some();
        let count = parts.len();
        let required = command.params.iter().filter(|param| !param.optional).count();
        let least =
            if assigned && command.has_trailing_target() { required.saturating_sub(1) } else { required };
        let extra = if self.profiles.contains(Profile::Hypothesis) { command.hypothesis_extra } else { 0 };
        let bare = lacks_pattern(command, count, assigned);
        if bare {
            out.notes.push(
                Finding::warning(
                    Category::UnexpectedConstruct,
                    Code::RANDOM_WITHOUT_PATTERN,
                    span,
                    "randomString without a pattern",
                )
                .help(format!("write {}", command.signature())),
            );
        } else if count < least || count > command.params.len() + extra {
            // A comma too many, or an argument that cannot be read, has been reported as such.
            let before = out.errors.len();
            let arguments = self.values(parts, span, count < least, out);
            if out.errors.len() == before
                && !out.errors.iter().any(|error| error.code == Code::TRAILING_COMMA)
            {
                out.errors.push(command_arity(command, count, span));
            }
            return arguments;
        }
        let mut targets = target_positions(command, count, assigned).peekable();
        let arguments: Vec<Option<ExprId>> = parts
            .iter()
            .enumerate()
            .map(|(at, part)| {
                if targets.next_if_eq(&at).is_some() {
                    self.target(command, parts, part, span, out)
                } else {
                    self.value(part, span, false, out)
                }
            })
            .collect();
        self.particular(command, parts, &arguments, out);
        arguments
    }

    /// What single commands demand beyond arity and targets.
    fn particular(
        &mut self,
        command: &Command,
        parts: &[&[Token]],
        arguments: &[Option<ExprId>],
        out: &mut Gathered,
    ) {
        match command.name.as_str() {
            "go_async" | "gather" => {
                let plain = matches!(parts.first(), Some([one]) if matches!(one.kind, TokenKind::Name | TokenKind::Str));
                if let Some(Some(id)) = arguments.first()
                    && matches!(self.arena.kind(*id), Some(ExprKind::Name { sigil: false }))
                {
                    self.written(*id);
                }
                if !plain && command.name == "go_async" {
                    let span =
                        parts.first().and_then(|part| part.first()).map_or((0, 0), |token| token.span());
                    out.errors.push(
                        Finding::unexpected(
                            Code::ARITY,
                            span,
                            "unexpected construct: the id of go_async is a name or a text",
                        )
                        .help("write go_async(\"id\")"),
                    );
                }
            }
            "registerEndpoint" => {
                if let Some([method]) = parts.get(1)
                    && method.kind == TokenKind::Str
                    && !ENDPOINT_METHODS.contains(&unquote(self.text(*method)))
                {
                    let text = self.text(*method);
                    out.errors.push(
                        Finding::unexpected(
                            Code::ENDPOINT_METHOD,
                            method.span(),
                            format!("unexpected construct: {} is no endpoint method", clip(text)),
                        )
                        .help("the methods are GET, POST, PUT and DELETE"),
                    );
                }
            }
            "avapConnector" => {
                if let Some([token]) = parts.first()
                    && matches!(token.kind, TokenKind::Str)
                {
                    out.notes.push(token_literal(token.span()));
                }
            }
            _ => {}
        }
    }
}

/// A connector's token that is written into the program.
pub(crate) fn token_literal(span: Span) -> Finding {
    Finding::hint(Code::TOKEN_LITERAL, span, "the connector token stands in the program")
        .help("read it from a parameter or the environment of the service")
}

/// The text between the quotes.
pub(crate) fn unquote(text: &str) -> &str {
    let mut chars = text.chars();
    chars.next();
    chars.next_back();
    chars.as_str()
}
