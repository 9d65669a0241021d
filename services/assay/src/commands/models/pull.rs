//! `assay models pull hub:…`: choose the files, fetch them beside their place, load the model once, move them in, record.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use assay_domain::Failure;
use assay_models::store::{self, CONFIG, Digest, Entry, Held, Kind, Located, MODEL, Recorded, TOKENIZER};
use assay_models::{Embedder, Files, Limits, Reader, Weights};

use super::args::Pull;
use super::hub::choice::{self, Cpu};
use super::hub::error::Error;
use super::hub::fetch::Transfer;
use super::hub::reference::Repository;
use super::hub::{Hub, Listing, Remote};
use super::options::HubOptions;

/// Folder inside the models folder where models are put together.
const WORK: &str = ".part";
/// Files that come along where the repository has them.
const BESIDE: [&str; 2] = ["special_tokens_map.json", "tokenizer_config.json"];
/// Characters of a commit or digest that tell it from others, for people.
const SHORT: usize = 12;

/// Fetches a model from the hub.
///
/// # Errors
/// If it cannot be had, is not what it was taken for, or the models folder cannot be written.
pub(crate) async fn pull(
    models: &Path,
    options: &HubOptions,
    args: &Pull,
    repository: &Repository,
) -> Result<(), Failure> {
    let name = args.name.as_deref().unwrap_or_else(|| repository.name());
    let home = store::folder(models, name).map_err(super::failure)?;
    if there(models, name, repository, args) {
        crate::say!("{name} is there at {repository}, checksums hold");
        return Ok(());
    }
    let held = Held::open(models).map_err(super::failure)?;
    let hub = Hub::new(options)?;
    let listing = match hub.listing(repository).await {
        Err(error) if args.optional && error.offline() && kept(models, name, repository).is_some() => {
            crate::say!("assay: {error}");
            crate::say!("{name} is there, checksums hold; whether {repository} is newer is not known");
            return Ok(());
        }
        listed => listed?,
    };
    let wanted = wanted(&listing, args.file.as_deref(), hub.most())?;
    let place = Place { work: models.join(WORK).join(name), home };
    place.make()?;
    let mut files = BTreeMap::new();
    let mut left = hub.most();
    for (local, remote) in wanted {
        let found = place.bring(&hub, &listing, local, remote, left).await?;
        left = left.saturating_sub(found.bytes);
        crate::say!("{}: {found}", remote.path);
        let Digest { bytes, sha256 } = found;
        files.insert(local.to_owned(), Recorded { from: remote.path.clone(), bytes, sha256 });
    }
    let kind = kind(args.kind, &place.ready(), &listing)?;
    load(kind, place.ready()).await?;
    let digest = files.get(MODEL).map(|file| file.sha256.clone()).unwrap_or_default();
    let entry = Entry {
        hub: listing.id.clone(),
        revision: listing.commit.clone(),
        kind,
        license: listing.license.clone(),
        files,
    };
    place.enter()?;
    if let Err(error) = held.record(name, entry) {
        place.restore()?;
        return Err(super::failure(error));
    }
    place.clear();
    let license = listing.license.as_deref().unwrap_or("none named");
    crate::say!("{name}: {kind} model, sha256 {digest}, licence: {license}; it loads and answers");
    if kind == Kind::Reader {
        let folder = place.home.display();
        crate::say!("read with it: set reader.kind = \"folder\" and reader.folder = \"{folder}\"");
    }
    Ok(())
}

/// Removes what unfinished runs left of a model.
pub(crate) fn clear(models: &Path, name: &str) {
    let _ = std::fs::remove_dir_all(models.join(WORK).join(name));
}

/// Whether the very commit is recorded under this name, and its files hold what was recorded.
fn there(models: &Path, name: &str, repository: &Repository, args: &Pull) -> bool {
    kept(models, name, repository).is_some_and(|located| {
        let model = located.entry.files.get(MODEL).map(|file| file.from.as_str());
        located.entry.revision == repository.revision
            && args.file.as_deref().is_none_or(|file| Some(file) == model)
            && args.kind.is_none_or(|kind| kind == located.entry.kind)
    })
}

/// The model of this name, if it is of this repository and its files hold what was recorded.
fn kept(models: &Path, name: &str, repository: &Repository) -> Option<Located> {
    store::find(models, name).ok().filter(|located| located.entry.hub == repository.id)
}

/// The files to fetch: their names here, and in the repository.
fn wanted<'a>(
    listing: &'a Listing,
    file: Option<&str>,
    most: u64,
) -> Result<Vec<(&'static str, &'a Remote)>, Error> {
    let paths: Vec<&str> = listing.files.iter().map(|file| file.path.as_str()).collect();
    let lacks =
        |flag: &'static str, reason: String| Error::Lacks { repository: listing.told(), reason, flag };
    let graphs = || {
        let graphs: Vec<&str> = paths.iter().copied().filter(|path| path.ends_with(".onnx")).collect();
        if graphs.is_empty() {
            "it has no .onnx file at all".to_owned()
        } else {
            format!("it has {}", graphs.join(", "))
        }
    };
    let (model, reason) = match file {
        None => choice::choose(&paths, Cpu::here()).ok_or_else(|| {
            lacks("file", format!("no ONNX file of the usual names; {}; name one with --file", graphs()))
        })?,
        Some(file) => (file, "as asked"),
    };
    let Some(graph) = listing.file(model) else {
        return Err(lacks("file", format!("there is no {model}; {}", graphs())));
    };
    if choice::split(&paths, model) {
        return Err(lacks(
            "file",
            format!("the weights of {model} are in a second file, which is not read; {}", graphs()),
        ));
    }
    crate::say!("{model} of {}: {reason}", short(&listing.told()));
    // Some repositories keep what belongs to an export beside it.
    let beside = model.rsplit_once('/').map(|(folder, _)| folder);
    let find = |name: &str| {
        let there = beside.and_then(|folder| listing.file(&format!("{folder}/{name}")));
        listing.file(name).or(there)
    };
    let must = |name: &'static str, why: &str| {
        find(name)
            .map(|file| (name, file))
            .ok_or_else(|| lacks("model", format!("there is no {name}: {why}")))
    };
    let tokenizer = must(
        TOKENIZER,
        "the tokenizer must be in the form of the `tokenizers` library; a conversion of the model has one",
    )?;
    let config = must(CONFIG, "nothing says what the outputs mean")?;
    let mut wanted = vec![config, tokenizer];
    wanted.extend(BESIDE.into_iter().filter_map(|name| Some((name, find(name)?))));
    wanted.push((MODEL, graph));
    let bytes: u64 = wanted.iter().filter_map(|(_, file)| file.bytes).sum();
    if bytes > most {
        return Err(Error::TooLarge { what: short(&listing.told()), bytes, most });
    }
    Ok(wanted)
}

/// A reference with a shorter commit, for people.
fn short(told: &str) -> String {
    let (id, commit) = told.split_once('@').unwrap_or((told, ""));
    format!("{id}@{}", commit.get(..SHORT).unwrap_or(commit))
}

/// What the model is for.
fn kind(asked: Option<Kind>, ready: &Path, listing: &Listing) -> Result<Kind, Error> {
    let path = ready.join(CONFIG);
    let text = std::fs::read(&path).map_err(|error| Error::of_file(&path, &error))?;
    let lacks = |flag, reason| Error::Lacks { repository: listing.told(), reason, flag };
    let config = serde_json::from_slice(&text);
    let config = config.map_err(|error| lacks("model", format!("{CONFIG} is no JSON: {error}")))?;
    let kinds = || Kind::ALL.map(Kind::as_str).join(", ");
    asked.or_else(|| Kind::of_config(&config)).ok_or_else(|| {
        lacks(
            "kind",
            format!("{CONFIG} does not say what the model is for; name it with --kind: {}", kinds()),
        )
    })
}

/// Loads the model, which runs it once.
async fn load(kind: Kind, ready: PathBuf) -> Result<(), Failure> {
    let load = move || {
        let files = Files::in_folder(&ready)?;
        let limits = Limits::default();
        match kind {
            Kind::Embedding => Embedder::load(&files, limits, assay_models::Pooling::Mean).map(drop),
            // What is gone cannot be asked for: `--kind` refuses it, and no configuration says it.
            Kind::Reader | Kind::Entailment | Kind::Spans | Kind::Rerank => {
                Reader::load(&Weights::Files(files), limits).map(drop)
            }
        }
    };
    let loaded: Result<(), assay_models::Error> =
        assay_rpc::task::blocking(load).await.map_err(Failure::from)?;
    loaded.map_err(|error| Error::Unusable { kind: kind.to_string(), reason: error.to_string() }.into())
}

/// Where a model is put together, and where it goes.
struct Place {
    work: PathBuf,
    home: PathBuf,
}

// === impl Place ===

impl Place {
    fn ready(&self) -> PathBuf {
        self.work.join("ready")
    }

    fn old(&self) -> PathBuf {
        self.work.join("old")
    }

    fn make(&self) -> Result<(), Error> {
        self.tidy()?;
        let ready = self.ready();
        let made = match std::fs::remove_dir_all(&ready) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
            _ => std::fs::create_dir_all(&ready),
        };
        made.map_err(|error| Error::of_file(&ready, &error))
    }

    /// Brings a file into the ready folder: the one that is there already if it holds the same bytes, else from the hub.
    async fn bring(
        &self,
        hub: &Hub,
        listing: &Listing,
        local: &str,
        file: &Remote,
        most: u64,
    ) -> Result<Digest, Error> {
        let (old, to) = (self.home.join(local), self.ready().join(local));
        if let Some(sha256) = &file.sha256
            && let Ok(found) = store::digest(&old)
            && found.sha256 == *sha256
        {
            let taken = std::fs::hard_link(&old, &to).or_else(|_| std::fs::copy(&old, &to).map(drop));
            return taken.map(|()| found).map_err(|error| Error::of_file(&to, &error));
        }
        // Named by its checksum, so that what is resumed is the same file.
        let part = self.work.join(file.sha256.as_deref().unwrap_or(local));
        let found = Transfer { hub, listing, file, to: &part, most }.run().await?;
        std::fs::rename(&part, &to).map_err(|error| Error::of_file(&to, &error))?;
        Ok(found)
    }

    /// Ends what a killed run began: the old folder goes back where nothing took its place, else away.
    fn tidy(&self) -> Result<(), Error> {
        let old = self.old();
        let tidied = match (old.exists(), self.home.exists()) {
            (false, _) => Ok(()),
            (true, true) => std::fs::remove_dir_all(&old),
            (true, false) => std::fs::rename(&old, &self.home),
        };
        tidied.map_err(|error| Error::of_file(&old, &error))
    }

    /// Puts the ready folder in its place.
    fn enter(&self) -> Result<(), Error> {
        let moved = || -> std::io::Result<()> {
            if self.home.exists() {
                std::fs::rename(&self.home, self.old())?;
            }
            std::fs::rename(self.ready(), &self.home)
        };
        moved().map_err(|error| Error::of_file(&self.home, &error))
    }

    /// Undoes [`Place::enter`], so that a model that is not recorded never replaces one that is.
    fn restore(&self) -> Result<(), Error> {
        std::fs::rename(&self.home, self.ready())
            .map_err(|error| Error::of_file(&self.home, &error))
            .and_then(|()| self.tidy())
    }

    fn clear(&self) {
        let _ = std::fs::remove_dir_all(&self.work);
        // Only if no other model is being put together.
        let _ = self.work.parent().map(std::fs::remove_dir);
    }
}
