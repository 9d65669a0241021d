//! The commands of `assay index` and their arguments.

use std::path::PathBuf;

use clap::Subcommand;

/// Collections: what they hold, and whether that is still so.
#[derive(Debug, Subcommand)]
pub enum Index {
    /// Collections with their size, model and time
    List,
    /// What a collection holds
    Show {
        /// Its name [default: the default collection]
        #[arg(default_value = "", hide_default_value = true)]
        collection: String,
        /// Also list every document
        #[arg(long)]
        files: bool,
    },
    /// Documents in which two collections differ; exits 1 if they do
    Diff {
        /// The one
        one: String,
        /// The other
        other: String,
    },
    /// Compare a collection with the files it was made of; exits 1 if any changed, moved or is missing
    Verify {
        /// Its name [default: the default collection]
        #[arg(long, default_value = "", hide_default_value = true, value_name = "NAME")]
        collection: String,
        /// Take the folders as they were at this commit
        #[arg(long, value_name = "REV")]
        commit: Option<String>,
        /// Files and folders, as they were given to `assay ingest`
        #[arg(required = true, value_name = "PATH")]
        paths: Vec<PathBuf>,
    },
    /// Delete a collection
    Delete {
        /// Its name
        collection: String,
    },
}
