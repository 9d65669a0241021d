//! Any text is scanned for citations: nothing panics, and markers are in text order and read as they are written.
#![no_main]

use assay_grounding::citations::scan;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let found = scan(text, text.len() % 4);
    let mut behind = 0;
    for citation in &found.citations {
        assert!(citation.span.byte_start >= behind, "markers overlap or are out of order");
        behind = citation.span.byte_end;
        assert_eq!(&text[citation.span.byte_start..behind], citation.text);
    }
    for defect in &found.defects {
        assert!(text.get(defect.span.byte_start..defect.span.byte_end).is_some());
    }
});
