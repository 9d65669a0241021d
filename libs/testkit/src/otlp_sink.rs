//! A trace store for tests: takes spans over gRPC and HTTP, remembers them with every byte and header, and can refuse
//! or keep silent.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use assay_rpc::task;
use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use opentelemetry_proto::tonic::collector::trace::v1::trace_service_server::{
    TraceService, TraceServiceServer,
};
use opentelemetry_proto::tonic::collector::trace::v1::{
    ExportTraceServiceRequest, ExportTraceServiceResponse,
};
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue, any_value::Value};
use prost::Message as _;
use tokio::net::TcpListener;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::{Code, Status};

/// How the store takes deliveries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mood {
    /// It keeps them.
    #[default]
    Keeps,
    /// It refuses them: `UNAVAILABLE`, or 503.
    Refuses,
    /// It never answers.
    Silent,
}

/// A span as it arrived. Ids are hex digits; the parent of a root is empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// Trace.
    pub trace_id: String,
    /// Span.
    pub span_id: String,
    /// Span above it.
    pub parent_id: String,
    /// Name.
    pub name: String,
    /// Kind as the protocol numbers it: 1 internal, 2 server, 3 client.
    pub kind: i32,
    /// 0 unset, 1 fine, 2 error.
    pub status: i32,
    /// Start and end, nanoseconds since 1970.
    pub time: (u64, u64),
    /// Attributes, values as text.
    pub attributes: BTreeMap<String, String>,
    /// Attributes of the process it came from.
    pub resource: BTreeMap<String, String>,
}

/// A delivery as it arrived.
#[derive(Debug, Clone)]
pub struct Delivery {
    /// Path it was sent to.
    pub path: String,
    /// Its headers.
    pub headers: HeaderMap,
    /// Its message.
    pub bytes: Vec<u8>,
}

/// A running store; it stops with the test's runtime.
#[derive(Debug, Clone)]
pub struct OtlpSink {
    grpc: SocketAddr,
    http: SocketAddr,
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    mood: Mutex<Mood>,
    deliveries: Mutex<Vec<Delivery>>,
    spans: Mutex<Vec<Seen>>,
}

// === impl OtlpSink ===

impl OtlpSink {
    /// Starts on free loopback ports.
    ///
    /// # Errors
    /// If no port can be bound.
    pub async fn start() -> std::io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let grpc = listener.local_addr()?;
        let service = TraceServiceServer::new(Door(shared.clone())).max_decoding_message_size(64 << 20);
        task::spawn(async move {
            let server = tonic::transport::Server::builder().add_service(service);
            let _ = server.serve_with_incoming(TcpListenerStream::new(listener)).await;
        });
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let http = listener.local_addr()?;
        let router = Router::new()
            .fallback(post)
            .layer(axum::extract::DefaultBodyLimit::max(64 << 20))
            .with_state(shared.clone());
        task::spawn(async move {
            let _ = axum::serve(listener, router).await;
        });
        Ok(Self { grpc, http, shared })
    }

    /// Address for gRPC.
    #[must_use]
    pub fn grpc_url(&self) -> String {
        format!("http://{}", self.grpc)
    }

    /// Address for HTTP.
    #[must_use]
    pub fn http_url(&self) -> String {
        format!("http://{}", self.http)
    }

    /// From now on deliveries are taken so.
    pub fn set(&self, mood: Mood) {
        *self.shared.mood.lock().unwrap_or_else(PoisonError::into_inner) = mood;
    }

    /// Every span that was kept.
    #[must_use]
    pub fn spans(&self) -> Vec<Seen> {
        self.shared.spans.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Every delivery that was kept.
    #[must_use]
    pub fn deliveries(&self) -> Vec<Delivery> {
        self.shared.deliveries.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether a text stands anywhere in what was kept.
    #[must_use]
    pub fn holds(&self, text: &str) -> bool {
        self.deliveries()
            .iter()
            .any(|delivery| delivery.bytes.windows(text.len()).any(|window| window == text.as_bytes()))
    }

    /// The kept spans once they are as wanted; what there is after ten seconds otherwise.
    pub async fn spans_when(&self, wanted: impl Fn(&[Seen]) -> bool) -> Vec<Seen> {
        for _ in 0..400 {
            let spans = self.spans();
            if wanted(&spans) {
                return spans;
            }
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
        self.spans()
    }
}

// === impl Shared ===

impl Shared {
    fn mood(&self) -> Mood {
        *self.mood.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn keep(&self, path: &str, headers: HeaderMap, bytes: Vec<u8>, request: ExportTraceServiceRequest) {
        let mut spans = self.spans.lock().unwrap_or_else(PoisonError::into_inner);
        for of_process in request.resource_spans {
            let resource = pairs(of_process.resource.map(|resource| resource.attributes).unwrap_or_default());
            for span in of_process.scope_spans.into_iter().flat_map(|scope| scope.spans) {
                spans.push(Seen {
                    trace_id: hex(&span.trace_id),
                    span_id: hex(&span.span_id),
                    parent_id: hex(&span.parent_span_id),
                    name: span.name,
                    kind: span.kind,
                    status: span.status.map_or(0, |status| status.code),
                    time: (span.start_time_unix_nano, span.end_time_unix_nano),
                    attributes: pairs(span.attributes),
                    resource: resource.clone(),
                });
            }
        }
        let delivery = Delivery { path: path.to_owned(), headers, bytes };
        self.deliveries.lock().unwrap_or_else(PoisonError::into_inner).push(delivery);
    }
}

#[derive(Debug)]
struct Door(Arc<Shared>);

#[tonic::async_trait]
impl TraceService for Door {
    async fn export(
        &self,
        request: tonic::Request<ExportTraceServiceRequest>,
    ) -> Result<tonic::Response<ExportTraceServiceResponse>, Status> {
        match self.0.mood() {
            Mood::Keeps => {}
            Mood::Refuses => return Err(Status::new(Code::Unavailable, "refused")),
            Mood::Silent => std::future::pending().await,
        }
        let (metadata, _, message) = request.into_parts();
        let path = "/opentelemetry.proto.collector.trace.v1.TraceService/Export";
        self.0.keep(path, metadata.into_headers(), message.encode_to_vec(), message);
        Ok(tonic::Response::new(ExportTraceServiceResponse::default()))
    }
}

async fn post(State(shared): State<Arc<Shared>>, uri: Uri, headers: HeaderMap, body: Bytes) -> Response {
    match shared.mood() {
        Mood::Keeps => {}
        Mood::Refuses => return StatusCode::SERVICE_UNAVAILABLE.into_response(),
        Mood::Silent => std::future::pending().await,
    }
    let Ok(message) = ExportTraceServiceRequest::decode(body.clone()) else {
        return StatusCode::BAD_REQUEST.into_response();
    };
    shared.keep(uri.path(), headers, body.to_vec(), message);
    ExportTraceServiceResponse::default().encode_to_vec().into_response()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn pairs(attributes: Vec<KeyValue>) -> BTreeMap<String, String> {
    attributes.into_iter().map(|pair| (pair.key, pair.value.map(text).unwrap_or_default())).collect()
}

fn text(value: AnyValue) -> String {
    match value.value {
        Some(Value::StringValue(text)) => text,
        Some(Value::BoolValue(value)) => value.to_string(),
        Some(Value::IntValue(value)) => value.to_string(),
        Some(Value::DoubleValue(value)) => value.to_string(),
        Some(Value::ArrayValue(array)) => {
            let all: Vec<String> = array.values.into_iter().map(text).collect();
            format!("[{}]", all.join(","))
        }
        Some(other) => format!("{other:?}"),
        None => String::new(),
    }
}
