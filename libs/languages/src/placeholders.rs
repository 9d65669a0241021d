//! Placeholders of documentation code: `<file>`, `...`, `{{…}}`, the prompts `$ ` and `>>> `. A program is read with something
//! neutral in their place; lines and columns stay as they were.

use assay_domain::code::{Category, Diagnostic, PLACEHOLDER, Severity};

use super::detect::is_written_as_code;

/// Longest text between the marks of a placeholder, in characters.
const LONGEST: usize = 60;
/// Most placeholders of a program that are filled.
const MOST: usize = 256;
/// Languages in which a name between angle brackets can be a tag.
const TAGS: &[&str] = &["javascript", "tsx"];
/// Languages whose values are quoted.
const QUOTED: &[&str] = &["json", "toml"];

/// A program with something neutral in place of its placeholders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filled {
    /// The program to read.
    pub code: String,
    /// Columns that were taken off the start of each line.
    taken: Vec<u32>,
    /// The placeholders, as warnings at their places in the program as written.
    pub warnings: Vec<Diagnostic>,
    /// Runs of lines without a prompt in a session, each with the lines before it.
    pub output: Vec<(u32, String)>,
    /// The last such line.
    printed: u32,
    /// Lines that hold something to read; comments are none.
    read: usize,
    /// Lines of which a placeholder leaves nothing.
    opaque: usize,
}

impl Filled {
    /// Whether so little is read beside these lines of output that a verdict about it is none about the block.
    #[must_use]
    pub fn is_plain(&self, output: &[&str]) -> bool {
        let lines =
            || output.iter().flat_map(|text| text.lines()).map(str::trim).filter(|line| !line.is_empty());
        self.read < (lines().count() + self.opaque).max(1) || lines().any(is_written_as_code)
    }

    /// Moves findings about the filled program to their places in the program as written.
    pub fn restore(&self, diagnostics: &mut [Diagnostic]) {
        for diagnostic in diagnostics {
            let line = usize::try_from(diagnostic.line.saturating_sub(1)).unwrap_or(usize::MAX);
            let taken = self.taken.get(line).copied().unwrap_or_default();
            diagnostic.column = diagnostic.column.saturating_add(taken);
            diagnostic.end_column = diagnostic.end_column.saturating_add(taken);
        }
    }
}

/// The program with its placeholders filled; none if it has no placeholder.
#[must_use]
pub fn fill(language: &str, code: &str) -> Option<Filled> {
    let prompt = match language {
        "bash" => Some("$ "),
        "python" => Some(">>> "),
        _ => None,
    };
    // What stands before the first prompt is typed, too: then the prompts are none.
    let first = code.lines().map(str::trim_start).find(|line| !line.is_empty() && !line.starts_with('#'));
    let session = prompt.filter(|prompt| first.is_some_and(|line| line.starts_with(prompt)));
    let mut filled = Filled {
        code: String::with_capacity(code.len()),
        taken: Vec::new(),
        warnings: Vec::new(),
        output: Vec::new(),
        printed: 0,
        read: 0,
        opaque: 0,
    };
    let mut goes_on = false;
    for (number, line) in (1..).zip(code.split_inclusive('\n')) {
        let kept = match session {
            Some(prompt) => filled.without_prompt(line, prompt, number, &mut goes_on),
            None => {
                filled.taken.push(0);
                line.to_owned()
            }
        };
        filled.push_line(language, &kept, number);
    }
    (!filled.warnings.is_empty()).then_some(filled)
}

// === impl Filled ===

impl Filled {
    /// A line of a session: what is typed behind the prompt; nothing of what a program printed.
    fn without_prompt(&mut self, line: &str, prompt: &str, number: u32, goes_on: &mut bool) -> String {
        let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
        let rest = &line[indent..];
        let typed = match rest.strip_prefix(prompt) {
            Some(typed) => {
                self.note(number, u32::try_from(indent).unwrap_or(0), prompt.trim_end(), "a prompt");
                Some(typed)
            }
            // Python continues behind a prompt of its own, a shell behind a stroke.
            None if prompt == ">>> " && rest.trim_end() == "..." => rest.strip_prefix("..."),
            None if prompt == ">>> " && rest.starts_with("... ") => rest.strip_prefix("... "),
            None if *goes_on || rest.starts_with('#') => Some(line),
            None if rest.trim_end() == prompt.trim_end() => rest.strip_prefix(prompt.trim_end()),
            None => None,
        };
        let Some(typed) = typed else {
            *goes_on = false;
            self.taken.push(0);
            self.print(line, number);
            return if line.ends_with('\n') { "\n".to_owned() } else { String::new() };
        };
        *goes_on = prompt == "$ " && typed.trim_end().ends_with('\\');
        self.taken.push(u32::try_from(line.chars().count() - typed.chars().count()).unwrap_or(0));
        typed.to_owned()
    }

    /// Adds a line that a program printed.
    fn print(&mut self, line: &str, number: u32) {
        match self.output.last_mut().filter(|_| self.printed + 1 == number) {
            Some((_, text)) => text.push_str(line),
            None => self.output.push((number.saturating_sub(1), line.to_owned())),
        }
        self.printed = number;
    }

    /// Adds a line with its placeholders filled. Columns, quotes and blanks are counted on the way: a line may be long.
    fn push_line(&mut self, language: &str, line: &str, number: u32) {
        let mut column = self.taken.last().copied().unwrap_or_default();
        let (mut at, mut inside, mut blank, mut comma) = (0, false, true, false);
        let (mut kept, mut hides, known) = (false, false, self.warnings.len());
        while let Some(c) = line[at..].chars().next() {
            let (before, rest) = line.split_at(at);
            let found = match c {
                _ if self.warnings.len() >= MOST => None,
                '{' => between(rest, "{{", "}}").map(|length| (length, "a template")),
                '<' => angle(language, before, rest).map(|length| (length, "a placeholder")),
                '.' | '…' => dots(language, before, rest, blank).map(|length| (length, "an omission")),
                _ => None,
            };
            let Some((length, what)) = found else {
                let left_over = comma && c == ',';
                comma &= c.is_whitespace();
                self.code.push(if left_over { ' ' } else { c });
                kept |= c.is_alphanumeric();
                inside ^= c == '"' && !before.ends_with('\\');
                blank &= c.is_whitespace();
                (at, column) = (at + c.len_utf8(), column.saturating_add(1));
                continue;
            };
            let text = &rest[..length];
            self.note(number, column, text, what);
            hides |= what != "an omission";
            let characters = text.chars().count();
            if what == "an omission" && !is_value(before) {
                comma = rest[length..].trim_start().starts_with(',');
                if !comma {
                    self.drop_comma();
                }
                self.code.push_str(&" ".repeat(characters));
            } else {
                self.code.push_str(&neutral(language, inside, characters));
            }
            (at, blank) = (at + length, false);
            column = column.saturating_add(u32::try_from(characters).unwrap_or(0));
        }
        if !blank && !line.trim_start().starts_with('#') {
            self.read += usize::from(kept || self.warnings.len() == known);
            self.opaque += usize::from(hides && !kept);
        }
    }

    /// Blanks the comma that an omitted element leaves before it.
    fn drop_comma(&mut self) {
        let end = self.code.trim_end().len();
        if self.code[..end].ends_with(',') {
            self.code.replace_range(end - 1..end, " ");
        }
    }

    fn note(&mut self, line: u32, before: u32, text: &str, what: &str) {
        if self.warnings.len() >= MOST {
            return;
        }
        let column = before.saturating_add(1);
        let length = u32::try_from(text.chars().count()).unwrap_or(0);
        let read = match what {
            "a prompt" => "lines without one are taken for output and were not read",
            _ => "the rest of the program was read",
        };
        self.warnings.push(Diagnostic {
            line,
            column,
            end_column: column.saturating_add(length),
            severity: Severity::Warning,
            category: Category::UnknownToken,
            code: PLACEHOLDER.to_owned(),
            message: format!("`{text}` is {what}; {read}"),
            suggestion: None,
            help: None,
        });
    }
}

/// Length of a text that opens, holds some characters and closes on the same line.
fn between(rest: &str, open: &str, close: &str) -> Option<usize> {
    let inner = rest.strip_prefix(open)?;
    let reach = inner.char_indices().nth(LONGEST).map_or(inner.len(), |(at, _)| at);
    let end = inner[..reach].find(close)?;
    (!inner[..end].trim().is_empty() && is_balanced(&inner[..end])).then_some(open.len() + end + close.len())
}

/// Whether every bracket is closed: what is left open is a broken program, and no template.
fn is_balanced(text: &str) -> bool {
    let mut open = Vec::new();
    text.chars().all(|c| match c {
        '(' => {
            open.push(')');
            true
        }
        '[' => {
            open.push(']');
            true
        }
        '{' => {
            open.push('}');
            true
        }
        ')' | ']' | '}' => open.pop() == Some(c),
        _ => true,
    }) && open.is_empty()
}

/// Length of `<file>`, `<your name>`, `<A|B>`; none where it can be a type parameter or a tag.
fn angle(language: &str, before: &str, rest: &str) -> Option<usize> {
    let length = between(rest, "<", ">")?;
    let name = &rest[1..length - 1];
    let worded = name.starts_with(char::is_alphabetic)
        && name.chars().all(|c| c.is_alphanumeric() || " _-./|:".contains(c));
    let generic = before.ends_with(|c: char| c.is_alphanumeric() || c == '_')
        && !matches!(language, "bash" | "sql" | "yaml");
    let tag = TAGS.contains(&language)
        && !name.contains(['-', '_', ' ', '|'])
        && name.chars().any(char::is_lowercase);
    (worded && !generic && !tag).then_some(length)
}

/// Length of an ellipsis that is no operator of the language: spreads, variadic parameters and ranges have a neighbour.
fn dots(language: &str, before: &str, rest: &str, blank: bool) -> Option<usize> {
    let length = ["...", "…"].into_iter().find(|dots| rest.starts_with(dots))?.len();
    let joined = |c: char| c.is_alphanumeric() || "_.[({&$\"'`".contains(c);
    let operator = rest[length..].starts_with(joined)
        || before.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '.'));
    // Python has an expression of that form, a shell a word.
    let word = match language {
        "python" => blank && rest.starts_with("..."),
        "bash" => rest.starts_with("..."),
        _ => false,
    };
    (!operator && !word).then_some(length)
}

/// Whether a value has to stand here.
fn is_value(before: &str) -> bool {
    let before = before.trim_end();
    before.ends_with(['=', ':']) || before.ends_with("return")
}

/// Something that may stand where a placeholder of so many characters stood, of as many; `inside` a string or not.
fn neutral(language: &str, inside: bool, characters: usize) -> String {
    match characters.checked_sub(2).filter(|_| QUOTED.contains(&language) && !inside) {
        Some(inner) => format!("\"{}\"", "x".repeat(inner)),
        None => "x".repeat(characters),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn placeholders_are_filled_where_they_stand() {
        for (language, code, read) in [
            ("bash", "kubectl apply -f <file>\n", "kubectl apply -f xxxxxx\n"),
            ("bash", "$ ls \\\n  -l\ntotal 3 (\n$ pwd\n", "ls \\\n  -l\n\npwd\n"),
            ("python", ">>> f(1)\n2\n>>> for x in y:\n... \tprint(x)\n", "f(1)\n\nfor x in y:\n\tprint(x)\n"),
            ("javascript", "f();\n...\ng();\n", "f();\n   \ng();\n"),
            ("json", "{\"a\": <value>, \"b\": \"<b>\"}", "{\"a\": \"xxxxx\", \"b\": \"xxx\"}"),
            ("json", "{\n  \"a\": 1,\n  ...\n}\n", "{\n  \"a\": 1 \n     \n}\n"),
            ("json", "[..., 1]", "[     1]"),
            ("yaml", "name: {{ name }}\n", "name: xxxxxxxxxx\n"),
            ("rust", "let x = ...;\n", "let x = xxx;\n"),
        ] {
            assert_eq!(fill(language, code).map(|filled| filled.code).as_deref(), Some(read), "{code}");
        }
    }

    #[test]
    fn operators_types_and_tags_are_no_placeholders() {
        for (language, code) in [
            ("javascript", "f(...args); const a = [...b]; return <div>a</div>;\n"),
            ("typescript", "const x: Array<string> = new Map<Key>();\n"),
            ("go", "func f(a ...string) { g(a...) }\n"),
            ("python", "def f():\n    ...\n"),
            ("bash", "echo ...\n"),
            ("rust", "let v: Vec<String> = x;\n"),
            ("java", "List<String> a;\n"),
        ] {
            assert_eq!(fill(language, code), None, "{code}");
        }
    }

    #[test]
    fn findings_keep_their_places() {
        let filled = fill("python", ">>> f(<x>)\n").unwrap();
        let places: Vec<(u32, u32, u32)> =
            filled.warnings.iter().map(|d| (d.line, d.column, d.end_column)).collect();
        assert_eq!(places, [(1, 1, 4), (1, 7, 10)]);
        let mut found = vec![Diagnostic { line: 1, column: 3, end_column: 4, ..filled.warnings[0].clone() }];
        filled.restore(&mut found);
        assert_eq!((found[0].column, found[0].end_column), (7, 8));
    }
}
