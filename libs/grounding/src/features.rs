//! Measures of one claim against its scope that a person can interpret; the input of the fitted model.

use crate::align::Alignment;
use crate::index::{Analysed, SourceIndex};
use crate::rules::{Mismatch, Strength};
use crate::select::{Scope, Selected};

/// Names of the measures, in the order of the vector. A fitted model names those it was fitted on.
pub const NAMES: &[&str] = &[
    "uncovered_all",
    "uncovered_window",
    "rarest_uncovered_all",
    "rarest_uncovered_window",
    "uncovered_prefix",
    "bigram_recall",
    "trigram_recall",
    "bigram_recall_window",
    "covered_by_two",
    "covered_by_four",
    "question_overlap",
    "uncovered_not_asked",
    "longest_run",
    "aligned",
    "added",
    "contradicted",
    "number_added",
    "entity_added",
    "digits",
    "log_words",
    "meta_cue",
    "uncovered_words",
    "uncovered_all_squared",
    "uncovered_window_squared",
    "mean_weight",
    "hedged",
];

/// Vector of measures of a claim.
pub type Features = Vec<f64>;

/// What the measures are taken from.
pub(crate) struct Measured<'a> {
    pub(crate) claim: &'a Analysed,
    pub(crate) text: &'a str,
    pub(crate) question: Option<&'a Analysed>,
    pub(crate) index: &'a SourceIndex,
    pub(crate) scope: &'a Scope,
    pub(crate) selected: &'a Selected,
    pub(crate) alignment: &'a Alignment,
    pub(crate) mismatches: &'a [Mismatch],
}

/// Words that speak about the passages.
const META_CUES: &[&str] = &[
    "passage",
    "passages",
    "mentioned",
    "mention",
    "based",
    "provided",
    "according",
    "given",
    "information",
    "context",
    "stated",
    "documento",
    "fuente",
    "fuentes",
    "segun",
    "mencionado",
];
/// Words of judgement and generality, which sources seldom hold.
const HEDGES: &[&str] = &[
    "important",
    "essential",
    "overall",
    "however",
    "additionally",
    "ensure",
    "recommended",
    "various",
    "generally",
    "likely",
    "crucial",
    "also",
    "further",
    "typically",
    "may",
    "might",
    "could",
    "possible",
    "unclear",
    "specific",
];

#[allow(clippy::cast_precision_loss)]
fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// The measures, in the order of [`NAMES`].
#[allow(clippy::cast_precision_loss)]
pub(crate) fn measure(case: &Measured<'_>) -> Features {
    let claim = case.claim;
    let mass = claim.mass.max(1e-9);
    let window = &case.index.sentences[case.selected.window.clone()];
    let (mut open_all, mut open_window, mut open_prefix, mut not_asked) = (0.0, 0.0, 0.0, 0.0);
    let (mut rare_all, mut rare_window, mut asked_mass) = (0.0_f64, 0.0_f64, 0.0);
    let (mut open_words, mut words) = (0_usize, 0_usize);
    for (token, &weight) in claim.tokens.iter().zip(&claim.weights) {
        if weight <= 0.0 {
            continue;
        }
        words += 1;
        let asked = case.question.is_some_and(|question| question.holds(token.stem));
        if asked {
            asked_mass += weight;
        }
        if !window.iter().any(|sentence| sentence.words.holds(token.stem)) {
            open_window += weight;
            rare_window = rare_window.max(weight);
        }
        if !case.scope.has(case.index, token.stem) {
            open_all += weight;
            rare_all = rare_all.max(weight);
            open_words += 1;
            if !asked {
                not_asked += weight;
            }
            let prefixed = case.scope.any(
                case.index,
                |passage| passage.prefixes.contains(&token.prefix),
                |sentence| sentence.words.tokens.iter().any(|other| other.prefix == token.prefix),
            );
            if !prefixed {
                open_prefix += weight;
            }
        }
    }
    let bigrams: Vec<u64> = claim.bigrams().collect();
    let trigrams: Vec<u64> = claim.trigrams().collect();
    let held = |wanted: &[u64], three: bool| {
        wanted
            .iter()
            .filter(|hash| {
                case.scope.any(
                    case.index,
                    |passage| {
                        if three { passage.trigrams.contains(hash) } else { passage.bigrams.contains(hash) }
                    },
                    |sentence| {
                        if three {
                            sentence.words.trigrams().any(|h| h == **hash)
                        } else {
                            sentence.words.bigrams().any(|h| h == **hash)
                        }
                    },
                )
            })
            .count()
    };
    let window_bigrams: crate::tokens::Set =
        window.iter().flat_map(|sentence| sentence.words.bigrams()).collect();
    let in_window = bigrams.iter().filter(|hash| window_bigrams.contains(hash)).count();
    let added = case.mismatches.iter().filter(|m| m.strength == Strength::Added);
    let contradicted = case.mismatches.iter().filter(|m| m.strength == Strength::Contradicts).count();
    let rule = |name: &str| {
        case.mismatches.iter().filter(|m| m.strength == Strength::Added && m.rule == name).count().min(3)
            as f64
    };
    let cue = |list: &[&str]| {
        f64::from(u8::from(claim.tokens.iter().any(|token| list.contains(&token.norm.as_str()))))
    };
    let digits = case.text.bytes().filter(u8::is_ascii_digit).count();
    let (all, near) = (open_all / mass, open_window / mass);
    vec![
        all,
        near,
        rare_all / crate::idf::RAREST,
        rare_window / crate::idf::RAREST,
        open_prefix / mass,
        share(held(&bigrams, false), bigrams.len()),
        share(held(&trigrams, true), trigrams.len()),
        share(in_window, bigrams.len()),
        case.selected.covered[0],
        case.selected.covered[1],
        asked_mass / mass,
        not_asked / mass,
        case.alignment.run,
        case.alignment.share,
        added.count().min(4) as f64,
        contradicted.min(2) as f64,
        rule("number"),
        rule("entity"),
        share(digits, case.text.len()),
        (1.0 + claim.tokens.len() as f64).ln(),
        cue(META_CUES),
        (1.0 + open_words as f64).ln(),
        all * all,
        near * near,
        if words == 0 { 0.0 } else { claim.mass / words as f64 / crate::idf::RAREST },
        cue(HEDGES),
    ]
}
