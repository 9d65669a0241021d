//! `assay audit review`, `feedback` and `erase`: what people do with records.

use std::io::{BufRead as _, IsTerminal as _};

use assay_domain::{Code, Failure, Verdict};
use assay_proto::audit as wire;
use assay_proto::router;
use assay_wire::ToWire as _;
use comfy_table::Table;
use comfy_table::presets::NOTHING;
use serde::Serialize;
use serde_json::{Value, json};

use super::args::{Erase, Feedback, Rates, Review, ReviewList};
use super::{named, with_receipt};
use crate::clients::{BUDGET, Clients, LONG_BUDGET, failure};
use crate::flags::Global;
use crate::output::shown;

/// A page of the review queue, as an object of the output.
#[derive(Serialize)]
struct Queue {
    /// The oldest first.
    records: Vec<Waiting>,
    /// Value of `--page` for the next page; empty on the last.
    next_page: String,
}

/// A record that waits, as an object of the output.
#[derive(Serialize)]
struct Waiting {
    #[serde(flatten)]
    record: Value,
    /// It stands for so many like it.
    one_in: u32,
    /// Who has claimed it; null if nobody has.
    claimed_by: Option<String>,
}

/// Runs a command of `assay audit review`.
///
/// # Errors
/// What audit says.
pub(super) async fn review(global: &Global, command: &Review, clients: &Clients) -> Result<u8, Failure> {
    match command {
        Review::List(args) => list(global, args, clients).await,
        Review::Claim { id } => claim(global, id, false, clients).await,
        Review::Release { id } => claim(global, id, true, clients).await,
        Review::Decide { id, decision, reason } => {
            let request = wire::DecideReviewRequest {
                audit_id: id.clone(),
                decision: decision.name().into(),
                reason: reason.clone(),
            };
            let request = clients.context(BUDGET).request(request);
            let reply = clients.audit()?.decide_review(request).await.map_err(failure)?.into_inner();
            stored(global, reply.receipt.as_ref(), "the decision")
        }
        Review::Rates(args) => rates(global, args, clients).await,
    }
}

fn stored(global: &Global, receipt: Option<&wire::Receipt>, what: &str) -> Result<u8, Failure> {
    let receipt = receipt.ok_or_else(|| Failure::internal("audit sent no receipt"))?;
    if global.json {
        println!("{:#}", json!(assay_api::Receipt::from(receipt)));
    } else {
        println!("{what} is leaf {} of the log", receipt.leaf_index);
    }
    Ok(0)
}

async fn list(global: &Global, args: &ReviewList, clients: &Clients) -> Result<u8, Failure> {
    let request = wire::ListReviewsRequest {
        page_size: args.limit,
        page_token: args.page.clone(),
        verdict: named("verdict", args.verdict.as_deref(), Verdict::from_name)?.to_wire(),
        free: args.free,
    };
    let request = clients.context(BUDGET).request(request);
    let reply = clients.audit()?.list_reviews(request).await.map_err(failure)?.into_inner();
    let waiting = |one: wire::WaitingRecord| {
        Ok(Waiting {
            record: with_receipt(one.record.unwrap_or_default())?,
            one_in: one.one_in,
            claimed_by: Some(one.claimed_by).filter(|name| !name.is_empty()),
        })
    };
    let records = reply.records.into_iter().map(waiting).collect::<Result<Vec<_>, Failure>>()?;
    if global.json {
        println!("{:#}", json!(Queue { records, next_page: reply.next_page_token }));
        return Ok(0);
    }
    let mut table = grid(&["audit id", "time", "verdict", "failed or flagged", "claimed by", "question"]);
    for one in &records {
        let text = |name: &str| one.record.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let verdict = one.record.pointer("/validation_result/status").and_then(Value::as_str);
        let question: String = text("query").chars().take(60).collect();
        table.add_row([
            text("audit_id"),
            text("timestamp"),
            verdict.unwrap_or("–").to_owned(),
            doubts(&one.record),
            one.claimed_by.clone().unwrap_or_default(),
            shown(&question.replace('\n', " ")),
        ]);
    }
    println!("{table}");
    if !reply.next_page_token.is_empty() {
        crate::say!("more with --page {}", reply.next_page_token);
    }
    Ok(0)
}

/// Names of the checks that failed or flagged.
fn doubts(record: &Value) -> String {
    let checks = record.pointer("/validation_result/checks").and_then(Value::as_array);
    let doubted = checks
        .into_iter()
        .flatten()
        .filter(|check| matches!(check.get("status").and_then(Value::as_str), Some("FAILED" | "FLAGGED")));
    let names: Vec<&str> = doubted.filter_map(|check| check.get("name")?.as_str()).collect();
    names.join(", ")
}

fn grid(header: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_preset(NOTHING).set_header(header);
    table
}

async fn claim(global: &Global, id: &str, release: bool, clients: &Clients) -> Result<u8, Failure> {
    let request = wire::ClaimReviewRequest { audit_id: id.to_owned(), release };
    clients.audit()?.claim_review(clients.context(BUDGET).request(request)).await.map_err(failure)?;
    if global.json {
        println!("{:#}", json!({ "audit_id": id, "claimed": !release }));
    } else {
        println!("{}", if release { "the record is free" } else { "the record is in your hand" });
    }
    Ok(0)
}

async fn rates(global: &Global, args: &Rates, clients: &Clients) -> Result<u8, Failure> {
    let request = wire::ReviewRatesRequest {
        from_unix_ms: args.since.unwrap_or_default(),
        until_unix_ms: args.until.unwrap_or_default(),
    };
    let request = clients.context(BUDGET).request(request);
    let reply = clients.audit()?.review_rates(request).await.map_err(failure)?.into_inner();
    if global.json {
        println!("{:#}", json!(assay_api::ReviewRates::from(&reply)));
        return Ok(0);
    }
    let mut table = grid(&["answers", "confirmed", "overturned", "needs source", "overturned share", "95 %"]);
    let weeks = reply.weeks.iter().map(|week| wire::ReviewRate {
        name: format!("week of {}", assay_api::timestamp(week.name.parse().unwrap_or_default())),
        ..week.clone()
    });
    let named = |prefix: &'static str| {
        move |rate: &wire::ReviewRate| wire::ReviewRate {
            name: format!("{prefix} {}", rate.name),
            ..rate.clone()
        }
    };
    let all = reply.doubted.iter().chain(&reply.passed).cloned();
    let all = all.chain(reply.policies.iter().map(named("policy")));
    for rate in all.chain(reply.checks.iter().map(named("check"))).chain(weeks) {
        let share = |value: Option<f64>| value.map_or("–".into(), |value| format!("{value:.3}"));
        let interval = rate.low.zip(rate.high).map(|(low, high)| format!("{low:.3} to {high:.3}"));
        table.add_row([
            rate.name.clone(),
            rate.confirmed.to_string(),
            rate.overturned.to_string(),
            rate.needs_source.to_string(),
            share(rate.overturned_share),
            interval.unwrap_or_default(),
        ]);
    }
    println!("{table}");
    match reply.catch {
        Some(catch) => {
            let (low, high) = (reply.catch_low.unwrap_or(0.0), reply.catch_high.unwrap_or(1.0));
            println!("caught: {catch:.3} of the wrong answers ({low:.3} to {high:.3})");
        }
        None => println!("caught: unknown, for {}", reply.no_catch),
    }
    Ok(0)
}

/// Gives feedback on an answer.
///
/// # Errors
/// What audit says.
pub(super) async fn feedback(global: &Global, args: &Feedback, clients: &Clients) -> Result<u8, Failure> {
    let request = wire::GiveFeedbackRequest {
        audit_id: args.id.clone(),
        rating: args.rating.name().into(),
        claim: args.claim,
        reason: args.reason.clone(),
    };
    let request = clients.context(BUDGET).request(request);
    let reply = clients.audit()?.give_feedback(request).await.map_err(failure)?.into_inner();
    stored(global, reply.receipt.as_ref(), "the feedback")
}

/// Erases what is kept of somebody.
///
/// # Errors
/// `INVALID_ARGUMENT` without a yes; what the router says.
pub(super) async fn erase(global: &Global, args: &Erase, clients: &Clients) -> Result<u8, Failure> {
    if !args.yes && !confirmed(args)? {
        let text = "nothing was erased: erasing cannot be undone; repeat the command with --yes";
        return Err(Failure::new(Code::InvalidArgument, text).field("yes"));
    }
    use router::forget_request::Whose;
    let whose = match (&args.principal, &args.session) {
        (Some(principal), _) => Whose::Principal(principal.clone()),
        (None, Some(session)) => Whose::SessionId(session.clone()),
        (None, None) => Whose::AuditId(args.id.clone().unwrap_or_default()),
    };
    let request = clients.context(LONG_BUDGET).request(router::ForgetRequest { whose: Some(whose) });
    let reply = clients.router()?.forget(request).await.map_err(failure)?.into_inner();
    let erased = assay_api::Erased::from(&reply);
    if global.json {
        println!("{:#}", json!(erased));
    } else {
        let rows: Vec<String> = erased.router.iter().map(|(name, rows)| format!("{name} {rows}")).collect();
        println!("erased {} payloads of the log; of the router: {}", erased.payloads, rows.join(", "));
        if !erased.backups.is_empty() {
            println!("removed with them, since they may hold the same: {}", erased.backups.join(", "));
        }
        println!("not recalled: {}", erased.not_recalled);
        if erased.undelivered > 0 {
            println!("{} records were not in the log yet; repeat the command", erased.undelivered);
        }
    }
    Ok(crate::exit::note(if erased.undelivered > 0 { crate::exit::INVALID } else { 0 }))
}

/// Whether the person at the terminal says yes.
fn confirmed(args: &Erase) -> Result<bool, Failure> {
    if !std::io::stdin().is_terminal() {
        return Ok(false);
    }
    let whose = args.principal.as_ref().or(args.session.as_ref()).or(args.id.as_ref());
    crate::say!("Erase everything of {}? This cannot be undone. Type yes:", whose.map_or("", String::as_str));
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line).map_err(|error| Failure::internal(error.to_string()))?;
    Ok(line.trim() == "yes")
}
