//! The gRPC face: decode, call the service, encode; and the order of messages in a check.

use std::pin::Pin;

use assay_domain::{CheckedSegment, Code, Failure, Source};
use assay_proto::validation as wire;
use assay_proto::validation::check_request::Part;
use assay_proto::validation::check_response::Part as Reply;
use assay_proto::validation::validation_service_server::ValidationService;
use assay_rpc::{Context, task};
use assay_wire::{ToWire as _, at, from_status, list_from_wire, to_status};
use futures::Stream;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Response, Status, Streaming};

use crate::check_run::CheckRun;
use crate::error::Error;
use crate::open_checks::OpenCheck;
use crate::service::Validation;

/// Messages that wait for a slow caller; then the check waits too, and takes no more text.
const REPLIES: usize = 16;

/// Serves [`Validation`] over gRPC.
#[derive(Debug, Clone)]
pub(crate) struct Grpc(pub(crate) Validation);

type Replies = mpsc::Sender<Result<wire::CheckResponse, Status>>;

#[tonic::async_trait]
impl ValidationService for Grpc {
    type CheckStream = Pin<Box<dyn Stream<Item = Result<wire::CheckResponse, Status>> + Send>>;

    async fn check(
        &self,
        request: Request<Streaming<wire::CheckRequest>>,
    ) -> Result<Response<Self::CheckStream>, Status> {
        let context = Context::from_request(&request).map_err(|failure| to_status(&failure))?;
        let room = self.0.room(context.identity()).map_err(|failure| to_status(&failure))?;
        let (replies, received) = mpsc::channel(REPLIES);
        let validation = self.0.clone();
        let messages = request.into_inner();
        task::spawn(async move {
            let work = context.within(check(&validation, room, &context, messages, &replies));
            let result = tokio::select! {
                // The caller went away: what was under way for it is dropped.
                () = replies.closed() => return,
                result = work => result.and_then(|result| result),
            };
            if let Err(failure) = result {
                let _ = replies.send(Err(to_status(&failure))).await;
            }
        });
        Ok(Response::new(Box::pin(ReceiverStream::new(received))))
    }

    async fn assess_relevance(
        &self,
        request: Request<wire::AssessRelevanceRequest>,
    ) -> Result<Response<wire::AssessRelevanceResponse>, Status> {
        let judged = async {
            let context = Context::from_request(&request)?;
            let room = self.0.room(context.identity())?;
            let message = request.into_inner();
            let sources: Vec<Source> = list_from_wire("sources", message.sources)?;
            context.within(self.0.relevance(room, message.question, sources)).await?
        };
        let relevance = judged.await.map_err(|failure: Failure| to_status(&failure))?;
        Ok(Response::new(relevance.to_wire()))
    }
}

/// How far the present draft of a check is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Draft {
    /// It has no text yet.
    Ready,
    Written,
    Finished,
}

/// One check: `open`, then of each draft any number of `text` and `finish`; `next` stands between two drafts.
async fn check(
    validation: &Validation,
    room: OpenCheck,
    context: &Context,
    mut messages: Streaming<wire::CheckRequest>,
    replies: &Replies,
) -> Result<(), Failure> {
    let mut run = match next(&mut messages).await? {
        Some(Part::Open(open)) => {
            let assess = open.assess_relevance;
            let run = validation.open(room, at("open", open)?).await?;
            if assess {
                send(replies, Reply::Relevance(run.relevance().to_wire())).await?;
            }
            run
        }
        Some(_) => return Err(Error::Order("the first message of a check must be `open`").into()),
        None => return Err(Error::Order("the check ended before it was opened").into()),
    };
    let mut draft = Draft::Ready;
    loop {
        match next(&mut messages).await? {
            Some(Part::Next(_)) if draft == Draft::Written => {
                return Err(Error::Order("a draft of a check is finished before `next`").into());
            }
            Some(Part::Next(next)) => {
                run.next(at("next.attempt", next.attempt)?);
                draft = Draft::Ready;
            }
            Some(Part::Text(_) | Part::Finish(_)) if draft == Draft::Finished => {
                return Err(Error::Order("another draft of a check begins with `next`").into());
            }
            Some(Part::Text(text)) => {
                draft = Draft::Written;
                let segments = run.feed(context, &text).await?;
                pass_on(segments, replies).await?;
            }
            Some(Part::Finish(wire::Finish { more })) => {
                finish(&mut run, context, replies).await?;
                if !more {
                    return Ok(());
                }
                draft = Draft::Finished;
            }
            Some(Part::Open(_)) => return Err(Error::Order("a check is opened once").into()),
            None if draft == Draft::Finished => return Ok(()),
            None => return Err(Error::Order("the check ended before `finish`").into()),
        }
    }
}

async fn next(messages: &mut Streaming<wire::CheckRequest>) -> Result<Option<Part>, Failure> {
    match messages.message().await.map_err(|status| from_status(&status))? {
        None => Ok(None),
        Some(wire::CheckRequest { part: Some(part) }) => Ok(Some(part)),
        Some(wire::CheckRequest { part: None }) => {
            Err(Error::Order("a message of a check carries `open`, `text`, `finish` or `next`").into())
        }
    }
}

async fn finish(run: &mut CheckRun, context: &Context, replies: &Replies) -> Result<(), Failure> {
    let segments = run.close(context).await?;
    pass_on(segments, replies).await?;
    let done = run.finish(context).await?;
    send(replies, Reply::Done(done.to_wire())).await
}

async fn pass_on(segments: Vec<CheckedSegment>, replies: &Replies) -> Result<(), Failure> {
    for segment in segments {
        send(replies, Reply::Segment(segment.to_wire())).await?;
    }
    Ok(())
}

async fn send(replies: &Replies, part: Reply) -> Result<(), Failure> {
    let sent = replies.send(Ok(wire::CheckResponse { part: Some(part) })).await;
    sent.map_err(|_| Failure::new(Code::Cancelled, "the caller went away"))
}
