//! Macros of `mdoc` that stand for words: links, functions, standing sentences, names of systems.

use super::Reader;
use super::escape::{self, Font};
use super::standards;
use super::words::Word;

/// End of the standing sentences on return values.
const FAILURE: &str =
    "otherwise the value -1 is returned and the global variable \\fIerrno\\fP is set to indicate the error.";

/// Name of a system by its macro.
pub(super) fn system(name: &str) -> Option<&'static str> {
    Some(match name {
        "Ux" => "UNIX",
        "Bsx" => "BSD/OS",
        "Nx" => "NetBSD",
        "Fx" => "FreeBSD",
        "Ox" => "OpenBSD",
        "Dx" => "DragonFly",
        _ => return None,
    })
}

impl Reader<'_, '_> {
    pub(super) fn reference(&mut self, name: &str, words: &[Word], at: &mut usize, line: u32) {
        let arguments = Self::arguments(words, at);
        let Some((first, rest)) = arguments.split_first() else { return };
        let more = rest.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
        let plain = escape::plain(&first.text);
        let (target, text) = match name {
            "Xr" if rest.is_empty() => (plain.clone(), first.text.clone()),
            "Xr" => (format!("{plain}({more})"), format!("{}({more})", first.text)),
            "Mt" => (format!("mailto:{plain}"), first.text.clone()),
            "Lk" if !rest.is_empty() => (plain, more),
            "Lk" => (plain, first.text.clone()),
            _ => {
                let text = arguments.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
                (Self::section_target(&escape::plain(&text)), text)
            }
        };
        self.lead_in();
        self.flow.link(&target, &text, line);
    }

    pub(super) fn header(&mut self, words: &[Word], at: &mut usize, line: u32) {
        let arguments = Self::arguments(words, at);
        let Some(file) = arguments.first() else { return };
        let include = if self.in_synopsis() { "#include " } else { "" };
        self.lead_in();
        self.flow.styled(Font::Constant, &format!("{include}<{}>", file.text), line);
    }

    pub(super) fn function(&mut self, name: &str, words: &[Word], at: &mut usize, line: u32) {
        if name != "Fc" {
            if let Some(word) = Self::argument(words, *at) {
                *at += 1;
                self.lead_in();
                self.flow.styled(Font::Constant, &word.text, word.line);
                self.flow.glue();
                self.flow.put("(", line);
            }
            self.mdoc.arguments = Some(0);
            if name == "Fo" {
                return;
            }
            self.function_arguments(words, at);
        }
        self.flow.glue();
        self.flow.put(if self.in_synopsis() { ");" } else { ")" }, line);
        self.mdoc.arguments = None;
        self.mdoc.after_function = self.in_synopsis();
    }

    /// The words that a macro stands for.
    pub(super) fn sentence(&self, name: &str, arguments: &[&Word]) -> String {
        let words: Vec<&str> =
            arguments.iter().map(|word| word.text.as_str()).filter(|word| *word != "-std").collect();
        let first = words.first().copied().unwrap_or("");
        match name {
            "St" => standards::standard(first).unwrap_or(first).to_owned(),
            "Lb" => standards::library(first).map_or_else(|| format!("library “{first}”"), str::to_owned),
            "At" => standards::system(first).unwrap_or("AT&T UNIX").to_owned(),
            "Bx" => match words.as_slice() {
                [] => "BSD".to_owned(),
                [version] => format!("{version}BSD"),
                [version, rest @ ..] => format!("{version}BSD-{}", rest.join(" ")),
            },
            "Bt" => "is currently in beta test.".to_owned(),
            "Ud" => "currently under development.".to_owned(),
            "Ex" | "Rv" => self.standing(name, &words),
            _ => {
                let system = system(name).unwrap_or("");
                format!("{system} {}", words.join(" ")).trim().to_owned()
            }
        }
    }

    /// The standing sentence on exit codes or return values of the named programs or functions.
    fn standing(&self, name: &str, words: &[&str]) -> String {
        let names = match words {
            [] => vec![self.mdoc.name.clone()],
            words if name == "Ex" => words.iter().map(|word| format!("\\f(CW{word}\\fP")).collect(),
            words => words.iter().map(|word| format!("\\f(CW{word}\\fP()")).collect(),
        };
        let list = match names.as_slice() {
            [.., one] if names.len() == 1 => one.clone(),
            [first @ .., one] if first.len() == 1 => format!("{} and {one}", first.join(", ")),
            [first @ .., one] => format!("{}, and {one}", first.join(", ")),
            [] => String::new(),
        };
        let plural = names.len() > 1;
        if name == "Ex" {
            let (noun, verb) = if plural { ("utilities", "exit") } else { ("utility", "exits") };
            return format!("The {list} {noun} {verb} 0 on success, and >0 if an error occurs.");
        }
        if words.is_empty() {
            let done = "Upon successful completion, the value 0 is returned;";
            return format!("{done} {FAILURE}");
        }
        let (noun, verb) = if plural { ("functions", "return") } else { ("function", "returns") };
        format!("The {list} {noun} {verb} the value 0 if successful; {FAILURE}")
    }
}
