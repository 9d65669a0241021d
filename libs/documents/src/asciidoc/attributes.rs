//! Defaults of attributes that are set outside of the page: the Antora component, prefixes of addresses.

use std::collections::BTreeSet;

use crate::builder::{Builder, resolve};

/// Stands for an unknown beginning of an address, so that the link around it is read as one.
const UNKNOWN: &str = "https://unknown.invalid/";
/// Names that are given a value for one page.
const MAX_NAMES: usize = 200;

/// Folder of the modules of an Antora component and name of the module, told by the path of a page.
pub(super) fn antora(path: &str) -> Option<(&str, &str)> {
    let at =
        path.rfind("modules/").filter(|at| *at == 0 || path.get(..*at).is_some_and(|p| p.ends_with('/')))?;
    let (folder, rest) = path.split_at_checked(at + "modules/".len())?;
    let (module, family) = rest.split_once('/')?;
    ["pages/", "partials/", "examples/"]
        .iter()
        .any(|name| family.starts_with(name))
        .then_some((folder, module))
}

/// Names and values for a page.
pub(super) fn of(builder: &Builder<'_>, text: &str) -> Vec<(String, String)> {
    // Playbooks set it for the macros of keys, buttons and menus, which are seldom meant as text.
    let mut set = vec![("experimental".to_owned(), String::new())];
    if let Some((folder, _)) = antora(builder.path) {
        let own = [("idprefix", ""), ("idseparator", "-"), ("env-site", ""), ("site-gen-antora", "")];
        set.extend(own.map(|(name, value)| (name.to_owned(), value.to_owned())));
        let component = builder.files.text(&resolve(folder, "../antora.yml")).unwrap_or_default();
        set.extend(component_attributes(&component));
    }
    for name in unknown(text) {
        if !set.iter().any(|(known, _)| *known == name) {
            set.push((name.clone(), format!("{UNKNOWN}{name}")));
        }
    }
    set
}

/// What stands below `asciidoc:` and `attributes:` in the description of a component.
fn component_attributes(yaml: &str) -> Vec<(String, String)> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut lines = yaml.lines().skip_while(|line| line.trim_end() != "asciidoc:");
    let Some(head) = lines.by_ref().skip(1).find(|line| line.trim() == "attributes:") else {
        return Vec::new();
    };
    let below = lines.take_while(|line| line.trim().is_empty() || indent(line) > indent(head));
    let pairs =
        below.filter_map(|line| line.trim().split_once(':')).filter(|(name, _)| !name.starts_with('#'));
    let value = |value: &str| value.trim().trim_matches(['"', '\'']).trim_end_matches('@').to_owned();
    pairs.take(MAX_NAMES).map(|(name, text)| (name.trim().to_owned(), value(text))).collect()
}

/// Names of attributes that a page does not set and that begin the address of a link: `{name}/path[text]`.
fn unknown(text: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut known = BTreeSet::new();
    for line in text.lines() {
        if let Some((name, _)) = line.strip_prefix(':').and_then(|rest| rest.split_once(':')) {
            known.insert(name.trim_matches('!'));
        } else if let Some((_, name)) = line.split_once("def::") {
            known.extend(name.split('[').next().unwrap_or("").split([',', '+']));
        } else if line.contains('{') && !line.starts_with("include::") {
            let words = line.split(|c: char| c.is_whitespace() || matches!(c, '(' | '"'));
            let begins = |word: &str| {
                let (name, rest) = word.strip_prefix('{')?.split_once('}')?;
                let plain = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
                let link = rest.starts_with(['/', '[']) && rest.contains('[');
                (plain && link).then(|| name.to_owned())
            };
            names.extend(words.filter_map(begins).take(MAX_NAMES));
        }
    }
    names.into_iter().filter(|name| !known.contains(name.as_str())).take(MAX_NAMES).collect()
}

/// A text in which unknown attributes stand as they were written.
pub(super) fn as_written(text: &str) -> String {
    let mut parts = text.split(UNKNOWN);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|c: char| !c.is_ascii_alphanumeric() && c != '-').unwrap_or(part.len());
        let (name, rest) = part.split_at_checked(end).unwrap_or((part, ""));
        out.push_str(&format!("{{{name}}}{rest}"));
    }
    out
}
