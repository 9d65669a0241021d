//! The composer: answers without a model, from the sentences of the evidence, or says honestly that they do not answer.
//!
//! Nothing here invents a fact: every factual sentence is copied from a source and carries that source's marker. The
//! same request always gives the same bytes. Must never know a provider, a prompt or a clock.
//!
//! | module | holds |
//! |---|---|
//! | `language` | English or Spanish |
//! | `sentence` | sentence boundaries |
//! | `passage` | sources taken apart into units, fences, sections |
//! | `terms` | stems, stop words, synonyms, the glossary |
//! | `question` | kind, terms and sides of a question |
//! | `window` | runs of neighbouring units: the answers that are possible |
//! | `score`, `form`, `subject` | how a unit meets the question, and whether its form is the one that is asked for |
//! | `measure` | what is measured of a window |
//! | `select` | the window that answers, by a fitted score; or none |
//! | `render` | the answer's text |
//! | `example` | the nearest validated example |
//! | `talk` | greetings and the previous answer |
//! | `platform` | account data |
//! | `reformulate` | keywords for another search |
//! | `wrapped` | the question inside a text that also gives orders |

mod example;
mod form;
mod language;
mod measure;
mod passage;
mod phrases;
mod platform;
mod question;
mod reformulate;
mod render;
mod score;
mod select;
mod sentence;
mod subject;
mod talk;
mod terms;
mod window;
mod wrapped;

use assay_domain::draft::{DraftRequest, Finish, Generator};
use assay_domain::evidence::Source;
use assay_domain::question::QueryType;

pub use language::Language;
pub use measure::{BESIDES, NAMES as MEASURES};

/// Name and version of the composer, as a draft's model.
pub const MODEL: &str = "extractive:composer-2";

/// What the composer made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Composition {
    /// Who wrote it: the composer, or a fixed text.
    pub generator: Generator,
    /// `Stop`, or `Abstained`.
    pub finish: Finish,
    /// Markdown with markers.
    pub text: String,
}

impl Composition {
    fn of(generator: Generator, finish: Finish, text: impl Into<String>) -> Self {
        Self { generator, finish, text: text.into() }
    }
}

/// Composes the answer to a request. Total: what cannot be answered is an abstention.
#[must_use]
pub fn compose(request: &DraftRequest) -> Composition {
    let question = wrapped::question(&request.question);
    match request.query_type {
        QueryType::Retrieval => documentation(
            &question,
            &request.sources,
            request.retry_prompt.is_empty(),
            // Relevance was judged with the orders that stand around a question, and says nothing of it alone.
            request.context_relevant == Some(false) && question == request.question,
        ),
        QueryType::CodeGeneration => example::nearest(&question, &request.examples, &request.sources),
        QueryType::Conversational => {
            talk::converse(&request.question, request.turns.last().map_or("", |turn| turn.answer.as_str()))
        }
        QueryType::Platform => platform::account(&request.question, &request.extra_context),
    }
}

/// The programming language that a request names, as a fence names it; none if it names none.
#[must_use]
pub fn code_language(text: &str) -> Option<&'static str> {
    example::asked(text).and_then(|fences| fences.first().copied())
}

/// Keywords for another search.
#[must_use]
pub fn reformulate(question: &str) -> String {
    reformulate::reformulate(question)
}

/// Answers from documentation. Code stays out of a retry, where a code block may be what was refused.
fn documentation(text: &str, sources: &[Source], with_code: bool, doubtful: bool) -> Composition {
    let question = question::Question::of(text);
    let passages = passage::Passages::of(sources);
    let ranking = score::Ranking::of(&question, &passages);
    let scene = measure::Scene::new(text, &question, &passages, &ranking, sources, doubtful);
    let Some(selection) = select::select(&scene, window::windows(&passages, with_code)) else {
        return Composition::of(
            Generator::Extractive,
            Finish::Abstained,
            phrases::abstained(question.language),
        );
    };
    let mut answer = String::new();
    let spoken = passages.languages[passages.units[selection.best].source];
    if spoken != question.language {
        answer.push_str(phrases::quoted(question.language));
        answer.push_str("\n\n");
    }
    answer.push_str(&written(&passages, &selection));
    Composition::of(Generator::Extractive, Finish::Stop, answer)
}

fn written(passages: &passage::Passages, selection: &select::Selection) -> String {
    render::pieces(passages, selection)
        .into_iter()
        .flat_map(|piece| [piece.gap.to_owned(), piece.text])
        .collect()
}

/// A question with its windows as they are measured, for fitting.
#[derive(Debug, Clone)]
pub struct Measured {
    /// What is known besides, as [`BESIDES`] has it; score and margin are for the fit to say.
    pub besides: Vec<f64>,
    /// In reading order.
    pub windows: Vec<MeasuredWindow>,
}

/// A window with what is measured of it.
#[derive(Debug, Clone)]
pub struct MeasuredWindow {
    /// Index of its source.
    pub source: usize,
    /// Number of its section.
    pub section: usize,
    /// Bytes of its pieces in the text of the source.
    pub pieces: Vec<std::ops::Range<usize>>,
    /// The answer that it makes.
    pub text: String,
    /// As [`MEASURES`] has them.
    pub measures: Vec<f64>,
}

/// Measures every window of the sources, as [`compose`] does.
#[must_use]
pub fn measure(text: &str, sources: &[Source], doubtful: bool) -> Measured {
    let text = wrapped::question(text);
    let question = question::Question::of(&text);
    let passages = passage::Passages::of(sources);
    let ranking = score::Ranking::of(&question, &passages);
    let scene = measure::Scene::new(&text, &question, &passages, &ranking, sources, doubtful);
    let windows = window::windows(&passages, true).into_iter().map(|window| {
        let first = &passages.units[window.first()];
        let measures = scene.measure(&window);
        let pieces = window.units.iter().map(|&unit| passages.units[unit].bytes.clone());
        let fences = window.fences.iter().map(|&fence| passages.fences[fence].bytes.clone());
        MeasuredWindow {
            source: first.source,
            section: first.section,
            pieces: pieces.chain(fences).collect(),
            text: written(
                &passages,
                &select::Selection { best: window.first(), units: window.units, fences: window.fences },
            ),
            measures,
        }
    });
    let windows = windows.collect();
    Measured { besides: scene.besides(0.0, 0.0).to_vec(), windows }
}
