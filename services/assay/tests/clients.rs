//! Clients of other systems, as their makers publish them, against `assay up`: they work by changing their address.
//!
//! They are found by environment variables; what is not there is skipped, loudly. The scripts are in
//! `tests/behaviour/clients`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::path::Path;
use std::process::{Command, Output};

use assay_testkit::external::{from_environment, loudly};
use assay_testkit::model_server::{ModelServer, Reply};
use serde_json::{Value, json};

use common::{Up, assay};

/// An interpreter with the packages openai, ollama, grpcio, grpcio-tools, openapi-python-client and ruff.
const PYTHON: &str = "ASSAY_TEST_CLIENTS_PYTHON";
/// The program `buf`.
const BUF: &str = "ASSAY_TEST_BUF";

const QUESTION: &str = "When does the importer stop?";
const PAGE: &str =
    "# The importer\n\nThe importer skips empty rows.\n\nThe importer stops after one hundred errors.\n";

fn succeeds(output: Output) -> String {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    text
}

fn script(python: &str, name: &str, address: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/behaviour/clients").join(name);
    succeeds(Command::new(python).arg(path).arg(address).output().unwrap());
}

#[test]
fn python_clients_work_over_a_changed_address() {
    let Some(python) = from_environment(PYTHON) else { return };
    let up = Up::start(PAGE, &[]);
    script(&python, "openai_client.py", &up.http);
    script(&python, "ollama_client.py", &up.http);
    script(&python, "brunix_client.py", up.grpc.trim_start_matches("http://"));
}

#[test]
fn recipes_for_pipelines_run_and_are_those_of_the_page() {
    let recipes = include_str!("../../../tests/behaviour/clients/pipelines.py");
    let page = include_str!("../../../docs/clients.md");
    let recipes: Vec<&str> = recipes.split("# recipe: ").skip(1).collect();
    assert_eq!(recipes.len(), 4);
    for recipe in recipes {
        let (_, code) = recipe.split_once('\n').unwrap();
        for line in code.split("# end").next().unwrap().lines().map(str::trim).filter(|line| !line.is_empty())
        {
            assert!(page.contains(line), "docs/clients.md lacks: {line}");
        }
    }
    let Some(python) = from_environment(PYTHON) else { return };
    script(&python, "pipelines.py", &Up::start(PAGE, &[]).http);
}

#[test]
fn a_client_generated_from_the_document_of_the_http_api_works() {
    let Some(python) = from_environment(PYTHON) else { return };
    script(&python, "generated_client.py", &Up::start(PAGE, &[]).http);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_openai_client_understands_a_rejection() {
    let Some(python) = from_environment(PYTHON) else { return };
    let invented = Reply::Text("The importer stops after one hundred errors [^99].".to_owned());
    let model = ModelServer::start(vec![invented]).await.unwrap();
    let up = Up::start(
        PAGE,
        &[
            ("OLLAMA_MODEL_NAME", "openai:script"),
            ("OPENAI_BASE_URL", &model.base_url()),
            ("OPENAI_API_KEY", "none"),
            ("ASSAY_GENERATION__WARM", "false"),
        ],
    );
    tokio::task::block_in_place(|| script(&python, "openai_rejected.py", &up.http));
}

#[test]
fn curl_speaks_to_both_http_protocols() {
    if Command::new("curl").arg("--version").output().is_err() {
        loudly(format_args!("SKIPPED: curl is not installed"));
        return;
    }
    let up = Up::start(PAGE, &[]);
    let post = |path: &str, body: Value| {
        let url = format!("{}{path}", up.http);
        let text = body.to_string();
        let output = Command::new("curl").args(["-sS", "-N", "--fail-with-body", &url, "-d", &text]).output();
        succeeds(output.unwrap())
    };
    // As Ollama documents it: no content type is named, so curl says that the body is a form.
    let body = json!({"model": "assay/retrieval", "messages": [{"role": "user", "content": QUESTION}]});
    let lines: Vec<Value> =
        post("/api/chat", body.clone()).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let said: String = lines.iter().filter_map(|line| line["message"]["content"].as_str()).collect();
    assert!(said.contains("one hundred errors"), "{said}");
    assert_eq!(
        (&lines.last().unwrap()["done"], &lines.last().unwrap()["assay"]["verdict"]),
        (&json!(true), &json!("PASS"))
    );

    let mut streaming = body;
    streaming["stream"] = json!(true);
    let url = format!("{}/v1/chat/completions", up.http);
    let json_type = ["-H", "Content-Type: application/json"];
    let output = Command::new("curl")
        .args(["-sS", "-N", &url])
        .args(json_type)
        .args(["-d", &streaming.to_string()])
        .output();
    let events = succeeds(output.unwrap());
    assert!(
        events.contains("\"chat.completion.chunk\"") && events.trim_end().ends_with("data: [DONE]"),
        "{events}"
    );
}

#[test]
fn buf_curl_asks_through_reflection() {
    let Some(buf) = from_environment(BUF) else { return };
    let up = Up::start(PAGE, &[]);
    let buf = |rest: &[&str]| {
        let output = Command::new(&buf)
            .args(["curl", "--protocol", "grpc", "--http2-prior-knowledge"])
            .args(rest)
            .output()
            .unwrap();
        succeeds(output)
    };
    let services = buf(&["--list-services", &up.grpc]);
    for name in ["brunix.AssistanceEngine", "assay.router.v1alpha1.RouterService", "grpc.health.v1.Health"] {
        assert!(services.lines().any(|line| line.trim() == name), "{name}: {services}");
    }
    assert!(services.lines().any(|line| line.trim() == "assay.audit.v1alpha1.AuditService"), "{services}");
    let question = json!({"query": QUESTION, "queryType": "RETRIEVAL"}).to_string();
    let answer = buf(&["-d", &question, &format!("{}/brunix.AssistanceEngine/AskAgent", up.grpc)]);
    let answer: Value = serde_json::from_str(&answer).unwrap_or_else(|error| panic!("{error}: {answer}"));
    assert_eq!((&answer["isFinal"], &answer["verdict"]), (&json!(true), &json!("PASS")));
    let question =
        json!({"question": {"text": QUESTION, "declaredType": "QUERY_TYPE_RETRIEVAL"}}).to_string();
    let answer = buf(&["-d", &question, &format!("{}/assay.router.v1alpha1.RouterService/Ask", up.grpc)]);
    assert!(answer.contains("one hundred errors"), "{answer}");
}

/// A key of these roles in the file.
fn key(data: &Path, file: &Path, principal: &str, roles: &[&str]) -> String {
    let mut command = assay(data);
    command.args(["keys", "create", "--principal", principal, "--tenant", "north", "--file"]).arg(file);
    roles.iter().for_each(|role| {
        command.args(["--role", role]);
    });
    succeeds(command.output().unwrap()).trim().to_owned()
}

#[test]
fn command_line_opens_a_locked_door_with_its_key() {
    let folder = tempfile::tempdir().unwrap();
    let (keys, nowhere) = (folder.path().join("keys.toml"), folder.path().join("nowhere"));
    let reader = key(&nowhere, &keys, "ada", &["ask"]);
    let writer = key(&nowhere, &keys, "eve", &["ask", "ingest"]);
    let up = Up::start(PAGE, &[("ASSAY_GATEWAY__AUTH__KEYS_FILE", keys.to_str().unwrap())]);
    let run = |key: &str, args: &[&str]| {
        let mut command = assay(&nowhere);
        if !key.is_empty() {
            command.env("ASSAY_API_KEY", key);
        }
        command.args(["--endpoint", &up.grpc]).args(args).output().unwrap()
    };
    let said = |output: &Output| String::from_utf8_lossy(&output.stderr).into_owned();

    let stranger = run("", &["search", "importer"]);
    assert_eq!(stranger.status.code(), Some(78), "{}", said(&stranger));
    assert!(said(&stranger).contains("--api-key") && said(&stranger).contains("[unauthenticated]"));
    let wrong = run("assay_wrong", &["search", "importer"]);
    assert!(said(&wrong).contains("[unauthenticated]") && !said(&wrong).contains("assay_wrong"));

    let page = folder.path().join("exporter.md");
    std::fs::write(&page, "# The exporter\n\nThe exporter writes one file a day.\n").unwrap();
    let page = page.to_str().unwrap();
    let refused = run(&reader, &["ingest", page]);
    assert!(
        said(&refused).contains("`ingest`") && said(&refused).contains("[permission_denied]"),
        "{}",
        said(&refused)
    );
    succeeds(run(&writer, &["ingest", page]));
    let found = succeeds(run(&reader, &["search", "exporter", "--json"]));
    assert!(
        found.contains("exporter.md") && !found.contains("importer.md"),
        "another tenant's page: {found}"
    );
    let ask = ["ask", "--type", "RETRIEVAL", "How many files does the exporter write?", "--json"];
    let answer: Value = serde_json::from_str(&succeeds(run(&reader, &ask))).unwrap();
    assert_eq!((&answer["outcome"], &answer["verdict"]), (&json!("ANSWERED"), &json!("PASS")), "{answer}");
    let streamed = succeeds(run(&reader, &["ask", "--type", "RETRIEVAL", "--stream", "How many files?"]));
    assert!(!streamed.is_empty());
    let id = answer["id"].as_str().unwrap();
    let record: Value =
        serde_json::from_str(&succeeds(run(&reader, &["audit", "show", id, "--json"]))).unwrap();
    assert_eq!((&record["principal"], &record["tenant"]), (&json!("ada"), &json!("north")), "{record}");
    let theirs = run(&writer, &["audit", "show", id]);
    assert!(said(&theirs).contains("[not_found]"), "{}", said(&theirs));
    let whole = run(&reader, &["audit", "verify"]);
    assert!(said(&whole).contains("[permission_denied]"), "{}", said(&whole));
}

/// Ends TLS before `target`, as an ingress does, with a certificate for `localhost`; gives its address and the authority.
async fn ingress(target: String) -> (String, String) {
    let authority = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let certificate = authority.cert.der().clone();
    let private = rustls::pki_types::PrivateKeyDer::try_from(authority.signing_key.serialize_der()).unwrap();
    let mut config = rustls::ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], private)
        .unwrap();
    config.alpn_protocols = vec![b"h2".to_vec()];
    let acceptor = tokio_rustls::TlsAcceptor::from(std::sync::Arc::new(config));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    assay_rpc::task::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            let (acceptor, target) = (acceptor.clone(), target.clone());
            assay_rpc::task::spawn(async move {
                let Ok(mut outside) = acceptor.accept(socket).await else { return };
                let mut inside = tokio::net::TcpStream::connect(target).await.unwrap();
                let _ = tokio::io::copy_bidirectional(&mut outside, &mut inside).await;
            });
        }
    });
    (format!("https://localhost:{port}"), authority.cert.pem())
}

#[tokio::test(flavor = "multi_thread")]
async fn https_endpoint_is_verified_by_the_named_authority() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let up = Up::start(PAGE, &[]);
    let folder = tempfile::tempdir().unwrap();
    let (url, pem) = ingress(up.grpc.trim_start_matches("http://").to_owned()).await;
    let (_, other) = ingress(String::new()).await;
    let (ca, foreign) = (folder.path().join("ca.crt"), folder.path().join("foreign.crt"));
    std::fs::write(&ca, pem).unwrap();
    std::fs::write(&foreign, other).unwrap();
    let run = |ca: Option<&Path>| {
        let mut command = assay(&folder.path().join("nowhere"));
        command.args(["--endpoint", &url, "search", "importer", "--json"]);
        if let Some(ca) = ca {
            command.arg("--ca").arg(ca);
        }
        tokio::task::block_in_place(|| command.output().unwrap())
    };
    assert!(succeeds(run(Some(&ca))).contains("importer.md"));
    for ca in [None, Some(foreign.as_path())] {
        let refused = run(ca);
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(!refused.status.success() && said.contains("--ca"), "{said}");
    }
}
