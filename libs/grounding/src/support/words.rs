//! The content words of a claim and how far all sources hold them.

use super::Support;
use crate::frames;
use crate::language;
use crate::select::Scope;
use crate::tokens::TokenKind;

/// A content word of a claim.
#[derive(Debug, Clone, PartialEq)]
pub struct ClaimWord {
    /// As written.
    pub text: String,
    /// Its stem; the folded name for what is no word.
    pub stem: String,
    /// How rare it is; above 0.
    pub weight: f64,
    /// Whether it is a word: no number, name or path.
    pub word: bool,
    /// Whether some source holds it.
    pub held: bool,
    /// Whether some source holds a word that begins alike.
    pub begun: bool,
    /// Number of its clause, by punctuation.
    pub clause: usize,
}

impl Support<'_> {
    /// The content words of a claim and how far all sources hold them: what the table of added words is fitted on.
    #[must_use]
    pub fn words(&self, claim: &str) -> Vec<ClaimWord> {
        let bare = frames::bare(claim);
        let claim = bare.as_ref();
        let words = self.read(claim, language::detect(claim).or(self.language));
        let tokenizer = self.tokenizers.of(words.language.or(self.language));
        let scope = Scope::all(self.index);
        let mut clause = 0;
        let mut found = Vec::new();
        for (token, weight) in words.tokens.iter().zip(&words.weights) {
            clause += usize::from(token.after_break && token.start > 0);
            if *weight <= 0.0 {
                continue;
            }
            let word = token.kind == TokenKind::Word;
            let held = scope.has(self.index, token.stem);
            let begun =
                held || scope.any(self.index, |passage| passage.prefixes.contains(&token.prefix), |_| false);
            let stem = if word { tokenizer.stem(&token.norm).into_owned() } else { token.norm.to_string() };
            found.push(ClaimWord {
                text: token.text.to_string(),
                stem,
                weight: *weight,
                word,
                held,
                begun,
                clause,
            });
        }
        found
    }
}
