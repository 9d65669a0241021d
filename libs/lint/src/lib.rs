//! Corpus lint: mistakes in a set of documentation pages. Pure: whether a file exists is a question to the caller.
//!
//! Invariants
//! - A rule reports only what it can decide from the pages; it is silent where a page is cut short or a target unknown.
//! - Each rule takes time linear in the pages, parsing of code aside.

mod code;
mod links;
mod page;
mod passages;

use std::collections::HashMap;

use assay_domain::LineRange;
pub use assay_languages::stack_bytes;

/// A file of the set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Path inside the set, with `/` between its parts.
    pub path: String,
    /// Content.
    pub text: String,
}

/// What is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rule {
    /// Code that the parser of its language rejects.
    CodeInvalid,
    /// A link to a file that does not exist.
    DeadLink,
    /// A link to an anchor that its page does not have.
    DeadAnchor,
    /// A passage that repeats another one.
    Duplicate,
    /// A page that no other page links to.
    Orphan,
    /// A sentence that another page states with one other value.
    Contradiction,
    /// A part of a page that cannot be read as it is meant.
    Unread,
}

impl Rule {
    /// Every rule, in the order of the documentation.
    pub const ALL: [Self; 7] = [
        Self::CodeInvalid,
        Self::DeadLink,
        Self::DeadAnchor,
        Self::Duplicate,
        Self::Orphan,
        Self::Contradiction,
        Self::Unread,
    ];

    /// Its id.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::CodeInvalid => "code-invalid",
            Self::DeadLink => "dead-link",
            Self::DeadAnchor => "dead-anchor",
            Self::Duplicate => "duplicate",
            Self::Orphan => "orphan",
            Self::Contradiction => "contradiction",
            Self::Unread => "unread",
        }
    }

    /// What it finds, as a sentence.
    #[must_use]
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::CodeInvalid => "The parser of its language rejects a code block.",
            Self::DeadLink => "A relative link leads to no file.",
            Self::DeadAnchor => "A link names an anchor that its page does not have.",
            Self::Duplicate => "A passage repeats another one.",
            Self::Orphan => "No other page links to a page.",
            Self::Contradiction => "Two pages state the same sentence with different values.",
            Self::Unread => "A part of a page cannot be read as it is meant.",
        }
    }

    /// The rule of an id.
    #[must_use]
    pub fn named(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|rule| rule.as_str() == id)
    }
}

/// Lines of a file of the set.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Path of the file.
    pub path: String,
    /// Its lines.
    pub lines: LineRange,
}

/// A mistake.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The rule that it breaks.
    pub rule: Rule,
    /// Where it is.
    pub place: Place,
    /// What is wrong, as a clause.
    pub message: String,
    /// Other places that it is about.
    pub related: Vec<Place>,
}

/// Finds what breaks some rules, in order of paths and lines. `exists` answers for paths that are not in the set, which
/// may lead out of it (`../a.png`): none where that cannot be known. Parsing takes a stack of [`stack_bytes`] of the
/// longest file.
#[must_use]
pub fn lint(files: &[File], rules: &[Rule], exists: &dyn Fn(&str) -> Option<bool>) -> Vec<Finding> {
    let texts: HashMap<&str, &str> =
        files.iter().map(|file| (file.path.as_str(), file.text.as_str())).collect();
    let included = |path: &str| texts.get(path).map(|text| (*text).to_owned());
    let pages: Vec<page::Page<'_>> =
        files.iter().filter_map(|file| page::Page::of(file, &included)).collect();
    let wants = |rule| rules.contains(&rule);
    let mut found = Vec::new();
    if wants(Rule::CodeInvalid) {
        found.extend(files.iter().flat_map(code::invalid_file));
        found.extend(pages.iter().flat_map(code::invalid));
    }
    if [Rule::DeadLink, Rule::DeadAnchor, Rule::Orphan].into_iter().any(wants) {
        found.extend(links::check(files, &pages, exists));
    }
    if wants(Rule::Duplicate) {
        found.extend(passages::duplicates(&pages));
    }
    if wants(Rule::Contradiction) {
        found.extend(passages::contradictions(&pages));
    }
    found.extend(pages.iter().flat_map(page::Page::unread));
    found.retain(|finding| wants(finding.rule));
    found.sort_by(|one, other| (&one.place, one.rule).cmp(&(&other.place, other.rule)));
    found
}
