//! Whether the rule about SQL that holds request parameters could find anything: whether what comes in with a parameter
//! could reach an `ormDirect` at all. Answers yes too often, never too seldom; the rule itself says what is so.
//!
//! While lines are read, each notes in order what it does with names ([`Role`]). Here the notes are walked: a line that
//! reads what may hold a parameter hands it on to what it writes and to the functions that it calls, until a walk
//! changes nothing. Order does not matter in the rule, and few programs need more than two walks; after
//! [`MOST_WALKS`] the rule itself is asked, so that the time stays linear.

use super::Reader;
use super::names::{Symbol, flag};

/// What a line does with a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// The name is read or called in an expression.
    Read = 0,
    /// The line is a call of a function of that name; its value is read.
    Called,
    /// The line is the header of that function: what goes in comes from its calls.
    Header,
    /// What the line reads goes into the name.
    Written,
    /// The name is written with something else than what the line reads.
    Cleaned,
    /// The line runs SQL.
    Query,
}

/// What a line does with a name, in eight bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mention {
    line: u32,
    /// The number of the name with the role in its three lowest bits.
    name_and_role: u32,
}

impl Mention {
    fn name(self) -> Symbol {
        self.name_and_role >> 3
    }

    fn role(self) -> Role {
        match self.name_and_role & 7 {
            0 => Role::Read,
            1 => Role::Called,
            2 => Role::Header,
            3 => Role::Written,
            4 => Role::Cleaned,
            _ => Role::Query,
        }
    }
}

/// Walks over a program before the rule is asked.
const MOST_WALKS: usize = 6;

impl Reader<'_> {
    /// Whether a request parameter could reach an `ormDirect`.
    pub(super) fn parameters_could_reach_sql(&mut self) -> bool {
        if !self.seen.queries || !self.seen.parameters {
            return false;
        }
        let mentions = std::mem::take(&mut self.mentions);
        for _ in 0..MOST_WALKS {
            match self.walk(&mentions) {
                Walk::Reached => return true,
                Walk::Changed => {}
                Walk::Done => return false,
            }
        }
        true
    }

    fn walk(&mut self, mentions: &[Mention]) -> Walk {
        let mut walk = Walk::Done;
        for line in mentions.chunk_by(|one, next| one.line == next.line) {
            let holds = |mention: &Mention| match mention.role() {
                Role::Read | Role::Called => self.names.any(mention.name(), flag::TAINTED),
                Role::Header => self.names.any(mention.name(), flag::FED),
                Role::Written | Role::Cleaned | Role::Query => false,
            };
            if !line.iter().any(holds) {
                continue;
            }
            for mention in line {
                let mark = match mention.role() {
                    Role::Query => return Walk::Reached,
                    Role::Written => flag::TAINTED,
                    // What is no function of the program is never a header either.
                    Role::Read | Role::Called => flag::FED,
                    Role::Header | Role::Cleaned => continue,
                };
                if !self.names.any(mention.name(), mark) {
                    self.names.set(mention.name(), mark);
                    walk = Walk::Changed;
                }
            }
        }
        walk
    }

    /// Notes what the line does with a name.
    #[inline]
    pub(super) fn mention(&mut self, name: Symbol, role: Role) {
        let line = super::offset(self.statements.len());
        self.mentions.push(Mention { line, name_and_role: name << 3 | role as u32 });
    }
}

/// What a walk came to.
enum Walk {
    /// A parameter can reach an `ormDirect`.
    Reached,
    /// More names may hold parameters than before.
    Changed,
    /// Nothing changed.
    Done,
}
