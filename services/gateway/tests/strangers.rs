//! What strangers leave in traces and metrics: nothing that they made up.
//!
//! One test, because telemetry is one for the whole process.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod scripted;

use assay_domain::Role;
use assay_gateway::keys::{Grant, KeysFile};
use assay_proto::retrieval::ListCollectionsRequest;
use assay_proto::retrieval::retrieval_service_client::RetrievalServiceClient;
use tonic::Request;

use scripted::Bench;

fn traceparent(digit: char) -> String {
    let trace: String = std::iter::repeat_n(digit, 32).collect();
    format!("00-{trace}-00f067aa0ba902b7-01")
}

#[tokio::test]
async fn strangers_decide_neither_what_is_traced_nor_what_is_counted() {
    let folder = tempfile::tempdir().unwrap();
    let (keys, traces) = (folder.path().join("keys.toml"), folder.path().join("traces.jsonl"));
    let mut file = KeysFile::default();
    let grant = Grant {
        principal: "ada".into(),
        tenant: "north".into(),
        roles: vec![Role::Ask],
        name: String::new(),
        days: None,
    };
    let key = file.issue(grant, [1; 6], [2; 32], 1_790_000_000_000).unwrap();
    std::fs::write(&keys, file.render().unwrap()).unwrap();
    // Nothing is sampled unless the caller's trace is.
    let options = assay_telemetry::Options {
        trace_file: Some(traces.clone()),
        sampling_ratio: 0.0,
        ..assay_telemetry::Options::default()
    };
    let telemetry = assay_telemetry::start("gateway", &options).unwrap();
    let bench = Bench::with(|options| options.auth.keys_file = keys).await;

    let get = |digit: char, header: &str| {
        let trace = traceparent(digit);
        format!(
            "GET /v1/collections HTTP/1.1\r\nHost: {{host}}\r\n{header}traceparent: {trace}\r\nConnection: close\r\n\r\n"
        )
    };
    assert_eq!(bench.raw(&get('a', "")).await.status, 401);
    assert_eq!(bench.raw(&get('b', &format!("x-api-key: {key}\r\n"))).await.status, 200);
    let mut client = RetrievalServiceClient::new(bench.door().await);
    for (digit, key, allowed) in [('c', "wrong", false), ('d', key.as_str(), true)] {
        let mut request = Request::new(ListCollectionsRequest {});
        request.metadata_mut().insert("traceparent", traceparent(digit).parse().unwrap());
        request.metadata_mut().insert("x-api-key", key.parse().unwrap());
        assert_eq!(client.list_collections(request).await.is_ok(), allowed);
    }
    for number in 0..50 {
        bench.raw(&format!("M{number:06} / HTTP/1.1\r\nHost: {{host}}\r\nConnection: close\r\n\r\n")).await;
        let path = format!("/made.up.Service{number}/Method{number}");
        let mut grpc = tonic::client::Grpc::new(bench.door().await);
        grpc.ready().await.unwrap();
        let codec = tonic_prost::ProstCodec::<(), ()>::default();
        let called = grpc.unary(Request::new(()), path.parse().unwrap(), codec).await;
        assert_eq!(called.unwrap_err().code(), tonic::Code::Unauthenticated);
    }
    bench.stop().await;
    let metrics = assay_telemetry::exposition(None).body;
    telemetry.flush();

    let traces = std::fs::read_to_string(traces).unwrap();
    for (digit, continued) in [('a', false), ('b', true), ('c', false), ('d', true)] {
        let trace: String = std::iter::repeat_n(digit, 32).collect();
        assert_eq!(traces.contains(&trace), continued, "{digit}: {traces}");
    }
    for made_up in ["M0000", "made.up", "Method4"] {
        assert!(!metrics.contains(made_up), "{made_up}: {metrics}");
    }
    assert!(
        metrics.contains("assay_http_requests_total{method=\"other\",route=\"/\",status=\"405\"} 50\n"),
        "{metrics}"
    );
    let refused =
        "assay_rpc_server_total{method=\"other\",service=\"other\",status=\"UNAUTHENTICATED\"} 51\n";
    assert!(metrics.contains(refused), "{metrics}");
}
