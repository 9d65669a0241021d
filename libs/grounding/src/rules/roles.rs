//! Who does what to whom: "X is called by Y" where the source says "X calls Y".

use super::{Case, Mismatch, phrase, sure};
use crate::index::Analysed;
use crate::language::Language;
use crate::lexicon::synonymous;
use crate::tokens::TokenKind;
use std::ops::Range;

/// Longest claim that is looked at, in tokens.
const LONGEST: usize = 24;
/// Tokens on either side of a verb that are looked at.
const REACH: usize = 7;
/// Least weight of a word that tells one side from the other.
const TELLS: f64 = 2.0;
/// Sentences that are looked at.
const SENTENCES: usize = 2;

/// The places of the words that stand for the one who does it, for what it is done to, and for whom it goes to.
#[derive(Debug, Default)]
struct Frame {
    agent: Vec<usize>,
    patient: Vec<usize>,
    goal: Vec<usize>,
    passive: bool,
}

fn is_be(word: &str) -> bool {
    matches!(
        word,
        "is" | "are"
            | "was"
            | "were"
            | "be"
            | "been"
            | "being"
            | "gets"
            | "get"
            | "got"
            | "es"
            | "son"
            | "fue"
            | "fueron"
            | "ser"
    )
}

/// Words behind which another clause or another thing begins.
fn ends(word: &str) -> bool {
    matches!(
        word,
        "and"
            | "but"
            | "which"
            | "that"
            | "who"
            | "when"
            | "if"
            | "unless"
            | "because"
            | "while"
            | "before"
            | "after"
            | "so"
            | "y"
            | "pero"
            | "que"
            | "cuando"
            | "si"
            | "porque"
            | "mientras"
    )
}

fn is_article(word: &str) -> bool {
    matches!(
        word,
        "the"
            | "a"
            | "an"
            | "its"
            | "their"
            | "your"
            | "this"
            | "these"
            | "each"
            | "every"
            | "el"
            | "la"
            | "los"
            | "las"
            | "un"
            | "una"
            | "su"
            | "sus"
            | "cada"
    )
}

/// Whether a word may be a verb where it stands: behind its subject or an auxiliary, and before no "of".
fn acts(words: &Analysed, at: usize) -> bool {
    let tokens = &words.tokens;
    let before = &tokens[at - 1].norm;
    let next = tokens.get(at + 1).map_or("", |next| next.norm.as_str());
    let leads = matches!(
        before.as_str(),
        "can"
            | "cannot"
            | "may"
            | "must"
            | "will"
            | "would"
            | "should"
            | "could"
            | "might"
            | "not"
            | "never"
            | "always"
            | "only"
            | "it"
            | "they"
            | "se"
            | "lo"
            | "le"
            | "no"
            | "also"
    );
    let subject = tokens[at - 1].content() && !before.ends_with("ly") && !tokens[at].after_break;
    (leads || is_be(before) || subject) && next != "of" && next != "de"
}

/// What stands around a verb.
fn frame(words: &Analysed, verb: usize) -> Frame {
    let tokens = &words.tokens;
    let mut frame = Frame::default();
    let plain = |at: usize| {
        tokens[at].content() && words.weights[at] >= TELLS && !matches!(tokens[at].kind, TokenKind::Number(_))
    };
    let be = (verb.saturating_sub(3)..verb)
        .rev()
        .take_while(|at| tokens[*at].stop || tokens[*at].norm.ends_with("ly"));
    let voiced = be.clone().any(|at| is_be(&tokens[at].norm));
    let mut left = Vec::new();
    for at in (verb.saturating_sub(REACH)..verb).rev() {
        if ends(&tokens[at].norm) {
            break;
        }
        if plain(at) {
            left.push(at);
        }
        // Before an article another thing ends, unless it is a part of this one.
        let part = at > 0 && matches!(tokens[at - 1].norm.as_str(), "of" | "de");
        if tokens[at].after_break || (is_article(&tokens[at].norm) && !left.is_empty() && !part) {
            break;
        }
    }
    let (mut direct, mut by, mut to) = (Vec::new(), Vec::new(), Vec::new());
    let mut into = Some(0);
    for at in verb + 1..tokens.len().min(verb + 1 + REACH) {
        let word = tokens[at].norm.as_str();
        if tokens[at].after_break || ends(word) {
            break;
        }
        match word {
            "by" | "por" => into = Some(1),
            // "To the workers" names a goal, "to clean the edges" does not.
            "to" | "into" | "al" => {
                let done = tokens.get(at + 1).is_some_and(|next| !is_article(&next.norm))
                    && tokens.get(at + 2).is_some_and(|next| !next.after_break && is_article(&next.norm));
                into = if done { None } else { Some(2) };
            }
            "in" | "on" | "at" | "with" | "for" | "from" | "as" | "than" | "en" | "con" | "para"
            | "desde" | "como" => into = None,
            _ if plain(at) => match into {
                Some(0) => direct.push(at),
                Some(1) => by.push(at),
                Some(_) => to.push(at),
                None => {}
            },
            _ => {}
        }
    }
    frame.goal = to;
    frame.passive = voiced;
    if voiced {
        (frame.patient, frame.agent) = (left, by);
    } else {
        (frame.agent, frame.patient) = (left, direct);
    }
    frame
}

/// Whether two roles name the same thing, and none of the others do.
fn meets(claim: &Analysed, mine: &[usize], source: &Analysed, theirs: &[usize]) -> bool {
    mine.iter()
        .any(|at| theirs.iter().any(|place| synonymous(claim.tokens[*at].stem, source.tokens[*place].stem)))
}

pub(super) fn roles(case: &Case<'_>, found: &mut Vec<Mismatch>) {
    let claim = case.claim;
    if found.iter().any(|other| matches!(other.rule, "direction" | "order")) || claim.tokens.len() > LONGEST {
        return;
    }
    let spanish = claim.language == Some(Language::Spanish);
    for at in 1..claim.tokens.len().saturating_sub(1) {
        let verb = &claim.tokens[at];
        if verb.kind != TokenKind::Word || !verb.content() || verb.capital || verb.code || !acts(claim, at) {
            continue;
        }
        let mut own: Option<Frame> = None;
        for source in case.evidence.iter().take(SENTENCES) {
            if !source.says_token(verb) {
                continue;
            }
            for place in 1..source.tokens.len() {
                let other = &source.tokens[place];
                if other.kind != TokenKind::Word
                    || !other.content()
                    || !synonymous(verb.stem, other.stem)
                    || !acts(source, place)
                {
                    continue;
                }
                let mine = own.get_or_insert_with(|| frame(claim, at));
                // Of two sides one cannot stand in the place of the other where there is one only.
                let sides = [&mine.agent, &mine.patient, &mine.goal];
                if sides.into_iter().filter(|side| !side.is_empty()).count() < 2 {
                    continue;
                }
                let theirs = frame(source, place);
                let same = |one: &[usize], two: &[usize]| meets(claim, one, source, two);
                let crossed = |a: &[usize], b: &[usize], c: &[usize], d: &[usize]| {
                    same(a, d) && same(b, c) && !same(a, c) && !same(b, d)
                };
                let voices = mine.passive != theirs.passive || (mine.passive && !mine.agent.is_empty());
                // In Spanish the sides of an active verb stand in any order.
                let acted = (voices || !spanish)
                    && crossed(&mine.agent, &mine.patient, &theirs.agent, &theirs.patient);
                let given = crossed(&mine.agent, &mine.goal, &theirs.agent, &theirs.goal)
                    || crossed(&mine.patient, &mine.goal, &theirs.patient, &theirs.goal);
                if acted || given {
                    found.push(sure("direction", &around(claim, at), &around(source, place)));
                    return;
                }
            }
        }
    }
}

fn around(words: &Analysed, at: usize) -> String {
    let range: Range<usize> = at.saturating_sub(REACH - 2)..(at + REACH - 1).min(words.tokens.len());
    phrase(&words.tokens, range.start..=range.end - 1)
}
