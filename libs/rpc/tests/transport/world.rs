//! A service that does what it is told and counts what is done to it.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use assay_domain::Identity;
use assay_proto::generation::generation_service_client::GenerationServiceClient;
use assay_proto::generation::generation_service_server::{GenerationService, GenerationServiceServer};
use assay_proto::generation::{
    AssessRequest, AssessResponse, ClassifyRequest, ClassifyResponse, DescribeRequest, DescribeResponse,
    DraftRequest, DraftResponse, ReformulateRequest, ReformulateResponse, draft_response::Part,
};
use assay_rpc::channel::{Connection, Retry};
use assay_rpc::methods::Methods;
use assay_rpc::tls::Tls;
use assay_rpc::{Channel, Context, Limits, Outbound, Running, Service, ServiceSpec};
use futures::StreamExt as _;
use futures::stream::BoxStream;
use tokio::sync::Notify;
use tonic::{Request, Response, Status};

/// The service under test. `Describe` may be repeated, `Reformulate` and `Draft` must not be.
pub(crate) static SPEC: ServiceSpec = ServiceSpec {
    name: "generation",
    grpc: "assay.generation.v1alpha1.GenerationService",
    port: 0,
    calls: &[],
    callers: &["router", "validation"],
    purpose: "does what it is told",
};

pub(crate) type Client = GenerationServiceClient<Channel>;

/// What the service does with a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Mode {
    /// Answers.
    #[default]
    Answer,
    /// Answers `UNAVAILABLE`.
    Unavailable,
    /// Waits until it is let go.
    Hang,
    /// Answers with more than a message may hold.
    TooMuch,
}

#[derive(Debug, Default)]
pub(crate) struct Seen {
    pub(crate) name: String,
    pub(crate) mode: Mutex<Mode>,
    /// Calls that reached a handler.
    pub(crate) calls: AtomicUsize,
    /// Handlers and streams that were dropped before their end.
    pub(crate) dropped: AtomicUsize,
    /// Time left, as the handler saw it.
    pub(crate) left: Mutex<Option<Duration>>,
    pub(crate) go: Notify,
}

impl Seen {
    pub(crate) fn calls(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }

    pub(crate) fn dropped(&self) -> usize {
        self.dropped.load(Ordering::SeqCst)
    }

    pub(crate) fn set(&self, mode: Mode) {
        *self.mode.lock().unwrap() = mode;
    }
}

struct Handler {
    seen: Arc<Seen>,
    over: bool,
}

impl Drop for Handler {
    fn drop(&mut self) {
        if !self.over {
            self.seen.dropped.fetch_add(1, Ordering::SeqCst);
        }
    }
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Fake(pub(crate) Arc<Seen>);

impl Fake {
    pub(crate) fn called(name: &str) -> Self {
        Self(Arc::new(Seen { name: name.to_owned(), ..Seen::default() }))
    }

    /// The service, ready to be served.
    pub(crate) fn service(&self) -> Service {
        let server = GenerationServiceServer::new(self.clone())
            .max_decoding_message_size(assay_rpc::MAX_MESSAGE_BYTES)
            .max_encoding_message_size(2 * assay_rpc::MAX_MESSAGE_BYTES);
        Service::new(&SPEC, assay_proto::DESCRIPTORS).unwrap().with(|routes| routes.add_service(server))
    }

    /// Serves it at an address.
    pub(crate) async fn listen(&self, address: SocketAddr, tls: Option<Tls>) -> Running {
        self.service().listen_with(address, limits(), tls).await.unwrap()
    }

    async fn act<T>(&self, request: &Request<T>) -> Result<(), Status> {
        let context =
            Context::from_request(request).map_err(|failure| Status::unauthenticated(failure.message))?;
        *self.0.left.lock().unwrap() = Some(context.remaining());
        self.0.calls.fetch_add(1, Ordering::SeqCst);
        let mut handler = Handler { seen: Arc::clone(&self.0), over: false };
        let mode = *self.0.mode.lock().unwrap();
        if mode == Mode::Hang {
            self.0.go.notified().await;
        }
        handler.over = true;
        if mode == Mode::Unavailable { Err(Status::unavailable("not today")) } else { Ok(()) }
    }
}

#[tonic::async_trait]
impl GenerationService for Fake {
    type DraftStream = BoxStream<'static, Result<DraftResponse, Status>>;

    async fn draft(&self, request: Request<DraftRequest>) -> Result<Response<Self::DraftStream>, Status> {
        Context::from_request(&request).map_err(|failure| Status::unauthenticated(failure.message))?;
        self.0.calls.fetch_add(1, Ordering::SeqCst);
        let handler = Handler { seen: Arc::clone(&self.0), over: false };
        let first = DraftResponse { part: Some(Part::Delta("first".into())) };
        let rest = futures::stream::once(async move {
            let _held = handler;
            std::future::pending::<()>().await;
            Err(Status::internal("never"))
        });
        Ok(Response::new(futures::stream::iter([Ok(first)]).chain(rest).boxed()))
    }

    async fn reformulate(
        &self,
        request: Request<ReformulateRequest>,
    ) -> Result<Response<ReformulateResponse>, Status> {
        self.act(&request).await?;
        Ok(Response::new(ReformulateResponse { query: request.into_inner().question, ..Default::default() }))
    }

    async fn classify(&self, _: Request<ClassifyRequest>) -> Result<Response<ClassifyResponse>, Status> {
        Err(Status::unimplemented("not told"))
    }

    async fn assess(&self, _: Request<AssessRequest>) -> Result<Response<AssessResponse>, Status> {
        Err(Status::unimplemented("not told"))
    }

    async fn describe(
        &self,
        request: Request<DescribeRequest>,
    ) -> Result<Response<DescribeResponse>, Status> {
        self.act(&request).await?;
        let conversational = match *self.0.mode.lock().unwrap() {
            Mode::TooMuch => "x".repeat(assay_rpc::MAX_MESSAGE_BYTES + 1),
            _ => String::new(),
        };
        Ok(Response::new(DescribeResponse {
            main: self.0.name.clone(),
            conversational,
            ..Default::default()
        }))
    }
}

pub(crate) fn limits() -> Limits {
    Limits { drain_seconds: 5, ..Limits::default() }
}

pub(crate) fn loopback(port: u16) -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], port))
}

/// An address where nobody listens.
pub(crate) async fn nobody() -> SocketAddr {
    tokio::net::TcpListener::bind(loopback(0)).await.unwrap().local_addr().unwrap()
}

pub(crate) fn outbound() -> Outbound {
    Outbound {
        connection: Connection { resolve_seconds: 0.1, ..Connection::default() },
        retry: Retry { max_backoff_seconds: 0.1, ..Retry::default() },
        methods: Methods::read(assay_proto::DESCRIPTORS).unwrap(),
        ..Outbound::default()
    }
}

pub(crate) fn client(channel: Channel) -> Client {
    GenerationServiceClient::new(channel)
        .max_decoding_message_size(assay_rpc::MAX_MESSAGE_BYTES)
        .max_encoding_message_size(assay_rpc::MAX_MESSAGE_BYTES)
}

/// A client of the address.
pub(crate) fn to(address: SocketAddr, outbound: &Outbound) -> Client {
    client(outbound.channel("generation", &format!("http://{address}")).unwrap())
}

pub(crate) fn within<T>(seconds: f64, message: T) -> Request<T> {
    Context::new(Identity::local(), Duration::from_secs_f64(seconds)).request(message)
}

pub(crate) fn describe() -> Request<DescribeRequest> {
    within(30.0, DescribeRequest::default())
}

pub(crate) fn reformulate(question: &str) -> Request<ReformulateRequest> {
    within(30.0, ReformulateRequest { question: question.to_owned(), ..Default::default() })
}

/// Waits for an effect.
pub(crate) async fn until(what: &str, mut seen: impl AsyncFnMut() -> bool) {
    for _ in 0..1000 {
        if seen().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("never happened: {what}");
}
