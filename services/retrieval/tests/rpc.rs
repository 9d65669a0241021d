//! The service alone over an in-memory channel.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use assay_domain::{Code, Identity, Role};
use assay_proto::retrieval as wire;
use assay_proto::retrieval::ingest_request::Part;
use assay_proto::retrieval::retrieval_service_client::RetrievalServiceClient;
use assay_rpc::{Channel, Context, Limits, Peers, Running};
use assay_wire::from_status;
use std::path::Path;
use std::time::Duration;

async fn start(dir: &Path) -> (RetrievalServiceClient<Channel>, Running) {
    let service = assay_retrieval::compose(common::options(dir), &Peers::none()).await.unwrap();
    let (channel, running) = service.in_memory(Limits::default());
    (RetrievalServiceClient::new(channel), running)
}

fn context(roles: &[Role]) -> Context {
    let identity = Identity { principal: "p".into(), tenant: "acme".into(), roles: roles.to_vec() };
    Context::new(identity, Duration::from_secs(60))
}

fn message(part: Part) -> wire::IngestRequest {
    wire::IngestRequest { part: Some(part) }
}

fn header() -> wire::IngestRequest {
    message(Part::Header(wire::IngestHeader { collection: "docs".into(), ..Default::default() }))
}

fn file(path: &str, content: &[u8]) -> wire::IngestRequest {
    message(Part::File(wire::IngestFile {
        path: path.into(),
        content: content.to_vec(),
        commit: "c0ffee".into(),
    }))
}

async fn ingest(
    client: &mut RetrievalServiceClient<Channel>,
    messages: Vec<wire::IngestRequest>,
) -> Result<Vec<wire::IngestResponse>, tonic::Status> {
    let request = context(&[Role::Ingest]).request(futures::stream::iter(messages));
    let mut stream = client.ingest(request).await?.into_inner();
    let mut out = Vec::new();
    while let Some(progress) = stream.message().await? {
        out.push(progress);
    }
    Ok(out)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_whole_road_over_the_wire() {
    let dir = tempfile::tempdir().unwrap();
    let (mut client, running) = start(dir.path()).await;
    let files = vec![
        header(),
        file("a.md", b"# Loops\n\nA loop runs from a start to an end.\n"),
        file("b.md", &[0xff]),
        message(Part::Item(wire::IngestItem { id: "7".into(), title: "T".into(), text: "words".into() })),
    ];
    let told = ingest(&mut client, files).await.unwrap();
    let last = told.last().unwrap();
    let manifest = last.manifest.clone().unwrap();
    assert_eq!((last.files_done, manifest.files, manifest.chunks), (3, 2, 2));
    assert!(
        told[..told.len() - 1].iter().all(|progress| progress.manifest.is_none()),
        "the manifest comes last"
    );
    let skipped: Vec<&str> =
        told.iter().flat_map(|progress| &progress.skipped).map(|file| file.path.as_str()).collect();
    assert_eq!(skipped, ["b.md"]);

    let request =
        wire::SearchRequest { query: "loop start".into(), collection: "docs".into(), ..Default::default() };
    let found = client.search(context(&[]).request(request.clone())).await.unwrap().into_inner();
    let source = found.hits[0].source.clone().unwrap();
    assert_eq!((source.path.as_str(), source.commit.as_str()), ("a.md", "c0ffee"));
    assert_eq!(found.index_manifest, manifest.id);
    assert_eq!(found.mode(), wire::SearchMode::Hybrid);

    let stranger = Context::new(
        Identity { principal: "p".into(), tenant: "other".into(), roles: vec![] },
        Duration::from_secs(60),
    );
    let status = client.search(stranger.request(request)).await.unwrap_err();
    assert_eq!(from_status(&status).code, Code::NotFound);

    let cited = wire::CitedBytes { path: "a.md".into(), lines: source.lines, sha256: source.sha256 };
    let request = wire::LookupRequest {
        collection: "docs".into(),
        paths: vec!["a.md".into(), "z.md".into()],
        names: vec!["loop".into()],
        cited: vec![cited],
    };
    let facts = client.lookup(context(&[]).request(request)).await.unwrap().into_inner();
    assert_eq!(facts.paths.iter().map(|fact| fact.exists).collect::<Vec<_>>(), [true, false]);
    assert!(facts.names[0].exists);
    assert_eq!(facts.cited().collect::<Vec<_>>(), [assay_proto::common::Resolution::Exact]);

    let texts = vec!["one".to_owned(), "two".to_owned()];
    let made = client.embed(context(&[]).request(wire::EmbedRequest { texts })).await.unwrap().into_inner();
    assert_eq!(made.vectors.len(), 2);
    assert_eq!(made.embedding_model, manifest.embedding_model);

    let request = wire::FewShotRequest { task: "return a fixed text".into(), ..Default::default() };
    let shots = client.few_shot(context(&[]).request(request)).await.unwrap().into_inner();
    assert_eq!(shots.examples.len(), 5);

    let listed =
        client.list_collections(context(&[]).request(wire::ListCollectionsRequest {})).await.unwrap();
    assert_eq!(listed.into_inner().collections, [manifest]);
    running.drain().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn refusals_carry_code_and_field() {
    let dir = tempfile::tempdir().unwrap();
    let (mut client, running) = start(dir.path()).await;

    let status = client.search(tonic::Request::new(wire::SearchRequest::default())).await.unwrap_err();
    assert_eq!(from_status(&status).code, Code::Unauthenticated);

    let request = context(&[Role::Ask]).request(futures::stream::iter(vec![header()]));
    let status = client.ingest(request).await.map(|_| ()).unwrap_err();
    assert_eq!(from_status(&status).code, Code::PermissionDenied);

    let failure = from_status(&ingest(&mut client, vec![file("a.md", b"x")]).await.unwrap_err());
    assert_eq!((failure.code, failure.field.as_str()), (Code::InvalidArgument, "header"));
    let failure = from_status(&ingest(&mut client, vec![header(), header()]).await.unwrap_err());
    assert_eq!((failure.code, failure.field.as_str()), (Code::InvalidArgument, "header"));

    let request = wire::SearchRequest { query: String::new(), ..Default::default() };
    let failure = from_status(&client.search(context(&[]).request(request)).await.unwrap_err());
    assert_eq!((failure.code, failure.field.as_str()), (Code::InvalidArgument, "query"));
    let request = wire::SearchRequest { query: "x".into(), mode: 99, ..Default::default() };
    let failure = from_status(&client.search(context(&[]).request(request)).await.unwrap_err());
    assert_eq!(failure.code, Code::InvalidArgument);
    running.drain().await;
}
