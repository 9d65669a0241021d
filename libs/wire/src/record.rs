//! Audit records. Roles are not recorded, so a decoded record's identity has none.

use assay_domain::record::{Record, RecordedAttempt, RecordedCitation, RecordedValidation};
use assay_domain::{Failure, Identity};
use assay_proto::audit;

use crate::answer::verdict;
use crate::{FromWire, ToWire, at, list_from_wire, list_to_wire, optional};

impl ToWire for RecordedCitation {
    type Wire = audit::RecordedCitation;
    fn to_wire(&self) -> audit::RecordedCitation {
        audit::RecordedCitation {
            claim: self.claim.clone(),
            source: self.source.clone(),
            line_range: self.line_range.clone(),
            sha256: self.sha256.clone(),
            validation_status: self.validation_status.clone(),
            semantic_score: self.semantic_score,
        }
    }
}

impl FromWire<audit::RecordedCitation> for RecordedCitation {
    fn from_wire(wire: audit::RecordedCitation) -> Result<Self, Failure> {
        Ok(Self {
            claim: wire.claim,
            source: wire.source,
            line_range: wire.line_range,
            sha256: wire.sha256,
            validation_status: wire.validation_status,
            semantic_score: wire.semantic_score,
        })
    }
}

impl ToWire for RecordedAttempt {
    type Wire = audit::RecordedAttempt;
    fn to_wire(&self) -> audit::RecordedAttempt {
        audit::RecordedAttempt {
            number: self.number,
            verdict: self.verdict.to_wire(),
            defects: self.defects.clone(),
            text_sha256: self.text_sha256.clone(),
            delivered: self.delivered,
        }
    }
}

impl FromWire<audit::RecordedAttempt> for RecordedAttempt {
    fn from_wire(wire: audit::RecordedAttempt) -> Result<Self, Failure> {
        Ok(Self {
            number: wire.number,
            verdict: verdict(wire.verdict),
            defects: wire.defects,
            text_sha256: wire.text_sha256,
            delivered: wire.delivered,
        })
    }
}

impl ToWire for RecordedValidation {
    type Wire = audit::ValidationResult;
    fn to_wire(&self) -> audit::ValidationResult {
        audit::ValidationResult {
            status: self.status.to_wire(),
            citations_validated: self.citations_validated,
            citations_failed: self.citations_failed,
            hallucinations_detected: self.hallucinations_detected,
            confidence_score: self.confidence_score,
            checks: list_to_wire(&self.checks),
            models: list_to_wire(&self.models),
            policy: self.policy.clone(),
        }
    }
}

impl FromWire<audit::ValidationResult> for RecordedValidation {
    fn from_wire(wire: audit::ValidationResult) -> Result<Self, Failure> {
        Ok(Self {
            status: verdict(wire.status),
            citations_validated: wire.citations_validated,
            citations_failed: wire.citations_failed,
            hallucinations_detected: wire.hallucinations_detected,
            confidence_score: wire.confidence_score,
            checks: list_from_wire("checks", wire.checks)?,
            models: list_from_wire("models", wire.models)?,
            policy: wire.policy,
        })
    }
}

impl ToWire for Record {
    type Wire = audit::Record;
    fn to_wire(&self) -> audit::Record {
        audit::Record {
            audit_id: self.audit_id.to_wire(),
            unix_ms: self.unix_ms,
            principal: self.identity.principal.clone(),
            tenant: self.identity.tenant.clone(),
            session_id: self.session_id.clone(),
            request_id: self.request_id.clone(),
            response_id: self.response_id.clone(),
            query: self.query.clone(),
            answer_sha256: self.answer_sha256.clone(),
            answer: self.answer.clone(),
            outcome: self.outcome.to_wire(),
            route: self.route.as_ref().map(ToWire::to_wire),
            validation: self.validation.as_ref().map(ToWire::to_wire),
            citations: list_to_wire(&self.citations),
            attempts: list_to_wire(&self.attempts),
            processing_ms: self.processing_ms,
            validation_ms: self.validation_ms,
            model_version: self.model_version.clone(),
            model_calls: self.model_calls,
            prompts: list_to_wire(&self.prompts),
            provider_trail: list_to_wire(&self.provider_trail),
            index_manifest: self.index_manifest.clone(),
            parser_version: self.parser_version.clone(),
            mode: self.mode.to_wire(),
            grounding: self.grounding.to_wire(),
            temperature: self.temperature,
            seed: self.seed,
            context_relevant_first: self.context_relevant_first,
            context_relevant: self.context_relevant,
            retry_skipped: self.retry_skipped.clone(),
            platform_prefixes_sha256: self.platform_prefixes_sha256.clone(),
            errors: self.errors.clone(),
            warnings: self.warnings.clone(),
        }
    }
}

impl FromWire<audit::Record> for Record {
    fn from_wire(wire: audit::Record) -> Result<Self, Failure> {
        Ok(Self {
            audit_id: at("audit_id", wire.audit_id)?,
            unix_ms: wire.unix_ms,
            identity: Identity { principal: wire.principal, tenant: wire.tenant, roles: Vec::new() },
            session_id: wire.session_id,
            request_id: wire.request_id,
            response_id: wire.response_id,
            query: wire.query,
            answer_sha256: wire.answer_sha256,
            answer: wire.answer,
            outcome: at("outcome", wire.outcome)?,
            route: optional("route", wire.route)?,
            validation: optional("validation", wire.validation)?,
            citations: list_from_wire("citations", wire.citations)?,
            attempts: list_from_wire("attempts", wire.attempts)?,
            processing_ms: wire.processing_ms,
            validation_ms: wire.validation_ms,
            model_version: wire.model_version,
            model_calls: wire.model_calls,
            prompts: list_from_wire("prompts", wire.prompts)?,
            provider_trail: list_from_wire("provider_trail", wire.provider_trail)?,
            index_manifest: wire.index_manifest,
            parser_version: wire.parser_version,
            mode: at("mode", wire.mode)?,
            grounding: at("grounding", wire.grounding)?,
            temperature: wire.temperature,
            seed: wire.seed,
            context_relevant_first: wire.context_relevant_first,
            context_relevant: wire.context_relevant,
            retry_skipped: wire.retry_skipped,
            platform_prefixes_sha256: wire.platform_prefixes_sha256,
            errors: wire.errors,
            warnings: wire.warnings,
        })
    }
}
