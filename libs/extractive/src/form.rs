//! The form of a sentence against the kind of the question: instructions for "how", reasons for "why", figures for
//! "how many"; and sentences that cannot stand alone or only point elsewhere.

use super::passage::{Passages, Shape, Unit};
use super::question::{Kind, Question};
use super::subject::definition;
use super::terms::{stem, words};
use assay_text::{Language, fold};

/// Beginnings that need the sentence before them; separated by `|`, folded.
const OPENERS: &str = include_str!("data/openers.txt");
/// Beginnings that send the reader elsewhere.
const POINTERS: &str = include_str!("data/pointers.txt");
/// Verbs that begin an instruction.
const IMPERATIVES: &str = include_str!("data/imperatives.txt");

fn cues(list: &str) -> impl Iterator<Item = &str> {
    list.split(['|', '\n']).filter(|cue| !cue.is_empty())
}

fn starts(text: &str, list: &str) -> bool {
    cues(list).any(|cue| text.starts_with(cue))
}

fn holds(text: &str, list: &str) -> bool {
    cues(list).any(|cue| text.contains(cue))
}

/// Whether a folded sentence begins with a word that needs the sentence before it.
pub(crate) fn dangles(folded: &str) -> bool {
    let text = folded.trim_start_matches(|c: char| !c.is_alphanumeric());
    starts(text, OPENERS)
}

/// Whether a unit only sends the reader somewhere else.
pub(crate) fn is_pointer(unit: &Unit) -> bool {
    points_elsewhere(&fold(&unit.text))
}

/// Whether a folded sentence only sends the reader somewhere else.
fn points_elsewhere(folded: &str) -> bool {
    let text = folded.trim_start_matches(|c: char| !c.is_alphanumeric());
    if text.starts_with("http:") || text.starts_with("https:") {
        return true;
    }
    let short = text.len() < 160;
    starts(text, POINTERS)
        || (short && holds(text, " explains | explica ") && text.contains(" page"))
        || (short
            && holds(
                text,
                " for details.| for more details| for details of| section for | documentation for details|see the ",
            ))
}

/// Whether a folded word is one of the question's own words.
fn begins_with_asked_verb(question: &Question, word: &str, language: Language) -> bool {
    let stems = [stem(word, language)];
    question.terms.iter().any(|term| term.match_word(&stems, language) >= 0.4)
}

/// Agreement of a unit's form with the kind of the question, about -0.3 to 0.6. `lower` is the folded text.
pub(crate) fn form(
    question: &Question,
    unit: &Unit,
    lower: &str,
    index: usize,
    passages: &Passages,
    heading: f64,
) -> f64 {
    let text = lower.trim_start_matches(|c: char| !c.is_alphanumeric());
    let first = text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let any = |cues: &str| holds(text, cues);
    let lead = unit.leads() && leads_list(index, passages);
    match question.kind {
        Kind::Definition => definition(question, unit, passages, heading),
        Kind::HowTo => {
            let mut form: f64 = 0.0;
            if IMPERATIVES.split_whitespace().any(|verb| verb == first) || first == "to" || first == "para" {
                form += 0.12;
            }
            let second = text
                .split(|c: char| !c.is_alphanumeric())
                .filter(|word| !word.is_empty())
                .nth(usize::from(first == "to" || first == "para"));
            if second
                .is_some_and(|verb| begins_with_asked_verb(question, verb, passages.languages[unit.source]))
            {
                form += 0.14;
            }
            if any(
                "should be |must be |should have |you can |you need to |you must |can be |is done |by using|by setting|by adding|by running| with the command|to do so|you should |let's |the command |se puede|se usa|se declara|se escribe|se recorre|la orden |hay que|puedes ",
            ) {
                form += 0.1;
            }
            if text.contains('`') || lower.contains('`') {
                form += 0.06;
            }
            if fence_follows(unit, passages) {
                form += 0.1;
            }
            if starts(text, "you should see|you should now|you will see|once |if everything") {
                form -= 0.25;
            }
            form.min(0.36)
        }
        Kind::Why => {
            let reason = any(
                "because|since |so that|due to|reason|in order to|to avoid|avoids|advantage|ensures|as it |allows|makes it|would |porque|ya que|para evitar|debido|de modo que",
            );
            if reason {
                0.16
            } else if lead {
                0.12
            } else {
                0.0
            }
        }
        Kind::Figure => {
            let digit = text.chars().any(|c| c.is_ascii_digit());
            let spelled = any(
                " one | two | three | four | five | six | ten | dozen| hundred| thousand| million| once | twice | dos | tres | cuatro | cinco | diez ",
            );
            if digit {
                0.16
            } else if spelled {
                0.12
            } else {
                -0.12
            }
        }
        Kind::Enumeration => {
            let counted =
                any(" four | three | two | following| types| kinds|tipos| such as |including|include ");
            let listed = lower.matches(',').count() >= 2;
            if any("do not exist|does not exist|no existe") {
                -0.1
            } else if lead {
                0.22
            } else if counted {
                0.12
            } else if listed {
                0.08
            } else {
                0.0
            }
        }
        Kind::Who => {
            let name = words(&unit.text).iter().skip(1).filter(|word| word.is_capitalised()).count() >= 2;
            let deed = any(" by |created|founded|started|sponsored|maintained| por ");
            if name && deed { 0.2 } else { -0.15 }
        }
        Kind::Difference => {
            let contrast = any(
                "while |whereas|unlike| but |instead|rather than|in contrast|compared|difference|differs|however|on the other hand|rule of thumb|pick between|choose|prefer |whether to use|es mejor|conviene|mientras|en cambio|pero |a diferencia",
            );
            if contrast { 0.2 } else { 0.0 }
        }
        Kind::YesNo => {
            let answers = starts(text, "yes|no,|no.|si,|sí");
            if answers && heading > 0.5 {
                0.2
            } else if any("can |cannot|must|should|not |supports|does not|allowed|puede|debe|no ") {
                0.06
            } else {
                0.0
            }
        }
        Kind::Other => 0.0,
    }
}

/// Whether a list follows the unit.
pub(crate) fn leads_list(index: usize, passages: &Passages) -> bool {
    let unit = &passages.units[index];
    passages.units.get(index + 1).is_some_and(|next| {
        next.source == unit.source && next.section == unit.section && matches!(next.shape, Shape::Item { .. })
    })
}

/// Whether a unit speaks of the code that follows it and means little without.
pub(crate) fn announces_code(unit: &Unit) -> bool {
    const CUES: &str = "program below|example below|code below|loop below|configuration below|below is|following program|following example|following code|siguiente programa|programa siguiente|siguiente ejemplo|ejemplo siguiente";
    holds(&fold(&unit.text), CUES)
}

/// Whether a code block follows the unit's block.
pub(crate) fn fence_follows(unit: &Unit, passages: &Passages) -> bool {
    passages.fences.iter().any(|fence| {
        fence.source == unit.source && fence.section == unit.section && fence.block == unit.block + 1
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_that_need_another_are_known_in_both_languages() {
        for text in [
            "this is so.",
            "however, it fails.",
            "*for example*, run it.",
            "esto es asi.",
            "sin embargo, falla.",
        ] {
            assert!(dangles(text), "{text}");
        }
        for text in ["a counter only grows.", "thistle grows.", "un bucle cuenta."] {
            assert!(!dangles(text), "{text}");
        }
    }

    #[test]
    fn pointers_are_known() {
        for text in
            ["see the overview.", "for more information, read on.", "https://example.org is where it is."]
        {
            assert!(points_elsewhere(text), "{text}");
        }
        assert!(!points_elsewhere("a label is a pair of key and value."));
    }
}
