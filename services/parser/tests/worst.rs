//! No program overflows the stack: every reader takes its worst shapes at its bounds, on the stack that the service
//! gives it. A debug build reads shorter ones where a grammar in C does the work; `make test-limits` reads the longest in
//! a release build.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod shapes;

use assay_languages::{AvapOptions, Outcome, detect, fences, names, parse, stack_bytes};
use assay_parser::Options;
use shapes::{ANSWERS, Shape, shapes};

/// Languages that are read in Rust, whose frames are largest in a debug build.
const IN_RUST: &[&str] = &["avap", "bash", "json", "sql", "toml", "yaml"];

/// Bytes of a program.
fn longest(language: &str) -> usize {
    let whole = Options::default().max_program_bytes;
    match (cfg!(debug_assertions), IN_RUST.contains(&language)) {
        (false, _) => whole,
        (true, true) => whole / 16,
        (true, false) => whole / 32,
    }
}

/// Parses a shape at the bound of its reader: a program that is refused is cut to what the refusal says.
fn at_the_bound(language: &str, (before, piece, after): Shape) -> Outcome {
    let mut count = (longest(language) - before.len() - after.len()) / piece.len();
    loop {
        let code = format!("{before}{}{after}", piece.repeat(count));
        match parse(language, &code, &AvapOptions::default(), &|| false) {
            Outcome::TooLarge { size, most, .. } => count = (count * most / size).min(count - 1),
            outcome => return outcome,
        }
    }
}

/// Stack for programs of a language; other services read AVAP on threads of the usual size.
fn stack(language: &str) -> usize {
    if language == "avap" { 2 * 1024 * 1024 } else { stack_bytes(longest(language)) }
}

/// Runs one task a name, each on its stack; an overflow names the thread and ends the test.
fn on_threads(named: Vec<&'static str>, stack: fn(&str) -> usize, task: fn(&'static str)) {
    let start = |name: &'static str| {
        let thread = std::thread::Builder::new().name(name.to_owned()).stack_size(stack(name));
        (name, thread.spawn(move || task(name)).unwrap())
    };
    for (name, thread) in named.into_iter().map(start).collect::<Vec<_>>() {
        thread.join().unwrap_or_else(|_| panic!("{name} failed"));
    }
}

#[test]
fn worst_programs_of_every_language_are_answered() {
    on_threads(names(), stack, |language| {
        let shapes = shapes(language);
        assert!(shapes.len() > 3, "{language} has no worst shapes here: add them");
        for shape in shapes {
            let outcome = at_the_bound(language, *shape);
            assert!(matches!(outcome, Outcome::Parsed { .. }), "{language} {shape:?}: {outcome:?}");
        }
    });
}

#[test]
fn worst_answers_are_read() {
    on_threads(vec!["answers"], stack, |_| {
        let bytes = Options::default().max_answer_bytes / if cfg!(debug_assertions) { 16 } else { 1 };
        for piece in ANSWERS {
            let answer = piece.repeat(bytes / piece.len());
            assert!(fences(&answer, &|| false).is_ok(), "{piece:?}");
        }
    });
}

#[test]
fn worst_texts_without_a_language_are_told() {
    on_threads(
        names(),
        |_| stack_bytes(longest("text")),
        |language| {
            // Each is read by nearly every grammar.
            let part = if cfg!(debug_assertions) { 256 } else { 64 };
            for (before, piece, after) in shapes(language) {
                let code = format!(
                    "{before}{}{after}",
                    piece.repeat(Options::default().max_program_bytes / part / piece.len())
                );
                assert!(detect(&code, &|| false).is_ok(), "{language} {piece:?}");
            }
        },
    );
}

#[test]
fn programs_beyond_a_bound_say_which() {
    for (language, code, what) in [
        ("sql", format!("select {}1", "1+".repeat(30_000)), "terms in one SQL expression"),
        ("sql", format!("select {}1", "1, ".repeat(60_000)), "bytes in one SQL statement"),
        ("java", "A<".repeat(8_000), "open '<' in a row"),
        ("java", "A</*>*/".repeat(6_000), "open '<' in a row"),
        ("java", "A<//>\n".repeat(6_000), "open '<' in a row"),
        ("java", "A</*;*/".repeat(6_000), "open '<' in a row"),
        ("java", "A<;".repeat(6_000), "open '<' in a row"),
        ("typescript", "a<".repeat(8_000), "open '<' in a row"),
        ("typescript", "a<\">\",".repeat(6_000), "open '<' in a row"),
        ("typescript", "a<{},".repeat(6_000), "open '<' in a row"),
        ("tsx", "a<".repeat(8_000), "open '<' in a row"),
        ("yaml", "- a\n".repeat(100_000), "bytes of YAML"),
        ("toml", "#\n".repeat(200_000), "bytes of TOML"),
    ] {
        match parse(language, &code, &AvapOptions::default(), &|| false) {
            Outcome::TooLarge { what: found, size, most } => {
                assert!(found == what && size > most, "{found} {size} {most}");
            }
            other => panic!("{language}: {other:?}"),
        }
    }
}
