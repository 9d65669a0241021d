//! The requests of a benchmark, one kind per query type, and the model that answers them at once.

use anyhow::{Context as _, ensure};
use assay_testkit::model_server::ModelServer;
use serde_json::{Value, json};

/// The page that documentation questions are answered from.
pub(crate) const PAGE: (&str, &str) = (
    "importer.md",
    "# The importer\n\nThe importer skips empty rows. It stops after one hundred errors.\n\nThe report is written to \
     the file report.csv in the output folder.\n",
);

/// What the model says to a request whose prompt holds the first text.
const REPLIES: [(&str, &str); 4] = [
    ("When does the importer stop", "The importer stops after one hundred errors [^1]."),
    ("program that returns one", "Here is the program:\n\n```avap\naddVar(x, 1)\naddResult(x)\n```\n"),
    ("thank you very much", "You are welcome."),
    ("how much of my quota", "You have used 42 % of your quota."),
];

/// A kind of request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A question about documentation.
    Retrieval,
    /// A request for a program.
    CodeGeneration,
    /// Small talk.
    Conversational,
    /// A question about the caller's account.
    Platform,
}

/// The model server.
pub(crate) async fn model() -> std::io::Result<ModelServer> {
    ModelServer::choosing(REPLIES.map(|(needle, text)| (needle.to_owned(), text.to_owned())).to_vec()).await
}

// === impl Kind ===

impl Kind {
    /// Every kind.
    pub(crate) const ALL: [Self; 4] =
        [Self::Retrieval, Self::CodeGeneration, Self::Conversational, Self::Platform];

    /// The query type as the contract spells it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Retrieval => "RETRIEVAL",
            Self::CodeGeneration => "CODE_GENERATION",
            Self::Conversational => "CONVERSATIONAL",
            Self::Platform => "PLATFORM",
        }
    }

    /// The body of a request; `round` makes each one different.
    fn body(self, round: usize) -> Value {
        let (query, extra_context) = match self {
            Self::Retrieval => (format!("When does the importer stop, asked {round} times?"), ""),
            Self::CodeGeneration => (format!("Write an AVAP program that returns one, take {round}"), ""),
            Self::Conversational => (format!("thank you very much, {round} times"), ""),
            Self::Platform => {
                (format!("how much of my quota have I used, request {round}?"), "The quota is used by 42 %.")
            }
        };
        json!({ "query": query, "query_type": self.name(), "extra_context": extra_context })
    }

    /// Sends a request and demands the answer that the script leads to.
    pub(crate) async fn ask(
        self,
        client: &reqwest::Client,
        address: &str,
        round: usize,
    ) -> anyhow::Result<()> {
        let url = format!("{address}/v1/ask");
        let reply = client.post(url).json(&self.body(round)).send().await?;
        let status = reply.status();
        let answer: Value =
            reply.json().await.with_context(|| format!("{} answered {status}", self.name()))?;
        ensure!(status.is_success(), "{} answered {status}: {answer}", self.name());
        ensure!(
            answer["outcome"] == "ANSWERED" && answer["query_type"] == self.name(),
            "not the answer that the script leads to: {answer:#}"
        );
        Ok(())
    }
}
