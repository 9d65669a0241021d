//! What people do with records: review, feedback, reading what is others', erasing; the log holds all of it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use assay_audit::ports::{Filter, Selector, Waiting, WaitingFilter};
use assay_audit::{Audit, Options, REASON_CHARS, Store};
use assay_domain::report::{Check, CheckName, CheckStatus, Verdict};
use assay_domain::{Code, Failure, Identity, Record, Role};
use assay_ledger::{Line, Said};
use common::{NOW, fresh, identity, open_with, options, passed, record, salt};

fn reviewer(name: &str) -> Identity {
    identity("north", name, &[Role::Ask, Role::Review])
}

fn ada() -> Identity {
    identity("north", "ada", &[Role::Ask])
}

/// A log with this many doubted records of ada.
async fn log(folder: &std::path::Path, count: u16) -> (Audit, Store) {
    let store = common::store(open_with(&options(folder)).await.unwrap());
    let audit = common::audit(store.clone());
    for number in 0..count {
        audit.append(record(number), salt(number), NOW).await.unwrap();
    }
    (audit, store)
}

async fn waiting(audit: &Audit, by: &Identity, number: u16) -> Vec<Waiting> {
    let filter = WaitingFilter { limit: 100, ..WaitingFilter::default() };
    audit.waiting(by, filter, fresh(number)).await.unwrap().0
}

async fn decide(audit: &Audit, by: &Identity, number: u16, said: Said, note: u16) -> Result<(), Failure> {
    let why = "the page says so";
    audit.say(by, record(number).audit_id, said, None, why, fresh(note)).await.map(drop)
}

async fn holds(store: &Store) {
    let verified = common::verified(store.clone()).await;
    assert_eq!(common::told(&verified), Vec::<String>::new());
}

#[tokio::test]
async fn a_decision_is_a_leaf_and_takes_the_record_out_of_the_queue() {
    let folder = tempfile::tempdir().unwrap();
    let (audit, store) = log(folder.path(), 3).await;
    let ann = reviewer("ann");
    assert_eq!(waiting(&audit, &ann, 100).await.len(), 3, "the oldest first");
    decide(&audit, &ann, 1, Said::Overturn, 101).await.unwrap();
    let left: Vec<u64> =
        waiting(&audit, &ann, 102).await.iter().map(|one| one.kept.receipt.leaf_index).collect();
    assert_eq!(left, [0, 2]);
    let kept = audit.get(&ada(), record(1).audit_id, fresh(103)).await.unwrap();
    let noted = audit.noted(&kept).await.unwrap();
    assert_eq!(noted.len(), 1);
    let note = &noted[0].note;
    assert_eq!(
        (note.said, note.principal.as_str(), note.reason.as_str()),
        (Said::Overturn, "ann", "the page says so")
    );

    let again = decide(&audit, &ann, 1, Said::Confirm, 104).await.unwrap_err();
    assert_eq!(again.code, Code::RequestConflict, "a decision stands");
    holds(&store).await;
    audit.close().await;
    let offline = common::offline(folder.path()).await;
    assert_eq!(common::told(&offline), Vec::<String>::new());
}

#[tokio::test]
async fn who_may_not_decide_is_told_why() {
    let folder = tempfile::tempdir().unwrap();
    let (audit, _) = log(folder.path(), 1).await;
    let id = record(0).audit_id;
    let say = async |by: &Identity, said, why: &str| {
        let failure = audit.say(by, id, said, None, why, fresh(100)).await.unwrap_err();
        (failure.code, failure.field)
    };
    assert_eq!(say(&ada(), Said::Confirm, "x").await, (Code::PermissionDenied, "roles".into()));
    assert_eq!(say(&reviewer("ann"), Said::Confirm, " ").await, (Code::InvalidArgument, "reason".into()));
    let long = "x".repeat(REASON_CHARS + 1);
    assert_eq!(say(&reviewer("ann"), Said::Confirm, &long).await, (Code::InvalidArgument, "reason".into()));
    let south = identity("south", "sam", &[Role::Review]);
    assert_eq!(say(&south, Said::Confirm, "x").await, (Code::NotFound, "audit_id".into()));
    assert_eq!(say(&identity("north", "bob", &[Role::Ask]), Said::Wrong, "").await.0, Code::NotFound);
    assert_eq!(
        audit.erase(&ada(), Selector::Principal("ada".into()), NOW).await.unwrap_err().code,
        Code::PermissionDenied
    );
}

#[tokio::test]
async fn a_record_in_hand_is_nobody_elses_for_a_while() {
    let folder = tempfile::tempdir().unwrap();
    let (audit, store) = log(folder.path(), 2).await;
    let (ann, bob, id) = (reviewer("ann"), reviewer("bob"), record(0).audit_id);
    audit.claim(&ann, id, false, NOW).await.unwrap();
    assert_eq!(waiting(&audit, &bob, 100).await[0].held.as_ref().unwrap().by, "ann");
    let taken = audit.claim(&bob, id, false, NOW + 1).await.unwrap_err();
    assert!(taken.code == Code::RequestConflict && taken.message.contains("ann"), "{taken:?}");
    assert_eq!(decide(&audit, &bob, 0, Said::Confirm, 101).await.unwrap_err().code, Code::RequestConflict);
    let south = identity("south", "sam", &[Role::Review]);
    let hidden = audit.say(&south, id, Said::Confirm, None, "x", fresh(110)).await.unwrap_err();
    assert_eq!(hidden.code, Code::NotFound, "another tenant does not learn who holds it: {hidden:?}");
    let free = WaitingFilter { free: true, limit: 9, ..WaitingFilter::default() };
    let free = audit.waiting(&bob, free, fresh(102)).await.unwrap().0;
    assert_eq!(free.iter().map(|one| one.kept.receipt.leaf_index).collect::<Vec<_>>(), [1]);
    // Whoever forgot it loses it after half an hour; whoever gives it back, at once.
    audit.claim(&bob, id, false, NOW + 30 * 60_000).await.unwrap();
    audit.claim(&bob, id, true, NOW + 30 * 60_000).await.unwrap();
    audit.claim(&ann, id, false, NOW + 30 * 60_000).await.unwrap();
    assert_eq!(audit.claim(&ann, passed(9).audit_id, false, NOW).await.unwrap_err().code, Code::NotFound);
    holds(&store).await;
}

#[tokio::test]
async fn feedback_of_the_owner_is_kept_beside_the_record() {
    let folder = tempfile::tempdir().unwrap();
    let (audit, store) = log(folder.path(), 1).await;
    let id = record(0).audit_id;
    audit.say(&ada(), id, Said::Wrong, Some(0), "mail me at ada@example.com", fresh(100)).await.unwrap();
    audit.say(&ada(), id, Said::Right, None, "", fresh(101)).await.unwrap();
    let kept = audit.get(&ada(), id, fresh(102)).await.unwrap();
    let noted = audit.noted(&kept).await.unwrap();
    let said: Vec<(Said, Option<u32>)> = noted.iter().map(|one| (one.note.said, one.note.claim)).collect();
    assert_eq!(said, [(Said::Wrong, Some(0)), (Said::Right, None)]);
    assert!(noted[0].note.reason.contains("[redacted:email]"), "{:?}", noted[0]);
    assert_eq!(waiting(&audit, &reviewer("ann"), 103).await.len(), 1, "feedback decides nothing");
    let listed = audit.list(&ada(), Filter { limit: 9, ..Filter::default() }, fresh(104)).await.unwrap();
    assert_eq!(listed.records.len(), 1, "a note is no record");
    holds(&store).await;
}

fn readings(store: &[assay_audit::ports::Stored]) -> Vec<(String, Vec<(u64, u64)>)> {
    let notes = store.iter().filter_map(|stored| {
        let entry = &stored.entry;
        let payload = entry.sealed.as_ref().map(|sealed| sealed.payload.as_str());
        assay_ledger::Note::join(&entry.public, payload, entry.index).ok()
    });
    notes.filter(|note| note.said == Said::Read).map(|note| (note.principal, note.leaves)).collect()
}

#[tokio::test]
async fn that_others_read_is_recorded_and_that_owners_do_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let (audit, store) = log(folder.path(), 3).await;
    let ann = reviewer("ann");
    audit.get(&ada(), record(0).audit_id, fresh(100)).await.unwrap();
    audit.list(&ada(), Filter { limit: 9, ..Filter::default() }, fresh(101)).await.unwrap();
    assert_eq!(readings(&store.log.entries(0, 99).await.unwrap()), []);
    audit.get(&ann, record(1).audit_id, fresh(102)).await.unwrap();
    audit.list(&ann, Filter { limit: 9, ..Filter::default() }, fresh(103)).await.unwrap();
    audit.prove(&ann, record(2).audit_id, fresh(104)).await.unwrap();
    let read = readings(&store.log.entries(0, 99).await.unwrap());
    let by_ann = |leaves| ("ann".to_owned(), vec![leaves]);
    assert_eq!(read, [by_ann((1, 1)), by_ann((0, 2)), by_ann((2, 2))]);
    drop(audit.export(&common::admin(), fresh(105)).await.unwrap());
    let read = readings(&store.log.entries(0, 99).await.unwrap());
    assert_eq!(read.last(), Some(&("root".to_owned(), vec![(0, 5)])));
    holds(&store).await;
}

/// Whether any file of the folder holds the text.
fn on_disk(folder: &std::path::Path, text: &str) -> bool {
    let files = std::fs::read_dir(folder).unwrap();
    let mut bytes = files.map(|file| std::fs::read(file.unwrap().path()).unwrap());
    bytes.any(|bytes| bytes.windows(text.len()).any(|window| window == text.as_bytes()))
}

#[tokio::test]
async fn erasing_leaves_no_word_on_disk_and_the_log_still_holds() {
    let folder = tempfile::tempdir().unwrap();
    let (audit, store) = log(folder.path(), 4).await;
    let mut other = record(5);
    other.identity.principal = "eve".into();
    audit.append(other, salt(5), NOW).await.unwrap();
    let ann = reviewer("ann");
    audit
        .say(&ann, record(1).audit_id, Said::Confirm, None, "quotes question one", fresh(100))
        .await
        .unwrap();
    let receipt = store.records.prove(&common::north(), record(2).audit_id).await.unwrap().unwrap();
    assert!(on_disk(folder.path(), "question 2") && on_disk(folder.path(), "quotes question one"));

    let eraser = identity("north", "dora", &[Role::Erase]);
    let south = identity("south", "dora", &[Role::Erase]);
    let ada = || Selector::Principal("ada".into());
    assert_eq!(audit.erase(&south, ada(), NOW).await.unwrap().payloads, 0, "of the own tenant alone");
    assert_eq!(audit.erase(&eraser, ada(), NOW + 9).await.unwrap().payloads, 5, "four records and a note");
    assert_eq!(audit.erase(&eraser, ada(), NOW + 9).await.unwrap().payloads, 0, "again is nothing");
    for text in ["question 0", "question 2", "answer 3", "quotes question one", "session-0\"", "\"ada\""] {
        assert!(!on_disk(folder.path(), text), "{text} is still there");
    }
    assert!(on_disk(folder.path(), "question 5"), "of nobody else");
    assert_eq!(waiting(&audit, &ann, 101).await.len(), 1, "what is erased waits for nobody");
    holds(&store).await;
    let proof = store.records.prove(&common::north(), record(2).audit_id).await.unwrap().unwrap();
    assert_eq!(proof.entry.leaf, receipt.entry.leaf, "the leaf stays");

    let id = Selector::Record({
        let mut other = record(5);
        other.identity.principal = "eve".into();
        other.audit_id
    });
    assert_eq!(audit.erase(&eraser, id, NOW + 10).await.unwrap().payloads, 1);
    holds(&store).await;
    let mut lines = audit.export(&common::admin(), fresh(300)).await.unwrap();
    let mut exported = Vec::new();
    while let Some(line) = lines.recv().await {
        exported.push(line.unwrap());
    }
    assert!(assay_audit::verify_lines(&exported, None).holds(), "an export verifies");
    assert!(exported.iter().any(
        |line| matches!(Line::from_json(line), Ok(Line::Entry(entry)) if entry.public.contains("REQUEST"))
    ));
}

#[tokio::test]
async fn rates_come_from_decisions_by_policy_check_and_week() {
    let folder = tempfile::tempdir().unwrap();
    let sampling = Options { review_sample_pass: 1.0, ..options(folder.path()) };
    let store = common::store(open_with(&sampling).await.unwrap());
    let audit = common::audit(store.clone());
    let ann = reviewer("ann");
    let doubted = |number: u16, policy: &str, check: CheckName| -> Record {
        let mut record = record(number);
        let validation = record.validation.as_mut().unwrap();
        validation.policy = policy.into();
        let status = CheckStatus::Failed;
        validation.checks = vec![Check { name: check, status, reason: String::new(), required: true }];
        record
    };
    let records = [
        doubted(0, "strict", CheckName::ClaimSupport),
        doubted(1, "strict", CheckName::ClaimSupport),
        doubted(2, "balanced", CheckName::Numbers),
        doubted(3, "balanced", CheckName::Numbers),
        passed(4),
    ];
    for (number, record) in (0..).zip(records) {
        audit.append(record, salt(number), NOW).await.unwrap();
    }
    let drawn = waiting(&audit, &ann, 100).await;
    assert_eq!((drawn.len(), drawn[4].one_in, drawn[4].kept.record.answer.as_str()), (5, 1, "answer 4"));
    for (number, said) in
        [(0, Said::Overturn), (1, Said::Confirm), (2, Said::NeedsSource), (3, Said::Confirm)]
    {
        decide(&audit, &ann, number, said, 200 + number).await.unwrap();
    }
    let before = audit.rates(&ann, 0, u64::MAX).await.unwrap();
    assert_eq!(before.catch, None, "nobody looked at an answer that passed");
    decide(&audit, &ann, 4, Said::Overturn, 210).await.unwrap();
    let rates = audit.rates(&ann, 0, u64::MAX).await.unwrap();
    assert_eq!(rates.doubted.overturned_share(), Some(1.0 / 3.0));
    let (low, high) = rates.doubted.interval().unwrap();
    assert!(low < 1.0 / 3.0 && high > 1.0 / 3.0);
    assert_eq!(rates.policies["strict"].overturned_share(), Some(0.5));
    assert_eq!(rates.policies["balanced"].needs_source, 1);
    assert_eq!(rates.checks["numbers"].overturned_share(), Some(0.0));
    assert_eq!(rates.weeks.len(), 1);
    // Of four doubted answers two thirds were wrong, of one that passed all.
    let catch = rates.catch.unwrap();
    assert!((catch.share - (8.0 / 3.0) / (8.0 / 3.0 + 1.0)).abs() < 1e-12, "{catch:?}");
    assert!(catch.interval.0 < catch.share && catch.share < catch.interval.1, "{catch:?}");
    assert_eq!(audit.rates(&ann, 0, NOW).await.unwrap(), assay_audit::Rates::default(), "decided later");
    assert_eq!(audit.rates(&ada(), 0, u64::MAX).await.unwrap_err().code, Code::PermissionDenied);
    holds(&store).await;
}

#[tokio::test]
async fn the_queue_is_filtered_and_paged() {
    let folder = tempfile::tempdir().unwrap();
    let (audit, _) = log(folder.path(), 5).await;
    let ann = reviewer("ann");
    let page = async |after, verdict| {
        let filter = WaitingFilter { after, verdict, limit: 2, ..WaitingFilter::default() };
        let (waiting, next) = audit.waiting(&ann, filter, fresh(100)).await.unwrap();
        (waiting.iter().map(|one| one.kept.receipt.leaf_index).collect::<Vec<_>>(), next)
    };
    assert_eq!(page(None, None).await, (vec![0, 1], Some(1)));
    // The note about the first page has the same id as the second's: a store refuses it, so each page has its own.
    let filter = WaitingFilter { after: Some(3), limit: 2, ..WaitingFilter::default() };
    let (last, next) = audit.waiting(&ann, filter, fresh(101)).await.unwrap();
    assert_eq!((last[0].kept.receipt.leaf_index, last.len(), next), (4, 1, None));
    assert_eq!(page(None, Some(Verdict::Review)).await.0, Vec::<u64>::new());
}
