//! Any program in any language is answered: nothing panics, and findings stand in the text in order. The first line of the
//! input names the language.
#![no_main]

use assay_languages::{AvapOptions, Outcome, detect, fences, fill, names, parse};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let (first, code) = text.split_once('\n').unwrap_or(("", text));
    let names = names();
    let chosen = first.bytes().map(usize::from).sum::<usize>() % names.len();
    let language = names.iter().find(|name| **name == first).unwrap_or(&names[chosen]);
    let lines = code.chars().filter(|c| matches!(c, '\n' | '\r')).count() + 1;
    if let Outcome::Parsed { valid, diagnostics } = parse(language, code, &AvapOptions::default(), &|| false) {
        let mut behind = 0;
        for found in &diagnostics {
            assert!(found.line >= behind.max(1) && found.line as usize <= lines, "{language}: {found:?}");
            assert!(found.column >= 1 && found.end_column >= found.column, "{language}: {found:?}");
            behind = found.line;
        }
        let errors = diagnostics.iter().any(|found| found.severity == assay_domain::code::Severity::Error);
        assert_eq!(valid, !errors);
    }
    if let Some(filled) = fill(language, code) {
        assert_eq!(filled.code.matches('\n').count(), code.matches('\n').count(), "{language}");
    }
    assert!(detect(code, &|| false).is_ok());
    for fence in fences(text, &|| false).expect("nobody said stop") {
        assert!(text.get(fence.byte_start..fence.byte_end).is_some() && fence.first_line >= 1);
    }
});
