//! Puts the report together: markers put in and taken out, claims and citations with what was found of them.

use super::Judge;
use super::facts::Facts;
use crate::assess::{Assessed, Broken};
use crate::checks::Case;
use crate::reading::Parsed;
use crate::{assess, checks, language, partial, retry, suggest, support};
use assay_domain::code::{Block, BlockStatus, ParsedBlock};
use assay_domain::report::{
    CheckName, CheckStatus, CitationOrigin, Claim, ClaimKind, Report, Resolution, Verdict,
};
use std::cell::{Cell, OnceCell};
use std::collections::BTreeMap;

/// Whether adding and removing markers changed nothing else.
fn agrees(draft: &Parsed, settled: &Parsed, assessed: &Assessed) -> bool {
    let removed = if assessed.edits.iter().any(|edit| edit.text.is_empty()) {
        assessed.broken.iter().filter(|broken| broken.is_some()).count()
    } else {
        0
    };
    let same_claims = draft.units.len() == settled.units.len()
        && draft
            .units
            .iter()
            .zip(&settled.units)
            .all(|(one, two)| one.text == two.text && one.kind == two.kind);
    let markers = draft.reading.citations.len() + assessed.attached.len() - removed;
    let placed = assessed.attached.iter().all(|(claim, source)| {
        let claim = settled.reading.claims.get(*claim);
        claim.is_some_and(|claim| {
            claim.citations.len() == 1
                && settled
                    .reading
                    .citations
                    .get(claim.citations[0] as usize)
                    .is_some_and(|c| c.marker == *source)
        })
    });
    same_claims
        && placed
        && markers == settled.reading.citations.len()
        && draft.reading.defects.len() == settled.reading.defects.len()
        && draft.reading.blocks.len() == settled.reading.blocks.len()
}

/// A parsed block at its place in the text with the markers changed.
fn relocate(parsed: &ParsedBlock, blocks: &[Block]) -> ParsedBlock {
    let mut moved = parsed.clone();
    let same = |block: &&Block| block.code == parsed.block.code;
    // Markers stand in no block: its number is as it was.
    let own = usize::try_from(parsed.block.index).ok().and_then(|index| blocks.get(index));
    let place = own.filter(same).or_else(|| blocks.iter().find(same));
    if let Some(place) = place {
        (moved.block.byte_start, moved.block.byte_end) = (place.byte_start, place.byte_end);
        moved.block.first_line = place.first_line;
    }
    moved
}

/// Claims of the reading with their judgements.
pub(super) fn claims(
    judge: &Judge,
    parsed: &Parsed,
    assessed: &Assessed,
    blocks: &[ParsedBlock],
) -> Vec<Claim> {
    let mut claims = parsed.reading.claims.clone();
    let by_start: BTreeMap<usize, &ParsedBlock> =
        blocks.iter().map(|block| (block.block.byte_start, block)).collect();
    for claim in claims.iter_mut().filter(|claim| claim.kind == ClaimKind::Code) {
        let inside = by_start.range(claim.span.byte_start..claim.span.byte_end).next();
        claim.reason = inside.map(|(_, block)| checks::told(block)).unwrap_or_default();
    }
    for (claim, judged) in claims.iter_mut().zip(&assessed.judged) {
        let Some(judged) = judged else { continue };
        claim.status = judged.status;
        claim.support = judged.support;
        claim.evidence.clone_from(&judged.evidence);
        claim.reason.clone_from(&judged.reason);
        claim.decided_by = judge.decided_by(judged);
    }
    claims
}

/// Citations of the reading with their origin and resolution.
pub(super) fn citations(
    judge: &Judge,
    parsed: &Parsed,
    assessed: &Assessed,
) -> Vec<assay_domain::report::Citation> {
    let mut citations = parsed.reading.citations.clone();
    for (citation, broken) in citations.iter_mut().zip(&assessed.broken) {
        let claim = citation.claim.map(|claim| claim as usize);
        // Claims stand there in their order.
        let attached = |claim| assessed.attached.binary_search_by_key(&claim, |(claim, _)| *claim).is_ok();
        if claim.is_some_and(attached) {
            citation.origin = CitationOrigin::Attached;
        }
        citation.resolution = match (citation.in_range, broken) {
            (true, None) if !judge.terms.sources.is_empty() => Resolution::Exact,
            (true, Some(_)) | (false, _) => Resolution::Dangling,
            _ => Resolution::NotChecked,
        };
    }
    citations
}

impl Judge {
    pub(super) fn settle(&self, draft: &Parsed, mut assessed: Assessed, facts: &Facts) -> Report {
        self.apply(draft, &mut assessed, &facts.scores);
        let answer = &*draft.document.text;
        let text = assess::apply(answer, 0..answer.len(), &assessed.edits);
        if assessed.edits.is_empty() {
            return self.report(draft, &assessed, facts, &[]);
        }
        let settled = self.read(text.as_str());
        if !agrees(draft, &settled, &assessed) {
            // The markers would change what the answer says: it stays as it was written.
            let plain =
                Assessed { attached: Vec::new(), stripped: Vec::new(), edits: Vec::new(), ..assessed };
            return self.report(draft, &plain, facts, &[]);
        }
        let moved: Vec<ParsedBlock> =
            facts.blocks.iter().map(|parsed| relocate(parsed, &settled.reading.blocks)).collect();
        let facts = Facts { blocks: moved, ..facts.clone() };
        let removed: Vec<Broken> = assessed.broken.iter().flatten().cloned().collect();
        let broken =
            settled.reading.citations.iter().map(|citation| assess::broken(self, citation)).collect();
        // Markers have moved; which of them were idle is said of the draft.
        let settled_assessed = Assessed { broken, idle: Vec::new(), ..assessed };
        self.report(&settled, &settled_assessed, &facts, &removed)
    }

    fn report(&self, parsed: &Parsed, assessed: &Assessed, facts: &Facts, removed: &[Broken]) -> Report {
        let case = Case {
            judge: self,
            parsed,
            assessed,
            facts,
            removed,
            mentions: OnceCell::new(),
            names: OnceCell::new(),
            compared: Cell::new(0),
        };
        let (checks, findings) = checks::all(&case, self.relevance);
        let (failed, errors): (Vec<CheckName>, Vec<_>) = findings.errors.into_iter().unzip();
        let verdict = Verdict::of(&checks);
        let claims = claims(self, parsed, assessed, &facts.blocks);
        let citations = citations(self, parsed, assessed);
        let probabilities: Vec<f64> = claims.iter().filter_map(|claim| claim.support).collect();
        let refuses = self.holds_claims() && parsed.reading.only_refuses();
        let mut report = Report {
            verdict,
            support: if refuses { support::of_refusal() } else { support::of_answer(&probabilities) },
            checks,
            claims,
            citations,
            defects: parsed.reading.defects.clone(),
            blocks: facts
                .blocks
                .iter()
                .filter(|parsed| parsed.status != BlockStatus::Plain)
                .cloned()
                .collect(),
            context_relevance: self.relevance,
            errors,
            warnings: findings.warnings,
            text: parsed.document.text.to_string(),
            partial_response: String::new(),
            retry_prompt: String::new(),
            suggestion: String::new(),
            models: self.models(&facts.scores),
        };
        report.lower();
        report.partial_response = partial::partial(parsed, &report);
        if verdict == Verdict::Reject {
            let language = language::detect(&self.terms.question).or(parsed.language);
            report.retry_prompt = retry::prompt(&report, &failed, self.terms.sources.len());
            report.suggestion = suggest::suggestion(language, |name| {
                report.check(name).is_some_and(|check| check.status == CheckStatus::Failed)
            });
        }
        report
    }
}
