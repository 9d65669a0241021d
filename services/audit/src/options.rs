//! Settings of audit.

use std::path::PathBuf;

use assay_domain::{Code, Failure};
use serde::{Deserialize, Serialize};

/// Environment names that the contract promises, and the setting of this service each one sets.
pub const FLAT: &[(&str, &str)] =
    &[("AUDIT_RETENTION_DAYS", "service.retention_days"), ("AUDIT_INCLUDE_ANSWER", "service.include_answer")];

/// Name of the key file in the folder of the log.
pub const KEY_FILE: &str = "audit.key";

/// Settings of audit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Folder of the log, its backups and, by default, its key; one process owns it.
    pub data_dir: PathBuf,
    /// File of the signing key; empty means `audit.key` in `data_dir`. Elsewhere the group may read it too.
    pub key_file: PathBuf,
    /// Name of the log, unique among logs; empty draws one when the log is made. It can never change afterwards.
    pub log_id: String,
    /// Days that queries, answers, claims and principals are kept. Leaves are never dropped.
    pub retention_days: u32,
    /// Longest gap between records, in days, across which payloads still expire. After a longer gap the clock may have
    /// jumped: earlier payloads are kept and an error is logged. 0 trusts the clock.
    pub clock_gap_days: u32,
    /// Whether the text of an answer that passed is kept; else only a salted digest of it is.
    pub include_answer: bool,
    /// Records that may wait for the writer; more wait in their callers.
    pub queue: usize,
    /// Most records that are committed, and signed for, at once.
    pub batch: usize,
    /// Time a record may take to be stored, in milliseconds, whatever the request's own deadline.
    pub append_ms: u64,
    /// Most bytes the log may take on disk; 0 means no limit.
    pub max_bytes: u64,
    /// Most records that wait for a reviewer; beyond it one in `review_sample` takes the place of the oldest.
    pub review_open: u32,
    /// One record in this many enters a full review queue, in place of the oldest.
    pub review_sample: u32,
    /// Share of the answers that passed which is queued for review with its text, 0 to 1; without it nobody can say what
    /// the checks miss.
    pub review_sample_pass: f64,
    /// Minutes that a record stays in a reviewer's hand.
    pub review_hold_minutes: u32,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            data_dir: PathBuf::from(".assay/audit"),
            key_file: PathBuf::new(),
            log_id: String::new(),
            retention_days: 90,
            clock_gap_days: 30,
            include_answer: false,
            queue: 1024,
            batch: 256,
            append_ms: 2_000,
            max_bytes: 0,
            review_open: 10_000,
            review_sample: 20,
            review_sample_pass: 0.0,
            review_hold_minutes: 30,
        }
    }
}

impl Options {
    /// Path of the signing key.
    #[must_use]
    pub fn key_path(&self) -> PathBuf {
        match self.key_file.as_os_str().is_empty() {
            true => self.data_dir.join(KEY_FILE),
            false => self.key_file.clone(),
        }
    }

    /// Refuses settings that cannot work.
    ///
    /// # Errors
    /// `CONFIGURATION`, naming the setting.
    pub fn check(&self) -> Result<(), Failure> {
        let wrong = |field: &str, text: &str| Err(Failure::new(Code::Configuration, text).field(field));
        if self.data_dir.as_os_str().is_empty() {
            return wrong("audit.data_dir", "data_dir must name a folder");
        }
        if self.log_id.contains(|c: char| c.is_whitespace() || c.is_control() || c == '+') {
            return wrong("audit.log_id", "log_id must hold no white space and no plus sign");
        }
        if self.retention_days == 0 {
            return wrong("audit.retention_days", "retention_days must be at least 1");
        }
        if self.queue == 0 || self.batch == 0 {
            return wrong("audit.queue", "queue and batch must be at least 1");
        }
        if self.append_ms == 0 {
            return wrong("audit.append_ms", "append_ms must be at least 1");
        }
        if self.max_bytes != 0 && self.max_bytes < 1024 * 1024 {
            return wrong("audit.max_bytes", "max_bytes must be 0 (no limit) or at least 1048576");
        }
        if self.review_open == 0 || self.review_sample == 0 {
            return wrong("audit.review_open", "review_open and review_sample must be at least 1");
        }
        if !(0.0..=1.0).contains(&self.review_sample_pass) {
            return wrong("audit.review_sample_pass", "review_sample_pass must lie between 0 and 1");
        }
        if self.review_hold_minutes == 0 {
            return wrong("audit.review_hold_minutes", "review_hold_minutes must be at least 1");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    #[test]
    fn the_names_of_the_contract_set_retention_and_answer_policy() {
        let environment = [("AUDIT_RETENTION_DAYS", "7"), ("AUDIT_INCLUDE_ANSWER", "true")];
        let environment = environment.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        let settings: assay_rpc::process::Settings<Options> =
            assay_config::load(None, &environment, FLAT).unwrap();
        assert_eq!((settings.service.retention_days, settings.service.include_answer), (7, true));
        let defaults = Options::default();
        assert_eq!((defaults.retention_days, defaults.include_answer), (90, false));
    }

    #[test]
    fn settings_that_cannot_work_are_refused_with_their_name() {
        assert_eq!(Options::default().check(), Ok(()));
        type Change = fn(&mut Options);
        let wrong: [(&str, Change); 6] = [
            ("audit.retention_days", |o| o.retention_days = 0),
            ("audit.queue", |o| o.batch = 0),
            ("audit.append_ms", |o| o.append_ms = 0),
            ("audit.log_id", |o| o.log_id = "two words".into()),
            ("audit.max_bytes", |o| o.max_bytes = 5),
            ("audit.data_dir", |o| o.data_dir = PathBuf::new()),
        ];
        for (field, change) in wrong {
            let mut options = Options::default();
            change(&mut options);
            assert_eq!(options.check().unwrap_err().field, field);
        }
    }
}
