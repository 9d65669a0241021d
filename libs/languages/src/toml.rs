//! TOML, through the `toml` crate.

use assay_domain::code::{Category, Diagnostic};

use super::place::{Source, clip};
use super::watch::{Halt, TooLarge, Watch};

/// Bytes of a document that are read; the reader cannot be ended while it reads.
const MOST: usize = 256 * 1024;

/// The findings about a document; one at most.
pub(super) fn parse(code: &str, watch: &Watch<'_>) -> Result<Vec<Diagnostic>, Halt<TooLarge>> {
    if code.len() > MOST {
        return Err(Halt::Other(TooLarge { what: "bytes of TOML", size: code.len(), most: MOST }));
    }
    let read = toml::from_str::<toml::Table>(code);
    watch.ask()?;
    let Err(failure) = read else { return Ok(Vec::new()) };
    let range = failure.span().unwrap_or(0..0);
    let near = code.get(range.clone()).map(clip).unwrap_or_default();
    let what = failure.message().lines().next().unwrap_or("this is no TOML").to_owned();
    let blank = |text: &str| text.trim_matches([' ', '\t']).is_empty();
    let before = code.get(..range.start).unwrap_or_default().trim_end_matches([' ', '\t']);
    let line = code.get(range.start..).unwrap_or_default().lines().next().unwrap_or_default();
    let bare = before.ends_with('=') && blank(line);
    let what = if bare { "a value is missing after '='".to_owned() } else { what };
    let message = if near.is_empty() { what } else { format!("{what}, near '{near}'") };
    Ok(vec![Source::new(code).error(range, "TOML001", Category::SyntaxError, message)])
}
