//! Whether a sentence says what something is or does: "X is a …", "The command x writes …", "… is called an X".

use std::collections::BTreeSet;

use super::passage::{Passages, Unit};
use super::question::Question;
use super::terms::{stems_of, words};
use assay_text::{Language, fold};

/// How much a unit looks like "X is …" for the X that is asked.
pub(crate) fn definition(question: &Question, unit: &Unit, passages: &Passages, heading: f64) -> f64 {
    let asked: Vec<usize> =
        (0..question.terms.len()).filter(|&t| question.terms[t].importance > 0.5).collect();
    let strength = subject(question, &asked, unit, passages);
    if strength > 0.0 {
        return if heading > 0.9 && unit.in_section == 0 { strength.max(0.6) } else { strength };
    }
    if heading > 0.75 && unit.in_section == 0 { 0.12 } else { -0.12 }
}

const DETERMINERS: &str = "a an the any every each un una el la los las cada";
const GENERIC: &str = "command function method operator statement keyword class option flag setting module library type word orden función funcion método operador comando tipo palabra";
const SUBORDINATE: &str = "since if when once while because although for as after before unless with in on at by to from whether that by using si cuando como porque aunque para en con al por";
const COPULAS: &str = "is are means refers represents denotes es son significa representa";
const VERBS_SPANISH: &str = "permite sirve guarda escribe lee devuelve crea añade ejecuta convierte calcula extrae comprueba envía muestra cierra empieza termina";

/// Strength of "X is a …" or "X does …" where X are the asked terms: full where the sentence begins with them and with
/// nothing else.
fn subject(question: &Question, terms: &[usize], unit: &Unit, passages: &Passages) -> f64 {
    let language = passages.languages[unit.source];
    let whole = subject_of(question, terms, &unit.text, language);
    // "Similar to a histogram, a summary samples observations": the subject may follow a short clause.
    let behind = unit.text.split_once(", ").filter(|(clause, _)| clause.split_whitespace().count() <= 6);
    let clause = behind.map_or(0.0, |(_, rest)| 0.9 * subject_of(question, terms, rest, language));
    whole.max(clause)
}

/// The same for one clause.
fn subject_of(question: &Question, terms: &[usize], text: &str, language: Language) -> f64 {
    let is = |list: &str, word: &str| list.split(' ').any(|entry| entry == word);
    let plain = without_brackets(text);
    let all = words(&plain);
    let named = |from: usize, to: usize| {
        let stems: BTreeSet<String> = all[from.min(all.len())..to.min(all.len())]
            .iter()
            .flat_map(|word| stems_of(word, language))
            .collect();
        terms.iter().filter(|&&t| question.terms[t].match_in(&stems, language) >= 0.9).count()
    };
    if terms.is_empty() {
        return 0.0;
    }
    // "… is called an instance".
    if let Some(at) =
        all.iter().position(|word| matches!(&*fold(&word.text), "called" | "llama" | "llamado" | "llamada"))
        && at > 0
        && is(COPULAS, &fold(&all[at - 1].text))
    {
        let recall = named(at + 1, at + 4) as f64 / terms.len() as f64;
        if recall >= 0.5 {
            return 0.5 * recall;
        }
    }
    let Some(first) = all.first().map(|word| fold(&word.text)) else { return 0.0 };
    if is(SUBORDINATE, &first) || plain.trim_start().starts_with('(') {
        return 0.0;
    }
    let start = usize::from(is(DETERMINERS, &first));
    let verb = (start + 1..all.len().min(start + 8)).find(|&at| {
        let word = fold(&all[at].text);
        let third_person = language == Language::English
            && word.len() > 3
            && word.ends_with('s')
            && !word.ends_with("ss")
            && !all[at].is_capitalised()
            && named(at, at + 1) == 0
            && named(start, at) == terms.len();
        is(COPULAS, &word)
            || third_person
            || (language == Language::Spanish && is(VERBS_SPANISH, &all[at].text.to_lowercase()))
    });
    let Some(verb) = verb else { return 0.0 };
    let hits = named(start, verb);
    if hits == 0 {
        return 0.0;
    }
    let others = all[start..verb]
        .iter()
        .filter(|word| {
            let stems = stems_of(word, language);
            !is(GENERIC, &word.text.to_lowercase())
                && terms.iter().all(|&t| question.terms[t].match_word(&stems, language) < 0.9)
        })
        .count();
    let recall = hits as f64 / terms.len() as f64;
    let precision = hits as f64 / (hits + others) as f64;
    let copula = is(COPULAS, &fold(&all[verb].text));
    let article = all.get(verb + 1).is_some_and(|word| is(DETERMINERS, &fold(&word.text)));
    let generic = matches!(&*first, "a" | "an" | "un" | "una");
    let weight = match (copula && article, generic, copula) {
        (true, _, _) | (_, true, _) => 0.6,
        (_, _, true) => 0.4,
        _ => 0.45,
    };
    weight * 2.0 * recall * precision / (recall + precision)
}

/// The text without what stands in round brackets.
fn without_brackets(text: &str) -> String {
    let mut depth = 0usize;
    let opened = text.trim_start().starts_with('(');
    text.chars()
        .filter(|c| {
            if *c == '(' && !opened {
                depth += 1;
            }
            let keep = depth == 0;
            if *c == ')' && !opened {
                depth = depth.saturating_sub(1);
            }
            keep
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use assay_domain::evidence::{Source, SourceKind};

    fn strength(question: &str, sentence: &str) -> f64 {
        let question = Question::of(question);
        let passages = Passages::of(&[Source::given("s", SourceKind::Doc, sentence, 1)]);
        let asked: Vec<usize> = (0..question.terms.len()).collect();
        subject(&question, &asked, &passages.units[0], &passages)
    }

    #[test]
    fn a_definition_outdoes_a_mention() {
        let asked = "What is a counter?";
        assert!(strength(asked, "A _counter_ is a cumulative metric.") > 0.5);
        assert!(strength(asked, "Such a metric is called a counter.") > 0.4);
        assert!(strength(asked, "The first argument of a counter is its name.") < 0.4);
        assert!(strength(asked, "Since the counter is a number, it can be added.") < 0.1);
        assert!(
            strength("What does addParam do?", "The command `addParam(name, target)` reads a parameter.")
                > 0.4
        );
        assert!(strength("¿Qué es un contador?", "Un contador es una métrica que solo crece.") > 0.5);
    }
}
