//! Programs inside an answer, and what their parser said.

use assay_domain::code::{Category, ParsedBlock};
use assay_domain::{BlockStatus, Severity};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{Name, each, filled};

/// A block of code of an answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CodeBlock<'a> {
    /// Place among the blocks, from 0.
    pub index: u32,
    /// Language as declared, detected or given by the collection.
    pub language: Option<&'a str>,
    /// Whether the fence declared it.
    pub declared: bool,
    /// First UTF-8 byte of the block in the text.
    pub byte_start: usize,
    /// Byte after the last.
    pub byte_end: usize,
    /// Line of the text with the first line of code, from 1.
    pub first_line: u32,
    /// `VALID`, `INVALID`, `WRONG_LANGUAGE`, `NO_GRAMMAR`, `PLAIN` or `UNAVAILABLE`.
    pub status: BlockState,
    /// Language found for `WRONG_LANGUAGE`, reason of `UNAVAILABLE`.
    pub detail: Option<&'a str>,
    /// Findings of the parser, in text order.
    pub diagnostics: Vec<Diagnostic<'a>>,
}

/// What is known of the syntax of a block.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[schemars(inline)]
#[allow(missing_docs, reason = "a description of each would make its schema a choice of constants")]
pub enum BlockState {
    Valid,
    Invalid,
    WrongLanguage,
    NoGrammar,
    Plain,
    Unavailable,
}

/// A finding of a parser.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Diagnostic<'a> {
    /// Line of the program, from 1.
    pub line: u32,
    /// First column in Unicode scalar values, from 1.
    pub column: u32,
    /// Column after the last.
    pub end_column: u32,
    /// `error`, `warning` or `hint`.
    pub severity: Name<Severity>,
    /// `foreign_keyword`, `unknown_token`, `unexpected_construct` or `syntax_error`.
    pub category: Name<Category>,
    /// Stable code, such as `AVAP012`.
    pub code: &'a str,
    /// What is wrong, in a sentence.
    pub message: &'a str,
    /// Right text for this place.
    pub suggestion: Option<&'a str>,
    /// More to know; left out where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<&'a str>,
}

impl<'a> From<&'a ParsedBlock> for CodeBlock<'a> {
    fn from(parsed: &'a ParsedBlock) -> Self {
        let (status, detail) = match &parsed.status {
            BlockStatus::Valid => (BlockState::Valid, None),
            BlockStatus::Invalid => (BlockState::Invalid, None),
            BlockStatus::WrongLanguage(language) => (BlockState::WrongLanguage, Some(language.as_str())),
            BlockStatus::NoGrammar => (BlockState::NoGrammar, None),
            BlockStatus::Plain => (BlockState::Plain, None),
            BlockStatus::Unavailable(reason) => (BlockState::Unavailable, Some(reason.as_str())),
        };
        let block = &parsed.block;
        Self {
            index: block.index,
            language: filled(&block.language),
            declared: block.declared,
            byte_start: block.byte_start,
            byte_end: block.byte_end,
            first_line: block.first_line,
            status,
            detail,
            diagnostics: each(&parsed.diagnostics),
        }
    }
}

impl<'a> From<&'a assay_domain::Diagnostic> for Diagnostic<'a> {
    fn from(found: &'a assay_domain::Diagnostic) -> Self {
        Self {
            line: found.line,
            column: found.column,
            end_column: found.end_column,
            severity: Name(found.severity),
            category: Name(found.category),
            code: &found.code,
            message: &found.message,
            suggestion: found.suggestion.as_deref(),
            help: found.help.as_deref(),
        }
    }
}
