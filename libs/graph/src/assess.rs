//! What the graph needs of a report: how it ranks, whether it asks for a retry, whether it is an honest refusal.

use assay_domain::code::BlockStatus;
use assay_domain::question::QueryType;
use assay_domain::report::{CheckName, CheckStatus, ClaimKind, Report, Verdict};

/// A report in the numbers that decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Assessment {
    /// The verdict.
    pub verdict: Verdict,
    /// Failed checks.
    pub fails: u32,
    /// Rejected code blocks, wrong language included.
    pub invalid: u32,
    /// Flagged checks.
    pub flags: u32,
    /// Checks that could not run.
    pub unchecked: u32,
    /// Whether there is any code.
    pub has_code: bool,
    /// Whether the code check failed the draft.
    pub code_failed: bool,
    /// Whether the text says that there is no answer, and nothing else.
    pub refusal: bool,
}

impl Assessment {
    /// Reads a report.
    #[must_use]
    pub fn of(report: &Report) -> Self {
        let count = |status| u32::try_from(report.count(status)).unwrap_or(u32::MAX);
        let rejected =
            |status: &BlockStatus| matches!(status, BlockStatus::Invalid | BlockStatus::WrongLanguage(_));
        let invalid = report.blocks.iter().filter(|block| rejected(&block.status)).count();
        Self {
            verdict: report.verdict,
            fails: count(CheckStatus::Failed),
            invalid: u32::try_from(invalid).unwrap_or(u32::MAX),
            flags: count(CheckStatus::Flagged),
            unchecked: count(CheckStatus::NotChecked),
            has_code: report.blocks.iter().any(|block| block.status != BlockStatus::Plain),
            code_failed: report.check(CheckName::CodeSyntax).is_some_and(|c| c.status == CheckStatus::Failed),
            refusal: only_refuses(report),
        }
    }

    /// Whether this attempt is strictly worse than `other` by (fails, invalid blocks, flags, unchecked), in that
    /// order; for `CODE_GENERATION` a draft without code ranks below valid and above invalid code.
    #[must_use]
    pub fn worse_than(&self, other: &Self, kind: QueryType) -> bool {
        self.rank(kind) > other.rank(kind)
    }

    /// Lower is better.
    fn rank(&self, kind: QueryType) -> (u32, u64, u32, u32) {
        let missing = kind == QueryType::CodeGeneration && !self.has_code;
        let blocks = u64::from(self.invalid) * 2 + u64::from(missing);
        (self.fails, blocks, self.flags, self.unchecked)
    }
}

/// What no plain refusal holds: a fence, a link, an address.
const MORE: [&str; 5] = ["```", "~~~", "](", "://", "www."];

/// Whether a text refuses and does nothing else. An empty text states nothing either.
fn only_refuses(report: &Report) -> bool {
    let refuses = report.claims.iter().any(|claim| claim.kind == ClaimKind::Refusal);
    (refuses || report.text.trim().is_empty())
        && report.claims.iter().all(|claim| matches!(claim.kind, ClaimKind::Refusal | ClaimKind::Meta))
        && report.blocks.is_empty()
        && report.count(CheckStatus::Failed) == 0
        && !MORE.iter().any(|mark| report.text.contains(mark))
}
