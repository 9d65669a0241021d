//! Prints texts a CPU second of an embedding model: `speed FOLDER TEXTS [REPEATS]`, one text a line, on one core.
//!
//! `libs/models/benches/peer.py` measures ONNX Runtime on the same file and texts.
#![allow(clippy::print_stdout, clippy::disallowed_methods)]

use assay_models::{Embedder, Files, Limits};
use std::error::Error;
use std::path::Path;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(folder), Some(texts)) = (args.next(), args.next()) else {
        return Err("usage: speed FOLDER TEXTS [REPEATS]".into());
    };
    let repeats: usize = args.next().map_or(Ok(1), |text| text.parse())?;
    let texts = std::fs::read_to_string(texts)?;
    let texts: Vec<&str> = texts.lines().filter(|line| !line.is_empty()).collect();
    let (start, before) = (Instant::now(), cpu_seconds()?);
    let limits = Limits { cores: 1, max_tokens: 256, ..Limits::default() };
    let model = Embedder::load(&Files::in_folder(Path::new(&folder))?, limits)?;
    let loaded = start.elapsed();
    model.embed(&["first answer"], &|| false)?;
    println!(
        "load {:.0} ms, with the first answer {:.0} ms ({:.2} CPU s)",
        loaded.as_secs_f64() * 1e3,
        start.elapsed().as_secs_f64() * 1e3,
        cpu_seconds()? - before
    );
    let before = cpu_seconds()?;
    for _ in 0..repeats {
        model.embed(&texts, &|| false)?;
    }
    let spent = cpu_seconds()? - before;
    let count = texts.len() * repeats;
    println!("rten: {count} texts, {:.1} texts a CPU second", count as f64 / spent);
    Ok(())
}

/// CPU time of this process, user and system, in seconds; Linux only, in ticks of 10 ms.
fn cpu_seconds() -> Result<f64, Box<dyn Error>> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |at: usize| {
        fields.get(at).ok_or("short /proc/self/stat")?.parse::<f64>().map_err(Box::<dyn Error>::from)
    };
    Ok((ticks(11)? + ticks(12)?) / 100.0)
}
