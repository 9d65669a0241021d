//! Families of invented commands: words for blocks, for times and for conversions.

/// Words that open, divide and close blocks.
pub(super) fn block_word(words: &[String], joined: &str) -> Option<&'static str> {
    let has = |set: &[&str]| words.iter().any(|word| set.contains(&word.as_str()));
    let first = words.first().map_or("", String::as_str);
    let looping = has(&["loop", "for", "while", "foreach", "iterate", "iteration", "repeat", "until"]);
    let ending = has(&["end", "close", "stop", "finish", "next", "exit", "leave"]);
    if has(&["endfor", "endwhile", "endloop", "closeloop", "stoploop"]) || ending && looping {
        return Some("endLoop");
    }
    if matches!(joined, "each" | "range" | "dowhile" | "next")
        || matches!(first, "for" | "foreach" | "while" | "until" | "loop" | "repeat" | "iterate")
            && !(first == "for" && has(&["mat", "get"]))
        || looping && words.len() <= 2 && !has(&["wait"])
    {
        return Some("startLoop");
    }
    if matches!(first, "try" | "attempt") || has(&["try"]) && has(&["start", "begin", "open", "do", "block"])
    {
        return Some(if ending { "end" } else { "try" });
    }
    if matches!(
        joined,
        "end"
            | "fin"
            | "fi"
            | "finish"
            | "close"
            | "stop"
            | "done"
            | "endblock"
            | "blockend"
            | "closeblock"
            | "terminate"
    ) || ending
        && has(&[
            "if",
            "endif",
            "try",
            "async",
            "block",
            "exception",
            "else",
            "catch",
            "condition",
            "function",
            "background",
        ])
        || has(&["endif", "endtry"])
    {
        return Some("end");
    }
    if matches!(joined, "elif" | "elseif" | "elsif" | "otherwise" | "else" | "ifnot") {
        return Some("else");
    }
    if matches!(joined, "begin") {
        return Some("try");
    }
    if matches!(joined, "when" | "unless" | "switch" | "case" | "compare" | "condition" | "check" | "if")
        || first == "if" && has(&["condition", "start", "begin", "equal", "equals", "else", "then"])
        || has(&["if"]) && has(&["start", "begin", "open"])
    {
        return Some("if");
    }
    None
}

pub(super) fn time(words: &[String], joined: &str) -> Option<&'static str> {
    let place = |set: &[&str]| words.iter().position(|word| set.contains(&word.as_str()));
    let has = |set: &[&str]| place(set).is_some();
    if !has(&[
        "now",
        "today",
        "date",
        "datetime",
        "time",
        "timestamp",
        "clock",
        "epoch",
        "stamp",
        "strftime",
        "strptime",
        "strtotime",
        "mktime",
        "unixtime",
        "tomorrow",
        "yesterday",
        "day",
        "hour",
    ]) || has(&["out", "timeout", "zone", "sleep"])
    {
        return None;
    }
    let stamp = place(&["stamp", "timestamp", "epoch", "unix", "unixtime", "seconds", "millis"]);
    let date = place(&["date", "datetime", "string", "str", "text"]);
    let to = place(&["to", "as", "into", "2"]);
    let from = place(&["from"]);
    let current = has(&["now", "current", "today", "system", "get", "tomorrow", "yesterday"]);
    if let (Some(stamp), Some(to)) = (stamp, to) {
        // What stands behind "to" is what comes out.
        return Some(if stamp > to { "getTimeStamp" } else { "stampToDatetime" });
    }
    if let (Some(stamp), Some(from)) = (stamp, from) {
        return Some(if stamp > from { "stampToDatetime" } else { "getTimeStamp" });
    }
    if has(&["parse", "strptime", "strtotime", "mktime"])
        || matches!((date, to), (Some(date), Some(to)) if date < to && joined.ends_with("time"))
        || matches!((date, from), (Some(date), Some(from)) if date > from)
        || matches!((stamp, date), (Some(_), Some(_))) && has(&["string", "str", "text"])
    {
        return Some("getTimeStamp");
    }
    if stamp.is_some() && has(&["format", "strftime", "convert", "decode"]) && !current {
        return Some("stampToDatetime");
    }
    Some("getDateTime")
}

/// Conversions of single values, which are helpers of expressions.
pub(super) fn conversion(words: &[String], joined: &str) -> Option<&'static str> {
    let has = |set: &[&str]| words.iter().any(|word| set.contains(&word.as_str()));
    let kind = |word: &str| {
        Some(match word {
            "str" | "string" | "text" => "str",
            "int" | "integer" | "number" => "int",
            "float" | "double" | "decimal" => "float",
            _ => return None,
        })
    };
    match joined {
        "tostring" | "string" | "tostr" | "strval" | "text" => return Some("str"),
        "toint" | "integer" | "parseint" | "number" | "intval" => return Some("int"),
        "tofloat" | "parsefloat" | "decimal" | "floatval" | "double" => return Some("float"),
        _ => {}
    }
    if !has(&["to", "parse", "convert", "cast", "as"]) {
        return None;
    }
    words.last().and_then(|word| kind(word)).or_else(|| {
        words
            .iter()
            .position(|word| word == "to")
            .and_then(|at| words.get(at + 1))
            .and_then(|word| kind(word))
    })
}
