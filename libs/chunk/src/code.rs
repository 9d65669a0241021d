//! Outline of source code: top-level items and their members, found by tree-sitter; other languages by blank lines.

use crate::{Cut, Lines, Outline, Path, plain};
use tree_sitter::{Language, Node, Parser};

/// Cut marks and item names of a source file.
pub(crate) fn outline(language: &str, text: &str, lines: &Lines) -> Outline {
    grammar(language)
        .and_then(|grammar| {
            let mut parser = Parser::new();
            parser.set_language(&grammar).ok()?;
            let tree = parser.parse(text, None)?;
            Some(items(tree.root_node(), text, lines))
        })
        .unwrap_or_else(|| plain::outline(text, lines))
}

/// Grammar of a language, if there is one here.
fn grammar(language: &str) -> Option<Language> {
    Some(match language {
        "rust" => tree_sitter_rust::LANGUAGE.into(),
        "python" => tree_sitter_python::LANGUAGE.into(),
        "javascript" => tree_sitter_javascript::LANGUAGE.into(),
        "typescript" => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
        "tsx" => tree_sitter_typescript::LANGUAGE_TSX.into(),
        "go" => tree_sitter_go::LANGUAGE.into(),
        "java" => tree_sitter_java::LANGUAGE.into(),
        _ => return None,
    })
}

fn items(root: Node<'_>, text: &str, lines: &Lines) -> Outline {
    let mut outline = Outline::of(lines);
    let mut cursor = root.walk();
    // Comments and attributes directly above an item belong to it.
    let mut lead: Option<(usize, usize)> = None;
    for item in root.children(&mut cursor) {
        let (first, last) = (item.start_position().row, end_row(item));
        let start = match lead {
            Some((start, end)) if end + 1 >= first => start,
            _ => first,
        };
        set(&mut outline.cuts, start, Cut::Block);
        if start < first {
            set(&mut outline.cuts, first, Cut::Line);
        }
        if is_lead(item.kind()) {
            lead = Some((start, last));
            continue;
        }
        lead = None;
        if let Some(name) = name_of(item, text) {
            outline.paths.push((start, Path::of_item(name)));
            outline.paths.push((last + 1, Path::default()));
        }
        members(item, &mut outline.cuts);
    }
    outline
}

/// Marks the members of a class, an implementation or a module.
fn members(item: Node<'_>, cuts: &mut [Cut]) {
    let Some(body) = body_of(item) else { return };
    let mut cursor = body.walk();
    let mut lead: Option<(usize, usize)> = None;
    for member in body.named_children(&mut cursor) {
        let (first, last) = (member.start_position().row, end_row(member));
        let start = lead.filter(|(_, end)| end + 1 >= first).map_or(first, |(start, _)| start);
        lead = is_lead(member.kind()).then_some((start, last));
        if start == first && start > item.start_position().row {
            set(cuts, start, Cut::Inner);
        }
    }
}

/// Body of an item whose members are worth a cut each.
fn body_of(item: Node<'_>) -> Option<Node<'_>> {
    let item = match item.kind() {
        "export_statement" => item.child_by_field_name("declaration")?,
        "decorated_definition" => item.child_by_field_name("definition")?,
        _ => item,
    };
    item.child_by_field_name("body")
}

/// Whether a node only leads to the item behind it.
fn is_lead(kind: &str) -> bool {
    kind.contains("comment") || kind.contains("attribute") || kind == "decorator"
}

fn name_of(item: Node<'_>, text: &str) -> Option<String> {
    let inner = item.child_by_field_name("declaration").or_else(|| item.child_by_field_name("definition"));
    let item = inner.unwrap_or(item);
    let name = item.child_by_field_name("name").or_else(|| item.child_by_field_name("type"))?;
    Some(text.get(name.byte_range())?.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Last line of a node; one that ends at the start of a line ends on the line before.
fn end_row(node: Node<'_>) -> usize {
    let (start, end) = (node.start_position(), node.end_position());
    if end.column == 0 && end.row > start.row { end.row - 1 } else { end.row }
}

fn set(cuts: &mut [Cut], line: usize, cut: Cut) {
    if let Some(old) = cuts.get_mut(line) {
        *old = cut;
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use crate::{Format, chunk};

    #[test]
    fn functions_stay_whole_with_their_comments() {
        let body = "    let value = compute();\n".repeat(30);
        let text = format!(
            "use std::fmt;\n\n/// First.\n#[inline]\nfn first() {{\n{body}}}\n\n/// Second.\nfn second() {{\n{body}}}\n\nfn third() {{\n{body}}}\n"
        );
        let chunks = chunk(Format::Code("rust"), "", &text).chunks;
        let second = chunks.iter().find(|chunk| chunk.text.contains("fn second")).unwrap();
        assert!(second.text.starts_with("/// Second."), "{}", second.text);
        assert!(second.text.trim_end().ends_with('}'));
        assert_eq!(second.headings, ["second"]);
        assert_eq!(second.language, "rust");
    }

    #[test]
    fn a_large_class_is_cut_between_methods() {
        let method =
            |name: &str| format!("    def {name}(self):\n{}", "        return 'some text here'\n".repeat(20));
        let text = format!("class Big:\n{}\n{}\n{}\n", method("one"), method("two"), method("three"));
        let chunks = chunk(Format::Code("python"), "", &text).chunks;
        assert!(chunks.len() >= 2);
        for chunk in &chunks {
            assert_eq!(chunk.headings, ["Big"]);
            assert!(
                chunk.text.trim_start().starts_with("def ") || chunk.text.starts_with("class"),
                "{}",
                chunk.text
            );
        }
    }
}
