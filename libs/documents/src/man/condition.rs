//! Conditions of `.if`, `.ie` and `.while`, as they hold for a terminal.

use super::names::Names;

/// Deepest parentheses of a number that are read.
const MAX_PARENTHESES: usize = 32;

/// Whether a condition holds, and the rest of the line behind it.
pub(super) fn holds<'t>(text: &'t str, names: &Names) -> (bool, &'t str) {
    let text = text.trim_start_matches(' ');
    let negations = text.len() - text.trim_start_matches('!').len();
    let text = text.trim_start_matches(['!', ' ']);
    let (holds, rest) = plain(text, names);
    (holds != (negations % 2 == 1), rest)
}

fn plain<'t>(text: &'t str, names: &Names) -> (bool, &'t str) {
    let mut chars = text.chars();
    let first = chars.next().unwrap_or(' ');
    let rest = chars.as_str();
    match first {
        'n' | 'o' => (true, rest),
        't' | 'e' | 'v' => (false, rest),
        'd' | 'r' | 'c' | 'F' | 'S' | 'm' => {
            let (name, rest) = word(rest);
            let known = match first {
                'd' => names.is_defined(name),
                'r' => names.is_number(name),
                _ => true,
            };
            (known, rest)
        }
        '0'..='9' | '-' | '+' | '(' | '.' | '|' => {
            let mut number = Number { rest: text };
            (number.expression(0) > 0, number.rest)
        }
        ' ' | '\\' => (false, rest),
        mark => equal(mark, rest),
    }
}

/// Compares two strings between three equal marks.
fn equal(mark: char, text: &str) -> (bool, &str) {
    let mut parts = text.splitn(3, mark);
    match (parts.next(), parts.next(), parts.next()) {
        (Some(one), Some(other), Some(rest)) => (one == other, rest),
        _ => (false, ""),
    }
}

fn word(text: &str) -> (&str, &str) {
    let text = text.trim_start_matches(' ');
    text.split_at(text.find([' ', '\t']).unwrap_or(text.len()))
}

/// Value of a number or a sum of numbers.
pub(super) fn value(text: &str) -> i64 {
    Number { rest: text.trim() }.expression(0)
}

/// A number that is being read, from left to right: roff knows no precedence.
struct Number<'t> {
    rest: &'t str,
}

impl Number<'_> {
    fn expression(&mut self, depth: usize) -> i64 {
        let mut value = self.operand(depth);
        while let Some(operator) = self.operator() {
            let other = self.operand(depth);
            value = match operator {
                "+" => value.saturating_add(other),
                "-" => value.saturating_sub(other),
                "*" => value.saturating_mul(other),
                "/" => value.checked_div(other).unwrap_or(0),
                "%" => value.checked_rem(other).unwrap_or(0),
                "<" => i64::from(value < other),
                ">" => i64::from(value > other),
                "<=" => i64::from(value <= other),
                ">=" => i64::from(value >= other),
                "=" | "==" => i64::from(value == other),
                "&" => i64::from(value > 0 && other > 0),
                _ => i64::from(value > 0 || other > 0),
            };
        }
        value
    }

    fn operator(&mut self) -> Option<&'static str> {
        let known = ["<=", ">=", "==", "+", "-", "*", "/", "%", "<", ">", "=", "&", ":"];
        let operator = known.into_iter().find(|operator| self.rest.starts_with(operator))?;
        self.rest = self.rest.get(operator.len()..).unwrap_or("");
        Some(operator)
    }

    fn operand(&mut self, depth: usize) -> i64 {
        if let Some(inside) = self.rest.strip_prefix('(').filter(|_| depth < MAX_PARENTHESES) {
            self.rest = inside;
            let value = self.expression(depth + 1);
            self.rest = self.rest.strip_prefix(')').unwrap_or(self.rest);
            return value;
        }
        let sign = if self.rest.starts_with('-') { -1 } else { 1 };
        self.rest = self.rest.trim_start_matches(['-', '+', '|']);
        let end = self.rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest.len());
        let (digits, rest) = self.rest.split_at(end);
        // A fraction and a unit do not change what is zero.
        let rest =
            rest.strip_prefix('.').map_or(rest, |rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()));
        self.rest = rest.trim_start_matches(['m', 'n', 'u', 'i', 'v', 'p', 'c']);
        digits.parse::<i64>().unwrap_or(0).saturating_mul(sign)
    }
}
