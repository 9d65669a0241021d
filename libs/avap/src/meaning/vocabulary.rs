//! The words that names are made of: other forms and Spanish ones to one vocabulary, glued words apart, slips mended.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::LazyLock;

/// Words of other forms, and Spanish ones, behind the word that the table of meanings knows; one such word a line.
const SAME: &str = include_str!("../meaning.txt");

static KNOWN: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| {
    let forms = SAME.lines().filter_map(|line| line.split_once(": "));
    forms.flat_map(|(word, forms)| forms.split(' ').map(move |form| (form, word))).collect()
});

/// Words into which a longer one may fall: `getparam`, `urlopen`, `agregarjson`.
const PIECES: &str = "\
    add alert all api append arg args array async await begin body build call catch char chars check \
    clean close code connect connector convert count create current data database date datetime db \
    decode define dict digest do each echo element else encode end endpoint epoch error exception exec \
    execute exists fetch field find float for form format from generate get hash header hex http https if \
    input insert int item items iterate json key len length list load log loop make match md5 message \
    new now number object open orm output param parameter parameters params parse pattern post print \
    push put query rand random read regex remove replace request response rest result results return \
    route run save search select send service set sha sha1 sha256 sha512 show size spawn sql stamp start \
    status stop str string table text thread time timestamp to today token trim try unix update url user \
    val value var variable wait while write";

/// Things of other worlds: what a name says of them no command of AVAP does.
pub(super) const ELSEWHERE: &str = "\
    account audio authentication cache camera chart cookie csv currency customer directory disk discount \
    document email event excel file folder image invoice jwt mail message_queue notification oauth order \
    password payment pdf permission permissions photo product products qr role roles session signature \
    sms socket sound tax user users video";

/// The words that the table knows for those of a name.
pub(crate) fn known(words: &[String]) -> Vec<String> {
    let mut out = Vec::with_capacity(words.len());
    for word in words {
        match KNOWN.get(word.as_str()) {
            Some(same) => out.push((*same).to_owned()),
            None => match pieces(word) {
                Some(pieces) => out.extend(pieces),
                None => out.push(word.clone()),
            },
        }
    }
    out
}

/// The known words that a longer one is glued of, if it is.
fn pieces(word: &str) -> Option<Vec<String>> {
    let piece = |text: &str| -> Option<String> {
        if is_piece(text) {
            return Some(text.to_owned());
        }
        let same = *KNOWN.get(text)?;
        (text.len() > 3 || text == "a").then(|| same.to_owned())
    };
    if word.len() < 5 || word.len() > 24 || !word.is_ascii() || is_word(word) {
        return None;
    }
    // The split with the fewest pieces, for each end.
    let mut best: Vec<Option<Vec<String>>> = vec![None; word.len() + 1];
    best[0] = Some(Vec::new());
    for end in 1..=word.len() {
        for start in 0..end {
            let Some(before) = best[start].clone() else { continue };
            let Some(last) = piece(&word[start..end]) else { continue };
            if best[end].as_ref().is_none_or(|found| found.len() > before.len() + 1) {
                best[end] = Some(before.into_iter().chain([last]).collect());
            }
        }
    }
    best.pop().flatten().filter(|found| found.len() > 1)
}

/// The words with slips of one letter mended where the vocabulary has a word for it; `None` where none is mended.
pub(crate) fn mended(words: &[String]) -> Option<Vec<String>> {
    let mut changed = false;
    let words = words.iter().map(|word| match nearest(word) {
        Some(meant) => {
            changed = true;
            KNOWN.get(meant).copied().unwrap_or(meant).to_owned()
        }
        None => word.clone(),
    });
    let words = words.collect();
    changed.then_some(words)
}

/// The word of the vocabulary that an unknown one of some length becomes by one slip: a letter too many, too few or
/// wrong, or two that changed places; never the first, which slips least.
fn nearest(word: &str) -> Option<&'static str> {
    static VOCABULARY: LazyLock<BTreeSet<&str>> = LazyLock::new(|| {
        let known = KNOWN.iter().flat_map(|(form, word)| [*form, *word]);
        known
            .chain(PIECES.split(' '))
            .chain(ELSEWHERE.split(' '))
            .filter(|word| word.len() >= SHORTEST)
            .collect()
    });
    const SHORTEST: usize = 5;
    if word.len() < SHORTEST || word.len() > 24 || VOCABULARY.contains(word) {
        return None;
    }
    let near = |known: &&&str| {
        known.len().abs_diff(word.len()) <= 1
            && known.as_bytes().first() == word.as_bytes().first()
            && strsim::damerau_levenshtein(known, word) == 1
    };
    VOCABULARY.iter().find(near).copied()
}

fn is_piece(word: &str) -> bool {
    static SET: LazyLock<HashSet<&str>> = LazyLock::new(|| PIECES.split(' ').collect());
    SET.contains(word)
}

/// Words that stay whole although they could be split.
fn is_word(word: &str) -> bool {
    is_piece(word)
        || matches!(
            word,
            "foreach"
                | "endif"
                | "endfor"
                | "endwhile"
                | "endloop"
                | "isset"
                | "isnull"
                | "isnone"
                | "isempty"
                | "strftime"
                | "strptime"
                | "strtotime"
                | "mktime"
                | "strlen"
                | "onerror"
                | "elseif"
                | "endtry"
                | "parseint"
                | "parsefloat"
                | "tostring"
                | "toint"
                | "tofloat"
                | "tolist"
                | "gather"
                | "querystring"
                | "unixtime"
                | "randint"
                | "findall"
                | "formdata"
                | "statuscode"
                | "stringify"
                | "jsonify"
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn glued_and_spanish_words_fall_apart() {
        let parts = |word: &str| known(&[word.to_owned()]);
        assert_eq!(parts("getparam"), ["get", "param"]);
        assert_eq!(parts("urlopen"), ["url", "open"]);
        assert_eq!(parts("ajson"), ["to", "json"]);
        assert_eq!(parts("obtener"), ["get"]);
        assert_eq!(parts("database"), ["database"]);
        assert_eq!(parts("international"), ["international"]);
    }
}
