//! A report of `assay check` as text: the verdict, every claim, and where a person asks for it why.

use std::collections::HashSet;

use assay_domain::Report;
use assay_domain::report::{Citation, CitationOrigin, Claim, ClaimKind, ClaimStatus, Evidence, ModelUse};
use owo_colors::Style;

use super::{checks, one_line, paint, shown, verdict_style};

/// Words of a claim that are named where no passage holds them.
const NAMED: usize = 6;

/// Prints a report. `paths` are those of the sources, in their order; a source without one has an empty path.
///
/// With `explain` every claim says why it has its status, and is followed by the passages it was held against.
pub fn report(report: &Report, paths: &[String], explain: bool) {
    println!("{}", paint(report.verdict.as_str(), verdict_style(report.verdict)));
    checks(report);
    let faint = Style::new().dimmed();
    if explain && report.claims.iter().any(|claim| claim.support.is_some()) {
        let note =
            "The number before a claim is the calibrated probability, 0 to 1, that the sources bear it out.";
        println!("\n{}", paint(note, faint));
    }
    for (number, claim) in report.claims.iter().enumerate() {
        let support = claim.support.map_or("    –".to_owned(), |s| format!("{s:5.2}"));
        let status = paint(&format!("{:19}", claim.status.as_str()), status_style(claim.status));
        if explain {
            println!();
        }
        println!("  {support} {status} {}", one_line(&claim.text));
        if explain {
            explained(report, claim, number, paths);
        } else if !claim.reason.is_empty() {
            println!("        {}", shown(&claim.reason));
        }
    }
    for used in report.models.iter().filter(|_| explain) {
        println!("\n{}", paint(&shown(&model(used)), faint));
    }
    let contradicted = report.claims.iter().any(|claim| claim.status == ClaimStatus::Contradicted);
    if explain && contradicted {
        let note = "A contradiction is found by a rule, or by a model that is sure, and stands whatever the number before it is.";
        println!("\n{}", paint(note, faint));
    }
    // What is wrong with a claim's support stands with the claim.
    let others: Vec<_> = report
        .errors
        .iter()
        .chain(&report.warnings)
        .filter(|finding| finding.kind != "claim_support" || finding.span.is_none())
        .collect();
    if explain && !others.is_empty() {
        println!();
    }
    for finding in others {
        println!("  {}: {}", finding.kind, shown(&finding.detail));
    }
}

/// Why a claim has its status: the reason, its markers, and what it was held against, best first.
fn explained(report: &Report, claim: &Claim, number: usize, paths: &[String]) {
    let faint = Style::new().dimmed();
    let line =
        |label: &str, text: &str| println!("        {} {}", paint(&format!("{label:8}"), faint), shown(text));
    line("why", &why(claim));
    if !claim.decided_by.is_empty() {
        line("by", &decided(claim));
    }
    let own = |citation: &&Citation| citation.claim.is_some_and(|claim| claim as usize == number);
    let marks: Vec<String> = report
        .citations
        .iter()
        .filter(own)
        .map(|citation| match citation.origin {
            CitationOrigin::Attached => format!("{} (attached)", citation.text),
            CitationOrigin::Written => citation.text.clone(),
        })
        .collect();
    if !marks.is_empty() {
        line("cites", &marks.join(" "));
    } else if claim.kind == ClaimKind::Factual {
        line("cites", "nothing");
    }
    let label = match claim.status {
        ClaimStatus::Supported | ClaimStatus::SupportedElsewhere => "source",
        ClaimStatus::Contradicted => "against",
        _ => "nearest",
    };
    for evidence in &claim.evidence {
        line(label, &format!("{} {}", place(evidence, paths), one_line(&evidence.text)));
    }
}

/// Where a passage stands: file and lines as editors take them, and the source's number.
fn place(evidence: &Evidence, paths: &[String]) -> String {
    let (source, lines) = (evidence.source, evidence.lines);
    let index = usize::try_from(source).ok().and_then(|number| number.checked_sub(1));
    match index.and_then(|index| paths.get(index)).filter(|path| !path.is_empty()) {
        Some(path) if lines.first == lines.last => format!("{path}:{} [^{source}]", lines.first),
        Some(path) => format!("{path}:{lines} [^{source}]"),
        None => format!("[^{source}:{lines}]"),
    }
}

/// What decided a claim, with the probability where it was one.
fn decided(claim: &Claim) -> String {
    let certain = claim.decided_by == "copy" || claim.decided_by.starts_with("rule ");
    match claim.support.filter(|_| !certain) {
        Some(support) => format!("{} {support:.2}", claim.decided_by),
        None => claim.decided_by.clone(),
    }
}

/// A model that was at hand: what it is, its digest, and of how many claims it said something.
fn model(used: &ModelUse) -> String {
    let fitted = if used.fitted { "" } else { ", unfitted: it only flags" };
    let digest: String = used.sha256.chars().take(12).collect();
    let digest = if digest.is_empty() { digest } else { format!(" (sha256 {digest}…{fitted})") };
    let name =
        if used.name == used.kind { used.kind.clone() } else { format!("{} {}", used.kind, used.name) };
    format!("{name}{digest}: asked about {}, answered {}", used.asked, used.answered)
}

/// The reason of a status in words, also where the report gives none.
fn why(claim: &Claim) -> String {
    if !claim.reason.is_empty() {
        return claim.reason.clone();
    }
    let told = match (claim.kind, claim.status) {
        (ClaimKind::Meta, _) => "talk about the answer itself; not judged",
        (ClaimKind::Question, _) => "a question; not judged",
        (ClaimKind::Refusal, _) => "says that the sources do not say; not judged",
        (ClaimKind::Code, _) => "a program; its parser accepts it",
        (ClaimKind::Factual, ClaimStatus::Supported) => return held(claim),
        (ClaimKind::Factual, ClaimStatus::NotApplicable | ClaimStatus::NotChecked) => {
            "there was nothing to hold it against"
        }
        (ClaimKind::Factual, _) => "no source says it",
    };
    told.to_owned()
}

/// How a passage supports a claim: by its words, or by others; then those that it does not have are named, for a person
/// to look at.
fn held(claim: &Claim) -> String {
    let words = |text: &str| -> Vec<String> {
        text.split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(str::to_lowercase)
            .collect()
    };
    let evidence: HashSet<String> = claim.evidence.iter().flat_map(|part| words(&part.text)).collect();
    let mut missing = words(&claim.text);
    missing.retain(|word| !evidence.contains(word));
    let mut seen = HashSet::new();
    missing.retain(|word| seen.insert(word.clone()));
    if missing.is_empty() {
        return "the source has all of its words".to_owned();
    }
    let more = if missing.len() > NAMED { " …" } else { "" };
    missing.truncate(NAMED);
    format!("the source is taken to say it in other words; it does not have: {}{more}", missing.join(", "))
}

fn status_style(status: ClaimStatus) -> Style {
    match status {
        ClaimStatus::Supported => Style::new().green(),
        ClaimStatus::SupportedElsewhere | ClaimStatus::NotChecked => Style::new().yellow(),
        ClaimStatus::Unsupported | ClaimStatus::Contradicted => Style::new().red().bold(),
        ClaimStatus::NotApplicable => Style::new().dimmed(),
    }
}
