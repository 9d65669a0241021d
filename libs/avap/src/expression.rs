//! Expressions, read with an explicit stack: any nesting depth, no recursion. Stops at the first thing that does not
//! fit and says what it is; what is only worth a warning is noted on the way.

mod operands;
mod operators;

use crate::diagnostic::{Code, Finding};
use crate::lexer::{Token, TokenKind, lex};
use crate::syntax::{Arena, BinaryOp, ExprId, ExprKind, Span, UnaryOp};
use crate::words::{clip, lexical, missing_comma, symbol};

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
                    Some(next) if next.kind == TokenKind::Str => {
                        Err(self.fault(Some(next), "a name must follow '.'").help("texts are joined with +"))
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
                    _ => Err(self
                        .fault(Some(token), "the expression ends before this")
                        .help("separate arguments with commas; a dict is written {key: value}")),
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
                .help("compare with ==; arguments have no names; assignments stand on a line of their own, to one name"));
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
