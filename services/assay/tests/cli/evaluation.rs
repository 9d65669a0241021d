//! `assay eval`: a run, its folder, and what is computed from it.

use assay_testkit::model_server::ModelServer;
use serde_json::{Value, json};

use crate::{Cli, code, object, stderr};

/// A page, and questions about it in a golden file.
fn prepare(cli: &Cli) {
    cli.file(
        "page.md",
        "# Heartbeat\n\nThe heartbeat interval of a broker is 30 seconds.\n\n# Queue\n\nThe queue holds 512 messages.\n",
    );
    let ingested = cli.run(&["ingest", "page.md"]);
    assert_eq!(code(&ingested), 0, "{}", stderr(&ingested));
    let items = [
        json!({
            "id": "heartbeat", "question": "What is the heartbeat interval of a broker?", "answerable": true,
            "reference": "The heartbeat interval is 30 seconds.", "expected_type": "RETRIEVAL", "category": "facts",
            "contexts": [{ "path": "page.md", "lines": "3" }],
        }),
        json!({ "id": "queue", "question": "How many messages does the queue hold?", "answerable": true }),
        json!({ "id": "chess", "question": "Who won the chess championship of 1972?", "answerable": false }),
    ];
    cli.file("golden.jsonl", &items.map(|item| format!("{item}\n")).concat());
}

fn run(cli: &Cli, out: &str, repeat: &str) -> Value {
    object(&cli.run(&["eval", "run", "golden.jsonl", "--out", out, "--repeat", repeat, "--json"]))
}

fn text(output: &std::process::Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn a_run_is_kept_resumed_and_replayed_to_the_same_bytes() {
    let cli = Cli::new();
    prepare(&cli);
    let report = run(&cli, "whole", "2");
    assert_eq!((&report["answers"], &report["outstanding"]), (&json!(6), &json!(0)));
    let figures = &report["figures"];
    assert_eq!(figures["abstained_of_unanswerable"]["value"], json!(1.0));
    assert_eq!(figures["citation_recall"]["not_computed"], json!({ "no_reference_lines": 4 }));
    assert_eq!(figures["faithfulness"]["null_control"], json!(1.0));
    assert_eq!(report["tokens"], Value::Null, "no model was asked");
    let replayed = cli.run(&["eval", "replay", "whole"]);
    assert!(code(&replayed) == 0 && text(&replayed).contains("byte for byte"), "{}", text(&replayed));

    // As a kill leaves it: the last line is cut off and there is no report.
    let folder = |name: &str| cli.dir.path().join(name);
    std::fs::create_dir(folder("killed")).unwrap();
    std::fs::copy(folder("whole/manifest.json"), folder("killed/manifest.json")).unwrap();
    let answers = std::fs::read_to_string(folder("whole/answers.jsonl")).unwrap();
    let half = answers.match_indices('\n').nth(3).unwrap().0;
    std::fs::write(folder("killed/answers.jsonl"), &answers[..half + 40]).unwrap();
    cli.file("bars.toml", "[figures]\nabstained_of_unanswerable = { min = 0.0 }\n");
    let unfinished = cli.run(&["eval", "gate", "killed", "--thresholds", "bars.toml"]);
    assert!(
        code(&unfinished) == 1 && text(&unfinished).contains("2 answers are missing"),
        "{}",
        text(&unfinished)
    );
    let resumed = cli.run(&["eval", "run", "golden.jsonl", "--out", "killed", "--repeat", "2", "--json"]);
    assert!(stderr(&resumed).contains("4 answers are there already"), "{}", stderr(&resumed));
    let resumed = object(&resumed);
    assert_eq!(resumed["figures"], report["figures"]);
    assert_eq!(resumed["outcomes"], report["outcomes"]);
    std::fs::create_dir(folder("other")).unwrap();
    cli.file("other/manifest.json", "{\"name\": \"a file of something else\"}");
    let no_run = cli.run(&["eval", "report", "other"]);
    assert!(code(&no_run) == 1 && stderr(&no_run).contains("has format 0"), "{}", stderr(&no_run));

    cli.file("golden.jsonl", "{\"id\":\"other\",\"question\":\"Another question?\"}\n");
    let other = cli.run(&["eval", "run", "golden.jsonl", "--out", "killed"]);
    assert!(code(&other) == 1 && stderr(&other).contains("golden_sha256 was"), "{}", stderr(&other));
}

#[test]
fn a_run_that_never_began_leaves_no_folder() {
    let cli = Cli::new();
    cli.file("golden.jsonl", "{\"id\":\"queue\",\"question\":\"How many messages does the queue hold?\"}\n");
    let twice = ["eval", "run", "golden.jsonl", "--judge", "checks", "--judge", "checks", "--out", "never"];
    let refused = cli.run(&twice);
    assert!(code(&refused) == 1 && stderr(&refused).contains("named twice"), "{}", stderr(&refused));
    assert!(!cli.dir.path().join("never").exists());
}

#[test]
fn a_changed_line_is_noticed_by_replay() {
    let cli = Cli::new();
    prepare(&cli);
    run(&cli, "run", "1");
    let path = cli.dir.path().join("run/answers.jsonl");
    let answers = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, answers.replacen("\"ANSWERED\"", "\"ABSTAINED\"", 1)).unwrap();
    let replayed = cli.run(&["eval", "replay", "run"]);
    assert!(code(&replayed) == 1 && text(&replayed).contains("another report"), "{}", text(&replayed));
}

#[test]
fn thresholds_decide_the_exit_code_in_one_line() {
    let cli = Cli::new();
    prepare(&cli);
    run(&cli, "run", "1");
    let gate = |thresholds: &str| {
        cli.file("bars.toml", thresholds);
        cli.run(&["eval", "gate", "run", "--thresholds", "bars.toml"])
    };
    let passed =
        gate("[figures]\nabstained_of_unanswerable = { min = 1.0 }\n\"latency_ms.max\" = { max = 600000 }\n");
    assert_eq!((code(&passed), text(&passed).as_str()), (0, "PASS: 2 bounds hold\n"), "{}", stderr(&passed));
    let failed = gate(
        "binding = true\n[figures]\ncontext_recall = { min = 1.1 }\nsyntactic_validity = { min = 0.5 }\n",
    );
    assert_eq!(code(&failed), 1);
    let told = text(&failed);
    assert_eq!(told.lines().count(), 1, "{told}");
    for part in ["FAIL: ", "is not binding", "context_recall is ", "syntactic_validity was not computed"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    // Luck does not pass where the interval is asked for.
    let lucky = gate("[figures]\nabstained_of_unanswerable = { min = 0.9, interval = true }\n");
    assert!(code(&lucky) == 1 && text(&lucky).contains("below 0.9"), "{}", text(&lucky));
    let wrong = gate("[figures]\nfaithfulness = { least = 1 }\n");
    assert!(code(&wrong) == 1 && stderr(&wrong).contains("bars.toml"), "{}", stderr(&wrong));
}

#[test]
fn every_form_of_a_report_is_written() {
    let cli = Cli::new();
    prepare(&cli);
    run(&cli, "run", "2");
    let form = |format: &str| {
        let output = cli.run(&["eval", "report", "run", "--format", format]);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        text(&output)
    };
    assert!(form("markdown").contains("| faithfulness "));
    let junit = form("junit");
    assert!(junit.contains("tests=\"6\"") && junit.contains("heartbeat #2"), "{junit}");
    let page = form("html");
    for part in
        ["<!doctype html>", "NON_BINDING", "class=\"interval\"", "The queue holds 512 messages", "heartbeat"]
    {
        assert!(page.contains(part), "{part}");
    }
    assert!(
        !page.contains("<script")
            && !page.contains("http:")
            && !page.contains("https:")
            && !page.contains("src="),
        "the page loads nothing"
    );
    assert_eq!(serde_json::from_str::<Value>(&form("json")).unwrap()["answers"], json!(6));
}

#[test]
fn a_run_compared_with_itself_shows_no_difference_and_a_loss_is_found() {
    let cli = Cli::new();
    let line = |n: usize, supported: bool| {
        json!({
            "id": format!("q{n}"), "repetition": 1, "question": "q",
            "answer": { "outcome": "ANSWERED", "query_type": "RETRIEVAL", "text": "a" },
            "verdicts": { "statements": (0..10).map(|s| json!({ "supported": s > 0 || supported })).collect::<Vec<_>>() },
        })
    };
    let folder = |name: &str, loss: bool| {
        std::fs::create_dir(cli.dir.path().join(name)).unwrap();
        let settings = json!({ "router.profile": name });
        let manifest = json!({ "format": 1, "questions": 40, "repetitions": 1, "settings": settings });
        cli.file(&format!("{name}/manifest.json"), &manifest.to_string());
        // A tenth of the statements of most answers is lost.
        let lines: String = (0..40).map(|n| format!("{}\n", line(n, !loss || n % 4 == 0))).collect();
        cli.file(&format!("{name}/answers.jsonl"), &lines);
    };
    folder("before", false);
    folder("after", true);
    let itself = object(&cli.run(&["eval", "compare", "before", "before", "--json"]));
    assert_eq!(itself["differs"], json!({}));
    let scores = itself["scores"].as_object().unwrap();
    assert!(scores.values().all(|score| score["verdict"] == json!("no difference")), "{scores:?}");

    let found = object(&cli.run(&["eval", "compare", "before", "after", "--json"]));
    let faithfulness = &found["scores"]["faithfulness"];
    assert_eq!(faithfulness["verdict"], json!("lower"));
    assert!(faithfulness["p_value"].as_f64().unwrap() < 0.05, "{faithfulness}");
    assert!((faithfulness["difference"].as_f64().unwrap() + 0.075).abs() < 1e-9, "{faithfulness}");
    assert_eq!(found["differs"], json!({ "settings.router.profile": ["before", "after"] }));
}

#[test]
fn recorded_verdicts_are_scored() {
    let cli = Cli::new();
    cli.file(
        "recorded.jsonl",
        "{\"id\":1,\"verdicts\":{\"statements\":[{\"supported\":true},{\"supported\":false}]}}\n",
    );
    let found = object(&cli.run(&["eval", "score", "recorded.jsonl", "--json"]));
    assert_eq!(found["metrics"]["faithfulness"]["mean"], json!(0.5));
    assert_eq!(found["metrics"]["context_recall"]["not_computed"], json!({ "not_judged": 1 }));
}

/// Labelled answers, half of them with a wrong figure.
fn labelled() -> String {
    let case = |n: usize| {
        let (right, wrong) = (10 + 7 * n, 11 + 9 * n);
        let supported = n.is_multiple_of(2);
        let said = if supported { right } else { wrong };
        let answer = format!("The queue of tenant {n} holds {said} messages. Its owner is told by mail.");
        let start = answer.find(&format!("holds {said}")).unwrap() + 6;
        let marked =
            if supported { json!([]) } else { json!([[start, start + said.to_string().len(), "number"]]) };
        let text = format!("The queue of tenant {n} holds {right} messages.\nIts owner is told by mail.");
        let label = if supported { "kept" } else { "number" };
        json!({
            "id": n, "question": "How many messages does the queue hold?", "answer": answer,
            "sources": [{ "id": "1", "text": text }],
            "gold": { "supported": supported, "label": label, "unsupported": marked },
        })
    };
    (0..24).map(|n| format!("{}\n", case(n))).collect()
}

#[test]
fn the_checks_are_scored_as_the_shared_script_scores_them() {
    let cli = Cli::new();
    cli.file("labelled.jsonl", &labelled());
    let found = object(&cli.run(&["eval", "checks", "labelled.jsonl", "--json"]));
    assert_eq!((&found["answers"], &found["catch"]["of"]), (&json!(24), &json!(12)));
    assert!(found["catch"]["share"].as_f64().unwrap() > 0.5, "{found}");
    cli.file("wrong.jsonl", "\n{\"answer\": \"a\", \"sources\": []}\n");
    let wrong = cli.run(&["eval", "checks", "wrong.jsonl"]);
    assert!(
        code(&wrong) == 1 && stderr(&wrong).contains("line 2: missing field `gold`"),
        "{}",
        stderr(&wrong)
    );

    let Some(script) = assay_testkit::external::shared_data("../tools/score/score.py") else { return };
    let scored = std::process::Command::new("python3")
        .arg(script)
        .args(["spans", env!("CARGO_BIN_EXE_assay"), "labelled.jsonl"])
        .current_dir(cli.dir.path())
        .output()
        .unwrap();
    let printed = text(&scored);
    let line =
        printed.lines().find(|line| line.starts_with("spans: ")).unwrap_or_else(|| panic!("{printed}"));
    for (name, ours) in [
        ("catch", &found["catch"]["share"]),
        ("false_rejection", &found["false_rejection"]["share"]),
        ("auroc", &found["auroc"]),
    ] {
        let expected = format!("{name} {:.3}", ours.as_f64().unwrap());
        assert!(line.contains(&expected), "{expected}: {line}");
    }
}

#[test]
fn the_golden_set_of_prometheus_names_lines_that_are_there() {
    use sha2::Digest as _;
    let Some(pages) = assay_testkit::external::shared_data("documents/prometheus") else { return };
    let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/../evaluation/golden/prometheus.jsonl");
    let golden = std::fs::read_to_string(golden).unwrap();
    let mut ranges = 0;
    for line in golden.lines() {
        let item: Value = serde_json::from_str(line).unwrap();
        for context in item["contexts"].as_array().into_iter().flatten() {
            let page = std::fs::read_to_string(pages.join(context["path"].as_str().unwrap())).unwrap();
            let lines = context["lines"].as_str().unwrap();
            let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
            let (first, last): (usize, usize) = (first.parse().unwrap(), last.parse().unwrap());
            let text: Vec<&str> = page.lines().skip(first - 1).take(last + 1 - first).collect();
            let found = hex::encode(sha2::Sha256::digest(text.join("\n")));
            assert_eq!(json!(found), context["sha256"], "{}: {context}", item["id"]);
            ranges += 1;
        }
    }
    assert!(ranges >= 52, "{ranges}");
}

/// A judge that finds everything true, up to nine things a call.
async fn judge() -> ModelServer {
    let verdicts = |count: usize| {
        let each: Vec<Value> =
            (1..=count).map(|n| json!({ "n": n, "reason": "said", "holds": true })).collect();
        json!({ "verdicts": each }).to_string()
    };
    let questions = json!({ "questions": ["What is the interval?"], "noncommittal": false }).to_string();
    let mut pairs = vec![("You say which questions a text answers".to_owned(), questions)];
    for (count, n) in (1..=9).rev().map(|n| (n, n)) {
        pairs.push((format!("<statement n=\\\"{n}\\\""), verdicts(count)));
    }
    for (count, n) in (1..=9).rev().map(|n| (n, n)) {
        pairs.push((format!("<source n=\\\"{n}\\\""), verdicts(count)));
    }
    ModelServer::choosing(pairs).await.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_model_judges_and_its_recorded_calls_are_replayed_without_it() {
    let cli = Cli::new();
    prepare(&cli);
    let model = judge().await;
    let evaluate = |judges: &[&str], out: &str| {
        let mut args = vec!["eval", "run", "golden.jsonl", "--repeat", "2", "--json", "--out", out];
        judges.iter().for_each(|judge| args.extend(["--judge", judge]));
        cli.command(&args).env("OPENAI_BASE_URL", model.base_url()).output().unwrap()
    };
    let report = object(&evaluate(&["openai:judge@2026-01", "checks"], "judged"));
    assert_eq!(report["manifest"]["judge"], json!("openai:judge@2026-01"));
    assert_eq!(report["figures"]["faithfulness"]["value"], json!(1.0));
    assert_eq!(report["figures"]["context_recall"]["value"], json!(1.0));
    // Without an embedding model nobody can say how near two questions are.
    assert!(report["figures"]["answer_relevancy"]["not_computed"]["no_similarity"].is_u64(), "{report}");
    let agreement = &report["agreement"][0];
    assert_eq!((&agreement["judged"], &agreement["agreed"]), (&json!(2), &json!(2)), "{agreement}");
    assert!(report["against_judges"][0]["falsely_rejected"]["of"] == json!(2), "{report}");
    let shown = text(&cli.run(&["eval", "report", "judged"]));
    assert!(shown.contains("openai:judge@2026-01 and checks agree on 2 of 2 statements"), "{shown}");
    let page = text(&cli.run(&["eval", "report", "judged", "--format", "html"]));
    assert!(page.contains("<h2>Judges</h2>"));

    // Offline: the same bytes from what the judge said; another word of it is another report.
    let replayed = cli.run(&["eval", "replay", "judged"]);
    assert!(code(&replayed) == 0 && text(&replayed).contains("byte for byte"), "{}", text(&replayed));
    let path = cli.dir.path().join("judged/answers.jsonl");
    let answers = std::fs::read_to_string(&path).unwrap();
    let said = r#"\"holds\":true"#;
    assert!(answers.contains(said), "{answers}");
    std::fs::write(&path, answers.replace(said, r#"\"holds\":false"#)).unwrap();
    let replayed = cli.run(&["eval", "replay", "judged"]);
    assert!(code(&replayed) == 1 && text(&replayed).contains("another report"), "{}", text(&replayed));

    let refused = evaluate(&["openai:judge"], "refused");
    assert!(
        code(&refused) != 0 && stderr(&refused).contains("not pinned to a version"),
        "{}",
        stderr(&refused)
    );
}

#[test]
fn a_golden_file_shows_what_it_covers_and_which_lines_changed() {
    let cli = Cli::new();
    prepare(&cli);
    let covered = object(&cli.run(&["eval", "golden", "golden.jsonl", "--pages", ".", "--json"]));
    assert_eq!(covered["answerable"], json!({ "answerable": 2, "unanswerable": 1 }));
    assert_eq!((&covered["with_lines"], &covered["stale"]), (&json!(1), &json!([])));
    let context = json!({ "path": "page.md", "lines": "3", "sha256": "00" });
    let gone = json!({ "path": "page.md", "lines": "90" });
    let item = json!({ "id": "a", "question": "q", "contexts": [context, gone, { "path": "none.md", "lines": "1" }] });
    cli.file("old.jsonl", &format!("{item}\n"));
    let stale = cli.run(&["eval", "golden", "old.jsonl", "--pages", "."]);
    let told = text(&stale);
    assert_eq!(code(&stale), 1, "{told}");
    for part in
        ["page.md:3-3: the lines have changed", "page.md:90-90: the file has 7 lines", "none.md:1-1: "]
    {
        assert!(told.contains(part), "{part}: {told}");
    }
    let schema = object(&cli.run(&["eval", "golden", "--schema"]));
    assert_eq!(schema["required"], json!(["id", "question"]));
    assert_eq!(schema["additionalProperties"], json!(false));
}

#[test]
fn indices_are_ranked_by_what_their_vectors_find() {
    let cli = Cli::new();
    prepare(&cli);
    cli.file("other.md", "# Dogs\n\nDogs bark at night.\n");
    assert_eq!(code(&cli.run(&["ingest", "other.md", "--collection", "other"])), 0);
    let ranked = cli.run(&[
        "eval",
        "compare-embeddings",
        "golden.jsonl",
        "--collection",
        "other",
        "--collection",
        "default",
        "--keep",
        "kept.jsonl",
        "--json",
    ]);
    let ranked = object(&ranked);
    assert_eq!((&ranked[0]["name"], &ranked[0]["ndcg"]["value"]), (&json!("default"), &json!(1.0)));
    assert_eq!((&ranked[1]["name"], &ranked[1]["recall"]["value"]), (&json!("other"), &json!(0.0)));
    assert!(ranked[0]["embedding"].as_str().unwrap().starts_with("hash"), "{ranked}");
    let again =
        object(&cli.run(&["eval", "compare-embeddings", "golden.jsonl", "--with", "kept.jsonl", "--json"]));
    assert_eq!(again, ranked, "what was kept is ranked like what was searched");
    let none = cli.run(&["eval", "compare-embeddings", "golden.jsonl"]);
    assert!(code(&none) == 1 && stderr(&none).contains("no search"), "{}", stderr(&none));
    let unknown = cli.run(&["eval", "compare-embeddings", "golden.jsonl", "--collection", "nowhere"]);
    assert!(code(&unknown) != 0, "{}", stderr(&unknown));
}

/// Programs of a scripted model: the first is invalid; the second depends on what the retry was told.
async fn programmer() -> ModelServer {
    let invalid = "```avap\nfunction broken( {\n```\n";
    let valid = "```avap\naddVar(total, 1)\naddResult(total)\n```\n";
    let pairs = [
        // A guided retry quotes the error of the parser.
        ("<parser_feedback>", valid),
        // A blind one says only that the draft was rejected.
        ("The draft in <rejected> was rejected", invalid),
        ("", invalid),
    ];
    ModelServer::choosing(pairs.map(|(needle, text)| (needle.to_owned(), text.to_owned())).to_vec())
        .await
        .unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_guided_retry_repairs_is_held_against_a_blind_one_and_none() {
    let cli = Cli::new();
    prepare(&cli);
    let model = programmer().await;
    let item = json!({ "id": "sum", "question": "Write a program that returns the total 1.", "query_type": "CODE_GENERATION" });
    cli.file("programs.jsonl", &format!("{item}\n"));
    for retry in ["none", "blind", "guided"] {
        let run = cli
            .command(&["eval", "run", "programs.jsonl", "--out", retry])
            .env("OPENAI_BASE_URL", model.base_url())
            .env("ASSAY_GENERATION__MAIN", "openai:m")
            .env("ASSAY_ROUTER__RETRY", retry)
            .output()
            .unwrap();
        assert_eq!(code(&run), 0, "{}", stderr(&run));
    }
    let repairs = object(&cli.run(&["eval", "repairs", "none", "blind", "guided", "--json"]));
    let all = &repairs["categories"]["all"];
    assert_eq!(
        (&all["rejected"], &all["blind"], &all["guided"]),
        (&json!(1), &json!(0), &json!(1)),
        "{repairs}"
    );
    assert_eq!(
        repairs["categories"].as_object().unwrap().len(),
        2,
        "the category of the defect has a row: {repairs}"
    );
    let wrong = cli.run(&["eval", "repairs", "blind", "none", "guided"]);
    assert!(code(&wrong) == 1 && stderr(&wrong).contains("router.retry = \"blind\""), "{}", stderr(&wrong));
}

#[test]
fn the_steps_of_the_workflow_example_work_in_their_order() {
    let cli = Cli::new();
    prepare(&cli);
    std::fs::create_dir(cli.dir.path().join("docs")).unwrap();
    std::fs::rename(cli.dir.path().join("page.md"), cli.dir.path().join("docs/page.md")).unwrap();
    let golden = std::fs::read_to_string(cli.dir.path().join("golden.jsonl")).unwrap();
    cli.file("golden.jsonl", &golden.replace("page.md", "docs/page.md"));
    cli.file("bars.toml", "[figures]\nabstained_of_unanswerable = { min = 1.0 }\n");
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/examples/evaluate.yml");
    let example = std::fs::read_to_string(example).unwrap();
    let steps: Vec<&str> =
        example.lines().filter_map(|line| line.trim().strip_prefix("- run: assay ")).collect();
    assert_eq!(steps.len(), 7, "{steps:?}");
    for step in steps.into_iter().filter(|step| !step.starts_with("models pull")) {
        let args = step.split(" >> ").next().unwrap();
        let ran = cli.run(&args.split(' ').collect::<Vec<_>>());
        assert_eq!(code(&ran), 0, "{step}: {}{}", text(&ran), stderr(&ran));
    }
    assert!(cli.dir.path().join("run/report.html").exists());
}
