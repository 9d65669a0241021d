//! Readings of words that our lists know, kept for every text of the process once a text has had them: most words of a text
//! stood in one before. A word that no list knows is forgotten with its answer, so that nothing of a private text stays, and
//! the room is bounded.

use super::TokenKind;
use super::reading::Reading;
use super::word::{Shared, Token, Word};
use crate::idf::RAREST;
use crate::language::Language;
use assay_text::runs::Edge;
use std::sync::{Arc, LazyLock, OnceLock};

/// Places for readings of a language; what finds none free is read again for each answer.
const PLACES: usize = 1 << 14;
/// Places in a row that a reading may stand in.
const TRIED: usize = 4;
/// Bytes of the longest run that is kept: it stands in its place.
const LONGEST: usize = 24;

/// A place for a reading. Texts ask for one after another in no order, so that each is one line of the processor's memory.
#[repr(align(64))]
struct Place(OnceLock<Kept>);

const _: () = assert!(size_of::<Place>() == 64);

/// The reading of a run of text, outside code, as one word of our lists.
pub(super) struct Kept {
    /// Hash of the run.
    key: u64,
    /// The run, with nothing behind it.
    run: [u8; LONGEST],
    word: Arc<Word>,
    /// Where the word begins in it.
    offset: usize,
    /// What it leaves behind.
    edge: Edge,
}

impl Kept {
    /// Writes its token, for a run that begins at `start`.
    pub(super) fn read(&'static self, start: usize, edge: &mut Edge, out: &mut Vec<Token>) {
        out.push(Token::new(Shared::Known(&self.word), start + self.offset, *edge));
        *edge = self.edge;
    }
}

/// Readings of one language, by the hash of their run.
pub(super) struct Known(Box<[Place]>);

static KNOWN: [LazyLock<Known>; 2] = [const { LazyLock::new(Known::new) }; 2];

/// Those of a language, English where it is unknown.
pub(super) fn known(language: Option<Language>) -> &'static Known {
    &KNOWN[usize::from(language == Some(Language::Spanish))]
}

impl Known {
    fn new() -> Self {
        Self((0..PLACES).map(|_| Place(OnceLock::new())).collect())
    }

    fn places(&self, key: u64) -> impl Iterator<Item = &OnceLock<Kept>> {
        // The low bits of such hashes tell them apart.
        #[allow(clippy::cast_possible_truncation)]
        let first = key as usize;
        (first..first.saturating_add(TRIED)).map(|place| &self.0[place % PLACES].0)
    }

    /// The reading of a run of text, outside code, if it is kept.
    pub(super) fn get(&self, key: u64, run: &str) -> Option<&Kept> {
        let padded = padded(run)?;
        let mut kept = self.places(key).map_while(OnceLock::get);
        kept.find(|kept| kept.key == key && kept.run == padded)
    }

    /// Keeps the reading of a run of text outside code; gives it back where it may not stay or finds no place.
    pub(super) fn keep(&self, key: u64, run: &str, reading: Reading) -> Option<Reading> {
        let Some(((offset, word), run)) = listed(&reading).zip(padded(run)) else { return Some(reading) };
        let word = Arc::clone(word);
        let mut kept = Kept { key, run, word, offset: *offset, edge: reading.edge };
        for place in self.places(key) {
            match place.set(kept) {
                Ok(()) => return None,
                Err(back) => kept = back,
            }
        }
        Some(reading)
    }
}

/// A run of as many bytes as are kept, filled up with nothing: no run holds a zero.
fn padded(run: &str) -> Option<[u8; LONGEST]> {
    let mut padded = [0; LONGEST];
    padded.get_mut(..run.len())?.copy_from_slice(run.as_bytes());
    Some(padded)
}

/// The word, with its offset, of a run that reads as one which some list knows.
fn listed(reading: &Reading) -> Option<&(usize, Arc<Word>)> {
    let listed = |word: &Word| word.weight < RAREST || word.flags != 0 || !word.others.is_empty();
    reading
        .word
        .as_ref()
        .filter(|(_, word)| reading.more.is_empty() && word.kind == TokenKind::Word && listed(word))
}

#[cfg(test)]
mod tests {
    use super::super::Tokenizer;
    use super::*;

    /// Whether the tokens of a text are kept, one by one.
    fn kept(text: &str, language: Option<Language>) -> Vec<bool> {
        let known = |token: &Token| matches!(token.word, Shared::Known(_));
        Tokenizer::new(language).tokens(text).iter().map(known).collect()
    }

    #[test]
    fn words_of_our_lists_are_kept_and_others_forgotten() {
        for _ in 0..2 {
            assert_eq!(
                kept("The pool closes qwxzjk9, Zyzzyva-Vault and `pool` twice.", None)[..4],
                [true, true, true, false]
            );
            assert_eq!(kept("hunter2hunter2 s3cr3tK3y 4711 kzrqvw", None), [false; 4]);
            assert_eq!(kept("La memoria se libera.", Some(Language::Spanish)), [true; 4]);
        }
    }

    #[test]
    fn what_is_kept_reads_as_it_did() {
        let text = "Connections close, the pool's rows don't. Rows: none! connections (Close) e.g. close: it";
        for language in [None, Some(Language::Spanish)] {
            let read = || {
                let tokens = Tokenizer::new(language).tokens(text);
                let said = |token: &Token| {
                    (token.text.clone(), token.stem, token.flags, token.after_break, token.opens, token.start)
                };
                tokens.iter().map(said).collect::<Vec<_>>()
            };
            assert_eq!(read(), read());
        }
    }
}
