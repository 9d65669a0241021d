//! The service over real sockets: peers that send rubbish, half a greeting or nothing, messages that are too large,
//! callers that read nothing and callers that give up. The others are served all the while.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::time::Duration;

use assay_domain::{Code, Identity, Verdict};
use assay_proto::validation::check_request::Part;
use assay_proto::validation::validation_service_client::ValidationServiceClient;
use assay_rpc::{Channel, Context, Limits, Peers, Running};
use assay_validation::{Options, compose};
use assay_wire::from_status;
use common::{Bench, context, doc, finish, message, open, text};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tokio_stream::wrappers::ReceiverStream;

const SOURCE: &str = "The importer skips empty rows.";
const GOOD: &str = "The importer skips empty rows [^1].";
/// The greeting of HTTP/2.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// Validation behind a socket, one answer at a time, and a caller of it.
async fn serve() -> (Bench, Running) {
    let mut peers = Peers::none();
    for name in ["parser", "retrieval", "generation"] {
        peers.insert(name, assay_rpc::peers::nobody());
    }
    let options = Options { parallel: 1, ..Options::default() };
    let service = compose(options, &peers).await.unwrap();
    let running = service.listen("127.0.0.1:0".parse().unwrap(), Limits::default()).await.unwrap();
    let url = format!("http://{}", running.address().unwrap());
    let client = ValidationServiceClient::new(Channel::to(&url, None).unwrap());
    (Bench { client, running: Vec::new() }, running)
}

/// Asks as everybody does, and gets an answer.
async fn served(bench: &Bench) {
    let answered = bench.check(open(&[doc("a.md", SOURCE)]), GOOD).await;
    assert_eq!(answered.report().verdict, Verdict::Pass);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn peers_that_say_nothing_sensible_keep_nobody_from_being_served() {
    let (bench, running) = serve().await;
    let address = running.address().unwrap();
    let mut open = Vec::new();
    for greeting in [
        &b""[..],
        b"GET / HTTP/1.1\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        &[0xff; 4096],
        &PREFACE[..9],
        PREFACE,
        // A frame that announces 16 MiB and sends none of it.
        &[PREFACE, b"\xff\xff\xff\x00\x00\x00\x00\x00\x01"].concat(),
    ] {
        for half_closed in [false, true] {
            let mut peer = TcpStream::connect(address).await.unwrap();
            // One that was cut off already is no matter here.
            let _ = peer.write_all(greeting).await;
            if half_closed {
                let _ = peer.shutdown().await;
            }
            open.push(peer);
        }
        served(&bench).await;
    }
    served(&bench).await;
    drop(open);
    running.drain().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_message_beyond_the_limit_is_refused_and_its_connection_goes_on() {
    let (bench, running) = serve().await;
    let large = vec![Part::Open(open(&[doc("a.md", SOURCE)])), text(&"x".repeat(17 << 20)), finish()];
    let failure = from_status(&bench.send(large).await.err().unwrap());
    assert!(matches!(failure.code, Code::PayloadTooLarge | Code::ResourceExhausted), "{failure:?}");
    let long = vec![Part::Open(open(&[doc("a.md", SOURCE)])), text(&"x".repeat(1 << 20)), finish()];
    let failure = from_status(&bench.send(long).await.err().unwrap());
    assert_eq!((failure.code, failure.field.as_str()), (Code::PayloadTooLarge, "validation.answer_bytes"));
    served(&bench).await;
    running.drain().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn callers_that_give_up_hold_no_turn() {
    let (bench, running) = serve().await;
    let sources: Vec<_> =
        (0..40).map(|n| doc(&format!("{n}.md"), &format!("{SOURCE} Row {n} is one. ").repeat(50))).collect();
    let answer = "The importer skips empty rows, and row 7 is one [^1]. ".repeat(200);
    for _ in 0..30 {
        // Gone before an answer could be there, wherever in its work the check is.
        let hurried = Context::new(Identity::local(), Duration::from_millis(5));
        let parts = vec![Part::Open(open(&sources)), text(&answer), finish()];
        let _ = bench.send_within(&hurried, parts).await;
        let parts = vec![Part::Open(open(&sources)), text(&answer), finish()];
        let _ = tokio::time::timeout(Duration::from_millis(3), bench.send(parts)).await;
    }
    served(&bench).await;
    running.drain().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_caller_that_reads_nothing_waits_alone() {
    let (bench, running) = serve().await;
    let (sender, receiver) = tokio::sync::mpsc::channel(64);
    let order = assay_proto::validation::Open { segments: true, ..open(&[doc("a.md", SOURCE)]) };
    sender.send(message(Part::Open(order))).await.unwrap();
    for _ in 0..60 {
        sender.send(message(text(&format!("{GOOD}\n\n")))).await.unwrap();
    }
    let mut client = bench.client.clone();
    let unread = client.check(context().request(ReceiverStream::new(receiver))).await.unwrap();
    for _ in 0..3 {
        served(&bench).await;
    }
    drop((unread, sender));
    running.drain().await;
}
