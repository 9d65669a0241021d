//! Verifies a log from its entries alone: recomputes every commitment, leaf, node and root and says what does not fit.
//!
//! Never stops at the first finding and never fails: whatever it is fed becomes a finding.

use std::collections::{HashMap, HashSet};

use assay_domain::AuditId;

use crate::checkpoint::{Checkpoint, CheckpointError, VerifierKey};
use crate::export::{EXPORT_VERSION, Entry, Line};
use crate::hash::Hash;
use crate::leaf::{commitment, record_leaf};
use crate::record;
use crate::tree::{Frontier, Node};

/// Something that does not fit, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Finding {
    /// A line that is no line of an export.
    #[error("line {line}: {reason}")]
    BadLine {
        /// From 1.
        line: u64,
        /// What is wrong.
        reason: String,
    },
    /// No first line with the log's name and key.
    #[error("the export does not begin with the line that names its log")]
    NoHeader,
    /// The log's own key differs from the trusted one.
    #[error("the log presents key {found}, trusted is {trusted}")]
    OtherKey {
        /// As exported.
        found: String,
        /// As given.
        trusted: String,
    },
    /// An entry is missing, repeated or out of order.
    #[error("entry {found} stands where entry {expected} belongs")]
    WrongIndex {
        /// The next index.
        expected: u64,
        /// The one that came.
        found: u64,
    },
    /// Salt and payload do not give the commitment.
    #[error("entry {index} ({id}): salt and payload do not match the commitment")]
    PayloadMismatch {
        /// Position in the log.
        index: u64,
        /// Audit id, or `?`.
        id: String,
    },
    /// Public text and commitment do not give the leaf.
    #[error("entry {index} ({id}): public fields and commitment do not match the leaf hash")]
    LeafMismatch {
        /// Position in the log.
        index: u64,
        /// Audit id, or `?`.
        id: String,
    },
    /// A text of the entry is no record.
    #[error("entry {index}: {reason}")]
    UnreadableRecord {
        /// Position in the log.
        index: u64,
        /// What is wrong.
        reason: String,
    },
    /// A payload that is gone although no retention run erased its day.
    #[error("entry {index} ({id}): the payload is missing and its day was never erased")]
    MissingPayload {
        /// Position in the log.
        index: u64,
        /// Audit id, or `?`.
        id: String,
    },
    /// A stored column that says something else than the public text.
    #[error("entry {index} ({id}): the stored {column} differs from the record")]
    ColumnMismatch {
        /// Position in the log.
        index: u64,
        /// Audit id of the record, or `?`.
        id: String,
        /// Which column.
        column: &'static str,
    },
    /// The same audit id in two places.
    #[error("audit id {id} stands at entry {first} and again at entry {second}")]
    RepeatedId {
        /// The id.
        id: String,
        /// Where it stood first.
        first: u64,
        /// Where it came again.
        second: u64,
    },
    /// A stored inner node that does not follow from the leaves.
    #[error("stored node (level {level}, index {index}) does not follow from its leaves")]
    NodeMismatch {
        /// 0 for leaves.
        level: u32,
        /// Position in its level.
        index: u64,
    },
    /// A checkpoint that is malformed, unsigned or wrongly signed.
    #[error("checkpoint {number}: {error}")]
    BadCheckpoint {
        /// From 1.
        number: u64,
        /// What is wrong.
        error: CheckpointError,
    },
    /// A checkpoint whose root is not the root of that many leaves.
    #[error(
        "checkpoint {number} of size {size}: its root {stated} is not the root {computed} of the first {size} entries"
    )]
    RootMismatch {
        /// From 1.
        number: u64,
        /// Its size.
        size: u64,
        /// Its root.
        stated: Hash,
        /// The root of the entries.
        computed: Hash,
    },
    /// A checkpoint of a larger log: entries are missing at the end.
    #[error("checkpoint {number} is of {size} entries, the log has {found}")]
    Truncated {
        /// From 1.
        number: u64,
        /// Its size.
        size: u64,
        /// Entries found.
        found: u64,
    },
    /// Entries behind the last valid checkpoint.
    #[error("no valid checkpoint covers the entries from {covered} on; the log has {found}")]
    NotCovered {
        /// Size of the largest valid checkpoint.
        covered: u64,
        /// Entries found.
        found: u64,
    },
}

/// Result of a verification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verification {
    /// Entries seen.
    pub entries: u64,
    /// Entries whose payload was there and was recomputed.
    pub payloads_verified: u64,
    /// Entries whose payload was erased.
    pub payloads_erased: u64,
    /// Leaves without texts, of other tenants.
    pub opaque: u64,
    /// Checkpoints that hold.
    pub checkpoints_verified: u64,
    /// Root over all entries, recomputed.
    pub root: Hash,
    /// Key that the signatures were held against; empty where none was known.
    pub key: String,
    /// Everything that does not fit, in the order in which it was met; at most [`MAX_FINDINGS`].
    pub findings: Vec<Finding>,
    /// Number of findings, including those beyond the limit.
    pub finding_count: u64,
}

impl Verification {
    /// Whether nothing was found.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.finding_count == 0
    }
}

/// Findings that are listed; the rest is counted.
pub const MAX_FINDINGS: usize = 1_000;

/// Verifies a log entry by entry.
#[derive(Debug)]
pub struct Verifier {
    key: Option<VerifierKey>,
    frontier: Frontier,
    roots: HashMap<u64, Hash>,
    wanted: HashSet<u64>,
    keep_all_roots: bool,
    ids: HashMap<AuditId, u64>,
    checkpoints: u64,
    checkpoints_verified: u64,
    covered: Option<u64>,
    payloads_verified: u64,
    payloads_erased: u64,
    opaque: u64,
    findings: Vec<Finding>,
    finding_count: u64,
}

impl Verifier {
    /// A verifier that holds signatures against this key. With `sizes` only the roots of those sizes are remembered
    /// for checkpoints; without, all of them are (32 bytes an entry).
    #[must_use]
    pub fn new(key: Option<VerifierKey>, sizes: Option<&[u64]>) -> Self {
        let mut verifier = Self {
            key,
            frontier: Frontier::new(),
            roots: HashMap::new(),
            wanted: sizes.unwrap_or_default().iter().copied().collect(),
            keep_all_roots: sizes.is_none(),
            ids: HashMap::new(),
            checkpoints: 0,
            checkpoints_verified: 0,
            covered: None,
            payloads_verified: 0,
            payloads_erased: 0,
            opaque: 0,
            findings: Vec::new(),
            finding_count: 0,
        };
        verifier.remember_root();
        verifier
    }

    /// Adds a finding of the caller, who may see more than the entries (a store its nodes, a reader its lines).
    pub fn report(&mut self, finding: Finding) {
        self.finding_count += 1;
        if self.findings.len() < MAX_FINDINGS {
            self.findings.push(finding);
        }
    }

    /// Takes the next entry and returns the nodes it completes, as they must be stored.
    pub fn entry(&mut self, entry: &Entry) -> Vec<Node> {
        self.place(entry.index);
        let id = match record::join(&entry.public, entry.sealed.as_ref().map(|s| s.payload.as_str())) {
            Ok(joined) => Some(joined.record.audit_id),
            Err(error) => {
                self.report(Finding::UnreadableRecord { index: entry.index, reason: error.to_string() });
                record::audit_id(&entry.public).ok()
            }
        };
        let name = id.map_or_else(|| "?".to_owned(), |id| id.to_string());
        if let Some(sealed) = &entry.sealed {
            if commitment(&sealed.salt, &sealed.payload) == entry.commitment {
                self.payloads_verified += 1;
            } else {
                self.report(Finding::PayloadMismatch { index: entry.index, id: name.clone() });
            }
        } else {
            self.payloads_erased += 1;
        }
        let leaf = record_leaf(entry.version, &entry.public, &entry.commitment);
        if leaf != entry.leaf {
            self.report(Finding::LeafMismatch { index: entry.index, id: name });
        }
        if let Some(id) = id {
            if let Some(first) = self.ids.get(&id).copied() {
                self.report(Finding::RepeatedId { id: id.to_string(), first, second: entry.index });
            } else {
                self.ids.insert(id, entry.index);
            }
        }
        self.push(leaf)
    }

    /// Takes the next leaf without its texts.
    pub fn leaf(&mut self, index: u64, leaf: Hash) -> Vec<Node> {
        self.place(index);
        self.opaque += 1;
        self.push(leaf)
    }

    /// Entries taken so far.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.frontier.size()
    }

    fn place(&mut self, found: u64) {
        let expected = self.frontier.size();
        if found != expected {
            self.report(Finding::WrongIndex { expected, found });
        }
    }

    fn push(&mut self, leaf: Hash) -> Vec<Node> {
        let nodes = self.frontier.push(leaf);
        self.remember_root();
        nodes
    }

    fn remember_root(&mut self) {
        let size = self.frontier.size();
        if self.keep_all_roots || self.wanted.contains(&size) {
            self.roots.insert(size, self.frontier.root());
        }
    }

    /// Takes a checkpoint, after the entries.
    pub fn checkpoint(&mut self, note: &str) {
        self.checkpoints += 1;
        let number = self.checkpoints;
        let opened = match &self.key {
            Some(key) => key.open(note),
            None => Checkpoint::parse_unverified(note),
        };
        let checkpoint = match opened {
            Ok(checkpoint) => checkpoint,
            Err(error) => return self.report(Finding::BadCheckpoint { number, error }),
        };
        let (size, found) = (checkpoint.size, self.frontier.size());
        match self.roots.get(&size).copied() {
            Some(root) if root == checkpoint.root => {
                self.checkpoints_verified += 1;
                self.covered = self.covered.max(Some(size));
            }
            Some(computed) => {
                self.report(Finding::RootMismatch { number, size, stated: checkpoint.root, computed });
            }
            None => self.report(Finding::Truncated { number, size, found }),
        }
    }

    /// The result.
    #[must_use]
    pub fn finish(mut self) -> Verification {
        let found = self.frontier.size();
        let covered = self.covered.unwrap_or(0);
        if covered < found {
            self.report(Finding::NotCovered { covered, found });
        }
        Verification {
            entries: found,
            payloads_verified: self.payloads_verified,
            payloads_erased: self.payloads_erased,
            opaque: self.opaque,
            checkpoints_verified: self.checkpoints_verified,
            root: self.frontier.root(),
            key: self.key.map(|key| key.to_string()).unwrap_or_default(),
            findings: self.findings,
            finding_count: self.finding_count,
        }
    }
}

/// Verifies an exported log, line by line. Signatures are held against `trusted`; without it against the key that
/// the export itself presents, which proves that the log is whole but not whose it is.
pub fn verify_lines<I>(lines: I, trusted: Option<&VerifierKey>) -> Verification
where
    I: IntoIterator,
    I::Item: AsRef<str>,
{
    let mut verifier = Verifier::new(trusted.cloned(), None);
    let mut header = false;
    for (at, line) in (1_u64..).zip(lines) {
        let line = line.as_ref();
        if line.trim().is_empty() {
            continue;
        }
        match Line::from_json(line) {
            Err(reason) => verifier.report(Finding::BadLine { line: at, reason }),
            Ok(Line::Log { version, .. }) if version != EXPORT_VERSION => {
                let reason = format!("export format {version}; this verifier reads {EXPORT_VERSION}");
                verifier.report(Finding::BadLine { line: at, reason });
            }
            Ok(Line::Log { .. }) if header || verifier.frontier.size() > 0 => {
                verifier.report(Finding::BadLine { line: at, reason: "a second log begins here".to_owned() });
            }
            Ok(Line::Log { origin, key, .. }) => {
                header = true;
                verifier.header(at, &origin, &key);
            }
            Ok(Line::Entry(entry)) => {
                verifier.entry(&entry);
            }
            Ok(Line::Leaf { index, leaf }) => {
                verifier.leaf(index, leaf);
            }
            Ok(Line::Checkpoint { note }) => verifier.checkpoint(&note),
        }
    }
    if !header {
        verifier.report(Finding::NoHeader);
    }
    verifier.finish()
}

impl Verifier {
    fn header(&mut self, line: u64, origin: &str, key: &str) {
        let Some(parsed) = VerifierKey::parse(key) else {
            return self.report(Finding::BadLine { line, reason: "the key is no verifier key".to_owned() });
        };
        if parsed.name() != origin {
            self.report(Finding::BadLine { line, reason: "the key is not named like the log".to_owned() });
        }
        match &self.key {
            None => self.key = Some(parsed),
            Some(trusted) if *trusted == parsed => {}
            Some(trusted) => {
                let trusted = trusted.to_string();
                self.report(Finding::OtherKey { found: key.to_owned(), trusted });
            }
        }
    }
}
