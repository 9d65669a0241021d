//! The ten checks of contract §4 over an assessed answer, their findings, and the verdict.

use std::cell::OnceCell;

use assay_domain::code::{BlockStatus, ParsedBlock};
use assay_domain::report::{
    Attempt, Check, CheckName, CheckStatus, Claim, ClaimKind, ClaimStatus, DefectKind, Finding, Span, Verdict,
};
use assay_domain::{QueryType, SourceKind};

use crate::assess::{self, Assessed, Broken};
use crate::index::Analysed;
use crate::judge::{Facts, Judge};
use crate::language;
use crate::mentions::{self, Mention};
use crate::policy::{Weight, weight};
use crate::reading::Parsed;
use crate::scorer::Word;

/// Longest piece of the answer that a finding quotes, in characters.
const QUOTE: usize = 160;
/// Most names offered in place of an unknown one.
const NEAR: usize = 3;
/// Fewest words of a quotation that is held against its source.
const QUOTED_WORDS: usize = 4;

/// What the checks look at.
pub(crate) struct Case<'a> {
    pub(crate) judge: &'a Judge,
    pub(crate) parsed: &'a Parsed<'a>,
    pub(crate) assessed: &'a Assessed,
    pub(crate) facts: &'a Facts,
    /// Markers that were taken out of the text.
    pub(crate) removed: &'a [Broken],
    /// Names that nothing at hand holds, once a check asked.
    pub(crate) mentions: OnceCell<Vec<Mention>>,
}

impl Case<'_> {
    fn mentions(&self) -> &[Mention] {
        self.mentions.get_or_init(|| mentions::unknown(self.judge, self.parsed))
    }
}

/// What failed and what was flagged or not checked, each in text order.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    pub(crate) errors: Vec<Finding>,
    pub(crate) warnings: Vec<Finding>,
}

/// Result of one check before the query type weighs it.
struct Outcome {
    status: CheckStatus,
    reason: String,
    /// What makes it fail or flag.
    findings: Vec<Finding>,
    /// What is worth telling whatever the result.
    notes: Vec<Finding>,
    /// Whether a result short of a pass has no weight for this answer.
    weightless: bool,
}

impl Outcome {
    fn new(status: CheckStatus, reason: impl Into<String>) -> Self {
        Self { status, reason: reason.into(), findings: Vec::new(), notes: Vec::new(), weightless: false }
    }

    fn passed() -> Self {
        Self::new(CheckStatus::Passed, "")
    }

    fn absent(reason: &str) -> Self {
        Self::new(CheckStatus::NotApplicable, reason)
    }

    fn with(status: CheckStatus, reason: impl Into<String>, findings: Vec<Finding>) -> Self {
        Self { findings, ..Self::new(status, reason) }
    }
}

/// Every check, in the order of [`CheckName::ALL`], with the findings.
pub(crate) fn all(case: &Case<'_>, relevance: Option<f64>) -> (Vec<Check>, Findings) {
    let query_type = case.judge.terms().query_type;
    let mut findings = Findings::default();
    let mut checks = Vec::with_capacity(CheckName::ALL.len());
    for name in CheckName::ALL {
        let weight = weight(query_type, *name);
        let outcome = match (weight, name) {
            (Weight::Absent, _) => Outcome::absent(&format!("not part of a {query_type} answer")),
            (_, CheckName::CitationSyntax) => syntax(case),
            (_, CheckName::CitationCoverage) => coverage(case),
            (_, CheckName::SourceExists) => source_exists(case),
            (_, CheckName::LineRange) => line_range(case),
            (_, CheckName::ContentMatch) => content_match(case),
            (_, CheckName::ClaimSupport) => claim_support(case),
            (_, CheckName::Identifiers) => identifiers(case),
            (_, CheckName::CodeSyntax) => code_syntax(case),
            (_, CheckName::ContextRelevance) => context_relevance(case, relevance),
            (_, CheckName::Numbers) => numbers(case),
        };
        let required = weight == Weight::Required && !outcome.weightless;
        let status = match outcome.status {
            CheckStatus::Failed if !required => CheckStatus::Flagged,
            status => status,
        };
        findings.warnings.extend(outcome.notes);
        match status {
            CheckStatus::Failed => findings.errors.extend(outcome.findings),
            CheckStatus::Flagged => findings.warnings.extend(outcome.findings),
            CheckStatus::NotChecked if required => {
                findings.warnings.push(finding(
                    name.as_str(),
                    format!("not checked: {}", outcome.reason),
                    None,
                ));
                findings.warnings.extend(outcome.findings);
            }
            CheckStatus::NotChecked => findings.warnings.extend(outcome.findings),
            CheckStatus::Passed | CheckStatus::NotApplicable => {}
        }
        checks.push(Check { name: *name, status, reason: outcome.reason, required });
    }
    let place = |finding: &Finding| finding.span.map_or(usize::MAX, |span| span.byte_start);
    findings.errors.sort_by_key(place);
    findings.warnings.sort_by_key(place);
    (checks, findings)
}

/// A failed required check rejects; a flag, or a required check that was not checked, wants a review.
pub(crate) fn verdict(checks: &[Check]) -> Verdict {
    let failed = |check: &Check| check.required && check.status == CheckStatus::Failed;
    let doubtful = |check: &Check| {
        check.status == CheckStatus::Flagged || (check.required && check.status == CheckStatus::NotChecked)
    };
    if checks.iter().any(failed) {
        Verdict::Reject
    } else if checks.iter().any(doubtful) {
        Verdict::Review
    } else {
        Verdict::Pass
    }
}

/// What fails where it stands, whatever the rest of the answer says; each with its place, in text order.
pub(crate) fn of_segments(case: &Case<'_>) -> Vec<Finding> {
    let terms = case.judge.terms();
    let required = |name| weight(terms.query_type, name) == Weight::Required;
    let mut found = Vec::new();
    if required(CheckName::CitationSyntax) && !terms.sources.is_empty() {
        let open = |kind| matches!(kind, DefectKind::UnclosedFence | DefectKind::UnclosedHtml);
        let defects = case.parsed.reading.defects.iter().filter(|defect| !open(defect.kind));
        found.extend(defects.map(|d| finding(d.kind.as_str(), d.detail.clone(), Some(d.span))));
    }
    if terms.attempt == Attempt::First {
        for name in [CheckName::SourceExists, CheckName::LineRange] {
            if required(name) {
                found.extend(broken(case, name));
            }
        }
        found.extend(invalid(case).0);
    }
    if required(CheckName::ClaimSupport) {
        found.extend(
            claims(case)
                .filter(|(_, status)| *status == ClaimStatus::Contradicted)
                .map(|(at, _)| said(case, at)),
        );
    }
    found.sort_by_key(|finding| finding.span.map_or(usize::MAX, |span| span.byte_start));
    found
}

fn finding(kind: &str, detail: impl Into<String>, span: Option<Span>) -> Finding {
    Finding { kind: kind.to_owned(), detail: detail.into(), span }
}

fn clip(text: &str) -> String {
    match text.char_indices().nth(QUOTE) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

fn counted(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

// === Citations ===

fn syntax(case: &Case<'_>) -> Outcome {
    if case.judge.terms().sources.is_empty() {
        return Outcome::absent("there are no sources");
    }
    let defects = &case.parsed.reading.defects;
    if !defects.is_empty() {
        let findings =
            defects.iter().map(|d| finding(d.kind.as_str(), d.detail.clone(), Some(d.span))).collect();
        let reason = counted(defects.len(), "defect of form", "defects of form");
        return Outcome::with(CheckStatus::Failed, reason, findings);
    }
    Outcome::passed()
}

fn coverage(case: &Case<'_>) -> Outcome {
    let terms = case.judge.terms();
    if terms.citations_optional {
        return Outcome::absent("citations are not required");
    }
    if terms.sources.is_empty() {
        return Outcome::absent("there are no sources");
    }
    let reading = &case.parsed.reading;
    let units = &case.parsed.units;
    let factual: Vec<(usize, &Claim)> =
        reading.claims.iter().enumerate().filter(|(_, claim)| claim.kind == ClaimKind::Factual).collect();
    if factual.is_empty() {
        return Outcome::absent("there is no factual claim");
    }
    let editor = |at: usize| {
        let unit = units.get(at);
        unit.is_some_and(|unit| assess::editor_places(case.judge, &unit.editor).iter().any(Option::is_some))
    };
    let own =
        |at: usize| reading.claims.get(at).is_some_and(|claim| !claim.citations.is_empty()) || editor(at);
    // A marker in a table row cites the whole row.
    let row = |at: usize| units.get(at).and_then(|unit| unit.row);
    // A claim that lost a marker which led nowhere, and that another place supports, is flagged for that and not uncited.
    let upheld = |at: usize| {
        let judged = case.assessed.judged.get(at).and_then(Option::as_ref);
        case.assessed.stripped.contains(&at)
            && judged.is_some_and(|judged| judged.status == ClaimStatus::Supported)
    };
    let cited = |at: usize| {
        own(at)
            || upheld(at)
            || (row(at).is_some() && (0..units.len()).any(|cell| row(cell) == row(at) && own(cell)))
    };
    let uncited: Vec<&Claim> =
        factual.iter().filter(|(at, _)| !cited(*at)).map(|(_, claim)| *claim).collect();
    if uncited.is_empty() {
        return Outcome::passed();
    }
    let policy = case.judge.policy();
    let none = reading.citations.is_empty() && !(0..units.len()).any(editor);
    let fails = none
        || (uncited.len() >= policy.uncited_count
            && exceeds(uncited.len(), factual.len(), policy.uncited_share));
    let kind = CheckName::CitationCoverage.as_str();
    let findings = uncited
        .iter()
        .map(|claim| {
            finding(kind, format!("no source is cited for: {}", clip(&claim.text)), Some(claim.span))
        })
        .collect();
    let reason =
        format!("{} of {} without a citation", uncited.len(), counted(factual.len(), "claim", "claims"));
    Outcome::with(if fails { CheckStatus::Failed } else { CheckStatus::Flagged }, reason, findings)
}

#[allow(clippy::cast_precision_loss)]
fn exceeds(part: usize, whole: usize, share: f64) -> bool {
    part as f64 > share * whole as f64
}

/// Markers that lead nowhere, of the kind that a check looks for.
fn broken(case: &Case<'_>, name: CheckName) -> Vec<Finding> {
    let of_kind = |broken: &Broken| matches!(broken, Broken::Source(_)) == (name == CheckName::SourceExists);
    let citations = case.parsed.reading.citations.iter().zip(&case.assessed.broken);
    citations
        .filter_map(|(citation, broken)| Some((citation, broken.as_ref().filter(|broken| of_kind(broken))?)))
        .map(|(citation, broken)| finding(name.as_str(), broken.detail(), Some(citation.span)))
        .collect()
}

/// The flags of markers that were taken out, of the kind that a check looks for.
fn removed(case: &Case<'_>, name: CheckName) -> Vec<Finding> {
    let of_kind = |broken: &&Broken| matches!(broken, Broken::Source(_)) == (name == CheckName::SourceExists);
    let removed = case.removed.iter().filter(of_kind);
    removed.map(|broken| finding("citation_removed", format!("removed: {}", broken.detail()), None)).collect()
}

/// Places in the caller's editor that do not exist: of an editor that was not given, or lines that it does not have.
fn broken_editor(case: &Case<'_>, name: CheckName) -> Vec<Finding> {
    let given = case.judge.terms().sources.iter().any(|source| source.kind == SourceKind::Editor);
    if given == (name == CheckName::SourceExists) {
        return Vec::new();
    }
    let units = case.parsed.units.iter().zip(&case.parsed.reading.claims);
    let mut found = Vec::new();
    for (unit, claim) in units {
        let places = assess::editor_places(case.judge, &unit.editor);
        for (lines, _) in unit.editor.iter().zip(&places).filter(|(_, place)| place.is_none()) {
            let detail = match name {
                CheckName::SourceExists => format!("editor:L{lines} cites an editor, and none was given"),
                _ => format!("editor:L{lines}: the editor does not have these lines"),
            };
            found.push(finding(name.as_str(), detail, Some(claim.span)));
        }
    }
    found
}

fn source_exists(case: &Case<'_>) -> Outcome {
    if case.judge.terms().sources.is_empty() {
        return Outcome::absent("there are no sources");
    }
    let name = CheckName::SourceExists;
    let mut failed = broken(case, name);
    failed.extend(broken_editor(case, name));
    let mut flagged = removed(case, name);
    let mentions = case.mentions();
    let mut open = None;
    for mention in mentions.iter().filter(|mention| mention.cited) {
        match exists(case, &mention.name) {
            Ok(true) => {}
            Ok(false) => {
                let detail = format!("{} is not in the index{}", mention.name, near(case, &mention.name));
                let finding = finding(name.as_str(), detail, Some(mention.span));
                let first = case.judge.terms().attempt == Attempt::First;
                if first { failed.push(finding) } else { flagged.push(finding) }
            }
            Err(reason) => open = Some(reason.to_owned()),
        }
    }
    let anything = !case.parsed.reading.citations.is_empty() || mentions.iter().any(|mention| mention.cited);
    resolved(failed, flagged, open, anything)
}

fn line_range(case: &Case<'_>) -> Outcome {
    if case.judge.terms().sources.is_empty() {
        return Outcome::absent("there are no sources");
    }
    let name = CheckName::LineRange;
    let narrowed = case.parsed.reading.citations.iter().any(|citation| citation.lines.is_some());
    let mut failed = broken(case, name);
    failed.extend(broken_editor(case, name));
    let narrowed = narrowed || case.parsed.units.iter().any(|unit| !unit.editor.is_empty());
    resolved(failed, removed(case, name), None, narrowed)
}

fn resolved(failed: Vec<Finding>, flagged: Vec<Finding>, open: Option<String>, anything: bool) -> Outcome {
    if !failed.is_empty() {
        let reason = counted(failed.len(), "citation leads nowhere", "citations lead nowhere");
        return Outcome { notes: flagged, ..Outcome::with(CheckStatus::Failed, reason, failed) };
    }
    if !flagged.is_empty() {
        let reason = counted(flagged.len(), "citation led nowhere", "citations led nowhere");
        return Outcome::with(CheckStatus::Flagged, reason, flagged);
    }
    match open {
        Some(reason) => Outcome::new(CheckStatus::NotChecked, reason),
        None if anything => Outcome::passed(),
        None => Outcome::absent("there is nothing to resolve"),
    }
}

fn content_match(case: &Case<'_>) -> Outcome {
    let index = case.judge.index();
    if index.is_empty() {
        return Outcome::absent("there are no sources");
    }
    let (mut any, mut findings) = (false, Vec::new());
    for (unit, claim) in case.parsed.units.iter().zip(&case.parsed.reading.claims) {
        if unit.kind == ClaimKind::Code {
            continue;
        }
        for quotation in quotations(&unit.marked_up) {
            let words = index.analyse(quotation, None);
            if words.tokens.len() < QUOTED_WORDS {
                continue;
            }
            any = true;
            if !index.passages.iter().any(|passage| passage.quotes(&words)) {
                let detail = format!("no source holds this quotation: {}", clip(quotation));
                findings.push(finding(CheckName::ContentMatch.as_str(), detail, Some(claim.span)));
            }
        }
    }
    match (any, findings.len()) {
        (false, _) => Outcome::absent("there is no quotation"),
        (true, 0) => Outcome::passed(),
        (true, n) => Outcome::with(
            CheckStatus::Flagged,
            counted(n, "quotation differs", "quotations differ"),
            findings,
        ),
    }
}

/// Texts between quotation marks.
fn quotations(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(open) = rest.find(['"', '“', '«']) {
        let mark = rest[open..].chars().next().unwrap_or('"');
        let from = open + mark.len_utf8();
        let close = match mark {
            '“' => '”',
            '«' => '»',
            _ => '"',
        };
        let Some(end) = rest[from..].find(close).map(|n| from + n) else { break };
        found.push(&rest[from..end]);
        rest = &rest[end + close.len_utf8()..];
    }
    found
}

// === Claims ===

/// Judged factual claims with their status.
fn claims<'c>(case: &'c Case<'_>) -> impl Iterator<Item = (usize, ClaimStatus)> + 'c {
    case.assessed.judged.iter().enumerate().filter_map(|(at, judged)| Some((at, judged.as_ref()?.status)))
}

/// What is wrong with a claim.
fn said(case: &Case<'_>, at: usize) -> Finding {
    let (Some(claim), Some(Some(judged))) =
        (case.parsed.reading.claims.get(at), case.assessed.judged.get(at))
    else {
        return finding(CheckName::ClaimSupport.as_str(), "", None);
    };
    let what = match judged.status {
        ClaimStatus::Contradicted => "contradicted",
        ClaimStatus::Unsupported => "unsupported",
        ClaimStatus::SupportedElsewhere => "supported elsewhere",
        _ => "not checked",
    };
    let detail = format!("{what} ({}): {}", judged.reason, clip(&claim.text));
    finding(CheckName::ClaimSupport.as_str(), detail, Some(claim.span))
}

fn claim_support(case: &Case<'_>) -> Outcome {
    if !case.judge.holds_claims() {
        return Outcome::absent("there are no sources");
    }
    let of = |wanted: ClaimStatus| -> Vec<usize> {
        claims(case).filter(|(_, status)| *status == wanted).map(|(at, _)| at).collect()
    };
    let total = claims(case).count();
    if total == 0 {
        return Outcome::absent("there is no factual claim");
    }
    let (contradicted, unsupported) = (of(ClaimStatus::Contradicted), of(ClaimStatus::Unsupported));
    let (elsewhere, open) = (of(ClaimStatus::SupportedElsewhere), of(ClaimStatus::NotChecked));
    let policy = case.judge.policy();
    let too_many = unsupported.len() >= policy.unsupported_count
        && exceeds(unsupported.len(), total, policy.unsupported_share);
    let bad = contradicted.len() + unsupported.len();
    let fails = !contradicted.is_empty() || too_many || (unsupported.len() == total);
    let told =
        |lists: [&[usize]; 3]| -> Vec<Finding> { lists.concat().iter().map(|at| said(case, *at)).collect() };
    let mut outcome = if fails {
        let reason = format!("{bad} of {} unsupported or contradicted", counted(total, "claim", "claims"));
        Outcome {
            notes: told([&elsewhere, &[], &[]]),
            ..Outcome::with(CheckStatus::Failed, reason, told([&contradicted, &unsupported, &[]]))
        }
    } else if !unsupported.is_empty() || !elsewhere.is_empty() {
        let all = counted(total, "claim", "claims");
        let another = "supported by another source than the cited one";
        let reason = match (unsupported.len(), elsewhere.len()) {
            (some, 0) => format!("{some} of {all} unsupported"),
            (0, some) => format!("{some} of {all} {another}"),
            (some, others) => format!("{some} of {all} unsupported, {others} {another}"),
        };
        Outcome::with(CheckStatus::Flagged, reason, told([&unsupported, &elsewhere, &[]]))
    } else if let Some(first) = open.first() {
        let judged = case.assessed.judged.get(*first).and_then(Option::as_ref);
        let reason = judged.map(|judged| judged.reason.clone()).unwrap_or_default();
        Outcome::new(CheckStatus::NotChecked, reason)
    } else {
        Outcome::passed()
    };
    outcome.notes.extend(open.iter().map(|at| said(case, *at)));
    for opinion in &case.facts.opinions {
        if let Word::NotChecked(reason) = &opinion.word {
            let claim = case.parsed.reading.claims.get(opinion.claim);
            let detail =
                format!("the {} was asked and did not tell ({reason}); decided without it", opinion.scorer);
            outcome.notes.push(finding(
                CheckName::ClaimSupport.as_str(),
                detail,
                claim.map(|claim| claim.span),
            ));
        }
    }
    for index in &case.assessed.idle {
        if let Some(citation) = case.parsed.reading.citations.get(*index) {
            let detail =
                format!("{} does not support what it stands beside; another marker does", citation.text);
            outcome.notes.push(finding(CheckName::ClaimSupport.as_str(), detail, Some(citation.span)));
        }
    }
    outcome
}

fn context_relevance(case: &Case<'_>, relevance: Option<f64>) -> Outcome {
    let Some(probability) = relevance else { return Outcome::absent("there is no question") };
    let bar = case.judge.policy().relevance_bar();
    if probability >= bar {
        return Outcome::passed();
    }
    let reason = format!("the sources answer the question with probability {probability:.2}, below {bar:.2}");
    let finding =
        finding(CheckName::ContextRelevance.as_str(), "the sources may not answer the question", None);
    Outcome::with(CheckStatus::Flagged, reason, vec![finding])
}

/// Figures of the answer that the given facts do not hold.
fn numbers(case: &Case<'_>) -> Outcome {
    let terms = case.judge.terms();
    let mut known = Analysed::new(&terms.extra_context, language::detect(&terms.extra_context)).quantities;
    for source in &terms.sources {
        known.extend(Analysed::new(&source.text, language::detect(&source.text)).quantities);
    }
    let spoken = case.parsed.language;
    let (mut any, mut findings) = (false, Vec::new());
    for (unit, claim) in case.parsed.units.iter().zip(&case.parsed.reading.claims) {
        if unit.kind == ClaimKind::Code {
            continue;
        }
        let words = case.judge.index().analyse(&unit.marked_up, language::detect(&unit.marked_up).or(spoken));
        for figure in words.quantities.iter().filter(|figure| !figure.soft) {
            any = true;
            if known.iter().any(|other| figure.equals(other)) {
                continue;
            }
            let tokens = words.tokens.get(figure.first..=figure.last).unwrap_or_default();
            let written: Vec<&str> = tokens.iter().map(|token| token.text.as_str()).collect();
            let detail = format!("{} does not stand in the given facts", written.join(" "));
            findings.push(finding(CheckName::Numbers.as_str(), detail, Some(claim.span)));
        }
    }
    match (any, findings.len()) {
        (false, _) => Outcome::absent("there is no figure"),
        (true, 0) => Outcome::passed(),
        (true, n) => {
            Outcome::with(CheckStatus::Flagged, counted(n, "unknown figure", "unknown figures"), findings)
        }
    }
}

// === Names ===

/// Whether a name exists, or why nobody knows.
fn exists<'c>(case: &'c Case<'_>, name: &str) -> Result<bool, &'c str> {
    if case.judge.sources_are_all() {
        // No index is asked; a language may know the name all the same.
        let known = case.facts.known.as_deref().unwrap_or_default();
        return Ok(known.iter().any(|fact| fact.name == name && fact.exists));
    }
    let known = case.facts.known.as_ref().map_err(String::as_str)?;
    known.iter().find(|fact| fact.name == name).map(|fact| fact.exists).ok_or("not_looked_up")
}

/// Known names that are spelled like an unknown one: those that the index offers, else those of the sources.
fn near(case: &Case<'_>, name: &str) -> String {
    let facts = case.facts.known.as_deref().unwrap_or_default();
    let of_index = facts.iter().find(|fact| fact.name == name).map(|fact| fact.near.clone());
    let near = match of_index.filter(|near| !near.is_empty()) {
        Some(near) => near,
        None => mentions::near(case.judge, name, NEAR),
    };
    match near.iter().take(NEAR).map(String::as_str).collect::<Vec<_>>().split_last() {
        None => String::new(),
        Some((last, [])) => format!("; perhaps {last}"),
        Some((last, others)) => format!("; perhaps {} or {last}", others.join(", ")),
    }
}

fn identifiers(case: &Case<'_>) -> Outcome {
    let mentions = case.mentions();
    let (mut open, mut path, mut findings) = (None, false, Vec::new());
    for mention in mentions.iter().filter(|mention| !mention.cited) {
        match exists(case, &mention.name) {
            Ok(true) => {}
            Ok(false) => {
                path |= mention.path;
                let place = if case.judge.sources_are_all() { "sources" } else { "sources and index" };
                let detail = format!("{} is unknown to {place}{}", mention.name, near(case, &mention.name));
                findings.push(finding(CheckName::Identifiers.as_str(), detail, Some(mention.span)));
            }
            Err(reason) => open = Some(reason.to_owned()),
        }
    }
    let reason = counted(findings.len(), "unknown name", "unknown names");
    match (findings.is_empty(), open) {
        (false, _) if path => Outcome::with(CheckStatus::Failed, reason, findings),
        (false, _) => Outcome::with(CheckStatus::Flagged, reason, findings),
        (true, Some(reason)) => Outcome::new(CheckStatus::NotChecked, reason),
        (true, None) => Outcome::passed(),
    }
}

// === Code ===

/// Findings of blocks that are rejected, and of rejected blocks that stand verbatim in a cited source.
fn invalid(case: &Case<'_>) -> (Vec<Finding>, Vec<Finding>) {
    let (mut rejected, mut quoted) = (Vec::new(), Vec::new());
    for parsed in &case.facts.blocks {
        let span = span(case, parsed);
        match &parsed.status {
            BlockStatus::WrongLanguage(found) => {
                let detail = format!("the program is in {found}, another language than the one asked for");
                rejected.push(finding("wrong_language", detail, span));
            }
            BlockStatus::Invalid => {
                let first = parsed.diagnostics.iter().find(|d| d.severity == assay_domain::Severity::Error);
                let detail = match first {
                    Some(d) => format!(
                        "block {}, line {}: {} ({})",
                        parsed.block.index + 1,
                        d.line,
                        d.message,
                        d.code
                    ),
                    None => format!("block {} is rejected by its parser", parsed.block.index + 1),
                };
                let finding = finding(CheckName::CodeSyntax.as_str(), detail, span);
                if stands_in_a_cited_source(case, parsed) {
                    quoted.push(finding)
                } else {
                    rejected.push(finding)
                }
            }
            BlockStatus::Valid | BlockStatus::NoGrammar | BlockStatus::Unavailable(_) => {}
        }
    }
    (rejected, quoted)
}

/// Where a block stands, in all units, from the claim that is this block.
fn span(case: &Case<'_>, parsed: &ParsedBlock) -> Option<Span> {
    let claims = case.parsed.reading.claims.iter().filter(|claim| claim.kind == ClaimKind::Code);
    let mut holding = claims.filter(|claim| {
        claim.span.byte_start == parsed.block.byte_start
            || (claim.span.byte_start..claim.span.byte_end).contains(&parsed.block.byte_start)
    });
    holding.next().map(|claim| claim.span)
}

fn stands_in_a_cited_source(case: &Case<'_>, parsed: &ParsedBlock) -> bool {
    let tidy = |text: &str| text.trim().lines().map(str::trim_end).collect::<Vec<_>>().join("\n");
    let code = tidy(&parsed.block.code);
    let terms = case.judge.terms();
    let markers = &case.parsed.reading.citations;
    let cited = |place: usize| markers.iter().any(|citation| citation.marker as usize == place + 1);
    let mut sources = terms.sources.iter().enumerate();
    !code.is_empty()
        && sources
            .any(|(at, source)| (terms.citations_optional || cited(at)) && tidy(&source.text).contains(&code))
}

fn code_syntax(case: &Case<'_>) -> Outcome {
    let terms = case.judge.terms();
    let blocks = &case.facts.blocks;
    if blocks.is_empty() {
        return match case.parsed.reading.blocks.len() {
            0 => Outcome::absent("there is no code"),
            // The parser looked and found nothing that is a program.
            _ => Outcome::absent("there is no program in the code blocks"),
        };
    }
    let (rejected, quoted) = invalid(case);
    if !rejected.is_empty() {
        let reason = counted(rejected.len(), "block is rejected", "blocks are rejected");
        let first = terms.attempt == Attempt::First;
        let status = if first { CheckStatus::Failed } else { CheckStatus::Flagged };
        return Outcome { notes: quoted, ..Outcome::with(status, reason, rejected) };
    }
    if !quoted.is_empty() {
        let reason = "a block is rejected, but stands so in a cited source";
        return Outcome::with(CheckStatus::Flagged, reason, quoted);
    }
    let unavailable = blocks.iter().find_map(|parsed| match &parsed.status {
        BlockStatus::Unavailable(reason) => Some(reason.clone()),
        _ => None,
    });
    if let Some(reason) = unavailable {
        return Outcome::new(CheckStatus::NotChecked, reason);
    }
    if blocks.iter().any(|parsed| parsed.status == BlockStatus::NoGrammar) {
        let weightless = terms.query_type != QueryType::CodeGeneration;
        return Outcome { weightless, ..Outcome::new(CheckStatus::NotChecked, "no_grammar") };
    }
    Outcome::passed()
}
