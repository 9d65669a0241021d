//! The canonical layout of a program: indentation by blocks, one space around operators and after commas, no needless
//! semicolons, at most one blank line in a row. Works on tokens, keeps every comment and every literal as it was
//! written, and touches nothing where the program does not parse.

use crate::commands::is_keyword;
use crate::diagnostic::{Diagnostic, Severity};
use crate::layout::expects_more;
use crate::lexer::{TokenKind, lex};
use crate::{Options, parse};

/// Columns of one level of indentation.
const INDENT: usize = 4;

/// What came of laying out a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Formatted {
    /// The program in its canonical layout; ends in a line feed unless it is empty.
    Text(String),
    /// The program does not parse, so it was left alone; its errors.
    Invalid(Vec<Diagnostic>),
}

/// Lays a program out. The result has the same tree and the same comments, and laying it out again changes nothing.
#[must_use]
pub fn format(code: &str, options: &Options) -> Formatted {
    let errors: Vec<Diagnostic> =
        parse(code, options).diagnostics.into_iter().filter(|d| d.severity == Severity::Error).collect();
    if !errors.is_empty() {
        return Formatted::Invalid(errors);
    }
    let mut writer =
        Writer { out: String::with_capacity(code.len() + code.len() / 8), depth: 0, blank: false };
    for line in lines(code) {
        writer.line(&line);
    }
    Formatted::Text(writer.out)
}

/// A piece of a line: a token, or a comment.
#[derive(Debug, Clone, Copy)]
struct Item<'a> {
    /// `None` for a comment.
    kind: Option<TokenKind>,
    text: &'a str,
}

impl Item<'_> {
    fn is(self, kind: TokenKind) -> bool {
        self.kind == Some(kind)
    }

    fn is_line_comment(self) -> bool {
        self.kind.is_none() && self.text.starts_with("//")
    }
}

/// The lines of a program with their comments; an empty one stands for a blank line.
fn lines(code: &str) -> Vec<Vec<Item<'_>>> {
    let lexed = lex(code);
    let slice = |start: u32, end: u32| code.get(start as usize..end as usize).unwrap_or_default();
    let mut comments = lexed.comments.iter().copied().peekable();
    let mut out = Vec::new();
    let mut line: Vec<Item<'_>> = Vec::new();
    let mut depth = 0_i64;
    let mut last: Option<TokenKind> = None;
    let mut softly = false;
    for token in &lexed.tokens {
        while let Some((start, end)) = comments.next_if(|(start, _)| *start <= token.start) {
            line.push(Item { kind: None, text: slice(start, end).trim_end() });
        }
        let ends = match token.kind {
            TokenKind::Newline => true,
            // The comment itself has been taken above; it ends the line unless the statement has to go on.
            TokenKind::SoftBreak => depth <= 0 && !last.is_some_and(expects_more),
            _ => {
                depth += match token.kind {
                    TokenKind::OpenParen | TokenKind::OpenBracket => 1,
                    TokenKind::CloseParen | TokenKind::CloseBracket => -1,
                    _ => 0,
                };
                last = Some(token.kind);
                line.push(Item { kind: Some(token.kind), text: slice(token.start, token.end) });
                false
            }
        };
        if ends {
            // The line end behind a comment that has ended its line is no blank line.
            if !(softly && line.is_empty()) {
                out.push(std::mem::take(&mut line));
            }
            softly = token.kind == TokenKind::SoftBreak;
            depth = 0;
            last = None;
        }
    }
    line.extend(comments.map(|(start, end)| Item { kind: None, text: slice(start, end).trim_end() }));
    out.push(line);
    out
}

struct Writer {
    out: String,
    depth: usize,
    /// Whether a blank line waits to be written before the next line.
    blank: bool,
}

impl Writer {
    fn line(&mut self, items: &[Item<'_>]) {
        let items = without_semicolon(items);
        if items.is_empty() {
            self.blank = !self.out.is_empty();
            return;
        }
        if std::mem::take(&mut self.blank) {
            self.out.push('\n');
        }
        let code: Vec<Item<'_>> = items.iter().copied().filter(|item| item.kind.is_some()).collect();
        let role = role(&code);
        if matches!(role, Role::Closes | Role::Divides) {
            self.depth = self.depth.saturating_sub(1);
        }
        self.out.extend(std::iter::repeat_n(' ', self.depth * INDENT));
        self.items(&items, &code);
        self.out.push('\n');
        if matches!(role, Role::Opens | Role::Divides) {
            self.depth += 1;
        }
    }

    fn items(&mut self, items: &[Item<'_>], code: &[Item<'_>]) {
        // Position of the next item in `code`.
        let mut at = 0;
        for (step, item) in items.iter().enumerate() {
            let space = match (step.checked_sub(1).map(|before| items[before]), item.kind) {
                (None, _) => false,
                (Some(before), None) => item.is_line_comment() || !opens(before),
                (Some(before), Some(kind)) if before.kind.is_none() => !matches!(
                    kind,
                    TokenKind::CloseParen
                        | TokenKind::CloseBracket
                        | TokenKind::CloseBrace
                        | TokenKind::Comma
                ),
                (Some(_), Some(_)) => spaced(code, at),
            };
            if space {
                self.out.push(' ');
            }
            self.out.push_str(item.text);
            at += usize::from(item.kind.is_some());
        }
    }
}

/// A line without the semicolon at its end.
fn without_semicolon<'a>(items: &[Item<'a>]) -> Vec<Item<'a>> {
    let mut out = items.to_vec();
    if let Some(last) = out.iter().rposition(|item| item.kind.is_some())
        && out[last].is(TokenKind::Semicolon)
    {
        out.remove(last);
    }
    out
}

/// What a line does to the indentation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Opens,
    Divides,
    Closes,
    Nothing,
}

fn role(code: &[Item<'_>]) -> Role {
    let call = match code {
        [_, equals, rest @ ..] if equals.is(TokenKind::Assign) => rest,
        _ => code,
    };
    match call {
        [brace, ..] if brace.is(TokenKind::CloseBrace) => Role::Closes,
        [word, .., brace] if word.text == "function" && brace.is(TokenKind::OpenBrace) => Role::Opens,
        [word, open, ..] if open.is(TokenKind::OpenParen) => match word.text {
            "if" | "startLoop" | "try" | "go_async" => Role::Opens,
            "else" | "exception" => Role::Divides,
            "end" | "endLoop" => Role::Closes,
            _ => Role::Nothing,
        },
        _ => Role::Nothing,
    }
}

fn opens(item: Item<'_>) -> bool {
    matches!(item.kind, Some(TokenKind::OpenParen | TokenKind::OpenBracket | TokenKind::OpenBrace))
}

/// Whether the item is a word that joins or starts expressions and so stands apart from what follows.
fn is_word(item: Item<'_>) -> bool {
    item.is(TokenKind::Name)
        && matches!(item.text, "and" | "or" | "not" | "in" | "if" | "else" | "return" | "include" | "import")
}

/// Whether a value ends with this item, so that a sign behind it joins two values.
fn ends_value(item: Item<'_>) -> bool {
    use TokenKind::{CloseBrace, CloseBracket, CloseParen, Name, Number, OddWord, Str, Template};
    match item.kind {
        Some(Name) => !is_word(item),
        Some(Number | Str | Template | OddWord | CloseParen | CloseBracket | CloseBrace) => true,
        _ => false,
    }
}

/// Whether a space stands before the item at `at`, which is not the first one of the line.
fn spaced(code: &[Item<'_>], at: usize) -> bool {
    use TokenKind::{
        CloseBrace, CloseBracket, CloseParen, Colon, Comma, Dollar, Dot, Greater, Less, Minus, Name,
        OpenBrace, OpenBracket, OpenParen,
    };
    let (Some(before), Some(item)) = (at.checked_sub(1).and_then(|at| code.get(at)), code.get(at)) else {
        return false;
    };
    let (before, item) = (*before, *item);
    let two_before = at.checked_sub(2).and_then(|at| code.get(at)).copied();
    // import <name>
    if code[0].text == "import" && code.len() == 4 && code[1].is(Less) {
        return at == 1;
    }
    // A sign in front of a value belongs to it.
    let sign = before.is(Minus) && !two_before.is_some_and(ends_value);
    match item.kind {
        Some(Comma) => before.is(Comma) || opens(before),
        Some(CloseParen | CloseBracket | CloseBrace) => before.is(Comma),
        Some(Colon | Dot) => false,
        Some(Greater) if code[0].text == "import" => false,
        Some(OpenBrace) if code[0].text == "function" && at + 1 == code.len() => false,
        Some(OpenParen) if before.is(Name) && before.text == "return" => !closes_line(code, at),
        // In the first form of `if` a keyword may be called only as a block word, at the start of its line.
        Some(OpenParen) if before.is(Name) => is_word(before) && !block_word(code, at - 1),
        Some(OpenBracket) if ends_value(before) => false,
        Some(OpenParen) if before.is(CloseParen) || before.is(CloseBracket) => false,
        _ => !opens(before) && !before.is(Dot) && !before.is(Dollar) && !sign,
    }
}

/// Whether the word at `at` is a block word that is called: at the start of its line, or assigned.
fn block_word(code: &[Item<'_>], at: usize) -> bool {
    is_keyword(code[at].text)
        && !matches!(code[at].text, "and" | "or" | "not" | "in")
        && (at == 0 || at == 2 && code[1].is(TokenKind::Assign))
}

/// Whether the bracket at `open` is closed by the last item.
fn closes_line(code: &[Item<'_>], open: usize) -> bool {
    let mut depth = 0_i64;
    for (at, item) in code.iter().enumerate().skip(open) {
        match item.kind {
            Some(TokenKind::OpenParen | TokenKind::OpenBracket | TokenKind::OpenBrace) => depth += 1,
            Some(TokenKind::CloseParen | TokenKind::CloseBracket | TokenKind::CloseBrace) => {
                depth -= 1;
                if depth == 0 {
                    return at + 1 == code.len();
                }
            }
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(code: &str, expected: &str) {
        assert_eq!(format(code, &Options::default()), Formatted::Text(expected.to_owned()), "{code}");
    }

    #[test]
    fn blocks_are_indented_and_dividers_stand_out() {
        check(
            "function f(a,b){\nreturn(a+b)\n}\nif( x ,1,\"==\" )\ny=f(1,2);\nelse ()\nstartLoop(i,1,3)\ny = -i\nendLoop()\nend()\naddResult(y)",
            "function f(a, b){\n    return(a + b)\n}\nif(x, 1, \"==\")\n    y = f(1, 2)\nelse()\n    startLoop(i, 1, 3)\n        y = -i\n    endLoop()\nend()\naddResult(y)\n",
        );
        check(
            "try()\nx=1\ne = exception()\ny=1\nend()",
            "try()\n    x = 1\ne = exception()\n    y = 1\nend()\n",
        );
    }

    #[test]
    fn expressions_have_one_layout() {
        check(
            "x=a  if b==1 and not(c)else-2*(3-(-1))",
            "x = a if b == 1 and not (c) else -2 * (3 - -1)\n".replace("3 - -1", "3 - (-1)").as_str(),
        );
        check("x = [1,2 , {\"a\" :1}][ 0 ].b . c( $d,-1 )", "x = [1, 2, {\"a\": 1}][0].b.c($d, -1)\n");
        check("x = a in[1] or b not in [ ]", "x = a in [1] or b not in []\n");
        check("if(x,None,=)\nend()", "if(x, None, =)\nend()\n");
        check("x = str( 1 )+`a ${ b }`", "x = str(1) + `a ${ b }`\n");
    }

    #[test]
    fn comments_and_blank_lines_are_kept() {
        check(
            "\u{feff}\n\n// a\r\n\r\n\r\n/* b\n  c */ x=1//d\n/* e */ y = /* f */ 2\nif(x,1,\"==\")\n// g\nend() // h\n\n",
            "// a\n\n/* b\n  c */\nx = 1 //d\n/* e */ y = /* f */ 2\nif(x, 1, \"==\")\n    // g\nend() // h\n",
        );
        check("", "");
        check("x = 1 /* a\nb */ y = 2", "x = 1 /* a\nb */\ny = 2\n");
    }

    #[test]
    fn what_does_not_parse_is_left_alone() {
        let Formatted::Invalid(errors) = format("addVar(10, x)\n", &Options::default()) else {
            unreachable!("a literal cannot be a target")
        };
        assert_eq!(errors.len(), 1);
    }
}
