//! Exceptions: a claim that says of what a sentence takes out what that says of the rest, that says it of all, or that takes
//! out something by itself; a case with "unless" and the same case with "if", turned.

use super::except::{
    any, excepts, first, items, outside, piece_end, piece_start, speaks_of_exception, taken_out,
};
use super::negation::in_case;
use super::{
    Case, Mismatch, NEARBY, SAME_WORDS, Strength, contradiction, opposites, phrase, plain_share, sure,
};
use crate::flags;
use crate::index::{Analysed, POSTINGS};
use crate::quantifiers::{Quantifier, names_all};
use crate::tokens::Token;
use std::ops::Range;

/// Tokens of an exception that a reason names.
const NAMED: usize = 4;
/// Most tokens before the thing that a text begins with.
const LEADS: usize = 3;

/// What exceptions say for and against a claim; asked last, for it takes back what other rules found.
pub(super) fn exceptions(case: &Case<'_>, shared: f64, found: &mut Vec<Mismatch>) {
    let (claim, Some(best)) = (case.claim, case.evidence.first()) else { return };
    if let Some((one, two)) = case.evidence.iter().find_map(|words| of_another(case, words)) {
        found.push(sure("exception", &one, &two));
        return;
    }
    if any(claim) == any(best) {
        if any(claim) && shared >= SAME_WORDS {
            found.extend(widened(claim, best).map(|(one, two)| contradiction("exception", &one, &two)));
        }
        return;
    }
    if denied_of_exception(claim, best) {
        found.retain(|other| !matches!(other.rule, "negation" | "opposite"));
        return;
    }
    // A part says nothing of the exception that the claim names beside it; a further sentence may say it of what this one takes out.
    let said_of_it = |words: &&Analysed| !any(words) && plain_share(claim, words) >= SAME_WORDS;
    if case.part || case.evidence.iter().skip(1).any(said_of_it) {
        return;
    }
    if shared >= SAME_WORDS
        && let Some((one, two)) = turned_case(claim, best).or_else(|| dropped(claim, best))
    {
        found.push(contradiction("exception", &one, &two));
    } else {
        found.extend(added(case, best));
    }
}

/// What a claim takes out of less than the sentence does, which takes it out for a case only, or more beside it: "except on
/// Mondays" where that says "except on Mondays in winter".
fn widened(claim: &Analysed, best: &Analysed) -> Option<(String, String)> {
    let (mine, theirs) = (first(claim)?, first(best)?);
    let (own, taken) = (taken_out(&claim.tokens, mine), taken_out(&best.tokens, theirs));
    let held = &best.tokens[taken.clone()];
    let said = |at: usize| held.iter().any(|other| claim.tokens[at].means(other));
    if !own.clone().all(|at| at == mine || !claim.tokens[at].content() || said(at)) {
        return None;
    }
    let content = |at: &usize| *at != theirs && best.tokens[*at].content();
    let unsaid = |at: usize| !claim.says_token(&best.tokens[at]);
    let (items, narrowed) = items(&best.tokens, &taken);
    let left_out = |item: Range<usize>| {
        let mut words = item.filter(content).peekable();
        words.peek().is_some() && words.all(unsaid)
    };
    (items.into_iter().any(left_out) || narrowed.filter(content).any(unsaid)).then(|| {
        let quote =
            |words: &Analysed, range: Range<usize>| phrase(&words.tokens, range.start..=range.end - 1);
        (quote(claim, own), quote(best, taken.clone()))
    })
}

/// Least weight of a word that tells one thing from another.
const TELLS: f64 = 1.5;

/// The thing of which a claim says what a sentence says of another one and takes out, where the sources tell the two apart: "the
/// library is closed on Mondays" where the cinema is open "every day except Monday".
fn of_another(case: &Case<'_>, words: &Analysed) -> Option<(String, String)> {
    let claim = case.claim;
    if !speaks_of_exception(claim, words) {
        return None;
    }
    let exception = Exception::of(words)?;
    let pairs = opposites::pairs(claim, words);
    let tells = |token: &Token| {
        let other = token.is(flags::WEEK) || token.is(flags::EXCEPTS) || names_all(&token.norm);
        token.content() && token.weight >= TELLS && !other
    };
    // Each leads what is said of it, and the other text does not speak of it.
    let leads = |tokens: &[Token]| tokens.iter().take(LEADS).position(Token::content);
    let (mine, theirs) = (leads(&claim.tokens)?, leads(&words.tokens)?);
    let (one, two) = (&claim.tokens[mine], &words.tokens[theirs]);
    let apart = tells(one)
        && tells(two)
        && !words.says_token(one)
        && !claim.says_token(two)
        && !exception.taken.contains(&theirs)
        && pairs.iter().all(|(own, place)| *own != mine && *place != theirs);
    (apart && told_apart(case, one.stem, words, two.stem))
        .then(|| (one.text.to_string(), two.text.to_string()))
}

/// Whether the sources name a thing, but not in or shortly before a sentence about another one, which may be the same there.
fn told_apart(case: &Case<'_>, thing: u64, words: &Analysed, other: u64) -> bool {
    let index = case.index;
    let mut places =
        index.places(other).iter().take(POSTINGS).filter_map(|place| usize::try_from(*place).ok());
    let held = |place: &usize| {
        index.sentences.get(*place).is_some_and(|held| std::ptr::eq(&raw const held.words, words))
    };
    let before = |place: usize| place.saturating_sub(NEARBY)..place + 1;
    case.scope.has(index, thing)
        && !case.question.is_some_and(|question| question.says(thing))
        && places.find(held).is_some_and(|place| index.places_between(thing, &before(place)).is_empty())
}

/// Whether a text denies by a word that the other has not.
fn softly(one: &Analysed, two: &Analysed) -> bool {
    one.tokens
        .iter()
        .any(|token| token.is(flags::SOFT) && !token.is(flags::CONDITIONAL) && !two.says_token(token))
}

/// Whether a claim denies of what a sentence takes out what that says of the rest.
fn denied_of_exception(claim: &Analysed, best: &Analysed) -> bool {
    speaks_of_exception(claim, best)
        && all(claim).is_none()
        && super::denials(claim) % 2 != super::denials(best) % 2
        && !opposites::opposed(claim, best)
}

/// The first word that speaks of all.
fn all(words: &Analysed) -> Option<usize> {
    words.tokens.iter().position(|token| token.class == Some(Quantifier::All) || names_all(&token.norm))
}

/// Whether two texts say of the same things the one what the other denies.
fn turned(claim: &Analysed, best: &Analysed) -> bool {
    opposites::opposed(claim, best)
        || softly(claim, best)
        || softly(best, claim)
        || super::denials(claim) != super::denials(best)
}

/// Whether a claim speaks of the rest alone: "all other rooms".
fn of_rest(claim: &Analysed) -> bool {
    claim.tokens.iter().any(|token| {
        matches!(
            token.norm.as_str(),
            "other" | "others" | "rest" | "remaining" | "otros" | "otras" | "demas" | "resto" | "restantes"
        )
    })
}

/// What a sentence takes out, and the clause that it takes it from.
struct Exception<'a> {
    words: &'a Analysed,
    /// The word that takes it out.
    at: usize,
    taken: Range<usize>,
    clause: Range<usize>,
}

impl<'a> Exception<'a> {
    /// The first exception of a sentence; none where what follows stands beside the rest.
    fn of(words: &'a Analysed) -> Option<Self> {
        let tokens = &words.tokens;
        let at = first(words)?;
        // "Apart from swimming, guests can play tennis" takes nothing out; cases with "unless" are read as such.
        let beside = matches!(tokens[at].norm.as_str(), "apart" | "aparte" | "other") && all(words).is_none();
        if beside || tokens[at].norm == "unless" {
            return None;
        }
        let own = piece_start(tokens, at);
        // "…, with the exception of the saw": what it is taken from stands before the comma, or behind where it begins the sentence.
        let apart = at <= own + 2;
        let end = piece_end(tokens, at);
        let clause = match own.checked_sub(1).filter(|_| apart) {
            Some(before) => piece_start(tokens, before)..end,
            None if apart && end < tokens.len() => 0..piece_end(tokens, end),
            None => own..end,
        };
        Some(Self { words, at, taken: taken_out(tokens, at), clause })
    }

    /// The clause without what is taken out.
    fn rest(&self) -> impl Iterator<Item = &'a Token> {
        let (words, taken) = (self.words, self.taken.clone());
        self.clause.clone().filter(move |at| !taken.contains(at)).map(move |at| &words.tokens[at])
    }

    /// Whether all that a claim says is said of the rest, or is taken out of it.
    fn says_all_of(&self, claim: &Analysed) -> bool {
        let clause = &self.words.tokens[self.clause.clone()];
        let within = |stem: u64| clause.iter().any(|token| token.stem == stem);
        let said = |token: &Token| within(token.stem) || token.others().iter().any(|other| within(*other));
        claim.tokens.iter().all(|token| !token.content() || said(token))
    }

    /// Whether a claim says of what is taken out what holds of the rest: "the museum is open on Monday".
    fn is_said_of_taken(&self, claim: &Analysed) -> bool {
        let said = |token: &&Token| token.content() && claim.says_token(token);
        // "Everyone but the captain may leave": what is said of the rest may stand behind what is taken out.
        let behind = || self.words.tokens[self.taken.clone()].iter().filter(said).count() > 1;
        speaks_of_exception(claim, self.words) && (self.rest().any(|token| said(&token)) || behind())
    }

    /// Whether a claim says of all what the sentence says of the rest: "the museum is open every day".
    fn is_forgotten(&self, claim: &Analysed) -> bool {
        let named = |token: &Token| token.class == Some(Quantifier::All) || names_all(&token.norm);
        let said = |at: usize| claim.says_token(&self.words.tokens[at]);
        let heads = |tokens: &mut dyn Iterator<Item = &Token>| -> Option<u64> {
            let mut behind = tokens.skip_while(|token| !named(token)).skip(1).take(3);
            behind.find(|token| token.content()).map(|token| token.stem)
        };
        let (own, theirs) = (heads(&mut claim.tokens.iter()), heads(&mut self.rest()));
        let other = |at: &usize| {
            let token = &self.words.tokens[*at];
            *at != self.at && token.content() && Some(token.stem) != theirs
        };
        let mut taken = self.taken.clone().filter(other);
        // "All but the night train carry bicycles": what the claim does not say stands first.
        all(claim).is_some()
            && self.rest().any(named)
            && own == theirs
            && taken.next().is_some_and(|at| !said(at))
    }
}

/// What a claim says of the exception or in spite of it, and the exception of the sentence.
fn dropped(claim: &Analysed, best: &Analysed) -> Option<(String, String)> {
    let exception = Exception::of(best)?;
    if any(claim) || turned(claim, best) || of_rest(claim) {
        return None;
    }
    let wrong =
        exception.says_all_of(claim) && exception.is_said_of_taken(claim) || exception.is_forgotten(claim);
    let taken = exception.taken.start..exception.taken.end.min(exception.taken.start + NAMED);
    wrong.then(|| {
        (phrase(&claim.tokens, 0..=claim.tokens.len() - 1), phrase(&best.tokens, taken.start..=taken.end - 1))
    })
}

/// An exception of a claim to what a sentence says without one, of a thing that no source has.
fn added(case: &Case<'_>, best: &Analysed) -> Option<Mismatch> {
    let claim = case.claim;
    let exception = Exception::of(claim)?;
    let tokens = &claim.tokens;
    // "All rooms but the attic have heating": what is said of the rest may stand behind what is taken out.
    let new = |at: &usize| {
        let token = &tokens[*at];
        token.content() && !token.is(flags::EXCEPTS) && !best.says_token(token)
    };
    let names: Vec<usize> = exception.taken.clone().filter(new).collect();
    let known = |at: &usize| {
        let token = &tokens[*at];
        case.scope.says_token(case.index, token)
            || case.scope.begins(case.index, token.prefix)
            || case.question.is_some_and(|question| question.says_token(token))
    };
    let (mut mass, mut held) = (0.0, 0.0);
    for (at, (token, weight)) in tokens.iter().zip(&claim.weights).enumerate() {
        if *weight > 0.0 && at != exception.at && !names.contains(&at) {
            mass += weight;
            held += if best.says_token(token) { *weight } else { 0.0 };
        }
    }
    if held < SAME_WORDS * mass || names.is_empty() || names.iter().any(known) || turned(claim, best) {
        return None;
    }
    let taken = phrase(tokens, exception.taken.start..=exception.taken.end - 1);
    if self::all(best).is_some() {
        return Some(sure("exception", &taken, &phrase(&best.tokens, 0..=best.tokens.len() - 1)));
    }
    let reason = format!("exception: no source holds \"{taken}\"");
    Some(Mismatch { strength: Strength::Added, rule: "exception", reason, sure: true })
}

/// "Unless it is late" beside "if it is late" of the same thing, or "if it is not late" of its contrary.
fn turned_case(claim: &Analysed, best: &Analysed) -> Option<(String, String)> {
    let unless = |words: &Analysed| {
        (0..words.tokens.len()).find(|at| {
            let next = words.tokens.get(at + 1).map_or("", |next| next.norm.as_str());
            let norm = words.tokens[*at].norm.as_str();
            norm == "unless"
                || matches!(norm, "menos" | "salvo") && next == "que" && excepts(&words.tokens, *at)
        })
    };
    let ifs = |words: &Analysed| {
        let cases = words
            .tokens
            .iter()
            .filter(|token| token.norm == "if" || token.norm == "si" && token.text.to_lowercase() == "si");
        cases.count()
    };
    let (one, two, at) = match (unless(claim), unless(best)) {
        (Some(at), None) => (claim, best, at),
        (None, Some(at)) => (best, claim, at),
        _ => return None,
    };
    // "Only if it is late" is the contrary of "unless it is late" as well; "only members" is of another kind.
    let only = |words: &Analysed| {
        (0..words.tokens.len()).any(|at| {
            let next = words.tokens.get(at + 1).map_or("", |next| next.norm.as_str());
            words.tokens[at].class == Some(Quantifier::Only) && !matches!(next, "if" | "si")
        })
    };
    if ifs(one) > 0 || ifs(two) != 1 || only(claim) || only(best) || opposites::opposed(claim, best) {
        return None;
    }
    let said = |token: &Token| !token.content() || two.says_token(token);
    let case = at + 1..piece_end(&one.tokens, at);
    if !one.tokens[case].iter().all(said) || softly(one, two) || softly(two, one) {
        return None;
    }
    let denied = (0..two.tokens.len()).any(|at| two.tokens[at].negates && in_case(&two.tokens, at));
    let even = outside(one) % 2 == outside(two) % 2;
    (even != denied).then(|| {
        let whole = |words: &Analysed| phrase(&words.tokens, 0..=words.tokens.len().saturating_sub(1));
        (whole(claim), whole(best))
    })
}
