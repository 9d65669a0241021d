//! One claim against one text: what rules are tried with from both sides.

#![allow(dead_code)]

use assay_domain::evidence::{Source, SourceKind};
use assay_domain::report::ClaimStatus;
use assay_grounding::SourceIndex;
use assay_grounding::support::{Judged, Support};

/// Judges a claim without a marker against one source.
pub(crate) fn judge(text: &str, claim: &str) -> Judged {
    let index = SourceIndex::new(&[Source::given("1", SourceKind::Doc, text, 1)]);
    Support::new(&index, "", 0.3, None).judge(claim, &[])
}

/// The claim is supported.
#[track_caller]
pub(crate) fn left_alone(text: &str, claim: &str) {
    let judged = judge(text, claim);
    assert_eq!(judged.status, ClaimStatus::Supported, "{claim}: {}", judged.reason);
}

/// A rule speaks against the claim, with a word in its reason; "" where any will do, or the models alone.
#[track_caller]
pub(crate) fn caught(text: &str, claim: &str, word: &str) {
    let judged = judge(text, claim);
    let bad = matches!(judged.status, ClaimStatus::Unsupported | ClaimStatus::Contradicted);
    assert!(bad && judged.reason.contains(word), "{claim}: {:?} {}", judged.status, judged.reason);
}

/// Something speaks against the claim, whatever it is.
#[track_caller]
pub(crate) fn refuted(text: &str, claim: &str) {
    caught(text, claim, "");
}

/// A rule contradicts the claim, by its name at the head of the reason.
#[track_caller]
pub(crate) fn contradicted(text: &str, claim: &str, rule: &str) {
    let judged = judge(text, claim);
    let decided = judged.status == ClaimStatus::Contradicted && judged.reason.starts_with(rule);
    assert!(decided, "{claim}: {:?} {}", judged.status, judged.reason);
}
