//! `assay eval checks`: what the checks catch and reject wrongly, on answers that people labelled.

use assay_api as api;
use assay_domain::report::ClaimStatus;
use assay_domain::{Code, Failure, Mode, QueryType, Report};
use assay_proto::common::Attempt;
use assay_proto::validation::Open;
use assay_scoring::{Gold, OfChecks, Part, Said, of_checks};
use assay_wire::ToWire as _;
use futures::{StreamExt as _, TryStreamExt as _, stream};
use indicatif::{ProgressBar, ProgressDrawTarget};
use serde_json::Value;

use super::args::Checks;
use super::folder::pretty;
use super::render::{interval, number};
use crate::batch;
use crate::clients::{BUDGET, Clients, LONG_BUDGET};
use crate::commands::check::{check, policy};
use crate::flags::Global;

/// A labelled answer.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    #[serde(default, rename = "id")]
    _id: Value,
    #[serde(default)]
    question: String,
    sources: Vec<api::GivenSource>,
    answer: String,
    gold: Gold,
}

/// Runs the command.
///
/// # Errors
/// What validation says, or a line that cannot be read.
pub async fn checks(global: &Global, args: &Checks, clients: &Clients) -> Result<u8, Failure> {
    let text = batch::read(&args.file)?;
    let read = |(number, line): (usize, &str)| {
        serde_json::from_str::<Line>(line).map_err(|error| {
            let text = format!("{} line {}: {error}", args.file.display(), number + 1);
            Failure::new(Code::InvalidArgument, text).field("file")
        })
    };
    let lines: Vec<Line> = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
        .map(read)
        .collect::<Result<_, _>>()?;
    let base = Open {
        query_type: Some(QueryType::Retrieval).to_wire(),
        mode: Mode::Strict.to_wire(),
        attempt: Attempt::First.into(),
        citations_optional: true,
        sources_only: true,
        ..policy(&args.policy)?
    };
    let (validation, context) = (clients.validation()?, clients.context(LONG_BUDGET));
    let bar = ProgressBar::with_draw_target(Some(lines.len() as u64), ProgressDrawTarget::stderr());
    let side_by_side = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let cases: Vec<(Gold, Said)> = stream::iter(lines)
        .map(|line| {
            let (validation, context, mut open) = (validation.clone(), context.capped(BUDGET), base.clone());
            let bar = bar.clone();
            async move {
                open.question = line.question;
                open.sources =
                    line.sources.into_iter().enumerate().map(|(at, source)| source.to_wire(at)).collect();
                let report = check(validation, context, open, line.answer).await?;
                bar.inc(1);
                Ok::<_, Failure>((line.gold, said(&report)))
            }
        })
        .buffered(side_by_side)
        .try_collect()
        .await?;
    bar.finish_and_clear();
    let found = of_checks(&cases);
    if global.json {
        print!("{}", pretty(&found)?);
    } else {
        print(&found);
    }
    Ok(0)
}

fn said(report: &Report) -> Said {
    let bad = |status| matches!(status, ClaimStatus::Unsupported | ClaimStatus::Contradicted);
    let char_at = |place: usize| u32::try_from(place).unwrap_or(u32::MAX);
    let flagged = report.claims.iter().filter(|claim| bad(claim.status));
    Said {
        flagged: flagged
            .map(|claim| (char_at(claim.span.char_start), char_at(claim.span.char_end)))
            .collect(),
        support: report.support,
    }
}

fn print(found: &OfChecks) {
    let line = |name: &str, part: &Part| {
        println!("{name:<24} {:>6}  {:>16}  of {}", number(part.share), interval(part.interval), part.of);
    };
    println!("{} answers", found.answers);
    line("catch", &found.catch);
    line("false rejection", &found.false_rejection);
    println!("{:<24} {:>6}", "AUROC of the support", number(found.auroc));
    println!("{:<24} {:>6.3}", "calibration error", found.calibration_error);
    println!("judged rightly, by label:");
    for (label, part) in &found.labels {
        line(&format!("  {label}"), part);
    }
}
