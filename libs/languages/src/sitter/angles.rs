//! Counts the signs `<` that a program leaves open.

/// The most `<` that are open at once. Every `<` counts; what closes or ends them counts only where it is surely code:
/// not in a comment, nor between the first and the last quote of a line, nor in a template. Quotes do not hide the
/// start of a comment: in case of doubt too few are closed.
pub(super) fn most_open(code: &str) -> usize {
    let mut count = Count::default();
    let mut comment = false;
    // A template's quote counts or not where it may stand in a comment.
    let (mut template, mut other) = (false, false);
    let mut rest = code;
    while !rest.is_empty() {
        let (line, next) = logical_line(rest);
        rest = next;
        let is_quote = |c: char| matches!(c, '"' | '\'' | '`');
        let quoted = line.find(is_quote).unwrap_or(usize::MAX)..line.rfind(is_quote).unwrap_or(0);
        let bytes = line.as_bytes();
        let (mut at, mut ends) = (0, false);
        while let Some(byte) = bytes.get(at) {
            let two = bytes.get(at..at + 2).unwrap_or_default();
            match two {
                b"*/" if comment => {
                    comment = false;
                    at += 2;
                    continue;
                }
                b"/*" if !comment && !ends => {
                    comment = true;
                    at += 2;
                    continue;
                }
                b"//" if !comment => ends = true,
                _ => {}
            }
            ends &= *byte != b'\n';
            other ^= *byte == b'`';
            template ^= *byte == b'`' && !comment && !ends;
            let code = !comment && !ends && !template && !other && !quoted.contains(&at);
            count.read(*byte, code);
            at += 1;
        }
    }
    count.most
}

/// The first line, with those that a backslash at its end continues, and what follows.
fn logical_line(code: &str) -> (&str, &str) {
    let ends = |(at, _): &(usize, &str)| {
        let line = code.get(..*at).unwrap_or_default();
        !line.strip_suffix('\r').unwrap_or(line).ends_with('\\')
    };
    let end = code.match_indices('\n').find(ends).map_or(code.len(), |(at, _)| at + 1);
    code.split_at(end)
}

/// The signs `<` that are open.
#[derive(Default)]
struct Count {
    open: usize,
    /// Those that nothing but a `>` closes: the brace or semicolon behind them stood where a type belongs.
    bare: usize,
    most: usize,
    /// Whether the last byte of code was a `<`.
    fresh: bool,
}

impl Count {
    fn read(&mut self, byte: u8, code: bool) {
        match byte {
            b'<' => {
                self.open += 1;
                self.most = self.most.max(self.open);
                self.fresh |= code;
            }
            b'>' if code => {
                self.open = self.open.saturating_sub(1);
                self.bare = self.bare.min(self.open);
                self.fresh = false;
            }
            b'{' | b'}' | b';' if code => {
                self.bare += usize::from(self.fresh);
                self.open = self.bare;
                self.fresh = false;
            }
            _ if code && !byte.is_ascii_whitespace() => self.fresh = false,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::most_open;

    #[test]
    fn nothing_in_comments_or_quotes_closes() {
        for piece in [
            "A</*>*/",
            "A<//>\n",
            "A</*;*/",
            "A</*\"\n>;\"*/",
            "A</*'>;'*/",
            "A<//\\\n",
            "a<\">\",",
            "a<'>',",
            "a<`>`,",
            "a<`\n>\n`,",
            "a<\"\\\n>\",",
            "A<;",
            "A<{}",
            "A< /**/;",
            "a<{},",
        ] {
            for before in ["", "\"\n\"", "'", "/\"/ ", "\"/*\" ", "\"//\" "] {
                let code = format!("{before}{}", piece.repeat(100));
                assert!(most_open(&code) >= 99, "{before:?} {piece:?}: {}", most_open(&code));
            }
        }
    }

    #[test]
    fn sound_programs_leave_few_open() {
        for piece in [
            "Map<String, List<A>> a = f(\"b\", new C<>(\"d\"));\n",
            "for (int i = 0; i < n; i++) { a(\"<\"); }\n",
            "const [a] = useState<{ b: string }>({ b: 'c' });\n",
            "if (a < b) { c('it'); } // don't\n",
            "/** <p>It's {@code a}. */ void f(List<A> a) {\n  g(\"http://b\");\n}\n",
            "const a = `${b<c>(d)} ${e}`;\n",
        ] {
            assert!(most_open(&piece.repeat(1000)) < 5, "{piece:?}: {}", most_open(&piece.repeat(1000)));
        }
    }
}
