//! Rules that need one line and the names of the program: reserved names, `_status`, loops past the end of a list, method
//! calls on what is no object.

use super::names::Names;
use super::{Features, Program, is_length_call};
use crate::call::unquote;
use crate::commands::{RESERVED_NAMES, command, is_helper};
use crate::diagnostic::{Category, Code, Finding};
use crate::syntax::{ExprId, ExprKind, Statement, StatementKind};

/// Rules that need one line and the names.
pub(super) fn single_lines(
    program: &Program<'_>,
    names: &Names<'_>,
    features: &Features,
    out: &mut Vec<Finding>,
) {
    let warning =
        |code, span, message: String| Finding::warning(Category::UnexpectedConstruct, code, span, message);
    // A header that failed may be the one of the function around a return.
    let headers_failed = program.lines().enumerate().any(|(at, line)| {
        program.failed(at)
            && (program.slice(line.span).ends_with('{')
                || ["function", "def ", "func ", "fn ", "=>"]
                    .iter()
                    .any(|word| program.slice(line.span).contains(word)))
    });
    for (at, line) in program.lines().enumerate() {
        if program.failed(at) {
            continue;
        }
        if names.reserved {
            program.each_write(line, |name, span| {
                if RESERVED_NAMES.contains(&name) {
                    let text = format!("'{name}' is reserved for connectors");
                    out.push(warning(Code::RESERVED_NAME, span, text));
                }
            });
        }
        if let Some(("_status", value)) = program.value(line)
            && let Some(node) = program.tree.expressions.get(value.index())
            && status_is_wrong(program, value)
        {
            out.push(
                warning(
                    Code::STATUS_RANGE,
                    node.span,
                    format!("_status cannot be {}", crate::words::clip(program.slice(node.span))),
                )
                .help("HTTP status codes are whole numbers from 100 to 599"),
            );
        }
        match &line.kind {
            StatementKind::Return(_)
                if !headers_failed && program.function.get(at).copied().flatten().is_none() =>
            {
                out.push(
                    warning(Code::RETURN_OUTSIDE, line.span, "return outside of a function".to_owned())
                        .help("a program answers with addResult(x)"),
                );
            }
            StatementKind::Function { name, .. } => {
                let text = program.slice(*name);
                if command(text).is_some() || is_helper(text) {
                    out.push(warning(
                        Code::REDEFINED_COMMAND,
                        *name,
                        format!("this function hides the command '{text}'"),
                    ));
                }
            }
            StatementKind::Call { name, arguments, .. } if program.slice(*name) == "startLoop" => {
                if let [_, Some(from), Some(to)] = program.tree.children(*arguments)
                    && program.slice(program.tree.span(*from)) == "0"
                    && (is_length_call(program, *to)
                        || (matches!(program.tree.kind(*to), Some(ExprKind::Name { .. }))
                            && program.name_of(*to).is_some_and(|name| names.lengths.contains(name))))
                {
                    let text = program.slice(program.tree.span(*to));
                    out.push(
                        warning(
                            Code::LOOP_PAST_END,
                            line.span,
                            "the loop includes its end value and runs one past the end of the list"
                                .to_owned(),
                        )
                        .help(format!("end the loop at {text} - 1")),
                    );
                }
            }
            _ => {}
        }
        if features.methods {
            objects(program, names, at, line, out);
        }
    }
}

/// Method calls on names that hold no object.
fn objects(program: &Program<'_>, names: &Names<'_>, at: usize, line: &Statement, out: &mut Vec<Finding>) {
    let function = program.function.get(at).copied().flatten();
    for node in line.expressions.0..line.expressions.1 {
        let Some(ExprKind::Call(callee, _)) = program.tree.kind(ExprId(node)) else { continue };
        let Some(ExprKind::Member(base, _)) = program.tree.kind(*callee) else { continue };
        let Some(ExprKind::Name { .. }) = program.tree.kind(*base) else { continue };
        let Some(name) = program.name_of(*base) else { continue };
        let scalar = names.scalars.get(name).copied().unwrap_or(false);
        let parameter = function
            .and_then(|line| names.parameters.get(&line))
            .is_some_and(|parameters| parameters.contains(name));
        if !parameter && (scalar || !names.knows(name, function)) {
            out.push(
                Finding::warning(
                    Category::UnexpectedConstruct,
                    Code::NOT_AN_OBJECT,
                    program.tree.span(*base),
                    format!("'{name}' is not an object"),
                )
                .help("objects come from avapConnector(token)"),
            );
        }
    }
}

fn status_is_wrong(program: &Program<'_>, value: ExprId) -> bool {
    let text = program.slice(program.tree.span(value));
    match program.tree.kind(value) {
        Some(ExprKind::Number) => !text.parse::<u32>().is_ok_and(|code| (100..=599).contains(&code)),
        Some(ExprKind::Text) => !unquote(text).parse::<u32>().is_ok_and(|code| (100..=599).contains(&code)),
        Some(ExprKind::Unary(_, operand)) => matches!(program.tree.kind(*operand), Some(ExprKind::Number)),
        Some(ExprKind::Constant) => true,
        _ => false,
    }
}
