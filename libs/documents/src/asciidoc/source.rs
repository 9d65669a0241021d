//! The whole source of a page: its text with the files that it includes, and the place of each line.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use asciidoc_parser::attributes::Attrlist;
use asciidoc_parser::parser::{IncludeContent, IncludeFileHandler, IncludeResolution, ModificationContext};
use asciidoc_parser::{Document, Parser, SafeMode};

use super::attributes::{self, antora};
use super::guard::{self, Lengths};
use super::include::Directive;
use crate::WarningKind;
use crate::builder::{Builder, MAX_INCLUDES, resolve};

/// Lines of a page and its included files, in the order in which they are read.
pub(super) struct Source {
    lines: Vec<String>,
    /// File, none for the page itself, and line of each.
    pub(super) places: Vec<(Option<Arc<str>>, u32)>,
    attributes: Vec<(String, String)>,
    /// Titles, as HTML, of the pages of a component that references without a text name.
    pub(super) titles: BTreeMap<String, String>,
}

impl Source {
    /// Collects the lines of a page; `text` is prepared for the parser.
    pub(super) fn of(builder: &mut Builder<'_>, text: &str, lengths: Lengths) -> Self {
        let attributes = attributes::of(builder, text);
        let known = attributes.iter().cloned().collect();
        let titles = titles(builder, text);
        let source = Self { lines: Vec::new(), places: Vec::new(), attributes, titles };
        let mut reader = Reader { builder, source, known, bytes: text.len(), lengths };
        reader.read((1..).zip(text.split('\n')));
        reader.source
    }

    /// Parses it.
    pub(super) fn parse(&self) -> Document<'static> {
        let start = Parser::default().with_safe_mode(SafeMode::Safe).with_include_file_handler(Nothing);
        // A value that names itself would double with each line.
        let start =
            start.with_intrinsic_attribute("max-attribute-value-size", "4096", ModificationContext::ApiOnly);
        let parser = self.attributes.iter().fold(start, |parser, (name, value)| {
            parser.with_intrinsic_attribute(name, value, ModificationContext::Anywhere)
        });
        { parser }.parse(&self.lines.join("\n"))
    }
}

/// Shows nothing for an include that the reader left, where Asciidoctor shows a message.
#[derive(Debug)]
struct Nothing;

impl IncludeFileHandler for Nothing {
    fn resolve_target<'src>(
        &self,
        _: Option<&str>,
        _: &str,
        _: &Attrlist<'src>,
        _: &Parser,
    ) -> IncludeResolution {
        IncludeContent::new("").into()
    }
}

struct Reader<'b, 't> {
    builder: &'b mut Builder<'t>,
    source: Source,
    /// Attributes set so far, which a target may name.
    known: BTreeMap<String, String>,
    bytes: usize,
    lengths: Lengths,
}

impl Reader<'_, '_> {
    fn read<'l>(&mut self, lines: impl Iterator<Item = (u32, &'l str)>) {
        for (number, line) in lines {
            match Directive::of(line) {
                Some(directive) => self.include(&directive, number),
                None => {
                    self.entry(line);
                    self.push(line, number);
                }
            }
        }
    }

    fn push(&mut self, line: &str, number: u32) {
        self.source.lines.push(line.to_owned());
        self.source.places.push((self.builder.file.clone(), number));
    }

    /// Keeps the value of an attribute that a line sets.
    fn entry(&mut self, line: &str) {
        let Some((name, value)) = line.strip_prefix(':').and_then(|rest| rest.split_once(':')) else {
            return;
        };
        let value = self.with_values(value.trim());
        self.known.insert(name.to_owned(), value);
    }

    /// A text with the values of the attributes that are known here.
    fn with_values(&self, text: &str) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            out.push_str(before);
            match after.split_once('}').and_then(|(name, after)| Some((self.known.get(name)?, after))) {
                Some((value, after)) if out.len() < 1_000 => {
                    out.push_str(value.get(..1_000).unwrap_or(value));
                    rest = after;
                }
                _ => {
                    out.push('{');
                    rest = after;
                }
            }
        }
        out.push_str(rest);
        out
    }

    fn include(&mut self, directive: &Directive<'_>, number: u32) {
        let from =
            self.builder.file.clone().map_or_else(|| self.builder.path.to_owned(), |file| file.to_string());
        let target = path_of(&from, &self.with_values(directive.target));
        let Some(text) = self.builder.include(&target, number) else { return };
        self.bytes = self.bytes.saturating_add(text.len());
        let reason = match guard::refusal(&text, &mut self.lengths) {
            None if self.bytes > guard::MAX_BYTES => Some("all files of the page are larger than 1 MiB"),
            reason => reason,
        };
        if let Some(reason) = reason {
            self.builder.end_include();
            let message = format!("`{}` is not included: {reason}", directive.target);
            return self.builder.warn(number, WarningKind::TooLarge, message);
        }
        let text = guard::prepared(&text, 0);
        let lines = directive.lines(&text);
        let outer = directive.level().map(|level| self.shift(level, number));
        let at = self.source.lines.len();
        self.read(lines.into_iter());
        match self.source.lines.get_mut(at) {
            Some(first) => first.insert_str(0, directive.before),
            None if !directive.before.is_empty() => self.push(directive.before, number),
            None => {}
        }
        self.builder.end_include();
        if let Some(outer) = outer {
            self.push("", number);
            self.push(&format!(":leveloffset: {outer}"), number);
            self.known.insert("leveloffset".to_owned(), outer);
            self.push("", number);
        }
    }

    /// Changes the level of headings, above the lines that belong to what is included; gives the level before.
    fn shift(&mut self, level: &str, number: u32) -> String {
        let before: i32 = self.known.get("leveloffset").and_then(|level| level.parse().ok()).unwrap_or(0);
        let given: i32 = level.parse().unwrap_or(0);
        let after = if level.starts_with(['+', '-']) { before.saturating_add(given) } else { given };
        let belongs =
            |line: &&String| (line.starts_with('[') && line.ends_with(']')) || line.starts_with('.');
        let at = self.source.lines.len() - self.source.lines.iter().rev().take_while(belongs).count();
        let place = (self.source.places.get(at).cloned()).unwrap_or((self.builder.file.clone(), number));
        for line in ["".to_owned(), format!(":leveloffset: {after}"), "".to_owned()] {
            self.source.lines.insert(at, line);
            self.source.places.insert(at, place.clone());
        }
        self.known.insert("leveloffset".to_owned(), after.to_string());
        before.to_string()
    }
}

/// Titles of other pages by the target of their references: `xref:folder/page.adoc[]` shows one on a site of Antora.
fn titles(builder: &Builder<'_>, text: &str) -> BTreeMap<String, String> {
    let Some((folder, module)) = antora(builder.path) else { return BTreeMap::new() };
    let targets =
        text.split("xref:").skip(1).filter_map(|rest| rest.split_once("[]").map(|(target, _)| target));
    let targets: BTreeSet<&str> =
        targets.filter(|target| target.ends_with(".adoc")).take(MAX_INCLUDES).collect();
    let title = |target: &&str| {
        let path = resolve("", &format!("{folder}{module}/pages/{target}"));
        let page = builder.files.text(&path)?;
        let line = page.lines().find(|line| line.starts_with("= ")).filter(|line| line.len() < 1_000)?;
        Parser::default().parse(line).doctitle().map(str::to_owned)
    };
    targets.iter().filter_map(|target| Some(((*target).to_owned(), title(target)?))).collect()
}

/// Path, from the root of the set, of an included file; Antora names one by module and family: `ROOT:partial$name.adoc`.
fn path_of(from: &str, target: &str) -> String {
    let (Some((family, name)), Some((folder, here))) = (target.split_once('$'), antora(from)) else {
        return target.to_owned();
    };
    let (module, family) = family.rsplit_once(':').unwrap_or((here, family));
    let module = module.rsplit_once(':').map_or(module, |(_, module)| module);
    let module = if module.is_empty() { here } else { module };
    format!("/{}", resolve("", &format!("{folder}{module}/{family}s/{name}")))
}
