//! The embedded harness: the whole system in this process, on a folder of its own, with the guide indexed.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::time::Duration;

use assay::clients::Clients;
use assay::commands::ingest::{Input, ingest};
use assay::settings::Settings;
use assay::system::System;
use assay_config::Environment;
use assay_domain::{Answer, Question, Record};
use assay_proto::audit;
use assay_wire::FromWire as _;

/// A running embedded system.
pub(crate) struct Embedded {
    pub(crate) dir: tempfile::TempDir,
    pub(crate) system: System,
    pub(crate) clients: Clients,
}

/// Settings on a fresh folder. Embeddings are hashed, so that every machine gives the same answers.
pub(crate) fn settings(dir: &std::path::Path, pairs: &[(&str, &str)]) -> Settings {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut environment: Environment =
        [("ASSAY_RETRIEVAL__EMBEDDER".to_owned(), "hashing".to_owned())].into_iter().collect();
    environment.extend(pairs.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())));
    Settings::load(None, dir, &environment).unwrap()
}

// === impl Embedded ===

impl Embedded {
    pub(crate) async fn empty(pairs: &[(&str, &str)]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        Self::on(dir, pairs).await
    }

    pub(crate) async fn on(dir: tempfile::TempDir, pairs: &[(&str, &str)]) -> Self {
        let system = System::start(&settings(dir.path(), pairs)).await.unwrap();
        let clients = Clients::over(system.peers().clone());
        Self { dir, system, clients }
    }

    pub(crate) async fn with_guide(pairs: &[(&str, &str)]) -> Self {
        let embedded = Self::empty(pairs).await;
        let files =
            assay::guide::FILES.iter().map(|(p, t)| ((*p).to_owned(), t.as_bytes().to_vec())).collect();
        ingest(&embedded.clients, Input::Files(files), "", false).await.unwrap();
        embedded
    }

    pub(crate) async fn ingest(&self, collection: &str, files: &[(&str, &str)]) {
        let files = files.iter().map(|(p, t)| ((*p).to_owned(), t.as_bytes().to_vec())).collect();
        ingest(&self.clients, Input::Files(files), collection, false).await.unwrap();
    }

    pub(crate) async fn ask(&self, text: &str) -> Answer {
        self.put(&Question::new(text)).await
    }

    pub(crate) async fn put(&self, question: &Question) -> Answer {
        assay::commands::ask::ask(&self.clients, question).await.unwrap()
    }

    /// The record of an answer; waits for the outbox to deliver it, at most five seconds.
    pub(crate) async fn record(&self, answer: &Answer) -> Record {
        let request = audit::GetRequest { audit_id: answer.audit_id.to_string() };
        for _ in 0..100 {
            let context = self.clients.context(Duration::from_secs(5));
            match self.clients.audit().unwrap().get(context.request(request.clone())).await {
                Ok(reply) => return Record::from_wire(reply.into_inner().record.unwrap()).unwrap(),
                Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
            }
        }
        panic!("no record of {}", answer.audit_id);
    }

    pub(crate) async fn verify(&self) -> audit::VerifyResponse {
        let context = self.clients.context(Duration::from_secs(30));
        self.clients
            .audit()
            .unwrap()
            .verify(context.request(audit::VerifyRequest::default()))
            .await
            .unwrap()
            .into_inner()
    }
}
