//! Supported paraphrases and small changes of documentation sentences: what is caught and what must not be.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use assay_domain::evidence::{LineRange, Source, SourceKind};
use assay_domain::report::ClaimStatus;
use assay_grounding::SourceIndex;
use assay_grounding::support::{Judged, Support};

const IMPORTER: &str = "The importer skips empty rows.\nIt stops after one hundred errors.\nThe report is written to report.csv.\n\
The importer must be restarted after the schema changes.\nLogs are kept for 30 days in /var/log/importer.\n\
The validator runs before the loader.\nThe importer is not thread-safe.\nAll requests are logged by the gateway.\n\
The option max_rows limits the number of rows to 5000 by default.\nCompression is enabled by default.\n\
The scheduler sends the job to the worker.\nSessions are stored in Redis for 24 hours.\n\
Users may cancel an import at any time.";

const SPANISH: &str = "El importador omite las filas vacías.\nSe detiene después de cien errores.\n\
El informe se guarda en informe.csv.\nLa compresión está activada por defecto.\nEl servidor no acepta archivos de más de 20 MB.";

fn judge_in(text: &str, claim: &str) -> Judged {
    let index = SourceIndex::new(&[Source::given("1", SourceKind::Doc, text, 1)]);
    let bar = assay_grounding::model::support().unwrap().bars.fr_5;
    Support::new(&index, "", bar, None).judge(claim, &[])
}

fn supported(text: &str, claims: &[&str]) {
    let wrong: Vec<String> = claims
        .iter()
        .map(|claim| (claim, judge_in(text, claim)))
        .filter(|(_, judged)| judged.status != ClaimStatus::Supported)
        .map(|(claim, judged)| format!("{claim}: {:?} {:?} {}", judged.status, judged.support, judged.reason))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn caught(text: &str, claims: &[&str]) {
    let wrong: Vec<String> = claims
        .iter()
        .map(|claim| (claim, judge_in(text, claim)))
        .filter(|(_, judged)| !matches!(judged.status, ClaimStatus::Unsupported | ClaimStatus::Contradicted))
        .map(|(claim, judged)| format!("{claim}: {:?} {:?}", judged.status, judged.support))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn only_cited_sources_support_a_claim() {
    let sources = ["The importer skips empty rows.", "The gateway logs all requests."];
    let index = SourceIndex::new(&sources.map(|text| Source::given("1", SourceKind::Doc, text, 1)));
    let support = Support::new(&index, "", 0.5, None);
    let held = |source: usize, least: f64| support.supports(sources[0], &[(source, None)], least);
    assert!(held(0, 0.9));
    assert!(!held(1, 0.0) && !held(0, 1.0));
}

#[test]
fn what_the_source_says_is_supported() {
    supported(
        IMPORTER,
        &[
            "The importer skips empty rows.",
            "Empty rows are skipped by the importer.",
            "It stops after one hundred errors.",
            "The importer stops after 100 errors.",
            "After 100 errors it stops.",
            "The report is written to `report.csv`.",
            "You must restart the importer after the schema changes.",
            "The logs are kept for 30 days.",
            "The logs in /var/log/importer are kept for 30 days.",
            "The loader runs after the validator.",
            "The validator runs before the loader.",
            "The importer isn't thread-safe.",
            "The gateway logs all requests.",
            "By default, `max_rows` limits the number of rows to 5,000.",
            "The number of rows is limited to 5k by default with max_rows.",
            "Compression is on by default.",
            "The job is sent to the worker by the scheduler.",
            "Sessions are stored in Redis for one day.",
            "Redis stores sessions for 24 hours.",
            "Users can cancel an import at any time.",
            "The importer skips empty rows and stops after one hundred errors.",
        ],
    );
}

#[test]
fn a_changed_figure_is_caught() {
    caught(
        IMPORTER,
        &[
            "It stops after one thousand errors.",
            "The importer stops after ten errors.",
            "It stops after 30 errors.",
            "Logs are kept for 90 days in /var/log/importer.",
            "Logs are kept for 30 hours in /var/log/importer.",
            "Logs are kept for 24 days.",
            "The option max_rows limits the number of rows to 500 by default.",
            "Sessions are stored in Redis for 30 hours.",
            "Sessions are stored in Redis for 24 minutes.",
        ],
    );
}

#[test]
fn a_figure_without_words_stands_or_falls_with_itself() {
    supported(IMPORTER, &["5000", "5,000.", "**30**", "24"]);
    caught(IMPORTER, &["50", "**777777**.", "31", "12.5 %"]);
}

#[test]
fn a_changed_name_or_path_is_caught() {
    caught(
        IMPORTER,
        &[
            "The report is written to report.txt.",
            "The report is written to errors.csv.",
            "Logs are kept for 30 days in /var/log/exporter.",
            "Logs are kept for 30 days in /tmp/importer.",
            "The option min_rows limits the number of rows to 5000 by default.",
            "The option maxErrors limits the number of rows to 5000 by default.",
            "Sessions are stored in Postgres for 24 hours.",
            "Sessions are stored in Memcached for 24 hours.",
        ],
    );
}

#[test]
fn a_turned_meaning_is_caught() {
    caught(
        IMPORTER,
        &[
            "The importer does not skip empty rows.",
            "The importer is thread-safe.",
            "Compression is disabled by default.",
            "Compression is not enabled by default.",
            "The validator runs after the loader.",
            "The loader runs before the validator.",
            "The worker sends the job to the scheduler.",
            "Some requests are logged by the gateway.",
            "The importer may be restarted after the schema changes.",
            "Users must cancel an import at any time.",
            "Users may not cancel an import at any time.",
            "No requests are logged by the gateway.",
        ],
    );
}

#[test]
fn an_invention_is_caught() {
    caught(
        IMPORTER,
        &[
            "The importer encrypts every password with bcrypt.",
            "Administrators receive an email when a license expires.",
            "The billing department approves refunds within a week.",
            "The importer was written in Haskell by a team in Oslo.",
        ],
    );
}

#[test]
fn spanish_claims_have_their_rules() {
    supported(
        SPANISH,
        &[
            "El importador omite las filas vacías.",
            "Las filas vacías son omitidas por el importador.",
            "Se detiene después de 100 errores.",
            "El informe se guarda en `informe.csv`.",
            "La compresión está activada por defecto.",
            "El servidor no acepta archivos de más de 20 MB.",
        ],
    );
    caught(
        SPANISH,
        &[
            "Se detiene después de mil errores.",
            "El informe se guarda en datos.csv.",
            "La compresión está desactivada por defecto.",
            "El servidor acepta archivos de más de 20 MB.",
            "El importador no omite las filas vacías.",
            "El servidor no acepta archivos de más de 200 MB.",
        ],
    );
}

#[test]
fn a_contradiction_names_its_reason() {
    let judged = judge_in(IMPORTER, "It stops after one thousand errors.");
    assert_eq!(judged.status, ClaimStatus::Contradicted);
    assert_eq!(
        judged.reason,
        "number: the claim says \"one thousand\" where the source says \"one hundred\""
    );
    assert_eq!(judged.evidence[0].lines, LineRange::new(2, 2));
}

#[test]
fn claim_in_another_language_is_unchecked_unless_quoted() {
    let judged = judge_in(IMPORTER, "El importador omite las filas que están vacías.");
    assert_eq!((judged.status, judged.reason.starts_with("language")), (ClaimStatus::NotChecked, true));
}

#[test]
fn the_cited_source_comes_first_and_others_count_as_elsewhere() {
    let sources = [
        Source::given(
            "1",
            SourceKind::Doc,
            "The importer skips empty rows.\nIt stops after one hundred errors.",
            40,
        ),
        Source::given("2", SourceKind::Doc, "The exporter writes a file for every table.", 1),
    ];
    let index = SourceIndex::new(&sources);
    let support = Support::new(&index, "", 0.5, None);
    let status =
        |cited: &[(usize, Option<LineRange>)]| support.judge("The importer skips empty rows.", cited).status;
    assert_eq!(status(&[(0, None)]), ClaimStatus::Supported);
    assert_eq!(status(&[(0, Some(LineRange::new(40, 40)))]), ClaimStatus::Supported);
    assert_eq!(status(&[(0, Some(LineRange::new(41, 41)))]), ClaimStatus::SupportedElsewhere);
    assert_eq!(status(&[(1, None)]), ClaimStatus::SupportedElsewhere);
    assert_eq!(status(&[(0, None), (1, None)]), ClaimStatus::Supported);
    let judged = support.judge("The importer skips empty rows.", &[(0, None)]);
    assert_eq!(judged.evidence[0].lines, LineRange::new(40, 40));
}

#[test]
fn what_only_sounds_like_the_cited_place_is_supported_elsewhere() {
    let text = "The importer reads CSV files from the inbox folder. It skips empty rows and stops after ten errors.\n\
                Every import writes a report to the log folder.";
    let index = SourceIndex::new(&[Source::given("1", SourceKind::Doc, text, 1)]);
    let support = Support::new(&index, "", 0.4, None);
    let judged =
        support.judge("Every import writes a report to the log folder.", &[(0, Some(LineRange::new(1, 1)))]);
    assert_eq!(judged.status, ClaimStatus::SupportedElsewhere);
    assert_eq!(judged.evidence[0].lines, LineRange::new(2, 2));
}

#[test]
fn the_path_of_a_source_is_no_addition() {
    let mut source = Source::given("1", SourceKind::Doc, IMPORTER, 1);
    source.path = "docs/importer.md".to_owned();
    let index = SourceIndex::new(&[source]);
    let support = Support::new(&index, "", 0.4, None);
    let status = |claim: &str| support.judge(claim, &[(0, None)]).status;
    assert_eq!(
        status("According to docs/importer.md, the importer skips empty rows."),
        ClaimStatus::Supported
    );
    assert_eq!(
        status("According to docs/other.md, the importer skips empty rows."),
        ClaimStatus::Unsupported
    );
}
