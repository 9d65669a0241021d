//! The tokenizer of a model: texts and pairs of texts become rows of token ids, cut at the model's length.

use crate::{Error, Stop};
use std::path::PathBuf;
use tokenizers::{EncodeInput, Encoding, Tokenizer, TruncationParams, TruncationStrategy};

/// Texts that are cut between two questions whether to stop.
const STRIDE: usize = 64;
/// Names under which tokenizers know the token that fills short rows.
const PADS: [&str; 3] = ["[PAD]", "<pad>", "<|padding|>"];

/// A tokenizer that cuts at one length.
pub(crate) struct Tokens {
    tokenizer: Tokenizer,
    pad: u32,
    longest: usize,
}

impl Tokens {
    /// Reads the bytes of a `tokenizer.json`, with its path. `pad` is what the configuration says of the filling token;
    /// `cut` says which text of a pair gives way.
    pub(crate) fn of(
        (path, bytes): (PathBuf, Vec<u8>),
        max_tokens: usize,
        pad: Option<u32>,
        cut: TruncationStrategy,
    ) -> Result<Self, Error> {
        let wrong = |why: tokenizers::Error| Error::Tokenizer { path: path.clone(), why: why.to_string() };
        let mut tokenizer = Tokenizer::from_bytes(bytes).map_err(wrong)?;
        let own = tokenizer.get_padding().map(|padding| padding.pad_id);
        let named = || PADS.iter().find_map(|name| tokenizer.token_to_id(name));
        let pad = own.or(pad).or_else(named).unwrap_or(0);
        tokenizer.with_padding(None);
        let cut = TruncationParams { max_length: max_tokens, strategy: cut, ..TruncationParams::default() };
        tokenizer.with_truncation(Some(cut)).map_err(wrong)?;
        Ok(Self { tokenizer, pad, longest: max_tokens })
    }

    /// Token that fills short rows.
    pub(crate) fn pad(&self) -> u32 {
        self.pad
    }

    /// Longest row, special tokens included.
    pub(crate) fn longest(&self) -> usize {
        self.longest
    }

    /// One row an input, in order, cut at the longest length.
    ///
    /// # Errors
    /// [`Error::Text`] names the input that cannot be cut; [`Error::Stopped`].
    pub(crate) fn encode<'t>(
        &self,
        inputs: impl ExactSizeIterator<Item = EncodeInput<'t>>,
        stop: Stop<'_>,
    ) -> Result<Vec<Encoding>, Error> {
        let mut out = Vec::with_capacity(inputs.len());
        for (place, input) in inputs.enumerate() {
            if place % STRIDE == 0 && stop() {
                return Err(Error::Stopped);
            }
            let found = self.tokenizer.encode(input, true);
            out.push(found.map_err(|why| Error::Text { place, why: why.to_string() })?);
        }
        Ok(out)
    }

    /// The beginning of a text that has at most so many tokens, special ones not counted.
    ///
    /// # Errors
    /// [`Error::Text`]
    pub(crate) fn cut<'t>(&self, text: &'t str, most: usize) -> Result<&'t str, Error> {
        // A token has a byte at least.
        if text.len() < most {
            return Ok(text);
        }
        let found = self.tokenizer.encode(text, false);
        let found = found.map_err(|why| Error::Text { place: 0, why: why.to_string() })?;
        if found.len() <= most {
            return Ok(text);
        }
        let end =
            most.checked_sub(1).and_then(|last| found.get_offsets().get(last)).map_or(0, |piece| piece.1);
        Ok(text.get(..text.floor_char_boundary(end)).unwrap_or(text))
    }
}
