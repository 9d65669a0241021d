//! Settings of the reader: the section `[reader]`.

use std::path::PathBuf;
use std::time::Duration;

use assay_domain::{Code, Failure};
use assay_models::Embedded;
use assay_resilience::BreakerSettings;
use serde::{Deserialize, Serialize};

/// Longest time that makes sense, in seconds.
const MAX_SECONDS: f64 = 3600.0;

/// Where the reader is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// The one that ships, in this process.
    InBox,
    /// Another one of the same form in a folder, in this process.
    Folder,
    /// A language model behind a server.
    Served,
    /// There is none.
    None,
}

impl Kind {
    /// The word of the settings.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::InBox => "in_box",
            Self::Folder => "folder",
            Self::Served => "served",
            Self::None => "none",
        }
    }
}

/// What a server speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    /// `/chat/completions` below the address, with `logprobs`.
    OpenAi,
    /// `/api/chat` below the address, with `logprobs`; Ollama 0.12.11 or later.
    Ollama,
}

impl Protocol {
    /// The word of the settings.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Ollama => "ollama",
        }
    }
}

/// The weights that the program brings along; none where they lie beside it.
#[derive(Debug, Clone, Copy, Default)]
pub struct InBox(pub Option<Embedded>);

impl PartialEq for InBox {
    /// A program has one reader in the box or none: its bytes are not compared.
    fn eq(&self, other: &Self) -> bool {
        self.0.is_some() == other.0.is_some()
    }
}

/// Settings of the reader.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Where the reader is: `in_box`, `folder`, `served` or `none`. Without one nothing paraphrased is read.
    pub kind: Kind,
    /// Folder with `model.onnx` and `tokenizer.json` of another reader; for `folder`.
    pub folder: PathBuf,
    /// Processors that it uses at most in this process; 0 means all.
    pub cores: usize,
    /// Time that reading may take for an answer or a segment of it, in seconds; what was not read is not checked.
    pub timeout: f64,
    /// A language model that reads; for `served`.
    pub served: Served,
    /// The weights that the program brings along.
    #[serde(skip)]
    pub in_box: InBox,
}

/// A language model that judges one window and one statement by the probability of its yes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Served {
    /// What the server speaks: `openai` for any compatible server, or `ollama`.
    pub protocol: Protocol,
    /// Address: `http://localhost:11434` of Ollama; of others with the version, `https://HOST/v1`.
    pub url: String,
    /// Name of the model.
    pub model: String,
    /// File with the key that the server wants; empty for none.
    pub api_key_file: PathBuf,
    /// Most pairs that are read for one request.
    pub pairs: usize,
    /// Requests that the server is asked at the same time.
    pub parallel: usize,
    /// Consecutive failures that open its circuit breaker.
    pub breaker_threshold: u32,
    /// Time that the breaker stays open before one pair probes the server, in seconds.
    pub breaker_cooldown: f64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            kind: Kind::InBox,
            folder: PathBuf::new(),
            cores: 0,
            timeout: 5.0,
            served: Served::default(),
            in_box: InBox::default(),
        }
    }
}

impl Default for Served {
    fn default() -> Self {
        Self {
            protocol: Protocol::Ollama,
            url: String::new(),
            model: String::new(),
            api_key_file: PathBuf::new(),
            pairs: 16,
            parallel: 2,
            breaker_threshold: 3,
            breaker_cooldown: 30.0,
        }
    }
}

impl Options {
    /// Refuses settings that cannot work.
    ///
    /// # Errors
    /// `CONFIGURATION`, naming the setting.
    pub fn check(&self) -> Result<(), Failure> {
        let wrong = |field: &str, text: String| Err(Failure::new(Code::Configuration, text).field(field));
        for (field, value) in [
            ("reader.timeout", self.timeout),
            ("reader.served.breaker_cooldown", self.served.breaker_cooldown),
        ] {
            if !(0.001..=MAX_SECONDS).contains(&value) {
                return wrong(field, format!("{field} is {value}; give seconds from 0.001 to {MAX_SECONDS}"));
            }
        }
        if self.kind == Kind::Folder && self.folder.as_os_str().is_empty() {
            let text = "reader.kind is folder; name the folder with model.onnx and tokenizer.json";
            return wrong("reader.folder", text.to_owned());
        }
        if self.kind == Kind::Served {
            let served = &self.served;
            if !["http://", "https://"].iter().any(|scheme| served.url.starts_with(scheme)) {
                let text = format!(
                    "reader.served.url is {:?}; give an address such as http://localhost:11434",
                    served.url
                );
                return wrong("reader.served.url", text);
            }
            if served.model.trim().is_empty() {
                let text = "reader.served.model is empty; name a model such as bespoke-minicheck";
                return wrong("reader.served.model", text.to_owned());
            }
        }
        for (field, value) in [
            ("reader.served.pairs", self.served.pairs),
            ("reader.served.parallel", self.served.parallel),
            ("reader.served.breaker_threshold", usize::try_from(self.served.breaker_threshold).unwrap_or(1)),
        ] {
            if value == 0 {
                return wrong(field, format!("{field} must be at least 1"));
            }
        }
        Ok(())
    }

    /// Processors that it may use.
    #[must_use]
    pub fn cores(&self) -> usize {
        let all = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        if self.cores == 0 { all() } else { self.cores }
    }

    /// Time that reading may take.
    #[must_use]
    pub fn timeout(&self) -> Duration {
        Duration::from_secs_f64(self.timeout.clamp(0.0, MAX_SECONDS))
    }
}

impl Served {
    /// When its breaker opens and for how long.
    #[must_use]
    pub fn breaker(&self) -> BreakerSettings {
        let cooldown = Duration::from_secs_f64(self.breaker_cooldown.clamp(0.0, MAX_SECONDS));
        BreakerSettings { threshold: self.breaker_threshold, cooldown }
    }
}
