//! Code: lines as they are, and their language.

use super::flow::{Place, Reader};
use super::tree::{Id, Node};
use crate::Kind;
use crate::inline::Inline;

/// Elements around code that may name its language.
const AROUND: usize = 6;

/// A line of code.
#[derive(Debug, Clone, Default)]
pub(super) struct Line {
    text: String,
    /// Bytes at which a further line of the file begins; a comment may lie between.
    starts: Vec<(usize, u32)>,
}

impl Line {
    fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }

    /// Adds the line to collected text, without the white space at its start.
    pub(super) fn push(&self, indent: usize, inline: &mut Inline) {
        let ends = self.starts.iter().skip(1).map(|(at, _)| *at).chain([self.text.len()]);
        for ((start, line), end) in self.starts.iter().zip(ends) {
            let start = (*start).max(indent.min(self.text.len()));
            inline.verbatim(self.text.get(start..end).unwrap_or(""), *line);
        }
    }

    /// White space at its start.
    fn indent(&self) -> &str {
        let rest = self.text.trim_start_matches([' ', '\t']).len();
        self.text.get(..self.text.len() - rest).unwrap_or("")
    }
}

/// Bytes of white space that all lines begin with.
fn common_indent(lines: &[Line]) -> usize {
    let mut indents = lines.iter().filter(|line| !line.is_blank()).map(Line::indent);
    let first = indents.next().unwrap_or("");
    let common = |a: &str, b: &str| a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    indents.fold(first.len(), |least, indent| least.min(common(first, indent)))
}

impl Reader<'_, '_> {
    /// Reads an element of code.
    pub(super) fn code(&mut self, id: Id, place: &mut Place) {
        self.settle(place);
        let lines = self.code_lines(id);
        let first = lines.iter().position(|line| !line.is_blank()).unwrap_or(0);
        let end = lines.iter().rposition(|line| !line.is_blank()).map_or(0, |last| last + 1);
        let lines = lines.get(first..end).unwrap_or_default();
        let indent = common_indent(lines);
        let mut inline = Inline::default();
        for (index, line) in lines.iter().enumerate() {
            line.push(indent, &mut inline);
            if index + 1 < lines.len() {
                inline.verbatim("\n", line.starts.last().map_or(0, |(_, line)| *line));
            }
        }
        self.says_something();
        let kind = Kind::Code { language: self.language(id) };
        let lead = self.lead(place);
        self.add(kind, inline, 0, lead);
    }

    /// Lines of code with their lines of the file.
    pub(super) fn code_lines(&self, id: Id) -> Vec<Line> {
        let tree = self.tree;
        let mut lines = vec![Line::default()];
        let mut add = |text: &str, at: u32| {
            for piece in text.split_inclusive('\n') {
                if let Some(line) = lines.last_mut() {
                    if line.starts.last().is_none_or(|(_, last)| *last != at) {
                        line.starts.push((line.text.len(), at));
                    }
                    line.text.push_str(piece.trim_end_matches('\n'));
                }
                if piece.ends_with('\n') {
                    lines.push(Line::default());
                }
            }
        };
        tree.visit(id, |child, node| {
            let shown = !self.skips(child);
            if node.is_text() {
                tree.lines_of(node).for_each(|(start, line)| add(&line, self.builder.line_of(start)));
            } else if shown && node.name == "br" {
                add("\n", self.builder.line_of(node.start));
            }
            shown
        });
        lines
    }

    /// Language of code: by its own classes, those of the code in it, or those around it.
    fn language(&self, id: Id) -> String {
        let tree = self.tree;
        let inner = tree.find(id, |node| node.name == "code");
        let around = tree.ancestors(id).take(AROUND);
        let named = std::iter::once(id).chain(inner).chain(around).find_map(|id| language_of(tree.node(id)));
        named.unwrap_or_default()
    }
}

/// The language that an element names; empty where it says that there is none.
fn language_of(node: &Node) -> Option<String> {
    if let Some(name) = node.attribute("data-lang").or_else(|| node.attribute("data-language")) {
        return Some(name.to_lowercase());
    }
    let classes: Vec<&str> = node.classes().collect();
    let prefixed = |prefix: &str| classes.iter().find_map(|class| class.strip_prefix(prefix));
    let behind = |name: &str| {
        let at = classes.iter().position(|class| *class == name)?;
        classes.get(at + 1).copied().filter(|next| !next.contains(['-', '_']))
    };
    let name = prefixed("language-")
        .or_else(|| prefixed("lang-").filter(|_| matches!(node.name, "pre" | "code")))
        .or_else(|| prefixed("highlight-source-"))
        .or_else(|| prefixed("highlight-"))
        .or_else(|| prefixed("src-"))
        .or_else(|| behind("sourceCode"))
        .or_else(|| behind("hljs"))
        .or_else(|| behind("brush:"))
        .or_else(|| prefixed("brush:"))
        // Rustdoc.
        .or_else(|| classes.iter().copied().find(|class| node.name == "pre" && *class == "rust"))?;
    let name = name.trim_end_matches(';').to_lowercase();
    // Sphinx names its default so.
    Some(if name == "default" || name == "undefined" { String::new() } else { name })
}
