//! The client against a server that plays a script, and against a real one behind TLS and credentials.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use assay_domain::Code;
use assay_elastic::{Bulk, Call, Client, Error, Options};
use assay_testkit::external::from_environment;
use assay_testkit::script_server::ScriptServer;
use assay_testkit::secure_front::SecureFront;
use serde_json::{Value, json};
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

fn client(urls: &[String]) -> Arc<Client> {
    Arc::new(Client::new(&Options { urls: urls.to_vec(), ..Options::default() }, "e").unwrap())
}

async fn scripted(answers: &[(u16, &str)]) -> (ScriptServer, Arc<Client>) {
    let server = ScriptServer::start(answers).await.unwrap();
    let client = client(&[server.url()]);
    (server, client)
}

/// An address at which nobody listens.
fn nobody() -> String {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    format!("http://{}", listener.local_addr().unwrap())
}

#[tokio::test]
async fn a_busy_cluster_is_asked_again() {
    let (server, client) = scripted(&[(429, "{}"), (503, "no shard"), (200, r#"{"a":1}"#)]).await;
    let found: Value = client.send(&Call::get("/x")).await.unwrap().json().unwrap();
    assert_eq!((found, server.asked().len()), (json!({ "a": 1 }), 3));
}

#[tokio::test]
async fn attempts_end() {
    let (server, client) = scripted(&[(503, "{}"), (503, "{}"), (200, "{}")]).await;
    let refused = client.send(&Call::get("/x").attempts(2)).await.unwrap_err();
    assert!(matches!(refused, Error::Refused { status: 503, .. }), "{refused}");
    assert_eq!(server.asked().len(), 2);
}

#[tokio::test]
async fn an_error_is_told_with_its_cause_and_not_repeated() {
    let body = r#"{"error":{"type":"search_phase_execution_exception","reason":"all shards failed",
        "root_cause":[{"type":"x","reason":"no such field [y]"}]},"status":400}"#;
    let (server, client) = scripted(&[(400, body), (400, r#"{"error":"no handler found for uri"}"#)]).await;
    let told = client.send(&Call::get("/x")).await.unwrap_err().to_string();
    for part in ["/x", "400", "search_phase_execution_exception", "all shards failed: no such field [y]"] {
        assert!(told.contains(part), "{told}");
    }
    let told = client.send(&Call::get("/y")).await.unwrap_err().to_string();
    assert!(told.contains("no handler found"), "{told}");
    assert_eq!(server.asked().len(), 2);
}

#[tokio::test]
async fn a_node_that_is_gone_costs_no_request() {
    let server = ScriptServer::start(&[(200, "{}"); 6]).await.unwrap();
    let client = client(&[nobody(), server.url(), nobody()]);
    for _ in 0..6 {
        client.send(&Call::get("/x").attempts(1)).await.unwrap();
    }
    assert_eq!(server.asked().len(), 6);
}

#[tokio::test]
async fn a_node_that_hangs_is_left_for_another() {
    let hangs = ScriptServer::start(&[]).await.unwrap();
    let server = ScriptServer::start(&[(200, "{}"); 2]).await.unwrap();
    let client = client(&[hangs.url(), server.url()]);
    let call = Call::get("/x").attempts(1).patience(Duration::from_millis(50));
    client.send(&call).await.unwrap();
    client.send(&call).await.unwrap();
    assert_eq!((hangs.asked().len(), server.asked().len()), (1, 2), "the second request avoids it");
}

#[tokio::test]
async fn without_any_node_the_error_says_so() {
    let unreachable = client(&[nobody()]).send(&Call::get("/x").attempts(2)).await.unwrap_err();
    assert!(matches!(&unreachable, Error::Unreachable(why) if why.contains("refused")), "{unreachable}");
}

#[tokio::test]
async fn only_servers_that_can_be_used_are_accepted() {
    let version = |text: &str| format!(r#"{{"version":{text}}}"#);
    for (body, told) in [
        (version(r#"{"number":"8.18.0"}"#), ""),
        (version(r#"{"number":"9.5.3"}"#), ""),
        (version(r#"{"number":"8.17.4"}"#), "8.18 or later"),
        (version(r#"{"number":"7.17.0"}"#), "8.18 or later"),
        (version(r#"{"number":"3.1.0","distribution":"opensearch"}"#), "opensearch 3.1.0"),
        ("{}".to_owned(), "does not say that it is Elasticsearch"),
    ] {
        let (_server, client) = scripted(&[(200, &body)]).await;
        match client.check_version().await {
            Ok(()) => assert_eq!(told, "", "{body}"),
            Err(error) => assert!(!told.is_empty() && error.to_string().contains(told), "{error}"),
        }
    }
}

#[tokio::test]
async fn a_bulk_repeats_what_the_cluster_was_too_busy_for() {
    let first = r#"{"items":[{"index":{"status":201}},{"index":{"status":429,"error":{"type":"x","reason":"full"}}}]}"#;
    let (server, client) = scripted(&[(200, first), (200, r#"{"items":[{"index":{"status":201}}]}"#)]).await;
    let mut bulk = Bulk::new(client, "i");
    for id in ["a", "b"] {
        bulk.index(id, &json!({ "n": id })).await.unwrap();
    }
    bulk.flush().await.unwrap();
    let bodies: Vec<String> = server.asked().into_iter().map(|asked| asked.body).collect();
    assert_eq!(bodies.len(), 2);
    assert!(bodies[0].contains(r#""_id":"a""#) && bodies[0].contains(r#""_id":"b""#));
    assert!(!bodies[1].contains(r#""_id":"a""#) && bodies[1].contains(r#""_id":"b""#));
}

#[tokio::test]
async fn a_document_that_is_refused_is_named() {
    let body = r#"{"items":[{"index":{"status":201}},{"index":{"status":400,"error":{"type":"mapper","reason":"no"}}}]}"#;
    let (server, client) = scripted(&[(200, body)]).await;
    let mut bulk = Bulk::new(client, "i");
    bulk.index("a", &json!({})).await.unwrap();
    bulk.index("b", &json!({})).await.unwrap();
    let refused = bulk.flush().await.unwrap_err();
    let expected = Error::Documents { count: 1, id: "b".into(), reason: "mapper: no".into() };
    assert_eq!((refused, server.asked().len()), (expected, 1));
}

#[tokio::test]
async fn a_batch_that_is_too_large_goes_in_halves() {
    let one = r#"{"items":[{"index":{"status":201}}]}"#;
    let (server, client) = scripted(&[(413, ""), (200, one), (200, one)]).await;
    let mut bulk = Bulk::new(client, "i");
    bulk.index("a", &json!({})).await.unwrap();
    bulk.index("b", &json!({})).await.unwrap();
    bulk.flush().await.unwrap();
    assert_eq!(server.asked().len(), 3);

    let (_server, client) = scripted(&[(413, "")]).await;
    let mut bulk = Bulk::new(client, "i");
    bulk.index("a", &json!({})).await.unwrap();
    assert!(matches!(bulk.flush().await, Err(Error::TooLarge { .. })));
}

#[tokio::test]
async fn a_real_cluster_answers_behind_tls_and_credentials() {
    let Some(url) = from_environment("ASSAY_TEST_ES_URL") else { return };
    let upstream = url.trim_start_matches("http://").trim_end_matches('/');
    // The user `elastic` with the password `secret`, and an API key.
    let accepted = ["Basic ZWxhc3RpYzpzZWNyZXQ=", "ApiKey a2V5"];
    let front = SecureFront::before(upstream, &accepted).await.unwrap();
    let folder = std::env::temp_dir().join(format!("assay-elastic-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let (key, password, wrong) = (write("key", "a2V5\n"), write("password", "secret\n"), write("wrong", "x"));
    let trusted = Options {
        urls: vec![front.url()],
        ca_file: write("ca.pem", front.certificate()),
        ..Options::default()
    };
    let asked = async |options: Options| Client::new(&options, "e").unwrap().check_version().await;

    asked(Options { api_key_file: key.clone(), ..trusted.clone() }).await.unwrap();
    let user = "elastic".to_owned();
    asked(Options { user: user.clone(), password_file: password, ..trusted.clone() }).await.unwrap();
    let refused = asked(Options { user, password_file: wrong, ..trusted.clone() }).await.unwrap_err();
    assert_eq!(refused, Error::Credentials(401));
    assert_eq!(asked(trusted.clone()).await.unwrap_err(), Error::Credentials(401));
    let unknown = Options { urls: vec![front.url()], api_key_file: key, ..Options::default() };
    let unknown = asked(unknown).await.unwrap_err().to_string();
    assert!(unknown.contains("certificate") || unknown.contains("UnknownIssuer"), "{unknown}");

    let missing = Options { api_key_file: folder.join("nothing"), ..trusted };
    let missing = Client::new(&missing, "e").unwrap_err();
    assert_eq!((missing.code, missing.field.as_str()), (Code::Configuration, "e.api_key_file"));
    std::fs::remove_dir_all(folder).unwrap();
}
