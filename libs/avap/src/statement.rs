//! One line to one statement: its shape, its expressions, what it does to the block structure, and at most one error.
//! Knows the names of the program's functions but nothing about other lines.

mod forms;
mod outline;
mod pieces;
mod remedies;

use std::borrow::Cow;

pub(crate) use outline::{ANY_ARITY, Outline};
use pieces::{assignment_at, is_expression_word, separator};
pub(crate) use pieces::{matching, split, starts_operator};

use crate::blocks::{BRACE, Block, END, END_LOOP, Event};
use crate::commands::{Profiles, command};
use crate::diagnostic::{Category, Code, Finding};
use crate::expression;
use crate::foreign::{self, Marks};
use crate::layout::Line;
use crate::lexer::{Token, TokenKind};
use crate::suggest;
use crate::syntax::{Arena, ExprId, Span, StatementKind};
use crate::words::lexical;

/// A line that was read.
#[derive(Debug)]
pub(crate) struct Read {
    pub(crate) span: Span,
    pub(crate) kind: StatementKind,
    pub(crate) expressions: (u32, u32),
    /// Boxed, because most lines have none.
    pub(crate) error: Option<Box<Finding>>,
    pub(crate) notes: Vec<Finding>,
    pub(crate) events: Vec<Event>,
    /// Marks of other languages; looked for only where the line failed.
    pub(crate) marks: Marks,
    /// Names that texts in the line read: the second form of `if`.
    pub(crate) text_reads: Vec<(String, bool, Span)>,
    /// A function header whose brace may stand on the next line.
    pub(crate) wants_brace: bool,
    /// Further lines of the text that the statement is wrongly spread over.
    pub(crate) spread: usize,
    /// For a call of an unknown name that stands alone: the number of its arguments. It may stand for a block word.
    pub(crate) stand_in: Option<usize>,
}

/// Reads lines of one file.
pub(crate) struct Reader<'a> {
    pub(crate) source: &'a str,
    pub(crate) outline: &'a Outline<'a>,
    pub(crate) profiles: Profiles,
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
    pub(crate) stand_in: Option<usize>,
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
        let code = if tokens.iter().all(|token| token.kind.is_plain()) {
            Cow::Borrowed(tokens)
        } else {
            out.errors.extend(tokens.iter().filter_map(|token| lexical(self.source, *token)).take(4));
            Cow::Owned(tokens.iter().copied().filter(|token| !token.kind.is_no_code()).collect())
        };
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
        if !out.errors.is_empty() {
            self.loop_header(code, &mut out);
            self.mark_before(code, &mut out);
        }

        let mut marks = Marks::default();
        if !out.errors.is_empty() {
            let text = self.source.get(span.0 as usize..span.1 as usize).unwrap_or_default();
            marks = foreign::marks(text);
            self.foreign_form(tokens, text, span, line.brace, &mut out);
        }
        // What follows from text that is no token is no mistake of its own.
        if out.errors.iter().any(|error| error.category == Category::SyntaxError) {
            out.errors.retain(|error| error.category != Category::UnexpectedConstruct);
        }
        // The category decides; within it the first place.
        let error =
            out.errors.into_iter().min_by_key(|finding| (finding.category, finding.start)).map(Box::new);
        if error.is_some() {
            // What else is odd about a line that failed belongs to the same mistake.
            out.notes.clear();
        }
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
            stand_in: out.stand_in,
            spread: all
                .get(line.spread.clone())
                .unwrap_or_default()
                .iter()
                .filter(|token| token.kind == TokenKind::Newline)
                .count(),
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
            out.notes.push(trailing_semicolon(first.span()));
        }
        rest
    }

    /// Whether a name can be called.
    pub(crate) fn known(&self, word: &str) -> bool {
        self.outline.functions.contains_key(word)
            || crate::commands::is_helper(word)
            || command(word).is_some_and(|command| self.profiles.contains(command.profile))
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
            "}" => Event::Close { closer: BRACE, lenient },
            _ => return,
        });
    }

    /// Reports an unknown name; where it stands for a block word, the structure follows it.
    pub(crate) fn unknown_call(&self, name: Token, out: &mut Gathered, statement: bool) {
        let word = self.text(name);
        let found = self.outline.suggest(word, self.profiles);
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
        if statement && out.events.is_empty() && opens_by_name(word) {
            out.events.push(tentative(Block::If, END | END_LOOP));
        }
        out.errors.push(finding);
    }

    /// The statement of a line whose brackets balance; `None` where an error was reported instead.
    fn statement(&mut self, tokens: &[Token], brace: bool, out: &mut Gathered) -> Option<StatementKind> {
        let first = tokens[0];
        let second = tokens.get(1).copied();
        if let Some(at) = separator(tokens) {
            self.several(tokens, at, out);
            return None;
        }
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
                    .help("only functions have braces: function name(a){ … }"),
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
            ("include", Some(TokenKind::Name)) => self.include(tokens, word, out),
            (_, Some(TokenKind::OpenParen)) => self.call_statement(tokens, brace, out),
            (_, Some(TokenKind::Assign)) => self.assignment(tokens, out),
            (_, Some(TokenKind::Comma)) if self.is_prose(tokens) => {
                self.bare(tokens, brace, out);
                None
            }
            // addVar[x, 1]
            (_, Some(TokenKind::OpenBracket)) if command(word).is_some() => {
                self.bare(tokens, brace, out);
                None
            }
            (_, Some(TokenKind::Dot | TokenKind::OpenBracket | TokenKind::Comma)) => {
                self.value_statement(tokens, out)
            }
            _ => {
                self.bare(tokens, brace, out);
                None
            }
        }
    }

    pub(crate) fn slice(&self, span: Span) -> &'a str {
        self.source.get(span.0 as usize..span.1 as usize).unwrap_or_default()
    }

    /// Reads an expression; an error is gathered.
    pub(crate) fn expression(&mut self, tokens: &[Token], at: Span, out: &mut Gathered) -> Option<ExprId> {
        self.operand(tokens, at, false, out)
    }

    /// Reads an expression which a comma and another one may follow if `more` says so; an error is gathered.
    pub(crate) fn operand(
        &mut self,
        tokens: &[Token],
        at: Span,
        more: bool,
        out: &mut Gathered,
    ) -> Option<ExprId> {
        match expression::parse(self.source, tokens, at, more, &mut self.arena, &mut out.notes) {
            Ok(id) => Some(id),
            Err(finding) => {
                out.errors.push(finding);
                None
            }
        }
    }
}

/// Whether the name of an unknown command sounds as if it opened a block: `ifParam(…)` … `end()`.
fn opens_by_name(name: &str) -> bool {
    let words = suggest::words(name);
    words.first().is_some_and(|first| {
        matches!(
            first.as_str(),
            "if" | "when"
                | "unless"
                | "switch"
                | "for"
                | "foreach"
                | "while"
                | "loop"
                | "begin"
                | "start"
                | "with"
                | "on"
        )
    })
}

/// One semicolon at the end of a statement.
pub(crate) fn trailing_semicolon(span: Span) -> Finding {
    Finding::warning(
        Category::UnexpectedConstruct,
        Code::TRAILING_SEMICOLON,
        span,
        "the semicolon is not needed",
    )
    .help("remove it; a line end closes a statement")
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

pub(crate) fn bad_assignment(span: Span) -> Finding {
    Finding::unexpected(
        Code::ASSIGNMENT_TARGET,
        span,
        "unexpected construct: only a single name can be assigned",
    )
    .help("write name = value; JSON objects are changed with AddvariableToJSON(key, value, target), lists with variableToList(source, target)")
}
