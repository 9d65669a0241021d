//! References to books and articles: `.Rs` to `.Re`.

use super::Reader;
use super::words::Word;

/// Order in which the parts are shown, whatever the order of their lines.
const ORDER: &str = "ATBIJRNVUPQCDO";

/// A reference that is being collected: each part's letter, text and line.
#[derive(Debug, Default)]
pub(super) struct Reference {
    parts: Vec<(char, String, u32)>,
}

impl Reader<'_, '_> {
    pub(super) fn begin_reference(&mut self) {
        if self.section == "SEE ALSO" {
            self.flow.paragraph();
        }
        self.mdoc.reference = Some(Reference::default());
    }

    pub(super) fn reference_part(&mut self, name: &str, words: &[Word]) {
        let (Some(part), Some(first)) = (name.chars().nth(1), words.first()) else { return };
        let text = words.iter().fold(String::new(), |text, word| match word.text.as_str() {
            "," | "." | ";" | ")" => text + &word.text,
            word if text.is_empty() => word.to_owned(),
            word => text + " " + word,
        });
        match self.mdoc.reference.as_mut() {
            Some(reference) => reference.parts.push((part, text, first.line)),
            None => self.flow.write(&text, first.line),
        }
    }

    pub(super) fn end_reference(&mut self) {
        let Some(Reference { mut parts }) = self.mdoc.reference.take() else { return };
        parts.sort_by_key(|(part, _, _)| ORDER.find(*part).unwrap_or(ORDER.len()));
        let in_journal = parts.iter().any(|(part, _, _)| *part == 'J');
        let authors = parts.iter().filter(|(part, _, _)| *part == 'A').count();
        let count = parts.len();
        for (index, (part, text, line)) in parts.into_iter().enumerate() {
            match part {
                'T' if in_journal => self.flow.write(&format!("“{text}”"), line),
                'T' | 'B' | 'I' | 'J' => self.flow.styled(super::Font::Italic, &text, line),
                _ => self.flow.write(&text, line),
            }
            let behind = match index + 1 {
                next if next == count => ".",
                next if next + 1 == authors && authors == 2 => " and",
                next if next + 1 == authors => ", and",
                _ => ",",
            };
            self.flow.put(behind, line);
            self.flow.gap();
        }
        self.flow.end_line();
    }
}
