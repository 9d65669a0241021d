//! What fails an answer and what only flags it: numbers as data, and which checks a query type requires.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use assay_domain::QueryType;
use assay_domain::report::CheckName;
use serde::Deserialize;

use crate::model::{self, Bars};

/// Share of good claims, and of answerable questions, that may fall below the bars of the fitted models.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub enum FalseRejection {
    /// One in a hundred.
    #[serde(rename = "1%")]
    One,
    /// Three in a hundred.
    #[serde(rename = "3%")]
    Three,
    /// Five in a hundred.
    #[serde(rename = "5%")]
    Five,
}

impl FalseRejection {
    fn bar(self, bars: Bars) -> f64 {
        match self {
            Self::One => bars.fr_1,
            Self::Three => bars.fr_3,
            Self::Five => bars.fr_5,
        }
    }
}

/// A policy.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Policy {
    /// Its name.
    pub name: String,
    /// Supported claims that may fall below the bar of claim support.
    pub supported_below: FalseRejection,
    /// Answerable questions that may fall below the bar of relevance.
    pub relevant_below: FalseRejection,
    /// Uncited factual claims from which coverage can fail.
    pub uncited_count: usize,
    /// Share of factual claims, 0 to 1, that uncited ones must exceed for coverage to fail.
    pub uncited_share: f64,
    /// Unsupported factual claims from which support can fail.
    pub unsupported_count: usize,
    /// Share of factual claims, 0 to 1, that unsupported ones must exceed for support to fail.
    pub unsupported_share: f64,
    /// Least probability at which one source supports a claim clearly enough to be attached.
    pub attach_bar: f64,
    /// Whether an answer that stays rejected may be delivered as if the lenient mode had been asked for.
    pub allow_mode_fallback: bool,
    /// What is different for a query type, by its name.
    #[serde(default)]
    pub query_type: BTreeMap<String, Override>,
}

/// Figures of a policy that are different for a query type; what is not named stays.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Override {
    /// See [`Policy::supported_below`].
    pub supported_below: Option<FalseRejection>,
    /// See [`Policy::relevant_below`].
    pub relevant_below: Option<FalseRejection>,
    /// See [`Policy::uncited_count`].
    pub uncited_count: Option<usize>,
    /// See [`Policy::uncited_share`].
    pub uncited_share: Option<f64>,
    /// See [`Policy::unsupported_count`].
    pub unsupported_count: Option<usize>,
    /// See [`Policy::unsupported_share`].
    pub unsupported_share: Option<f64>,
    /// See [`Policy::attach_bar`].
    pub attach_bar: Option<f64>,
    /// See [`Policy::allow_mode_fallback`].
    pub allow_mode_fallback: Option<bool>,
}

/// Names of the shipped policies.
pub const SHIPPED: [&str; 3] = ["strict", "balanced", "lenient"];
/// The policy that holds unless another one is named: the figures of the contract.
pub const DEFAULT: &str = "balanced";

static POLICIES: LazyLock<Vec<Policy>> = LazyLock::new(|| {
    let files = [
        include_str!("../data/policy/strict.toml"),
        include_str!("../data/policy/balanced.toml"),
        include_str!("../data/policy/lenient.toml"),
    ];
    files.iter().filter_map(|text| Policy::parse(text).ok()).collect()
});

impl Policy {
    /// Reads a policy from TOML.
    ///
    /// # Errors
    /// What cannot be read, or the name of a figure that is no share.
    pub fn parse(text: &str) -> Result<Self, String> {
        let policy: Self = toml::from_str(text).map_err(|error| error.to_string())?;
        policy.check()?;
        for name in policy.query_type.keys() {
            let kind =
                QueryType::from_name(name).ok_or_else(|| format!("query_type: {name:?} is no query type"))?;
            policy.of(kind).check().map_err(|error| format!("query_type.{name}: {error}"))?;
        }
        Ok(policy)
    }

    fn check(&self) -> Result<(), String> {
        for (name, share) in [
            ("uncited_share", self.uncited_share),
            ("unsupported_share", self.unsupported_share),
            ("attach_bar", self.attach_bar),
        ] {
            if !(0.0..=1.0).contains(&share) {
                return Err(format!("{name} is {share}; it must lie between 0 and 1"));
            }
        }
        Ok(())
    }

    /// The policy as it holds for a query type.
    #[must_use]
    pub fn of(&self, query_type: QueryType) -> Self {
        let mut policy = self.clone();
        let Some(other) = self.query_type.get(query_type.as_str()) else { return policy };
        policy.supported_below = other.supported_below.unwrap_or(self.supported_below);
        policy.relevant_below = other.relevant_below.unwrap_or(self.relevant_below);
        policy.uncited_count = other.uncited_count.unwrap_or(self.uncited_count);
        policy.uncited_share = other.uncited_share.unwrap_or(self.uncited_share);
        policy.unsupported_count = other.unsupported_count.unwrap_or(self.unsupported_count);
        policy.unsupported_share = other.unsupported_share.unwrap_or(self.unsupported_share);
        policy.attach_bar = other.attach_bar.unwrap_or(self.attach_bar);
        policy.allow_mode_fallback = other.allow_mode_fallback.unwrap_or(self.allow_mode_fallback);
        policy
    }

    /// A shipped policy; none for another name.
    #[must_use]
    pub fn shipped(name: &str) -> Option<Self> {
        POLICIES.iter().find(|policy| policy.name == name).cloned()
    }

    /// Least probability of a supported claim.
    #[must_use]
    pub fn support_bar(&self) -> f64 {
        model::support().map_or(0.5, |model| self.supported_below.bar(model.bars))
    }

    /// Least probability of sources that can answer a question.
    #[must_use]
    pub fn relevance_bar(&self) -> f64 {
        model::relevance().map_or(0.5, |model| self.relevant_below.bar(model.bars))
    }
}

/// What a query type makes of a check (contract §4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weight {
    /// It can fail the answer.
    Required,
    /// It only flags.
    Advisory,
    /// It does not run.
    Absent,
}

/// The table of contract §4.
#[must_use]
pub const fn weight(query_type: QueryType, check: CheckName) -> Weight {
    use CheckName::{
        CitationCoverage, CitationSyntax, ClaimSupport, CodeSyntax, ContentMatch, ContextRelevance,
        Identifiers, LineRange, Numbers, SourceExists,
    };
    use QueryType::{CodeGeneration, Conversational, Platform, Retrieval};
    match (query_type, check) {
        (_, CodeSyntax)
        | (Retrieval | CodeGeneration | Conversational, CitationSyntax | SourceExists | LineRange)
        | (Retrieval, CitationCoverage | ContentMatch | ClaimSupport | ContextRelevance)
        | (Platform, Numbers) => Weight::Required,
        (Retrieval | CodeGeneration, Identifiers)
        | (CodeGeneration, CitationCoverage | ClaimSupport)
        | (Conversational, ClaimSupport) => Weight::Advisory,
        _ => Weight::Absent,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_shipped_policies_read_and_the_default_has_the_figures_of_the_contract() {
        for name in SHIPPED {
            let policy = Policy::shipped(name).unwrap();
            assert!(policy.support_bar() > 0.0 && policy.relevance_bar() > 0.0);
        }
        let policy = Policy::shipped(DEFAULT).unwrap();
        assert_eq!((policy.uncited_count, policy.unsupported_count), (2, 2));
        assert!((policy.uncited_share - 0.2).abs() < 1e-9 && (policy.unsupported_share - 0.3).abs() < 1e-9);
        assert!(!policy.allow_mode_fallback);
    }

    #[test]
    fn a_query_type_may_have_figures_of_its_own_and_keeps_the_others() {
        let base = include_str!("../data/policy/balanced.toml");
        let text = format!(
            "{base}\n[query_type.CODE_GENERATION]\nunsupported_share = 0.6\nsupported_below = \"1%\"\n"
        );
        let policy = Policy::parse(&text).unwrap();
        let code = policy.of(QueryType::CodeGeneration);
        assert!((code.unsupported_share - 0.6).abs() < 1e-9 && code.support_bar() < policy.support_bar());
        assert_eq!(code.unsupported_count, policy.unsupported_count);
        assert_eq!(policy.of(QueryType::Retrieval), policy);
        let wrong = text.replace("0.6", "1.6");
        assert!(Policy::parse(&wrong).unwrap_err().contains("query_type.CODE_GENERATION: unsupported_share"));
        assert!(
            Policy::parse(&text.replace("CODE_GENERATION", "CODE")).unwrap_err().contains("no query type")
        );
    }

    #[test]
    fn a_policy_that_cannot_work_is_refused_with_its_figure() {
        let text = include_str!("../data/policy/balanced.toml").replace("0.2", "1.2");
        assert!(Policy::parse(&text).unwrap_err().contains("uncited_share"));
        assert!(Policy::parse("name = 'x'").is_err());
    }
}
