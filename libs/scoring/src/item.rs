//! The scores of one answer. Code comes first: an answer with rejected code is worth nothing to its reader.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::metric::{Reason, Score, share};
use crate::recorded::{Answered, Block, Place, Recorded};

/// Names of the scores that rejected code brings down to 0.
pub(crate) const GATED: [&str; 2] = ["answer_relevancy", "faithfulness"];

/// The scores of one answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Scored {
    /// Id of the question.
    pub id: String,
    /// Which time it was asked.
    pub repetition: u32,
    /// Whether the code of the answer holds; none without code.
    pub code_valid: Option<bool>,
    /// Scores by name; those of [`GATED`] are 0 where the code does not hold.
    pub scores: BTreeMap<&'static str, Score>,
    /// The same two as the judge gave them.
    pub raw: BTreeMap<&'static str, Score>,
}

/// Scores an answer.
#[must_use]
pub fn scored(recorded: &Recorded) -> Scored {
    let code_valid = code_valid(&recorded.blocks);
    let answer = recorded.answer.as_ref();
    let verdicts = &recorded.verdicts;
    let raw = BTreeMap::from([
        ("faithfulness", verdicts.faithfulness()),
        ("answer_relevancy", verdicts.answer_relevancy()),
    ]);
    let mut scores = raw.clone();
    if code_valid == Some(false) {
        GATED.iter().for_each(|name| {
            scores.insert(name, Score::Value(0.0));
        });
    }
    scores.insert("context_precision", verdicts.context_precision());
    scores.insert("context_recall", verdicts.context_recall());
    let code = code_valid.map_or(Score::none(Reason::NoCode), holds);
    scores.insert("syntactic_validity", code);
    scores.insert("answered_of_answerable", answered(recorded, true));
    scores.insert("abstained_of_unanswerable", answered(recorded, false));
    scores.insert("routing_accuracy", routed(recorded));
    let of_answer = |score: fn(&Answered, &[Place]) -> Score| {
        answer.map_or(Score::none(Reason::NoAnswer), |answer| score(answer, &recorded.reference_lines))
    };
    scores.insert("citation_precision", of_answer(citation_precision));
    scores.insert("citation_recall", of_answer(citation_recall));
    scores.insert("citation_coverage", of_answer(|answer, _| coverage(answer)));
    scores.insert("bogus_citations", of_answer(|answer, _| bogus(answer)));
    scores.insert("rejected_of_answerable", rejected(recorded));
    Scored { id: recorded.id.clone(), repetition: recorded.repetition, code_valid, scores, raw }
}

fn holds(holds: bool) -> Score {
    Score::Value(f64::from(u8::from(holds)))
}

/// Whether every block with a grammar was accepted; none without one.
fn code_valid(blocks: &[Block]) -> Option<bool> {
    let known: Vec<bool> = blocks.iter().filter_map(|block| block.valid).collect();
    (!known.is_empty()).then(|| known.into_iter().all(|valid| valid))
}

/// Answered, of the answerable questions; abstained, of the others.
fn answered(recorded: &Recorded, answerable: bool) -> Score {
    match recorded.answerable {
        None => Score::none(Reason::AnswerabilityUnknown),
        Some(kind) if kind != answerable => Score::none(Reason::OtherKind),
        Some(_) => {
            let wanted = if answerable { "ANSWERED" } else { "ABSTAINED" };
            holds(recorded.answer.as_ref().is_some_and(|answer| answer.outcome == wanted))
        }
    }
}

fn rejected(recorded: &Recorded) -> Score {
    match recorded.answerable {
        None => Score::none(Reason::AnswerabilityUnknown),
        Some(false) => Score::none(Reason::OtherKind),
        Some(true) => holds(recorded.answer.as_ref().is_some_and(|answer| answer.verdict == "REJECT")),
    }
}

fn routed(recorded: &Recorded) -> Score {
    match &recorded.answer {
        _ if recorded.expected_type.is_empty() => Score::none(Reason::NoExpectedType),
        None => Score::none(Reason::NoAnswer),
        Some(answer) => holds(answer.query_type == recorded.expected_type),
    }
}

/// Citations that name lines of the reference, over citations.
fn citation_precision(answer: &Answered, reference: &[Place]) -> Score {
    if reference.is_empty() {
        return Score::none(Reason::NoReferenceLines);
    }
    let right = answer
        .citations
        .iter()
        .map(|one| one.place.as_ref().is_some_and(|place| reference.iter().any(|lines| lines.meets(place))));
    share(right, Reason::NoCitations)
}

/// Places of the reference that a citation names, over its places.
fn citation_recall(answer: &Answered, reference: &[Place]) -> Score {
    let cited = |lines: &Place| {
        answer.citations.iter().filter_map(|one| one.place.as_ref()).any(|at| lines.meets(at))
    };
    share(reference.iter().map(cited), Reason::NoReferenceLines)
}

/// Factual claims with a citation, over factual claims.
fn coverage(answer: &Answered) -> Score {
    let factual: Vec<bool> = answer
        .claims
        .iter()
        .filter(|claim| claim.kind == "factual")
        .map(|claim| !claim.citations.is_empty())
        .collect();
    share(factual.into_iter(), Reason::NoStatements)
}

/// Citations that name nothing the index holds, over citations.
fn bogus(answer: &Answered) -> Score {
    share(answer.citations.iter().map(|one| !one.sound), Reason::NoCitations)
}
