//! The services that the router calls, over gRPC channels.

use assay_domain::draft::Draft;
use assay_domain::evidence::Source;
use assay_domain::{Code, Failure, QueryType, Record};
use assay_proto::{audit, generation, retrieval, validation};
use assay_rpc::{Channel, Context, MAX_MESSAGE_BYTES, Peers};
use assay_wire::{ToWire as _, from_peer, from_status, list_from_wire, list_to_wire};
use async_trait::async_trait;
use futures::StreamExt as _;
use futures::stream::BoxStream;
use prost::Message as _;
use tokio::sync::mpsc;
use tokio_stream::wrappers::UnboundedReceiverStream;
use tracing::Instrument as _;

use crate::ports::{
    Brief, CheckInput, CheckOrder, CheckOutput, CheckResult, CheckSession, CheckedSegment, Examples, Found,
    Generator, Ledger, LogHead, Opinion, Reformulated, Relevance, Retriever, SearchQuery, Spent, Validator,
    Vectors, Written,
};

/// Channels to the four services.
#[derive(Clone)]
pub(crate) struct GrpcPeers {
    retrieval: Channel,
    generation: Channel,
    validation: Channel,
    audit: Channel,
}

impl GrpcPeers {
    /// Takes the channels of the peers.
    ///
    /// # Errors
    /// `CONFIGURATION` if one is missing.
    pub(crate) fn new(peers: &Peers) -> Result<Self, Failure> {
        Ok(Self {
            retrieval: peers.channel("retrieval")?,
            generation: peers.channel("generation")?,
            validation: peers.channel("validation")?,
            audit: peers.channel("audit")?,
        })
    }

    fn retrieval(&self) -> retrieval::retrieval_service_client::RetrievalServiceClient<Channel> {
        retrieval::retrieval_service_client::RetrievalServiceClient::new(self.retrieval.clone())
            .max_decoding_message_size(MAX_MESSAGE_BYTES)
            .max_encoding_message_size(MAX_MESSAGE_BYTES)
    }

    fn generation(&self) -> generation::generation_service_client::GenerationServiceClient<Channel> {
        generation::generation_service_client::GenerationServiceClient::new(self.generation.clone())
            .max_decoding_message_size(MAX_MESSAGE_BYTES)
            .max_encoding_message_size(MAX_MESSAGE_BYTES)
    }

    fn validation(&self) -> validation::validation_service_client::ValidationServiceClient<Channel> {
        validation::validation_service_client::ValidationServiceClient::new(self.validation.clone())
            .max_decoding_message_size(MAX_MESSAGE_BYTES)
            .max_encoding_message_size(MAX_MESSAGE_BYTES)
    }

    fn audit(&self) -> audit::audit_service_client::AuditServiceClient<Channel> {
        audit::audit_service_client::AuditServiceClient::new(self.audit.clone())
            .max_decoding_message_size(MAX_MESSAGE_BYTES)
            .max_encoding_message_size(MAX_MESSAGE_BYTES)
    }
}

fn peer(status: tonic::Status) -> Failure {
    from_status(&status)
}

fn peer_list<T: assay_wire::FromWire<W>, W>(field: &str, items: Vec<W>) -> Result<Vec<T>, Failure> {
    list_from_wire(field, items).map_err(|failure| {
        Failure::internal(format!(
            "a service sent a reply that cannot be read: {}: {}",
            failure.field, failure.message
        ))
    })
}

fn empty(what: &str) -> Failure {
    Failure::internal(format!("{what} sent a message without content"))
}

#[async_trait]
impl Retriever for GrpcPeers {
    async fn search(&self, context: &Context, query: SearchQuery) -> Result<Found, Failure> {
        let request = retrieval::SearchRequest {
            query: query.query,
            further_queries: query.further,
            collection: query.collection,
            mode: retrieval::SearchMode::Hybrid as i32,
            limit: query.limit,
        };
        let reply = self.retrieval().search(context.request(request)).await.map_err(peer)?.into_inner();
        Ok(Found {
            hits: peer_list("hits", reply.hits)?,
            index_manifest: reply.index_manifest,
            degraded: reasoned(reply.degraded, &reply.degraded_reasons),
        })
    }

    async fn examples(
        &self,
        context: &Context,
        task: &str,
        language: &str,
        limit: u32,
    ) -> Result<Examples, Failure> {
        let request = retrieval::FewShotRequest { task: task.into(), language: language.into(), limit };
        let reply = self.retrieval().few_shot(context.request(request)).await.map_err(peer)?.into_inner();
        let hits: Vec<assay_domain::Hit> = peer_list("examples", reply.examples)?;
        Ok(Examples { sources: hits.into_iter().map(|hit| hit.source).collect(), degraded: reply.degraded })
    }

    async fn embed(&self, context: &Context, texts: Vec<String>) -> Result<Vectors, Failure> {
        let request = retrieval::EmbedRequest { texts };
        let reply = self.retrieval().embed(context.request(request)).await.map_err(peer)?.into_inner();
        let vectors = reply.vectors.into_iter().map(|vector| vector.values).collect();
        Ok(Vectors { vectors, model: reply.embedding_model, hashed: reply.hashed })
    }
}

/// Legs, each with the reason why it could not be used if there is one.
fn reasoned(legs: Vec<String>, reasons: &[String]) -> Vec<String> {
    let with = |(place, leg): (usize, String)| match reasons.get(place) {
        Some(reason) => format!("{leg}: {reason}"),
        None => leg,
    };
    legs.into_iter().enumerate().map(with).collect()
}

#[async_trait]
impl Generator for GrpcPeers {
    async fn draft(
        &self,
        context: &Context,
        brief: Brief,
    ) -> Result<BoxStream<'static, Result<Written, Failure>>, Failure> {
        let turns = brief.turns.iter().map(|turn| generation::Turn {
            question: turn.question.clone(),
            answer: turn.answer.clone(),
            sources: list_to_wire(&turn.sources),
        });
        let request = generation::DraftRequest {
            question: Some(brief.question.to_wire()),
            query_type: brief.query_type.to_wire(),
            sources: list_to_wire(&brief.sources),
            examples: list_to_wire(&brief.examples),
            turns: turns.collect(),
            attempt: brief.attempt.to_wire(),
            rejected_draft: brief.rejected_draft,
            retry_prompt: brief.retry_prompt,
            context_relevant: brief.context_relevant,
        };
        let reply = self.generation().draft(context.request(request)).await.map_err(peer)?;
        let model = reply.metadata().get(MODEL_KEY).and_then(|model| model.to_str().ok()).map(str::to_owned);
        let asked = futures::stream::iter(model.map(|model| Ok(Written::Asked(model))));
        let written = reply.into_inner().flat_map(|message| {
            let (first, second) = match message {
                Ok(message) => (Some(draft_part(message.part)), None),
                Err(status) => {
                    (spent(&status).map(|spent| Ok(Written::Spent(spent))), Some(Err(peer(status))))
                }
            };
            futures::stream::iter(first.into_iter().chain(second))
        });
        Ok(asked.chain(written).boxed())
    }

    async fn reformulate(
        &self,
        context: &Context,
        question: &str,
        hint: &str,
        topic: &str,
    ) -> Result<Reformulated, Failure> {
        let request = generation::ReformulateRequest {
            question: question.into(),
            hint: hint.into(),
            referred_topic: topic.into(),
        };
        let reply = self.generation().reformulate(context.request(request)).await.map_err(peer)?.into_inner();
        Ok(Reformulated {
            query: reply.query,
            model_calls: reply.model_calls,
            prompts: peer_list("prompts", reply.prompts)?,
            provider_trail: peer_list("provider_trail", reply.provider_trail)?,
        })
    }

    async fn model(&self, context: &Context, query_type: QueryType) -> Result<String, Failure> {
        let request = context.request(generation::DescribeRequest {});
        let reply = self.generation().describe(request).await.map_err(peer)?.into_inner();
        Ok(match query_type {
            QueryType::Retrieval | QueryType::CodeGeneration => reply.main,
            QueryType::Conversational | QueryType::Platform => reply.conversational,
        })
    }

    async fn classify(
        &self,
        context: &Context,
        prompt: &str,
        labels: Vec<String>,
    ) -> Result<Opinion, Failure> {
        let request = generation::ClassifyRequest { prompt: prompt.into(), labels };
        let reply = self.generation().classify(context.request(request)).await.map_err(peer)?.into_inner();
        Ok(Opinion { label: reply.label, model_calls: reply.model_calls })
    }
}

/// Metadata of the reply to `Draft`: the model that is asked.
const MODEL_KEY: &str = "assay-model";
/// Metadata of the status of a failed `Draft`: a `Draft` message with what was spent on it.
const SPENT_KEY: &str = "assay-spent-bin";

fn draft_part(part: Option<generation::draft_response::Part>) -> Result<Written, Failure> {
    match part {
        Some(generation::draft_response::Part::Delta(text)) => Ok(Written::Delta(text)),
        Some(generation::draft_response::Part::Done(draft)) => {
            Ok(Written::Done(Box::new(from_peer::<Draft, _>(draft)?)))
        }
        None => Err(empty("generation")),
    }
}

/// What a failed draft cost, if its status says so.
fn spent(status: &tonic::Status) -> Option<Spent> {
    let bytes = status.metadata().get_bin(SPENT_KEY)?.to_bytes().ok()?;
    let draft = assay_proto::common::Draft::decode(bytes).ok()?;
    Some(Spent {
        model_calls: draft.model_calls,
        prompts: peer_list("prompts", draft.prompts).ok()?,
        provider_trail: peer_list("provider_trail", draft.provider_trail).ok()?,
    })
}

fn check_input(input: CheckInput) -> validation::CheckRequest {
    use validation::check_request::Part;
    let part = match input {
        CheckInput::Text(text) => Part::Text(text),
        CheckInput::Finish => Part::Finish(validation::Finish {}),
    };
    validation::CheckRequest { part: Some(part) }
}

fn check_output(message: Result<validation::CheckResponse, tonic::Status>) -> Result<CheckOutput, Failure> {
    use validation::check_response::Part;
    match message.map_err(peer)?.part {
        Some(Part::Segment(segment)) => Ok(CheckOutput::Segment(CheckedSegment {
            text: segment.text,
            passed: segment.passed,
            errors: peer_list("errors", segment.errors)?,
        })),
        Some(Part::Done(done)) => {
            let report = done.report.ok_or_else(|| empty("validation"))?;
            Ok(CheckOutput::Done(Box::new(CheckResult {
                report: from_peer(report)?,
                check_ms: done.check_ms,
                parser_version: done.parser_version,
                model_calls: done.model_calls,
                prompts: peer_list("prompts", done.prompts)?,
                provider_trail: peer_list("provider_trail", done.provider_trail)?,
            })))
        }
        None => Err(empty("validation")),
    }
}

#[async_trait]
impl Validator for GrpcPeers {
    async fn check(&self, context: &Context, order: CheckOrder) -> Result<CheckSession, Failure> {
        let open = validation::Open {
            question: order.question,
            query_type: order.query_type.to_wire(),
            mode: order.mode.to_wire(),
            attempt: order.attempt.to_wire(),
            sources: list_to_wire(&order.sources),
            extra_context: order.extra_context,
            collection: order.collection,
            sources_only: order.sources_only,
            attach: true,
            segments: true,
            default_language: order.default_language,
            wanted_language: order.wanted_language,
            policy: order.profile,
            context_relevance: order.context_relevance,
            ..validation::Open::default()
        };
        let first = validation::CheckRequest { part: Some(validation::check_request::Part::Open(open)) };
        let (input, receiver) = mpsc::unbounded_channel();
        let messages =
            futures::stream::iter([first]).chain(UnboundedReceiverStream::new(receiver).map(check_input));
        let call = context.request(messages);
        let mut client = self.validation();
        // The reply headers may come only after the first output, so the call is awaited as part of the output; it
        // belongs to the span that it was opened in.
        let output = futures::stream::once(async move { client.check(call).await }.in_current_span())
            .flat_map(|reply| match reply {
                Ok(reply) => reply.into_inner().map(check_output).boxed(),
                Err(status) => futures::stream::iter([Err(peer(status))]).boxed(),
            })
            .boxed();
        Ok(CheckSession { input, output })
    }

    async fn relevance(
        &self,
        context: &Context,
        question: &str,
        sources: Vec<Source>,
    ) -> Result<Relevance, Failure> {
        let request =
            validation::AssessRelevanceRequest { question: question.into(), sources: list_to_wire(&sources) };
        let reply =
            self.validation().assess_relevance(context.request(request)).await.map_err(peer)?.into_inner();
        Ok(Relevance { probability: reply.probability, relevant: reply.relevant })
    }
}

#[async_trait]
impl Ledger for GrpcPeers {
    async fn append(&self, context: &Context, record: &Record) -> Result<Option<LogHead>, Failure> {
        let request = audit::AppendRequest { record: Some(record.to_wire()) };
        let bytes = request.encoded_len();
        if bytes > MAX_MESSAGE_BYTES {
            let text = format!("the record has {bytes} bytes; a message may have {MAX_MESSAGE_BYTES}");
            return Err(Failure::new(Code::PayloadTooLarge, text).field("record"));
        }
        let reply = self.audit().append(context.request(request)).await.map_err(peer)?.into_inner();
        if reply.receipt.is_none() {
            return Err(Failure::new(Code::Internal, "audit sent no receipt"));
        }
        let head = LogHead { log_id: reply.log_id, size: reply.tree_size, root: reply.root };
        // An audit service of an earlier version names no log.
        Ok(Some(head).filter(|head| !head.log_id.is_empty()))
    }
}
