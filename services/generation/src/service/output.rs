//! Where the text of a walk goes: to whoever listens, filtered, and to the draft.

use assay_domain::Failure;
use assay_telemetry::content;
use futures::SinkExt as _;
use futures::channel::mpsc;

use super::DraftEvent;
use crate::filter::Filter;

pub(super) type Events = mpsc::Sender<Result<DraftEvent, Failure>>;

/// Where the text of an attempt goes.
pub(super) struct Output<'e> {
    pub(super) text: String,
    /// What the running call wrote, unfiltered; kept only where its span may show it.
    pub(super) raw: String,
    pub(super) filter: Filter,
    events: Option<&'e mut Events>,
}

impl<'e> Output<'e> {
    pub(super) fn new(events: Option<&'e mut Events>) -> Self {
        Self { text: String::new(), raw: String::new(), filter: Filter::new(), events }
    }

    /// Takes a piece; false when nobody listens any more.
    pub(super) async fn take(&mut self, piece: String, model: bool) -> bool {
        if content::enabled() {
            self.raw.push_str(&piece);
        }
        let shown = if model { self.filter.push(&piece) } else { piece };
        self.show(shown).await
    }

    /// Gives what was held back; false when nobody listens any more.
    pub(super) async fn close(&mut self) -> bool {
        let rest = self.filter.finish();
        self.show(rest).await
    }

    async fn show(&mut self, shown: String) -> bool {
        if shown.is_empty() {
            return true;
        }
        self.text.push_str(&shown);
        match self.events.as_mut() {
            Some(events) => events.send(Ok(DraftEvent::Delta(shown))).await.is_ok(),
            None => true,
        }
    }
}
