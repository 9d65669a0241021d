//! Reads the tags and expressions of MDX.

/// A tag.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct MdxTag {
    pub(super) name: String,
    /// Attributes with the text of their values.
    attributes: Vec<(String, String)>,
    pub(super) closes: bool,
    pub(super) closes_itself: bool,
    /// Its bytes.
    pub(super) bytes: usize,
}

impl MdxTag {
    pub(super) fn value(&self, name: &str) -> Option<String> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
    }

    /// The tag as HTML.
    pub(super) fn html(&self) -> String {
        if self.name.is_empty() {
            return String::new();
        }
        let slash = if self.closes { "/" } else { "" };
        let mut html = format!("<{slash}{}", self.name);
        for (name, value) in &self.attributes {
            html.push_str(&format!(" {name}=\"{}\"", value.replace('"', "&quot;")));
        }
        html.push_str(if self.closes_itself { " />" } else { ">" });
        html
    }

    pub(super) fn is_component(&self) -> bool {
        self.name.starts_with(|c: char| c.is_uppercase()) || self.name.contains('.')
    }
}

/// Whether a text begins as a tag does.
pub(super) fn is_tag_start(text: &str) -> bool {
    let body = text.strip_prefix('<').unwrap_or("");
    body.trim_start_matches('/').starts_with(|c: char| c.is_alphabetic())
}

/// Reads the tag at the start of a text.
pub(super) fn tag(text: &str) -> Option<MdxTag> {
    let mut rest = text.strip_prefix('<')?;
    let mut tag = MdxTag { closes: rest.starts_with('/'), ..MdxTag::default() };
    rest = rest.strip_prefix('/').unwrap_or(rest);
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ':' | '@');
    let end = rest.find(|c: char| !is_name(c))?;
    rest.get(..end)?.clone_into(&mut tag.name);
    rest = rest.get(end..)?;
    if tag.name.is_empty() && !rest.starts_with('>') || tag.name.starts_with(|c: char| !c.is_alphabetic()) {
        return None;
    }
    if tag.name.contains(':') && rest.starts_with("//") || tag.name.contains('@') {
        return None;
    }
    loop {
        rest = rest.trim_start();
        if let Some(behind) = rest.strip_prefix('>') {
            tag.bytes = text.len() - behind.len();
            return Some(tag);
        }
        if let Some(behind) = rest.strip_prefix('/') {
            tag.closes_itself = true;
            rest = behind;
            continue;
        }
        if rest.starts_with('{') {
            rest = rest.get(expression(rest)?.0..)?;
            continue;
        }
        let end = rest.find(|c: char| !is_name(c)).filter(|end| *end > 0)?;
        let name = rest.get(..end)?.to_owned();
        rest = rest.get(end..)?.trim_start();
        let Some(behind) = rest.strip_prefix('=') else {
            tag.attributes.push((name, String::new()));
            continue;
        };
        let (bytes, value) = attribute_value(behind.trim_start())?;
        rest = behind.trim_start().get(bytes..)?;
        if let Some(value) = value {
            tag.attributes.push((name, value));
        }
    }
}

/// Bytes of a value of an attribute, and its text if it is one.
fn attribute_value(text: &str) -> Option<(usize, Option<String>)> {
    match text.chars().next()? {
        quote @ ('"' | '\'') => {
            let end = text.get(1..)?.find(quote)?;
            Some((end + 2, text.get(1..=end).map(str::to_owned)))
        }
        '{' => expression(text).map(|(bytes, value)| (bytes, Some(value).filter(|value| !value.is_empty()))),
        _ => {
            let end = text.find(|c: char| c.is_whitespace() || c == '>')?;
            Some((end, text.get(..end).map(str::to_owned)))
        }
    }
}

/// Bytes of the expression in braces at the start of a text, and the text that it is, if it is one.
pub(super) fn expression(text: &str) -> Option<(usize, String)> {
    let (mut depth, mut quote, mut is_escaped) = (0_usize, None, false);
    for (at, c) in text.char_indices() {
        if std::mem::take(&mut is_escaped) {
            continue;
        }
        match (c, quote) {
            ('\\', Some(_)) => is_escaped = true,
            (c, Some(open)) if c == open => quote = None,
            (_, Some(_)) => {}
            ('"' | '`', None) => quote = Some(c),
            ('\'', None) if !text.starts_with("{/*") => quote = Some(c),
            ('{', None) => depth += 1,
            ('}', None) => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some((at + 1, literal(text.get(1..at)?)));
                }
            }
            _ => {}
        }
    }
    None
}

/// Text of a literal; empty for any other expression.
fn literal(expression: &str) -> String {
    let body = expression.trim();
    let quote = body.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'));
    let inner =
        quote.and_then(|quote| body.get(1..)?.strip_suffix(quote)).filter(|inner| !inner.contains("${"));
    let is_number = !body.is_empty() && body.bytes().all(|byte| byte.is_ascii_digit());
    inner.unwrap_or(if is_number { body } else { "" }).to_owned()
}

/// Whether a text is nothing but tags.
pub(super) fn is_all_tags(text: &str) -> bool {
    let mut rest = text;
    while let Some(tag) = tag(rest).filter(|_| is_tag_start(rest)) {
        rest = rest.get(tag.bytes..).unwrap_or("").trim_start();
    }
    rest.is_empty()
}

/// Whether a line ends inside a tag or an expression.
pub(super) fn is_open(line: &str, with_braces: bool) -> bool {
    let (mut at, mut is_code) = (0, false);
    while let Some(next) = line.get(at..).and_then(|rest| rest.find(['`', '<', '{', '\\'])) {
        at += next;
        let rest = line.get(at..).unwrap_or("");
        let skipped = match rest.as_bytes().first() {
            Some(b'\\') => Some(1 + rest.chars().nth(1).map_or(0, char::len_utf8)),
            Some(b'`') => {
                is_code = !is_code;
                Some(rest.bytes().take_while(|byte| *byte == b'`').count())
            }
            _ if is_code => Some(1),
            Some(b'<') if is_tag_start(rest) => tag(rest).map(|tag| tag.bytes),
            Some(b'{') if with_braces && !rest.starts_with("{{") => expression(rest).map(|(bytes, _)| bytes),
            _ => Some(1),
        };
        let Some(skipped) = skipped else { return true };
        at += skipped;
    }
    false
}
