//! Constructs of one line: targets, rule ids, tables of contents, comments, imports.

use super::dialect::{is_module_line, is_target};
use super::rewrite::Rewriter;
use super::source::Origin;
use super::spans;

/// Longest import or export, in lines.
const MAX_MODULE_LINES: usize = 400;

/// Longest call of a macro, in lines.
const MAX_CALL_LINES: usize = 60;
/// Longest row of names whose cells are counted, in bytes.
const MAX_ROW: usize = 20_000;

/// Cells of a row of a table.
fn cells(row: &str) -> usize {
    let row = row.trim_matches('|').replace("\\|", "");
    row.split('|').count()
}

impl Rewriter<'_, '_> {
    /// Leaves out imports and exports of MDX, up to the next blank line.
    pub(super) fn module_lines(&mut self, line: &str) -> bool {
        if !self.dialect.is_mdx || !self.is_fresh || !is_module_line(line) {
            return false;
        }
        self.partial(line);
        let mut depth = spans::brackets(line);
        let mut count = 0;
        while let Some(next) = self.peek(count).filter(|_| count < MAX_MODULE_LINES) {
            if next.trim().is_empty() && depth <= 0 {
                break;
            }
            depth += spans::brackets(next);
            let next = next.to_owned();
            self.partial(&next);
            count += 1;
        }
        self.skip(count);
        true
    }

    /// Keeps the name of a page that is imported.
    fn partial(&mut self, line: &str) {
        let Some((name, module)) = line.strip_prefix("import ").and_then(|rest| rest.split_once(" from "))
        else {
            return;
        };
        let path = module.trim().trim_end_matches(';').trim_matches(['"', '\'']);
        if path.ends_with(".md") || path.ends_with(".mdx") {
            self.partials.insert(name.trim().to_owned(), path.trim_start_matches("@site/").to_owned());
        }
    }

    /// Leaves out lines that show nothing; ids in them are kept.
    pub(super) fn small_line(&mut self, line: &str, at: Origin) -> bool {
        let body = line.trim();
        if let Some(id) = is_target(body) {
            let shown = crate::anchors::docutils(id);
            if shown != id {
                self.source.anchor(&shown, at.line);
            }
            self.source.anchor(id, at.line);
            return true;
        }
        let rule = body.strip_prefix("r[").and_then(|rest| rest.strip_suffix(']'));
        if let Some(rule) = rule.filter(|rule| self.dialect.has_rules && !rule.contains(['[', ' '])) {
            self.source.anchor(&format!("r-{rule}"), at.line);
            self.mark(line, Vec::new(), at);
            return true;
        }
        let list = body.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
        if let Some(id) = list.and_then(spans::attributes) {
            self.source.anchor(&id, at.line);
            return true;
        }
        if body.starts_with("{{") && !body.contains("}}") && !body.starts_with("{{#") {
            let end =
                (0..MAX_CALL_LINES).find(|ahead| self.peek(*ahead).is_some_and(|line| line.contains("}}")));
            self.skip(end.map_or(0, |end| end + 1));
            return end.is_some();
        }
        if let Some(row) = self.delimiter_row(body) {
            let before = line.get(..line.len() - line.trim_start().len()).unwrap_or("");
            self.source.push(&format!("{before}{row}"), at);
            return true;
        }
        let is_contents = matches!(body, "[TOC]" | "[toc]" | "[[toc]]" | "[[TOC]]" | "[[_TOC_]]" | "${toc}");
        let is_comment = self.dialect.is_myst && (body.starts_with("% ") || body == "%");
        is_contents || is_comment || self.dialect.is_myst && body.starts_with("+++")
    }

    /// The row of dashes below the names of a table, with as many cells as there are names.
    fn delimiter_row(&self, body: &str) -> Option<String> {
        let is_row =
            body.contains('-') && body.contains('|') && body.bytes().all(|byte| b"|-: \t".contains(&byte));
        let above = self.source.last_line().trim();
        if !is_row || !above.contains('|') || above.len() > MAX_ROW {
            return None;
        }
        let (have, want) = (cells(body), cells(above));
        (have != want).then(|| "|---".repeat(want) + "|")
    }

    /// Takes the id off a heading: `# Name {#id}`, `# Name {/*id*/}`.
    pub(super) fn heading_id(&mut self, line: &str, at: Origin) -> String {
        let body = line.trim_end().trim_end_matches('#').trim_end();
        let is_heading = line.trim_start_matches([' ', '>']).starts_with('#')
            || self.peek(0).is_some_and(|next| {
                let next = next.trim();
                next.len() > 2
                    && (next.bytes().all(|byte| byte == b'=') || next.bytes().all(|byte| byte == b'-'))
            });
        let Some((before, inner)) = body.strip_suffix('}').and_then(|body| body.rsplit_once('{')) else {
            return line.to_owned();
        };
        if !is_heading || before.ends_with('{') {
            return line.to_owned();
        }
        let comment = inner.strip_prefix("/*").and_then(|inner| inner.strip_suffix("*/"));
        let id = comment.map(|id| id.trim().to_owned()).or_else(|| spans::attributes(inner));
        let Some(id) = id else { return line.to_owned() };
        if !id.is_empty() && !id.contains(' ') {
            self.source.id(&id);
        }
        let _ = at;
        before.trim_end().to_owned()
    }
}
