//! `assay keys`: makes API keys and keeps the file that a gateway recognises them by. Needs no running system.

mod args;

pub use args::{Keys, KeysCreate, KeysPick};

use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use assay_domain::{Code, Failure};
use assay_gateway::keys::{Grant, KeyEntry, KeysFile};
use assay_rpc::{clock, entropy};
use serde::Serialize;
use serde_json::json;

use crate::flags::Global;
use crate::output;
use crate::settings::Settings;

/// Runs the command.
///
/// # Errors
/// `CONFIGURATION` if the file cannot be read or written, `NOT_FOUND` for an unknown id, `INVALID_ARGUMENT` for a grant
/// that makes no sense.
pub fn run(global: &Global, command: &Keys, settings: &Settings) -> Result<u8, Failure> {
    match command {
        Keys::Create(args) => create(global, args, settings),
        Keys::List { file } => {
            let path = path(file.as_deref(), settings)?;
            list(global, &read(&path)?);
            Ok(0)
        }
        Keys::Disable(pick) => change(pick, settings, "disabled", KeysFile::disable),
        Keys::Remove(pick) => change(pick, settings, "removed", KeysFile::remove),
    }
}

/// The file of the flag, else the one that the settings name.
fn path(flag: Option<&Path>, settings: &Settings) -> Result<PathBuf, Failure> {
    let named = flag.unwrap_or(&settings.gateway.auth.keys_file);
    if named.as_os_str().is_empty() {
        let text = "name the keys file with --file FILE, or in the setting gateway.auth.keys_file";
        return Err(Failure::new(Code::InvalidArgument, text).field("file"));
    }
    Ok(named.to_owned())
}

fn trouble(path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(Code::Configuration, format!("{}: {error}", path.display())).field("file")
}

fn read(path: &Path) -> Result<KeysFile, Failure> {
    let text = std::fs::read_to_string(path).map_err(|error| trouble(path, &error))?;
    KeysFile::parse(&text)
}

/// A change of the file: nobody else's comes between, and a reader sees the old content or the new one.
struct Change {
    path: PathBuf,
    draft: PathBuf,
    out: std::fs::File,
}

impl Change {
    /// Takes the file. Its draft beside it keeps others out.
    fn begin(path: &Path) -> Result<Self, Failure> {
        let mut draft = path.as_os_str().to_owned();
        draft.push(".new");
        let draft = PathBuf::from(draft);
        let out = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft);
        let out = out.map_err(|error| match error.kind() {
            std::io::ErrorKind::AlreadyExists => {
                let text = format!(
                    "{} is there: another change is under way; if not, remove it and try again",
                    draft.display()
                );
                Failure::new(Code::Configuration, text).field("file")
            }
            _ => trouble(&draft, &error),
        })?;
        Ok(Self { path: path.to_owned(), draft, out })
    }

    fn finish(mut self, file: &KeysFile) -> Result<(), Failure> {
        let text = file.render()?;
        let written = self.out.write_all(text.as_bytes()).and_then(|()| self.out.sync_all());
        written.map_err(|error| trouble(&self.draft, &error))?;
        std::fs::rename(&self.draft, &self.path).map_err(|error| trouble(&self.path, &error))
    }
}

impl Drop for Change {
    fn drop(&mut self) {
        // After a rename there is nothing left to remove.
        let _ = std::fs::remove_file(&self.draft);
    }
}

fn create(global: &Global, args: &KeysCreate, settings: &Settings) -> Result<u8, Failure> {
    let path = path(args.file.as_deref(), settings)?;
    let change = Change::begin(&path)?;
    let mut file = if path.exists() { read(&path)? } else { KeysFile::default() };
    let grant = Grant {
        principal: args.principal.clone(),
        tenant: args.tenant.clone(),
        roles: args.roles.clone(),
        name: args.name.clone(),
        days: args.expires,
    };
    let [a, b, c, d, e, f, ..] = entropy::bytes16();
    let key = file.issue(grant, [a, b, c, d, e, f], entropy::bytes32(), clock::unix_ms())?;
    change.finish(&file)?;
    if global.json {
        let made = file.keys.last().ok_or_else(|| Failure::internal("a key has no entry"))?;
        println!("{:#}", json!(Row { key: Some(&key), ..row(made) }));
    } else {
        println!("{key}");
        crate::say!("this is the only time that the key is shown; {} has its hash", path.display());
    }
    Ok(0)
}

fn change(
    pick: &KeysPick,
    settings: &Settings,
    done: &str,
    work: impl FnOnce(&mut KeysFile, &str) -> Result<(), Failure>,
) -> Result<u8, Failure> {
    let path = path(pick.file.as_deref(), settings)?;
    let change = Change::begin(&path)?;
    let mut file = read(&path)?;
    work(&mut file, &pick.id)?;
    change.finish(&file)?;
    println!("{} {done}", pick.id);
    Ok(0)
}

/// The keys of a file, as an object of the output.
#[derive(Serialize)]
struct Rows<'a> {
    keys: Vec<Row<'a>>,
}

/// A key as an object of the output: its entry in the file without its hash.
#[derive(Serialize)]
struct Row<'a> {
    id: &'a str,
    name: &'a str,
    tenant: &'a str,
    principal: &'a str,
    roles: &'a [String],
    /// Instant in RFC 3339.
    created: &'a str,
    /// Instant in RFC 3339; null for a key without an end.
    expires: Option<&'a str>,
    /// `active`, `expired` or `disabled`.
    state: &'static str,
    /// The key itself; only where it was just made.
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<&'a str>,
}

fn row(key: &KeyEntry) -> Row<'_> {
    Row {
        id: &key.id,
        name: &key.name,
        tenant: &key.tenant,
        principal: &key.principal,
        roles: &key.roles,
        created: &key.created,
        expires: key.expires.as_deref(),
        state: key.state(clock::unix_ms()),
        key: None,
    }
}

fn list(global: &Global, file: &KeysFile) {
    if global.json {
        println!("{:#}", json!(Rows { keys: file.keys.iter().map(row).collect() }));
        return;
    }
    let now = clock::unix_ms();
    let rows = file.keys.iter().map(|key| {
        let expires = key.expires.as_deref().unwrap_or("never");
        [
            key.id.clone(),
            key.name.clone(),
            format!("{}/{}", key.tenant, key.principal),
            key.roles.join(" "),
            expires.to_owned(),
            key.state(now).to_owned(),
        ]
    });
    output::keys(rows);
}
