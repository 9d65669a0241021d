//! How blocks and their closers are called, and what is said where they do not fit.

use super::{BRACE, Block, END, END_LOOP};
use crate::diagnostic::{Code, Finding};
use crate::syntax::Span;

impl Block {
    pub(super) fn closer(self) -> u8 {
        match self {
            Self::If | Self::Try | Self::Async | Self::Foreign => END,
            Self::Loop => END_LOOP,
            Self::Function => BRACE,
        }
    }

    pub(super) fn opener_name(self) -> &'static str {
        match self {
            Self::If => "if",
            Self::Try => "try",
            Self::Async => "go_async",
            Self::Loop => "startLoop",
            Self::Function => "function",
            Self::Foreign => "block",
        }
    }
}

pub(super) fn closer_text(closer: u8) -> &'static str {
    match closer {
        END => "end()",
        END_LOOP => "endLoop()",
        _ => "}",
    }
}

/// A block that nothing closes, named at its opener.
pub(super) fn unclosed(block: Block, span: Span) -> Finding {
    let (name, closer) = (block.opener_name(), closer_text(block.closer()));
    Finding::syntax(
        Code::UNCLOSED_BLOCK,
        span,
        format!("syntax error: the block opened here by '{name}' is not closed"),
    )
    .help(format!("close it with {closer}"))
    .suggest(closer)
}

pub(super) fn closes_nothing(closer: u8, span: Span) -> Finding {
    let text = closer_text(closer);
    Finding::unexpected(Code::EXTRA_CLOSER, span, format!("unexpected construct: {text} closes nothing"))
        .help("remove it")
}
