//! Every JSON shape that leaves Assay, over HTTP and from the command line alike, and the bodies that it reads.
//!
//! Each shape is a struct, with its fields in the order in which they are documented; `docs/openapi.json` is made from
//! these structs. A number that is not there or not finite is `null`, never left out.

mod answer;
mod checking;
mod code;
mod event;
mod name;
pub mod ollama;
pub mod openai;
mod problem;
mod proof;
mod record;
mod report;
mod request;
pub mod responses;
mod review;
mod rows;
mod source;

pub use answer::{Answer, Assay, Rejected, Route};
pub use checking::{
    Batch, Failed, GivenSource, ItemError, LeftRecord, Outcome, RecordParameters, Recorded, Results, ToCheck,
    ToParse,
};
pub use code::{CodeBlock, Diagnostic};
pub use event::Event;
pub use name::Name;
pub use problem::Problem;
pub use proof::{ReceiptFile, Verified};
pub use record::{Note, Receipt, Record, Records, Stored, timestamp};
pub use report::{Checked, Report};
pub use request::{
    Asked, CompareParameters, Decision, Erasing, Feedback, LinesParameters, RatesParameters,
    ReceiptParameters, RecordsParameters, ReviewsParameters, SearchParameters, Settings,
};
pub use review::{Claimed, Erased, ReviewRate, ReviewRates, Reviews, Waiting};
pub use rows::{
    Alive, Classification, Collection, Collections, Comparison, Difference, Document, Found, Lines,
    LintFinding, LintReport, Manifest, Me, Parsed, Ready, Run, Runs, Searched, ShownBlock, SignIn, explained,
};
pub use source::{Hit, Source};

/// Milliseconds with three digits behind the point.
fn millis(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

/// The text, or none if it is empty.
fn filled(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}

/// Every item in its shape.
fn each<'a, T, S: From<&'a T>>(items: &'a [T]) -> Vec<S> {
    items.iter().map(S::from).collect()
}
