//! The verdict examples of the development data, if they are there.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::disallowed_methods)]

use std::path::PathBuf;

use assay_domain::report::{CheckName, Verdict};
use assay_domain::{QueryType, Source, SourceKind};
use assay_grounding::{Facts, Judge, Policy, Terms};
use serde_json::Value;

fn examples() -> Option<String> {
    let shared = std::env::var_os("ASSAY_SHARED")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared"), PathBuf::from);
    std::fs::read_to_string(shared.join("tools/score/examples/verdicts.jsonl")).ok()
}

fn source(value: &Value) -> Source {
    let first = u32::try_from(value["lines"][0].as_u64().unwrap()).unwrap();
    let text = value["text"].as_str().unwrap();
    let mut source = Source::given(value["id"].as_str().unwrap(), SourceKind::Doc, text, first);
    source.path = value["path"].as_str().unwrap().to_owned();
    source
}

#[test]
fn the_examples_get_their_verdict_and_their_failing_checks() {
    let Some(examples) = examples() else {
        let _ = std::io::Write::write_fmt(
            &mut std::io::stderr(),
            format_args!("SKIPPED: there are no verdict examples; set ASSAY_SHARED to their folder\n"),
        );
        return;
    };
    for line in examples.lines().filter(|line| !line.trim().is_empty()) {
        let case: Value = serde_json::from_str(line).unwrap();
        let sources = case["sources"].as_array().unwrap().iter().map(source).collect();
        let terms = Terms {
            query_type: QueryType::from_name(case["query_type"].as_str().unwrap()).unwrap(),
            extra_context: case["extra_context"].as_str().unwrap_or_default().to_owned(),
            sources_only: true,
            ..Terms::new(case["question"].as_str().unwrap_or_default(), sources)
        };
        let judge = Judge::new(terms, Policy::shipped("balanced").unwrap());
        let report = judge.judge(case["answer"].as_str().unwrap(), &Facts::default());
        let gold = &case["gold"];
        assert_eq!(
            report.verdict,
            Verdict::from_name(gold["verdict"].as_str().unwrap()).unwrap(),
            "{line}\n{report:#?}"
        );
        for (list, status) in [("failed_checks", "FAILED"), ("flagged_checks", "FLAGGED")] {
            for name in gold[list].as_array().unwrap() {
                let name = CheckName::from_name(name.as_str().unwrap()).unwrap();
                assert_eq!(report.check(name).unwrap().status.as_str(), status, "{line}\n{name}");
            }
        }
    }
}
