//! Macros of `mdoc` inside a line: each may call the next, and marks of punctuation keep close.

use super::Reader;
use super::escape::Font;
use super::phrases;
use super::words::Word;

/// How the words of a macro are shown.
#[derive(Debug, Clone, Copy)]
struct Mode {
    font: Font,
    prefix: &'static str,
}

const PLAIN: Mode = Mode { font: Font::Roman, prefix: "" };

/// What a mark of punctuation of its own does to the spaces at its sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    Opening,
    Middle,
    Closing,
}

fn mark(word: &Word) -> Option<Mark> {
    if word.quoted {
        return None;
    }
    match word.text.as_str() {
        "(" | "[" => Some(Mark::Opening),
        "|" => Some(Mark::Middle),
        "." | "," | ":" | ";" | ")" | "]" | "?" | "!" => Some(Mark::Closing),
        _ => None,
    }
}

/// Marks around the words of an enclosure, by its macro.
fn enclosure(name: &str) -> Option<(&'static str, &'static str)> {
    Some(match name {
        "Op" | "Bq" | "Oo" | "Oc" | "Bo" | "Bc" => ("[", "]"),
        "Aq" | "Ao" | "Ac" => ("⟨", "⟩"),
        "Brq" | "Bro" | "Brc" => ("{", "}"),
        "Dq" | "Do" | "Dc" => ("“", "”"),
        "Pq" | "Po" | "Pc" => ("(", ")"),
        "Ql" | "Sq" | "So" | "Sc" => ("‘", "’"),
        "Qq" | "Qo" | "Qc" => ("\"", "\""),
        _ => return None,
    })
}

/// How the words of a macro without rules of its own are shown.
fn mode(name: &str) -> Option<Mode> {
    let font = match name {
        "Fl" | "Cm" | "Ic" | "Nm" | "Li" | "Cd" | "Dv" | "Er" | "Ev" | "Fd" | "Ms" => Font::Constant,
        "Ar" | "Em" | "Pa" | "Va" | "Vt" | "Ft" | "Fa" | "Ad" => Font::Italic,
        "Sy" => Font::Bold,
        "No" | "An" | "Tn" | "Fr" | "Ot" | "Hf" => Font::Roman,
        _ => return None,
    };
    Some(Mode { font, prefix: if name == "Fl" { "-" } else { "" } })
}

/// Whether a word of a line is a macro.
pub(super) fn is_macro(name: &str) -> bool {
    let known = || mode(name).is_some() || enclosure(name).is_some() || phrases::system(name).is_some();
    let shaped =
        matches!(name.as_bytes(), [b'A'..=b'Z', b'a'..=b'z'] | [b'A'..=b'Z', b'a'..=b'z', b'a'..=b'z']);
    let own = || {
        matches!(
            name,
            "Ns" | "Pf"
                | "Ap"
                | "Xr"
                | "Lk"
                | "Mt"
                | "Sx"
                | "St"
                | "At"
                | "Bx"
                | "Lb"
                | "Bt"
                | "Ud"
                | "Ex"
                | "Rv"
                | "Fn"
                | "Fo"
                | "Fc"
                | "In"
                | "Xo"
                | "Xc"
                | "Eo"
                | "Ec"
                | "Ta"
                | "Nd"
                | "En"
                | "Es"
        )
    };
    shaped && (known() || own())
}

impl Reader<'_, '_> {
    /// Reads a line that begins with a macro.
    pub(super) fn inline_line(&mut self, name: &str, words: &[Word], line: u32) {
        let open = self.mdoc.extended;
        let mut all = vec![Word { text: name.to_owned(), line, quoted: false }];
        all.extend(words.iter().cloned());
        if name == "Ns" {
            all.remove(0);
        }
        self.break_synopsis(name);
        self.run(&all);
        if self.mdoc.extended == 0 || open == 0 {
            self.flow.end_line();
        }
        self.mdoc.after_line(&mut self.flow);
    }

    /// Begins a new line of the synopsis where its next part has one of its own.
    fn break_synopsis(&mut self, name: &str) {
        if !self.in_synopsis() {
            return;
        }
        match name {
            "Ft" | "Vt" | "In" | "Fd" if self.mdoc.after_function => {
                self.mdoc.after_function = false;
                self.flow.paragraph();
            }
            "Nm" | "Ft" | "Vt" | "In" | "Fn" | "Fo" | "Fd" | "Cd" => self.flow.line_break(),
            _ => {}
        }
    }

    /// Reads words, of which each may be a macro.
    pub(super) fn run(&mut self, words: &[Word]) {
        let trailing = words.iter().rev().take_while(|word| mark(word) == Some(Mark::Closing)).count();
        let end = words.len() - trailing;
        let mut closing: Vec<&'static str> = Vec::new();
        let mut mode = PLAIN;
        let mut at = 0;
        while let Some(word) = words.get(at) {
            if at == end {
                self.close(&mut closing, word.line);
                mode = PLAIN;
            }
            at += 1;
            if !word.quoted && is_macro(&word.text) {
                mode = self.inline(&word.text, words, &mut at, &mut closing, word.line);
            } else {
                self.token(word, mode);
            }
        }
        let line = words.last().map_or(1, |word| word.line);
        self.close(&mut closing, line);
    }

    fn close(&mut self, closing: &mut Vec<&'static str>, line: u32) {
        while let Some(mark) = closing.pop() {
            self.flow.glue();
            self.flow.put(mark, line);
        }
    }

    pub(super) fn lead_in(&mut self) {
        if self.mdoc.spacing {
            self.flow.gap();
        }
    }

    fn token(&mut self, word: &Word, mode: Mode) {
        match mark(word) {
            Some(Mark::Closing) => self.flow.glue(),
            _ => self.lead_in(),
        }
        match mark(word) {
            None => self.flow.styled(mode.font, &format!("{}{}", mode.prefix, word.text), word.line),
            Some(kind) => {
                self.flow.put(&word.text, word.line);
                if kind == Mark::Opening {
                    self.flow.glue();
                }
            }
        }
    }

    fn inline(
        &mut self,
        name: &str,
        words: &[Word],
        at: &mut usize,
        closing: &mut Vec<&'static str>,
        line: u32,
    ) -> Mode {
        if let Some((open, close)) = enclosure(name) {
            let email = name == "Aq" && words.get(*at).is_some_and(|next| next.text == "Mt");
            let (open, close) = if email { ("<", ">") } else { (open, close) };
            if matches!(name, "Oc" | "Bc" | "Ac" | "Brc" | "Dc" | "Pc" | "Sc" | "Qc") {
                self.flow.glue();
                self.flow.put(close, line);
                return PLAIN;
            }
            self.lead_in();
            self.flow.put(open, line);
            self.flow.glue();
            if !matches!(name, "Oo" | "Bo" | "Ao" | "Bro" | "Do" | "Po" | "So" | "Qo") {
                closing.push(close);
            }
            return PLAIN;
        }
        if let Some(mode) = mode(name) {
            self.begin_mode(name, mode, words, at, line);
            return mode;
        }
        self.special(name, words, at, line);
        PLAIN
    }

    /// The argument at a place, if it is neither a macro nor a mark.
    pub(super) fn argument(words: &[Word], at: usize) -> Option<&Word> {
        words.get(at).filter(|word| word.quoted || !is_macro(&word.text) && mark(word).is_none())
    }

    /// Takes the arguments up to the next macro or mark.
    pub(super) fn arguments<'w>(words: &'w [Word], at: &mut usize) -> Vec<&'w Word> {
        let mut taken = Vec::new();
        while let Some(word) = Self::argument(words, *at) {
            taken.push(word);
            *at += 1;
        }
        taken
    }

    fn begin_mode(&mut self, name: &str, mode: Mode, words: &[Word], at: &mut usize, line: u32) {
        let argument = Self::argument(words, *at);
        match (name, argument) {
            ("An", Some(word)) if matches!(word.text.as_str(), "-split" | "-nosplit") => *at += 1,
            ("Nm", Some(word)) if self.mdoc.name.is_empty() => self.mdoc.name.clone_from(&word.text),
            ("Fa", Some(_)) => self.function_arguments(words, at),
            ("Fl", None) => {
                self.lead_in();
                self.flow.styled(mode.font, "-", line);
                if words.get(*at).is_some_and(|next| mark(next).is_none()) {
                    self.flow.glue();
                }
            }
            (_, None) => {
                let text = match name {
                    "Nm" => self.mdoc.name.clone(),
                    "Ar" => "file ...".to_owned(),
                    "Pa" => "~".to_owned(),
                    _ => String::new(),
                };
                if !text.is_empty() {
                    self.lead_in();
                    self.flow.styled(mode.font, &text, line);
                }
            }
            _ => {}
        }
    }

    /// Shows arguments of a function, with commas between them.
    pub(super) fn function_arguments(&mut self, words: &[Word], at: &mut usize) {
        let mut shown = self.mdoc.arguments.unwrap_or(0);
        for word in Self::arguments(words, at) {
            if shown > 0 {
                self.flow.glue();
                self.flow.put(",", word.line);
                self.flow.gap();
            } else if self.mdoc.arguments.is_none() {
                self.lead_in();
            } else {
                self.flow.glue();
            }
            self.flow.styled(Font::Italic, &word.text, word.line);
            shown += 1;
        }
        self.mdoc.arguments = self.mdoc.arguments.map(|_| shown);
    }

    fn special(&mut self, name: &str, words: &[Word], at: &mut usize, line: u32) {
        match name {
            "Ns" => self.flow.glue(),
            "Ap" => {
                self.flow.glue();
                self.flow.put("'", line);
                self.flow.glue();
            }
            "Pf" | "Eo" => {
                if let Some(word) = words.get(*at) {
                    *at += 1;
                    self.lead_in();
                    self.flow.write(&word.text, word.line);
                }
                self.flow.glue();
            }
            "Ec" => {
                self.flow.glue();
                if let Some(word) = words.get(*at) {
                    *at += 1;
                    self.flow.write(&word.text, word.line);
                }
            }
            "Xo" => self.mdoc.extended += 1,
            "Xc" => self.mdoc.extended = self.mdoc.extended.saturating_sub(1),
            "Ta" => self.next_cell(),
            "Nd" => {
                self.lead_in();
                self.flow.put("—", line);
            }
            "Fn" | "Fo" | "Fc" => self.function(name, words, at, line),
            "Xr" | "Lk" | "Mt" | "Sx" => self.reference(name, words, at, line),
            "In" => self.header(words, at, line),
            _ => {
                let arguments = Self::arguments(words, at);
                let text = self.sentence(name, &arguments);
                self.lead_in();
                self.flow.write(&text, line);
            }
        }
    }
}
