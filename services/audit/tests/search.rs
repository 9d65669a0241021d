//! Finding records by words and every other filter, page by page, and what an erasure leaves of it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::collections::BTreeSet;
use std::path::Path;

use assay_audit::adapters::sqlite::DATABASE;
use assay_audit::ports::{Filter, Kept, Scope, Selector};
use assay_audit::words::words;
use assay_audit::{AuditError, Store};
use assay_domain::answer::{Layer, Route};
use assay_domain::report::Verdict;
use assay_domain::{Outcome, QueryType, Record};
use common::{DAY, NOW, id_at, identity, north, offline, options, salt, sqlite, told, verified};
use rusqlite::Connection;

/// Words of the records; each record has some of them.
const WORDS: [&str; 8] = ["importer", "Año", "add_param", "cola", "DRAWBRIDGE", "queue", "5,000", "don’t"];
const PEOPLE: [&str; 3] = ["ada", "bob", "eve"];
const VERDICTS: [Option<Verdict>; 4] =
    [Some(Verdict::Pass), Some(Verdict::Review), Some(Verdict::Reject), None];

/// The same small number for the same seeds.
fn pick(number: u16, what: u32, of: usize) -> usize {
    let mixed = (u32::from(number) + 1).wrapping_mul(2_654_435_761 ^ what.wrapping_mul(0x9E37_79B1));
    usize::try_from(mixed >> 13).unwrap() % of
}

fn record(number: u16) -> Record {
    let mut record = common::record(number);
    // Deliveries arrive out of order.
    record.audit_id = id_at(NOW + u64::from(number) * 10 - pick(number, 1, 50) as u64, number);
    record.identity =
        identity(if pick(number, 2, 5) == 0 { "south" } else { "north" }, PEOPLE[pick(number, 3, 3)], &[]);
    record.session_id = ["", "s-1", "s-2"][pick(number, 4, 3)].into();
    let query_type = [None, Some(QueryType::Retrieval), Some(QueryType::Platform)][pick(number, 5, 3)];
    record.route = query_type.map(|query_type| Route {
        query_type,
        layer: Layer::ALL[0],
        probability: 1.0,
        accepted: true,
        reason: String::new(),
    });
    record.outcome = Outcome::ALL[pick(number, 6, 2)];
    record.validation.as_mut().unwrap().status = VERDICTS[pick(number, 7, 4)];
    let some = |what: u32| -> Vec<&str> {
        WORDS
            .iter()
            .enumerate()
            .filter(|(at, _)| pick(number, what + *at as u32, 3) == 0)
            .map(|(_, word)| *word)
            .collect()
    };
    record.query = format!("What is {number}: {}?", some(20).join(" "));
    record.answer = format!("It is: {}.", some(40).join(", "));
    record
}

async fn fill(folder: &Path, count: u16) -> Store {
    let store = sqlite(folder).await;
    let appends = (0..count).map(|number| store.writer.append(record(number), salt(number), NOW));
    futures::future::try_join_all(appends).await.unwrap();
    store
}

/// Every page of a list, by the places in the log.
async fn pages(store: &Store, scope: &Scope, filter: &Filter, limit: usize) -> Vec<u64> {
    let (mut found, mut before) = (Vec::new(), None);
    loop {
        let filter = Filter { before, limit, ..filter.clone() };
        let page = store.records.list(scope, &filter).await.unwrap();
        let Some(last) = page.last() else { return found };
        before = Some(last.receipt.leaf_index);
        found.extend(page.iter().map(|kept| kept.receipt.leaf_index));
    }
}

/// Every record of a scope with its words.
async fn all(store: &Store, scope: &Scope, count: u16) -> Vec<(Kept, BTreeSet<String>)> {
    let mut all = Vec::new();
    for number in 0..count {
        if let Some(kept) = store.records.get(scope, record(number).audit_id).await.unwrap() {
            let text = format!("{} {}", kept.record.query, kept.record.answer);
            all.push((kept, words(&text)));
        }
    }
    all
}

/// What the filter says, without any index, newest first.
fn expected(all: &[(Kept, BTreeSet<String>)], filter: &Filter) -> Vec<u64> {
    let mut found = Vec::new();
    for (kept, all) in all {
        let record = &kept.record;
        let verdict = record.validation.as_ref().unwrap().status;
        let time = record.audit_id.unix_ms();
        if filter.outcome.is_none_or(|outcome| record.outcome == outcome)
            && (filter.verdicts.is_empty()
                || verdict.is_some_and(|verdict| filter.verdicts.contains(&verdict)))
            && filter
                .query_type
                .is_none_or(|of| record.route.as_ref().is_some_and(|route| route.query_type == of))
            && filter.session.as_ref().is_none_or(|session| &record.session_id == session)
            && filter.principal.as_ref().is_none_or(|principal| &record.identity.principal == principal)
            && filter.from_unix_ms.is_none_or(|from| time >= from)
            && filter.until_unix_ms.is_none_or(|until| time < until)
            && filter.words.is_subset(all)
        {
            found.push(kept.receipt.leaf_index);
        }
    }
    found.sort_unstable_by(|one, other| other.cmp(one));
    found
}

#[tokio::test]
async fn every_mix_of_filters_lists_what_a_scan_finds() {
    const COUNT: u16 = 1_500;
    let folder = tempfile::tempdir().unwrap();
    let store = fill(folder.path(), COUNT).await;
    let scopes = [north(), Scope { principal: Some("bob".into()), ..north() }];
    let all = [all(&store, &scopes[0], COUNT).await, all(&store, &scopes[1], COUNT).await];
    let (mut found, mut empty) = (0, 0);
    for number in 0..60_u16 {
        let one_in = |what: u32, of: usize| pick(number, what, of) == 0;
        let filter = Filter {
            outcome: one_in(1, 4).then(|| Outcome::ALL[pick(number, 2, 2)]),
            verdicts: VERDICTS
                .into_iter()
                .flatten()
                .filter(|_| one_in(3, 4))
                .take(1 + pick(number, 4, 2))
                .collect(),
            query_type: one_in(5, 3).then_some(QueryType::Platform),
            session: one_in(6, 4).then(|| "s-1".to_owned()),
            principal: one_in(7, 3).then(|| "ada".to_owned()),
            words: WORDS
                .iter()
                .filter(|_| one_in(8, 2))
                .skip(pick(number, 9, 8))
                .take(2)
                .flat_map(|word| words(word))
                .collect(),
            from_unix_ms: one_in(10, 3).then_some(NOW + 3_000),
            until_unix_ms: one_in(11, 3).then_some(NOW + 9_000),
            ..Filter::default()
        };
        let of = usize::from(one_in(12, 4));
        let (scope, expected) = (&scopes[of], expected(&all[of], &filter));
        found += usize::from(!expected.is_empty());
        empty += usize::from(expected.is_empty());
        assert_eq!(pages(&store, scope, &filter, 7).await, expected, "{scope:?} {filter:?}");
    }
    assert!(found > 30 && empty > 2, "{found} lists with records, {empty} without");
}

async fn search(store: &Store, text: &str) -> Vec<u64> {
    pages(store, &north(), &Filter { words: words(text), ..Filter::default() }, 1_000).await
}

#[tokio::test]
async fn words_of_question_and_kept_answer_are_found_in_any_form() {
    let folder = tempfile::tempdir().unwrap();
    let store = sqlite(folder.path()).await;
    let mut doubted = common::record(0);
    doubted.query = "¿Cuándo paró la COLA?".into();
    doubted.answer = "After add_param, at noon.".into();
    let mut passed = common::passed(1);
    (passed.query, passed.answer) = ("When?".into(), "At noon.".into());
    for (number, record) in [doubted, passed].into_iter().enumerate() {
        store.writer.append(record, salt(number as u16), NOW).await.unwrap();
    }
    for (text, expected) in [
        ("cuando paro", &[0][..]),
        ("CUÁNDO cola noon", &[0]),
        ("param", &[0]),
        ("Add_Param", &[0]),
        ("when", &[1]),
        ("cuando when", &[]),
        ("noo", &[]),
        ("drawbridge", &[]),
    ] {
        assert_eq!(search(&store, text).await, expected, "{text}");
    }
    assert_eq!(search(&store, "noon").await, [0], "the answer that passed is kept as a digest alone");
}

/// The bytes of every file of the folder, as text.
fn disk(folder: &Path) -> String {
    let files = std::fs::read_dir(folder).unwrap().map(|file| std::fs::read(file.unwrap().path()).unwrap());
    files.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).collect()
}

/// Words of the search table with the number of their payloads.
fn rows(folder: &Path, word: &str) -> i64 {
    let log = Connection::open(folder.join(DATABASE)).unwrap();
    log.query_row("SELECT count(*) FROM words WHERE word = ?1", [word], |row| row.get(0)).unwrap()
}

#[tokio::test]
async fn erased_words_are_found_no_more_and_are_on_no_disk() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let store = sqlite(path).await;
    for number in 0..400 {
        let mut record = common::record(number);
        // Words that nobody else has, of all beginnings, so that trees split between them.
        record.query = format!("{:02x}QuinceÑ{number}x under the drawbridge", number % 251);
        record.audit_id = id_at(NOW + DAY * u64::from(number / 200), number);
        record.identity.principal = if number % 2 == 0 { "ada" } else { "bob" }.into();
        record.session_id = format!("desk-{number}x");
        store.writer.append(record, salt(number), NOW).await.unwrap();
    }
    let word = |number: u16| format!("{:02x}quincen{number}x", number % 251);
    assert!(disk(path).contains(&word(7)) && !search(&store, &word(7)).await.is_empty());
    let leaves = store.log.entries(0, 400).await.unwrap();

    // As the service does: until nothing is left to erase. A process that dies in between is no reason to keep words,
    // and a reader of the state before is one to say that it is not done.
    let erase =
        async |store: &Store| store.notes.erase("north", Selector::Principal("ada".into()), NOW).await;
    assert_eq!(erase(&store).await.unwrap().payloads, 200);
    store.writer.close().await;
    let store = sqlite(path).await;
    let other = Connection::open(path.join(DATABASE)).unwrap();
    other.execute_batch("BEGIN; SELECT count(*) FROM leaves").unwrap();
    assert_eq!(erase(&store).await.unwrap_err(), AuditError::Read);
    other.execute_batch("COMMIT").unwrap();
    assert_eq!(erase(&store).await.unwrap().payloads, 0);
    let left = disk(path);
    for number in 0..400 {
        let stays = number % 2 == 1;
        assert_eq!(!search(&store, &word(number)).await.is_empty(), stays, "{number}");
        for text in [word(number), format!("QuinceÑ{number}x"), format!("desk-{number}x")] {
            assert_eq!(left.contains(&text), stays, "{text}");
        }
    }
    assert_eq!(search(&store, "drawbridge").await.len(), 200);

    for expected in [100, 0] {
        assert_eq!(store.writer.erase_before(NOW / DAY + 1, NOW).await.unwrap().payloads, expected);
    }
    let left = disk(path);
    let expired = (1..200).step_by(2).find(|number| left.contains(&word(*number)));
    assert_eq!(expired, None, "expiry leaves no word either");
    assert_eq!(search(&store, "drawbridge").await.len(), 100);
    assert_eq!((rows(path, &word(3)), rows(path, &word(203))), (0, 1));
    let after = store.log.entries(0, 400).await.unwrap();
    assert!(leaves.iter().zip(&after).all(|(before, after)| before.entry.leaf == after.entry.leaf));
    assert_eq!(told(&verified(store).await), Vec::<String>::new());
}

#[tokio::test]
async fn words_of_a_changed_payload_go_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let store = fill(folder.path(), 20).await;
    let tamper = Connection::open(folder.path().join(DATABASE)).unwrap();
    tamper.execute("UPDATE payloads SET payload = '{}' WHERE idx = 3", []).unwrap();
    let words = "SELECT count(*) FROM words WHERE idx = 3";
    let count = |log: &Connection| log.query_row(words, [], |row| row.get::<_, i64>(0)).unwrap();
    assert!(count(&tamper) > 3);
    let of = Selector::Record(record(3).audit_id);
    let tenant = record(3).identity.tenant;
    assert_eq!(store.notes.erase(&tenant, of, NOW).await.unwrap().payloads, 1);
    assert_eq!(count(&tamper), 0);
}

#[tokio::test]
async fn a_verification_names_words_without_record_and_no_others() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path(), 20).await.writer.close().await;
    let log = Connection::open(folder.path().join(DATABASE)).unwrap();
    log.execute("DELETE FROM words WHERE idx < 10", []).unwrap();
    assert_eq!(told(&offline(folder.path()).await), Vec::<String>::new());
    log.execute("INSERT INTO words VALUES (0, 'left', 77)", []).unwrap();
    log.execute("INSERT INTO words VALUES (5, 'elsewhere', 12)", []).unwrap();
    let found = told(&offline(folder.path()).await);
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found.iter().any(|told| told.contains("word of entry 77 belongs to no entry")), "{found:?}");
}

/// Takes the log back to version 3 of its tables.
fn downgrade(folder: &Path) {
    let log = Connection::open(folder.join(DATABASE)).unwrap();
    log.execute_batch(
        "DROP TABLE words; DROP INDEX leaves_by_type; ALTER TABLE leaves DROP COLUMN query_type;
         DROP INDEX leaves_by_tenant; CREATE INDEX leaves_by_tenant ON leaves (tenant, idx);
         CREATE INDEX leaves_by_time ON leaves (tenant, unix_ms, idx);
         DROP INDEX leaves_by_verdict; CREATE INDEX leaves_by_verdict ON leaves (tenant, verdict, idx);
         PRAGMA user_version = 3",
    )
    .unwrap();
}

#[tokio::test]
async fn a_migration_fills_the_search_and_an_erasure_takes_its_backup() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fill(path, 60).await.writer.close().await;
    downgrade(path);
    std::fs::write(path.join("audit.sqlite3.v2.backup"), "of an earlier migration").unwrap();
    std::fs::write(path.join("audit.sqlite3.vx.backup"), "of somebody").unwrap();
    // Whoever only reads a copy finds words too.
    let copy = assay_audit::adapters::sqlite::SqliteReader::copied(&options(path), None).await.unwrap();
    let filter = Filter { words: words("importer"), limit: 100, ..Filter::default() };
    let copied = assay_audit::ports::Records::list(&copy, &north(), &filter).await.unwrap().len();

    let store = sqlite(path).await;
    for filter in [
        Filter { words: words("año importer"), ..Filter::default() },
        Filter { query_type: Some(QueryType::Retrieval), ..Filter::default() },
    ] {
        let found = pages(&store, &north(), &filter, 5).await;
        assert!(!found.is_empty());
        assert_eq!(found, expected(&all(&store, &north(), 60).await, &filter));
    }
    assert_eq!(search(&store, "importer").await.len(), copied);
    assert_eq!(told(&verified(store.clone()).await), Vec::<String>::new());
    let backups = || {
        let files =
            std::fs::read_dir(path).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = files.filter(|name| name.ends_with(".backup")).collect();
        names.sort();
        names
    };
    let made = ["audit.sqlite3.v2.backup", "audit.sqlite3.v3.backup"];
    assert_eq!(backups(), [made[0], made[1], "audit.sqlite3.vx.backup"]);
    assert_eq!(store.writer.erase_before(NOW / DAY - 1, NOW).await.unwrap().backups, Vec::<String>::new());
    assert_eq!(backups().len(), 3, "nothing was erased");
    // Nothing of this principal is left in the log; the backup may know better.
    let nobody = Selector::Principal("nobody".into());
    assert_eq!(store.notes.erase("north", nobody.clone(), NOW).await.unwrap().backups, made);
    assert_eq!(backups(), ["audit.sqlite3.vx.backup"]);
    assert_eq!(store.notes.erase("north", nobody, NOW).await.unwrap().backups, Vec::<String>::new());
    store.writer.close().await;

    downgrade(path);
    let store = sqlite(path).await;
    let erased = store.writer.erase_before(NOW / DAY + 1, NOW).await.unwrap();
    assert_eq!((erased.payloads, erased.backups), (60, vec![made[1].to_owned()]), "retention as well");
}
