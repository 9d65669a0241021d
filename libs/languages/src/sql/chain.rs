//! How long the expressions of a statement are. A chain such as `1+1+…` becomes a tree as deep as it is long, whose
//! removal recurses: brackets and the parsers' own limit do not bound it.

use sqlparser::tokenizer::{Token, TokenWithSpan};

/// Terms and operators of one expression that the parsers are asked about; two make a level of up to 1.6 kB of stack.
pub(super) const MOST: usize = 10_000;

/// Most tokens between two commas or semicolons of the same bracket, what is inside of further brackets left out.
pub(super) fn longest(tokens: &[TokenWithSpan]) -> usize {
    let (mut outer, mut here, mut most) = (Vec::new(), 0_usize, 0);
    for token in tokens {
        match token.token {
            Token::Whitespace(_) => {}
            Token::Comma | Token::SemiColon => here = 0,
            Token::LParen | Token::LBracket | Token::LBrace => outer.push(std::mem::take(&mut here)),
            Token::RParen | Token::RBracket | Token::RBrace => here = outer.pop().unwrap_or(here) + 1,
            _ => here += 1,
        }
        most = most.max(here);
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;
    use sqlparser::dialect::GenericDialect;
    use sqlparser::tokenizer::Tokenizer;

    #[test]
    fn expressions_are_counted_and_lists_are_not() {
        let longest = |text: &str| {
            Tokenizer::new(&GenericDialect {}, text).tokenize_with_location().map(|t| longest(&t))
        };
        for (text, expected) in [
            ("", 0),
            ("select 1, 2, 3", 2),
            ("select 1 + 1 + 1", 6),
            ("values (1, -2, 3), (4, 5, 6)", 2),
            ("select a[0][0][0], b", 5),
            ("select f(1, 2) + f(1, 2)", 6),
            ("select ')' + ',' + '(' -- + 1", 6),
            ("select 1) + 1; select 1", 5),
        ] {
            assert_eq!(longest(text), Ok(expected), "{text}");
        }
    }
}
