//! Statements of other languages: whether a failed line is one, and what AVAP writes instead.

use super::headers::{
    assigned_function, bad_function, condition_form, declaration, denied_form, function_form, loop_form,
};
use super::library::receiver_remedy;
use crate::lexer::{Token, TokenKind};
use crate::statement::{matching, split};

/// Which block a foreign line opens in the mind of its writer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Opens {
    Condition,
    Loop,
    Try,
    Function,
    Other,
}

/// Where a foreign line divides or ends a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Divides {
    Else,
    Exception,
    EndLoop,
    End,
}

/// A foreign form with what AVAP writes instead.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Form {
    pub(crate) help: String,
    pub(crate) suggestion: Option<String>,
    pub(crate) opens: Option<Opens>,
    pub(crate) divides: Option<Divides>,
}

/// Whether the line is a form of another language, and what AVAP writes instead. `tokens` are those of the line.
pub(crate) fn form(source: &str, tokens: &[Token], line: &str) -> Option<Form> {
    let text = |at: usize| tokens.get(at).map_or("", |token| token.text(source));
    let kind = |at: usize| tokens.get(at).map(|token| token.kind);
    let last = tokens.len().checked_sub(1).map_or("", text);
    let first = text(0);
    let second = kind(1);
    let called = second == Some(TokenKind::OpenParen);
    let assigned = second == Some(TokenKind::Assign);
    let braced = last == "{";
    let colon = last == ":";
    // `if [ -f x ]` is a condition of a shell, no subscript.
    let subscript =
        second == Some(TokenKind::OpenBracket) && !matches!(first, "if" | "while" | "until" | "elif");
    if second == Some(TokenKind::Dot) || subscript || assigned {
        return within(source, tokens, line);
    }
    let found = match first {
        "}" => match text(1) {
            "else" | "elseif" | "elif" => else_if(text(2) == "if" || text(1) != "else", true),
            "catch" | "except" | "finally" => handler(),
            "while" => plain("AVAP loop syntax required: startLoop(i, 1, 5) … endLoop()"),
            _ => return None,
        },
        "for" | "foreach" | "while" | "until" => loop_form(line),
        "loop" | "repeat" | "do" if !called && (braced || colon || tokens.len() <= 2) => loop_form(line),
        "def" | "func" | "fn" | "fun" | "sub" | "proc" | "procedure" if tokens.len() > 1 => {
            function_form(source, tokens)
        }
        "async" if matches!(text(1), "function" | "def" | "fn") => function_form(source, &tokens[1..]),
        "function" if text(1) == "(" || bad_function(source, tokens) => function_form(source, tokens),
        "elif" | "elseif" | "elsif" | "elseIf" | "elseIF" => else_if(true, true),
        "else" if text(1) == "if" => else_if(true, true),
        "else" if matches!(text(1), "{" | ":") => else_if(false, true),
        // With three arguments it is AVAP's own if with something behind it.
        "if" if called && three_arguments(tokens) && !matches!(last, "then" | "do" | "begin") => return None,
        "if" if !three_arguments(tokens)
            && (braced || text(1) == "[" || outside_brackets(source, tokens)) =>
        {
            condition_form(source, tokens)
        }
        "unless" if tokens.len() > 1 => denied_form(source, tokens),
        "when" if tokens.len() > 1 => condition_form(source, tokens),
        "try" if matches!(text(1), "{" | ":") => Form {
            help: "write try() … exception(e) … end()".into(),
            suggestion: Some("try()".into()),
            opens: Some(Opens::Try),
            divides: None,
        },
        "except" | "catch" | "rescue" | "finally" => handler(),
        "let" | "var" | "const" | "final" | "val" | "auto" | "mut" | "my" | "local" | "dim"
            if tokens.len() > 1 && !called =>
        {
            declaration(source, tokens)
        }
        "int" | "long" | "float" | "double" | "char" | "bool" | "boolean" | "string" | "String" | "str"
        | "byte" | "short" | "unsigned" | "void" | "List" | "Map" | "Object" | "array" | "number"
        | "Integer" | "Boolean"
            if second == Some(TokenKind::Name) || matches!(text(1), "<" | "[" | "*" | "&") =>
        {
            if tokens.iter().any(|t| t.kind == TokenKind::OpenParen) && braced {
                function_form(source, tokens)
            } else {
                declaration(source, tokens)
            }
        }
        "class" | "struct" | "interface" | "enum" | "trait" | "impl" | "namespace" | "module" | "mod"
        | "type" | "typedef"
            if second == Some(TokenKind::Name) =>
        {
            Form {
                opens: Some(Opens::Other),
                ..plain("there are no classes or types; use function name(a){ … } and variables")
            }
        }
        "import" | "from" | "package" | "using" | "use" | "require" | "require_once" | "include_once"
        | "extern"
            if second == Some(TokenKind::Name) || matches!(text(1), "{" | "*" | "(") =>
        {
            plain("there are no modules; the commands are always there")
        }
        "import" if text(1) == "(" => plain("there are no modules; the commands are always there"),
        "switch" | "match" if braced || colon || called && first == "switch" => Form {
            opens: Some(Opens::Condition),
            ..plain("write one if(x, value, \"==\") … end() for each case")
        },
        "case" | "default" if colon || last == "{" => {
            plain("write one if(x, value, \"==\") … end() for each case")
        }
        "break" | "continue" | "pass" | "redo" | "fallthrough" if tokens.len() <= 2 => {
            plain("there is no break, continue or pass; guard the statements with if(…) … end()")
        }
        "throw" | "raise" => {
            plain("there is no throw; set _status and addResult, or let exception(e) catch the error")
        }
        "export" | "public" | "private" | "protected" | "static" | "pub" | "internal" | "abstract"
        | "override"
            if second == Some(TokenKind::Name) =>
        {
            if braced {
                function_form(source, tokens)
            } else {
                plain("there are no modifiers; write x = value or function name(a){ … }")
            }
        }
        "del" | "delete" | "global" | "nonlocal" | "assert" | "defer" | "goto" | "yield" | "await"
        | "new" | "go" | "unset" | "lambda" | "with" | "async"
            if second == Some(TokenKind::Name) =>
        {
            plain("AVAP has no such statement")
        }
        "print" | "echo" | "puts" | "println" | "printf" if !called && tokens.len() > 1 => Form {
            suggestion: Some("addResult(x)".into()),
            ..plain("results are returned with addResult(x)")
        },
        "fi" | "esac" if tokens.len() <= 2 => Form {
            divides: Some(Divides::End),
            suggestion: Some("end()".into()),
            ..plain("blocks are closed with end()")
        },
        "done" | "next" | "endwhile" | "endfor" if tokens.len() <= 2 && !called => Form {
            divides: Some(Divides::EndLoop),
            suggestion: Some("endLoop()".into()),
            ..plain("loops are closed with endLoop()")
        },
        "if" | "startLoop" | "try" | "go_async" if called && matches!(last, "then" | "do" | "begin") => {
            Form {
                opens: Some(if first == "startLoop" { Opens::Loop } else { Opens::Condition }),
                ..plain("a block opens with the end of its line; nothing follows the parenthesis")
            }
        }
        "then" | "begin" if tokens.len() <= 2 => plain("blocks open with if(…), startLoop(…) or try()"),
        _ if is_sql(line) => Form {
            suggestion: Some("ormDirect(sql, target)".into()),
            ..plain("SQL is run as text: ormDirect(\"SELECT …\", target)")
        },
        _ if tokens.first().is_some_and(|t| t.kind == TokenKind::Hash)
            && (first.starts_with("#include") || first.starts_with("#define") || first.starts_with("#!")) =>
        {
            plain("there are no directives; the commands are always there")
        }
        "@" if second == Some(TokenKind::Name) => plain("there are no decorators or annotations"),
        _ if line.starts_with("<?") || line.starts_with("?>") => plain("a program holds AVAP only"),
        // name: type [= value]
        _ if kind(0) == Some(TokenKind::Name)
            && crate::commands::command(first).is_none()
            && second == Some(TokenKind::Colon)
            && kind(2) == Some(TokenKind::Name)
            && matches!(kind(3), Some(TokenKind::Assign | TokenKind::OpenBracket) | None) =>
        {
            declaration(source, tokens)
        }
        // Type<Other> name = value
        _ if kind(0) == Some(TokenKind::Name)
            && text(1) == "<"
            && tokens.windows(3).any(|three| {
                three[0].kind == TokenKind::Greater
                    && three[1].kind == TokenKind::Name
                    && three[2].kind == TokenKind::Assign
            }) =>
        {
            declaration(source, tokens)
        }
        // Type name = value
        _ if kind(0) == Some(TokenKind::Name)
            && second == Some(TokenKind::Name)
            && kind(2) == Some(TokenKind::Assign)
            && !crate::commands::is_keyword(first)
            && crate::commands::command(first).is_none() =>
        {
            declaration(source, tokens)
        }
        _ if first.eq_ignore_ascii_case("export")
            || (is_shell_word(first)
                && matches!(
                    second,
                    Some(
                        TokenKind::Name
                            | TokenKind::Minus
                            | TokenKind::Str
                            | TokenKind::Slash
                            | TokenKind::Dollar
                    )
                )) =>
        {
            plain("this is a shell command, not AVAP")
        }
        // Prose holds such words too; only where something is called, assigned or returned are they code.
        _ if called || first == "return" || tokens.iter().any(|token| token.kind == TokenKind::Assign) => {
            return within(source, tokens, line);
        }
        _ => return None,
    };
    Some(found)
}

/// Whether a colon or `then` stands outside of brackets.
fn outside_brackets(source: &str, tokens: &[Token]) -> bool {
    let mut depth = 0_i64;
    tokens.iter().any(|token| {
        match token.kind {
            TokenKind::OpenParen | TokenKind::OpenBracket | TokenKind::OpenBrace => depth += 1,
            TokenKind::CloseParen | TokenKind::CloseBracket | TokenKind::CloseBrace => depth -= 1,
            _ => {}
        }
        depth == 0 && (token.kind == TokenKind::Colon || token.text(source) == "then")
    })
}

fn three_arguments(tokens: &[Token]) -> bool {
    matching(tokens, 1).is_some_and(|close| close > 2 && split(&tokens[2..close]).len() == 3)
}

fn is_shell_word(word: &str) -> bool {
    matches!(
        word,
        "curl"
            | "wget"
            | "cd"
            | "ls"
            | "mkdir"
            | "rm"
            | "cp"
            | "mv"
            | "sudo"
            | "apt"
            | "pip"
            | "npm"
            | "git"
            | "docker"
            | "grep"
            | "cat"
            | "chmod"
            | "kubectl"
            | "source"
            | "tar"
            | "scp"
            | "ssh"
            | "rsync"
            | "sed"
            | "awk"
            | "touch"
            | "unzip"
            | "systemctl"
            | "yarn"
            | "python"
            | "python3"
            | "pip3"
            | "brew"
    )
}

fn is_sql(line: &str) -> bool {
    let lower = line.to_ascii_lowercase();
    (lower.starts_with("select ") && lower.contains(" from "))
        || ["insert into ", "delete from ", "create table ", "alter table ", "drop table "]
            .iter()
            .any(|start| lower.starts_with(start))
        || (lower.starts_with("update ") && lower.contains(" set "))
}

/// Foreign forms inside an otherwise plain line.
fn within(source: &str, tokens: &[Token], line: &str) -> Option<Form> {
    let text = |at: usize| tokens.get(at).map_or("", |token| token.text(source));
    let kind = |at: usize| tokens.get(at).map(|token| token.kind);
    for at in 0..tokens.len() {
        let word = text(at);
        let next_is_value =
            matches!(kind(at + 1), Some(TokenKind::Name | TokenKind::Str | TokenKind::Number));
        let after_value = at > 0
            && matches!(
                kind(at - 1),
                Some(
                    TokenKind::Name
                        | TokenKind::Str
                        | TokenKind::Number
                        | TokenKind::CloseParen
                        | TokenKind::CloseBracket
                )
            );
        let adjacent = tokens.get(at + 1).is_some_and(|next| {
            matches!(next.kind, TokenKind::Str | TokenKind::TripleQuote) && next.start == tokens[at].end
        });
        let found = match word {
            "f" | "F" | "r" | "b" | "rb" | "fr" if adjacent => {
                plain("strings have no prefix; a template stands in back-quotes: `text ${name}`")
            }
            "=>" if kind(0) == Some(TokenKind::Name) && kind(1) == Some(TokenKind::Assign) => {
                assigned_function(source, text(0), &tokens[2..])
            }
            "=>" => Form {
                opens: line.ends_with('{').then_some(Opens::Function),
                ..plain("there are no arrow functions; write function name(a){ … }")
            },
            "lambda" if at > 0 => plain("there are no lambdas; write function name(a){ … }"),
            "function" if at > 0 && matches!(kind(at + 1), Some(TokenKind::OpenParen | TokenKind::Name)) => {
                Form {
                    opens: line.ends_with('{').then_some(Opens::Function),
                    ..plain("functions are defined on their own line: function name(a){ … }")
                }
            }
            "new" | "await" | "typeof" | "void" if next_is_value => match receiver_remedy(text(at + 1), "") {
                Some((name, help)) => Form { suggestion: Some(name.to_owned()), ..plain(help) },
                None => plain("AVAP has no such operator; call the function directly"),
            },
            "go" if next_is_value && at > 0 => {
                plain("background work is go_async(id) … end(), awaited with gather(id, seconds)")
            }
            "is" if after_value => Form { suggestion: Some("==".into()), ..plain("compare with ==") },
            "instanceof" if after_value => plain("there are no types to test"),
            "for" if at > 0 && after_value => plain(
                "there are no comprehensions; build the list with startLoop(i, 0, n) … variableToList(x, list) … endLoop()",
            ),
            _ => continue,
        };
        return Some(found);
    }
    None
}

fn plain(help: &str) -> Form {
    Form { help: help.into(), ..Form::default() }
}

fn handler() -> Form {
    Form {
        help: "errors are caught with exception(e) inside try() … end()".into(),
        suggestion: Some("exception(e)".into()),
        opens: None,
        divides: Some(Divides::Exception),
    }
}

fn else_if(condition: bool, foreign: bool) -> Form {
    let help = if condition {
        "write else() and a nested if(x, value, \"==\") … end()"
    } else {
        "write else() on its own line and close the block with end()"
    };
    Form {
        help: help.into(),
        suggestion: Some("else()".into()),
        opens: (condition && foreign).then_some(Opens::Condition),
        divides: Some(Divides::Else),
    }
}
