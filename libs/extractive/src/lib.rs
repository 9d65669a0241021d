//! The composer: answers without a model, from the sentences of the evidence, or says honestly that they do not answer.
//!
//! Nothing here invents a fact: every factual sentence is copied from a source and carries that source's marker. The
//! same request always gives the same bytes. Must never know a provider, a prompt or a clock.
//!
//! | module | holds |
//! |---|---|
//! | `sentence` | sentence boundaries |
//! | `passage` | sources taken apart into units, fences, sections |
//! | `terms` | stems, stop words, synonyms, the glossary |
//! | `question` | kind, terms and sides of a question |
//! | `window` | runs of neighbouring units: the answers that are possible |
//! | `score`, `form`, `subject` | how a unit meets the question, and whether its form is the one that is asked for |
//! | `measure` | what is measured of a window |
//! | `select` | the window that answers, by a fitted score and a reranker's order; or none |
//! | `render` | the answer's text |
//! | `example` | the nearest validated example |
//! | `talk` | greetings and the previous answer |
//! | `platform` | account data |
//! | `reformulate` | keywords for another search |
//! | `wrapped` | the question inside a text that also gives orders |

mod example;
mod form;
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
use assay_domain::evidence::{LineRange, Source};
use assay_domain::question::QueryType;
use assay_text::Language;

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
    prepare(request).choose(&[])
}

/// Does all of [`compose`] but the choice among windows that may answer, so that a reranker can order them first.
#[must_use]
pub fn prepare(request: &DraftRequest) -> Prepared {
    let question = wrapped::question(&request.question);
    // Of the whole text, orders included: that is what the router tells the language of its own sentences by.
    let language = question::language(&request.question);
    Prepared(match request.query_type {
        QueryType::Retrieval => {
            // Relevance was judged with the orders that stand around a question, and says nothing of it alone.
            let doubtful = request.context_relevant == Some(false) && question == request.question;
            documentation(&question, language, &request.sources, request.retry_prompt.is_empty(), doubtful)
        }
        QueryType::CodeGeneration => {
            Stage::Composed(example::nearest(&request.question, &request.examples, &request.sources))
        }
        QueryType::Conversational => {
            let previous = request.turns.last().map_or("", |turn| turn.answer.as_str());
            Stage::Composed(talk::converse(&request.question, previous))
        }
        QueryType::Platform => Stage::Composed(platform::account(&request.question, &request.extra_context)),
    })
}

/// An answer, or the windows that it is chosen from.
pub struct Prepared(Stage);

enum Stage {
    Composed(Composition),
    Open(Box<Open>),
}

/// Windows of which at least one answers.
struct Open {
    text: String,
    language: Language,
    passages: passage::Passages,
    contest: select::Contest,
    contenders: Vec<String>,
}

impl Prepared {
    /// The question, and the windows below their headings that a reranker may order; none where there is no choice.
    #[must_use]
    pub fn contenders(&self) -> Option<(&str, &[String])> {
        match &self.0 {
            Stage::Open(open) if open.contenders.len() > 1 => Some((&open.text, &open.contenders)),
            _ => None,
        }
    }

    /// Chooses: by a reranker's scores, one a contender in their order and greater is better. Without them the fitted
    /// order stays. An abstention stays one, for each contender passes the bar of its fitted score.
    #[must_use]
    pub fn choose(self, scores: &[f32]) -> Composition {
        let open = match self.0 {
            Stage::Composed(composition) => return composition,
            Stage::Open(open) => *open,
        };
        let Open { language, passages, contest, .. } = open;
        let selection = contest.choose(&passages, scores);
        let mut answer = String::new();
        if passages.languages[passages.units[selection.best].source] != language {
            answer.push_str(phrases::quoted(language));
            answer.push_str("\n\n");
        }
        answer.push_str(&written(&passages, &selection));
        Composition::of(Generator::Extractive, Finish::Stop, answer)
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
fn documentation(
    text: &str,
    language: Language,
    sources: &[Source],
    with_code: bool,
    doubtful: bool,
) -> Stage {
    let question = question::Question::of(text);
    let passages = passage::Passages::of(sources);
    let ranking = score::Ranking::of(&question, &passages);
    let scene = measure::Scene::new(text, &question, &passages, &ranking, sources, doubtful);
    let Some(contest) = select::rank(&scene, window::windows(&passages, with_code)) else {
        let text = phrases::abstained(language);
        return Stage::Composed(Composition::of(Generator::Extractive, Finish::Abstained, text));
    };
    let headed = |window: &window::Window| {
        let headings = &passages.sections[passages.units[window.first()].section].headings;
        format!("{}\n{}", headings.join("\n"), scene.text(window))
    };
    let contenders = contest.contenders().map(headed).collect();
    Stage::Open(Box::new(Open { text: text.to_owned(), language, passages, contest, contenders }))
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
    /// Lines of its pieces in the text of the source, from 1.
    pub pieces: Vec<LineRange>,
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
        let pieces = window.units.iter().map(|&unit| passages.units[unit].lines);
        let pieces = pieces.chain(window.fences.iter().map(|&fence| passages.fences[fence].lines)).collect();
        let measures = scene.measure(&window);
        MeasuredWindow {
            source: first.source,
            section: first.section,
            pieces,
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
