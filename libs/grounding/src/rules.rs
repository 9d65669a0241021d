//! Hard mismatches between a claim and the sentences that bear on it, each with a reason that a person can read.
//!
//! A rule only speaks where claim and sentence are about the same thing (enough shared weight); it says either that the
//! source holds something else in that place (a contradiction) or that nothing in the sources holds it (an addition).

use crate::align::{Alignment, align};
use crate::idf;
use crate::index::{Analysed, SourceIndex};
use crate::language::Language;
use crate::lists::{self, Quantifier};
use crate::numbers::Quantity;
use crate::select::Scope;
use crate::tokens::{Map, Token, TokenKind, Tokenizer};
use std::sync::LazyLock;

/// How hard a mismatch is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Strength {
    /// No source holds it.
    Added,
    /// The source holds something else in its place.
    Contradicts,
}

/// A mismatch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mismatch {
    /// How hard.
    pub(crate) strength: Strength,
    /// Stable word for the rule.
    pub(crate) rule: &'static str,
    /// Why, in a sentence.
    pub(crate) reason: String,
}

/// What the rules see.
pub(crate) struct Case<'a> {
    /// The claim.
    pub(crate) claim: &'a Analysed,
    /// The question, whose own words are no additions.
    pub(crate) question: Option<&'a Analysed>,
    /// Sentences that cover the claim, best first.
    pub(crate) evidence: Vec<&'a Analysed>,
    /// All sources.
    pub(crate) index: &'a SourceIndex,
    /// What the claim is held against.
    pub(crate) scope: &'a Scope,
}

/// Least share of a claim's plain words that the best sentence must hold for a contradiction of slots.
const SAME_SUBJECT: f64 = 0.5;
/// Least share for rules about words that paraphrases often change.
const NEAR_COPY: f64 = 0.7;
/// Least share for a reversal: everything is there, in another order.
const SAME_WORDS: f64 = 0.85;

/// All mismatches, hardest first, and the alignment with the best sentence.
pub(crate) fn mismatches(case: &Case<'_>) -> (Vec<Mismatch>, Alignment) {
    let Some(best) = case.evidence.first() else { return (additions(case), Alignment::default()) };
    let alignment = align(case.claim, best);
    let mut found = Vec::new();
    let shared = plain_share(case.claim, best);
    if plainly_aligned(case.claim, &alignment) >= NEAR_COPY {
        exchanged(case.claim, best, &alignment, &mut found);
    }
    if shared >= SAME_SUBJECT {
        figures(case, &alignment, shared, &mut found);
        opposites(case, best, &alignment, &mut found);
        names(case, &alignment, &mut found);
    }
    if shared >= NEAR_COPY {
        negation(case, &alignment, &mut found);
        quantifiers(case, best, &alignment, shared, &mut found);
        entities(case, &alignment, &mut found);
    }
    if shared >= SAME_WORDS {
        direction(case.claim, best, &alignment, &mut found);
    }
    found.extend(additions(case));
    found.sort_by_key(|mismatch| std::cmp::Reverse(mismatch.strength));
    (found, alignment)
}

/// Whether a token is a slot: a figure, a name of code, or a proper name.
fn is_slot(tokens: &[Token], at: usize) -> bool {
    let token = &tokens[at];
    matches!(token.kind, TokenKind::Number(_)) || token.named() || is_entity(tokens, at)
}

/// Capitalised words of answers that name nothing.
const NO_NAMES: &[&str] = &[
    "passage",
    "passages",
    "source",
    "sources",
    "step",
    "note",
    "according",
    "based",
    "fuente",
    "pasaje",
    "paso",
    "nota",
    "table",
    "section",
];

/// Whether a token is a proper name: a capital inside a sentence, or several capitals anywhere.
fn is_entity(tokens: &[Token], at: usize) -> bool {
    let token = &tokens[at];
    if token.kind != TokenKind::Word || !token.capital || token.stop || token.norm.chars().count() < 2 {
        return false;
    }
    let inside = at > 0 && (!token.opens || (tokens[at - 1].capital && !tokens[at - 1].stop));
    !NO_NAMES.contains(&token.norm.as_str()) && (inside || token.text.chars().skip(1).any(char::is_uppercase))
}

/// Share of the claim's weight outside slots that a sentence holds; 1 where the claim has nothing but slots.
pub(crate) fn plain_share(claim: &Analysed, source: &Analysed) -> f64 {
    let (mut all, mut held) = (0.0, 0.0);
    for (at, (token, weight)) in claim.tokens.iter().zip(&claim.weights).enumerate() {
        if *weight > 0.0 && !is_slot(&claim.tokens, at) {
            all += weight;
            if source.holds(token.stem) {
                held += weight;
            }
        }
    }
    if all > 0.0 { held / all } else { 1.0 }
}

/// Share of the claim's weight outside slots that is aligned with the best sentence; 0 where hardly anything is.
pub(crate) fn plainly_aligned(claim: &Analysed, alignment: &Alignment) -> f64 {
    let plain = |at: usize| if is_slot(&claim.tokens, at) { 0.0 } else { claim.weights[at] };
    let all: f64 = (0..claim.tokens.len()).map(plain).sum();
    let aligned: f64 = alignment.pairs.iter().map(|(at, _)| plain(*at)).sum();
    if all > 0.0 && alignment.pairs.len() >= 3 { aligned / all } else { 0.0 }
}

fn phrase(tokens: &[Token], range: std::ops::RangeInclusive<usize>) -> String {
    tokens
        .get(range)
        .unwrap_or_default()
        .iter()
        .map(|token| token.text.as_str())
        .collect::<Vec<_>>()
        .join(" ")
}

fn contradiction(rule: &'static str, claim: &str, source: &str) -> Mismatch {
    let reason = format!("{rule}: the claim says \"{claim}\" where the source says \"{source}\"");
    Mismatch { strength: Strength::Contradicts, rule, reason }
}

// === one word for another ===

/// In a near copy: a word or two stand exactly where the source has others, whatever else the sentences hold.
fn exchanged(claim: &Analysed, best: &Analysed, alignment: &Alignment, found: &mut Vec<Mismatch>) {
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
            (Some(at), None) if only_function(claim, &gap.claim) && only_function(best, &gap.source) => {
                let end = (gap.claim.end).min(claim.tokens.len() - 1);
                let start = gap.source.end.min(best.tokens.len() - 1);
                found.push(contradiction(
                    "negation",
                    &phrase(&claim.tokens, at..=end),
                    &phrase(&best.tokens, start..=start),
                ));
                continue;
            }
            (None, Some(at)) if only_function(claim, &gap.claim) && only_function(best, &gap.source) => {
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
            let relational = lists::RELATIONAL.contains(&one.norm.as_str()) && turned(claim, at, best, place);
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
        if let Some((at, place)) = quantified {
            found.push(contradiction("quantifier", &claim.tokens[at].text, &best.tokens[place].text));
        }
    }
}

// === figures ===

fn figures(case: &Case<'_>, alignment: &Alignment, shared: f64, found: &mut Vec<Mismatch>) {
    let claim = case.claim;
    for figure in &claim.quantities {
        if is_reference(&claim.tokens, figure)
            || is_conversion(claim, figure)
            || held_elsewhere(case, figure, shared)
        {
            continue;
        }
        let mut conflict = None;
        let mut held = false;
        for (rank, sentence) in case.evidence.iter().enumerate() {
            let mut same = sentence.quantities.iter().filter(|other| other.equals(figure)).peekable();
            if same.peek().is_some() {
                // The figure is there; is it there for the same thing?
                let fits = figure.head == 0
                    || same.any(|other| other.head == figure.head || other.before == figure.before)
                    || rank == 0
                        && !sentence.quantities.iter().any(|other| {
                            !other.equals(figure)
                                && other.head == figure.head
                                && other.head != 0
                                && !claim_says(claim, other)
                        });
                if fits {
                    held = true;
                    break;
                }
            }
            if rank > 0 && plain_share(claim, sentence) < SAME_SUBJECT {
                continue;
            }
            let rival = sentence
                .quantities
                .iter()
                .find(|other| rivals(figure, other) && !claim_has(claim, other, figure));
            conflict =
                conflict.or_else(|| rival.map(|other| phrase(&sentence.tokens, other.first..=other.last)));
            if conflict.is_none() && rank == 0 && !figure.soft && shared >= NEAR_COPY {
                conflict = alignment
                    .gaps
                    .iter()
                    .filter(|gap| {
                        gap.claim.contains(&figure.first) && gap.claim.len() <= 8 && gap.source.len() <= 10
                    })
                    .flat_map(|gap| {
                        sentence.quantities.iter().filter(|other| gap.source.contains(&other.first))
                    })
                    .find(|other| !other.equals(figure) && !other.soft && !claim_says(claim, other))
                    .map(|other| phrase(&sentence.tokens, other.first..=other.last));
            }
        }
        if let (false, Some(other)) = (held, conflict) {
            let said = phrase(&claim.tokens, figure.first..=figure.last);
            found.push(contradiction("number", &said, &other));
        }
    }
}

/// Whether a sentence that is about as much the claim's subject as the best one holds the figure for the same thing.
fn held_elsewhere(case: &Case<'_>, figure: &Quantity, shared: f64) -> bool {
    let places = case.index.postings.get(&crate::numbers::hash(figure.value));
    places
        .into_iter()
        .flatten()
        .filter_map(|place| case.index.sentences.get(usize::try_from(*place).ok()?))
        .any(|sentence| {
            case.scope.holds(sentence)
                && sentence.words.quantities.iter().any(|other| {
                    other.equals(figure)
                        && (other.head == figure.head
                            || (other.before == figure.before && figure.before != 0))
                })
                && plain_share(case.claim, &sentence.words) >= shared - 0.2
        })
}

/// Whether a figure in parentheses repeats the one before it in another unit: `12 inches (30.5 cm)`.
fn is_conversion(claim: &Analysed, figure: &Quantity) -> bool {
    figure.unit.is_some()
        && claim.tokens[figure.first].after_break
        && claim.quantities.iter().any(|other| other.last + 1 == figure.first && other.unit.is_some())
}

/// Whether two figures differ and measure or count the same thing.
fn rivals(figure: &Quantity, other: &Quantity) -> bool {
    !figure.equals(other)
        && ((figure.head != 0 && figure.head == other.head)
            || (figure.comparable(other) && (figure.before == other.before || figure.head == other.head))
            || (figure.before != 0 && figure.before == other.before && !figure.soft && !other.soft))
}

/// Whether the claim itself has the other figure.
fn claim_says(claim: &Analysed, other: &Quantity) -> bool {
    claim.quantities.iter().any(|own| own.equals(other))
}

/// Whether the claim has the other figure for the same thing.
fn claim_has(claim: &Analysed, other: &Quantity, figure: &Quantity) -> bool {
    claim
        .quantities
        .iter()
        .any(|own| own.first != figure.first && own.equals(other) && own.head == other.head)
}

/// Whether a figure numbers a passage or a step instead of counting something: "passages 1, 2 and 3".
fn is_reference(tokens: &[Token], figure: &Quantity) -> bool {
    tokens[..figure.first]
        .iter()
        .rev()
        .take(8)
        .find(|token| {
            !matches!(token.kind, TokenKind::Number(_))
                && !matches!(token.norm.as_str(), "and" | "y" | "to" | "or" | "&")
        })
        .is_some_and(|token| NO_NAMES.contains(&token.norm.as_str()))
}

// === negation ===

/// Whether a token denies what follows it; "not only" and "no more than" do not.
fn is_negator(tokens: &[Token], at: usize) -> bool {
    let token = &tokens[at];
    let denies = lists::NEGATORS.contains(&token.norm.as_str())
        || token.norm.ends_with("n't")
        || token.norm.ends_with("n'ts");
    let next = tokens.get(at + 1).map_or("", |token| token.norm.as_str());
    let softened =
        matches!(next, "only" | "solo" | "more" | "less" | "later" | "fewer" | "mas" | "menos" | "matter");
    denies && !softened
}

/// Whether a content token stands in the reach of a negator: up to four tokens behind it in the same clause.
fn negated(tokens: &[Token], at: usize) -> bool {
    let mut seen = at;
    for _ in 0..5 {
        if tokens[seen].after_break || seen == 0 {
            return false;
        }
        seen -= 1;
        if tokens[seen].norm == "but" || tokens[seen].norm == "pero" {
            return false;
        }
        if is_negator(tokens, seen) {
            return true;
        }
    }
    false
}

/// The first content token behind a negator, in reach.
fn denied(tokens: &[Token], at: usize) -> Option<usize> {
    (at + 1..tokens.len().min(at + 6))
        .take_while(|next| !tokens[*next].after_break)
        .find(|next| tokens[*next].content())
}

/// Whether a word outside the aligned ones denies by its meaning.
fn softly_negative(analysed: &Analysed, aligned: impl Fn(usize) -> bool) -> bool {
    analysed.tokens.iter().enumerate().any(|(at, token)| {
        let denies = lists::SOFT_NEGATORS.contains(&token.norm.as_str())
            || (token.norm.len() > 6 && (token.norm.starts_with("un") || token.norm.starts_with("non")));
        denies && !aligned(at)
    })
}

fn negation(case: &Case<'_>, alignment: &Alignment, found: &mut Vec<Mismatch>) {
    let (claim, Some(best)) = (case.claim, case.evidence.first()) else { return };
    if alignment.share < 0.55 {
        return;
    }
    let any = |analysed: &Analysed| (0..analysed.tokens.len()).any(|at| is_negator(&analysed.tokens, at));
    // The claim denies what the source affirms.
    if !any(best) && !softly_negative(best, |at| alignment.pairs.iter().any(|(_, theirs)| *theirs == at)) {
        for at in (0..claim.tokens.len()).filter(|at| is_negator(&claim.tokens, *at)) {
            let Some(target) = denied(&claim.tokens, at) else { continue };
            if alignment.pairs.iter().any(|(mine, _)| *mine == target) && !opposed(claim, best) {
                found.push(contradiction(
                    "negation",
                    &phrase(&claim.tokens, at..=target),
                    &claim.tokens[target].text,
                ));
                return;
            }
        }
    }
    // The source denies what the claim affirms.
    if any(claim) || softly_negative(claim, |at| alignment.pairs.iter().any(|(mine, _)| *mine == at)) {
        return;
    }
    for at in (0..best.tokens.len()).filter(|at| is_negator(&best.tokens, *at)) {
        let Some(target) = denied(&best.tokens, at) else { continue };
        let said = alignment.pairs.iter().find(|(_, theirs)| *theirs == target);
        if let (Some((mine, _)), false) = (said, opposed(claim, best)) {
            found.push(contradiction(
                "negation",
                &claim.tokens[*mine].text,
                &phrase(&best.tokens, at..=target),
            ));
            return;
        }
    }
}

/// Whether the claim holds an opposite of a word of the sentence.
fn opposed(claim: &Analysed, source: &Analysed) -> bool {
    !pairs(claim, source).is_empty()
}

/// Words by their folded form or stem, with the forms and stems of their opposites.
static OPPOSITES: LazyLock<Map<Vec<u64>>> = LazyLock::new(|| {
    let tokenizers = [Tokenizer::new(Some(Language::English)), Tokenizer::new(Some(Language::Spanish))];
    let forms = |word: &str| -> Vec<u64> {
        let mut forms = vec![crate::tokens::hash(word)];
        if word.len() > 3 {
            forms.extend(tokenizers.iter().map(|tokenizer| crate::tokens::hash(&tokenizer.stem(word))));
        }
        forms.dedup();
        forms
    };
    let mut table: Map<Vec<u64>> = Map::default();
    for (one, two) in lists::OPPOSITES {
        let (ones, twos) = (forms(one), forms(two));
        for form in &ones {
            table.entry(*form).or_default().extend(&twos);
        }
        for form in &twos {
            table.entry(*form).or_default().extend(&ones);
        }
    }
    table
});

/// Opposites: token of the claim, token of the source.
fn pairs(claim: &Analysed, source: &Analysed) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for (at, token) in claim.tokens.iter().enumerate().filter(|(_, token)| token.kind == TokenKind::Word) {
        let Some(others) = OPPOSITES.get(&token.stem) else { continue };
        if let Some(place) = source.tokens.iter().position(|other| others.contains(&other.stem)) {
            found.push((at, place));
        }
    }
    found
}

fn opposites(case: &Case<'_>, best: &Analysed, alignment: &Alignment, found: &mut Vec<Mismatch>) {
    let claim = case.claim;
    if alignment.share < 0.4 {
        return;
    }
    for (at, place) in pairs(claim, best) {
        let (token, other) = (&claim.tokens[at], &best.tokens[place]);
        let both = best.tokens.iter().any(|t| t.stem == token.stem)
            || claim.tokens.iter().any(|t| t.stem == other.stem);
        if both || negated(&claim.tokens, at) != negated(&best.tokens, place) {
            continue;
        }
        let facing = alignment.gaps.iter().any(|gap| {
            gap.claim.contains(&at)
                && gap.source.contains(&place)
                && gap.claim.len() <= 6
                && gap.source.len() <= 8
        });
        if !facing && !same_neighbours(claim, at, best, place) {
            continue;
        }
        if lists::RELATIONAL.contains(&token.norm.as_str()) && turned(claim, at, best, place) {
            continue;
        }
        found.push(contradiction("opposite", &token.text, &other.text));
        return;
    }
}

/// Whether two words have the same content word right before or right behind them.
fn same_neighbours(claim: &Analysed, at: usize, source: &Analysed, place: usize) -> bool {
    let (left, right) = sides(&claim.tokens, at);
    let (other_left, other_right) = sides(&source.tokens, place);
    (left != 0 && left == other_left) || (right != 0 && right == other_right)
}

/// Nearest content stems left and right of a token.
fn sides(tokens: &[Token], at: usize) -> (u64, u64) {
    let left = tokens[..at].iter().rev().take(5).find(|token| token.content()).map_or(0, |token| token.stem);
    let right = tokens[at + 1..].iter().take(5).find(|token| token.content()).map_or(0, |token| token.stem);
    (left, right)
}

/// Whether what stands left and right of the one word stands right and left of the other.
fn turned(claim: &Analysed, at: usize, source: &Analysed, place: usize) -> bool {
    let (left, right) = sides(&claim.tokens, at);
    let (other_left, other_right) = sides(&source.tokens, place);
    let before = |analysed: &Analysed, at: usize, stem: u64| {
        analysed.tokens[..at].iter().any(|token| token.stem == stem)
    };
    let crossed = left != 0 && right != 0 && (left == other_right || right == other_left);
    crossed || (left != 0 && left != other_left && !before(source, place, left) && source.holds(left))
}

// === quantifiers and modals ===

fn quantifiers(
    case: &Case<'_>,
    best: &Analysed,
    alignment: &Alignment,
    shared: f64,
    found: &mut Vec<Mismatch>,
) {
    let claim = case.claim;
    if alignment.share < 0.6 {
        return;
    }
    let own = classes(&claim.tokens);
    let theirs = classes(&best.tokens);
    for (at, class) in &own {
        if theirs.iter().any(|(_, other)| other == class) {
            continue;
        }
        let next = follower(&claim.tokens, *at);
        let rival = theirs.iter().find(|(place, other)| {
            class.conflicts(*other)
                && !own.iter().any(|(_, mine)| mine == other)
                && next != 0
                && (follower(&best.tokens, *place) == next || in_same_gap(alignment, *at, *place))
        });
        if let Some((place, _)) = rival {
            found.push(contradiction("quantifier", &claim.tokens[*at].text, &best.tokens[*place].text));
            return;
        }
        let word = &claim.tokens[*at];
        let extra = (0..claim.tokens.len())
            .filter(|i| {
                claim.tokens[*i].content() && i != at && !alignment.pairs.iter().any(|(mine, _)| mine == i)
            })
            .count();
        let close = alignment.share >= 0.85 && shared >= 0.85 && extra == 0;
        let absent = !case
            .evidence
            .iter()
            .any(|sentence| classes(&sentence.tokens).iter().any(|(_, other)| other == class));
        if close && absent && lists::STRENGTHENERS.contains(&word.norm.as_str()) && *class != Quantifier::None
        {
            let reason = format!("quantifier: the claim says \"{}\", which the source does not", word.text);
            found.push(Mismatch { strength: Strength::Added, rule: "quantifier", reason });
            return;
        }
    }
}

fn classes(tokens: &[Token]) -> Vec<(usize, Quantifier)> {
    let next = |at: usize| tokens.get(at + 1).map_or("", |token: &Token| token.norm.as_str());
    (0..tokens.len())
        .filter_map(|at| lists::quantifier(&tokens[at].norm, next(at)).map(|class| (at, class)))
        .collect()
}

/// Stem of the content word behind a token, which is what it is about.
fn follower(tokens: &[Token], at: usize) -> u64 {
    tokens[at + 1..].iter().take(5).find(|token| token.content()).map_or(0, |token| token.stem)
}

fn in_same_gap(alignment: &Alignment, at: usize, place: usize) -> bool {
    alignment.gaps.iter().any(|gap| gap.claim.contains(&at) && gap.source.contains(&place))
}

// === names, paths, entities ===

/// Whether the scope or the question holds a name, also as words or as the end of a path.
fn known_name(case: &Case<'_>, token: &Token) -> bool {
    let norm = token.norm.as_str();
    let bare = norm.trim_start_matches(['-', '$', '@', '/', '.']).trim_end_matches('/');
    let bare = bare.strip_prefix("https://").or_else(|| bare.strip_prefix("http://")).unwrap_or(bare);
    let bare = bare.strip_prefix("www.").unwrap_or(bare);
    let in_question = case.question.is_some_and(|question| question.flat.contains(norm));
    if in_question || bare.is_empty() || case.scope.has(case.index, token.stem) {
        return true;
    }
    let spaced: String = split_name(&token.text);
    let spaced = format!(" {spaced} ");
    case.scope.any(
        case.index,
        |passage| holds_name(&passage.lower, bare) || passage.flat.contains(&spaced),
        |sentence| {
            sentence.words.tokens.iter().any(|other| holds_name(&other.norm, bare))
                || sentence.words.flat.contains(&spaced)
        },
    )
}

/// Whether a text holds a name that is not part of a longer word.
fn holds_name(text: &str, name: &str) -> bool {
    let edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && c != '_');
    text.match_indices(name)
        .any(|(at, _)| edge(text[..at].chars().next_back()) && edge(text[at + name.len()..].chars().next()))
}

/// `maxRows` and `max_rows` as "max rows".
fn split_name(name: &str) -> String {
    let mut out = String::new();
    let mut lower = false;
    for c in name.chars() {
        if c == '_' || c == '-' || c == '.' || c == '/' || c == ':' {
            out.push(' ');
            lower = false;
        } else {
            if c.is_uppercase() && lower {
                out.push(' ');
            }
            lower = c.is_lowercase();
            out.extend(c.to_lowercase());
        }
    }
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn names(case: &Case<'_>, alignment: &Alignment, found: &mut Vec<Mismatch>) {
    let claim = case.claim;
    for (at, token) in claim.tokens.iter().enumerate() {
        let slot = token.named() || (token.code && token.content() && token.kind == TokenKind::Word);
        if !slot
            || case
                .evidence
                .iter()
                .any(|sentence| sentence.holds(token.stem) || holds_name(&sentence.flat, &token.norm))
        {
            continue;
        }
        let Some(best) = case.evidence.first() else { continue };
        let rival = |place: &usize| {
            let other = &best.tokens[*place];
            (other.named() || other.code) && other.content() && !claim.holds(other.stem)
        };
        let gap = alignment
            .gaps
            .iter()
            .filter(|gap| gap.claim.contains(&at))
            .find_map(|gap| gap.source.clone().find(rival));
        let known = known_name(case, token);
        let alike = if known {
            None
        } else {
            (0..best.tokens.len()).filter(rival).find(|place| similar(&token.norm, &best.tokens[*place].norm))
        };
        if let Some(place) = gap.or(alike) {
            let rule = if token.kind == TokenKind::Path { "path" } else { "identifier" };
            found.push(contradiction(rule, &token.text, &best.tokens[place].text));
            return;
        }
    }
}

/// Whether two names look like one another: they share a half, or differ in few letters.
pub(crate) fn similar(one: &str, two: &str) -> bool {
    if one == two {
        return true;
    }
    let common = one.chars().zip(two.chars()).take_while(|(a, b)| a == b).count();
    let ending = one.chars().rev().zip(two.chars().rev()).take_while(|(a, b)| a == b).count();
    let longest = one.chars().count().max(two.chars().count());
    common.max(ending) * 2 >= longest || distance(one, two) <= longest / 4
}

/// Levenshtein distance of short names.
pub(crate) fn distance(one: &str, two: &str) -> usize {
    let two: Vec<char> = two.chars().take(64).collect();
    let mut row: Vec<usize> = (0..=two.len()).collect();
    for (i, a) in one.chars().take(64).enumerate() {
        let mut corner = row[0];
        row[0] = i + 1;
        for (j, b) in two.iter().enumerate() {
            let value = (corner + usize::from(a != *b)).min(row[j] + 1).min(row[j + 1] + 1);
            corner = row[j + 1];
            row[j + 1] = value;
        }
    }
    row[two.len()]
}

/// Content tokens in a range.
fn contents(analysed: &Analysed, range: &std::ops::Range<usize>) -> usize {
    analysed.tokens[range.clone()].iter().filter(|token| token.content()).count()
}

fn entities(case: &Case<'_>, alignment: &Alignment, found: &mut Vec<Mismatch>) {
    let claim = case.claim;
    let Some(best) = case.evidence.first() else { return };
    // At the start of a sentence a capital says nothing, unless the source has another word in the same place.
    let opening = claim
        .tokens
        .first()
        .is_some_and(|token| token.capital && token.content() && idf::of_stem(token.stem) >= 6.0);
    for at in (0..claim.tokens.len()).filter(|at| is_entity(&claim.tokens, *at) || (*at == 0 && opening)) {
        let token = &claim.tokens[at];
        if case.evidence.iter().any(|sentence| sentence.holds(token.stem)) || acronym(token, best) {
            continue;
        }
        let rival = |place: &usize| {
            is_entity(&best.tokens, *place) && !claim.holds(best.tokens[*place].stem)
                || best.tokens[*place].kind == TokenKind::Word
                    && best.tokens[*place].capital
                    && best.tokens[*place].content()
                    && *place == 0
                    && at == 0
                    && idf::of_stem(best.tokens[*place].stem) >= 6.0
        };
        let gap = alignment
            .gaps
            .iter()
            .filter(|gap| {
                gap.claim.contains(&at)
                    && contents(claim, &gap.claim) <= 2
                    && contents(best, &gap.source) <= 3
            })
            .find_map(|gap| gap.source.clone().find(rival));
        if let (Some(place), true) = (gap, alignment.share >= 0.5) {
            found.push(contradiction("entity", &token.text, &best.tokens[place].text));
            return;
        }
    }
}

/// Whether a word is made of the initials of neighbouring words of a sentence, or the other way round.
fn acronym(token: &Token, source: &Analysed) -> bool {
    let letters: Vec<char> = token.norm.chars().collect();
    if letters.len() < 2 || letters.len() > 6 {
        return false;
    }
    source
        .tokens
        .windows(letters.len())
        .any(|words| words.iter().zip(&letters).all(|(word, letter)| word.norm.starts_with(*letter)))
}

// === direction ===

fn direction(claim: &Analysed, best: &Analysed, alignment: &Alignment, found: &mut Vec<Mismatch>) {
    let passive = |analysed: &Analysed| {
        analysed.tokens.iter().any(|token| lists::PASSIVE.contains(&token.norm.as_str()))
    };
    let covered: f64 = plain_share(best, claim);
    // "A before B" and "B after A" say the same.
    let converse =
        pairs(claim, best).iter().any(|(at, _)| lists::RELATIONAL.contains(&claim.tokens[*at].norm.as_str()));
    if converse || passive(claim) != passive(best) || covered < 0.5 {
        return;
    }
    let content = |analysed: &Analysed, range: std::ops::Range<usize>| -> Vec<usize> {
        range.filter(|at| analysed.tokens[*at].content()).collect()
    };
    // The same two things stand in each other's place.
    for (first, gap) in alignment.gaps.iter().enumerate() {
        let (mine, theirs) = (content(claim, gap.claim.clone()), content(best, gap.source.clone()));
        let ([a, ..], [b, ..]) = (mine.as_slice(), theirs.as_slice()) else { continue };
        if mine.len() > 2 || theirs.len() > 2 {
            continue;
        }
        let (a, b) = (&claim.tokens[*a], &best.tokens[*b]);
        for other in &alignment.gaps[first + 1..] {
            let (mine, theirs) = (content(claim, other.claim.clone()), content(best, other.source.clone()));
            let swapped = mine.len() <= 2
                && theirs.len() <= 2
                && mine.iter().any(|at| claim.tokens[*at].stem == b.stem)
                && theirs.iter().any(|at| best.tokens[*at].stem == a.stem);
            let listed = (gap.claim.end..other.claim.start).all(|at| !claim.tokens[at].content())
                && (gap.claim.end..other.claim.start)
                    .any(|at| matches!(claim.tokens[at].norm.as_str(), "and" | "or" | "y" | "o" | "e" | "u"));
            if swapped && !listed && a.stem != b.stem {
                let said = phrase(&claim.tokens, gap.claim.start..=other.claim.end.saturating_sub(1));
                let held = phrase(&best.tokens, gap.source.start..=other.source.end.saturating_sub(1));
                found.push(contradiction("direction", &said, &held));
                return;
            }
        }
    }
    // The two sides of a relation are exchanged.
    for &(at, place) in &alignment.pairs {
        let token = &claim.tokens[at];
        if matches!(token.norm.as_str(), "and" | "or" | "y" | "o" | "the" | "a" | "an" | "of" | "de") {
            continue;
        }
        let (left, right) = sides(&claim.tokens, at);
        let (other_left, other_right) = sides(&best.tokens, place);
        if left != 0 && right != 0 && left != right && left == other_right && right == other_left {
            found.push(contradiction(
                "direction",
                &phrase(&claim.tokens, at.saturating_sub(2)..=(at + 2).min(claim.tokens.len() - 1)),
                &phrase(&best.tokens, place.saturating_sub(2)..=(place + 2).min(best.tokens.len() - 1)),
            ));
            return;
        }
    }
}

// === additions ===

/// Figures, names and proper names that neither the scope nor the question holds.
fn additions(case: &Case<'_>) -> Vec<Mismatch> {
    let mut found = Vec::new();
    let claim = case.claim;
    let asked = |stem: u64| case.question.is_some_and(|question| question.holds(stem));
    let add = |rule: &'static str, text: &str| Mismatch {
        strength: Strength::Added,
        rule,
        reason: format!("{rule}: no source holds \"{text}\""),
    };
    for figure in claim.quantities.iter().filter(|figure| {
        !figure.soft && !is_reference(&claim.tokens, figure) && !is_conversion(claim, figure)
    }) {
        let stem = crate::numbers::hash(figure.value);
        if asked(stem) || case.scope.has(case.index, stem) {
            continue;
        }
        let held = case.scope.any(
            case.index,
            |passage| {
                case.index.sentences[passage.sentences.clone()]
                    .iter()
                    .any(|s| s.words.quantities.iter().any(|other| other.equals(figure)))
            },
            |sentence| sentence.words.quantities.iter().any(|other| other.equals(figure)),
        );
        if !held {
            found.push(add("number", &phrase(&claim.tokens, figure.first..=figure.last)));
        }
    }
    for token in claim.tokens.iter().filter(|token| token.named()) {
        if !known_name(case, token) {
            let rule = if token.kind == TokenKind::Path { "path" } else { "identifier" };
            found.push(add(rule, &token.text));
        }
    }
    for at in (0..claim.tokens.len()).filter(|at| is_entity(&claim.tokens, *at)) {
        let token = &claim.tokens[at];
        let prefix_held = case.scope.any(
            case.index,
            |passage| passage.prefixes.contains(&token.prefix),
            |sentence| sentence.words.tokens.iter().any(|other| other.prefix == token.prefix),
        );
        let initials = case.evidence.iter().any(|sentence| acronym(token, sentence));
        if !asked(token.stem) && !prefix_held && !initials && !case.scope.has(case.index, token.stem) {
            found.push(add("entity", &token.text));
        }
    }
    found
}
