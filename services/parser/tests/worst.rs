//! No program overflows the stack: every reader takes its worst shapes at its bounds, on the stack that the service
//! gives it. A debug build reads shorter ones where a grammar in C does the work; `make test-limits` reads the longest in
//! a release build.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use assay_parser::Options;
use assay_parser::languages::{AvapOptions, Outcome, detect, fences, names, parse, stack_bytes};

/// What begins a program, what is repeated up to the bound, and what ends it.
type Shape = (&'static str, &'static str, &'static str);

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
            let part = if cfg!(debug_assertions) { 256 } else { 16 };
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
        ("typescript", "a<".repeat(8_000), "open '<' in a row"),
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

const ANSWERS: &[&str] = &[
    "> ",
    "- ",
    "```\n",
    "[",
    "[a](",
    "![[](",
    "*",
    "_a",
    "`",
    "<",
    "&",
    "|a",
    "\\",
    "1. ",
    "  - a\n",
    "~~",
    "[^1]",
    "[a]: ",
    "<a ",
    "<!--",
    "***a**",
    "#",
    "    a\n",
    "```json\n[1]\n```\n\n",
    "a | b\n--|--\n",
];

fn shapes(language: &str) -> &'static [Shape] {
    match language {
        "avap" => AVAP,
        "bash" => BASH,
        "go" => GO,
        "java" => JAVA,
        "javascript" => JAVASCRIPT,
        "json" => JSON,
        "python" => PYTHON,
        "rust" => RUST,
        "sql" => SQL,
        "toml" => TOML,
        "tsx" => TSX,
        "typescript" => TYPESCRIPT,
        "yaml" => YAML,
        _ => &[],
    }
}

const AVAP: &[Shape] = &[
    ("addVar(x, ", "(", "1)"),
    ("addVar(x, ", "1+", "1)"),
    ("addVar(x, ", "f(", "1)"),
    ("addVar(x, ", "[", "1)"),
    ("addVar(x, ", "{\"a\":", "1)"),
    ("addVar(x, ", "-", "1)"),
    ("addVar(x, ", "not ", "1)"),
    ("addVar(x, a", "[0]", ")"),
    ("addVar(x, a", ".a", ")"),
    ("addVar(x, a", "()", ")"),
    ("", "if(a, b, \"=\")\n", ""),
    ("", "startLoop(i,1,2)\n", ""),
    ("", "function f(a)\n{\n", ""),
    ("", "try()\n", ""),
    ("addVar(x, ", "a and ", "b)"),
    ("addVar(x, ", "a if b else ", "c)"),
    ("addVar(x, ", "lambda: ", "c)"),
    ("addVar(x, ", "\"a\"+", "\"b\")"),
    ("x = ", "1+", "1"),
    ("x = ", "(", "1"),
    ("x = ", "-", "1"),
    ("x = a", "[", ""),
    ("if(None, None, `", "(", "`)"),
    ("if(None, None, `", "a and ", "b`)"),
    ("x = ", "{", "1"),
    ("", "{", ""),
    ("", "(", ""),
    ("x = [", "a for a in ", "b]"),
    ("", "go f(", "a"),
    ("x = ", "a = ", "1"),
    ("", "include ", "a"),
];

const BASH: &[Shape] = &[
    ("", "coproc ", "a"),
    ("", "! ", "a"),
    ("", "time ", "a"),
    ("", "a|", "a"),
    ("", "a&&", "a"),
    ("", "a;", "a"),
    ("", "(", "a"),
    ("", "{ ", "a"),
    ("", "$(", "a"),
    ("", "`", "a"),
    ("echo ", "\"$(", "a"),
    ("echo ", "${a:-", "a"),
    ("", "[[ ! ", "a"),
    ("[[ ", "( ", "a"),
    ("[[ ", "a && ", "a"),
    ("", "if a; then ", "a"),
    ("if a; then b; ", "elif a; then b; ", "fi"),
    ("", "case a in a) ", "a"),
    ("", "while ", "a"),
    ("", "for a do ", "a"),
    ("", "f()", "{ a; }"),
    ("", "function f ", "{ a; }"),
    ("a=", "(", "a"),
    ("echo ", "$((", "a"),
    ("echo ", "@(", "a"),
    ("echo ", "<(", "a"),
    ("", "cat <<A\n", "a"),
    ("", "((", "a"),
    ("echo ", "$[", "a"),
    ("", "select a do ", "a"),
    ("", "a=b ", "a"),
    ("", ">a ", "a"),
    ("echo ", "{a,", "b"),
    ("", "coproc a (", "b"),
    ("", "until ", "a"),
    ("", "coproc { ", "a"),
    ("a", "[", "b"),
    ("", "coproc a\n", "a"),
    ("", "{a}>b ", "c"),
    ("", "[[ a =~ ", "b"),
    ("[[ a =~ ", "(", "b"),
    ("", "time -p ", "a"),
];

const GO: &[Shape] = &[
    ("package a\nvar a = ", "1+", "1\n"),
    ("package a\nvar a = ", "(", "1\n"),
    ("package a\nvar a ", "[]", "int\n"),
    ("package a\nvar a ", "*", "int\n"),
    ("package a\nvar a ", "map[", "int\n"),
    ("package a\nvar a ", "func(", "int\n"),
    ("package a\nvar a ", "struct{a ", "int\n"),
    ("package a\nvar a ", "interface{a(", ""),
    ("package a\nvar a ", "chan ", "int\n"),
    ("package a\nvar a ", "A[", "int\n"),
    ("package a\nvar a = ", "a[", "b\n"),
    ("package a\nvar a = a", "()", "\n"),
    ("package a\nvar a = a", "[0]", "\n"),
    ("package a\nvar a = a", ".a", "\n"),
    ("package a\nvar a = ", "[]int{", "\n"),
    ("package a\nvar a = ", "{", "\n"),
    ("package a\nvar a = ", "func(){", "\n"),
    ("package a\nvar a = ", "!", "a\n"),
    ("package a\nvar a = ", "<-", "a\n"),
    ("package a\nfunc f(){ if a {}", " else if a {}", "}\n"),
    ("package a\nfunc f(){ ", "if a {", "}\n"),
    ("package a\nfunc f(){ ", "a:", "}\n"),
    ("package a\nvar a = ", "a<", "b\n"),
    ("package a\nvar a = ", "\"a\"+", "\"b\"\n"),
];

const JAVA: &[Shape] = &[
    ("class B { ", "A<", "> a; }"),
    ("class B { void f(){ ", "a<", "b; } }"),
    ("class B { int a = ", "1+", "1; }"),
    ("class B { int a = ", "(", "1; }"),
    ("class B { int a = ", "a.b().", "c; }"),
    ("class B { void f(){ if(a){}", " else if(a){}", "} }"),
    ("", "class A{", ""),
    ("class B { int a = ", "!", "1; }"),
    ("class B { int a = ", "(a)", "1; }"),
    ("class B { int a = ", "a?b:", "1; }"),
    ("class B { String a = ", "\"a\"+", "\"a\"; }"),
    ("class B { int a = ", "new int[", "1; }"),
    ("class B { int a = a", "[0]", "; }"),
    ("class B { int a = ", "x->", "1; }"),
    ("class B { void f(){", "{", "}}"),
    ("class B { ", "@A(", "int a; }"),
    ("class B { Object a = ", "new A<", "; }"),
    ("class B { ", "A<? extends ", "B> a; }"),
    ("class B { void f() { ", "for(;;)", ";}}"),
    ("class B { void f() { ", "a:", "x();}}"),
    ("class B { void f() { ", "switch(a){case 1:", ";}}"),
    ("class B { int a = ", "(a<", "b;}"),
    ("class B {", "int", "[] a;}"),
    ("class B { int a = ", "a=", "1;}"),
    ("class B { int", "[]", " a;}"),
    ("", "A<", ""),
    ("", "A<A>", ""),
    ("class B { void f(){ ", "a(b", "; } }"),
    ("class B { ", "/*", ""),
    ("class B { void f(){ ", "if(a)", "b();} }"),
];

const JAVASCRIPT: &[Shape] = &[
    ("let a = ", "1+", "1"),
    ("let a = ", "`${", "a"),
    ("let a = ", "x=>", "1"),
    ("let a = ", "a?b:", "c"),
    ("if(a){}", "else if(a){}", ""),
    ("", "{", ""),
    ("let a = ", "[", "1"),
    ("let a = ", "{a:", "1"),
    ("let a = ", "a.", "b"),
    ("let a = a", "()", ""),
    ("let a = a", "[0]", ""),
    ("let a = a", "?.a", ""),
    ("let a = a", "``", ""),
    ("let a = ", "!", "b"),
    ("let a = ", "(", "b"),
    ("let a = ", "await ", "b"),
    ("", "<a>", "b"),
    ("", "<a b={", "b"),
    ("", "class A { a = ", ""),
    ("", "function f(){", ""),
    ("let a = ", "async (", "b"),
    ("let {", "a:{", ""),
    ("", "a:", "b"),
    ("let a = ", "'a'+", "'b'"),
    ("", "for(;;)", ";"),
    ("", "a=", "1"),
    ("let a = ", "yield ", "1"),
    ("", "a,", "1"),
    ("let a = ", "a**", "1"),
    ("let a = ", "a??", "1"),
    ("", "<!--", ""),
    ("", "/*", ""),
    ("let a = `", "${`", ""),
];

const JSON: &[Shape] = &[
    ("", "[", "1"),
    ("", "{\"a\":", "1"),
    ("[", "1,", "1]"),
    ("", "\"a", ""),
    ("[", "[],", "1]"),
    ("{\"a\":", "[{\"a\":", ""),
];

const PYTHON: &[Shape] = &[
    ("x = ", "1+", "1"),
    ("x = ", "(", "1"),
    ("x = ", "[", "1"),
    ("x = ", "{1:", "1"),
    ("x = ", "lambda: ", "1"),
    ("x = ", "not ", "1"),
    ("x = ", "-", "1"),
    ("x = ", "a.", "b"),
    ("x = a", "()", ""),
    ("x = a", "[0]", ""),
    ("x = ", "a if b else ", "c"),
    ("x = ", "f\"{", "a"),
    ("x = ", "f'{f\"{", "a"),
    ("if a:\n  b\n", "elif a:\n  b\n", ""),
    ("", "x = ", "1"),
    ("x = ", "a < ", "b"),
    ("x = ", "a and ", "b"),
    ("x = ", "\"a\" ", "\"b\""),
    ("", "@a\n", "def f(): pass"),
    ("", "if a: ", "b"),
    ("x = ", "await ", "b"),
    ("x = ", "*", "b"),
    ("x = ", "a, ", "b"),
    ("print ", ">>", "b"),
    ("x = [a ", "for a in b ", "]"),
    ("match a:\n case ", "(", "b"),
    ("match a:\n case ", "a|", "b"),
    ("x: ", "a[", "b"),
    ("x = ", "a**", "b"),
    ("x = ", "yield ", "b"),
    ("", "del ", "a"),
    ("", "print ", "a"),
    ("", "exec ", "a"),
    ("", "(", ""),
    ("class A: pass\n", "class A:\n ", "x"),
    ("x = ", "(lambda: ", "1"),
];

const RUST: &[Shape] = &[
    ("fn f(){ let a = ", "1+", "1;}"),
    ("fn f(){ let a = ", "(", "1;}"),
    ("fn f(){ let a = ", "!", "1;}"),
    ("fn f(){ let a = ", "&", "1;}"),
    ("fn f(){ let a: ", "A<", "B;}"),
    ("fn f(){ let a: ", "&", "B;}"),
    ("fn f(){ let a = ", "a::<", "B;}"),
    ("fn f(){ let a = ", "a<", "B;}"),
    ("fn f(){ let a = ", "|a|", "B;}"),
    ("fn f(){ let a = a", "?", ";}"),
    ("fn f(){ let a = a", ".a()", ";}"),
    ("fn f(){ let a = a", "[0]", ";}"),
    ("fn f(){ let a = a", " as b", ";}"),
    ("fn f(){ if a {}", " else if a {}", "}"),
    ("fn f(){", "{", "}"),
    ("", "mod a {", ""),
    ("fn f(){ a!", "(", ""),
    ("fn f(){ let a: ", "[", "B;}"),
    ("fn f(){ let a: ", "fn(", "B;}"),
    ("fn f(){ let a: ", "impl A+", "B;}"),
    ("fn f(){ match a { ", "(", "=>1}}"),
    ("fn f(){ match a { ", "a|", "b=>1}}"),
    ("fn f(){ let a = ", "..", "1;}"),
    ("fn f(){ let a = ", "return ", "1;}"),
    ("fn f(){ let a = ", "a=", "1;}"),
    ("", "a::", "b"),
    ("use ", "a::{", "b"),
    ("fn f(){ let a = ", "if a {", "1;}"),
    ("fn f(){ ", "loop {", "1;}"),
    ("", "#[", "a"),
    ("", "/*", "a"),
    ("fn f() where ", "for<'a> ", "A:B{}"),
    ("fn f(){ let a: ", "<A as ", "B>::C;}"),
    ("fn f(){ let a: ", "dyn ", "B;}"),
];

const SQL: &[Shape] = &[
    ("select ", "1+", "1"),
    ("select ", "-", "1"),
    ("select ", "not ", "1"),
    ("select 1", "[0]", ""),
    ("select a", "[0]", ""),
    ("select 1", "::int", ""),
    ("select a", "!", ""),
    ("select 1", " is null", ""),
    ("select 1", " collate x", ""),
    ("select a", " at time zone 'x'", ""),
    ("select 1", " union select 1", ""),
    ("select 1", " or 1", ""),
    ("select 1", " and 1", ""),
    ("select 'a'", "||'a'", ""),
    ("select a", ".a", ""),
    ("select cast(1 as int", "[]", ")"),
    ("select cast(1 as ", "array<", "int"),
    ("select cast(1 as ", "struct<a ", "int"),
    ("select ", "interval ", "1"),
    ("select ", "case when ", "1"),
    ("select ", "exists ", "1"),
    ("select * from a", " pivot(sum(a) for b in (1))", ""),
    ("select * from a", " join a on b", ""),
    ("select 1 where a", " in (1)", ""),
    ("select a", " like a", ""),
    ("select a", " between 1 and 1", ""),
    ("select a", ":a", ""),
    ("select a", "->a", ""),
    ("", "explain ", "select 1"),
    ("select '", "''", ""),
    ("select ", "a -> ", "1"),
    ("select {", "'a':{", ""),
    ("select ", "{a:", "1"),
    ("select * from ", "a, ", "a"),
    ("insert into t values ", "(1,2),", "(1,2)"),
    ("select ", "array[", "1"),
    ("select ", "struct<", "1"),
    ("select count(*)", " over ()", ""),
    ("create view a as ", "select * from a union ", "select 1"),
    ("select ", "(select ", "1"),
    ("select match_recognize(pattern (", "a|", "a"),
    ("select * from t match_recognize(pattern (a", "?", ")define a as 1)"),
    ("select * from t match_recognize(pattern (", "a|", "a)define a as 1)"),
    ("select * from t match_recognize(pattern (", "{-", "a)define a as 1)"),
    ("select * from t match_recognize(pattern (a", "*", ") define a as 1)"),
    ("set a = ", "a = ", "a"),
    ("select 1, 1", " union select 1, 1", ""),
    ("select 'a\\''", "+1", " + 'b'"),
    ("select 1", "--1", ""),
    ("select a", ".b[0]", ""),
    ("select * from t where a = 1", " or a = 1", ""),
];

const TOML: &[Shape] = &[
    ("a = ", "[", "1"),
    ("a = ", "{a=", "1"),
    ("", "a.", "a = 1"),
    ("[", "a.", "a]"),
    ("a=", "\"\\u", "a"),
    ("", "[[a]]\n", ""),
    ("a = [", "[],", "]"),
    ("a = {", "a.", "b=1}"),
    ("a = \"", "\\u0041", "\""),
    ("", "a = 1\n", ""),
    ("", "[a]\n", ""),
    ("a = {b = ", "{b = ", "1"),
];

const TSX: &[Shape] = &[
    ("", "<a>", "b"),
    ("let a = ", "<a b={", "b"),
    ("let a: ", "A<", "B"),
    ("", "a<", "b"),
    ("let a = ", "<a>{", "b"),
    ("", "<>", "a"),
];

const TYPESCRIPT: &[Shape] = &[
    ("", "a<", "b"),
    ("let a: ", "A<", "B"),
    ("let a = ", "1+", "1"),
    ("let a = ", "`${", "a"),
    ("let a: ", "{a:", "b"),
    ("let a: ", "(a:", "b"),
    ("let a: ", "a extends b ? ", "c"),
    ("let a: ", "a|", "b"),
    ("let a = ", "x=>", "1"),
    ("let a = ", "a?b:", "c"),
    ("let a = ", "a?", "c"),
    ("let a: ", "keyof ", "c"),
    ("let a = ", "<a>", "c"),
    ("let a = a", "!", ""),
    ("let a = a", " as b", ""),
    ("let a: A", "[]", ""),
    ("", "if(a){} else ", "a"),
    ("", "{", ""),
    ("let a = ", "[", "1"),
    ("let a = ", "a.", "b"),
    ("let a = a", "()", ""),
    ("let a = a", "[0]", ""),
    ("let a = ", "!", "b"),
    ("let a = ", "await ", "b"),
    ("let a = ", "new ", "b"),
    ("let a = ", "f<", "b"),
    ("", "class A { a = ", ""),
    ("", "namespace A {", ""),
    ("type A = ", "(", "b"),
    ("type A = ", "() => ", "b"),
    ("type A = ", "`${", "b"),
    ("let a = ", "/", "b"),
    ("let a = ", "async (", "b"),
    ("let a = ", "(a,", "b"),
    ("let {", "a:{", ""),
    ("let a = ", "function f(){", ""),
    ("let ", "a=", "1"),
    ("", "a<", ""),
    ("", "a<a>(", ""),
    ("type A = ", "A<B, ", "C"),
];

const YAML: &[Shape] = &[
    ("", "[", "1"),
    ("", "{a: ", "1"),
    ("", "- ", "1"),
    ("", "? ", "1"),
    ("", "a: &a ", "1"),
    ("", "!a ", "1"),
    ("", "&a ", "1"),
    ("", "- - ", "1"),
    ("a: ", "\"", "1"),
    ("", "? - ", "1"),
    ("", ": ", "1"),
    ("", "-\n ", "1"),
    ("a", ": a", ""),
    ("", "--- ", "1"),
    ("", "a:\n", "1"),
    ("&a [", "*a,", "*a]"),
    ("a: ", "- ", "b"),
    ("", "a: {b: ", "c"),
    ("a: '", "''", "'"),
    ("", "? [", "a"),
];
