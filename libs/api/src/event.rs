//! The events of a stream.

use assay_domain::AnswerEvent;
use assay_domain::answer::EventBody;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use crate::{Answer, Problem, Route, Source};

/// An event of a stream: its name, and its data as JSON.
#[derive(Debug, JsonSchema)]
#[schemars(tag = "event", content = "data", rename_all = "snake_case")]
pub enum Event<'a> {
    /// First and once, as soon as the type is decided.
    Routed(Routed<'a>),
    /// Once, before the first draft.
    Sources(Sources<'a>),
    /// Markdown to append.
    Segment(Segment<'a>),
    /// Withdraws all text so far.
    Retracted(Retracted),
    /// Last: the whole answer.
    Settled(Box<Answer<'a>>),
    /// Last: the request broke.
    Failed(Failed<'a>),
}

/// How the question was routed.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Routed<'a> {
    /// The draft under way; here 0.
    pub attempt: u32,
    /// Audit id.
    pub audit_id: String,
    /// How the question was routed.
    pub route: Route<'a>,
}

/// What was found.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Sources<'a> {
    /// The draft under way, from 1.
    pub attempt: u32,
    /// In the order of the markers; may be empty.
    pub sources: Vec<Source<'a>>,
}

/// A piece of the text after its checks.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Segment<'a> {
    /// The draft under way, from 1.
    pub attempt: u32,
    /// A sentence, list item, table row or code block.
    pub text: &'a str,
}

/// The end of a draft that does not stand.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Retracted {
    /// The draft under way, from 1.
    pub attempt: u32,
}

/// The end of a request that broke.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Failed<'a> {
    /// The draft under way; 0 before the first.
    pub attempt: u32,
    /// Why, without `audit_id`.
    #[serde(flatten)]
    pub problem: Problem<'a>,
}

impl<'a> Event<'a> {
    /// An event of the request with this `X-Request-Id`.
    #[must_use]
    pub fn new(event: &'a AnswerEvent, request_id: &'a str) -> Self {
        let attempt = event.attempt;
        match &event.body {
            EventBody::Routed { route, audit_id } => {
                Self::Routed(Routed { attempt, audit_id: audit_id.to_string(), route: route.into() })
            }
            EventBody::Sources(hits) => Self::Sources(Sources { attempt, sources: Source::all(hits) }),
            EventBody::Segment(text) => Self::Segment(Segment { attempt, text }),
            EventBody::Retracted => Self::Retracted(Retracted { attempt }),
            EventBody::Settled(answer) => Self::Settled(Box::new((&**answer).into())),
            EventBody::Failed(failure) => {
                let status = assay_wire::http_status(failure.code);
                let problem = Problem::new(failure, status, None, request_id);
                Self::Failed(Failed { attempt, problem })
            }
        }
    }

    /// Its name and its data.
    #[must_use]
    pub fn parts(&self) -> (&'static str, Value) {
        match self {
            Self::Routed(data) => ("routed", json!(data)),
            Self::Sources(data) => ("sources", json!(data)),
            Self::Segment(data) => ("segment", json!(data)),
            Self::Retracted(data) => ("retracted", json!(data)),
            Self::Settled(data) => ("settled", json!(data)),
            Self::Failed(data) => ("failed", json!(data)),
        }
    }
}
