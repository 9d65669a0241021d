//! The suite over the embedded system.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use assay_behaviour::cases::models::{PAGE, Scripted};
use assay_behaviour::cases::{answers, identity, models, run};
use assay_behaviour::harness::Embedded;
use assay_testkit::model_server::ModelServer;

#[tokio::test(flavor = "multi_thread")]
async fn every_case_over_the_guide_holds() {
    let system = Embedded::start(&[]).await;
    system.ingest_guide().await;
    run(&system, answers::ALL).await;
    run(&system, identity::ALL).await;
    answers::answers_survive_a_restart(system).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_case_over_a_model_holds() {
    let model = ModelServer::start(Vec::new()).await.unwrap();
    let system = Embedded::start(&[
        ("OLLAMA_MODEL_NAME", "openai:script"),
        ("OPENAI_BASE_URL", &model.base_url()),
        ("OPENAI_API_KEY", "none"),
    ])
    .await;
    system.ingest("", &[PAGE]).await;
    run(&Scripted { system, model }, models::ALL).await;
}
