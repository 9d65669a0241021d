//! Claims that say what a source says in their own words are let through, and their changed neighbours are not.
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used)]

use assay_domain::SourceKind;
use assay_domain::evidence::Source;
use assay_domain::report::ClaimStatus;
use assay_grounding::SourceIndex;
use assay_grounding::language::Language;
use assay_grounding::support::Support;

const ENGLISH: &str = "Disputes may be opened by the cardholder up to 120 days after a charge. A refunded charge can no longer \
be disputed. The video room has to be opened by hand. Passwords are changed with a press of two seconds on the RESET button. A \
yearly service by a registered fitter is required for the warranty of five years. The tablet can be taken with or without food. \
Drafts are left out of the feed in every case. The feed is written to `build/public/feed.xml`. A cuff must not be machine washed.";
const SPANISH: &str = "El sensor de humedad solo muestra el valor y no regula nada. Hace falta una tarjeta de crédito a nombre \
del conductor; no basta con una de débito. La escuela pone los purés. La función `escribir_pin` solo funciona con los pines \
configurados como salida. En agosto no se puede ausentar más de la mitad de un equipo a la vez.";

fn status(text: &str, language: Language, claim: &str) -> (ClaimStatus, String) {
    let index = SourceIndex::new(&[Source::given("1", SourceKind::Doc, text, 1)]);
    let judged = Support::new(&index, "", 0.3, Some(language)).judge(claim, &[]);
    (judged.status, judged.reason)
}

fn stands(language: Language, claim: &str) {
    let text = if language == Language::English { ENGLISH } else { SPANISH };
    let (status, reason) = status(text, language, claim);
    assert_eq!(status, ClaimStatus::Supported, "{claim}: {reason}");
}

fn falls(language: Language, claim: &str) {
    let text = if language == Language::English { ENGLISH } else { SPANISH };
    let (status, reason) = status(text, language, claim);
    let flagged = matches!(status, ClaimStatus::Unsupported | ClaimStatus::Contradicted);
    assert!(flagged && reason.contains(": "), "{claim}: a rule says why, not {reason}");
}

#[test]
fn talk_around_a_statement_is_no_part_of_it() {
    stands(Language::English, "Yes, according to the manual, the video room has to be opened by hand.");
    stands(Language::English, "The page says that drafts are left out of the feed.");
    stands(Language::Spanish, "Según las condiciones generales, hace falta una tarjeta de crédito.");
    falls(Language::English, "The manual says the warranty is for six years.");
}

#[test]
fn denial_in_other_words_of_a_source_stands() {
    stands(Language::English, "Once a charge has been refunded, the cardholder can't dispute it any more.");
    stands(Language::English, "The feed contains no drafts.");
    stands(Language::Spanish, "`escribir_pin` no funciona con pines que no sean salidas.");
    falls(Language::Spanish, "`escribir_pin` no funciona con los pines configurados como salida.");
}

#[test]
fn what_only_looks_like_an_opposite_stands() {
    stands(Language::English, "Changing passwords takes a press of two seconds on the RESET button.");
    stands(Language::Spanish, "Con una tarjeta de débito no basta.");
    stands(Language::Spanish, "Los purés los pone la escuela.");
}

#[test]
fn statement_that_sources_make_of_both_sides_stands() {
    for (text, claim) in [
        ("A shorter interval makes recovery faster.", "A longer interval makes recovery slower."),
        ("A higher quality makes files larger.", "A lower quality makes files smaller."),
        (
            "Either a passport or an identity card is needed.",
            "A passport and an identity card are both accepted.",
        ),
        ("Version 2 fixed the crash in the importer.", "Version 2 fixed a crash of the importer."),
    ] {
        let (said, reason) = status(text, Language::English, claim);
        assert!(
            !matches!(said, ClaimStatus::Contradicted | ClaimStatus::Unsupported),
            "{claim}: {said:?} {reason}"
        );
    }
}

#[test]
fn comparisons_and_bounds_with_other_partners_stand() {
    for (text, claim) in [
        (
            "Local settings override global settings. Command-line options are applied last.",
            "Command-line options override local settings.",
        ),
        (
            "Cancellations made at least 48 hours before arrival are free.",
            "No fee is charged for cancelling 48 hours or more before arrival.",
        ),
        (
            "The password must be at least 12 characters long.",
            "A password with fewer than 12 characters is rejected.",
        ),
    ] {
        let (said, reason) = status(text, Language::English, claim);
        assert!(
            !matches!(said, ClaimStatus::Contradicted | ClaimStatus::Unsupported),
            "{claim}: {said:?} {reason}"
        );
    }
}
