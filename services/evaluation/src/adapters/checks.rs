//! Our own checks as the judge: free, and the same every time.
//!
//! Faithfulness reads the claims of the answer as validation judged them. Answer relevancy is the probability that the
//! answer's text can answer the question. Precision and recall of the contexts hold the reference against the sources.

use assay_domain::report::{ClaimKind, ClaimStatus};
use assay_domain::{Answer, CheckResult, Failure, Outcome, Report, Source, SourceKind, Terms};
use assay_proto::validation as wire;
use assay_rpc::{Channel, Context};
use assay_scoring::{Attributed, Manifest, Question as Derived, Reason, Statement, Verdicts};
use assay_wire::{ToWire as _, from_peer, from_status};
use async_trait::async_trait;

use crate::adapters::validation;
use crate::ports::{Case, Judge};

/// Judges by the validation service.
#[derive(Debug, Clone)]
pub(crate) struct ChecksJudge(validation::Client);

impl ChecksJudge {
    pub(crate) fn new(channel: Channel) -> Self {
        Self(validation::client(channel))
    }

    async fn relevance(&self, context: &Context, question: &str, text: &str) -> Result<f64, Failure> {
        let source = Source::given("answer", SourceKind::Doc, text, 1);
        let request =
            wire::AssessRelevanceRequest { question: question.to_owned(), sources: vec![source.to_wire()] };
        let reply = self.0.clone().assess_relevance(context.request(request)).await;
        Ok(reply.map_err(|status| from_status(&status))?.into_inner().probability)
    }

    /// The reference, held against the sources as if it were an answer.
    async fn reference(
        &self,
        context: &Context,
        reference: &str,
        sources: Vec<Source>,
    ) -> Result<Report, Failure> {
        let done = validation::check(&self.0, context, Terms::new("", sources), reference).await?;
        let result: CheckResult = from_peer(done)?;
        Ok(result.report)
    }
}

#[async_trait]
impl Judge for ChecksJudge {
    fn name(&self) -> &str {
        Manifest::CHECKS
    }

    async fn judge(&self, context: &Context, case: Case<'_>) -> Verdicts {
        let Case { question, answer, reference, .. } = case;
        let mut verdicts = Verdicts::default();
        match statements(answer) {
            Ok(statements) => verdicts.statements = Some(statements),
            Err(reason) => drop(verdicts.missing.insert("faithfulness".into(), reason)),
        }
        let text = crate::record::delivered(answer);
        if text.trim().is_empty() {
            verdicts.missing.insert("answer_relevancy".into(), Reason::NoAnswer);
        } else {
            match self.relevance(context, &question.text, text).await {
                Ok(probability) => {
                    verdicts.questions = Some(vec![Derived {
                        question: question.text.clone(),
                        similarity: Some(probability),
                        noncommittal: answer.outcome == Outcome::Abstained,
                    }]);
                }
                Err(failure) => failed(&mut verdicts, &["answer_relevancy"], &failure),
            }
        }
        const CONTEXTS: [&str; 2] = ["context_precision", "context_recall"];
        let sources: Vec<Source> = answer.sources.iter().map(|hit| hit.source.clone()).collect();
        if reference.trim().is_empty() {
            verdicts.missing.extend(CONTEXTS.map(|name| (name.into(), Reason::NoReference)));
            return verdicts;
        }
        match self.reference(context, reference, sources).await {
            Ok(report) => contexts(&mut verdicts, &report, answer.sources.len()),
            Err(failure) => failed(&mut verdicts, &CONTEXTS, &failure),
        }
        verdicts
    }
}

fn failed(verdicts: &mut Verdicts, metrics: &[&str], failure: &Failure) {
    tracing::warn!(%failure, "an answer was not judged");
    for metric in metrics {
        verdicts.missing.insert((*metric).into(), Reason::JudgeFailed);
    }
}

/// Whether a claim is supported; none if it is no factual claim.
fn supported(status: ClaimStatus) -> Option<bool> {
    match status {
        ClaimStatus::Supported | ClaimStatus::SupportedElsewhere => Some(true),
        ClaimStatus::Unsupported | ClaimStatus::Contradicted => Some(false),
        ClaimStatus::NotChecked | ClaimStatus::NotApplicable => None,
    }
}

fn statements(answer: &Answer) -> Result<Vec<Statement>, Reason> {
    let report = answer.report.as_ref().ok_or(Reason::NoAnswer)?;
    let factual = report.claims.iter().filter(|claim| claim.kind == ClaimKind::Factual);
    factual
        .map(|claim| {
            let supported = supported(claim.status).ok_or(Reason::PartlyChecked)?;
            Ok(Statement { text: claim.text.clone(), supported })
        })
        .collect()
}

/// A source helps if it supports a statement of the reference.
fn contexts(verdicts: &mut Verdicts, report: &Report, sources: usize) {
    let mut helps = vec![false; sources];
    let mut reference = Vec::new();
    for claim in report.claims.iter().filter(|claim| claim.kind == ClaimKind::Factual) {
        let attributed = supported(claim.status) == Some(true);
        let by = claim
            .evidence
            .first()
            .and_then(|evidence| helps.get_mut(evidence.source.checked_sub(1)? as usize));
        if let Some(by) = by.filter(|_| attributed) {
            *by = true;
        }
        reference.push(Attributed { text: claim.text.clone(), attributed });
    }
    if reference.is_empty() {
        verdicts.missing.insert("context_precision".into(), Reason::NoReference);
    } else {
        verdicts.contexts = Some(helps);
    }
    verdicts.reference = Some(reference);
}
