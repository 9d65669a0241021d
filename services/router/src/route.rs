//! Has the type of a request decided, and says so.

use assay_domain::QueryType;
use assay_domain::answer::EventBody;
use assay_graph::EventKind;
use assay_rpc::clock;
use assay_telemetry::spans;
use tracing::Instrument as _;

use crate::emit::Emitter;
use crate::journal::Journal;
use crate::state::{Request, Router};
use crate::traces;

/// Decides the type. A request never fails because routing did.
pub(crate) async fn classify(
    router: &Router,
    request: &Request,
    journal: &mut Journal,
    emitter: &mut Emitter,
) -> EventKind {
    let (since, span) = (clock::now(), spans::classify());
    let (question, history) = (&request.question, &journal.session.history);
    let asked =
        router.classifier.classify(&request.context, &question.text, question.declared_type, history, true);
    let classified = asked.instrument(span.clone()).await;
    journal.timing.route_ms += clock::elapsed_ms(since);
    let classified = match classified {
        Ok(classified) => classified,
        Err(failure) => {
            // Only a broken program gets here; documentation is the safe reading of any question.
            tracing::error!(%failure, "classification failed");
            journal.errors.push(failure.code.to_string());
            return EventKind::Routed(QueryType::Retrieval);
        }
    };
    if classified.ignored {
        journal.warn("the declared type PLATFORM was ignored: it needs the role `platform`");
    }
    if classified.unembedded {
        journal.warn("embeddings were not available: the type was decided from the words alone");
    }
    if let Some(collector) = &router.collector
        && router.options.keeps_messages()
    {
        collector.note(request, &classified);
    }
    journal.spent.model_calls += classified.model_calls;
    journal.topic = classified.topic;
    let route = classified.route;
    journal.route = Some(route.clone());
    let query_type = route.query_type;
    traces::routed(&span, &route);
    emitter.emit(EventBody::Routed { route, audit_id: request.audit_id }).await;
    EventKind::Routed(query_type)
}
