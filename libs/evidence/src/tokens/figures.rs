//! Tokens as the reader of figures sees them.

use super::{Token, TokenKind};
use crate::{flags, numbers};

impl numbers::Token for Token {
    fn text(&self) -> &str {
        &self.text
    }

    fn norm(&self) -> &str {
        &self.norm
    }

    fn kind(&self) -> TokenKind {
        self.kind
    }

    fn stem(&self) -> u64 {
        self.stem
    }

    fn start(&self) -> usize {
        self.start
    }

    fn capital(&self) -> bool {
        self.capital
    }

    fn after_break(&self) -> bool {
        self.after_break
    }

    fn content(&self) -> bool {
        !self.stop
    }

    fn denies(&self) -> bool {
        self.is(flags::DENIES)
    }

    fn joined(&self) -> bool {
        self.is(flags::JOINED)
    }

    fn continues(&self) -> bool {
        self.is(flags::FIGURE)
    }

    fn counts(&self) -> bool {
        self.is(flags::COUNTS)
    }

    fn measures(&self) -> bool {
        self.is(flags::MEASURES)
    }
}

/// The bits of a word with which figures may begin.
pub(super) fn flags_of(kind: TokenKind, text: &str, norm: &str) -> u64 {
    let begins = numbers::begins(kind, text, norm);
    let bit = |set: bool, bit: u64| if set { bit } else { 0 };
    bit(begins.counts, flags::COUNTS)
        | bit(begins.measures, flags::MEASURES)
        | bit(begins.amount, flags::AMOUNT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Language;
    use crate::numbers::{loose, quantities};
    use crate::tokens::Tokenizer;

    fn values(text: &str, language: Language) -> Vec<f64> {
        quantities(&Tokenizer::new(Some(language)).tokens(text))
            .into_iter()
            .map(|quantity| quantity.value)
            .collect()
    }

    #[test]
    fn digits_and_words_are_the_same_figure() {
        for text in ["1,200 rows", "1200 rows", "1.2k rows", "one thousand two hundred rows"] {
            assert_eq!(values(text, Language::English), [1200.0], "{text}");
        }
        assert_eq!(values("one hundred and twenty-five errors", Language::English), [125.0]);
        assert_eq!(values("ten errors and two rows", Language::English), [10.0, 2.0]);
        assert_eq!(values("2.5 million", Language::English), [2_500_000.0]);
        assert_eq!(values("one thousand errors", Language::English), [1000.0]);
        assert_eq!(values("dos mil filas", Language::Spanish), [2000.0]);
        assert_eq!(values("cuarenta y dos", Language::Spanish), [42.0]);
        assert_eq!(values("1.200.000,50 euros", Language::Spanish), [1_200_000.5]);
    }

    #[test]
    fn units_are_compared_in_their_base() {
        let one = |text: &str| quantities(&Tokenizer::new(None).tokens(text)).remove(0);
        assert!(one("30 s").equals(&one("0.5 minutes")));
        assert!(one("30s").equals(&one("30 seconds")));
        assert!(!one("30 seconds").equals(&one("30 minutes")));
        assert!(one("50%").equals(&one("50 percent")));
        assert!(!one("30 MB").equals(&one("30 seconds")));
        assert!(one("30 MB").comparable(&one("30 GB")));
        assert!(one("$20").equals(&one("20 dollars")));
    }

    /// The longest roundabout figure of a text in its base unit.
    fn read(text: &str) -> Option<f64> {
        let tokens = Tokenizer::new(None).tokens(text);
        let found = loose(&tokens, &quantities(&tokens));
        let longest = found.into_iter().max_by_key(|figure| figure.last - figure.first)?;
        Some(longest.value * longest.unit.map_or(1.0, |(_, factor)| factor))
    }

    #[test]
    fn roundabout_figures_are_read() {
        for (text, value) in [
            ("takes a week", 604_800.0),
            ("three quarters of an hour", 2700.0),
            ("tres cuartos de hora", 2700.0),
            ("un cuarto de hora", 900.0),
            ("hora y media", 5400.0),
            ("minuto y cuarto", 75.0),
            ("an hour and a half", 5400.0),
            ("an hour and 35 minutes", 5700.0),
            ("3 horas y 40 minutos", 13_200.0),
            ("a year and one month", 34_187_400.0),
            ("half a kilo", 500.0),
            ("medio año", 15_778_800.0),
            ("one in four", 0.25),
            ("uno de cada cuatro", 0.25),
            ("a fifth of the points", 0.2),
            ("at 2 pm", 14.0),
            ("at five past four in the afternoon", 16.0 + 5.0 / 60.0),
            ("at a quarter past nine in the morning", 9.25),
            ("a las seis y media de la tarde", 18.5),
            ("a las diez de la noche", 22.0),
            ("at seven in the evening", 19.0),
            ("at half past twelve at night", 0.5),
            ("at 9:30 a.m.", 9.5),
            ("2.5 M rows", 2_500_000.0),
            ("on 16 June 2024", 20_240_616.0),
            ("on June 16, 2024", 20_240_616.0),
            ("el 16 de junio de 2024", 20_240_616.0),
            ("on 2024-06-16", 20_240_616.0),
        ] {
            let found = read(text);
            assert!(found.is_some_and(|found| (found - value).abs() < 1e-6 * value), "{text}: {found:?}");
            // Texts without such a word are not read at all.
            let tokens = Tokenizer::new(None).tokens(text);
            assert!(tokens.iter().any(|token| token.is(flags::AMOUNT)), "{text}");
        }
        for text in ["the rows", "it may stop in June", "two rows in a table"] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    fn seconds(text: &str) -> Vec<Option<f64>> {
        let tokens = Tokenizer::new(None).tokens(text);
        let figures = quantities(&tokens);
        figures.iter().map(|figure| figure.unit.map(|(_, factor)| figure.value * factor)).collect()
    }

    #[test]
    fn a_figure_takes_the_unit_that_it_is_meant_in() {
        for (text, expected) in [
            ("it takes 2 to 3 minutes", vec![Some(120.0), Some(180.0)]),
            ("three or four hours", vec![Some(10_800.0), Some(14_400.0)]),
            ("`idleSeconds` (default 300)", vec![Some(300.0)]),
            ("`idle_ms` is 500", vec![Some(0.5)]),
            ("every interval seconds (default 300)", vec![Some(300.0)]),
            ("one after 20 minutes, the other after 30.", vec![None, Some(1200.0), Some(1800.0)]),
        ] {
            assert_eq!(seconds(text), expected, "{text}");
        }
    }

    #[test]
    fn a_figure_that_counts_or_numbers_takes_none() {
        for text in
            ["within 5 minutes for level 1 and level 2", "`max_rows` is 500", "kept 5 days, with 3 copies"]
        {
            let figures = seconds(text);
            assert_eq!(figures.last(), Some(&None), "{text}");
        }
    }
}
