//! What the words of an unknown name mean: English and Spanish words to one vocabulary, glued words apart, and a table
//! from meanings (hash, parameter, result, time, HTTP, loop, error, JSON, database, list, text, random) to commands.

mod families;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::LazyLock;

use families::{block_word, conversion, time};

/// Words of other forms, and Spanish ones, behind the word that the table of meanings knows; one such word a line.
const SAME: &str = include_str!("meaning.txt");

static KNOWN: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| {
    let forms = SAME.lines().filter_map(|line| line.split_once(": "));
    forms.flat_map(|(word, forms)| forms.split(' ').map(move |form| (form, word))).collect()
});

/// Words into which a longer one may fall: `getparam`, `urlopen`, `agregarjson`.
const PIECES: &str = "\
    add alert all api append arg args array async await begin body build call catch char chars check \
    clean close code connect connector convert count create current data database date datetime db \
    decode define dict digest do each echo element else encode end endpoint epoch error exception exec \
    execute exists fetch field find float for form format from generate get hash header hex http https if \
    input insert int item items iterate json key len length list load log loop make match md5 message \
    new now number object open orm output param parameter parameters params parse pattern post print \
    push put query rand random read regex remove replace request response rest result results return \
    route run save search select send service set sha sha1 sha256 sha512 show size spawn sql stamp start \
    status stop str string table text thread time timestamp to today token trim try unix update url user \
    val value var variable wait while write";

/// Things of other worlds: what a name says of them no command of AVAP does.
const ELSEWHERE: &str = "\
    account audio authentication cache camera chart cookie csv currency customer directory disk discount \
    document email event excel file folder image invoice jwt mail message_queue notification oauth order \
    password payment pdf permission permissions photo product products qr role roles session signature \
    sms socket sound tax user users video";

/// The words that the table knows for those of a name.
pub(crate) fn known(words: &[String]) -> Vec<String> {
    let mut out = Vec::with_capacity(words.len());
    for word in words {
        match KNOWN.get(word.as_str()) {
            Some(same) => out.push((*same).to_owned()),
            None => match pieces(word) {
                Some(pieces) => out.extend(pieces),
                None => out.push(word.clone()),
            },
        }
    }
    out
}

/// The known words that a longer one is glued of, if it is.
fn pieces(word: &str) -> Option<Vec<String>> {
    let piece = |text: &str| -> Option<String> {
        if is_piece(text) {
            return Some(text.to_owned());
        }
        let same = *KNOWN.get(text)?;
        (text.len() > 3 || text == "a").then(|| same.to_owned())
    };
    if word.len() < 5 || word.len() > 24 || !word.is_ascii() || is_word(word) {
        return None;
    }
    // The split with the fewest pieces, for each end.
    let mut best: Vec<Option<Vec<String>>> = vec![None; word.len() + 1];
    best[0] = Some(Vec::new());
    for end in 1..=word.len() {
        for start in 0..end {
            let Some(before) = best[start].clone() else { continue };
            let Some(last) = piece(&word[start..end]) else { continue };
            if best[end].as_ref().is_none_or(|found| found.len() > before.len() + 1) {
                best[end] = Some(before.into_iter().chain([last]).collect());
            }
        }
    }
    best.pop().flatten().filter(|found| found.len() > 1)
}

/// The words with slips of one letter mended where the vocabulary has a word for it; `None` where none is mended.
pub(crate) fn mended(words: &[String]) -> Option<Vec<String>> {
    let mut changed = false;
    let words = words.iter().map(|word| match nearest(word) {
        Some(meant) => {
            changed = true;
            KNOWN.get(meant).copied().unwrap_or(meant).to_owned()
        }
        None => word.clone(),
    });
    let words = words.collect();
    changed.then_some(words)
}

/// The word of the vocabulary that an unknown one of some length becomes by one slip: a letter too many, too few or
/// wrong, or two that changed places; never the first, which slips least.
fn nearest(word: &str) -> Option<&'static str> {
    static VOCABULARY: LazyLock<BTreeSet<&str>> = LazyLock::new(|| {
        let known = KNOWN.iter().flat_map(|(form, word)| [*form, *word]);
        known
            .chain(PIECES.split(' '))
            .chain(ELSEWHERE.split(' '))
            .filter(|word| word.len() >= SHORTEST)
            .collect()
    });
    const SHORTEST: usize = 5;
    if word.len() < SHORTEST || word.len() > 24 || VOCABULARY.contains(word) {
        return None;
    }
    let near = |known: &&&str| {
        known.len().abs_diff(word.len()) <= 1
            && known.as_bytes().first() == word.as_bytes().first()
            && strsim::damerau_levenshtein(known, word) == 1
    };
    VOCABULARY.iter().find(near).copied()
}

fn is_piece(word: &str) -> bool {
    static SET: LazyLock<HashSet<&str>> = LazyLock::new(|| PIECES.split(' ').collect());
    SET.contains(word)
}

/// Words that stay whole although they could be split.
fn is_word(word: &str) -> bool {
    is_piece(word)
        || matches!(
            word,
            "foreach"
                | "endif"
                | "endfor"
                | "endwhile"
                | "endloop"
                | "isset"
                | "isnull"
                | "isnone"
                | "isempty"
                | "strftime"
                | "strptime"
                | "strtotime"
                | "mktime"
                | "strlen"
                | "onerror"
                | "elseif"
                | "endtry"
                | "parseint"
                | "parsefloat"
                | "tostring"
                | "toint"
                | "tofloat"
                | "tolist"
                | "gather"
                | "querystring"
                | "unixtime"
                | "randint"
                | "findall"
                | "formdata"
                | "statuscode"
                | "stringify"
                | "jsonify"
        )
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn glued_and_spanish_words_fall_apart() {
        let parts = |word: &str| known(&[word.to_owned()]);
        assert_eq!(parts("getparam"), ["get", "param"]);
        assert_eq!(parts("urlopen"), ["url", "open"]);
        assert_eq!(parts("ajson"), ["to", "json"]);
        assert_eq!(parts("obtener"), ["get"]);
        assert_eq!(parts("database"), ["database"]);
        assert_eq!(parts("international"), ["international"]);
    }
}
