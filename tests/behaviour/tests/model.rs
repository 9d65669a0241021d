//! The same road over a model server: a good answer passes; a bad one takes the road that the contract gives it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use assay_domain::report::{CheckName, CheckStatus};
use assay_domain::{Generator, Mode, Outcome, QueryType, Question, Verdict};
use assay_testkit::model_server::{ModelServer, Reply};
use common::Embedded;

const PAGE: &str = "# The importer\n\nThe importer skips empty rows. It stops after one hundred errors.\n\n\
                    The report is written to the file report.csv in the output folder.\n";
const GOOD: &str = "The importer stops after one hundred errors [^1].";
const OUT_OF_RANGE: &str = "The importer stops after one hundred errors [^99].";
const UNCITED: &str = "The moon is made of green cheese and cats. Dogs can fly across the ocean at night.";
const BROKEN: &str = "Here is the program:\n\n```avap\nfor i in range(3):\n    print(i)\n```\n";
const WORKING: &str = "Here is the program:\n\n```avap\naddVar(x, 1)\naddResult(x)\n```\n";

async fn system(replies: &[&str]) -> (Embedded, ModelServer) {
    let server = ModelServer::start(replies.iter().map(|text| Reply::Text((*text).to_owned())).collect())
        .await
        .unwrap();
    let url = server.base_url();
    let system = Embedded::empty(&[
        ("OLLAMA_MODEL_NAME", "openai:script"),
        ("OPENAI_BASE_URL", &url),
        ("OPENAI_API_KEY", "none"),
        ("ASSAY_GENERATION__WARM", "false"),
    ])
    .await;
    system.ingest("", &[("importer.md", PAGE)]).await;
    (system, server)
}

fn question(kind: QueryType) -> Question {
    let text = match kind {
        QueryType::CodeGeneration => "Write a program that returns 1",
        _ => "When does the importer stop?",
    };
    let mut question = Question::new(text);
    question.declared_type = Some(kind);
    question
}

#[tokio::test(flavor = "multi_thread")]
async fn a_good_answer_passes_with_one_model_call() {
    let (system, server) = system(&[GOOD]).await;
    let answer = system.put(&question(QueryType::Retrieval)).await;
    assert_eq!(answer.outcome, Outcome::Answered, "{answer:#?}");
    assert_eq!(answer.verdict, Some(Verdict::Pass), "{:#?}", answer.report);
    assert_eq!(answer.generator, Some(Generator::Model));
    assert_eq!(answer.attempts, 1);
    assert_eq!(server.requests().len(), 1);
    assert_eq!(system.record(&answer).await.model_calls, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_invented_source_is_retried_once_with_the_defect_quoted() {
    let (system, server) = system(&[OUT_OF_RANGE, GOOD]).await;
    let answer = system.put(&question(QueryType::Retrieval)).await;
    assert_eq!(answer.verdict, Some(Verdict::Pass), "{:#?}", answer.report);
    assert_eq!(answer.attempts, 2);
    let requests = server.requests();
    assert_eq!(requests.len(), 2);
    assert!(requests[1].to_string().contains("99"), "the retry quotes the defect: {}", requests[1]);
    let record = system.record(&answer).await;
    assert_eq!(record.attempts.len(), 2);
    assert!(!record.attempts[0].delivered && record.attempts[1].delivered);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_source_that_stays_invented_is_rejected_when_strict_and_warned_when_lenient() {
    let (system, _server) = system(&[OUT_OF_RANGE]).await;
    let strict = system.put(&question(QueryType::Retrieval)).await;
    assert_eq!(strict.outcome, Outcome::Rejected, "{strict:#?}");
    assert_eq!(strict.verdict, Some(Verdict::Reject));
    assert!(strict.text.is_empty());
    let rejection = strict.rejection.clone().unwrap();
    assert!(rejection.errors.iter().any(|e| e.kind == "out_of_range"), "{rejection:?}");
    assert_eq!(system.record(&strict).await.outcome, Outcome::Rejected);
    let mut lenient = question(QueryType::Retrieval);
    lenient.mode = Mode::Lenient;
    let answer = system.put(&lenient).await;
    assert_eq!(answer.outcome, Outcome::Answered);
    assert_eq!(answer.verdict, Some(Verdict::Reject));
    assert!(!answer.text.is_empty() && !answer.warnings.is_empty(), "{:?}", answer.warnings);
}

#[tokio::test(flavor = "multi_thread")]
async fn uncited_inventions_are_rejected() {
    let (system, server) = system(&[UNCITED]).await;
    let answer = system.put(&question(QueryType::Retrieval)).await;
    assert_eq!(answer.outcome, Outcome::Rejected, "{answer:#?}");
    let report = answer.report.unwrap();
    assert_eq!(report.check(CheckName::CitationCoverage).unwrap().status, CheckStatus::Failed);
    assert_eq!(server.requests().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn broken_code_is_retried_with_the_parser_feedback_and_mended() {
    let (system, server) = system(&[BROKEN, WORKING]).await;
    let answer = system.put(&question(QueryType::CodeGeneration)).await;
    assert_eq!(answer.outcome, Outcome::Answered, "{answer:#?}");
    assert_eq!(answer.code_status.as_str(), "VALID");
    assert_eq!(answer.attempts, 2);
    assert!(server.requests()[1].to_string().contains("parser_feedback"), "{}", server.requests()[1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn code_that_stays_broken_is_delivered_and_says_so() {
    let (system, _server) = system(&[BROKEN]).await;
    let answer = system.put(&question(QueryType::CodeGeneration)).await;
    assert_eq!(answer.outcome, Outcome::Answered, "{answer:#?}");
    assert_eq!(answer.code_status.as_str(), "INVALID");
    assert_eq!(answer.validation_status.as_str(), "INVALID_UNRESOLVED");
    assert_eq!(answer.verdict, Some(Verdict::Review));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dead_model_is_a_typed_failure_with_one_record() {
    let server = ModelServer::start(vec![Reply::Status(500)]).await.unwrap();
    let system = Embedded::empty(&[
        ("OLLAMA_MODEL_NAME", "openai:script"),
        ("OPENAI_BASE_URL", &server.base_url()),
        ("OPENAI_API_KEY", "none"),
        ("ASSAY_GENERATION__WARM", "false"),
    ])
    .await;
    system.ingest("", &[("importer.md", PAGE)]).await;
    match assay::commands::ask::ask(&system.clients, &question(QueryType::Retrieval)).await {
        Ok(answer) => assert_eq!(answer.outcome, Outcome::Failed, "{answer:#?}"),
        Err(failure) => assert_eq!(failure.code, assay_domain::Code::GenerationUnavailable, "{failure:?}"),
    }
    for _ in 0..100 {
        if system.verify().await.leaves == 1 {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    panic!("the failure left no record");
}
