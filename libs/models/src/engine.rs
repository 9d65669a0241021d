//! One loaded model: graph, tokenizer and cores. Runs encoded texts in batches and hands each row of the answer on.

use crate::Weights;
use crate::batch::{Bounds, batches};
use crate::config::Config;
use crate::files::Parts;
use crate::integer::{self, Prepared, Products};
use crate::pools::Pools;
use crate::tokens::Tokens;
use crate::{Error, Files, Limits, Stop};
use rten::{Dimension, Model, ModelOptions, NodeId, RunOptions, Value, ValueOrView};
use rten_tensor::prelude::*;
use rten_tensor::{NdTensor, Tensor};
use sha2::{Digest, Sha256};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use tokenizers::{EncodeInput, Encoding, TruncationStrategy};

/// Most rows in one batch.
const ROWS: usize = 32;
/// Least row length of a model: two special tokens, one of each text of a pair.
const SHORTEST: usize = 4;
/// Most tokens in the one batch that a graph of fixed sizes insists on: 64 MiB a layer of 256 numbers a token.
const CELLS: usize = 1 << 16;

/// What an input of the graph is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Ids,
    Mask,
    Types,
}

impl Role {
    fn of(name: &str) -> Option<Self> {
        match name {
            "input_ids" => Some(Self::Ids),
            "attention_mask" => Some(Self::Mask),
            "token_type_ids" => Some(Self::Types),
            _ => None,
        }
    }
}

/// A loaded model.
pub(crate) struct Engine {
    model: Model,
    inputs: Vec<(NodeId, Role)>,
    outputs: Vec<NodeId>,
    tokens: Tokens,
    pools: Pools,
    limits: Limits,
    /// Rows that the graph insists on.
    rows: Option<usize>,
    /// Row length that the graph insists on.
    length: Option<usize>,
    /// Whether an input must have a batch of its own: dynamic quantisation takes its range over the whole batch, so
    /// that neighbours and padding would change an answer.
    alone: bool,
    digest: String,
}

/// How a model is loaded and read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Form {
    /// Which text of a pair is cut.
    pub(crate) cut: TruncationStrategy,
    /// Names of the outputs that count, at most two; empty for the first one.
    pub(crate) outputs: &'static [&'static str],
    /// How stored integers are multiplied.
    pub(crate) products: Products,
}

/// What the model says of one input.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Answer<'a> {
    /// Sizes of the dimensions behind the batch.
    pub(crate) shape: &'a [usize],
    /// Values, row-major.
    pub(crate) values: &'a [f32],
    /// Values of the second output that was asked for; empty where one was.
    pub(crate) second: &'a [f32],
    /// Tokens of the input; the positions behind are padding.
    pub(crate) tokens: usize,
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine").field("digest", &self.digest).field("limits", &self.limits).finish()
    }
}

impl Engine {
    /// Reads graph, tokenizer and configuration. The longer text of a pair is cut first, and the first output counts.
    pub(crate) fn load(files: &Files, limits: Limits) -> Result<Self, Error> {
        let form = Form { cut: TruncationStrategy::LongestFirst, outputs: &[], products: Products::AsStored };
        Self::open(&Weights::Files(files.clone()), limits, form)
    }

    /// As [`Engine::load`] from any place, in a form of the caller's own.
    pub(crate) fn open(weights: &Weights, limits: Limits, form: Form) -> Result<Self, Error> {
        let limits = limits.check()?;
        let Parts { path, model: bytes, tokenizer, config } = weights.parts()?;
        let path = path.as_path();
        let told = Config::read(config.as_deref())?;
        let digest = hex::encode(Sha256::digest(&bytes));
        let Prepared { bytes, alone } = integer::prepare(bytes, form.products);
        let model = ModelOptions::with_all_ops()
            .prepack_weights(true)
            .load(bytes)
            .map_err(|why| Error::Graph { path: path.to_owned(), why: why.to_string() })?;
        let inputs = roles(&model, path)?;
        let (rows, length) = sizes(&model, path, &inputs)?;
        let outputs = outputs(&model, path, form.outputs)?;
        let longest = [Some(limits.max_tokens), length, told.positions()].into_iter().flatten().min();
        let longest = longest.unwrap_or(limits.max_tokens);
        if let Some(path) = config.as_deref().filter(|_| longest < SHORTEST.min(limits.max_tokens)) {
            let why =
                format!("`max_position_embeddings` leaves {longest} tokens; at least {SHORTEST} are needed");
            return Err(Error::Labels { path: path.to_owned(), why });
        }
        let tokens = Tokens::of(tokenizer, longest, told.pad_token_id, form.cut)?;
        let pools = Pools::new(limits.cores);
        Ok(Self { model, inputs, outputs, tokens, pools, limits, rows, length, alone, digest })
    }

    /// SHA-256 of the model file, lower-case hex.
    pub(crate) fn digest(&self) -> &str {
        &self.digest
    }

    /// The tokenizer.
    pub(crate) fn tokens(&self) -> &Tokens {
        &self.tokens
    }

    /// Encodes inputs; see [`Tokens::encode`].
    pub(crate) fn encode<'t>(
        &self,
        inputs: impl ExactSizeIterator<Item = EncodeInput<'t>>,
        stop: Stop<'_>,
    ) -> Result<Vec<Encoding>, Error> {
        self.tokens.encode(inputs, stop)
    }

    /// Runs the model over all inputs and reads each one's answer, in the order of the inputs.
    ///
    /// # Errors
    /// [`Error::Stopped`] when `stop` says so before a batch; [`Error::Run`]; what `read` returns.
    pub(crate) fn run<T: Send>(
        &self,
        inputs: &[Encoding],
        stop: Stop<'_>,
        read: impl Fn(Answer<'_>) -> Result<T, Error> + Sync,
    ) -> Result<Vec<T>, Error> {
        let lengths: Vec<usize> =
            inputs.iter().map(|input| self.length.unwrap_or(input.get_ids().len())).collect();
        let rows = if self.alone { 1 } else { self.rows.unwrap_or(ROWS) };
        let bounds = Bounds { tokens: self.limits.batch_tokens, rows, cores: self.pools.cores() };
        let batches = batches(&lengths, bounds);
        let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
        let work = || -> Result<Vec<(usize, T)>, Error> {
            let mut done = Vec::new();
            while let Some(batch) = batches.get(next.fetch_add(1, Ordering::Relaxed)) {
                if failed.load(Ordering::Relaxed) {
                    break;
                }
                let rows: Vec<&Encoding> = batch.iter().filter_map(|place| inputs.get(*place)).collect();
                match self.forward(&rows, stop, &read) {
                    Ok(found) => done.extend(batch.iter().copied().zip(found)),
                    Err(error) => {
                        failed.store(true, Ordering::Relaxed);
                        return Err(error);
                    }
                }
            }
            Ok(done)
        };
        let workers = self.pools.cores().min(batches.len());
        let mut done = if workers < 2 { work()? } else { spread(workers, work)? };
        done.sort_unstable_by_key(|(place, _)| *place);
        Ok(done.into_iter().map(|(_, found)| found).collect())
    }

    /// One batch on one core.
    fn forward<T>(
        &self,
        rows: &[&Encoding],
        stop: Stop<'_>,
        read: &(impl Fn(Answer<'_>) -> Result<T, Error> + Sync),
    ) -> Result<Vec<T>, Error> {
        let core = self.pools.take(stop)?;
        let longest = rows.iter().map(|row| row.get_ids().len()).max().unwrap_or(0);
        let shape = [self.rows.unwrap_or(rows.len()), self.length.unwrap_or(longest)];
        let inputs = self.inputs.iter().map(|(node, role)| {
            let tensor =
                NdTensor::<i32, 2>::from_fn(shape, |[row, column]| self.cell(rows, *role, row, column));
            (*node, ValueOrView::from(tensor))
        });
        let options = RunOptions::default().with_thread_pool(Some(core.pool()));
        let found = self
            .model
            .run(inputs.collect(), &self.outputs, Some(options))
            .map_err(|why| Error::Run(why.to_string()))?;
        let found: Vec<Rows> =
            found.into_iter().map(|value| Rows::of(value, rows.len())).collect::<Result<_, _>>()?;
        let Some(first) = found.first() else { return Err(Error::Run("no output".to_owned())) };
        let answer = |(place, row): (usize, &&Encoding)| {
            read(Answer {
                shape: &first.shape,
                values: first.at(place),
                second: found.get(1).map_or(&[][..], |second| second.at(place)),
                tokens: row.get_ids().len(),
            })
        };
        rows.iter().enumerate().map(answer).collect()
    }

    /// One number of an input tensor. Rows behind the last one repeat it: some graphs insist on a number of rows.
    fn cell(&self, rows: &[&Encoding], role: Role, row: usize, column: usize) -> i32 {
        let Some(row) = rows.get(row).or(rows.last()) else { return 0 };
        let there = |from: &[u32]| from.get(column).copied();
        let found = match role {
            Role::Ids => there(row.get_ids()).unwrap_or(self.tokens.pad()),
            Role::Mask => there(row.get_attention_mask()).unwrap_or(0),
            Role::Types => there(row.get_type_ids()).unwrap_or(0),
        };
        i32::try_from(found).unwrap_or(0)
    }
}

/// One output of a run: numbers for each row.
struct Rows {
    /// Sizes of the dimensions behind the batch.
    shape: Vec<usize>,
    values: Vec<f32>,
    /// Numbers of a row.
    size: usize,
}

impl Rows {
    /// Takes an output that must hold a finite row for each of so many inputs.
    fn of(value: Value, count: usize) -> Result<Self, Error> {
        let wrong = |why: &str| Error::Run(why.to_owned());
        let tensor: Tensor<f32> = value.try_into().map_err(|_| wrong("the output is no f32"))?;
        let tensor = tensor.into_contiguous();
        let Some((&rows, shape)) = tensor.shape().split_first() else {
            return Err(Error::Output { found: Vec::new(), expected: "a row an input".to_owned() });
        };
        let (shape, size) = (shape.to_vec(), shape.iter().product::<usize>());
        if rows < count || size == 0 {
            let expected = format!("a row for each of {count} inputs");
            return Err(Error::Output { found: tensor.shape().to_vec(), expected });
        }
        let values: Vec<f32> = tensor.data().iter().take(count * size).copied().collect();
        // A broken graph would otherwise have answered, and its answer would pass every bar or none.
        if values.iter().any(|value| !value.is_finite()) {
            return Err(wrong("the output holds values that are not finite"));
        }
        Ok(Self { shape, values, size })
    }

    fn at(&self, row: usize) -> &[f32] {
        self.values.get(row * self.size..(row + 1) * self.size).unwrap_or_default()
    }
}

/// The outputs of these names, or the first one where none is named.
fn outputs(model: &Model, path: &Path, names: &[&str]) -> Result<Vec<NodeId>, Error> {
    let wrong = |why: String| Error::Graph { path: path.to_owned(), why };
    if names.is_empty() {
        let first = model.output_ids().first().copied();
        return first.map(|id| vec![id]).ok_or_else(|| wrong("it has no output".to_owned()));
    }
    let named = |name: &&str| {
        let mut all = model.output_ids().iter().copied();
        let is = |id: &NodeId| model.node_info(*id).and_then(|info| info.name().map(|own| own == *name));
        all.find(|id| is(id) == Some(true)).ok_or_else(|| wrong(format!("it has no output `{name}`")))
    };
    names.iter().map(named).collect()
}

/// Runs the same work on several threads and puts together what they return; the first error wins.
fn spread<T: Send>(
    workers: usize,
    work: impl Fn() -> Result<Vec<(usize, T)>, Error> + Sync,
) -> Result<Vec<(usize, T)>, Error> {
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..workers).map(|_| scope.spawn(&work)).collect();
        let mut all = Ok(Vec::new());
        for thread in threads {
            let found = thread.join().unwrap_or_else(|_| Err(Error::Run("a worker panicked".to_owned())));
            match (&mut all, found) {
                (Ok(all), Ok(found)) => all.extend(found),
                (Ok(_), Err(error)) => all = Err(error),
                (Err(_), _) => {}
            }
        }
        all
    })
}

/// The graph's inputs and what each is given.
fn roles(model: &Model, path: &Path) -> Result<Vec<(NodeId, Role)>, Error> {
    let wrong = |problem, name: &str| Error::Input { path: path.to_owned(), problem, name: name.to_owned() };
    let mut out = Vec::new();
    for node in model.input_ids() {
        let info = model.node_info(*node);
        let name = info.as_ref().and_then(rten::NodeInfo::name).unwrap_or_default();
        out.push((*node, Role::of(name).ok_or_else(|| wrong("an unknown", name))?));
    }
    if out.iter().any(|(_, role)| *role == Role::Ids) { Ok(out) } else { Err(wrong("no", "input_ids")) }
}

/// Rows and row length that the graph insists on.
fn sizes(
    model: &Model,
    path: &Path,
    inputs: &[(NodeId, Role)],
) -> Result<(Option<usize>, Option<usize>), Error> {
    let fixed = |dimension: &Dimension| match dimension {
        Dimension::Fixed(size) => Some(*size),
        Dimension::Symbolic(_) => None,
    };
    let unusable =
        || Error::Input { path: path.to_owned(), problem: "an unusable", name: "input_ids".to_owned() };
    let Some(place) = inputs.iter().position(|(_, role)| *role == Role::Ids) else { return Err(unusable()) };
    match model.input_shape(place).as_deref() {
        None => Ok((None, None)),
        Some([rows, length]) => {
            let (rows, length) = (fixed(rows), fixed(length));
            let cells = rows.unwrap_or(1).checked_mul(length.unwrap_or(SHORTEST));
            let fits = cells.is_some_and(|cells| (1..=CELLS).contains(&cells));
            if !fits || length.is_some_and(|length| length < SHORTEST) {
                return Err(unusable());
            }
            Ok((rows, length))
        }
        Some(_) => Err(unusable()),
    }
}
