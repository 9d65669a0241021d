//! Constants and library objects of other languages, and what AVAP has in their place.

/// What other languages write for an empty value.
pub(crate) const CONSTANTS: &[&str] = &["null", "nil", "undefined", "NULL", "nullptr", "NaN"];

pub(crate) fn is_foreign_constant(word: &str) -> bool {
    CONSTANTS.contains(&word)
}

/// Whether a member, read without a call, belongs to a library object of another language.
pub(crate) fn is_foreign_member(receiver: &str, member: &str) -> bool {
    match receiver {
        "os" => member == "environ",
        "process" => matches!(member, "env" | "argv"),
        "sys" => member == "argv",
        "request" | "req" | "flask" => matches!(
            member,
            "args"
                | "form"
                | "json"
                | "values"
                | "GET"
                | "POST"
                | "query"
                | "params"
                | "body"
                | "headers"
                | "cookies"
                | "data"
        ),
        "Math" | "math" => matches!(member, "PI" | "pi" | "E" | "e"),
        "document" | "window" => true,
        _ => false,
    }
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
