//! Sessions in an Elasticsearch cluster, which all routers share: one document a session, replaced as a whole if
//! nobody else replaced it first.

use std::sync::Arc;
use std::time::Duration;

use assay_domain::question::HistoryEntry;
use assay_domain::{Code, Failure, Identity, QueryType, SessionId};
use assay_elastic::{Call, Client, Error, Options};
use assay_routing::HISTORY_KEPT;
use async_trait::async_trait;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tokio::sync::OnceCell;

use crate::adapters::stored_turn::{TURNS_KEPT, decode, encode};
use crate::error::{corrupt, no_session};
use crate::ports::{Session, Sessions, Trace, Traces, Turn};

const NAME: &str = "the sessions";
/// Longest time for a session while a question waits. A cluster without a master lets each write wait for a minute.
const PATIENCE: Duration = Duration::from_secs(5);
/// Sessions that one search of [`ElasticSessions::remove`] finds.
const PAGE: u32 = 1000;

/// Sessions in a cluster.
#[derive(Debug)]
pub struct ElasticSessions {
    client: Arc<Client>,
    options: Options,
    index: String,
    idle_ms: u64,
    per_principal: u32,
    patience: Duration,
    made: OnceCell<()>,
}

/// A session as it is stored.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Stored {
    tenant: String,
    principal: String,
    used_ms: u64,
    version: u64,
    /// Not indexed: what was said.
    kept: Kept,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Kept {
    history: Vec<Entry>,
    turns: Vec<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Entry {
    query_type: String,
    topic: String,
}

/// A stored session with what a compare-and-set names.
#[derive(Deserialize)]
struct Found {
    #[serde(rename = "_seq_no")]
    sequence: u64,
    #[serde(rename = "_primary_term")]
    term: u64,
    #[serde(rename = "_source")]
    stored: Stored,
}

#[derive(Deserialize)]
struct Hits {
    hits: Inner,
}

#[derive(Deserialize)]
struct Inner {
    hits: Vec<Hit>,
}

#[derive(Deserialize)]
struct Hit {
    #[serde(rename = "_id")]
    id: String,
    #[serde(rename = "_seq_no")]
    sequence: u64,
    #[serde(rename = "_primary_term")]
    term: u64,
}

fn failed(error: Error) -> Failure {
    Failure::new(Code::Unavailable, format!("{NAME}: {error}")).field("router.elasticsearch")
}

/// Id of the document of a session.
fn document(tenant: &str, id: &str) -> String {
    let mut hash = Sha256::new();
    for part in [tenant, id] {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hex::encode(hash.finalize())
}

impl ElasticSessions {
    /// Uses the cluster. A session is forgotten after `idle_ms` milliseconds without a turn; a principal has at most
    /// `per_principal`.
    #[must_use]
    pub fn new(client: Arc<Client>, options: &Options, idle_ms: u64, per_principal: u32) -> Self {
        let index = format!("{}-sessions", options.prefix);
        Self {
            client,
            options: options.clone(),
            index,
            idle_ms,
            per_principal,
            patience: PATIENCE,
            made: OnceCell::new(),
        }
    }

    /// With another longest time for a session while a question waits.
    #[must_use]
    pub fn patience(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    /// What a question waits for, within its time.
    async fn within<T>(&self, work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
        tokio::time::timeout(self.patience, work).await.unwrap_or_else(|_| {
            let seconds = self.patience.as_secs_f64();
            Err(failed(Error::Unreachable(format!("no answer within {seconds} s"))))
        })
    }

    /// Makes the index, once a process.
    async fn made(&self) -> Result<(), Failure> {
        let make = || async {
            let body = json!({
                "settings": { "number_of_shards": 1, "number_of_replicas": self.options.replicas },
                "mappings": { "dynamic": "strict", "properties": {
                    "tenant": { "type": "keyword" },
                    "principal": { "type": "keyword" },
                    "used_ms": { "type": "long" },
                    "version": { "type": "long", "index": false },
                    "kept": { "type": "object", "enabled": false },
                } },
            });
            let path = format!("/{}", self.index);
            match self.client.send(&Call::put(&path).json(&body)).await {
                Err(error) if !error.is_conflict() => Err(failed(error)),
                _ => Ok(()),
            }
        };
        self.made.get_or_try_init(make).await.copied()
    }

    fn path(&self, identity: &Identity, id: &SessionId) -> String {
        format!("/{}/_doc/{}", self.index, document(&identity.tenant, id.as_str()))
    }

    /// The live session of this principal; an expired one is removed.
    async fn find(&self, identity: &Identity, path: &str, now_ms: u64) -> Result<Option<Found>, Failure> {
        let found: Found = match self.client.send(&Call::get(path)).await {
            Ok(reply) => reply.json().map_err(failed)?,
            Err(error) if error.is_missing() => return Ok(None),
            Err(error) => return Err(failed(error)),
        };
        if found.stored.used_ms < now_ms.saturating_sub(self.idle_ms) {
            self.delete(path, found.sequence, found.term).await?;
            return Ok(None);
        }
        if found.stored.principal != identity.principal {
            return Err(no_session());
        }
        Ok(Some(found))
    }

    async fn read(&self, identity: &Identity, id: &SessionId, now_ms: u64) -> Result<Session, Failure> {
        self.made().await?;
        let Some(found) = self.find(identity, &self.path(identity, id), now_ms).await? else {
            return Ok(Session::default());
        };
        let mut session = Session { version: found.stored.version, ..Session::default() };
        for Entry { query_type, topic } in found.stored.kept.history {
            let query_type = QueryType::from_name(&query_type)
                .ok_or_else(|| corrupt(NAME, format!("type {query_type}")))?;
            session.history.push(HistoryEntry { query_type, topic });
        }
        for turn in found.stored.kept.turns {
            let bytes = STANDARD.decode(turn).map_err(|error| corrupt(NAME, error))?;
            session.turns.push(decode(NAME, &bytes)?);
        }
        Ok(session)
    }

    async fn write(
        &self,
        identity: &Identity,
        id: &SessionId,
        version: u64,
        entry: HistoryEntry,
        turn: Turn,
        now_ms: u64,
    ) -> Result<bool, Failure> {
        self.made().await?;
        let path = self.path(identity, id);
        let found = self.find(identity, &path, now_ms).await?;
        if found.as_ref().map_or(0, |found| found.stored.version) != version {
            return Ok(false);
        }
        let mut kept = found.as_ref().map(|found| found.stored.kept.clone()).unwrap_or_default();
        let query_type = entry.query_type.as_str().to_owned();
        kept.history.push(Entry { query_type, topic: entry.topic });
        kept.turns.push(STANDARD.encode(encode(&turn)));
        kept.history.drain(..kept.history.len().saturating_sub(HISTORY_KEPT));
        kept.turns.drain(..kept.turns.len().saturating_sub(TURNS_KEPT));
        let stored = Stored {
            tenant: identity.tenant.clone(),
            principal: identity.principal.clone(),
            used_ms: now_ms,
            version: version + 1,
            kept,
        };
        let put = Call::put(&path).json(&json!(stored));
        let put = match &found {
            Some(found) => put.param("if_seq_no", found.sequence).param("if_primary_term", found.term),
            None => put.param("op_type", "create"),
        };
        match self.client.send(&put).await {
            Ok(_) => {}
            Err(error) if error.is_conflict() => return Ok(false),
            Err(error) => return Err(failed(error)),
        }
        if version == 0 {
            let of_principal = json!({ "bool": { "filter": [
                { "term": { "tenant": identity.tenant } },
                { "term": { "principal": identity.principal } },
            ] } });
            self.remove(&of_principal, self.per_principal).await?;
        }
        Ok(true)
    }

    /// Deletes a session unless somebody used or removed it meanwhile; says whether it did.
    async fn delete(&self, path: &str, sequence: u64, term: u64) -> Result<bool, Failure> {
        let delete = Call::delete(path).param("if_seq_no", sequence).param("if_primary_term", term);
        match self.client.send(&delete).await {
            Ok(_) => Ok(true),
            Err(error) if error.is_conflict() || error.is_missing() => Ok(false),
            Err(error) => Err(failed(error)),
        }
    }

    /// Removes the sessions of a query that lie beyond the first `keep` of it; says how many.
    async fn remove(&self, query: &Value, keep: u32) -> Result<u64, Failure> {
        self.client.send(&Call::post(&format!("/{}/_refresh", self.index))).await.map_err(failed)?;
        let body = json!({
            "query": query, "from": keep, "size": PAGE, "sort": [{ "used_ms": "desc" }],
            "_source": false, "seq_no_primary_term": true,
        });
        let path = format!("/{}/_search", self.index);
        let reply = self.client.send(&Call::post(&path).json(&body)).await.map_err(failed)?;
        let found: Hits = reply.json().map_err(failed)?;
        let mut removed = 0;
        for hit in found.hits.hits {
            let path = format!("/{}/_doc/{}", self.index, hit.id);
            removed += u64::from(self.delete(&path, hit.sequence, hit.term).await?);
        }
        Ok(removed)
    }
}

#[async_trait]
impl Sessions for ElasticSessions {
    async fn load(&self, identity: &Identity, id: &SessionId, now_ms: u64) -> Result<Session, Failure> {
        self.within(self.read(identity, id, now_ms)).await
    }

    async fn append(
        &self,
        identity: &Identity,
        id: &SessionId,
        version: u64,
        entry: HistoryEntry,
        turn: Turn,
        now_ms: u64,
    ) -> Result<bool, Failure> {
        self.within(self.write(identity, id, version, entry, turn, now_ms)).await
    }

    async fn sweep(&self, now_ms: u64) -> Result<u64, Failure> {
        self.made().await?;
        let expired = json!({ "range": { "used_ms": { "lt": now_ms.saturating_sub(self.idle_ms) } } });
        let mut swept = 0;
        loop {
            let removed = self.remove(&expired, 0).await?;
            swept += removed;
            if removed < u64::from(PAGE) {
                return Ok(swept);
            }
        }
    }
}

#[async_trait]
impl Traces for ElasticSessions {
    fn name(&self) -> &'static str {
        "sessions"
    }

    async fn forget(&self, tenant: &str, whose: &Trace) -> Result<u64, Failure> {
        self.made().await?;
        let whose = match whose {
            Trace::Principal(principal) => json!({ "term": { "principal": principal } }),
            Trace::Session(id) => json!({ "ids": { "values": [document(tenant, id)] } }),
            Trace::Request(_) => return Ok(0),
        };
        let query = json!({ "bool": { "filter": [{ "term": { "tenant": tenant } }, whose] } });
        let mut forgotten = 0;
        loop {
            let removed = self.remove(&query, 0).await?;
            forgotten += removed;
            if removed < u64::from(PAGE) {
                return Ok(forgotten);
            }
        }
    }
}
