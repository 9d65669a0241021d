//! Prints what a model does in a CPU second: `speed FOLDER TEXTS [REPEATS]`, one text a line, on one core.
//!
//! Lines with a tab are pairs, window first: they go to a reader, the others to an embedding model.
//! `libs/models/benches/peer.py` measures ONNX Runtime on the same file and texts beside it.
#![allow(clippy::print_stdout, clippy::disallowed_methods)]

use assay_models::{Embedder, Files, Limits, Pooling, Reader, Weights, Window};
use std::error::Error;
use std::path::Path;
use std::time::Instant;

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    let mut args = std::env::args().skip(1);
    let (Some(folder), Some(texts)) = (args.next(), args.next()) else {
        return Err("usage: speed FOLDER TEXTS [REPEATS]".into());
    };
    let repeats: usize = args.next().map_or(Ok(1), |text| text.parse())?;
    let texts = std::fs::read_to_string(texts)?;
    let lines: Vec<&str> = texts.lines().filter(|line| !line.is_empty()).collect();
    let pairs: Option<Vec<(Window<'_>, &str)>> =
        lines.iter().map(|line| line.split_once('\t').map(pair)).collect();
    let files = Files::in_folder(Path::new(&folder))?;
    let limits = Limits { cores: 1, max_tokens: 256, ..Limits::default() };
    let (start, before) = (Instant::now(), cpu_seconds()?);
    match pairs {
        Some(pairs) => {
            let model = Reader::load(&Weights::Files(files), limits)?;
            loaded(start, before)?;
            measure(&pairs, repeats, |pairs| model.read(pairs, &|| false).map(drop).map_err(Into::into))
        }
        None => {
            let model = Embedder::load(&files, limits, Pooling::Mean)?;
            loaded(start, before)?;
            measure(&lines, repeats, |texts| model.embed(texts, &|| false).map(drop).map_err(Into::into))
        }
    }
}

fn pair<'a>((window, statement): (&'a str, &'a str)) -> (Window<'a>, &'a str) {
    (Window::of(window), statement)
}

/// Loading runs the model once: the next answer is not the first.
fn loaded(start: Instant, before: f64) -> Outcome<()> {
    let spent = cpu_seconds()? - before;
    println!("loaded and warm in {:.0} ms ({spent:.2} CPU s)", start.elapsed().as_secs_f64() * 1e3);
    Ok(())
}

/// All together for the CPU time, then each by itself for the wait of one caller.
fn measure<T>(inputs: &[T], repeats: usize, run: impl Fn(&[T]) -> Outcome<()>) -> Outcome<()> {
    let before = cpu_seconds()?;
    for _ in 0..repeats {
        run(inputs)?;
    }
    let spent = cpu_seconds()? - before;
    let count = inputs.len() * repeats;
    println!("rten: {count} inputs, {:.1} a CPU second", count as f64 / spent);
    let mut waits = Vec::with_capacity(count);
    for input in std::iter::repeat_n(inputs, repeats).flatten() {
        let start = Instant::now();
        run(std::slice::from_ref(input))?;
        waits.push(start.elapsed().as_secs_f64() * 1e3);
    }
    waits.sort_by(f64::total_cmp);
    let at = |share: usize| waits.get(waits.len() * share / 100).copied().unwrap_or_default();
    println!("one at a time: p10 {:.1} ms, p50 {:.1} ms, p90 {:.1} ms", at(10), at(50), at(90));
    Ok(())
}

/// CPU time of this process, user and system, in seconds; Linux only, in ticks of 10 ms.
fn cpu_seconds() -> Outcome<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |at: usize| {
        fields.get(at).ok_or("short /proc/self/stat")?.parse::<f64>().map_err(Box::<dyn Error>::from)
    };
    Ok((ticks(11)? + ticks(12)?) / 100.0)
}
