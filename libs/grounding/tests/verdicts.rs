//! A verdict says what was checked: no pass without a required check of content that passed.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use assay_domain::code::{BlockStatus, Category, Diagnostic, PLACEHOLDER, ParsedBlock, Severity};
use assay_domain::report::{Attempt, CheckName, CheckStatus, ClaimKind, Report, Verdict};
use assay_domain::verdict::{UNVERIFIED, waits_for_review};
use assay_domain::{QueryType, Source, SourceKind};
use assay_grounding::judge::Fact;
use assay_grounding::{Facts, Judge, Policy, Terms};

const SOURCE: &str = "The request limit is 5 MB. Never delete the production database. Redis keeps sessions for 24 hours. \
                      Keys expire after 90 days.";
const TRUE: &str = "The request limit is 5 MB [^1].";
const LIE: &str = "Deleting the production database is always safe and recommended.";

fn source(path: &str, text: &str) -> Source {
    let mut source = Source::given(path, SourceKind::Doc, text, 1);
    source.path = path.to_owned();
    source.language = "en".into();
    source
}

fn terms(query_type: QueryType) -> Terms {
    Terms {
        query_type,
        context_relevance: Some(0.99),
        sources_only: true,
        ..Terms::new("What is the request limit?", vec![source("docs/limits.md", SOURCE)])
    }
}

fn judge(terms: Terms) -> Judge {
    Judge::new(terms, Policy::shipped("balanced").unwrap())
}

/// The report where the parser said this of every block.
fn report(terms: Terms, answer: &str, status: &BlockStatus) -> Report {
    let judge = judge(terms);
    let parsed = |block| ParsedBlock { block, status: status.clone(), diagnostics: Vec::new() };
    let blocks = judge.needs(&judge.read(answer)).blocks.into_iter().map(parsed).collect();
    judge.judge(answer, &Facts { blocks, ..Facts::default() })
}

fn status(report: &Report, name: CheckName) -> CheckStatus {
    report.check(name).unwrap().status
}

fn warned(report: &Report, kind: &str) -> bool {
    report.warnings.iter().any(|finding| finding.kind == kind)
}

fn queued(report: &Report) -> bool {
    waits_for_review(Some(report.verdict), &report.checks)
}

#[test]
fn nothing_unchecked_passes() {
    use QueryType::{CodeGeneration, Conversational, Platform, Retrieval};
    let alone = |query_type| Terms { sources: Vec::new(), ..terms(query_type) };
    let program = "```avap\naddVar(x, 1)\n```\n";
    let output = format!("{TRUE}\n\n```text\nok 12\n```\n");
    let prose = format!("{TRUE}\n\n```text\n{LIE}\n```\n");
    let quoted = format!("{TRUE}\n\n```text\nNever delete the production database.\n```\n");
    let hidden = format!("{TRUE}\n\n```bash\n{LIE}\n```\n");
    let commands = format!("{TRUE}\n\n```bash\nsudo apt install nginx\nsleep 5\n```\n");
    let (plain, valid, none) = (BlockStatus::Plain, BlockStatus::Valid, BlockStatus::NoGrammar);
    // Terms, answer, what the parser says, verdict, unverified, queued.
    let rows = [
        (terms(Retrieval), TRUE, &valid, Verdict::Pass, false, false),
        (terms(Retrieval), "", &valid, Verdict::Review, true, false),
        (terms(Retrieval), "!!!", &valid, Verdict::Review, true, false),
        (terms(Retrieval), "👍", &valid, Verdict::Review, true, false),
        (terms(Retrieval), "[^1]", &valid, Verdict::Review, true, false),
        (terms(Retrieval), program, &valid, Verdict::Review, false, true),
        (terms(Retrieval), program, &none, Verdict::Review, false, true),
        (terms(Retrieval), &output, &plain, Verdict::Pass, false, false),
        (terms(Retrieval), &quoted, &plain, Verdict::Pass, false, false),
        (terms(Retrieval), &prose, &plain, Verdict::Review, false, true),
        (terms(Retrieval), &hidden, &valid, Verdict::Review, false, true),
        (terms(CodeGeneration), &hidden, &valid, Verdict::Review, false, true),
        (terms(Retrieval), &commands, &valid, Verdict::Review, false, true),
        (terms(CodeGeneration), program, &valid, Verdict::Pass, false, false),
        (terms(CodeGeneration), program, &none, Verdict::Review, true, true),
        (terms(CodeGeneration), program, &plain, Verdict::Review, true, false),
        (terms(CodeGeneration), TRUE, &valid, Verdict::Review, true, true),
        (alone(CodeGeneration), "Use the largest limit.", &valid, Verdict::Review, true, true),
        (terms(Conversational), TRUE, &valid, Verdict::Pass, false, false),
        (terms(Conversational), "The request limit is 7 MB [^1].", &valid, Verdict::Review, false, true),
        (alone(Conversational), "The request limit is 7 GB.", &valid, Verdict::Review, true, true),
        (alone(Conversational), "Paris is the capital of Spain [^1].", &valid, Verdict::Review, true, true),
        (alone(Conversational), "Hi!", &valid, Verdict::Review, true, false),
        (
            alone(Platform),
            "Your account is closed and you owe us the house.",
            &valid,
            Verdict::Review,
            true,
            true,
        ),
        (alone(Platform), "Thanks!", &valid, Verdict::Review, true, false),
    ];
    for (terms, answer, parser, verdict, unverified, waits) in rows {
        let query_type = terms.query_type;
        let report = report(terms, answer, parser);
        let row = format!("{query_type} {answer:?} {parser:?} {:#?}", report.checks);
        assert_eq!(report.verdict, verdict, "{row}");
        assert_eq!(warned(&report, UNVERIFIED), unverified, "{row}");
        assert_eq!(queued(&report), waits, "{row}");
    }
}

#[test]
fn claims_that_were_not_judged_do_not_dilute_shares() {
    let unsupported =
        "Penguins fly to the southern ice in winter [^1]. The moon is made of green cheese [^1].\n\n";
    let unchecked = "The request limit is 5 MB [^1:90-95].\n\n".repeat(10);
    let diluted = report(
        Terms { attempt: Attempt::First, ..terms(QueryType::Retrieval) },
        &format!("{unsupported}{unchecked}"),
        &BlockStatus::Valid,
    );
    let check = diluted.check(CheckName::ClaimSupport).unwrap();
    assert_eq!(check.status, CheckStatus::Failed, "{check:?}");
    assert!(check.reason.contains("2 of 2 claims"), "{}", check.reason);
}

#[test]
fn claims_alone_that_nobody_judged_are_not_checked() {
    let report =
        report(terms(QueryType::Retrieval), "The request limit is 5 MB [^1:90-95].", &BlockStatus::Valid);
    assert_eq!(status(&report, CheckName::ClaimSupport), CheckStatus::NotChecked);
}

#[test]
fn platform_statements_need_figures_or_words_of_the_facts() {
    let facts = "Plan: Team. Your plan renews every month. Requests used: 80 of 100.";
    let of = |answer: &str| {
        let terms = Terms { sources: Vec::new(), extra_context: facts.into(), ..terms(QueryType::Platform) };
        report(terms, answer, &BlockStatus::Valid)
    };
    for (answer, verdict) in [
        ("You used 80 of 100 requests.", Verdict::Pass),
        ("Your plan renews every month.", Verdict::Pass),
        ("You used 90 of 100 requests.", Verdict::Review),
        ("Your account is closed.", Verdict::Review),
        ("You used 80 of 100 requests. Your account is closed.", Verdict::Review),
        ("You used 80 of 100 requests.\n\n```text\nyour account is closed now\n```\n", Verdict::Review),
    ] {
        let report = report(
            Terms { sources: Vec::new(), extra_context: facts.into(), ..terms(QueryType::Platform) },
            answer,
            &BlockStatus::Plain,
        );
        assert_eq!(report.verdict, verdict, "{answer} {:#?}", report.checks);
    }
    assert_eq!(status(&of("Your account is closed."), CheckName::Numbers), CheckStatus::NotChecked);
}

#[test]
fn a_report_says_of_each_block_what_became_of_it() {
    let answer = format!("{TRUE}\n\n```kotlin\nval x = 1\n```\n");
    for (parser, kind, told, listed) in [
        (BlockStatus::NoGrammar, "no_grammar", "no parser knows kotlin; not checked", 1),
        (BlockStatus::Plain, "not_code", "plain output; not read as code", 0),
    ] {
        let mut terms = terms(QueryType::Retrieval);
        terms.sources.push(Source::given("code", SourceKind::Doc, "Write `val x = 1` first.", 1));
        let report = report(terms, &answer, &parser);
        assert!(warned(&report, kind), "{:#?}", report.warnings);
        let code = report.claims.iter().find(|claim| claim.kind == ClaimKind::Code).unwrap();
        assert_eq!((code.reason.as_str(), report.blocks.len()), (told, listed));
        assert_eq!(report.verdict, Verdict::Pass, "the claim was verified");
    }
    let unparsed = judge(terms(QueryType::Retrieval)).judge(&answer, &Facts::default());
    let check = unparsed.check(CheckName::CodeSyntax).unwrap();
    assert_eq!((check.status, check.reason.as_str()), (CheckStatus::NotChecked, "not_parsed"));
    assert_eq!(unparsed.verdict, Verdict::Review);
}

#[test]
fn placeholders_warn_and_only_code_generation_asks_for_a_review() {
    let answer = format!("{TRUE}\n\n```bash\nkubectl apply -f <file>\n```\n");
    for (query_type, verdict) in
        [(QueryType::Retrieval, Verdict::Pass), (QueryType::CodeGeneration, Verdict::Review)]
    {
        let mut terms = terms(query_type);
        let text = "Run `kubectl apply -f <file>` first.";
        terms.sources.push(Source::given("commands", SourceKind::Doc, text, 1));
        let judge = judge(terms);
        let placeholder = Diagnostic {
            line: 1,
            column: 18,
            end_column: 24,
            severity: Severity::Warning,
            category: Category::UnknownToken,
            code: PLACEHOLDER.into(),
            message: "`<file>` is a placeholder".into(),
            suggestion: None,
            help: None,
        };
        let parsed =
            |block| ParsedBlock { block, status: BlockStatus::Valid, diagnostics: vec![placeholder.clone()] };
        let blocks = judge.needs(&judge.read(answer.as_str())).blocks.into_iter().map(parsed).collect();
        let report = judge.judge(&answer, &Facts { blocks, ..Facts::default() });
        assert_eq!(report.verdict, verdict, "{:#?}", report.checks);
        let warning = report.warnings.iter().find(|finding| finding.kind == PLACEHOLDER).unwrap();
        assert_eq!(warning.detail, "block 1, line 1: `<file>` is a placeholder");
    }
}

#[test]
fn a_path_named_as_the_source_has_to_exist() {
    // Answer, `source_exists`, `identifiers`.
    let rows = [
        ("According to docs/x.md:12-18, the request limit is 5 MB [^1].", true, false),
        ("The request limit is 5 MB (docs/x.md:12) [^1].", true, false),
        ("The request limit is 5 MB, see config/y.yaml [^1].", true, false),
        ("The request limit is 5 MB [^1]. See also `config/y.yaml`.", true, false),
        ("The request limit is 5 MB [^1] (source: config/y.yaml#L4-L9).", true, false),
        ("Según docs/x.md, el límite es 5 MB [^1].", true, false),
        ("El límite de peticiones es 5 MB, véase config/y.yaml [^1].", true, false),
        (
            "The request limit is 5 MB [^1]. It is set in config/y.yaml. Details: see config/y.yaml.",
            true,
            false,
        ),
        ("The request limit is 5 MB [^1]. It is set in config/y.yaml [^1].", false, true),
        ("The request limit is 5 MB [^1]. Create the file config/y.yaml for it.", false, true),
        ("The request limit is 5 MB [^1]. Edit line config/y.yaml:12 for it.", false, true),
        ("According to docs/limits.md:1, the request limit is 5 MB [^1].", false, false),
        ("The request limit is 5 MB [^1], see docs/limits.md:1-2.", false, false),
    ];
    for (answer, fails, flags) in rows {
        let report = report(terms(QueryType::Retrieval), answer, &BlockStatus::Valid);
        let exists = report.check(CheckName::SourceExists).unwrap();
        assert_eq!(exists.status == CheckStatus::Failed, fails, "{answer} {exists:?}");
        let names = report.check(CheckName::Identifiers).unwrap();
        assert_eq!(names.status == CheckStatus::Flagged, flags, "{answer} {names:?}");
    }
    let retry = Terms { attempt: Attempt::Retry, ..terms(QueryType::Retrieval) };
    let retry = report(retry, rows[0].0, &BlockStatus::Valid);
    assert_eq!(status(&retry, CheckName::SourceExists), CheckStatus::Flagged);
}

#[test]
fn names_that_nobody_looked_up_are_said() {
    let answer = "The request limit is 5 MB [^1]. Set `max_size` and `min_size` for it.";
    let judge = judge(Terms { sources_only: false, ..terms(QueryType::Retrieval) });
    let unknown = Fact { name: "max_size".into(), exists: false, near: Vec::new() };
    let facts = Facts { known: Ok(vec![unknown]), ..Facts::default() };
    let report = judge.judge(answer, &facts);
    let check = report.check(CheckName::Identifiers).unwrap();
    assert_eq!(check.status, CheckStatus::Flagged);
    assert!(check.reason.contains("others were not checked (not_looked_up)"), "{}", check.reason);
}

#[test]
fn a_bare_figure_in_a_table_gets_no_marker() {
    let answer = "| what | value |\n|---|---|\n| The request limit is 5 MB | 5 MB |\n| Keys expire after 90 days | 90 |\n";
    let report = report(Terms { attach: true, ..terms(QueryType::Retrieval) }, answer, &BlockStatus::Valid);
    assert!(report.text.contains("| 90 |"), "{}", report.text);
    assert!(report.text.contains("Keys expire after 90 days [^1]"), "{}", report.text);
}
