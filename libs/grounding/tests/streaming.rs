//! A draft that is checked while it grows says what it says when it is read from its start each time; and a check that is
//! stopped says nothing, while one that is not says what it always does.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::cell::Cell;

use assay_domain::code::{BlockStatus, ParsedBlock};
use assay_domain::{Source, SourceKind};
use assay_grounding::judge::CheckedSegment;
use assay_grounding::{
    Facts, Judge, Policy, ResumePoint, Scores, Segment, Segmenter, Terms, policy, reading,
};
use proptest::prelude::*;

/// Pieces of drafts; a draft is some of them one behind the other.
const PIECES: &[&str] = &[
    "The pool opens four connections at start [^1]. ",
    "It closes them after 90 seconds. ",
    "It closes them after 30 seconds [^2:1].",
    "They are never closed [^2]. ",
    "\n\n",
    "\n",
    "\n\nThe gateway does not log requests. ",
    "\n\nEl grupo abre cuatro conexiones [^1]. ",
    "[^1]",
    "\n\n[^2]\n\n",
    "[^9] ",
    "[^0] ",
    "\n\n## Limits\n\n",
    "\n\nLimits\n===\n\n",
    "\n\n- the pool opens five connections [^1]\n- the worker retries\n",
    "\n\n1. first\n\n   still first [^1]\n2. second\n\n",
    "\n\n| what | how many |\n|---|---|\n| connections | five [^1] |\n\n",
    "\n\na | b\n:-|-:\nfive | [^2]\n\n",
    "\n\n```python\nx = 1\n\n",
    "\n```\n\n",
    "\n\n~~~\nThe pool opens\n\nfive connections [^1]\n~~~\n\n",
    "\n\n- item\n\n  ```\n  code\n\n",
    "\n\n    indented = code\n\n",
    "\n\n> The pool opens five connections [^1].\n> It stops.\n\n",
    "<b>bold</b> ",
    "<!-- ",
    " -->\n\n",
    "\n\n[^1]: a definition [^2]\n\n",
    "\n\n[link]: /url\n\n",
    "See [link] and `code`. ",
    "`open ",
    "\"The pool opens\n\nfive",
    "Ñandú 😀 ",
    "~~five~~ ",
    "~~",
    "![The pool opens five connections](a.png \"It is full\") ",
    "![](https://a.b/c) ",
    "\n\n    indented <script>\n\n",
    "\n\n# The pool is full\n\n",
    "\r\n",
    "  ",
];

fn judge() -> Judge {
    let sources = [
        "The pool opens four connections at start and closes them after 90 seconds. The worker retries failed jobs.",
        "The gateway logs every request. Idle connections are closed after 90 seconds.",
    ];
    let sources = sources
        .iter()
        .zip(1..)
        .map(|(text, number)| Source::given(number.to_string(), SourceKind::Doc, *text, 1));
    let terms = Terms { attach: true, ..Terms::new("How many connections?", sources.collect()) };
    Judge::new(terms, Policy::shipped(policy::DEFAULT).unwrap())
}

/// Cuts at characters near some steps, again and again.
fn cut<'t>(text: &'t str, steps: &[usize]) -> Vec<&'t str> {
    let (mut parts, mut at) = (Vec::new(), 0);
    for step in steps.iter().cycle() {
        if at >= text.len() {
            break;
        }
        let end = (at + step..=text.len()).find(|end| text.is_char_boundary(*end)).unwrap_or(text.len());
        parts.push(&text[at..end]);
        at = end;
    }
    parts
}

/// What a parser says of the blocks of a draft.
fn parsed(so_far: &str, rejects: bool) -> Vec<ParsedBlock> {
    let status = |block: &assay_domain::code::Block| {
        if rejects && block.code.contains("x = 1") { BlockStatus::Invalid } else { BlockStatus::Valid }
    };
    let blocks = reading::read(so_far, 2).blocks;
    blocks
        .into_iter()
        .map(|block| ParsedBlock { status: status(&block), block, diagnostics: Vec::new() })
        .collect()
}

/// Feeds a draft and holds both ways of reading it against one another, and what is said of the whole in the end, with what
/// was found on the way, against what is said of it at once.
fn both_alike(judge: &Judge, draft: &str, steps: &[usize], rejects: bool) -> Vec<CheckedSegment> {
    // One that does not know what the other found.
    let fresh = self::judge();
    let (mut gate, mut resume, mut text, mut all) =
        (Segmenter::new(), ResumePoint::default(), String::new(), Vec::new());
    let mut closed = |closed: Vec<Segment>, text: &str, resume: &mut ResumePoint| {
        let Some(last) = closed.last() else { return };
        let so_far = &text[..last.range.end];
        let blocks = parsed(so_far, rejects);
        let whole = fresh.segments(so_far, &closed, &blocks);
        let behind = judge.segments_behind(resume, so_far, &closed, &blocks, &Scores::default(), &|| false);
        assert_eq!(Some(&whole), behind.as_ref(), "{so_far:?}");
        all.extend(whole);
    };
    for delta in cut(draft, steps) {
        text.push_str(delta);
        closed(gate.push(delta), &text, &mut resume);
    }
    closed(gate.finish(), &text, &mut resume);
    let facts = Facts { blocks: parsed(&text, rejects), ..Facts::default() };
    assert_eq!(judge.judge(&text, &facts), fresh.judge(&text, &facts), "{text:?}");
    all
}

#[test]
fn a_draft_of_many_paragraphs_is_checked_as_a_whole() {
    let draft = PIECES.join("The worker retries failed jobs [^1].\n\nThe pool opens five connections.\n\n");
    let checked = both_alike(&judge(), &draft, &[1, 7, 30, 2], false);
    assert!(checked.iter().any(|segment| !segment.passed) && checked.iter().any(|segment| segment.passed));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(160))]
    #[test]
    fn a_growing_draft_reads_as_the_whole_one(
        pieces in proptest::collection::vec(proptest::sample::select(PIECES), 1..16),
        steps in proptest::collection::vec(1_usize..40, 1..5),
        rejects in proptest::bool::ANY,
    ) {
        both_alike(&judge(), &pieces.concat(), &steps, rejects);
    }

    #[test]
    fn a_check_that_nobody_stops_says_what_it_always_says(
        pieces in proptest::collection::vec(proptest::sample::select(PIECES), 1..10),
        after in 0_usize..12,
    ) {
        let (judge, answer, facts) = (judge(), pieces.concat(), Facts::default());
        let asked = Cell::new(0);
        let count = || { asked.set(asked.get() + 1); false };
        prop_assert_eq!(judge.judge_unless(&judge.read(answer.as_str()), &facts, &count), Some(judge.judge(&answer, &facts)));
        // Stopped after some claims it says nothing, and asks no further.
        let (all, asked) = (asked.get(), Cell::new(0));
        let stop = || { asked.set(asked.get() + 1); asked.get() > after };
        let report = judge.judge_unless(&judge.read(answer.as_str()), &facts, &stop);
        prop_assert_eq!(report.is_some(), after >= all);
        prop_assert_eq!(asked.get(), all.min(after + 1));
    }
}
