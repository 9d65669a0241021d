//! The rules of citations, sentence by sentence: each with texts on both sides of it and what is read in them.
//!
//! `clauses.txt` holds a rule after `#`, then texts as JSON strings, each followed by its markers (with the claim that each
//! belongs to; `!` where the source does not exist) and its defects with the byte they begin at. Where a reading changes,
//! the test prints the whole file anew: read it before it is kept.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use assay_domain::report::Span;
use assay_reading::read;
use proptest::prelude::*;

/// Sources of every text.
const SOURCES: usize = 3;

fn told(text: &str) -> String {
    let reading = read(text, SOURCES);
    let markers = reading.citations.iter().map(|citation| {
        let claim = citation.claim.map_or("nothing", |claim| reading.claims[claim as usize].text.as_str());
        format!("{}{} of {claim:?}", citation.text.escape_debug(), if citation.in_range { "" } else { "!" })
    });
    let defects = reading
        .defects
        .iter()
        .map(|defect| format!("{} at {}", defect.kind.as_str(), defect.span.byte_start));
    let all: Vec<String> = markers.chain(defects).collect();
    if all.is_empty() { "text".to_owned() } else { all.join(", ") }
}

#[test]
fn every_rule_reads_its_texts_as_written() {
    let file = include_str!("clauses.txt");
    let mut anew = String::new();
    let mut texts = 0;
    for line in file.lines() {
        if let Some((text, _)) = line.starts_with('"').then(|| line.split_once(" => ")).flatten() {
            let decoded: String = serde_json::from_str(text).expect("a text is a JSON string");
            anew.push_str(&format!("{text} => {}\n", told(&decoded)));
            texts += 1;
        } else {
            assert!(line.is_empty() || line.starts_with("# "), "neither rule nor text: {line}");
            anew.push_str(&format!("{line}\n"));
        }
    }
    assert!(texts > 150);
    let changed: Vec<(&str, &str)> = file.lines().zip(anew.lines()).filter(|(one, two)| one != two).collect();
    assert!(changed.is_empty(), "{} readings changed: {changed:#?}\n{anew}", changed.len());
}

#[test]
fn every_rule_has_a_positive_and_a_negative_example() {
    for rule in include_str!("clauses.txt").split("\n# ") {
        let results: std::collections::BTreeSet<&str> =
            rule.lines().filter_map(|line| line.split_once("\" => ")).map(|(_, told)| told).collect();
        assert!(results.len() > 1, "all texts of a rule read alike: {rule}");
    }
}

/// Offsets of a span counted from the start of the text.
fn agrees(text: &str, span: Span) -> bool {
    let before = |byte: usize| (text[..byte].encode_utf16().count(), text[..byte].chars().count());
    before(span.byte_start) == (span.utf16_start, span.char_start)
        && before(span.byte_end) == (span.utf16_end, span.char_end)
}

fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "[^1]",
        "[^2:3-4]",
        "[^9]",
        "[^0]",
        "[^",
        "]",
        "[",
        "`",
        "```",
        "\n",
        "\n\n",
        "> ",
        "- ",
        "    ",
        "# ",
        "| a |",
        "[^1]:",
        " word",
        " It ends.",
        "ñ",
        "🙂",
        "\\",
        "<!--",
        "-->",
        "<b>",
        "](x)",
        "![",
        "**",
        "\r\n",
        "\u{feff}",
        "&amp;",
        "~~~",
        "１",
        "\t",
        "|---|",
        "１２",
        "<http://x>",
    ]);
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn spans_agree_in_bytes_units_and_characters(text in pieces()) {
        let reading = read(&text, SOURCES);
        let spans = reading.citations.iter().map(|citation| citation.span);
        let spans = spans.chain(reading.defects.iter().map(|defect| defect.span));
        for span in spans.chain(reading.claims.iter().map(|claim| claim.span)) {
            prop_assert!(agrees(&text, span), "{:?}", span);
        }
    }

    #[test]
    fn markers_keep_text_order_and_cut_text_returns(text in pieces()) {
        let reading = read(&text, SOURCES);
        let mut bare = String::new();
        let mut behind = 0;
        for citation in &reading.citations {
            prop_assert!(citation.span.byte_start >= behind);
            bare.push_str(&text[behind..citation.span.byte_start]);
            behind = citation.span.byte_end;
        }
        bare.push_str(&text[behind..]);
        let (mut again, mut taken) = (bare, 0);
        for citation in &reading.citations {
            again.insert_str(citation.span.byte_start, &citation.text);
            taken += citation.text.len();
        }
        prop_assert_eq!(&again, &text);
        prop_assert!(taken <= text.len());
        prop_assert_eq!(read(&again, SOURCES), reading);
    }

    #[test]
    fn markers_put_behind_plain_sentences_are_all_found_and_bound(
        sentences in prop::collection::vec(("[A-Z][a-z]{2,9} [a-z]{3,9} [a-z]{3,9}ing", 1_u32..4, any::<bool>()), 1..12)
    ) {
        let mut text = String::new();
        let mut wanted = Vec::new();
        for (number, (words, marker, before)) in sentences.iter().enumerate() {
            let marker = format!("[^{marker}]");
            text.push_str(&if *before { format!("{words} {marker}. ") } else { format!("{words}. {marker} ") });
            wanted.push((marker, Some(u32::try_from(number).unwrap())));
        }
        let reading = read(&text, SOURCES);
        let found: Vec<_> = reading.citations.iter().map(|c| (c.text.clone(), c.claim)).collect();
        prop_assert_eq!(found, wanted, "{}", text);
    }
}
