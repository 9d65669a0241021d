//! Every language through one face: what is accepted, what is refused, and in which words.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::disallowed_methods
)]

use std::path::{Path, PathBuf};

use assay_domain::code::{Diagnostic, Severity};
use assay_parser::languages::{AvapOptions, Outcome, canonical, detect, names, parse};
use rstest::rstest;
use serde_json::Value;

fn parsed(language: &str, code: &str) -> (bool, Vec<Diagnostic>) {
    match parse(language, code, &AvapOptions::default(), &|| false) {
        Outcome::Parsed { valid, diagnostics } => (valid, diagnostics),
        other => panic!("{language}: {other:?}"),
    }
}

#[rstest]
#[case("python", "def f(a):\n    return a + 1\n\nprint(f(2))\n")]
#[case("py", "class A:\n    x: int = 5\n\n    async def f(self):\n        return [y for y in self.x if y]\n")]
#[case("python", "if True: pass; x = 1\nfor i in range(3):\n    # only\n    break\nelse:\n    pass\n")]
#[case("python", "match x:\n    case 1:\n        print(f\"{x!r:>{10}}\")\n    case _:\n        ...\n")]
#[case("javascript", "const f = async (a) => { return await g(a ?? 1); };\nexport default f;\n")]
#[case("jsx", "const a = <b c={d}>e</b>;\n")]
#[case("typescript", "interface A<T> { b?: string; c: (d: number) => T }\nconst x: A<void> | null = null;\n")]
#[case("ts", "enum E { A = 1 }\nabstract class B { private readonly c = 1; }\n")]
#[case("tsx", "const a = <b c={d as string}>e</b>;\n")]
#[case("go", "package main\n\nimport \"fmt\"\n\nfunc main() {\n\tx := []int{1, 2}\n\tfmt.Println(x)\n}\n")]
#[case(
    "rust",
    "fn main() -> Result<(), E> {\n    let mut x = vec![1];\n    println!(\"{x:?}\");\n    Ok(())\n}\n"
)]
#[case(
    "java",
    "public class A {\n  public static void main(String[] a) {\n    System.out.println(a);\n  }\n}\n"
)]
#[case("sh", "set -e\nfor f in *.txt; do\n  echo \"$f\" | grep -q x && break\ndone\n")]
#[case("sql", "SELECT a, count(*) FROM t WHERE b = 1 GROUP BY a ORDER BY 2 DESC;\n")]
#[case("json", "{\"a\": [1, 2.5e3, null, true, \"\\u00e9\"]}")]
#[case("toml", "[a]\nb = 1\nc = [\"d\"]\n")]
#[case("avap", "addParam(\"a\", a)\naddResult(a)\n")]
fn sound_programs_are_accepted(#[case] language: &str, #[case] code: &str) {
    let (valid, diagnostics) = parsed(language, code);
    assert!(valid, "{language}: {diagnostics:#?}");
}

/// Language, program, line of the first error, text that the message holds.
#[rstest]
#[case("python", "x = 1\ndef f(a:\n    return a\n", 2, "'(' is not closed, after 'def f'")]
#[case("python", "x = 1\ndef f a):\n    return a\n", 2, "')' closes nothing")]
#[case("python", "def f(a):\nreturn a\n", 2, "'def f(a):' needs an indented body")]
#[case("python", "if a:\n    b = 1\n  c = 2\n", 3, "fits no outer block")]
#[case("python", "x = 1\nfor y in z\n    print(y)\n", 2, "':' is missing")]
#[case("python", "x = 1 + * 2\n", 1, "* 2")]
#[case("python", "x = f(1) + * g(2)\n", 1, "* g")]
#[case("python", "x = 1\n    y = 2\n", 2, "indentation")]
#[case("python", "print \"a\"\n", 1, "Python 2")]
#[case("python", "return 1\n", 1, "outside of a function")]
#[case("python", "break\n", 1, "outside of a loop")]
#[case("python", "x = (1\n", 1, "")]
#[case("python", "x = 'a\n", 1, "")]
#[case("javascript", "const x = 1;\nconst y = (1 + ;\n", 2, "")]
#[case("javascript", "function f( {\n  return 1;\n}\n", 1, "")]
#[case("javascript", "if (a) {\n  b();\n", 1, "'{' is not closed")]
#[case("javascript", "f(a;\ng();\n", 1, "'(' is not closed")]
#[case("typescript", "const x: = 1;\n", 1, "")]
#[case("go", "package main\n\nfunc main() {\n\tx := \n}\n", 4, "")]
#[case("go", "package main\n\nfunc main() {\n\tx := f(1\n}\n", 4, "")]
#[case("rust", "fn main() {\n    let x = 1\n    let y = 2;\n}\n", 2, "';' is missing")]
#[case("java", "class A {\n  void f() {\n    int x = 1\n  }\n}\n", 3, "';' is missing")]
#[case("bash", "if [ -z \"$a\" ]; then\n  echo b\n", 2, "'fi' is missing")]
#[case("sql", "SELECT a FROM t;\nSELEC b FROM t;\n", 2, "SELEC")]
#[case("json", "{\"a\": 1,}", 1, "a key in double quotes is expected")]
#[case("json", "{\n  'a': 1\n}", 2, "found ''a': 1'")]
#[case("json", "[1, 2", 1, "']' is missing")]
#[case("toml", "[a\nb = 1\n", 1, "")]
#[case("avap", "package main\n\nfunc main() {\n\tx := 5\n\tfmt.Println(x)\n}\n", 1, "Go")]
fn broken_programs_are_refused_at_their_line(
    #[case] language: &str,
    #[case] code: &str,
    #[case] line: u32,
    #[case] text: &str,
) {
    let (valid, diagnostics) = parsed(language, code);
    assert!(!valid, "{language}: {code}");
    let first = diagnostics.iter().find(|diagnostic| diagnostic.severity == Severity::Error).unwrap();
    assert_eq!(first.line, line, "{diagnostics:#?}");
    assert!(first.message.contains(text), "{diagnostics:#?}");
    for diagnostic in &diagnostics {
        assert!(diagnostic.column >= 1 && diagnostic.end_column >= diagnostic.column);
        assert!(!diagnostic.message.contains("ERROR") && !diagnostic.message.contains("MISSING"));
        assert!(!diagnostic.code.is_empty() && !diagnostic.message.is_empty());
    }
}

#[test]
fn aliases_name_one_language_and_unknown_ones_have_no_grammar() {
    for (alias, name) in [
        ("py", "python"),
        ("JS", "javascript"),
        ("ts", "typescript"),
        ("sh", "bash"),
        ("golang", "go"),
        ("rs", "rust"),
    ] {
        assert_eq!(canonical(alias), name);
        assert!(names().contains(&name));
    }
    for language in ["kotlin", "php", ""] {
        assert_eq!(parse(language, "x", &AvapOptions::default(), &|| false), Outcome::NoGrammar);
    }
}

#[test]
fn parsing_ends_when_told_to() {
    for language in ["avap", "json", "python"] {
        assert_eq!(parse(language, "x = 1", &AvapOptions::default(), &|| true), Outcome::Stopped);
    }
    let calls = std::cell::Cell::new(0);
    let stop = || {
        calls.set(calls.get() + 1);
        calls.get() > 3
    };
    let big = "x = f(1, [2, 3])\n".repeat(50_000);
    assert_eq!(parse("python", &big, &AvapOptions::default(), &stop), Outcome::Stopped);
}

#[test]
fn odd_text_and_deep_nesting_are_answered_in_every_language() {
    let deep = 2_000;
    let texts = [
        String::new(),
        "\0\u{feff}é😀\r\n\u{2028}".to_owned(),
        "[".repeat(deep),
        format!("{}1{}", "[".repeat(deep), "]".repeat(deep)),
        "{\"a\":".repeat(deep),
        "(".repeat(deep),
        "a".repeat(20_000),
        "\"".repeat(1001),
    ];
    for language in names() {
        for text in &texts {
            let _ = parsed(language, text);
        }
    }
    assert!(parsed("json", &texts[3]).0);
}

#[rstest]
#[case("addParam(\"a\", a)\naddResult(a)\n", Some("avap"))]
#[case("x = encodeSHA256(a)\n", Some("avap"))]
#[case("{\"a\": 1}", Some("json"))]
#[case("package main\n\nfunc main() {\n\tx := 1\n}\n", Some("go"))]
#[case("def f(a):\n    return a\n", Some("python"))]
#[case("const x = 1;\nconsole.log(x);\n", Some("javascript"))]
#[case("const x: number = 1;\nlet y: string = \"a\";\n", Some("typescript"))]
#[case("fn main() {\n    let mut x = 1;\n}\n", Some("rust"))]
#[case("public class A {\n  private int x;\n}\n", Some("java"))]
#[case("#include <stdio.h>\nint main() {\n  return 0;\n}\n", Some("c"))]
#[case("<?php\n$x = 1;\n", Some("php"))]
#[case("SELECT a FROM b WHERE c = 1;\n", Some("sql"))]
#[case("#!/bin/bash\nexport A=1\n", Some("bash"))]
#[case("The quick brown fox\njumps over the dog.\n", None)]
#[case("name   age\nana    12\n", None)]
#[case("", None)]
fn undeclared_code_is_recognised(#[case] code: &str, #[case] language: Option<&str>) {
    assert_eq!(detect(code), language);
}

fn data(name: &str) -> Option<PathBuf> {
    let root = std::env::var_os("ASSAY_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"), PathBuf::from);
    let path = root.join("data/syntax").join(name);
    if path.is_file() {
        return Some(path);
    }
    eprintln!("SKIPPED: {} does not exist", path.display());
    None
}

fn rows(text: &str) -> Vec<Value> {
    text.lines().filter(|line| !line.is_empty()).map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn json_test_suite_is_judged_as_labelled() {
    let Some(path) = data("json_test_suite.jsonl.gz") else { return };
    let Ok(unpacked) = std::process::Command::new("gzip").arg("-dc").arg(&path).output() else {
        eprintln!("SKIPPED: gzip cannot be run");
        return;
    };
    let rows = rows(&String::from_utf8(unpacked.stdout).unwrap());
    assert!(rows.len() > 200);
    for row in rows {
        let (valid, diagnostics) = parsed("json", row["code"].as_str().unwrap());
        assert_eq!(Some(valid), row["gold"]["valid"].as_bool(), "{}: {diagnostics:#?}", row["id"]);
        assert_eq!(valid, diagnostics.is_empty());
    }
}

#[test]
fn valid_python_programs_are_accepted() {
    let Some(path) = data("humaneval_python.jsonl") else { return };
    let rows = rows(&std::fs::read_to_string(path).unwrap());
    assert!(rows.len() > 100);
    for row in rows {
        let (valid, diagnostics) = parsed("python", row["code"].as_str().unwrap());
        assert!(valid, "{}: {diagnostics:#?}", row["id"]);
    }
}
