//! Plain text: paragraphs, items, titles and code, and nothing where a mark is not exact.

use assay_documents::{Document, Format, Kind, NoFiles, WarningKind, read};
use proptest::prelude::*;

fn page(text: &str) -> Document {
    read(Format::Plain, "notes.txt", text, &NoFiles)
}

fn shown(document: &Document) -> Vec<(&'static str, &str, (u32, u32))> {
    let kind = |kind: &Kind| match kind {
        Kind::Heading { .. } => "heading",
        Kind::Item { .. } => "item",
        Kind::Code { .. } => "code",
        _ => "paragraph",
    };
    document.blocks.iter().map(|b| (kind(&b.kind), b.text.as_str(), (b.lines.first, b.lines.last))).collect()
}

#[test]
fn titles_items_and_code_are_told_apart() {
    let document = page(concat!(
        "The importer\n============\n\nIt reads rows\nof a file:\n- the first\n  of them\n- the second\n  1. inner\n\n  More on it.\n\n",
        "LIMITS OF IT\n\nRun this:\n\n    import \\\n      --all\n\n    exit\n\nThen wait.\n"
    ));
    assert_eq!(document.title, "The importer");
    assert_eq!(
        shown(&document),
        [
            ("heading", "The importer", (1, 2)),
            ("paragraph", "It reads rows of a file:", (4, 5)),
            ("item", "the first of them", (6, 7)),
            ("item", "the second", (8, 8)),
            ("item", "inner", (9, 9)),
            ("paragraph", "More on it.", (11, 11)),
            ("heading", "LIMITS OF IT", (13, 13)),
            ("paragraph", "Run this:", (15, 15)),
            ("code", "import \\\n  --all\n\nexit", (17, 20)),
            ("paragraph", "Then wait.", (22, 22)),
        ]
    );
    let leads: Vec<_> = document.blocks.iter().map(|block| block.lead).collect();
    assert_eq!(leads[2..6], [Some(1), Some(1), Some(3), Some(3)]);
    assert_eq!(leads[8], Some(7));
    assert_eq!(document.blocks[4].kind, Kind::Item { depth: 2, number: Some(1), ticked: None });
}

#[test]
fn marks_that_are_not_exact_are_words() {
    for text in [
        "A title\n=====\n",
        "It came in\n2. Then it went - and\n- so it is said - stayed.\n",
        "NO WAY!\n",
        "Some text.\n\n    An indented paragraph.\n",
        "CAPITALS\nof a paragraph.\n",
    ] {
        let document = page(text);
        assert!(document.blocks.iter().all(|block| block.kind == Kind::Paragraph), "{:?}", shown(&document));
    }
}

#[test]
fn deep_lists_keep_their_words() {
    let deep: String = (0..500).map(|depth| format!("{}- item\n", " ".repeat(depth))).collect();
    let document = page(&deep);
    assert_eq!(document.blocks.len(), 500);
    assert!(document.warnings.iter().any(|warning| warning.kind == WarningKind::TooDeep));
    for text in [
        "x ".repeat(2_000_000),
        "a:\n\n    b\n".repeat(100_000),
        "- a\n".repeat(200_000),
        "\0\r\r\n\t- \u{a0}".to_owned(),
    ] {
        let _ = page(&text);
    }
}

proptest! {
    #[test]
    fn blocks_stay_inside_their_page(text in "([ ]{0,6}(- |\\* |[0-9]{1,2}\\. )?[A-Za-zé:\\.=\\-]{0,6}[ ]?\n?){0,30}") {
        let document = page(&text);
        let count = u32::try_from(text.split('\n').count()).unwrap();
        for block in &document.blocks {
            prop_assert!(block.lines.first >= 1 && block.lines.first <= block.lines.last && block.lines.last <= count);
            prop_assert!(block.starts.is_sorted_by(|one, next| one.0 < next.0));
            prop_assert!(block.lead.is_none_or(|lead| lead < document.blocks.len()));
        }
    }
}
