//! Collects the words of a line: text with its styles, links, images and line breaks.

use super::flow::Reader;
use super::names::is_block;
use super::tree::{Id, Node};
use crate::Style;
use crate::inline::Inline;

/// An image among words.
pub(super) struct Image {
    pub(super) alt: String,
    pub(super) target: String,
    pub(super) line: u32,
}

impl Reader<'_, '_> {
    /// Words of an element's content.
    pub(super) fn words_inside(&mut self, id: Id, inline: &mut Inline) {
        let tree = self.tree;
        for child in tree.children(id) {
            self.words(child, inline);
        }
    }

    /// Words of an element or text; of a block inside of a line too.
    pub(super) fn words(&mut self, id: Id, inline: &mut Inline) {
        let node = self.tree.node(id);
        if node.is_text() {
            self.text(node, inline);
            return;
        }
        if self.skips(id) {
            return;
        }
        self.sees(node);
        match node.name {
            "br" if self.of_term => self.next_term = !inline.is_empty(),
            "br" => inline.line_break(),
            "img" => self.image(node, inline),
            "q" => {
                let line = self.builder.line_of(node.start);
                inline.push("“", line);
                self.words_inside(id, inline);
                let last = inline.lines().map_or(line, |lines| lines.last);
                inline.verbatim("”", last);
            }
            "pre" | "listing" | "xmp" => self.code_words(id, inline),
            name if is_block(name) || name == "label" => {
                inline.space();
                self.words_inside(id, inline);
                inline.space();
                if node.has_class("line") {
                    inline.line_break();
                }
            }
            // Sphinx and MkDocs leave formulas to a script.
            _ if node.has_class("math") || node.has_class("arithmatex") => {
                let outer = std::mem::replace(&mut self.of_formula, true);
                self.words_inside(id, inline);
                self.of_formula = outer;
            }
            _ => self.styled(id, node, inline),
        }
    }

    fn styled(&mut self, id: Id, node: &Node, inline: &mut Inline) {
        // Docutils sets the colon before the class of a term by a style sheet.
        if node.has_class("classifier") && !inline.is_empty() {
            inline.separate(' ');
            inline.separate(':');
            inline.space();
        }
        // mdBook makes a heading a link to itself.
        let to_itself = node.name == "a" && node.has_class("header");
        let Some(style) = style(node).filter(|_| !to_itself) else { return self.words_inside(id, inline) };
        self.begin_term(inline);
        inline.open(style);
        self.words_inside(id, inline);
        inline.close();
    }

    fn text(&mut self, node: &Node, inline: &mut Inline) {
        let tree = self.tree;
        for (start, line) in tree.lines_of(node) {
            if !line.trim().is_empty() {
                self.begin_term(inline);
                self.says_something();
            } else if self.next_term {
                continue;
            }
            let number = self.builder.line_of(start);
            if self.of_formula {
                let marks = ["\\(", "\\)", "\\[", "\\]"];
                inline
                    .push(&marks.iter().fold(line.into_owned(), |line, mark| line.replace(mark, "")), number);
            } else {
                inline.push(&line, number);
            }
        }
    }

    /// Sets a comma between two terms that stand on lines of their own (DocBook).
    fn begin_term(&mut self, inline: &mut Inline) {
        if std::mem::take(&mut self.next_term) && !inline.is_empty() {
            inline.separate(',');
            inline.space();
        }
    }

    fn image(&mut self, node: &Node, inline: &mut Inline) {
        let alt = super::tree::decoded(node.attribute("alt").unwrap_or("")).into_owned();
        let target = node.attribute("src").unwrap_or("").trim();
        // Of an image inside of the page only its type.
        let target =
            if target.starts_with("data:") { target.split([';', ',']).next().unwrap_or("") } else { target };
        let target = target.to_owned();
        let line = self.builder.line_of(node.start);
        inline.open(Style::Image(target.clone()));
        inline.close();
        self.images.push(Image { alt, target, line });
    }

    /// Lines of code among words, such as in a cell.
    fn code_words(&mut self, id: Id, inline: &mut Inline) {
        let code = self.code_lines(id);
        inline.line_break();
        inline.open(Style::Code);
        for line in &code {
            line.push(0, inline);
            inline.line_break();
        }
        inline.close();
    }
}

/// Style of an inline element.
fn style(node: &Node) -> Option<Style> {
    Some(match node.name {
        "code" | "kbd" | "samp" | "tt" | "var" => Style::Code,
        "em" | "i" | "cite" | "dfn" => Style::Emphasis,
        "strong" | "b" => Style::Strong,
        "s" | "strike" | "del" => Style::Struck,
        "sup" => Style::Raised,
        "sub" => Style::Lowered,
        "a" => Style::Link(node.attribute("href").map(|target| target.trim().to_owned())?),
        _ => return None,
    })
}

/// Whether an element with its content belongs to a line of words.
pub(super) fn is_inline(node: &Node) -> bool {
    node.is_text() || !is_block(node.name) && !node.has_block
}
