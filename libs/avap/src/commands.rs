//! The command table as data: names, parameters with their kinds, profiles and effects, read from the compiled-in
//! `commands.toml`, and the grammar's word lists. Knows nothing about source text.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use hashbrown::HashMap;

/// The table's text, as compiled in; part of the grammar hash.
pub(crate) const TABLE_TEXT: &str = include_str!("commands.toml");

/// Words that cannot be used as names.
pub(crate) const KEYWORDS: &[&str] = &[
    "if",
    "else",
    "end",
    "startLoop",
    "endLoop",
    "try",
    "exception",
    "function",
    "return",
    "go_async",
    "gather",
    "registerEndpoint",
    "avapConnector",
    "None",
    "True",
    "False",
    "and",
    "or",
    "not",
    "in",
];

/// Helpers that may stand in any expression; each takes exactly one argument.
pub(crate) const HELPERS: &[&str] = &["str", "int", "float", "len"];

/// Comparators that the third argument of `if` may hold.
pub(crate) const COMPARATORS: &[&str] = &["=", "==", "!=", "<", ">", "<=", ">=", "in"];

/// Variables that exist without being assigned.
pub(crate) const SPECIAL_NAMES: &[&str] =
    &["_status", "__last_error__", "__CONECTOR__", "__CONECTOR_VARS__", "__CONECTOR_RESULTS__"];

/// Names that a program should not write.
pub(crate) const RESERVED_NAMES: &[&str] = &["__CONECTOR__", "__CONECTOR_VARS__", "__CONECTOR_RESULTS__"];

/// Methods that `registerEndpoint` accepts as a literal.
pub(crate) const ENDPOINT_METHODS: &[&str] = &["GET", "POST", "PUT", "DELETE"];

/// A group of commands and forms that can be switched on and off together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// The 27 commands that the makers ship.
    Core,
    /// Endpoints, connectors and background blocks.
    Full,
    /// Old database commands whose argument order is doubtful; arity is not enforced.
    Legacy,
    /// Forms without a primary source: `include`, `import`, time-out arguments; off by default.
    Hypothesis,
}

impl Profile {
    /// Every profile, in the order of trust.
    pub const ALL: [Self; 4] = [Self::Core, Self::Full, Self::Legacy, Self::Hypothesis];

    /// The name used in settings and on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Core => "core",
            Self::Full => "full",
            Self::Legacy => "legacy",
            Self::Hypothesis => "hypothesis",
        }
    }

    /// The profile of that name, if there is one.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|profile| profile.name() == name)
    }

    /// The profiles that are on unless configured otherwise: core, full and legacy.
    #[must_use]
    pub fn defaults() -> Profiles {
        Profiles::from([Self::Core, Self::Full, Self::Legacy])
    }
}

/// A set of profiles.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Profiles(u8);

impl Profiles {
    /// Whether a profile is in the set.
    #[must_use]
    pub fn contains(self, profile: Profile) -> bool {
        self.0 & (1 << profile as u8) != 0
    }

    /// Adds a profile.
    pub fn insert(&mut self, profile: Profile) {
        self.0 |= 1 << profile as u8;
    }

    /// The profiles of the set, in the order of trust.
    pub fn iter(self) -> impl Iterator<Item = Profile> {
        Profile::ALL.into_iter().filter(move |profile| self.contains(*profile))
    }
}

impl FromIterator<Profile> for Profiles {
    fn from_iter<I: IntoIterator<Item = Profile>>(profiles: I) -> Self {
        Self(profiles.into_iter().fold(0, |all, profile| all | (1 << profile as u8)))
    }
}

impl<const N: usize> From<[Profile; N]> for Profiles {
    fn from(profiles: [Profile; N]) -> Self {
        profiles.into_iter().collect()
    }
}

/// What an argument position accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ParamKind {
    /// An identifier that the command writes; a quoted identifier is tolerated.
    Target,
    /// A name or a literal; other expressions are accepted too.
    Var,
    /// Any expression.
    Value,
}

/// One parameter of a command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Param {
    /// The name shown in signatures.
    pub name: String,
    /// What the position accepts.
    pub kind: ParamKind,
    /// Whether the argument may be left out at the end.
    #[serde(default)]
    pub optional: bool,
}

/// One command of the language.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Command {
    /// The name, with its exact casing.
    pub name: String,
    /// The profile that switches it on.
    pub profile: Profile,
    /// The version of this front end that knew it first.
    pub since: String,
    /// One sentence: what it does.
    pub effect: String,
    /// Its parameters in order.
    pub params: Vec<Param>,
    /// Whether it opens, divides or closes a block and is never a value.
    #[serde(default)]
    pub block: bool,
    /// Whether it returns a value although it has no target.
    #[serde(default)]
    pub returns: bool,
    /// Further arguments that the hypothesis profile accepts after the last one.
    #[serde(default)]
    pub hypothesis_extra: usize,
}

impl Command {
    /// The signature, for example `encodeSHA256(source, target)`.
    #[must_use]
    pub fn signature(&self) -> String {
        let params: Vec<String> = self
            .params
            .iter()
            .map(|p| if p.optional { format!("[{}]", p.name) } else { p.name.clone() })
            .collect();
        format!("{}({})", self.name, params.join(", "))
    }

    /// Whether the last parameter is a target, which an assignment may replace.
    #[must_use]
    pub fn has_trailing_target(&self) -> bool {
        self.params.last().is_some_and(|p| p.kind == ParamKind::Target)
    }

    /// Whether any parameter is a target.
    #[must_use]
    pub fn has_target(&self) -> bool {
        self.params.iter().any(|p| p.kind == ParamKind::Target)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    command: Vec<Command>,
}

static COMMANDS: LazyLock<Vec<Command>> =
    LazyLock::new(|| toml::from_str::<Table>(TABLE_TEXT).map(|table| table.command).unwrap_or_default());

static INDEX: LazyLock<HashMap<&'static str, &'static Command>> =
    LazyLock::new(|| commands().iter().map(|command| (command.name.as_str(), command)).collect());

/// Every command of every profile, in the order of the table.
#[must_use]
pub fn commands() -> &'static [Command] {
    &COMMANDS
}

/// The command of that exact name, whatever its profile.
#[must_use]
pub fn command(name: &str) -> Option<&'static Command> {
    INDEX.get(name).copied()
}

/// The bit that stands for a command among those that a program uses, by its place in the alphabet; none for another
/// word.
pub(crate) fn command_bit(name: &str) -> u64 {
    let place = SORTED.binary_search(&name).ok().and_then(|place| u32::try_from(place).ok());
    place.and_then(|place| 1_u64.checked_shl(place)).unwrap_or(0)
}

/// The commands that bits stand for, in alphabetical order.
pub(crate) fn command_names(bits: u64) -> Vec<&'static str> {
    let mut names = Vec::with_capacity(bits.count_ones() as usize);
    let mut bits = bits;
    while bits != 0 {
        names.extend(SORTED.get(bits.trailing_zeros() as usize));
        bits &= bits - 1;
    }
    names
}

static SORTED: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let mut names: Vec<&'static str> = commands().iter().map(|command| command.name.as_str()).collect();
    names.sort_unstable();
    names
});

/// Whether the word is reserved by the grammar.
pub(crate) fn is_keyword(word: &str) -> bool {
    KEYWORDS.contains(&word)
}

/// Whether the word is one of the expression helpers.
pub(crate) fn is_helper(word: &str) -> bool {
    HELPERS.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_is_read_and_core_holds_27_commands() {
        let core = commands().iter().filter(|c| c.profile == Profile::Core).count();
        assert_eq!(core, 27);
        assert_eq!(commands().len(), 37);
    }

    #[test]
    fn names_are_unique_and_every_effect_is_a_sentence() {
        let names: std::collections::BTreeSet<_> = commands().iter().map(|c| &c.name).collect();
        assert_eq!(names.len(), commands().len());
        assert!(commands().iter().all(|c| c.effect.ends_with('.')));
    }

    #[test]
    fn signature_marks_optional_parameters() {
        assert_eq!(command("exception").map(Command::signature).as_deref(), Some("exception([target])"));
        assert_eq!(command("addVar").map(Command::signature).as_deref(), Some("addVar(target, value)"));
    }
}
