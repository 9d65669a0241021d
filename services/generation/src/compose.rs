//! Options to routes; the only place that names a concrete adapter.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use assay_domain::{Code, Failure};
use assay_proto::generation::generation_service_server::GenerationServiceServer;
use assay_rpc::{MAX_MESSAGE_BYTES, Peers, Service, ServiceSpec, clock, task};

use crate::adapters::chat::Chat;
use crate::adapters::extractive::Extractive;
use crate::adapters::ollama::Ollama;
use crate::grpc::Grpc;
use crate::options::Options;
use crate::ports::{Clock, Models, Provider};
use crate::service::{CallLimits, Chain, Chains, Generation};
use crate::slot::{Protocol, Slot};

/// What the service is; it calls nobody.
pub const SPEC: ServiceSpec = ServiceSpec {
    name: "generation",
    grpc: "assay.generation.v1alpha1.GenerationService",
    port: 7103,
    calls: &[],
    callers: &["router", "evaluation"],
    purpose: "writes drafts: prompts and model providers",
};

/// Milliseconds since the service was composed.
struct SinceStart(Instant);

impl Clock for SinceStart {
    fn now_ms(&self) -> u64 {
        u64::try_from(clock::now().saturating_duration_since(self.0).as_millis()).unwrap_or(u64::MAX)
    }
}

/// Models that are opened by name, each once.
struct ByName {
    options: Options,
    opened: Mutex<BTreeMap<String, Arc<dyn Provider>>>,
}

impl Models for ByName {
    fn open(&self, name: &str) -> Result<Arc<dyn Provider>, Failure> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(provider) = opened.get(name) {
            return Ok(Arc::clone(provider));
        }
        let slot = Slot::parse("model", name)?;
        if slot.protocol == Protocol::Extractive {
            let text = format!("{name} is no model; name one as provider:model");
            return Err(Failure::new(Code::Configuration, text).field("model"));
        }
        self.options.needs_key(&slot)?;
        let provider = provider(&slot, &self.options)?;
        opened.insert(name.to_owned(), Arc::clone(&provider));
        Ok(provider)
    }
}

fn provider(slot: &Slot, options: &Options) -> Result<Arc<dyn Provider>, Failure> {
    let model = slot.model.as_str();
    Ok(match slot.protocol {
        Protocol::Extractive => Arc::new(Extractive),
        Protocol::Ollama => Arc::new(Ollama::new(model, &options.ollama_url)?),
        Protocol::OpenAi => Arc::new(Chat::new(
            slot.protocol,
            model,
            &options.openai_base_url,
            &options.openai_api_key,
            options.openai_json_schema,
        )?),
        Protocol::Anthropic => Arc::new(Chat::new(
            slot.protocol,
            model,
            &options.anthropic_base_url,
            &options.anthropic_api_key,
            false,
        )?),
    })
}

/// The use case that these options describe.
///
/// # Errors
/// `CONFIGURATION`, naming the setting.
pub fn assemble(options: &Options) -> Result<Generation, Failure> {
    options.check()?;
    let slots = options.slots()?;
    let fallbacks: Chain =
        slots.fallbacks.iter().map(|slot| provider(slot, options)).collect::<Result<_, _>>()?;
    let chain = |slot: &Slot| -> Result<Chain, Failure> {
        let mut chain = vec![provider(slot, options)?];
        let first = chain[0].model().to_owned();
        chain.extend(fallbacks.iter().filter(|fallback| fallback.model() != first).cloned());
        Ok(chain)
    };
    let chains = Chains {
        main: chain(&slots.main)?,
        conversational: chain(&slots.conversational)?,
        classify: chain(&slots.classify)?,
        reformulate: chain(&slots.reformulate)?,
    };
    let limits = CallLimits {
        prompt_tokens: options.max_prompt_tokens,
        completion_tokens: options.max_completion_tokens,
        source_bytes: options.max_source_bytes,
        call: Duration::from_millis(options.call_timeout_ms),
    };
    let models = ByName { options: options.clone(), opened: Mutex::default() };
    Ok(Generation::new(chains, Arc::new(models), limits, Arc::new(SinceStart(clock::now()))))
}

/// Composes the service. Models are loaded in the background; readiness does not wait for them.
///
/// # Errors
/// `CONFIGURATION`, naming the setting.
pub async fn compose(options: Options, _peers: &Peers) -> Result<Service, Failure> {
    let own = options.clone();
    let generation = task::blocking(move || assemble(&own)).await??;
    let warming = options.warm.then(|| {
        let generation = generation.clone();
        task::spawn(async move { generation.warm().await })
    });
    let server = GenerationServiceServer::new(Grpc(generation))
        .max_decoding_message_size(MAX_MESSAGE_BYTES)
        .max_encoding_message_size(MAX_MESSAGE_BYTES);
    let service = Service::new(&SPEC, assay_proto::DESCRIPTORS)?.with(|routes| routes.add_service(server));
    Ok(service.on_drain(move || async move {
        if let Some(warming) = warming {
            warming.abort();
        }
    }))
}
