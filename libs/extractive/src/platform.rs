//! Account questions without a model: the lines of the given account data that the question is about.

use serde_json::Value;

use super::question::Question;
use super::terms::stem_set;
use super::{Composition, phrases};
use assay_domain::draft::{Finish, Generator};
use assay_text::Language;

/// Most lines shown when no line matches and the data is small.
const SMALL: usize = 8;

/// Answers an account question from the account data.
pub(crate) fn account(text: &str, context: &str) -> Composition {
    let question = Question::of(text);
    let language = question.language;
    let lines = lines(context);
    if lines.is_empty() {
        return Composition::of(Generator::Extractive, Finish::Abstained, phrases::no_account_data(language));
    }
    let scores: Vec<f64> = lines
        .iter()
        .map(|line| {
            let (english, spanish) = (stem_set(line, Language::English), stem_set(line, Language::Spanish));
            question
                .terms
                .iter()
                .map(|term| {
                    term.importance.max(0.7)
                        * term
                            .match_in(&english, Language::English)
                            .max(term.match_in(&spanish, Language::Spanish))
                })
                .sum()
        })
        .collect();
    let best = scores.iter().copied().fold(0.0, f64::max);
    let figures = |line: &str| line.chars().any(|c| c.is_ascii_digit());
    let chosen: Vec<&String> = if best >= 0.4 {
        lines.iter().zip(&scores).filter(|(_, score)| **score >= 0.6 * best).map(|(line, _)| line).collect()
    } else if lines.len() <= SMALL && lines.iter().any(|line| figures(line)) && about_account(text) {
        lines.iter().collect()
    } else {
        return Composition::of(
            Generator::Extractive,
            Finish::Abstained,
            phrases::not_in_account_data(language),
        );
    };
    let body: Vec<String> = chosen.iter().map(|line| format!("- {line}")).collect();
    Composition::of(
        Generator::Extractive,
        Finish::Stop,
        format!("{}\n\n{}", phrases::account_lines(language), body.join("\n")),
    )
}

fn about_account(text: &str) -> bool {
    let folded = assay_text::fold(text);
    [
        "account",
        "plan",
        "project",
        "subscription",
        "usage",
        "quota",
        "doing",
        "status",
        "month",
        "cuenta",
        "proyecto",
        "suscripcion",
        "consumo",
        "estado",
        "mes",
        "bill",
        "credit",
    ]
    .iter()
    .any(|cue| folded.contains(cue))
}

/// The data as lines: JSON objects as `path: value`, other text line by line without list marks.
fn lines(context: &str) -> Vec<String> {
    if let Ok(value @ (Value::Object(_) | Value::Array(_))) = serde_json::from_str::<Value>(context) {
        let mut out = Vec::new();
        flatten("", &value, 0, &mut out);
        return out;
    }
    context
        .lines()
        .map(|line| line.trim().trim_start_matches(['-', '*', '#']).trim().to_owned())
        .filter(|line| line.chars().any(char::is_alphanumeric))
        .collect()
}

fn flatten(path: &str, value: &Value, depth: usize, out: &mut Vec<String>) {
    let at = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
    match value {
        Value::Object(map) if depth < 16 => {
            map.iter().for_each(|(key, value)| flatten(&at(key), value, depth + 1, out))
        }
        // No index: it would be a figure that the data does not hold.
        Value::Array(items) if depth < 16 => {
            items.iter().for_each(|value| flatten(path, value, depth + 1, out))
        }
        Value::String(text) => out.push(format!("{path}: {text}")),
        other => out.push(format!("{path}: {other}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DATA: &str =
        "Plan: Team\nUsage this month: 82 % of 50,000 requests\nRenewal: 2026-12-01\nInvoices open: 1\n";

    #[test]
    fn the_matching_line_is_returned_as_it_stands() {
        let answer = account("What is my usage percentage?", DATA);
        assert!(answer.text.ends_with("- Usage this month: 82 % of 50,000 requests"), "{}", answer.text);
    }

    #[test]
    fn a_spanish_question_meets_english_data() {
        let answer = account("¿Cuánto consumo llevo este mes?", DATA);
        assert!(answer.text.contains("82 % of 50,000"), "{}", answer.text);
        assert!(answer.text.starts_with("Aquí están las líneas"));
    }

    #[test]
    fn json_is_shown_as_paths() {
        let answer =
            account("what is my quota?", r#"{"plan":"team","quota":{"requests":50000,"used":41000}}"#);
        assert!(answer.text.contains("- quota.requests: 50000"), "{}", answer.text);
    }

    #[test]
    fn what_the_data_does_not_say_is_not_said() {
        let long: String = (0..20).map(|i| format!("line {i}: x\n")).collect();
        assert_eq!(account("What is my phone number?", &long).finish, Finish::Abstained);
        assert_eq!(account("What is my quota?", " ").finish, Finish::Abstained);
    }
}
