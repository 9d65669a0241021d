//! The words of the console: one file for each language, with the same keys.

use std::collections::HashMap;
use std::sync::LazyLock;

use http::{HeaderMap, header};

use crate::credentials;

/// A language.
#[derive(Debug)]
pub(super) struct Words {
    /// Its tag.
    pub(super) lang: &'static str,
    /// The cookie that remembers it.
    pub(super) cookie: &'static str,
    /// The table as scripts read it: no `<`, which could end their element.
    pub(super) json: String,
    table: HashMap<String, &'static str>,
}

impl Words {
    fn read(lang: &'static str, cookie: &'static str, text: &str) -> Self {
        let table: HashMap<String, String> = serde_json::from_str(text).unwrap_or_default();
        let json = serde_json::to_string(&table).unwrap_or_default().replace('<', "\\u003c");
        // A process reads each language once.
        let table = table.into_iter().map(|(key, word)| (key, &*String::leak(word))).collect();
        Self { lang, cookie, json, table }
    }

    /// The words of a key; nothing where there are none, which a test refuses.
    pub(super) fn of(&self, key: &str) -> &'static str {
        self.table.get(key).copied().unwrap_or_default()
    }

    /// The words of a name of the server.
    pub(super) fn named(&self, group: &str, name: &str) -> &'static str {
        self.of(&format!("{group}.{name}"))
    }
}

static LANGUAGES: LazyLock<[Words; 2]> = LazyLock::new(|| {
    let year = "Path=/; Max-Age=31536000; SameSite=Strict";
    let cookie = |lang: &str| &*String::leak(format!("{COOKIE}={lang}; {year}"));
    [
        Words::read("en", cookie("en"), include_str!("../../console/words/en.json")),
        Words::read("es", cookie("es"), include_str!("../../console/words/es.json")),
    ]
});

const COOKIE: &str = "assay-lang";

fn spoken(tag: &str) -> Option<&'static Words> {
    let base = tag.split(['-', ';']).next().unwrap_or_default().trim();
    LANGUAGES.iter().find(|words| words.lang.eq_ignore_ascii_case(base))
}

/// The language of a reader: the one of `?lang=`, the one chosen before, the first that the browser prefers, English.
/// Whether it was chosen now.
pub(super) fn chosen(query: Option<&str>, headers: &HeaderMap) -> (&'static Words, bool) {
    let asked = query.unwrap_or_default().split('&').find_map(|pair| spoken(pair.strip_prefix("lang=")?));
    if let Some(words) = asked {
        return (words, true);
    }
    let kept = credentials::cookie(headers, COOKIE).and_then(spoken);
    let preferred = headers.get_all(header::ACCEPT_LANGUAGE).iter().filter_map(|value| value.to_str().ok());
    let mut preferred = preferred.flat_map(|value| value.split(','));
    let words = kept.or_else(|| preferred.find_map(|tag| spoken(tag.trim())));
    (words.unwrap_or(&LANGUAGES[0]), false)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::collections::BTreeSet;

    use assay_domain::report::{CheckName, CheckStatus, ClaimStatus, Verdict};
    use assay_domain::{Named as _, Outcome, QueryType};

    use super::*;

    fn keys(words: &Words) -> BTreeSet<&str> {
        words.table.keys().map(String::as_str).collect()
    }

    #[test]
    fn every_language_has_the_same_keys_and_places_for_values() {
        let [one, other] = &*LANGUAGES;
        assert_eq!(keys(one), keys(other));
        assert!(keys(one).len() > 200);
        let values = |text: &str| -> BTreeSet<String> {
            text.split('{').skip(1).map(|part| part.split('}').next().unwrap().to_owned()).collect()
        };
        for (key, word) in &one.table {
            assert!(!word.is_empty() && !other.of(key).is_empty(), "{key}");
            assert_eq!(values(word), values(other.of(key)), "{key}");
        }
    }

    #[test]
    fn every_key_of_a_page_and_every_name_of_the_server_has_words() {
        let known = keys(&LANGUAGES[0]);
        let mut used = BTreeSet::new();
        for text in super::super::assets::sources().chain(super::super::assets::TEMPLATES.iter().copied()) {
            for call in ["t(\"", "t(`"] {
                for (at, _) in text.match_indices(call) {
                    let before = &text[..at];
                    let other = before.ends_with(|c: char| c.is_alphanumeric() || c == '.');
                    if !other || before.ends_with("self.") {
                        used.insert(text[at + call.len()..].split(['"', '`', '$']).next().unwrap());
                    }
                }
            }
        }
        for key in used {
            // A key that ends in a point is made of a name.
            assert!(
                known.contains(key) || (key.ends_with('.') && known.iter().any(|k| k.starts_with(key))),
                "{key}"
            );
        }
        let groups: [(&str, &[&str]); 6] = [
            ("verdict", Verdict::NAMES),
            ("outcome", Outcome::NAMES),
            ("type", QueryType::NAMES),
            ("check", CheckName::NAMES),
            ("result", CheckStatus::NAMES),
            ("claim", ClaimStatus::NAMES),
        ];
        for (group, names) in groups {
            for name in names {
                assert!(known.contains(format!("{group}.{name}").as_str()), "{group}.{name}");
            }
        }
    }

    #[test]
    fn readers_get_the_language_they_chose_then_the_one_they_prefer() {
        let reader = |query: Option<&str>, cookie: &str, accepts: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::COOKIE, cookie.parse().unwrap());
            headers.insert(header::ACCEPT_LANGUAGE, accepts.parse().unwrap());
            let (words, chosen) = chosen(query, &headers);
            (words.lang, chosen)
        };
        assert_eq!(reader(None, "", "de, es-MX;q=0.9, en"), ("es", false));
        assert_eq!(reader(None, "a=b; assay-lang=en", "es"), ("en", false));
        assert_eq!(reader(Some("x=1&lang=es"), "assay-lang=en", "en"), ("es", true));
        assert_eq!(reader(Some("lang=xx"), "assay-lang=yy", "zz"), ("en", false));
    }
}
