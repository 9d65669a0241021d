//! What the front end says about a program: one finding with its place, category, stable code and remedy, and its
//! one-line rendering. Positions are turned from byte offsets into lines and columns here and nowhere else.

use serde::{Deserialize, Serialize};

/// How much a finding weighs; only errors make a program invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The program is not AVAP.
    Error,
    /// Probably not what was meant.
    Warning,
    /// Could be written better.
    Hint,
}

/// What kind of mistake it is; where several fit, the first of this order wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Category {
    /// A reserved word or form of another language.
    ForeignKeyword,
    /// A name or symbol that the language does not have.
    UnknownToken,
    /// Known pieces where or how the grammar does not allow them.
    UnexpectedConstruct,
    /// Text that cannot be tokenised or balanced.
    SyntaxError,
}

impl Category {
    /// The serialised name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ForeignKeyword => "foreign_keyword",
            Self::UnknownToken => "unknown_token",
            Self::UnexpectedConstruct => "unexpected_construct",
            Self::SyntaxError => "syntax_error",
        }
    }
}

/// One finding about a program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// Line, counted from 1.
    pub line: u32,
    /// First column, counted from 1 in Unicode scalar values.
    pub column: u32,
    /// Column after the last one, on the same line; equal to `column` for a finding about the whole program.
    pub end_column: u32,
    /// How much it weighs.
    pub severity: Severity,
    /// What kind of mistake it is.
    pub category: Category,
    /// Stable code such as `AVAP012`.
    pub code: String,
    /// What is wrong, in one phrase.
    pub message: String,
    /// A replacement, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<String>,
    /// What to do about it, where more can be said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

impl Diagnostic {
    /// One line in the form that retry prompts use:
    /// ``Line 3: unknown command 'getSHA256' — did you mean 'encodeSHA256'?``
    #[must_use]
    pub fn render(&self) -> String {
        let mut out = format!("Line {}: ", self.line);
        match self.severity {
            Severity::Error => {}
            Severity::Warning => out.push_str("warning: "),
            Severity::Hint => out.push_str("hint: "),
        }
        out.push_str(&self.message);
        match (&self.suggestion, &self.help) {
            (Some(name), _) if self.category == Category::UnknownToken => {
                out.push_str(&format!(" — did you mean '{name}'?"));
            }
            (_, Some(help)) => out.push_str(&format!(" — {help}")),
            (Some(text), None) => out.push_str(&format!(" — did you mean '{text}'?")),
            (None, None) => {}
        }
        out
    }
}

/// A stable code with its title; the number never changes its meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Code(pub(crate) u16);

macro_rules! codes {
    ($($name:ident = $number:literal, $title:literal;)*) => {
        impl Code {
            $(#[doc = $title] pub const $name: Self = Self($number);)*
        }
        /// Every code with its title, in the order of the numbers.
        pub const CODES: &[(Code, &str)] = &[$((Code::$name, $title)),*];
    };
}

codes! {
    UNCLOSED_STRING = 1, "A string or template is not closed on its line.";
    UNBALANCED = 2, "Brackets do not balance on the line.";
    BAD_NUMBER = 3, "A number is malformed.";
    BAD_CHARACTER = 4, "A character cannot stand outside strings.";
    UNKNOWN_SYMBOL = 5, "A symbol that the language does not have.";
    BAD_TEMPLATE = 6, "A template hole is malformed.";
    UNCLOSED_COMMENT = 7, "A block comment is not closed.";
    SPREAD = 8, "A statement is spread over several lines.";
    FENCE = 9, "A Markdown fence inside the program.";
    TRIPLE_QUOTE = 10, "Triple quotes do not exist.";
    UNKNOWN_COMMAND = 11, "An unknown command or function.";
    UNKNOWN_WORD = 12, "A word that starts no statement.";
    FOREIGN = 13, "A construct of another language.";
    FOREIGN_BLOCK = 14, "A whole block of another language.";
    FOREIGN_RECEIVER = 15, "A call on a library object of another language.";
    FOREIGN_CONSTANT = 16, "A constant of another language.";
    PROFILE_OFF = 17, "A form whose profile is off.";
    UNCLOSED_BLOCK = 18, "A block is not closed.";
    WRONG_CLOSER = 19, "A closer that does not fit the open block.";
    EXTRA_CLOSER = 20, "A closer without a block.";
    MISPLACED_ELSE = 21, "else() outside if, or a second one.";
    MISPLACED_EXCEPTION = 22, "exception() outside try, or a second one.";
    TRY_WITHOUT_EXCEPTION = 23, "A try block without exception().";
    IF_ARGUMENTS = 24, "The arguments of if are wrong.";
    ARITY = 25, "The number of arguments is wrong.";
    BAD_TARGET = 26, "A target that is no plain name.";
    ASSIGNMENT_TARGET = 27, "An assignment to something else than one name.";
    FUNCTION_HEADER = 28, "A function header is malformed.";
    FUNCTION_NESTED = 29, "A function inside a function or block.";
    DUPLICATE = 30, "A function or parameter that already exists.";
    KEYWORD_AS_NAME = 31, "A keyword used as a name.";
    SEVERAL_STATEMENTS = 32, "Several statements on a line.";
    TRAILING_SEMICOLON = 33, "A semicolon at the end of the line.";
    EMPTY_ARGUMENT = 34, "An empty argument.";
    TRAILING_COMMA = 35, "A comma without an element after it.";
    NESTED_COMMAND = 36, "A command used as a value.";
    EXPRESSION = 37, "An expression that cannot be read.";
    NOT_A_STATEMENT = 38, "A value that does nothing.";
    ENDPOINT_METHOD = 39, "An endpoint method that does not exist.";
    UNASSIGNED = 40, "A name that is never assigned.";
    UNASSIGNED_ARITHMETIC = 41, "A name that is never assigned, in arithmetic.";
    UNASSIGNED_RESULT = 42, "addResult of a name that is never assigned.";
    NO_OUTPUT = 43, "The program produces no output.";
    STATUS_RANGE = 44, "_status outside 100 to 599.";
    REDEFINED_COMMAND = 45, "A function that hides a command.";
    GATHER_WITHOUT_ASYNC = 46, "gather of an id that nothing started.";
    NOT_AN_OBJECT = 47, "A method call on a name that is no object.";
    RETURN_OUTSIDE = 48, "return outside a function.";
    LOOP_PAST_END = 49, "A loop that runs one past the end of a list.";
    SQL_INJECTION = 50, "SQL text that holds request parameters.";
    TOKEN_LITERAL = 51, "A connector token written into the program.";
    RESERVED_NAME = 52, "A reserved name is written.";
    LARGE_NUMBER = 53, "A number beyond 64 bits.";
    LOWERCASE_CONSTANT = 54, "true or false in lower case.";
    QUOTED_TARGET = 55, "A quoted target.";
    NO_VALUE = 56, "An assignment of a command that has no value.";
    RANDOM_WITHOUT_PATTERN = 57, "randomString without its pattern.";
    NONE_COMPARISON = 58, "if compares None with None.";
    UNUSED_VALUE = 59, "The value of a helper is not used.";
}

impl Code {
    /// The text form, for example `AVAP012`.
    #[must_use]
    pub fn text(self) -> String {
        format!("AVAP{:03}", self.0)
    }
}

/// A finding with byte offsets, before lines and columns are known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Finding {
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) severity: Severity,
    pub(crate) category: Category,
    pub(crate) code: Code,
    pub(crate) message: String,
    pub(crate) suggestion: Option<String>,
    pub(crate) help: Option<String>,
}

impl Finding {
    pub(crate) fn error(
        category: Category,
        code: Code,
        span: (u32, u32),
        message: impl Into<String>,
    ) -> Self {
        Self {
            start: span.0,
            end: span.1,
            severity: Severity::Error,
            category,
            code,
            message: message.into(),
            suggestion: None,
            help: None,
        }
    }

    pub(crate) fn unexpected(code: Code, span: (u32, u32), message: impl Into<String>) -> Self {
        Self::error(Category::UnexpectedConstruct, code, span, message)
    }

    pub(crate) fn syntax(code: Code, span: (u32, u32), message: impl Into<String>) -> Self {
        Self::error(Category::SyntaxError, code, span, message)
    }

    pub(crate) fn unknown(code: Code, span: (u32, u32), message: impl Into<String>) -> Self {
        Self::error(Category::UnknownToken, code, span, message)
    }

    pub(crate) fn warning(
        category: Category,
        code: Code,
        span: (u32, u32),
        message: impl Into<String>,
    ) -> Self {
        Self { severity: Severity::Warning, ..Self::error(category, code, span, message) }
    }

    pub(crate) fn hint(code: Code, span: (u32, u32), message: impl Into<String>) -> Self {
        Self { severity: Severity::Hint, ..Self::error(Category::UnexpectedConstruct, code, span, message) }
    }

    pub(crate) fn suggest(mut self, text: impl Into<String>) -> Self {
        self.suggestion = Some(text.into());
        self
    }

    pub(crate) fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }
}

/// Turns findings into diagnostics in text order; one walk over the source, whatever the number of findings.
pub(crate) fn locate(source: &str, mut findings: Vec<Finding>) -> Vec<Diagnostic> {
    if findings.is_empty() {
        return Vec::new();
    }
    findings.sort_by_key(|f| (f.start, f.severity, f.end, f.code));
    let mut walk = Walk { source: source.as_bytes(), offset: 0, line: 1, column: 1 };
    if source.starts_with('\u{feff}') {
        walk.offset = 3;
    }
    findings
        .into_iter()
        .map(|finding| {
            walk.to(finding.start as usize);
            let (line, column) = (walk.line, walk.column);
            let width = source
                .get(finding.start as usize..finding.end as usize)
                .map_or(0, |text| text.chars().take_while(|c| !matches!(c, '\n' | '\r')).count());
            Diagnostic {
                line,
                column,
                end_column: column.saturating_add(u32::try_from(width).unwrap_or(u32::MAX)),
                severity: finding.severity,
                category: finding.category,
                code: finding.code.text(),
                message: finding.message,
                suggestion: finding.suggestion,
                help: finding.help,
            }
        })
        .collect()
}

struct Walk<'a> {
    source: &'a [u8],
    offset: usize,
    line: u32,
    column: u32,
}

impl Walk<'_> {
    fn to(&mut self, target: usize) {
        let target = target.min(self.source.len());
        let Some(passed) = self.source.get(self.offset..target) else { return };
        // A carriage return at the very end is a line end of its own only if no line feed follows it.
        let next = self.source.get(target).copied();
        let half = passed.last() == Some(&b'\r') && next == Some(b'\n');
        let lines = crate::line_ends(passed) - u32::from(half);
        if lines > 0 {
            self.line += lines;
            self.column = 1;
        }
        let ends =
            |(at, byte): (usize, &u8)| *byte == b'\n' || *byte == b'\r' && (at + 1 < passed.len() || !half);
        let from =
            if lines == 0 { 0 } else { passed.iter().enumerate().rposition(ends).map_or(0, |at| at + 1) };
        let width = passed[from..].iter().filter(|byte| **byte & 0xC0 != 0x80).count();
        self.column = self.column.saturating_add(u32::try_from(width).unwrap_or(u32::MAX));
        self.offset = target;
    }
}
