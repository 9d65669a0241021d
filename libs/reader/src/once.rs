//! The reader of one request: every pair is read once, and no more pairs than its budget allows.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use assay_domain::reader::{ReaderIdentity, Reading, Window};
use assay_rpc::Context;
use async_trait::async_trait;
use sha2::{Digest as _, Sha256};

use crate::port::{Missing, Question, Reader, Statement};

/// SHA-256 over what was asked of a pair.
type Key = [u8; 32];

/// A reader that remembers what it read, for as long as one request lasts.
#[derive(Debug)]
pub struct Once {
    reader: Arc<dyn Reader>,
    memory: Mutex<Memory>,
}

#[derive(Debug, Default)]
struct Memory {
    readings: HashMap<Key, Reading>,
    answers: HashMap<Key, f64>,
    /// Pairs that were read, whatever came of it.
    spent: usize,
}

impl Once {
    /// The reader of a new request.
    #[must_use]
    pub fn new(reader: Arc<dyn Reader>) -> Self {
        Self { reader, memory: Mutex::default() }
    }

    fn memory(&self) -> std::sync::MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes what is left of the budget, at most so many pairs.
    fn spend(&self, wanted: usize) -> usize {
        let mut memory = self.memory();
        let granted = wanted.min(self.reader.budget().saturating_sub(memory.spent));
        memory.spent += granted;
        granted
    }
}

/// What is asked of a pair, as a key. Lengths stand in front, so that no two pairs have the same bytes.
fn key((window, text): &(Window, String)) -> Key {
    let mut hash = Sha256::new();
    hash.update([u8::from(window.joined)]);
    for part in [&window.text, text] {
        hash.update(part.len().to_le_bytes());
        hash.update(part.as_bytes());
    }
    hash.finalize().into()
}

/// The pairs whose key is not known yet, each once, with its key.
fn fresh<'p, T>(
    pairs: &'p [(Window, String)],
    keys: &[Key],
    known: &HashMap<Key, T>,
) -> Vec<(Key, &'p (Window, String))> {
    let mut seen = std::collections::HashSet::new();
    let all = keys.iter().copied().zip(pairs);
    all.filter(|(key, _)| !known.contains_key(key) && seen.insert(*key)).collect()
}

/// What is known of each pair now, beside what failed.
fn told<T: Copy>(
    keys: &[Key],
    known: &HashMap<Key, T>,
    failed: &HashMap<Key, Missing>,
) -> Vec<Result<T, Missing>> {
    let missing = |key: &Key| failed.get(key).cloned().unwrap_or(Missing::Budget);
    keys.iter().map(|key| known.get(key).copied().ok_or_else(|| missing(key))).collect()
}

#[async_trait]
impl Reader for Once {
    fn identity(&self) -> &ReaderIdentity {
        self.reader.identity()
    }

    fn budget(&self) -> usize {
        self.reader.budget()
    }

    async fn read(&self, context: &Context, pairs: &[(Window, Statement)]) -> Vec<Result<Reading, Missing>> {
        let keys: Vec<Key> = pairs.iter().map(key).collect();
        let mut fresh = fresh(pairs, &keys, &self.memory().readings);
        fresh.truncate(self.spend(fresh.len()));
        let asked: Vec<(Window, Statement)> = fresh.iter().map(|(_, pair)| (*pair).clone()).collect();
        let said = if asked.is_empty() { Vec::new() } else { self.reader.read(context, &asked).await };
        let mut failed = HashMap::new();
        let mut memory = self.memory();
        for ((key, _), said) in fresh.into_iter().zip(said) {
            match said {
                Ok(reading) => drop(memory.readings.insert(key, reading)),
                Err(missing) => drop(failed.insert(key, missing)),
            }
        }
        told(&keys, &memory.readings, &failed)
    }

    async fn answers(&self, context: &Context, pairs: &[(Window, Question)]) -> Vec<Result<f64, Missing>> {
        let keys: Vec<Key> = pairs.iter().map(key).collect();
        let mut fresh = fresh(pairs, &keys, &self.memory().answers);
        fresh.truncate(self.spend(fresh.len()));
        let asked: Vec<(Window, Question)> = fresh.iter().map(|(_, pair)| (*pair).clone()).collect();
        let said = if asked.is_empty() { Vec::new() } else { self.reader.answers(context, &asked).await };
        let mut failed = HashMap::new();
        let mut memory = self.memory();
        for ((key, _), said) in fresh.into_iter().zip(said) {
            match said {
                Ok(probability) => drop(memory.answers.insert(key, probability)),
                Err(missing) => drop(failed.insert(key, missing)),
            }
        }
        told(&keys, &memory.answers, &failed)
    }
}
