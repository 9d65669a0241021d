//! A receipt: one leaf with its path to a signed checkpoint, verified with nothing else at hand.

use serde::{Deserialize, Serialize};

use crate::checkpoint::VerifierKey;
use crate::export::Entry;
use crate::finding::Finding;
use crate::hash::Hash;
use crate::leaf::{Header, commitment};
use crate::proof::verify_inclusion;
use crate::record;

/// Version of the receipt format.
pub const RECEIPT_VERSION: u32 = 1;

/// A leaf, its audit path, and the checkpoint that the path leads to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Receipt {
    /// [`RECEIPT_VERSION`].
    pub receipt: u32,
    /// The log's own word on its verifier key.
    pub key: String,
    /// The leaf with its texts; without salt and payload only their commitment.
    pub entry: Entry,
    /// Siblings from leaf to root.
    pub path: Vec<Hash>,
    /// The signed note.
    pub checkpoint: String,
}

/// What a receipt proves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proved {
    /// Audit id of the record; empty where it cannot be read.
    pub audit_id: String,
    /// Position in the log, from 0.
    pub index: u64,
    /// Leaves of the checkpoint.
    pub size: u64,
    /// Whether salt and payload are part of the receipt.
    pub with_payload: bool,
    /// Key that signed the checkpoint.
    pub key: String,
    /// Everything that does not fit.
    pub findings: Vec<Finding>,
}

impl Receipt {
    /// The JSON text, indented.
    #[must_use]
    pub fn to_json(&self) -> String {
        // Texts, numbers and objects with text keys only: there is no way to fail.
        serde_json::to_string_pretty(self).unwrap_or_default()
    }

    /// Reads the JSON text.
    ///
    /// # Errors
    /// What is wrong with it, in the words of the JSON reader.
    pub fn from_json(text: &str) -> Result<Self, String> {
        let receipt: Self = serde_json::from_str(text).map_err(|error| error.to_string())?;
        match receipt.receipt {
            RECEIPT_VERSION => Ok(receipt),
            other => Err(format!("receipt format {other}; this verifier reads {RECEIPT_VERSION}")),
        }
    }

    /// Recomputes the leaf and follows the path to the checkpoint, signed by `trusted`; without it by the key that the
    /// receipt itself presents, which proves that the receipt is whole but not whose it is.
    #[must_use]
    pub fn verify(&self, trusted: Option<&VerifierKey>) -> Proved {
        let own = VerifierKey::parse(&self.key);
        let key = trusted.or(own.as_ref());
        let mut findings = Vec::new();
        if own.is_none() {
            findings.push(Finding::Store("the key of the receipt is no verifier key".to_owned()));
        } else if trusted.is_some() && trusted != own.as_ref() {
            let trusted = trusted.map(ToString::to_string).unwrap_or_default();
            findings.push(Finding::OtherKey { found: self.key.clone(), trusted });
        }
        let (entry, index) = (&self.entry, self.entry.index);
        let payload = entry.sealed.as_ref().map(|sealed| sealed.payload.as_str());
        let audit_id = match record::join(&entry.public, payload) {
            Ok(joined) => joined.record.audit_id.to_string(),
            Err(error) => {
                findings.push(Finding::Unreadable { index, reason: error.to_string() });
                String::new()
            }
        };
        if let Some(Err(reason)) = entry.header.as_deref().map(Header::from_json) {
            findings.push(Finding::Unreadable { index, reason });
        }
        if entry.sealed.as_ref().is_some_and(|s| commitment(&s.salt, &s.payload) != entry.commitment) {
            findings.push(Finding::PayloadMismatch { index, id: audit_id.clone() });
        }
        let leaf = entry.computed_leaf();
        if leaf != entry.leaf {
            findings.push(Finding::LeafMismatch { index, id: audit_id.clone() });
        }
        let mut size = 0;
        match key.map(|key| key.open(&self.checkpoint)) {
            None => {}
            Some(Err(error)) => findings.push(Finding::BadCheckpoint { number: 1, error }),
            Some(Ok(checkpoint)) => {
                size = checkpoint.size;
                if !verify_inclusion(leaf, index, size, &self.path, checkpoint.root) {
                    findings.push(Finding::NotIncluded { index, size });
                }
            }
        }
        Proved {
            audit_id,
            index,
            size,
            with_payload: entry.sealed.is_some(),
            key: key.map(ToString::to_string).unwrap_or_default(),
            findings,
        }
    }
}
