//! Remedies that need the whole of a line that failed.

use super::{Gathered, Reader};
use crate::foreign;
use crate::lexer::{Token, TokenKind};

impl Reader<'_> {
    /// The header of another language's loop between the parentheses of `startLoop`: says how AVAP writes it.
    pub(super) fn loop_header(&self, code: &[Token], out: &mut Gathered) {
        let [name, open, first, .., last] = code else { return };
        if self.text(*name) != "startLoop" || open.kind != TokenKind::OpenParen {
            return;
        }
        let inner = self.slice((first.start, last.start));
        if let Some(header) = foreign::rewrite_loop(&format!("for {inner}")) {
            for error in &mut out.errors {
                error.help = Some(format!("AVAP loop syntax required: {header} … endLoop()"));
                error.suggestion = Some(header.clone());
            }
        }
    }

    /// Numbers and signs before a call, as lists, quotes, differences and prompts have them: says that they go.
    pub(super) fn mark_before(&self, code: &[Token], out: &mut Gathered) {
        use TokenKind::{BadNumber, Greater, Minus, Number, Plus, Star, UnknownSymbol};
        let mark = |token: &&Token| {
            matches!(token.kind, Number | BadNumber | Minus | Plus | Greater | Star | UnknownSymbol)
        };
        let count = code.iter().take_while(mark).count();
        if let ([first, ..], [name, open, ..]) = code.split_at(count.min(2))
            && name.kind == TokenKind::Name
            && open.kind == TokenKind::OpenParen
            && self.known(self.text(*name))
        {
            let mark = self.slice((first.start, name.start)).trim_end();
            for error in &mut out.errors {
                error.help =
                    Some(format!("remove '{}'; a line starts with its command", crate::words::clip(mark)));
            }
        }
    }
}
