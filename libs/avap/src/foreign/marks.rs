//! Marks of languages on single lines, and the language whose marks a text bears.

use super::vocabulary::{FIRST_WORDS, FRAGMENTS, SQL_STARTS};

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

/// `export NAME=value`, without white space around the sign.
fn is_shell_export(rest: &str) -> bool {
    rest.trim_start().split_once('=').is_some_and(|(name, value)| {
        !name.is_empty()
            && !value.starts_with(' ')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

fn shape_marks(text: &str, first: &str, bare: &str, marks: &mut Marks) {
    use Language::{C, Go, Java, JavaScript, Php, Python, Rust, Shell, Sql, TypeScript};
    let lower = bare.to_ascii_lowercase();
    if SQL_STARTS.iter().any(|start| lower.starts_with(start)) && !bare.contains(':') {
        marks.strong(&[Sql]);
    }
    if bare.ends_with(':')
        && matches!(
            first,
            "if" | "for"
                | "while"
                | "else"
                | "try"
                | "with"
                | "def"
                | "class"
                | "elif"
                | "except"
                | "finally"
        )
    {
        marks.strong(&[Python]);
    }
    if first == "import" {
        if text.contains('"') && !text.contains(" from ") || text.ends_with('(') {
            marks.strong(&[Go]);
        } else if text.contains(" from ") || text.contains('{') {
            marks.strong(&[JavaScript, TypeScript]);
        } else if text.ends_with(';') {
            marks.strong(&[Java]);
        } else {
            marks.strong(&[Python]);
        }
    }
    if bare.ends_with('{') {
        match first {
            "for" if bare.contains(" in ") && !bare[first.len()..].trim_start().starts_with('(') => {
                marks.strong(&[Rust]);
            }
            "if" | "for" | "while" | "switch" => {
                if bare[first.len()..].trim_start().starts_with('(') {
                    marks.strong(&[JavaScript, TypeScript, Java, C, Php]);
                } else {
                    marks.strong(&[Go, Rust]);
                }
            }
            "else" | "try" | "do" | "class" => marks.weak(&[JavaScript, TypeScript, Java, Php, C]),
            _ => {}
        }
    }
    if text.starts_with('}') {
        if bare.contains("else") || bare.contains("catch") {
            marks.weak(&[JavaScript, TypeScript, Java, C, Php, Go, Rust]);
        } else if bare.starts_with("})") {
            marks.strong(&[JavaScript, TypeScript]);
        }
    }
    unmistakable(text, first, bare, marks);
    if bare.ends_with(';') {
        marks.trace(&[JavaScript, TypeScript, Java, C, Php, Rust, Sql]);
    }
    if bare.contains("->") && bare.contains('$') {
        marks.strong(&[Php]);
    }
    if let Some(name) = bare.strip_prefix('$') {
        let rest = name.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
        if name.len() > rest.len() && rest.trim_start().starts_with('=') {
            marks.strong(&[Php]);
        }
    }
    // A comprehension: `[x for x in y]`.
    if first != "for"
        && let Some((before, after)) = bare.split_once(" for ")
        && before.contains(['[', '(', '{'])
        && after.contains(" in ")
    {
        marks.strong(&[Python]);
    }
    if bare.contains("->") && first == "fn" {
        marks.strong(&[Rust]);
    }
    if bare.starts_with('@') {
        marks.weak(&[Python, Java, TypeScript]);
    }
    if bare.starts_with('#') && !bare.starts_with("#include") && !bare.starts_with("#define") {
        marks.trace(&[Python, Shell, Php]);
    }
}

/// Words and signs that two languages share until one looks closer.
fn unmistakable(text: &str, first: &str, bare: &str, marks: &mut Marks) {
    use Language::{C, Go, Java, JavaScript, Php, Python, Rust, Shell, Sql, TypeScript};
    let mut only = |language: Language, others: &[Language]| {
        for other in others {
            marks.clear(*other);
        }
        marks.strong(&[language]);
    };
    let scripts = [JavaScript, TypeScript];
    let lower = bare.to_ascii_lowercase();
    if first == "async"
        && ["async def", "async with", "async for"].iter().any(|start| bare.starts_with(start))
    {
        only(Python, &scripts);
    }
    if bare.starts_with("async fn")
        || bare.starts_with("pub ")
        || bare.starts_with("#[")
        || bare.contains("let mut ")
    {
        only(Rust, &scripts);
    }
    if bare.contains(".await?")
        || bare.contains(".await;")
        || bare.contains(".await.")
        || bare.contains("::<")
    {
        only(Rust, &scripts);
    }
    if first == "use" && bare.contains("::") {
        only(Rust, &[Php]);
    }
    if lower.starts_with("with ") && lower.contains(" as (") {
        only(Sql, &[Python]);
    }
    if first == "case" && bare.ends_with(" in") {
        only(Shell, &[JavaScript, TypeScript, Go, Java, C, Php]);
    }
    if bare.ends_with(";;") || bare.ends_with('\\') && !bare.contains('=') {
        only(Shell, &[]);
    }
    if text
        .strip_prefix('-')
        .is_some_and(|rest| rest.trim_start_matches('-').starts_with(|c: char| c.is_ascii_alphabetic()))
        && bare.contains(' ')
    {
        only(Shell, &[]);
    }
    let words = || bare.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    if words().any(|word| RUST_TYPES.contains(&word))
        && (bare.contains(": ") || bare.contains(" as ") || bare.contains("->"))
        || first == "let" && bare.contains("::")
    {
        only(Rust, &scripts);
    }
    if is_typed_declaration(bare) {
        only(Java, &[JavaScript, TypeScript, Php]);
    }
    if first.len() > 1 && SQL_WORDS.split(' ').any(|word| word == first) {
        only(Sql, &[]);
    }
    if ["$(document", "$(this", "$('", "$(\""].iter().any(|start| bare.contains(start)) {
        only(JavaScript, &[Shell]);
    }
    if bare.contains("= new ") && bare.contains(">(") && matches!(first, "const" | "let") {
        only(TypeScript, &[]);
    }
    if matches!(first, "const" | "let" | "var" | "catch" | "function" | "export" | "async") && is_typed(bare)
    {
        only(TypeScript, &[]);
    }
}

/// Types that only Rust writes so.
const RUST_TYPES: &[&str] =
    &["i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64", "u128", "usize", "f32", "f64"];

/// Words with which lines of SQL begin, where they are written in capitals.
const SQL_WORDS: &str = "SELECT INSERT UPDATE DELETE MERGE USING WHEN SET FROM WHERE AND OR JOIN LEFT RIGHT INNER OUTER \
    FULL CROSS GROUP ORDER HAVING LIMIT OFFSET UNION INTERSECT EXCEPT VALUES RETURNING ON WITH CREATE ALTER DROP \
    TRUNCATE GRANT REVOKE BEGIN COMMIT ROLLBACK EXPLAIN REPLACE DECLARE FETCH PRIMARY FOREIGN CONSTRAINT INDEX";

/// `Type name = …;`, `Type<Other> name = …;`, `int[] name = …;` and `for (Type name : names)`.
fn is_typed_declaration(bare: &str) -> bool {
    let code = bare.strip_prefix("for (").or_else(|| bare.strip_prefix("for(")).unwrap_or(bare);
    let looped = code.len() < bare.len();
    let first = code.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(code.len());
    let (name, rest) = code.split_at(first);
    let rest = match rest.chars().next() {
        Some('<') => rest.rfind("> ").map(|at| &rest[at + 1..]),
        Some('[') => rest.strip_prefix("[]"),
        _ => Some(rest),
    };
    let arrayed = code[first..].starts_with("[]");
    let Some(rest) = rest.and_then(|rest| rest.strip_prefix(' ')) else { return false };
    let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
    let behind = rest[end..].trim_start();
    name.starts_with(|c: char| c.is_ascii_uppercase() || arrayed)
        && end > 0
        && if looped { behind.starts_with(": ") } else { behind.starts_with("= ") && bare.ends_with(';') }
}

/// Whether a name on the line carries a type behind a colon, before any value: `const a: User = …`, `f(a: User)`.
fn is_typed(bare: &str) -> bool {
    let head = bare.split(" = ").next().unwrap_or_default();
    head.match_indices(": ").any(|(at, _)| {
        let before = head[..at].chars().next_back();
        let behind = &head[at + 2..];
        before.is_some_and(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '?' | ')'))
            && !head[..at].contains('{')
            && (behind.starts_with(|c: char| c.is_ascii_uppercase())
                || ["string", "number", "boolean", "any", "unknown", "void", "never", "{"]
                    .iter()
                    .any(|name| behind.starts_with(name)))
            && !bare.starts_with("let mut ")
    })
}

/// The line with the insides of its strings blanked, so that marks are found in code only; Python's f-strings and
/// triple quotes keep their opening.
fn without_strings(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut quote: Option<char> = None;
    let mut escaped = false;
    for c in text.chars() {
        match quote {
            Some(q) => {
                if escaped {
                    escaped = false;
                } else if c == '\\' {
                    escaped = true;
                } else if c == q {
                    quote = None;
                    out.push(c);
                }
            }
            None => {
                if matches!(c, '"' | '\'' | '`') {
                    quote = Some(c);
                }
                out.push(c);
            }
        }
    }
    out
}
