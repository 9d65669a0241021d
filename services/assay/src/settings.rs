//! Settings of the one binary: every service's own options under its name, and where each keeps its data.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use assay_config::{Environment, FlatName};
use assay_domain::{Code, Failure};

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
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            grpc: SocketAddr::from(([127, 0, 0, 1], 7199)),
            limits: assay_rpc::Limits::default(),
            telemetry: assay_telemetry::Options::default(),
            router: assay_router::Options::default(),
            retrieval: assay_retrieval::Options::default(),
            generation: assay_generation::Options::default(),
            validation: assay_validation::Options::default(),
            parser: assay_parser::Options::default(),
            audit: assay_audit::Options::default(),
            evaluation: assay_evaluation::Options::default(),
            gateway: assay_gateway::Options::default(),
        }
    }
}

impl Settings {
    /// Reads settings and puts every store into its folder below `data`.
    ///
    /// # Errors
    /// `CONFIGURATION`, naming the setting.
    pub fn load(file: Option<&Path>, data: &Path, environment: &Environment) -> Result<Self, Failure> {
        let flat = flat_names();
        let mut settings: Self = assay_config::load(file, environment, &flat)
            .map_err(|error| Failure::new(Code::Configuration, error.to_string()))?;
        settings.place(data, environment);
        Ok(settings)
    }

    /// Every store below `data`; the models too unless `ASSAY_MODELS_DIR` says otherwise.
    fn place(&mut self, data: &Path, environment: &Environment) {
        self.router.data_dir = data.join("router");
        self.retrieval.data_dir = data.join("retrieval");
        self.audit.data_dir = data.join("audit");
        self.retrieval.models_dir =
            environment.get("ASSAY_MODELS_DIR").map_or_else(|| data.join("models"), PathBuf::from);
    }
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
    names
}
