//! A model as the judge: what it is asked of an answer, and verdicts from its replies.
//!
//! Both are pure, so that recorded replies give the same verdicts offline. The statements are the claims that the checks
//! read in the answer: two judges then speak of the same things.

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::metric::{Attributed, Question, Reason, Statement, Verdicts};
use crate::recorded::{Answered, Manifest, Recorded};

/// Most statements of one call: the reply has to fit into a completion.
const STATEMENTS: usize = 20;

/// What a judge is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Task {
    /// Whether the passages state each claim of the answer.
    Support,
    /// Questions that the answer would answer, and whether it evades.
    Questions,
    /// Whether each passage helps to give the reference answer.
    Usefulness,
    /// Whether the passages state each sentence of the reference answer.
    Attribution,
}

/// One call of a judge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Ask {
    /// Provider and model.
    pub judge: String,
    /// What is asked.
    pub task: Task,
    /// The question of the item; empty where the task does without.
    pub question: String,
    /// The answer; empty where the task does without.
    pub answer: String,
    /// The reference answer; empty where the task does without.
    pub reference: String,
    /// Texts of the sources, best ranked first.
    pub passages: Vec<String>,
    /// Statements to judge, in the order of the verdicts.
    pub statements: Vec<String>,
}

impl Ask {
    /// SHA-256 over its JSON, lower-case hex.
    #[must_use]
    pub fn key(&self) -> String {
        hex::encode(Sha256::digest(serde_json::to_vec(self).unwrap_or_default()))
    }
}

/// A recorded call.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Call {
    /// Key of the [`Ask`].
    pub key: String,
    /// What the model said, as it said it; empty if it failed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reply: String,
    /// Why there is no reply.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub failure: String,
    /// Cosine of each derived question and the question asked; of [`Task::Questions`] only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub similarities: Vec<Option<f64>>,
    /// Tokens that went in, as the provider counted them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_tokens: Option<u32>,
    /// Tokens that came out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completion_tokens: Option<u32>,
}

/// Every call that the verdicts on an answer need, in order.
#[must_use]
pub fn asks(judge: &str, recorded: &Recorded) -> Vec<Ask> {
    let Some(answer) = &recorded.answer else { return Vec::new() };
    let passages: Vec<String> = answer.sources.iter().map(|source| source.text.clone()).collect();
    let ask = |task| Ask {
        judge: judge.to_owned(),
        task,
        question: String::new(),
        answer: String::new(),
        reference: String::new(),
        passages: Vec::new(),
        statements: Vec::new(),
    };
    let mut asks = Vec::new();
    if !answer.text.trim().is_empty() {
        asks.push(Ask { answer: answer.text.clone(), ..ask(Task::Questions) });
    }
    // What no passage can hold needs no model.
    if passages.is_empty() {
        return asks;
    }
    let held = |task, statements: &[String]| -> Vec<Ask> {
        let part =
            |part: &[String]| Ask { passages: passages.clone(), statements: part.to_vec(), ..ask(task) };
        statements.chunks(STATEMENTS).map(part).collect()
    };
    asks.extend(held(Task::Support, &claims(answer)));
    if !recorded.reference.is_empty() {
        asks.push(Ask {
            question: recorded.question.clone(),
            reference: recorded.reference.join(" "),
            passages: passages.clone(),
            ..ask(Task::Usefulness)
        });
        asks.extend(held(Task::Attribution, &recorded.reference));
    }
    asks
}

/// The verdicts that calls give; a call that is missing, failed or cannot be read leaves its metric without one.
#[must_use]
pub fn verdicts(judge: &str, recorded: &Recorded, calls: Vec<Call>) -> Verdicts {
    let mut verdicts = Verdicts::default();
    let Some(answer) = &recorded.answer else { return verdicts };
    let asks = asks(judge, recorded);
    let reply = |ask: &Ask| -> Option<&Call> {
        let key = ask.key();
        calls.iter().find(|call| call.key == key && call.failure.is_empty())
    };
    let all_of = |task: Task, count: usize| -> Option<Vec<bool>> {
        if answer.sources.is_empty() {
            return Some(vec![false; count]);
        }
        let mut held = Vec::new();
        for ask in asks.iter().filter(|ask| ask.task == task) {
            let count = if task == Task::Usefulness { ask.passages.len() } else { ask.statements.len() };
            held.extend(held_in(&reply(ask)?.reply, count)?);
        }
        (held.len() == count).then_some(held)
    };
    let mut missing = |metric: &str, reason| {
        verdicts.missing.insert(metric.into(), reason);
    };

    let claims = claims(answer);
    match all_of(Task::Support, claims.len()) {
        Some(held) => {
            let statement = |(text, supported)| Statement { text, supported };
            verdicts.statements = Some(claims.into_iter().zip(held).map(statement).collect());
        }
        None => missing("faithfulness", Reason::JudgeFailed),
    }
    let questions = asks.iter().find(|ask| ask.task == Task::Questions);
    match questions.map(|ask| reply(ask).and_then(derived)) {
        None => missing("answer_relevancy", Reason::NoAnswer),
        Some(None) => missing("answer_relevancy", Reason::JudgeFailed),
        Some(questions) => verdicts.questions = questions,
    }
    if recorded.reference.is_empty() {
        missing("context_precision", Reason::NoReference);
        missing("context_recall", Reason::NoReference);
    } else {
        verdicts.contexts = all_of(Task::Usefulness, answer.sources.len());
        if verdicts.contexts.is_none() {
            missing("context_precision", Reason::JudgeFailed);
        }
        match all_of(Task::Attribution, recorded.reference.len()) {
            Some(held) => {
                let statement =
                    |(text, attributed): (&String, bool)| Attributed { text: text.clone(), attributed };
                verdicts.reference = Some(recorded.reference.iter().zip(held).map(statement).collect());
            }
            None => missing("context_recall", Reason::JudgeFailed),
        }
    }
    verdicts.calls = calls;
    verdicts
}

/// What a run recorded, with the verdicts of its model judges read anew from their recorded calls.
#[must_use]
pub fn read_again(manifest: &Manifest, mut recorded: Recorded) -> Recorded {
    let again = |judge: &str, kept: &Verdicts| {
        (judge != Manifest::CHECKS).then(|| verdicts(judge, &recorded, kept.calls.clone()))
    };
    let first = again(&manifest.judge, &recorded.verdicts);
    let others: Vec<(String, Verdicts)> = recorded
        .others
        .iter()
        .filter_map(|(judge, kept)| Some((judge.clone(), again(judge, kept)?)))
        .collect();
    if let Some(first) = first {
        recorded.verdicts = first;
    }
    recorded.others.extend(others);
    recorded
}

/// The factual claims of an answer.
pub(crate) fn claims(answer: &Answered) -> Vec<String> {
    answer.claims.iter().filter(|claim| claim.kind == "factual").map(|claim| claim.text.clone()).collect()
}

/// The questions that a reply names; none if it cannot be read.
#[must_use]
pub fn questions_in(reply: &str) -> Option<(Vec<String>, bool)> {
    #[derive(Deserialize)]
    struct Reply {
        questions: Vec<String>,
        noncommittal: bool,
    }
    let reply: Reply = object(reply)?;
    Some((reply.questions, reply.noncommittal))
}

fn derived(call: &Call) -> Option<Vec<Question>> {
    let (questions, noncommittal) = questions_in(&call.reply)?;
    if questions.len() != call.similarities.len() {
        return None;
    }
    let pairs = questions.into_iter().zip(&call.similarities);
    Some(
        pairs
            .map(|(question, similarity)| Question { question, similarity: *similarity, noncommittal })
            .collect(),
    )
}

/// A verdict for each number from 1 to `count`; none if one is missing or stands twice.
fn held_in(reply: &str, count: usize) -> Option<Vec<bool>> {
    #[derive(Deserialize)]
    struct Reply {
        verdicts: Vec<Verdict>,
    }
    #[derive(Deserialize)]
    struct Verdict {
        n: usize,
        holds: bool,
    }
    let reply: Reply = object(reply)?;
    let mut held = vec![None; count];
    for verdict in reply.verdicts {
        let place = held.get_mut(verdict.n.checked_sub(1)?)?;
        if place.replace(verdict.holds).is_some() {
            return None;
        }
    }
    held.into_iter().collect()
}

/// The JSON object of a reply, which may stand in a fence or between words.
fn object<T: serde::de::DeserializeOwned>(reply: &str) -> Option<T> {
    let (first, last) = reply.find('{').zip(reply.rfind('}'))?;
    serde_json::from_str(reply.get(first..=last)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_stands_for_each_number_once() {
        for (reply, held) in [
            (
                r#"{"verdicts":[{"n":2,"holds":true},{"n":1,"reason":"x","holds":false}]}"#,
                Some(vec![false, true]),
            ),
            (
                "```json\n{\"verdicts\":[{\"n\":1,\"holds\":true},{\"n\":2,\"holds\":true}]}\n```",
                Some(vec![true, true]),
            ),
            (r#"{"verdicts":[{"n":1,"holds":true}]}"#, None),
            (r#"{"verdicts":[{"n":1,"holds":true},{"n":1,"holds":true},{"n":2,"holds":true}]}"#, None),
            (r#"{"verdicts":[{"n":1,"holds":true},{"n":3,"holds":true}]}"#, None),
            (r#"{"verdicts":[{"n":0,"holds":true},{"n":1,"holds":true}]}"#, None),
            ("I cannot judge this.", None),
            ("} {", None),
        ] {
            assert_eq!(held_in(reply, 2), held, "{reply}");
        }
    }
}
