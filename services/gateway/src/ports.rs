//! What the routes need from the services inside.

use assay_domain::answer::Outcome;
use assay_domain::evidence::SearchMode;
use assay_domain::question::Delivery;
use assay_domain::report::Verdict;
use assay_domain::{
    Answer, AnswerEvent, AuditId, AuditState, Failure, Hit, LineRange, QueryType, Question, Record, Report,
};
use assay_proto::{audit, parser, retrieval, router, validation};
use assay_rpc::Context;
use assay_scoring::Comparison;
use async_trait::async_trait;
use futures::stream::BoxStream;

/// Events of one answer; dropping the stream cancels the work.
pub(crate) type Events = BoxStream<'static, Result<AnswerEvent, Failure>>;

/// Why there is no answer, and the record that says so, if there is one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refused {
    /// What went wrong.
    pub(crate) failure: Failure,
    /// The record of the request.
    pub(crate) audit_id: Option<String>,
    /// Whether the router was asked, so that the record is its affair.
    pub(crate) asked: bool,
}

impl Refused {
    /// What the router says, or would have said in time.
    pub(crate) fn by_peer(failure: Failure, audit_id: Option<String>) -> Self {
        Self { failure, audit_id, asked: true }
    }
}

impl From<Failure> for Refused {
    fn from(failure: Failure) -> Self {
        Self { failure, audit_id: None, asked: false }
    }
}

/// Answers questions.
#[async_trait]
pub(crate) trait Engine: Send + Sync {
    /// The settled answer.
    async fn ask(&self, context: &Context, question: &Question) -> Result<Answer, Refused>;
    /// The answer as events.
    async fn ask_stream(
        &self,
        context: &Context,
        question: &Question,
        delivery: Delivery,
    ) -> Result<Events, Refused>;
    /// Records `count` requests that were refused before they were asked; the id of the record.
    async fn refuse(
        &self,
        context: &Context,
        failure: &Failure,
        query: &str,
        count: u32,
    ) -> Result<String, Failure>;
}

/// A record with its receipt.
#[derive(Debug, Clone)]
pub(crate) struct Stored {
    /// The record.
    pub(crate) record: Record,
    /// Its place in the log; none while it waits for it.
    pub(crate) receipt: Option<audit::Receipt>,
    /// Whether its payload was erased.
    pub(crate) payload_erased: bool,
    /// What was said of it.
    pub(crate) notes: Vec<audit::Note>,
}

/// Which records are wanted.
#[derive(Debug, Clone, Default)]
pub(crate) struct RecordFilter {
    /// Records a page; 0 means 20.
    pub(crate) page_size: u32,
    /// Token of an earlier page; empty means the first.
    pub(crate) page_token: String,
    /// Only this outcome.
    pub(crate) outcome: Option<Outcome>,
    /// Only these verdicts; empty means all.
    pub(crate) verdicts: Vec<Verdict>,
    /// Only questions of this type.
    pub(crate) query_type: Option<QueryType>,
    /// Only this session; empty means all.
    pub(crate) session_id: String,
    /// Only this principal; empty means all.
    pub(crate) principal: String,
    /// Only from this moment on, in milliseconds since the Unix epoch; 0 means all.
    pub(crate) from_unix_ms: u64,
    /// Only before this moment; 0 means all.
    pub(crate) until_unix_ms: u64,
    /// Only with these words; empty means all.
    pub(crate) text: String,
}

/// Reads records.
#[async_trait]
pub(crate) trait Records: Send + Sync {
    /// One record.
    async fn get(&self, context: &Context, id: AuditId) -> Result<Stored, Failure>;
    /// The proof of a record.
    async fn prove(&self, context: &Context, id: AuditId) -> Result<audit::ProveResponse, Failure>;
    /// What a check of the whole log finds.
    async fn verify(&self, context: &Context) -> Result<audit::VerifyResponse, Failure>;
    /// A page of records, newest first, and the token of the next one.
    async fn list(&self, context: &Context, filter: &RecordFilter) -> Result<(Vec<Stored>, String), Failure>;
}

/// What a search found.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    /// Best first.
    pub(crate) hits: Vec<Hit>,
    /// Manifest of the index that was searched.
    pub(crate) index_manifest: String,
    /// Legs that could not be used.
    pub(crate) degraded: Vec<String>,
}

/// Searches and lists collections.
#[async_trait]
pub(crate) trait Library: Send + Sync {
    /// Searches a collection; empty means the default one.
    async fn search(
        &self,
        context: &Context,
        query: &str,
        collection: &str,
        mode: SearchMode,
        limit: u32,
    ) -> Result<Found, Failure>;
    /// A collection with its documents.
    async fn describe(
        &self,
        context: &Context,
        collection: &str,
    ) -> Result<(retrieval::Manifest, Vec<retrieval::IndexedDocument>), Failure>;
    /// Lines of a document.
    async fn lines(
        &self,
        context: &Context,
        collection: &str,
        path: &str,
        lines: LineRange,
    ) -> Result<retrieval::ReadLinesResponse, Failure>;
    /// Mistakes in the documents of a collection.
    async fn lint(
        &self,
        context: &Context,
        collection: &str,
    ) -> Result<retrieval::LintCollectionResponse, Failure>;
    /// Vectors of texts, in their order.
    async fn embed(&self, context: &Context, texts: Vec<String>)
    -> Result<retrieval::EmbedResponse, Failure>;
    /// The collections of the caller's tenant.
    async fn collections(&self, context: &Context) -> Result<Vec<retrieval::Manifest>, Failure>;
}

/// Judges answers, and erases.
#[async_trait]
pub(crate) trait Reviews: Send + Sync {
    /// A page of the review queue.
    async fn list(
        &self,
        context: &Context,
        request: audit::ListReviewsRequest,
    ) -> Result<audit::ListReviewsResponse, Failure>;
    /// How often reviewers overturned the checks.
    async fn rates(
        &self,
        context: &Context,
        request: audit::ReviewRatesRequest,
    ) -> Result<audit::ReviewRatesResponse, Failure>;
    /// Claims a record, or releases it.
    async fn claim(&self, context: &Context, id: AuditId, release: bool) -> Result<(), Failure>;
    /// Decides a record.
    async fn decide(
        &self,
        context: &Context,
        id: AuditId,
        decision: String,
        reason: String,
    ) -> Result<audit::Receipt, Failure>;
    /// Says whether an answer was right.
    async fn feedback(
        &self,
        context: &Context,
        request: audit::GiveFeedbackRequest,
    ) -> Result<audit::Receipt, Failure>;
    /// Erases what is kept of somebody.
    async fn erase(
        &self,
        context: &Context,
        whose: router::forget_request::Whose,
    ) -> Result<router::ForgetResponse, Failure>;
}

/// Checks answers and programs of other systems.
#[async_trait]
pub(crate) trait Checks: Send + Sync {
    /// The report of an answer, and the name of the policy that was used.
    async fn check(
        &self,
        context: &Context,
        open: validation::Open,
        answer: String,
    ) -> Result<(Report, String), Failure>;
    /// The findings of programs, in their order.
    async fn parse(
        &self,
        context: &Context,
        request: parser::ParseRequest,
    ) -> Result<parser::ParseResponse, Failure>;
    /// Leaves a record of a check; the id of the record, and where it is.
    async fn record_check(
        &self,
        context: &Context,
        check: router::RecordCheckRequest,
    ) -> Result<(String, AuditState), Failure>;
}

/// What came of a golden set.
#[derive(Debug, Clone)]
pub(crate) struct Evaluated {
    /// What is missing for a binding run.
    pub(crate) missing_for_binding: Vec<String>,
    /// The report.
    pub(crate) report_json: String,
}

/// Runs golden sets.
#[async_trait]
pub(crate) trait Evaluations: Send + Sync {
    /// Asks a golden set, JSON Lines, so many times.
    async fn run(
        &self,
        context: &Context,
        golden: &str,
        collection: &str,
        repetitions: u32,
    ) -> Result<Evaluated, Failure>;
}

/// A run of a golden set.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Run {
    /// Name of its folder.
    pub(crate) name: String,
    /// Its folder.
    pub(crate) path: String,
    /// When its report was written, in milliseconds since the Unix epoch.
    pub(crate) ended_unix_ms: u64,
    /// `BINDING` or `NON_BINDING`.
    pub(crate) standing: String,
    /// Answers.
    pub(crate) answers: u64,
    /// Figures by name.
    pub(crate) figures: serde_json::Value,
    /// Whether it has a page.
    pub(crate) has_page: bool,
}

/// Reads runs of golden sets.
#[async_trait]
pub(crate) trait Runs: Send + Sync {
    /// The folder that they are in; empty for a tenant whose they are not.
    fn folder(&self, tenant: &str) -> String;
    /// The latest runs with a report, the newest first; none for a tenant whose they are not.
    async fn list(&self, tenant: &str) -> Result<Vec<Run>, Failure>;
    /// The page of a run.
    async fn page(&self, tenant: &str, name: &str) -> Result<String, Failure>;
    /// Two runs, paired by question; a failure names `first` or `second`.
    async fn compare(&self, tenant: &str, first: &str, second: &str) -> Result<Comparison, Failure>;
}

/// Says which peers serve.
#[async_trait]
pub(crate) trait Health: Send + Sync {
    /// Short name of each peer and whether it says that it serves.
    async fn peers(&self) -> Vec<(&'static str, bool)>;
}
