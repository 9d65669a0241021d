//! Marks that no single word or fragment is, but the shape of a line: how it starts and ends, what stands beside what.

use super::{Language, Marks};
use crate::foreign::vocabulary::SQL_STARTS;

/// `export NAME=value`, without white space around the sign.
pub(super) fn is_shell_export(rest: &str) -> bool {
    rest.trim_start().split_once('=').is_some_and(|(name, value)| {
        !name.is_empty()
            && !value.starts_with(' ')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

pub(super) fn shape_marks(text: &str, first: &str, bare: &str, marks: &mut Marks) {
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
pub(super) fn without_strings(text: &str) -> String {
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
