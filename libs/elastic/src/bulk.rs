//! Bulk writes: documents are collected and sent together; the caller waits while the cluster works.

use crate::client::{Attempts, Call, Client, told_error};
use crate::error::{Error, busy};
use bytes::Bytes;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;

/// Size at which a batch is sent, in bytes.
const BATCH_BYTES: usize = 4 << 20;
/// Documents at which a batch is sent.
const BATCH_DOCUMENTS: usize = 1000;
/// Attempts of a batch: a cluster under load answers 429 for a while.
const ATTEMPTS: u32 = 12;

/// Documents on their way to one index.
#[derive(Debug)]
pub struct Bulk {
    client: Arc<Client>,
    path: String,
    waiting: Vec<Document>,
    bytes: usize,
}

#[derive(Debug, Clone)]
struct Document {
    id: String,
    /// Action and source, each a line.
    lines: Bytes,
}

#[derive(Deserialize)]
struct Told {
    #[serde(default)]
    items: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    index: Outcome,
}

#[derive(Deserialize)]
struct Outcome {
    status: u16,
    #[serde(default)]
    error: Value,
}

impl Bulk {
    /// Writes to an index.
    #[must_use]
    pub fn new(client: Arc<Client>, index: &str) -> Self {
        Self { client, path: format!("/{index}/_bulk"), waiting: Vec::new(), bytes: 0 }
    }

    /// Adds or replaces a document; sends what is collected once it is much.
    ///
    /// # Errors
    /// See [`Bulk::flush`].
    pub async fn index(&mut self, id: &str, document: &Value) -> Result<(), Error> {
        let lines = Bytes::from(format!("{}\n{document}\n", json!({ "index": { "_id": id } })));
        self.bytes += lines.len();
        self.waiting.push(Document { id: id.to_owned(), lines });
        if self.bytes >= BATCH_BYTES || self.waiting.len() >= BATCH_DOCUMENTS {
            self.flush().await?;
        }
        Ok(())
    }

    /// Sends what is collected. What the cluster is too busy for is sent again, and nothing else of the batch.
    ///
    /// # Errors
    /// `Documents` for documents that are not taken, what [`Client::send`] says of the request.
    pub async fn flush(&mut self) -> Result<(), Error> {
        self.bytes = 0;
        let mut batches = vec![std::mem::take(&mut self.waiting)];
        while let Some(batch) = batches.pop().filter(|batch| !batch.is_empty()) {
            match self.send(&batch).await {
                Err(Error::TooLarge { .. }) if batch.len() > 1 => {
                    let (first, second) = batch.split_at(batch.len() / 2);
                    batches.extend([second.to_vec(), first.to_vec()]);
                }
                done => done?,
            }
        }
        Ok(())
    }

    async fn send(&self, batch: &[Document]) -> Result<(), Error> {
        let mut left: Vec<&Document> = batch.iter().collect();
        let mut attempts = Attempts::new(ATTEMPTS);
        loop {
            match self.once(&mut left).await {
                Err(error) if attempts.again(&error).await => {}
                done => return done,
            }
        }
    }

    /// Sends documents once; those that were taken are left no more.
    async fn once(&self, left: &mut Vec<&Document>) -> Result<(), Error> {
        let mut body = Vec::with_capacity(left.iter().map(|document| document.lines.len()).sum());
        left.iter().for_each(|document| body.extend_from_slice(&document.lines));
        let call = Call::post(&self.path)
            .param("filter_path", "items.*.status,items.*.error")
            .lines(Bytes::from(body));
        let told: Told = self.client.once(&call).await?.json()?;
        if told.items.len() != left.len() {
            return Err(Error::Unreadable(format!(
                "{} outcomes for {} documents",
                told.items.len(),
                left.len()
            )));
        }
        let outcomes = told.items.into_iter().map(|item| item.index);
        let failed: Vec<(&Document, Outcome)> =
            left.drain(..).zip(outcomes).filter(|(_, outcome)| outcome.status >= 300).collect();
        left.extend(failed.iter().map(|(document, _)| *document));
        let mut refused = failed.iter().filter(|(_, outcome)| !busy(outcome.status)).peekable();
        if let Some((document, outcome)) = refused.peek() {
            let (kind, reason) = told_error(&outcome.error, &[]);
            let (id, reason) = (document.id.clone(), format!("{kind}: {reason}"));
            return Err(Error::Documents { count: refused.count(), id, reason });
        }
        match failed.first() {
            None => Ok(()),
            Some((_, outcome)) => {
                let (kind, reason) = told_error(&outcome.error, &[]);
                Err(Error::Refused { status: outcome.status, path: self.path.clone(), kind, reason })
            }
        }
    }
}
