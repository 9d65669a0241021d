//! Figures from both sides: one with another unit is caught, one that was only counted or said in another way is left alone.
#![allow(clippy::unwrap_used)]

use assay_domain::evidence::{Source, SourceKind};
use assay_domain::report::ClaimStatus;
use assay_grounding::SourceIndex;
use assay_grounding::support::{Judged, Support};

const TEXT: &str = "The pump starts at 2.5 bar on the Alpha model and at 4 bar on the Delta model.\n\
Grade 1 bolts are tightened with 45 Nm and grade 2 bolts with 70 Nm.\n\
A job without progress for `stallSeconds` (default 600) is stopped.\n\
The probe may be lowered to 1.5 to 6 metres.\n\
Pods are evicted when the node has less than 100Mi of memory.\n\
The infusion runs at 40 ml/h.\n\
The collector wakes up every 90 seconds.\n\
Sessions end after 20 minutes, those of guests after 5.\n\
The new build takes 3 minutes instead of 11.\n\
Rebuilding takes two hours per TB.\n\
The first 12 lessons are free.\n\
Each crate holds 6 bottles of 2 litres.";

fn judge(text: &[&str], claim: &str) -> Judged {
    let sources: Vec<Source> = text
        .iter()
        .enumerate()
        .map(|(at, text)| Source::given((at + 1).to_string(), SourceKind::Doc, *text, 1))
        .collect();
    let index = SourceIndex::new(&sources);
    Support::new(&index, "", 0.3, None).judge(claim, &[])
}

#[track_caller]
fn caught(claim: &str, held: &str) {
    let judged = judge(&[TEXT], claim);
    let bad = matches!(judged.status, ClaimStatus::Unsupported | ClaimStatus::Contradicted);
    assert!(bad && judged.reason.contains(held), "{claim}: {:?} {}", judged.status, judged.reason);
}

#[track_caller]
fn stands(claim: &str) {
    let judged = judge(&[TEXT], claim);
    let accused = judged.reason.starts_with("number");
    assert!(!accused, "{claim}: {:?} {}", judged.status, judged.reason);
}

#[test]
fn a_figure_with_its_own_label_stands() {
    stands("On the Delta model the pump starts at 4 bar.");
    stands("On the Alpha model the pump starts at 2.5 bar.");
    stands("Grade 2 bolts are tightened with 70 Nm and grade 1 bolts with 45 Nm.");
    stands("Sessions of guests end after five minutes.");
}

#[test]
fn units_that_stand_with_a_figure() {
    caught("A job without progress for 600 minutes is stopped.", "600");
    caught("Pods are evicted when the node has less than 250Mi of memory.", "100 Mi");
    caught("The infusion runs at 40 ml/min.", "40 ml h");
    stands("A job without progress for ten minutes is stopped.");
    stands("The infusion runs at 40 ml an hour.");
    stands("The collector wakes up every minute and a half.");
}

#[test]
fn what_is_and_what_was_both_stand() {
    stands("The new build takes 3 minutes.");
    stands("The build used to take 11 minutes.");
}

#[test]
fn figures_derived_from_the_sources_are_supported() {
    stands("The new build is 8 minutes faster.");
}
