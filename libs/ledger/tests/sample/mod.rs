//! Records and small logs for the tests.
#![allow(dead_code, unreachable_pub)]

use std::collections::HashMap;

use assay_domain::answer::{Grounding, Layer, Route};
use assay_domain::draft::{PromptId, ProviderCall};
use assay_domain::record::{RecordedAttempt, RecordedCitation, RecordedValidation};
use assay_domain::report::{Check, CheckName, CheckStatus, ModelUse, Verdict};
use assay_domain::{AuditId, Identity, Mode, Outcome, QueryType, Record};
use assay_ledger::erasure::{Erasure, Reason, day};
use assay_ledger::export::{EXPORT_VERSION, Entry, Line, Sealed};
use assay_ledger::leaf::{FORMAT, FORMAT_WITHOUT_HEADER};
use assay_ledger::receipt::{RECEIPT_VERSION, Receipt};
use assay_ledger::record::{Digests, split};
use assay_ledger::tree::inclusion_proof;
use assay_ledger::{Frontier, Hash, Header, Kind, Review, Salt, Signer, commitment, leaf_hash};

/// Leaf of `bare_record(7)` with a salt of fives.
pub const FIXED_LEAF: &str = "175bda0f3b5566a94d0b03137b5e9ee4221b01163226a4ff4e47ddc9a8657be1";

/// Texts of [`full_record`] that only the payload may hold.
pub const SECRETS: &[&str] = &[
    "ada@example",
    "session-77",
    "b7a1f2f0-1111-4222-8333-444455556666",
    "¿Cómo leo un parámetro?",
    "addParam reads it",
    "docs/avap/secret-page.md",
    "a1a1a1a1",
    "c3c3c3c3",
    "e5e5e5e5",
    "because of leo",
    "quotes the answer",
    "connection refused by 10.0.0.7",
    "the reader should know",
];

pub fn bare_record(number: u8) -> Record {
    Record {
        query: format!("question {number}"),
        processing_ms: 1.5,
        errors: vec!["invalid_argument".into()],
        ..Record::new(
            AuditId::from_parts(1_790_000_000_000 + u64::from(number), [number; 10]),
            1_790_000_000_000 + u64::from(number),
            Identity { principal: "p".into(), tenant: "t".into(), roles: Vec::new() },
            Outcome::Refused,
        )
    }
}

pub fn full_record(number: u8) -> Record {
    Record {
        identity: Identity { principal: "ada@example".into(), tenant: "north".into(), ..Identity::local() },
        session_id: "session-77".into(),
        request_id: "b7a1f2f0-1111-4222-8333-444455556666".into(),
        response_id: String::new(),
        query: "¿Cómo leo un parámetro? \u{1}\"\\".into(),
        answer_sha256: "a1a1a1a1".into(),
        answer: "addParam reads it [^1].\n".into(),
        outcome: Outcome::Answered,
        route: Some(Route {
            query_type: QueryType::Retrieval,
            layer: Layer::Classifier,
            probability: 0.1 + 0.83,
            accepted: true,
            reason: "because of leo".into(),
        }),
        validation: Some(RecordedValidation {
            status: Some(Verdict::Review),
            citations_validated: 1,
            citations_failed: 0,
            hallucinations_detected: 0,
            confidence_score: Some(0.1 + 0.2),
            checks: vec![Check {
                name: CheckName::ContentMatch,
                status: CheckStatus::Flagged,
                reason: "quotes the answer".into(),
                required: false,
            }],
            policy: "balanced".into(),
            models: vec![ModelUse {
                kind: "entailment".into(),
                name: "small".into(),
                sha256: "ab".into(),
                fitted: true,
                asked: 3,
                answered: 2,
            }],
        }),
        citations: vec![RecordedCitation {
            claim: "addParam reads it".into(),
            source: "docs/avap/secret-page.md".into(),
            line_range: "45-120".into(),
            sha256: "c3c3c3c3".into(),
            validation_status: "VALID".into(),
            semantic_score: Some(0.75),
        }],
        attempts: vec![RecordedAttempt {
            number: 1,
            verdict: Some(Verdict::Review),
            defects: vec!["content_match".into()],
            text_sha256: "e5e5e5e5".into(),
            delivered: true,
        }],
        model_calls: 1,
        model_version: "ollama:qwen".into(),
        prompts: vec![PromptId { id: "answer/3".into(), sha256: "ff".into() }],
        provider_trail: vec![ProviderCall {
            model: "ollama:qwen".into(),
            outcome: "connection refused by 10.0.0.7".into(),
            elapsed_ms: 12,
        }],
        index_manifest: "m-1".into(),
        parser_version: "avap 1".into(),
        mode: Mode::Lenient,
        grounding: Grounding::Documentation,
        temperature: Some(0.0),
        seed: Some(9_007_199_254_740_991),
        context_relevant_first: Some(false),
        context_relevant: Some(true),
        retry_skipped: "deadline".into(),
        platform_prefixes_sha256: "dd".into(),
        errors: Vec::new(),
        warnings: vec!["the reader should know".into()],
        ..bare_record(number)
    }
}

pub fn signer() -> Signer {
    Signer::from_seed("audit.example/0", &[42; 32]).unwrap()
}

/// A log of format 1 of `count` records with a checkpoint after each third one and at the end; every fifth payload is erased.
pub fn exported(count: u8) -> Vec<Line> {
    let signer = signer();
    let mut lines = vec![Line::Log {
        version: EXPORT_VERSION,
        origin: signer.origin().to_owned(),
        key: signer.verifier().to_string(),
    }];
    let (mut frontier, mut notes) = (Frontier::new(), Vec::new());
    for number in 0..count {
        let record = if number % 2 == 0 { full_record(number) } else { bare_record(number) };
        let parts = split(&record, Digests::Plain);
        let salt = Salt([number; 32]);
        let commitment = commitment(&salt, &parts.payload);
        let leaf = leaf_hash(FORMAT_WITHOUT_HEADER, None, &parts.public, &commitment);
        frontier.push(leaf);
        let sealed = (number % 5 != 4).then_some(Sealed { salt, payload: parts.payload });
        let index = u64::from(number);
        lines.push(Line::Entry(Entry {
            index,
            version: FORMAT_WITHOUT_HEADER,
            header: None,
            leaf,
            public: parts.public,
            commitment,
            sealed,
        }));
        if number % 3 == 2 || number + 1 == count {
            notes.push(Line::Checkpoint { note: signer.sign(frontier.size(), frontier.root()) });
        }
    }
    lines.extend(notes);
    lines
}

/// A log of format 2: `count` records, every one with its own checkpoint and waiting for review, then an erasure of
/// the first two payloads.
pub fn headed(count: u8) -> Vec<Line> {
    let signer = signer();
    let mut lines = vec![Line::Log {
        version: EXPORT_VERSION,
        origin: signer.origin().to_owned(),
        key: signer.verifier().to_string(),
    }];
    let mut frontier = Frontier::new();
    let mut notes = vec![Line::Checkpoint { note: signer.sign(0, Hash::empty_root()) }];
    let mut push = |kind, public: String, commitment, sealed| {
        let index = frontier.size();
        let review = (kind == Kind::Record).then_some(Review { one_in: 1, displaced: None });
        let header =
            Header { kind, stored_unix_ms: 1_790_000_000_000 + index, checkpoint: index, review }.to_json();
        let leaf = leaf_hash(FORMAT, Some(&header), &public, &commitment);
        frontier.push(leaf);
        notes.push(Line::Checkpoint { note: signer.sign(frontier.size(), frontier.root()) });
        let header = Some(header);
        lines.push(Line::Entry(Entry { index, version: FORMAT, header, leaf, public, commitment, sealed }));
    };
    for number in 0..count {
        let parts = split(&full_record(number), Digests::Plain);
        let salt = Salt([number; 32]);
        let sealed = Sealed { salt, payload: parts.payload };
        let commitment = commitment(&salt, &sealed.payload);
        push(Kind::Record, parts.public, commitment, (number > 1).then_some(sealed));
    }
    let before_day = day(1_790_000_000_000) + 1;
    push(Kind::Erasure, Erasure::of(Reason::Retention, before_day, &[0, 1]).to_json(), Hash([0; 32]), None);
    lines.extend(notes);
    lines
}

/// The receipt of the leaf at `index` of a log, over all its leaves.
pub fn receipt(lines: &[Line], index: u64) -> Receipt {
    let entries: Vec<&Entry> = lines
        .iter()
        .filter_map(|line| if let Line::Entry(entry) = line { Some(entry) } else { None })
        .collect();
    let mut nodes = HashMap::new();
    let mut frontier = Frontier::new();
    for entry in &entries {
        nodes.extend(frontier.push(entry.leaf).into_iter().map(|node| ((node.level, node.index), node.hash)));
    }
    let node = |level: u32, index: u64| nodes.get(&(level, index)).copied().ok_or(());
    let path = inclusion_proof(&node, index, frontier.size()).unwrap().unwrap();
    let signer = signer();
    Receipt {
        receipt: RECEIPT_VERSION,
        key: signer.verifier().to_string(),
        entry: entries[usize::try_from(index).unwrap()].clone(),
        path,
        checkpoint: signer.sign(frontier.size(), frontier.root()),
    }
}
