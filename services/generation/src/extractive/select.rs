//! Chooses the few units that answer together: the best first, then what adds something, never the same twice, never a
//! sentence that cannot stand alone, with the list or the code block that it introduces.

use std::collections::BTreeSet;

use super::form::{announces_code, fence_follows, is_pointer, leads_list};
use super::passage::{Passages, Shape};
use super::question::{Kind, Question};
use super::score::{Ranking, Scored};
use super::subject::defines;
use super::terms::words;

/// Least weighted share of the question that the chosen units must cover, headings counted in part. Calibrated on
/// questions over a public documentation set with and without an answer there.
const COVERAGE_BAR: f64 = 0.56;
/// What is added to that where the evidence was judged unable to answer.
const DOUBT: f64 = 0.08;
/// Least score of the best unit, calibrated alike.
const SCORE_BAR: f64 = 0.46;
/// Share of the best score that a further unit must reach.
const FURTHER: f64 = 0.62;
/// Longest code block that is taken over, in lines.
const CODE_LINES: usize = 30;
/// Longest list that is taken over.
const LIST_ITEMS: usize = 12;

/// What was chosen.
#[derive(Debug, Clone, Default)]
pub(crate) struct Selection {
    /// Indexes of units.
    pub(crate) units: BTreeSet<usize>,
    /// Indexes of fences.
    pub(crate) fences: BTreeSet<usize>,
    /// The unit that answers best.
    pub(crate) best: usize,
}

/// Chooses; none when the evidence is below the bar.
pub(crate) fn select(
    question: &Question,
    passages: &Passages,
    ranking: &Ranking,
    terms: Terms,
) -> Option<Selection> {
    let chooser =
        Chooser { question, passages, ranking, with_code: terms.with_code, doubtful: terms.doubtful };
    chooser.choose()
}

/// What the caller knows of the evidence beforehand.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Terms {
    /// Whether code blocks may be taken over.
    pub(crate) with_code: bool,
    /// Whether the evidence was judged unable to answer; the bar is higher then.
    pub(crate) doubtful: bool,
}

struct Chooser<'a> {
    question: &'a Question,
    passages: &'a Passages,
    ranking: &'a Ranking,
    with_code: bool,
    doubtful: bool,
}

impl Chooser<'_> {
    fn choose(&self) -> Option<Selection> {
        let order = self.order();
        let best = order
            .iter()
            .copied()
            .find(|&unit| !is_pointer(&self.passages.units[unit]) && self.with_context(unit).is_some())?;
        let mut selection = Selection { best, ..Selection::default() };
        self.add(best, &mut selection);
        if self.question.sides.is_some() {
            self.balance(&mut selection);
        }
        self.further(&order, &mut selection);
        if self.with_code && (self.question.kind == Kind::HowTo || self.question.wants_code) {
            self.code(&mut selection);
        }
        self.tidy(&mut selection);
        self.enough(&selection).then_some(selection)
    }

    fn scored(&self, unit: usize) -> &Scored {
        &self.ranking.scored[unit]
    }

    fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.passages.units.len()).collect();
        order.sort_by(|&a, &b| self.scored(b).score.total_cmp(&self.scored(a).score).then(a.cmp(&b)));
        order
    }

    /// How many units the kind of question deserves, lists not counted.
    fn room(&self) -> usize {
        match self.question.kind {
            Kind::Who | Kind::Figure | Kind::Enumeration => 2,
            Kind::Definition | Kind::YesNo => 3,
            Kind::Why | Kind::Other => 4,
            Kind::HowTo | Kind::Difference => 5,
        }
    }

    /// The unit with everything it cannot stand without; none if that does not help.
    fn with_context(&self, unit: usize) -> Option<Vec<usize>> {
        let units = &self.passages.units;
        if is_pointer(&units[unit]) && units[unit].leads() {
            return None;
        }
        let mut chain = vec![unit];
        let mut at = unit;
        for _ in 0..2 {
            if !self.scored(at).dangling {
                break;
            }
            let before = at.checked_sub(1).filter(|&before| {
                let (one, two) = (&units[before], &units[at]);
                one.source == two.source
                    && one.section == two.section
                    && two.block - one.block <= usize::from(two.ordinal == 0)
                    && !one.leads()
            })?;
            chain.push(before);
            at = before;
        }
        if self.scored(at).dangling {
            return None;
        }
        let lead = self.lead_of(unit);
        let fragment = !matches!(units[unit].shape, Shape::Sentence) && words(&units[unit].text).len() < 6;
        if fragment && lead.is_none() && !matches!(units[unit].shape, Shape::Row { .. }) {
            return None;
        }
        if let Some(lead) = lead {
            if is_pointer(&units[lead]) {
                return None;
            }
            if self.scored(lead).dangling
                && lead.checked_sub(1).is_none_or(|before| units[before].section != units[lead].section)
            {
                return None;
            }
            chain.push(lead);
            if self.scored(lead).dangling {
                chain.push(lead - 1);
            }
        }
        if announces_code(&units[unit])
            && !units[unit].leads()
            && !(self.with_code && self.fence_after(unit).is_some())
        {
            return None;
        }
        if units[unit].leads() {
            if leads_list(unit, self.passages) {
                chain.extend(self.list_after(unit)?);
            } else if !(self.with_code && self.fence_after(unit).is_some()) {
                return None;
            }
        }
        chain.sort_unstable();
        chain.dedup();
        Some(chain)
    }

    /// The sentence that introduces the list an item stands in.
    fn lead_of(&self, unit: usize) -> Option<usize> {
        let units = &self.passages.units;
        let Shape::Item { list, .. } = units[unit].shape else { return None };
        (0..unit).rev().take(40).take_while(|&i| units[i].section == units[unit].section).find_map(|i| {
            match units[i].shape {
                Shape::Item { list: other, .. } if other != list => Some(None),
                Shape::Sentence if units[i].leads() => Some(Some(i)),
                Shape::Sentence if units[i].ordinal == 0 => Some(None),
                _ => None,
            }
        })?
    }

    /// The units of the list that follows; none if it is too long to take over.
    fn list_after(&self, lead: usize) -> Option<Vec<usize>> {
        let units = &self.passages.units;
        let Shape::Item { list, depth } = units.get(lead + 1)?.shape else { return None };
        let mut out = Vec::new();
        let mut block = 0;
        for (i, unit) in units.iter().enumerate().skip(lead + 1) {
            if unit.section != units[lead].section {
                break;
            }
            match unit.shape {
                Shape::Item { list: other, .. } if other == list => {
                    block = unit.block;
                    out.push(i);
                }
                Shape::Item { depth: deeper, .. } if deeper > depth => {}
                Shape::Sentence if unit.block == block && out.len() < 4 => out.push(i),
                Shape::Sentence if unit.block == block => {}
                _ => break,
            }
        }
        let items = out.iter().filter(|&&i| matches!(units[i].shape, Shape::Item { .. })).count();
        let length: usize = out.iter().map(|&i| words(&units[i].text).len()).sum();
        (items <= LIST_ITEMS && length <= 220).then_some(out)
    }

    fn fence_after(&self, unit: usize) -> Option<usize> {
        let unit = &self.passages.units[unit];
        self.passages.fences.iter().position(|fence| {
            fence.source == unit.source
                && fence.section == unit.section
                && fence.block == unit.block + 1
                && fence.code.lines().count() <= CODE_LINES
        })
    }

    fn add(&self, unit: usize, selection: &mut Selection) -> bool {
        let Some(chain) = self.with_context(unit) else { return false };
        selection.units.extend(chain);
        let announced = &self.passages.units[unit];
        if (announced.leads() || announces_code(announced))
            && let Some(fence) = self.fence_after(unit)
        {
            self.insert_fence(fence, selection);
        }
        true
    }

    /// Puts a sentence for each side of a comparison in, if there is one.
    fn balance(&self, selection: &mut Selection) {
        let Some((left, right)) = &self.question.sides else { return };
        for side in [left, right] {
            let covered = |unit: usize| {
                let own = &self.scored(unit).own;
                !side.is_empty() && side.iter().all(|&t| own[t] >= 0.9)
            };
            let defined = |unit: usize| defines(self.question, side, unit, self.passages);
            if selection.units.iter().any(|&unit| covered(unit) && defined(unit) >= 0.3) {
                continue;
            }
            let best = (0..self.passages.units.len())
                .filter(|&unit| {
                    covered(unit)
                        && !selection.units.contains(&unit)
                        && !is_pointer(&self.passages.units[unit])
                })
                .filter(|&unit| self.with_context(unit).is_some_and(|chain| chain.len() <= 2))
                .map(|unit| (unit, self.scored(unit).score + 1.2 * defined(unit)))
                .max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
            let spoken_for = selection.units.iter().any(|&unit| covered(unit));
            if let Some((unit, _)) =
                best.filter(|&(unit, value)| value > 0.35 && (!spoken_for || defined(unit) >= 0.3))
            {
                self.add(unit, selection);
            }
        }
    }

    /// Whether a unit speaks of both sides of a comparison and of little else.
    fn spans_sides(&self, unit: usize) -> bool {
        let scored = self.scored(unit);
        let Some((left, right)) = &self.question.sides else { return false };
        [left, right].iter().all(|side| side.iter().any(|&t| scored.own[t] >= 0.9)) && scored.focus >= 0.4
    }

    /// Adds units while they are good and say something new.
    fn further(&self, order: &[usize], selection: &mut Selection) {
        let best = self.scored(selection.best);
        let defining = |scored: &Scored| self.question.kind == Kind::Definition && scored.form >= 0.4;
        let best_own = self.ranking.coverage(&best.own).max(0.4);
        let room = self.room();
        let mut listed = self.listed(selection);
        while selection.units.len() < room + listed && self.length(selection) < 130 {
            let covered = self.union(&selection.units);
            let next = order
                .iter()
                .copied()
                .filter(|unit| !selection.units.contains(unit))
                .take(60)
                .filter_map(|unit| {
                    let scored = self.scored(unit);
                    let overlap = selection
                        .units
                        .iter()
                        .map(|&chosen| overlap(&scored.stems, &self.scored(chosen).stems))
                        .fold(0.0, f64::max);
                    if overlap > 0.65 {
                        return None;
                    }
                    let gain: f64 = self
                        .ranking
                        .weights
                        .iter()
                        .zip(&scored.seen)
                        .zip(&covered)
                        .map(
                            |((weight, seen), have)| {
                                if *have >= 0.4 { 0.0 } else { weight * (seen - have).max(0.0) }
                            },
                        )
                        .sum();
                    let near = self.nearness(unit, selection);
                    let follows = selection.units.iter().any(|&chosen| {
                        let (here, there) = (&self.passages.units[unit], &self.passages.units[chosen]);
                        here.source == there.source
                            && here.block == there.block
                            && here.ordinal == there.ordinal + 1
                    });
                    let fits = match self.question.kind {
                        Kind::Definition => follows || scored.form >= 0.4,
                        Kind::Difference => {
                            follows || scored.form > 0.0 || self.spans_sides(unit) || best.heading >= 0.6
                        }
                        _ => true,
                    };
                    if !fits {
                        return None;
                    }
                    let own = self.ranking.coverage(&scored.own);
                    let stray = near == 0.0
                        && (own < 0.8 * best_own
                            || scored.focus < 0.25
                            || (gain < 0.1 && self.question.sides.is_none() && !defining(scored))
                            || (best.heading >= 0.6 && self.question.sides.is_none() && !defining(scored)));
                    if stray {
                        return None;
                    }
                    let distance = if near == 0.0 { 0.16 } else { 0.0 };
                    let value = scored.score + 0.4 * gain - 0.5 * overlap + near - distance;
                    Some((unit, value))
                })
                .max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
            let Some((unit, value)) = next else { break };
            if value < FURTHER * best.score.max(0.6) + 0.04 * selection.units.len() as f64
                || !self.fits(unit, selection)
            {
                break;
            }
            if !self.add(unit, selection) {
                break;
            }
            listed = self.listed(selection);
        }
    }

    /// A further unit brings no long list of its own and no more context than itself.
    fn fits(&self, unit: usize, selection: &Selection) -> bool {
        self.with_context(unit).is_some_and(|chain| {
            let new = chain.iter().filter(|unit| !selection.units.contains(unit)).count();
            let length: usize = chain
                .iter()
                .filter(|unit| !selection.units.contains(unit))
                .map(|&unit| words(&self.passages.units[unit].text).len())
                .sum();
            (new <= 3 && self.length(selection) + length <= 150) || (self.listed(selection) == 0 && new <= 8)
        })
    }

    /// Whether a unit continues what was chosen.
    fn nearness(&self, unit: usize, selection: &Selection) -> f64 {
        let units = &self.passages.units;
        let here = &units[unit];
        selection
            .units
            .iter()
            .map(|&chosen| {
                let there = &units[chosen];
                if here.source != there.source || here.section != there.section {
                    0.0
                } else if here.block == there.block && here.ordinal.abs_diff(there.ordinal) == 1 {
                    0.16
                } else if here.block == there.block {
                    0.08
                } else {
                    0.04
                }
            })
            .fold(0.0, f64::max)
    }

    /// A code block that belongs to what was chosen, with the sentence that introduces it.
    fn code(&self, selection: &mut Selection) {
        if !selection.fences.is_empty() {
            return;
        }
        let best = &self.passages.units[selection.best];
        let chosen = |block: usize, source: usize| {
            selection.units.iter().any(|&unit| {
                let unit = &self.passages.units[unit];
                unit.source == source && unit.block == block
            })
        };
        let candidate = (0..self.passages.fences.len())
            .filter(|&f| self.passages.fences[f].code.lines().count() <= CODE_LINES)
            .filter_map(|f| {
                let fence = &self.passages.fences[f];
                let adjacent = chosen(fence.block.saturating_sub(1), fence.source);
                let same_section =
                    fence.source == best.source && fence.section == best.section && fence.block > best.block;
                let language = self.passages.languages[fence.source];
                let stems = super::terms::stem_set(&fence.code, language);
                let matches: Vec<f64> =
                    self.question.terms.iter().map(|term| term.match_in(&stems, language)).collect();
                let value = f64::from(u8::from(adjacent)) + f64::from(u8::from(same_section)) * 0.6
                    - 0.05 * fence.block.abs_diff(best.block).min(8) as f64
                    + 0.8 * self.ranking.coverage(&matches);
                (adjacent || same_section).then_some((f, value))
            })
            .max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
        let Some((f, _)) = candidate else { return };
        let fence = &self.passages.fences[f];
        let intro = (0..self.passages.units.len()).rev().find(|&unit| {
            let unit = &self.passages.units[unit];
            unit.source == fence.source && unit.section == fence.section && unit.block + 1 == fence.block
        });
        let Some(intro) = intro else { return };
        if selection.units.contains(&intro) {
            self.insert_fence(f, selection);
        } else if !self.scored(intro).dangling || self.with_context(intro).is_some() {
            selection.units.insert(intro);
            if self.scored(intro).dangling
                && let Some(chain) = self.with_context(intro)
            {
                selection.units.extend(chain);
            }
            self.insert_fence(f, selection);
        }
    }

    /// Takes a code block over unless the same program is there already.
    fn insert_fence(&self, fence: usize, selection: &mut Selection) {
        let code = self.passages.fences[fence].code.trim();
        if selection.fences.iter().all(|&other| self.passages.fences[other].code.trim() != code) {
            selection.fences.insert(fence);
        }
    }

    /// Takes out introductions whose list or code did not come along.
    fn tidy(&self, selection: &mut Selection) {
        let units = &self.passages.units;
        let orphans: Vec<usize> = selection
            .units
            .iter()
            .copied()
            .filter(|&unit| units[unit].leads())
            .filter(|&unit| {
                let list = leads_list(unit, self.passages)
                    && selection.units.iter().any(|&other| {
                        other > unit
                            && units[other].section == units[unit].section
                            && matches!(units[other].shape, Shape::Item { .. })
                    });
                let code = fence_follows(&units[unit], self.passages)
                    && self.fence_after(unit).is_some_and(|fence| selection.fences.contains(&fence));
                !list && !code
            })
            .collect();
        for unit in orphans {
            if selection.units.len() > 1 {
                selection.units.remove(&unit);
            }
        }
    }

    fn listed(&self, selection: &Selection) -> usize {
        selection
            .units
            .iter()
            .filter(|&&unit| matches!(self.passages.units[unit].shape, Shape::Item { .. }))
            .count()
    }

    fn length(&self, selection: &Selection) -> usize {
        selection
            .units
            .iter()
            .filter(|&&unit| matches!(self.passages.units[unit].shape, Shape::Sentence))
            .map(|&unit| words(&self.passages.units[unit].text).len())
            .sum()
    }

    /// Best match of each term over some units, headings counted in part.
    fn union<'u>(&self, units: impl IntoIterator<Item = &'u usize>) -> Vec<f64> {
        let mut union = vec![0.0_f64; self.question.terms.len()];
        for &unit in units {
            for (have, seen) in union.iter_mut().zip(&self.scored(unit).seen) {
                *have = have.max(*seen);
            }
        }
        union
    }

    /// Whether the selection answers rather than merely resembles.
    fn enough(&self, selection: &Selection) -> bool {
        if self.question.terms.is_empty() {
            return false;
        }
        let best = self.scored(selection.best);
        // Terms that different pages hold make no answer together, unless a comparison is asked.
        let units = &self.passages.units;
        let document = |unit: usize| &self.passages.documents[units[unit].source];
        let one = |unit: &usize| self.question.sides.is_some() || document(*unit) == document(selection.best);
        let mut union = self.union(selection.units.iter().filter(|unit| one(unit)));
        // A name that most hits hold is what they are about; a page on it need not repeat it in every section.
        for ((have, term), spread) in union.iter_mut().zip(&self.question.terms).zip(&self.ranking.spread) {
            if term.named && term.importance < 1.0 && (*spread >= 0.5 || (best.asked && *spread > 0.0)) {
                *have = have.max(0.7);
            }
        }
        let coverage = self.ranking.coverage(&union);
        // "What is X" is answered by a sentence about X, not by one that mentions it.
        let mention = self.question.kind == Kind::Definition
            && best.form <= 0.0
            && best.heading < 0.5
            && !(self.question.terms.len() >= 3 && self.ranking.coverage(&best.own) >= 0.9);
        if mention {
            return false;
        }
        let unknown_name =
            self.question.terms.iter().zip(&self.ranking.known).any(|(term, known)| term.named && !known);
        let formless = matches!(self.question.kind, Kind::Who | Kind::Figure) && best.form <= 0.0;
        let asked_there = if best.heading > 0.6 { DOUBT } else { 0.0 };
        let bar = COVERAGE_BAR - asked_there + if self.doubtful { DOUBT } else { 0.0 };
        coverage >= if formless { 0.8 } else { bar }
            && self.scored(selection.best).score >= SCORE_BAR
            && !unknown_name
    }
}

/// Jaccard overlap of two sets of stems, or containment where one is much shorter.
fn overlap(a: &BTreeSet<String>, b: &BTreeSet<String>) -> f64 {
    let common = a.intersection(b).count() as f64;
    let union = a.union(b).count() as f64;
    let shorter = a.len().min(b.len()) as f64;
    if union == 0.0 {
        return 1.0;
    }
    (common / union).max(if shorter >= 4.0 { 0.8 * common / shorter } else { 0.0 })
}
