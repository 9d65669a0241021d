//! Scripted peers: each plays what a test wrote down and counts its calls. Outbox and sessions are the real ones.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use assay_domain::answer::{AnswerEvent, EventBody};
use assay_domain::code::{Block, BlockStatus, ParsedBlock};
use assay_domain::draft::{Draft, Finish, Generator as Wrote};
use assay_domain::evidence::{Hit, Source, SourceKind};
use assay_domain::question::Delivery;
use assay_domain::report::{
    Attempt, Check, CheckName, CheckStatus, Claim, ClaimKind, ClaimStatus, Finding, Report, Span, Verdict,
};
use assay_domain::{Answer, AuditId, Code, Failure, Identity, Question, Record};
use assay_domain::{CheckResult, CheckedSegment, Relevance, Spent, Terms};
use assay_router::ports::Trace;
use assay_router::ports::{
    Brief, CheckInput, CheckOutput, CheckSession, ErasedPayloads, Examples, Found, Generator, Ledger,
    LogHead, Opinion, Outbox, Ports, Reformulated, Retriever, SearchQuery, Sessions, Validator, Vectors,
    Written,
};
use assay_router::{Options, Router, SqliteOutbox, SqliteSessions};
use assay_rpc::{Context, task};
use async_trait::async_trait;
use futures::StreamExt as _;
use futures::stream::BoxStream;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// How often each method of a peer was called.
#[derive(Default)]
pub(crate) struct Calls {
    pub(crate) search: AtomicU32,
    pub(crate) examples: AtomicU32,
    pub(crate) embed: AtomicU32,
    pub(crate) draft: AtomicU32,
    pub(crate) reformulate: AtomicU32,
    pub(crate) classify: AtomicU32,
    /// Checks that were opened.
    pub(crate) check: AtomicU32,
    /// Those that were asked for the relevance of the sources.
    pub(crate) relevance: AtomicU32,
    pub(crate) append: AtomicU32,
    /// Draft streams that were dropped before their end.
    pub(crate) cut: AtomicU32,
}

impl Calls {
    pub(crate) fn total(&self) -> u32 {
        [
            &self.search,
            &self.examples,
            &self.embed,
            &self.draft,
            &self.reformulate,
            &self.classify,
            &self.check,
            &self.append,
        ]
        .iter()
        .map(|count| count.load(Ordering::SeqCst))
        .sum()
    }
}

pub(crate) fn get(count: &AtomicU32) -> u32 {
    count.load(Ordering::SeqCst)
}

/// What the generator does for one draft.
#[derive(Clone)]
pub(crate) enum Play {
    /// Writes these pieces and ends.
    Text(Vec<&'static str>),
    /// A model says that the sources do not answer.
    Abstain(&'static str),
    /// The composer says so, in its fixed words.
    Compose(&'static str),
    /// Writes these pieces and then nothing more.
    Hang(Vec<&'static str>),
    /// Fails at once.
    Fail(Code),
}

/// What validation says of one check.
#[derive(Clone)]
pub(crate) enum Judge {
    /// This report; every segment passes unless its text is the given one.
    Say(Box<Report>, Option<&'static str>),
    /// Nothing: it is down.
    Down,
}

/// The peers of a test.
pub(crate) struct World {
    pub(crate) calls: Calls,
    pub(crate) hits: Mutex<VecDeque<Result<u32, Code>>>,
    pub(crate) plays: Mutex<VecDeque<Play>>,
    pub(crate) judges: Mutex<VecDeque<Judge>>,
    pub(crate) relevant: Mutex<VecDeque<Option<bool>>>,
    pub(crate) examples_up: AtomicBool,
    pub(crate) audit_up: AtomicBool,
    pub(crate) records: Mutex<Vec<Record>>,
    /// Calls of a model that an opinion costs.
    pub(crate) opinions: AtomicU32,
    /// Records that audit does not take, and what it says.
    pub(crate) refused: Mutex<Vec<(AuditId, Code)>>,
    /// Sizes of the log that audit tells, instead of its own.
    pub(crate) sizes: Mutex<VecDeque<u64>>,
    /// What its root tells of its leaves.
    pub(crate) history: AtomicU8,
    pub(crate) briefs: Mutex<Vec<Brief>>,
    pub(crate) orders: Mutex<Vec<Terms>>,
}

impl Default for World {
    fn default() -> Self {
        Self {
            calls: Calls::default(),
            hits: Mutex::default(),
            plays: Mutex::default(),
            judges: Mutex::default(),
            relevant: Mutex::default(),
            examples_up: AtomicBool::new(true),
            audit_up: AtomicBool::new(true),
            records: Mutex::default(),
            opinions: AtomicU32::new(0),
            refused: Mutex::default(),
            sizes: Mutex::default(),
            history: AtomicU8::new(0),
            briefs: Mutex::default(),
            orders: Mutex::default(),
        }
    }
}

pub(crate) fn hit(index: u32) -> Hit {
    let mut source = Source::given(format!("s{index}"), SourceKind::Doc, format!("Passage {index}."), 10);
    source.path = format!("guide/{index}.md");
    source.sha256 = "ab".repeat(32);
    Hit { source, score: 1.0, bm25: None, knn: None }
}

fn up(down: &'static str) -> Failure {
    Failure::new(Code::Unavailable, down)
}

#[async_trait]
impl Retriever for World {
    async fn search(&self, _: &Context, _: SearchQuery) -> Result<Found, Failure> {
        self.calls.search.fetch_add(1, Ordering::SeqCst);
        let found = self.hits.lock().unwrap().pop_front().unwrap_or(Ok(2));
        let count = found.map_err(|code| Failure::new(code, "search is down"))?;
        Ok(Found { hits: (1..=count).map(hit).collect(), index_manifest: "m1".into(), degraded: Vec::new() })
    }

    async fn examples(&self, _: &Context, _: &str, _: &str, _: u32) -> Result<Examples, Failure> {
        self.calls.examples.fetch_add(1, Ordering::SeqCst);
        if self.examples_up.load(Ordering::SeqCst) {
            Ok(Examples { sources: vec![hit(9).source], degraded: false })
        } else {
            Err(up("examples are down"))
        }
    }

    async fn embed(&self, _: &Context, _: Vec<String>) -> Result<Vectors, Failure> {
        self.calls.embed.fetch_add(1, Ordering::SeqCst);
        Err(up("nothing embeds"))
    }
}

/// Counts itself as cut if it is dropped before its end.
struct Cut(Arc<World>, bool);

impl Drop for Cut {
    fn drop(&mut self) {
        if !self.1 {
            self.0.calls.cut.fetch_add(1, Ordering::SeqCst);
        }
    }
}

/// The generator needs the world itself for its streams.
pub(crate) struct Writer(pub(crate) Arc<World>);

pub(crate) fn draft_of(text: &str, finish: Finish) -> Draft {
    Draft {
        text: text.into(),
        generator: Wrote::Model,
        model: "test:model".into(),
        finish,
        prompts: Vec::new(),
        provider_trail: Vec::new(),
        model_calls: 1,
        temperature: Some(0.0),
        seed: Some(7),
        prompt_tokens: None,
        completion_tokens: None,
        warnings: Vec::new(),
    }
}

#[async_trait]
impl Generator for Writer {
    async fn draft(
        &self,
        _: &Context,
        brief: Brief,
    ) -> Result<BoxStream<'static, Result<Written, Failure>>, Failure> {
        self.0.calls.draft.fetch_add(1, Ordering::SeqCst);
        self.0.briefs.lock().unwrap().push(brief);
        let play = self.0.plays.lock().unwrap().pop_front().unwrap_or(Play::Text(vec!["It works. [^1]"]));
        let wrote = if matches!(play, Play::Compose(_)) { Wrote::Extractive } else { Wrote::Model };
        let (pieces, finish) = match play {
            Play::Fail(code) => return Err(Failure::new(code, "no provider answers")),
            Play::Text(pieces) => (pieces, Some(Finish::Stop)),
            Play::Abstain(text) | Play::Compose(text) => (vec![text], Some(Finish::Abstained)),
            Play::Hang(pieces) => (pieces, None),
        };
        let whole = pieces.concat();
        let deltas = futures::stream::iter(pieces).then(|piece| async move {
            // Lets the check answer before the next piece, as a network would.
            for _ in 0..20 {
                tokio::task::yield_now().await;
            }
            Ok(Written::Delta(piece.to_owned()))
        });
        let asked = futures::stream::iter([Ok(Written::Asked("test:model".into()))]);
        let mut cut = Cut(self.0.clone(), false);
        let end = futures::stream::once(async move {
            match finish {
                Some(finish) => {
                    cut.1 = true;
                    drop(cut);
                    Ok(Written::Done(Box::new(Draft { generator: wrote, ..draft_of(&whole, finish) })))
                }
                None => {
                    let _cut = cut;
                    std::future::pending().await
                }
            }
        });
        Ok(asked.chain(deltas).chain(end).boxed())
    }

    async fn reformulate(&self, _: &Context, _: &str, _: &str, _: &str) -> Result<Reformulated, Failure> {
        self.0.calls.reformulate.fetch_add(1, Ordering::SeqCst);
        Ok(Reformulated {
            query: "broader words".into(),
            spent: Spent { model_calls: 1, ..Spent::default() },
        })
    }

    async fn model(&self, _: &Context, _: assay_domain::QueryType) -> Result<String, Failure> {
        Ok("test:model".into())
    }

    async fn classify(&self, _: &Context, _: &str, _: Vec<String>) -> Result<Opinion, Failure> {
        self.0.calls.classify.fetch_add(1, Ordering::SeqCst);
        Ok(Opinion { label: String::new(), model_calls: self.0.opinions.load(Ordering::SeqCst) })
    }
}

/// A report with this verdict and as many failed checks.
pub(crate) fn report(verdict: Verdict, failed: &[CheckName]) -> Report {
    let checks = CheckName::ALL
        .iter()
        .map(|name| Check {
            name: *name,
            status: match verdict {
                _ if failed.contains(name) => CheckStatus::Failed,
                Verdict::Review if *name == CheckName::ClaimSupport => CheckStatus::Flagged,
                _ => CheckStatus::Passed,
            },
            reason: String::new(),
            required: true,
        })
        .collect();
    let errors = failed
        .iter()
        .map(|name| Finding { kind: name.to_string(), detail: "it failed".into(), span: None })
        .collect();
    let rejected = verdict == Verdict::Reject;
    Report {
        verdict,
        support: Some(0.9),
        checks,
        claims: Vec::new(),
        citations: Vec::new(),
        defects: Vec::new(),
        blocks: Vec::new(),
        context_relevance: Some(0.8),
        errors,
        warnings: Vec::new(),
        text: String::new(),
        partial_response: if rejected { "What stands.".into() } else { String::new() },
        retry_prompt: if rejected { "Correct it.".into() } else { String::new() },
        suggestion: if rejected { "Ask again.".into() } else { String::new() },
        models: Vec::new(),
    }
}

pub(crate) fn pass() -> Judge {
    Judge::Say(Box::new(report(Verdict::Pass, &[])), None)
}

pub(crate) fn review() -> Judge {
    Judge::Say(Box::new(report(Verdict::Review, &[])), None)
}

pub(crate) fn reject(failed: &[CheckName]) -> Judge {
    Judge::Say(Box::new(report(Verdict::Reject, failed)), None)
}

/// A report over claims of these kinds.
pub(crate) fn of_kinds(verdict: Verdict, failed: &[CheckName], kinds: &[ClaimKind]) -> Judge {
    let claim = |kind: &ClaimKind| Claim {
        text: "what it says".into(),
        span: Span::default(),
        kind: *kind,
        status: ClaimStatus::NotApplicable,
        support: None,
        citations: Vec::new(),
        evidence: Vec::new(),
        reason: String::new(),
        decided_by: String::new(),
    };
    let claims = kinds.iter().map(claim).collect();
    Judge::Say(Box::new(Report { claims, ..report(verdict, failed) }), None)
}

/// A report over one code block.
pub(crate) fn with_block(verdict: Verdict, failed: &[CheckName], status: BlockStatus) -> Judge {
    let block = Block {
        index: 0,
        language: "avap".into(),
        declared: true,
        code: "x".into(),
        byte_start: 0,
        byte_end: 1,
        first_line: 1,
    };
    let parsed = ParsedBlock { block, status, diagnostics: Vec::new() };
    Judge::Say(Box::new(Report { blocks: vec![parsed], ..report(verdict, failed) }), None)
}

/// A check: what it says of each draft comes from the world, in its order.
struct Checked {
    world: Arc<World>,
    terms: Terms,
    said: mpsc::UnboundedSender<Result<CheckOutput, Failure>>,
}

impl Checked {
    /// Begins a draft; what is said of it unless validation is down.
    fn begin(&mut self, attempt: Attempt) -> Option<(Report, Option<&'static str>)> {
        self.terms.attempt = attempt;
        self.world.orders.lock().unwrap().push(self.terms.clone());
        match self.world.judges.lock().unwrap().pop_front().unwrap_or_else(pass) {
            Judge::Say(report, failing) => Some((*report, failing)),
            Judge::Down => None,
        }
    }

    async fn run(
        mut self,
        mut saying: Option<(Report, Option<&'static str>)>,
        mut received: mpsc::UnboundedReceiver<CheckInput>,
    ) {
        let mut text = String::new();
        while let Some(part) = received.recv().await {
            if let CheckInput::Next(attempt) = part {
                text.clear();
                saying = self.begin(attempt);
                continue;
            }
            let Some((report, failing)) = &saying else {
                let _ = self.said.send(Err(up("validation is down")));
                return;
            };
            let said = match part {
                CheckInput::Text(piece) => {
                    text.push_str(&piece);
                    let passed = *failing != Some(piece.as_str());
                    let errors = if passed { Vec::new() } else { report.errors.clone() };
                    CheckOutput::Segment(CheckedSegment { text: piece, passed, errors })
                }
                _ => {
                    let own = if report.text.is_empty() { text.clone() } else { report.text.clone() };
                    CheckOutput::Done(Box::new(CheckResult {
                        report: Report { text: own, ..report.clone() },
                        check_ms: 1.0,
                        parser_version: "p1".into(),
                        policy: String::new(),
                        spent: Spent::default(),
                    }))
                }
            };
            let _ = self.said.send(Ok(said));
        }
    }
}

/// Validation needs the world itself for its checks.
pub(crate) struct Checker(pub(crate) Arc<World>);

#[async_trait]
impl Validator for Checker {
    async fn check(&self, _: &Context, terms: Terms) -> Result<CheckSession, Failure> {
        let world = Arc::clone(&self.0);
        world.calls.check.fetch_add(1, Ordering::SeqCst);
        let (input, received) = mpsc::unbounded_channel();
        let (said, output) = mpsc::unbounded_channel();
        let (attempt, assess) = (terms.attempt, terms.assess_relevance);
        let mut checked = Checked { world: world.clone(), terms, said };
        let mut saying = None;
        if assess {
            world.calls.relevance.fetch_add(1, Ordering::SeqCst);
            let relevant = world.relevant.lock().unwrap().pop_front().unwrap_or(Some(true));
            let relevant = relevant.ok_or_else(|| up("validation is down"))?;
            let relevance = Relevance { probability: if relevant { 0.9 } else { 0.1 }, relevant };
            checked.said.send(Ok(CheckOutput::Relevance(relevance))).unwrap();
        } else {
            saying = Some(checked.begin(attempt).ok_or_else(|| up("validation is down"))?);
        }
        task::spawn(checked.run(saying, received));
        let output = tokio_stream::wrappers::UnboundedReceiverStream::new(output).boxed();
        Ok(CheckSession { input, output })
    }
}

#[async_trait]
impl Ledger for World {
    async fn append(&self, _: &Context, record: &Record) -> Result<Option<LogHead>, Failure> {
        self.calls.append.fetch_add(1, Ordering::SeqCst);
        if !self.audit_up.load(Ordering::SeqCst) {
            return Err(up("audit is down"));
        }
        if let Some((_, code)) = self.refused.lock().unwrap().iter().find(|(id, _)| *id == record.audit_id) {
            return Err(Failure::new(*code, "audit does not take it"));
        }
        let mut records = self.records.lock().unwrap();
        if !records.iter().any(|known| known.audit_id == record.audit_id) {
            records.push(record.clone());
        }
        let size = self.sizes.lock().unwrap().pop_front().unwrap_or(records.len() as u64);
        let root = vec![self.history.load(Ordering::SeqCst); 32];
        Ok(Some(LogHead { log_id: "log".into(), size, root }))
    }

    /// Every record was one of theirs.
    async fn erase(&self, _: &Context, _: &Trace) -> Result<ErasedPayloads, Failure> {
        let count = self.records.lock().unwrap().len() as u64;
        Ok(ErasedPayloads { count, backups: vec!["audit.sqlite3.v2.backup".into()] })
    }
}

/// A router over a world, with stores in a folder of its own.
pub(crate) struct Bench {
    pub(crate) world: Arc<World>,
    pub(crate) ports: Ports,
    pub(crate) router: Router,
    pub(crate) options: Options,
    pub(crate) folder: tempfile::TempDir,
}

pub(crate) const HOUR_MS: u64 = 3_600_000;

pub(crate) fn bench() -> Bench {
    bench_with(|_| {}, |_| {})
}

pub(crate) fn bench_with(set: impl FnOnce(&mut Options), change: impl FnOnce(&mut Ports)) -> Bench {
    let folder = tempfile::tempdir().unwrap();
    let mut options = Options { data_dir: folder.path().to_owned(), ..Options::default() };
    set(&mut options);
    let world = Arc::new(World::default());
    let outbox: Arc<dyn Outbox> = Arc::new(
        SqliteOutbox::open_file(
            &folder.path().join("outbox.sqlite"),
            options.outbox_records,
            24 * HOUR_MS,
            1_000,
        )
        .unwrap(),
    );
    let sessions: Arc<dyn Sessions> = Arc::new(
        SqliteSessions::open_file(&folder.path().join("sessions.sqlite"), 24 * HOUR_MS, 1_000).unwrap(),
    );
    let mut ports = Ports {
        retriever: world.clone(),
        generator: Arc::new(Writer(world.clone())),
        validator: Arc::new(Checker(world.clone())),
        ledger: world.clone(),
        outbox,
        sessions,
        messages: None,
        traces: Vec::new(),
    };
    change(&mut ports);
    let router = Router::new(options.clone(), ports.clone());
    Bench { world, ports, router, options, folder }
}

pub(crate) fn context() -> Context {
    Context::new(Identity::local(), Duration::from_secs(60))
}

pub(crate) fn somebody(principal: &str) -> Context {
    let identity = Identity { principal: principal.into(), ..Identity::local() };
    Context::new(identity, Duration::from_secs(60))
}

impl Bench {
    pub(crate) fn plays(&self, plays: impl IntoIterator<Item = Play>) -> &Self {
        self.world.plays.lock().unwrap().extend(plays);
        self
    }

    pub(crate) fn judges(&self, judges: impl IntoIterator<Item = Judge>) -> &Self {
        self.world.judges.lock().unwrap().extend(judges);
        self
    }

    pub(crate) async fn ask(&self, question: Question) -> Result<Answer, Failure> {
        self.router.ask(context(), question, Delivery::Held, None, CancellationToken::new()).await
    }

    /// Asks as a stream and returns the events too.
    pub(crate) async fn stream(&self, question: Question, delivery: Delivery) -> (Vec<AnswerEvent>, Answer) {
        let (sender, mut receiver) = mpsc::channel(256);
        let answer = self
            .router
            .ask(context(), question, delivery, Some(sender), CancellationToken::new())
            .await
            .unwrap();
        let mut events = Vec::new();
        while let Some(event) = receiver.recv().await {
            events.push(event);
        }
        for (index, event) in events.iter().enumerate() {
            assert_eq!(event.sequence, index as u64, "the sequence has a gap");
        }
        (events, answer)
    }

    pub(crate) fn records(&self) -> Vec<Record> {
        self.world.records.lock().unwrap().clone()
    }

    /// The one record of the one request.
    pub(crate) fn record(&self) -> Record {
        let records = self.records();
        assert_eq!(records.len(), 1, "one request, one record");
        records[0].clone()
    }
}

/// The text that a client who follows the events holds at the end.
pub(crate) fn followed(events: &[AnswerEvent]) -> String {
    let mut held = String::new();
    for event in events {
        match &event.body {
            EventBody::Segment(text) => held.push_str(text),
            EventBody::Retracted => held.clear(),
            _ => {}
        }
    }
    held
}

pub(crate) fn kinds(events: &[AnswerEvent]) -> Vec<&'static str> {
    events
        .iter()
        .map(|event| match event.body {
            EventBody::Routed { .. } => "routed",
            EventBody::Sources(_) => "sources",
            EventBody::Segment(_) => "segment",
            EventBody::Retracted => "retracted",
            EventBody::Settled(_) => "settled",
            EventBody::Failed(_) => "failed",
        })
        .collect()
}

pub(crate) const RETRIEVAL: &str = "How does addParam work?";
pub(crate) const CODE: &str = "Write an endpoint that returns the date";
pub(crate) const CHAT: &str = "Explain that again in two sentences";
pub(crate) const PLATFORM: &str = "How much of my quota is left?";
