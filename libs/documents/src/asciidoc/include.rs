//! Lines that an include takes of a file: by numbers or by tags, as Asciidoctor's reader selects them.

/// An include directive of a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Directive<'l> {
    /// What the line has before it: nothing, or the mark of a cell.
    pub(super) before: &'l str,
    /// Path as written.
    pub(super) target: &'l str,
    attributes: &'l str,
}

impl<'l> Directive<'l> {
    /// The directive of a line, if it is one.
    pub(super) fn of(line: &'l str) -> Option<Self> {
        let (before, rest) = line
            .split_once("include::")
            .filter(|(before, _)| before.is_empty() || before.trim_start() == "a|")?;
        let (target, attributes) = rest.trim_end().strip_suffix(']')?.split_once('[')?;
        let plain = !target.is_empty() && !target.starts_with(char::is_whitespace) && !target.ends_with(' ');
        plain.then_some(Self { before, target, attributes })
    }

    /// Change of the level of headings inside.
    pub(super) fn level(&self) -> Option<&'l str> {
        self.attribute("leveloffset")
    }

    fn attribute(&self, name: &str) -> Option<&'l str> {
        let mut quoted = false;
        let parts = self.attributes.split(|c: char| {
            quoted ^= c == '"';
            c == ',' && !quoted
        });
        let pairs = parts.filter_map(|part| part.split_once('='));
        pairs.filter(|(key, _)| key.trim() == name).map(|(_, value)| value.trim().trim_matches('"')).last()
    }

    /// The lines that are taken, each with its number from 1.
    pub(super) fn lines<'t>(&self, text: &'t str) -> Vec<(u32, &'t str)> {
        let lines = (1..).zip(text.lines());
        if let Some(ranges) = self.attribute("lines") {
            let count = u32::try_from(text.lines().count()).unwrap_or(u32::MAX);
            let ranges: Vec<(u32, u32)> =
                ranges.split([',', ';']).filter_map(|part| range(part, count)).collect();
            return lines.filter(|(at, _)| ranges.iter().any(|(from, to)| from <= at && at <= to)).collect();
        }
        match self.attribute("tags").or_else(|| self.attribute("tag")) {
            Some(tags) => Tags::of(tags).select(lines),
            None => lines.collect(),
        }
    }
}

/// First and last line of `3`, `3..5`, `3..` or `3..-1`.
fn range(part: &str, count: u32) -> Option<(u32, u32)> {
    let (from, to) = part.trim().split_once("..").unwrap_or((part.trim(), part.trim()));
    let to = if to.is_empty() || to.starts_with('-') { count } else { to.parse().ok()? };
    Some((from.parse().ok()?, to))
}

/// Tags that are asked for.
struct Tags<'a> {
    names: Vec<(&'a str, bool)>,
    /// What lines outside of every tag are.
    base: bool,
    /// What lines inside of other tags are.
    other: Option<bool>,
}

impl<'a> Tags<'a> {
    fn of(list: &'a str) -> Self {
        let all = list.split([',', ';']).map(str::trim).filter(|tag| !tag.is_empty());
        let mut names: Vec<(&str, bool)> =
            all.map(|tag| tag.strip_prefix('!').map_or((tag, true), |tag| (tag, false))).collect();
        let first = names.first().copied();
        let mut take = |name: &str| {
            let at = names.iter().position(|(tag, _)| *tag == name)?;
            Some(names.remove(at).1)
        };
        let (every, inside) = (take("**"), take("*"));
        let (base, other) = match (every, inside) {
            (Some(base), Some(inside)) => (base, Some(inside)),
            (Some(base), None) => {
                (base, (!base && names.first().is_some_and(|(_, wanted)| !wanted)).then_some(true))
            }
            (None, Some(inside)) => (first.is_some_and(|(tag, _)| tag == "*") && !inside, Some(inside)),
            (None, None) => (!names.iter().any(|(_, wanted)| *wanted), None),
        };
        Self { names, base, other }
    }

    fn select<'t>(&self, lines: impl Iterator<Item = (u32, &'t str)>) -> Vec<(u32, &'t str)> {
        let mut open: Vec<(&str, bool)> = Vec::new();
        let mut taken = Vec::new();
        for (number, line) in lines {
            let selected = open.last().map_or(self.base, |(_, selected)| *selected);
            let Some((tag, end)) = directive(line) else {
                if selected {
                    taken.push((number, line));
                }
                continue;
            };
            let wanted = self.names.iter().find(|(name, _)| *name == tag).map(|(_, wanted)| *wanted);
            if end {
                if let Some(at) = open.iter().rposition(|(name, _)| *name == tag) {
                    open.remove(at);
                }
            } else if let Some(wanted) = wanted {
                open.push((tag, wanted));
            } else if let Some(other) = self.other {
                open.push((tag, other && (selected || open.is_empty())));
            }
        }
        taken
    }
}

/// Name of the tag that a line begins or ends.
fn directive(line: &str) -> Option<(&str, bool)> {
    let (before, rest) = line.split_once("::")?;
    let (name, after) = rest.split_once("[]")?;
    let end = before.ends_with("end");
    let word = before.strip_suffix(if end { "end" } else { "tag" })?;
    let apart = !word.ends_with(|c: char| c.is_alphanumeric() || c == '_');
    let plain = !name.is_empty() && !name.contains(char::is_whitespace);
    (apart && plain && (after.is_empty() || after.starts_with(char::is_whitespace))).then_some((name, end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(attributes: &str, text: &str) -> String {
        let line = format!("include::x.txt[{attributes}]");
        let lines = Directive::of(&line).unwrap().lines(text);
        lines.iter().map(|(number, line)| format!("{number}{line} ")).collect()
    }

    #[test]
    fn lines_are_taken_by_number() {
        assert_eq!(taken("lines=2..3;5..", "a\nb\nc\nd\ne\nf\n"), "2b 3c 5e 6f ");
        assert_eq!(taken("lines=\"1,3..-1\",indent=0", "a\nb\nc\nd\n"), "1a 3c 4d ");
        assert_eq!(taken("", "a\n// tag::x[]\n"), "1a 2// tag::x[] ");
    }

    #[test]
    fn lines_are_taken_by_tag() {
        let text = "a\n// tag::x[]\nb\n# tag::y[]\nc\n# end::y[]\nd\n// end::x[]\ne\n";
        assert_eq!(taken("tag=x", text), "3b 5c 7d ");
        assert_eq!(taken("tags=x;!y", text), "3b 7d ");
        assert_eq!(taken("tag=y", text), "5c ");
        assert_eq!(taken("tags=**", text), "1a 3b 5c 7d 9e ");
        assert_eq!(taken("tags=*", text), "3b 5c 7d ");
        assert_eq!(taken("tags=!x", text), "1a 9e ");
        assert_eq!(taken("tag=none", text), "");
    }

    #[test]
    fn other_lines_are_no_directives() {
        for line in ["\\include::a[]", "include::a", "include:: a[]", "see include::a[]", "include::[]"] {
            assert_eq!(Directive::of(line), None, "{line}");
        }
        assert_eq!(Directive::of("a|include::a.adoc[]").unwrap().before, "a|");
    }
}
