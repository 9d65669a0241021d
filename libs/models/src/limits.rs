//! How much a model may use at once.

use crate::Error;

/// Bounds of one loaded model, over all its callers together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Most cores that work at once.
    pub cores: usize,
    /// Longest input in tokens, special ones included; the rest of a text is cut off.
    pub max_tokens: usize,
    /// Most tokens in one batch, padding included; bounds the memory of a core.
    pub batch_tokens: usize,
}

impl Default for Limits {
    /// Every core, 512 tokens, 2048 tokens a batch.
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Self { cores, max_tokens: 512, batch_tokens: 2048 }
    }
}

impl Limits {
    /// Refuses limits that cannot work.
    pub(crate) fn check(self) -> Result<Self, Error> {
        let wrong = |field, why| Err(Error::Limit { field, why });
        if self.cores == 0 {
            return wrong("cores", "at least one core is needed");
        }
        if self.max_tokens < 8 {
            return wrong("max_tokens", "at least 8 tokens are needed");
        }
        if self.batch_tokens == 0 {
            return wrong("batch_tokens", "at least one token is needed");
        }
        Ok(self)
    }
}
