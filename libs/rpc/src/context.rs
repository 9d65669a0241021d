//! Deadline, identity and id of a request: taken from its metadata, put on every call made for it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use assay_domain::{Code, Failure, Identity, Role};
use tonic::metadata::{BinaryMetadataValue, MetadataMap};

use crate::clock;

/// Metadata key of the principal, binary so that any text fits.
const PRINCIPAL: &str = "assay-principal-bin";
/// Metadata key of the tenant.
const TENANT: &str = "assay-tenant-bin";
/// Metadata key of the roles, comma-separated.
const ROLES: &str = "assay-roles";
/// Metadata key, and HTTP header, of the id under which a request is known in every log.
pub const REQUEST_ID: &str = "x-request-id";

/// Time a request may take when the caller named none.
pub const DEFAULT_BUDGET: Duration = Duration::from_secs(60);
/// Most time a request may take whatever the caller says.
pub const MAX_BUDGET: Duration = Duration::from_secs(120);

/// What travels with a request.
#[derive(Debug, Clone)]
pub struct Context {
    deadline: Instant,
    identity: Identity,
    request_id: Option<Arc<str>>,
}

impl Context {
    /// A request that starts here, with a budget capped at [`MAX_BUDGET`].
    #[must_use]
    pub fn new(identity: Identity, budget: Duration) -> Self {
        Self { deadline: clock::now() + budget.min(MAX_BUDGET), identity, request_id: None }
    }

    /// Work that no request waits for, such as delivering a record: its own budget, uncapped.
    #[must_use]
    pub fn background(identity: Identity, budget: Duration) -> Self {
        Self { deadline: clock::now() + budget, identity, request_id: None }
    }

    /// What a received request carries; [`DEFAULT_BUDGET`] if it names no time-out.
    ///
    /// # Errors
    /// `UNAUTHENTICATED` if there is no identity, `INVALID_ARGUMENT` if one cannot be read.
    pub fn from_request<T>(request: &tonic::Request<T>) -> Result<Self, Failure> {
        let metadata = request.metadata();
        let budget = timeout(metadata).unwrap_or(DEFAULT_BUDGET).min(MAX_BUDGET);
        let request_id = metadata.get(REQUEST_ID).and_then(|value| value.to_str().ok());
        let context =
            Self { deadline: clock::now() + budget, identity: identity(metadata)?, request_id: None };
        Ok(context.with_request_id(request_id.unwrap_or_default()))
    }

    /// The same request under the id that its caller knows it by; what is no [`is_request_id`] changes nothing.
    #[must_use]
    pub fn with_request_id(mut self, id: &str) -> Self {
        if is_request_id(id) {
            self.request_id = Some(id.into());
        }
        self
    }

    /// The id that its caller knows it by.
    #[must_use]
    pub fn request_id(&self) -> Option<&str> {
        self.request_id.as_deref()
    }

    /// Who asks.
    #[must_use]
    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// When the caller stops waiting.
    #[must_use]
    pub fn deadline(&self) -> Instant {
        self.deadline
    }

    /// Time left; zero past the deadline.
    #[must_use]
    pub fn remaining(&self) -> Duration {
        self.deadline.saturating_duration_since(clock::now())
    }

    /// The same request with at most `cap` from now on.
    #[must_use]
    pub fn capped(&self, cap: Duration) -> Self {
        Self { deadline: self.deadline.min(clock::now() + cap), ..self.clone() }
    }

    /// An outgoing request with time-out, identity and trace context.
    pub fn request<T>(&self, message: T) -> tonic::Request<T> {
        let mut request = tonic::Request::new(message);
        // A zero time-out would be dropped by some peers and then mean "no limit".
        request.set_timeout(self.remaining().max(Duration::from_millis(1)));
        let metadata = request.metadata_mut();
        write_identity(metadata, &self.identity);
        if let Some(id) = self.request_id.as_ref().and_then(|id| id.parse().ok()) {
            metadata.insert(REQUEST_ID, id);
        }
        let mut headers = http::HeaderMap::new();
        assay_telemetry::propagation::inject(&mut headers);
        for (name, value) in &headers {
            if let (Ok(key), Ok(value)) = (
                tonic::metadata::AsciiMetadataKey::from_bytes(name.as_str().as_bytes()),
                value.to_str().unwrap_or_default().parse(),
            ) {
                metadata.insert(key, value);
            }
        }
        request
    }

    /// Runs work until the deadline.
    ///
    /// # Errors
    /// `DEADLINE_EXCEEDED` if it does not end in time; the work is dropped.
    pub async fn within<F: Future>(&self, work: F) -> Result<F::Output, Failure> {
        tokio::time::timeout_at(self.deadline.into(), work).await.map_err(|_| {
            Failure::new(Code::DeadlineExceeded, "the request ran out of time; allow more or ask less")
        })
    }
}

/// Whether a text may be the id of a request: 1 to 128 ASCII letters, digits, `-`, `_`, `.` and `:`, so that it is
/// itself in a header, a log line and a page.
#[must_use]
pub fn is_request_id(text: &str) -> bool {
    (1..=128).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte))
}

fn write_identity(metadata: &mut MetadataMap, identity: &Identity) {
    metadata.insert_bin(PRINCIPAL, BinaryMetadataValue::from_bytes(identity.principal.as_bytes()));
    metadata.insert_bin(TENANT, BinaryMetadataValue::from_bytes(identity.tenant.as_bytes()));
    let roles: Vec<&str> = identity.roles.iter().map(|role| role.as_str()).collect();
    if let Ok(value) = roles.join(",").parse() {
        metadata.insert(ROLES, value);
    }
}

/// The identity as headers, to overwrite whatever a caller claims to be.
pub(crate) fn identity_headers(identity: &Identity) -> http::HeaderMap {
    let mut metadata = MetadataMap::new();
    write_identity(&mut metadata, identity);
    metadata.into_headers()
}

/// Removes whatever identity the headers claim.
pub(crate) fn forget_identity(headers: &mut http::HeaderMap) {
    for key in [PRINCIPAL, TENANT, ROLES] {
        headers.remove(key);
    }
}

/// The time-out that a call names.
pub(crate) fn timeout_of(headers: &http::HeaderMap) -> Option<Duration> {
    parse_timeout(headers.get("grpc-timeout")?.to_str().ok()?)
}

fn timeout(metadata: &MetadataMap) -> Option<Duration> {
    parse_timeout(metadata.get("grpc-timeout")?.to_str().ok()?)
}

fn parse_timeout(text: &str) -> Option<Duration> {
    let (digits, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    let value: u64 = digits.parse().ok()?;
    Some(match unit {
        "H" => Duration::from_secs(value.saturating_mul(3600)),
        "M" => Duration::from_secs(value.saturating_mul(60)),
        "S" => Duration::from_secs(value),
        "m" => Duration::from_millis(value),
        "u" => Duration::from_micros(value),
        "n" => Duration::from_nanos(value),
        _ => return None,
    })
}

fn identity(metadata: &MetadataMap) -> Result<Identity, Failure> {
    let text = |key: &str| -> Result<String, Failure> {
        let value = metadata.get_bin(key).ok_or_else(|| {
            Failure::new(
                Code::Unauthenticated,
                "the call carries no identity; it must come through the gateway",
            )
        })?;
        let bytes = value.to_bytes().map_err(|_| bad(key))?;
        String::from_utf8(bytes.to_vec()).map_err(|_| bad(key))
    };
    let roles = metadata.get(ROLES).map_or(Ok(""), |value| value.to_str().map_err(|_| bad(ROLES)))?;
    Ok(Identity {
        principal: text(PRINCIPAL)?,
        tenant: text(TENANT)?,
        // A role of a newer version grants nothing here.
        roles: roles.split(',').filter_map(Role::from_name).collect(),
    })
}

fn bad(key: &str) -> Failure {
    Failure::new(Code::InvalidArgument, format!("the metadata {key} cannot be read")).field(key)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn identity_and_deadline_survive_the_wire() {
        let sent = Context::new(
            Identity { principal: "añá".into(), tenant: "t".into(), roles: vec![Role::Ask, Role::Admin] },
            Duration::from_secs(5),
        );
        let got = Context::from_request(&sent.request(())).unwrap();
        assert_eq!(got.identity(), sent.identity());
        assert!(got.remaining() <= Duration::from_secs(5));
        assert!(got.remaining() > Duration::from_secs(4));
    }

    #[test]
    fn only_plain_request_ids_survive_the_wire() {
        let context = Context::new(Identity::local(), Duration::from_secs(5)).with_request_id("job-7:a.b_c");
        let got = Context::from_request(&context.request(())).unwrap();
        assert_eq!(got.request_id(), Some("job-7:a.b_c"));
        assert_eq!(got.capped(Duration::from_secs(1)).request_id(), Some("job-7:a.b_c"));
        for id in ["", "a b", "a\nb", "<script>", "ñ", &"x".repeat(129)] {
            assert_eq!(
                Context::new(Identity::local(), Duration::ZERO).with_request_id(id).request_id(),
                None,
                "{id}"
            );
        }
        let mut foreign = Context::new(Identity::local(), Duration::from_secs(5)).request(());
        foreign.metadata_mut().insert(REQUEST_ID, "a b".parse().unwrap());
        assert_eq!(Context::from_request(&foreign).unwrap().request_id(), None);
    }

    #[test]
    fn a_call_without_identity_is_unauthenticated() {
        let failure = Context::from_request(&tonic::Request::new(())).unwrap_err();
        assert_eq!(failure.code, Code::Unauthenticated);
    }

    #[test]
    fn a_callers_budget_is_capped() {
        let context = Context::new(Identity::local(), Duration::from_secs(9999));
        assert!(context.remaining() <= MAX_BUDGET);
    }

    #[test]
    fn every_unit_of_the_timeout_header_is_read() {
        for (text, expected) in
            [("2H", 7_200_000), ("3M", 180_000), ("4S", 4_000), ("5m", 5), ("6000u", 6), ("7000000n", 7)]
        {
            let mut metadata = MetadataMap::new();
            metadata.insert("grpc-timeout", text.parse().unwrap());
            assert_eq!(timeout(&metadata), Some(Duration::from_millis(expected)), "{text}");
        }
        let mut metadata = MetadataMap::new();
        metadata.insert("grpc-timeout", "x".parse().unwrap());
        assert_eq!(timeout(&metadata), None);
    }
}
