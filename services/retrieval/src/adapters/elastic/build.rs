//! Building a generation beside the current one, and moving the alias to it.

use super::generation::Names;
use super::lock::{Lock, make_index};
use super::mapping::{self, MANIFEST, NAMES};
use super::snapshot::ElasticSnapshot;
use super::{Aliases, Open, aliased, stored};
use crate::corpus::{Document, Manifest, Scope, SourceFile};
use crate::error::Error;
use crate::ports::{Build, Snapshot, VectorKey, WithVectors};
use assay_elastic::{Bulk, Call, Client, Options};
use assay_rpc::{clock, entropy, task};
use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::{BTreeSet, HashSet};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

/// How long the generation before stays, for searches that are under way; longer than any request.
const GRACE: Duration = Duration::from_secs(300);
/// Longest wait for the merge of a new generation.
const MERGE: Duration = Duration::from_secs(3600);
/// Bytes of names in one document.
const NAMES_BYTES: usize = 1 << 20;
/// Vectors that are read together.
const VECTORS_READ: usize = 500;

/// A generation being built.
#[derive(Debug)]
pub(super) struct ElasticBuild {
    client: Arc<Client>,
    options: Options,
    scope: Scope,
    names: Names,
    open: Open,
    lock: Lock,
    index: String,
    bulk: Bulk,
    files: Vec<SourceFile>,
    passages: HashSet<String>,
    known: BTreeSet<String>,
    vectors: Option<Bulk>,
    finished: bool,
}

impl ElasticBuild {
    /// Starts a generation; what earlier builds left half-done is removed.
    pub(super) async fn start(
        client: Arc<Client>,
        options: &Options,
        scope: &Scope,
        dims: usize,
        open: Open,
    ) -> Result<Self, Error> {
        let names = Names::of(&options.prefix, scope);
        let lock = Lock::take(Arc::clone(&client), options, &names, scope).await?;
        let next = match sweep(&client, &names, scope).await? {
            Some(newest) => newest + 1,
            None => first_generation(),
        };
        let index = names.index(scope.collection(), next);
        let path = format!("/{index}");
        match client.send(&Call::put(&path).json(&mapping::index(options, scope, dims))).await {
            // A request that was sent twice meets its own index: nobody else holds the right.
            Err(error) if !error.is_conflict() => return Err(error.into()),
            _ => {}
        }
        Ok(Self {
            bulk: Bulk::new(Arc::clone(&client), &index),
            client,
            options: options.clone(),
            scope: scope.clone(),
            names,
            open,
            lock,
            index,
            files: Vec::new(),
            passages: HashSet::new(),
            known: BTreeSet::new(),
            vectors: None,
            finished: false,
        })
    }

    fn vectors_index(&self) -> String {
        self.names.vectors(self.scope.collection())
    }

    async fn write_names(&mut self) -> Result<(), Error> {
        let mut pieces = vec![String::new()];
        for name in std::mem::take(&mut self.known) {
            if pieces.last().is_some_and(|piece| piece.len() >= NAMES_BYTES) {
                pieces.push(String::new());
            }
            if let Some(piece) = pieces.last_mut() {
                piece.push_str(&name);
                piece.push('\n');
            }
        }
        for (place, piece) in pieces.into_iter().enumerate() {
            let document = json!({ "type": NAMES, "place": place, "stored": { "names": piece } });
            self.bulk.index(&format!("n-{place}"), &document).await?;
        }
        Ok(())
    }

    /// Makes what was written visible, and the index one piece: it does not change any more.
    async fn settle(&self) -> Result<(), Error> {
        let index = &self.index;
        self.client.send(&Call::post(&format!("/{index}/_refresh"))).await?;
        let merge = format!("/{index}/_forcemerge");
        let merge = Call::post(&merge).param("max_num_segments", 1).patience(MERGE).attempts(2);
        if let Err(error) = self.client.send(&merge).await {
            tracing::warn!(%error, index, "the new index was not merged; searches of it are slower");
        }
        self.client.send(&Call::post(&format!("/{index}/_refresh"))).await?;
        Ok(())
    }

    /// Moves the alias, in one step for whoever searches. Gives the generation that it named before.
    async fn switch(&self) -> Result<Vec<String>, Error> {
        let alias = self.names.alias(self.scope.collection());
        let before: Vec<String> = aliased(&self.client, &alias).await?.into_keys().collect();
        let mut actions: Vec<Value> =
            before.iter().map(|old| json!({ "remove": { "index": old, "alias": alias } })).collect();
        actions.push(json!({ "add": { "index": self.index, "alias": alias } }));
        self.client.send(&Call::post("/_aliases").json(&json!({ "actions": actions }))).await?;
        Ok(before.into_iter().filter(|old| *old != self.index).collect())
    }
}

/// Removes generations that nobody can search any more; gives the newest number.
async fn sweep(client: &Client, names: &Names, scope: &Scope) -> Result<Option<u32>, Error> {
    let collection = scope.collection();
    let current = aliased(client, &names.alias(collection)).await?;
    let current = current.keys().filter_map(|index| names.number(collection, index)).max().unwrap_or(0);
    let numbers = generations(client, names, collection).await?;
    // The one before the current one may still be searched.
    let before = numbers.range(..current).next_back().copied();
    for number in numbers.iter().filter(|number| **number != current && Some(**number) != before) {
        remove(client, &names.index(collection, *number)).await?;
    }
    Ok(numbers.last().copied())
}

/// Number of the first generation of a collection, of eight digits. It is random, so that a process which knows a deleted
/// collection does not take the one that was made anew for it.
fn first_generation() -> u32 {
    let [a, b, c, d, ..] = entropy::bytes16();
    10_000_000 + u32::from_le_bytes([a, b, c, d]) % 80_000_000
}

/// Removes every generation of a collection and what a build left; says whether there was one.
pub(super) async fn delete(client: &Arc<Client>, options: &Options, scope: &Scope) -> Result<bool, Error> {
    let names = Names::of(&options.prefix, scope);
    let lock = Lock::take(Arc::clone(client), options, &names, scope).await?;
    let collection = scope.collection();
    let there = !aliased(client, &names.alias(collection)).await?.is_empty();
    for number in generations(client, &names, collection).await? {
        remove(client, &names.index(collection, number)).await?;
    }
    remove(client, &names.vectors(collection)).await?;
    lock.give_back().await;
    Ok(there)
}

/// Numbers of the generations that are there, half-built ones among them.
async fn generations(client: &Client, names: &Names, collection: &str) -> Result<BTreeSet<u32>, Error> {
    let pattern = format!("/{}/_alias", names.pattern(collection));
    let all: Aliases = match client.send(&Call::get(&pattern)).await {
        Ok(reply) => reply.json()?,
        Err(error) if error.is_missing() => Aliases::new(),
        Err(error) => return Err(error.into()),
    };
    Ok(all.keys().filter_map(|index| names.number(collection, index)).collect())
}

async fn remove(client: &Client, index: &str) -> Result<(), Error> {
    match client.send(&Call::delete(&format!("/{index}"))).await {
        Err(error) if !error.is_missing() => Err(error.into()),
        _ => Ok(()),
    }
}

#[derive(Deserialize)]
struct Found {
    docs: Vec<FoundVector>,
}

#[derive(Deserialize)]
struct FoundVector {
    #[serde(rename = "_source")]
    source: Option<KeptVector>,
}

#[derive(Deserialize)]
struct KeptVector {
    vector: String,
}

#[async_trait]
impl Build for ElasticBuild {
    async fn recall(&mut self, keys: &[VectorKey]) -> Result<Vec<Option<Vec<f32>>>, Error> {
        let path = format!("/{}/_mget", self.vectors_index());
        let mut out = Vec::with_capacity(keys.len());
        for step in keys.chunks(VECTORS_READ) {
            let ids: Vec<String> = step.iter().map(hex::encode).collect();
            let found: Found = match self.client.send(&Call::post(&path).json(&json!({ "ids": ids }))).await {
                Ok(reply) => reply.json()?,
                // Nothing was interrupted.
                Err(error) if error.is_missing() => Found { docs: Vec::new() },
                Err(error) => return Err(error.into()),
            };
            let mut docs = found.docs.into_iter();
            for _ in step {
                let kept = docs.next().and_then(|doc| doc.source);
                out.push(kept.map(|kept| stored::floats(&kept.vector)).transpose()?);
            }
        }
        Ok(out)
    }

    async fn remember(&mut self, vectors: &[(VectorKey, Vec<f32>)]) -> Result<(), Error> {
        let bulk = match self.vectors.take() {
            Some(bulk) => bulk,
            None => {
                let index = self.vectors_index();
                make_index(&self.client, &self.options, &index).await?;
                Bulk::new(Arc::clone(&self.client), &index)
            }
        };
        let bulk = self.vectors.insert(bulk);
        for (key, vector) in vectors {
            bulk.index(&hex::encode(key), &json!({ "vector": stored::bytes(vector) })).await?;
        }
        Ok(bulk.flush().await?)
    }

    async fn add(&mut self, document: Document, passages: WithVectors) -> Result<(), Error> {
        let entry = SourceFile::of(&document, passages.len());
        for (place, (passage, vector)) in passages.iter().enumerate() {
            if !self.passages.insert(passage.id.clone()) {
                return Err(Error::invalid("id", format!("two chunks have the id `{}`", passage.id)));
            }
            let names = passage.terms.names.split(' ').filter(|name| !name.is_empty());
            self.known.extend(names.map(str::to_owned));
            let stored = stored::passage(place, passage, &document, &entry, vector)?;
            self.bulk.index(&stored::passage_id(&passage.id), &stored).await?;
        }
        let file = stored::file(&entry, &document.text);
        self.bulk.index(&stored::file_id(&document.key), &file).await?;
        self.files.push(entry);
        Ok(())
    }

    async fn finish(mut self: Box<Self>, mut manifest: Manifest) -> Result<Arc<dyn Snapshot>, Error> {
        self.write_names().await?;
        let mut files = std::mem::take(&mut self.files);
        files.sort_by(|a, b| a.document.key.cmp(&b.document.key));
        if files.windows(2).any(|pair| pair[0].document.key == pair[1].document.key) {
            return Err(Error::Internal("a document was added twice".to_owned()));
        }
        manifest.complete(files, self.passages.len() as u64);
        // The files stand in documents of their own: there may be many.
        let header = Manifest { files: Vec::new(), ..manifest.clone() };
        let document = json!({ "type": MANIFEST, "stored": header });
        self.bulk.index(MANIFEST, &document).await?;
        self.bulk.flush().await?;
        self.settle().await?;

        // Opened before the switch: an index that cannot be read never becomes the current one.
        let snapshot = Arc::new(ElasticSnapshot::open(Arc::clone(&self.client), &self.index).await?);
        if snapshot.manifest().id != manifest.id {
            return Err(Error::Corrupt(format!("{} does not hold what was written", self.index)));
        }
        self.lock.confirm().await?;
        let before = self.switch().await?;
        self.finished = true;
        let asked = clock::now();
        self.open
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(self.scope.clone(), (asked, Arc::clone(&snapshot)));
        remove(&self.client, &self.vectors_index()).await?;
        self.lock.give_back().await;
        let client = Arc::clone(&self.client);
        task::detached(async move {
            tokio::time::sleep(GRACE).await;
            for index in before {
                if let Err(error) = remove(&client, &index).await {
                    tracing::warn!(%error, index, "an old index was not removed; the next ingest does it");
                }
            }
        });
        Ok(snapshot)
    }
}

impl Drop for ElasticBuild {
    fn drop(&mut self) {
        if self.finished || tokio::runtime::Handle::try_current().is_err() {
            return;
        }
        // Best effort: the next build removes what stays.
        let (client, index) = (Arc::clone(&self.client), self.index.clone());
        task::detached(async move {
            if let Err(error) = remove(&client, &index).await {
                tracing::debug!(%error, index, "a half-built index was not removed; the next ingest does it");
            }
        });
    }
}
