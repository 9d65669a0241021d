//! Marks of items, and ids of headings.

/// Number of an item by the mark before it; `Some(None)` for a bullet, none where it is a term.
pub(super) fn item(mark: &str) -> Option<Option<u32>> {
    let mark = mark.trim();
    if matches!(
        mark,
        "•" | "*"
            | "-"
            | "–"
            | "—"
            | "−"
            | "o"
            | "·"
            | "⋅"
            | "+"
            | "○"
            | "□"
            | "◦"
            | "‣"
            | "■"
            | "●"
            | "∙"
    ) {
        return Some(None);
    }
    let inner = mark.strip_prefix(['(', '[']).unwrap_or(mark);
    let inner = inner.strip_suffix(['.', ')', ']', ':']).unwrap_or(inner);
    let digits =
        inner.len() < mark.len() && inner.len() <= 4 && inner.bytes().all(|byte| byte.is_ascii_digit());
    if digits { inner.parse().ok().map(Some) } else { None }
}

/// Id of a heading as `mandoc` makes it: `_` for everything that an address must escape.
pub(super) fn id(heading: &str) -> String {
    let kept = |c: char| if c.is_ascii_alphanumeric() || "!$&'()*+,;=/?@:-._~".contains(c) { c } else { '_' };
    heading.trim().chars().map(kept).collect()
}
