//! `assay ingest`: files or ready-made chunks into a collection, with progress.

mod args;

pub use args::Ingest;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use assay_api as api;
use assay_domain::{Code, Failure};
use assay_lint::Rule;
use assay_proto::retrieval as wire;
use assay_retrieval::corpus::Scope;
use assay_retrieval::ingest::walk;
use assay_retrieval::ingest::walk::{FoundFile, Walk};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;
use serde_json::json;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use wire::ingest_request::Part;

use crate::batch;
use crate::clients::{BUDGET, Clients, LONG_BUDGET, failure, fits};
use crate::commands::lint;
use crate::flags::Global;
use crate::output::shown;

/// Most files of a collection that is linted behind an ingest, because a lint holds its files in memory.
const MOST_LINTED: u64 = 10_000;

/// A ready-made chunk; the title may be left out.
#[derive(Debug, serde::Deserialize)]
struct Item {
    id: serde_json::Value,
    #[serde(default)]
    title: String,
    text: String,
}

/// What an ingest ended with.
#[derive(Debug)]
pub struct Ingested {
    /// The manifest of the new index.
    pub manifest: wire::Manifest,
    /// Files that were unchanged.
    pub unchanged: u64,
    /// Files that were left out, with the reason.
    pub skipped: Vec<(String, String)>,
}

/// The end of an ingest, as an object of the output.
#[derive(Serialize)]
struct Row<'a> {
    #[serde(flatten)]
    manifest: api::Manifest<'a>,
    /// Files that were unchanged.
    unchanged: u64,
    skipped: Vec<LeftOut<'a>>,
    /// Findings of `assay lint`, by rule; null for an archive, and in a collection of more than 10,000 files.
    lint_findings: Option<BTreeMap<&'static str, usize>>,
}

/// A file that was left out.
#[derive(Serialize)]
struct LeftOut<'a> {
    path: &'a str,
    /// Why, in words.
    reason: &'a str,
}

/// What is to be indexed.
#[derive(Debug, Clone)]
pub enum Input {
    /// Files, folders and archives; with a revision, folders of git repositories as they were then.
    Paths {
        /// Their paths.
        paths: Vec<PathBuf>,
        /// The revision.
        commit: Option<String>,
    },
    /// Lines of ready-made chunks.
    Lines(PathBuf),
    /// Files that are in memory already: path and content.
    Files(Vec<(String, Vec<u8>)>),
}

impl Input {
    /// The bundled guide to AVAP.
    #[must_use]
    pub fn guide() -> Self {
        let files = crate::guide::FILES.iter();
        Self::Files(files.map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect())
    }

    /// Nothing new: what a collection holds stays, and is embedded anew where another model did so.
    ///
    /// # Errors
    /// `NOT_FOUND` without such a collection.
    pub async fn kept(clients: &Clients, collection: &str) -> Result<Self, Failure> {
        let request = clients.context(BUDGET).request(wire::ListCollectionsRequest {});
        let there = clients.retrieval()?.list_collections(request).await.map_err(failure)?.into_inner();
        let name = if collection.is_empty() { Scope::DEFAULT_COLLECTION } else { collection };
        if there.collections.iter().any(|manifest| manifest.collection == name) {
            return Ok(Self::Files(Vec::new()));
        }
        let text =
            format!("there is no collection `{name}`; `assay ingest PATH --collection {name}` makes it");
        Err(Failure::new(Code::NotFound, text).field("collection"))
    }
}

/// Runs the command.
///
/// # Errors
/// What retrieval says, or a file that cannot be read.
pub async fn run(global: &Global, args: &Ingest, clients: &Clients) -> Result<u8, Failure> {
    let input = match &args.jsonl {
        Some(lines) => Input::Lines(lines.clone()),
        None if args.guide => Input::guide(),
        None if args.reembed => Input::kept(clients, &args.collection).await?,
        None => Input::Paths { paths: args.paths.clone(), commit: args.commit.clone() },
    };
    let done = ingest(clients, input, &args.collection, args.replace).await?;
    let manifest = &done.manifest;
    let findings = match args.paths.is_empty() || manifest.files > MOST_LINTED {
        true => None,
        false => findings(args).await,
    };
    if global.json {
        let skipped = done.skipped.iter().map(|(path, reason)| LeftOut { path, reason }).collect();
        let manifest = api::Manifest::from(manifest);
        println!(
            "{:#}",
            json!(Row { manifest, unchanged: done.unchanged, skipped, lint_findings: findings })
        );
    } else {
        for (path, reason) in &done.skipped {
            crate::say!("left out {path}: {reason}");
        }
        println!(
            "{} files, {} chunks in collection {} ({} files unchanged, {} left out)",
            manifest.files,
            manifest.chunks,
            manifest.collection,
            done.unchanged,
            done.skipped.len()
        );
        if manifest.lint_invalid_blocks > 0 {
            println!(
                "{} of {} AVAP blocks in these documents are invalid: {}",
                manifest.lint_invalid_blocks,
                manifest.lint_blocks,
                shown(&manifest.lint_invalid_at.join(", "))
            );
        }
        if let Some(findings) = findings.filter(|findings| !findings.is_empty()) {
            let counts: Vec<String> =
                findings.iter().map(|(rule, count)| format!("{count} {rule}")).collect();
            println!("lint: {}; `assay lint` with the same paths names the places", counts.join(", "));
        }
        if manifest.files == 0 {
            crate::say!("warning: collection {} is empty", manifest.collection);
        }
        println!("embeddings: {}", manifest.embedding_model);
        println!("manifest {}", manifest.id);
    }
    Ok(0)
}

/// Number of findings of `assay lint`, by rule. An archive is not linted, and a folder that has just gone is no failure of
/// the ingest.
async fn findings(args: &Ingest) -> Option<BTreeMap<&'static str, usize>> {
    let (_, found, _) = lint::lint(&args.paths, args.commit.as_deref(), &Rule::ALL).await.ok()?;
    Some(lint::counted(&found, &Rule::ALL).filter(|(_, count)| *count > 0).collect())
}

/// Streams the input into a collection and waits for the manifest.
///
/// # Errors
/// What retrieval says, or a file that cannot be read.
pub async fn ingest(
    clients: &Clients,
    input: Input,
    collection: &str,
    replace: bool,
) -> Result<Ingested, Failure> {
    let (sender, receiver) = mpsc::channel(16);
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    bar.set_style(style("{spinner} {msg} in {elapsed}"));
    bar.set_message("reading files");
    let header = wire::IngestHeader {
        collection: collection.to_owned(),
        replace,
        expected_files: 0,
        replace_below: Vec::new(),
    };
    // The stream stays open until everything has been read: one that ends early would look like a whole one, and what
    // could not be read any more would be forgotten.
    let open = sender.clone();
    let mut called = Box::pin(call(clients, receiver, bar.clone()));
    let mut feeding = assay_rpc::task::spawn(async move {
        assay_rpc::task::blocking(move || feed(input, header, &sender, &bar)).await.map_err(Failure::from)?
    });
    let read = tokio::select! {
        biased;
        read = &mut feeding => read,
        done = &mut called => return done,
    };
    let read = read.map_err(|error| Failure::internal(error.to_string()))??;
    drop(open);
    let mut done = called.await?;
    done.skipped.extend(read);
    Ok(done)
}

/// Sends what comes, shows how far it is, and waits for the manifest.
async fn call(
    clients: &Clients,
    receiver: mpsc::Receiver<wire::IngestRequest>,
    bar: ProgressBar,
) -> Result<Ingested, Failure> {
    let mut replies = clients
        .retrieval()?
        .ingest(clients.context(LONG_BUDGET).request(ReceiverStream::new(receiver)))
        .await
        .map_err(failure)?
        .into_inner();
    let mut skipped = Skipped::new();
    let mut last = None;
    while let Some(reply) = replies.message().await.map_err(failure)? {
        bar.set_position(reply.files_done);
        bar.set_message(message(&reply, bar.elapsed()));
        skipped.extend(reply.skipped.iter().map(|s| (s.path.clone(), s.reason.clone())));
        last = Some(reply);
    }
    bar.finish_and_clear();
    let last = last.ok_or_else(|| Failure::internal("retrieval sent nothing"))?;
    let manifest = last.manifest.ok_or_else(|| Failure::internal("retrieval sent no manifest"))?;
    Ok(Ingested { manifest, unchanged: last.files_unchanged, skipped })
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_spinner())
}

/// How far an ingest is, and how fast.
fn message(reply: &wire::IngestResponse, elapsed: Duration) -> String {
    let rate = reply.chunks_done as f64 / elapsed.as_secs_f64().max(0.001);
    format!(
        "{} files, {} chunks ({rate:.0}/s), {}/{} embedded",
        reply.files_done, reply.chunks_done, reply.chunks_embedded, reply.chunks_to_embed
    )
}

type Sender = mpsc::Sender<wire::IngestRequest>;
type Skipped = Vec<(String, String)>;

/// Sends the header and then every file or item; gives what could not be read.
fn feed(
    input: Input,
    mut header: wire::IngestHeader,
    sender: &Sender,
    bar: &ProgressBar,
) -> Result<Skipped, Failure> {
    let mut walks = Vec::new();
    if let Input::Paths { paths, commit } = &input {
        walks = paths.iter().map(|path| walk(path, commit.as_deref())).collect::<Result<_, _>>()?;
        // What is gone from a folder or archive that is ingested again is gone from the collection too.
        header.replace_below = walks.iter().filter_map(Walk::folder).map(str::to_owned).collect();
    }
    let expected = match &input {
        Input::Paths { .. } => walks.iter().map(Walk::count).sum(),
        Input::Files(files) => Some(files.len()),
        Input::Lines(_) => None,
    };
    if let Some(expected) = expected {
        header.expected_files = expected as u64;
        bar.set_length(expected as u64);
        bar.set_style(style("{spinner} {msg} in {elapsed}, {eta} left"));
    }
    let send = |part| sender.blocking_send(wire::IngestRequest { part: Some(part) }).is_ok();
    if !send(Part::Header(header)) {
        return Ok(Vec::new());
    }
    match input {
        Input::Files(files) => {
            for (path, content) in files {
                if !send(Part::File(wire::IngestFile { path, content, commit: String::new() })) {
                    break;
                }
            }
            Ok(Vec::new())
        }
        Input::Lines(path) => feed_lines(&path, send).map(|()| Vec::new()),
        Input::Paths { .. } => feed_walks(&walks, send),
    }
}

fn feed_lines(path: &Path, send: impl Fn(Part) -> bool) -> Result<(), Failure> {
    for (number, line) in batch::numbered(batch::open(path)?) {
        let wrong = |error: String| {
            let text = format!("{} line {number}: {error}", path.display());
            Failure::new(Code::InvalidArgument, text).field("jsonl")
        };
        let line = line.map_err(wrong)?;
        let item: Item = serde_json::from_str(&line).map_err(|error| wrong(batch::wrong(&error)))?;
        fits("the text has", item.text.len()).map_err(|failure| wrong(failure.message))?;
        let id = item.id.as_str().map_or_else(|| item.id.to_string(), str::to_owned);
        if !send(Part::Item(wire::IngestItem { id, title: item.title, text: item.text })) {
            break;
        }
    }
    Ok(())
}

/// Sends what the walks find; gives what could not be read, and the roots in which there was nothing.
fn feed_walks(walks: &[Walk], send: impl Fn(Part) -> bool) -> Result<Skipped, Failure> {
    let mut skipped = Skipped::new();
    for walk in walks {
        let (mut any, mut goes_on) = (false, true);
        walk.each(&mut |found| {
            any = true;
            match found {
                Ok(file) => {
                    let FoundFile { path, content, commit } = file;
                    goes_on = send(Part::File(wire::IngestFile { path, content, commit }));
                }
                Err(left_out) => skipped.push((left_out.path, left_out.reason)),
            }
            goes_on
        })?;
        if !goes_on {
            break;
        }
        if !any {
            let root = walk.root().display().to_string();
            skipped.push((root, "there is no file in it that is indexed".to_owned()));
        }
    }
    Ok(skipped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_tells_counts_and_the_rate() {
        let reply = wire::IngestResponse {
            files_done: 3,
            chunks_done: 90,
            chunks_to_embed: 60,
            chunks_embedded: 40,
            ..wire::IngestResponse::default()
        };
        let told = message(&reply, Duration::from_secs(4));
        assert_eq!(told, "3 files, 90 chunks (22/s), 40/60 embedded");
        assert!(message(&reply, Duration::ZERO).contains("chunks ("));
    }
}
