//! How well each unit of the sources answers the question: idf-weighted coverage of the question's terms, the headings
//! above it, its form against the form the question asks for, and its place.

use std::collections::BTreeSet;

use super::language::{Language, fold};
use super::passage::{Passages, Shape, Unit};
use super::question::{Kind, Question};
use super::terms::{content_stems, stem_set, words};

/// What is known of one unit.
#[derive(Debug, Clone)]
pub(crate) struct Scored {
    /// All in all; about 0 to 1.6.
    pub(crate) score: f64,
    /// Matches of each term in the unit's own words, 0 to 1.
    pub(crate) own: Vec<f64>,
    /// Matches of each term, headings counted in part.
    pub(crate) seen: Vec<f64>,
    /// Agreement of the nearest heading with the question, 0 to 1.
    pub(crate) heading: f64,
    /// Agreement of its form with the question's kind.
    pub(crate) form: f64,
    /// Share of its content words that the question asks about, doubled, at most 1.
    pub(crate) focus: f64,
    /// Content stems of the unit.
    pub(crate) stems: BTreeSet<String>,
    /// Whether it cannot stand without the sentence before it.
    pub(crate) dangling: bool,
}

/// All units, scored, with the weights of the terms.
#[derive(Debug, Clone)]
pub(crate) struct Ranking {
    /// One for each unit, in the units' order.
    pub(crate) scored: Vec<Scored>,
    /// Weight of each term; they sum to 1 unless there are none.
    pub(crate) weights: Vec<f64>,
    /// Whether a term occurs anywhere in the sources, by word or heading, better than by a far synonym.
    pub(crate) known: Vec<bool>,
}

impl Ranking {
    /// Weighted share of the question that a vector of matches covers.
    pub(crate) fn coverage(&self, matches: &[f64]) -> f64 {
        self.weights.iter().zip(matches).map(|(weight, matched)| weight * matched).sum()
    }

    /// Scores every unit.
    pub(crate) fn of(question: &Question, passages: &Passages) -> Self {
        let sections: Vec<Context> =
            (0..passages.sections.len()).map(|index| Context::of(index, question, passages)).collect();
        let bodies: Vec<(BTreeSet<String>, Vec<f64>)> = passages
            .units
            .iter()
            .map(|unit| {
                let language = passages.languages[unit.source];
                let stems = stem_set(&unit.text, language);
                let own = question.terms.iter().map(|term| term.match_in(&stems, language)).collect();
                (stems, own)
            })
            .collect();
        let weights = weights(question, passages, &bodies, &sections);
        let known = (0..question.terms.len())
            .map(|t| {
                bodies.iter().any(|(_, own)| own[t] >= 0.5)
                    || sections.iter().any(|section| section.matches[t] >= 0.5)
            })
            .collect();
        let mut ranking = Self { scored: Vec::with_capacity(bodies.len()), weights, known };
        for (index, (unit, (_, own))) in passages.units.iter().zip(bodies).enumerate() {
            let context = &sections[unit.section];
            let scored = ranking.score(index, unit, own, context, question, passages);
            ranking.scored.push(scored);
        }
        ranking
    }

    #[allow(clippy::too_many_arguments)]
    fn score(
        &self,
        index: usize,
        unit: &Unit,
        own: Vec<f64>,
        context: &Context,
        question: &Question,
        passages: &Passages,
    ) -> Scored {
        let language = passages.languages[unit.source];
        let lower = fold(&unit.text);
        let count = words(&unit.text).len();
        let seen: Vec<f64> =
            own.iter().zip(&context.matches).map(|(own, above)| own.max(above * 0.6)).collect();
        let heading = context.agreement(self, question);
        let near = 1.0 / (1.0 + 0.35 * unit.in_section as f64);
        let content = content_stems(&unit.text, language);
        let focus = focus(question, &own, &content, language);
        let form = form(question, unit, &lower, index, passages, heading);
        let dangling = dangles(&lower) && !(heading > 0.6 && unit.in_section == 0);
        let mut score = 0.5 * self.coverage(&seen) + 0.3 * self.coverage(&own);
        score += 0.12 * pairs(question, &own, &unit.text, language, passages);
        let touched =
            own.iter().any(|own| *own >= 0.5) || matches!(question.kind, Kind::YesNo | Kind::Why | Kind::Who);
        let focused = if matches!(question.kind, Kind::Difference | Kind::Definition) { 0.32 } else { 0.2 };
        score += if touched { 0.4 } else { 0.24 } * heading * near + focused * focus;
        score += 0.2 * self.coverage(&context.title);
        score += form;
        score += 0.1 / (1.0 + unit.source as f64);
        score += if unit.in_section == 0 { 0.04 } else { 0.0 };
        if points_elsewhere(&lower) {
            score -= 0.8;
        }
        if lower.ends_with('?') || lower.starts_with("http") {
            score -= 0.6;
        }
        if dangling {
            score -= 0.06;
        }
        if question.kind == Kind::Definition && count < 8 {
            score -= 0.08;
        }
        if count < 4 && !matches!(unit.shape, Shape::Item { .. } | Shape::Row { .. }) && heading < 0.6 {
            score -= 0.2;
        }
        if count > 30 {
            score -= (0.004 * (count - 30) as f64).min(0.14);
        }
        Scored { score, own, seen, heading, form, focus, stems: content, dangling }
    }
}

/// Share of the unit's content words that the question asks about.
fn focus(question: &Question, own: &[f64], content: &BTreeSet<String>, language: Language) -> f64 {
    if content.is_empty() {
        return 0.0;
    }
    let hits = content
        .iter()
        .filter(|stem| {
            let alone: BTreeSet<String> = std::iter::once((*stem).clone()).collect();
            question
                .terms
                .iter()
                .zip(own)
                .any(|(term, own)| *own >= 0.5 && term.match_in(&alone, language) >= 0.5)
        })
        .count();
    (2.0 * hits as f64 / content.len() as f64).min(1.0)
}

/// What stands above a section, matched with the question.
struct Context {
    /// Match of each term in any heading above.
    matches: Vec<f64>,
    /// Match of each term in the title of the document.
    title: Vec<f64>,
    /// Match of each term in the nearest heading alone.
    nearest: Vec<f64>,
    /// Content words of the nearest heading.
    nearest_size: usize,
}

impl Context {
    fn of(index: usize, question: &Question, passages: &Passages) -> Self {
        let section = &passages.sections[index];
        let language = passages
            .units
            .iter()
            .find(|unit| unit.section == index)
            .map_or(Language::English, |unit| passages.languages[unit.source]);
        let above = stem_set(&section.headings.join(" \n "), language);
        let nearest = stem_set(section.nearest(), language);
        let of = |stems: &BTreeSet<String>| {
            question.terms.iter().map(|term| term.match_in(stems, language)).collect()
        };
        Self {
            title: of(&stem_set(section.headings.first().map_or("", String::as_str), language)),
            matches: of(&above),
            nearest: of(&nearest),
            nearest_size: content_stems(section.nearest(), language).len(),
        }
    }

    /// Harmonic mean of how much of the question the heading covers and how much of the heading the question covers.
    fn agreement(&self, ranking: &Ranking, question: &Question) -> f64 {
        let recall = ranking.coverage(&self.nearest);
        if recall <= 0.0 || self.nearest_size == 0 {
            return 0.0;
        }
        let matched = self.nearest.iter().zip(&question.terms).filter(|(m, _)| **m >= 0.4).count();
        let precision = (matched as f64 / self.nearest_size as f64).min(1.0);
        2.0 * recall * precision / (recall + precision)
    }
}

/// Weight of each term: its importance times its rarity among the units, scaled to sum 1. A term that occurs nowhere
/// is as rare as can be, so that evidence which misses it covers little.
fn weights(
    question: &Question,
    passages: &Passages,
    bodies: &[(BTreeSet<String>, Vec<f64>)],
    sections: &[Context],
) -> Vec<f64> {
    let count = bodies.len() as f64;
    let raw: Vec<f64> = question
        .terms
        .iter()
        .enumerate()
        .map(|(t, term)| {
            let holding = bodies
                .iter()
                .zip(&passages.units)
                .filter(|((_, own), unit)| own[t] >= 0.9 || sections[unit.section].nearest[t] >= 0.9)
                .count() as f64;
            let rarest = match term.importance {
                weak if weak < 0.5 => 0.6,
                verb if verb < 1.0 => 1.2,
                _ => 3.0,
            };
            term.importance * ((count + 1.0) / (holding + 0.5)).ln().clamp(0.4, rarest)
        })
        .collect();
    let sum: f64 = raw.iter().sum();
    if sum > 0.0 { raw.into_iter().map(|weight| weight / sum).collect() } else { raw }
}

/// Share of neighbouring terms of the question that also stand near one another in the unit.
fn pairs(question: &Question, own: &[f64], text: &str, language: Language, _: &Passages) -> f64 {
    if question.terms.len() < 2 {
        return 0.0;
    }
    let places: Vec<Vec<usize>> = {
        let words: Vec<BTreeSet<String>> = words(text)
            .iter()
            .map(|word| super::terms::stems_of(word, language).into_iter().collect())
            .collect();
        question
            .terms
            .iter()
            .map(|term| (0..words.len()).filter(|&i| term.match_in(&words[i], language) >= 0.9).collect())
            .collect()
    };
    let near = (1..question.terms.len())
        .filter(|&t| {
            own[t - 1] > 0.0
                && own[t] > 0.0
                && places[t - 1].iter().any(|&a| places[t].iter().any(|&b| a.abs_diff(b) <= 2))
        })
        .count();
    near as f64 / (question.terms.len() - 1) as f64
}

/// Whether a folded sentence begins with a word that needs the sentence before it.
pub(crate) fn dangles(folded: &str) -> bool {
    const OPENERS: &[&str] = &[
        "this ",
        "that ",
        "it ",
        "its ",
        "it's ",
        "these ",
        "those ",
        "they ",
        "their ",
        "however",
        "for example",
        "for instance",
        "such ",
        "also",
        "instead",
        "therefore",
        "thus",
        "hence",
        "then ",
        "in this case",
        "in that case",
        "in such",
        "in addition",
        "additionally",
        "moreover",
        "furthermore",
        "otherwise",
        "but ",
        "and ",
        "or ",
        "so ",
        "as such",
        "here ",
        "there ",
        "similarly",
        "likewise",
        "nevertheless",
        "on the other hand",
        "in contrast",
        "conversely",
        "consequently",
        "as a result",
        "because of this",
        "both ",
        "the latter",
        "the former",
        "the same",
        "another ",
        "others ",
        "yes,",
        "yes.",
        "no,",
        "no.",
        "again",
        "other ",
        "alternatively",
        "further ",
        "after that",
        "let's say",
        "now ",
        "with this",
        "with that",
        "at that",
        "the first metric",
        "finally",
        "accordingly",
        "in other words",
        "that said",
        "still,",
        "while this",
        "if so",
        "if not",
        "once done",
        "next,",
        "the above",
        "the following",
        "the program above",
        "esto ",
        "este ",
        "esta ",
        "estos ",
        "estas ",
        "eso ",
        "ese ",
        "esa ",
        "sin embargo",
        "por ejemplo",
        "ademas",
        "tambien",
        "por tanto",
        "por lo tanto",
        "asi ",
        "en este caso",
        "en ese caso",
        "entonces",
        "pero ",
        "y ",
        "ambos",
        "ambas",
        "en cambio",
        "por el contrario",
        "el programa anterior",
        "lo mismo",
        "de lo contrario",
        "si,",
        "no obstante",
    ];
    let text = folded.trim_start_matches(|c: char| !c.is_alphanumeric());
    OPENERS.iter().any(|opener| text.starts_with(opener))
}

/// Whether a unit only sends the reader somewhere else.
pub(crate) fn is_pointer(unit: &Unit) -> bool {
    points_elsewhere(&fold(&unit.text))
}

/// Whether a folded sentence only sends the reader somewhere else.
fn points_elsewhere(folded: &str) -> bool {
    const STARTS: &[&str] = &[
        "see ",
        "for more",
        "for details",
        "refer to",
        "read ",
        "please see",
        "please refer",
        "more information",
        "more details",
        "check out",
        "have a look",
        "take a look",
        "the following examples",
        "in the following",
        "this page",
        "this document",
        "this guide",
        "this tutorial",
        "in this guide",
        "in this tutorial",
        "see also",
        "info: see",
        "note: see",
        "vease",
        "ver ",
        "consulta ",
        "para mas informacion",
        "mas informacion",
        "esta pagina",
        "en esta guia",
        "instrumentation library usage documentation",
        "congratulations",
        "welcome",
        "for the purposes of this",
    ];
    let text = folded.trim_start_matches(|c: char| !c.is_alphanumeric());
    let short = text.len() < 160;
    STARTS.iter().any(|start| text.starts_with(start))
        || (short
            && [" explains ", " explica "].iter().any(|cue| text.contains(cue))
            && text.contains(" page"))
        || (short
            && [
                " for details.",
                " for more details",
                " for details of",
                " section for ",
                " documentation for details",
                "see the ",
            ]
            .iter()
            .any(|cue| text.contains(cue)))
}

const IMPERATIVES: &str = " use set run add create call configure start install write define specify enable disable pass put open save download \
    launch send declare close choose select click go navigate import register expose wrap make ensure check replace include keep give copy \
    build change edit execute reload point apply avoid prefer start stop return read loop do don try follow start store combine let \
    usa use ejecuta crea añade anade llama configura declara cierra escribe pon abre guarda recorre compara comprueba devuelve lee envia ";

/// Whether a folded word is one of the question's own words.
fn begins_with_asked_verb(question: &Question, word: &str, language: Language) -> bool {
    let stems: BTreeSet<String> = std::iter::once(super::terms::stem(word, language)).collect();
    question.terms.iter().any(|term| term.match_in(&stems, language) >= 0.4)
}

fn form(
    question: &Question,
    unit: &Unit,
    lower: &str,
    index: usize,
    passages: &Passages,
    heading: f64,
) -> f64 {
    let text = lower.trim_start_matches(|c: char| !c.is_alphanumeric());
    let first = text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let any = |cues: &[&str]| cues.iter().any(|cue| text.contains(cue));
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
            if any(&[
                "you can ",
                "you need to ",
                "you must ",
                "can be ",
                "is done ",
                "by using",
                "by setting",
                "by adding",
                "by running",
                " with the command",
                "to do so",
                "you should ",
                "let's ",
                "the command ",
                "se puede",
                "se usa",
                "se declara",
                "se escribe",
                "se recorre",
                "la orden ",
                "hay que",
                "puedes ",
            ]) {
                form += 0.1;
            }
            if text.contains('`') || lower.contains('`') {
                form += 0.06;
            }
            if fence_follows(unit, passages) {
                form += 0.1;
            }
            form.min(0.36)
        }
        Kind::Why => {
            let reason = any(&[
                "because",
                "since ",
                "so that",
                "due to",
                "reason",
                "in order to",
                "to avoid",
                "avoids",
                "advantage",
                "ensures",
                "as it ",
                "allows",
                "makes it",
                "would ",
                "porque",
                "ya que",
                "para evitar",
                "debido",
                "de modo que",
            ]);
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
            let spelled = any(&[
                " one ",
                " two ",
                " three ",
                " four ",
                " five ",
                " six ",
                " ten ",
                " dozen",
                " hundred",
                " thousand",
                " million",
                " once ",
                " twice ",
                " dos ",
                " tres ",
                " cuatro ",
                " cinco ",
                " diez ",
            ]);
            if digit {
                0.16
            } else if spelled {
                0.12
            } else {
                -0.12
            }
        }
        Kind::Enumeration => {
            let counted = any(&[
                " four ",
                " three ",
                " two ",
                " following",
                " types",
                " kinds",
                "tipos",
                " such as ",
                "including",
                "include ",
            ]);
            let listed = lower.matches(',').count() >= 2;
            if any(&["do not exist", "does not exist", "no existe"]) {
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
            let deed = any(&[" by ", "created", "founded", "started", "sponsored", "maintained", " por "]);
            if name && deed { 0.2 } else { -0.15 }
        }
        Kind::Difference => {
            let contrast = any(&[
                "while ",
                "whereas",
                "unlike",
                " but ",
                "instead",
                "rather than",
                "in contrast",
                "compared",
                "difference",
                "differs",
                "however",
                "on the other hand",
                "rule of thumb",
                "pick between",
                "choose",
                "prefer ",
                "whether to use",
                "es mejor",
                "conviene",
                "mientras",
                "en cambio",
                "pero ",
                "a diferencia",
            ]);
            if contrast { 0.2 } else { 0.0 }
        }
        Kind::YesNo => {
            let answers = ["yes", "no,", "no.", "si,", "sí"].iter().any(|cue| text.starts_with(cue));
            if answers && heading > 0.5 {
                0.2
            } else if any(&[
                "can ", "cannot", "must", "should", "not ", "supports", "does not", "allowed", "puede",
                "debe", "no ",
            ]) {
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

/// Whether a code block follows the unit's block.
pub(crate) fn fence_follows(unit: &Unit, passages: &Passages) -> bool {
    passages.fences.iter().any(|fence| {
        fence.source == unit.source && fence.section == unit.section && fence.block == unit.block + 1
    })
}

/// How much a unit looks like "X is …" for the X that is asked.
fn definition(question: &Question, unit: &Unit, passages: &Passages, heading: f64) -> f64 {
    let asked: Vec<usize> =
        (0..question.terms.len()).filter(|&t| question.terms[t].importance > 0.5).collect();
    match copula(question, &asked, unit, passages) {
        Some(strength) if strength > 0.0 => strength,
        _ if heading > 0.75 && unit.in_section == 0 => 0.12,
        _ => -0.12,
    }
}

/// How much a unit looks like a definition of the given terms, 0 to 0.6.
pub(crate) fn defines(question: &Question, asked: &[usize], unit: usize, passages: &Passages) -> f64 {
    copula(question, asked, &passages.units[unit], passages).unwrap_or(0.0)
}

/// Strength of "X is …" for the asked terms; none if the unit has no such verb near its start.
fn copula(question: &Question, terms: &[usize], unit: &Unit, passages: &Passages) -> Option<f64> {
    const COPULAS: &[&str] = &[
        "is",
        "are",
        "means",
        "refers",
        "represents",
        "records",
        "provides",
        "lets",
        "allows",
        "describes",
        "denotes",
        "consists",
        "es",
        "son",
        "significa",
        "representa",
        "permite",
        "sirve",
        "guarda",
        "writes",
        "returns",
        "collects",
        "scrapes",
        "exposes",
    ];
    let language = passages.languages[unit.source];
    let all = words(&unit.text);
    let at = all.iter().take(14).position(|word| COPULAS.contains(&fold(&word.text).as_str()))?;
    let before: Vec<_> =
        all[..at].iter().filter(|word| !super::terms::is_stop(&word.text, language)).collect();
    let subject: BTreeSet<String> =
        before.iter().flat_map(|word| super::terms::stems_of(word, language)).collect();
    let hits = terms.iter().filter(|&&t| question.terms[t].match_in(&subject, language) >= 0.9).count();
    if hits == 0 || before.is_empty() {
        return Some(0.0);
    }
    let recall = hits as f64 / terms.len() as f64;
    let precision = (hits as f64 / before.len() as f64).min(1.0);
    let article = all.get(at + 1).is_some_and(|word| {
        matches!(
            fold(&word.text).as_str(),
            "a" | "an" | "the" | "un" | "una" | "el" | "la" | "any" | "used" | "one"
        )
    });
    let strength = 2.0 * recall * precision / (recall + precision);
    let generic =
        at > 0 && matches!(fold(&all[0].text).as_str(), "a" | "an" | "un" | "una") && precision > 0.6;
    Some(strength * if article || generic { 0.6 } else { 0.3 })
}
