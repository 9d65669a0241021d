//! `assay eval`: runs golden files, and computes, shows, compares and judges what a run kept.
//!
//! | file | holds |
//! |---|---|
//! | `checks` | the checks scored on labelled answers |
//! | `embeddings` | indices ranked by what their vectors find |
//! | `golden` | what a golden file covers |
//! | `folder` | the folder of a run |
//! | `render` | a report in every form |

mod args;
mod checks;
mod embeddings;
mod folder;
mod golden;
mod render;

pub use args::{
    Checks, Compare, CompareEmbeddings, Eval, EvalReport, EvalRun, Format, Gate, GoldenFile, Repairs, Replay,
    Score,
};

pub use checks::checks;
pub use embeddings::compare_embeddings;

use std::io::Write as _;

use assay_domain::{Code, Failure};
use assay_evaluation::score::score;
use assay_proto::evaluation as wire;
use assay_scoring::{Manifest, Recorded, Thresholds, compare, gate, judge, repairs};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::json;
use wire::evaluate_rag_response::Part;

use self::folder::{Kept, Writer, pretty, unused, written_report};
use crate::batch;
use crate::clients::{Clients, LONG_BUDGET, failure};
use crate::exit;
use crate::flags::Global;

/// Asks a golden file.
///
/// # Errors
/// What evaluation says, or a file that cannot be read or written.
pub async fn run(global: &Global, args: &EvalRun, clients: &Clients) -> Result<u8, Failure> {
    let items = assay_evaluation::golden::read(&batch::read(&args.golden)?)?;
    let out = args.out.clone().unwrap_or_else(|| unused(&args.golden));
    let mut writer = Writer::open(&out)?;
    let done: Vec<wire::Done> = writer
        .done()
        .into_iter()
        .map(|(id, repetition)| wire::Done { id: id.to_owned(), repetition })
        .collect();
    let bar = progress(items.len() as u64 * u64::from(args.repeat), done.len() as u64);
    if !done.is_empty() {
        crate::say!("{} answers are there already; the run goes on", done.len());
    }
    let request = wire::EvaluateRagRequest {
        items,
        collection: args.collection.clone(),
        repetitions: args.repeat,
        done,
        judges: args.judges.clone(),
        golden_jsonl: String::new(),
    };
    let mut replies = clients
        .evaluation()?
        .evaluate_rag(clients.context(LONG_BUDGET).request(request))
        .await
        .map_err(failure)?
        .into_inner();
    let mut ended = false;
    let mut spent = Spent::default();
    while let Some(reply) = replies.message().await.map_err(failure)? {
        match reply.part {
            Some(Part::ManifestJson(manifest)) => {
                let manifest: Manifest =
                    serde_json::from_str(&manifest).map_err(|error| Failure::internal(error.to_string()))?;
                writer.begin(&manifest)?;
            }
            Some(Part::Item(item)) => {
                writer.append(&item.recorded_json)?;
                bar.inc(1);
                spent.add(&item.recorded_json);
                bar.set_message(spent.told());
            }
            Some(Part::Report(_)) => ended = true,
            None => {}
        }
    }
    bar.finish_and_clear();
    if !ended {
        return Err(Failure::internal("evaluation sent no report"));
    }
    let report = writer.finish()?;
    if global.json {
        print!("{}", pretty(&report)?);
    } else {
        print!("{}", render::table(&report));
        println!("kept in {}; assay eval report {0} --format html --out FILE shows it", out.display());
    }
    Ok(0)
}

/// Tokens that this run has cost so far.
#[derive(Default)]
struct Spent {
    answers: u64,
    judges: u64,
}

impl Spent {
    fn add(&mut self, recorded_json: &str) {
        let Ok(recorded) = serde_json::from_str::<Recorded>(recorded_json) else { return };
        if let Some(answer) = recorded.answer.as_ref().filter(|answer| answer.by_model) {
            self.answers +=
                answer.prompt_tokens.unwrap_or_default() + answer.completion_tokens.unwrap_or_default();
        }
        let verdicts = std::iter::once(&recorded.verdicts).chain(recorded.others.values());
        for call in verdicts.flat_map(|verdicts| &verdicts.calls) {
            self.judges += u64::from(call.prompt_tokens.unwrap_or_default());
            self.judges += u64::from(call.completion_tokens.unwrap_or_default());
        }
    }

    /// Nothing where no model works.
    fn told(&self) -> String {
        match (self.answers, self.judges) {
            (0, 0) => String::new(),
            (answers, 0) => format!(", {answers} tokens"),
            (answers, judges) => format!(", {answers} tokens, {judges} of judges"),
        }
    }
}

fn progress(all: u64, done: u64) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(all), ProgressDrawTarget::stderr()).with_position(done);
    bar.reset_eta();
    match ProgressStyle::with_template("{wide_bar} {pos}/{len} answers, {per_sec}, {eta} left{msg}") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

/// Runs a command that asks nobody.
///
/// # Errors
/// A file that cannot be read or written.
pub fn offline(global: &Global, command: &Eval) -> Result<u8, Failure> {
    match command {
        Eval::Run(_) | Eval::Checks(_) | Eval::CompareEmbeddings(_) => {
            Err(Failure::internal("this command asks"))
        }
        Eval::Repairs(args) => repaired(global, args),
        Eval::Golden(args) => golden::golden(global, args),
        Eval::Score(args) => scores(global, args),
        Eval::Gate(args) => gated(global, args),
        Eval::Replay(args) => replay(global, args),
        Eval::Report(args) => reported(global, args),
        Eval::Compare(args) => compared(global, args),
    }
}

fn scores(global: &Global, args: &Score) -> Result<u8, Failure> {
    let text = batch::read(&args.file)?;
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let scored = score(&lines)?;
    if global.json {
        print!("{}", pretty(&scored)?);
        return Ok(0);
    }
    for (name, metric) in &scored.metrics {
        let mean = metric.mean.map_or("–".to_owned(), |mean| format!("{mean:.4}"));
        print!("{name:<18} {mean:>7}  {} lines", metric.computed);
        for (reason, count) in &metric.not_computed {
            print!(", {count} {reason}");
        }
        println!();
    }
    Ok(0)
}

fn gated(global: &Global, args: &Gate) -> Result<u8, Failure> {
    let thresholds = Thresholds::read(&batch::read(&args.thresholds)?).map_err(|error| {
        let text = format!("{}: {error}", args.thresholds.display());
        Failure::new(Code::InvalidArgument, text).field("thresholds")
    })?;
    let verdicted = gate(&Kept::read(&args.run)?.report(), &thresholds);
    let code = exit::note(if verdicted.passed { 0 } else { exit::INVALID });
    if global.json {
        print!("{}", pretty(&verdicted)?);
    } else if verdicted.passed {
        println!("PASS: {} bounds hold", verdicted.bounds);
    } else {
        println!("FAIL: {}", verdicted.failures.join("; "));
    }
    Ok(code)
}

fn replay(global: &Global, args: &Replay) -> Result<u8, Failure> {
    let mut kept = Kept::read(&args.run)?;
    let manifest = &kept.manifest;
    kept.recorded = kept.recorded.into_iter().map(|one| judge::read_again(manifest, one)).collect();
    let again = pretty(&kept.report())?;
    let written = written_report(&args.run)?;
    let equal = written.as_ref().map(|written| written == again.as_bytes());
    let code = exit::note(if equal == Some(false) { exit::INVALID } else { 0 });
    if global.json {
        print!("{}", pretty(&json!({ "answers": kept.recorded.len(), "equal": equal }))?);
        return Ok(code);
    }
    let answers = kept.recorded.len();
    match equal {
        Some(true) => println!("{answers} answers give the report that the run wrote, byte for byte"),
        Some(false) => println!("{answers} answers give another report than the run wrote"),
        None => println!("the run did not end: {answers} answers are there, and no report"),
    }
    Ok(code)
}

fn reported(global: &Global, args: &EvalReport) -> Result<u8, Failure> {
    let kept = Kept::read(&args.run)?;
    let report = kept.report();
    let text = match args.format {
        _ if global.json => pretty(&report)?,
        Format::Json => pretty(&report)?,
        Format::Table => render::table(&report),
        Format::Markdown => render::markdown(&report),
        Format::Junit => render::junit(&report, &kept.recorded)?,
        Format::Html => render::html(&report, &kept.recorded)?,
    };
    match &args.out {
        Some(path) => std::fs::write(path, text).map_err(|error| batch::unwritable(path, &error))?,
        None => drop(std::io::stdout().write_all(text.as_bytes())),
    }
    Ok(0)
}

fn compared(global: &Global, args: &Compare) -> Result<u8, Failure> {
    let comparison =
        compare(&Kept::read(&args.first)?.report().into(), &Kept::read(&args.second)?.report().into());
    if global.json {
        print!("{}", pretty(&comparison)?);
    } else {
        print!("{}", render::comparison(&comparison));
    }
    Ok(0)
}

fn repaired(global: &Global, args: &Repairs) -> Result<u8, Failure> {
    let wanted = [("none", &args.none), ("blind", &args.blind), ("guided", &args.guided)];
    let mut runs = Vec::new();
    for (retry, folder) in wanted {
        let kept = Kept::read(folder)?;
        let found = kept.manifest.settings.get("router.retry").map_or("", String::as_str);
        if found != retry {
            let text = format!("{} is a run with router.retry = {found:?}, not {retry:?}", folder.display());
            return Err(Failure::new(Code::InvalidArgument, text).field(retry));
        }
        runs.push(kept.recorded);
    }
    let [none, blind, guided] = runs.as_slice() else { return Err(Failure::internal("three runs")) };
    let repairs = repairs(none, blind, guided);
    if global.json {
        print!("{}", pretty(&repairs)?);
    } else {
        print!("{}", render::repairs(&repairs));
    }
    Ok(0)
}
