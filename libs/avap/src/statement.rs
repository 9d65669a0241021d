//! One line to one statement: its shape, its expressions, what it does to the block structure, and at most one error.
//! Knows the names of the program's functions but nothing about other lines.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::blocks::{BRACE, Block, END, END_LOOP, Event};
use crate::call;
use crate::commands::{Profile, command, is_keyword};
use crate::diagnostic::{Category, Code, Finding};
use crate::expression::{self, clip, lexical};
use crate::foreign::{self, Divides, Marks, Opens};
use crate::layout::{Imbalance, Line};
use crate::lexer::{Token, TokenKind};
use crate::suggest::suggest;
use crate::syntax::{Arena, ExprId, ExprKind, Span, StatementKind};

/// The number of parameters of a function whose definition could not be read.
pub(crate) const ANY_ARITY: usize = usize::MAX;

/// What is known about the file before its lines are read.
pub(crate) struct Outline<'a> {
    /// Functions with the number of their parameters; the first definition counts.
    pub(crate) functions: HashMap<&'a str, usize>,
    /// Names that some line seems to assign.
    pub(crate) assigned: HashSet<&'a str>,
}

/// A line that was read.
#[derive(Debug)]
pub(crate) struct Read {
    pub(crate) span: Span,
    pub(crate) kind: StatementKind,
    pub(crate) expressions: (u32, u32),
    pub(crate) error: Option<Finding>,
    pub(crate) notes: Vec<Finding>,
    pub(crate) events: Vec<Event>,
    /// Marks of other languages; looked for only where the line failed.
    pub(crate) marks: Marks,
    /// Names that texts in the line read: the second form of `if`.
    pub(crate) text_reads: Vec<(String, bool, Span)>,
    /// A function header whose brace may stand on the next line.
    pub(crate) wants_brace: bool,
}

/// Reads lines of one file.
pub(crate) struct Reader<'a> {
    pub(crate) source: &'a str,
    pub(crate) outline: &'a Outline<'a>,
    pub(crate) profiles: &'a BTreeSet<Profile>,
    pub(crate) arena: Arena,
}

/// What is gathered while a line is read.
#[derive(Default)]
pub(crate) struct Gathered {
    pub(crate) errors: Vec<Finding>,
    pub(crate) notes: Vec<Finding>,
    pub(crate) events: Vec<Event>,
    pub(crate) text_reads: Vec<(String, bool, Span)>,
    pub(crate) wants_brace: bool,
}

impl<'a> Reader<'a> {
    pub(crate) fn text(&self, token: Token) -> &'a str {
        token.text(self.source)
    }

    /// Reads a line of `all`, the tokens of the file.
    pub(crate) fn read(&mut self, all: &[Token], line: &Line) -> Read {
        let tokens = &all[line.tokens.clone()];
        let span = match (tokens.first(), tokens.last()) {
            (Some(first), Some(last)) => (first.start, last.end),
            _ => (0, 0),
        };
        let from = self.arena.len();
        let mut out = Gathered::default();
        out.errors.extend(tokens.iter().filter_map(|token| lexical(self.source, *token)).take(4));

        let code: Vec<Token> = tokens
            .iter()
            .copied()
            .filter(|token| {
                !matches!(
                    token.kind,
                    TokenKind::Hash
                        | TokenKind::BadCharacter
                        | TokenKind::UnclosedComment
                        | TokenKind::SoftBreak
                        | TokenKind::Fence
                )
            })
            .collect();
        let code = self.semicolons(&code, &mut out);
        let kind = if code.is_empty() {
            StatementKind::Invalid
        } else if let Some(imbalance) = line.imbalance {
            self.imbalanced(all, line, code, imbalance, &mut out);
            StatementKind::Invalid
        } else {
            self.statement(code, line.brace, &mut out).unwrap_or(StatementKind::Invalid)
        };
        let to = self.arena.len();
        self.nested_calls(from, to, &mut out);

        let mut marks = Marks::default();
        if !out.errors.is_empty() {
            let text = self.source.get(span.0 as usize..span.1 as usize).unwrap_or_default();
            marks = foreign::marks(text);
            self.foreign_form(tokens, text, span, line.brace, &mut out);
        }
        // The category decides; within it the first place.
        let error = out.errors.into_iter().min_by_key(|finding| (finding.category, finding.start));
        let kind = if error.is_some() && !matches!(kind, StatementKind::Function { .. }) {
            StatementKind::Invalid
        } else {
            kind
        };
        Read {
            span,
            kind,
            expressions: (from, to),
            error,
            notes: out.notes,
            events: out.events,
            marks,
            text_reads: out.text_reads,
            wants_brace: out.wants_brace,
        }
    }

    /// Takes semicolons off the end; one is a warning, more or a lone one an error.
    fn semicolons<'t>(&self, tokens: &'t [Token], out: &mut Gathered) -> &'t [Token] {
        let count = tokens.iter().rev().take_while(|token| token.kind == TokenKind::Semicolon).count();
        let rest = &tokens[..tokens.len() - count];
        let Some(first) = tokens.get(rest.len()) else { return rest };
        if count > 1 || rest.is_empty() {
            out.errors.push(
                Finding::unexpected(
                    Code::NOT_A_STATEMENT,
                    first.span(),
                    "unexpected construct: a semicolon without a statement",
                )
                .help("remove it; a line end closes a statement"),
            );
        } else {
            out.notes.push(
                Finding::warning(
                    Category::UnexpectedConstruct,
                    Code::TRAILING_SEMICOLON,
                    first.span(),
                    "the semicolon is not needed",
                )
                .help("remove it; a line end closes a statement"),
            );
        }
        rest
    }

    /// A line whose brackets do not balance: says so once and keeps what the head of the line does to the blocks.
    fn imbalanced(
        &mut self,
        all: &[Token],
        line: &Line,
        code: &[Token],
        imbalance: Imbalance,
        out: &mut Gathered,
    ) {
        let (Imbalance::Open(at) | Imbalance::Close(at)) = imbalance;
        let bracket = all.get(at).copied().unwrap_or(code[0]);
        let text = self.text(bracket);
        let finding = match imbalance {
            Imbalance::Open(_) if !line.spread.is_empty() => Finding::syntax(
                Code::SPREAD,
                bracket.span(),
                format!("syntax error: the '{text}' is closed on a later line"),
            )
            .help("a statement stands on one line"),
            Imbalance::Open(_) => Finding::syntax(
                Code::UNBALANCED,
                bracket.span(),
                format!("syntax error: the '{text}' is not closed"),
            )
            .help("close it on the same line"),
            Imbalance::Close(_)
                if text == "}" && code.first().map(|t| t.kind) != Some(TokenKind::CloseBrace) =>
            {
                out.events.push(Event::Close { closer: BRACE, lenient: true });
                Finding::unexpected(
                    Code::SEVERAL_STATEMENTS,
                    bracket.span(),
                    "unexpected construct: '}' must stand alone on its line",
                )
                .help("put it on the next line")
            }
            Imbalance::Close(_) => Finding::syntax(
                Code::UNBALANCED,
                bracket.span(),
                format!("syntax error: the '{text}' closes nothing"),
            )
            .help("remove it, or open its bracket"),
        };
        // An unclosed string swallows the brackets behind it; that is one mistake, told by the string.
        if !out.errors.iter().any(|error| matches!(error.code, Code::UNCLOSED_STRING | Code::TRIPLE_QUOTE)) {
            out.errors.push(finding);
        }
        let mut head = code;
        if let [target, equals, ..] = code
            && target.kind == TokenKind::Name
            && equals.kind == TokenKind::Assign
        {
            head = &code[2..];
        }
        if let [name, open, ..] = head
            && name.kind == TokenKind::Name
            && open.kind == TokenKind::OpenParen
        {
            let word = self.text(*name);
            if word == "function" || code[0].kind == TokenKind::Name && self.text(code[0]) == "function" {
                out.events.push(tentative(Block::Function, BRACE));
            } else if !self.known(word) {
                self.unknown_call(*name, out, true);
            } else {
                self.block_event(word, out, false);
            }
        } else if code[0].kind == TokenKind::Name && self.text(code[0]) == "function" {
            out.events.push(tentative(Block::Function, BRACE));
        }
    }

    /// Whether a name can be called.
    pub(crate) fn known(&self, word: &str) -> bool {
        self.outline.functions.contains_key(word)
            || crate::commands::is_helper(word)
            || command(word).is_some_and(|command| self.profiles.contains(&command.profile))
            || matches!(word, "return" | "function")
    }

    /// What a block word does to the structure. A line that failed opens a block that need not be closed.
    pub(crate) fn block_event(&self, word: &str, out: &mut Gathered, sound: bool) {
        let lenient = !sound;
        let open = |block, accepts| Event::Open { block, accepts, required: sound };
        out.events.push(match word {
            "if" => open(Block::If, END),
            "try" => open(Block::Try, END),
            "go_async" => open(Block::Async, END),
            "startLoop" => open(Block::Loop, END_LOOP),
            "else" => Event::Else { lenient },
            "exception" => Event::Exception { lenient },
            "end" => Event::Close { closer: END, lenient },
            "endLoop" => Event::Close { closer: END_LOOP, lenient },
            _ => return,
        });
    }

    /// Reports an unknown name; where it stands for a block word, the structure follows it.
    pub(crate) fn unknown_call(&self, name: Token, out: &mut Gathered, statement: bool) {
        let word = self.text(name);
        let found = suggest(word, self.outline.functions.keys().copied(), self.profiles);
        let mut finding = match command(word) {
            Some(command) => {
                Finding::unknown(Code::PROFILE_OFF, name.span(), format!("unknown command '{word}'"))
                    .help(format!("it belongs to the profile {}, which is off", command.profile.name()))
            }
            None => Finding::unknown(Code::UNKNOWN_COMMAND, name.span(), format!("unknown command '{word}'"))
                .help(found.help),
        };
        if let Some(nearest) = found.name {
            if statement {
                self.block_event(&nearest, out, false);
            }
            finding = finding.suggest(nearest);
        }
        out.errors.push(finding);
    }

    /// A line that failed: if it is a form of another language, that is the mistake.
    fn foreign_form(&self, tokens: &[Token], text: &str, span: Span, brace: bool, out: &mut Gathered) {
        let Some(form) = foreign::form(self.source, tokens, text) else {
            if brace && !out.wants_brace {
                out.events.push(tentative(Block::Foreign, BRACE));
            }
            return;
        };
        let mut finding = Finding::error(
            Category::ForeignKeyword,
            Code::FOREIGN,
            span,
            format!("foreign construct '{}'", clip(text)),
        )
        .help(form.help);
        finding.suggestion = form.suggestion;
        out.errors.clear();
        out.errors.push(finding);
        out.notes.clear();
        out.events.clear();
        out.wants_brace = false;
        if tokens.first().is_some_and(|token| token.kind == TokenKind::CloseBrace) {
            out.events.push(Event::CloseForeign);
        }
        let curly = if brace { BRACE } else { 0 };
        match form.divides {
            Some(Divides::Else) => out.events.push(Event::Else { lenient: true }),
            Some(Divides::Exception) => out.events.push(Event::Exception { lenient: true }),
            Some(Divides::End) => out.events.push(Event::Close { closer: END, lenient: true }),
            Some(Divides::EndLoop) => out.events.push(Event::Close { closer: END_LOOP, lenient: true }),
            None => {}
        }
        match form.opens {
            Some(Opens::Condition) => out.events.push(tentative(Block::If, END | curly)),
            Some(Opens::Loop) => out.events.push(tentative(Block::Loop, END_LOOP | END | curly)),
            Some(Opens::Try) => out.events.push(tentative(Block::Try, END | curly)),
            Some(Opens::Function) => out.events.push(tentative(Block::Function, BRACE | END)),
            Some(Opens::Other) => out.events.push(tentative(Block::Foreign, END | curly)),
            None if brace => out.events.push(tentative(Block::Foreign, BRACE)),
            None => {}
        }
    }

    /// The statement of a line whose brackets balance; `None` where an error was reported instead.
    fn statement(&mut self, tokens: &[Token], brace: bool, out: &mut Gathered) -> Option<StatementKind> {
        let first = tokens[0];
        let second = tokens.get(1).copied();
        match first.kind {
            TokenKind::CloseBrace => {
                if tokens.len() > 1 {
                    out.errors.push(
                        Finding::unexpected(
                            Code::SEVERAL_STATEMENTS,
                            (tokens[1].start, tokens[tokens.len() - 1].end),
                            "unexpected construct: '}' must stand alone on its line",
                        )
                        .help("put what follows on the next line"),
                    );
                }
                out.events.push(Event::Close { closer: BRACE, lenient: tokens.len() > 1 });
                return Some(StatementKind::CloseFunction);
            }
            TokenKind::OpenBrace if tokens.len() == 1 => {
                out.errors.push(
                    Finding::unexpected(
                        Code::NOT_A_STATEMENT,
                        first.span(),
                        "unexpected construct: a block brace",
                    )
                    .help("only functions have braces: function name(a) { … }"),
                );
                return None;
            }
            TokenKind::Name => {}
            TokenKind::Dollar => {
                if let Some(equals) = assignment_at(tokens) {
                    let name = second.map_or("x", |token| self.text(token));
                    out.errors.push(
                        Finding::unexpected(
                            Code::ASSIGNMENT_TARGET,
                            (first.start, tokens[equals - 1].end),
                            format!("unexpected construct: '${name}' cannot be assigned"),
                        )
                        .help("$ reads a variable; assign without it")
                        .suggest(name),
                    );
                    return None;
                }
                return self.value_statement(tokens, out);
            }
            _ => return self.value_statement(tokens, out),
        }
        let word = self.text(first);
        match (word, second.map(|token| token.kind)) {
            ("function", Some(kind)) if kind != TokenKind::Assign => self.function(tokens, brace, out),
            ("return", kind) if kind != Some(TokenKind::Assign) => self.return_statement(tokens, out),
            ("include" | "import", Some(TokenKind::Str | TokenKind::Less | TokenKind::Template)) => {
                self.include(tokens, word, out)
            }
            (_, Some(TokenKind::OpenParen)) => self.call_statement(tokens, brace, out),
            (_, Some(TokenKind::Assign)) => self.assignment(tokens, out),
            (_, Some(TokenKind::Dot | TokenKind::OpenBracket | TokenKind::Comma)) => {
                self.value_statement(tokens, out)
            }
            _ => {
                self.bare(tokens, brace, out);
                None
            }
        }
    }

    /// A line that starts with a word but is neither call nor assignment.
    fn bare(&mut self, tokens: &[Token], brace: bool, out: &mut Gathered) {
        let word = self.text(tokens[0]);
        let span = (tokens[0].start, tokens[tokens.len() - 1].end);
        let kind = |at: usize| tokens.get(at).map(|token| token.kind);
        if kind(1) == Some(TokenKind::Minus) && kind(2) == Some(TokenKind::Minus) && tokens.len() == 3 {
            out.errors.push(expression::symbol("--", (tokens[1].start, tokens[2].end)));
            return;
        }
        if kind(1) == Some(TokenKind::UnknownSymbol)
            || kind(2) == Some(TokenKind::Assign) && kind(1).is_some()
        {
            // Compound operators and the like were reported as symbols; anything else is no target.
            if out.errors.is_empty() {
                out.errors.push(bad_assignment(span));
            }
            return;
        }
        if let Some(command) = command(word) {
            self.block_event(word, out, false);
            let signature = command.signature();
            out.errors.push(
                Finding::unexpected(
                    Code::NOT_A_STATEMENT,
                    span,
                    format!("unexpected construct: '{word}' needs parentheses"),
                )
                .help(format!("write {signature}"))
                .suggest(signature),
            );
            return;
        }
        let nearest = suggest(word, self.outline.functions.keys().copied(), self.profiles);
        let block_word = matches!(
            nearest.name.as_deref(),
            Some("end" | "endLoop" | "else" | "exception" | "try" | "startLoop" | "if" | "go_async")
        );
        if tokens.len() == 1 && block_word && !self.outline.assigned.contains(word) {
            self.unknown_call(tokens[0], out, true);
            return;
        }
        if tokens.len() == 1 || is_keyword(word) || starts_operator(tokens[1], self.source) {
            let _ = brace;
            out.errors.push(
                Finding::unexpected(
                    Code::NOT_A_STATEMENT,
                    span,
                    format!("unexpected construct: '{}' is no statement", clip(self.slice(span))),
                )
                .help("a line is a command, a call, an assignment or a block word"),
            );
            return;
        }
        let mut finding =
            Finding::unknown(Code::UNKNOWN_WORD, tokens[0].span(), format!("unknown word '{word}'"))
                .help("a line is a command, a call, an assignment or a block word; comments start with //");
        finding.suggestion = nearest.name;
        out.errors.push(finding);
    }

    pub(crate) fn slice(&self, span: Span) -> &'a str {
        self.source.get(span.0 as usize..span.1 as usize).unwrap_or_default()
    }

    /// Reads an expression; an error is gathered.
    pub(crate) fn expression(&mut self, tokens: &[Token], at: Span, out: &mut Gathered) -> Option<ExprId> {
        match expression::parse(self.source, tokens, at, &mut self.arena, &mut out.notes) {
            Ok(id) => Some(id),
            Err(finding) => {
                out.errors.push(finding);
                None
            }
        }
    }

    /// A line that starts with a value: a method call, or nothing that is allowed.
    fn value_statement(&mut self, tokens: &[Token], out: &mut Gathered) -> Option<StatementKind> {
        let span = (tokens[0].start, tokens[tokens.len() - 1].end);
        if assignment_at(tokens).is_some() {
            out.errors.push(bad_assignment(span));
            return None;
        }
        let before = out.errors.len();
        let id = self.expression(tokens, span, out);
        if out.errors.len() > before {
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

    fn include(&mut self, tokens: &[Token], word: &str, out: &mut Gathered) -> Option<StatementKind> {
        let span = (tokens[0].start, tokens[tokens.len() - 1].end);
        if !self.profiles.contains(&Profile::Hypothesis) {
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

    fn return_statement(&mut self, tokens: &[Token], out: &mut Gathered) -> Option<StatementKind> {
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

    fn assignment(&mut self, tokens: &[Token], out: &mut Gathered) -> Option<StatementKind> {
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

    fn call_statement(&mut self, tokens: &[Token], brace: bool, out: &mut Gathered) -> Option<StatementKind> {
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

    fn function(&mut self, tokens: &[Token], brace: bool, out: &mut Gathered) -> Option<StatementKind> {
        let span = (tokens[0].start, tokens[tokens.len() - 1].end);
        let header = |message: &str, at: Span| {
            Finding::unexpected(Code::FUNCTION_HEADER, at, format!("unexpected construct: {message}"))
                .help("write function name(a, b) { with } alone on a later line")
        };
        let name = tokens.get(1).copied().filter(|token| token.kind == TokenKind::Name);
        let open = tokens.get(2).copied().filter(|token| token.kind == TokenKind::OpenParen);
        let (Some(name), Some(_)) = (name, open) else {
            out.errors.push(header("a function needs a name and parentheses", span));
            out.events.push(tentative(Block::Function, BRACE));
            return None;
        };
        let mut sound = true;
        if is_keyword(self.text(name)) {
            out.errors.push(keyword_as_name(self.text(name), name.span()));
            sound = false;
        }
        let close = matching(tokens, 2).unwrap_or(tokens.len() - 1);
        let mut parameters: Vec<Span> = Vec::new();
        if close > 3 {
            for part in split(&tokens[3..close]) {
                match part {
                    [one] if one.kind == TokenKind::Name && !is_keyword(self.text(*one)) => {
                        if parameters.iter().any(|span| self.slice(*span) == self.text(*one)) {
                            out.errors.push(Finding::unexpected(
                                Code::DUPLICATE,
                                one.span(),
                                format!(
                                    "unexpected construct: the parameter '{}' exists already",
                                    self.text(*one)
                                ),
                            ));
                        }
                        parameters.push(one.span());
                    }
                    [one] if one.kind == TokenKind::Name => {
                        out.errors.push(keyword_as_name(self.text(*one), one.span()));
                    }
                    [] => out.errors.push(expression::trailing_comma(tokens[close].span())),
                    [first, .., last] => {
                        out.errors.push(header("parameters are plain names", (first.start, last.end)));
                    }
                    [one] => out.errors.push(header("parameters are plain names", one.span())),
                }
            }
        }
        let rest = &tokens[close + 1..];
        let kind = StatementKind::Function { name: name.span(), parameters };
        if brace && rest.len() == 1 {
            out.events.push(Event::Open { block: Block::Function, accepts: BRACE, required: sound });
            return Some(kind);
        }
        if rest.is_empty() {
            out.errors.push(header("the '{' is missing on the header line", span));
            out.wants_brace = true;
            out.events.push(tentative(Block::Function, BRACE));
            return Some(kind);
        }
        let balanced = rest.last().is_some_and(|token| token.kind == TokenKind::CloseBrace);
        out.errors.push(header(
            if balanced {
                "the body stands on lines of its own"
            } else {
                "only '{' may follow the parameters"
            },
            (rest[0].start, span.1),
        ));
        if !balanced {
            out.events.push(tentative(Block::Function, BRACE));
        }
        Some(kind)
    }

    /// Checks the calls inside expressions of the line.
    fn nested_calls(&mut self, from: u32, to: u32, out: &mut Gathered) {
        for at in from..to {
            let Some(ExprKind::Call(callee, arguments)) = self.arena.kind(ExprId(at)) else { continue };
            let (callee, count) = (*callee, arguments.len());
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

    /// A method call on a library object of another language that the program does not define.
    fn foreign_receiver(&self, callee: ExprId) -> Option<Finding> {
        let mut base = callee;
        while let Some(ExprKind::Member(inner, _)) = self.arena.kind(base) {
            base = *inner;
        }
        let Some(ExprKind::Name { sigil: false }) = self.arena.kind(base) else { return None };
        let receiver = self.slice(self.arena.span(base));
        if self.outline.assigned.contains(receiver) {
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

/// A block that a failed line opens.
pub(crate) fn tentative(block: Block, accepts: u8) -> Event {
    Event::Open { block, accepts, required: false }
}

pub(crate) fn keyword_as_name(name: &str, span: Span) -> Finding {
    Finding::unexpected(
        Code::KEYWORD_AS_NAME,
        span,
        format!("unexpected construct: the keyword '{name}' cannot be a name"),
    )
    .help("choose another name")
}

fn bad_assignment(span: Span) -> Finding {
    Finding::unexpected(
        Code::ASSIGNMENT_TARGET,
        span,
        "unexpected construct: only a single name can be assigned",
    )
    .help("write name = value; JSON objects are changed with AddvariableToJSON(key, value, target), lists with variableToList(source, target)")
}

fn is_expression_word(word: &str) -> bool {
    matches!(word, "not" | "and" | "or" | "in")
}

fn starts_operator(token: Token, source: &str) -> bool {
    !matches!(
        token.kind,
        TokenKind::Name
            | TokenKind::Str
            | TokenKind::Number
            | TokenKind::Template
            | TokenKind::OddWord
            | TokenKind::Colon
    ) || matches!(token.text(source), "and" | "or" | "in" | "not" | "if" | "else")
}

/// The first `=` outside of brackets.
fn assignment_at(tokens: &[Token]) -> Option<usize> {
    let mut depth = 0_i64;
    for (at, token) in tokens.iter().enumerate() {
        match token.kind {
            TokenKind::OpenParen | TokenKind::OpenBracket | TokenKind::OpenBrace => depth += 1,
            TokenKind::CloseParen | TokenKind::CloseBracket | TokenKind::CloseBrace => depth -= 1,
            TokenKind::Assign if depth == 0 && at > 0 => return Some(at),
            _ => {}
        }
    }
    None
}

/// The closer of the bracket at `open`, by depth; the brackets are known to balance.
pub(crate) fn matching(tokens: &[Token], open: usize) -> Option<usize> {
    let mut depth = 0_i64;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match token.kind {
            TokenKind::OpenParen | TokenKind::OpenBracket | TokenKind::OpenBrace => depth += 1,
            TokenKind::CloseParen | TokenKind::CloseBracket | TokenKind::CloseBrace => {
                depth -= 1;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

/// The parts between commas outside of brackets.
pub(crate) fn split(tokens: &[Token]) -> Vec<&[Token]> {
    let mut parts = Vec::new();
    let mut depth = 0_i64;
    let mut start = 0;
    for (at, token) in tokens.iter().enumerate() {
        match token.kind {
            TokenKind::OpenParen | TokenKind::OpenBracket | TokenKind::OpenBrace => depth += 1,
            TokenKind::CloseParen | TokenKind::CloseBracket | TokenKind::CloseBrace => depth -= 1,
            TokenKind::Comma if depth == 0 => {
                parts.push(&tokens[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&tokens[start..]);
    parts
}
