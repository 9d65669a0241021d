//! One build per collection over all processes: a document that says who builds, renewed while the build goes on.

use super::generation::Names;
use super::mapping;
use crate::corpus::Scope;
use crate::error::Error;
use assay_elastic::{Call, Client, Options};
use assay_rpc::{clock, entropy, task};
use serde::Deserialize;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

/// A build that was not renewed for so long, in milliseconds, is dead.
const DEAD_AFTER_MS: u64 = 60_000;
/// Time between two renewals.
const RENEW: Duration = Duration::from_secs(15);
/// Attempts to take the right, for one that is being given back.
const TRIES: u32 = 20;
/// Wait between two attempts.
const BETWEEN: Duration = Duration::from_millis(100);

/// The right to build a collection, renewed by a task of its own.
#[derive(Debug)]
pub(super) struct Lock {
    mark: Mark,
    collection: String,
    renewing: tokio::task::JoinHandle<()>,
}

/// The document, and the name under which this build writes it.
#[derive(Debug, Clone)]
struct Mark {
    client: Arc<Client>,
    path: String,
    owner: String,
}

#[derive(Deserialize)]
struct Held {
    #[serde(rename = "_seq_no")]
    sequence: u64,
    #[serde(rename = "_primary_term")]
    term: u64,
    #[serde(rename = "_source")]
    owner: Owner,
}

#[derive(Deserialize)]
struct Owner {
    owner: String,
    renewed_ms: u64,
}

impl Mark {
    async fn held(&self) -> Result<Option<Held>, Error> {
        match self.client.send(&Call::get(&self.path)).await {
            Ok(reply) => Ok(Some(reply.json()?)),
            Err(error) if error.is_missing() => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Writes the document if it is still the one that was read; says whether it was.
    async fn write(&self, read: Option<&Held>, now_ms: u64) -> Result<bool, Error> {
        let put = Call::put(&self.path).json(&json!({ "owner": self.owner, "renewed_ms": now_ms }));
        let put = match read {
            None => put.param("op_type", "create"),
            Some(held) => put.param("if_seq_no", held.sequence).param("if_primary_term", held.term),
        };
        match self.client.send(&put).await {
            Ok(_) => Ok(true),
            // A request that was sent twice meets its own document.
            Err(error) if error.is_conflict() => {
                Ok(self.held().await?.is_some_and(|held| held.owner.owner == self.owner))
            }
            Err(error) => Err(error.into()),
        }
    }

    async fn take(&self, now_ms: u64) -> Result<bool, Error> {
        let held = self.held().await?;
        let free =
            held.as_ref().is_none_or(|held| now_ms.saturating_sub(held.owner.renewed_ms) >= DEAD_AFTER_MS);
        if free { self.write(held.as_ref(), now_ms).await } else { Ok(false) }
    }

    /// Renews the document; says whether it was still this build's.
    async fn renew(&self) -> Result<bool, Error> {
        let held = self.held().await?.filter(|held| held.owner.owner == self.owner);
        Ok(held.is_some() && self.write(held.as_ref(), clock::unix_ms()).await?)
    }

    async fn give_back(&self) -> Result<(), Error> {
        let Some(held) = self.held().await?.filter(|held| held.owner.owner == self.owner) else {
            return Ok(());
        };
        let delete =
            Call::delete(&self.path).param("if_seq_no", held.sequence).param("if_primary_term", held.term);
        match self.client.send(&delete).await {
            Err(error) if !error.is_conflict() && !error.is_missing() => Err(error.into()),
            _ => Ok(()),
        }
    }
}

impl Lock {
    /// Takes the right; waits a moment for one that is being given back.
    ///
    /// # Errors
    /// `Busy` while another process builds the collection.
    pub(super) async fn take(
        client: Arc<Client>,
        options: &Options,
        names: &Names,
        scope: &Scope,
    ) -> Result<Self, Error> {
        let index = names.builds();
        make_index(&client, options, &index).await?;
        let path = format!("/{index}/_doc/{}", names.build(scope.collection()));
        let mark = Mark { client, path, owner: hex::encode(entropy::bytes16()) };
        for _ in 0..TRIES {
            if mark.take(clock::unix_ms()).await? {
                let renewing = task::detached(renew(mark.clone()));
                return Ok(Self { mark, collection: scope.collection().to_owned(), renewing });
            }
            tokio::time::sleep(BETWEEN).await;
        }
        Err(Error::Busy(scope.collection().to_owned()))
    }

    /// Makes sure that the right is still held.
    ///
    /// # Errors
    /// `Busy` if another process took this build for dead.
    pub(super) async fn confirm(&self) -> Result<(), Error> {
        if self.mark.renew().await? { Ok(()) } else { Err(Error::Busy(self.collection.clone())) }
    }

    /// Gives the right back before anything else goes on.
    pub(super) async fn give_back(&self) {
        self.renewing.abort();
        if let Err(error) = self.mark.give_back().await {
            tracing::warn!(%error, "the mark of an ended build stays; it counts as dead after a minute");
        }
    }
}

/// Renews a mark until somebody else holds it.
async fn renew(mark: Mark) {
    loop {
        tokio::time::sleep(RENEW).await;
        match mark.renew().await {
            Ok(true) => {}
            Ok(false) => return,
            Err(error) => tracing::warn!(%error, "a build could not be renewed; it is tried again"),
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        self.renewing.abort();
        if tokio::runtime::Handle::try_current().is_err() {
            return;
        }
        let mark = self.mark.clone();
        task::detached(async move {
            if let Err(error) = mark.give_back().await {
                tracing::debug!(%error, "the mark of an ended build stays; it counts as dead after a minute");
            }
        });
    }
}

/// Makes an index of documents that are read by id, if it is not there.
pub(super) async fn make_index(client: &Client, options: &Options, index: &str) -> Result<(), Error> {
    match client.send(&Call::put(&format!("/{index}")).json(&mapping::by_id(options))).await {
        Err(error) if !error.is_conflict() => Err(error.into()),
        _ => Ok(()),
    }
}
