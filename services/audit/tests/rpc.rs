//! The service alone, over an in-memory channel.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use assay_audit::ports::{Appended, Erased, Receipt, TreeHead, Writer};
use assay_audit::{Audit, AuditError, Options, Store, VerifierKey, compose, verify_lines};
use assay_domain::report::Verdict;
use assay_domain::{Code, Failure, Identity, Outcome, Record, Role};
use assay_ledger::export::Line;
use assay_ledger::proof::verify_inclusion;
use assay_ledger::{Hash, Salt};
use assay_proto::audit::audit_service_client::AuditServiceClient;
use assay_proto::audit::{
    AppendRequest, CheckpointRequest, ExportRequest, GetRequest, ListRequest, ProveRequest, VerifyRequest,
};
use assay_rpc::server::{Limits, Running};
use assay_rpc::{Channel, Context, Peers};
use assay_wire::{FromWire as _, ToWire as _, from_status};
use common::{NOW, identity, options, passed, record, salt, sqlite};
use tokio::sync::{Notify, mpsc};

type Client = AuditServiceClient<Channel>;

async fn serve(folder: &Path) -> (Client, Running) {
    let service = compose(options(folder), &Peers::none()).await.unwrap();
    let (channel, running) = service.in_memory(Limits::default());
    (AuditServiceClient::new(channel), running)
}

fn ask<T>(identity: Identity, message: T) -> tonic::Request<T> {
    Context::new(identity, Duration::from_secs(30)).request(message)
}

fn ada() -> Identity {
    identity("north", "ada", &[Role::Ask])
}

fn admin() -> Identity {
    identity("north", "root", &[Role::Admin])
}

async fn append(client: &mut Client, record: &Record) -> Result<assay_proto::audit::AppendResponse, Failure> {
    let message = AppendRequest { record: Some(record.to_wire()) };
    client.append(ask(ada(), message)).await.map(tonic::Response::into_inner).map_err(|s| from_status(&s))
}

/// Records of now, so that the hourly retention leaves them alone whenever the test runs.
fn recent(number: u16) -> Record {
    let mut record = record(number);
    record.audit_id = common::id_at(assay_rpc::clock::unix_ms(), number);
    record
}

fn code<T: std::fmt::Debug>(result: Result<T, tonic::Status>) -> Code {
    from_status(&result.unwrap_err()).code
}

#[tokio::test]
async fn a_record_is_appended_once_shown_listed_proved_and_verified() {
    let folder = tempfile::tempdir().unwrap();
    let (mut client, running) = serve(folder.path()).await;
    let records: Vec<Record> = (0..5).map(recent).collect();
    for record in &records {
        assert!(!append(&mut client, record).await.unwrap().repeated_delivery);
    }
    let again = append(&mut client, &records[2]).await.unwrap();
    assert_eq!((again.tree_size, again.root.len(), again.log_id.is_empty()), (5, 32, false));
    assert!(again.repeated_delivery);
    assert_eq!(again.receipt.unwrap().leaf_index, 2);

    let id = records[2].audit_id.to_string();
    let got = client.get(ask(ada(), GetRequest { audit_id: id.clone() })).await.unwrap().into_inner();
    assert_eq!(Record::from_wire(got.record.unwrap()).unwrap(), records[2]);
    assert!(!got.payload_erased && !got.digests_salted && got.salt.len() == 64);

    let first = ListRequest { page_size: 3, ..ListRequest::default() };
    let first = client.list(ask(ada(), first)).await.unwrap().into_inner();
    let next = ListRequest { page_size: 3, page_token: first.next_page_token, ..ListRequest::default() };
    let second = client.list(ask(ada(), next)).await.unwrap().into_inner();
    assert_eq!(second.next_page_token, "");
    let listed: Vec<String> =
        first.records.into_iter().chain(second.records).map(|r| r.record.unwrap().audit_id).collect();
    let expected: Vec<String> = records.iter().rev().map(|record| record.audit_id.to_string()).collect();
    assert_eq!(listed, expected);

    let proof = client.prove(ask(ada(), ProveRequest { audit_id: id })).await.unwrap().into_inner();
    let key = VerifierKey::parse(&proof.public_key).unwrap();
    let checkpoint = key.open(&proof.checkpoint).unwrap();
    let Line::Entry(entry) = Line::from_json(&proof.entry).unwrap() else { panic!("no entry") };
    let path: Vec<Hash> = proof.path.iter().map(|hash| Hash::from_hex(hash).unwrap()).collect();
    assert!(verify_inclusion(entry.leaf, 2, checkpoint.size, &path, checkpoint.root));

    let verified = client.verify(ask(admin(), VerifyRequest::default())).await.unwrap().into_inner();
    assert!(verified.ok, "{:?}", verified.findings);
    assert_eq!((verified.leaves, verified.payloads_checked), (5, 5));
    assert_eq!(verified.root_hash, checkpoint.root.to_string());

    let state = CheckpointRequest { old_size: 3 };
    let state = client.checkpoint(ask(ada(), state)).await.unwrap().into_inner();
    assert_eq!((state.tree_size, state.path.is_empty()), (5, false));
    running.drain().await;
}

#[tokio::test]
async fn a_page_belongs_to_its_filter_and_a_principal_to_its_scope() {
    let folder = tempfile::tempdir().unwrap();
    let (mut client, running) = serve(folder.path()).await;
    for number in 0..6 {
        append(&mut client, &recent(number)).await.unwrap();
    }
    let filter = ListRequest {
        page_size: 2,
        text: "QUESTION".into(),
        verdicts: vec![Some(Verdict::Reject).to_wire(), Some(Verdict::Review).to_wire()],
        principal: "ada".into(),
        ..ListRequest::default()
    };
    let mut seen = Vec::new();
    let mut page_token = String::new();
    loop {
        let next = ListRequest { page_token: page_token.clone(), ..filter.clone() };
        let page = client.list(ask(admin(), next)).await.unwrap().into_inner();
        seen.extend(page.records.into_iter().map(|record| record.receipt.unwrap().leaf_index));
        if page.next_page_token.is_empty() {
            break;
        }
        page_token = page.next_page_token;
    }
    assert_eq!(seen, [5, 4, 3, 2, 1, 0]);
    let other = ListRequest { text: "answer".into(), page_token, ..filter.clone() };
    let refused = from_status(&client.list(ask(admin(), other)).await.unwrap_err());
    assert_eq!((refused.code, refused.field.as_str()), (Code::InvalidArgument, "page_token"));
    assert!(refused.message.contains("other filters"), "{}", refused.message);

    assert_eq!(client.list(ask(ada(), filter.clone())).await.unwrap().into_inner().records.len(), 2);
    let of_eve = ListRequest { principal: "eve".into(), ..filter };
    assert_eq!(client.list(ask(admin(), of_eve.clone())).await.unwrap().into_inner().records.len(), 0);
    let refused = from_status(&client.list(ask(ada(), of_eve)).await.unwrap_err());
    assert_eq!((refused.code, refused.field.as_str()), (Code::PermissionDenied, "principal"));
    running.drain().await;
}

#[tokio::test]
async fn export_verifies_offline_and_hides_other_tenants() {
    let folder = tempfile::tempdir().unwrap();
    let (mut client, running) = serve(folder.path()).await;
    for number in 0..4 {
        let mut record = recent(number);
        if number == 1 {
            record.identity.tenant = "south".into();
            record.query = "a word of the south".into();
        }
        append(&mut client, &record).await.unwrap();
    }
    let mut stream = client.export(ask(admin(), ExportRequest {})).await.unwrap().into_inner();
    let mut lines = Vec::new();
    while let Some(message) = stream.message().await.unwrap() {
        lines.push(message.line);
    }
    assert!(!lines.iter().any(|line| line.contains("south")));
    let state = client.checkpoint(ask(ada(), CheckpointRequest::default())).await.unwrap().into_inner();
    let key = VerifierKey::parse(&state.public_key).unwrap();
    let result = verify_lines(&lines, Some(&key));
    assert_eq!(result.findings, []);
    assert_eq!((result.entries, result.payloads_verified, result.opaque), (4, 3, 1));
    lines[3] = lines[3].replace("question 2", "question 3");
    assert!(!verify_lines(&lines, Some(&key)).holds());
    running.drain().await;
}

#[tokio::test]
async fn nobody_sees_more_than_is_his() {
    let folder = tempfile::tempdir().unwrap();
    let (mut client, running) = serve(folder.path()).await;
    let record = recent(1);
    append(&mut client, &record).await.unwrap();
    let id = record.audit_id.to_string();
    let get = GetRequest { audit_id: id.clone() };
    for (who, sees) in [
        (ada(), true),
        (identity("north", "bob", &[Role::Ask]), false),
        (identity("north", "bob", &[Role::Review]), true),
        (identity("south", "ada", &[Role::Admin, Role::Review]), false),
    ] {
        let got = client.get(ask(who.clone(), get.clone())).await;
        assert_eq!(got.is_ok(), sees, "{who:?}");
        let listed = client.list(ask(who.clone(), ListRequest::default())).await.unwrap().into_inner();
        assert_eq!(listed.records.len(), usize::from(sees), "{who:?}");
        let proved = client.prove(ask(who.clone(), ProveRequest { audit_id: id.clone() })).await;
        assert_eq!(proved.is_ok(), sees, "{who:?}");
        if !sees {
            assert_eq!(code(got), Code::NotFound);
        }
    }
    assert_eq!(code(client.verify(ask(ada(), VerifyRequest::default())).await), Code::PermissionDenied);
    assert_eq!(code(client.export(ask(ada(), ExportRequest {})).await), Code::PermissionDenied);
    assert_eq!(code(client.get(tonic::Request::new(get)).await), Code::Unauthenticated);
    running.drain().await;
}

#[tokio::test]
async fn what_cannot_be_read_is_refused_with_its_field() {
    let folder = tempfile::tempdir().unwrap();
    let (mut client, running) = serve(folder.path()).await;
    let empty = client.append(ask(ada(), AppendRequest { record: None })).await;
    let failure = from_status(&empty.unwrap_err());
    assert_eq!((failure.code, failure.field.as_str()), (Code::InvalidArgument, "record"));
    let mut bad = recent(1).to_wire();
    bad.outcome = 0;
    let failure =
        from_status(&client.append(ask(ada(), AppendRequest { record: Some(bad) })).await.unwrap_err());
    assert_eq!((failure.code, failure.field.as_str()), (Code::InvalidArgument, "record.outcome"));
    let get = GetRequest { audit_id: "6f9619ff-8b86-4011-b42d-00c04fc964ff".into() };
    assert_eq!(code(client.get(ask(ada(), get)).await), Code::InvalidArgument);
    let list = ListRequest { page_token: "x".into(), ..ListRequest::default() };
    assert_eq!(code(client.list(ask(ada(), list)).await), Code::InvalidArgument);
    for (list, field) in [
        (ListRequest { outcome: 99, ..ListRequest::default() }, "outcome"),
        (ListRequest { query_type: 99, ..ListRequest::default() }, "query_type"),
        (ListRequest { text: "¿…?".into(), ..ListRequest::default() }, "text"),
        (ListRequest { text: (0..33).map(|n| format!("w{n} ")).collect(), ..ListRequest::default() }, "text"),
        (ListRequest { page_token: "7".into(), ..ListRequest::default() }, "page_token"),
        (ListRequest { page_token: "7-0123456789ab".into(), ..ListRequest::default() }, "page_token"),
    ] {
        let refused = from_status(&client.list(ask(ada(), list)).await.unwrap_err());
        assert_eq!((refused.code, refused.field.as_str()), (Code::InvalidArgument, field));
    }
    let state = CheckpointRequest { old_size: 1 };
    assert_eq!(code(client.checkpoint(ask(ada(), state)).await), Code::InvalidArgument);

    let record = recent(1);
    append(&mut client, &record).await.unwrap();
    let other = Record { query: "something else".into(), ..record };
    let failure = append(&mut client, &other).await.unwrap_err();
    assert_eq!((failure.code, failure.field.as_str()), (Code::RequestConflict, "audit_id"));
    running.drain().await;
}

#[tokio::test]
async fn record_is_redacted_and_a_passed_answer_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let (mut client, running) = serve(folder.path()).await;
    let mut record = passed(1);
    record.audit_id = recent(1).audit_id;
    record.query = "mail ada@example.com, bitte; 参数怎么读?".into();
    append(&mut client, &record).await.unwrap();
    let filter = ListRequest {
        outcome: Outcome::Answered.to_wire(),
        verdict: Verdict::Pass.to_wire(),
        ..ListRequest::default()
    };
    let got = client.list(ask(ada(), filter)).await.unwrap().into_inner().records.remove(0);
    let kept = got.record.unwrap();
    assert_eq!(kept.query, "mail [redacted:email], bitte; 参数怎么读?");
    assert_eq!(kept.answer, "");
    assert!(got.digests_salted);
    running.drain().await;
}

#[tokio::test]
async fn expired_payloads_are_erased_and_the_log_still_holds() {
    let folder = tempfile::tempdir().unwrap();
    let trusting = Options { clock_gap_days: 0, ..options(folder.path()) };
    let store = common::store(common::open_with(&trusting).await.unwrap());
    let audit = common::audit(store.clone());
    for number in 0..3 {
        audit.append(record(number), salt(number), NOW).await.unwrap();
    }
    assert_eq!(audit.erase_expired(NOW + 90 * common::DAY).await.unwrap().payloads, 0, "90 days are kept");
    assert_eq!(audit.erase_expired(NOW + 91 * common::DAY).await.unwrap().payloads, 3);
    let result = common::verified(store).await;
    assert_eq!((result.findings, result.payloads_erased), (vec![], 3));
    let kept = audit.get(&admin(), record(1).audit_id, common::fresh(90)).await.unwrap();
    assert_eq!((kept.record.query.as_str(), kept.salt), ("", None));
}

#[tokio::test]
async fn second_service_on_the_folder_is_refused_until_drained() {
    let folder = tempfile::tempdir().unwrap();
    let (mut client, running) = serve(folder.path()).await;
    append(&mut client, &recent(1)).await.unwrap();
    let refused = compose(options(folder.path()), &Peers::none()).await.unwrap_err();
    assert_eq!(refused.code, Code::DataFolderInUse);
    running.drain().await;
    let (mut client, running) = serve(folder.path()).await;
    let verified = client.verify(ask(admin(), VerifyRequest::default())).await.unwrap().into_inner();
    assert!(verified.ok && verified.leaves == 1);
    running.drain().await;
}

/// A writer that stores only when it is let.
struct Slow {
    gate: Arc<Notify>,
    stored: mpsc::UnboundedSender<String>,
}

#[async_trait::async_trait]
impl Writer for Slow {
    async fn append(&self, record: Record, _: Salt, now: u64) -> Result<Appended, AuditError> {
        self.gate.notified().await;
        self.stored.send(record.audit_id.to_string()).unwrap();
        let receipt = Receipt { leaf_index: 0, leaf: Hash([0; 32]), stored_unix_ms: now };
        let head = TreeHead { log_id: "slow/0".into(), size: 1, root: Hash([0; 32]) };
        Ok(Appended { receipt, repeated: false, head })
    }

    async fn erase_before(&self, _: u64, _: u64) -> Result<Erased, AuditError> {
        Ok(Erased::default())
    }

    async fn close(&self) {}
}

async fn slow(folder: &Path, append_ms: u64) -> (Audit, Arc<Notify>, mpsc::UnboundedReceiver<String>) {
    let real = sqlite(folder).await;
    let gate = Arc::new(Notify::new());
    let (stored, receiver) = mpsc::unbounded_channel();
    let writer = Arc::new(Slow { gate: gate.clone(), stored });
    let options = Options { append_ms, ..Options::default() };
    (Audit::new(Store { writer, ..real }, &options), gate, receiver)
}

#[tokio::test]
async fn a_caller_that_goes_away_does_not_stop_its_record() {
    let folder = tempfile::tempdir().unwrap();
    let (audit, gate, mut stored) = slow(folder.path(), 60_000).await;
    {
        let call = audit.append(record(1), salt(1), NOW);
        futures::pin_mut!(call);
        assert!(futures::poll!(call.as_mut()).is_pending());
    }
    gate.notify_one();
    assert_eq!(stored.recv().await, Some(record(1).audit_id.to_string()));
}

#[tokio::test]
async fn a_store_that_takes_too_long_is_unavailable() {
    let folder = tempfile::tempdir().unwrap();
    let (audit, _gate, _stored) = slow(folder.path(), 1).await;
    let failure = audit.append(record(1), salt(1), NOW).await.unwrap_err();
    assert_eq!(failure.code, Code::Unavailable);
    assert!(failure.message.contains("again"));
}
