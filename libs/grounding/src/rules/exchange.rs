//! In a near copy: one word stands exactly where the source has another.

use super::names::{acronym, holds_name};
use super::negation::{is_negator, negated, softly_negative};
use super::opposites::{OPPOSITES, turned};
use super::{Mismatch, contradiction, is_entity, phrase};
use crate::align::Alignment;
use crate::index::Analysed;
use crate::lists;
use crate::tokens::TokenKind;

/// In a near copy: a word or two stand exactly where the source has others, whatever else the sentences hold.
pub(super) fn exchanged(claim: &Analysed, best: &Analysed, alignment: &Alignment, found: &mut Vec<Mismatch>) {
    for gap in alignment.gaps.iter().filter(|gap| gap.claim.len() <= 3 && gap.source.len() <= 3) {
        let mine = |test: &dyn Fn(usize) -> bool| gap.claim.clone().find(|at| test(*at));
        let theirs = |test: &dyn Fn(usize) -> bool| gap.source.clone().find(|at| test(*at));
        let denied = |analysed: &Analysed, range: &std::ops::Range<usize>| {
            range.clone().find(|at| is_negator(&analysed.tokens, *at))
        };
        let only_function = |analysed: &Analysed, range: &std::ops::Range<usize>| {
            range.clone().all(|at| analysed.tokens[at].stop || analysed.tokens[at].norm.ends_with("n't"))
        };
        match (denied(claim, &gap.claim), denied(best, &gap.source)) {
            (Some(at), None)
                if only_function(claim, &gap.claim)
                    && only_function(best, &gap.source)
                    && !softly_negative(best, |at| claim.holds(best.tokens[at].stem)) =>
            {
                let end = (gap.claim.end).min(claim.tokens.len() - 1);
                let start = gap.source.end.min(best.tokens.len() - 1);
                found.push(contradiction(
                    "negation",
                    &phrase(&claim.tokens, at..=end),
                    &phrase(&best.tokens, start..=start),
                ));
                continue;
            }
            (None, Some(at))
                if only_function(claim, &gap.claim)
                    && only_function(best, &gap.source)
                    && !softly_negative(claim, |at| best.holds(claim.tokens[at].stem)) =>
            {
                let end = (gap.source.end).min(best.tokens.len() - 1);
                let start = gap.claim.end.min(claim.tokens.len() - 1);
                found.push(contradiction(
                    "negation",
                    &phrase(&claim.tokens, start..=start),
                    &phrase(&best.tokens, at..=end),
                ));
                continue;
            }
            _ => {}
        }
        if gap.claim.len() > 2 || gap.source.len() > 2 {
            continue;
        }
        let code = |analysed: &Analysed, at: usize| {
            let token = &analysed.tokens[at];
            (token.named() || token.code) && token.content()
        };
        if let (Some(one), Some(two)) = (mine(&|at| code(claim, at)), theirs(&|at| code(best, at))) {
            let (one, two) = (&claim.tokens[one], &best.tokens[two]);
            if !holds_name(&two.norm, &one.norm) && !holds_name(&one.norm, &two.norm) {
                let rule = if one.kind == TokenKind::Path { "path" } else { "identifier" };
                found.push(contradiction(rule, &one.text, &two.text));
                continue;
            }
        }
        let capital =
            |at: usize| is_entity(&best.tokens, at) || (best.tokens[at].capital && best.tokens[at].content());
        if let (Some(one), Some(two)) = (mine(&|at| is_entity(&claim.tokens, at)), theirs(&capital)) {
            let (one, two) = (&claim.tokens[one], &best.tokens[two]);
            if gap.claim.len() == gap.source.len()
                && one.prefix != two.prefix
                && !acronym(one, best)
                && !acronym(two, claim)
            {
                found.push(contradiction("entity", &one.text, &two.text));
                continue;
            }
        }
        let opposite = gap.claim.clone().find_map(|at| {
            let others = OPPOSITES.get(&claim.tokens[at].stem)?;
            gap.source
                .clone()
                .find(|place| others.contains(&best.tokens[*place].stem))
                .map(|place| (at, place))
        });
        if let Some((at, place)) = opposite {
            let (one, two) = (&claim.tokens[at], &best.tokens[place]);
            let both = best.tokens.iter().any(|t| t.stem == one.stem)
                || claim.tokens.iter().any(|t| t.stem == two.stem);
            let relational = both
                || super::denials(claim) != super::denials(best)
                || lists::RELATIONAL.contains(&one.norm.as_str()) && turned(claim, at, best, place);
            if negated(&claim.tokens, at) == negated(&best.tokens, place) && !relational {
                found.push(contradiction("opposite", &one.text, &two.text));
                continue;
            }
        }
        let class = |analysed: &Analysed, at: usize| {
            let next = analysed.tokens.get(at + 1).map_or("", |token| token.norm.as_str());
            lists::quantifier(&analysed.tokens[at].norm, next)
        };
        let quantified = gap.claim.clone().find_map(|at| {
            let own = class(claim, at)?;
            gap.source
                .clone()
                .find(|place| class(best, *place).is_some_and(|other| own.conflicts(other)))
                .map(|place| (at, place))
        });
        if let Some((at, place)) = quantified
            && super::denials(claim) == super::denials(best)
        {
            found.push(contradiction("quantifier", &claim.tokens[at].text, &best.tokens[place].text));
        }
    }
}
