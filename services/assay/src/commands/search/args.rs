//! The arguments of `assay search`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// Which legs a search uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Legs {
    /// Both legs, fused
    Hybrid,
    /// Nearest neighbours only
    #[value(alias = "knn_only")]
    Knn,
    /// BM25 only
    #[value(alias = "bm25_only")]
    Bm25,
}

/// Find passages.
#[derive(Debug, Args)]
pub struct Search {
    /// What to search for
    #[arg(required_unless_present_any = ["jsonl", "tune"], value_name = "Q")]
    pub query: Option<String>,
    /// Searches to run: words (BM25), vectors (kNN), or both
    #[arg(long, value_enum, default_value_t = Legs::Hybrid)]
    pub mode: Legs,
    /// Number of hits, 1 to 1000
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub k: u32,
    /// Collection to search
    #[arg(long, default_value = "", hide_default_value = true, value_name = "NAME")]
    pub collection: String,
    /// Only files at or below this path; may be given several times
    #[arg(long, value_name = "PATH")]
    pub path: Vec<String>,
    /// Only documents of this kind: doc, code, example
    #[arg(long, value_name = "KIND")]
    pub kind: Vec<String>,
    /// Only passages in this language: en, es, or a programming language
    #[arg(long, value_name = "LANGUAGE")]
    pub language: Vec<String>,
    /// Only documents whose front matter has this tag
    #[arg(long, value_name = "TAG")]
    pub tag: Vec<String>,
    /// Lines {id, text}; `-` reads standard input
    #[arg(long, conflicts_with = "query", value_name = "FILE")]
    pub jsonl: Option<PathBuf>,
    /// Choose weights of the legs on judged queries: lines {id, text}, and TREC judgements
    #[arg(long, num_args = 2, value_names = ["QUERIES", "QRELS"], conflicts_with_all = ["query", "jsonl", "run_file"])]
    pub tune: Option<Vec<PathBuf>>,
    /// Also write a TREC run
    #[arg(long, value_name = "FILE")]
    pub run_file: Option<PathBuf>,
    /// Ignore unknown fields of batch lines
    #[arg(long)]
    pub lenient_input: bool,
}
