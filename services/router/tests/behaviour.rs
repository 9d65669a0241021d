//! What a request does, with peers that play a script: verdicts, retries, streams, sessions, parts that are down.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use assay_domain::answer::{EventBody, Grounding, Layer, Outcome};
use assay_domain::code::BlockStatus;
use assay_domain::draft::Generator;
use assay_domain::question::{Delivery, HistoryEntry};
use assay_domain::report::{Attempt, CheckName, CheckStatus, ClaimKind, Verdict};
use assay_domain::{
    AuditState, Code, CodeStatus, Failure, Identity, Mode, QueryType, Question, RequestId, Role, SessionId,
    ValidationStatus,
};
use assay_router::Retry;
use assay_router::ports::{Session, Sessions, Turn};
use assay_rpc::{Context, task};
use async_trait::async_trait;
use common::*;
use tokio_util::sync::CancellationToken;

fn question(text: &str) -> Question {
    Question::new(text)
}

fn in_session(text: &str) -> Question {
    Question { session: SessionId::parse("tab-1"), ..Question::new(text) }
}

// === The usual road ===

#[tokio::test]
async fn usual_question_is_recorded_and_costs_one_model_call() {
    let bench = bench();
    let (events, answer) = bench.stream(question(RETRIEVAL), Delivery::Verified).await;
    assert_eq!(kinds(&events), ["routed", "sources", "segment", "settled"]);
    assert_eq!((answer.outcome, answer.verdict), (Outcome::Answered, Some(Verdict::Pass)));
    assert_eq!((answer.audit, answer.grounding), (AuditState::Stored, Grounding::Documentation));
    assert_eq!(followed(&events), answer.text);
    let record = bench.record();
    assert_eq!((record.audit_id, record.model_calls), (answer.audit_id, 1));
    assert_eq!(record.route.unwrap().layer, Layer::Classifier);
}

#[tokio::test]
async fn sources_go_to_validation_once_whatever_the_drafts() {
    let bench = bench();
    bench.judges([reject(&[CheckName::CitationCoverage]), reject(&[CheckName::ClaimSupport]), pass()]);
    bench.ask(question(RETRIEVAL)).await.unwrap();
    let attempts: Vec<_> = bench.world.orders.lock().unwrap().iter().map(|terms| terms.attempt).collect();
    assert_eq!(attempts, [Attempt::First, Attempt::Retry], "two drafts were checked");
    assert_eq!((get(&bench.world.calls.check), get(&bench.world.calls.relevance)), (1, 1));
}

#[tokio::test]
async fn a_second_search_opens_a_check_over_its_sources() {
    let bench = bench();
    bench.world.relevant.lock().unwrap().extend([Some(false), Some(true)]);
    let answer = bench.ask(question(RETRIEVAL)).await.unwrap();
    assert_eq!((answer.outcome, answer.context_relevant), (Outcome::Answered, Some(true)));
    assert_eq!((get(&bench.world.calls.check), get(&bench.world.calls.search)), (2, 2));
}

#[tokio::test]
async fn conversation_and_platform_never_reach_the_index() {
    for (text, kind) in [(CHAT, QueryType::Conversational), (PLATFORM, QueryType::Platform)] {
        let bench = bench();
        let answer = bench.ask(question(text)).await.unwrap();
        assert_eq!(answer.route.query_type, kind);
        let calls = &bench.world.calls;
        assert_eq!((get(&calls.search), get(&calls.examples), get(&calls.relevance)), (0, 0, 0));
        assert!(
            bench.world.orders.lock().unwrap().iter().all(|order| order.sources_only),
            "no look-up either"
        );
    }
}

#[tokio::test]
async fn code_gets_examples_in_the_language_of_the_collection() {
    let bench = bench();
    bench.ask(question(CODE)).await.unwrap();
    let calls = &bench.world.calls;
    assert_eq!((get(&calls.search), get(&calls.examples)), (1, 1));
    assert_eq!(bench.world.briefs.lock().unwrap()[0].examples.len(), 1);
    assert_eq!(bench.world.orders.lock().unwrap()[0].wanted_language, "avap");
}

#[tokio::test]
async fn a_declared_type_wins_and_platform_needs_its_role() {
    let bench = bench();
    let declared = Question { declared_type: Some(QueryType::Platform), ..question(RETRIEVAL) };
    let answer = bench.ask(declared.clone()).await.unwrap();
    assert_eq!((answer.route.query_type, answer.route.layer), (QueryType::Platform, Layer::Declared));
    let plain = Identity { roles: vec![Role::Ask], ..Identity::local() };
    let context = Context::new(plain, Duration::from_secs(60));
    let answer =
        bench.router.ask(context, declared, Delivery::Held, None, CancellationToken::new()).await.unwrap();
    assert_eq!(answer.route.query_type, QueryType::Retrieval);
    assert!(answer.warnings.iter().any(|warning| warning.contains("`platform`")));
}

#[tokio::test]
async fn undecided_message_falls_back_and_is_answered() {
    let bench = bench();
    let answer = bench.ask(question("the blue one, maybe tomorrow or so")).await.unwrap();
    assert_eq!(answer.outcome, Outcome::Answered);
    assert!(matches!(answer.route.layer, Layer::Fallback | Layer::Classifier));
}

// === Verdicts, attempts, modes ===

#[tokio::test]
async fn a_rejected_draft_is_written_again_with_its_defects_quoted() {
    let bench = bench();
    bench.plays([Play::Text(vec!["Bad."]), Play::Text(vec!["Good. [^1]"])]);
    bench.judges([reject(&[CheckName::CitationCoverage]), pass()]);
    let (events, answer) = bench.stream(question(RETRIEVAL), Delivery::Verified).await;
    assert_eq!(kinds(&events), ["routed", "sources", "segment", "retracted", "segment", "settled"]);
    assert_eq!((followed(&events).as_str(), answer.attempts), ("Good. [^1]", 2));
    let briefs = bench.world.briefs.lock().unwrap();
    assert_eq!((briefs[1].attempt, briefs[1].retry_prompt.as_str()), (Attempt::Retry, "Correct it."));
    assert_eq!(briefs[1].rejected_draft, "Bad.");
    let record = bench.record();
    assert_eq!(record.attempts.len(), 2);
    assert!(!record.attempts[0].delivered && record.attempts[1].delivered);
}

#[tokio::test]
async fn a_blind_retry_is_told_no_defect_and_without_retries_the_first_draft_is_final() {
    let blind = bench_with(|options| options.retry = Retry::Blind, |_| {});
    blind.plays([Play::Text(vec!["Bad."]), Play::Text(vec!["Good. [^1]"])]);
    blind.judges([reject(&[CheckName::CitationCoverage]), pass()]);
    assert_eq!(blind.ask(question(RETRIEVAL)).await.unwrap().attempts, 2);
    let briefs: Vec<_> = blind.world.briefs.lock().unwrap().clone();
    assert_eq!(briefs[1].rejected_draft, "Bad.");
    assert!(!briefs[1].retry_prompt.contains("Correct it."), "{}", briefs[1].retry_prompt);

    let none = bench_with(|options| options.retry = Retry::None, |_| {});
    none.plays([Play::Text(vec!["Bad."])]);
    none.judges([reject(&[CheckName::CitationCoverage]), reject(&[CheckName::CitationCoverage])]);
    let answer = none.ask(question(RETRIEVAL)).await.unwrap();
    assert_eq!((answer.outcome, answer.attempts), (Outcome::Rejected, 1));
    assert_eq!(none.world.briefs.lock().unwrap().len(), 1);
    assert_eq!(none.record().retry_skipped, "", "nothing was skipped: none was wanted");
}

#[tokio::test]
async fn twice_rejected_is_withheld_in_strict_and_delivered_in_lenient() {
    let strict = bench();
    strict.judges([reject(&[CheckName::CitationCoverage]), reject(&[CheckName::CitationCoverage])]);
    let (events, answer) = strict.stream(question(RETRIEVAL), Delivery::Verified).await;
    assert_eq!((answer.outcome, answer.text.as_str()), (Outcome::Rejected, ""));
    let body = answer.rejection.unwrap();
    assert_eq!(body.partial_response, "What stands.");
    assert_eq!(body.errors[0].kind, "citation_coverage");
    assert!(body.searched.contains(&"guide/1.md".to_owned()));
    assert_eq!(followed(&events), "What stands.");
    assert!(
        matches!(&events.last().unwrap().body, EventBody::Settled(last) if last.text == "What stands."),
        "a stream settles with the text that its client holds"
    );
    assert_eq!(strict.record().outcome, Outcome::Rejected);

    let lenient = bench();
    let bad = || with_block(Verdict::Reject, &[CheckName::CodeSyntax], BlockStatus::Invalid);
    lenient.judges([bad(), bad()]);
    let answer = lenient.ask(Question { mode: Mode::Lenient, ..question(RETRIEVAL) }).await.unwrap();
    assert_eq!((answer.outcome, answer.verdict), (Outcome::Answered, Some(Verdict::Reject)));
    assert!(answer.warnings.iter().any(|warning| warning.contains("lenient")));
    assert_eq!(answer.validation_status, ValidationStatus::InvalidUnresolved);
}

#[tokio::test]
async fn a_strictly_worse_second_draft_gives_way_to_the_first() {
    let bench = bench();
    bench.plays([Play::Text(vec!["First. [^1]"]), Play::Text(vec!["Second."])]);
    let one = [CheckName::CitationCoverage];
    let two = [CheckName::CitationCoverage, CheckName::ClaimSupport];
    bench.judges([reject(&one), reject(&two), review()]);
    let (events, answer) = bench.stream(question(RETRIEVAL), Delivery::Verified).await;
    assert_eq!((answer.outcome, answer.text.as_str()), (Outcome::Answered, "First. [^1]"));
    assert_eq!(followed(&events), answer.text);
    let record = bench.record();
    assert!(record.attempts[0].delivered && !record.attempts[1].delivered);
    assert_eq!(bench.world.orders.lock().unwrap().last().unwrap().attempt, Attempt::Retry);
}

#[tokio::test]
async fn failing_segment_stops_the_model_and_retracts() {
    let bench = bench();
    bench.plays([Play::Hang(vec!["Fine. ", "Wrong. "]), Play::Text(vec!["Right. [^1]"])]);
    let failing = Judge::Say(Box::new(report(Verdict::Reject, &[CheckName::ClaimSupport])), Some("Wrong. "));
    bench.judges([failing, pass()]);
    let (events, answer) = bench.stream(question(RETRIEVAL), Delivery::Verified).await;
    assert_eq!(get(&bench.world.calls.cut), 1, "the first draft was cancelled");
    assert_eq!(kinds(&events), ["routed", "sources", "segment", "retracted", "segment", "settled"]);
    assert_eq!((answer.text.as_str(), followed(&events).as_str()), ("Right. [^1]", "Right. [^1]"));
}

#[tokio::test]
async fn commit_first_withholds_later_failures() {
    let bench = bench_with(|options| options.stream_commit_first = true, |_| {});
    bench.plays([Play::Text(vec!["Fine. [^1] ", "Wrong. ", "Last. [^1]"])]);
    bench.judges([Judge::Say(Box::new(report(Verdict::Review, &[])), Some("Wrong. "))]);
    let (events, answer) = bench.stream(question(RETRIEVAL), Delivery::Verified).await;
    assert_eq!((answer.attempts, get(&bench.world.calls.draft)), (1, 1), "no second draft");
    assert_eq!(kinds(&events)[..3], ["routed", "sources", "segment"]);
    assert!(answer.warnings.iter().any(|w| w.ends_with(": Wrong.")), "{:?}", answer.warnings);
    assert_eq!(followed(&events), answer.text);
}

#[tokio::test]
async fn unary_held_and_verified_end_with_the_same_answer() {
    let script = |bench: &Bench| {
        bench.plays([Play::Hang(vec!["Fine. ", "Wrong. "]), Play::Text(vec!["Right. ", "Done. [^1]"])]);
        let failing =
            Judge::Say(Box::new(report(Verdict::Reject, &[CheckName::ClaimSupport])), Some("Wrong. "));
        bench.judges([failing, pass()]);
    };
    let (unary, held, verified) = (bench(), bench(), bench());
    [&unary, &held, &verified].into_iter().for_each(script);
    let answer = unary.ask(question(RETRIEVAL)).await.unwrap();
    let (held_events, held_answer) = held.stream(question(RETRIEVAL), Delivery::Held).await;
    let (_, verified_answer) = verified.stream(question(RETRIEVAL), Delivery::Verified).await;
    assert_eq!((&answer.text, answer.attempts), (&held_answer.text, held_answer.attempts));
    assert_eq!((&answer.text, answer.verdict), (&verified_answer.text, verified_answer.verdict));
    assert_eq!(kinds(&held_events), ["routed", "sources", "segment", "segment", "settled"]);
}

#[tokio::test]
async fn code_statuses_follow_both_attempts() {
    let bench = bench();
    let bad = with_block(Verdict::Reject, &[CheckName::CodeSyntax], BlockStatus::Invalid);
    let unchecked = with_block(Verdict::Review, &[], BlockStatus::Unavailable("timeout".into()));
    bench.judges([bad, unchecked]);
    let answer = bench.ask(question(CODE)).await.unwrap();
    assert_eq!(answer.validation_status, ValidationStatus::InvalidUnresolved);
    assert_eq!(answer.code_status, CodeStatus::InvalidUnverifiedRetry);
}

#[tokio::test]
async fn poor_context_is_searched_again_and_judged_as_retry() {
    let bench = bench();
    bench.world.relevant.lock().unwrap().extend([Some(false), Some(true)]);
    let answer = bench.ask(question(RETRIEVAL)).await.unwrap();
    let calls = &bench.world.calls;
    assert_eq!((get(&calls.search), get(&calls.reformulate), get(&calls.draft)), (2, 1, 1));
    assert_eq!(bench.world.orders.lock().unwrap()[0].attempt, Attempt::Retry);
    assert_eq!(answer.context_relevant, Some(true));
    assert_eq!(bench.record().context_relevant_first, Some(false));
}

#[tokio::test]
async fn nothing_found_twice_abstains_and_says_what_was_searched() {
    let bench = bench();
    bench.world.hits.lock().unwrap().extend([Ok(0), Ok(0)]);
    let (events, answer) = bench.stream(question(RETRIEVAL), Delivery::Verified).await;
    assert_eq!((answer.outcome, get(&bench.world.calls.draft)), (Outcome::Abstained, 0));
    assert!(answer.text.contains("broader words") && answer.verdict.is_none());
    assert_eq!(followed(&events), answer.text);
    assert_eq!(bench.record().outcome, Outcome::Abstained);
}

#[tokio::test]
async fn plain_refusals_of_a_model_become_our_own_sentence() {
    for text in ["The sources do not say.", ""] {
        let bench = bench();
        bench.plays([Play::Abstain(text)]);
        bench.judges([of_kinds(Verdict::Review, &[], &[ClaimKind::Refusal])]);
        let (events, answer) = bench.stream(question(RETRIEVAL), Delivery::Verified).await;
        assert_eq!((answer.outcome, answer.verdict, answer.report), (Outcome::Abstained, None, None));
        assert!(answer.text.starts_with("The documentation does not answer"), "{}", answer.text);
        assert!(answer.text.contains(RETRIEVAL), "what was searched: {}", answer.text);
        assert_eq!((followed(&events).as_str(), answer.grounding), (answer.text.as_str(), Grounding::None));
        assert_eq!((get(&bench.world.calls.check), answer.generator), (1, Some(Generator::Fixed)));
        let record = bench.record();
        assert!(!record.attempts[0].delivered && record.validation.is_some());
        assert_eq!(record.answer, text, "kept for a reviewer");
    }
}

#[tokio::test]
async fn abstentions_that_state_something_are_judged_for_it() {
    use ClaimKind::{Factual, Question, Refusal};
    let bad_code = with_block(Verdict::Reject, &[CheckName::CodeSyntax], BlockStatus::Invalid);
    let uncited = of_kinds(Verdict::Reject, &[CheckName::CitationCoverage], &[Refusal, Factual]);
    for (text, judge, outcome) in [
        ("Always safe. Run this:\n\n```avap\nx\n```", bad_code, Outcome::Rejected),
        ("Not said, but run rm -rf / as root.", uncited, Outcome::Rejected),
        ("Not said. Did you know?", of_kinds(Verdict::Review, &[], &[Refusal, Question]), Outcome::Answered),
    ] {
        let bench = bench();
        bench.plays([Play::Abstain(text), Play::Abstain(text)]).judges([judge.clone(), judge]);
        let (events, answer) = bench.stream(self::question(RETRIEVAL), Delivery::Verified).await;
        assert_eq!(answer.outcome, outcome, "{text}");
        if outcome == Outcome::Rejected {
            assert_eq!((answer.text.as_str(), followed(&events).as_str()), ("", "What stands."));
            assert_eq!((answer.attempts, bench.record().outcome), (2, Outcome::Rejected));
        } else {
            assert_eq!(answer.verdict, Some(Verdict::Review));
        }
    }
}

#[tokio::test]
async fn abstentions_of_the_composer_keep_their_words() {
    let bench = bench();
    bench.plays([Play::Compose("The sources that were found do not answer this question.")]);
    let answer = bench.ask(question(RETRIEVAL)).await.unwrap();
    assert_eq!((answer.outcome, answer.verdict), (Outcome::Abstained, None));
    assert_eq!(answer.text, "The sources that were found do not answer this question.");
    assert!(bench.record().attempts[0].delivered);
}

#[tokio::test]
async fn verdicts_are_lowered_to_what_the_checks_bear_out() {
    let older = |status| {
        let mut report = report(Verdict::Pass, &[]);
        report.checks.iter_mut().for_each(|check| check.status = status);
        Judge::Say(Box::new(report), None)
    };
    for status in [CheckStatus::NotChecked, CheckStatus::NotApplicable] {
        let bench = bench();
        bench.judges([older(status)]);
        let answer = bench.ask(question(RETRIEVAL)).await.unwrap();
        assert_eq!((answer.outcome, answer.verdict), (Outcome::Answered, Some(Verdict::Review)), "{status}");
    }
}

#[tokio::test]
async fn editor_content_is_recorded_as_digest_and_size() {
    let bench = bench();
    let asked = Question {
        editor_content: "line one\nsecret line".into(),
        selected_text: "secret line".into(),
        ..question(RETRIEVAL)
    };
    let answer = bench.ask(asked).await.unwrap();
    let editor: Vec<_> = answer.sources.iter().filter(|hit| hit.source.path == "editor").collect();
    assert_eq!((editor.len(), editor[0].source.lines.first), (2, 2));
    let record = bench.record();
    assert!(record.warnings.iter().any(|warning| warning.starts_with("editor_content: 20 bytes, sha256 ")));
    assert!(!format!("{record:?}").contains("secret line"));
}

// === Parts that are down ===

#[tokio::test]
async fn without_audit_the_record_waits_and_the_answer_says_so() {
    let bench = bench();
    bench.world.audit_up.store(false, Ordering::SeqCst);
    let answer = bench.ask(question(RETRIEVAL)).await.unwrap();
    assert_eq!(answer.audit, AuditState::Queued);
    let (waiting, backlog) = bench.ports.outbox.waiting(10).await.unwrap();
    assert_eq!((waiting.len(), backlog.waiting), (1, 1));
    assert_eq!(waiting[0].audit_id, answer.audit_id);
}

#[tokio::test]
async fn a_full_outbox_refuses_before_any_work() {
    let bench = bench_with(|options| options.outbox_records = 1, |_| {});
    bench.world.audit_up.store(false, Ordering::SeqCst);
    bench.ask(question(RETRIEVAL)).await.unwrap();
    let before = bench.world.calls.total();
    let failure = bench.ask(question(RETRIEVAL)).await.unwrap_err();
    assert_eq!((failure.code, bench.world.calls.total()), (Code::OutboxFull, before));
}

#[tokio::test]
async fn without_validation_the_text_comes_unchecked_and_for_review() {
    let bench = bench();
    bench.judges([Judge::Down]);
    bench.world.relevant.lock().unwrap().push_back(None);
    let (events, answer) = bench.stream(question(RETRIEVAL), Delivery::Verified).await;
    assert_eq!((answer.outcome, answer.verdict), (Outcome::Answered, Some(Verdict::Review)));
    assert!(answer.warnings.iter().any(|warning| warning.contains("validation")));
    let checks = answer.report.unwrap().checks;
    assert!(checks.iter().all(|check| check.status == CheckStatus::NotChecked), "{checks:?}");
    assert_eq!(kinds(&events), ["routed", "sources", "settled"], "text that nobody checked is no segment");
    assert_eq!(answer.text, "It works. [^1]");
    let recorded = bench.record().validation.unwrap();
    assert_eq!((recorded.status, recorded.checks.len()), (Some(Verdict::Review), CheckName::ALL.len()));
}

#[tokio::test]
async fn the_strict_profile_gives_no_answer_without_checks() {
    let bench = bench_with(|options| options.profile = "strict".into(), |_| {});
    bench.judges([Judge::Down]);
    let (events, answer) = bench.stream(question(RETRIEVAL), Delivery::Verified).await;
    assert_eq!(answer.failure.unwrap().code, Code::ValidationUnavailable);
    assert_eq!(kinds(&events).last(), Some(&"failed"));
    assert_eq!(bench.record().outcome, Outcome::Failed);
}

#[tokio::test]
async fn each_missing_part_leaves_one_record_with_its_code() {
    let search = bench();
    search.world.hits.lock().unwrap().push_back(Err(Code::SearchUnavailable));
    assert_eq!(search.ask(question(RETRIEVAL)).await.unwrap().failure.unwrap().code, Code::SearchUnavailable);
    assert!(search.record().errors.contains(&"search_unavailable".to_owned()));

    let generation = bench();
    generation.plays([Play::Fail(Code::GenerationUnavailable)]);
    let failure = generation.ask(question(RETRIEVAL)).await.unwrap().failure.unwrap();
    assert_eq!(failure.code, Code::GenerationUnavailable);
    assert_eq!(generation.record().outcome, Outcome::Failed);

    let limit = bench();
    limit.plays([Play::Fail(Code::ResourceExhausted)]);
    limit.ask(question(RETRIEVAL)).await.unwrap();
    assert_eq!(limit.record().outcome, Outcome::Refused);

    let examples = bench();
    examples.world.examples_up.store(false, Ordering::SeqCst);
    let answer = examples.ask(question(CODE)).await.unwrap();
    assert!(answer.outcome == Outcome::Answered);
    assert!(answer.warnings.contains(&"few_shot_injection: degraded".to_owned()));
}

#[tokio::test]
async fn vanished_client_stops_the_model_and_is_recorded_cancelled() {
    let bench = bench();
    bench.plays([Play::Hang(vec!["Some "])]);
    let gone = CancellationToken::new();
    let (sender, mut receiver) = tokio::sync::mpsc::channel(64);
    let (router, token) = (bench.router.clone(), gone.clone());
    let work = task::spawn(async move {
        router.ask(context(), question(RETRIEVAL), Delivery::Verified, Some(sender), token).await
    });
    while let Some(event) = receiver.recv().await {
        if matches!(event.body, EventBody::Segment(_)) {
            gone.cancel();
        }
        assert!(!matches!(event.body, EventBody::Settled(_) | EventBody::Failed(_)));
    }
    assert_eq!(work.await.unwrap().unwrap().outcome, Outcome::Cancelled);
    let record = bench.record();
    assert_eq!((record.outcome, get(&bench.world.calls.cut)), (Outcome::Cancelled, 1));
    assert_eq!((record.model_calls, record.model_version.as_str()), (1, "test:model"), "what was done");
    assert_eq!(record.provider_trail[0].outcome, "cut");
    assert_eq!(record.attempts.len(), 1);
}

#[tokio::test]
async fn past_the_deadline_the_request_fails_and_is_recorded() {
    let bench = bench();
    bench.plays([Play::Hang(vec![])]);
    let context = Context::new(Identity::local(), Duration::from_millis(60));
    let answer = bench
        .router
        .ask(context, question(RETRIEVAL), Delivery::Held, None, CancellationToken::new())
        .await
        .unwrap();
    assert_eq!(answer.failure.unwrap().code, Code::DeadlineExceeded);
    assert_eq!(bench.record().outcome, Outcome::Failed);
}

#[tokio::test]
async fn what_is_refused_before_any_work_leaves_its_record() {
    let bench = bench();
    let answer = bench.ask(question("  ")).await.unwrap();
    assert_eq!((answer.outcome, answer.failure.unwrap().field.as_str()), (Outcome::Refused, "query"));
    let nobody = Identity { roles: Vec::new(), ..Identity::local() };
    let context = Context::new(nobody, Duration::from_secs(9));
    let asked = bench.router.ask(context, question("Hi"), Delivery::Held, None, CancellationToken::new());
    assert_eq!(asked.await.unwrap().failure.unwrap().code, Code::PermissionDenied);
    assert_eq!(bench.records().len(), 2);
    assert!(bench.records().iter().all(|record| record.outcome == Outcome::Refused));
    assert_eq!(get(&bench.world.calls.search), 0);
}

// === Repeats ===

fn named(text: &str) -> Question {
    let request_id = RequestId::parse("6f9619ff-8b86-4011-b42d-00c04fc964ff");
    Question { request_id, ..Question::new(text) }
}

#[tokio::test]
async fn request_id_returns_its_answer_and_conflicts_on_other_content() {
    let bench = bench();
    let first = bench.ask(named(RETRIEVAL)).await.unwrap();
    let calls = bench.world.calls.total();
    let (events, again) = bench.stream(named(RETRIEVAL), Delivery::Verified).await;
    assert_eq!(
        (again.audit_id, &again.text, bench.world.calls.total()),
        (first.audit_id, &first.text, calls)
    );
    assert_eq!((followed(&events), again.audit), (first.text, AuditState::Stored));
    let conflict = bench.ask(named("How do loops work?")).await.unwrap();
    let failure = conflict.failure.unwrap();
    assert_eq!((failure.code, failure.field.as_str()), (Code::RequestConflict, "request_id"));
    let refused = bench.records().into_iter().find(|record| record.audit_id == conflict.audit_id).unwrap();
    assert_eq!((refused.outcome, refused.errors[0].as_str()), (Outcome::Refused, "request_conflict"));
    assert_eq!(bench.ask(named(RETRIEVAL)).await.unwrap().audit_id, first.audit_id, "the first still stands");
    let other = bench.router.ask(
        somebody("eve"),
        named("How do loops work?"),
        Delivery::Held,
        None,
        CancellationToken::new(),
    );
    assert_eq!(other.await.unwrap().outcome, Outcome::Answered, "ids belong to their principal");
}

#[tokio::test]
async fn the_same_request_at_the_same_time_is_answered_once() {
    let bench = bench();
    let (left, right) = tokio::join!(bench.ask(named(RETRIEVAL)), bench.ask(named(RETRIEVAL)));
    assert_eq!(left.unwrap().audit_id, right.unwrap().audit_id);
    assert_eq!(get(&bench.world.calls.draft), 1);
}

#[tokio::test]
async fn duplicates_that_leave_while_they_wait_are_recorded() {
    let bench = bench();
    bench.plays([Play::Hang(vec!["Some "])]);
    let (first, second) = (CancellationToken::new(), CancellationToken::new());
    let ask = |gone: &CancellationToken| {
        let (router, gone) = (bench.router.clone(), gone.clone());
        task::spawn(async move { router.ask(context(), named(RETRIEVAL), Delivery::Held, None, gone).await })
    };
    let running = ask(&first);
    while get(&bench.world.calls.draft) == 0 {
        tokio::task::yield_now().await;
    }
    let waiting = ask(&second);
    second.cancel();
    assert_eq!(waiting.await.unwrap().unwrap().outcome, Outcome::Cancelled);
    first.cancel();
    running.await.unwrap().unwrap();
    assert_eq!(bench.records().len(), 2);
    assert!(bench.records().iter().all(|record| record.outcome == Outcome::Cancelled));
}

#[tokio::test]
async fn a_failed_request_may_be_tried_again_under_its_id() {
    let bench = bench();
    bench.plays([Play::Fail(Code::GenerationUnavailable)]);
    assert!(bench.ask(named(RETRIEVAL)).await.unwrap().failure.is_some());
    assert_eq!(bench.ask(named(RETRIEVAL)).await.unwrap().outcome, Outcome::Answered);
    assert_eq!(bench.records().len(), 2);
}

// === Sessions ===

#[tokio::test]
async fn a_session_remembers_its_turns_for_conversation_only() {
    let bench = bench();
    bench.ask(in_session("How does addParam work? mail me at bob@example.org")).await.unwrap();
    let answer = bench.ask(in_session(CHAT)).await.unwrap();
    assert_eq!(answer.grounding, Grounding::Session);
    assert_eq!(answer.sources.len(), 2, "the previous answer's sources keep their numbers");
    let turns = bench.world.briefs.lock().unwrap()[1].turns.clone();
    assert_eq!(turns.len(), 1);
    assert!(turns[0].question.contains("[redacted:email]") && turns[0].answer.contains("It works."));
    bench.ask(in_session(RETRIEVAL)).await.unwrap();
    assert!(bench.world.briefs.lock().unwrap()[2].turns.is_empty());
}

#[tokio::test]
async fn another_principals_session_is_not_found() {
    let bench = bench();
    bench.ask(in_session(RETRIEVAL)).await.unwrap();
    let asked =
        bench.router.ask(somebody("eve"), in_session(CHAT), Delivery::Held, None, CancellationToken::new());
    let failure = asked.await.unwrap().failure.unwrap();
    assert_eq!((failure.code, failure.field.as_str()), (Code::NotFound, "session_id"));
}

/// Sessions that fail or never let an append through.
struct Broken {
    fails: bool,
}

#[async_trait]
impl Sessions for Broken {
    async fn load(&self, _: &Identity, _: &SessionId, _: u64) -> Result<Session, Failure> {
        if self.fails { Err(Failure::new(Code::Unavailable, "disk")) } else { Ok(Session::default()) }
    }

    async fn append(
        &self,
        _: &Identity,
        _: &SessionId,
        _: u64,
        _: HistoryEntry,
        _: Turn,
        _: u64,
    ) -> Result<bool, Failure> {
        Ok(false)
    }

    async fn sweep(&self, _: u64) -> Result<u64, Failure> {
        Ok(0)
    }
}

#[tokio::test]
async fn without_sessions_the_answer_comes_with_a_warning() {
    let bench = bench_with(|_| {}, |ports| ports.sessions = Arc::new(Broken { fails: true }));
    let answer = bench.ask(in_session(RETRIEVAL)).await.unwrap();
    assert_eq!(answer.outcome, Outcome::Answered);
    assert!(answer.warnings.iter().any(|warning| warning.contains("session")));
}

#[tokio::test]
async fn contended_session_is_a_conflict_and_keeps_the_answer() {
    let bench = bench_with(|_| {}, |ports| ports.sessions = Arc::new(Broken { fails: false }));
    let (events, answer) = bench.stream(in_session(RETRIEVAL), Delivery::Verified).await;
    assert_eq!(answer.failure.unwrap().code, Code::SessionConflict);
    assert_eq!(kinds(&events).last(), Some(&"failed"));
    let record = bench.record();
    assert_eq!((record.outcome, record.audit_id), (Outcome::Answered, answer.audit_id));
}

#[tokio::test]
async fn concurrent_turns_of_a_session_are_all_kept() {
    let bench = bench();
    let ask = || bench.ask(in_session(RETRIEVAL));
    let (left, right) = tokio::join!(ask(), ask());
    assert!(left.is_ok() && right.is_ok());
    let id = SessionId::parse("tab-1").unwrap();
    let session =
        bench.ports.sessions.load(&Identity::local(), &id, assay_rpc::clock::unix_ms()).await.unwrap();
    assert_eq!((session.version, session.turns.len()), (2, 2));
}
