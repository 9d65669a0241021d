//! What a check is told and what it answers.

use assay_domain::draft::Spent;
use assay_domain::{CheckResult, CheckedSegment, Failure, Relevance, Terms};
use assay_proto::validation;

use crate::{FromWire, ToWire, at, list_from_wire, list_to_wire, required};

impl ToWire for Terms {
    type Wire = validation::Open;
    fn to_wire(&self) -> validation::Open {
        validation::Open {
            question: self.question.clone(),
            query_type: self.query_type.to_wire(),
            mode: self.mode.to_wire(),
            attempt: self.attempt.to_wire(),
            sources: list_to_wire(&self.sources),
            extra_context: self.extra_context.clone(),
            collection: self.collection.clone(),
            sources_only: self.sources_only,
            citations_optional: self.citations_optional,
            attach: self.attach,
            segments: self.segments,
            default_language: self.default_language.clone(),
            wanted_language: self.wanted_language.clone(),
            policy: self.policy.clone(),
            policy_toml: self.policy_toml.clone(),
            context_relevance: self.context_relevance,
            assess_relevance: self.assess_relevance,
        }
    }
}

impl FromWire<validation::Open> for Terms {
    fn from_wire(wire: validation::Open) -> Result<Self, Failure> {
        Ok(Self {
            question: wire.question,
            query_type: at("query_type", wire.query_type)?,
            mode: at("mode", wire.mode)?,
            attempt: at("attempt", wire.attempt)?,
            sources: list_from_wire("sources", wire.sources)?,
            extra_context: wire.extra_context,
            collection: wire.collection,
            sources_only: wire.sources_only,
            citations_optional: wire.citations_optional,
            attach: wire.attach,
            segments: wire.segments,
            default_language: wire.default_language,
            wanted_language: wire.wanted_language,
            policy: wire.policy,
            policy_toml: wire.policy_toml,
            context_relevance: wire.context_relevance,
            assess_relevance: wire.assess_relevance,
        })
    }
}

impl ToWire for Relevance {
    type Wire = validation::AssessRelevanceResponse;
    fn to_wire(&self) -> validation::AssessRelevanceResponse {
        validation::AssessRelevanceResponse { probability: self.probability, relevant: self.relevant }
    }
}

impl FromWire<validation::AssessRelevanceResponse> for Relevance {
    fn from_wire(wire: validation::AssessRelevanceResponse) -> Result<Self, Failure> {
        Ok(Self { probability: wire.probability, relevant: wire.relevant })
    }
}

impl ToWire for CheckedSegment {
    type Wire = validation::CheckedSegment;
    fn to_wire(&self) -> validation::CheckedSegment {
        validation::CheckedSegment {
            text: self.text.clone(),
            passed: self.passed,
            errors: list_to_wire(&self.errors),
        }
    }
}

impl FromWire<validation::CheckedSegment> for CheckedSegment {
    fn from_wire(wire: validation::CheckedSegment) -> Result<Self, Failure> {
        Ok(Self { text: wire.text, passed: wire.passed, errors: list_from_wire("errors", wire.errors)? })
    }
}

impl ToWire for CheckResult {
    type Wire = validation::CheckDone;
    fn to_wire(&self) -> validation::CheckDone {
        validation::CheckDone {
            report: Some(self.report.to_wire()),
            check_ms: self.check_ms,
            parser_version: self.parser_version.clone(),
            policy: self.policy.clone(),
            model_calls: self.spent.model_calls,
            prompts: list_to_wire(&self.spent.prompts),
            provider_trail: list_to_wire(&self.spent.provider_trail),
        }
    }
}

impl FromWire<validation::CheckDone> for CheckResult {
    fn from_wire(wire: validation::CheckDone) -> Result<Self, Failure> {
        Ok(Self {
            report: required("report", wire.report)?,
            check_ms: wire.check_ms,
            parser_version: wire.parser_version,
            policy: wire.policy,
            spent: Spent {
                model_calls: wire.model_calls,
                prompts: list_from_wire("prompts", wire.prompts)?,
                provider_trail: list_from_wire("provider_trail", wire.provider_trail)?,
            },
        })
    }
}
