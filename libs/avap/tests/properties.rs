//! Properties: no text makes the front end fail, generated valid programs are accepted, and a mutated line is the line
//! that is named.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use assay_avap::{Category, Diagnostic, Options, Severity, parse};
use proptest::prelude::*;

fn errors(code: &str) -> Vec<Diagnostic> {
    parse(code, &Options::default())
        .diagnostics
        .into_iter()
        .filter(|d| d.severity == Severity::Error)
        .collect()
}

/// Every diagnostic stands on an existing line and within it; errors are at most one a line and in order.
fn sound(code: &str) {
    let parsed = parse(code, &Options::default());
    let text = code.strip_prefix('\u{feff}').unwrap_or(code).replace("\r\n", "\n").replace('\r', "\n");
    let lines: Vec<usize> = text.split('\n').map(|line| line.chars().count()).collect();
    let mut last = 0;
    for diagnostic in &parsed.diagnostics {
        let length = lines.get(diagnostic.line as usize - 1).copied().expect("line exists");
        assert!(diagnostic.column >= 1 && diagnostic.end_column >= diagnostic.column, "{diagnostic:?}");
        assert!(diagnostic.end_column as usize <= length + 1, "{diagnostic:?} in {code:?}");
        assert!(!diagnostic.message.is_empty() && diagnostic.code.starts_with("AVAP0"));
        if diagnostic.severity == Severity::Error {
            assert!(diagnostic.line > last, "two errors on line {} of {code:?}", diagnostic.line);
            last = diagnostic.line;
        }
    }
    assert_eq!(parsed.valid, last == 0);
}

#[test]
fn hostile_texts_are_answered() {
    let long = 100_000;
    let texts = [
        String::new(),
        "\u{feff}".to_owned(),
        "\u{feff}\u{feff}x = 1".to_owned(),
        "\0".repeat(1_000),
        "x = \"\0\"\r\naddResult(x)\r".to_owned(),
        "\r\r\n\n\r".repeat(2_000),
        format!("{} = 1", "a".repeat(long)),
        format!("x = \"{}\"", "é".repeat(long)),
        format!("x = \"{}", "\\\"".repeat(long)),
        format!("x = `{}`", "${a}".repeat(long / 4)),
        format!("x = 1{}", " + 1".repeat(long / 4)),
        format!("x = {}1{}", "[".repeat(long), "]".repeat(long)),
        format!("x = {}1{}", "not ".repeat(long), ")".repeat(long)),
        format!("f({})", "a, ".repeat(long)),
        format!("/*{}", "*".repeat(long)),
        format!("// {}", "é".repeat(long)),
        format!("# {}", "é".repeat(long)),
        format!("```{}", "é".repeat(long)),
        format!("x = {}", "1.2".repeat(long)),
        format!("x = {}", "1a.".repeat(long)),
        format!("x = {}", "é1".repeat(long)),
        format!("{}x = 1", " \t".repeat(long)),
        "=!&|<>".repeat(long / 6),
        "if(x, 1, \"==\")\n".repeat(10_000),
        format!("{}{}", "try()\n".repeat(10_000), "exception(e)\nend()\n".repeat(10_000)),
        format!("{}{}", "startLoop(i, 1, 2)\n".repeat(10_000), "end()\n".repeat(10_000)),
        format!("{}{}", "go_async(\"a\")\n".repeat(10_000), "endLoop()\n".repeat(10_000)),
        "function f(){\n".repeat(10_000),
        "}\n".repeat(10_000),
        "else()\n".repeat(10_000),
        "} else {\n".repeat(10_000),
        "for i in range(3):\n".repeat(10_000),
        "xq(1, 2, 3)\nend()\nelse()\n".repeat(5_000),
        "\u{2028}\u{85}\u{a0}\u{200b}\u{202e}".repeat(1_000),
        "😀\u{301}".repeat(long / 8),
    ];
    for text in texts {
        sound(&text);
    }
}

/// Pieces from which odd programs are put together.
fn piece() -> impl Strategy<Value = String> {
    let fixed = [
        "addVar(",
        "if(",
        "else()",
        "end()",
        "startLoop(i, 1, ",
        "endLoop()",
        "try()",
        "exception(e)",
        "function f(",
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        ",",
        "\"",
        "'",
        "`",
        "${",
        "$x",
        "x",
        "1",
        ".5",
        "==",
        "=",
        "+",
        "-",
        "not ",
        "in ",
        " if ",
        " else ",
        "\n",
        "\r\n",
        "\r",
        "//",
        "/*",
        "*/",
        "#",
        ";",
        "\\",
        "\u{a0}",
        "é",
        "😀",
        "for i in range(3):",
        "} else {",
        "```",
        "\"\"\"",
        "return ",
        "let x = 1;",
        "x := 1",
        "fmt.Println(x)",
        "None",
        "null",
        "go_async(\"a\")",
        "\u{feff}",
        "\0",
        ":",
        "&&",
        "x.y",
    ];
    prop_oneof![8 => prop::sample::select(fixed.to_vec()).prop_map(str::to_owned), 1 => any::<String>()]
}

/// A valid expression over the names `a`, `b`, `c`.
fn expression() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        "a", "b", "c", "1", "2.5", "-3", "\"t\"", "'u'", "`v ${a}`", "$b", "True", "None",
    ])
    .prop_map(str::to_owned);
    leaf.prop_recursive(4, 24, 3, |inner| {
        prop_oneof![
            (inner.clone(), prop::sample::select(vec!["+", "-", "*", "/", "%"]), inner.clone())
                .prop_map(|(l, op, r)| format!("({l} {op} {r})")),
            (
                inner.clone(),
                prop::sample::select(vec!["==", "<", "and", "or", "in", "not in"]),
                inner.clone()
            )
                .prop_map(|(l, op, r)| format!("({l} {op} {r})")),
            inner.clone().prop_map(|x| format!("str({x})")),
            inner.clone().prop_map(|x| format!("(not {x})")),
            (inner.clone(), inner.clone()).prop_map(|(x, y)| format!("[{x}, {y}]")),
            (inner.clone(), inner.clone(), inner.clone())
                .prop_map(|(x, c, y)| format!("({x} if {c} else {y})")),
            inner.clone().prop_map(|x| format!("{{\"k\": {x}}}")),
            (inner.clone(), inner).prop_map(|(x, y)| format!("twice({x}, {y})[0]")),
        ]
    })
}

#[derive(Debug, Clone)]
enum Piece {
    Line(String),
    Block(&'static str, Vec<Piece>, Option<&'static str>, Vec<Piece>, &'static str),
}

fn simple() -> impl Strategy<Value = String> {
    prop_oneof![
        expression().prop_map(|e| format!("a = {e}")),
        expression().prop_map(|e| format!("addVar(b, {e})")),
        Just("encodeSHA256(a, c)".to_owned()),
        Just("c = encodeMD5(b)".to_owned()),
        Just("getDateTime(\"%Y\", 0, \"UTC\", c)".to_owned()),
        Just("replace(a, \"x\", \"y\", b)".to_owned()),
        Just("variableToList(a, list)".to_owned()),
        Just("randomString(\"[a-z]\", 8, c)".to_owned()),
        Just("addResult(a)".to_owned()),
        Just("twice(a, b)".to_owned()),
    ]
}

fn pieces() -> impl Strategy<Value = Vec<Piece>> {
    let line = simple().prop_map(Piece::Line);
    let nested = line.prop_recursive(4, 20, 4, |inner| {
        let body = prop::collection::vec(inner.clone(), 0..4);
        prop_oneof![
            (body.clone(), body.clone()).prop_map(|(x, y)| Piece::Block(
                "if(a, 1, \"==\")",
                x,
                Some("else()"),
                y,
                "end()"
            )),
            body.clone().prop_map(|x| Piece::Block("if(None, None, \"a > 1\")", x, None, vec![], "end()")),
            body.clone().prop_map(|x| Piece::Block("startLoop(i, 1, 3)", x, None, vec![], "endLoop()")),
            (body.clone(), body.clone()).prop_map(|(x, y)| Piece::Block(
                "try()",
                x,
                Some("exception(e)"),
                y,
                "end()"
            )),
            body.prop_map(|x| Piece::Block("go_async(\"job\")", x, None, vec![], "end()")),
        ]
    });
    prop::collection::vec(nested, 1..6)
}

fn write(pieces: &[Piece], out: &mut Vec<String>) {
    for piece in pieces {
        match piece {
            Piece::Line(text) => out.push(text.clone()),
            Piece::Block(open, first, middle, second, close) => {
                out.push((*open).to_owned());
                write(first, out);
                if let Some(middle) = middle {
                    out.push((*middle).to_owned());
                    write(second, out);
                }
                out.push((*close).to_owned());
            }
        }
    }
}

fn program() -> impl Strategy<Value = Vec<String>> {
    pieces().prop_map(|pieces| {
        let mut lines =
            vec!["addParam(\"a\", a)".to_owned(), "addVar(b, 1)".to_owned(), "addVar(c, 2)".to_owned()];
        write(&pieces, &mut lines);
        lines.push("addResult(a)".to_owned());
        lines.extend(["function twice(x, y) {", "return [x, y]", "}"].map(str::to_owned));
        lines
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_answered(text in any::<String>()) {
        sound(&text);
    }

    #[test]
    fn any_heap_of_pieces_is_answered(pieces in prop::collection::vec(piece(), 0..60)) {
        sound(&pieces.concat());
    }

    #[test]
    fn generated_programs_are_valid(lines in program()) {
        let code = lines.join("\n");
        let found = errors(&code);
        prop_assert!(found.is_empty(), "{}\n{:#?}", code, found);
    }

    #[test]
    fn renamed_command_is_named_on_its_line(lines in program(), pick in any::<prop::sample::Index>()) {
        let calls: Vec<usize> = (0..lines.len()).filter(|at| {
            let line = &lines[*at];
            line.contains('(') && !line.starts_with("function") && line.find('(').is_some_and(|open| line[..open].chars().all(char::is_alphanumeric))
        }).collect();
        let at = calls[pick.index(calls.len())];
        let mut changed = lines.clone();
        changed[at] = format!("xq{}", lines[at]);
        let found = errors(&changed.join("\n"));
        let line = u32::try_from(at + 1).unwrap();
        prop_assert!(found.iter().any(|d| d.line == line && d.category == Category::UnknownToken), "{}\n{:#?}", changed.join("\n"), found);
    }

    #[test]
    fn dropped_closer_is_one_error_of_structure(lines in program(), pick in any::<prop::sample::Index>()) {
        let closers: Vec<usize> = (0..lines.len()).filter(|at| matches!(lines[*at].as_str(), "end()" | "endLoop()" | "}")).collect();
        let at = closers[pick.index(closers.len())];
        let mut changed = lines.clone();
        changed.remove(at);
        let found = errors(&changed.join("\n"));
        prop_assert_eq!(found.len(), 1, "{}\n{:#?}", changed.join("\n"), found);
        prop_assert!(matches!(found[0].category, Category::SyntaxError | Category::UnexpectedConstruct));
    }

    #[test]
    fn foreign_line_is_named_and_disturbs_nothing_else(
        lines in program(),
        pick in any::<prop::sample::Index>(),
        foreign in prop::sample::select(vec![
            "for i in range(3):", "let z = 5;", "if x > 3:", "const z = 1", "while (a < 3) {", "import os", "def f(a):",
            "int z = 5;", "} else {", "throw new Error(a)", "elif a == 2:",
        ]),
    ) {
        let at = pick.index(lines.len());
        let mut changed = lines.clone();
        changed.insert(at, foreign.to_owned());
        let found = errors(&changed.join("\n"));
        let line = u32::try_from(at + 1).unwrap();
        prop_assert_eq!(found.len(), 1, "{}\n{:#?}", changed.join("\n"), found);
        prop_assert_eq!((found[0].line, found[0].category), (line, Category::ForeignKeyword));
    }

    #[test]
    fn unbalanced_line_is_named_and_disturbs_nothing_else(lines in program(), pick in any::<prop::sample::Index>()) {
        let calls: Vec<usize> = (0..lines.len()).filter(|at| lines[*at].ends_with(')')).collect();
        let at = calls[pick.index(calls.len())];
        let mut changed = lines.clone();
        changed[at].pop();
        let found = errors(&changed.join("\n"));
        let line = u32::try_from(at + 1).unwrap();
        prop_assert_eq!(found.len(), 1, "{}\n{:#?}", changed.join("\n"), found);
        prop_assert_eq!((found[0].line, found[0].category), (line, Category::SyntaxError));
    }
}
