//! Other languages inside AVAP: which line bears marks of which language, which forms are foreign and what AVAP
//! writes instead, and which library objects are not AVAP's. Judged only where a line has already failed.

use crate::expression::clip;
use crate::lexer::{Token, TokenKind};
use crate::statement::{matching, split};

/// Languages that can be told apart by their marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Language {
    Go,
    Python,
    JavaScript,
    TypeScript,
    Php,
    Java,
    Rust,
    C,
    Sql,
    Shell,
}

impl Language {
    pub(crate) const ALL: [Self; 10] = [
        Self::Go,
        Self::Python,
        Self::JavaScript,
        Self::TypeScript,
        Self::Php,
        Self::Java,
        Self::Rust,
        Self::C,
        Self::Sql,
        Self::Shell,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Go => "Go",
            Self::Python => "Python",
            Self::JavaScript => "JavaScript",
            Self::TypeScript => "TypeScript",
            Self::Php => "PHP",
            Self::Java => "Java",
            Self::Rust => "Rust",
            Self::C => "C",
            Self::Sql => "SQL",
            Self::Shell => "shell",
        }
    }
}

/// Marks of languages on one line: bit n for the n-th language, strong and weak apart.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Marks {
    strong: u16,
    weak: u16,
}

impl Marks {
    fn strong(&mut self, languages: &[Language]) {
        for language in languages {
            self.strong |= 1 << (*language as u16);
        }
    }

    fn weak(&mut self, languages: &[Language]) {
        for language in languages {
            self.weak |= 1 << (*language as u16);
        }
    }

    fn clear(&mut self, language: Language) {
        self.strong &= !(1 << (language as u16));
        self.weak &= !(1 << (language as u16));
    }

    pub(crate) fn has_strong(self, language: Language) -> bool {
        self.strong & (1 << (language as u16)) != 0
    }

    pub(crate) fn has(self, language: Language) -> bool {
        (self.strong | self.weak) & (1 << (language as u16)) != 0
    }
}

/// Which block a foreign line opens in the mind of its writer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Opens {
    Condition,
    Loop,
    Try,
    Function,
    Other,
}

/// Where a foreign line divides or ends a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Divides {
    Else,
    Exception,
    EndLoop,
    End,
}

/// A foreign form with what AVAP writes instead.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Form {
    pub(crate) help: String,
    pub(crate) suggestion: Option<String>,
    pub(crate) opens: Option<Opens>,
    pub(crate) divides: Option<Divides>,
}

pub(crate) fn is_foreign_constant(word: &str) -> bool {
    matches!(word, "null" | "nil" | "undefined" | "NULL" | "nullptr" | "NaN")
}

/// What AVAP writes instead of a call on a library object of another language, if the name is one.
pub(crate) fn receiver_remedy(receiver: &str, method: &str) -> Option<(&'static str, &'static str)> {
    Some(match receiver {
        "console" | "fmt" | "System" | "logger" | "logging" | "Console" | "stdout" | "std" | "log"
        | "res" | "response" => ("addResult", "results are returned with addResult(x)"),
        "requests" | "axios" | "http" | "https" | "urllib" | "fetch" | "httpx" | "HttpClient" => {
            if method.eq_ignore_ascii_case("post") || method.eq_ignore_ascii_case("put") {
                ("RequestPost", "HTTP calls are RequestPost(url, query, headers, body, target)")
            } else {
                ("RequestGet", "HTTP calls are RequestGet(url, query, headers, target)")
            }
        }
        "json" | "JSON" | "simplejson" | "serde_json" => (
            "variableFromJSON",
            "JSON is read with variableFromJSON(source, key, target) and written with AddvariableToJSON(key, value, target)",
        ),
        "hashlib" | "crypto" | "sha256" | "bcrypt" | "hmac" | "CryptoJS" | "MessageDigest" => {
            if method.to_ascii_lowercase().contains("md5") {
                ("encodeMD5", "digests are encodeMD5(source, target)")
            } else {
                ("encodeSHA256", "digests are encodeSHA256(source, target) and encodeMD5(source, target)")
            }
        }
        "datetime" | "time" | "Date" | "moment" | "dayjs" | "LocalDate" | "LocalDateTime" | "Instant" => {
            ("getDateTime", "the current time is getDateTime(format, delta, zone, target)")
        }
        "random" | "Math" | "math" | "rand" | "secrets" | "uuid" => {
            if matches!(
                method,
                "random" | "randint" | "choice" | "choices" | "Intn" | "token_hex" | "uuid4" | "v4"
            ) {
                ("randomString", "random text is randomString(pattern, length, target)")
            } else {
                ("addVar", "write the arithmetic with + - * / %")
            }
        }
        "re" | "regex" | "regexp" | "RegExp" | "Pattern" => {
            if method.starts_with("sub") || method.starts_with("replace") {
                ("replace", "texts are changed with replace(source, regex, new, target)")
            } else {
                ("getRegex", "patterns are found with getRegex(source, regex, target)")
            }
        }
        "request" | "req" | "flask" => ("addParam", "parameters are read with addParam(name, target)"),
        "strings" | "strconv" | "String" | "StringUtils" => {
            ("replace", "texts are joined with + and changed with replace(source, regex, new, target)")
        }
        "sqlite3" | "mysql" | "psycopg2" | "DriverManager" => {
            ("ormDirect", "SQL is run with ormDirect(sql, target)")
        }
        "os" | "sys" | "fs" | "process" | "subprocess" | "io" | "ioutil" | "bufio" => {
            ("addParam", "there is no file or process access; inputs come with addParam(name, target)")
        }
        "Object" | "Array" | "Arrays" | "Collections" | "np" | "pd" | "itertools" | "document" | "window" => {
            (
                "variableToList",
                "lists are built with variableToList(source, target) and read with itemFromList(list, index, target)",
            )
        }
        "asyncio" | "Promise" | "threading" | "sync" => {
            ("go_async", "background work is go_async(id) … end(), awaited with gather(id, seconds)")
        }
        _ => return None,
    })
}

// === marks ===

/// Words with which a line of that language begins.
const FIRST_WORDS: &[(&str, &[Language], bool)] = {
    use Language::*;
    &[
        ("package", &[Go, Java], true),
        ("func", &[Go], true),
        ("defer", &[Go], true),
        ("go", &[Go], true),
        ("def", &[Python], true),
        ("elif", &[Python], true),
        ("except", &[Python], true),
        ("raise", &[Python], true),
        ("pass", &[Python], true),
        ("with", &[Python], true),
        ("from", &[Python, Sql], true),
        ("lambda", &[Python], true),
        ("global", &[Python, Php], true),
        ("del", &[Python], true),
        ("const", &[JavaScript, TypeScript], true),
        ("let", &[JavaScript, TypeScript, Rust], true),
        ("var", &[JavaScript, TypeScript, Go], true),
        ("await", &[JavaScript, TypeScript], true),
        ("async", &[JavaScript, TypeScript], true),
        ("export", &[JavaScript, TypeScript], true),
        ("interface", &[TypeScript, Java], true),
        ("enum", &[TypeScript, Java, Rust], true),
        ("type", &[TypeScript, Go], true),
        ("readonly", &[TypeScript], true),
        ("echo", &[Php, Shell], true),
        ("foreach", &[Php], true),
        ("namespace", &[Php, C], true),
        ("require_once", &[Php], true),
        ("public", &[Java], true),
        ("private", &[Java], true),
        ("protected", &[Java], true),
        ("final", &[Java], true),
        ("String", &[Java], true),
        ("fn", &[Rust], true),
        ("impl", &[Rust], true),
        ("pub", &[Rust], true),
        ("use", &[Rust, Php], true),
        ("mod", &[Rust], true),
        ("match", &[Rust], true),
        ("struct", &[Rust, C, Go], true),
        ("char", &[C, Java], true),
        ("unsigned", &[C], true),
        ("typedef", &[C], true),
        ("printf", &[C], true),
        ("scanf", &[C], true),
        ("int", &[C, Java], true),
        ("double", &[C, Java], true),
        ("bool", &[C], true),
        ("boolean", &[Java], true),
        ("void", &[C, Java], true),
        ("long", &[C, Java], true),
        ("float", &[C, Java], true),
        ("static", &[Java, C], true),
        ("fi", &[Shell], true),
        ("then", &[Shell], true),
        ("done", &[Shell], true),
        ("esac", &[Shell], true),
        ("sudo", &[Shell], true),
        ("curl", &[Shell], true),
        ("cd", &[Shell], true),
        ("mkdir", &[Shell], true),
        ("grep", &[Shell], true),
        ("cat", &[Shell], true),
        ("chmod", &[Shell], true),
        ("apt", &[Shell], true),
        ("pip", &[Shell], true),
        ("npm", &[Shell], true),
        ("git", &[Shell], true),
        ("docker", &[Shell], true),
        ("kubectl", &[Shell], true),
        ("wget", &[Shell], true),
        ("ls", &[Shell], true),
        ("rm", &[Shell], true),
        ("print", &[Python], false),
        ("switch", &[JavaScript, TypeScript, Go, Java, C, Php], false),
        ("case", &[JavaScript, TypeScript, Go, Java, C, Php], false),
        ("class", &[Python, JavaScript, TypeScript, Java, Php], false),
        ("throw", &[JavaScript, TypeScript, Java, Php], false),
        ("new", &[JavaScript, TypeScript, Java, Php], false),
        ("catch", &[JavaScript, TypeScript, Java, Php], false),
        ("finally", &[JavaScript, TypeScript, Java, Php], false),
        ("while", &[JavaScript, TypeScript, Java, C, Php, Python], false),
        ("import", &[Python, JavaScript, TypeScript, Go, Java], false),
        ("function", &[JavaScript, TypeScript, Php], false),
        ("return", &[JavaScript, TypeScript, Java, C, Php, Rust], false),
        ("break", &[JavaScript, TypeScript, Java, C, Php, Go], false),
    ]
};

/// Texts that mark a line wherever they stand.
const FRAGMENTS: &[(&str, &[Language], bool)] = {
    use Language::*;
    &[
        (":=", &[Go], true),
        ("fmt.", &[Go], true),
        ("!= nil", &[Go], true),
        ("== nil", &[Go], true),
        ("http.ResponseWriter", &[Go], true),
        ("map[string]", &[Go], true),
        ("[]string", &[Go], true),
        ("[]byte", &[Go], true),
        ("chan ", &[Go], true),
        (" range ", &[Go], false),
        ("errors.New", &[Go], true),
        ("self.", &[Python], true),
        ("__name__", &[Python], true),
        ("range(", &[Python], true),
        (" is None", &[Python], true),
        (" is not ", &[Python], true),
        ("\"\"\"", &[Python], true),
        ("lambda ", &[Python], true),
        ("hashlib.", &[Python], true),
        ("requests.", &[Python], true),
        ("json.loads", &[Python], true),
        ("json.dumps", &[Python], true),
        (" f\"", &[Python], true),
        ("(f\"", &[Python], true),
        (" f'", &[Python], true),
        ("(f'", &[Python], true),
        (".append(", &[Python], false),
        (" as e:", &[Python], true),
        ("print(", &[Python], false),
        ("console.", &[JavaScript, TypeScript], true),
        ("===", &[JavaScript, TypeScript, Php], true),
        ("!==", &[JavaScript, TypeScript, Php], true),
        ("=> {", &[JavaScript, TypeScript], true),
        ("=>", &[JavaScript, TypeScript, Php, Rust], true),
        ("function (", &[JavaScript, TypeScript, Php], true),
        ("function(", &[JavaScript, TypeScript, Php], true),
        ("require(", &[JavaScript], true),
        ("module.exports", &[JavaScript], true),
        ("JSON.", &[JavaScript, TypeScript], true),
        ("document.", &[JavaScript, TypeScript], true),
        ("Math.", &[JavaScript, TypeScript, Java], true),
        ("await ", &[JavaScript, TypeScript], true),
        ("typeof ", &[JavaScript, TypeScript], true),
        ("undefined", &[JavaScript, TypeScript], true),
        ("async function", &[JavaScript, TypeScript], true),
        ("(let ", &[JavaScript, TypeScript], true),
        ("(const ", &[JavaScript, TypeScript], true),
        ("(var ", &[JavaScript, TypeScript], true),
        (": string", &[TypeScript], true),
        (": number", &[TypeScript], true),
        (": boolean", &[TypeScript], true),
        (": any", &[TypeScript], true),
        (": void", &[TypeScript], true),
        ("Promise<", &[TypeScript], true),
        (" as string", &[TypeScript], true),
        ("<?php", &[Php], true),
        ("?>", &[Php], true),
        ("$_GET", &[Php], true),
        ("$_POST", &[Php], true),
        ("$this->", &[Php], true),
        ("array(", &[Php], true),
        ("System.out", &[Java], true),
        ("public static", &[Java], true),
        ("import java", &[Java], true),
        ("throws ", &[Java], true),
        ("@Override", &[Java], true),
        ("(Exception ", &[Java], true),
        ("String[]", &[Java], true),
        ("List<", &[Java], true),
        ("Map<", &[Java], true),
        ("let mut ", &[Rust], true),
        ("println!", &[Rust], true),
        ("format!", &[Rust], true),
        ("vec![", &[Rust], true),
        ("&str", &[Rust], true),
        ("&mut ", &[Rust], true),
        ("String::", &[Rust], true),
        (".unwrap()", &[Rust], true),
        ("-> Result<", &[Rust], true),
        ("Option<", &[Rust], true),
        ("Ok(", &[Rust], false),
        ("std::", &[C, Rust], true),
        ("#include", &[C], true),
        ("#define", &[C], true),
        ("int main", &[C], true),
        ("printf(", &[C], true),
        ("malloc(", &[C], true),
        ("char *", &[C], true),
        ("const char", &[C], true),
        ("cout <<", &[C], true),
        ("NULL", &[C, Sql], false),
        ("VARCHAR", &[Sql], true),
        ("PRIMARY KEY", &[Sql], true),
        (" FROM ", &[Sql], true),
        (" WHERE ", &[Sql], true),
        ("#!/", &[Shell], true),
        ("$(", &[Shell], true),
        ("if [", &[Shell], true),
        ("; then", &[Shell], true),
        ("; do", &[Shell], true),
        ("| grep", &[Shell], true),
        (" -H ", &[Shell], true),
    ]
};

/// Lines that are looked at when the language of a text is guessed.
const GUESS_LINES: usize = 400;

/// The language whose marks most lines of a text bear, with the number of lines that bear a strong one; nothing where
/// no line does. Knows Go, Python, JavaScript, TypeScript, PHP, Java, Rust, C, SQL and shell.
#[must_use]
pub fn guess_language(text: &str) -> Option<(&'static str, usize)> {
    let lines: Vec<Marks> =
        text.lines().filter(|line| !line.trim().is_empty()).take(GUESS_LINES).map(marks).collect();
    let mut best: Option<(usize, usize, Language)> = None;
    for language in Language::ALL {
        let strong = lines.iter().filter(|line| line.has_strong(language)).count();
        let all = lines.iter().filter(|line| line.has(language)).count();
        if strong > 0 && best.is_none_or(|(s, a, _)| (strong, all) > (s, a)) {
            best = Some((strong, all, language));
        }
    }
    best.map(|(strong, _, language)| (language.name(), strong))
}

const SQL_STARTS: &[&str] = &[
    "select ",
    "insert into ",
    "update ",
    "delete from ",
    "create table ",
    "create index ",
    "alter table ",
    "drop table ",
    "from ",
    "where ",
    "join ",
    "left join ",
    "inner join ",
    "group by ",
    "order by ",
    "values ",
    "values(",
    "having ",
    "limit ",
    "-- ",
];

/// The marks of languages on a line; a token is marked only where its text is code, not inside strings.
pub(crate) fn marks(text: &str) -> Marks {
    let mut marks = Marks::default();
    let text = text.trim();
    let first: &str =
        text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).next().unwrap_or_default();
    let rest = &text[first.len()..];
    let is_assignment = rest.trim_start().starts_with('=') && !rest.trim_start().starts_with("==");
    if !is_assignment {
        for (word, languages, strong) in FIRST_WORDS {
            if *word == first {
                if *strong { marks.strong(languages) } else { marks.weak(languages) }
            }
        }
    }
    let bare = without_strings(text);
    let mut typed = false;
    for (fragment, languages, strong) in FRAGMENTS {
        if bare.contains(fragment) {
            if *strong {
                marks.strong(languages)
            } else {
                marks.weak(languages)
            }
            typed |= **languages == [Language::TypeScript];
        }
    }
    shape_marks(text, first, &bare, &mut marks);
    if typed {
        // What only TypeScript writes is no JavaScript.
        marks.clear(Language::JavaScript);
    }
    if first == "export" && is_shell_export(rest) {
        marks.clear(Language::JavaScript);
        marks.clear(Language::TypeScript);
        marks.strong(&[Language::Shell]);
    }
    marks
}

/// `export NAME=value`, without white space around the sign.
fn is_shell_export(rest: &str) -> bool {
    rest.trim_start().split_once('=').is_some_and(|(name, value)| {
        !name.is_empty()
            && !value.starts_with(' ')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

fn shape_marks(text: &str, first: &str, bare: &str, marks: &mut Marks) {
    use Language::{C, Go, Java, JavaScript, Php, Python, Rust, Shell, Sql, TypeScript};
    let lower = bare.to_ascii_lowercase();
    if SQL_STARTS.iter().any(|start| lower.starts_with(start)) && !bare.contains(':') {
        marks.strong(&[Sql]);
    }
    if bare.ends_with(':')
        && matches!(
            first,
            "if" | "for"
                | "while"
                | "else"
                | "try"
                | "with"
                | "def"
                | "class"
                | "elif"
                | "except"
                | "finally"
        )
    {
        marks.strong(&[Python]);
    }
    if first == "import" {
        if text.contains('"') && !text.contains(" from ") || text.ends_with('(') {
            marks.strong(&[Go]);
        } else if text.contains(" from ") || text.contains('{') {
            marks.strong(&[JavaScript, TypeScript]);
        } else if text.ends_with(';') {
            marks.strong(&[Java]);
        } else {
            marks.strong(&[Python]);
        }
    }
    if bare.ends_with('{') {
        match first {
            "if" | "for" | "while" | "switch" => {
                if bare.contains('(') {
                    marks.strong(&[JavaScript, TypeScript, Java, C, Php]);
                } else {
                    marks.strong(&[Go, Rust]);
                }
            }
            "else" | "try" | "do" | "class" => marks.weak(&[JavaScript, TypeScript, Java, Php, C]),
            _ => {}
        }
    }
    if text.starts_with('}') {
        if bare.contains("else") || bare.contains("catch") {
            marks.weak(&[JavaScript, TypeScript, Java, C, Php, Go, Rust]);
        } else if bare.starts_with("})") {
            marks.strong(&[JavaScript, TypeScript]);
        }
    }
    if bare.ends_with(';') {
        marks.weak(&[JavaScript, TypeScript, Java, C, Php, Rust, Sql]);
    }
    if let Some(name) = bare.strip_prefix('$') {
        let rest = name.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
        if name.len() > rest.len() && rest.trim_start().starts_with('=') {
            marks.strong(&[Php]);
        }
        if rest.contains("->") {
            marks.strong(&[Php]);
        }
    }
    if bare.contains("->") && first == "fn" {
        marks.strong(&[Rust]);
    }
    if bare.starts_with('@') {
        marks.weak(&[Python, Java, TypeScript]);
    }
    if bare.starts_with('#') && !bare.starts_with("#include") && !bare.starts_with("#define") {
        marks.weak(&[Python, Shell, Php]);
    }
}

/// The line with the insides of its strings blanked, so that marks are found in code only; Python's f-strings and
/// triple quotes keep their opening.
fn without_strings(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut quote: Option<char> = None;
    let mut escaped = false;
    for c in text.chars() {
        match quote {
            Some(q) => {
                if escaped {
                    escaped = false;
                } else if c == '\\' {
                    escaped = true;
                } else if c == q {
                    quote = None;
                    out.push(c);
                }
            }
            None => {
                if matches!(c, '"' | '\'' | '`') {
                    quote = Some(c);
                }
                out.push(c);
            }
        }
    }
    out
}

// === forms ===

/// Whether the line is a form of another language, and what AVAP writes instead. `tokens` are those of the line.
pub(crate) fn form(source: &str, tokens: &[Token], line: &str) -> Option<Form> {
    let text = |at: usize| tokens.get(at).map_or("", |token| token.text(source));
    let kind = |at: usize| tokens.get(at).map(|token| token.kind);
    let last = tokens.len().checked_sub(1).map_or("", text);
    let first = text(0);
    let second = kind(1);
    let called = second == Some(TokenKind::OpenParen);
    let assigned = second == Some(TokenKind::Assign);
    let braced = last == "{";
    let colon = last == ":";
    if matches!(second, Some(TokenKind::Dot | TokenKind::OpenBracket)) || assigned {
        return within(source, tokens, line);
    }
    let found = match first {
        "}" => match text(1) {
            "else" | "elseif" | "elif" => else_if(text(2) == "if" || text(1) != "else", true),
            "catch" | "except" | "finally" => handler(),
            "while" => plain("AVAP loop syntax required: startLoop(i, 1, 5) … endLoop()"),
            _ => return None,
        },
        "for" | "foreach" | "while" | "until" => loop_form(line),
        "loop" | "repeat" | "do" if !called && (braced || colon || tokens.len() <= 2) => loop_form(line),
        "def" | "func" | "fn" | "fun" | "sub" | "proc" | "procedure" if tokens.len() > 1 => {
            function_form(source, tokens)
        }
        "async" if matches!(text(1), "function" | "def" | "fn") => function_form(source, &tokens[1..]),
        "function" if text(1) == "(" || bad_function(source, tokens) => function_form(source, tokens),
        "elif" | "elseif" | "elsif" | "elseIf" | "elseIF" => else_if(true, true),
        "else" if text(1) == "if" => else_if(true, true),
        "else" if matches!(text(1), "{" | ":") => else_if(false, true),
        // With three arguments it is AVAP's own if with something behind it.
        "if" if called && three_arguments(tokens) => return None,
        "if" if colon || braced || last == "then" || text(1) == "[" => condition_form(source, tokens),
        "unless" | "when" if tokens.len() > 1 => condition_form(source, tokens),
        "try" if matches!(text(1), "{" | ":") => Form {
            help: "write try() … exception(e) … end()".into(),
            suggestion: Some("try()".into()),
            opens: Some(Opens::Try),
            divides: None,
        },
        "except" | "catch" | "rescue" | "finally" => handler(),
        "let" | "var" | "const" | "final" | "val" | "auto" | "mut" | "my" | "local" | "dim"
            if tokens.len() > 1 && !called =>
        {
            declaration(source, tokens)
        }
        "int" | "long" | "float" | "double" | "char" | "bool" | "boolean" | "string" | "String" | "str"
        | "byte" | "short" | "unsigned" | "void" | "List" | "Map" | "Object" | "array" | "number"
        | "Integer" | "Boolean"
            if second == Some(TokenKind::Name) || matches!(text(1), "<" | "[" | "*" | "&") =>
        {
            if tokens.iter().any(|t| t.kind == TokenKind::OpenParen) && braced {
                function_form(source, tokens)
            } else {
                declaration(source, tokens)
            }
        }
        "class" | "struct" | "interface" | "enum" | "trait" | "impl" | "namespace" | "module" | "mod"
        | "type" | "typedef"
            if second == Some(TokenKind::Name) =>
        {
            Form {
                opens: Some(Opens::Other),
                ..plain("there are no classes or types; use function name(a) { … } and variables")
            }
        }
        "import" | "from" | "package" | "using" | "use" | "require" | "require_once" | "include_once"
        | "extern"
            if second == Some(TokenKind::Name) || matches!(text(1), "{" | "*" | "(") =>
        {
            plain("there are no modules; the commands are always there")
        }
        "import" if text(1) == "(" => plain("there are no modules; the commands are always there"),
        "switch" | "match" if braced || colon || called && first == "switch" => Form {
            opens: Some(Opens::Condition),
            ..plain("write one if(x, value, \"==\") … end() for each case")
        },
        "case" | "default" if colon || last == "{" => {
            plain("write one if(x, value, \"==\") … end() for each case")
        }
        "break" | "continue" | "pass" | "redo" | "fallthrough" if tokens.len() <= 2 => {
            plain("there is no break, continue or pass; guard the statements with if(…) … end()")
        }
        "throw" | "raise" => {
            plain("there is no throw; set _status and addResult, or let exception(e) catch the error")
        }
        "export" | "public" | "private" | "protected" | "static" | "pub" | "internal" | "abstract"
        | "override"
            if second == Some(TokenKind::Name) =>
        {
            if braced {
                function_form(source, tokens)
            } else {
                plain("there are no modifiers; write x = value or function name(a) { … }")
            }
        }
        "del" | "delete" | "global" | "nonlocal" | "assert" | "defer" | "goto" | "yield" | "await"
        | "new" | "go" | "unset" | "with" | "async"
            if second == Some(TokenKind::Name) =>
        {
            plain("AVAP has no such statement")
        }
        "print" | "echo" | "puts" | "println" | "printf" if !called && tokens.len() > 1 => Form {
            suggestion: Some("addResult(x)".into()),
            ..plain("results are returned with addResult(x)")
        },
        "fi" | "esac" if tokens.len() <= 2 => Form {
            divides: Some(Divides::End),
            suggestion: Some("end()".into()),
            ..plain("blocks are closed with end()")
        },
        "done" | "next" | "endwhile" | "endfor" if tokens.len() <= 2 && !called => Form {
            divides: Some(Divides::EndLoop),
            suggestion: Some("endLoop()".into()),
            ..plain("loops are closed with endLoop()")
        },
        "then" | "begin" if tokens.len() <= 2 => plain("blocks open with if(…), startLoop(…) or try()"),
        _ if is_sql(line) => Form {
            suggestion: Some("ormDirect(sql, target)".into()),
            ..plain("SQL is run as text: ormDirect(\"SELECT …\", target)")
        },
        _ if tokens.first().is_some_and(|t| t.kind == TokenKind::Hash)
            && (first.starts_with("#include") || first.starts_with("#define") || first.starts_with("#!")) =>
        {
            plain("there are no directives; the commands are always there")
        }
        _ if line.starts_with("<?") || line.starts_with("?>") => plain("a program holds AVAP only"),
        // name: type [= value]
        _ if kind(0) == Some(TokenKind::Name)
            && second == Some(TokenKind::Colon)
            && kind(2) == Some(TokenKind::Name)
            && matches!(kind(3), Some(TokenKind::Assign | TokenKind::OpenBracket) | None) =>
        {
            declaration(source, tokens)
        }
        // Type name = value
        _ if kind(0) == Some(TokenKind::Name)
            && second == Some(TokenKind::Name)
            && kind(2) == Some(TokenKind::Assign)
            && !crate::commands::is_keyword(first)
            && crate::commands::command(first).is_none() =>
        {
            declaration(source, tokens)
        }
        _ if first.eq_ignore_ascii_case("export")
            || (is_shell_word(first)
                && matches!(
                    second,
                    Some(
                        TokenKind::Name
                            | TokenKind::Minus
                            | TokenKind::Str
                            | TokenKind::Slash
                            | TokenKind::Dollar
                    )
                )) =>
        {
            plain("this is a shell command, not AVAP")
        }
        // Prose holds such words too; only where something is called, assigned or returned are they code.
        _ if called || first == "return" || tokens.iter().any(|token| token.kind == TokenKind::Assign) => {
            return within(source, tokens, line);
        }
        _ => return None,
    };
    Some(found)
}

fn three_arguments(tokens: &[Token]) -> bool {
    matching(tokens, 1).is_some_and(|close| close > 2 && split(&tokens[2..close]).len() == 3)
}

fn is_shell_word(word: &str) -> bool {
    matches!(
        word,
        "curl"
            | "wget"
            | "cd"
            | "ls"
            | "mkdir"
            | "rm"
            | "cp"
            | "mv"
            | "sudo"
            | "apt"
            | "pip"
            | "npm"
            | "git"
            | "docker"
            | "grep"
            | "cat"
            | "chmod"
            | "kubectl"
            | "source"
    )
}

fn is_sql(line: &str) -> bool {
    let lower = line.to_ascii_lowercase();
    (lower.starts_with("select ") && lower.contains(" from "))
        || ["insert into ", "delete from ", "create table ", "alter table ", "drop table "]
            .iter()
            .any(|start| lower.starts_with(start))
        || (lower.starts_with("update ") && lower.contains(" set "))
}

/// Foreign forms inside an otherwise plain line.
fn within(source: &str, tokens: &[Token], line: &str) -> Option<Form> {
    let text = |at: usize| tokens.get(at).map_or("", |token| token.text(source));
    let kind = |at: usize| tokens.get(at).map(|token| token.kind);
    for at in 0..tokens.len() {
        let word = text(at);
        let next_is_value =
            matches!(kind(at + 1), Some(TokenKind::Name | TokenKind::Str | TokenKind::Number));
        let after_value = at > 0
            && matches!(
                kind(at - 1),
                Some(
                    TokenKind::Name
                        | TokenKind::Str
                        | TokenKind::Number
                        | TokenKind::CloseParen
                        | TokenKind::CloseBracket
                )
            );
        let found = match word {
            "=>" => Form {
                opens: line.ends_with('{').then_some(Opens::Function),
                ..plain("there are no arrow functions; write function name(a) { … }")
            },
            "lambda" if at > 0 => plain("there are no lambdas; write function name(a) { … }"),
            "function" if at > 0 => Form {
                opens: line.ends_with('{').then_some(Opens::Function),
                ..plain("functions are defined on their own line: function name(a) { … }")
            },
            "new" | "await" | "typeof" | "void" if next_is_value => {
                plain("AVAP has no such operator; call the function directly")
            }
            "go" if next_is_value && at > 0 => {
                plain("background work is go_async(id) … end(), awaited with gather(id, seconds)")
            }
            "is" if after_value => Form { suggestion: Some("==".into()), ..plain("compare with ==") },
            "instanceof" if after_value => plain("there are no types to test"),
            "for" if at > 0 && after_value => plain(
                "there are no comprehensions; build the list with startLoop(i, 0, n) … variableToList(x, list) … endLoop()",
            ),
            _ => continue,
        };
        return Some(found);
    }
    None
}

fn plain(help: &str) -> Form {
    Form { help: help.into(), ..Form::default() }
}

fn handler() -> Form {
    Form {
        help: "errors are caught with exception(e) inside try() … end()".into(),
        suggestion: Some("exception(e)".into()),
        opens: None,
        divides: Some(Divides::Exception),
    }
}

fn else_if(condition: bool, foreign: bool) -> Form {
    let help = if condition {
        "write else() and a nested if(x, value, \"==\") … end()"
    } else {
        "write else() on its own line and close the block with end()"
    };
    Form {
        help: help.into(),
        suggestion: Some("else()".into()),
        opens: (condition && foreign).then_some(Opens::Condition),
        divides: Some(Divides::Else),
    }
}

fn function_form(source: &str, tokens: &[Token]) -> Form {
    let open = tokens.iter().position(|token| token.kind == TokenKind::OpenParen);
    let name = open
        .and_then(|at| at.checked_sub(1))
        .map(|at| tokens[at])
        .filter(|token| token.kind == TokenKind::Name)
        .map_or("f", |token| token.text(source));
    let name = if matches!(name, "function" | "func" | "def" | "fn") { "f" } else { name };
    let mut parameters = Vec::new();
    let mut take = true;
    for token in tokens.iter().skip(open.map_or(tokens.len(), |at| at + 1)) {
        match token.kind {
            TokenKind::CloseParen => break,
            TokenKind::Comma => take = true,
            TokenKind::Name if take => {
                parameters.push(token.text(source));
                take = false;
            }
            _ => {}
        }
    }
    let header = format!("function {name}({}) {{", parameters.join(", "));
    Form {
        help: format!("functions are written {header} … }}"),
        suggestion: Some(header),
        opens: Some(Opens::Function),
        divides: None,
    }
}

/// `function f($a)` or `function f(a: number): number {`.
fn bad_function(source: &str, tokens: &[Token]) -> bool {
    tokens.get(1).is_some_and(|token| token.kind == TokenKind::Name)
        && tokens.get(2).is_some_and(|token| token.kind == TokenKind::OpenParen)
        && tokens.iter().skip(3).any(|token| {
            token.kind == TokenKind::Dollar
                || token.kind == TokenKind::Colon && tokens.last().map(|last| last.text(source)) == Some("{")
        })
}

fn declaration(source: &str, tokens: &[Token]) -> Form {
    let equals = tokens.iter().position(|token| {
        token.kind == TokenKind::Assign
            || (token.kind == TokenKind::UnknownSymbol && token.text(source) == ":=")
    });
    let colon = tokens.get(1).is_some_and(|token| token.kind == TokenKind::Colon);
    let typed = tokens.get(2).is_some_and(|token| token.kind == TokenKind::Colon);
    let name = if colon {
        tokens.first()
    } else if typed {
        tokens.get(1)
    } else {
        let end = equals.unwrap_or(tokens.len());
        tokens[..end].iter().rev().find(|token| token.kind == TokenKind::Name)
    };
    let name = name.map_or("x", |token| token.text(source));
    let last = tokens.iter().rposition(|token| token.kind != TokenKind::Semicolon).unwrap_or(0);
    let value = equals
        .filter(|at| *at < last)
        .and_then(|at| source.get(tokens[at + 1].start as usize..tokens[last].end as usize))
        .map_or_else(|| "None".to_owned(), clip);
    Form {
        help: format!("variables are not declared; write {name} = {value} or addVar({name}, {value})"),
        suggestion: Some(format!("{name} = {value}")),
        opens: None,
        divides: None,
    }
}

fn condition_form(source: &str, tokens: &[Token]) -> Form {
    let inner: Vec<&Token> = tokens[1..]
        .iter()
        .filter(|token| !matches!(token.kind, TokenKind::OpenBrace | TokenKind::Colon))
        .filter(|token| token.text(source) != "then")
        .collect();
    let text = match (inner.first(), inner.last()) {
        (Some(from), Some(to)) => source.get(from.start as usize..to.end as usize).unwrap_or_default(),
        _ => "",
    };
    let suggestion = rewrite_condition(text);
    Form {
        help: format!("write {suggestion} … end()"),
        suggestion: Some(suggestion),
        opens: Some(Opens::Condition),
        divides: None,
    }
}

/// The AVAP form of a condition written as an expression: `x > 3` becomes `if(x, 3, ">")`.
pub(crate) fn rewrite_condition(condition: &str) -> String {
    let mut text = condition.trim();
    while text.starts_with('(') && text.ends_with(')') && text.len() >= 2 {
        text = text[1..text.len() - 1].trim();
    }
    for (op, avap) in [
        ("===", "=="),
        ("!==", "!="),
        ("==", "=="),
        ("!=", "!="),
        ("<=", "<="),
        (">=", ">="),
        ("<", "<"),
        (">", ">"),
    ] {
        if let Some((left, right)) = text.split_once(op) {
            let (left, right) = (left.trim(), right.trim());
            let simple = |side: &str| {
                !side.is_empty() && !side.contains([' ', '&', '|', '<', '>', '=', '!', '(', ')', ','])
            };
            if simple(left) && simple(right) {
                return format!("if({left}, {right}, \"{avap}\")");
            }
        }
    }
    if text.is_empty() {
        return "if(x, 1, \"==\")".to_owned();
    }
    let text = text.replace("&&", "and").replace("||", "or").replace("===", "==").replace('"', "'");
    format!("if(None, None, \"{}\")", clip(&text))
}

fn loop_form(line: &str) -> Form {
    let suggestion = rewrite_loop(line).unwrap_or_else(|| "startLoop(i, 1, 5)".to_owned());
    Form {
        help: format!("AVAP loop syntax required: {suggestion} … endLoop()"),
        suggestion: Some(suggestion),
        opens: Some(Opens::Loop),
        divides: None,
    }
}

/// The AVAP form of a counting loop of Python, JavaScript, C or Go, where it can be told.
fn rewrite_loop(line: &str) -> Option<String> {
    let minus_one = |text: &str| match text.parse::<i64>() {
        Ok(value) => value.saturating_sub(1).to_string(),
        Err(_) => format!("{text} - 1"),
    };
    let rest = line.strip_prefix("for")?.trim().trim_start_matches('(');
    if let Some((name, after)) = rest.split_once(" in range(") {
        let arguments: Vec<&str> = after.split(')').next()?.split(',').map(str::trim).collect();
        let (from, to) = match arguments.as_slice() {
            [to] => ("0", *to),
            [from, to, ..] => (*from, *to),
            [] => return None,
        };
        return Some(format!("startLoop({}, {from}, {})", name.trim(), minus_one(to)));
    }
    let mut parts = rest.splitn(3, ';');
    let (start, check) = (parts.next()?, parts.next()?);
    parts.next()?;
    let (name, from) = start.split_once('=')?;
    let name = name.trim().trim_end_matches(':').split_whitespace().last()?;
    let (inclusive, to) = match (check.split_once("<="), check.split_once('<')) {
        (Some((_, to)), _) => (true, to.trim()),
        (None, Some((_, to))) => (false, to.trim()),
        (None, None) => return None,
    };
    let to = if inclusive { to.to_owned() } else { minus_one(to) };
    Some(format!("startLoop({name}, {}, {to})", from.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lexer::lex;

    fn check_form(line: &str, help_holds: &str) {
        let tokens = lex(line).tokens;
        let found = form(line, &tokens, line);
        let all =
            found.map(|f| format!("{} {}", f.suggestion.unwrap_or_default(), f.help)).unwrap_or_default();
        assert!(all.contains(help_holds), "{line}: {all}");
    }

    #[test]
    fn loops_are_translated() {
        check_form("for i in range(1, 6):", "startLoop(i, 1, 5) … endLoop()");
        check_form("for i in range(n):", "startLoop(i, 0, n - 1)");
        check_form("for (let i = 0; i < 10; i++) {", "startLoop(i, 0, 9)");
        check_form("for i := 1; i <= n; i++ {", "startLoop(i, 1, n)");
        check_form("while x < 3:", "startLoop");
    }

    #[test]
    fn conditions_and_declarations_are_translated() {
        check_form("if x > 3:", "if(x, 3, \">\")");
        check_form("if (a === b && c) {", "if(None, None, ");
        check_form("let x = 5;", "x = 5 or addVar(x, 5)");
        check_form("int total = 0;", "addVar(total, 0)");
        check_form("x: int = 5", "x = 5");
        check_form("def f(a, b):", "function f(a, b) {");
        check_form("const f = (a) => a", "variables are not declared");
    }

    #[test]
    fn marks_tell_languages_apart() {
        let check = |line: &str, language: Language| {
            assert!(marks(line).has(language), "{line} bears no mark of {}", language.name());
        };
        check("x := 5", Language::Go);
        check("def f(a):", Language::Python);
        check("const x = 5;", Language::JavaScript);
        check("const x: number = 5;", Language::TypeScript);
        check("$x = $_GET['a'];", Language::Php);
        check("public static void main(String[] args) {", Language::Java);
        check("let mut x = 5;", Language::Rust);
        check("#include <stdio.h>", Language::C);
        check("SELECT a FROM b", Language::Sql);
        check("if [ -z \"$1\" ]; then", Language::Shell);
        assert_eq!(marks("addVar(text, \"const x = 5\")"), Marks::default());
    }
}
