//! reStructuredText, as Docutils and Sphinx read it.

mod admonitions;
mod body;
mod directives;
mod explicit;
mod fields;
mod grid;
mod included;
mod line;
mod lists;
mod markup;
mod names;
mod objects;
mod place;
mod recognition;
mod roles;
mod simple;
mod substitution;
mod tables;
mod text;
mod title;

use std::collections::{HashMap, HashSet};

use crate::Style;
use crate::builder::Builder;
use names::Names;
use place::Place;

/// Reads a page.
pub(crate) fn read(builder: &mut Builder<'_>) {
    let texts = line::texts(builder.text);
    let lines = line::numbered(&texts);
    let mut names = Names::default();
    names.collect(&lines, builder.path, builder.files);
    let (footnotes, footnote_numbers) = names.number_footnotes();
    let mut reader = Reader {
        builder,
        names,
        footnotes,
        footnote_numbers,
        next_note: [0; 2],
        styles: Vec::new(),
        language: String::new(),
        default_role: String::new(),
        roles: HashMap::new(),
        pages: HashMap::new(),
        module: String::new(),
        program: String::new(),
        ids: HashSet::new(),
        serial: 0,
        nameless: 0,
        level: 0,
        expanded: 0,
        too_deep: false,
    };
    reader.page(&lines);
}

/// A page while it is read.
struct Reader<'b, 't> {
    builder: &'b mut Builder<'t>,
    names: Names,
    /// Numbers of footnotes by their labels.
    footnotes: HashMap<String, String>,
    /// Numbers of footnotes without a label, in order.
    footnote_numbers: Vec<String>,
    /// Which of them the next reference and the next footnote take.
    next_note: [usize; 2],
    /// Adornments of titles in order of their first appearance.
    styles: Vec<(char, bool)>,
    /// Language of code that declares none.
    language: String,
    default_role: String,
    /// Roles that the page defines, by the role each is based on.
    roles: HashMap<String, String>,
    /// Titles of other pages by the targets that lead to them.
    pages: HashMap<String, Option<String>>,
    /// Module and program that names belong to.
    module: String,
    program: String,
    /// Ids that the page has given.
    ids: HashSet<String>,
    serial: u32,
    /// Which target without a name the next reference takes.
    nameless: usize,
    /// Levels of substitutions that are open, and the bytes that they added.
    level: usize,
    expanded: usize,
    too_deep: bool,
}

impl Reader<'_, '_> {
    fn page(&mut self, lines: &[line::Line<'_>]) {
        let mut place = Place { titles: true, ..Place::default() };
        let skipped = if self.builder.part { 0 } else { fields::information(lines) };
        self.body(lines.get(skipped..).unwrap_or(&[]), &mut place);
        self.settle(&mut place);
        self.drop_used_targets();
    }

    /// Leaves the targets that no block leads to.
    fn drop_used_targets(&mut self) {
        let document = &mut self.builder.document;
        let spans = document.blocks.iter().flat_map(|block| &block.spans);
        let used: HashSet<&str> = spans
            .filter_map(|span| match &span.style {
                Style::Link(target) => Some(target.as_str()),
                _ => None,
            })
            .collect();
        document.targets.retain(|(target, _)| !used.contains(target.as_str()));
    }
}
