//! A run: every question asked, every block parsed here, item by item, then the report.

use std::sync::Arc;
use std::time::Duration;

use assay_domain::{Answer, Code, Failure, Identity, Outcome};
use assay_rpc::{Context, task};
use futures::{Stream, StreamExt as _, stream};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;

use crate::golden::Golden;
use crate::options::Options;
use crate::ports::{Asker, Parser, ParserVersion};
use crate::standing;
use crate::tally::{CodeFacts, Tally};

/// Longest that the parser may take; a slower one aborts the run (contract §11).
pub(crate) const PARSER_PATIENCE: Duration = Duration::from_secs(2);

/// Most repetitions of a set.
pub(crate) const MOST_REPETITIONS: u32 = 100;

/// One message of a run.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Progress {
    /// An item is done.
    Item(Box<Item>),
    /// The run is over.
    Report(Box<Report>),
}

/// What became of an item.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Item {
    pub(crate) id: String,
    /// From 1.
    pub(crate) repetition: u32,
    pub(crate) answer: Result<Answer, Failure>,
    pub(crate) code: CodeFacts,
}

/// The result of a run.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Report {
    pub(crate) tally: Tally,
    pub(crate) parser: ParserVersion,
    /// Requirements of a binding run that were not met.
    pub(crate) missing: Vec<String>,
    /// Metrics that are not there, with the reason.
    pub(crate) not_computed: Vec<(&'static str, String)>,
}

/// Runs evaluations.
#[derive(Clone)]
pub(crate) struct Evaluator {
    asker: Arc<dyn Asker>,
    parser: Arc<dyn Parser>,
    options: Options,
    patience: Duration,
}

impl Evaluator {
    pub(crate) fn new(
        asker: Arc<dyn Asker>,
        parser: Arc<dyn Parser>,
        options: Options,
        patience: Duration,
    ) -> Self {
        Self { asker, parser, options, patience }
    }

    /// Runs in a task of its own; dropping the stream ends it and cancels the questions under way.
    pub(crate) fn run(
        &self,
        identity: Identity,
        golden: Vec<Golden>,
        repetitions: u32,
    ) -> impl Stream<Item = Result<Progress, Failure>> + Send + 'static {
        let (sender, receiver) = mpsc::channel(16);
        let this = self.clone();
        task::spawn(async move {
            tokio::select! {
                () = sender.closed() => {}
                result = this.drive(&identity, &golden, repetitions, &sender) => {
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
        golden: &[Golden],
        repetitions: u32,
        sender: &mpsc::Sender<Result<Progress, Failure>>,
    ) -> Result<(), Failure> {
        let parser = self.version(identity).await?;
        let rounds: Vec<_> = (1..=repetitions)
            .flat_map(|round| golden.iter().cloned().map(move |item| (round, item)))
            .collect();
        // Asked side by side, reported in order.
        let mut items = stream::iter(rounds)
            .map(|(round, item)| self.clone().item(identity.clone(), item, round, parser.clone()))
            .buffered(self.options.concurrent_questions);
        let mut tally = Tally::default();
        while let Some(item) = items.next().await {
            let (item, answerable) = item?;
            tally.add(&item.answer, item.code, answerable);
            if sender.send(Ok(Progress::Item(Box::new(item)))).await.is_err() {
                return Ok(());
            }
        }
        drop(items);
        unchanged(&parser, &self.version(identity).await?)?;
        let report = Report {
            missing: standing::missing(&self.options, &tally, repetitions),
            not_computed: not_computed(&tally),
            parser,
            tally,
        };
        // The last message; a caller that has gone needs none.
        let _ = sender.send(Ok(Progress::Report(Box::new(report)))).await;
        Ok(())
    }

    async fn item(
        self,
        identity: Identity,
        golden: Golden,
        repetition: u32,
        parser: ParserVersion,
    ) -> Result<(Item, Option<bool>), Failure> {
        let budget =
            Duration::try_from_secs_f64(self.options.question_seconds).unwrap_or(Duration::from_secs(60));
        let context = Context::new(identity.clone(), budget);
        let answer =
            context.within(self.asker.ask(&context, &golden.question)).await.and_then(|answer| answer);
        let code = match &answer {
            Ok(answer) => self.code(&identity, delivered(answer), &parser).await?,
            Err(_) => CodeFacts::default(),
        };
        Ok((Item { id: golden.id, repetition, answer, code }, golden.answerable))
    }

    /// Parses every block of the text, empty or not, so that no answer is scored past the parser.
    async fn code(
        &self,
        identity: &Identity,
        text: &str,
        expected: &ParserVersion,
    ) -> Result<CodeFacts, Failure> {
        let context = Context::background(identity.clone(), self.patience);
        let parse = self.parser.parse(&context, text, &self.options.default_language);
        let (blocks, version) = self.in_time(parse).await?;
        unchanged(expected, &version)?;
        CodeFacts::of(&blocks)
            .map_err(|reason| aborted(&format!("the parser did not check a block: {reason}")))
    }

    async fn version(&self, identity: &Identity) -> Result<ParserVersion, Failure> {
        let context = Context::background(identity.clone(), self.patience);
        self.in_time(self.parser.describe(&context)).await
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

/// What the reader got: the answer, or of a rejected one the part that stands.
fn delivered(answer: &Answer) -> &str {
    match (&answer.rejection, answer.outcome) {
        (Some(rejection), Outcome::Rejected) => &rejection.partial_response,
        _ => &answer.text,
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

/// What a reader of the report may look for and does not find.
fn not_computed(tally: &Tally) -> Vec<(&'static str, String)> {
    let mut list: Vec<(&'static str, String)> =
        ["answer_relevancy", "context_precision", "context_recall", "faithfulness"]
            .into_iter()
            .map(|metric| (metric, "needs a judge, and this version has none".to_owned()))
            .collect();
    if tally.with_code == 0 {
        list.push(("syntactic_validity", "no answer holds code that has a grammar".to_owned()));
    }
    if tally.no_grammar_blocks > 0 {
        let text = format!("{} blocks have no grammar and were not checked", tally.no_grammar_blocks);
        list.push(("syntactic_validity_of_other_languages", text));
    }
    if tally.answerability.is_empty() {
        list.push(("answerability", "no question of the set says whether it can be answered".to_owned()));
    }
    list
}
