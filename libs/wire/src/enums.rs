//! Every enum of the protocol, one line each: its values, and how an unknown one is read.

use assay_domain::answer::{AuditState, Grounding, Layer, Outcome};
use assay_domain::code::{Category, Severity, ValidationStatus};
use assay_domain::draft::{Finish, Generator};
use assay_domain::evidence::{SearchMode, SourceKind};
use assay_domain::question::{Delivery, Mode, QueryType};
use assay_domain::report::{
    Attempt, CheckName, CheckStatus, CitationOrigin, ClaimKind, ClaimStatus, DefectKind, Resolution, Verdict,
};
use assay_domain::{Code, Failure};
use assay_proto::{common, retrieval, router};

use crate::{FromWire, ToWire};

/// An enum that the protocol carries as a number.
pub trait WireEnum: Sized + Copy {
    /// The number; never 0.
    fn number(self) -> i32;
    /// The value with this number; `None` for 0 and for numbers of a later version.
    fn known(number: i32) -> Option<Self>;
}

fn refused<T>(name: &str, number: i32) -> Result<T, Failure> {
    let text = if number == 0 {
        format!("{name} is not set")
    } else {
        format!("{number} is no {name} that this version knows")
    };
    Err(Failure::new(Code::InvalidArgument, text))
}

/// `Type = wire::Type, POLICY { variants }`. Policies for a number that is no value:
/// `required` refuses it; `strict X` reads 0 as X and refuses others; `lenient X` reads both as X.
macro_rules! wire_enum {
    (@read required, $name:literal, $number:expr) => { refused($name, $number) };
    (@read (strict $default:ident), $name:literal, $number:expr) => {
        if $number == 0 { Ok(Self::$default) } else { refused($name, $number) }
    };
    (@read (lenient $default:ident), $name:literal, $number:expr) => { Ok(Self::$default) };
    ($($name:literal $domain:ident = $wire:path, $policy:tt { $($variant:ident),+ })+) => {$(
        impl WireEnum for $domain {
            fn number(self) -> i32 {
                use $wire as Wire;
                match self { $(Self::$variant => Wire::$variant as i32),+ }
            }
            fn known(number: i32) -> Option<Self> {
                use $wire as Wire;
                match Wire::try_from(number) {
                    $(Ok(Wire::$variant) => Some(Self::$variant),)+
                    _ => None,
                }
            }
        }
        impl ToWire for $domain {
            type Wire = i32;
            fn to_wire(&self) -> i32 { self.number() }
        }
        impl ToWire for Option<$domain> {
            type Wire = i32;
            fn to_wire(&self) -> i32 { self.map_or(0, WireEnum::number) }
        }
        impl FromWire<i32> for $domain {
            fn from_wire(number: i32) -> Result<Self, Failure> {
                match Self::known(number) {
                    Some(value) => Ok(value),
                    None => wire_enum!(@read $policy, $name, number),
                }
            }
        }
        impl FromWire<i32> for Option<$domain> {
            fn from_wire(number: i32) -> Result<Self, Failure> {
                match (number, $domain::known(number)) {
                    (0, _) => Ok(None),
                    (_, None) => refused($name, number),
                    (_, known) => Ok(known),
                }
            }
        }
        #[cfg(test)]
        impl tests::Covered for $domain {
            const NAME: &'static str = stringify!($domain);
            fn all() -> &'static [Self] { Self::ALL }
            fn wire_has(number: i32) -> bool { <$wire>::try_from(number).is_ok() }
        }
    )+
        #[cfg(test)]
        fn for_every_enum() { $(tests::covers_its_wire_enum::<$domain>();)+ }
    };
}

wire_enum! {
    "query type" QueryType = common::QueryType, required { Retrieval, CodeGeneration, Conversational, Platform }
    "mode" Mode = common::Mode, (strict Strict) { Strict, Lenient }
    "delivery" Delivery = router::Delivery, (strict Verified) { Verified, Held, Draft }
    "search mode" SearchMode = retrieval::SearchMode, (strict Hybrid) { Hybrid, KnnOnly, Bm25Only }
    "attempt" Attempt = common::Attempt, (lenient First) { First, Retry }
    "source kind" SourceKind = common::SourceKind, required { Doc, Code, Example, Session, Editor, Platform }
    "generator" Generator = common::Generator, (lenient Model) { Extractive, Model, Fixed }
    "finish" Finish = common::Finish, (lenient Stop) { Stop, Length, Abstained }
    "severity" Severity = common::Severity, (lenient Error) { Error, Warning, Hint }
    "category" Category = common::Category, (lenient SyntaxError) {
        ForeignKeyword, UnknownToken, UnexpectedConstruct, SyntaxError
    }
    "check name" CheckName = common::CheckName, required {
        CitationSyntax, CitationCoverage, SourceExists, LineRange, ContentMatch, ClaimSupport, Identifiers,
        CodeSyntax, ContextRelevance, Numbers, Markup
    }
    "check status" CheckStatus = common::CheckStatus, (lenient NotChecked) {
        Passed, Failed, Flagged, NotApplicable, NotChecked
    }
    "verdict" Verdict = common::Verdict, (lenient Review) { Pass, Review, Reject }
    "claim kind" ClaimKind = common::ClaimKind, (lenient Factual) { Factual, Meta, Question, Refusal, Code }
    "claim status" ClaimStatus = common::ClaimStatus, (lenient NotChecked) {
        Supported, SupportedElsewhere, Unsupported, Contradicted, NotChecked, NotApplicable
    }
    "citation origin" CitationOrigin = common::CitationOrigin, (lenient Written) { Written, Attached }
    "resolution" Resolution = common::Resolution, (lenient NotChecked) { Exact, Moved, Dangling, NotChecked }
    "defect kind" DefectKind = common::DefectKind, (lenient Malformed) {
        Malformed, OutOfRange, UnclosedFence, UnclosedHtml
    }
    "layer" Layer = common::Layer, (lenient Fallback) { Declared, Rules, Classifier, Model, Fallback }
    "outcome" Outcome = common::Outcome, required {
        Answered, Abstained, Rejected, Refused, Failed, Cancelled, Aborted, Checked
    }
    "audit state" AuditState = common::AuditState, (lenient Queued) { Stored, Queued }
    "grounding" Grounding = common::Grounding, (lenient None) { Documentation, CallerContext, Session, None }
}

impl ToWire for ValidationStatus {
    type Wire = i32;
    fn to_wire(&self) -> i32 {
        use common::ValidationStatus as Wire;
        (match self {
            Self::None => Wire::Unspecified,
            Self::InvalidUnresolved => Wire::InvalidUnresolved,
            Self::ParserUnavailable => Wire::ParserUnavailable,
        }) as i32
    }
}

impl FromWire<i32> for ValidationStatus {
    fn from_wire(number: i32) -> Result<Self, Failure> {
        use common::ValidationStatus as Wire;
        Ok(match Wire::try_from(number) {
            Ok(Wire::Unspecified) => Self::None,
            Ok(Wire::InvalidUnresolved) => Self::InvalidUnresolved,
            Ok(Wire::ParserUnavailable) | Err(_) => Self::ParserUnavailable,
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    pub(super) trait Covered: WireEnum + PartialEq + std::fmt::Debug + 'static {
        const NAME: &'static str;
        fn all() -> &'static [Self];
        fn wire_has(number: i32) -> bool;
    }

    pub(super) fn covers_its_wire_enum<E: Covered>() {
        for value in E::all() {
            assert_eq!(E::known(value.number()), Some(*value), "{}", E::NAME);
        }
        for number in 1..64 {
            assert_eq!(E::known(number).is_some(), E::wire_has(number), "{} {number}", E::NAME);
        }
        assert_eq!(E::known(0), None, "{}", E::NAME);
    }

    #[test]
    fn every_enum_value_survives_the_wire() {
        for_every_enum();
        for value in ValidationStatus::ALL {
            assert_eq!(ValidationStatus::from_wire(value.to_wire()).unwrap(), *value);
        }
    }

    #[test]
    fn an_unknown_result_is_never_a_pass() {
        assert_eq!(CheckStatus::from_wire(99).unwrap(), CheckStatus::NotChecked);
        assert_eq!(ClaimStatus::from_wire(0).unwrap(), ClaimStatus::NotChecked);
        assert_eq!(Verdict::from_wire(99).unwrap(), Verdict::Review);
        assert_eq!(Resolution::from_wire(99).unwrap(), Resolution::NotChecked);
        assert_eq!(AuditState::from_wire(99).unwrap(), AuditState::Queued);
        assert_eq!(ValidationStatus::from_wire(99).unwrap(), ValidationStatus::ParserUnavailable);
    }

    #[test]
    fn unknown_wish_is_refused_and_missing_wish_has_its_default() {
        assert_eq!(Mode::from_wire(0).unwrap(), Mode::Strict);
        assert_eq!(Delivery::from_wire(0).unwrap(), Delivery::Verified);
        assert_eq!(SearchMode::from_wire(0).unwrap(), SearchMode::Hybrid);
        assert_eq!(Option::<QueryType>::from_wire(0).unwrap(), None);
        for refused in [
            Mode::from_wire(9).map(|_| ()),
            Delivery::from_wire(9).map(|_| ()),
            SearchMode::from_wire(9).map(|_| ()),
            Option::<QueryType>::from_wire(9).map(|_| ()),
            QueryType::from_wire(0).map(|_| ()),
        ] {
            assert_eq!(refused.unwrap_err().code, Code::InvalidArgument);
        }
    }
}
