//! Checks a settled request against the routing rules (contract §2). A broken rule is a defect of ours; it is
//! counted, so that somebody looks, and changes nothing about the answer.

use assay_domain::answer::Layer;
use assay_domain::{Answer, CodeStatus, Identity, Question};
use assay_routing::rules::declaration_ignored;
use assay_routing::{HISTORY_KEPT, PlatformPrefixes, decide};
use assay_telemetry::names::metrics as names;

use crate::journal::Journal;

/// Attempts that a request may have: the first and its one retry.
const ATTEMPTS: usize = 2;

/// Rules that are looked at, by name.
const RULES: [&str; 7] = ["RC-00", "RC-01", "RC-02", "RC-04", "RC-06", "RC-07", "RC-08"];

/// Makes the series of routing, so that a rate over them is right from the first request on.
pub(crate) fn begin_counting() {
    for rule in RULES {
        metrics::counter!(names::CONTRACT_VIOLATIONS_TOTAL, "rule" => rule).increment(0);
    }
    for layer in Layer::ALL {
        metrics::counter!(names::ROUTES_TOTAL, "layer" => layer.as_str()).increment(0);
        metrics::counter!(names::CLASSIFIED_TOTAL, "layer" => layer.as_str()).increment(0);
        let _ = metrics::histogram!(names::ROUTE_PROBABILITY, "layer" => layer.as_str());
    }
}

/// Rules that were not kept, by name.
pub(crate) fn broken(
    question: &Question,
    identity: &Identity,
    prefixes: &PlatformPrefixes,
    answer: &Answer,
    journal: &Journal,
) -> Vec<&'static str> {
    let mut broken = Vec::new();
    let Some(query_type) = journal.query_type() else { return broken };
    let declared = question.declared_type;
    if let Some(decision) = decide(&question.text, declared, identity, prefixes)
        && decision.query_type != query_type
    {
        broken.extend(decision.rule.contract());
    }
    if declaration_ignored(declared, identity)
        && journal.route.as_ref().is_some_and(|route| route.layer == Layer::Declared)
    {
        broken.push("RC-00");
    }
    let searched = !journal.queries.is_empty() || !journal.hits.is_empty() || !journal.examples.is_empty();
    if !query_type.searches() && searched {
        broken.push("RC-04");
    }
    if journal.session.history.len() > HISTORY_KEPT {
        broken.push("RC-06");
    }
    let unchecked = journal.drafts.iter().all(|attempt| attempt.result.is_none());
    if unchecked && answer.code_status == CodeStatus::NotApplicable && answer.text.contains("```") {
        broken.push("RC-07");
    }
    if journal.drafts.len() > ATTEMPTS {
        broken.push("RC-08");
    }
    broken
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use assay_domain::answer::Route;
    use assay_domain::{QueryType, Role};

    use super::*;
    use crate::journal::Attempted;

    fn journal(query_type: QueryType, layer: Layer) -> Journal {
        let route = Route { query_type, layer, probability: 1.0, accepted: true, reason: String::new() };
        Journal { route: Some(route), ..Journal::default() }
    }

    fn check(question: &Question, journal: &Journal, text: &str) -> Vec<&'static str> {
        let identity = Identity { roles: vec![Role::Ask], ..Identity::local() };
        let end = crate::finish::settlement(assay_domain::Outcome::Answered, assay_domain::Code::Internal);
        let mut answer =
            crate::answer::settle(assay_domain::AuditId::from_parts(0, [0; 10]), question, &end, journal)
                .answer;
        answer.text = text.to_owned();
        answer.code_status = CodeStatus::NotApplicable;
        broken(question, &identity, &PlatformPrefixes::with([""; 0]), &answer, journal)
    }

    #[test]
    fn a_request_that_keeps_the_contract_breaks_nothing() {
        let question = Question::new("How do I read a request parameter?");
        let mut kept = journal(QueryType::Retrieval, Layer::Classifier);
        kept.queries = vec!["read request parameter".into()];
        assert_eq!(check(&question, &kept, "Like this."), Vec::<&str>::new());
    }

    #[test]
    fn each_rule_that_was_not_kept_is_named() {
        let mut declared = Question::new("How do I read a request parameter?");
        declared.declared_type = Some(QueryType::CodeGeneration);
        assert_eq!(check(&declared, &journal(QueryType::Retrieval, Layer::Model), ""), ["RC-00"]);

        let usage = Question::new("What percentage of my quota have I used in my account?");
        assert_eq!(check(&usage, &journal(QueryType::Retrieval, Layer::Classifier), ""), ["RC-02"]);

        let mut searched = journal(QueryType::Conversational, Layer::Model);
        searched.queries = vec!["it".into()];
        assert_eq!(check(&Question::new("Shorter, please."), &searched, ""), ["RC-04"]);

        let mut again = journal(QueryType::Retrieval, Layer::Classifier);
        again.drafts = vec![Attempted::default(); 3];
        let question = Question::new("Why does the moon shine?");
        assert_eq!(check(&question, &again, "```\nx\n```"), ["RC-07", "RC-08"]);
    }
}
