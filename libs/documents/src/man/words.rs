//! Arguments of a macro.

/// An argument of a macro, its escapes unread.
#[derive(Debug, Clone)]
pub(super) struct Word {
    /// As written, without its quotes.
    pub(super) text: String,
    /// Line of the file.
    pub(super) line: u32,
    /// Whether it stood in quotes: no name of a macro then.
    pub(super) quoted: bool,
}

/// Splits the rest of a macro's line at its spaces; an argument in double quotes may hold some.
pub(super) fn split(rest: &str, line: u32) -> Vec<Word> {
    let mut words = Vec::new();
    let mut chars = rest.chars().peekable();
    let mut line = line;
    loop {
        loop {
            while chars.next_if(|c| matches!(c, ' ' | '\t')).is_some() {}
            let mut ahead = chars.clone();
            if (ahead.next(), ahead.next()) != (Some('\\'), Some('\n')) {
                break;
            }
            chars = ahead;
            line += 1;
        }
        let Some(first) = chars.peek() else { return words };
        let quoted = *first == '"';
        if quoted {
            chars.next();
        }
        let mut word = Word { text: String::new(), line, quoted };
        while let Some(c) = chars.next_if(|c| quoted || !matches!(c, ' ' | '\t')) {
            match c {
                '"' if quoted && chars.next_if_eq(&'"').is_none() => break,
                '\\' => {
                    word.text.push(c);
                    if let Some(next) = chars.next() {
                        line += u32::from(next == '\n');
                        word.text.push(next);
                    }
                }
                c => word.text.push(c),
            }
        }
        words.push(word);
    }
}
