//! Model slots: `provider:model`.

use assay_domain::{Code, Failure};

/// A protocol that a provider speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// The composer; no model.
    Extractive,
    /// Ollama's own protocol.
    Ollama,
    /// Chat completions as OpenAI and many servers speak them.
    OpenAi,
    /// Anthropic's messages.
    Anthropic,
}

// === impl Protocol ===

impl Protocol {
    /// Every protocol.
    pub const ALL: [Self; 4] = [Self::Extractive, Self::Ollama, Self::OpenAi, Self::Anthropic];

    /// What a slot begins with, and the name of the provider in spans.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Extractive => "extractive",
            Self::Ollama => "ollama",
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
        }
    }
}

/// A filled slot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slot {
    /// How it is spoken to.
    pub protocol: Protocol,
    /// The model's name at its server; empty for the composer.
    pub model: String,
}

impl Slot {
    /// Reads `provider:model`. A name that can be no provider, or a tag that Ollama gives by size, makes it a model of
    /// Ollama, so that `llama3.2:3b` and `mistral:7b` mean what they mean there.
    ///
    /// # Errors
    /// `CONFIGURATION`, naming the setting, for an empty name, an unknown provider or a provider without a model.
    pub fn parse(setting: &str, text: &str) -> Result<Self, Failure> {
        let text = text.trim();
        let wrong = |what: String| Failure::new(Code::Configuration, what).field(setting);
        if text.is_empty() {
            return Err(wrong(format!("{setting} is empty; write provider:model or extractive")));
        }
        let named = |name: &str| Protocol::ALL.into_iter().find(|protocol| protocol.name() == name);
        let (name, tag) = text.split_once(':').map_or((text, None), |(name, tag)| (name, Some(tag)));
        let (protocol, model) = match (named(name), tag) {
            (Some(Protocol::Extractive), _) => {
                return Ok(Self { protocol: Protocol::Extractive, model: String::new() });
            }
            (Some(protocol), Some(model)) => (protocol, model),
            (None, Some(tag)) if reads_as_provider(name, tag) => {
                let [others @ .., last] = Protocol::ALL.map(Protocol::name);
                let others = others.join(", ");
                let text = format!(
                    "{setting} = {text:?}: there is no provider {name:?}; providers are {others} and {last} (a model of \
                     Ollama is written ollama:{text})"
                );
                return Err(wrong(text));
            }
            _ => (Protocol::Ollama, text),
        };
        if model.trim().is_empty() {
            return Err(wrong(format!("{setting} = {text:?} names no model; write provider:model")));
        }
        Ok(Self { protocol, model: model.trim().to_owned() })
    }
}

/// Whether `name:tag` was meant as provider and model: a word of letters, and no size or `latest` behind it.
fn reads_as_provider(name: &str, tag: &str) -> bool {
    let letters = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphabetic());
    letters && tag != "latest" && !tag.starts_with(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn providers_and_bare_ollama_names_are_read() {
        let rows = [
            ("extractive", Protocol::Extractive, ""),
            ("ollama:llama3.2:3b", Protocol::Ollama, "llama3.2:3b"),
            ("llama3.2:3b", Protocol::Ollama, "llama3.2:3b"),
            ("mistral:7b", Protocol::Ollama, "mistral:7b"),
            ("mistral:latest", Protocol::Ollama, "mistral:latest"),
            ("hf.co/org/model:Q4_K_M", Protocol::Ollama, "hf.co/org/model:Q4_K_M"),
            ("openai:gpt-4o", Protocol::OpenAi, "gpt-4o"),
            ("anthropic:claude", Protocol::Anthropic, "claude"),
            ("openai", Protocol::Ollama, "openai"),
        ];
        for (text, protocol, model) in rows {
            assert_eq!(Slot::parse("main", text), Ok(Slot { protocol, model: model.into() }), "{text}");
        }
        for protocol in Protocol::ALL {
            assert!(rows.iter().any(|(_, of, _)| *of == protocol), "{protocol:?} has no row");
        }
    }

    #[test]
    fn an_unknown_provider_is_refused_with_the_known_ones() {
        for text in ["nosuch:model", "opnai:gpt-4o", "Openai:gpt-4o"] {
            let refused = Slot::parse("main", text);
            assert!(
                matches!(&refused, Err(f) if f.field == "main" && f.message.contains("openai and anthropic")),
                "{refused:?}"
            );
        }
    }

    #[test]
    fn an_empty_slot_names_its_setting() {
        for text in ["", "openai:"] {
            assert!(matches!(Slot::parse("main", text), Err(failure) if failure.field == "main"));
        }
    }
}
