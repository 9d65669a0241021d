//! Answers to standard output, in a thread that may wait for whoever reads them; words and progress to standard error.

use std::io::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TryRecvError;

use crate::say;

/// A line of the output, and what is said about it on standard error.
#[derive(Debug)]
pub(super) struct Row {
    /// One line, without its end.
    pub text: String,
    /// What is wrong with it.
    pub told: Option<String>,
}

/// Prints rows until there are no more, and counts those that are written; whoever reads gets what there is as soon as
/// there is no more of it.
pub(super) fn print(
    mut rows: mpsc::Receiver<Row>,
    what: &'static str,
    written: &AtomicU64,
) -> std::io::Result<()> {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    bar.set_style(
        ProgressStyle::with_template("{spinner} {pos} {msg} ({per_sec}, {elapsed})")
            .unwrap_or_else(|_| ProgressStyle::default_spinner()),
    );
    bar.set_message(what);
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    // Rows that are in the buffer still.
    let mut held = 0;
    loop {
        let row = match rows.try_recv() {
            Ok(row) => row,
            Err(TryRecvError::Disconnected) => break,
            Err(TryRecvError::Empty) => {
                out.flush()?;
                written.fetch_add(std::mem::take(&mut held), Ordering::Relaxed);
                match rows.blocking_recv() {
                    Some(row) => row,
                    None => break,
                }
            }
        };
        if let Some(told) = &row.told {
            bar.suspend(|| say!("{told}"));
        }
        writeln!(out, "{}", row.text)?;
        held += 1;
        bar.inc(1);
    }
    bar.finish_and_clear();
    out.flush()?;
    written.fetch_add(held, Ordering::Relaxed);
    Ok(())
}
