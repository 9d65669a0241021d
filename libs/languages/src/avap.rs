//! AVAP, through our own front end.

use assay_domain::code::{Category, Diagnostic, Severity};

use super::AvapOptions;
use super::watch::{Stopped, Watch};

pub(super) fn parse(
    code: &str,
    options: &AvapOptions,
    watch: &Watch<'_>,
) -> Result<Vec<Diagnostic>, Stopped> {
    let parsed = assay_avap::parse_until(code, options, &|| watch.ask().is_err()).ok_or(Stopped)?;
    Ok(parsed.diagnostics.into_iter().map(convert).collect())
}

fn convert(found: assay_avap::Diagnostic) -> Diagnostic {
    Diagnostic {
        line: found.line,
        column: found.column,
        end_column: found.end_column,
        severity: match found.severity {
            assay_avap::Severity::Error => Severity::Error,
            assay_avap::Severity::Warning => Severity::Warning,
            assay_avap::Severity::Hint => Severity::Hint,
        },
        category: match found.category {
            assay_avap::Category::ForeignKeyword => Category::ForeignKeyword,
            assay_avap::Category::UnknownToken => Category::UnknownToken,
            assay_avap::Category::UnexpectedConstruct => Category::UnexpectedConstruct,
            assay_avap::Category::SyntaxError => Category::SyntaxError,
        },
        code: found.code,
        message: found.message,
        suggestion: found.suggestion,
        help: found.help,
    }
}
