//! Code requests without a model: the nearest validated example, or an honest no.

use assay_domain::draft::{Finish, Generator};
use assay_domain::evidence::{Source, SourceKind};

use super::passage::Passages;
use super::question::{Question, Term};
use super::render::{cite, fenced};
use super::terms::{content_stems, is_stop, stem, stem_set, words};
use super::{Composition, phrases, question, wrapped};
use assay_text::{Language, fold};

/// Least share of the request that an example must cover.
const BAR: f64 = 0.5;
/// What it counts that the request asks about all of a task.
const FOCUS: f64 = 0.15;
/// Least match of a word that says what the program does: at least a synonym.
const MET: f64 = 0.4;
/// Words that ask for a program and say nothing of what it does.
const ASKING: &[&str] = &[
    "generate",
    "create",
    "script",
    "snippet",
    "compute",
    "calculate",
    "obtain",
    "check",
    "comprobar",
    "compruebe",
    "generar",
    "genera",
    "crear",
    "crea",
    "haz",
    "dame",
    "calcular",
    "calcule",
    "obtener",
    "obtenga",
];

/// An example: what it does and how.
struct Example {
    source: usize,
    task: String,
    /// Path of its file, or its id in the pool.
    origin: String,
    language: String,
    code: String,
    pooled: bool,
    above: String,
}

/// Languages that a request may name, with their fence names.
const LANGUAGES: &[(&str, &[&str])] = &[
    ("avap", &["avap"]),
    ("python", &["python", "py", "python3"]),
    ("go", &["go", "golang"]),
    ("golang", &["go", "golang"]),
    ("rust", &["rust", "rs"]),
    ("javascript", &["javascript", "js", "node"]),
    ("typescript", &["typescript", "ts"]),
    ("java", &["java"]),
    ("ruby", &["ruby", "rb"]),
    ("bash", &["bash", "sh", "shell", "console"]),
    ("shell", &["bash", "sh", "shell", "console"]),
    ("yaml", &["yaml", "yml"]),
    ("json", &["json"]),
    ("sql", &["sql"]),
    ("promql", &["promql"]),
];

/// Fence names of the language that a request names.
pub(crate) fn asked(text: &str) -> Option<&'static [&'static str]> {
    let folded = fold(text);
    let named: Vec<&str> = folded.split(|c: char| !c.is_alphanumeric()).collect();
    // "go" is a word of its own in English; it counts only where it is named as a language.
    let names_go = ["in go", "go program", "go code", "go function", "en go", "golang"]
        .iter()
        .any(|cue| folded.contains(cue));
    LANGUAGES
        .iter()
        .find(|(name, _)| named.contains(name) && (*name != "go" || names_go))
        .map(|(_, fences)| *fences)
}

/// Returns the nearest example for a code request: from the validated pool, or a code block of a citable source.
pub(crate) fn nearest(text: &str, pool: &[Source], sources: &[Source]) -> Composition {
    let (reply, text) = (question::language(text), wrapped::question(text));
    let question = Question::of(&text);
    let language = question.language;
    let asked = asked(&text);
    let mut examples = examples(pool, true);
    examples.extend(self::examples(sources, false));
    let wanted: Option<&[&str]> =
        asked.or_else(|| examples.iter().any(|example| example.language == "avap").then_some(&["avap"][..]));
    let terms: Vec<_> = question
        .terms
        .iter()
        .filter(|term| {
            let asks = ASKING.iter().any(|word| stem(word, language) == stem(&term.word, language));
            !asks && !LANGUAGES.iter().any(|(name, _)| *name == term.word) && term.importance > 0.5
        })
        .collect();
    if terms.is_empty() {
        return Composition::of(Generator::Extractive, Finish::Abstained, phrases::no_example(reply));
    }
    let rows: Vec<(f64, Vec<f64>, &Example)> = examples
        .iter()
        .filter(|example| wanted.is_none_or(|fences| fences.contains(&example.language.as_str())))
        .map(|example| {
            let spoken = question::language(&example.task);
            let (task, above, code) = (
                stem_set(&example.task, spoken),
                stem_set(&example.above, spoken),
                stem_set(&example.code, Language::English),
            );
            let matches: Vec<f64> = terms
                .iter()
                .map(|term| {
                    term.match_in(&task, spoken)
                        .max(0.6 * term.match_in(&above, spoken))
                        .max(0.5 * term.match_in(&code, Language::English))
                })
                .collect();
            let content = content_stems(&example.task, spoken);
            let hits = content
                .iter()
                .filter(|stem| {
                    terms.iter().any(|term| term.match_word(std::slice::from_ref(*stem), spoken) >= 0.4)
                })
                .count();
            let focus = hits as f64 / content.len().max(1) as f64;
            let tongue = if spoken == language { 0.03 } else { 0.0 };
            // A word of the code alone may stand in a text that it prints.
            let told: Vec<f64> = terms
                .iter()
                .map(|term| term.match_in(&task, spoken).max(0.6 * term.match_in(&above, spoken)))
                .collect();
            let does = does(&terms, if example.pooled { &matches } else { &told });
            (does, (FOCUS * focus + tongue, matches, example))
        })
        .filter(|(does, (_, _, example))| *does && !turned(&text, &example.task))
        .map(|(_, row)| row)
        .collect();
    let count = rows.len() as f64;
    let weights: Vec<f64> = (0..terms.len())
        .map(|t| {
            let holding = rows.iter().filter(|(_, matches, _)| matches[t] >= 0.5).count() as f64;
            terms[t].importance * ((count + 1.0) / (holding + 0.5)).ln().clamp(0.5, 2.5)
        })
        .collect();
    let total: f64 = weights.iter().sum();
    let best = rows
        .into_iter()
        .enumerate()
        .map(|(at, (tilt, matches, example))| {
            let coverage: f64 = weights.iter().zip(&matches).map(|(w, m)| w * m).sum::<f64>() / total;
            (coverage, coverage + tilt + if example.pooled { 0.05 } else { 0.0 } - 0.001 * at as f64, example)
        })
        .filter(|(coverage, _, _)| *coverage >= BAR)
        .max_by(|a, b| a.1.total_cmp(&b.1));
    let Some((_, _, example)) = best else {
        return Composition::of(Generator::Extractive, Finish::Abstained, phrases::no_example(reply));
    };
    // The task of an example that cannot be cited stands inside the sentence about the answer: it claims nothing.
    let task = match (example.task.trim_end_matches(['.', ':']), example.pooled) {
        ("", _) | (_, false) => String::new(),
        (task, true) => format!(", “{task} ({})”", example.origin),
    };
    let mut text = format!("{}{task}{}", phrases::nearest_before(reply), phrases::nearest_after(reply));
    if !example.pooled {
        text = format!("{text}\n\n{}", cite(&example.task, example.source + 1));
    }
    text = format!("{text}\n\n{}", fenced(&example.language, &example.code));
    Composition::of(Generator::Extractive, Finish::Stop, text)
}

/// Whether an example has every word that says what the program does; else it does something else: it sorts rows where a
/// list is to be sorted.
fn does(terms: &[&Term], matches: &[f64]) -> bool {
    let tells = |term: &Term| term.named || term.importance >= 1.0;
    terms.iter().zip(matches).all(|(term, met)| *met >= MET || !tells(term))
}

/// Whether a request converts one thing to another, by "to" or "into", and a task the other to the one.
fn turned(request: &str, task: &str) -> bool {
    let language = question::language(request);
    let converts = |word: &str| match language {
        Language::English => matches!(word, "to" | "into"),
        Language::Spanish => matches!(word, "a" | "en"),
    };
    let order = |text: &str| -> Vec<String> {
        words(text).iter().map(|word| fold(&word.text).into_owned()).collect()
    };
    let (asked, done) = (order(request), order(task));
    let place = |word: &String| done.iter().position(|own| own == word);
    asked
        .windows(3)
        .filter(|own| converts(&own[1]) && !is_stop(&own[0], language) && !is_stop(&own[2], language))
        .any(|own| place(&own[0]).zip(place(&own[2])).is_some_and(|(from, to)| from > to))
}

/// The examples of the pool, or the code blocks of documents with their introduction.
fn examples(sources: &[Source], pooled: bool) -> Vec<Example> {
    let passages = Passages::of(sources);
    let mut out = Vec::new();
    for (index, source) in sources.iter().enumerate() {
        let origin = if source.path.is_empty() { source.id.clone() } else { source.path.clone() };
        let pooled = pooled || source.kind == SourceKind::Example;
        let fences: Vec<_> = passages.fences.iter().filter(|fence| fence.source == index).collect();
        if fences.is_empty() && pooled {
            let language = if source.language.is_empty() || source.language.len() == 2 {
                "avap"
            } else {
                &source.language
            };
            out.push(Example {
                source: index,
                task: source.title.trim().to_owned(),
                origin,
                language: language.to_owned(),
                code: source.text.clone(),
                pooled,
                above: source.headings.join(" \n "),
            });
            continue;
        }
        for fence in fences {
            let intro = passages.units.iter().rev().find(|unit| {
                unit.source == index
                    && unit.section == fence.section
                    && unit.block < fence.block
                    && fence.block - unit.block <= 2
            });
            let task = match intro {
                Some(unit) => unit.text.clone(),
                None if pooled => source.title.clone(),
                None => continue,
            };
            let language = fence.language.to_lowercase();
            if !pooled
                && ["", "text", "console", "output", "diff", "http", "mermaid"].contains(&language.as_str())
            {
                continue;
            }
            out.push(Example {
                source: index,
                task,
                origin: origin.clone(),
                language: if language.is_empty() { "avap".to_owned() } else { language },
                code: fence.code.clone(),
                pooled,
                above: passages.sections[fence.section].headings.join(" \n "),
            });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example(id: &str, task: &str, code: &str) -> Source {
        let mut source = Source::given(id, SourceKind::Example, code, 1);
        source.title = task.to_owned();
        source.language = "avap".to_owned();
        source
    }

    fn pool() -> Vec<Source> {
        vec![
            example("033-sum", "Sum the numbers from 1 to 5 with a loop.", "startLoop(i, 1, 5)\nendLoop()\n"),
            example(
                "137-length",
                "Read a parameter and return its length.",
                "addParam(\"t\", t)\naddResult(len(t))\n",
            ),
        ]
    }

    #[test]
    fn the_nearest_example_comes_with_its_task_and_its_id() {
        let answer = nearest("Write AVAP code that sums numbers in a loop", &pool(), &[]);
        assert_eq!(
            answer.text,
            "Here is the nearest validated example, “Sum the numbers from 1 to 5 with a loop (033-sum)”, because no model is configured:\n\n```avap\nstartLoop(i, 1, 5)\nendLoop()\n```"
        );
    }

    #[test]
    fn a_code_block_of_a_source_is_cited() {
        let text =
            "## Loops\n\nTo add numbers, count in a loop.\n\n```avap\nstartLoop(i, 1, 5)\nendLoop()\n```\n";
        let source = Source::given("d", SourceKind::Doc, text, 1);
        let answer = nearest("write a loop that adds numbers", &[], &[source]);
        assert!(
            answer.text.contains("To add numbers, count in a loop [^1].\n\n```avap\n"),
            "{}",
            answer.text
        );
    }

    #[test]
    fn a_spanish_request_finds_it_too() {
        let answer = nearest("Escribe código que lea un parámetro y devuelva su longitud", &pool(), &[]);
        assert!(
            answer.text.starts_with("Aquí tienes el ejemplo") && answer.text.contains("addParam"),
            "{}",
            answer.text
        );
    }

    #[test]
    fn example_without_a_word_of_the_request_is_withheld() {
        let pool = [
            example("101-order", "Choose the sort order of a query", "addParam(\"order\", order)\n"),
            example("057-reverse", "Reverse a list", "numbers = [1, 2]\n"),
            example("016-celsius", "Convert Celsius to Fahrenheit", "addParam(\"celsius\", celsius)\n"),
            example(
                "170-digest",
                "A function that returns the SHA-256 of a text",
                "encodeSHA256(text, digest)\n",
            ),
        ];
        let shown = |request: &str| nearest(request, &pool, &[]).text;
        assert!(shown("Write code that reverses a list").contains("057-reverse"));
        assert!(shown("Write code that converts Celsius to Fahrenheit").contains("016-celsius"));
        assert!(shown("Write a function that returns the SHA-256 of a text").contains("170-digest"));
        for request in [
            "Write code that sorts a list",
            "Write code that reverses a string",
            "Write code that converts Fahrenheit to Celsius",
            "Write code that converts Fahrenheit into Celsius",
            "Write a function that returns the SHA-512 of a text",
        ] {
            assert_eq!(nearest(request, &pool, &[]).finish, Finish::Abstained, "{request}");
        }
    }

    #[test]
    fn words_only_in_page_code_do_not_count() {
        let text = "## Known values\n\nA list of known values is the safest check.\n\n```avap\nmessage = \"sorted\"\n```\n";
        let source = Source::given("d", SourceKind::Doc, text, 1);
        assert_eq!(nearest("Write code that sorts a list", &[], &[source]).finish, Finish::Abstained);
    }

    #[test]
    fn no_task_turns_itself_round() {
        for task in [
            "Build a JSON object and POST it to a URL",
            "Set a variable to a fixed text and return it",
            "Limit the parameter 'page' to the range from 1 to 100",
            "Call a function that adds the length of a list to the answer",
            "Convierte el parámetro 'celsius' a grados Fahrenheit y lo devuelve en la respuesta",
        ] {
            assert!(!turned(task, task), "{task}");
        }
    }

    #[test]
    fn missing_examples_are_admitted_and_never_replaced_by_another_language() {
        assert_eq!(nearest("Write a parser for PDF invoices", &pool(), &[]).finish, Finish::Abstained);
        assert_eq!(nearest("Write a Python loop that sums numbers", &pool(), &[]).finish, Finish::Abstained);
        assert_eq!(nearest("Write a loop", &[], &[]).finish, Finish::Abstained);
    }
}
