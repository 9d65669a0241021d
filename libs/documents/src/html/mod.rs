//! HTML: pages of Sphinx, mdBook, Docusaurus, Hugo, MkDocs, DocBook, plain ones, and passages of them.

mod chrome;
mod flow;
mod lists;
mod names;
mod notes;
mod parse;
mod pre;
mod table;
mod tree;
mod words;

use std::collections::HashSet;

use crate::WarningKind;
use crate::builder::Builder;
use flow::{Place, Reader};
use tree::{Id, Tree};

/// Reads a page, or a passage of one.
pub(crate) fn read(builder: &mut Builder<'_>) {
    let parsed = parse::parse(builder.text, builder.part);
    let mut tree = parsed.tree;
    let content = chrome::content(&mut tree, builder.part);
    if let Some(byte) = parsed.too_deep {
        let line = builder.line_of(byte);
        let message = "elements lie too deep inside of each other; their words are kept".to_owned();
        builder.warn(line, WarningKind::TooDeep, message);
    }
    if !builder.part {
        builder.document.title = title(&tree, content);
    }
    let mut reader = Reader::new(builder, &tree);
    let mut place = Place::default();
    reader.flow(content, &mut place);
    reader.flush(&mut place);
    anchors(builder, &tree);
    targets(builder, &tree);
}

/// The `title` without the name of the site, where a heading tells it; empty where the heading names the page.
fn title(tree: &Tree<'_>, content: Id) -> String {
    let heading = |name: &str| tree.find(content, |node| node.name == name).map(|id| tree.words(id));
    let mut title = String::new();
    tree.visit(0, |id, node| {
        if title.is_empty()
            && node.name == "title"
            && !tree.ancestors(id).any(|above| tree.node(above).name == "svg")
        {
            title = raw_words(tree, id);
        }
        title.is_empty()
    });
    let tells =
        |heading: &String| !heading.is_empty() && title.to_lowercase().contains(&heading.to_lowercase());
    let first = heading("h1");
    // Pages of mdBook and DocBook may begin with a heading of the second level.
    let second = || heading("h2").filter(|heading| title.starts_with(heading.as_str()));
    match first.clone().filter(tells).or_else(|| second().filter(|_| first.is_none()).filter(tells)) {
        Some(heading) => heading,
        None if title.is_empty() => first.unwrap_or_default(),
        None => title,
    }
}

/// Words of an element that is not shown.
fn raw_words(tree: &Tree<'_>, id: Id) -> String {
    let texts = tree.children(id).map(|child| tree.node(child)).filter(|node| node.is_text());
    let words: String = texts.flat_map(|node| tree.lines_of(node).map(|(_, line)| line)).collect();
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Adds the ids of elements to those of headings.
fn anchors(builder: &mut Builder<'_>, tree: &Tree<'_>) {
    let mut known: HashSet<String> = builder.document.anchors.iter().map(|(id, _)| id.clone()).collect();
    for node in (1..tree.len()).map(|id| tree.node(id)) {
        if let Some(id) = node.id().filter(|id| !known.contains(*id)) {
            known.insert(id.to_owned());
            let line = builder.line_of(node.start);
            builder.document.anchors.push((id.to_owned(), line));
        }
    }
}

/// Keeps the targets of tables of contents, which make no blocks.
fn targets(builder: &mut Builder<'_>, tree: &Tree<'_>) {
    let of_contents = |id: Id| {
        let listed = |class: &str| matches!(class, "toc" | "toctree-wrapper" | "contents");
        tree.ancestors(id).any(|above| tree.node(above).classes().any(listed))
    };
    for id in 1..tree.len() {
        let node = tree.node(id);
        let Some(target) = node.attribute("href").filter(|_| node.name == "a" && node.skip) else { continue };
        if of_contents(id) {
            let line = builder.line_of(node.start);
            builder.document.targets.push((target.trim().to_owned(), line));
        }
    }
}
