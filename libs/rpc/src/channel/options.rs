//! Settings of connections to peers and of repeated calls.

use std::time::Duration;

use assay_domain::{Code, Failure};
use assay_resilience::{Backoff, BudgetSettings};

/// Longest time a setting of this page may name, in seconds.
const MAX_SECONDS: f64 = 3600.0;

/// How connections are made and kept. Times are in seconds and may have fractions.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Connection {
    /// Most time a connection may take to be there, its TLS handshake included.
    pub connect_seconds: f64,
    /// Pause after which a silent connection is pinged.
    pub keep_alive_seconds: f64,
    /// Time a ping may take to be answered before the connection counts as dead.
    pub keep_alive_timeout_seconds: f64,
    /// Pause between two look-ups of a peer's name; a failed connection causes one at once.
    pub resolve_seconds: f64,
}

impl Default for Connection {
    fn default() -> Self {
        Self {
            connect_seconds: 2.0,
            keep_alive_seconds: 20.0,
            keep_alive_timeout_seconds: 10.0,
            resolve_seconds: 5.0,
        }
    }
}

/// When a call is made again, always within its own deadline.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Retry {
    /// Time that calls wait for a peer that cannot be reached, counted from the moment at which it first could not, in
    /// seconds. It bridges the restart of a service that has one replica. After that calls fail at once until the peer
    /// is back, so that a dead peer costs this time once and not with every call. 0: no waiting.
    pub patience_seconds: f64,
    /// Times that a call of an idempotent method may be sent in all.
    pub attempts: u32,
    /// Longest wait before the second attempt, in seconds; it doubles with every further one.
    pub backoff_seconds: f64,
    /// Longest wait between two attempts, in seconds.
    pub max_backoff_seconds: f64,
    /// Repeats of sent calls that may follow each other at once.
    pub budget_burst: u32,
    /// Share of repeats among the calls to a peer in the long run.
    pub budget_share: f64,
}

impl Default for Retry {
    fn default() -> Self {
        Self {
            patience_seconds: 10.0,
            attempts: 3,
            backoff_seconds: 0.05,
            max_backoff_seconds: 1.0,
            budget_burst: 100,
            budget_share: 0.2,
        }
    }
}

impl Retry {
    /// No waiting and no repeating: for peers in the same process, and for a command that says at once that nobody
    /// answers.
    #[must_use]
    pub fn none() -> Self {
        Self { patience_seconds: 0.0, attempts: 1, budget_burst: 0, ..Self::default() }
    }

    /// Refuses settings that cannot work.
    ///
    /// # Errors
    /// `CONFIGURATION`, naming the setting.
    pub fn check(&self) -> Result<(), Failure> {
        within("retry.patience_seconds", self.patience_seconds, 0.0)?;
        within("retry.backoff_seconds", self.backoff_seconds, 0.001)?;
        within("retry.max_backoff_seconds", self.max_backoff_seconds, 0.001)?;
        if self.attempts == 0 {
            return Err(wrong("retry.attempts", "retry.attempts must be at least 1".to_owned()));
        }
        if !(0.0..=1.0).contains(&self.budget_share) {
            let text = format!("retry.budget_share is {}; it must be between 0 and 1", self.budget_share);
            return Err(wrong("retry.budget_share", text));
        }
        Ok(())
    }

    pub(crate) fn patience(&self) -> Duration {
        seconds(self.patience_seconds)
    }

    pub(crate) fn backoff(&self) -> Backoff {
        Backoff { base: seconds(self.backoff_seconds), cap: seconds(self.max_backoff_seconds) }
    }

    pub(crate) fn budget(&self) -> BudgetSettings {
        BudgetSettings { burst: self.budget_burst, share: self.budget_share }
    }
}

impl Connection {
    /// Refuses settings that cannot work.
    ///
    /// # Errors
    /// `CONFIGURATION`, naming the setting.
    pub fn check(&self) -> Result<(), Failure> {
        within("connection.connect_seconds", self.connect_seconds, 0.001)?;
        within("connection.keep_alive_seconds", self.keep_alive_seconds, 0.1)?;
        within("connection.keep_alive_timeout_seconds", self.keep_alive_timeout_seconds, 0.1)?;
        within("connection.resolve_seconds", self.resolve_seconds, 0.1)
    }

    pub(crate) fn connect(&self) -> Duration {
        seconds(self.connect_seconds)
    }

    pub(crate) fn keep_alive(&self) -> Duration {
        seconds(self.keep_alive_seconds)
    }

    pub(crate) fn keep_alive_timeout(&self) -> Duration {
        seconds(self.keep_alive_timeout_seconds)
    }

    pub(crate) fn resolve(&self) -> Duration {
        seconds(self.resolve_seconds)
    }
}

fn within(field: &str, value: f64, least: f64) -> Result<(), Failure> {
    if value >= least && value <= MAX_SECONDS {
        return Ok(());
    }
    Err(wrong(field, format!("{field} is {value}; it must be between {least} and {MAX_SECONDS} seconds")))
}

fn wrong(field: &str, text: String) -> Failure {
    Failure::new(Code::Configuration, text).field(field)
}

/// Seconds as a duration; the value was checked.
fn seconds(value: f64) -> Duration {
    Duration::try_from_secs_f64(value).unwrap_or(Duration::ZERO)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_defaults_stand_and_nonsense_is_named() {
        Retry::default().check().unwrap();
        Retry::none().check().unwrap();
        Connection::default().check().unwrap();
        let failure = Retry { patience_seconds: f64::NAN, ..Retry::default() }.check().unwrap_err();
        assert_eq!(failure.field, "retry.patience_seconds");
        let failure = Retry { budget_share: 1.5, ..Retry::default() }.check().unwrap_err();
        assert_eq!(failure.field, "retry.budget_share");
        let failure = Connection { connect_seconds: 0.0, ..Connection::default() }.check().unwrap_err();
        assert_eq!(
            (failure.code, failure.field.as_str()),
            (Code::Configuration, "connection.connect_seconds")
        );
    }
}
