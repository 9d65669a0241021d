//! Reads the raw HTML of an answer: its tags and the words of its blocks.

/// The open HTML construct.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Markup {
    /// Nothing: words.
    Words,
    /// A tag.
    Tag,
    /// A comment.
    Comment,
    /// An element whose text nobody reads.
    Script,
    /// Another one.
    Style,
}

impl Markup {
    /// What a text that begins with `<` opens.
    pub(super) fn opened_by(text: &str) -> Self {
        let starts = |name: &str| text.get(..name.len()).is_some_and(|head| head.eq_ignore_ascii_case(name));
        if text.starts_with("<!--") {
            Self::Comment
        } else if starts("<script") {
            Self::Script
        } else if starts("<style") {
            Self::Style
        } else {
            Self::Tag
        }
    }

    /// What closes it.
    pub(super) const fn end(self) -> &'static str {
        match self {
            Self::Words | Self::Tag => ">",
            Self::Comment => "-->",
            Self::Script => "</script>",
            Self::Style => "</style>",
        }
    }
}

/// Whether an inline tag breaks the line.
pub(super) fn is_line_break(tag: &str) -> bool {
    tag.get(..3).is_some_and(|head| head.eq_ignore_ascii_case("<br"))
        && tag[3..].starts_with([' ', '/', '>', '\t'])
}

/// A tag of raw HTML.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct HtmlTag {
    /// Byte offset of `<`.
    pub(super) start: usize,
    /// Element name in lower case.
    pub(super) name: String,
    /// Whether it closes the element.
    pub(super) closes: bool,
    /// Attribute names in lower case, with their values as written.
    pub(super) attributes: Vec<(String, String)>,
}

impl HtmlTag {
    /// Whether the element strikes its content out.
    pub(super) fn strikes(&self) -> bool {
        matches!(self.name.as_str(), "del" | "s" | "strike")
    }
}

/// The tags of raw HTML, those in comments included: browsers end a comment earlier than Markdown does. Linear.
pub(super) fn tags(html: &str) -> Vec<HtmlTag> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(open) = html[at..].find('<').map(|open| at + open) {
        at = open + 1;
        let (closes, name) = match html[at..].strip_prefix('/') {
            Some(rest) => (true, rest),
            None => (false, &html[at..]),
        };
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            continue;
        }
        let ends = |c: char| c.is_whitespace() || matches!(c, '/' | '>');
        let length = name.find(ends).unwrap_or(name.len());
        at += usize::from(closes) + length;
        let (attributes, behind) = attributes(html, at);
        let name = name[..length].to_ascii_lowercase();
        found.push(HtmlTag { start: open, name, closes, attributes });
        at = behind;
    }
    found
}

/// The attributes of a tag from a place on, and where the tag ends.
fn attributes(html: &str, mut at: usize) -> (Vec<(String, String)>, usize) {
    let mut found = Vec::new();
    let skip = |at: usize, what: fn(char) -> bool| {
        html[at..].find(|c| !what(c)).map_or(html.len(), |length| at + length)
    };
    loop {
        at = skip(at, |c| c.is_whitespace() || c == '/');
        if html[at..].starts_with('>') || at == html.len() {
            return (found, (at + 1).min(html.len()));
        }
        // An equals sign in front is part of the name.
        let first = at + html[at..].chars().next().map_or(0, char::len_utf8);
        let end = skip(first, |c| !(c.is_whitespace() || matches!(c, '/' | '>' | '=')));
        let name = html[at..end].to_ascii_lowercase();
        at = skip(end, char::is_whitespace);
        let mut value = String::new();
        if html[at..].starts_with('=') {
            at = skip(at + 1, char::is_whitespace);
            let quote = html[at..].chars().next().filter(|c| matches!(c, '"' | '\''));
            let (from, to, behind) = match quote {
                Some(quote) => {
                    let to = html[at + 1..].find(quote).map_or(html.len(), |to| at + 1 + to);
                    (at + 1, to, (to + 1).min(html.len()))
                }
                None => {
                    let to = skip(at, |c| !(c.is_whitespace() || c == '>'));
                    (at, to, to)
                }
            };
            value = html[from..to].to_owned();
            at = behind;
        }
        found.push((name, value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_read_with_their_attributes() {
        let read = |html: &str| -> Vec<String> {
            let attributes = |tag: &HtmlTag| {
                tag.attributes.iter().map(|(name, value)| format!(" {name}={value}")).collect::<String>()
            };
            let shown = |tag: HtmlTag| {
                format!("{}{}{}@{}", if tag.closes { "/" } else { "" }, tag.name, attributes(&tag), tag.start)
            };
            tags(html).into_iter().map(shown).collect()
        };
        assert_eq!(read("a <B Class='x y' hidden/>c</b>"), ["b class=x y hidden=@2", "/b@26"]);
        assert_eq!(read("<img\nsrc = \"a>b\" onError=x()>"), ["img src=a>b onerror=x()@0"]);
        assert_eq!(read("<!--> <script> -->"), ["script@6"]);
        assert_eq!(read("1 < 2 <> </> <x"), ["x@13"]);
        assert_eq!(read("<a =b =c é='"), ["a =b=c é=@0"]);
    }
}
