//! Settings that were changed and have no effect, because another setting keeps them from having one.

use assay_generation::slot::{Protocol, Slot};
use assay_reader::Kind;
use assay_retrieval::{Backend, EmbedderChoice};
use assay_router::SessionStore;
use serde::Serialize;

use crate::settings::Settings;

/// A changed setting without effect, as an object of the output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Ignored {
    /// Its key.
    setting: &'static str,
    /// What would give it an effect.
    needs: &'static str,
}

impl std::fmt::Display for Ignored {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} is ignored: it needs {}", self.setting, self.needs)
    }
}

/// Keys, what they need to have an effect, and whether that is so. A key may be that of a section.
type Row = (&'static [&'static str], &'static str, fn(&Settings) -> bool);

const ROWS: &[Row] = &[
    (&["telemetry.otlp"], "a collector in telemetry.otlp.endpoint", |s| {
        !s.telemetry.otlp.endpoint.is_empty()
    }),
    (
        &["telemetry.content", "telemetry.sampling_ratio"],
        "telemetry.otlp.endpoint or telemetry.trace_file",
        |s| s.telemetry.exports(),
    ),
    (&["telemetry.content_bytes"], "telemetry.content = true", |s| s.telemetry.content),
    (&["retrieval.models_dir"], "retrieval.embedder = \"auto\" or \"minilm\"", |s| {
        matches!(s.retrieval.embedder, EmbedderChoice::Auto | EmbedderChoice::Minilm)
    }),
    (&["retrieval.embedding"], "retrieval.embedder = \"ollama\", \"openai\" or \"onnx\"", |s| {
        s.retrieval.embedder.is_configured()
    }),
    (
        &["elasticsearch"],
        "retrieval.backend = \"elasticsearch\" or router.sessions = \"elasticsearch\"",
        |s| s.retrieval.backend == Backend::Elasticsearch || s.router.sessions == SessionStore::Elasticsearch,
    ),
    // A copy of the shared section is none that somebody wrote.
    (&["retrieval.elasticsearch"], "retrieval.backend = \"elasticsearch\"", |s| {
        s.retrieval.backend == Backend::Elasticsearch || s.retrieval.elasticsearch == s.elasticsearch
    }),
    (&["router.elasticsearch"], "router.sessions = \"elasticsearch\"", |s| {
        s.router.sessions == SessionStore::Elasticsearch || s.router.elasticsearch == s.elasticsearch
    }),
    (&["generation.anthropic_model"], "an empty generation.main", |s| s.generation.main.trim().is_empty()),
    (&["generation.ollama_url"], "a slot with a model of Ollama", |s| spoken(s, Protocol::Ollama)),
    (
        &["generation.openai_base_url", "generation.openai_api_key", "generation.openai_json_schema"],
        "a slot such as openai:MODEL",
        |s| spoken(s, Protocol::OpenAi),
    ),
    (
        &["generation.anthropic_base_url", "generation.anthropic_api_key"],
        "a slot such as anthropic:MODEL",
        |s| spoken(s, Protocol::Anthropic),
    ),
    (&["generation.max_prompt_tokens"], "a slot with a language model", |s| {
        slots(s, |slot| slot.protocol != Protocol::Extractive)
    }),
    (&["reader.folder"], "reader.kind = \"folder\"", |s| s.reader.kind == Kind::Folder),
    (&["reader.cores"], "reader.kind = \"in_box\" or \"folder\"", |s| {
        matches!(s.reader.kind, Kind::InBox | Kind::Folder)
    }),
    (&["reader.served"], "reader.kind = \"served\"", |s| s.reader.kind == Kind::Served),
    (&["reader.timeout"], "reader.kind other than none", |s| s.reader.kind != Kind::None),
    (&["validation.policy"], "an empty validation.policy_file", |s| s.validation.policy_file.is_empty()),
    (
        &["validation.breaker_threshold", "validation.breaker_cooldown"],
        "validation.parser_timeout above 0",
        |s| s.validation.parser_timeout > 0.0,
    ),
    (&["gateway.auth.reload_seconds", "gateway.rates"], "gateway.auth.keys_file or gateway.auth.jwt", |s| {
        s.gateway.auth.is_required()
    }),
    (&["gateway.access_log_names"], "gateway.access_log = true", |s| s.gateway.access_log),
];

fn slots(settings: &Settings, is: impl FnMut(&Slot) -> bool) -> bool {
    settings.generation.slots().is_ok_and(|slots| slots.each().any(is))
}

fn spoken(settings: &Settings, protocol: Protocol) -> bool {
    slots(settings, |slot| slot.protocol == protocol)
}

/// The settings that differ from `defaults` without effect, in the order of the file.
pub(super) fn ignored(settings: &Settings, defaults: &Settings) -> Result<Vec<Ignored>, serde_json::Error> {
    let (own, usual) = (serde_json::to_value(settings)?, serde_json::to_value(defaults)?);
    let changed = |key: &str| {
        let pointer = format!("/{}", key.replace('.', "/"));
        own.pointer(&pointer) != usual.pointer(&pointer)
    };
    let without = ROWS.iter().filter(|(.., effective)| !effective(settings));
    let keys = without.flat_map(|(keys, needs, _)| keys.iter().map(|setting| Ignored { setting, needs }));
    Ok(keys.filter(|ignored| changed(ignored.setting)).collect())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::path::Path;

    use assay_config::Environment;

    use super::*;

    fn told(settings: &[(&str, &str)]) -> Vec<&'static str> {
        let environment: Environment = settings
            .iter()
            .map(|(key, value)| (format!("ASSAY_{}", key.replace('.', "__")), (*value).to_owned()))
            .collect();
        let load = |environment| Settings::load(None, Path::new("data"), environment).unwrap();
        let found = ignored(&load(&environment), &load(&Environment::new())).unwrap();
        found.into_iter().map(|ignored| ignored.setting).collect()
    }

    type Setting = (&'static str, &'static str);

    /// Settings that are there, one that is ignored beside them, and the one that gives it an effect.
    const CASES: &[(&[Setting], Setting, Setting)] = &[
        (&[], ("telemetry.otlp.protocol", "http/protobuf"), ("telemetry.otlp.endpoint", "http://h:1")),
        (&[], ("telemetry.content", "true"), ("telemetry.trace_file", "spans.jsonl")),
        (&[], ("telemetry.sampling_ratio", "0.5"), ("telemetry.trace_file", "spans.jsonl")),
        (&[], ("telemetry.content_bytes", "99"), ("telemetry.content", "true")),
        (
            &[("retrieval.embedder", "hashing")],
            ("retrieval.models_dir", "models"),
            ("retrieval.embedder", "auto"),
        ),
        (&[], ("retrieval.embedding.model", "m"), ("retrieval.embedder", "ollama")),
        (&[], ("elasticsearch.urls", "http://h:1"), ("retrieval.backend", "elasticsearch")),
        (&[], ("retrieval.elasticsearch.urls", "http://h:1"), ("retrieval.backend", "elasticsearch")),
        (&[], ("router.elasticsearch.urls", "http://h:1"), ("router.sessions", "elasticsearch")),
        (
            &[("generation.main", "extractive")],
            ("generation.anthropic_model", "claude"),
            ("generation.main", ""),
        ),
        (&[], ("generation.ollama_url", "http://h:1"), ("generation.classify", "llama3.2")),
        (&[], ("generation.openai_base_url", "http://h:1"), ("generation.classify", "openai:m")),
        (&[], ("generation.openai_api_key", "k"), ("generation.main", "openai:m")),
        (&[], ("generation.openai_json_schema", "false"), ("generation.main", "openai:m")),
        (&[], ("generation.anthropic_base_url", "http://h:1"), ("generation.main", "anthropic:m")),
        (&[], ("generation.anthropic_api_key", "k"), ("generation.anthropic_model", "m")),
        (&[], ("generation.max_prompt_tokens", "99"), ("generation.main", "llama3.2")),
        (&[], ("reader.folder", "readers"), ("reader.kind", "folder")),
        (&[("reader.kind", "none")], ("reader.cores", "1"), ("reader.kind", "in_box")),
        (&[], ("reader.served.pairs", "9"), ("reader.kind", "served")),
        (&[("reader.kind", "none")], ("reader.timeout", "9"), ("reader.kind", "in_box")),
        (
            &[("validation.policy_file", "own.toml")],
            ("validation.policy", "strict"),
            ("validation.policy_file", ""),
        ),
        (&[UNPARSED], ("validation.breaker_threshold", "9"), ("validation.parser_timeout", "1")),
        (&[UNPARSED], ("validation.breaker_cooldown", "9"), ("validation.parser_timeout", "1")),
        (&[], ("gateway.auth.reload_seconds", "9"), ("gateway.auth.keys_file", "keys.toml")),
        (&[], ("gateway.rates.burst", "9"), ("gateway.auth.keys_file", "keys.toml")),
        (
            &[("gateway.access_log", "false")],
            ("gateway.access_log_names", "true"),
            ("gateway.access_log", "true"),
        ),
    ];
    const UNPARSED: Setting = ("validation.parser_timeout", "0");

    #[test]
    fn every_row_names_its_settings_until_they_have_an_effect() {
        for (there, setting, cure) in CASES {
            let settings = [*there, &[*setting]].concat();
            let within = |row: &&str| setting.0 == *row || setting.0.starts_with(&format!("{row}."));
            assert!(told(&settings).iter().any(within), "{settings:?}: {:?}", told(&settings));
            let cured = [&settings[..], &[*cure]].concat();
            assert!(!told(&cured).iter().any(within), "{cured:?}: {:?}", told(&cured));
        }
        for key in ROWS.iter().flat_map(|(keys, ..)| *keys) {
            let covered = CASES.iter().any(|(_, (setting, _), _)| setting.starts_with(key));
            assert!(covered, "no case for {key}");
        }
    }

    #[test]
    fn defaults_are_never_ignored() {
        assert_eq!(told(&[]), [""; 0]);
    }
}
