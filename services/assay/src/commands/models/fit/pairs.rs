//! Labelled pairs of a claim and its sources: JSON Lines, one pair each, or the suites of `tools/train` as they are.

use std::path::Path;

use assay_domain::{Code, Failure};
use serde::Deserialize;
use serde_json::Value;

/// A claim with its sources, and whether they support it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Labelled {
    /// The claim, as an answer would say it.
    pub(crate) claim: String,
    /// The question it answers; empty for none.
    pub(crate) question: String,
    /// Texts that it is held against.
    pub(crate) sources: Vec<String>,
    /// Whether they support it.
    pub(crate) supported: bool,
    /// Code of its language; empty if nobody said.
    pub(crate) language: String,
    /// Pairs of one group are never on both sides of a cross-validation.
    pub(crate) group: String,
}

/// A line with one pair.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct One {
    claim: String,
    #[serde(alias = "premise")]
    source: Option<String>,
    #[serde(default)]
    sources: Vec<String>,
    label: Value,
    #[serde(default)]
    language: String,
    #[serde(default)]
    group: String,
    #[serde(default)]
    question: String,
}

/// A line of a suite: claims over the same sources.
#[derive(Deserialize)]
struct Suite {
    base: String,
    #[serde(default)]
    language: String,
    sources: Vec<String>,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    claim: String,
    good: bool,
    #[serde(default)]
    question: String,
    /// Places of its sources, from 1; all of them if empty.
    #[serde(default)]
    sources: Vec<usize>,
}

/// The pairs of a file.
///
/// # Errors
/// `INVALID_ARGUMENT` with the line and field that is wrong.
pub(crate) fn read(path: &Path, text: &str) -> Result<Vec<Labelled>, Failure> {
    let mut pairs = Vec::new();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let wrong = |why: String| {
            let text = format!("{}, line {}: {why}", path.display(), number + 1);
            Failure::new(Code::InvalidArgument, text).field("pairs")
        };
        let value: Value = serde_json::from_str(line).map_err(|error| wrong(error.to_string()))?;
        if value.get("cases").is_some() {
            let suite = Suite::deserialize(value).map_err(|error| wrong(error.to_string()))?;
            pairs.extend(
                suite.pairs().ok_or_else(|| wrong("a case names a source that is not there".to_owned()))?,
            );
        } else {
            let one = One::deserialize(value).map_err(|error| wrong(error.to_string()))?;
            pairs.push(one.pair().map_err(wrong)?);
        }
    }
    Ok(pairs)
}

// === impl One ===

impl One {
    fn pair(self) -> Result<Labelled, String> {
        let supported = supported(&self.label).ok_or_else(|| {
            format!(
                "label is {}; give true, false, entailment, neutral, contradiction, supported or unsupported",
                self.label
            )
        })?;
        let sources: Vec<String> = self.source.into_iter().chain(self.sources).collect();
        if self.claim.trim().is_empty() || sources.is_empty() {
            return Err("claim and source (or sources) must hold a text".to_owned());
        }
        // Claims over the same texts go together.
        let group = if self.group.is_empty() { sources.concat() } else { self.group };
        let Self { claim, language, question, .. } = self;
        Ok(Labelled { claim, question, sources, supported, language, group })
    }
}

// === impl Suite ===

impl Suite {
    fn pairs(self) -> Option<Vec<Labelled>> {
        let of = |case: Case| {
            let chosen = case.sources.iter().map(|place| self.sources.get(place.checked_sub(1)?).cloned());
            let chosen: Vec<String> = chosen.collect::<Option<_>>()?;
            Some(Labelled {
                claim: case.claim,
                question: case.question,
                sources: if chosen.is_empty() { self.sources.clone() } else { chosen },
                supported: case.good,
                language: self.language.clone(),
                group: self.base.clone(),
            })
        };
        self.cases.into_iter().map(of).collect()
    }
}

/// What a label means; those of natural language inference are understood too.
fn supported(label: &Value) -> Option<bool> {
    match label {
        Value::Bool(supported) => Some(*supported),
        Value::String(word) => match word.to_lowercase().as_str() {
            "true" | "entailment" | "supported" => Some(true),
            "false" | "neutral" | "contradiction" | "not_entailment" | "unsupported" | "contradicted" => {
                Some(false)
            }
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn of(text: &str) -> Result<Vec<Labelled>, String> {
        read(Path::new("pairs.jsonl"), text).map_err(|failure| failure.message)
    }

    #[test]
    fn both_forms_are_read() {
        let one = r#"{"claim": "c", "premise": "p", "label": "neutral", "language": "en"}"#;
        let case = r#"{"claim": "d", "good": true, "question": "q", "sources": [2], "style": "s"}"#;
        let suite =
            format!(r#"{{"base": "b", "language": "es", "sources": ["one", "two"], "cases": [{case}]}}"#);
        let [first, second] = of(&format!("{one}\n\n{suite}")).unwrap().try_into().unwrap();
        assert_eq!((first.supported, first.group.as_str(), first.language.as_str()), (false, "p", "en"));
        let expected = Labelled {
            claim: "d".into(),
            question: "q".into(),
            sources: vec!["two".into()],
            supported: true,
            language: "es".into(),
            group: "b".into(),
        };
        assert_eq!(second, expected);
    }

    #[test]
    fn labels_and_places_that_mean_nothing_are_named_by_line() {
        for (line, told) in [
            (r#"{"claim": "c", "source": "s", "label": "perhaps"}"#, "line 2: label is \"perhaps\""),
            (r#"{"claim": "c", "label": true}"#, "claim and source"),
            (r#"{"claim": "c", "source": "s", "label": true, "weight": 1}"#, "weight"),
            (
                r#"{"base": "b", "sources": ["s"], "cases": [{"claim": "c", "good": true, "sources": [2]}]}"#,
                "not there",
            ),
            ("{", "line 2"),
        ] {
            let error = of(&format!("\n{line}")).unwrap_err();
            assert!(error.contains(told), "{error}");
        }
    }
}
