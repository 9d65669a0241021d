//! Questions and the history that the classifier may see.

use assay_domain::question::{HistoryEntry, PriorTurn};
use assay_domain::{Code, Failure, Question, RequestId, SessionId};
use assay_proto::common;

use crate::{FromWire, ToWire, at};

impl ToWire for Question {
    type Wire = common::Question;
    fn to_wire(&self) -> common::Question {
        common::Question {
            text: self.text.clone(),
            declared_type: self.declared_type.to_wire(),
            session_id: self.session.as_ref().map(ToString::to_string).unwrap_or_default(),
            request_id: self.request_id.map(|id| id.to_string()).unwrap_or_default(),
            collection: self.collection.clone(),
            mode: self.mode.to_wire(),
            editor_content: self.editor_content.clone(),
            selected_text: self.selected_text.clone(),
            extra_context: self.extra_context.clone(),
            prior: self
                .prior
                .iter()
                .map(|turn| common::PriorTurn {
                    question: turn.question.clone(),
                    answer: turn.answer.clone(),
                })
                .collect(),
        }
    }
}

impl FromWire<common::Question> for Question {
    fn from_wire(wire: common::Question) -> Result<Self, Failure> {
        Ok(Self {
            declared_type: at("declared_type", wire.declared_type)?,
            session: parsed("session_id", &wire.session_id, SESSION, SessionId::parse)?,
            request_id: parsed("request_id", &wire.request_id, REQUEST, RequestId::parse)?,
            mode: at("mode", wire.mode)?,
            text: wire.text,
            collection: wire.collection,
            editor_content: wire.editor_content,
            selected_text: wire.selected_text,
            extra_context: wire.extra_context,
            prior: wire
                .prior
                .into_iter()
                .map(|turn| PriorTurn { question: turn.question, answer: turn.answer })
                .collect(),
        })
    }
}

const SESSION: &str = "a session id has 1 to 128 characters and no control characters";
const REQUEST: &str = "a request id is a UUID, for example 0199a1b2-0000-7000-8000-000000000000";

/// Empty text is none; any other text must parse.
fn parsed<T>(
    field: &str,
    text: &str,
    rule: &str,
    parse: impl Fn(&str) -> Option<T>,
) -> Result<Option<T>, Failure> {
    if text.is_empty() {
        return Ok(None);
    }
    parse(text).map(Some).ok_or_else(|| Failure::new(Code::InvalidArgument, rule).field(field))
}

impl ToWire for HistoryEntry {
    type Wire = common::HistoryEntry;
    fn to_wire(&self) -> common::HistoryEntry {
        common::HistoryEntry { query_type: self.query_type.to_wire(), topic: self.topic.clone() }
    }
}

impl FromWire<common::HistoryEntry> for HistoryEntry {
    fn from_wire(wire: common::HistoryEntry) -> Result<Self, Failure> {
        Ok(Self { query_type: at("query_type", wire.query_type)?, topic: wire.topic })
    }
}
