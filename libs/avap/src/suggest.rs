//! The nearest name for an unknown one: edit distance over commands and the program's own functions, and a table of
//! meanings over the words that the name is made of (hash, parameter, result, time, HTTP, loop, error, …).

use crate::commands::{HELPERS, Profiles, command, commands};
use crate::meaning;

/// Functions of a program that are looked at for one unknown name.
const MOST_FUNCTIONS: usize = 512;

/// What to say about an unknown name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Suggestion {
    /// The name to use instead.
    pub(crate) name: Option<String>,
    /// How it is used, or that there is nothing like it.
    pub(crate) help: String,
}

/// Longest name, in bytes, that is compared letter by letter: the time grows with the square of it.
const LONGEST_NAME: usize = 64;

/// The nearest known name of an unknown command or function, `functions` being those that the program defines.
pub(crate) fn suggest<'a>(
    unknown: &str,
    functions: impl Iterator<Item = &'a str>,
    profiles: Profiles,
) -> Suggestion {
    let lower = unknown.to_ascii_lowercase();
    let mut best: Option<(usize, &str)> = None;
    let names = functions.take(MOST_FUNCTIONS).chain(
        commands()
            .iter()
            .filter(|command| profiles.contains(command.profile))
            .map(|command| command.name.as_str())
            .chain(["function", "return"])
            .chain(HELPERS.iter().copied()),
    );
    for name in names {
        // Two words are at least as far from one another as their lengths are.
        let longest = name.len().max(unknown.len());
        if longest > LONGEST_NAME || 3 * name.len().abs_diff(unknown.len()) > longest {
            continue;
        }
        let distance = strsim::damerau_levenshtein(&lower, &name.to_ascii_lowercase());
        if best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, name));
        }
    }
    let near = |share: usize| {
        best.filter(|(distance, name)| {
            let length = name.len().max(unknown.len());
            *distance == 0 || distance * share <= length && *distance < length.min(name.len())
        })
    };
    // A slip of one letter in five or fewer is a typing mistake; beyond that the meaning says more.
    if let Some((_, name)) = near(5).or_else(|| near(4).filter(|(distance, _)| *distance == 1)) {
        return named(name);
    }
    let words = meaning::known(&words(unknown));
    if let Some(name) = meaning::meaning(&words) {
        return if name.is_empty() { nothing(&words) } else { named(name) };
    }
    // A slip in a word that only the meanings know.
    let mended = meaning::mended(&words);
    if let Some(mended) = &mended
        && let Some(name) = meaning::meaning(mended)
    {
        return if name.is_empty() { nothing(mended) } else { named(name) };
    }
    match near(3) {
        Some((_, name)) => named(name),
        None => nothing(&words),
    }
}

fn nothing(words: &[String]) -> Suggestion {
    let has = |set: &[&str]| words.iter().any(|word| set.contains(&word.as_str()));
    let instead = if has(&["concat", "concatenate", "join", "format", "sprintf", "strcat"]) {
        "texts are joined with +, or written as a template: `text ${name}`"
    } else if has(&["break", "continue", "skip"]) {
        "loops run to their end; guard the statements with if(…) … end()"
    } else if has(&["null", "none", "empty", "nil", "defined", "isset"]) {
        "compare with None: if(x, None, \"==\") … end()"
    } else if has(&["include", "import", "require", "load"]) && words.len() <= 2 {
        "there are no modules, the commands are always there"
    } else if has(&[
        "sum",
        "add",
        "subtract",
        "multiply",
        "divide",
        "power",
        "pow",
        "sqrt",
        "increment",
        "decrement",
    ]) {
        "arithmetic is written with + - * / %"
    } else if has(&["sleep", "delay", "pause"]) {
        "a program cannot pause; background work is awaited with gather(id, seconds)"
    } else {
        "write it as a function of your own"
    };
    Suggestion { name: None, help: format!("AVAP has no equivalent command; {instead}") }
}

fn named(name: &str) -> Suggestion {
    Suggestion { name: Some(name.to_owned()), help: usage(name) }
}

/// How a name is used.
pub(crate) fn usage(name: &str) -> String {
    match name {
        "startLoop" => "startLoop(i, 1, 5) … endLoop()".to_owned(),
        "if" => "if(x, 1, \"==\") … else() … end()".to_owned(),
        "exception" => "try() … exception(e) … end()".to_owned(),
        "getTimeStamp" => {
            "getTimeStamp(text, format, delta, target) reads a date text; the current time is getDateTime(format, delta, zone, target)"
                .to_owned()
        }
        "function" => "function f(a){ … }".to_owned(),
        "_status" => "_status = 404 sets the HTTP status".to_owned(),
        "}" => "} alone on its line closes a function".to_owned(),
        "RequestGet" => {
            "RequestGet(url, query, headers, target) sends a GET, RequestPost(url, query, headers, body, target) a POST".to_owned()
        }
        "RequestPost" => {
            "RequestPost(url, query, headers, body, target) sends a POST, RequestGet(url, query, headers, target) a GET".to_owned()
        }
        _ if HELPERS.contains(&name) => format!("{name}(x) gives a value and stands in any expression"),
        _ => command(name).map_or_else(
            || format!("{name}(…) is defined in this program"),
            |command| format!("{}: {}", command.signature(), command.effect),
        ),
    }
}

/// The words of an identifier, in lower case: `generateSHA256Hash` → generate, sha256, hash.
pub(crate) fn words(name: &str) -> Vec<String> {
    let chars: Vec<char> = name.chars().collect();
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    for (at, c) in chars.iter().enumerate() {
        let previous = at.checked_sub(1).map(|before| chars[before]);
        let next_lower = chars.get(at + 1).is_some_and(char::is_ascii_lowercase);
        let starts = c.is_ascii_uppercase()
            && previous.is_some_and(|p| {
                p.is_ascii_lowercase() || (p.is_ascii_uppercase() && next_lower) || p.is_ascii_digit()
            });
        if (starts || !c.is_ascii_alphanumeric()) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if c.is_ascii_alphanumeric() {
            word.push(c.to_ascii_lowercase());
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::Profile;

    fn nearest(unknown: &str) -> Option<String> {
        suggest(unknown, ["calculateTotal", "greet"].into_iter(), Profile::defaults()).name
    }

    #[test]
    fn unknown_name_is_matched_by_spelling_or_meaning() {
        for (unknown, expected) in [
            ("getSHA256", "encodeSHA256"),
            ("generateSHA256Hash", "encodeSHA256"),
            ("sha256", "encodeSHA256"),
            ("hashSHA256", "encodeSHA256"),
            ("computeDigest", "encodeSHA256"),
            ("getMD5", "encodeMD5"),
            ("md5", "encodeMD5"),
            ("readParam", "addParam"),
            ("getParam", "addParam"),
            ("ifParam", "addParam"),
            ("getQueryParam", "addParam"),
            ("getParameter", "addParam"),
            ("getListParamList", "getQueryParamList"),
            ("returnResult", "addResult"),
            ("setResult", "addResult"),
            ("print", "addResult"),
            ("sendResponse", "addResult"),
            ("getTimestamp", "getTimeStamp"),
            ("now", "getDateTime"),
            ("currentDate", "getDateTime"),
            ("httpGet", "RequestGet"),
            ("fetch", "RequestGet"),
            ("httpPost", "RequestPost"),
            ("for", "startLoop"),
            ("foreach", "startLoop"),
            ("while", "startLoop"),
            ("endFor", "endLoop"),
            ("catch", "exception"),
            ("except", "exception"),
            ("endif", "end"),
            ("addvar", "addVar"),
            ("AddVar", "addVar"),
            ("adVar", "addVar"),
            ("startloop", "startLoop"),
            ("edn", "end"),
            ("addVariableToJSON", "AddvariableToJSON"),
            ("parseJSON", "variableFromJSON"),
            ("listLength", "getListLen"),
            ("appendToList", "variableToList"),
            ("executeSQL", "ormDirect"),
            ("runQuery", "ormDirect"),
            ("postJson", "RequestPost"),
            ("sendGet", "RequestGet"),
            ("iterateList", "startLoop"),
            ("setStatus", "_status"),
            ("endFunction", "}"),
            ("emit", "addResult"),
            ("hashPassword", "encodeSHA256"),
            ("sha512", "encodeSHA256"),
            ("sendJson", "addResult"),
            ("jsonify", "addResult"),
            ("getFormData", "addParam"),
            ("strToTime", "getTimeStamp"),
            ("callEndpoint", "RequestGet"),
            ("ifEnd", "end"),
            ("startTry", "try"),
            ("join_async", "gather"),
            ("addItem", "variableToList"),
            ("getLastError", "exception"),
            ("calculateTotl", "calculateTotal"),
            ("lenght", "getListLen"),
            ("listLenght", "getListLen"),
            ("responce", "addResult"),
            ("sendRespnse", "addResult"),
            ("curentDate", "getDateTime"),
            ("makeRequst", "RequestGet"),
            ("generateRandm", "randomString"),
        ] {
            assert_eq!(nearest(unknown).as_deref(), Some(expected), "{unknown}");
        }
    }

    #[test]
    fn what_has_no_equivalent_is_said_so() {
        for unknown in ["confirmPassword", "generateToken", "frobnicate", "confirmPasword", "stack", "parcel"]
        {
            let found = suggest(unknown, std::iter::empty(), Profile::defaults());
            assert_eq!(found.name, None, "{unknown}");
            assert!(found.help.contains("no equivalent"), "{unknown}");
        }
    }

    #[test]
    fn identifiers_fall_into_words() {
        assert_eq!(words("generateSHA256Hash"), ["generate", "sha256", "hash"]);
        assert_eq!(words("get_url_2"), ["get", "url", "2"]);
        assert_eq!(words("getJSON"), ["get", "json"]);
    }
}
