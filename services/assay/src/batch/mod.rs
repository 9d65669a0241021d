//! Batches: one object in, one object out, same order, same id; a bad line is reported and the rest goes on.
//!
//! | file | holds |
//! |---|---|
//! | `input` | files and lines |
//! | `decode` | lines to what they mean |
//! | `print` | answers to standard output, words and progress to standard error |

mod decode;
mod input;
mod print;

pub use decode::{decode, decode_nested, wrong};
pub use input::{Numbered, numbered, open, read, unreadable, unwritable};

use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use assay_domain::Failure;
use futures::StreamExt as _;
use serde::Serialize;
use serde_json::{Map, Value, json};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_stream::wrappers::ReceiverStream;

use crate::exit;
use crate::stop::{Signals, Stop};
use print::Row;

/// How long a signal waits for whoever reads the answers to take those that are ready.
const PATIENCE: Duration = Duration::from_secs(1);

/// What became of a batch.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Totals {
    /// Lines that were answered.
    pub done: u64,
    /// Lines that were not.
    pub bad: u64,
    /// Exit code of the batch: the highest of its bad lines; 0 if there is none.
    pub code: u8,
}

/// Why a line has no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bad {
    message: String,
    code: u8,
}

/// A line without an answer, as an object of the output.
#[derive(Serialize)]
struct Failed<'a> {
    error: Error<'a>,
}

#[derive(Serialize)]
struct Error<'a> {
    /// Number of the line, from 1.
    line: usize,
    /// What is wrong with it.
    message: &'a str,
}

/// The line itself is wrong.
impl From<String> for Bad {
    fn from(message: String) -> Self {
        Self { message, code: exit::INVALID }
    }
}

/// A service refused the line, or is not there; then the code of the failure is told as well.
impl From<Failure> for Bad {
    fn from(failure: Failure) -> Self {
        match exit::code(&failure) {
            exit::INVALID => failure.message.into(),
            code => Self { message: format!("{} [{}]", failure.message, failure.code), code },
        }
    }
}

/// Runs every line through `work`, as many at once as there are cores twice over, and writes the answers in order, each
/// as soon as those before it are written: memory does not grow with the input, and whoever sends one line waits for one
/// answer.
///
/// A signal ends the reading; what is ready is written to its last whole line, unless nobody takes it or a second signal
/// comes.
///
/// # Errors
/// `INTERNAL` if the output cannot be written, `CANCELLED` after SIGINT or SIGTERM; a closed pipe ends the batch quietly.
pub async fn run<F, Fut>(path: &Path, what: &'static str, work: F) -> Result<Totals, Failure>
where
    F: Fn(String) -> Fut,
    Fut: Future<Output = Result<Value, Bad>> + Send + 'static,
{
    let input = input::open(path)?;
    let mut signals = Signals::listen()?;
    let width = std::thread::available_parallelism().map_or(2, |n| n.get() * 2);
    // Nothing that could wait for a reader of ours happens on this task: it hears signals.
    let (rows, printed) = mpsc::channel(width);
    let count = Arc::new(AtomicU64::new(0));
    let written = Arc::clone(&count);
    let mut printer = pin!(assay_rpc::task::spawn(assay_rpc::task::blocking(move || {
        print::print(printed, what, &written)
    })));
    let mut totals = Totals::default();
    let stopped = tokio::select! {
        biased;
        stop = signals.next() => Some(stop),
        () = answer(input, width, &work, rows, &mut totals) => None,
        // It ends first only where the output takes no more: nobody waits for input then.
        end = &mut printer => return finished(end.map_err(lost)?).map(|()| totals),
    };
    let stopped = match stopped {
        Some(stop) => stop,
        None => tokio::select! {
            biased;
            end = &mut printer => return finished(end.map_err(lost)?).map(|()| totals),
            stop = signals.next() => stop,
        },
    };
    let drained = tokio::select! {
        end = &mut printer => Some(end),
        _ = signals.next() => None,
        () = tokio::time::sleep(PATIENCE) => None,
    };
    let whole = drained.is_some();
    if let Some(end) = drained {
        finished(end.map_err(lost)?)?;
    }
    Err(stopped.failure(&ended_early(stopped, count.load(Ordering::Relaxed), whole)))
}

/// Reads lines, works on them and passes the answers on in their order, until there is no more line or nobody takes
/// answers.
async fn answer<F, Fut>(
    input: Box<dyn std::io::BufRead + Send>,
    width: usize,
    work: &F,
    rows: mpsc::Sender<Row>,
    totals: &mut Totals,
) where
    F: Fn(String) -> Fut,
    Fut: Future<Output = Result<Value, Bad>> + Send + 'static,
{
    let (sender, lines) = mpsc::channel(width);
    // Ends with its input, or when nobody takes its lines any more.
    let _reader = assay_rpc::task::spawn(assay_rpc::task::blocking(move || input::feed(input, &sender)));
    let mut answers = pin!(
        ReceiverStream::new(lines)
            .map(|(number, line)| {
                let id = line.as_deref().ok().and_then(decode::id_of);
                let job = line.map(work);
                async move {
                    let answer = match job {
                        Ok(future) => match (&mut Job(assay_rpc::task::spawn(future)).0).await {
                            Ok(answer) => answer,
                            Err(error) => Err(lost(error).into()),
                        },
                        Err(error) => Err(Bad::from(error)),
                    };
                    (number, id, answer)
                }
            })
            .buffered(width)
    );
    while let Some((number, id, answer)) = answers.next().await {
        let row = match answer {
            Ok(value) => {
                totals.done += 1;
                Row { text: one_line(&with_id(id, value)), told: None }
            }
            Err(Bad { message, code }) => {
                totals.bad += 1;
                totals.code = totals.code.max(code);
                let failed = json!(Failed { error: Error { line: number, message: &message } });
                Row { text: one_line(&with_id(id, failed)), told: Some(format!("line {number}: {message}")) }
            }
        };
        if rows.send(row).await.is_err() {
            return;
        }
    }
}

/// Work on a line; it ends when nobody waits for it any more, down to the model that it asked.
struct Job<T>(JoinHandle<T>);

impl<T> Drop for Job<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

fn lost(error: impl std::fmt::Display) -> Failure {
    Failure::internal(error.to_string())
}

/// What a batch says that a signal ended; `whole` where every line that was begun is whole.
fn ended_early(stop: Stop, lines: u64, whole: bool) -> String {
    let lines = match lines {
        1 => "1 line".to_owned(),
        lines => format!("{lines} lines"),
    };
    let verb = stop.verb();
    match whole {
        true => format!("{verb} after {lines}"),
        false => {
            format!("{verb} after {lines}; nobody takes more of the output, the next line may be cut short")
        }
    }
}

/// How the batch ends with its printer: quietly if its reader went away.
fn finished(printed: Result<std::io::Result<()>, assay_rpc::task::Panicked>) -> Result<(), Failure> {
    match printed? {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Failure::internal(format!("cannot write the output: {error}")))
        }
        _ => Ok(()),
    }
}

/// An object on one line, whatever a reader takes for the end of a line: the separators of Unicode that JSON allows
/// inside strings are escaped.
fn one_line(value: &Value) -> String {
    let text = value.to_string();
    if !text.contains(['\u{85}', '\u{2028}', '\u{2029}']) {
        return text;
    }
    text.replace('\u{85}', "\\u0085").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

fn with_id(id: Option<Value>, value: Value) -> Value {
    let mut object = Map::new();
    object.insert("id".to_owned(), id.unwrap_or(Value::Null));
    match value {
        Value::Object(fields) => object.extend(fields.into_iter().filter(|(key, _)| key != "id")),
        other => {
            object.insert("value".to_owned(), other);
        }
    }
    Value::Object(object)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_that_ended_early_says_how_far_it_came() {
        assert_eq!(ended_early(Stop::Interrupt, 1, true), "interrupted after 1 line");
        assert_eq!(ended_early(Stop::Terminate, 0, true), "terminated after 0 lines");
        assert!(ended_early(Stop::Interrupt, 7, false).contains("7 lines; nobody takes more"));
    }
}
