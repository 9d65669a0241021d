//! Outline of AVAP source: functions, and statements between blank lines.

use crate::{Cut, Lines, Outline, Path, plain};

/// Cuts before functions (with the comments above them) and before blocks between blank lines.
pub(crate) fn outline(text: &str, lines: &Lines) -> Outline {
    let mut outline = plain::outline(text, lines);
    for line in 0..lines.len() {
        let Some(name) = function_name(lines.line(text, line)) else { continue };
        let mut start = line;
        while start > 0 && lines.line(text, start - 1).trim_start().starts_with("//") {
            start -= 1;
        }
        if let Some(cut) = outline.cuts.get_mut(start) {
            *cut = Cut::Block;
        }
        for cut in outline.cuts.iter_mut().take(line + 1).skip(start + 1) {
            *cut = Cut::Line;
        }
        outline.paths.push((start, Path::of_item(name)));
        let end = (line + 1..lines.len()).find(|inner| lines.line(text, *inner).starts_with('}'));
        if let Some(end) = end {
            outline.paths.push((end + 1, Path::default()));
        }
    }
    outline
}

/// Name of the function that a line opens.
fn function_name(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("function ")?;
    let name = rest.split('(').next()?.trim();
    (!name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use crate::{Format, chunk};

    #[test]
    fn a_function_keeps_its_comment_and_names_its_passage() {
        let body = "    x = 1\n".repeat(60);
        let text = format!(
            "a = 1\n\n// Adds.\nfunction add(a, b) {{\n{body}    return(a)\n}}\n\naddResult(a)\n{body}{body}"
        );
        let chunks = chunk(Format::Avap, "", &text).chunks;
        let named = chunks.iter().find(|chunk| chunk.text.contains("function add"));
        assert!(
            named.is_some_and(|chunk| chunk.headings == ["add"] && chunk.text.contains("// Adds.")),
            "{chunks:?}"
        );
    }
}
