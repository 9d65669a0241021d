//! Blocks of other languages, whole, inside AVAP and behind it: the language is named once, on the first line, and
//! nothing else is said about the block.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

use assay_avap::{Options, Severity, parse};

const LANGUAGES: &[(&str, &str)] = &[
    ("Go", include_str!("foreign/go.txt")),
    ("Python", include_str!("foreign/python.txt")),
    ("JavaScript", include_str!("foreign/javascript.txt")),
    ("TypeScript", include_str!("foreign/typescript.txt")),
    ("PHP", include_str!("foreign/php.txt")),
    ("Java", include_str!("foreign/java.txt")),
    ("C", include_str!("foreign/c.txt")),
    ("Rust", include_str!("foreign/rust.txt")),
    ("SQL", include_str!("foreign/sql.txt")),
    ("shell", include_str!("foreign/shell.txt")),
];

/// Where a block stands: what comes before it and behind it.
const PLACES: &[(&str, &str)] = &[
    ("", ""),
    ("addParam(\"limit\", limit)\naddVar(answer, limit)\n", ""),
    ("addParam(\"limit\", limit)\n// then\n", "addVar(answer, limit)\naddResult(answer)\n"),
    ("addParam(\"limit\", limit)\nif(limit, 3, \">\")\n", "addResult(limit)\nend()\n"),
];

/// What is wrong with the errors that a block draws, if anything.
fn wrong(language: &str, block: &str, before: &str, behind: &str) -> Option<String> {
    let code = format!("{before}{block}{behind}");
    let found = parse(&code, &Options::default()).diagnostics;
    let errors: Vec<_> = found.iter().filter(|one| one.severity == Severity::Error).collect();
    let first = before.lines().count() + 1;
    let comment = block.lines().take_while(|line| line.starts_with("//")).count();
    let right = matches!(errors.as_slice(), [one]
        if (one.render().contains(&format!("{language}, not AVAP"))
            || language == "SQL" && one.message.contains("CREATE TABLE"))
            && (first..=first + comment).contains(&(one.line as usize)));
    (!right).then(|| {
        let said: Vec<String> = errors.iter().map(|one| one.render()).collect();
        format!("{language}: {said:#?}\n{code}")
    })
}

#[test]
fn a_block_of_another_language_is_named_once() {
    let (mut all, mut bad) = (0, Vec::new());
    for (language, blocks) in LANGUAGES {
        let (before_all, before_bad) = (all, bad.len());
        for block in blocks.split("@\n").filter(|block| !block.is_empty()) {
            for (before, behind) in PLACES {
                all += 1;
                bad.extend(wrong(language, block, before, behind));
            }
        }
        println!("{language}: {} of {} right", all - before_all - (bad.len() - before_bad), all - before_all);
    }
    println!("{}", bad.join("\n"));
    let right = all - bad.len();
    assert!(all >= 480, "only {all} cases");
    assert!(right * 100 >= all * 97, "{right} of {all} right\n{}", bad.join("\n"));
}
