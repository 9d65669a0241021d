//! Names and files of a collection's folder.

use crate::error::Error;
use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;

/// File that names the generation that is searched.
pub const CURRENT: &str = "CURRENT";
pub(super) const MANIFEST: &str = "manifest.json";
pub(super) const TEXTS: &str = "texts.bin";
pub(super) const TEXTS_INDEX: &str = "texts.idx";
pub(super) const PASSAGES: &str = "passages.jsonl";
pub(super) const PASSAGES_INDEX: &str = "passages.idx";
pub(super) const IDS: &str = "ids.json";
pub(super) const VECTORS: &str = "vectors.f32";
pub(super) const NAMES: &str = "names.txt";
pub(super) const LEXICAL: &str = "lexical";
pub(super) const PARTIAL: &str = "vectors.partial";

/// A folder name for any text: lower-case letters, digits, `-` and inner `.`, `_` stay, every other byte is `%XX`.
pub(super) fn encode(name: &str) -> String {
    let mut out = String::new();
    for (place, byte) in name.bytes().enumerate() {
        let plain = byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        if plain || (place > 0 && matches!(byte, b'.' | b'_')) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

/// The text that [`encode`] made a folder name of.
pub(super) fn decode(folder: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = folder.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        if *first == b'%' {
            let (digits, tail) = tail.split_at_checked(2)?;
            bytes.push(u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?);
            rest = tail;
        } else {
            bytes.push(*first);
            rest = tail;
        }
    }
    String::from_utf8(bytes).ok()
}

/// Name of the current generation; `None` if the collection was never built.
pub(super) fn current(folder: &Path) -> Result<Option<String>, Error> {
    match fs::read_to_string(folder.join(CURRENT)) {
        Ok(name) => {
            let name = name.trim().to_owned();
            if number(&name).is_some() {
                Ok(Some(name))
            } else {
                Err(Error::Corrupt(format!("{CURRENT} does not name a generation")))
            }
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::io("cannot read CURRENT", &error)),
    }
}

/// Makes a folder and those above it that are missing, for their owner alone: an index holds the texts of its tenant.
pub(super) fn make_folder(path: &Path) -> std::io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Makes a file, or empties it, for its owner alone.
pub(super) fn create(path: &Path) -> std::io::Result<File> {
    OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path)
}

/// Takes the files of a folder, which a library made, from everybody but their owner.
pub(super) fn restrict_files(folder: &Path) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        fs::set_permissions(entry?.path(), Permissions::from_mode(0o600))?;
    }
    Ok(())
}

/// Makes the folder of all indexes; one that an older version made for everybody is taken from them, where it is ours.
pub(super) fn make_root(path: &Path) -> std::io::Result<()> {
    make_folder(path)?;
    if let Err(error) = fs::set_permissions(path, Permissions::from_mode(0o700)) {
        tracing::debug!(%error, "the index folder belongs to somebody else and keeps its mode");
    }
    Ok(())
}

/// Removes a collection's folder. CURRENT goes first: what a kill leaves is no collection.
pub(super) fn remove(folder: &Path) -> Result<(), Error> {
    let failed = |error: std::io::Error| Error::io("cannot remove the collection", &error);
    let absent = |error: &std::io::Error| error.kind() == std::io::ErrorKind::NotFound;
    match fs::remove_file(folder.join(CURRENT)) {
        Err(error) if !absent(&error) => return Err(failed(error)),
        _ => {}
    }
    match fs::remove_dir_all(folder) {
        Err(error) if !absent(&error) => Err(failed(error)),
        _ => Ok(()),
    }
}

/// Names the current generation, atomically and durably.
pub(super) fn set_current(folder: &Path, generation: &str) -> Result<(), Error> {
    let failed = |error: std::io::Error| Error::io("cannot switch to the new index", &error);
    let beside = folder.join("CURRENT.new");
    let mut file = create(&beside).map_err(failed)?;
    file.write_all(generation.as_bytes()).map_err(failed)?;
    file.sync_all().map_err(failed)?;
    fs::rename(&beside, folder.join(CURRENT)).map_err(failed)?;
    sync_folder(folder)
}

/// Makes the entries of a folder durable.
pub(super) fn sync_folder(folder: &Path) -> Result<(), Error> {
    File::open(folder)
        .and_then(|file| file.sync_all())
        .map_err(|error| Error::io("cannot sync a folder", &error))
}

/// Name of a generation.
pub(super) fn generation(number: u64) -> String {
    format!("g-{number:08}")
}

/// Number of a generation.
pub(super) fn number(name: &str) -> Option<u64> {
    let digits = name.strip_prefix("g-")?;
    (digits.len() == 8).then(|| digits.parse().ok())?
}

/// Generations in a folder.
pub(super) fn generations(folder: &Path) -> Vec<u64> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    entries.filter_map(Result::ok).filter_map(|entry| number(entry.file_name().to_str()?)).collect()
}

/// Removes every generation but one. What cannot be removed now is removed next time.
pub(super) fn sweep(folder: &Path, keep: Option<&str>) {
    for number in generations(folder) {
        let name = generation(number);
        if Some(name.as_str()) != keep
            && let Err(error) = fs::remove_dir_all(folder.join(&name))
        {
            tracing::warn!(%error, generation = %name, "an old index could not be removed");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folder_names_are_plain_and_reversible() {
        for name in ["acme", "../x", ".hidden", "A b/ñ", "_system", "\0system", "a.b_c-1"] {
            let folder = encode(name);
            assert!(!folder.contains('/') && !folder.starts_with('.'), "{folder}");
            assert_eq!(decode(&folder).as_deref(), Some(name));
        }
        assert_ne!(encode("A"), encode("a"));
    }
}
