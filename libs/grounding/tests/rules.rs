//! Each rule from both sides: the changed sentence is caught for its reason, the honest rewording is left alone.
#![allow(clippy::unwrap_used)]

use assay_domain::evidence::{Source, SourceKind};
use assay_domain::report::ClaimStatus;
use assay_grounding::SourceIndex;
use assay_grounding::support::{Judged, Support};

const TEXT: &str = "Every request is logged by the gateway.\nUsers may cancel an import at any time.\n\
The worker sends at least three heartbeats an hour.\nThe scheduler hands the job to the worker.\n\
Backups are made on Sundays and compressed with gzip.\nThe mash is stirred until the starch is gone.\n\
The boil takes 65 minutes at 98 °C.\nReplicas only answer reads.\nChildren under twelve pay nothing.\n\
The cache holds 50 000 entries.\nA loan can be renewed twice unless another member has reserved the book.\n\
Failed jobs are kept for 30 days and cannot be restarted.\nThe flag `--read-only` stops all writes.\n\
Full scans run daily.\nThe archive usually answers within a minute.\nOnly paid exports are listed in the summary.\n\
Tokens may never be written to disk.\nA proof of address is optional.";

fn judge(claim: &str) -> Judged {
    let index = SourceIndex::new(&[Source::given("1", SourceKind::Doc, TEXT, 1)]);
    Support::new(&index, "", 0.3, None).judge(claim, &[])
}

#[track_caller]
fn caught(claim: &str, rule: &str) {
    let judged = judge(claim);
    let bad = matches!(judged.status, ClaimStatus::Unsupported | ClaimStatus::Contradicted);
    assert!(bad && judged.reason.starts_with(rule), "{claim}: {:?} {}", judged.status, judged.reason);
}

#[track_caller]
fn stands(claim: &str) {
    let judged = judge(claim);
    assert_eq!(judged.status, ClaimStatus::Supported, "{claim}: {}", judged.reason);
}

#[test]
fn quantifiers_bounds_and_modals() {
    caught("Some requests are logged by the gateway.", "quantifier");
    caught("Users must cancel an import at any time.", "quantifier");
    caught("The worker sends at most three heartbeats an hour.", "opposite");
    stands("Each request is logged by the gateway.");
    stands("Users can cancel an import at any time.");
    stands("Replicas answer reads only.");
}

#[test]
fn sides_that_are_turned_round() {
    caught("The worker hands the job to the scheduler.", "direction");
    stands("The job is handed to the worker by the scheduler.");
}

#[test]
fn words_of_a_kind_and_things_of_other_places() {
    caught("Backups are made on Mondays and compressed with gzip.", "entity");
    caught("Backups are made on Sundays and compressed with zstd.", "exchange");
    caught("The boil is stirred until the starch is gone.", "exchange");
    stands("Backups are created on Sundays and compressed with gzip.");
}

#[test]
fn measures_with_a_space_and_groups_of_digits() {
    caught("The boil takes 65 hours at 98 °C.", "number");
    stands("The boil takes 65 min at 98°C.");
    stands("The cache holds 50,000 entries.");
    stands("The boil takes about 66 minutes at 98 °C.");
    caught("The cache holds 5,000 entries.", "number");
    // A figure where the source has none does not pass because another sentence has some figure.
    caught("Ten jobs are kept for 30 days and cannot be restarted.", "number");
}

#[test]
fn denials_and_what_excuses_them() {
    caught("Loans cannot be renewed.", "negation");
    caught("Failed jobs are kept for 30 days and can be restarted.", "negation");
    stands("Failed jobs are kept for 30 days and can't be restarted.");
    caught("The flag `--read-only` fails to stop all writes.", "negation");
}

#[test]
fn names_of_code_and_paths_of_other_sentences() {
    let text = "The probe at `/healthz/live` fails after 60 seconds without a heartbeat.\nA batch that the server refuses is \
written to `/var/rejected` and dropped.\nThe controller stores its state in `/data/state.db` on a volume of 5 GB.\n\
Deleted vectors are marked and removed by `compact`.\nThe method `search` returns the nearest neighbours.";
    let index = SourceIndex::new(&[Source::given("1", SourceKind::Doc, text, 1)]);
    let judged = |claim: &str| Support::new(&index, "", 0.3, None).judge(claim, &[]);
    for (claim, rule) in [
        ("The probe at `/data/state.db` fails after 60 seconds without a heartbeat.", "path"),
        ("A batch that the server refuses is written to `/healthz/live` and dropped.", "path"),
        ("Deleted vectors are marked and removed by `search`.", "identifier"),
    ] {
        let found = judged(claim);
        assert!(
            found.status == ClaimStatus::Contradicted && found.reason.starts_with(rule),
            "{claim}: {}",
            found.reason
        );
    }
    // What two sentences say together takes a name from each.
    for claim in [
        "The controller stores its state in `/data/state.db`, and refused batches are written to `/var/rejected`.",
        "The probe at `/healthz/live` fails after 60 seconds without a heartbeat.",
    ] {
        assert_eq!(judged(claim).status, ClaimStatus::Supported, "{claim}");
    }
}

#[test]
fn how_often_and_how_much_in_other_words() {
    caught("Full scans run every hour.", "exchange");
    stands("A full scan is run every day.");
    stands("Full scans run once a day.");
    caught("The archive always answers within a minute.", "quantifier");
    caught("All the failed exports are listed in the summary.", "quantifier");
}

#[test]
fn denials_in_other_words() {
    stands("At no time may tokens be written to disk.");
    stands("A proof of address is not compulsory.");
    caught("A proof of address is mandatory.", "");
    caught("Tokens may be written to disk.", "negation");
}

fn judged_against(text: &str, claim: &str) -> Judged {
    let index = SourceIndex::new(&[Source::given("1", SourceKind::Doc, text, 1)]);
    Support::new(&index, "", 0.3, None).judge(claim, &[])
}

#[test]
fn two_things_in_each_others_place() {
    for (text, claim) in [
        (
            "The probe sends the values to the base station.",
            "The base station sends the values to the probe.",
        ),
        (
            "In winter the crossing takes longer than in summer.",
            "In summer the crossing takes longer than in winter.",
        ),
    ] {
        let found = judged_against(text, claim);
        let flagged = found.status == ClaimStatus::Unsupported;
        assert!(flagged && found.reason.starts_with("direction"), "{claim}: {}", found.reason);
    }
    let text = "The probe sends the values to the base station.";
    assert_eq!(
        judged_against(text, "The values are sent to the base station by the probe.").status,
        ClaimStatus::Supported
    );
}

#[test]
fn two_opposites_in_a_list_are_no_excuse() {
    let text = "The new case of the meter is longer and higher than the old one.";
    let found = judged_against(text, "The new case of the meter is shorter and lower than the old one.");
    assert!(
        found.status == ClaimStatus::Unsupported && found.reason.starts_with("opposite"),
        "{}",
        found.reason
    );
}

#[test]
fn only_a_relation_may_turn_with_its_sides() {
    let text = "Bob rejected the offer that Alice made.";
    let found = judged_against(text, "Bob accepted the offer that Alice made.");
    assert_eq!(found.status, ClaimStatus::Contradicted, "{}", found.reason);
}

#[test]
fn a_figure_is_counted_only_where_the_claim_says_so() {
    let text = "The kit holds 2 cables and 3 manuals.";
    let found = judged_against(text, "The kit comes with 5 cables.");
    assert!(found.reason.starts_with("number"), "{:?} {}", found.status, found.reason);
    let counted =
        judged_against("The kit holds 2 red cables and 3 blue cables.", "In total the kit holds 5 cables.");
    assert!(!counted.reason.starts_with("number"), "{:?} {}", counted.status, counted.reason);
}

#[test]
fn long_names_are_compared_in_bounded_time() {
    let name = |end: &str| format!("`https://example.org/{}{end}`", "x/".repeat(40_000));
    let text = format!("The hook calls {} after each build.", name("a"));
    let found = judged_against(&text, &format!("The hook calls {} after each build.", name("b")));
    assert_eq!(found.status, ClaimStatus::Contradicted);
}

#[test]
fn nearness_of_the_copy_decides_the_effect_of_a_finding() {
    use ClaimStatus::{Contradicted, Supported, Unsupported};
    let text = "Cursors expire after 24 hours, and the gateway never deletes a stored cursor by itself. \
                All requests are logged by the gateway. Call `open_cursor` first.";
    for (claim, status, kind) in [
        // A strict copy rejects, whatever differs.
        ("Cursors expire after 48 hours.", Contradicted, "number"),
        ("Some requests are logged by the gateway.", Contradicted, "quantifier"),
        // A claim that is aligned as a whole rejects for a denial.
        ("The gateway deletes a stored cursor by itself.", Contradicted, "negation"),
        ("Call `close_cursor` first.", Contradicted, "identifier"),
        // In freer words a figure flags.
        ("After 48 hours the service lets a cursor expire.", Unsupported, "number"),
        // What says the same stands.
        ("Cursors expire after a day.", Supported, ""),
    ] {
        let judged = judged_against(text, claim);
        assert_eq!(
            (judged.status, judged.reason.starts_with(kind)),
            (status, true),
            "{claim}: {}",
            judged.reason
        );
    }
}
