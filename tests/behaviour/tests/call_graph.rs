//! The call graph in `docs/architecture.md` is the one that the services' specifications say.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fmt::Write as _;
use std::path::PathBuf;

use assay::system::SPECS;

const BEGIN: &str = "<!-- call graph: written by `make diagrams` -->\n";
const END: &str = "<!-- end of call graph -->";

fn graph() -> String {
    let mut text = String::from("```mermaid\nflowchart LR\n");
    let all: Vec<_> = std::iter::once(&assay_gateway::SPEC).chain(SPECS).collect();
    for spec in &all {
        for callee in spec.calls {
            writeln!(text, "  {} --> {callee}", spec.name).unwrap();
        }
    }
    text.push_str("```\n\n| service | port | calls | for |\n|---|---|---|---|\n");
    for spec in &all {
        let calls = if spec.calls.is_empty() { "nobody".to_owned() } else { spec.calls.join(", ") };
        writeln!(text, "| {} | {} | {calls} | {} |", spec.name, spec.port, spec.purpose).unwrap();
    }
    text
}

#[test]
fn the_documented_call_graph_is_the_specified_one() {
    let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/architecture.md"));
    let text = std::fs::read_to_string(&path).unwrap();
    let start = text.find(BEGIN).expect("the page marks where the graph begins") + BEGIN.len();
    let end = text.find(END).expect("the page marks where the graph ends");
    let fresh = format!("{}{}{}", &text[..start], graph(), &text[end..]);
    if std::env::vars_os().any(|(key, _)| key == "ASSAY_WRITE") {
        std::fs::write(&path, fresh).unwrap();
        return;
    }
    assert!(text == fresh, "docs/architecture.md has another call graph; run `make diagrams`");
}

#[test]
fn every_call_goes_to_a_known_service_and_never_back() {
    for spec in SPECS {
        for callee in spec.calls {
            let target = SPECS.iter().find(|s| s.name == *callee).expect("a known service");
            assert!(!target.calls.contains(&spec.name), "{} and {callee} call each other", spec.name);
        }
    }
}

/// Every specification.
fn all() -> Vec<&'static assay_rpc::ServiceSpec> {
    std::iter::once(&assay_gateway::SPEC).chain(SPECS).collect()
}

#[test]
fn a_service_believes_exactly_those_that_may_call_it() {
    for spec in all() {
        let mut callers: Vec<&str> =
            all().iter().filter(|other| other.calls.contains(&spec.name)).map(|other| other.name).collect();
        callers.sort_unstable();
        let mut believed = spec.callers.to_vec();
        believed.sort_unstable();
        assert_eq!(believed, callers, "`callers` of {}", spec.name);
    }
}

#[test]
fn peers_are_dialled_at_their_specified_port() {
    let mut specified: Vec<_> = all().iter().map(|spec| (spec.name, spec.port)).collect();
    let mut known = assay_rpc::spec::PORTS.to_vec();
    specified.sort_unstable();
    known.sort_unstable();
    assert_eq!(known, specified);
}

#[test]
fn the_protocol_declares_what_may_be_made_again() {
    let methods = assay_rpc::methods::Methods::read(assay_proto::DESCRIPTORS).unwrap();
    let once: Vec<&str> = methods
        .iter()
        .filter(|(path, method)| path.starts_with("/assay.") && !method.idempotent)
        .map(|(path, _)| path.rsplit('.').next().unwrap())
        .collect();
    // Answers, drafts, runs and writes; a model call that failed has a fallback of its own.
    assert_eq!(
        once,
        [
            "AuditService/DecideReview",
            "AuditService/GiveFeedback",
            "EvaluationService/EvaluateRAG",
            "EvaluationService/Score",
            "GenerationService/Assess",
            "GenerationService/Classify",
            "GenerationService/Draft",
            "GenerationService/Reformulate",
            "RetrievalService/DeleteCollection",
            "RetrievalService/Ingest",
            "RouterService/Ask",
            "RouterService/AskStream",
            "RouterService/RecordCheck",
            "RouterService/Refuse",
            "ValidationService/Check",
        ]
    );
}

#[test]
fn ports_and_names_are_distinct() {
    let mut ports: Vec<u16> = SPECS.iter().map(|s| s.port).chain([assay_gateway::SPEC.port]).collect();
    ports.sort_unstable();
    ports.dedup();
    assert_eq!(ports.len(), SPECS.len() + 1);
}
