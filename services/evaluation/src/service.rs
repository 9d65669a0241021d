//! A run: its manifest first, then every question asked, every block parsed here, every answer judged; then the report.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use assay_domain::code::ParsedBlock;
use assay_domain::{Answer, Code, Failure, Identity, Outcome};
use assay_rpc::{Context, task};
use assay_scoring::{Manifest, Recorded, Report, pinned, report};
use futures::{Stream, StreamExt as _, stream};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;

use crate::golden::{self, Golden};
use crate::options::Options;
use crate::ports::{Asker, Case, Judge, Judges, Parser, ParserVersion, Pipeline};
use crate::record::{delivered, outcome_of, recorded, unparsed};

/// Longest that the parser may take; a slower one aborts the run (contract §11).
pub(crate) const PARSER_PATIENCE: Duration = Duration::from_secs(2);

/// Most repetitions of a set.
pub(crate) const MOST_REPETITIONS: u32 = 100;

/// What is to be run.
#[derive(Debug, Clone)]
pub(crate) struct Order {
    pub(crate) golden: Vec<Golden>,
    pub(crate) collection: String,
    pub(crate) repetitions: u32,
    /// Names of the judges; the verdicts of the first make the figures.
    pub(crate) judges: Vec<String>,
    /// Questions and repetitions that an earlier run has already.
    pub(crate) done: HashSet<(String, u32)>,
}

/// One message of a run.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Progress {
    /// What it is made with; before the first question.
    Manifest(Box<Manifest>),
    /// An item is done.
    Item(Box<Item>),
    /// The run is over.
    Report(Box<Report>),
}

/// What became of an item.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Item {
    /// How the request ended.
    pub(crate) outcome: Outcome,
    pub(crate) recorded: Recorded,
}

/// Who does what in a run.
#[derive(Clone)]
pub(crate) struct Ports {
    pub(crate) asker: Arc<dyn Asker>,
    pub(crate) parser: Arc<dyn Parser>,
    pub(crate) judges: Arc<dyn Judges>,
    pub(crate) pipeline: Arc<dyn Pipeline>,
}

/// Runs evaluations.
#[derive(Clone)]
pub(crate) struct Evaluator {
    ports: Ports,
    options: Options,
    patience: Duration,
}

impl Evaluator {
    pub(crate) fn new(ports: Ports, options: Options, patience: Duration) -> Self {
        Self { ports, options, patience }
    }

    /// Runs in a task of its own; dropping the stream ends it and cancels the questions under way.
    pub(crate) fn run(
        &self,
        identity: Identity,
        order: Order,
    ) -> impl Stream<Item = Result<Progress, Failure>> + Send + 'static {
        let (sender, receiver) = mpsc::channel(16);
        let this = self.clone();
        task::spawn(async move {
            tokio::select! {
                () = sender.closed() => {}
                result = this.drive(&identity, order, &sender) => {
                    if let Err(failure) = result {
                        // If the caller has gone there is nobody to tell.
                        let _ = sender.send(Err(failure)).await;
                    }
                }
            }
        });
        ReceiverStream::new(receiver)
    }

    async fn drive(
        &self,
        identity: &Identity,
        order: Order,
        sender: &mpsc::Sender<Result<Progress, Failure>>,
    ) -> Result<(), Failure> {
        let parser = self.version(identity).await?;
        let context = Context::new(identity.clone(), self.options.question_budget());
        let judges = self.ports.judges.open(&context, &order.judges).await?;
        let manifest = self.manifest(identity, &order, &parser, &judges).await?;
        if sender.send(Ok(Progress::Manifest(Box::new(manifest.clone())))).await.is_err() {
            return Ok(());
        }
        let Order { golden, repetitions, done, .. } = order;
        let rounds: Vec<_> = (1..=repetitions)
            .flat_map(|round| golden.iter().cloned().map(move |item| (round, item)))
            .filter(|(round, golden)| !done.contains(&(golden.item.id.clone(), *round)))
            .collect();
        // Asked side by side, reported in order.
        let mut items = stream::iter(rounds)
            .map(|(round, item)| {
                self.clone().item(identity.clone(), item, round, parser.clone(), judges.clone())
            })
            .buffered(self.options.concurrent_questions);
        let mut all = Vec::new();
        while let Some(item) = items.next().await {
            let item = item?;
            all.push(item.recorded.clone());
            if sender.send(Ok(Progress::Item(Box::new(item)))).await.is_err() {
                return Ok(());
            }
        }
        drop(items);
        unchanged(&parser, &self.version(identity).await?)?;
        let report = task::blocking(move || report(&manifest, &all)).await?;
        // The last message; a caller that has gone needs none.
        let _ = sender.send(Ok(Progress::Report(Box::new(report)))).await;
        Ok(())
    }

    /// What the run is made with.
    async fn manifest(
        &self,
        identity: &Identity,
        order: &Order,
        parser: &ParserVersion,
        judges: &[Arc<dyn Judge>],
    ) -> Result<Manifest, Failure> {
        let mut names = judges.iter().map(|judge| judge.name().to_owned());
        let context = Context::new(identity.clone(), self.options.question_budget());
        let parts = self.ports.pipeline.parts(&context, &order.collection).await?;
        let options = &self.options;
        Ok(Manifest {
            format: Manifest::FORMAT,
            version: env!("CARGO_PKG_VERSION").into(),
            golden_sha256: golden::sha256(order.golden.iter().map(|golden| &golden.item)),
            questions: u32::try_from(order.golden.len()).unwrap_or(u32::MAX),
            repetitions: order.repetitions,
            collection: order.collection.clone(),
            index: parts.index,
            parser: parser.to_string(),
            models: parts.models,
            prompts: parts.prompts,
            settings: parts.settings,
            judge: names.next().unwrap_or_default(),
            other_judges: names.collect(),
            judge_pinned: judges.iter().all(|judge| pinned(judge.name())),
            seed: options.seed,
            temperature: parts.temperature,
            gate: true,
            clean_commit: options.clean_commit.clone(),
            image_digest: options.image_digest.clone(),
        })
    }

    async fn item(
        self,
        identity: Identity,
        golden: Golden,
        repetition: u32,
        parser: ParserVersion,
        judges: Vec<Arc<dyn Judge>>,
    ) -> Result<Item, Failure> {
        let context = Context::new(identity.clone(), self.options.question_budget());
        let asked = context.within(self.ports.asker.ask(&context, &golden.question)).await;
        let answer = asked.and_then(|answer| answer);
        let blocks = match &answer {
            Ok(answer) => self.blocks(&identity, delivered(answer), &parser).await?,
            Err(_) => Vec::new(),
        };
        let mut recorded = recorded(&golden, repetition, &answer, &blocks);
        if let Ok(answer) = &answer {
            self.judge(identity, &golden, answer, &judges, &mut recorded).await;
        }
        let outcome = answer.as_ref().map_or_else(outcome_of, |answer| answer.outcome);
        Ok(Item { outcome, recorded })
    }

    /// Has every judge say what it makes of an answer.
    async fn judge(
        &self,
        identity: Identity,
        golden: &Golden,
        answer: &Answer,
        judges: &[Arc<dyn Judge>],
        recorded: &mut Recorded,
    ) {
        let context = Context::new(identity, self.options.question_budget());
        let unjudged = recorded.clone();
        let case = Case {
            question: &golden.question,
            answer,
            reference: &golden.item.reference,
            recorded: &unjudged,
        };
        for (place, judge) in judges.iter().enumerate() {
            let verdicts = judge.judge(&context, case).await;
            if place == 0 {
                recorded.verdicts = verdicts;
            } else {
                recorded.others.insert(judge.name().to_owned(), verdicts);
            }
        }
    }

    /// Parses every block of the text, empty or not, so that no answer is scored past the parser.
    async fn blocks(
        &self,
        identity: &Identity,
        text: &str,
        expected: &ParserVersion,
    ) -> Result<Vec<ParsedBlock>, Failure> {
        let context = Context::background(identity.clone(), self.patience);
        let parse = self.ports.parser.parse(&context, text, &self.options.default_language);
        let (blocks, version) = self.in_time(parse).await?;
        unchanged(expected, &version)?;
        match unparsed(&blocks) {
            Some(reason) => Err(aborted(&format!("the parser did not check a block: {reason}"))),
            None => Ok(blocks),
        }
    }

    async fn version(&self, identity: &Identity) -> Result<ParserVersion, Failure> {
        let context = Context::background(identity.clone(), self.patience);
        self.in_time(self.ports.parser.describe(&context)).await
    }

    async fn in_time<T>(&self, work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
        let slow = || aborted(&format!("the parser took longer than {} s", self.patience.as_secs_f64()));
        match tokio::time::timeout(self.patience, work).await {
            Err(_) => Err(slow()),
            Ok(Err(failure)) if failure.code == Code::DeadlineExceeded => Err(slow()),
            Ok(Err(failure)) => Err(aborted(&format!("the parser cannot be asked: {}", failure.message))),
            Ok(Ok(value)) => Ok(value),
        }
    }
}

fn unchanged(expected: &ParserVersion, found: &ParserVersion) -> Result<(), Failure> {
    if expected == found {
        return Ok(());
    }
    Err(aborted(&format!("the parser changed from {expected} to {found} during the run")))
}

fn aborted(why: &str) -> Failure {
    let text = format!("EvaluationAborted: MSVL cannot be bypassed: {why}");
    Failure::new(Code::EvaluationAborted, text).field("parser")
}
