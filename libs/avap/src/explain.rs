//! What stands behind each diagnostic code, read from the compiled-in `codes.toml`: why it is a finding, what to do, a
//! program that draws it and one that does not.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::diagnostic::CODES;

const TEXT: &str = include_str!("codes.toml");

/// The explanation of a diagnostic code.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Explanation {
    /// The code, for example `AVAP018`.
    pub code: String,
    /// Why it is a finding; a few sentences of Markdown.
    pub why: String,
    /// What to do about it; one sentence of Markdown.
    pub remedy: String,
    /// A program that draws the finding.
    pub bad: String,
    /// A program that draws none.
    pub good: String,
}

impl Explanation {
    /// The title of the code, as the table of codes has it.
    #[must_use]
    pub fn title(&self) -> &'static str {
        CODES.iter().find(|(code, _)| code.text() == self.code).map_or("", |(_, title)| title)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    code: Vec<Explanation>,
}

static EXPLANATIONS: LazyLock<Vec<Explanation>> =
    LazyLock::new(|| toml::from_str::<Table>(TEXT).map(|table| table.code).unwrap_or_default());

/// The explanations of all codes, in the order of their numbers.
#[must_use]
pub fn explanations() -> &'static [Explanation] {
    &EXPLANATIONS
}

/// The explanation of a code such as `AVAP018`, whatever the case of its letters.
#[must_use]
pub fn explain(code: &str) -> Option<&'static Explanation> {
    EXPLANATIONS.iter().find(|explanation| explanation.code.eq_ignore_ascii_case(code))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Options, Severity, parse};

    #[test]
    fn every_code_is_explained_in_order() {
        let explained: Vec<&str> = explanations().iter().map(|e| e.code.as_str()).collect();
        let codes: Vec<String> = CODES.iter().map(|(code, _)| code.text()).collect();
        assert_eq!(explained, codes);
        assert!(explanations().iter().all(|e| !e.title().is_empty() && !e.why.is_empty()));
        assert_eq!(explain("avap018").map(|e| e.code.as_str()), Some("AVAP018"));
        assert_eq!(explain("AVAP999"), None);
    }

    #[test]
    fn bad_programs_draw_their_code_alone_and_good_ones_nothing() {
        for explanation in explanations() {
            let bad = parse(&explanation.bad, &Options::default()).diagnostics;
            let output = |code: &str| explanation.code != "AVAP043" && code == "AVAP043";
            let found: Vec<&str> = bad.iter().map(|d| d.code.as_str()).filter(|code| !output(code)).collect();
            assert_eq!(found, [explanation.code.as_str()], "{}\n{bad:#?}", explanation.bad);
            let good = parse(&explanation.good, &Options::default()).diagnostics;
            assert!(good.iter().all(|d| d.severity == Severity::Hint), "{}\n{good:#?}", explanation.good);
        }
    }
}
