//! What was checked, what failed, what was not checked, and the verdict over all of it.

use crate::code::ParsedBlock;
use crate::evidence::LineRange;
use crate::names::named;

named! {
    /// The first draft of a request, or the one retry it may spend (RC-08): a type, not a counter.
    pub enum Attempt {
        /// A retry is still possible.
        First = "FIRST",
        /// The budget is spent.
        Retry = "RETRY",
    }
}

named! {
    /// The checks of contract §4.
    pub enum CheckName {
        /// Malformed or out-of-range markers, unclosed fence.
        CitationSyntax = "citation_syntax",
        /// Factual claims without a citation.
        CitationCoverage = "citation_coverage",
        /// A cited source, path or id that the index does not hold.
        SourceExists = "source_exists",
        /// Cited lines that are zero, reversed or beyond the end.
        LineRange = "line_range",
        /// A quotation that differs from its source.
        ContentMatch = "content_match",
        /// Whether the cited lines say what the claim says.
        ClaimSupport = "claim_support",
        /// Paths, symbols and commands nobody knows.
        Identifiers = "identifiers",
        /// Code that its parser rejects.
        CodeSyntax = "code_syntax",
        /// Context that does not answer the question.
        ContextRelevance = "context_relevance",
        /// Figures that the given facts do not hold.
        Numbers = "numbers",
        /// Active content, remote images and links that run code.
        Markup = "markup",
    }
}

named! {
    /// Result of a check. Not checked is never a pass.
    pub enum CheckStatus {
        /// Nothing wrong was found.
        Passed = "PASSED",
        /// It fails the answer where the check is required.
        Failed = "FAILED",
        /// A person should look.
        Flagged = "FLAGGED",
        /// There was nothing to check.
        NotApplicable = "NOT_APPLICABLE",
        /// It could not be checked; the reason says why.
        NotChecked = "NOT_CHECKED",
    }
}

/// One check with its result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// Which check.
    pub name: CheckName,
    /// Its result.
    pub status: CheckStatus,
    /// Why, in a sentence or a stable word; empty when passed.
    pub reason: String,
    /// Whether the query type requires it (else it only flags).
    pub required: bool,
}

named! {
    /// The one verdict of an answer.
    pub enum Verdict {
        /// Every required check passed or did not apply, one of content passed, and nothing was flagged.
        Pass = "PASS",
        /// A flag, a required check that was not checked, or no check of content that passed.
        Review = "REVIEW",
        /// A required check failed.
        Reject = "REJECT",
    }
}

named! {
    /// What a claim is; only factual ones are judged.
    pub enum ClaimKind {
        /// A statement that can be true or false.
        Factual = "factual",
        /// Talk about the answer itself.
        Meta = "meta",
        /// A question.
        Question = "question",
        /// An honest "the sources do not say".
        Refusal = "refusal",
        /// A code block.
        Code = "code",
    }
}

named! {
    /// Whether the evidence says what the claim says.
    pub enum ClaimStatus {
        /// A cited source supports it.
        Supported = "SUPPORTED",
        /// Another source, or other lines than the cited ones, support it.
        SupportedElsewhere = "SUPPORTED_ELSEWHERE",
        /// No source supports it.
        Unsupported = "UNSUPPORTED",
        /// A source says something else, for a named reason.
        Contradicted = "CONTRADICTED",
        /// It was not judged; the reason says why.
        NotChecked = "NOT_CHECKED",
        /// It is not a factual claim.
        NotApplicable = "NOT_APPLICABLE",
    }
}

/// A stretch of the answer in three units; ends are exclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Span {
    /// First UTF-8 byte.
    pub byte_start: usize,
    /// Byte after the last.
    pub byte_end: usize,
    /// First UTF-16 unit.
    pub utf16_start: usize,
    /// UTF-16 unit after the last.
    pub utf16_end: usize,
    /// First Unicode scalar value.
    pub char_start: usize,
    /// Scalar value after the last.
    pub char_end: usize,
}

/// Lines of a source that bear on a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    /// Position in the answer's source list, from 1.
    pub source: u32,
    /// Lines of the file.
    pub lines: LineRange,
    /// The sentence or sentences.
    pub text: String,
}

/// A claim of the answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    /// Its words, markers left out.
    pub text: String,
    /// Where it stands.
    pub span: Span,
    /// What it is.
    pub kind: ClaimKind,
    /// Whether it is supported.
    pub status: ClaimStatus,
    /// Probability that it is supported, 0 to 1; none where it was not judged.
    pub support: Option<f64>,
    /// Indices into the report's citations.
    pub citations: Vec<u32>,
    /// What was held against it, best first.
    pub evidence: Vec<Evidence>,
    /// Why the status is what it is; names the mismatch of a contradiction.
    pub reason: String,
    /// What decided it: `copy`, `rule REASON`, `trees` or `reader NAME`; empty where nothing was judged.
    pub decided_by: String,
}

/// The reader that was at hand for the claims of an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelUse {
    /// What it is: `reader`.
    pub kind: String,
    /// Its name, with its version where one is known: `NAME@VERSION`.
    pub name: String,
    /// SHA-256 of the model file, lower-case hex; empty for a served one.
    pub sha256: String,
    /// Whether its bars were measured; a reader nobody measured counts for less, and never contradicts.
    pub fitted: bool,
    /// Pairs of a claim and a window that it was asked about, segments of the draft included.
    pub asked: u32,
    /// Those of which it said something.
    pub answered: u32,
}

named! {
    /// Who set a citation.
    pub enum CitationOrigin {
        /// It stood in the draft.
        Written = "WRITTEN",
        /// It was attached because one source clearly supports the claim.
        Attached = "ATTACHED",
    }
}

named! {
    /// How a citation resolves against the indexed bytes.
    pub enum Resolution {
        /// The bytes are there, at these lines.
        Exact = "EXACT",
        /// The bytes are in the file, at other lines.
        Moved = "MOVED",
        /// The bytes are gone.
        Dangling = "DANGLING",
        /// It was not looked up.
        NotChecked = "NOT_CHECKED",
    }
}

/// A marker `[^N]` of the answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Citation {
    /// The number as written.
    pub marker: u32,
    /// The marker text, brackets included.
    pub text: String,
    /// Where it stands.
    pub span: Span,
    /// Narrowing to lines, as written.
    pub lines: Option<LineRange>,
    /// Whether the source list has this number.
    pub in_range: bool,
    /// Index of the claim it belongs to.
    pub claim: Option<u32>,
    /// Written or attached.
    pub origin: CitationOrigin,
    /// How it resolves.
    pub resolution: Resolution,
}

named! {
    /// What can be wrong with the form of citations.
    pub enum DefectKind {
        /// A marker whose body is no number.
        Malformed = "malformed",
        /// A number that the source list does not have.
        OutOfRange = "out_of_range",
        /// A code fence that never closes.
        UnclosedFence = "unclosed_fence",
        /// An HTML comment that never closes.
        UnclosedHtml = "unclosed_html",
    }
}

/// A defect of form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Defect {
    /// Which kind.
    pub kind: DefectKind,
    /// Where it stands.
    pub span: Span,
    /// What is wrong, in a sentence.
    pub detail: String,
}

/// An error or warning for the reader, in text order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// A defect kind or a check name.
    pub kind: String,
    /// What is wrong, in a sentence.
    pub detail: String,
    /// Where, if it has a place.
    pub span: Option<Span>,
}

/// Everything that the checks said about one attempt.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// The verdict.
    pub verdict: Verdict,
    /// Calibrated probability that every claim is supported; none if nothing was judged.
    pub support: Option<f64>,
    /// Every check, in the order of [`CheckName::ALL`].
    pub checks: Vec<Check>,
    /// Claims, in text order.
    pub claims: Vec<Claim>,
    /// Citations, in text order.
    pub citations: Vec<Citation>,
    /// Defects of form, in text order.
    pub defects: Vec<Defect>,
    /// Code blocks with what their parser said.
    pub blocks: Vec<ParsedBlock>,
    /// Calibrated probability that the sources can answer the question; none without a question.
    pub context_relevance: Option<f64>,
    /// What failed, in text order.
    pub errors: Vec<Finding>,
    /// What was flagged or not checked, in text order.
    pub warnings: Vec<Finding>,
    /// The text after attaching and removing citations; equals the draft where nothing changed.
    pub text: String,
    /// Sentences whose own checks passed, as well-formed Markdown.
    pub partial_response: String,
    /// What to tell the generator for its one retry; empty if the verdict is no rejection.
    pub retry_prompt: String,
    /// What the reader can do; empty if the verdict is no rejection.
    pub suggestion: String,
    /// Models that were at hand for its claims.
    pub models: Vec<ModelUse>,
}

impl Report {
    /// The check with this name.
    #[must_use]
    pub fn check(&self, name: CheckName) -> Option<&Check> {
        self.checks.iter().find(|check| check.name == name)
    }

    /// Number of checks with this status.
    #[must_use]
    pub fn count(&self, status: CheckStatus) -> usize {
        self.checks.iter().filter(|check| check.status == status).count()
    }
}
