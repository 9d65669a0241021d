//! The whole system in this process, on a folder of its own.

use assay::clients::Clients;
use assay::settings::Settings;
use assay::system::System;
use assay_config::Environment;

use super::{Harness, Layout};

/// A running embedded system.
#[derive(Debug)]
pub struct Embedded {
    dir: tempfile::TempDir,
    system: System,
    environment: Environment,
}

/// Settings on a folder. Embeddings are hashed, so that every machine gives the same answers.
#[must_use]
pub fn settings(dir: &std::path::Path, pairs: &[(&str, &str)]) -> Settings {
    let environment = environment(pairs);
    Settings::load(None, dir, &environment).unwrap()
}

fn environment(pairs: &[(&str, &str)]) -> Environment {
    let hashing = ("ASSAY_RETRIEVAL__EMBEDDER", "hashing");
    let quiet = ("ASSAY_GENERATION__WARM", "false");
    [hashing, quiet].iter().chain(pairs).map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect()
}

// === impl Embedded ===

impl Embedded {
    /// A system without documents.
    pub async fn start(pairs: &[(&str, &str)]) -> Harness {
        let _ = rustls::crypto::ring::default_provider().install_default();
        Self::on(tempfile::tempdir().unwrap(), environment(pairs)).await
    }

    async fn on(dir: tempfile::TempDir, environment: Environment) -> Harness {
        let settings = Settings::load(None, dir.path(), &environment).unwrap();
        let system = System::start(&settings).await.unwrap();
        let clients = Clients::over(system.peers().clone());
        Harness::new(clients, Layout::Embedded(Self { dir, system, environment }))
    }

    pub(super) async fn restart(self) -> Harness {
        let Self { dir, system, environment } = self;
        system.drain().await;
        Self::on(dir, environment).await
    }

    pub(super) async fn stop(self) -> tempfile::TempDir {
        self.system.drain().await;
        self.dir
    }
}
