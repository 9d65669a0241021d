//! Finds active content: markup that runs, loads remote content, or hides or reorders text.

use super::html::HtmlTag;
use pulldown_cmark::{Event, Parser, Tag};
use std::borrow::Cow;
use std::ops::Range;

/// Active content in the answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Active {
    /// Bytes in the answer.
    pub range: Range<usize>,
    /// Description, e.g. the element or attribute.
    pub what: String,
}

/// Elements that run, embed or restyle by themselves.
const ELEMENTS: &[&str] = &[
    "script", "iframe", "frame", "frameset", "applet", "form", "style", "svg", "template", "portal",
    "noscript", "noframes", "noembed", "rp", "datalist", "canvas", "video", "audio",
];
/// Elements that do so by their attributes.
const BY_ATTRIBUTES: &[&str] = &["object", "embed", "link", "meta", "base"];
/// Attributes whose address is loaded at once.
const LOADED: &[&str] = &["src", "srcset", "poster", "background", "data", "lowsrc", "dynsrc"];
/// Attributes whose address is followed.
const FOLLOWED: &[&str] = &["href", "xlink:href", "action", "formaction", "cite", "ping"];
/// Attributes that hide words or change how they look.
const DISGUISING: &[&str] = &["style", "hidden", "color", "bgcolor"];
/// Comment ends that browsers accept and CommonMark does not.
const EARLY_ENDS: &[&str] = &["--!>", "<!-->", "<!--->"];

/// Active content of a tag, if any.
pub(super) fn in_tag(tag: &HtmlTag) -> Option<String> {
    if tag.closes {
        return None;
    }
    let name = tag.name.as_str();
    if ELEMENTS.contains(&name) || BY_ATTRIBUTES.contains(&name) && !tag.attributes.is_empty() {
        return Some(format!("the element <{name}>"));
    }
    tag.attributes.iter().find_map(|(attribute, value)| {
        let attribute = attribute.as_str();
        if attribute.len() > 2 && attribute.starts_with("on") {
            return Some(format!("the event handler {attribute} of <{name}>"));
        }
        if DISGUISING.contains(&attribute) {
            return Some(format!("the attribute {attribute} of <{name}>"));
        }
        let address = decoded(value);
        let loads = LOADED.contains(&attribute) && address.split(',').any(is_remote);
        if loads {
            return Some(format!("<{name}> with a remote {attribute}"));
        }
        (FOLLOWED.contains(&attribute) && runs(&address)).then(|| format!("<{name}> with a script address"))
    })
}

/// Active content of a link address, if any.
pub(super) fn in_link(address: &str) -> Option<String> {
    runs(address).then(|| "a link with a script address".to_owned())
}

/// Active content of raw HTML outside its tags, if any.
pub(super) fn in_html(html: &str) -> Option<String> {
    let early = EARLY_ENDS.iter().any(|end| html.contains(end));
    early.then(|| "a comment that browsers end earlier than Markdown".to_owned())
}

/// Active content of an image address, if any.
pub(super) fn in_image(address: &str) -> Option<String> {
    is_remote(address).then(|| "an image that is loaded from elsewhere".to_owned())
}

/// Offset and description of a bidirectional override in plain text, if any.
pub(super) fn in_text(text: &str) -> Option<(usize, String)> {
    let at = text.find(['\u{202d}', '\u{202e}'])?;
    Some((at, "a control character that turns the direction of text".to_owned()))
}

/// An address as browsers compare its scheme: without white space and control characters, in lower case.
fn plain(address: &str) -> String {
    address.chars().filter(|c| !c.is_whitespace() && !c.is_control()).flat_map(char::to_lowercase).collect()
}

/// The scheme of an address, if it has one.
fn scheme(address: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = address.split_once(':')?;
    let inside = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
    (scheme.starts_with(|c: char| c.is_ascii_alphabetic()) && scheme.chars().all(inside))
        .then_some((scheme, rest))
}

/// Whether following an address may run its content (`javascript:`), undecoded references included.
fn runs(address: &str) -> bool {
    let address = plain(address);
    match scheme(&address) {
        Some(("javascript" | "vbscript" | "livescript", _)) => true,
        Some(("data", rest)) => !rest.starts_with("image/"),
        _ => is_encoded(&address),
    }
}

/// Whether an address leads away from where the answer is shown.
fn is_remote(address: &str) -> bool {
    let address = plain(address);
    let slashes = address.chars().take_while(|c| matches!(c, '/' | '\\')).count();
    slashes > 1 || scheme(&address).is_some() || is_encoded(&address)
}

/// Whether a character reference is left before the path of an address.
fn is_encoded(address: &str) -> bool {
    address.split(['/', '?']).next().is_some_and(|head| head.contains("&#"))
}

/// The value of an attribute with its character references decoded, as those of a link address are.
fn decoded(value: &str) -> Cow<'_, str> {
    if !value.contains('&') {
        return value.into();
    }
    let bare: String = value
        .chars()
        .filter(|c| !c.is_whitespace() && !c.is_control() && !matches!(c, '<' | '>' | '\\'))
        .collect();
    let link = format!("[x](<{bare}>)");
    let address = Parser::new(&link).find_map(|event| match event {
        Event::Start(Tag::Link { dest_url, .. }) => Some(dest_url.into_string()),
        _ => None,
    });
    address.unwrap_or(bare).into()
}

/// The value of an attribute as it is shown, its character references decoded as those of a text are.
pub(super) fn text_of(value: &str) -> Cow<'_, str> {
    if !value.contains('&') {
        return value.into();
    }
    let mut words = String::with_capacity(value.len());
    for event in Parser::new(value) {
        match event {
            Event::Text(text) | Event::Code(text) => words.push_str(&text),
            Event::SoftBreak | Event::HardBreak => words.push(' '),
            _ => {}
        }
    }
    words.into()
}

#[cfg(test)]
mod tests {
    use super::super::html::tags;
    use super::*;

    fn active(html: &str) -> bool {
        tags(html).iter().any(|tag| in_tag(tag).is_some())
    }

    #[test]
    fn what_runs_loads_or_hides_is_active() {
        for html in [
            "<ScRiPt>",
            "<iframe src=x>",
            "<object data=x>",
            "<embed src=x>",
            "<form>",
            "<style>",
            "<svg>",
            "<meta http-equiv=refresh>",
            "<link rel=stylesheet href=x>",
            "<base href=x>",
            "<b OnClick=x>",
            "<img/onerror=x>",
            "<img src=https://e/x>",
            "<img src='//e/x'>",
            "<img src='\\\\e/x'>",
            "<img src=data:x>",
            "<img srcset='a.png, https://e/x 2x'>",
            "<video poster=http://e/x>",
            "<a href=javascript:x>",
            "<a href='java\nscript:x'>",
            "<a href='java&#115;cript:x'>",
            "<a href='java&#115cript:x'>",
            "<a href='&Tab;javascript&colon;x'>",
            "<a href=data:text/html,x>",
            "<p style='display:none'>",
            "<p hidden>",
            "<noscript>",
            "<font color=white>",
        ] {
            assert!(active(html), "{html}");
        }
    }

    #[test]
    fn what_is_only_shown_is_not() {
        for html in [
            "<b>",
            "</script>",
            "<details open>",
            "<a href=https://e/x title=x>",
            "<img src=a/b.png alt='on top'>",
            "<img src=/a.png>",
            "<link>",
            "<object>",
            "<file>",
            "<a href='x?a=1&amp;b=2'>",
            "<p align=center>",
            "<on>",
            "<a href=mailto:a@b.c>",
            "<a href='#java'>",
        ] {
            assert!(!active(html), "{html}");
        }
    }
}
