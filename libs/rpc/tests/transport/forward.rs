//! What is passed on to a service behind a door.

use std::sync::Arc;

use assay_domain::Identity;
use assay_proto::generation::DraftRequest;
use assay_rpc::front::{Admit, Admitted, Call};
use assay_rpc::methods::Methods;
use assay_rpc::{Outbound, Service};
use futures::future::BoxFuture;
use tonic::Status;

use crate::world::{Fake, SPEC, describe, limits, loopback, outbound, reformulate, to, within};

/// Lets everybody in.
struct Open;

impl Admit for Open {
    fn admit<'a>(&'a self, _: Call<'a>) -> BoxFuture<'a, Result<Admitted, Status>> {
        let admitted =
            Admitted { identity: Identity::local(), request_id: None, until_the_end: Box::new(()) };
        Box::pin(std::future::ready(Ok(admitted)))
    }
}

#[tokio::test]
async fn one_connection_carries_any_number_of_calls_that_are_passed_on() {
    let fake = Fake::default();
    let running = fake.listen(loopback(0), None).await;
    // A method that is not known is sent and passed on as a stream, whose end is a frame of its own.
    let unknowing = Outbound { methods: Methods::default(), ..outbound() };
    for methods in [outbound().methods, Methods::default()] {
        let behind = Outbound { methods, ..outbound() };
        let address = format!("http://{}", running.address().unwrap());
        let channels = vec![(SPEC.grpc, behind.channel("generation", &address).unwrap())];
        let own = Service::new(&SPEC, assay_proto::DESCRIPTORS).unwrap();
        let door =
            assay_rpc::front::listen(own, loopback(0), channels, Arc::new(Open), limits()).await.unwrap();
        let mut caller = to(door.address().unwrap(), &unknowing);
        for call in 0..150 {
            let done = caller.reformulate(reformulate("why")).await;
            assert!(done.is_ok(), "call {call}: {done:?}");
        }
        for call in 0..60 {
            let (told, begun) = (
                caller.clone().describe(describe()).await,
                caller.draft(within(30.0, DraftRequest::default())).await,
            );
            assert!(told.is_ok() && begun.is_ok(), "call {call}: {told:?} {begun:?}");
            let first = begun.unwrap().into_inner().message().await;
            assert!(first.is_ok(), "call {call}: {first:?}");
        }
        door.drain().await;
    }
    running.drain().await;
}
