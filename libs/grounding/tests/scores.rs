//! The reader that is asked about what words leave open: what it is asked about, what a reading changes and what it cannot.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use assay_domain::reader::{ReaderIdentity, Reading};
use assay_domain::report::{CheckName, CheckStatus, ClaimStatus, Report, Verdict};
use assay_domain::{Source, SourceKind};
use assay_grounding::scores::Missing;
use assay_grounding::{Facts, Judge, Policy, ResumePoint, Scorer, Scores, Segmenter, Terms};

const IMPORT: &str = "The importer reads CSV files from the inbox folder. It skips empty rows and stops after ten errors.\n\
                      Reports land in the archive shortly after midnight.";
/// Claims in other words, of which the fitted trees are not sure.
const UNSURE: &str = "The importing job takes comma-separated files that lie in a folder for incoming data [^1]. \
                      Once around ten faults have come up, the run is over [^1].";
const COPIED: &str =
    "The importer reads CSV files from the inbox folder [^1]. It stops after ninety errors [^1].";
const PASSING: &str = "Reports appear in the archive soon after midnight [^1].";

const YES: Reading = Reading { says: 0.98, open: 0.01, denies: 0.01 };
const OPEN: Reading = Reading { says: 0.01, open: 0.98, denies: 0.01 };
const NO: Reading = Reading { says: 0.005, open: 0.005, denies: 0.99 };

/// The reader that ships, by its digest.
fn shipped() -> Scorer {
    let sha256 = "09fa1f41b710347c22846f905e9bbd88fce888ed7043907cfb87f6def51f1f0d".to_owned();
    let (kind, name) = ("in_box".to_owned(), "small".to_owned());
    Scorer::new(ReaderIdentity { kind, name, version: "1".to_owned(), sha256 })
}

fn unmeasured() -> Scorer {
    Scorer::new(ReaderIdentity { name: "small".to_owned(), ..ReaderIdentity::default() })
}

fn judge(scorer: Option<Scorer>) -> Judge {
    let mut source = Source::given("docs/import.md", SourceKind::Doc, IMPORT, 1);
    source.path = "docs/import.md".into();
    source.language = "en".into();
    let terms = Terms {
        context_relevance: Some(0.99),
        sources_only: true,
        ..Terms::new("How does the importer work?", vec![source])
    };
    Judge::new(terms, Policy::shipped("balanced").unwrap()).asking(scorer)
}

/// Every question to the reader answered alike.
fn scored(judge: &Judge, answer: &str, said: &Result<Reading, Missing>) -> Scores {
    let mut scores = Scores::default();
    for ask in judge.asks(&judge.read(answer), &scores, &|| false).unwrap() {
        scores.take(&ask, said.clone());
    }
    scores
}

fn report(judge: &Judge, answer: &str, scores: Scores) -> Report {
    judge.judge(answer, &Facts { scores, ..Facts::default() })
}

fn statuses(report: &Report) -> Vec<ClaimStatus> {
    report.claims.iter().map(|claim| claim.status).collect()
}

fn support(report: &Report) -> CheckStatus {
    report.check(CheckName::ClaimSupport).unwrap().status
}

#[test]
fn reader_decides_open_claims_and_names_its_window() {
    let judge = judge(Some(shipped()));
    for (said, expected, told) in [
        (YES, ClaimStatus::Supported, ""),
        (OPEN, ClaimStatus::Unsupported, "reader: not said by"),
        (NO, ClaimStatus::Contradicted, "reader: the source says"),
    ] {
        let report = report(&judge, UNSURE, scored(&judge, UNSURE, &Ok(said)));
        assert_eq!(statuses(&report), [expected; 2], "{:#?}", report.claims);
        let open = judge.open_pairs(UNSURE);
        assert_eq!(open.len(), 2);
        for (_, asks) in open {
            let claim = &report.claims[asks[0].claim];
            assert_eq!(claim.decided_by, "reader small");
            assert!(claim.reason.starts_with(told), "{claim:?}");
            let shown =
                |text: &str| claim.evidence.iter().any(|evidence| evidence.text.contains(text.trim()));
            assert!(asks.iter().any(|ask| shown(&ask.window.text)), "{claim:?}");
        }
        assert_eq!(report.verdict == Verdict::Reject, expected != ClaimStatus::Supported);
    }
}

#[test]
fn claims_decided_by_copy_or_rule_are_not_asked() {
    let judge = judge(Some(shipped()));
    assert_eq!(judge.asks(&judge.read(COPIED), &Scores::default(), &|| false).unwrap(), []);
    let report = report(&judge, COPIED, Scores::default());
    assert_eq!(statuses(&report), [ClaimStatus::Supported, ClaimStatus::Unsupported]);
    let by: Vec<&str> = report.claims.iter().map(|claim| claim.decided_by.as_str()).collect();
    assert_eq!(by, ["copy", "rule number"]);
    assert_eq!(report.models.iter().map(|used| used.asked).collect::<Vec<_>>(), [0]);
}

#[test]
fn unflagged_claims_are_asked_first() {
    let plain = report(&judge(None), UNSURE, Scores::default());
    let judge = judge(Some(shipped()));
    let asks = judge.asks(&judge.read(UNSURE), &Scores::default(), &|| false).unwrap();
    let flagged: Vec<bool> =
        asks.iter().map(|ask| plain.claims[ask.claim].status == ClaimStatus::Unsupported).collect();
    assert!(!flagged.is_empty() && flagged.is_sorted(), "{flagged:?}");
}

#[test]
fn an_unmeasured_reader_counts_for_less_and_never_contradicts() {
    let judge = judge(Some(unmeasured()));
    let denied = report(&judge, UNSURE, scored(&judge, UNSURE, &Ok(NO)));
    assert!(statuses(&denied).iter().all(|status| *status != ClaimStatus::Contradicted));
    assert!(!denied.models[0].fitted);
    let lifted = report(&judge, UNSURE, scored(&judge, UNSURE, &Ok(YES)));
    let sure = report(&self::judge(Some(shipped())), UNSURE, scored(&judge, UNSURE, &Ok(YES)));
    for (one, other) in lifted.claims.iter().zip(&sure.claims) {
        assert!(one.support.unwrap() < 0.97 && other.support.is_some(), "{one:?}");
    }
}

#[test]
fn missing_reading_is_reported_and_never_a_pass() {
    let judge = judge(Some(shipped()));
    for (scores, reason) in [
        (Scores::default(), "NOT_CHECKED(not_asked)"),
        (
            scored(&judge, PASSING, &Err(Missing::Failed("reader_timeout".into()))),
            "NOT_CHECKED(reader_timeout)",
        ),
    ] {
        let report = report(&judge, PASSING, scores);
        assert_eq!(statuses(&report), [ClaimStatus::Supported], "words decide");
        assert_eq!((report.verdict, support(&report)), (Verdict::Review, CheckStatus::NotChecked));
        let check = report.check(CheckName::ClaimSupport).unwrap();
        assert!(check.reason.contains(reason), "{}", check.reason);
    }
}

#[test]
fn pairs_are_read_once_in_an_attempt() {
    let judge = judge(Some(shipped()));
    let scores = scored(&judge, UNSURE, &Ok(YES));
    let (asked, answered) = scores.asked();
    assert!(asked >= 2 && asked == answered);
    let again = judge.asks(&judge.read(format!("{UNSURE} Reports are quick.")), &scores, &|| false).unwrap();
    assert!(again.iter().all(|ask| ask.text.contains("quick")), "{again:#?}");
}

#[test]
fn contradicted_segment_is_held_and_its_reading_is_reused() {
    let judge = judge(Some(shipped()));
    let answer = format!("{UNSURE}\n\n{PASSING}\n");
    let (mut gate, mut resume, mut scores) = (Segmenter::new(), ResumePoint::default(), Scores::default());
    let mut segments = gate.push(&answer);
    segments.extend(gate.finish());
    let mut passed = Vec::new();
    for segment in segments {
        let so_far = &answer[..segment.range.end];
        let closed = [segment];
        let asks = judge.segment_asks(&resume, so_far, &closed, &scores, &|| false).unwrap();
        for ask in asks {
            scores.take(&ask, Ok(if ask.text.contains("faults") { NO } else { YES }));
        }
        let none = &|| false;
        let checked = judge.segments_behind(&mut resume, so_far, &closed, &[], &scores, none).unwrap();
        passed.extend(checked.into_iter().map(|checked| (checked.passed, checked.text)));
    }
    let wrong: Vec<&String> = passed.iter().filter(|(passed, _)| !passed).map(|(_, text)| text).collect();
    assert!(wrong.len() == 1 && wrong[0].contains("faults"), "{passed:#?}");
    assert_eq!(judge.asks(&judge.read(answer.as_str()), &scores, &|| false).unwrap(), []);
    assert_eq!(report(&judge, &answer, scores).verdict, Verdict::Reject);
}

#[test]
fn reader_contradiction_removes_an_attached_marker() {
    let answer = "Reports appear in the archive shortly after midnight.";
    let terms = |scorer| {
        let judge = judge(scorer);
        let terms = Terms { attach: true, ..judge.terms().clone() };
        Judge::new(terms, Policy::parse("attach_bar = 0.1").unwrap())
    };
    let plain = report(&terms(None), answer, Scores::default());
    assert!(plain.text.contains("[^1]"), "{plain:#?}");
    let judge = terms(None).asking(Some(shipped()));
    let turned = report(&judge, answer, scored(&judge, answer, &Ok(NO)));
    assert_eq!((turned.text.as_str(), statuses(&turned)), (answer, vec![ClaimStatus::Contradicted]));
}

#[test]
fn claims_in_another_language_are_lifted_and_never_rejected() {
    let answer = "El importador se detiene después de diez errores y omite las filas que están vacías [^1].";
    let plain = report(&judge(None), answer, Scores::default());
    assert_eq!(statuses(&plain), [ClaimStatus::NotChecked], "{:?}", plain.claims);
    let judge = judge(Some(shipped()));
    let asks = judge.asks(&judge.read(answer), &Scores::default(), &|| false).unwrap();
    assert!(asks.iter().any(|ask| ask.window.text.contains("stops after ten errors")), "{asks:#?}");
    for (said, expected) in
        [(YES, ClaimStatus::Supported), (OPEN, ClaimStatus::NotChecked), (NO, ClaimStatus::NotChecked)]
    {
        assert_eq!(statuses(&report(&judge, answer, scored(&judge, answer, &Ok(said)))), [expected]);
    }
}
