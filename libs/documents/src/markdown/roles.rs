//! Roles of MyST: `{ref}`, `{doc}`, `{class}` and the like become links, code and words.

use std::collections::HashMap;

/// Longest name of a role.
const MAX_NAME: usize = 40;

/// Reads a role at the start of a text: its bytes, and CommonMark for it.
pub(super) fn role(text: &str, labels: &HashMap<String, String>) -> Option<(usize, String)> {
    let body = text.strip_prefix('{')?;
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, ':' | '-' | '_' | '.' | '+');
    let end = body.char_indices().take(MAX_NAME).find(|(_, c)| !is_name(*c))?.0;
    let name = body.get(..end).filter(|name| name.starts_with(|c: char| c.is_ascii_alphabetic()))?;
    let content = body.get(end..)?.strip_prefix("}`")?;
    let ticks = 1 + content.bytes().take_while(|byte| *byte == b'`').count();
    let content = content.get(ticks - 1..)?;
    // A role that goes on in the next line is code without its name.
    let Some(close) = content.find(&"`".repeat(ticks)) else { return Some((end + 2, String::new())) };
    let inner = content.get(..close)?;
    let bytes = 1 + end + 1 + ticks + close + ticks;
    Some((bytes, markdown(name, inner, labels)))
}

fn markdown(name: &str, inner: &str, labels: &HashMap<String, String>) -> String {
    let (title, target) = match inner.strip_suffix('>').and_then(|body| body.rsplit_once('<')) {
        Some((title, target)) => (Some(title.trim()), target.trim()),
        None => (None, inner.trim()),
    };
    let last = name.rsplit(':').next().unwrap_or(name);
    match last {
        "sub" | "sup" => format!("<{last}>{inner}</{last}>"),
        "abbr" => inner.split(" (").next().unwrap_or(inner).to_owned(),
        "octicon" | "fas" | "fab" | "far" | "material-regular" | "material-outlined" | "raw" => String::new(),
        "pep" | "rfc" => {
            let kind = last.to_uppercase();
            link(title.unwrap_or(&format!("{kind} {target}")), target)
        }
        "ref" | "doc" | "any" | "term" | "numref" | "download" | "pypi" | "issue" | "pr" | "eq" | "std" => {
            let known = || labels.get(target).map(String::as_str);
            let shown = title.or_else(known).unwrap_or(target.trim_start_matches(['!', '/']));
            link(shown, target)
        }
        "guilabel" | "menuselection" => format!("**{}**", inner.replace("-->", "‣")),
        "strong" => format!("**{inner}**"),
        "emphasis" | "dfn" => format!("*{inner}*"),
        "file" | "samp" => code(&inner.replace(['{', '}'], "")),
        _ if name.starts_with("bdg") => title.unwrap_or(inner).to_owned(),
        _ => code(title.unwrap_or_else(|| short(target))),
    }
}

/// Reads a link of MyST without words, as `[](#target)`: its bytes, and CommonMark with the title of the target, else the
/// words of it.
pub(super) fn bare_link(text: &str, labels: &HashMap<String, String>) -> Option<(usize, String)> {
    let target = text.strip_prefix("[](")?;
    let target = target.get(..target.find(')')?).filter(|target| !target.contains(['\n', '(', ' ']))?;
    let name = target.rsplit('#').next().unwrap_or(target);
    let shown = labels.get(name).map_or(name.trim_start_matches("*."), String::as_str);
    Some((target.len() + 4, link(shown, target)))
}

/// A name without what the reader does not see: `!name`, `~module.name`.
fn short(target: &str) -> &str {
    match target.strip_prefix('~') {
        Some(path) => path.rsplit('.').next().unwrap_or(path),
        None => target.trim_start_matches(['!', '.']),
    }
}

fn code(text: &str) -> String {
    if text.contains('`') { format!("`` {text} ``") } else { format!("`{text}`") }
}

fn link(title: &str, target: &str) -> String {
    let target = target.trim_start_matches('!').replace(['<', '>'], "");
    format!("[{}](<{target}>)", title.trim_start_matches('!').replace('[', "\\[").replace(']', "\\]"))
}
