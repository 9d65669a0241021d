//! Connections of a service: silent peers are closed, nobody takes the share of another, and a dead peer is named.

use std::net::SocketAddr;
use std::time::Duration;

use assay_rpc::channel::Retry;
use assay_rpc::tls::Tls;
use assay_rpc::{Limits, Outbound};
use tokio::io::AsyncReadExt as _;
use tokio::net::{TcpSocket, TcpStream};
use tonic::Code;

use crate::certificates::Authority;
use crate::world::{
    Fake, Mode, describe, limits, loopback, nobody, outbound, reformulate, to, until, within,
};

/// A connection from another address of this machine.
async fn connect(from: [u8; 4], to: SocketAddr) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(SocketAddr::from((from, 0))).unwrap();
    socket.connect(to).await.unwrap()
}

async fn closed(stream: &mut TcpStream) {
    let mut bytes = Vec::new();
    let end = tokio::time::timeout(Duration::from_secs(30), stream.read_to_end(&mut bytes)).await;
    end.expect("the server closes it").unwrap_or_default();
}

#[tokio::test]
async fn idle_peers_make_room_and_busy_ones_stay() {
    let fake = Fake::default();
    let limits = Limits { connections: 6, connections_per_address: 3, ..limits() };
    let running = fake.service().listen(loopback(0), limits).await.unwrap();
    let address = running.address().unwrap();
    fake.0.set(Mode::Hang);
    let mut caller = to(address, &outbound());
    let call = assay_rpc::task::detached(async move { caller.reformulate(reformulate("under way")).await });
    until("the call arrives", async || fake.0.calls() == 1).await;
    let mut idle = Vec::new();
    for client in 1..=4 {
        for _ in 0..5 {
            idle.push(connect([127, 0, 0, client], address).await);
        }
    }
    closed(&mut idle[0]).await;
    fake.0.set(Mode::Answer);
    to(address, &outbound()).describe(describe()).await.unwrap();
    fake.0.go.notify_waiters();
    assert_eq!(call.await.unwrap().unwrap().into_inner().query, "under way");
    running.drain().await;
}

#[tokio::test]
async fn a_silent_peer_is_closed_with_and_without_tls() {
    let limits = Limits { handshake_seconds: 1, ..limits() };
    let authority = Authority::new();
    for tls in [None, Some(Tls::load(&authority.issue("generation")).unwrap())] {
        let running = Fake::default().service().listen_with(loopback(0), limits, tls).await.unwrap();
        let mut silent = connect([127, 0, 0, 2], running.address().unwrap()).await;
        closed(&mut silent).await;
        running.drain().await;
    }
}

#[tokio::test]
async fn dead_peer_is_named_within_the_call_time() {
    let address = nobody().await;
    let impatient = Outbound { retry: Retry { patience_seconds: 0.0, ..Retry::default() }, ..outbound() };
    for (outbound, seconds) in [(impatient, 30.0), (outbound(), 0.3)] {
        let status =
            to(address, &outbound).reformulate(within(seconds, Default::default())).await.unwrap_err();
        assert_eq!(status.code(), Code::Unavailable, "{status}");
        assert!(
            status.message().contains("the generation service cannot be reached (Connection refused"),
            "{status}"
        );
        assert!(
            !status.message().contains(&address.to_string()),
            "where it is belongs into the log: {status}"
        );
    }
}
