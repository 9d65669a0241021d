//! What the protocol says of its methods: which may be repeated, and which send one message only.

use std::collections::BTreeMap;
use std::sync::Arc;

use assay_domain::Failure;
use prost::Message as _;
use prost_types::FileDescriptorSet;
use prost_types::method_options::IdempotencyLevel;

/// What a caller must know of a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Method {
    /// Whether a call that may have been made can be made again: the protocol declares it `NO_SIDE_EFFECTS` or
    /// `IDEMPOTENT`.
    pub idempotent: bool,
    /// Whether a request is one message, so that it can be kept and sent again.
    pub one_request: bool,
}

/// Methods by path, e.g. `/assay.retrieval.v1alpha1.RetrievalService/Search`.
#[derive(Debug, Clone, Default)]
pub struct Methods(Arc<BTreeMap<String, Method>>);

impl Methods {
    /// The methods of an encoded `FileDescriptorSet`; several of them joined end to end are one.
    ///
    /// # Errors
    /// `INTERNAL` if it cannot be read.
    pub fn read(descriptors: &[u8]) -> Result<Self, Failure> {
        let set = FileDescriptorSet::decode(descriptors)
            .map_err(|error| Failure::internal(format!("the descriptors of the protocol: {error}")))?;
        let mut methods = BTreeMap::new();
        for file in &set.file {
            for service in &file.service {
                for method in &service.method {
                    let path = format!("/{}.{}/{}", file.package(), service.name(), method.name());
                    let level = method.options.as_ref().map(|options| options.idempotency_level());
                    let idempotent =
                        matches!(level, Some(IdempotencyLevel::NoSideEffects | IdempotencyLevel::Idempotent));
                    methods.insert(path, Method { idempotent, one_request: !method.client_streaming() });
                }
            }
        }
        Ok(Self(Arc::new(methods)))
    }

    /// The method of a path. One that is not known is taken for a stream that must not be repeated; a health check is
    /// known without any descriptor.
    #[must_use]
    pub fn of(&self, path: &str) -> Method {
        if is_health(path) {
            return Method { idempotent: true, one_request: true };
        }
        self.0.get(path).copied().unwrap_or_default()
    }

    /// Whether a path is one of them.
    pub(crate) fn has(&self, path: &str) -> bool {
        self.0.contains_key(path)
    }

    /// Every method that is known, with its path.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Method)> {
        self.0.iter().map(|(path, method)| (path.as_str(), *method))
    }
}

/// Whether a path asks for health; such a question is about this moment and waits for nobody.
pub(crate) fn is_health(path: &str) -> bool {
    path.starts_with("/grpc.health.v1.Health/")
}

/// Whether a path belongs to the machinery that every server has: health and reflection. It needs no identity.
pub(crate) fn is_machinery(path: &str) -> bool {
    is_health(path) || path.starts_with("/grpc.reflection.")
}
