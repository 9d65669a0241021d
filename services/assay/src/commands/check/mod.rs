//! `assay check`: any answer from anywhere, held against given sources.

mod args;

pub use args::{AttemptFlag, Check, FailOn};

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Instant;

use assay_api as api;
use assay_domain::report::{CheckStatus, Finding};
use assay_domain::{Code, Failure, Mode, QueryType, Report};
use assay_proto::common::Attempt;
use assay_proto::validation as wire;
use assay_wire::{FromWire as _, ToWire as _};
use serde_json::{Value, json};

use crate::batch;
use crate::clients::{BUDGET, Clients, LONG_BUDGET, failure, fits};
use crate::exit;
use crate::flags::Global;
use crate::output;
use crate::report::{self, Form, Level, Located};

/// Runs the command.
///
/// # Errors
/// What validation says, or a file that cannot be read.
pub async fn run(global: &Global, args: &Check, clients: &Clients) -> Result<u8, Failure> {
    if let Some(path) = &args.jsonl {
        return batch(args, clients, path).await;
    }
    let path = args.answer.as_deref().unwrap_or(Path::new("-"));
    let streamed = [Some(path), args.sources.as_deref(), args.extra_context.as_deref()];
    if streamed.iter().filter(|path| **path == Some(Path::new("-"))).count() > 1 {
        let text = "standard input holds the answer, the sources or the facts, not two of them; give the others as files";
        return Err(Failure::new(Code::InvalidArgument, text).field("sources"));
    }
    let answer = batch::read(path)?;
    let mut open = open(args, clients)?;
    open.sources = sources(args.sources.as_deref(), args.lenient_input)?;
    if let Some(path) = &args.extra_context {
        open.extra_context = batch::read(path)?;
    }
    let paths: Vec<String> = open.sources.iter().map(|source| source.path.clone()).collect();
    let start = assay_rpc::clock::now();
    let report = check(clients.validation()?, clients.context(BUDGET), open, answer.clone()).await?;
    let code = exit::note(counted(args, exit::of_verdict(Some(report.verdict))));
    let name = if path == Path::new("-") { "answer".into() } else { path.display().to_string() };
    match args.format.unwrap_or(if global.json { Form::Json } else { Form::Text }) {
        Form::Text => output::report(&report, &paths, args.explain),
        Form::Json => println!("{:#}", report_json(&report, start)),
        Form::Github => print!("{}", report::github(&located(&report, &name, &answer))),
        Form::Sarif => {
            let found = located(&report, &name, &answer);
            println!("{:#}", json!(report::located(&found, &rules(&found))));
        }
        Form::Junit => println!("{}", junit(&report, &located(&report, &name, &answer))?),
    }
    Ok(code)
}

/// What failed and what was flagged, with the lines of the answer that each is about.
fn located(report: &Report, name: &str, answer: &str) -> Vec<Located> {
    let line = |byte: usize| {
        let before = answer.as_bytes().iter().take(byte).filter(|byte| **byte == b'\n').count();
        u32::try_from(before + 1).unwrap_or(u32::MAX)
    };
    let of = |level| {
        move |finding: &Finding| {
            let (first, last) = finding.span.map_or((0, 0), |span| (span.byte_start, span.byte_end));
            Located {
                rule: finding.kind.clone(),
                level,
                message: finding.detail.clone(),
                path: name.to_owned(),
                first_line: line(first),
                last_line: line(last.saturating_sub(1).max(first)),
            }
        }
    };
    let errors = report.errors.iter().map(of(Level::Error));
    errors.chain(report.warnings.iter().map(of(Level::Warning))).collect()
}

/// The kinds of findings that occur, each once.
fn rules(found: &[Located]) -> Vec<(&str, &'static str)> {
    let mut ids: Vec<&str> = found.iter().map(|one| one.rule.as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    ids.into_iter().map(|id| (id, "a check of Assay; docs/checking.md has them all")).collect()
}

/// A test for each check that applies and one for every other kind of finding.
fn junit(report: &Report, found: &[Located]) -> Result<String, Failure> {
    let applied = report.checks.iter().filter(|check| check.status != CheckStatus::NotApplicable);
    let mut names: Vec<&str> = applied.map(|check| check.name.as_str()).collect();
    names.extend(found.iter().map(|one| one.rule.as_str()));
    let mut seen = std::collections::BTreeSet::new();
    names.retain(|name| seen.insert(*name));
    let of = |name: &'_ str| found.iter().filter(|one| one.rule == name).collect::<Vec<_>>();
    let cases: Vec<(&str, Vec<&Located>)> = names.into_iter().map(|name| (name, of(name))).collect();
    report::junit(&format!("assay check: {}", report.verdict), cases)
}

/// The exit code of a verdict: itself, or 0 where `--fail-on` asks for worse.
fn counted(args: &Check, code: u8) -> u8 {
    let bar = match args.fail_on {
        None | Some(FailOn::Review) => exit::REVIEW,
        Some(FailOn::Reject) => exit::REJECT,
    };
    if code >= bar { code } else { 0 }
}

/// What the flags say of every answer.
fn open(args: &Check, clients: &Clients) -> Result<wire::Open, Failure> {
    Ok(wire::Open {
        question: args.question.clone(),
        query_type: Some(QueryType::from(args.kind)).to_wire(),
        mode: Mode::from(args.mode).to_wire(),
        attempt: match args.attempt {
            AttemptFlag::First => Attempt::First.into(),
            AttemptFlag::Retry => Attempt::Retry.into(),
        },
        attach: args.attach,
        citations_optional: args.no_citations,
        // The given sources are the index; a running system adds its own.
        sources_only: clients.is_embedded(),
        ..policy(&args.policy)?
    })
}

/// The policy of a shipped name or a file, which its ending tells apart.
///
/// # Errors
/// What the file says.
pub(super) fn policy(named: &str) -> Result<wire::Open, Failure> {
    let own = Path::new(named).extension().is_some_and(|ending| ending == "toml");
    Ok(if own {
        wire::Open { policy_toml: batch::read(Path::new(named))?, ..wire::Open::default() }
    } else {
        wire::Open { policy: named.to_owned(), ..wire::Open::default() }
    })
}

fn sources(path: Option<&Path>, lenient: bool) -> Result<Vec<assay_proto::common::Source>, Failure> {
    let Some(path) = path else { return Ok(Vec::new()) };
    let text = batch::read(path)?;
    let wrong = |place: String, error: String| {
        let text = format!(
            "{}{place}: {error}; give an array, or lines, of {{id, text, path?, first_line?}}",
            path.display()
        );
        Failure::new(Code::InvalidArgument, text).field("sources")
    };
    let one = |place: String, text: &str| {
        batch::decode::<api::GivenSource>(text, lenient, api::GivenSource::FIELDS)
            .map_err(|error| wrong(place, error))
    };
    if text.trim_start().starts_with('[') {
        let all: Vec<Value> =
            serde_json::from_str(&text).map_err(|error| wrong(String::new(), error.to_string()))?;
        let each = all.iter().enumerate();
        return each
            .map(|(at, value)| Ok(one(format!(", source {}", at + 1), &value.to_string())?.to_wire(at)))
            .collect();
    }
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let each = lines.enumerate();
    each.map(|(index, (at, line))| Ok(one(format!(", line {}", at + 1), line)?.to_wire(index))).collect()
}

pub(super) async fn check(
    mut validation: wire::validation_service_client::ValidationServiceClient<crate::clients::Link>,
    context: assay_rpc::Context,
    open: wire::Open,
    answer: String,
) -> Result<Report, Failure> {
    fits("the sources have", open.sources.iter().map(|s| s.text.len()).sum())?;
    fits("the answer has", answer.len())?;
    let parts = [
        wire::check_request::Part::Open(open),
        wire::check_request::Part::Text(answer),
        wire::check_request::Part::Finish(wire::Finish::default()),
    ];
    let requests = futures::stream::iter(parts.map(|part| wire::CheckRequest { part: Some(part) }));
    let mut replies = validation.check(context.request(requests)).await.map_err(failure)?.into_inner();
    while let Some(reply) = replies.message().await.map_err(failure)? {
        if let Some(wire::check_response::Part::Done(done)) = reply.part {
            let report = done.report.ok_or_else(|| Failure::internal("validation sent no report"))?;
            let mut report = Report::from_wire(report)?;
            // The other side may be of another version.
            report.lower();
            return Ok(report);
        }
    }
    Err(Failure::internal("validation ended without a report"))
}

fn report_json(report: &Report, start: Instant) -> Value {
    json!(api::Checked::new(&Value::Null, report, assay_rpc::clock::elapsed_ms(start)))
}

async fn batch(args: &Check, clients: &Clients, path: &Path) -> Result<u8, Failure> {
    let base = open(args, clients)?;
    let validation = clients.validation()?;
    let context = clients.context(LONG_BUDGET);
    let lenient = args.lenient_input;
    let worst = Arc::new(AtomicU8::new(0));
    let found = Arc::clone(&worst);
    let totals = batch::run(path, "answers checked", |line| {
        let (base, validation, context) = (base.clone(), validation.clone(), context.clone());
        let worst = Arc::clone(&worst);
        async move {
            let item: api::ToCheck = batch::decode_nested(
                &line,
                lenient,
                api::ToCheck::FIELDS,
                "sources",
                api::GivenSource::FIELDS,
            )?;
            let (open, answer) = item.open(base)?;
            let start = assay_rpc::clock::now();
            let report = check(validation, context.capped(BUDGET), open, answer).await?;
            worst.fetch_max(exit::of_verdict(Some(report.verdict)), Ordering::Relaxed);
            Ok(report_json(&report, start))
        }
    })
    .await?;
    // A batch says what it found in its lines; its exit code does so where it is asked to.
    let found = args.fail_on.map_or(0, |_| counted(args, found.load(Ordering::Relaxed)));
    Ok(found.max(totals.code))
}
