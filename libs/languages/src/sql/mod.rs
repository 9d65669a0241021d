//! SQL: every statement is held against the dialects in use; it stands if one of them has it. What none has is told in
//! the words of the dialect that came furthest.
//!
//! | file | holds |
//! |---|---|
//! | `mod` | the verdict about a script and its statements |
//! | `split` | a script to its statements |
//! | `chain` | how long expressions are |
//! | `tokens` | what the parsers let pass and no dialect means |

mod chain;
mod split;
mod tokens;

use std::ops::Range;

use assay_domain::code::{Category, Diagnostic};
use sqlparser::dialect::{
    BigQueryDialect, ClickHouseDialect, Dialect, DuckDbDialect, GenericDialect, HiveDialect, MsSqlDialect,
    MySqlDialect, OracleDialect, PostgreSqlDialect, SQLiteDialect, SnowflakeDialect,
};
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::Tokenizer;

use super::place::{Source, clip};
use super::sitter;
use super::watch::{Halt, TooLarge, Watch};

/// Brackets inside each other that the parsers are asked about.
const DEEPEST: usize = 18;
/// Bytes of one statement that the parsers are asked about; they cannot be ended while they read.
const LONGEST: usize = 128 * 1024;
/// Statements that are reported at most.
const MOST: usize = 20;
/// Statements that govern a database rather than its rows. Dialects differ in them without end; beside what the parsers
/// know, one stands if its brackets and commas are in order.
const GOVERNING: &[&str] = &[
    "ALTER", "ANALYZE", "ATTACH", "CALL", "CLUSTER", "COMMENT", "COPY", "CREATE", "DO", "DROP", "EXEC",
    "EXECUTE", "EXPLAIN", "FLUSH", "GRANT", "HANDLER", "LISTEN", "LOAD", "LOCK", "NOTIFY", "OPTIMIZE",
    "PRAGMA", "REASSIGN", "REFRESH", "REINDEX", "RENAME", "REPAIR", "RESET", "REVOKE", "SECURITY", "SET",
    "SHOW", "UNLISTEN", "UNLOCK", "USE", "VACUUM",
];
/// What the parsers know well enough: a `CREATE` or `DROP` of these stands only if one of them accepts it.
const KNOWN_OBJECTS: &[&str] = &["TABLE", "VIEW", "INDEX", "DATABASE", "SCHEMA"];
/// What can be created or dropped besides.
const OBJECTS: &[&str] = &[
    "ACCESS",
    "AGGREGATE",
    "ASSEMBLY",
    "CAST",
    "COLLATION",
    "CONVERSION",
    "DIRECTORY",
    "DOMAIN",
    "EVENT",
    "EXTENSION",
    "FOREIGN",
    "FUNCTION",
    "GROUP",
    "LANGUAGE",
    "LOGIN",
    "MATERIALIZED",
    "OPERATOR",
    "OWNED",
    "PACKAGE",
    "POLICY",
    "PROCEDURE",
    "PUBLICATION",
    "ROLE",
    "ROUTINE",
    "RULE",
    "SEQUENCE",
    "SERVER",
    "STATISTICS",
    "SUBSCRIPTION",
    "SYNONYM",
    "TABLESPACE",
    "TEXT",
    "TRANSFORM",
    "TRIGGER",
    "TYPE",
    "USER",
    "VIRTUAL",
];

/// The findings about a script.
pub(super) fn parse(code: &str, watch: &Watch<'_>) -> Result<Vec<Diagnostic>, Halt<TooLarge>> {
    let source = &Source::new(code);
    let clean = without_meta(code);
    let mut script = split::split(&clean, false, watch)?;
    if script.unpaired.as_ref().is_some_and(|(_, what, _)| what == "'") {
        // In MySQL a backslash escapes.
        let escaped = split::split(&clean, true, watch)?;
        if escaped.unpaired.is_none() {
            script = escaped;
        }
    }
    let mut out = Vec::new();
    for range in &script.statements {
        watch.ask()?;
        // A statement that an open quote or bracket runs through is told by that alone.
        if script.unpaired.as_ref().is_some_and(|(at, _, _)| *at >= range.start && *at <= range.end) {
            continue;
        }
        let text = clean.get(range.clone()).unwrap_or_default();
        if let Some(found) = statement(source, text, range, watch)? {
            out.push(found);
            if out.len() >= MOST {
                break;
            }
        }
    }
    if let Some((at, what, opens)) = script.unpaired {
        let range = at..at + what.len();
        let message = match (opens, what.as_str()) {
            (false, _) => format!("'{what}' closes nothing"),
            (true, "(") => "'(' is not closed: ')' is missing".to_owned(),
            (true, "[") => "'[' is not closed: ']' is missing".to_owned(),
            (true, "/*") => "the comment is not closed: '*/' is missing".to_owned(),
            (true, _) => format!("the text that begins with {what} is not closed: a {what} is missing"),
        };
        out.push(source.error(range, "SQL003", Category::SyntaxError, message));
    }
    out.sort_by_key(|found| (found.line, found.column));
    Ok(out)
}

/// What is wrong with a statement.
fn statement(
    source: &Source<'_>,
    text: &str,
    range: &Range<usize>,
    watch: &Watch<'_>,
) -> Result<Option<Diagnostic>, Halt<TooLarge>> {
    if text.len() > LONGEST {
        let what = "bytes in one SQL statement";
        return Err(Halt::Other(TooLarge { what, size: text.len(), most: LONGEST }));
    }
    let seen = tokens::tokens(text);
    let mut furthest: Option<Refusal> = None;
    if depth(text) <= DEEPEST {
        let dialects: [&dyn Dialect; 12] = [
            &GenericDialect {},
            &PostgreSqlDialect {},
            &MySqlDialect {},
            &SQLiteDialect {},
            &MsSqlDialect {},
            &OracleDialect {},
            &SnowflakeDialect {},
            &BigQueryDialect {},
            &DuckDbDialect {},
            &HiveDialect {},
            &ClickHouseDialect {},
            &sqlparser::dialect::RedshiftSqlDialect {},
        ];
        for dialect in dialects {
            watch.ask()?;
            let words = Tokenizer::new(dialect, text).tokenize_with_location();
            let longest = words.as_ref().map_or(0, |words| chain::longest(words));
            if longest > chain::MOST {
                let what = "terms in one SQL expression";
                return Err(Halt::Other(TooLarge { what, size: longest, most: chain::MOST }));
            }
            let parsed = words.map_err(ParserError::from).and_then(|words| {
                Parser::new(dialect)
                    .with_recursion_limit(DEEPEST)
                    .with_tokens_with_locations(words)
                    .parse_statements()
            });
            match parsed {
                Ok(_) => return Ok(let_pass(source, &seen, range)),
                Err(refused) => {
                    let refusal = Refusal::read(&refused.to_string(), text);
                    if furthest.as_ref().is_none_or(|best| refusal.at > best.at) {
                        furthest = Some(refusal);
                    }
                }
            }
        }
    }
    // A grammar of its own opinion, for what the parsers do not know yet.
    let found = sitter::parse(&sitter::SQL, &Source::new(text), watch)?;
    if found.is_empty() || governs(text, &seen) {
        return Ok(let_pass(source, &seen, range));
    }
    if let Some((at, message)) = tokens::empty_clause(&seen).or_else(|| tokens::lacking(&seen)) {
        let at = range.start + at.start..range.start + at.end;
        return Ok(Some(source.error(at, "SQL002", Category::SyntaxError, message)));
    }
    let Some(Refusal { at, length, message }) = furthest else {
        let (line, column) = (found.first().map_or(1, |f| f.line), found.first().map_or(1, |f| f.column));
        let start = text
            .split_inclusive('\n')
            .take(usize::try_from(line).unwrap_or(1).saturating_sub(1))
            .map(str::len)
            .sum::<usize>();
        let at = range.start + start + usize::try_from(column).unwrap_or(1).saturating_sub(1);
        let message = found.into_iter().next().map(|f| f.message).unwrap_or_default();
        return Ok(Some(source.error(at..at + 1, "SQL001", Category::SyntaxError, message)));
    };
    let at = range.start + at;
    Ok(Some(source.error(at..at + length, "SQL001", Category::SyntaxError, message)))
}

/// What is wrong with a statement that was accepted.
fn let_pass(source: &Source<'_>, seen: &[tokens::Token], range: &Range<usize>) -> Option<Diagnostic> {
    let (at, message) = tokens::empty_clause(seen).or_else(|| tokens::second_statement(seen))?;
    let at = range.start + at.start..range.start + at.end;
    Some(source.error(at, "SQL002", Category::SyntaxError, message))
}

/// Why a parser refused a statement, and where.
struct Refusal {
    at: usize,
    length: usize,
    message: String,
}

impl Refusal {
    /// From the words of the parser: `sql parser error: Expected: …, found: … at Line: 1, Column: 2`.
    fn read(said: &str, text: &str) -> Self {
        let said = said.trim_start_matches("sql parser error: ").trim_start_matches("Parser error: ");
        let (what, place) = said.rsplit_once(" at Line: ").unwrap_or((said, ""));
        let mut numbers = place
            .split(", Column: ")
            .map(|number| number.trim_end_matches(|c: char| !c.is_ascii_digit()).parse::<usize>().ok());
        let at = match (numbers.next().flatten(), numbers.next().flatten()) {
            (Some(line), Some(column)) if line > 0 && column > 0 => {
                let start = text.split_inclusive('\n').take(line - 1).map(str::len).sum::<usize>();
                let rest = text.get(start..).unwrap_or_default();
                start + rest.char_indices().nth(column - 1).map_or(rest.len(), |(at, _)| at)
            }
            _ => text.trim_end().len(),
        };
        let near = word(text.get(at..).unwrap_or_default());
        let before = text.get(..at).unwrap_or_default().trim_end();
        let after = word_before(before);
        let slip =
            meant(&after).map_or(String::new(), |full| format!("; is '{after}' meant to be '{full}'?"));
        let after = if after.is_empty() { String::new() } else { format!(" after '{after}'") };
        let (wanted, found) =
            match what.strip_prefix("Expected: ").and_then(|rest| rest.rsplit_once(", found: ")) {
                Some((wanted, found)) => (wanted, found),
                None => ("", ""),
            };
        let wanted = match wanted {
            "an expression" | "an expression:" => "an expression",
            "identifier" => "a name",
            "',' or ')' after column definition" => "',' or ')'",
            other => other.trim_end_matches(':'),
        };
        let ended = found == "EOF" || near.is_empty();
        let message = match wanted {
            "" if what.contains("recursion") => "the statement is nested too deeply".to_owned(),
            "" => {
                let mut letters = what.chars();
                letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
            }
            "end of statement" if ended => format!("something is missing{after}"),
            "end of statement" => format!("'{near}' cannot stand here{after}{slip}"),
            "an SQL statement" => format!("no statement of SQL begins with '{near}'"),
            wanted => {
                let wanted = if wanted.len() <= 2 || wanted.chars().all(|c| c.is_ascii_uppercase()) {
                    format!("'{wanted}'")
                } else {
                    wanted.to_owned()
                };
                match ended {
                    true => format!("{wanted} is missing at the end of the statement{after}"),
                    false => format!("{wanted} is expected{after}, found '{near}'"),
                }
            }
        };
        // What is missing at the end is missing behind the last word.
        let at = if ended { before.len() } else { at };
        Self { at, length: if ended { 0 } else { near.len() }, message }
    }
}

/// The word or sign that a text begins with.
fn word(text: &str) -> String {
    let letters = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    let end = if letters > 0 { letters } else { text.chars().next().map_or(0, char::len_utf8) };
    clip(text.get(..end).unwrap_or_default())
}

/// The word, quoted text or sign that a text ends with.
fn word_before(text: &str) -> String {
    let quote = text.chars().next_back().filter(|c| matches!(c, '\'' | '"' | '`'));
    if let Some(start) = quote.and_then(|quote| text[..text.len() - 1].rfind(quote)) {
        return clip(text.get(start..).unwrap_or_default());
    }
    let start = text.rfind(|c: char| !c.is_alphanumeric() && c != '_').map_or(0, |at| {
        let width = text[at..].chars().next().map_or(1, char::len_utf8);
        if at + width == text.len() { at } else { at + width }
    });
    clip(text.get(start..).unwrap_or_default())
}

/// The word of SQL that another one seems to be a slip of: one letter is left out, or two stand in each other's place.
fn meant(word: &str) -> Option<&'static str> {
    const WORDS: &[&str] = &["FROM", "WHERE", "GROUP", "ORDER", "VALUES", "HAVING", "LIMIT", "JOIN"];
    let upper = word.to_ascii_uppercase();
    let sorted = |word: &str| {
        let mut bytes = word.as_bytes().to_vec();
        bytes.sort_unstable();
        bytes
    };
    let lacks = |full: &str| (1..full.len()).any(|at| format!("{}{}", &full[..at], &full[at + 1..]) == upper);
    let slip =
        |full: &str| upper != full && (sorted(full) == sorted(&upper) || upper.len() > 2 && lacks(full));
    WORDS.iter().copied().find(|full| slip(full))
}

/// How deep brackets stand inside each other.
fn depth(text: &str) -> usize {
    let mut depth = 0_usize;
    let mut most = 0;
    for byte in text.bytes() {
        match byte {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        most = most.max(depth);
    }
    most
}

/// Whether a statement governs a database and is in order as far as words and commas tell.
fn governs(text: &str, seen: &[tokens::Token]) -> bool {
    let word = |at: usize| seen.get(at).map_or("", |token: &tokens::Token| token.text.as_str());
    if !GOVERNING.contains(&word(0))
        || !word(1).chars().all(|c| c.is_ascii_alphabetic() || matches!(c, '_' | '$' | '\''))
    {
        return false;
    }
    let next = || (1..6).map(word);
    let changes = matches!(word(0), "CREATE" | "DROP" | "ALTER");
    if changes
        && !next()
            .any(|named| OBJECTS.contains(&named) || word(0) == "ALTER" && KNOWN_OBJECTS.contains(&named))
    {
        return false;
    }
    let known = matches!(word(0), "CREATE" | "DROP")
        && next().take_while(|word| !OBJECTS.contains(word)).any(|word| KNOWN_OBJECTS.contains(&word));
    let order = seen.windows(2).all(|pair| {
        !matches!(
            (pair[0].text.as_str(), pair[1].text.as_str()),
            ("," | "(", ",") | ("," | "=", ")") | ("=", ",") | ("=", "=")
        )
    });
    let ends = seen.last().is_none_or(|last| !matches!(last.text.as_str(), "," | "=" | "=="));
    let routine = word(0) == "CREATE" && next().any(|named| matches!(named, "FUNCTION" | "PROCEDURE"));
    let bodied = seen.iter().any(|token| matches!(token.text.as_str(), "AS" | "RETURN" | "BEGIN" | "$$"));
    !known && order && ends && (!routine || bodied) && !text.contains("==") && seen.len() > 1
}

/// The script without commands of psql and the rows of `COPY … FROM stdin`; same length, same lines.
fn without_meta(code: &str) -> String {
    let mut out = String::with_capacity(code.len());
    let mut rows = false;
    for line in code.split_inclusive('\n') {
        let ends = rows && line.trim_end() == "\\.";
        if rows || line.trim_start().starts_with('\\') {
            out.extend(line.chars().flat_map(|c| {
                let blank = if matches!(c, '\n' | '\r') { c } else { ' ' };
                std::iter::repeat_n(blank, c.len_utf8())
            }));
            rows &= !ends;
            continue;
        }
        let lower = line.trim().to_ascii_lowercase();
        rows = lower.starts_with("copy ") && lower.ends_with("from stdin;");
        out.push_str(line);
    }
    out
}

/// SQL without the words of SQLite that its grammar does not know; same length, same lines.
pub(super) fn dialect(code: &str) -> String {
    const WORD: &str = "autoincrement";
    let mut out = code.as_bytes().to_vec();
    let lower = code.to_ascii_lowercase();
    for (at, _) in lower.match_indices(WORD) {
        out[at..at + WORD.len()].fill(b' ');
    }
    String::from_utf8(out).unwrap_or_else(|_| code.to_owned())
}
