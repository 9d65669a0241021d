//! What a draft is written from and its check is told, and which programming language is meant.

use assay_domain::report::Attempt;
use assay_domain::{QueryType, Question, Terms};
use assay_graph::Nth;

use crate::journal::{Attempted, Journal};
use crate::options::{Options, Retry};
use crate::ports::Brief;
use crate::query;
use crate::state::{Request, Router};

/// What a blind retry is told, in place of the defects.
const BLIND: &str = "The draft in <rejected> was rejected. Write a better one.";

/// What a draft is written from; the second quotes the first and its defects.
pub(crate) fn draft(
    router: &Router,
    request: &Request,
    journal: &Journal,
    nth: Nth,
    attempt: Attempt,
) -> Brief {
    let query_type = journal.query_type().unwrap_or(QueryType::Retrieval);
    let rejected = (nth == Nth::Second).then(|| journal.draft(Nth::First)).flatten();
    let remembers = query_type == QueryType::Conversational;
    let defects = |first: &Attempted| match router.options.retry {
        Retry::Blind => BLIND.to_owned(),
        Retry::Guided | Retry::None => {
            first.result.as_ref().map(|result| result.report.retry_prompt.clone()).unwrap_or_default()
        }
    };
    Brief {
        question: request.question.clone(),
        query_type,
        sources: journal.plain_sources(),
        examples: journal.examples.clone(),
        turns: if remembers { journal.session.turns.clone() } else { Vec::new() },
        attempt,
        rejected_draft: rejected.map(|first| first.text.clone()).unwrap_or_default(),
        retry_prompt: rejected.map(defects).unwrap_or_default(),
        context_relevant: journal.relevant,
    }
}

/// What a check is told that has the sources judged before there is a draft.
pub(crate) fn relevance(router: &Router, request: &Request, journal: &Journal) -> Terms {
    let terms = check(router, request, journal, Attempt::First);
    Terms { assess_relevance: true, context_relevance: None, ..terms }
}

/// What a check is told.
pub(crate) fn check(router: &Router, request: &Request, journal: &Journal, attempt: Attempt) -> Terms {
    let (question, options) = (&request.question, &router.options);
    let query_type = journal.query_type().unwrap_or(QueryType::Retrieval);
    let code = query_type == QueryType::CodeGeneration;
    Terms {
        query_type,
        mode: question.mode,
        attempt,
        extra_context: question.extra_context.clone(),
        collection: question.collection.clone(),
        sources_only: !query_type.searches(),
        attach: true,
        segments: true,
        default_language: default_language(options, question),
        wanted_language: if code { wanted_language(options, question) } else { String::new() },
        policy: options.profile.clone(),
        context_relevance: journal.relevance,
        ..Terms::new(&question.text, journal.plain_sources())
    }
}

/// Language that code is asked for in: the one that the question names, else that of the collection.
pub(crate) fn wanted_language(options: &Options, question: &Question) -> String {
    let named = query::language(&question.text).map(str::to_owned);
    named.unwrap_or_else(|| default_language(options, question))
}

/// Language of blocks that declare none: that of the collection; empty means detect.
fn default_language(options: &Options, question: &Question) -> String {
    let about_code = options.code_collections.contains(&question.collection);
    if about_code { options.code_language.clone() } else { String::new() }
}
