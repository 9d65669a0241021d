//! Fingerprint of the evidence and the seed drawn from it (contract §9).

use assay_domain::evidence::Source;
use sha2::{Digest as _, Sha256};

/// SHA-256 over (id, content hash, lines) of every source in prompt order, each field after its length as eight
/// little-endian bytes. A source without text is not in the prompt.
#[must_use]
pub fn fingerprint<'a>(sources: impl IntoIterator<Item = &'a Source>) -> [u8; 32] {
    let mut hash = Sha256::new();
    let mut field = |bytes: &[u8]| {
        hash.update((bytes.len() as u64).to_le_bytes());
        hash.update(bytes);
    };
    for source in sources.into_iter().filter(|source| !source.text.is_empty()) {
        field(source.id.as_bytes());
        if source.sha256.is_empty() {
            field(hex::encode(Sha256::digest(source.text.as_bytes())).as_bytes());
        } else {
            field(source.sha256.as_bytes());
        }
        field(source.lines.to_string().as_bytes());
    }
    hash.finalize().into()
}

/// First eight bytes, little endian, of SHA-256(question ‖ fingerprint), masked to 53 bits so that every JSON reader
/// keeps it.
#[must_use]
pub fn seed(question: &str, fingerprint: &[u8; 32]) -> u64 {
    let mut hash = Sha256::new();
    hash.update(question.as_bytes());
    hash.update(fingerprint);
    let digest: [u8; 32] = hash.finalize().into();
    let [a, b, c, d, e, f, g, h, ..] = digest;
    u64::from_le_bytes([a, b, c, d, e, f, g, h]) & ((1 << 53) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use assay_domain::SourceKind;
    use proptest::prelude::*;

    #[test]
    fn the_seed_is_the_one_the_contract_defines() {
        // SHA-256 of "q" followed by the SHA-256 of nothing, computed with another tool.
        let empty = fingerprint(&[]);
        assert_eq!(hex::encode(empty), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        assert_eq!(seed("q", &empty), 959_358_310_425_206);
    }

    #[test]
    fn every_part_of_the_evidence_changes_the_fingerprint() {
        let source = |id: &str, text: &str| Source::given(id, SourceKind::Doc, text, 1);
        let base = fingerprint(&[source("a", "x"), source("b", "y")]);
        assert_ne!(base, fingerprint(&[source("b", "y"), source("a", "x")]));
        assert_ne!(base, fingerprint(&[source("ab", "x"), source("", "y")]));
        assert_ne!(base, fingerprint(&[source("a", "x\n"), source("b", "y")]));
        let mut moved = source("b", "y");
        moved.lines.first = 2;
        assert_ne!(base, fingerprint(&[source("a", "x"), moved]));
    }

    proptest! {
        #[test]
        fn a_seed_fits_53_bits(question in ".*", bytes in any::<[u8; 32]>()) {
            prop_assert!(seed(&question, &bytes) < 1 << 53);
        }
    }
}
