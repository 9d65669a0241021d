//! The use case: programs and answers parsed beside the async threads, within limits and until the deadline.

use std::sync::Arc;
use std::time::Instant;

use assay_domain::code::{Block, BlockStatus, Diagnostic, ParsedBlock};
use assay_domain::{Code, Failure};
use assay_rpc::{clock, task};
use tokio::sync::Semaphore;

use crate::languages::{self, AvapOptions, Outcome};
use crate::options::{Options, known, profiles};

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
            self.check_program(code, &format!("programs[{at}].code"))?;
        }
        self.work(move || {
            programs.iter().map(|(language, code)| status(language, code, &avap, deadline)).collect()
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
        self.work(move || {
            let default = Some(expectation.default_language.as_str());
            let found = languages::blocks(&answer, default);
            service.check_count(found.len(), "code blocks", "answer")?;
            let mut parsed = Vec::with_capacity(found.len());
            for (at, block) in found.into_iter().enumerate() {
                service.check_program(&block.code, "answer")?;
                let (mut status, diagnostics) = status(&block.language, &block.code, &avap, deadline)?;
                if !fits(&block.language, &expectation.wanted_language) {
                    status = BlockStatus::WrongLanguage(block.language.clone());
                }
                let block = Block {
                    index: u32::try_from(at).unwrap_or(u32::MAX),
                    language: block.language,
                    declared: block.declared,
                    code: block.code,
                    byte_start: block.byte_start,
                    byte_end: block.byte_end,
                    first_line: block.first_line,
                };
                parsed.push(ParsedBlock { block, status, diagnostics });
            }
            Ok(parsed)
        })
        .await
    }

    /// Computes beside the async threads, a bounded number at once.
    async fn work<T, F>(&self, work: F) -> Result<T, Failure>
    where
        T: Send + 'static,
        F: FnOnce() -> Result<T, Failure> + Send + 'static,
    {
        let turn = Arc::clone(&self.turns)
            .acquire_owned()
            .await
            .map_err(|_| Failure::new(Code::Unavailable, "the parser is stopping"))?;
        let span = assay_telemetry::spans::parser();
        task::blocking(move || {
            let _span = span.entered();
            // Kept until the work ends, also where the caller has gone.
            let _turn = turn;
            work()
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

    fn check_program(&self, code: &str, field: &str) -> Result<(), Failure> {
        let most = self.options.max_program_bytes;
        if code.len() > most {
            return Err(too_large(
                &format!("the program has {} bytes", code.len()),
                most,
                "max_program_bytes",
                field,
            ));
        }
        Ok(())
    }
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

fn status(
    language: &str,
    code: &str,
    options: &AvapOptions,
    deadline: Instant,
) -> Result<(BlockStatus, Vec<Diagnostic>), Failure> {
    match languages::parse(language, code, options, &|| clock::now() > deadline) {
        Outcome::Parsed { valid: true, diagnostics } => Ok((BlockStatus::Valid, diagnostics)),
        Outcome::Parsed { valid: false, diagnostics } => Ok((BlockStatus::Invalid, diagnostics)),
        Outcome::NoGrammar => Ok((BlockStatus::NoGrammar, Vec::new())),
        Outcome::Stopped => {
            Err(Failure::new(Code::DeadlineExceeded, "parsing ran out of time; send less or allow more"))
        }
    }
}
