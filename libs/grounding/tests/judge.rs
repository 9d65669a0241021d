//! The judgement of whole answers: checks, verdicts, attaching, removing, retry prompts, segments.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use assay_domain::code::{Block, BlockStatus, Category, Diagnostic, ParsedBlock, Severity};
use assay_domain::report::{
    Attempt, CheckName, CheckStatus, CitationOrigin, ClaimStatus, Report, Resolution, Verdict,
};
use assay_domain::{QueryType, Source, SourceKind};
use assay_grounding::judge::Fact;
use assay_grounding::{Facts, Judge, Policy, Segmenter, Terms, reading};
use proptest::prelude::*;

const IMPORT: &str = "The importer reads CSV files from the inbox folder. It skips empty rows and stops after ten errors.\n\
                      Reports land in the archive shortly after midnight.";
const LIMITS: &str = "A file may hold at most 5000 rows. Larger files are refused with an error.";

fn doc(path: &str, text: &str) -> Source {
    let mut source = Source::given(path, SourceKind::Doc, text, 10);
    source.path = path.to_owned();
    source.language = "en".into();
    source
}

fn terms() -> Terms {
    let sources = vec![doc("docs/import.md", IMPORT), doc("docs/limits.md", LIMITS)];
    Terms {
        context_relevance: Some(0.99),
        sources_only: true,
        ..Terms::new("How does the importer work?", sources)
    }
}

fn judge(terms: Terms) -> Judge {
    Judge::new(terms, Policy::shipped("balanced").unwrap())
}

fn report(terms: Terms, answer: &str) -> Report {
    judge(terms).judge(answer, &Facts::default())
}

fn status(report: &Report, name: CheckName) -> CheckStatus {
    report.check(name).unwrap().status
}

fn kinds(report: &Report) -> Vec<&str> {
    report.errors.iter().map(|finding| finding.kind.as_str()).collect()
}

#[test]
fn a_cited_and_supported_answer_passes() {
    let answer =
        "The importer reads CSV files from the inbox folder [^1]. A file may hold at most 5000 rows [^2].";
    let report = report(terms(), answer);
    assert_eq!(report.verdict, Verdict::Pass, "{:#?}", report.checks);
    assert!(report.claims.iter().all(|claim| claim.status == ClaimStatus::Supported));
    assert!(report.citations.iter().all(|citation| citation.resolution == Resolution::Exact));
    assert!(report.support.unwrap() > 0.5);
    assert_eq!((report.text.as_str(), report.retry_prompt.as_str()), (answer, ""));
}

#[test]
fn every_check_is_reported_once_and_in_order() {
    for query_type in QueryType::ALL {
        let report = report(Terms { query_type: *query_type, ..terms() }, "It works. [^1]");
        let names: Vec<CheckName> = report.checks.iter().map(|check| check.name).collect();
        assert_eq!(names, CheckName::ALL);
    }
}

#[test]
fn marker_out_of_range_rejects_and_retry_names_the_range() {
    let report = report(terms(), "The importer reads CSV files from the inbox folder [^7].");
    assert_eq!(report.verdict, Verdict::Reject);
    assert_eq!(kinds(&report), ["out_of_range"]);
    assert!(report.retry_prompt.contains("Valid markers are [^1] to [^2]."), "{}", report.retry_prompt);
    assert!(!report.suggestion.is_empty());
}

#[test]
fn a_contradiction_rejects_and_what_stands_remains() {
    let answer =
        "The importer reads CSV files from the inbox folder [^1]. A file may hold at most 9000 rows [^2].";
    let report = report(terms(), answer);
    assert_eq!(report.verdict, Verdict::Reject, "{:#?}", report.claims);
    assert_eq!(kinds(&report), ["claim_support"]);
    assert_eq!(report.partial_response, "The importer reads CSV files from the inbox folder [^1].");
}

#[test]
fn uncited_answer_fails_coverage_unless_citations_are_optional() {
    let answer = "The importer reads CSV files from the inbox folder.";
    assert_eq!(status(&report(terms(), answer), CheckName::CitationCoverage), CheckStatus::Failed);
    let free = report(Terms { citations_optional: true, ..terms() }, answer);
    assert_eq!(status(&free, CheckName::CitationCoverage), CheckStatus::NotApplicable);
    assert_eq!(free.verdict, Verdict::Pass, "{:#?}", free.checks);
}

#[test]
fn attaching_adds_only_clearly_supported_citations() {
    let answer =
        "The importer reads CSV files from the inbox folder.\n\n- A file may hold at most 5000 rows.\n";
    let report = report(Terms { attach: true, ..terms() }, answer);
    assert_eq!(
        report.text,
        "The importer reads CSV files from the inbox folder. [^1]\n\n- A file may hold at most 5000 rows. [^2]\n"
    );
    assert!(report.citations.iter().all(|citation| citation.origin == CitationOrigin::Attached));
    assert_eq!(report.verdict, Verdict::Pass, "{:#?}", report.checks);
    for citation in &report.citations {
        assert_eq!(&report.text[citation.span.byte_start..citation.span.byte_end], citation.text);
    }
}

#[test]
fn missing_lines_fail_first_and_are_removed_on_retry() {
    let answer = "The importer reads CSV files from the inbox folder [^1:90-95].";
    let first = report(terms(), answer);
    assert_eq!(status(&first, CheckName::LineRange), CheckStatus::Failed);
    assert_eq!(first.claims[0].status, ClaimStatus::NotChecked);
    assert_eq!(first.citations[0].resolution, Resolution::Dangling);
    let retry = report(Terms { attempt: Attempt::Retry, ..terms() }, answer);
    assert_eq!(retry.text, "The importer reads CSV files from the inbox folder.");
    assert_eq!(status(&retry, CheckName::LineRange), CheckStatus::Flagged);
    assert!(retry.warnings.iter().any(|finding| finding.kind == "citation_removed"));
    assert_eq!(retry.claims[0].status, ClaimStatus::Supported);
}

#[test]
fn cited_lines_must_hold_the_evidence() {
    let good = report(terms(), "Reports land in the archive shortly after midnight [^1:11].");
    assert_eq!(good.verdict, Verdict::Pass, "{:#?}", good.checks);
    let other = report(terms(), "Reports land in the archive shortly after midnight [^1:10].");
    assert_eq!(other.claims[0].status, ClaimStatus::SupportedElsewhere);
    assert_eq!(other.verdict, Verdict::Review);
}

#[test]
fn a_damaged_source_does_not_exist() {
    let answer = "The importer reads CSV files from the inbox folder [^1].";
    let report = judge(terms()).without(vec![0]).judge(answer, &Facts::default());
    assert_eq!(status(&report, CheckName::SourceExists), CheckStatus::Failed);
}

#[test]
fn unknown_path_named_as_source_fails_source_exists() {
    let answer = "According to docs/secret.md, the importer reads CSV files from the inbox folder [^1].";
    assert_eq!(status(&report(terms(), answer), CheckName::SourceExists), CheckStatus::Failed);
    let known = "According to docs/import.md, the importer reads CSV files from the inbox folder [^1].";
    assert_eq!(status(&report(terms(), known), CheckName::SourceExists), CheckStatus::Passed);
}

#[test]
fn unknown_names_flag_and_are_not_checked_when_nobody_answers() {
    let answer =
        "The importer reads CSV files from the inbox folder [^1]. Call `import_all()` for that [^1].";
    let alone = report(terms(), answer);
    assert_eq!(status(&alone, CheckName::Identifiers), CheckStatus::Flagged);
    let open = judge(Terms { sources_only: false, ..terms() });
    let needs = open.needs(&open.read(answer));
    assert_eq!(needs.names, ["import_all"]);
    let down = open.judge(answer, &Facts { known: Err("unavailable".into()), ..Facts::default() });
    let check = down.check(CheckName::Identifiers).unwrap();
    assert_eq!((check.status, check.reason.as_str()), (CheckStatus::NotChecked, "unavailable"));
    let fact = Fact { name: "import_all".into(), exists: true, near: Vec::new() };
    let known = open.judge(answer, &Facts { known: Ok(vec![fact]), ..Facts::default() });
    assert_eq!(status(&known, CheckName::Identifiers), CheckStatus::Passed);
}

#[test]
fn types_that_never_search_ask_for_no_look_up() {
    for query_type in [QueryType::Conversational, QueryType::Platform] {
        let open = judge(Terms { query_type, sources_only: false, ..terms() });
        let needs = open.needs(&open.read("Call `import_all()` as `docs/none.md` says."));
        assert!(needs.names.is_empty() && needs.paths.is_empty());
    }
}

#[test]
fn a_quotation_that_differs_is_flagged() {
    let answer = "The guide says \"it skips broken rows and stops after ten errors\" [^1].";
    let different = report(terms(), answer);
    assert_eq!(status(&different, CheckName::ContentMatch), CheckStatus::Flagged);
    let same = report(terms(), "The guide says \"it skips empty rows and stops after ten errors\" [^1].");
    assert_eq!(status(&same, CheckName::ContentMatch), CheckStatus::Passed);
}

#[test]
fn platform_figures_must_stand_in_the_given_facts() {
    let facts = "plan: pro\nrequests used: 1200 of 5000";
    let platform = |answer: &str| {
        report(
            Terms {
                query_type: QueryType::Platform,
                extra_context: facts.into(),
                sources: Vec::new(),
                ..terms()
            },
            answer,
        )
    };
    assert_eq!(platform("You have used 1,200 of 5,000 requests.").verdict, Verdict::Pass);
    let wrong = platform("You have used 1,300 of 5,000 requests.");
    assert_eq!((wrong.verdict, status(&wrong, CheckName::Numbers)), (Verdict::Review, CheckStatus::Flagged));
}

#[test]
fn low_relevance_flags_only_with_a_question() {
    let answer = "The importer reads CSV files from the inbox folder [^1].";
    let low = report(Terms { context_relevance: Some(0.0), ..terms() }, answer);
    assert_eq!(
        (low.verdict, status(&low, CheckName::ContextRelevance)),
        (Verdict::Review, CheckStatus::Flagged)
    );
    let none = report(Terms { question: String::new(), context_relevance: None, ..terms() }, answer);
    assert_eq!(none.context_relevance, None);
    assert_eq!(status(&none, CheckName::ContextRelevance), CheckStatus::NotApplicable);
}

#[test]
fn without_sources_citation_checks_do_not_apply() {
    let bare = report(
        Terms { sources: Vec::new(), query_type: QueryType::Conversational, ..terms() },
        "Hello there.",
    );
    for name in [
        CheckName::CitationSyntax,
        CheckName::CitationCoverage,
        CheckName::SourceExists,
        CheckName::LineRange,
    ] {
        assert_eq!(status(&bare, name), CheckStatus::NotApplicable, "{name}");
    }
    let empty = report(terms(), "");
    assert_eq!((empty.verdict, empty.context_relevance), (Verdict::Review, Some(0.99)));
}

// === Code ===

fn block(answer: &str, status: BlockStatus) -> ParsedBlock {
    let block: Block = reading::read(answer, 0).blocks[0].clone();
    let diagnostic = Diagnostic {
        line: 1,
        column: 1,
        end_column: 4,
        severity: Severity::Error,
        category: Category::UnknownToken,
        code: "AVAP001".into(),
        message: "unknown command".into(),
        suggestion: Some("addVar".into()),
        help: Some("addVar(name, value)".into()),
    };
    let diagnostics = if status == BlockStatus::Invalid { vec![diagnostic] } else { Vec::new() };
    ParsedBlock { block, status, diagnostics }
}

fn program(attempt: Attempt, status: BlockStatus) -> Report {
    let answer = "```avap\nadVar(x, 1)\n```\n";
    let terms = Terms { query_type: QueryType::CodeGeneration, attempt, ..terms() };
    judge(terms).judge(answer, &Facts { blocks: vec![block(answer, status)], ..Facts::default() })
}

#[test]
fn invalid_code_fails_first_and_never_rejects_by_itself() {
    let first = program(Attempt::First, BlockStatus::Invalid);
    assert_eq!((first.verdict, kinds(&first)), (Verdict::Reject, vec!["code_syntax"]));
    assert!(first.retry_prompt.contains("<parser_feedback>\nblock 1, line 1"), "{}", first.retry_prompt);
    assert!(first.retry_prompt.contains("addVar(name, value)"));
    assert_eq!(program(Attempt::Retry, BlockStatus::Invalid).verdict, Verdict::Review);
    assert_eq!(program(Attempt::First, BlockStatus::Valid).verdict, Verdict::Pass);
}

#[test]
fn another_language_than_the_one_asked_for_fails_first() {
    let report = program(Attempt::First, BlockStatus::WrongLanguage("python".into()));
    assert_eq!((report.verdict, kinds(&report)), (Verdict::Reject, vec!["wrong_language"]));
    assert_eq!(report.retry_prompt.matches("another language").count(), 0, "{}", report.retry_prompt);
    assert!(report.retry_prompt.contains("written in python, which was not asked for"));
}

#[test]
fn code_that_nobody_parsed_is_not_checked() {
    let report = program(Attempt::First, BlockStatus::Unavailable("timeout".into()));
    let check = report.check(CheckName::CodeSyntax).unwrap();
    assert_eq!((check.status, check.reason.as_str()), (CheckStatus::NotChecked, "timeout"));
    assert_eq!(report.verdict, Verdict::Review);
}

#[test]
fn missing_grammar_counts_only_for_code_generation() {
    assert_eq!(program(Attempt::First, BlockStatus::NoGrammar).verdict, Verdict::Review);
    let answer = "The importer reads CSV files from the inbox folder [^1].\n\n```cobol\nSTOP RUN.\n```\n";
    let facts = Facts { blocks: vec![block(answer, BlockStatus::NoGrammar)], ..Facts::default() };
    let report = judge(terms()).judge(answer, &facts);
    assert_eq!(status(&report, CheckName::CodeSyntax), CheckStatus::Flagged, "no source holds the program");
    let mut terms = terms();
    terms.sources.push(Source::given("code", SourceKind::Doc, "Write `STOP RUN.` last.", 1));
    let report = judge(terms).judge(answer, &facts);
    assert_eq!(status(&report, CheckName::CodeSyntax), CheckStatus::NotChecked);
    assert_eq!(report.verdict, Verdict::Pass, "{:#?}", report.checks);
}

#[test]
fn invalid_code_that_a_cited_source_holds_is_flagged() {
    let mut terms = terms();
    terms.sources.push(doc("docs/old.md", "Use this:\n\n```avap\nadVar(x, 1)\n```\n"));
    let answer = "The importer reads CSV files from the inbox folder [^1]. Use this: [^3]\n\n```avap\nadVar(x, 1)\n```\n";
    let facts = Facts { blocks: vec![block(answer, BlockStatus::Invalid)], ..Facts::default() };
    let report = judge(terms).judge(answer, &facts);
    assert_eq!(status(&report, CheckName::CodeSyntax), CheckStatus::Flagged);
}

// === Segments ===

#[test]
fn segments_fail_alone_and_add_up_to_the_text() {
    let judge = judge(Terms { attach: true, ..terms() });
    let answer = "The importer reads CSV files from the inbox folder. A file may hold at most 9000 rows [^2]. Reports land \
                  in the archive shortly after midnight [^9].\n";
    let mut gate = Segmenter::new();
    let mut segments = gate.push(answer);
    segments.extend(gate.finish());
    let together = judge.segments(answer, &segments, &[]);
    let one = |s: &assay_grounding::Segment| {
        judge.segments(&answer[..s.range.end], std::slice::from_ref(s), &[]).remove(0)
    };
    let checked: Vec<_> = segments.iter().map(one).collect();
    assert_eq!(together, checked.clone());
    let passed: Vec<bool> = checked.iter().map(|segment| segment.passed).collect();
    assert_eq!(passed, [true, false, false], "{checked:#?}");
    let text: String = checked.iter().map(|segment| segment.text.as_str()).collect();
    assert_eq!(text, judge.judge(answer, &Facts::default()).text);
    assert!(text.contains("inbox folder. [^1] A file"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn judging_is_total_and_its_spans_fit_the_text(
        parts in prop::collection::vec(prop::sample::select(vec![
            "The importer reads CSV files from the inbox folder. ", "[^1]", "[^2:90]", "[^0]", "[^9]", "\n\n", "- item\n", "```\n",
            "`x. Y`", "| a | b |\n|---|---|\n| 5000 rows | ñ |\n", "# H\n", "**Bold.** ", "\"quoted words stand in here\" ", "🙂", "<!-- x",
            "According to a/b.md, it stops. ",
        ]), 0..12),
        retry in any::<bool>(),
        attach in any::<bool>(),
    ) {
        let attempt = if retry { Attempt::Retry } else { Attempt::First };
        let answer = parts.concat();
        let judge = judge(Terms { attempt, attach, ..terms() });
        let report = judge.judge(&answer, &Facts::default());
        for span in report.claims.iter().map(|c| c.span).chain(report.citations.iter().map(|c| c.span)) {
            prop_assert!(report.text.get(span.byte_start..span.byte_end).is_some());
        }
        prop_assert_eq!(report.checks.len(), CheckName::ALL.len());
        prop_assert_eq!(report.verdict == Verdict::Reject, report.checks.iter().any(|c| c.required && c.status == CheckStatus::Failed));
        prop_assert_eq!(report, judge.judge(&answer, &Facts::default()));
    }
}

#[test]
fn supported_claim_that_loses_its_marker_is_flagged() {
    let answer = "The importer reads CSV files from the inbox folder [^1:90-95].";
    let retry = report(Terms { attempt: Attempt::Retry, ..terms() }, answer);
    let status = |name| retry.check(name).map(|check| check.status);
    assert_eq!(status(CheckName::CitationCoverage), Some(CheckStatus::Passed));
    assert_eq!(status(CheckName::LineRange), Some(CheckStatus::Flagged));
    assert_eq!(retry.verdict, Verdict::Review);
}

#[test]
fn source_number_in_words_must_name_the_supporting_source() {
    let free = || Terms { citations_optional: true, ..terms() };
    let rows: &[(&str, ClaimStatus)] = &[
        ("A file may hold at most 5000 rows (Passage 2).", ClaimStatus::Supported),
        ("According to source 2, a file may hold at most 5000 rows.", ClaimStatus::Supported),
        ("A file may hold at most 5000 rows. (Source 2)", ClaimStatus::Supported),
        ("A file may hold at most 5000 rows (Passages 1 and 2).", ClaimStatus::Supported),
        ("A file may hold at most 5000 rows (Passage 1).", ClaimStatus::SupportedElsewhere),
        ("A file may hold at most 5000 rows. (Passage 1)", ClaimStatus::SupportedElsewhere),
        ("According to document 1, a file may hold at most 5000 rows.", ClaimStatus::SupportedElsewhere),
        ("Source [1] says that a file may hold at most 5000 rows.", ClaimStatus::SupportedElsewhere),
        (
            "According to the first source, a file may hold at most 5000 rows.",
            ClaimStatus::SupportedElsewhere,
        ),
        ("A file may hold at most 5000 rows (Passage 7).", ClaimStatus::SupportedElsewhere),
    ];
    for (answer, expected) in rows {
        let report = report(free(), answer);
        let claim = &report.claims[0];
        assert_eq!(claim.status, *expected, "{answer}: {claim:?}");
        if *expected == ClaimStatus::SupportedElsewhere {
            assert!(claim.reason.starts_with("passage number: "), "{}", claim.reason);
            assert_eq!(status(&report, CheckName::ClaimSupport), CheckStatus::Flagged);
        }
    }
}

#[test]
fn a_source_number_in_spanish_is_held_to_as_well() {
    let sources = [
        doc("docs/a.md", "El importador lee ficheros CSV de la carpeta de entrada y omite las filas vacías."),
        doc("docs/b.md", "Un fichero puede tener como máximo 5000 filas, y los mayores se rechazan."),
    ]
    .map(|source| Source { language: "es".into(), ..source });
    let terms = || Terms { citations_optional: true, sources_only: true, ..Terms::new("", sources.to_vec()) };
    let right = report(terms(), "Según la fuente 2, un fichero puede tener como máximo 5000 filas.");
    assert_eq!(right.claims[0].status, ClaimStatus::Supported, "{:?}", right.claims);
    for answer in [
        "Según la fuente 1, un fichero puede tener como máximo 5000 filas.",
        "Un fichero puede tener como máximo 5000 filas (pasaje 1).",
        "Según el primer pasaje, un fichero puede tener como máximo 5000 filas.",
    ] {
        let wrong = report(terms(), answer);
        assert_eq!(wrong.claims[0].status, ClaimStatus::SupportedElsewhere, "{answer}: {:?}", wrong.claims);
        assert!(wrong.claims[0].reason.starts_with("passage number: "));
    }
}

#[test]
fn passage_numbers_inside_a_source_name_no_source() {
    let sources = vec![
        doc(
            "a.md",
            "passage 1: The importer reads CSV files.\npassage 2: A file may hold at most 5000 rows.",
        ),
        doc("b.md", "Reports land in the archive."),
    ];
    let terms = Terms { citations_optional: true, sources_only: true, ..Terms::new("", sources) };
    let report = report(terms, "A file may hold at most 5000 rows (Passage 2).");
    assert_eq!(report.claims[0].status, ClaimStatus::Supported, "{:?}", report.claims);
}

#[test]
fn beside_a_refusal_only_what_the_sentence_states_is_judged() {
    let free = || Terms { citations_optional: true, ..terms() };
    let right =
        report(free(), "The sources do not say how long it takes, but a file may hold at most 5000 rows.");
    assert_eq!(right.claims[0].status, ClaimStatus::Supported, "{:?}", right.claims);
    let wrong =
        report(free(), "The sources do not say how long it takes, but a file may hold at most 9000 rows.");
    assert_eq!(wrong.claims[0].status, ClaimStatus::Contradicted, "{:?}", wrong.claims);
}

#[test]
fn lines_of_the_editor_are_cited_by_their_name() {
    let mut editor = Source::given(
        "editor",
        SourceKind::Editor,
        "let total = 0;\n// The loop adds every row to the total.\nfor row in rows {}\n",
        1,
    );
    editor.path = "editor".into();
    let with = |editor: Option<&Source>| Terms {
        sources: terms().sources.into_iter().chain(editor.cloned()).collect(),
        ..terms()
    };
    let good = report(with(Some(&editor)), "The loop adds every row to the total (editor:L2).");
    assert_eq!(good.verdict, Verdict::Pass, "{:#?}", good);
    let elsewhere = report(with(Some(&editor)), "The loop adds every row to the total [editor:L1-1].");
    assert_eq!(elsewhere.claims[0].status, ClaimStatus::SupportedElsewhere, "{:?}", elsewhere.claims);
    let beyond = report(with(Some(&editor)), "The loop adds every row to the total (editor:L20-25).");
    assert_eq!(status(&beyond, CheckName::LineRange), CheckStatus::Failed);
    assert_eq!(beyond.claims[0].status, ClaimStatus::NotChecked);
    let reversed = report(with(Some(&editor)), "The loop adds every row to the total (editor:L3-2).");
    assert_eq!(status(&reversed, CheckName::LineRange), CheckStatus::Failed);
    let none = report(with(None), "The loop adds every row to the total (editor:L2).");
    assert_eq!(status(&none, CheckName::SourceExists), CheckStatus::Failed);
    assert_eq!(none.verdict, Verdict::Reject);
}

#[test]
fn a_marker_without_any_source_is_no_better_than_none() {
    let nothing = || Terms { sources: Vec::new(), ..terms() };
    for answer in
        ["The importer reads CSV files.", "The importer reads CSV files [^1].", "It works (editor:L2)."]
    {
        let report = report(nothing(), answer);
        assert_eq!(report.verdict, Verdict::Reject, "{answer}: {:#?}", report.checks);
        for name in [
            CheckName::CitationSyntax,
            CheckName::CitationCoverage,
            CheckName::SourceExists,
            CheckName::LineRange,
        ] {
            assert_eq!(status(&report, name), CheckStatus::NotApplicable, "{answer}: {name}");
        }
    }
}

#[test]
fn unknown_names_come_with_known_ones_that_are_spelled_alike() {
    let mut source =
        doc("docs/api.md", "Call `import_all` or `importAll()` and set `--max-rows` in conf/server.toml.");
    source.language = "en".into();
    let ask = |answer: &str| {
        let terms = Terms { sources: vec![source.clone()], citations_optional: true, ..terms() };
        let report = report(terms, answer);
        report
            .warnings
            .iter()
            .filter(|finding| finding.kind == "identifiers")
            .map(|f| f.detail.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        ask("Call `imprt_all` first."),
        ["imprt_all is unknown to sources; perhaps import_all or importAll"]
    );
    assert_eq!(ask("Set `--max-row` there."), ["--max-row is unknown to sources; perhaps --max-rows"]);
    assert_eq!(
        ask("It is in conf/servr.toml."),
        ["conf/servr.toml is unknown to sources; perhaps conf/server.toml"]
    );
    assert_eq!(ask("Call `zebra_stripes` first."), ["zebra_stripes is unknown to sources"]);
    assert!(ask("Call `import_all` first.").is_empty());
}

#[test]
fn a_pronoun_is_no_reason_against_a_claim() {
    let text = "The importer reads CSV files and stops after ten errors. The exporter writes XML files and stops after fifty errors.";
    let ask = |answer: &str| {
        let terms = Terms {
            citations_optional: true,
            sources_only: true,
            ..Terms::new("", vec![doc("docs/jobs.md", text)])
        };
        report(terms, answer).claims.last().unwrap().clone()
    };
    let right = ask("The importer reads CSV files. It stops after ten errors.");
    assert_eq!(right.status, ClaimStatus::Supported, "{right:?}");
    let right = ask("The exporter writes XML files. It stops after fifty errors.");
    assert_eq!(right.status, ClaimStatus::Supported, "{right:?}");
}

#[test]
fn pure_refusal_adds_no_claim() {
    let support = |answer: &str| report(terms(), answer).support;
    let refusal = "The sources do not say how long an import takes.";
    assert!(support(refusal) > Some(0.9), "{:?}", support(refusal));
    // With a claim beside it the claim counts, and talk alone is neither.
    let beside = format!("{refusal} The importer writes a report to the moon every morning.");
    assert!(support(&beside) < Some(0.9) && support(&beside).is_some(), "{:?}", support(&beside));
    assert_eq!(support("Do you want to know more?"), None);
}
