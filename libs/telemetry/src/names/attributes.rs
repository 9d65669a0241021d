//! Attribute names, which of them hold content, and the names under which other conventions expect the same value.

// --- the process ---

/// Name of the service.
pub const SERVICE_NAME: &str = "service.name";
/// Namespace of the service's name.
pub const SERVICE_NAMESPACE: &str = "service.namespace";
/// Version of the service.
pub const SERVICE_VERSION: &str = "service.version";
/// Which of several processes of a service.
pub const SERVICE_INSTANCE: &str = "service.instance.id";
/// Pod of the process.
pub const POD: &str = "k8s.pod.name";
/// Kubernetes namespace of the process.
pub const NAMESPACE: &str = "k8s.namespace.name";
/// Node of the process.
pub const NODE: &str = "k8s.node.name";
/// Project under which Phoenix files traces.
pub const PROJECT: &str = "openinference.project.name";

// --- transport ---

/// System of a call.
pub const RPC_SYSTEM: &str = "rpc.system.name";
/// Full name of the gRPC service.
pub const RPC_SERVICE: &str = "rpc.service";
/// Name of the method.
pub const RPC_METHOD: &str = "rpc.method";
/// gRPC status of the answer, by name.
pub const RPC_STATUS: &str = "rpc.response.status_code";
/// Address or name of the called service.
pub const SERVER_ADDRESS: &str = "server.address";
/// Template of the matched route.
pub const HTTP_ROUTE: &str = "http.route";
/// Method of the request.
pub const HTTP_METHOD: &str = "http.request.method";
/// Status of the answer.
pub const HTTP_STATUS: &str = "http.response.status_code";
/// What went wrong, as a code.
pub const ERROR_TYPE: &str = "error.type";

// --- OpenInference ---

/// Kind of span as OpenInference names it.
pub const SPAN_KIND: &str = "openinference.span.kind";
/// What went in. Content.
pub const INPUT: &str = "input.value";
/// Media type of what went in.
pub const INPUT_TYPE: &str = "input.mime_type";
/// What came out. Content.
pub const OUTPUT: &str = "output.value";
/// Media type of what came out.
pub const OUTPUT_TYPE: &str = "output.mime_type";
/// Documents that were found: `retrieval.documents.N.document.id`, `.score`, `.metadata`, and `.content`, which is content.
pub const DOCUMENTS: &str = "retrieval.documents";
/// Model that embedded.
pub const EMBEDDING_MODEL: &str = "embedding.model_name";
/// Texts that were embedded: `embedding.embeddings.N.embedding.text`. Content.
pub const EMBEDDED: &str = "embedding.embeddings";
/// Model that wrote.
pub const LLM_MODEL: &str = "llm.model_name";
/// Provider of the model.
pub const LLM_PROVIDER: &str = "llm.provider";
/// Settings of the call as JSON.
pub const LLM_PARAMETERS: &str = "llm.invocation_parameters";
/// Messages of the call: `llm.input_messages.N.message.role` and `.content`. Content.
pub const LLM_INPUT_MESSAGES: &str = "llm.input_messages";
/// Messages of the answer: `llm.output_messages.N.message.role` and `.content`. Content.
pub const LLM_OUTPUT_MESSAGES: &str = "llm.output_messages";
/// Tokens read.
pub const LLM_PROMPT_TOKENS: &str = "llm.token_count.prompt";
/// Tokens written.
pub const LLM_COMPLETION_TOKENS: &str = "llm.token_count.completion";
/// Tokens read and written.
pub const LLM_TOTAL_TOKENS: &str = "llm.token_count.total";
/// Session of the question.
pub const SESSION_ID: &str = "session.id";
/// Who asked. Content: it names a person.
pub const USER_ID: &str = "user.id";
/// Tool that was used.
pub const TOOL_NAME: &str = "tool.name";

// --- OpenTelemetry GenAI ---

/// Operation as the GenAI conventions name it.
pub const OPERATION: &str = "gen_ai.operation.name";
/// Provider of the model.
pub const PROVIDER: &str = "gen_ai.provider.name";
/// Model that was asked.
pub const MODEL: &str = "gen_ai.request.model";
/// Most tokens that it may write.
pub const MAX_TOKENS: &str = "gen_ai.request.max_tokens";
/// Temperature.
pub const TEMPERATURE: &str = "gen_ai.request.temperature";
/// Seed.
pub const SEED: &str = "gen_ai.request.seed";
/// Tokens read.
pub const INPUT_TOKENS: &str = "gen_ai.usage.input_tokens";
/// Tokens written.
pub const OUTPUT_TOKENS: &str = "gen_ai.usage.output_tokens";
/// Why the model stopped.
pub const FINISH_REASONS: &str = "gen_ai.response.finish_reasons";
/// Messages of the call as JSON. Content.
pub const INPUT_MESSAGES: &str = "gen_ai.input.messages";
/// Messages of the answer as JSON. Content.
pub const OUTPUT_MESSAGES: &str = "gen_ai.output.messages";
/// Prompt template.
pub const PROMPT_ID: &str = "gen_ai.prompt.name";
/// Length of a vector.
pub const DIMENSIONS: &str = "gen_ai.embeddings.dimension.count";
/// Conversation of the question.
pub const CONVERSATION_ID: &str = "gen_ai.conversation.id";
/// Tool that was used.
pub const GEN_AI_TOOL: &str = "gen_ai.tool.name";

// --- Langfuse ---

/// Name under which Langfuse lists the trace.
pub const LANGFUSE_TRACE: &str = "langfuse.trace.name";
/// Session of the trace.
pub const LANGFUSE_SESSION: &str = "langfuse.session.id";
/// User of the trace. Content.
pub const LANGFUSE_USER: &str = "langfuse.user.id";
/// Kind of observation.
pub const LANGFUSE_TYPE: &str = "langfuse.observation.type";
/// Input of the observation. Content.
pub const LANGFUSE_INPUT: &str = "langfuse.observation.input";
/// Output of the observation. Content.
pub const LANGFUSE_OUTPUT: &str = "langfuse.observation.output";
/// Model of the observation.
pub const LANGFUSE_MODEL: &str = "langfuse.observation.model.name";
/// Input of the trace. Content.
pub const LANGFUSE_TRACE_INPUT: &str = "langfuse.trace.input";
/// Output of the trace. Content.
pub const LANGFUSE_TRACE_OUTPUT: &str = "langfuse.trace.output";
/// Verdict, as something to filter traces by.
pub const LANGFUSE_VERDICT: &str = "langfuse.trace.metadata.verdict";
/// Query type, as something to filter traces by.
pub const LANGFUSE_QUERY_TYPE: &str = "langfuse.trace.metadata.query_type";
/// Audit id, as something to filter traces by.
pub const LANGFUSE_AUDIT_ID: &str = "langfuse.trace.metadata.audit_id";

// --- ours ---

/// Query type.
pub const QUERY_TYPE: &str = "assay.query_type";
/// Layer that decided the query type.
pub const ROUTE_LAYER: &str = "assay.route.layer";
/// Calibrated probability of the query type.
pub const ROUTE_PROBABILITY: &str = "assay.route.probability";
/// Verdict.
pub const VERDICT: &str = "assay.verdict";
/// State of each check: `assay.check.NAME`.
pub const CHECKS: &str = "assay.check";
/// Support of the answer by its sources, 0 to 1.
pub const SUPPORT: &str = "assay.support";
/// Audit id.
pub const AUDIT_ID: &str = "assay.audit_id";
/// Outcome.
pub const OUTCOME: &str = "assay.outcome";
/// Attempt, from 1.
pub const ATTEMPT: &str = "assay.attempt";
/// Attempts made.
pub const ATTEMPTS: &str = "assay.attempts";
/// Calls of a language model.
pub const MODEL_CALLS: &str = "assay.model_calls";
/// Manifest of the index that was searched.
pub const INDEX_MANIFEST: &str = "assay.index_manifest";
/// Whether the evidence answers the question.
pub const RELEVANT: &str = "assay.relevant";
/// Probability that it does.
pub const RELEVANCE: &str = "assay.relevance";
/// Texts in a call.
pub const TEXTS: &str = "assay.texts";
/// Code blocks in a call.
pub const BLOCKS: &str = "assay.blocks";
/// What the parser said, or why it could not be asked.
pub const CODE_STATUS: &str = "assay.code_status";
/// Identifier of a request at the front door.
pub const REQUEST_ID: &str = "assay.request_id";

/// Whether an attribute holds what people asked, wrote or read, or who they are.
#[must_use]
pub fn is_content(name: &str) -> bool {
    const WHOLE: &[&str] = &[
        INPUT,
        OUTPUT,
        INPUT_MESSAGES,
        OUTPUT_MESSAGES,
        USER_ID,
        LANGFUSE_USER,
        LANGFUSE_INPUT,
        LANGFUSE_OUTPUT,
        LANGFUSE_TRACE_INPUT,
        LANGFUSE_TRACE_OUTPUT,
    ];
    let indexed = |prefix: &str, last: &str| {
        name.strip_prefix(prefix).is_some_and(|rest| rest.starts_with('.') && rest.ends_with(last))
    };
    WHOLE.contains(&name)
        || indexed(DOCUMENTS, ".document.content")
        || indexed(EMBEDDED, ".embedding.text")
        || indexed(LLM_INPUT_MESSAGES, ".message.content")
        || indexed(LLM_OUTPUT_MESSAGES, ".message.content")
}

/// Attributes that are exported under a second name, too, because another convention looks for it there: the kind of
/// span that this is for (empty: every kind), the attribute, the second name.
pub const SYNONYMS: &[(&str, &str, &str)] = &[
    ("LLM", MODEL, LLM_MODEL),
    ("LLM", MODEL, LANGFUSE_MODEL),
    ("LLM", PROVIDER, LLM_PROVIDER),
    ("LLM", INPUT_TOKENS, LLM_PROMPT_TOKENS),
    ("LLM", OUTPUT_TOKENS, LLM_COMPLETION_TOKENS),
    ("EMBEDDING", MODEL, EMBEDDING_MODEL),
    ("EMBEDDING", MODEL, LANGFUSE_MODEL),
    ("TOOL", TOOL_NAME, GEN_AI_TOOL),
    ("", SESSION_ID, LANGFUSE_SESSION),
    ("", SESSION_ID, CONVERSATION_ID),
    ("", USER_ID, LANGFUSE_USER),
];

/// The same for the span that stands for the whole trace.
pub const OF_TRACE: &[(&str, &str)] = &[
    (INPUT, LANGFUSE_TRACE_INPUT),
    (OUTPUT, LANGFUSE_TRACE_OUTPUT),
    (QUERY_TYPE, LANGFUSE_QUERY_TYPE),
    (VERDICT, LANGFUSE_VERDICT),
    (AUDIT_ID, LANGFUSE_AUDIT_ID),
];

/// What Langfuse calls each kind of OpenInference.
pub const LANGFUSE_KINDS: &[(&str, &str)] = &[
    ("CHAIN", "chain"),
    ("RETRIEVER", "retriever"),
    ("EMBEDDING", "embedding"),
    ("LLM", "generation"),
    ("GUARDRAIL", "guardrail"),
    ("TOOL", "tool"),
];
