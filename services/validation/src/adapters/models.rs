//! Models on disk as ports: found by the lock file of the models folder, run beside the async threads.

use std::path::Path;
use std::sync::Arc;

use assay_domain::{Code, Failure};
use assay_grounding::join::{self, Join, Said};
use assay_grounding::scores::{Missing, Scorer, Stretch, Who};
use assay_models::store::{self, JOIN, Kind, OFF};
use assay_models::{Entailment, Error, Files, Limits, Logits, Pair, PairScorer, SpanClassifier, Stop};
use assay_rpc::Context;
use async_trait::async_trait;

use crate::cpu_slots::CpuSlots;
use crate::options::Options;
use crate::ports::{PairPort, SpanPort, SpanQuery};

/// Pairs that are scored between two looks at the clock, so that what comes first is known though time runs out.
const AT_ONCE: usize = 8;
/// Longest input of a token classifier, in tokens: question, passages and the whole answer.
const READ: usize = 4096;
/// Calls of a model that run or wait for its cores at a time; the next ones wait beside the threads.
const CALLS: usize = 4;

/// A model's files with what is known of it.
struct Found {
    name: String,
    files: Files,
    join: Option<Join>,
}

/// An entailment model.
pub(crate) struct Pairs {
    model: Arc<PairScorer>,
    scorer: Scorer,
    slots: CpuSlots,
}

/// A token classifier.
pub(crate) struct Spans {
    model: Arc<SpanClassifier>,
    scorer: Scorer,
    slots: CpuSlots,
}

/// The entailment model of the settings; none where it is off or the models folder holds none.
///
/// # Errors
/// `CONFIGURATION`, naming the file and what to do.
pub(crate) fn pairs(options: &Options) -> Result<Option<Pairs>, Failure> {
    let (field, wanted) = ("validation.entailment_model", options.entailment_model.as_str());
    let Some(found) = find(options, field, wanted, Kind::Entailment)? else { return Ok(None) };
    let limits = Limits { cores: options.model_cores(), ..Limits::default() };
    let model = PairScorer::load(&found.files, limits).map_err(|error| wrong(field, &error))?;
    let scorer = scorer(Who::Entailment, found, model.digest());
    Ok(Some(Pairs { model: Arc::new(model), scorer, slots: CpuSlots::new(CALLS) }))
}

/// The token classifier of the settings; none where it is off or the models folder holds none.
///
/// # Errors
/// `CONFIGURATION`, naming the file and what to do.
pub(crate) fn spans(options: &Options) -> Result<Option<Spans>, Failure> {
    let (field, wanted) = ("validation.spans_model", options.spans_model.as_str());
    let Some(found) = find(options, field, wanted, Kind::Spans)? else { return Ok(None) };
    let limits = Limits { cores: options.model_cores(), max_tokens: READ, ..Limits::default() };
    let model = SpanClassifier::load(&found.files, limits).map_err(|error| wrong(field, &error))?;
    let scorer = scorer(Who::Spans, found, model.digest());
    Ok(Some(Spans { model: Arc::new(model), scorer, slots: CpuSlots::new(CALLS) }))
}

fn wrong(field: &str, error: &dyn std::fmt::Display) -> Failure {
    Failure::new(Code::Configuration, format!("{error}; or set {field} = \"{OFF}\"")).field(field)
}

/// The model that a setting names, with the join beside it.
fn find(options: &Options, field: &str, wanted: &str, kind: Kind) -> Result<Option<Found>, Failure> {
    let chosen = store::chosen(&options.models_dir, wanted, kind).map_err(|error| wrong(field, &error))?;
    let found = |own: store::Chosen| {
        let join = join_in(&own.folder.join(JOIN), field)?;
        Ok(Found { name: own.name, files: own.files, join })
    };
    chosen.map(found).transpose()
}

/// The user's own join beside a model.
fn join_in(path: &Path, field: &str) -> Result<Option<Join>, Failure> {
    let failed =
        |why: String| wrong(field, &format!("{}: {why}; fit it again or remove the file", path.display()));
    match std::fs::read_to_string(path) {
        Ok(text) => Join::parse(&text).map(Some).map_err(failed),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed(error.to_string())),
    }
}

/// What judging knows of a model, said once in the log. A join of another file does not count.
fn scorer(who: Who, found: Found, digest: &str) -> Scorer {
    let own = found.join.filter(|join| {
        let same = join.model.eq_ignore_ascii_case(digest);
        if !same {
            tracing::warn!(target: "assay", model = found.name, "join.json was fitted for another model file and is not used");
        }
        same
    });
    let join = own.or_else(|| join::shipped(digest).cloned());
    let fitted = if join.is_some() { "fitted" } else { "unfitted: it flags and decides nothing" };
    tracing::info!(target: "assay", model = found.name, sha256 = digest, "{} model, {fitted}", who.as_str());
    Scorer::of_file(who, found.name, digest, join)
}

fn missing(error: &Error) -> Missing {
    match error {
        Error::Stopped => Missing::OutOfTime,
        error => {
            tracing::warn!(target: "assay", %error, "a model failed on an answer");
            Missing::Failed("model_failed".to_owned())
        }
    }
}

/// What a turn that was not had says.
fn unserved(failure: &Failure) -> Missing {
    match failure.code {
        Code::DeadlineExceeded => Missing::OutOfTime,
        code => Missing::Failed(code.as_str().to_owned()),
    }
}

fn said(entailment: &Entailment) -> Said {
    match entailment.logits {
        Logits::Two { .. } => Said::Two { difference: entailment.difference },
        Logits::Three { entailment, neutral, contradiction } => Said::Three {
            entailment: f64::from(entailment),
            neutral: f64::from(neutral),
            contradiction: f64::from(contradiction),
        },
    }
}

/// Scores pairs, the first ones first; what does not fit into the time stays missing.
fn score(model: &PairScorer, pairs: &[(String, String)], stop: Stop<'_>) -> Vec<Result<Said, Missing>> {
    let mut out = Vec::with_capacity(pairs.len());
    for chunk in pairs.chunks(AT_ONCE) {
        let texts: Vec<Pair<'_>> =
            chunk.iter().map(|(premise, hypothesis)| Pair { premise, hypothesis }).collect();
        match model.score(&texts, stop) {
            Ok(found) => out.extend(found.iter().map(|entailment| Ok(said(entailment)))),
            Err(error) => out.extend(std::iter::repeat_n(Err(missing(&error)), chunk.len())),
        }
    }
    out
}

#[async_trait]
impl PairPort for Pairs {
    fn scorer(&self) -> &Scorer {
        &self.scorer
    }

    async fn score(&self, context: &Context, pairs: Vec<(String, String)>) -> Vec<Result<Said, Missing>> {
        let (model, count) = (Arc::clone(&self.model), pairs.len());
        let work = move |stop: Stop<'_>| score(&model, &pairs, stop);
        match self.slots.compute_until(context, work).await {
            Ok(said) => said,
            Err(failure) => vec![Err(unserved(&failure)); count],
        }
    }
}

#[async_trait]
impl SpanPort for Spans {
    fn scorer(&self) -> &Scorer {
        &self.scorer
    }

    async fn flag(&self, context: &Context, query: SpanQuery) -> Result<Vec<Stretch>, Missing> {
        let model = Arc::clone(&self.model);
        let work = move |stop: Stop<'_>| {
            let question = Some(query.question.as_str()).filter(|question| !question.is_empty());
            let passages: Vec<&str> = query.passages.iter().map(String::as_str).collect();
            model.flag(question, &passages, &query.answer, stop)
        };
        let done = self.slots.compute_until(context, work).await;
        let flagged = done.map_err(|failure| unserved(&failure))?.map_err(|error| missing(&error))?;
        let stretch = |flagged: assay_models::Flagged| Stretch {
            bytes: flagged.bytes,
            probability: f64::from(flagged.probability),
        };
        Ok(flagged.into_iter().map(stretch).collect())
    }
}

#[cfg(test)]
#[path = "../../../../libs/models/tests/small/made.rs"]
#[allow(clippy::unwrap_used, dead_code)]
mod made;

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::time::Duration;

    use assay_domain::Identity;

    use super::*;

    #[tokio::test]
    async fn without_time_left_every_pair_is_missing_with_the_reason() {
        let folder = tempfile::tempdir().unwrap();
        let config = r#"{"id2label": {"0": "entailment", "1": "not_entailment"}}"#;
        let all: &[(&str, [f32; 2])] = &[("yes", [3.0, 1.0])];
        made::Model { output: made::Output::Input, own: &[], all, config }.write(folder.path());
        let entailment_model = folder.path().to_string_lossy().into_owned();
        let port = pairs(&Options { entailment_model, ..Options::default() }).unwrap().unwrap();
        let asked = || vec![("a".to_owned(), "yes yes".to_owned()); 3];
        let within = |time| Context::new(Identity::local(), time);
        let said = port.score(&within(Duration::from_secs(60)), asked()).await;
        assert_eq!(said, vec![Ok(Said::Two { difference: 4.0 }); 3]);
        let late = port.score(&within(Duration::ZERO), asked()).await;
        assert_eq!(late, vec![Err(Missing::OutOfTime); 3]);
    }
}
