//! A judge model beside the fitted models: whom it is asked about, what its word changes, and what it cannot.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use assay_domain::report::{ClaimStatus, Report};
use assay_domain::{Source, Verdict};
use assay_proto::{common as common_wire, validation as wire};
use assay_validation::{AskJudge, Options};
use common::{Answered, Judge, Says, doc, judged, open};

const IMPORT: &str =
    "The importer reads CSV files from the inbox folder. It skips empty rows and stops after ten errors.";
/// Said in other words, so that the fitted models are not sure.
const UNSURE: &str = "The importing job takes comma-separated files that lie in a folder for incoming data [^1]. \
                      Once around ten faults have come up, the run is over [^1].";

fn sources() -> Vec<Source> {
    vec![doc("docs/import.md", IMPORT)]
}

fn on() -> Options {
    Options { judge: AskJudge::Always, ..Options::default() }
}

async fn check(options: Options, judge: Option<std::sync::Arc<Judge>>, answer: &str) -> Answered {
    judged(options, None, None, judge).await.check(open(&sources()), answer).await
}

fn statuses(report: &Report) -> Vec<ClaimStatus> {
    report.claims.iter().map(|claim| claim.status).collect()
}

#[tokio::test]
async fn nobody_is_asked_unless_it_is_switched_on() {
    let judge = Judge::new(Says::Label("SUPPORTED"));
    let answered = check(Options::default(), Some(judge.clone()), UNSURE).await;
    assert!(judge.asked().is_empty());
    assert_eq!(answered.done.unwrap().model_calls, 0);
}

#[tokio::test]
async fn judge_decides_uncertain_claims_and_is_accounted_for() {
    for (label, expected) in
        [("SUPPORTED", ClaimStatus::Supported), ("UNSUPPORTED", ClaimStatus::Unsupported)]
    {
        let judge = Judge::new(Says::Label(label));
        let answered = check(on(), Some(judge.clone()), UNSURE).await;
        let report = answered.report();
        let asked = judge.asked();
        let [request] = asked.as_slice() else { panic!("one call for all claims: {asked:?}") };
        for text in &request.claims {
            let claim = report.claims.iter().find(|claim| claim.text == *text).unwrap();
            assert_eq!(claim.status, expected, "{claim:?}");
            assert!(claim.reason.starts_with("judge: "), "{claim:?}");
        }
        let own = |source: &common_wire::Source| source.path == "docs/import.md" && !source.text.is_empty();
        assert!(request.sources.iter().all(own));
        let done = answered.done.unwrap();
        assert_eq!((done.model_calls, done.provider_trail.len()), (1, 1));
        assert_eq!((done.prompts.len(), done.prompts[0].id.as_str()), (1, "judge/1"));
    }
}

#[tokio::test]
async fn strict_asks_the_judge_and_tolerates_its_absence() {
    let plain = check(Options::default(), None, UNSURE).await.report();
    let judge = Judge::new(Says::Label("SUPPORTED"));
    let strict = || Options { policy: "strict".into(), ..Options::default() };
    check(strict(), Some(judge.clone()), UNSURE).await;
    assert_eq!(judge.asked().len(), 1);
    let none = Judge::new(Says::Label(common::NO_MODEL));
    let report = check(strict(), Some(none), UNSURE).await.report();
    assert!(report.warnings.iter().all(|finding| !finding.detail.contains("NOT_CHECKED")), "{report:#?}");
    assert_eq!(report.claims.len(), plain.claims.len());
}

#[tokio::test]
async fn judge_is_asked_about_at_most_the_set_claims() {
    let judge = Judge::new(Says::Label("SUPPORTED"));
    check(Options { judge_claims: 1, ..on() }, Some(judge.clone()), UNSURE).await;
    assert_eq!(judge.asked()[0].claims.len(), 1);
}

#[tokio::test]
async fn without_the_judge_the_fitted_models_decide_alone() {
    let plain = check(Options::default(), None, UNSURE).await.report();
    let cases = [
        (Some(Judge::new(Says::Down)), 10.0, "unavailable"),
        (Some(Judge::new(Says::Slow)), 0.05, "deadline_exceeded"),
        (Some(Judge::new(Says::Label("UNSURE"))), 10.0, "unsure"),
        (Some(Judge::new(Says::Label("perhaps"))), 10.0, "no label"),
        (None, 10.0, "unavailable"),
    ];
    for (judge, judge_timeout, reason) in cases {
        let report = check(Options { judge_timeout, ..on() }, judge, UNSURE).await.report();
        assert_eq!(report.claims, plain.claims);
        assert!(report.verdict != Verdict::Pass, "{reason}: what was not said is no pass");
        let told = report.warnings.iter().any(|finding| finding.detail.contains(reason));
        assert!(told, "{reason}: {:?}", report.warnings);
    }
}

#[tokio::test]
async fn a_judge_that_says_yes_to_everything_lifts_no_contradiction() {
    let judge = Judge::new(Says::Label("SUPPORTED"));
    let answer = "The importer reads CSV files from the inbox folder [^1]. It skips empty rows and stops after ninety errors [^1].";
    let report = check(on(), Some(judge.clone()), answer).await.report();
    assert_eq!(statuses(&report), [ClaimStatus::Supported, ClaimStatus::Contradicted]);
    assert_eq!(report.verdict, Verdict::Reject);
    assert!(judge.asked().is_empty());
}

#[tokio::test]
async fn judge_decides_cross_language_claims() {
    let answer = "El importador se detiene después de diez errores y omite las filas que están vacías [^1].";
    let alone = check(Options::default(), None, answer).await.report();
    assert_eq!(statuses(&alone), [ClaimStatus::NotChecked]);
    assert_eq!(alone.verdict, Verdict::Review);
    let judge = Judge::new(Says::Label("SUPPORTED"));
    let report = check(on(), Some(judge.clone()), answer).await.report();
    assert_eq!(statuses(&report), [ClaimStatus::Supported]);
    assert_eq!(judge.asked()[0].sources[0].text, IMPORT);
    let report = check(on(), Some(Judge::new(Says::Down)), answer).await.report();
    assert_eq!((statuses(&report), report.verdict), (vec![ClaimStatus::NotChecked], Verdict::Review));
}

#[tokio::test]
async fn policy_of_the_caller_is_used_or_refused_by_field() {
    let bench = judged(Options::default(), None, None, None).await;
    let own = |text: &str| wire::Open { policy_toml: text.into(), ..open(&sources()) };
    let done = bench.check(own("name = 'house'\nbase = 'strict'"), UNSURE).await.done.unwrap();
    assert_eq!(done.policy, "house");
    let parts = vec![
        common::message(wire::check_request::Part::Open(own("uncited_share = 7.0"))).part.unwrap(),
        common::finish(),
    ];
    let refused = bench.send(parts).await.err().unwrap();
    let failure = assay_wire::from_status(&refused);
    assert_eq!(failure.field, "policy.uncited_share");
    assert!(failure.message.contains("give 0 to 1"), "{}", failure.message);
}

#[tokio::test]
async fn policy_file_replaces_the_name_and_stops_when_wrong() {
    let folder = std::env::temp_dir().join(format!("assay-policy-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("own.toml");
    let options = || Options { policy_file: file.to_string_lossy().into_owned(), ..Options::default() };
    std::fs::write(&file, "name = 'house'").unwrap();
    let done = check(options(), None, UNSURE).await.done.unwrap();
    assert_eq!(done.policy, "house");
    std::fs::write(&file, "supported_below = '9%'").unwrap();
    let peers = assay_rpc::Peers::none();
    let peers = ["parser", "retrieval", "generation"]
        .into_iter()
        .fold(peers, |peers, name| peers.with(name, assay_rpc::peers::nobody()));
    let failure = assay_validation::compose(options(), &peers).await.err().unwrap();
    assert_eq!(failure.field, "validation.policy_file");
    assert!(
        failure.message.contains("supported_below") && failure.message.contains("`5%`"),
        "{}",
        failure.message
    );
    std::fs::remove_dir_all(&folder).unwrap();
}
