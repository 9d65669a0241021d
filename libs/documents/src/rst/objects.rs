//! Descriptions of functions, classes, options and settings.

use assay_domain::LineRange;

use super::Reader;
use super::explicit::Directive;
use super::line::Line;
use super::place::{Pending, Place, Terms};
use super::text::unescaped;
use crate::inline::Inline;
use crate::{Kind, Style, anchors};

/// Whether a directive describes an object: a name of a domain with a signature.
pub(super) fn is_object(directive: &Directive<'_>) -> bool {
    let name = directive.name.rsplit(':').next().unwrap_or("");
    let signed = !directive.argument.is_empty();
    // Docutils sets a style class by the same name.
    let style = directive.name == "class" && !directive.has_content() && {
        let words = directive.words();
        words.bytes().all(|byte| byte.is_ascii_lowercase() || matches!(byte, b'-' | b' '))
    };
    signed && !style && !name.starts_with("auto") && (OBJECTS.contains(&name) || directive.name.contains(':'))
}

impl Reader<'_, '_> {
    /// Reads the description of an object. Where it has none of its own, the paragraph below it is one.
    pub(super) fn object_description(&mut self, directive: &Directive<'_>, place: &mut Place) {
        let bare = !directive.has_content();
        let mut above = match place.pending.take() {
            Some(Pending::Terms(above)) if bare && above.iter().all(|terms| terms.bare) => above,
            other => {
                place.pending = other;
                Vec::new()
            }
        };
        self.settle(place);
        let object = self.name_object(directive, place);
        let first = directive.lines.first;
        let last = directive.argument.last().map_or(first, |line| line.number);
        let words = signatures(directive, &place.object);
        above.push(Terms { words, group: 0, lines: LineRange::new(first, last), bare });
        if bare {
            place.pending = Some(Pending::Terms(above));
            return;
        }
        let lead =
            self.inside(&directive.content(), Place { object, ..place.holding(Pending::Terms(above)) });
        for (option, label) in [("type", "Type"), ("default", "Default")] {
            if let Some(value) = directive.option(option).filter(|_| directive.name == "confval") {
                let line = directive.line_of(option);
                let mut words = self.inline(&[Line::new(label, line)]);
                words.push(": ", line);
                let value = self.inline(&[Line::new(value, line)]);
                words.append(value);
                self.builder.block(Kind::Paragraph, words, LineRange::new(line, line), 0, lead);
            }
        }
    }

    /// Notes the ids of an object as Sphinx makes them; gives the full name of the first one.
    pub(super) fn name_object(&mut self, directive: &Directive<'_>, place: &Place) -> String {
        let kind = directive.name.rsplit(':').next().unwrap_or("").to_owned();
        let mut first = String::new();
        for line in directive.argument.clone() {
            for name in names(&kind, line.text) {
                let full = match kind.as_str() {
                    "option" | "cmdoption" | "django-admin-option" => {
                        format!("cmdoption-{}", dashed(&[&self.program, &name]))
                    }
                    "envvar" | "confval" => format!("{kind}-{name}"),
                    "setting" | "templatetag" | "templatefilter" | "fieldlookup" | "django-admin" => {
                        format!("std-{kind}-{name}")
                    }
                    "describe" | "object" => String::new(),
                    _ => self.full_name(&directive.name, &name, place),
                };
                if first.is_empty() {
                    first.clone_from(&full);
                }
                self.named(full, line.number);
                if matches!(kind.as_str(), "setting" | "django-admin" | "confval" | "envvar") {
                    self.named(name, line.number);
                }
            }
        }
        first
    }

    fn full_name(&self, directive: &str, name: &str, place: &Place) -> String {
        let module = self.module.as_str();
        match directive.split_once(':').map_or("py", |(domain, _)| domain) {
            "py" => {
                let inside = place
                    .object
                    .strip_prefix(module)
                    .map_or(place.object.as_str(), |path| path.trim_start_matches('.'));
                let within = |path: &str| name.strip_prefix(path).is_some_and(|rest| rest.starts_with('.'));
                let inside = if within(inside) { "" } else { inside };
                let module = if within(module) { "" } else { module };
                [module, inside, name]
                    .into_iter()
                    .filter(|part| !part.is_empty())
                    .collect::<Vec<_>>()
                    .join(".")
            }
            "js" => name.to_owned(),
            "c" => format!("c.{name}"),
            "rst" => format!("{}-{name}", directive.trim_start_matches("rst:")),
            domain => format!("{domain}-{}", anchors::docutils(name)),
        }
    }

    /// Notes the module that the names below belong to.
    pub(super) fn enter_module(&mut self, directive: &Directive<'_>) {
        let name = directive.words();
        self.module = if name == "None" { String::new() } else { name.clone() };
        if directive.name.ends_with("currentmodule") {
            return;
        }
        self.named(format!("module-{name}"), directive.lines.first);
    }
}

/// The signatures of a directive.
fn signatures(directive: &Directive<'_>, holder: &str) -> Inline {
    let mut words = Inline::default();
    let mut continued = false;
    for line in &directive.argument {
        let text = line.text.strip_suffix('\\');
        if !words.is_empty() && !continued {
            words.push(", ", line.number);
        }
        words.open(Style::Code);
        if !continued {
            words.push(prefix(directive), line.number);
        }
        words.space();
        words.push(&signature(directive, text.unwrap_or(line.text), holder), line.number);
        continued = text.is_some();
        if !continued {
            words.push(&suffix(directive), line.number);
        }
        words.close();
    }
    words
}

/// Names in a signature: of an option each of its forms, else the name before its brackets.
fn names(kind: &str, signature: &str) -> Vec<String> {
    match kind {
        "option" | "cmdoption" | "django-admin-option" => {
            let name = |part: &str| part.trim().split([' ', '=', '[', '<']).next().unwrap_or("").to_owned();
            signature.split(", ").map(name).collect()
        }
        _ => {
            let before = signature.split(['(', '[']).next().unwrap_or(signature).trim();
            before
                .split(": ")
                .next()
                .and_then(|name| name.split_whitespace().next_back())
                .map(str::to_owned)
                .into_iter()
                .collect()
        }
    }
}

/// Words joined by single dashes as in the id of an option.
fn dashed(words: &[&str]) -> String {
    let words =
        words.iter().flat_map(|word| word.split_whitespace()).map(|word| word.trim_start_matches('-'));
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join("-")
}

/// Words that Sphinx shows before a signature.
fn prefix(directive: &Directive<'_>) -> &'static str {
    let flag = |name: &str| directive.option(name).is_some();
    match directive.name.trim_start_matches("py:") {
        "class" => "class",
        "exception" => "exception",
        "classmethod" => "classmethod",
        "staticmethod" => "static",
        "property" => "property",
        "method" | "function" if flag("classmethod") => "classmethod",
        "method" | "function" if flag("staticmethod") => "static",
        "method" | "function" if flag("async") => "async",
        _ => "",
    }
}

/// A signature as it is shown: without the class that holds its object.
fn signature(directive: &Directive<'_>, text: &str, holder: &str) -> String {
    let text = unescaped(text);
    let class = holder.rsplit('.').next().unwrap_or(holder);
    let inside = text.strip_prefix(class).and_then(|rest| rest.strip_prefix('.'));
    let text = inside.filter(|_| !class.is_empty()).map(str::to_owned).unwrap_or(text);
    match directive.name.as_str() {
        "rst:directive" => format!(".. {text}::"),
        "rst:role" => format!(":{text}:"),
        "decorator" | "decoratormethod" | "py:decorator" => format!("@{text}"),
        _ => text,
    }
}

/// Type and value that options give to an attribute.
fn suffix(directive: &Directive<'_>) -> String {
    if directive.name == "confval" {
        return String::new();
    }
    let kind = directive.option("type").map(|kind| format!(": {kind}"));
    let value = directive.option("value").map(|value| format!(" = {value}"));
    kind.unwrap_or_default() + &value.unwrap_or_default()
}

/// Directives that describe something by its signature.
const OBJECTS: &[&str] = &[
    "attribute",
    "cfunction",
    "class",
    "classmethod",
    "cmacro",
    "cmdoption",
    "cmember",
    "command",
    "config",
    "confval",
    "constant",
    "ctype",
    "cvar",
    "data",
    "decorator",
    "decoratormethod",
    "describe",
    "django-admin",
    "django-admin-option",
    "envvar",
    "event",
    "exception",
    "function",
    "macro",
    "member",
    "method",
    "object",
    "opcode",
    "option",
    "pdbcommand",
    "property",
    "setting",
    "signature",
    "staticmethod",
    "struct",
    "type",
    "var",
    "variable",
];
