//! A system that somebody else started, such as the one in a cluster, behind the gateway's gRPC door and a key.

use assay::clients::Clients;
use assay::flags::Global;
use assay::settings::Settings;

use super::{Harness, Layout};

/// The system behind a gateway's gRPC door. The key needs the roles `ask`, `ingest`, `review` and `admin`.
pub async fn at(endpoint: &str, key: &str) -> Harness {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let global = Global {
        data: std::env::temp_dir().join("assay-behaviour-uses-no-folder"),
        endpoint: Some(endpoint.to_owned()),
        api_key: Some(key.to_owned()),
        ca: None,
        config: None,
        json: false,
        training_data: None,
    };
    Harness::new(Clients::connect(&global, &Settings::default()).await.unwrap(), Layout::Address)
}

/// The system behind `ASSAY_TEST_ENDPOINT` with the key `ASSAY_TEST_API_KEY`, or none after saying so.
pub async fn at_given_address() -> Option<Harness> {
    let endpoint = assay_testkit::external::from_environment("ASSAY_TEST_ENDPOINT")?;
    let key = assay_testkit::external::from_environment("ASSAY_TEST_API_KEY")?;
    Some(at(&endpoint, &key).await)
}
