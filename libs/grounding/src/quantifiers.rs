//! Quantifiers, bounds and modals: how much, how often, and how binding a sentence says that something is.

use crate::tokens::{Token, TokenKind};

/// Class of a quantifier, a bound or a modal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Quantifier {
    /// None, never.
    None,
    /// Few, rarely.
    Few,
    /// Some, sometimes.
    Some,
    /// Many, often.
    Many,
    /// Most, usually.
    Most,
    /// Every one, always.
    All,
    /// Whichever one.
    Any,
    /// No other.
    Only,
    /// Beside others: "not only", "also".
    Also,
    /// Not more than.
    AtMost,
    /// Not less than.
    AtLeast,
    /// Neither more nor less.
    Exactly,
    /// More or less.
    About,
    /// Obligation.
    Must,
    /// Recommendation.
    Should,
    /// Possibility.
    May,
}

impl Quantifier {
    /// How much it is, from none to all; nothing for bounds and modals.
    fn amount(self) -> Option<u8> {
        Some(match self {
            Self::None => 0,
            Self::Few => 1,
            Self::Some => 2,
            Self::Many => 3,
            Self::Most => 4,
            Self::All => 5,
            _ => return None,
        })
    }

    /// Whether the two cannot both be right of the same thing.
    pub(crate) fn conflicts(self, other: Self) -> bool {
        if let (Some(one), Some(two)) = (self.amount(), other.amount()) {
            let top = one.max(two);
            return one != two && (top == 5 || one.min(two) == 0 || one.abs_diff(two) >= 2);
        }
        let clash = |one: Self, two: Self| {
            use Quantifier::{
                About, All, Also, Any, AtLeast, AtMost, Exactly, Few, Many, May, Most, Must, None, Only,
                Should, Some,
            };
            matches!(
                (one, two),
                (Any, None | Few | Only)
                    | (Only, Also | All | Some | Many | Most)
                    | (AtMost, AtLeast | Exactly)
                    | (AtLeast, Exactly)
                    | (Exactly, About)
                    | (Must, Should | May)
                    | (Should, May)
                    | (All, AtMost)
            )
        };
        clash(self, other) || clash(other, self)
    }

    /// Whether it makes a statement stronger or weaker where the source has nothing of the kind. "Each" and "all" fall
    /// into place by themselves, "always" does not.
    pub(crate) fn changes(self, word: &str) -> bool {
        use Quantifier::{All, Few, None, Only, Some};
        matches!(self, None | Few | Some | Only) || (self == All && matches!(word, "always" | "siempre"))
    }
}

/// Folded words that [`class`] may find something in, sorted.
pub(crate) const WORDS: &[&str] = &[
    "about",
    "above",
    "additionally",
    "ademas",
    "al",
    "algun",
    "alguna",
    "algunas",
    "algunos",
    "all",
    "also",
    "always",
    "ambas",
    "ambos",
    "any",
    "anyone",
    "anything",
    "apenas",
    "approximately",
    "aproximadamente",
    "around",
    "at",
    "barely",
    "below",
    "both",
    "cada",
    "can",
    "como",
    "compulsory",
    "could",
    "cualquier",
    "cualquiera",
    "debe",
    "deben",
    "deberia",
    "deberian",
    "each",
    "entire",
    "every",
    "everyone",
    "everything",
    "exactamente",
    "exactly",
    "exceeding",
    "exclusivamente",
    "exclusively",
    "few",
    "fewer",
    "frecuentemente",
    "frequently",
    "generally",
    "generalmente",
    "greater",
    "habitualmente",
    "had",
    "hardly",
    "has",
    "hasta",
    "have",
    "hay",
    "jamas",
    "larger",
    "less",
    "longer",
    "majority",
    "mandatory",
    "many",
    "mas",
    "maximo",
    "may",
    "mayoria",
    "menos",
    "menudo",
    "might",
    "more",
    "most",
    "mostly",
    "muchas",
    "mucho",
    "muchos",
    "must",
    "need",
    "needs",
    "neither",
    "never",
    "ningun",
    "ninguna",
    "ninguno",
    "nobody",
    "none",
    "normally",
    "normalmente",
    "nothing",
    "numerous",
    "nunca",
    "obligatoria",
    "obligatorio",
    "ocasionalmente",
    "occasionally",
    "of",
    "often",
    "only",
    "opcional",
    "opcionalmente",
    "optional",
    "optionally",
    "ought",
    "over",
    "perhaps",
    "pocas",
    "pocos",
    "podria",
    "podrian",
    "por",
    "possibly",
    "precisely",
    "puede",
    "pueden",
    "rara",
    "raramente",
    "rarely",
    "recomendado",
    "recomienda",
    "recommended",
    "required",
    "requires",
    "roughly",
    "scarcely",
    "seldom",
    "several",
    "shall",
    "shorter",
    "should",
    "siempre",
    "smaller",
    "solamente",
    "solely",
    "solo",
    "some",
    "sometimes",
    "suele",
    "suelen",
    "tambien",
    "tiene",
    "tienen",
    "toda",
    "todas",
    "todo",
    "todos",
    "typically",
    "unas",
    "under",
    "unicamente",
    "unos",
    "up",
    "usually",
    "varias",
    "varios",
    "veces",
    "whichever",
];

/// Words that soften what stands before "any": "hardly any".
const HARDLY: &[&str] = &["hardly", "scarcely", "barely", "apenas"];

/// Class of the word at a place, which may be the first of several: "at most", "up to", "has to".
pub(crate) fn class(tokens: &[Token], at: usize) -> Option<Quantifier> {
    tokens.get(at)?.class
}

/// The class, from the words.
pub(crate) fn read(tokens: &[Token], at: usize) -> Option<Quantifier> {
    tokens.get(at).filter(|token| token.is(crate::flags::BOUNDS) && !token.code)?;
    look(tokens, at)
}

/// The same, whatever is known of the word.
fn look(tokens: &[Token], at: usize) -> Option<Quantifier> {
    use Quantifier::{
        About, All, Also, Any, AtLeast, AtMost, Exactly, Few, Many, May, Most, Must, Only, Should,
    };
    let token = tokens.get(at).filter(|token| token.kind == TokenKind::Word)?;
    let named = |at: Option<usize>| at.and_then(|at| tokens.get(at)).map_or("", |token| token.norm.as_str());
    let (word, next) = (token.norm.as_str(), named(at.checked_add(1)));
    let before = if token.after_break { "" } else { named(at.checked_sub(1)) };
    let counted = || (at + 1..at + 4).any(|next| tokens.get(next).is_some_and(numeric));
    let denied = matches!(before, "not" | "no" | "never" | "nunca") || before.ends_with("n't");
    Some(match (word, next) {
        ("at" | "como", "most" | "maximo" | "mucho") => AtMost,
        ("up", "to") if counted() => AtMost,
        ("at" | "al" | "por", "least" | "menos") | ("como", "minimo") => AtLeast,
        ("more" | "greater" | "longer" | "larger", "than") | ("mas", "de") if counted() => {
            if denied {
                AtMost
            } else {
                AtLeast
            }
        }
        ("less" | "fewer" | "smaller" | "shorter", "than") | ("menos", "de") if counted() => {
            if denied {
                AtLeast
            } else {
                AtMost
            }
        }
        ("over" | "above" | "exceeding", _) if tokens.get(at + 1).is_some_and(numeric) => AtLeast,
        ("under" | "below" | "hasta", _) if tokens.get(at + 1).is_some_and(numeric) => AtMost,
        ("exactly" | "precisely" | "exactamente", _) => Exactly,
        ("about" | "approximately" | "roughly" | "around" | "aproximadamente" | "unos" | "unas", _)
            if counted() =>
        {
            About
        }
        ("has" | "have" | "had" | "needs" | "need", "to") | ("tiene" | "tienen" | "hay", "que") => Must,
        ("all", _) if before == "at" => return None,
        ("all" | "every" | "always" | "todos" | "todas" | "siempre", _) if denied => Quantifier::Some,
        (
            "all" | "every" | "each" | "always" | "both" | "everyone" | "everything" | "entire" | "todo"
            | "toda" | "todos" | "todas" | "cada" | "siempre" | "ambos" | "ambas",
            _,
        ) => All,
        ("any" | "anyone" | "anything", _) if HARDLY.contains(&before) || denied => return None,
        ("any" | "anyone" | "anything" | "whichever" | "cualquier" | "cualquiera", _) => Any,
        // "at most" and "the most common" count nothing.
        ("most", _) if before == "at" || (before == "the" && next != "of") => return None,
        (
            "most" | "usually" | "mostly" | "typically" | "generally" | "normally" | "majority" | "mayoria"
            | "normalmente" | "generalmente" | "habitualmente" | "suele" | "suelen",
            _,
        ) => Most,
        (
            "many" | "numerous" | "often" | "frequently" | "muchos" | "muchas" | "menudo" | "frecuentemente",
            _,
        ) => {
            if before == "how" {
                return None;
            }
            Many
        }
        ("few", _) if before == "a" => Quantifier::Some,
        (
            "few" | "rarely" | "seldom" | "hardly" | "scarcely" | "barely" | "pocos" | "pocas" | "rara"
            | "raramente" | "apenas",
            _,
        ) => Few,
        (
            "some" | "sometimes" | "occasionally" | "several" | "algunos" | "algunas" | "algun" | "alguna"
            | "varios" | "varias" | "ocasionalmente",
            _,
        ) => Quantifier::Some,
        ("veces", _) if before == "a" => Quantifier::Some,
        (
            "never" | "none" | "nobody" | "nothing" | "neither" | "nunca" | "jamas" | "ningun" | "ninguna"
            | "ninguno",
            _,
        ) => Quantifier::None,
        ("only" | "solo" | "solamente", _) if denied => Also,
        ("also" | "additionally" | "tambien" | "ademas", _) => Also,
        ("only" | "solely" | "exclusively" | "solo" | "solamente" | "unicamente" | "exclusivamente", _) => {
            Only
        }
        (
            "must" | "shall" | "required" | "mandatory" | "compulsory" | "requires" | "debe" | "deben"
            | "obligatorio" | "obligatoria",
            _,
        ) => Must,
        ("should" | "recommended" | "ought" | "deberia" | "deberian" | "recomienda" | "recomendado", _) => {
            Should
        }
        ("can" | "may" | "might" | "could" | "optional" | "optionally" | "possibly" | "perhaps", _) => May,
        ("puede" | "pueden" | "podria" | "podrian" | "opcional" | "opcionalmente", _) => May,
        _ => return None,
    })
}

/// Whether a token is a figure, in digits or spelled out.
fn numeric(token: &Token) -> bool {
    matches!(token.kind, TokenKind::Number(_)) || crate::numbers::is_word(&token.norm)
}

/// All classes of a sentence, with the place of their first word.
pub(crate) fn classes(tokens: &[Token]) -> Vec<(usize, Quantifier)> {
    (0..tokens.len()).filter_map(|at| class(tokens, at).map(|class| (at, class))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::Tokenizer;

    fn said(text: &str) -> Vec<Quantifier> {
        let mut tokens = Tokenizer::new(None).tokens(text);
        crate::rules::mark(&mut tokens);
        classes(&tokens).into_iter().map(|(_, class)| class).collect()
    }

    #[test]
    fn several_words_make_one_class_and_a_denial_turns_it() {
        use Quantifier::{All, Also, AtLeast, AtMost, Few, May, Must, Some};
        for (text, classes) in [
            ("at most ten rows", vec![AtMost]),
            ("no more than ten rows", vec![AtMost]),
            ("more than ten rows", vec![AtLeast]),
            ("faster than all others", vec![All]),
            ("not all rows", vec![Some]),
            ("not only rows", vec![Also]),
            ("hardly any rows", vec![Few]),
            ("a few rows", vec![Some]),
            ("the most common row, not at all", vec![]),
            ("it has to stop and can start", vec![Must, May]),
        ] {
            assert_eq!(said(text), classes, "{text}");
        }
    }

    #[test]
    fn no_word_makes_a_class_that_the_quick_look_leaves_out() {
        assert!(WORDS.is_sorted());
        let nexts = ["", "most", "maximo", "mucho", "to", "least", "menos", "minimo", "que", "than", "de"];
        let text = include_str!("quantifiers.rs");
        let words: Vec<&str> =
            text.split(|c: char| !c.is_ascii_lowercase()).filter(|word| !word.is_empty()).collect();
        let tokenizer = Tokenizer::new(None);
        for word in words {
            let found =
                nexts.iter().any(|next| look(&tokenizer.tokens(&format!("{word} {next} 5")), 0).is_some());
            assert!(!found || WORDS.contains(&word), "{word}");
        }
    }

    #[test]
    fn a_conflict_holds_both_ways_and_never_with_itself() {
        use Quantifier::{
            About, All, Also, Any, AtLeast, AtMost, Exactly, Few, Many, May, Most, Must, None, Only, Should,
            Some,
        };
        let every = [
            None, Few, Some, Many, Most, All, Any, Only, Also, AtMost, AtLeast, Exactly, About, Must, Should,
            May,
        ];
        for one in every {
            assert!(!one.conflicts(one), "{one:?}");
            for two in every {
                assert_eq!(one.conflicts(two), two.conflicts(one), "{one:?} {two:?}");
            }
        }
        assert!(All.conflicts(Some) && May.conflicts(Must) && !Some.conflicts(Many) && !Any.conflicts(All));
    }
}
