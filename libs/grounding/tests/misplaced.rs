//! Claims that cite a source which does not hold them.

use assay_domain::evidence::{Source, SourceKind};
use assay_domain::report::ClaimStatus;
use assay_grounding::SourceIndex;
use assay_grounding::support::{Judged, Support};

const POOL: &str = "The pool opens four connections at start. An idle connection closes after nine minutes.";
const BREAD: &str = "Bread rises for two hours in a warm kitchen. Salt slows the yeast.";

/// Judges a claim that cites some of two sources, from 0.
fn judge(claim: &str, cited: &[usize]) -> Judged {
    let sources = [POOL, BREAD].map(|text| Source::given(text[..5].to_owned(), SourceKind::Doc, text, 1));
    let index = SourceIndex::new(&sources);
    let cited: Vec<_> = cited.iter().map(|source| (*source, None)).collect();
    Support::new(&index, "", 0.5, None).judge(claim, &cited)
}

#[test]
fn what_another_source_says_is_cited_wrongly() {
    let claim = "An idle connection of the pool closes after nine minutes.";
    let judged = judge(claim, &[1]);
    assert_eq!(judged.status, ClaimStatus::SupportedElsewhere, "{}", judged.reason);
    assert_eq!(judged.reason, "source 1 supports it, the cited one does not");
    assert_eq!(judged.source, Some(0));
    for cited in [&[0][..], &[0, 1], &[1, 0]] {
        assert_eq!(judge(claim, cited).status, ClaimStatus::Supported, "{cited:?}");
    }
}

#[test]
fn what_no_source_says_is_supported_nowhere_whatever_it_cites() {
    for cited in [&[][..], &[0], &[1], &[0, 1]] {
        let changed = judge("An idle connection of the pool closes after seven minutes.", cited);
        assert!(
            matches!(changed.status, ClaimStatus::Contradicted | ClaimStatus::Unsupported),
            "{cited:?}: {:?} {}",
            changed.status,
            changed.reason
        );
        let foreign = judge("The glacier of the northern valley lost its longest tongue that summer.", cited);
        assert_eq!(foreign.status, ClaimStatus::Unsupported, "{cited:?}: {}", foreign.reason);
    }
}
