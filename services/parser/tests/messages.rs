//! Typical mistakes in every language: one finding each, at the place where a person would look, in words that say what
//! is missing or may not stand there.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use assay_domain::code::Severity;
use assay_parser::languages::{AvapOptions, Outcome, parse};

/// Language, program, line, column, and a part of the message that must be there.
type Case = (&'static str, &'static str, u32, u32, &'static str);

const CASES: &[Case] = &[
    ("python", "def f(a, b:\n    return a\n", 1, 6, "'(' is not closed, after 'def f'"),
    ("python", "x = [1, 2\ny = 3\n", 1, 5, "'[' is not closed, after 'x ='"),
    ("python", "print('a)\n", 1, 7, "the text that begins with ' is not closed: a ' is missing"),
    (
        "python",
        "if x = 1:\n    pass\n",
        1,
        6,
        "'=' assigns and cannot stand in a condition; compare with '=='",
    ),
    ("python", "for i in range(3)\n    print(i)\n", 1, 18, "':' is missing after 'for i in range(3)'"),
    ("python", "def f(x)\n    return x\n", 1, 9, "':' is missing after 'def f(x)'"),
    ("python", "x = f(1 2)\n", 1, 9, "',' is missing before '2', after 'x = f(1'"),
    ("python", "x = {1: 2, 3}\n", 1, 12, "'3' cannot stand here in Python, after 'x = {1: 2,'"),
    ("python", "class A\n    pass\n", 1, 8, "':' is missing after 'class A'"),
    ("python", "x = 5 +\n", 1, 8, "something is missing after 'x = 5 +'"),
    ("python", "import\n", 1, 7, "something is missing after 'import'"),
    ("python", "x++\n", 1, 4, "something is missing after 'x++'"),
    ("python", "else:\n    pass\n", 1, 1, "'else' has no 'if', loop or 'try' before it at its indentation"),
    ("python", "from a import\n", 1, 14, "something is missing after 'from a import'"),
    ("python", "while True print(1)\n", 1, 20, "':' is missing after 'while True print(1)'"),
    ("python", "print 'a'\n", 1, 1, "'print 'a'' is Python 2; call it with parentheses"),
    ("python", "f(a=1, 2)\n", 1, 8, "the positional argument '2' follows a named one"),
    ("python", "x = 3 y = 4\n", 1, 7, "an operator, ';' or a line end is missing before 'y', after 'x = 3'"),
    ("python", "const x = 5;\n", 1, 1, "'const' is no word of Python; found 'const x'"),
    ("python", "try:\n    pass\nx = 1\n", 1, 1, "'try' needs an 'except' or 'finally'"),
    ("javascript", "const x = {a: 1 b: 2};\n", 1, 17, "',' is missing before 'b', after 'const x = {a: 1'"),
    ("javascript", "f(1 2);\n", 1, 5, "',' is missing before '2', after 'f(1'"),
    ("javascript", "if (x {\n}\n", 1, 4, "'(' is not closed, after 'if'"),
    ("javascript", "let x = ;\n", 1, 8, "something is missing after 'let x ='"),
    (
        "javascript",
        "for (let i = 0; i < 3) {\n}\n",
        1,
        1,
        "'for (…)' takes three parts between two ';', here are 2",
    ),
    ("javascript", "const x;\n", 1, 7, "the constant 'x' has no value; '= …' is missing"),
    ("javascript", "function (x) { }\n", 1, 1, "a name is missing after 'function'"),
    (
        "javascript",
        "var 1x = 3;\n",
        1,
        5,
        "an operator, ';' or a line end is missing before '1x', after 'var'",
    ),
    ("javascript", "x = 'abc;\ny = 1;\n", 1, 5, "the text that begins with ' is not closed: a ' is missing"),
    ("javascript", "while () {}\n", 1, 8, "a name or value is missing after 'while ('"),
    ("javascript", "} else {\n", 1, 1, "'}' closes nothing"),
    ("javascript", "import { a from 'b';\n", 1, 8, "'{' is not closed, after 'import'"),
    ("javascript", "def f(x):\n  return x\n", 1, 10, "something is missing after 'def f(x):'"),
    ("javascript", "let a = 1; let a = 2;\n", 1, 16, "'a' is declared twice in this block"),
    ("javascript", "<div><span></div>;\n", 1, 6, "'<span>' is not closed before '</div>'"),
    ("javascript", "try { f(); }\n", 1, 1, "'try' needs a 'catch' or 'finally'"),
    (
        "typescript",
        "interface A { a string }\n",
        1,
        15,
        "'a' cannot stand here in TypeScript, after 'interface A {'",
    ),
    ("typescript", "function f(a: ) {}\n", 1, 14, "something is missing after 'function f(a:'"),
    (
        "typescript",
        "const x: string number = 1;\n",
        1,
        17,
        "an operator, ';' or a line end is missing before 'number', after 'const x: string'",
    ),
    ("go", "package main\n\nfunc main() {\n\tx := 5 +\n}\n", 4, 10, "something is missing after 'x := 5 +'"),
    ("go", "package main\n\nfunc main( {\n}\n", 3, 10, "'(' is not closed, after 'func main'"),
    (
        "go",
        "package main\n\nfunc f(a int b int) {}\n",
        3,
        14,
        "',' is missing before 'b', after 'func f(a int'",
    ),
    (
        "go",
        "package main\n\nfunc main() {\n\tif x {\n\t}\n\telse {\n\t}\n}\n",
        6,
        2,
        "'else' must stand in the line of the '}' before it",
    ),
    ("go", "package main\n\nfunc main() {\n\tlet x = 5\n}\n", 4, 2, "'let' is no word of Go; found 'let x'"),
    ("go", "package main\n\nimport fmt\n", 3, 1, "the path of an import needs quotes: import \"fmt\""),
    (
        "go",
        "package main\n\nfunc main() {\n\tfmt.Println(\"a\"\n}\n",
        4,
        13,
        "'(' is not closed, after 'fmt.Println'",
    ),
    (
        "go",
        "package main\n\nfunc main() {\n\twhile x {\n\t}\n}\n",
        4,
        2,
        "'while' is no word of Go; found 'while x'",
    ),
    (
        "rust",
        "fn main() {\n    let x = 5\n    println!(\"{x}\");\n}\n",
        2,
        14,
        "';' is missing after 'let x = 5'",
    ),
    ("rust", "fn main() {\n    let v = vec![1, 2;\n}\n", 2, 17, "'[' is not closed, after 'let v = vec!'"),
    ("rust", "struct A { b: i32 c: i32 }\n", 1, 19, "',' is missing before 'c', after 'struct A { b: i32'"),
    ("rust", "fn f(a b) {}\n", 1, 8, "',' or ':' is missing before 'b', after 'fn f(a'"),
    ("rust", "fn main() {\n    let x: = 1;\n}\n", 2, 10, "':' cannot stand here in Rust, after 'let x'"),
    (
        "rust",
        "fn main() {\n    for i range(3) {}\n}\n",
        2,
        11,
        "';' or an operator is missing before 'range', after 'for i'",
    ),
    ("rust", "fn main() {\n    x++;\n}\n", 2, 6, "'++' is no operator of Rust; write '+= 1'"),
    ("rust", "use a::;\n", 1, 8, "something is missing after 'use a::'"),
    (
        "rust",
        "fn main() {\n    match x { 1 => }\n}\n",
        2,
        19,
        "a name or value is missing after 'match x { 1 =>'",
    ),
    (
        "rust",
        "fn main() {\n    \"abc\n}\n",
        2,
        5,
        "the text that begins with \" is not closed: \" is missing",
    ),
    (
        "java",
        "class A {\n  void f() {\n    int x = 5\n    g();\n  }\n}\n",
        3,
        14,
        "';' is missing after 'int x = 5'",
    ),
    (
        "java",
        "class A {\n  void f() {\n    g(1 2);\n  }\n}\n",
        3,
        9,
        "',' is missing before '2', after 'g(1'",
    ),
    ("java", "class A {\n  void f( {\n  }\n}\n", 2, 9, "'(' is not closed, after 'void f'"),
    ("java", "class A {\n  void f() {\n    1 + 2;\n  }\n}\n", 3, 5, "'1 + 2;' is a value and no statement"),
    (
        "java",
        "class A {\n  void f() {\n    String s = \"abc;\n  }\n}\n",
        3,
        16,
        "the text that begins with \" is not closed: a \" is missing",
    ),
    (
        "java",
        "class A {\n  void f() {\n    for (int i = 0; i < 3) {}\n  }\n}\n",
        3,
        5,
        "'for (…)' takes three parts between two ';', here are 2",
    ),
    ("java", "class A {\n  int[] a = {1, 2;\n}\n", 2, 13, "'{' is not closed, after 'int[] a ='"),
    ("java", "class A {\n  void f(int) {}\n}\n", 2, 10, "'int' cannot stand here in Java, after 'void f('"),
    ("java", "class A {\n  f() {}\n}\n", 2, 3, "the method 'f' needs a return type"),
    ("bash", "if [ -z \"$a\" ]; then\n  echo b\n", 1, 1, "'if' is not closed: 'fi' is missing"),
    (
        "bash",
        "for i in 1 2 3\n  echo $i\ndone\n",
        1,
        1,
        "'do' is missing after 'for i in 1 2 3'; found 'echo'",
    ),
    ("bash", "echo \"abc\n", 1, 6, "the text that begins with \" is not closed: a \" is missing"),
    ("bash", "if true; echo b; fi\n", 1, 1, "'then' is missing after 'if', before 'fi'"),
    ("bash", "case x in\n  a) echo b;;\n", 1, 1, "'case' is not closed: 'esac' is missing"),
    ("bash", "while true; do\n  echo a\n", 1, 1, "'while' is not closed: 'done' is missing"),
    ("bash", "echo a | | b\n", 1, 8, "a command is missing after '|'; found '|'"),
    ("bash", "f( {\n  echo\n}\n", 1, 2, "'(' cannot stand here, after 'f'; quote it if it is text"),
    ("bash", "fi\n", 1, 1, "'fi' has no 'if … then' before it"),
    ("bash", "[[ -z ]]\n", 1, 7, "a value is missing after '-z'; found ']]'"),
    ("bash", "echo $(ls\n", 1, 6, "'$(' is not closed: ')' is missing"),
    ("bash", "git clone <repo>\n", 1, 16, "a file name is missing after '>'; found the line end"),
    ("sql", "SELECT a FRM t;\n", 1, 14, "'t' cannot stand here after 'FRM'"),
    ("sql", "SELECT a, FROM;\n", 1, 11, "something is missing after 'FROM'"),
    ("sql", "SELECT * FROM t WHERE;\n", 1, 17, "something is missing after 'WHERE'"),
    ("sql", "INSERT INTO t (a, b VALUES (1, 2);\n", 1, 15, "'(' is not closed: ')' is missing"),
    ("sql", "SELEC a FROM t;\n", 1, 1, "no statement of SQL begins with 'SELEC'"),
    ("sql", "SELECT 'abc FROM t;\n", 1, 8, "the text that begins with ' is not closed: a ' is missing"),
    ("sql", "CREATE TABLE t (a int b int);\n", 1, 23, "',' or ')' is expected after 'int', found 'b'"),
    ("sql", "UPDATE t a = 1;\n", 1, 12, "'SET' is expected after 'a', found '='"),
    ("sql", "SELECT * FROM t ORDER a;\n", 1, 17, "'BY' is missing after 'ORDER'"),
    ("sql", "SELECT (a FROM t;\n", 1, 8, "'(' is not closed: ')' is missing"),
    ("sql", "SELECT CASE WHEN a THEN b FROM t;\n", 1, 8, "'CASE' is not closed: 'END' is missing"),
    (
        "yaml",
        "a: b: c\n",
        1,
        5,
        "this ':' cannot stand here: the value before it is complete; quote the value, or begin a new line for the key, near ': c'",
    ),
    ("yaml", "a: [1, 2\nb: 3\n", 2, 2, "',' or ']' is missing, near ': 3'"),
    ("yaml", "a:\n\tb: 1\n", 2, 1, "a tab cannot indent YAML; use spaces, near 'b: 1'"),
    ("yaml", "a: 'x\n", 2, 1, "a text in quotes is not closed"),
    (
        "yaml",
        "a:\n  b: 1\n c: 2\n",
        3,
        2,
        "a key is expected here: the indentation fits nothing above, or a quote or bracket ends too early, near 'c: 2'",
    ),
    ("yaml", "- a\nb: c\n", 2, 1, "'- ' is missing: this line stands in a list, near 'b: c'"),
    ("yaml", "a: *b\n", 1, 4, "this alias has no anchor '&…' before it, near '*b'"),
    ("yaml", "a: @x\n", 1, 4, "this sign cannot begin a value; quote the value, near '@x'"),
    ("toml", "a = \n", 1, 5, "a value is missing after '='"),
    ("toml", "[a\nb = 1\n", 1, 3, "unclosed table, expected `]`"),
    ("toml", "a = 'x\n", 1, 7, "invalid literal string, expected `'`"),
    ("toml", "a b = 1\n", 1, 3, "key with no value, expected `=`"),
    ("toml", "a = 1\na = 2\n", 2, 1, "duplicate key, near 'a'"),
    ("toml", "a = tru\n", 1, 5, "invalid boolean, expected `true`, near 'tru'"),
    ("toml", "a = 1 b = 2\n", 1, 9, "unexpected key or value, expected newline, `#`"),
    ("toml", "a: 1\n", 1, 4, "key with no value, expected `=`"),
    ("json", "{\"a\": 1,}", 1, 9, "a key in double quotes is expected, found '}'"),
    ("json", "{'a': 1}", 1, 2, "a key in double quotes is expected, found ''a': 1}'"),
    ("json", "[1 2]", 1, 4, "',' or ']' is missing, found '2]'"),
    ("json", "{\"a\" 1}", 1, 6, "':' is missing after the key, found '1}'"),
    ("json", "[1, 2", 1, 6, "',' or ']' is missing, the text ends"),
    ("json", "{\"a\": undefined}", 1, 7, "a JSON value is expected, found 'undefined}'"),
    ("json", "// c\n{}", 1, 1, "a JSON value is expected, found '// c'"),
    ("json", "{\"a\": 01}", 1, 7, "a number must not start with 0, found '01}'"),
    ("bash", "if [ 1 ]; then\n  echo a\nelse\n  echo b\n", 1, 1, "'if' is not closed: 'fi' is missing"),
    ("bash", "x=(1 2\necho\n", 1, 3, "'(' is not closed: ')' is missing"),
    ("bash", "echo a)\n", 1, 7, "')' closes nothing"),
    ("bash", "for do\n done\n", 1, 1, "'do' is missing after 'for do'; found 'done'"),
    ("bash", "while read l; echo $l; done\n", 1, 1, "'do' is missing after 'while', before 'done'"),
    (
        "bash",
        "echo \"a\nb\"c\necho \"d\n",
        1,
        6,
        "the text that begins with \" is not closed: a \" is missing",
    ),
    ("sql", "SELECT a\nFROM t\nGROUP a;\n", 3, 1, "'BY' is missing after 'GROUP'"),
    (
        "sql",
        "SELECT a FROM t;\nSELECT 'x;\n",
        2,
        8,
        "the text that begins with ' is not closed: a ' is missing",
    ),
    (
        "python",
        "def f(a=1, b):\n    pass\n",
        1,
        12,
        "the parameter 'b' without a default follows one with a default",
    ),
    ("python", "def f(a, a):\n    pass\n", 1, 10, "the parameter 'a' stands twice"),
    ("python", "def f():\nreturn 1\n", 2, 1, "'def f():' needs an indented body before 'return 1'"),
    ("python", "x = [1, 2)\n", 1, 10, "')' closes nothing, after 'x = [1, 2'"),
    ("javascript", "const o = { a: 1,, b: 2 };\n", 1, 18, "a property or name is missing before ','"),
    ("javascript", "return return\n", 1, 1, "'return' cannot stand here in JavaScript"),
    ("javascript", "break;\n", 1, 1, "'break' outside of a loop"),
    ("go", "package main\n\nx := 1\n", 3, 1, "'x := 1' is no declaration; statements stand inside functions"),
    (
        "go",
        "package main\n\nvar a = []int{\n\t1,\n\t2\n}\n",
        5,
        3,
        "',' is missing before the line end, after '2'",
    ),
    (
        "rust",
        "fn main() {\n    let static = 1;\n}\n",
        2,
        9,
        "'static' is a reserved word and cannot be a name",
    ),
    ("java", "import a.b;;\nimport c.d;\nclass A {}\n", 1, 12, "this ';' is one too many"),
    ("tsx", "const a = <b c{d}>e</b>;\n", 1, 15, "'=' or '...' is missing before '{d}'"),
];

#[test]
fn one_mistake_has_one_finding_at_its_place_in_plain_words() {
    assert!(CASES.len() >= 60);
    for &(language, code, line, column, words) in CASES {
        let Outcome::Parsed { valid, diagnostics } =
            parse(language, code, &AvapOptions::default(), &|| false)
        else {
            panic!("{language} is not parsed");
        };
        assert!(!valid, "{language}: {code}");
        let [found] = diagnostics.as_slice() else { panic!("{language}: {code}\n{diagnostics:#?}") };
        assert_eq!(found.severity, Severity::Error);
        assert_eq!((found.line, found.column), (line, column), "{language}: {code}\n{found:#?}");
        assert!(found.message.contains(words), "{language}: {code}\n{}", found.message);
        assert!(found.end_column >= found.column);
    }
}

#[test]
fn messages_name_no_internals() {
    for &(language, code, ..) in CASES {
        let Outcome::Parsed { diagnostics, .. } = parse(language, code, &AvapOptions::default(), &|| false)
        else {
            continue;
        };
        for found in diagnostics {
            for word in ["ERROR", "MISSING", "_expression", "identifier", "token", "parser"] {
                assert!(!found.message.contains(word), "{language}: {}", found.message);
            }
        }
    }
}
