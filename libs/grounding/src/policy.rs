//! What fails an answer and what only flags it: numbers as data.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use assay_domain::QueryType;
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
    pub(crate) fn bar(self, bars: Bars) -> f64 {
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

/// The shipped policies, in the order of [`SHIPPED`].
const FILES: [&str; 3] = [
    include_str!("../data/policy/strict.toml"),
    include_str!("../data/policy/balanced.toml"),
    include_str!("../data/policy/lenient.toml"),
];

static POLICIES: LazyLock<Vec<Policy>> =
    LazyLock::new(|| FILES.iter().filter_map(|text| toml::from_str(text).ok()).collect());

/// Why a policy cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrong {
    /// The field, with the query type before it where it is one's own; empty if the text cannot be read at all.
    pub field: String,
    /// What is wrong and what it may be.
    pub message: String,
}

impl Wrong {
    fn new(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self { field: field.into(), message: message.into() }
    }
}

impl std::fmt::Display for Wrong {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.field.is_empty() {
            f.write_str(&self.message)
        } else {
            write!(f, "{}: {}", self.field, self.message)
        }
    }
}

impl std::error::Error for Wrong {}

fn names() -> String {
    SHIPPED.join(", ")
}

/// What the reader of TOML says, in words of the page about policies.
fn plain(message: &str) -> String {
    const WORDS: [(&str, &str); 5] = [
        ("unknown field", "there is no field"),
        ("unknown variant", "there is no"),
        ("expected one of", "give one of"),
        ("usize", "a whole number from 0"),
        ("f64", "a number"),
    ];
    WORDS.iter().fold(message.to_owned(), |text, (from, to)| text.replace(from, to))
}

impl Policy {
    /// Reads a policy from TOML. What it leaves out is as in the shipped policy that `base` names, else as in
    /// [`DEFAULT`]; its name is `own` if it gives none.
    ///
    /// # Errors
    /// [`Wrong`], naming the field and what it may be.
    pub fn parse(text: &str) -> Result<Self, Wrong> {
        let own: toml::Table = toml::from_str(text)
            .map_err(|error| Wrong::new("", format!("this is no TOML: {}", error.to_string().trim_end())))?;
        let mut own = own;
        let base = match own.remove("base") {
            None => DEFAULT.to_owned(),
            Some(toml::Value::String(name)) => name,
            Some(other) => {
                return Err(Wrong::new("base", format!("{other} is no shipped policy; give {}", names())));
            }
        };
        let place = SHIPPED.iter().position(|name| *name == base);
        let Some(shipped) = place.and_then(|place| FILES.get(place)) else {
            return Err(Wrong::new("base", format!("{base:?} is no shipped policy; give {}", names())));
        };
        let mut table: toml::Table =
            toml::from_str(shipped).map_err(|error| Wrong::new("base", error.to_string()))?;
        table.insert("name".to_owned(), toml::Value::String("own".to_owned()));
        let fields: Vec<String> = own.keys().cloned().collect();
        for (field, value) in own {
            // One field at a time, so that what is wrong is known by its name.
            let mut one = table.clone();
            one.insert(field.clone(), value.clone());
            if let Err(error) = one.try_into::<Self>() {
                return Err(Wrong::new(field, plain(error.message())));
            }
            table.insert(field, value);
        }
        let policy: Self = table.try_into().map_err(|error: toml::de::Error| {
            Wrong::new(fields.first().map_or("", String::as_str), error.message().to_owned())
        })?;
        policy.check()?;
        for name in policy.query_type.keys() {
            let field = |inner: &str| {
                if inner.is_empty() {
                    format!("query_type.{name}")
                } else {
                    format!("query_type.{name}.{inner}")
                }
            };
            let kind = QueryType::from_name(name).ok_or_else(|| {
                let all: Vec<&str> = QueryType::ALL.iter().map(|kind| kind.as_str()).collect();
                Wrong::new(field(""), format!("{name:?} is no query type; give one of {}", all.join(", ")))
            })?;
            policy.of(kind).check().map_err(|wrong| Wrong::new(field(&wrong.field), wrong.message))?;
        }
        Ok(policy)
    }

    fn check(&self) -> Result<(), Wrong> {
        for (name, share) in [
            ("uncited_share", self.uncited_share),
            ("unsupported_share", self.unsupported_share),
            ("attach_bar", self.attach_bar),
        ] {
            if !(0.0..=1.0).contains(&share) {
                return Err(Wrong::new(name, format!("{share} is no share; give 0 to 1")));
            }
        }
        for (name, count) in
            [("uncited_count", self.uncited_count), ("unsupported_count", self.unsupported_count)]
        {
            if count == 0 {
                return Err(Wrong::new(name, "0 is too few; give 1 or more"));
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn shipped_policies_load_and_the_default_matches_the_contract() {
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
    fn query_type_overrides_only_its_own_fields() {
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
        assert_eq!(Policy::parse(&wrong).unwrap_err().field, "query_type.CODE_GENERATION.unsupported_share");
        let unknown = Policy::parse(&text.replace("CODE_GENERATION", "CODE")).unwrap_err();
        assert_eq!(unknown.field, "query_type.CODE");
        assert!(unknown.message.contains("RETRIEVAL, CODE_GENERATION"), "{unknown}");
    }

    #[test]
    fn a_policy_that_cannot_work_is_refused_with_its_figure() {
        for (text, field, fix) in [
            ("uncited_share = 1.2", "uncited_share", "give 0 to 1"),
            ("unsupported_count = 0", "unsupported_count", "give 1 or more"),
            ("unsupported_count = \"two\"", "unsupported_count", "expected a whole number"),
            ("supported_below = \"2%\"", "supported_below", "`1%`, `3%`, `5%`"),
            ("supportd_below = \"1%\"", "supportd_below", "give one of `name`, `supported_below`"),
            ("base = \"harsh\"", "base", "strict, balanced, lenient"),
            ("base = 3", "base", "strict, balanced, lenient"),
            ("[query_type.RETRIEVAL]\nuncited_shares = 1", "query_type", "uncited_share"),
            ("name = ", "", "line 1"),
        ] {
            let wrong = Policy::parse(text).unwrap_err();
            assert_eq!(wrong.field, field, "{text}");
            assert!(wrong.message.contains(fix), "{text}: {wrong}");
        }
    }

    #[test]
    fn own_policy_inherits_missing_fields_from_its_base() {
        let own = Policy::parse("base = \"strict\"\nunsupported_count = 4").unwrap();
        let strict = Policy::shipped("strict").unwrap();
        assert_eq!(own, Policy { name: "own".into(), unsupported_count: 4, ..strict });
        let empty = Policy::parse("").unwrap();
        assert_eq!(empty, Policy { name: "own".into(), ..Policy::shipped(DEFAULT).unwrap() });
    }
}
