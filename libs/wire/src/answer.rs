//! Answers, the events of an answer stream, and what replaces an answer that did not stand.

use assay_domain::answer::{EventBody, Rejection, Timing, TokenUsage};
use assay_domain::{Answer, AnswerEvent, AuditId, Code, Failure, Generator, Route, Verdict};
use assay_proto::common;
use assay_proto::router::{self, ask_stream_response::Event};

use crate::{
    FromWire, ToWire, WireEnum, at, code_state, code_status, inside, list_from_wire, list_to_wire, missing,
    optional, required,
};

impl ToWire for Route {
    type Wire = common::Route;
    fn to_wire(&self) -> common::Route {
        common::Route {
            query_type: self.query_type.to_wire(),
            layer: self.layer.to_wire(),
            probability: self.probability,
            accepted: self.accepted,
            reason: self.reason.clone(),
        }
    }
}

impl FromWire<common::Route> for Route {
    fn from_wire(wire: common::Route) -> Result<Self, Failure> {
        Ok(Self {
            query_type: at("query_type", wire.query_type)?,
            layer: at("layer", wire.layer)?,
            probability: wire.probability,
            accepted: wire.accepted,
            reason: wire.reason,
        })
    }
}

impl ToWire for Timing {
    type Wire = common::Timing;
    fn to_wire(&self) -> common::Timing {
        common::Timing {
            total_ms: self.total_ms,
            route_ms: self.route_ms,
            search_ms: self.search_ms,
            draft_ms: self.draft_ms,
            check_ms: self.check_ms,
        }
    }
}

impl FromWire<common::Timing> for Timing {
    fn from_wire(wire: common::Timing) -> Result<Self, Failure> {
        Ok(Self {
            total_ms: wire.total_ms,
            route_ms: wire.route_ms,
            search_ms: wire.search_ms,
            draft_ms: wire.draft_ms,
            check_ms: wire.check_ms,
        })
    }
}

impl ToWire for TokenUsage {
    type Wire = common::TokenUsage;
    fn to_wire(&self) -> common::TokenUsage {
        common::TokenUsage { prompt_tokens: self.prompt_tokens, completion_tokens: self.completion_tokens }
    }
}

impl FromWire<common::TokenUsage> for TokenUsage {
    fn from_wire(wire: common::TokenUsage) -> Result<Self, Failure> {
        Ok(Self { prompt_tokens: wire.prompt_tokens, completion_tokens: wire.completion_tokens })
    }
}

impl ToWire for Rejection {
    type Wire = common::Rejection;
    fn to_wire(&self) -> common::Rejection {
        common::Rejection {
            reason: self.reason.clone(),
            suggestion: self.suggestion.clone(),
            partial_response: self.partial_response.clone(),
            searched: self.searched.clone(),
            errors: list_to_wire(&self.errors),
            warnings: list_to_wire(&self.warnings),
        }
    }
}

impl FromWire<common::Rejection> for Rejection {
    fn from_wire(wire: common::Rejection) -> Result<Self, Failure> {
        Ok(Self {
            reason: wire.reason,
            suggestion: wire.suggestion,
            partial_response: wire.partial_response,
            searched: wire.searched,
            errors: list_from_wire("errors", wire.errors)?,
            warnings: list_from_wire("warnings", wire.warnings)?,
        })
    }
}

impl ToWire for Failure {
    type Wire = common::Failure;
    fn to_wire(&self) -> common::Failure {
        common::Failure {
            code: self.code.as_str().to_owned(),
            message: self.message.clone(),
            field: self.field.clone(),
        }
    }
}

impl FromWire<common::Failure> for Failure {
    /// A code that this version does not know is read as `internal`.
    fn from_wire(wire: common::Failure) -> Result<Self, Failure> {
        let code = Code::from_name(&wire.code).unwrap_or(Code::Internal);
        Ok(Self { code, message: wire.message, field: wire.field })
    }
}

impl ToWire for AuditId {
    type Wire = String;
    fn to_wire(&self) -> String {
        self.to_string()
    }
}

impl FromWire<String> for AuditId {
    fn from_wire(wire: String) -> Result<Self, Failure> {
        Self::parse(&wire)
            .ok_or_else(|| Failure::new(Code::InvalidArgument, "an audit id is a UUID of version 7"))
    }
}

impl ToWire for Answer {
    type Wire = common::Answer;
    fn to_wire(&self) -> common::Answer {
        let (code_state, code_reason) = code_state(&self.code_status);
        common::Answer {
            audit_id: self.audit_id.to_wire(),
            outcome: self.outcome.to_wire(),
            text: self.text.clone(),
            route: Some(self.route.to_wire()),
            sources: list_to_wire(&self.sources),
            report: self.report.as_ref().map(ToWire::to_wire),
            verdict: self.verdict.to_wire(),
            validation_status: self.validation_status.to_wire(),
            code_state,
            code_reason,
            context_relevant: self.context_relevant,
            attempts: self.attempts,
            audit: self.audit.to_wire(),
            timing: Some(self.timing.to_wire()),
            generator: self.generator.to_wire(),
            model: self.model.clone(),
            grounding: self.grounding.to_wire(),
            index_manifest: self.index_manifest.clone(),
            warnings: self.warnings.clone(),
            rejection: self.rejection.as_ref().map(ToWire::to_wire),
            failure: self.failure.as_ref().map(ToWire::to_wire),
            usage: self.usage.as_ref().map(ToWire::to_wire),
            examples: self.examples,
        }
    }
}

impl FromWire<common::Answer> for Answer {
    fn from_wire(wire: common::Answer) -> Result<Self, Failure> {
        Ok(Self {
            audit_id: at("audit_id", wire.audit_id)?,
            outcome: at("outcome", wire.outcome)?,
            text: wire.text,
            route: required("route", wire.route)?,
            sources: list_from_wire("sources", wire.sources)?,
            report: optional("report", wire.report)?,
            verdict: verdict(wire.verdict),
            validation_status: at("validation_status", wire.validation_status)?,
            code_status: code_status(wire.code_state, wire.code_reason),
            context_relevant: wire.context_relevant,
            attempts: wire.attempts,
            audit: at("audit", wire.audit)?,
            timing: optional("timing", wire.timing)?.unwrap_or_default(),
            generator: Generator::known(wire.generator),
            model: wire.model,
            grounding: at("grounding", wire.grounding)?,
            index_manifest: wire.index_manifest,
            warnings: wire.warnings,
            rejection: optional("rejection", wire.rejection)?,
            failure: optional("failure", wire.failure)?,
            usage: optional("usage", wire.usage)?,
            examples: wire.examples,
        })
    }
}

/// Zero is none; a verdict of a later version is a review, for nobody here can say that it passed.
pub(crate) fn verdict(number: i32) -> Option<Verdict> {
    (number != 0).then(|| Verdict::known(number).unwrap_or(Verdict::Review))
}

impl ToWire for AnswerEvent {
    type Wire = router::AskStreamResponse;
    fn to_wire(&self) -> router::AskStreamResponse {
        let event = match &self.body {
            EventBody::Routed { route, audit_id } => {
                Event::Routed(router::Routed { route: Some(route.to_wire()), audit_id: audit_id.to_wire() })
            }
            EventBody::Sources(hits) => Event::Sources(router::Sources { hits: list_to_wire(hits) }),
            EventBody::Segment(text) => Event::Segment(router::Segment { text: text.clone() }),
            EventBody::Retracted => Event::Retracted(router::Retracted {}),
            EventBody::Settled(answer) => Event::Settled(answer.to_wire()),
            EventBody::Failed(failure) => Event::Failed(failure.to_wire()),
        };
        router::AskStreamResponse { sequence: self.sequence, attempt: self.attempt, event: Some(event) }
    }
}

impl FromWire<router::AskStreamResponse> for AnswerEvent {
    fn from_wire(wire: router::AskStreamResponse) -> Result<Self, Failure> {
        let body = match wire.event.ok_or_else(|| missing("event"))? {
            Event::Routed(routed) => EventBody::Routed {
                route: required("route", routed.route).map_err(|failure| inside("routed", failure))?,
                audit_id: at("routed.audit_id", routed.audit_id)?,
            },
            Event::Sources(sources) => EventBody::Sources(list_from_wire("sources.hits", sources.hits)?),
            Event::Segment(segment) => EventBody::Segment(segment.text),
            Event::Retracted(router::Retracted {}) => EventBody::Retracted,
            Event::Settled(answer) => EventBody::Settled(Box::new(at("settled", answer)?)),
            Event::Failed(failure) => EventBody::Failed(at("failed", failure)?),
        };
        Ok(Self { sequence: wire.sequence, attempt: wire.attempt, body })
    }
}
