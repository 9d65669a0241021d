//! The bound on a record: it has to pass the transport and to wait on disk, whatever an answer holds.

use assay_domain::Record;
use assay_domain::question::limits::QUERY_CHARS;

/// Characters of the answer.
const ANSWER_CHARS: usize = 256 * 1024;
/// Characters of a claim, a reason or a note.
const TEXT_CHARS: usize = 2_000;
/// Citations that are recorded.
pub(crate) const CITATIONS: usize = 256;
/// Errors that are recorded, and warnings.
const NOTES: usize = 128;

/// What was cut, by name.
struct Cut(Vec<String>);

impl Cut {
    fn text(&mut self, name: &str, text: &mut String, most: usize) {
        if let Some((at, _)) = text.char_indices().nth(most) {
            text.truncate(at);
            if !self.0.iter().any(|known| known == name) {
                self.0.push(name.to_owned());
            }
        }
    }
}

/// The record within its bound; what was cut is named in its warnings. Secrets have to be redacted before: half of
/// one is not recognised.
pub(crate) fn bounded(mut record: Record, citations: usize) -> Record {
    let mut cut = Cut(Vec::new());
    cut.text("query", &mut record.query, QUERY_CHARS);
    cut.text("answer", &mut record.answer, ANSWER_CHARS);
    if let Some(route) = &mut record.route {
        cut.text("route", &mut route.reason, TEXT_CHARS);
    }
    for check in record.validation.iter_mut().flat_map(|validation| &mut validation.checks) {
        cut.text("checks", &mut check.reason, TEXT_CHARS);
    }
    for citation in &mut record.citations {
        cut.text("claims", &mut citation.claim, TEXT_CHARS);
    }
    for call in &mut record.provider_trail {
        cut.text("provider_trail", &mut call.outcome, TEXT_CHARS);
    }
    for (name, notes) in [("errors", &mut record.errors), ("warnings", &mut record.warnings)] {
        notes.iter_mut().for_each(|note| cut.text(name, note, TEXT_CHARS));
    }
    for (name, notes) in [("errors", &mut record.errors), ("warnings", &mut record.warnings)] {
        if notes.len() > NOTES {
            cut.0.push(format!("{} {name}", notes.len() - NOTES));
            notes.truncate(NOTES);
        }
    }
    if citations > record.citations.len() {
        cut.0.push(format!("{} citations", citations - record.citations.len()));
    }
    if !cut.0.is_empty() {
        record.warnings.push(format!("record_cut={}", cut.0.join(", ")));
    }
    record
}
