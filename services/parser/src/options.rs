//! Settings of the parser.

use assay_avap::{Profile, Profiles};
use assay_domain::{Code, Failure};
use serde::{Deserialize, Serialize};

/// Flat environment names of the contract; the parser has none.
pub const FLAT: &[(&str, &str)] = &[];

/// Settings of the parser.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Profiles of AVAP that are on unless a request names others: core, full, legacy, hypothesis.
    pub profiles: Vec<String>,
    /// Most bytes of one program.
    pub max_program_bytes: usize,
    /// Most bytes of one answer.
    pub max_answer_bytes: usize,
    /// Most programs of one request, and most blocks of one answer.
    pub max_programs: usize,
    /// Most bytes of text that requests hold at once, those that wait included; more are refused.
    pub max_bytes_in_flight: usize,
    /// Requests that are parsed at once; more wait for their turn. 0 means one for each core.
    pub parallel: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            profiles: Profile::defaults().iter().map(|profile| profile.name().to_owned()).collect(),
            max_program_bytes: 1024 * 1024,
            max_answer_bytes: 4 * 1024 * 1024,
            max_programs: 1024,
            max_bytes_in_flight: 64 * 1024 * 1024,
            parallel: 0,
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
        if let Err(name) = profiles(&self.profiles) {
            return wrong("parser.profiles", format!("there is no profile {name:?}; there are {}", known()));
        }
        let limits = [
            ("parser.max_program_bytes", self.max_program_bytes),
            ("parser.max_answer_bytes", self.max_answer_bytes),
            ("parser.max_programs", self.max_programs),
        ];
        for (field, value) in limits {
            if value == 0 {
                return wrong(field, "a limit of 0 would refuse everything".to_owned());
            }
        }
        if self.max_bytes_in_flight < assay_rpc::MAX_MESSAGE_BYTES {
            let least = assay_rpc::MAX_MESSAGE_BYTES;
            let text = format!("one message alone may hold {least} bytes; give at least as many");
            return wrong("parser.max_bytes_in_flight", text);
        }
        if self.max_answer_bytes > assay_rpc::MAX_MESSAGE_BYTES {
            let most = assay_rpc::MAX_MESSAGE_BYTES;
            return wrong("parser.max_answer_bytes", format!("a message holds at most {most} bytes"));
        }
        Ok(())
    }
}

/// The profiles of these names; the default ones if there are none.
///
/// # Errors
/// The first name that is no profile.
pub(crate) fn profiles(names: &[String]) -> Result<Profiles, String> {
    if names.is_empty() {
        return Ok(Profile::defaults());
    }
    names.iter().map(|name| Profile::from_name(name).ok_or_else(|| name.clone())).collect()
}

/// The names of all profiles, for messages.
pub(crate) fn known() -> String {
    Profile::ALL.map(Profile::name).join(", ")
}
