//! Feature hashing: words and character n-grams, no model. A last resort that knows shared spelling, not meaning.

use crate::corpus::EmbeddingIdentity;
use crate::error::Error;
use crate::ports::{Embedder, Purpose};
use crate::text::{self, Language};
use async_trait::async_trait;

/// Components of a vector.
const DIMS: usize = 384;
/// Lengths of the character n-grams.
const GRAMS: std::ops::RangeInclusive<usize> = 3..=5;
/// Weight of an n-gram beside a word's 1.
const GRAM_WEIGHT: f32 = 0.25;

/// The hashing embedder.
#[derive(Debug, Clone)]
pub struct Hashing {
    identity: EmbeddingIdentity,
}

impl Default for Hashing {
    fn default() -> Self {
        Self {
            identity: EmbeddingIdentity {
                model: EmbeddingIdentity::HASHED.to_owned(),
                digest: format!("1+{}", text::ANALYSIS),
                dims: DIMS,
            },
        }
    }
}

#[async_trait]
impl Embedder for Hashing {
    fn identity(&self) -> &EmbeddingIdentity {
        &self.identity
    }

    async fn embed(&self, texts: Vec<String>, _: Purpose) -> Result<Vec<Vec<f32>>, Error> {
        assay_rpc::task::blocking(move || texts.iter().map(|text| vector(text)).collect())
            .await
            .map_err(|panic| Error::Internal(panic.to_string()))
    }
}

/// Signed feature hashing (Weinberger et al., ICML 2009) of stems and of the n-grams of `<word>`.
fn vector(text: &str) -> Vec<f32> {
    let mut out = vec![0.0_f32; DIMS];
    let mut add = |feature: &str, weight: f32| {
        let hash = fnv1a(feature.as_bytes());
        let place = usize::try_from(hash % DIMS as u64).unwrap_or(0);
        if let Some(slot) = out.get_mut(place) {
            *slot += if hash >> 63 == 0 { weight } else { -weight };
        }
    };
    let language = assay_text::detect(text).unwrap_or(Language::English);
    for token in text::tokens(text, language) {
        add(&token, 1.0);
        let framed: Vec<char> = format!("<{token}>").chars().collect();
        for length in GRAMS {
            for gram in framed.windows(length) {
                add(&gram.iter().collect::<String>(), GRAM_WEIGHT);
            }
        }
    }
    // Sublinear in the count of a feature, so that a repeated word does not own the text.
    for slot in &mut out {
        *slot = slot.signum() * slot.abs().ln_1p();
    }
    let norm = out.iter().map(|x| x * x).sum::<f32>().sqrt();
    if norm > 0.0 {
        out.iter_mut().for_each(|x| *x /= norm);
    } else if let Some(first) = out.first_mut() {
        // A text without words still has a unit vector.
        *first = 1.0;
    }
    out
}

/// FNV-1a, 64 bits, finished by an avalanche so that low and high bits are independent.
fn fnv1a(bytes: &[u8]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in bytes {
        hash ^= u64::from(*byte);
        hash = hash.wrapping_mul(0x0100_0000_01b3);
    }
    hash ^= hash >> 33;
    hash = hash.wrapping_mul(0xff51_afd7_ed55_8ccd);
    hash ^ (hash >> 33)
}
