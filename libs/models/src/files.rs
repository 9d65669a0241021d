//! The files that make up a model, on disk or in the program.

use crate::Error;
use std::path::{Path, PathBuf};

/// A model whose bytes are part of the program.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Embedded {
    /// Bytes of `model.onnx`.
    pub model: &'static [u8],
    /// Bytes of `tokenizer.json`.
    pub tokenizer: &'static [u8],
}

impl std::fmt::Debug for Embedded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Embedded({} + {} bytes)", self.model.len(), self.tokenizer.len())
    }
}

/// Where the bytes of a model come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Weights {
    /// Files on disk.
    Files(Files),
    /// Bytes of the program itself.
    Embedded(Embedded),
}

/// The bytes of a model, with the names under which errors tell of them.
pub(crate) struct Parts {
    pub(crate) path: PathBuf,
    pub(crate) model: Vec<u8>,
    pub(crate) tokenizer: (PathBuf, Vec<u8>),
    pub(crate) config: Option<PathBuf>,
}

/// Where the files of a model are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Files {
    /// The graph with its weights, ONNX.
    pub model: PathBuf,
    /// The tokenizer, in the form of the `tokenizers` library.
    pub tokenizer: PathBuf,
    /// Labels and sizes; classifiers need it.
    pub config: Option<PathBuf>,
}

impl Files {
    /// Finds the files in a folder: `model.onnx` (or the only `.onnx` file), `tokenizer.json`, `config.json`.
    ///
    /// # Errors
    /// [`Error::Missing`] names the file that lacks, [`Error::Ambiguous`] says that several models lie there.
    pub fn in_folder(folder: &Path) -> Result<Self, Error> {
        let there = |name: &str| Some(folder.join(name)).filter(|path| path.is_file());
        let missing = |what| Error::Missing { what, folder: folder.to_owned() };
        let model = match there("model.onnx") {
            Some(model) => model,
            None => only_onnx(folder)?.ok_or_else(|| missing("model.onnx"))?,
        };
        let tokenizer = there("tokenizer.json").ok_or_else(|| missing("tokenizer.json"))?;
        Ok(Self { model, tokenizer, config: there("config.json") })
    }
}

impl Weights {
    /// Reads every part.
    ///
    /// # Errors
    /// [`Error::Read`] names the file that cannot be read.
    pub(crate) fn parts(&self) -> Result<Parts, Error> {
        match self {
            Self::Files(files) => Ok(Parts {
                path: files.model.clone(),
                model: read(&files.model)?,
                tokenizer: (files.tokenizer.clone(), read(&files.tokenizer)?),
                config: files.config.clone(),
            }),
            Self::Embedded(own) => Ok(Parts {
                path: PathBuf::from("model.onnx in this program"),
                model: own.model.to_vec(),
                tokenizer: (PathBuf::from("tokenizer.json in this program"), own.tokenizer.to_vec()),
                config: None,
            }),
        }
    }
}

fn only_onnx(folder: &Path) -> Result<Option<PathBuf>, Error> {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(Error::Read { path: folder.to_owned(), source }),
    };
    let is_model = |path: &PathBuf| path.extension().is_some_and(|end| end == "onnx") && path.is_file();
    let mut found: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(is_model).collect();
    match found.len() {
        0 | 1 => Ok(found.pop()),
        count => Err(Error::Ambiguous { folder: folder.to_owned(), count }),
    }
}

/// The whole file.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, Error> {
    std::fs::read(path).map_err(|source| Error::Read { path: path.to_owned(), source })
}
