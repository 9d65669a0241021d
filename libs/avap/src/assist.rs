//! What an editor asks while a program is written: what may stand at a place, what a name means, where it is defined,
//! which argument is being written. Places are byte offsets; every question has an answer for every text.

mod names;
mod place;
mod proposals;

use std::cell::OnceCell;
use std::collections::BTreeSet;

use names::Names;
use place::Place;
use proposals::{describe, helper, is_value, keyword, of_command, of_function, special, variable};

use crate::commands::{HELPERS, RESERVED_NAMES, SPECIAL_NAMES, command, commands};
use crate::lexer::{Token, TokenKind};
use crate::syntax::Span;
use crate::{Options, line_ends, parse};

/// What a proposal is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProposalKind {
    /// A word that opens, divides or closes a block.
    BlockWord,
    /// A command of the table.
    Command,
    /// A function of the program, or a helper of expressions.
    Function,
    /// A variable of the program.
    Variable,
    /// `True`, `False`, `None`.
    Constant,
    /// A word of the grammar.
    Keyword,
}

/// Something that may be written at a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// What it is called.
    pub label: String,
    /// What it is.
    pub kind: ProposalKind,
    /// Its signature, where it has one.
    pub detail: String,
    /// What it does.
    pub doc: String,
    /// What is written, with places to fill in as `${1:name}`, the last being `$0`.
    pub snippet: String,
}

/// What may be written at a place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Completion {
    /// What has been written of it so far.
    pub replace: Span,
    /// What may stand there, in no order that matters.
    pub proposals: Vec<Proposal>,
}

/// What a name means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hover {
    /// Where the name stands.
    pub span: Span,
    /// What it means, in Markdown.
    pub text: String,
}

/// The call whose arguments are being written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallHelp {
    /// The signature.
    pub signature: String,
    /// The parameters as the signature has them.
    pub parameters: Vec<String>,
    /// The parameter at the place, counted from 0.
    pub active: usize,
    /// What the call does.
    pub doc: String,
}

/// What may be written at a byte offset: commands and functions where a statement or a value starts, names and values
/// inside expressions, nothing inside texts and comments.
#[must_use]
pub fn complete(code: &str, offset: usize, options: &Options) -> Completion {
    let place = Place::new(code, offset);
    if place.in_comment() {
        return Completion::default();
    }
    let parsed = parse(code, options);
    let names = Names::of(code, &parsed);
    if let Some(text) = place.text() {
        return in_template(&place, text, &names);
    }
    let name = place.name();
    let replace = name.map_or((place.offset, place.offset), |token| (token.start, place.offset));
    let before = place.before(replace.0);
    let mut out = Vec::new();
    let starts = before.is_empty();
    let assigned = matches!(before, [target, equals]
        if target.kind == TokenKind::Name && equals.kind == TokenKind::Assign);
    if before.last().is_some_and(|token| token.kind == TokenKind::Dollar) {
        out.extend(names.variables.keys().map(|name| variable(name)));
        return Completion { replace, proposals: out };
    }
    if before.last().is_some_and(|token| token.kind == TokenKind::Dot) {
        // The methods of an object are its connector's.
        return Completion { replace, proposals: out };
    }
    if starts || assigned {
        let on = commands().iter().filter(|command| options.profiles.contains(command.profile));
        out.extend(
            on.filter(|command| starts || is_value(command)).map(|command| of_command(command, assigned)),
        );
    }
    out.extend(names.functions.iter().map(|(name, (parameters, _, doc))| of_function(name, parameters, doc)));
    if starts {
        out.push(keyword(
            "function",
            "function ${1:name}(${2:parameters}){\n    $0\n}",
            "Defines a function.",
        ));
        out.push(keyword("return", "return $0", "Leaves a function with a value."));
    } else {
        out.extend(HELPERS.iter().map(|name| helper(name)));
        out.extend(
            ["True", "False", "None"]
                .map(|name| Proposal { kind: ProposalKind::Constant, ..keyword(name, name, "") }),
        );
        out.extend(["and", "or", "not", "in", "if", "else"].map(|word| keyword(word, word, "")));
    }
    out.extend(names.variables.keys().map(|name| variable(name)));
    out.extend(
        SPECIAL_NAMES
            .iter()
            .filter(|name| !RESERVED_NAMES.contains(name))
            .map(|name| Proposal { doc: special(name).to_owned(), ..variable(name) }),
    );
    let mut seen = BTreeSet::new();
    out.retain(|proposal| seen.insert(proposal.label.clone()));
    Completion { replace, proposals: out }
}

/// Inside a template only the names in its holes.
fn in_template(place: &Place<'_>, text: Token, names: &Names) -> Completion {
    let written = place.slice((text.start, place.offset));
    let hole = written.starts_with('`').then(|| written.rfind("${")).flatten().map(|at| at + 2);
    let Some(start) = hole.filter(|at| !written[*at..].contains('}')) else { return Completion::default() };
    let start = text.start + u32::try_from(start).unwrap_or(0);
    Completion {
        replace: (start, place.offset),
        proposals: names.variables.keys().map(|name| variable(name)).collect(),
    }
}

/// What the name at a byte offset means.
#[must_use]
pub fn hover(code: &str, offset: usize, options: &Options) -> Option<Hover> {
    let place = Place::new(code, offset);
    let token = place.name()?;
    let name = place.slice(token.span());
    let parsed = parse(code, options);
    let names = Names::of(code, &parsed);
    let text = if let Some((parameters, _, doc)) = names.functions.get(name) {
        let doc = if doc.is_empty() { "A function of this program." } else { doc };
        format!("```avap\nfunction {name}({}){{\n```\n{doc}", parameters.join(", "))
    } else if let Some(command) = command(name) {
        describe(command)
    } else if HELPERS.contains(&name) {
        format!("```avap\n{name}(x)\n```\n{}", helper(name).doc)
    } else if let Some(text) = (!special(name).is_empty()).then(|| special(name)) {
        format!("`{name}`: {text}")
    } else if let Some(span) = names.variables.get(name) {
        let line = line_ends(code.get(..span.0 as usize).unwrap_or_default().as_bytes()) + 1;
        format!("`{name}`: a variable, first written on line {line}.")
    } else {
        return None;
    };
    Some(Hover { span: token.span(), text })
}

/// Where the function or variable at a byte offset is defined: its name in the header, or the first place that writes
/// it.
#[must_use]
pub fn definition(code: &str, offset: usize, options: &Options) -> Option<Span> {
    let place = Place::new(code, offset);
    let parsed = parse(code, options);
    let names = Names::of(code, &parsed);
    let find = |name: &str| {
        names.functions.get(name).map(|(_, span, _)| *span).or_else(|| names.variables.get(name).copied())
    };
    if let Some(token) = place.name() {
        return find(place.slice(token.span()));
    }
    // A handler may be named as a text.
    let text = place.text()?;
    let inner = place.slice(text.span());
    names.functions.get(inner.trim_matches(['"', '\''])).map(|(_, span, _)| *span)
}

/// The call around a byte offset, and which of its arguments stands there.
#[must_use]
pub fn call_help(code: &str, offset: usize, options: &Options) -> Option<CallHelp> {
    let place = Place::new(code, offset);
    let before = place.before(place.offset);
    // The program is read once, and only where somebody asks for a name.
    let names = OnceCell::new();
    let functions = |name: &str| {
        let names = names.get_or_init(|| Names::of(place.code, &parse(place.code, options)));
        names.functions.get(name).map(|(parameters, _, doc)| (parameters.clone(), doc.clone()))
    };
    let mut closed = 0_i64;
    let mut commas = 0;
    for (at, token) in before.iter().enumerate().rev() {
        match token.kind {
            TokenKind::CloseParen | TokenKind::CloseBracket | TokenKind::CloseBrace => closed += 1,
            TokenKind::OpenBracket | TokenKind::OpenBrace if closed == 0 => commas = 0,
            TokenKind::OpenBracket | TokenKind::OpenBrace => closed -= 1,
            TokenKind::Comma if closed == 0 => commas += 1,
            TokenKind::OpenParen if closed > 0 => closed -= 1,
            TokenKind::OpenParen => {
                let callee = at.checked_sub(1).and_then(|at| before.get(at));
                let name = callee.filter(|token| token.kind == TokenKind::Name);
                if let Some(help) =
                    name.and_then(|name| call_of(place.slice(name.span()), commas, functions, options))
                {
                    return Some(help);
                }
                commas = 0;
            }
            _ => {}
        }
    }
    None
}

fn call_of(
    name: &str,
    active: usize,
    functions: impl Fn(&str) -> Option<(Vec<String>, String)>,
    options: &Options,
) -> Option<CallHelp> {
    if let Some((parameters, doc)) = functions(name) {
        let signature = format!("{name}({})", parameters.join(", "));
        return Some(CallHelp { signature, parameters, active, doc });
    }
    let command = command(name).filter(|command| options.profiles.contains(command.profile))?;
    let shown = |param: &crate::Param| match param.optional {
        true => format!("[{}]", param.name),
        false => param.name.clone(),
    };
    Some(CallHelp {
        signature: command.signature(),
        parameters: command.params.iter().map(shown).collect(),
        active,
        doc: command.effect.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text without its mark `|`, and where it stood.
    fn marked(text: &str) -> (String, usize) {
        let at = text.find('|').unwrap_or(text.len());
        (text.replacen('|', "", 1), at)
    }

    fn labels(text: &str) -> Vec<String> {
        let (code, at) = marked(text);
        complete(&code, at, &Options::default()).proposals.into_iter().map(|p| p.label).collect()
    }

    fn has(text: &str, wanted: &[&str], unwanted: &[&str]) {
        let found = labels(text);
        for label in wanted {
            assert!(found.iter().any(|f| f == label), "{text}: {label} is missing in {found:?}");
        }
        for label in unwanted {
            assert!(!found.iter().any(|f| f == label), "{text}: {label} is in {found:?}");
        }
    }

    #[test]
    fn proposals_fit_their_place() {
        has("ad|", &["addVar", "addResult", "function", "if"], &["True", "len", "ormCreateTable"]);
        has("x = 1\ny = en|", &["encodeSHA256", "x", "len", "True"], &["addResult", "endLoop", "function"]);
        has("x = 1\naddVar(y, |)", &["x", "str", "None"], &["encodeSHA256", "end"]);
        has("function f(a){\nreturn a\n}\nx = |", &["f", "a"], &[]);
        has("x = 1\ny = $|", &["x"], &["len", "addVar"]);
        has("x = 1\ny = `a ${|}`", &["x"], &["len", "addVar"]);
        for text in ["// ad|", "x = \"ad|\"", "/* ad| */", "x = y.|"] {
            assert!(labels(text).is_empty(), "{text}");
        }
        let (code, at) = marked("x = encodeS|");
        let completion = complete(&code, at, &Options::default());
        assert_eq!(completion.replace, (4, 11));
        let proposal = completion.proposals.iter().find(|p| p.label == "encodeSHA256").map(|p| &p.snippet);
        assert_eq!(proposal.map(String::as_str), Some("encodeSHA256(${1:source})"));
    }

    #[test]
    fn names_are_explained_and_found() {
        let code =
            "/// Adds one.\nfunction more(a){\nreturn a + 1\n}\nx = more(2)\nencodeMD5(x, y)\naddResult(y)\n";
        let at = |text: &str| code.find(text).map_or(0, |at| at + 1);
        let said =
            |text: &str| hover(code, at(text), &Options::default()).map(|h| h.text).unwrap_or_default();
        assert!(said("more(2)").contains("Adds one.") && said("more(2)").contains("more(a)"));
        assert!(said("encodeMD5").contains("encodeMD5(source, target)"));
        assert!(said("x, y").contains("line 5"));
        assert_eq!(hover(code, at("return"), &Options::default()), None);
        let name = code.find("more(a)").and_then(|at| u32::try_from(at).ok()).map(|at| (at, at + 4));
        assert_eq!(definition(code, at("more(2)"), &Options::default()), name);
        let y = code.find("y)\nadd").and_then(|at| u32::try_from(at).ok()).map(|at| (at, at + 1));
        assert_eq!(definition(code, at("(y)"), &Options::default()), y);
        assert_eq!(definition(code, at("encodeMD5"), &Options::default()), None);
    }

    #[test]
    fn every_kind_of_line_end_counts() {
        for end in ["\n", "\r\n", "\r"] {
            let code = [
                "/// Not this.",
                "",
                "/// Adds one.",
                "function more(a){",
                "return a",
                "}",
                "x = more(2)",
                "y = x",
                "",
            ]
            .join(end);
            let at = |text: &str| code.rfind(text).map_or(0, |at| at + 1);
            let said =
                |text: &str| hover(&code, at(text), &Options::default()).map(|h| h.text).unwrap_or_default();
            assert!(said("x").contains("line 7"), "{end:?}: {}", said("x"));
            assert!(said("more(2)").ends_with("\nAdds one."), "{end:?}: {}", said("more(2)"));
        }
    }

    #[test]
    fn many_open_calls_are_asked_of_one_reading() {
        let code = format!("function f(a){{\nreturn a\n}}\nx = f({}", "g(".repeat(20_000));
        let found = call_help(&code, code.len(), &Options::default());
        assert_eq!(found.map(|help| help.signature).as_deref(), Some("f(a)"));
    }

    #[test]
    fn call_around_the_place_is_found() {
        let help = |text: &str| {
            let (code, at) = marked(text);
            call_help(&code, at, &Options::default()).map(|h| (h.signature, h.active))
        };
        assert_eq!(help("addVar(x, |"), Some(("addVar(target, value)".into(), 1)));
        assert_eq!(help("addVar(x, [1, 2, |"), Some(("addVar(target, value)".into(), 1)));
        assert_eq!(help("startLoop(i, f(1, 2), |)"), Some(("startLoop(target, from, to)".into(), 2)));
        assert_eq!(help("x = (1 + |"), None);
        assert_eq!(help("addVar(x, 1)\n|"), None);
    }

    #[test]
    fn every_offset_of_odd_text_is_answered() {
        for code in ["é = \u{feff}\"a", "x = `${", "f(((", "/*", "\r\n\0$", "a.b.c(", "😀😀"] {
            for offset in 0..=code.len() + 2 {
                let options = Options::default();
                let _ = complete(code, offset, &options);
                let _ = hover(code, offset, &options);
                let _ = definition(code, offset, &options);
                let _ = call_help(code, offset, &options);
            }
        }
    }
}
