//! Proofs of the audit log: the receipt of a record, and what a check of the whole log found.

use assay_domain::Failure;
use assay_proto::audit;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

/// A receipt as a file that `assay audit verify FILE` reads.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReceiptFile<'a> {
    /// Format of the file.
    pub receipt: u32,
    /// Verifier key of the log: name, key id and key joined by plus signs.
    pub key: &'a str,
    /// The leaf with its texts; `sealed` holds salt and payload, or null.
    pub entry: Map<String, Value>,
    /// Sibling hashes from leaf to root, lower-case hex.
    pub path: &'a [String],
    /// The signed note of the tree.
    pub checkpoint: &'a str,
}

/// What a check of the whole log found.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Verified<'a> {
    /// Whether nothing is wrong.
    pub ok: bool,
    /// Leaves in the log.
    pub leaves: u64,
    /// Leaves whose payload was recomputed.
    pub payloads_checked: u64,
    /// Leaves whose payload was erased.
    pub payloads_erased: u64,
    /// Signed checkpoints that hold.
    pub checkpoints_checked: u64,
    /// Lower-case hex.
    pub root_hash: &'a str,
    /// The signed note.
    pub checkpoint: &'a str,
    /// Verifier key of the log.
    pub public_key: &'a str,
    /// What is wrong, in log order; at most 1000.
    pub findings: &'a [String],
    /// Number of findings, including those not listed.
    pub finding_count: u64,
    /// What no signature covers.
    pub not_covered: &'a [String],
}

impl<'a> ReceiptFile<'a> {
    /// The receipt of a proof; without `payload` only the commitment of question and answer is in it.
    ///
    /// # Errors
    /// `internal` if the entry is not what audit sends.
    pub fn new(proved: &'a audit::ProveResponse, payload: bool) -> Result<Self, Failure> {
        let entry = serde_json::from_str(&proved.entry)
            .map_err(|error| Failure::internal(format!("audit sent an entry that cannot be read: {error}")));
        let mut entry: Map<String, Value> = entry?;
        // An export tells its lines apart; a receipt has one.
        entry.shift_remove("kind");
        if !payload {
            entry.insert("sealed".into(), Value::Null);
        }
        Ok(Self {
            // `assay_ledger` is not to be had here; a test of `assay` reads this with its parser.
            receipt: 1,
            key: &proved.public_key,
            entry,
            path: &proved.path,
            checkpoint: &proved.checkpoint,
        })
    }
}

impl<'a> From<&'a audit::VerifyResponse> for Verified<'a> {
    fn from(found: &'a audit::VerifyResponse) -> Self {
        Self {
            ok: found.ok,
            leaves: found.leaves,
            payloads_checked: found.payloads_checked,
            payloads_erased: found.payloads_erased,
            checkpoints_checked: found.checkpoints_checked,
            root_hash: &found.root_hash,
            checkpoint: &found.checkpoint,
            public_key: &found.public_key,
            findings: &found.findings,
            finding_count: found.finding_count,
            not_covered: &found.not_covered,
        }
    }
}
