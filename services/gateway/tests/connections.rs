//! Connections of the two listeners, over real sockets: nobody takes the share of another. Every address of 127.0.0.0/8 is
//! this machine, so that one test can be several clients.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod scripted;

use std::net::SocketAddr;
use std::time::Duration;

use assay_proto::brunix::AgentRequest;
use assay_proto::brunix::assistance_engine_client::AssistanceEngineClient;
use assay_rpc::Limits;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};

use scripted::{Bench, Reply};

/// Longest that anything here is waited for.
const PATIENCE: Duration = Duration::from_secs(30);

async fn connect(from: &str, to: SocketAddr) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(SocketAddr::new(from.parse().unwrap(), 0)).unwrap();
    socket.connect(to).await.unwrap()
}

async fn idle(from: &str, to: SocketAddr, count: usize) -> Vec<TcpStream> {
    let mut idle = Vec::new();
    for _ in 0..count {
        idle.push(connect(from, to).await);
    }
    idle
}

/// Waits until the server has closed a connection.
async fn closed(mut stream: TcpStream) {
    // A server of HTTP/2 speaks first.
    let mut bytes = Vec::new();
    let end = tokio::time::timeout(PATIENCE, stream.read_to_end(&mut bytes)).await;
    end.expect("the server closes it").unwrap_or_default();
}

async fn agent(bench: &Bench) {
    let request = AgentRequest { query: "q".into(), ..Default::default() };
    AssistanceEngineClient::new(bench.door().await).ask_agent(request).await.unwrap();
}

fn limits(connections: usize, connections_per_address: usize) -> Limits {
    Limits { connections, connections_per_address, ..Limits::default() }
}

#[tokio::test]
async fn idle_connections_of_one_address_stop_nobody_at_either_door() {
    let bench = Bench::limited(limits(16, 8), |_| ()).await;
    let (http, grpc) = (bench.host().parse().unwrap(), bench.door_address());
    let mut first = Vec::new();
    for door in [grpc, http] {
        let mut idle = idle("127.0.0.2", door, 100).await;
        first.push(idle.remove(0));
        assert_eq!(bench.ask(&json!({"query": "q"})).await.status, 200);
        agent(&bench).await;
        // The flooder itself is served, too: its oldest connection makes room.
        let mut own = connect("127.0.0.2", http).await;
        let request = format!("GET /healthz HTTP/1.1\r\nHost: {http}\r\nConnection: close\r\n\r\n");
        own.write_all(request.as_bytes()).await.unwrap();
        let mut bytes = Vec::new();
        own.read_to_end(&mut bytes).await.unwrap();
        assert_eq!(Reply::parse(&bytes).status, 200);
        drop(idle);
    }
    for stream in first {
        closed(stream).await;
    }
    bench.stop().await;
}

#[tokio::test]
async fn full_table_of_idle_connections_admits_one_more() {
    let bench = Bench::limited(limits(8, 4), |_| ()).await;
    let mut idle_ones = Vec::new();
    for client in ["127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.5"] {
        idle_ones.extend(idle(client, bench.door_address(), 6).await);
    }
    assert_eq!(bench.ask(&json!({"query": "q"})).await.status, 200);
    agent(&bench).await;
    bench.stop().await;
}

#[tokio::test]
async fn a_question_under_way_keeps_its_connection() {
    let bench = Bench::limited(limits(8, 2), |_| ()).await;
    let http: SocketAddr = bench.host().parse().unwrap();
    let mut asking = connect("127.0.0.2", http).await;
    let body = json!({"query": "gate"}).to_string();
    let request = format!(
        "POST /v1/ask HTTP/1.1\r\nHost: {http}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    asking.write_all(request.as_bytes()).await.unwrap();
    bench.hanging().await;
    let mut others = idle("127.0.0.2", http, 20).await;
    closed(others.remove(0)).await;
    bench.gate().notify_one();
    let mut bytes = Vec::new();
    asking.read_to_end(&mut bytes).await.unwrap();
    assert_eq!(Reply::parse(&bytes).status, 200);
    bench.stop().await;
}

#[tokio::test]
async fn silent_peer_of_the_grpc_door_is_closed() {
    let limits = Limits { handshake_seconds: 1, ..Limits::default() };
    let bench = Bench::limited(limits, |_| ()).await;
    let silent = connect("127.0.0.2", bench.door_address()).await;
    let mut half = connect("127.0.0.2", bench.door_address()).await;
    half.write_all(b"PRI * HTTP/2.0\r\n\r\nSM").await.unwrap();
    closed(silent).await;
    closed(half).await;
    agent(&bench).await;
    bench.stop().await;
}

#[tokio::test]
async fn the_share_of_a_trusted_proxy_is_the_whole() {
    let bench =
        Bench::limited(limits(16, 2), |options| options.trusted_proxies = vec!["127.0.0.2".into()]).await;
    let http: SocketAddr = bench.host().parse().unwrap();
    let mut proxied = idle("127.0.0.2", http, 8).await;
    let direct = idle("127.0.0.3", http, 3).await;
    closed(direct.into_iter().next().unwrap()).await;
    let mut first = proxied.remove(0);
    let request = format!("GET /healthz HTTP/1.1\r\nHost: {http}\r\nConnection: close\r\n\r\n");
    first.write_all(request.as_bytes()).await.unwrap();
    let mut bytes = Vec::new();
    first.read_to_end(&mut bytes).await.unwrap();
    assert_eq!(Reply::parse(&bytes).status, 200);
    drop(proxied);
    bench.stop().await;
}
