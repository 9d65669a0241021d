//! Short completions: queries for a search, labels of a question.

use std::time::Duration;

use assay_domain::draft::{PromptId, ProviderCall};
use assay_extractive as extractive;

use super::failover::Failover;
use super::output::Output;
use super::{Chain, Generation};
use crate::determinism;
use crate::limits;
use crate::ports::{Job, Prompt, Shape};
use crate::prompts;

/// A short completion.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Completion {
    /// The text; what it means depends on the call.
    pub text: String,
    /// Why there is no text.
    pub reason: String,
    /// Calls of a language model spent.
    pub model_calls: u32,
    /// Prompts used.
    pub prompts: Vec<PromptId>,
    /// Providers tried.
    pub trail: Vec<ProviderCall>,
    /// Tokens that went in and came out, as the provider counted them.
    pub tokens: [Option<u32>; 2],
}

/// Most tokens of a query or a label.
const SHORT_COMPLETION: u32 = 96;
/// Longest rewritten query, in characters.
const QUERY_CHARS: usize = 300;

impl Generation {
    /// Rewrites a question as a search query: with the model of its slot, or locally when there is none or it fails.
    /// `hint` is used as it is.
    pub async fn reformulate(
        &self,
        question: &str,
        hint: &str,
        referred_topic: &str,
        budget: Duration,
    ) -> Completion {
        let prompt = prompts::reformulate(question, hint, referred_topic);
        let mut done = self.complete(&self.chains.reformulate, &prompt, Shape::Query(question), budget).await;
        let query: String = done
            .text
            .lines()
            .map(|line| line.trim().trim_matches(['"', '`', '\'']).trim())
            .find(|line| !line.is_empty())
            .unwrap_or_default()
            .chars()
            .take(QUERY_CHARS)
            .collect();
        let topic = format!("{question} {referred_topic}");
        done.text = if query.is_empty() { extractive::reformulate(topic.trim()) } else { query };
        done
    }

    /// Classifies with the model of its slot: the label, or an empty text and the reason. Never fails.
    pub async fn classify(&self, prompt: &str, labels: &[String], budget: Duration) -> Completion {
        let prompt = prompts::classify(prompt, labels);
        let mut done = self.complete(&self.chains.classify, &prompt, Shape::OneOf(labels), budget).await;
        if done.reason.is_empty() {
            match label_in(&done.text, labels) {
                Some(label) => done.text = label,
                None => {
                    done.reason = "the model's reply names none of the labels".to_owned();
                    done.text.clear();
                }
            }
        }
        done
    }

    pub(super) async fn complete(
        &self,
        chain: &Chain,
        prompt: &Prompt,
        shape: Shape<'_>,
        budget: Duration,
    ) -> Completion {
        let mut walk = Failover::new(self, budget);
        let mut output = Output::new(None);
        let local = chain.iter().all(|provider| !provider.is_model());
        let fits = if local { Ok(()) } else { limits::check_prompt(prompt, self.limits.prompt_tokens) };
        // Of several things a line each.
        let wanted = match shape {
            Shape::Object(_) => u32::MAX,
            Shape::Text => 4 * SHORT_COMPLETION,
            Shape::OneOf(_) | Shape::Query(_) => SHORT_COMPLETION,
        };
        let result = match fits {
            Ok(()) => {
                let job = Job {
                    prompt,
                    request: None,
                    shape,
                    completion_tokens: wanted.min(self.limits.completion_tokens),
                    context_tokens: self.limits.prompt_tokens.saturating_add(self.limits.completion_tokens),
                    seed: determinism::seed(&prompt.user, &determinism::fingerprint(&[])),
                    within: self.limits.call,
                };
                walk.run(chain, job, &mut output).await.map(|(_, end)| end)
            }
            Err(failure) => Err(failure),
        };
        output.close().await;
        let mut text = output.text;
        let reason = match &result {
            Ok(_) => String::new(),
            Err(failure) => {
                text.clear();
                failure.message.clone()
            }
        };
        let prompts = if walk.model_calls > 0 { vec![prompt.id.clone()] } else { Vec::new() };
        let tokens = result.map_or([None; 2], |end| [end.prompt_tokens, end.completion_tokens]);
        Completion { text, reason, model_calls: walk.model_calls, prompts, trail: walk.trail, tokens }
    }
}

/// The label that a reply names: as JSON, as the whole reply, or as the only label in it.
fn label_in(reply: &str, labels: &[String]) -> Option<String> {
    let said = serde_json::from_str::<serde_json::Value>(reply.trim())
        .ok()
        .and_then(|value| value.get("label").and_then(|label| label.as_str().map(str::to_owned)))
        .unwrap_or_else(|| reply.to_owned());
    let bare = said.trim().trim_matches(|c: char| !c.is_alphanumeric()).to_uppercase();
    if let Some(label) = labels.iter().find(|label| label.to_uppercase() == bare) {
        return Some(label.clone());
    }
    let upper = said.to_uppercase();
    let words: Vec<&str> = upper.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    let mut named = labels.iter().filter(|label| words.contains(&label.to_uppercase().as_str()));
    let first = named.next()?;
    named.next().is_none().then(|| first.clone())
}

#[cfg(test)]
mod tests {
    use assay_domain::question::QueryType;

    use super::*;

    #[test]
    fn label_is_read_from_json_word_or_sentence() {
        let labels: Vec<String> = QueryType::ALL.iter().map(ToString::to_string).collect();
        for (reply, label) in [
            (r#"{"label": "PLATFORM"}"#, Some("PLATFORM")),
            (" retrieval.\n", Some("RETRIEVAL")),
            ("The label is CODE_GENERATION", Some("CODE_GENERATION")),
            ("RETRIEVAL or PLATFORM", None),
            ("no idea", None),
        ] {
            assert_eq!(label_in(reply, &labels).as_deref(), label, "{reply}");
        }
    }
}
