//! Macros of `man`.

use super::Reader;
use super::escape::{self, Font};
use super::flow::Capture;
use super::marks;
use super::words::Word;

impl Reader<'_, '_> {
    /// Reads a macro of `man`; false for anything else.
    pub(super) fn man(&mut self, name: &str, words: &[Word], line: u32) -> bool {
        match name {
            "TH" => self.head(words),
            "SH" => self.heading(1, words),
            "SS" => self.heading(2, words),
            "PP" | "LP" | "P" | "HP" => self.new_paragraph(),
            "TP" | "TQ" => self.flow.begin_term(),
            "IP" => self.indented(words),
            "RS" => self.flow.indent(line),
            "RE" => self.flow.outdent(),
            "EX" => self.flow.set_unfilled(true),
            "EE" => self.flow.set_unfilled(false),
            "B" | "SB" => self.in_font(Font::Bold, words, line),
            "I" => self.in_font(Font::Italic, words, line),
            "R" | "SM" => self.in_font(Font::Roman, words, line),
            "BR" | "BI" | "IR" | "IB" | "RB" | "RI" => self.alternate(name, words),
            "UR" => self.begin_link(words, ""),
            "MT" => self.begin_link(words, "mailto:"),
            "UE" | "ME" => self.end_link(words, line),
            "SY" => self.synopsis(words, line),
            "YS" => self.flow.paragraph(),
            "OP" => self.option(words, line),
            "PD" | "DT" | "AT" | "UC" | "PU" => {}
            _ => return false,
        }
        true
    }

    /// Keeps the name and the section of the page.
    pub(super) fn head(&mut self, words: &[Word]) {
        let mut words = words.iter().map(|word| escape::plain(&word.text));
        if let Some(name) = words.next().filter(|name| self.name.is_empty() && !name.is_empty()) {
            self.name = format!("{name}({})", words.next().unwrap_or_default());
            if !self.flow.builder.part {
                self.flow.builder.document.title.clone_from(&self.name);
            }
        }
    }

    fn heading(&mut self, level: u8, words: &[Word]) {
        self.flow.begin_heading(level);
        if words.is_empty() {
            return;
        }
        self.write_words(words);
        self.flow.end_line();
    }

    /// Ends the list of the level, but for the first paragraph of an indented description.
    fn new_paragraph(&mut self) {
        if self.flow.unfilled || self.flow.capture == Some(Capture::Cell) || self.flow.waits() {
            self.flow.paragraph();
        } else {
            self.flow.end_list();
        }
    }

    fn indented(&mut self, words: &[Word]) {
        let Some(tag) = words.first().filter(|tag| !tag.text.is_empty()) else {
            self.flow.paragraph();
            return;
        };
        let mark = escape::plain(&tag.text);
        match marks::item(&mark).filter(|_| !tag.text.contains("\\f") || mark.contains('•')) {
            Some(number) => self.flow.begin_item(number),
            None => {
                self.flow.begin_term();
                self.flow.write(&tag.text, tag.line);
                self.flow.end_capture();
            }
        }
    }

    fn write_words(&mut self, words: &[Word]) {
        for word in words {
            self.flow.gap();
            self.flow.write(&word.text, word.line);
        }
    }

    fn in_font(&mut self, font: Font, words: &[Word], line: u32) {
        if words.is_empty() {
            self.next_font = Some(font);
            return;
        }
        let text = words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
        self.flow.styled(font, &text, line);
        self.flow.end_line();
    }

    fn alternate(&mut self, name: &str, words: &[Word]) {
        let fonts = name.chars().map(|c| match c {
            'B' => Font::Bold,
            'I' => Font::Italic,
            _ => Font::Roman,
        });
        for (font, word) in fonts.cycle().zip(words) {
            self.flow.styled(font, &word.text, word.line);
        }
        self.flow.end_line();
    }

    fn begin_link(&mut self, words: &[Word], scheme: &str) {
        let target = words.first().map(|word| escape::plain(&word.text)).unwrap_or_default();
        self.flow.begin_link(&format!("{scheme}{target}"));
        self.link = Some((target, self.flow.written()));
    }

    fn end_link(&mut self, words: &[Word], line: u32) {
        let Some((target, written)) = self.link.take() else { return };
        if self.flow.written() == written {
            self.flow.put(&target, line);
        }
        self.flow.end_link();
        if !words.is_empty() {
            self.flow.glue();
            self.write_words(words);
        }
        self.flow.end_line();
    }

    fn synopsis(&mut self, words: &[Word], line: u32) {
        self.flow.line_break();
        self.in_font(Font::Bold, words, line);
    }

    fn option(&mut self, words: &[Word], line: u32) {
        self.flow.put("[", line);
        for (font, word) in [Font::Bold, Font::Italic].into_iter().zip(words) {
            self.flow.styled(font, &word.text, word.line);
            self.flow.gap();
        }
        self.flow.glue();
        self.flow.put("]", line);
        self.flow.end_line();
    }
}
