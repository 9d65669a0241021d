//! Versioned prompt templates and how they are filled: rules in the system message, everything that came from outside
//! in regions of the user message.

pub(crate) mod injection;
pub(crate) mod region;

use assay_domain::draft::PromptId;
use assay_domain::evidence::{Source, SourceKind};
use assay_domain::question::QueryType;
use sha2::{Digest, Sha256};

use crate::ports::{DraftRequest, Prompt, Turn};
use assay_extractive::code_language;
use assay_text::{Language, detect_question};

/// Text with which a model begins an answer that the sources do not hold.
pub const NO_ANSWER: &str = "[NO_ANSWER]";

/// A template file with its version. Changing the file means raising the version.
#[derive(Debug, Clone, Copy)]
pub struct Template {
    /// Name and version, e.g. `answer/2`.
    pub id: &'static str,
    /// The text as it stands in the file.
    pub text: &'static str,
}

impl Template {
    /// Id and SHA-256 of the text, lower-case hex.
    #[must_use]
    pub fn prompt_id(&self) -> PromptId {
        PromptId { id: self.id.to_owned(), sha256: hex::encode(Sha256::digest(self.text.as_bytes())) }
    }

    fn fill(&self, values: &[(&str, &str)]) -> String {
        values
            .iter()
            .fold(self.text.to_owned(), |text, (name, value)| text.replace(&format!("{{{{{name}}}}}"), value))
    }
}

/// Answers from documentation.
pub const ANSWER: Template = Template { id: "answer/2", text: include_str!("templates/answer.md") };
/// Programs.
pub const CODE: Template = Template { id: "code/2", text: include_str!("templates/code.md") };
/// Continued conversation.
pub const CONVERSATIONAL: Template =
    Template { id: "conversational/2", text: include_str!("templates/conversational.md") };
/// Account questions.
pub const PLATFORM: Template = Template { id: "platform/1", text: include_str!("templates/platform.md") };
/// Search queries.
pub const REFORMULATE: Template =
    Template { id: "reformulate/1", text: include_str!("templates/reformulate.md") };
/// One label of several; the text to classify comes from the router.
pub const CLASSIFY: Template = Template { id: "classify/1", text: include_str!("templates/classify.md") };
/// Whether passages can answer.
pub const RELEVANCE: Template = Template { id: "relevance/1", text: include_str!("templates/relevance.md") };
/// Whether passages state statements, for an evaluation.
pub const SUPPORT: Template = Template { id: "support/1", text: include_str!("templates/support.md") };
/// Questions that an answer would answer, for an evaluation.
pub const QUESTIONS: Template = Template { id: "questions/1", text: include_str!("templates/questions.md") };
/// Whether passages help to give a reference answer, for an evaluation.
pub const USEFULNESS: Template =
    Template { id: "usefulness/1", text: include_str!("templates/usefulness.md") };

/// Every template.
pub const ALL: &[Template] = &[
    ANSWER,
    CODE,
    CONVERSATIONAL,
    PLATFORM,
    REFORMULATE,
    CLASSIFY,
    RELEVANCE,
    SUPPORT,
    QUESTIONS,
    USEFULNESS,
];

/// The prompt of a draft.
#[must_use]
pub fn draft(request: &DraftRequest) -> Prompt {
    let language = language_name(detect_question(&request.question));
    let citable = request.citable();
    let shown: Vec<usize> = (1..).zip(citable).filter(|(_, s)| !s.text.is_empty()).map(|(n, _)| n).collect();
    let template = match request.query_type {
        QueryType::Retrieval => ANSWER,
        QueryType::CodeGeneration => CODE,
        QueryType::Conversational => CONVERSATIONAL,
        QueryType::Platform => PLATFORM,
    };
    let fence = code_language(&request.question).unwrap_or("avap");
    let spoken = if fence == "avap" { "AVAP" } else { fence };
    let system = template.fill(&[
        ("language", language),
        ("source_numbers", &spans(&shown)),
        ("no_answer", NO_ANSWER),
        ("code_language", spoken),
        ("fence_language", fence),
    ]);
    let mut user = String::new();
    if request.query_type != QueryType::Platform && !shown.is_empty() {
        user.push_str(&sources(citable));
    }
    if request.query_type == QueryType::CodeGeneration {
        user.push_str(&examples(&request.examples));
    }
    if request.query_type == QueryType::Conversational {
        user.push_str(&session(&request.turns, citable.len()));
    }
    if request.query_type == QueryType::Platform {
        let data = region::material(&request.extra_context);
        user.push_str(&format!("<platform>\n{data}\n</platform>\n\n"));
    }
    user.push_str(&question(&request.question));
    if request.context_relevant == Some(false) {
        user.push_str("\nThe sources may not hold the answer; read them with that in mind.\n");
    }
    if !request.rejected_draft.is_empty() {
        let draft = region::drafted(&request.rejected_draft, citable.len());
        user.push_str(&format!("\n<rejected>\n{draft}\n</rejected>\n"));
    }
    if !request.retry_prompt.is_empty() {
        // Written by the checks, which escaped every `<` of the texts in it; the tags are theirs.
        user.push_str(&format!("\n{}\n", region::tagged(&request.retry_prompt)));
    }
    Prompt { id: template.prompt_id(), system, user }
}

/// Mark with which the answer graph begins its hint.
const HINT: &str = "[CONTEXT_INSUFFICIENT]";

/// The prompt that asks for a search query. `hint` is that of the answer graph, or empty.
#[must_use]
pub fn reformulate(text: &str, hint: &str, referred_topic: &str) -> Prompt {
    let mut user = String::new();
    if !referred_topic.is_empty() {
        let topic = region::material(referred_topic);
        user.push_str(&format!("<session>\n{topic}\n</session>\n\n"));
    }
    let body = if hint.is_empty() { text } else { hint };
    let (mark, body) = body.strip_prefix(HINT).map_or(("", body), |body| (HINT, body));
    user.push_str(&format!("<request>\n{mark}{}\n</request>\n", region::material(body)));
    Prompt { id: REFORMULATE.prompt_id(), system: REFORMULATE.text.to_owned(), user }
}

/// The prompt that asks for one of the labels. `text` is the router's own prompt, in which every `<` of the message is
/// escaped.
#[must_use]
pub fn classify(text: &str, labels: &[String]) -> Prompt {
    let system = CLASSIFY.fill(&[("labels", &labels.join(", "))]);
    Prompt { id: CLASSIFY.prompt_id(), system, user: region::tagged(text) }
}

/// The prompt that asks whether the sources can answer.
#[must_use]
pub fn relevance(text: &str, evidence: &[Source]) -> Prompt {
    let user = format!("{}{}", sources(evidence), question(text));
    Prompt { id: RELEVANCE.prompt_id(), system: RELEVANCE.text.to_owned(), user }
}

/// The prompt that asks whether the sources state each statement.
#[must_use]
pub fn support(statements: &[String], evidence: &[Source]) -> Prompt {
    let mut user = sources(evidence);
    for (number, statement) in (1..).zip(statements) {
        let statement = region::material(statement);
        user.push_str(&format!("<statement n=\"{number}\">\n{statement}\n</statement>\n"));
    }
    Prompt { id: SUPPORT.prompt_id(), system: SUPPORT.text.to_owned(), user }
}

/// The prompt that asks which questions an answer would answer.
#[must_use]
pub fn questions(answer: &str) -> Prompt {
    let user = format!("<delivered>\n{}\n</delivered>\n", region::material(answer));
    Prompt { id: QUESTIONS.prompt_id(), system: QUESTIONS.text.to_owned(), user }
}

/// The prompt that asks of each source whether it helps to give the reference answer.
#[must_use]
pub fn usefulness(text: &str, reference: &str, evidence: &[Source]) -> Prompt {
    let reference = region::material(reference);
    let user = format!("{}{}<reference>\n{reference}\n</reference>\n", sources(evidence), question(text));
    Prompt { id: USEFULNESS.prompt_id(), system: USEFULNESS.text.to_owned(), user }
}

/// What a reader of the draft should know about orders inside the material.
#[must_use]
pub fn warnings(request: &DraftRequest) -> Vec<String> {
    let mut out: Vec<String> = region_warning("the question", &request.question, 1);
    for (index, source) in request.sources.iter().enumerate() {
        let place = format!("source {} ({})", index + 1, place(source));
        out.extend(region_warning(&place, &source.text, source.lines.first));
    }
    for (index, example) in request.examples.iter().enumerate() {
        out.extend(region_warning(&format!("example {}", index + 1), &example.text, 1));
    }
    out.extend(region_warning("extra_context", &request.extra_context, 1));
    out
}

fn region_warning(place: &str, text: &str, first_line: u32) -> Vec<String> {
    injection::scan(text, first_line)
        .into_iter()
        .map(|(line, phrase)| format!("injection phrase in {place}, line {line}: \"{}\"", phrase.trim()))
        .collect()
}

/// The language to answer in: English where nothing tells.
fn language_name(detected: Option<Language>) -> &'static str {
    match detected {
        Some(Language::Spanish) => "Spanish",
        Some(Language::English) | None => "English",
    }
}

fn place(source: &Source) -> &str {
    if source.path.is_empty() { &source.id } else { &source.path }
}

fn question(text: &str) -> String {
    format!("<question>\n{}\n</question>\n", region::material(text))
}

/// Numbers as a reader writes them: `1 to 5 and 9`, or `none`.
pub(crate) fn spans(numbers: &[usize]) -> String {
    let runs: Vec<String> = numbers
        .chunk_by(|a, b| a + 1 == *b)
        .map(|run| match run {
            [one] => one.to_string(),
            [first, .., last] => format!("{first} to {last}"),
            [] => String::new(),
        })
        .collect();
    match runs.split_last() {
        None => "none".to_owned(),
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
    }
}

/// Numbered sources with the real number of every line. A source without text was left out and keeps its number.
fn sources(sources: &[Source]) -> String {
    let mut out = String::from("<sources>\n");
    for (index, source) in sources.iter().enumerate().filter(|(_, source)| !source.text.is_empty()) {
        let kind = match source.kind {
            SourceKind::Example => " kind=\"validated example\"",
            SourceKind::Editor => " kind=\"the caller's editor\"",
            SourceKind::Code => " kind=\"source code\"",
            _ => "",
        };
        let text = region::numbered(&region::material(&source.text), source.lines.first);
        out.push_str(&format!(
            "<source n=\"{}\"{kind} path=\"{}\" title=\"{}\" lines=\"{}\">\n{text}</source>\n",
            index + 1,
            region::attribute(place(source)),
            region::attribute(&source.title),
            source.lines,
        ));
    }
    out.push_str("</sources>\n\n");
    out
}

/// Validated examples, without numbers: they are not cited.
fn examples(examples: &[Source]) -> String {
    let mut out = String::new();
    for example in examples {
        let text = region::material(&example.text);
        out.push_str(&format!(
            "<example task=\"{}\">\n{text}\n</example>\n",
            region::attribute(&example.title)
        ));
    }
    if out.is_empty() { out } else { format!("<examples>\n{out}</examples>\n\n") }
}

/// Earlier turns. Only the last answer keeps its markers, and only those of the given sources.
fn session(turns: &[Turn], source_count: usize) -> String {
    if turns.is_empty() {
        return String::new();
    }
    let mut out = String::from("<session>\n");
    for (index, turn) in turns.iter().enumerate() {
        let markers = if index + 1 == turns.len() { source_count } else { 0 };
        let question = region::material(&turn.question);
        let answer = region::drafted(&turn.answer, markers);
        out.push_str(&format!("<turn>\nasked: {question}\nanswered: {answer}\n</turn>\n"));
    }
    out.push_str("</session>\n\n");
    out
}

#[cfg(test)]
mod tests;
