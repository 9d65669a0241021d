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

/// A filled slot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slot {
    /// How it is spoken to.
    pub protocol: Protocol,
    /// The model's name at its server; empty for the composer.
    pub model: String,
}

impl Slot {
    /// Reads `provider:model`. A name without a known provider is a model of Ollama, so that `llama3.2:3b` means what
    /// it means there.
    ///
    /// # Errors
    /// `CONFIGURATION`, naming the setting, for an empty name or a provider without a model.
    pub fn parse(setting: &str, text: &str) -> Result<Self, Failure> {
        let text = text.trim();
        let wrong = |what: String| Failure::new(Code::Configuration, what).field(setting);
        let (protocol, model) = match text.split_once(':') {
            _ if text.is_empty() => {
                return Err(wrong(format!("{setting} is empty; write provider:model or extractive")));
            }
            _ if text == "extractive" => {
                return Ok(Self { protocol: Protocol::Extractive, model: String::new() });
            }
            Some(("extractive", _)) => {
                return Ok(Self { protocol: Protocol::Extractive, model: String::new() });
            }
            Some(("ollama", model)) => (Protocol::Ollama, model),
            Some(("openai", model)) => (Protocol::OpenAi, model),
            Some(("anthropic", model)) => (Protocol::Anthropic, model),
            _ => (Protocol::Ollama, text),
        };
        if model.trim().is_empty() {
            return Err(wrong(format!("{setting} = {text:?} names no model; write provider:model")));
        }
        Ok(Self { protocol, model: model.trim().to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn providers_and_bare_ollama_names_are_read() {
        for (text, protocol, model) in [
            ("extractive", Protocol::Extractive, ""),
            ("ollama:llama3.2:3b", Protocol::Ollama, "llama3.2:3b"),
            ("llama3.2:3b", Protocol::Ollama, "llama3.2:3b"),
            ("openai:gpt-4o", Protocol::OpenAi, "gpt-4o"),
            ("anthropic:claude", Protocol::Anthropic, "claude"),
        ] {
            assert_eq!(Slot::parse("main", text), Ok(Slot { protocol, model: model.into() }), "{text}");
        }
    }

    #[test]
    fn an_empty_slot_names_its_setting() {
        for text in ["", "openai:"] {
            assert!(matches!(Slot::parse("main", text), Err(failure) if failure.field == "main"));
        }
    }
}
