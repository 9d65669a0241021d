//! The one home of chance.
#![allow(clippy::disallowed_methods, reason = "this is the home of chance")]

/// Sixteen random bytes from the operating system, 122 bits of them free.
#[must_use]
pub fn bytes16() -> [u8; 16] {
    *uuid::Uuid::new_v4().as_bytes()
}

/// Ten random bytes, as an audit id needs them; the fixed bits of a UUID are left out.
#[must_use]
pub fn bytes10() -> [u8; 10] {
    let all = bytes16();
    [all[0], all[1], all[2], all[3], all[4], all[5], all[10], all[11], all[12], all[13]]
}

/// Thirty-two bytes, 244 bits of them free: salts and keys.
#[must_use]
pub fn bytes32() -> [u8; 32] {
    let mut out = [0; 32];
    out[..16].copy_from_slice(&bytes16());
    out[16..].copy_from_slice(&bytes16());
    out
}
