//! Models that are asked about what words leave open: whom they are asked about, what a word changes and what it cannot.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use assay_domain::report::{CheckName, CheckStatus, ClaimStatus, Report, Verdict};
use assay_domain::{Source, SourceKind};
use assay_grounding::join::{Join, Said};
use assay_grounding::scores::{Missing, Stretch, Who};
use assay_grounding::{Facts, Judge, Policy, ResumePoint, Scorer, Scores, Segmenter, Terms};

const IMPORT: &str = "The importer reads CSV files from the inbox folder. It skips empty rows and stops after ten errors.\n\
                      Reports land in the archive shortly after midnight.";
/// Claims in other words, of which the fitted trees are not sure.
const UNSURE: &str = "The importing job takes comma-separated files that lie in a folder for incoming data [^1]. \
                      Once around ten faults have come up, the run is over [^1].";
const COPIED: &str =
    "The importer reads CSV files from the inbox folder [^1]. It stops after ninety errors [^1].";
const DIGEST: &str = "ab12";

const YES: Said = Said::Three { entailment: 5.0, neutral: 0.0, contradiction: -5.0 };
const OPEN: Said = Said::Three { entailment: -2.0, neutral: 4.0, contradiction: -2.0 };
const NO: Said = Said::Three { entailment: -5.0, neutral: 0.0, contradiction: 5.0 };

/// Words count a little, the model much; contradiction is sure from 3 above the mean.
fn join() -> Join {
    let text = r#"{"model": "AB12", "name": "small", "terms": [{"of": "own", "weight": 0.3},
        {"of": "entailment", "weight": 1.0}], "bias": 0.0, "ask": {"from": 0.0, "to": 1.0},
        "bars": {"fr_1": 0.3, "fr_3": 0.4, "fr_5": 0.5},
        "contradiction": {"of": "contradiction", "above": 3.0, "precision": 0.95, "fired": 30},
        "fitted_on": {"pairs": 100, "supported": 50, "sha256": ""}}"#;
    Join::parse(text).unwrap()
}

fn fitted() -> Scorer {
    Scorer::of_file(Who::Entailment, "small", DIGEST, Some(join()))
}

fn unfitted() -> Scorer {
    Scorer::of_file(Who::Entailment, "small", DIGEST, None)
}

fn judge(scorers: Vec<Scorer>) -> Judge {
    let mut source = Source::given("docs/import.md", SourceKind::Doc, IMPORT, 1);
    source.path = "docs/import.md".into();
    source.language = "en".into();
    let terms = Terms {
        context_relevance: Some(0.99),
        sources_only: true,
        ..Terms::new("How does the importer work?", vec![source])
    };
    Judge::new(terms, Policy::shipped("balanced").unwrap()).asking(scorers)
}

/// Every question of the entailment model answered alike.
fn scored(judge: &Judge, answer: &str, said: &Result<Said, Missing>) -> Scores {
    let mut scores = Scores::default();
    for ask in judge.asks(&judge.read(answer), &scores, &|| false).unwrap().entailment {
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
fn fitted_model_decides_open_claims_and_names_its_sentence() {
    let judge = judge(vec![fitted()]);
    let asks = judge.asks(&judge.read(UNSURE), &Scores::default(), &|| false).unwrap();
    assert_eq!(asks.entailment.len(), 2);
    assert_eq!(asks.entailment[0].evidence.len(), 1, "one sentence each");
    for (said, expected, told) in [
        (YES, ClaimStatus::Supported, ""),
        (OPEN, ClaimStatus::Unsupported, "entailment: not said by"),
        (NO, ClaimStatus::Contradicted, "entailment: the source says"),
    ] {
        let report = report(&judge, UNSURE, scored(&judge, UNSURE, &Ok(said)));
        assert_eq!(statuses(&report), [expected; 2], "{:#?}", report.claims);
        for (own, ask) in judge.open_pairs(UNSURE) {
            let (claim, joined) = (&report.claims[ask.claim], join().probability(own, said));
            assert_eq!(claim.support, joined, "the join of the fit decides");
            assert_eq!(claim.decided_by, "entailment small");
            assert!(claim.reason.starts_with(told), "{claim:?}");
            assert!(claim.evidence[0].text.contains(&ask.evidence[0].text), "{claim:?}");
            assert!(expected == ClaimStatus::Supported || claim.reason.contains(ask.evidence[0].text.trim()));
        }
        assert_eq!(report.verdict == Verdict::Reject, expected != ClaimStatus::Supported);
    }
}

#[test]
fn claims_decided_by_copy_or_rule_are_not_asked() {
    let judge = judge(vec![fitted(), Scorer::judge(8)]);
    let asks = judge.asks(&judge.read(COPIED), &Scores::default(), &|| false).unwrap();
    assert_eq!((asks.entailment.len(), asks.judge.len(), asks.spans.len()), (0, 0, 0), "{asks:#?}");
    let report = report(&judge, COPIED, Scores::default());
    assert_eq!(statuses(&report), [ClaimStatus::Supported, ClaimStatus::Unsupported]);
    let by: Vec<&str> = report.claims.iter().map(|claim| claim.decided_by.as_str()).collect();
    assert_eq!(by, ["copy", "rule number"]);
    assert_eq!(report.models.iter().map(|used| used.asked).collect::<Vec<_>>(), [0, 0]);
}

#[test]
fn unflagged_claims_between_the_bars_are_asked_first() {
    let plain = report(&judge(vec![]), UNSURE, Scores::default());
    let own: Vec<f64> = plain.claims.iter().map(|claim| claim.support.unwrap()).collect();
    let within = |from: f64, to: f64| {
        let mut join = join();
        (join.ask.from, join.ask.to) = (from, to);
        let judge = judge(vec![Scorer { join: Some(join), ..fitted() }]);
        judge.asks(&judge.read(UNSURE), &Scores::default(), &|| false).unwrap()
    };
    let all = within(0.0, 1.0).entailment;
    let flagged: Vec<bool> =
        all.iter().map(|ask| plain.claims[ask.claim].status == ClaimStatus::Unsupported).collect();
    assert!(flagged.is_sorted(), "{flagged:?}");
    let (low, high) = (own[0].min(own[1]), own[0].max(own[1]));
    assert!(low < high);
    assert_eq!(within(low, f64::midpoint(low, high)).entailment.len(), 1);
    assert_eq!(within(high + 0.001, 1.0).entailment.len(), 0);
}

#[test]
fn an_unfitted_model_flags_and_decides_nothing() {
    let answer = "Reports appear in the archive soon after midnight [^1].";
    let judge = judge(vec![unfitted()]);
    let plain = report(&self::judge(vec![]), answer, Scores::default());
    assert_eq!((plain.verdict, statuses(&plain)), (Verdict::Pass, vec![ClaimStatus::Supported]));
    let report = report(&judge, answer, scored(&judge, answer, &Ok(NO)));
    assert_eq!(statuses(&report), statuses(&plain));
    assert_eq!((report.verdict, support(&report)), (Verdict::Review, CheckStatus::Flagged));
    let told = report.warnings.iter().any(|finding| finding.detail.contains("small (unfitted)"));
    assert!(told, "{:?}", report.warnings);
    let fine = self::report(&judge, answer, scored(&judge, answer, &Ok(YES)));
    assert_eq!((fine.verdict, fine.claims), (plain.verdict, plain.claims));
}

#[test]
fn a_join_of_another_file_does_not_count() {
    let other = Scorer::of_file(Who::Entailment, "small", "cd34", Some(join()));
    assert_eq!(other.join, None);
    assert!(fitted().join.is_some(), "the digest is compared without regard to case");
}

#[test]
fn missing_score_is_reported_and_never_a_pass() {
    let answer = "Reports appear in the archive soon after midnight [^1].";
    let judge = judge(vec![fitted()]);
    for (scores, reason) in [
        (Scores::default(), "not_asked"),
        (scored(&judge, answer, &Err(Missing::OutOfTime)), "deadline_exceeded"),
        (scored(&judge, answer, &Err(Missing::Failed("model_failed".into()))), "model_failed"),
    ] {
        let report = report(&judge, answer, scores);
        assert_eq!(statuses(&report), [ClaimStatus::Supported], "words decide");
        assert_eq!((report.verdict, support(&report)), (Verdict::Review, CheckStatus::NotChecked));
        let check = report.check(CheckName::ClaimSupport).unwrap();
        assert!(check.reason.contains("NOT_CHECKED by entailment small") && check.reason.contains(reason));
    }
}

#[test]
fn claims_are_scored_once_in_an_attempt() {
    let judge = judge(vec![fitted()]);
    let scores = scored(&judge, UNSURE, &Ok(YES));
    assert_eq!(scores.asked(Who::Entailment), (2, 2));
    let again = judge.asks(&judge.read(format!("{UNSURE} Reports are quick.")), &scores, &|| false).unwrap();
    assert!(again.entailment.iter().all(|ask| ask.text.contains("quick")), "{again:#?}");
}

#[test]
fn contradicted_segment_is_held_and_its_score_is_reused() {
    let judge = judge(vec![fitted()]);
    let answer = format!("{UNSURE}\n\nReports appear in the archive soon after midnight [^1].\n");
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
    assert_eq!(scores.asked(Who::Entailment), (3, 3));
    assert_eq!(judge.asks(&judge.read(answer.as_str()), &scores, &|| false).unwrap().entailment, []);
    assert_eq!(report(&judge, &answer, scores).verdict, Verdict::Reject);
}

#[test]
fn model_contradiction_removes_an_attached_marker() {
    let answer = "Reports appear in the archive shortly after midnight.";
    let terms = |scorers| {
        let judge = judge(scorers);
        Judge::new(
            Terms { attach: true, ..judge.terms().clone() },
            Policy::parse("attach_bar = 0.1").unwrap(),
        )
    };
    let plain = report(&terms(vec![]), answer, Scores::default());
    assert!(plain.text.contains("[^1]"), "{plain:#?}");
    let judge = terms(vec![]).asking([fitted()]);
    let turned = report(&judge, answer, scored(&judge, answer, &Ok(NO)));
    assert_eq!((turned.text.as_str(), statuses(&turned)), (answer, vec![ClaimStatus::Contradicted]));
}

#[test]
fn flagged_stretches_of_the_answer_become_the_reason() {
    let own = || {
        let text = r#"{"model": "ab12", "name": "tokens", "terms": [{"of": "own", "weight": 0.3},
            {"of": "flagged", "weight": -1.0}], "bias": 0.0, "ask": {"from": 0.0, "to": 1.0},
            "bars": {"fr_1": 0.3, "fr_3": 0.4, "fr_5": 0.5},
            "fitted_on": {"pairs": 100, "supported": 50, "sha256": ""}}"#;
        Join::parse(text).unwrap()
    };
    let answer = "Reports appear in the archive soon after midnight [^1].";
    for (join, expected) in [(Some(own()), ClaimStatus::Unsupported), (None, ClaimStatus::Supported)] {
        let judge = judge(vec![Scorer::of_file(Who::Spans, "tokens", DIGEST, join)]);
        let asks = judge.asks(&judge.read(answer), &Scores::default(), &|| false).unwrap();
        assert_eq!(asks.spans, [IMPORT], "the source is read whole");
        let start = answer.find("soon").unwrap();
        let mut scores = Scores::default();
        scores.take_stretches(Ok(vec![Stretch { bytes: start..start + 19, probability: 0.97 }]));
        let report = report(&judge, answer, scores);
        assert_eq!(statuses(&report), [expected]);
        assert!(report.verdict != Verdict::Pass);
        let told = report.errors.iter().chain(&report.warnings);
        assert!(
            told.into_iter().any(|finding| finding.detail.contains("soon after midnight")),
            "{report:#?}"
        );
    }
}

#[test]
fn language_model_is_asked_last_about_open_claims() {
    let judge = judge(vec![Scorer::judge(8), fitted()]);
    let mut scores =
        scored(&judge, UNSURE, &Ok(Said::Three { entailment: 0.0, neutral: 0.0, contradiction: 0.0 }));
    let asks = judge.asks(&judge.read(UNSURE), &scores, &|| false).unwrap();
    assert!(!asks.judge.is_empty() && asks.entailment.is_empty(), "{asks:#?}");
    for said in [true, false] {
        for ask in &asks.judge {
            scores.take(ask, Ok(Said::Answer(said)));
        }
        let report = report(&judge, UNSURE, scores.clone());
        for ask in &asks.judge {
            let claim = &report.claims[ask.claim];
            assert_eq!(claim.status == ClaimStatus::Supported, said, "{claim:?}");
            assert!(claim.reason.starts_with("judge: "), "{claim:?}");
        }
    }
    assert_eq!(judge.asks(&judge.read(UNSURE), &scores, &|| false).unwrap().judge, [], "one call an attempt");
    let one =
        self::judge(vec![Scorer::judge(1)]).asks(&judge.read(UNSURE), &Scores::default(), &|| false).unwrap();
    assert!(one.judge.len() <= 1);
}

#[test]
fn cross_language_claims_go_to_the_language_model() {
    let answer = "El importador se detiene después de diez errores y omite las filas que están vacías [^1].";
    let judge = judge(vec![fitted(), Scorer::judge(8)]);
    let plain = report(&judge, answer, Scores::default());
    assert_eq!(statuses(&plain), [ClaimStatus::NotChecked], "{:?}", plain.claims);
    let asks = judge.asks(&judge.read(answer), &Scores::default(), &|| false).unwrap();
    assert_eq!((asks.entailment.len(), asks.judge.len()), (0, 1));
    for (said, expected) in [(true, ClaimStatus::Supported), (false, ClaimStatus::Unsupported)] {
        let mut scores = Scores::default();
        scores.take(&asks.judge[0], Ok(Said::Answer(said)));
        assert_eq!(statuses(&report(&judge, answer, scores)), [expected]);
    }
}
