//! The arguments of `assay ask`.

use std::path::PathBuf;

use clap::Args;

use crate::flags::{Kind, ModeFlag};

/// Ask a question.
#[derive(Debug, Args)]
pub struct Ask {
    /// The question
    #[arg(required_unless_present = "jsonl", value_name = "Q")]
    pub query: Option<String>,
    /// Collection to search
    #[arg(long, default_value = "", hide_default_value = true, value_name = "NAME")]
    pub collection: String,
    /// Conversation to continue
    #[arg(long, default_value = "", hide_default_value = true, value_name = "ID")]
    pub session: String,
    /// Declare the type instead of letting the router decide
    #[arg(long = "type", value_enum, value_name = "TYPE")]
    pub kind: Option<Kind>,
    /// What happens to a rejected answer
    #[arg(long, value_enum, default_value_t = ModeFlag::Strict)]
    pub mode: ModeFlag,
    /// Facts for a platform question; `-` reads standard input
    #[arg(long, value_name = "FILE")]
    pub extra_context: Option<PathBuf>,
    /// Content of your editor, as a citable source
    #[arg(long, value_name = "FILE")]
    pub editor_content: Option<PathBuf>,
    /// Print text as it is verified
    #[arg(long, conflicts_with = "jsonl")]
    pub stream: bool,
    /// Show route, sources and steps; call no model and write no record
    #[arg(long, conflicts_with_all = ["stream", "jsonl"])]
    pub explain: bool,
    /// Lines {id, query, session?, query_type?, extra_context?}; `-` reads standard input
    #[arg(long, conflicts_with = "query", value_name = "FILE")]
    pub jsonl: Option<PathBuf>,
    /// Ignore unknown fields of batch lines
    #[arg(long)]
    pub lenient_input: bool,
}
