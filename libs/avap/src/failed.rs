//! Lines that are no statement: brackets that do not balance, bare words, several statements, forms of other
//! languages. Each says its mistake once and keeps what the line does to the blocks.

use crate::blocks::{BRACE, Block, END, END_LOOP, Event};
use crate::commands::{command, is_keyword};
use crate::diagnostic::{Category, Code, Finding};
use crate::foreign::{self, Divides, Opens};
use crate::layout::{Imbalance, Line};
use crate::lexer::{Token, TokenKind};
use crate::statement::{Gathered, Reader, bad_assignment, starts_operator, tentative};
use crate::syntax::Span;
use crate::words::{self, clip};

impl Reader<'_> {
    /// A line whose brackets do not balance: says so once and keeps what the head of the line does to the blocks.
    pub(crate) fn imbalanced(
        &mut self,
        all: &[Token],
        line: &Line,
        code: &[Token],
        imbalance: Imbalance,
        out: &mut Gathered,
    ) {
        let (Imbalance::Open(at) | Imbalance::Mismatch(at) | Imbalance::Close(at)) = imbalance;
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
            .help(format!("close it with {} on the same line", closing(text))),
            Imbalance::Mismatch(_) => Finding::syntax(
                Code::UNBALANCED,
                bracket.span(),
                format!("syntax error: the '{text}' closes another bracket than its own"),
            )
            .help("close brackets in the order in which they were opened"),
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
            Imbalance::Close(_) if code.len() == 1 => {
                // A lone bracket may stand for the brace of a function.
                out.events.push(Event::Close { closer: BRACE, lenient: true });
                Finding::syntax(
                    Code::UNBALANCED,
                    bracket.span(),
                    format!("syntax error: the '{text}' closes nothing"),
                )
                .help("remove it; a function closes with } alone on its line")
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
        } else if let [name, ..] = head
            && name.kind == TokenKind::Name
            && let Some(command) = command(self.text(*name))
        {
            // The opening parenthesis behind the name is missing.
            self.block_event(&command.name, out, false);
            if let Some(error) = out.errors.iter_mut().find(|error| error.code == Code::UNBALANCED) {
                error.help = Some(format!("write {}", command.signature()));
            }
        }
    }

    /// A line that starts with a word but is neither call nor assignment.
    pub(crate) fn bare(&mut self, tokens: &[Token], brace: bool, out: &mut Gathered) {
        let word = self.text(tokens[0]);
        let span = (tokens[0].start, tokens[tokens.len() - 1].end);
        let kind = |at: usize| tokens.get(at).map(|token| token.kind);
        if tokens.len() == 1 && foreign::is_foreign_constant(word) {
            out.errors.push(words::foreign_constant(word, span));
            return;
        }
        let nearest = self.outline.suggest(word, self.profiles);
        let block_word = matches!(
            nearest.name.as_deref(),
            Some("end" | "endLoop" | "else" | "exception" | "try" | "startLoop" | "if" | "go_async")
        );
        if !block_word && self.is_prose(tokens) {
            out.errors.push(
                Finding::unknown(Code::UNKNOWN_WORD, tokens[0].span(), format!("unknown word '{word}'")).help(
                    "text that is no code stands in a comment: // …; a line is a command, a call, an assignment or a block word",
                ),
            );
            return;
        }
        if let [name, equals, first, rest @ ..] = tokens
            && self.text(*equals) == "=="
        {
            let last = rest.last().unwrap_or(first);
            let text = clip(&format!("{} = {}", self.text(*name), self.slice((first.start, last.end))));
            out.errors.push(
                Finding::unexpected(
                    Code::NOT_A_STATEMENT,
                    span,
                    format!("unexpected construct: '{}' is no statement", clip(self.slice(span))),
                )
                .help(format!("an assignment has one =: {text}"))
                .suggest(text),
            );
            return;
        }
        if kind(1) == Some(TokenKind::Minus) && kind(2) == Some(TokenKind::Minus) && tokens.len() == 3 {
            let mut error = words::symbol("--", (tokens[1].start, tokens[2].end));
            error.help = Some(format!("write {word} = {word} - 1 or addVar({word}, {word} - 1)"));
            error.suggestion = Some(format!("{word} = {word} - 1"));
            out.errors.push(error);
            return;
        }
        if kind(1) == Some(TokenKind::UnknownSymbol)
            || kind(2) == Some(TokenKind::Assign) && kind(1).is_some()
        {
            // Compound operators and the like were reported as symbols; anything else is no target.
            match out.errors.iter_mut().find(|error| error.code == Code::UNKNOWN_SYMBOL) {
                Some(error) => self.rewrite_assignment(tokens, error),
                None => out.errors.push(bad_assignment(span)),
            }
            return;
        }
        if let [_, less, minus, value, .., last] | [_, less, minus, value @ last] = tokens
            && less.kind == TokenKind::Less
            && minus.kind == TokenKind::Minus
            && less.end == minus.start
            && value.start > minus.end
        {
            let text = clip(&format!("{word} = {}", self.slice((value.start, last.end))));
            let span = (less.start, minus.end);
            out.errors.push(words::symbol("<-", span).help(format!("write {text}")).suggest(text));
            return;
        }
        if word == "if" && tokens.len() > 1 {
            self.block_event(word, out, false);
            let condition = self.slice((tokens[1].start, span.1));
            let suggestion = foreign::rewrite_condition(condition);
            out.errors.push(
                Finding::unexpected(Code::IF_ARGUMENTS, span, "unexpected construct: 'if' needs parentheses")
                    .suggest(suggestion)
                    .help("write if(x, 1, \"==\") or if(None, None, \"x == 1\") … end()"),
            );
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
        if tokens.len() == 1 && block_word && !self.outline.assigns(word) {
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
        if let Some(name) = nearest.name.as_deref().filter(|_| block_word) {
            self.block_event(name, out, false);
        }
        finding.suggestion = nearest.name;
        out.errors.push(finding);
    }

    /// Whether the line is a sentence: three words in a row, none of which joins expressions.
    pub(crate) fn is_prose(&self, tokens: &[Token]) -> bool {
        let word = |token: &Token| {
            token.kind == TokenKind::Name
                && !is_keyword(self.text(*token))
                && command(self.text(*token)).is_none()
        };
        let sign = |token: &Token| token.kind == TokenKind::UnknownSymbol && self.text(*token) == "!";
        let comma = |token: &Token| token.kind == TokenKind::Comma;
        let words: Vec<Token> =
            tokens.iter().copied().filter(|token| !sign(token) && !comma(token)).collect();
        let adjacent = tokens.windows(2).any(|two| two.iter().all(word));
        adjacent && words.len() > 3 && words[..4].iter().all(word)
            || tokens.get(1).is_some_and(sign) && words.len() > 2 && words[..3].iter().all(word)
    }

    /// What to write instead of `x := 5`, `x += 1` and `x++`.
    fn rewrite_assignment(&self, tokens: &[Token], error: &mut Finding) {
        let [name, symbol, rest @ ..] = tokens else { return };
        let (name, symbol) = (self.text(*name), self.text(*symbol));
        let value = match rest {
            [first, .., last] => self.slice((first.start, last.end)),
            [one] => self.text(*one),
            [] => "1",
        };
        let value = match symbol {
            ":=" => value.to_owned(),
            "+=" | "-=" | "*=" | "/=" | "%=" | "++" => format!("{name} {} {value}", &symbol[..1]),
            _ => return,
        };
        let text = clip(&format!("{name} = {value}"));
        error.help = Some(format!("write {text} or addVar({name}, {})", clip(&value)));
        error.suggestion = Some(text);
    }

    /// Statements separated by a semicolon: one mistake; each still opens and closes its blocks.
    pub(crate) fn several(&mut self, tokens: &[Token], at: usize, out: &mut Gathered) {
        let end = tokens[tokens.len() - 1].end;
        out.errors.push(
            Finding::unexpected(
                Code::SEVERAL_STATEMENTS,
                (tokens[at].start, end),
                "unexpected construct: several statements on a line",
            )
            .help("write one statement on each line"),
        );
        for part in tokens.split(|token| token.kind == TokenKind::Semicolon) {
            if let [name, open, ..] = part
                && name.kind == TokenKind::Name
                && open.kind == TokenKind::OpenParen
            {
                self.block_event(self.text(*name), out, false);
            }
        }
    }

    /// A line that failed: if it is a form of another language, that is the mistake.
    pub(crate) fn foreign_form(
        &self,
        tokens: &[Token],
        text: &str,
        span: Span,
        brace: bool,
        out: &mut Gathered,
    ) {
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
        // A form that says nothing about blocks leaves the line what its words do to them: if(x is 1).
        if brace || form.opens.is_some() || form.divides.is_some() {
            out.events.clear();
        }
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
}

/// The bracket that closes one.
fn closing(open: &str) -> &'static str {
    match open {
        "(" => ")",
        "[" => "]",
        _ => "}",
    }
}
