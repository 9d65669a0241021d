//! Ten questions of a Prometheus user over the real documentation, the answering page written down before.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

use assay::commands::ingest::{Input, ingest};
use assay_behaviour::harness::Embedded;
use assay_domain::{Outcome, QueryType, Question};

/// Questions that must be answered from their page.
const ENOUGH: usize = 7;

#[derive(serde::Deserialize)]
struct Golden {
    id: String,
    question: String,
    pages: Vec<String>,
}

#[tokio::test(flavor = "multi_thread")]
async fn documentation_questions_are_answered_from_the_right_page() {
    let Some(docs) = assay_testkit::external::shared_data("documents/prometheus") else { return };
    let system = Embedded::start(&[]).await;
    ingest(&system.clients, Input::Paths { paths: vec![docs], commit: None }, "prometheus", false)
        .await
        .unwrap();
    let text = include_str!("../golden/prometheus.jsonl");
    let mut right = 0;
    for line in text.lines() {
        let golden: Golden = serde_json::from_str(line).unwrap();
        let mut question = Question::new(golden.question.clone());
        question.collection = "prometheus".into();
        question.declared_type = Some(QueryType::Retrieval);
        let answer = system.put(&question).await;
        let cited = answer.report.iter().flat_map(|report| &report.citations).any(|citation| {
            let hit =
                usize::try_from(citation.marker).unwrap().checked_sub(1).and_then(|n| answer.sources.get(n));
            hit.is_some_and(|hit| golden.pages.iter().any(|page| hit.source.path.ends_with(page)))
        });
        if answer.outcome == Outcome::Answered && cited {
            right += 1;
        } else {
            eprintln!("{} not from its page: {:?} {}", golden.id, answer.outcome, answer.text);
        }
    }
    assert!(right >= ENOUGH, "{right} of 10 were answered from their page");
}
