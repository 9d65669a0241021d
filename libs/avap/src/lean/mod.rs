//! The short road: a reader for programs in which every line is entirely regular, as nearly all valid ones are.
//!
//! The full road lexes the program, finds its lines, its functions and its assigned names, reads each line with
//! everything that can be said about a mistake in it, resolves the blocks and runs the rules, one pass after the other.
//! Most of that only serves lines that are wrong. This reader takes a program in one pass over its bytes, straight to
//! the nodes of the tree, and **declines** at the first thing that is not regular; the full road then reads the program
//! as if this one did not exist. So it never has to explain anything, and it holds three promises:
//!
//! - What it does not decline is the same tree with the same diagnostics as on the full road, nothing more or less.
//!   `tests/roads.rs` and the fuzz target compare the two.
//! - Rules over the whole program live in `rules` alone. This reader only notes, while it reads, which of them could
//!   find anything, and runs those.
//! - No recursion and no list of its own for a node, a line or a name: a handful of flat arrays, whatever the input.
//!
//! `cursor` knows bytes, `keys`, `known`, `names` and `table` turn names into numbers, `expression` reads expressions, `call`
//! calls with their arguments, `statement` lines and blocks; `taint` asks whether a parameter could reach SQL.

mod call;
mod cursor;
mod expression;
mod keys;
mod known;
mod names;
mod statement;
mod table;
mod taint;

use std::mem::take;

use smallvec::SmallVec;

use crate::commands::Profiles;
use crate::diagnostic::Finding;
use crate::hash::NameSet;
use crate::parser::Outcome;
use crate::rules::{self, Failed, TextRead, Wanted};
use crate::syntax::{Arena, ExprId, Run, Span, Statement, StatementKind, Tree};

use expression::Frame;
use keys::Slot;
use known::flag;
use names::{FEW, Names, Symbol};
use statement::Blocks;

/// A program of this many bytes or more takes the full road: here places, nodes and names are counted in 32 bits and
/// nobody looks whether they still fit.
const MOST_BYTES: usize = 1 << 29;

/// Reads a regular program; `None` where the full road has to read it.
pub(crate) fn read(source: &str, profiles: Profiles) -> Option<Outcome> {
    if source.len() >= MOST_BYTES {
        return None;
    }
    // Room on the stack for the names of a small program.
    let mut slots = [Slot::FREE; FEW];
    let names = Names::new(source, &mut slots);
    let mut reader = Reader::new(source, profiles, names);
    reader.program()?;
    reader.outcome()
}

/// A name that the text of a condition reads.
struct Heard {
    line: u32,
    name: Span,
    arithmetic: bool,
    span: Span,
}

/// A call of a name that must turn out to be a function.
struct Called {
    name: Symbol,
    arguments: u32,
    line: u32,
}

/// What the program was seen to do, by which it is known which rules could find anything.
#[derive(Default)]
struct Seen {
    /// Commands used, as bits.
    commands: u64,
    answers: bool,
    /// Some `gather` waits for what nothing before it started.
    gathers: bool,
    /// Request parameters come in.
    parameters: bool,
    /// Some line alone may draw a warning of the rules.
    doubtful: bool,
}

struct Reader<'a> {
    source: &'a str,
    /// The text that is read: the source, or its part up to the end of a condition's text.
    bytes: &'a [u8],
    at: usize,
    /// Where the last piece of the statement ends that was read.
    end: usize,
    profiles: Profiles,
    arena: Arena,
    statements: Vec<Statement>,
    comments: Vec<Span>,
    names: Names<'a>,
    notes: Vec<Finding>,
    frames: SmallVec<[Frame; 8]>,
    /// Items of the brackets that are open, those of an inner one behind those of the outer one.
    items: SmallVec<[Option<ExprId>; 16]>,
    /// The name that was read last, with its number.
    latest: (ExprId, Symbol),
    /// Whether a condition's text is read.
    in_text: bool,
    /// Whether `${name}` is an operand.
    holes: bool,
    blocks: Blocks,
    /// The function that is read.
    function: Option<Symbol>,
    /// The lines that define functions.
    functions: Vec<u32>,
    /// Names that the call writes that is read.
    targets: SmallVec<[Symbol; 4]>,
    /// Parameters of the function that is read.
    parameters: Vec<Symbol>,
    calls: Vec<Called>,
    /// Lines that write what may carry on the text that they read, in order, each with what it writes; for a `return`
    /// the name of the function.
    flows: SmallVec<[(u32, Symbol); 16]>,
    /// Lines that run SQL.
    queries: Vec<u32>,
    /// Names on which methods are called.
    objects: Vec<Symbol>,
    /// Names up to which a loop from 0 runs.
    ends: Vec<Symbol>,
    heard: Vec<Heard>,
    seen: Seen,
}

/// A program of this many bytes is a large one.
const LARGE: usize = 1 << 16;

/// Room for the lines of a program. For a large one it is generous: a common allocator gives memory back to the system
/// after each parse unless one block is as large as all others together, and gets it anew, page by page, for the next.
/// What is not used is never touched.
fn lines_expected(length: usize) -> usize {
    if length < LARGE { length / 24 + 4 } else { length / 9 }
}

/// Room for functions and for their parameters, which only a large program has many of.
fn functions_expected(length: usize) -> usize {
    if length < LARGE { 0 } else { length / 20 }
}

impl<'a> Reader<'a> {
    #[inline(always)]
    fn new(source: &'a str, profiles: Profiles, names: Names<'a>) -> Self {
        let length = source.len();
        Self {
            source,
            bytes: source.as_bytes(),
            at: if source.starts_with('\u{feff}') { 3 } else { 0 },
            end: 0,
            profiles,
            // Somewhat more than programs have on average.
            arena: Arena {
                nodes: Vec::with_capacity(length / 10 + 4),
                children: Vec::with_capacity(length / 16 + 4),
                parameters: Vec::with_capacity(functions_expected(length)),
            },
            statements: Vec::with_capacity(lines_expected(length)),
            comments: Vec::new(),
            names,
            notes: Vec::new(),
            frames: SmallVec::new(),
            items: SmallVec::new(),
            latest: (ExprId(0), Symbol::MAX),
            in_text: false,
            holes: false,
            blocks: Blocks::default(),
            function: None,
            functions: Vec::with_capacity(functions_expected(length)),
            targets: SmallVec::new(),
            parameters: Vec::new(),
            calls: Vec::new(),
            flows: SmallVec::new(),
            queries: Vec::new(),
            objects: Vec::new(),
            ends: Vec::new(),
            heard: Vec::new(),
            seen: Seen::default(),
        }
    }

    /// A name is read.
    #[inline]
    fn reads(&mut self, symbol: Symbol) {
        if !self.names.any(symbol, flag::PARAMETER) {
            self.names.set(symbol, flag::READ);
        }
    }

    /// A name is written; `marks` tell more about what it holds then.
    #[inline]
    fn writes(&mut self, symbol: Symbol, marks: u16) {
        self.seen.doubtful |= self.names.any(symbol, flag::RESERVED);
        self.names.set(symbol, flag::ASSIGNED | marks);
    }

    /// The line that is read hands on what it reads to a name.
    #[inline]
    fn hands_on(&mut self, symbol: Symbol) {
        self.flows.push((cursor::offset(self.statements.len()), symbol));
    }

    /// The functions of the program with their parameters.
    fn headers(&mut self, tree: &Tree) -> Vec<(Symbol, Run)> {
        let mut headers = Vec::with_capacity(self.functions.len());
        for line in take(&mut self.functions) {
            if let Some(StatementKind::Function { name, parameters }) =
                tree.statements.get(line as usize).map(|statement| statement.kind)
            {
                headers.push((self.symbol_between(name), parameters));
            }
        }
        headers
    }

    /// Whether all names called are functions of the program, called as they are defined.
    fn calls_fit(&self, headers: &[(Symbol, Run)]) -> bool {
        let mut expected = vec![usize::MAX; self.names.count()];
        for (function, parameters) in headers {
            expected[*function as usize] = parameters.len();
        }
        self.calls.iter().all(|call| expected.get(call.name as usize) == Some(&(call.arguments as usize)))
    }

    /// The rules that could find anything.
    fn wanted(&mut self, tree: &Tree, headers: &[(Symbol, Run)]) -> Wanted {
        let queries = self.parameters_could_reach_sql(tree, headers);
        let holds_object = |symbol: &Symbol| self.names.any(*symbol, flag::VARIED);
        Wanted {
            reads: self.names.reads_unassigned(),
            lines: self.seen.doubtful
                || !self.objects.iter().all(holds_object)
                || self.ends.iter().any(|symbol| self.names.any(*symbol, flag::LENGTH)),
            gathers: self.seen.gathers,
            queries,
            // Known without the rule.
            output: false,
        }
    }

    /// What was found, once the whole program has been read.
    fn outcome(&mut self) -> Option<Outcome> {
        let arena = take(&mut self.arena);
        let tree = Tree {
            statements: take(&mut self.statements),
            expressions: arena.nodes,
            children: arena.children,
            parameters: arena.parameters,
            comments: take(&mut self.comments),
        };
        // Only calls ask for them.
        let headers = if self.calls.is_empty() { Vec::new() } else { self.headers(&tree) };
        if !self.calls.is_empty() && !self.calls_fit(&headers) {
            return None;
        }
        let wanted = self.wanted(&tree, &headers);
        let mut findings = take(&mut self.notes);
        if wanted != Wanted::default() {
            findings.extend(check(self.source, &tree, &self.heard, wanted));
        }
        if !self.seen.answers {
            findings.push(rules::no_output());
        }
        Some(Outcome { tree, findings, commands: self.seen.commands })
    }
}

/// Runs the rules on a program without errors.
fn check(source: &str, tree: &Tree, heard: &[Heard], wanted: Wanted) -> Vec<Finding> {
    let slice = |span: Span| source.get(span.0 as usize..span.1 as usize).unwrap_or_default();
    let text_reads: Vec<TextRead<'_>> = heard
        .iter()
        .map(|heard| TextRead {
            line: heard.line as usize,
            name: slice(heard.name).trim_start_matches('$').into(),
            arithmetic: heard.arithmetic,
            span: heard.span,
        })
        .collect();
    let mut functions: NameSet<&str> = NameSet::default();
    let mut inside = None;
    let function: Vec<Option<u32>> = (0_u32..)
        .zip(&tree.statements)
        .map(|(at, statement)| {
            let around = inside;
            match statement.kind {
                StatementKind::Function { name, .. } => {
                    functions.insert(slice(name));
                    inside = Some(at);
                }
                StatementKind::CloseFunction => inside = None,
                _ => {}
            }
            around
        })
        .collect();
    let program = rules::Program {
        source,
        tree,
        failed: Failed::default(),
        text_reads: &text_reads,
        function: &function,
        functions: &functions,
    };
    rules::check(&program, wanted)
}
