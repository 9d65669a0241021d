//! A turn of a session as bytes, the same in every store.

use assay_domain::Failure;
use assay_proto::generation;
use assay_wire::{list_from_wire, list_to_wire};
use prost::Message as _;

use crate::error::corrupt;
use crate::ports::Turn;

/// Turns that a session keeps.
pub(super) const TURNS_KEPT: usize = 6;

pub(super) fn encode(turn: &Turn) -> Vec<u8> {
    let wire = generation::Turn {
        question: turn.question.clone(),
        answer: turn.answer.clone(),
        sources: list_to_wire(&turn.sources),
    };
    wire.encode_to_vec()
}

pub(super) fn decode(name: &str, bytes: &[u8]) -> Result<Turn, Failure> {
    let wire = generation::Turn::decode(bytes).map_err(|error| corrupt(name, error))?;
    let sources = list_from_wire("sources", wire.sources).map_err(|failure| corrupt(name, failure))?;
    Ok(Turn { question: wire.question, answer: wire.answer, sources })
}
