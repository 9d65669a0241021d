//! Names of elements and what browsers do with each.

/// Names that a rule asks for, in alphabetical order; every other element is inline text.
const KNOWN: &[&str] = &[
    "a",
    "address",
    "annotation",
    "article",
    "aside",
    "audio",
    "b",
    "base",
    "blockquote",
    "body",
    "br",
    "button",
    "canvas",
    "caption",
    "center",
    "cite",
    "code",
    "col",
    "colgroup",
    "datalist",
    "dd",
    "del",
    "details",
    "dfn",
    "dialog",
    "dir",
    "div",
    "dl",
    "dt",
    "em",
    "embed",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "frameset",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "header",
    "hgroup",
    "hr",
    "html",
    "i",
    "iframe",
    "img",
    "input",
    "ins",
    "kbd",
    "label",
    "legend",
    "li",
    "link",
    "listing",
    "main",
    "map",
    "menu",
    "meta",
    "nav",
    "noembed",
    "noframes",
    "noscript",
    "object",
    "ol",
    "optgroup",
    "option",
    "p",
    "param",
    "plaintext",
    "pre",
    "q",
    "rp",
    "rt",
    "s",
    "samp",
    "script",
    "search",
    "section",
    "select",
    "source",
    "strike",
    "strong",
    "style",
    "sub",
    "summary",
    "sup",
    "svg",
    "table",
    "tbody",
    "td",
    "template",
    "textarea",
    "tfoot",
    "th",
    "thead",
    "title",
    "tr",
    "track",
    "tt",
    "ul",
    "var",
    "video",
    "wbr",
    "xmp",
];

/// The known name; empty for any other.
pub(super) fn known(name: &[u8]) -> &'static str {
    let found = KNOWN.binary_search_by(|known| known.as_bytes().cmp(name));
    found.ok().and_then(|at| KNOWN.get(at)).copied().unwrap_or("")
}

/// Whether an element has no content (HTML, section 13.1.2).
pub(super) fn is_void(name: &str) -> bool {
    matches!(
        name,
        "base"
            | "br"
            | "col"
            | "embed"
            | "hr"
            | "img"
            | "input"
            | "link"
            | "meta"
            | "param"
            | "source"
            | "track"
            | "wbr"
    )
}

/// Whether an element begins a line of its own, so that it ends a paragraph (HTML, section 13.2.6.4.7).
pub(super) fn is_block(name: &str) -> bool {
    is_table(name)
        || is_heading(name)
        || matches!(
            name,
            "address"
                | "article"
                | "aside"
                | "blockquote"
                | "body"
                | "center"
                | "dd"
                | "details"
                | "dialog"
                | "dir"
                | "div"
                | "dl"
                | "dt"
                | "fieldset"
                | "figcaption"
                | "figure"
                | "footer"
                | "form"
                | "header"
                | "hgroup"
                | "hr"
                | "html"
                | "legend"
                | "li"
                | "listing"
                | "main"
                | "menu"
                | "nav"
                | "ol"
                | "p"
                | "plaintext"
                | "pre"
                | "search"
                | "section"
                | "summary"
                | "ul"
                | "xmp"
        )
}

/// Whether an element is a table or a part of one.
pub(super) fn is_table(name: &str) -> bool {
    matches!(name, "table" | "caption" | "colgroup" | "tbody" | "td" | "tfoot" | "th" | "thead" | "tr")
}

/// Level of a heading.
pub(super) fn level(name: &str) -> Option<u8> {
    match name.as_bytes() {
        [b'h', digit @ b'1'..=b'6'] => Some(digit - b'0'),
        _ => None,
    }
}

pub(super) fn is_heading(name: &str) -> bool {
    level(name).is_some()
}

/// Whether an element's words are never shown, or are labels of controls.
pub(super) fn is_hidden(name: &str) -> bool {
    matches!(
        name,
        "annotation"
            | "audio"
            | "button"
            | "canvas"
            | "datalist"
            | "embed"
            | "frameset"
            | "head"
            | "iframe"
            | "input"
            | "map"
            | "noembed"
            | "noframes"
            | "noscript"
            | "object"
            | "optgroup"
            | "option"
            | "rp"
            | "rt"
            | "script"
            | "select"
            | "style"
            | "svg"
            | "template"
            | "textarea"
            | "title"
            | "video"
    )
}

/// Whether the content of an element is text without tags.
pub(super) fn is_raw(name: &str) -> bool {
    matches!(
        name,
        "iframe" | "noembed" | "noframes" | "plaintext" | "script" | "style" | "textarea" | "title" | "xmp"
    )
}

/// Whether an element stays in the head of a page.
pub(super) fn is_of_head(name: &str) -> bool {
    matches!(name, "base" | "head" | "link" | "meta" | "noscript" | "script" | "style" | "template" | "title")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_known_name_is_found() {
        assert!(KNOWN.iter().all(|name| known(name.as_bytes()) == *name));
        assert_eq!(known(b"blink"), "");
    }
}
