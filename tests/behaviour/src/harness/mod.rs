//! The system under test, however it is laid out, as the cases see it.

mod address;
mod embedded;
mod ports;
mod processes;

use std::time::Duration;

use assay::clients::Clients;
use assay::commands::ingest::{Input, ingest};
use assay_domain::answer::{AnswerEvent, EventBody};
use assay_domain::{Answer, Failure, Identity, Question, Record, Role};
use assay_proto::{audit, retrieval, router};
use assay_rpc::Context;
use assay_wire::{FromWire as _, ToWire as _, from_status};
use futures::stream::BoxStream;
use futures::{StreamExt as _, TryStreamExt as _};

pub use address::{at, at_given_address};
pub use embedded::{Embedded, settings};
pub use processes::{Builder, Processes, assay, certificates};

/// Time that one request of a test may take, on a machine that is busy with other tests.
pub const BUDGET: Duration = Duration::from_secs(60);

/// A running system and the clients to it.
#[derive(Debug)]
pub struct Harness {
    /// Calls its services.
    pub clients: Clients,
    layout: Layout,
}

/// How a system is laid out.
#[derive(Debug)]
pub enum Layout {
    /// Every service in this process.
    Embedded(Embedded),
    /// One process for each service.
    Processes(Box<Processes>),
    /// Somewhere; somebody else started it.
    Address,
}

/// Somebody of the same tenant as the local user, who may only ask.
#[must_use]
pub fn somebody(principal: &str) -> Identity {
    Identity { principal: principal.into(), roles: vec![Role::Ask], ..Identity::local() }
}

/// Somebody of another tenant, with every role there.
#[must_use]
pub fn stranger(tenant: &str) -> Identity {
    Identity { tenant: tenant.into(), ..Identity::local() }
}

// === impl Harness ===

impl Harness {
    /// A system of these clients and this layout.
    #[must_use]
    pub fn new(clients: Clients, layout: Layout) -> Self {
        Self { clients, layout }
    }

    /// The processes behind it, if it is laid out so.
    #[must_use]
    pub fn processes(&self) -> Option<&Processes> {
        match &self.layout {
            Layout::Processes(processes) => Some(processes),
            _ => None,
        }
    }

    /// The processes behind it, to be stopped and started.
    #[must_use]
    pub fn processes_mut(&mut self) -> &mut Processes {
        match &mut self.layout {
            Layout::Processes(processes) => processes,
            _ => panic!("this system has no processes of its own"),
        }
    }

    /// Whether a case may speak for other principals; behind an address the key decides who asks.
    #[must_use]
    pub fn speaks_for_anybody(&self) -> bool {
        !matches!(self.layout, Layout::Address)
    }

    /// Whether the system can be stopped and started again.
    #[must_use]
    pub fn can_restart(&self) -> bool {
        !matches!(self.layout, Layout::Address)
    }

    /// Stops every service in good order and starts them again on the same data.
    pub async fn restart(self) -> Self {
        match self.layout {
            Layout::Embedded(embedded) => {
                drop(self.clients);
                embedded.restart().await
            }
            Layout::Processes(mut processes) => {
                drop(self.clients);
                processes.restart().await;
                processes.harness().await
            }
            Layout::Address => self,
        }
    }

    /// Stops every service in good order, so that everything is written; gives the folder back to look at.
    pub async fn stop(self) -> tempfile::TempDir {
        match self.layout {
            Layout::Embedded(embedded) => {
                drop(self.clients);
                embedded.stop().await
            }
            Layout::Processes(processes) => {
                drop(self.clients);
                processes.stop().await
            }
            Layout::Address => tempfile::tempdir().unwrap(),
        }
    }

    /// Indexes the bundled guide as the default collection.
    pub async fn ingest_guide(&self) {
        let files =
            assay::guide::FILES.iter().map(|(p, t)| ((*p).to_owned(), t.as_bytes().to_vec())).collect();
        ingest(&self.clients, Input::Files(files), "", false).await.unwrap();
    }

    /// Indexes files into a collection.
    pub async fn ingest(&self, collection: &str, files: &[(&str, &str)]) {
        let files = files.iter().map(|(p, t)| ((*p).to_owned(), t.as_bytes().to_vec())).collect();
        ingest(&self.clients, Input::Files(files), collection, false).await.unwrap();
    }

    /// The answer to a text, asked by the local user.
    pub async fn ask(&self, text: &str) -> Answer {
        self.put(&Question::new(text)).await
    }

    /// The answer to a question, asked by the local user.
    pub async fn put(&self, question: &Question) -> Answer {
        self.put_as(&Identity::local(), question).await.unwrap_or_else(|failure| {
            panic!("{:?} was not answered: {failure:?}", question.text);
        })
    }

    /// The answer to a question, or why there is none.
    ///
    /// # Errors
    /// What the router says.
    pub async fn put_as(&self, who: &Identity, question: &Question) -> Result<Answer, Failure> {
        self.put_within(who, question, BUDGET).await.map_err(|status| from_status(&status))
    }

    /// The answer to a question within a time, or the status in its place.
    ///
    /// # Errors
    /// What the router says.
    pub async fn put_within(
        &self,
        who: &Identity,
        question: &Question,
        budget: Duration,
    ) -> Result<Answer, tonic::Status> {
        let request = router::AskRequest { question: Some(question.to_wire()) };
        let context = Context::background(who.clone(), budget);
        let reply = self.clients.router().unwrap().ask(context.request(request)).await?;
        Ok(Answer::from_wire(reply.into_inner().answer.unwrap()).unwrap())
    }

    /// The answer as events; dropping them is going away.
    pub async fn stream(&self, question: &Question) -> BoxStream<'static, Result<AnswerEvent, Failure>> {
        let request = router::AskStreamRequest {
            question: Some(question.to_wire()),
            delivery: router::Delivery::Verified.into(),
        };
        let context = Context::background(Identity::local(), BUDGET);
        let events = self.clients.router().unwrap().ask_stream(context.request(request)).await.unwrap();
        events
            .into_inner()
            .map_err(|status| from_status(&status))
            .and_then(|event| async { AnswerEvent::from_wire(event) })
            .boxed()
    }

    /// Every event of an answer.
    pub async fn events(&self, question: &Question) -> Vec<AnswerEvent> {
        self.stream(question).await.try_collect().await.unwrap()
    }

    /// The record of an answer; waits for the outbox to deliver it.
    pub async fn record(&self, id: impl ToString) -> Record {
        self.record_as(&Identity::local(), id).await
    }

    /// The record of an answer as this identity sees it; waits for the outbox to deliver it.
    pub async fn record_as(&self, who: &Identity, id: impl ToString) -> Record {
        let id = id.to_string();
        until(&format!("the record of {id}"), async || self.get_record(who, &id).await.ok()).await
    }

    /// One look at a record.
    ///
    /// # Errors
    /// What audit says.
    pub async fn get_record(&self, who: &Identity, id: &str) -> Result<Record, Failure> {
        let request = audit::GetRequest { audit_id: id.to_owned() };
        let context = Context::background(who.clone(), BUDGET);
        let reply = self.clients.audit().unwrap().get(context.request(request)).await;
        let reply = reply.map_err(|status| from_status(&status))?;
        Record::from_wire(reply.into_inner().record.unwrap())
    }

    /// Every record that this identity may see, newest first.
    ///
    /// # Errors
    /// What audit says.
    pub async fn records(&self, who: &Identity) -> Result<Vec<Record>, Failure> {
        let mut all = Vec::new();
        let mut page_token = String::new();
        loop {
            let request = audit::ListRequest { page_size: 1000, page_token, ..audit::ListRequest::default() };
            let context = Context::background(who.clone(), BUDGET);
            let reply = self.clients.audit()?.list(context.request(request)).await;
            let page = reply.map_err(|status| from_status(&status))?.into_inner();
            for kept in page.records {
                all.push(Record::from_wire(kept.record.unwrap())?);
            }
            page_token = page.next_page_token;
            if page_token.is_empty() {
                return Ok(all);
            }
        }
    }

    /// The records of questions with this text, once there are `count` of them, and that there are no more.
    pub async fn records_of(&self, question: &str, count: usize) -> Vec<Record> {
        let what = format!("{count} records of {question:?}");
        let found = until(&what, async || {
            let all = self.records(&Identity::local()).await.ok()?;
            let found: Vec<Record> = all.into_iter().filter(|record| record.query == question).collect();
            (found.len() >= count).then_some(found)
        })
        .await;
        assert_eq!(found.len(), count, "{what}");
        found
    }

    /// Holds the whole log against itself and its signatures.
    pub async fn verify(&self) -> audit::VerifyResponse {
        let context = Context::background(Identity::local(), BUDGET);
        let request = context.request(audit::VerifyRequest::default());
        self.clients.audit().unwrap().verify(request).await.unwrap().into_inner()
    }

    /// What a search finds for this identity.
    ///
    /// # Errors
    /// What retrieval says.
    pub async fn search(&self, who: &Identity, query: &str) -> Result<retrieval::SearchResponse, Failure> {
        let context = Context::background(who.clone(), BUDGET);
        let request = retrieval::SearchRequest { query: query.into(), ..Default::default() };
        let reply = self.clients.retrieval()?.search(context.request(request)).await;
        Ok(reply.map_err(|status| from_status(&status))?.into_inner())
    }
}

/// The names of events, in order.
#[must_use]
pub fn kinds(events: &[AnswerEvent]) -> Vec<&'static str> {
    let kind = |event: &AnswerEvent| match event.body {
        EventBody::Routed { .. } => "routed",
        EventBody::Sources(_) => "sources",
        EventBody::Segment(_) => "segment",
        EventBody::Retracted => "retracted",
        EventBody::Settled(_) => "settled",
        EventBody::Failed(_) => "failed",
    };
    events.iter().map(kind).collect()
}

/// The settled answer at the end of events.
#[must_use]
pub fn settled(events: &[AnswerEvent]) -> &Answer {
    match events.last().map(|event| &event.body) {
        Some(EventBody::Settled(answer)) => answer,
        other => panic!("the stream ended with {other:?}"),
    }
}

/// Looks again and again until there is something to see, at most half a minute.
pub async fn until<T>(what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    for _ in 0..600 {
        if let Some(found) = look().await {
            return found;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("waited in vain for {what}");
}
