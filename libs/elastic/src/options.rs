//! The section `[elasticsearch]`: an existing cluster, how to reach it, and how its indexes are made.

use assay_domain::{Code, Failure};
use serde::{Deserialize, Deserializer, Serialize};
use std::path::PathBuf;

/// How nearest neighbours are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Neighbours {
    /// A graph over vectors of one byte a component; the best are scored again with the full vectors.
    #[default]
    Hnsw,
    /// Every vector is compared.
    Exact,
}

/// An existing Elasticsearch cluster.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Addresses of its nodes, `https://HOST:PORT`; one that does not answer is asked last. In the environment they
    /// are separated by commas.
    #[serde(deserialize_with = "list")]
    pub urls: Vec<String>,
    /// File with an encoded API key; empty means none.
    pub api_key_file: PathBuf,
    /// User name; empty means none.
    pub user: String,
    /// File with the password of `user`.
    pub password_file: PathBuf,
    /// File with the certificates, in PEM, that sign those of the nodes; empty means the well-known ones alone.
    pub ca_file: PathBuf,
    /// Beginning of the name of every index and alias.
    pub prefix: String,
    /// Shards of a collection's index, 1 to 1024.
    pub shards: u16,
    /// Copies of each shard, 0 to 10. With 0 a lost node loses what it held.
    pub replicas: u16,
    /// How nearest neighbours are found: `hnsw` or `exact`. An index keeps the one it was made with.
    pub neighbours: Neighbours,
    /// Milliseconds, 0 to 30000, for which the current index of a collection is taken as known; 0 asks before each search.
    pub alias_ms: u32,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            urls: Vec::new(),
            api_key_file: PathBuf::new(),
            user: String::new(),
            password_file: PathBuf::new(),
            ca_file: PathBuf::new(),
            prefix: "assay".to_owned(),
            shards: 1,
            replicas: 1,
            neighbours: Neighbours::Hnsw,
            alias_ms: 1000,
        }
    }
}

impl Options {
    /// Refuses settings that cannot work. `section` is where they stand, as in `retrieval.elasticsearch`.
    ///
    /// # Errors
    /// `CONFIGURATION`, naming the setting.
    pub fn check(&self, section: &str) -> Result<(), Failure> {
        let wrong = |field: &str, text: String| {
            Err(Failure::new(Code::Configuration, text).field(format!("{section}.{field}")))
        };
        if self.urls.is_empty() {
            return wrong(
                "urls",
                "no node is named; give at least one, as in [\"http://localhost:9200\"]".to_owned(),
            );
        }
        for url in &self.urls {
            let host = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
            if host.is_none_or(|host| host.is_empty() || host.starts_with('/')) {
                return wrong(
                    "urls",
                    format!("{url:?} is no address; write http://HOST:PORT or https://HOST:PORT"),
                );
            }
            if host.is_some_and(|host| host.contains('@')) {
                let text = "an address must not hold a password; use user and password_file, or api_key_file";
                return wrong("urls", text.to_owned());
            }
        }
        let named = |path: &PathBuf| !path.as_os_str().is_empty();
        if named(&self.api_key_file) && !self.user.is_empty() {
            return wrong("user", "give an API key or a user, not both".to_owned());
        }
        if self.user.is_empty() == named(&self.password_file) {
            return wrong(
                "password_file",
                "user and password_file belong together; give both or neither".to_owned(),
            );
        }
        let good = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_');
        if !self.prefix.starts_with(|c: char| c.is_ascii_lowercase())
            || !self.prefix.chars().all(good)
            || self.prefix.len() > 32
        {
            return wrong("prefix", "use 1 to 32 of a-z, 0-9, - and _, beginning with a letter".to_owned());
        }
        if self.shards == 0 || self.shards > 1024 {
            return wrong("shards", format!("{} is not between 1 and 1024", self.shards));
        }
        if self.replicas > 10 {
            return wrong("replicas", format!("{} is not between 0 and 10", self.replicas));
        }
        if self.alias_ms > 30_000 {
            return wrong("alias_ms", format!("{} is not between 0 and 30000", self.alias_ms));
        }
        Ok(())
    }
}

/// A list, or one text with commas, as the environment gives it.
fn list<'de, D: Deserializer<'de>>(source: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Form {
        List(Vec<String>),
        Text(String),
    }
    Ok(match Form::deserialize(source)? {
        Form::List(urls) => urls,
        Form::Text(text) => {
            text.split(',').map(str::trim).filter(|url| !url.is_empty()).map(str::to_owned).collect()
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_settings_are_named() {
        let good = Options { urls: vec!["http://localhost:9200".to_owned()], ..Options::default() };
        assert_eq!(good.check("retrieval.elasticsearch"), Ok(()));
        let field = |change: &dyn Fn(&mut Options)| {
            let mut options = good.clone();
            change(&mut options);
            options.check("e").err().map(|failure| failure.field.to_string()).unwrap_or_default()
        };
        assert_eq!(field(&|o| o.urls.clear()), "e.urls");
        assert_eq!(field(&|o| o.urls = vec!["localhost:9200".into()]), "e.urls");
        assert_eq!(field(&|o| o.urls = vec!["http://elastic:secret@localhost".into()]), "e.urls");
        assert_eq!(field(&|o| o.user = "elastic".into()), "e.password_file");
        assert_eq!(field(&|o| o.password_file = "p".into()), "e.password_file");
        assert_eq!(
            field(&|o| {
                o.user = "elastic".into();
                o.password_file = "p".into();
                o.api_key_file = "k".into();
            }),
            "e.user"
        );
        assert_eq!(field(&|o| o.prefix = "_a".into()), "e.prefix");
        assert_eq!(field(&|o| o.shards = 0), "e.shards");
        assert_eq!(field(&|o| o.replicas = 11), "e.replicas");
    }
}
