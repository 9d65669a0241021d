//! What is known of the code of an answer while it is written and when it is complete.

use assay_domain::Block;
use assay_domain::code::{BlockStatus, ParsedBlock};

use crate::ports::ParsedAnswer;

/// Why a block that the parser was asked about is not in its reply.
const NOT_PARSED: &str = "not_parsed";

fn unparsed(block: &Block, reason: &str) -> ParsedBlock {
    let status = BlockStatus::Unavailable(reason.to_owned());
    ParsedBlock { block: block.clone(), status, diagnostics: Vec::new() }
}

/// What the parser said of the blocks of a text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Code {
    /// Blocks that were asked about.
    asked: Vec<Block>,
    /// What came of each that is a program.
    pub(crate) blocks: Vec<ParsedBlock>,
    /// Version and grammar hash of the parser; empty if it did not answer.
    pub(crate) parser: String,
    /// Why the parser could not be asked, if so.
    pub(crate) unavailable: Option<String>,
}

impl Code {
    /// What the parser answered. A block that it was asked about and does not mention is not checked.
    pub(crate) fn of(asked: Vec<Block>, answer: ParsedAnswer) -> Self {
        let mut blocks = answer.blocks;
        let mentioned = |block: &Block| {
            let same = |parsed: &ParsedBlock| parsed.block.byte_start == block.byte_start;
            blocks.iter().any(same)
        };
        let missing: Vec<ParsedBlock> =
            asked.iter().filter(|block| !mentioned(block)).map(|block| unparsed(block, NOT_PARSED)).collect();
        blocks.extend(missing);
        blocks.sort_by_key(|parsed| parsed.block.byte_start);
        Self { asked, blocks, parser: answer.parser, unavailable: None }
    }

    /// The parser could not be asked.
    pub(crate) fn unavailable(asked: Vec<Block>, reason: &str) -> Self {
        let blocks = asked.iter().map(|block| unparsed(block, reason)).collect();
        Self { asked, blocks, parser: String::new(), unavailable: Some(reason.to_owned()) }
    }

    /// Whether it was asked about exactly these blocks.
    pub(crate) fn covers(&self, blocks: &[Block]) -> bool {
        let place = |block: &Block| (block.byte_start, block.byte_end);
        self.asked.len() == blocks.len()
            && self
                .asked
                .iter()
                .zip(blocks)
                .all(|(one, two)| place(one) == place(two) && one.code == two.code)
    }
}
