//! Names as small numbers: every name of a program is looked up once, and what is known about it stands in flat arrays
//! by its number. The first numbers belong to the words of the grammar and to the commands.

use std::hash::{BuildHasher, Hasher};
use std::sync::LazyLock;

use crate::commands::{
    Command, HELPERS, KEYWORDS, ParamKind, Profile, RESERVED_NAMES, SPECIAL_NAMES, commands,
};
use crate::hash::Seeded;

/// The number of a name.
pub(super) type Symbol = u32;

/// What is known about a name; bits that can be set together.
pub(super) mod flag {
    /// A word of the grammar that cannot be a name.
    pub(in crate::lean) const KEYWORD: u16 = 1;
    /// `str`, `int`, `float`, `len`.
    pub(in crate::lean) const HELPER: u16 = 1 << 1;
    /// A command of some profile.
    pub(in crate::lean) const COMMAND: u16 = 1 << 2;
    /// A word that is not read as a plain name: a constant in lower case, an empty value of another language.
    pub(in crate::lean) const ODD: u16 = 1 << 3;
    /// It exists without being assigned.
    pub(in crate::lean) const SPECIAL: u16 = 1 << 4;
    /// It should not be written.
    pub(in crate::lean) const RESERVED: u16 = 1 << 5;
    /// Some line writes it.
    pub(in crate::lean) const ASSIGNED: u16 = 1 << 6;
    /// Some line writes something else than a literal of a scalar type to it.
    pub(in crate::lean) const VARIED: u16 = 1 << 7;
    /// Some line reads it where it is no parameter.
    pub(in crate::lean) const READ: u16 = 1 << 8;
    /// The program defines a function of that name.
    pub(in crate::lean) const FUNCTION: u16 = 1 << 9;
    /// It is a parameter of the function that is being read.
    pub(in crate::lean) const PARAMETER: u16 = 1 << 10;
    /// It holds the length of a list.
    pub(in crate::lean) const LENGTH: u16 = 1 << 11;
}

/// The words that the grammar knows by their number.
pub(super) mod word {
    use super::Symbol;

    pub(super) const FIRST: &[&str] = &[
        "not", "and", "or", "in", "if", "else", "None", "True", "False", "true", "false", "function", "return",
        "_status", "len",
    ];
    pub(in crate::lean) const NOT: Symbol = 0;
    pub(in crate::lean) const AND: Symbol = 1;
    pub(in crate::lean) const OR: Symbol = 2;
    pub(in crate::lean) const IN: Symbol = 3;
    pub(in crate::lean) const IF: Symbol = 4;
    pub(in crate::lean) const ELSE: Symbol = 5;
    pub(in crate::lean) const NONE: Symbol = 6;
    pub(in crate::lean) const FALSE: Symbol = 8;
    pub(in crate::lean) const TRUE_IN_LOWER_CASE: Symbol = 9;
    pub(in crate::lean) const FALSE_IN_LOWER_CASE: Symbol = 10;
    pub(in crate::lean) const FUNCTION: Symbol = 11;
    pub(in crate::lean) const RETURN: Symbol = 12;
    pub(in crate::lean) const STATUS: Symbol = 13;
    pub(in crate::lean) const LEN: Symbol = 14;
}

/// What a command does beyond taking arguments, as far as the rules look at it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Act {
    None,
    If,
    Else,
    End,
    StartLoop,
    EndLoop,
    Try,
    Exception,
    GoAsync,
    Gather,
    Connector,
    Endpoint,
    AddVar,
    AddResult,
    /// It brings request parameters in.
    Parameters,
    ListLength,
    Query,
    Random,
}

/// A command as the reader needs it: numbers instead of lists and texts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    /// Its place in the table.
    pub(super) index: u8,
    pub(super) profile: Profile,
    pub(super) act: Act,
    pub(super) block: bool,
    /// Whether an assignment can take its value.
    pub(super) assignable: bool,
    /// Whether its last parameter is a target, which an assignment replaces.
    pub(super) trailing_target: bool,
    /// Arguments it needs, takes, and takes with the hypothesis profile.
    pub(super) least: u8,
    pub(super) most: u8,
    pub(super) extra: u8,
    /// Positions that are written, as bits.
    pub(super) targets: u32,
}

impl Shape {
    fn of(index: usize, command: &Command) -> Self {
        let small = |value: usize| u8::try_from(value).unwrap_or(u8::MAX);
        let target = |at: usize| u32::from(command.params[at].kind == ParamKind::Target) << at.min(31);
        Self {
            index: small(index),
            profile: command.profile,
            act: match command.name.as_str() {
                "if" => Act::If,
                "else" => Act::Else,
                "end" => Act::End,
                "startLoop" => Act::StartLoop,
                "endLoop" => Act::EndLoop,
                "try" => Act::Try,
                "exception" => Act::Exception,
                "go_async" => Act::GoAsync,
                "gather" => Act::Gather,
                "avapConnector" => Act::Connector,
                "registerEndpoint" => Act::Endpoint,
                "addVar" => Act::AddVar,
                "addResult" => Act::AddResult,
                "addParam" | "getQueryParamList" => Act::Parameters,
                "getListLen" => Act::ListLength,
                "ormDirect" => Act::Query,
                "randomString" => Act::Random,
                _ => Act::None,
            },
            block: command.block,
            assignable: if command.block {
                command.name == "exception"
            } else {
                command.returns || command.has_target()
            },
            trailing_target: command.has_trailing_target(),
            least: small(command.params.iter().filter(|param| !param.optional).count()),
            most: small(command.params.len()),
            extra: small(command.hypothesis_extra),
            targets: (0..command.params.len()).map(target).fold(0, |all, bit| all | bit),
        }
    }
}

/// The words that every program knows, with their place in a table of slots.
struct Known {
    texts: Vec<&'static str>,
    flags: Vec<u16>,
    /// By number; `None` for what is no command.
    shapes: Vec<Option<Shape>>,
    slots: Vec<Slot>,
}

static KNOWN: LazyLock<Known> = LazyLock::new(|| {
    let mut known = Known { texts: Vec::new(), flags: Vec::new(), shapes: Vec::new(), slots: Vec::new() };
    let mut add = |text: &'static str, flags: u16, shape: Option<Shape>| {
        let at = known.texts.iter().position(|known| *known == text).unwrap_or_else(|| {
            known.texts.push(text);
            known.flags.push(0);
            known.shapes.push(None);
            known.texts.len() - 1
        });
        known.flags[at] |= flags;
        known.shapes[at] = known.shapes[at].or(shape);
    };
    word::FIRST.iter().for_each(|text| add(text, 0, None));
    KEYWORDS.iter().for_each(|text| add(text, flag::KEYWORD, None));
    HELPERS.iter().for_each(|text| add(text, flag::HELPER, None));
    SPECIAL_NAMES.iter().for_each(|text| add(text, flag::SPECIAL, None));
    RESERVED_NAMES.iter().for_each(|text| add(text, flag::RESERVED, None));
    crate::foreign::CONSTANTS.iter().for_each(|text| add(text, flag::ODD, None));
    ["true", "false"].iter().for_each(|text| add(text, flag::ODD, None));
    for (index, command) in commands().iter().enumerate() {
        add(&command.name, flag::COMMAND, Some(Shape::of(index, command)));
    }
    known.slots = vec![EMPTY; (known.texts.len() * 4).next_power_of_two()];
    for (number, text) in known.texts.iter().enumerate() {
        let slot = Slot { hash: hash(text.as_bytes()), symbol: symbol_of(number) };
        place(&mut known.slots, slot);
    }
    known
});

#[derive(Debug, Clone, Copy)]
struct Slot {
    hash: u32,
    symbol: Symbol,
}

const EMPTY: Slot = Slot { hash: 0, symbol: Symbol::MAX };

fn symbol_of(number: usize) -> Symbol {
    Symbol::try_from(number).unwrap_or(Symbol::MAX)
}

#[inline]
fn hash(text: &[u8]) -> u32 {
    let mut hasher = Seeded.build_hasher();
    hasher.write(text);
    let hash = hasher.finish();
    (hash ^ (hash >> 32)) as u32
}

/// Puts an entry that is not there yet into a table that has room.
fn place(slots: &mut [Slot], slot: Slot) {
    let mask = slots.len() - 1;
    let mut at = slot.hash as usize & mask;
    while slots[at].symbol != Symbol::MAX {
        at = (at + 1) & mask;
    }
    slots[at] = slot;
}

/// The names of one program.
pub(super) struct Names<'a> {
    known: &'static Known,
    /// The program's own names; their numbers follow those of the known words.
    own: Vec<&'a [u8]>,
    slots: Vec<Slot>,
    /// What is known about each name, by its number.
    flags: Vec<u16>,
}

impl<'a> Names<'a> {
    /// No names yet, with room for about so many bytes of program.
    pub(super) fn new(length: usize) -> Self {
        let known = &*KNOWN;
        let room = (length / 64).next_power_of_two().clamp(16, 4_096);
        let mut flags = Vec::with_capacity(known.flags.len() + room / 2);
        flags.extend_from_slice(&known.flags);
        Self { known, own: Vec::with_capacity(room / 2), slots: vec![EMPTY; room], flags }
    }

    /// The number of a name.
    #[inline]
    pub(super) fn symbol(&mut self, text: &'a [u8]) -> Symbol {
        let hash = hash(text);
        let mask = self.known.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let slot = self.known.slots[at];
            if slot.symbol == Symbol::MAX {
                break;
            }
            if slot.hash == hash && self.known.texts[slot.symbol as usize].as_bytes() == text {
                return slot.symbol;
            }
            at = (at + 1) & mask;
        }
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let slot = self.slots[at];
            if slot.symbol == Symbol::MAX {
                return self.enter(text, hash, at);
            }
            if slot.hash == hash && self.own[slot.symbol as usize - self.known.texts.len()] == text {
                return slot.symbol;
            }
            at = (at + 1) & mask;
        }
    }

    #[cold]
    fn enter(&mut self, text: &'a [u8], hash: u32, at: usize) -> Symbol {
        let symbol = symbol_of(self.flags.len());
        self.own.push(text);
        self.flags.push(0);
        self.slots[at] = Slot { hash, symbol };
        if self.own.len() * 2 > self.slots.len() {
            let mut wider = vec![EMPTY; self.slots.len() * 2];
            for slot in self.slots.iter().filter(|slot| slot.symbol != Symbol::MAX) {
                place(&mut wider, *slot);
            }
            self.slots = wider;
        }
        symbol
    }

    /// What is known about a name.
    #[inline]
    pub(super) fn flags(&self, symbol: Symbol) -> u16 {
        self.flags[symbol as usize]
    }

    /// Whether one of these flags is set.
    #[inline]
    pub(super) fn any(&self, symbol: Symbol, flags: u16) -> bool {
        self.flags(symbol) & flags != 0
    }

    /// Sets flags.
    #[inline]
    pub(super) fn set(&mut self, symbol: Symbol, flags: u16) {
        self.flags[symbol as usize] |= flags;
    }

    /// Takes flags back.
    pub(super) fn clear(&mut self, symbol: Symbol, flags: u16) {
        self.flags[symbol as usize] &= !flags;
    }

    /// The command of that name.
    #[inline]
    pub(super) fn shape(&self, symbol: Symbol) -> Option<Shape> {
        self.known.shapes.get(symbol as usize).copied().flatten()
    }

    /// How many names there are.
    pub(super) fn count(&self) -> usize {
        self.flags.len()
    }

    /// Whether some name is read that nothing assigns, as far as single names can tell.
    pub(super) fn reads_unassigned(&self) -> bool {
        let sound = flag::ASSIGNED | flag::SPECIAL | flag::FUNCTION | flag::HELPER;
        self.flags.iter().any(|flags| flags & flag::READ != 0 && flags & sound == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_the_grammar_have_the_numbers_that_the_code_uses() {
        for (number, text) in [
            (word::NOT, "not"),
            (word::AND, "and"),
            (word::OR, "or"),
            (word::IN, "in"),
            (word::IF, "if"),
            (word::ELSE, "else"),
            (word::NONE, "None"),
            (word::FALSE, "False"),
            (word::TRUE_IN_LOWER_CASE, "true"),
            (word::FALSE_IN_LOWER_CASE, "false"),
            (word::FUNCTION, "function"),
            (word::RETURN, "return"),
            (word::STATUS, "_status"),
            (word::LEN, "len"),
        ] {
            assert_eq!(Names::new(0).symbol(text.as_bytes()), number, "{text}");
        }
    }

    #[test]
    fn every_name_has_one_number_whatever_their_count() {
        let texts: Vec<String> = (0..5_000).map(|i| format!("name{i}")).collect();
        let mut names = Names::new(0);
        let first: Vec<Symbol> = texts.iter().map(|text| names.symbol(text.as_bytes())).collect();
        let again: Vec<Symbol> = texts.iter().map(|text| names.symbol(text.as_bytes())).collect();
        assert_eq!(first, again);
        assert_eq!(names.count(), KNOWN.texts.len() + texts.len());
    }

    #[test]
    fn commands_fit_into_bits() {
        assert!(commands().len() <= 64 && commands().iter().all(|command| command.params.len() < 32));
    }
}
