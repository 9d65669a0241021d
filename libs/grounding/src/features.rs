//! Measures of one claim against its scope that a person can interpret; the input of the fitted models.

use crate::align::Alignment;
use crate::flags;
use crate::idf::RAREST;
use crate::index::{Analysed, Sentence, SourceIndex};
use crate::novelty;
use crate::rules::{self, Mismatch, Strength};
use crate::select::{Scope, Selected};
use crate::tokens::TokenKind;

/// Names of the measures, in the order of the vector. A fitted model names those it was fitted on.
pub const NAMES: &[&str] = &[
    // Coverage
    "uncovered_all",
    "uncovered_window",
    "uncovered_prefix",
    "uncovered_soft",
    "uncovered_best_passage",
    "uncovered_sum",
    "uncovered_words",
    "uncovered_not_asked",
    "rarest_uncovered_all",
    "second_uncovered_all",
    "third_uncovered_all",
    "rarest_uncovered_window",
    "second_uncovered_window",
    "rarest_uncovered_soft",
    "rarest_uncovered_prefix",
    "covered_by_one",
    "covered_by_two",
    "covered_by_four",
    // Parts
    "worst_clause",
    "worst_clause_window",
    "worst_clause_sum",
    "longest_uncovered_run",
    "uncovered_islands",
    // Order
    "bigram_recall",
    "trigram_recall",
    "bigram_recall_window",
    "pair_recall",
    "joint_recall",
    "longest_run",
    "aligned",
    "plainly_aligned",
    "shared_best",
    "inserted",
    "substituted",
    "rarest_substituted",
    "left_out",
    "small_words_put_in",
    "small_words_left_out",
    "small_words_facing",
    // Slots
    "added",
    "contradicted",
    "number_added",
    "entity_added",
    "named_added",
    "number_not_in_window",
    "entity_not_in_window",
    "denial_added",
    "denial_dropped",
    "bound_words_missing",
    "rule_number",
    "rule_denial",
    "rule_opposite",
    "rule_quantifier",
    "rule_binding",
    "rule_direction",
    "rule_entity",
    "rule_name",
    "strict_copy",
    // The question, and the claim by itself
    "question_overlap",
    "asked_words",
    "passage_gap",
    "digits",
    "figures",
    "entities",
    "log_words",
    "mean_weight",
    "meta_cue",
    "hedged",
    "concluding",
    "advising",
    "addressed",
    "parenthesis",
    // What the words that no source holds give away, by a table
    "novel_sum",
    "novel_worst",
    "novel_mean",
    "novel_mass",
    "fresh_sum",
    "fresh_worst",
    "fresh_mean",
    "fresh_mass",
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
    /// The sentence that the rules compared the claim with.
    pub(crate) best: Option<&'a Analysed>,
    pub(crate) alignment: &'a Alignment,
    pub(crate) mismatches: &'a [Mismatch],
}

/// Words that speak about the passages.
pub(crate) const META_CUES: &[&str] = &[
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
pub(crate) const HEDGES: &[&str] = &[
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
/// Words that draw a conclusion.
pub(crate) const CONCLUSIONS: &[&str] = &[
    "therefore",
    "overall",
    "summary",
    "conclusion",
    "thus",
    "hence",
    "so",
    "summarize",
    "total",
    "resumen",
    "conclusion",
    "tanto",
    "general",
];
/// Words that advise.
pub(crate) const ADVICE: &[&str] = &[
    "should",
    "recommended",
    "recommend",
    "important",
    "always",
    "ensure",
    "consult",
    "best",
    "avoid",
    "careful",
    "sure",
    "necessary",
    "deberia",
    "recomienda",
    "importante",
    "conviene",
];
/// Words that address the reader.
pub(crate) const ADDRESS: &[&str] = &["you", "your", "yourself", "tu", "tus", "usted", "su"];
/// Words that begin a clause.
pub(crate) const JOINERS: &[&str] =
    &["and", "but", "which", "while", "because", "so", "where", "pero", "que", "mientras", "porque", "y"];

#[allow(clippy::cast_precision_loss)]
fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

fn flag(yes: bool) -> f64 {
    f64::from(u8::from(yes))
}

/// How far one token of the claim is held.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Cover {
    pub(crate) weight: f64,
    pub(crate) all: bool,
    window: bool,
    soft: bool,
    pub(crate) prefix: bool,
    asked: bool,
}

fn covers(case: &Measured<'_>, window: &[Sentence]) -> Vec<Cover> {
    let claim = case.claim;
    let cover = |(token, &weight): (&crate::tokens::Token, &f64)| {
        if weight <= 0.0 {
            return Cover { all: true, window: true, soft: true, prefix: true, ..Cover::default() };
        }
        let in_window = window.iter().any(|sentence| sentence.words.holds(token.stem));
        let all = in_window || case.scope.has(case.index, token.stem);
        let soft = all || case.scope.says_token(case.index, token);
        let prefix = all || case.scope.begins(case.index, token.prefix);
        let asked = case.question.is_some_and(|question| question.holds(token.stem));
        Cover { weight, all, window: in_window, soft, prefix, asked }
    };
    claim.tokens.iter().zip(&claim.weights).map(cover).collect()
}

/// The three greatest weights of the tokens that a test picks.
fn greatest(covers: &[Cover], open: impl Fn(&Cover) -> bool) -> [f64; 3] {
    let mut top = [0.0_f64; 3];
    for cover in covers.iter().filter(|cover| cover.weight > 0.0 && open(cover)) {
        let mut weight = cover.weight;
        for place in &mut top {
            if weight > *place {
                std::mem::swap(&mut weight, place);
            }
        }
    }
    top.map(|weight| weight / RAREST)
}

/// Clauses of a claim: stretches between punctuation or joining words, each with two content words at least.
fn clauses(claim: &Analysed) -> Vec<std::ops::Range<usize>> {
    let mut found: Vec<std::ops::Range<usize>> = Vec::new();
    let (mut start, mut content) = (0, 0);
    for (at, token) in claim.tokens.iter().enumerate() {
        let cuts = token.after_break || token.is(flags::CLAUSE);
        if at > start && cuts && content >= 2 {
            found.push(start..at);
            (start, content) = (at, 0);
        }
        content += usize::from(claim.weights[at] > 0.0);
    }
    match found.last_mut() {
        Some(last) if content < 2 => last.end = claim.tokens.len(),
        _ => found.push(start..claim.tokens.len()),
    }
    found
}

/// Greatest uncovered share and sum of a clause.
fn worst(clauses: &[std::ops::Range<usize>], covers: &[Cover], held: impl Fn(&Cover) -> bool) -> (f64, f64) {
    let (mut ratio, mut sum) = (0.0_f64, 0.0_f64);
    for clause in clauses {
        let part = covers.get(clause.clone()).unwrap_or_default();
        let mass: f64 = part.iter().map(|cover| cover.weight).sum();
        let open: f64 = part.iter().filter(|cover| !held(cover)).map(|cover| cover.weight).sum();
        if mass > 0.0 {
            ratio = ratio.max(open / mass);
        }
        sum = sum.max(open);
    }
    (ratio, sum / (3.0 * RAREST))
}

/// Weight of the neighbouring content words that stand in one source sentence together: of all pairs, and of those whose
/// two words are held somewhere.
fn pairs(case: &Measured<'_>, covers: &[Cover]) -> (f64, f64) {
    let content: Vec<usize> = (0..covers.len()).filter(|at| covers[*at].weight > 0.0).collect();
    let (mut all, mut known, mut joint) = (0.0, 0.0, 0.0);
    for two in content.windows(2) {
        let weight = covers[two[0]].weight.min(covers[two[1]].weight);
        all += weight;
        if !(covers[two[0]].all && covers[two[1]].all) {
            continue;
        }
        known += weight;
        let places = |at: usize| case.index.places(case.claim.tokens[at].stem);
        let (one, other) = (places(two[0]), places(two[1]));
        let (short, long) = if one.len() < other.len() { (one, other) } else { (other, one) };
        let met = short.iter().any(|place| {
            long.binary_search(place).is_ok()
                && usize::try_from(*place)
                    .ok()
                    .and_then(|place| case.index.sentences.get(place))
                    .is_some_and(|sentence| case.scope.holds(sentence))
        });
        if met {
            joint += weight;
        }
    }
    (if all > 0.0 { joint / all } else { 1.0 }, if known > 0.0 { joint / known } else { 1.0 })
}

/// Uncovered weight in the passage that covers most, and by how much a passage that the claim names covers less.
fn passages(case: &Measured<'_>, covers: &[Cover]) -> (f64, f64) {
    let mass: f64 = case.claim.mass.max(1e-9);
    let all = case.scope.is_all(case.index);
    let covered = |source: usize| {
        case.index.passages.get(source).map_or(0.0, |passage| {
            // Among all sources only what is held somewhere can be held here.
            let may = |cover: &Cover| cover.weight > 0.0 && (cover.all || !all);
            let held = case
                .claim
                .tokens
                .iter()
                .zip(covers)
                .filter(|(token, cover)| may(cover) && passage.stems.contains(&token.stem));
            held.map(|(_, cover)| cover.weight).sum::<f64>() / mass
        })
    };
    let best = case.scope.sources().map(covered).fold(0.0, f64::max);
    let named = rules::named_passages(case.claim);
    let told = named.iter().map(|number| covered(number - 1)).fold(0.0, f64::max);
    (1.0 - best, if named.is_empty() { 0.0 } else { (best - told).max(0.0) })
}

/// Words of the claim and of the best sentence that face each other, or nothing, between aligned words.
fn gaps(case: &Measured<'_>, covers: &[Cover]) -> [f64; 4] {
    let mass = case.claim.mass.max(1e-9);
    let Some(best) = case.best else { return [1.0, 0.0, 0.0, 0.0] };
    let first = case.alignment.pairs.first().map_or(0, |pair| pair.1);
    let last = case.alignment.pairs.last().map_or(0, |pair| pair.1);
    let (mut inserted, mut substituted, mut rarest, mut left_out) = (0.0, 0.0, 0.0_f64, 0.0);
    for gap in &case.alignment.gaps {
        let mine = covers.get(gap.claim.clone()).unwrap_or_default();
        let own: f64 = mine.iter().map(|cover| cover.weight).sum();
        let inside = gap.source.start > first && gap.source.end <= last;
        let theirs: f64 = best.weights.get(gap.source.clone()).unwrap_or_default().iter().sum();
        if theirs > 0.0 && inside {
            substituted += own;
            rarest = mine.iter().map(|cover| cover.weight).fold(rarest, f64::max);
            left_out += theirs;
        } else {
            inserted += own;
        }
    }
    [inserted / mass, substituted / mass, rarest / RAREST, (left_out / mass).min(3.0)]
}

/// Words without content that turn what is said: denials, quantifiers, modals, words with an opposite.
fn turns(words: &Analysed, at: usize) -> bool {
    crate::quantifiers::class(&words.tokens, at).is_some() || rules::turns(words, at)
}

/// Such words in the gaps of the alignment: only in the claim, only in the source, in both and not the same.
fn small_words(case: &Measured<'_>) -> [f64; 3] {
    let Some(best) = case.best else { return [0.0; 3] };
    let first = case.alignment.pairs.first().map_or(0, |pair| pair.1);
    let last = case.alignment.pairs.last().map_or(0, |pair| pair.1);
    let mut found = [0.0; 3];
    for gap in &case.alignment.gaps {
        let mine = gap.claim.clone().filter(|at| turns(case.claim, *at)).count();
        let inside = gap.source.start >= first && gap.source.end <= last + 1;
        let theirs = if inside { gap.source.clone().filter(|at| turns(best, *at)).count() } else { 0 };
        match (mine, theirs) {
            (0, 0) => {}
            (_, 0) => found[0] += 1.0,
            (0, _) => found[1] += 1.0,
            _ => found[2] += 1.0,
        }
    }
    found
}

/// The measures, in the order of [`NAMES`].
#[allow(clippy::cast_precision_loss, clippy::too_many_lines)]
pub(crate) fn measure(case: &Measured<'_>) -> Features {
    let claim = case.claim;
    let mass = claim.mass.max(1e-9);
    let window = case.index.sentences.get(case.selected.window.clone()).unwrap_or_default();
    let covers = covers(case, window);
    let sum =
        |open: &dyn Fn(&Cover) -> bool| -> f64 { covers.iter().filter(|c| open(c)).map(|c| c.weight).sum() };
    let open_all = sum(&|c| !c.all);
    let words = covers.iter().filter(|c| c.weight > 0.0).count();
    let open_words = covers.iter().filter(|c| !c.all).count();
    let asked = covers.iter().filter(|c| c.asked && c.weight > 0.0).count();
    let rare_all = greatest(&covers, |c| !c.all);
    let rare_window = greatest(&covers, |c| !c.window);
    let (passage, passage_gap) = passages(case, &covers);

    let (mut run, mut longest, mut islands) = (0_usize, 0_usize, 0_usize);
    for cover in covers.iter().filter(|cover| cover.weight > 0.0) {
        if cover.all {
            run = 0;
        } else {
            run += 1;
            islands += usize::from(run == 1);
            longest = longest.max(run);
        }
    }
    let parts = clauses(claim);
    let (clause, clause_sum) = worst(&parts, &covers, |c| c.all);
    let (clause_window, _) = worst(&parts, &covers, |c| c.window);

    let bigrams: Vec<u64> = claim.bigrams().collect();
    let trigrams = claim.trigrams();
    let held = bigrams.iter().filter(|hash| case.scope.has_bigram(case.index, **hash)).count();
    let (three, held_three) = trigrams.fold((0, 0), |(all, held), hash| {
        (all + 1, held + usize::from(case.scope.has_trigram(case.index, hash)))
    });
    let mut window_bigrams: Vec<u64> =
        Vec::with_capacity(window.iter().map(|sentence| sentence.words.tokens.len()).sum());
    window_bigrams.extend(window.iter().flat_map(|sentence| sentence.words.bigrams()));
    window_bigrams.sort_unstable();
    let in_window = bigrams.iter().filter(|hash| window_bigrams.binary_search(hash).is_ok()).count();
    let (pair_recall, joint_recall) = pairs(case, &covers);
    let one = case.best.map_or(0.0, |best| {
        let held = claim.tokens.iter().zip(&claim.weights).filter(|(token, _)| best.holds(token.stem));
        held.map(|(_, weight)| weight).sum::<f64>() / mass
    });
    let [inserted, substituted, rarest_substituted, left_out] = gaps(case, &covers);

    let [put_in, left, facing] = small_words(case);

    let count =
        |test: &dyn Fn(&Mismatch) -> bool| case.mismatches.iter().filter(|m| test(m)).count().min(4) as f64;
    let added = |rule: &str| count(&|m| m.strength == Strength::Added && m.rule == rule);
    let against = |rule: &str| {
        flag(case.mismatches.iter().any(|m| m.strength == Strength::Contradicts && m.rule == rule))
    };
    let missing_figures = claim.quantities.iter().filter(|figure| {
        !window.iter().any(|sentence| sentence.words.quantities.iter().any(|other| other.equals(figure)))
    });
    let entities: Vec<usize> =
        (0..claim.tokens.len()).filter(|at| rules::is_entity(&claim.tokens, *at)).collect();
    let missing_entities = entities.iter().filter(|at| !covers[**at].window).count();
    let denials = |words: &Analysed| rules::denials(words);
    let (mine, theirs) =
        (denials(claim), window.iter().map(|sentence| denials(&sentence.words)).sum::<usize>());
    let bounds = rules::bound_words_missing(claim, window.iter().map(|sentence| &sentence.words));

    let cues = claim.tokens.iter().fold(0, |cues, token| cues | token.flags);
    let [meta, hedges, conclusions, advice, address] =
        [flags::META, flags::HEDGE, flags::CONCLUSION, flags::ADVICE, flags::ADDRESS]
            .map(|bit| flag(cues & bit != 0));
    let digits = case.text.bytes().filter(u8::is_ascii_digit).count();
    let numbers = claim.tokens.iter().filter(|token| matches!(token.kind, TokenKind::Number(_))).count();
    let mut measures = vec![
        open_all / mass,
        sum(&|c| !c.window) / mass,
        sum(&|c| !c.prefix) / mass,
        sum(&|c| !c.soft) / mass,
        passage,
        (1.0 + open_all).ln(),
        (1.0 + open_words as f64).ln(),
        sum(&|c| !c.all && !c.asked) / mass,
        rare_all[0],
        rare_all[1],
        rare_all[2],
        rare_window[0],
        rare_window[1],
        greatest(&covers, |c| !c.soft)[0],
        greatest(&covers, |c| !c.prefix)[0],
        one,
        case.selected.covered[0],
        case.selected.covered[1],
        clause,
        clause_window,
        clause_sum,
        longest.min(8) as f64,
        islands.min(6) as f64,
        share(held, bigrams.len()),
        share(held_three, three),
        share(in_window, bigrams.len()),
        pair_recall,
        joint_recall,
        case.alignment.run,
        case.alignment.share,
        rules::plainly_aligned(claim, case.alignment),
        case.best.map_or(0.0, |best| rules::plain_share(claim, best)),
        inserted,
        substituted,
        rarest_substituted,
        left_out,
        put_in,
        left,
        facing,
        count(&|m| m.strength == Strength::Added),
        count(&|m| m.strength == Strength::Contradicts).min(2.0),
        added("number"),
        added("entity"),
        added("identifier") + added("path"),
        missing_figures.count().min(4) as f64,
        missing_entities.min(4) as f64,
        flag(mine > 0 && theirs == 0),
        flag(mine == 0 && theirs > 0),
        bounds.min(3) as f64,
        against("number"),
        against("negation"),
        against("opposite"),
        against("quantifier"),
        against("binding"),
        against("direction"),
        against("entity").max(against("exchange")),
        against("identifier").max(against("path")),
        flag(rules::strict_copy(case.alignment)),
        sum(&|c| c.asked) / mass,
        share(asked, words),
        passage_gap,
        share(digits, case.text.len()),
        numbers.min(6) as f64,
        entities.len().min(6) as f64,
        (1.0 + claim.tokens.len() as f64).ln(),
        if words == 0 { 0.0 } else { claim.mass / words as f64 / RAREST },
        meta,
        hedges,
        conclusions,
        advice,
        address,
        flag(case.text.contains('(')),
    ];
    measures.extend(novelty::measures(claim, &covers));
    measures
}
