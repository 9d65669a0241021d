//! Scripted peers: a parser that is up, slow or down, and an index that knows a few names.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use assay_domain::code::{BlockStatus, Category, Diagnostic, ParsedBlock};
use assay_domain::{Identity, Report, Severity, Source, SourceKind};
use assay_proto::parser as parser_wire;
use assay_proto::parser::parser_service_server::{ParserService, ParserServiceServer};
use assay_proto::retrieval as index_wire;
use assay_proto::retrieval::retrieval_service_server::{RetrievalService, RetrievalServiceServer};
use assay_proto::validation as wire;
use assay_proto::validation::check_request::Part;
use assay_proto::validation::check_response::Part as Reply;
use assay_proto::validation::validation_service_client::ValidationServiceClient;
use assay_rpc::{Channel, Context, Limits, Peers, Running, Service, ServiceSpec};
use assay_validation::Options;
use assay_wire::{FromWire as _, ToWire as _, list_to_wire};
use tokio::sync::Notify;
use tonic::{Request, Response, Status};

/// What the scripted parser does.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Accepts every block that does not hold the word BROKEN.
    Up,
    /// Never answers.
    Slow,
    /// Refuses every call.
    Down,
    /// Has no turn for another call.
    Busy,
    /// Answers for every block but the last.
    Fewer,
}

pub struct Parser {
    pub mode: Mutex<Mode>,
    pub calls: AtomicUsize,
    /// A call has begun.
    pub begun: Notify,
    /// A call was dropped before it ended.
    pub dropped: Notify,
}

impl Parser {
    pub fn new(mode: Mode) -> Arc<Self> {
        Arc::new(Self {
            mode: Mutex::new(mode),
            calls: AtomicUsize::new(0),
            begun: Notify::new(),
            dropped: Notify::new(),
        })
    }

    pub fn calls(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }

    pub fn set(&self, mode: Mode) {
        *self.mode.lock().unwrap() = mode;
    }
}

struct Scripted<T>(Arc<T>);

struct OnDrop<'a>(&'a Notify);

impl Drop for OnDrop<'_> {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

fn parsed(block: assay_domain::Block) -> ParsedBlock {
    if !block.code.contains("BROKEN") {
        return ParsedBlock { block, status: BlockStatus::Valid, diagnostics: Vec::new() };
    }
    let diagnostic = Diagnostic {
        line: 1,
        column: 1,
        end_column: 7,
        severity: Severity::Error,
        category: Category::UnknownToken,
        code: "TEST001".into(),
        message: "BROKEN is not known here".into(),
        suggestion: None,
        help: None,
    };
    ParsedBlock { block, status: BlockStatus::Invalid, diagnostics: vec![diagnostic] }
}

#[tonic::async_trait]
impl ParserService for Scripted<Parser> {
    async fn parse(
        &self,
        _: Request<parser_wire::ParseRequest>,
    ) -> Result<Response<parser_wire::ParseResponse>, Status> {
        Err(Status::unimplemented("not scripted"))
    }

    async fn parse_answer(
        &self,
        request: Request<parser_wire::ParseAnswerRequest>,
    ) -> Result<Response<parser_wire::ParseAnswerResponse>, Status> {
        self.0.calls.fetch_add(1, Ordering::SeqCst);
        self.0.begun.notify_one();
        let mode = *self.0.mode.lock().unwrap();
        match mode {
            Mode::Down => Err(Status::unavailable("down")),
            Mode::Busy => Err(Status::resource_exhausted("every turn is taken")),
            Mode::Slow => {
                let _dropped = OnDrop(&self.0.dropped);
                std::future::pending().await
            }
            Mode::Up | Mode::Fewer => {
                let blocks = assay_grounding::reading::read(&request.get_ref().answer, 0).blocks;
                let kept = blocks.len() - usize::from(mode == Mode::Fewer);
                let blocks: Vec<ParsedBlock> = blocks.into_iter().take(kept).map(parsed).collect();
                Ok(Response::new(parser_wire::ParseAnswerResponse {
                    blocks: list_to_wire(&blocks),
                    version: "9.9".into(),
                    grammar_hash: "cafe".into(),
                }))
            }
        }
    }

    async fn describe(
        &self,
        _: Request<parser_wire::DescribeRequest>,
    ) -> Result<Response<parser_wire::DescribeResponse>, Status> {
        Err(Status::unimplemented("not scripted"))
    }
}

/// An index that knows the names and paths it was given.
#[derive(Default)]
pub struct Index {
    pub known: Vec<&'static str>,
    pub asked: Mutex<Vec<index_wire::LookupRequest>>,
}

impl Index {
    pub fn knowing(known: &[&'static str]) -> Arc<Self> {
        Arc::new(Self { known: known.to_vec(), asked: Mutex::default() })
    }

    pub fn asked(&self) -> Vec<index_wire::LookupRequest> {
        self.asked.lock().unwrap().clone()
    }
}

#[tonic::async_trait]
impl RetrievalService for Scripted<Index> {
    type IngestStream = futures::stream::Empty<Result<index_wire::IngestResponse, Status>>;
    type DescribeCollectionStream =
        futures::stream::Empty<Result<index_wire::DescribeCollectionResponse, Status>>;

    async fn describe_collection(
        &self,
        _: Request<index_wire::DescribeCollectionRequest>,
    ) -> Result<Response<Self::DescribeCollectionStream>, Status> {
        Err(Status::unimplemented("not scripted"))
    }

    async fn delete_collection(
        &self,
        _: Request<index_wire::DeleteCollectionRequest>,
    ) -> Result<Response<index_wire::DeleteCollectionResponse>, Status> {
        Err(Status::unimplemented("not scripted"))
    }

    async fn search(
        &self,
        _: Request<index_wire::SearchRequest>,
    ) -> Result<Response<index_wire::SearchResponse>, Status> {
        Err(Status::unimplemented("not scripted"))
    }

    async fn few_shot(
        &self,
        _: Request<index_wire::FewShotRequest>,
    ) -> Result<Response<index_wire::FewShotResponse>, Status> {
        Err(Status::unimplemented("not scripted"))
    }

    async fn lookup(
        &self,
        request: Request<index_wire::LookupRequest>,
    ) -> Result<Response<index_wire::LookupResponse>, Status> {
        let request = request.into_inner();
        self.0.asked.lock().unwrap().push(request.clone());
        let known = |name: &String| self.0.known.contains(&name.as_str());
        Ok(Response::new(index_wire::LookupResponse {
            paths: request
                .paths
                .iter()
                .map(|path| index_wire::PathFact {
                    path: path.clone(),
                    exists: known(path),
                    line_count: if known(path) { 100 } else { 0 },
                    near: Vec::new(),
                })
                .collect(),
            names: request
                .names
                .iter()
                .map(|name| index_wire::NameFact {
                    name: name.clone(),
                    exists: known(name),
                    near: Vec::new(),
                })
                .collect(),
            cited: Vec::new(),
            cited_lines: Vec::new(),
            index_manifest: "m".into(),
        }))
    }

    async fn read_lines(
        &self,
        _: Request<index_wire::ReadLinesRequest>,
    ) -> Result<Response<index_wire::ReadLinesResponse>, Status> {
        Err(Status::unimplemented("not scripted"))
    }

    async fn lint_collection(
        &self,
        _: Request<index_wire::LintCollectionRequest>,
    ) -> Result<Response<index_wire::LintCollectionResponse>, Status> {
        Err(Status::unimplemented("not scripted"))
    }

    async fn embed(
        &self,
        _: Request<index_wire::EmbedRequest>,
    ) -> Result<Response<index_wire::EmbedResponse>, Status> {
        Err(Status::unimplemented("not scripted"))
    }

    async fn ingest(
        &self,
        _: Request<tonic::Streaming<index_wire::IngestRequest>>,
    ) -> Result<Response<Self::IngestStream>, Status> {
        Err(Status::unimplemented("not scripted"))
    }

    async fn list_collections(
        &self,
        _: Request<index_wire::ListCollectionsRequest>,
    ) -> Result<Response<index_wire::ListCollectionsResponse>, Status> {
        Err(Status::unimplemented("not scripted"))
    }
}

static PARSER: ServiceSpec = ServiceSpec {
    name: "parser",
    grpc: "assay.parser.v1alpha1.ParserService",
    port: 0,
    calls: &[],
    callers: &["validation"],
    purpose: "test",
};
static INDEX: ServiceSpec = ServiceSpec {
    name: "retrieval",
    grpc: "assay.retrieval.v1alpha1.RetrievalService",
    port: 0,
    calls: &[],
    callers: &["validation"],
    purpose: "test",
};

/// Validation and whoever it talks to. Whatever is none is an address where nobody answers.
pub struct Bench {
    pub client: ValidationServiceClient<Channel>,
    pub running: Vec<Running>,
}

/// Settings without a reader: words decide alone.
pub fn plain() -> Options {
    let reader = assay_reader::Options { kind: assay_reader::Kind::None, ..assay_reader::Options::default() };
    Options { reader, ..Options::default() }
}

pub async fn start(options: Options, parser: Option<Arc<Parser>>, index: Option<Arc<Index>>) -> Bench {
    let mut running = Vec::new();
    let mut peers = Peers::none();
    let mut add = |name: &'static str, service: Option<Service>| {
        let channel = match service {
            None => assay_rpc::peers::nobody(),
            Some(service) => {
                let (channel, server) = service.in_memory(Limits::default());
                running.push(server);
                channel
            }
        };
        peers.insert(name, channel);
    };
    let of = |spec| Service::new(spec, assay_proto::DESCRIPTORS).unwrap();
    let server =
        |parser| of(&PARSER).with(|routes| routes.add_service(ParserServiceServer::new(Scripted(parser))));
    add("parser", parser.map(server));
    let server =
        |index| of(&INDEX).with(|routes| routes.add_service(RetrievalServiceServer::new(Scripted(index))));
    add("retrieval", index.map(server));
    let service = assay_validation::compose(options, &peers).await.unwrap();
    let (channel, server) = service.in_memory(Limits::default());
    running.push(server);
    Bench { client: ValidationServiceClient::new(channel), running }
}

/// Validation behind a socket, one answer at a time, and nobody that it could ask.
pub async fn serve() -> (Bench, Running) {
    let mut peers = Peers::none();
    for name in ["parser", "retrieval"] {
        peers.insert(name, assay_rpc::peers::nobody());
    }
    let options = Options { parallel: 1, ..plain() };
    let service = assay_validation::compose(options, &peers).await.unwrap();
    let running = service.listen("127.0.0.1:0".parse().unwrap(), Limits::default()).await.unwrap();
    let url = format!("http://{}", running.address().unwrap());
    let client = ValidationServiceClient::new(Channel::to(&url, None).unwrap());
    (Bench { client, running: Vec::new() }, running)
}

pub const SOURCE: &str = "The importer skips empty rows.";
pub const GOOD: &str = "The importer skips empty rows [^1].";

/// Asks as everybody does, and gets an answer.
pub async fn served(bench: &Bench) {
    let answered = bench.check(open(&[doc("a.md", SOURCE)]), GOOD).await;
    assert_eq!(answered.report().verdict, assay_domain::Verdict::Pass);
}

pub fn context() -> Context {
    Context::new(Identity::local(), Duration::from_secs(30))
}

pub fn message(part: Part) -> wire::CheckRequest {
    wire::CheckRequest { part: Some(part) }
}

pub fn text(text: &str) -> Part {
    Part::Text(text.to_owned())
}

pub fn finish() -> Part {
    Part::Finish(wire::Finish::default())
}

pub fn doc(path: &str, text: &str) -> Source {
    let mut source = Source::given(path, SourceKind::Doc, text, 1);
    source.path = path.to_owned();
    source.language = "en".into();
    source
}

/// An order for a documentation answer whose context is known to be relevant.
pub fn open(sources: &[Source]) -> wire::Open {
    wire::Open {
        query_type: assay_domain::QueryType::Retrieval.to_wire(),
        sources: list_to_wire(sources),
        context_relevance: Some(0.99),
        ..wire::Open::default()
    }
}

/// What a check answered.
#[derive(Default)]
pub struct Answered {
    pub relevance: Option<wire::AssessRelevanceResponse>,
    pub segments: Vec<wire::CheckedSegment>,
    /// The report of the last draft.
    pub done: Option<wire::CheckDone>,
}

impl Answered {
    pub fn report(&self) -> Report {
        Report::from_wire(self.done.as_ref().unwrap().report.clone().unwrap()).unwrap()
    }
}

impl Bench {
    /// Sends the parts and reads every reply.
    pub async fn send(&self, parts: Vec<Part>) -> Result<Answered, Status> {
        self.send_within(&context(), parts).await
    }

    pub async fn send_within(&self, context: &Context, parts: Vec<Part>) -> Result<Answered, Status> {
        let messages = futures::stream::iter(parts.into_iter().map(message));
        let mut replies = self.client.clone().check(context.request(messages)).await?.into_inner();
        let mut answered = Answered::default();
        while let Some(reply) = replies.message().await? {
            match reply.part.unwrap() {
                Reply::Segment(segment) => {
                    answered.segments.push(segment);
                }
                Reply::Done(done) => answered.done = Some(done),
                Reply::Relevance(relevance) => {
                    assert!(answered.segments.is_empty() && answered.done.is_none(), "relevance comes first");
                    answered.relevance = Some(relevance);
                }
            }
        }
        Ok(answered)
    }

    /// Checks an answer.
    pub async fn check(&self, open: wire::Open, answer: &str) -> Answered {
        self.send(vec![Part::Open(open), text(answer), finish()]).await.unwrap()
    }
}
