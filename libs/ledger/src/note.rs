//! The two texts of a leaf that says what a person did with records: decided a review, gave feedback, read them.

use assay_domain::AuditId;
use serde::{Deserialize, Serialize};

use crate::erasure::ordered;

/// What was said or done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Said {
    /// A reviewer: the checks were right.
    Confirm,
    /// A reviewer: the checks were wrong.
    Overturn,
    /// A reviewer: the sources do not tell.
    NeedsSource,
    /// A reader: the answer is right.
    Right,
    /// A reader: the answer is wrong.
    Wrong,
    /// Somebody else than the owner read the payloads.
    Read,
}

impl Said {
    /// Everything that can be said.
    pub const ALL: [Self; 6] =
        [Self::Confirm, Self::Overturn, Self::NeedsSource, Self::Right, Self::Wrong, Self::Read];

    /// Its name, as it is stored.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Confirm => "CONFIRM",
            Self::Overturn => "OVERTURN",
            Self::NeedsSource => "NEEDS_SOURCE",
            Self::Right => "RIGHT",
            Self::Wrong => "WRONG",
            Self::Read => "READ",
        }
    }

    /// The one with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|said| said.as_str() == name)
    }

    /// Whether it ends a review.
    #[must_use]
    pub const fn decides(self) -> bool {
        matches!(self, Self::Confirm | Self::Overturn | Self::NeedsSource)
    }
}

/// What somebody said of records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// Its own id.
    pub id: AuditId,
    /// Whose data it is about.
    pub tenant: String,
    /// What was said.
    pub said: Said,
    /// Leaves that it is about: first and last index of each run, ascending.
    pub leaves: Vec<(u64, u64)>,
    /// The claim that it is about, from 0; none for the whole answer.
    pub claim: Option<u32>,
    /// Who said it; empty once erased.
    pub principal: String,
    /// In their words; empty once erased.
    pub reason: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Public {
    note_id: String,
    tenant: String,
    said: Said,
    /// First and last index of each run, ascending.
    leaves: Vec<(u64, u64)>,
    claim: Option<u32>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Payload {
    principal: String,
    reason: String,
}

impl Note {
    /// The leaf that it is about, if it is about one.
    #[must_use]
    pub fn about(&self) -> Option<u64> {
        match self.leaves.as_slice() {
            [(first, last)] if first == last && self.said != Said::Read => Some(*first),
            _ => None,
        }
    }

    /// The public text, which stays in the log, and the payload, which can be erased.
    #[must_use]
    pub fn split(&self) -> (String, String) {
        let public = Public {
            note_id: self.id.to_string(),
            tenant: self.tenant.clone(),
            said: self.said,
            leaves: self.leaves.clone(),
            claim: self.claim,
        };
        let payload = Payload { principal: self.principal.clone(), reason: self.reason.clone() };
        // Texts and numbers only: there is no way to fail.
        (
            serde_json::to_string(&public).unwrap_or_default(),
            serde_json::to_string(&payload).unwrap_or_default(),
        )
    }

    /// Reads the texts of the leaf at `own`.
    ///
    /// # Errors
    /// What is wrong with them: no JSON of a note, runs out of order, or leaves that are not before `own`.
    pub fn join(public: &str, payload: Option<&str>, own: u64) -> Result<Self, String> {
        let wrong = |part: &str, error: serde_json::Error| {
            format!("the {part} text of the note cannot be read: {error}")
        };
        let public: Public = serde_json::from_str(public).map_err(|error| wrong("public", error))?;
        let payload: Payload = match payload {
            Some(text) => serde_json::from_str(text).map_err(|error| wrong("payload", error))?,
            None => Payload { principal: String::new(), reason: String::new() },
        };
        let id = AuditId::parse(&public.note_id).ok_or("the id of the note is no version 7 UUID")?;
        ordered(&public.leaves, own)
            .map_err(|run| format!("the note names the leaves {run} out of order"))?;
        let one = matches!(public.leaves.as_slice(), [(first, last)] if first == last);
        if public.said != Said::Read && !one {
            return Err(format!("the note says {} of more than one leaf, or of none", public.said.as_str()));
        }
        Ok(Self {
            id,
            tenant: public.tenant,
            said: public.said,
            leaves: public.leaves,
            claim: public.claim,
            principal: payload.principal,
            reason: payload.reason,
        })
    }
}
