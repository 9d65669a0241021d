//! An answer whose text is held until its verdict, and what is delivered of it.

use std::fmt::Write as _;
use std::time::Duration;

use assay_domain::answer::EventBody;
use assay_domain::{Answer, AnswerEvent, Code, Failure, Outcome};
use futures::StreamExt as _;
use tokio_stream::wrappers::ReceiverStream;

use crate::ports::Refused;
use crate::problem::Problem;

/// How a held answer ended.
#[derive(Debug)]
pub(crate) enum End {
    /// With an answer and the pieces in which its text came.
    Settled(Box<Answer>, Vec<String>),
    /// Without one.
    Failed(Failure),
}

/// The events of an answer. Dropping it cancels the work.
pub(crate) struct Held {
    events: ReceiverStream<AnswerEvent>,
    pieces: Vec<String>,
    end: Option<End>,
}

// === impl Held ===

impl Held {
    /// Follows the events for at most `patience`, or to the end if that comes before.
    ///
    /// # Errors
    /// The failure of an answer that failed in that time.
    pub(crate) async fn begin(
        events: ReceiverStream<AnswerEvent>,
        patience: Duration,
    ) -> Result<Self, Problem> {
        let mut held = Self { events, pieces: Vec::new(), end: None };
        let _ = tokio::time::timeout(patience, held.follow()).await;
        match held.end.take() {
            Some(End::Failed(failure)) => Err(Refused::by_peer(failure, None).into()),
            end => Ok(Self { end, ..held }),
        }
    }

    /// Whether the end is known.
    pub(crate) fn is_over(&self) -> bool {
        self.end.is_some()
    }

    /// The end of the answer.
    pub(crate) async fn end(mut self) -> End {
        self.follow().await;
        self.end.take().unwrap_or_else(broken_off)
    }

    async fn follow(&mut self) {
        while self.end.is_none() {
            match self.events.next().await.map(|event| event.body) {
                Some(EventBody::Segment(text)) => self.pieces.push(text),
                Some(EventBody::Retracted) => self.pieces.clear(),
                Some(EventBody::Settled(answer)) => {
                    self.end = Some(End::Settled(answer, std::mem::take(&mut self.pieces)));
                }
                Some(EventBody::Failed(failure)) => self.end = Some(End::Failed(failure)),
                Some(EventBody::Routed { .. } | EventBody::Sources(_)) => {}
                None => self.end = Some(broken_off()),
            }
        }
    }
}

fn broken_off() -> End {
    End::Failed(Failure::new(Code::Unavailable, "the answer broke off before it was settled; ask again"))
}

/// What a client gets of a settled answer.
#[derive(Debug)]
pub(crate) struct Delivered {
    /// The text in pieces, as the answer came; none if there is no text.
    pub(crate) pieces: Vec<String>,
    /// Why the answer was rejected and what to do; none unless it was.
    pub(crate) notice: Option<String>,
    /// The answer.
    pub(crate) answer: Answer,
}

// === impl Delivered ===

impl Delivered {
    /// The text of an answer: whole, or what stands of it if it was rejected. The pieces are used only if they make up
    /// exactly that text, for the settled text is the answer.
    ///
    /// # Errors
    /// The failure of an answer that was refused or failed, with its record.
    pub(crate) fn of(answer: Answer, pieces: Vec<String>) -> Result<Self, Problem> {
        if let (Some(failure), Outcome::Refused | Outcome::Failed | Outcome::Cancelled | Outcome::Aborted) =
            (&answer.failure, answer.outcome)
        {
            return Err(Problem::from(failure.clone()).with_audit(answer.audit_id.to_string()));
        }
        let rejected = answer.outcome == Outcome::Rejected;
        let notice = rejected.then(|| notice(&answer));
        let text = match (&answer.rejection, rejected) {
            (Some(rejection), true) => rejection.partial_response.clone(),
            _ => answer.text.clone(),
        };
        let pieces = if pieces.concat() == text { pieces } else { vec![text] };
        let pieces = pieces.into_iter().filter(|piece| !piece.is_empty()).collect();
        Ok(Self { pieces, notice, answer })
    }

    /// The whole text.
    pub(crate) fn text(&self) -> String {
        self.pieces.concat()
    }

    /// Puts the notice of a rejection behind the text, for protocols that have no other place for it.
    pub(crate) fn say_the_notice(&mut self) {
        if let Some(notice) = &self.notice {
            let gap = if self.pieces.is_empty() { "" } else { "\n\n" };
            self.pieces.push(format!("{gap}{notice}"));
        }
    }

    /// Puts the cited sources behind the text, as Markdown footnotes.
    pub(crate) fn add_footnotes(&mut self) {
        let text = self.text();
        let mut notes = String::new();
        for (number, hit) in (1..).zip(&self.answer.sources) {
            if !text.contains(&format!("[^{number}]")) && !text.contains(&format!("[^{number}:")) {
                continue;
            }
            let source = &hit.source;
            let name = if source.path.is_empty() { &source.id } else { &source.path };
            let lines = source.lines;
            let _ = write!(notes, "\n[^{number}]: {name}, lines {}-{}", lines.first, lines.last);
        }
        if !notes.is_empty() {
            self.pieces.push(format!("\n{notes}"));
        }
    }
}

fn notice(answer: &Answer) -> String {
    let (reason, suggestion) = answer
        .rejection
        .as_ref()
        .map_or(("", ""), |rejection| (rejection.reason.trim(), rejection.suggestion.trim()));
    let reason = if reason.is_empty() { "The answer did not pass its checks." } else { reason };
    format!("{reason} {suggestion}").trim().to_owned()
}
