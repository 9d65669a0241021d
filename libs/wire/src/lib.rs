//! Conversions between the domain vocabulary and the protocol, and the one table of error codes.
//!
//! This is the only crate that knows both sides. It holds no policy: a value that arrives damaged becomes a
//! [`Failure`](assay_domain::Failure) that names the field, and an enum value this version does not know is read in
//! the way that claims least (not checked, unavailable, an error), never as a pass.
//!
//! | module | holds |
//! |---|---|
//! | [`error`] | the error-code table, failure to status and back |
//! | `enums` | every enum, one line each |
//! | `question` | questions and history |
//! | `evidence` | sources, hits, drafts |
//! | [`metadata`] | names of the metadata beside messages |
//! | `check` | what a check is told and answers |
//! | `code` | blocks and diagnostics |
//! | `report` | checks, claims, citations, findings, reports |
//! | `answer` | answers, events, rejections |
//! | `record` | audit records |
//!
//! Use: `value.to_wire()` and `Type::from_wire(message)`; [`list_to_wire`], [`list_from_wire`], [`required`] and
//! [`optional`] for fields, [`from_peer`] for replies. Enums are `i32` on the wire, as prost keeps them; `Option<Enum>` reads 0 as none.

mod answer;
mod check;
mod code;
mod enums;
pub mod error;
mod evidence;
pub mod metadata;
mod question;
mod record;
mod report;

pub use code::{block_state, block_status, code_state, code_status};
pub use enums::WireEnum;
pub use error::{from_status, grpc_code, http_status, meaning, to_status};

use assay_domain::{Code, Failure};

/// A domain value that has a message.
pub trait ToWire {
    /// The message.
    type Wire;
    /// Encodes; cannot fail.
    fn to_wire(&self) -> Self::Wire;
}

/// A domain value that can be read from a message.
pub trait FromWire<W>: Sized {
    /// Decodes.
    ///
    /// # Errors
    /// `invalid_argument` with the path of the field that is missing or has a value that is not accepted.
    fn from_wire(wire: W) -> Result<Self, Failure>;
}

/// Encodes every item, in order.
pub fn list_to_wire<T: ToWire>(items: &[T]) -> Vec<T::Wire> {
    items.iter().map(ToWire::to_wire).collect()
}

/// Decodes every item, in order.
///
/// # Errors
/// That of the first item that cannot be read, its field as `field[index].…`.
pub fn list_from_wire<T: FromWire<W>, W>(field: &str, items: Vec<W>) -> Result<Vec<T>, Failure> {
    items
        .into_iter()
        .enumerate()
        .map(|(index, item)| {
            T::from_wire(item).map_err(|failure| inside(&format!("{field}[{index}]"), failure))
        })
        .collect()
}

/// Decodes a field that must be set.
///
/// # Errors
/// `invalid_argument` naming the field if it is not set, else that of the value with the field put before.
pub fn required<T: FromWire<W>, W>(field: &str, value: Option<W>) -> Result<T, Failure> {
    value.map_or_else(|| Err(missing(field)), |value| at(field, value))
}

/// Decodes a field that may be unset.
///
/// # Errors
/// That of the value with the field put before.
pub fn optional<T: FromWire<W>, W>(field: &str, value: Option<W>) -> Result<Option<T>, Failure> {
    value.map(|value| at(field, value)).transpose()
}

/// Decodes a field, and puts its name before the field of a failure.
///
/// # Errors
/// That of the value.
pub fn at<T: FromWire<W>, W>(field: &str, value: W) -> Result<T, Failure> {
    T::from_wire(value).map_err(|failure| inside(field, failure))
}

/// Decodes the reply of a peer. What cannot be read there is no fault of our caller.
///
/// # Errors
/// `internal` with the field that could not be read.
pub fn from_peer<T: FromWire<W>, W>(reply: W) -> Result<T, Failure> {
    T::from_wire(reply).map_err(|failure| {
        let text =
            format!("a service sent a reply that cannot be read: {}: {}", failure.field, failure.message);
        Failure::internal(text)
    })
}

/// The failure of a field that must be set and is not.
#[must_use]
pub fn missing(field: &str) -> Failure {
    Failure::new(Code::InvalidArgument, format!("`{field}` is not set")).field(field)
}

/// Puts the name of the enclosing field before the field of a failure.
#[must_use]
pub fn inside(field: &str, mut failure: Failure) -> Failure {
    failure.field = match failure.field.as_str() {
        "" => field.to_owned(),
        inner => format!("{field}.{inner}"),
    };
    failure
}

/// A length or offset as the protocol carries it.
pub(crate) fn wide(value: usize) -> u64 {
    u64::try_from(value).unwrap_or(u64::MAX)
}

/// A length or offset as the domain holds it.
pub(crate) fn narrow(value: u64) -> usize {
    usize::try_from(value).unwrap_or(usize::MAX)
}
