//! The SQLite log under restarts, tampering, damage, a full disk and a second process.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use assay_audit::adapters::sqlite::{DATABASE, LOCK};
use assay_audit::options::KEY_FILE;
use assay_audit::ports::{Erased, Filter, Writer as _};
use assay_audit::{AuditError, Options};
use assay_domain::{Code, Failure};
use common::{DAY, NOW, north, offline, open_with, options, passed, record, salt, sqlite, verified};
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
    let verified = verified(store).await;
    assert_eq!((verified.findings, verified.entries), (vec![], 6));
}

#[tokio::test]
async fn second_owner_of_the_folder_is_refused() {
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
async fn missing_open_or_foreign_key_is_refused() {
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
    assert_eq!(offline(folder.path()).await.findings, []);
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
async fn start_interrupted_before_the_log_existed_is_completed() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("audit.key.new"), "half a k").unwrap();
    std::fs::write(folder.path().join(DATABASE), "").unwrap();
    fill(folder.path(), 1).await;
    assert_eq!(offline(folder.path()).await.findings, []);
    // The log was made, its key not yet moved into place.
    std::fs::rename(folder.path().join(KEY_FILE), folder.path().join("audit.key.new")).unwrap();
    fill(folder.path(), 2).await;
    assert_eq!(offline(folder.path()).await.entries, 2);
}

#[tokio::test]
async fn a_key_without_its_log_refuses_to_start() {
    for remove in [
        |folder: &Path| std::fs::remove_file(folder.join(DATABASE)).unwrap(),
        |folder: &Path| std::fs::write(folder.join(DATABASE), "").unwrap(),
        |folder: &Path| {
            // What is left where the write-ahead file of a young log is lost.
            std::fs::remove_file(folder.join(DATABASE)).unwrap();
            Connection::open(folder.join(DATABASE))
                .unwrap()
                .execute_batch("PRAGMA journal_mode = WAL")
                .unwrap();
        },
    ] {
        let folder = tempfile::tempdir().unwrap();
        fill(folder.path(), 3).await;
        remove(folder.path());
        let contents = || {
            let files = common::state(folder.path()).into_iter().filter(|(name, ..)| name != LOCK);
            files.map(|(name, _, hash)| (name, hash)).collect::<Vec<_>>()
        };
        let before = contents();
        let refused = open_with(&options(folder.path())).await.unwrap_err();
        assert!(matches!(refused, AuditError::Gone { .. }), "{refused}");
        assert!(refused.to_string().contains("move the key away"), "{refused}");
        assert_eq!(Failure::from(refused).code, Code::StorageCorrupt);
        let read = assay_audit::verify_folder(&options(folder.path()), None, None, None).await.unwrap_err();
        assert!(read.message.contains("the audit log is gone"), "{read}");
        assert_eq!(contents(), before);
        std::fs::rename(folder.path().join(KEY_FILE), folder.path().join("old.key")).unwrap();
        fill(folder.path(), 1).await;
        assert_eq!(offline(folder.path()).await.findings, []);
    }
    let empty = tempfile::tempdir().unwrap();
    let none = assay_audit::verify_folder(&options(empty.path()), None, None, None).await.unwrap_err();
    assert_eq!(none.code, Code::NotFound);
}

#[tokio::test]
async fn the_key_may_live_elsewhere() {
    let (folder, vault) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let key_file = vault.path().join("log.key");
    let elsewhere = Options { key_file: key_file.clone(), ..options(folder.path()) };
    let log = open_with(&elsewhere).await.unwrap();
    log.append(record(1), salt(1), NOW).await.unwrap();
    log.close_now().await;
    assert!(key_file.exists() && !folder.path().join(KEY_FILE).exists());
    // A mounted secret is readable by its group, and by nobody else.
    for (mode, allowed) in [(0o440, true), (0o444, false), (0o460, false)] {
        std::fs::set_permissions(&key_file, std::fs::Permissions::from_mode(mode)).unwrap();
        let opened = open_with(&elsewhere).await;
        assert_eq!(opened.is_ok(), allowed, "{mode:o}");
        if let Ok(log) = opened {
            log.close_now().await;
        }
    }
    // Without the key the log can be read, and says whose word that rests on.
    std::fs::remove_file(&key_file).unwrap();
    let alone = offline(folder.path()).await;
    assert_eq!(alone.findings, []);
    assert!(alone.not_covered[0].starts_with("whose log it is"), "{:?}", alone.not_covered);
}

#[tokio::test]
async fn everything_in_the_folder_is_closed_to_others() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("audit");
    std::fs::create_dir(&folder).unwrap();
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o755)).unwrap();
    std::fs::write(folder.join(LOCK), "").unwrap();
    std::fs::set_permissions(folder.join(LOCK), std::fs::Permissions::from_mode(0o644)).unwrap();
    let store = sqlite(&folder).await;
    store.writer.append(record(1), salt(1), NOW).await.unwrap();
    let modes = common::state(&folder);
    assert!(modes.iter().any(|(name, ..)| name.ends_with("-wal")), "{modes:?}");
    for (name, mode, _) in modes {
        assert_eq!(mode, if name.is_empty() { 0o700 } else { 0o600 }, "{name}");
    }
}

#[tokio::test]
async fn a_clock_that_jumped_erases_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let log = open_with(&options(folder.path())).await.unwrap();
    let at = |day: u64, number: u16| {
        let mut record = record(number);
        record.audit_id = common::id_at(NOW + day * DAY, number);
        (record, NOW + day * DAY)
    };
    for (number, day) in (0..).zip([0, 20, 40]) {
        let (record, now) = at(day, number);
        log.append(record, salt(number), now).await.unwrap();
    }
    let erase = async |day: u64| log.erase_before((NOW + day * DAY) / DAY, NOW + day * DAY).await.unwrap();
    assert_eq!(erase(4000).await, Erased { payloads: 0, held_back: 3, ..Erased::default() });
    // Records at the time that the clock now tells do not make the gap smaller.
    let (later, now) = at(4000, 3);
    log.append(later, salt(3), now).await.unwrap();
    assert_eq!(erase(4001).await, Erased { payloads: 1, held_back: 3, ..Erased::default() });
    assert_eq!(offline(folder.path()).await.findings, []);
    log.close_now().await;
    let trusting = Options { clock_gap_days: 0, ..options(folder.path()) };
    let log = open_with(&trusting).await.unwrap();
    assert_eq!(
        log.erase_before(u64::MAX / DAY, NOW).await.unwrap(),
        Erased { payloads: 3, held_back: 0, ..Erased::default() }
    );
    let whole = offline(folder.path()).await;
    assert_eq!((whole.findings, whole.payloads_erased, whole.entries), (vec![], 4, 6));
}

#[tokio::test]
async fn a_start_refuses_a_foreign_schema() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path(), 3).await;
    tamper(
        folder.path(),
        "CREATE TRIGGER forget AFTER INSERT ON leaves BEGIN DELETE FROM reviews; DELETE FROM payloads; END",
    );
    let refused = open_with(&options(folder.path())).await.unwrap_err();
    assert!(refused.to_string().contains("trigger forget of leaves"), "{refused}");
}

#[tokio::test]
async fn a_trigger_made_beside_a_running_log_does_not_act() {
    let folder = tempfile::tempdir().unwrap();
    let store = sqlite(folder.path()).await;
    store.writer.append(record(1), salt(1), NOW).await.unwrap();
    tamper(folder.path(), "CREATE TRIGGER forget AFTER INSERT ON leaves BEGIN DELETE FROM payloads; END");
    store.writer.append(record(2), salt(2), NOW).await.unwrap();
    let told = common::told(&verified(store).await);
    assert!(told.len() == 1 && told[0].contains("trigger forget"), "{told:?}");
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
    assert_eq!(verified(store).await.findings, []);
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
    for expected in [39, 0] {
        assert_eq!(store.writer.erase_before(NOW / DAY + 1, NOW).await.unwrap().payloads, expected);
    }
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
async fn log_without_its_last_leaf_is_read_only() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path(), 4).await;
    tamper(folder.path(), "DELETE FROM payloads WHERE idx = 3; DELETE FROM leaves WHERE idx = 3");
    let store = sqlite(folder.path()).await;
    let refused = store.writer.append(record(9), salt(9), NOW).await.unwrap_err();
    assert!(matches!(refused, AuditError::Corrupt { .. }), "{refused}");
    assert!(store.records.get(&north(), record(1).audit_id).await.unwrap().is_some());
    assert!(!verified(store).await.holds());
}
