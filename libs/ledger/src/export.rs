//! The lines of an exported log: one JSON object a line, first the log's name and key, then its entries in order,
//! then its checkpoints. Everything that a verifier needs, and nothing that it must ask anyone for.

use serde::{Deserialize, Serialize};

use crate::hash::Hash;
use crate::leaf::{Salt, leaf_hash};

/// Version of the line format; 1 knew no header, 2 no notes. All are read.
pub const EXPORT_VERSION: u32 = 3;

/// One line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Line {
    /// Opens an export.
    Log {
        /// At most [`EXPORT_VERSION`].
        version: u32,
        /// Name of the log.
        origin: String,
        /// The log's own word on its verifier key; a verifier should be given the key from elsewhere.
        key: String,
    },
    /// A leaf with its texts.
    Entry(Entry),
    /// A leaf whose texts belong to another tenant; it only holds its place in the tree.
    Leaf {
        /// Position in the log, from 0.
        index: u64,
        /// The leaf hash as stored.
        leaf: Hash,
    },
    /// A signed checkpoint.
    Checkpoint {
        /// The signed note.
        note: String,
    },
}

/// A leaf with everything that is still known of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// Position in the log, from 0.
    pub index: u64,
    /// Format of the leaf.
    pub version: u32,
    /// What the log states about the leaf, byte for byte; none in format 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub header: Option<String>,
    /// The leaf hash as stored.
    pub leaf: Hash,
    /// The public text, byte for byte.
    pub public: String,
    /// SHA-256(salt ‖ payload) as stored.
    pub commitment: Hash,
    /// Salt and payload; none once erased.
    pub sealed: Option<Sealed>,
}

/// The erasable half of an entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sealed {
    /// 32 bytes, hexadecimal.
    pub salt: Salt,
    /// The payload text, byte for byte.
    pub payload: String,
}

impl Entry {
    /// The leaf hash that follows from the texts.
    #[must_use]
    pub fn computed_leaf(&self) -> Hash {
        leaf_hash(self.version, self.header.as_deref(), &self.public, &self.commitment)
    }
}

impl Line {
    /// The JSON text of the line, without line feed.
    #[must_use]
    pub fn to_json(&self) -> String {
        // Texts, numbers and objects with text keys only: there is no way to fail.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Reads a line.
    ///
    /// # Errors
    /// What is wrong with it, in the words of the JSON reader.
    pub fn from_json(text: &str) -> Result<Self, String> {
        serde_json::from_str(text).map_err(|error| error.to_string())
    }
}
