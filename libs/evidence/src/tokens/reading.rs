//! What a run of joining characters reads as: a word, several, or punctuation only.

use super::word::{Shared, Text, Token, Word};
use super::{Map, TokenKind, Tokenizer, fold, hash};
use crate::index::bloom::bit;
use crate::{flags, idf, lexicon, numbers, word_flags};
use assay_text::runs::Edge;
use assay_text::shape::{is_name, is_path, is_plain};
use std::sync::Arc;

/// Runs of joining characters by their hash.
pub(super) type Readings = Map<Reading>;

/// What a run of joining characters reads as.
#[derive(Debug, Clone)]
pub(super) struct Reading {
    /// The run; none where its only word is written so.
    pub(super) run: Option<Box<str>>,
    pub(super) code: bool,
    pub(super) call: bool,
    /// Its first word with its offset in it, and the others.
    pub(super) word: Option<(usize, Arc<Word>)>,
    pub(super) more: Vec<(usize, Arc<Word>)>,
    /// What it leaves behind.
    pub(super) edge: Edge,
    /// Whether it is punctuation only, and adds to what stood before.
    pub(super) bare: bool,
}

impl Reading {
    /// Whether it is a reading of a run.
    pub(super) fn of(&self, run: &str, code: bool, call: bool) -> bool {
        let own = self.run.as_deref().or_else(|| self.word.as_ref().map(|(_, word)| word.text.as_str()));
        own == Some(run) && self.code == code && self.call == call
    }

    /// Writes its tokens, for a run that begins at `start`.
    pub(super) fn read(&self, start: usize, edge: &mut Edge, out: &mut Vec<Token>) {
        let share = |word: &Arc<Word>| Shared::Made(Arc::clone(word));
        if self.bare {
            edge.after_break |= self.edge.after_break;
            edge.opens |= self.edge.opens;
            return;
        }
        if let Some((offset, word)) = &self.word {
            out.push(Token::new(share(word), start + offset, *edge));
        }
        // Nothing stands between the words of one run.
        let inside = Edge { after_break: false, opens: false };
        out.extend(self.more.iter().map(|(offset, word)| {
            let mut token = Token::new(share(word), start + offset, inside);
            token.flags |= flags::JOINED;
            token
        }));
        *edge = self.edge;
    }
}

impl<'b> Tokenizer<'b> {
    /// Reads a run of joining characters.
    pub(super) fn reading(&self, run: &str, code: bool, call: bool) -> Reading {
        let (mut word, mut more) = (None, Vec::new());
        // "2 %" and "65 °C" are measures, with a space or without one.
        let sign = run.trim_end_matches(['.', ':']);
        let measure = sign == "%" || numbers::degrees(sign).is_some();
        let bare =
            if measure { run } else { run.trim_start_matches([':', '\'', '’', '+', '%', '\\', '#', '°']) };
        let lead = run.len() - bare.len();
        let body = &run[lead..];
        let trailing: &[char] = &['.', ':', '\'', '’', '-', '/', '~', '\\', '@', '$', '_'];
        let kept = body.trim_end_matches(trailing);
        let ended = &body[kept.len()..];
        let kept = kept.strip_suffix("'s").or_else(|| kept.strip_suffix("’s")).unwrap_or(kept);
        let (mut body, mut start) = (kept, lead);
        // A dash, dot or slash in front is part of a flag, a path or a hidden file only.
        if let Some(rest) = body.strip_prefix(['-', '.', '/', '~', '@', '$', '_']) {
            let keeps = match body.as_bytes().first() {
                Some(b'-') => {
                    let flag = body.trim_start_matches('-');
                    flag.starts_with(|c: char| c.is_ascii_alphabetic())
                        || (flag.starts_with(|c: char| c.is_ascii_digit()) && !flag.contains('-'))
                }
                // "~25 %" is about a quarter; "~/.config" and "~user" are places.
                Some(b'~') => rest.starts_with(|c: char| c.is_alphabetic() || matches!(c, '.' | '/' | '_')),
                _ => rest.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '.' | '/' | '_')),
            };
            if !keeps {
                let bare = body.trim_start_matches(['-', '.', '/', '~', '@', '$', '_']);
                start += body.len() - bare.len();
                body = bare;
            }
        }
        let edge = if body.is_empty() {
            Edge { after_break: !ended.is_empty(), opens: ended.contains([':', '.', '-']) }
        } else {
            if !call && is_plain(body) {
                word = Some((start, self.word(body, TokenKind::Word, code)));
            } else {
                self.classify(body, start, code, call, &mut more);
                if !more.is_empty() {
                    word = Some(more.remove(0));
                }
            }
            let ends = ended.contains([':', '.']);
            Edge { after_break: ends, opens: ends }
        };
        let only = more.is_empty() && word.as_ref().is_some_and(|(_, word)| word.text == run);
        Reading { run: (!only).then(|| run.into()), code, call, word, more, edge, bare: body.is_empty() }
    }

    fn classify(&self, body: &str, start: usize, code: bool, call: bool, out: &mut Vec<(usize, Arc<Word>)>) {
        if body == "%" {
            out.push((start, self.word(body, TokenKind::Word, code)));
            return;
        }
        if let Some(degrees) = numbers::degrees(body) {
            out.push((start, self.word(degrees, TokenKind::Word, code)));
            return;
        }
        if body.contains("://") {
            out.push((start, self.word(body, TokenKind::Url, code)));
            return;
        }
        // The ends of a range that are no plain figures are read each by itself: "4.5.0–4.7.2".
        let pieces = numbers::cut(body, 0, &['–', '×']);
        let last = pieces.len() - 1;
        for (rank, (place, piece)) in pieces.into_iter().enumerate() {
            self.piece(piece, start + place, code, call && rank == last, out);
        }
    }

    /// Reads a piece of a run between dashes.
    fn piece(&self, body: &str, start: usize, code: bool, call: bool, out: &mut Vec<(usize, Arc<Word>)>) {
        if self.figure(body, start, code, out) {
            return;
        }
        if let Some(parts) = numbers::parts(body) {
            for (place, part) in parts {
                if !self.figure(part, start + place, code, out) {
                    // Behind a slash stands what something is counted by: "$5,500/year".
                    out.push((start + place - 1, self.word("per", TokenKind::Word, code)));
                    out.push((start + place, self.word(part, TokenKind::Word, code)));
                }
            }
            return;
        }
        if is_path(body, code) {
            out.push((start, self.word(body, TokenKind::Path, code)));
            return;
        }
        if is_name(body, code)
            || (call && body.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.')))
        {
            out.push((start, self.word(body, TokenKind::Name, code)));
            return;
        }
        for (place, part) in numbers::cut(body, 0, &['-']) {
            // "3/4-inch" holds a figure with a stroke; the second mark of "5--10" is no sign.
            let signed = place > 0 && part.starts_with('-');
            if signed || !self.figure(part, start + place, code, out) {
                self.words(part, start + place, code, out);
            }
        }
    }

    /// Reads the words and figures that marks join.
    fn words(&self, body: &str, start: usize, code: bool, out: &mut Vec<(usize, Arc<Word>)>) {
        let mut at = 0;
        for part in body.split(['-', '−', '/', ':', '.', '+', '%', '#', '@', '$', '~', '\\', '_']) {
            let place = start + at;
            at += part.len() + body[at + part.len()..].chars().next().map_or(0, char::len_utf8);
            let word = part
                .strip_suffix("'s")
                .or_else(|| part.strip_suffix("’s"))
                .unwrap_or(part)
                .trim_matches(['\'', '’']);
            if !word.is_empty() && !self.figure(word, place, code, out) {
                out.push((place, self.word(word, TokenKind::Word, code)));
            }
        }
    }

    /// Reads a figure in digits with the unit that is written to it; `false` where it is none.
    fn figure(&self, body: &str, start: usize, code: bool, out: &mut Vec<(usize, Arc<Word>)>) -> bool {
        let Some((value, unit)) = numbers::parse(body) else { return false };
        let digits = &body[..body.len() - unit.len()];
        out.push((start, self.word(digits, TokenKind::Number(value), code)));
        if !unit.is_empty() {
            let unit = match unit {
                "C" => "°C",
                "F" => "°F",
                _ => numbers::degrees(unit).unwrap_or(unit),
            };
            out.push((start + digits.len(), self.word(unit, TokenKind::Word, code)));
        }
        true
    }

    pub(super) fn word(&self, text: &str, kind: TokenKind, code: bool) -> Arc<Word> {
        let mut norm = fold(text);
        if !norm.is_ascii() && norm.contains('’') {
            norm = norm.replace('’', "'").into();
        }
        // The plural of an abbreviation: "HSAs".
        if let Some(one) = text.strip_suffix('s')
            && one.len() > 1
            && one.chars().all(|c| c.is_ascii_uppercase())
        {
            norm.to_mut().truncate(one.len());
        }
        let stem = match kind {
            TokenKind::Number(value) => numbers::hash(value),
            TokenKind::Word => self.stem_hash(&norm),
            _ => {
                norm = norm.trim_start_matches("./").trim_end_matches("()").to_owned().into();
                // "v2.1.0" is 2.1.0.
                let version = norm.strip_prefix('v').filter(|rest| {
                    rest.contains('.') && rest.bytes().all(|b| b.is_ascii_digit() || b == b'.')
                });
                if let Some(version) = version {
                    norm = version.to_owned().into();
                }
                hash(&norm)
            }
        };
        let cut = norm.char_indices().nth(5).map_or(norm.len(), |(at, _)| at);
        let folded = hash(&norm);
        let flags = word_flags::of(folded, &norm) | super::figures::flags_of(kind, text, &norm);
        let stop = kind == TokenKind::Word
            && !code
            && (flags & flags::STOP != 0 || norm.ends_with("n't") || norm == "&");
        let others = lexicon::synonyms(stem);
        let as_written = Text::from(text);
        Arc::new(Word {
            folded,
            prefix: hash(&norm[..cut]),
            stem,
            kind,
            stop,
            capital: text.chars().next().is_some_and(char::is_uppercase),
            code,
            weight: idf::weight(self.language(), kind, stop, stem),
            flags,
            others: if stop { &[] } else { others },
            stands: !others.is_empty(),
            kin: if stop { 0 } else { others.iter().fold(0, |kin, other| kin | bit(*other)) },
            phrase: None,
            leads: (kind == TokenKind::Word && !code)
                .then(|| lexicon::phrases(self.language(), stem))
                .flatten(),
            // Most words are written as they are folded.
            norm: if *norm == *text { as_written.clone() } else { Text::from(&*norm) },
            text: as_written,
        })
    }
}
