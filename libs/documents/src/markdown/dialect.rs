//! What a page shows of its dialect: some marks are text in one and markup in another.

use std::collections::{HashMap, HashSet};

/// Dialects that a page may be written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Dialect {
    /// Tags are those of MDX: Markdown between them, expressions in braces.
    pub(super) is_mdx: bool,
    /// Text between tags is Markdown.
    pub(super) has_open_tags: bool,
    /// `%` begins a comment.
    pub(super) is_myst: bool,
    /// Rules have ids, and names in brackets are links, as in the Rust Reference.
    pub(super) has_rules: bool,
}

/// Looks at the lines outside of fences.
pub(super) fn of(path: &str, text: &str) -> Dialect {
    let mut dialect = Dialect { is_mdx: path.ends_with(".mdx"), ..Dialect::default() };
    let mut is_vue = false;
    let mut fence: Option<char> = None;
    for line in text.lines() {
        let line = line.trim_start();
        let mark = ['`', '~'].into_iter().find(|mark| line.chars().take_while(|c| c == mark).count() >= 3);
        if mark.is_some() && (fence.is_none() || fence == mark) {
            fence = if fence.is_some() { None } else { mark };
        }
        dialect.is_myst |= line.starts_with("```{") || line.starts_with(":::{") || is_target(line).is_some();
        if fence.is_some() || mark.is_some() {
            continue;
        }
        is_vue |= line.starts_with("<script setup");
        dialect.is_mdx |= is_module_line(line) || line.contains("{/*") || line.contains("className=");
        dialect.is_mdx |=
            line.starts_with("</") && line.as_bytes().get(2).is_some_and(u8::is_ascii_uppercase);
        dialect.has_open_tags |= line.starts_with('<') && line.contains(" markdown");
        dialect.has_open_tags |= line.starts_with('#') && line.contains("{#");
        dialect.has_open_tags |= ["displayed_sidebar:", "sidebar_label:", "sidebar_position:"]
            .iter()
            .any(|key| line.starts_with(key));
        dialect.has_rules |= line.starts_with("r[") && line.ends_with(']');
    }
    dialect.is_mdx &= !is_vue;
    dialect.has_open_tags = (dialect.has_open_tags || dialect.is_mdx) && !is_vue;
    dialect
}

/// Whether a line imports or exports a name of a module.
pub(super) fn is_module_line(line: &str) -> bool {
    let quoted = |rest: &str| rest.starts_with(['"', '\'']);
    if let Some(rest) = line.strip_prefix("import ") {
        return quoted(rest.trim_start())
            || rest.trim() == "{"
            || rest.starts_with("{ ") && !rest.contains('}')
            || rest.split_once(" from ").is_some_and(|(_, module)| quoted(module.trim_start()));
    }
    line.strip_prefix("export ").is_some_and(|rest| {
        ["const ", "default ", "function ", "let ", "async "].iter().any(|word| rest.starts_with(word))
    })
}

/// Name of a target: `(name)=` on a line of its own.
pub(super) fn is_target(line: &str) -> Option<&str> {
    let name = line.trim().strip_prefix('(')?.strip_suffix(")=")?;
    (!name.is_empty() && !name.contains(['(', ')'])).then_some(name)
}

/// Titles of targets: the heading below each.
pub(super) fn labels(text: &str) -> HashMap<String, String> {
    let mut labels = HashMap::new();
    let mut open: Vec<&str> = Vec::new();
    for line in text.lines() {
        let body = line.trim_start_matches('#');
        if let Some(name) = is_target(line) {
            open.push(name);
        } else if body.len() < line.len() && body.starts_with(' ') {
            let title = super::spans::title(body);
            labels.extend(open.drain(..).map(|name| (name.to_owned(), title.clone())));
        } else if !line.trim().is_empty() {
            open.clear();
        }
    }
    labels
}

/// Names of shortcodes and tags of Liquid that end somewhere: `{{< /name >}}`, `{% endname %}`.
pub(super) fn closers(text: &str) -> HashSet<String> {
    let ends = ["{{< /", "{{% /", "{{</", "{{%/", "{% end", "{%- end"];
    let after = ends.iter().flat_map(|end| text.match_indices(end).map(|(at, end)| at + end.len()));
    let name = |at: usize| {
        let rest = text.get(at..)?.trim_start();
        let end = rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_')))?;
        rest.get(..end).map(str::to_owned)
    };
    after.filter_map(name).collect()
}
