//! The arguments of `assay lint`.

use std::path::PathBuf;

use assay_lint::Rule;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser as _};

use crate::report::Form;

/// Find mistakes in documentation.
#[derive(Debug, Args)]
pub struct Lint {
    /// Files and folders, read as `assay ingest` reads them
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Read the folders from their git repository at this commit
    #[arg(long, value_name = "REV")]
    pub commit: Option<String>,
    /// Look for this only; may be given several times
    #[arg(long = "rule", value_name = "ID", value_parser = PossibleValuesParser::new(Rule::ALL.map(Rule::as_str)).try_map(rule))]
    pub rules: Vec<Rule>,
    /// Form of the findings
    #[arg(long, value_enum, value_name = "FORM")]
    pub format: Option<Form>,
}

fn rule(id: String) -> Result<Rule, String> {
    Rule::named(&id).ok_or(id)
}
