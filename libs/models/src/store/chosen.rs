//! The model that a setting of a service names.

use std::path::{Path, PathBuf};

use super::{Error, Kind, Located, find, first};
use crate::Files;

/// The word that turns a model off.
pub const OFF: &str = "off";

/// A model that a setting names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chosen {
    /// Name in the lock file, or of the folder.
    pub name: String,
    /// Folder that holds the files.
    pub folder: PathBuf,
    /// The files that an engine loads.
    pub files: Files,
}

/// Finds the model that a setting names: empty for the first of its kind in the lock file, a name there, a folder, or
/// [`OFF`]. `None` where it is off, or empty and the lock file lists none.
///
/// # Errors
/// If the lock file, a file or the folder cannot be used, or the model is of another kind.
pub fn chosen(models: &Path, wanted: &str, kind: Kind) -> Result<Option<Chosen>, Error> {
    let listed = |located: Located| {
        let files = located.files();
        Chosen { name: located.name, folder: located.folder, files }
    };
    match wanted {
        OFF => Ok(None),
        "" => Ok(first(models, kind)?.map(listed)),
        folder if folder.contains(['/', '\\']) || Path::new(folder).is_dir() => {
            let folder = PathBuf::from(folder);
            let files =
                Files::in_folder(&folder).map_err(|error| Error::Folder { reason: error.to_string() })?;
            let name = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            Ok(Some(Chosen { name, folder, files }))
        }
        name => {
            let located = find(models, name)?;
            let is = located.entry.kind;
            if is != kind {
                return Err(Error::Kind { name: name.to_owned(), is, wanted: kind });
            }
            Ok(Some(listed(located)))
        }
    }
}
