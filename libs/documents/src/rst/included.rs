//! Code of directives, and what comes out of other files.

use assay_domain::LineRange;

use super::Reader;
use super::explicit::Directive;
use super::line::{Line, numbered, range, texts};
use super::names;
use super::place::Place;
use super::text::Text;
use crate::inline::Inline;

impl Reader<'_, '_> {
    /// Reads code.
    pub(super) fn code_block(&mut self, directive: &Directive<'_>, place: &mut Place) {
        let words = directive.words();
        let language = words.split_whitespace().next().unwrap_or("");
        let (language, whole) = match directive.name.as_str() {
            "productionlist" => ("", false),
            "math" => ("latex", true),
            "doctest" => ("pycon", false),
            "testcode" => ("python", false),
            "testoutput" => ("", false),
            "console" => ("console", true),
            "ipython" | "jupyter-execute" if language.is_empty() => ("python", false),
            _ => (language, false),
        };
        let language = match directive.name.as_str() {
            "code-block" | "code" | "sourcecode" if language.is_empty() => self.language.clone(),
            _ => language.to_owned(),
        };
        let mut lines = if whole { directive.whole() } else { directive.content() };
        if directive.name == "productionlist" {
            lines.splice(0..0, directive.argument.iter().copied());
        }
        self.names_of(directive);
        let mut place = Place { lead: self.lead(place), ..place.clone() };
        if let Some(caption) = directive.option("caption") {
            let first = directive.line_of("caption");
            place.lead = self.caption(&[Line::new(caption, first)], first, &mut place);
        }
        self.code(&language, &lines, directive.lines, &mut place);
    }

    /// Reads text that keeps its white space and has markup.
    pub(super) fn parsed_literal(&mut self, directive: &Directive<'_>, place: &mut Place) {
        let lines = directive.whole();
        let lines = lines.get(..super::line::filled(&lines)).unwrap_or(&[]);
        let shown: Vec<String> = lines
            .iter()
            .map(|line| {
                let mut inline = Inline::default();
                let mut text = Text::of(&[*line]);
                text.verbatim = true;
                self.scan(&text, &mut inline);
                inline.into_parts().0
            })
            .collect();
        let shown = shown.iter().zip(lines).map(|(text, line)| Line::new(text, line.number));
        self.code("", &shown.collect::<Vec<_>>(), directive.lines, place);
    }

    /// Reads another file in place of the directive.
    pub(super) fn include(&mut self, directive: &Directive<'_>, place: &mut Place) {
        let target = directive.words();
        if target.is_empty() || target.starts_with('<') {
            return;
        }
        let from = self.builder.file.as_deref().unwrap_or(self.builder.path);
        let found = target.starts_with('/').then(|| names::find(self.builder.files, from, &target)).flatten();
        let target = found.map_or(target, |(path, _)| format!("/{path}"));
        let literal = directive.name == "literalinclude";
        // What waits has lines of this file.
        self.settle(place);
        let Some(text) = self.builder.include(&target, directive.lines.first) else { return };
        let texts = texts(&text);
        let lines = numbered(&texts);
        let lines = selected(&lines, directive);
        let code = directive.option("code").or_else(|| directive.option("literal"));
        let markdown = directive.option("parser").is_some() || target.ends_with(".md");
        match (literal, code) {
            (true, _) if directive.option("pyobject").is_some() => {}
            (true, _) => {
                let language = directive.option("language").unwrap_or_else(|| extension(&target));
                self.code(language, lines, range(lines), place);
            }
            (false, Some(language)) => self.code(language, lines, range(lines), place),
            (false, None) if markdown => {}
            (false, None) => {
                let depth = place.depth;
                place.depth += 1;
                self.body(lines, place);
                place.depth = depth;
            }
        }
        self.settle(place);
        self.builder.end_include();
    }
}

/// The language that the name of a file tells.
fn extension(path: &str) -> &str {
    match path.rsplit_once('.').map_or("", |(_, extension)| extension) {
        "py" => "python",
        "sh" => "bash",
        "yml" => "yaml",
        "js" => "javascript",
        "txt" | "rst" => "",
        other => other,
    }
}

/// The lines of an included file that the options of the directive choose.
fn selected<'l, 'a>(lines: &'l [Line<'a>], directive: &Directive<'_>) -> &'l [Line<'a>] {
    let number = |name: &str| directive.option(name).and_then(|value| value.parse::<i64>().ok());
    let count = i64::try_from(lines.len()).unwrap_or(i64::MAX);
    let place = |number: i64| usize::try_from(if number < 0 { count + number } else { number }).unwrap_or(0);
    let mut first = number("start-line").map_or(0, place).min(lines.len());
    let mut last = number("end-line").map_or(lines.len(), place).clamp(first, lines.len());
    if let Some(range) = directive.option("lines").and_then(chosen) {
        first = (range.first as usize).saturating_sub(1).min(lines.len());
        last = (range.last as usize).clamp(first, lines.len());
    }
    let found = |first: usize, last: usize, text: Option<&str>| {
        let text = text.filter(|text| !text.is_empty())?;
        lines.get(first..last)?.iter().position(|line| line.text.contains(text)).map(|at| first + at)
    };
    if let Some(at) = found(first, last, directive.option("start-after")) {
        first = at + 1;
    } else if let Some(at) = found(first, last, directive.option("start-at")) {
        first = at;
    }
    if let Some(at) = found(first, last, directive.option("end-before")) {
        last = at;
    } else if let Some(at) = found(first, last, directive.option("end-at")) {
        last = at + 1;
    }
    lines.get(first..last).unwrap_or(&[])
}

/// First and last line of `1-3,7-`.
fn chosen(text: &str) -> Option<LineRange> {
    let first = text.split([',', '-']).next()?.trim().parse().ok()?;
    let last = text.rsplit([',', '-']).next()?.trim();
    Some(LineRange::new(first, last.parse().unwrap_or(u32::MAX)))
}
