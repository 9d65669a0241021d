//! Expressions, read with an explicit stack: any nesting depth, no recursion. Stops at the first thing that does not
//! fit and says what it is; what is only worth a warning is noted on the way.

mod operators;

use crate::commands::is_keyword;
use crate::diagnostic::{Category, Code, Finding};
use crate::foreign;
use crate::lexer::{Token, TokenKind, lex};
use crate::syntax::{Arena, BinaryOp, ExprId, ExprKind, Run, Span, UnaryOp};
use crate::words::{
    bad_hole, clip, empty_argument, foreign_constant, lexical, lowercase_constant, missing_comma, symbol,
    template_holes, trailing_comma,
};

/// Reads all of `tokens` as one expression; `more` says that a comma and another one may follow.
///
/// # Errors
/// The first thing that does not fit the grammar.
pub(crate) fn parse(
    source: &str,
    tokens: &[Token],
    at: Span,
    more: bool,
    arena: &mut Arena,
    notes: &mut Vec<Finding>,
) -> Result<ExprId, Finding> {
    Reader { source, tokens, at, more, arena, notes, frames: Vec::new(), position: 0, holes: false }.run()
}

/// What an expression inside a text reads and calls.
#[derive(Debug, Default)]
pub(crate) struct TextExpression {
    /// Names read, each with whether it is an operand of arithmetic.
    pub(crate) names: Vec<(String, bool)>,
    /// Functions called, each with where its name stands in the text and the number of its arguments.
    pub(crate) calls: Vec<(String, u32, usize)>,
}

/// Reads the text of a string or template as an expression, as the second form of `if` does. `template` allows
/// `${name}` as an operand. Nothing inside is located more precisely than the token that holds it.
///
/// # Errors
/// The first thing that does not fit, placed at `at`.
pub(crate) fn parse_text(text: &str, at: Span, template: bool) -> Result<TextExpression, Finding> {
    let tokens = lex(text).tokens;
    let mut arena = Arena::default();
    let mut notes = Vec::new();
    let place = |mut finding: Finding| {
        (finding.start, finding.end) = at;
        finding
    };
    if let Some(finding) = tokens.iter().find_map(|token| lexical(text, *token)) {
        return Err(place(finding));
    }
    Reader {
        source: text,
        tokens: &tokens,
        at: (0, 0),
        more: false,
        arena: &mut arena,
        notes: &mut notes,
        frames: Vec::new(),
        position: 0,
        holes: template,
    }
    .run()
    .map_err(place)?;
    let slice = |span: Span| {
        let text = text.get(span.0 as usize..span.1 as usize).unwrap_or_default();
        text.trim_start_matches('$').to_owned()
    };
    let mut found = TextExpression::default();
    for node in &arena.nodes {
        match &node.kind {
            ExprKind::Name { .. } if node.read => found.names.push((slice(node.span), node.arithmetic)),
            ExprKind::Call(callee, arguments)
                if matches!(arena.kind(*callee), Some(ExprKind::Name { .. })) =>
            {
                let span = arena.span(*callee);
                found.calls.push((slice(span), span.0, arguments.len()));
            }
            _ => {}
        }
    }
    Ok(found)
}

enum Frame {
    Group { open: u32, items: Vec<ExprId> },
    List { open: u32, items: Vec<ExprId> },
    Dict { open: u32, entries: Vec<(ExprId, ExprId)>, key: Option<ExprId> },
    Call { callee: ExprId, arguments: Vec<Option<ExprId>> },
    Index { base: ExprId },
    Prefix { op: UnaryOp, start: u32 },
    Infix { op: BinaryOp, left: ExprId },
    Condition { value: ExprId },
    Otherwise { value: ExprId, condition: ExprId },
}

struct Reader<'a> {
    source: &'a str,
    tokens: &'a [Token],
    at: Span,
    /// Whether a comma may follow the whole.
    more: bool,
    arena: &'a mut Arena,
    notes: &'a mut Vec<Finding>,
    frames: Vec<Frame>,
    position: usize,
    /// Whether `${name}` is an operand.
    holes: bool,
}

impl Reader<'_> {
    fn run(mut self) -> Result<ExprId, Finding> {
        loop {
            // Reads operands until one is complete, then what may follow it.
            let mut value = match self.operand()? {
                Some(value) => value,
                None => continue,
            };
            loop {
                match self.after(value)? {
                    After::Value(next) => value = next,
                    After::Operand => break,
                    After::Done(id) => return Ok(id),
                }
            }
        }
    }

    fn peek(&self) -> Option<Token> {
        self.tokens.get(self.position).copied()
    }

    fn fault(&self, token: Option<Token>, wanted: &str) -> Finding {
        match token {
            Some(token) => {
                let text = clip(token.text(self.source));
                Finding::unexpected(
                    Code::EXPRESSION,
                    token.span(),
                    format!("unexpected construct: {wanted}, found '{text}'"),
                )
            }
            None => {
                let end = self.tokens.last().map_or(self.at, |token| token.span());
                Finding::unexpected(Code::EXPRESSION, end, format!("unexpected construct: {wanted}"))
            }
        }
    }

    /// Reads one operand; `None` where it opened something that needs an operand itself.
    fn operand(&mut self) -> Result<Option<ExprId>, Finding> {
        let Some(token) = self.peek() else {
            return Err(self.fault(None, "a value is missing"));
        };
        let span = token.span();
        let text = token.text(self.source);
        self.position += 1;
        let kind = match token.kind {
            TokenKind::Number | TokenKind::BadNumber => {
                if token.kind == TokenKind::Number && beyond_64_bits(text) {
                    self.notes.push(Finding::warning(
                        Category::UnexpectedConstruct,
                        Code::LARGE_NUMBER,
                        span,
                        format!("the number {} does not fit 64 bits", clip(text)),
                    ));
                }
                ExprKind::Number
            }
            TokenKind::Str | TokenKind::UnclosedStr | TokenKind::TripleQuote => ExprKind::Text,
            TokenKind::Template => ExprKind::Template(self.template(token)?),
            TokenKind::OddWord => ExprKind::Name { sigil: false },
            TokenKind::Name => return self.name(token),
            TokenKind::Dollar => return self.sigil(token).map(Some),
            TokenKind::Minus => {
                if matches!(self.frames.last(), Some(Frame::Prefix { op: UnaryOp::Negate, .. })) {
                    return Err(self.fault(Some(token), "a value must follow '-'"));
                }
                self.frames.push(Frame::Prefix { op: UnaryOp::Negate, start: token.start });
                return Ok(None);
            }
            TokenKind::OpenParen => {
                self.frames.push(Frame::Group { open: token.start, items: Vec::new() });
                return Ok(None);
            }
            TokenKind::OpenBracket => {
                if self.peek().is_some_and(|next| next.kind == TokenKind::CloseBracket) {
                    let end = self.peek().map_or(token.end, |next| next.end);
                    self.position += 1;
                    return Ok(Some(self.arena.add(ExprKind::List(Run::default()), (token.start, end))));
                }
                self.frames.push(Frame::List { open: token.start, items: Vec::new() });
                return Ok(None);
            }
            TokenKind::OpenBrace => {
                if self.peek().is_some_and(|next| next.kind == TokenKind::CloseBrace) {
                    let end = self.peek().map_or(token.end, |next| next.end);
                    self.position += 1;
                    return Ok(Some(self.arena.add(ExprKind::Dict(Run::default()), (token.start, end))));
                }
                self.frames.push(Frame::Dict { open: token.start, entries: Vec::new(), key: None });
                return Ok(None);
            }
            TokenKind::CloseParen if matches!(self.frames.last(), Some(Frame::Call { .. })) => {
                return self.close_empty_call(token).map(Some);
            }
            TokenKind::Comma if matches!(self.frames.last(), Some(Frame::Call { .. })) => {
                if let Some(Frame::Call { arguments, .. }) = self.frames.last_mut() {
                    arguments.push(None);
                }
                self.notes.push(empty_argument(span));
                return Ok(None);
            }
            TokenKind::CloseParen | TokenKind::CloseBracket | TokenKind::CloseBrace
                if self.previous_was_comma() =>
            {
                return Err(trailing_comma(span));
            }
            TokenKind::UnknownSymbol | TokenKind::Hash => return Err(symbol(text, span)),
            _ => return Err(self.fault(Some(token), "a value is expected here")),
        };
        Ok(Some(self.arena.add(kind, span)))
    }

    fn previous_was_comma(&self) -> bool {
        self.position
            .checked_sub(2)
            .and_then(|at| self.tokens.get(at))
            .is_some_and(|token| token.kind == TokenKind::Comma)
    }

    fn close_empty_call(&mut self, token: Token) -> Result<ExprId, Finding> {
        match self.frames.pop() {
            Some(Frame::Call { callee, arguments }) => {
                if !arguments.is_empty() {
                    return Err(trailing_comma(token.span()));
                }
                let start = self.arena.span(callee).0;
                Ok(self.arena.add(ExprKind::Call(callee, Run::default()), (start, token.end)))
            }
            _ => Err(self.fault(Some(token), "a value is expected here")),
        }
    }

    fn name(&mut self, token: Token) -> Result<Option<ExprId>, Finding> {
        let text = token.text(self.source);
        let called = self.peek().is_some_and(|next| next.kind == TokenKind::OpenParen);
        match text {
            "True" | "False" | "None" => Ok(Some(self.arena.add(ExprKind::Constant, token.span()))),
            "true" | "false" => {
                self.notes.push(lowercase_constant(text == "true", token.span()));
                Ok(Some(self.arena.add(ExprKind::Constant, token.span())))
            }
            "not" => {
                let allowed = match self.frames.last() {
                    Some(Frame::Infix { op, .. }) => matches!(op, BinaryOp::Or | BinaryOp::And),
                    Some(Frame::Prefix { .. }) => false,
                    _ => true,
                };
                if !allowed {
                    return Err(self.fault(Some(token), "put 'not …' in parentheses here"));
                }
                self.frames.push(Frame::Prefix { op: UnaryOp::Not, start: token.start });
                Ok(None)
            }
            _ if foreign::is_foreign_constant(text) && !called => Err(foreign_constant(text, token.span())),
            _ if is_keyword(text) && !called => Err(Finding::unexpected(
                Code::KEYWORD_AS_NAME,
                token.span(),
                format!("unexpected construct: the keyword '{text}' cannot be a value"),
            )),
            _ => Ok(Some(self.arena.add(ExprKind::Name { sigil: false }, token.span()))),
        }
    }

    fn sigil(&mut self, dollar: Token) -> Result<ExprId, Finding> {
        match self.peek() {
            Some(name) if name.kind == TokenKind::Name && name.start == dollar.end => {
                self.position += 1;
                Ok(self.arena.add(ExprKind::Name { sigil: true }, (dollar.start, name.end)))
            }
            Some(open) if self.holes && open.kind == TokenKind::OpenBrace => {
                let name = self.tokens.get(self.position + 1).copied();
                let close = self.tokens.get(self.position + 2).copied();
                match (name, close) {
                    (Some(name), Some(close))
                        if name.kind == TokenKind::Name && close.kind == TokenKind::CloseBrace =>
                    {
                        self.position += 3;
                        Ok(self.arena.add(ExprKind::Name { sigil: false }, name.span()))
                    }
                    _ => Err(bad_hole(dollar.span())),
                }
            }
            _ => Err(self.fault(Some(dollar), "a name must follow '$'")),
        }
    }

    /// The names in the holes of a template.
    fn template(&mut self, token: Token) -> Result<Run, Finding> {
        let text = token.text(self.source);
        let mut names = Vec::new();
        for hole in template_holes(text) {
            match hole {
                Ok((from, to)) => {
                    let span = (token.start + from, token.start + to);
                    names.push(self.arena.add(ExprKind::Name { sigil: false }, span));
                }
                Err(at) => return Err(bad_hole((token.start + at, token.end))),
            }
        }
        Ok(self.arena.keep(names.into_iter().map(Some)))
    }

    /// Reads what may follow a complete value.
    fn after(&mut self, value: ExprId) -> Result<After, Finding> {
        let Some(token) = self.peek() else {
            let id = self.reduce(value, 0)?;
            return if self.frames.is_empty() { Ok(After::Done(id)) } else { Err(self.unfinished()) };
        };
        self.position += 1;
        let text = token.text(self.source);
        let op = match token.kind {
            TokenKind::OpenParen => {
                let callable = matches!(
                    self.arena.kind(value),
                    Some(
                        ExprKind::Name { sigil: false }
                            | ExprKind::Member(..)
                            | ExprKind::Call(..)
                            | ExprKind::Index(..)
                    )
                );
                if !callable {
                    return Err(self.fault(Some(token), "only a name can be called"));
                }
                self.frames.push(Frame::Call { callee: value, arguments: Vec::new() });
                return Ok(After::Operand);
            }
            TokenKind::OpenBracket => {
                self.frames.push(Frame::Index { base: value });
                return Ok(After::Operand);
            }
            TokenKind::Dot => {
                return match self.peek() {
                    Some(name) if name.kind == TokenKind::Name => {
                        self.position += 1;
                        let start = self.arena.span(value).0;
                        let member = self.arena.add(ExprKind::Member(value, name.span()), (start, name.end));
                        Ok(After::Value(member))
                    }
                    next => Err(self.fault(next, "a name must follow '.'")),
                };
            }
            TokenKind::CloseParen | TokenKind::CloseBracket | TokenKind::CloseBrace => {
                return self.close(value, token).map(After::Value);
            }
            TokenKind::Comma => {
                let value = self.reduce(value, 0)?;
                match self.frames.last_mut() {
                    Some(Frame::Group { items, .. } | Frame::List { items, .. }) => items.push(value),
                    Some(Frame::Call { arguments, .. }) => arguments.push(Some(value)),
                    Some(Frame::Dict { entries, key, .. }) if key.is_some() => {
                        entries.extend(key.take().map(|key| (key, value)));
                    }
                    _ => return Err(self.fault(Some(token), "no list, call or dict is open")),
                }
                return Ok(After::Operand);
            }
            TokenKind::Colon => {
                let value = self.reduce(value, 0)?;
                return match self.frames.last_mut() {
                    Some(Frame::Dict { key, .. }) if key.is_none() => {
                        *key = Some(value);
                        Ok(After::Operand)
                    }
                    Some(Frame::Index { .. }) => Err(self
                        .fault(Some(token), "one index is expected here")
                        .help("there are no slices; x[i] reads one item")),
                    _ => Err(self.fault(Some(token), "the expression ends before this")),
                };
            }
            TokenKind::Name => match text {
                "if" => {
                    let value = self.reduce_operators(value);
                    if matches!(self.frames.last(), Some(Frame::Condition { .. })) {
                        return Err(self.fault(Some(token), "put the inner conditional in parentheses"));
                    }
                    self.frames.push(Frame::Condition { value });
                    return Ok(After::Operand);
                }
                "else" => {
                    let condition = self.reduce_operators(value);
                    return match self.frames.pop() {
                        Some(Frame::Condition { value }) => {
                            self.frames.push(Frame::Otherwise { value, condition });
                            Ok(After::Operand)
                        }
                        _ => Err(self.fault(Some(token), "'else' needs 'value if condition' before it")),
                    };
                }
                "and" => BinaryOp::And,
                "or" => BinaryOp::Or,
                "in" => BinaryOp::Contains,
                "not" if self.peek().is_some_and(|next| next.text(self.source) == "in") => {
                    self.position += 1;
                    BinaryOp::Contains
                }
                _ => return Err(self.two_values(token)),
            },
            _ if starts_value(token.kind) => return Err(self.two_values(token)),
            TokenKind::Equal
            | TokenKind::NotEqual
            | TokenKind::Less
            | TokenKind::Greater
            | TokenKind::LessEqual
            | TokenKind::GreaterEqual => BinaryOp::Compare,
            TokenKind::Plus => BinaryOp::Add,
            TokenKind::Minus | TokenKind::Star | TokenKind::Slash => BinaryOp::Arithmetic,
            TokenKind::Percent => BinaryOp::Modulo,
            TokenKind::Assign => {
                return Err(Finding::unexpected(
                    Code::EXPRESSION,
                    token.span(),
                    "unexpected construct: '=' inside an expression",
                )
                .help("compare with ==; assignments stand on a line of their own, to one name"));
            }
            TokenKind::UnknownSymbol | TokenKind::Hash => return Err(symbol(text, token.span())),
            _ => return Err(self.fault(Some(token), "the expression ends before this")),
        };
        self.infix(value, op, token).map(|()| After::Operand)
    }

    /// A value directly behind another one: a comma is missing where one may stand, otherwise an operator.
    fn two_values(&self, token: Token) -> Finding {
        // A word between two values was meant as an operator.
        let operator =
            token.kind == TokenKind::Name && self.peek().is_some_and(|next| starts_value(next.kind));
        let inside = self
            .frames
            .iter()
            .rev()
            .find(|frame| !matches!(frame, Frame::Prefix { .. } | Frame::Infix { .. }));
        let separated = match inside {
            None => self.more,
            Some(Frame::Call { .. } | Frame::List { .. } | Frame::Dict { key: Some(_), .. }) => true,
            Some(Frame::Dict { .. }) => return self.fault(Some(token), "a dict entry is written key: value"),
            Some(_) => false,
        };
        if separated && !operator {
            return missing_comma(token.text(self.source), token.span());
        }
        self.fault(Some(token), "an operator is missing")
            .help("two values are joined by an operator, such as + or ==")
    }

    fn unfinished(&self) -> Finding {
        let at = self.tokens.last().map_or(self.at, |token| token.span());
        Finding::syntax(Code::UNBALANCED, at, "syntax error: a bracket is not closed")
    }
}

enum After {
    Value(ExprId),
    Operand,
    Done(ExprId),
}

/// Whether a value starts with such a token.
fn starts_value(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::Name
            | TokenKind::Str
            | TokenKind::Number
            | TokenKind::Template
            | TokenKind::Dollar
            | TokenKind::OpenBrace
    )
}

fn beyond_64_bits(text: &str) -> bool {
    let digits = text.split('.').next().unwrap_or_default();
    digits.len() >= 19 && digits.parse::<i64>().is_err()
}
