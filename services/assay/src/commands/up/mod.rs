//! `assay up`: every service in one process, until SIGTERM.

mod args;

pub use args::Up;

use std::sync::Arc;

use assay_domain::{Code, Failure, Question};
use assay_rpc::server::shutdown_signal;

use crate::clients::Clients;
use crate::commands::{ask, ingest};
use crate::flags::Global;
use crate::folder::{self, Address, Folder};
use crate::guide;
use crate::output;
use crate::settings::Settings;
use crate::system::System;

/// The first question, asked by `--demo`.
const DEMO_QUESTION: &str = "How do I read a request parameter in AVAP and return it?";

/// Runs the command.
///
/// # Errors
/// `DATA_FOLDER_IN_USE`, `CONFIGURATION`, or what a service says that cannot start.
pub async fn run(global: &Global, args: &Up, mut settings: Settings) -> Result<u8, Failure> {
    settings.gateway.http = args.http.unwrap_or(settings.gateway.http);
    settings.grpc = args.grpc.unwrap_or(settings.grpc);
    let made = !global.data.exists();
    let folder = Folder::own(&global.data).map_err(|failure| running_here(global, failure))?;
    if made {
        crate::say!("made the data folder {}", global.data.display());
    }
    let system = System::start(&settings).await?;
    let result = serve(args, &settings, &folder, &system).await;
    system.drain().await;
    drop(folder);
    result.map(|()| 0)
}

/// Adds the address of the system that runs on the folder, if it runs.
fn running_here(global: &Global, failure: Failure) -> Failure {
    match folder::running(&global.data) {
        Some(address) if failure.code == Code::DataFolderInUse => {
            let text = format!("{}; it answers at {}", failure.message, address.http);
            Failure { message: text, ..failure }
        }
        _ => failure,
    }
}

async fn serve(args: &Up, settings: &Settings, folder: &Folder, system: &System) -> Result<(), Failure> {
    let stop = shutdown_signal();
    let gateway = system.gateway(settings, Arc::new(assay_telemetry::exposition))?.listen().await?;
    let address = Address {
        grpc: gateway.grpc_address().map(|a| format!("http://{a}")).unwrap_or_default(),
        http: format!("http://{}", gateway.address()),
    };
    if args.demo {
        demo(&Clients::over(system.peers().clone())).await?;
    }
    folder.announce(&address)?;
    println!("{}", address.http);
    crate::say!("gRPC at {}; press Ctrl-C to stop", address.grpc);
    stop.await;
    crate::say!("draining");
    gateway.drain().await;
    Ok(())
}

/// Indexes the bundled guide and asks a first question.
async fn demo(clients: &Clients) -> Result<(), Failure> {
    crate::say!(
        "indexing the guide to AVAP ({} files); the first time takes a minute or two",
        guide::FILES.len()
    );
    let done = ingest::ingest(clients, ingest::Input::guide(), "", false).await?;
    crate::say!(
        "the guide to AVAP: {} files, {} chunks ({} files unchanged), embeddings: {}",
        done.manifest.files,
        done.manifest.chunks,
        done.unchanged,
        done.manifest.embedding_model
    );
    let question = Question::new(DEMO_QUESTION);
    println!("\nQ: {DEMO_QUESTION}\n");
    let answer = ask::ask(clients, &question).await?;
    output::answer(&answer, "");
    println!();
    Ok(())
}
