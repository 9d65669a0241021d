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
use assay_languages::{AvapOptions, Outcome, canonical, detect, names, parse, stack_bytes};
use serde_json::Value;

fn parsed(language: &str, code: &str) -> (bool, Vec<Diagnostic>) {
    match parse(language, code, &AvapOptions::default(), &|| false) {
        Outcome::Parsed { valid, diagnostics } => (valid, diagnostics),
        other => panic!("{language}: {other:?}"),
    }
}

#[test]
fn sound_programs_are_accepted() {
    let cases: &[(&str, &str)] = &[
        ("python", "def f(a):\n    return a + 1\n\nprint(f(2))\n"),
        (
            "py",
            "class A:\n    x: int = 5\n\n    async def f(self):\n        return [y for y in self.x if y]\n",
        ),
        ("python", "if True: pass; x = 1\nfor i in range(3):\n    # only\n    break\nelse:\n    pass\n"),
        ("python", "match x:\n    case 1:\n        print(f\"{x!r:>{10}}\")\n    case _:\n        ...\n"),
        ("javascript", "const f = async (a) => { return await g(a ?? 1); };\nexport default f;\n"),
        ("jsx", "const a = <b c={d}>e</b>;\n"),
        (
            "typescript",
            "interface A<T> { b?: string; c: (d: number) => T }\nconst x: A<void> | null = null;\n",
        ),
        ("ts", "enum E { A = 1 }\nabstract class B { private readonly c = 1; }\n"),
        ("tsx", "const a = <b c={d as string}>e</b>;\n"),
        ("go", "package main\n\nimport \"fmt\"\n\nfunc main() {\n\tx := []int{1, 2}\n\tfmt.Println(x)\n}\n"),
        (
            "rust",
            "fn main() -> Result<(), E> {\n    let mut x = vec![1];\n    println!(\"{x:?}\");\n    Ok(())\n}\n",
        ),
        (
            "java",
            "public class A {\n  public static void main(String[] a) {\n    System.out.println(a);\n  }\n}\n",
        ),
        ("sh", "set -e\nfor f in *.txt; do\n  echo \"$f\" | grep -q x && break\ndone\n"),
        ("sql", "SELECT a, count(*) FROM t WHERE b = 1 GROUP BY a ORDER BY 2 DESC;\n"),
        (
            "sql",
            "\\set x 1\nCREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT, b TEXT DEFAULT 'autoincrement');\n",
        ),
        ("json", "{\"a\": [1, 2.5e3, null, true, \"\\u00e9\"]}"),
        ("toml", "[a]\nb = 1\nc = [\"d\"]\n"),
        ("yaml", "a: &x\n  - b: 1\n  - c: \"d\"\n---\ne: {f: [1, 2]}\ng: |\n  free\n  text\n"),
        ("yml", "# a comment alone\n"),
        ("go", "x := []int{1, 2}\nfor _, y := range x {\n\tfmt.Println(y)\n}\n"),
        ("go", "package a\n\nvar b = []int{\n\t1,\n\t2, // two\n}\n"),
        // Quotes inside of expansions, patterns, arrays, here-documents, arithmetic and tests.
        (
            "sh",
            "x=\"${a:-\"b c\"}\"; y=${z#\"'\"}; w=\"${v:-it's}\"\necho $((1 + (2))) $[3] `date` $'a\\'b'\n",
        ),
        (
            "bash",
            "shopt -s extglob\nls !(a|b).txt @(c|d)\narr=(1 2 # three\n 3)\ndeclare -A m=([k v]=1)\nm[$i + 1]=2\n",
        ),
        (
            "bash",
            "cat <<-'END' | sort\n\tit's (not code)\n\tEND\nwhile read -r a; do echo \"$a\"; done < <(ls) 2>&1 | cat\n",
        ),
        (
            "bash",
            "if [[ $a =~ ^(b|c d)$ && -n $e || ! ( $f == g* ) ]] then echo; fi\nfor ((i = 0; i < 3; i++)); do :; done\n",
        ),
        (
            "bash",
            "f() { local a=(1); echo ${#a[@]}; }; function g { (cd /tmp && ls); } >&2\n{ a; } && ! b || time c &\n",
        ),
        (
            "bash",
            "case $x in (a) ;; b|c) d ;& *) case $y in e) ;; esac ;; esac\necho a{b,c} {} \\\n  d # } fi\n",
        ),
        (
            "bash",
            "exec 3>&1 {fd}>out &>log; for f in *; { echo $f; }\nselect s; do break; done\ncoproc N { cat; }\n",
        ),
        ("sql", "CREATE FUNCTION f() RETURNS trigger AS $$ BEGIN; x := 'a'; END; $$ LANGUAGE plpgsql;\n"),
        (
            "sql",
            "CREATE TRIGGER t AFTER INSERT ON a BEGIN UPDATE b SET c = CASE WHEN d THEN 1 ELSE 2 END; DELETE FROM e; END;\nSELECT 1;\n",
        ),
        ("sql", "DELIMITER //\nCREATE PROCEDURE p() BEGIN SELECT 1; END //\nDELIMITER ;\nCALL p();\n"),
        (
            "sql",
            "\\connect db\nCOPY t (a, b) FROM stdin;\n1\tit's\n\\.\nGRANT SELECT ON t TO u;\nCOMMENT ON TABLE t IS 'a;b';\n",
        ),
        (
            "sql",
            "WITH a AS (\n  SELECT 1\n)\nSELECT TOP 3 [b] FROM a;\nINSERT INTO t VALUES ('it''s', 'a\\'b') ON DUPLICATE KEY UPDATE c = 1;\n",
        ),
        (
            "rust",
            "extern \"C\" {\n    pub type A;\n    fn f(a: *mut A);\n}\ntrait T { type X; }\nmacro_rules! m { () => {} }\nm!();\n",
        ),
        (
            "java",
            "class A { int f(int a) { return switch (a) { case 1 -> 2; default -> { yield 3; } }; } }\n",
        ),
        (
            "python",
            "def f(a, *b, c=1, d, **e): pass\nf(*a, b=1, *c, **d)\ntry:\n    pass\nexcept* E:\n    pass\n",
        ),
        ("sh", "case \"$1\" in\n  a|b) echo c ;;\n  *) exit 1 ;;\nesac\n"),
        ("avap", "addParam(\"a\", a)\naddResult(a)\n"),
    ];
    for &(language, code) in cases {
        let (valid, diagnostics) = parsed(language, code);
        assert!(valid, "{language}: {diagnostics:#?}");
    }
}

#[test]
fn modern_programs_of_every_language_are_accepted() {
    let programs = include_str!("modern.txt").split("=== ").skip(1);
    let mut languages = std::collections::BTreeSet::new();
    for program in programs {
        let (language, code) = program.split_once('\n').unwrap();
        let (valid, diagnostics) = parsed(language, code);
        assert!(valid, "{language}: {diagnostics:#?}\n{code}");
        languages.insert(language.to_owned());
    }
    assert_eq!(languages.len() + 2, names().len(), "all but AVAP and TSX: {languages:?}");
}

#[test]
fn scripts_modules_snippets_and_declarations_are_told_apart() {
    for (language, code) in [
        // A body of a function, a script with words that modules reserve, a module that waits.
        ("javascript", "if (a) { return b; }\n"),
        ("javascript", "with (a) { b(); }\nvar c = 010;\n"),
        ("javascript", "const a = await b();\n"),
        ("typescript", "const a: A = await b();\n"),
        ("typescript", "function f(a: string): void;\nconst b: number;\n"),
        ("tsx", "function F(a: string): void;\nconst b: number;\n"),
    ] {
        let (valid, diagnostics) = parsed(language, code);
        assert!(valid, "{language}: {code}{diagnostics:#?}");
    }
    for (language, code, id, words) in [
        (
            "javascript",
            "import a from 'b';\nwith (a) { b(); }\n",
            "JS004",
            "'with' statements are not allowed",
        ),
        ("javascript", "'use strict';\nvar c = 010;\n", "JS004", "octal"),
        ("javascript", "a?.b;\na?.b = 1;\n", "JS004", "cannot assign to this expression"),
        ("javascript", "a = 1;\nconst [b];\n", "JS006", "the constant '[b]' has no value"),
        ("javascript", "await a;\n{ continue; }\n", "JS007", "'continue' outside of a loop"),
        ("javascript", "function f() {}\n/(?<a>b)(?<a>c)/;\n", "JS004", "duplicated"),
        ("typescript", "let a: string;\nlet a: number;\n", "JS005", "'a' is declared twice in this block"),
        ("tsx", "let a: string;\nlet a = <b/>;\n", "JS005", "'a' is declared twice in this block"),
    ] {
        let (valid, diagnostics) = parsed(language, code);
        let [found] = diagnostics.as_slice() else { panic!("{language}: {code}{diagnostics:#?}") };
        assert!(!valid && found.line == 2, "{language}: {code}{found:#?}");
        assert!(found.code == id && found.message.to_lowercase().contains(words), "{code}{found:#?}");
    }
}

/// Language, program, line of the first error, text that the message holds.
#[test]
fn broken_programs_are_refused_at_their_line() {
    let cases: &[(&str, &str, u32, &str)] = &[
        ("python", "x = 1\ndef f(a:\n    return a\n", 2, "'(' is not closed, after 'def f'"),
        ("python", "x = 1\ndef f a):\n    return a\n", 2, "')' closes nothing"),
        ("python", "def f(a):\nreturn a\n", 2, "'def f(a):' needs an indented body"),
        ("python", "if a:\n    b = 1\n  c = 2\n", 3, "fits no outer block"),
        ("python", "x = 1\nfor y in z\n    print(y)\n", 2, "':' is missing"),
        ("python", "x = 1 + * 2\n", 1, "* 2"),
        ("python", "x = f(1) + * g(2)\n", 1, "* g"),
        ("python", "x = 1\n    y = 2\n", 2, "indentation"),
        ("python", "print \"a\"\n", 1, "Python 2"),
        ("python", "return 1\n", 1, "outside of a function"),
        ("python", "break\n", 1, "outside of a loop"),
        ("python", "x = (1\n", 1, ""),
        ("python", "x = 'a\n", 1, ""),
        ("javascript", "const x = 1;\nconst y = (1 + ;\n", 2, ""),
        ("javascript", "function f( {\n  return 1;\n}\n", 1, ""),
        ("javascript", "if (a) {\n  b();\n", 1, "'{' is not closed"),
        ("javascript", "f(a;\ng();\n", 1, "'(' is not closed"),
        ("typescript", "const x: = 1;\n", 1, ""),
        ("go", "package main\n\nfunc main() {\n\tx := \n}\n", 4, ""),
        ("go", "package main\n\nfunc main() {\n\tx := f(1\n}\n", 4, ""),
        ("rust", "fn main() {\n    let x = 1\n    let y = 2;\n}\n", 2, "';' is missing"),
        ("java", "class A {\n  void f() {\n    int x = 1\n  }\n}\n", 3, "';' is missing"),
        ("bash", "if [ -z \"$a\" ]; then\n  echo b\n", 1, "'fi' is missing"),
        ("sql", "SELECT a FROM t;\nSELEC b FROM t;\n", 2, "SELEC"),
        ("json", "{\"a\": 1,}", 1, "a key in double quotes is expected"),
        ("json", "{\n  'a': 1\n}", 2, "found ''a': 1'"),
        ("json", "[1, 2", 1, "']' is missing"),
        ("toml", "[a\nb = 1\n", 1, ""),
        ("yaml", "a: 1\nb: [1, 2\nc: 3\n", 3, ""),
        ("yaml", "a:\n  - b\n c: d\n", 3, ""),
        ("yaml", "a: *nowhere\n", 1, "anchor"),
        ("yaml", "a: \"b\n", 1, "not closed"),
        ("go", "package a\n\nx := 1\n", 3, "no declaration"),
        ("go", "package a\n\nvar b = []int{\n\t1,\n\t2\n}\n", 5, "',' is missing"),
        ("bash", "for a in b;; do\n  echo $a\ndone\n", 1, ""),
        ("bash", "if true; then\n  echo a\n} else {\n  echo b\nfi\n", 3, ""),
        ("javascript", "f(a,, b);\n", 1, "an argument is missing"),
        ("avap", "package main\n\nfunc main() {\n\tx := 5\n\tfmt.Println(x)\n}\n", 1, "Go"),
    ];
    for &(language, code, line, text) in cases {
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
        "$(".repeat(deep),
        "\"${".repeat(deep),
        "if { ".repeat(deep),
        "[[ ( ".repeat(deep),
        "x[".repeat(deep),
        "SELECT (".repeat(deep),
        format!("SELECT {}1", "NOT ".repeat(deep)),
        "- ".repeat(deep),
        "<a>".repeat(deep),
        "a = b; ".repeat(deep),
    ];
    let longest = texts.iter().map(String::len).max().unwrap();
    let reader = std::thread::Builder::new().stack_size(stack_bytes(longest)).spawn(move || {
        for language in names() {
            for text in &texts {
                let _ = parsed(language, text);
            }
        }
        assert!(parsed("json", &texts[3]).0);
    });
    reader.unwrap().join().unwrap();
}

#[test]
fn undeclared_code_is_recognised() {
    let cases: &[(&str, Option<&str>)] = &[
        ("addParam(\"a\", a)\naddResult(a)\n", Some("avap")),
        ("x = encodeSHA256(a)\n", Some("avap")),
        ("{\"a\": 1}", Some("json")),
        ("package main\n\nfunc main() {\n\tx := 1\n}\n", Some("go")),
        ("def f(a):\n    return a\n", Some("python")),
        ("const x = 1;\nconsole.log(x);\n", Some("javascript")),
        ("const x: number = 1;\nlet y: string = \"a\";\n", Some("typescript")),
        ("fn main() {\n    let mut x = 1;\n}\n", Some("rust")),
        ("public class A {\n  private int x;\n}\n", Some("java")),
        ("#include <stdio.h>\nint main() {\n  return 0;\n}\n", Some("c")),
        ("<?php\n$x = 1;\n", Some("php")),
        ("SELECT a FROM b WHERE c = 1;\n", Some("sql")),
        ("#!/bin/bash\nexport A=1\n", Some("bash")),
        ("mkdir -p a\ncd a\ngit init\n", Some("bash")),
        ("name: a\non:\n  push:\n    branches: [main]\n", Some("yaml")),
        ("[package]\nname = \"a\"\nversion = \"1\"\n", Some("toml")),
        // What no mark tells, a strict grammar does: it accepts two lines, or fails late.
        ("a = f(1)\nb = g(a)[0]\n", Some("python")),
        ("a = f(1)\nb = g(a)\nif b > (2:\n    b = 1\n", Some("python")),
        ("def f(x:", Some("python")),
        ("def f(:\n", Some("python")),
        ("{\"a\":1,}", Some("json")),
        ("{\"a\": 1}\n{\"a\": true}\n", Some("python")),
        ("users.map(user => user.name)\nusers.filter(user => user.active)\n", Some("javascript")),
        // Rows of words, of a table, of settings of nobody's, and one line by itself are not.
        ("alice\nbob\ncarol\n", None),
        ("id,name,price\n1,foo,3.5\n2,bar,4.5\n", None),
        ("Status: Running (3 pods)\nName: foo\n", None),
        ("print(1)\n", None),
        ("def f(x)\n  x + 1\nend\n", None),
        ("use the tool (v2)\n", None),
        // What programs print is no code, also where it holds some.
        (
            "Traceback (most recent call last):\n  File \"a.py\", line 3, in <module>\n    import foo\nModuleNotFoundError: foo\n",
            None,
        ),
        ("2024-01-02 10:00:01 INFO  import started\n2024-01-02 10:00:05 ERROR return code 1\n", None),
        ("+----+------+\n| id | name |\n+----+------+\n|  1 | Ana  |\n+----+------+\n", None),
        ("src/\n├── main.rs\n└── lib.rs\n", None),
        ("$ npm install\nadded 120 packages in 3s\n", None),
        ("error[E0308]: mismatched types\n --> src/main.rs:2:18\n  |\n2 |     let x: i32 = \"a\";\n", None),
        (
            "Exception in thread \"main\" java.lang.NullPointerException\n\tat com.example.Main.main(Main.java:5)\n",
            None,
        ),
        ("Usage: tool [OPTIONS] <FILE>\n\nOptions:\n  -h, --help     Print help\n", None),
        ("Please select the second option, then update your settings and return the form.\n", None),
        ("The quick brown fox\njumps over the dog.\n", None),
        ("name   age\nana    12\n", None),
        ("", None),
    ];
    for &(code, language) in cases {
        assert_eq!(detect(code, &|| false), Ok(language), "{code}");
    }
}

fn data(name: &str) -> Option<PathBuf> {
    let root = std::env::var_os("ASSAY_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"), PathBuf::from);
    let path = root.join("data/syntax").join(name);
    if path.is_file() {
        return Some(path);
    }
    let _ = std::io::Write::write_fmt(
        &mut std::io::stderr(),
        format_args!("SKIPPED: {} does not exist\n", path.display()),
    );
    None
}

fn rows(text: &str) -> Vec<Value> {
    text.lines().filter(|line| !line.is_empty()).map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn json_test_suite_is_judged_as_labelled() {
    let Some(path) = data("json_test_suite.jsonl.gz") else { return };
    let Ok(unpacked) = std::process::Command::new("gzip").arg("-dc").arg(&path).output() else {
        let _ =
            std::io::Write::write_fmt(&mut std::io::stderr(), format_args!("SKIPPED: gzip cannot be run\n"));
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
