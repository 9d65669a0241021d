//! What reading figures asks of a token: whoever cuts a text into tokens implements it.

use assay_text::shape::TokenKind;

/// A token of a text.
pub trait Token {
    /// As written.
    fn text(&self) -> &str;
    /// Folded: lower case without accents.
    fn norm(&self) -> &str;
    /// Its kind; a number has its value.
    fn kind(&self) -> TokenKind;
    /// Hash of its stem.
    fn stem(&self) -> u64;
    /// Byte offset in the text.
    fn start(&self) -> usize;
    /// Whether it begins with a capital.
    fn capital(&self) -> bool;
    /// Whether punctuation that ends a clause stands before it.
    fn after_break(&self) -> bool;
    /// Whether it carries content; function words carry none.
    fn content(&self) -> bool;
    /// Whether it denies what follows: "not", "never".
    fn denies(&self) -> bool;
    /// Whether it is written to the token before, with nothing or a mark between: the unit of "30s".
    fn joined(&self) -> bool;
    /// Whether it goes on the figure before it: the groups of "50 000", the part of "4 1/2".
    fn continues(&self) -> bool;
    /// Whether a figure may begin with it; see [`crate::Begins::counts`].
    fn counts(&self) -> bool;
    /// Whether a roundabout figure may begin with it; see [`crate::Begins::measures`].
    fn measures(&self) -> bool;
}

/// Which figures may begin with a word: known from the word alone, so that it is asked once a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Begins {
    /// A figure: digits, a number word, or an article.
    pub counts: bool,
    /// A roundabout figure: the same, a part, or a unit.
    pub measures: bool,
    /// A text without such a word has no roundabout figure.
    pub amount: bool,
}
