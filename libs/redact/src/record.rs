//! A record without secrets and personal data.

use assay_domain::Record;

use crate::redact;

/// Redacts every free text of a record. Digests are left: they speak of what was delivered.
#[must_use]
pub fn record(mut record: Record) -> Record {
    record.query = redact(&record.query);
    record.answer = redact(&record.answer);
    if let Some(route) = &mut record.route {
        route.reason = redact(&route.reason);
    }
    if let Some(validation) = &mut record.validation {
        for check in &mut validation.checks {
            check.reason = redact(&check.reason);
        }
    }
    for citation in &mut record.citations {
        citation.claim = redact(&citation.claim);
    }
    for call in &mut record.provider_trail {
        call.outcome = redact(&call.outcome);
    }
    for text in record.errors.iter_mut().chain(&mut record.warnings) {
        *text = redact(text);
    }
    record
}
