//! Hostile code costs its own verdict and no other: the breaker counts a parser that is gone, never one that is asked too
//! much.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use assay_domain::QueryType;
use assay_domain::code::{BlockStatus, TOO_COMPLEX};
use assay_domain::report::{CheckName, CheckStatus};
use assay_proto::validation as wire;
use assay_proto::validation::validation_service_client::ValidationServiceClient;
use assay_rpc::Peers;
use assay_rpc::server::Limits;
use assay_wire::ToWire as _;
use common::{Bench, Mode, Parser, open, plain, start};

const PROGRAM: &str = "```avap\naddVar(x, 1)\n```\n";

fn code() -> wire::Open {
    wire::Open { query_type: QueryType::CodeGeneration.to_wire(), ..open(&[]) }
}

/// Validation over the real parser.
async fn parsed() -> Bench {
    let mut peers = Peers::none();
    let parser = assay_parser::compose(assay_parser::Options::default(), &Peers::none()).await.unwrap();
    let (channel, parser) = parser.in_memory(Limits::default());
    peers.insert("parser", channel);
    for name in ["retrieval", "generation"] {
        peers.insert(name, assay_rpc::peers::nobody());
    }
    let validation = assay_validation::compose(plain(), &peers).await.unwrap();
    let (channel, validation) = validation.in_memory(Limits::default());
    Bench { client: ValidationServiceClient::new(channel), running: vec![parser, validation] }
}

#[tokio::test(flavor = "multi_thread")]
async fn after_hostile_answers_a_good_one_is_checked() {
    let bench = parsed().await;
    for (language, program) in [
        ("java", "A<".repeat(8_000)),
        ("sql", format!("select {}1", "1+".repeat(28_000))),
        ("typescript", "a<".repeat(8_000)),
        ("java", "A<A,".repeat(8_000)),
    ] {
        let answer = format!("{PROGRAM}\n```{language}\n{program}\n```\n");
        let report = bench.check(code(), &answer).await.report();
        let found: Vec<&BlockStatus> = report.blocks.iter().map(|block| &block.status).collect();
        assert_eq!(found, [&BlockStatus::Valid, &BlockStatus::Unavailable(TOO_COMPLEX.into())], "{language}");
        let check = report.checks.iter().find(|check| check.name == CheckName::CodeSyntax).unwrap();
        assert_eq!((check.status, check.reason.as_str()), (CheckStatus::NotChecked, TOO_COMPLEX));
    }
    let report = bench.check(code(), PROGRAM).await.report();
    assert_eq!(report.blocks[0].status, BlockStatus::Valid);
}

#[tokio::test]
async fn a_busy_parser_does_not_open_the_breaker() {
    let parser = Parser::new(Mode::Busy);
    let bench = start(plain(), Some(parser.clone()), None).await;
    for _ in 0..5 {
        let report = bench.check(code(), PROGRAM).await.report();
        assert_eq!(report.blocks[0].status, BlockStatus::Unavailable("resource_exhausted".into()));
    }
    parser.set(Mode::Up);
    let report = bench.check(code(), PROGRAM).await.report();
    assert_eq!(report.blocks[0].status, BlockStatus::Valid);
}
