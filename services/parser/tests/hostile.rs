//! The service over a real socket: many callers, hostile texts, limits, deadlines and bytes that are no text.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::time::Duration;

use assay_domain::code::{BlockStatus, ParsedBlock, TOO_COMPLEX};
use assay_domain::{Code, Failure, Identity};
use assay_parser::{Expectation, Options, Parsing, Reading, compose};
use assay_proto::common::BlockState;
use assay_proto::parser::parser_service_client::ParserServiceClient;
use assay_proto::parser::{DescribeRequest, ParseAnswerRequest, ParseRequest, Program};
use assay_rpc::server::{Limits, Running};
use assay_rpc::{Channel, Context, Peers};
use assay_wire::{from_status, list_from_wire};

type Client = ParserServiceClient<Channel>;

async fn serve() -> (Client, Running) {
    serve_with(Options::default()).await
}

async fn serve_with(options: Options) -> (Client, Running) {
    let service = compose(options, &Peers::none()).await.unwrap();
    let running = service.listen("127.0.0.1:0".parse().unwrap(), Limits::default()).await.unwrap();
    let url = format!("http://{}", running.address().unwrap());
    (ParserServiceClient::new(Channel::to(&url, None).unwrap()), running)
}

fn ask<T>(message: T, budget: Duration) -> tonic::Request<T> {
    Context::new(Identity::local(), budget).request(message)
}

const BUDGET: Duration = Duration::from_secs(120);
static READING: Reading = Reading { server_compat: false, profiles: Vec::new() };

async fn answer(client: &mut Client, text: String) -> Result<Vec<ParsedBlock>, Failure> {
    let message = ParseAnswerRequest { answer: text, ..ParseAnswerRequest::default() };
    let response = client.parse_answer(ask(message, BUDGET)).await.map_err(|status| from_status(&status))?;
    list_from_wire("blocks", response.into_inner().blocks)
}

fn program(language: &str, code: String) -> ParseRequest {
    ParseRequest { programs: vec![Program { language: language.into(), code }], options: None }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_callers_are_answered_over_a_socket() {
    let (client, running) = serve().await;
    let mut join = tokio::task::JoinSet::new();
    for number in 0..1000_u32 {
        let mut client = client.clone();
        join.spawn(async move {
            if number % 3 == 0 {
                let blocks = answer(&mut client, format!("a\n\n```json\n[{number}]\n```\n")).await.unwrap();
                return blocks[0].status == BlockStatus::Valid;
            }
            if number % 3 == 1 {
                let described = client.describe(ask(DescribeRequest {}, BUDGET)).await.unwrap().into_inner();
                return described.languages.len() > 10;
            }
            let request = ask(program("bash", format!("echo {number}\n")), BUDGET);
            let parsed = client.parse(request).await.unwrap().into_inner();
            parsed.programs[0].state == BlockState::Valid as i32
        });
    }
    let answers = join.join_all().await;
    assert_eq!(answers.iter().filter(|fine| **fine).count(), 1000);
    running.drain().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_answers_are_answered_and_limits_name_the_field() {
    let (mut client, running) = serve().await;
    assert_eq!(answer(&mut client, "a".repeat(1_000_000)).await.unwrap(), []);
    assert_eq!(answer(&mut client, "[".repeat(100_000)).await.unwrap(), []);
    let blocks = answer(&mut client, format!("{} ```json\n[1\n", ">".repeat(20_000))).await.unwrap();
    assert!(blocks.len() <= 1);
    // Empty fences hold no code; those that hold some are counted.
    assert_eq!(answer(&mut client, "```\n".repeat(100_000)).await.unwrap(), []);
    let many = answer(&mut client, "```json\n1\n```\n\n".repeat(100_000)).await.unwrap_err();
    assert_eq!(many.code, Code::PayloadTooLarge);
    assert!(
        many.message.contains("100000 code blocks") && many.message.contains("parser.max_programs"),
        "{many:?}"
    );
    assert_eq!(many.field.as_str(), "answer");
    let long = answer(&mut client, "é".repeat(3_000_000)).await.unwrap_err();
    assert_eq!((long.code, long.field.as_str()), (Code::PayloadTooLarge, "answer"));
    let block = format!("```text\nx\n```\n\n```json\n{}\n```\n", " ".repeat(1_100_000));
    let wide = answer(&mut client, block).await.unwrap_err();
    assert_eq!((wide.code, wide.field.as_str()), (Code::PayloadTooLarge, "answer"));
    let program = client.parse(ask(program("json", " ".repeat(1_100_000)), BUDGET)).await.unwrap_err();
    let failure = from_status(&program);
    assert_eq!((failure.code, failure.field.as_str()), (Code::PayloadTooLarge, "programs[0].code"));
    running.drain().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn work_ends_at_the_deadline_and_gives_its_turn_back() {
    let (mut client, running) = serve_with(Options { parallel: 1, ..Options::default() }).await;
    let long = "x = f(1, [2, 3])\n".repeat(60_000);
    let status = client.parse(ask(program("python", long), Duration::from_millis(30))).await.unwrap_err();
    assert_eq!(from_status(&status).code, Code::DeadlineExceeded);
    // The next call takes the one turn that there is.
    let parsed = client.parse(ask(program("json", "[1]".into()), BUDGET)).await.unwrap().into_inner();
    assert_eq!(parsed.programs[0].state, BlockState::Valid as i32);
    running.drain().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn callers_that_give_up_while_they_wait_hold_no_turn() {
    let service = compose(Options { parallel: 1, ..Options::default() }, &Peers::none()).await.unwrap();
    let running = service.listen("127.0.0.1:0".parse().unwrap(), Limits::default()).await.unwrap();
    let url = format!("http://{}", running.address().unwrap());
    let client = ParserServiceClient::new(Channel::to(&url, None).unwrap());
    let mut join = tokio::task::JoinSet::new();
    for _ in 0..40 {
        let mut client = client.clone();
        let slow = program("python", "x = f(1, [2, 3])\n".repeat(20_000));
        join.spawn(async move {
            client.parse(ask(slow, Duration::from_millis(20))).await.err().map(|s| from_status(&s).code)
        });
    }
    // Half of them end at their deadline or hear that others hold the turn, the others are dropped where they stand.
    for _ in 0..20 {
        let ended = join.join_next().await.unwrap().unwrap();
        assert!(matches!(ended, Some(Code::DeadlineExceeded | Code::ResourceExhausted)), "{ended:?}");
    }
    join.shutdown().await;
    let parsed = client.clone().parse(ask(program("json", "[1]".into()), BUDGET)).await.unwrap().into_inner();
    assert_eq!(parsed.programs[0].state, BlockState::Valid as i32);
    running.drain().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn limits_are_held_before_any_grammar_is_asked() {
    let (mut client, running) = serve().await;
    // Prose of no language, which detection would ask every grammar about.
    let wide = format!("a\n\n```\n{}```\n", "func const let x = = 1;\n".repeat(50_000));
    let failure = answer(&mut client, wide).await.unwrap_err();
    assert_eq!((failure.code, failure.field.as_str()), (Code::PayloadTooLarge, "answer"));
    assert!(failure.message.contains("the code block in line 4 has 1200000 bytes"), "{failure:?}");
    let many = answer(&mut client, "```\nsome words of text\n```\n\n".repeat(1100)).await.unwrap_err();
    assert!(many.message.contains("1100 code blocks"), "{many:?}");
    let yaml = client.parse(ask(program("yaml", "- a\n".repeat(100_000)), BUDGET)).await.unwrap_err();
    let yaml = from_status(&yaml);
    assert_eq!((yaml.code, yaml.field.as_str()), (Code::PayloadTooLarge, "programs[0].code"));
    assert!(yaml.message.contains("the program holds 400000 bytes of YAML; at most 262144"), "{yaml:?}");
    running.drain().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hostile_block_leaves_the_others_their_verdict() {
    let (mut client, running) = serve().await;
    for (language, code) in [
        ("sql", format!("select {}1", "1+".repeat(28_000))),
        ("java", "A<".repeat(8_000)),
        ("yaml", "- a\n".repeat(100_000)),
    ] {
        let blocks =
            answer(&mut client, format!("```{language}\n{code}\n```\n\n```json\n[1]\n```\n")).await.unwrap();
        let states: Vec<&BlockStatus> = blocks.iter().map(|block| &block.status).collect();
        assert_eq!(
            states,
            [&BlockStatus::Unavailable(TOO_COMPLEX.into()), &BlockStatus::Valid],
            "{language}"
        );
    }
    running.drain().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_hold_a_bounded_number_of_bytes() {
    let options = Options { max_bytes_in_flight: 16 * 1024 * 1024, parallel: 1, ..Options::default() };
    let parsing = Parsing::new(options);
    let deadline = assay_rpc::clock::now() + BUDGET;
    let text = |megabytes: usize| "a\n".repeat(megabytes << 19);
    let ask = |megabytes| parsing.parse_answer(text(megabytes), Expectation::default(), &READING, deadline);
    let mut held: Vec<_> = (0..4).map(|_| Box::pin(ask(4))).collect();
    for asked in &mut held {
        assert!(futures::poll!(asked).is_pending());
    }
    let refused = ask(1).await.unwrap_err();
    assert_eq!(refused.code, Code::ResourceExhausted);
    assert!(refused.message.contains("parser.max_bytes_in_flight"), "{refused:?}");
    for asked in held {
        assert_eq!(asked.await, Ok(vec![]));
    }
    assert_eq!(ask(1).await, Ok(vec![]));
}

#[tokio::test(flavor = "multi_thread")]
async fn many_mistakes_fit_one_message_and_errors_go_first() {
    let (mut client, running) = serve().await;
    // A thousand warnings, then errors.
    let code = "addVar(a, b)\n".repeat(1200) + &"addVar(a, )\n".repeat(1200);
    let parsed = client.parse(ask(program("avap", code), BUDGET)).await.unwrap().into_inner();
    assert_eq!(parsed.programs[0].state, BlockState::Invalid as i32);
    let found = &parsed.programs[0].diagnostics;
    assert_eq!(found.len(), 1000);
    assert!(found.iter().all(|found| found.line > 1200), "{:?}", found.first());
    let many = (0..1000).map(|_| Program { language: "avap".into(), code: "addVar(a, )\n".repeat(40) });
    let message = ParseRequest { programs: many.collect(), options: None };
    let parsed = client.parse(ask(message, BUDGET)).await.unwrap().into_inner();
    for program in &parsed.programs {
        assert_eq!((program.state, program.diagnostics.len()), (BlockState::Invalid as i32, 4));
    }
    // What sound blocks do not use, one with mistakes may.
    let sound = "```json\n[]\n```\n\n".repeat(600);
    let blocks =
        answer(&mut client, format!("{sound}```avap\n{}```\n", "addVar(a, )\n".repeat(40))).await.unwrap();
    assert_eq!(blocks.last().map(|block| block.diagnostics.len()), Some(40));
    running.drain().await;
}

#[tokio::test]
async fn carriage_returns_alone_give_the_same_blocks() {
    let (mut client, running) = serve().await;
    let text = "Text.\n\n```python\nx = 1\ndef f(a:\n    pass\n```\n\n- item\n\n  ~~~json\n  [1\n  ~~~\n\n    let a = 1;\n    let b = 2;\n";
    let expected = answer(&mut client, text.to_owned()).await.unwrap();
    assert_eq!(expected.iter().map(|block| block.block.first_line).collect::<Vec<_>>()[..2], [4, 12]);
    let lone = answer(&mut client, text.replace('\n', "\r")).await.unwrap();
    assert_eq!(lone, expected);
    let both = answer(&mut client, text.replace('\n', "\r\n")).await.unwrap();
    for (one, other) in both.iter().zip(&expected) {
        assert_eq!(one.block.first_line, other.block.first_line);
        assert_eq!(one.diagnostics, other.diagnostics);
    }
    running.drain().await;
}

/// A message with one field of text, written without regard to what text may be.
#[derive(Clone, PartialEq, prost::Message)]
struct RawAnswer {
    #[prost(bytes = "vec", tag = "1")]
    answer: Vec<u8>,
}

#[tokio::test]
async fn bytes_that_are_no_text_are_refused_at_the_edge() {
    let (_, running) = serve().await;
    let url = format!("http://{}", running.address().unwrap());
    let mut raw = tonic::client::Grpc::new(Channel::to(&url, None).unwrap());
    raw.ready().await.unwrap();
    let codec = tonic_prost::ProstCodec::<RawAnswer, assay_proto::parser::ParseAnswerResponse>::default();
    let path = "/assay.parser.v1alpha1.ParserService/ParseAnswer".parse().unwrap();
    let message = RawAnswer { answer: b"```json\n[\xff\xfe]\n```\n".to_vec() };
    let status = raw.unary(ask(message, BUDGET), path, codec).await.unwrap_err();
    assert!(matches!(status.code(), tonic::Code::InvalidArgument | tonic::Code::Internal), "{status:?}");
    running.drain().await;
}
