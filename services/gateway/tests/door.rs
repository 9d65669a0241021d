//! The gRPC listener over real sockets: brunix, and the way to the services inside, their side scripted.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod scripted;

use assay_domain::{Identity, Role};
use assay_gateway::keys::{Grant, KeysFile};
use assay_proto::audit::audit_service_client::AuditServiceClient;
use assay_proto::brunix::assistance_engine_client::AssistanceEngineClient;
use assay_proto::brunix::{AgentRequest, AgentResponse, EvalRequest};
use assay_proto::generation::generation_service_client::GenerationServiceClient;
use assay_proto::parser::parser_service_client::ParserServiceClient;
use assay_proto::retrieval::retrieval_service_client::RetrievalServiceClient;
use assay_proto::router::router_service_client::RouterServiceClient;
use assay_proto::{audit, common, generation, parser, retrieval, router};
use assay_rpc::Context;
use assay_wire::from_status;
use tonic::{Code, Request, Status};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_client::HealthClient;
use tonic_reflection::pb::v1::ServerReflectionRequest;
use tonic_reflection::pb::v1::server_reflection_client::ServerReflectionClient;
use tonic_reflection::pb::v1::server_reflection_request::MessageRequest;

use scripted::{AUDIT_ID, Bench, GOLDEN};

fn asking(query: &str) -> AgentRequest {
    AgentRequest { query: query.into(), ..AgentRequest::default() }
}

async fn ask(bench: &Bench, request: AgentRequest) -> Result<Vec<AgentResponse>, Status> {
    let mut stream = AssistanceEngineClient::new(bench.door().await).ask_agent(request).await?.into_inner();
    collect(&mut stream).await
}

async fn ask_stream(bench: &Bench, query: &str) -> Result<Vec<AgentResponse>, Status> {
    let mut client = AssistanceEngineClient::new(bench.door().await);
    let mut stream = client.ask_agent_stream(asking(query)).await?.into_inner();
    collect(&mut stream).await
}

async fn collect(stream: &mut tonic::Streaming<AgentResponse>) -> Result<Vec<AgentResponse>, Status> {
    let mut messages = Vec::new();
    while let Some(message) = stream.message().await? {
        messages.push(message);
    }
    Ok(messages)
}

fn question(text: &str) -> Option<common::Question> {
    Some(common::Question { text: text.into(), ..Default::default() })
}

#[tokio::test]
async fn an_agent_answers_with_exactly_one_message() {
    let bench = Bench::start().await;
    let messages = ask(&bench, asking("How do I read a parameter?")).await.unwrap();
    let [message] = messages.as_slice() else { panic!("{messages:?}") };
    assert_eq!(message.text, "Use `addParam`. [^1]");
    assert!(message.is_final);
    assert_eq!((message.validation_status.as_str(), message.avap_code.as_str()), ("", ""));
    assert_eq!((message.audit_id.as_str(), message.audit_state.as_str()), (AUDIT_ID, "STORED"));
    assert_eq!((message.outcome.as_str(), message.verdict.as_str()), ("ANSWERED", "PASS"));
    let source = &message.sources[0];
    assert_eq!((source.number, source.path.as_str()), (1, "avap/request-parameters.md"));
    assert_eq!((source.first_line, source.last_line, source.kind.as_str()), (12, 31, "doc"));
    bench.stop().await;
}

#[tokio::test]
async fn attachments_are_decoded_and_user_info_makes_nobody_anybody() {
    let bench = Bench::start().await;
    let request = AgentRequest {
        session_id: "s".into(),
        editor_content: "ZWRpdG9y".into(),
        selected_text: "c2VsZWN0ZWQ=".into(),
        extra_context: "ZmFjdHM".into(),
        user_info: r#"{"principal": "root", "roles": ["admin"]}"#.into(),
        query_type: "PLATFORM".into(),
        ..asking("What is my quota?")
    };
    ask(&bench, request).await.unwrap();
    let (question, delivery) = bench.question();
    assert_eq!(delivery, None);
    assert_eq!((question.session_id.as_str(), question.extra_context.as_str()), ("s", "facts"));
    assert_eq!((question.editor_content.as_str(), question.selected_text.as_str()), ("editor", "selected"));
    assert_eq!(question.declared_type(), common::QueryType::Platform);
    assert_eq!(bench.calls()[0].identity, Identity::local());
    let wrong = ask(&bench, AgentRequest { editor_content: "?".into(), ..asking("q") }).await.unwrap_err();
    assert_eq!((wrong.code(), from_status(&wrong).field.as_str()), (Code::InvalidArgument, "editor_content"));
    bench.stop().await;
}

#[tokio::test]
async fn stream_is_held_and_its_texts_make_the_answer() {
    let bench = Bench::start().await;
    let messages = ask_stream(&bench, "events").await.unwrap();
    assert_eq!(bench.question().1, Some(router::Delivery::Held.into()));
    let texts: Vec<(&str, bool)> = messages.iter().map(|m| (m.text.as_str(), m.is_final)).collect();
    assert_eq!(texts, [("Use `addParam`. [^1]", false), ("", true)]);
    assert_eq!(messages.last().unwrap().verdict, "PASS");
    bench.stop().await;
}

#[tokio::test]
async fn code_is_the_first_delivered_avap_block() {
    let bench = Bench::start().await;
    let messages = ask(&bench, asking("code")).await.unwrap();
    assert_eq!(messages[0].avap_code, "addVar(x, 1)\n");
    assert_eq!(messages[0].validation_status, "INVALID_UNRESOLVED");
    assert_eq!(messages[0].code_status, "INVALID");
    let streamed = ask_stream(&bench, "code").await.unwrap();
    assert_eq!(streamed.last().unwrap().avap_code, "addVar(x, 1)\n");
    assert_eq!(streamed[0].avap_code, "");
    bench.stop().await;
}

#[tokio::test]
async fn a_rejected_answer_is_a_result_and_says_so() {
    let bench = Bench::start().await;
    let said = "What stands. [^1]\n\nnothing supports it ask again";
    let messages = ask(&bench, asking("reject")).await.unwrap();
    assert_eq!((messages[0].text.as_str(), messages[0].outcome.as_str()), (said, "REJECTED"));
    let streamed = ask_stream(&bench, "reject").await.unwrap();
    assert_eq!(streamed.iter().map(|message| message.text.as_str()).collect::<String>(), said);
    assert_eq!(streamed.last().unwrap().verdict, "REJECT");
    bench.stop().await;
}

#[tokio::test]
async fn failures_are_statuses_with_our_code_and_their_record() {
    let bench = Bench::start().await;
    for status in
        [ask(&bench, asking("fail")).await.unwrap_err(), ask_stream(&bench, "fail").await.unwrap_err()]
    {
        assert_eq!(
            (status.code(), from_status(&status).code),
            (Code::Unavailable, assay_domain::Code::SearchUnavailable)
        );
    }
    let settled = ask(&bench, asking("settled failure")).await.unwrap_err();
    assert_eq!(settled.code(), Code::DeadlineExceeded);
    assert_eq!(settled.metadata().get("assay-audit-id").unwrap(), AUDIT_ID);
    bench.stop().await;
}

#[tokio::test]
async fn an_evaluation_is_answered_with_its_figures() {
    let bench = Bench::start().await;
    let mut client = AssistanceEngineClient::new(bench.door().await);
    let wanted = EvalRequest { golden: GOLDEN.into(), collection: "guide".into(), repetitions: 2 };
    let found = client.evaluate_rag(wanted).await.unwrap().into_inner();
    assert_eq!((found.standing.as_str(), found.answers), ("NON_BINDING", 2));
    assert_eq!(found.missing_for_binding, ["seed"]);
    assert_eq!(found.figures, [("faithfulness".to_owned(), 0.5)].into(), "what has no value is left out");
    let status = client.evaluate_rag(EvalRequest::default()).await.unwrap_err();
    assert_eq!((status.code(), from_status(&status).field.as_str()), (Code::InvalidArgument, "golden"));
    bench.stop().await;
}

#[tokio::test]
async fn a_client_that_goes_away_cancels_the_router() {
    let bench = Bench::with(|options| options.keep_alive_seconds = 0.02).await;
    for unary in [true, false] {
        let mut client = AssistanceEngineClient::new(bench.door().await);
        let call = assay_rpc::task::spawn(async move {
            let stream = match unary {
                true => client.ask_agent(asking("hang")).await,
                false => client.ask_agent_stream(asking("hang")).await,
            };
            collect(&mut stream?.into_inner()).await
        });
        bench.hanging().await;
        call.abort();
        bench.cancelled().await;
    }
    // A forwarded call is no different.
    let mut client = RouterServiceClient::new(bench.door().await);
    let request = router::AskStreamRequest { question: question("hang"), delivery: 0 };
    let mut events = client.ask_stream(request).await.unwrap().into_inner();
    assert!(events.message().await.unwrap().is_some());
    bench.hanging().await;
    drop(events);
    bench.cancelled().await;
    bench.stop().await;
}

#[tokio::test]
async fn inner_services_hear_the_authenticated_caller_only() {
    let bench = Bench::start().await;
    let liar = Identity { principal: "root".into(), tenant: "other".into(), roles: vec![] };
    let context = Context::new(liar, std::time::Duration::from_secs(5));
    let mut request = context.request(router::AskRequest { question: question("q") });
    request.metadata_mut().insert("x-request-id", "job-7".parse().unwrap());
    let reply = RouterServiceClient::new(bench.door().await).ask(request).await.unwrap().into_inner();
    assert_eq!(reply.answer.unwrap().audit_id, AUDIT_ID);
    let call = bench.calls().pop().unwrap();
    assert_eq!((call.identity, call.request_id.as_deref()), (Identity::local(), Some("job-7")));
    bench.stop().await;
}

#[tokio::test]
async fn what_only_services_may_call_is_not_forwarded() {
    let bench = Bench::start().await;
    let mut client = AuditServiceClient::new(bench.door().await);
    let status = client.append(audit::AppendRequest::default()).await.unwrap_err();
    assert_eq!((status.code(), from_status(&status).field.as_str()), (Code::Unimplemented, "method"));
    let mut client = GenerationServiceClient::new(bench.door().await);
    let status = client.describe(generation::DescribeRequest::default()).await.unwrap_err();
    assert_eq!((status.code(), from_status(&status).field.as_str()), (Code::Unimplemented, "method"));
    assert!(bench.calls().is_empty());
    bench.stop().await;
}

fn issue(file: &mut KeysFile, principal: &str, roles: &[Role]) -> String {
    let number = u8::try_from(file.keys.len()).unwrap();
    let grant = Grant {
        principal: principal.into(),
        tenant: "north".into(),
        roles: roles.to_vec(),
        name: String::new(),
        days: None,
    };
    file.issue(grant, [number; 6], [number; 32], 1_790_000_000_000).unwrap()
}

fn with_key<T>(message: T, key: &str) -> Request<T> {
    let mut request = Request::new(message);
    request.metadata_mut().insert("authorization", format!("Bearer {key}").parse().unwrap());
    request
}

#[tokio::test]
async fn locked_door_asks_for_a_key_and_its_roles() {
    let folder = tempfile::tempdir().unwrap();
    let mut file = KeysFile::default();
    let ada = issue(&mut file, "ada", &[Role::Ask]);
    let eve = issue(&mut file, "eve", &[Role::Ingest]);
    let path = folder.path().join("keys.toml");
    std::fs::write(&path, file.render().unwrap()).unwrap();
    let bench = Bench::with(|options| options.auth.keys_file = path).await;
    let door = bench.door().await;

    let mut brunix = AssistanceEngineClient::new(door.clone());
    let code = |status: Status| from_status(&status).code;
    assert_eq!(code(brunix.ask_agent(asking("q")).await.unwrap_err()), assay_domain::Code::Unauthenticated);
    let wrong = brunix.ask_agent(with_key(asking("q"), "assay_x")).await.unwrap_err();
    assert_eq!(wrong.code(), Code::Unauthenticated);
    let roleless = brunix.ask_agent(with_key(asking("q"), &eve)).await.unwrap_err();
    assert_eq!((roleless.code(), from_status(&roleless).field.as_str()), (Code::PermissionDenied, "roles"));
    assert!(bench.calls().is_empty(), "nothing reached a service");

    brunix.ask_agent(with_key(asking("q"), &ada)).await.unwrap();
    let mut collections = RetrievalServiceClient::new(door.clone());
    collections.list_collections(with_key(retrieval::ListCollectionsRequest {}, &eve)).await.unwrap();
    let calls = bench.calls();
    let who: Vec<(&str, &str)> =
        calls.iter().map(|call| (call.identity.tenant.as_str(), call.identity.principal.as_str())).collect();
    assert_eq!(who, [("north", "ada"), ("north", "eve")]);

    // A stranger is told nothing of what is here, not even the schema; health is no secret.
    let hidden =
        ParserServiceClient::new(door.clone()).describe(parser::DescribeRequest {}).await.unwrap_err();
    assert_eq!(hidden.code(), Code::Unauthenticated);
    let asked = || {
        let message = MessageRequest::ListServices(String::new());
        futures::stream::iter([ServerReflectionRequest {
            message_request: Some(message),
            ..Default::default()
        }])
    };
    let mut schema = ServerReflectionClient::new(door.clone());
    let hidden = schema.server_reflection_info(asked()).await.unwrap_err();
    assert_eq!(hidden.code(), Code::Unauthenticated);
    let mut shown = schema.server_reflection_info(with_key(asked(), &eve)).await.unwrap().into_inner();
    assert!(shown.message().await.unwrap().is_some(), "who is known sees it");
    HealthClient::new(door).check(HealthCheckRequest { service: String::new() }).await.unwrap();
    bench.stop().await;
}

#[tokio::test]
async fn open_questions_of_a_principal_are_bounded_over_grpc() {
    let folder = tempfile::tempdir().unwrap();
    let mut file = KeysFile::default();
    let ada = issue(&mut file, "ada", &[Role::Ask]);
    let path = folder.path().join("keys.toml");
    std::fs::write(&path, file.render().unwrap()).unwrap();
    let bench = Bench::with(|options| {
        options.auth.keys_file = path;
        options.rates.concurrent_asks = 1;
    })
    .await;
    let mut client = RouterServiceClient::new(bench.door().await);
    let request = router::AskStreamRequest { question: question("hang"), delivery: 0 };
    let events = client.ask_stream(with_key(request.clone(), &ada)).await.unwrap().into_inner();
    let refused = client.ask_stream(with_key(request, &ada)).await.unwrap_err();
    assert_eq!(
        (refused.code(), from_status(&refused).field.as_str()),
        (Code::ResourceExhausted, "concurrent_asks")
    );
    bench.hanging().await;
    drop(events);
    bench.cancelled().await;
    // The place is free once the stream has ended.
    let again = router::AskStreamRequest { question: question("q"), delivery: 0 };
    for _ in 0..100 {
        if client.ask_stream(with_key(again.clone(), &ada)).await.is_ok() {
            bench.stop().await;
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    panic!("the place was not given back");
}
