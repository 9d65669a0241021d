//! The command line as a user meets it: output, exit codes, batches, mistakes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::io::Write as _;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

struct Cli {
    dir: tempfile::TempDir,
}

impl Cli {
    fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap() }
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_assay"));
        command
            .args(args)
            .current_dir(self.dir.path())
            .env_remove("ASSAY_ENDPOINT")
            .env("ASSAY_DATA", self.dir.path().join("data"))
            .env("ASSAY_RETRIEVAL__EMBEDDER", "hashing");
        command
    }

    fn run(&self, args: &[&str]) -> Output {
        self.command(args).stdin(Stdio::null()).output().unwrap()
    }

    fn feed(&self, args: &[&str], input: &str) -> Output {
        let mut child = self
            .command(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        child.wait_with_output().unwrap()
    }

    fn file(&self, name: &str, text: &str) {
        std::fs::write(self.dir.path().join(name), text).unwrap();
    }
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

fn lines(output: &Output) -> Vec<Value> {
    String::from_utf8_lossy(&output.stdout).lines().map(|l| serde_json::from_str(l).unwrap()).collect()
}

fn lines_of(output: &Output, field: &str) -> Vec<Value> {
    lines(output).into_iter().map(|row| row[field].clone()).collect()
}

fn object(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|e| panic!("{e}: {} {}", String::from_utf8_lossy(&output.stdout), stderr(output)))
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_valid_program_exits_0_and_an_invalid_one_1_with_the_remedy() {
    let cli = Cli::new();
    cli.file("good.avap", "addParam(\"name\", name)\naddResult(name)\n");
    cli.file("bad.avap", "addVar(x, 1)\ngetSHA256(x, y)\naddResult(y)\n");
    assert_eq!(code(&cli.run(&["parse", "good.avap"])), 0);
    let bad = cli.run(&["parse", "bad.avap", "--json"]);
    assert_eq!(code(&bad), 1);
    let first = &object(&bad)["diagnostics"][0];
    assert_eq!((first["line"].as_u64(), first["category"].as_str()), (Some(2), Some("unknown_token")));
    assert!(first.to_string().contains("encodeSHA256"), "{first}");
}

#[test]
fn a_batch_keeps_order_and_ids_and_a_bad_line_does_not_stop_it() {
    let cli = Cli::new();
    let input = "{\"id\": 1, \"language\": \"avap\", \"code\": \"addResult(1)\\n\"}\nnot json\n\
                 {\"id\": \"c\", \"language\": \"json\", \"code\": \"[1,]\"}\n\
                 {\"id\": \"d\", \"language\": \"avap\", \"code\": \"x\", \"more\": 1}\n";
    let output = cli.feed(&["parse", "--jsonl", "-"], input);
    assert_eq!(code(&output), 1);
    let rows = lines(&output);
    assert_eq!(rows.len(), 4);
    assert_eq!((&rows[0]["id"], &rows[0]["valid"]), (&json!(1), &json!(true)));
    assert_eq!(rows[1]["error"]["line"], json!(2));
    assert_eq!((&rows[2]["id"], &rows[2]["valid"]), (&json!("c"), &json!(false)));
    assert_eq!(rows[3]["id"], json!("d"));
    assert!(rows[3]["error"]["message"].as_str().unwrap().contains("more"), "{}", rows[3]);
    assert!(stderr(&output).contains("line 2"), "{}", stderr(&output));
    let lenient = cli.feed(
        &["parse", "--jsonl", "-", "--lenient-input"],
        "{\"id\":1,\"code\":\"addResult(1)\\n\",\"more\":1}\n",
    );
    assert_eq!(code(&lenient), 0, "{}", stderr(&lenient));
}

#[test]
fn an_answer_is_checked_against_given_sources_with_the_contracted_exit_codes() {
    let cli = Cli::new();
    let text = "The importer skips empty rows.\nIt stops after one hundred errors.\nThe report is written to report.csv.";
    cli.file("sources.jsonl", &format!("{}\n", json!({ "id": "1", "path": "docs/a.md", "text": text })));
    for (name, answer, expected) in [
        ("pass.md", "The importer skips empty rows [^1].", 0),
        ("uncited.md", "The importer skips empty rows.", 3),
        ("wrong.md", "The importer stops after ten errors [^1].", 3),
        ("range.md", "The importer skips empty rows [^2].", 3),
        ("--no-citations", "The importer skips empty rows.", 0),
        ("--no-citations", "The importer stops after ten errors.", 3),
    ] {
        let output = if name.starts_with("--") {
            cli.feed(&["check", name, "--sources", "sources.jsonl", "--json"], answer)
        } else {
            cli.file(name, answer);
            cli.run(&["check", name, "--sources", "sources.jsonl", "--json"])
        };
        assert_eq!(
            code(&output),
            expected,
            "{name}: {} {}",
            String::from_utf8_lossy(&output.stdout),
            stderr(&output)
        );
    }
    let told = cli.run(&["check", "wrong.md", "--sources", "sources.jsonl", "--explain"]);
    let told = String::from_utf8_lossy(&told.stdout).into_owned();
    assert!(told.contains("the claim says \"ten\" where the source says \"one hundred\""), "{told}");
    assert!(
        told.contains("[^1:1-2] The importer skips empty rows. It stops after one hundred errors."),
        "{told}"
    );
    let plain = cli.run(&["check", "wrong.md", "--sources", "sources.jsonl"]);
    assert!(!String::from_utf8_lossy(&plain.stdout).contains("[^1:"));
    let line = json!({"id": "x", "question": "", "sources": [{"id": "1", "text": text}], "answer": "It stops after one hundred errors [^1]."});
    let row = lines(&cli.feed(&["check", "--jsonl", "-"], &format!("{line}\n"))).remove(0);
    for field in [
        "id",
        "verdict",
        "support",
        "checks",
        "claims",
        "citations",
        "defects",
        "context_relevance",
        "timing_ms",
    ] {
        assert!(row.get(field).is_some(), "{field} is missing in {row}");
    }
    assert_eq!(row["claims"][0]["status"], json!("SUPPORTED"));
    assert_eq!(row["citations"][0]["claim"], json!(0));
}

#[test]
fn a_question_is_asked_recorded_shown_and_verified() {
    let cli = Cli::new();
    std::fs::create_dir(cli.dir.path().join("docs")).unwrap();
    cli.file(
        "docs/importer.md",
        "# The importer\n\nThe importer skips empty rows.\n\nThe importer stops after one hundred errors.\n",
    );
    let ingested = cli.run(&["ingest", "docs", "--json"]);
    assert_eq!(code(&ingested), 0, "{}", stderr(&ingested));
    assert_eq!(object(&ingested)["files"], json!(1));
    let asked = cli.run(&["ask", "--type", "RETRIEVAL", "When does the importer stop?", "--json"]);
    let answer = object(&asked);
    assert_eq!(code(&asked), 0, "{answer:#}");
    assert_eq!(answer["verdict"], json!("PASS"), "{answer:#}");
    assert_eq!(answer["sources"][0]["path"], json!("docs/importer.md"));
    let id = answer["audit"]["id"].as_str().unwrap().to_owned();
    let shown = cli.run(&["audit", "show", &id, "--json"]);
    assert_eq!(object(&shown)["audit_id"], json!(id), "{}", stderr(&shown));
    let verified = cli.run(&["audit", "verify", "--json"]);
    assert_eq!(code(&verified), 0);
    assert_eq!(object(&verified)["leaves"], json!(1));
    let hits = object(&cli.run(&["search", "importer errors", "--json"]));
    assert!(hits["hits"][0]["ranks"]["bm25"].is_u64(), "{hits}");
}

#[test]
fn mistakes_are_told_with_their_exit_codes() {
    let cli = Cli::new();
    assert_eq!(code(&cli.run(&["no-such-command"])), 64);
    assert_eq!(code(&cli.run(&["ask"])), 64);
    let missing = cli.run(&["parse", "no-such-file.avap"]);
    assert_eq!(code(&missing), 1);
    assert!(stderr(&missing).contains("no-such-file.avap"));
    let unreachable = cli.run(&["--endpoint", "http://127.0.0.1:9", "ask", "hello"]);
    assert_eq!(code(&unreachable), 69, "{}", stderr(&unreachable));
    assert!(stderr(&unreachable).contains("endpoint"));
    let later = cli.run(&["eval", "gate"]);
    assert_eq!(code(&later), 69);
    assert!(stderr(&later).contains("unimplemented"), "{}", stderr(&later));
    let setting = cli.command(&["config", "check"]).env("ASSAY_RETRIEVAL__HITS", "many").output().unwrap();
    assert_eq!(code(&setting), 78, "{}", stderr(&setting));
    assert!(stderr(&setting).contains("hits"), "{}", stderr(&setting));
}

#[test]
fn a_head_is_trained_over_any_labels_and_used_alone() {
    let cli = Cli::new();
    let lines: String = ["turn on the light", "switch the lamp on", "dim the lights", "lights off please"]
        .map(|text| json!({ "text": text, "label": "light" }))
        .into_iter()
        .chain(
            ["play some music", "next song", "a jazz playlist", "stop the music"]
                .map(|text| json!({ "text": text, "label": "music" })),
        )
        .map(|line| format!("{line}\n"))
        .collect();
    cli.file("train.jsonl", &lines);
    let trained = cli.run(&["router", "train", "--data", "train.jsonl", "--out", "head.json"]);
    assert_eq!(code(&trained), 0, "{}", stderr(&trained));
    let output = cli.feed(
        &["router", "classify", "--head-only", "--model", "head.json", "--jsonl", "-"],
        "{\"id\": 1, \"text\": \"play the next song\"}\n{\"id\": 2, \"text\": \"the lamp please\"}\n",
    );
    let labels: Vec<Value> = lines_of(&output, "label");
    assert_eq!(labels, [json!("music"), json!("light")]);
    let missing = cli.run(&["router", "train", "--out", "head.json"]);
    assert_eq!(code(&missing), 1);
    assert!(stderr(&missing).contains("--data"), "{}", stderr(&missing));
}

#[test]
fn settings_are_shown_as_a_file_that_can_be_read_back() {
    let cli = Cli::new();
    let docs = cli.run(&["config", "docs"]);
    assert_eq!(code(&docs), 0, "{}", stderr(&docs));
    cli.file("assay.toml", &String::from_utf8(docs.stdout).unwrap());
    let checked = cli.run(&["--config", "assay.toml", "config", "check"]);
    assert_eq!(code(&checked), 0, "{}", stderr(&checked));
}

#[test]
fn a_reader_that_goes_away_is_no_defect() {
    let cli = Cli::new();
    let mut child =
        cli.command(&["config", "docs"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(stderr(&output), "");
}

#[test]
fn a_reader_that_goes_away_does_not_turn_a_rejection_into_a_success() {
    let cli = Cli::new();
    cli.file("sources.jsonl", "{\"id\": \"1\", \"text\": \"Cursors expire after 24 hours.\"}\n");
    cli.file("wrong.md", "Cursors expire after 48 hours [^1].");
    cli.file("bad.avap", "if(x, 1, \"==\")\n");
    for (args, expected) in [
        (&["check", "wrong.md", "--sources", "sources.jsonl"][..], 3),
        (&["check", "wrong.md", "--sources", "sources.jsonl", "--json"], 3),
        (&["parse", "bad.avap"], 1),
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = cli.command(args).stdin(Stdio::null()).stdout(writer).output().unwrap();
        assert_eq!(code(&output), expected, "{args:?} {}", stderr(&output));
        assert!(!stderr(&output).contains("panicked"), "{}", stderr(&output));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told_and_no_panic() {
    let cli = Cli::new();
    cli.file("sources.jsonl", "{\"id\": \"1\", \"text\": \"Cursors expire after 24 hours.\"}\n");
    cli.file("right.md", "Cursors expire after 24 hours [^1].");
    for args in [
        &["check", "right.md", "--sources", "sources.jsonl"][..],
        &["parse", "--explain", "AVAP018"],
        &["parse", "right.md", "--format", "trace", "--language", "avap"],
        &["completions", "bash"],
        &["version"],
    ] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = cli.command(args).stdin(Stdio::null()).stdout(full).output().unwrap();
        assert_eq!(code(&output), 70, "{args:?} {}", stderr(&output));
        assert!(stderr(&output).contains("cannot write the output"), "{}", stderr(&output));
        assert!(!stderr(&output).contains("panicked"), "{}", stderr(&output));
    }
}

#[test]
fn a_batch_of_answers_says_what_is_wrong_with_a_line_and_where() {
    let cli = Cli::new();
    let source = "{\"id\": \"a\", \"text\": \"Cursors expire after 24 hours.\", \"score\": 0.7}";
    let right = format!(
        "{{\"id\": 1, \"sources\": [{source}], \"answer\": \"Cursors expire after 24 hours [^1].\"}}"
    );
    let input = format!(
        "\u{feff}{right}\n[1, 2]\n{{\"id\": 3,\n{{\"id\": 4, \"sources\": [\"text\"], \"answer\": \"\"}}\n"
    );
    let strict = lines(&cli.feed(&["check", "--jsonl", "-"], &input));
    let told = |row: usize| strict[row]["error"]["message"].as_str().unwrap().to_owned();
    assert!(
        told(0).contains("score") && told(0).contains("column") && !told(0).contains("line 1"),
        "{}",
        told(0)
    );
    assert_eq!(told(1), "not a JSON object");
    assert!(told(2).starts_with("not JSON"), "{}", told(2));
    assert!(told(3).contains("{id, text, path?, first_line?}"), "{}", told(3));
    let lenient = cli.feed(&["check", "--jsonl", "-", "--lenient-input"], &input);
    assert_eq!(code(&lenient), 1);
    assert_eq!(lines(&lenient)[0]["verdict"], json!("PASS"));
    cli.file("sources.jsonl", &format!("\u{feff}{{\"text\": \"A port is open.\"}}\n{source}\n"));
    let args = ["check", "--sources", "sources.jsonl"];
    let refused = cli.feed(&args, "Cursors expire after 24 hours [^2].");
    assert!(
        stderr(&refused).contains("sources.jsonl, line 2: ") && stderr(&refused).contains("score"),
        "{}",
        stderr(&refused)
    );
    let taken = cli.feed(&[&args[..], &["--lenient-input"]].concat(), "Cursors expire after 24 hours [^2].");
    assert_eq!(code(&taken), 0, "{}", stderr(&taken));
}

#[test]
fn a_caller_who_waits_for_each_answer_gets_it() {
    use std::io::BufRead as _;
    let cli = Cli::new();
    let mut child = cli
        .command(&["parse", "--jsonl", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = std::io::BufReader::new(child.stdout.take().unwrap());
    for id in 0..3 {
        writeln!(input, "{}", json!({"id": id, "code": "addResult(1)\n"})).unwrap();
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        assert_eq!(serde_json::from_str::<Value>(&line).unwrap()["id"], json!(id));
    }
    drop(input);
    assert!(child.wait().unwrap().success());
}

#[test]
fn what_is_no_batch_ends_with_a_word_and_not_never() {
    let cli = Cli::new();
    let folder = cli.run(&["check", "--jsonl", "."]);
    assert_eq!((code(&folder), lines(&folder).len()), (1, 1), "{}", stderr(&folder));
    let long = format!(
        "{{\"id\": 1, \"code\": \"{}\"}}\n\u{00ff}\n{{\"id\": 3, \"code\": \"addResult(1)\"}}\n",
        "x".repeat(17 << 20)
    );
    let output = cli.feed(&["parse", "--jsonl", "-"], &long);
    let rows = lines(&output);
    assert!(rows[0]["error"]["message"].as_str().unwrap().contains("at most"), "{}", rows[0]);
    assert_eq!((rows.len(), &rows[1]["error"]["line"], &rows[2]["valid"]), (3, &json!(2), &json!(true)));
}

#[test]
fn the_exit_code_of_a_batch_tells_its_verdicts_where_it_is_asked_to() {
    let cli = Cli::new();
    let line = |answer: &str| {
        json!({"id": 1, "sources": [{"id": "1", "text": "Cursors expire after 24 hours."}], "answer": answer})
            .to_string()
    };
    let right = line("Cursors expire after 24 hours [^1].");
    let review = line("Cursors expire after 24 hours [^1]. Penguins live on the southern ice [^1].");
    let wrong = line("Cursors expire after 48 hours [^1].");
    for (input, args, expected) in [
        (format!("{right}\n{wrong}\n"), &[][..], 0),
        (format!("{right}\n{wrong}\n"), &["--fail-on", "reject"], 3),
        (format!("{right}\n{review}\n"), &["--fail-on", "reject"], 0),
        (format!("{right}\n{review}\n"), &["--fail-on", "review"], 2),
        (format!("{right}\n{right}\n"), &["--fail-on", "review"], 0),
        (format!("{right}\nnot json\n"), &["--fail-on", "review"], 1),
    ] {
        let output = cli.feed(&[&["check", "--jsonl", "-"], args].concat(), &input);
        assert_eq!(code(&output), expected, "{args:?} {}", String::from_utf8_lossy(&output.stdout));
    }
}

#[test]
fn the_page_about_checking_says_what_the_program_does() {
    let page =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/checking.md")).unwrap();
    let batch = page.split("```jsonl\n").nth(1).unwrap().split("```").next().unwrap();
    let cli = Cli::new();
    let output = cli.feed(&["check", "--jsonl", "-"], batch);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let rows = lines(&output);
    assert_eq!(rows.len(), batch.lines().count());
    for row in &rows {
        let told = format!("| `{}` | `{}` |", row["id"].as_str().unwrap(), row["verdict"].as_str().unwrap());
        assert!(page.contains(&told), "the page does not say {told}");
        for field in row.as_object().unwrap().keys().filter(|field| *field != "id") {
            assert!(page.contains(&format!("| `{field}` |")), "the page does not name {field}");
        }
    }
    let policy = |name: &str| {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../libs/grounding/data/policy/");
        let text = std::fs::read_to_string(format!("{path}{name}.toml")).unwrap();
        text.parse::<toml::Table>().unwrap()
    };
    let policies = ["strict", "balanced", "lenient"].map(policy);
    let row = |told: &dyn Fn(&toml::Table) -> String| policies.each_ref().map(told).join(" | ");
    let reject = |what: &str, policy: &toml::Table| {
        let share = policy[&format!("{what}_share")].as_float().unwrap() * 100.0;
        let more = if share > 0.0 { format!(", and more than {share} %") } else { String::new() };
        format!("{}{more}", policy[&format!("{what}_count")])
    };
    for told in [
        row(&|policy| policy["supported_below"].as_str().unwrap().trim_end_matches('%').to_owned()),
        row(&|policy| reject("unsupported", policy)),
        row(&|policy| reject("uncited", policy)),
    ] {
        assert!(page.contains(&format!(" | {told} |")), "the page does not say {told}");
    }
    let fields = cli.feed(&["check", "--jsonl", "-"], "{\"answer\": \"\", \"no such field\": 1}\n");
    let known = stderr(&fields);
    for field in known.split("expected one of ").nth(1).unwrap().split('`').skip(1).step_by(2) {
        assert!(page.contains(&format!("| `{field}` |")), "the page does not name {field}");
    }
}

#[test]
fn a_file_that_cannot_be_read_does_not_end_the_run() {
    use std::os::unix::fs::PermissionsExt as _;
    let cli = Cli::new();
    let folder = cli.dir.path().join("programs");
    std::fs::create_dir(&folder).unwrap();
    cli.file("programs/one.avap", "addResult(1)\n");
    cli.file("programs/two.avap", "if(x, 1, \"==\")\n");
    cli.file("programs/notes.md", "no program");
    let sarif = cli.run(&["parse", "missing.avap", "programs", "--format", "sarif"]);
    assert_eq!(code(&sarif), 1);
    assert!(stderr(&sarif).contains("missing.avap"), "{}", stderr(&sarif));
    assert!(object(&sarif).to_string().contains("two.avap"), "{}", object(&sarif));
    let told = cli.run(&["parse", "missing.avap", "programs"]);
    let text = String::from_utf8_lossy(&told.stdout).into_owned();
    assert!(
        text.contains("one.avap: valid") && text.contains("two.avap: INVALID") && !text.contains("notes"),
        "{text}"
    );
    // A program that may not be written stays as it is, and so do the permissions of one that may.
    cli.file("kept.avap", "x=1\naddResult(x)\n");
    let kept = cli.dir.path().join("kept.avap");
    std::fs::set_permissions(&kept, std::fs::Permissions::from_mode(0o444)).unwrap();
    let refused = cli.run(&["fmt", "kept.avap"]);
    assert_eq!(code(&refused), 1, "{}", stderr(&refused));
    assert_eq!(std::fs::read_to_string(&kept).unwrap(), "x=1\naddResult(x)\n");
    std::fs::set_permissions(&kept, std::fs::Permissions::from_mode(0o640)).unwrap();
    assert_eq!(code(&cli.run(&["fmt", "missing.avap", "kept.avap"])), 1);
    // One that may not be written does not keep the next from being laid out.
    cli.file("sealed.avap", "x=1\naddResult(x)\n");
    let sealed = cli.dir.path().join("sealed.avap");
    std::fs::set_permissions(&sealed, std::fs::Permissions::from_mode(0o444)).unwrap();
    cli.file("next.avap", "x=1\naddResult(x)\n");
    assert_eq!(code(&cli.run(&["fmt", "sealed.avap", "next.avap"])), 1);
    assert_eq!(std::fs::read_to_string(cli.dir.path().join("next.avap")).unwrap(), "x = 1\naddResult(x)\n");
    assert_eq!(std::fs::read_to_string(&kept).unwrap(), "x = 1\naddResult(x)\n");
    assert_eq!(std::fs::metadata(&kept).unwrap().permissions().mode() & 0o777, 0o640);
}

#[test]
fn completions_and_versions_are_printed() {
    let cli = Cli::new();
    for shell in ["bash", "zsh", "fish"] {
        let output = cli.run(&["completions", shell]);
        assert!(String::from_utf8_lossy(&output.stdout).contains("ingest"), "{shell}");
    }
    let version = object(&cli.run(&["version", "--json"]));
    assert_eq!(version["parser"]["grammar_hash"].as_str().unwrap().len(), 64);
}

#[test]
fn a_key_is_shown_once_and_its_file_holds_its_hash_only() {
    use std::os::unix::fs::PermissionsExt as _;
    let cli = Cli::new();
    let create = [
        "keys",
        "create",
        "--principal",
        "ci",
        "--tenant",
        "acme",
        "--role",
        "ask,ingest",
        "--file",
        "k.toml",
    ];
    let made = cli.run(&create);
    assert_eq!(code(&made), 0, "{}", stderr(&made));
    let key = String::from_utf8(made.stdout).unwrap().trim().to_owned();
    let parts: Vec<&str> = key.split('_').collect();
    assert_eq!((parts[0], parts[1].len(), parts[2].len()), ("assay", 12, 64));
    let path = cli.dir.path().join("k.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains(parts[1]) && !text.contains(parts[2]), "{text}");
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);

    let second =
        object(&cli.run(&[&create[..], &["--expires", "30", "--name", "night job", "--json"]].concat()));
    assert_eq!(second["roles"], json!(["ask", "ingest"]));
    assert!(second["key"].as_str().unwrap().starts_with("assay_"));
    let disabled = cli.run(&["keys", "disable", parts[1], "--file", "k.toml"]);
    assert_eq!(code(&disabled), 0, "{}", stderr(&disabled));
    let listed = object(&cli.run(&["keys", "list", "--file", "k.toml", "--json"]));
    let states: Vec<&str> =
        listed["keys"].as_array().unwrap().iter().map(|key| key["state"].as_str().unwrap()).collect();
    assert_eq!(states, ["disabled", "active"]);
    assert_eq!(listed["keys"][1]["name"], "night job");
    assert!(!listed.to_string().contains(parts[2]));
    assert_eq!(code(&cli.run(&["keys", "remove", parts[1], "--file", "k.toml"])), 0);
    let table = cli.run(&["keys", "list", "--file", "k.toml"]);
    assert!(!String::from_utf8_lossy(&table.stdout).contains(parts[1]));
    assert!(String::from_utf8_lossy(&table.stdout).contains("acme/ci"));
}

#[test]
fn mistakes_with_keys_are_named_and_change_nothing() {
    let cli = Cli::new();
    let create = ["keys", "create", "--principal", "ci", "--tenant", "acme", "--file", "k.toml"];
    let king = cli.run(&[&create[..], &["--role", "king"]].concat());
    assert_eq!(code(&king), 64);
    assert!(stderr(&king).contains("ingest"), "{}", stderr(&king));
    assert_eq!(code(&cli.run(&create)), 64, "a key without a role opens nothing");
    let nowhere = cli.run(&["keys", "list"]);
    assert!(stderr(&nowhere).contains("--file"), "{}", stderr(&nowhere));
    assert_ne!(code(&nowhere), 0);
    let never = cli.run(&[&create[..], &["--role", "ask", "--expires", "0"]].concat());
    assert_ne!(code(&never), 0);
    assert!(!cli.dir.path().join("k.toml").exists() && !cli.dir.path().join("k.toml.new").exists());

    cli.file("k.toml", "[[key]]\nid = \"x\"\n");
    let broken = cli.run(&[&create[..], &["--role", "ask"]].concat());
    assert_eq!(code(&broken), 78, "{}", stderr(&broken));
    cli.file("k.toml", "");
    assert_ne!(code(&cli.run(&["keys", "remove", "010101010101", "--file", "k.toml"])), 0);
    cli.file("k.toml.new", "");
    let busy = cli.run(&[&create[..], &["--role", "ask"]].concat());
    assert!(stderr(&busy).contains("another change"), "{}", stderr(&busy));
}

#[test]
fn a_system_beyond_loopback_does_not_start_without_authentication() {
    let cli = Cli::new();
    let open = cli.run(&["up", "--http", "0.0.0.0:0", "--grpc", "127.0.0.1:0"]);
    assert_eq!(code(&open), 78, "{}", stderr(&open));
    assert!(stderr(&open).contains("auth.keys_file"), "{}", stderr(&open));
}

#[test]
fn code_blocks_of_a_markdown_text_are_judged_where_they_stand() {
    let cli = Cli::new();
    let text = "# A\n\n- item\n\n  ```avap\n  x = 1\n  getSHA256(x, y)\n  addResult(y)\n  ```\n\n> ```python\n> x = (1\n> ```\n\n```text\nfree\n```\n\n```kotlin\nval x\n```\n";
    cli.file("a.md", text);
    let told = cli.run(&["parse", "a.md", "--format", "trace"]);
    assert_eq!(code(&told), 1);
    assert_eq!(
        String::from_utf8_lossy(&told.stdout),
        "Line 7: unknown command 'getSHA256' — did you mean 'encodeSHA256'?\nLine 12: '(' is not closed, after 'x ='\n"
    );
    let parsed = object(&cli.run(&["parse", "a.md", "--json"]));
    let states: Vec<&str> =
        parsed["blocks"].as_array().unwrap().iter().filter_map(|b| b["state"].as_str()).collect();
    assert_eq!(states, ["INVALID", "INVALID", "NO_GRAMMAR"]);
    let places: Vec<(u64, u64)> = parsed["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .map(|d| (d["line"].as_u64().unwrap(), d["column"].as_u64().unwrap()))
        .collect();
    assert_eq!(places, [(7, 3), (12, 7)]);
    let plain = cli.run(&["parse", "a.md"]);
    assert!(String::from_utf8_lossy(&plain.stdout).contains("a.md: INVALID (3 code blocks)"));
    assert!(!String::from_utf8_lossy(&plain.stdout).contains('\u{1b}'));
    cli.file("good.md", "```json\n[1]\n```\n");
    assert_eq!(code(&cli.run(&["parse", "good.md"])), 0);
}

#[test]
fn a_check_of_the_layout_says_what_would_change() {
    let cli = Cli::new();
    cli.file("a.avap", "x=1\nif(x, 1, \"==\")\naddResult(x)\nend()\n");
    let checked = cli.run(&["fmt", "--check", "--diff", "a.avap"]);
    assert_eq!(code(&checked), 1);
    let told = String::from_utf8_lossy(&checked.stdout).into_owned();
    assert!(
        told.contains("@@ line 1 @@\n-x=1\n+x = 1\n@@ line 3 @@\n-addResult(x)\n+    addResult(x)\n"),
        "{told}"
    );
    assert_eq!(code(&cli.run(&["fmt", "--diff", "a.avap"])), 64);
    assert_eq!(code(&cli.run(&["fmt", "a.avap"])), 0);
    let kept = cli.run(&["fmt", "--check", "--diff", "a.avap"]);
    assert_eq!((code(&kept), kept.stdout.len()), (0, 0));
}

#[test]
fn a_folder_is_walked_once_and_an_empty_one_is_told() {
    let cli = Cli::new();
    let folder = cli.dir.path().join("programs");
    std::fs::create_dir_all(folder.join("deep")).unwrap();
    cli.file("programs/b.avap", "addResult(1)\n");
    cli.file("programs/deep/a.avap", "addResult(1)\n");
    // Links that lead back would be walked for ever, or twice to the power of their depth.
    for name in ["one", "two"] {
        std::os::unix::fs::symlink(&folder, folder.join(name)).unwrap();
    }
    let parsed = cli.run(&["parse", "programs", "--profile", "core,full"]);
    assert_eq!(code(&parsed), 0, "{}", stderr(&parsed));
    let told = String::from_utf8_lossy(&parsed.stdout).into_owned();
    assert_eq!(told, "programs/b.avap: valid\nprograms/deep/a.avap: valid\n");
    std::fs::create_dir(cli.dir.path().join("empty")).unwrap();
    let empty = cli.run(&["parse", "empty"]);
    assert!(stderr(&empty).contains("no .avap file below empty"), "{}", stderr(&empty));
}

#[test]
fn laying_out_a_folder_touches_no_file_outside_of_it() {
    let cli = Cli::new();
    std::fs::create_dir(cli.dir.path().join("own")).unwrap();
    cli.file("own/a.avap", "addResult( 1 )\n");
    cli.file("other.avap", "addResult( 2 )\n");
    std::os::unix::fs::symlink(cli.dir.path().join("other.avap"), cli.dir.path().join("own/b.avap")).unwrap();
    assert_eq!(code(&cli.run(&["fmt", "own"])), 0);
    let text = |name: &str| std::fs::read_to_string(cli.dir.path().join(name)).unwrap();
    assert_eq!(
        (text("own/a.avap").as_str(), text("other.avap").as_str()),
        ("addResult(1)\n", "addResult( 2 )\n")
    );
    // A link that is named is followed, and stays a link.
    assert_eq!(code(&cli.run(&["fmt", "own/b.avap"])), 0);
    assert_eq!(text("other.avap"), "addResult(2)\n");
    // What stands where the new text is written first is not written through.
    cli.file("precious", "keep me");
    cli.file("c.avap", "addResult( 3 )\n");
    let script = "ln -s precious c.avap.$$.tmp; exec \"$0\" fmt c.avap";
    let mut guessed = Command::new("sh");
    guessed.args(["-c", script, env!("CARGO_BIN_EXE_assay")]).current_dir(cli.dir.path());
    assert!(!guessed.output().unwrap().status.success());
    assert_eq!((text("precious").as_str(), text("c.avap").as_str()), ("keep me", "addResult( 3 )\n"));
}

#[test]
fn an_answer_and_its_sources_cannot_both_be_standard_input() {
    let cli = Cli::new();
    let both = cli.feed(&["check", "--sources", "-"], "{\"id\": \"1\", \"text\": \"One.\"}\n");
    assert_eq!(code(&both), 1, "{}", stderr(&both));
    assert!(stderr(&both).contains("standard input"), "{}", stderr(&both));
}

#[test]
fn a_batch_that_is_stopped_ends_with_a_whole_line_and_says_so() {
    let cli = Cli::new();
    let line = json!({"id": 1, "sources": [{"text": "Cursors expire after 24 hours."}], "answer": "Cursors expire after 24 hours [^1]."});
    for signal in ["-INT", "-TERM"] {
        let mut child = cli
            .command(&["check", "--jsonl", "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut input = child.stdin.take().unwrap();
        writeln!(input, "{line}").unwrap();
        let mut first = String::new();
        let mut output = std::io::BufReader::new(child.stdout.take().unwrap());
        std::io::BufRead::read_line(&mut output, &mut first).unwrap();
        assert!(first.ends_with('\n'));
        // The input stays open: it waits for the next line.
        Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
        let mut rest = String::new();
        std::io::Read::read_to_string(&mut output, &mut rest).unwrap();
        let ended = child.wait_with_output().unwrap();
        drop(input);
        assert_eq!((code(&ended), rest.as_str()), (130, ""), "{}", stderr(&ended));
        assert!(stderr(&ended).contains("interrupted after 1 line"), "{}", stderr(&ended));
    }
}

#[test]
fn a_code_of_any_language_is_explained() {
    let cli = Cli::new();
    for (code, words) in [
        ("AVAP018", "A block is not closed"),
        ("avap018", "A block is not closed"),
        ("PY003", "is not closed"),
    ] {
        let told = cli.run(&["parse", "--explain", code]);
        assert_eq!(self::code(&told), 0, "{code} {}", stderr(&told));
        assert!(String::from_utf8_lossy(&told.stdout).contains(words), "{code}");
    }
    let unknown = cli.run(&["parse", "--explain", "PY999"]);
    assert_eq!(code(&unknown), 1);
    assert!(stderr(&unknown).contains("AVAP001"), "{}", stderr(&unknown));
    cli.file("a.py", "x = (1\n");
    let sarif = object(&cli.run(&["parse", "a.py", "--format", "sarif"]));
    let rule = &sarif["runs"][0]["tool"]["driver"]["rules"][0];
    assert_eq!(rule["id"], "PY003");
    assert!(rule["shortDescription"]["text"].as_str().unwrap().contains("not closed"), "{rule}");
}
