//! JavaScript and TypeScript: `oxc` says whether a program is sound. What is wrong with one that is not is told by the
//! tree of its grammar, and by `oxc` where the grammar has a place for everything.

use std::ops::Range;

use assay_domain::code::{Category, Diagnostic};
use oxc::allocator::Allocator;
use oxc::parser::{ParseOptions, Parser};
use oxc::semantic::SemanticBuilder;
use oxc::span::SourceType;

use super::explain::innermost_at;
use super::place::{Source, clip, tail};
use super::sitter::{self, Grammar};
use super::watch::{Halt, TooLarge, Watch};

/// Tokens, counted as [`tokens`] does, of the longest program that `oxc` reads: some five hundred lines. It recurses over
/// tokens, reads some of them again for each that is open, and cannot be stopped. Longer programs are judged by the
/// grammar alone.
const MOST_TOKENS: usize = 4000;
/// Bytes before a place that tell which bracket is open there.
const NEAR: usize = 4096;

/// A language with what its programs may be.
pub(super) struct Dialect {
    grammar: &'static Grammar,
    /// Example code leaves out what it is: sound as one of these is sound.
    goals: &'static [SourceType],
    /// Whether the grammar has to agree: `oxc` takes members of an interface that nothing separates.
    grammar_agrees: bool,
}

/// With or without imports, as a script or a module; elements of JSX stand in either.
pub(super) static JAVASCRIPT: Dialect = Dialect {
    grammar: &sitter::JAVASCRIPT,
    goals: &[SourceType::unambiguous().with_jsx(true), SourceType::mjs().with_jsx(true)],
    grammar_agrees: false,
};
/// Declarations need no bodies where all of the program is declarations.
pub(super) static TYPESCRIPT: Dialect = Dialect {
    grammar: &sitter::TYPESCRIPT,
    goals: &[SourceType::ts().with_unambiguous(true), SourceType::ts(), SourceType::d_ts()],
    grammar_agrees: true,
};
/// TypeScript with elements.
pub(super) static TSX: Dialect = Dialect {
    grammar: &sitter::TSX,
    goals: &[SourceType::tsx().with_unambiguous(true), SourceType::tsx(), SourceType::d_ts()],
    grammar_agrees: true,
};

/// How `oxc` ends its message about a second declaration.
const TWICE: &str = "has already been declared";

/// The findings about a program.
pub(super) fn parse(
    dialect: &Dialect,
    source: &Source<'_>,
    watch: &Watch<'_>,
) -> Result<Vec<Diagnostic>, Halt<TooLarge>> {
    let code = source.code();
    sitter::few_angles(dialect.grammar, code)?;
    if tokens(code) > MOST_TOKENS {
        return sitter::parse(dialect.grammar, source, watch);
    }
    let mut refused: Vec<Vec<Finding>> = Vec::new();
    for goal in dialect.goals {
        let found = findings(code, *goal);
        watch.ask()?;
        if found.is_empty() {
            return if dialect.grammar_agrees {
                sitter::parse(dialect.grammar, source, watch)
            } else {
                Ok(Vec::new())
            };
        }
        // What a declaration may not be says little about a program.
        if !goal.is_typescript_definition() {
            refused.push(found);
        }
    }
    let placed = sitter::parse(dialect.grammar, source, watch)?;
    if !placed.is_empty() {
        return Ok(placed);
    }
    // The goal that went furthest is the one that was meant.
    let furthest = refused.into_iter().rev().max_by_key(|found| found.first().map(|one| one.place.start));
    let found = furthest.unwrap_or_default();
    let mut out: Vec<Diagnostic> = found.iter().map(|one| worded(dialect.grammar, source, one)).collect();
    sitter::one_a_line(&mut out);
    Ok(out)
}

/// At least as many as a program has tokens that can open a level of recursion: every word and every sign but those that
/// close or separate. Counts also what stands in quotes and comments.
fn tokens(code: &str) -> usize {
    let mut in_word = false;
    let mut count = 0;
    for byte in code.bytes() {
        let word = byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$');
        // A letter beyond ASCII may be a blank, so it ends a word; of its bytes the first one counts.
        let sign = !word
            && !matches!(byte, b'\t'..=b'\r' | b' ' | b'"' | b'\'' | b')' | b';' | b']' | b'}' | 0x80..0xc0);
        count += usize::from(sign || word && !in_word);
        in_word = word;
    }
    count
}

/// A mistake that `oxc` names.
struct Finding {
    place: Range<usize>,
    message: String,
}

/// What `oxc` finds in a program with this goal, in text order.
fn findings(code: &str, goal: SourceType) -> Vec<Finding> {
    let arena = Allocator::default();
    // A snippet may be the body of a function.
    let options = ParseOptions {
        allow_return_outside_function: true,
        parse_regular_expression: true,
        ..ParseOptions::default()
    };
    let parsed = Parser::new(&arena, code, goal).with_options(options).parse();
    let mut found = parsed.diagnostics.into_vec();
    if found.is_empty() {
        let checked = SemanticBuilder::new().with_check_syntax_error(true).build(&parsed.program);
        found = checked.diagnostics.into_vec();
    }
    let finding = |found: &oxc::diagnostics::OxcDiagnostic| {
        let byte = |offset: u32| usize::try_from(offset).unwrap_or(usize::MAX);
        let labels = found.labels.iter();
        let labels =
            labels.map(|label| byte(label.offset())..byte(label.offset().saturating_add(label.len())));
        // Of two declarations the second one is wrong.
        let twice = found.message.ends_with(TWICE);
        let place = if twice { labels.max_by_key(|place| place.start) } else { labels.take(1).next() };
        Finding { place: place.unwrap_or(code.len()..code.len()), message: found.message.to_string() }
    };
    let mut found: Vec<Finding> = found.iter().map(finding).collect();
    found.sort_by_key(|one| one.place.start);
    found
}

/// A finding in our words, under the code of its mistake.
fn worded(grammar: &Grammar, source: &Source<'_>, found: &Finding) -> Diagnostic {
    const MISSING: &str = "Missing initializer in ";
    let mut place = found.place.clone();
    let before = tail(source.code().get(..place.start).unwrap_or_default(), NEAR);
    let text = clip(source.text(place.clone()));
    // The last of these words before a place, outside of the block that ends there.
    let word_before = |word: &str| {
        let closed = before.trim_end().strip_suffix('}');
        let open = closed.and_then(innermost_at).map_or(before.len(), |(open, _)| open);
        let at = before.get(..open).and_then(|outside| outside.rfind(word))?;
        let start = place.start - (before.len() - at);
        Some(start..start + word.len())
    };
    let constant = before.trim_end().ends_with("const");
    let (id, message) = match found.message.as_str() {
        theirs if theirs.ends_with(TWICE) => ("JS005", format!("'{text}' is declared twice in this block")),
        theirs if theirs.starts_with(MISSING) && (constant || theirs.contains("const")) => {
            ("JS006", format!("the constant '{text}' has no value; '= …' is missing"))
        }
        theirs if theirs.starts_with("Illegal break") || theirs.starts_with("Illegal continue") => {
            let word = text.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
            ("JS007", format!("'{word}' outside of a loop"))
        }
        "Unexpected token" => ("JS004", unexpected(grammar, source, place.start, &text)),
        theirs if theirs.contains(" is a reserved word") || theirs.ends_with(" is reserved") => {
            ("JS004", format!("'{text}' is a reserved word and cannot be a name"))
        }
        theirs if theirs.starts_with("Expected a semicolon") => {
            let rest = clip(source.code().get(place.start..).unwrap_or_default());
            ("JS004", format!("';' or a line end is missing before '{rest}'"))
        }
        "Expected function name" => {
            place = word_before("function").unwrap_or(place);
            ("JS004", "a name is missing after 'function'".to_owned())
        }
        "Missing catch or finally clause" => {
            place = word_before("try").unwrap_or(place);
            ("JS004", "'try' needs a 'catch' or 'finally'".to_owned())
        }
        theirs if theirs.starts_with("Expected `...`") => {
            place = word_before("{").unwrap_or(place);
            let rest = source.code().get(place.start..).unwrap_or_default();
            let element = rest.split_inclusive('}').next().unwrap_or_default();
            ("JS004", format!("'=' or '...' is missing before '{}'", clip(element)))
        }
        theirs => ("JS004", plain(theirs)),
    };
    source.error(place, id, Category::SyntaxError, message)
}

/// Words for a sign or word that stands where none of its kind may.
fn unexpected(grammar: &Grammar, source: &Source<'_>, at: usize, text: &str) -> String {
    let before = tail(source.code().get(..at).unwrap_or_default(), NEAR);
    match (text, innermost_at(before)) {
        (",", Some((_, '('))) => "an argument is missing before ','".to_owned(),
        (",", Some((_, '{'))) => "a property or name is missing before ','".to_owned(),
        _ => format!("'{text}' cannot stand here in {}, after '{}'", grammar.name, source.before(at)),
    }
}

/// A message in the form of ours: quotes for backticks, no capital, no stop.
fn plain(message: &str) -> String {
    let message = message.replace('`', "'");
    let mut letters = message.trim_end_matches('.').chars();
    letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::stack_bytes;

    /// What opens one level and leaves it open.
    const LEVELS: &[&str] = &[
        "[",
        "(",
        "!",
        "-",
        "`${",
        "{a:",
        "a=>",
        "(a=>",
        "a?b:",
        "a?(b=",
        "a**",
        "a=",
        "a,",
        "a.",
        "a+",
        "a<",
        "()",
        "``",
        "async (",
        "async(a=",
        "<a>",
        "<a b={",
        "({a=",
        "class A{a=",
        "function a(){",
        "a=>{",
        "new ",
        "typeof ",
        "typeof\u{a0}",
        "await ",
        "void/**/",
        "a in ",
        "a in\"a\"in ",
        "a?.b",
        "a[",
        "f(a,",
    ];
    const STATEMENTS: &[&str] = &[
        "{",
        "a:",
        "for(;;)",
        "if(a)",
        "if(a);else ",
        "while(a)",
        "do ",
        "try{",
        "with(a)",
        "@(",
        "l:{",
        "switch(a){case ",
    ];
    const TYPES: &[&str] =
        &["(", "{a:", "[", "A<", "keyof ", "()=>", "(a:", "a extends b?", "`${", "new()=>", "a|", "a["];

    #[test]
    fn programs_at_the_bound_fit_the_stack() {
        let heads = [("let a = ", LEVELS), ("", STATEMENTS), ("type A = ", TYPES)];
        let read = move || {
            for (head, pieces) in heads {
                for piece in pieces {
                    let count = (MOST_TOKENS - tokens(head) - 1) / tokens(piece);
                    let code = format!("{head}{}b", piece.repeat(count));
                    assert!(tokens(&code) <= MOST_TOKENS && tokens(&code) * 2 > MOST_TOKENS, "{piece}");
                    for dialect in [&JAVASCRIPT, &TYPESCRIPT, &TSX] {
                        let _ = dialect.goals.first().map(|goal| findings(&code, *goal).len());
                    }
                }
            }
        };
        std::thread::Builder::new().stack_size(stack_bytes(0)).spawn(read).unwrap().join().unwrap();
    }
}
