//! Reviews, feedback and erasing over gRPC: of audit, and of the router, which erases everywhere.

use assay_domain::{AuditId, Failure};
use assay_proto::audit::audit_service_client::AuditServiceClient;
use assay_proto::router::router_service_client::RouterServiceClient;
use assay_proto::{audit, router};
use assay_rpc::{Channel, Context, MAX_MESSAGE_BYTES};
use assay_wire::from_status;
use async_trait::async_trait;

use crate::ports::Reviews;

/// Judges through the services.
#[derive(Debug, Clone)]
pub(crate) struct GrpcReviews {
    audit: AuditServiceClient<Channel>,
    router: RouterServiceClient<Channel>,
}

impl GrpcReviews {
    pub(crate) fn new(audit: Channel, router: Channel) -> Self {
        Self {
            audit: AuditServiceClient::new(audit).max_decoding_message_size(MAX_MESSAGE_BYTES),
            router: RouterServiceClient::new(router),
        }
    }
}

fn receipt(receipt: Option<audit::Receipt>) -> Result<audit::Receipt, Failure> {
    receipt.ok_or_else(|| Failure::internal("audit sent no receipt"))
}

#[async_trait]
impl Reviews for GrpcReviews {
    async fn list(
        &self,
        context: &Context,
        request: audit::ListReviewsRequest,
    ) -> Result<audit::ListReviewsResponse, Failure> {
        let reply = self.audit.clone().list_reviews(context.request(request)).await;
        Ok(reply.map_err(|status| from_status(&status))?.into_inner())
    }

    async fn rates(
        &self,
        context: &Context,
        request: audit::ReviewRatesRequest,
    ) -> Result<audit::ReviewRatesResponse, Failure> {
        let reply = self.audit.clone().review_rates(context.request(request)).await;
        Ok(reply.map_err(|status| from_status(&status))?.into_inner())
    }

    async fn claim(&self, context: &Context, id: AuditId, release: bool) -> Result<(), Failure> {
        let request = audit::ClaimReviewRequest { audit_id: id.to_string(), release };
        let reply = self.audit.clone().claim_review(context.request(request)).await;
        reply.map(drop).map_err(|status| from_status(&status))
    }

    async fn decide(
        &self,
        context: &Context,
        id: AuditId,
        decision: String,
        reason: String,
    ) -> Result<audit::Receipt, Failure> {
        let request = audit::DecideReviewRequest { audit_id: id.to_string(), decision, reason };
        let reply = self.audit.clone().decide_review(context.request(request)).await;
        receipt(reply.map_err(|status| from_status(&status))?.into_inner().receipt)
    }

    async fn feedback(
        &self,
        context: &Context,
        request: audit::GiveFeedbackRequest,
    ) -> Result<audit::Receipt, Failure> {
        let reply = self.audit.clone().give_feedback(context.request(request)).await;
        receipt(reply.map_err(|status| from_status(&status))?.into_inner().receipt)
    }

    async fn erase(
        &self,
        context: &Context,
        whose: router::forget_request::Whose,
    ) -> Result<router::ForgetResponse, Failure> {
        let request = router::ForgetRequest { whose: Some(whose) };
        let reply = self.router.clone().forget(context.request(request)).await;
        Ok(reply.map_err(|status| from_status(&status))?.into_inner())
    }
}
