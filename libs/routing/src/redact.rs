//! Redaction of secrets and personal data patterns; text in any script survives otherwise.

use std::sync::LazyLock;

use regex::Regex;

/// What stands in place of a redacted value, by kind.
const PATTERNS: &[(&str, &str)] = &[
    (r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|\z)", "[key]"),
    (r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*", "[token]"),
    (r"\b(?:sk|pk|rk|ghp|gho|ghs|glpat|xox[abprs]|hf|npm)[-_][A-Za-z0-9_-]{16,}", "[token]"),
    (r"\bgithub_pat_[A-Za-z0-9_]{20,}", "[token]"),
    (r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b", "[token]"),
    (r"(?i)\bbearer\s+[A-Za-z0-9._~+/-]{16,}=*", "[token]"),
    (
        r#"(?i)\b(password|passwd|pwd|secret|api[_-]?key|access[_-]?token|contrase(?:ñ|n)a|clave)(\s*[:=]\s*)["']?[^\s"',;]{4,}["']?"#,
        "$1$2[secret]",
    ),
    (r"\b([a-zA-Z][a-zA-Z0-9+.-]*://)[^\s/:@]+:[^\s/@]+@", "$1[secret]@"),
    (r"[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+", "[email]"),
    (r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?\b", "[account]"),
    (r"\b(?:\d[ -]?){12,18}\d\b", "[number]"),
    (r"\b\d{8}-?[A-HJ-NP-TV-Z]\b", "[id]"),
    (r"\b\d{3}-\d{2}-\d{4}\b", "[id]"),
    (r"\+\d{1,3}(?:[ .-]?\d{2,4}){2,5}\b", "[phone]"),
];

static COMPILED: LazyLock<Vec<(Regex, &'static str)>> = LazyLock::new(|| {
    PATTERNS
        .iter()
        .filter_map(|(pattern, with)| Regex::new(pattern).ok().map(|regex| (regex, *with)))
        .collect()
});

/// The text with every secret and personal data pattern replaced by its kind in brackets.
#[must_use]
pub fn redact(text: &str) -> String {
    let mut text = text.to_owned();
    for (regex, with) in COMPILED.iter() {
        if regex.is_match(&text) {
            text = regex.replace_all(&text, *with).into_owned();
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_compiles() {
        assert_eq!(COMPILED.len(), PATTERNS.len());
    }

    #[test]
    fn secrets_and_personal_data_are_replaced_by_their_kind() {
        for (text, expected) in [
            ("mail ana.pérez@ejemplo.es now", "mail [email] now"),
            ("password: hunter22!", "password: [secret]"),
            ("contraseña=miPerro99", "contraseña=[secret]"),
            ("key sk-abcdefghijklmnop1234", "key [token]"),
            ("card 4111 1111 1111 1111 ok", "card [number] ok"),
            ("call +34 600 123 456", "call [phone]"),
            ("postgres://bob:s3cret@db/x", "postgres://[secret]@db/x"),
        ] {
            assert_eq!(redact(text), expected);
        }
    }

    #[test]
    fn ordinary_text_in_any_script_survives() {
        for text in ["How does addParam(\"id\", 10) work?", "¿Cómo leo 1.200 filas?", "日本語の質問", "a@b"]
        {
            assert_eq!(redact(text), text);
        }
    }
}
