//! What happens when a part is down (contract §14), over real processes; each case leaves exactly one record a request.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::time::Duration;

use assay_behaviour::cases::answers::declared;
use assay_behaviour::cases::models::{GOOD, PAGE, WORKING, question};
use assay_behaviour::harness::{BUDGET, Builder, Harness, kinds, settled, until};
use assay_domain::answer::Layer;
use assay_domain::report::CheckStatus;
use assay_domain::{
    Answer, AuditState, Code, Failure, Identity, Outcome, QueryType, Question, Record, SessionId, Verdict,
};
use assay_testkit::fault_proxy::{Fault, FaultProxy};
use assay_testkit::model_server::{ModelServer, Reply};
use assay_wire::from_status;
use serde_json::json;

const RETRIEVAL: QueryType = QueryType::Retrieval;
const CODE: QueryType = QueryType::CodeGeneration;

async fn model(text: &str) -> ModelServer {
    ModelServer::start(vec![Reply::Text(text.into())]).await.unwrap()
}

/// A system whose drafts the model writes, with the page as its collection, and no patience with parts that are down.
async fn system(model: &ModelServer) -> Harness {
    let system = Builder::new().impatient().model(&model.base_url()).start().await;
    system.ingest("", &[PAGE]).await;
    system
}

async fn failure(system: &Harness, question: &Question) -> (Failure, Record) {
    let status = system.put_within(&Identity::local(), question, BUDGET).await.unwrap_err();
    let id = status.metadata().get("assay-audit-id").expect("a failure names its record");
    (from_status(&status), system.record(id.to_str().unwrap()).await)
}

// === Parser ===

/// The lines of the breaker in the log of validation, cut behind their fixed words.
fn breaker_lines(system: &Harness) -> Vec<&'static str> {
    const LINES: [&str; 4] = [
        "[ptvl] circuit OPEN — skipping parser, returning unvalidated",
        "[ptvl] circuit HALF-OPEN — probing parser availability",
        "[ptvl] circuit CLOSED — parser reachable",
        "[ptvl] parser unavailable — returning unvalidated",
    ];
    let log = system.processes().unwrap().log("validation");
    log.lines()
        .filter(|line| line.contains("[ptvl]"))
        .map(|line| {
            *LINES
                .iter()
                .find(|known| line.contains(*known))
                .unwrap_or_else(|| panic!("no such line: {line}"))
        })
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn without_parser_code_is_unchecked_and_the_breaker_opens() {
    const OPEN: &str = "[ptvl] circuit OPEN — skipping parser, returning unvalidated";
    const HALF_OPEN: &str = "[ptvl] circuit HALF-OPEN — probing parser availability";
    const CLOSED: &str = "[ptvl] circuit CLOSED — parser reachable";
    const UNAVAILABLE: &str = "[ptvl] parser unavailable — returning unvalidated";
    let model = model(WORKING).await;
    let mut system = Builder::new()
        .impatient()
        .model(&model.base_url())
        .env("validation", "PARSER_CB_THRESHOLD", "3")
        .env("validation", "PARSER_CB_COOLDOWN", "4")
        .env("validation", "AVAP_PARSER_TIMEOUT", "0.8")
        .start()
        .await;
    system.ingest("", &[PAGE]).await;
    let mut asked: Vec<Answer> = Vec::new();
    asked.push(system.put(&question(CODE)).await);
    assert_eq!(asked[0].code_status.as_str(), "VALID");
    assert_eq!(breaker_lines(&system), Vec::<&str>::new());

    system.processes_mut().kill("parser");
    for _ in 0..4 {
        let answer = system.put(&question(CODE)).await;
        assert_eq!(answer.outcome, Outcome::Answered, "{answer:#?}");
        assert_eq!(answer.validation_status.as_str(), "PARSER_UNAVAILABLE");
        assert_eq!(answer.code_status.as_str(), "UNAVAILABLE");
        assert_eq!(answer.verdict, Some(Verdict::Review));
        assert_eq!(answer.attempts, 1, "nothing is written again because the parser is down");
        asked.push(answer);
    }
    assert_eq!(breaker_lines(&system), [UNAVAILABLE, UNAVAILABLE, UNAVAILABLE, OPEN], "it opens after three");

    system.processes_mut().start("parser").await;
    until("an answer whose code was checked", async || {
        let answer = system.put(&question(CODE)).await;
        asked.push(answer.clone());
        (answer.code_status.as_str() == "VALID").then_some(())
    })
    .await;
    let lines = breaker_lines(&system);
    assert_eq!(&lines[lines.len() - 2..], [HALF_OPEN, CLOSED], "one probe closes it: {lines:?}");
    assert!(lines[4..lines.len() - 2].iter().all(|line| *line == OPEN), "{lines:?}");
    for answer in asked {
        let record = system.record(answer.audit_id).await;
        assert_eq!(record.parser_version.is_empty(), answer.code_status.as_str() != "VALID");
    }
    assert!(system.verify().await.ok);
}

// === Audit ===

#[tokio::test(flavor = "multi_thread")]
async fn without_audit_records_wait_and_arrive_exactly_once() {
    let model = model(GOOD).await;
    let mut system = system(&model).await;
    system.processes_mut().kill("audit");
    let mut waiting = Vec::new();
    for number in 0..3 {
        let asked = declared(&format!("When does the importer stop, time {number}?"), RETRIEVAL);
        let answer = system.put(&asked).await;
        assert_eq!((answer.outcome, answer.audit), (Outcome::Answered, AuditState::Queued), "{answer:#?}");
        waiting.push((asked.text, answer));
    }
    // What waits survives the death of the process that keeps it.
    system.processes_mut().kill("router");
    system.processes_mut().start("audit").await;
    system.processes_mut().start("router").await;
    for (text, answer) in waiting {
        let record = &system.records_of(&text, 1).await[0];
        assert_eq!((record.audit_id, record.outcome), (answer.audit_id, Outcome::Answered));
    }
    let again = system.put(&question(RETRIEVAL)).await;
    assert_eq!(again.audit, AuditState::Stored);
    let verified = system.verify().await;
    assert!(verified.ok && verified.leaves == 4, "{} leaves, {:?}", verified.leaves, verified.findings);
}

#[tokio::test(flavor = "multi_thread")]
async fn with_a_full_outbox_nothing_is_begun() {
    let model = model(GOOD).await;
    let mut system = Builder::new()
        .impatient()
        .model(&model.base_url())
        .set("router", "service.outbox_records", "1")
        .start()
        .await;
    system.ingest("", &[PAGE]).await;
    system.processes_mut().kill("audit");
    assert_eq!(system.put(&question(RETRIEVAL)).await.audit, AuditState::Queued);
    let before = model.requests().len();
    let refused = system.put_as(&Identity::local(), &question(RETRIEVAL)).await.unwrap_err();
    assert_eq!(refused.code, Code::OutboxFull);
    let body = json!({"query": "When does the importer stop?"});
    let (status, problem) = system.processes().unwrap().http_ask(&body).await.unwrap();
    assert_eq!((status, problem["code"].as_str()), (503, Some("outbox_full")), "{problem}");
    assert_eq!(model.requests().len(), before, "no work was begun");
    system.processes_mut().start("audit").await;
    until("room in the outbox", async || system.put_as(&Identity::local(), &question(RETRIEVAL)).await.ok())
        .await;
    assert_eq!(system.verify().await.leaves, 2, "what was refused before any work left nothing");
}

// === Retrieval ===

#[tokio::test(flavor = "multi_thread")]
async fn without_retrieval_only_questions_that_search_fail() {
    let model = model(GOOD).await;
    let mut system = system(&model).await;
    system.processes_mut().kill("retrieval");
    for kind in [RETRIEVAL, CODE] {
        let (failure, record) = failure(&system, &question(kind)).await;
        assert_eq!(failure.code, Code::SearchUnavailable, "{failure:?}");
        assert_eq!((record.outcome, record.model_calls), (Outcome::Failed, 0));
        assert!(record.errors.contains(&"search_unavailable".to_owned()), "{:?}", record.errors);
    }
    let body = json!({"query": "When does the importer stop?", "query_type": "RETRIEVAL"});
    let (status, problem) = system.processes().unwrap().http_ask(&body).await.unwrap();
    assert_eq!((status, problem["code"].as_str()), (503, Some("search_unavailable")), "{problem}");
    model.play(vec![Reply::Text("Hello, how can I help?".into())]);
    let hello = system.put(&declared("Hello there", QueryType::Conversational)).await;
    assert_eq!(hello.outcome, Outcome::Answered, "{hello:#?}");

    model.play(vec![Reply::Text(GOOD.into())]);
    system.processes_mut().start("retrieval").await;
    let answer = until("an answer after the start", async || {
        system.put_as(&Identity::local(), &question(RETRIEVAL)).await.ok()
    })
    .await;
    assert_eq!(answer.verdict, Some(Verdict::Pass), "{:#?}", answer.report);
}

#[tokio::test(flavor = "multi_thread")]
async fn failing_or_slow_methods_of_retrieval_are_reported() {
    let model = model(GOOD).await;
    let mut processes = Builder::new().impatient().model(&model.base_url()).lay_out();
    let proxy = FaultProxy::before(&processes.url("retrieval")).await.unwrap();
    processes.reroute("router", "retrieval", proxy.url());
    let system = processes.start_all().await;
    system.ingest("", &[PAGE]).await;

    proxy.set("Embed", Fault::Down);
    model.play(vec![Reply::Text("RETRIEVAL".into()), Reply::Text(GOOD.into())]);
    let unsure = system.ask("the blue one stops, maybe tomorrow or so").await;
    assert!(unsure.warnings.iter().any(|w| w.contains("embeddings")), "{:?}", unsure.warnings);
    assert_eq!(unsure.route.layer, Layer::Model, "{:?}", unsure.route);
    model.play(vec![Reply::Text("no idea".into()), Reply::Text(GOOD.into())]);
    let unsure = system.ask("the blue one stops, maybe tomorrow or so").await;
    assert_eq!(unsure.route.layer, Layer::Fallback, "{:?}", unsure.route);
    assert!(system.record(unsure.audit_id).await.warnings.iter().any(|w| w.contains("embeddings")));

    proxy.heal();
    proxy.set("FewShot", Fault::Down);
    model.play(vec![Reply::Text(WORKING.into())]);
    let code = system.put(&question(CODE)).await;
    assert_eq!((code.outcome, code.code_status.as_str()), (Outcome::Answered, "VALID"));
    assert!(code.warnings.contains(&"few_shot_injection: degraded".to_owned()), "{:?}", code.warnings);

    proxy.set("Search", Fault::Slow(Duration::from_millis(300)));
    model.play(vec![Reply::Text(GOOD.into())]);
    let answer = system.put(&question(RETRIEVAL)).await;
    assert_eq!(answer.verdict, Some(Verdict::Pass));
    assert!(answer.timing.search_ms >= 300.0, "{:?}", answer.timing);

    proxy.set("Search", Fault::Silent);
    let asked = declared("When does the importer stop, if nobody searches?", RETRIEVAL);
    let short = Duration::from_millis(1_500);
    let status = system.put_within(&Identity::local(), &asked, short).await.unwrap_err();
    assert_eq!(from_status(&status).code, Code::DeadlineExceeded, "{status:?}");
    let record = &system.records_of(&asked.text, 1).await[0];
    assert_eq!((record.outcome, record.model_calls), (Outcome::Failed, 0));
    assert!(record.errors.contains(&"deadline_exceeded".to_owned()), "{:?}", record.errors);
}

// === Generation ===

#[tokio::test(flavor = "multi_thread")]
async fn without_generation_the_failure_is_recorded() {
    let model = model(GOOD).await;
    let mut system = system(&model).await;
    system.processes_mut().kill("generation");
    let (lost, record) = failure(&system, &question(RETRIEVAL)).await;
    assert_eq!(lost.code, Code::GenerationUnavailable, "{lost:?}");
    assert_eq!(record.outcome, Outcome::Failed);
    assert!(!record.index_manifest.is_empty(), "what was done is on record");

    // It dies while it writes.
    system.processes_mut().start("generation").await;
    until("an answer after the start", async || {
        system.put_as(&Identity::local(), &question(RETRIEVAL)).await.ok()
    })
    .await;
    model.play(vec![Reply::Hang("The importer stops ".into())]);
    let asked = declared("When does the importer stop, half way?", RETRIEVAL);
    let (system, events) = {
        let (sender, receiver) = tokio::sync::oneshot::channel();
        let stream = system.stream(&asked).await;
        let reading = assay_rpc::task::spawn(async move {
            use futures::TryStreamExt as _;
            let events: Vec<_> = stream.try_collect().await.unwrap();
            sender.send(events).unwrap();
        });
        until("the call of the model", async || (model.requests().len() == 1).then_some(())).await;
        system.processes_mut().kill("generation");
        reading.await.unwrap();
        (system, receiver.await.unwrap())
    };
    assert_eq!(kinds(&events).last(), Some(&"failed"), "{events:#?}");
    let record = &system.records_of(&asked.text, 1).await[0];
    assert_eq!((record.outcome, record.model_calls), (Outcome::Failed, 1));
    assert!(record.errors.contains(&"generation_unavailable".to_owned()), "{:?}", record.errors);
}

#[tokio::test(flavor = "multi_thread")]
async fn provider_failover_leaves_its_trail_in_the_record() {
    let model = model(GOOD).await;
    let mut system = Builder::new()
        .impatient()
        .model(&model.base_url())
        .env("generation", "OLLAMA_MODEL_NAME", "ollama:absent")
        .env("generation", "ASSAY_SERVICE__OLLAMA_URL", "http://127.0.0.1:9")
        .set("generation", "service.fallbacks", "[\"openai:script\"]")
        .start()
        .await;
    system.ingest("", &[PAGE]).await;
    let trail = |record: &Record| -> Vec<(String, String)> {
        record.provider_trail.iter().map(|call| (call.model.clone(), call.outcome.clone())).collect()
    };
    let pair = |model: &str, outcome: &str| (model.to_owned(), outcome.to_owned());
    let answer = system.put(&question(RETRIEVAL)).await;
    assert_eq!((answer.verdict, answer.model.as_str()), (Some(Verdict::Pass), "openai:script"));
    let record = system.record(answer.audit_id).await;
    assert_eq!(trail(&record), [pair("ollama:absent", "transport"), pair("openai:script", "ok")]);
    assert_eq!(record.model_calls, 2);

    model.play(vec![Reply::Status(503)]);
    let (lost, record) = failure(&system, &question(RETRIEVAL)).await;
    assert_eq!(lost.code, Code::GenerationUnavailable, "{lost:?}");
    assert_eq!(trail(&record), [pair("ollama:absent", "transport"), pair("openai:script", "http 503")]);
    assert_eq!((record.outcome, record.model_calls), (Outcome::Failed, 2));
    system.processes_mut().terminate("generation").await;
}

// === Validation ===

#[tokio::test(flavor = "multi_thread")]
async fn without_validation_the_text_comes_unchecked_and_only_when_settled() {
    let model = model(GOOD).await;
    let mut system = system(&model).await;
    let required = |answer: &Answer| -> Vec<_> {
        answer.report.as_ref().unwrap().checks.iter().map(|check| (check.name, check.required)).collect()
    };
    let mut checked = Vec::new();
    for kind in [RETRIEVAL, CODE] {
        model.play(vec![Reply::Text(if kind == CODE { WORKING } else { GOOD }.into())]);
        checked.push(required(&system.put(&question(kind)).await));
    }
    system.processes_mut().kill("validation");
    for (kind, checked) in [RETRIEVAL, CODE].into_iter().zip(checked) {
        model.play(vec![Reply::Text(if kind == CODE { WORKING } else { GOOD }.into())]);
        let events = system.events(&question(kind)).await;
        assert_eq!(kinds(&events), ["routed", "sources", "settled"]);
        let answer = settled(&events);
        assert_eq!((answer.outcome, answer.verdict), (Outcome::Answered, Some(Verdict::Review)));
        assert_eq!(answer.attempts, 1);
        assert!(!answer.text.is_empty());
        let checks = &answer.report.as_ref().unwrap().checks;
        assert!(checks.iter().all(|check| check.status == CheckStatus::NotChecked), "{checks:?}");
        assert_eq!(required(answer), checked, "both know the same table");
        let unparsed = if kind == CODE { "PARSER_UNAVAILABLE" } else { "" };
        assert_eq!(answer.validation_status.as_str(), unparsed);
        let record = system.record(answer.audit_id).await;
        assert_eq!(record.validation.unwrap().status, Some(Verdict::Review));
    }
    model.play(vec![Reply::Text(GOOD.into())]);
    let body = json!({"query": "When does the importer stop?", "query_type": "RETRIEVAL"});
    let (status, answer) = system.processes().unwrap().http_ask(&body).await.unwrap();
    assert_eq!((status, answer["verdict"].as_str()), (200, Some("REVIEW")), "{answer}");

    let processes = system.processes_mut();
    processes.terminate("router").await;
    processes.set("router", "service.profile", "\"strict\"");
    processes.start("router").await;
    let (refused, record) = failure(&system, &question(RETRIEVAL)).await;
    assert_eq!(refused.code, Code::ValidationUnavailable, "{refused:?}");
    assert_eq!(record.outcome, Outcome::Failed);
}

// === Sessions ===

#[tokio::test(flavor = "multi_thread")]
async fn without_sessions_answers_come_with_a_warning() {
    let model = model(GOOD).await;
    let mut system = system(&model).await;
    let processes = system.processes_mut();
    processes.terminate("router").await;
    let file = processes.folder().join("router/sessions.sqlite");
    std::fs::remove_file(&file).unwrap();
    std::fs::create_dir(&file).unwrap();
    processes.start("router").await;
    let asked = Question { session: SessionId::parse("s"), ..question(RETRIEVAL) };
    let answer = system.put(&asked).await;
    assert_eq!((answer.outcome, answer.verdict), (Outcome::Answered, Some(Verdict::Pass)));
    assert!(answer.warnings.iter().any(|warning| warning.contains("session")), "{:?}", answer.warnings);
    assert!(system.record(answer.audit_id).await.warnings.iter().any(|w| w.contains("session")));
}

#[tokio::test(flavor = "multi_thread")]
async fn clients_of_one_session_get_answers_or_conflicts_with_records() {
    const CLIENTS: usize = 10;
    let model = model(GOOD).await;
    let system = system(&model).await;
    let asked = Question { session: SessionId::parse("shared"), ..question(RETRIEVAL) };
    let local = Identity::local();
    let ask = || system.put_within(&local, &asked, BUDGET);
    let mut answered = 0;
    for result in futures::future::join_all((0..CLIENTS).map(|_| ask())).await {
        match result {
            Ok(answer) => {
                assert_eq!(answer.outcome, Outcome::Answered);
                answered += 1;
            }
            Err(status) => {
                let failure = from_status(&status);
                assert_eq!((failure.code, failure.field.as_str()), (Code::SessionConflict, "session_id"));
                let id = status.metadata().get("assay-audit-id").expect("a conflict names its record");
                assert_eq!(system.record(id.to_str().unwrap()).await.outcome, Outcome::Answered);
            }
        }
    }
    assert!(answered > 0);
    system.records_of(&asked.text, CLIENTS).await;
}
