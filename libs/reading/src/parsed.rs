//! Parses an answer once into claims, markers, defects and code blocks, each with its span.

use std::sync::Arc;

use crate::citations::{self, Scan};
use crate::claims::{self, Unit};
use crate::document::{Document, LeafKind};
use assay_domain::code::Block;
use assay_domain::report::{Citation, Claim, ClaimKind, ClaimStatus, Defect};
use assay_text::Offsets;
use assay_text::language::{self, Language};

/// The content of an answer before any judgement.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// Claims in text order; factual ones are `NOT_CHECKED`, the others `NOT_APPLICABLE`.
    pub claims: Vec<Claim>,
    /// Markers in text order, bound to their claims.
    pub citations: Vec<Citation>,
    /// Defects of form, in text order.
    pub defects: Vec<Defect>,
    /// Code blocks that hold anything, in text order; the parser knows which of them are plain output.
    pub blocks: Vec<Block>,
}

impl Reading {
    /// Whether the answer is nothing but a refusal ("the sources do not say"): no factual claim, no code.
    #[must_use]
    pub fn only_refuses(&self) -> bool {
        let any = |kind: ClaimKind| self.claims.iter().any(|claim| claim.kind == kind);
        any(ClaimKind::Refusal) && !any(ClaimKind::Factual) && !any(ClaimKind::Code) && self.blocks.is_empty()
    }
}

/// Reads an answer that has `sources` sources; total and linear.
#[must_use]
pub fn read(answer: &str, sources: usize) -> Reading {
    Parsed::new(answer, sources).reading
}

/// A reading with the structure that it was made from.
pub struct Parsed {
    /// Block structure of the answer.
    pub document: Document,
    /// One unit for each claim of the reading, in the same order.
    pub units: Vec<Unit>,
    /// Claims, citations, defects and code blocks.
    pub reading: Reading,
    /// Language of the answer; `None` if it cannot be detected.
    pub language: Option<Language>,
    /// Converts byte offsets of the answer.
    pub offsets: Offsets,
}

impl Parsed {
    /// Reads an answer that has `sources` sources.
    #[must_use]
    pub fn new(answer: impl Into<Arc<str>>, sources: usize) -> Self {
        let answer = answer.into();
        let document = Document::parse(Arc::clone(&answer));
        let offsets = Offsets::new(Arc::clone(&answer));
        let marks = citations::marks(&document);
        let units = claims::segment(&document, &marks);
        let Scan { mut citations, defects } = citations::resolve(&document, &offsets, &marks, sources);
        let mut claims: Vec<Claim> = units.units.iter().map(|unit| claim(unit, &offsets)).collect();
        let well_formed = marks.iter().zip(&units.of_mark).filter(|(mark, _)| mark.body.is_ok());
        for (index, (_, bound)) in well_formed.enumerate() {
            let (Some(citation), Some(bound)) = (citations.get_mut(index), bound) else { continue };
            citation.claim = u32::try_from(*bound).ok();
            if let (Some(claim), Ok(index)) = (claims.get_mut(*bound), u32::try_from(index)) {
                claim.citations.push(index);
            }
        }
        let blocks = blocks(&document);
        let reading = Reading { claims, citations, defects, blocks };
        let language = language::detect(&answer);
        Self { document, units: units.units, reading, language, offsets }
    }
}

/// A claim before judgement.
fn claim(unit: &Unit, offsets: &Offsets) -> Claim {
    let factual = unit.kind == ClaimKind::Factual;
    Claim {
        text: unit.text.clone(),
        span: offsets.span(unit.range.clone()),
        kind: unit.kind,
        status: if factual { ClaimStatus::NotChecked } else { ClaimStatus::NotApplicable },
        support: None,
        citations: Vec::new(),
        evidence: Vec::new(),
        reason: String::new(),
        decided_by: String::new(),
    }
}

/// The code blocks of a document.
fn blocks(document: &Document) -> Vec<Block> {
    let mut blocks = Vec::new();
    let (mut line, mut counted) = (1, 0);
    for leaf in &document.leaves {
        let LeafKind::Code { language, code, body_start } = &leaf.kind else { continue };
        if code.trim().is_empty() {
            continue;
        }
        let at = (*body_start).clamp(counted, document.text.len());
        line += document.text.as_bytes()[counted..at].iter().filter(|b| **b == b'\n').count();
        counted = at;
        blocks.push(Block {
            index: u32::try_from(blocks.len()).unwrap_or(u32::MAX),
            language: language.clone(),
            declared: !language.is_empty(),
            code: code.clone(),
            byte_start: leaf.range.start,
            byte_end: leaf.range.end,
            first_line: u32::try_from(line).unwrap_or(u32::MAX),
        });
    }
    blocks
}
