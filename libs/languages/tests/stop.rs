//! Work grows no faster than the program, ends as soon as it is told to, and what cannot be ended is bounded in size.
//! Work is counted in questions: every reader and walk asks whether to stop after so many steps, and so does the text that a
//! grammar reads, whenever it is handed a piece of it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::cell::Cell;

use assay_languages::{AvapOptions, Outcome, Stopped, detect, fences, names, parse};

/// What comes of a program if stop is said at the `last` question, and how many were asked.
fn counted(language: &str, code: &str, last: usize) -> (Outcome, usize) {
    let asked = Cell::new(0);
    let stop = || {
        asked.set(asked.get() + 1);
        asked.get() >= last
    };
    let outcome = parse(language, code, &AvapOptions::default(), &stop);
    (outcome, asked.get())
}

/// Pieces of programs that once cost the square of their number, or could: a piece to repeat, and what follows it.
const PIECES: &[(&str, &str)] = &[
    ("a = /'/;\n", "x = = 3;\n"),
    ("->", ""),
    ("> - ", ""),
    ("<!--", "x = = 3;\n"),
    ("!a ", "x = = 3;\n"),
    ("f\"{", ""),
    ("x=(", ""),
    ("{a: ", ""),
    ("f(", ","),
    ("const a = 1;\n", ""),
    (";", ""),
    ("import a;;\n", "import b;\n"),
    ("{}", "("),
    ("{ }\n", "x = = 3"),
    ("<a ", "<"),
    ("(", ""),
    ("[", "]"),
    ("a = {1: 2, ", ""),
    ("lambda: ", "yield"),
    ("[(yield), ", ""),
    ("\"", "x = = 1"),
    ("'a' ", ""),
    ("`", "x = = 1"),
    ("/* ", ""),
    ("// ", "\nx = = 1"),
    ("# ", "\nx = = 1"),
    ("a.b", "..."),
    ("let x = 1 let y = 2\n", ""),
    ("if (a) {\n", "}"),
    ("if a:\n", ""),
    ("switch (a) { default: ", "continue;"),
    ("f(a, , b);\n", ""),
    ("x = 'a\n", ""),
    ("cat <<A\n", ""),
    ("$((", ""),
    ("$(", "'"),
    ("a[", "]=1"),
    ("case x in a) ", ""),
    ("SELECT (", ""),
    ("SELECT a FRM t;\n", ""),
    ("CASE WHEN ", ""),
    ("NOT ", "a"),
    ("- ", "a"),
    ("? ", "a"),
    ("&a *a ", ""),
    ("a: |\n", ""),
    ("[a]\n", ""),
    ("a.b.c = 1\n", ""),
    ("\r", "x = = 1"),
    ("é", "("),
    ("\0", ""),
    ("\t", "a"),
    (" \\\n", "a"),
];

#[test]
fn parsing_stops_inside_a_multi_byte_character() {
    for (language, line) in
        [("python", "x = 1 # é漢字𝒳\n"), ("rust", "// é漢字𝒳\n"), ("javascript", "a = 'é漢字𝒳';\n")]
    {
        let code = line.repeat(1000);
        let (_, all) = counted(language, &code, usize::MAX);
        for last in 1..all {
            assert_eq!(counted(language, &code, last), (Outcome::Stopped, last), "{language}");
        }
    }
}

#[test]
fn work_grows_no_faster_than_the_program() {
    for language in names() {
        for (piece, end) in PIECES {
            let asked = |bytes: usize| {
                let code = piece.repeat(bytes / piece.len()) + end;
                let (outcome, asked) = counted(language, &code, usize::MAX);
                let Outcome::Parsed { diagnostics, .. } = outcome else { panic!("{language} {piece:?}") };
                // A grammar that gets lost is given up after so many questions.
                (asked, diagnostics.iter().any(|found| found.message.contains("fits together in no way")))
            };
            let ((one, _), (two, given_up)) = (asked(700), asked(1400));
            assert!(
                given_up || two <= one * 5 / 2 + 60,
                "{language} {piece:?}: {one} questions, for twice as much {two}"
            );
        }
    }
}

#[test]
fn grammar_that_gets_lost_is_given_up_with_its_place() {
    let code = format!("class A {{}}\n\n{}\n", "<!--".repeat(450));
    let (outcome, asked) = counted("java", &code, usize::MAX);
    let Outcome::Parsed { valid: false, diagnostics } = outcome else { panic!("{outcome:?}") };
    assert!(asked < 500 + code.len(), "{asked}");
    assert_eq!((diagnostics.len(), diagnostics[0].line), (1, 3), "{diagnostics:?}");
}

#[test]
fn scanner_that_rereads_to_the_end_is_given_up() {
    for (language, piece) in [("python", "\\\n"), ("rust", "r#\"")] {
        let asked = |bytes: usize| {
            let code = piece.repeat(bytes / piece.len());
            let (outcome, asked) = counted(language, &code, usize::MAX);
            let Outcome::Parsed { valid: false, diagnostics } = outcome else {
                panic!("{language}: {outcome:?}")
            };
            assert_eq!(diagnostics.len(), 1, "{diagnostics:?}");
            assert!(diagnostics[0].message.contains("fits together in no way"), "{diagnostics:?}");
            asked
        };
        let (one, two) = (asked(64_000), asked(128_000));
        assert!(two <= one * 5 / 2, "{language}: {one} questions, for twice as much {two}");
    }
    // Comments are read ahead as well, but without end only by what means nothing.
    let line = "# what the line after this one does\n";
    for code in [
        line.repeat(1000) + "x = 1\n",
        "try:\n    a = 1\n".to_owned() + &format!("    {line}").repeat(2300) + "except E:\n    pass\n",
    ] {
        let (outcome, _) = counted("python", &code, usize::MAX);
        assert_eq!(outcome, Outcome::Parsed { valid: true, diagnostics: vec![] });
    }
}

/// Programs that are much work for their size, each with its language.
fn heavy() -> Vec<(&'static str, String)> {
    let arguments: Vec<String> = (0..20_000).map(|number| format!("a{number}=1")).collect();
    vec![
        ("javascript", "a = /'/;\n".repeat(20_000) + "x = = 3;"),
        ("javascript", "f(".repeat(100_000) + ","),
        ("javascript", "const a = 1;\n".repeat(40_000)),
        ("typescript", "{}".repeat(100_000) + "("),
        ("tsx", "<a>".repeat(60_000)),
        ("python", format!("f({})\n", arguments.join(", "))),
        ("python", "if a:\n".repeat(50_000)),
        ("python", "\\\n".repeat(100_000)),
        ("go", "f(\n".repeat(50_000)),
        ("java", "import a;;\n".repeat(50_000) + "import b;\n"),
        ("rust", ";".repeat(200_000)),
        ("bash", "if a; then b; fi\n".repeat(20_000)),
        ("sql", "SELECT a FRM t;\n".repeat(20_000)),
        ("json", "[".repeat(500_000)),
        ("yaml", "{a: ".repeat(50_000)),
        ("toml", "a.b.c.d = 1\n".repeat(15_000)),
        ("avap", "addVar(x, )\n".repeat(50_000)),
    ]
}

#[test]
fn long_work_ends_at_the_first_stop() {
    for (language, code) in heavy() {
        let (_, asked) = counted(language, &code, 60);
        for last in [1, 2, asked / 2, asked] {
            assert_eq!(counted(language, &code, last), (Outcome::Stopped, last), "{language}");
        }
        // Among the languages of a block that declares none as well; AVAP is told by its commands alone.
        let asked = Cell::new(0);
        let stop = || {
            asked.set(asked.get() + 1);
            asked.get() >= 2
        };
        let told = detect(&code, &stop);
        assert!(language == "avap" || (&told, asked.get()) == (&Err(Stopped), 2), "{language} {told:?}");
    }
}

#[test]
fn line_of_many_arguments_takes_linear_steps() {
    let arguments = |count: usize| {
        let given: Vec<String> = (0..count).map(|number| format!("a{number}=1")).collect();
        counted("python", &format!("f({})\n", given.join(", ")), usize::MAX)
    };
    let ((outcome, one), (_, two)) = (arguments(300), arguments(600));
    assert!(matches!(outcome, Outcome::Parsed { valid: true, .. }), "{outcome:?}");
    assert!(two <= one * 5 / 2 + 4, "{one}, {two}");
}

#[test]
fn every_language_ends_when_it_is_told_to() {
    let programs = [
        ("bash", "echo \"$(ls $a)\" | sort && b\n", "if"),
        ("go", "var a = f(1, []int{2})\n", "var = ="),
        ("java", "class A { void f() { g(1); } }\n", "class {"),
        ("javascript", "const f = (a) => { return g(a); };\n", "let = ="),
        ("json", "[1, {\"a\": 2}],", "x"),
        ("python", "def f(a, b=1):\n    return [a, b]\n", "x = = 1"),
        ("rust", "fn f(a: u8) -> u8 { a + 1 }\n", "fn ="),
        ("sql", "SELECT a FROM t WHERE b = 1;\n", "SELEC"),
        ("toml", "[[a]]\nb = 1\n", "="),
        ("tsx", "const a = <b c={d}>e</b>;\n", "let = ="),
        ("typescript", "const f = (a: number): void => { g(a); };\n", "let = ="),
        ("yaml", "- a: [b, {c: d}]\n", ": :"),
        ("avap", "addVar(x, 1)\naddResult(x)\n", "("),
    ];
    assert_eq!(programs.len(), names().len());
    for (language, piece, wrong) in programs {
        for end in ["", wrong] {
            let mut code = piece.repeat(600) + end;
            if language == "json" {
                code = format!("[{}{}]", code, if end.is_empty() { "1" } else { "" });
            }
            let (outcome, all) = counted(language, &code, usize::MAX);
            assert!(matches!(outcome, Outcome::Parsed { .. }), "{language} {outcome:?}");
            assert!(all >= 2 || language == "avap" && end.is_empty(), "{language} asked {all} times");
            for last in [1, all / 4, all / 2, all - 1, all] {
                let last = last.max(1);
                // After the answer nothing is asked any more.
                assert_eq!(counted(language, &code, last), (Outcome::Stopped, last), "{language} {end:?}");
            }
        }
    }
}

#[test]
fn detection_and_block_search_end_on_stop() {
    let code = "func f() { const a = 1; }\n".repeat(300);
    let answer = format!("```\n{code}```\n\n").repeat(3);
    let asked = Cell::new(0);
    let until = |last: usize| {
        asked.set(0);
        let asked = &asked;
        move || {
            asked.set(asked.get() + 1);
            asked.get() >= last
        }
    };
    assert!(detect(&code, &until(usize::MAX)).is_ok());
    let all = asked.get();
    assert!(all > 10, "{all}");
    for last in [1, all / 2, all] {
        assert_eq!(detect(&code, &until(last)), Err(Stopped));
        assert_eq!(asked.get(), last);
    }
    assert_eq!(fences(&answer, &until(usize::MAX)).unwrap().len(), 3);
    let all = asked.get();
    assert_eq!(fences(&answer, &until(all)), Err(Stopped));
}

#[test]
fn deep_yaml_is_refused_at_its_place() {
    for (code, valid) in [
        ("[".repeat(100) + &"]".repeat(100), true),
        ("{a: ".repeat(20_000), false),
        ("[".repeat(101) + &"]".repeat(101), false),
    ] {
        let (outcome, _) = counted("yaml", &code, usize::MAX);
        let Outcome::Parsed { valid: found, diagnostics } = outcome else { panic!("{outcome:?}") };
        assert_eq!(found, valid, "{diagnostics:?}");
        if !valid {
            assert_eq!(diagnostics[0].message, "more than 100 brackets stand inside each other");
            assert_eq!((diagnostics.len(), diagnostics[0].code.as_str()), (1, "YAML002"));
        }
    }
}

#[test]
fn a_carriage_return_alone_ends_a_line_in_every_language() {
    for (language, code, line, column) in [
        ("python", "x = 1\r\rdef f(a:\r    return a\r", 3, 6),
        ("javascript", "let a = 1;\r// c\rlet b = ;\r", 3, 8),
        ("typescript", "let a = 1;\rlet b: = 1;\r", 2, 6),
        ("go", "package main\r\rfunc f( {\r}\r", 3, 7),
        ("rust", "fn f() {}\rfn g( {\r}\r", 2, 5),
        ("java", "class A {\r  void f( {}\r}\r", 2, 9),
        ("bash", "a=1\rif true; echo b; fi\r", 2, 1),
        ("json", "{\r  \"a\" 1\r}\r", 2, 7),
        ("sql", "SELECT 1;\r-- c\rSELEC 2;\r", 3, 1),
        ("yaml", "a: 1\rb: @x\r", 2, 4),
        ("avap", "x = 1\raddResult(x\r", 2, 10),
    ] {
        for code in [code.to_owned(), code.replace('\r', "\n"), code.replace('\r', "\r\n")] {
            let (outcome, _) = counted(language, &code, usize::MAX);
            let Outcome::Parsed { diagnostics, .. } = outcome else { panic!("{outcome:?}") };
            let place = diagnostics.first().map(|found| (found.line, found.column));
            assert_eq!(place, Some((line, column)), "{language} {code:?} {diagnostics:?}");
        }
    }
}
