//! Prints what the shipped reader says of pairs: `read [CORES]`, lines of `{"window", "statement"}` on standard input.
//!
//! A line of the output is `[says, open, denies]`, probabilities from 0 to 1. Time and memory go to standard error.
#![allow(clippy::print_stdout, clippy::print_stderr, clippy::disallowed_methods)]

use assay_models::{Files, Limits, Reader, Reading, Weights, Window};
use serde::Deserialize;
use std::io::BufRead as _;
use std::path::Path;
use std::time::Instant;

#[derive(Deserialize)]
struct Pair {
    window: String,
    statement: String,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let cores = std::env::args().nth(1).map_or(Ok(1), |text| text.parse())?;
    let files = Files::in_folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("reader"))?;
    let started = Instant::now();
    let reader = Reader::load(&Weights::Files(files), Limits { cores, ..Limits::default() })?;
    eprintln!("loaded in {} ms", started.elapsed().as_millis());
    let lines = std::io::stdin().lock().lines();
    let pairs: Vec<Pair> = lines
        .map(|line| Ok(serde_json::from_str(&line?)?))
        .collect::<Result<_, Box<dyn std::error::Error>>>()?;
    let asked: Vec<(Window<'_>, &str)> =
        pairs.iter().map(|pair| (Window::of(&pair.window), pair.statement.as_str())).collect();
    let started = Instant::now();
    let read = reader.read(&asked, &|| false)?;
    eprintln!("{} pairs in {} ms on {cores} cores", asked.len(), started.elapsed().as_millis());
    // Anonymous memory, in a file of lines `NAME: KB kB`; Linux only.
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    status.lines().filter(|line| line.starts_with("RssAnon")).for_each(|line| eprintln!("{line}"));
    for Reading { says, open, denies } in read {
        println!("[{says:.5}, {open:.5}, {denies:.5}]");
    }
    Ok(())
}
