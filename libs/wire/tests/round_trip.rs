//! Every shared message keeps every field on its way to the wire and back, also through its encoded bytes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fmt::Debug;

use assay_domain::answer::{EventBody, Grounding, Layer, Outcome, Rejection, Timing, TokenUsage};
use assay_domain::code::{
    Block, BlockStatus, Category, CodeStatus, Diagnostic, ParsedBlock, Severity, ValidationStatus,
};
use assay_domain::draft::{Draft, Finish, Generator, PromptId, ProviderCall};
use assay_domain::evidence::{LegRank, LineRange, SourceKind};
use assay_domain::question::{HistoryEntry, Mode, PriorTurn};
use assay_domain::record::{Record, RecordedAttempt, RecordedCitation, RecordedValidation};
use assay_domain::report::{
    Check, CheckName, CheckStatus, Citation, CitationOrigin, Claim, ClaimKind, ClaimStatus, Defect,
    DefectKind, Evidence, Finding, ModelUse, Report, Resolution, Span, Verdict,
};
use assay_domain::{
    Answer, AnswerEvent, AuditId, AuditState, Code, Failure, Hit, Identity, QueryType, Question, RequestId,
    Route, SessionId, Source,
};
use assay_proto::{audit, common, router};
use assay_wire::{FromWire, ToWire, WireEnum, from_peer};
use proptest::prelude::*;
use prost::Message;

/// Through the message and through its bytes.
fn survives<T>(value: &T)
where
    T: ToWire + FromWire<<T as ToWire>::Wire> + PartialEq + Debug,
    T::Wire: Message + Default,
{
    let bytes = value.to_wire().encode_to_vec();
    let wire = T::Wire::decode(bytes.as_slice()).unwrap();
    assert_eq!(&T::from_wire(wire).unwrap(), value);
}

fn span(start: usize) -> Span {
    Span {
        byte_start: start,
        byte_end: start + 7,
        utf16_start: start + 1,
        utf16_end: start + 5,
        char_start: start + 2,
        char_end: start + 4,
    }
}

fn source(kind: SourceKind) -> Source {
    Source {
        id: "avap/loops.md#3".into(),
        kind,
        path: "avap/loops.md".into(),
        lines: LineRange::new(12, 31),
        title: "Loops".into(),
        headings: vec!["Guide".into(), "Bucles — ñ".into()],
        anchor: "bucles--ñ".into(),
        text: "startLoop(i, 1, 10)\n".into(),
        sha256: "ab".repeat(32),
        file_sha256: "cd".repeat(32),
        commit: "0123abc".into(),
        language: "es".into(),
    }
}

fn hit() -> Hit {
    Hit {
        source: source(SourceKind::Doc),
        score: 0.031_25,
        bm25: Some(LegRank { rank: 1, score: 12.5 }),
        knn: None,
    }
}

fn block(status: BlockStatus) -> ParsedBlock {
    ParsedBlock {
        block: Block {
            index: 2,
            language: "avap".into(),
            declared: true,
            code: "x = 1\n".into(),
            byte_start: 10,
            byte_end: 40,
            first_line: 3,
        },
        status,
        diagnostics: vec![Diagnostic {
            line: 1,
            column: 2,
            end_column: 9,
            severity: Severity::Warning,
            category: Category::ForeignKeyword,
            code: "AVAP012".into(),
            message: "`while` is a word of another language".into(),
            suggestion: Some("startLoop".into()),
            help: None,
        }],
    }
}

fn finding() -> Finding {
    Finding { kind: "claim_support".into(), detail: "no source says it".into(), span: Some(span(3)) }
}

fn used() -> ModelUse {
    let (kind, name) = ("entailment".into(), "small".into());
    ModelUse { kind, name, sha256: "ab".into(), fitted: true, asked: 3, answered: 2 }
}

fn report() -> Report {
    Report {
        verdict: Verdict::Review,
        support: Some(0.75),
        checks: CheckName::ALL
            .iter()
            .zip(CheckStatus::ALL.iter().cycle())
            .map(|(name, status)| Check {
                name: *name,
                status: *status,
                reason: "why".into(),
                required: true,
            })
            .collect(),
        claims: vec![Claim {
            text: "A loop has a counter.".into(),
            span: span(0),
            kind: ClaimKind::Factual,
            status: ClaimStatus::SupportedElsewhere,
            support: Some(0.5),
            citations: vec![0, 4],
            evidence: vec![Evidence { source: 1, lines: LineRange::new(14, 15), text: "counter".into() }],
            reason: "other lines".into(),
            decided_by: "rule number".into(),
        }],
        citations: vec![Citation {
            marker: 1,
            text: "[^1:14]".into(),
            span: span(21),
            lines: Some(LineRange::new(14, 14)),
            in_range: true,
            claim: Some(0),
            origin: CitationOrigin::Attached,
            resolution: Resolution::Moved,
        }],
        defects: vec![Defect {
            kind: DefectKind::UnclosedHtml,
            span: span(30),
            detail: "never closes".into(),
        }],
        blocks: vec![
            block(BlockStatus::Valid),
            block(BlockStatus::Invalid),
            block(BlockStatus::WrongLanguage("go".into())),
            block(BlockStatus::NoGrammar),
            block(BlockStatus::Plain),
            block(BlockStatus::Unavailable("timeout".into())),
        ],
        context_relevance: None,
        errors: vec![finding()],
        warnings: vec![Finding { span: None, ..finding() }],
        text: "A loop has a counter. [^1:14]".into(),
        partial_response: "partial".into(),
        retry_prompt: "retry".into(),
        suggestion: "ask again".into(),
        models: vec![used()],
    }
}

fn route() -> Route {
    Route {
        query_type: QueryType::CodeGeneration,
        layer: Layer::Classifier,
        probability: 0.93,
        accepted: true,
        reason: "sounds like code".into(),
    }
}

fn audit_id() -> AuditId {
    AuditId::from_parts(1_790_000_000_123, [9; 10])
}

fn answer(code_status: CodeStatus) -> Answer {
    Answer {
        audit_id: audit_id(),
        outcome: Outcome::Rejected,
        text: "text".into(),
        route: route(),
        sources: vec![hit(), Hit { bm25: None, knn: Some(LegRank { rank: 3, score: 0.4 }), ..hit() }],
        report: Some(report()),
        verdict: Some(Verdict::Reject),
        validation_status: ValidationStatus::InvalidUnresolved,
        code_status,
        context_relevant: Some(false),
        attempts: 2,
        audit: AuditState::Queued,
        timing: Timing { total_ms: 5.5, route_ms: 1.0, search_ms: 2.0, draft_ms: 1.5, check_ms: 0.5 },
        generator: Some(Generator::Fixed),
        model: "extractive/1".into(),
        grounding: Grounding::CallerContext,
        index_manifest: "ef".repeat(32),
        warnings: vec!["a warning".into()],
        rejection: Some(Rejection {
            reason: "why".into(),
            suggestion: "what".into(),
            partial_response: "some".into(),
            searched: vec!["a.md".into()],
            errors: vec![finding()],
            warnings: vec![finding()],
        }),
        failure: Some(Failure::new(Code::SearchUnavailable, "down").field("x")),
        usage: Some(TokenUsage { prompt_tokens: 812, completion_tokens: 64 }),
        examples: 5,
    }
}

fn draft() -> Draft {
    Draft {
        text: "text [^1]".into(),
        generator: Generator::Model,
        model: "ollama:qwen3".into(),
        finish: Finish::Length,
        prompts: vec![PromptId { id: "answer/3".into(), sha256: "aa".repeat(32) }],
        provider_trail: vec![ProviderCall { model: "m".into(), outcome: "ok".into(), elapsed_ms: 12 }],
        model_calls: 1,
        temperature: Some(0.0),
        seed: Some(9_007_199_254_740_991),
        prompt_tokens: Some(100),
        completion_tokens: None,
        warnings: vec!["injection phrase seen".into()],
    }
}

fn record() -> Record {
    Record {
        audit_id: audit_id(),
        unix_ms: 1_790_000_000_123,
        identity: Identity { principal: "p".into(), tenant: "t".into(), roles: vec![] },
        session_id: "s".into(),
        request_id: "r".into(),
        response_id: "job-7".into(),
        query: "q".into(),
        answer_sha256: "aa".into(),
        answer: "a".into(),
        outcome: Outcome::Abstained,
        route: Some(route()),
        validation: Some(RecordedValidation {
            policy: "balanced".into(),
            status: Some(Verdict::Pass),
            citations_validated: 3,
            citations_failed: 1,
            hallucinations_detected: 2,
            confidence_score: Some(0.9),
            checks: report().checks,
            models: vec![used()],
        }),
        citations: vec![RecordedCitation {
            claim: "c".into(),
            source: "a.md".into(),
            line_range: "45-120".into(),
            sha256: "bb".into(),
            validation_status: "FLAGGED".into(),
            semantic_score: Some(0.3),
        }],
        attempts: vec![RecordedAttempt {
            number: 1,
            verdict: None,
            defects: vec!["numbers".into()],
            text_sha256: "cc".into(),
            delivered: true,
        }],
        processing_ms: 100.5,
        validation_ms: 3.25,
        model_version: "m".into(),
        model_calls: 2,
        prompts: draft().prompts,
        provider_trail: draft().provider_trail,
        index_manifest: "i".into(),
        parser_version: "0.1.0".into(),
        mode: Mode::Lenient,
        grounding: Grounding::Session,
        temperature: Some(0.0),
        seed: Some(1),
        context_relevant_first: Some(false),
        context_relevant: Some(true),
        retry_skipped: "deadline".into(),
        platform_prefixes_sha256: "dd".into(),
        errors: vec!["unavailable".into()],
        warnings: vec!["w".into()],
    }
}

#[test]
fn questions_and_history_survive() {
    let mut question = Question::new("how?");
    survives(&question);
    question.declared_type = Some(QueryType::Platform);
    question.session = SessionId::parse("tab-1");
    question.request_id = RequestId::parse("6f9619ff-8b86-4011-b42d-00c04fc964ff");
    question.mode = Mode::Lenient;
    question.collection = "docs".into();
    question.editor_content = "e".into();
    question.selected_text = "s".into();
    question.extra_context = "x".into();
    question.prior = vec![PriorTurn { question: "what?".into(), answer: "that".into() }];
    survives(&question);
    survives(&HistoryEntry { query_type: QueryType::Conversational, topic: "loops".into() });
}

#[test]
fn evidence_and_drafts_survive() {
    for kind in SourceKind::ALL {
        survives(&source(*kind));
    }
    survives(&hit());
    survives(&draft());
}

#[test]
fn reports_survive() {
    survives(&report());
    survives(&Report { support: None, context_relevance: Some(0.0), ..report() });
}

#[test]
fn answers_survive_with_every_code_status_outcome_and_absence() {
    for status in [
        CodeStatus::NotApplicable,
        CodeStatus::Valid,
        CodeStatus::Invalid,
        CodeStatus::InvalidUnverifiedRetry,
        CodeStatus::Unavailable("timeout".into()),
        CodeStatus::Disabled,
    ] {
        survives(&answer(status));
    }
    survives(&Answer {
        report: None,
        verdict: None,
        context_relevant: None,
        generator: None,
        rejection: None,
        failure: None,
        ..answer(CodeStatus::Valid)
    });
}

#[test]
fn events_survive() {
    for body in [
        EventBody::Routed { route: route(), audit_id: audit_id() },
        EventBody::Sources(vec![hit()]),
        EventBody::Segment("A loop. [^1]\n\n".into()),
        EventBody::Retracted,
        EventBody::Settled(Box::new(answer(CodeStatus::Valid))),
        EventBody::Failed(Failure::new(Code::DeadlineExceeded, "late")),
    ] {
        survives(&AnswerEvent { sequence: 4, attempt: 1, body });
    }
}

#[test]
fn records_survive() {
    survives(&record());
    survives(&Record { route: None, validation: None, seed: None, context_relevant: None, ..record() });
}

#[test]
fn what_cannot_be_read_names_its_field() {
    let field = |failure: Failure| {
        assert_eq!(failure.code, Code::InvalidArgument);
        failure.field
    };
    let mut wire = answer(CodeStatus::Valid).to_wire();
    wire.sources[1].source.as_mut().unwrap().kind = 0;
    assert_eq!(field(Answer::from_wire(wire).unwrap_err()), "sources[1].source.kind");

    let mut wire = answer(CodeStatus::Valid).to_wire();
    wire.report.as_mut().unwrap().citations[0].span = None;
    assert_eq!(field(Answer::from_wire(wire).unwrap_err()), "report.citations[0].span");

    let wire = common::Question { text: "q".into(), declared_type: 77, ..Default::default() };
    assert_eq!(field(Question::from_wire(wire).unwrap_err()), "declared_type");
    let wire = common::Question { request_id: "no".into(), ..Default::default() };
    assert_eq!(field(Question::from_wire(wire).unwrap_err()), "request_id");
    let wire = common::Question { session_id: "a\u{0}b".into(), ..Default::default() };
    assert_eq!(field(Question::from_wire(wire).unwrap_err()), "session_id");

    let wire = audit::Record { audit_id: "x".into(), ..Default::default() };
    assert_eq!(field(Record::from_wire(wire).unwrap_err()), "audit_id");
    let wire = router::AskStreamResponse::default();
    assert_eq!(field(AnswerEvent::from_wire(wire).unwrap_err()), "event");
}

#[test]
fn a_damaged_reply_is_no_fault_of_the_caller() {
    let failure = from_peer::<Answer, _>(common::Answer::default()).unwrap_err();
    assert_eq!(failure.code, Code::Internal);
    assert!(failure.message.contains("audit_id"), "{}", failure.message);
}

#[test]
fn unknown_check_becomes_a_warning_and_no_pass() {
    let mut wire = report().to_wire();
    wire.checks.push(common::Check { name: 77, status: CheckStatus::Passed.number(), ..Default::default() });
    let read = Report::from_wire(wire).unwrap();
    assert_eq!(read.checks.len(), CheckName::ALL.len());
    let last = read.warnings.last().unwrap();
    assert_eq!(last.kind, "unknown_check");
    assert!(last.detail.contains("77"));
}

#[test]
fn pass_with_an_open_required_check_reads_as_review() {
    let passed = |status: i32, name: i32, required: bool| {
        let mut wire = report().to_wire();
        wire.verdict = Verdict::Pass.number();
        wire.checks = vec![
            common::Check {
                name: CheckName::ClaimSupport.number(),
                status: CheckStatus::Passed.number(),
                required: true,
                ..common::Check::default()
            },
            common::Check { name, status, required, ..common::Check::default() },
        ];
        Report::from_wire(wire).unwrap().verdict
    };
    let markup = CheckName::Markup.number();
    for (status, name, required, verdict) in [
        (CheckStatus::Passed.number(), markup, true, Verdict::Pass),
        (CheckStatus::NotChecked.number(), markup, true, Verdict::Review),
        (CheckStatus::NotChecked.number(), markup, false, Verdict::Pass),
        (0, markup, true, Verdict::Review),
        (99, markup, true, Verdict::Review),
        (CheckStatus::Failed.number(), markup, true, Verdict::Review),
        (CheckStatus::Passed.number(), 77, true, Verdict::Review),
        (CheckStatus::Passed.number(), 77, false, Verdict::Pass),
    ] {
        assert_eq!(passed(status, name, required), verdict, "{status} {name} {required}");
    }
}

#[test]
fn unknown_states_of_code_are_not_checked() {
    let mut wire = block(BlockStatus::Valid).to_wire();
    wire.state = 42;
    assert_eq!(ParsedBlock::from_wire(wire).unwrap().status, BlockStatus::Unavailable("unspecified".into()));
    let mut wire = answer(CodeStatus::Valid).to_wire();
    wire.code_state = 42;
    wire.verdict = 42;
    let read = Answer::from_wire(wire).unwrap();
    assert_eq!(read.code_status, CodeStatus::Unavailable("unspecified".into()));
    assert_eq!(read.verdict, Some(Verdict::Review));
}

fn spans() -> impl Strategy<Value = Span> {
    prop::array::uniform6(0usize..1 << 40).prop_map(|v| Span {
        byte_start: v[0],
        byte_end: v[1],
        utf16_start: v[2],
        utf16_end: v[3],
        char_start: v[4],
        char_end: v[5],
    })
}

fn pick<T: Copy + Debug + 'static>(all: &'static [T]) -> impl Strategy<Value = T> {
    prop::sample::select(all)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn any_citation_survives(
        marker in any::<u32>(), text in "\\PC{0,12}", span in spans(), first in any::<u32>(), last in any::<u32>(),
        narrowed in any::<bool>(), in_range in any::<bool>(), claim in any::<Option<u32>>(),
        origin in pick(CitationOrigin::ALL), resolution in pick(Resolution::ALL),
    ) {
        let lines = narrowed.then_some(LineRange::new(first, last));
        survives(&Citation { marker, text, span, lines, in_range, claim, origin, resolution });
    }

    #[test]
    fn any_claim_survives(
        text in "\\PC{0,40}", span in spans(), kind in pick(ClaimKind::ALL), status in pick(ClaimStatus::ALL),
        support in prop::option::of(0.0f64..=1.0), citations in prop::collection::vec(any::<u32>(), 0..5),
        reason in "\\PC{0,20}", decided_by in "\\PC{0,20}",
    ) {
        survives(&Claim { text, span, kind, status, support, citations, evidence: vec![], reason, decided_by });
    }

    #[test]
    fn no_bytes_make_decoding_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Ok(wire) = common::Answer::decode(bytes.as_slice()) {
            let _ = Answer::from_wire(wire);
        }
        if let Ok(wire) = common::Report::decode(bytes.as_slice()) {
            let _ = Report::from_wire(wire);
        }
        if let Ok(wire) = audit::Record::decode(bytes.as_slice()) {
            let _ = Record::from_wire(wire);
        }
    }
}
