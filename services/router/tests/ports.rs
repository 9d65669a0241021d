//! Conformance of the stores: what every outbox and every session store must do.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::path::Path;
use std::sync::Arc;

use assay_domain::answer::Outcome;
use assay_domain::question::HistoryEntry;
use assay_domain::{AuditId, Code, Identity, QueryType, RequestId, SessionId};
use assay_router::ports::{Admission, Opened, Outbox, RequestKey, Sessions, Turn};
use assay_router::{SqliteOutbox, SqliteSessions};
use common::{HOUR_MS, RETRIEVAL, bench};

fn outbox(folder: &Path) -> Arc<dyn Outbox> {
    Arc::new(SqliteOutbox::open_file(&folder.join("outbox.sqlite"), 3, 24 * HOUR_MS).unwrap())
}

fn sessions(folder: &Path) -> Arc<dyn Sessions> {
    Arc::new(SqliteSessions::open_file(&folder.join("sessions.sqlite"), 24 * HOUR_MS, 2).unwrap())
}

fn opened(number: u8, request: Option<RequestKey>) -> Opened {
    Opened {
        audit_id: AuditId::from_parts(1_000 + u64::from(number), [number; 10]),
        unix_ms: 1_000 + u64::from(number),
        identity: Identity::local(),
        query_sha256: "ab".into(),
        request,
    }
}

#[tokio::test]
async fn an_open_entry_survives_a_crash_as_an_aborted_record() {
    let folder = tempfile::tempdir().unwrap();
    let entry = opened(1, None);
    assert_eq!(outbox(folder.path()).open(entry.clone(), 1_000).await.unwrap(), Admission::Opened);
    let reopened = outbox(folder.path());
    assert_eq!(reopened.recover(2_000).await.unwrap(), 1);
    let (waiting, backlog) = reopened.waiting(10).await.unwrap();
    assert_eq!((waiting[0].audit_id, waiting[0].outcome), (entry.audit_id, Outcome::Aborted));
    assert_eq!((waiting[0].query.as_str(), backlog.oldest_unix_ms), ("sha256:ab", 1_001));
    assert_eq!(reopened.recover(2_000).await.unwrap(), 0, "only once");
    reopened.delivered(entry.audit_id).await.unwrap();
    assert!(reopened.waiting(10).await.unwrap().0.is_empty());
}

#[tokio::test]
async fn open_and_waiting_entries_count_towards_the_capacity() {
    let folder = tempfile::tempdir().unwrap();
    let outbox = outbox(folder.path());
    for number in 1..=3 {
        assert_eq!(outbox.open(opened(number, None), 1_000).await.unwrap(), Admission::Opened);
    }
    assert_eq!(outbox.open(opened(4, None), 1_000).await.unwrap(), Admission::Full);
    outbox.recover(1_000).await.unwrap();
    assert_eq!(outbox.open(opened(4, None), 1_000).await.unwrap(), Admission::Full);
    outbox.delivered(opened(1, None).audit_id).await.unwrap();
    assert_eq!(outbox.open(opened(4, None), 1_000).await.unwrap(), Admission::Opened);
}

#[tokio::test]
async fn a_request_id_names_its_outcome_for_a_day() {
    let folder = tempfile::tempdir().unwrap();
    let outbox = outbox(folder.path());
    let bench = bench();
    let answer = bench.ask(assay_domain::Question::new(RETRIEVAL)).await.unwrap();
    let record = bench.record();
    let key = |content: &str| {
        let id = RequestId::parse("6f9619ff-8b86-4011-b42d-00c04fc964ff").unwrap();
        Some(RequestKey { id, content_sha256: content.into() })
    };
    let entry = Opened { audit_id: answer.audit_id, ..opened(1, key("c1")) };
    assert_eq!(outbox.open(entry, 1_000).await.unwrap(), Admission::Opened);
    assert_eq!(outbox.open(opened(2, key("c1")), 1_000).await.unwrap(), Admission::Running);
    assert_eq!(outbox.open(opened(2, key("c2")), 1_000).await.unwrap(), Admission::Conflict);
    outbox.close(record, Some(answer.clone())).await.unwrap();
    let Admission::Answered(stored) = outbox.open(opened(2, key("c1")), 1_000).await.unwrap() else {
        panic!("the outcome was not stored")
    };
    assert_eq!((stored.audit_id, &stored.text), (answer.audit_id, &answer.text));
    let later = 1_000 + 24 * HOUR_MS + 1;
    assert_eq!(outbox.open(opened(3, key("c2")), later).await.unwrap(), Admission::Opened);
}

#[tokio::test]
async fn a_file_of_a_newer_version_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("outbox.sqlite");
    drop(SqliteOutbox::open_file(&path, 1, 1).unwrap());
    rusqlite::Connection::open(&path).unwrap().pragma_update(None, "user_version", 99).unwrap();
    let failure = SqliteOutbox::open_file(&path, 1, 1).err().unwrap();
    assert_eq!(failure.code, Code::StorageCorrupt);
}

fn entry(number: usize) -> HistoryEntry {
    HistoryEntry { query_type: QueryType::Retrieval, topic: format!("topic {number}") }
}

fn turn(number: usize) -> Turn {
    Turn {
        question: format!("q{number}"),
        answer: format!("a{number}"),
        sources: vec![common::hit(1).source],
    }
}

#[tokio::test]
async fn a_session_keeps_six_turns_and_fifty_entries_across_restarts() {
    let folder = tempfile::tempdir().unwrap();
    let (me, id) = (Identity::local(), SessionId::parse("s").unwrap());
    let store = sessions(folder.path());
    for number in 0..60 {
        assert!(
            store
                .append(&me, &id, number, entry(number as usize), turn(number as usize), 1_000)
                .await
                .unwrap()
        );
    }
    let session = sessions(folder.path()).load(&me, &id, 1_000).await.unwrap();
    assert_eq!((session.version, session.history.len(), session.turns.len()), (60, 50, 6));
    assert_eq!(session.history[49].topic, "topic 59");
    assert_eq!((session.turns[0].question.as_str(), &session.turns[5]), ("q54", &turn(59)));
}

#[tokio::test]
async fn an_append_to_an_older_version_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (store, me, id) = (sessions(folder.path()), Identity::local(), SessionId::parse("s").unwrap());
    assert!(store.append(&me, &id, 0, entry(0), turn(0), 1_000).await.unwrap());
    assert!(!store.append(&me, &id, 0, entry(1), turn(1), 1_000).await.unwrap());
    assert!(!store.append(&me, &id, 7, entry(1), turn(1), 1_000).await.unwrap());
    assert!(store.append(&me, &id, 1, entry(1), turn(1), 1_000).await.unwrap());
}

#[tokio::test]
async fn sessions_belong_to_their_principal_and_tenant() {
    let folder = tempfile::tempdir().unwrap();
    let (store, me, id) = (sessions(folder.path()), Identity::local(), SessionId::parse("s").unwrap());
    store.append(&me, &id, 0, entry(0), turn(0), 1_000).await.unwrap();
    let eve = Identity { principal: "eve".into(), ..me.clone() };
    assert_eq!(store.load(&eve, &id, 1_000).await.unwrap_err().code, Code::NotFound);
    assert_eq!(store.append(&eve, &id, 1, entry(1), turn(1), 1_000).await.unwrap_err().code, Code::NotFound);
    let elsewhere = Identity { tenant: "other".into(), ..me };
    assert_eq!(store.load(&elsewhere, &id, 1_000).await.unwrap().version, 0);
}

#[tokio::test]
async fn idle_sessions_expire_and_the_oldest_gives_way() {
    let folder = tempfile::tempdir().unwrap();
    let (store, me) = (sessions(folder.path()), Identity::local());
    let id = |name: &str| SessionId::parse(name).unwrap();
    for (name, now) in [("a", 1_000), ("b", 2_000), ("c", 3_000)] {
        store.append(&me, &id(name), 0, entry(0), turn(0), now).await.unwrap();
    }
    let version = async |name: &str, now| store.load(&me, &id(name), now).await.unwrap().version;
    assert_eq!((version("a", 3_000).await, version("b", 3_000).await), (0, 1));
    assert_eq!(version("b", 2_001 + 24 * HOUR_MS).await, 0);
    assert_eq!(store.sweep(3_001 + 24 * HOUR_MS).await.unwrap(), 1);
}
