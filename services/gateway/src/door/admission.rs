//! Who may call what over gRPC: the same rules as over HTTP, and the table of methods.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use assay_domain::{Code, Failure, Identity};
use assay_rpc::front::{Admit, Admitted, Call};
use futures::future::BoxFuture;
use tonic::Status;

use super::{brunix, status};
use crate::access_log::Line;
use crate::authorize::Caller;
use crate::middleware::RequestTag;
use crate::problem::Problem;
use crate::roles;
use crate::service::Slot;
use crate::shared::Shared;

/// Methods that have the router work on questions; they count as questions under way of their caller.
const QUESTIONS: &[&str] = &[
    "assay.router.v1alpha1.RouterService/Ask",
    "assay.router.v1alpha1.RouterService/AskStream",
    "assay.router.v1alpha1.RouterService/Explain",
    "assay.router.v1alpha1.RouterService/Classify",
];

/// Lets calls in.
pub(super) struct Admission {
    shared: Arc<Shared>,
    /// Full names of the services behind the listener.
    behind: Vec<&'static str>,
}

/// What lasts as long as a call.
struct UnderWay {
    _turn: Option<Slot>,
    _line: Line,
}

// === impl Admission ===

impl Admission {
    pub(super) fn new(shared: Arc<Shared>, behind: Vec<&'static str>) -> Self {
        Self { shared, behind }
    }

    /// What the call takes, and its place among the questions under way if it counts as one.
    fn enter(&self, path: &str, identity: &Identity) -> Result<Option<Slot>, Problem> {
        let needs = roles::of_method(path).filter(|_| self.leads_to(path));
        // A stranger learns nothing of what is here, so the authorizer comes before the table.
        self.shared.authorizer.admit(identity, needs.unwrap_or(roles::Needs::Known))?;
        if needs.is_none() {
            return Err(self.nowhere(path).into());
        }
        let counts = QUESTIONS.contains(&path);
        Ok(counts.then(|| self.shared.asking.permit(&Caller::from(identity.clone()))).transpose()?)
    }

    fn leads_to(&self, path: &str) -> bool {
        let service = path.split('/').next().unwrap_or_default();
        service == brunix::NAME || service.starts_with("grpc.reflection.") || self.behind.contains(&service)
    }

    fn nowhere(&self, path: &str) -> Failure {
        let text = format!(
            "this address does not lead to {path}; it leads to brunix.AssistanceEngine and to methods of {}",
            self.behind.join(", ")
        );
        Failure::new(Code::Unimplemented, text).field("method")
    }
}

impl Admit for Admission {
    fn admit<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Admitted, Status>> {
        Box::pin(async move {
            let tag = RequestTag::of(call.headers);
            // A path that nobody knows is a stranger's text, and no name for a line.
            let route = if roles::of_method(call.path).is_some() { call.path } else { "other" };
            let mut line = self.shared.log.begin("POST", route, &tag.0);
            let peer = call.peer.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |peer| peer.ip());
            // No browser calls here, so that no cookie is a credential.
            let identity = self.shared.authorizer.recognise(call.headers, None, peer).map_err(|problem| {
                line.status(problem.status().as_u16());
                status(&problem)
            })?;
            line.by(&identity, None);
            let turn = match self.enter(call.path, &identity) {
                Ok(turn) => turn,
                Err(mut problem) => {
                    if roles::asks(call.path) {
                        let caller = Caller { identity, request_id: tag.0 };
                        problem = self.shared.refusals.recorded(&caller, problem).await;
                    }
                    line.status(problem.status().as_u16());
                    return Err(status(&problem));
                }
            };
            line.status(200);
            let until_the_end = Box::new(UnderWay { _turn: turn, _line: line });
            Ok(Admitted { identity, request_id: Some(tag.0), until_the_end })
        })
    }
}
