//! Settings of the router.

use std::path::PathBuf;

use assay_domain::{Code, Failure};
use assay_routing::Head;
use serde::{Deserialize, Serialize};

use crate::adapters::head_store::{HeadStore, read_head};

/// Environment names that the contract promises, and the key each sets.
pub const FLAT: &[(&str, &str)] = &[
    ("STREAM_COMMIT_FIRST", "service.stream_commit_first"),
    ("ROUTER_DEADLINE", "service.deadline_seconds"),
    ("ROUTER_COLLECT", "service.collect"),
];

/// Days for which a collected message is kept at most (contract §2).
const MOST_DAYS: u64 = 90;

/// What the retry of a rejected draft is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Retry {
    /// Its defects, quoted.
    #[default]
    Guided,
    /// That it was rejected.
    Blind,
    /// There is none.
    None,
}

impl Retry {
    /// Its name in the settings.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Guided => "guided",
            Self::Blind => "blind",
            Self::None => "none",
        }
    }
}

/// Where sessions are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionStore {
    /// In a file of `data_dir`; a router knows its own alone.
    #[default]
    Sqlite,
    /// In an Elasticsearch cluster, which all routers share.
    Elasticsearch,
}

/// Settings of the router.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Options {
    /// Folder of sessions, outbox and the trained head; one process owns it.
    pub data_dir: PathBuf,
    /// Longest time of a request, in seconds, at most 120; caps the deadline of the caller.
    pub deadline_seconds: u64,
    /// Platform prefixes beside the built-in ones (RC-01).
    pub platform_prefixes: Vec<String>,
    /// Lowest calibrated probability, 0 to 1, at which the trained head (layer 2) decides.
    pub accept_probability: f64,
    /// A head of `assay router train` to use in layer 2. Empty means the promoted one, else the one that ships.
    pub head: PathBuf,
    /// A head that decides every message beside the one in use, without effect: `assay router show` says how often they
    /// agree. Empty means none.
    pub shadow: PathBuf,
    /// Keep redacted messages with their types, for `assay router export`.
    pub collect: bool,
    /// Time for which they are kept, in days, at most 90.
    pub collect_days: u64,
    /// Most sources of an answer.
    pub search_depth: u32,
    /// Examples of a code answer.
    pub few_shot: u32,
    /// Have the sources judged against the question before drafting.
    #[serde(alias = "judge_relevance")]
    pub assess_relevance: bool,
    /// Policy profile: `strict`, `balanced` or `lenient`; with `strict` there is no answer without checks. Empty means
    /// the profile that validation is configured with.
    pub profile: String,
    /// The first delivered segment spends the retry budget.
    pub stream_commit_first: bool,
    /// What the retry of a rejected draft is told: `guided` quotes its defects, `blind` says that it was rejected, `none`
    /// has no retry. The last two are there to measure what the first is worth.
    pub retry: Retry,
    /// Language that code is asked for in, and that undeclared blocks have, in `code_collections`; the parser has to know
    /// it. Empty means detect.
    pub code_language: String,
    /// Collections about `code_language`; the empty name is the default collection.
    pub code_collections: Vec<String>,
    /// Requests and records that the outbox holds before new requests are refused.
    pub outbox_records: u64,
    /// Time that storing a record in the audit log may take before it is queued, in milliseconds.
    pub append_ms: u64,
    /// Where sessions are kept: `sqlite` (in `data_dir`) or `elasticsearch`.
    pub sessions: SessionStore,
    /// Idle time after which a session is forgotten, in hours.
    pub session_hours: u64,
    /// Most sessions of a principal; the oldest is dropped.
    pub sessions_per_principal: u32,
    /// Time for which the outcome of a request id is kept, in hours.
    pub request_hours: u64,
    /// Outcomes kept for the request ids of a principal; the oldest is dropped.
    pub requests_per_principal: u32,
    /// Most language model calls of one `Classify` request; later messages are decided without a model.
    pub classify_model_calls: u32,
    /// The cluster of the sessions.
    pub elasticsearch: assay_elastic::Options,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            data_dir: PathBuf::from(".assay/router"),
            deadline_seconds: 120,
            platform_prefixes: Vec::new(),
            accept_probability: assay_routing::ACCEPT,
            head: PathBuf::new(),
            shadow: PathBuf::new(),
            collect: false,
            collect_days: MOST_DAYS,
            search_depth: 8,
            few_shot: 5,
            assess_relevance: true,
            profile: String::new(),
            stream_commit_first: false,
            retry: Retry::Guided,
            code_language: "avap".into(),
            code_collections: vec![String::new(), "default".into(), "avap".into(), "guide".into()],
            outbox_records: 10_000,
            append_ms: 2_000,
            sessions: SessionStore::Sqlite,
            session_hours: 24,
            sessions_per_principal: 1_000,
            request_hours: 24,
            requests_per_principal: 1_000,
            classify_model_calls: 16,
            elasticsearch: assay_elastic::Options::default(),
        }
    }
}

impl Options {
    /// File of the head to use: `head`, else the promoted one; none means the one that ships.
    ///
    /// # Errors
    /// `STORAGE_CORRUPT` for a damaged history of promotions.
    pub fn head_file(&self) -> Result<Option<PathBuf>, Failure> {
        if self.head.as_os_str().is_empty() {
            HeadStore::of(&self.data_dir).current()
        } else {
            Ok(Some(self.head.clone()))
        }
    }

    /// The head of `head`, else the promoted one; none means the one that ships.
    ///
    /// # Errors
    /// `CONFIGURATION` for a file that is not there or has other labels; `STORAGE_CORRUPT` for a damaged one.
    pub fn chosen_head(&self) -> Result<Option<Head>, Failure> {
        self.head_file()?.as_deref().map(read_head).transpose()
    }

    /// The head of `shadow`, if one is set.
    ///
    /// # Errors
    /// As [`Self::chosen_head`].
    pub fn shadow_head(&self) -> Result<Option<Head>, Failure> {
        let set = !self.shadow.as_os_str().is_empty();
        let read = || read_head(&self.shadow).map_err(|failure| failure.field("router.shadow"));
        set.then(read).transpose()
    }

    /// Whether routed messages are kept: their texts, or what a shadow head says of them.
    #[must_use]
    pub fn keeps_messages(&self) -> bool {
        self.collect || !self.shadow.as_os_str().is_empty()
    }

    /// File of the routed messages.
    #[must_use]
    pub fn messages_file(&self) -> PathBuf {
        self.data_dir.join("messages.sqlite")
    }

    /// Refuses settings that cannot work.
    ///
    /// # Errors
    /// `CONFIGURATION`, naming the setting.
    pub fn check(&self) -> Result<(), Failure> {
        let wrong = |field: &str, text: &str| Err(Failure::new(Code::Configuration, text).field(field));
        if self.data_dir.as_os_str().is_empty() {
            return wrong("router.data_dir", "data_dir must name a folder");
        }
        if !(1..=120).contains(&self.deadline_seconds) {
            return wrong("router.deadline_seconds", "deadline_seconds must be 1 to 120");
        }
        if !(0.0..=1.0).contains(&self.accept_probability) {
            return wrong("router.accept_probability", "accept_probability must be 0 to 1");
        }
        if !(1..=MOST_DAYS).contains(&self.collect_days) {
            return wrong("router.collect_days", "collect_days must be 1 to 90");
        }
        if self.search_depth == 0 || self.search_depth > 1000 {
            return wrong("router.search_depth", "search_depth must be 1 to 1000");
        }
        if !["", "strict", "balanced", "lenient"].contains(&self.profile.as_str()) {
            return wrong("router.profile", "profile must be strict, balanced or lenient");
        }
        if self.outbox_records == 0 || self.append_ms == 0 {
            return wrong("router.outbox_records", "outbox_records and append_ms must be at least 1");
        }
        for (setting, value) in [
            ("session_hours", self.session_hours),
            ("sessions_per_principal", self.sessions_per_principal.into()),
            ("request_hours", self.request_hours),
            ("requests_per_principal", self.requests_per_principal.into()),
        ] {
            if value == 0 {
                return wrong(&format!("router.{setting}"), &format!("{setting} must be at least 1"));
            }
        }
        if self.sessions == SessionStore::Elasticsearch {
            self.elasticsearch.check("router.elasticsearch")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_accepted_and_a_wrong_value_is_named() {
        assert!(Options::default().check().is_ok());
        let wrong = Options { deadline_seconds: 121, ..Options::default() };
        assert!(matches!(wrong.check(), Err(failure) if failure.field == "router.deadline_seconds"));
    }
}
