//! What fitting tools need: the measures of every claim of an answer, and the stems of a text.

use crate::index::SourceIndex;
use crate::language;
use crate::reading::Parsed;
use crate::support::{Held, Support};
use crate::tokens::{TokenKind, Tokenizer};
use assay_domain::evidence::Source;
use assay_domain::report::{ClaimKind, Span};

/// The factual claims of an answer: the place of each, and what holding it against all sources gave.
#[must_use]
pub fn claims(question: &str, sources: &[Source], answer: &str) -> Vec<(Span, Held)> {
    let index = SourceIndex::new(sources);
    let support = Support::new(&index, question, 0.5, language::detect(answer));
    let parsed = Parsed::new(answer, sources.len());
    let units = parsed.units.iter().zip(&parsed.reading.claims);
    units
        .filter(|(unit, _)| unit.kind == ClaimKind::Factual)
        .map(|(unit, claim)| (claim.span, support.features(&unit.marked_up)))
        .collect()
}

/// Whether an answer refuses and states nothing beside.
#[must_use]
pub fn only_refuses(answer: &str) -> bool {
    Parsed::new(answer, 0).reading.only_refuses()
}

/// Distinct stems of the content words of an English text, sorted.
#[must_use]
pub fn stems(text: &str) -> Vec<String> {
    let tokenizer = Tokenizer::new(None);
    let mut stems: Vec<String> = tokenizer
        .tokens(text)
        .into_iter()
        .filter(|token| token.kind == TokenKind::Word && token.content())
        .map(|token| tokenizer.stem(&token.norm).into_owned())
        .collect();
    stems.sort_unstable();
    stems.dedup();
    stems
}
