//! Directives: what each of them shows.

use super::Reader;
use super::explicit::Directive;
use super::line::{Line, indented};
use super::lists::from_line;
use super::place::{Pending, Place};
use crate::inline::Inline;
use crate::{Kind, Style};

impl Reader<'_, '_> {
    /// Reads a directive.
    pub(super) fn directive(&mut self, directive: &Directive<'_>, place: &mut Place) {
        let name = directive.name.as_str();
        if let Some(label) = super::admonitions::label(name) {
            return self.admonition(label, &directive.whole(), directive, place);
        }
        match name {
            _ if self.set_up(directive) => {}
            "code-block" | "code" | "sourcecode" | "code-cell" | "prompt" | "console" | "ipython"
            | "jupyter-execute" | "code-tab" | "doctest" | "testcode" | "testoutput" | "productionlist"
            | "math" | "code-example" => {
                self.code_block(directive, place);
            }
            "parsed-literal" => self.parsed_literal(directive, place),
            "literalinclude" | "include" => self.include(directive, place),
            "admonition" | "topic" | "sidebar" => self.titled(directive, place),
            "versionadded" | "versionchanged" | "deprecated" | "versionremoved" => {
                self.version(directive, place)
            }
            "image" => self.image(directive, place),
            "figure" => self.figure(directive, place),
            "rubric" | "centered" => self.rubric(directive, place),
            "tab" | "tab-item" | "group-tab" | "dropdown" | "details" | "collapse" | "card"
            | "grid-item-card" | "list-item" => self.headed(directive, place),
            "glossary" => self.glossary(directive, place),
            "list-table" => self.list_table(directive, place),
            "csv-table" => self.csv_table(directive, place),
            "table" => self.captioned_table(directive, place),
            "toctree" => self.contents(directive),
            "only" if !shown_online(&directive.words()) => {}
            "setting" | "templatetag" | "templatefilter" | "fieldlookup" if !directive.has_content() => {
                self.name_object(directive, place);
            }
            name if HIDDEN.contains(&name) => {}
            name if CONTAINERS.contains(&name) => self.contained(&directive.content(), directive, place),
            "epigraph" | "highlights" | "pull-quote" => {
                self.contained(&super::body::attributed(directive.whole()), directive, place);
            }
            name if WHOLE.contains(&name) => self.contained(&directive.whole(), directive, place),
            _ if super::objects::is_object(directive) => self.object_description(directive, place),
            _ => self.unknown_directive(directive, place),
        }
    }

    /// Takes a directive that says how what follows is read; whether it is one.
    fn set_up(&mut self, directive: &Directive<'_>) -> bool {
        let words = directive.words();
        match directive.name.as_str() {
            "highlight" => self.language = words,
            "default-role" => self.default_role = words,
            "role" => self.define_role(&words),
            "program" => self.program = words,
            "module" | "py:module" | "currentmodule" | "py:currentmodule" => self.enter_module(directive),
            _ => return false,
        }
        true
    }

    fn contained(&mut self, lines: &[Line<'_>], directive: &Directive<'_>, place: &mut Place) {
        self.settle(place);
        self.names_of(directive);
        let inner = Place { titles: place.titles, note: place.note.clone(), ..place.inner() };
        self.inside(lines, inner);
    }

    /// Notes the ids that options give.
    pub(super) fn names_of(&mut self, directive: &Directive<'_>) {
        if let Some(name) = directive.option("name") {
            self.anchor(name, directive.lines.first);
        }
    }

    /// Reads a directive of an extension: its argument is a title where it has content.
    fn unknown_directive(&mut self, directive: &Directive<'_>, place: &mut Place) {
        match directive.argument.is_empty() {
            _ if !directive.has_content() && directive.argument.len() > 1 => {
                self.contained(&directive.whole(), directive, place);
            }
            _ if !directive.has_content() => {}
            true => self.contained(&directive.content(), directive, place),
            false => self.headed(directive, place),
        }
    }

    /// Reads content under a title that a reader chooses or opens.
    fn headed(&mut self, directive: &Directive<'_>, place: &mut Place) {
        self.settle(place);
        self.names_of(directive);
        let title = self.inline(&directive.argument);
        let lines = from_line(directive.lines.first, &directive.argument);
        let lead = self.builder.block(Kind::Paragraph, title, lines, 0, place.lead);
        let inner = Place { lead: lead.or(place.lead), titles: place.titles, ..place.inner() };
        self.inside(&directive.content(), inner);
    }

    /// Reads a heading that opens no section.
    fn rubric(&mut self, directive: &Directive<'_>, place: &mut Place) {
        let inline = self.inline(&directive.argument);
        let mut strong = Inline::default();
        strong.open(Style::Strong);
        strong.append(inline);
        strong.close();
        self.settle(place);
        self.names_of(directive);
        self.paragraph(strong, from_line(directive.lines.first, &directive.argument), place);
    }

    /// Reads a note of a version, as Sphinx shows it.
    fn version(&mut self, directive: &Directive<'_>, place: &mut Place) {
        let words = match directive.name.as_str() {
            "versionadded" => "New in version",
            "versionchanged" => "Changed in version",
            "versionremoved" => "Removed in version",
            _ => "Deprecated since version",
        };
        let mut argument = directive.argument.clone();
        let Some(first) = argument.first_mut() else { return };
        let line = first.number;
        let (version, rest) = first.text.split_once(' ').unwrap_or((first.text, ""));
        first.text = rest.trim_start();
        let said = argument.iter().any(|line| !line.blank()) || directive.has_content();
        let mut prefix = Inline::default();
        prefix.push(words, line);
        prefix.space();
        let version = self.inline(&[Line::new(version, line)]);
        prefix.append(version);
        prefix.push(if said { ":" } else { "." }, line);
        let text: Vec<_> = argument.into_iter().filter(|line| !line.blank()).collect();
        let lines = from_line(directive.lines.first, &text);
        if text.is_empty() && said {
            self.settle(place);
            let pending = Pending::Prefix { words: prefix, lines };
            self.inside(&directive.content(), Place { pending: Some(pending), ..place.inner() });
            return;
        }
        let inline = self.inline(&text);
        prefix.space();
        prefix.append(inline);
        self.paragraph(prefix, lines, place);
        self.inside(&directive.content(), place.inner());
    }

    /// Reads terms that share a description where no blank line parts them.
    fn glossary(&mut self, directive: &Directive<'_>, place: &mut Place) {
        let lines: Vec<Line<'_>> = directive.content().iter().map(glossed).collect();
        let (lead, group) = (self.lead(place), self.builder.group());
        let mut at = 0;
        while let Some(rest) = lines.get(at..).filter(|rest| !rest.is_empty()) {
            let comment = rest.first().is_some_and(|line| line.text.starts_with(".. "));
            let terms = rest.iter().take_while(|line| line.indent() == 0 && !line.blank()).count();
            if comment || terms == 0 {
                at += 1 + indented(rest.get(1..).unwrap_or(&[]), 1);
                continue;
            }
            for term in rest.get(..terms).unwrap_or(&[]) {
                self.named(format!("term-{}", crate::anchors::docutils(term.text)), term.number);
            }
            at += self.described(rest, terms, group, lead, place);
        }
    }

    /// Notes where the entries of a table of contents lead.
    fn contents(&mut self, directive: &Directive<'_>) {
        for line in directive.content().iter().filter(|line| !line.blank()) {
            let target =
                line.text.rsplit_once('<').map_or(line.text, |(_, target)| target.trim_end_matches('>'));
            self.builder.document.targets.push((target.trim().to_owned(), line.number));
        }
    }

    /// Notes a role of the page: `name(base)`.
    fn define_role(&mut self, words: &str) {
        let (name, base) = words.split_once('(').unwrap_or((words, ""));
        let base = base.trim_end_matches(')').trim().to_lowercase();
        let name = name.trim().to_lowercase();
        let base =
            if base.is_empty() && super::roles::style(&name).is_none() { "inline".to_owned() } else { base };
        if !base.is_empty() {
            self.roles.insert(name, base);
        }
    }
}

/// A line of a glossary: what follows a term sorts it, and is not shown.
fn glossed<'a>(line: &Line<'a>) -> Line<'a> {
    match line.text.split_once(" : ").filter(|_| line.indent() == 0) {
        Some((term, _)) => Line::new(term, line.number),
        None => *line,
    }
}

/// Whether content for some builders is shown on the web.
fn shown_online(condition: &str) -> bool {
    let online = condition.split(|c: char| !c.is_alphanumeric()).any(|word| word == "html");
    let negated = condition.contains("not ");
    online != negated
}

/// Directives that show nothing, or nothing that is text of the page.
const HIDDEN: &[&str] = &[
    "blockdiag",
    "class-diagram",
    "codeauthor",
    "contents",
    "date",
    "default-domain",
    "digraph",
    "footer",
    "graph",
    "graphviz",
    "header",
    "index",
    "inheritance-diagram",
    "mermaid",
    "meta",
    "moduleauthor",
    "nextprev",
    "nwdiag",
    "plantuml",
    "plot",
    "raw",
    "sectionauthor",
    "sectnum",
    "seqdiag",
    "tabularcolumns",
    "target-notes",
    "testcleanup",
    "testsetup",
    "title",
    "todo",
    "todolist",
    "uml",
    "youtube",
    "namespace",
    "c:namespace",
    "cpp:namespace",
    "py:currentclass",
];

/// Directives whose argument is for the page's layout: their content is shown.
const CONTAINERS: &[&str] = &[
    "container",
    "cssclass",
    "grid",
    "grid-item",
    "hlist",
    "ifconfig",
    "only",
    "rst-class",
    "tab-set",
    "tab-set-code",
    "tabs",
];

/// Directives that take no argument: all of it is content.
const WHOLE: &[&str] = &["acks", "compound", "line-block"];
