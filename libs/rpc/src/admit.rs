//! Who may call a service: with TLS only the services that its specification names, and only they are believed about
//! the identity they call for.

use std::task::{Context, Poll};

use futures::future::{Either, Ready, ready};
use http::{Request, Response};
use tonic::Status;
use tonic::body::Body;
use tower::{Layer, Service};

use crate::context::forget_identity;
use crate::io::Remote;
use crate::methods::is_machinery;
use crate::spec::ServiceSpec;

/// Adds [`Admitting`] to a server.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Admission {
    spec: &'static ServiceSpec,
}

impl Admission {
    pub(crate) fn new(spec: &'static ServiceSpec) -> Self {
        Self { spec }
    }

    fn refusal(self, remote: Option<&Remote>, path: &str) -> Option<Status> {
        let name = self.spec.name;
        // Without TLS the settings confine the listener to this machine, or say plainly that the network is trusted.
        let names = remote?.names.as_ref()?;
        if self.spec.callers.is_empty() || is_machinery(path) {
            return None;
        }
        if names.is_empty() {
            let text =
                format!("the certificate of the caller names no service; {name} cannot tell who calls");
            return Some(Status::unauthenticated(text));
        }
        if names.iter().any(|name| self.spec.callers.contains(&name.as_str())) {
            return None;
        }
        let (who, may) = (names.join(", "), self.spec.callers.join(", "));
        Some(Status::permission_denied(format!("{who} may not call {name}; its callers are {may}")))
    }
}

impl<S> Layer<S> for Admission {
    type Service = Admitting<S>;

    fn layer(&self, inner: S) -> Self::Service {
        Admitting { admission: *self, inner }
    }
}

/// Refuses calls of peers that the specification does not name.
#[derive(Debug, Clone)]
pub(crate) struct Admitting<S> {
    admission: Admission,
    inner: S,
}

impl<S> Service<Request<Body>> for Admitting<S>
where
    S: Service<Request<Body>, Response = Response<Body>>,
{
    type Response = Response<Body>;
    type Error = S::Error;
    type Future = Either<S::Future, Ready<Result<Response<Body>, S::Error>>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut request: Request<Body>) -> Self::Future {
        let remote = request.extensions().get::<Remote>();
        if let Some(status) = self.admission.refusal(remote, request.uri().path()) {
            tracing::debug!(target: "assay", service = self.admission.spec.name, error = %status.message(), "a call was refused");
            return Either::Right(ready(Ok(status.into_http())));
        }
        if self.admission.spec.callers.is_empty() {
            forget_identity(request.headers_mut());
        }
        Either::Left(self.inner.call(request))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::sync::Arc;

    static SPEC: ServiceSpec = ServiceSpec {
        name: "parser",
        grpc: "",
        port: 0,
        calls: &[],
        callers: &["validation", "evaluation"],
        purpose: "",
    };

    fn refused(names: Option<&[&str]>, path: &str) -> Option<tonic::Code> {
        let names = names.map(|names| names.iter().map(|name| (*name).to_owned()).collect::<Arc<[String]>>());
        let remote = Remote { address: None, names, connection: None };
        Admission::new(&SPEC).refusal(Some(&remote), path).map(|status| status.code())
    }

    #[test]
    fn only_named_callers_come_in() {
        let call = "/assay.parser.v1alpha1.ParserService/Parse";
        assert_eq!(refused(Some(&["validation"]), call), None);
        assert_eq!(refused(Some(&["other", "evaluation"]), call), None);
        assert_eq!(refused(Some(&["gateway"]), call), Some(tonic::Code::PermissionDenied));
        assert_eq!(refused(Some(&["validation.evil"]), call), Some(tonic::Code::PermissionDenied));
        assert_eq!(refused(Some(&[]), call), Some(tonic::Code::Unauthenticated));
        assert_eq!(refused(None, call), None, "without TLS the address decides");
    }

    #[test]
    fn health_and_reflection_need_no_name() {
        assert_eq!(refused(Some(&["gateway"]), "/grpc.health.v1.Health/Check"), None);
        assert_eq!(refused(Some(&[]), "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo"), None);
    }
}
