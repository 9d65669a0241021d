//! Strings, numbers and macros of a page, and their values in a line.

use std::collections::HashMap;
use std::sync::Arc;

use super::escape;
use super::source::MAX_EXPANDED;

/// Strings, numbers and macros that the page has defined.
#[derive(Debug, Default)]
pub(super) struct Names {
    pub(super) strings: HashMap<String, String>,
    pub(super) numbers: HashMap<String, i64>,
    pub(super) macros: HashMap<String, Arc<[String]>>,
}

impl Names {
    pub(super) fn is_defined(&self, name: &str) -> bool {
        self.macros.contains_key(name) || self.strings.contains_key(name)
    }

    pub(super) fn is_number(&self, name: &str) -> bool {
        self.numbers.contains_key(name) || name.starts_with('.')
    }

    fn string(&self, name: &str) -> &str {
        let known = match name {
            "R" => "\\(rg",
            "Tm" => "\\(tm",
            "lq" | "Lq" => "\\(lq",
            "rq" | "Rq" => "\\(rq",
            "q" => "\"",
            "Aq" => "'",
            "Le" => "\\(<=",
            "Ge" => "\\(>=",
            "Lt" => "<",
            "Gt" => ">",
            "Ne" => "\\(!=",
            "Am" => "&",
            "Ba" => "|",
            "Pm" => "\\(+-",
            "If" => "\\(if",
            "Pi" => "\\(*p",
            _ => "",
        };
        self.strings.get(name).map_or(known, String::as_str)
    }

    pub(super) fn number(&self, name: &str) -> i64 {
        // The forms of groff are understood, and the output is for a terminal.
        self.numbers.get(name).copied().unwrap_or(i64::from(matches!(name, ".g" | ".A")))
    }

    /// A line with the strings, numbers and arguments that it names.
    pub(super) fn expanded(&self, text: &str, arguments: &[String]) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find('\\') {
            out.push_str(rest.get(..at).unwrap_or(""));
            let after = rest.get(at + 1..).unwrap_or("");
            let taken = self.interpolate(after, arguments, &mut out).unwrap_or_else(|| {
                let taken = after.chars().next().map_or(0, char::len_utf8);
                out.push('\\');
                out.push_str(after.get(..taken).unwrap_or(""));
                taken
            });
            rest = after.get(taken..).unwrap_or("");
            if out.len() > MAX_EXPANDED.max(2 * text.len()) {
                break;
            }
        }
        out + rest
    }

    fn interpolate(&self, after: &str, arguments: &[String], out: &mut String) -> Option<usize> {
        let kind = after.chars().next()?;
        let behind = after.get(1..)?;
        match kind {
            '*' => {
                let (name, taken) = escape::argument(behind);
                out.push_str(self.string(name.split(' ').next().unwrap_or("")));
                Some(1 + taken)
            }
            'n' => {
                let sign = usize::from(behind.starts_with(['+', '-']));
                let (name, taken) = escape::argument(behind.get(sign..)?);
                let value = if name == ".$" {
                    i64::try_from(arguments.len()).unwrap_or(0)
                } else {
                    self.number(name)
                };
                out.push_str(&value.to_string());
                Some(1 + sign + taken)
            }
            '$' => {
                let (name, taken) = escape::argument(behind);
                match name {
                    "*" => out.push_str(&arguments.join(" ")),
                    "@" => out.push_str(
                        &arguments.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(" "),
                    ),
                    name => {
                        let at = name.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
                        out.push_str(at.and_then(|at| arguments.get(at)).map_or("", String::as_str));
                    }
                }
                Some(1 + taken)
            }
            _ => None,
        }
    }
}
