//! PDF files: their text by its layout, its reading, and files that mean harm.

#![allow(clippy::unwrap_used, reason = "a file of the test is well made")]

use assay_documents::pdf::{PdfError, text};
use assay_documents::{Format, Kind, NoFiles, pages_and_paragraphs, read};
use proptest::prelude::*;

/// A file of these content streams, a page each; F1 is proportional, F2 bold, F3 of one width. Readers make the table of
/// its objects themselves.
fn pdf(pages: &[String]) -> Vec<u8> {
    let kids: Vec<String> = (0..pages.len()).map(|page| format!("{} 0 R", 10 + 2 * page)).collect();
    let mut out = format!(
        "%PDF-1.4\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n2 0 obj\n<</Type/Pages/Kids[{}]/Count {}\
         /Resources<</Font<</F1 3 0 R/F2 4 0 R/F3 5 0 R>>>>/MediaBox[0 0 595 842]>>\nendobj\n",
        kids.join(" "),
        pages.len()
    );
    for (object, name) in [(3, "Helvetica"), (4, "Helvetica-Bold"), (5, "Courier")] {
        out += &format!(
            "{object} 0 obj\n<</Type/Font/Subtype/Type1/BaseFont/{name}/Encoding\
             <</BaseEncoding/WinAnsiEncoding/Differences[1/fi/uniFB00]>>>>\nendobj\n"
        );
    }
    for (page, content) in pages.iter().enumerate() {
        let (object, length) = (10 + 2 * page, content.len());
        out += &format!("{object} 0 obj\n<</Type/Page/Parent 2 0 R/Contents {} 0 R>>\nendobj\n", object + 1);
        out += &format!("{} 0 obj\n<</Length {length}>>\nstream\n{content}\nendstream\nendobj\n", object + 1);
    }
    (out + "trailer\n<</Root 1 0 R>>\n").into_bytes()
}

/// A line of text at a place.
fn at(font: &str, size: u32, x: u32, y: u32, text: &str) -> String {
    format!("BT /{font} {size} Tf {x} {y} Td ({text}) Tj ET\n")
}

/// Lines of text below each other.
fn lines(x: u32, y: u32, texts: &[&str]) -> String {
    (0..).zip(texts).map(|(number, text)| at("F1", 10, x, y - 12 * number, text)).collect()
}

fn stored(pages: &[String]) -> String {
    text(&pdf(pages), 1 << 20).unwrap()
}

#[test]
fn paragraphs_are_told_by_their_distance() {
    let page = lines(50, 700, &["The importer stops. It skips", "rows that are empty."])
        + &lines(50, 650, &["It starts anew after", "ten seconds."]);
    assert_eq!(
        stored(&[page]),
        "\u{c}The importer stops.\nIt skips rows that are empty.\n\nIt starts anew after ten seconds.\n"
    );
}

#[test]
fn columns_are_read_one_after_the_other() {
    let left = [
        "The importer reads every row",
        "of the file that it is given",
        "and it stops at the first one",
        "that it cannot understand at",
        "all, unless it may skip rows.",
    ];
    let right = [
        "The exporter writes all rows",
        "in the order of their names,",
        "which people know from their",
        "older lists and tables, with",
        "one row for each of the days.",
    ];
    let mut page = at("F2", 18, 50, 760, "Rows in and out of it");
    page += &at(
        "F1",
        10,
        50,
        730,
        "This line stands across both of the columns, from the left end to the right end of the page.",
    );
    for (number, (one, other)) in (0..).zip(left.iter().zip(right)) {
        page += &lines(50, 700 - 12 * number, &[one]);
        page += &lines(300, 700 - 12 * number, &[other]);
    }
    assert_eq!(
        stored(&[page]),
        "\u{c}# Rows in and out of it\n\nThis line stands across both of the columns, from the left end to the right end of the page.\n\n\
         The importer reads every row of the file that it is given and it stops at the first one that it cannot understand at all, \
         unless it may skip rows.\n\n\
         The exporter writes all rows in the order of their names, which people know from their older lists and tables, with one row \
         for each of the days.\n"
    );
}

#[test]
fn hyphens_at_line_ends_go_and_others_stay() {
    let page = lines(
        50,
        700,
        &[
            "It is a well-known con-",
            "tainer of long-",
            "term well-",
            "known rows. A long-term plan \\001ts e\\002orts.",
        ],
    );
    let expected =
        "\u{c}It is a well-known container of long-term well-known rows.\nA long-term plan fits efforts.\n";
    assert_eq!(stored(&[page]), expected);
}

#[test]
fn heads_feet_and_page_numbers_are_left_out() {
    let page = |number: u32| {
        let texts = ["alpha", "beta", "gamma", "delta"];
        at("F1", 8, 50, 800, &format!("The Manual, part {}", number / 3))
            + &lines(50, 700, &[&format!("This page is about {}.", texts[number as usize]), "It ends here."])
            + &at("F1", 8, 290, 30, &format!("{}", number + 1))
    };
    let stored = stored(&(0..4).map(page).collect::<Vec<_>>());
    assert!(!stored.contains("Manual"), "{stored}");
    assert_eq!(stored.matches('\u{c}').count(), 4);
    assert!(stored.ends_with("\u{c}This page is about delta.\nIt ends here.\n"), "{stored}");
}

#[test]
fn headings_and_code_are_marked_and_read() {
    let page = at("F2", 20, 50, 780, "Importing")
        + &lines(
            50,
            750,
            &["It reads rows from every file that is in the folder, and", "stops at the end. # is a mark."],
        )
        + &at("F2", 14, 50, 710, "Limits of the importer")
        + &lines(50, 690, &["Run this:"])
        + &at("F3", 9, 60, 670, "import --all \\\\")
        + &at("F3", 9, 82, 659, "--limit 5")
        + &lines(50, 630, &["Then wait."]);
    let stored = stored(&[page]);
    assert_eq!(
        stored,
        "\u{c}# Importing\n\nIt reads rows from every file that is in the folder, and stops at the end.\n # is a mark.\n\n\
         ## Limits of the importer\n\nRun this:\n\n    import --all \\\n        --limit 5\n\nThen wait.\n"
    );
    let document = read(Format::Pdf, "a.pdf", &stored, &NoFiles);
    assert_eq!(document.title, "Importing");
    let texts: Vec<&str> = document.blocks.iter().map(|block| block.text.as_str()).collect();
    assert_eq!(
        texts,
        [
            "Importing",
            "It reads rows from every file that is in the folder, and stops at the end. # is a mark.",
            "Limits of the importer",
            "Run this:",
            "import --all \\\n    --limit 5",
            "Then wait.",
        ]
    );
    assert!(matches!(document.blocks[4].kind, Kind::Code { .. }));
    assert_eq!(document.blocks[4].lead, Some(3));
    assert_eq!((document.blocks[4].lines.first, document.blocks[4].line_at(20)), (10, 11));
    let headings = &document.sections[document.blocks[5].section].headings;
    assert_eq!(headings, &["Page 1", "Importing", "Limits of the importer"]);
}

#[test]
fn a_place_is_a_page_and_a_paragraph() {
    let stored = "\u{c}# Title\n\nOne.\nTwo.\n\nThree.\n\u{c}\u{c}Four.\n\n    code\n";
    let places = pages_and_paragraphs(stored);
    assert_eq!(places[0], Some((1, 1)));
    assert_eq!((places[2], places[3], places[5]), (Some((1, 1)), Some((1, 1)), Some((1, 2))));
    assert_eq!((places[6], places[8], places.get(9)), (Some((3, 1)), Some((3, 2)), None));
    let document = read(Format::Pdf, "a.pdf", stored, &NoFiles);
    assert!(document.anchors.contains(&("page=3".to_owned(), 7)));
    assert_eq!(document.sections.last().unwrap().headings, ["Page 3", "Title"]);
}

#[test]
fn turned_and_doubled_text_is_not_repeated() {
    let page = "BT /F1 40 Tf 0 1 -1 0 300 100 Tm (DRAFT) Tj ET\n".to_owned()
        + &lines(50, 700, &["The importer stops."])
        + "BT /F1 10 Tf 50.3 700 Td (The importer stops.) Tj ET\n";
    assert_eq!(stored(&[page]), "\u{c}The importer stops.\n");
}

#[test]
fn what_cannot_be_read_says_why() {
    let page = || lines(50, 700, &["Many words are on it."]);
    let encrypted = String::from_utf8(pdf(&[page()])).unwrap().replace(
        "<</Root 1 0 R>>",
        "<</Root 1 0 R/ID[<00><00>]/Encrypt<</Filter/Standard/V 1/R 2/P -4/O<00>/U<00>>>>>",
    );
    assert!(matches!(text(b"", 1000), Err(PdfError::Unreadable(_))));
    assert!(matches!(text(b"no PDF", 1000), Err(PdfError::Unreadable(_))));
    assert_eq!(text(encrypted.as_bytes(), 1000), Err(PdfError::Encrypted));
    assert_eq!(text(&pdf(&[" ".to_owned()]), 1000), Err(PdfError::NoText));
    assert_eq!(text(&pdf(&[page()]), 10), Err(PdfError::TooLarge { most: 10 }));
    let many: Vec<String> = (0..5_001).map(|_| String::new()).collect();
    assert_eq!(text(&pdf(&many), 1000), Err(PdfError::TooManyPages { most: 5_000 }));
}

#[test]
fn a_stream_that_unpacks_to_too_much_is_refused() {
    use std::io::Write;
    let mut packed = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    for _ in 0..40 {
        packed.write_all(&vec![b' '; 1 << 20]).unwrap();
    }
    let packed = packed.finish().unwrap();
    let own = String::from_utf8(pdf(&["q".to_owned()])).unwrap();
    let (before, after) = own.split_once("<</Length 1>>\nstream\nq").unwrap();
    let mut file = format!("{before}<</Length {}/Filter/FlateDecode>>\nstream\n", packed.len()).into_bytes();
    file.extend(packed);
    file.extend(after.as_bytes());
    assert_eq!(text(&file, 1000), Err(PdfError::Bomb));
}

#[test]
fn bombs_end() {
    let deep = "%PDF-1.4\n1 0 obj\n".to_owned() + &"[".repeat(100_000);
    assert!(text(deep.as_bytes(), 1000).is_err());
    let own = String::from_utf8(pdf(&[lines(50, 700, &["The importer stops."])])).unwrap();
    let cycle = own.replace("/Kids[10 0 R]", "/Kids[2 0 R 10 0 R 2 0 R 10 0 R]");
    assert_eq!(text(cycle.as_bytes(), 1000).unwrap(), "\u{c}The importer stops.\n");
    let forms = own.replace("/Resources<<", "/Resources<</XObject<</X 6 0 R>>").replace("(The", "/X Do (The").replace(
        "trailer",
        "6 0 obj\n<</Type/XObject/Subtype/Form/Length 41>>\nstream\n/X Do /X Do /X Do /X Do /X Do /X Do /X Do \nendstream\nendobj\ntrailer",
    );
    assert_eq!(text(forms.as_bytes(), 1000), Err(PdfError::Bomb));
    let map = "1 begincodespacerange <00000000> <ffffffff> endcodespacerange 1 beginbfrange <00000000> <ffffffff> <0041> endbfrange";
    let fonts = own.replace("/BaseFont/Helvetica/", "/BaseFont/Helvetica/ToUnicode 6 0 R/").replace(
        "trailer",
        &format!("6 0 obj\n<</Length {}>>\nstream\n{map}\nendstream\nendobj\ntrailer", map.len()),
    );
    assert!(text(fonts.as_bytes(), 1 << 20).is_ok());
    let cut = &own.as_bytes()[..own.len() / 2];
    let _ = text(cut, 1000);
    let many = lines(50, 700, &["a"]).repeat(100_000);
    assert!(text(&pdf(&[many]), 1 << 20).is_ok());
}

proptest! {
    #[test]
    fn a_damaged_file_never_panics(changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12)) {
        let mut content = pdf(&[lines(50, 700, &["The importer stops.", "It skips rows."]), lines(50, 700, &["End."])]);
        for (place, byte) in changes {
            let place = place.index(content.len());
            content[place] = byte;
        }
        let _ = text(&content, 1000);
    }

    #[test]
    fn content_never_panics(content in "([0-9]{1,3} |/F1 |\\(a b\\) |\\[\\(a\\) -300 \\(b\\)\\] |<41> |Tj |TJ |Td |Tf |Tm |BT |ET |q |Q |cm |T\\* |' ){0,60}") {
        let stored = text(&pdf(&[content]), 1 << 20);
        if let Ok(stored) = stored {
            let document = read(Format::Pdf, "a.pdf", &stored, &NoFiles);
            let count = u32::try_from(stored.split('\n').count()).unwrap();
            for block in &document.blocks {
                prop_assert!(block.lines.first >= 1 && block.lines.first <= block.lines.last && block.lines.last <= count);
                prop_assert!(block.starts.is_sorted_by(|one, next| one.0 < next.0));
            }
        }
    }
}
