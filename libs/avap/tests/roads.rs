//! The short road for regular programs says exactly what the full road says, or declines: over the pool, over the pool
//! with pieces dropped, doubled, swapped and put in, and over heaps of lines and tokens. Programs of the pool take it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use assay_avap::{Options, Profile, examples, explanations, is_regular, parse, parse_in_full};
use proptest::prelude::*;

/// Of 100 programs of the pool, those that must take the short road.
const WANTED: usize = 99;

fn options() -> Vec<Options> {
    let mut hypothesis = Options::default();
    hypothesis.profiles.insert(Profile::Hypothesis);
    let core = Options { server_compat: true, profiles: [Profile::Core].into() };
    vec![Options::default(), hypothesis, core]
}

fn same(code: &str) {
    same_with(code, &options());
}

fn same_with(code: &str, options: &[Options]) {
    for options in options {
        let (short, full) = (parse(code, options), parse_in_full(code, options));
        // Piece by piece, because whole trees are long to read.
        assert_eq!(short.diagnostics, full.diagnostics, "{code:?}");
        for (left, right) in short.tree.statements.iter().zip(&full.tree.statements) {
            assert_eq!(left, right, "{code:?}");
        }
        for (left, right) in short.tree.expressions.iter().zip(&full.tree.expressions) {
            assert_eq!(left, right, "{code:?}");
        }
        assert_eq!(short, full, "{code:?}");
    }
}

/// The pieces of a text that mutations work on: words, numbers, symbols, stretches of white space, line ends.
fn pieces(code: &str) -> Vec<&str> {
    let class = |c: char| match c {
        'a'..='z' | 'A'..='Z' | '_' | '0'..='9' => 0,
        ' ' | '\t' => 1,
        _ => 2,
    };
    let mut out = Vec::new();
    let mut start = 0;
    let mut last = None;
    for (at, c) in code.char_indices() {
        if last.is_some_and(|last| last != class(c) || last == 2) {
            out.push(&code[start..at]);
            start = at;
        }
        last = Some(class(c));
    }
    out.push(&code[start..]);
    out
}

/// Pieces that are put in.
const ODD: &[&str] = &[
    "x",
    "total",
    "1",
    "0",
    "007",
    "1.5",
    "99999999999999999999",
    "\"t\"",
    "'u'",
    "`a ${x}`",
    "`${ x }`",
    "`${if}`",
    "$x",
    "$",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ":",
    ".",
    ";",
    "=",
    "==",
    "!=",
    "<=",
    "+",
    "-",
    "--",
    "*",
    "/",
    "%",
    "//",
    "/*",
    "*/",
    "/* c */",
    "/* a\n b */",
    "// c",
    "\n",
    "\r\n",
    "\r",
    " ",
    "\t",
    "\\",
    "\u{a0}",
    "é",
    "\0",
    "\u{feff}",
    "not",
    "and",
    "or",
    "in",
    "not in",
    "if",
    "else",
    "None",
    "True",
    "true",
    "false",
    "null",
    "return",
    "function",
    "function f(a, b) {",
    "function f(a) {\n  return a\n}",
    "f(1)",
    "f(1, 2)",
    "end()",
    "else()",
    "endLoop()",
    "try()",
    "exception(e)",
    "exception()",
    "exception(\"e\")",
    "e = exception()",
    "startLoop(i, 0, n)",
    "startLoop(i, 0, len(x))",
    "startLoop(\"i\", 1, 3)",
    "getListLen(x, n)",
    "n = len(x)",
    "addVar(n, len(x))",
    "if(x, 1, \"==\")",
    "if(x, 1, ==)",
    "if(x, y, in)",
    "if(None, None, \"x == 1\")",
    "if(None, None, `x == ${y}`)",
    "if(None, None, \"f(x) > 1\")",
    "if(None, None, \"==\")",
    "if(None, None, 'x == \\'a\\'')",
    "if(None, None, \"x // y\")",
    "go_async(\"job\")",
    "go_async(job)",
    "gather(\"job\", 5)",
    "ok = gather(\"job\", 5)",
    "x = gather(\"job\", 5) + 1",
    "c = avapConnector(\"token\")",
    "c.query(x)",
    "x = c.query(x).rows[0]",
    "console.log(x)",
    "addParam(\"q\", x)",
    "addParam(\"q\", \"x\")",
    "ormDirect(x, y)",
    "ormDirect(\"SELECT \" + x, y)",
    "y = ormDirect(x)",
    "_status = 404",
    "_status = 99",
    "addVar(_status, 700)",
    "_status = x",
    "__CONECTOR__ = 1",
    "addVar(10, x)",
    "addVar($x, 1)",
    "addResult(x)",
    "addResult(missing)",
    "x = randomString(\"[a-z]\", 8)",
    "randomString(8, x)",
    "RequestGet(u, {}, {}, r, 30)",
    "r = RequestGet(u, {}, {})",
    "ormAccessSelect(\"a\", \"t\", \"s\", rows)",
    "ormCreateTable(\"a\", \"b\", \"c\", d)",
    "registerEndpoint(\"/a\", \"GET\", [], \"d\", f, r)",
    "registerEndpoint(\"/a\", \"GRAB\", [], \"d\", f, r)",
    "x = str(1) + \"a\"",
    "str(1)",
    "x = str(1, 2)",
    "x = encodeSHA256(x)",
    "x = encodeSHA256(x) + 1",
    "x = f(1)(2)",
    "x = 1 if a else 2",
    "x = 1 if a if b else 2 else 3",
    "x = [1, 2,]",
    "x = {\"a\": 1, b: [2]}",
    "x = {1}",
    "x = ()",
    "x = (1, 2)",
    "x = a < b < c",
    "x = not a == b",
    "x = a + not b",
    "x = - -1",
    "x = f()",
    "x = f(,)",
    "return",
    "return ()",
    "return (1)",
    "return x.y",
    "include \"a\"",
    "import <a>",
    "x = a.b.c[1](2)",
    "x = \"a\"\"b\"",
    "x = \"\"\"a\"\"\"",
    "x = \"\"",
    "x = 'a\\'b'",
    "x = \"a\\",
    "x = null",
    "x = null(1)",
    "x = os.environ",
    "x = document.title",
];

/// Lines through which request parameters flow, or do not.
const FLOWS: &[&str] = &[
    "addParam(\"q\", a)",
    "getQueryParamList(b)",
    "a = b",
    "b = a + \"x\"",
    "c = f(a)",
    "c = f(a) + b",
    "f(b)",
    "a = g(1)",
    "addVar(c, b)",
    "addVar(b, `${a}`)",
    "c = int(a)",
    "c = \"x\" + int(a)",
    "encodeSHA256(a, b)",
    "replace(a, \"x\", b, c)",
    "AddvariableToJSON(\"k\", a, b)",
    "ormDirect(a, r)",
    "ormDirect(\"SELECT \" + b, r)",
    "r = ormDirect(c)",
    "ormDirect(\"SELECT \" + f(b), r)",
    "ormDirect(\"SELECT \" + g(1), r)",
    "ormDirect(\"SELECT 1\", \"a\")",
    "b = r",
    "r = c.query(a)",
    "variableToList(a, \"b\")",
    "gather(a, 1)",
    "gather(\"j\", 1)",
    "c = gather(\"j\", 1)",
    "go_async(a)\nend()",
    "go_async(\"j\")\nb = a\nend()",
    "function f(p) {\nreturn p\n}",
    "function f(p) {\nb = p\nreturn 1\n}",
    "function f(p) {\nreturn int(p)\n}",
    "function f(p) {\nreturn a\n}",
    "function g(x) {\nreturn f(a)\n}",
    "function g(b) {\nreturn b\n}",
    "function g(x) {\nf(a)\nreturn b\n}",
    "startLoop(a, 0, b)\nendLoop()",
    "getListLen(a, b)",
    "c.x(b)",
    "a = 1",
    "b = \"t\"",
    "c = avapConnector(a)",
    "_status = 404",
    "x = missing",
];

#[test]
fn pool_takes_the_short_road_and_reads_the_same() {
    let pool = examples();
    let regular = pool.iter().filter(|example| is_regular(example.code, &Options::default())).count();
    let odd: Vec<&str> = pool
        .iter()
        .filter(|example| !is_regular(example.code, &Options::default()))
        .map(|example| example.id)
        .collect();
    assert!(regular * 100 >= pool.len() * WANTED, "{regular} of {}: {odd:?}", pool.len());
    pool.iter().for_each(|example| same(example.code));
}

#[test]
fn programs_of_the_explanations_read_the_same() {
    for explanation in explanations() {
        same(&explanation.bad);
        same(&explanation.good);
    }
}

#[test]
fn odd_pieces_alone_and_in_company_read_the_same() {
    let plain = [Options::default()];
    for piece in ODD {
        same(piece);
        same(&format!("x = 1\n{piece}\naddResult(x)\n"));
        same(&format!("addVar(x, 1)\nfunction f(a) {{\n{piece}\n}}\naddResult(x)"));
        same(&format!("y = {piece} // c\naddResult(y)"));
        same(&format!("y = f({piece}, [1, {piece}])\naddResult(y)"));
        same(&format!("if(x, {piece}, \"==\")\naddResult({piece})\nend()"));
        same(&format!("if(None, None, \"{piece}\")\nend()"));
        same(&format!("if(None, None, '{piece} + 1 == x')\nelse()\nend()"));
        same(&format!("addVar({piece}, {piece})"));
        same(&format!("{piece};\n{piece} /* c */\n/* c */ {piece}"));
        for other in ODD {
            same_with(&format!("{piece}\n{other}\ny = {piece}{other}"), &plain);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn changed_programs_read_the_same(
        program in any::<prop::sample::Index>(),
        changes in prop::collection::vec(
            (any::<prop::sample::Index>(), 0..4_usize, any::<prop::sample::Index>()), 1..4),
    ) {
        let pool = examples();
        let mut changed: Vec<String> =
            pieces(program.get(&pool).code).into_iter().map(str::to_owned).collect();
        for (place, change, other) in changes {
            let at = place.index(changed.len());
            match change {
                0 => changed[at].clear(),
                1 => changed.insert(at, (*other.get(ODD)).to_owned()),
                2 => changed[at] = (*other.get(ODD)).to_owned(),
                _ => {
                    let with = other.index(changed.len());
                    changed.swap(at, with);
                }
            }
        }
        same(&changed.concat());
    }

    #[test]
    fn heaps_of_lines_read_the_same(lines in prop::collection::vec(prop::sample::select(ODD), 0..12)) {
        same(&lines.join("\n"));
    }

    #[test]
    fn heaps_of_flows_read_the_same(lines in prop::collection::vec(prop::sample::select(FLOWS), 0..10)) {
        let whole = format!("addParam(\"q\", a)\nb = 1\nc = avapConnector(b)\nr = 1\n{}\naddResult(a)", lines.join("\n"));
        same_with(&whole, &[Options::default()]);
    }

    #[test]
    fn heaps_of_tokens_read_the_same(tokens in prop::collection::vec(prop::sample::select(ODD), 0..12)) {
        same(&tokens.concat());
        same(&tokens.join(" "));
    }
}
