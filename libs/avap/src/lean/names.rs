//! Names as small numbers: every name of a program is looked up once, and what is known about it stands in flat arrays
//! by its number. The first numbers belong to the words of the grammar and to the commands.

use std::hash::{BuildHasher, Hasher};
use std::sync::LazyLock;

use crate::commands::{
    Command, HELPERS, KEYWORDS, ParamKind, Profile, RESERVED_NAMES, SPECIAL_NAMES, command_bit, commands,
};
use crate::hash::Seeded;
use crate::rules::CLEANSING;

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
    /// It may hold a request parameter.
    pub(in crate::lean) const TAINTED: u16 = 1 << 12;
    /// A background block was started under it.
    pub(in crate::lean) const STARTED: u16 = 1 << 13;
    /// Request parameters may go into the function of that name.
    pub(in crate::lean) const FED: u16 = 1 << 14;
    /// What it gives carries nothing of the text that goes in.
    pub(in crate::lean) const CLEANSES: u16 = 1 << 15;
}

/// The words that the grammar knows by their number.
pub(super) mod word {
    use super::Symbol;

    pub(super) const FIRST: &[&str] = &[
        "not", "and", "or", "in", "if", "else", "None", "True", "False", "true", "false", "function",
        "return", "_status", "len",
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
    /// What stands for it among the commands that a program uses.
    pub(super) bit: u64,
    pub(super) profile: Profile,
    pub(super) act: Act,
    pub(super) block: bool,
    /// Whether its targets carry nothing of the text that goes in.
    pub(super) cleanses: bool,
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
    fn of(command: &Command) -> Self {
        let small = |value: usize| u8::try_from(value).unwrap_or(u8::MAX);
        let target = |at: usize| u32::from(command.params[at].kind == ParamKind::Target) << at.min(31);
        Self {
            bit: command_bit(&command.name),
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
            cleanses: CLEANSING.contains(&command.name.as_str()),
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
    CLEANSING.iter().for_each(|text| add(text, flag::CLEANSES, None));
    crate::foreign::CONSTANTS.iter().for_each(|text| add(text, flag::ODD, None));
    ["true", "false"].iter().for_each(|text| add(text, flag::ODD, None));
    for command in commands() {
        add(&command.name, flag::COMMAND, Some(Shape::of(command)));
    }
    known.slots = vec![EMPTY; (known.texts.len() * 4).next_power_of_two()];
    for (number, text) in known.texts.iter().enumerate() {
        let key = key(text.as_bytes());
        place(&mut known.slots, slot(text.as_bytes(), key, symbol_of(number)), key.place);
    }
    known
});

/// An entry of a table of slots. The key says which name it is: for one of at most eight bytes the bytes themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Slot {
    key: u64,
    length: u32,
    symbol: Symbol,
}

const EMPTY: Slot = Slot { key: 0, length: 0, symbol: Symbol::MAX };

fn symbol_of(number: usize) -> Symbol {
    Symbol::try_from(number).unwrap_or(Symbol::MAX)
}

/// A name as it is looked up: its bytes if they fit, otherwise a hash of them; and where to look first.
#[derive(Clone, Copy)]
struct Key {
    key: u64,
    place: usize,
}

#[inline]
fn key(text: &[u8]) -> Key {
    let mut hasher = Seeded.build_hasher();
    let key = if text.len() <= 8 {
        let key = short(text);
        hasher.write_u64(key);
        key
    } else {
        hasher.write(text);
        hasher.finish()
    };
    let hash = hasher.finish();
    Key { key, place: (hash ^ (hash >> 32)) as usize }
}

/// Up to eight bytes as a number, without a copy.
#[inline]
fn short(text: &[u8]) -> u64 {
    if let Some(all) = text.first_chunk::<8>() {
        return u64::from_le_bytes(*all);
    }
    match (text.first_chunk::<4>(), text.last_chunk::<4>()) {
        (Some(first), Some(last)) => {
            u64::from(u32::from_le_bytes(*first))
                | u64::from(u32::from_le_bytes(*last)) << (8 * (text.len() - 4))
        }
        _ => text.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)),
    }
}

/// Whether two names of the same length, longer than eight bytes, are the same.
#[inline]
fn same(left: &[u8], right: &[u8]) -> bool {
    match (left.last_chunk::<8>(), right.last_chunk::<8>()) {
        (Some(one), Some(other)) if left.len() <= 16 => {
            one == other && left.first_chunk::<8>() == right.first_chunk::<8>()
        }
        _ => left == right,
    }
}

fn slot(text: &[u8], key: Key, symbol: Symbol) -> Slot {
    Slot { key: key.key, length: u32::try_from(text.len()).unwrap_or(u32::MAX), symbol }
}

/// Puts an entry that is not there yet into a table that has room.
fn place(slots: &mut [Slot], slot: Slot, place: usize) {
    let mask = slots.len() - 1;
    let mut at = place & mask;
    while slots[at].symbol != Symbol::MAX {
        at = (at + 1) & mask;
    }
    slots[at] = slot;
}

/// Looks a name up in a table; the place of the free slot where it is not there.
#[inline]
fn look<'t>(
    slots: &[Slot],
    text: &[u8],
    key: Key,
    text_of: impl Fn(Symbol) -> &'t [u8],
) -> Result<Symbol, usize> {
    let mask = slots.len() - 1;
    let mut at = key.place & mask;
    loop {
        let slot = slots[at];
        if slot.symbol == Symbol::MAX {
            return Err(at);
        }
        if slot.key == key.key
            && slot.length as usize == text.len()
            && (text.len() <= 8 || same(text_of(slot.symbol), text))
        {
            return Ok(slot.symbol);
        }
        at = (at + 1) & mask;
    }
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
        let room = (length / 16).next_power_of_two().clamp(16, 4_096);
        let mut flags = Vec::with_capacity(known.flags.len() + room / 2);
        flags.extend_from_slice(&known.flags);
        Self { known, own: Vec::with_capacity(room / 2), slots: vec![EMPTY; room], flags }
    }

    /// The number of a name.
    #[inline]
    pub(super) fn symbol(&mut self, text: &'a [u8]) -> Symbol {
        let key = key(text);
        match self.look(text, key) {
            Ok(symbol) => symbol,
            Err(free) => self.enter(text, key, free),
        }
    }

    #[inline(always)]
    fn look(&self, text: &[u8], key: Key) -> Result<Symbol, usize> {
        let known = self.known;
        look(&known.slots, text, key, |symbol| known.texts[symbol as usize].as_bytes())
            .or_else(|_| look(&self.slots, text, key, |symbol| self.own[symbol as usize - known.texts.len()]))
    }

    #[cold]
    fn enter(&mut self, text: &'a [u8], key: Key, at: usize) -> Symbol {
        let symbol = symbol_of(self.flags.len());
        self.own.push(text);
        self.flags.push(0);
        self.slots[at] = slot(text, key, symbol);
        if self.own.len() * 2 > self.slots.len() {
            let mut wider = vec![EMPTY; self.slots.len() * 2];
            let first = self.known.texts.len();
            for (number, text) in self.own.iter().enumerate() {
                let key = self::key(text);
                place(&mut wider, slot(text, key, symbol_of(first + number)), key.place);
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
        // Without a way out in between, so that many are looked at in one step.
        let unassigned = |flags: &u16| flags & flag::READ != 0 && flags & sound == 0;
        self.flags.iter().fold(false, |any, flags| any | unassigned(flags))
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
