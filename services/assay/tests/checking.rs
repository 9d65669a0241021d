//! `assay check` as its users run it: the reader in the box and one over a real socket, policies of one's own, reasons and near names.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::process::{Command, Output, Stdio};

use assay_testkit::script_server::ScriptServer;
use serde_json::{Value, json};

const SOURCE: &str = "The importer reads CSV files from the inbox folder. It skips empty rows and stops after ten errors. \
                      Call `import_all` with conf/import.toml.";
/// Said in other words, so that the fitted models are not sure.
const UNSURE: &str = "The importing job takes comma-separated files that lie in a folder for incoming data [^1]. \
                      Once around ten faults have come up, the run is over [^1].";

struct Desk(tempfile::TempDir);

impl Desk {
    fn with(answer: &str) -> Self {
        let desk = Self(tempfile::tempdir().unwrap());
        desk.file("answer.md", answer);
        desk.file("sources.jsonl", &json!({"id": "1", "text": SOURCE, "path": "docs/import.md"}).to_string());
        desk
    }

    fn file(&self, name: &str, text: &str) {
        std::fs::write(self.0.path().join(name), text).unwrap();
    }

    /// Checks the answer; `settings` are environment names with their values.
    fn check(&self, more: &[&str], settings: &[(&str, &str)]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_assay"));
        command
            .args(["check", "answer.md", "--sources", "sources.jsonl"])
            .args(more)
            .current_dir(self.0.path())
            .env_remove("ASSAY_ENDPOINT")
            .env("ASSAY_DATA", self.0.path().join("data"))
            .envs(settings.iter().copied())
            .stdin(Stdio::null());
        command.output().unwrap()
    }

    fn json(&self, more: &[&str], settings: &[(&str, &str)]) -> Value {
        let output = self.check(&[more, &["--json"]].concat(), settings);
        serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)))
    }
}

fn statuses(report: &Value) -> Vec<&str> {
    report["claims"].as_array().unwrap().iter().map(|claim| claim["status"].as_str().unwrap()).collect()
}

const YES: &str = r#"{"choices": [{"logprobs": {"content": [{"token": "Yes", "logprob": -0.01}]}}]}"#;
const NO: &str = r#"{"choices": [{"logprobs": {"content": [{"token": "No", "logprob": -0.01}]}}]}"#;

/// The report with a served reader that replies so to each pair.
async fn served(desk: &Desk, replies: &[(u16, &str)], timeout: &str) -> (Value, ScriptServer) {
    let server = ScriptServer::start(replies).await.unwrap();
    let address = server.url();
    let settings = [
        ("ASSAY_READER__KIND", "served"),
        ("ASSAY_READER__TIMEOUT", timeout),
        ("ASSAY_READER__SERVED__PROTOCOL", "openai"),
        ("ASSAY_READER__SERVED__URL", address.as_str()),
        ("ASSAY_READER__SERVED__MODEL", "judge"),
    ];
    let report = tokio::task::block_in_place(|| desk.json(&[], &settings));
    (report, server)
}

#[test]
fn reader_in_the_box_reads_what_words_leave_open() {
    let desk = Desk::with(UNSURE);
    let report = desk.json(&[], &[]);
    let used = &report["models"][0];
    assert_eq!((&used["kind"], &used["name"]), (&json!("reader"), &json!("assay-reader@1")));
    assert!(used["asked"].as_u64().unwrap() >= 2 && used["asked"] == used["answered"], "{used}");
    for claim in report["claims"].as_array().unwrap() {
        assert_eq!(claim["decided_by"], "reader assay-reader", "{claim}");
    }
    let without = desk.json(&[], &[("ASSAY_READER__KIND", "none")]);
    assert_eq!(without["models"], json!([]));
}

#[test]
fn version_names_the_reader() {
    let run = |settings: &[(&str, &str)]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_assay"));
        command.args(["version", "--json"]).env_remove("ASSAY_ENDPOINT").envs(settings.iter().copied());
        let output = command.stdin(Stdio::null()).output().unwrap();
        serde_json::from_slice::<Value>(&output.stdout).unwrap()["reader"].clone()
    };
    let shipped = run(&[]);
    assert_eq!((&shipped["kind"], &shipped["name"]), (&json!("in_box"), &json!("assay-reader")));
    assert_eq!(shipped["sha256"].as_str().unwrap().len(), 64);
    assert_eq!(run(&[("ASSAY_READER__KIND", "none")])["kind"], "none");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_served_reader_decides_what_is_uncertain() {
    let desk = Desk::with(UNSURE);
    for (reply, expected) in [(YES, "SUPPORTED"), (NO, "UNSUPPORTED")] {
        let (report, server) = served(&desk, &[(200, reply); 16], "10").await;
        assert!(server.asked().len() >= 2);
        assert_eq!(statuses(&report), [expected; 2], "{report:#}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_served_reader_that_is_slow_broken_or_babbles_is_no_pass() {
    let desk = Desk::with(UNSURE);
    let plain = desk.json(&[], &[("ASSAY_READER__KIND", "none")]);
    for (replies, timeout, word) in [
        (&[][..], "0.3", "reader_timeout"),
        (&[(500, ""); 16][..], "10", "reader_"),
        (&[(200, "It is SUPPORTED."); 16][..], "10", "reader_no_reply"),
    ] {
        let (report, server) = served(&desk, replies, timeout).await;
        assert!(!server.asked().is_empty());
        assert_eq!(report["claims"], plain["claims"]);
        assert!(report["verdict"] != "PASS" && report.to_string().contains(word), "{report:#}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reader_that_lies_lifts_no_contradiction() {
    let desk = Desk::with("It skips empty rows and stops after ninety errors [^1].");
    let (report, server) = served(&desk, &[(200, YES)], "10").await;
    assert_eq!(statuses(&report), ["CONTRADICTED"]);
    assert_eq!(report["verdict"], "REJECT");
    assert!(server.asked().is_empty());
}

#[test]
fn policy_file_is_applied_and_wrong_one_names_its_field() {
    let answer = "It skips empty rows and stops after ten errors [^1]. The importer reads CSV files from the inbox folder. \
                  It skips empty rows.";
    let desk = Desk::with(answer);
    let verdict = |policy: &str| desk.json(&["--policy", policy], &[])["verdict"].clone();
    assert_eq!(verdict("balanced"), "REJECT", "two of three claims are uncited");
    desk.file("own.toml", "name = \"house\"\nbase = \"balanced\"\nuncited_count = 3\n");
    assert_eq!(verdict("own.toml"), "REVIEW");
    desk.file("own.toml", "uncited_shares = 0.9\n");
    let output = desk.check(&["--policy", "own.toml"], &[]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains("uncited_shares") && told.contains("give one of"), "{told}");
    let output = desk.check(&["--policy", "nowhere.toml"], &[]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("nowhere.toml"));
}

#[test]
fn explain_says_of_every_claim_why() {
    let answer = "# Import\n\nHere are the steps:\n\n- It skips empty rows and stops after ten errors [^1].\n\
                  - It skips empty rows and stops after ninety errors [^1].\n\nWhat else? The sources do not say how long it takes.";
    let output = Desk::with(answer).check(&["--explain"], &[]);
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    for words in [
        "talk about the answer itself; not judged",
        "the source has all of its words",
        "where the source says",
        "a question; not judged",
        "says that the sources do not say; not judged",
        "cites    [^1]",
        "against  docs/import.md:1 [^1] ",
        "by       copy",
        "by       rule number",
    ] {
        assert!(told.contains(words), "{words}: {told}");
    }
    assert!(!told.contains('\u{1b}'), "no colours where nobody sees them: {told}");
}

#[test]
fn unknown_names_are_flagged_with_those_that_are_spelled_alike() {
    let desk = Desk::with("Call `import_al` with conf/imports.toml [^1].");
    let output = desk.check(&[], &[]);
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(told.contains("import_al is unknown to sources; perhaps import_all"), "{told}");
    assert!(told.contains("conf/imports.toml is unknown to sources; perhaps conf/import.toml"), "{told}");
    let known = Desk::with("Call `import_all` with conf/import.toml [^1].").json(&[], &[]);
    let names: Vec<&Value> =
        known["checks"].as_array().unwrap().iter().filter(|check| check["name"] == "identifiers").collect();
    assert_eq!(names[0]["status"], "PASSED", "{known:#}");
}

#[test]
fn known_command_needs_no_source_and_misspelt_one_is_corrected() {
    let desk = Desk::with("Use `addResult` to return a value, and `addVr` to set one [^1].");
    let avap = json!({"id": "1", "text": "In AVAP a value is returned with the result command and set with the variable command."});
    desk.file("sources.jsonl", &avap.to_string());
    let told = String::from_utf8_lossy(&desk.check(&[], &[]).stdout).into_owned();
    assert!(told.contains("addVr is unknown to sources; perhaps addVar"), "{told}");
    assert!(!told.contains("addResult is unknown"), "{told}");
    desk.file("sources.jsonl", &avap.to_string().replace("AVAP", "this shell"));
    let told = String::from_utf8_lossy(&desk.check(&[], &[]).stdout).into_owned();
    assert!(told.contains("addResult is unknown to sources"), "{told}");
}

/// Verdict, and kinds of warnings, of an answer of this type.
fn told(answer: &str, kind: &str, sources: &str) -> (String, Vec<String>, Value) {
    let desk = Desk::with(answer);
    desk.file("sources.jsonl", sources);
    let report = desk.json(&["--type", kind], &[]);
    let kinds = report["warnings"].as_array().unwrap();
    let kinds = kinds.iter().map(|warning| warning["kind"].as_str().unwrap().to_owned()).collect();
    (report["verdict"].as_str().unwrap().to_owned(), kinds, report)
}

#[test]
fn nothing_unchecked_passes() {
    let sources = json!({"id": "1", "text": SOURCE, "path": "docs/import.md"}).to_string();
    let good = "It skips empty rows and stops after ten errors [^1].";
    let broken = "x = f(1)\ny = g(x)\nif y > (2:\n    pass\n";
    let block = |info: &str, code: &str| format!("{good}\n\n```{info}\n{code}```\n");
    // Answer, type, whether it has sources, verdict, a kind of warning.
    let rows = [
        (good.to_owned(), "RETRIEVAL", true, "PASS", ""),
        (String::new(), "RETRIEVAL", true, "REVIEW", "unverified"),
        ("[^1]".to_owned(), "RETRIEVAL", true, "REVIEW", "unverified"),
        ("Paris is the capital of Spain [^1].".to_owned(), "CONVERSATIONAL", false, "REVIEW", "unverified"),
        (good.to_owned(), "CONVERSATIONAL", true, "PASS", ""),
        ("You owe us the house.".to_owned(), "PLATFORM", false, "REVIEW", "unverified"),
        (good.to_owned(), "CODE_GENERATION", true, "REVIEW", "unverified"),
        (block("diff", broken), "CODE_GENERATION", true, "REVIEW", "unverified"),
        (block("text", broken), "CODE_GENERATION", true, "REJECT", ""),
        (block("console", broken), "RETRIEVAL", true, "REJECT", ""),
        (block("", "def f(x:\n"), "RETRIEVAL", true, "REJECT", ""),
        (block("", "{\"a\":1,}\n"), "RETRIEVAL", true, "REJECT", ""),
        (block("text", "added 120 packages in 3s\n"), "RETRIEVAL", true, "PASS", "not_code"),
        (
            block("text", "You should delete the whole inbox folder.\n"),
            "RETRIEVAL",
            true,
            "REVIEW",
            "not_code",
        ),
        (block("kotlin", "val x = 1\n"), "RETRIEVAL", true, "REVIEW", "no_grammar"),
        (block("kotlin", "val x = 1\n"), "CODE_GENERATION", true, "REVIEW", "no_grammar"),
        (block("bash", "kubectl apply -f <file>\n"), "RETRIEVAL", true, "REVIEW", "placeholder"),
        (block("python", ">>> print(1)\n1\n"), "RETRIEVAL", true, "REVIEW", "placeholder"),
        (block("javascript", "f();\n...\ng();\n"), "RETRIEVAL", true, "REVIEW", "placeholder"),
        (block("javascript", "f(;\n...\ng();\n"), "RETRIEVAL", true, "REJECT", ""),
    ];
    for (answer, kind, with_sources, verdict, warning) in rows {
        let (found, kinds, report) = told(&answer, kind, if with_sources { &sources } else { "" });
        assert_eq!(found, verdict, "{kind} {answer:?} {report:#}");
        assert!(warning.is_empty() || kinds.iter().any(|kind| kind == warning), "{answer:?} {kinds:?}");
    }
}

#[test]
fn a_rejected_block_says_which_line_and_why() {
    let good = "It skips empty rows and stops after ten errors [^1].";
    let answer = format!(
        "{good}\n\n```json\n[1]\n```\n\n```python\nx = 1\ndef f(:\n```\n\n```kotlin\nval x = 1\n```\n"
    );
    let desk = Desk::with(&answer);
    let report = desk.json(&[], &[]);
    let code = report["code"].as_array().unwrap();
    let statuses: Vec<&Value> = code.iter().map(|block| &block["status"]).collect();
    assert_eq!(statuses, ["VALID", "INVALID", "NO_GRAMMAR"], "{report:#}");
    assert_eq!((&code[1]["first_line"], &code[1]["diagnostics"][0]["line"]), (&json!(8), &json!(2)));
    assert!(report["errors"][0]["detail"].as_str().unwrap().starts_with("block 2, line 2: "), "{report:#}");
    let explained = desk.check(&["--explain"], &[]);
    let explained = String::from_utf8_lossy(&explained.stdout).into_owned();
    for words in [
        "a program; its parser accepts it",
        "its parser rejects it in line 2: ",
        "no parser knows kotlin; not checked",
    ] {
        assert!(explained.contains(words), "{words}: {explained}");
    }
}

#[test]
fn a_report_has_the_forms_of_ci_servers() {
    let desk = Desk::with("The importer skips empty rows [^1].\n\nIt stops after nine errors, says [^7].\n");
    let form = |format: &str| {
        let output = desk.check(&["--format", format], &[]);
        assert_eq!(output.status.code(), Some(3), "{format}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let told = form("github");
    assert!(told.contains("::error file=answer.md,line=3,"), "{told}");
    let sarif: Value = serde_json::from_str(&form("sarif")).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let first = &results[0]["locations"][0]["physicalLocation"];
    assert_eq!(
        (&first["artifactLocation"]["uri"], &first["region"]["startLine"]),
        (&json!("answer.md"), &json!(3))
    );
    let rules = sarif["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap();
    assert!(
        results.iter().all(|one| rules[one["ruleIndex"].as_u64().unwrap() as usize]["id"] == one["ruleId"])
    );
    let junit = form("junit");
    assert!(junit.contains("assay check: REJECT") && junit.contains("answer.md:3: "), "{junit}");
    assert_eq!(serde_json::from_str::<Value>(&form("json")).unwrap()["verdict"], json!("REJECT"));
}
