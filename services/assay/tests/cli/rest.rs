//! Mistakes, settings, output that cannot be written.

use std::process::Stdio;

use serde_json::{Value, json};

use crate::{Cli, code, lines_of, object, stderr};

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
    let setting = cli.command(&["config", "check"]).env("ASSAY_RETRIEVAL__HITS", "many").output().unwrap();
    assert_eq!(code(&setting), 78, "{}", stderr(&setting));
    assert!(stderr(&setting).contains("hits"), "{}", stderr(&setting));
}

#[test]
fn a_check_of_settings_finds_what_cannot_start() {
    let cli = Cli::new();
    for (name, value, told) in [
        ("ANTHROPIC_MODEL", "claude-x", "anthropic_api_key"),
        ("ASSAY_VALIDATION__POLICY", "nosuch", "strict, balanced or lenient"),
        ("ASSAY_ROUTER__PROFILE", "nosuch", "profile"),
        ("ASSAY_GENERATION__MAIN", "nosuch:model", "extractive, ollama, openai"),
        ("ASSAY_RETRIEVAL__EMBEDDER", "foo", "`auto`, `minilm`, `hashing`"),
        ("ASSAY_LIMITS__CALL_SECONDS", "0", "call_seconds"),
        ("ASSAY_GATEWAY__HTTP", "127.0.0.1:7199", "a port of its own"),
        ("ASSAY_GATEWAY__AUTH__KEYS_FILE", "no-keys.toml", "no-keys.toml"),
        ("ASSAY_VALIDATION__POLICY_FILE", "no-policy.toml", "no-policy.toml"),
        ("ASSAY_VALIDATION__ENTAILMENT_MODEL", "nosuch", "its successor is reader.kind"),
        ("ASSAY_GENERATION__RERANKER_MODEL", "nosuch", "generation.reranker_model is gone"),
        ("ASSAY_READER__KIND", "folder", "name the folder"),
        ("ASSAY_READER__KIND", "served", "reader.served.url"),
        ("ASSAY_RETRIEVAL__EMBEDDER", "minilm", "assay models pull"),
        ("ASSAY_RETRIEVAL__MAX_FILES", "0", "retrieval.max_files"),
        ("ASSAY_ROUTER__CODE_LANGUAGE", "cobol", "router.code_language = \"cobol\": no parser knows"),
        ("ASSAY_EVALUATION__DEFAULT_LANGUAGE", "cobol", "give one of avap, bash, go"),
        ("ASSAY_MODELS__TOKEN_FILE", "no-token", "models.token_file"),
    ] {
        let checked = config_check(&cli, &[]).env(name, value).output().unwrap();
        assert_eq!(code(&checked), 78, "{name}: {}", stderr(&checked));
        assert!(stderr(&checked).contains(told), "{name}: {}", stderr(&checked));
    }
}

/// `assay config check`, without the models that the tests of other crates may use.
fn config_check(cli: &Cli, flags: &[&str]) -> std::process::Command {
    let mut command = cli.command(&[flags, &["config", "check"]].concat());
    command.env_remove("ASSAY_MODELS_DIR");
    command
}

#[test]
fn a_check_of_settings_guards_the_grpc_address() {
    let cli = Cli::new();
    cli.file("assay.toml", "grpc = \"0.0.0.0:7199\"\n");
    let checked = cli.run(&["--config", "assay.toml", "config", "check"]);
    assert_eq!(code(&checked), 78, "{}", stderr(&checked));
    assert!(stderr(&checked).contains("not loopback"), "{}", stderr(&checked));
}

#[test]
fn a_check_of_settings_names_those_without_effect() {
    let cli = Cli::new();
    let checked = config_check(&cli, &[]).env("ANTHROPIC_API_KEY", "k").output().unwrap();
    assert_eq!(code(&checked), 0, "{}", stderr(&checked));
    let told = String::from_utf8(checked.stdout).unwrap();
    let first = "generation.anthropic_api_key is ignored: it needs a slot such as anthropic:MODEL";
    assert_eq!(told.lines().next(), Some(first));
    let checked = config_check(&cli, &["--json"]).env("ANTHROPIC_API_KEY", "k").output().unwrap();
    assert_eq!(object(&checked)["ignored"][0]["setting"], "generation.anthropic_api_key");
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
fn shown_settings_can_be_read_back_as_a_file() {
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
fn closed_output_keeps_the_exit_code_of_a_rejection() {
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
fn a_system_beyond_loopback_does_not_start_without_authentication() {
    let cli = Cli::new();
    let open = cli.run(&["up", "--http", "0.0.0.0:0", "--grpc", "127.0.0.1:0"]);
    assert_eq!(code(&open), 78, "{}", stderr(&open));
    assert!(stderr(&open).contains("auth.keys_file"), "{}", stderr(&open));
}

#[test]
fn what_cannot_be_indexed_is_told_and_changes_nothing() {
    let cli = Cli::new();
    std::fs::create_dir_all(cli.dir.path().join("docs")).unwrap();
    std::fs::create_dir_all(cli.dir.path().join("empty")).unwrap();
    cli.file("docs/a.md", "# Importer\n\nThe importer skips empty rows.\n");
    cli.file("data.bin", "x");
    let lines: String =
        (0..3).map(|id| format!("{{\"id\": {id}, \"text\": \"Penguins live in the south.\"}}\n")).collect();
    cli.file("corpus.jsonl", &lines);
    let corpus = ["ingest", "--no-chunking", "--replace", "--jsonl"];
    assert_eq!(code(&cli.run(&[&corpus[..], &["corpus.jsonl"]].concat())), 0);
    let chunks = || object(&cli.run(&["search", "penguins", "--json"]))["hits"].as_array().unwrap().len();
    assert_eq!(chunks(), 3);
    // A corpus that breaks off in its middle is no whole corpus: what is behind the break is not forgotten.
    cli.file("broken.jsonl", "{\"id\": 0, \"text\": \"Penguins live in the south.\"}\n{\"id\": 1,\n");
    let broken = cli.run(&[&corpus[..], &["broken.jsonl"]].concat());
    assert_eq!(code(&broken), 1);
    assert!(stderr(&broken).contains("broken.jsonl line 2: not JSON"), "{}", stderr(&broken));
    assert_eq!(chunks(), 3);
    let missing = cli.run(&["ingest", "docs", "missing"]);
    assert_eq!(code(&missing), 1);
    assert!(stderr(&missing).contains("missing: No such file"), "{}", stderr(&missing));
    let nothing = cli.run(&["ingest", "docs", "empty", "data.bin", "/dev/null"]);
    for told in ["empty: there is no file in it", "data.bin: files of its kind", "/dev/null: it is neither"] {
        assert!(stderr(&nothing).contains(told), "{}", stderr(&nothing));
    }
    assert!(String::from_utf8_lossy(&nothing.stdout).contains("(0 files unchanged, 3 left out)"));
    assert!(!stderr(&nothing).contains("is empty"));
    let empty = cli.run(&["ingest", "empty", "--collection", "shop"]);
    assert!(stderr(&empty).contains("warning: collection shop is empty"), "{}", stderr(&empty));
}

/// Runs git in a folder.
pub(crate) fn git(folder: &std::path::Path, args: &[&str]) -> String {
    let mut git = std::process::Command::new("git");
    git.arg("-C").arg(folder).args(["-c", "user.name=a", "-c", "user.email=a@example.org"]).args(args);
    let output = git.output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", stderr(&output));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

#[test]
fn a_commit_and_its_archive_are_ingested() {
    let cli = Cli::new();
    let repository = cli.dir.path().join("pages");
    std::fs::create_dir(&repository).unwrap();
    cli.file("pages/importer.md", "# Importer\n\nThe importer skips empty rows.\n");
    git(&repository, &["init", "-q"]);
    git(&repository, &["add", "."]);
    git(&repository, &["commit", "-q", "-m", "first"]);
    let hash = git(&repository, &["rev-parse", "HEAD"]);
    git(&repository, &["archive", "--format=tar.gz", "--output=../manual.tar.gz", "HEAD"]);
    cli.file("pages/importer.md", "# Importer\n\nThe importer counts empty rows.\n");

    let ingested = cli.run(&["ingest", "pages", "--commit", "HEAD", "--json"]);
    assert_eq!(object(&ingested)["files"], json!(1), "{}", stderr(&ingested));
    let answer = object(&cli.run(&["ask", "What does the importer skip?", "--type", "RETRIEVAL", "--json"]));
    assert_eq!(answer["sources"][0]["commit"], json!(hash), "{answer:#}");
    assert!(answer["sources"][0]["text"].as_str().unwrap().contains("skips"), "{answer:#}");

    let ingested = cli.run(&["ingest", "manual.tar.gz", "--collection", "manual", "--json"]);
    assert_eq!(object(&ingested)["files"], json!(1), "{}", stderr(&ingested));
    let found = object(&cli.run(&["search", "importer", "--collection", "manual", "--json"]));
    assert_eq!(found["hits"][0]["path"], json!("manual/importer.md"));

    let without = cli.command(&["ingest", "pages", "--commit", "HEAD"]).env("PATH", "").output().unwrap();
    assert_eq!(code(&without), 78, "{}", stderr(&without));
    assert!(stderr(&without).contains("`git` cannot be run"), "{}", stderr(&without));
    // A damaged archive changes nothing.
    let archive = cli.dir.path().join("manual.tar.gz");
    let content = std::fs::read(&archive).unwrap();
    std::fs::write(&archive, &content[..content.len() / 2]).unwrap();
    let broken = cli.run(&["ingest", "manual.tar.gz", "--collection", "manual"]);
    assert_eq!(code(&broken), 1, "{}", stderr(&broken));
    let found = object(&cli.run(&["search", "importer", "--collection", "manual", "--json"]));
    assert_eq!(found["hits"][0]["path"], json!("manual/importer.md"));
}
