//! Function headers.

use crate::blocks::{BRACE, Block, END, Event};
use crate::commands::is_keyword;
use crate::diagnostic::{Code, Finding};
use crate::lexer::{Token, TokenKind};
use crate::statement::{Gathered, Reader, keyword_as_name, matching, split, tentative};
use crate::syntax::{Span, StatementKind};
use crate::words;
use hashbrown::HashSet;

impl Reader<'_> {
    pub(crate) fn function(
        &mut self,
        tokens: &[Token],
        brace: bool,
        out: &mut Gathered,
    ) -> Option<StatementKind> {
        let span = (tokens[0].start, tokens[tokens.len() - 1].end);
        let header = |message: &str, at: Span| {
            Finding::unexpected(Code::FUNCTION_HEADER, at, format!("unexpected construct: {message}"))
                .help("write function name(a, b){ with } alone on a later line")
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
        let mut seen: HashSet<&str> = HashSet::default();
        if close > 3 {
            for part in split(&tokens[3..close]) {
                match part {
                    [one] if one.kind == TokenKind::Name && !is_keyword(self.text(*one)) => {
                        if !seen.insert(self.text(*one)) {
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
                    [] => out.errors.push(words::trailing_comma(tokens[close].span())),
                    [first, .., last] => {
                        out.errors.push(header("parameters are plain names", (first.start, last.end)));
                    }
                    [one] => out.errors.push(header("parameters are plain names", one.span())),
                }
            }
        }
        let rest = &tokens[close + 1..];
        let parameters = self.arena.keep_parameters(parameters);
        let kind = StatementKind::Function { name: name.span(), parameters };
        if brace && rest.len() == 1 {
            out.events.push(Event::Open { block: Block::Function, accepts: BRACE, required: sound });
            return Some(kind);
        }
        if rest.is_empty() {
            out.errors.push(header("the '{' is missing on the header line", span));
            out.wants_brace = true;
            out.events.push(tentative(Block::Function, BRACE | END));
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
}
