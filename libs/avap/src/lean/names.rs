//! Names as small numbers: every name of a program is looked up once, and what is known about it stands in flat arrays
//! by its number. The first numbers belong to the words of the grammar and to the commands.

use super::keys::{Key, Slot, look};
use super::known::{KNOWN, Known, Shape, flag};
use super::table::Table;
use crate::syntax::Span;

/// The number of a name.
pub(super) type Symbol = u32;

pub(super) fn symbol_of(number: usize) -> Symbol {
    Symbol::try_from(number).unwrap_or(Symbol::MAX)
}

/// Slots for the names of a small program.
pub(super) const FEW: usize = 32;

/// The names of one program.
pub(super) struct Names<'a> {
    known: &'static Known,
    source: &'a [u8],
    /// The program's own names; their numbers follow those of the known words.
    few: &'a mut [Slot; FEW],
    /// Once they are too many for that: all of them in the order of their numbers, and the table of where each stands
    /// among them.
    many: Vec<Slot>,
    table: Table,
    /// What is known about each name, by its number.
    flags: Vec<u16>,
}

impl<'a> Names<'a> {
    /// No names yet; they are kept in `few` while they fit.
    #[inline(always)]
    pub(super) fn new(source: &'a str, few: &'a mut [Slot; FEW]) -> Self {
        let known = &*KNOWN;
        let mut flags = Vec::with_capacity(known.flags.len() + FEW);
        flags.extend_from_slice(&known.flags);
        Self { known, source: source.as_bytes(), few, many: Vec::new(), table: Table::default(), flags }
    }

    /// The number of the name between two places of the source.
    #[inline(always)]
    pub(super) fn symbol(&mut self, key: Key, span: Span) -> Symbol {
        if key.is_long() {
            return self.symbol_of_long(key, span);
        }
        let place = key.place();
        if let Ok(symbol) = look(&self.known.slots, key, place, |_| true) {
            return symbol;
        }
        if self.many.is_empty() {
            match look(self.few, key, place, |_| true) {
                Ok(symbol) => symbol,
                Err(free) => self.enter_few(key, span.0, free),
            }
        } else {
            match self.table.find(place, |number| self.many[number].key == key) {
                Some(number) => self.many[number].symbol,
                None => self.enter(key, span.0, place),
            }
        }
    }

    /// The number of a name that its key does not spell: where the keys are the same, the texts are compared.
    #[inline(never)]
    fn symbol_of_long(&mut self, key: Key, span: Span) -> Symbol {
        let place = key.place();
        let known = |slot: Slot| self.known.texts[slot.symbol as usize].as_bytes() == self.text(span);
        if let Ok(symbol) = look(&self.known.slots, key, place, known) {
            return symbol;
        }
        let own = |slot: Slot| self.is_same(slot.start, span);
        if self.many.is_empty() {
            match look(self.few, key, place, own) {
                Ok(symbol) => symbol,
                Err(free) => self.enter_few(key, span.0, free),
            }
        } else {
            let own = |number: usize| self.many[number].key == key && own(self.many[number]);
            match self.table.find(place, own) {
                Some(number) => self.many[number].symbol,
                None => self.enter(key, span.0, place),
            }
        }
    }

    /// Whether the same text, as long as the other, stands in two places.
    fn is_same(&self, start: u32, span: Span) -> bool {
        self.source.get(start as usize..).is_some_and(|rest| rest.starts_with(self.text(span)))
    }

    fn text(&self, span: Span) -> &'a [u8] {
        self.source.get(span.0 as usize..span.1 as usize).unwrap_or_default()
    }

    /// Enters a name while they are few; `free` is its slot.
    #[inline(never)]
    fn enter_few(&mut self, key: Key, start: u32, free: usize) -> Symbol {
        let symbol = symbol_of(self.flags.len());
        self.flags.push(0);
        self.few[free] = Slot { key, symbol, start };
        let own = self.flags.len() - self.known.texts.len();
        if own * 4 > FEW * 3 {
            self.many.extend(self.few.iter().filter(|slot| !slot.is_free()));
            self.many.sort_unstable_by_key(|slot| slot.symbol);
            self.widen(start);
        }
        symbol
    }

    /// Enters a name where they are many; `place` is where the table looks for it first.
    #[inline(never)]
    fn enter(&mut self, key: Key, start: u32, place: usize) -> Symbol {
        let symbol = symbol_of(self.flags.len());
        self.flags.push(0);
        let number = self.many.len();
        self.many.push(Slot { key, symbol, start });
        if self.table.is_full() {
            self.widen(start);
        } else {
            self.table.add(place, number);
        }
        symbol
    }

    /// Makes room for more names: for as many as the program will have if it goes on as far as it has come, which is
    /// where the last one starts. Nothing is moved before that is used up.
    #[cold]
    fn widen(&mut self, start: u32) {
        let read = (start as usize).max(1);
        let expected = self.many.len().saturating_mul(self.source.len() / read + 1);
        self.table.widen(expected, self.many.iter().map(|slot| slot.key.place()));
        let more = self.table.room().saturating_sub(self.many.len());
        self.many.reserve_exact(more);
        self.flags.reserve_exact(more);
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
    pub(super) fn shape(&self, symbol: Symbol) -> Option<&'static Shape> {
        self.known.shapes.get(symbol as usize)?.as_ref()
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
    use super::super::keys::key_of;
    use super::super::known::word;
    use super::*;
    use crate::commands::commands;

    /// The numbers of the names between these places of a source.
    fn numbers(source: &str, spans: &[(usize, usize)]) -> Vec<Symbol> {
        let mut slots = [Slot::FREE; FEW];
        let mut names = Names::new(source, &mut slots);
        spans
            .iter()
            .map(|(start, end)| {
                let key = key_of(&source.as_bytes()[*start..*end]);
                names.symbol(key, (u32::try_from(*start).unwrap(), u32::try_from(*end).unwrap()))
            })
            .collect()
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
