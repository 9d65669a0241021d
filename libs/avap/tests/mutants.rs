//! More mistakes made on purpose in the programs of the pool, one at a time: what slips (a quote, a bracket, a comma,
//! an argument), what other languages write instead (loops, conditions, declarations, handlers), what stands twice,
//! glued or torn apart. One error, on the changed line, of the right category, in at least 98 of 100 programs.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

use assay_avap::{Category, Options, ParamKind, Profile, Severity, command, examples, parse};

use Category::{
    ForeignKeyword as Foreign, SyntaxError as Syntax, UnexpectedConstruct as Unexpected,
    UnknownToken as Unknown,
};

/// Of 100 changed programs, those that must be judged right.
const WANTED: usize = 98;

/// Changed programs of a family that are looked at, evenly over the pool.
const MOST: usize = 500;

struct Changed {
    code: String,
    /// Lines that may be named, counted from 1.
    lines: Vec<usize>,
}

fn judge(family: &str, categories: &[Category], changed: Vec<Changed>, least: usize) {
    let step = changed.len().div_ceil(MOST).max(1);
    let chosen: Vec<Changed> = changed.into_iter().step_by(step).collect();
    let mut wrong = Vec::new();
    for case in &chosen {
        let found = parse(&case.code, &Options::default()).diagnostics;
        let errors: Vec<_> = found.iter().filter(|one| one.severity == Severity::Error).collect();
        let right = matches!(errors.as_slice(), [one]
            if case.lines.contains(&(one.line as usize)) && categories.contains(&one.category));
        if !right {
            let said: Vec<String> =
                errors.iter().map(|one| format!("{} [{}]", one.render(), one.category.name())).collect();
            wrong.push(format!("at {:?}: {said:#?}\n{}", case.lines, case.code));
        }
    }
    let right = chosen.len() - wrong.len();
    println!("{family}: {right} of {}", chosen.len());
    assert!(chosen.len() >= least, "{family}: only {} programs", chosen.len());
    assert!(
        right * 100 >= chosen.len() * WANTED,
        "{family}: {right} of {}\n{}",
        chosen.len(),
        wrong.join("\n")
    );
}

/// The pool changed line by line: what `change` makes of a line stands in its place.
fn lines(change: impl Fn(&str) -> Vec<String>) -> Vec<Changed> {
    let mut out = Vec::new();
    for example in examples() {
        let all: Vec<&str> = example.code.lines().collect();
        for (at, line) in all.iter().enumerate() {
            if line.contains("//") || line.contains("/*") || inside_comment(&all, at) {
                continue;
            }
            for new in change(line) {
                let mut code: Vec<&str> = all.clone();
                code[at] = &new;
                out.push(Changed { code: code.join("\n") + "\n", lines: vec![at + 1] });
            }
        }
    }
    out
}

fn inside_comment(lines: &[&str], at: usize) -> bool {
    let before = lines[..at].join("\n");
    before.matches("/*").count() > before.matches("*/").count()
}

/// Indentation and text of a line.
fn parts(line: &str) -> (&str, &str) {
    line.split_at(line.len() - line.trim_start().len())
}

/// Indentation, name and arguments of a line that is one call without nested brackets, commas or texts with them.
fn call(line: &str) -> Option<(&str, &str, Vec<&str>)> {
    let (indent, text) = parts(line);
    let (name, rest) = text.split_once('(')?;
    let inner = rest.strip_suffix(')')?;
    let simple = !inner.contains(['(', ')', '[', '{', '`', '\\'])
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let arguments: Vec<&str> = inner.split(", ").collect();
    let whole = arguments.iter().all(|one| {
        !one.is_empty() && one.matches('"').count() % 2 == 0 && one.matches('\'').count() % 2 == 0
    });
    (simple && whole).then_some((indent, name, arguments))
}

fn core(name: &str) -> bool {
    command(name).is_some_and(|one| one.profile == Profile::Core && !matches!(name, "randomString" | "if"))
}

/// Indentation, target and value of a plain assignment.
fn assignment(line: &str) -> Option<(&str, &str, &str)> {
    let (indent, text) = parts(line);
    let (target, value) = text.split_once(" = ")?;
    let name = target.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    (name && command(value.split('(').next()?).is_none()).then_some((indent, target, value))
}

#[test]
fn slips_of_quotes_and_brackets() {
    judge(
        "closing quote of the other kind",
        &[Syntax],
        lines(|line| {
            let quotes = line.matches('"').count();
            if quotes != 2 || line.contains(['\'', '`']) || line.contains("None, None") {
                return vec![];
            }
            let at = line.rfind('"').unwrap();
            vec![format!("{}'{}", &line[..at], &line[at + 1..])]
        }),
        100,
    );
    judge(
        "opening parenthesis dropped",
        &[Syntax, Unexpected],
        lines(|line| {
            let (_, text) = parts(line);
            let Some(at) = line.find('(').filter(|_| call(line).is_some() && !text.ends_with("()")) else {
                return vec![];
            };
            vec![format!("{} {}", &line[..at], &line[at + 1..])]
        }),
        100,
    );
    judge(
        "a closing parenthesis too many",
        &[Syntax],
        lines(|line| if call(line).is_some() { vec![format!("{line})")] } else { vec![] }),
        100,
    );
    judge(
        "square for round",
        &[Syntax],
        lines(
            |line| {
                if call(line).is_some() { vec![format!("{}]", &line[..line.len() - 1])] } else { vec![] }
            },
        ),
        100,
    );
    judge(
        "comma dropped",
        &[Unexpected],
        lines(|line| match call(line) {
            Some((indent, name, arguments))
                if arguments.len() > 1 && !arguments.iter().any(|one| one.starts_with('-')) =>
            {
                vec![format!(
                    "{indent}{name}({} {})",
                    arguments[..2].join(" "),
                    arguments[2..].iter().map(|one| format!(", {one}")).collect::<String>()
                )]
            }
            _ => vec![],
        }),
        100,
    );
    judge(
        "trailing comma",
        &[Unexpected],
        lines(|line| match call(line) {
            Some((indent, name, arguments)) if !parts(line).1.ends_with("()") => {
                vec![format!("{indent}{name}({},)", arguments.join(", "))]
            }
            _ => vec![],
        }),
        100,
    );
}

#[test]
fn slips_of_arguments() {
    judge(
        "argument dropped",
        &[Unexpected],
        lines(|line| match call(line) {
            Some((indent, name, arguments)) if core(name) && arguments.len() > 1 => {
                vec![
                    format!("{indent}{name}({})", arguments[1..].join(", ")),
                    format!("{indent}{name}({})", arguments[..arguments.len() - 1].join(", ")),
                ]
            }
            _ => vec![],
        }),
        100,
    );
    judge(
        "argument added",
        &[Unexpected],
        lines(|line| match call(line) {
            Some((indent, name, arguments)) if core(name) && !parts(line).1.ends_with("()") => {
                vec![format!("{indent}{name}({}, 7)", arguments.join(", "))]
            }
            _ => vec![],
        }),
        100,
    );
    judge(
        "literal as target",
        &[Unexpected],
        lines(|line| match call(line) {
            Some((indent, name, mut arguments)) if core(name) => {
                let params = &command(name).unwrap().params;
                let Some(at) = params.iter().position(|one| one.kind == ParamKind::Target) else {
                    return vec![];
                };
                if arguments.len() != params.len() {
                    return vec![];
                }
                ["5", "\"two words\"", "[1]"]
                    .iter()
                    .map(|literal| {
                        arguments[at] = literal;
                        format!("{indent}{name}({})", arguments.join(", "))
                    })
                    .collect()
            }
            _ => vec![],
        }),
        100,
    );
    judge(
        "dollar before a target",
        &[Unexpected],
        lines(|line| match assignment(line) {
            Some((indent, target, value)) => vec![format!("{indent}${target} = {value}")],
            None => vec![],
        }),
        100,
    );
    judge(
        "comparator of another language",
        &[Unexpected, Unknown, Foreign],
        lines(|line| {
            if !parts(line).1.starts_with("if(") || !line.contains("\"==\"") {
                return vec![];
            }
            ["\"===\"", "\"eq\"", "\"is\""].iter().map(|new| line.replace("\"==\"", new)).collect()
        }),
        60,
    );
}

#[test]
fn symbols_of_other_languages() {
    judge(
        "assignment of another language",
        &[Unknown],
        lines(|line| match assignment(line) {
            Some((indent, target, value)) => {
                [":=", "+=", "-="].iter().map(|sign| format!("{indent}{target} {sign} {value}")).collect()
            }
            None => vec![],
        }),
        100,
    );
    judge(
        "operator of another language",
        &[Unknown],
        lines(|line| {
            let mut out = Vec::new();
            for (avap, other) in
                [(" and ", " && "), (" or ", " || "), (" == ", " === "), (" != ", " !== "), ("not ", "!")]
            {
                if line.contains(avap)
                    && (line.contains("if(None") || assignment(line).is_some())
                    && line.matches('"').count() <= 2
                    && (line.contains("if(None") || !line.contains('"'))
                {
                    out.push(line.replacen(avap, other, 1));
                }
            }
            out
        }),
        15,
    );
    judge(
        "a sign that is none",
        &[Unknown],
        lines(|line| match assignment(line) {
            Some((indent, target, value)) => {
                ["?", "@", "~"].iter().map(|sign| format!("{indent}{target} = {value} {sign} 2")).collect()
            }
            None => vec![],
        }),
        100,
    );
    judge(
        "comment of another language",
        &[Unknown, Foreign],
        lines(|line| if call(line).is_some() { vec![format!("{line} # done")] } else { vec![] }),
        100,
    );
}

#[test]
fn declarations_of_other_languages() {
    judge(
        "declaration",
        &[Foreign],
        lines(|line| match assignment(line) {
            Some((indent, target, value)) if target != "_status" => [
                format!("{indent}let {target} = {value}"),
                format!("{indent}const {target} = {value};"),
                format!("{indent}var {target} = {value}"),
                format!("{indent}int {target} = {value};"),
                format!("{indent}{target}: str = {value}"),
                format!("{indent}String {target} = {value};"),
            ]
            .to_vec(),
            _ => vec![],
        }),
        100,
    );
    judge(
        "constant",
        &[Foreign],
        lines(|line| match assignment(line) {
            Some((indent, target, _)) => {
                ["null", "nil", "undefined"].iter().map(|word| format!("{indent}{target} = {word}")).collect()
            }
            None => vec![],
        }),
        100,
    );
    judge(
        "function",
        &[Foreign, Unexpected],
        lines(|line| {
            let Some(rest) = line.strip_prefix("function ").and_then(|rest| rest.strip_suffix('{')) else {
                return vec![];
            };
            let rest = rest.trim_end();
            vec![
                format!("def {rest}:"),
                format!("func {rest} {{"),
                format!("fn {rest} {{"),
                format!("function {rest}"),
                format!("def {rest}{{"),
            ]
        }),
        30,
    );
}

#[test]
fn blocks_of_other_languages() {
    judge(
        "loop",
        &[Foreign],
        lines(|line| match call(line) {
            Some((indent, "startLoop", arguments)) => {
                let [name, from, to] = arguments.as_slice() else { return vec![] };
                vec![
                    format!("{indent}for {name} in range({from}, {to}):"),
                    format!("{indent}for ({name} = {from}; {name} <= {to}; {name}++) {{"),
                    format!("{indent}for {name} := {from}; {name} <= {to}; {name}++ {{"),
                    format!("{indent}for({name}, {from}, {to})"),
                    format!("{indent}while({name} <= {to})"),
                    format!("{indent}foreach ($items as ${name}) {{"),
                ]
            }
            _ => vec![],
        }),
        100,
    );
    judge(
        "condition",
        &[Foreign, Unexpected],
        lines(|line| match call(line) {
            Some((indent, "if", arguments)) => {
                let [left, right, sign] = arguments.as_slice() else { return vec![] };
                if *left == "None" {
                    return vec![];
                }
                let sign = sign.trim_matches(['"', '\'']);
                let sign = if sign == "=" { "==" } else { sign };
                vec![
                    format!("{indent}if {left} {sign} {right}:"),
                    format!("{indent}if ({left} {sign} {right}) {{"),
                    format!("{indent}if({left} {sign} {right})"),
                    format!("{indent}if {left} {sign} {right} then"),
                    format!("{indent}if({left}, {right})"),
                ]
            }
            _ => vec![],
        }),
        100,
    );
    let words = |from: &'static str, to: &'static [&'static str]| {
        lines(move |line| {
            let (indent, text) = parts(line);
            if text == from { to.iter().map(|new| format!("{indent}{new}")).collect() } else { vec![] }
        })
    };
    judge(
        "else",
        &[Foreign, Unexpected],
        words("else()", &["else", "else:", "else {", "} else {", "else;", "Else()"])
            .into_iter()
            .filter(|one| !one.code.contains("Else()"))
            .collect(),
        60,
    );
    judge(
        "end",
        &[Foreign, Unexpected, Unknown],
        words("end()", &["end", "endif", "end;", "endif()", "fi", "END()"]),
        100,
    );
    judge(
        "endLoop",
        &[Foreign, Unexpected, Unknown],
        words("endLoop()", &["endLoop", "endloop()", "endFor()", "end_loop()", "done"]),
        60,
    );
    judge("try", &[Foreign, Unexpected], words("try()", &["try", "try:", "try {"]), 30);
    judge(
        "handler",
        &[Foreign],
        lines(|line| {
            let (indent, text) = parts(line);
            if !text.starts_with("exception(") {
                return vec![];
            }
            ["catch(e)", "catch (e) {", "} catch (e) {", "except Exception as e:", "except:", "rescue => e"]
                .iter()
                .map(|new| format!("{indent}{new}"))
                .collect()
        }),
        60,
    );
}

#[test]
fn lines_glued_doubled_and_torn() {
    let mut glued = Vec::new();
    let mut doubled = Vec::new();
    let mut torn = Vec::new();
    for example in examples() {
        let all: Vec<&str> = example.code.lines().collect();
        for at in 0..all.len() {
            if inside_comment(&all, at) || all[at].contains("//") {
                continue;
            }
            let (indent, text) = parts(all[at]);
            if text == "else()" {
                let mut code: Vec<&str> = all.clone();
                code.insert(at + 1, all[at]);
                doubled.push(Changed { code: code.join("\n"), lines: vec![at + 2] });
            }
            let Some((_, name, arguments)) = call(all[at]).filter(|(_, name, _)| core(name)) else {
                continue;
            };
            if let Some(next) =
                all.get(at + 1).filter(|next| call(next).is_some_and(|(_, name, _)| core(name)))
                && !command(name).unwrap().block
                && !next.trim().starts_with("exception")
            {
                for between in [" ", "; "] {
                    let line = format!("{}{between}{}", all[at], next.trim_start());
                    let mut code: Vec<&str> = all.clone();
                    code[at] = &line;
                    code.remove(at + 1);
                    glued.push(Changed { code: code.join("\n"), lines: vec![at + 1] });
                }
            }
            if arguments.len() > 1 {
                let line = format!(
                    "{indent}{name}(\n{indent}    {}\n{indent})",
                    arguments.join(&format!(",\n{indent}    "))
                );
                let other =
                    format!("{indent}{name}({},\n{indent}    {})", arguments[0], arguments[1..].join(", "));
                for new in [line, other] {
                    let mut code: Vec<&str> = all.clone();
                    code[at] = &new;
                    torn.push(Changed { code: code.join("\n"), lines: vec![at + 1] });
                }
            }
        }
    }
    judge("two lines glued", &[Unexpected], glued, 100);
    judge("else doubled", &[Unexpected], doubled, 30);
    judge("a call over several lines", &[Syntax, Unexpected], torn, 100);
}

/// Openers with the lines of their divider, if any, and of their closer.
fn blocks(all: &[&str]) -> Vec<(usize, Option<usize>, usize)> {
    let mut open: Vec<(usize, Option<usize>)> = Vec::new();
    let mut out = Vec::new();
    for (at, line) in all.iter().enumerate() {
        let text = line.trim();
        let word = text.split('(').next().unwrap_or_default().trim();
        if matches!(word, "if" | "try" | "go_async" | "startLoop") || text.starts_with("function ") {
            open.push((at, None));
        } else if word == "else" || word.ends_with("exception") {
            open.last_mut().unwrap().1 = Some(at);
        } else if matches!(word, "end" | "endLoop") || text.starts_with('}') {
            let (opened, divided) = open.pop().unwrap();
            out.push((opened, divided, at));
        }
    }
    out
}

#[test]
fn openers_closers_and_dividers() {
    let (mut dropped, mut unopened, mut extra, mut swapped) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut crossed = Vec::new();
    for example in examples() {
        let all: Vec<&str> = example.code.lines().collect();
        if example.code.contains("/*") {
            continue;
        }
        let found = blocks(&all);
        for (opened, divided, closed) in &found {
            let without = |at: usize| {
                let mut code = all.clone();
                code.remove(at);
                code.join("\n")
            };
            dropped.push(Changed { code: without(*closed), lines: vec![opened + 1] });
            // Where the divider of a block that was never opened stands, that is what is wrong.
            if !all[*opened].starts_with("function") {
                let lines = divided.map_or(vec![*closed], |at| vec![at]);
                unopened.push(Changed { code: without(*opened), lines });
            }
            let mut code = all.clone();
            code.insert(closed + 1, all[*closed]);
            extra.push(Changed { code: code.join("\n"), lines: vec![closed + 1, closed + 2] });
            let other = match all[*closed].trim() {
                "end()" => all[*closed].replace("end()", "endLoop()"),
                "endLoop()" => all[*closed].replace("endLoop()", "end()"),
                _ => continue,
            };
            let mut code = all.clone();
            code[*closed] = &other;
            swapped.push(Changed { code: code.join("\n"), lines: vec![closed + 1] });
        }
        for (at, pair) in all.windows(2).enumerate() {
            if let [a, b] = pair
                && matches!((a.trim(), b.trim()), ("end()", "endLoop()") | ("endLoop()", "end()"))
            {
                let mut code = all.clone();
                code.swap(at, at + 1);
                crossed.push(Changed { code: code.join("\n"), lines: vec![at + 1] });
            }
        }
    }
    judge("closer dropped", &[Syntax], dropped, 100);
    judge("opener dropped", &[Unexpected], unopened, 100);
    judge("closer doubled", &[Unexpected], extra, 100);
    judge("closer of another block", &[Unexpected], swapped, 100);
    judge("closers crossed", &[Unexpected], crossed, 10);
}

#[test]
fn foreign_lines_inside() {
    const WRONG: &[&str] = &[
        "import { useState } from 'react'",
        "from math import sqrt",
        "public int count = 0;",
        "private function load() {",
        "System.out.println(total);",
        "println!(\"{}\", total);",
        "$total = 5;",
        "echo $total;",
        "return new Response(200);",
        "using namespace std;",
        "end if",
        "select * from users where id = 1",
        "yield return 5",
        "total = total if total else",
        "print(f\"total {total}\")",
        "assert total == 5, \"bad\"",
        "switch (total) {",
        "while (true) {",
        "do {",
        "loop {",
        "self.total = 5",
        "this.total = 5;",
        "#!/usr/bin/env python",
        "```python",
        "raise HTTPException(404)",
        "var total: Int = 5",
        "val total = 5",
        "total = new List<int>();",
        "try {",
        "with open('a') as f:",
    ];
    let mut changed = Vec::new();
    for (number, example) in examples().iter().enumerate() {
        let all: Vec<&str> = example.code.lines().collect();
        for at in 0..=all.len() {
            if inside_comment(&all, at) {
                continue;
            }
            let mut code = all.clone();
            code.insert(at, WRONG[(number * 7 + at) % WRONG.len()]);
            changed.push(Changed { code: code.join("\n"), lines: vec![at + 1] });
        }
    }
    judge("foreign line", &[Foreign, Unknown, Unexpected, Syntax], changed, 300);
}

/// A line with one mistake of a kind that depends on `pick`, if that kind fits the line.
fn spoiled(line: &str, pick: usize) -> Option<String> {
    let (indent, text) = parts(line);
    if let Some((indent, target, value)) = assignment(line) {
        return Some(match pick % 6 {
            0 => format!("{indent}{target} := {value}"),
            1 => format!("{indent}let {target} = {value}"),
            2 => format!("{indent}{target} = null"),
            3 => format!("{indent}{target} = ({value}"),
            4 => format!("{indent}{target} += {value}"),
            _ => format!("{indent}${target} = {value}"),
        });
    }
    let (_, name, arguments) =
        call(line).filter(|(_, name, _)| core(name) && !command(name).unwrap().block)?;
    Some(match pick % 5 {
        0 => format!("{indent}do{text}"),
        1 => format!("{indent}{}", &text[..text.len() - 1]),
        2 => format!("{indent}{name}({}, 5, 6)", arguments.join(", ")),
        3 => format!("{line} # note"),
        _ => format!("{line} extra"),
    })
}

#[test]
fn three_mistakes_are_three_errors() {
    let (mut all, mut wrong) = (0, Vec::new());
    for (number, example) in examples().iter().enumerate() {
        let lines: Vec<&str> = example.code.lines().collect();
        for turn in 0..3 {
            let mut code: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
            let mut spoilt = Vec::new();
            let mut at = turn;
            while at < lines.len() && spoilt.len() < 3 {
                if let Some(new) = spoiled(lines[at], number + at + turn)
                    && !lines[at].contains("//")
                    && !inside_comment(&lines, at)
                {
                    code[at] = new;
                    spoilt.push(at + 1);
                    at += 1;
                }
                at += 1;
            }
            if spoilt.len() < 3 {
                continue;
            }
            all += 1;
            let found = parse(&code.join("\n"), &Options::default()).diagnostics;
            let errors: Vec<_> = found.iter().filter(|one| one.severity == Severity::Error).collect();
            let named: Vec<usize> = errors.iter().map(|one| one.line as usize).collect();
            if named != spoilt {
                let said: Vec<String> = errors.iter().map(|one| one.render()).collect();
                wrong.push(format!("wanted {spoilt:?}: {said:#?}\n{}", code.join("\n")));
            }
        }
    }
    println!("three at once: {} of {all}", all - wrong.len());
    assert!(all >= 100, "only {all}");
    assert!(
        (all - wrong.len()) * 100 >= all * WANTED,
        "{} of {all} wrong\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
