//! The service alone over an in-memory channel, its peers scripted.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::time::Duration;

use assay_domain::code::BlockStatus;
use assay_domain::report::{Attempt, CheckName, CheckStatus, Resolution};
use assay_domain::{Code, Identity, QueryType, Source, SourceKind, Verdict};
use assay_proto::validation as wire;
use assay_proto::validation::check_request::Part;
use assay_rpc::Context;
use assay_validation::Options;
use assay_wire::{ToWire as _, from_status, list_to_wire};
use common::{Bench, Index, Mode, Parser, context, doc, finish, message, open, plain, start, text};
use tokio_stream::wrappers::ReceiverStream;

const IMPORT: &str =
    "The importer reads CSV files from the inbox folder. It skips empty rows and stops after ten errors.";
const GOOD: &str = "The importer reads CSV files from the inbox folder [^1].";
const PROGRAM: &str = "```avap\naddVar(x, 1)\n```\n";
const BROKEN: &str = "```avap\nBROKEN(x)\n```\n";

fn sources() -> Vec<Source> {
    vec![doc("docs/import.md", IMPORT)]
}

fn code() -> wire::Open {
    wire::Open { query_type: QueryType::CodeGeneration.to_wire(), ..open(&sources()) }
}

async fn bench(parser: Option<std::sync::Arc<Parser>>) -> Bench {
    start(plain(), parser, None).await
}

fn status_of(report: &assay_domain::Report) -> &BlockStatus {
    &report.blocks[0].status
}

#[tokio::test]
async fn a_good_answer_passes_and_says_how_it_was_judged() {
    let bench = bench(None).await;
    let answered = bench.check(open(&sources()), GOOD).await;
    let report = answered.report();
    assert_eq!(report.verdict, Verdict::Pass, "{:#?}", report.checks);
    let done = answered.done.unwrap();
    assert_eq!((done.policy.as_str(), done.parser_version.as_str()), ("balanced", ""));
    assert!(answered.segments.is_empty());
}

#[tokio::test]
async fn code_is_parsed_in_one_call_and_names_its_parser() {
    let parser = Parser::new(Mode::Up);
    let bench = bench(Some(parser.clone())).await;
    let answered = bench.check(code(), &format!("{PROGRAM}\n{PROGRAM}")).await;
    let report = answered.report();
    assert_eq!(report.verdict, Verdict::Pass, "{:#?}", report.checks);
    assert_eq!((report.blocks.len(), parser.calls()), (2, 1));
    assert_eq!(answered.done.unwrap().parser_version, "9.9 cafe");
}

#[tokio::test]
async fn invalid_code_is_rejected_with_what_the_parser_said() {
    let bench = bench(Some(Parser::new(Mode::Up))).await;
    let report = bench.check(code(), BROKEN).await.report();
    assert_eq!((report.verdict, status_of(&report)), (Verdict::Reject, &BlockStatus::Invalid));
    assert!(report.retry_prompt.contains("BROKEN is not known here"), "{}", report.retry_prompt);
}

#[tokio::test]
async fn an_answer_without_code_never_asks_the_parser() {
    let parser = Parser::new(Mode::Up);
    bench(Some(parser.clone())).await.check(open(&sources()), GOOD).await;
    assert_eq!(parser.calls(), 0);
}

// === The parser is not well ===

#[tokio::test]
async fn nobody_at_the_parsers_address_leaves_code_unchecked() {
    let report = bench(None).await.check(code(), PROGRAM).await.report();
    assert_eq!(status_of(&report), &BlockStatus::Unavailable("unreachable".into()));
    let check = report.check(CheckName::CodeSyntax).unwrap();
    assert_eq!((check.status, check.reason.as_str()), (CheckStatus::NotChecked, "unreachable"));
    assert_eq!(report.verdict, Verdict::Review);
}

#[tokio::test]
async fn blocks_missing_in_the_reply_are_not_checked() {
    let bench = bench(Some(Parser::new(Mode::Fewer))).await;
    let report = bench.check(code(), &format!("{PROGRAM}\nThen:\n\n{BROKEN}")).await.report();
    let statuses: Vec<&BlockStatus> = report.blocks.iter().map(|parsed| &parsed.status).collect();
    assert_eq!(statuses, [&BlockStatus::Valid, &BlockStatus::Unavailable("not_parsed".into())]);
    let check = report.check(CheckName::CodeSyntax).unwrap();
    assert_eq!((check.status, check.reason.as_str()), (CheckStatus::NotChecked, "not_parsed"));
    assert_eq!(report.verdict, Verdict::Review);
}

#[tokio::test]
async fn a_reply_without_blocks_is_no_pass() {
    let bench = bench(Some(Parser::new(Mode::Fewer))).await;
    let report = bench.check(open(&sources()), &format!("{GOOD}\n\n{PROGRAM}")).await.report();
    let check = report.check(CheckName::CodeSyntax).unwrap();
    assert_eq!((check.status, check.required), (CheckStatus::NotChecked, true));
    assert_eq!(report.verdict, Verdict::Review);
}

#[tokio::test]
async fn a_parser_that_takes_too_long_is_given_up() {
    let options = Options { parser_timeout: 0.02, ..plain() };
    let bench = start(options, Some(Parser::new(Mode::Slow)), None).await;
    let report = bench.check(code(), PROGRAM).await.report();
    assert_eq!(status_of(&report), &BlockStatus::Unavailable("timeout".into()));
}

#[tokio::test]
async fn parser_is_left_alone_after_three_failures() {
    let parser = Parser::new(Mode::Down);
    let bench = bench(Some(parser.clone())).await;
    for _ in 0..3 {
        let report = bench.check(code(), PROGRAM).await.report();
        assert_eq!(status_of(&report), &BlockStatus::Unavailable("unreachable".into()));
    }
    let report = bench.check(code(), PROGRAM).await.report();
    assert_eq!(status_of(&report), &BlockStatus::Unavailable("circuit_open".into()));
    assert_eq!(parser.calls(), 3);
}

#[tokio::test]
async fn a_parser_that_is_back_is_found_by_the_probe() {
    let parser = Parser::new(Mode::Down);
    let options = Options { breaker_cooldown: 0.0, ..plain() };
    let bench = start(options, Some(parser.clone()), None).await;
    for _ in 0..4 {
        bench.check(code(), PROGRAM).await;
    }
    parser.set(Mode::Up);
    assert_eq!(status_of(&bench.check(code(), PROGRAM).await.report()), &BlockStatus::Valid);
    assert_eq!(parser.calls(), 5);
}

#[tokio::test]
async fn disabled_code_checks_call_nobody_and_are_reported() {
    let parser = Parser::new(Mode::Up);
    let options = Options { parser_timeout: 0.0, ..plain() };
    let bench = start(options, Some(parser.clone()), None).await;
    let report = bench.check(code(), PROGRAM).await.report();
    assert_eq!(status_of(&report), &BlockStatus::Unavailable("disabled".into()));
    assert_eq!(parser.calls(), 0);
}

#[tokio::test]
async fn failed_parser_counts_once_for_an_attempt() {
    let parser = Parser::new(Mode::Down);
    let bench = bench(Some(parser.clone())).await;
    let order = wire::Open { segments: true, ..code() };
    let blocks = format!("{PROGRAM}\nThen:\n\n{PROGRAM}\nAnd:\n\n{PROGRAM}");
    let report = bench.check(order, &blocks).await.report();
    assert_eq!(report.blocks.len(), 3);
    assert_eq!(parser.calls(), 1);
}

// === The index ===

const MENTIONS: &str = "The importer reads CSV files from the inbox folder [^1]. Call `import_all()` as `docs/calls.md` shows [^1].";

#[tokio::test]
async fn unknown_names_are_looked_up_in_one_call() {
    let index = Index::knowing(&["import_all", "docs/calls.md"]);
    let bench = start(plain(), None, Some(index.clone())).await;
    let order = wire::Open { collection: "manual".into(), ..open(&sources()) };
    let report = bench.check(order, MENTIONS).await.report();
    assert_eq!(report.check(CheckName::Identifiers).unwrap().status, CheckStatus::Passed);
    let asked = index.asked();
    assert_eq!(asked.len(), 1);
    assert_eq!(
        (asked[0].names.as_slice(), asked[0].collection.as_str()),
        (&["import_all".to_owned()][..], "manual")
    );
    assert_eq!(asked[0].paths, ["docs/calls.md"]);
}

#[tokio::test]
async fn an_unknown_name_is_flagged() {
    let bench = start(plain(), None, Some(Index::knowing(&["docs/calls.md"]))).await;
    let report = bench.check(open(&sources()), MENTIONS).await.report();
    assert_eq!(report.check(CheckName::Identifiers).unwrap().status, CheckStatus::Flagged);
    assert!(report.warnings.iter().any(|finding| finding.detail.starts_with("import_all is unknown")));
}

#[tokio::test]
async fn an_index_that_does_not_answer_leaves_names_unchecked() {
    let report = bench(None).await.check(open(&sources()), MENTIONS).await.report();
    let check = report.check(CheckName::Identifiers).unwrap();
    assert_eq!((check.status, check.reason.as_str()), (CheckStatus::NotChecked, "unavailable"));
}

#[tokio::test]
async fn given_sources_and_unsearched_types_are_never_looked_up() {
    let index = Index::knowing(&[]);
    let bench = start(plain(), None, Some(index.clone())).await;
    bench.check(wire::Open { sources_only: true, ..open(&sources()) }, MENTIONS).await;
    for query_type in [QueryType::Conversational, QueryType::Platform] {
        bench.check(wire::Open { query_type: query_type.to_wire(), ..open(&sources()) }, MENTIONS).await;
    }
    bench.check(open(&sources()), GOOD).await;
    assert!(index.asked().is_empty());
}

#[tokio::test]
async fn bytes_with_a_wrong_hash_do_not_exist() {
    let mut given = sources();
    given[0].sha256 = "0".repeat(64);
    let report = bench(None).await.check(open(&given), GOOD).await.report();
    assert_eq!(report.check(CheckName::SourceExists).unwrap().status, CheckStatus::Failed);
    assert_eq!(report.citations[0].resolution, Resolution::Dangling);
}

// === Segments ===

#[tokio::test]
async fn segments_add_up_to_the_text_of_the_report() {
    let parser = Parser::new(Mode::Up);
    let bench = bench(Some(parser.clone())).await;
    let answer =
        format!("{GOOD} It skips empty rows and stops after ten errors.\n\nRun this:\n\n{PROGRAM}\nDone.\n");
    let order = wire::Open { segments: true, attach: true, ..open(&sources()) };
    let mut parts = vec![Part::Open(order)];
    parts.extend(answer.as_bytes().chunks(7).map(|piece| text(std::str::from_utf8(piece).unwrap())));
    parts.push(finish());
    let answered = bench.send(parts).await.unwrap();
    assert!(answered.segments.len() >= 4, "{:#?}", answered.segments);
    assert!(answered.segments.iter().all(|segment| segment.passed), "{:#?}", answered.segments);
    let whole: String = answered.segments.iter().map(|segment| segment.text.as_str()).collect();
    let report = answered.report();
    assert_eq!(whole, report.text);
    assert!(report.text.contains("ten errors. [^1]"), "{}", report.text);
    assert_eq!(parser.calls(), 1);
}

#[tokio::test]
async fn a_code_block_is_parsed_before_it_is_passed_on() {
    let bench = bench(Some(Parser::new(Mode::Up))).await;
    let order = wire::Open { segments: true, ..code() };
    let (sender, receiver) = tokio::sync::mpsc::channel(8);
    for part in [Part::Open(order), text(BROKEN), text("Then go on.")] {
        sender.send(message(part)).await.unwrap();
    }
    let request = context().request(ReceiverStream::new(receiver));
    let mut replies = bench.client.clone().check(request).await.unwrap().into_inner();
    let reply = replies.message().await.unwrap().unwrap().part.unwrap();
    let wire::check_response::Part::Segment(segment) = reply else { panic!("no segment") };
    assert_eq!((segment.text.as_str(), segment.passed), (BROKEN, false));
    assert_eq!(segment.errors[0].kind, "code_syntax");
}

#[tokio::test]
async fn a_segment_with_a_bad_marker_does_not_pass() {
    let order = wire::Open { segments: true, ..open(&sources()) };
    let answered = bench(None).await.check(order, &format!("{GOOD} It skips empty rows [^4].\n")).await;
    let passed: Vec<bool> = answered.segments.iter().map(|segment| segment.passed).collect();
    assert_eq!(passed, [true, false]);
}

// === The order of messages ===

async fn refused(parts: Vec<Part>) -> assay_domain::Failure {
    let bench = bench(None).await;
    match bench.send(parts).await {
        Ok(_) => panic!("it was accepted"),
        Err(status) => from_status(&status),
    }
}

#[tokio::test]
async fn messages_out_of_order_are_refused() {
    let opened = || Part::Open(open(&sources()));
    for parts in [
        vec![text(GOOD), finish()],
        vec![finish()],
        vec![],
        vec![opened(), opened()],
        vec![opened(), text(GOOD)],
        vec![opened()],
    ] {
        assert_eq!(refused(parts.clone()).await.code, Code::InvalidArgument, "{parts:?}");
    }
}

#[tokio::test]
async fn a_message_without_a_part_is_refused() {
    let bench = bench(None).await;
    let messages =
        futures::stream::iter([message(Part::Open(open(&sources()))), wire::CheckRequest { part: None }]);
    let mut replies = bench.client.clone().check(context().request(messages)).await.unwrap().into_inner();
    assert_eq!(from_status(&replies.message().await.unwrap_err()).code, Code::InvalidArgument);
}

#[tokio::test]
async fn fields_that_cannot_be_are_named() {
    let order = || open(&sources());
    let long = "x".repeat(64 * 1024 + 1);
    let cases = [
        (wire::Open { policy: "harsh".into(), ..order() }, Code::InvalidArgument, "policy"),
        (wire::Open { query_type: 0, ..order() }, Code::InvalidArgument, "open.query_type"),
        (wire::Open { context_relevance: Some(2.0), ..order() }, Code::InvalidArgument, "context_relevance"),
        (wire::Open { extra_context: long, ..order() }, Code::PayloadTooLarge, "extra_context"),
        (
            wire::Open { sources: list_to_wire(&vec![sources().remove(0); 1001]), ..order() },
            Code::PayloadTooLarge,
            "validation.sources",
        ),
    ];
    for (order, code, field) in cases {
        let failure = refused(vec![Part::Open(order), finish()]).await;
        assert_eq!((failure.code, failure.field.as_str()), (code, field));
    }
}

#[tokio::test]
async fn answer_over_the_limit_is_refused_and_at_it_allowed() {
    let bench = start(Options { answer_bytes: 64, ..plain() }, None, None).await;
    let exact = vec![Part::Open(open(&sources())), text(&"x".repeat(60)), text("yyyy"), finish()];
    assert!(bench.send(exact).await.is_ok());
    let over = vec![Part::Open(open(&sources())), text(&"x".repeat(60)), text("yyyyy"), finish()];
    let failure = from_status(&bench.send(over).await.err().unwrap());
    assert_eq!((failure.code, failure.field.as_str()), (Code::PayloadTooLarge, "validation.answer_bytes"));
}

// === Time, and many at once ===

#[tokio::test]
async fn vanished_caller_stops_the_call_to_the_parser() {
    let parser = Parser::new(Mode::Slow);
    let options = Options { parser_timeout: 60.0, ..plain() };
    let bench = start(options, Some(parser.clone()), None).await;
    let parts = vec![Part::Open(code()), text(PROGRAM), finish()];
    let messages = futures::stream::iter(parts.into_iter().map(message));
    let replies = bench.client.clone().check(context().request(messages)).await.unwrap();
    parser.begun.notified().await;
    drop(replies);
    parser.dropped.notified().await;
}

#[tokio::test]
async fn a_check_ends_with_its_deadline() {
    let bench = bench(None).await;
    let short = Context::new(Identity::local(), Duration::from_millis(40));
    let (sender, receiver) = tokio::sync::mpsc::channel(8);
    sender.send(message(Part::Open(open(&sources())))).await.unwrap();
    let ended = match bench.client.clone().check(short.request(ReceiverStream::new(receiver))).await {
        Ok(replies) => replies.into_inner().message().await.unwrap_err(),
        Err(status) => status,
    };
    assert_eq!(from_status(&ended).code, Code::DeadlineExceeded);
    drop(sender);
}

#[tokio::test]
async fn a_call_without_an_identity_is_refused() {
    let bench = bench(None).await;
    let status = bench.client.clone().check(futures::stream::iter([])).await.unwrap_err();
    assert_eq!(from_status(&status).code, Code::Unauthenticated);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fifty_checks_at_once_each_get_their_own_report() {
    let parser = Parser::new(Mode::Up);
    let bench = bench(Some(parser.clone())).await;
    let checks = (0..50).map(|n| {
        let bench = &bench;
        async move {
            let mut given = sources();
            given.push(Source::given("code", SourceKind::Doc, format!("Write `addVar(x, {n})`."), 1));
            let order = wire::Open { segments: n % 2 == 0, ..open(&given) };
            let answer = format!("{GOOD}\n\n```avap\naddVar(x, {n})\n```\n");
            let answered = bench.check(order, &answer).await;
            (n, answered.report())
        }
    });
    for (n, report) in futures::future::join_all(checks).await {
        assert_eq!(report.verdict, Verdict::Pass);
        assert_eq!(report.blocks[0].block.code.trim(), format!("addVar(x, {n})"));
    }
    assert_eq!(parser.calls(), 50);
}

// === Relevance ===

#[tokio::test]
async fn relevance_tells_sources_that_answer_from_those_that_do_not() {
    let bench = bench(None).await;
    let ask = async |question: &str| {
        let request =
            wire::AssessRelevanceRequest { question: question.into(), sources: list_to_wire(&sources()) };
        bench.client.clone().assess_relevance(context().request(request)).await
    };
    let near = ask("Which files does the importer read from the inbox folder?").await.unwrap().into_inner();
    let far = ask("Who painted the ceiling of the chapel?").await.unwrap().into_inner();
    assert!(near.probability > far.probability, "{near:?} {far:?}");
    assert!(near.relevant);
    let failure = from_status(&ask(" ").await.unwrap_err());
    assert_eq!((failure.code, failure.field.as_str()), (Code::InvalidArgument, "question"));
}

fn next(attempt: Attempt) -> Part {
    Part::Next(wire::Next { attempt: attempt.to_wire() })
}

fn finish_for_more() -> Part {
    Part::Finish(wire::Finish { more: true })
}

/// Terms that ask for the relevance of the sources.
fn assessing() -> wire::Open {
    let question = "Which files does the importer read from the inbox folder?".to_owned();
    wire::Open { question, assess_relevance: true, context_relevance: None, ..open(&sources()) }
}

#[tokio::test]
async fn one_check_says_relevance_and_judges_several_drafts() {
    let bench = bench(None).await;
    let request =
        wire::AssessRelevanceRequest { question: assessing().question, sources: list_to_wire(&sources()) };
    let alone = bench.client.clone().assess_relevance(context().request(request)).await.unwrap();
    let bad = "The importer reads CSV files from the inbox folder [^9].";
    let parts = |attempt, answer| [next(attempt), text(answer), finish_for_more()];
    let first = bench.send([vec![Part::Open(assessing())], parts(Attempt::First, bad).to_vec()].concat());
    let first = first.await.unwrap();
    assert_eq!(first.relevance, Some(alone.into_inner()));
    assert_eq!(first.report().verdict, Verdict::Reject);
    let both = [parts(Attempt::First, bad), parts(Attempt::Retry, GOOD)].concat();
    let both = bench.send([vec![Part::Open(assessing())], both].concat()).await.unwrap();
    let one = bench.send(vec![Part::Open(assessing()), next(Attempt::Retry), text(GOOD), finish()]);
    assert_eq!(both.report(), one.await.unwrap().report(), "the second is judged as if it were alone");
    assert_eq!(both.report().verdict, Verdict::Pass);
}

#[tokio::test]
async fn the_editor_of_a_caller_does_not_make_sources_relevant() {
    let bench = bench(None).await;
    let mut editor = doc("editor", &assessing().question);
    editor.kind = SourceKind::Editor;
    let far = doc("docs/far.md", "Chapels have ceilings.");
    let over = async |sources: &[Source]| {
        let open = wire::Open { sources: list_to_wire(sources), ..assessing() };
        bench.send(vec![Part::Open(open), text(GOOD), finish()]).await.unwrap().relevance.unwrap()
    };
    let alone = over(std::slice::from_ref(&far)).await;
    let found = Source { kind: SourceKind::Doc, ..editor.clone() };
    assert!(over(&[far.clone(), found]).await.probability > alone.probability);
    assert_eq!(over(&[far, editor]).await, alone);
}

#[tokio::test]
async fn drafts_of_a_check_come_one_after_the_other() {
    let bench = bench(None).await;
    let opened = || Part::Open(open(&sources()));
    for parts in [
        vec![opened(), text("One"), next(Attempt::Retry)],
        vec![opened(), text("One."), finish_for_more(), text("Two.")],
        vec![opened(), text("One."), finish_for_more(), finish()],
        vec![Part::Open(wire::Open { question: " ".into(), ..assessing() })],
    ] {
        let failure = from_status(&bench.send(parts).await.err().unwrap());
        assert_eq!(failure.code, Code::InvalidArgument, "{failure}");
    }
}

#[tokio::test]
async fn judged_draft_frees_its_text() {
    let answer = "It works. ".repeat(50);
    let options = Options { answer_bytes: 600, source_bytes: 100, open_bytes: 1_400, ..plain() };
    let bench = start(options, None, None).await;
    let draft = || [next(Attempt::First), text(&answer), finish_for_more()];
    let parts = [vec![Part::Open(open(&[doc("a.md", "It works.")]))], [draft(), draft(), draft()].concat()];
    assert!(bench.send(parts.concat()).await.unwrap().done.is_some());
}

#[tokio::test]
async fn a_service_drains() {
    let mut bench = bench(Some(Parser::new(Mode::Up))).await;
    bench.check(open(&sources()), GOOD).await;
    for running in bench.running.drain(..).rev() {
        running.drain().await;
    }
}
