//! Conversation without a model: greetings get a fixed text; anything else re-selects from the previous answer.

use std::ops::Range;

use super::question::Question;
use super::sentence::sentences;
use super::terms::stem_set;
use super::{Composition, phrases};
use assay_domain::draft::{Finish, Generator};
use assay_text::{Language, fold, normalize, social, words};

/// What a greeting is answered with; none if the text is no greeting.
fn greeting(text: &str) -> Option<(Language, &'static str)> {
    let normalized = normalize(text);
    if !social::is_social(&normalized) {
        return None;
    }
    let joined =
        format!(" {} ", words(&normalized).iter().map(|word| word.text).collect::<Vec<_>>().join(" "));
    const HELLO: &[(&str, Language)] = &[
        ("hello", Language::English),
        ("hi", Language::English),
        ("hey", Language::English),
        ("good morning", Language::English),
        ("good afternoon", Language::English),
        ("good evening", Language::English),
        ("greetings", Language::English),
        ("hola", Language::Spanish),
        ("buenos dias", Language::Spanish),
        ("buenas tardes", Language::Spanish),
        ("buenas noches", Language::Spanish),
        ("buenas", Language::Spanish),
    ];
    const THANKS: &[(&str, Language)] = &[
        ("thanks", Language::English),
        ("thank you", Language::English),
        ("thx", Language::English),
        ("cheers", Language::English),
        ("gracias", Language::Spanish),
    ];
    const BYE: &[(&str, Language)] = &[
        ("bye", Language::English),
        ("goodbye", Language::English),
        ("see you", Language::English),
        ("adios", Language::Spanish),
        ("hasta luego", Language::Spanish),
        ("hasta pronto", Language::Spanish),
    ];
    let of = |set: &[(&str, Language)]| {
        set.iter().find(|(cue, _)| joined.contains(&format!(" {cue} "))).map(|(_, language)| *language)
    };
    if let Some(language) = of(THANKS) {
        return Some((language, phrases::welcome(language)));
    }
    if let Some(language) = of(BYE) {
        return Some((language, phrases::goodbye(language)));
    }
    of(HELLO).map(|language| (language, phrases::hello(language)))
}

/// Answers a conversational question from the previous answer, empty if there is none.
pub(crate) fn converse(text: &str, previous: &str) -> Composition {
    if let Some((_, fixed)) = greeting(text) {
        return Composition::of(Generator::Fixed, Finish::Stop, fixed);
    }
    let question = Question::of(text);
    let language = question.language;
    if previous.trim().is_empty() {
        return Composition::of(Generator::Fixed, Finish::Abstained, phrases::no_previous(language));
    }
    let folded = fold(text);
    let (prose, fences) = split(previous);
    if [
        "only the code",
        "just the code",
        "the code only",
        "solo el codigo",
        "dame el codigo",
        "show the code",
    ]
    .iter()
    .any(|cue| folded.contains(cue))
        && !fences.is_empty()
    {
        let code = fences.join("\n\n");
        return Composition::of(
            Generator::Extractive,
            Finish::Stop,
            format!("{}\n\n{code}", phrases::only_code(language)),
        );
    }
    let source_language = assay_text::detect(&prose.join(" ")).unwrap_or(Language::English);
    let mut ranked: Vec<(usize, f64)> = prose
        .iter()
        .enumerate()
        .map(|(at, sentence)| {
            let stems = stem_set(sentence, source_language);
            let hits: f64 = question
                .terms
                .iter()
                .map(|term| term.importance * term.match_in(&stems, source_language))
                .sum();
            (at, hits)
        })
        .collect();
    let matched = ranked.iter().any(|(_, hits)| *hits >= 0.9);
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let shorter = [
        "short",
        "brief",
        "summar",
        "tl;dr",
        "one sentence",
        "corto",
        "corta",
        "breve",
        "resum",
        "una frase",
    ]
    .iter()
    .any(|cue| folded.contains(cue));
    let count = if shorter { 1 } else { 3 };
    let mut chosen: Vec<usize> = if matched && !shorter {
        ranked.iter().filter(|(_, hits)| *hits >= 0.5).take(count).map(|(at, _)| *at).collect()
    } else {
        (0..prose.len().min(count)).collect()
    };
    chosen.sort_unstable();
    if chosen.is_empty() {
        let code = fences.join("\n\n");
        return Composition::of(
            Generator::Extractive,
            Finish::Stop,
            format!("{}\n\n{code}", phrases::cannot_rephrase(language)),
        );
    }
    let body: Vec<&str> = chosen.iter().map(|&at| prose[at].as_str()).collect();
    Composition::of(
        Generator::Extractive,
        Finish::Stop,
        format!("{}\n\n{}", phrases::cannot_rephrase(language), body.join(" ")),
    )
}

/// Sentences and code blocks of an answer. Our own introductions are left out.
fn split(answer: &str) -> (Vec<String>, Vec<String>) {
    let mut prose = Vec::new();
    let mut fences: Vec<String> = Vec::new();
    let mut open: Option<String> = None;
    let mut paragraph = String::new();
    let mut end = |paragraph: &mut String| {
        let text = std::mem::take(paragraph);
        let code = code_ranges(&text);
        prose.extend(sentences(&text, &code).into_iter().map(|range| text[range].to_owned()));
    };
    for line in answer.lines() {
        let bare = line.trim_start();
        if let Some(mut block) = open.take() {
            block.push('\n');
            block.push_str(line);
            let fence: String = block.chars().take_while(|c| *c == '`' || *c == '~').collect();
            if bare.trim_end() == fence {
                fences.push(block);
            } else {
                open = Some(block);
            }
        } else if bare.starts_with("```") || bare.starts_with("~~~") {
            end(&mut paragraph);
            open = Some(bare.to_owned());
        } else if bare.is_empty() || bare.starts_with('#') {
            end(&mut paragraph);
        } else {
            let item = bare.trim_start_matches(['-', '*', '+', ' ']);
            if item.len() < bare.len() && (bare.starts_with("- ") || bare.starts_with("* ")) {
                end(&mut paragraph);
            }
            if !paragraph.is_empty() {
                paragraph.push(' ');
            }
            paragraph.push_str(if bare.starts_with("- ") || bare.starts_with("* ") { item } else { bare });
        }
    }
    end(&mut paragraph);
    let ours = [Language::English, Language::Spanish].map(|l| {
        [
            phrases::cannot_rephrase(l),
            phrases::quoted(l),
            phrases::nearest_before(l),
            phrases::only_code(l),
            phrases::account_lines(l),
        ]
    });
    prose.retain(|sentence| {
        !ours
            .iter()
            .flatten()
            .any(|phrase| phrase.starts_with(sentence.as_str()) || sentence.starts_with(phrase))
    });
    (prose, fences)
}

fn code_ranges(text: &str) -> Vec<Range<usize>> {
    let ticks: Vec<usize> = text.match_indices('`').map(|(at, _)| at).collect();
    ticks.chunks_exact(2).map(|pair| pair[0]..pair[1] + 1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PREVIOUS: &str = "A loop starts with `startLoop` [^1]. The end value is included [^1].\n\n```avap\nstartLoop(i, 1, 2)\nendLoop()\n```\n\nA list has an index [^2].";

    #[test]
    fn greetings_are_fixed_texts_in_the_language_of_the_greeting() {
        assert_eq!(converse("Hello!", "").text, phrases::hello(Language::English));
        assert_eq!(converse("¡Hola! ¿Qué tal?", "").text, phrases::hello(Language::Spanish));
        assert_eq!(
            converse("thanks, that was helpful", "A loop ends.").text,
            phrases::welcome(Language::English)
        );
        assert_eq!(converse("muchas gracias", PREVIOUS).text, phrases::welcome(Language::Spanish));
        assert_eq!(converse("thanks a lot", PREVIOUS).generator, Generator::Fixed);
    }

    #[test]
    fn a_question_that_begins_with_a_greeting_is_no_greeting() {
        assert!(greeting("hi, how do I declare a loop?").is_none());
    }

    #[test]
    fn shortening_keeps_the_first_cited_sentence_and_states_its_limits() {
        let answer = converse("make it shorter", PREVIOUS);
        assert_eq!(
            answer.text,
            format!(
                "{}\n\nA loop starts with `startLoop` [^1].",
                phrases::cannot_rephrase(Language::English)
            )
        );
        assert_eq!(answer.generator, Generator::Extractive);
    }

    #[test]
    fn words_of_the_question_choose_the_sentence() {
        assert!(
            converse("what did you say about lists?", PREVIOUS).text.ends_with("A list has an index [^2].")
        );
    }

    #[test]
    fn only_the_code_gives_the_code() {
        assert!(
            converse("just the code please", PREVIOUS)
                .text
                .ends_with("```avap\nstartLoop(i, 1, 2)\nendLoop()\n```")
        );
    }

    #[test]
    fn without_a_previous_answer_it_abstains() {
        assert_eq!(converse("explain that again", "").finish, Finish::Abstained);
    }
}
