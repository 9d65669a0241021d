//! Events of one answer: gapless numbers, and the text that a client that follows them holds.

use assay_domain::answer::{AnswerEvent, EventBody};
use assay_domain::question::Delivery;
use tokio::sync::mpsc::Sender;

/// Sends events; without a receiver it only counts.
#[derive(Debug)]
pub(crate) struct Emitter {
    sender: Option<Sender<AnswerEvent>>,
    delivery: Delivery,
    sequence: u64,
    attempt: u32,
    held: String,
}

impl Emitter {
    pub(crate) fn new(sender: Option<Sender<AnswerEvent>>, delivery: Delivery) -> Self {
        Self { sender, delivery, sequence: 0, attempt: 0, held: String::new() }
    }

    /// Events from now on belong to this attempt.
    pub(crate) fn attempt(&mut self, number: u32) {
        self.attempt = number;
    }

    /// Sends an event; a client that went away is noticed elsewhere.
    pub(crate) async fn emit(&mut self, body: EventBody) {
        let event = AnswerEvent { sequence: self.sequence, attempt: self.attempt, body };
        if let Some(sender) = &self.sender {
            // The number is spent only once the event is on its way.
            if sender.send(event).await.is_err() {
                return;
            }
        }
        self.sequence += 1;
    }

    /// Whether text leaves before the verdict.
    pub(crate) fn takes_segments(&self) -> bool {
        self.delivery == Delivery::Verified && self.sender.is_some()
    }

    /// Sends a verified segment if text may leave before the verdict.
    pub(crate) async fn segment(&mut self, text: &str) {
        if self.takes_segments() && !text.is_empty() {
            self.emit(EventBody::Segment(text.to_owned())).await;
            self.held.push_str(text);
        }
    }

    /// Withdraws what the client holds.
    pub(crate) async fn retract(&mut self) {
        if !self.held.is_empty() {
            self.emit(EventBody::Retracted).await;
            self.held.clear();
        }
    }

    /// Brings the client to exactly `text`: what it holds stays if it is that, else it is withdrawn and sent anew,
    /// in `segments` if they make up the text.
    pub(crate) async fn reconcile(&mut self, text: &str, segments: &[String]) {
        if self.held == text {
            return;
        }
        self.retract().await;
        let pieces: Vec<&str> = if segments.concat() == text {
            segments.iter().map(String::as_str).collect()
        } else {
            vec![text]
        };
        for piece in pieces.into_iter().filter(|piece| !piece.is_empty()) {
            self.emit(EventBody::Segment(piece.to_owned())).await;
            self.held.push_str(piece);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use tokio::sync::mpsc;

    async fn events(delivery: Delivery, text: &str, sent: &[&str]) -> Vec<(u64, EventBody)> {
        let (sender, mut receiver) = mpsc::channel(32);
        let mut emitter = Emitter::new(Some(sender), delivery);
        for piece in sent {
            emitter.segment(piece).await;
        }
        emitter.reconcile(text, &["One. ".into(), "Two.".into()]).await;
        drop(emitter);
        let mut all = Vec::new();
        while let Some(event) = receiver.recv().await {
            all.push((event.sequence, event.body));
        }
        all
    }

    fn segment(text: &str) -> EventBody {
        EventBody::Segment(text.into())
    }

    #[tokio::test]
    async fn what_was_sent_and_stands_is_not_sent_again() {
        let all = events(Delivery::Verified, "One. Two.", &["One. ", "Two."]).await;
        assert_eq!(all, [(0, segment("One. ")), (1, segment("Two."))]);
    }

    #[tokio::test]
    async fn what_does_not_stand_is_withdrawn_first() {
        let all = events(Delivery::Verified, "One. Two.", &["Zero. "]).await;
        let expected = [segment("Zero. "), EventBody::Retracted, segment("One. "), segment("Two.")];
        assert_eq!(all.into_iter().map(|(_, body)| body).collect::<Vec<_>>(), expected);
    }

    #[tokio::test]
    async fn held_text_leaves_only_at_the_end() {
        let all = events(Delivery::Held, "One. Two.", &["One. "]).await;
        assert_eq!(all, [(0, segment("One. ")), (1, segment("Two."))]);
    }
}
