//! A report as one page without scripts: plots, tables, and every answer to open.

use std::collections::{BTreeMap, BTreeSet};

use askama::Template;
use assay_domain::Failure;
use assay_scoring::{AgainstJudge, Agreement, Figure, Manifest, Recorded, Report, Score, Scored, Share};

use super::{FIGURES, interval, number, plots, reasons};

/// The page.
#[derive(Template)]
#[template(path = "report.html")]
struct Page<'a> {
    report: &'a Report,
    manifest: Vec<(String, String)>,
    figures: Vec<Row<'a>>,
    spreads: Vec<Spread>,
    matrix: Matrix,
    routes: Matrix,
    categories: Vec<(&'a str, Vec<String>)>,
    /// Judges, what they judged, agreement, interval, kappa.
    agreement: Vec<[String; 5]>,
    /// Judge, caught, interval, falsely rejected, interval.
    against: Vec<[String; 5]>,
    questions: Vec<Question<'a>>,
}

/// A figure.
struct Row<'a> {
    name: &'a str,
    meaning: &'a str,
    value: String,
    interval: String,
    by: &'a str,
    questions: usize,
    deviation: String,
    raw: String,
    reasons: String,
    plot: String,
}

/// How a score is spread over the answers, and between repetitions.
struct Spread {
    name: &'static str,
    distribution: String,
    scatter: String,
}

/// Counts by two names.
struct Matrix {
    columns: Vec<String>,
    /// Name, then the count in each column.
    rows: Vec<(String, Vec<u64>)>,
}

impl Matrix {
    /// Of row, column and count.
    fn of<'a>(counts: impl Iterator<Item = (&'a str, &'a str, u64)>) -> Self {
        let counts: Vec<(&str, &str, u64)> = counts.collect();
        let columns: BTreeSet<&str> = counts.iter().map(|(_, column, _)| *column).collect();
        let mut rows: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
        for (row, column, count) in counts {
            let row = rows.entry(row).or_insert_with(|| vec![0; columns.len()]);
            if let Some(at) = columns.iter().position(|known| *known == column) {
                row[at] += count;
            }
        }
        Self {
            columns: columns.into_iter().map(str::to_owned).collect(),
            rows: rows.into_iter().map(|(name, counts)| (name.to_owned(), counts)).collect(),
        }
    }
}

/// A question with its first answer and what later ones have different.
struct Question<'a> {
    one: &'a Recorded,
    scores: Vec<(&'a str, String)>,
    /// Whether a reader would be wronged.
    bad: bool,
    cited: Vec<&'a assay_scoring::Source>,
    /// Repetitions that did not end as the first.
    differing: Vec<u32>,
}

/// Figures of a category.
const OF_CATEGORIES: [&str; 5] = [
    "answered_of_answerable",
    "abstained_of_unanswerable",
    "faithfulness",
    "context_recall",
    "routing_accuracy",
];

fn agreement(one: &Agreement) -> [String; 5] {
    let judges = one.judges.join(" and ");
    let agreed = format!("{} of {}", one.agreed, one.judged);
    [judges, one.of.to_owned(), agreed, interval(one.interval), number(one.kappa)]
}

fn against(one: &AgainstJudge) -> [String; 5] {
    let share = |share: &Share| [format!("{} of {}", share.count, share.of), interval(share.interval)];
    let [[caught, caught_interval], [rejected, rejected_interval]] =
        [share(&one.caught), share(&one.falsely_rejected)];
    [one.judge.clone(), caught, caught_interval, rejected, rejected_interval]
}

/// The page of a report.
///
/// # Errors
/// `INTERNAL` if it cannot be written.
pub(in super::super) fn html(report: &Report, recorded: &[Recorded]) -> Result<String, Failure> {
    let none = Figure::default();
    let page = Page {
        report,
        manifest: manifest(&report.manifest),
        figures: FIGURES.iter().filter_map(|(name, meaning)| row(report, name, meaning)).collect(),
        spreads: ["faithfulness", "answer_relevancy", "context_recall"]
            .map(|name| spread(report, name))
            .into(),
        matrix: Matrix::of(
            report.confusion.iter().map(|one| (one.construct.as_str(), one.category.as_str(), one.blocks)),
        ),
        routes: Matrix::of(report.routes.iter().filter_map(|(name, count)| {
            let (expected, found) = name.split_once(" → ")?;
            Some((expected, found, *count))
        })),
        categories: report
            .categories
            .iter()
            .map(|(category, figures)| {
                let of = |name: &&str| number(figures.get(*name).unwrap_or(&none).value);
                (category.as_str(), OF_CATEGORIES.iter().map(of).collect())
            })
            .collect(),
        agreement: report.agreement.iter().map(agreement).collect(),
        against: report.against_judges.iter().map(against).collect(),
        questions: questions(report, recorded),
    };
    page.render().map_err(|error| Failure::internal(error.to_string()))
}

/// The manifest as a reader takes it in: what is empty is left out.
fn manifest(manifest: &Manifest) -> Vec<(String, String)> {
    let value = serde_json::to_value(manifest).unwrap_or_default();
    let told = |value: &serde_json::Value| match value {
        serde_json::Value::String(text) => text.clone(),
        serde_json::Value::Null => String::new(),
        serde_json::Value::Object(map) => map
            .iter()
            .map(|(name, value)| format!("{name} {}", value.as_str().unwrap_or_default()))
            .collect::<Vec<_>>()
            .join("\n"),
        other => other.to_string(),
    };
    value
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, value)| (name.replace('_', " "), told(value)))
        .filter(|(_, value)| !value.is_empty())
        .collect()
}

fn row<'a>(report: &'a Report, name: &'a str, meaning: &'a str) -> Option<Row<'a>> {
    let figure = report.figures.get(name)?;
    let raw = report.raw.get(name).filter(|raw| raw.value != figure.value);
    Some(Row {
        name,
        meaning,
        value: number(figure.value),
        interval: interval(figure.interval),
        by: figure.interval_by.unwrap_or_default(),
        questions: figure.questions,
        deviation: number(figure.deviation),
        raw: raw.map(|raw| number(raw.value)).unwrap_or_default(),
        reasons: reasons(figure),
        plot: plots::interval(figure),
    })
}

fn spread(report: &Report, name: &'static str) -> Spread {
    let value = |one: &Scored| one.scores.get(name).copied().and_then(Score::value);
    let values: Vec<f64> = report.items.iter().filter_map(value).collect();
    let last = report.items.iter().map(|one| one.repetition).max().unwrap_or(1);
    let of = |repetition: u32| -> BTreeMap<&str, f64> {
        let mine = report.items.iter().filter(|one| one.repetition == repetition);
        mine.filter_map(|one| Some((one.id.as_str(), value(one)?))).collect()
    };
    let (first, late) = (of(1), of(last));
    let pairs: Vec<(f64, f64)> = if last > 1 {
        first.iter().filter_map(|(id, value)| Some((*value, *late.get(id)?))).collect()
    } else {
        Vec::new()
    };
    Spread { name, distribution: plots::distribution(&values), scatter: plots::scatter(&pairs) }
}

fn questions<'a>(report: &'a Report, recorded: &'a [Recorded]) -> Vec<Question<'a>> {
    let ended =
        |one: &Recorded| one.answer.as_ref().map(|answer| (answer.outcome.clone(), answer.text.clone()));
    recorded
        .iter()
        .zip(&report.items)
        .filter(|(one, _)| one.repetition == 1)
        .map(|(one, scored)| {
            let outcome = one.answer.as_ref().map_or("", |answer| answer.outcome.as_str());
            let wanted = match one.answerable {
                Some(true) => outcome == "ANSWERED",
                Some(false) => outcome != "ANSWERED",
                None => !outcome.is_empty(),
            };
            let answer = one.answer.as_ref();
            let is_cited = |marker: usize| {
                answer.is_some_and(|answer| {
                    answer.citations.iter().any(|citation| citation.marker as usize == marker)
                })
            };
            Question {
                one,
                scores: scored
                    .scores
                    .iter()
                    .filter_map(|(name, score)| Some((*name, format!("{:.3}", score.value()?))))
                    .collect(),
                bad: !wanted || scored.code_valid == Some(false),
                cited: answer
                    .map(|answer| {
                        let numbered = (1..).zip(&answer.sources);
                        numbered.filter(|(marker, _)| is_cited(*marker)).map(|(_, source)| source).collect()
                    })
                    .unwrap_or_default(),
                differing: recorded
                    .iter()
                    .filter(|other| other.id == one.id && other.repetition > 1 && ended(other) != ended(one))
                    .map(|other| other.repetition)
                    .collect(),
            }
        })
        .collect()
}
