//! TOML, through the `toml` crate.

use assay_domain::code::{Category, Diagnostic};

use super::{clip, error};

pub(super) fn parse(code: &str) -> Vec<Diagnostic> {
    match toml::from_str::<toml::Table>(code) {
        Ok(_) => Vec::new(),
        Err(failure) => {
            let range = failure.span().unwrap_or(0..0);
            let near = code.get(range.clone()).map(clip).unwrap_or_default();
            let what = failure.message().lines().next().unwrap_or("this is no TOML").to_owned();
            let bare =
                code.get(..range.start).unwrap_or_default().trim_end_matches([' ', '\t']).ends_with('=')
                    && code
                        .get(range.start..)
                        .unwrap_or_default()
                        .trim_start_matches([' ', '\t'])
                        .lines()
                        .next()
                        .unwrap_or_default()
                        .is_empty();
            let what = if bare { "a value is missing after '='".to_owned() } else { what };
            let message = if near.is_empty() { what } else { format!("{what}, near '{near}'") };
            vec![error(code, range, "TOML001".to_owned(), Category::SyntaxError, message)]
        }
    }
}
