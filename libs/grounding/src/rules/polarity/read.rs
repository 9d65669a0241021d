//! Reads a sentence by what it denies: its clauses, which of them name a case, and the words that a denial stands on.

use super::super::negation::denied;
use super::around::{is_one, nominal};
use super::senses::{Built, Told};
use crate::flags;
use crate::index::Analysed;
use crate::rules::EXCEPT;
use crate::tokens::Token;
use std::ops::Range;

/// A clause.
#[derive(Debug, Clone)]
pub(super) struct Clause {
    /// Its tokens.
    pub(super) range: Range<usize>,
    /// Whether it names the case in which another clause holds.
    pub(super) case: bool,
    /// Whether something in it is denied.
    pub(super) denies: bool,
}

/// A denial.
#[derive(Debug, Clone, Copy)]
struct Denial {
    /// The word that denies.
    at: usize,
    /// The word that it stands on.
    head: usize,
    /// Whether it tells of which things the clause speaks: "files that are not backed up are …".
    tells: bool,
    /// Whether it stands on a thing: "no access", "without a fee", "calculators are not".
    thing: bool,
}

/// What a sentence denies.
#[derive(Debug, Clone)]
pub(crate) struct Reading {
    pub(super) clauses: Vec<Clause>,
    denials: Vec<Denial>,
    /// Whether something is denied of which it does not tell what it is.
    open: bool,
    /// The first word with which something holds for a case only: "not until", "unless", "only".
    pub(super) limited: Option<usize>,
    /// What its words may be built from others by.
    built: Built,
    /// The senses that its words have.
    told: Told,
}

/// Words that begin a clause of their own, beside those that always take something out.
pub(crate) const BEGINS: &[&str] = &[
    "although", "aunque", "because", "but", "cuando", "if", "mientras", "once", "pero", "porque", "si",
    "sin", "since", "sino", "so", "though", "until", "when", "whenever", "whereas", "where", "while",
    "without",
];
/// Those that begin the case of another clause, beside the same.
const CASES: &[&str] = &[
    "after", "before", "cuando", "if", "mientras", "once", "quien", "quienes", "should", "si", "until",
    "when", "whenever", "where", "while", "whoever", "tras", "hasta",
];
/// Words with which something holds for a case only, beside the same.
pub(crate) const LIMITS: &[&str] = &["hasta", "only", "otherwise", "sino", "solo", "until", "merely"];
/// Words that join clauses or words alike.
pub(crate) const AND: &[&str] = &["and", "or", "nor", "y", "e", "o", "u", "ni"];
/// Finite verbs that tell a clause from a list.
pub(crate) const FINITE: &[&str] = &[
    "is", "are", "was", "were", "can", "cannot", "may", "must", "will", "has", "have", "does", "do", "es",
    "son", "esta", "estan", "puede", "pueden", "debe", "deben", "se", "hay", "tiene", "tienen",
];
/// Words behind which a denial says of which things the clause speaks.
const RELATIVE: &[&str] =
    &["that", "which", "who", "whose", "whom", "que", "quien", "quienes", "cuyo", "cuya", "those"];

/// Words that stand for a thing named elsewhere.
pub(super) const PRONOUNS: &[&str] =
    &["it", "them", "this", "that", "these", "those", "one", "ello", "ellos", "ellas", "el", "eso"];
/// How far behind a word that denies what it denies may stand, in tokens.
const FAR: usize = 4;

/// What a denial stands on behind words of degree: "not yet fully cooked"; "not enough" stands on nothing.
fn qualified(tokens: &[Token], head: usize) -> Option<usize> {
    let degree = |token: &Token| {
        matches!(
            token.norm.as_str(),
            "yet" | "very" | "quite" | "totalmente" | "completamente" | "automatically" | "automaticamente"
        ) || token.norm.len() > 4 && token.norm.ends_with("lly")
    };
    if is_one(tokens.get(head), &["enough"]) {
        return None;
    }
    let next = tokens.get(head + 1).filter(|next| !next.after_break && next.content());
    if degree(&tokens[head]) && next.is_some() { Some(head + 1) } else { Some(head) }
}

/// Whether a Spanish "no" denies a verb rather than a thing.
fn spanish_no(tokens: &[Token], at: usize) -> bool {
    let next = tokens.get(at + 1).map_or("", |token| token.norm.as_str());
    matches!(
        next,
        "se" | "es"
            | "son"
            | "esta"
            | "estan"
            | "hay"
            | "ha"
            | "han"
            | "lo"
            | "la"
            | "los"
            | "las"
            | "le"
            | "les"
            | "puede"
            | "pueden"
            | "debe"
            | "deben"
            | "tiene"
            | "tienen"
    ) || tokens.get(at + 1).is_some_and(|next| crate::lexicon::infinitive(&next.norm).is_some())
}

impl Reading {
    pub(crate) fn new(words: &Analysed) -> Self {
        let tokens = &words.tokens;
        let mut reading = Self {
            clauses: clauses(tokens),
            denials: Vec::new(),
            open: false,
            built: Built::of(tokens),
            told: Told::of(tokens),
            limited: tokens.iter().position(|token| token.is(flags::LIMIT)),
        };
        let may_deny = |at: &usize| tokens[*at].negates || tokens[*at].is(flags::COMPLEMENT);
        for at in (0..tokens.len()).filter(may_deny) {
            let Some((head, thing)) = reading.head(tokens, at) else {
                reading.open |= tokens[at].negates;
                continue;
            };
            let tells = (at.saturating_sub(3)..at)
                .rev()
                .take_while(|before| !tokens[before + 1].after_break)
                .any(|before| {
                    is_one(tokens.get(before), RELATIVE) && before > 0 && tokens[before - 1].content()
                });
            reading.denials.push(Denial { at, head, tells, thing });
            if let Some(clause) = reading.clauses.iter_mut().find(|clause| clause.range.contains(&at)) {
                clause.denies = true;
            }
        }
        reading
    }

    /// Whether a denial stands on anything.
    pub(super) fn denies(&self) -> bool {
        !self.denials.is_empty()
    }

    /// The words that may be built from another one.
    pub(super) fn built(&self) -> Built {
        self.built
    }

    /// The senses that its words have.
    pub(super) fn told(&self) -> Told {
        self.told
    }

    /// The clause of a token.
    pub(super) fn clause(&self, at: usize) -> Option<&Clause> {
        self.clauses.iter().find(|clause| clause.range.contains(&at))
    }

    /// Whether a denial stands on a token; two take each other back.
    pub(super) fn denied(&self, at: usize) -> bool {
        self.denials.iter().filter(|denial| denial.head == at).count() % 2 == 1
    }

    /// Where the denial stands that stands on a token.
    pub(super) fn denier(&self, at: usize) -> Option<usize> {
        self.denials.iter().find(|denial| denial.head == at).map(|denial| denial.at)
    }

    /// Whether what is denied of a token only tells of which things the clause speaks.
    pub(super) fn tells(&self, at: usize) -> bool {
        self.denials.iter().any(|denial| denial.head == at && denial.tells)
    }

    /// Whether what is denied of a token is a thing: "no access".
    pub(super) fn thing(&self, at: usize) -> bool {
        self.denials.iter().any(|denial| denial.head == at && denial.thing)
    }

    /// Whether it denies anything else than a token.
    pub(super) fn denies_besides(&self, at: usize) -> bool {
        self.open || self.denials.iter().any(|denial| denial.head != at)
    }

    /// The token that a word denies, if it denies one, and whether it is a thing.
    fn head(&self, tokens: &[Token], at: usize) -> Option<(usize, bool)> {
        // Most words deny nothing.
        if !tokens[at].negates && complement(tokens, at).is_none() {
            return None;
        }
        let noun = matches!(tokens[at].norm.as_str(), "without" | "sin" | "no" | "ningun" | "ninguna" | "ni")
            && (tokens[at].norm != "no" || !spanish_no(tokens, at));
        if noun && is_one(tokens.get(at + 1), PRONOUNS) {
            return None;
        }
        // "Calculators are not", "comer, no": what is denied stands before it.
        let clause = self.clause(at)?;
        let last = (at + 1..clause.range.end).all(|behind| !tokens[behind].content());
        let bare = last && matches!(tokens[at].norm.as_str(), "not" | "no" | "isn't" | "aren't" | "tampoco");
        if bare && tokens[at].negates {
            let own = clause.range.clone().find(|before| tokens[*before].content());
            return own.map(|head| (head, true));
        }
        // "This is not the case with the others": denied is what was said before.
        if (at + 1..tokens.len().min(at + 4)).any(|behind| is_one(tokens.get(behind), &["case", "caso"])) {
            return None;
        }
        let head = qualified(tokens, head(tokens, at)?)?;
        (head < at || head - at <= FAR).then_some((head, noun))
    }

    /// Whether it names the case in which it holds.
    pub(super) fn cased(&self) -> bool {
        self.clauses.iter().any(|clause| clause.case)
    }

    /// All tokens that a denial stands on.
    pub(super) fn all_heads(&self) -> impl Iterator<Item = usize> + '_ {
        self.denials.iter().map(|denial| denial.head)
    }

    /// Tokens that a denial stands on which says something of a thing.
    pub(super) fn heads(&self) -> impl Iterator<Item = usize> + '_ {
        self.denials.iter().filter(|denial| !denial.tells).map(|denial| denial.head)
    }
}

/// The token that a word denies, if it denies one.
fn head(tokens: &[Token], at: usize) -> Option<usize> {
    let token = &tokens[at];
    if !token.negates {
        return complement(tokens, at);
    }
    let next = tokens.get(at + 1);
    if is_one(
        next,
        &[
            "all",
            "every",
            "always",
            "necessarily",
            "just",
            "merely",
            "todos",
            "todas",
            "siempre",
            "necesariamente",
            "todo",
        ],
    ) {
        return None;
    }
    let doubled = matches!(
        token.norm.as_str(),
        "nunca" | "nada" | "nadie" | "ningun" | "ninguna" | "ninguno" | "jamas" | "tampoco"
    );
    let first = (at.saturating_sub(7)..at)
        .rev()
        .take_while(|before| !tokens[before + 1].after_break)
        .find(|before| tokens[*before].norm == "no");
    match first {
        Some(first) if doubled => (first + 1..at).find(|place| tokens[*place].content()),
        _ => denied(tokens, at),
    }
}

/// Words that may deny what stands behind them; see [`complement`].
pub(crate) const COMPLEMENTED: &[&str] = &[
    "fail", "fails", "failed", "refuse", "refuses", "refused", "unable", "deja", "dejan", "dejar", "dejo",
    "stop", "stops", "stopped", "hardly", "barely", "apenas",
];

/// The token behind a verb that denies its complement: "fails to start", "deja de responder".
fn complement(tokens: &[Token], at: usize) -> Option<usize> {
    if !tokens[at].is(flags::COMPLEMENT) {
        return None;
    }
    let next = tokens.get(at + 1).map_or("", |token| token.norm.as_str());
    let denies = match tokens[at].norm.as_str() {
        "fail" | "fails" | "failed" | "refuse" | "refuses" | "refused" | "unable" => next == "to",
        "deja" | "dejan" | "dejar" | "dejo" => next == "de",
        "stop" | "stops" | "stopped" => next.ends_with("ing") && !nominal(tokens, at),
        "hardly" | "barely" | "apenas" => true,
        _ => false,
    };
    let behind = || (at + 1..tokens.len().min(at + 5)).take_while(|place| !tokens[*place].after_break);
    if denies { behind().find(|place| tokens[*place].content()) } else { None }
}

/// Clauses: stretches between punctuation and joining words, each with a word of content.
fn clauses(tokens: &[Token]) -> Vec<Clause> {
    let clause = |range: Range<usize>| {
        let even = usize::from(is_one(
            tokens.get(range.start),
            &["even", "incluso", "aun", "and", "y", "but", "pero"],
        ));
        let first = tokens.get(range.start + even);
        let case = is_one(first, CASES) || is_one(first, EXCEPT);
        Clause { range, case, denies: false }
    };
    let mut found: Vec<Clause> = Vec::new();
    let (mut start, mut content) = (0, false);
    for (at, token) in tokens.iter().enumerate() {
        if at > start && content && cuts(tokens, at) {
            found.push(clause(start..at));
            (start, content) = (at, false);
        }
        content |= token.content();
    }
    match found.last_mut() {
        Some(last) if !content => last.range.end = tokens.len(),
        _ => found.push(clause(start..tokens.len())),
    }
    found
}

fn cuts(tokens: &[Token], at: usize) -> bool {
    let token = &tokens[at];
    let word = token.norm.as_str();
    if token.is(flags::BEGINS) {
        return true;
    }
    let is = |at: usize, flag: u64| tokens.get(at).is_some_and(|token| token.is(flag));
    let joined = |at: usize| is(at, flags::AND);
    if joined(at) {
        // "… and not used for …", "… y no se …", "… and the readings are …".
        let next = tokens.get(at + 1);
        if is_one(next, &["for", "of", "in", "on", "to", "de", "en", "para", "a", "with", "con", "by", "por"])
        {
            return false;
        }
        return next.is_some_and(|next| next.negates) && !matches!(word, "nor" | "ni")
            || (at + 1..tokens.len().min(at + 5)).any(|place| is(place, flags::FINITE));
    }
    // "Do not smoke, exercise or drink": a list goes on.
    let lists = || (at + 1..tokens.len().min(at + 3)).any(joined) && !is(at + 2, flags::FINITE);
    token.after_break && !lists()
}
