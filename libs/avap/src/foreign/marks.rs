//! Marks of languages on single lines, and the language whose marks a text bears.

mod shapes;

use shapes::{is_shell_export, shape_marks, without_strings};

use super::vocabulary::{FIRST_WORDS, FRAGMENTS};

/// Lines that are looked at when the language of a text is guessed.
const GUESS_LINES: usize = 400;

/// Languages that can be told apart by their marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Language {
    Go,
    Python,
    JavaScript,
    TypeScript,
    Php,
    Java,
    Rust,
    C,
    Sql,
    Shell,
}

impl Language {
    pub(crate) const ALL: [Self; 10] = [
        Self::Go,
        Self::Python,
        Self::JavaScript,
        Self::TypeScript,
        Self::Php,
        Self::C,
        Self::Java,
        Self::Rust,
        Self::Sql,
        Self::Shell,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Go => "Go",
            Self::Python => "Python",
            Self::JavaScript => "JavaScript",
            Self::TypeScript => "TypeScript",
            Self::Php => "PHP",
            Self::Java => "Java",
            Self::Rust => "Rust",
            Self::C => "C",
            Self::Sql => "SQL",
            Self::Shell => "shell",
        }
    }
}

/// Marks of languages on one line: bit n for the n-th language, strong and weak apart.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Marks {
    /// Strong marks of each language.
    count: [u8; Language::ALL.len()],
    strong: u16,
    weak: u16,
    /// What many languages share, such as a semicolon at the end.
    trace: u16,
}

impl Marks {
    fn strong(&mut self, languages: &[Language]) {
        for language in languages {
            self.strong |= 1 << (*language as u16);
            self.count[*language as usize] = self.count[*language as usize].saturating_add(1);
        }
    }

    fn weak(&mut self, languages: &[Language]) {
        for language in languages {
            self.weak |= 1 << (*language as u16);
        }
    }

    fn trace(&mut self, languages: &[Language]) {
        for language in languages {
            self.trace |= 1 << (*language as u16);
        }
    }

    fn clear(&mut self, language: Language) {
        self.strong &= !(1 << (language as u16));
        self.weak &= !(1 << (language as u16));
        self.trace &= !(1 << (language as u16));
    }

    /// Whether the line bears any mark at all.
    pub(crate) fn any_trace(self) -> bool {
        self.strong | self.weak | self.trace != 0
    }

    /// Whether the line bears any mark that is more than a trace.
    pub(crate) fn any(self) -> bool {
        self.strong | self.weak != 0
    }

    /// Whether the line bears a mark of the language that is more than a trace.
    pub(crate) fn has_clear(self, language: Language) -> bool {
        (self.strong | self.weak) & (1 << (language as u16)) != 0
    }

    pub(crate) fn has_strong(self, language: Language) -> bool {
        self.strong & (1 << (language as u16)) != 0
    }

    pub(crate) fn has(self, language: Language) -> bool {
        (self.strong | self.weak | self.trace) & (1 << (language as u16)) != 0
    }
}

/// The language whose marks most lines of a text bear, with the number of lines that bear a strong one; nothing where
/// no line does. Knows Go, Python, JavaScript, TypeScript, PHP, Java, Rust, C, SQL and shell.
#[must_use]
pub fn guess_language(text: &str) -> Option<(&'static str, usize)> {
    let lines: Vec<Marks> =
        text.lines().filter(|line| !line.trim().is_empty()).take(GUESS_LINES).map(marks).collect();
    let mut best: Option<(usize, usize, Language)> = None;
    for language in Language::ALL {
        let strong = lines.iter().filter(|line| line.has_strong(language)).count();
        let all = lines.iter().filter(|line| line.has(language)).count();
        if strong > 0 && best.is_none_or(|(s, a, _)| (strong, all) > (s, a)) {
            best = Some((strong, all, language));
        }
    }
    best.map(|(strong, _, language)| (language.name(), strong))
}

/// The strong marks of each language on all lines together.
pub(crate) fn weights<'a>(lines: impl Iterator<Item = &'a str>) -> [u32; Language::ALL.len()] {
    let mut out = [0; Language::ALL.len()];
    for line in lines {
        for (sum, count) in out.iter_mut().zip(marks(line).count) {
            *sum += u32::from(count);
        }
    }
    out
}

/// Whether the line is a header that only a file or a function of another language has.
pub(crate) fn is_header(text: &str) -> bool {
    let text = text.trim_start();
    let first = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).next().unwrap_or_default();
    let named = || {
        text[first.len()..]
            .strip_prefix([' ', '\t'])
            .and_then(|rest| rest.trim_start().chars().next())
            .is_some_and(|c| c.is_ascii_alphabetic() || matches!(c, '_' | '"' | '{' | '*' | '('))
    };
    match first {
        "import" | "from" | "package" | "use" | "using" | "def" | "func" | "fn" | "class" | "interface"
        | "struct" | "impl" | "namespace" | "public" | "private" | "protected" | "pub" | "async"
        | "export" | "with" => named(),
        "int" | "void" | "char" | "long" | "double" | "float" | "bool" | "boolean" | "String"
        | "unsigned" | "static" => named() && text.contains('(') && text.ends_with('{'),
        "" => ["#include", "<?php", "#!", "@"].iter().any(|start| text.starts_with(start)),
        _ => false,
    }
}

/// The marks of languages on a line; a token is marked only where its text is code, not inside strings.
pub(crate) fn marks(text: &str) -> Marks {
    let mut marks = Marks::default();
    let text = text.trim();
    let first: &str =
        text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).next().unwrap_or_default();
    let rest = &text[first.len()..];
    let is_assignment = rest.trim_start().starts_with('=') && !rest.trim_start().starts_with("==");
    if !is_assignment {
        for (word, languages, strong) in FIRST_WORDS {
            // AVAP returns as well; only the semicolon behind it is another language's.
            if *word == first && (first != "return" || text.ends_with(';')) {
                if *strong { marks.strong(languages) } else { marks.weak(languages) }
            }
        }
    }
    let bare = without_strings(text);
    let mut typed = false;
    for (fragment, languages, strong) in FRAGMENTS {
        if bare.contains(fragment) {
            if *strong {
                marks.strong(languages)
            } else {
                marks.weak(languages)
            }
            typed |= **languages == [Language::TypeScript];
        }
    }
    shape_marks(text, first, &bare, &mut marks);
    if typed {
        // What only TypeScript writes is no JavaScript.
        marks.clear(Language::JavaScript);
    }
    if first == "export" && is_shell_export(rest) {
        marks.clear(Language::JavaScript);
        marks.clear(Language::TypeScript);
        marks.strong(&[Language::Shell]);
    }
    marks
}
