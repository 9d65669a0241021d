//! Batches: one object in, one object out, same order, same id; a bad line is reported and the rest goes on.

use std::io::{BufRead, Write};
use std::path::Path;

use assay_domain::{Code, Failure};
use futures::{FutureExt as _, StreamExt as _};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;

use crate::exit;

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
pub fn open(path: &Path) -> Result<Box<dyn BufRead + Send>, Failure> {
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
    /// Exit code of the batch: the highest of its bad lines; 0 if there is none.
    pub code: u8,
}

/// Why a line has no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bad {
    message: String,
    code: u8,
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

/// A line with its number, from 1, or why it could not be read.
type Numbered = (usize, Result<String, String>);

/// Reads lines and passes them on while somebody takes them; waits where nobody does.
fn feed(mut input: Box<dyn BufRead + Send>, lines: &mpsc::Sender<Numbered>) {
    for number in 1.. {
        let line = match line(&mut input) {
            Ok(None) => return,
            Ok(Some(line)) => line.map(|line| if number == 1 { unmarked(line) } else { line }),
            // Whatever could be read has been; the next attempt would say the same.
            Err(error) => {
                let _ = lines.blocking_send((number, Err(error.to_string())));
                return;
            }
        };
        let blank = line.as_ref().is_ok_and(|text| text.trim().is_empty());
        if !blank && lines.blocking_send((number, line)).is_err() {
            return;
        }
    }
}

/// The next line without its end; none behind the last one. Of a line that is too long no more is kept than may be.
fn line(input: &mut dyn BufRead) -> std::io::Result<Option<Result<String, String>>> {
    let (mut kept, mut length, mut any) = (Vec::new(), 0, false);
    loop {
        let bytes = match input.fill_buf() {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if bytes.is_empty() {
            break;
        }
        any = true;
        let end = bytes.iter().position(|byte| *byte == b'\n');
        let part = &bytes[..end.unwrap_or(bytes.len())];
        length += part.len();
        let room = (MAX_LINE_BYTES + 1).saturating_sub(kept.len());
        kept.extend_from_slice(&part[..part.len().min(room)]);
        let taken = end.map_or(bytes.len(), |end| end + 1);
        input.consume(taken);
        if end.is_some() {
            break;
        }
    }
    if !any {
        return Ok(None);
    }
    if length > MAX_LINE_BYTES {
        let text = format!("the line has {length} bytes; at most {MAX_LINE_BYTES} are accepted");
        return Ok(Some(Err(text)));
    }
    if kept.last() == Some(&b'\r') {
        kept.pop();
    }
    Ok(Some(String::from_utf8(kept).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let byte = error.as_bytes().get(at).copied().unwrap_or_default();
        format!("not UTF-8: byte 0x{byte:02X} at column {}", at + 1)
    })))
}

/// Runs every line through `work`, as many at once as there are cores twice over, and writes the answers in order, each
/// as soon as those before it are written: memory does not grow with the input, and whoever sends one line waits for one
/// answer.
///
/// # Errors
/// `INTERNAL` if the output cannot be written, `CANCELLED` after SIGINT or SIGTERM; a closed pipe ends the batch quietly.
pub async fn run<F, Fut>(path: &Path, what: &str, work: F) -> Result<Totals, Failure>
where
    F: Fn(String) -> Fut,
    Fut: Future<Output = Result<Value, Bad>> + Send + 'static,
{
    let input = open(path)?;
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    bar.set_style(
        ProgressStyle::with_template("{spinner} {pos} {msg} ({per_sec}, {elapsed})")
            .unwrap_or_else(|_| ProgressStyle::default_spinner()),
    );
    bar.set_message(what.to_owned());
    let width = std::thread::available_parallelism().map_or(2, |n| n.get() * 2);
    let (sender, lines) = mpsc::channel(width);
    // Ends with its input, or when nobody takes its lines any more.
    let _reader = assay_rpc::task::spawn(assay_rpc::task::blocking(move || feed(input, &sender)));
    let mut answers = std::pin::pin!(
        ReceiverStream::new(lines)
            .map(|(number, line)| {
                let id = line.as_deref().ok().and_then(id_of);
                let job = line.map(&work);
                async move {
                    let answer = match job {
                        Ok(future) => match assay_rpc::task::spawn(future).await {
                            Ok(answer) => answer,
                            Err(error) => Err(Failure::internal(error.to_string()).into()),
                        },
                        Err(error) => Err(Bad::from(error)),
                    };
                    (number, id, answer)
                }
            })
            .buffered(width)
    );
    let mut stopped = std::pin::pin!(assay_rpc::server::shutdown_signal());
    let mut totals = Totals::default();
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    loop {
        let ready = answers.next().now_or_never();
        // Nothing is ready: whoever reads gets what there is.
        if ready.is_none()
            && let Some(ended) = ended(out.flush())
        {
            return ended.map(|()| totals);
        }
        let next = tokio::select! {
            biased;
            // Between two lines, never within one.
            () = &mut stopped => {
                bar.finish_and_clear();
                let text = format!("interrupted after {} lines", totals.done + totals.bad);
                return match ended(out.flush()) {
                    Some(Err(failure)) => Err(failure),
                    _ => Err(Failure::new(Code::Cancelled, text)),
                };
            }
            next = async { match ready { Some(next) => next, None => answers.next().await } } => next,
        };
        let Some((number, id, answer)) = next else { break };
        let value = match answer {
            Ok(value) => {
                totals.done += 1;
                with_id(id, value)
            }
            Err(Bad { message, code }) => {
                totals.bad += 1;
                totals.code = totals.code.max(code);
                bar.suspend(|| eprintln!("line {number}: {message}"));
                with_id(id, json!({ "error": { "line": number, "message": message } }))
            }
        };
        bar.inc(1);
        if let Some(ended) = ended(writeln!(out, "{}", one_line(&value))) {
            return ended.map(|()| totals);
        }
    }
    bar.finish_and_clear();
    ended(out.flush()).map_or(Ok(totals), |ended| ended.map(|()| totals))
}

/// How the batch ends where its output could not be written: quietly if its reader went away.
fn ended(written: std::io::Result<()>) -> Option<Result<(), Failure>> {
    let error = written.err()?;
    Some(match error.kind() {
        std::io::ErrorKind::BrokenPipe => Ok(()),
        _ => Err(Failure::internal(format!("cannot write the output: {error}"))),
    })
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

/// The id of a line, the rest of which is not kept.
fn id_of(line: &str) -> Option<Value> {
    #[derive(serde::Deserialize)]
    struct Named {
        #[serde(default)]
        id: Option<Value>,
    }
    line.trim_start().starts_with('{').then(|| serde_json::from_str::<Named>(line).ok()?.id)?
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
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn lines(input: &[u8]) -> Vec<Numbered> {
        let (sender, mut receiver) = mpsc::channel(64);
        feed(Box::new(std::io::Cursor::new(input.to_vec())), &sender);
        drop(sender);
        std::iter::from_fn(|| receiver.try_recv().ok()).collect()
    }

    #[test]
    fn lines_keep_their_numbers_and_broken_ones_end_nothing() {
        let found = lines("\u{feff}{\"a\":1}\r\n\n{}\n".as_bytes());
        assert_eq!(found, [(1, Ok("{\"a\":1}".to_owned())), (3, Ok("{}".to_owned()))]);
        let found = lines(b"one\nt\xffo\nthree");
        let told = "not UTF-8: byte 0xFF at column 2".to_owned();
        assert_eq!(found, [(1, Ok("one".to_owned())), (2, Err(told)), (3, Ok("three".to_owned()))]);
    }

    #[test]
    fn a_line_that_is_too_long_is_told_and_the_next_one_read() {
        let mut input = vec![b'x'; MAX_LINE_BYTES + 7];
        input.extend(b"\nnext");
        let found = lines(&input);
        assert!(found[0].1.as_ref().unwrap_err().contains(&format!("{} bytes", MAX_LINE_BYTES + 7)));
        assert_eq!(found[1], (2, Ok("next".to_owned())));
    }

    #[test]
    fn a_folder_is_told_once() {
        let (sender, mut receiver) = mpsc::channel(64);
        let folder = std::fs::File::open(std::env::temp_dir()).unwrap();
        feed(Box::new(std::io::BufReader::new(folder)), &sender);
        drop(sender);
        assert!(receiver.try_recv().unwrap().1.is_err() && receiver.try_recv().is_err());
    }

    #[test]
    fn the_id_of_a_line_is_read_from_objects_only() {
        assert_eq!(id_of("{\"x\":[1,2],\"id\":\"a\"}"), Some(json!("a")));
        assert_eq!([id_of("[\"a\"]"), id_of("{\"id\":"), id_of("{}")], [None, None, None]);
    }
}
