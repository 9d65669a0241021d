//! The exact texts that layers 2 and 3 see of a message and its history (RC-03, RC-06).
//!
//! History enters only through the topic of the referred entry, and only if the message refers to it; the type of an
//! entry never enters at all.

use assay_domain::question::HistoryEntry;

use crate::HISTORY_FOR_CLASSIFIER;
use crate::deictic::refers;
use crate::neutral::neutral;
use crate::prompt;

/// What the layers are asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Requests {
    /// The message as classifiers see it, without sentences that dictate a class.
    pub message: String,
    /// Topic of the entry that the message refers to; none without a reference or without history.
    pub topic: Option<String>,
    /// Layer 2: the text to embed and to count n-grams of.
    pub embed: String,
    /// Layer 3: the whole prompt.
    pub prompt: String,
}

/// Builds both requests. `history` is oldest first; only the last [`HISTORY_FOR_CLASSIFIER`] entries are looked at.
#[must_use]
pub fn requests(message: &str, history: &[HistoryEntry]) -> Requests {
    let message = neutral(message);
    let recent = &history[history.len().saturating_sub(HISTORY_FOR_CLASSIFIER)..];
    let topic = referred(&message, recent);
    let embed = match &topic {
        Some(topic) => format!("{message}\n{topic}"),
        None => message.clone(),
    };
    let prompt = prompt::classify(&message, topic.as_deref());
    Requests { message, topic, embed, prompt }
}

/// The entry that a reference means is the latest one.
fn referred(message: &str, history: &[HistoryEntry]) -> Option<String> {
    let latest = history.last()?;
    refers(message).then(|| latest.topic.clone())
}
