//! What the diagnostic codes of the languages beside AVAP mean. The letters name the language, the number the mistake:
//! up to 003 it is one that every language knows, from 004 on it is a rule of that language.

/// What stands behind a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Meaning {
    /// The mistake, in a sentence.
    pub title: &'static str,
    /// What to do about it.
    pub remedy: &'static str,
}

/// Mistakes that every language with brackets and words knows.
const COMMON: &[(&str, &str, &str)] = &[
    (
        "001",
        "Text stands where the language allows none of its kind.",
        "Read what stands just before the place; the message quotes both, and names what is expected where that is known.",
    ),
    ("002", "Something is missing.", "Add what the message names, behind the text that it quotes."),
    (
        "003",
        "A bracket, quote or block is not closed, or closes nothing.",
        "Close the one that the message names, or take away the one that stands alone.",
    ),
];

/// Languages that have the common mistakes.
const WITH_COMMON: &[&str] = &["GO", "JAVA", "JS", "PY", "RS", "SH", "SQL", "TS", "TSX"];

/// Mistakes of one language.
const OWN: &[(&str, &str, &str)] = &[
    (
        "GO004",
        "A statement stands outside of a function.",
        "Move it into a function; a file holds declarations only.",
    ),
    (
        "JAVA004",
        "A rule of Java beyond its grammar is broken.",
        "Give the name, type or statement that the message asks for.",
    ),
    (
        "JS004",
        "A rule of JavaScript and TypeScript beyond their grammar is broken.",
        "Do what the message asks for: another name, a separator, a part that is missing.",
    ),
    (
        "JS005",
        "A name is declared twice in one block.",
        "Give the second one another name, or assign to the first.",
    ),
    ("JS006", "A constant has no value.", "Give it a value where it is declared, or write 'let'."),
    (
        "JS007",
        "A 'break' or 'continue' stands outside of a loop.",
        "Move it into the loop, or leave the function with 'return'.",
    ),
    ("JSON001", "A value is expected.", "Write a string, number, object, array, true, false or null."),
    ("JSON002", "Something follows the value.", "A JSON text holds one value; put several into an array."),
    ("JSON003", "A comma or closing bracket is missing.", "Add it before the place."),
    (
        "JSON004",
        "A key in double quotes is expected.",
        "Quote the key, or take away the comma before a closing brace.",
    ),
    ("JSON005", "The colon behind a key is missing.", "Write \"key\": value."),
    (
        "JSON006",
        "An escape does not exist in JSON.",
        "Use \\\" \\\\ \\/ \\b \\f \\n \\r \\t or \\u with four digits.",
    ),
    ("JSON007", "A control character stands in a string.", "Write it as an escape, such as \\n or \\u0000."),
    ("JSON008", "A string is not closed.", "Add the closing quote."),
    (
        "JSON009",
        "A number has a form that JSON does not know.",
        "No plus sign, no leading zero, digits on both sides of the point.",
    ),
    ("PY004", "A 'return', 'yield' or 'nonlocal' stands outside of a function.", "Move it into a function."),
    ("PY005", "A 'break' or 'continue' stands outside of a loop.", "Move it into the loop."),
    ("PY006", "A header has no body.", "Indent what belongs to it, or write 'pass'."),
    ("PY007", "The indentation fits no block.", "Set the line in as far as the lines of its block."),
    ("PY008", "A 'try' has neither 'except' nor 'finally'.", "Add one of them."),
    (
        "PY009",
        "An argument is given twice, or one by position follows one by name.",
        "Give positions first, and each name once.",
    ),
    (
        "PY010",
        "A parameter stands twice, or one without a default follows one with.",
        "Put parameters with defaults last, and use each name once.",
    ),
    ("PY011", "A statement of Python 2.", "Call it: print(…), exec(…)."),
    (
        "RS004",
        "A rule of Rust beyond its grammar is broken.",
        "Do what the message asks for: another name, no stray ';', statements inside of functions.",
    ),
    ("SH004", "A here-document never ends.", "Write its end mark alone on a line."),
    ("TOML001", "The text is not TOML.", "Mend the place that the message names."),
    (
        "YAML001",
        "The text is not YAML.",
        "Mend the place that the message names; spaces indent, tabs do not.",
    ),
    (
        "YAML002",
        "Brackets stand too deep inside each other to be read.",
        "Write the inner parts as indented lines, or split the text.",
    ),
];

/// What stands behind a code of a language beside AVAP; none for a code that does not exist.
#[must_use]
pub fn meaning(code: &str) -> Option<Meaning> {
    let digits = code.find(|c: char| c.is_ascii_digit())?;
    let (language, number) = code.split_at(digits);
    let own = OWN.iter().find(|(own, ..)| *own == code);
    let common = || COMMON.iter().find(|(common, ..)| *common == number && WITH_COMMON.contains(&language));
    own.or_else(common).map(|(_, title, remedy)| Meaning { title, remedy })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;

    /// The codes that the files below a folder write down, this one left out.
    fn written(folder: &Path, found: &mut BTreeSet<String>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                written(&path, found);
            } else if !path.ends_with("codes.rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                let quoted = text.split('"');
                found.extend(quoted.filter(|word| is_code(word)).map(str::to_owned));
            }
        }
    }

    fn is_code(word: &str) -> bool {
        let letters = word.trim_end_matches(|c: char| c.is_ascii_digit());
        word.len() == letters.len() + 3
            && (2..=4).contains(&letters.len())
            && letters.chars().all(|c| c.is_ascii_uppercase())
    }

    #[test]
    fn codes_and_meanings_match_one_to_one() {
        let mut found = BTreeSet::new();
        written(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut found);
        for code in &found {
            assert!(meaning(code).is_some(), "{code}");
        }
        for (code, ..) in OWN {
            assert!(found.contains(*code), "{code} is drawn nowhere");
        }
        assert!(found.len() > OWN.len(), "{found:?}");
    }

    #[test]
    fn only_grammar_codes_share_the_common_meaning() {
        for language in WITH_COMMON {
            assert_eq!(meaning(&format!("{language}003")).unwrap().title, COMMON[2].1);
        }
        for code in ["", "PY", "PY999", "XX001", "TOML003", "003", "AVAP018", "pý1"] {
            assert_eq!(meaning(code), None, "{code}");
        }
    }
}
