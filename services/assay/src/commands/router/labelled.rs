//! Labelled lines, their vectors, and what a head makes of them.

use std::path::Path;

use assay_domain::{Code, Failure, Identity, QueryType};
use assay_heads::eval::Judged;
use assay_heads::seed::{Seed, shipped_head};
use assay_routing::classes::ranked;
use assay_routing::{Head, PlatformPrefixes, decide, requests};
use indicatif::ProgressBar;

use crate::batch;
use crate::clients::{Clients, LONG_BUDGET, failure};
use crate::settings::Settings;

/// Texts in one `Embed` call.
const EMBED_BATCH: usize = 128;

/// A labelled line.
#[derive(Debug, serde::Deserialize)]
pub(super) struct Labelled {
    pub(super) text: String,
    #[serde(default)]
    pub(super) label: String,
    #[serde(default)]
    pub(super) lang: String,
}

impl From<Seed> for Labelled {
    fn from(seed: Seed) -> Self {
        Self { text: seed.text, label: seed.query_type.to_string(), lang: seed.language }
    }
}

/// Reads lines `{text, label, lang?}`; further fields are left alone.
///
/// # Errors
/// `INVALID_ARGUMENT` naming the line.
pub(super) fn labelled(path: &Path) -> Result<Vec<Labelled>, Failure> {
    let mut lines = Vec::new();
    for (index, line) in batch::read(path)?.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let line: Labelled = serde_json::from_str(line).map_err(|error| {
            Failure::new(Code::InvalidArgument, format!("{} line {}: {error}", path.display(), index + 1))
        })?;
        lines.push(line);
    }
    Ok(lines)
}

/// Embeds texts; `model` becomes the identity of the embedding model. Hashed words are no embedding: the vectors are
/// empty then, and so is the identity.
///
/// # Errors
/// What retrieval says.
pub(super) async fn vectors(
    clients: &Clients,
    texts: &[String],
    model: &mut String,
    bar: &ProgressBar,
) -> Result<Vec<Vec<f32>>, Failure> {
    let mut retrieval = clients.retrieval()?;
    let context = clients.context(LONG_BUDGET);
    let mut all = Vec::with_capacity(texts.len());
    for piece in texts.chunks(EMBED_BATCH) {
        let request = context.request(assay_proto::retrieval::EmbedRequest { texts: piece.to_vec() });
        let reply = retrieval.embed(request).await.map_err(failure)?.into_inner();
        *model = if reply.hashed { String::new() } else { reply.embedding_model };
        all.extend(
            reply.vectors.into_iter().map(|vector| if reply.hashed { Vec::new() } else { vector.values }),
        );
        bar.set_message("texts embedded");
        bar.inc(piece.len() as u64);
    }
    Ok(all)
}

/// The head that this installation uses: the one of the settings, the promoted one, else the one that ships.
///
/// # Errors
/// `CONFIGURATION` where none ships for the embedding model.
pub(super) fn head_in_use(settings: &Settings, model: &str) -> Result<Head, Failure> {
    if let Some(head) = settings.router.chosen_head()? {
        return Ok(head);
    }
    shipped_head(model)?.ok_or_else(|| {
        let text = format!(
            "no head ships for the embedding model `{model}`: `assay router train --seed --out FILE` makes one, `router.head` names it"
        );
        Failure::new(Code::Configuration, text).field("router.head")
    })
}

/// What rules and a head say of each text. A head over other labels than the query types decides alone.
pub(super) fn judge(
    head: &Head,
    prefixes: &PlatformPrefixes,
    lines: &[Labelled],
    vectors: &[Vec<f32>],
) -> Vec<Judged> {
    let routes = head.labels.iter().all(|label| QueryType::from_name(label).is_some());
    let identity = Identity::local();
    let judge = |(line, vector): (&Labelled, &Vec<f32>)| {
        let (found, probability) = match decide(&line.text, None, &identity, prefixes).filter(|_| routes) {
            Some(decision) => (decision.query_type.to_string(), 1.0),
            None => of_head(head, &line.text, vector, routes),
        };
        Judged { label: line.label.clone(), found, probability, language: line.lang.clone() }
    };
    lines.iter().zip(vectors).map(judge).collect()
}

fn of_head(head: &Head, text: &str, vector: &[f32], routes: bool) -> (String, f64) {
    let asked = requests(text, &[]);
    if routes {
        let ranked = ranked(head, &head.predict(&asked.embed, vector), &asked.message);
        return ranked.first().map_or_else(Default::default, |(best, p)| (best.to_string(), *p));
    }
    let prediction = head.predict(text, vector);
    (head.labels.get(prediction.best).cloned().unwrap_or_default(), prediction.probability())
}
