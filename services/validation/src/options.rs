//! Settings of validation.

use std::time::Duration;

use assay_domain::{Code, Failure};
use assay_grounding::Policy;
use assay_resilience::BreakerSettings;
use serde::{Deserialize, Serialize};

/// Environment names that the contract promises, and the setting of this service each one sets.
pub const FLAT: &[(&str, &str)] = &[
    ("AVAP_PARSER_TIMEOUT", "service.parser_timeout"),
    ("PARSER_CB_THRESHOLD", "service.breaker_threshold"),
    ("PARSER_CB_COOLDOWN", "service.breaker_cooldown"),
];

/// Settings that are gone, with what took their place.
pub const GONE: &[(&str, &str)] = &[
    ("service.entailment_model", "reader.kind: a reader is in the box, `folder` reads with another one"),
    ("service.spans_model", "reader.kind: a reader is in the box, `folder` reads with another one"),
    ("service.models_dir", "reader.folder"),
    ("service.model_cores", "reader.cores"),
    ("service.model_timeout", "reader.timeout"),
    ("service.judge", "reader.kind = \"served\": a language model reads every claim that words leave open"),
    ("service.judge_claims", "reader.served.pairs"),
    ("service.judge_timeout", "reader.timeout"),
];

/// Longest parser timeout and cooldown that make sense, in seconds.
const MAX_SECONDS: f64 = 3600.0;

/// Settings of validation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Time the parser may take for an answer, in seconds; 0 switches code checks off, and answers say so.
    pub parser_timeout: f64,
    /// Consecutive failures of the parser that open its circuit breaker.
    pub breaker_threshold: u32,
    /// Time that the breaker stays open before one call probes the parser, in seconds.
    pub breaker_cooldown: f64,
    /// Time a look-up of names in the index may take, in seconds; without its answer they are not checked.
    pub lookup_timeout: f64,
    /// Policy that decides what fails an answer: `strict`, `balanced` or `lenient`; a check may name another one.
    pub policy: String,
    /// TOML file with a policy of your own; it replaces `policy`. Empty for none.
    pub policy_file: String,
    /// Longest answer that is checked, in bytes.
    pub answer_bytes: usize,
    /// Most bytes of all sources of an answer together.
    pub source_bytes: usize,
    /// Most sources of an answer.
    pub sources: usize,
    /// Most checks that are open at the same time, whether they compute or wait for text; half of them for one caller.
    pub open_checks: usize,
    /// Most bytes of sources and answers that open checks hold together, half of them for one caller; in memory it is
    /// about twenty times as much.
    pub open_bytes: usize,
    /// Answers that are judged at the same time, others wait; 0 means one a processor.
    pub parallel: usize,
    /// The reader of statements.
    pub reader: assay_reader::Options,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            parser_timeout: 2.0,
            breaker_threshold: 3,
            breaker_cooldown: 30.0,
            lookup_timeout: 2.0,
            policy: assay_grounding::policy::DEFAULT.to_owned(),
            policy_file: String::new(),
            answer_bytes: 256 * 1024,
            source_bytes: 4 * 1024 * 1024,
            sources: 1000,
            open_checks: 1024,
            open_bytes: 32 * 1024 * 1024,
            parallel: 0,
            reader: assay_reader::Options::default(),
        }
    }
}

impl Options {
    /// Refuses settings that cannot work.
    ///
    /// # Errors
    /// `CONFIGURATION`, naming the setting.
    pub fn check(&self) -> Result<(), Failure> {
        let wrong = |field: &str, text: String| Err(Failure::new(Code::Configuration, text).field(field));
        for (field, value, least) in [
            ("validation.parser_timeout", self.parser_timeout, 0.0),
            ("validation.breaker_cooldown", self.breaker_cooldown, 0.0),
            ("validation.lookup_timeout", self.lookup_timeout, 0.001),
        ] {
            if !(least..=MAX_SECONDS).contains(&value) {
                return wrong(
                    field,
                    format!("{field} is {value}; give seconds from {least} to {MAX_SECONDS}"),
                );
            }
        }
        if self.breaker_threshold == 0 {
            return wrong("validation.breaker_threshold", "breaker_threshold must be at least 1".to_owned());
        }
        if Policy::shipped(&self.policy).is_none() {
            let text = format!("policy is {:?}; it must be strict, balanced or lenient", self.policy);
            return wrong("validation.policy", text);
        }
        for (field, value) in [
            ("validation.answer_bytes", self.answer_bytes),
            ("validation.source_bytes", self.source_bytes),
            ("validation.sources", self.sources),
            ("validation.open_checks", self.open_checks),
        ] {
            if value == 0 {
                return wrong(field, format!("{field} must be at least 1"));
            }
        }
        if self.answer_bytes > assay_rpc::MAX_MESSAGE_BYTES / 4
            || self.source_bytes > assay_rpc::MAX_MESSAGE_BYTES / 2
        {
            let text = "answer_bytes and source_bytes must leave room in a message of 16 MiB".to_owned();
            return wrong("validation.source_bytes", text);
        }
        if self.open_bytes < 2 * (self.source_bytes + self.answer_bytes) {
            let text = "open_bytes must be at least twice source_bytes and answer_bytes together, for one caller has half";
            return wrong("validation.open_bytes", text.to_owned());
        }
        self.reader.check()
    }

    /// Time the parser may take; none if code checks are switched off.
    #[must_use]
    pub fn parser_timeout(&self) -> Option<Duration> {
        (self.parser_timeout > 0.0).then(|| Duration::from_secs_f64(self.parser_timeout))
    }

    /// When the parser's breaker opens and for how long.
    #[must_use]
    pub fn breaker(&self) -> BreakerSettings {
        let cooldown = Duration::from_secs_f64(self.breaker_cooldown.clamp(0.0, MAX_SECONDS));
        BreakerSettings { threshold: self.breaker_threshold, cooldown }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    #[test]
    fn contract_variables_set_timeout_threshold_and_cooldown() {
        let environment =
            [("AVAP_PARSER_TIMEOUT", "0.5"), ("PARSER_CB_THRESHOLD", "5"), ("PARSER_CB_COOLDOWN", "7")];
        let environment = environment.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        let settings: assay_rpc::process::Settings<Options> =
            assay_config::load(None, &environment, FLAT).unwrap();
        let options = settings.service;
        assert_eq!(options.parser_timeout(), Some(Duration::from_millis(500)));
        assert_eq!(options.breaker(), BreakerSettings { threshold: 5, cooldown: Duration::from_secs(7) });
    }

    #[test]
    fn the_defaults_are_those_of_the_contract() {
        let options = Options::default();
        assert_eq!(options.check(), Ok(()));
        assert_eq!(options.parser_timeout(), Some(Duration::from_secs(2)));
        assert_eq!(options.breaker(), BreakerSettings { threshold: 3, cooldown: Duration::from_secs(30) });
    }

    #[test]
    fn a_time_out_of_zero_switches_code_checks_off() {
        let options = Options { parser_timeout: 0.0, ..Options::default() };
        assert_eq!(options.check(), Ok(()));
        assert_eq!(options.parser_timeout(), None);
    }

    #[test]
    fn settings_that_cannot_work_are_refused_with_their_name() {
        type Change = fn(&mut Options);
        let wrong: [(&str, Change); 11] = [
            ("validation.parser_timeout", |o| o.parser_timeout = -1.0),
            ("validation.parser_timeout", |o| o.parser_timeout = f64::NAN),
            ("validation.breaker_cooldown", |o| o.breaker_cooldown = f64::INFINITY),
            ("validation.lookup_timeout", |o| o.lookup_timeout = 0.0),
            ("validation.breaker_threshold", |o| o.breaker_threshold = 0),
            ("validation.policy", |o| o.policy = "harsh".into()),
            ("reader.timeout", |o| o.reader.timeout = f64::NAN),
            ("validation.answer_bytes", |o| o.answer_bytes = 0),
            ("validation.source_bytes", |o| o.source_bytes = usize::MAX),
            ("validation.open_checks", |o| o.open_checks = 0),
            ("validation.open_bytes", |o| o.open_bytes = o.source_bytes),
        ];
        for (field, change) in wrong {
            let mut options = Options::default();
            change(&mut options);
            assert_eq!(options.check().unwrap_err().field, field);
        }
    }
}
