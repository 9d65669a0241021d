//! Conformance of the stores: what every outbox and every session store must do.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use assay_domain::answer::{Layer, Outcome};
use assay_domain::question::HistoryEntry;
use assay_domain::{AuditId, Code, Identity, QueryType, RequestId, SessionId};
use assay_router::ports::{
    Admission, LogHead, Messages, Opened, Outbox, RequestKey, RoutedMessage, Sessions, Trace, Traces, Turn,
};
use assay_router::{Collected, ElasticSessions, SqliteMessages, SqliteOutbox, SqliteSessions};
use common::{HOUR_MS, RETRIEVAL, bench};

fn outbox(folder: &Path) -> Arc<dyn Outbox> {
    Arc::new(SqliteOutbox::open_file(&folder.join("outbox.sqlite"), 3, 24 * HOUR_MS, 2).unwrap())
}

fn sessions(folder: &Path) -> Arc<dyn Sessions> {
    Arc::new(SqliteSessions::open_file(&folder.join("sessions.sqlite"), 24 * HOUR_MS, 2).unwrap())
}

/// A session store, and the same one as another process opens it.
struct Place {
    _folder: tempfile::TempDir,
    open: Box<dyn Fn() -> Arc<dyn Sessions>>,
}

/// SQLite, and a cluster if the environment names one.
fn places() -> Vec<Place> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_owned();
    let mut out = vec![Place { _folder: folder, open: Box::new(move || sessions(&path)) }];
    if let Some(url) = assay_testkit::external::from_environment("ASSAY_TEST_ES_URL") {
        let options = assay_elastic::Options {
            urls: vec![url],
            prefix: format!("t{}", hex::encode(assay_rpc::entropy::bytes10())),
            replicas: 0,
            ..assay_elastic::Options::default()
        };
        let open = move || {
            let client = Arc::new(assay_elastic::Client::new(&options, "test").unwrap());
            Arc::new(ElasticSessions::new(client, &options, 24 * HOUR_MS, 2)) as Arc<dyn Sessions>
        };
        out.push(Place { _folder: tempfile::tempdir().unwrap(), open: Box::new(open) });
    }
    out
}

fn opened(number: u8, request: Option<RequestKey>) -> Opened {
    Opened {
        audit_id: AuditId::from_parts(1_000 + u64::from(number), [number; 10]),
        unix_ms: 1_000 + u64::from(number),
        identity: Identity::local(),
        session_id: format!("session-{number}"),
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
    reopened.delivered(entry.audit_id, None, 0).await.unwrap();
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
    outbox.delivered(opened(1, None).audit_id, None, 0).await.unwrap();
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
    drop(SqliteOutbox::open_file(&path, 1, 1, 1).unwrap());
    rusqlite::Connection::open(&path).unwrap().pragma_update(None, "user_version", 99).unwrap();
    let failure = SqliteOutbox::open_file(&path, 1, 1, 1).err().unwrap();
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
    for place in places() {
        let (me, id) = (Identity::local(), SessionId::parse("s").unwrap());
        let store = (place.open)();
        for number in 0..60 {
            let (entry, turn) = (entry(number as usize), turn(number as usize));
            assert!(store.append(&me, &id, number, entry, turn, 1_000).await.unwrap());
        }
        let session = (place.open)().load(&me, &id, 1_000).await.unwrap();
        assert_eq!((session.version, session.history.len(), session.turns.len()), (60, 50, 6));
        assert_eq!(session.history[49].topic, "topic 59");
        assert_eq!((session.turns[0].question.as_str(), &session.turns[5]), ("q54", &turn(59)));
    }
}

#[tokio::test]
async fn an_append_to_an_older_version_is_refused() {
    for place in places() {
        let (store, me, id) = ((place.open)(), Identity::local(), SessionId::parse("s").unwrap());
        assert!(store.append(&me, &id, 0, entry(0), turn(0), 1_000).await.unwrap());
        assert!(!store.append(&me, &id, 0, entry(1), turn(1), 1_000).await.unwrap());
        assert!(!store.append(&me, &id, 7, entry(1), turn(1), 1_000).await.unwrap());
        assert!(store.append(&me, &id, 1, entry(1), turn(1), 1_000).await.unwrap());
    }
}

#[tokio::test]
async fn of_two_routers_that_append_at_once_one_wins() {
    for place in places() {
        let (one, other) = ((place.open)(), (place.open)());
        let (me, id) = (Identity::local(), SessionId::parse("s").unwrap());
        for version in 0..10 {
            let (a, b) = futures::join!(
                one.append(&me, &id, version, entry(0), turn(0), 1_000),
                other.append(&me, &id, version, entry(1), turn(1), 1_000),
            );
            assert_eq!(usize::from(a.unwrap()) + usize::from(b.unwrap()), 1);
        }
    }
}

#[tokio::test]
async fn sessions_belong_to_their_principal_and_tenant() {
    for place in places() {
        let (store, me, id) = ((place.open)(), Identity::local(), SessionId::parse("s").unwrap());
        store.append(&me, &id, 0, entry(0), turn(0), 1_000).await.unwrap();
        let eve = Identity { principal: "eve".into(), ..me.clone() };
        assert_eq!(store.load(&eve, &id, 1_000).await.unwrap_err().code, Code::NotFound);
        let taken = store.append(&eve, &id, 1, entry(1), turn(1), 1_000).await.unwrap_err();
        assert_eq!(taken.code, Code::NotFound);
        let elsewhere = Identity { tenant: "other".into(), ..me };
        assert_eq!(store.load(&elsewhere, &id, 1_000).await.unwrap().version, 0);
    }
}

// === Files ===

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[tokio::test]
async fn stores_are_for_their_owner_alone() {
    let base = tempfile::tempdir().unwrap();
    let folder = base.path().join("router");
    std::fs::create_dir(&folder).unwrap();
    std::fs::set_permissions(&folder, Permissions::from_mode(0o755)).unwrap();
    std::fs::write(folder.join("outbox.sqlite"), "").unwrap();
    std::fs::set_permissions(folder.join("outbox.sqlite"), Permissions::from_mode(0o644)).unwrap();
    let (outbox, sessions) = (outbox(&folder), sessions(&folder));
    outbox.open(opened(1, None), 1_000).await.unwrap();
    let id = SessionId::parse("s").unwrap();
    sessions.append(&Identity::local(), &id, 0, entry(0), turn(0), 1_000).await.unwrap();
    assert_eq!(mode(&folder), 0o700);
    let files: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|file| file.unwrap().path()).collect();
    assert!(files.len() >= 6, "with their side files: {files:?}");
    for file in files {
        assert_eq!(mode(&file), 0o600, "{}", file.display());
    }
}

/// The stores as the first version of their schema left them.
const FIRST_OUTBOX: &str = "
    CREATE TABLE entries (audit_id TEXT PRIMARY KEY, unix_ms INTEGER NOT NULL, tenant TEXT NOT NULL,
        principal TEXT NOT NULL, query_sha256 TEXT NOT NULL, record BLOB);
    CREATE INDEX entries_closed ON entries (unix_ms) WHERE record IS NOT NULL;
    CREATE TABLE requests (tenant TEXT NOT NULL, principal TEXT NOT NULL, request_id TEXT NOT NULL,
        content_sha256 TEXT NOT NULL, audit_id TEXT NOT NULL, created_ms INTEGER NOT NULL, answer BLOB,
        PRIMARY KEY (tenant, principal, request_id));
    CREATE INDEX requests_audit ON requests (audit_id);
    INSERT INTO entries VALUES ('01890a5d-ac96-774b-bcce-b302099a8057', 5, 't', 'p', 'ab', NULL);
    PRAGMA user_version = 1;
";
const FIRST_SESSIONS: &str = "
    CREATE TABLE sessions (key INTEGER PRIMARY KEY, tenant TEXT NOT NULL, id TEXT NOT NULL,
        principal TEXT NOT NULL, version INTEGER NOT NULL, used_ms INTEGER NOT NULL, UNIQUE (tenant, id));
    CREATE INDEX sessions_used ON sessions (tenant, principal, used_ms);
    CREATE TABLE entries (session INTEGER NOT NULL REFERENCES sessions (key) ON DELETE CASCADE,
        version INTEGER NOT NULL, query_type TEXT NOT NULL, topic TEXT NOT NULL, turn BLOB,
        PRIMARY KEY (session, version)) WITHOUT ROWID;
    INSERT INTO sessions VALUES (4, 'local', 's', 'local', 1, 1000);
    INSERT INTO entries VALUES (4, 1, 'RETRIEVAL', 'loops', NULL);
    PRAGMA user_version = 1;
";

#[tokio::test]
async fn older_stores_are_backed_up_and_migrated() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, sql: &str| {
        rusqlite::Connection::open(folder.path().join(name)).unwrap().execute_batch(sql).unwrap();
    };
    write("outbox.sqlite", FIRST_OUTBOX);
    let local = Identity::local();
    write(
        "sessions.sqlite",
        &FIRST_SESSIONS
            .replace("'local', 's', 'local'", &format!("'{}', 's', '{}'", local.tenant, local.principal)),
    );
    let (outbox, sessions) = (outbox(folder.path()), sessions(folder.path()));
    assert_eq!(outbox.recover(1_000).await.unwrap(), 1);
    assert_eq!(outbox.waiting(10).await.unwrap().0[0].outcome, Outcome::Aborted);
    let kept = sessions.load(&local, &SessionId::parse("s").unwrap(), 1_000).await.unwrap();
    assert_eq!((kept.version, kept.history[0].topic.as_str()), (1, "loops"));
    for name in ["outbox.v1.sqlite", "sessions.v1.sqlite"] {
        let copy = folder.path().join(name);
        assert_eq!(mode(&copy), 0o600);
        let tables: i64 = rusqlite::Connection::open(&copy)
            .unwrap()
            .query_row("SELECT count(*) FROM entries", [], |row| row.get(0))
            .unwrap();
        assert_eq!(tables, 1, "{name} holds what was there");
    }
}

// === Bounds ===

#[tokio::test]
async fn the_oldest_outcomes_of_a_principal_give_way() {
    let bench = bench();
    let answer = bench.ask(assay_domain::Question::new(RETRIEVAL)).await.unwrap();
    let record = bench.record();
    let folder = tempfile::tempdir().unwrap();
    let outbox = outbox(folder.path());
    let id =
        |number: u8| RequestId::parse(&format!("6f9619ff-8b86-4011-b42d-00c04fc964{number:02x}")).unwrap();
    let entry = |number: u8| opened(number, Some(RequestKey { id: id(number), content_sha256: "c".into() }));
    for number in 1..=3_u8 {
        let now = 1_000 + u64::from(number);
        assert_eq!(outbox.open(entry(number), now).await.unwrap(), Admission::Opened);
        let audit_id = entry(number).audit_id;
        let record = assay_domain::Record { audit_id, ..record.clone() };
        outbox.close(record, Some(assay_domain::Answer { audit_id, ..answer.clone() })).await.unwrap();
        outbox.delivered(audit_id, None, now).await.unwrap();
    }
    assert!(matches!(outbox.open(entry(3), 2_000).await.unwrap(), Admission::Answered(_)));
    assert!(matches!(outbox.open(entry(2), 2_000).await.unwrap(), Admission::Answered(_)));
    assert_eq!(
        outbox.open(Opened { audit_id: opened(9, None).audit_id, ..entry(1) }, 2_000).await.unwrap(),
        Admission::Opened
    );
}

#[tokio::test]
async fn looking_for_outcomes_scans_no_table() {
    let folder = tempfile::tempdir().unwrap();
    drop(outbox(folder.path()));
    let database = rusqlite::Connection::open(folder.path().join("outbox.sqlite")).unwrap();
    for sql in [
        "DELETE FROM requests WHERE created_ms < 5 AND answer IS NOT NULL",
        "SELECT answer FROM requests WHERE tenant = 't' AND principal = 'p' AND request_id = 'r'",
        "SELECT answer FROM requests WHERE tenant = 't' AND principal = 'p' AND answer IS NOT NULL ORDER BY created_ms DESC",
    ] {
        let mut plan = database.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
        let steps: Vec<String> =
            plan.query_map([], |row| row.get(3)).unwrap().collect::<Result<_, _>>().unwrap();
        assert!(steps.iter().all(|step| step.starts_with("SEARCH")), "{sql}: {steps:?}");
    }
}

#[tokio::test]
async fn records_that_cannot_be_read_are_set_aside() {
    let folder = tempfile::tempdir().unwrap();
    let outbox = outbox(folder.path());
    let entry = opened(2, None);
    outbox.open(entry.clone(), 1_000).await.unwrap();
    outbox.recover(1_000).await.unwrap();
    rusqlite::Connection::open(folder.path().join("outbox.sqlite"))
        .unwrap()
        .execute_batch(
            "INSERT INTO entries (audit_id, unix_ms, tenant, principal, query_sha256, record)
                 VALUES ('poison', 1, 't', 'p', '', x'ffff');
             INSERT INTO entries (audit_id, unix_ms, tenant, principal, query_sha256, record)
                 SELECT '01890a5d-ac96-774b-bcce-b302099a8057', 1, 't', 'p', '', record FROM entries
                 WHERE audit_id <> 'poison';
             INSERT INTO entries (audit_id, unix_ms, tenant, principal, query_sha256) VALUES ('open', 1, 't', 'p', '');",
        )
        .unwrap();
    assert_eq!(
        outbox.recover(1_000).await.unwrap(),
        1,
        "an entry without a proper id does not stop the start"
    );
    let (waiting, backlog) = outbox.waiting(10).await.unwrap();
    assert_eq!(waiting.iter().map(|record| record.audit_id).collect::<Vec<_>>(), [entry.audit_id]);
    assert_eq!(backlog.set_aside, 3, "a record under a strange id would be sent for ever");
}

#[tokio::test]
async fn the_largest_state_of_a_log_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let outbox = outbox(folder.path());
    let head = |size: u64| LogHead { log_id: "log".into(), size, root: vec![size as u8; 32] };
    for size in [3, 9, 4] {
        outbox.delivered(opened(1, None).audit_id, Some(head(size)), 1_000).await.unwrap();
    }
    assert_eq!(outbox.heads().await.unwrap(), [head(9)]);
}

#[tokio::test]
async fn a_frozen_state_of_a_log_stays() {
    let folder = tempfile::tempdir().unwrap();
    let head = |size: u64| LogHead { log_id: "log".into(), size, root: vec![size as u8; 32] };
    let store = outbox(folder.path());
    let delivered = async |size| {
        let id = opened(1, None).audit_id;
        store.delivered(id, Some(head(size)), 1_000).await.unwrap();
    };
    delivered(9).await;
    delivered(12).await;
    store.freeze(head(9), 1_000).await.unwrap();
    delivered(20).await;
    store.freeze(head(20), 1_000).await.unwrap();
    assert_eq!(outbox(folder.path()).heads().await.unwrap(), [head(9)]);
}

#[tokio::test]
async fn idle_sessions_expire_and_the_oldest_gives_way() {
    for place in places() {
        let (store, me) = ((place.open)(), Identity::local());
        let id = |name: &str| SessionId::parse(name).unwrap();
        for (name, now) in [("a", 1_000), ("b", 2_000), ("c", 3_000)] {
            store.append(&me, &id(name), 0, entry(0), turn(0), now).await.unwrap();
        }
        let version = async |name: &str, now| store.load(&me, &id(name), now).await.unwrap().version;
        assert_eq!((version("a", 3_000).await, version("b", 3_000).await), (0, 1));
        assert_eq!(version("b", 2_001 + 24 * HOUR_MS).await, 0);
        assert_eq!(store.sweep(3_001 + 24 * HOUR_MS).await.unwrap(), 1);
    }
}

/// A cluster that takes connections and says nothing, as a node does that is stopped.
#[tokio::test]
async fn sessions_of_a_silent_cluster_are_given_up() {
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let options = assay_elastic::Options {
        urls: vec![format!("http://{}", silent.local_addr().unwrap())],
        ..assay_elastic::Options::default()
    };
    let client = Arc::new(assay_elastic::Client::new(&options, "test").unwrap());
    let sessions =
        ElasticSessions::new(client, &options, 24 * HOUR_MS, 2).patience(Duration::from_millis(20));
    let failure = sessions.load(&Identity::local(), &SessionId::parse("s").unwrap(), 1).await.unwrap_err();
    assert_eq!((failure.code, failure.field.as_str()), (Code::Unavailable, "router.elasticsearch"));
    assert!(failure.message.contains("no answer within 0.02 s"), "{failure}");
}

fn routed(at_day: u64, session: &str, text: &str, shadow: Option<QueryType>) -> RoutedMessage {
    RoutedMessage {
        unix_ms: at_day * 24 * HOUR_MS,
        tenant: "acme".into(),
        principal: "ada".into(),
        session: session.into(),
        text: text.into(),
        query_type: QueryType::Retrieval,
        layer: Layer::Classifier,
        probability: 0.9,
        shadow: shadow.map(|query_type| (query_type, 0.7)),
    }
}

#[tokio::test]
async fn routed_messages_are_kept_counted_and_dropped_by_age() {
    let folder = tempfile::tempdir().unwrap();
    let open = || SqliteMessages::open_file(&folder.path().join("messages.sqlite"), 90).unwrap();
    let messages = [
        routed(1, "s", "one", Some(QueryType::Retrieval)),
        routed(2, "s", "two", Some(QueryType::Platform)),
        routed(3, "", "", None),
    ];
    open().keep(messages.to_vec()).await.unwrap();
    let store = open();
    let expected = Collected { messages: 3, texts: 2, conversations: 2, shadowed: 2, agreed: 1 };
    assert_eq!(store.collected().await.unwrap(), expected);

    let first = store.page(0, 0, 2).await.unwrap();
    let rest = store.page(first[1].0, 0, 2).await.unwrap();
    let all: Vec<RoutedMessage> = first.into_iter().chain(rest).map(|(_, message)| message).collect();
    assert_eq!(all, messages);
    assert_eq!(store.page(0, 3 * 24 * HOUR_MS, 9).await.unwrap().len(), 1);

    assert_eq!(store.sweep(92 * 24 * HOUR_MS).await.unwrap(), 1);
    assert_eq!(store.collected().await.unwrap().messages, 2);
}

/// Whether any file of the folder holds the text.
fn on_disk(folder: &Path, text: &str) -> bool {
    let files = std::fs::read_dir(folder).unwrap();
    let mut bytes = files.map(|file| std::fs::read(file.unwrap().path()).unwrap());
    bytes.any(|bytes| bytes.windows(text.len()).any(|window| window == text.as_bytes()))
}

#[tokio::test]
async fn what_is_forgotten_leaves_no_word_in_any_store() {
    let folder = tempfile::tempdir().unwrap();
    let messages = SqliteMessages::open_file(&folder.path().join("messages.sqlite"), 90).unwrap();
    let identity = Identity::local();
    let mine = |session: &str, text: &str| RoutedMessage {
        tenant: identity.tenant.clone(),
        principal: identity.principal.clone(),
        ..routed(1, session, text, None)
    };
    messages.keep(vec![mine("s", "Leonore asks"), mine("t", "somebody asks")]).await.unwrap();
    let store = SqliteSessions::open_file(&folder.path().join("sessions.sqlite"), 24 * HOUR_MS, 9).unwrap();
    for id in ["s", "t"] {
        let entry = HistoryEntry { query_type: QueryType::Retrieval, topic: format!("topic of {id}") };
        let turn = Turn { question: format!("question of {id}"), answer: String::new(), sources: Vec::new() };
        let id = SessionId::parse(id).unwrap();
        assert!(store.append(&identity, &id, 0, entry, turn, 1).await.unwrap());
    }
    assert!(on_disk(folder.path(), "Leonore") && on_disk(folder.path(), "topic of s"));
    let session = Trace::Session("s".into());
    let tenant = identity.tenant.as_str();
    for other in ["", "south"] {
        assert_eq!(
            (messages.forget(other, &session).await, store.forget(other, &session).await),
            (Ok(0), Ok(0))
        );
    }
    assert_eq!(
        (messages.forget(tenant, &session).await, store.forget(tenant, &session).await),
        (Ok(1), Ok(1))
    );
    for text in ["Leonore", "topic of s", "question of s"] {
        assert!(!on_disk(folder.path(), text), "{text} is still there");
    }
    assert!(on_disk(folder.path(), "somebody asks") && on_disk(folder.path(), "topic of t"));
    let rest = Trace::Principal(identity.principal.clone());
    assert_eq!((messages.forget(tenant, &rest).await, store.forget(tenant, &rest).await), (Ok(1), Ok(1)));
    assert!(!on_disk(folder.path(), "topic of t"));
}

#[tokio::test]
async fn outcomes_are_forgotten_by_owner_and_by_record_and_what_waits_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let outbox = SqliteOutbox::open_file(&folder.path().join("outbox.sqlite"), 9, 24 * HOUR_MS, 9).unwrap();
    let key = |number: u8| RequestKey {
        id: RequestId::parse(&format!("01890000-0000-7000-8000-0000000000{number:02}")).unwrap(),
        content_sha256: "c".into(),
    };
    for number in 1..=3 {
        let admitted = outbox.open(opened(number, Some(key(number))), 2_000).await.unwrap();
        assert_eq!(admitted, Admission::Opened);
    }
    let tenant = Identity::local().tenant;
    let one = Trace::Request(opened(1, None).audit_id);
    assert_eq!(outbox.undelivered(&tenant, &one).await, Ok(1));
    assert_eq!(outbox.forget("south", &one).await, Ok(0));
    assert_eq!(outbox.forget(&tenant, &one).await, Ok(1));
    let session = Trace::Session("session-2".into());
    assert_eq!(
        (outbox.undelivered(&tenant, &session).await, outbox.forget(&tenant, &session).await),
        (Ok(1), Ok(1))
    );
    let all = Trace::Principal(Identity::local().principal);
    assert_eq!((outbox.undelivered(&tenant, &all).await, outbox.forget(&tenant, &all).await), (Ok(3), Ok(1)));
    std::fs::write(folder.path().join("outbox.v2.sqlite"), "of before a migration").unwrap();
    std::fs::write(folder.path().join("other.v2.sqlite"), "of somebody else").unwrap();
    assert_eq!(outbox.forget_backups().await, Ok(vec!["outbox.v2.sqlite".to_owned()]));
    assert!(folder.path().join("other.v2.sqlite").exists());
}
