//! Flags the parts of an answer that its passages do not support: token classifiers of the LettuceDetect form.
//!
//! Such a model reads a pair. The first text is an instruction that holds the question and the numbered passages, the
//! second is the answer. Each token of the answer gets two numbers: supported, or not.

use crate::engine::{Answer, Engine, Form};
use crate::integer::Products;
use crate::{Error, Files, Limits, Stop, Weights};
use std::ops::Range;
use std::path::Path;
use tokenizers::{Encoding, TruncationStrategy};

/// Probability from which a token counts as unsupported: the class that the model itself prefers.
const BAR: f32 = 0.5;

/// A part of the answer that the model does not find in the passages.
#[derive(Debug, Clone, PartialEq)]
pub struct Flagged {
    /// Bytes of the answer, on character boundaries, no white space at either end.
    pub bytes: Range<usize>,
    /// The greatest probability among its tokens, 0.5 to 1.
    pub probability: f32,
}

/// A loaded token classifier.
#[derive(Debug)]
pub struct SpanClassifier {
    engine: Engine,
    unsupported: usize,
}

impl SpanClassifier {
    /// Loads the model and runs it once, so that what cannot work shows now.
    ///
    /// The class that means "unsupported" is the one that `config.json` calls so (`hallucinated` and its like), else the
    /// second: models of this form mostly leave their two classes unnamed.
    ///
    /// # Errors
    /// Names the file that lacks or is wrong; [`Error::Output`] if the model does not give two numbers a token.
    pub fn load(files: &Files, limits: Limits) -> Result<Self, Error> {
        let form = Form { cut: TruncationStrategy::OnlyFirst, outputs: &[], products: Products::AsStored };
        let engine = Engine::open(&Weights::Files(files.clone()), limits, form)?;
        let unsupported = unsupported(&engine, files.config.as_deref())?;
        let loaded = Self { engine, unsupported };
        loaded.flag(None, &["a"], "a", &|| false)?;
        Ok(loaded)
    }

    /// SHA-256 of the model file, lower-case hex.
    #[must_use]
    pub fn digest(&self) -> &str {
        self.engine.digest()
    }

    /// The unsupported parts of `answer`, in its order.
    ///
    /// The answer is always read whole. Passages that do not fit beside it in one input are spread over several: a token
    /// then counts as unsupported only where each of them says so, because a statement needs but one passage behind it.
    /// A single passage that is too long loses its end.
    ///
    /// # Errors
    /// [`Error::Text`] if question and answer leave no room for a passage; [`Error::Stopped`] when `stop` says so
    /// before a batch; else what the tokenizer or the model said.
    pub fn flag(
        &self,
        question: Option<&str>,
        passages: &[&str],
        answer: &str,
        stop: Stop<'_>,
    ) -> Result<Vec<Flagged>, Error> {
        if answer.trim().is_empty() {
            return Ok(Vec::new());
        }
        let prompts = self.prompts(question, passages, answer)?;
        let inputs = prompts.iter().map(|prompt| (prompt.as_str(), answer).into());
        let inputs = self.engine.encode(inputs, stop)?;
        let found = self.engine.run(&inputs, stop, |answer| self.probabilities(answer))?;
        let mut windows = inputs.iter().zip(&found).map(|(input, found)| tokens(input, found));
        let mut least = windows.next().unwrap_or_default();
        for window in windows {
            least.iter_mut().zip(window).for_each(|(least, other)| least.1 = least.1.min(other.1));
        }
        Ok(merged(answer, &least))
    }

    /// The first texts: each with as many passages as fit, in order.
    fn prompts(&self, question: Option<&str>, passages: &[&str], answer: &str) -> Result<Vec<String>, Error> {
        let tokens = self.engine.tokens();
        let bare = tokens.needed(&[&prompt(question, &[]), answer])?;
        // A passage of a few words, or the model reads no evidence at all.
        let room = tokens.longest().saturating_sub(bare);
        if room < 16 {
            let longest = tokens.longest();
            let why = format!(
                "question and answer need {bare} of {longest} tokens and leave no room for a passage; \
                 raise max_tokens or ask about a part of the answer"
            );
            return Err(Error::Text { place: 0, why });
        }
        let mut out: Vec<Vec<(usize, &str)>> = vec![Vec::new()];
        let mut used = 0;
        for passage in passages.iter().copied().enumerate() {
            // The number and the line end beside it.
            let size = tokens.needed(&[&line(passage)])?;
            if used + size > room && used > 0 {
                out.push(Vec::new());
                used = 0;
            }
            used += size;
            if let Some(window) = out.last_mut() {
                window.push(passage);
            }
        }
        Ok(out.iter().map(|window| prompt(question, window)).collect())
    }

    /// Probability of "unsupported" for each token of an input.
    fn probabilities(&self, answer: Answer<'_>) -> Result<Vec<f32>, Error> {
        match *answer.shape {
            [length, 2] if length >= answer.tokens => {
                let of = |pair: &[f32]| {
                    let at = |place: usize| pair.get(place).copied().unwrap_or_default();
                    1.0 / (1.0 + (at(1 - self.unsupported) - at(self.unsupported)).exp())
                };
                Ok(answer.values.chunks(2).take(answer.tokens).map(of).collect())
            }
            _ => {
                let expected = "[batch, tokens, 2], two values a token".to_owned();
                Err(Error::Output { found: answer.shape.to_vec(), expected })
            }
        }
    }
}

/// Which of the two classes means "unsupported".
fn unsupported(engine: &Engine, path: Option<&Path>) -> Result<usize, Error> {
    if engine.config().id2label.is_empty() {
        return Ok(1);
    }
    let labels = engine.config().labels(path)?;
    let named = |label: &String| {
        let label = label.to_lowercase().replace(['-', ' '], "_");
        matches!(label.as_str(), "hallucinated" | "hallucination" | "unsupported" | "not_supported" | "hal")
    };
    match (labels.len(), labels.iter().position(named)) {
        (2, place) => Ok(place.unwrap_or(1)),
        _ => Err(Error::Labels {
            path: path.map_or_else(|| "config.json".into(), Path::to_owned),
            why: format!("`id2label` names {labels:?}; a token classifier here has two classes"),
        }),
    }
}

/// The instruction with question and passages. Its frame follows the form such models are trained on: the task, the
/// restriction to so many passages, each passage on a numbered line, the word "output".
fn prompt(question: Option<&str>, passages: &[(usize, &str)]) -> String {
    let lines: String = passages.iter().map(|(place, passage)| line((*place, passage))).collect();
    match question {
        None => format!("Summarize the following text:\n{lines}output:\n"),
        Some(question) => format!(
            "Answer the following question briefly:\n{question}\n\
             Base the answer only on these {} passages:\n{lines}output:\n",
            passages.len()
        ),
    }
}

fn line((place, passage): (usize, &str)) -> String {
    format!("passage {}: {passage}\n", place + 1)
}

/// Bytes and probability of the tokens of the answer, which is the second text.
fn tokens(input: &Encoding, found: &[f32]) -> Vec<(Range<usize>, f32)> {
    let whose = input.get_sequence_ids();
    let all = whose.iter().zip(input.get_offsets()).zip(found);
    all.filter(|((whose, (from, to)), _)| **whose == Some(1) && from < to)
        .map(|((_, (from, to)), probability)| (*from..*to, *probability))
        .collect()
}

/// Neighbouring flagged tokens become one part.
fn merged(answer: &str, tokens: &[(Range<usize>, f32)]) -> Vec<Flagged> {
    let mut out: Vec<Flagged> = Vec::new();
    for run in tokens.chunk_by(|left, right| (left.1 >= BAR) == (right.1 >= BAR)) {
        let (Some(first), Some(last)) = (run.first(), run.last()) else { continue };
        let from = answer.floor_char_boundary(first.0.start);
        let to = answer.ceil_char_boundary(last.0.end);
        let text = answer.get(from..to).unwrap_or_default();
        if first.1 < BAR || text.trim().is_empty() {
            continue;
        }
        let from = from + (text.len() - text.trim_start().len());
        let bytes = from..from + text.trim().len();
        let probability = run.iter().map(|token| token.1).fold(0.0, f32::max);
        out.push(Flagged { bytes, probability });
    }
    out
}
