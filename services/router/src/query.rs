//! Local query rewriting: what to search for, which language code is wanted in, and the hint of the second search.

use std::sync::LazyLock;

use assay_domain::Question;
use assay_routing::neutral::neutral;
use assay_text::{listed, normalize, words};
use regex::Regex;

use crate::ports::SearchQuery;

/// Longest query that a model may write, in characters.
const QUERY_CHARS: usize = 1_000;

/// Words that say nothing about the subject.
const EMPTY: &str = "\
    a an the is are was were be do does did can could would should will i you we me my your our it \
    its of in on at to for with from by and or but if then that this these those how what which who \
    where when why there please tell explain show give about need want know hi hello hey thanks \
    thank write create make work works use used using el la los las un una unos unas de del en al \
    con por para y o que como cual cuales donde cuando quien es son esta estan hay se mi tu su lo \
    le puedo puede hacer hago quiero necesito explica dime muestra dame hola gracias favor funciona \
    sirve escribe crea haz usa uso";

static IDENTIFIERS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"`([^`\s]{2,64})`|\b([A-Za-z]+_[A-Za-z0-9_]+|[a-z]+[A-Z][A-Za-z0-9]*|[A-Za-z_]\w*)\(|\b([A-Za-z]+_[A-Za-z0-9_]+|[a-z]+(?:[A-Z][a-z0-9]+)+)\b").ok()
});

/// The first search, for the `limit` best.
pub(crate) fn first(question: &Question, topic: Option<&str>, limit: u32) -> SearchQuery {
    let Rewritten { query, further } = rewrite(&question.text, topic);
    SearchQuery { query, further, collection: question.collection.clone(), limit }
}

/// The second search, with a query that was reformulated.
pub(crate) fn second(question: &Question, query: String, limit: u32) -> SearchQuery {
    SearchQuery { query, further: Vec::new(), collection: question.collection.clone(), limit }
}

/// A query of a model, cut to its limit.
pub(crate) fn cut(query: &str) -> String {
    query.trim().chars().take(QUERY_CHARS).collect()
}

/// What the first search asks.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Rewritten {
    /// The main formulation.
    query: String,
    /// Further ones.
    further: Vec<String>,
}

/// Rewrites a question for the first search: sentences that dictate a class go, the topic of a referred entry comes,
/// identifiers are asked for on their own.
fn rewrite(question: &str, topic: Option<&str>) -> Rewritten {
    let subject = neutral(question);
    let query = match topic {
        Some(topic) => format!("{subject} {topic}"),
        None => subject.clone(),
    };
    let names = identifiers(&subject);
    let further =
        if names.is_empty() || names.join(" ") == query { Vec::new() } else { vec![names.join(" ")] };
    Rewritten { query, further }
}

/// Identifiers of a question, in order, each once.
fn identifiers(text: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    if let Some(regex) = IDENTIFIERS.as_ref() {
        for found in regex.captures_iter(text) {
            let name = (1..=3).find_map(|group| found.get(group)).map_or("", |name| name.as_str());
            if !name.is_empty() && !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        }
    }
    names.truncate(8);
    names
}

/// Broader words for the second search when no model rewrites: the words of the subject alone.
pub(crate) fn broaden(question: &str, topic: Option<&str>) -> String {
    let folded = normalize(&format!("{} {}", neutral(question), topic.unwrap_or_default()));
    let kept: Vec<&str> =
        words(&folded).into_iter().map(|word| word.text).filter(|word| !listed(EMPTY, word)).collect();
    if kept.is_empty() { question.trim().to_owned() } else { kept.join(" ") }
}

/// The hint of the second search; the same bytes for the same question.
pub(crate) fn hint(question: &str) -> String {
    let escaped = question
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace(['\r', '\n'], " ")
        .replace('<', "&lt;")
        .replace('>', "&gt;");
    format!(
        "[CONTEXT_INSUFFICIENT]\nThe passages found for \"{escaped}\" do not answer it.\n\
         Give one search query with broader terms or another phrasing. Answer with the query alone."
    )
}

/// Programming languages by the words that ask for them.
const LANGUAGES: &[(&str, &[&str])] = &[
    ("avap", &["avap"]),
    ("python", &["python", "py"]),
    ("javascript", &["javascript", "js", "node", "nodejs"]),
    ("typescript", &["typescript"]),
    ("rust", &["rust"]),
    ("go", &["golang"]),
    ("java", &["java"]),
    ("sql", &["sql"]),
    ("bash", &["bash"]),
    ("json", &[]),
];

/// The language a question asks code in, if it names one; of several the one after "in" or "to" wins, else the last.
pub(crate) fn language(question: &str) -> Option<&'static str> {
    let folded = normalize(question);
    let words = words(&folded);
    let mut last = None;
    for (at, word) in words.iter().enumerate() {
        let named =
            LANGUAGES.iter().find(|(_, names)| names.contains(&word.text)).map(|(language, _)| *language);
        let before = at.checked_sub(1).and_then(|before| words.get(before)).map_or("", |word| word.text);
        let go = word.text == "go" && ["in", "to", "en"].contains(&before);
        if let Some(language) = named.or(go.then_some("go")) {
            last = Some(language);
            if ["in", "to", "into", "en", "a"].contains(&before) && before != "from" {
                // The target of a conversion comes after its preposition.
                last = Some(language);
            }
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_asked_for_on_their_own() {
        assert_eq!(
            identifiers("How do addParam and `_status` differ from add_var(x)?"),
            ["addParam", "_status", "add_var"]
        );
        assert_eq!(rewrite("How does addParam work?", None).further, ["addParam"]);
        assert!(rewrite("How do loops work?", None).further.is_empty());
    }

    #[test]
    fn a_reference_brings_its_topic_and_dictation_is_left_out() {
        assert_eq!(rewrite("How does it end?", Some("loops")).query, "How does it end? loops");
        assert_eq!(rewrite("Label: PLATFORM. How do loops end?", None).query, "How do loops end?");
    }

    #[test]
    fn broader_words_are_those_of_the_subject() {
        assert_eq!(broaden("How do I read a request parameter?", None), "read request parameter");
        assert_eq!(broaden("How?", None), "How?");
    }

    #[test]
    fn hint_quotes_the_question_without_a_way_out() {
        let text = hint("a \"b\"\n<c>");
        assert!(text.starts_with("[CONTEXT_INSUFFICIENT]\n"));
        assert!(text.contains("\"a \\\"b\\\" &lt;c&gt;\""));
        assert_eq!(text, hint("a \"b\"\n<c>"));
    }

    #[test]
    fn the_wanted_language_is_the_one_that_is_named() {
        assert_eq!(language("Write a Python function"), Some("python"));
        assert_eq!(language("Convert this Python code to AVAP"), Some("avap"));
        assert_eq!(language("Escríbelo en Go"), Some("go"));
        assert_eq!(language("Let it go"), None);
        assert_eq!(language("Write an endpoint"), None);
    }
}
