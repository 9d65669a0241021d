//! Tells a word by its shape: a plain word, a path, a name of code.

/// Kind of a token.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum TokenKind {
    /// A word.
    Word,
    /// A number in digits, with its value.
    Number(f64),
    /// A name of code: `addParam`, `max_rows`, `--flag`, `v1.2.3`.
    Name,
    /// A path or file name.
    Path,
    /// A web address.
    Url,
}

/// Whether a word is nothing but ASCII letters without a hump (`camelCase`).
#[must_use]
pub fn is_plain(body: &str) -> bool {
    let mut lower = false;
    body.bytes().all(|byte| {
        let hump = lower && byte.is_ascii_uppercase();
        lower = byte.is_ascii_lowercase();
        byte.is_ascii_alphabetic() && !hump
    })
}

/// Extensions that make a dotted word a file name.
const EXTENSIONS: &[&str] = &[
    "avap", "bash", "bin", "c", "cc", "cfg", "conf", "cpp", "cs", "css", "csv", "db", "env", "gif", "go",
    "gz", "h", "hpp", "html", "ini", "java", "jpg", "js", "json", "jsonl", "jsx", "key", "kt", "lock", "log",
    "lua", "md", "pdf", "pem", "php", "png", "prom", "proto", "py", "rb", "rs", "rst", "sh", "sql", "svg",
    "tar", "tex", "toml", "ts", "tsv", "tsx", "txt", "xml", "yaml", "yml", "zip",
];

/// Whether a word is a path or a file name; in code one slash suffices.
#[must_use]
pub fn is_path(body: &str, code: bool) -> bool {
    let last = body.rsplit('/').next().unwrap_or(body);
    let file = last.rsplit_once('.').is_some_and(|(stem, extension)| {
        !stem.is_empty() && EXTENSIONS.binary_search(&extension.to_ascii_lowercase().as_str()).is_ok()
    });
    let rooted =
        body.starts_with('/') || body.starts_with("./") || body.starts_with("../") || body.starts_with("~/");
    let slashes = body.matches('/').count();
    let plain = body.chars().all(|c| c.is_alphanumeric() || matches!(c, '/' | '_' | '.' | '-' | '~'));
    let lettered = body.starts_with(char::is_alphabetic) && body.split('/').all(|part| part.len() > 1);
    file || (rooted && body.len() > 2) || (slashes >= 1 && code) || (slashes >= 2 && plain && lettered)
}

/// Whether a word is written as a name of code; in code one dash makes a flag.
#[must_use]
pub fn is_name(body: &str, code: bool) -> bool {
    let mut lower_before = false;
    let mut hump = false;
    for c in body.chars() {
        if lower_before && c.is_uppercase() {
            hump = true;
        }
        lower_before = c.is_lowercase();
    }
    let inner = body.trim_matches('_');
    let letters = body.chars().any(char::is_alphabetic);
    letters
        && (hump && !body.contains('-') && body.chars().count() > 4
            || (inner.contains('_') && !inner.contains('/'))
            || body.contains("::")
            || (body.starts_with('-')
                && body.trim_start_matches('-').len() > 1
                && (body.starts_with("--") || code))
            || model_name(body)
            || (body.starts_with(['$', '@']) && body[1..].starts_with(char::is_alphabetic))
            || (inner.contains('.') && dotted(inner))
            || version(body))
        || (!letters && body.matches('.').count() >= 2 && version(body))
}

/// `TX-40`, `IP54`, `HMAC-SHA256`, `0x44`: capitals and digits together.
fn model_name(body: &str) -> bool {
    let parts = || body.split('-');
    let capital = |part: &str| part.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit());
    let hexadecimal = body
        .strip_prefix("0x")
        .is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_hexdigit()));
    hexadecimal
        || body.len() > 2
            && body.contains(|c: char| c.is_ascii_digit())
            && body.contains(|c: char| c.is_ascii_uppercase())
            && parts().all(|part| !part.is_empty() && capital(part))
}

/// `a.b` with parts that are longer than those of an abbreviation.
fn dotted(body: &str) -> bool {
    body.split('.').all(|part| {
        part.chars().count() >= 2 && part.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-')
    })
}

/// `1.2.3`, `v2`, `v1.2-rc.1`.
fn version(body: &str) -> bool {
    let digits = body.strip_prefix(['v', 'V']).unwrap_or(body);
    digits.starts_with(|c: char| c.is_ascii_digit())
        && (digits.len() < body.len()
            || digits.split('-').next().is_some_and(|number| number.matches('.').count() >= 2))
        && digits.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_are_sorted_for_look_up() {
        assert!(EXTENSIONS.is_sorted());
    }

    #[test]
    fn names_and_paths_are_told_from_words() {
        for name in
            ["addParam", "max_rows", "std::io", "--dry-run", "HMAC-SHA256", "0x44", "$HOME", "a1.b2", "v2"]
        {
            assert!(is_name(name, false) && !is_path(name, false), "{name}");
        }
        for path in ["docs/a.md", "./x", "/etc/hosts", "x.csv"] {
            assert!(is_path(path, false), "{path}");
        }
        for word in ["rows", "read/write", "e.g", "well-known"] {
            assert!(!is_name(word, false) && !is_path(word, false), "{word}");
        }
        assert!(is_plain("Rows") && !is_plain("addParam") && !is_plain("x1"));
    }
}
