//! The page of the HTTP API says what the code says: routes, roles, fields, names, limits, status codes and examples.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod scripted;

use std::collections::BTreeSet;

use assay_api as api;
use assay_domain::answer::{EventBody, Rejection};
use assay_domain::code::{Category, ParsedBlock};
use assay_domain::draft::{PromptId, ProviderCall};
use assay_domain::question::limits;
use assay_domain::record::{RecordedAttempt, RecordedCitation, RecordedValidation};
use assay_domain::report::{Finding, ModelUse, Report, Span};
use assay_domain::{
    Answer, AnswerEvent, Block, BlockStatus, Code, Diagnostic, Failure, Identity, Mode, Named as _,
    QueryType, Record, Severity,
};
use assay_gateway::Options;
use assay_gateway::body::Ask;
use assay_proto::audit::Receipt;
use assay_proto::retrieval::{LintCollectionResponse, LintFinding, Manifest};
use serde_json::{Value, json};

const PAGE: &str = include_str!("../../../docs/http-api.md");
const IDENTITY: &str = include_str!("../../../docs/identity.md");
/// The files that register routes.
const SOURCES: [&str; 10] = [
    include_str!("../src/routes.rs"),
    include_str!("../src/console/mod.rs"),
    include_str!("../src/library.rs"),
    include_str!("../src/receipts.rs"),
    include_str!("../src/runs.rs"),
    include_str!("../src/sign_in.rs"),
    include_str!("../src/who.rs"),
    include_str!("../src/checks.rs"),
    include_str!("../src/reviews.rs"),
    include_str!("../src/compat/mod.rs"),
];
/// The fields of a span, which other objects hold in place.
const SPAN: [&str; 6] = ["byte_start", "byte_end", "utf16_start", "utf16_end", "char_start", "char_end"];

/// What stands between a heading and the next one.
fn section(heading: &str) -> &'static str {
    let (_, rest) =
        PAGE.split_once(&format!("\n{heading}\n")).unwrap_or_else(|| panic!("the page lacks {heading}"));
    rest.split("\n#").next().unwrap_or_default()
}

/// The first column of the table below a heading.
fn fields(heading: &str) -> Vec<String> {
    let mut fields = Vec::new();
    for line in section(heading).lines() {
        if line.starts_with("| [Span](#span) |") {
            fields.extend(SPAN.map(str::to_owned));
        } else if let Some(rest) = line.strip_prefix("| `") {
            fields.push(rest.split('`').next().unwrap_or_default().to_owned());
        }
    }
    fields
}

/// The row of a field in the table below a heading.
fn row(heading: &str, field: &str) -> &'static str {
    let start = format!("| `{field}` |");
    let found = section(heading).lines().find(|line| line.starts_with(&start));
    found.unwrap_or_else(|| panic!("{heading} lacks a row of {field}"))
}

fn keys(value: &Value) -> Vec<String> {
    value.as_object().unwrap().keys().cloned().collect()
}

/// An answer that has something in every object.
fn whole() -> Answer {
    let finding =
        Finding { kind: "identifiers".into(), detail: "unknown".into(), span: Some(Span::default()) };
    let diagnostic = Diagnostic {
        line: 1,
        column: 1,
        end_column: 2,
        severity: Severity::Error,
        category: Category::SyntaxError,
        code: "AVAP001".into(),
        message: "wrong".into(),
        suggestion: None,
        help: Some("more".into()),
    };
    let block = ParsedBlock {
        block: Block {
            index: 0,
            language: "avap".into(),
            declared: true,
            code: "x".into(),
            byte_start: 0,
            byte_end: 1,
            first_line: 1,
        },
        status: BlockStatus::Invalid,
        diagnostics: vec![diagnostic],
    };
    let rejection = Rejection {
        reason: "nothing supports it".into(),
        suggestion: "ask again".into(),
        partial_response: String::new(),
        searched: Vec::new(),
        errors: vec![finding.clone()],
        warnings: vec![finding],
    };
    Answer {
        report: Some(Report { blocks: vec![block], ..scripted::report() }),
        rejection: Some(rejection),
        failure: Some(Failure::new(Code::Internal, "broken").field("part")),
        ..scripted::answer()
    }
}

/// A record that has something in every object.
fn record() -> Record {
    let model = ModelUse {
        kind: "entailment".into(),
        name: "small".into(),
        sha256: String::new(),
        fitted: true,
        asked: 1,
        answered: 1,
    };
    let citation = RecordedCitation {
        claim: "x".into(),
        source: "a.md".into(),
        line_range: "1-2".into(),
        sha256: String::new(),
        validation_status: "VALID".into(),
        semantic_score: None,
    };
    let attempt = RecordedAttempt {
        number: 1,
        verdict: None,
        defects: Vec::new(),
        text_sha256: String::new(),
        delivered: true,
    };
    let validation = RecordedValidation {
        status: None,
        citations_validated: 0,
        citations_failed: 0,
        hallucinations_detected: 0,
        confidence_score: None,
        checks: scripted::report().checks,
        models: vec![model],
        policy: "balanced".into(),
    };
    let answer = scripted::answer();
    Record {
        query: String::new(),
        route: Some(answer.route),
        validation: Some(validation),
        citations: vec![citation],
        attempts: vec![attempt],
        prompts: vec![PromptId { id: "answer/3".into(), sha256: String::new() }],
        provider_trail: vec![ProviderCall { model: "a:b".into(), outcome: "ok".into(), elapsed_ms: 1 }],
        grounding: answer.grounding,
        ..Record::new(answer.audit_id, 0, Identity::local(), answer.outcome)
    }
}

/// Every kind of event of a stream, with the answer and the sources of the scripts.
fn events() -> Vec<(&'static str, Value)> {
    let answer = scripted::answer();
    let routed = EventBody::Routed { route: answer.route.clone(), audit_id: answer.audit_id };
    [
        (0, routed),
        (1, EventBody::Sources(vec![scripted::hit()])),
        (1, EventBody::Segment(answer.text.clone())),
        (1, EventBody::Retracted),
        (1, EventBody::Settled(Box::new(answer))),
        (1, EventBody::Failed(Failure::new(Code::Internal, "broken").field("part"))),
    ]
    .into_iter()
    .map(|(attempt, body)| api::Event::new(&AnswerEvent { sequence: 0, attempt, body }, "job-7").parts())
    .collect()
}

/// The routes that a source text registers, as `METHOD path`.
fn registered(source: &str) -> BTreeSet<String> {
    source
        .split(".route(")
        .skip(1)
        .map(|call| {
            let (_, rest) = call.split_once('"').unwrap();
            let (path, rest) = rest.split_once('"').unwrap();
            let method = rest.split('(').next().unwrap_or_default();
            let method = method.trim_matches(|letter: char| !letter.is_ascii_alphabetic());
            format!("{} {path}", method.to_ascii_uppercase())
        })
        .collect()
}

#[test]
fn the_page_lists_every_registered_route_and_no_other() {
    let known: BTreeSet<String> = SOURCES.into_iter().flat_map(registered).collect();
    assert!(known.contains("POST /v1/ask") && known.contains("GET /v1/models/{*id}"), "{known:?}");
    let shown: BTreeSet<String> = fields("## Routes").into_iter().collect();
    assert_eq!(shown, known);
}

#[test]
fn every_route_has_the_roles_of_the_identity_page() {
    let rows = |text: &'static str| -> Vec<(&str, &str)> {
        text.lines()
            .filter(|line| line.starts_with("| `GET /") || line.starts_with("| `POST /"))
            .map(|line| {
                let mut cells = line.split(" | ");
                let (route, roles) = (cells.next().unwrap_or_default(), cells.next().unwrap_or_default());
                (route, roles.trim_end_matches(" |"))
            })
            .collect()
    };
    assert_eq!(rows(section("## Routes")), rows(IDENTITY));
}

#[test]
fn every_table_has_the_keys_of_its_object_in_order() {
    let answer = json!(api::Answer::from(&whole()));
    let (report, validation) = (&answer, &answer["rejection"]["validation"]);
    let record = json!(api::Record::from(&record()));
    let recorded = &record["validation_result"];
    let receipt =
        json!(api::Receipt::from(&Receipt { leaf_index: 4, leaf_hash: "ff".into(), stored_unix_ms: 1_000 }));
    let manifest = json!(api::Manifest::from(&Manifest::default()));
    let linted = LintCollectionResponse { findings: vec![LintFinding::default()], ..Default::default() };
    let linted = json!(api::LintReport::from(&linted));
    let hit = json!(api::Hit::from(&scripted::hit()));
    for (heading, object) in [
        ("### Answer", &answer),
        ("### Route", &answer["route"]),
        ("### Source", &answer["sources"][0]),
        ("### Legs", &answer["sources"][0]["ranks"]),
        ("### Legs", &answer["sources"][0]["scores"]),
        ("### Citation", &report["citations"][0]),
        ("### Check", &report["checks"][0]),
        ("### Claim", &report["claims"][0]),
        ("### Evidence", &report["claims"][0]["evidence"][0]),
        ("### Defect", &report["defects"][0]),
        ("### Code block", &report["code"][0]),
        ("### Diagnostic", &report["code"][0]["diagnostics"][0]),
        ("### Audit", &answer["audit"]),
        ("### Timing", &answer["timing_ms"]),
        ("### Usage", &answer["usage"]),
        ("### Rejection", &answer["rejection"]),
        ("### Validation", validation),
        ("### Finding", &validation["warnings"][0]),
        ("### Span", &validation["warnings"][0]["span"]),
        ("### Failure", &answer["failure"]),
        ("### Hit", &hit),
        ("### Manifest", &manifest),
        ("### Lint", &manifest["lint"]),
        ("### Lint report", &linted),
        ("### Lint finding", &linted["findings"][0]),
        ("### Receipt", &receipt),
        ("### Recorded validation", recorded),
        ("### Check", &recorded["checks"][0]),
        ("### Model use", &recorded["models"][0]),
        ("### Recorded citation", &record["citations"][0]),
        ("### Recorded attempt", &record["attempts"][0]),
        ("### Prompt", &record["prompt_ids"][0]),
        ("### Provider call", &record["provider_trail"][0]),
    ] {
        assert_eq!(fields(heading), keys(object), "{heading}");
    }
    let mut stored = keys(&record);
    stored.extend(["receipt".to_owned(), "payload_erased".to_owned(), "notes".to_owned()]);
    assert_eq!(fields("### Record"), stored);
}

#[test]
fn the_request_has_the_fields_that_are_read() {
    let failure = Ask::parse(br#"{"query":"q","unknown":1}"#).unwrap_err();
    let (_, known) = failure.message.split_once("there are ").unwrap();
    assert_eq!(fields("### Request"), known.split(", ").collect::<Vec<_>>());
    for (field, limit) in [
        ("query", limits::QUERY_CHARS),
        ("extra_context", limits::EXTRA_CONTEXT_BYTES),
        ("editor_content", limits::EDITOR_BYTES),
        ("selected_text", limits::EDITOR_BYTES),
    ] {
        assert!(row("### Request", field).contains(&limit.to_string()), "{field} {limit}");
    }
}

#[test]
fn every_event_and_problem_has_its_fields() {
    let events = events();
    let names: Vec<&str> = events.iter().map(|(name, _)| *name).collect();
    assert_eq!(fields("### Events"), names);
    for (name, data) in events.iter().filter(|(name, _)| !["settled", "failed"].contains(name)) {
        let listed = format!("| `{name}` | `{}` |", keys(data).join("`, `"));
        assert!(row("### Events", name).starts_with(&listed), "{listed}");
    }
    let (_, failed) = events.last().unwrap();
    let mut problem = fields("### Problem");
    problem.retain(|field| field != "audit_id");
    problem.insert(0, "attempt".to_owned());
    assert_eq!(problem, keys(failed));
}

#[test]
fn every_named_value_stands_in_its_row() {
    for (field, names) in [("query_type", QueryType::NAMES), ("mode", Mode::NAMES)] {
        let row = row("### Request", field);
        for name in names {
            assert!(row.contains(&format!("`{name}`")), "the row of {field} lacks {name}");
        }
    }
}

#[test]
fn every_code_stands_at_its_status() {
    let table = section("### Status codes");
    for known in assay_wire::error::table() {
        let start = format!("| {} |", known.http);
        let link = format!("[`{0}`](errors/{0}.md)", known.code);
        let mut lines = table.lines().filter(|line| line.starts_with(&start));
        assert!(lines.any(|line| line.contains(&link)), "{start} lacks {link}");
    }
}

#[test]
fn every_limit_has_its_default() {
    let options = Options::default();
    for (setting, value) in [
        ("head_bytes", options.head_bytes.to_string()),
        ("header_read_seconds", options.header_read_seconds.to_string()),
        ("body_bytes", options.body_bytes.to_string()),
        ("body_read_seconds", options.body_read_seconds.to_string()),
        ("request_seconds", options.request_seconds.to_string()),
        ("keep_alive_seconds", options.keep_alive_seconds.to_string()),
        ("concurrent_requests", options.concurrent_requests.to_string()),
        ("rates.requests_per_minute", options.rates.requests_per_minute.to_string()),
        ("rates.burst", options.rates.burst.to_string()),
        ("rates.concurrent_asks", options.rates.concurrent_asks.to_string()),
    ] {
        let start = format!("| `{setting}` | {value} |");
        assert!(row("## Limits", setting).starts_with(&start), "{start}");
    }
}

/// Everything that the example shows is in the object, at the same place with the same value.
fn shown(example: &Value, object: &Value, place: &str) {
    match (example, object) {
        (Value::Object(example), Value::Object(object)) => {
            for (key, value) in example {
                let known = object.get(key).unwrap_or_else(|| panic!("{place}.{key} does not exist"));
                shown(value, known, &format!("{place}.{key}"));
            }
        }
        (Value::Array(example), Value::Array(object)) => {
            assert_eq!(example.len(), object.len(), "{place}");
            for (value, known) in example.iter().zip(object) {
                shown(value, known, place);
            }
        }
        _ => assert_eq!(example, object, "{place}"),
    }
}

#[test]
fn the_examples_show_what_the_scripts_answer() {
    let (_, rest) = section("### Whole answer").split_once("```json\n").unwrap();
    let example: Value = serde_json::from_str(rest.split("```").next().unwrap_or_default()).unwrap();
    shown(&example, &json!(api::Answer::from(&scripted::answer())), "answer");

    let events = events();
    let mut seen = Vec::new();
    for line in section("### Stream").lines() {
        if let Some(name) = line.strip_prefix("event: ") {
            seen.push(name);
        } else if let Some(data) = line.strip_prefix("data: ") {
            let name = *seen.last().unwrap();
            let (_, known) = events.iter().find(|(known, _)| *known == name).unwrap();
            shown(&serde_json::from_str(data).unwrap(), known, name);
        }
    }
    assert_eq!(seen, ["routed", "sources", "segment", "settled"]);
}

#[test]
fn every_link_inside_the_page_leads_to_a_heading() {
    let anchor = |heading: &str| -> String {
        let letters = heading.trim_start_matches('#').trim().chars();
        letters
            .filter(|letter| letter.is_alphanumeric() || [' ', '-', '_'].contains(letter))
            .map(|letter| if letter == ' ' { '-' } else { letter.to_ascii_lowercase() })
            .collect()
    };
    let headings: BTreeSet<String> = PAGE.lines().filter(|line| line.starts_with('#')).map(anchor).collect();
    for link in PAGE.split("](#").skip(1) {
        let link = link.split(')').next().unwrap_or_default();
        assert!(headings.contains(link), "no heading has the anchor {link}");
    }
}
