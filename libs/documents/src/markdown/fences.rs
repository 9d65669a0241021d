//! Fences: code, which is copied, and directives, whose lines are Markdown.

use super::containers::{Container, indent};
use super::directives::{Directive, directive};
use super::info;
use super::rewrite::Rewriter;
use super::source::{Mark, Origin};

/// Longest code above a cut, in lines.
const MAX_CUT: usize = 400;

/// A code fence that is open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fence {
    mark: char,
    length: usize,
    is_quoted: bool,
    /// Whether lines that begin with `# ` are set up code, which is not shown.
    hides_setup: bool,
    /// Whether only the text of reStructuredText is kept.
    is_rst: bool,
}

/// Whether a line closes a fence.
pub(super) fn closes(line: &str, mark: char, length: usize) -> bool {
    let body = line.trim_matches([' ', '\t', '>']);
    body.len() >= length && body.chars().all(|c| c == mark)
}

/// Bytes before the fence of a line, its mark and length, and the info string.
fn opened(line: &str) -> Option<(usize, char, usize, &str)> {
    let mut body = line.trim_start();
    loop {
        let rest = body.strip_prefix('>').or_else(|| list_marker(body));
        let Some(rest) = rest else { break };
        body = rest.trim_start();
    }
    let mark = body.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = body.chars().take_while(|c| *c == mark).count();
    let info = body.get(length..)?;
    let is_fence = length >= 3 && !(mark == '`' && info.contains('`'));
    is_fence.then_some((line.len() - body.len(), mark, length, info.trim()))
}

/// A line behind its list marker.
fn list_marker(line: &str) -> Option<&str> {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = line.get(digits..)?;
    let rest = if digits > 0 { rest.strip_prefix(['.', ')']) } else { rest.strip_prefix(['-', '*', '+']) };
    rest.filter(|rest| digits < 10 && rest.starts_with([' ', '\t']))
}

impl Rewriter<'_, '_> {
    /// Opens a fence, or closes a directive.
    pub(super) fn fence_start(&mut self, line: &str, at: Origin) -> bool {
        let Some((start, mark, length, info)) = opened(line) else { return false };
        if info.is_empty()
            && start == line.len() - line.trim_start().len()
            && self.close_directive(line, mark, length, at)
        {
            return true;
        }
        let name = info.strip_prefix('{').and_then(|rest| rest.split_once('}'));
        let is_name = |name: &str| {
            name.starts_with(|c: char| c.is_alphabetic())
                && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | ':' | '.'))
        };
        match name.filter(|(name, _)| is_name(name)) {
            Some((name, argument)) => self.directive_fence(line, (mark, length), name, argument, at),
            None => {
                let language = info::read(info).language;
                let is_quoted = line.get(..start).is_some_and(|before| before.contains('>'));
                let hides_setup = language == "rust";
                self.fence = Some(Fence { mark, length, is_quoted, hides_setup, is_rst: false });
                match info::file_name(info).filter(|_| self.dialect.is_mdx) {
                    Some(name) => self.source.push(&format!("{line} title=\"{name}\""), at),
                    None => self.source.push(line, at),
                }
                if info.contains("twoslash") {
                    self.skip_cut(mark, length);
                }
            }
        }
        true
    }

    /// Leaves out the lines above a cut, which are there for the compiler.
    fn skip_cut(&mut self, mark: char, length: usize) {
        let line = |ahead: &usize| self.peek(*ahead).map(str::trim);
        let end = (0..MAX_CUT).find(|ahead| line(ahead).is_none_or(|line| closes(line, mark, length)));
        let is_cut = |ahead: &usize| line(ahead).is_some_and(|line| line.starts_with("// ---cut"));
        if let Some(cut) = (0..end.unwrap_or(0)).rev().find(is_cut) {
            self.skip(cut + 1);
        }
    }

    fn close_directive(&mut self, line: &str, mark: char, length: usize, at: Origin) -> bool {
        let is_it = |open: &Container| matches!(open, Container::Fence { mark: own, length: least, .. } if *own == mark && *least <= length);
        let Some(height) = self.open.iter().rposition(is_it) else { return false };
        self.end_containers(height, indent(line), at);
        true
    }

    /// Opens a directive between fences: code, a note, text or nothing that is shown.
    fn directive_fence(&mut self, line: &str, fence: (char, usize), name: &str, argument: &str, at: Origin) {
        let (mark, length) = fence;
        let before = line.get(..line.len() - line.trim_start().len()).unwrap_or("").to_owned();
        let container = |hides| Container::Fence { mark, length, hides };
        let fence = |is_rst| Some(Fence { mark, length, is_quoted: false, hides_setup: false, is_rst });
        let title = super::spans::title(argument);
        match directive(name, &title) {
            Directive::Code(language) => {
                let options = self.skip_options();
                if let Some(caption) = options.get("caption") {
                    self.mark(line, vec![Mark::Title(caption.clone())], at);
                }
                let marks = mark.to_string().repeat(length);
                self.source.push(&format!("{before}{marks}{}", language.trim()), at);
                self.fence = fence(false);
            }
            Directive::Rst => self.fence = fence(true),
            Directive::Hidden => {
                self.skip_options();
                self.open(container(true));
            }
            Directive::CodeFile(path) => {
                let options = self.skip_options();
                let language = options.get("language").cloned().unwrap_or_default();
                self.include_code(&path, "", &language, &before, at);
                self.open(container(true));
            }
            Directive::Include(path) => {
                let is_end = |line: &str| closes(line, mark, length);
                let rest = (0..1000).find(|ahead| self.peek(*ahead).is_none_or(is_end));
                self.skip(rest.map_or(0, |rest| rest + 1));
                self.include_page(&path, at);
            }
            Directive::Image(target) => {
                let options = self.skip_options();
                self.mark(line, vec![Mark::Container], at);
                let alternative = options.get("alt").cloned().unwrap_or_default().replace(['[', ']'], "");
                if !target.is_empty() {
                    self.source.push(&format!("{before}![{alternative}](<{target}>)"), at);
                    self.source.push("", at);
                }
                self.open(container(false));
            }
            Directive::Admonition(label, is_own) => {
                self.mark(line, vec![Mark::Admonition(label, is_own)], at);
                self.skip_options();
                self.open(container(false));
            }
            Directive::Container(title) => {
                let title = title.map(Mark::Title);
                self.mark(line, std::iter::once(Mark::Container).chain(title).collect(), at);
                self.skip_options();
                self.open(container(false));
            }
        }
    }

    /// Copies a line of code.
    pub(super) fn fence_line(&mut self, line: &str, at: Origin) {
        let Some(fence) = self.fence.clone() else { return };
        let is_left = fence.is_quoted && !line.trim_start().starts_with('>');
        if is_left {
            self.fence = None;
            return self.line(line, at);
        }
        let is_end = closes(line, fence.mark, fence.length);
        if is_end {
            self.fence = None;
        }
        if fence.is_rst {
            let is_text = !is_end && !line.starts_with(['.', ':', ' ']);
            return self.source.push(if is_text { line } else { "" }, at);
        }
        if !is_end && self.code_include(line) {
            return;
        }
        let line = self.moved(line);
        if fence.hides_setup && !is_end {
            let body = line.trim_start_matches([' ', '\t', '>']);
            if body == "#" || body.starts_with("# ") {
                return;
            }
            if body.starts_with("##") {
                return self.source.push(&line.replacen("##", "#", 1), at);
            }
        }
        self.source.push(&line, at);
    }

    /// Leaves out the options of a directive: `:name: value`, or YAML between `---`.
    pub(super) fn skip_options(&mut self) -> std::collections::HashMap<String, String> {
        let mut options = std::collections::HashMap::new();
        let is_yaml = self.peek(0).is_some_and(|line| line.trim() == "---");
        let mut count = usize::from(is_yaml);
        while let Some(line) = self.peek(count).filter(|_| count < 100).map(str::trim) {
            if is_yaml && line == "---" {
                count += 1;
                break;
            }
            let line = line.strip_prefix(':').unwrap_or(if is_yaml { line } else { "" });
            let Some((name, value)) =
                line.split_once(':').filter(|(name, _)| !name.contains(' ') && !name.is_empty())
            else {
                break;
            };
            options.insert(name.to_owned(), value.trim().trim_matches('"').to_owned());
            count += 1;
        }
        self.skip(count);
        options
    }
}
