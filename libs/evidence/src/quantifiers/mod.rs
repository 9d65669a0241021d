//! Quantifiers, bounds and modals: how much, how often, and how binding a sentence says that something is.

pub(crate) mod class;
mod read;
pub(crate) mod words;

pub use class::Quantifier;
pub use read::{class, classes, read};

/// Whether a word obliges by "have to" or "need to": denied it frees, where "must not" forbids.
pub fn obliges_by_having(token: &crate::tokens::Token) -> bool {
    matches!(
        token.norm.as_str(),
        "has"
            | "have"
            | "had"
            | "need"
            | "needs"
            | "required"
            | "requires"
            | "tiene"
            | "tienen"
            | "hay"
            | "mandatory"
            | "compulsory"
            | "obligatorio"
            | "obligatoria"
    )
}

#[cfg(test)]
mod tests {
    use super::read::look;
    use super::*;
    use crate::tokens::Tokenizer;

    fn said(text: &str) -> Vec<Quantifier> {
        let mut tokens = Tokenizer::new(None).tokens(text);
        crate::tags::tag(&mut tokens);
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
    fn quick_look_misses_no_quantifier() {
        use super::words::WORDS;
        assert!(WORDS.is_sorted());
        let nexts = ["", "most", "maximo", "mucho", "to", "least", "menos", "minimo", "que", "than", "de"];
        let text = include_str!("read.rs");
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
