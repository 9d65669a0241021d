//! Words for single tokens: what is wrong with one by itself, what to write instead of a symbol, names and template
//! holes.

use crate::commands::is_keyword;
use crate::diagnostic::{Category, Code, Finding};
use crate::lexer::{Token, TokenKind};
use crate::syntax::Span;

/// What is wrong with a token by itself, if anything.
pub(crate) fn lexical(source: &str, token: Token) -> Option<Finding> {
    let text = token.text(source);
    let span = token.span();
    Some(match token.kind {
        TokenKind::UnclosedStr => {
            let what = if text.starts_with('`') { "template" } else { "string" };
            let quote = text.chars().next().unwrap_or('"');
            Finding::syntax(Code::UNCLOSED_STRING, span, format!("syntax error: the {what} is not closed"))
                .help(format!("close it with {quote} on the same line; a string cannot span lines"))
        }
        TokenKind::UnclosedComment => {
            Finding::syntax(Code::UNCLOSED_COMMENT, span, "syntax error: the block comment is not closed")
                .help("close it with */")
        }
        TokenKind::TripleQuote => {
            Finding::syntax(Code::TRIPLE_QUOTE, span, "syntax error: triple quotes do not exist")
                .help("use one pair of quotes on one line, or a // comment")
        }
        TokenKind::Fence => {
            Finding::syntax(Code::FENCE, span, format!("syntax error: Markdown fence '{}'", clip(text)))
                .help("remove the fence; a program holds code only")
        }
        TokenKind::BadNumber => Finding::syntax(
            Code::BAD_NUMBER,
            span,
            format!("syntax error: malformed number '{}'", clip(text)),
        )
        .help("numbers are integers or decimals with digits on both sides of the point, such as 0.5"),
        TokenKind::BadCharacter => {
            let c = text.chars().next().unwrap_or(' ');
            Finding::syntax(
                Code::BAD_CHARACTER,
                span,
                format!("syntax error: the character U+{:04X} cannot stand outside strings", u32::from(c)),
            )
            .help("white space is space and tab only")
        }
        TokenKind::OddWord => {
            Finding::unknown(Code::UNKNOWN_WORD, span, format!("unknown word '{}'", clip(text)))
                .help("names consist of the letters A to Z, digits and _")
        }
        TokenKind::Hash => {
            Finding::unknown(Code::UNKNOWN_SYMBOL, span, "unknown symbol '#'").help("comments start with //")
        }
        TokenKind::UnknownSymbol => symbol(text, span),
        _ => return None,
    })
}

/// The finding for a symbol that the language does not have, with what to write instead.
pub(crate) fn symbol(text: &str, span: Span) -> Finding {
    let finding = Finding::unknown(Code::UNKNOWN_SYMBOL, span, format!("unknown symbol '{text}'"));
    match text {
        "&&" | "&" => finding.suggest("and"),
        "||" | "|" => finding.suggest("or"),
        "!" | "~" => finding.suggest("not"),
        "===" => finding.suggest("=="),
        "!==" | "<>" => finding.suggest("!="),
        "++" => finding.help("write x = x + 1"),
        "--" => finding.help("write x = x - 1"),
        "+=" | "-=" | "*=" | "/=" | "%=" => {
            let op = &text[..1];
            finding.help(format!("compound assignment does not exist; write x = x {op} value"))
        }
        ":=" => finding.help("write x = value or addVar(x, value)").suggest("="),
        "->" | "::" => finding.help("members are read with a point: x.name"),
        "**" => finding.help("there is no power operator; multiply in a loop"),
        "?" | "??" => finding.help("write a if condition else b"),
        "?." => finding.help("members are read with a point: x.name").suggest("."),
        "..." | "…" => finding.help("lists cannot be spread; a function has a fixed number of parameters"),
        "@" => finding.help("there are no decorators"),
        "\\" => finding.help("a statement cannot be continued on the next line"),
        "“" | "”" | "„" | "‘" | "’" | "«" | "»" | "´" | "「" | "」" => {
            finding.help("strings stand in \" or '")
        }
        _ => match plain_sign(text) {
            Some(plain) => finding.help(format!("write the plain sign {plain}")).suggest(plain),
            None => finding,
        },
    }
}

/// The sign of the language that looks like a typographic or full-width one.
fn plain_sign(text: &str) -> Option<&'static str> {
    const WIDE: &[(&str, &str)] = &[
        ("（", "("),
        ("）", ")"),
        ("，", ","),
        ("、", ","),
        ("：", ":"),
        ("；", ";"),
        ("＝", "="),
        ("＋", "+"),
        ("＂", "\""),
        ("－", "-"),
        ("［", "["),
        ("］", "]"),
        ("｛", "{"),
        ("｝", "}"),
        ("＜", "<"),
        ("＞", ">"),
        ("＄", "$"),
        ("–", "-"),
        ("—", "-"),
        ("−", "-"),
        ("×", "*"),
        ("·", "*"),
        ("÷", "/"),
        ("≤", "<="),
        ("≥", ">="),
        ("≠", "!="),
    ];
    WIDE.iter().find(|(wide, _)| *wide == text).map(|(_, plain)| *plain)
}

/// At most 60 characters of a text, for messages.
pub(crate) fn clip(text: &str) -> String {
    let text = text.trim();
    if text.chars().count() <= 60 {
        return text.to_owned();
    }
    let mut out: String = text.chars().take(59).collect();
    out.push('…');
    out
}

pub(crate) fn empty_argument(span: Span) -> Finding {
    Finding::warning(Category::UnexpectedConstruct, Code::EMPTY_ARGUMENT, span, "an argument is empty")
        .help("write None or \"\" where nothing is meant")
}

pub(crate) fn trailing_comma(span: Span) -> Finding {
    Finding::unexpected(Code::TRAILING_COMMA, span, "unexpected construct: a comma with nothing after it")
        .help("remove the last comma")
}

/// A value directly behind another one, where values are separated by commas.
pub(crate) fn missing_comma(text: &str, span: Span) -> Finding {
    let text = clip(text);
    Finding::unexpected(
        Code::EXPRESSION,
        span,
        format!("unexpected construct: a comma is missing before '{text}'"),
    )
    .help("separate arguments and items with commas, operands with an operator")
    .suggest(format!(", {text}"))
}

/// Whether that is what a finding says.
pub(crate) fn is_missing_comma(finding: &Finding) -> bool {
    finding.code == Code::EXPRESSION && finding.suggestion.as_ref().is_some_and(|text| text.starts_with(", "))
}

/// `true` or `false`.
pub(crate) fn lowercase_constant(value: bool, span: Span) -> Finding {
    let right = if value { "True" } else { "False" };
    Finding::hint(Code::LOWERCASE_CONSTANT, span, format!("the constant is written {right}")).suggest(right)
}

pub(crate) fn bad_hole(span: Span) -> Finding {
    Finding::syntax(Code::BAD_TEMPLATE, span, "syntax error: malformed template hole")
        .help("a hole holds one name: ${name}")
}

pub(crate) fn foreign_constant(text: &str, span: Span) -> Finding {
    Finding::error(
        Category::ForeignKeyword,
        Code::FOREIGN_CONSTANT,
        span,
        format!("foreign construct '{text}'"),
    )
    .suggest("None")
    .help("the empty value is None")
}

/// The holes of a template's text, back-quotes included: byte ranges of the names, or where a malformed hole starts.
pub(crate) fn template_holes(text: &str) -> Vec<Result<(u32, u32), u32>> {
    let bytes = text.as_bytes();
    let offset = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
    let mut holes = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] == b'\\' {
            at += 2;
        } else if bytes[at] == b'$' && bytes.get(at + 1) == Some(&b'{') {
            let inner = at + 2;
            let Some(length) = text.get(inner..).and_then(|rest| rest.find(['}', '`'])) else {
                holes.push(Err(offset(at)));
                return holes;
            };
            let hole = &text[inner..inner + length];
            let name = hole.trim_matches([' ', '\t']);
            let closed = bytes.get(inner + length) == Some(&b'}');
            if closed && is_name(name) {
                let from = inner + (hole.len() - hole.trim_start_matches([' ', '\t']).len());
                holes.push(Ok((offset(from), offset(from + name.len()))));
            } else {
                holes.push(Err(offset(at)));
            }
            at = inner + length + 1;
        } else {
            at += 1;
        }
    }
    holes
}

/// Whether the text is an identifier and no keyword.
pub(crate) fn is_name(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !is_keyword(text)
}
