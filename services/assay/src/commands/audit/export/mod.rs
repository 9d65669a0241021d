//! `assay audit export`: the log as lines, or its records as a table in Parquet.

mod table;

use std::io::{BufWriter, Write};
use std::path::Path;

use assay_audit::exported;
use assay_domain::{Code, Failure};
use assay_proto::audit as wire;
use clap::CommandFactory as _;
use clap::error::ErrorKind;
use futures::StreamExt as _;
use tempfile::NamedTempFile;
use tonic::Streaming;

use super::args::{Export, Filters, Format};
use super::filters::Wanted;
use crate::cli::Cli;
use crate::clients::{Clients, LONG_BUDGET, failure};
use crate::flags::Global;

/// Whether the command line asks for some lines of the log, which nobody could verify; it is told.
pub(super) fn refused(args: &Export) -> bool {
    let refused = args.format == Format::Jsonl && args.filters != Filters::default();
    if refused {
        let text = "filters need --format parquet: of JSON Lines a part cannot be verified, so they hold the whole log";
        let _ = Cli::command().error(ErrorKind::ArgumentConflict, text).print();
    }
    refused
}

/// Runs the command. A file appears under its name once it is whole; only its owner can read it.
///
/// # Errors
/// What audit says; `INVALID_ARGUMENT` for a file that cannot be written.
pub(super) async fn run(global: &Global, args: &Export, clients: &Clients) -> Result<u8, Failure> {
    let wanted = Wanted::of(&args.filters)?;
    let context = clients.context(LONG_BUDGET);
    let lines = clients.audit()?.export(context.request(wire::ExportRequest {})).await.map_err(failure)?;
    let lines = lines.into_inner();
    let Some(output) = &args.output else {
        print(lines).await?;
        return Ok(0);
    };
    let cannot = |error: &dyn std::fmt::Display| {
        let text = format!("{} cannot be written: {error}", output.display());
        Failure::new(Code::InvalidArgument, text).field("output")
    };
    let folder = output.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let beside = NamedTempFile::new_in(folder).map_err(|error| cannot(&error))?;
    let (file, what) = match args.format {
        Format::Jsonl => (copied(lines, BufWriter::new(beside), &cannot).await?, "lines"),
        Format::Parquet => (written(lines, &wanted, BufWriter::new(beside), &cannot).await?, "records"),
    };
    let (beside, count) = file;
    beside.as_file().sync_all().map_err(|error| cannot(&error))?;
    beside.persist(output).map_err(|error| cannot(&error.error))?;
    if global.json {
        println!("{:#}", serde_json::json!({ "output": output, "count": count }));
    } else {
        println!("{count} {what} in {}", output.display());
    }
    Ok(0)
}

async fn print(mut lines: Streaming<wire::ExportResponse>) -> Result<(), Failure> {
    while let Some(line) = lines.next().await {
        println!("{}", line.map_err(failure)?.line);
    }
    Ok(())
}

type Written = Result<(NamedTempFile, u64), Failure>;

async fn copied(
    mut lines: Streaming<wire::ExportResponse>,
    mut file: BufWriter<NamedTempFile>,
    cannot: &dyn Fn(&dyn std::fmt::Display) -> Failure,
) -> Written {
    let mut count = 0;
    while let Some(line) = lines.next().await {
        writeln!(file, "{}", line.map_err(failure)?.line).map_err(|error| cannot(&error))?;
        count += 1;
    }
    Ok((file.into_inner().map_err(|error| cannot(error.error()))?, count))
}

async fn written(
    mut lines: Streaming<wire::ExportResponse>,
    wanted: &Wanted<'_>,
    file: BufWriter<NamedTempFile>,
    cannot: &dyn Fn(&dyn std::fmt::Display) -> Failure,
) -> Written {
    let mut table = table::Table::new(file).map_err(|error| cannot(&error))?;
    let mut count = 0;
    while let Some(line) = lines.next().await {
        if let Some(one) = exported(&line.map_err(failure)?.line)?
            && wanted.has(&one.record)
        {
            table.add(&one).map_err(|error| cannot(&error))?;
            count += 1;
        }
    }
    let file = table.finish().map_err(|error| cannot(&error))?;
    Ok((file.into_inner().map_err(|error| cannot(error.error()))?, count))
}
