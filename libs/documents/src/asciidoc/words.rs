//! Visible words of inline nodes, with their styles and lines.

use std::sync::Arc;

use asciidoc_parser::content::Content;
use asciidoc_parser::inlines::{
    CharRef, Footnote, Image, InlineNode, RawForm, Ref, RefVariant, StyleVariant, UiKind,
};
use asciidoc_parser::{HasSpan, Span};

use super::page::Place;
use super::{attributes, markup};
use crate::Style;
use crate::inline::Inline;

/// Collects the words of one block.
pub(super) struct Words<'d> {
    /// What is collected.
    pub(super) inline: Inline,
    /// Ids inside, each with its line.
    pub(super) anchors: Vec<(String, u32)>,
    /// Notes that are shown below, each with its line.
    pub(super) notes: Vec<(Inline, u32)>,
    place: Place<'d>,
    part: bool,
    /// File of the block; words of another one belong to the last line of this one.
    pub(super) file: Option<Arc<str>>,
    line: u32,
    /// Lines of a content with comments, without those.
    kept: Vec<usize>,
    /// Lines of it so far.
    at: usize,
    /// Whether lines are shown as written.
    pub(super) lines: bool,
}

impl<'d> Words<'d> {
    pub(super) fn new(place: Place<'d>, part: bool, file: Option<Arc<str>>, line: u32) -> Self {
        let (inline, anchors, notes, kept) = (Inline::default(), Vec::new(), Vec::new(), Vec::new());
        Self { inline, anchors, notes, place, part, file, line, kept, at: 0, lines: false }
    }

    /// Adds a piece of content. Where the parser takes comments out, it gives its nodes no lines: they are counted here.
    pub(super) fn content(&mut self, content: &Content<'_>) {
        let whole = content.original();
        let comment = |line: &str| line.starts_with("//") && !line.starts_with("///");
        let shorter = content.rendered_html().lines().count() < whole.data().lines().count();
        if shorter && whole.data().lines().any(comment) {
            let lines = (whole.line()..).zip(whole.data().lines());
            self.kept = lines.filter(|(_, line)| !comment(line)).map(|(at, _)| at).collect();
        }
        self.at = 0;
        self.nodes(content.inlines());
        self.kept.clear();
    }

    /// Adds nodes in their order.
    pub(super) fn nodes(&mut self, nodes: &[InlineNode<'_>]) {
        let mut rest = nodes;
        while let Some((node, after)) = rest.split_first() {
            let count = rest.iter().take_while(|node| raw(node).is_some()).count();
            let (run, behind) = rest.split_at_checked(count).unwrap_or((&[], rest));
            if matches!(node, InlineNode::Raw { form: RawForm::AsIs, .. }) {
                // Tags and entities come in pieces, of which the words between are some.
                let html: String = run.iter().filter_map(raw).collect();
                self.html(&attributes::as_written(&html), |words, number| {
                    words.at += number;
                    let line = words.line(node.span().line() + number);
                    words.at -= number;
                    line
                });
                self.at += html.matches('\n').count();
                rest = behind;
            } else {
                self.node(node);
                rest = after;
            }
        }
    }

    fn node(&mut self, node: &InlineNode<'_>) {
        let line = self.line(node.span().line());
        match node {
            InlineNode::Text { value, location } => self.text(value, *location),
            InlineNode::CharRef { value, .. } => self.character(value, line),
            InlineNode::Raw { value, location, .. } => self.text(value, *location),
            InlineNode::Styled(styled) => {
                if let Some(id) = &styled.id {
                    self.anchors.push((id.to_string(), line));
                }
                let struck = styled.roles.iter().any(|role| matches!(&**role, "line-through" | "strike"));
                self.styled(styled.variant, struck, &styled.children, line);
            }
            InlineNode::Ref(reference) => self.reference(reference, line),
            InlineNode::Image(image) => self.image(image, line),
            InlineNode::Footnote(footnote) => self.footnote(footnote, line),
            InlineNode::Anchor(anchor) => self.anchors.push((anchor.id.to_string(), line)),
            InlineNode::Ui(ui) => self.control(&ui.kind, line),
            InlineNode::IndexTerm(term) => self.nodes(&term.children),
            InlineNode::Callout(callout) => self.inline.push(&format!("({})", &*callout.number), line),
            InlineNode::Stem(stem) => self.markup(&stem.value, line),
            InlineNode::LineBreak { .. } => self.inline.line_break(),
        }
    }

    /// Line of the file of a line of the tree.
    pub(super) fn line(&mut self, line: usize) -> u32 {
        let kept = self.kept.get(self.at).or(self.kept.last());
        let (file, line) = self.place.line(kept.copied().unwrap_or(line));
        if file == self.file {
            self.line = self.line.max(line);
        }
        self.line
    }

    /// Adds text of which each line break is one of its source.
    fn text(&mut self, text: &str, span: Span<'_>) {
        let source_breaks = span.data().matches('\n').count();
        for (number, part) in text.split('\n').enumerate() {
            if number > 0 && self.lines {
                self.inline.line_break();
            } else if number > 0 {
                self.inline.space();
            }
            self.at += usize::from(number > 0);
            let line = self.line(span.line() + number.min(source_breaks));
            let part = &attributes::as_written(part);
            if self.part && part.contains('{') {
                self.inline.push(&without_braces(part), line);
            } else {
                self.inline.push(part, line);
            }
        }
    }

    /// Adds a character; apostrophes stay ASCII, so that words compare, and marks without width go.
    fn character(&mut self, value: &CharRef<'_>, line: u32) {
        match value {
            CharRef::Special(character) => self.inline.push(character.encode_utf8(&mut [0; 4]), line),
            CharRef::Replacement(shown) => {
                self.inline.push(&shown.replace('\u{200b}', "").replace('\u{2019}', "'"), line);
            }
            CharRef::Entity(entity) => self.markup(entity, line),
        }
    }

    /// Adds the words of HTML that stand in one line.
    pub(super) fn markup(&mut self, html: &str, line: u32) {
        self.html(html, |_, _| line);
    }

    fn html(&mut self, html: &str, line: impl Fn(&mut Self, usize) -> u32) {
        let mut inline = std::mem::take(&mut self.inline);
        let ids = markup::push(&mut inline, html, &mut |number| line(self, number));
        self.inline = inline;
        self.anchors.extend(ids.into_iter().filter(|(id, _)| !id.starts_with("_footnote")));
    }

    fn styled(&mut self, variant: StyleVariant, struck: bool, children: &[InlineNode<'_>], line: u32) {
        let (style, quotes) = match variant {
            StyleVariant::Strong => (Some(Style::Strong), None),
            StyleVariant::Emphasis => (Some(Style::Emphasis), None),
            StyleVariant::Code => (Some(Style::Code), None),
            StyleVariant::Superscript => (Some(Style::Raised), None),
            StyleVariant::Subscript => (Some(Style::Lowered), None),
            StyleVariant::DoubleQuote => (None, Some(("\u{201c}", "\u{201d}"))),
            StyleVariant::SingleQuote => (None, Some(("\u{2018}", "\u{2019}"))),
            StyleVariant::Mark | StyleVariant::Unquoted => (None, None),
        };
        let styles = [struck.then_some(Style::Struck), style];
        let styles: Vec<Style> = styles.into_iter().flatten().collect();
        let count = styles.len();
        styles.into_iter().for_each(|style| self.inline.open(style));
        if let Some((before, _)) = quotes {
            self.inline.push(before, line);
        }
        self.nodes(children);
        if let Some((_, after)) = quotes {
            self.inline.push(after, line);
        }
        (0..count).for_each(|_| self.inline.close());
    }

    fn reference(&mut self, reference: &Ref<'_>, line: u32) {
        let target = &attributes::as_written(&reference.target);
        let known = reference.resolved.as_ref().map(|known| (&known.href, known.text.as_deref()));
        let other = reference.derived.as_ref().map(|other| (&other.href, Some(other.text.as_str())));
        let cross = reference.variant == RefVariant::Xref;
        let same_page = cross && reference.derived.is_none();
        self.inline.open(Style::Link(if same_page { format!("#{target}") } else { target.to_owned() }));
        let title = self.place.title(target).map(String::as_str);
        match title.or(known.or(other).and_then(|(_, text)| text)) {
            _ if !reference.children.is_empty() => self.nodes(&reference.children),
            Some(text) => self.markup(text, line),
            None if same_page && !self.part => self.inline.push(&format!("[{target}]"), line),
            None => self.inline.push(target.strip_prefix("mailto:").unwrap_or(target), line),
        }
        self.inline.close();
    }

    /// Adds an image, whose alternative text is not shown, or an icon, which is.
    fn image(&mut self, image: &Image<'_>, line: u32) {
        if image.is_icon {
            return self.inline.push(&format!("[{}]", image.alt.as_deref().unwrap_or(&*image.target)), line);
        }
        self.inline.open(Style::Image(attributes::as_written(&image.target)));
        self.inline.close();
    }

    /// Adds the mark of a note and keeps its text.
    fn footnote(&mut self, footnote: &Footnote<'_>, line: u32) {
        if let Some(number) = &footnote.number {
            self.inline.styled(Style::Raised, &format!("[{}]", &**number), line);
        }
        if !footnote.is_reference {
            let mut inner = Words::new(self.place, self.part, self.file.clone(), line);
            inner.kept = self.kept.get(self.at..).unwrap_or_default().to_vec();
            inner.nodes(&footnote.children);
            self.notes.push((inner.inline, line));
            self.anchors.append(&mut inner.anchors);
        }
    }

    fn control(&mut self, kind: &UiKind<'_>, line: u32) {
        let shown = match kind {
            UiKind::Keyboard(keys) => keys.iter().map(|key| &**key).collect::<Vec<_>>().join("+"),
            UiKind::Button(label) => label.to_string(),
            UiKind::Menu { menu, submenus, item } => {
                let below = submenus.iter().chain(item).map(|name| &**name);
                std::iter::once(&**menu).chain(below).collect::<Vec<_>>().join(" \u{203a} ")
            }
        };
        self.markup(&shown, line);
    }
}

/// What a node adds to a run of HTML.
fn raw<'n>(node: &'n InlineNode<'_>) -> Option<&'n str> {
    match node {
        InlineNode::Raw { value, form: RawForm::AsIs, .. } | InlineNode::Text { value, .. } => Some(value),
        _ => None,
    }
}

/// A passage without the braces of attributes that are set elsewhere: `{name}` is shown as its name.
fn without_braces(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let end = after.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '-' | '_'));
        match end.and_then(|end| after.split_at_checked(end)) {
            Some((name, tail)) if !name.is_empty() && tail.starts_with('}') => {
                out.push_str(name);
                rest = tail.get(1..).unwrap_or("");
            }
            _ => {
                out.push('{');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}
