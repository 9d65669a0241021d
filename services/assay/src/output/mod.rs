//! What a person reads: answers, verdicts, hits, diagnostics and records as text.

mod report;
mod shown;

pub use report::report;
pub use shown::{shown, visible};

use std::io::IsTerminal as _;

use assay_domain::answer::EventBody;
use assay_domain::{Answer, CheckStatus, Hit, Outcome, Report, Route, Severity, ValidationStatus, Verdict};
use comfy_table::presets::UTF8_HORIZONTAL_ONLY;
use comfy_table::{ContentArrangement, Table};
use owo_colors::{OwoColorize as _, Stream, Style};
use serde_json::Value;

fn paint(text: &str, style: Style) -> String {
    text.if_supports_color(Stream::Stdout, |text| text.style(style)).to_string()
}

fn verdict_style(verdict: Verdict) -> Style {
    match verdict {
        Verdict::Pass => Style::new().green().bold(),
        Verdict::Review => Style::new().yellow().bold(),
        Verdict::Reject => Style::new().red().bold(),
    }
}

fn table(header: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_preset(UTF8_HORIZONTAL_ONLY).set_header(header.to_vec());
    if std::io::stdout().is_terminal() {
        table.set_content_arrangement(ContentArrangement::Dynamic);
    }
    table
}

/// Keys, a row each: id, name, whose, roles, end, state.
pub fn keys(rows: impl Iterator<Item = [String; 6]>) {
    let mut keys = table(&["id", "name", "tenant/principal", "roles", "expires", "state"]);
    for row in rows {
        keys.add_row(row.map(|cell| shown(&cell)));
    }
    println!("{keys}");
}

/// An answer with its sources, verdict and record. `followed` is the text that a stream has printed already; of a
/// rejected answer that is what stands of it.
pub fn answer(answer: &Answer, followed: &str) {
    let stands = answer.rejection.as_ref().map(|rejection| rejection.partial_response.as_str());
    if !followed.is_empty() {
        println!("\n");
    }
    if stands.is_none() && !answer.text.is_empty() && answer.text != followed {
        println!("{}\n", shown(answer.text.trim_end()));
    }
    if let Some(rejection) = &answer.rejection {
        println!("{}: {}", paint("rejected", verdict_style(Verdict::Reject)), shown(&rejection.reason));
        for error in &rejection.errors {
            println!("  {}: {}", error.kind, shown(&error.detail));
        }
        if !rejection.partial_response.is_empty() && rejection.partial_response != followed {
            println!("\nWhat stands:\n\n{}\n", shown(rejection.partial_response.trim_end()));
        }
        if !rejection.suggestion.is_empty() {
            println!("{}", shown(&rejection.suggestion));
        }
    }
    if let Some(failure) = &answer.failure {
        println!("{}: {} [{}]", answer.outcome, shown(&failure.message), failure.code);
    }
    let listed = |number: usize| {
        let cited = answer.report.as_ref().is_some_and(|report| {
            report.citations.iter().any(|c| usize::try_from(c.marker).is_ok_and(|marker| marker == number))
        });
        cited || answer.outcome != Outcome::Answered
    };
    let numbered = answer.sources.iter().enumerate().map(|(index, hit)| (index + 1, hit));
    let sources: Vec<_> = numbered.filter(|(number, _)| listed(*number)).collect();
    if !sources.is_empty() {
        println!("{}", paint("Sources", Style::new().bold()));
    }
    for (number, hit) in sources {
        println!("  {}", source_line(number, hit));
    }
    for warning in &answer.warnings {
        println!("{} {}", paint("!", Style::new().yellow()), shown(warning));
    }
    code_status(answer);
    let verdict = match answer.verdict {
        Some(verdict) => paint(verdict.as_str(), verdict_style(verdict)),
        None => paint(answer.outcome.as_str(), Style::new().bold()),
    };
    println!(
        "{verdict} · {} by {} · {} · {:.0} ms",
        answer.route.query_type,
        answer.route.layer,
        if answer.model.is_empty() { "no model" } else { &answer.model },
        answer.timing.total_ms
    );
    if let Some(report) = &answer.report {
        checks(report);
    }
    println!("audit {} ({})", answer.audit_id, answer.audit);
}

/// What the contract has a client say about code that failed its parser or was not checked.
fn code_status(answer: &Answer) {
    match answer.validation_status {
        ValidationStatus::None => {}
        ValidationStatus::InvalidUnresolved => {
            println!("{} this code failed the parser", paint("✗", Style::new().red()));
            let blocks = answer.report.iter().flat_map(|report| &report.blocks);
            for (block, d) in blocks.flat_map(|block| block.diagnostics.iter().map(move |d| (block, d))) {
                if d.severity == Severity::Error {
                    println!(
                        "    block {}, line {}: {} [{}]",
                        block.block.index + 1,
                        d.line,
                        shown(&d.message),
                        d.code
                    );
                }
            }
        }
        ValidationStatus::ParserUnavailable => {
            println!("{} this code was not checked", paint("?", Style::new().yellow()));
        }
    }
}

fn source_line(number: usize, hit: &Hit) -> String {
    let source = &hit.source;
    let place = if source.path.is_empty() { &source.id } else { &source.path };
    let digest = source.sha256.get(..12).unwrap_or(&source.sha256);
    format!("[^{number}] {}:{} sha256 {digest}", shown(place), source.lines)
}

fn checks(report: &Report) {
    for check in &report.checks {
        let mark = match check.status {
            CheckStatus::NotApplicable => continue,
            CheckStatus::Passed => paint("✓", Style::new().green()),
            CheckStatus::Failed => paint("✗", Style::new().red()),
            CheckStatus::Flagged => paint("!", Style::new().yellow()),
            CheckStatus::NotChecked => paint("?", Style::new().yellow()),
        };
        let reason =
            if check.reason.is_empty() { String::new() } else { format!(": {}", shown(&check.reason)) };
        println!("  {mark} {}{reason}", check.name);
    }
}

/// One event of a stream.
pub fn event(body: &EventBody) {
    use std::io::Write as _;
    match body {
        EventBody::Segment(text) => {
            print!("{}", shown(text));
            let _ = std::io::stdout().flush();
        }
        EventBody::Retracted => {
            println!("\n{}\n", paint("— withdrawn, trying again —", Style::new().yellow()))
        }
        EventBody::Routed { route, .. } => crate::say!("{}", route_line(route)),
        EventBody::Sources(hits) => crate::say!("{} sources\n", hits.len()),
        EventBody::Settled(_) | EventBody::Failed(_) => {}
    }
}

fn route_line(route: &Route) -> String {
    format!("{} by {} ({:.2}): {}", route.query_type, route.layer, route.probability, shown(&route.reason))
}

/// A plan: route, search, steps, evidence.
pub fn plan(route: Option<&Route>, query: &str, steps: &[String], model: &str, hits: &[Hit]) {
    if let Some(route) = route {
        println!("route   {}", route_line(route));
    }
    println!("search  {}", if query.is_empty() { "none".to_owned() } else { shown(query) });
    println!("model   {}", if model.is_empty() { "default slot" } else { model });
    println!("steps   {}", steps.join(" → "));
    for (index, hit) in hits.iter().enumerate() {
        println!("  {}", source_line(index + 1, hit));
    }
}

/// Hits with both legs' ranks, and why a leg could not be used.
pub fn hits(hits: &[Hit], degraded: &[String], reasons: &[String]) {
    let mut table = table(&["#", "passage", "score", "bm25", "knn", "first words"]);
    for (index, hit) in hits.iter().enumerate() {
        let source = &hit.source;
        let place = if source.path.is_empty() {
            shown(&source.id)
        } else {
            format!("{}:{}", shown(&source.path), source.lines)
        };
        let rank = |leg: Option<assay_domain::evidence::LegRank>| {
            leg.map_or("–".to_owned(), |l| l.rank.to_string())
        };
        let words: String = one_line(&source.text).chars().take(60).collect();
        table.add_row([
            (index + 1).to_string(),
            place,
            format!("{:.4}", hit.score),
            rank(hit.bm25),
            rank(hit.knn),
            words,
        ]);
    }
    println!("{table}");
    for (place, leg) in degraded.iter().enumerate() {
        let reason = reasons.get(place).map_or("no reason was given", String::as_str);
        crate::say!("the {leg} leg could not be used: {}", shown(reason));
    }
}

/// Text as one line.
fn one_line(text: &str) -> String {
    shown(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}

fn field<'a>(object: &'a Value, name: &str) -> &'a str {
    object.get(name).and_then(Value::as_str).unwrap_or("")
}

/// A list of records, one line each.
pub fn records(records: &[Value]) {
    let mut table = table(&["audit id", "time", "outcome", "verdict", "question"]);
    for record in records {
        let verdict = record.pointer("/validation_result/status").and_then(Value::as_str).unwrap_or("–");
        let question: String = one_line(field(record, "query")).chars().take(60).collect();
        table.add_row([
            field(record, "audit_id"),
            field(record, "timestamp"),
            field(record, "outcome"),
            verdict,
            &question,
        ]);
    }
    println!("{table}");
}

/// One record as indented text.
pub fn record(record: &Value) {
    println!("{}", shown(&format!("{record:#}")));
}
