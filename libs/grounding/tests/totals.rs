//! Totals that a claim counts from what the sources have.

mod common;

use assay_domain::report::ClaimStatus;
use common::judge;

const PRICES: &str = "Adults pay 12 euros and children 5 euros.";

#[test]
fn a_total_includes_nothing_that_no_source_has() {
    let judged = judge(PRICES, "Adults pay 17 euros including the tour.");
    assert_eq!(judged.status, ClaimStatus::Contradicted, "{}", judged.reason);
    assert!(judged.reason.starts_with("number: "), "{}", judged.reason);
}
