//! What batches and files are read from: whole files, and lines with their numbers.

use std::io::{BufRead, Read as _};
use std::path::Path;

use assay_domain::{Code, Failure};
use tokio::sync::mpsc;

use crate::report;

/// Longest accepted line, in bytes.
const MAX_LINE_BYTES: usize = 16 * 1024 * 1024;

/// Longest file that is read as a whole, in bytes; the limits of the services lie far below.
const MAX_FILE_BYTES: usize = 256 * 1024 * 1024;

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
    Failure::new(Code::InvalidArgument, format!("cannot read {}: {error}", path.display())).field("file")
}

/// The failure of a file that cannot be written.
#[must_use]
pub fn unwritable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(Code::InvalidArgument, format!("cannot write {}: {error}", path.display())).field("out")
}

/// Reads a whole file; `-` is standard input.
///
/// # Errors
/// `INVALID_ARGUMENT` if it cannot be read, or is not UTF-8; then the line is named. `PAYLOAD_TOO_LARGE` for one that
/// is far too long, or does not end.
pub fn read(path: &Path) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    let most = u64::try_from(MAX_FILE_BYTES).unwrap_or(u64::MAX).saturating_add(1);
    open(path)?.take(most).read_to_end(&mut bytes).map_err(|error| unreadable(path, &error))?;
    if bytes.len() > MAX_FILE_BYTES {
        let text = format!("{} has more than {MAX_FILE_BYTES} bytes", path.display());
        return Err(Failure::new(Code::PayloadTooLarge, text).field("file"));
    }
    String::from_utf8(bytes).map(unmarked).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let (line, byte) = {
            let bytes = error.as_bytes();
            let before = String::from_utf8_lossy(bytes.get(..at).unwrap_or_default());
            let line = report::lines(&before).len();
            (line, bytes.get(at).copied().unwrap_or_default())
        };
        let text = format!("{} is not UTF-8: byte 0x{byte:02X} on line {line}", path.display());
        Failure::new(Code::InvalidArgument, text).field("file")
    })
}

/// A line with its number, from 1, or why it could not be read.
pub type Numbered = (usize, Result<String, String>);

/// Reads lines and passes them on while somebody takes them; waits where nobody does.
pub(super) fn feed(input: Box<dyn BufRead + Send>, lines: &mpsc::Sender<Numbered>) {
    for line in numbered(input) {
        if lines.blocking_send(line).is_err() {
            return;
        }
    }
}

/// The lines of an input that hold anything, with their numbers; a line that cannot be read says why.
pub fn numbered(mut input: Box<dyn BufRead + Send>) -> impl Iterator<Item = Numbered> {
    let mut ended = false;
    (1..)
        .map_while(move |number| {
            if ended {
                return None;
            }
            let line = match line(&mut input) {
                Ok(None) => return None,
                Ok(Some(line)) => line.map(|line| if number == 1 { unmarked(line) } else { line }),
                // Whatever could be read has been; the next attempt would say the same.
                Err(error) => {
                    ended = true;
                    Err(error.to_string())
                }
            };
            Some((number, line))
        })
        .filter(|(_, line)| !line.as_ref().is_ok_and(|text| text.trim().is_empty()))
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
    fn too_long_line_is_reported_and_the_next_is_read() {
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
}
