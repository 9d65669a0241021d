//! The vocabulary of an answer: what is asked, what is found, what is drafted, what is checked, what is kept.
//!
//! Pure values without behaviour of their own beyond parsing and naming. This crate must never know a transport,
//! a clock, a store or a serialization format; the tables that turn these values into bytes live at the edges.
//!
//! | module | holds |
//! |---|---|
//! | [`ids`] | identifiers: audit, request, session, source |
//! | [`identity`] | principal, tenant, roles |
//! | [`question`] | what a caller asks, query types, modes, limits |
//! | [`evidence`] | sources, line ranges, hits, legs |
//! | [`fusion`] | one ranking out of several |
//! | [`draft`] | what a generator produced and how |
//! | [`code`] | code blocks, diagnostics, code status |
//! | [`check`] | what a check is told and what it answers |
//! | [`report`] | checks, claims, citations, verdict |
//! | [`verdict`] | from checks to a verdict, and what waits for a person |
//! | [`answer`] | outcome, events, rejection body |
//! | [`record`] | the audit record |
//! | [`error`] | error codes and failures |

pub mod answer;
pub mod check;
pub mod code;
pub mod draft;
pub mod error;
pub mod evidence;
pub mod fusion;
pub mod identity;
pub mod ids;
mod names;
pub mod question;
pub mod reader;
pub mod record;
pub mod report;
pub mod verdict;

pub use answer::{Answer, AnswerEvent, AuditState, Outcome, Route};
pub use check::{CheckResult, CheckedSegment, Relevance, Terms};
pub use code::{Block, BlockStatus, CodeStatus, Diagnostic, Severity, ValidationStatus};
pub use draft::{Draft, Generator, Spent};
pub use error::{Code, Failure};
pub use evidence::{Hit, LineRange, Source, SourceKind};
pub use identity::{Identity, Role};
pub use ids::{AuditId, RequestId, SessionId};
pub use names::Named;
pub use question::{Mode, QueryType, Question};
pub use record::Record;
pub use report::{Check, CheckName, CheckStatus, Report, Verdict};
