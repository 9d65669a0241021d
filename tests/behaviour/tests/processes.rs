//! The suite over separate processes on loopback: the same cases, and the same answers as the embedded system.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use assay::system::SPECS;
use assay_behaviour::cases::answers::{self, QUESTIONS};
use assay_behaviour::cases::models::{PAGE, Scripted};
use assay_behaviour::cases::{identity, models, run};
use assay_behaviour::harness::{BUDGET, Builder, Embedded, Harness, certificates};
use assay_domain::answer::Grounding;
use assay_domain::{Code, Failure, Identity, QueryType, Question, SessionId};
use assay_proto::router::router_service_client::RouterServiceClient;
use assay_proto::{generation, router};
use assay_rpc::tls::Tls;
use assay_rpc::{Channel, Context, Outbound};
use assay_testkit::external::from_environment;
use assay_testkit::model_server::ModelServer;
use assay_wire::{ToWire as _, from_status};
use serde_json::{Value, json};
use tonic::transport::{Certificate, ClientTlsConfig, Endpoint};

/// What of an answer says when it was given, and not what.
const OF_THE_MOMENT: [&str; 3] = ["id", "audit", "timing_ms"];

async fn answer(system: &Harness, text: &str, kind: Option<assay_domain::QueryType>) -> Value {
    let answer = system.put(&Question { declared_type: kind, ..Question::new(text) }).await;
    let Value::Object(mut fields) = json!(assay_api::Answer::from(&answer)) else {
        panic!("an answer is an object")
    };
    for field in OF_THE_MOMENT {
        assert!(fields.shift_remove(field).is_some(), "{field} is no field of an answer any more");
    }
    Value::Object(fields)
}

/// Whether two values are the same but for the last digits of a float, which differ between search engines.
fn alike(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => {
            let (a, b) = (a.as_f64().unwrap(), b.as_f64().unwrap());
            (a - b).abs() <= 1e-5 * a.abs().max(1.0)
        }
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| alike(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(name, a)| b.get(name).is_some_and(|b| alike(a, b)))
        }
        (a, b) => a == b,
    }
}

/// Every question of the guide is answered as the embedded system answers it, word for word.
async fn answers_as_embedded(system: &Harness) {
    system.ingest_guide().await;
    let embedded = Embedded::start(&[]).await;
    embedded.ingest_guide().await;
    for (text, kind) in QUESTIONS {
        let (left, right) = (answer(&embedded, text, *kind).await, answer(system, text, *kind).await);
        let fields = left.as_object().unwrap().keys().chain(right.as_object().unwrap().keys());
        for field in fields {
            let same = alike(&left[field], &right[field]);
            assert!(same, "{field} of the answer to {text:?}: {} is not {}", left[field], right[field]);
        }
    }
    embedded.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn processes_answer_the_guide_as_the_embedded_system_does() {
    let system = Builder::new().tls().start().await;
    answers_as_embedded(&system).await;
    run(&system, answers::ALL).await;
    run(&system, identity::ALL).await;
    answers::answers_survive_a_restart(system).await.stop().await;
}

/// Processes with indexes and sessions in a real cluster, below index names of their own; none without a cluster.
fn over_elasticsearch(prefix: &str) -> Option<Builder> {
    let url = from_environment("ASSAY_TEST_ES_URL")?;
    let mut builder = Builder::new().set("retrieval", "service.backend", "\"elasticsearch\"").set(
        "router",
        "service.sessions",
        "\"elasticsearch\"",
    );
    for service in ["retrieval", "router"] {
        builder = builder
            .set(service, "service.elasticsearch.urls", &format!("[{url:?}]"))
            .set(service, "service.elasticsearch.prefix", &format!("{prefix:?}"))
            .set(service, "service.elasticsearch.neighbours", "\"exact\"")
            .set(service, "service.elasticsearch.replicas", "0");
    }
    Some(builder)
}

fn prefix() -> String {
    format!("t{}", u64::from_le_bytes(assay_rpc::entropy::bytes16()[..8].try_into().unwrap()))
}

#[tokio::test(flavor = "multi_thread")]
async fn processes_over_elasticsearch_answer_the_same() {
    let Some(builder) = over_elasticsearch(&prefix()) else { return };
    let system = builder.start().await;
    answers_as_embedded(&system).await;
    run(&system, answers::ALL).await;
    answers::answers_survive_a_restart(system).await.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_goes_on_at_another_router() {
    let prefix = prefix();
    let Some(builder) = over_elasticsearch(&prefix) else { return };
    let first = builder.start().await;
    first.ingest_guide().await;
    let processes = first.processes().unwrap();
    let mut builder = over_elasticsearch(&prefix).unwrap();
    for spec in SPECS.iter().filter(|spec| spec.name != "router") {
        builder = builder.without(spec.name);
    }
    for peer in SPECS.iter().find(|spec| spec.name == "router").unwrap().calls {
        builder = builder.peer("router", peer, processes.url(peer));
    }
    let second = builder.start().await;

    let session = SessionId::parse("at-two-routers");
    let at = async |system: &Harness, text: &str| {
        system.put(&Question { session: session.clone(), ..Question::new(text) }).await
    };
    let asked = at(&first, "How do loops work in AVAP?").await;
    assert_eq!(asked.grounding, Grounding::Documentation);
    let again = at(&second, "Explain that again in two sentences").await;
    assert_eq!((again.route.query_type, again.grounding), (QueryType::Conversational, Grounding::Session));
    let third = at(&first, "Say that in one sentence").await;
    assert_eq!(third.grounding, Grounding::Session);
    // Both wrote to the one log.
    for text in
        ["How do loops work in AVAP?", "Explain that again in two sentences", "Say that in one sentence"]
    {
        first.records_of(text, 1).await;
    }
    assert_eq!(first.verify().await.leaves, 3);
    second.stop().await;
    first.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_case_over_a_model_holds() {
    let model = ModelServer::start(Vec::new()).await.unwrap();
    let system = Builder::new().model(&model.base_url()).start().await;
    system.ingest("", &[PAGE]).await;
    run(&Scripted { system, model }, models::ALL).await;
}

/// What the router says to a question of the local user over this channel.
async fn asked(channel: Channel) -> Result<(), Failure> {
    RouterServiceClient::new(channel).ask(question()).await.map(drop).map_err(|status| from_status(&status))
}

fn question() -> tonic::Request<router::AskRequest> {
    let question = Some(Question::new("How do loops work in AVAP?").to_wire());
    Context::background(Identity::local(), BUDGET).request(router::AskRequest { question })
}

#[tokio::test(flavor = "multi_thread")]
async fn peer_with_a_wrong_certificate_is_refused() {
    let system = Builder::new().tls().impatient().start().await;
    let processes = system.processes().unwrap();
    let (folder, url) = (processes.folder().to_owned(), processes.url("router"));
    let quick = |tls: Option<Tls>| {
        let retry = assay_rpc::channel::Retry::none();
        Outbound { tls, retry, ..Outbound::default() }
    };
    let of = |service: &str| quick(Some(Tls::load(&folder.join("certs").join(service)).unwrap()));

    let plain = asked(quick(None).channel("router", &url).unwrap()).await.unwrap_err();
    assert_eq!(plain.code, Code::Unavailable, "plaintext: {plain:?}");
    let authority = std::fs::read(folder.join("certs/ca.crt")).unwrap();
    let trusting =
        ClientTlsConfig::new().ca_certificate(Certificate::from_pem(authority)).domain_name("router");
    let endpoint =
        Endpoint::from_shared(url.replace("http:", "https:")).unwrap().tls_config(trusting).unwrap();
    let without = RouterServiceClient::new(endpoint.connect_lazy()).ask(question()).await.unwrap_err();
    let broken = matches!(from_status(&without).code, Code::Unavailable | Code::Cancelled);
    assert!(broken && without.metadata().get("assay-code").is_none(), "no certificate: {without:?}");
    certificates(&folder.join("forged"));
    let forged = quick(Some(Tls::load(&folder.join("forged/gateway")).unwrap()));
    let forged = asked(forged.channel("router", &url).unwrap()).await.unwrap_err();
    assert_eq!(forged.code, Code::Unavailable, "another authority: {forged:?}");

    // The parser may call nobody, and the gateway does not write drafts.
    let parser_peer = asked(of("parser").channel("router", &url).unwrap()).await.unwrap_err();
    assert!(
        matches!(parser_peer.code, Code::Unauthenticated | Code::PermissionDenied),
        "a peer that SPEC does not name: {parser_peer:?}"
    );
    let channel = of("gateway").channel("generation", &processes.url("generation")).unwrap();
    let context = Context::background(Identity::local(), BUDGET);
    let request = context.request(generation::DescribeRequest::default());
    let mut client = generation::generation_service_client::GenerationServiceClient::new(channel);
    let status = client.describe(request).await.unwrap_err();
    assert!(
        matches!(from_status(&status).code, Code::Unauthenticated | Code::PermissionDenied),
        "the gateway may not call generation: {status:?}"
    );
    // A router that is no router is not spoken to.
    let wrong = asked(of("gateway").channel("router", &processes.url("audit")).unwrap()).await.unwrap_err();
    assert_eq!(wrong.code, Code::Unavailable, "{wrong:?}");
    assert_eq!(system.verify().await.leaves, 0, "nobody of these left a record");

    let right = asked(of("gateway").channel("router", &url).unwrap()).await;
    assert_eq!(right.unwrap_err().code, Code::NotFound, "heard, though there are no documents");
    system.records_of("How do loops work in AVAP?", 1).await;
}
