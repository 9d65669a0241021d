//! What a token is: a word that was read through, and its place in a text.

use super::TokenKind;
use crate::index::bloom::bit;
use crate::lexicon::{self, Beginning};
use crate::quantifiers::class::Quantifier;
use assay_text::runs::Edge;
use std::sync::Arc;

/// A string that its clones share.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Text(Arc<str>);

impl Text {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::ops::Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for Text {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(&self.0)
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self(text.into())
    }
}

impl<T: AsRef<str> + ?Sized> PartialEq<&T> for Text {
    fn eq(&self, other: &&T) -> bool {
        &*self.0 == other.as_ref()
    }
}

impl PartialEq<str> for Text {
    fn eq(&self, other: &str) -> bool {
        &*self.0 == other
    }
}

/// What is the same wherever a token is written so: made once for all places in the texts of an answer. What every token
/// takes over from it stands in front and side by side: a text asks for its words in no order, and each line of memory counts.
#[derive(Debug, Clone, PartialEq)]
#[repr(C)]
pub struct Word {
    /// Hash of the stem, of the number's value, or of the folded name.
    pub stem: u64,
    /// Hash of the folded word.
    pub folded: u64,
    /// What it is.
    pub kind: TokenKind,
    /// What lists know of it; see [`crate::flags`].
    pub flags: u64,
    /// Stems that may stand for its stem, sorted; none where it has no content.
    pub others: &'static [u64],
    /// A bit for each of `others`: what has none is not among them.
    pub(super) kin: u64,
    /// Whether it has no content of its own.
    pub stop: bool,
    /// Whether it begins with a capital.
    pub capital: bool,
    /// Whether it stands in inline code.
    pub code: bool,
    /// Whether it may stand for other words, also where it has no content of its own.
    pub(super) stands: bool,
    /// How rare it is.
    pub weight: f64,
    /// The phrases that begin with it and read as one word.
    pub(super) leads: Option<&'static Beginning>,
    /// Hash of the first five characters of the folded word.
    pub prefix: u64,
    /// As written.
    pub text: Text,
    /// Lower case without accents.
    pub norm: Text,
    /// The one word that a phrase reads as which it stands for.
    pub phrase: Option<&'static str>,
}

/// A word that many tokens are: made for the texts of an answer, or known before.
#[derive(Debug, Clone)]
pub(super) enum Shared {
    Made(Arc<Word>),
    Known(&'static Word),
}

impl std::ops::Deref for Shared {
    type Target = Word;

    fn deref(&self) -> &Word {
        match self {
            Self::Made(word) => word,
            Self::Known(word) => word,
        }
    }
}

/// A token: a word, read through, and its place. What is asked of it again and again stands in it, once it is part of an
/// [`crate::index::Analysed`]; nobody needs to look for it in lists.
#[derive(Debug, Clone)]
pub struct Token {
    pub(super) word: Shared,
    /// The word's stem.
    pub stem: u64,
    /// The word's kind.
    pub kind: TokenKind,
    /// Hash of the folded word.
    pub folded: u64,
    /// Whether it has no content of its own.
    pub stop: bool,
    /// Whether it begins with a capital.
    pub capital: bool,
    /// What lists know of the word; see [`crate::flags`].
    pub flags: u64,
    /// Whether it denies what follows; see [`crate::rules::mark`].
    pub negates: bool,
    /// Whether it is a proper name.
    pub entity: bool,
    /// Stems that may stand for its own, sorted; none where it has no content.
    others: &'static [u64],
    /// A bit for each of them: what has none is not among them.
    kin: u64,
    /// Its quantifier or modal class.
    pub class: Option<Quantifier>,
    /// Whether punctuation that ends a clause stands before it.
    pub after_break: bool,
    /// Whether a sentence, a label or a quotation begins with it: a capital says nothing there.
    pub opens: bool,
    /// Byte offset in the text.
    pub start: usize,
}

impl std::ops::Deref for Token {
    type Target = Word;

    fn deref(&self) -> &Word {
        &self.word
    }
}

impl Token {
    /// A token of a word at a place, behind an edge.
    pub(super) fn new(word: Shared, start: usize, before: Edge) -> Self {
        Self {
            stem: word.stem,
            kind: word.kind,
            folded: word.folded,
            stop: word.stop,
            capital: word.capital,
            flags: word.flags,
            negates: false,
            entity: false,
            others: word.others,
            kin: word.kin,
            class: None,
            after_break: before.after_break,
            opens: before.opens,
            start,
            word,
        }
    }

    /// Makes it be read as another word is: its stem becomes that one's.
    pub fn read_as_stem(&mut self, stem: u64) {
        self.stem = stem;
        (self.others, self.kin) = if stem == self.word.stem {
            (self.word.others, self.word.kin)
        } else {
            (lexicon::synonyms(stem), u64::MAX)
        };
    }

    /// Gives it a word that was made for it, with what that is read as.
    pub(super) fn becomes(&mut self, word: Word) {
        (self.stem, self.stop, self.flags) = (word.stem, word.stop, word.flags);
        (self.others, self.kin) = (word.others, word.kin);
        self.word = Shared::Made(Arc::new(word));
    }

    /// Whether it carries content: a word that is no function word, a number, a name.
    pub fn content(&self) -> bool {
        !self.stop
    }

    /// Whether a list knows its word.
    pub fn is(&self, flag: u64) -> bool {
        self.flags & flag != 0
    }

    /// Whether it is the same as a token of content, or one that may stand for it; for tokens of content.
    pub fn means(&self, other: &Self) -> bool {
        self.stem == other.stem
            || self.kin & bit(other.stem) != 0 && self.others.binary_search(&other.stem).is_ok()
    }

    /// Whether its stem may be among the `others` of any word.
    pub fn stands(&self) -> bool {
        self.word.stands || self.stem != self.word.stem
    }

    /// Stems that may stand for its own, sorted; none where it has no content.
    pub fn others(&self) -> &'static [u64] {
        self.others
    }

    /// Whether it is a group of digits as they stand in "50 000".
    pub(super) fn is_group(&self) -> bool {
        self.text.len() <= 3 && self.text.bytes().all(|b| b.is_ascii_digit())
    }

    /// Whether nothing but a space stands between it and the one before it, of those that group digits.
    pub(super) fn follows(&self, before: &Self, text: &str) -> bool {
        let between = text.get(before.start + before.text.len()..self.start);
        matches!(between, Some(" " | "\u{a0}" | "\u{2009}" | "\u{202f}"))
    }

    /// Whether it is a name of code, a path or an address.
    pub fn named(&self) -> bool {
        matches!(self.kind, TokenKind::Name | TokenKind::Path | TokenKind::Url)
    }
}
