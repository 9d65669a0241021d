//! Figures of another section: "with the Start plan, backups are kept for 30 days" where that stands under the Pro plan.
//!
//! A thing that the sources describe in a section of their own is named at its head, and the sentences behind that leave the
//! name out. A claim that names it, and has its figure from a sentence of another such section, has mixed the two up.

use super::figures::{is_conversion, is_reference, said};
use super::{Case, Mismatch, is_entity, plain_share, sure};
use crate::index::Analysed;
use crate::numbers::Quantity;
use crate::tokens::{Token, TokenKind};

/// Longest claim that is looked at, in tokens.
const LONGEST: usize = 28;
/// Sentences back to the name at the head of a section.
const BACK: usize = 8;
/// Mentions of a name, and sentences with a figure, that are looked at.
const MOST: usize = 12;
/// Least share of the claim that the sentences of both sections hold.
const ALIKE: f64 = 0.5;
/// Words of a heading at most.
const HEADING: usize = 3;

/// Whether a token may name what a section is about.
fn names(words: &Analysed, at: usize) -> bool {
    let token = &words.tokens[at];
    token.content()
        && !matches!(token.kind, TokenKind::Number(_))
        && token.weight >= 2.0
        && (token.capital || token.named() || is_entity(&words.tokens, at))
}

/// How a name stands at the head of a section.
#[derive(Clone, Copy, PartialEq)]
struct Form {
    heading: bool,
    before: Option<u64>,
    behind: Option<u64>,
}

fn form(words: &Analysed, at: usize) -> Form {
    let content = |token: &&Token| token.content() && !matches!(token.kind, TokenKind::Number(_));
    let before =
        at.checked_sub(1).and_then(|at| words.tokens.get(at)).filter(content).map(|token| token.stem);
    let behind = words.tokens.get(at + 1).filter(content).map(|token| token.stem);
    Form { heading: words.tokens.len() <= HEADING, before, behind }
}

impl Form {
    /// Whether another name stands in the same way.
    fn like(self, other: Self) -> bool {
        let same = |one: Option<u64>, two: Option<u64>| one.is_some() && one == two;
        (self.heading && other.heading) || same(self.before, other.before) || same(self.behind, other.behind)
    }
}

/// Whose section a sentence stands in.
#[derive(PartialEq)]
enum Owner {
    Own,
    Other,
    Nobody,
}

fn owner(case: &Case<'_>, place: usize, name: &Token, forms: &[Form]) -> Owner {
    let Some(sentence) = case.index.sentences.get(place) else { return Owner::Nobody };
    for back in (place.saturating_sub(BACK)..=place).rev() {
        let Some(earlier) =
            case.index.sentences.get(back).filter(|earlier| earlier.source == sentence.source)
        else {
            return Owner::Nobody;
        };
        let words = &earlier.words;
        if words.says(name.stem) {
            return Owner::Own;
        }
        let rival = (0..words.tokens.len()).any(|at| {
            names(words, at)
                && !case.claim.says(words.tokens[at].stem)
                && forms.iter().any(|form| form.like(self::form(words, at)))
        });
        if rival {
            return Owner::Other;
        }
    }
    Owner::Nobody
}

/// A claim's figure that stands in the section of another thing than the claim names.
pub(super) fn sections(case: &Case<'_>, found: &mut Vec<Mismatch>) {
    let claim = case.claim;
    if claim.tokens.len() > LONGEST || claim.quantities.is_empty() || found.iter().any(|other| other.sure) {
        return;
    }
    let sentences = |stem: u64| {
        case.index.places(stem).iter().take(MOST).filter_map(|place| usize::try_from(*place).ok()).filter(
            |place| case.index.sentences.get(*place).is_some_and(|sentence| case.scope.holds(sentence)),
        )
    };
    let figures = || {
        claim.quantities.iter().filter(|figure| {
            !figure.soft && !is_reference(&claim.tokens, figure) && !is_conversion(claim, figure)
        })
    };
    if figures().next().is_none() {
        return;
    }
    for at in (0..claim.tokens.len()).filter(|at| names(claim, *at)) {
        let name = &claim.tokens[at];
        let mentions: Vec<usize> = sentences(name.stem).collect();
        let forms: Vec<Form> = mentions
            .iter()
            .filter_map(|place| case.index.sentences.get(*place))
            .filter_map(|sentence| {
                let words = &sentence.words;
                let place = words.tokens.iter().position(|token| token.stem == name.stem)?;
                names(words, place).then(|| form(words, place))
            })
            .collect();
        if forms.is_empty() {
            continue;
        }
        for figure in figures() {
            let places = sentences(crate::numbers::hash(figure.value));
            let section = Section { name, forms: &forms, mentions: &mentions };
            if let Some(mismatch) = misplaced(case, &section, figure, places) {
                found.push(mismatch);
                return;
            }
        }
    }
}

/// What a claim names, and where the sources do.
struct Section<'a> {
    name: &'a Token,
    forms: &'a [Form],
    mentions: &'a [usize],
}

fn misplaced(
    case: &Case<'_>,
    section: &Section<'_>,
    figure: &Quantity,
    places: impl Iterator<Item = usize>,
) -> Option<Mismatch> {
    let (name, forms) = (section.name, section.forms);
    let words = |place: usize| case.index.sentences.get(place).map(|sentence| &sentence.words);
    let mut there: Option<(f64, usize)> = None;
    for place in places {
        let held = words(place)?;
        if !held.quantities.iter().any(|other| other.equals(figure)) {
            continue;
        }
        let share = plain_share(case.claim, held);
        match owner(case, place, name, forms) {
            Owner::Other if share >= ALIKE && there.is_none_or(|(most, _)| share > most) => {
                there = Some((share, place))
            }
            Owner::Other => {}
            _ => return None,
        }
    }
    let (share, place) = there?;
    let held = words(place)?.quantities.iter().find(|other| other.equals(figure))?;
    // The same is said of the claim's own thing, with another figure.
    let near = section.mentions.iter().flat_map(|mention| *mention..=mention + BACK);
    near.filter(|other| *other != place).find_map(|other| {
        let there = words(other)?;
        let rival = there.quantities.iter().find(|rival| {
            let alike = |one: u64, two: u64| one != 0 && one == two;
            rival.comparable(figure)
                && !rival.equals(figure)
                && (alike(rival.head, held.head)
                    || alike(rival.before, held.before)
                    || there.quantities.len() == 1)
        })?;
        let own =
            plain_share(case.claim, there) + 0.1 >= share && owner(case, other, name, forms) == Owner::Own;
        own.then(|| sure("number", &said(case.claim, figure), &said(there, rival)))
    })
}
