//! Settings of the model hub: where models are fetched from, and how much and how long.

use std::path::PathBuf;
use std::time::Duration;

use assay_domain::{Code, Failure};

/// Where `assay models pull` fetches models from.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct HubOptions {
    /// Address of the model hub, Hugging Face compatible; it names models and may redirect to where files are.
    pub hub: String,
    /// File that holds the access token of the hub, sent to no other address; empty for none.
    pub token_file: PathBuf,
    /// Most bytes that the files of one model may have together.
    pub max_bytes: u64,
    /// Time to connect, in seconds.
    pub connect_seconds: u64,
    /// Time without a byte after which a transfer counts as broken, in seconds.
    pub stall_seconds: u64,
}

impl Default for HubOptions {
    fn default() -> Self {
        Self {
            hub: "https://huggingface.co".to_owned(),
            token_file: PathBuf::new(),
            max_bytes: 2 << 30,
            connect_seconds: 10,
            stall_seconds: 60,
        }
    }
}

// === impl HubOptions ===

impl HubOptions {
    /// Refuses settings that cannot work.
    ///
    /// # Errors
    /// `CONFIGURATION`, naming the setting.
    pub fn check(&self) -> Result<(), Failure> {
        let wrong = |field: &str, text: String| Err(wrong(field, text));
        let address = self.address();
        if !address.as_ref().is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host()) {
            return wrong(
                "hub",
                format!("{:?} is no address; give one such as https://huggingface.co", self.hub),
            );
        }
        let secret = !self.token_file.as_os_str().is_empty();
        if secret && !address.is_ok_and(|url| url.scheme() == "https" || loopback(&url)) {
            return wrong(
                "token_file",
                "a token is sent over https only; give models.hub an https address".to_owned(),
            );
        }
        for (field, value) in [
            ("max_bytes", self.max_bytes),
            ("connect_seconds", self.connect_seconds),
            ("stall_seconds", self.stall_seconds),
        ] {
            if value == 0 {
                return wrong(field, "give a number above 0".to_owned());
            }
        }
        self.token().map(drop)
    }

    /// The access token; none where no file is named.
    ///
    /// # Errors
    /// `CONFIGURATION` if the file cannot be read.
    pub(super) fn token(&self) -> Result<Option<String>, Failure> {
        let path = &self.token_file;
        if path.as_os_str().is_empty() {
            return Ok(None);
        }
        let text = std::fs::read_to_string(path).map_err(|error| {
            let what = format!("{}: {error}; name a file that holds the token, or none", path.display());
            wrong("token_file", what)
        })?;
        Ok(Some(text.trim().to_owned()))
    }

    pub(super) fn address(&self) -> Result<reqwest::Url, String> {
        reqwest::Url::parse(&self.hub).map_err(|error| error.to_string())
    }

    pub(super) fn stall(&self) -> Duration {
        Duration::from_secs(self.stall_seconds)
    }
}

fn wrong(field: &str, text: String) -> Failure {
    Failure::new(Code::Configuration, text).field(format!("models.{field}"))
}

fn loopback(url: &reqwest::Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}
