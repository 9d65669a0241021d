//! What is measured of a window: how well it, its headings and its form answer the question. A fitted score joins it.

use std::collections::{BTreeMap, BTreeSet};

use assay_domain::evidence::Source;

use super::form::is_pointer;
use super::passage::{Passages, Shape};
use super::question::Question;
use super::score::Ranking;
use super::terms::{is_stop, stem_set, words};
use super::window::Window;
use assay_text::{Language, fold};

/// Names of the measures of a window, in their order.
pub const NAMES: &[&str] = &[
    "rank",
    "same_document",
    "same_language",
    "cover_own",
    "cover_seen",
    "cover_best",
    "cover_code",
    "cover_source",
    "uncovered",
    "unknown_name",
    "score_best",
    "score_mean",
    "heading",
    "title",
    "asks",
    "form",
    "focus",
    "pairs",
    "run",
    "symbols",
    "no_symbol",
    "pointer",
    "dangles",
    "place",
    "words",
    "units",
    "variety",
    "code",
    "listed",
    "rows",
    "digits",
    "recall",
    "recall_headed",
    "recall_source",
    "missing",
    "missing_headed",
    "bigrams",
];

/// What the odds of an answer weigh besides the measures of the best window.
pub const BESIDES: &[&str] = &["score", "margin", "terms", "named", "doubtful"];

/// The question and all that was found, as far as every window needs it.
pub(crate) struct Scene<'a> {
    pub(crate) question: &'a Question,
    pub(crate) passages: &'a Passages,
    pub(crate) ranking: &'a Ranking,
    symbols: Vec<String>,
    asked: Vec<String>,
    covered: Vec<f64>,
    loose: Loose,
    doubtful: bool,
}

impl<'a> Scene<'a> {
    pub(crate) fn new(
        text: &str,
        question: &'a Question,
        passages: &'a Passages,
        ranking: &'a Ranking,
        sources: &'a [Source],
        doubtful: bool,
    ) -> Self {
        let covered = (0..sources.len())
            .map(|source| {
                let units = (0..passages.units.len()).filter(|&unit| passages.units[unit].source == source);
                ranking.coverage(&union(units.map(|unit| &ranking.scored[unit].seen), question.terms.len()))
            })
            .collect();
        let asked = words(text).into_iter().map(|word| fold(&word.text).into_owned()).collect();
        let loose = Loose::new(text, question.language, sources);
        Self { question, passages, ranking, symbols: symbols(text), asked, covered, loose, doubtful }
    }

    /// The measures of one window, as [`NAMES`] has them.
    pub(crate) fn measure(&self, window: &Window) -> Vec<f64> {
        let (units, question) = (&self.passages.units, self.question);
        let scored: Vec<_> = window.units.iter().map(|&unit| &self.ranking.scored[unit]).collect();
        let first = &units[window.first()];
        let language = self.passages.languages[first.source];
        let count = question.terms.len();
        let most = |value: &dyn Fn(&super::score::Scored) -> f64| {
            scored.iter().map(|scored| value(scored)).fold(f64::NEG_INFINITY, f64::max)
        };
        let code: BTreeSet<String> = window
            .fences
            .iter()
            .flat_map(|&fence| stem_set(&self.passages.fences[fence].code, language))
            .collect();
        let in_code: Vec<f64> =
            question.terms.iter().map(|term| 0.8 * term.match_in(&code, language)).collect();
        let own = union(scored.iter().map(|scored| &scored.own).chain([&in_code]), count);
        let seen = union(scored.iter().map(|scored| &scored.seen).chain([&in_code]), count);
        let missing = |t: &usize| seen[*t] < 0.4;
        let weight = |t: usize| self.ranking.weights[t];
        let text = self.text(window);
        let folded = fold(&text);
        let held = self.symbols.iter().filter(|symbol| folded.contains(symbol.as_str())).count() as f64;
        let symbols = self.symbols.len() as f64;
        let length: usize = window.units.iter().map(|&unit| words(&units[unit].text).len()).sum();
        let share = |test: &dyn Fn(usize) -> bool| {
            window.units.iter().filter(|&&unit| test(unit)).count() as f64 / window.units.len() as f64
        };
        let flag = |test: bool| f64::from(u8::from(test));
        let content: BTreeSet<&String> = scored.iter().flat_map(|scored| &scored.stems).collect();
        let loose =
            self.loose.measure(first.source, &folded, &self.passages.sections[first.section].headings);
        let mut out = vec![
            1.0 / (1.0 + first.source as f64),
            self.same_document(first.source),
            flag(language == question.language),
            self.ranking.coverage(&own),
            self.ranking.coverage(&seen),
            most(&|scored| self.ranking.coverage(&scored.own)),
            self.ranking.coverage(&in_code),
            self.covered[first.source],
            (0..count).filter(missing).map(weight).fold(0.0, f64::max),
            flag((0..count).filter(missing).any(|t| question.terms[t].named)),
            most(&|scored| scored.score),
            scored.iter().map(|scored| scored.score).sum::<f64>() / scored.len() as f64,
            most(&|scored| scored.heading),
            scored.first().map_or(0.0, |scored| scored.title),
            flag(scored.iter().any(|scored| scored.asked)),
            most(&|scored| scored.form),
            most(&|scored| scored.focus),
            most(&|scored| scored.pairs),
            self.run(&text),
            if symbols == 0.0 { 0.0 } else { held / symbols },
            if symbols == 0.0 { 0.0 } else { 1.0 - held / symbols },
            share(&|unit| is_pointer(&units[unit])),
            flag(scored.first().is_some_and(|scored| scored.dangling)),
            1.0 / (1.0 + first.in_section as f64),
            (length as f64).ln_1p(),
            window.units.len() as f64,
            content.len() as f64 / (content.len() as f64 + 20.0),
            flag(!window.fences.is_empty()),
            share(&|unit| matches!(units[unit].shape, Shape::Item { .. })),
            share(&|unit| matches!(units[unit].shape, Shape::Row { .. })),
            flag(text.chars().any(|c| c.is_ascii_digit())),
        ];
        out.extend(loose);
        out
    }

    /// What is known besides, as [`BESIDES`] has it: of a best window with this score and this lead over other sources.
    pub(crate) fn besides(&self, score: f64, margin: f64) -> [f64; 5] {
        let terms = &self.question.terms;
        let flag = |test: bool| f64::from(u8::from(test));
        let named = terms.iter().any(|term| term.named);
        [score, margin, terms.len() as f64, flag(named), flag(self.doubtful)]
    }

    /// The words and the code of the window.
    pub(crate) fn text(&self, window: &Window) -> String {
        let units = window.units.iter().map(|&unit| self.passages.units[unit].text.as_str());
        let fences = window.fences.iter().map(|&fence| self.passages.fences[fence].code.as_str());
        units.chain(fences).collect::<Vec<_>>().join("\n")
    }

    /// Longest run of the question's words that stands in the text, as a share of the question.
    fn run(&self, text: &str) -> f64 {
        let text: Vec<String> = words(text).into_iter().map(|word| fold(&word.text).into_owned()).collect();
        let mut longest = 0;
        for start in 0..self.asked.len() {
            for at in 0..text.len() {
                let same = self.asked[start..].iter().zip(&text[at..]).take_while(|(a, b)| a == b).count();
                longest = longest.max(same);
            }
        }
        longest as f64 / self.asked.len().max(1) as f64
    }

    /// Share of the sources that are of the same document.
    fn same_document(&self, source: usize) -> f64 {
        let documents = &self.passages.documents;
        let same = documents.iter().filter(|other| **other == documents[source]).count();
        same as f64 / documents.len() as f64
    }
}

/// The question's words by their beginnings, with their rarity among the sources: they meet forms that stems miss.
struct Loose {
    asked: BTreeMap<String, f64>,
    pairs: BTreeSet<(String, String)>,
    /// For each source: the weighted share of the question that it holds.
    recall: Vec<f64>,
}

impl Loose {
    fn new(text: &str, language: Language, sources: &[Source]) -> Self {
        let order: Vec<String> = words(text)
            .iter()
            .filter(|word| !is_stop(&word.text, language))
            .flat_map(|word| beginnings(&word.text))
            .collect();
        let held: Vec<BTreeSet<String>> = sources
            .iter()
            .map(|source| {
                let headings = source.headings.join(" ");
                beginnings(&format!("{} {} {headings}", source.text, source.title)).into_iter().collect()
            })
            .collect();
        let count = held.len().max(1) as f64;
        let asked: BTreeMap<String, f64> = order
            .iter()
            .map(|word| {
                let holding = held.iter().filter(|held| held.contains(word)).count() as f64;
                let rarity = ((count + 1.0) / (holding + 0.5)).ln() / (2.0 * count + 2.0).ln();
                (word.clone(), 0.15 + rarity)
            })
            .collect();
        let recall = held.iter().map(|held| recall(&asked, held)).collect();
        let pairs = order.windows(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect();
        Self { asked, pairs, recall }
    }

    /// The last six measures: of a window's text, and with its headings.
    fn measure(&self, source: usize, text: &str, headings: &[String]) -> [f64; 6] {
        let order = beginnings(text);
        let own: BTreeSet<String> = order.iter().cloned().collect();
        let headed: BTreeSet<String> = own.iter().cloned().chain(beginnings(&headings.join(" "))).collect();
        let missing = |held: &BTreeSet<String>| {
            let open = self.asked.iter().filter(|(word, _)| !held.contains(*word));
            open.map(|(_, weight)| *weight).fold(0.0, f64::max)
        };
        let near = |step: usize| order.iter().zip(order.iter().skip(step));
        let pairs: BTreeSet<(&String, &String)> = near(1).chain(near(2)).collect();
        let met = self.pairs.iter().filter(|(one, two)| pairs.contains(&(one, two))).count();
        [
            recall(&self.asked, &own),
            recall(&self.asked, &headed),
            self.recall[source],
            missing(&own),
            missing(&headed),
            met as f64 / self.pairs.len().max(1) as f64,
        ]
    }
}

/// Weighted share of the question's words that are held.
fn recall(asked: &BTreeMap<String, f64>, held: &BTreeSet<String>) -> f64 {
    let all: f64 = asked.values().sum();
    let met: f64 = asked.iter().filter(|(word, _)| held.contains(*word)).map(|(_, weight)| weight).sum();
    if all > 0.0 { met / all } else { 0.0 }
}

/// The first five letters of each word that is longer, and the singular of shorter ones; folded.
fn beginnings(text: &str) -> Vec<String> {
    fold(text)
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(|word| match word.char_indices().nth(5) {
            Some((end, _)) => &word[..end],
            None if word.len() > 3 => word.strip_suffix('s').unwrap_or(word),
            None => word,
        })
        .map(str::to_owned)
        .collect()
}

/// Best match of each term.
fn union<'v>(matches: impl IntoIterator<Item = &'v Vec<f64>>, count: usize) -> Vec<f64> {
    let mut union = vec![0.0_f64; count];
    for matches in matches {
        union.iter_mut().zip(matches).for_each(|(have, seen)| *have = have.max(*seen));
    }
    union
}

/// What the question writes as a program does: `--flag`, `&str`, `#[x]`, `a::b`, what stands in backticks; folded.
fn symbols(text: &str) -> Vec<String> {
    let mut out: Vec<String> =
        text.split('`').skip(1).step_by(2).map(|code| fold(code).into_owned()).collect();
    for (at, part) in text.split('`').enumerate() {
        if at % 2 == 1 {
            continue;
        }
        for word in part.split_whitespace() {
            let bare = word.trim_matches(|c: char| matches!(c, ',' | ';' | '¿' | '¡' | '"' | '\''));
            let bare = bare.trim_end_matches(['.', ':', '!', ',']);
            let bare =
                if bare.chars().any(char::is_alphanumeric) { bare.trim_end_matches('?') } else { bare };
            let inner = bare.chars().any(|c| !c.is_alphanumeric() && !matches!(c, '-' | '\'' | '’' | '/'));
            if bare.len() > 1 && (inner || bare.starts_with("--")) {
                out.push(fold(bare).into_owned());
            }
        }
    }
    out.retain(|symbol| !symbol.trim().is_empty());
    out
}
