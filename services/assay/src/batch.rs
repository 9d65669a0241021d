//! Batches: one object in, one object out, same order, same id; a bad line is reported and the rest goes on.

use std::io::{BufRead, Write};
use std::path::Path;

use assay_domain::{Code, Failure};
use futures::{StreamExt as _, stream};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

/// Longest accepted line, in bytes.
const MAX_LINE_BYTES: usize = 16 * 1024 * 1024;

/// The mark that some editors put before UTF-8; it is no part of the text.
const MARK: &str = "\u{feff}";

fn unmarked(mut text: String) -> String {
    if text.starts_with(MARK) {
        text.drain(..MARK.len());
    }
    text
}

/// Opens a batch file; `-` is standard input.
///
/// # Errors
/// `INVALID_ARGUMENT` if it cannot be opened.
pub fn open(path: &Path) -> Result<Box<dyn BufRead>, Failure> {
    if path == Path::new("-") {
        return Ok(Box::new(std::io::BufReader::new(std::io::stdin())));
    }
    let file = std::fs::File::open(path).map_err(|error| unreadable(path, &error))?;
    Ok(Box::new(std::io::BufReader::new(file)))
}

/// The failure of a file that cannot be read.
#[must_use]
pub fn unreadable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(Code::InvalidArgument, format!("cannot read {}: {error}", path.display()))
}

/// Reads a whole file; `-` is standard input.
///
/// # Errors
/// `INVALID_ARGUMENT` if it cannot be read, or is not UTF-8; then the line is named.
pub fn read(path: &Path) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    open(path)?.read_to_end(&mut bytes).map_err(|error| unreadable(path, &error))?;
    String::from_utf8(bytes).map(unmarked).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let (line, byte) = {
            let bytes = error.as_bytes();
            let line = bytes.iter().take(at).filter(|byte| **byte == b'\n').count() + 1;
            (line, bytes.get(at).copied().unwrap_or_default())
        };
        let text = format!("{} is not UTF-8: byte 0x{byte:02X} on line {line}", path.display());
        Failure::new(Code::InvalidArgument, text).field("file")
    })
}

/// Reads a line as `T`. With `lenient`, fields outside `known` are dropped first; `T` should deny unknown ones.
///
/// # Errors
/// What is wrong with the line.
pub fn decode<T: DeserializeOwned>(line: &str, lenient: bool, known: &[&str]) -> Result<T, String> {
    decode_nested(line, lenient, known, "", &[])
}

/// As [`decode`]; with `lenient`, the objects of the list `list` lose their fields outside `inner`, too.
///
/// # Errors
/// What is wrong with the line.
pub fn decode_nested<T: DeserializeOwned>(
    line: &str,
    lenient: bool,
    known: &[&str],
    list: &str,
    inner: &[&str],
) -> Result<T, String> {
    if !line.trim_start().starts_with('{') {
        return Err("not a JSON object".to_owned());
    }
    if !lenient {
        return serde_json::from_str(line).map_err(|error| wrong(&error));
    }
    let mut object: Map<String, Value> = serde_json::from_str(line).map_err(|error| wrong(&error))?;
    object.retain(|key, _| known.contains(&key.as_str()));
    for item in object.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten() {
        if let Value::Object(fields) = item {
            fields.retain(|key, _| inner.contains(&key.as_str()));
        }
    }
    serde_json::from_value(Value::Object(object)).map_err(|error| wrong(&error))
}

/// What is wrong with one line of JSON: the column stays, "line 1" does not, for the line has a number of its own.
#[must_use]
pub fn wrong(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let text =
        text.strip_suffix(&format!(" at line {} column {}", error.line(), error.column())).unwrap_or(&text);
    let place = if error.column() > 0 { format!(" at column {}", error.column()) } else { String::new() };
    let kind = if error.is_syntax() || error.is_eof() { "not JSON: " } else { "" };
    format!("{kind}{text}{place}")
}

/// What became of a batch.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Totals {
    /// Lines that were answered.
    pub done: u64,
    /// Lines that were not.
    pub bad: u64,
}

/// Runs every line through `work`, as many at once as there are cores twice over, and writes the answers in order.
///
/// # Errors
/// `INTERNAL` if the output cannot be written; a closed pipe ends the batch quietly.
pub async fn run<F, Fut>(path: &Path, what: &str, work: F) -> Result<Totals, Failure>
where
    F: Fn(String) -> Fut,
    Fut: Future<Output = Result<Value, String>> + Send + 'static,
{
    let input = open(path)?;
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    bar.set_style(
        ProgressStyle::with_template("{spinner} {pos} {msg} ({per_sec}, {elapsed})")
            .unwrap_or_else(|_| ProgressStyle::default_spinner()),
    );
    bar.set_message(what.to_owned());
    let width = std::thread::available_parallelism().map_or(2, |n| n.get() * 2);
    let lines = stream::iter(
        input
            .lines()
            .enumerate()
            .map(|(index, line)| (index, line.map(unmarked)))
            .filter(|(_, line)| line.as_ref().map_or(true, |text| !text.trim().is_empty())),
    );
    let mut answers = std::pin::pin!(
        lines
            .map(|(index, line)| {
                let id = line.as_ref().ok().and_then(|text| id_of(text));
                let job = match line {
                    Ok(text) if text.len() <= MAX_LINE_BYTES => Ok(work(text)),
                    Ok(text) => Err(format!(
                        "the line has {} bytes; at most {MAX_LINE_BYTES} are accepted",
                        text.len()
                    )),
                    Err(error) => Err(error.to_string()),
                };
                async move {
                    let answer = match job {
                        Ok(future) => match assay_rpc::task::spawn(future).await {
                            Ok(answer) => answer,
                            Err(error) => Err(error.to_string()),
                        },
                        Err(error) => Err(error),
                    };
                    (index + 1, id, answer)
                }
            })
            .buffered(width)
    );
    let mut totals = Totals::default();
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    while let Some((number, id, answer)) = answers.next().await {
        let value = match answer {
            Ok(value) => {
                totals.done += 1;
                with_id(id, value)
            }
            Err(error) => {
                totals.bad += 1;
                bar.suspend(|| eprintln!("line {number}: {error}"));
                with_id(id, json!({ "error": { "line": number, "message": error } }))
            }
        };
        bar.inc(1);
        if let Err(error) = writeln!(out, "{}", one_line(&value)) {
            if error.kind() == std::io::ErrorKind::BrokenPipe {
                return Ok(totals);
            }
            return Err(Failure::internal(format!("cannot write the output: {error}")));
        }
    }
    bar.finish_and_clear();
    out.flush().map_err(|error| Failure::internal(format!("cannot write the output: {error}")))?;
    Ok(totals)
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

fn id_of(line: &str) -> Option<Value> {
    let object: Map<String, Value> = serde_json::from_str(line).ok()?;
    object.get("id").cloned()
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
