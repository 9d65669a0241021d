//! Records: canonical, complete, and split so that nothing personal stays behind.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod sample;

use assay_domain::AuditId;
use assay_ledger::record::{Digests, audit_id, join, split};
use assay_ledger::{Hash, Header, Kind, Note, Review, Said, Salt, commitment, leaf_hash};
use sample::{bare_record, full_record};

#[test]
fn a_record_survives_its_two_texts() {
    for (number, record) in [(1, full_record(1)), (2, bare_record(2))] {
        let parts = split(&record, Digests::Plain);
        let joined = join(&parts.public, Some(&parts.payload)).unwrap();
        assert_eq!(joined.record, record, "record {number}");
        assert_eq!(joined.digests, Some(Digests::Plain));
        assert_eq!(split(&joined.record, Digests::Plain), parts, "the same record gives the same bytes");
        assert_eq!(audit_id(&parts.public).unwrap(), record.audit_id);
    }
}

#[test]
fn the_public_text_says_nothing_of_who_asked_what() {
    let parts = split(&full_record(1), Digests::Plain);
    let secrets = sample::SECRETS;
    for secret in secrets {
        assert!(!parts.public.contains(secret), "{secret:?} is public");
        assert!(parts.payload.contains(secret), "{secret:?} is lost");
    }
}

#[test]
fn an_erased_record_keeps_its_public_half() {
    let record = full_record(1);
    let parts = split(&record, Digests::Salted);
    let joined = join(&parts.public, None).unwrap();
    assert_eq!(joined.digests, None);
    assert_eq!(joined.record.outcome, record.outcome);
    assert_eq!(joined.record.identity.tenant, record.identity.tenant);
    assert_eq!(joined.record.query, "");
    assert_eq!(joined.record.identity.principal, "");
    assert!(joined.record.citations.is_empty());
    assert_eq!(joined.record.attempts.len(), record.attempts.len());
}

#[test]
fn numbers_that_json_cannot_hold_never_make_a_record_unreadable() {
    let mut record = full_record(1);
    record.processing_ms = f64::NAN;
    record.validation_ms = -0.0;
    record.temperature = Some(f64::INFINITY);
    record.seed = Some(u64::MAX);
    let parts = split(&record, Digests::Plain);
    let joined = join(&parts.public, Some(&parts.payload)).unwrap().record;
    assert_eq!((joined.processing_ms, joined.temperature, joined.seed), (0.0, None, Some(u64::MAX)));
    assert!(parts.public.contains("\"validation_ms\":0.0,"));
}

#[test]
fn unknown_fields_and_names_are_refused_with_the_part_named() {
    let parts = split(&full_record(1), Digests::Plain);
    let odd = parts.public.replacen('{', "{\"extra\":1,", 1);
    assert!(join(&odd, None).unwrap_err().to_string().contains("extra"));
    let odd = parts.public.replace("\"ANSWERED\"", "\"PERHAPS\"");
    assert!(join(&odd, None).unwrap_err().to_string().contains("PERHAPS"));
    let error = join(&parts.public, Some("[]")).unwrap_err();
    assert_eq!(error.part, "payload");
}

#[test]
fn the_bytes_of_a_leaf_are_fixed() {
    // A changed value here means that every stored log stops verifying: raise the record version instead.
    let parts = split(&bare_record(7), Digests::Plain);
    let salt = Salt([5; 32]);
    let leaf = leaf_hash(1, None, &parts.public, &commitment(&salt, &parts.payload));
    assert_eq!(leaf.to_string(), sample::FIXED_LEAF);
    assert_ne!(leaf, leaf_hash(2, None, &parts.public, &commitment(&salt, &parts.payload)));
    assert_ne!(leaf, leaf_hash(1, None, &parts.public, &commitment(&Salt([6; 32]), &parts.payload)));
    let by_hand = Hash::of(&[
        &[0],
        &[0, 0, 0, 1],
        &(parts.public.len() as u64).to_be_bytes(),
        parts.public.as_bytes(),
        &Hash::of(&[&[5; 32], parts.payload.as_bytes()]).0,
    ]);
    assert_eq!(leaf, by_hand);
}

#[test]
fn header_bytes_are_part_of_the_leaf() {
    let review = Some(Review { one_in: 20, displaced: Some(3) });
    let header = Header { kind: Kind::Record, stored_unix_ms: 1_790_000_000_000, checkpoint: 6, review };
    let text = header.to_json();
    assert_eq!(
        text,
        r#"{"kind":"RECORD","stored_unix_ms":1790000000000,"checkpoint":6,"review":{"one_in":20,"displaced":3}}"#
    );
    assert_eq!(Header::from_json(&text), Ok(header));
    assert!(Header::from_json(&text.replace("kind", "sort")).unwrap_err().contains("sort"));
    let (public, commitment) = ("{}", Hash([4; 32]));
    let by_hand = Hash::of(&[
        &[0],
        &[0, 0, 0, 2],
        &(text.len() as u64).to_be_bytes(),
        text.as_bytes(),
        &[0, 0, 0, 0, 0, 0, 0, 2],
        b"{}",
        &[4; 32],
    ]);
    assert_eq!(leaf_hash(2, Some(&text), public, &commitment), by_hand);
    assert_ne!(leaf_hash(2, None, public, &commitment), by_hand);
}

#[test]
fn a_note_is_split_joined_and_refused_where_it_names_what_is_not_before_it() {
    let note = Note {
        id: AuditId::from_parts(1_790_000_000_000, [7; 10]),
        tenant: "north".into(),
        said: Said::Overturn,
        leaves: vec![(3, 3)],
        claim: Some(1),
        principal: "ann".into(),
        reason: "the page says so".into(),
    };
    let (public, words) = note.split();
    assert!(!public.contains("ann") && !public.contains("the page"), "{public}");
    assert_eq!(Note::join(&public, Some(&words), 9), Ok(note.clone()));
    assert_eq!(note.about(), Some(3));
    let erased = Note::join(&public, None, 9).unwrap();
    assert_eq!((erased.principal.as_str(), erased.reason.as_str()), ("", ""));
    assert!(
        Note::join(&public, None, 3).unwrap_err().contains("3 to 3"),
        "a note comes after what it is about"
    );
    let many = Note { leaves: vec![(0, 2)], ..note.clone() };
    assert!(Note::join(&many.split().0, None, 9).is_err(), "one decision is of one record");
    let read = Note { said: Said::Read, claim: None, ..many };
    assert_eq!(Note::join(&read.split().0, Some(&read.split().1), 9), Ok(read));
    assert!(Said::ALL.iter().all(|said| Said::named(said.as_str()) == Some(*said)));
}
