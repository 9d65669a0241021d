//! The report of a run.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::agreement::{AgainstJudge, Agreement, against_judges, agreement};
use crate::figure::{Figure, figure};
use crate::item::{GATED, Scored, scored};
use crate::leakage::{Leak, leakage};
use crate::metric::{Reason, Score};
use crate::recorded::{Manifest, Recorded};
use crate::standing::missing;

/// Seed of intervals and tests where the run has none.
const SEED: u64 = 0;

/// The report of a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// `BINDING` or `NON_BINDING`.
    pub standing: &'static str,
    /// What is missing for a binding run.
    pub missing_for_binding: Vec<String>,
    /// What the run was made with.
    pub manifest: Manifest,
    /// Digest of the manifest.
    pub manifest_sha256: String,
    /// Answers that the run should have and has not.
    pub outstanding: u64,
    /// Answers.
    pub answers: u64,
    /// Answers by outcome; requests that failed by their code.
    pub outcomes: BTreeMap<String, u64>,
    /// Answers by verdict.
    pub verdicts: BTreeMap<String, u64>,
    /// Scores over the questions, by name. Two of them stand under `raw` as the judge gave them.
    pub figures: BTreeMap<String, Figure>,
    /// Faithfulness and answer relevancy before the gate.
    pub raw: BTreeMap<String, Figure>,
    /// The figures that a threshold most often names, by category of question.
    pub categories: BTreeMap<String, BTreeMap<String, Figure>>,
    /// Answered or abstained against answerable or not.
    pub answerability: BTreeMap<String, u64>,
    /// Types found against types expected: `expected → found`.
    pub routes: BTreeMap<String, u64>,
    /// Rejected blocks by category of the first error, construct and question.
    pub confusion: Vec<Confusion>,
    /// Tokens that rejected code holds clearly more often than accepted code.
    pub leakage: Vec<Leak>,
    /// How often further judges say what the first says.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub agreement: Vec<Agreement>,
    /// The checks, with the verdicts of each model that judged as the truth.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub against_judges: Vec<AgainstJudge>,
    /// Code answers by the number of examples that their drafts were given (the effective K).
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub examples: BTreeMap<u32, u64>,
    /// Milliseconds per answer: median, 95th percentile, largest.
    pub latency_ms: Option<[f64; 3]>,
    /// Tokens into and out of models.
    pub tokens: Option<[u64; 2]>,
    /// Tokens into and out of the models that judge.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judge_tokens: Option<[u64; 2]>,
    /// The scores of each answer, in the order of the repetitions and the golden set.
    pub items: Vec<Scored>,
}

/// A kind of rejected code.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Confusion {
    /// Category of the block's first error.
    pub category: String,
    /// A construct that the question is about; empty if it names none.
    pub construct: String,
    /// Id of the question.
    pub question: String,
    /// Blocks.
    pub blocks: u64,
}

/// The report over what a run recorded; depends on nothing else.
#[must_use]
pub fn report(manifest: &Manifest, recorded: &[Recorded]) -> Report {
    let seed = manifest.seed.unwrap_or(SEED);
    let items: Vec<Scored> = recorded.iter().map(scored).collect();
    let missing_for_binding = missing(manifest, recorded);
    let mut latencies: Vec<f64> = answers(recorded).map(|answer| answer.total_ms).collect();
    latencies.sort_by(f64::total_cmp);
    let at = |share: f64| {
        let rank = (share * latencies.len() as f64).ceil() as usize;
        latencies.get(rank.saturating_sub(1)).copied()
    };
    let expected = u64::from(manifest.questions) * u64::from(manifest.repetitions);
    Report {
        standing: if missing_for_binding.is_empty() { "BINDING" } else { "NON_BINDING" },
        missing_for_binding,
        manifest_sha256: manifest.digest(),
        manifest: manifest.clone(),
        outstanding: expected.saturating_sub(recorded.len() as u64),
        answers: recorded.len() as u64,
        outcomes: counted(recorded.iter().map(|one| match &one.answer {
            Some(answer) => answer.outcome.clone(),
            None => format!("failed: {}", one.failure),
        })),
        verdicts: counted(
            answers(recorded).map(|answer| answer.verdict.clone()).filter(|name| !name.is_empty()),
        ),
        figures: figures(&items, seed),
        raw: raw(&items, seed),
        categories: categories(recorded, &items, seed),
        answerability: counted(recorded.iter().filter_map(cell)),
        routes: counted(
            answers_with(recorded)
                .filter(|(one, _)| !one.expected_type.is_empty())
                .map(|(one, answer)| format!("{} → {}", one.expected_type, answer.query_type)),
        ),
        confusion: confusion(recorded),
        leakage: leakage(recorded),
        latency_ms: at(0.5).zip(at(0.95)).zip(at(1.0)).map(|((p50, p95), most)| [p50, p95, most]),
        agreement: agreement(manifest, recorded),
        against_judges: against_judges(manifest, recorded),
        examples: examples(recorded),
        tokens: tokens(recorded),
        judge_tokens: judge_tokens(recorded),
        items,
    }
}

fn answers(recorded: &[Recorded]) -> impl Iterator<Item = &crate::Answered> {
    recorded.iter().filter_map(|one| one.answer.as_ref())
}

fn answers_with(recorded: &[Recorded]) -> impl Iterator<Item = (&Recorded, &crate::Answered)> {
    recorded.iter().filter_map(|one| Some((one, one.answer.as_ref()?)))
}

fn counted(names: impl Iterator<Item = String>) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    for name in names {
        *counts.entry(name).or_default() += 1;
    }
    counts
}

fn figures(items: &[Scored], seed: u64) -> BTreeMap<String, Figure> {
    let names: Vec<&str> = items.first().map(|one| one.scores.keys().copied().collect()).unwrap_or_default();
    names.into_iter().map(|name| (name.to_owned(), of(items, seed, name))).collect()
}

fn of(items: &[Scored], seed: u64, name: &str) -> Figure {
    figure(items, seed, |one| one.scores.get(name).copied().unwrap_or(Score::none(Reason::NotJudged)))
}

fn raw(items: &[Scored], seed: u64) -> BTreeMap<String, Figure> {
    let of = |name: &str| {
        figure(items, seed, |one| one.raw.get(name).copied().unwrap_or(Score::none(Reason::NotJudged)))
    };
    GATED.iter().map(|name| ((*name).to_owned(), of(name))).collect()
}

fn categories(
    recorded: &[Recorded],
    items: &[Scored],
    seed: u64,
) -> BTreeMap<String, BTreeMap<String, Figure>> {
    let mut by: BTreeMap<&str, Vec<Scored>> = BTreeMap::new();
    for (one, item) in recorded.iter().zip(items).filter(|(one, _)| !one.category.is_empty()) {
        by.entry(&one.category).or_default().push(item.clone());
    }
    by.into_iter().map(|(category, items)| (category.to_owned(), figures(&items, seed))).collect()
}

fn cell(one: &Recorded) -> Option<String> {
    let kind = if one.answerable? { "answerable" } else { "unanswerable" };
    let end = match one.answer.as_ref().map(|answer| answer.outcome.as_str()) {
        Some("ANSWERED") => "answered",
        Some("ABSTAINED") => "abstained",
        _ => "other",
    };
    Some(format!("{kind}_{end}"))
}

fn confusion(recorded: &[Recorded]) -> Vec<Confusion> {
    let mut counts: BTreeMap<(String, String, String), u64> = BTreeMap::new();
    for one in recorded {
        for block in one.blocks.iter().filter(|block| block.valid == Some(false)) {
            let category = block.errors.first().map_or("wrong_language", |error| &error.category);
            let constructs: Vec<&str> = if one.constructs.is_empty() {
                vec![""]
            } else {
                one.constructs.iter().map(String::as_str).collect()
            };
            for construct in constructs {
                let key = (category.to_owned(), construct.to_owned(), one.id.clone());
                *counts.entry(key).or_default() += 1;
            }
        }
    }
    counts
        .into_iter()
        .map(|((category, construct, question), blocks)| Confusion { category, construct, question, blocks })
        .collect()
}

fn examples(recorded: &[Recorded]) -> BTreeMap<u32, u64> {
    let mut counts = BTreeMap::new();
    for given in answers(recorded).filter_map(|answer| answer.examples) {
        *counts.entry(given).or_default() += 1;
    }
    counts
}

fn tokens(recorded: &[Recorded]) -> Option<[u64; 2]> {
    let told = answers(recorded).filter(|answer| answer.by_model);
    sum(told.map(|answer| (answer.prompt_tokens, answer.completion_tokens)))
}

fn judge_tokens(recorded: &[Recorded]) -> Option<[u64; 2]> {
    let verdicts = recorded.iter().flat_map(|one| std::iter::once(&one.verdicts).chain(one.others.values()));
    let calls = verdicts.flat_map(|verdicts| &verdicts.calls);
    sum(calls.map(|call| (call.prompt_tokens.map(u64::from), call.completion_tokens.map(u64::from))))
}

/// The sums of what was told; none if nothing was.
fn sum(told: impl Iterator<Item = (Option<u64>, Option<u64>)>) -> Option<[u64; 2]> {
    told.filter_map(|(into, out)| into.zip(out)).fold(None, |sum, (into, out)| {
        let [all_into, all_out] = sum.unwrap_or_default();
        Some([all_into + into, all_out + out])
    })
}
