//! `assay lsp`: the language server over standard input and output.

use assay_domain::Failure;

use crate::flags::Reading;
use crate::lsp;
use crate::settings::Settings;

/// Runs the command: serves until the editor says goodbye. 0 after a shutdown, 1 if it went away without one.
///
/// # Errors
/// `INVALID_ARGUMENT` for an unknown profile.
pub fn run(reading: &Reading, settings: &Settings) -> Result<u8, Failure> {
    let options = settings.avap(reading)?;
    let served = lsp::serve(&mut std::io::stdin().lock(), &mut std::io::stdout().lock(), &options);
    // An editor that has gone away needs no more answers.
    Ok(served.unwrap_or(1))
}
