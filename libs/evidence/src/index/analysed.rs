//! Text that was tokenised for comparison.

use super::bloom::Bits;
use crate::language::Language;
use crate::numbers::Quantity;
use crate::readable::readable;
use crate::tokens::{Token, TokenKind, Tokenizer, Tokenizers, pair};
use crate::{flags, numbers, share, tags};
use std::ops::Range;
use std::sync::OnceLock;

/// Stems of content tokens and hashes of figures, sorted.
fn stems(tokens: &[Token], quantities: &[Quantity]) -> Vec<u64> {
    let mut stems: Vec<u64> = Vec::with_capacity(tokens.len() + 2 * quantities.len());
    stems.extend(tokens.iter().filter(|token| token.content()).map(|token| token.stem));
    stems.extend(quantities.iter().map(|quantity| numbers::hash(quantity.value)));
    stems.extend(quantities.iter().filter_map(|quantity| quantity.grouped).map(numbers::hash));
    stems.sort_unstable();
    stems.dedup();
    stems
}

/// A word with weight that is no figure and names nothing.
#[derive(Debug, Clone, Copy)]
pub struct Plain {
    /// Its place among the tokens.
    pub at: usize,
    /// Whether it says nothing by itself: what lacks it lacks nothing.
    pub idle: bool,
}

/// Text that was tokenised for comparison.
#[derive(Debug, Clone)]
pub struct Analysed {
    /// Tokens in order.
    pub tokens: Vec<Token>,
    /// Figures in order.
    pub quantities: Vec<Quantity>,
    /// Weight of each token.
    pub weights: Vec<f64>,
    /// Sum of the weights.
    pub mass: f64,
    /// Stems of content tokens and hashes of figures, sorted.
    pub stems: Vec<u64>,
    /// A bit for each of them: what has none is not among them.
    bits: Bits,
    /// Folded words between single spaces, with one at each end.
    pub flat: String,
    /// The bits that any of its words has; see [`flags`].
    flags: u64,
    /// Its language, if it tells.
    pub language: Option<Language>,
    /// Its plain words, once somebody asked.
    plain: OnceLock<Vec<Plain>>,
    /// Its roundabout figures and rates, once somebody asked.
    forms: OnceLock<Vec<Quantity>>,
    /// Hash of the folded word that weighs most, once somebody asked.
    rarest: OnceLock<Option<u64>>,
}

impl Analysed {
    /// Tokenises a text whose inline code stands between backticks.
    pub fn new(text: &str, language: Option<Language>) -> Self {
        Self::of(Tokenizer::new(language).tokens(&readable(text)), language, true)
    }

    /// A claim: words that only say where it comes from ("according to passage 2") weigh nothing.
    pub fn claim(text: &str, language: Option<Language>, tokenizers: &Tokenizers<'_>) -> Self {
        let mut words = Self::of(tokenizers.of(language).tokens(text), language, true);
        for at in 0..words.tokens.len() {
            let token = &words.tokens[at];
            let numbered =
                words.tokens.get(at + 1).is_some_and(|next| matches!(next.kind, TokenKind::Number(_)));
            let refers = token.is(flags::REFERENCE) || (numbered && token.is(flags::NUMBERED));
            if !refers {
                continue;
            }
            words.weights[at] = 0.0;
            let mut next = at + 1;
            while let Some(token) = words.tokens.get(next) {
                match token.kind {
                    TokenKind::Number(_) | TokenKind::Path => words.weights[next] = 0.0,
                    _ if token.stop => {}
                    _ => break,
                }
                next += 1;
            }
        }
        words.mass = words.weights.iter().sum();
        words
    }

    pub(super) fn of(mut tokens: Vec<Token>, language: Option<Language>, flattened: bool) -> Self {
        tags::tag(&mut tokens);
        let quantities = numbers::quantities(&tokens);
        let weights = tokens.iter().map(|token| token.weight).collect();
        Self::made(tokens, quantities, weights, language, flattened)
    }

    /// From tokens that know their neighbours, and from what was read of them.
    fn made(
        tokens: Vec<Token>,
        quantities: Vec<Quantity>,
        weights: Vec<f64>,
        language: Option<Language>,
        flattened: bool,
    ) -> Self {
        let stems = stems(&tokens, &quantities);
        let bits = stems.iter().copied().collect();
        let mut flat = String::new();
        if flattened {
            // About as much as the text.
            flat.reserve(
                tokens.last().map_or(1, |last| last.start + last.norm.len() + 2)
                    - tokens.first().map_or(0, |first| first.start),
            );
            flat.push(' ');
            for token in &tokens {
                flat.push_str(&token.norm);
                flat.push(' ');
            }
        }
        Self {
            mass: weights.iter().sum(),
            flags: tokens.iter().fold(0, |flags, token| flags | token.flags),
            tokens,
            quantities,
            weights,
            stems,
            bits,
            flat,
            language,
            plain: OnceLock::new(),
            forms: OnceLock::new(),
            rarest: OnceLock::new(),
        }
    }

    /// A stretch of it by itself, with the weights that its tokens have here; `flat` is left empty.
    pub fn part(&self, range: Range<usize>) -> Self {
        let mut tokens = self.tokens.get(range.clone()).unwrap_or_default().to_vec();
        tags::tag(&mut tokens);
        // Its figures are those that it has here, where they may have been read as the sources have them.
        let inside =
            self.quantities.iter().filter(|figure| range.contains(&figure.first) && figure.last < range.end);
        let moved = |figure: &Quantity| Quantity {
            first: figure.first - range.start,
            last: figure.last - range.start,
            ..figure.clone()
        };
        let quantities = inside.map(moved).collect();
        let weights = self.weights.get(range.clone()).unwrap_or_default().to_vec();
        Self::made(tokens, quantities, weights, self.language, false)
    }

    /// Forgets what was read of figures that are no longer its own.
    pub fn forget(&mut self) {
        (self.plain, self.forms) = (OnceLock::new(), OnceLock::new());
    }

    /// Lists its stems anew, after some of its tokens and figures were given others.
    pub fn restem(&mut self) {
        self.stems = stems(&self.tokens, &self.quantities);
        self.bits = self.stems.iter().copied().collect();
        self.forget();
    }

    /// Whether some word of it has a bit; see [`flags`].
    pub fn any_is(&self, flag: u64) -> bool {
        self.flags & flag != 0
    }

    /// Its plain words, in order.
    pub fn plain(&self) -> &[Plain] {
        self.plain.get_or_init(|| share::plain(self))
    }

    /// Its roundabout figures and rates; see [`crate::forms`].
    pub fn forms(&self) -> &[Quantity] {
        self.forms.get_or_init(|| crate::forms::forms(self))
    }

    /// Hash of the folded word that weighs most: the first to ask for where all are wanted.
    pub fn rarest(&self) -> Option<u64> {
        *self.rarest.get_or_init(|| {
            let weighed = self.tokens.iter().zip(&self.weights);
            weighed.max_by(|one, two| one.1.total_cmp(two.1)).map(|(token, _)| token.folded)
        })
    }

    /// Whether a content stem or figure stands in it.
    pub fn holds(&self, stem: u64) -> bool {
        self.bits.may_hold(stem) && self.stems.binary_search(&stem).is_ok()
    }

    /// Whether the stem of a token of any text, or a word that may stand for it, is in it.
    pub fn says_token(&self, token: &Token) -> bool {
        self.holds(token.stem) || token.others().iter().any(|other| self.holds(*other))
    }

    /// Whether a stem, or a word that may stand for it, is in it.
    pub fn says(&self, stem: u64) -> bool {
        self.holds(stem) || crate::lexicon::synonyms(stem).iter().any(|other| self.holds(*other))
    }

    /// Hashes of neighbouring token pairs.
    pub fn bigrams(&self) -> impl Iterator<Item = u64> + '_ {
        self.tokens.windows(2).map(|two| pair(two[0].stem, two[1].stem))
    }

    /// Hashes of three neighbouring tokens.
    pub fn trigrams(&self) -> impl Iterator<Item = u64> + '_ {
        self.tokens.windows(3).map(|three| pair(pair(three[0].stem, three[1].stem), three[2].stem))
    }
}
