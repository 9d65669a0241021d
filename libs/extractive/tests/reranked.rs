//! What a reranker's scores change of an answer, and what they cannot.
#![allow(clippy::unwrap_used)]

use assay_domain::draft::{DraftRequest, Finish};
use assay_domain::evidence::{Source, SourceKind};
use assay_domain::question::QueryType;
use assay_extractive::{compose, prepare};

fn request(question: &str) -> DraftRequest {
    let sources = [
        "# Loops\n\nThe end value of a loop is included, so a loop from 0 to 9 runs ten times.\n",
        "# Ranges\n\nThe end value of a loop over ranges is included as well.\n\nA range has no step.\n",
    ];
    let source = |(at, text): (usize, &&str)| Source::given(format!("s{at}"), SourceKind::Doc, *text, 1);
    let sources = sources.iter().enumerate().map(source).collect();
    DraftRequest { sources, ..DraftRequest::new(QueryType::Retrieval, question) }
}

fn included() -> DraftRequest {
    request("Is the end value of a loop included?")
}

#[test]
fn the_window_with_the_greatest_score_comes_first() {
    let prepared = prepare(&included());
    let (question, windows) = prepared.contenders().unwrap();
    assert_eq!(question, "Is the end value of a loop included?");
    assert!(windows.iter().any(|window| window.starts_with("Ranges\nThe end value")), "{windows:?}");
    assert!(!windows.iter().any(|window| window == "Ranges\nA range has no step."), "{windows:?}");
    for (word, start) in
        [("Ranges", "The end value of a loop over ranges"), ("Loops", "The end value of a loop is")]
    {
        let scores: Vec<f32> =
            windows.iter().map(|window| f32::from(u8::from(window.starts_with(word)))).collect();
        let answer = prepare(&included()).choose(&scores);
        assert!(answer.text.starts_with(start) && answer.finish == Finish::Stop, "{word}: {}", answer.text);
    }
}

#[test]
fn without_one_finite_score_each_the_fitted_order_stays() {
    let fitted = compose(&included());
    let count = prepare(&included()).contenders().unwrap().1.len();
    let mut turned: Vec<f32> = (0_u8..).map(f32::from).take(count).collect();
    assert_ne!(prepare(&included()).choose(&turned), fitted, "the scores turn the order round");
    assert_eq!(prepare(&included()).choose(&turned[1..]), fitted);
    turned[0] = f32::NAN;
    assert_eq!(prepare(&included()).choose(&turned), fitted);
}

#[test]
fn an_abstention_leaves_nothing_to_order() {
    let prepared = prepare(&request("How do I bake bread?"));
    assert!(prepared.contenders().is_none());
    assert_eq!(prepared.choose(&[9.0; 16]).finish, Finish::Abstained);
}
