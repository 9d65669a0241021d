//! The SQLite log under restarts, tampering, damage, a full disk and a second process.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use assay_audit::adapters::keyfile::KEY_FILE;
use assay_audit::adapters::sqlite::{DATABASE, LOCK};
use assay_audit::ports::Filter;
use assay_audit::{AuditError, Options, Verification};
use assay_domain::{Code, Failure};
use common::{DAY, NOW, admin, audit, north, open_with, options, passed, record, salt, sqlite};
use rusqlite::Connection;

async fn fill(folder: &Path, count: u16) {
    let store = sqlite(folder).await;
    for number in 0..count {
        store.writer.append(record(number), salt(number), NOW).await.unwrap();
    }
    store.writer.close().await;
}

fn tamper(folder: &Path, statement: &str) {
    let connection = Connection::open(folder.join(DATABASE)).unwrap();
    connection.pragma_update(None, "foreign_keys", false).unwrap();
    connection.execute_batch(statement).unwrap();
}

async fn verify(folder: &Path) -> Verification {
    let store = sqlite(folder).await;
    let verified = audit(store.clone()).verify(&admin(), None).await.unwrap();
    store.writer.close().await;
    verified.verification
}

async fn findings_after(statement: &str) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path(), 9).await;
    tamper(folder.path(), statement);
    verify(folder.path()).await.findings.iter().map(ToString::to_string).collect()
}

#[tokio::test]
async fn records_and_the_name_of_the_log_survive_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path(), 5).await;
    let store = sqlite(folder.path()).await;
    let appended = store.writer.append(record(5), salt(5), NOW).await.unwrap();
    assert_eq!(appended.receipt.leaf_index, 5);
    let again = store.writer.append(record(2), salt(77), NOW).await.unwrap();
    assert_eq!((again.receipt.leaf_index, again.repeated), (2, true));
    assert_eq!(store.log.head().await.unwrap().key.name(), "assay-01020304/0");
    let verified = audit(store).verify(&admin(), None).await.unwrap().verification;
    assert_eq!((verified.findings, verified.entries), (vec![], 6));
}

#[tokio::test]
async fn a_second_owner_of_the_folder_is_refused_and_the_first_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let store = sqlite(folder.path()).await;
    let refused = open_with(&options(folder.path())).await.unwrap_err();
    assert_eq!(refused, AuditError::InUse { path: folder.path().to_owned() });
    assert_eq!(Failure::from(refused).code, Code::DataFolderInUse);
    store.writer.append(record(1), salt(1), NOW).await.unwrap();
    store.writer.close().await;
    assert!(folder.path().join(LOCK).exists());
    open_with(&options(folder.path())).await.expect("a lock file without an owner is no lock");
}

#[tokio::test]
async fn the_key_is_private_and_a_missing_open_or_foreign_key_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path(), 1).await;
    let key = folder.path().join(KEY_FILE);
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&key), 0o600);
    assert_eq!(mode(&folder.path().join(DATABASE)), 0o600);

    let refused = async || open_with(&options(folder.path())).await.unwrap_err();
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o640)).unwrap();
    assert!(matches!(refused().await, AuditError::Key { .. }));
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o600)).unwrap();

    let secret = std::fs::read(&key).unwrap();
    std::fs::write(&key, "ab".repeat(32)).unwrap();
    assert!(matches!(refused().await, AuditError::Key { what } if what.contains("not the one")));
    std::fs::write(&key, "nonsense").unwrap();
    assert!(matches!(refused().await, AuditError::Key { .. }));
    std::fs::remove_file(&key).unwrap();
    assert!(matches!(refused().await, AuditError::Key { what } if what.contains("missing")));

    std::fs::write(&key, secret).unwrap();
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o600)).unwrap();
    assert_eq!(verify(folder.path()).await.findings, []);
}

#[tokio::test]
async fn a_log_keeps_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let named = |name: &str| Options { log_id: name.into(), ..options(folder.path()) };
    open_with(&named("audit.example/0")).await.unwrap().close_now().await;
    let refused = open_with(&named("audit.example/1")).await.unwrap_err();
    assert!(matches!(refused, AuditError::OtherLog { found, .. } if found == "audit.example/0"));
    open_with(&named("")).await.unwrap();
}

/// Closes through the port.
trait CloseNow {
    async fn close_now(&self);
}

impl CloseNow for assay_audit::adapters::sqlite::SqliteLog {
    async fn close_now(&self) {
        assay_audit::ports::Writer::close(self).await;
    }
}

#[tokio::test]
async fn a_start_that_ended_before_the_log_was_made_is_completed() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("audit.key.new"), "half a k").unwrap();
    std::fs::write(folder.path().join(DATABASE), "").unwrap();
    fill(folder.path(), 1).await;
    assert_eq!(verify(folder.path()).await.findings, []);
}

#[tokio::test]
async fn what_is_no_database_is_left_alone_and_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(DATABASE);
    std::fs::write(&file, "this is a text, and long enough to be looked at by SQLite ".repeat(40)).unwrap();
    let before = std::fs::read(&file).unwrap();
    let refused = open_with(&options(folder.path())).await.unwrap_err();
    assert!(matches!(refused, AuditError::Corrupt { .. }), "{refused}");
    assert!(refused.to_string().contains("restore"), "the cure is named: {refused}");
    assert_eq!(Failure::from(refused).code, Code::StorageCorrupt);
    assert_eq!(std::fs::read(&file).unwrap(), before);
}

#[tokio::test]
async fn a_log_of_a_newer_version_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path(), 1).await;
    tamper(folder.path(), "PRAGMA user_version = 99");
    let refused = open_with(&options(folder.path())).await.unwrap_err();
    assert!(matches!(refused, AuditError::Newer { found: 99, .. }));
}

#[tokio::test]
async fn a_full_disk_refuses_with_its_cure_and_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let small = Options { max_bytes: 1024 * 1024, ..options(folder.path()) };
    let log = open_with(&small).await.unwrap();
    let store = common::store(log);
    let large = |number: u16| {
        let mut record = record(number);
        record.answer = format!("{number} ").repeat(20_000);
        record
    };
    let mut stored = 0;
    let refused = loop {
        match store.writer.append(large(stored), salt(stored), NOW).await {
            Ok(_) => stored += 1,
            Err(error) => break error,
        }
        assert!(stored < 100, "the limit never held");
    };
    assert_eq!(refused, AuditError::Full);
    assert_eq!(Failure::from(refused).code, Code::ResourceExhausted);
    assert!(stored > 2);
    let found = store.records.list(&north(), &Filter { limit: 200, ..Filter::default() }).await.unwrap();
    assert_eq!(found.len(), usize::from(stored), "what was acknowledged can still be read");
    store.writer.close().await;

    let store = sqlite(folder.path()).await;
    let appended = store.writer.append(large(stored), salt(stored), NOW).await.unwrap();
    assert_eq!((appended.receipt.leaf_index, appended.repeated), (u64::from(stored), false));
    assert_eq!(audit(store).verify(&admin(), None).await.unwrap().verification.findings, []);
}

#[tokio::test]
async fn erased_words_are_gone_from_the_files() {
    let folder = tempfile::tempdir().unwrap();
    let store = sqlite(folder.path()).await;
    let mut secret = record(1);
    secret.query = "a quince under the drawbridge".into();
    store.writer.append(secret, salt(1), NOW).await.unwrap();
    for number in 2..40 {
        store.writer.append(record(number), salt(number), NOW).await.unwrap();
    }
    let held = |folder: &Path| {
        let files =
            std::fs::read_dir(folder).unwrap().map(|file| std::fs::read(file.unwrap().path()).unwrap());
        files.filter(|bytes| bytes.windows(10).any(|word| word == b"drawbridge")).count()
    };
    assert!(held(folder.path()) > 0);
    assert_eq!(store.writer.erase_before(NOW / DAY + 1, NOW).await.unwrap(), 39);
    assert_eq!(held(folder.path()), 0);
}

#[tokio::test]
async fn a_changed_answer_policy_still_knows_a_redelivery() {
    let folder = tempfile::tempdir().unwrap();
    let store = sqlite(folder.path()).await;
    store.writer.append(passed(1), salt(1), NOW).await.unwrap();
    store.writer.close().await;
    let store =
        common::store(open_with(&Options { include_answer: true, ..options(folder.path()) }).await.unwrap());
    assert!(store.writer.append(passed(1), salt(9), NOW).await.unwrap().repeated);
    store.writer.append(passed(2), salt(2), NOW).await.unwrap();
    let kept = store.records.get(&north(), passed(2).audit_id).await.unwrap().unwrap();
    assert_eq!(kept.record.answer, "answer 2");
}

#[tokio::test]
async fn a_full_review_queue_samples_and_says_how() {
    let folder = tempfile::tempdir().unwrap();
    let few = Options { review_open: 5, review_sample: 2, ..options(folder.path()) };
    let store = common::store(open_with(&few).await.unwrap());
    for number in 0..40 {
        store.writer.append(record(number), salt(number), NOW).await.unwrap();
    }
    let filter = Filter { awaiting_review: true, limit: 100, ..Filter::default() };
    let waiting = store.records.list(&north(), &filter).await.unwrap();
    assert_eq!(waiting.len(), 5);
    let newest = waiting[0].receipt.leaf_index;
    assert!(newest > 5, "later records still get a chance");
    store.writer.close().await;
    let connection = Connection::open(folder.path().join(DATABASE)).unwrap();
    let one_in: i64 =
        connection.query_row("SELECT one_in FROM reviews ORDER BY idx DESC", [], |row| row.get(0)).unwrap();
    assert_eq!(one_in, 2);
}

#[tokio::test]
async fn every_kind_of_tampering_is_named_with_its_place() {
    for (statement, expected) in [
        (
            "UPDATE payloads SET payload = replace(payload, 'question 4', 'question 5') WHERE idx = 4",
            "entry 4 (01",
        ),
        ("UPDATE leaves SET public = replace(public, '12.5', '13.5') WHERE idx = 3", "entry 3 (01"),
        ("UPDATE leaves SET commitment = zeroblob(32) WHERE idx = 2", "entry 2 (01"),
        ("UPDATE leaves SET leaf = zeroblob(32) WHERE idx = 1", "entry 1 (01"),
        ("UPDATE leaves SET tenant = 'south' WHERE idx = 6", "the stored tenant differs"),
        ("UPDATE leaves SET outcome = 'ANSWERED' WHERE idx = 6", "the stored outcome differs"),
        ("UPDATE leaves SET day = 1 WHERE idx = 6", "the stored day differs"),
        ("UPDATE leaves SET audit_id = randomblob(16) WHERE idx = 6", "the stored audit id differs"),
        ("DELETE FROM payloads WHERE idx = 5", "the payload is missing and its day was never erased"),
        ("UPDATE payloads SET payload = '{}' WHERE idx = 0", "entry 0: the payload text"),
        ("DELETE FROM leaves WHERE idx = 4", "entry 5 stands where entry 4 belongs"),
        (
            "UPDATE nodes SET hash = zeroblob(32) WHERE level = 1 AND idx = 1",
            "stored node (level 1, index 1) does not follow from its leaves",
        ),
        ("DELETE FROM nodes WHERE level = 2 AND idx = 0", "stored node (level 2, index 0)"),
        (
            "UPDATE checkpoints SET note = replace(note, '\n4\n', '\n5\n') WHERE size = 4",
            "checkpoint 5: the signature",
        ),
        (
            "UPDATE checkpoints SET note = (SELECT note FROM checkpoints WHERE size = 3) || 'x' WHERE size = 4",
            "checkpoint 5: the checkpoint is malformed",
        ),
        (
            "DELETE FROM payloads WHERE idx = 8; DELETE FROM leaves WHERE idx = 8",
            "checkpoint 10 is of 9 entries, the log has 8",
        ),
    ] {
        let found = findings_after(statement).await;
        assert!(found.iter().any(|finding| finding.contains(expected)), "{statement}: {found:#?}");
    }
}

#[tokio::test]
async fn a_log_that_was_cut_back_with_its_checkpoint_is_caught_by_an_older_one() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path(), 9).await;
    let store = sqlite(folder.path()).await;
    let note = store.log.head().await.unwrap().note;
    store.writer.close().await;
    let copy = tempfile::tempdir().unwrap();
    for file in [DATABASE, KEY_FILE] {
        std::fs::copy(folder.path().join(file), copy.path().join(file)).unwrap();
    }
    tamper(
        copy.path(),
        "DELETE FROM payloads WHERE idx = 8; DELETE FROM leaves WHERE idx = 8;
        DELETE FROM nodes WHERE level > 0 AND (idx + 1) << level > 8; DELETE FROM checkpoints WHERE size > 8",
    );
    let audit = audit(sqlite(copy.path()).await);
    let alone = audit.verify(&admin(), None).await.unwrap().verification;
    assert_eq!(alone.findings, [], "alone it looks whole");
    let held = audit.verify(&admin(), Some(note)).await.unwrap().verification;
    assert_eq!(held.findings.len(), 1);
    assert!(held.findings[0].to_string().contains("is of 9 entries, the log has 8"));
}

#[tokio::test]
async fn a_log_without_its_last_leaf_opens_for_reading_but_takes_no_records() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path(), 4).await;
    tamper(folder.path(), "DELETE FROM payloads WHERE idx = 3; DELETE FROM leaves WHERE idx = 3");
    let store = sqlite(folder.path()).await;
    let refused = store.writer.append(record(9), salt(9), NOW).await.unwrap_err();
    assert!(matches!(refused, AuditError::Corrupt { .. }), "{refused}");
    assert!(store.records.get(&north(), record(1).audit_id).await.unwrap().is_some());
    assert!(!audit(store).verify(&admin(), None).await.unwrap().verification.holds());
}
