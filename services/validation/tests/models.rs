//! Models on disk beside the words: which one is used, what it decides, what is said where it says nothing.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;
#[path = "../../../libs/models/tests/small/made.rs"]
mod made;

use std::collections::BTreeMap;
use std::path::Path;

use assay_domain::report::{CheckName, CheckStatus, ClaimStatus, ModelUse, Report};
use assay_domain::{Code, Failure, Source, Verdict};
use assay_models::store::{self, Entry, Held, Kind, Recorded};
use assay_proto::validation as wire;
use assay_proto::validation::check_request::Part;
use assay_rpc::Peers;
use assay_validation::{AskJudge, Options};
use common::{Answered, Judge, Says, doc, finish, judged, open, start, text};
use made::{Model, Output};

const IMPORT: &str = "The importer reads CSV files from the inbox folder. It skips empty rows and stops after ten errors.\n\
                      Reports land in the archive shortly after midnight.";
/// Words alone are not sure of the first and pass the second.
const ANSWER: &str = "Once around ten faults have come up, the run is over [^1].\n\n\
                      Reports appear in the archive soon after midnight [^1].\n";
const LABELS: &str = r#"{"id2label": {"0": "contradiction", "1": "entailment", "2": "neutral"}}"#;

/// "soon" is entailed, "faults" is contradicted.
const WORDS: &[(&str, [f32; 3])] = &[("soon", [-5.0, 5.0, 0.0]), ("faults", [5.0, -5.0, 0.0])];
/// The same turned round.
const AGAINST: &[(&str, [f32; 3])] = &[("soon", [5.0, -5.0, 0.0]), ("faults", [-5.0, 5.0, 0.0])];

/// Writes an entailment model into a folder of its own, with a join where it is fitted; returns its digest.
fn entailment(folder: &Path, all: &[(&str, [f32; 3])], fitted: bool) -> String {
    std::fs::create_dir_all(folder).unwrap();
    Model { output: Output::Input, own: &[], all, config: LABELS }.write(folder);
    let digest = store::digest(&folder.join("model.onnx")).unwrap().sha256;
    if fitted {
        let join = format!(
            r#"{{"model": "{digest}", "name": "small", "terms": [{{"of": "own", "weight": 0.3}},
            {{"of": "entailment", "weight": 1.0}}], "bias": 0.0, "ask": {{"from": 0.0, "to": 1.0}},
            "bars": {{"fr_1": 0.3, "fr_3": 0.4, "fr_5": 0.5}},
            "contradiction": {{"of": "contradiction", "above": 3.0, "precision": 0.95, "fired": 30}},
            "fitted_on": {{"pairs": 100, "supported": 50, "sha256": ""}}}}"#
        );
        std::fs::write(folder.join(store::JOIN), join).unwrap();
    }
    digest
}

/// Records a model of a models folder in its lock file.
fn record(models: &Path, name: &str, kind: Kind) {
    let files = ["model.onnx", "tokenizer.json", "config.json"].map(|file| {
        let store::Digest { bytes, sha256 } = store::digest(&models.join(name).join(file)).unwrap();
        (file.to_owned(), Recorded { from: file.to_owned(), bytes, sha256 })
    });
    let (hub, revision) = (format!("someone/{name}"), "c0ffee".to_owned());
    let entry = Entry { hub, revision, kind, license: None, files: BTreeMap::from(files) };
    Held::open(models).unwrap().record(name, entry).unwrap();
}

fn sources() -> Vec<Source> {
    vec![doc("docs/import.md", IMPORT)]
}

/// A models folder with nothing in it.
fn nothing(models: &Path) -> Options {
    Options { models_dir: models.to_owned(), model_cores: 1, ..Options::default() }
}

async fn check(options: Options) -> Answered {
    start(options, None, None).await.check(open(&sources()), ANSWER).await
}

async fn refused(options: Options) -> Failure {
    let peers = ["parser", "retrieval", "generation"]
        .into_iter()
        .fold(Peers::none(), |peers, name| peers.with(name, assay_rpc::peers::nobody()));
    assay_validation::compose(options, &peers).await.err().unwrap()
}

fn statuses(report: &Report) -> Vec<ClaimStatus> {
    report.claims.iter().map(|claim| claim.status).collect()
}

#[tokio::test]
async fn first_model_of_the_lock_file_is_used_and_named() {
    let models = tempfile::tempdir().unwrap();
    let alone = check(nothing(models.path())).await.report();
    assert_eq!(alone.models, []);
    let digest = entailment(&models.path().join("small"), WORDS, true);
    record(models.path(), "small", Kind::Entailment);
    let report = check(nothing(models.path())).await.report();
    let (kind, name) = ("entailment".to_owned(), "small".to_owned());
    assert_eq!(report.models, [ModelUse { kind, name, sha256: digest, fitted: true, asked: 2, answered: 2 }]);
    assert_eq!(
        statuses(&report),
        [ClaimStatus::Contradicted, ClaimStatus::Supported],
        "{:#?}",
        report.claims
    );
    assert_eq!(report.verdict, Verdict::Reject);
    assert_eq!(report.claims[0].decided_by, "entailment small");
    assert!(report.claims[0].reason.contains("stops after ten errors"), "{:?}", report.claims[0]);
    let off = Options { entailment_model: "off".into(), ..nothing(models.path()) };
    assert_eq!(check(off).await.report(), alone);
}

#[tokio::test]
async fn a_model_without_a_join_flags_and_decides_nothing() {
    let models = tempfile::tempdir().unwrap();
    let folder = models.path().join("own");
    entailment(&folder, AGAINST, false);
    let entailment_model = folder.to_string_lossy().into_owned();
    let report = check(Options { entailment_model, ..nothing(models.path()) }).await.report();
    let alone = check(nothing(models.path())).await.report();
    assert_eq!(statuses(&report), statuses(&alone));
    assert!(!report.models[0].fitted && report.models[0].asked >= 1, "{:?}", report.models);
    assert!(report.verdict == Verdict::Review, "{report:#?}");
    let told = report.warnings.iter().any(|finding| finding.detail.contains("own (unfitted)"));
    assert!(told, "{:?}", report.warnings);
}

#[tokio::test]
async fn a_join_of_another_file_is_not_used() {
    let models = tempfile::tempdir().unwrap();
    let folder = models.path().join("own");
    entailment(&folder, WORDS, true);
    let join = std::fs::read(folder.join(store::JOIN)).unwrap();
    entailment(&folder, AGAINST, false);
    std::fs::write(folder.join(store::JOIN), join).unwrap();
    let entailment_model = folder.to_string_lossy().into_owned();
    let report = check(Options { entailment_model, ..nothing(models.path()) }).await.report();
    assert!(!report.models[0].fitted, "{:?}", report.models);
}

#[tokio::test]
async fn contradicted_segment_is_held_and_claims_are_scored_once() {
    let models = tempfile::tempdir().unwrap();
    entailment(&models.path().join("small"), WORDS, true);
    record(models.path(), "small", Kind::Entailment);
    let bench = start(nothing(models.path()), None, None).await;
    let order = wire::Open { segments: true, ..open(&sources()) };
    let mut parts = vec![Part::Open(order)];
    parts.extend(ANSWER.split_inclusive(' ').map(text));
    parts.push(finish());
    let answered = bench.send(parts).await.unwrap();
    let held: Vec<&str> =
        answered.segments.iter().filter(|own| !own.passed).map(|own| own.text.as_str()).collect();
    assert!(held.len() == 1 && held[0].contains("faults"), "{:?}", answered.segments);
    assert_eq!((answered.report().models[0].asked, answered.report().verdict), (2, Verdict::Reject));
}

#[tokio::test]
async fn stretches_that_a_token_classifier_flags_are_the_reason() {
    let models = tempfile::tempdir().unwrap();
    let folder = models.path().join("tokens");
    std::fs::create_dir_all(&folder).unwrap();
    let own: &[(&str, [f32; 2])] = &[("soon", [0.0, 9.0]), ("after", [0.0, 9.0])];
    let all: &[(&str, [f32; 2])] = &[("Reports", [0.5, 0.0])];
    Model { output: Output::Tokens, own, all, config: "{}" }.write(&folder);
    record(models.path(), "tokens", Kind::Spans);
    let report = check(nothing(models.path())).await.report();
    assert_eq!((report.models[0].kind.as_str(), report.models[0].asked), ("spans", 1));
    let told = report.warnings.iter().find(|finding| finding.detail.contains("tokens (unfitted)")).unwrap();
    assert!(told.detail.contains("\"soon after\""), "{told:?}");
    assert_eq!(report.check(CheckName::ClaimSupport).unwrap().status, CheckStatus::Flagged);
}

#[tokio::test]
async fn language_model_is_asked_what_entailment_leaves_open() {
    let models = tempfile::tempdir().unwrap();
    let folder = models.path().join("small");
    // It says nothing either way.
    entailment(&folder, &[("soon", [0.0, 0.0, 0.0])], true);
    record(models.path(), "small", Kind::Entailment);
    let judge = Judge::new(Says::Label("SUPPORTED"));
    let options = Options { judge: AskJudge::Always, ..nothing(models.path()) };
    let bench = judged(options, None, None, Some(judge.clone())).await;
    let report = bench.check(open(&sources()), ANSWER).await.report();
    assert_eq!(judge.asked().len(), 1, "one call an attempt");
    assert_eq!(
        report.models.iter().map(|used| used.kind.as_str()).collect::<Vec<_>>(),
        ["entailment", "judge"]
    );
    assert!(report.claims.iter().any(|claim| claim.decided_by == "judge"), "{:#?}", report.claims);
}

#[tokio::test]
async fn unusable_model_stops_the_start_with_its_cure() {
    let models = tempfile::tempdir().unwrap();
    let named = |name: &str| Options { entailment_model: name.into(), ..nothing(models.path()) };
    let missing = refused(named("small")).await;
    assert_eq!((missing.code, missing.field.as_str()), (Code::Configuration, "validation.entailment_model"));
    assert!(missing.message.contains("assay models pull"), "{missing}");
    let folder = models.path().join("small");
    entailment(&folder, WORDS, false);
    record(models.path(), "small", Kind::Entailment);
    std::fs::write(folder.join("model.onnx"), "other bytes").unwrap();
    for options in [named("small"), nothing(models.path())] {
        let changed = refused(options).await;
        assert_eq!(changed.code, Code::Configuration);
        for part in ["model.onnx", "was changed", "assay models pull hub:someone/small@c0ffee", "off"] {
            assert!(changed.message.contains(part), "{changed}");
        }
    }
    let other =
        Options { spans_model: "small".into(), entailment_model: "off".into(), ..nothing(models.path()) };
    entailment(&folder, WORDS, false);
    let other = refused(other).await;
    assert!(
        other.field == "validation.spans_model" && other.message.contains("of kind entailment"),
        "{other}"
    );
    let folder = folder.to_string_lossy().into_owned();
    std::fs::write(models.path().join("small").join(store::JOIN), "{").unwrap();
    let join = refused(named(&folder)).await;
    assert!(join.message.contains("join.json") && join.message.contains("fit it again"), "{join}");
}
