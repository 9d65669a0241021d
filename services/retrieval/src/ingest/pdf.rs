//! Text of a PDF. It is what is indexed, cited and hashed, since a PDF has no lines: a line is a sentence.

use assay_chunk::PAGE_BREAK;
use assay_text::sentences;
use lopdf::{Document, LoadOptions};
use unicode_normalization::UnicodeNormalization;

/// Most bytes that one stream of a file unpacks to.
const MAX_STREAM_BYTES: usize = 32 << 20;

/// Text of the pages, or why there is none.
pub(super) fn text(content: &[u8], max_bytes: usize) -> Result<String, String> {
    let options = LoadOptions::with_max_decompressed_size(MAX_STREAM_BYTES);
    let pdf = Document::load_mem_with_options(content, options)
        .map_err(|error| format!("the PDF cannot be read: {error}"))?;
    let mut text = String::new();
    for number in pdf.get_pages().into_keys() {
        let page = pdf
            .extract_text_with_limit(&[number], MAX_STREAM_BYTES)
            .map_err(|error| format!("page {number} cannot be read: {error}"))?;
        // Ligatures would hide their words from a search.
        let page: String = page.nfkc().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let page = page.split_whitespace().collect::<Vec<_>>().join(" ");
        text.push(PAGE_BREAK);
        let lines = sentences::split(&page, &[], &[]).into_iter().filter_map(|sentence| page.get(sentence));
        text.push_str(&lines.map(str::trim).collect::<Vec<_>>().join("\n"));
        text.push('\n');
        if text.len() > max_bytes {
            return Err(format!("its text has more than {max_bytes} bytes (setting max_file_bytes)"));
        }
    }
    if text.trim().is_empty() {
        return Err("the PDF holds no text; its pages may be images".to_owned());
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;
    use proptest::prelude::*;

    /// A file with these pages, without a table of its objects, which readers make themselves.
    fn pdf(pages: &[&str]) -> Vec<u8> {
        let mut out = "%PDF-1.4\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n".to_owned();
        let kids: Vec<String> = (0..pages.len()).map(|page| format!("{} 0 R", 10 + 2 * page)).collect();
        out += &format!(
            "2 0 obj\n<</Type/Pages/Kids[{}]/Count {}/Resources<</Font<</F1 3 0 R>>>>/MediaBox[0 0 595 842]>>\nendobj\n",
            kids.join(" "),
            pages.len()
        );
        out += "3 0 obj\n<</Type/Font/Subtype/Type1/BaseFont/Courier/Encoding/WinAnsiEncoding>>\nendobj\n";
        for (page, text) in pages.iter().enumerate() {
            let (object, stream) = (10 + 2 * page, format!("BT /F1 12 Tf 10 10 Td ({text}) Tj ET"));
            out +=
                &format!("{object} 0 obj\n<</Type/Page/Parent 2 0 R/Contents {} 0 R>>\nendobj\n", object + 1);
            out += &format!(
                "{} 0 obj\n<</Length {}>>\nstream\n{stream}\nendstream\nendobj\n",
                object + 1,
                stream.len()
            );
        }
        (out + "trailer\n<</Root 1 0 R>>\n").into_bytes()
    }

    #[test]
    fn each_sentence_of_a_page_is_a_line() {
        let found = text(&pdf(&["The importer stops. It skips rows.", "Add \\275 cup."]), 1000).unwrap();
        assert_eq!(found, "\u{c}The importer stops.\nIt skips rows.\n\u{c}Add 1\u{2044}2 cup.\n");
    }

    #[test]
    fn what_cannot_be_read_says_why() {
        let deep = "%PDF-1.4\n1 0 obj\n".to_owned() + &"[".repeat(100_000);
        for (content, max_bytes, why) in [
            (b"".to_vec(), 1000, "cannot be read"),
            (b"no PDF".to_vec(), 1000, "cannot be read"),
            (deep.into_bytes(), 1000, "cannot be read"),
            (pdf(&[" "]), 1000, "no text"),
            (pdf(&["Many words are on it."]), 10, "more than 10 bytes"),
        ] {
            let error = text(&content, max_bytes).unwrap_err();
            assert!(error.contains(why), "{error}");
        }
    }

    proptest! {
        #[test]
        fn a_damaged_file_never_panics(changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12)) {
            let mut content = pdf(&["The importer stops.", "It skips rows."]);
            for (place, byte) in changes {
                let place = place.index(content.len());
                content[place] = byte;
            }
            let _ = text(&content, 1000);
        }
    }
}
