//! The service over real sockets: peers that send rubbish, half a greeting or nothing, messages that are too large,
//! callers that read nothing. The others are served all the while.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::time::Duration;

use assay_domain::{Code, Identity};
use assay_proto::validation::check_request::Part;
use assay_proto::validation::check_response::Part as Reply;
use assay_rpc::Context;
use assay_wire::from_status;
use common::{SOURCE, doc, finish, message, open, serve, served, text};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

/// The greeting of HTTP/2.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

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
async fn oversized_message_is_refused_and_its_connection_continues() {
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

/// What a peer may have underway to a caller that does not read: the window of a call.
const WINDOW: usize = 1 << 20;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_caller_that_reads_nothing_waits_alone() {
    let (bench, running) = serve().await;
    // Each paragraph comes back with a finding for each of its markers, so that little text makes large replies.
    let paragraph = format!("The importer skips empty rows {}.\n\n", "[^9]".repeat(350));
    let paragraphs = 160;
    let order = assay_proto::validation::Open { segments: true, ..open(&[doc("a.md", SOURCE)]) };
    let texts = std::iter::repeat_with(|| text(&paragraph)).take(paragraphs);
    let parts: Vec<_> = [Part::Open(order)].into_iter().chain(texts).chain([finish()]).map(message).collect();
    let mut client = bench.client.clone().max_decoding_message_size(16 << 20);
    let patient = Context::new(Identity::local(), Duration::from_secs(300));
    let mut unread = client.check(patient.request(futures::stream::iter(parts))).await.unwrap().into_inner();
    // Turns are taken in order: so many others are served only if the check goes on between them or waits outside.
    for _ in 0..paragraphs + 20 {
        served(&bench).await;
    }
    // Read at last, it is all there: more than could have been sent to somebody who reads nothing.
    let (mut segments, mut bytes, mut done) = (0, 0, false);
    while let Some(reply) = unread.message().await.unwrap() {
        match reply.part.unwrap() {
            Reply::Segment(segment) => {
                segments += 1;
                bytes +=
                    segment.errors.iter().map(|error| error.kind.len() + error.detail.len()).sum::<usize>();
                assert_eq!(segment.errors.len(), 350);
            }
            Reply::Done(_) => done = true,
            Reply::Relevance(_) => panic!("nobody asked for relevance"),
        }
    }
    assert!((segments, done) == (paragraphs, true), "{segments} segments");
    assert!(bytes > 2 * WINDOW, "{bytes} bytes wait for nobody");
    running.drain().await;
}
