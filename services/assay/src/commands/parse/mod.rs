//! `assay parse`: programs in, diagnostics out.

mod args;

pub use args::{Form, Parse};

use std::path::Path;

use assay_api as api;
use assay_domain::code::ParsedBlock;
use assay_domain::{BlockStatus, Code, Diagnostic, Failure};
use assay_languages as languages;
use assay_proto::parser as wire;
use serde::Serialize;
use serde_json::{Value, json};

use crate::batch;
use crate::clients::{BUDGET, Clients, LONG_BUDGET, failure, fits};
use crate::commands::fmt;
use crate::exit;
use crate::flags::Global;
use crate::output::shown;
use crate::report::{self, Judged};

/// A parsed program.
pub(super) struct Parsed {
    pub(super) status: BlockStatus,
    pub(super) diagnostics: Vec<Diagnostic>,
    pub(super) version: String,
    pub(super) grammar_hash: String,
    /// The code blocks of a Markdown text; its findings then count the lines of the text.
    blocks: Option<Vec<ParsedBlock>>,
}

/// Runs the command.
///
/// # Errors
/// What the parser says, or a file that cannot be read.
pub async fn run(global: &Global, args: &Parse, clients: &Clients) -> Result<u8, Failure> {
    let options = wire::ParseOptions {
        server_compat: args.reading.server_compat,
        profiles: args.reading.profiles.clone(),
    };
    if let Some(path) = &args.jsonl {
        return batch(args, clients, path, options).await;
    }
    let mut files = Vec::new();
    let mut code = args.files.iter().map(|path| fmt::collect(path, &mut files)).fold(0, u8::max);
    if args.files.is_empty() {
        files.push(Path::new("-").to_path_buf());
    }
    let form = args.format.unwrap_or(if global.json { Form::Json } else { Form::Text });
    let mut judged = Vec::new();
    for path in &files {
        let parsed = match is_markdown(args, path) {
            true => answer(clients, path, &options).await,
            false => one(args, clients, path, &options).await,
        };
        let (text, parsed) = match parsed {
            Ok(found) => found,
            // What is wrong with one file does not keep the others from being read.
            Err(failure)
                if files.len() > 1
                    && exit::code(&failure) == exit::INVALID
                    && !failure.field.starts_with("options") =>
            {
                exit::tell(&failure);
                code = exit::note(exit::INVALID);
                if form == Form::Json {
                    println!("{:#}", json!(exit::Failed::of(path, &failure)));
                }
                continue;
            }
            Err(failure) => return Err(failure),
        };
        let valid = parsed.status == BlockStatus::Valid;
        if !valid {
            code = exit::note(exit::INVALID);
        }
        if form == Form::Json {
            println!("{:#}", row(&parsed, Some(path)));
            continue;
        }
        let program = Judged { path: path.clone(), text, found: parsed.diagnostics };
        match form {
            Form::Lsp => println!("{:#}", json!(report::published(&program)?)),
            Form::Sarif => judged.push(program),
            Form::Trace => report::trace(path, &program.found, files.len() > 1),
            Form::Text | Form::Json => {
                report::print(path, &program.text, &program.found);
                let blocks = match &parsed.blocks {
                    Some(blocks) if blocks.len() == 1 => " (1 code block)".to_owned(),
                    Some(blocks) => format!(" ({} code blocks)", blocks.len()),
                    None => String::new(),
                };
                println!(
                    "{}: {}{blocks}",
                    shown(&path.display().to_string()),
                    if valid { "valid" } else { "INVALID" }
                );
            }
        }
    }
    if form == Form::Sarif {
        println!("{:#}", json!(report::sarif(&judged)));
    }
    Ok(code)
}

/// Reads and parses one file.
async fn one(
    args: &Parse,
    clients: &Clients,
    path: &Path,
    options: &wire::ParseOptions,
) -> Result<(String, Parsed), Failure> {
    let text = batch::read(path)?;
    let language = args.language.clone().map_or_else(|| language_of(path), Ok)?;
    let (parser, context) = (clients.parser()?, clients.context(BUDGET));
    let parsed = parse(parser, context, language.clone(), text.clone(), options.clone())
        .await
        .map_err(|failure| of(path, failure))?;
    if parsed.status == BlockStatus::NoGrammar {
        let text = format!(
            "{}: there is no grammar for {language:?}; `assay version` lists the languages",
            path.display()
        );
        return Err(Failure::new(Code::InvalidArgument, text).field("language"));
    }
    Ok((text, parsed))
}

/// A failure that is about one of several files names it.
fn of(path: &Path, mut failure: Failure) -> Failure {
    if matches!(failure.code, Code::PayloadTooLarge | Code::DeadlineExceeded) {
        failure.message = format!("{}: {}", path.display(), failure.message);
    }
    failure
}

/// A diagnostic code, as an object of the output; texts are Markdown.
#[derive(Serialize)]
struct Explained<'a> {
    code: &'a str,
    title: &'a str,
    /// Why it is a finding; only of AVAP, as are the programs.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'a str>,
    remedy: &'a str,
    /// A program that draws the finding.
    #[serde(skip_serializing_if = "Option::is_none")]
    bad: Option<&'a str>,
    /// A program that draws none.
    #[serde(skip_serializing_if = "Option::is_none")]
    good: Option<&'a str>,
}

/// Explains a diagnostic code.
///
/// # Errors
/// `INVALID_ARGUMENT` for a code that does not exist.
pub fn explain(global: &Global, code: &str) -> Result<u8, Failure> {
    let code = code.trim().to_ascii_uppercase();
    if let Some(meaning) = languages::meaning(&code) {
        if global.json {
            let languages::Meaning { title, remedy } = meaning;
            let explained = Explained { code: &code, title, why: None, remedy, bad: None, good: None };
            println!("{:#}", json!(explained));
        } else {
            println!("{code}: {}\n\n{}", meaning.title, meaning.remedy);
        }
        return Ok(0);
    }
    let found = assay_avap::explain(&code).ok_or_else(|| {
        let last = assay_avap::explanations().last().map_or("", |e| e.code.as_str());
        let text = format!(
            "there is no code {code:?}; those of AVAP run from AVAP001 to {last}, those of other languages \
             stand behind their findings, such as PY003"
        );
        Failure::new(Code::InvalidArgument, text).field("explain")
    })?;
    if global.json {
        let explained = Explained {
            code: &found.code,
            title: found.title(),
            why: Some(&found.why),
            remedy: &found.remedy,
            bad: Some(&found.bad),
            good: Some(&found.good),
        };
        println!("{:#}", json!(explained));
        return Ok(0);
    }
    let program = |text: &str| text.lines().map(|line| format!("    {line}\n")).collect::<String>();
    println!("{}: {}\n\n{}\n\n{}", found.code, found.title(), found.why, found.remedy);
    println!("\nA program that draws it:\n\n{}", program(&found.bad));
    println!("A program that does not:\n\n{}", program(&found.good));
    Ok(0)
}

fn language_of(path: &Path) -> Result<String, Failure> {
    match path.extension().and_then(|e| e.to_str()) {
        Some(extension) => Ok(extension.to_owned()),
        None if path == Path::new("-") => Ok("avap".to_owned()),
        None => {
            let text = format!("{} has no extension that names a language; say --language", path.display());
            Err(Failure::new(Code::InvalidArgument, text).field("language"))
        }
    }
}

pub(super) async fn parse(
    mut parser: wire::parser_service_client::ParserServiceClient<crate::clients::Link>,
    context: assay_rpc::Context,
    language: String,
    code: String,
    options: wire::ParseOptions,
) -> Result<Parsed, Failure> {
    fits("the code has", code.len())?;
    let request =
        wire::ParseRequest { programs: vec![wire::Program { language, code }], options: Some(options) };
    let reply = parser.parse(context.request(request)).await.map_err(failure)?.into_inner();
    let program =
        reply.programs.into_iter().next().ok_or_else(|| Failure::internal("the parser sent no result"))?;
    Ok(Parsed {
        status: assay_wire::block_status(program.state, String::new()),
        diagnostics: assay_wire::list_from_wire("diagnostics", program.diagnostics)?,
        version: reply.version,
        grammar_hash: reply.grammar_hash,
        blocks: None,
    })
}

/// Whether the code blocks of a file are meant, and not the file.
fn is_markdown(args: &Parse, path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let language = args.language.as_deref().unwrap_or(extension);
    ["md", "markdown"].iter().any(|name| language.eq_ignore_ascii_case(name))
}

/// Reads a Markdown text and parses its code blocks, each in the language that its fence names.
async fn answer(
    clients: &Clients,
    path: &Path,
    options: &wire::ParseOptions,
) -> Result<(String, Parsed), Failure> {
    let text = batch::read(path)?;
    fits("it has", text.len()).map_err(|failure| of(path, failure))?;
    let request = wire::ParseAnswerRequest {
        answer: text.clone(),
        options: Some(options.clone()),
        ..wire::ParseAnswerRequest::default()
    };
    let reply = clients.parser()?.parse_answer(clients.context(BUDGET).request(request)).await;
    let reply = reply.map_err(|status| of(path, failure(status)))?.into_inner();
    let blocks: Vec<ParsedBlock> = assay_wire::list_from_wire("blocks", reply.blocks)?;
    let lines = report::lines(&text);
    let found = |block: &ParsedBlock| -> Vec<Diagnostic> {
        block.diagnostics.iter().map(|d| placed(d, block, &lines)).collect()
    };
    let diagnostics = blocks.iter().flat_map(found).collect();
    let invalid = blocks.iter().any(|block| block.status == BlockStatus::Invalid);
    let status = if invalid { BlockStatus::Invalid } else { BlockStatus::Valid };
    let (version, grammar_hash) = (reply.version, reply.grammar_hash);
    Ok((text, Parsed { status, diagnostics, version, grammar_hash, blocks: Some(blocks) }))
}

/// A finding of a block where it stands in the text around it.
fn placed(found: &Diagnostic, block: &ParsedBlock, lines: &[&str]) -> Diagnostic {
    let line = block.block.first_line + found.line - 1;
    let index = |number: u32| usize::try_from(number.saturating_sub(1)).unwrap_or(usize::MAX);
    let code = report::lines(&block.block.code).get(index(found.line)).copied().unwrap_or_default();
    let outer = lines.get(index(line)).copied().unwrap_or_default();
    // Quotes and lists stand before the code.
    let before = if code.is_empty() { None } else { outer.rfind(code) };
    let shift = before.map_or(0, |at| u32::try_from(outer[..at].chars().count()).unwrap_or(0));
    Diagnostic { line, column: found.column + shift, end_column: found.end_column + shift, ..found.clone() }
}

/// A program, or an answer with its blocks, as an object of the output.
#[derive(Serialize)]
struct Row<'a> {
    #[serde(flatten)]
    parsed: api::Parsed<'a>,
    /// The code blocks; only of Markdown.
    #[serde(skip_serializing_if = "Option::is_none")]
    blocks: Option<Vec<Block<'a>>>,
    /// The file; left out in a batch.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
}

/// A code block of Markdown.
#[derive(Serialize)]
struct Block<'a> {
    language: &'a str,
    /// Whether the fence names the language.
    declared: bool,
    /// Line of the text at which its code begins, from 1.
    first_line: u32,
    /// `VALID`, `INVALID` or `NO_GRAMMAR`.
    state: &'static str,
    /// Number of diagnostics.
    findings: usize,
}

fn row(parsed: &Parsed, path: Option<&Path>) -> Value {
    let Parsed { status, diagnostics, version, grammar_hash, blocks } = parsed;
    json!(Row {
        parsed: api::Parsed::new(&Value::Null, status, diagnostics, version, grammar_hash),
        blocks: blocks.as_ref().map(|blocks| blocks.iter().map(block).collect()),
        path: path.map(|path| path.display().to_string()),
    })
}

fn block(parsed: &ParsedBlock) -> Block<'_> {
    Block {
        language: &parsed.block.language,
        declared: parsed.block.declared,
        first_line: parsed.block.first_line,
        state: match parsed.status {
            BlockStatus::Valid => "VALID",
            BlockStatus::NoGrammar => "NO_GRAMMAR",
            _ => "INVALID",
        },
        findings: parsed.diagnostics.len(),
    }
}

async fn batch(
    args: &Parse,
    clients: &Clients,
    path: &Path,
    options: wire::ParseOptions,
) -> Result<u8, Failure> {
    let parser = clients.parser()?;
    let context = clients.context(LONG_BUDGET);
    let lenient = args.lenient_input;
    let fixed = args.language.clone();
    let totals = batch::run(path, "programs parsed", |line| {
        let (parser, context, options, fixed) =
            (parser.clone(), context.clone(), options.clone(), fixed.clone());
        async move {
            let line: api::ToParse = batch::decode(&line, lenient, api::ToParse::FIELDS)?;
            let language = fixed.unwrap_or(line.language);
            let parsed = parse(parser, context.capped(BUDGET), language.clone(), line.code, options).await?;
            if parsed.status == BlockStatus::NoGrammar {
                return Err(format!("language: there is no grammar for {language:?}").into());
            }
            Ok(row(&parsed, None))
        }
    })
    .await?;
    Ok(totals.code)
}
