//! Which records are wanted: the filters of `assay audit list`, and of an export as a table.

use std::collections::BTreeSet;

use assay_audit::words::words;
use assay_domain::{Code, Failure, Outcome, QueryType, Record, Verdict};
use assay_proto::audit as wire;
use assay_wire::{ToWire as _, list_to_wire};

use super::args::Filters;
use super::named;

/// Filters whose names have been read.
pub(super) struct Wanted<'a> {
    filters: &'a Filters,
    outcome: Option<Outcome>,
    verdicts: Vec<Verdict>,
    query_type: Option<QueryType>,
    words: BTreeSet<String>,
}

impl<'a> Wanted<'a> {
    /// Reads the names.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT`, naming the filter.
    pub(super) fn of(filters: &'a Filters) -> Result<Self, Failure> {
        let verdicts = filters.verdict.iter().map(|name| named("verdict", Some(name), Verdict::from_name));
        let words = words(&filters.text);
        if words.is_empty() && !filters.text.is_empty() {
            let text = "the text has no letter and no digit";
            return Err(Failure::new(Code::InvalidArgument, text).field("text"));
        }
        Ok(Self {
            filters,
            outcome: named("outcome", filters.outcome.as_deref(), Outcome::from_name)?,
            verdicts: verdicts.filter_map(Result::transpose).collect::<Result<_, _>>()?,
            query_type: named("type", filters.query_type.as_deref(), QueryType::from_name)?,
            words,
        })
    }

    /// The request for a list of these records.
    pub(super) fn request(&self) -> wire::ListRequest {
        let filters = self.filters;
        wire::ListRequest {
            outcome: self.outcome.to_wire(),
            verdicts: list_to_wire(&self.verdicts),
            query_type: self.query_type.to_wire(),
            session_id: filters.session.clone(),
            principal: filters.principal.clone(),
            text: filters.text.clone(),
            from_unix_ms: filters.since.unwrap_or_default(),
            until_unix_ms: filters.until.unwrap_or_default(),
            ..wire::ListRequest::default()
        }
    }

    /// Whether a record is one of them, as audit says it of a list.
    pub(super) fn has(&self, record: &Record) -> bool {
        let filters = self.filters;
        let verdict = record.validation.as_ref().and_then(|validation| validation.status);
        let query_type = record.route.as_ref().map(|route| route.query_type);
        let is = |wanted: &str, found: &str| wanted.is_empty() || wanted == found;
        let said = || {
            let mut said = words(&record.query);
            said.append(&mut words(&record.answer));
            said
        };
        is(&filters.session, &record.session_id)
            && is(&filters.principal, &record.identity.principal)
            && self.outcome.is_none_or(|outcome| outcome == record.outcome)
            && (self.verdicts.is_empty() || verdict.is_some_and(|verdict| self.verdicts.contains(&verdict)))
            && (self.query_type.is_none() || self.query_type == query_type)
            && filters.since.is_none_or(|since| since <= record.unix_ms)
            && filters.until.is_none_or(|until| record.unix_ms < until)
            && (self.words.is_empty() || self.words.is_subset(&said()))
    }
}
