//! Measures of one claim against its scope that a person can interpret; the input of the fitted models.

mod cover;
mod gaps;
mod names;

use crate::align::Alignment;
use crate::idf::RAREST;
use crate::index::{Analysed, Bits, SourceIndex};
use crate::rules::{Finding, Kind, Strength};
use crate::select::{Scope, Selected};
use crate::tokens::TokenKind;
use crate::{flags, rules, share, tags};
pub(crate) use cover::Cover;
use cover::{clauses, covers, greatest, pairs, passages, worst};
use gaps::{gaps, small_words};
pub use names::NAMES;

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
    pub(crate) findings: &'a [Finding],
}

#[allow(clippy::cast_precision_loss)]
fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

fn flag(yes: bool) -> f64 {
    f64::from(u8::from(yes))
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
    // Of the pairs of the window only those that the claim may have.
    let own = bigrams.iter().copied().collect::<Bits>();
    let window_bigrams = window.iter().flat_map(|sentence| sentence.words.bigrams());
    let mut window_bigrams: Vec<u64> = window_bigrams.filter(|pair| own.may_hold(*pair)).collect();
    window_bigrams.sort_unstable();
    let in_window = bigrams.iter().filter(|hash| window_bigrams.binary_search(hash).is_ok()).count();
    let (pair_recall, joint_recall) = pairs(case, &covers);
    let one = case.best.map_or(0.0, |best| {
        let held = claim.tokens.iter().zip(&claim.weights).filter(|(token, _)| best.holds(token.stem));
        held.map(|(_, weight)| weight).sum::<f64>() / mass
    });
    let [inserted, substituted, rarest_substituted, left_out] = gaps(case, &covers);

    let [put_in, left, facing] = small_words(case);

    let count = |strength: Strength, kind: Option<Kind>| {
        let own =
            |finding: &&Finding| finding.strength == strength && kind.is_none_or(|kind| finding.kind == kind);
        case.findings.iter().filter(own).count().min(4) as f64
    };
    let added = |kind: Kind| count(Strength::Added, Some(kind));
    let against = |kind: Kind| count(Strength::Contradicts, Some(kind)).min(1.0);
    let missing_figures = claim.quantities.iter().filter(|figure| {
        !window.iter().any(|sentence| sentence.words.quantities.iter().any(|other| other.equals(figure)))
    });
    let entities: Vec<usize> =
        (0..claim.tokens.len()).filter(|at| tags::is_entity(&claim.tokens, *at)).collect();
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
    let measures: [f64; NAMES.len()] = [
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
        share::plainly_aligned(claim, case.alignment),
        case.best.map_or(0.0, |best| share::plain_share(claim, best)),
        inserted,
        substituted,
        rarest_substituted,
        left_out,
        put_in,
        left,
        facing,
        count(Strength::Added, None),
        count(Strength::Contradicts, None).min(2.0),
        added(Kind::Number),
        added(Kind::Entity),
        added(Kind::Identifier) + added(Kind::Path),
        missing_figures.count().min(4) as f64,
        missing_entities.min(4) as f64,
        flag(mine > 0 && theirs == 0),
        flag(mine == 0 && theirs > 0),
        bounds.min(3) as f64,
        against(Kind::Number),
        against(Kind::Negation),
        against(Kind::Opposite),
        against(Kind::Quantifier),
        against(Kind::Direction),
        against(Kind::Entity).max(against(Kind::Exchange)),
        against(Kind::Identifier).max(against(Kind::Path)),
        flag(share::strict_copy(case.alignment)),
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
    measures.to_vec()
}
