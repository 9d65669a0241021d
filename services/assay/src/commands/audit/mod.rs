//! `assay audit`: read, prove and verify records.

mod args;
mod citations;
mod copies;
mod explain;
mod export;
mod filters;
mod review;
mod verify;

pub(super) use explain::explain as explanation;

pub use args::{Audit, AuditList, AuditVerify};

use std::fs::File;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use assay_api as api;
use assay_domain::{Code, Failure, Record};
use assay_proto::audit as wire;
use assay_wire::FromWire as _;
use serde::Serialize;
use serde_json::{Value, json};

use crate::clients::{BUDGET, Clients, LONG_BUDGET, failure};
use crate::flags::Global;
use crate::output;
use crate::settings::Settings;
use filters::Wanted;

/// Runs the command. Nothing but `assay-audit` is started for it, over a private copy of the log, unless a system is at
/// hand already.
///
/// # Errors
/// What audit says.
pub async fn run(global: &Global, command: &Audit, settings: &Settings) -> Result<u8, Failure> {
    match command {
        Audit::Export(args) if export::refused(args) => Ok(crate::exit::USAGE),
        // These write to the log, which one process owns.
        Audit::Review(_) | Audit::Feedback(_) => {
            over(global, command, Clients::connect(global, settings).await?).await
        }
        // The database is written anew, whatever time that takes.
        Audit::Erase(_) => {
            let mut settings = settings.clone();
            settings.limits.call_seconds = LONG_BUDGET.as_secs();
            over(global, command, Clients::connect(global, &settings).await?).await
        }
        _ => copies::within(reads(global, command, settings)).await,
    }
}

async fn reads(global: &Global, command: &Audit, settings: &Settings) -> Result<u8, Failure> {
    let clients = match command {
        Audit::Verify(args) => return verify::run(global, args, settings).await,
        Audit::Citations { .. } => Clients::records_and_indexes(global, settings).await?,
        _ => Clients::records(global, settings).await?,
    };
    over(global, command, clients).await
}

async fn over(global: &Global, command: &Audit, clients: Clients) -> Result<u8, Failure> {
    let result = match command {
        Audit::List(args) => list(global, args, &clients).await,
        Audit::Show { id } => show(global, id, &clients).await,
        Audit::Citations { id, collection } => citations::run(global, id, collection, &clients).await,
        Audit::Prove { id, output, payload } => {
            prove(global, id, output.as_deref(), *payload, &clients).await
        }
        Audit::Checkpoint { output } => checkpoint(global, output.as_deref(), &clients).await,
        Audit::Key => key(global, &clients).await,
        Audit::Explain { id } => explained(global, id, &clients).await,
        Audit::Review(command) => review::review(global, command, &clients).await,
        Audit::Feedback(args) => review::feedback(global, args, &clients).await,
        Audit::Erase(args) => review::erase(global, args, &clients).await,
        Audit::Export(args) => export::run(global, args, &clients).await,
        Audit::Verify(_) => Ok(0),
    };
    clients.close().await;
    result
}

/// Reads a file that the command line names.
fn read(flag: &str, path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path).map_err(|error| {
        Failure::new(Code::InvalidArgument, format!("{} cannot be read: {error}", path.display())).field(flag)
    })
}

/// Writes a file that its owner alone can read: a receipt may hold question and answer.
fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let file = File::options().create(true).write(true).truncate(true).mode(0o600).open(path);
    file.and_then(|mut file| file.write_all(text.as_bytes())).map_err(|error| {
        Failure::new(Code::InvalidArgument, format!("{} cannot be written: {error}", path.display()))
            .field("output")
    })
}

fn with_receipt(reply: wire::GetResponse) -> Result<Value, Failure> {
    let record = reply.record.ok_or_else(|| Failure::internal("audit sent no record"))?;
    let record = Record::from_wire(record)?;
    Ok(json!(api::Stored {
        record: api::Record::from(&record),
        receipt: reply.receipt.as_ref().map(api::Receipt::from),
        payload_erased: reply.payload_erased,
        notes: reply.notes.iter().map(api::Note::from).collect(),
    }))
}

/// A page of records, as an object of the output.
#[derive(Serialize)]
struct Listed {
    /// Newest first.
    records: Vec<Value>,
    /// Value of `--page` for the next page; empty on the last.
    next_page: String,
}

/// The proof of a record, as an object of the output; hashes are lower-case hex.
#[derive(Serialize)]
struct Proof<'a> {
    /// Place of the leaf, from 0.
    leaf_index: u64,
    leaf_hash: &'a str,
    /// Leaves in the tree of the proof.
    tree_size: u64,
    /// Sibling hashes from leaf to root.
    path: &'a [String],
    /// The signed note.
    checkpoint: &'a str,
    public_key: &'a str,
}

/// The newest checkpoint, as an object of the output.
#[derive(Serialize)]
struct Checkpoint<'a> {
    /// The signed note.
    checkpoint: &'a str,
    /// Leaves in the log.
    tree_size: u64,
    /// Root hash, lower-case hex.
    root_hash: &'a str,
    public_key: &'a str,
}

/// The key of the log, as an object of the output.
#[derive(Serialize)]
struct Key<'a> {
    public_key: &'a str,
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
        page_token: args.page.clone(),
        ..Wanted::of(&args.filters)?.request()
    };
    let reply =
        clients.audit()?.list(clients.context(BUDGET).request(request)).await.map_err(failure)?.into_inner();
    let records: Result<Vec<Value>, Failure> = reply.records.into_iter().map(with_receipt).collect();
    let records = records?;
    if global.json {
        println!("{:#}", json!(Listed { records, next_page: reply.next_page_token }));
    } else {
        output::records(&records);
        if !reply.next_page_token.is_empty() {
            crate::say!("more with --page {}", reply.next_page_token);
        }
    }
    Ok(0)
}

async fn get(id: &str, clients: &Clients) -> Result<wire::GetResponse, Failure> {
    let request = clients.context(BUDGET).request(wire::GetRequest { audit_id: id.to_owned() });
    Ok(clients.audit()?.get(request).await.map_err(failure)?.into_inner())
}

async fn show(global: &Global, id: &str, clients: &Clients) -> Result<u8, Failure> {
    let object = with_receipt(get(id, clients).await?)?;
    if global.json {
        println!("{object:#}");
    } else {
        output::record(&object);
    }
    Ok(0)
}

async fn explained(global: &Global, id: &str, clients: &Clients) -> Result<u8, Failure> {
    let reply = get(id, clients).await?;
    let record = reply.record.ok_or_else(|| Failure::internal("audit sent no record"))?;
    let text = explain::explain(&Record::from_wire(record)?, &reply.notes, reply.payload_erased);
    if global.json {
        println!("{:#}", json!({ "audit_id": id, "explanation": text }));
    } else {
        print!("{}", output::shown(&text));
    }
    Ok(0)
}

async fn prove(
    global: &Global,
    id: &str,
    file: Option<&Path>,
    payload: bool,
    clients: &Clients,
) -> Result<u8, Failure> {
    let request = wire::ProveRequest { audit_id: id.to_owned() };
    let reply =
        clients.audit()?.prove(clients.context(BUDGET).request(request)).await.map_err(failure)?.into_inner();
    let mut receipt = assay_audit::receipt_of(&reply)?;
    if !payload {
        receipt.entry.sealed = None;
    }
    if let Some(file) = file {
        write(file, &format!("{}\n", receipt.to_json()))?;
        if !global.json {
            println!(
                "leaf {} of {}; the receipt is in {}",
                receipt.entry.index,
                reply.tree_size,
                file.display()
            );
            return Ok(0);
        }
    }
    let leaf = receipt.entry.leaf.to_string();
    if global.json {
        let proof = Proof {
            leaf_index: receipt.entry.index,
            leaf_hash: &leaf,
            tree_size: reply.tree_size,
            path: &reply.path,
            checkpoint: &reply.checkpoint,
            public_key: &reply.public_key,
        };
        println!("{:#}", json!(proof));
    } else {
        println!("leaf {} of {}: {leaf}", receipt.entry.index, reply.tree_size);
        for hash in &reply.path {
            println!("  {hash}");
        }
        print!("{}", output::shown(&reply.checkpoint));
    }
    Ok(0)
}

async fn newest(clients: &Clients) -> Result<wire::CheckpointResponse, Failure> {
    let request = wire::CheckpointRequest::default();
    let reply =
        clients.audit()?.checkpoint(clients.context(BUDGET).request(request)).await.map_err(failure)?;
    Ok(reply.into_inner())
}

async fn checkpoint(global: &Global, file: Option<&Path>, clients: &Clients) -> Result<u8, Failure> {
    let reply = newest(clients).await?;
    if let Some(file) = file {
        write(file, &reply.checkpoint)?;
    }
    if global.json {
        let wire::CheckpointResponse { checkpoint, tree_size, root_hash, public_key, .. } = &reply;
        println!("{:#}", json!(Checkpoint { checkpoint, tree_size: *tree_size, root_hash, public_key }));
    } else if let Some(file) = file {
        println!("checkpoint of {} leaves in {}", reply.tree_size, file.display());
    } else {
        print!("{}", output::shown(&reply.checkpoint));
    }
    Ok(0)
}

async fn key(global: &Global, clients: &Clients) -> Result<u8, Failure> {
    let key = newest(clients).await?.public_key;
    if global.json {
        println!("{:#}", json!(Key { public_key: &key }));
    } else {
        println!("{}", output::shown(&key));
    }
    Ok(0)
}
