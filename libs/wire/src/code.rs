//! Code blocks, diagnostics and the two code statuses.

use assay_domain::Failure;
use assay_domain::code::{Block, BlockStatus, CodeStatus, Diagnostic, ParsedBlock};
use assay_proto::common::{self, BlockState, CodeState};

use crate::{FromWire, ToWire, at, list_from_wire, list_to_wire, narrow, required, wide};

/// Reason of a status that the sender did not name or this version does not know.
const UNSPECIFIED: &str = "unspecified";

impl ToWire for Diagnostic {
    type Wire = common::Diagnostic;
    fn to_wire(&self) -> common::Diagnostic {
        common::Diagnostic {
            line: self.line,
            column: self.column,
            end_column: self.end_column,
            severity: self.severity.to_wire(),
            category: self.category.to_wire(),
            code: self.code.clone(),
            message: self.message.clone(),
            suggestion: self.suggestion.clone(),
            help: self.help.clone(),
        }
    }
}

impl FromWire<common::Diagnostic> for Diagnostic {
    fn from_wire(wire: common::Diagnostic) -> Result<Self, Failure> {
        Ok(Self {
            line: wire.line,
            column: wire.column,
            end_column: wire.end_column,
            severity: at("severity", wire.severity)?,
            category: at("category", wire.category)?,
            code: wire.code,
            message: wire.message,
            suggestion: wire.suggestion,
            help: wire.help,
        })
    }
}

impl ToWire for Block {
    type Wire = common::Block;
    fn to_wire(&self) -> common::Block {
        common::Block {
            index: self.index,
            language: self.language.clone(),
            declared: self.declared,
            code: self.code.clone(),
            byte_start: wide(self.byte_start),
            byte_end: wide(self.byte_end),
            first_line: self.first_line,
        }
    }
}

impl FromWire<common::Block> for Block {
    fn from_wire(wire: common::Block) -> Result<Self, Failure> {
        Ok(Self {
            index: wire.index,
            language: wire.language,
            declared: wire.declared,
            code: wire.code,
            byte_start: narrow(wire.byte_start),
            byte_end: narrow(wire.byte_end),
            first_line: wire.first_line,
        })
    }
}

/// The number and the detail that carry the status of a block.
#[must_use]
pub fn block_state(status: &BlockStatus) -> (i32, String) {
    let (state, detail) = match status {
        BlockStatus::Valid => (BlockState::Valid, ""),
        BlockStatus::Invalid => (BlockState::Invalid, ""),
        BlockStatus::WrongLanguage(language) => (BlockState::WrongLanguage, language.as_str()),
        BlockStatus::NoGrammar => (BlockState::NoGrammar, ""),
        BlockStatus::Plain => (BlockState::Plain, ""),
        BlockStatus::Unavailable(reason) => (BlockState::Unavailable, reason.as_str()),
    };
    (state as i32, detail.to_owned())
}

/// The status of a block from its number and detail; an unknown number is not checked.
#[must_use]
pub fn block_status(state: i32, detail: String) -> BlockStatus {
    match BlockState::try_from(state) {
        Ok(BlockState::Valid) => BlockStatus::Valid,
        Ok(BlockState::Invalid) => BlockStatus::Invalid,
        Ok(BlockState::WrongLanguage) => BlockStatus::WrongLanguage(detail),
        Ok(BlockState::NoGrammar) => BlockStatus::NoGrammar,
        Ok(BlockState::Plain) => BlockStatus::Plain,
        Ok(BlockState::Unavailable) => BlockStatus::Unavailable(detail),
        Ok(BlockState::Unspecified) | Err(_) => BlockStatus::Unavailable(UNSPECIFIED.to_owned()),
    }
}

impl ToWire for ParsedBlock {
    type Wire = common::ParsedBlock;
    fn to_wire(&self) -> common::ParsedBlock {
        let (state, detail) = block_state(&self.status);
        common::ParsedBlock {
            block: Some(self.block.to_wire()),
            state,
            detail,
            diagnostics: list_to_wire(&self.diagnostics),
        }
    }
}

impl FromWire<common::ParsedBlock> for ParsedBlock {
    fn from_wire(wire: common::ParsedBlock) -> Result<Self, Failure> {
        Ok(Self {
            block: required("block", wire.block)?,
            status: block_status(wire.state, wire.detail),
            diagnostics: list_from_wire("diagnostics", wire.diagnostics)?,
        })
    }
}

/// The number and the reason that carry the code status of an answer.
#[must_use]
pub fn code_state(status: &CodeStatus) -> (i32, String) {
    let (state, reason) = match status {
        CodeStatus::NotApplicable => (CodeState::NotApplicable, ""),
        CodeStatus::Valid => (CodeState::Valid, ""),
        CodeStatus::Invalid => (CodeState::Invalid, ""),
        CodeStatus::InvalidUnverifiedRetry => (CodeState::InvalidUnverifiedRetry, ""),
        CodeStatus::Unavailable(reason) => (CodeState::Unavailable, reason.as_str()),
        CodeStatus::Disabled => (CodeState::Disabled, ""),
    };
    (state as i32, reason.to_owned())
}

/// The code status of an answer from its number and reason; an unknown number is not checked.
#[must_use]
pub fn code_status(state: i32, reason: String) -> CodeStatus {
    match CodeState::try_from(state) {
        Ok(CodeState::NotApplicable) => CodeStatus::NotApplicable,
        Ok(CodeState::Valid) => CodeStatus::Valid,
        Ok(CodeState::Invalid) => CodeStatus::Invalid,
        Ok(CodeState::InvalidUnverifiedRetry) => CodeStatus::InvalidUnverifiedRetry,
        Ok(CodeState::Unavailable) => CodeStatus::Unavailable(reason),
        Ok(CodeState::Disabled) => CodeStatus::Disabled,
        Ok(CodeState::Unspecified) | Err(_) => CodeStatus::Unavailable(UNSPECIFIED.to_owned()),
    }
}
