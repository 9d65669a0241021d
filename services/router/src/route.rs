//! Has the type of a request decided, and says so.

use assay_domain::QueryType;
use assay_domain::answer::EventBody;
use assay_graph::What;
use assay_rpc::clock;
use assay_telemetry::spans;
use tracing::Instrument as _;

use crate::emit::Emitter;
use crate::service::{Request, Router};
use crate::traces;
use crate::trail::Trail;

/// Decides the type. A request never fails because routing did.
pub(crate) async fn classify(
    router: &Router,
    request: &Request,
    trail: &mut Trail,
    emitter: &mut Emitter,
) -> What {
    let (since, span) = (clock::now(), spans::classify());
    let (question, history) = (&request.question, &trail.session.history);
    let asked =
        router.classifier.classify(&request.context, &question.text, question.declared_type, history, true);
    let classified = asked.instrument(span.clone()).await;
    trail.timing.route_ms += clock::elapsed_ms(since);
    let classified = match classified {
        Ok(classified) => classified,
        Err(failure) => {
            // Only a broken program gets here; documentation is the safe reading of any question.
            tracing::error!(%failure, "classification failed");
            trail.errors.push(failure.code.to_string());
            return What::Routed(QueryType::Retrieval);
        }
    };
    if classified.ignored {
        trail.warn("the declared type PLATFORM was ignored: it needs the role `platform`");
    }
    if classified.unembedded {
        trail.warn("embeddings were not available: the type was decided from the words alone");
    }
    trail.spent.model_calls += classified.model_calls;
    trail.topic = classified.topic;
    let route = classified.route;
    trail.route = Some(route.clone());
    let query_type = route.query_type;
    traces::routed(&span, &route);
    emitter.emit(EventBody::Routed { route, audit_id: request.audit_id }).await;
    What::Routed(query_type)
}
