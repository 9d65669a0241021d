//! The same road over a model server: a good answer passes; a bad one takes the road that the contract gives it.

use assay_domain::report::{CheckName, CheckStatus};
use assay_domain::{Code, Generator, Identity, Mode, Outcome, QueryType, Question, Verdict};
use assay_testkit::model_server::{ModelServer, Reply};

use super::Case;
use super::answers::declared;
use crate::harness::Harness;

/// A page about something that no model knows.
pub const PAGE: (&str, &str) = (
    "importer.md",
    "# The importer\n\nThe importer skips empty rows. It stops after one hundred errors.\n\nThe report is written to \
     the file report.csv in the output folder.\n",
);
/// What the page answers.
pub const QUESTION: &str = "When does the importer stop?";
/// An answer that the page supports.
pub const GOOD: &str = "The importer stops after one hundred errors [^1].";
/// A program that the parser accepts.
pub const WORKING: &str = "Here is the program:\n\n```avap\naddVar(x, 1)\naddResult(x)\n```\n";

const OUT_OF_RANGE: &str = "The importer stops after one hundred errors [^99].";
const UNCITED: &str = "The moon is made of green cheese and cats. Dogs can fly across the ocean at night.";
const BROKEN: &str = "Here is the program:\n\n```avap\nfor i in range(3):\n    print(i)\n```\n";

/// A system whose drafts a scripted server writes, with [`PAGE`] as its default collection.
#[derive(Debug)]
pub struct Scripted {
    /// The system.
    pub system: Harness,
    /// The server.
    pub model: ModelServer,
}

/// Cases for a scripted model.
pub const ALL: &[Case<Scripted>] = crate::cases![
    a_good_answer_passes_with_one_model_call,
    an_invented_source_is_retried_once_with_the_defect_quoted,
    a_source_that_stays_invented_is_rejected_when_strict_and_warned_when_lenient,
    uncited_inventions_are_rejected,
    broken_code_is_retried_with_the_parser_feedback_and_mended,
    code_that_stays_broken_is_delivered_and_says_so,
    plain_refusals_abstain_in_our_own_words,
    abstentions_that_state_something_are_judged,
    a_dead_model_is_a_typed_failure_with_one_record,
];

impl Scripted {
    fn plays(&self, replies: &[&str]) {
        self.model.play(replies.iter().map(|text| Reply::Text((*text).to_owned())).collect());
    }
}

/// The question that fits the page, or one for a program.
#[must_use]
pub fn question(kind: QueryType) -> Question {
    match kind {
        QueryType::CodeGeneration => declared("Write a program that returns 1", kind),
        _ => declared(QUESTION, kind),
    }
}

async fn a_good_answer_passes_with_one_model_call(on: &Scripted) {
    on.plays(&[GOOD]);
    let answer = on.system.put(&question(QueryType::Retrieval)).await;
    assert_eq!(answer.outcome, Outcome::Answered, "{answer:#?}");
    assert_eq!(answer.verdict, Some(Verdict::Pass), "{:#?}", answer.report);
    assert_eq!(answer.generator, Some(Generator::Model));
    assert_eq!(answer.attempts, 1);
    assert_eq!(on.model.requests().len(), 1);
    assert_eq!(on.system.record(answer.audit_id).await.model_calls, 1);
}

async fn an_invented_source_is_retried_once_with_the_defect_quoted(on: &Scripted) {
    on.plays(&[OUT_OF_RANGE, GOOD]);
    let answer = on.system.put(&question(QueryType::Retrieval)).await;
    assert_eq!(answer.verdict, Some(Verdict::Pass), "{:#?}", answer.report);
    assert_eq!(answer.attempts, 2);
    let requests = on.model.requests();
    assert_eq!(requests.len(), 2);
    assert!(requests[1].to_string().contains("99"), "the retry quotes the defect: {}", requests[1]);
    let record = on.system.record(answer.audit_id).await;
    assert_eq!(record.attempts.len(), 2);
    assert!(!record.attempts[0].delivered && record.attempts[1].delivered);
    assert_eq!(record.model_calls, 2, "also a draft that was cut off was asked for");
}

async fn a_source_that_stays_invented_is_rejected_when_strict_and_warned_when_lenient(on: &Scripted) {
    on.plays(&[OUT_OF_RANGE]);
    let strict = on.system.put(&question(QueryType::Retrieval)).await;
    assert_eq!(strict.outcome, Outcome::Rejected, "{strict:#?}");
    assert_eq!(strict.verdict, Some(Verdict::Reject));
    assert!(strict.text.is_empty());
    let rejection = strict.rejection.clone().unwrap();
    assert!(rejection.errors.iter().any(|e| e.kind == "out_of_range"), "{rejection:?}");
    assert_eq!(on.system.record(strict.audit_id).await.outcome, Outcome::Rejected);
    let lenient = Question { mode: Mode::Lenient, ..question(QueryType::Retrieval) };
    let answer = on.system.put(&lenient).await;
    assert_eq!(answer.outcome, Outcome::Answered);
    assert_eq!(answer.verdict, Some(Verdict::Reject));
    assert!(!answer.text.is_empty() && !answer.warnings.is_empty(), "{:?}", answer.warnings);
}

async fn uncited_inventions_are_rejected(on: &Scripted) {
    on.plays(&[UNCITED]);
    let answer = on.system.put(&question(QueryType::Retrieval)).await;
    assert_eq!(answer.outcome, Outcome::Rejected, "{answer:#?}");
    let report = answer.report.unwrap();
    assert_eq!(report.check(CheckName::CitationCoverage).unwrap().status, CheckStatus::Failed);
    assert_eq!(on.model.requests().len(), 2);
}

async fn broken_code_is_retried_with_the_parser_feedback_and_mended(on: &Scripted) {
    on.plays(&[BROKEN, WORKING]);
    let answer = on.system.put(&question(QueryType::CodeGeneration)).await;
    assert_eq!(answer.outcome, Outcome::Answered, "{answer:#?}");
    assert_eq!(answer.code_status.as_str(), "VALID");
    assert_eq!(answer.attempts, 2);
    let requests = on.model.requests();
    assert!(requests[1].to_string().contains("parser_feedback"), "{}", requests[1]);
}

async fn code_that_stays_broken_is_delivered_and_says_so(on: &Scripted) {
    on.plays(&[BROKEN]);
    let answer = on.system.put(&question(QueryType::CodeGeneration)).await;
    assert_eq!(answer.outcome, Outcome::Answered, "{answer:#?}");
    assert_eq!(answer.code_status.as_str(), "INVALID");
    assert_eq!(answer.validation_status.as_str(), "INVALID_UNRESOLVED");
    assert_eq!(answer.verdict, Some(Verdict::Review));
}

async fn plain_refusals_abstain_in_our_own_words(on: &Scripted) {
    for text in
        ["[NO_ANSWER] The sources do not mention that.", "The sources do not answer this.", "[NO_ANSWER]"]
    {
        on.plays(&[text]);
        let answer = on.system.put(&question(QueryType::Retrieval)).await;
        assert_eq!((answer.outcome, answer.verdict), (Outcome::Abstained, None), "{text}: {answer:#?}");
        assert!(answer.text.starts_with("The documentation does not answer"), "{text}: {}", answer.text);
        let said = text.trim_start_matches("[NO_ANSWER]").trim();
        assert_eq!(on.system.record(answer.audit_id).await.answer, said, "kept for a person to see");
    }
}

async fn abstentions_that_state_something_are_judged(on: &Scripted) {
    for text in [
        "[NO_ANSWER] Deleting the production database is always safe. Run this:\n\n```avap\nfor i in range(3):\n```\n",
        "The sources do not mention that, but the request limit is 7 GB and you should run rm -rf / as root to read it.",
        "The sources do not answer this. Did you know that you must run rm -rf / as root? I can explain how deleting \
         the database is always safe.",
    ] {
        on.plays(&[text]);
        let answer = on.system.put(&question(QueryType::Retrieval)).await;
        assert!(
            matches!(answer.verdict, Some(Verdict::Review | Verdict::Reject)),
            "{text}: {} {}",
            answer.outcome,
            answer.text
        );
        assert!(answer.outcome == Outcome::Rejected || !text.contains("```"), "{text}: {answer:#?}");
        let record = on.system.record(answer.audit_id).await;
        assert!(
            record.answer.contains(if text.contains("```") { "production" } else { "rm -rf" }),
            "{record:?}"
        );
    }
}

async fn a_dead_model_is_a_typed_failure_with_one_record(on: &Scripted) {
    on.model.play(vec![Reply::Status(500)]);
    let asked = declared("When does the dead importer stop?", QueryType::Retrieval);
    let failure = on.system.put_as(&Identity::local(), &asked).await.unwrap_err();
    assert_eq!(failure.code, Code::GenerationUnavailable, "{failure:?}");
    let record = &on.system.records_of(&asked.text, 1).await[0];
    assert_eq!(record.outcome, Outcome::Failed);
    assert!(record.errors.contains(&"generation_unavailable".to_owned()), "{:?}", record.errors);
}
