//! What would change, as `patch` reads it.

use std::fmt::Write as _;

/// Equal lines that are shown around a change.
const AROUND: usize = 3;
/// Lines within which two texts are searched for the place where they agree again; a layout moves no line far.
const NEAR: usize = 64;

/// A run of lines that differs: where it begins in both texts, and how long it is in each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Change {
    old: (usize, usize),
    new: (usize, usize),
}

/// A unified diff of two texts; empty if they are the same.
pub(super) fn unified(name: &str, old: &str, new: &str) -> String {
    let (before, after): (Vec<&str>, Vec<&str>) =
        (old.split_inclusive('\n').collect(), new.split_inclusive('\n').collect());
    let changes = changes(&before, &after);
    let mut out = String::new();
    if changes.is_empty() {
        return out;
    }
    // Writing to a string cannot fail.
    let _ = writeln!(out, "--- {name}\n+++ {name}");
    for group in changes.chunk_by(|one, next| next.old.0 - (one.old.0 + one.old.1) <= 2 * AROUND) {
        hunk(&mut out, group, &before, &after);
    }
    out
}

/// Where two texts differ, in their order.
fn changes(before: &[&str], after: &[&str]) -> Vec<Change> {
    let mut out = Vec::new();
    let (mut at, mut to) = (0, 0);
    while at < before.len() || to < after.len() {
        if before.get(at) == after.get(to) {
            at += 1;
            to += 1;
            continue;
        }
        let (old, new) = (0..NEAR)
            .flat_map(|sum| (0..=sum).map(move |run| (run, sum - run)))
            .find(|(old, new)| {
                let same = before.get(at + old) == after.get(to + new);
                same && (before.get(at + old).is_some()
                    || at + old == before.len() && to + new == after.len())
            })
            .unwrap_or((before.len() - at, after.len() - to));
        out.push(Change { old: (at, old), new: (to, new) });
        at += old;
        to += new;
    }
    out
}

/// Neighbouring changes with the equal lines around and between them.
fn hunk(out: &mut String, group: &[Change], before: &[&str], after: &[&str]) {
    let (Some(first), Some(last)) = (group.first(), group.last()) else { return };
    let lead = first.old.0.min(AROUND);
    let ends = (last.old.0 + last.old.1, last.new.0 + last.new.1);
    let trail = (before.len() - ends.0).min(AROUND);
    let old = (first.old.0 - lead, ends.0 + trail);
    let new = (first.new.0 - lead, ends.1 + trail);
    let place = |(from, to): (usize, usize)| {
        // An empty side stands behind the line before it.
        let line = if to > from { from + 1 } else { from };
        format!("{line},{}", to - from)
    };
    let _ = writeln!(out, "@@ -{} +{} @@", place(old), place(new));
    let mut at = old.0;
    for change in group {
        lines(out, ' ', &before[at..change.old.0]);
        at = change.old.0 + change.old.1;
        lines(out, '-', &before[change.old.0..at]);
        lines(out, '+', &after[change.new.0..change.new.0 + change.new.1]);
    }
    lines(out, ' ', &before[at..old.1]);
}

fn lines(out: &mut String, mark: char, lines: &[&str]) {
    for line in lines {
        out.push(mark);
        out.push_str(line);
        if !line.ends_with('\n') {
            out.push_str("\n\\ No newline at end of file\n");
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// The new text that a diff makes of the old one.
    fn patched(old: &str, diff: &str) -> String {
        let before: Vec<&str> = old.split_inclusive('\n').collect();
        let (mut out, mut at) = (String::new(), 0);
        let mut rows = diff.split_inclusive('\n').skip(2).peekable();
        while let Some(row) = rows.next() {
            if let Some(place) = row.strip_prefix("@@ -") {
                let (line, count) = place.split(' ').next().unwrap().split_once(',').unwrap();
                let line: usize = line.parse().unwrap();
                let start = if count == "0" { line } else { line - 1 };
                out.push_str(&before[at..start].concat());
                at = start;
                continue;
            }
            let cut = rows.peek().is_some_and(|next| next.starts_with('\\'));
            let (mark, text) = row.split_at(1);
            let text = if cut { text.strip_suffix('\n').unwrap() } else { text };
            match mark {
                " " => {
                    assert_eq!(before[at], text);
                    out.push_str(text);
                    at += 1;
                }
                "-" => {
                    assert_eq!(before[at], text);
                    at += 1;
                }
                "+" => out.push_str(text),
                _ => assert_eq!(row, "\\ No newline at end of file\n"),
            }
        }
        out + &before[at..].concat()
    }

    #[test]
    fn a_diff_makes_the_new_text_of_the_old_one() {
        let long: String = (0..40).map(|n| format!("x{n}=1\n")).collect();
        let spread = long.replace("x3=", "x3 = ").replace("x9=", "x9 = ").replace("x30=", "x30 = ");
        for (old, new) in [
            ("a\nb\nc\n", "a\nB\nc\n"),
            ("a\nb", "a\nb\n"),
            ("a\r\nb\r\n", "a\nb\n"),
            ("a\n\n\n\nb\n", "a\n\nb\n"),
            ("", "a\n"),
            ("a\n", ""),
            ("a\nb\n", "b\nc\nd\n"),
            (&long, &spread),
            (&long, &"y\n".repeat(100)),
            (&long, ""),
        ] {
            let diff = unified("a.avap", old, new);
            assert_eq!(patched(old, &diff), new, "{diff}");
            assert_eq!(unified("a.avap", new, new), "");
        }
        assert_eq!(unified("a.avap", &long, &spread).matches("@@ -").count(), 2);
    }

    #[test]
    fn a_diff_has_the_form_that_tools_read() {
        assert_eq!(
            unified("a.avap", "x=1\naddResult(x)", "x = 1\naddResult(x)\n"),
            "--- a.avap\n+++ a.avap\n@@ -1,2 +1,2 @@\n-x=1\n-addResult(x)\n\\ No newline at end of file\n+x = 1\n+addResult(x)\n"
        );
    }
}
