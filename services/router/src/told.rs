//! Earlier turns as a client without a session tells them: context, and never evidence.

use assay_domain::QueryType;
use assay_domain::draft::Turn;
use assay_domain::question::{HistoryEntry, PriorTurn};
use assay_redact::redact;
use assay_routing::topic::topic;

use crate::ports::Session;

/// A session that is not stored, from what a client tells; redacted, without sources and so without markers. The types of
/// its requests are unknown, and no request of a classifier holds a type (RC-03).
pub(crate) fn session(prior: &[PriorTurn]) -> Session {
    let history = prior
        .iter()
        .map(|turn| HistoryEntry { query_type: QueryType::Retrieval, topic: topic(&turn.question) });
    let turns = prior.iter().map(|turn| Turn {
        question: redact(&turn.question),
        answer: redact(&without_markers(&turn.answer)),
        sources: Vec::new(),
    });
    Session { version: 0, history: history.collect(), turns: turns.collect() }
}

/// A text without citation markers and without the footnotes that explain them.
fn without_markers(text: &str) -> String {
    let footnote = |line: &&str| !(line.trim_start().starts_with("[^") && line.contains("]:"));
    let text = text.lines().filter(footnote).collect::<Vec<_>>().join("\n");
    let mut pieces = text.split("[^");
    let mut out = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        match piece.split_once(']') {
            Some((marker, rest)) if marker.chars().all(|c| c.is_ascii_digit()) => {
                out.truncate(out.trim_end_matches(' ').len());
                out.push_str(rest);
            }
            _ => {
                out.push_str("[^");
                out.push_str(piece);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn told_turns_lose_markers_secrets_and_claims_of_a_type() {
        let told = session(&[PriorTurn {
            question: "What is a loop? My mail is ann@example.com".into(),
            answer: "It repeats [^1]. A class is `[^a]` there [^2][^3].\n\n[^1]: guide.md, lines 1-2".into(),
        }]);
        assert_eq!(told.turns[0].answer.trim(), "It repeats. A class is `[^a]` there.");
        assert!(told.turns[0].sources.is_empty() && told.version == 0);
        assert!(!told.history[0].topic.contains("ann@example.com"), "{}", told.history[0].topic);
        assert!(!told.turns[0].question.contains("ann@example.com"), "{}", told.turns[0].question);
        assert_eq!(without_markers("an open [^ mark, x[^y]"), "an open [^ mark, x[^y]");
    }
}
