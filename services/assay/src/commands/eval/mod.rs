//! `assay eval`: runs a golden file and reports what the parser and the checks said.

mod args;

pub use args::{Eval, EvalRun};

use assay_domain::Failure;
use assay_evaluation::report::{Item, Report, sorted};
use assay_proto::evaluation as wire;
use indicatif::{ProgressBar, ProgressDrawTarget};
use serde::Serialize;
use serde_json::json;

use crate::batch;
use crate::clients::{Clients, LONG_BUDGET, failure};
use crate::flags::Global;

/// A run, as an object of the output.
#[derive(Serialize)]
struct Run<'a> {
    report: Report<'a>,
    /// In the order of the golden file.
    items: Vec<Item<'a>>,
}

/// Runs the command.
///
/// # Errors
/// What evaluation says, or a golden file that cannot be read.
pub async fn run(global: &Global, command: &Eval, clients: &Clients) -> Result<u8, Failure> {
    match command {
        Eval::Run(args) => golden(global, args, clients).await,
    }
}

async fn golden(global: &Global, args: &EvalRun, clients: &Clients) -> Result<u8, Failure> {
    let items = assay_evaluation::golden::read(&batch::read(&args.golden)?)?;
    let bar = ProgressBar::with_draw_target(
        Some(items.len() as u64 * u64::from(args.repeat)),
        ProgressDrawTarget::stderr(),
    );
    let request =
        wire::EvaluateRagRequest { items, collection: args.collection.clone(), repetitions: args.repeat };
    let mut replies = clients
        .evaluation()?
        .evaluate_rag(clients.context(LONG_BUDGET).request(request))
        .await
        .map_err(failure)?
        .into_inner();
    let mut results = Vec::new();
    let mut report = None;
    while let Some(reply) = replies.message().await.map_err(failure)? {
        match reply.part {
            Some(wire::evaluate_rag_response::Part::Item(item)) => {
                bar.inc(1);
                results.push(item);
            }
            Some(wire::evaluate_rag_response::Part::Report(done)) => report = Some(done),
            None => {}
        }
    }
    bar.finish_and_clear();
    let report = report.ok_or_else(|| Failure::internal("evaluation sent no report"))?;
    if global.json {
        let items = results.iter().map(Item::from).collect();
        println!("{:#}", json!(Run { report: Report::from(&report), items }));
    } else {
        print_report(&report);
    }
    Ok(0)
}

fn print_report(report: &wire::EvaluationReport) {
    println!("items                {}", report.items);
    match report.syntactic_validity {
        Some(share) => println!(
            "syntactic validity   {share:.3} ({} of {} answers with code; 95 % {:.3} to {:.3})",
            report.answers_with_valid_code,
            report.answers_with_code,
            report.syntactic_validity_low.unwrap_or_default(),
            report.syntactic_validity_high.unwrap_or_default()
        ),
        None => println!("syntactic validity   not computed: no answer has code"),
    }
    println!("outcomes             {}", json!(sorted(&report.outcomes)));
    println!("verdicts             {}", json!(sorted(&report.verdicts)));
    println!("parser               {}", report.parser_version);
    println!("standing             {}", report.standing);
    for missing in &report.missing_for_binding {
        println!("  missing: {missing}");
    }
    for (metric, reason) in sorted(&report.not_computed) {
        println!("  not computed: {metric} ({reason})");
    }
}
