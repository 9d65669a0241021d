//! RC-03: what history may and may not change, over arbitrary histories.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use assay_domain::question::{HistoryEntry, QueryType};
use assay_routing::deictic::refers;
use assay_routing::{HISTORY_FOR_CLASSIFIER, requests};
use proptest::prelude::*;

fn history() -> impl Strategy<Value = Vec<HistoryEntry>> {
    prop::collection::vec(
        (0..4_usize, "[a-zA-Z<>&ñ ]{0,60}")
            .prop_map(|(index, topic)| HistoryEntry { query_type: QueryType::ALL[index], topic }),
        0..12,
    )
}

fn relabelled(history: &[HistoryEntry], turn: usize) -> Vec<HistoryEntry> {
    history
        .iter()
        .map(|entry| HistoryEntry {
            query_type: QueryType::ALL[(entry.query_type as usize + turn) % 4],
            topic: entry.topic.clone(),
        })
        .collect()
}

const ALONE: &[&str] = &[
    "How does addParam work?",
    "Write an endpoint that returns the date",
    "How much of my quota is left?",
    "¿Cómo leo un parámetro y lo devuelvo?",
    "Good morning",
];
const REFERRING: &[&str] = &[
    "Explain that again",
    "rewrite it with a loop",
    "¿Qué significa esto?",
    "explícalo de nuevo",
    "make it shorter",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn requests_without_reference_are_equal_under_every_history(
        index in 0..ALONE.len(), past in history(),
    ) {
        prop_assert!(!refers(ALONE[index]));
        prop_assert_eq!(requests(ALONE[index], &past), requests(ALONE[index], &[]));
    }

    #[test]
    fn any_text_without_reference_gives_equal_requests(text in "\\PC{0,80}", past in history()) {
        if !refers(&assay_routing::neutral::neutral(&text)) {
            prop_assert_eq!(requests(&text, &past), requests(&text, &[]));
        }
    }

    #[test]
    fn with_a_reference_relabelling_the_past_changes_nothing(
        index in 0..REFERRING.len(), past in history(), turn in 1..4_usize,
    ) {
        prop_assert!(refers(REFERRING[index]));
        let (given, turned) = (requests(REFERRING[index], &past), requests(REFERRING[index], &relabelled(&past, turn)));
        prop_assert_eq!(given, turned);
    }

    #[test]
    fn only_the_last_entries_can_matter(index in 0..REFERRING.len(), past in history()) {
        let recent = &past[past.len().saturating_sub(HISTORY_FOR_CLASSIFIER)..];
        prop_assert_eq!(requests(REFERRING[index], &past), requests(REFERRING[index], recent));
    }

    #[test]
    fn no_rule_or_detector_ever_fails(text in "\\PC{0,200}") {
        let _ = requests(&text, &[]);
        let local = assay_domain::Identity::local();
        let _ = assay_routing::decide(&text, None, &local, &assay_routing::PlatformPrefixes::default());
        let _ = assay_routing::features::lexical(&text, 64);
        prop_assert!(assay_routing::topic::topic(&text).chars().count() <= 60);
    }
}

#[test]
fn a_reference_brings_the_topic_of_the_latest_entry() {
    let past = [
        HistoryEntry { query_type: QueryType::Retrieval, topic: "loops".into() },
        HistoryEntry { query_type: QueryType::CodeGeneration, topic: "an endpoint".into() },
    ];
    let asked = requests("explain that again", &past);
    assert_eq!(asked.topic.as_deref(), Some("an endpoint"));
    assert!(asked.embed.ends_with("an endpoint") && asked.prompt.contains("an endpoint"));
    assert!(!asked.prompt.contains("CODE_GENERATION</topic>"));
}
