//! Names as small numbers: every name of a program is looked up once, and what is known about it stands in flat arrays
//! by its number. The first numbers belong to the words of the grammar and to the commands.

use std::sync::LazyLock;

use crate::commands::{
    Command, HELPERS, KEYWORDS, ParamKind, Profile, RESERVED_NAMES, SPECIAL_NAMES, command_bit, commands,
};
use crate::hash::{SPREAD, mix, seed};
use crate::rules::CLEANSING;
use crate::syntax::Span;

use super::cursor::{eight, lowest, word_length};

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
    known.slots = vec![Slot::FREE; (known.texts.len() * 2).next_power_of_two()];
    for (number, text) in known.texts.iter().enumerate() {
        let slot = Slot { key: key_of(text.as_bytes()), symbol: symbol_of(number), start: 0 };
        place(&mut known.slots, slot);
    }
    known
});

/// A name as it is looked up. For a word of at most sixteen letters it is the letters themselves, eight in each half,
/// the first one lowest. For anything else it is a hash and the length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Key {
    first: u64,
    second: u64,
}

/// Marks the key of what is no short word; the letters of words are ASCII.
const LONG: u64 = 1 << 63;

impl Key {
    fn long(hash: u64, length: usize) -> Self {
        Self { first: LONG | hash, second: length as u64 }
    }

    fn is_long(self) -> bool {
        self.first & LONG != 0
    }

    /// Where to look first.
    #[inline]
    fn place(self) -> usize {
        mix(self.first ^ seed(), self.second ^ SPREAD) as usize
    }
}

/// The key of the word that starts at a place, which may be empty, and its length.
#[inline(always)]
pub(super) fn key_at(bytes: &[u8], at: usize) -> (Key, usize) {
    let first = eight(bytes, at);
    let length = word_length(first);
    if length < 8 {
        return (Key { first: lowest(first, length), second: 0 }, length);
    }
    let second = eight(bytes, at + 8);
    let more = word_length(second);
    if more < 8 {
        return (Key { first, second: lowest(second, more) }, 8 + more);
    }
    long_key(bytes, at, first, second)
}

#[inline(never)]
fn long_key(bytes: &[u8], at: usize, first: u64, second: u64) -> (Key, usize) {
    let mut hash = mix(first ^ seed(), second ^ SPREAD);
    let mut length = 16;
    loop {
        let next = eight(bytes, at + length);
        let more = word_length(next);
        if more > 0 {
            hash = mix(hash ^ if more < 8 { lowest(next, more) } else { next }, SPREAD);
        }
        length += more;
        if more < 8 {
            return (if length == 16 { Key { first, second } } else { Key::long(hash, length) }, length);
        }
    }
}

/// The key of a text, whether it is a word or not.
pub(super) fn key_of(text: &[u8]) -> Key {
    let (key, length) = key_at(text, 0);
    if length == text.len() && length > 0 {
        return key;
    }
    let parts = (0..text.len()).step_by(8);
    Key::long(parts.fold(seed(), |hash, at| mix(hash ^ eight(text, at), SPREAD)), text.len())
}

/// An entry of a table of slots; the key of a free one is 0.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slot {
    key: Key,
    symbol: Symbol,
    /// Where the name stands in the source.
    start: u32,
}

impl Slot {
    pub(super) const FREE: Self = Self { key: Key { first: 0, second: 0 }, symbol: 0, start: 0 };

    fn is_free(self) -> bool {
        self.key.first == 0
    }
}

fn symbol_of(number: usize) -> Symbol {
    Symbol::try_from(number).unwrap_or(Symbol::MAX)
}

/// Puts an entry that is not there yet into a table that has room.
fn place(slots: &mut [Slot], slot: Slot) {
    let mask = slots.len() - 1;
    let mut at = slot.key.place() & mask;
    while !slots[at].is_free() {
        at = (at + 1) & mask;
    }
    slots[at] = slot;
}

/// Looks a name up in a table; the place of the free slot where it is not there. Two long names with the same key are
/// the same if `same` says so.
#[inline(always)]
fn look(slots: &[Slot], key: Key, place: usize, same: impl Fn(Slot) -> bool) -> Result<Symbol, usize> {
    let mask = slots.len() - 1;
    let mut at = place & mask;
    loop {
        let slot = slots[at];
        if slot.key.first == key.first && slot.key.second == key.second && (!key.is_long() || same(slot)) {
            return Ok(slot.symbol);
        }
        if slot.is_free() {
            return Err(at);
        }
        at = (at + 1) & mask;
    }
}

/// Slots for the names of a small program.
pub(super) const FEW: usize = 32;

/// Flags for the names of a small program, the known ones among them.
pub(super) const FEW_FLAGS: usize = 256;

/// The names of one program.
pub(super) struct Names<'a> {
    known: &'static Known,
    source: &'a [u8],
    /// The program's own names; their numbers follow those of the known words.
    few: &'a mut [Slot; FEW],
    /// Once they are too many for that: all of them in the order of their numbers, and the table, in which stands how
    /// many there were with each. Four bytes a slot keep the table of a large program small.
    many: Vec<Slot>,
    table: Vec<u32>,
    /// What is known about each name, by its number.
    flags: &'a mut [u16],
    count: usize,
    /// Whether all names could be kept.
    complete: bool,
}

impl<'a> Names<'a> {
    /// No names yet; they are kept in `few` and `few_flags` while they fit, in `more_flags` otherwise.
    #[inline(always)]
    pub(super) fn new(
        source: &'a str,
        few: &'a mut [Slot; FEW],
        few_flags: &'a mut [u16; FEW_FLAGS],
        more_flags: &'a mut Vec<u16>,
    ) -> Self {
        let known = &*KNOWN;
        // Between two names stands at least one byte.
        let most = known.flags.len() + source.len() / 2 + 2;
        let flags: &'a mut [u16] = if most <= FEW_FLAGS {
            few_flags
        } else {
            *more_flags = vec![0; most];
            more_flags
        };
        for (flags, known) in flags.iter_mut().zip(&known.flags) {
            *flags = *known;
        }
        Self {
            known,
            source: source.as_bytes(),
            few,
            many: Vec::new(),
            table: Vec::new(),
            flags,
            count: known.flags.len(),
            complete: true,
        }
    }

    /// The number of the name between two places of the source.
    #[inline(always)]
    pub(super) fn symbol(&mut self, key: Key, span: Span) -> Symbol {
        let place = key.place();
        let known = |slot: Slot| self.is_known(slot.symbol, span);
        if let Ok(symbol) = look(&self.known.slots, key, place, known) {
            return symbol;
        }
        let own = |slot: Slot| self.is_same(slot.start, span);
        let found = if self.table.is_empty() {
            look(self.few, key, place, own)
        } else {
            self.look_among_many(key, place, span)
        };
        match found {
            Ok(symbol) => symbol,
            Err(free) => self.enter(key, span.0, free),
        }
    }

    #[inline(never)]
    fn is_known(&self, symbol: Symbol, span: Span) -> bool {
        self.known.texts[symbol as usize].as_bytes() == self.text(span)
    }

    /// Whether the same text, as long as the other, stands in two places.
    #[inline(never)]
    fn is_same(&self, start: u32, span: Span) -> bool {
        self.source.get(start as usize..).is_some_and(|rest| rest.starts_with(self.text(span)))
    }

    fn text(&self, span: Span) -> &'a [u8] {
        self.source.get(span.0 as usize..span.1 as usize).unwrap_or_default()
    }

    #[inline(never)]
    fn enter(&mut self, key: Key, start: u32, free: usize) -> Symbol {
        if self.count == self.flags.len() {
            self.complete = false;
            return word::NOT;
        }
        let symbol = symbol_of(self.count);
        let slot = Slot { key, symbol, start };
        self.count += 1;
        let own = self.count - self.known.texts.len();
        if self.table.is_empty() {
            self.few[free] = slot;
            if own * 4 > FEW * 3 {
                self.many.extend(self.few.iter().filter(|slot| !slot.is_free()));
                self.many.sort_unstable_by_key(|slot| slot.symbol);
                self.widen(FEW * 8);
            }
        } else {
            self.many.push(slot);
            self.table[free] = symbol_of(own);
            if own * 2 > self.table.len() {
                self.widen(self.table.len() * 2);
            }
        }
        symbol
    }

    /// Looks a name up among many.
    #[inline(never)]
    fn look_among_many(&self, key: Key, place: usize, span: Span) -> Result<Symbol, usize> {
        let mask = self.table.len() - 1;
        let mut at = place & mask;
        loop {
            let Some(number) = (self.table[at] as usize).checked_sub(1) else { return Err(at) };
            let slot = self.many[number];
            if slot.key == key && (!key.is_long() || self.is_same(slot.start, span)) {
                return Ok(slot.symbol);
            }
            at = (at + 1) & mask;
        }
    }

    /// Makes the table for many names anew.
    #[cold]
    fn widen(&mut self, slots: usize) {
        self.table.clear();
        self.table.resize(slots, 0);
        let mask = slots - 1;
        for (number, slot) in self.many.iter().enumerate() {
            let mut at = slot.key.place() & mask;
            while self.table[at] != 0 {
                at = (at + 1) & mask;
            }
            self.table[at] = symbol_of(number + 1);
        }
    }

    /// Whether all names could be kept.
    pub(super) fn is_complete(&self) -> bool {
        self.complete
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
        self.count
    }

    /// Whether some name is read that nothing assigns, as far as single names can tell.
    pub(super) fn reads_unassigned(&self) -> bool {
        let sound = flag::ASSIGNED | flag::SPECIAL | flag::FUNCTION | flag::HELPER;
        // Without a way out in between, so that many are looked at in one step.
        let unassigned = |flags: &u16| flags & flag::READ != 0 && flags & sound == 0;
        self.flags[..self.count].iter().fold(false, |any, flags| any | unassigned(flags))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers of the names between these places of a source.
    fn numbers(source: &str, spans: &[(usize, usize)]) -> Vec<Symbol> {
        let (mut slots, mut flags, mut more) = ([Slot::FREE; FEW], [0; FEW_FLAGS], Vec::new());
        let mut names = Names::new(source, &mut slots, &mut flags, &mut more);
        let numbers = spans
            .iter()
            .map(|(start, end)| {
                let key = key_of(&source.as_bytes()[*start..*end]);
                names.symbol(key, (u32::try_from(*start).unwrap(), u32::try_from(*end).unwrap()))
            })
            .collect();
        assert!(names.is_complete());
        numbers
    }

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
            assert_eq!(numbers(text, &[(0, text.len())]), [number], "{text}");
        }
    }

    #[test]
    fn every_name_has_one_number_whatever_their_count() {
        let texts: Vec<String> = (0..5_000)
            .flat_map(|i| [format!("n{i}"), format!("name{i}"), format!("a_rather_long_name_{i}_of_a_thing")])
            .chain(["", "é", "a b", "abcdefgh", "abcdefg", "abcdefghi", "\0", "a\0"].map(str::to_owned))
            .collect();
        let source = texts.concat();
        let mut at = 0;
        let spans: Vec<(usize, usize)> = texts
            .iter()
            .map(|text| {
                at += text.len();
                (at - text.len(), at)
            })
            .collect();
        let once = numbers(&source, &spans);
        assert_eq!(once.iter().collect::<std::collections::BTreeSet<_>>().len(), texts.len());
        let twice = numbers(&source, &[spans.clone(), spans].concat());
        assert_eq!(twice, [once.clone(), once].concat());
    }

    #[test]
    fn commands_fit_into_bits() {
        assert!(commands().len() <= 64 && commands().iter().all(|command| command.params.len() < 32));
    }
}
