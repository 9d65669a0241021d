//! The words that every program knows, by number: those of the grammar, the helpers, and the commands with what the
//! reader needs of them.

use std::sync::LazyLock;

use super::keys::{Slot, key_of, place};
use super::names::{Symbol, symbol_of};
use crate::commands::{
    Command, HELPERS, KEYWORDS, ParamKind, Profile, RESERVED_NAMES, SPECIAL_NAMES, command_bit, commands,
};
use crate::rules::CLEANSING;

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
    /// A request parameter comes in by it.
    pub(in crate::lean) const BRINGS: u16 = 1 << 12;
    /// A background block was started under it.
    pub(in crate::lean) const STARTED: u16 = 1 << 13;
    /// What goes into the function of that name may come to SQL.
    pub(in crate::lean) const FEEDS: u16 = 1 << 14;
    /// What it holds may come to SQL.
    pub(in crate::lean) const WANTED: u16 = 1 << 15;
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
    /// Whether what it writes may carry on text that it reads.
    pub(super) carries: bool,
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
            carries: !matches!(command.name.as_str(), "addParam" | "getQueryParamList")
                && !CLEANSING.contains(&command.name.as_str()),
            least: small(command.params.iter().filter(|param| !param.optional).count()),
            most: small(command.params.len()),
            extra: small(command.hypothesis_extra),
            targets: (0..command.params.len()).map(target).fold(0, |all, bit| all | bit),
        }
    }
}

/// The words that every program knows, with their place in a table of slots.
pub(super) struct Known {
    pub(super) texts: Vec<&'static str>,
    pub(super) flags: Vec<u16>,
    /// By number; `None` for what is no command.
    pub(super) shapes: Vec<Option<Shape>>,
    pub(super) slots: Vec<Slot>,
}

pub(super) static KNOWN: LazyLock<Known> = LazyLock::new(|| {
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
