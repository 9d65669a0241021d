//! From a head's prediction to query types: a keyword query is no conversation.

use assay_domain::question::QueryType;
use assay_text::{normalize, words};

use crate::deictic::refers;
use crate::rules::chat;
use crate::softmax::{Head, Prediction};

/// Most words of a keyword query; `libs/heads/data/README.md` has what other numbers cost.
const KEYWORDS: usize = 2;

/// Whether a message may be `CONVERSATIONAL`: one or two words are a search unless they refer to an earlier message or
/// greet.
#[must_use]
pub fn may_converse(message: &str) -> bool {
    let folded = normalize(message);
    words(&folded).len() > KEYWORDS || refers(message) || chat::greets(&folded)
}

/// Every query type that a head names, the likeliest first. `CONVERSATIONAL` is left out, and the others scaled to a sum
/// of 1, where the message cannot be that.
#[must_use]
pub fn ranked(head: &Head, prediction: &Prediction, message: &str) -> Vec<(QueryType, f64)> {
    let open = may_converse(message);
    let mut all: Vec<(QueryType, f64)> = head
        .labels
        .iter()
        .zip(&prediction.probabilities)
        .filter_map(|(label, probability)| Some((QueryType::from_name(label)?, *probability)))
        .filter(|(query_type, _)| open || *query_type != QueryType::Conversational)
        .collect();
    let sum: f64 = all.iter().map(|(_, probability)| probability).sum();
    if sum > 0.0 {
        all.iter_mut().for_each(|(_, probability)| *probability /= sum);
    }
    all.sort_by(|a, b| b.1.total_cmp(&a.1));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keyword_queries_are_no_conversation() {
        for message in ["loops", "heartbeat interval", "error handling", "bucles", "límite"] {
            assert!(!may_converse(message), "{message}");
        }
    }

    #[test]
    fn greetings_and_references_may_be() {
        for message in
            ["hi", "Thanks!", "explain that again", "¿quién eres?", "hazlo más corto", "buenas tardes"]
        {
            assert!(may_converse(message), "{message}");
        }
    }
}
