//! Findings as SARIF 2.1.0, as far as code scanners read it; names and order are the standard's.

use assay_avap as avap;
use assay_domain::{Diagnostic, Severity};
use assay_languages as languages;
use serde::Serialize;

use super::{Judged, Level, Located, Remedy, encoded};
use assay_lint as lint;

/// A log of one run over all programs.
#[derive(Debug, Serialize)]
pub struct Sarif<'a> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run<'a>; 1],
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Run<'a> {
    tool: Tool<'a>,
    column_kind: &'static str,
    results: Vec<Finding<'a>>,
}

#[derive(Debug, Serialize)]
struct Tool<'a> {
    driver: Driver<'a>,
}

#[derive(Debug, Serialize)]
struct Driver<'a> {
    name: &'static str,
    version: &'static str,
    /// Those that occur, or all of them, sorted by id.
    rules: Vec<Rule<'a>>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Rule<'a> {
    id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    short_description: Option<Text>,
    #[serde(skip_serializing_if = "Option::is_none")]
    full_description: Option<Text>,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<Text>,
}

#[derive(Debug, Serialize)]
struct Text {
    text: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Finding<'a> {
    rule_id: &'a str,
    /// Place of the rule among those of the run, from 0.
    rule_index: usize,
    /// `error`, `warning` or `note`.
    level: &'static str,
    message: Text,
    locations: [Location; 1],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related_locations: Vec<Location>,
    #[serde(skip_serializing_if = "Option::is_none")]
    properties: Option<Remedy<'a>>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    physical_location: Physical,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Physical {
    artifact_location: Artifact,
    region: Region,
}

impl Location {
    fn lines(place: &lint::Place) -> Self {
        let artifact_location = Artifact { uri: encoded(&place.path) };
        let (start_line, end_line) = (place.lines.first, place.lines.last);
        let region = Region { start_line, start_column: None, end_line, end_column: None };
        Self { physical_location: Physical { artifact_location, region } }
    }
}

#[derive(Debug, Serialize)]
struct Artifact {
    uri: String,
}

/// Lines and columns count from 1, columns in scalar values. An empty region lies between two characters; one without
/// columns is whole lines.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_column: Option<u32>,
    end_line: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_column: Option<u32>,
}

/// Programs and their findings as one run.
#[must_use]
pub fn sarif(programs: &[Judged]) -> Sarif<'_> {
    let mut codes: Vec<&str> =
        programs.iter().flat_map(|program| &program.found).map(|d| d.code.as_str()).collect();
    codes.sort_unstable();
    codes.dedup();
    let results =
        programs.iter().flat_map(|program| program.found.iter().map(|d| finding(program, d, &codes)));
    let results = results.collect();
    log(codes.iter().map(|code| rule(code)).collect(), results)
}

/// Findings with a place as one run; `rules` are those that were looked for, each with its meaning.
#[must_use]
pub fn located<'a>(found: &'a [Located], rules: &[(&'a str, &str)]) -> Sarif<'a> {
    let results = found.iter().map(|one| Finding {
        rule_id: &one.rule,
        rule_index: rules.iter().position(|(id, _)| *id == one.rule).unwrap_or(0),
        level: match one.level {
            Level::Error => "error",
            Level::Warning => "warning",
        },
        message: Text { text: one.message.clone() },
        locations: [Location {
            physical_location: Physical {
                artifact_location: Artifact { uri: encoded(&one.path) },
                region: Region {
                    start_line: one.first_line,
                    start_column: None,
                    end_line: one.last_line,
                    end_column: None,
                },
            },
        }],
        related_locations: Vec::new(),
        properties: None,
    });
    let described = rules.iter().map(|(id, meaning)| Rule {
        id,
        short_description: Some(Text { text: (*meaning).to_owned() }),
        full_description: None,
        help: None,
    });
    log(described.collect(), results.collect())
}

/// Findings of the corpus lint as one run, which names the rules that were looked for.
#[must_use]
pub fn corpus<'a>(found: &'a [lint::Finding], rules: &[lint::Rule]) -> Sarif<'a> {
    let ids: Vec<&str> = rules.iter().map(|rule| rule.as_str()).collect();
    let results = found.iter().map(|finding| Finding {
        rule_id: finding.rule.as_str(),
        rule_index: ids.iter().position(|id| *id == finding.rule.as_str()).unwrap_or(0),
        level: "warning",
        message: Text { text: finding.message.clone() },
        locations: [Location::lines(&finding.place)],
        related_locations: finding.related.iter().map(Location::lines).collect(),
        properties: None,
    });
    let text = |text: &str| Some(Text { text: text.to_owned() });
    let described = rules.iter().map(|rule| Rule {
        id: rule.as_str(),
        short_description: text(rule.meaning()),
        full_description: None,
        help: None,
    });
    log(described.collect(), results.collect())
}

fn log<'a>(rules: Vec<Rule<'a>>, results: Vec<Finding<'a>>) -> Sarif<'a> {
    let driver = Driver { name: "assay", version: env!("CARGO_PKG_VERSION"), rules };
    Sarif {
        schema: "https://json.schemastore.org/sarif-2.1.0.json",
        version: "2.1.0",
        runs: [Run { tool: Tool { driver }, column_kind: "unicodeCodePoints", results }],
    }
}

fn rule(id: &str) -> Rule<'_> {
    let text = |text: &str| Some(Text { text: text.to_owned() });
    let (short_description, full_description, help) = match (avap::explain(id), languages::meaning(id)) {
        (Some(told), _) => (text(told.title()), text(&told.why), text(&told.remedy)),
        (None, Some(told)) => (text(told.title), None, text(told.remedy)),
        (None, None) => (None, None, None),
    };
    Rule { id, short_description, full_description, help }
}

fn finding<'a>(program: &Judged, d: &'a Diagnostic, codes: &[&str]) -> Finding<'a> {
    let level = match d.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Hint => "note",
    };
    let help = d.help.as_ref().map(|help| format!(" — {help}")).unwrap_or_default();
    let artifact_location = Artifact { uri: encoded(&program.path.display().to_string()) };
    let (start_column, end_column) = (Some(d.column), Some(d.end_column));
    let region = Region { start_line: d.line, start_column, end_line: d.line, end_column };
    Finding {
        rule_id: &d.code,
        rule_index: codes.binary_search(&d.code.as_str()).unwrap_or(0),
        level,
        message: Text { text: format!("{}{help}", d.message) },
        locations: [Location { physical_location: Physical { artifact_location, region } }],
        related_locations: Vec::new(),
        properties: Some(Remedy::of(d)),
    }
}
