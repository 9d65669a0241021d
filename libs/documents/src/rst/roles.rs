//! Interpreted text: what each role shows.

use std::ops::Range;

use super::Reader;
use super::markup::with_target;
use super::names;
use super::text::{Text, unescaped};
use crate::Style;
use crate::inline::Inline;

impl Reader<'_, '_> {
    /// Adds what a role shows for a part of a text.
    pub(super) fn role(&mut self, role: &str, text: &Text, content: Range<usize>, out: &mut Inline) {
        let name = role.rsplit(':').next().unwrap_or(role).to_lowercase();
        let name = self.roles.get(&name).cloned().unwrap_or(name);
        let shown = unescaped(text.get(content.clone()));
        let line = text.line(content.start);
        match name.as_str() {
            "raw" => {}
            "abbr" | "acronym" => {
                // The words in brackets are a hint that appears on its own.
                let whole = text.get(content.clone());
                let end = whole.rfind('(').filter(|_| whole.ends_with(')')).unwrap_or(whole.len());
                let shown = whole.get(..end).unwrap_or(whole).trim_end();
                text.plain(content.start..content.start + shown.len(), out);
            }
            "pep" | "rfc" | "cve" | "cwe" => self.standard(&name, text, content, out),
            "menuselection" => out.push(&accelerated(&shown).replace("-->", "‣"), line),
            "guilabel" => out.push(&accelerated(&shown), line),
            "file" | "samp" => {
                out.open(Style::Code);
                emphasised(&shown, line, out);
                out.close();
            }
            "ref" | "numref" | "doc" | "download" | "term" | "any" | "eq" => {
                self.referred(&name, text, content, out);
            }
            "func" | "meth" | "function" | "method" => self.object(text, content, "()", out),
            name if OBJECTS.contains(&name) => self.object(text, content, "", out),
            name => match style(name) {
                Some(Style::Code) => {
                    out.open(Style::Code);
                    text.literal(content, out);
                    out.close();
                }
                Some(style) => {
                    out.open(style);
                    text.plain(content, out);
                    out.close();
                }
                None => self.unknown(name, text, content, out),
            },
        }
    }

    /// Shows a name of code: its last part behind `~`, its brackets where it is called.
    fn object(&mut self, text: &Text, content: Range<usize>, brackets: &str, out: &mut Inline) {
        let (title, target) = with_target(text, content.clone());
        let line = text.line(content.start);
        let own = target.is_some();
        let target = target.unwrap_or_else(|| unescaped(text.get(content)));
        let name = target.trim_start_matches('!');
        out.open(Style::Link(name.trim_start_matches('~').to_owned()));
        out.open(Style::Code);
        if own {
            text.plain(title, out);
        } else {
            let shown = match name.strip_prefix('~') {
                Some(path) => path.rsplit('.').next().unwrap_or(path),
                None => name,
            };
            out.push(shown.trim_start_matches('.'), line);
            if !shown.ends_with(')') {
                out.push(brackets, line);
            }
        }
        out.close();
        out.close();
    }

    /// Shows a reference by its own words, else by the title of its target, else by its target.
    fn referred(&mut self, role: &str, text: &Text, content: Range<usize>, out: &mut Inline) {
        let (title, target) = with_target(text, content.clone());
        let own = target.is_some();
        let target = target.unwrap_or_else(|| unescaped(text.get(content)));
        let target = target.trim_start_matches(['!', '~']).to_owned();
        out.open(Style::Link(target.clone()));
        let line = text.line(title.start);
        let found = match role {
            "doc" => self.title_of(&target),
            "ref" | "any" => self.names.titles.get(&names::normal(&target)).cloned(),
            _ => None,
        };
        match found.filter(|_| !own && self.level == 0) {
            Some(found) => {
                self.level += 1;
                self.scan(&Text::at(found, line), out);
                self.level -= 1;
            }
            None if !own && matches!(role, "ref" | "numref") && !target.contains(' ') => {
                out.push(&target.replace(['-', '_'], " "), line);
            }
            None => {
                let shown = text.get(title.clone());
                text.plain(title.start + (shown.len() - shown.trim_start_matches('!').len())..title.end, out);
            }
        }
        out.close();
    }

    fn standard(&mut self, name: &str, text: &Text, content: Range<usize>, out: &mut Inline) {
        let (title, target) = with_target(text, content.clone());
        let line = text.line(content.start);
        let number = unescaped(text.get(content));
        let name = name.to_uppercase();
        out.open(Style::Link(target.clone().unwrap_or_else(|| number.clone())));
        match target {
            Some(_) => text.plain(title, out),
            None => out.push(&format!("{name} {}", place_in_standard(&name, &number)), line),
        }
        out.close();
    }

    /// Shows a role of the page's own set-up: a number with `#`, or the words.
    fn unknown(&mut self, name: &str, text: &Text, content: Range<usize>, out: &mut Inline) {
        let (title, target) = with_target(text, content.clone());
        let link = target.clone().unwrap_or_else(|| unescaped(text.get(content.clone())));
        let numbered = NUMBERS.contains(&name)
            && target.is_none()
            && text.get(content.clone()).bytes().all(|byte| byte.is_ascii_digit());
        let line = text.line(content.start);
        if name.is_empty() {
            out.open(Style::Emphasis);
            text.plain(content, out);
        } else {
            out.open(Style::Link(link));
            if numbered {
                out.push("#", line);
            }
            text.plain(title, out);
        }
        out.close();
    }

    /// The title of another page of the set; none for a passage.
    fn title_of(&mut self, target: &str) -> Option<String> {
        if let Some(known) = self.pages.get(target) {
            return known.clone();
        }
        if self.pages.len() >= crate::builder::MAX_INCLUDES {
            return None;
        }
        let from = self.builder.file.as_deref().unwrap_or(self.builder.path).to_owned();
        let files = self.builder.files;
        let found = ["rst", "txt", "md"]
            .iter()
            .find_map(|kind| names::find(files, &from, &format!("{target}.{kind}")));
        let title = found.and_then(|(path, text)| super::title::of_page(&path, &text));
        self.pages.insert(target.to_owned(), title.clone());
        title
    }
}

/// Number of a standard; of an RFC `9110#section-9.2.1` as `9110 Section 9.2.1`.
fn place_in_standard(name: &str, number: &str) -> String {
    let parts = number.split_once('#').filter(|_| name == "RFC");
    let parts = parts.and_then(|(number, place)| Some((number, place.split_once('-')?)));
    match parts {
        Some((number, (kind @ ("appendix" | "page" | "section"), place))) => {
            let (first, rest) = kind.split_at(1);
            format!("{number} {}{rest} {place}", first.to_uppercase())
        }
        _ => number.to_owned(),
    }
}

/// The text of a menu or button without the marks of its keys.
fn accelerated(text: &str) -> String {
    text.replace("&&", "\0").replace('&', "").replace('\0', "&")
}

/// Pushes text in which `{braces}` hold what varies.
fn emphasised(text: &str, line: u32, out: &mut Inline) {
    for (index, part) in text.split('{').enumerate() {
        match part.split_once('}').filter(|_| index > 0) {
            Some((inside, after)) => {
                out.styled(Style::Emphasis, inside, line);
                out.push(after, line);
            }
            None if index > 0 => {
                out.push("{", line);
                out.push(part, line);
            }
            None => out.push(part, line),
        }
    }
}

/// The style of a role whose text is shown as it is.
pub(super) fn style(name: &str) -> Option<Style> {
    Some(match name {
        "emphasis" | "dfn" | "mailheader" | "manpage" | "mimetype" | "newsgroup" | "title-reference"
        | "title" | "t" => Style::Emphasis,
        "strong" | "command" | "program" | "makevar" => Style::Strong,
        "code" | "literal" | "kbd" | "regexp" | "math" => Style::Code,
        "sup" | "superscript" => Style::Raised,
        "sub" | "subscript" => Style::Lowered,
        "strike" | "del" | "strikethrough" => Style::Struck,
        _ => return None,
    })
}

/// Roles of numbers that a page's set-up shows with `#`.
const NUMBERS: &[&str] = &["issue", "pr", "pull", "ticket", "gh", "bug", "bpo", "mr"];

/// Roles that show the name of something in code.
const OBJECTS: &[&str] = &[
    "attr",
    "attribute",
    "class",
    "confval",
    "const",
    "data",
    "dir",
    "djadmin",
    "enum",
    "enumerator",
    "envvar",
    "exc",
    "exception",
    "expr",
    "interface",
    "keyword",
    "lookup",
    "macro",
    "member",
    "mod",
    "model",
    "module",
    "namespace",
    "obj",
    "object",
    "opcode",
    "option",
    "package",
    "property",
    "role",
    "setting",
    "struct",
    "template",
    "texpr",
    "tfilter",
    "token",
    "trait",
    "ttag",
    "type",
    "union",
    "var",
];
