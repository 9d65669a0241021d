//! The words of HTML blocks, which a reader sees.

/// What of HTML is open.
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
