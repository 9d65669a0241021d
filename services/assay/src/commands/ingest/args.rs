//! The arguments of `assay ingest`.

use std::path::PathBuf;

use clap::Args;

/// Index files.
#[derive(Debug, Args)]
pub struct Ingest {
    /// Files, folders and archives (tar, tar.gz, tgz, zip)
    #[arg(required_unless_present_any = ["jsonl", "guide", "reembed"], value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Read the folders from their git repository at this commit
    #[arg(long, requires = "paths", value_name = "REV")]
    pub commit: Option<String>,
    /// The bundled guide to AVAP instead of files
    #[arg(long, conflicts_with_all = ["paths", "jsonl"])]
    pub guide: bool,
    /// Collection to write to
    #[arg(long, default_value = "", hide_default_value = true, value_name = "NAME")]
    pub collection: String,
    /// Lines {id, title, text} instead of files; `-` reads standard input
    #[arg(long, requires = "no_chunking", conflicts_with = "paths", value_name = "CORPUS")]
    pub jsonl: Option<PathBuf>,
    /// One chunk per line of --jsonl, its id kept
    #[arg(long)]
    pub no_chunking: bool,
    /// Embed the stored chunks again with the present model; needs no files
    #[arg(long, conflicts_with_all = ["paths", "jsonl", "guide", "replace"])]
    pub reembed: bool,
    /// Remove indexed files that are not among the paths
    #[arg(long)]
    pub replace: bool,
}
