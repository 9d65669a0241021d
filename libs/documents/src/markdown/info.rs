//! The info string of a fence: language and title.

/// What a fence says about its code.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Info {
    pub(super) language: String,
    pub(super) title: Option<String>,
}

/// Reads an info string: `rust,ignore`, `js {1,3-4}`, `js title="a.js"`, `sh [npm]`, `{.python #id}`.
pub(super) fn read(info: &str) -> Info {
    let info = info.trim();
    let title = ["title=", "filename=", "name=", "tab="].iter().find_map(|key| {
        let bare = || {
            let value = info.split_whitespace().find_map(|word| word.strip_prefix(key))?;
            value.starts_with(|c: char| c.is_alphanumeric()).then(|| value.to_owned())
        };
        attribute(info, key).or_else(bare)
    });
    let label = || {
        let (_, rest) = info.split_once(" [")?;
        let label = rest.split_once(']')?.0.trim();
        label.starts_with(char::is_alphabetic).then(|| label.to_owned())
    };
    let first = match info.strip_prefix('{') {
        Some(list) => list.trim_start().trim_start_matches('.'),
        None => info,
    };
    let end = |c: char| c.is_whitespace() || matches!(c, ',' | '{' | '}' | '[' | ':' | ';' | '(' | '=');
    let word = first.split(end).next().unwrap_or("");
    let language = word.strip_prefix("language-").unwrap_or(word).to_lowercase();
    let is_attribute =
        language == "title" || first.get(word.len()..).is_some_and(|rest| rest.starts_with('='));
    let language = if is_attribute || word.starts_with('#') { String::new() } else { language };
    Info { language, title: title.or_else(label).filter(|title| !title.is_empty()) }
}

/// Name of a file behind the language, as interactive listings show it; none for one that is not shown.
pub(super) fn file_name(info: &str) -> Option<&str> {
    let name = info.split_whitespace().nth(1)?;
    let is_name = name.contains('.') && !name.contains(['=', '"', '{', '[']);
    (is_name && !info.ends_with(" hidden")).then_some(name)
}

/// Value of an attribute in quotes.
pub(super) fn attribute(text: &str, key: &str) -> Option<String> {
    for (at, _) in text.match_indices(key) {
        let is_word = text
            .get(..at)
            .is_some_and(|before| !before.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '-' | '_')));
        let rest = text.get(at + key.len()..).unwrap_or("").trim_start_matches('{');
        let Some(quote) = rest.chars().next().filter(|c| matches!(c, '"' | '\'')) else { continue };
        if let (true, Some((value, _))) = (is_word, rest.get(1..).and_then(|rest| rest.split_once(quote))) {
            return Some(value.trim().to_owned());
        }
    }
    None
}
