//! The use case: programs and answers parsed beside the async threads, within limits and until the deadline.

use std::sync::Arc;
use std::time::Instant;

use assay_domain::code::{Block, BlockStatus, Diagnostic, ParsedBlock, Severity};
use assay_domain::{Code, Failure};
use assay_rpc::task::{self, Waiting};
use tokio::sync::Semaphore;

use crate::languages::{self, AvapOptions, Outcome, Stop, Stopped};
use crate::options::{Options, known, profiles};

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
}

/// The parser. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Parsing {
    options: Arc<Options>,
    turns: Arc<Semaphore>,
}

impl Parsing {
    /// A parser with these settings, which must have been checked.
    #[must_use]
    pub fn new(options: Options) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let parallel = if options.parallel == 0 { cores } else { options.parallel };
        Self { options: Arc::new(options), turns: Arc::new(Semaphore::new(parallel)) }
    }

    /// Its settings.
    #[must_use]
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Parses programs, each a language and a text, in order.
    ///
    /// # Errors
    /// `PAYLOAD_TOO_LARGE` beyond a limit, `INVALID_ARGUMENT` for an unknown profile, `DEADLINE_EXCEEDED`.
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
        self.work(deadline, move |stop| {
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
        self.work(deadline, move |stop| service.blocks(&answer, &expectation, &avap, stop)).await
    }

    /// The blocks of an answer, parsed. Limits are held before a grammar is asked anything.
    fn blocks(
        &self,
        answer: &str,
        expectation: &Expectation,
        avap: &AvapOptions,
        stop: Stop<'_>,
    ) -> Result<Vec<ParsedBlock>, Failure> {
        let default = &expectation.default_language;
        let mut found = languages::fences(answer, stop).map_err(|Stopped| out_of_time())?;
        found.retain(|block| block.may_be_code(default));
        self.check_count(found.len(), "code blocks", "answer")?;
        let name = |line: u32| format!("the code block in line {line}");
        for block in &found {
            self.check_program(&block.code, &name(block.first_line), "answer")?;
        }
        let (mut left, blocks) = (MOST_DIAGNOSTICS, found.len());
        let mut parsed = Vec::with_capacity(blocks);
        for (at, block) in found.into_iter().enumerate() {
            let language = block.language(default, stop).map_err(|Stopped| out_of_time())?;
            let Some(language) = language else { continue };
            let (mut status, diagnostics) = status(&language, &block.code, avap, stop)
                .map_err(|failure| failure.into_failure(&name(block.first_line), "answer"))?;
            if !fits(&language, &expectation.wanted_language) {
                status = BlockStatus::WrongLanguage(language.clone());
            }
            let block = Block {
                index: u32::try_from(parsed.len()).unwrap_or(u32::MAX),
                language,
                declared: block.declared.is_some(),
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
    /// as soon as nobody waits for the result.
    async fn work<T, F>(&self, deadline: Instant, work: F) -> Result<T, Failure>
    where
        T: Send + 'static,
        F: FnOnce(Stop<'_>) -> Result<T, Failure> + Send + 'static,
    {
        let turn = Arc::clone(&self.turns)
            .acquire_owned()
            .await
            .map_err(|_| Failure::new(Code::Unavailable, "the parser is stopping"))?;
        let waiting = Waiting::default();
        let stop = waiting.over(deadline);
        let span = assay_telemetry::spans::parser();
        task::blocking(move || {
            let _span = span.entered();
            // Kept until the work ends, also where the caller has gone.
            let _turn = turn;
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

/// Why a program has no verdict.
enum NoVerdict {
    Stopped,
    TooLarge { what: &'static str, bytes: usize, most: usize },
}

impl NoVerdict {
    fn into_failure(self, name: &str, field: &str) -> Failure {
        match self {
            Self::Stopped => out_of_time(),
            Self::TooLarge { what, bytes, most } => {
                let text = format!("{name} holds {what} of {bytes} bytes; at most {most} are read");
                Failure::new(Code::PayloadTooLarge, text).field(field)
            }
        }
    }
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
        Outcome::TooLarge { what, bytes, most } => Err(NoVerdict::TooLarge { what, bytes, most }),
    }
}
