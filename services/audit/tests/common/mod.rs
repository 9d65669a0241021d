//! Records, identities and logs for the tests.
#![allow(dead_code, unreachable_pub)]

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::Arc;

use assay_audit::adapters::sqlite::{Birth, SqliteLog};
use assay_audit::ports::{Remembered, Scope};
use assay_audit::{Audit, AuditError, Fresh, Options, Store, Verification};
use assay_domain::answer::Grounding;
use assay_domain::record::{RecordedCitation, RecordedValidation};
use assay_domain::report::Verdict;
use assay_domain::{AuditId, Identity, Outcome, Record, Role};
use assay_ledger::{Hash, Salt};

/// A moment; its day bucket is `NOW / 86_400_000`.
pub const NOW: u64 = 1_790_000_000_000;
/// Milliseconds of a day.
pub const DAY: u64 = 86_400_000;

pub fn identity(tenant: &str, principal: &str, roles: &[Role]) -> Identity {
    Identity { principal: principal.into(), tenant: tenant.into(), roles: roles.to_vec() }
}

pub fn id_at(unix_ms: u64, number: u16) -> AuditId {
    let [a, b] = number.to_be_bytes();
    AuditId::from_parts(unix_ms, [a, b, 3, 4, 5, 6, 7, 8, a, b])
}

/// A rejected answer of tenant `north`, principal `ada`; different for each number.
pub fn record(number: u16) -> Record {
    let unix_ms = NOW + u64::from(number);
    let answer = format!("answer {number}");
    Record {
        session_id: format!("session-{}", number % 2),
        query: format!("question {number}"),
        answer_sha256: Hash::of(&[answer.as_bytes()]).to_string(),
        answer,
        validation: Some(RecordedValidation {
            status: Some(Verdict::Reject),
            citations_validated: 1,
            citations_failed: 1,
            hallucinations_detected: 0,
            confidence_score: Some(0.5),
            checks: Vec::new(),
            models: Vec::new(),
            policy: String::new(),
        }),
        citations: vec![RecordedCitation {
            claim: format!("claim {number}"),
            source: "page.md".into(),
            line_range: "1-2".into(),
            sha256: Hash::of(&[b"cited"]).to_string(),
            validation_status: "VALID".into(),
            semantic_score: Some(0.5),
        }],
        processing_ms: 12.5,
        validation_ms: 1.0,
        model_version: "extractive/1".into(),
        index_manifest: "m".into(),
        grounding: Grounding::Documentation,
        ..Record::new(id_at(unix_ms, number), unix_ms, identity("north", "ada", &[]), Outcome::Rejected)
    }
}

/// The record with another verdict and outcome.
pub fn passed(number: u16) -> Record {
    let mut record = record(number);
    record.outcome = Outcome::Answered;
    if let Some(validation) = &mut record.validation {
        validation.status = Some(Verdict::Pass);
    }
    record
}

pub fn salt(number: u16) -> Salt {
    let [a, b] = number.to_be_bytes();
    Salt([a ^ b ^ 0x5a; 32])
}

pub fn options(folder: &Path) -> Options {
    Options { data_dir: folder.to_owned(), ..Options::default() }
}

pub async fn open_with(options: &Options) -> Result<Arc<SqliteLog>, AuditError> {
    let birth = Birth { seed: [9; 32], name: [1, 2, 3, 4], unix_ms: NOW };
    SqliteLog::open(options, birth).await.map(Arc::new)
}

pub fn store(log: Arc<SqliteLog>) -> Store {
    let reader = Arc::new(log.reader());
    Store { writer: log.clone(), notes: log, records: reader.clone(), reviews: reader.clone(), log: reader }
}

pub async fn sqlite(folder: &Path) -> Store {
    store(open_with(&options(folder)).await.unwrap())
}

pub fn audit(store: Store) -> Audit {
    Audit::new(store, &Options { append_ms: 60_000, ..Options::default() })
}

pub fn north() -> Scope {
    Scope { tenant: "north".into(), principal: None }
}

/// Chance and time of a note.
pub fn fresh(number: u16) -> Fresh {
    let now_unix_ms = NOW + u64::from(number);
    Fresh { id: id_at(now_unix_ms, number), salt: salt(number), now_unix_ms }
}

pub fn admin() -> Identity {
    identity("north", "root", &[Role::Admin])
}

/// Verifies a store through the service.
pub async fn verified(store: Store) -> Verification {
    audit(store).verify(&admin(), Remembered::default()).await.unwrap().verification
}

/// Verifies a folder without opening it for writing.
pub async fn offline(folder: &Path) -> Verification {
    assay_audit::verify_folder(&options(folder), None, None, None).await.unwrap().verification
}

/// Every finding as text.
pub fn told(verification: &Verification) -> Vec<String> {
    verification.findings.iter().map(ToString::to_string).collect()
}

/// Name, mode and SHA-256 of every file below a folder, and its own mode.
pub fn state(folder: &Path) -> Vec<(String, u32, Hash)> {
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let mut files = vec![(String::new(), mode(folder), Hash([0; 32]))];
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        files.push((name, mode(&path), Hash::of(&[&std::fs::read(&path).unwrap()])));
    }
    files.sort();
    files
}
