//! What remains of an answer: nothing that failed, everything that stands, and Markdown that reads as it was meant.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeSet;

use assay_domain::code::{BlockStatus, ParsedBlock};
use assay_domain::report::{ClaimKind, ClaimStatus, Report};
use assay_domain::{Source, SourceKind};
use assay_grounding::{Facts, Judge, Policy, Terms, reading};
use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser, Tag};

const IMPORT: &str = "The importer reads CSV files from the inbox folder. It skips empty rows and stops after ten errors.\n\
                      Call `open()` before `close()`. Reports & logs land in the archive_folder shortly after midnight.";
const LIMITS: &str = "A file may hold at most 5000 rows. Larger files are refused with an error.";

fn judged(answer: &str) -> Report {
    let sources = vec![
        Source::given("a.md", SourceKind::Doc, IMPORT, 1),
        Source::given("b.md", SourceKind::Doc, LIMITS, 1),
    ];
    let terms = Terms { sources_only: true, ..Terms::new("", sources) };
    let parse = |block: assay_domain::code::Block| {
        let status = if block.code.contains("bad") { BlockStatus::Invalid } else { BlockStatus::Valid };
        ParsedBlock { block, status, diagnostics: Vec::new() }
    };
    let blocks = reading::read(answer, 2).blocks.into_iter().map(parse).collect();
    Judge::new(terms, Policy::shipped("balanced").unwrap())
        .judge(answer, &Facts { blocks, ..Facts::default() })
}

/// Claims of a text that state something, as they read.
fn stated(text: &str) -> BTreeSet<String> {
    let claims = reading::read(text, 2).claims;
    claims.into_iter().filter(|claim| claim.kind == ClaimKind::Factual).map(|claim| claim.text).collect()
}

fn with_status(report: &Report, passing: bool) -> BTreeSet<String> {
    let claims = report.claims.iter().filter(|claim| claim.kind == ClaimKind::Factual);
    claims
        .filter(|claim| (claim.status == ClaimStatus::Supported) == passing)
        .map(|claim| claim.text.clone())
        .collect()
}

#[test]
fn a_table_keeps_its_head_and_the_rows_that_stand() {
    let answer = "| what | how many |\n|---|---|\n| rows | A file may hold at most 5000 rows [^2] |\n\
                  | errors | A file may hold at most 9000 rows [^2] |\n";
    let report = judged(answer);
    assert_eq!(
        report.partial_response,
        "| what | how many |\n|---|---|\n| rows | A file may hold at most 5000 rows [^2] |",
        "{:#?}",
        report.claims
    );
}

#[test]
fn lists_headings_and_programs_keep_their_form() {
    let answer = "# Import\n\nIt reads and limits:\n\n1. The importer reads CSV files from the inbox folder [^1].\n\
                  2. A file may hold at most 9000 rows [^2].\n\n## Dead\n\nThe archive is 9 years old [^1].\n\n## Call\n\n\
                  ~~~x`y\ngood\n~~~\n\n```avap\nbad\n```\n";
    let report = judged(answer);
    assert_eq!(
        report.partial_response,
        "# Import\n\nIt reads and limits:\n\n- The importer reads CSV files from the inbox folder [^1].\n\n## Call\n\n```xy\ngood\n```"
    );
}

#[test]
fn only_the_last_of_consecutive_lead_ins_stays() {
    let report = judged(
        "The parts are:\n\n- A file may hold at most 9000 rows [^2].\n\nThe calls are:\n\n```avap\ngood\n```\n",
    );
    assert_eq!(report.partial_response, "The calls are:\n\n```avap\ngood\n```");
    let report =
        judged("The parts are:\n  - It skips empty rows [^1]\nThe parts are:\n\n```avap\ngood\n```\n");
    assert_eq!(report.partial_response, "It skips empty rows The parts are:\n\n```avap\ngood\n```");
}

#[test]
fn marks_of_markdown_in_words_stay_words() {
    for (answer, kept) in [
        (
            "Reports & logs land in the archive_folder shortly after midnight [^1].",
            "Reports \\& logs land in the archive\\_folder shortly after midnight [^1].",
        ),
        ("**Call** `open()` before `close()` [^1].", "Call `open()` before `close()` [^1]."),
        (
            "[A file](https://x.org/a) may hold at most *5000* rows [^2].",
            "A file may hold at most 5000 rows [^2].",
        ),
    ] {
        assert_eq!(judged(answer).partial_response, kept);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn partial_text_keeps_passed_sentences_and_their_sense(
        parts in prop::collection::vec(prop::sample::select(vec![
            "The importer reads CSV files from the inbox folder [^1]. ", "A file may hold at most 5000 rows [^2]. ",
            "A file may hold at most 9000 rows [^2]. ", "The archive is made of green cheese [^1]. ", "\n\n", "\n",
            "\n- A file may hold at most 5000 rows [^2].\n", "\n  - It skips empty rows [^1]\n", "\n1. Call `open()` before `close()` [^1].\n",
            "\n> Larger files are refused with an error [^2].\n", "\n\n# Head *one*\n\n", "\n\n```avap\ngood\n```\n\n", "\n\n```avap\nbad\n```\n\n",
            "\n\n~~~a`b\ngood `x` ```` y\n~~~\n\n", "\n\n| a | b_c |\n|---|---|\n| x | A file may hold at most 5000 rows [^2] |\n| y | A file may hold at most 9000 rows [^2] |\n\n",
            "**A file may hold** at most *5000 rows* [^2]. ", "[A file](x.md) may hold at most 5000 rows [^2]. ",
            "The sources do not say more. ", "The parts are:", "\n\n[^1]: a note\n\n", "[^9] ", "[^0] ", "<b>", "`", "Reports & logs land in the archive_folder shortly after midnight [^1]. ",
            "<!-- note -->", "1. ", "~~ ", "\\* ",
        ]), 0..14),
    ) {
        let answer = parts.concat();
        let report = judged(&answer);
        let partial = &report.partial_response;
        let again = reading::read(partial, 2);
        prop_assert!(again.defects.is_empty(), "{partial:?}: {:?}", again.defects);
        // Nothing that failed remains, nothing is there that was not said.
        let (said, stands, fails) = (stated(partial), with_status(&report, true), with_status(&report, false));
        prop_assert!(said.is_subset(&stands), "{answer:?}\n{partial:?}\n{said:?}\n{stands:?}");
        prop_assert!(said.is_disjoint(&(&fails - &stands)));
        // Every marker belongs to a claim and is among the sources.
        for citation in &again.citations {
            prop_assert!(citation.in_range && citation.claim.is_some(), "{partial:?}");
        }
        // The words carry no markup of their own, and no program stands there that was not accepted.
        for event in Parser::new_ext(partial, Options::ENABLE_TABLES) {
            let plain = !matches!(
                event,
                Event::Start(Tag::Emphasis | Tag::Strong | Tag::Link { .. } | Tag::Image { .. } | Tag::HtmlBlock)
                    | Event::Html(_) | Event::InlineHtml(_) | Event::FootnoteReference(_)
            );
            prop_assert!(plain, "{answer:?}\n{partial:?}\n{event:?}");
        }
        prop_assert!(again.blocks.iter().all(|block| !block.code.contains("bad")), "{partial:?}");
    }
}
