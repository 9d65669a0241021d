//! What every store must do, run on every adapter.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use assay_audit::AuditError;
use assay_audit::Store;
use assay_audit::ports::{Filter, Scope};
use assay_domain::report::Verdict;
use assay_domain::{Outcome, Record};
use assay_ledger::Hash;
use assay_ledger::proof::{verify_consistency, verify_inclusion};
use common::{DAY, NOW, id_at, north, passed, record, salt};

/// Runs each case on a fresh store of each adapter.
macro_rules! conformance {
    ($($case:ident),+ $(,)?) => {
        mod sqlite {
            $(#[tokio::test]
            async fn $case() {
                let folder = tempfile::tempdir().unwrap();
                super::$case(crate::common::sqlite(folder.path()).await).await;
            })+
        }
    };
}

conformance!(
    a_record_is_there_with_its_receipt,
    a_redelivery_returns_the_first_receipt,
    other_content_under_the_same_id_is_refused_and_the_first_stands,
    an_aborted_record_never_displaces_what_the_log_knows,
    the_same_id_from_many_tasks_is_one_leaf,
    many_records_at_once_get_dense_places_and_every_proof_verifies,
    a_tenant_never_sees_the_records_of_another,
    lists_are_newest_first_filtered_and_paged,
    only_doubtful_records_wait_for_review,
    erasing_takes_payloads_by_the_day_of_their_id_and_keeps_every_leaf,
    an_erased_record_is_still_claimed,
    nobody_is_shown_an_erasure,
    an_append_tells_size_and_root,
    a_passed_answer_keeps_its_salted_digest,
    a_closed_store_takes_nothing,
    checkpoints_grow_consistently,
);

async fn append(store: &Store, record: Record) -> assay_audit::ports::Appended {
    let number = u16::from_be_bytes([record.audit_id.as_bytes()[14], record.audit_id.as_bytes()[15]]);
    store.writer.append(record, salt(number), NOW).await.unwrap()
}

async fn list(store: &Store, filter: Filter) -> Vec<u64> {
    let filter = Filter { limit: filter.limit.max(100), ..filter };
    let found = store.records.list(&north(), &filter).await.unwrap();
    found.iter().map(|kept| kept.receipt.leaf_index).collect()
}

async fn holds(store: &Store) -> assay_audit::Verification {
    let verified = common::verified(store.clone()).await;
    assert_eq!(verified.findings, []);
    verified
}

async fn a_record_is_there_with_its_receipt(store: Store) {
    let appended = append(&store, record(1)).await;
    assert_eq!(
        (appended.receipt.leaf_index, appended.receipt.stored_unix_ms, appended.repeated),
        (0, NOW, false)
    );
    let kept = store.records.get(&north(), record(1).audit_id).await.unwrap().unwrap();
    assert_eq!(kept.record, record(1));
    assert_eq!(kept.receipt, appended.receipt);
    assert_eq!(kept.salt, Some(salt(1)));
    assert_eq!(store.records.get(&north(), record(2).audit_id).await.unwrap(), None);
}

async fn a_redelivery_returns_the_first_receipt(store: Store) {
    let first = append(&store, record(1)).await;
    append(&store, passed(2)).await;
    let again = store.writer.append(record(1), salt(99), NOW + 5).await.unwrap();
    assert_eq!((again.receipt, again.repeated), (first.receipt, true));
    let again = store.writer.append(passed(2), salt(98), NOW + 5).await.unwrap();
    assert!(again.repeated, "also where only salted digests were kept");
    assert_eq!(holds(&store).await.entries, 2);
}

async fn other_content_under_the_same_id_is_refused_and_the_first_stands(store: Store) {
    append(&store, record(7)).await;
    append(&store, record(1)).await;
    for change in [
        |record: &mut Record| record.query.push('!'),
        |record: &mut Record| record.processing_ms += 1.0,
        |record: &mut Record| record.identity.tenant = "south".into(),
    ] {
        let mut changed = record(1);
        change(&mut changed);
        let refused = store.writer.append(changed, salt(1), NOW).await.unwrap_err();
        assert_eq!(refused, AuditError::Conflict { id: record(1).audit_id, leaf_index: 1 });
    }
    assert_eq!(holds(&store).await.entries, 2);
}

async fn an_aborted_record_never_displaces_what_the_log_knows(store: Store) {
    let first = append(&store, record(1)).await;
    let mut aborted = record(1);
    aborted.outcome = Outcome::Aborted;
    aborted.answer = String::new();
    let answer = store.writer.append(aborted, salt(5), NOW).await.unwrap();
    assert_eq!((answer.receipt, answer.repeated), (first.receipt, true));
    let kept = store.records.get(&north(), record(1).audit_id).await.unwrap().unwrap();
    assert_eq!(kept.record.outcome, Outcome::Rejected);
}

async fn the_same_id_from_many_tasks_is_one_leaf(store: Store) {
    let appends = (0..8_u16).map(|task| store.writer.append(record(1), salt(task), NOW));
    let appended = futures::future::try_join_all(appends).await.unwrap();
    assert_eq!(appended.iter().filter(|appended| !appended.repeated).count(), 1);
    assert!(appended.windows(2).all(|pair| pair[0].receipt == pair[1].receipt));
    assert_eq!(holds(&store).await.entries, 1);
}

async fn many_records_at_once_get_dense_places_and_every_proof_verifies(store: Store) {
    let appended = futures::future::join_all((0..60).map(|number| append(&store, record(number)))).await;
    let mut places: Vec<u64> = appended.iter().map(|appended| appended.receipt.leaf_index).collect();
    places.sort_unstable();
    assert_eq!(places, (0..60).collect::<Vec<u64>>());
    for (number, appended) in (0..60).zip(&appended) {
        let proof = store.records.prove(&north(), record(number).audit_id).await.unwrap().unwrap();
        assert_eq!(proof.receipt, appended.receipt);
        assert_eq!(proof.entry.leaf, appended.receipt.leaf);
        let opened = proof.head.key.open(&proof.head.note).unwrap();
        assert!(verify_inclusion(proof.entry.leaf, proof.entry.index, opened.size, &proof.path, opened.root));
    }
    assert_eq!(holds(&store).await.payloads_verified, 60);
}

async fn a_tenant_never_sees_the_records_of_another(store: Store) {
    append(&store, record(1)).await;
    let mut theirs = record(2);
    theirs.identity.tenant = "south".into();
    append(&store, theirs.clone()).await;
    assert_eq!(store.records.get(&north(), theirs.audit_id).await.unwrap(), None);
    assert_eq!(store.records.prove(&north(), theirs.audit_id).await.unwrap(), None);
    assert_eq!(list(&store, Filter::default()).await, [0]);
    assert_eq!(
        list(&store, Filter { session: Some("session-0".into()), ..Filter::default() }).await,
        Vec::<u64>::new()
    );
    let south = Scope { tenant: "south".into(), principal: None };
    assert!(store.records.get(&south, theirs.audit_id).await.unwrap().is_some());
    for tenant in ["", "nort", "north%", "NORTH"] {
        let scope = Scope { tenant: tenant.into(), principal: None };
        assert_eq!(store.records.get(&scope, record(1).audit_id).await.unwrap(), None);
    }
    let stranger = Scope { tenant: "north".into(), principal: Some("bob".into()) };
    assert_eq!(store.records.get(&stranger, record(1).audit_id).await.unwrap(), None);
    let own = Scope { tenant: "north".into(), principal: Some("ada".into()) };
    assert!(store.records.get(&own, record(1).audit_id).await.unwrap().is_some());
}

async fn lists_are_newest_first_filtered_and_paged(store: Store) {
    for number in 0..6 {
        append(&store, if number == 3 { passed(number) } else { record(number) }).await;
    }
    assert_eq!(list(&store, Filter::default()).await, [5, 4, 3, 2, 1, 0]);
    assert_eq!(list(&store, Filter { outcome: Some(Outcome::Answered), ..Filter::default() }).await, [3]);
    assert_eq!(
        list(&store, Filter { verdicts: vec![Verdict::Reject], ..Filter::default() }).await,
        [5, 4, 2, 1, 0]
    );
    assert_eq!(
        list(&store, Filter { verdicts: vec![Verdict::Review], ..Filter::default() }).await,
        Vec::<u64>::new()
    );
    assert_eq!(
        list(&store, Filter { session: Some("session-1".into()), ..Filter::default() }).await,
        [5, 3, 1]
    );
    let times = Filter { from_unix_ms: Some(NOW + 1), until_unix_ms: Some(NOW + 4), ..Filter::default() };
    assert_eq!(list(&store, times).await, [3, 2, 1]);
    let (mut seen, mut before) = (Vec::new(), None);
    loop {
        let filter = Filter { before, limit: 4, ..Filter::default() };
        let page = store.records.list(&north(), &filter).await.unwrap();
        let Some(last) = page.last() else { break };
        before = Some(last.receipt.leaf_index);
        seen.extend(page.iter().map(|kept| kept.receipt.leaf_index));
    }
    assert_eq!(seen, [5, 4, 3, 2, 1, 0]);
}

async fn only_doubtful_records_wait_for_review(store: Store) {
    append(&store, passed(1)).await;
    append(&store, record(2)).await;
    assert_eq!(list(&store, Filter { awaiting_review: true, ..Filter::default() }).await, [1]);
}

async fn erasing_takes_payloads_by_the_day_of_their_id_and_keeps_every_leaf(store: Store) {
    let mut old = record(1);
    old.audit_id = id_at(NOW - 3 * DAY, 1);
    // A late delivery: stored now, made three days ago.
    append(&store, record(2)).await;
    append(&store, old.clone()).await;
    let day = NOW / DAY;
    assert_eq!(store.writer.erase_before(day - 3, NOW).await.unwrap().payloads, 0);
    assert_eq!(store.writer.erase_before(day - 2, NOW).await.unwrap().payloads, 1);
    assert_eq!(store.writer.erase_before(day - 2, NOW).await.unwrap().payloads, 0);
    let kept = store.records.get(&north(), old.audit_id).await.unwrap().unwrap();
    assert_eq!((kept.salt, kept.digests, kept.record.query.as_str()), (None, None, ""));
    assert_eq!((kept.record.outcome, kept.receipt.leaf_index), (Outcome::Rejected, 1));
    assert_eq!(list(&store, Filter { awaiting_review: true, ..Filter::default() }).await, [0]);
    let result = holds(&store).await;
    assert_eq!((result.entries, result.payloads_verified, result.payloads_erased), (3, 1, 1));
    let proof = store.records.prove(&north(), old.audit_id).await.unwrap().unwrap();
    assert!(verify_inclusion(proof.entry.leaf, 1, 3, &proof.path, proof.head.root));
}

async fn an_erased_record_is_still_claimed(store: Store) {
    let first = append(&store, record(1)).await;
    store.writer.erase_before(NOW / DAY + 1, NOW).await.unwrap();
    let again = append(&store, record(1)).await;
    assert_eq!((again.receipt, again.repeated), (first.receipt, true));
    let mut changed = record(1);
    changed.outcome = Outcome::Answered;
    assert!(matches!(store.writer.append(changed, salt(1), NOW).await, Err(AuditError::Conflict { .. })));
}

async fn nobody_is_shown_an_erasure(store: Store) {
    append(&store, record(1)).await;
    store.writer.erase_before(NOW / DAY + 1, NOW).await.unwrap();
    assert_eq!(list(&store, Filter::default()).await, [0]);
    let nobody = Scope { tenant: String::new(), principal: None };
    let filter = Filter { limit: 9, ..Filter::default() };
    assert_eq!(store.records.list(&nobody, &filter).await.unwrap(), []);
}

async fn an_append_tells_size_and_root(store: Store) {
    for number in 0..3 {
        let told = append(&store, record(number)).await.head;
        let head = store.log.head().await.unwrap();
        assert_eq!((told.size, told.root), (head.size, head.root));
        assert_eq!(told.log_id, head.key.name());
    }
    let again = append(&store, record(1)).await;
    assert_eq!((again.repeated, again.head.size), (true, 3));
}

async fn a_passed_answer_keeps_its_salted_digest(store: Store) {
    append(&store, passed(1)).await;
    let kept = store.records.get(&north(), passed(1).audit_id).await.unwrap().unwrap();
    assert_eq!(kept.record.answer, "");
    let text = Hash::of(&[b"answer 1"]);
    let digest = assay_ledger::salted_digest(&kept.salt.unwrap(), &text);
    assert_eq!(kept.record.answer_sha256, digest.to_string());
    assert_eq!(kept.digests, Some(assay_ledger::record::Digests::Salted));
}

async fn a_closed_store_takes_nothing(store: Store) {
    append(&store, record(1)).await;
    store.writer.close().await;
    store.writer.close().await;
    assert_eq!(store.writer.append(record(2), salt(2), NOW).await.unwrap_err(), AuditError::Closed);
}

async fn checkpoints_grow_consistently(store: Store) {
    let empty = store.log.head().await.unwrap();
    assert_eq!((empty.size, empty.root), (0, Hash::empty_root()));
    let mut heads = vec![empty];
    for number in 0..9 {
        append(&store, record(number)).await;
        heads.push(store.log.head().await.unwrap());
    }
    for old in &heads {
        let (new, path) = store.log.consistency(old.size).await.unwrap().unwrap();
        assert!(verify_consistency(old.size, old.root, new.size, new.root, &path), "from {}", old.size);
        assert!(old.key.open(&old.note).is_ok());
    }
    assert!(store.log.consistency(10).await.unwrap().is_none());
    assert_eq!(holds(&store).await.checkpoints_verified, 10);
}
