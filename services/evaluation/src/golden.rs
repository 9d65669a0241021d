//! The file format of golden sets: JSON Lines, one question a line; empty lines are skipped, unknown fields are errors.

use std::collections::BTreeSet;

use assay_domain::question::PriorTurn;
use assay_domain::{Code, Failure, QueryType, Question};
use assay_proto::evaluation::{GoldenItem, GoldenTurn, ReferenceLines};
use prost::Message as _;
use sha2::{Digest as _, Sha256};

/// Largest golden set, in questions.
pub const MOST_ITEMS: usize = 10_000;

/// A question of a golden set.
#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct Line {
    /// Unique in the file.
    id: String,
    /// The message as a user types it.
    question: String,
    /// The right answer, in a person's words.
    #[serde(default)]
    reference: String,
    /// Whether the collection can answer it.
    answerable: Option<bool>,
    /// Declared: it is sent along, and nothing classifies the question.
    #[serde(default)]
    query_type: String,
    /// Kind of question; a report groups by it.
    #[serde(default)]
    category: String,
    /// Language tag, such as `en`.
    #[serde(default)]
    language: String,
    /// Query type that a person would choose; it is not sent.
    #[serde(default)]
    expected_type: String,
    /// Constructs that it is about.
    #[serde(default)]
    constructs: Vec<String>,
    /// Lines that the reference rests on.
    #[serde(default)]
    contexts: Vec<Context>,
    /// Earlier turns, of the user and the assistant in turn.
    #[serde(default)]
    turns: Vec<Turn>,
    /// What the user has open.
    #[serde(default)]
    editor: Editor,
    /// Facts given with the question.
    #[serde(default)]
    extra_context: String,
    /// Free words.
    #[serde(default)]
    tags: Vec<String>,
}

/// Lines of a file.
#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct Context {
    /// Path in the collection.
    path: String,
    /// From 1, such as `12-18` or `7`.
    lines: String,
    /// SHA-256 of the lines joined by line feeds, lower-case hex.
    #[serde(default)]
    sha256: String,
}

/// An earlier turn.
#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct Turn {
    role: Role,
    text: String,
}

#[derive(Clone, Copy, PartialEq, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Role {
    User,
    Assistant,
}

/// What the user has open.
#[derive(Default, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Editor {
    /// The whole file.
    content: String,
    /// The selected part of it.
    selected: String,
}

/// JSON Schema of a line.
#[must_use]
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(Line).to_value()
}

/// SHA-256 over the questions in their order, lower-case hex.
#[must_use]
pub fn sha256<'a>(items: impl Iterator<Item = &'a GoldenItem>) -> String {
    let mut hash = Sha256::new();
    for item in items {
        let bytes = item.encode_to_vec();
        hash.update((bytes.len() as u64).to_be_bytes());
        hash.update(bytes);
    }
    hex::encode(hash.finalize())
}

/// Reads a golden file.
///
/// # Errors
/// `invalid_argument` with the number of the line, or what [`check`] finds.
pub fn read(text: &str) -> Result<Vec<GoldenItem>, Failure> {
    let mut items = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim().is_empty() {
            continue;
        }
        let wrong = |error: String| {
            let text = format!("line {number} of the golden file: {error}");
            Failure::new(Code::InvalidArgument, text).field(format!("line {number}"))
        };
        let line: Line = serde_json::from_str(line).map_err(|error| wrong(error.to_string()))?;
        items.push(item(line).map_err(wrong)?);
    }
    check(&items)?;
    Ok(items)
}

fn item(line: Line) -> Result<GoldenItem, String> {
    let contexts: Result<Vec<ReferenceLines>, String> =
        line.contexts.into_iter().map(reference_lines).collect();
    Ok(GoldenItem {
        id: line.id,
        question: line.question,
        reference: line.reference,
        answerable: line.answerable,
        query_type: line.query_type,
        category: line.category,
        language: line.language,
        expected_type: line.expected_type,
        constructs: line.constructs,
        contexts: contexts?,
        turns: turns(&line.turns)?,
        editor_content: line.editor.content,
        selected_text: line.editor.selected,
        extra_context: line.extra_context,
        tags: line.tags,
    })
}

fn reference_lines(context: Context) -> Result<ReferenceLines, String> {
    let (first, last) = context.lines.split_once('-').unwrap_or((&context.lines, &context.lines));
    let (first_line, last_line) = first
        .parse()
        .ok()
        .zip(last.parse().ok())
        .filter(|(first, last)| *first > 0 && first <= last)
        .ok_or_else(|| format!("contexts.lines: {:?} is no range such as 12-18", context.lines))?;
    Ok(ReferenceLines { path: context.path, first_line, last_line, sha256: context.sha256 })
}

fn turns(turns: &[Turn]) -> Result<Vec<GoldenTurn>, String> {
    turns
        .chunks(2)
        .map(|pair| match pair {
            [asked, answered] if asked.role == Role::User && answered.role == Role::Assistant => {
                Ok(GoldenTurn { question: asked.text.clone(), answer: answered.text.clone() })
            }
            _ => Err("turns: a turn of the user and one of the assistant follow each other".to_owned()),
        })
        .collect()
}

/// A question of a checked golden set.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Golden {
    pub(crate) item: GoldenItem,
    pub(crate) question: Question,
}

/// Refuses an empty or over-long set, ids that are empty or not unique, questions over the limits, unknown types.
///
/// # Errors
/// `invalid_argument` naming the item and its field.
pub fn check(items: &[GoldenItem]) -> Result<(), Failure> {
    questions(items, "").map(|_| ())
}

pub(crate) fn questions(items: &[GoldenItem], collection: &str) -> Result<Vec<Golden>, Failure> {
    let invalid = |field: String, text: String| Failure::new(Code::InvalidArgument, text).field(field);
    if items.is_empty() || items.len() > MOST_ITEMS {
        let text = format!("a golden set has 1 to {MOST_ITEMS} questions; this one has {}", items.len());
        return Err(invalid("items".into(), text));
    }
    let mut seen = BTreeSet::new();
    let mut golden = Vec::with_capacity(items.len());
    for (index, item) in items.iter().enumerate() {
        let field = |name: &str| format!("items[{index}].{name}");
        if item.id.is_empty() || !seen.insert(item.id.as_str()) {
            return Err(invalid(field("id"), format!("the id {:?} is empty or stands twice", item.id)));
        }
        let query_type = |name: &str, value: &str| {
            if value.is_empty() {
                return Ok(None);
            }
            QueryType::from_name(value).map(Some).ok_or_else(|| {
                let names: Vec<&str> = QueryType::ALL.iter().map(|kind| kind.as_str()).collect();
                invalid(field(name), format!("{value:?} is no query type; there are {}", names.join(", ")))
            })
        };
        let mut question = Question::new(item.question.clone());
        question.collection = collection.to_owned();
        question.declared_type = query_type("query_type", &item.query_type)?;
        query_type("expected_type", &item.expected_type)?;
        question.editor_content.clone_from(&item.editor_content);
        question.selected_text.clone_from(&item.selected_text);
        question.extra_context.clone_from(&item.extra_context);
        question.prior = item
            .turns
            .iter()
            .map(|turn| PriorTurn { question: turn.question.clone(), answer: turn.answer.clone() })
            .collect();
        question.check_limits().map_err(|failure| Failure { field: field("question"), ..failure })?;
        golden.push(Golden { item: item.clone(), question });
    }
    Ok(golden)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_file_is_read_line_by_line() {
        let text = concat!(
            "{\"id\":\"a\",\"question\":\"q\"}\n\n",
            "{\"id\":\"b\",\"question\":\"r\",\"answerable\":false,\"expected_type\":\"RETRIEVAL\",",
            "\"contexts\":[{\"path\":\"x.md\",\"lines\":\"3-5\"},{\"path\":\"x.md\",\"lines\":\"9\"}],",
            "\"turns\":[{\"role\":\"user\",\"text\":\"p\"},{\"role\":\"assistant\",\"text\":\"a\"}],",
            "\"editor\":{\"selected\":\"s\"}}\n",
        );
        let items = read(text).unwrap();
        assert_eq!(items.len(), 2);
        let lines: Vec<(u32, u32)> =
            items[1].contexts.iter().map(|lines| (lines.first_line, lines.last_line)).collect();
        assert_eq!((items[1].answerable, lines), (Some(false), vec![(3, 5), (9, 9)]));
        let question = &questions(&items, "guide").unwrap()[1].question;
        assert_eq!((question.prior[0].answer.as_str(), question.selected_text.as_str()), ("a", "s"));
        assert_eq!(question.declared_type, None, "the expected type is not sent");
    }

    #[test]
    fn every_defect_names_its_place() {
        for (text, field) in [
            ("", "items"),
            ("{\"id\":\"a\",\"question\":\"q\"}\n{\"id\":\"b\"}", "line 2"),
            ("{\"id\":\"a\",\"question\":\"q\",\"answer\":\"x\"}", "line 1"),
            ("{\"id\":\"a\",\"question\":\"q\",\"contexts\":[{\"path\":\"x\",\"lines\":\"5-3\"}]}", "line 1"),
            ("{\"id\":\"a\",\"question\":\"q\",\"turns\":[{\"role\":\"user\",\"text\":\"p\"}]}", "line 1"),
            ("{\"id\":\"a\",\"question\":\"q\"}\n{\"id\":\"a\",\"question\":\"q\"}", "items[1].id"),
            ("{\"id\":\"a\",\"question\":\" \"}", "items[0].question"),
            ("{\"id\":\"a\",\"question\":\"q\",\"query_type\":\"CODE\"}", "items[0].query_type"),
            ("{\"id\":\"a\",\"question\":\"q\",\"expected_type\":\"CODE\"}", "items[0].expected_type"),
        ] {
            let failure = read(text).unwrap_err();
            assert_eq!((failure.code, failure.field.as_str()), (Code::InvalidArgument, field), "{text}");
        }
    }
}
