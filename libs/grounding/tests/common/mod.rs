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

/// No rule speaks; what the fitted models make of it is not asked here.
#[track_caller]
pub(crate) fn left_alone(text: &str, claim: &str) {
    let judged = judge(text, claim);
    let spoken = judged.status == ClaimStatus::Contradicted || judged.reason.contains(": ");
    assert!(!spoken, "{claim}: {:?} {}", judged.status, judged.reason);
}
