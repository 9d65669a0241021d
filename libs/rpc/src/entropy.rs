//! The one home of chance: bytes from the operating system's generator.
#![allow(clippy::disallowed_methods, reason = "this is the home of chance")]

/// `N` random bytes. A system that cannot give any has no business signing or naming anything, so that ends the
/// process.
#[must_use]
fn bytes<const N: usize>() -> [u8; N] {
    let mut out = [0; N];
    if let Err(error) = getrandom::fill(&mut out) {
        tracing::error!(target: "assay", %error, "the operating system gives no random bytes");
        std::process::abort();
    }
    out
}

/// Sixteen random bytes, for names.
#[must_use]
pub fn bytes16() -> [u8; 16] {
    bytes()
}

/// Ten random bytes, as an audit id needs them.
#[must_use]
pub fn bytes10() -> [u8; 10] {
    bytes()
}

/// Thirty-two random bytes: salts and keys.
#[must_use]
pub fn bytes32() -> [u8; 32] {
    bytes()
}

/// A chance in `0.0..1.0`, for jitter.
#[must_use]
pub fn fraction() -> f64 {
    // 53 bits are what a double holds exactly.
    #[allow(clippy::cast_precision_loss, reason = "53 bits fit")]
    let bits = (u64::from_le_bytes(bytes()) >> 11) as f64;
    bits / 9_007_199_254_740_992.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_salts_are_alike() {
        assert_ne!(bytes32(), bytes32());
        assert_ne!(bytes10(), bytes10());
    }

    #[test]
    fn a_chance_is_below_one() {
        assert!((0..1000).map(|_| fraction()).all(|chance| (0.0..1.0).contains(&chance)));
    }
}
