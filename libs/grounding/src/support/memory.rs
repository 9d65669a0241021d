//! Caches the judgement of each claim within an attempt, so that the whole draft reuses that of its segments.

use super::judged::{Judged, Wanted};
use crate::language::Language;
use assay_domain::evidence::LineRange;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock};

/// Bytes of claims and of the evidence for them that are remembered: more than a page of answer has. What comes behind is judged
/// again.
const MOST: usize = 1 << 20;

/// What a judgement follows from, beside the sources, the question and the policy of the attempt.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Asked {
    pub(super) claim: String,
    pub(super) cited: Vec<(usize, Option<LineRange>)>,
    pub(super) wanted: Wanted,
    pub(super) language: Option<Language>,
}

/// Judgements with the bytes that they hold.
#[derive(Debug, Default)]
struct Kept {
    judged: HashMap<Asked, Judged>,
    bytes: usize,
}

impl Kept {
    fn keep(&mut self, asked: Asked, judged: &Judged) {
        let quoted: usize = judged.evidence.iter().map(|evidence| evidence.text.len()).sum();
        let bytes = asked.claim.len() + judged.reason.len() + quoted;
        if self.bytes + bytes <= MOST {
            self.bytes += bytes;
            self.judged.insert(asked, judged.clone());
        }
    }
}

/// Judgements of one attempt, shared by its clones. Nothing is kept before somebody says that it will be asked again.
#[derive(Debug, Clone, Default)]
pub(crate) struct Memory(Arc<OnceLock<Mutex<Kept>>>);

impl Memory {
    /// Keeps what is judged from now on.
    pub(crate) fn open(&self) {
        self.0.get_or_init(Mutex::default);
    }

    /// What was found before, or is found now.
    pub(super) fn or_judge(&self, asked: impl FnOnce() -> Asked, judge: impl FnOnce() -> Judged) -> Judged {
        let Some(kept) = self.0.get() else { return judge() };
        let asked = asked();
        if let Some(judged) = kept.lock().ok().and_then(|kept| kept.judged.get(&asked).cloned()) {
            return judged;
        }
        // Nobody waits while a claim is judged.
        let judged = judge();
        if let Ok(mut kept) = kept.lock() {
            kept.keep(asked, &judged);
        }
        judged
    }
}
