//! What is let in: limits, the outbox, repeats of a request id; what is refused leaves its record.

use assay_domain::answer::Outcome;
use assay_domain::error::Code;
use assay_domain::question::Delivery;
use assay_domain::{Answer, Failure, Identity, QueryType, Question, Role};
use assay_telemetry::names::metrics as names;

use crate::emit::Emitter;
use crate::error::{outbox_full, request_conflict};
use crate::finish::settlement;
use crate::journal::Journal;
use crate::ports::{Admission, Opened, RequestKey};
use crate::record::sha256;
use crate::state::{Request, Router};

/// What the outbox has to know of a request before any work.
fn opened(request: &Request, key: Option<RequestKey>) -> Opened {
    Opened {
        audit_id: request.audit_id,
        unix_ms: request.unix_ms,
        identity: request.context.identity().clone(),
        session_id: request.question.session.as_ref().map(ToString::to_string).unwrap_or_default(),
        query_sha256: sha256(&request.question.text),
        request: key,
    }
}

impl Router {
    /// Opens the request; the stored answer if the same request was answered before.
    pub(crate) async fn open(&self, request: &Request) -> Result<Option<Answer>, Failure> {
        let named = request.question.request_id;
        let key = named.map(|id| RequestKey { id, content_sha256: content(&request.question) });
        let opened = opened(request, key);
        loop {
            // Listened to before the look, so that no closing is missed between look and wait.
            let closed = self.recorder.closed();
            match self.ports.outbox.open(opened.clone(), request.unix_ms).await? {
                Admission::Opened => return Ok(None),
                Admission::Answered(answer) => return Ok(Some(*answer)),
                Admission::Conflict => return Err(request_conflict()),
                Admission::Full => return Err(outbox_full()),
                Admission::Running => tokio::select! {
                    () = request.gone.cancelled() => {
                        return Err(Failure::new(Code::Cancelled, "the client went away"));
                    }
                    waited = request.context.within(closed) => waited?,
                },
            }
        }
    }

    /// Opens a request that no earlier one can have answered.
    pub(crate) async fn open_unnamed(&self, request: &Request) -> Result<(), Failure> {
        match self.ports.outbox.open(opened(request, None), request.unix_ms).await? {
            Admission::Full => Err(outbox_full()),
            _ => Ok(()),
        }
    }

    /// A request that ends before any work still leaves its record, unless the outbox takes none.
    pub(crate) async fn unasked(
        &self,
        request: &Request,
        failure: Failure,
        count: u32,
        emitter: &mut Emitter,
    ) -> Result<Answer, Failure> {
        self.open_unnamed(request).await.map_err(unrecorded)?;
        let outcome = match failure.code {
            Code::Cancelled => Outcome::Cancelled,
            Code::DeadlineExceeded => Outcome::Failed,
            _ => Outcome::Refused,
        };
        let end = settlement(outcome, failure.code);
        let mut journal = Journal { failure: Some(failure), ..Journal::default() };
        if count > 1 {
            journal.warn(format!("requests={count}"));
        }
        self.finish(request, end, journal, emitter).await
    }
}

/// Refuses whoever lacks the role.
pub(crate) fn may_ask(identity: &Identity) -> Result<(), Failure> {
    if identity.has(Role::Ask) {
        return Ok(());
    }
    let text = "asking needs the role `ask`; have it granted to this key";
    Err(Failure::new(Code::PermissionDenied, text).field("roles"))
}

/// What is refused before any work.
pub(crate) fn acceptable(request: &Request, delivery: Delivery) -> Result<(), Failure> {
    may_ask(request.context.identity())?;
    if delivery == Delivery::Draft {
        let text = "raw draft delivery is not allowed here; ask for VERIFIED or HELD";
        return Err(Failure::new(Code::PermissionDenied, text).field("delivery"));
    }
    request.question.check_limits()
}

/// Whether a failure to open a request says that nothing can be recorded either.
pub(crate) fn unrecordable(code: Code) -> bool {
    matches!(code, Code::OutboxFull | Code::Unavailable | Code::StorageCorrupt | Code::Internal)
}

/// Counts a refusal that leaves no record.
pub(crate) fn unrecorded(failure: Failure) -> Failure {
    metrics::counter!(names::REFUSALS_UNRECORDED_TOTAL, "code" => failure.code.as_str()).increment(1);
    tracing::error!(%failure, "a request was refused and left no record");
    failure
}

/// SHA-256 over everything that was asked.
fn content(question: &Question) -> String {
    let declared = question.declared_type.map_or("", QueryType::as_str);
    let session = question.session.as_ref().map_or("", |id| id.as_str());
    let prior = question.prior.iter().flat_map(|turn| [turn.question.as_str(), turn.answer.as_str()]);
    let parts = [
        question.text.as_str(),
        declared,
        session,
        &question.collection,
        question.mode.as_str(),
        &question.editor_content,
        &question.selected_text,
        &question.extra_context,
    ];
    let parts = parts.into_iter().chain(prior);
    sha256(&parts.map(|part| format!("{}:{part}", part.len())).collect::<String>())
}
