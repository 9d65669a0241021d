//! Shell as bash reads it before it runs anything: lists, pipelines, compound commands and redirections. Reads by
//! descent, bounded in depth, and stops at the first mistake, as bash does.
//!
//! | file | holds |
//! |---|---|
//! | `mod` | the reader, lists, pipelines, simple commands, redirections |
//! | `compound` | `if`, loops, `case`, functions, groups, `[[ ]]` |
//! | `word` | words: quotes, expansions, substitutions, arrays |

mod compound;
mod condition;
mod scan;
mod word;

use assay_domain::code::{Category, Diagnostic, Severity};

use super::place::{Source, clip};
use super::watch::{Halt, Stopped, Watch};

/// Levels of nesting that are read; a person stays far below.
const DEEPEST: u32 = 120;
/// Words that end a list of commands.
const CLOSERS: &[&str] = &["then", "elif", "else", "fi", "do", "done", "esac", "}"];
/// Commands whose arguments may be arrays.
const DECLARING: &[&str] = &["declare", "typeset", "local", "export", "readonly", "eval", "alias"];

/// Here-documents without an end that are reported.
const MOST: usize = 20;

/// The findings about a script: one mistake at most, and here-documents that never end, which bash only warns of.
pub(super) fn parse(code: &str, watch: &Watch<'_>) -> Result<Vec<Diagnostic>, Stopped> {
    let source = Source::new(code);
    let mut reader = Reader {
        code,
        bytes: code.as_bytes(),
        at: 0,
        depth: 0,
        groups: 0,
        documents: Vec::new(),
        suspect: None,
        warnings: Vec::new(),
        source: &source,
        watch,
    };
    let mut out: Vec<Diagnostic> = Vec::new();
    match reader.script() {
        Ok(()) => {}
        Err(Halt::Stopped) => return Err(Stopped),
        Err(Halt::Other(mistake)) => {
            let Mistake { at, end, id, message } = *mistake;
            out.push(source.error(at..end, id, Category::SyntaxError, message));
        }
    }
    for (at, message) in reader.warnings.into_iter().take(MOST) {
        let end = at + clip(&code[at..]).len();
        let found = source.error(at..end.min(code.len()), "SH004", Category::SyntaxError, message);
        out.push(Diagnostic { severity: Severity::Warning, ..found });
    }
    Ok(out)
}

/// What is wrong, and where.
struct Mistake {
    at: usize,
    end: usize,
    id: &'static str,
    message: String,
}

type Step<T = ()> = Result<T, Halt<Box<Mistake>>>;

/// A here-document whose text begins at the next line.
struct Document {
    at: usize,
    delimiter: String,
    tabs: bool,
}

/// A word or bracket that waits for its closer.
#[derive(Clone, Copy)]
struct Opener {
    at: usize,
    word: &'static str,
}

struct Reader<'a> {
    code: &'a str,
    bytes: &'a [u8],
    at: usize,
    depth: u32,
    /// Braces that are open.
    groups: u32,
    documents: Vec<Document>,
    /// The first string over several lines that ends inside a word: where a quote is missing, it is most likely this one.
    suspect: Option<usize>,
    warnings: Vec<(usize, String)>,
    source: &'a Source<'a>,
    watch: &'a Watch<'a>,
}

impl Reader<'_> {
    fn script(&mut self) -> Step {
        loop {
            self.list()?;
            if self.at >= self.bytes.len() {
                return Ok(());
            }
            self.stray()?;
        }
    }

    /// What a list stopped at and nobody waited for.
    fn stray(&mut self) -> Step {
        let token = self.token();
        let message = match token {
            ";;" | ";&" | ";;&" => format!("'{token}' stands outside of a 'case'"),
            ")" => "')' closes nothing".to_owned(),
            "}" => "'}' closes nothing".to_owned(),
            "then" => "'then' has no 'if' before it".to_owned(),
            "elif" | "else" | "fi" => format!("'{token}' has no 'if … then' before it"),
            "do" | "done" => format!("'{token}' has no loop before it"),
            "esac" => "'esac' has no 'case' before it".to_owned(),
            _ => format!("'{token}' cannot stand here"),
        };
        self.wrong(self.at, token.len(), "SH003", message)
    }

    fn wrong<T>(&self, at: usize, length: usize, id: &'static str, message: String) -> Step<T> {
        let at = at.min(self.bytes.len());
        let mut end = (at + length).min(self.bytes.len());
        while !self.code.is_char_boundary(end) {
            end += 1;
        }
        Err(Halt::Other(Box::new(Mistake { at, end, id, message })))
    }

    fn line(&self, at: usize) -> u32 {
        self.source.position(at).0
    }

    /// A level deeper, for as long as `read` runs.
    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Step<T>) -> Step<T> {
        if self.depth >= DEEPEST {
            return self.wrong(
                self.at,
                1,
                "SH001",
                format!("more than {DEEPEST} levels stand inside each other"),
            );
        }
        self.depth += 1;
        let done = read(self);
        self.depth -= 1;
        done
    }

    /// Whether a list of commands ends here.
    fn closes(&self) -> bool {
        matches!(self.peek(), None | Some(b')'))
            || self.ahead(";;")
            || self.ahead(";&")
            || CLOSERS.contains(&self.bare())
    }

    /// Commands up to what ends them; whether there was one.
    fn list(&mut self) -> Step<bool> {
        self.deeper(|reader| {
            let mut any = false;
            loop {
                reader.watch.step()?;
                reader.newlines();
                if reader.closes() {
                    return Ok(any);
                }
                reader.chain()?;
                any = true;
                reader.blanks();
                if reader.closes() {
                    return Ok(any);
                }
                match reader.peek() {
                    Some(b';' | b'&') => reader.at += 1,
                    _ if reader.line_end() => {}
                    _ => return reader.behind(),
                }
            }
        })
    }

    /// Something that follows a command without a separator.
    fn behind<T>(&self) -> Step<T> {
        let seen = self.seen();
        let message = format!("{seen} cannot follow this command; a ';' or a line end is missing before it");
        self.wrong(self.at, seen.len().saturating_sub(2), "SH001", message)
    }

    /// A list that must hold a command.
    fn some(&mut self, after: Opener) -> Step {
        if self.list()? {
            return Ok(());
        }
        let text = format!("a command is missing between '{}' and {}", after.word, self.seen());
        self.wrong(after.at, after.word.len(), "SH002", text)
    }

    /// Pipelines joined by `&&` and `||`.
    fn chain(&mut self) -> Step {
        loop {
            self.pipeline()?;
            self.blanks();
            let at = self.at;
            let word = match () {
                () if self.ahead("&&") => "&&",
                () if self.ahead("||") => "||",
                () => return Ok(()),
            };
            self.at += 2;
            self.newlines();
            self.follows(Opener { at, word })?;
        }
    }

    /// Refuses an operator that no command follows.
    fn follows(&mut self, operator: Opener) -> Step {
        if self.closes()
            || matches!(self.peek(), Some(b';' | b'|'))
            || self.peek() == Some(b'&') && !self.ahead("&>")
        {
            let text = format!("a command is missing after '{}'; found {}", operator.word, self.seen());
            return self.wrong(operator.at, operator.word.len(), "SH002", text);
        }
        Ok(())
    }

    /// Commands joined by `|`.
    fn pipeline(&mut self) -> Step {
        loop {
            self.blanks();
            while matches!(self.bare(), "!" | "time") {
                self.at += self.bare().len();
                self.blanks();
                if self.bare() == "-p" {
                    self.at += 2;
                    self.blanks();
                }
                if self.closes() || self.line_end() || self.peek() == Some(b';') {
                    return Ok(());
                }
            }
            self.command()?;
            self.blanks();
            let at = self.at;
            if self.peek() != Some(b'|') || self.ahead("||") {
                return Ok(());
            }
            self.at += if self.ahead("|&") { 2 } else { 1 };
            self.newlines();
            self.follows(Opener { at, word: "|" })?;
        }
    }

    fn command(&mut self) -> Step {
        if !self.compound()? {
            return self.simple();
        }
        // Only redirections may follow a compound command.
        loop {
            self.blanks();
            if !self.redirection()? {
                break;
            }
        }
        let fine = self.closes() || self.line_end() || matches!(self.peek(), Some(b';' | b'&' | b'|'));
        if fine { Ok(()) } else { self.behind() }
    }

    /// Assignments, words and redirections; or the definition of a function.
    fn simple(&mut self) -> Step {
        let start = self.at;
        let mut words = 0_u32;
        let mut prefix = true;
        let mut declaring = false;
        loop {
            self.blanks();
            if self.redirection()? {
                continue;
            }
            match self.peek() {
                None | Some(b';' | b'|' | b')') => break,
                Some(b'&') if !self.ahead("&>") => break,
                _ if self.line_end() => break,
                Some(b'(') => return self.parenthesis(words, start),
                _ => {}
            }
            let at = self.at;
            let assigned = self.word(prefix || declaring)?;
            if !assigned && prefix {
                prefix = false;
                declaring = self.code.get(at..self.at).is_some_and(|text| DECLARING.contains(&text));
                words += 1;
            } else if !prefix {
                words += 1;
            }
        }
        if self.at > start {
            return Ok(());
        }
        let text = format!("a command is missing before {}", self.seen());
        self.wrong(self.at, 1, "SH002", text)
    }

    /// A `(` behind words: the head of a function, or nothing that may stand here.
    fn parenthesis(&mut self, words: u32, start: usize) -> Step {
        let at = self.at;
        self.at += 1;
        self.blanks();
        if words != 1 || self.peek() != Some(b')') {
            let before = clip(&self.code[start..at]);
            let text = format!("'(' cannot stand here, after '{before}'; quote it if it is text");
            return self.wrong(at, 1, "SH001", text);
        }
        self.at += 1;
        self.body(start)
    }

    /// A redirection, if one stands here.
    fn redirection(&mut self) -> Step<bool> {
        let start = self.at;
        let rest = &self.bytes[start..];
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let lead = match rest.first() {
            Some(b'{') => {
                let name = rest[1..]
                    .iter()
                    .take(64)
                    .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_')
                    .count();
                if name > 0 && rest.get(name + 1) == Some(&b'}') { name + 2 } else { return Ok(false) }
            }
            _ => digits,
        };
        self.at = start + lead;
        const OPERATORS: &[&str] = &["<<<", "<<-", "<<", "<&", "<>", "<", ">>", ">&", ">|", "&>>", "&>", ">"];
        let found = OPERATORS.iter().find(|operator| self.ahead(operator)).copied();
        let process = self.ahead("<(") || self.ahead(">(");
        let Some(operator) = found.filter(|operator| !process && (lead == 0 || !operator.starts_with('&')))
        else {
            self.at = start;
            return Ok(false);
        };
        self.at += operator.len();
        self.blanks();
        let at = self.at;
        let process = self.ahead("<(") || self.ahead(">(");
        if self.closed_by_operator() && !process {
            let what = if operator.starts_with("<<") { "a word" } else { "a file name" };
            let text = format!("{what} is missing after '{operator}'; found {}", self.seen());
            return self.wrong(start, lead + operator.len(), "SH002", text);
        }
        self.word(false)?;
        if matches!(operator, "<<" | "<<-") {
            let written = &self.code[at..self.at];
            let delimiter = written.replace(['\'', '"', '\\'], "");
            self.documents.push(Document { at: start, delimiter, tabs: operator == "<<-" });
        }
        Ok(true)
    }

    /// Whether no word can begin here.
    fn closed_by_operator(&self) -> bool {
        self.line_end() || matches!(self.peek(), None | Some(b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>'))
    }
}
