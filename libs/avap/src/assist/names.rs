//! The names of a program, as an editor asks for them: functions with their documentation, variables with the place that
//! writes them first.

use std::collections::BTreeMap;

use crate::commands::command;
use crate::syntax::{ExprKind, Span, StatementKind};
use crate::{Parsed, line_ends};

/// What is known about the names of a program.
pub(super) struct Names {
    /// Functions: parameters, where the name stands, the documentation above it.
    pub(super) functions: BTreeMap<String, (Vec<String>, Span, String)>,
    /// Variables: where each is written first.
    pub(super) variables: BTreeMap<String, Span>,
}

impl Names {
    pub(super) fn of(code: &str, parsed: &Parsed) -> Self {
        let slice = |span: Span| code.get(span.0 as usize..span.1 as usize).unwrap_or_default();
        let mut names = Self { functions: BTreeMap::new(), variables: BTreeMap::new() };
        let mut write = |span: Span| {
            let name = slice(span).trim_start_matches('$').trim_matches(['"', '\'']).to_owned();
            if crate::words::is_name(&name) {
                names.variables.entry(name).or_insert(span);
            }
        };
        for statement in &parsed.tree.statements {
            match &statement.kind {
                StatementKind::Assign { target, .. } => write(*target),
                StatementKind::Call { name, arguments, assigned } => {
                    if let Some(span) = assigned {
                        write(*span);
                    }
                    let Some(command) = command(slice(*name)) else { continue };
                    for at in crate::call::target_positions(command, arguments.len(), assigned.is_some()) {
                        let argument = parsed.tree.children(*arguments).get(at).copied().flatten();
                        if let Some(expression) = argument.and_then(|id| parsed.tree.expression(id))
                            && matches!(expression.kind, ExprKind::Name { .. } | ExprKind::Text)
                        {
                            write(expression.span);
                        }
                    }
                }
                StatementKind::Function { parameters, .. } => {
                    parsed.tree.parameters(*parameters).iter().for_each(|span| write(*span));
                }
                _ => {}
            }
        }
        for statement in &parsed.tree.statements {
            if let StatementKind::Function { name, parameters } = &statement.kind {
                let parameters = parsed.tree.parameters(*parameters);
                let parameters = parameters.iter().map(|span| slice(*span).to_owned()).collect();
                let doc = documentation(code, parsed, statement.span.0);
                names.functions.entry(slice(*name).to_owned()).or_insert((parameters, *name, doc));
            }
        }
        names
    }
}

/// The `///` comments directly above a place.
fn documentation(code: &str, parsed: &Parsed, start: u32) -> String {
    let mut lines = Vec::new();
    let mut end = start;
    let above = parsed.tree.comments.partition_point(|(from, _)| *from < start);
    for (from, to) in parsed.tree.comments[..above].iter().rev() {
        let between = code.get(*to as usize..end as usize).unwrap_or("-");
        let text = code.get(*from as usize..*to as usize).unwrap_or_default();
        if !between.trim().is_empty() || line_ends(between.as_bytes()) > 1 || !text.starts_with("///") {
            break;
        }
        lines.push(text.trim_start_matches('/').trim());
        end = *from;
    }
    lines.reverse();
    lines.join("\n")
}
