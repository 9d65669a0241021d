//! One file or folder per command: flags in, calls to the services, text or JSON out.

pub mod ask;
pub mod audit;
pub mod certs;
pub mod check;
pub mod config;
pub mod eval;
pub mod fmt;
pub mod ingest;
pub mod keys;
pub mod later;
pub mod lsp;
pub mod models;
pub mod parse;
pub mod router;
pub mod search;
pub mod service;
pub mod up;
pub mod version;

use std::time::Duration;

use assay_domain::question::Mode;
use assay_domain::{Code, Failure, QueryType, Verdict};

use crate::cli::{Kind, ModeFlag, Reading};
use crate::settings::Settings;

/// Time a single command may take when it asks a service.
pub const BUDGET: Duration = Duration::from_secs(120);
/// Time a long job may take: ingest, evaluation, verification of a whole log.
pub const LONG_BUDGET: Duration = Duration::from_secs(24 * 3600);

/// How AVAP is read in this process: the flags, else the settings of the parser.
///
/// # Errors
/// `INVALID_ARGUMENT` for an unknown profile.
pub fn avap_options(reading: &Reading, settings: &Settings) -> Result<assay_avap::Options, Failure> {
    let names = if reading.profiles.is_empty() { &settings.parser.profiles } else { &reading.profiles };
    let mut options =
        assay_avap::Options { server_compat: reading.server_compat, ..assay_avap::Options::default() };
    if !names.is_empty() {
        options.profiles = assay_avap::Profiles::default();
    }
    for name in names {
        let profile = assay_avap::Profile::from_name(name).ok_or_else(|| {
            let known = assay_avap::Profile::ALL.map(assay_avap::Profile::name).join(", ");
            let text = format!("there is no profile {name:?}; there are {known}");
            Failure::new(Code::InvalidArgument, text).field("profile")
        })?;
        options.profiles.insert(profile);
    }
    Ok(options)
}

/// The query type of a flag.
#[must_use]
pub fn query_type(kind: Kind) -> QueryType {
    match kind {
        Kind::Retrieval => QueryType::Retrieval,
        Kind::CodeGeneration => QueryType::CodeGeneration,
        Kind::Conversational => QueryType::Conversational,
        Kind::Platform => QueryType::Platform,
    }
}

/// The mode of a flag.
#[must_use]
pub fn mode(flag: ModeFlag) -> Mode {
    match flag {
        ModeFlag::Strict => Mode::Strict,
        ModeFlag::Lenient => Mode::Lenient,
    }
}

/// The exit code of a verdict.
#[must_use]
pub fn verdict_code(verdict: Option<Verdict>) -> u8 {
    match verdict {
        Some(Verdict::Reject) => crate::exit::REJECT,
        Some(Verdict::Review) => crate::exit::REVIEW,
        Some(Verdict::Pass) | None => 0,
    }
}
