//! Any text is parsed, laid out and asked about: nothing panics or hangs, every finding stands on a line of the text, a
//! line carries at most one error, and a layout keeps the program valid and is stable.
#![no_main]

use assay_avap::{Formatted, Options, Profile, Severity, call_help, complete, definition, format, hover, parse};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let mut options = Options { server_compat: text.len() % 7 == 0, ..Options::default() };
    if text.len() % 5 == 0 {
        options.profiles.insert(Profile::Hypothesis);
    }
    let parsed = parse(text, &options);
    let bare = text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n").replace('\r', "\n");
    let lines: Vec<usize> = bare.split('\n').map(|line| line.chars().count()).collect();
    let mut last = 0;
    for found in &parsed.diagnostics {
        let length = lines.get(found.line as usize - 1).copied().expect("the line exists");
        assert!(found.column >= 1 && found.end_column >= found.column && found.end_column as usize <= length + 1);
        if found.severity == Severity::Error {
            assert!(found.line > last, "two errors on line {}", found.line);
            last = found.line;
        }
    }
    assert_eq!(parsed.valid, last == 0);
    match format(text, &options) {
        Formatted::Text(once) => {
            assert!(parsed.valid);
            let again = parse(&once, &options);
            assert!(again.valid, "laying out broke the program:\n{once}");
            assert_eq!(again.tree.statements.len(), parsed.tree.statements.len());
            assert_eq!(again.tree.expressions.len(), parsed.tree.expressions.len());
            assert_eq!(format(&once, &options), Formatted::Text(once.clone()), "laid out twice");
        }
        Formatted::Invalid(errors) => assert!(!errors.is_empty() && !parsed.valid),
    }
    let offset = data.first().map_or(0, |byte| usize::from(*byte) * text.len() / 255);
    let _ = (complete(text, offset, &options), hover(text, offset, &options));
    let _ = (definition(text, offset, &options), call_help(text, offset, &options));
});
