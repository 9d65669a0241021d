//! The use case: programs and answers parsed beside the async threads, within limits and until the deadline.

use std::sync::Arc;
use std::time::Instant;

use assay_domain::code::{Block, BlockStatus, Diagnostic, ParsedBlock, Severity, TIMEOUT, TOO_COMPLEX};
use assay_domain::{Code, Failure};
use assay_rpc::clock;
use assay_rpc::task::{self, Waiting};
use tokio::sync::Semaphore;

use crate::options::{Options, known, profiles};
use assay_languages::{self as languages, AvapOptions, Outcome, Stop, Stopped};

/// Diagnostics of a request, shared out among its programs; what follows so many helps nobody and no message
/// could carry.
const MOST_DIAGNOSTICS: usize = 4000;
/// Diagnostics that one program may have of them.
const MOST_OF_ONE: usize = 1000;

/// How a request wants AVAP to be read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reading {
    /// Turns the points that the makers' server accepts into warnings.
    pub server_compat: bool,
    /// Names of profiles; empty means those of the settings.
    pub profiles: Vec<String>,
}

/// What an answer's blocks are held against.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Expectation {
    /// Language of blocks that declare none; empty means detect.
    pub default_language: String,
    /// Language that was asked for; empty means any.
    pub wanted_language: String,
    /// Placeholders are warnings, and plain output is listed.
    pub documentation: bool,
}

/// The parser. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Parsing {
    options: Arc<Options>,
    turns: Arc<Semaphore>,
    /// Bytes of text that requests under way may still hold.
    room: Arc<Semaphore>,
}

impl Parsing {
    /// A parser with these settings, which must have been checked.
    #[must_use]
    pub fn new(options: Options) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let parallel = if options.parallel == 0 { cores } else { options.parallel };
        let room = Arc::new(Semaphore::new(options.max_bytes_in_flight.min(Semaphore::MAX_PERMITS)));
        Self { options: Arc::new(options), turns: Arc::new(Semaphore::new(parallel)), room }
    }

    /// Its settings.
    #[must_use]
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Parses programs, each a language and a text, in order.
    ///
    /// # Errors
    /// `PAYLOAD_TOO_LARGE` beyond a limit, `INVALID_ARGUMENT` for an unknown profile, `RESOURCE_EXHAUSTED` while others
    /// hold every turn or byte, `DEADLINE_EXCEEDED`.
    pub async fn parse(
        &self,
        programs: Vec<(String, String)>,
        reading: &Reading,
        deadline: Instant,
    ) -> Result<Vec<(BlockStatus, Vec<Diagnostic>)>, Failure> {
        let avap = self.avap(reading)?;
        self.check_count(programs.len(), "programs", "programs")?;
        for (at, (_, code)) in programs.iter().enumerate() {
            self.check_program(code, "the program", &format!("programs[{at}].code"))?;
        }
        let bytes = programs.iter().map(|(_, code)| code.len()).sum();
        let longest = programs.iter().map(|(_, code)| code.len()).max().unwrap_or(0);
        self.work(deadline, bytes, longest, move |stop| {
            let (mut left, mut parsed) = (MOST_DIAGNOSTICS, Vec::with_capacity(programs.len()));
            for (at, (language, code)) in programs.iter().enumerate() {
                let (status, found) = status(language, code, &avap, stop).map_err(|failure| {
                    failure.into_failure("the program", &format!("programs[{at}].code"))
                })?;
                parsed.push((status, share_out(found, &mut left, programs.len() - at)));
            }
            Ok(parsed)
        })
        .await
    }

    /// Finds and parses the code blocks of an answer.
    ///
    /// # Errors
    /// As [`Parsing::parse`].
    pub async fn parse_answer(
        &self,
        answer: String,
        expectation: Expectation,
        reading: &Reading,
        deadline: Instant,
    ) -> Result<Vec<ParsedBlock>, Failure> {
        let avap = self.avap(reading)?;
        let most = self.options.max_answer_bytes;
        if answer.len() > most {
            return Err(too_large(
                &format!("the answer has {} bytes", answer.len()),
                most,
                "max_answer_bytes",
                "answer",
            ));
        }
        let service = self.clone();
        let (bytes, longest) = (answer.len(), answer.len().min(self.options.max_program_bytes));
        self.work(deadline, bytes, longest, move |stop| {
            // What is left for the reply, so that an answer full of hostile blocks still comes in time.
            let now = clock::now();
            let end = now + deadline.saturating_duration_since(now) * 3 / 4;
            service.blocks(&answer, &expectation, &avap, &clock::now, end, stop)
        })
        .await
    }

    /// The blocks of an answer, parsed. Limits are held before a grammar is asked anything. Each block has half of the time
    /// that is left until `end`; one that takes longer has no verdict, and the others keep theirs.
    fn blocks(
        &self,
        answer: &str,
        expectation: &Expectation,
        avap: &AvapOptions,
        now: &dyn Fn() -> Instant,
        end: Instant,
        stop: Stop<'_>,
    ) -> Result<Vec<ParsedBlock>, Failure> {
        let default = &expectation.default_language;
        let mut found = languages::fences(answer, stop).map_err(|Stopped| out_of_time())?;
        found.retain(|block| block.may_be_code(default));
        self.check_count(found.len(), "code blocks", "answer")?;
        let name = |line: u32| format!("the code block in line {line}");
        for block in found.iter().filter(|block| !block.is_plain()) {
            self.check_program(&block.code, &name(block.first_line), "answer")?;
        }
        let (mut left, blocks) = (MOST_DIAGNOSTICS, found.len());
        let mut parsed = Vec::with_capacity(blocks);
        for (at, block) in found.into_iter().enumerate() {
            let start = now();
            let own_end = start + end.saturating_duration_since(start) / 2;
            let over = || stop() || now() >= own_end;
            let too_long = block.is_plain() && block.code.len() > self.options.max_program_bytes;
            let found = if too_long { Ok(None) } else { read(&block, expectation, avap, &over) };
            let (language, status, diagnostics) = match found {
                Ok(Some(read)) => read,
                Ok(None) if expectation.documentation => {
                    let language = block.declared.clone().unwrap_or_default();
                    (language, BlockStatus::Plain, Vec::new())
                }
                Ok(None) => continue,
                Err(NoVerdict::Stopped) if stop() => return Err(out_of_time()),
                Err(no) => {
                    let language = block.declared_language().map(languages::canonical).unwrap_or_default();
                    (language, BlockStatus::Unavailable(no.reason().to_owned()), Vec::new())
                }
            };
            let block = Block {
                index: u32::try_from(parsed.len()).unwrap_or(u32::MAX),
                language,
                declared: block.declared_language().is_some(),
                code: block.code,
                byte_start: block.byte_start,
                byte_end: block.byte_end,
                first_line: block.first_line,
            };
            parsed.push(ParsedBlock {
                block,
                status,
                diagnostics: share_out(diagnostics, &mut left, blocks - at),
            });
        }
        Ok(parsed)
    }

    /// Computes beside the async threads, a bounded number at once. What `work` is handed says stop at the deadline, and
    /// as soon as nobody waits for the result. Nobody waits longer for a turn than half of the time, so that a caller hears
    /// of it: that others keep the parser busy is no failure of the parser. The stack is that of the longest program.
    async fn work<T, F>(&self, deadline: Instant, bytes: usize, longest: usize, work: F) -> Result<T, Failure>
    where
        T: Send + 'static,
        F: FnOnce(Stop<'_>) -> Result<T, Failure> + Send + 'static,
    {
        let room = u32::try_from(bytes)
            .ok()
            .and_then(|bytes| Arc::clone(&self.room).try_acquire_many_owned(bytes).ok());
        let room =
            room.ok_or_else(|| busy("as much text as it holds (setting parser.max_bytes_in_flight)"))?;
        let patience = deadline.saturating_duration_since(clock::now()) / 2;
        let turn = tokio::time::timeout(patience, Arc::clone(&self.turns).acquire_owned())
            .await
            .map_err(|_| busy("every turn (setting parser.parallel)"))?
            .map_err(|_| Failure::new(Code::Unavailable, "the parser is stopping"))?;
        let waiting = Waiting::default();
        let stop = waiting.over(deadline);
        let span = assay_telemetry::spans::parser();
        task::deep(languages::stack_bytes(longest), move || {
            let _span = span.entered();
            // Kept until the work ends, also where the caller has gone.
            let _held = (turn, room);
            work(&stop)
        })
        .await?
    }

    fn avap(&self, reading: &Reading) -> Result<AvapOptions, Failure> {
        let names = if reading.profiles.is_empty() { &self.options.profiles } else { &reading.profiles };
        let profiles = profiles(names).map_err(|name| {
            let text = format!("there is no profile {name:?}; there are {}", known());
            Failure::new(Code::InvalidArgument, text).field("options.profiles")
        })?;
        Ok(AvapOptions { server_compat: reading.server_compat, profiles })
    }

    fn check_count(&self, count: usize, what: &str, field: &str) -> Result<(), Failure> {
        let most = self.options.max_programs;
        if count > most {
            return Err(too_large(&format!("there are {count} {what}"), most, "max_programs", field));
        }
        Ok(())
    }

    fn check_program(&self, code: &str, name: &str, field: &str) -> Result<(), Failure> {
        let most = self.options.max_program_bytes;
        if code.len() > most {
            let what = format!("{name} has {} bytes", code.len());
            return Err(too_large(&what, most, "max_program_bytes", field));
        }
        Ok(())
    }
}

/// The diagnostics of the next of so many programs, out of those that are left of a request's: what one does not use, the
/// next may.
fn share_out(diagnostics: Vec<Diagnostic>, left: &mut usize, programs: usize) -> Vec<Diagnostic> {
    let kept = bounded(diagnostics, (*left / programs.max(1)).clamp(1, MOST_OF_ONE));
    *left = left.saturating_sub(kept.len());
    kept
}

/// The first diagnostics in text order, errors before all others.
fn bounded(mut diagnostics: Vec<Diagnostic>, most: usize) -> Vec<Diagnostic> {
    if diagnostics.len() <= most {
        return diagnostics;
    }
    let error = |found: &Diagnostic| found.severity == Severity::Error;
    let mut errors = most;
    let mut others = most.saturating_sub(diagnostics.iter().filter(|found| error(found)).count());
    diagnostics.retain(|found| {
        let left = if error(found) { &mut errors } else { &mut others };
        let kept = *left > 0;
        *left = left.saturating_sub(1);
        kept
    });
    diagnostics
}

fn too_large(what: &str, most: usize, setting: &str, field: &str) -> Failure {
    let text = format!("{what}, at most {most} are allowed (setting parser.{setting})");
    Failure::new(Code::PayloadTooLarge, text).field(field)
}

/// Whether a block is in the language that was asked for; data beside a program is no other language.
fn fits(language: &str, wanted: &str) -> bool {
    let wanted = wanted.trim();
    wanted.is_empty() || languages::canonical(wanted) == language || languages::is_data(language)
}

/// The language of a block with its verdict; none if the block is no code.
fn read(
    block: &languages::Fence,
    expectation: &Expectation,
    avap: &AvapOptions,
    stop: Stop<'_>,
) -> Result<Option<(String, BlockStatus, Vec<Diagnostic>)>, NoVerdict> {
    let language =
        block.language(&expectation.default_language, stop).map_err(|Stopped| NoVerdict::Stopped)?;
    let Some(language) = language else { return Ok(None) };
    let (mut status, mut diagnostics) = status(&language, &block.code, avap, stop)?;
    if status == BlockStatus::Invalid
        && expectation.documentation
        && let Some(forgiven) = without_placeholders(&language, &block.code, avap, stop)?
    {
        (status, diagnostics) = forgiven;
    }
    if !fits(&language, &expectation.wanted_language) {
        status = BlockStatus::WrongLanguage(language.clone());
    }
    Ok(Some((language, status, diagnostics)))
}

/// The verdict about a program whose lines are valid but for placeholders; none if they are not. Programs in the output of a
/// session are judged, too; a block that is hardly read is plain.
fn without_placeholders(
    language: &str,
    code: &str,
    avap: &AvapOptions,
    stop: Stop<'_>,
) -> Result<Option<(BlockStatus, Vec<Diagnostic>)>, NoVerdict> {
    let Some(filled) = languages::fill(language, code) else { return Ok(None) };
    let (status, mut diagnostics) = status(language, &filled.code, avap, stop)?;
    if status != BlockStatus::Valid {
        return Ok(None);
    }
    let mut unread = Vec::new();
    for (before, text) in &filled.output {
        let hidden = languages::hidden(text, stop).map_err(|Stopped| NoVerdict::Stopped)?;
        let Some(hidden) = hidden else {
            unread.push(text.as_str());
            continue;
        };
        let (status, mut found) = self::status(hidden, text, avap, stop)?;
        if status == BlockStatus::Invalid {
            found.iter_mut().for_each(|found| found.line = found.line.saturating_add(*before));
            return Ok(Some((status, found)));
        }
    }
    if filled.is_plain(&unread) {
        return Ok(Some((BlockStatus::Plain, Vec::new())));
    }
    filled.restore(&mut diagnostics);
    diagnostics.extend(filled.warnings);
    diagnostics.sort_by_key(|diagnostic| (diagnostic.line, diagnostic.column));
    Ok(Some((status, diagnostics)))
}

/// Why a program has no verdict.
enum NoVerdict {
    Stopped,
    TooLarge { what: &'static str, size: usize, most: usize },
}

impl NoVerdict {
    fn reason(&self) -> &'static str {
        match self {
            Self::Stopped => TIMEOUT,
            Self::TooLarge { .. } => TOO_COMPLEX,
        }
    }

    fn into_failure(self, name: &str, field: &str) -> Failure {
        match self {
            Self::Stopped => out_of_time(),
            Self::TooLarge { what, size, most } => {
                let text = format!("{name} holds {size} {what}; at most {most} are read");
                Failure::new(Code::PayloadTooLarge, text).field(field)
            }
        }
    }
}

fn busy(held: &str) -> Failure {
    let text = format!("other requests hold {held} of the parser; try again later");
    Failure::new(Code::ResourceExhausted, text)
}

fn out_of_time() -> Failure {
    Failure::new(Code::DeadlineExceeded, "parsing ran out of time; send less or allow more")
}

fn status(
    language: &str,
    code: &str,
    options: &AvapOptions,
    stop: Stop<'_>,
) -> Result<(BlockStatus, Vec<Diagnostic>), NoVerdict> {
    match languages::parse(language, code, options, stop) {
        Outcome::Parsed { valid: true, diagnostics } => Ok((BlockStatus::Valid, diagnostics)),
        Outcome::Parsed { valid: false, diagnostics } => Ok((BlockStatus::Invalid, diagnostics)),
        Outcome::NoGrammar => Ok((BlockStatus::NoGrammar, Vec::new())),
        Outcome::Stopped => Err(NoVerdict::Stopped),
        Outcome::TooLarge { what, size, most } => Err(NoVerdict::TooLarge { what, size, most }),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::cell::Cell;
    use std::time::Duration;

    use super::*;

    #[test]
    fn one_block_takes_at_most_its_share_of_time() {
        let slow = format!("```python\n{}```\n\n", "x = f(1, [2, 3])\n".repeat(50_000)).repeat(4);
        let answer = format!("{slow}```json\n[1]\n```\n");
        // A clock that goes on by a millisecond whenever it is read: time is counted in questions of the parser.
        let (start, read) = (clock::now(), Cell::new(0));
        let now = || {
            read.set(read.get() + 1);
            start + Duration::from_millis(read.get())
        };
        let (parsing, end) = (Parsing::new(Options::default()), start + Duration::from_millis(4096));
        let blocks = parsing
            .blocks(&answer, &Expectation::default(), &AvapOptions::default(), &now, end, &|| false)
            .unwrap();
        let statuses: Vec<&BlockStatus> = blocks.iter().map(|block| &block.status).collect();
        let late = BlockStatus::Unavailable(TIMEOUT.to_owned());
        assert_eq!(statuses, [&late, &late, &late, &late, &BlockStatus::Valid]);
        assert!(now() < end, "time is left for the reply");
    }
}
