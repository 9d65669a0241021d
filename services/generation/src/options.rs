//! Settings of generation.

use assay_domain::{Code, Failure};
use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::slot::{Protocol, Slot};

/// Flat environment names of the contract and the setting each one sets.
pub const FLAT: &[(&str, &str)] = &[
    ("OLLAMA_MODEL_NAME", "service.main"),
    ("OLLAMA_MODEL_NAME_CONVERSATIONAL", "service.conversational"),
    ("ANTHROPIC_MODEL", "service.anthropic_model"),
    ("OLLAMA_URL", "service.ollama_url"),
    ("OPENAI_BASE_URL", "service.openai_base_url"),
    ("OPENAI_API_KEY", "service.openai_api_key"),
    ("ANTHROPIC_API_KEY", "service.anthropic_api_key"),
];

/// A key that is never shown: it serializes as nothing or as `(set)`, and `(set)` is refused as a key.
#[derive(Debug, Clone, Default)]
pub struct ApiKey(Option<SecretString>);

/// What stands for a key in a dump of the settings.
const SHOWN: &str = "(set)";

impl ApiKey {
    /// A key; an empty text is none.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self((!text.is_empty()).then(|| SecretString::from(text.to_owned())))
    }

    /// The key itself, for the request that needs it.
    #[must_use]
    pub fn expose(&self) -> Option<&str> {
        self.0.as_ref().map(|key| key.expose_secret())
    }
}

impl PartialEq for ApiKey {
    fn eq(&self, other: &Self) -> bool {
        self.expose() == other.expose()
    }
}

impl Serialize for ApiKey {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(if self.0.is_some() { SHOWN } else { "" })
    }
}

impl<'de> Deserialize<'de> for ApiKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        if text == SHOWN {
            return Err(serde::de::Error::custom(
                "`(set)` stands for a key in a dump and is no key; set the key itself",
            ));
        }
        Ok(Self::new(&text))
    }
}

/// Settings of generation. Slots are `provider:model`: `extractive`, `ollama:llama3.2`, `openai:gpt-4o-mini`,
/// `anthropic:claude-…`; a name without a provider is a model of Ollama.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Main slot: documentation and code. Empty means the model of `anthropic_model` if that is set, else `extractive`.
    pub main: String,
    /// Conversational slot: conversation and account questions. Empty means the main slot.
    pub conversational: String,
    /// Slot of layer 3 of the routing. Empty means the main slot.
    pub classify: String,
    /// Slot of query rewriting. Empty means the main slot.
    pub reformulate: String,
    /// Slots that are asked in turn when one cannot be reached, before its first token only.
    pub fallbacks: Vec<String>,
    /// Anthropic model that fills the main slot when `main` is empty.
    pub anthropic_model: String,
    /// Root of the Ollama server.
    pub ollama_url: String,
    /// Base address of the OpenAI-compatible server, version path included.
    pub openai_base_url: String,
    /// Base address of Anthropic's server, version path included.
    pub anthropic_base_url: String,
    /// Key of the OpenAI-compatible server; servers on the own machine need none.
    pub openai_api_key: ApiKey,
    /// Key of Anthropic's server.
    pub anthropic_api_key: ApiKey,
    /// Whether the OpenAI-compatible server understands `response_format` with a JSON schema.
    pub openai_json_schema: bool,
    /// Most tokens of a prompt, estimated before it is sent.
    pub max_prompt_tokens: u32,
    /// Most tokens of a completion.
    pub max_completion_tokens: u32,
    /// Most bytes of all sources of a request together.
    pub max_source_bytes: usize,
    /// Most time one call of a provider may take, in milliseconds.
    pub call_timeout_ms: u64,
    /// Whether models are loaded at start; readiness does not wait for it.
    pub warm: bool,
}

/// Settings that are gone, with what took their place.
pub const GONE: &[(&str, &str)] = &[
    ("service.judge", "reader.kind = \"served\": a language model reads the claims that words leave open"),
    ("service.models_dir", "none: nothing of this service reads models from disk"),
    ("service.reranker_model", "none: the composer keeps its fitted order until it reads with the reader"),
    ("service.model_cores", "none: see service.reranker_model"),
    ("service.model_timeout", "none: see service.reranker_model"),
];

impl Default for Options {
    fn default() -> Self {
        Self {
            main: String::new(),
            conversational: String::new(),
            classify: String::new(),
            reformulate: String::new(),
            fallbacks: Vec::new(),
            anthropic_model: String::new(),
            ollama_url: "http://127.0.0.1:11434".to_owned(),
            openai_base_url: "https://api.openai.com/v1".to_owned(),
            anthropic_base_url: "https://api.anthropic.com/v1".to_owned(),
            openai_api_key: ApiKey::default(),
            anthropic_api_key: ApiKey::default(),
            openai_json_schema: true,
            max_prompt_tokens: 8192,
            max_completion_tokens: 1024,
            max_source_bytes: 262_144,
            call_timeout_ms: 30_000,
            warm: true,
        }
    }
}

/// The slots after defaults.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slots {
    /// Documentation and code.
    pub main: Slot,
    /// Conversation and account questions.
    pub conversational: Slot,
    /// Layer 3 of the routing.
    pub classify: Slot,
    /// Query rewriting.
    pub reformulate: Slot,
    /// Asked in turn after each of the above.
    pub fallbacks: Vec<Slot>,
}

impl Slots {
    /// Every slot, fallbacks last.
    pub fn each(&self) -> impl Iterator<Item = &Slot> {
        [&self.main, &self.conversational, &self.classify, &self.reformulate]
            .into_iter()
            .chain(&self.fallbacks)
    }
}

impl Options {
    /// The slots that these settings name.
    ///
    /// # Errors
    /// `CONFIGURATION`, naming the setting.
    pub fn slots(&self) -> Result<Slots, Failure> {
        let main = match (self.main.trim(), self.anthropic_model.trim()) {
            ("", "") => Slot::parse("main", "extractive")?,
            ("", model) => Slot::parse("anthropic_model", &format!("anthropic:{model}"))?,
            (main, _) => Slot::parse("main", main)?,
        };
        let or_main = |setting: &str, text: &str| match text.trim() {
            "" => Ok(main.clone()),
            text => Slot::parse(setting, text),
        };
        Ok(Slots {
            conversational: or_main("conversational", &self.conversational)?,
            classify: or_main("classify", &self.classify)?,
            reformulate: or_main("reformulate", &self.reformulate)?,
            fallbacks: self
                .fallbacks
                .iter()
                .map(|slot| Slot::parse("fallbacks", slot))
                .collect::<Result<_, _>>()?,
            main,
        })
    }

    /// Refuses a model whose key is not set.
    ///
    /// # Errors
    /// `CONFIGURATION`, naming the setting.
    pub(crate) fn needs_key(&self, slot: &Slot) -> Result<(), Failure> {
        if slot.protocol != Protocol::Anthropic || self.anthropic_api_key.expose().is_some() {
            return Ok(());
        }
        let text = format!("anthropic:{} needs a key; set anthropic_api_key", slot.model);
        Err(Failure::new(Code::Configuration, text).field("anthropic_api_key"))
    }

    /// Refuses settings that cannot work.
    ///
    /// # Errors
    /// `CONFIGURATION`, naming the setting.
    pub fn check(&self) -> Result<(), Failure> {
        self.slots()?.each().try_for_each(|slot| self.needs_key(slot))?;
        let wrong = |setting: &str, text: String| Err(Failure::new(Code::Configuration, text).field(setting));
        for (setting, url) in [
            ("ollama_url", &self.ollama_url),
            ("openai_base_url", &self.openai_base_url),
            ("anthropic_base_url", &self.anthropic_base_url),
        ] {
            if !(url.starts_with("http://") || url.starts_with("https://")) {
                return wrong(setting, format!("{setting} = {url:?} is no http or https address"));
            }
        }
        let limits = [
            ("max_prompt_tokens", u64::from(self.max_prompt_tokens)),
            ("max_completion_tokens", u64::from(self.max_completion_tokens)),
            ("max_source_bytes", self.max_source_bytes as u64),
            ("call_timeout_ms", self.call_timeout_ms),
        ];
        for (setting, value) in limits {
            if value == 0 {
                return wrong(setting, format!("{setting} must be at least 1"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_settings_every_slot_is_extractive() {
        let slots = Options::default().slots();
        assert!(
            matches!(slots, Ok(slots) if slots.main == slots.conversational && slots.main.protocol == Protocol::Extractive)
        );
    }

    #[test]
    fn an_unset_slot_falls_back_to_main() {
        let options = Options { main: "llama3.2".into(), classify: "openai:x".into(), ..Options::default() };
        assert!(matches!(options.slots(), Ok(slots)
            if slots.conversational.model == "llama3.2" && slots.classify.protocol == Protocol::OpenAi));
    }

    #[test]
    fn the_anthropic_model_fills_an_empty_main_slot_only() {
        let options = Options { anthropic_model: "claude".into(), ..Options::default() };
        assert!(matches!(options.slots(), Ok(slots) if slots.main.protocol == Protocol::Anthropic));
        let options = Options { main: "extractive".into(), ..options };
        assert!(matches!(options.slots(), Ok(slots) if slots.main.protocol == Protocol::Extractive));
    }

    #[test]
    fn a_model_of_anthropic_needs_its_key() {
        let options = Options { fallbacks: vec!["anthropic:claude".into()], ..Options::default() };
        assert!(matches!(options.check(), Err(failure) if failure.field == "anthropic_api_key"));
        let options = Options { anthropic_api_key: ApiKey::new("sk"), ..options };
        assert_eq!(options.check(), Ok(()));
    }

    #[test]
    fn a_key_is_never_shown() {
        let key = ApiKey::new("sk-secret");
        assert!(!format!("{key:?}").contains("secret"));
        assert_eq!(serde_json::to_string(&key).ok().as_deref(), Some("\"(set)\""));
        assert!(serde_json::from_str::<ApiKey>("\"(set)\"").is_err());
    }

    #[test]
    fn a_limit_of_zero_names_its_setting() {
        let failure = Options { call_timeout_ms: 0, ..Options::default() }.check();
        assert!(matches!(failure, Err(failure) if failure.field == "call_timeout_ms"));
    }
}
