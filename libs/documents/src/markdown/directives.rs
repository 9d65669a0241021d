//! Names of directives, notes and containers, and what a reader sees of them.

/// What a directive makes of its lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Directive {
    /// Code in a language.
    Code(String),
    /// A note under a label; whether the label is a title of its own.
    Admonition(String, bool),
    /// Text that is shown, under a title if there is one.
    Container(Option<String>),
    /// Nothing that is shown.
    Hidden,
    /// An image; its lines are its caption.
    Image(String),
    /// Another page.
    Include(String),
    /// Code of another file.
    CodeFile(String),
    /// reStructuredText.
    Rst,
}

/// A directive by its name and what stands behind it.
pub(super) fn directive(name: &str, argument: &str) -> Directive {
    let argument = argument.trim();
    let title = || Some(argument.to_owned()).filter(|title| !title.is_empty());
    let lower = name.to_ascii_lowercase();
    match lower.as_str() {
        "code-block" | "code" | "sourcecode" | "code-cell" | "highlight" => {
            Directive::Code(argument.to_owned())
        }
        "parsed-literal" | "math" | "mermaid" | "graphviz" | "doctest" | "pip-cli" | "productionlist"
        | "program-output" | "command-output" => Directive::Code(String::new()),
        "literalinclude" => Directive::CodeFile(argument.to_owned()),
        "include" => Directive::Include(argument.to_owned()),
        "image" | "figure" | "figure-md" => Directive::Image(argument.to_owned()),
        "eval-rst" => Directive::Rst,
        "toctree" | "contents" | "index" | "raw" | "meta" | "only" | "tableofcontents"
        | "highlight-language" | "bibliography" | "currentmodule" | "module" | "automodule" | "autoclass"
        | "autofunction" | "img" => Directive::Hidden,
        "versionadded" | "versionchanged" | "deprecated" | "versionremoved" | "deprecated-removed" => {
            Directive::Admonition(version(&lower, argument), true)
        }
        "admonition" | "topic" | "sidebar" => match title() {
            Some(title) => Directive::Admonition(title, true),
            None => Directive::Admonition("Note".to_owned(), false),
        },
        "details" | "dropdown" | "collapse" | "expand" | "accordion" => Directive::Container(
            title().or_else(|| Some("Details".to_owned()).filter(|_| lower == "details")),
        ),
        "tab" | "tab-item" | "tabitem" | "card" | "grid-item-card" | "rubric" | "table" | "list-table" => {
            Directive::Container(title())
        }
        _ => match label(&lower) {
            Some(label) => title().map_or_else(
                || Directive::Admonition(label.to_owned(), false),
                |title| Directive::Admonition(title, true),
            ),
            None => Directive::Container(None),
        },
    }
}

/// Label that a version note has.
fn version(name: &str, version: &str) -> String {
    let words = match name {
        "versionadded" => "Added in version",
        "versionchanged" => "Changed in version",
        "versionremoved" => "Removed in version",
        _ => "Deprecated since version",
    };
    format!("{words} {version}").trim_end().to_owned()
}

/// Label of a kind of note.
pub(super) fn label(name: &str) -> Option<&'static str> {
    LABELS.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, label)| *label)
}

/// Label of any kind of note: that of a known one, or its name with a capital.
pub(super) fn any_label(name: &str) -> String {
    let capital = || {
        let mut rest = name.chars();
        let first = rest.next().map(|c| c.to_uppercase().collect::<String>()).unwrap_or_default();
        first + rest.as_str()
    };
    label(name).map_or_else(capital, str::to_owned)
}

/// Names of notes and the labels that generators show.
const LABELS: &[(&str, &str)] = &[
    ("note", "Note"),
    ("notes", "Note"),
    ("tip", "Tip"),
    ("hint", "Hint"),
    ("info", "Info"),
    ("warning", "Warning"),
    ("warn", "Warning"),
    ("danger", "Danger"),
    ("caution", "Caution"),
    ("important", "Important"),
    ("attention", "Attention"),
    ("error", "Error"),
    ("success", "Success"),
    ("question", "Question"),
    ("failure", "Failure"),
    ("bug", "Bug"),
    ("example", "Example"),
    ("quote", "Quote"),
    ("abstract", "Abstract"),
    ("summary", "Summary"),
    ("todo", "Todo"),
    ("seealso", "See also"),
    ("secondary", "Secondary"),
    ("alert", "Alert"),
    ("callout", "Note"),
    ("notice", "Notice"),
    ("pitfall", "Pitfall"),
    ("canary", "Canary"),
    ("deprecated", "Deprecated"),
    ("experimental", "Experimental"),
    ("rsc", "React Server Components"),
    ("deepdive", "Deep Dive"),
    ("wip", "Under construction"),
    ("recap", "Recap"),
    ("nota", "Nota"),
];
