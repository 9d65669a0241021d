//! Markers, defects and binding, clause by clause.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use assay_domain::report::DefectKind::{self, Malformed, OutOfRange, UnclosedFence, UnclosedHtml};
use assay_reading::{Reading, read};
use proptest::prelude::*;

/// Texts of the markers, with a `!` where out of range, and defects with the text they begin at.
fn check(answer: &str, sources: usize, markers: &[&str], defects: &[(DefectKind, &str)]) {
    let reading = read(answer, sources);
    let found: Vec<String> = reading
        .citations
        .iter()
        .map(|c| {
            assert_eq!(c.text, answer[c.span.byte_start..c.span.byte_end], "{answer:?}");
            if c.in_range { c.text.clone() } else { format!("{}!", c.text) }
        })
        .collect();
    assert_eq!(found, markers, "markers of {answer:?}");
    let found: Vec<DefectKind> = reading.defects.iter().map(|defect| defect.kind).collect();
    let expected: Vec<DefectKind> = defects.iter().map(|defect| defect.0).collect();
    assert_eq!(found, expected, "defects of {answer:?}");
    for (defect, (_, begins)) in reading.defects.iter().zip(defects) {
        assert!(
            answer[defect.span.byte_start..].starts_with(begins),
            "defect of {answer:?} begins at {:?}",
            &answer[defect.span.byte_start..]
        );
    }
}

fn text(answer: &str) {
    check(answer, 3, &[], &[]);
}

fn malformed(answer: &str, begins: &str) {
    check(answer, 3, &[], &[(Malformed, begins)]);
}

/// The words of the claim that each marker belongs to.
fn bound(answer: &str, claims: &[Option<&str>]) {
    let reading = read(answer, 9);
    let found: Vec<Option<&str>> = reading
        .citations
        .iter()
        .map(|c| c.claim.map(|claim| reading.claims[claim as usize].text.as_str()))
        .collect();
    assert_eq!(found, claims, "{answer:?}");
}

#[test]
fn markers_in_prose_are_citations_with_lines() {
    check("A [^1]. B [^2:4-6]. C [^3:14].", 3, &["[^1]", "[^2:4-6]", "[^3:14]"], &[]);
    let reading = read("A [^2:4-6] [^3:14] [^1]", 3);
    let lines: Vec<_> = reading.citations.iter().map(|c| c.lines.map(|l| (l.first, l.last))).collect();
    assert_eq!(lines, [Some((4, 6)), Some((14, 14)), None]);
}

#[test]
fn repeats_each_count_and_adjacent_ones_too() {
    check("A [^1][^1] b [^2], [^1].", 2, &["[^1]", "[^1]", "[^2]", "[^1]"], &[]);
}

#[test]
fn a_number_beyond_the_sources_is_kept_with_a_defect() {
    check("A [^4].", 3, &["[^4]!"], &[(OutOfRange, "[^4]")]);
    check("A [^4294967295].", 3, &["[^4294967295]!"], &[(OutOfRange, "[^4")]);
}

#[test]
fn bad_bodies_are_malformed() {
    for body in [
        "",
        "0",
        "01",
        "+1",
        "-1",
        "-a",
        "4294967296",
        "99999999999999999999",
        "1a",
        "1 ",
        "1,2",
        "1, 2",
        "1-2",
        "2:",
        "2:14-",
        "2:-3",
        "2:014-018",
        "2:00",
        "2:1-2-3",
        "2:14–18",
        "2:1:2",
        "2:4294967296",
        "１",
        "٣",
        "1２",
        "1*",
        "2:a",
    ] {
        let answer = format!("See [^{body}] now.");
        malformed(&answer, &format!("[^{body}]"));
    }
    malformed("See [^]] now.", "[^]]");
}

#[test]
fn other_brackets_are_text() {
    for answer in [
        "The class [^a-z] matches.",
        "[^ 1]",
        "[^:3-4]",
        "[^−1]",
        "[^12",
        "[^1\n2]",
        "[^12\r\n]",
        "[^1\\]",
        "[^1\\] x]",
        "\\[^1]",
        "\\\\\\[^1]",
        "&#91;^1]",
        "[^&#49;]",
        "[&#94;1]",
        "[^_1]",
        "[1]",
        "[ ^1]",
        "[^12 and no end",
    ] {
        text(answer);
    }
}

#[test]
fn an_even_number_of_backslashes_escapes_nothing() {
    check("a \\\\[^1]", 1, &["[^1]"], &[]);
}

#[test]
fn an_unterminated_marker_does_not_swallow_the_next() {
    check("A [^12 and [^1].", 1, &["[^1]"], &[]);
    check("A [^1\n[^1].", 1, &["[^1]"], &[]);
    check("[[^1]]", 1, &["[^1]"], &[]);
}

#[test]
fn lines_as_written_stand_even_if_reversed_or_zero() {
    let reading = read("A [^1:9-3] [^1:0] [^1:0-5]", 1);
    let lines: Vec<_> = reading.citations.iter().map(|c| c.lines.map(|l| (l.first, l.last))).collect();
    assert_eq!(lines, [Some((9, 3)), Some((0, 0)), Some((0, 5))]);
    assert!(reading.defects.is_empty());
}

#[test]
fn code_is_text() {
    text("Use `a[^1]` here.");
    text("Use ``a ` [^1]`` here.");
    text("```\nrun [^1]\n```");
    text("~~~~ rust\n[^1]\n~~~\n[^2]\n~~~~");
    text("    indented [^1]\n");
    text("- item\n\n      code [^1]\n");
    text("`````\n```\n[^1]\n`````");
    text("> ```\n> [^1]\n> ```");
    check("`open [^1]", 1, &["[^1]"], &[]);
    check("text\n    lazy continuation [^1]", 1, &["[^1]"], &[]);
}

#[test]
fn html_and_addresses_are_text() {
    text("A <span title=\"[^1]\">b</span>.");
    text("<div>\n[^1]\n</div>");
    text("<!-- [^1] -->");
    text("A <!-- [^1] --> b.");
    text("[a](http://x/[^1])");
    text("[a](/x \"title [^1]\")");
    text("![image [^1]](/x.png)");
    text("![a](/x.png \"[^1]\")");
    text("<http://x/[^1]>");
    text("[a]: /x[^1] \"[^2]\"\n");
    check("A <b>[^1]</b>.", 1, &["[^1]"], &[]);
    check("[see [^1]](/x)", 1, &["[^1]"], &[]);
    check("[^1](/x)", 1, &["[^1]"], &[]);
    check("http://x/a[^1]", 1, &["[^1]"], &[]);
    check("[text][^1]", 1, &["[^1]"], &[]);
    check("wow![^1]", 1, &["[^1]"], &[]);
}

#[test]
fn an_unclosed_fence_is_a_defect_and_hides_what_follows() {
    check("A [^1].\n\n```rust\nfn [^2]\n\nB [^3].", 3, &["[^1]"], &[(UnclosedFence, "```rust")]);
    // Lines that end in carriage returns alone close it as well.
    check("A [^1].\r\r```rust\rfn [^2]\r```\r\rB [^3].", 3, &["[^1]", "[^3]"], &[]);
    check("~~~\na\n```\n", 0, &[], &[(UnclosedFence, "~~~")]);
    check("   ````\na\n```\n", 0, &[], &[(UnclosedFence, "````")]);
    check("```", 0, &[], &[(UnclosedFence, "```")]);
    check("```\n", 0, &[], &[(UnclosedFence, "```")]);
    check("```\n\n", 0, &[], &[(UnclosedFence, "```")]);
    check("> ```\n> a [^1]\n\nB [^1].", 1, &["[^1]"], &[(UnclosedFence, "```")]);
    check("- ```\n  a [^1]\n\nB [^1].", 1, &["[^1]"], &[(UnclosedFence, "```")]);
    check("```\na\n```", 0, &[], &[]);
    check("```\n```", 0, &[], &[]);
    check("```\r\na\r\n```\r\n", 0, &[], &[]);
    check("> ```\n> a\n> ```\nb [^1]", 1, &["[^1]"], &[]);
    check("- ```\n  a\n  ```\n", 0, &[], &[]);
    check("```\n\n\n```\n", 0, &[], &[]);
    check("```\na\n     ```\n", 0, &[], &[(UnclosedFence, "```")]);
    check("```\na\n``` x\n", 0, &[], &[(UnclosedFence, "```")]);
}

#[test]
fn an_unclosed_comment_is_a_defect() {
    check("A.\n\n<!-- [^1]\n\nB [^2].", 3, &[], &[(UnclosedHtml, "<!--")]);
    check("> <!-- x\n\nB [^1].", 3, &["[^1]"], &[(UnclosedHtml, "<!--")]);
    check("  <!-- x", 3, &[], &[(UnclosedHtml, "<!--")]);
    check("<!-- x\n\n-->\n\nB [^1].", 3, &["[^1]"], &[]);
    check("<div>\nx", 3, &[], &[]);
}

#[test]
fn definition_lines_hold_no_citations_and_no_defects() {
    check("See [^1].\n\n[^1]: docs/a.md [^2]", 2, &["[^1]"], &[]);
    check("See [^1].\n[^1]: docs/a.md [^2]\n[^0]: x [^-1]\nmore [^2]", 2, &["[^1]", "[^2]"], &[]);
    text("> [^1]: x [^2]");
    text("- [^9]: x [^0]");
    text("1. [^1]: x");
    text("   [^1]: x");
    text("[^note]: x [^1]");
    text("[^1]:");
    text("[^1:3-4]: x");
    check("a [^1]: x", 1, &["[^1]"], &[]);
    check("[^1] : x", 1, &["[^1]"], &[]);
    check("[^1]: `a\n\n[^1]: x\n\nA [^1].", 1, &["[^1]"], &[]);
    check("[^1]: docs/a.md\n\nUses [^1] and [text][^1].", 1, &["[^1]", "[^1]"], &[]);
}

#[test]
fn blocks_of_every_kind_scan_by_their_structure() {
    text("<!-- a --> b [^1]");
    text("<div>[^1]</div>");
    check("<b>x</b> [^1]", 1, &["[^1]"], &[]);
    check("Title [^1]\n===\n", 1, &["[^1]"], &[]);
    check("- a\n\n  ```\n  x [^1]\n- b [^1]", 1, &["[^1]"], &[(UnclosedFence, "```")]);
    check("> <!-- x\n> y [^1]\n\nB [^1]", 1, &["[^1]"], &[(UnclosedHtml, "<!--")]);
    check("a\n<!-- b\n\nc [^1]", 1, &[], &[(UnclosedHtml, "<!--")]);
    check("| a [^1] | `b[^2]` |\n|---|---|\n| c [^2] | d |", 2, &["[^1]", "[^2]"], &[]);
    check("* [^1]: x\n* y [^1]", 1, &["[^1]"], &[]);
    check("[^1][^2]: x", 2, &["[^1]", "[^2]"], &[]);
    check("**[^1]**: x", 1, &["[^1]"], &[]);
    check("*a [^1]* and ~~b [^2]~~", 2, &["[^1]", "[^2]"], &[]);
    check("a &amp; b [^1] &lt;", 1, &["[^1]"], &[]);
    check("a  \n[^1]\\\n[^2]", 2, &["[^1]", "[^2]"], &[]);
    text("[^1]:x [^2]");
    check("![a][^1]", 1, &["[^1]"], &[]);
}

#[test]
fn offsets_count_bytes_units_and_characters_after_a_bom() {
    let reading = read("\u{feff}El cañón 🙂 gira [^1].", 1);
    let span = reading.citations[0].span;
    assert_eq!((span.byte_start, span.utf16_start, span.char_start), (24, 18, 17));
    assert_eq!((span.byte_end, span.utf16_end, span.char_end), (28, 22, 21));
}

#[test]
fn marker_belongs_to_its_own_or_the_preceding_sentence() {
    bound("It uses Redis. [^1] It is fast.", &[Some("It uses Redis.")]);
    bound("It uses Redis.[^1] It is fast.", &[Some("It uses Redis.")]);
    bound(
        "It uses Redis.[^1][^2] It is fast [^3].",
        &[Some("It uses Redis."), Some("It uses Redis."), Some("It is fast.")],
    );
    bound("It [^1] uses Redis. It is fast.", &[Some("It uses Redis.")]);
    bound("[^1] It uses Redis. It is fast.", &[Some("It uses Redis.")]);
    bound("It uses Redis.\n[^1] It is fast.", &[Some("It uses Redis.")]);
    bound("\"It uses Redis.\" [^1] Then more.", &[Some("\"It uses Redis.\"")]);
    bound("It uses version 1.2[^1] now.", &[Some("It uses version 1.2 now.")]);
    bound("Set `a.b`[^1] first. Then go.", &[Some("Set a.b first.")]);
    bound("**Redis** is fast[^1]. Yes it is.", &[Some("Redis is fast.")]);
    bound("Usa Redis. ¿Por qué? Es rápido [^2].", &[Some("Es rápido.")]);
}

#[test]
fn a_marker_belongs_to_its_list_item_or_cell() {
    bound("- one thing [^1]\n- two things [^2]\n", &[Some("one thing"), Some("two things")]);
    bound("1. one thing.\n   [^1]\n2. two", &[Some("one thing.")]);
    bound("- outer [^1]\n  - inner [^2]\n", &[Some("outer"), Some("inner")]);
    let table = "| name | port |\n|---|---|\n| web [^1] | 8080 | \n| db | 5432 [^2] |\n";
    bound(table, &[Some("web"), Some("5432")]);
    bound(
        "| a | b | c |\n|---|---|---|\n| one thing | | [^1] |\n| [^2] | x | y |\n",
        &[Some("one thing"), None],
    );
}

#[test]
fn a_marker_alone_belongs_to_the_block_before() {
    bound("It starts. It stops.\n\n[^1]", &[Some("It stops.")]);
    bound("- a one\n- b two\n\n[^1]", &[Some("b two")]);
    bound("It runs.\n\n```\nx\n```\n\n[^1]", &[Some("It runs.")]);
    bound("```\nx\n```\n\n[^1]", &[None]);
    bound("[^1]\n\nIt runs.", &[None]);
    bound("# The title\n\n[^1]\n\nIt runs.", &[Some("The title")]);
    bound("# The title\n\n```\nx\n```\n\n[^1]", &[Some("The title")]);
    bound("It runs.\n\n([^1], [^2]).", &[Some("It runs."), Some("It runs.")]);
}

#[test]
fn a_marker_in_a_heading_cites_the_heading() {
    bound("# The title [^1]\n\nIt runs.", &[Some("The title")]);
}

#[test]
fn headings_are_no_claims_and_code_is_one() {
    let reading = read("# Title\n\nIt runs. It stops.\n\n```avap\naddVar(x, 1)\n```\n\n- A list item\n", 1);
    let claims: Vec<(&str, &str)> =
        reading.claims.iter().map(|c| (c.kind.as_str(), c.text.as_str())).collect();
    assert_eq!(
        claims,
        [
            ("factual", "It runs."),
            ("factual", "It stops."),
            ("code", "addVar(x, 1)"),
            ("factual", "A list item")
        ]
    );
    assert_eq!((reading.blocks.len(), reading.blocks[0].first_line), (1, 6));
    assert_eq!(reading.blocks[0].code, "addVar(x, 1)\n");
}

/// Holds for every reading of every text.
fn holds(answer: &str, reading: &Reading) {
    let mut behind = 0;
    for c in &reading.citations {
        assert!(c.span.byte_start >= behind, "in order");
        behind = c.span.byte_end;
        assert_eq!(answer.get(c.span.byte_start..c.span.byte_end), Some(c.text.as_str()));
        if let Some(claim) = c.claim {
            assert!((claim as usize) < reading.claims.len());
        }
    }
    for d in &reading.defects {
        assert!(answer.is_char_boundary(d.span.byte_start) && answer.is_char_boundary(d.span.byte_end));
    }
    let mut behind = 0;
    for c in &reading.claims {
        assert!(
            c.span.byte_start >= behind && c.span.byte_start < c.span.byte_end,
            "claims in order: {:?}",
            reading.claims
        );
        behind = c.span.byte_start;
        assert!(answer.get(c.span.byte_start..c.span.byte_end).is_some());
        assert!(!c.text.trim().is_empty() || c.kind.as_str() == "code");
    }
}

#[test]
fn cut_inline_code_takes_its_spaces_along() {
    for answer in [" word```  ```[^1]:\u{feff}", "word ` `[^1]. It ends.", "`a`  [^1], b `  `[^2]; ñ"] {
        holds(answer, &read(answer, 2));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn reading_is_total(answer in "\\PC{0,80}") {
        holds(&answer, &read(&answer, 2));
    }

    #[test]
    fn reading_markdown_is_total(pieces in prop::collection::vec(prop::sample::select(vec![
        "[^1]", "[^2:3-4]", "[^", "]", "[", "`", "```", "\n", "\n\n", "> ", "- ", "  ", "    ", "1. ", "# ", "|", "---", "[^1]:",
        " word", " It ends.", "ñ", "🙂", "\\", "<!--", "-->", "<b>", "](x)", "![", "*", "**", "\r\n", "\u{feff}", "&amp;", "~~~", "\t", "\"",
        "(", ")", "| a | b |\n|---|---|\n",
    ]), 0..40)) {
        let answer: String = pieces.concat();
        holds(&answer, &read(&answer, 2));
    }
}

#[test]
fn claims_beside_the_text_keep_its_order() {
    for answer in [
        "It ends ![Nothing is ever lost](x.png) here [^1]. The limit is 5 MB [^2].",
        "[^1]: (-->* It ends.![| a | b |\n|---|---|\n1. \\1. It ends [^2].",
    ] {
        holds(answer, &read(answer, 2));
    }
}
