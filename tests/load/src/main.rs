//! Benchmarks of whole requests: percentiles of `Ask` per query type and the share of each service, read from the traces.
//!
//! The model is scripted and answers at once, so that what is measured is Assay: routing, search, checks, record and
//! the calls between services. The same requests go to the embedded system and to separate processes, in turns, so that the
//! ratio of the two is taken on the same machine in the same minute.
#![allow(clippy::disallowed_methods, reason = "a benchmark reads the clock itself")]

mod mix;
mod report;
mod system;
mod trace;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::Context as _;
use clap::Parser;

use crate::mix::Kind;
use crate::report::Series;
use crate::system::{Layout, System};

/// p50 and p99 of whole requests per query type, and where the time goes.
#[derive(Debug, Parser)]
#[command(name = "assay-bench")]
struct Arguments {
    /// The program to measure; build it with optimisation
    #[arg(long, default_value = "target/release/assay")]
    assay: PathBuf,
    /// Measured requests per query type and layout
    #[arg(long, default_value_t = 200)]
    requests: usize,
    /// Requests before the measurement, per query type and layout
    #[arg(long, default_value_t = 20)]
    warm_up: usize,
    /// Layouts to measure
    #[arg(long, value_delimiter = ',', default_value = "embedded,processes")]
    layouts: Vec<Layout>,
    /// Machine-readable result on standard output
    #[arg(long)]
    json: bool,
}

#[tokio::main]
async fn main() -> ExitCode {
    // A second installation is harmless: the first one stays.
    let _ = rustls::crypto::ring::default_provider().install_default();
    match run(Arguments::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            #[allow(clippy::print_stderr, reason = "the last word of a program")]
            {
                eprintln!("assay-bench: {error:#}");
            }
            ExitCode::FAILURE
        }
    }
}

async fn run(arguments: Arguments) -> anyhow::Result<()> {
    let model = mix::model().await.context("the scripted model server")?;
    let client = reqwest::Client::builder().pool_max_idle_per_host(1).build()?;
    let mut systems = Vec::new();
    for layout in &arguments.layouts {
        progress(format_args!("starting: {}", layout.name()));
        systems.push(System::start(*layout, &arguments.assay, &model.base_url()).await?);
    }
    let mut series = Vec::new();
    for kind in Kind::ALL {
        let mut seconds: Vec<Vec<f64>> = vec![Vec::with_capacity(arguments.requests); systems.len()];
        progress(format_args!("{}: {} requests to each layout", kind.name(), arguments.requests));
        for round in 0..arguments.warm_up + arguments.requests {
            for (index, system) in systems.iter().enumerate() {
                let begin = Instant::now();
                kind.ask(&client, system.address(), round).await?;
                if round >= arguments.warm_up {
                    seconds[index].push(begin.elapsed().as_secs_f64());
                }
            }
        }
        for (system, seconds) in systems.iter().zip(seconds) {
            series.push(Series { layout: system.layout(), kind, seconds, shares: trace::Shares::default() });
        }
    }
    for system in systems {
        let layout = system.layout();
        let shares = trace::shares(&system.stop().await?);
        for entry in series.iter_mut().filter(|entry| entry.layout == layout) {
            entry.shares = shares.get(entry.kind.name()).cloned().unwrap_or_default();
        }
    }
    report::print(&series, arguments.json)
}

/// A line about the work under way, on standard error.
#[allow(clippy::print_stderr, reason = "a benchmark shows its progress")]
fn progress(line: std::fmt::Arguments<'_>) {
    eprintln!("{line}");
}
