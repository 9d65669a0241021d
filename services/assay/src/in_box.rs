//! The reader in the box: its weights are part of this program.

use assay_reader::{Embedded, InBox};

/// What every service of this program reads with, unless a setting says otherwise.
pub const IN_BOX: InBox = InBox(Some(Embedded {
    model: include_bytes!("../../../libs/models/reader/model.onnx"),
    tokenizer: include_bytes!("../../../libs/models/reader/tokenizer.json"),
}));

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_box_holds_the_reader_that_is_named() {
        use sha2::Digest as _;
        let digest = hex::encode(sha2::Sha256::digest(IN_BOX.0.unwrap().model));
        assert_eq!(digest, assay_reader::shipped().sha256);
    }
}
