//! The arguments of `assay parse`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::flags::Reading;

/// Validate programs.
#[derive(Debug, Args)]
pub struct Parse {
    /// Programs, Markdown texts with code blocks, and folders of AVAP programs; standard input if there is none
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Language; else from the file's extension
    #[arg(long)]
    pub language: Option<String>,
    /// How AVAP is read
    #[command(flatten)]
    pub reading: Reading,
    /// Form of the findings
    #[arg(long, value_enum, conflicts_with = "jsonl", value_name = "FORM")]
    pub format: Option<Form>,
    /// Explain a diagnostic code, e.g. AVAP018 or PY003
    #[arg(long, conflicts_with_all = ["files", "jsonl"], value_name = "CODE")]
    pub explain: Option<String>,
    /// Lines {id, language, code}; `-` reads standard input
    #[arg(long, conflicts_with = "files", value_name = "FILE")]
    pub jsonl: Option<PathBuf>,
    /// Ignore unknown fields of batch lines
    #[arg(long)]
    pub lenient_input: bool,
}

/// Forms of findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// Text with the marked source lines
    Text,
    /// One object for each program
    Json,
    /// SARIF 2.1.0, for code scanners
    Sarif,
    /// Parameters of textDocument/publishDiagnostics, one object for each program
    Lsp,
    /// One line for each finding, as in a retry prompt
    Trace,
}
