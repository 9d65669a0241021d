//! Who may call what through the door: the same gate as over HTTP, and the table of methods.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use assay_domain::{Code, Failure, Identity};
use assay_rpc::front::{Admit, Admitted, Call};
use assay_wire::to_status;
use futures::future::BoxFuture;
use tonic::Status;

use super::brunix;
use crate::access::Line;
use crate::gate::Caller;
use crate::guard::RequestTag;
use crate::problem::Problem;
use crate::roles;
use crate::routes::Shared;
use crate::service::Slot;

/// Methods that put a question to the router; they count as questions under way of their caller.
const QUESTIONS: &[&str] =
    &["assay.router.v1alpha1.RouterService/Ask", "assay.router.v1alpha1.RouterService/AskStream"];

/// Lets calls in.
pub(super) struct Admission {
    shared: Arc<Shared>,
    /// Full names of the services behind the door.
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

    fn enter(&self, call: Call<'_>) -> Result<(Identity, Option<Slot>), Problem> {
        let needs = roles::of_method(call.path).filter(|_| self.leads_to(call.path));
        // A stranger learns nothing of what is here, so the gate comes before the table.
        let peer = call.peer.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |peer| peer.ip());
        let entry = self.shared.gate.enter(
            call.headers,
            peer,
            needs.unwrap_or(roles::Needs::Any(assay_domain::Role::ALL)),
        )?;
        if needs.is_none() {
            return Err(self.nowhere(call.path).into());
        }
        let turn = if QUESTIONS.contains(&call.path) {
            Some(self.shared.asking.turn(&Caller::from(entry.identity.clone()))?)
        } else {
            None
        };
        Ok((entry.identity, turn))
    }

    fn leads_to(&self, path: &str) -> bool {
        let service = path.split('/').next().unwrap_or_default();
        service == brunix::NAME || self.behind.contains(&service)
    }

    fn nowhere(&self, path: &str) -> Failure {
        let text = format!(
            "this door does not lead to {path}; it leads to brunix.AssistanceEngine and to methods of {}",
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
            let mut line = self.shared.log.begin(&http::Method::POST, route, &tag.0);
            match self.enter(call) {
                Ok((identity, turn)) => {
                    line.by(&identity);
                    line.status(200);
                    let until_the_end = Box::new(UnderWay { _turn: turn, _line: line });
                    Ok(Admitted { identity, request_id: Some(tag.0), until_the_end })
                }
                Err(problem) => {
                    line.status(problem.status().as_u16());
                    Err(status(&problem))
                }
            }
        })
    }
}

/// A problem as a status, with the header that says when to come back.
fn status(problem: &Problem) -> Status {
    let mut status = to_status(&problem.failure);
    if let Some(seconds) =
        problem.headers.get(http::header::RETRY_AFTER).and_then(|value| value.to_str().ok())
        && let Ok(value) = seconds.parse()
    {
        status.metadata_mut().insert("retry-after", value);
    }
    status
}
