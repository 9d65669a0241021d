//! Opening a log for writing: lock, modes, birth, identity.

use std::fs::{File, Permissions, TryLockError};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use assay_ledger::{Hash, Signer, VerifierKey};
use rusqlite::Connection;

use super::{Birth, DATABASE, LOCK, harden, schema, sql, stored, words, writer};
use crate::adapters::keyfile;
use crate::error::AuditError;
use crate::options::Options;

const DOING: &str = "opening the audit log";

/// Opens the log in `options.data_dir`, or makes it: its writer, its key and its file.
pub(super) fn open(
    options: &Options,
    birth: Birth,
) -> Result<(writer::Thread, VerifierKey, PathBuf), AuditError> {
    let folder = &options.data_dir;
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
        .map_err(|error| AuditError::io(format!("making {}", folder.display()), &error))?;
    close_to_others(folder);
    let lock = lock(folder)?;
    let file = folder.join(DATABASE);
    let has_key = keyfile::read(options)?.is_some();
    let gone = || AuditError::Gone { path: folder.clone(), key: options.key_path() };
    if has_key && !std::fs::metadata(&file).is_ok_and(|data| data.len() > 0) {
        return Err(gone());
    }
    assay_sqlite::private_file(&file)
        .map_err(|error| AuditError::io(format!("opening {}", file.display()), &error))?;
    let mut connection = Connection::open(&file).map_err(|error| sql(DOING, &error))?;
    harden(&connection).map_err(|error| sql(DOING, &error))?;
    let differences = schema::differences(&connection)?;
    if let Some(what) = differences.into_iter().next() {
        return Err(AuditError::corrupt(what));
    }
    if has_key && schema::version(&connection)? == 0 {
        return Err(gone());
    }
    configure(&connection).map_err(|error| sql(DOING, &error))?;
    schema::migrate(&mut connection, Some(&file))?;
    words::fill(&mut connection)?;
    limit(&connection, options.max_bytes).map_err(|error| sql(DOING, &error))?;
    let signer = match origin(&connection)? {
        Some(origin) => known(&connection, options, origin)?,
        None if has_key => return Err(gone()),
        None => born(&mut connection, options, birth)?,
    };
    let key = signer.verifier();
    let thread = writer::Thread::new(connection, lock, signer, options, birth.unix_ms)?;
    Ok((thread, key, file))
}

/// Takes what others may do with a file or folder of an earlier version away. A volume's own folder belongs to somebody
/// else; the files inside are closed all the same.
fn close_to_others(path: &Path) {
    let Ok(data) = std::fs::metadata(path) else { return };
    let mode = data.permissions().mode();
    if mode & 0o077 != 0
        && let Err(error) = std::fs::set_permissions(path, Permissions::from_mode(mode & 0o700))
    {
        tracing::debug!(path = %path.display(), %error, "the mode cannot be changed");
    }
}

fn lock(folder: &Path) -> Result<File, AuditError> {
    let path = folder.join(LOCK);
    let doing = || format!("locking {}", path.display());
    let file = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .mode(0o600)
        .open(&path)
        .map_err(|error| AuditError::io(doing(), &error))?;
    close_to_others(&path);
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(AuditError::InUse { path: folder.to_owned() }),
        Err(TryLockError::Error(error)) => Err(AuditError::io(doing(), &error)),
    }
}

fn configure(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    // Erased payloads are overwritten, not just unlinked.
    connection.pragma_update(None, "secure_delete", true)
}

fn limit(connection: &Connection, bytes: u64) -> rusqlite::Result<()> {
    if bytes == 0 {
        return Ok(());
    }
    let page: i64 = connection.pragma_query_value(None, "page_size", |row| row.get(0))?;
    let pages = stored(bytes) / page.max(1);
    // The pragma answers with the limit that holds.
    connection.query_row(&format!("PRAGMA max_page_count = {pages}"), [], |_| Ok(()))
}

/// Name of the log; none before its birth.
pub(super) fn origin(connection: &Connection) -> Result<Option<String>, AuditError> {
    schema::meta(connection, "origin")
}

fn invalid(origin: &str) -> AuditError {
    AuditError::corrupt(format!("its name {origin:?} is not one"))
}

/// The signer of a log that is there.
fn known(connection: &Connection, options: &Options, origin: String) -> Result<Signer, AuditError> {
    if !options.log_id.is_empty() && options.log_id != origin {
        return Err(AuditError::OtherLog { found: origin, wanted: options.log_id.clone() });
    }
    let key = schema::meta(connection, "key")?;
    let fits = |seed: [u8; 32]| -> Result<Option<Signer>, AuditError> {
        let signer = Signer::from_seed(&origin, &seed).ok_or_else(|| invalid(&origin))?;
        Ok((Some(signer.verifier().to_string()) == key).then_some(signer))
    };
    if let Some(seed) = keyfile::read(options)? {
        let what = format!("the signing key is not the one of log {origin}");
        return fits(seed)?.ok_or(AuditError::Key { what });
    }
    // A start may have ended between making the log and moving its key into place.
    if let Some(seed) = keyfile::drafted(options)?
        && let Some(signer) = fits(seed)?
    {
        keyfile::settle(options)?;
        return Ok(signer);
    }
    Err(AuditError::Key { what: format!("the signing key of log {origin} is missing") })
}

/// Makes name, key and first checkpoint of a new log. The key is in its place only once the log is there, so that a
/// key without a log always means that the log is gone.
fn born(connection: &mut Connection, options: &Options, birth: Birth) -> Result<Signer, AuditError> {
    let origin = match options.log_id.as_str() {
        "" => format!("assay-{}/0", hex::encode(birth.name)),
        name => name.to_owned(),
    };
    let signer = Signer::from_seed(&origin, &birth.seed).ok_or_else(|| invalid(&origin))?;
    keyfile::draft(options, &birth.seed)?;
    let made = (|| {
        let transaction = connection.transaction()?;
        let key = signer.verifier().to_string();
        for (name, value) in [("origin", &origin), ("key", &key)] {
            transaction.execute("INSERT INTO meta (name, value) VALUES (?1, ?2)", [name, value.as_str()])?;
        }
        let note = signer.sign(0, Hash::empty_root());
        transaction.execute("INSERT INTO checkpoints (size, note) VALUES (0, ?1)", [note])?;
        transaction.commit()
    })();
    made.map_err(|error| sql("making the audit log", &error))?;
    keyfile::settle(options)?;
    Ok(signer)
}
