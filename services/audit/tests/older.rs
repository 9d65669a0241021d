//! A log as the version before headers wrote it: it verifies as it is, and becomes a log of the new format.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::path::Path;

use assay_audit::adapters::sqlite::DATABASE;
use assay_audit::options::KEY_FILE;
use assay_ledger::record::{Digests, split};
use assay_ledger::{Frontier, Hash, Signer, commitment, leaf_hash};
use common::{DAY, NOW, id_at, offline, record, salt, sqlite, verified};
use rusqlite::Connection;

/// The tables of format 1, which never change.
const FORMAT_1: &str = "
CREATE TABLE meta (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- What stays for ever: the leaf, its public text, and columns that repeat parts of it for the filters.
CREATE TABLE leaves (
    idx            INTEGER PRIMARY KEY,
    audit_id       BLOB NOT NULL UNIQUE,
    leaf           BLOB NOT NULL,
    version        INTEGER NOT NULL,
    public         TEXT NOT NULL,
    commitment     BLOB NOT NULL,
    stored_unix_ms INTEGER NOT NULL,
    unix_ms        INTEGER NOT NULL,
    day            INTEGER NOT NULL,
    tenant         TEXT NOT NULL,
    outcome        TEXT NOT NULL,
    verdict        TEXT
) STRICT;
CREATE INDEX leaves_by_tenant ON leaves (tenant, idx);

-- What can be erased, by day.
CREATE TABLE payloads (
    idx        INTEGER PRIMARY KEY REFERENCES leaves (idx),
    day        INTEGER NOT NULL,
    salt       BLOB NOT NULL,
    payload    TEXT NOT NULL,
    principal  TEXT NOT NULL,
    session_id TEXT NOT NULL
) STRICT;
CREATE INDEX payloads_by_day ON payloads (day);
CREATE INDEX payloads_by_session ON payloads (session_id, idx) WHERE session_id <> '';

-- Complete subtrees above the leaves.
CREATE TABLE nodes (
    level INTEGER NOT NULL,
    idx   INTEGER NOT NULL,
    hash  BLOB NOT NULL,
    PRIMARY KEY (level, idx)
) STRICT, WITHOUT ROWID;

CREATE TABLE checkpoints (
    size    INTEGER PRIMARY KEY,
    note    TEXT NOT NULL,
    unix_ms INTEGER NOT NULL
) STRICT;

-- Records that wait for a person; one_in says of how many like it this one was drawn.
CREATE TABLE reviews (
    idx            INTEGER PRIMARY KEY REFERENCES leaves (idx),
    opened_unix_ms INTEGER NOT NULL,
    one_in         INTEGER NOT NULL
) STRICT;

CREATE TABLE erasures (
    number     INTEGER PRIMARY KEY,
    before_day INTEGER NOT NULL,
    payloads   INTEGER NOT NULL,
    unix_ms    INTEGER NOT NULL
) STRICT;
";

/// Six records, one a day, each with its checkpoint and in the review queue; the first two days are erased.
fn write(folder: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    let signer = Signer::from_seed("assay-01020304/0", &[9; 32]).unwrap();
    let key = folder.join(KEY_FILE);
    std::fs::write(&key, hex::encode([9; 32])).unwrap();
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o600)).unwrap();
    let log = Connection::open(folder.join(DATABASE)).unwrap();
    log.pragma_update(None, "journal_mode", "WAL").unwrap();
    log.execute_batch(FORMAT_1).unwrap();
    log.pragma_update(None, "user_version", 1).unwrap();
    for (name, value) in [("origin", signer.origin().to_owned()), ("key", signer.verifier().to_string())] {
        log.execute("INSERT INTO meta VALUES (?1, ?2)", (name, value)).unwrap();
    }
    let mut frontier = Frontier::new();
    let checkpoint = "INSERT INTO checkpoints VALUES (?1, ?2, ?3)";
    log.execute(checkpoint, (0, signer.sign(0, Hash::empty_root()), NOW.cast_signed())).unwrap();
    for number in 0..6_u16 {
        let made = NOW + DAY * u64::from(number);
        let mut record = record(number);
        record.audit_id = id_at(made, number);
        let parts = split(&record, Digests::Plain);
        let (salt, idx) = (salt(number), i64::from(number));
        let commitment = commitment(&salt, &parts.payload);
        let leaf = leaf_hash(1, None, &parts.public, &commitment);
        let (made, day) = (made.cast_signed(), (made / DAY).cast_signed());
        log.execute(
            "INSERT INTO leaves VALUES (?1, ?2, ?3, 1, ?4, ?5, ?6, ?6, ?7, 'north', 'REJECTED', 'REJECT')",
            (idx, &record.audit_id.as_bytes()[..], &leaf.0[..], &parts.public, &commitment.0[..], made, day),
        )
        .unwrap();
        log.execute(
            "INSERT INTO payloads VALUES (?1, ?2, ?3, ?4, 'ada', ?5)",
            (idx, day, &salt.0[..], &parts.payload, &record.session_id),
        )
        .unwrap();
        log.execute("INSERT INTO reviews VALUES (?1, ?2, 1)", (idx, made)).unwrap();
        for node in frontier.push(leaf).into_iter().skip(1) {
            let row = (node.level, node.index.cast_signed(), &node.hash.0[..]);
            log.execute("INSERT INTO nodes VALUES (?1, ?2, ?3)", row).unwrap();
        }
        let size = frontier.size();
        log.execute(checkpoint, (size.cast_signed(), signer.sign(size, frontier.root()), made)).unwrap();
    }
    let before = (NOW / DAY + 2).cast_signed();
    log.execute_batch(&format!(
        "DELETE FROM reviews WHERE idx < 2; DELETE FROM payloads WHERE idx < 2;
         INSERT INTO erasures VALUES (1, {before}, 2, 5)"
    ))
    .unwrap();
}

#[tokio::test]
async fn an_older_log_verifies_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path());
    let before = common::state(folder.path());
    let found = offline(folder.path()).await;
    assert_eq!(common::told(&found), Vec::<String>::new());
    assert_eq!((found.entries, found.payloads_verified, found.payloads_erased), (6, 4, 2));
    assert_eq!(found.not_covered.len(), 3, "{:?}", found.not_covered);
    assert_eq!(common::state(folder.path()), before, "neither migrated nor backed up");

    let tamper = Connection::open(folder.path().join(DATABASE)).unwrap();
    tamper.execute_batch("DELETE FROM reviews WHERE idx = 4; DELETE FROM payloads WHERE idx = 4").unwrap();
    let told = common::told(&offline(folder.path()).await);
    assert!(told.len() == 1 && told[0].contains("entry 4 (01"), "{told:?}");
    tamper.execute_batch("CREATE TRIGGER t AFTER INSERT ON leaves BEGIN SELECT 1; END").unwrap();
    let refused = assay_audit::verify_folder(&common::options(folder.path()), None, None, None).await;
    assert!(refused.unwrap_err().message.contains("trigger t of leaves"));
}

#[tokio::test]
async fn an_older_log_migrates_and_its_erasures_become_a_leaf() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path());
    let store = sqlite(folder.path()).await;
    let backup = common::state(folder.path()).into_iter().find(|(name, ..)| name.ends_with(".v1.backup"));
    assert_eq!(backup.expect("a backup").1, 0o600);
    store.writer.append(record(7), salt(7), NOW).await.unwrap();
    let found = verified(store.clone()).await;
    assert_eq!(common::told(&found), Vec::<String>::new());
    assert_eq!((found.entries, found.payloads_verified, found.payloads_erased), (8, 5, 2));
    assert!(found.not_covered.len() == 1 && found.not_covered[0].starts_with("the first 6 entries"));
    let again = store.writer.append(
        {
            let mut record = record(3);
            record.audit_id = id_at(NOW + DAY * 3, 3);
            record
        },
        salt(9),
        NOW,
    );
    assert!(again.await.unwrap().repeated, "a redelivery finds the older leaf");
    store.writer.close().await;
    // From here on nothing may be missing without a leaf.
    let tamper = Connection::open(folder.path().join(DATABASE)).unwrap();
    tamper.execute_batch("DELETE FROM reviews WHERE idx = 4; DELETE FROM payloads WHERE idx = 4").unwrap();
    let told = common::told(&offline(folder.path()).await);
    assert!(told.iter().any(|told| told.contains("no erasure entry says so")), "{told:?}");
}
