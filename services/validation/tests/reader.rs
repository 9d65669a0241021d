//! The reader beside the words: what it is asked, what it decides, what is said where it says nothing.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::path::{Path, PathBuf};

use assay_domain::report::{CheckName, CheckStatus, ClaimStatus, Report};
use assay_domain::{Code, Source, Verdict};
use assay_proto::validation as wire;
use assay_proto::validation::check_request::Part;
use assay_reader::{Kind, Protocol, Served};
use assay_testkit::script_server::ScriptServer;
use assay_validation::Options;
use common::{Answered, doc, finish, open, plain, start, text};

const IMPORT: &str = "The importer reads CSV files from the inbox folder. It skips empty rows and stops after ten errors.\n\
                      Reports land in the archive shortly after midnight.";
/// Words alone are not sure of the first and pass the second.
const ANSWER: &str = "Once around ten faults have come up, the run is over [^1].\n\n\
                      Reports appear in the archive soon after midnight [^1].\n";
const COPIED: &str = "The importer reads CSV files from the inbox folder [^1].";
const YES: &str = r#"{"choices": [{"logprobs": {"content": [{"token": "Yes", "logprob": -0.01}]}}]}"#;
const NO: &str = r#"{"choices": [{"logprobs": {"content": [{"token": "No", "logprob": -0.01}]}}]}"#;

fn sources() -> Vec<Source> {
    vec![doc("docs/import.md", IMPORT)]
}

/// The reader that ships, from its folder.
fn shipped() -> Options {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../libs/models/reader");
    let reader = assay_reader::Options { kind: Kind::Folder, folder, ..assay_reader::Options::default() };
    Options { reader, ..Options::default() }
}

/// A served reader that plays a script.
fn served(server: &ScriptServer) -> Options {
    let served = Served {
        protocol: Protocol::OpenAi,
        url: server.url(),
        model: "judge".into(),
        parallel: 1,
        ..Served::default()
    };
    let reader = assay_reader::Options { kind: Kind::Served, served, ..assay_reader::Options::default() };
    Options { reader, ..Options::default() }
}

async fn check(options: Options, answer: &str) -> Answered {
    start(options, None, None).await.check(open(&sources()), answer).await
}

fn statuses(report: &Report) -> Vec<ClaimStatus> {
    report.claims.iter().map(|claim| claim.status).collect()
}

#[tokio::test]
async fn reader_is_named_with_version_and_digest() {
    let report = check(shipped(), ANSWER).await.report();
    let [used] = report.models.as_slice() else { panic!("{:?}", report.models) };
    let known = assay_reader::shipped();
    assert_eq!((used.kind.as_str(), used.name.as_str()), ("reader", "assay-reader@1"));
    assert_eq!((used.sha256.as_str(), used.fitted), (known.sha256.as_str(), true));
    assert!(used.asked >= 2 && used.asked == used.answered, "{used:?}");
    for claim in &report.claims {
        assert_eq!(claim.decided_by, "reader assay-reader", "{claim:?}");
    }
}

#[tokio::test]
async fn denied_claim_is_contradicted_by_its_window() {
    let source = [doc("docs/users.md", "Passwords are stored encrypted, and nobody can read them.")];
    let answer = "Passwords are stored in plain text [^1].";
    let alone = start(plain(), None, None).await.check(open(&source), answer).await.report();
    assert_eq!(statuses(&alone), [ClaimStatus::Supported], "words cannot tell: {:?}", alone.claims);
    let report = start(shipped(), None, None).await.check(open(&source), answer).await.report();
    assert_eq!(statuses(&report), [ClaimStatus::Contradicted], "{:?}", report.claims);
    assert!(report.claims[0].reason.contains("nobody can read them"), "{:?}", report.claims);
    assert_eq!(report.verdict, Verdict::Reject);
}

#[tokio::test]
async fn copies_are_not_read() {
    let server = ScriptServer::start(&[]).await.unwrap();
    let report = check(served(&server), COPIED).await.report();
    assert_eq!((statuses(&report), report.verdict), (vec![ClaimStatus::Supported], Verdict::Pass));
    assert_eq!(server.asked().len(), 0);
}

#[tokio::test]
async fn without_a_reader_words_decide_and_none_is_named() {
    let report = check(plain(), ANSWER).await.report();
    assert!(report.models.is_empty());
    assert!(report.claims.iter().all(|claim| claim.decided_by == "trees"), "{:?}", report.claims);
}

#[tokio::test]
async fn reader_that_does_not_answer_in_time_is_no_pass() {
    let server = ScriptServer::start(&[]).await.unwrap();
    let mut options = served(&server);
    options.reader.timeout = 0.05;
    let plain = check(plain(), ANSWER).await.report();
    let report = check(options, ANSWER).await.report();
    assert_eq!(statuses(&report), statuses(&plain), "words decide");
    assert!(report.verdict != Verdict::Pass);
    let told = report.warnings.iter().chain(&report.errors);
    let missing = told.filter(|finding| finding.detail.contains("NOT_CHECKED(reader_timeout)")).count();
    assert_eq!(missing, 2, "{:?}", report.warnings);
    let only = "Reports appear in the archive soon after midnight [^1].";
    let server = ScriptServer::start(&[(500, "")]).await.unwrap();
    let report = check(served(&server), only).await.report();
    let support = report.check(CheckName::ClaimSupport).unwrap();
    assert_eq!((support.status, report.verdict), (CheckStatus::NotChecked, Verdict::Review));
    assert!(support.reason.contains("NOT_CHECKED(reader_unreachable)"), "{}", support.reason);
}

#[tokio::test]
async fn every_pair_is_read_once_in_a_streamed_request() {
    let replies = vec![(200, YES); 20];
    let server = ScriptServer::start(&replies).await.unwrap();
    let bench = start(served(&server), None, None).await;
    let order = wire::Open { segments: true, ..open(&sources()) };
    let parts = vec![Part::Open(order), text(ANSWER), finish()];
    let answered = bench.send(parts).await.unwrap();
    assert!(answered.segments.iter().all(|segment| segment.passed));
    let mut asked: Vec<String> = server.asked().into_iter().map(|asked| asked.body).collect();
    let count = asked.len();
    asked.sort_unstable();
    asked.dedup();
    assert_eq!(asked.len(), count, "no pair twice");
    assert!(answered.report().models[0].asked >= 2);
}

#[tokio::test]
async fn unmeasured_reader_lifts_and_rejects_and_never_contradicts() {
    for (reply, expected) in [(YES, ClaimStatus::Supported), (NO, ClaimStatus::Unsupported)] {
        let server = ScriptServer::start(&[(200, reply); 8]).await.unwrap();
        let report = check(served(&server), "Once around ten faults have come up, the run is over [^1].")
            .await
            .report();
        assert_eq!(statuses(&report), [expected], "{:?}", report.claims);
        assert!(!report.models[0].fitted);
    }
}

#[tokio::test]
async fn a_claim_in_another_language_is_read() {
    let answer = "El importador se detiene después de diez errores y omite las filas que están vacías [^1].";
    let alone = check(plain(), answer).await.report();
    assert_eq!((statuses(&alone), alone.verdict), (vec![ClaimStatus::NotChecked], Verdict::Review));
    let server = ScriptServer::start(&[(200, YES); 4]).await.unwrap();
    let report = check(served(&server), answer).await.report();
    assert_eq!(statuses(&report), [ClaimStatus::Supported], "{:?}", report.claims);
    assert_eq!(server.asked().len(), 1, "one window holds the source");
    let false_one = "El importador borra las filas vacías y nunca se detiene, aunque haya mil errores [^1].";
    let report = check(shipped(), false_one).await.report();
    assert!(report.models[0].answered >= 1);
    assert_eq!((statuses(&report), report.verdict), (vec![ClaimStatus::NotChecked], Verdict::Review));
}

#[tokio::test]
async fn settings_without_a_reader_behind_them_stop_the_start() {
    let refused = async |reader: assay_reader::Options| {
        let peers = ["parser", "retrieval"]
            .into_iter()
            .fold(assay_rpc::Peers::none(), |peers, name| peers.with(name, assay_rpc::peers::nobody()));
        let options = Options { reader, ..Options::default() };
        assay_validation::compose(options, &peers).await.err().unwrap()
    };
    let nothing = refused(assay_reader::Options::default()).await;
    assert_eq!((nothing.code, nothing.field.as_str()), (Code::Configuration, "reader.kind"));
    let folder = assay_reader::Options {
        kind: Kind::Folder,
        folder: PathBuf::from("nowhere"),
        ..assay_reader::Options::default()
    };
    let missing = refused(folder).await;
    assert_eq!((missing.code, missing.field.as_str()), (Code::Configuration, "reader.folder"));
}
