//! The file format of golden sets: JSON Lines, one question a line.
//!
//! `{"id": "…", "question": "…", "reference": "…"?, "answerable": true?, "query_type": "RETRIEVAL"?}`; empty lines are
//! skipped, unknown fields are errors.

use std::collections::BTreeSet;

use assay_domain::{Code, Failure, QueryType, Question};
use assay_proto::evaluation::GoldenItem;

/// Largest golden set, in questions.
pub const MOST_ITEMS: usize = 10_000;

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    id: String,
    question: String,
    #[serde(default)]
    reference: String,
    answerable: Option<bool>,
    #[serde(default)]
    query_type: String,
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
        let line: Line = serde_json::from_str(line).map_err(|error| {
            let text = format!("line {number} of the golden file: {error}");
            Failure::new(Code::InvalidArgument, text).field(format!("line {number}"))
        })?;
        items.push(GoldenItem {
            id: line.id,
            question: line.question,
            reference: line.reference,
            answerable: line.answerable,
            query_type: line.query_type,
        });
    }
    check(&items)?;
    Ok(items)
}

/// A question of a checked golden set.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Golden {
    pub(crate) id: String,
    pub(crate) question: Question,
    pub(crate) answerable: Option<bool>,
}

/// Refuses an empty or over-long set, ids that are empty or not unique, questions over the limits, unknown types.
///
/// # Errors
/// `invalid_argument` naming the item and its field.
pub fn check(items: &[GoldenItem]) -> Result<(), Failure> {
    questions(items, "").map(|_| ())
}

pub(crate) fn questions(items: &[GoldenItem], collection: &str) -> Result<Vec<Golden>, Failure> {
    let invalid = |field: String, text: String| Err(Failure::new(Code::InvalidArgument, text).field(field));
    if items.is_empty() || items.len() > MOST_ITEMS {
        return invalid(
            "items".into(),
            format!("a golden set has 1 to {MOST_ITEMS} questions; this one has {}", items.len()),
        );
    }
    let mut seen = BTreeSet::new();
    let mut golden = Vec::with_capacity(items.len());
    for (index, item) in items.iter().enumerate() {
        let field = |name: &str| format!("items[{index}].{name}");
        if item.id.is_empty() || !seen.insert(item.id.as_str()) {
            return invalid(field("id"), format!("the id {:?} is empty or stands twice", item.id));
        }
        let mut question = Question::new(item.question.clone());
        question.collection = collection.to_owned();
        question.check_limits().map_err(|failure| Failure { field: field("question"), ..failure })?;
        if !item.query_type.is_empty() {
            question.declared_type = QueryType::from_name(&item.query_type);
            if question.declared_type.is_none() {
                let names: Vec<&str> = QueryType::ALL.iter().map(|kind| kind.as_str()).collect();
                let text = format!("{:?} is no query type; there are {}", item.query_type, names.join(", "));
                return invalid(field("query_type"), text);
            }
        }
        golden.push(Golden { id: item.id.clone(), question, answerable: item.answerable });
    }
    Ok(golden)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_file_is_read_line_by_line() {
        let text = "{\"id\":\"a\",\"question\":\"q\"}\n\n{\"id\":\"b\",\"question\":\"r\",\"answerable\":false,\"query_type\":\"RETRIEVAL\",\"reference\":\"x\"}\n";
        let items = read(text).unwrap();
        assert_eq!(items.len(), 2);
        assert_eq!((items[1].answerable, items[1].query_type.as_str()), (Some(false), "RETRIEVAL"));
    }

    #[test]
    fn every_defect_names_its_place() {
        for (text, field) in [
            ("", "items"),
            ("{\"id\":\"a\",\"question\":\"q\"}\n{\"id\":\"b\"}", "line 2"),
            ("{\"id\":\"a\",\"question\":\"q\",\"answer\":\"x\"}", "line 1"),
            ("{\"id\":\"a\",\"question\":\"q\"}\n{\"id\":\"a\",\"question\":\"q\"}", "items[1].id"),
            ("{\"id\":\"a\",\"question\":\" \"}", "items[0].question"),
            ("{\"id\":\"a\",\"question\":\"q\",\"query_type\":\"CODE\"}", "items[0].query_type"),
        ] {
            let failure = read(text).unwrap_err();
            assert_eq!((failure.code, failure.field.as_str()), (Code::InvalidArgument, field), "{text}");
        }
    }

    #[test]
    fn the_golden_set_of_the_guide_is_well_formed() {
        let items = read(include_str!("../golden/avap.jsonl")).unwrap();
        assert_eq!(items.len(), 25);
        assert!(items.iter().any(|item| item.answerable == Some(false)));
        assert!(items.iter().any(|item| item.query_type == "CODE_GENERATION"));
    }
}
