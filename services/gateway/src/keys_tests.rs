//! Keys that open, and everything that does not.
#![allow(clippy::unwrap_used)]
use super::*;

const NOW: u64 = 1_790_000_000_000;
const DAY: u64 = 86_400_000;

fn grant() -> Grant {
    Grant {
        principal: "ada".into(),
        tenant: "north".into(),
        roles: vec![Role::Ask, Role::Ask, Role::Ingest],
        name: "ci".into(),
        days: None,
    }
}

fn issued(days: Option<u32>) -> (KeysFile, String) {
    let mut file = KeysFile::default();
    let key = file.issue(Grant { days, ..grant() }, [1; 6], [2; 32], NOW).unwrap();
    (file, key)
}

fn ring(file: &KeysFile) -> KeyRing {
    KeyRing::parse(&file.render().unwrap()).unwrap()
}

#[test]
fn stored_key_names_its_bearer_without_its_secret() {
    let (file, key) = issued(None);
    assert_eq!(key, format!("assay_010101010101_{}", "02".repeat(32)));
    let text = file.render().unwrap();
    assert!(!text.contains(&"02".repeat(32)), "{text}");
    assert_eq!(KeysFile::parse(&text).unwrap(), file);
    let identity = ring(&file).recognise(&key, NOW).unwrap();
    assert_eq!((identity.principal.as_str(), identity.tenant.as_str()), ("ada", "north"));
    assert_eq!(identity.roles, [Role::Ask, Role::Ingest]);
}

#[test]
fn the_hash_is_that_of_the_key_as_text() {
    // printf 'assay_010101010101_0202…' | sha256sum
    let (file, key) = issued(None);
    assert_eq!(file.keys[0].sha256, hex::encode(Sha256::digest(key.as_bytes())));
}

#[test]
fn unknown_keys_are_all_refused_alike() {
    let (file, key) = issued(None);
    let ring = ring(&file);
    let other_secret = format!("assay_010101010101_{}", "03".repeat(32));
    let other_id = format!("assay_020202020202_{}", "02".repeat(32));
    let upper = key.to_uppercase();
    let longer = format!("{key}0");
    let zero = format!("{key}\0");
    let texts = [
        &other_secret,
        &other_id,
        &upper,
        &longer,
        &zero,
        &key[..key.len() - 1],
        "",
        "assay_",
        "assay__",
        "assay_010101010101_",
        "ñ",
        "assay_ñ10101010101_x",
        "_",
        "assay_010101010101",
    ];
    for text in texts {
        let failure = ring.recognise(text, NOW).unwrap_err();
        assert_eq!(failure.code, Code::Unauthenticated, "{text}");
        assert_eq!(failure.message, "the key is not known here", "{text}");
    }
    // An entry whose hash is the stand-in for unknown ids opens to nobody.
    let zeros = KeysFile { keys: vec![KeyEntry { sha256: "0".repeat(64), ..file.keys[0].clone() }] };
    assert!(KeyRing::of(&zeros).unwrap().recognise(&key, NOW).is_err());
}

#[test]
fn expiry_and_the_switch_hold_from_their_moment_on() {
    let (mut file, key) = issued(Some(30));
    assert!(ring(&file).recognise(&key, NOW + 30 * DAY - 1001).is_ok());
    let failure = ring(&file).recognise(&key, NOW + 30 * DAY).unwrap_err();
    assert!(failure.message.contains("expired"), "{failure}");
    assert_eq!(file.keys[0].state(NOW), "active");
    assert_eq!(file.keys[0].state(NOW + 30 * DAY), "expired");
    file.disable("010101010101").unwrap();
    assert_eq!(file.keys[0].state(NOW), "disabled");
    assert!(ring(&file).recognise(&key, NOW).unwrap_err().message.contains("disabled"));
    file.remove("010101010101").unwrap();
    assert_eq!(ring(&file).len(), 0);
    assert_eq!(file.remove("010101010101").unwrap_err().code, Code::NotFound);
    assert_eq!(file.disable("x").unwrap_err().code, Code::NotFound);
}

#[test]
fn a_grant_that_makes_no_sense_makes_no_key() {
    for (grant, field) in [
        (Grant { principal: String::new(), ..grant() }, "principal"),
        (Grant { principal: "a\nb".into(), ..grant() }, "principal"),
        (Grant { tenant: "x".repeat(129), ..grant() }, "tenant"),
        (Grant { roles: vec![], ..grant() }, "role"),
        (Grant { name: "\u{7}".into(), ..grant() }, "name"),
        (Grant { days: Some(0), ..grant() }, "expires"),
        (Grant { days: Some(u32::MAX), ..grant() }, "expires"),
    ] {
        let mut file = KeysFile::default();
        let failure = file.issue(grant, [1; 6], [2; 32], NOW).unwrap_err();
        assert_eq!((failure.field.as_str(), file.keys.len()), (field, 0));
    }
    let mut file = issued(None).0;
    assert!(file.issue(grant(), [1; 6], [9; 32], NOW).is_err(), "the id is taken");
}

#[test]
fn damaged_file_is_refused_with_entry_and_field() {
    let (file, _) = issued(None);
    let text = file.render().unwrap();
    let twice = format!("{text}\n{}", text.split("\n\n").last().unwrap());
    for (damaged, field) in [
        (text.replace("010101010101", "01"), "id"),
        (text.replace("sha256 = \"", "sha256 = \"zz"), "sha256"),
        (text.replace("\"ada\"", "\"\""), "principal"),
        (text.replace("\"north\"", "\"\""), "tenant"),
        (text.replace("\"ask\"", "\"king\""), "roles"),
        (format!("{text}expires = \"tomorrow\"\n"), "expires"),
        (twice, "id"),
    ] {
        let failure = KeysFile::parse(&damaged).unwrap_err();
        assert_eq!((failure.code, failure.field.as_str()), (Code::Configuration, field), "{damaged}");
    }
    for damaged in ["[[key]]\n", "[[key", "keys = 1", &format!("{text}secret = \"x\"\n")] {
        assert_eq!(KeysFile::parse(damaged).unwrap_err().code, Code::Configuration, "{damaged}");
    }
    assert_eq!(KeysFile::parse("").unwrap(), KeysFile::default(), "no keys is a file, too");
}

proptest::proptest! {
    #[test]
    fn no_text_but_the_key_opens(text in "\\PC{0,90}", id in "[0-9a-f]{12}", secret in "[0-9a-f]{64}") {
        let (file, _) = issued(None);
        let ring = ring(&file);
        let keys = [
            text.clone(),
            format!("assay_{text}"),
            format!("assay_{id}_{secret}"),
            format!("assay_010101010101_{secret}"),
        ];
        for key in keys {
            proptest::prop_assert!(ring.recognise(&key, NOW).is_err());
        }
    }

    #[test]
    fn a_file_reads_back_as_it_was_written(
        principal in "\\PC{1,40}", tenant in "\\PC{1,40}", name in "\\PC{0,40}", days in 1_u32..MAX_DAYS,
    ) {
        let mut file = KeysFile::default();
        let grant = Grant { principal, tenant, name, roles: vec![Role::Admin], days: Some(days) };
        let key = file.issue(grant, [3; 6], [4; 32], NOW).unwrap();
        let read = KeysFile::parse(&file.render().unwrap()).unwrap();
        proptest::prop_assert_eq!(&read, &file);
        let identity = ring(&read).recognise(&key, NOW).unwrap();
        proptest::prop_assert_eq!(&identity.principal, &file.keys[0].principal);
        proptest::prop_assert!(ring(&read).recognise(&key, NOW + (u64::from(days) + 1) * DAY).is_err());
    }

    #[test]
    fn no_text_upsets_the_reader_of_files(text in "\\PC{0,200}", line in "(id|sha256|roles|expires) = \\PC{0,40}") {
        let _ = KeysFile::parse(&text);
        let _ = KeysFile::parse(&format!("[[key]]\n{line}"));
    }
}
