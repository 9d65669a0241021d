//! Words of HTML: what the parser gives only rendered, and what a page passes through.

use html5gum::{DefaultEmitter, Token, Tokenizer};

use crate::Style;
use crate::inline::Inline;

/// Adds the words of HTML, given the line of each of its lines from 0; gives the ids of its elements.
pub(super) fn push(
    inline: &mut Inline,
    html: &str,
    line: &mut dyn FnMut(usize) -> u32,
) -> Vec<(String, u32)> {
    let mut ids = Vec::new();
    if !html.contains(['<', '&']) {
        lines(inline, html, 0, line);
        return ids;
    }
    // As for characters of the tree: apostrophes are ASCII, marks without width go.
    let html = &html.replace("&#8217;", "'").replace("&#8203;", "");
    let mut open: Vec<Vec<u8>> = Vec::new();
    let mut hidden = 0_u32;
    let (mut at, mut number) = (0, 0);
    for token in tokens(html) {
        let start = match &token {
            Token::StartTag(tag) => tag.span.start,
            Token::EndTag(tag) => tag.span.start,
            Token::String(text) => text.span.start,
            _ => continue,
        };
        let passed = html.as_bytes().get(at..start).unwrap_or_default();
        number += passed.iter().filter(|byte| **byte == b'\n').count();
        at = at.max(start);
        match token {
            Token::String(text) if hidden == 0 => {
                lines(inline, &String::from_utf8_lossy(&text.value), number, line)
            }
            Token::StartTag(tag) if matches!(tag.name.as_slice(), b"script" | b"style") => hidden += 1,
            Token::EndTag(tag) if matches!(tag.name.as_slice(), b"script" | b"style") => {
                hidden = hidden.saturating_sub(1);
            }
            Token::StartTag(tag) => {
                let attribute = |name: &[u8]| {
                    let found = tag.attributes.iter().find(|(key, _)| key.as_slice() == name);
                    found.map(|(_, value)| String::from_utf8_lossy(&value.value).into_owned())
                };
                ids.extend(attribute(b"id").map(|id| (id, line(number))));
                match style(&tag.name, attribute(b"href")) {
                    Some(style) => {
                        inline.open(style);
                        open.push(tag.name.to_vec());
                    }
                    None if tag.name.as_slice() == b"br" => inline.line_break(),
                    None => apart(inline, &tag.name),
                }
            }
            Token::EndTag(tag) if open.last().is_some_and(|name| *name == tag.name.as_slice()) => {
                inline.close();
                open.pop();
            }
            Token::EndTag(tag) => apart(inline, &tag.name),
            _ => {}
        }
    }
    // A style ends with its piece of HTML at the latest.
    open.iter().for_each(|_| inline.close());
    ids
}

/// Adds text whose line breaks are those of the file.
fn lines(inline: &mut Inline, text: &str, first: usize, line: &mut dyn FnMut(usize) -> u32) {
    for (number, part) in (first..).zip(text.split('\n')) {
        if number > first {
            inline.space();
        }
        inline.push(part, line(number));
    }
}

/// Parts the words of two blocks.
fn apart(inline: &mut Inline, name: &[u8]) {
    let within =
        [&b"span"[..], b"b", b"i", b"u", b"small", b"big", b"kbd", b"a", b"img", b"mark", b"q", b"wbr"];
    if !within.contains(&name) {
        inline.space();
    }
}

fn style(name: &[u8], href: Option<String>) -> Option<Style> {
    match name {
        b"code" => Some(Style::Code),
        b"em" => Some(Style::Emphasis),
        b"strong" => Some(Style::Strong),
        b"sup" => Some(Style::Raised),
        b"sub" => Some(Style::Lowered),
        b"del" | b"s" | b"strike" => Some(Style::Struck),
        b"a" => href.map(Style::Link),
        _ => None,
    }
}

fn tokens(html: &str) -> impl Iterator<Item = Token<usize>> + '_ {
    let mut emitter = DefaultEmitter::<usize>::new_with_span();
    emitter.naively_switch_states(true);
    Tokenizer::new_with_emitter(html, emitter).map(|token| match token {
        Ok(token) => token,
        Err(never) => match never {},
    })
}

/// The text of HTML with its white space, as a block of code has it.
pub(super) fn plain(html: &str) -> String {
    if !html.contains(['<', '&']) {
        return html.to_owned();
    }
    let texts = tokens(html).filter_map(|token| match token {
        Token::String(text) => Some(String::from_utf8_lossy(&text.value).into_owned()),
        _ => None,
    });
    texts.collect()
}
