//! Counts over a run, and the figures that follow from them.

use std::collections::BTreeMap;

use assay_domain::code::ParsedBlock;
use assay_domain::{Answer, BlockStatus, Failure, Outcome};

/// What the parser said of one answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct CodeFacts {
    /// Blocks that have a grammar.
    pub(crate) parsed: u64,
    /// Blocks that were rejected, for their syntax or for their language.
    pub(crate) invalid: u64,
    /// Blocks that have no grammar and were not checked.
    pub(crate) no_grammar: u64,
}

impl CodeFacts {
    /// Counts the blocks; the reason if one could not be parsed at all.
    pub(crate) fn of(blocks: &[ParsedBlock]) -> Result<Self, String> {
        let mut facts = Self::default();
        for block in blocks {
            match &block.status {
                BlockStatus::Valid => facts.parsed += 1,
                BlockStatus::Invalid | BlockStatus::WrongLanguage(_) => {
                    facts.parsed += 1;
                    facts.invalid += 1;
                }
                BlockStatus::NoGrammar => facts.no_grammar += 1,
                BlockStatus::Plain => {}
                BlockStatus::Unavailable(reason) => return Err(reason.clone()),
            }
        }
        Ok(facts)
    }

    pub(crate) const fn has_code(self) -> bool {
        self.parsed > 0
    }

    pub(crate) const fn is_valid(self) -> bool {
        self.parsed > 0 && self.invalid == 0
    }
}

/// Counts over a run.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Tally {
    pub(crate) items: u64,
    pub(crate) with_code: u64,
    pub(crate) with_valid_code: u64,
    pub(crate) no_grammar_blocks: u64,
    pub(crate) verdicts: BTreeMap<&'static str, u64>,
    pub(crate) outcomes: BTreeMap<&'static str, u64>,
    pub(crate) answerability: BTreeMap<&'static str, u64>,
    /// Manifests of the indexes that were searched, with how often.
    pub(crate) manifests: BTreeMap<String, u64>,
    /// Whether an answer was written by a model.
    pub(crate) by_model: u64,
}

impl Tally {
    pub(crate) fn add(
        &mut self,
        answer: &Result<Answer, Failure>,
        code: CodeFacts,
        answerable: Option<bool>,
    ) {
        let outcome = answer.as_ref().map_or_else(outcome_of, |answer| answer.outcome);
        self.items += 1;
        *self.outcomes.entry(outcome.as_str()).or_default() += 1;
        if let Some(answerable) = answerable {
            *self.answerability.entry(cell(answerable, outcome)).or_default() += 1;
        }
        self.with_code += u64::from(code.has_code());
        self.with_valid_code += u64::from(code.is_valid());
        self.no_grammar_blocks += code.no_grammar;
        let Ok(answer) = answer else { return };
        if let Some(verdict) = answer.verdict {
            *self.verdicts.entry(verdict.as_str()).or_default() += 1;
        }
        if !answer.index_manifest.is_empty() {
            *self.manifests.entry(answer.index_manifest.clone()).or_default() += 1;
        }
        self.by_model += u64::from(answer.generator == Some(assay_domain::Generator::Model));
    }

    /// Answers with code and no invalid block, over answers with code.
    pub(crate) fn syntactic_validity(&self) -> Option<f64> {
        (self.with_code > 0).then(|| as_f64(self.with_valid_code) / as_f64(self.with_code))
    }
}

/// How a request ended that gave no answer.
pub(crate) fn outcome_of(failure: &Failure) -> Outcome {
    use assay_domain::Code;
    match failure.code {
        Code::Cancelled => Outcome::Cancelled,
        Code::ResourceExhausted
        | Code::PayloadTooLarge
        | Code::InvalidArgument
        | Code::PermissionDenied
        | Code::Unauthenticated => Outcome::Refused,
        _ => Outcome::Failed,
    }
}

const fn cell(answerable: bool, outcome: Outcome) -> &'static str {
    match (answerable, outcome) {
        (true, Outcome::Answered) => "answerable_answered",
        (true, Outcome::Abstained) => "answerable_abstained",
        (true, _) => "answerable_other",
        (false, Outcome::Answered) => "unanswerable_answered",
        (false, Outcome::Abstained) => "unanswerable_abstained",
        (false, _) => "unanswerable_other",
    }
}

/// The count as a float; exact up to 2^53, far beyond any run.
#[allow(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
fn as_f64(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use assay_domain::Code;
    use assay_domain::code::Block;

    fn block(status: BlockStatus) -> ParsedBlock {
        let block = Block {
            index: 0,
            language: "avap".into(),
            declared: true,
            code: String::new(),
            byte_start: 0,
            byte_end: 0,
            first_line: 1,
        };
        ParsedBlock { block, status, diagnostics: vec![] }
    }

    #[test]
    fn one_rejected_block_makes_the_answer_invalid() {
        let facts = CodeFacts::of(&[block(BlockStatus::Valid), block(BlockStatus::NoGrammar)]).unwrap();
        assert!(facts.has_code() && facts.is_valid());
        let facts = CodeFacts::of(&[block(BlockStatus::Valid), block(BlockStatus::Invalid)]).unwrap();
        assert!(facts.has_code() && !facts.is_valid());
        let facts = CodeFacts::of(&[block(BlockStatus::WrongLanguage("go".into()))]).unwrap();
        assert!(!facts.is_valid());
        let facts = CodeFacts::of(&[block(BlockStatus::NoGrammar)]).unwrap();
        assert!(!facts.has_code());
        assert_eq!(CodeFacts::of(&[block(BlockStatus::Unavailable("off".into()))]), Err("off".into()));
    }

    #[test]
    fn failures_are_counted_by_how_the_request_ended() {
        let mut tally = Tally::default();
        for code in [Code::Cancelled, Code::ResourceExhausted, Code::SearchUnavailable] {
            tally.add(&Err(Failure::new(code, "x")), CodeFacts::default(), Some(true));
        }
        assert_eq!(tally.outcomes, BTreeMap::from([("CANCELLED", 1), ("FAILED", 1), ("REFUSED", 1)]));
        assert_eq!(tally.answerability, BTreeMap::from([("answerable_other", 3)]));
        assert_eq!((tally.items, tally.syntactic_validity()), (3, None));
    }
}
