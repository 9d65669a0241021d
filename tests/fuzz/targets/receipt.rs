//! Any text of a receipt or an exported log is verified, and a genuine one with other bytes never holds: nothing panics,
//! and what differs is found.
#![no_main]

use std::sync::LazyLock;

use assay_ledger::{Receipt, verify_lines};
use libfuzzer_sys::fuzz_target;

#[path = "../../../libs/ledger/tests/sample/mod.rs"]
mod sample;

static GENUINE: LazyLock<Receipt> = LazyLock::new(|| sample::receipt(&sample::headed(6), 2));

/// Reads whatever the text may be.
fn read(text: &str) {
    if let Ok(receipt) = Receipt::from_json(text) {
        let again = Receipt::from_json(&receipt.to_json()).expect("what was read once");
        assert_eq!(again.verify(None), receipt.verify(None));
    }
    let verified = verify_lines(text.lines(), None);
    assert!(!verified.holds() || verified.findings.is_empty());
}

fuzz_target!(|data: &[u8]| {
    if let Ok(text) = std::str::from_utf8(data) {
        read(text);
    }
    // Each three bytes set one byte of the genuine receipt.
    let mut bytes = GENUINE.to_json().into_bytes();
    for patch in data.as_chunks::<3>().0 {
        let at = usize::from(u16::from_le_bytes([patch[0], patch[1]])) % bytes.len();
        bytes[at] = patch[2];
    }
    let Ok(receipt) = Receipt::from_json(&String::from_utf8_lossy(&bytes)) else { return };
    let holds = receipt.verify(Some(&sample::signer().verifier())).findings.is_empty();
    assert_eq!(holds, receipt == *GENUINE, "{receipt:?}");
});
