//! A report in every form: for a terminal, a pull request, a CI server, a browser.

mod html;
mod junit;
mod plots;

pub(super) use html::html;
pub(super) use junit::junit;

use std::fmt::Write as _;

use assay_scoring::{Comparison, Figure, Repairs, Report, Share};
use comfy_table::presets::{ASCII_MARKDOWN, NOTHING};
use comfy_table::{CellAlignment, Table};

/// The figures in the order in which a reader asks for them, each with its meaning.
pub(super) const FIGURES: [(&str, &str); 13] = [
    ("syntactic_validity", "answers whose code the parser accepts, of those with code"),
    ("faithfulness", "statements that the sources support; 0 where code is rejected"),
    ("answer_relevancy", "whether the answer answers the question; 0 where code is rejected"),
    ("context_precision", "useful sources rank first"),
    ("context_recall", "statements of the reference that the sources hold"),
    ("citation_precision", "citations that name lines of the reference"),
    ("citation_recall", "places of the reference that are cited"),
    ("citation_coverage", "factual claims with a citation"),
    ("bogus_citations", "citations that name nothing the index holds"),
    ("answered_of_answerable", "answered, of the questions that can be"),
    ("abstained_of_unanswerable", "abstained, of the questions that cannot be answered"),
    ("rejected_of_answerable", "rejected, of the questions that can be answered"),
    ("routing_accuracy", "types as a person would choose them"),
];

/// For a terminal.
pub(super) fn table(report: &Report) -> String {
    let mut figures = grid(NOTHING);
    figures.set_header(["figure", "value", "95 %", "questions", "not computed"]);
    rows(report, &mut figures);
    let mut out =
        format!("{}  {} answers, parser {}\n", report.standing, report.answers, report.manifest.parser);
    let _ = writeln!(out, "{figures}");
    out + &notes(report)
}

/// For a pull request.
pub(super) fn markdown(report: &Report) -> String {
    let mut figures = grid(ASCII_MARKDOWN);
    figures.set_header(["figure", "value", "95 %", "questions", "not computed"]);
    rows(report, &mut figures);
    let mut out = format!("## Evaluation: {}, {} answers\n\n{figures}\n\n", report.standing, report.answers);
    for line in notes(report).lines() {
        let _ = writeln!(out, "- {}", line.trim());
    }
    out
}

fn grid(preset: &str) -> Table {
    let mut table = Table::new();
    table.load_preset(preset);
    table
}

fn rows(report: &Report, table: &mut Table) {
    for (name, _) in FIGURES {
        let Some(figure) = report.figures.get(name) else { continue };
        table.add_row([
            name.to_owned(),
            number(figure.value),
            interval(figure.interval),
            figure.questions.to_string(),
            reasons(figure),
        ]);
        if let Some(raw) = report.raw.get(name).filter(|raw| raw.value != figure.value) {
            table.add_row([
                format!("{name}, raw"),
                number(raw.value),
                interval(raw.interval),
                raw.questions.to_string(),
            ]);
        }
    }
    for column in 1..=3 {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
}

/// Everything of a report that is no figure, a line each.
fn notes(report: &Report) -> String {
    let mut out = String::new();
    let counts = |counts: &std::collections::BTreeMap<String, u64>| {
        counts.iter().map(|(name, count)| format!("{name} {count}")).collect::<Vec<_>>().join(", ")
    };
    for (name, all) in [
        ("outcomes", &report.outcomes),
        ("verdicts", &report.verdicts),
        ("answerability", &report.answerability),
        ("types, expected → found", &report.routes),
    ] {
        if !all.is_empty() {
            let _ = writeln!(out, "{name}: {}", counts(all));
        }
    }
    if let Some([median, p95, most]) = report.latency_ms {
        let _ =
            writeln!(out, "milliseconds: median {median:.1}, 95th percentile {p95:.1}, largest {most:.1}");
    }
    if !report.examples.is_empty() {
        let each = report.examples.iter().map(|(given, count)| format!("{given} in {count}"));
        let _ = writeln!(out, "examples given to code answers: {}", each.collect::<Vec<_>>().join(", "));
    }
    if let Some([input, output]) = report.tokens {
        let _ = writeln!(out, "tokens: {input} in, {output} out");
    }
    if let Some([input, output]) = report.judge_tokens {
        let _ = writeln!(out, "tokens of judges: {input} in, {output} out");
    }
    for one in &report.agreement {
        let [first, second] = &one.judges;
        let kappa = one.kappa.map_or("none".to_owned(), |kappa| format!("{kappa:.2}"));
        let _ = writeln!(
            out,
            "{first} and {second} agree on {} of {} {} ({}), kappa {kappa}",
            one.agreed,
            one.judged,
            one.of,
            interval(one.interval)
        );
    }
    for one in &report.against_judges {
        let share = |share: &Share| format!("{} of {} ({})", share.count, share.of, interval(share.interval));
        let _ = writeln!(
            out,
            "claims that {} finds unsupported and the checks flag: {}; supported ones that they flag: {}",
            one.judge,
            share(&one.caught),
            share(&one.falsely_rejected)
        );
    }
    if !report.confusion.is_empty() {
        let blocks: u64 = report.confusion.iter().map(|one| one.blocks).sum();
        let _ = writeln!(out, "rejected code: {blocks} by category, construct and question (JSON, HTML)");
    }
    if !report.leakage.is_empty() {
        let tokens: Vec<&str> = report.leakage.iter().take(8).map(|leak| leak.token.as_str()).collect();
        let _ = writeln!(out, "tokens of rejected code: {}", tokens.join(" "));
    }
    let differing: Vec<&str> = report
        .figures
        .iter()
        .filter(|(_, figure)| figure.null_control.is_some_and(|p| p < 0.05))
        .map(|(name, _)| name.as_str())
        .collect();
    if report.manifest.repetitions > 1 {
        let told = if differing.is_empty() { "no difference".to_owned() } else { differing.join(", ") };
        let _ = writeln!(out, "null control, first repetition against last: {told}");
    }
    if let Some(figure) = report.figures.get("faithfulness")
        && let Some(detectable) = figure.detectable.filter(|detectable| *detectable > 0.0)
    {
        let _ = writeln!(
            out,
            "{} questions cannot tell {:.3} from {:.3} in faithfulness",
            figure.questions,
            figure.value.unwrap_or_default(),
            (figure.value.unwrap_or_default() - detectable).max(0.0)
        );
    }
    if report.outstanding > 0 {
        let _ = writeln!(out, "{} answers are missing: the run did not end", report.outstanding);
    }
    for missing in &report.missing_for_binding {
        let _ = writeln!(out, "not binding: {missing}");
    }
    out
}

/// Two runs side by side, for a terminal.
pub(super) fn comparison(comparison: &Comparison) -> String {
    let mut table = grid(NOTHING);
    table.set_header(["score", "first", "second", "difference", "95 %", "p", "detectable", "questions", ""]);
    for (name, of) in &comparison.scores {
        table.add_row([
            name.clone(),
            number(Some(of.first)),
            number(Some(of.second)),
            format!("{:+.3}", of.difference),
            interval(of.interval),
            format!("{:.4}", of.p_value),
            number(of.detectable),
            of.questions.to_string(),
            of.verdict.to_owned(),
        ]);
    }
    let mut out = format!("{table}\n");
    for (name, [first, second]) in &comparison.differs {
        let _ = writeln!(out, "{name}: {first} → {second}");
    }
    if comparison.differs.is_empty() {
        out.push_str("both runs were made with the same: this is a null control\n");
    }
    if comparison.unpaired > 0 {
        let _ = writeln!(out, "{} questions are in one run only", comparison.unpaired);
    }
    out
}

/// What retries repair, for a terminal.
pub(super) fn repairs(repairs: &Repairs) -> String {
    if repairs.categories.is_empty() {
        return "no answer is rejected without a retry\n".into();
    }
    let mut table = grid(NOTHING);
    table.set_header(["defect", "rejected", "blind repairs", "95 %", "guided repairs", "95 %", "alone", "p"]);
    for (name, of) in &repairs.categories {
        table.add_row([
            name.clone(),
            of.rejected.to_string(),
            of.blind.to_string(),
            interval(of.blind_interval),
            of.guided.to_string(),
            interval(of.guided_interval),
            format!("guided {}, blind {}", of.alone[0], of.alone[1]),
            format!("{:.4}", of.p_value),
        ]);
    }
    let mut out = format!("{table}\n");
    if repairs.unpaired > 0 {
        let _ = writeln!(out, "{} questions are not in all three runs", repairs.unpaired);
    }
    out
}

pub(super) fn number(value: Option<f64>) -> String {
    value.map_or("–".into(), |value| format!("{value:.3}"))
}

pub(super) fn interval(bounds: Option<(f64, f64)>) -> String {
    bounds.map_or(String::new(), |(low, high)| format!("{low:.3} to {high:.3}"))
}

/// Why answers do not have a score, with how many.
pub(super) fn reasons(figure: &Figure) -> String {
    let name =
        |reason| serde_json::to_value(reason).ok().and_then(|name| Some(name.as_str()?.replace('_', " ")));
    let told: Vec<String> = figure
        .not_computed
        .iter()
        .map(|(reason, count)| format!("{count} {}", name(reason).unwrap_or_default()))
        .collect();
    told.join(", ")
}
