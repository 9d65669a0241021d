//! What a run keeps: its manifest, written before the first question, and one line an answer.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::metric::Verdicts;

/// What a run was made with. Two runs with the same digest asked the same of the same system.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Manifest {
    /// Version of this format.
    pub format: u32,
    /// Version of Assay.
    pub version: String,
    /// SHA-256 of the golden set.
    pub golden_sha256: String,
    /// Questions in it.
    pub questions: u32,
    /// Times that each is asked.
    pub repetitions: u32,
    /// Collection that is searched.
    pub collection: String,
    /// Manifest of its index.
    pub index: String,
    /// Parser, version and grammar.
    pub parser: String,
    /// Models by use, with their digests where one is known.
    pub models: BTreeMap<String, String>,
    /// Prompts by name, with their digests.
    pub prompts: BTreeMap<String, String>,
    /// Settings that decide answers: those of the router, and the policy of the checks.
    pub settings: BTreeMap<String, String>,
    /// Who judges: `checks`, or provider and model.
    pub judge: String,
    /// Judges whose verdicts are held against those of the first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub other_judges: Vec<String>,
    /// Whether every judge is pinned to a version.
    pub judge_pinned: bool,
    /// Seed of the run.
    pub seed: Option<u64>,
    /// Temperature of the models that answer, where one does.
    pub temperature: Option<f64>,
    /// Whether the parser decides before anything is scored.
    pub gate: bool,
    /// Commit of a clean tree; empty otherwise.
    pub clean_commit: String,
    /// Digest of the official image; empty outside of it.
    pub image_digest: String,
}

impl Manifest {
    /// The format that this version writes and reads.
    pub const FORMAT: u32 = 1;

    /// Name of our own checks as the judge.
    pub const CHECKS: &str = "checks";

    /// SHA-256 over its JSON, lower-case hex.
    #[must_use]
    pub fn digest(&self) -> String {
        hex::encode(Sha256::digest(serde_json::to_vec(self).unwrap_or_default()))
    }
}

/// Lines of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The file.
    pub path: String,
    /// First and last line, from 1.
    pub lines: (u32, u32),
}

impl Place {
    /// Whether they share a line.
    #[must_use]
    pub fn meets(&self, other: &Self) -> bool {
        same_file(&self.path, &other.path) && self.lines.0 <= other.lines.1 && other.lines.0 <= self.lines.1
    }
}

/// Whether two paths name the same file, where one may leave out folders before it.
fn same_file(a: &str, b: &str) -> bool {
    let (long, short) = if a.len() < b.len() { (b, a) } else { (a, b) };
    long.strip_suffix(short).is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

/// What was asked and what came back.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Recorded {
    /// Id of the question.
    pub id: String,
    /// Which time it was asked, from 1.
    pub repetition: u32,
    /// What kind of question it is.
    pub category: String,
    /// Its language.
    pub language: String,
    /// Constructs that it is about.
    pub constructs: Vec<String>,
    /// The type that a person would route it to; empty if unknown.
    pub expected_type: String,
    /// Whether the collection can answer it.
    pub answerable: Option<bool>,
    /// The question.
    pub question: String,
    /// Lines that the reference rests on.
    pub reference_lines: Vec<Place>,
    /// The answer; none if the request failed.
    pub answer: Option<Answered>,
    /// Code of the failure.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub failure: String,
    /// Its code blocks, parsed by the evaluation.
    pub blocks: Vec<Block>,
    /// The reference answer, sentence by sentence.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reference: Vec<String>,
    /// What the judge said.
    pub verdicts: Verdicts,
    /// What further judges said, by their names.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub others: BTreeMap<String, Verdicts>,
}

/// An answer.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Answered {
    /// Outcome by name.
    pub outcome: String,
    /// Verdict by name; empty if there is none.
    pub verdict: String,
    /// Type by name.
    pub query_type: String,
    /// Layer that decided it.
    pub layer: String,
    /// What the reader got; of a rejected answer the part that stands.
    pub text: String,
    /// Sources in marker order.
    pub sources: Vec<Source>,
    /// Its claims.
    pub claims: Vec<Claim>,
    /// Its citations.
    pub citations: Vec<Citation>,
    /// Category of the first parse error of the draft that was checked; none where its code holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub defect: Option<String>,
    /// Provider and model; empty without one.
    pub model: String,
    /// Whether a model wrote it.
    pub by_model: bool,
    /// Its record.
    pub audit_id: String,
    /// Manifest of the index that was searched; empty if none was.
    pub index: String,
    /// Milliseconds from question to answer.
    pub total_ms: f64,
    /// Validated examples that its drafts were given: the effective K.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub examples: Option<u32>,
    /// Tokens that went into models.
    pub prompt_tokens: Option<u64>,
    /// Tokens that came out.
    pub completion_tokens: Option<u64>,
}

/// A source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// Where it stands.
    #[serde(flatten)]
    pub place: Place,
    /// Its text.
    pub text: String,
}

/// A claim of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// Its words.
    pub text: String,
    /// What it is, by name.
    pub kind: String,
    /// Whether it is supported, by name.
    pub status: String,
    /// Why.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// Indices of its citations.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub citations: Vec<u32>,
}

/// A citation of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Citation {
    /// The number.
    pub marker: u32,
    /// Whether it names lines that the index holds.
    pub sound: bool,
    /// The lines; none for a number that no source has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
}

/// A parsed code block.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    /// Its language.
    pub language: String,
    /// Whether a grammar exists and accepted it; none without a grammar.
    pub valid: Option<bool>,
    /// The program.
    pub code: String,
    /// Errors of the parser.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<Finding>,
}

/// An error of the parser.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// Line of the program, from 1.
    pub line: u32,
    /// Failure category by name.
    pub category: String,
    /// Stable code.
    pub code: String,
    /// What is wrong.
    pub message: String,
}
