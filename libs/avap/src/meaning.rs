//! What the words of an unknown name mean: English and Spanish words to one vocabulary, glued words apart, and a table
//! from meanings (hash, parameter, result, time, HTTP, loop, error, JSON, database, list, text, random) to commands.

mod families;
mod vocabulary;

use families::{block_word, conversion, time};
use vocabulary::ELSEWHERE;
pub(crate) use vocabulary::{known, mended};

/// The command that does what the words say; `""` where it is known that none does.
pub(crate) fn meaning(words: &[String]) -> Option<&'static str> {
    let has = |set: &[&str]| words.iter().any(|word| set.contains(&word.as_str()));
    let place = |set: &[&str]| words.iter().position(|word| set.contains(&word.as_str()));
    let starts = |prefix: &str| words.iter().any(|word| word.starts_with(prefix));
    let joined = words.concat();
    let param = has(&["param", "params", "parameter", "parameters", "arg", "args", "argument", "arguments"]);
    let elsewhere = ELSEWHERE.split(' ').any(|thing| has(&[thing]));

    if joined.contains("md5") {
        return Some("encodeMD5");
    }
    if (has(&["hash", "hashing", "hashed", "sha", "digest", "checksum"]) || starts("sha1") || starts("sha2"))
        && !has(&["table", "map", "verify", "compare", "check", "tag"])
        || starts("sha512")
        || starts("sha384")
        || joined.contains("sha") && joined.contains("256")
    {
        return Some("encodeSHA256");
    }
    if has(&["isnull", "isnone", "isempty", "isset", "empty", "sms"])
        || has(&["email", "mail"]) && !param
        || has(&["is", "are", "has"]) && !has(&["table"])
        || (has(&["delete", "remove", "unset", "free", "clear"])
            && (elsewhere || has(&["var", "variable", "item", "element", "list", "key"])))
        || has(&["break", "continue"])
        || has(&[
            "sort",
            "reverse",
            "filter",
            "map",
            "reduce",
            "split",
            "uppercase",
            "lowercase",
            "upper",
            "lower",
        ])
        || has(&["base64", "compress", "zip", "translate", "round", "floor", "ceil"])
        || has(&["calculate", "compute"])
    {
        return Some("");
    }
    // Security helpers that sound like commands and have no counterpart.
    if has(&[
        "confirm",
        "verify",
        "authenticate",
        "login",
        "logout",
        "authorize",
        "jwt",
        "encrypt",
        "decrypt",
        "bcrypt",
        "validate",
        "validation",
        "permission",
        "permissions",
        "signature",
    ]) || (has(&["token", "uuid", "password"]) && !has(&["random", "rand"]) && !param)
    {
        return Some("");
    }
    if joined.starts_with("endfunc") || joined.starts_with("closefunc") {
        return Some("}");
    }
    if (has(&["status", "statuscode"]) || joined.contains("httpcode") || joined.contains("responsecode"))
        && !has(&["get", "check", "read"])
        && !param
    {
        return Some("_status");
    }
    if has(&["random", "rand", "randint", "nonce"]) {
        return Some("randomString");
    }
    if let Some(command) = block_word(words, &joined) {
        return Some(command);
    }
    if param
        || has(&["query"]) && has(&["string", "value", "field"])
        || (has(&["form", "body", "payload", "formdata", "querystring", "input"])
            && !has(&["post", "send", "submit", "json", "set"]))
    {
        let list = has(&["list", "all", "params", "parameters", "args", "arguments"])
            && !has(&["value", "field", "one", "by"]);
        return Some(if list { "getQueryParamList" } else { "addParam" });
    }
    if has(&["receive", "ask", "prompt"]) && !elsewhere {
        return Some("addParam");
    }
    if has(&["json", "xml"])
        && has(&[
            "respond", "response", "reply", "send", "return", "output", "print", "result", "show", "render",
        ])
        && !has(&["post", "request", "http"])
        || joined == "jsonify"
    {
        return Some("addResult");
    }
    let http = has(&[
        "http", "https", "fetch", "request", "curl", "axios", "url", "uri", "rest", "api", "webhook",
        "download", "web",
    ]);
    if http && !(elsewhere && has(&["upload"])) && !has(&["encode", "decode", "register", "define", "create"])
        || has(&["post"])
        || has(&["put", "patch"])
            && !has(&["json", "dict", "object", "list", "array", "result", "results", "response"])
    {
        let sends = has(&["post", "put", "patch", "submit"]) || has(&["send"]) && !has(&["get"]);
        return Some(if sends { "RequestPost" } else { "RequestGet" });
    }
    if has(&["submit"]) && !elsewhere {
        return Some("RequestPost");
    }
    if joined == "get"
        || (has(&["get"]) && has(&["send", "do", "make"]))
        || (has(&["call", "consume", "invoke", "hit"]) && has(&["service", "remote", "external", "endpoint"]))
    {
        return Some("RequestGet");
    }
    if has(&["catch", "except", "rescue", "onerror", "throw", "raise"])
        || (has(&["error", "exception", "err"])
            && !has(&["add", "set", "return", "print", "log", "send", "show", "write", "output"]))
    {
        return Some("exception");
    }
    if has(&["table"]) && has(&["check", "exists", "has", "exist", "is"]) {
        return Some("ormCheckTable");
    }
    if has(&["sql", "db", "database", "orm", "mysql", "postgres", "sqlite", "mongo", "table"])
        || (has(&["run", "execute", "exec", "query"])
            && !has(&["async", "thread", "task", "background", "list"]))
            && has(&["query", "statement", "select", "insert", "update", "delete", "execute", "exec"])
    {
        return Some("ormDirect");
    }
    if has(&["json", "dict", "stringify", "dumps", "serialize", "deserialize", "jsonobject"])
        || has(&["object"]) && words.len() > 1
    {
        let reads = has(&[
            "get",
            "read",
            "from",
            "extract",
            "parse",
            "decode",
            "load",
            "loads",
            "deserialize",
            "find",
        ]);
        let writes = has(&[
            "add",
            "set",
            "put",
            "to",
            "make",
            "create",
            "build",
            "insert",
            "write",
            "stringify",
            "dumps",
            "encode",
            "update",
            "append",
            "serialize",
            "new",
            "generate",
            "convert",
        ]);
        return Some(if writes && !reads { "AddvariableToJSON" } else { "variableFromJSON" });
    }
    if has(&[
        "result", "results", "response", "output", "print", "println", "printf", "echo", "log", "respond",
        "reply", "display", "show", "puts", "say", "render", "emit", "publish", "return", "returns", "yield",
        "export",
    ]) && !has(&["get", "read", "file", "image", "pdf"])
    {
        return Some("addResult");
    }
    if let Some(command) = time(words, &joined) {
        return Some(command);
    }
    if has(&["replace", "substitute", "sub", "strip", "trim", "clean", "gsub", "ltrim", "rtrim"])
        || has(&["remove", "delete", "drop"])
            && has(&["space", "whitespace", "char", "chars", "text", "string"])
    {
        return Some("replace");
    }
    if has(&["regex", "regexp", "match", "matches", "pattern", "findall", "grep"])
        || has(&["search", "extract", "find"]) && has(&["text", "string"])
        || (has(&["search", "extract"]) && words.len() == 1)
    {
        return Some("getRegex");
    }
    let list = has(&[
        "list",
        "array",
        "arr",
        "vector",
        "collection",
        "items",
        "elements",
        "item",
        "element",
        "elem",
    ]);
    if has(&["len", "length", "size", "sizeof", "strlen"])
        || has(&["count", "number"]) && (list || words.len() == 1)
    {
        return Some("getListLen");
    }
    if has(&["append", "tolist"]) && !has(&["send"])
        || list
            && has(&["add", "to", "create", "make", "new", "insert", "set", "put", "build", "into", "init"])
    {
        return Some("variableToList");
    }
    if !elsewhere
        && (has(&["item", "element", "elem", "nth"])
            || has(&["index", "at"]) && (words.len() <= 2 || has(&["get", "read"]))
            || list && has(&["get", "from", "read", "of", "fetch", "first", "last", "pick"]))
    {
        return Some("itemFromList");
    }
    if has(&["endpoint", "route", "register", "path", "handler"]) && !elsewhere {
        return Some("registerEndpoint");
    }
    if has(&["connector", "connect", "connection"]) {
        return Some("avapConnector");
    }
    if let Some(command) = conversion(words, &joined) {
        return Some(command);
    }
    if has(&["await", "gather", "waiting"])
        || has(&["wait"]) && words.len() > 1
        || (has(&["join", "collect"]) && has(&["async", "thread", "threads", "task", "tasks", "job", "jobs"]))
    {
        return Some("gather");
    }
    if has(&["async", "thread", "spawn", "background", "goroutine", "concurrent", "parallel"]) {
        return Some("go_async");
    }
    if has(&["var", "variable", "assign", "define", "declare", "let", "const"]) && !elsewhere
        || matches!(joined.as_str(), "set" | "setvalue" | "assignvalue")
    {
        return Some("addVar");
    }
    if joined == "send"
        || has(&["send", "write"]) && has(&["back", "data", "message", "value", "text"]) && !elsewhere
    {
        return Some("addResult");
    }
    if let (Some(_), true) = (place(&["message"]), has(&["send"])) {
        return Some("addResult");
    }
    elsewhere.then_some("")
}
