//! The command line of a process.

use std::ffi::OsString;
use std::path::PathBuf;

/// What a process is asked to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Action {
    /// Serve until a signal says stop.
    #[default]
    Serve,
    /// Say whether the settings are fine.
    Check,
    /// Print the effective settings; secrets are masked.
    Dump,
}

/// The command line of a process.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Arguments {
    /// Settings file.
    pub config: Option<PathBuf>,
    /// What to do.
    pub action: Action,
}

impl Arguments {
    /// Reads `[--config FILE] [--check | --dump-config]`; a lone `FILE` means `--config FILE`.
    ///
    /// # Errors
    /// A sentence if the words are not understood.
    pub fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Self, String> {
        let mut arguments = Self::default();
        let mut words = words.into_iter();
        while let Some(word) = words.next() {
            match word.to_str() {
                Some("--check") => arguments.action = Action::Check,
                Some("--dump-config") => arguments.action = Action::Dump,
                Some("--config") => {
                    let file = words.next().ok_or("--config needs a file")?;
                    arguments.config = Some(PathBuf::from(file));
                }
                Some(word) if word.starts_with("--config=") => {
                    arguments.config = word.strip_prefix("--config=").map(PathBuf::from);
                }
                Some(word) if word.starts_with('-') => return Err(format!("{word} is not known")),
                _ if arguments.config.is_none() => arguments.config = Some(PathBuf::from(word)),
                _ => return Err(format!("{} is one word too many", word.display())),
            }
        }
        Ok(arguments)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_command_line_is_understood_or_refused() {
        let parse = |words: &[&str]| Arguments::parse(words.iter().map(OsString::from));
        let file = Some(PathBuf::from("a.toml"));
        let serve = Arguments { config: file.clone(), action: Action::Serve };
        assert_eq!(parse(&["--config", "a.toml"]), Ok(serve.clone()));
        assert_eq!(parse(&["--config=a.toml"]), Ok(serve.clone()));
        assert_eq!(parse(&["a.toml"]), Ok(serve));
        assert_eq!(parse(&["a.toml", "--check"]), Ok(Arguments { config: file, action: Action::Check }));
        assert_eq!(parse(&["--dump-config"]).unwrap().action, Action::Dump);
        assert!(parse(&["--config"]).is_err() && parse(&["-x"]).is_err() && parse(&["a", "b"]).is_err());
    }
}
