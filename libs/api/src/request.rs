//! Bodies and parameters that the routes of Assay read.

use assay_domain::Named as _;
use assay_domain::evidence::SearchMode;
use assay_domain::question::limits;
use assay_domain::{Mode, Outcome, QueryType, Verdict};
use schemars::JsonSchema;
use serde::Deserialize;

/// What a body of `POST /v1/ask` holds beside its settings.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Asked {
    /// The question: 1 to 4096 characters, not only white space.
    #[schemars(required, length(min = 1, max = limits::QUERY_CHARS))]
    pub query: Option<String>,
    /// Whether the answer comes as events.
    pub stream: Option<bool>,
}

/// How a question is answered. Null and an empty string count as absent; names are read in any case.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Settings {
    /// Conversation to continue: 1 to 128 characters, none a control character; a new id begins a session.
    pub session: Option<String>,
    /// `RETRIEVAL`, `CODE_GENERATION`, `CONVERSATIONAL` or `PLATFORM`; `PLATFORM` needs the role `platform`, else it is
    /// ignored with a warning.
    #[schemars(extend("examples" = QueryType::NAMES))]
    pub query_type: Option<String>,
    /// `STRICT` withholds a rejected answer; `LENIENT` delivers it with warnings.
    #[schemars(extend("examples" = Mode::NAMES))]
    pub mode: Option<String>,
    /// 1 to 64 of `a`–`z`, `0`–`9`, `.`, `_`, `-`, beginning with a letter or digit.
    pub collection: Option<String>,
    /// Facts for a `PLATFORM` answer, as plain text; at most 65536 bytes.
    pub extra_context: Option<String>,
    /// Content of the caller's editor, as plain text; at most 262144 bytes; a source, never indexed.
    pub editor_content: Option<String>,
    /// Selected part of the editor, as plain text; at most 262144 bytes.
    pub selected_text: Option<String>,
    /// UUID that makes the question idempotent.
    pub request_id: Option<String>,
}

/// The parameters of `GET /v1/search`.
#[derive(Debug, JsonSchema)]
pub struct SearchParameters {
    /// What to search for: 1 to 4096 characters.
    #[schemars(length(min = 1, max = limits::QUERY_CHARS))]
    pub q: String,
    /// As in the request of a question.
    pub collection: Option<String>,
    /// `hybrid`, `knn_only` or `bm25_only`; case matters.
    pub mode: Option<crate::Name<SearchMode>>,
    /// Most hits; `retrieval.hits` is the default; a lower `retrieval.max_hits` allows fewer.
    #[schemars(range(min = 1, max = 1000))]
    pub k: Option<u32>,
}

/// The parameters of `GET /v1/audit`.
#[derive(Debug, JsonSchema)]
pub struct RecordsParameters {
    /// Records of a page.
    #[schemars(range(min = 1, max = 1000))]
    pub limit: Option<u32>,
    /// `next_page_token` of the page before.
    pub page_token: Option<String>,
    /// Only this outcome; case matters.
    pub outcome: Option<crate::Name<Outcome>>,
    /// Only `PASS`, `REVIEW` or `REJECT`, or some of them with commas between; case matters.
    pub verdict: Option<Vec<crate::Name<Verdict>>>,
    /// Only questions routed as `RETRIEVAL`, `CODE_GENERATION`, `CONVERSATIONAL` or `PLATFORM`; case matters.
    pub query_type: Option<crate::Name<QueryType>>,
    /// Only this session.
    pub session: Option<String>,
    /// Only this principal; another one than the caller needs the role `review` or `admin`.
    pub principal: Option<String>,
    /// Only records made at or after this moment, in milliseconds since the Unix epoch.
    pub from_ms: Option<u64>,
    /// Only records made before this moment.
    pub until_ms: Option<u64>,
    /// Only records with all of these words in the question or the kept answer, in any case, with or without accents; at
    /// most 32 words.
    pub text: Option<String>,
}

/// The parameters of `GET /v1/audit/{id}/receipt`.
#[derive(Debug, JsonSchema)]
pub struct ReceiptParameters {
    /// Whether question and answer are in it; else their commitment alone.
    pub payload: Option<bool>,
}

/// The parameters of `GET /v1/collections/{name}/lines`.
#[derive(Debug, JsonSchema)]
pub struct LinesParameters {
    /// A document.
    pub path: String,
    /// First line, from 1; 1 unless given.
    #[schemars(range(min = 1))]
    pub first: Option<u32>,
    /// Last line; else as many as are read at once.
    #[schemars(range(min = 1))]
    pub last: Option<u32>,
}

/// The parameters of `GET /v1/evaluations/compare`.
#[derive(Debug, JsonSchema)]
pub struct CompareParameters {
    /// A run.
    pub first: String,
    /// The run that is compared with it.
    pub second: String,
}

/// The parameters of `GET /v1/reviews`.
#[derive(Debug, JsonSchema)]
pub struct ReviewsParameters {
    /// Records of a page.
    #[schemars(range(min = 1, max = 1000))]
    pub limit: Option<u32>,
    /// `next_page_token` of the page before.
    pub page_token: Option<String>,
    /// Only `PASS`, `REVIEW` or `REJECT`; case matters.
    pub verdict: Option<crate::Name<Verdict>>,
    /// Only records that nobody else has claimed.
    pub free: Option<bool>,
}

/// The parameters of `GET /v1/reviews/rates`.
#[derive(Debug, JsonSchema)]
pub struct RatesParameters {
    /// Only decisions at or after this moment, in milliseconds since the Unix epoch.
    pub from_ms: Option<u64>,
    /// Only decisions before this moment.
    pub until_ms: Option<u64>,
}

/// The body of `POST /v1/reviews/{id}/decision`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Decision {
    /// `CONFIRM`, `OVERTURN` or `NEEDS_SOURCE`.
    #[schemars(extend("enum" = ["CONFIRM", "OVERTURN", "NEEDS_SOURCE"]))]
    pub decision: String,
    /// Why: 1 to 4096 characters.
    pub reason: String,
}

/// The body of `POST /v1/audit/{id}/feedback`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Feedback {
    /// `RIGHT` or `WRONG`.
    #[schemars(extend("enum" = ["RIGHT", "WRONG"]))]
    pub rating: String,
    /// The claim that it is about, from 0; absent for the whole answer.
    pub claim: Option<u32>,
    /// Why: at most 4096 characters.
    pub reason: Option<String>,
}

/// The body of `POST /v1/erase`: one of its fields.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Erasing {
    /// Everything that this principal asked and said.
    pub principal: Option<String>,
    /// Everything of this session.
    pub session_id: Option<String>,
    /// One record.
    pub audit_id: Option<String>,
}
