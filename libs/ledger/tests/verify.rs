//! Checkpoints and the offline verifier: what is whole holds, what was touched is named.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod sample;

use std::sync::LazyLock;

use assay_ledger::checkpoint::{Checkpoint, CheckpointError};
use assay_ledger::erasure::{Erasure, Reason};
use assay_ledger::export::Line;
use assay_ledger::{Finding, Hash, Header, Kind, Receipt, Review, Signer, VerifierKey, verify_lines};
use proptest::prelude::*;
use sample::{exported, headed, receipt, signer};

static EXPORTS: LazyLock<[Vec<Vec<u8>>; 2]> = LazyLock::new(|| {
    [exported(7), headed(7)].map(|lines| text(&lines).into_iter().map(String::into_bytes).collect())
});

fn text(lines: &[Line]) -> Vec<String> {
    lines.iter().map(Line::to_json).collect()
}

fn findings(lines: &[Line]) -> Vec<Finding> {
    verify_lines(text(lines), Some(&signer().verifier())).findings
}

fn entry(lines: &mut [Line], index: usize) -> &mut assay_ledger::Entry {
    match &mut lines[index + 1] {
        Line::Entry(entry) => entry,
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_untouched_log_holds() {
    let lines = exported(11);
    let result = verify_lines(text(&lines), Some(&signer().verifier()));
    assert_eq!(result.findings, []);
    assert!(result.holds());
    assert_eq!((result.entries, result.payloads_verified, result.payloads_erased), (11, 9, 2));
    assert_eq!(result.checkpoints_verified, 4);
}

#[test]
fn older_formats_hold_and_say_what_is_not_signed() {
    let old = verify_lines(text(&exported(11)), Some(&signer().verifier()));
    assert_eq!(old.not_covered.len(), 2, "{:?}", old.not_covered);
    assert!(old.not_covered[0].starts_with("the first 11 entries are of format 1"));
    assert!(old.not_covered[1].starts_with("2 payloads were erased before"));
    let new = verify_lines(text(&headed(6)), Some(&signer().verifier()));
    assert_eq!((new.findings, new.not_covered), (vec![], vec![]));
    assert_eq!((new.entries, new.payloads_verified, new.payloads_erased), (7, 4, 2));
}

#[test]
fn a_payload_without_erasure_entry_is_missing() {
    let mut lines = headed(6);
    entry(&mut lines, 3).sealed = None;
    assert!(matches!(findings(&lines)[..], [Finding::MissingPayload { index: 3, .. }]));
}

#[test]
fn an_erased_payload_that_came_back_is_named() {
    let mut lines = headed(6);
    let sealed = entry(&mut lines, 3).sealed.clone();
    entry(&mut lines, 1).sealed = sealed;
    let found = findings(&lines);
    assert!(found.contains(&Finding::ErasedPayload { index: 1, erasure: 6 }), "{found:?}");
}

#[test]
fn erasures_are_runs_of_earlier_leaves() {
    let erasure = Erasure::of(Reason::Retention, 9, &[0, 1, 2, 5, 7, 8]);
    assert_eq!(erasure.leaves, [(0, 2), (5, 5), (7, 8)]);
    assert_eq!(Erasure::from_json(&erasure.to_json(), 9).unwrap(), erasure);
    assert_eq!(erasure.indices().collect::<Vec<_>>(), [0, 1, 2, 5, 7, 8]);
    assert!(Erasure::from_json(&erasure.to_json(), 8).unwrap_err().contains("7 to 8"));
    for wrong in ["[[3,2]]", "[[0,2],[2,4]]", "[[0,18446744073709551615]]"] {
        let text = format!(r#"{{"reason":"RETENTION","before_day":9,"leaves":{wrong}}}"#);
        assert!(Erasure::from_json(&text, 100).is_err(), "{wrong}");
    }
}

#[test]
fn an_erasure_names_only_entries_that_came() {
    let mut lines = headed(6);
    let last = entry(&mut lines, 6);
    last.index = u64::MAX;
    let leaves = vec![(0, u64::MAX - 1)];
    last.public = Erasure { reason: Reason::Retention, before_day: 9, leaves }.to_json();
    let out_of_order =
        |f: &Finding| matches!(f, Finding::Unreadable { reason, .. } if reason.contains("out of order"));
    assert!(findings(&lines).iter().any(out_of_order));
}

#[test]
fn a_displaced_record_of_another_tenant_is_no_finding() {
    let mut lines = headed(6);
    let leaf = entry(&mut lines, 0).leaf;
    lines[1] = Line::Leaf { index: 0, leaf };
    let review = Some(Review { one_in: 2, displaced: Some(0) });
    let header = Header { kind: Kind::Record, stored_unix_ms: 1, checkpoint: 3, review };
    entry(&mut lines, 3).header = Some(header.to_json());
    assert!(!findings(&lines).iter().any(|f| matches!(f, Finding::Unreadable { .. })));
}

#[test]
fn a_removed_checkpoint_is_named_by_its_size() {
    for gone in 0..7 {
        let mut lines = headed(6);
        lines.remove(8 + gone);
        let size = u64::try_from(gone).unwrap();
        assert!(findings(&lines).contains(&Finding::MissingCheckpoint { size }), "{gone}");
    }
}

#[test]
fn a_header_belongs_to_its_format() {
    for change in [
        |entry: &mut assay_ledger::Entry| entry.header = None,
        |entry: &mut assay_ledger::Entry| entry.version = 1,
        |entry: &mut assay_ledger::Entry| {
            entry.header = entry.header.take().map(|h| h.replace("1790", "1791"))
        },
    ] {
        let mut lines = headed(6);
        change(entry(&mut lines, 3));
        assert!(findings(&lines).iter().any(|f| matches!(f, Finding::LeafMismatch { index: 3, .. })));
    }
}

#[test]
fn a_receipt_proves_its_leaf_alone() {
    for lines in [exported(6), headed(6)] {
        let whole = Receipt::from_json(&receipt(&lines, 2).to_json()).unwrap();
        let key = signer().verifier();
        let proved = whole.verify(Some(&key));
        assert_eq!((proved.findings, proved.index, proved.with_payload), (vec![], 2, true));
        let mut bare = whole.clone();
        bare.entry.sealed = None;
        let proved = bare.verify(None);
        assert_eq!((proved.findings, proved.with_payload), (vec![], false));
        assert_eq!(proved.audit_id, whole.verify(None).audit_id);

        let other = Signer::from_seed("audit.example/0", &[43; 32]).unwrap().verifier();
        assert!(matches!(whole.verify(Some(&other)).findings[0], Finding::OtherKey { .. }));
        let mut elsewhere = whole.clone();
        elsewhere.entry.index = 3;
        assert!(matches!(elsewhere.verify(None).findings[..], [Finding::NotIncluded { index: 3, .. }]));
        let mut forged = whole.clone();
        forged.entry.public = forged.entry.public.replace("REVIEW", "PASS");
        assert!(matches!(forged.verify(None).findings[..], [Finding::LeafMismatch { index: 2, .. }, ..]));
        let mut unsigned = whole;
        unsigned.checkpoint = signer().sign(9, Hash([1; 32]));
        assert!(!unsigned.verify(None).findings.is_empty());
    }
    assert!(Receipt::from_json("{}").is_err());
}

#[test]
fn only_the_note_of_the_log_itself_is_canonical() {
    let (key, note) = (signer().verifier(), signer().sign(7, Hash([3; 32])));
    assert!(key.is_canonical(&note));
    for other in [format!("{note}— witness.example AAAAAAECAwQF\n"), note.replace("\n\n", "\nmore\n\n")] {
        assert!(!key.is_canonical(&other), "{other}");
    }
}

#[test]
fn a_changed_payload_is_named_by_entry() {
    let mut lines = exported(6);
    let sealed = entry(&mut lines, 2).sealed.as_mut().unwrap();
    sealed.payload = sealed.payload.replace("addParam", "getParam");
    assert!(matches!(findings(&lines)[..], [Finding::PayloadMismatch { index: 2, .. }]));
}

#[test]
fn changed_public_field_is_named_and_breaks_later_roots() {
    let mut lines = exported(6);
    let entry = entry(&mut lines, 4);
    entry.public = entry.public.replace("ANSWERED", "REJECTED");
    let found = findings(&lines);
    assert!(matches!(found[0], Finding::LeafMismatch { index: 4, .. }), "{found:?}");
    assert!(found.iter().any(|f| matches!(f, Finding::RootMismatch { size: 6, .. })));
    assert!(
        !found.iter().any(|f| matches!(f, Finding::RootMismatch { size: 3, .. })),
        "the older root still holds"
    );
}

#[test]
fn rewritten_entry_is_caught_by_the_signed_root() {
    let mut lines = exported(6);
    let other = entry(&mut exported(9), 8).clone();
    let place = entry(&mut lines, 4);
    *place = assay_ledger::Entry { index: 4, ..other };
    assert!(findings(&lines).iter().any(|f| matches!(f, Finding::RootMismatch { size: 6, .. })));
}

#[test]
fn a_removed_repeated_or_swapped_entry_is_named() {
    let mut removed = exported(6);
    removed.remove(3);
    assert!(matches!(findings(&removed)[0], Finding::WrongIndex { expected: 2, found: 3 }));
    let mut repeated = exported(6);
    let again = repeated[3].clone();
    repeated.insert(4, again);
    assert!(findings(&repeated).iter().any(|f| matches!(f, Finding::RepeatedId { first: 2, second: 2, .. })));
    let mut swapped = exported(6);
    swapped.swap(2, 3);
    assert!(findings(&swapped).len() >= 2);
}

#[test]
fn truncated_log_is_reported_and_missing_checkpoint_is_not_covered() {
    let mut cut = exported(6);
    cut.remove(6);
    assert!(findings(&cut).iter().any(|f| matches!(f, Finding::Truncated { size: 6, found: 5, .. })));
    let bare: Vec<Line> = exported(6).into_iter().filter(|l| !matches!(l, Line::Checkpoint { .. })).collect();
    assert!(matches!(findings(&bare)[..], [Finding::NotCovered { covered: 0, found: 6 }]));
}

#[test]
fn log_of_another_key_is_refused() {
    let lines = text(&exported(3));
    let other = Signer::from_seed("audit.example/0", &[43; 32]).unwrap().verifier();
    let result = verify_lines(&lines, Some(&other));
    assert!(matches!(result.findings[0], Finding::OtherKey { .. }));
    assert!(result.findings.iter().any(|f| matches!(f, Finding::BadCheckpoint { .. })));
    let own = verify_lines(&lines, None);
    assert!(own.holds());
    assert_eq!(own.key, signer().verifier().to_string());
}

#[test]
fn leaves_of_other_tenants_hold_their_place_without_their_texts() {
    let mut lines = exported(6);
    let hidden = entry(&mut lines, 2).clone();
    lines[3] = Line::Leaf { index: 2, leaf: hidden.leaf };
    let result = verify_lines(text(&lines), Some(&signer().verifier()));
    assert!(result.holds());
    assert_eq!((result.entries, result.opaque, result.payloads_verified), (6, 1, 4));
    lines[3] = Line::Leaf { index: 2, leaf: Hash([1; 32]) };
    assert!(!verify_lines(text(&lines), Some(&signer().verifier())).holds());
}

#[test]
fn rubbish_becomes_findings() {
    let result = verify_lines(["", "{", "{\"kind\":\"entry\"}", "[]"], None);
    assert_eq!(result.finding_count, 4);
    assert!(result.findings.contains(&Finding::NoHeader));
}

#[test]
fn a_checkpoint_opens_with_its_key_only() {
    let signer = signer();
    let note = signer.sign(7, Hash([3; 32]));
    let key = signer.verifier();
    let expected = Checkpoint { origin: "audit.example/0".into(), size: 7, root: Hash([3; 32]) };
    assert_eq!(key.open(&note), Ok(expected.clone()));
    assert_eq!(Checkpoint::parse_unverified(&note), Ok(expected));
    let other = Signer::from_seed("audit.example/0", &[1; 32]).unwrap().verifier();
    assert!(matches!(other.open(&note), Err(CheckpointError::NotSigned(_))));
    let elsewhere = Signer::from_seed("audit.example/1", &[42; 32]).unwrap().verifier();
    assert!(matches!(elsewhere.open(&note), Err(CheckpointError::OtherOrigin(_))));
    assert_eq!(VerifierKey::parse(&key.to_string()), Some(key));
}

#[test]
fn a_second_signature_of_a_stranger_does_not_disturb() {
    let note = signer().sign(7, Hash([3; 32]));
    let with_witness = format!("{note}— witness.example AAAAAAECAwQF\n");
    assert!(signer().verifier().open(&with_witness).is_ok());
}

#[test]
fn a_key_name_with_white_space_or_plus_is_refused() {
    for name in ["", "a b", "a+b", "a\n"] {
        assert!(Signer::from_seed(name, &[0; 32]).is_none(), "{name:?}");
    }
}

#[test]
fn a_secret_key_does_not_show_in_debug_output() {
    let secret = hex::encode([42_u8; 32]);
    assert!(!format!("{:?}", signer()).contains(&secret));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_flipped_bit_of_a_receipt_is_found(at in any::<prop::sample::Index>(), bit in 0_u8..8) {
        let mut text = receipt(&headed(6), 2).to_json().into_bytes();
        let at = at.index(text.len());
        // White space between the fields belongs to nobody.
        prop_assume!(!text[at].is_ascii_whitespace());
        text[at] ^= 1 << bit;
        let read = String::from_utf8(text).ok().and_then(|text| Receipt::from_json(&text).ok());
        prop_assert!(read.is_none_or(|receipt| !receipt.verify(Some(&signer().verifier())).findings.is_empty()));
    }

    #[test]
    fn any_flipped_bit_of_a_checkpoint_is_refused(at in any::<prop::sample::Index>(), bit in 0_u8..8) {
        let mut note = signer().sign(12, Hash([3; 32])).into_bytes();
        let at = at.index(note.len());
        note[at] ^= 1 << bit;
        if let Ok(note) = String::from_utf8(note) {
            prop_assert!(signer().verifier().open(&note).is_err());
        }
    }

    #[test]
    fn any_flipped_bit_of_an_export_is_found(format in 0_usize..2, line in any::<prop::sample::Index>(),
                                             at in any::<prop::sample::Index>(), bit in 0_u8..8) {
        let mut lines = EXPORTS[format].clone();
        let line = line.index(lines.len());
        let at = at.index(lines[line].len());
        // The number of the format says how to read the rest; the verifier reads every earlier one as well.
        let number = r#""version":"#;
        prop_assume!(line > 0 || !String::from_utf8_lossy(&lines[0][..at]).ends_with(number));
        lines[line][at] ^= 1 << bit;
        if let Ok(lines) = lines.into_iter().map(String::from_utf8).collect::<Result<Vec<_>, _>>() {
            prop_assert!(!verify_lines(&lines, Some(&signer().verifier())).holds());
        }
    }
}
