//! What is proposed to an editor: commands, functions, helpers, names and keywords, each with what is typed.

use super::{Proposal, ProposalKind};
use crate::commands::{Command, ParamKind, RESERVED_NAMES};

/// Whether an assignment can take what the command gives.
pub(super) fn is_value(command: &Command) -> bool {
    !command.block && (command.returns || command.has_target())
}

pub(super) fn of_command(command: &Command, assigned: bool) -> Proposal {
    let mut params: Vec<&crate::Param> = command.params.iter().collect();
    if assigned && command.has_trailing_target() {
        params.pop();
    }
    let places: Vec<String> =
        params.iter().enumerate().map(|(at, param)| format!("${{{}:{}}}", at + 1, param.name)).collect();
    let call = format!("{}({})", command.name, places.join(", "));
    let snippet = match command.name.as_str() {
        "if" => "if(${1:left}, ${2:right}, \"${3:==}\")\n    $0\nend()".to_owned(),
        "startLoop" => format!("{call}\n    $0\nendLoop()"),
        "try" => "try()\n    $0\nexception(${1:error})\n    \nend()".to_owned(),
        "go_async" => "go_async(\"${1:id}\")\n    $0\nend()".to_owned(),
        _ => call,
    };
    Proposal {
        label: command.name.clone(),
        kind: if command.block { ProposalKind::BlockWord } else { ProposalKind::Command },
        detail: command.signature(),
        doc: command.effect.clone(),
        snippet,
    }
}

pub(super) fn of_function(name: &str, parameters: &[String], doc: &str) -> Proposal {
    let places: Vec<String> =
        parameters.iter().enumerate().map(|(at, name)| format!("${{{}:{name}}}", at + 1)).collect();
    Proposal {
        label: name.to_owned(),
        kind: ProposalKind::Function,
        detail: format!("{name}({})", parameters.join(", ")),
        doc: doc.to_owned(),
        snippet: format!("{name}({})", places.join(", ")),
    }
}

pub(super) fn helper(name: &str) -> Proposal {
    let doc = match name {
        "str" => "The text of a value.",
        "int" => "The whole number that a text holds.",
        "float" => "The number that a text holds.",
        _ => "The length of a list or text.",
    };
    Proposal { doc: doc.to_owned(), ..of_function(name, &["x".to_owned()], "") }
}

pub(super) fn variable(name: &str) -> Proposal {
    Proposal {
        label: name.to_owned(),
        kind: ProposalKind::Variable,
        detail: String::new(),
        doc: String::new(),
        snippet: name.to_owned(),
    }
}

pub(super) fn keyword(name: &str, snippet: &str, doc: &str) -> Proposal {
    Proposal {
        kind: ProposalKind::Keyword,
        doc: doc.to_owned(),
        snippet: snippet.to_owned(),
        ..variable(name)
    }
}

pub(super) fn special(name: &str) -> &'static str {
    match name {
        "_status" => "The HTTP status of the answer, 100 to 599.",
        "__last_error__" => "The error that was caught last.",
        _ if RESERVED_NAMES.contains(&name) => "Reserved for connectors; written by the kernel.",
        _ => "",
    }
}

/// A command in Markdown: signature, effect, parameters.
pub(super) fn describe(command: &Command) -> String {
    let mut out = format!("```avap\n{}\n```\n{}\n", command.signature(), command.effect);
    for param in &command.params {
        let kind = match param.kind {
            ParamKind::Target => "target, a name that is written",
            ParamKind::Var => "name or literal",
            ParamKind::Value => "any expression",
        };
        out.push_str(&format!("\n- `{}`: {kind}", param.name));
    }
    out.push_str(&format!("\n\nProfile {}, since {}.", command.profile.name(), command.since));
    out
}
