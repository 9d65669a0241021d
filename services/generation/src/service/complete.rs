//! Short completions: queries for a search, labels of a question, judgements of claims.

use std::time::Duration;

use assay_domain::Source;
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

/// What a judge said of some claims.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judged {
    /// The label of each claim, or why there is none.
    pub labels: Vec<Result<String, String>>,
    /// Whether no language model is configured.
    pub no_model: bool,
    /// The call and what it cost.
    pub done: Completion,
}

/// What a judge may say of a claim.
pub const JUDGEMENTS: [&str; 3] = ["SUPPORTED", "UNSUPPORTED", "UNSURE"];
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

    /// Asks the model of its slot whether sources state claims, in one call: of each one of [`JUDGEMENTS`], or the reason
    /// why there is none. Never fails; without a model there is no judgement.
    pub async fn judge(&self, claims: &[String], sources: &[Source], budget: Duration) -> Judged {
        let chain = &self.chains.judge;
        let refused = |reason: &str, no_model| Judged {
            labels: vec![Err(reason.to_owned()); claims.len()],
            no_model,
            done: Completion { reason: reason.to_owned(), ..Completion::default() },
        };
        if chain.iter().all(|provider| !provider.is_model()) {
            return refused("no language model is configured", true);
        }
        if let Err(failure) = limits::check_sources(sources, self.limits.source_bytes) {
            return refused(&failure.message, false);
        }
        let labels = JUDGEMENTS.map(str::to_owned);
        let prompt = prompts::judge(claims, sources, &labels);
        let shape = if claims.len() == 1 { Shape::OneOf(&labels) } else { Shape::Text };
        let done = self.complete(chain, &prompt, shape, budget).await;
        let none = match done.reason.as_str() {
            "" => "the model's reply names none of the labels",
            reason => reason,
        };
        let said = match claims.len() {
            1 => vec![label_in(&done.text, &labels)],
            count => labels_in(&done.text, &labels, count),
        };
        let labels = said.into_iter().map(|label| label.ok_or_else(|| none.to_owned())).collect();
        Judged { labels, no_model: false, done }
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

/// The label of each of so many claims out of lines such as `2: SUPPORTED`; none for a claim with no line, or with two that
/// differ.
fn labels_in(reply: &str, labels: &[String], count: usize) -> Vec<Option<String>> {
    let mut found: Vec<Vec<String>> = vec![Vec::new(); count];
    for line in reply.lines() {
        let line = line.trim_start_matches(|c: char| !c.is_ascii_digit());
        let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let number = line[..digits].parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        let place = number.and_then(|number| found.get_mut(number));
        if let (Some(own), Some(label)) = (place, label_in(&line[digits..], labels)) {
            own.push(label);
        }
    }
    let one = |mut own: Vec<String>| {
        own.dedup();
        if own.len() == 1 { own.pop() } else { None }
    };
    found.into_iter().map(one).collect()
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
    fn each_claim_has_the_label_of_its_own_line() {
        let labels = JUDGEMENTS.map(str::to_owned);
        let reply = "Sure:\n1: SUPPORTED\n- 2) unsupported.\n3: SUPPORTED or UNSURE\n5: SUPPORTED\n4: UNSURE\n4: SUPPORTED\n";
        let said = labels_in(reply, &labels, 4);
        assert_eq!(said, [Some("SUPPORTED".into()), Some("UNSUPPORTED".into()), None, None]);
    }

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
