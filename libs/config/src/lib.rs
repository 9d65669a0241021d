//! Settings of a process: defaults, then a TOML file, then the environment; unknown keys are errors.
//!
//! A service's options are a serde type with `deny_unknown_fields` and defaults. The environment names a field as
//! `ASSAY_<SECTION>__<FIELD>`; the flat names that the contract promises (`AVAP_PARSER_TIMEOUT`, …) are given as a
//! table of pairs and win over the prefixed form.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use config::{Config, File, FileFormat};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A flat environment name of the contract and the key it sets, e.g. `("AVAP_PARSER_TIMEOUT", "validation.parser_timeout")`.
pub type FlatName = (&'static str, &'static str);

/// A key that settings had once, and what took its place, e.g. `("service.judge", "reader.kind = \"served\"")`.
pub type Gone = (&'static str, &'static str);

/// Why settings could not be read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file is missing or not TOML, or a value does not fit.
    #[error("{0}")]
    Invalid(String),
    /// A key that is gone is set.
    #[error("{key} is gone; its successor is {successor}")]
    Gone {
        /// The key.
        key: &'static str,
        /// What took its place.
        successor: &'static str,
    },
    /// The file cannot be read.
    #[error("cannot read {path}: {source}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

/// The environment as a value, so that tests can give their own.
pub type Environment = BTreeMap<String, String>;

/// The environment of this process.
#[must_use]
pub fn environment() -> Environment {
    std::env::vars_os()
        .filter_map(|(key, value)| Some((key.into_string().ok()?, value.into_string().ok()?)))
        .collect()
}

/// Reads settings: defaults of `T`, then `file` if given, then `environment`.
///
/// # Errors
/// If the file cannot be read, a key is unknown or a value does not fit; the message names the key.
pub fn load<T>(file: Option<&Path>, environment: &Environment, flat: &[FlatName]) -> Result<T, Error>
where
    T: DeserializeOwned + Serialize + Default,
{
    load_without(file, environment, flat, &[])
}

/// Reads settings as [`load`] does; a key of `gone` is refused with its successor.
///
/// # Errors
/// As [`load`], and [`Error::Gone`].
pub fn load_without<T>(
    file: Option<&Path>,
    environment: &Environment,
    flat: &[FlatName],
    gone: &[Gone],
) -> Result<T, Error>
where
    T: DeserializeOwned + Serialize + Default,
{
    let read = |path: &Path| {
        std::fs::read_to_string(path).map_err(|source| Error::Unreadable { path: path.to_owned(), source })
    };
    parse_without(&file.map(read).transpose()?.unwrap_or_default(), environment, flat, gone)
}

/// Reads settings as [`load`] does, from the text of a file.
///
/// # Errors
/// If a key is unknown or a value does not fit; the message names the key.
pub fn parse<T>(text: &str, environment: &Environment, flat: &[FlatName]) -> Result<T, Error>
where
    T: DeserializeOwned + Serialize + Default,
{
    parse_without(text, environment, flat, &[])
}

/// Reads settings as [`parse`] does; a key of `gone` is refused with its successor.
///
/// # Errors
/// As [`parse`], and [`Error::Gone`].
pub fn parse_without<T>(
    text: &str,
    environment: &Environment,
    flat: &[FlatName],
    gone: &[Gone],
) -> Result<T, Error>
where
    T: DeserializeOwned + Serialize + Default,
{
    let invalid = |error: config::ConfigError| Error::Invalid(error.to_string());
    let defaults = toml::to_string(&T::default()).map_err(|error| Error::Invalid(error.to_string()))?;
    let mut builder = Config::builder()
        .add_source(File::from_str(&defaults, FileFormat::Toml))
        .add_source(File::from_str(text, FileFormat::Toml));
    for (name, value) in environment {
        if let Some(key) = name.strip_prefix("ASSAY_").filter(|key| key.contains("__")) {
            builder = builder
                .set_override(key.to_ascii_lowercase().replace("__", "."), value.as_str())
                .map_err(invalid)?;
        }
    }
    for (name, key) in flat {
        if let Some(value) = environment.get(*name) {
            builder = builder.set_override(*key, value.as_str()).map_err(invalid)?;
        }
    }
    let config = builder.build().map_err(invalid)?;
    let set = |key: &str| config.get::<config::Value>(key).is_ok();
    if let Some((key, successor)) = gone.iter().find(|(key, _)| set(key)) {
        return Err(Error::Gone { key, successor });
    }
    config.clone().try_deserialize().map_err(|error| Error::Invalid(told::<T>(&config, &error)))
}

/// The words of an error; a value that an enum does not have is told with the values that it has.
fn told<T>(config: &Config, error: &config::ConfigError) -> String
where
    T: DeserializeOwned + Serialize + Default,
{
    let listed = || {
        let config::ConfigError::At { error: inner, key: Some(key), .. } = error else { return None };
        if !matches!(**inner, config::ConfigError::Message(_)) {
            return None;
        }
        // The defaults with this one value, read by a reader that lists what it expects.
        let mut table = toml::Table::try_from(T::default()).ok()?;
        let (path, name) = key.rsplit_once('.').unwrap_or(("", key.as_str()));
        let value = toml::Value::String(config.get_string(key).ok()?);
        let (name, value) = match name.split_once('[') {
            Some((name, _)) => (name, toml::Value::Array(vec![value])),
            None => (name, value),
        };
        let mut section = &mut table;
        for part in path.split('.').filter(|part| !part.is_empty()) {
            section = section.get_mut(part)?.as_table_mut()?;
        }
        section.insert(name.to_owned(), value);
        let error = table.try_into::<T>().err()?;
        error.message().contains("expected").then(|| format!("{} for key `{key}`", error.message()))
    };
    listed().unwrap_or_else(|| error.to_string())
}

/// The effective settings as TOML, for `--dump-config`. Secrets serialize as their own type decides.
///
/// # Errors
/// If a value has no TOML form.
pub fn dump<T: Serialize>(settings: &T) -> Result<String, Error> {
    toml::to_string_pretty(settings).map_err(|error| Error::Invalid(error.to_string()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[derive(Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Kind {
        #[default]
        Fast,
        Slow,
    }

    #[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize)]
    #[serde(deny_unknown_fields, default)]
    struct Parser {
        timeout: f64,
        url: String,
        kind: Kind,
        kinds: Vec<Kind>,
    }

    impl Default for Parser {
        fn default() -> Self {
            Self { timeout: 2.0, url: "http://localhost".into(), kind: Kind::Fast, kinds: vec![] }
        }
    }

    #[derive(Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
    #[serde(deny_unknown_fields, default)]
    struct Settings {
        parser: Parser,
    }

    const FLAT: &[FlatName] = &[("AVAP_PARSER_TIMEOUT", "parser.timeout")];

    fn env(pairs: &[(&str, &str)]) -> Environment {
        pairs.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect()
    }

    #[test]
    fn environment_overrides_file_and_file_overrides_default() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("assay.toml");
        std::fs::write(&path, "[parser]\ntimeout = 5\nurl = \"http://file\"\n").unwrap();
        let got: Settings = load(Some(&path), &env(&[("ASSAY_PARSER__URL", "http://env")]), FLAT).unwrap();
        assert_eq!(
            got.parser,
            Parser { timeout: 5.0, url: "http://env".into(), kind: Kind::Fast, kinds: vec![] }
        );
        let got: Settings = load(Some(&path), &env(&[("AVAP_PARSER_TIMEOUT", "0.5")]), FLAT).unwrap();
        assert!((got.parser.timeout - 0.5).abs() < f64::EPSILON);
    }

    #[test]
    fn an_unknown_key_and_a_wrong_value_are_named() {
        let error = load::<Settings>(None, &env(&[("ASSAY_PARSER__TIMEOUTT", "1")]), FLAT).unwrap_err();
        assert!(error.to_string().contains("timeoutt"), "{error}");
        let error = load::<Settings>(None, &env(&[("AVAP_PARSER_TIMEOUT", "soon")]), FLAT).unwrap_err();
        assert!(error.to_string().contains("timeout"), "{error}");
    }

    #[test]
    fn an_unknown_choice_is_told_with_the_known_ones() {
        let error = load::<Settings>(None, &env(&[("ASSAY_PARSER__KIND", "foo")]), FLAT).unwrap_err();
        assert_eq!(
            error.to_string(),
            "unknown variant `foo`, expected `fast` or `slow` for key `parser.kind`"
        );
        let read: Settings = load(None, &env(&[("ASSAY_PARSER__KIND", "slow")]), FLAT).unwrap();
        assert_eq!(read.parser.kind, Kind::Slow);
        let error = parse::<Settings>("[parser]\nkinds = [\"slow\", \"foo\"]", &env(&[]), FLAT).unwrap_err();
        assert_eq!(
            error.to_string(),
            "unknown variant `foo`, expected `fast` or `slow` for key `parser.kinds[1]`"
        );
    }

    #[test]
    fn a_dump_reads_back_as_the_same_settings() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("assay.toml");
        std::fs::write(&path, dump(&Settings::default()).unwrap()).unwrap();
        assert_eq!(load::<Settings>(Some(&path), &Environment::new(), FLAT).unwrap(), Settings::default());
    }
}
