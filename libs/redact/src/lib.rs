//! Takes secrets and personal data out of a text before it is kept; every other character of any script survives.
//!
//! A pattern replaces what it is sure of, so that ordinary prose and code stay readable: card numbers pass the Luhn
//! test, account numbers ISO 7064, identity numbers their check letter, tokens hold a digit. What was taken out is
//! named in its place, as `[redacted:email]`. Redacting twice changes nothing.

mod record;

use std::sync::LazyLock;

use regex::{Captures, Regex};

pub use record::record;

/// One kind of thing that is taken out.
struct Rule {
    /// What stands in its place.
    name: &'static str,
    /// Group `keep` stays in front; the rest goes.
    pattern: Regex,
    /// Last word on whether the match is what it looks like; given the part that would go.
    sure: fn(&str) -> bool,
}

/// Name, pattern and last word of a rule, before its pattern is compiled.
type Source = (&'static str, &'static str, fn(&str) -> bool);

/// In the order in which they run: long forms before the short ones they contain.
///
/// Boundaries are ASCII ones, so that a number right behind a word of a script without spaces is still found.
const RULES: &[Source] = &[
    (
        "private_key",
        r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?s:.*?)(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|\z)",
        always,
    ),
    ("token", r"(?-u:\b)eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*", always),
    (
        "api_key",
        r"(?-u:\b)(?:assay_[0-9a-f]{12}_[0-9a-f]{16,}|sk-[A-Za-z0-9_-]{20,}|(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,}|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{20,}|xox[abeoprs]-[A-Za-z0-9-]{10,}|(?:AKIA|ASIA)[0-9A-Z]{16}|AIza[0-9A-Za-z_-]{35}|hf_[A-Za-z0-9]{20,}|npm_[A-Za-z0-9]{30,})",
        always,
    ),
    (
        "token",
        r"(?i)(?P<keep>(?-u:\b)(?:bearer|authorization\s*:\s*(?:basic|token|digest))\s+)[a-z0-9._~+/=-]{12,}",
        has_digit,
    ),
    ("password", r"(?i)(?P<keep>(?-u:\b)[a-z][a-z0-9+.-]*://[^\s/:@]+:)[^\s/@]+(?P<after>@)", always),
    (
        "secret",
        r#"(?i)(?P<keep>(?-u:\b)(?:password|passwd|pwd|passphrase|secret|client[_-]?secret|api[_-]?key|access[_-]?key|access[_-]?token|auth[_-]?token|contraseña|clave)["']?\s*[:=]\s*)(?:"[^"\s]{4,}"|'[^'\s]{4,}'|[^\s"',;()\[\]{}]{6,})"#,
        is_literal,
    ),
    (
        "email",
        r"[\p{Latin}\p{Cyrillic}\p{Greek}0-9._%+-]+@(?:[\p{Latin}\p{Cyrillic}\p{Greek}0-9-]+\.)+[\p{Latin}\p{Cyrillic}\p{Greek}]{2,}",
        always,
    ),
    ("iban", r"(?-u:\b)[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?-u:\b)", is_iban),
    ("card", r"(?-u:\b)[2-6][0-9](?:[ -]?[0-9]){11,17}(?-u:\b)", is_card),
    ("identity_number", r"(?-u:\b)(?:[XYZ]-?[0-9]{7}|[0-9]{8})[- ]?[A-Z](?-u:\b)", is_spanish_id),
    ("identity_number", r"(?-u:\b)[0-9]{3}-[0-9]{2}-[0-9]{4}(?-u:\b)", always),
    ("phone", r"(?:\+|(?-u:\b)00)[1-9](?:[ .-]?\(?[0-9]{1,4}\)?){2,6}", is_phone),
    ("phone", r"(?:\([0-9]{3}\) ?|(?-u:\b)[0-9]{3}[ -])[0-9]{3}-[0-9]{4}(?-u:\b)", always),
    ("phone", r"(?-u:\b)[6789][0-9]{2}(?:[ -][0-9]{3}){2}(?-u:\b)", always),
    ("phone", r"(?-u:\b)[6789][0-9]{2}(?:[ -][0-9]{2}){3}(?-u:\b)", always),
];

static COMPILED: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    let compile = |(name, pattern, sure): &Source| {
        Regex::new(pattern).ok().map(|pattern| Rule { name, pattern, sure: *sure })
    };
    RULES.iter().filter_map(compile).collect()
});

/// The text with secrets and personal data replaced by their kind. Linear in its length.
#[must_use]
pub fn redact(text: &str) -> String {
    let mut text = text.to_owned();
    for rule in COMPILED.iter() {
        if !rule.pattern.is_match(&text) {
            continue;
        }
        let replaced = rule.pattern.replace_all(&text, |found: &Captures<'_>| {
            let whole = found.get(0).map_or("", |m| m.as_str());
            let keep = found.name("keep").map_or("", |m| m.as_str());
            let after = found.name("after").map_or("", |m| m.as_str());
            let gone = whole.get(keep.len()..whole.len() - after.len()).unwrap_or_default();
            if gone.starts_with("[redacted:") || !(rule.sure)(gone) {
                whole.to_owned()
            } else {
                format!("{keep}[redacted:{}]{after}", rule.name)
            }
        });
        text = replaced.into_owned();
    }
    text
}

fn always(_: &str) -> bool {
    true
}

fn has_digit(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_digit())
}

/// A quoted text, or a bare one that no identifier or type name looks like.
fn is_literal(text: &str) -> bool {
    text.starts_with(['"', '\'']) || (has_digit(text) && !text.contains('$'))
}

fn digits(text: &str) -> impl DoubleEndedIterator<Item = u32> {
    text.chars().filter_map(|c| c.to_digit(10))
}

/// Luhn: doubling every second digit from the right, the digit sum is a multiple of ten.
fn is_card(text: &str) -> bool {
    let sum: u32 = digits(text)
        .rev()
        .enumerate()
        .map(|(place, digit)| match (place % 2, digit * 2) {
            (0, _) => digit,
            (_, doubled) => doubled / 10 + doubled % 10,
        })
        .sum();
    sum.is_multiple_of(10)
}

/// ISO 13616: country and check digits moved to the end, letters as 10 to 35, the number is 1 modulo 97.
fn is_iban(text: &str) -> bool {
    let compact: Vec<char> = text.chars().filter(|c| *c != ' ').collect();
    if !(15..=34).contains(&compact.len()) {
        return false;
    }
    let rotated = compact.iter().skip(4).chain(compact.iter().take(4));
    let rest = rotated.filter_map(|c| c.to_digit(36)).fold(0, |rest, value| {
        let shift = if value > 9 { 100 } else { 10 };
        (rest * shift + value) % 97
    });
    rest == 1
}

/// DNI and NIE: the letter is the number modulo 23.
fn is_spanish_id(text: &str) -> bool {
    const LETTERS: &[u8; 23] = b"TRWAGMYFPDXBNJZSQVHLCKE";
    let Some(letter) = text.bytes().last() else { return false };
    let first = match text.bytes().next() {
        Some(b'Y') => "1",
        Some(b'Z') => "2",
        _ => "",
    };
    let number = first.chars().chain(text.chars()).filter_map(|c| c.to_digit(10));
    let number = number.fold(0_usize, |n, digit| n * 10 + digit as usize);
    LETTERS.get(number % 23) == Some(&letter)
}

/// E.164: at most 15 digits; fewer than 8 could be anything.
fn is_phone(text: &str) -> bool {
    (8..=17).contains(&digits(text).count())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_pattern_compiles() {
        assert_eq!(COMPILED.len(), RULES.len());
    }

    #[test]
    fn secrets_and_personal_data_are_taken_out() {
        for (text, expected) in [
            ("write to ada.lovelace+x@example.co.uk, please", "write to [redacted:email], please"),
            ("correo: josé@ejemplo.es", "correo: [redacted:email]"),
            ("联系foo@example.com。谢谢", "联系[redacted:email]。谢谢"),
            ("call +34 600 123 456 now", "call [redacted:phone] now"),
            ("tel. 612 345 678", "tel. [redacted:phone]"),
            ("tel. 912 34 56 78.", "tel. [redacted:phone]."),
            ("(212) 555-0187", "[redacted:phone]"),
            ("card 4111 1111 1111 1111 ok", "card [redacted:card] ok"),
            ("卡号4111111111111111", "卡号[redacted:card]"),
            ("IBAN ES91 2100 0418 4502 0005 1332!", "IBAN [redacted:iban]!"),
            ("GB82WEST12345698765432", "[redacted:iban]"),
            ("DNI 12345678Z", "DNI [redacted:identity_number]"),
            ("Authorization: Bearer abc123def456ghi789", "Authorization: Bearer [redacted:token]"),
            ("key sk-proj-abcdefghijklmnopqrstuvwx end", "key [redacted:api_key] end"),
            ("AKIAIOSFODNN7EXAMPLE", "[redacted:api_key]"),
            (
                "key=assay_0123456789ab_0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef.",
                "key=[redacted:api_key].",
            ),
            ("clé：assay_0123456789ab_0123456789abcdef0123", "clé：[redacted:api_key]"),
            ("password: hunter22!", "password: [redacted:secret]"),
            ("contraseña=miPerro99", "contraseña=[redacted:secret]"),
            ("postgres://bob:hunter2@db/x", "postgres://bob:[redacted:password]@db/x"),
            ("password = \"correcthorse\"", "password = [redacted:secret]"),
            ("api_key: 9f8e7d6c5b", "api_key: [redacted:secret]"),
            ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl.", "[redacted:token]."),
            (
                "x -----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY----- y",
                "x [redacted:private_key] y",
            ),
            ("-----BEGIN PRIVATE KEY-----\ncut off", "[redacted:private_key]"),
        ] {
            assert_eq!(redact(text), expected);
        }
    }

    #[test]
    fn ordinary_text_survives() {
        for text in [
            "How do I read a request parameter in AVAP?",
            "¿Cómo leo un parámetro? 参数怎么读? Как прочитать параметр? كيف أقرأ؟ 👩‍👩‍👧",
            "addParam(\"password\", pwd)\nregistry.encodeSHA256(pwd, hash)",
            "password = request.body\napi_key: string\nsecret: ${SECRET_1}",
            "bearer responsibilities and basic authentication",
            "1790000000123 ms, 65536 bytes, 4111111111111112, version 10.0.0.7, 2026-11-21T18:54:53Z",
            "ES00 2100 0418 4502 0005 1332 is no account, 12345678A no identity",
            "sha256 53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
            "UUID 6f9619ff-8b86-4011-b42d-00c04fc964ff, lines 45-120, 1,200.50 €",
            "a@b, @decorator, user@localhost",
            "assay_behaviour, assay_0123456789ab and assay_total_requests are names",
        ] {
            assert_eq!(redact(text), text);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]

        #[test]
        fn redacting_is_total_and_letters_of_any_script_survive(text in "\\p{L}{0,12}( \\p{L}{1,9}){0,6}") {
            prop_assert_eq!(redact(&text), text);
        }

        #[test]
        fn redacting_twice_changes_nothing(text in ".{0,80}", mail in "[a-z]{1,6}@[a-z]{1,6}\\.com") {
            let once = redact(&format!("{text} {mail} {text}"));
            prop_assert!(!once.contains(&mail));
            prop_assert_eq!(redact(&once), once);
        }
    }
}
