//! Languages with a tree-sitter grammar: the places where the grammar had to skip or to invent text become errors in
//! words. Walks with a cursor, never by recursion.

mod angles;
mod brackets;
mod defects;

use std::cell::Cell;
use std::ops::ControlFlow;

use assay_domain::code::{Category, Diagnostic};
use tree_sitter::{Language, ParseOptions, ParseState, Parser, Point, Tree};

use super::explain::Words;
use super::place::Source;
use super::watch::{Halt, Stopped, TooLarge, Watch};
use super::{go, java, python, quotes, rust, sql};

/// Errors of one program that are reported; what follows many is noise.
const MOST: usize = 20;
/// Questions of a grammar, one for a hundred of its steps, after which it is given up, beside one for every eight bytes
/// of the program: more than ten times as many as a sound program takes.
const MOST_WORK: usize = 500;
/// Bytes that a grammar is handed at a time.
const PIECE: usize = 4096;
/// How often each piece is handed out, on average, before the grammar is given up. A scanner may read ahead from one
/// token to the end of the program and begin anew at the next: behind comments and blank lines that is its trade, and so
/// many lines of comments in a row are read half as many times; without an end it takes as many readings as there are
/// tokens. Programs of a few pieces have [`SPARE`] more.
const MOST_READINGS: usize = 1000;
/// Pieces that are counted beside those of the program.
const SPARE: usize = 64;
/// Signs `<` in a row, closed by no `>` and ended by no brace or semicolon outside of comments and quotes, that a grammar with type arguments is asked
/// about: each may open them, and the grammar takes the square of their number.
const MOST_ANGLES: usize = 500;

/// A grammar with what its diagnostics are called.
pub(super) struct Grammar {
    /// Prefix of its codes.
    prefix: &'static str,
    /// Name in messages.
    pub(super) name: &'static str,
    language: fn() -> Language,
    /// Whether brackets pair up in every program; in shell and SQL they need not.
    brackets: bool,
    /// Whether a `<` may open type arguments anywhere, so that many are much work.
    angles: bool,
    /// What the grammar accepts and the language does not.
    stricter: Option<Stricter>,
    /// Takes out words of dialects that the grammar does not know; the text keeps its length.
    dialect: Option<fn(&str) -> String>,
    /// Where a mistake of layout really is, for a program that the grammar rejects.
    layout: Option<Layout>,
}

/// Collects the findings of rules beyond a grammar.
type Stricter = fn(&Source<'_>, &Tree, &Watch<'_>, &mut Vec<Diagnostic>) -> Result<(), Stopped>;
/// The first mistake of layout.
type Layout = fn(&Source<'_>, &Tree, &Watch<'_>) -> Result<Option<Diagnostic>, Stopped>;

macro_rules! grammars {
    ($($constant:ident = $prefix:literal, $name:literal, $language:expr, $brackets:literal, $angles:literal, $stricter:expr, $dialect:expr;)*) => {
        $(pub(super) static $constant: Grammar = Grammar {
            prefix: $prefix,
            name: $name,
            language: || $language.into(),
            brackets: $brackets,
            angles: $angles,
            stricter: $stricter,
            dialect: $dialect,
            layout: None,
        };)*
    };
}

grammars! {
    GO = "GO", "Go", tree_sitter_go::LANGUAGE, true, false, Some(go::check), None;
    JAVA = "JAVA", "Java", tree_sitter_java::LANGUAGE, true, true, Some(java::check), None;
    JAVASCRIPT = "JS", "JavaScript", tree_sitter_javascript::LANGUAGE, true, false, None, None;
    RUST = "RS", "Rust", tree_sitter_rust::LANGUAGE, true, false, Some(rust::check), Some(rust::dialect);
    SQL = "SQL", "SQL", tree_sitter_sequel::LANGUAGE, false, false, None, Some(sql::dialect);
    TSX = "TSX", "TypeScript", tree_sitter_typescript::LANGUAGE_TSX, true, true, None, None;
    TYPESCRIPT = "TS", "TypeScript", tree_sitter_typescript::LANGUAGE_TYPESCRIPT, true, true, None, None;
}

pub(super) static PYTHON: Grammar = Grammar {
    prefix: "PY",
    name: "Python",
    language: || tree_sitter_python::LANGUAGE.into(),
    brackets: true,
    angles: false,
    stricter: Some(python::check),
    dialect: None,
    layout: Some(python::layout),
};

/// Refuses a program with more open `<` than its readers are asked about.
pub(super) fn few_angles(grammar: &Grammar, code: &str) -> Result<(), Halt<TooLarge>> {
    let angles = if grammar.angles { angles::most_open(code) } else { 0 };
    if angles > MOST_ANGLES {
        return Err(Halt::Other(TooLarge { what: "open '<' in a row", size: angles, most: MOST_ANGLES }));
    }
    Ok(())
}

/// The findings about a program. A grammar that cannot be loaded reads as stopped.
pub(super) fn parse(
    grammar: &Grammar,
    source: &Source<'_>,
    watch: &Watch<'_>,
) -> Result<Vec<Diagnostic>, Halt<TooLarge>> {
    let code = source.code();
    few_angles(grammar, code)?;
    let mut parser = Parser::new();
    parser.set_language(&(grammar.language)()).map_err(|_| Stopped)?;
    let known = grammar.dialect.map(|dialect| dialect(code));
    let text = known.as_deref().unwrap_or(code);
    let most = MOST_WORK + text.len() / 8;
    let most_handed = MOST_READINGS * (text.len() / PIECE + SPARE);
    let (asked, handed) = (Cell::new(0), Cell::new(0));
    let (stopped, lost) = (Cell::new(false), Cell::new(None));
    // Where the last piece began, and where one was last asked for again.
    let (last, again) = (Cell::new(0), Cell::new(0));
    // Whether the grammar is to end here.
    let ends = || {
        stopped.set(stopped.get() || watch.ask().is_err());
        stopped.get() || asked.get() > most || handed.get() > most_handed
    };
    let mut progress = |state: &ParseState| {
        asked.set(asked.get() + 1);
        let ends = ends();
        if ends || state.has_error() {
            lost.set(lost.get().or(Some(state.current_byte_offset())));
        }
        if ends { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    // Between two questions of the grammar its scanner may read much: it is asked about there too, and a program that is
    // given up has no more text. No piece ends inside of a letter: the library would ask for the letter again, and read
    // behind the end of the empty piece it may get then.
    let mut hand_out = |offset: usize, _: Point| {
        handed.set(handed.get() + 1);
        if offset < last.replace(offset) {
            again.set(offset);
        }
        let end = if ends() { offset } else { text.floor_char_boundary(offset.saturating_add(PIECE)) };
        text.as_bytes().get(offset..end).unwrap_or_default()
    };
    let tree = parser.parse_with_options(
        &mut hand_out,
        None,
        Some(ParseOptions::new().progress_callback(&mut progress)),
    );
    if stopped.get() {
        return Err(Stopped.into());
    }
    let Some(tree) = tree.filter(|_| handed.get() <= most_handed) else {
        // Nobody said stop: the grammar looks for what could be meant in more ways than can be tried.
        return Ok(vec![defects::given_up(grammar, source, lost.get().or(Some(again.get())))]);
    };
    let mut out = Vec::new();
    if tree.root_node().has_error() {
        // The grammar recovers late; brackets and layout tell the place better where they are the mistake.
        let mut place = None;
        if grammar.brackets {
            let marked = brackets::Marked::find(source, &tree, watch)?;
            let holds = |at: usize| marked.holds(source.line_of(at));
            place = quotes::open_text(grammar.name, code, &holds, watch)?
                .map(|words| worded(grammar, source, words, "003"));
            if place.is_none() {
                place = brackets::unbalanced(grammar, source, &tree, watch)?;
            }
        }
        if let (None, Some(layout)) = (&place, grammar.layout) {
            place = layout(source, &tree, watch)?;
        }
        match place {
            Some(diagnostic) => out.push(diagnostic),
            None => {
                let found = defects::find(grammar, source, &tree, watch)?;
                out = one_each(&tree, found);
            }
        }
    }
    if out.is_empty()
        && let Some(stricter) = grammar.stricter
    {
        stricter(source, &tree, watch, &mut out)?;
    }
    one_a_line(&mut out);
    Ok(out)
}

/// Keeps the first finding of each line, in text order, and not too many of them.
pub(super) fn one_a_line(out: &mut Vec<Diagnostic>) {
    out.sort_by_key(|diagnostic| (diagnostic.line, diagnostic.column));
    out.dedup_by_key(|diagnostic| diagnostic.line);
    out.truncate(MOST);
}

fn worded(grammar: &Grammar, source: &Source<'_>, words: Words, number: &str) -> Diagnostic {
    let Words { at, length, message } = words;
    let id = format!("{}{number}", grammar.prefix);
    source.error(at..at + length, id, Category::SyntaxError, message)
}

/// The first finding in each piece of the program: what follows it inside of the piece mostly follows from it.
fn one_each(tree: &Tree, mut found: Vec<(usize, Diagnostic)>) -> Vec<Diagnostic> {
    let root = tree.root_node();
    found.sort_by_key(|(at, _)| *at);
    if root.is_error() {
        return found.into_iter().take(1).map(|(_, diagnostic)| diagnostic).collect();
    }
    let mut cursor = root.walk();
    let ends: Vec<usize> = root.children(&mut cursor).map(|child| child.end_byte()).collect();
    let mut last = None;
    found.retain(|(at, _)| {
        let piece = ends.partition_point(|end| end <= at);
        // Pieces in a row that all hold errors are mostly one mistake.
        let fresh = last.is_none_or(|last| piece > last + 1);
        last = Some(piece);
        fresh
    });
    found.into_iter().map(|(_, diagnostic)| diagnostic).collect()
}
