//! `assay audit`: read, prove and verify records.

mod args;

pub use args::{Audit, AuditList};

use assay_domain::{Code, Failure, Outcome, Record, Verdict};
use assay_gateway::api;
use assay_proto::audit as wire;
use assay_wire::{FromWire as _, ToWire as _};
use futures::StreamExt as _;
use serde_json::{Value, json};

use crate::cli::Global;
use crate::clients::{Clients, failure};
use crate::commands::{BUDGET, LONG_BUDGET, later};
use crate::output;

/// Runs the command.
///
/// # Errors
/// What audit says.
pub async fn run(global: &Global, command: &Audit, clients: &Clients) -> Result<u8, Failure> {
    match command {
        Audit::List(args) => list(global, args, clients).await,
        Audit::Show { id } => show(global, id, clients).await,
        Audit::Prove { id } => prove(global, id, clients).await,
        Audit::Verify => verify(global, clients).await,
        Audit::Export => export(clients).await,
        Audit::Review => Err(later::missing("audit review", "reviews are queued but cannot be decided yet")),
        Audit::Feedback => Err(later::missing("audit feedback", "feedback has no record type yet")),
    }
}

fn with_receipt(reply: wire::GetResponse) -> Result<Value, Failure> {
    let record = reply.record.ok_or_else(|| Failure::internal("audit sent no record"))?;
    let mut object = api::record_json(&Record::from_wire(record)?);
    if let Some(receipt) = &reply.receipt {
        object["receipt"] = api::receipt_json(receipt);
    }
    object["payload_erased"] = json!(reply.payload_erased);
    Ok(object)
}

fn named<T>(field: &str, text: Option<&str>, read: impl Fn(&str) -> Option<T>) -> Result<Option<T>, Failure> {
    text.map(|text| {
        read(&text.to_ascii_uppercase()).ok_or_else(|| {
            Failure::new(Code::InvalidArgument, format!("{text:?} is no {field}")).field(field)
        })
    })
    .transpose()
}

async fn list(global: &Global, args: &AuditList, clients: &Clients) -> Result<u8, Failure> {
    let request = wire::ListRequest {
        page_size: args.limit,
        page_token: String::new(),
        outcome: named("outcome", args.outcome.as_deref(), Outcome::from_name)?.to_wire(),
        verdict: named("verdict", args.verdict.as_deref(), Verdict::from_name)?.to_wire(),
        session_id: args.session.clone(),
        ..wire::ListRequest::default()
    };
    let reply =
        clients.audit()?.list(clients.context(BUDGET).request(request)).await.map_err(failure)?.into_inner();
    let records: Result<Vec<Value>, Failure> = reply.records.into_iter().map(with_receipt).collect();
    let records = records?;
    if global.json {
        println!("{:#}", json!({ "records": records }));
    } else {
        output::records(&records);
    }
    Ok(0)
}

async fn show(global: &Global, id: &str, clients: &Clients) -> Result<u8, Failure> {
    let request = wire::GetRequest { audit_id: id.to_owned() };
    let reply =
        clients.audit()?.get(clients.context(BUDGET).request(request)).await.map_err(failure)?.into_inner();
    let object = with_receipt(reply)?;
    if global.json {
        println!("{object:#}");
    } else {
        output::record(&object);
    }
    Ok(0)
}

async fn prove(global: &Global, id: &str, clients: &Clients) -> Result<u8, Failure> {
    let request = wire::ProveRequest { audit_id: id.to_owned() };
    let reply =
        clients.audit()?.prove(clients.context(BUDGET).request(request)).await.map_err(failure)?.into_inner();
    let receipt = reply.receipt.unwrap_or_default();
    if global.json {
        println!(
            "{:#}",
            json!({
                "leaf_index": receipt.leaf_index, "leaf_hash": receipt.leaf_hash, "tree_size": reply.tree_size,
                "path": reply.path, "checkpoint": reply.checkpoint,
            })
        );
    } else {
        println!("leaf {} of {}: {}", receipt.leaf_index, reply.tree_size, receipt.leaf_hash);
        for hash in &reply.path {
            println!("  {hash}");
        }
        print!("{}", reply.checkpoint);
    }
    Ok(0)
}

async fn verify(global: &Global, clients: &Clients) -> Result<u8, Failure> {
    let context = clients.context(LONG_BUDGET);
    let reply = clients
        .audit()?
        .verify(context.request(wire::VerifyRequest::default()))
        .await
        .map_err(failure)?
        .into_inner();
    if global.json {
        println!(
            "{:#}",
            json!({
                "ok": reply.ok, "leaves": reply.leaves, "payloads_checked": reply.payloads_checked,
                "payloads_erased": reply.payloads_erased, "root_hash": reply.root_hash,
                "checkpoint": reply.checkpoint, "public_key": reply.public_key, "findings": reply.findings,
            })
        );
    } else {
        for finding in &reply.findings {
            println!("WRONG: {finding}");
        }
        println!(
            "{}: {} leaves, {} payloads recomputed, {} erased",
            if reply.ok { "the log holds" } else { "the log does NOT hold" },
            reply.leaves,
            reply.payloads_checked,
            reply.payloads_erased
        );
        println!("root {}", reply.root_hash);
        println!("signed by {}", reply.public_key);
    }
    Ok(if reply.ok { 0 } else { crate::exit::INVALID })
}

async fn export(clients: &Clients) -> Result<u8, Failure> {
    let context = clients.context(LONG_BUDGET);
    let mut lines =
        clients.audit()?.export(context.request(wire::ExportRequest {})).await.map_err(failure)?.into_inner();
    while let Some(line) = lines.next().await {
        println!("{}", line.map_err(failure)?.line);
    }
    Ok(0)
}
