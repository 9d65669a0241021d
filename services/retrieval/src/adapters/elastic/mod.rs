//! Indexes in an Elasticsearch cluster that all retrieval processes share.
//!
//! ```text
//! <prefix>-<generation>-<tenant>-<collection>   one generation: passages, documents, names, manifest
//! <prefix>-current-<tenant>-<collection>        alias of the generation that is searched, moved atomically
//! <prefix>-vectors-<tenant>-<collection>        vectors that an interrupted build has already made
//! <prefix>-builds                               who builds which collection
//! ```
//! `<tenant>` is the start of the SHA-256 of its name. A generation does not change once the alias names it. The one
//! before stays a while, for searches that are under way; older and half-built ones are removed by the next build.

mod build;
mod generation;
mod lock;
mod mapping;
mod snapshot;
mod stored;

use crate::corpus::Scope;
use crate::error::Error;
use crate::ports::{Build, Snapshot, Store};
use assay_elastic::{Call, Client, Options};
use assay_rpc::clock;
use async_trait::async_trait;
use serde_json::Value;
use snapshot::ElasticSnapshot;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Snapshots that are open, each with the time at which the alias named it.
type Open = Arc<Mutex<HashMap<Scope, (Instant, Arc<ElasticSnapshot>)>>>;

/// Indexes in a cluster.
#[derive(Debug)]
pub struct ElasticStore {
    client: Arc<Client>,
    options: Options,
    open: Open,
}

impl ElasticStore {
    /// Uses the cluster.
    #[must_use]
    pub fn new(client: Arc<Client>, options: Options) -> Self {
        Self { client, options, open: Open::default() }
    }

    /// The snapshot that is known, if the alias was asked a short time ago.
    fn known(&self, scope: &Scope) -> Option<Arc<ElasticSnapshot>> {
        let trusted = Duration::from_millis(self.options.alias_ms.into());
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let (asked, snapshot) = open.get(scope)?;
        (clock::now().saturating_duration_since(*asked) < trusted).then(|| Arc::clone(snapshot))
    }
}

/// Names of indexes with the aliases of each.
type Aliases = BTreeMap<String, Value>;

/// The indexes that bear an alias; none if nothing does.
async fn aliased(client: &Client, alias: &str) -> Result<Aliases, Error> {
    match client.send(&Call::get(&format!("/_alias/{alias}"))).await {
        Ok(reply) => Ok(reply.json()?),
        Err(error) if error.is_missing() => Ok(Aliases::new()),
        Err(error) => Err(error.into()),
    }
}

#[async_trait]
impl Store for ElasticStore {
    async fn collections(&self, tenant: &str) -> Result<Vec<Scope>, Error> {
        let names = generation::Names::of_tenant(&self.options.prefix, tenant);
        let found = aliased(&self.client, &names.alias("*")).await?;
        let start = names.alias("");
        let mut out: Vec<Scope> = found
            .values()
            .filter_map(|index| index["aliases"].as_object())
            .flat_map(serde_json::Map::keys)
            .filter_map(|alias| Scope::new(tenant, alias.strip_prefix(&start)?).ok())
            .collect();
        out.sort();
        out.dedup();
        Ok(out)
    }

    async fn open(&self, scope: &Scope) -> Result<Option<Arc<dyn Snapshot>>, Error> {
        if let Some(known) = self.known(scope) {
            return Ok(Some(known));
        }
        let asked = clock::now();
        let names = generation::Names::of(&self.options.prefix, scope);
        let found = aliased(&self.client, &names.alias(scope.collection())).await?;
        let Some(index) = found.keys().max() else { return Ok(None) };
        let open = || self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let same = open().get(scope).map(|(_, known)| Arc::clone(known)).filter(|known| known.is(index));
        let snapshot = match same {
            Some(known) => known,
            None => Arc::new(ElasticSnapshot::open(Arc::clone(&self.client), index).await?),
        };
        open().insert(scope.clone(), (asked, Arc::clone(&snapshot)));
        Ok(Some(snapshot))
    }

    async fn build(&self, scope: &Scope, dims: usize) -> Result<Box<dyn Build>, Error> {
        let (client, open) = (Arc::clone(&self.client), Arc::clone(&self.open));
        let build = build::ElasticBuild::start(client, &self.options, scope, dims, open).await?;
        // Another process may have moved the alias before it gave the right back.
        self.open.lock().unwrap_or_else(PoisonError::into_inner).remove(scope);
        Ok(Box::new(build))
    }

    async fn delete(&self, scope: &Scope) -> Result<bool, Error> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).remove(scope);
        build::delete(&self.client, &self.options, scope).await
    }

    async fn check(&self) -> Result<(), Error> {
        Ok(self.client.check_version().await?)
    }
}
