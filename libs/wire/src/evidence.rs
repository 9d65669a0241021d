//! Sources, hits and drafts.

use assay_domain::draft::{Draft, PromptId, ProviderCall};
use assay_domain::evidence::LegRank;
use assay_domain::{Failure, Hit, LineRange, Source};
use assay_proto::common;

use crate::{FromWire, ToWire, at, list_from_wire, list_to_wire, optional, required};

impl ToWire for LineRange {
    type Wire = common::LineRange;
    fn to_wire(&self) -> common::LineRange {
        common::LineRange { first: self.first, last: self.last }
    }
}

impl FromWire<common::LineRange> for LineRange {
    fn from_wire(wire: common::LineRange) -> Result<Self, Failure> {
        Ok(Self::new(wire.first, wire.last))
    }
}

impl ToWire for Source {
    type Wire = common::Source;
    fn to_wire(&self) -> common::Source {
        common::Source {
            id: self.id.clone(),
            kind: self.kind.to_wire(),
            path: self.path.clone(),
            lines: Some(self.lines.to_wire()),
            title: self.title.clone(),
            headings: self.headings.clone(),
            anchor: self.anchor.clone(),
            text: self.text.clone(),
            sha256: self.sha256.clone(),
            file_sha256: self.file_sha256.clone(),
            commit: self.commit.clone(),
            language: self.language.clone(),
        }
    }
}

impl FromWire<common::Source> for Source {
    fn from_wire(wire: common::Source) -> Result<Self, Failure> {
        Ok(Self {
            kind: at("kind", wire.kind)?,
            lines: required("lines", wire.lines)?,
            id: wire.id,
            path: wire.path,
            title: wire.title,
            headings: wire.headings,
            anchor: wire.anchor,
            text: wire.text,
            sha256: wire.sha256,
            file_sha256: wire.file_sha256,
            commit: wire.commit,
            language: wire.language,
        })
    }
}

impl ToWire for LegRank {
    type Wire = common::LegRank;
    fn to_wire(&self) -> common::LegRank {
        common::LegRank { rank: self.rank, score: self.score }
    }
}

impl FromWire<common::LegRank> for LegRank {
    fn from_wire(wire: common::LegRank) -> Result<Self, Failure> {
        Ok(Self { rank: wire.rank, score: wire.score })
    }
}

impl ToWire for Hit {
    type Wire = common::Hit;
    fn to_wire(&self) -> common::Hit {
        common::Hit {
            source: Some(self.source.to_wire()),
            score: self.score,
            bm25: self.bm25.as_ref().map(ToWire::to_wire),
            knn: self.knn.as_ref().map(ToWire::to_wire),
        }
    }
}

impl FromWire<common::Hit> for Hit {
    fn from_wire(wire: common::Hit) -> Result<Self, Failure> {
        Ok(Self {
            source: required("source", wire.source)?,
            score: wire.score,
            bm25: optional("bm25", wire.bm25)?,
            knn: optional("knn", wire.knn)?,
        })
    }
}

impl ToWire for PromptId {
    type Wire = common::PromptId;
    fn to_wire(&self) -> common::PromptId {
        common::PromptId { id: self.id.clone(), sha256: self.sha256.clone() }
    }
}

impl FromWire<common::PromptId> for PromptId {
    fn from_wire(wire: common::PromptId) -> Result<Self, Failure> {
        Ok(Self { id: wire.id, sha256: wire.sha256 })
    }
}

impl ToWire for ProviderCall {
    type Wire = common::ProviderCall;
    fn to_wire(&self) -> common::ProviderCall {
        common::ProviderCall {
            model: self.model.clone(),
            outcome: self.outcome.clone(),
            elapsed_ms: self.elapsed_ms,
        }
    }
}

impl FromWire<common::ProviderCall> for ProviderCall {
    fn from_wire(wire: common::ProviderCall) -> Result<Self, Failure> {
        Ok(Self { model: wire.model, outcome: wire.outcome, elapsed_ms: wire.elapsed_ms })
    }
}

impl ToWire for Draft {
    type Wire = common::Draft;
    fn to_wire(&self) -> common::Draft {
        common::Draft {
            text: self.text.clone(),
            generator: self.generator.to_wire(),
            model: self.model.clone(),
            finish: self.finish.to_wire(),
            prompts: list_to_wire(&self.prompts),
            provider_trail: list_to_wire(&self.provider_trail),
            model_calls: self.model_calls,
            temperature: self.temperature,
            seed: self.seed,
            prompt_tokens: self.prompt_tokens,
            completion_tokens: self.completion_tokens,
            warnings: self.warnings.clone(),
        }
    }
}

impl FromWire<common::Draft> for Draft {
    fn from_wire(wire: common::Draft) -> Result<Self, Failure> {
        Ok(Self {
            generator: at("generator", wire.generator)?,
            finish: at("finish", wire.finish)?,
            prompts: list_from_wire("prompts", wire.prompts)?,
            provider_trail: list_from_wire("provider_trail", wire.provider_trail)?,
            text: wire.text,
            model: wire.model,
            model_calls: wire.model_calls,
            temperature: wire.temperature,
            seed: wire.seed,
            prompt_tokens: wire.prompt_tokens,
            completion_tokens: wire.completion_tokens,
            warnings: wire.warnings,
        })
    }
}
