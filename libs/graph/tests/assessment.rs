//! What a report means to the graph: which texts are an abstention and nothing else.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use assay_domain::code::{Block, BlockStatus, ParsedBlock};
use assay_domain::report::{
    Check, CheckName, CheckStatus, Claim, ClaimKind, ClaimStatus, Report, Span, Verdict,
};
use assay_graph::Assessment;

fn report(text: &str, kinds: &[ClaimKind]) -> Report {
    let claim = |kind: &ClaimKind| Claim {
        text: text.into(),
        span: Span::default(),
        kind: *kind,
        status: ClaimStatus::NotApplicable,
        support: None,
        citations: Vec::new(),
        evidence: Vec::new(),
        reason: String::new(),
        decided_by: String::new(),
    };
    Report {
        verdict: Verdict::Review,
        support: None,
        checks: Vec::new(),
        claims: kinds.iter().map(claim).collect(),
        citations: Vec::new(),
        defects: Vec::new(),
        blocks: Vec::new(),
        context_relevance: None,
        errors: Vec::new(),
        warnings: Vec::new(),
        text: text.into(),
        partial_response: String::new(),
        retry_prompt: String::new(),
        suggestion: String::new(),
        models: Vec::new(),
    }
}

fn refuses(report: &Report) -> bool {
    Assessment::of(report).refusal
}

#[test]
fn plain_refusals_are_abstentions() {
    use ClaimKind::{Meta, Refusal};
    for (text, kinds) in [
        ("The sources do not say.", vec![Refusal]),
        ("The sources do not say. I hope this helps.", vec![Refusal, Meta]),
        ("", Vec::new()),
    ] {
        assert!(refuses(&report(text, &kinds)), "{text}");
    }
}

#[test]
fn refusals_that_state_anything_are_not() {
    use ClaimKind::{Code, Factual, Meta, Question, Refusal};
    for (text, kinds) in [
        ("They do not say, but the limit is 7 GB.", vec![Refusal, Factual]),
        ("They do not say. Did you know that you must run it as root?", vec![Refusal, Question]),
        ("They do not say. Run this.", vec![Refusal, Code]),
        ("They do not say:\n\n```text\nrm -rf /\n```", vec![Refusal]),
        ("They do not say; see https://example.org.", vec![Refusal]),
        ("They do not say; see [this](/page).", vec![Refusal]),
        ("I hope this helps.", vec![Meta]),
        ("!!!", Vec::new()),
    ] {
        assert!(!refuses(&report(text, &kinds)), "{text}");
    }
}

#[test]
fn refusals_with_code_or_failed_checks_are_not() {
    let mut code = report("The sources do not say.", &[ClaimKind::Refusal]);
    let block = Block {
        index: 0,
        language: "avap".into(),
        declared: true,
        code: "x".into(),
        byte_start: 0,
        byte_end: 1,
        first_line: 1,
    };
    code.blocks.push(ParsedBlock { block, status: BlockStatus::Valid, diagnostics: Vec::new() });
    assert!(!refuses(&code));

    let mut failed = report("The sources do not say.", &[ClaimKind::Refusal]);
    let (name, status) = (CheckName::Markup, CheckStatus::Failed);
    failed.checks.push(Check { name, status, reason: "a script".into(), required: true });
    assert!(!refuses(&failed));
}
