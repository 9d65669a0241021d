//! The grammar, the static rules and the decided corner points: each with programs that hold and programs that break
//! it, by line and category.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use assay_avap::{Category, Diagnostic, Options, Profile, Severity, parse};

const FOREIGN: Category = Category::ForeignKeyword;
const UNKNOWN: Category = Category::UnknownToken;
const UNEXPECTED: Category = Category::UnexpectedConstruct;
const SYNTAX: Category = Category::SyntaxError;

fn of(diagnostics: &[Diagnostic], severity: Severity) -> Vec<&Diagnostic> {
    diagnostics.iter().filter(|diagnostic| diagnostic.severity == severity).collect()
}

fn show(diagnostics: &[Diagnostic]) -> Vec<String> {
    diagnostics.iter().map(|d| format!("{} [{} {}]", d.render(), d.category.name(), d.code)).collect()
}

/// The program has exactly these errors; each remedy occurs in suggestion, message or help.
fn errors(code: &str, expected: &[(u32, Category, &str)]) {
    let parsed = parse(code, &Options::default());
    let found: Vec<(u32, Category)> =
        of(&parsed.diagnostics, Severity::Error).iter().map(|d| (d.line, d.category)).collect();
    let wanted: Vec<(u32, Category)> =
        expected.iter().map(|(line, category, _)| (*line, *category)).collect();
    assert_eq!(found, wanted, "{code}\n{:#?}", show(&parsed.diagnostics));
    assert_eq!(parsed.valid, expected.is_empty());
    for (diagnostic, (_, _, remedy)) in of(&parsed.diagnostics, Severity::Error).iter().zip(expected) {
        let text = [&diagnostic.suggestion, &Some(diagnostic.message.clone()), &diagnostic.help]
            .map(|part| part.clone().unwrap_or_default())
            .join(" ");
        assert!(text.contains(remedy), "{code}\nno '{remedy}' in {text}");
    }
}

fn valid(code: &str) {
    errors(code, &[]);
}

/// The program is valid, and exactly these lines carry warnings.
fn warns(code: &str, lines: &[u32]) {
    let parsed = parse(code, &Options::default());
    assert!(parsed.valid, "{code}\n{:#?}", show(&parsed.diagnostics));
    let mut found: Vec<u32> = of(&parsed.diagnostics, Severity::Warning).iter().map(|d| d.line).collect();
    found.dedup();
    assert_eq!(found, lines, "{code}\n{:#?}", show(&parsed.diagnostics));
}

fn clean(code: &str) {
    let parsed = parse(code, &Options::default());
    assert!(parsed.diagnostics.is_empty(), "{code}\n{:#?}", show(&parsed.diagnostics));
}

/// One statement inside a sound program; `line` 3 is the statement.
fn line(statement: &str, expected: &[(Category, &str)]) {
    let code = format!("addParam(\"x\", x)\naddVar(y, 2)\n{statement}\naddResult(x)\n");
    let expected: Vec<(u32, Category, &str)> = expected.iter().map(|(c, remedy)| (3, *c, *remedy)).collect();
    errors(&code, &expected);
}

#[test]
fn labelled_examples_come_out_as_labelled() {
    valid("addParam(\"name\", name)\naddResult(name)\n");
    errors("addVar(x, 1)\nif(x, 1, \"==\")\naddResult(x)\n", &[(2, SYNTAX, "end()")]);
    errors("addVar(x, 1)\ngetSHA256(x, y)\naddResult(y)\n", &[(2, UNKNOWN, "encodeSHA256")]);
    errors("for i in range(3):\n", &[(1, FOREIGN, "startLoop")]);
}

#[test]
fn rendering_has_the_form_of_the_retry_prompt() {
    let first = |code: &str| parse(code, &Options::default()).trace().first().cloned().unwrap_or_default();
    assert_eq!(
        first("addVar(x, 1)\n\ngetSHA256(x, y)\naddResult(y)\n"),
        "Line 3: unknown command 'getSHA256' — did you mean 'encodeSHA256'?"
    );
    assert_eq!(
        first("for i in range(1, 6):\n"),
        "Line 1: foreign construct 'for i in range(1, 6):' — AVAP loop syntax required: startLoop(i, 1, 5) … endLoop()"
    );
}

#[test]
fn columns_count_scalar_values() {
    let parsed = parse("addVar(ñandú, \"é\") getMD5(x)", &Options::default());
    let error = parsed.diagnostics.iter().find(|d| d.severity == Severity::Error).unwrap();
    assert_eq!((error.line, error.column, error.end_column), (1, 8, 13));
    let parsed = parse("x = 1\r\ny = \"áé\" + getMD5(x)\r\naddResult(y)", &Options::default());
    let error = parsed.diagnostics.iter().find(|d| d.severity == Severity::Error).unwrap();
    assert_eq!((error.line, error.column, error.end_column), (2, 12, 18));
}

// === lexis ===

#[test]
fn comments_strings_and_line_ends() {
    clean("// note\n/// doc\n/* a\nb */ addVar(x, 'it // is') // more\naddResult(x)\n");
    clean("addVar(x, /* inline */ \"a 'b' \\\" c\")\r\naddResult(x)\r\n");
    clean("\u{feff}addVar(x, 1)\raddResult(x)\r");
    clean("addVar(x, 1) /* over\ntwo lines */ addResult(x)");
    line("addVar(x, 1) # note", &[(UNKNOWN, "//")]);
    line("# note", &[(UNKNOWN, "//")]);
    line("addVar(x, \"open)", &[(SYNTAX, "")]);
    line("addVar(x, `open)", &[(SYNTAX, "")]);
    line("addVar(x, \"\"\"doc\"\"\")", &[(SYNTAX, "")]);
    errors("addVar(x, 1)\naddResult(x)\n/* open\naddVar(", &[(3, SYNTAX, "*/")]);
}

#[test]
fn characters_that_cannot_stand_outside_strings() {
    for c in ['\u{a0}', '\u{c}', '\u{2028}', '\u{feff}', '\0'] {
        line(&format!("addVar(x,{c}1)"), &[(SYNTAX, "U+")]);
        line(&format!("addVar(x, \"{c}\")"), &[]);
    }
    line("año = 5", &[(UNKNOWN, "")]);
}

#[test]
fn numbers() {
    for good in ["0", "12", "-3", "2.5", "-0.5", "007"] {
        line(&format!("addVar(x, {good})"), &[]);
    }
    for bad in [".5", "5.", "0x1F", "1e5", "1_000", "1.2.3"] {
        line(&format!("addVar(x, {bad})"), &[(SYNTAX, "")]);
    }
    line("addVar(x, --5)", &[(UNEXPECTED, "")]);
    line("y = x - -5", &[]);
    warns("addVar(x, 9223372036854775808)\naddResult(x)", &[1]);
    clean("addVar(x, 9223372036854775807)\naddResult(x)");
}

#[test]
fn symbols_of_other_languages() {
    for (statement, remedy) in [
        ("y = x && y", "and"),
        ("y = x || y", "or"),
        ("y = !x", "not"),
        ("y = x === 1", "=="),
        ("y = x !== 1", "!="),
        ("y += 1", "y = y + 1"),
        ("y++", "y = y + 1"),
        ("y--", "y - 1"),
        ("y := 5", "addVar(y, 5)"),
        ("y = x ? 1 : 2", "if condition else"),
        ("y = x ** 2", ""),
        ("y = x | y", ""),
        ("y = x <> 2", "!="),
    ] {
        line(statement, &[(UNKNOWN, remedy)]);
    }
}

#[test]
fn templates() {
    clean("addVar(a, 1)\naddVar(b, `x ${a} and $a and \\${`)\naddResult(b)");
    for bad in ["`${}`", "`${a b}`", "`${1}`", "`${a`", "`${a + 1}`"] {
        line(&format!("addVar(x, {bad})"), &[(SYNTAX, "${name}")]);
    }
}

#[test]
fn markdown_fences_are_errors() {
    errors("```avap\naddVar(x, 1)\naddResult(x)\n```\n", &[(1, SYNTAX, "fence"), (4, SYNTAX, "fence")]);
}

// === expressions ===

#[test]
fn expressions_of_the_grammar() {
    for good in [
        "1 + 2 * 3 - 4 / 5 % 6",
        "(1 + 2) * -x",
        "x if y else 2",
        "x if y == 1 and not x else (2 if x else 3)",
        "x if y else 1 if x else 2",
        "not x == 1 or x in [1, 2] and y not in {\"a\": 1}",
        "[1, [2, 3], {\"a\": [x], y: 2}, []]",
        "{}",
        "x[0][y + 1].name",
        "x.upper().strip(\"a\", 1)",
        "str(len(x)) + \"a\"",
        "$x + $y",
        "(1, 2)",
        "\"a\" + 'b' + `c ${x}`",
        "x == -1",
        "True",
        "None",
    ] {
        line(&format!("y = {good}"), &[]);
    }
    for bad in [
        "1 +",
        "* 2",
        "x y",
        "1 < 2 < 3",
        "x if y",
        "x else y",
        "[1,]",
        "{\"a\"}",
        "{\"a\": 1,}",
        "f",
        "x..y",
        "not not x",
        "5(1)",
        "x = 2",
        "(1,)",
        "()",
        "[,1]",
    ] {
        let parsed = parse(&format!("x = 1\ny = 2\ny = {bad}\naddResult(y)"), &Options::default());
        let errors = of(&parsed.diagnostics, Severity::Error);
        if bad == "f" {
            assert!(errors.is_empty());
            continue;
        }
        assert_eq!(errors.len(), 1, "{bad}: {:#?}", show(&parsed.diagnostics));
        assert_eq!(errors[0].line, 3);
    }
}

#[test]
fn constants_of_other_languages() {
    for word in ["null", "nil", "undefined"] {
        line(&format!("y = {word}"), &[(FOREIGN, "None")]);
        line(&format!("if(x, {word}, \"==\")"), &[(FOREIGN, "None")]);
    }
    let parsed = parse("addVar(x, true)\naddResult(x)", &Options::default());
    assert!(parsed.valid);
    assert_eq!(parsed.diagnostics[0].severity, Severity::Hint);
    assert_eq!(parsed.diagnostics[0].suggestion.as_deref(), Some("True"));
}

#[test]
fn helpers_and_nested_calls() {
    line("y = str(int(float(len(x))))", &[]);
    line("y = int(x, 2)", &[(UNEXPECTED, "1 argument")]);
    line("addResult(encodeSHA256(x))", &[(UNEXPECTED, "encodeSHA256")]);
    line("addVar(y, if(x, 1, \"==\"))", &[(UNEXPECTED, "if")]);
    line("y = getListLen(x) + 1", &[(UNEXPECTED, "getListLen")]);
    line("y = foo(x)", &[(UNKNOWN, "foo")]);
    line("addResult(foo(x) + 1)", &[(UNKNOWN, "foo")]);
    line("addVar(y, sha256(x))", &[(UNKNOWN, "encodeSHA256")]);
}

#[test]
fn ten_thousand_levels_do_not_overflow() {
    let deep = 10_000;
    let brackets = format!("x = {}1{}\naddResult(x)", "(".repeat(deep), ")".repeat(deep));
    valid(&brackets);
    valid(&format!("x = {}1{}\naddResult(x)", "[".repeat(deep), "]".repeat(deep)));
    valid(&format!("x = {}True\naddResult(x)", "not (".repeat(deep) + "1" + &")".repeat(deep) + " or "));
    let blocks = format!("{}addResult(x)\n{}", "if(x, 1, \"==\")\n".repeat(deep), "end()\n".repeat(deep));
    valid(&blocks);
    let open = "if(x, 1, \"==\")\n".repeat(deep);
    assert_eq!(of(&parse(&open, &Options::default()).diagnostics, Severity::Error).len(), deep);
    let parsed = parse(&"(".repeat(deep), &Options::default());
    assert!(!parsed.valid);
    for text in [
        "((((\n",
        "if x > 3:\n",
        "}\n",
        "end()\n",
        "try()\nend()\n",
        "startLoop(i, 1, 2)\nend()\n",
        "`${",
        "'",
        "not ",
    ] {
        assert!(!parse(&text.repeat(deep), &Options::default()).valid);
    }
}

// === rules ===

#[test]
fn rule_1_unknown_commands() {
    line("confirmPassword(x, y)", &[(UNKNOWN, "no equivalent")]);
    line("generateToken(x)", &[(UNKNOWN, "no equivalent")]);
    line("addvar(x, 1)", &[(UNKNOWN, "addVar")]);
    line("y = getMD5(x)", &[(UNKNOWN, "encodeMD5")]);
    line("print(x)", &[(UNKNOWN, "addResult")]);
    valid("y = twice(2)\naddResult(y)\nfunction twice(a) {\nreturn a * 2\n}");
    errors(
        "function calculate(a) {\nreturn a\n}\ny = calculat(2)\naddResult(y)",
        &[(4, UNKNOWN, "calculate")],
    );
    line("ormCreateTable(x, y, x, y)", &[(UNKNOWN, "hypothesis")]);
    line("ormAccessSelect(x, y, y)", &[]);
}

#[test]
fn libraries_of_other_languages() {
    line("console.log(x)", &[(UNKNOWN, "addResult")]);
    line("fmt.Println(x)", &[(UNKNOWN, "addResult")]);
    line("y = requests.get(x)", &[(UNKNOWN, "RequestGet")]);
    line("y = axios.post(x, y)", &[(UNKNOWN, "RequestPost")]);
    line("y = hashlib.sha256(x)", &[(UNKNOWN, "encodeSHA256")]);
    line("y = json.loads(x)", &[(UNKNOWN, "variableFromJSON")]);
    valid("addParam(\"u\", u)\nRequestGet(u, u, u, res);\nx = res.json(1)\naddResult(x)");
    valid("json = avapConnector(x)\ny = json.loads(1)\naddParam(\"x\", x)\naddResult(y)");
}

#[test]
fn rule_2_blocks() {
    let block = |body: &str, expected: &[(u32, Category, &str)]| errors(body, expected);
    block("x = 1\nif(x, 1, \"==\")\nstartLoop(i, 1, 3)\naddResult(i)\nend()\n", &[(3, SYNTAX, "endLoop()")]);
    block("x = 1\nif(x, 1, \"==\")\naddResult(x)\nendLoop()\n", &[(4, UNEXPECTED, "end()")]);
    block("x = 1\naddResult(x)\nend()\n", &[(3, UNEXPECTED, "")]);
    block("x = 1\naddResult(x)\n}\n", &[(3, UNEXPECTED, "")]);
    block("startLoop(i, 1, 3)\nif(i, 1, \"==\")\naddResult(i)\nendLoop()\nend()\n", &[(4, UNEXPECTED, "")]);
    block("startLoop(i, 1, 3)\nif(i, 1, \"==\")\naddResult(i)\nendLoop()\n", &[(2, SYNTAX, "end()")]);
    block(
        "startLoop(i, 1, 3)\nif(i, 1, \"==\")\naddResult(i)\nend()\nend()\nendLoop()\n",
        &[(5, UNEXPECTED, "")],
    );
    block("function f(a) {\nif(a, 1, \"==\")\nreturn a\n}\naddResult(f(1))\n", &[(2, SYNTAX, "end()")]);
    block("function f(a) {\nreturn a\naddResult(f(1))\n", &[(1, SYNTAX, "}")]);
    block("go_async(\"a\")\nx = 1\naddResult(x)\n", &[(1, SYNTAX, "end()")]);
    let compat = Options { server_compat: true, ..Options::default() };
    for code in ["x = 1\nif(x, 1, \"==\")\naddResult(x)\n", "x = 1\naddResult(x)\nend()\n"] {
        let parsed = parse(code, &compat);
        assert!(parsed.valid);
        assert!(parsed.diagnostics.iter().any(|d| d.severity == Severity::Warning));
    }
}

#[test]
fn rule_3_else_and_exception() {
    errors("x = 1\nelse()\naddResult(x)\n", &[(2, UNEXPECTED, "if")]);
    errors("x = 1\nif(x, 1, \"==\")\naddResult(x)\nelse()\nx = 2\nelse()\nend()\n", &[(6, UNEXPECTED, "")]);
    errors(
        "x = 1\nif(x, 1, \"==\")\nstartLoop(i, 1, 2)\nelse()\nendLoop()\nend()\naddResult(x)\n",
        &[(4, UNEXPECTED, "")],
    );
    errors(
        "x = 1\nif(x, 1, \"==\")\nstartLoop(i, 1, 2)\nx = i\nelse()\nx = 3\nend()\naddResult(x)\n",
        &[(3, SYNTAX, "endLoop")],
    );
    errors("x = 1\nexception(e)\naddResult(x)\n", &[(2, UNEXPECTED, "try()")]);
    errors("x = 1\ntry()\nx = 2\nend()\naddResult(x)\n", &[(2, UNEXPECTED, "exception")]);
    clean("try()\nx = 2\nexception(e)\nx = e\nend()\naddResult(x)\n");
    clean("try()\nx = 2\ne = exception()\nx = e\nend()\naddResult(x)\n");
}

#[test]
fn rule_4_if_arguments() {
    let good = |head: &str| errors(&format!("x = 1\nif({head})\naddResult(x)\nend()\n"), &[]);
    let bad = |head: &str, category: Category, remedy: &str| {
        errors(&format!("x = 1\nif({head})\naddResult(x)\nend()\n"), &[(2, category, remedy)]);
    };
    for head in [
        "x, 1, \"==\"",
        "x, 1, '='",
        "x, 1, ==",
        "x, 1, <=",
        "x, [1, 2], in",
        "x, \"a\", \"in\"",
        "x + 1, len(x), \">\"",
        "None, None, \"x == 1 and not x > 3\"",
        "None, None, 'x == \"a\"'",
        "None, None, `${x} > 3`",
        "x, None, \"==\"",
        "None, None, \"len(x) > 1\"",
        "$x, 1, \"!=\"",
    ] {
        good(head);
    }
    bad("x == 1", UNEXPECTED, "if(x, 1, \"==\")");
    bad("x", UNEXPECTED, "if(None, None, \"x == 1\")");
    bad("x, 1", UNEXPECTED, "if(x, 1");
    bad("x, 1, \"==\", 2", UNEXPECTED, "3 arguments");
    bad("x, 1, \"is\"", UNEXPECTED, "comparator");
    bad("x, 1, y", UNEXPECTED, "comparator");
    bad("None, x, \"x == 1\"", UNEXPECTED, "None, None");
    bad("None, None, x", UNEXPECTED, "text");
    bad("None, None, \"x ==\"", UNEXPECTED, "");
    bad("None, None, \"x == 1 && x\"", UNKNOWN, "and");
    bad("None, None, \"x = 1\"", UNEXPECTED, "==");
    bad("None, None, \"foo(x) == 1\"", UNKNOWN, "foo");
    bad("None, None, \"\"", UNEXPECTED, "");
    bad("x, 1, ===", UNKNOWN, "==");
    warns("x = 1\nif(None, None, \"==\")\naddResult(x)\nend()\n", &[2]);
}

#[test]
fn rule_5_arity_and_targets() {
    line("addVar(x)", &[(UNEXPECTED, "2 arguments")]);
    line("addVar(x, 1, 2)", &[(UNEXPECTED, "2 arguments")]);
    line("addVar(10, x)", &[(UNEXPECTED, "addVar(x, 10)")]);
    line("addVar($x, 1)", &[(UNEXPECTED, "x")]);
    line("addVar(x + 1, 1)", &[(UNEXPECTED, "target")]);
    line("addVar(x[0], 1)", &[(UNEXPECTED, "target")]);
    line("addVar(\"x\", 1)", &[]);
    line("addVar(\"not a name\", 1)", &[(UNEXPECTED, "target")]);
    line("addParam(\"a\", \"b\")", &[]);
    line("addParam(\"a\", )", &[(UNEXPECTED, "comma")]);
    line("addVar(, 1)", &[(UNEXPECTED, "target")]);
    line("encodeSHA256(x, 5)", &[(UNEXPECTED, "target")]);
    line("y = encodeSHA256(x)", &[]);
    line("y = encodeSHA256(x, y)", &[]);
    line("y = encodeSHA256()", &[(UNEXPECTED, "encodeSHA256(source, target)")]);
    line("y = getTimeStamp()", &[(UNEXPECTED, "getDateTime")]);
    line("replace(x, \"a\", \"b\", y)", &[]);
    line("y = replace(x, \"a\", \"b\")", &[]);
    line("y = getQueryParamList()", &[]);
    line("registerEndpoint(\"/a\", \"GET\", [], \"d\", x, y)", &[]);
    line("registerEndpoint(\"/a\", \"PATCH\", [], \"d\", x, y)", &[(UNEXPECTED, "DELETE")]);
    line("registerEndpoint(\"/a\", \"GET\")", &[(UNEXPECTED, "6 arguments")]);
    line("RequestGet(x, y, x, y, 5)", &[(UNEXPECTED, "4 arguments")]);
    warns("randomString(16, x)\naddResult(x)", &[1]);
    clean("randomString(\"[a-z]\", 16, x)\ny = randomString(\"[a-z]\", 16)\naddResult(x)\naddResult(y)");
    warns("y = randomString(16)\naddResult(y)", &[1]);
    let mut options = Options::default();
    options.profiles.insert(Profile::Hypothesis);
    assert!(parse("u = 1\nRequestGet(u, u, u, r, 5)\naddResult(r)", &options).valid);
    assert!(parse("include \"a.avap\"\nimport <b>\nu = 1\naddResult(u)", &options).valid);
}

#[test]
fn rule_6_assignment_targets() {
    for bad in ["a, b = 1, 2", "x[0] = 1", "x.y = 1", "x = y = 1", "$x = 1", "\"x\" = 1", "5 = x"] {
        line(bad, &[(UNEXPECTED, "")]);
    }
    for keyword in ["if", "end", "None", "and", "function", "gather", "return"] {
        line(&format!("{keyword} = 1"), &[(UNEXPECTED, "keyword")]);
    }
    line("x =", &[(UNEXPECTED, "value")]);
    line("x = end()", &[(UNEXPECTED, "end")]);
    line("x = startLoop(i, 1, 2)", &[(UNEXPECTED, "startLoop")]);
    warns("x = 1\ny = addResult(x)\naddResult(y)", &[2]);
}

#[test]
fn rule_7_functions() {
    clean("function add(a, b) {\nreturn a + b\n} // done\nx = add(1, 2)\naddResult(x)");
    clean("function f() {\nx = 1\nreturn(x)\n}\nf()\ny = f()\naddResult(y)");
    errors(
        "function f(a) {\nfunction g(b) {\nreturn b\n}\nreturn a\n}\naddResult(f(1))",
        &[(2, UNEXPECTED, "outside")],
    );
    errors(
        "x = 1\nif(x, 1, \"==\")\nfunction g(b) {\nreturn b\n}\nend()\naddResult(x)",
        &[(3, UNEXPECTED, "outside")],
    );
    errors("function f(a) {\nreturn a\nfunction g(b) {\nreturn b\n}\naddResult(f(1))", &[(1, SYNTAX, "}")]);
    errors("function f(a)\n{\nreturn a\n}\naddResult(f(1))", &[(1, UNEXPECTED, "{")]);
    errors("function f(a)\nreturn a\n}\naddResult(f(1))", &[(1, UNEXPECTED, "{")]);
    errors("function f(a) { return a }\naddResult(f(1))", &[(1, UNEXPECTED, "own")]);
    errors("function f(a, a) {\nreturn a\n}\naddResult(f(1, 2))", &[(1, UNEXPECTED, "exists already")]);
    errors(
        "function f(a) {\nreturn a\n}\nfunction f(b) {\nreturn b\n}\naddResult(f(1))",
        &[(4, UNEXPECTED, "exists already")],
    );
    errors("function f(a = 1) {\nreturn a\n}\naddResult(f(1))", &[(1, UNEXPECTED, "plain names")]);
    errors("function end(a) {\nreturn a\n}\nx = 1\naddResult(x)", &[(1, UNEXPECTED, "keyword")]);
    errors("function f(if) {\nx = 1\n}\nx = 1\naddResult(x)", &[(1, UNEXPECTED, "keyword")]);
    errors("function f(a) {\nreturn a }\naddResult(f(1))", &[(2, UNEXPECTED, "alone")]);
    errors("function f(a) {\nreturn a\n} addResult(f(1))", &[(3, UNEXPECTED, "alone")]);
    errors("function f(a) {\nreturn a\n}\naddResult(f(1, 2))", &[(4, UNEXPECTED, "1 argument")]);
    errors("function f(a) {\nreturn a\n}\nx = f()\naddResult(x)", &[(4, UNEXPECTED, "1 argument")]);
    warns("x = 1\nreturn x\naddResult(x)", &[2]);
    warns("function f(a) {\nreturn a\n};\naddResult(f(1))", &[3]);
    warns("function replace(a) {\nreturn a\n}\nx = replace(1)\naddResult(x)", &[1]);
}

#[test]
fn missing_output_is_reported_only_in_programs_with_input() {
    let codes = |code: &str| -> Vec<String> {
        parse(code, &Options::default()).diagnostics.iter().map(|found| found.code.clone()).collect()
    };
    let go = "package main\n\nimport \"fmt\"\n\nfunc main() {\n\tx := 1\n\tfmt.Println(x)\n}\n";
    assert_eq!(codes(go), ["AVAP014"]);
    assert_eq!(codes("x = 1"), ["AVAP043"]);
    assert_eq!(codes("// nothing yet"), ["AVAP043"]);
}

#[test]
fn what_a_number_is_made_of_carries_no_text() {
    let codes = |made: &str| -> Vec<String> {
        let code = format!(
            "addParam(\"a\", a)\naddParam(\"b\", b)\normDirect(\"SELECT \" + {made}, r)\naddResult(r)"
        );
        parse(&code, &Options::default()).diagnostics.iter().map(|found| found.code.clone()).collect()
    };
    assert_eq!(codes("a"), ["AVAP050"]);
    assert_eq!(codes("int(len(a) + b)"), [] as [&str; 0]);
    assert_eq!(codes("int(len(a)) + b"), ["AVAP050"]);
}

#[test]
fn conditions_of_other_languages_keep_their_parentheses_and_words() {
    let suggested = |line: &str| -> String {
        let code = format!("{line}\nx = 1\n}}\naddResult(x)");
        let found = parse(&code, &Options::default()).diagnostics;
        found[0].suggestion.clone().unwrap_or_default()
    };
    assert_eq!(suggested("if (y) && (z) {"), "if(None, None, \"(y) and (z)\")");
    assert_eq!(suggested("if (a||b) {"), "if(None, None, \"a or b\")");
    assert_eq!(suggested("if ((a > 1)) {"), "if(a, 1, \">\")");
}

#[test]
fn comment_over_lines_in_a_header_is_no_parameter() {
    clean("function f(/* a\nb */){\nreturn 1\n}\nx = f()\naddResult(x)");
    clean("function f(a /* a\nb */, b){\nreturn a\n}\nx = f(1, 2)\naddResult(x)");
}

#[test]
fn rule_8_loops() {
    clean("startLoop(i, 1, 5)\nx = i\nendLoop()\naddResult(x)");
    line("startLoop(i, 1, 5, 2)", &[(UNEXPECTED, "step")]);
    line("break", &[(FOREIGN, "no break")]);
    line("continue", &[(FOREIGN, "no break")]);
    warns("getQueryParamList(l)\ngetListLen(l, n)\nstartLoop(i, 0, n)\nx = i\nendLoop()\naddResult(x)", &[3]);
    warns("getQueryParamList(l)\nstartLoop(i, 0, len(l))\nx = i\nendLoop()\naddResult(x)", &[2]);
    clean("getQueryParamList(l)\nn = getListLen(l)\nstartLoop(i, 0, n - 1)\nx = i\nendLoop()\naddResult(x)");
    let parsed = parse("startLoop(\"i\", 1, 2)\naddResult(i)\nendLoop()", &Options::default());
    assert!(parsed.valid && parsed.diagnostics.iter().any(|d| d.severity == Severity::Hint && d.line == 1));
}

#[test]
fn rules_9_to_12() {
    warns("addVar(x, name)\naddResult(x)", &[1]);
    warns("x = 1\ny = x + other\naddResult(y)", &[2]);
    warns("addResult(x)", &[1]);
    clean("addResult(x)\naddVar(x, 1)");
    warns("function f(a) {\nreturn a\n}\nx = a\naddResult(x)", &[4]);
    warns("x = 1", &[1]);
    warns("", &[1]);
    warns("// only a comment\n\n", &[1]);
    clean("registerEndpoint(\"/a\", \"GET\", [], \"d\", main, out)\nfunction main() {\nout = 1\n}");
    for status in ["99", "600", "-1", "\"abc\"", "200.5"] {
        warns(&format!("_status = {status}\nx = 1\naddResult(x)"), &[1]);
    }
    clean("addVar(_status, 404)\nx = 1\naddResult(x)");
    warns("__CONECTOR__ = 1\nx = 1\naddResult(x)", &[1]);
    warns("x = 1\ngather(\"a\", 5)\naddResult(x)", &[2]);
    clean("go_async(\"a\")\nx = 1\nend()\ngather(\"a\", 5)\naddResult(x)");
    warns("x = \"a\"\nx.run(1)\naddResult(x)", &[2]);
    warns("db.query(\"a\")\nx = 1\naddResult(x)", &[1]);
    let parsed = parse("c = avapConnector(\"token\")\nx = c.query(\"a\")\naddResult(x)", &Options::default());
    assert!(parsed.valid && parsed.diagnostics.iter().all(|d| d.severity == Severity::Hint));
    assert_eq!(parsed.diagnostics.len(), 1);
}

#[test]
fn rule_13_brackets() {
    line("addVar(x, (1 + 2)", &[(SYNTAX, "")]);
    line("addVar(x, 1", &[(SYNTAX, "")]);
    line("addVar(x, 1))", &[(SYNTAX, "")]);
    line("addVar(x, [1, 2)", &[(SYNTAX, "")]);
    line("x = [1, 2", &[(SYNTAX, "")]);
    line("addVar(x,\n  1\n)", &[(SYNTAX, "")]);
    line("x = {\n\"a\": 1,\n\"b\": [1,\n2]\n}", &[(SYNTAX, "")]);
    line("addVar(x, \"first\nsecond\")", &[(SYNTAX, "")]);
    errors("x = 1\nif(x, 1, \"==\"\naddResult(x)\nend()", &[(2, SYNTAX, "")]);
    errors("function f(a) {\nx = (1\n}\naddResult(f(1))", &[(2, SYNTAX, "")]);
}

#[test]
fn rule_14_arguments() {
    warns("function f(a, b, c) {\nreturn a\n}\nx = f(1, , 2)\naddResult(x)", &[4]);
    line("addVar(x, 1,)", &[(UNEXPECTED, "comma")]);
    line("y = [1, 2,]", &[(UNEXPECTED, "comma")]);
}

#[test]
fn rule_15_injection_and_tokens() {
    warns(
        "addParam(\"id\", id)\nq = \"SELECT a FROM t WHERE id = \" + id\normDirect(q, r)\naddResult(r)",
        &[3],
    );
    warns("addParam(\"id\", id)\normDirect(`SELECT a FROM t WHERE id = ${id}`, r)\naddResult(r)", &[2]);
    warns("addParam(\"id\", id)\nr = ormDirect(\"SELECT \" + id)\naddResult(r)", &[2]);
    warns(
        "addParam(\"id\", id)\nfunction sql(a) {\nreturn \"SELECT \" + a\n}\nq = sql(id)\normDirect(q, r)\naddResult(r)",
        &[6],
    );
    clean(
        "addParam(\"id\", id)\nn = int(id)\nq = \"SELECT a FROM t WHERE id = \" + str(n)\normDirect(q, r)\naddResult(r)\naddResult(id)",
    );
    clean("ormDirect(\"SELECT a FROM t\", r)\naddResult(r)");
}

#[test]
fn statements_on_one_line() {
    line("addVar(x, 1); addVar(y, 2)", &[(UNEXPECTED, "")]);
    line("addVar(x, 1) addVar(y, 2)", &[(UNEXPECTED, "")]);
    line("addVar(x, 1);;", &[(UNEXPECTED, "")]);
    line(";", &[(UNEXPECTED, "")]);
    warns("addVar(x, 1);\naddResult(x)", &[1]);
    line("x", &[(UNEXPECTED, "")]);
    line("\"text\"", &[(UNEXPECTED, "")]);
    line("x == 1", &[(UNEXPECTED, "")]);
    line("addVar x, 1", &[(UNEXPECTED, "addVar(target, value)")]);
    line("this is prose", &[(UNKNOWN, "")]);
    clean("addVar (x, 1)\n\taddResult  ( x )");
    line("import \"os\"", &[(UNEXPECTED, "hypothesis")]);
    line("include \"a.avap\"", &[(UNEXPECTED, "hypothesis")]);
}

// === other languages ===

#[test]
fn foreign_forms_of_single_lines() {
    for (statement, remedy) in [
        ("let z = 5", "addVar(z, 5)"),
        ("var z = 5", "z = 5"),
        ("const z = 5;", "z = 5"),
        ("int z = 5;", "z = 5"),
        ("String z = \"a\"", "z = \"a\""),
        ("z: int = 5", "z = 5"),
        ("for i in range(3):", "startLoop(i, 0, 2)"),
        ("for (let i = 0; i < 3; i++) {", "startLoop(i, 0, 2)"),
        ("for(i, 1, 5)", "startLoop"),
        ("foreach (x as y) {", "startLoop"),
        ("while x < 3:", "startLoop"),
        ("while(x, 3, \"<\")", "startLoop"),
        ("def f(a):", "function f(a){"),
        ("func f(a int) int {", "function f(a){"),
        ("fn f(a: i32) -> i32 {", "function f(a){"),
        ("if x > 3:", "if(x, 3, \">\")"),
        ("if x > 3: addResult(x)", "if(x, 3, \">\")"),
        ("if (x === 3) {", "if(x, 3, \"==\")"),
        ("unless(x)", "if(None, None, \"not x\")"),
        ("unless x > 3", "if(None, None, \"not (x > 3)\")"),
        ("import os", ""),
        ("from a import b", ""),
        ("class A:", "function"),
        ("switch (x) {", "if("),
        ("throw new Error(x)", "_status"),
        ("raise ValueError(x)", "_status"),
        ("print x", "addResult"),
        ("echo $x;", "addResult"),
        ("y = new Foo()", ""),
        ("y = lambda a: a", "function"),
        ("y = (a) => a", "function"),
        ("y = [a for a in x]", "startLoop"),
        ("y = x is None", "=="),
        ("y = await f(x)", ""),
        ("y = go f(x)", "go_async"),
        ("SELECT a FROM b WHERE c = 1", "ormDirect"),
        ("#include <stdio.h>", ""),
        ("export A=1", ""),
        ("pass", ""),
    ] {
        line(statement, &[(FOREIGN, remedy)]);
    }
}

#[test]
fn foreign_branches_inside_avap_blocks() {
    let inside = |branch: &str, expected: &[(u32, Category, &str)]| {
        errors(&format!("x = 1\nif(x, 1, \"==\")\ny = 1\n{branch}\ny = 2\nend()\naddResult(y)"), expected);
    };
    inside("else()", &[]);
    inside("elif(x, 2, \"==\")", &[(4, FOREIGN, "else()")]);
    inside("elif x == 2:", &[(4, FOREIGN, "else()")]);
    inside("else if (x == 2) {", &[(4, FOREIGN, "else()")]);
    inside("else {", &[(4, FOREIGN, "else()")]);
    inside("else:", &[(4, FOREIGN, "else()")]);
    inside("else", &[(4, UNEXPECTED, "else()")]);
    inside("Else()", &[(4, UNKNOWN, "else")]);
    errors("x = 1\nif(x, 1, \"==\")\naddResult(x)\nend", &[(4, UNEXPECTED, "end()")]);
    errors("x = 1\nif(x, 1, \"==\")\naddResult(x)\nendif()", &[(4, UNKNOWN, "end")]);
    errors("startLoop(i, 1, 2)\naddResult(i)\nendFor()", &[(3, UNKNOWN, "endLoop")]);
    errors("startlop(i, 1, 2)\naddResult(i)\nendLoop()", &[(1, UNKNOWN, "startLoop")]);
    errors("try()\nx = 1\ncatch(e)\nx = e\nend()\naddResult(x)", &[(3, FOREIGN, "exception(e)")]);
    errors(
        "try()\nx = 1\nexcept Exception as e:\nx = e\nend()\naddResult(x)",
        &[(3, FOREIGN, "exception(e)")],
    );
    errors("x = 1\nif x > 3:\naddResult(x)\nend()", &[(2, FOREIGN, "if(x, 3, \">\")")]);
    errors("x = 1\nif x > 3:\naddResult(x)", &[(2, FOREIGN, "if(x, 3, \">\")")]);
    errors("x = 1\nif(x == 3)\naddResult(x)\nend()", &[(2, UNEXPECTED, "if(x, 3, \"==\")")]);
    errors(
        "x = 1\nif(x, 1, \"==\")\nfor i in range(3):\nx = i\nend()\naddResult(x)",
        &[(3, FOREIGN, "startLoop")],
    );
    errors("x = 1\nif(x, 1, \"==\") {\naddResult(x)\n}", &[(2, UNEXPECTED, "end()")]);
}

fn wholly(code: &str, line: u32, language: &str) {
    errors(code, &[(line, FOREIGN, language)]);
}

#[test]
fn whole_blocks_of_other_languages_get_one_leading_diagnostic() {
    wholly("package main\n\nimport \"fmt\"\n\nfunc main() {\n\tx := 5\n\tfmt.Println(x)\n}\n", 1, "Go");
    wholly(
        "import hashlib\n\ndef digest(text):\n    h = hashlib.sha256(text.encode())\n    return h.hexdigest()\n\nprint(digest(\"a\"))\n",
        1,
        "Python",
    );
    wholly("const x = 5;\nlet y = x + 1;\nif (y > 3) {\n  console.log(y);\n}\n", 1, "JavaScript");
    wholly(
        "interface A {\n  name: string;\n}\nconst x: number = 5;\nconst f = (a: string): void => {\n  console.log(a);\n};\n",
        1,
        "TypeScript",
    );
    wholly("<?php\n$x = $_GET['a'];\necho hash('sha256', $x);\n?>\n", 1, "PHP");
    wholly(
        "public class Main {\n  public static void main(String[] args) {\n    System.out.println(\"a\");\n  }\n}\n",
        1,
        "Java",
    );
    wholly("#include <stdio.h>\nint main() {\n  printf(\"a\");\n  return 0;\n}\n", 1, "C");
    wholly("fn main() {\n    let mut x = 5;\n    println!(\"{}\", x);\n}\n", 1, "Rust");
    wholly("SELECT a, b\nFROM t\nWHERE a = 1\nORDER BY b;\n", 1, "SQL");
    wholly("#!/bin/bash\nexport A=1\nif [ -z \"$A\" ]; then\n  echo \"a\"\nfi\n", 1, "shell");
}

#[test]
fn block_of_another_language_holds_lines_that_avap_could_hold() {
    wholly(
        "with open(\"a.txt\") as f:\n    data = f.read()\n    for line in data:\n        print(line)\n",
        1,
        "Python",
    );
    wholly("import requests\nr = requests.get(\"u\")\ndata = r.json()\nprint(data[\"name\"])\n", 1, "Python");
    wholly("let total = 0;\nitems.forEach(item => {\n  total += item.price;\n});\n", 1, "JavaScript");
    wholly("char *s = malloc(10);\nstrcpy(s, \"abc\");\nfree(s);\n", 1, "C");
    wholly("if [ -f a.txt ]; then\n  echo \"found\"\nelse\n  echo \"no\"\nfi\n", 1, "shell");
    wholly(
        "squares = [n * n for n in numbers]\ntotal = sum(squares)\nprint(f\"Total: {total}\")\n",
        1,
        "Python",
    );
    wholly(
        "addParam(\"n\", n)\ndef fact(n):\n    if n <= 1:\n        return 1\n    return n * fact(n - 1)\naddResult(n)\n",
        2,
        "Python",
    );
    // A closer of AVAP behind them tells that the lines were meant as AVAP.
    errors(
        "def f(a):\n    if a > 3:\n        b = 1\n    end()\n    return a\n}\naddResult(f(1))\n",
        &[(1, FOREIGN, "function f(a){"), (2, FOREIGN, "if(a, 3")],
    );
}

#[test]
fn foreign_block_inside_a_program() {
    wholly(
        "addParam(\"a\", a)\nfunc main() {\n  x := 5\n  fmt.Println(x)\n}\nencodeSHA256(a, h)\naddResult(h)\n",
        2,
        "Go",
    );
    wholly("addVar(a, 1)\nfunc main() {\n  x := 5\n  fmt.Println(x)\naddResult(a)\n}\n", 2, "Go");
    errors(
        "getSHA256(a, b)\ngetMD5(a, c)\nreadParam(\"a\", a)\naddResult(a)",
        &[(1, UNKNOWN, "encodeSHA256"), (2, UNKNOWN, "encodeMD5"), (3, UNKNOWN, "addParam")],
    );
}

#[test]
fn mistakes_are_told_once_each_and_lines_recover() {
    errors(
        "addParam(\"a\", a)\ngetSHA256(a, h)\nif(a, 1, \"==\")\naddVar(10, x)\nelse()\naddVar(y, \"open)\nend()\naddResult(h)\n",
        &[(2, UNKNOWN, "encodeSHA256"), (4, UNEXPECTED, "addVar(x, 10)"), (6, SYNTAX, "")],
    );
}

#[test]
fn one_mistake_hides_what_follows_from_it() {
    line("x = 'it's'", &[(SYNTAX, "close it")]);
    line("x = {\"a\": 1, \"b\": [1, 2}", &[(SYNTAX, "order")]);
    line("x = 1; if(x, 1, \"==\"); addResult(x); end()", &[(UNEXPECTED, "each line")]);
    line("addVar(name \"Ana\")", &[(UNEXPECTED, "")]);
    line("x = f\"hello {y}\"", &[(FOREIGN, "back-quotes")]);
    line("x = await fetch(\"u\")", &[(FOREIGN, "RequestGet")]);
    line("x = new Date()", &[(FOREIGN, "getDateTime")]);
    errors("function f {\nreturn 1\n}\naddResult(f())", &[(1, UNEXPECTED, "parentheses")]);
    errors("function f(a, b,) {\nreturn a\n}\naddResult(f(1, 2))", &[(1, UNEXPECTED, "comma")]);
    errors("x = 4\nif x > 3\naddResult(x)\nend()", &[(2, UNEXPECTED, "if(x, 3, \">\")")]);
}

#[test]
fn bare_word_that_means_a_block_takes_its_closer_along() {
    errors("loop i from 1 to 5\nx = i\nendLoop()\naddResult(x)", &[(1, UNKNOWN, "startLoop")]);
    errors("x = 1\nloop over the items\naddResult(x)", &[(2, UNKNOWN, "startLoop")]);
}

#[test]
fn only_runs_with_marks_of_a_language_become_foreign() {
    wholly("name = input(\"Name: \")\nprint(\"Hello \" + name)\nprint(\"Bye\")\n", 1, "Python");
    errors(
        "# a\n# b\n# c\nx = 1\naddResult(x)",
        &[(1, UNKNOWN, "//"), (2, UNKNOWN, "//"), (3, UNKNOWN, "//")],
    );
    errors(
        "addVar(1, x)\ngetSHA256(x, y);\naddParam(x);\naddResult(x)",
        &[
            (1, UNEXPECTED, "addVar(x, 1)"),
            (2, UNKNOWN, "encodeSHA256"),
            (3, UNEXPECTED, "addParam(name, target)"),
        ],
    );
}

#[test]
fn failed_headers_still_name_their_functions() {
    for header in [
        "async function f(a) {",
        "function f(a): int {",
        "function f(a) -> int {",
        "def f(a):",
        "f = (a) => {",
        "func f(a int) int {",
    ] {
        let code = format!("{header}\nreturn a\n}}\nx = f(1)\naddResult(x)\n");
        let parsed = parse(&code, &Options::default());
        let found: Vec<u32> = of(&parsed.diagnostics, Severity::Error).iter().map(|d| d.line).collect();
        assert_eq!(found, [1], "{code}\n{:#?}", show(&parsed.diagnostics));
    }
}
