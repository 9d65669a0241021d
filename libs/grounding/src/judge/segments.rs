//! Checks pieces of a draft by themselves while it grows.

use super::Judge;
use super::facts::Facts;
use crate::checks::Case;
use crate::language::Language;
use crate::reading::Parsed;
use crate::reading::{Place, ResumePoint};
use crate::scores::{Ask, Scores};
use crate::segmenter::Segment;
use crate::{assess, checks, language};
use assay_domain::CheckedSegment;
use assay_domain::code::{BlockStatus, ParsedBlock};
use assay_domain::report::Finding;
use std::cell::{Cell, OnceCell};

/// A draft from a place on.
struct View<'t> {
    text: &'t str,
    from: Place,
}

impl Judge {
    /// Checks segments by themselves, in text order. `so_far` is the draft up to the end of the last one, `blocks` what
    /// the parser said of it so far.
    #[must_use]
    pub fn segments(
        &self,
        so_far: &str,
        segments: &[Segment],
        blocks: &[ParsedBlock],
    ) -> Vec<CheckedSegment> {
        let whole = View { text: so_far, from: Place::default() };
        let none = Scores::default();
        self.view(&whole, segments, blocks, language::detect(so_far), &none, &|| false).unwrap_or_default()
    }

    /// The same for a draft that grows: reads no more of it than what the new segments follow from, so that all of them
    /// together cost what the draft does once. `None` where `stop` said so, which is asked before each claim.
    #[must_use]
    pub fn segments_behind(
        &self,
        resume: &mut ResumePoint,
        so_far: &str,
        segments: &[Segment],
        blocks: &[ParsedBlock],
        scores: &Scores,
        stop: &dyn Fn() -> bool,
    ) -> Option<Vec<CheckedSegment>> {
        let Some(first) = segments.first() else { return Some(Vec::new()) };
        // The whole will be judged by the same claims.
        self.memory.open();
        // Whether a rejected program may stand depends on all markers so far.
        let rejected = |block: &ParsedBlock| {
            matches!(block.status, BlockStatus::Invalid | BlockStatus::WrongLanguage(_))
        };
        let from = resume.before(so_far, first.range.start);
        let from = if blocks.iter().any(rejected) { Place::default() } else { from };
        let view = View { text: so_far.get(from.byte..).unwrap_or(so_far), from };
        self.view(&view, segments, blocks, language::detect(so_far), scores, stop)
    }

    /// Pairs that the reader is to be asked about before these segments are passed on, beside what `scores` hold
    /// already; `None` where `stop` said so.
    #[must_use]
    pub fn segment_asks(
        &self,
        resume: &ResumePoint,
        so_far: &str,
        segments: &[Segment],
        scores: &Scores,
        stop: &dyn Fn() -> bool,
    ) -> Option<Vec<Ask>> {
        let first = segments.first().filter(|_| self.wants_sentences());
        let Some(first) = first else { return Some(Vec::new()) };
        self.memory.open();
        let from = resume.clone().before(so_far, first.range.start);
        let text = so_far.get(from.byte..).unwrap_or(so_far);
        let language = language::detect(so_far);
        let parsed = Parsed { language, ..self.read(text) };
        let assessed = self.assess(&parsed, first.range.start.saturating_sub(from.byte), stop)?;
        Some(self.pairs(&parsed, &assessed, scores))
    }

    fn view(
        &self,
        view: &View<'_>,
        segments: &[Segment],
        blocks: &[ParsedBlock],
        language: Option<Language>,
        scores: &Scores,
        stop: &dyn Fn() -> bool,
    ) -> Option<Vec<CheckedSegment>> {
        let Some(first) = segments.first() else { return Some(Vec::new()) };
        let (text, from) = (view.text, view.from);
        let inside = |byte: usize| byte.saturating_sub(from.byte).min(text.len());
        let parsed = Parsed { language, ..self.read(text) };
        let mut assessed = self.assess(&parsed, inside(first.range.start), stop)?;
        self.apply(&parsed, &mut assessed, scores);
        let own = blocks.iter().filter(|parsed| parsed.block.byte_start >= from.byte).cloned();
        let blocks = own.map(|mut parsed| {
            parsed.block.byte_start -= from.byte;
            parsed.block.byte_end = parsed.block.byte_end.saturating_sub(from.byte);
            parsed
        });
        let facts = Facts { blocks: blocks.collect(), ..Facts::default() };
        let (mentions, names, compared) = (OnceCell::new(), OnceCell::new(), Cell::new(0));
        let case = Case {
            judge: self,
            parsed: &parsed,
            assessed: &assessed,
            facts: &facts,
            removed: &[],
            mentions,
            names,
            compared,
        };
        let failing = checks::of_segments(&case);
        let check = |segment: &Segment| {
            let range = inside(segment.range.start)..inside(segment.range.end);
            let within =
                |finding: &&Finding| finding.span.is_some_and(|span| range.contains(&span.byte_start));
            let mut errors: Vec<Finding> = failing.iter().filter(within).cloned().collect();
            errors.iter_mut().filter_map(|error| error.span.as_mut()).for_each(|span| from.shift(span));
            let text = assess::apply(text, range.clone(), &assessed.edits);
            CheckedSegment { text, passed: errors.is_empty(), errors }
        };
        Some(segments.iter().map(check).collect())
    }
}
