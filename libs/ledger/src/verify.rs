//! Verifies a log from its entries alone: recomputes every commitment, leaf, node and root and says what does not fit.
//!
//! Never stops at the first finding and never fails: whatever it is fed becomes a finding.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use assay_domain::AuditId;

use crate::checkpoint::{Checkpoint, VerifierKey};
use crate::erasure::{Erasure, day};
use crate::export::Entry;
use crate::finding::Finding;
use crate::hash::Hash;
use crate::leaf::{FORMAT, FORMAT_WITHOUT_HEADER, Header, Kind, commitment};
use crate::note::Note;
use crate::record;
use crate::tree::{Frontier, Node};

/// Result of a verification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verification {
    /// Entries seen.
    pub entries: u64,
    /// Entries whose payload was there and was recomputed.
    pub payloads_verified: u64,
    /// Records whose payload was erased.
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
    /// What no signature covers in entries of older formats.
    pub not_covered: Vec<String>,
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
    pub(crate) key: Option<VerifierKey>,
    frontier: Frontier,
    roots: HashMap<u64, Hash>,
    wanted: HashSet<u64>,
    keep_all_roots: bool,
    ids: HashMap<AuditId, u64>,
    /// Entries of the format without header, which all come first.
    headless: u64,
    /// Whether an entry with header came.
    headed: bool,
    /// Sizes of checkpoints that headers name.
    named: BTreeSet<u64>,
    /// Sizes of the checkpoints that came.
    came: BTreeSet<u64>,
    /// The review queue as headers and erasures make it: entry and sampling rate.
    reviews: BTreeMap<u64, u32>,
    /// Entries without payload: id and day bucket.
    missing: BTreeMap<u64, (AuditId, u64)>,
    erased: BTreeMap<u64, (u64, u64)>,
    unsigned_erasures_before: u64,
    checkpoints: u64,
    checkpoints_verified: u64,
    covered: Option<u64>,
    payloads_verified: u64,
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
            headless: 0,
            headed: false,
            named: BTreeSet::new(),
            came: BTreeSet::new(),
            reviews: BTreeMap::new(),
            missing: BTreeMap::new(),
            erased: BTreeMap::new(),
            unsigned_erasures_before: 0,
            checkpoints: 0,
            checkpoints_verified: 0,
            covered: None,
            payloads_verified: 0,
            opaque: 0,
            findings: Vec::new(),
            finding_count: 0,
        };
        verifier.remember_root();
        verifier
    }

    /// Accepts missing payloads of days before this one, as long as no entry has a header: such a log is older than
    /// erasure leaves.
    pub fn accept_unsigned_erasures(&mut self, before_day: u64) {
        self.unsigned_erasures_before = before_day;
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
        let header = self.header(entry);
        let id = match header {
            Some(Header { kind: Kind::Erasure, .. }) => {
                self.erasure(entry);
                None
            }
            Some(header @ Header { kind: Kind::Note, .. }) => self.note(entry, header),
            _ => self.record(entry),
        };
        let leaf = entry.computed_leaf();
        if leaf != entry.leaf {
            self.report(Finding::LeafMismatch { index: entry.index, id: named(id) });
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

    /// Entries without header taken so far; nothing signed tells whether they wait for review.
    #[must_use]
    pub fn headless(&self) -> u64 {
        self.headless
    }

    /// The review queue that follows from the headers so far: entry and sampling rate.
    #[must_use]
    pub fn reviews(&self) -> &BTreeMap<u64, u32> {
        &self.reviews
    }

    fn place(&mut self, found: u64) {
        let expected = self.frontier.size();
        if found != expected {
            self.report(Finding::WrongIndex { expected, found });
        }
    }

    fn unreadable(&mut self, entry: &Entry, reason: impl Into<String>) {
        self.report(Finding::Unreadable { index: entry.index, reason: reason.into() });
    }

    /// Reads the header and applies it to checkpoints and review queue.
    fn header(&mut self, entry: &Entry) -> Option<Header> {
        let text = match (&entry.header, entry.version) {
            (None, FORMAT_WITHOUT_HEADER) if !self.headed => {
                self.headless = self.size() + 1;
                return None;
            }
            (Some(text), FORMAT) => {
                self.headed = true;
                text
            }
            (header, version) => {
                let has = if header.is_some() { "a header" } else { "no header" };
                self.unreadable(entry, format!("{has} in format {version} does not belong here"));
                return None;
            }
        };
        let header = match Header::from_json(text) {
            Ok(header) => header,
            Err(reason) => {
                self.unreadable(entry, reason);
                return None;
            }
        };
        if header.checkpoint > entry.index {
            self.unreadable(entry, format!("it names a later checkpoint, {}", header.checkpoint));
        }
        self.named.insert(header.checkpoint);
        if let Some(review) = header.review {
            if let Some(displaced) = review.displaced
                && self.reviews.remove(&displaced).is_none()
                && displaced >= self.headless
                // The queue is of all tenants; a bare leaf does not show that it was in it.
                && self.opaque == 0
            {
                self.unreadable(entry, format!("it displaces entry {displaced}, which awaits no review"));
            }
            self.reviews.insert(entry.index, review.one_in);
        }
        Some(header)
    }

    fn erasure(&mut self, entry: &Entry) {
        if entry.sealed.is_some() {
            self.unreadable(entry, "an erasure has no payload");
        }
        // Held against the entries that came, not against the index that the entry claims: that one may be any number.
        match Erasure::from_json(&entry.public, self.size()) {
            Err(reason) => self.unreadable(entry, reason),
            Ok(erasure) => {
                for index in erasure.indices() {
                    self.reviews.remove(&index);
                    if self.erased.insert(index, (entry.index, erasure.before_day)).is_some() {
                        self.unreadable(entry, format!("it erases entry {index} again"));
                        // Many such entries, each over the whole log, must not cost its square.
                        break;
                    }
                }
            }
        }
    }

    fn record(&mut self, entry: &Entry) -> Option<AuditId> {
        let id = match record::join(&entry.public, entry.sealed.as_ref().map(|s| s.payload.as_str())) {
            Ok(joined) => Some(joined.record.audit_id),
            Err(error) => {
                self.unreadable(entry, error.to_string());
                record::audit_id(&entry.public).ok()
            }
        };
        self.sealed(entry, id, id.map_or(0, |id| day(id.unix_ms())));
        id
    }

    fn note(&mut self, entry: &Entry, header: Header) -> Option<AuditId> {
        let payload = entry.sealed.as_ref().map(|sealed| sealed.payload.as_str());
        let note = match Note::join(&entry.public, payload, self.size()) {
            Ok(note) => note,
            Err(reason) => {
                self.unreadable(entry, reason);
                return None;
            }
        };
        self.sealed(entry, Some(note.id), day(header.stored_unix_ms));
        if let Some(leaf) = note.about().filter(|_| note.said.decides())
            && self.reviews.remove(&leaf).is_none()
            && leaf >= self.headless
            // As with what is displaced: a bare leaf does not show that it was in the queue.
            && self.opaque == 0
        {
            self.unreadable(entry, format!("it decides entry {leaf}, which awaits no review"));
        }
        Some(note.id)
    }

    /// Holds salt and payload against the commitment, and the id against those that came.
    fn sealed(&mut self, entry: &Entry, id: Option<AuditId>, day: u64) {
        let index = entry.index;
        match &entry.sealed {
            Some(sealed) if commitment(&sealed.salt, &sealed.payload) == entry.commitment => {
                self.payloads_verified += 1;
            }
            Some(_) => self.report(Finding::PayloadMismatch { index, id: named(id) }),
            None => {
                if let Some(id) = id {
                    self.missing.insert(index, (id, day));
                } else {
                    self.report(Finding::MissingPayload { index, id: named(id) });
                }
            }
        }
        if let Some(id) = id {
            if let Some(first) = self.ids.get(&id).copied() {
                self.report(Finding::RepeatedId { id: id.to_string(), first, second: index });
            } else {
                self.ids.insert(id, index);
            }
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
        self.came.insert(size);
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

    /// Holds size and root that somebody else remembers against the entries, after them.
    pub fn remembered(&mut self, size: u64, root: Hash) {
        match self.roots.get(&size).copied() {
            Some(found) if found == root => {}
            Some(found) => self.report(Finding::Rewritten { size, seen: root, found }),
            None => self.report(Finding::RolledBack { seen: size, found: self.frontier.size() }),
        }
    }

    /// Holds missing payloads against erasure leaves; returns how many records are erased, and how many of them
    /// without a leaf that says so.
    fn erasures(&mut self) -> (u64, u64) {
        let (missing, erased) = (std::mem::take(&mut self.missing), std::mem::take(&mut self.erased));
        let mut unsigned = 0;
        let accepted = if self.headed { 0 } else { self.unsigned_erasures_before };
        for (index, (id, of_day)) in &missing {
            let of_day = *of_day;
            match erased.get(index) {
                Some((erasure, before_day)) if of_day >= *before_day => {
                    self.report(Finding::ErasedTooEarly {
                        index: *index,
                        id: id.to_string(),
                        erasure: *erasure,
                        before_day: *before_day,
                    })
                }
                Some(_) => {}
                None if of_day < accepted => unsigned += 1,
                None => self.report(Finding::MissingPayload { index: *index, id: id.to_string() }),
            }
        }
        // Bare leaves of an export show no payload, so only a store or the reader's own tenant can contradict.
        for (index, (erasure, _)) in erased {
            if self.opaque == 0 && !missing.contains_key(&index) {
                self.report(Finding::ErasedPayload { index, erasure });
            }
        }
        (u64::try_from(missing.len()).unwrap_or(u64::MAX), unsigned)
    }

    /// The result.
    #[must_use]
    pub fn finish(mut self) -> Verification {
        let found = self.frontier.size();
        let (payloads_erased, unsigned) = self.erasures();
        for size in self.named.difference(&self.came).copied().collect::<Vec<_>>() {
            self.report(Finding::MissingCheckpoint { size });
        }
        let covered = self.covered.unwrap_or(0);
        if covered < found {
            self.report(Finding::NotCovered { covered, found });
        }
        let mut not_covered = Vec::new();
        if self.headless > 0 {
            not_covered.push(format!(
                "the first {} entries are of format 1: nothing signed tells when they were stored, which await review \
                 and which checkpoints lay between them",
                self.headless
            ));
        }
        if unsigned > 0 {
            not_covered.push(format!("{unsigned} payloads were erased before erasures were entries"));
        }
        Verification {
            entries: found,
            payloads_verified: self.payloads_verified,
            payloads_erased,
            opaque: self.opaque,
            checkpoints_verified: self.checkpoints_verified,
            root: self.frontier.root(),
            key: self.key.map(|key| key.to_string()).unwrap_or_default(),
            findings: self.findings,
            finding_count: self.finding_count,
            not_covered,
        }
    }
}

fn named(id: Option<AuditId>) -> String {
    id.map_or_else(|| "?".to_owned(), |id| id.to_string())
}
