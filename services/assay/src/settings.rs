//! Settings of the one binary: every service's own options under its name, and where each keeps its data.

use std::net::SocketAddr;
use std::path::Path;

use assay_config::{Environment, FlatName};
use assay_domain::{Code, Failure};

use crate::commands::models::options::HubOptions;
use crate::flags::Reading;

/// Settings of the embedded system.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Address of the gRPC services; port 0 takes any free one.
    pub grpc: SocketAddr,
    /// Limits of every server.
    pub limits: assay_rpc::Limits,
    /// Logs and traces.
    pub telemetry: assay_telemetry::Options,
    /// An Elasticsearch cluster, for every service that uses one and names none in a section of its own.
    pub elasticsearch: assay_elastic::Options,
    /// The reader of statements, for every service that reads and has no section of its own for it.
    pub reader: assay_reader::Options,
    /// Router.
    pub router: assay_router::Options,
    /// Retrieval.
    pub retrieval: assay_retrieval::Options,
    /// Generation.
    pub generation: assay_generation::Options,
    /// Validation.
    pub validation: assay_validation::Options,
    /// Parser.
    pub parser: assay_parser::Options,
    /// Audit.
    pub audit: assay_audit::Options,
    /// Evaluation.
    pub evaluation: assay_evaluation::Options,
    /// Gateway.
    pub gateway: assay_gateway::Options,
    /// Model hub.
    pub models: HubOptions,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            grpc: SocketAddr::from(([127, 0, 0, 1], 7199)),
            limits: assay_rpc::Limits::default(),
            telemetry: assay_telemetry::Options::default(),
            elasticsearch: assay_elastic::Options::default(),
            reader: assay_reader::Options::default(),
            router: assay_router::Options::default(),
            retrieval: assay_retrieval::Options::default(),
            generation: assay_generation::Options::default(),
            validation: assay_validation::Options::default(),
            parser: assay_parser::Options::default(),
            audit: assay_audit::Options::default(),
            evaluation: assay_evaluation::Options::default(),
            gateway: assay_gateway::Options::default(),
            models: HubOptions::default(),
        }
    }
}

impl Settings {
    /// How AVAP is read in this process: the flags, else the settings of the parser.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for an unknown profile.
    pub fn avap(&self, reading: &Reading) -> Result<assay_avap::Options, Failure> {
        let names = if reading.profiles.is_empty() { &self.parser.profiles } else { &reading.profiles };
        let mut options =
            assay_avap::Options { server_compat: reading.server_compat, ..assay_avap::Options::default() };
        if !names.is_empty() {
            options.profiles = assay_avap::Profiles::default();
        }
        for name in names {
            let profile = assay_avap::Profile::from_name(name).ok_or_else(|| {
                let known = assay_avap::Profile::ALL.map(assay_avap::Profile::name).join(", ");
                let text = format!("there is no profile {name:?}; there are {known}");
                Failure::new(Code::InvalidArgument, text).field("profile")
            })?;
            options.profiles.insert(profile);
        }
        Ok(options)
    }

    /// Reads settings and puts every store into its folder below `data`.
    ///
    /// # Errors
    /// `CONFIGURATION`, naming the setting.
    pub fn load(file: Option<&Path>, data: &Path, environment: &Environment) -> Result<Self, Failure> {
        let flat = flat_names();
        let mut settings: Self =
            assay_config::load_without(file, environment, &flat, gone_names()).map_err(|error| {
                let field = if let assay_config::Error::Gone { key, .. } = &error { key } else { "" };
                Failure::new(Code::Configuration, error.to_string()).field(field)
            })?;
        settings.place(data);
        settings.share_cluster()?;
        settings.share_reader();
        if settings.gateway.grpc != assay_gateway::Options::default().grpc {
            let text = "gateway.grpc has no effect here: in one process the address of the gRPC door is the setting grpc";
            return Err(Failure::new(Code::Configuration, text).field("gateway.grpc"));
        }
        Ok(settings)
    }

    /// Refuses settings with which no system would start, as far as that can be seen without starting one.
    ///
    /// # Errors
    /// `CONFIGURATION`, naming the setting.
    pub fn check(&self) -> Result<(), Failure> {
        self.limits.check()?;
        self.reader.check()?;
        self.telemetry
            .check()
            .map_err(|error| Failure::new(Code::Configuration, error.to_string()).field("telemetry"))?;
        self.router.check()?;
        self.retrieval.check()?;
        self.generation.check()?;
        self.validation.check()?;
        self.parser.check()?;
        self.audit.check()?;
        self.evaluation.check()?;
        self.gateway.check()?;
        check_language("router.code_language", &self.router.code_language)?;
        check_language("evaluation.default_language", &self.evaluation.default_language)?;
        self.models.check()
    }

    /// Gives the cluster to every service that names none of its own. A section of its own is whole: what stands in one
    /// without addresses would be lost.
    fn share_cluster(&mut self) -> Result<(), Failure> {
        let sections = [
            ("retrieval.elasticsearch.urls", &mut self.retrieval.elasticsearch),
            ("router.elasticsearch.urls", &mut self.router.elasticsearch),
        ];
        for (field, own) in sections {
            if !own.urls.is_empty() {
                continue;
            }
            if *own != assay_elastic::Options::default() {
                let text = "this section has settings and no addresses; give urls here, or all settings in [elasticsearch]";
                return Err(Failure::new(Code::Configuration, text).field(field));
            }
            *own = self.elasticsearch.clone();
        }
        Ok(())
    }

    /// Gives the reader to every service that names none of its own.
    fn share_reader(&mut self) {
        if self.validation.reader == assay_reader::Options::default() {
            self.validation.reader = self.reader.clone();
        }
    }

    /// Every folder that the settings leave at its default goes below `data`.
    fn place(&mut self, data: &Path) {
        let defaults = Self::default();
        for (folder, default, name) in [
            (&mut self.router.data_dir, &defaults.router.data_dir, "router"),
            (&mut self.retrieval.data_dir, &defaults.retrieval.data_dir, "retrieval"),
            (&mut self.retrieval.models_dir, &defaults.retrieval.models_dir, "models"),
            (&mut self.audit.data_dir, &defaults.audit.data_dir, "audit"),
        ] {
            if folder == default {
                *folder = data.join(name);
            }
        }
    }
}

/// Refuses a language that no parser knows: its blocks could never be checked. An empty one is detected.
fn check_language(setting: &str, language: &str) -> Result<(), Failure> {
    let known = assay_languages::names();
    if language.is_empty() || known.contains(&language) {
        return Ok(());
    }
    let text = format!(
        "{setting} = {language:?}: no parser knows this language; give one of {}, or nothing to have it detected",
        known.join(", ")
    );
    Err(Failure::new(Code::Configuration, text).field(setting))
}

/// The flat names of the contract, each moved from its service's own section to the section of the embedded system.
#[must_use]
pub fn flat_names() -> Vec<FlatName> {
    let all: [(&str, &[FlatName]); 7] = [
        ("router", assay_router::FLAT),
        ("retrieval", assay_retrieval::FLAT),
        ("generation", assay_generation::FLAT),
        ("validation", assay_validation::FLAT),
        ("parser", assay_parser::FLAT),
        ("audit", assay_audit::FLAT),
        ("evaluation", assay_evaluation::FLAT),
    ];
    let mut names = Vec::new();
    for (section, flat) in all {
        for (name, key) in flat {
            let field = key.strip_prefix("service.").unwrap_or(key);
            // Settings are read once per process; the few strings live as long as it does.
            let key: &'static str = Box::leak(format!("{section}.{field}").into_boxed_str());
            names.push((*name, key));
        }
    }
    names.extend_from_slice(assay_telemetry::FLAT);
    names
}

/// The settings that are gone, each moved as [`flat_names`] are.
fn gone_names() -> &'static [assay_config::Gone] {
    static NAMES: std::sync::LazyLock<Vec<assay_config::Gone>> = std::sync::LazyLock::new(|| {
        let all: [(&str, &[assay_config::Gone]); 3] = [
            ("retrieval", assay_retrieval::GONE),
            ("generation", assay_generation::GONE),
            ("validation", assay_validation::GONE),
        ];
        let moved = |section: &'static str, gone: &'static [assay_config::Gone]| {
            gone.iter().map(move |(key, successor)| {
                let field = key.strip_prefix("service.").unwrap_or(key);
                let key: &'static str = Box::leak(format!("{section}.{field}").into_boxed_str());
                (key, *successor)
            })
        };
        all.into_iter().flat_map(|(section, gone)| moved(section, gone)).collect()
    });
    &NAMES
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn services_take_the_shared_cluster_or_a_whole_section_of_their_own() {
        let load = |pairs: &[(&str, &str)]| {
            let named = |(name, value): &(&str, &str)| (format!("ASSAY_{name}"), (*value).to_owned());
            Settings::load(None, Path::new("data"), &pairs.iter().map(named).collect())
        };
        let shared = ("ELASTICSEARCH__URLS", "http://a:1, http://b:2");
        let settings = load(&[shared, ("ROUTER__ELASTICSEARCH__URLS", "http://c:3")]).unwrap();
        assert_eq!(settings.retrieval.elasticsearch.urls, ["http://a:1", "http://b:2"]);
        assert_eq!(settings.router.elasticsearch.urls, ["http://c:3"]);
        let lost = load(&[shared, ("RETRIEVAL__ELASTICSEARCH__SHARDS", "3")]).unwrap_err();
        assert_eq!(lost.field, "retrieval.elasticsearch.urls");
    }

    #[test]
    fn settings_that_are_gone_are_refused_with_their_successor() {
        for (name, field, successor) in [
            ("ASSAY_VALIDATION__ENTAILMENT_MODEL", "validation.entailment_model", "reader.kind"),
            ("ASSAY_VALIDATION__JUDGE", "validation.judge", "served"),
            ("ASSAY_VALIDATION__MODEL_TIMEOUT", "validation.model_timeout", "reader.timeout"),
            ("ASSAY_GENERATION__RERANKER_MODEL", "generation.reranker_model", "fitted order"),
            ("ASSAY_RETRIEVAL__RERANK_DEPTH", "retrieval.rerank_depth", "fused order"),
        ] {
            let environment = [(name.to_owned(), "9".to_owned())].into();
            let failure = Settings::load(None, Path::new("data"), &environment).unwrap_err();
            assert_eq!((failure.code, failure.field.as_str()), (Code::Configuration, field));
            assert!(failure.message.contains(successor), "{failure}");
        }
    }

    #[test]
    fn services_take_the_shared_reader_or_a_section_of_their_own() {
        use assay_reader::Kind;
        let load = |pairs: &[(&str, &str)]| {
            let named = |(name, value): &(&str, &str)| (format!("ASSAY_{name}"), (*value).to_owned());
            Settings::load(None, Path::new("data"), &pairs.iter().map(named).collect()).unwrap()
        };
        assert_eq!(load(&[]).validation.reader.kind, Kind::InBox);
        assert_eq!(load(&[("READER__KIND", "none")]).validation.reader.kind, Kind::None);
        let own = load(&[("READER__KIND", "none"), ("VALIDATION__READER__CORES", "1")]);
        assert_eq!((own.validation.reader.kind, own.validation.reader.cores), (Kind::InBox, 1));
    }

    #[test]
    fn an_address_without_effect_is_refused() {
        let environment =
            [("ASSAY_GATEWAY__GRPC".to_owned(), "127.0.0.1:1".to_owned())].into_iter().collect();
        let failure = Settings::load(None, Path::new("data"), &environment).unwrap_err();
        assert_eq!((failure.code, failure.field.as_str()), (Code::Configuration, "gateway.grpc"));
    }

    #[test]
    fn stores_are_in_the_data_folder_unless_set() {
        let environment: Environment = [
            ("ASSAY_AUDIT__DATA_DIR".to_owned(), "elsewhere".to_owned()),
            ("ASSAY_MODELS_DIR".to_owned(), "models-of-all".to_owned()),
        ]
        .into_iter()
        .collect();
        let settings = Settings::load(None, Path::new("data"), &environment).unwrap();
        assert_eq!(settings.router.data_dir, Path::new("data/router"));
        assert_eq!(settings.retrieval.data_dir, Path::new("data/retrieval"));
        assert_eq!(settings.audit.data_dir, Path::new("elsewhere"));
        assert_eq!(settings.retrieval.models_dir, Path::new("models-of-all"));
    }
}
