//! What of a record is kept: the answer policy, and which records wait for a reviewer. Pure.

use assay_domain::Outcome;
use assay_domain::record::Record;
use assay_domain::report::Verdict;
use assay_domain::verdict;
use assay_ledger::record::{Digests, Parts, split};
use assay_ledger::{Hash, Salt, salted_digest};

/// The verdict of a record; none where nothing was judged.
#[must_use]
pub fn verdict(record: &Record) -> Option<Verdict> {
    record.validation.as_ref().and_then(|validation| validation.status)
}

/// Whether the text of the answer is kept: always if so configured, else only while a person may have to look at it,
/// or if it is what a model wrote where an abstention was delivered.
#[must_use]
pub fn keeps_text(record: &Record, include_answer: bool) -> bool {
    let withheld = record.outcome == Outcome::Abstained && record.validation.is_some();
    include_answer || withheld || matches!(verdict(record), Some(Verdict::Review | Verdict::Reject))
}

/// The two texts of a record as policy keeps it. Where no text is kept, digests are salted and claims, which are words
/// of the answer, are replaced by `salted-sha256:` and their digest.
#[must_use]
pub fn seal(record: &Record, salt: &Salt, include_answer: bool) -> Parts {
    if keeps_text(record, include_answer) {
        return split(record, Digests::Plain);
    }
    let salted = |sha256: &str, text: &str| -> String {
        if sha256.is_empty() && text.is_empty() {
            return String::new();
        }
        let digest = Hash::from_hex(sha256).unwrap_or_else(|| Hash::of(&[text.as_bytes()]));
        salted_digest(salt, &digest).to_string()
    };
    let mut kept = record.clone();
    kept.answer_sha256 = salted(&record.answer_sha256, &record.answer);
    kept.answer = String::new();
    for attempt in &mut kept.attempts {
        attempt.text_sha256 = salted(&attempt.text_sha256, &attempt.text_sha256);
    }
    for citation in &mut kept.citations {
        if !citation.claim.is_empty() {
            citation.claim = format!("salted-sha256:{}", salted("", &citation.claim));
        }
    }
    split(&kept, Digests::Salted)
}

/// Whether a person should look.
#[must_use]
pub fn waits_for_review(record: &Record) -> bool {
    let validation = record.validation.as_ref();
    validation.is_some_and(|validation| verdict::waits_for_review(validation.status, &validation.checks))
}

/// Whether an answer that passed is drawn for review: a share of them, chosen by the id, which nobody chooses.
#[must_use]
pub fn drawn_though_passed(record: &Record, share: f64) -> bool {
    let judged = matches!(record.outcome, Outcome::Answered | Outcome::Checked);
    let passed = judged && verdict(record) == Some(Verdict::Pass);
    let chance =
        record.audit_id.as_bytes().iter().skip(8).fold(0_u64, |sum, byte| (sum << 8) | u64::from(*byte));
    passed && (chance & CHANCE) as f64 / ((CHANCE + 1) as f64) < share
}

/// The bits of an id that are chance and fit a number without loss.
const CHANCE: u64 = (1 << 53) - 1;

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;
    use assay_domain::answer::Grounding;
    use assay_domain::record::{RecordedAttempt, RecordedCitation, RecordedValidation};
    use assay_domain::report::{Check, CheckName, CheckStatus};
    use assay_domain::{AuditId, Identity};
    use assay_ledger::record::join;

    fn record(status: Option<Verdict>, checks: Vec<Check>) -> Record {
        let validation = RecordedValidation {
            status,
            citations_validated: 1,
            citations_failed: 0,
            hallucinations_detected: 0,
            confidence_score: None,
            checks,
            models: Vec::new(),
            policy: String::new(),
        };
        let citation = RecordedCitation {
            claim: "the claim".into(),
            source: "page.md".into(),
            line_range: "1-2".into(),
            sha256: Hash::of(&[b"cited"]).to_string(),
            validation_status: "VALID".into(),
            semantic_score: None,
        };
        let attempt = RecordedAttempt {
            number: 1,
            verdict: status,
            defects: Vec::new(),
            text_sha256: Hash::of(&[b"draft"]).to_string(),
            delivered: true,
        };
        Record {
            query: "who is ada@example.com?".into(),
            answer_sha256: Hash::of(&[b"the answer"]).to_string(),
            answer: "the answer".into(),
            validation: Some(validation),
            citations: vec![citation],
            attempts: vec![attempt],
            processing_ms: 1.0,
            validation_ms: 1.0,
            grounding: Grounding::Documentation,
            warnings: vec!["password = \"correcthorse\"".into()],
            ..Record::new(
                AuditId::from_parts(1_790_000_000_000, [1; 10]),
                1_790_000_000_000,
                Identity::local(),
                Outcome::Answered,
            )
        }
    }

    fn check(name: CheckName, status: CheckStatus, reason: &str) -> Check {
        Check { name, status, reason: reason.into(), required: true }
    }

    fn sealed(record: &Record, include_answer: bool) -> (Parts, Record, Digests) {
        let parts = seal(record, &Salt([7; 32]), include_answer);
        let joined = join(&parts.public, Some(&parts.payload)).unwrap();
        (parts, joined.record, joined.digests.unwrap())
    }

    #[test]
    fn a_passed_answer_is_kept_as_salted_digest_only() {
        for status in [Some(Verdict::Pass), None] {
            let (parts, kept, digests) = sealed(&record(status, Vec::new()), false);
            assert_eq!(digests, Digests::Salted);
            assert_eq!(kept.answer, "");
            for text in ["the answer", "the claim"] {
                assert!(!parts.payload.contains(text) && !parts.public.contains(text));
                assert!(!parts.payload.contains(&Hash::of(&[text.as_bytes()]).to_string()));
            }
            assert!(!parts.payload.contains(&Hash::of(&[b"draft"]).to_string()));
            let by_hand = Hash::of(&[&[7; 32], &Hash::of(&[b"the answer"]).0]);
            assert_eq!(kept.answer_sha256, by_hand.to_string(), "who holds the answer can still check it");
            assert_eq!(kept.citations[0].source, "page.md");
            let claim = Hash::of(&[&[7; 32], &Hash::of(&[b"the claim"]).0]);
            assert_eq!(kept.citations[0].claim, format!("salted-sha256:{claim}"));
        }
    }

    #[test]
    fn answers_in_doubt_keep_their_text_and_evidence() {
        for (status, include) in [(Verdict::Review, false), (Verdict::Reject, false), (Verdict::Pass, true)] {
            let original = record(Some(status), Vec::new());
            let (_, kept, digests) = sealed(&original, include);
            assert_eq!(kept, original);
            assert_eq!(digests, Digests::Plain);
        }
    }

    #[test]
    fn what_a_model_wrote_before_an_abstention_is_kept() {
        let abstained = Record { outcome: Outcome::Abstained, ..record(None, Vec::new()) };
        let (_, kept, digests) = sealed(&abstained, false);
        assert_eq!((kept, digests), (abstained.clone(), Digests::Plain));
        let undrafted = Record { validation: None, ..abstained };
        assert_eq!(sealed(&undrafted, false).1.answer, "");
    }

    #[test]
    fn every_free_text_is_redacted() {
        let mut full = record(
            Some(Verdict::Review),
            vec![check(CheckName::Identifiers, CheckStatus::Flagged, "ada@example.com is unknown")],
        );
        full.answer = "write to ada@example.com".into();
        full.citations[0].claim = "ada@example.com answers".into();
        full.errors = vec!["from ada@example.com".into()];
        full.warnings.push("ada@example.com".into());
        let (parts, _, _) = sealed(&assay_redact::record(full), false);
        assert!(!parts.payload.contains("ada@") && !parts.public.contains("ada@"), "{parts:?}");
        assert!(!parts.payload.contains("correcthorse"));
        assert!(parts.payload.contains("who is [redacted:email]?"));
    }

    #[test]
    fn doubtful_answers_are_queued_except_for_disabled_code_checks_alone() {
        let disabled = check(CheckName::CodeSyntax, CheckStatus::NotChecked, "disabled");
        let no_grammar = check(CheckName::CodeSyntax, CheckStatus::NotChecked, "no_grammar");
        let flagged = check(CheckName::ContentMatch, CheckStatus::Flagged, "differs");
        let waits = |status, checks: &[&Check]| {
            waits_for_review(&record(status, checks.iter().map(|check| (*check).clone()).collect()))
        };
        assert!(!waits(None, &[]));
        assert!(!waits(Some(Verdict::Pass), &[]));
        assert!(waits(Some(Verdict::Reject), &[&disabled]));
        assert!(waits(Some(Verdict::Review), &[&flagged]));
        assert!(waits(Some(Verdict::Review), &[&no_grammar]));
        assert!(waits(Some(Verdict::Review), &[&disabled, &flagged]));
        assert!(!waits(Some(Verdict::Review), &[&disabled]));
    }
}
