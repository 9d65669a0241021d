//! Remembers the vectors of the last queries: a question is searched, classified and asked again.

use std::num::NonZero;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use lru::LruCache;

use crate::corpus::EmbeddingIdentity;
use crate::error::Error;
use crate::ports::{Embedder, Purpose};

/// Queries that are remembered: 1,024 vectors of 384 components take 1.5 MiB.
const REMEMBERED: NonZero<usize> = NonZero::new(1024).unwrap();
/// Longest query that is remembered, in bytes.
const MAX_BYTES: usize = 4096;

/// An embedder that does not embed a query twice.
pub(crate) struct Cached {
    inner: Arc<dyn Embedder>,
    known: Mutex<LruCache<String, Vec<f32>>>,
}

impl Cached {
    pub(crate) fn over(inner: Arc<dyn Embedder>) -> Self {
        Self { inner, known: Mutex::new(LruCache::new(REMEMBERED)) }
    }
}

#[async_trait]
impl Embedder for Cached {
    fn identity(&self) -> &EmbeddingIdentity {
        self.inner.identity()
    }

    async fn embed(&self, texts: Vec<String>, purpose: Purpose) -> Result<Vec<Vec<f32>>, Error> {
        if purpose == Purpose::Passage {
            return self.inner.embed(texts, purpose).await;
        }
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let found: Vec<Option<Vec<f32>>> = {
            let mut known = known();
            texts.iter().map(|text| known.get(text).cloned()).collect()
        };
        let asked: Vec<String> = texts
            .iter()
            .zip(&found)
            .filter(|(_, found)| found.is_none())
            .map(|(text, _)| text.clone())
            .collect();
        let made = if asked.is_empty() { Vec::new() } else { self.inner.embed(asked, purpose).await? };
        let mut made = made.into_iter();
        let mut out = Vec::with_capacity(texts.len());
        for (text, found) in texts.into_iter().zip(found) {
            let vector = match found {
                Some(vector) => vector,
                None => {
                    let lacking = || Error::Embedding("the model returned too few vectors".to_owned());
                    let vector = made.next().ok_or_else(lacking)?;
                    if text.len() <= MAX_BYTES {
                        known().put(text, vector.clone());
                    }
                    vector
                }
            };
            out.push(vector);
        }
        Ok(out)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::adapters::hashing::Hashing;
    use std::sync::atomic::{AtomicUsize, Ordering};

    struct Counted(Hashing, AtomicUsize);

    #[async_trait]
    impl Embedder for Counted {
        fn identity(&self) -> &EmbeddingIdentity {
            self.0.identity()
        }

        async fn embed(&self, texts: Vec<String>, purpose: Purpose) -> Result<Vec<Vec<f32>>, Error> {
            self.1.fetch_add(texts.len(), Ordering::Relaxed);
            self.0.embed(texts, purpose).await
        }
    }

    #[tokio::test]
    async fn a_query_is_embedded_once_and_passages_always() {
        let counted = Arc::new(Counted(Hashing::default(), AtomicUsize::new(0)));
        let cached = Cached::over(counted.clone());
        let texts = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let first = cached.embed(texts(&["a", "b"]), Purpose::Query).await.unwrap();
        let again = cached.embed(texts(&["b", "c", "a"]), Purpose::Query).await.unwrap();
        assert_eq!((&again[0], &again[2]), (&first[1], &first[0]));
        assert_eq!(counted.1.load(Ordering::Relaxed), 3);
        cached.embed(texts(&["a"]), Purpose::Passage).await.unwrap();
        assert_eq!(counted.1.load(Ordering::Relaxed), 4);
    }
}
