//! Programs made by following the grammar rule by rule, with white space, comments and line ends wherever they may
//! stand: none of them may draw an error. The choices come from a fixed sequence, so that every run makes the same.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use assay_avap::{Options, Severity, parse};

/// Programs that are made.
const PROGRAMS: u64 = 1500;

struct Maker {
    state: u64,
    out: String,
    functions: Vec<(String, usize)>,
}

impl Maker {
    fn new(seed: u64) -> Self {
        Self {
            state: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1,
            out: String::new(),
            functions: Vec::new(),
        }
    }

    fn below(&mut self, limit: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        usize::try_from(self.state % u64::try_from(limit).unwrap()).unwrap()
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }

    /// White space that need not stand.
    fn gap(&mut self) {
        let gap = self.one(&["", "", " ", " ", "  ", "\t", " /* c */ "]);
        self.out.push_str(gap);
    }

    /// White space that must stand.
    fn space(&mut self) {
        let space = self.one(&[" ", " ", "  ", "\t", " /* x */ "]);
        self.out.push_str(space);
    }

    fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn sign(&mut self, sign: &str) {
        // A slash or a minus next to its like would be another token.
        if sign.starts_with(|c: char| c.is_ascii_alphabetic()) || matches!(sign, "/" | "-" | "*") {
            self.space();
            self.put(sign);
            self.space();
        } else {
            self.gap();
            self.put(sign);
            self.gap();
        }
    }

    fn name(&mut self) -> &'static str {
        self.one(&[
            "a",
            "b",
            "total",
            "_x",
            "user_name",
            "Count2",
            "iff",
            "endless",
            "notes",
            "order",
            "inner",
            "true_name",
        ])
    }

    fn expression(&mut self, depth: usize) {
        self.or(depth);
        if depth > 0 && self.below(8) == 0 {
            self.sign("if");
            self.or(depth - 1);
            self.sign("else");
            self.expression(depth - 1);
        }
    }

    fn chain(&mut self, depth: usize, signs: &[&str], odds: usize, next: fn(&mut Self, usize)) {
        next(self, depth);
        while depth > 0 && self.below(odds) == 0 {
            let sign = self.one(signs);
            self.sign(sign);
            next(self, depth - 1);
        }
    }

    fn or(&mut self, depth: usize) {
        self.chain(depth, &["or"], 6, Self::and);
    }

    fn and(&mut self, depth: usize) {
        self.chain(depth, &["and"], 6, Self::not);
    }

    fn not(&mut self, depth: usize) {
        if self.below(8) == 0 {
            self.put("not");
            self.space();
        }
        self.sum(depth);
        if depth > 0 && self.below(3) == 0 {
            let sign = self.one(&["==", "!=", "<", ">", "<=", ">=", "in", "not in"]);
            self.sign(sign);
            self.sum(depth - 1);
        }
    }

    fn sum(&mut self, depth: usize) {
        self.chain(depth, &["+", "-"], 4, Self::product);
    }

    fn product(&mut self, depth: usize) {
        self.chain(depth, &["*", "/", "%"], 5, Self::unary);
    }

    fn unary(&mut self, depth: usize) {
        if self.below(8) == 0 && !self.out.ends_with('-') {
            self.put("-");
            self.primary(depth, false);
        } else {
            self.primary(depth, true);
        }
    }

    fn primary(&mut self, depth: usize, negative: bool) {
        let kind = self.below(if depth > 0 { 14 } else { 8 });
        match kind {
            0 | 1 => {
                let name = self.name();
                self.put(name);
                self.postfix(depth);
            }
            2 => {
                let name = self.name();
                self.put("$");
                self.put(name);
            }
            3 => {
                let all = ["0", "7", "3.25", "007", "100000", "-5", "-0.5"];
                let number = self.one(if negative && !self.out.ends_with('-') { &all } else { &all[..5] });
                self.put(number);
            }
            4 => {
                let text = self.one(&[
                    "\"\"",
                    "'x'",
                    "\"it's\"",
                    "'say \"x\"'",
                    "\"a\\\"b\"",
                    "\"// no\"",
                    "'/* no */'",
                    "\"ñ 東\"",
                    "\"if(x) {\"",
                    "\"${a}\"",
                ]);
                self.put(text);
            }
            5 => {
                let text = self.one(&["`plain`", "`${a}`", "`a ${b} c ${total}`", "`$a $ {`", "`\"x\" 'y'`"]);
                self.put(text);
            }
            6 | 7 => {
                let word = self.one(&["True", "False", "None"]);
                self.put(word);
            }
            8 => self.bracketed("(", ")", 1, 3, depth),
            9 => {
                self.bracketed("[", "]", 0, 3, depth);
                self.postfix(depth);
            }
            10 => self.dict(depth),
            11 => {
                let helper = self.one(&["str", "int", "float", "len"]);
                self.put(helper);
                self.bracketed("(", ")", 1, 1, depth);
            }
            12 if !self.functions.is_empty() => {
                let at = self.below(self.functions.len());
                let (name, count) = self.functions[at].clone();
                self.put(&name);
                self.bracketed("(", ")", count, count, depth);
            }
            _ => {
                let name = self.name();
                self.put(name);
                self.put(".");
                let method = self.one(&["run", "query", "size"]);
                self.put(method);
                self.bracketed("(", ")", 0, 2, depth);
            }
        }
    }

    fn postfix(&mut self, depth: usize) {
        if depth == 0 {
            return;
        }
        match self.below(6) {
            0 => {
                self.put("[");
                self.gap();
                self.expression(depth - 1);
                self.gap();
                self.put("]");
            }
            1 => self.put(".field"),
            _ => {}
        }
    }

    fn bracketed(&mut self, open: &str, close: &str, least: usize, most: usize, depth: usize) {
        self.put(open);
        self.gap();
        let count = least + self.below(most - least + 1);
        for at in 0..count {
            if at > 0 {
                self.sign(",");
            }
            self.expression(depth.saturating_sub(1));
        }
        self.gap();
        self.put(close);
    }

    fn dict(&mut self, depth: usize) {
        self.put("{");
        for at in 0..self.below(3) {
            if at > 0 {
                self.sign(",");
            }
            let key = self.one(&["\"k\"", "'k'", "a", "1"]);
            self.put(key);
            self.sign(":");
            self.expression(depth.saturating_sub(1));
        }
        self.put("}");
    }

    fn end_line(&mut self) {
        let tail = self.one(&["", "", "", " ", " // note", " /// doc", " /* z */"]);
        self.put(tail);
        let end = self.one(&[
            "\n",
            "\n",
            "\n",
            "\r\n",
            "\n\n",
            "\r",
            "\n   \n",
            "\n// a line\n",
            "\n/* two\nlines */\n",
        ]);
        self.put(end);
        let indent = self.one(&["", "", "    ", "\t", "  "]);
        self.put(indent);
    }

    fn call(&mut self, name: &str, arguments: &[&str]) {
        self.put(name);
        if self.below(8) == 0 {
            self.put(" ");
        }
        self.put("(");
        for (at, argument) in arguments.iter().enumerate() {
            if at > 0 {
                self.sign(",");
            }
            match *argument {
                "<value>" => self.expression(2),
                "<target>" => {
                    let name = self.name();
                    let quote = self.one(&["", "", "", "\"", "'"]);
                    self.put(&format!("{quote}{name}{quote}"));
                }
                "<plain>" => {
                    let name = self.name();
                    self.put(name);
                }
                text => self.put(text),
            }
        }
        self.put(")");
    }

    fn command(&mut self) {
        let commands: &[(&str, &[&str])] = &[
            ("addVar", &["<target>", "<value>"]),
            ("addResult", &["<value>"]),
            ("addParam", &["<value>", "<target>"]),
            ("getQueryParamList", &["<target>"]),
            ("getListLen", &["<value>", "<target>"]),
            ("itemFromList", &["<value>", "<value>", "<target>"]),
            ("variableToList", &["<value>", "<target>"]),
            ("AddvariableToJSON", &["<value>", "<value>", "<target>"]),
            ("variableFromJSON", &["<value>", "<value>", "<target>"]),
            ("RequestGet", &["<value>", "<value>", "<value>", "<target>"]),
            ("RequestPost", &["<value>", "<value>", "<value>", "<value>", "<target>"]),
            ("ormDirect", &["<value>", "<target>"]),
            ("encodeSHA256", &["<value>", "<target>"]),
            ("encodeMD5", &["<value>", "<target>"]),
            ("randomString", &["<value>", "<value>", "<target>"]),
            ("randomString", &["<value>", "<target>"]),
            ("replace", &["<value>", "<value>", "<value>", "<target>"]),
            ("getRegex", &["<value>", "<value>", "<target>"]),
            ("getDateTime", &["<value>", "<value>", "<value>", "<target>"]),
            ("getTimeStamp", &["<value>", "<value>", "<value>", "<target>"]),
            ("stampToDatetime", &["<value>", "<value>", "<value>", "<target>"]),
            ("ormCheckTable", &["<value>", "<target>"]),
            ("gather", &["\"job\"", "5"]),
            ("registerEndpoint", &["\"/a\"", "'POST'", "[]", "<value>", "<value>", "<value>"]),
            ("ormAccessSelect", &["<value>", "<value>", "<value>"]),
        ];
        let (name, arguments) = commands[self.below(commands.len())];
        let short = arguments.last() == Some(&"<target>")
            && arguments.len() > 1
            && !matches!(name, "randomString" | "addVar");
        if short && self.below(3) == 0 {
            let name = self.name();
            self.put(name);
            self.sign("=");
            let shorter = &arguments[..arguments.len() - 1];
            self.call(commands.iter().find(|one| one.1 == arguments).map_or(name, |one| one.0), shorter);
        } else {
            self.call(name, arguments);
        }
    }

    fn statements(&mut self, depth: usize, function: bool) {
        for _ in 0..self.below(4) {
            self.statement(depth, function);
        }
    }

    fn statement(&mut self, depth: usize, function: bool) {
        match self.below(if depth > 0 { 12 } else { 6 }) {
            0 | 1 => {
                let name = self.one(&["a", "b", "total", "_status", "x9"]);
                self.put(name);
                self.sign("=");
                self.expression(3);
            }
            2 | 3 => self.command(),
            4 => {
                let name = self.name();
                self.put(name);
                self.put(".run");
                self.bracketed("(", ")", 0, 2, 2);
            }
            5 if function => {
                self.put("return");
                match self.below(3) {
                    0 => {}
                    1 => self.put("()"),
                    _ => {
                        self.space();
                        self.expression(2);
                    }
                }
            }
            5 | 6 => self.command(),
            7 | 8 => {
                if self.below(2) == 0 {
                    let sign = self
                        .one(&["\"==\"", "'!='", "<", ">", "<=", "\">=\"", "=", "==", "in", "\"in\"", "'<'"]);
                    self.call("if", &["<value>", "<value>", sign]);
                } else {
                    let text = self.one(&[
                        "\"a > 1\"",
                        "'b == \"x\" and not a'",
                        "`${a} > 3`",
                        "\"len(a) > 2 or b in [1, 2]\"",
                        "\"a[0] == 'x'\"",
                        "'(a + 1) * 2 >= b'",
                    ]);
                    self.call("if", &["None", "None", text]);
                }
                self.end_line();
                self.statements(depth - 1, function);
                if self.below(2) == 0 {
                    self.call("else", &[]);
                    self.end_line();
                    self.statements(depth - 1, function);
                }
                self.call("end", &[]);
            }
            9 => {
                self.call("startLoop", &["<plain>", "<value>", "<value>"]);
                self.end_line();
                self.statements(depth - 1, function);
                self.call("endLoop", &[]);
            }
            10 => {
                self.call("try", &[]);
                self.end_line();
                self.statements(depth - 1, function);
                match self.below(3) {
                    0 => self.call("exception", &[]),
                    1 => self.call("exception", &["<plain>"]),
                    _ => {
                        self.put("err = ");
                        self.call("exception", &[]);
                    }
                }
                self.end_line();
                self.statements(depth - 1, function);
                self.call("end", &[]);
            }
            _ => {
                let id = self.one(&["\"job\"", "'job'", "job"]);
                self.call("go_async", &[id]);
                self.end_line();
                self.statements(depth - 1, function);
                self.call("end", &[]);
            }
        }
        self.end_line();
    }

    fn program(mut self) -> String {
        let count = self.below(3);
        for at in 0..count {
            let parameters = self.below(3);
            self.functions.push((format!("helper{at}"), parameters));
        }
        let functions = self.functions.clone();
        let first = self.below(2) == 0;
        if first {
            self.top();
        }
        for (name, count) in functions {
            let parameters = ["p", "q", "r"][..count].join(", ");
            let space = self.one(&["", " "]);
            self.put(&format!("function {name}({parameters}){space}{{"));
            self.end_line();
            self.statements(2, true);
            self.put("}");
            self.end_line();
        }
        if !first {
            self.top();
        }
        self.out
    }

    fn top(&mut self) {
        for _ in 0..=self.below(6) {
            self.statement(3, false);
        }
    }
}

#[test]
fn what_the_grammar_makes_draws_no_error() {
    let mut wrong = Vec::new();
    for seed in 1..=PROGRAMS {
        let program = Maker::new(seed).program();
        let found = parse(&program, &Options::default());
        let errors: Vec<String> = found
            .diagnostics
            .iter()
            .filter(|one| one.severity == Severity::Error)
            .map(|one| one.render())
            .collect();
        if !errors.is_empty() {
            wrong.push(format!("{errors:#?}\n{program}"));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {PROGRAMS} programs\n{}",
        wrong.len(),
        wrong[..wrong.len().min(12)].join("\n----\n")
    );
}
