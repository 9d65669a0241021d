//! Any text is read, cut and judged: nothing panics or hangs, spans agree in all three units, markers are in order and
//! bound to claims that know them, and segments are the draft byte for byte, however it was cut.
#![no_main]

use assay_domain::Source;
use assay_domain::evidence::SourceKind;
use assay_domain::report::{Attempt, Span};
use assay_grounding::{Facts, Judge, Policy, SegmentGate, Terms, citations, policy, reading};
use libfuzzer_sys::fuzz_target;

fn fits(text: &str, span: Span) {
    let (start, end) = (&text[..span.byte_start], &text[..span.byte_end]);
    assert!(span.byte_start <= span.byte_end);
    assert_eq!((span.char_start, span.char_end), (start.chars().count(), end.chars().count()));
    let units = |text: &str| text.encode_utf16().count();
    assert_eq!((span.utf16_start, span.utf16_end), (units(start), units(end)));
}

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let sources = text.len() % 4;
    let found = reading::read(text, sources);
    let scanned = citations::scan(text, sources);
    assert_eq!((found.citations.len(), &found.defects), (scanned.citations.len(), &scanned.defects));
    let mut behind = 0;
    for (number, citation) in found.citations.iter().enumerate() {
        fits(text, citation.span);
        assert!(citation.span.byte_start >= behind, "markers overlap or are out of order");
        behind = citation.span.byte_end;
        assert_eq!(&text[citation.span.byte_start..behind], citation.text);
        assert_eq!(citation.in_range, (1..=sources).contains(&(citation.marker as usize)));
        if let Some(claim) = citation.claim {
            let claim = &found.claims[claim as usize];
            assert!(claim.citations.contains(&u32::try_from(number).expect("few markers")));
        }
    }
    found.claims.iter().for_each(|claim| fits(text, claim.span));
    found.defects.iter().for_each(|defect| fits(text, defect.span));

    let mut gate = SegmentGate::new();
    let step = 1 + data.first().map_or(0, |byte| usize::from(*byte % 40));
    let characters: Vec<char> = text.chars().collect();
    let mut segments = Vec::new();
    for delta in characters.chunks(step) {
        segments.extend(gate.push(&delta.iter().collect::<String>()));
    }
    segments.extend(gate.finish());
    assert_eq!(segments.iter().map(|segment| segment.text.as_str()).collect::<String>(), text);

    let source = "The pool opens four connections and closes them after 90 seconds, unless `max_rows` is set.";
    let sources: Vec<Source> =
        (0..sources).map(|n| Source::given(n.to_string(), SourceKind::Doc, source, 1)).collect();
    let attempt = if text.len() % 3 == 0 { Attempt::Retry } else { Attempt::First };
    let terms = Terms { attempt, attach: text.len() % 5 == 0, ..Terms::new("What does the pool do?", sources) };
    let judge = Judge::new(terms, Policy::shipped(policy::DEFAULT).expect("shipped"));
    let report = judge.judge(text, &Facts::default());
    report.claims.iter().for_each(|claim| fits(&report.text, claim.span));
    let again = reading::read(&report.partial_response, 4);
    assert!(again.defects.iter().all(|defect| !defect.kind.as_str().starts_with("unclosed")), "what remains is malformed");
});
