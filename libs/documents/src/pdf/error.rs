//! Errors of taking the text out of a PDF.

/// Why a PDF gives no text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PdfError {
    /// Its structure cannot be read.
    #[error("the PDF cannot be read: {0}")]
    Unreadable(String),
    /// It asks for a password.
    #[error("the PDF is encrypted; save it without a password")]
    Encrypted,
    /// Its text is longer than allowed.
    #[error("its text has more than {most} bytes (setting max_file_bytes)")]
    TooLarge {
        /// Most bytes.
        most: usize,
    },
    /// It has too many pages.
    #[error("the PDF has more than {most} pages; split it")]
    TooManyPages {
        /// Most pages.
        most: usize,
    },
    /// Its pages unpack to more than is read.
    #[error("the PDF unpacks to more than is read")]
    Bomb,
    /// It holds no text.
    #[error("the PDF holds no text; its pages may be images")]
    NoText,
}
