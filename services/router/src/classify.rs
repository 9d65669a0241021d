//! The three layers of classification: rules, head, model. A request never fails because routing was uncertain.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use assay_domain::answer::Layer;
use assay_domain::question::HistoryEntry;
use assay_domain::{Failure, Identity, QueryType, Route};
use assay_heads::seed::{digest, first_head, seeds, shipped_head};
use assay_routing::classes::{may_converse, ranked};
use assay_routing::rules::declaration_ignored;
use assay_routing::{Head, PlatformPrefixes, Prediction, Requests, Rule, decide, prompt, requests};
use assay_rpc::{Context, task};
use sha2::{Digest as _, Sha256};
use tokio::sync::OnceCell;

use crate::ports::{Generator, Retriever, Vectors};

/// Texts that are embedded in one call.
const BATCH: usize = 256;

/// A decided route and what deciding it took.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Classified {
    pub(crate) route: Route,
    /// Topic of the entry that the message refers to.
    pub(crate) topic: Option<String>,
    /// Calls of a language model spent.
    pub(crate) model_calls: u32,
    /// Whether a declared type was ignored.
    pub(crate) ignored: bool,
    /// Whether layer 2 had to do without embeddings because they could not be had.
    pub(crate) unembedded: bool,
    /// What the shadow head says; none without one, where a rule decided, or where it has no vectors of its model.
    pub(crate) shadow: Option<(QueryType, f64)>,
}

/// Heads that the operator chose.
#[derive(Debug, Clone, Default)]
pub struct Heads {
    /// Decides in layer 2; none means the head that ships.
    pub head: Option<Head>,
    /// Decides beside it, without effect.
    pub shadow: Option<Head>,
}

/// What a head makes of a message.
struct Ranking {
    /// Every class, the likeliest first.
    types: Vec<(QueryType, f64)>,
    /// Whether the head takes it for one of its classes; a head that was not trained to tell always does.
    in_scope: bool,
}

impl Ranking {
    /// Of a message that may refer to an earlier one: judged with that one's topic only if its own words do not decide.
    /// None without vectors.
    fn of(head: &Head, texts: &[&str], vectors: &[Vec<f32>], asked: &Requests, accept: f64) -> Option<Self> {
        let mut all = texts.iter().zip(vectors).map(|(text, vector)| {
            let prediction = head.predict(text, vector);
            let types = ranked(head, &prediction, &asked.message);
            Self { types, in_scope: prediction.in_scope != Some(false) }
        });
        let alone = all.next()?;
        Some(if alone.sure(accept) { alone } else { all.next().unwrap_or(alone) })
    }

    fn best(&self) -> Option<(QueryType, f64)> {
        self.types.first().copied()
    }

    fn sure(&self, accept: f64) -> bool {
        self.in_scope && self.best().is_some_and(|(_, probability)| probability >= accept)
    }
}

/// What a head alone says.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct HeadAlone {
    pub(crate) label: String,
    pub(crate) prediction: Prediction,
}

/// A head with the SHA-256 of its file.
type Sent = (String, Arc<Head>);

/// Classifies messages.
pub(crate) struct Classifier {
    retriever: Arc<dyn Retriever>,
    generator: Arc<dyn Generator>,
    prefixes: PlatformPrefixes,
    accept: f64,
    /// Folder in which trained heads are kept between starts.
    folder: PathBuf,
    /// Head over embeddings and n-grams; none if the embeddings are no better than n-grams.
    full: OnceCell<Option<Head>>,
    /// Head over n-grams alone, for when nothing embeds.
    lexical: OnceCell<Head>,
    /// Checksum of the head that the operator chose; empty for the one that ships.
    chosen: String,
    /// A head that decides beside them, without effect.
    shadow: Option<Head>,
    /// The head that a caller sent last, by the SHA-256 of its file.
    sent: Arc<Mutex<Option<Sent>>>,
}

impl Classifier {
    pub(crate) fn new(
        retriever: Arc<dyn Retriever>,
        generator: Arc<dyn Generator>,
        prefixes: PlatformPrefixes,
        accept: f64,
        folder: PathBuf,
        Heads { head, shadow }: Heads,
    ) -> Self {
        let chosen = head.as_ref().map(|head| head.checksum.clone()).unwrap_or_default();
        let (lexical, full) = match head {
            Some(head) if head.dimensions == 0 => {
                (OnceCell::new_with(Some(head)), OnceCell::new_with(Some(None)))
            }
            Some(head) => (OnceCell::new(), OnceCell::new_with(Some(Some(head)))),
            None => (OnceCell::new(), OnceCell::new()),
        };
        Self {
            retriever,
            generator,
            prefixes,
            accept,
            folder,
            full,
            lexical,
            chosen,
            shadow,
            sent: Arc::default(),
        }
    }

    /// Checksum of the head that the operator chose; empty for the one that ships.
    pub(crate) fn chosen_head(&self) -> &str {
        &self.chosen
    }

    /// The effective platform prefixes.
    pub(crate) fn prefixes(&self) -> &PlatformPrefixes {
        &self.prefixes
    }

    /// SHA-256 of the effective platform prefixes.
    pub(crate) fn prefixes_sha256(&self) -> String {
        self.prefixes.sha256()
    }

    /// Decides the type of a message. `model` says whether layer 3 may be asked.
    pub(crate) async fn classify(
        &self,
        context: &Context,
        message: &str,
        declared: Option<QueryType>,
        history: &[HistoryEntry],
        model: bool,
    ) -> Result<Classified, Failure> {
        let identity: &Identity = context.identity();
        let ignored = declaration_ignored(declared, identity);
        let asked = requests(message, history);
        let (mut unembedded, mut shadow) = (false, None);
        let done = |route, model_calls, unembedded, shadow| {
            let topic = asked.topic.clone();
            Classified { route, topic, model_calls, ignored, unembedded, shadow }
        };
        if let Some(decision) = decide(message, declared, identity, &self.prefixes) {
            let layer = if decision.rule == Rule::Declared { Layer::Declared } else { Layer::Rules };
            let reason = decision.reason.to_owned();
            let route =
                Route { query_type: decision.query_type, layer, probability: 1.0, accepted: true, reason };
            return Ok(done(route, 0, unembedded, shadow));
        }
        let ranking = self.predict(context, &asked, &mut unembedded, &mut shadow).await?;
        let query_type = ranking.best().map_or(QueryType::Retrieval, |(best, _)| best);
        let probability = |wanted: QueryType| {
            ranking.types.iter().find(|(query_type, _)| *query_type == wanted).map_or(0.0, |(_, p)| *p)
        };
        let best = probability(query_type);
        if ranking.sure(self.accept) {
            let reason = format!("classifier, at least {}", self.accept);
            let layer = Layer::Classifier;
            let route = Route { query_type, layer, probability: best, accepted: true, reason };
            return Ok(done(route, 0, unembedded, shadow));
        }
        let mut model_calls = 0;
        if model && let Ok(opinion) = self.generator.classify(context, &asked.prompt, prompt::labels()).await
        {
            model_calls = opinion.model_calls;
            let opinion = prompt::parse(&opinion.label);
            if let Some(query_type) = opinion.filter(|query_type| possible(*query_type, &asked.message)) {
                let probability = probability(query_type);
                let reason = "the model decided".to_owned();
                let layer = Layer::Model;
                let route = Route { query_type, layer, probability, accepted: true, reason };
                return Ok(done(route, model_calls, unembedded, shadow));
            }
        }
        let reason = if ranking.in_scope {
            format!("no layer was sure; the classifier's best class, below {}", self.accept)
        } else {
            "the classifier rejects the message; its best class".to_owned()
        };
        let layer = Layer::Fallback;
        let route = Route { query_type, layer, probability: best, accepted: false, reason };
        Ok(done(route, model_calls, unembedded, shadow))
    }

    /// Every class by the router's own head, and by the shadow head if it has vectors of its model.
    async fn predict(
        &self,
        context: &Context,
        asked: &Requests,
        unembedded: &mut bool,
        shadow: &mut Option<(QueryType, f64)>,
    ) -> Result<Ranking, Failure> {
        let mut texts = vec![asked.message.as_str()];
        if asked.topic.is_some() {
            texts.push(&asked.embed);
        }
        let none = vec![Vec::new(); texts.len()];
        let (head, embedded) = match self.with_vectors(context, &texts).await {
            Ok(found) => found,
            Err(failure) => {
                tracing::warn!(%failure, "layer 2 works without embeddings");
                *unembedded = true;
                (self.lexical_head().await?, None)
            }
        };
        if let Some(beside) = &self.shadow {
            let vectors = match &embedded {
                _ if beside.dimensions == 0 => Some(&none),
                Some(embedded) if beside.check_embedding(&embedded.model).is_ok() => Some(&embedded.vectors),
                _ => None,
            };
            let ranking = vectors.and_then(|all| Ranking::of(beside, &texts, all, asked, self.accept));
            *shadow = ranking.and_then(|ranking| ranking.best());
        }
        let vectors = embedded.as_ref().map_or(&none, |embedded| &embedded.vectors);
        Ranking::of(head, &texts, vectors, asked, self.accept)
            .ok_or_else(|| Failure::internal("retrieval sent no vector"))
    }

    /// The head in use and the vectors of its model; none for a head over n-grams alone.
    async fn with_vectors(
        &self,
        context: &Context,
        texts: &[&str],
    ) -> Result<(&Head, Option<Vectors>), Failure> {
        let Some(head) = self.full.get_or_try_init(|| self.prepare(context)).await? else {
            return Ok((self.lexical_head().await?, None));
        };
        let embedded =
            self.retriever.embed(context, texts.iter().map(|text| (*text).to_owned()).collect()).await?;
        head.check_embedding(&embedded.model)?;
        Ok((head, Some(embedded)))
    }

    async fn lexical_head(&self) -> Result<&Head, Failure> {
        let read = || async {
            let head = task::blocking(|| shipped_head("")).await??;
            head.ok_or_else(|| Failure::internal("no head over n-grams ships"))
        };
        self.lexical.get_or_try_init(read).await
    }

    /// The head over embeddings: the kept one if it fits, else one trained on the seed messages.
    async fn prepare(&self, context: &Context) -> Result<Option<Head>, Failure> {
        let probe = vec!["probe".to_owned()];
        let Vectors { model, hashed, .. } = self.retriever.embed(context, probe).await?;
        if hashed {
            tracing::info!("vectors are hashed words; layer 2 counts n-grams instead");
            return Ok(None);
        }
        if let Some(head) = shipped_head(&model)? {
            return Ok(Some(head));
        }
        let file = self.folder.join("head.json");
        if let Some(head) = kept(&file, &model)? {
            return Ok(Some(head));
        }
        let seeds = seeds()?;
        let mut vectors = Vec::with_capacity(seeds.len());
        for batch in seeds.chunks(BATCH) {
            let texts = batch.iter().map(|seed| seed.text.clone()).collect();
            vectors.extend(self.retriever.embed(context, texts).await?.vectors);
        }
        let head = task::blocking(move || first_head(&model, vectors, 1)).await??;
        keep(&file, &head);
        Ok(Some(head))
    }

    /// Classifies with a head that the caller sent, alone and over its own labels.
    pub(crate) async fn head_alone(
        &self,
        context: &Context,
        json: String,
        texts: Vec<String>,
    ) -> Result<Vec<HeadAlone>, Failure> {
        let head = self.sent_head(json).await?;
        let mut all = Vec::with_capacity(texts.len());
        for batch in texts.chunks(BATCH) {
            let vectors = if head.dimensions == 0 {
                vec![Vec::new(); batch.len()]
            } else {
                let embedded = self.retriever.embed(context, batch.to_vec()).await?;
                head.check_embedding(&embedded.model)?;
                embedded.vectors
            };
            let (head, batch) = (head.clone(), batch.to_vec());
            let predict = move || -> Vec<HeadAlone> {
                let predicted = batch.iter().zip(vectors).map(|(text, vector)| {
                    let prediction = head.predict(text, &vector);
                    let label = head.labels.get(prediction.best).cloned().unwrap_or_default();
                    HeadAlone { label, prediction }
                });
                predicted.collect()
            };
            all.extend(task::blocking(predict).await?);
        }
        Ok(all)
    }

    /// The head of a file, read off the async threads; the one sent last is kept.
    async fn sent_head(&self, json: String) -> Result<Arc<Head>, Failure> {
        let sent = Arc::clone(&self.sent);
        let read = move || {
            let digest = hex::encode(Sha256::digest(json.as_bytes()));
            let known = || sent.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some((_, head)) = known().as_ref().filter(|(known, _)| *known == digest) {
                return Ok(head.clone());
            }
            let head = Arc::new(Head::from_json(&json)?);
            *known() = Some((digest, head.clone()));
            Ok(head)
        };
        task::blocking(read).await?
    }
}

/// Whether a message can be of a type that the model names.
fn possible(query_type: QueryType, message: &str) -> bool {
    query_type != QueryType::Conversational || may_converse(message)
}

/// A head of an earlier start, if it was made from the same messages and for the same vectors.
fn kept(file: &Path, embedding: &str) -> Result<Option<Head>, Failure> {
    let digest = digest()?;
    let head = std::fs::read_to_string(file).ok().and_then(|json| Head::from_json(&json).ok());
    Ok(head.filter(|head| head.report.data_sha256 == digest && head.embedding == embedding))
}

/// Keeps a head for the next start; without it the next start trains again.
fn keep(file: &Path, head: &Head) {
    if let Err(error) = std::fs::write(file, head.to_json()) {
        tracing::warn!(%error, file = %file.display(), "a routing head could not be kept");
    }
}
