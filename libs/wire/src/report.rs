//! Checks, claims, citations, findings and the report over them.

use assay_domain::Failure;
use assay_domain::report::{
    Check, CheckName, Citation, Claim, Defect, Evidence, Finding, ModelUse, Report, Span, Verdict,
};
use assay_proto::common;

use crate::{FromWire, ToWire, WireEnum, at, list_from_wire, list_to_wire, narrow, optional, required, wide};

impl ToWire for Check {
    type Wire = common::Check;
    fn to_wire(&self) -> common::Check {
        common::Check {
            name: self.name.to_wire(),
            status: self.status.to_wire(),
            reason: self.reason.clone(),
            required: self.required,
        }
    }
}

impl FromWire<common::Check> for Check {
    fn from_wire(wire: common::Check) -> Result<Self, Failure> {
        Ok(Self {
            name: at("name", wire.name)?,
            status: at("status", wire.status)?,
            reason: wire.reason,
            required: wire.required,
        })
    }
}

impl ToWire for Span {
    type Wire = common::Span;
    fn to_wire(&self) -> common::Span {
        common::Span {
            byte_start: wide(self.byte_start),
            byte_end: wide(self.byte_end),
            utf16_start: wide(self.utf16_start),
            utf16_end: wide(self.utf16_end),
            char_start: wide(self.char_start),
            char_end: wide(self.char_end),
        }
    }
}

impl FromWire<common::Span> for Span {
    fn from_wire(wire: common::Span) -> Result<Self, Failure> {
        Ok(Self {
            byte_start: narrow(wire.byte_start),
            byte_end: narrow(wire.byte_end),
            utf16_start: narrow(wire.utf16_start),
            utf16_end: narrow(wire.utf16_end),
            char_start: narrow(wire.char_start),
            char_end: narrow(wire.char_end),
        })
    }
}

impl ToWire for Evidence {
    type Wire = common::Evidence;
    fn to_wire(&self) -> common::Evidence {
        common::Evidence { source: self.source, lines: Some(self.lines.to_wire()), text: self.text.clone() }
    }
}

impl FromWire<common::Evidence> for Evidence {
    fn from_wire(wire: common::Evidence) -> Result<Self, Failure> {
        Ok(Self { source: wire.source, lines: required("lines", wire.lines)?, text: wire.text })
    }
}

impl ToWire for Claim {
    type Wire = common::Claim;
    fn to_wire(&self) -> common::Claim {
        common::Claim {
            text: self.text.clone(),
            span: Some(self.span.to_wire()),
            kind: self.kind.to_wire(),
            status: self.status.to_wire(),
            support: self.support,
            citations: self.citations.clone(),
            evidence: list_to_wire(&self.evidence),
            reason: self.reason.clone(),
            decided_by: self.decided_by.clone(),
        }
    }
}

impl ToWire for ModelUse {
    type Wire = common::ModelUse;
    fn to_wire(&self) -> common::ModelUse {
        common::ModelUse {
            kind: self.kind.clone(),
            name: self.name.clone(),
            sha256: self.sha256.clone(),
            fitted: self.fitted,
            asked: self.asked,
            answered: self.answered,
        }
    }
}

impl FromWire<common::ModelUse> for ModelUse {
    fn from_wire(wire: common::ModelUse) -> Result<Self, Failure> {
        let common::ModelUse { kind, name, sha256, fitted, asked, answered } = wire;
        Ok(Self { kind, name, sha256, fitted, asked, answered })
    }
}

impl FromWire<common::Claim> for Claim {
    fn from_wire(wire: common::Claim) -> Result<Self, Failure> {
        Ok(Self {
            text: wire.text,
            span: required("span", wire.span)?,
            kind: at("kind", wire.kind)?,
            status: at("status", wire.status)?,
            support: wire.support,
            citations: wire.citations,
            evidence: list_from_wire("evidence", wire.evidence)?,
            reason: wire.reason,
            decided_by: wire.decided_by,
        })
    }
}

impl ToWire for Citation {
    type Wire = common::Citation;
    fn to_wire(&self) -> common::Citation {
        common::Citation {
            marker: self.marker,
            text: self.text.clone(),
            span: Some(self.span.to_wire()),
            lines: self.lines.as_ref().map(ToWire::to_wire),
            in_range: self.in_range,
            claim: self.claim,
            origin: self.origin.to_wire(),
            resolution: self.resolution.to_wire(),
        }
    }
}

impl FromWire<common::Citation> for Citation {
    fn from_wire(wire: common::Citation) -> Result<Self, Failure> {
        Ok(Self {
            marker: wire.marker,
            text: wire.text,
            span: required("span", wire.span)?,
            lines: optional("lines", wire.lines)?,
            in_range: wire.in_range,
            claim: wire.claim,
            origin: at("origin", wire.origin)?,
            resolution: at("resolution", wire.resolution)?,
        })
    }
}

impl ToWire for Defect {
    type Wire = common::Defect;
    fn to_wire(&self) -> common::Defect {
        common::Defect {
            kind: self.kind.to_wire(),
            span: Some(self.span.to_wire()),
            detail: self.detail.clone(),
        }
    }
}

impl FromWire<common::Defect> for Defect {
    fn from_wire(wire: common::Defect) -> Result<Self, Failure> {
        Ok(Self { kind: at("kind", wire.kind)?, span: required("span", wire.span)?, detail: wire.detail })
    }
}

impl ToWire for Finding {
    type Wire = common::Finding;
    fn to_wire(&self) -> common::Finding {
        common::Finding {
            kind: self.kind.clone(),
            detail: self.detail.clone(),
            span: self.span.as_ref().map(ToWire::to_wire),
        }
    }
}

impl FromWire<common::Finding> for Finding {
    fn from_wire(wire: common::Finding) -> Result<Self, Failure> {
        Ok(Self { kind: wire.kind, detail: wire.detail, span: optional("span", wire.span)? })
    }
}

impl ToWire for Report {
    type Wire = common::Report;
    fn to_wire(&self) -> common::Report {
        common::Report {
            verdict: self.verdict.to_wire(),
            support: self.support,
            checks: list_to_wire(&self.checks),
            claims: list_to_wire(&self.claims),
            citations: list_to_wire(&self.citations),
            defects: list_to_wire(&self.defects),
            blocks: list_to_wire(&self.blocks),
            context_relevance: self.context_relevance,
            errors: list_to_wire(&self.errors),
            warnings: list_to_wire(&self.warnings),
            text: self.text.clone(),
            partial_response: self.partial_response.clone(),
            retry_prompt: self.retry_prompt.clone(),
            suggestion: self.suggestion.clone(),
            models: list_to_wire(&self.models),
        }
    }
}

/// Kind of the warning that stands for a check this version does not know.
const UNKNOWN_CHECK: &str = "unknown_check";

impl FromWire<common::Report> for Report {
    /// A check of a later version is not lost: it becomes a warning that names its number. A required one that is not
    /// known or not checked lowers a pass.
    fn from_wire(wire: common::Report) -> Result<Self, Failure> {
        let (known, unknown): (Vec<_>, Vec<_>) =
            wire.checks.into_iter().partition(|check| CheckName::known(check.name).is_some());
        let mut warnings: Vec<Finding> = list_from_wire("warnings", wire.warnings)?;
        let open = unknown.iter().any(|check| check.required);
        warnings.extend(unknown.into_iter().map(|check| Finding {
            kind: UNKNOWN_CHECK.to_owned(),
            detail: format!("check {} is of another version and counts as not checked", check.name),
            span: None,
        }));
        let checks: Vec<Check> = list_from_wire("checks", known)?;
        let mut verdict = at("verdict", wire.verdict)?;
        if verdict == Verdict::Pass && (open || Verdict::of_results(&checks) != Verdict::Pass) {
            verdict = Verdict::Review;
        }
        Ok(Self {
            verdict,
            support: wire.support,
            checks,
            claims: list_from_wire("claims", wire.claims)?,
            citations: list_from_wire("citations", wire.citations)?,
            defects: list_from_wire("defects", wire.defects)?,
            blocks: list_from_wire("blocks", wire.blocks)?,
            context_relevance: wire.context_relevance,
            errors: list_from_wire("errors", wire.errors)?,
            warnings,
            text: wire.text,
            partial_response: wire.partial_response,
            retry_prompt: wire.retry_prompt,
            suggestion: wire.suggestion,
            models: list_from_wire("models", wire.models)?,
        })
    }
}
