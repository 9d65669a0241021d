//! HTML inside Markdown: its tags open and close what Markdown has too.

use html5gum::{DefaultEmitter, StartTag, Token, Tokenizer};

use super::frames::Role;
use super::source::{Mark, Origin};
use super::writer::Writer;
use crate::Style;

/// Text of HTML with the rows that its lines come from.
#[derive(Default)]
pub(super) struct Html {
    pub(super) text: String,
    /// Byte at which a row begins, and the row.
    pub(super) rows: Vec<(usize, usize)>,
}

impl Html {
    pub(super) fn push(&mut self, text: &str, row: usize) {
        self.rows.push((self.text.len(), row));
        self.text.push_str(text);
    }

    fn row_of(&self, byte: usize) -> usize {
        let after = self.rows.partition_point(|(start, _)| *start <= byte);
        self.rows.get(after.saturating_sub(1)).map_or(0, |(_, row)| *row)
    }
}

/// Reads tags and text.
pub(super) fn read(writer: &mut Writer<'_, '_>, html: &Html) {
    let mut emitter = DefaultEmitter::<usize>::new_with_span();
    emitter.naively_switch_states(true);
    for token in Tokenizer::new_with_emitter(html.text.as_str(), emitter) {
        match token {
            Ok(Token::StartTag(tag)) => {
                let at = writer.source.origin(html.row_of(tag.span.start));
                start(writer, &tag, at);
            }
            Ok(Token::EndTag(tag)) => end(writer, &String::from_utf8_lossy(&tag.name)),
            Ok(Token::String(text)) => {
                let rows = (html.row_of(text.span.start), html.row_of(text.span.end.saturating_sub(1)));
                words(writer, &String::from_utf8_lossy(&text.value), rows);
            }
            Ok(Token::Comment(comment)) if comment.value.is_empty() => {
                marks(writer, html.row_of(comment.span.start));
            }
            _ => {}
        }
    }
}

/// Adds text of several rows; a lone `\r` in it ends a line, and no row.
fn words(writer: &mut Writer<'_, '_>, text: &str, (first, last): (usize, usize)) {
    for (row, line) in (first..).zip(text.split('\n')) {
        let at = writer.source.origin(row.min(last));
        if let Some(Role::Pre { code, lines, .. }) = writer.frames.last_mut().map(|frame| &mut frame.role) {
            if row > first && !code.text().is_empty() {
                code.separate('\n');
            }
            if !line.trim().is_empty() || !code.text().is_empty() {
                code.verbatim(line.trim_end_matches('\r'), at.line);
                let lines = lines.get_or_insert((at.line, at.line));
                *lines = (lines.0.min(at.line), lines.1.max(at.line));
            }
            continue;
        }
        if row > first {
            writer.space();
        }
        writer.push(line, at);
    }
}

/// Opens and closes what an empty comment stands for.
fn marks(writer: &mut Writer<'_, '_>, row: usize) {
    let source = writer.source;
    let at = source.origin(row);
    for mark in source.marks_of(row) {
        match mark {
            Mark::Admonition(label, is_own) => {
                let (label, group, own) = (label.clone(), writer.builder.group(), is_own.then_some(at));
                writer.open(":", Role::Admonition { label, group, own, first: None });
            }
            Mark::Container => writer.open(":", Role::Plain),
            Mark::End => writer.close_named(":"),
            Mark::Title(title) => writer.show_title(title, at),
        }
    }
}

/// Value of an attribute.
fn attribute(tag: &StartTag<usize>, name: &str) -> Option<String> {
    tag.attributes.get(name.as_bytes()).map(|value| String::from_utf8_lossy(value).into_owned())
}

fn number(tag: &StartTag<usize>, name: &str) -> Option<u32> {
    attribute(tag, name)?.trim().parse().ok()
}

fn start(writer: &mut Writer<'_, '_>, tag: &StartTag<usize>, at: Origin) {
    let name = String::from_utf8_lossy(&tag.name).into_owned();
    let id = attribute(tag, "id").or_else(|| attribute(tag, "name").filter(|_| name == "a"));
    if let Some(id) = id.filter(|id| !id.is_empty() && name != "h1") {
        writer.builder.document.anchors.push((id, at.line));
    }
    let style = attribute(tag, "style").unwrap_or_default().replace(' ', "");
    // A template with attributes fills a place of a component, and is shown there.
    let is_slot = name == "template" && !tag.attributes.is_empty();
    let is_hidden = attribute(tag, "hidden").is_some()
        || attribute(tag, "aria-hidden").as_deref() == Some("true")
        || style.contains("display:none");
    let is_void = VOID.contains(&name.as_str());
    if (is_hidden || HIDDEN.contains(&name.as_str()) && !is_slot) && !tag.self_closing && !is_void {
        return writer.open(&name, Role::Hidden);
    }
    if inline(writer, tag, &name, at) {
        return;
    }
    block(writer, tag, &name);
}

/// Begins a style, an image or a line; tells whether the tag is one of these.
fn inline(writer: &mut Writer<'_, '_>, tag: &StartTag<usize>, name: &str, at: Origin) -> bool {
    let style = match name {
        "a" => match attribute(tag, "href") {
            Some(target) => Style::Link(target),
            None => return true,
        },
        "b" | "strong" => Style::Strong,
        "i" | "em" | "cite" | "var" | "dfn" => Style::Emphasis,
        "code" | "kbd" | "samp" | "tt" => Style::Code,
        "del" | "s" | "strike" => Style::Struck,
        "sup" => Style::Raised,
        "sub" => Style::Lowered,
        "br" => {
            writer.line_break();
            return true;
        }
        "img" => {
            let target = attribute(tag, "src").unwrap_or_default();
            writer.image(target, &attribute(tag, "alt").unwrap_or_default(), at);
            return true;
        }
        _ => return false,
    };
    if !tag.self_closing && !writer.is_in(|role| matches!(role, Role::Pre { .. })) {
        writer.style(name, style, at);
    }
    true
}

/// Opens a block; the tag of an unknown element does nothing.
fn block(writer: &mut Writer<'_, '_>, tag: &StartTag<usize>, name: &str) {
    match name {
        "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
            let level = name.as_bytes().get(1).map_or(1, |digit| digit - b'0');
            writer.open(name, Role::Heading { level, own: attribute(tag, "id") });
        }
        "blockquote" => writer.open(name, Role::Quote),
        "caption" | "figcaption" | "summary" => writer.open(name, Role::Caption),
        "ul" | "menu" => writer.open_list(name, None),
        "ol" => writer.open_list(name, Some(number(tag, "start").unwrap_or(1))),
        "li" => {
            writer
                .close_within(|role| matches!(role, Role::Item(_)), |role| matches!(role, Role::List { .. }));
            writer.open_item(name, number(tag, "value"));
        }
        "dl" => writer.open_definitions(name),
        "dt" | "dd" => {
            let is_entry = |role: &Role| matches!(role, Role::Term | Role::Description { .. });
            writer.close_within(is_entry, |role| matches!(role, Role::Definitions(_)));
            let role = if name == "dt" { Role::Term } else { Role::Description { block: None } };
            writer.open(name, role);
        }
        "table" => writer.open_table(name),
        "thead" | "tbody" | "tfoot" | "tr" | "td" | "th" => writer.open_table_part(
            name,
            number(tag, "colspan").unwrap_or(1) as usize,
            number(tag, "rowspan").unwrap_or(1),
        ),
        "pre" => {
            let lines = None;
            writer.open(name, Role::Pre { language: String::new(), code: Default::default(), lines });
        }
        _ if BLOCKS.contains(&name) => writer.flush(),
        _ => {}
    }
}

fn end(writer: &mut Writer<'_, '_>, name: &str) {
    if name == "p" || name == "br" || BLOCKS.contains(&name) {
        writer.flush();
    }
    if let (true, Some((table, _))) = (name == "thead", writer.table()) {
        table.in_head = false;
    }
    if FRAMES.contains(&name) || HIDDEN.contains(&name) || writer.is_hidden() {
        writer.close_named(name);
    } else {
        writer.end_style(name);
    }
}

/// Elements that make a frame.
const FRAMES: &[&str] = &[
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "blockquote",
    "caption",
    "figcaption",
    "summary",
    "ul",
    "menu",
    "ol",
    "li",
    "dl",
    "dt",
    "dd",
    "table",
    "thead",
    "tbody",
    "tfoot",
    "tr",
    "td",
    "th",
    "pre",
];

/// Elements that end the paragraph and are nothing more here.
const BLOCKS: &[&str] = &[
    "p", "div", "section", "article", "main", "header", "footer", "center", "aside", "details", "figure",
    "fieldset", "address", "form", "hr", "nav", "body", "html", "dialog", "legend", "hgroup", "search",
];

/// Elements of which nothing is shown as text.
const HIDDEN: &[&str] = &[
    "script", "style", "template", "svg", "noscript", "iframe", "video", "audio", "canvas", "object",
    "select", "datalist", "head", "title", "textarea",
];

/// Elements without content.
const VOID: &[&str] =
    &["img", "br", "hr", "input", "meta", "link", "col", "wbr", "area", "base", "embed", "source", "track"];
