//! Odd programs, as people and language models write them when they half know the language: each mistake is told once,
//! on its line, in its category, with a remedy that helps.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use Category::{ForeignKeyword, SyntaxError, UnexpectedConstruct, UnknownToken};
use assay_avap::{Category, Options, Severity, parse};

/// The errors of a program are these and no others: line, category, and what the rendered text or the suggestion holds.
fn errors(program: &str, wanted: &[(u32, Category, &str)]) {
    let found = parse(program, &Options::default());
    let errors: Vec<_> = found.diagnostics.iter().filter(|one| one.severity == Severity::Error).collect();
    let said: Vec<String> = errors.iter().map(|error| error.render()).collect();
    assert_eq!(errors.len(), wanted.len(), "{program}\n{said:#?}");
    for (error, (line, category, text)) in errors.iter().zip(wanted) {
        assert_eq!((error.line, error.category), (*line, *category), "{program}\n{said:#?}");
        let all = format!("{} {}", error.render(), error.suggestion.as_deref().unwrap_or_default());
        assert!(all.contains(text), "{program}\n'{text}' is not in: {all}");
    }
}

#[test]
fn a_missing_comma_is_named_where_one_may_stand() {
    for (program, line, text) in [
        ("addParam('a' x)\naddResult(x)", 1, "a comma is missing before 'x'"),
        ("addVar(b 3)\naddResult(b)", 1, "a comma is missing before '3'"),
        ("w = [1 2]\naddResult(w)", 1, "a comma is missing before '2'"),
        ("d = {\"a\": 1 \"b\": 2}\naddResult(d)", 1, "a comma is missing before '\"b\"'"),
        ("function f(a, b){\nreturn a\n}\nz = f(1 2)\naddResult(z)", 4, "a comma is missing before '2'"),
        ("startLoop(i 1, 5)\naddResult(i)\nendLoop()", 1, "a comma is missing before '1'"),
        ("age = 1\nif(age 18, \">=\")\naddResult(age)\nend()", 2, "a comma is missing before '18'"),
        ("age = 1\nif(age 18 \">=\")\naddResult(age)\nend()", 2, "a comma is missing before '18'"),
        // Where no argument is missing, it is the operator.
        ("addVar(q, \"a\" \"b\")\naddResult(q)", 1, "an operator is missing"),
        ("x = 1\naddResult(x x)", 2, "an operator is missing"),
        ("a = 1\naddVar(x, a plus a)\naddResult(x)", 2, "an operator is missing, found 'plus'"),
        ("r = 3 4\naddResult(r)", 1, "an operator is missing"),
        ("d = {\"a\" 1}\naddResult(d)", 1, "key: value"),
    ] {
        errors(program, &[(line, UnexpectedConstruct, text)]);
    }
}

#[test]
fn misspelt_words_of_the_vocabulary_still_find_a_suggestion() {
    for (call, text) in [
        ("lenght(y)", "getListLen"),
        ("n = lenght(y)", "getListLen"),
        ("sendRespnse(y)", "addResult"),
        ("makeRequst(y)", "RequestGet"),
        ("confirmPasword(y)", "no equivalent"),
        ("stacks(y)", "no equivalent"),
    ] {
        errors(&format!("y = [1, 2]\n{call}\naddResult(y)\n"), &[(2, UnknownToken, text)]);
    }
}

#[test]
fn a_condition_of_another_language_still_opens_its_block() {
    for header in ["if(x is 1)", "if(x, 1, \"==\") then", "if(x == 1) then", "if(x, 1, \"is\")", "if(x 1)"] {
        let found = parse(&format!("x = 1\n{header}\naddResult(x)\nend()\n"), &Options::default());
        let lines: Vec<u32> = found.diagnostics.iter().map(|one| one.line).collect();
        assert_eq!(lines, [2], "{header}: {:#?}", found.trace());
    }
    errors("startLoop(i, 1, 3) do\naddResult(i)\nendLoop()\n", &[(1, ForeignKeyword, "end of its line")]);
}

#[test]
fn marks_before_a_command_are_told_to_go() {
    for (mark, category) in [
        ("1.", SyntaxError),
        ("12", UnexpectedConstruct),
        (">", UnexpectedConstruct),
        (">>>", UnknownToken),
        ("-", UnexpectedConstruct),
        ("+", UnexpectedConstruct),
        ("*", UnexpectedConstruct),
        ("->", UnknownToken),
    ] {
        errors(&format!("{mark} addResult(\"a\")\n"), &[(1, category, &format!("remove '{mark}'"))]);
    }
}

#[test]
fn placeholders_tags_and_prose_are_no_code() {
    errors("x = 1\n...\naddResult(x)\n", &[(2, UnknownToken, "write the lines out")]);
    errors(
        "x = 1\n<your code here>\naddResult(x)\n",
        &[(2, UnexpectedConstruct, "neither tags nor placeholders")],
    );
    errors("x = 1\n</p>\naddResult(x)\n", &[(2, UnexpectedConstruct, "neither tags nor placeholders")]);
    errors("First, read the parameter:\naddParam(\"q\", q)\naddResult(q)\n", &[(1, UnknownToken, "comment")]);
    errors("x = 1\na, b = 1, 2\naddResult(x)\n", &[(2, UnexpectedConstruct, "single name")]);
    errors("x = {{value}}\naddResult(x)\n", &[(1, UnexpectedConstruct, "key: value")]);
}

#[test]
fn lookalike_characters_are_reported_with_the_plain_character() {
    for (program, text) in [
        ("addVar(x，1)\naddResult(x)", ","),
        ("x = 3 − 1\naddResult(x)", "-"),
        ("x = 3 × 2\naddResult(x)", "*"),
        ("x = 3 ≥ 2\naddResult(x)", ">="),
        ("addVar(x, “a”)\naddResult(x)", "strings stand in"),
        ("addVar(x, «a»)\naddResult(x)", "strings stand in"),
    ] {
        errors(program, &[(1, UnknownToken, text)]);
    }
}

#[test]
fn slices_and_let_be_have_their_remedy() {
    errors("a = [1]\ny = a[0:3]\naddResult(y)\n", &[(2, UnexpectedConstruct, "no slices")]);
    errors("let x be 5\naddResult(x)\n", &[(1, ForeignKeyword, "x = 5")]);
    errors("let x\naddResult(x)\n", &[(1, ForeignKeyword, "x = None")]);
}

#[test]
fn a_definition_that_is_wrong_says_nothing_about_its_callers() {
    errors(
        "function f(a, a){\nreturn a\n}\nx = f(1)\naddResult(x)\n",
        &[(1, UnexpectedConstruct, "the parameter 'a' exists already")],
    );
    errors(
        "function f(a){\nreturn a\n}\nfunction f(a, b){\nreturn b\n}\nx = f(1, 2)\ny = f(1)\naddResult(x)\naddResult(y)\n",
        &[(4, UnexpectedConstruct, "the function 'f' exists already")],
    );
}

#[test]
fn misspelt_function_keyword_adds_no_findings_at_its_callers() {
    for word in ["fucntion", "funcion", "Function", "functoin"] {
        let program = format!("{word} f(a){{\n    return a\n}}\nx = f(1)\naddResult(x)\n");
        let found = parse(&program, &Options::default());
        let lines: Vec<u32> = found.diagnostics.iter().map(|one| one.line).collect();
        assert_eq!(lines, [1], "{word}: {:#?}", found.trace());
        assert!(found.trace()[0].contains("function"), "{word}: {:#?}", found.trace());
    }
}

#[test]
fn other_ways_to_write_arguments_have_their_remedy() {
    errors("addVar[x, 1]\naddResult(1)\n", &[(1, UnexpectedConstruct, "needs parentheses")]);
    errors("addVar(x = 1)\naddResult(1)\n", &[(1, UnexpectedConstruct, "arguments have no names")]);
    errors("addVar(x: 1)\naddResult(1)\n", &[(1, UnexpectedConstruct, "commas")]);
    errors("x = \"a\" . \"b\"\naddResult(x)\n", &[(1, UnexpectedConstruct, "joined with +")]);
}

#[test]
fn the_cases_of_a_switch_are_one_mistake() {
    errors(
        "addParam(\"a\", a)\nswitch(a)\ncase(\"x\")\naddResult(1)\nbreak\ndefault\naddResult(2)\n",
        &[(2, ForeignKeyword, "for each case")],
    );
}

#[test]
fn blocks_that_end_oddly_are_one_mistake() {
    errors(
        "try()\nx = 1\nend()\nexception(e)\nx = 2\nend()\naddResult(x)\n",
        &[(3, UnexpectedConstruct, "closes nothing")],
    );
    errors(
        "startLoop(i, 1, 3)\nif(i, 2, \"==\")\naddResult(i)\nendLoop()\nend()\n",
        &[(4, UnexpectedConstruct, "does not close 'if'")],
    );
    errors("x = 1\nif(x, 1, \"==\")\naddResult(x)\n}\n", &[(4, UnexpectedConstruct, "end()")]);
    errors("x = 1\nif(x, 1, \"==\") {\naddResult(x)\n}\n", &[(2, UnexpectedConstruct, "no braces")]);
    errors(
        "function add(a, b):\n    return a + b\n\nx = add(1, 2)\naddResult(x)\n",
        &[(1, UnexpectedConstruct, "only '{' may follow")],
    );
    errors(
        "addVar(n, 3)\nstartLoop i, 0, 10\naddResult(n)\nendLoop\n",
        &[(2, UnexpectedConstruct, "needs parentheses"), (4, UnexpectedConstruct, "endLoop()")],
    );
}

#[test]
fn injection_follows_text_only_through_parameters_and_returns() {
    let warns = |program: &str| {
        let found = parse(program, &Options::default());
        assert!(found.valid, "{program}\n{:#?}", found.trace());
        found.diagnostics.iter().filter(|one| one.code == "AVAP050").count()
    };
    let program = |body: &str, argument: &str| {
        format!(
            "addParam(\"id\", id)\nfunction sql(a){{\nreturn {body}\n}}\nq = sql({argument})\normDirect(q, r)\naddResult(r)\naddResult(id)\n"
        )
    };
    assert_eq!(warns(&program("\"SELECT \" + a", "id")), 1);
    assert_eq!(warns(&program("\"SELECT \" + a", "int(id)")), 0);
    assert_eq!(warns(&program("\"SELECT \" + a", "str(int(id) + 1)")), 0);
    assert_eq!(warns(&program("\"SELECT \" + a", "str(id)")), 1);
    assert_eq!(warns(&program("\"SELECT \" + str(len(a))", "id")), 0);
    // However long the argument and however deep the calls.
    let long = format!("{}id", "1 + ".repeat(2_000));
    assert_eq!(warns(&program("\"SELECT \" + a", &long)), 1);
    let long = format!("id{}", " + 1".repeat(2_000));
    assert_eq!(warns(&program("\"SELECT \" + a", &long)), 1);
    let deep = format!("{}id{}", "sql(".repeat(2_000), ")".repeat(2_000));
    assert_eq!(warns(&program("\"SELECT \" + a", &deep)), 1);
    // A function that runs the SQL itself, called inside of a number.
    let inside = "addParam(\"id\", id)\nfunction run(a){\normDirect(a, r)\nreturn r\n}\nn = int(run(id))\naddResult(n)\n";
    assert_eq!(warns(inside), 1);
}
