//! Policies of the caller and of the operator: used, or refused by field.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use assay_domain::Source;
use assay_proto::validation as wire;
use assay_validation::Options;
use common::{Answered, doc, open, plain, start};

const IMPORT: &str =
    "The importer reads CSV files from the inbox folder. It skips empty rows and stops after ten errors.";
/// Said in other words, so that the fitted models are not sure.
const UNSURE: &str = "The importing job takes comma-separated files that lie in a folder for incoming data [^1]. \
                      Once around ten faults have come up, the run is over [^1].";

fn sources() -> Vec<Source> {
    vec![doc("docs/import.md", IMPORT)]
}

async fn check(options: Options, answer: &str) -> Answered {
    start(options, None, None).await.check(open(&sources()), answer).await
}

#[tokio::test]
async fn policy_of_the_caller_is_used_or_refused_by_field() {
    let bench = start(plain(), None, None).await;
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
    let options = || Options { policy_file: file.to_string_lossy().into_owned(), ..plain() };
    std::fs::write(&file, "name = 'house'").unwrap();
    let done = check(options(), UNSURE).await.done.unwrap();
    assert_eq!(done.policy, "house");
    std::fs::write(&file, "supported_below = '9%'").unwrap();
    let peers = assay_rpc::Peers::none();
    let peers = ["parser", "retrieval"]
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
