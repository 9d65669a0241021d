//! Text of others as a terminal may show it: what would move its cursor, change its colours or turn the order of its
//! letters round is shown instead of done, so that no answer and no file name can write a verdict of its own.

/// A character as it is shown; one for one, so that columns stay.
#[must_use]
pub fn visible(c: char) -> char {
    match c {
        '\n' | '\t' => c,
        // Pictures of controls stand in their order.
        '\0'..='\x1f' => char::from_u32(0x2400 + u32::from(c)).unwrap_or('\u{fffd}'),
        '\x7f' => '\u{2421}',
        '\u{80}'..='\u{9f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
        _ => c,
    }
}

/// A text as it is shown.
#[must_use]
pub fn shown(text: &str) -> String {
    text.replace("\r\n", "\n").chars().map(visible).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_terminal_obeys_is_left() {
        assert_eq!(shown("a\u{1b}[2J\rb\r\n\tc\u{7f}\u{9b}1m\u{202e}d"), "a␛[2J␍b\n\tc␡\u{fffd}1m\u{fffd}d");
        assert_eq!(shown("Añadir — 添加 😀 العربية"), "Añadir — 添加 😀 العربية");
    }
}
