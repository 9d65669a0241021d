//! One mistake made on purpose in every program of the pool: a dropped closer, a renamed command, a foreign line put
//! in. The finding must stand on the changed line with the right category in at least 98 of 100 programs, nothing else
//! may be found, and the programs themselves draw no error.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use assay_avap::{Category, Diagnostic, Example, Options, Severity, examples, parse};

/// Of 100 changed programs, those that must be judged right.
const WANTED: usize = 98;

fn errors(code: &str) -> Vec<Diagnostic> {
    let found = parse(code, &Options::default()).diagnostics;
    found.into_iter().filter(|d| d.severity == Severity::Error).collect()
}

/// A changed program with the lines that may be named and the categories that may be given.
struct Changed {
    code: String,
    lines: Vec<usize>,
    categories: &'static [Category],
    what: String,
}

fn judge(family: &str, changed: &[Changed]) {
    let mut wrong = Vec::new();
    for case in changed {
        let found = errors(&case.code);
        let right = matches!(found.as_slice(), [one]
            if case.lines.contains(&(one.line as usize)) && case.categories.contains(&one.category));
        if !right {
            let said: Vec<String> = found.iter().map(Diagnostic::render).collect();
            wrong.push(format!("{} at {:?}: {said:#?}\n{}", case.what, case.lines, case.code));
        }
    }
    assert!(changed.len() > 150, "{family}: only {} programs", changed.len());
    let right = changed.len() - wrong.len();
    assert!(
        right * 100 >= changed.len() * WANTED,
        "{family}: {right} of {} judged right\n{}",
        changed.len(),
        wrong.join("\n")
    );
}

fn lines(example: &Example) -> Vec<&'static str> {
    example.code.lines().collect()
}

/// The line that opened the block that the closer on line `at` closes, both counted from 0.
fn opener(lines: &[&str], at: usize) -> usize {
    let mut open = Vec::new();
    for (number, line) in lines.iter().enumerate().take(at + 1) {
        let line = line.trim();
        let word = line.split('(').next().unwrap_or_default().trim();
        let closes = matches!(word, "end" | "endLoop") || line.starts_with('}');
        if matches!(word, "if" | "try" | "go_async" | "startLoop") || line.starts_with("function ") {
            open.push(number);
        } else if closes {
            let opened = open.pop().expect("the pool balances");
            if number == at {
                return opened;
            }
        }
    }
    panic!("no opener for line {at} of\n{}", lines.join("\n"));
}

#[test]
fn pool_draws_no_error() {
    for example in examples() {
        assert!(errors(example.code).is_empty(), "{}: {:#?}", example.id, errors(example.code));
    }
}

#[test]
fn dropped_closer_is_named_at_its_opener() {
    let mut changed = Vec::new();
    for example in examples() {
        let lines = lines(&example);
        for (at, line) in lines.iter().enumerate() {
            if !matches!(line.trim(), "end()" | "endLoop()" | "}") {
                continue;
            }
            let mut rest = lines.clone();
            rest.remove(at);
            // Without its closer a block may swallow that of the block around it, which is then the one left open;
            // or the closer of another kind that comes next is the one that does not fit.
            let outer = (at + 1..lines.len())
                .filter(|next| matches!(lines[*next].trim(), "end()" | "endLoop()" | "}"))
                .map(|next| opener(&lines, next))
                .filter(|opened| *opened < at);
            let mut named = vec![opener(&lines, at) + 1, at + 1];
            named.extend(outer.map(|line| line + 1));
            changed.push(Changed {
                code: rest.join("\n"),
                lines: named,
                categories: &[Category::SyntaxError, Category::UnexpectedConstruct],
                what: format!("{} without line {}", example.id, at + 1),
            });
        }
    }
    judge("dropped closer", &changed);
}

#[test]
fn dropped_bracket_or_quote_is_named_on_its_line() {
    let mut changed = Vec::new();
    for example in examples() {
        let lines = lines(&example);
        for (at, line) in lines.iter().enumerate() {
            let code = line.trim_end();
            if code.trim_start().starts_with("//") || code.contains("//") || !code.ends_with(')') {
                continue;
            }
            let inner = code.trim_end_matches(')');
            for cut in
                [code[..code.len() - 1].to_owned(), inner.strip_suffix('"').unwrap_or(code).to_owned() + ")"]
            {
                if cut.len() >= code.len() {
                    continue;
                }
                let mut all: Vec<&str> = lines.clone();
                all[at] = &cut;
                changed.push(Changed {
                    code: all.join("\n"),
                    lines: vec![at + 1],
                    categories: &[Category::SyntaxError],
                    what: format!("{} line {}", example.id, at + 1),
                });
            }
        }
    }
    judge("dropped bracket", &changed);
}

#[test]
fn renamed_command_is_an_unknown_token_on_its_line() {
    let mut changed = Vec::new();
    for example in examples() {
        let lines = lines(&example);
        for (at, line) in lines.iter().enumerate() {
            let indent = line.len() - line.trim_start().len();
            let (head, call) = match line.split_once(" = ") {
                Some((target, value)) if !target.contains(['(', '"']) => (target.len() + 3, value),
                _ => (indent, line.trim_start()),
            };
            let Some((name, _)) = call.split_once('(') else { continue };
            if assay_avap::command(name).is_none() {
                continue;
            }
            // A prefix, a doubled letter, another casing, a transposition.
            let middle = name.len() / 2;
            let renamed = [
                format!("my{name}"),
                format!("{}{}{}", &name[..middle], &name[middle - 1..middle], &name[middle..]),
                name.to_ascii_uppercase(),
                format!("{name}Now"),
            ];
            let new = &renamed[(at + example.id.len()) % renamed.len()];
            let line = format!("{}{}{}", &line[..head], new, &call[name.len()..]);
            let mut all: Vec<&str> = lines.clone();
            all[at] = &line;
            changed.push(Changed {
                code: all.join("\n"),
                lines: vec![at + 1],
                categories: &[Category::UnknownToken],
                what: format!("{} line {}", example.id, at + 1),
            });
        }
    }
    judge("renamed command", &changed);
}

/// Lines of other languages, each wrong by itself.
const FOREIGN: &[&str] = &[
    "for i in range(10):",
    "for (let i = 0; i < 3; i++) {",
    "for i := 0; i < 3; i++ {",
    "for (int i = 0; i < 3; i++) {",
    "foreach ($items as $item) {",
    "while x < 5:",
    "while (x < 5) {",
    "while True:",
    "if x > 3:",
    "if (x > 3) {",
    "if x == 3 {",
    "elif x == 2:",
    "else if (x == 2) {",
    "} else {",
    "else:",
    "let q = 5;",
    "const q = 5",
    "var q = 5",
    "int q = 5;",
    "String q = \"a\";",
    "let mut q = 5;",
    "q: int = 5",
    "def f(a):",
    "func f(a int) int {",
    "fn f(a: i32) -> i32 {",
    "public void f(int a) {",
    "const f = (a) => a + 1;",
    "class User:",
    "public class User {",
    "struct User {",
    "import os",
    "from os import path",
    "import { a } from 'b';",
    "using System;",
    "package main",
    "use std::io;",
    "#include <stdio.h>",
    "throw new Error(\"a\");",
    "raise ValueError(\"a\")",
    "except ValueError as e:",
    "} catch (e) {",
    "switch (x) {",
    "match x {",
    "case 1:",
    "default:",
    "break;",
    "continue",
    "pass",
    "async function f(a) {",
    "q = await fetch(\"u\")",
    "q = new Date()",
    "q = lambda a: a + 1",
    "q = [a for a in b]",
    "q = f\"Hello {x}\"",
    "q = null",
    "q = nil",
    "q = undefined",
    "echo \"a\"",
    "puts \"a\"",
    "SELECT a FROM b WHERE c = 1;",
    "export A=1",
    "sudo apt install x",
    "yield x",
    "del x",
    "global x",
    "defer f()",
    "delete q.a;",
    "goto end",
    "assert x == 1",
    "print \"a\"",
    "fi",
    "done",
    "do {",
    "unless x",
    "until x == 3",
    "do",
    "try {",
    "try:",
    "finally:",
    "finally {",
    "@app.route(\"/a\")",
];

/// Lines that AVAP cannot hold for a name or a symbol.
const UNKNOWN: &[&str] = &[
    "print(x)",
    "console.log(x);",
    "fmt.Println(x)",
    "System.out.println(x);",
    "q = requests.get(\"u\")",
    "q = JSON.parse(x)",
    "q = x && y",
    "q = x || y",
    "q = !x",
    "q += 1",
    "q++",
    "q = x === y",
    "# a comment",
    "q = x ?? y",
    "q = x ** 2",
    "httpGet(\"u\", q)",
    "q = getSHA256(x)",
    "q = sha256(x)",
    "sendEmail(x)",
    "q = Math.floor(x)",
    "echo(x)",
];

#[test]
fn foreign_line_is_a_foreign_keyword_on_its_line() {
    let mut changed = Vec::new();
    for (number, example) in examples().iter().enumerate() {
        let lines = lines(example);
        for at in 0..=lines.len() {
            let pick = number * 31 + at;
            let (wrong, categories): (&str, &'static [Category]) = if pick % 4 == 0 {
                (UNKNOWN[pick / 4 % UNKNOWN.len()], &[Category::UnknownToken])
            } else {
                (FOREIGN[pick % FOREIGN.len()], &[Category::ForeignKeyword])
            };
            if inside_comment(&lines, at) {
                continue;
            }
            let mut all: Vec<&str> = lines.clone();
            all.insert(at, wrong);
            changed.push(Changed {
                code: all.join("\n"),
                lines: vec![at + 1],
                categories,
                what: format!("{} with {wrong:?} as line {}", example.id, at + 1),
            });
        }
    }
    judge("foreign line", &changed);
}

fn inside_comment(lines: &[&str], at: usize) -> bool {
    let before = lines[..at].join("\n");
    before.matches("/*").count() > before.matches("*/").count()
}
