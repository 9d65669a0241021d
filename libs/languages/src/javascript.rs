//! What the grammars of JavaScript and TypeScript accept and the languages do not.

use std::collections::HashSet;

use assay_domain::code::Diagnostic;
use tree_sitter::{Node, Tree};

use super::place::{Source, clip};
use super::walk::{ENOUGH, Event, Next, Spot, enough, said, visit, walk};
use super::watch::{Stopped, Watch};

/// Words of JavaScript that are no names.
const WORDS: &[&str] = &[
    "break",
    "case",
    "catch",
    "class",
    "const",
    "continue",
    "debugger",
    "default",
    "delete",
    "do",
    "else",
    "enum",
    "export",
    "extends",
    "false",
    "finally",
    "for",
    "function",
    "if",
    "import",
    "in",
    "instanceof",
    "new",
    "null",
    "return",
    "super",
    "switch",
    "this",
    "throw",
    "true",
    "try",
    "typeof",
    "var",
    "void",
    "while",
    "with",
];

/// Words of statements that a `;` or a line end closes.
const STATEMENTS: &[&str] = &[
    "return_statement",
    "expression_statement",
    "lexical_declaration",
    "variable_declaration",
    "break_statement",
    "continue_statement",
    "throw_statement",
];

/// Rules of JavaScript beyond its grammar.
pub(super) fn check(
    source: &Source<'_>,
    tree: &Tree,
    watch: &Watch<'_>,
    out: &mut Vec<Diagnostic>,
) -> Result<(), Stopped> {
    typescript(source, tree, watch, out)?;
    let mut scopes: Vec<Scope> = Vec::new();
    walk(tree, watch, |event| {
        let spot = match event {
            Event::Enter(spot) => spot,
            Event::Leave(kind) => {
                if Scope::of(kind, None).is_some() {
                    scopes.pop();
                }
                return Next::Down;
            }
        };
        let node = spot.node;
        match spot.kind {
            "program" | "statement_block" => declared_twice(source, node, out),
            "variable_declarator" => unset_constant(source, &spot, out),
            jump @ ("break_statement" | "continue_statement") if node.named_child_count() == 0 => {
                let scope = scopes.last().copied().unwrap_or_default();
                if !scope.in_loop && (jump == "continue_statement" || !scope.in_switch) {
                    let word = clip(source.text(node.byte_range()));
                    let word = word.trim_end_matches(';');
                    out.push(said(source, node, "JS007", format!("'{word}' outside of a loop")));
                }
            }
            _ => {}
        }
        scopes.extend(Scope::of(spot.kind, scopes.last()));
        if out.len() < ENOUGH { Next::Down } else { Next::End }
    })
}

/// What a jump could leave where it stands.
#[derive(Clone, Copy, Default)]
struct Scope {
    in_loop: bool,
    in_switch: bool,
}

impl Scope {
    /// What holds inside of a node of this kind; none if that changes nothing.
    fn of(kind: &str, outer: Option<&Self>) -> Option<Self> {
        let outer = outer.copied().unwrap_or_default();
        Some(match kind {
            "for_statement" | "for_in_statement" | "while_statement" | "do_statement" => {
                Self { in_loop: true, ..outer }
            }
            "switch_statement" => Self { in_switch: true, ..outer },
            "function_declaration"
            | "function_expression"
            | "generator_function"
            | "generator_function_declaration"
            | "arrow_function"
            | "method_definition"
            | "class_body" => Self::default(),
            _ => return None,
        })
    }
}

/// Rules of JavaScript and TypeScript beyond their grammars.
pub(super) fn typescript(
    source: &Source<'_>,
    tree: &Tree,
    watch: &Watch<'_>,
    out: &mut Vec<Diagnostic>,
) -> Result<(), Stopped> {
    visit(tree, watch, |spot| {
        out.extend(misplaced(source, &spot).map(|message| said(source, spot.node, "JS004", message)));
        if let Some((before, message)) = unended(source, &spot) {
            out.push(said(source, before, "JS004", message));
        }
        enough(out)
    })
}

/// What a node may not be, or lacks.
fn misplaced(source: &Source<'_>, spot: &Spot<'_, '_>) -> Option<String> {
    let (node, around) = (spot.node, spot.parent_kind());
    let text = || source.text(node.byte_range());
    match spot.kind {
        "," => {
            let before = spot.before.map_or("", |before| before.kind());
            match around {
                "arguments" if matches!(before, "," | "(") => {
                    Some("an argument is missing before ','".to_owned())
                }
                "object" | "object_pattern" | "named_imports" | "export_clause"
                    if matches!(before, "," | "{") =>
                {
                    Some("a property or name is missing before ','".to_owned())
                }
                _ => None,
            }
        }
        "identifier" | "statement_identifier" | "shorthand_property_identifier" => {
            let named = matches!(
                around,
                "export_specifier"
                    | "import_specifier"
                    | "namespace_export"
                    | "jsx_attribute"
                    | "member_expression"
            );
            let reserved = !named && WORDS.contains(&text()) && !around.starts_with("jsx_");
            reserved.then(|| format!("'{}' is a reserved word and cannot be a name", text()))
        }
        "try_statement" => {
            let caught =
                node.child_by_field_name("handler").or_else(|| node.child_by_field_name("finalizer"));
            caught.is_none().then(|| "'try' needs a 'catch' or 'finally'".to_owned())
        }
        "jsx_element" => {
            let name = |field: &str| {
                let name = node.child_by_field_name(field)?.child_by_field_name("name");
                Some(name.map_or("", |name| source.text(name.byte_range())))
            };
            let (open, close) = (name("open_tag")?, name("close_tag")?);
            (open != close).then(|| format!("'<{open}>' is closed by '</{close}>'"))
        }
        "jsx_expression" if matches!(around, "jsx_opening_element" | "jsx_self_closing_element") => {
            let value = node.named_child(0).filter(|child| child.kind() != "spread_element");
            value.map(|_| format!("'=' or '...' is missing before '{}'", clip(text())))
        }
        "import_statement" | "export_statement" if around == "statement_block" => {
            let outer = spot.outer_kind(2);
            if matches!(outer, "module" | "internal_module" | "ambient_declaration" | "ERROR") {
                return None;
            }
            Some(format!("'{}' stands inside of a block; imports and exports stand outside", clip(text())))
        }
        "expression_statement" => {
            let child = node.named_child(0)?.kind();
            let word = text().split([' ', '(', '{', '*']).next().unwrap_or_default();
            matches!(child, "function_expression" | "class")
                .then(|| format!("a name is missing after '{word}'"))
        }
        _ => None,
    }
}

/// The statement that should have ended before this one in the same line.
fn unended<'tree>(source: &Source<'_>, spot: &Spot<'_, 'tree>) -> Option<(Node<'tree>, String)> {
    let (node, before) = (spot.node, spot.before?);
    if !matches!(spot.parent_kind(), "program" | "statement_block")
        || !node.is_named()
        || matches!(spot.kind, "comment" | "empty_statement")
        || !STATEMENTS.contains(&before.kind())
        || node.start_position().row > before.end_position().row
        || source.text(before.byte_range()).ends_with([';', '}'])
    {
        return None;
    }
    let text = clip(source.text(node.byte_range()));
    Some((before, format!("';' or a line end is missing before '{text}'")))
}

/// Names that a block declares twice.
fn declared_twice(source: &Source<'_>, block: Node<'_>, out: &mut Vec<Diagnostic>) {
    let mut names = HashSet::new();
    let mut cursor = block.walk();
    for statement in block.named_children(&mut cursor) {
        let mut cursor = statement.walk();
        let found: Vec<Node<'_>> = match statement.kind() {
            "class_declaration" => statement.child_by_field_name("name").into_iter().collect(),
            "lexical_declaration" => {
                let declared = statement.named_children(&mut cursor);
                declared.filter_map(|one| one.child_by_field_name("name")).collect()
            }
            _ => continue,
        };
        for name in found.into_iter().filter(|name| name.kind() == "identifier") {
            let text = source.text(name.byte_range());
            if !names.insert(text) {
                let message = format!("'{text}' is declared twice in this block");
                out.push(said(source, name, "JS005", message));
            } else if text == "let" {
                let message = "'let' is a reserved word and cannot be a name".to_owned();
                out.push(said(source, name, "JS004", message));
            }
            if out.len() >= ENOUGH {
                return;
            }
        }
    }
}

fn unset_constant(source: &Source<'_>, spot: &Spot<'_, '_>, out: &mut Vec<Diagnostic>) {
    let constant = spot.parent_kind() == "lexical_declaration"
        && spot.outer(1).and_then(|around| around.child(0)).is_some_and(|word| word.kind() == "const");
    if constant && spot.node.child_by_field_name("value").is_none() {
        let text = clip(source.text(spot.node.byte_range()));
        let message = format!("the constant '{text}' has no value; '= …' is missing");
        out.push(said(source, spot.node, "JS006", message));
    }
}
