//! Keeps routed messages for the training of heads. They wait in a bounded list for one writer, so that no answer waits
//! for the disk; what does not fit or cannot be written is counted and lost.

use std::sync::{Arc, Mutex, PoisonError};

use assay_rpc::task;
use assay_telemetry::names::metrics as names;
use tokio::sync::Notify;

use crate::classify::Classified;
use crate::ports::{Messages, RoutedMessage};
use crate::state::Request;

/// Messages that wait for the writer at most.
const WAITING: usize = 1_024;

/// Keeps routed messages.
pub(crate) struct Collector {
    store: Arc<dyn Messages>,
    /// Whether texts are kept, or only what was decided.
    texts: bool,
    waiting: Mutex<Vec<RoutedMessage>>,
    more: Notify,
    /// Held while messages are written.
    writing: tokio::sync::Mutex<()>,
}

impl Collector {
    pub(crate) fn new(store: Arc<dyn Messages>, texts: bool) -> Self {
        Self {
            store,
            texts,
            waiting: Mutex::default(),
            more: Notify::new(),
            writing: tokio::sync::Mutex::default(),
        }
    }

    /// Takes note of a decision.
    pub(crate) fn note(&self, request: &Request, classified: &Classified) {
        let (identity, route) = (request.context.identity(), &classified.route);
        if let Some((query_type, _)) = classified.shadow {
            let agrees = if query_type == route.query_type { "yes" } else { "no" };
            metrics::counter!(names::SHADOW_ROUTES_TOTAL, "agrees" => agrees).increment(1);
        }
        let session = request.question.session.as_ref().map(ToString::to_string).unwrap_or_default();
        let message = RoutedMessage {
            unix_ms: request.unix_ms,
            tenant: identity.tenant.clone(),
            principal: identity.principal.clone(),
            session,
            text: if self.texts { request.question.text.clone() } else { String::new() },
            query_type: route.query_type,
            layer: route.layer,
            probability: route.probability,
            shadow: classified.shadow,
        };
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.len() < WAITING {
            waiting.push(message);
            self.more.notify_one();
        } else {
            count("lost", 1);
        }
    }

    /// Writes what waits, until the task is aborted.
    pub(crate) async fn run(&self) {
        loop {
            self.more.notified().await;
            self.round().await;
        }
    }

    /// Writes what waits; when it returns, all that waited before is written.
    pub(crate) async fn round(&self) {
        let _one_at_a_time = self.writing.lock().await;
        let mut taken = std::mem::take(&mut *self.waiting.lock().unwrap_or_else(PoisonError::into_inner));
        if taken.is_empty() {
            return;
        }
        let messages = taken.len() as u64;
        let redacted = task::blocking(move || {
            taken.iter_mut().for_each(|one| one.text = assay_redact::redact(&one.text));
            taken
        });
        let kept = match redacted.await {
            Ok(redacted) => self.store.keep(redacted).await,
            Err(failure) => Err(failure.into()),
        };
        match kept {
            Ok(()) => count("kept", messages),
            Err(failure) => {
                tracing::warn!(%failure, messages, "messages were not collected");
                count("lost", messages);
            }
        }
    }

    /// Drops messages that are too old.
    pub(crate) async fn sweep(&self, now_ms: u64) {
        if let Err(failure) = self.store.sweep(now_ms).await {
            tracing::warn!(%failure, "collected messages that are too old were not dropped; it is tried again");
        }
    }
}

/// Makes the series, so that a rate over them is right from the first message on.
pub(crate) fn begin_counting() {
    count("kept", 0);
    count("lost", 0);
    for agrees in ["yes", "no"] {
        metrics::counter!(names::SHADOW_ROUTES_TOTAL, "agrees" => agrees).increment(0);
    }
}

fn count(outcome: &'static str, messages: u64) {
    metrics::counter!(names::COLLECTED_TOTAL, "outcome" => outcome).increment(messages);
}
