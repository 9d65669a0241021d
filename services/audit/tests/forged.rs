//! Whatever is changed in a log, its verification names: by hand, column by column, bit by bit.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::path::Path;

use assay_audit::adapters::sqlite::DATABASE;
use assay_audit::options::KEY_FILE;
use assay_audit::ports::{Notes as _, Remark, Remarked, Writer as _};
use assay_audit::{Options, Verification, verify_folder};
use assay_domain::Failure;
use assay_ledger::Said;
use common::{DAY, NOW, id_at, north, open_with, options, passed, record, salt};
use rusqlite::Connection;
use rusqlite::types::ValueRef;
use tempfile::TempDir;

/// A log as bytes: database and key.
struct Sample {
    database: Vec<u8>,
    key: Vec<u8>,
}

impl Sample {
    /// `count` records of three days, of which the first day is erased; a full review queue that samples.
    async fn new(count: u16) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let few = Options { review_open: 3, review_sample: 2, ..options(folder.path()) };
        let log = open_with(&few).await.unwrap();
        for number in 0..count {
            let mut record = if number % 4 == 2 { passed(number) } else { record(number) };
            record.audit_id = id_at(NOW + DAY * u64::from(number % 3), number);
            log.append(record, salt(number), NOW + DAY * 3 + u64::from(number)).await.unwrap();
        }
        let erased = log.erase_before(NOW / DAY + 1, NOW + DAY * 4).await.unwrap();
        assert!(erased.payloads > 2);
        let remark = Remark {
            id: id_at(NOW + DAY * 4, 900),
            about: id_at(NOW + DAY, 1),
            scope: north(),
            said: Said::Wrong,
            claim: Some(1),
            principal: "ada".into(),
            reason: "no such page".into(),
            salt: salt(900),
            now_unix_ms: NOW + DAY * 4,
        };
        assert!(matches!(log.remark(remark).await, Ok(Remarked::Stored(_))));
        log.append(record(count), salt(count), NOW + DAY * 4).await.unwrap();
        log.close().await;
        let read = |name| std::fs::read(folder.path().join(name)).unwrap();
        Self { database: read(DATABASE), key: read(KEY_FILE) }
    }

    fn put(&self, folder: &Path) {
        std::fs::write(folder.join(DATABASE), &self.database).unwrap();
        if !folder.join(KEY_FILE).exists() {
            std::fs::write(folder.join(KEY_FILE), &self.key).unwrap();
            std::os::unix::fs::chown(folder.join(KEY_FILE), None, None).unwrap();
            close(&folder.join(KEY_FILE));
        }
    }

    fn folder(&self) -> TempDir {
        let folder = tempfile::tempdir().unwrap();
        self.put(folder.path());
        folder
    }
}

fn close(path: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).unwrap();
}

async fn verify(folder: &Path) -> Result<Verification, Failure> {
    verify_folder(&options(folder), None, None, None).await.map(|verified| verified.verification)
}

/// Whether a verification noticed something: by a finding, or because it could not even begin.
fn noticed(result: &Result<Verification, Failure>) -> bool {
    result.as_ref().map_or(true, |verification| !verification.holds())
}

fn tamper(folder: &Path, statement: &str) -> rusqlite::Result<usize> {
    let connection = Connection::open(folder.join(DATABASE)).unwrap();
    connection.pragma_update(None, "foreign_keys", false).unwrap();
    connection.execute_batch(statement).map(|()| usize::try_from(connection.changes()).unwrap())
}

async fn findings_after(sample: &Sample, statement: &str) -> Vec<String> {
    let folder = sample.folder();
    tamper(folder.path(), statement).unwrap();
    match verify(folder.path()).await {
        Ok(verification) => common::told(&verification),
        Err(failure) => vec![failure.message],
    }
}

#[tokio::test]
async fn an_untouched_log_holds() {
    let folder = Sample::new(12).await.folder();
    let whole = verify(folder.path()).await.unwrap();
    assert_eq!(common::told(&whole), Vec::<String>::new());
    assert!(
        matches!(whole.not_covered.as_slice(), [only] if only.starts_with("whether entries were cut off")),
        "{:?}",
        whole.not_covered
    );
    assert_eq!((whole.entries, whole.payloads_erased, whole.payloads_verified), (15, 4, 10));
}

/// One statement for each way to change a table: from the schema, so that a new column is covered by itself.
fn mutations(connection: &Connection) -> Vec<String> {
    let mut statements = Vec::new();
    let names = |query: &str| -> Vec<String> {
        let mut query = connection.prepare(query).unwrap();
        query.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    };
    for table in names("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name") {
        let key = names(&format!("SELECT name FROM pragma_table_info('{table}') WHERE pk > 0")).join(", ");
        let unique = names(&format!(
            "SELECT DISTINCT i.name FROM pragma_index_list('{table}') l, pragma_index_info(l.name) i WHERE l.\"unique\""
        ));
        let columns: Vec<(String, String, bool)> = {
            let query = format!("SELECT name, type, \"notnull\" + pk = 0 FROM pragma_table_info('{table}')");
            let mut query = connection.prepare(&query).unwrap();
            let rows = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).unwrap();
            rows.map(Result::unwrap).collect()
        };
        let changed = |(name, kind, _): &(String, String, bool)| match kind.as_str() {
            "INTEGER" => format!("coalesce({name}, 0) + 1000003"),
            "TEXT" => format!("coalesce({name}, '') || 'x'"),
            "BLOB" => format!("randomblob(length({name}))"),
            other => panic!("a column of type {other:?} needs a mutation of its own"),
        };
        for order in ["ASC", "DESC"] {
            let by = key.split(", ").map(|column| format!("{column} {order}")).collect::<Vec<_>>().join(", ");
            let one = format!("({key}) = (SELECT {key} FROM {table} ORDER BY {by} LIMIT 1)");
            for column in &columns {
                let name = &column.0;
                statements.push(format!("UPDATE {table} SET {name} = {} WHERE {one}", changed(column)));
                if column.2 {
                    statements
                        .push(format!("UPDATE {table} SET {name} = NULL WHERE {one} AND {name} NOT NULL"));
                }
            }
            statements.push(format!("DELETE FROM {table} WHERE {one}"));
            let copied = columns.iter().map(|column| {
                let is_key = key.split(", ").any(|key| key == column.0) || unique.contains(&column.0);
                if is_key { changed(column) } else { column.0.clone() }
            });
            let copied = copied.collect::<Vec<_>>().join(", ");
            statements
                .push(format!("INSERT INTO {table} SELECT {copied} FROM {table} ORDER BY {by} LIMIT 1"));
        }
    }
    statements
}

#[tokio::test]
async fn every_table_and_column_is_covered() {
    let sample = Sample::new(12).await;
    let statements = mutations(&Connection::open(sample.folder().path().join(DATABASE)).unwrap());
    assert!(statements.len() > 70, "{}", statements.len());
    let mut unnoticed = Vec::new();
    for statement in &statements {
        let folder = sample.folder();
        let changed = tamper(folder.path(), statement).unwrap_or_else(|error| panic!("{statement}: {error}"));
        // The newest or oldest row may have nothing there to take away.
        if changed == 0 && statement.contains("= NULL") {
            continue;
        }
        assert_eq!(changed, 1, "{statement}");
        // A word that is gone or changed is not found any more; the log does not rest on it.
        let of_words =
            statement.starts_with("UPDATE words SET word") || statement.starts_with("DELETE FROM words");
        if noticed(&verify(folder.path()).await) == of_words {
            unnoticed.push(statement);
        }
    }
    assert!(unnoticed.is_empty(), "{} of {}: {unnoticed:#?}", unnoticed.len(), statements.len());
    println!("{} mutations of {} tables, all noticed but those of words", statements.len(), 8);
}

#[tokio::test]
async fn every_kind_of_tampering_is_named_with_its_place() {
    let sample = Sample::new(12).await;
    for (statement, expected) in [
        (
            "UPDATE payloads SET payload = replace(payload, 'question 4', 'question 5') WHERE idx = 4",
            "entry 4 (01",
        ),
        ("UPDATE leaves SET public = replace(public, '12.5', '13.5') WHERE idx = 3", "entry 3 (01"),
        ("UPDATE leaves SET commitment = zeroblob(32) WHERE idx = 2", "entry 2 (01"),
        ("UPDATE leaves SET leaf = zeroblob(32) WHERE idx = 1", "entry 1 (01"),
        ("UPDATE leaves SET header = replace(header, 'one_in', 'onein') WHERE idx = 1", "entry 1: the header"),
        ("UPDATE leaves SET tenant = 'south' WHERE idx = 6", "tenant is \"south\", the signed texts say \"north\""),
        ("UPDATE leaves SET outcome = 'ANSWERED' WHERE idx = 5", "the stored outcome is \"ANSWERED\""),
        ("UPDATE leaves SET verdict = 'PASS' WHERE idx = 5", "the stored verdict is \"PASS\""),
        ("UPDATE leaves SET query_type = 'PLATFORM' WHERE idx = 5", "the stored query_type is \"PLATFORM\""),
        ("UPDATE leaves SET unix_ms = 1 WHERE idx = 5", "the stored unix_ms is 1,"),
        ("UPDATE leaves SET stored_unix_ms = 1 WHERE idx = 5", "the stored stored_unix_ms is 1,"),
        ("UPDATE leaves SET audit_id = randomblob(16) WHERE idx = 6", "the stored audit_id is"),
        ("UPDATE payloads SET principal = 'eve' WHERE idx = 5", "principal is \"eve\", the signed texts say \"ada\""),
        ("UPDATE payloads SET session_id = 'x' WHERE idx = 5", "the stored session_id is \"x\""),
        ("UPDATE payloads SET day = 1 WHERE idx = 5", "the stored day is 1,"),
        ("DELETE FROM payloads WHERE idx = 5", "entry 5 (01"),
        ("DELETE FROM payloads WHERE idx = 5", "the payload is gone and no erasure entry says so"),
        (
            "INSERT INTO payloads SELECT 3, day, salt, payload, principal, session_id FROM payloads WHERE idx = 4",
            "entry 3: the payload is there, entry 12 says that it was erased",
        ),
        ("UPDATE payloads SET payload = '{}' WHERE idx = 5", "entry 5: the payload text"),
        ("DELETE FROM leaves WHERE idx = 4", "entry 5 stands where entry 4 belongs"),
        ("UPDATE nodes SET hash = zeroblob(32) WHERE level = 1 AND idx = 1", "stored node (level 1, index 1)"),
        ("DELETE FROM nodes WHERE level = 2 AND idx = 0", "stored node (level 2, index 0)"),
        ("INSERT INTO nodes VALUES (1, 7, zeroblob(32))", "node (level 1, index 7) belongs to no entry"),
        (
            "UPDATE checkpoints SET note = replace(note, '\n4\n', '\n5\n') WHERE size = 4",
            "checkpoint 5: the signature",
        ),
        (
            "UPDATE checkpoints SET note = (SELECT note FROM checkpoints WHERE size = 3) || 'x' WHERE size = 4",
            "checkpoint 5: the checkpoint is malformed",
        ),
        (
            "UPDATE checkpoints SET note = note || '— witness AAAAAAECAwQF\n' WHERE size = 4",
            "the note of size 4 is not as the log wrote it",
        ),
        (
            "DELETE FROM payloads WHERE idx = 14; DELETE FROM leaves WHERE idx = 14",
            "is of 15 entries, the log has 14",
        ),
        ("UPDATE meta SET value = 'other/0' WHERE name = 'origin'", "the checkpoint is of log"),
        ("UPDATE reviews SET one_in = 9", "was drawn 1 in"),
        ("UPDATE notes SET said = 'RIGHT'", "notes: entry 13 does not say RIGHT of entry 1"),
        ("DELETE FROM notes", "notes: entry 13 is a note and has no row"),
        ("INSERT INTO notes VALUES (12, 3, 'RIGHT')", "notes: entry 12 has a row and is no note"),
        (
            "UPDATE payloads SET payload = replace(payload, 'no such page', 'a fine page') WHERE idx = 13",
            "entry 13 (01",
        ),
        ("UPDATE leaves SET public = replace(public, 'WRONG', 'RIGHT') WHERE idx = 13", "entry 13 (01"),
        ("ALTER TABLE meta ADD COLUMN more TEXT", "the database defines table meta of meta otherwise"),
        // The mutations of the review that nothing noticed.
        ("DELETE FROM reviews", "awaits review and is not in the queue"),
        ("INSERT INTO reviews VALUES (2, 1)", "reviews: entry 2 is in the queue"),
        ("DELETE FROM checkpoints WHERE size = 7", "the checkpoint of size 7 is missing"),
        (
            "DELETE FROM payloads; INSERT INTO meta VALUES ('erased_before', '1000000')",
            "meta holds erased_before, which only a log of format 1 has",
        ),
        ("DELETE FROM payloads", "the payload is gone and no erasure entry says so"),
        (
            "CREATE TRIGGER t AFTER INSERT ON leaves BEGIN DELETE FROM payloads; DELETE FROM reviews; END",
            "the database has a trigger t of leaves",
        ),
        ("CREATE VIEW v AS SELECT 1", "the database has a view v of v"),
        (
            "INSERT INTO leaves SELECT idx + 1, randomblob(16), leaf, version, public, commitment, stored_unix_ms,
                 unix_ms, tenant, outcome, verdict, header, query_type FROM leaves WHERE idx = 14;
             INSERT INTO payloads SELECT idx + 1, day, salt, payload, principal, session_id FROM payloads
                 WHERE idx = 14;
             INSERT INTO nodes VALUES (1, 7, zeroblob(32))",
            "no valid checkpoint covers the entries from 15 on; the log has 16",
        ),
    ] {
        let found = findings_after(&sample, statement).await;
        assert!(found.iter().any(|finding| finding.contains(expected)), "{statement}: {found:#?}");
    }
}

/// Cuts a log back to its first `size` leaves, as far as SQL goes.
fn cut(size: u64) -> String {
    format!(
        "DELETE FROM words WHERE idx >= {size}; DELETE FROM payloads WHERE idx >= {size}; DELETE FROM reviews WHERE idx >= {size};
         DELETE FROM leaves WHERE idx >= {size}; DELETE FROM nodes WHERE (idx + 1) << level > {size};
         DELETE FROM checkpoints WHERE size > {size}"
    )
}

/// What the router keeps, as it keeps it.
fn outbox(folder: &Path, heads: &[(&str, u64, [u8; 32], u64)]) -> std::path::PathBuf {
    let file = folder.join("outbox.sqlite");
    let connection = Connection::open(&file).unwrap();
    connection
        .execute_batch(
            "CREATE TABLE audit_head (log_id TEXT PRIMARY KEY, size INTEGER, root BLOB, unix_ms INTEGER)",
        )
        .unwrap();
    for (log_id, size, root, unix_ms) in heads {
        let size = i64::try_from(*size).unwrap();
        let row = (log_id, size, &root[..], i64::try_from(*unix_ms).unwrap());
        connection.execute("INSERT INTO audit_head VALUES (?1, ?2, ?3, ?4)", row).unwrap();
    }
    file
}

#[tokio::test]
async fn a_log_that_was_rolled_back_does_not_hold() {
    let folder = tempfile::tempdir().unwrap();
    let log = open_with(&options(folder.path())).await.unwrap();
    let mut head = None;
    for number in 0..9 {
        head = Some(log.append(record(number), salt(number), NOW).await.unwrap().head);
    }
    log.close().await;
    let head = head.unwrap();
    let checkpoint = verify_folder(&options(folder.path()), None, None, None).await.unwrap().note;
    let seen =
        outbox(folder.path(), &[(&head.log_id, head.size, head.root.0, 5), ("older/0", 3, [0; 32], 4)]);
    let told = async |note: Option<&str>, outbox: Option<&Path>| {
        let found =
            verify_folder(&options(folder.path()), None, note.map(str::to_owned), outbox).await.unwrap();
        (common::told(&found.verification), found.verification.not_covered)
    };
    let (findings, others) = told(Some(&checkpoint), Some(&seen)).await;
    assert_eq!(findings, Vec::<String>::new());
    assert!(others[0].starts_with("the router saw log \"older/0\" with 3 entries"), "{others:?}");
    for size in [8, 5, 1, 0] {
        tamper(folder.path(), &cut(size)).unwrap();
        assert_eq!(told(None, None).await.0, Vec::<String>::new(), "alone it looks whole");
        assert_eq!(
            told(None, Some(&seen)).await.0,
            [format!("rolled back: the router saw 9 entries, the log has {size}")]
        );
        let (found, _) = told(Some(&checkpoint), None).await;
        assert!(found[0].contains(&format!("is of 9 entries, the log has {size}")), "{found:?}");
    }
    let log = open_with(&options(folder.path())).await.unwrap();
    for number in 20..30 {
        log.append(record(number), salt(number), NOW).await.unwrap();
    }
    log.close().await;
    let (found, _) = told(None, Some(&seen)).await;
    assert!(found[0].starts_with("rewritten: at 9 entries the router saw root"), "{found:?}");
    let other = outbox(tempfile::tempdir().unwrap().path(), &[("another/0", 3, [0; 32], 9)]);
    assert!(!other.exists(), "its folder is gone, as a router elsewhere");
    assert_eq!(told(None, Some(&other)).await.0, Vec::<String>::new());
}

#[tokio::test]
async fn another_log_in_the_place_of_the_newest_is_named() {
    let folder = Sample::new(12).await.folder();
    let seen = outbox(folder.path(), &[("another/0", 31, [0; 32], 9)]);
    let found = verify_folder(&options(folder.path()), None, None, Some(&seen)).await.unwrap();
    let told = common::told(&found.verification);
    assert!(told[0].starts_with("the router saw log \"another/0\" with 31 entries; this is log"), "{told:?}");
}

#[tokio::test]
async fn verifying_writes_nothing_on_read_only_media() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = Sample::new(12).await.folder();
    let mode = |path: &Path, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    for file in std::fs::read_dir(folder.path()).unwrap() {
        mode(&file.unwrap().path(), 0o400);
    }
    mode(folder.path(), 0o500);
    let before = common::state(folder.path());
    let whole = verify(folder.path()).await.unwrap();
    assert_eq!((common::told(&whole), whole.entries), (vec![], 15));
    assert_eq!(common::state(folder.path()), before);
    mode(folder.path(), 0o700);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn verifying_works_beside_a_serving_log() {
    let folder = tempfile::tempdir().unwrap();
    let log = open_with(&options(folder.path())).await.unwrap();
    log.append(record(0), salt(0), NOW).await.unwrap();
    let writing = async {
        for number in 1..400 {
            log.append(record(number), salt(number), NOW).await.unwrap();
        }
    };
    let reading = async {
        let mut sizes = Vec::new();
        for _ in 0..12 {
            let found = verify(folder.path()).await.unwrap();
            assert_eq!(common::told(&found), Vec::<String>::new());
            sizes.push(found.entries);
        }
        sizes
    };
    let ((), sizes) = tokio::join!(writing, reading);
    assert!(sizes.is_sorted(), "{sizes:?}");
    assert_eq!(verify(folder.path()).await.unwrap().entries, 400);
}

/// Everything that the tables hold, and the schema; an error where they cannot be read.
fn dump(file: &Path) -> rusqlite::Result<Vec<String>> {
    let connection = Connection::open(file)?;
    let mut rows = Vec::new();
    for table in ["sqlite_schema", "meta", "leaves", "payloads", "nodes", "checkpoints", "reviews"] {
        // The root page of a table is a place, not content.
        let columns = if table == "sqlite_schema" { "type, name, tbl_name, sql" } else { "*" };
        let mut query = connection.prepare(&format!("SELECT {columns} FROM {table} NOT INDEXED"))?;
        let width = query.column_count();
        let mut found = query.query([])?;
        while let Some(row) = found.next()? {
            let mut text = table.to_owned();
            for column in 0..width {
                match row.get_ref(column)? {
                    ValueRef::Text(bytes) | ValueRef::Blob(bytes) => text.push_str(&hex::encode(bytes)),
                    other => text.push_str(&format!("{other:?}")),
                }
                text.push('|');
            }
            rows.push(text);
        }
    }
    rows.sort();
    Ok(rows)
}

/// Flips of single bits; `ASSAY_FLIPS` asks for another number.
const FLIPS: usize = 400;

#[tokio::test]
#[allow(clippy::disallowed_methods, reason = "the number of flips is asked for in the environment")]
async fn a_flipped_bit_of_stored_content_is_noticed() {
    let flips = std::env::var("ASSAY_FLIPS").map_or(FLIPS, |flips| flips.parse().unwrap());
    let sample = Sample::new(98).await;
    let folder = sample.folder();
    let file = folder.path().join(DATABASE);
    let original = dump(&file).unwrap();
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let (mut changed, mut caught, mut unreadable, mut missed) = (0, 0, 0, Vec::new());
    for _ in 0..flips {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let bit = usize::try_from(state >> 16).unwrap() % (sample.database.len() * 8);
        let mut flipped = sample.database.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        Sample { database: flipped, key: Vec::new() }.put(folder.path());
        let result = verify(folder.path()).await;
        let found = dump(&file);
        for side in ["-wal", "-shm"] {
            let _ = std::fs::remove_file(folder.path().join(format!("{DATABASE}{side}")));
        }
        if found.as_ref() == Ok(&original) {
            continue;
        }
        changed += 1;
        unreadable += usize::from(found.is_err());
        if noticed(&result) {
            caught += 1;
        } else {
            missed.push((
                bit,
                found.map(|rows| rows.into_iter().filter(|row| !original.contains(row)).collect::<Vec<_>>()),
            ));
        }
    }
    println!(
        "{flips} flips in {} bytes: {changed} changed content ({unreadable} left it unreadable), {caught} of them noticed",
        sample.database.len()
    );
    assert!(missed.is_empty(), "{missed:#?}");
    assert!(changed > flips / 4, "too few flips met content: {changed}");
}
