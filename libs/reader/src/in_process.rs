//! A reader in this process: loaded when the first pair comes, run beside the async threads.

use std::sync::{Arc, Mutex, PoisonError};

use assay_domain::reader::{ReaderIdentity, Reading, Window};
use assay_models::{Error, Limits, Reader as Model, Stop, Weights};
use assay_rpc::Context;
use assay_rpc::task::{self, Waiting};
use async_trait::async_trait;
use tokio::sync::Semaphore;

use crate::options::Options;
use crate::port::{Missing, Question, Reader, Statement};
use crate::template::Task;

/// Pairs between two looks at the clock, so that what comes first is known though time runs out.
const AT_ONCE: usize = 8;
/// Calls that run or wait for the model's cores at a time; the next ones wait beside the threads.
const CALLS: usize = 4;

/// A reader in this process.
#[derive(Debug)]
pub(crate) struct InProcess {
    identity: ReaderIdentity,
    weights: Weights,
    limits: Limits,
    model: Arc<Mutex<Loaded>>,
    turns: Arc<Semaphore>,
}

/// What became of loading.
#[derive(Debug, Default)]
enum Loaded {
    #[default]
    NotYet,
    Here(Arc<Model>),
    /// It was logged, and is not tried again.
    Failed,
}

impl InProcess {
    pub(crate) fn new(weights: Weights, identity: ReaderIdentity, options: &Options) -> Self {
        let limits = Limits { cores: options.cores(), ..Limits::default() };
        let (model, turns) = (Arc::default(), Arc::new(Semaphore::new(CALLS)));
        Self { identity, weights, limits, model, turns }
    }

    /// Runs over the pairs in their order, some at a time.
    async fn run<T: Clone + Send + 'static>(
        &self,
        context: &Context,
        task: Task,
        pairs: &[(Window, String)],
        run: impl Fn(&Model, &[(assay_models::Window<'_>, &str)], Stop<'_>) -> Result<Vec<T>, Error>
        + Send
        + 'static,
    ) -> Vec<Result<T, Missing>> {
        if pairs.is_empty() {
            return Vec::new();
        }
        let (slot, weights, limits) = (Arc::clone(&self.model), self.weights.clone(), self.limits);
        let own = pairs.to_vec();
        let waiting = Waiting::default();
        let stop = waiting.over(context.deadline());
        let Ok(turn) = context.within(Arc::clone(&self.turns).acquire_owned()).await else {
            return task.told(vec![Err(Missing::Timeout); pairs.len()]);
        };
        let work = move || {
            // Held until the work ends, even if nobody waits for it any more.
            let _turn = turn;
            let Some(model) = model(&slot, &weights, limits, &stop) else {
                let missing = if stop() { Missing::Timeout } else { Missing::Failed("reader_failed") };
                return vec![Err(missing); own.len()];
            };
            let mut out = Vec::with_capacity(own.len());
            for chunk in own.chunks(AT_ONCE) {
                let asked: Vec<_> =
                    chunk.iter().map(|(window, text)| (borrowed(window), text.as_str())).collect();
                match run(&model, &asked, &stop) {
                    Ok(said) => out.extend(said.into_iter().map(Ok)),
                    Err(error) => out.extend(std::iter::repeat_n(Err(missing(&error)), chunk.len())),
                }
            }
            out
        };
        let done = task::blocking(work).await;
        task.told(done.unwrap_or_else(|panicked| {
            tracing::error!(target: "assay", %panicked, "the reader failed");
            vec![Err(Missing::Failed("reader_failed")); pairs.len()]
        }))
    }
}

/// The model, loaded if this is the first call; none where it cannot be had, or `stop` says so before.
fn model(slot: &Mutex<Loaded>, weights: &Weights, limits: Limits, stop: Stop<'_>) -> Option<Arc<Model>> {
    let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
    if matches!(*slot, Loaded::NotYet) {
        if stop() {
            return None;
        }
        *slot = match Model::load(weights, limits) {
            Ok(model) => Loaded::Here(Arc::new(model)),
            Err(error) => {
                tracing::error!(target: "assay", %error, "the reader cannot be loaded: what needs one is not checked");
                Loaded::Failed
            }
        };
    }
    match &*slot {
        Loaded::Here(model) => Some(Arc::clone(model)),
        Loaded::NotYet | Loaded::Failed => None,
    }
}

fn borrowed(window: &Window) -> assay_models::Window<'_> {
    assay_models::Window { text: &window.text, joined: window.joined }
}

fn missing(error: &Error) -> Missing {
    if matches!(error, Error::Stopped) {
        return Missing::Timeout;
    }
    tracing::warn!(target: "assay", %error, "the reader failed on a pair");
    Missing::Failed("reader_failed")
}

#[async_trait]
impl Reader for InProcess {
    fn identity(&self) -> &ReaderIdentity {
        &self.identity
    }

    async fn read(&self, context: &Context, pairs: &[(Window, Statement)]) -> Vec<Result<Reading, Missing>> {
        let run = |model: &Model, asked: &[(assay_models::Window<'_>, &str)], stop: Stop<'_>| {
            let said = model.read(asked, stop)?;
            let wide = |own: assay_models::Reading| Reading {
                says: f64::from(own.says),
                open: f64::from(own.open),
                denies: f64::from(own.denies),
            };
            Ok(said.into_iter().map(wide).collect())
        };
        self.run(context, Task::Read, pairs, run).await
    }

    async fn answers(&self, context: &Context, pairs: &[(Window, Question)]) -> Vec<Result<f64, Missing>> {
        let run = |model: &Model, asked: &[(assay_models::Window<'_>, &str)], stop: Stop<'_>| {
            Ok(model.answers(asked, stop)?.into_iter().map(f64::from).collect())
        };
        self.run(context, Task::Answers, pairs, run).await
    }
}
