//! The command line as data: every command, flag and default.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Answers questions over documentation and code, and checks every answer before it is delivered.
#[derive(Debug, Parser)]
#[command(name = "assay", version, propagate_version = true, max_term_width = 110)]
#[command(
    after_help = "Exit codes: 0 fine, 1 some input invalid, 2 review, 3 reject, 64 usage, 69 a service is \
unavailable, 70 internal, 78 configuration, 130 interrupted."
)]
pub struct Cli {
    /// What every command takes.
    #[command(flatten)]
    pub global: Global,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// Flags that every command takes.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Options of every command")]
pub struct Global {
    /// Folder of indexes, sessions and records
    #[arg(long, global = true, env = "ASSAY_DATA", default_value = DATA, value_name = "DIR")]
    pub data: PathBuf,
    /// Talk to a running system at this gRPC address instead of running embedded, e.g. http://127.0.0.1:7199 or
    /// https://gateway:7110
    #[arg(long, global = true, env = "ASSAY_ENDPOINT", value_name = "URL")]
    pub endpoint: Option<String>,
    /// Key that a running system asks for; better given as ASSAY_API_KEY, which no process list shows
    #[arg(long, global = true, env = "ASSAY_API_KEY", hide_env_values = true, value_name = "KEY")]
    pub api_key: Option<String>,
    /// Authorities that may have signed the certificate of an https endpoint (PEM); else those of this machine
    #[arg(long, global = true, env = "ASSAY_CA", value_name = "FILE")]
    pub ca: Option<PathBuf>,
    /// Settings file (TOML); the environment wins over it
    #[arg(long, global = true, env = "ASSAY_CONFIG", value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Print JSON instead of text
    #[arg(long, global = true)]
    pub json: bool,
    /// What `router train` calls --data: the training file.
    #[arg(skip)]
    pub training_data: Option<PathBuf>,
}

impl Cli {
    /// `router train --data FILE` names the training file; a flag cannot mean two things, so it is sorted out here and
    /// the data folder comes from the environment or the default.
    ///
    /// # Errors
    /// A sentence if the file is not named.
    pub fn sort_out_data(mut self, environment: Option<&str>) -> Result<Self, String> {
        if !matches!(self.command, Command::Router(Router::Train(_))) {
            return Ok(self);
        }
        let folder = PathBuf::from(environment.unwrap_or(DATA));
        let named = std::mem::replace(&mut self.global.data, folder);
        if named == self.global.data {
            return Err("router train needs the training file: --data TRAIN".to_owned());
        }
        self.global.training_data = Some(named);
        Ok(self)
    }
}

/// The data folder unless told otherwise.
pub(crate) const DATA: &str = ".assay";

/// Every command.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run every service in one process and serve until SIGTERM
    Up(Up),
    /// Run one service as a process of its own until SIGTERM; the settings file is that of the service
    Service(Service),
    /// Index files (Markdown, text, code, AVAP); unchanged files cost nothing
    Ingest(Ingest),
    /// Find passages, with both legs' ranks
    Search(Search),
    /// Ask a question: routed, answered with citations, checked, recorded
    Ask(Box<Ask>),
    /// Validate programs; exits 1 if any is invalid
    Parse(Parse),
    /// Lay AVAP programs out; comments and meaning stay as they are
    Fmt(Fmt),
    /// Language server for AVAP over standard input and output
    Lsp(Reading),
    /// Validate any answer against given sources; exits 0 pass, 2 review, 3 reject
    Check(Check),
    /// Classify messages and train heads
    #[command(subcommand)]
    Router(Router),
    /// Read, prove and verify records
    #[command(subcommand)]
    Audit(Audit),
    /// Measure answers
    #[command(subcommand)]
    Eval(Eval),
    /// Lint a corpus: code in documents, dead links, contradictory passages
    Lint(Lint),
    /// Local embedding models
    #[command(subcommand)]
    Models(Models),
    /// Make a certificate authority and a certificate for each service; a second run renews them
    Certs(Certs),
    /// API keys of a gateway
    #[command(subcommand)]
    Keys(Keys),
    /// Show, explain and check settings
    #[command(subcommand)]
    Config(Config),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print versions of everything that decides an answer
    Version,
}

/// Run every service in one process.
#[derive(Debug, Args)]
pub struct Up {
    /// Address of the HTTP gateway; port 0 takes any free one
    #[arg(long, value_name = "ADDR")]
    pub http: Option<SocketAddr>,
    /// Address of the gRPC services; port 0 takes any free one
    #[arg(long, value_name = "ADDR")]
    pub grpc: Option<SocketAddr>,
    /// Index the bundled guide to AVAP and ask a first question
    #[arg(long)]
    pub demo: bool,
}

/// Run one service.
#[derive(Debug, Args)]
pub struct Service {
    /// router, retrieval, generation, validation, audit, parser, evaluation or gateway
    #[arg(value_name = "NAME", value_parser = crate::commands::service::names())]
    pub name: String,
    /// Only say whether the settings are fine
    #[arg(long)]
    pub check: bool,
    /// Print the effective settings, secrets masked
    #[arg(long, conflicts_with = "check")]
    pub dump_config: bool,
}

/// Make certificates.
#[derive(Debug, Args)]
pub struct Certs {
    /// Folder of the authority, with a folder of tls.crt, tls.key and ca.crt for each service [default: certs in the
    /// data folder]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Services, separated by commas; `all` for every one
    #[arg(long, value_delimiter = ',', default_value = "all", value_name = "NAMES")]
    pub services: Vec<String>,
    /// Days that certificates are good for
    #[arg(long, default_value_t = 365, value_parser = clap::value_parser!(u32).range(1..=3650))]
    pub days: u32,
    /// Print Kubernetes secrets instead of folders, for `kubectl apply -f -`
    #[arg(long)]
    pub kubernetes: bool,
    /// Namespace of the secrets
    #[arg(long, default_value = "assay", requires = "kubernetes", value_name = "NS")]
    pub namespace: String,
}

/// Index files.
#[derive(Debug, Args)]
pub struct Ingest {
    /// Files and folders
    #[arg(required_unless_present_any = ["jsonl", "guide"], value_name = "PATH")]
    pub paths: Vec<PathBuf>,
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
    /// Forget files of the collection that are not among the paths
    #[arg(long)]
    pub replace: bool,
}

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
    #[arg(required_unless_present = "jsonl", value_name = "Q")]
    pub query: Option<String>,
    /// Which legs
    #[arg(long, value_enum, default_value_t = Legs::Hybrid)]
    pub mode: Legs,
    /// Hits wanted
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub k: u32,
    /// Collection to search
    #[arg(long, default_value = "", hide_default_value = true, value_name = "NAME")]
    pub collection: String,
    /// Lines {id, text}; `-` reads standard input
    #[arg(long, conflicts_with = "query", value_name = "FILE")]
    pub jsonl: Option<PathBuf>,
    /// Also write a TREC run
    #[arg(long, value_name = "FILE")]
    pub run_file: Option<PathBuf>,
    /// Ignore unknown fields of batch lines
    #[arg(long)]
    pub lenient_input: bool,
}

/// Query types as flags.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    /// Answer from documentation and code
    #[value(name = "RETRIEVAL", alias = "retrieval")]
    Retrieval,
    /// Produce working code
    #[value(name = "CODE_GENERATION", alias = "code_generation", alias = "code")]
    CodeGeneration,
    /// Rephrase or continue the previous answer
    #[value(name = "CONVERSATIONAL", alias = "conversational")]
    Conversational,
    /// Account, usage and quota, from --extra-context
    #[value(name = "PLATFORM", alias = "platform")]
    Platform,
}

/// Modes as flags.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ModeFlag {
    /// A rejected answer is replaced by a rejection body
    #[value(alias = "STRICT")]
    Strict,
    /// A rejected answer is delivered with warnings
    #[value(alias = "LENIENT")]
    Lenient,
}

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
    /// What happens to an answer that does not stand
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
    /// Show plan and evidence; no draft, nothing spent
    #[arg(long, conflicts_with_all = ["stream", "jsonl"])]
    pub explain: bool,
    /// Lines {id, query, session?, query_type?, extra_context?}; `-` reads standard input
    #[arg(long, conflicts_with = "query", value_name = "FILE")]
    pub jsonl: Option<PathBuf>,
    /// Ignore unknown fields of batch lines
    #[arg(long)]
    pub lenient_input: bool,
}

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

/// How AVAP is read.
#[derive(Debug, Clone, Default, Args)]
pub struct Reading {
    /// Turn the points that the makers' server accepts into warnings
    #[arg(long)]
    pub server_compat: bool,
    /// AVAP profiles that are on, separated by commas: core, full, legacy, hypothesis
    #[arg(long = "profile", value_delimiter = ',', value_name = "NAMES")]
    pub profiles: Vec<String>,
}

/// Forms of findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// For a person; pictures in a terminal
    Text,
    /// One object for each program
    Json,
    /// SARIF 2.1.0, for code scanners
    Sarif,
    /// Parameters of textDocument/publishDiagnostics, one object for each program
    Lsp,
    /// One line for each finding, in the form that a model is told
    Trace,
}

/// Lay programs out.
#[derive(Debug, Args)]
pub struct Fmt {
    /// Programs, and folders of them; standard input to standard output if there is none
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Change nothing; exit 1 if a program would change
    #[arg(long)]
    pub check: bool,
    /// With --check, print what would change, line by line
    #[arg(long, requires = "check")]
    pub diff: bool,
    /// Read standard input, print to standard output
    #[arg(long, conflicts_with = "files")]
    pub stdin: bool,
    /// How AVAP is read
    #[command(flatten)]
    pub reading: Reading,
}

/// Attempts as flags.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum AttemptFlag {
    /// Every failing check fails
    First,
    /// Judge as final
    Retry,
}

/// Validate an answer.
#[derive(Debug, Args)]
pub struct Check {
    /// The answer (Markdown); standard input if there is none, or `-`
    #[arg(value_name = "ANSWER.md")]
    pub answer: Option<PathBuf>,
    /// Sources: JSON array, or lines, of {id, text, path?, first_line?}
    #[arg(long, required_unless_present = "jsonl", conflicts_with = "jsonl", value_name = "FILE")]
    pub sources: Option<PathBuf>,
    /// The question that was asked
    #[arg(long, default_value = "", hide_default_value = true)]
    pub question: String,
    /// The type that decides which checks are required
    #[arg(long = "type", value_enum, default_value_t = Kind::Retrieval, value_name = "TYPE")]
    pub kind: Kind,
    /// Strict or lenient
    #[arg(long, value_enum, default_value_t = ModeFlag::Strict)]
    pub mode: ModeFlag,
    /// First draft, or final
    #[arg(long, value_enum, default_value_t = AttemptFlag::First)]
    pub attempt: AttemptFlag,
    /// Attach citations to claims that one source clearly supports
    #[arg(long)]
    pub attach: bool,
    /// The answer cites nothing by design: each claim is held against all sources (in a batch `require_citations`)
    #[arg(long)]
    pub no_citations: bool,
    /// Policy: strict, balanced, lenient, or a TOML file of your own (`base = "strict"` and what differs)
    #[arg(long, default_value = "", hide_default_value = true, value_name = "NAME|FILE.toml")]
    pub policy: String,
    /// Facts for a platform answer
    #[arg(long, value_name = "FILE")]
    pub extra_context: Option<PathBuf>,
    /// Show beside each claim what was held against it
    #[arg(long)]
    pub explain: bool,
    /// Lines {id, question, sources, answer, …}; `-` reads standard input
    #[arg(long, conflicts_with = "answer", value_name = "FILE")]
    pub jsonl: Option<PathBuf>,
    /// Ignore unknown fields of batch lines and sources
    #[arg(long)]
    pub lenient_input: bool,
    /// Verdict from which on the exit code tells it: review is the rule for one answer; a batch exits 0 without this
    #[arg(long, value_enum, value_name = "VERDICT")]
    pub fail_on: Option<FailOn>,
}

/// Verdicts that an exit code tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// Exit 2 for a review, 3 for a reject
    Review,
    /// Exit 3 for a reject
    Reject,
}

/// Classify and train.
#[derive(Debug, Subcommand)]
pub enum Router {
    /// Class, probability, layer and reason of a message
    Classify(Classify),
    /// Fit a head: --data names lines {text, label} of any label set; the data folder is ASSAY_DATA here
    Train(Train),
    /// Measure a head on labelled lines
    Eval,
    /// Export collected queries
    Export,
    /// Make a challenger the champion
    Promote,
    /// Go back to the former champion
    Rollback,
    /// Show the head in use
    Show,
}

/// Classify messages.
#[derive(Debug, Args)]
pub struct Classify {
    /// The message
    #[arg(required_unless_present = "jsonl", value_name = "Q")]
    pub text: Option<String>,
    /// Declare the type, as a caller would
    #[arg(long = "type", value_enum, value_name = "TYPE")]
    pub kind: Option<Kind>,
    /// Use the trained head of --model alone
    #[arg(long, requires = "model")]
    pub head_only: bool,
    /// A trained head
    #[arg(long, value_name = "FILE")]
    pub model: Option<PathBuf>,
    /// Lines {id, text, history?, query_type?}; `-` reads standard input
    #[arg(long, conflicts_with = "text", value_name = "FILE")]
    pub jsonl: Option<PathBuf>,
    /// Ignore unknown fields of batch lines
    #[arg(long)]
    pub lenient_input: bool,
}

/// Fit a head.
#[derive(Debug, Args)]
pub struct Train {
    /// Where the head is written
    #[arg(long, value_name = "MODEL")]
    pub out: PathBuf,
    /// Lines {text, label} that calibrate the probabilities
    #[arg(long, value_name = "VAL")]
    pub calibrate: Option<PathBuf>,
    /// Lines {text} outside every label; trains rejection
    #[arg(long, value_name = "FILE")]
    pub oos: Option<PathBuf>,
}

/// Read, prove and verify records.
#[derive(Debug, Subcommand)]
pub enum Audit {
    /// Newest records
    List(AuditList),
    /// One record
    Show {
        /// Its id
        id: String,
    },
    /// Inclusion proof of a record
    Prove {
        /// Its id
        id: String,
    },
    /// Recompute every leaf and the tree; exits 1 if anything is wrong
    Verify,
    /// Leaves and payloads for offline verification, one JSON object a line
    Export,
    /// Decide reviews
    Review,
    /// Record feedback on an answer
    Feedback,
}

/// List records.
#[derive(Debug, Args)]
pub struct AuditList {
    /// Records wanted
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub limit: u32,
    /// Only this outcome, e.g. ANSWERED
    #[arg(long)]
    pub outcome: Option<String>,
    /// Only this verdict, e.g. REVIEW
    #[arg(long)]
    pub verdict: Option<String>,
    /// Only this session
    #[arg(long, default_value = "", hide_default_value = true, value_name = "ID")]
    pub session: String,
}

/// Measure answers.
#[derive(Debug, Subcommand)]
pub enum Eval {
    /// Ask every question of a golden file; report syntactic validity and verdicts
    Run(EvalRun),
    /// Metrics from recorded verdicts
    Score,
    /// Fail unless a report passes its bars
    Gate,
    /// Repeat a recorded run offline
    Replay,
    /// Show a report
    Report,
    /// Compare two reports
    Compare,
}

/// Run a golden file.
#[derive(Debug, Args)]
pub struct EvalRun {
    /// Lines {id, question, reference?, answerable?, query_type?}
    #[arg(value_name = "GOLDEN")]
    pub golden: PathBuf,
    /// Collection to search
    #[arg(long, default_value = "", hide_default_value = true, value_name = "NAME")]
    pub collection: String,
    /// Repetitions of the whole file
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub repeat: u32,
}

/// Lint a corpus.
#[derive(Debug, Args)]
pub struct Lint {
    /// Files and folders
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
}

/// API keys of a gateway.
#[derive(Debug, Subcommand)]
pub enum Keys {
    /// Make a key, print it this once, and write its hash to the file
    Create(KeysCreate),
    /// Show whom the keys are for and how they stand
    List {
        /// The keys file; else the one that the settings name
        #[arg(long, value_name = "FILE")]
        file: Option<PathBuf>,
    },
    /// Switch a key off
    Disable(KeysPick),
    /// Forget a key
    Remove(KeysPick),
}

/// Make a key.
#[derive(Debug, Args)]
pub struct KeysCreate {
    /// Who its bearer is, within the tenant
    #[arg(long, value_name = "NAME")]
    pub principal: String,
    /// Whose data its bearer sees
    #[arg(long, value_name = "NAME")]
    pub tenant: String,
    /// What its bearer may do: ask, platform, ingest, review, erase, admin; repeat it or separate by commas
    #[arg(long = "role", required = true, value_delimiter = ',', value_name = "ROLE", value_parser = role)]
    pub roles: Vec<assay_domain::Role>,
    /// What the key is for, to people
    #[arg(long, default_value = "", hide_default_value = true, value_name = "TEXT")]
    pub name: String,
    /// Days that it lives; without them it does not end
    #[arg(long, value_name = "DAYS")]
    pub expires: Option<u32>,
    /// The keys file; else the one that the settings name
    #[arg(long, value_name = "FILE")]
    pub file: Option<PathBuf>,
}

/// Pick a key.
#[derive(Debug, Args)]
pub struct KeysPick {
    /// Its id, the part between the underscores
    pub id: String,
    /// The keys file; else the one that the settings name
    #[arg(long, value_name = "FILE")]
    pub file: Option<PathBuf>,
}

fn role(name: &str) -> Result<assay_domain::Role, String> {
    assay_domain::Role::from_name(name).ok_or_else(|| {
        let all: Vec<&str> = assay_domain::Role::ALL.iter().map(|role| role.as_str()).collect();
        format!("the roles are {}", all.join(", "))
    })
}

/// Local embedding models.
#[derive(Debug, Subcommand)]
pub enum Models {
    /// What is there and whether its checksums hold
    List,
    /// Fetch the embedding model, checksums verified
    Pull {
        /// Say what failed and exit 0 if no place can be reached
        #[arg(long)]
        optional: bool,
    },
}

/// Settings.
#[derive(Debug, Subcommand)]
pub enum Config {
    /// The effective settings
    Show,
    /// Every setting with its default, as a settings file
    Docs,
    /// Read the settings and say what is wrong
    Check,
}
