//! The written material must hold what it promises: every AVAP block of the guide is valid, every example of the pool
//! is valid and free of warnings, and the references in the guide agree with the tables in the code.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use assay_avap::{Diagnostic, ExprKind, Options, Profile, Severity, StatementKind, commands, parse};

/// The root of the repository, two folders above this crate.
fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository root exists")
}

/// Every file below `folder` with that extension, sorted by path.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(current) = open.pop() {
        for entry in fs::read_dir(&current).unwrap_or_else(|e| panic!("{}: {e}", current.display())) {
            let path = entry.expect("a readable entry").path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|e| e == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The pages that explain the language; those of the diagnostic codes hold wrong programs on purpose and have tests of
/// their own.
fn guide() -> Vec<(PathBuf, String)> {
    let pages = all_pages();
    pages.into_iter().filter(|(path, _)| !path.parent().is_some_and(|p| p.ends_with("diagnostics"))).collect()
}

fn all_pages() -> Vec<(PathBuf, String)> {
    files(&repository().join("docs/avap"), "md")
        .into_iter()
        .map(|path| {
            let text = fs::read_to_string(&path).expect("a page is UTF-8");
            (path, text)
        })
        .collect()
}

fn pool() -> Vec<(String, String)> {
    files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("examples"), "avap")
        .into_iter()
        .map(|path| {
            let name = path.file_name().expect("a file has a name").to_string_lossy().into_owned();
            (name, fs::read_to_string(&path).expect("an example is UTF-8"))
        })
        .collect()
}

/// The fenced blocks of a page: first line of the content (1-based), language, content.
fn fences(text: &str) -> Vec<(usize, String, String)> {
    let mut blocks = Vec::new();
    let mut open: Option<(usize, String, String)> = None;
    for (index, line) in text.lines().enumerate() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(language)) => open = Some((index + 2, language.trim().to_owned(), String::new())),
            (Some(_), Some("")) => blocks.extend(open.take()),
            (Some((_, _, content)), _) => {
                content.push_str(line);
                content.push('\n');
            }
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a fence is not closed");
    blocks
}

/// The findings of at least that severity, rendered with the place they came from.
fn findings(place: &str, first_line: usize, code: &str, wanted: &[Severity]) -> Vec<String> {
    parse(code, &Options::default())
        .diagnostics
        .iter()
        .filter(|d| wanted.contains(&d.severity))
        .map(|d: &Diagnostic| {
            let line = first_line + d.line as usize - 1;
            format!("{place}:{line}: {:?} {} {}", d.severity, d.code, d.message)
        })
        .collect()
}

#[test]
fn every_avap_block_of_the_guide_is_free_of_warnings() {
    let mut problems = Vec::new();
    let mut blocks = 0;
    for (path, text) in guide() {
        for (line, language, content) in fences(&text) {
            if language == "avap" {
                blocks += 1;
                let place = path.display().to_string();
                problems.extend(findings(&place, line, &content, &[Severity::Error, Severity::Warning]));
            }
        }
    }
    assert!(blocks > 150, "only {blocks} AVAP blocks found in the guide");
    assert!(problems.is_empty(), "{} findings in the guide:\n{}", problems.len(), problems.join("\n"));
}

#[test]
fn every_fence_of_the_guide_names_its_language() {
    for (path, text) in guide() {
        for (line, language, _) in fences(&text) {
            assert!(
                ["avap", "text"].contains(&language.as_str()),
                "{}:{line}: fence '{language}'",
                path.display()
            );
        }
    }
}

#[test]
fn links_between_pages_lead_to_pages() {
    for (path, text) in all_pages() {
        for part in text.split("](").skip(1) {
            let target = part.split(')').next().unwrap_or_default();
            if target.starts_with("http") || target.is_empty() {
                continue;
            }
            let file = path.parent().expect("a page lies in a folder").join(target);
            assert!(file.is_file(), "{} links to {target}", path.display());
        }
    }
}

#[test]
fn every_example_is_free_of_warnings_and_bilingual() {
    let mut problems = Vec::new();
    let mut tasks = BTreeSet::new();
    let examples = pool();
    assert!(examples.len() >= 200, "the pool holds only {} programs", examples.len());
    for (name, text) in &examples {
        let mut lines = text.lines();
        for mark in ["/// en: ", "/// es: "] {
            let line = lines.next().unwrap_or_default();
            let task = line.strip_prefix(mark).unwrap_or_else(|| panic!("{name}: no line '{mark}…'"));
            assert!(task.trim().len() > 10, "{name}: the task '{task}' is no sentence");
            assert!(tasks.insert(task.to_owned()), "{name}: the task '{task}' is stated twice");
        }
        problems.extend(findings(name, 1, text, &[Severity::Error, Severity::Warning]));
    }
    assert!(problems.is_empty(), "{} findings in the pool:\n{}", problems.len(), problems.join("\n"));
}

#[test]
fn examples_are_numbered_without_gaps() {
    for (index, (name, _)) in pool().iter().enumerate() {
        assert!(
            name.starts_with(&format!("{:03}-", index + 1)),
            "{name} should have the number {:03}",
            index + 1
        );
    }
}

#[test]
fn every_command_occurs_in_at_least_five_examples() {
    let examples = pool();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for command in commands().iter().filter(|c| c.profile != Profile::Hypothesis) {
        let call = format!("{}(", command.name);
        let uses = examples.iter().filter(|(_, text)| calls(text, &call)).count();
        counts.insert(&command.name, uses);
    }
    let rare: Vec<_> = counts.iter().filter(|(_, uses)| **uses < 5).collect();
    assert!(counts.len() >= 35 && rare.is_empty(), "too rare in the pool: {rare:?}");
}

/// What a program is made of: kinds of statement, and of expression where they carry the program.
fn constructs(code: &str) -> BTreeSet<&'static str> {
    let parsed = parse(code, &Options::default());
    let mut found = BTreeSet::new();
    let slice = |span: (u32, u32)| &code[span.0 as usize..span.1 as usize];
    for statement in &parsed.tree.statements {
        found.insert(match &statement.kind {
            StatementKind::Assign { .. } => "assignment",
            StatementKind::Call { assigned: Some(_), .. } => "assigned call",
            StatementKind::Call { name, arguments, .. } => match slice(*name) {
                "if" if slice(statement.span).contains("None, None") => "if with a text",
                "if" => "if",
                "else" => "else",
                "startLoop" => "loop",
                "try" => "try",
                "exception" if arguments.is_empty() => "exception",
                "exception" => "exception with a name",
                "go_async" => "background block",
                "end" | "endLoop" => continue,
                word if assay_avap::command(word).is_some() => "command",
                _ => "call of a function",
            },
            StatementKind::MethodCall(_) => "method call",
            StatementKind::Return(_) => "return",
            StatementKind::Function { .. } => "function",
            StatementKind::CloseFunction => continue,
            StatementKind::Include | StatementKind::Invalid => panic!("not in the pool: {code}"),
        });
    }
    for expression in &parsed.tree.expressions {
        match expression.kind {
            ExprKind::Template(_) => found.insert("template"),
            ExprKind::Conditional(..) => found.insert("inline conditional"),
            ExprKind::List(_) => found.insert("list"),
            ExprKind::Dict(_) => found.insert("dict"),
            _ => continue,
        };
    }
    found
}

#[test]
fn pool_covers_the_grid_of_constructs_and_difficulty() {
    // Difficulty by the length of the program: up to 5 statements, up to 9, more.
    let mut grid: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
    for (_, text) in pool() {
        let statements = parse(&text, &Options::default()).tree.statements.len();
        let level = match statements {
            0..=5 => 0,
            6..=9 => 1,
            _ => 2,
        };
        for construct in constructs(&text) {
            grid.entry(construct).or_default()[level] += 1;
        }
    }
    let thin: Vec<_> = grid.iter().filter(|(_, levels)| levels.iter().sum::<usize>() < 8).collect();
    assert!(grid.len() >= 19 && thin.is_empty(), "thin in the pool: {thin:?}\n{grid:#?}");
    // Every construct at every difficulty that can hold it: a function needs more than five statements to be useful.
    let empty: Vec<_> = grid.iter().filter(|(_, levels)| levels[1] < 2 || levels[2] < 2).collect();
    assert!(empty.is_empty(), "missing at a difficulty: {empty:?}");
}

/// Whether a code line holds the call, not as the tail of a longer name.
fn calls(text: &str, call: &str) -> bool {
    text.lines().filter(|line| !line.trim_start().starts_with("//")).any(|line| {
        line.match_indices(call).any(|(at, _)| {
            !line[..at].chars().next_back().is_some_and(|c| c.is_ascii_alphanumeric() || c == '_')
        })
    })
}

#[test]
fn wrong_illustrations_of_the_guide_draw_a_finding() {
    let mut seen = 0;
    for (path, text) in guide() {
        for (line, language, content) in fences(&text) {
            if language == "text" && !content.starts_with("Line ") {
                seen += 1;
                let found = findings("", line, &content, &[Severity::Error, Severity::Warning]);
                assert!(!found.is_empty(), "{}:{line}: the wrong block draws no finding", path.display());
            }
        }
    }
    assert!(seen >= 4, "only {seen} wrong illustrations found");
}

/// What the guide says about single forms, as (page, program, severity of the worst finding).
const CLAIMS: &[(&str, &str, Option<Severity>)] = &[
    ("lexical-structure.md", "# no comment\nx = 1\naddResult(x)", Some(Severity::Error)),
    ("lexical-structure.md", "x = 1;\naddResult(x)", Some(Severity::Warning)),
    ("lexical-structure.md", "x = 1 y = 2\naddResult(x)", Some(Severity::Error)),
    ("lexical-structure.md", "x = .5\naddResult(x)", Some(Severity::Error)),
    ("lexical-structure.md", "x = 5.\naddResult(x)", Some(Severity::Error)),
    ("lexical-structure.md", "x = 99999999999999999999\naddResult(x)", Some(Severity::Warning)),
    ("lexical-structure.md", "x = true\naddResult(x)", Some(Severity::Hint)),
    ("lexical-structure.md", "x = null\naddResult(x)", Some(Severity::Error)),
    ("lexical-structure.md", "x = \"\"\"a\"\"\"\naddResult(x)", Some(Severity::Error)),
    ("lexical-structure.md", "addresult(x)", Some(Severity::Error)),
    ("lexical-structure.md", "x = [1,\n2]\naddResult(x)", Some(Severity::Error)),
    ("lexical-structure.md", "__CONECTOR__ = 1\nx = 1\naddResult(x)", Some(Severity::Warning)),
    ("lexical-structure.md", "\u{feff}x = 1\naddResult(x)", None),
    ("lexical-structure.md", "x\u{a0}= 1\naddResult(x)", Some(Severity::Error)),
    ("variables-and-assignment.md", "addVar(10, x)", Some(Severity::Error)),
    ("variables-and-assignment.md", "$x = 1\naddResult(x)", Some(Severity::Error)),
    ("variables-and-assignment.md", "x = 1\ny = addResult(x)", Some(Severity::Warning)),
    ("variables-and-assignment.md", "_status = 999\nx = 1\naddResult(x)", Some(Severity::Warning)),
    ("variables-and-assignment.md", "x = y + 1\naddResult(x)", Some(Severity::Warning)),
    ("expressions-and-operators.md", "x = True && False\naddResult(x)", Some(Severity::Error)),
    ("expressions-and-operators.md", "x = 1 === 1\naddResult(x)", Some(Severity::Error)),
    ("expressions-and-operators.md", "x = 1\nx++\naddResult(x)", Some(Severity::Error)),
    ("expressions-and-operators.md", "x = \"a\" + encodeMD5(\"b\", c)\naddResult(x)", Some(Severity::Error)),
    ("conditionals.md", "x = 1\nif(x == 1)\nend()\naddResult(x)", Some(Severity::Error)),
    ("conditionals.md", "x = 1\nif x > 3:\nend()\naddResult(x)", Some(Severity::Error)),
    ("conditionals.md", "x = 1\nif(x, 1, \"=\")\nend()\naddResult(x)", None),
    ("conditionals.md", "x = 1\nif(x, 1, \"~\")\nend()\naddResult(x)", Some(Severity::Error)),
    ("conditionals.md", "x = 1\nif(x, 1, \"==\")\nelse\nend()\naddResult(x)", Some(Severity::Error)),
    ("conditionals.md", "x = 1\nif(x, 1, \"==\")\naddResult(x)", Some(Severity::Error)),
    ("conditionals.md", "x = 1\nif(None, None, \"x ==\")\nend()\naddResult(x)", Some(Severity::Error)),
    ("loops.md", "for i in range(3):\nx = 1\naddResult(x)", Some(Severity::Error)),
    ("loops.md", "x = 1\nstartLoop(i, 1, 2)\nend()\naddResult(x)", Some(Severity::Error)),
    ("functions.md", "function f(a)\n{\nreturn(a)\n}\nx = f(1)\naddResult(x)", Some(Severity::Error)),
    ("functions.md", "function f(a){\nreturn(a)\n}\nx = f(1, 2)\naddResult(x)", Some(Severity::Error)),
    ("functions.md", "function f(a, a){\nreturn(a)\n}\nx = f(1, 2)\naddResult(x)", Some(Severity::Error)),
    (
        "functions.md",
        "function addVar(a){\nreturn(a)\n}\nx = addVar(1)\naddResult(x)",
        Some(Severity::Warning),
    ),
    ("functions.md", "function end(a){\nreturn(a)\n}\nx = 1\naddResult(x)", Some(Severity::Error)),
    ("functions.md", "x = 1\naddResult(x)\nreturn(x)", Some(Severity::Warning)),
    ("errors-and-try.md", "try()\nx = 1\nend()\naddResult(x)", Some(Severity::Error)),
    ("errors-and-try.md", "x = 1\nexception(e)\naddResult(x)", Some(Severity::Error)),
    ("request-parameters.md", "addParam(\"name\")\nx = 1\naddResult(x)", Some(Severity::Error)),
    ("request-parameters.md", "getListParamList(x)\naddResult(x)", Some(Severity::Error)),
    ("responses-and-status.md", "x = 1", Some(Severity::Warning)),
    ("responses-and-status.md", "print(\"a\")", Some(Severity::Error)),
    ("http-requests.md", "RequestGet(\"u\", \"\", {}, x, 5)\naddResult(x)", Some(Severity::Error)),
    ("hashing-and-random.md", "randomString(8, x)\naddResult(x)", Some(Severity::Warning)),
    ("hashing-and-random.md", "getSHA256(\"a\", x)\naddResult(x)", Some(Severity::Error)),
    ("concurrency.md", "x = 1\ngather(\"a\", 5)\naddResult(x)", Some(Severity::Warning)),
    (
        "endpoints-and-middleware.md",
        "function f(){\nx = 1\n}\nregisterEndpoint(\"/a\", \"PATCH\", [], \"d\", f, x)",
        Some(Severity::Error),
    ),
    (
        "endpoints-and-middleware.md",
        "function f(){\nx = 1\n}\nregisterEndpoint(\"/a\", \"GET\", [], \"d\", f)",
        Some(Severity::Error),
    ),
    ("connectors.md", "c = avapConnector(\"T\")\nx = c.list()\naddResult(x)", Some(Severity::Hint)),
    ("connectors.md", "x = \"a\"\nx.upper()\naddResult(x)", Some(Severity::Warning)),
    (
        "databases-and-sql.md",
        "addParam(\"n\", n)\nq = \"SELECT \" + n\normDirect(q, r)\naddResult(r)",
        Some(Severity::Warning),
    ),
    ("command-reference.md", "ormAccessSelect(a, b)\nx = 1\naddResult(x)", Some(Severity::Warning)),
    ("command-reference.md", "variableToJSON(\"a\", x)\naddResult(x)", Some(Severity::Error)),
];

/// Hint below warning below error.
fn rank(severity: Option<Severity>) -> u8 {
    match severity {
        None => 0,
        Some(Severity::Hint) => 1,
        Some(Severity::Warning) => 2,
        Some(Severity::Error) => 3,
    }
}

#[test]
fn guide_and_validator_agree_on_single_forms() {
    let mut wrong = Vec::new();
    for (page, code, expected) in CLAIMS {
        let parsed = parse(code, &Options::default());
        let worst = parsed.diagnostics.iter().map(|d| Some(d.severity)).max_by_key(|s| rank(*s)).flatten();
        if worst != *expected {
            let said: Vec<String> = parsed.diagnostics.iter().map(Diagnostic::render).collect();
            wrong.push(format!("{page}: {code:?} should give {expected:?}, gives {said:?}"));
        }
        assert_eq!(parsed.valid, worst != Some(Severity::Error), "{code:?}");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn page_of_codes_agrees_with_the_parser_and_server_mode() {
    let strict = Options::default();
    let server = Options { server_compat: true, ..Options::default() };
    let parsed = parse("encodeSHA256(\"text\")\nx = 1\naddResult(x)", &strict);
    assert_eq!(parsed.diagnostics.iter().map(|d| d.code.as_str()).collect::<Vec<_>>(), ["AVAP025"]);
    for code in ["x = 1\nif(x, 1, \"==\")\naddResult(x)", "x = 1\naddResult(x)\nend()"] {
        assert!(!parse(code, &strict).valid, "{code:?}");
        assert!(parse(code, &server).valid, "{code:?}");
    }
}

/// The program with one line changed, or removed where `change` gives nothing.
fn with_line(text: &str, at: usize, change: Option<&str>) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    match change {
        Some(line) => lines[at] = line,
        None => drop(lines.remove(at)),
    }
    lines.join("\n") + "\n"
}

/// Lines that stand for one mistake wherever a statement may stand.
const WRONG_LINES: &[&str] = &[
    "print(\"here\")",
    "console.log(x)",
    "for i in range(3):",
    "while True:",
    "let q = 5",
    "q += 1",
    "q = [1, 2",
    "q = \"open",
    "# a comment",
    "q = 1 && 2",
    "addVar(10, q)",
    "encodeSHA256(\"a\")",
    "q = getSHA256(\"a\")",
    "if x > 3:",
    "a, b = 1, 2",
    "q = 1 r = 2",
    "lonely",
];

/// Programs that differ from the text by one mistake, with the line of the change (1-based).
fn single_mistakes(text: &str) -> Vec<(usize, String)> {
    let mut changed = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let bare = line.trim();
        if bare.starts_with("//") || bare.starts_with("/*") || bare.ends_with("*/") {
            continue;
        }
        let mut push = |program: String| changed.push((at + 1, program));
        if ["end()", "endLoop()", "}"].contains(&bare) {
            push(with_line(text, at, None));
            // In the guarded part of a try the second closer would close the try: a test of its own, below.
            if bare != "end()" || !text.lines().skip(at).any(|l| l.trim().starts_with("exception(")) {
                push(with_line(text, at, Some(&format!("{line}\n{line}"))));
            }
        } else if bare.ends_with(')') {
            push(with_line(text, at, Some(bare.trim_end_matches(')'))));
            push(with_line(text, at, Some(&format!("{bare})"))));
        }
        if bare.starts_with("addResult(") {
            push(with_line(text, at, Some(&bare.replace("addResult", "addOutcome"))));
        }
        if bare == "end()" {
            push(with_line(text, at, Some("endLoop()")));
        }
        if bare == "endLoop()" {
            push(with_line(text, at, Some("end()")));
        }
        if bare == "else()" {
            push(with_line(text, at, Some("else")));
            push(with_line(text, at, Some("} else {")));
        }
        if let Some(head) = bare.strip_suffix('{').filter(|_| bare.starts_with("function ")) {
            push(with_line(text, at, Some(head)));
        }
        // Each line gets one of the wrong lines; over the pool every one of them stands in many places.
        let wrong = WRONG_LINES[(text.len() + at) % WRONG_LINES.len()];
        push(with_line(text, at, Some(&format!("{wrong}\n{line}"))));
    }
    changed
}

#[test]
fn one_mistake_in_an_example_yields_one_error() {
    let mut wrong = Vec::new();
    let mut mistakes = 0;
    for (name, text) in pool() {
        for (line, program) in single_mistakes(&text) {
            mistakes += 1;
            let found = errors(&program);
            if found.len() != 1 {
                wrong.push(format!("{name}:{line}: {found:?}\n{program}"));
            }
        }
    }
    assert!(mistakes > 1000, "only {mistakes} mistakes made");
    assert!(wrong.is_empty(), "{} of {mistakes}:\n{}", wrong.len(), wrong.join("\n"));
}

/// The errors of a program, rendered.
fn errors(program: &str) -> Vec<String> {
    let parsed = parse(program, &Options::default());
    parsed.diagnostics.iter().filter(|d| d.severity == Severity::Error).map(Diagnostic::render).collect()
}

#[test]
fn extra_end_inside_try_is_one_error() {
    let program = "try()\nx = 1\nend()\ny = 2\nexception(e)\ny = 3\nend()\naddResult(y)\n";
    assert_eq!(errors(program).len(), 1, "{:?}", errors(program));
}

#[test]
fn function_with_a_foreign_header_is_one_error() {
    for header in ["def f(a):", "func f(a) {", "fn f(a) {"] {
        let program = format!("{header}\nreturn(a)\n}}\nx = f(1)\naddResult(x)\n");
        assert_eq!(errors(&program).len(), 1, "{:?}", errors(&program));
    }
}
