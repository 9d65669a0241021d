//! The head of the router: explained, measured, promoted, rolled back.

use serde_json::{Value, json};

use crate::{Cli, code, object, stderr};

/// A head over the four types that takes every message for what its first word says.
fn train(cli: &Cli, name: &str) {
    let types = [
        ("alpha", "RETRIEVAL"),
        ("beta", "CODE_GENERATION"),
        ("gamma", "PLATFORM"),
        ("delta", "CONVERSATIONAL"),
    ];
    let lines: String = types
        .iter()
        .flat_map(|(word, label)| {
            (0..6).map(move |n| json!({ "text": format!("{word} {word} {n}"), "label": label }))
        })
        .map(|line| format!("{line}\n"))
        .collect();
    cli.file("train.jsonl", &lines);
    let trained = cli.run(&["router", "train", "--data", "train.jsonl", "--out", name]);
    assert_eq!(code(&trained), 0, "{}", stderr(&trained));
}

/// Three hundred messages that only the head of [`train`] understands.
fn holdout(cli: &Cli, name: &str, word: &str, label: &str) {
    let lines: String = (0..300)
        .map(|n| format!("{}\n", json!({ "text": format!("{word} {word} {n}"), "label": label })))
        .collect();
    cli.file(name, &lines);
}

fn label_of(cli: &Cli, message: &str) -> Value {
    object(&cli.run(&["router", "classify", message, "--json"]))["label"].clone()
}

#[test]
fn a_better_head_is_promoted_used_and_rolled_back() {
    let cli = Cli::new();
    train(&cli, "head.json");
    holdout(&cli, "holdout.jsonl", "beta", "CODE_GENERATION");
    let before = label_of(&cli, "beta beta beta");
    assert_ne!(before, json!("CODE_GENERATION"));

    let evaluated = object(&cli.run(&["router", "eval", "holdout.jsonl", "--model", "head.json", "--json"]));
    assert_eq!(evaluated["evaluation"]["all"], json!({ "messages": 300, "right": 300, "accuracy": 1.0 }));
    assert_eq!(evaluated["beside_the_head_in_use"]["against"], json!([]));

    let promoted = cli.run(&["router", "promote", "head.json", "--holdout", "holdout.jsonl"]);
    assert_eq!(code(&promoted), 0, "{}", stderr(&promoted));
    assert_eq!(label_of(&cli, "beta beta beta"), json!("CODE_GENERATION"));
    let shown = object(&cli.run(&["router", "show", "--json"]));
    assert_eq!(
        (&shown["history"][0]["action"], &shown["history"][0]["forced"]),
        (&json!("promote"), &json!(false))
    );

    let back = cli.run(&["router", "rollback"]);
    assert_eq!(code(&back), 0, "{}", stderr(&back));
    assert_eq!(label_of(&cli, "beta beta beta"), before);
    let nothing = cli.run(&["router", "rollback"]);
    assert!(code(&nothing) == 1 && stderr(&nothing).contains("no head is promoted"), "{}", stderr(&nothing));
}

#[test]
fn a_head_that_is_not_better_stays_out_and_another_holdout_is_refused() {
    let cli = Cli::new();
    train(&cli, "head.json");
    holdout(&cli, "even.jsonl", "How do I read the parameter", "RETRIEVAL");
    let even = cli.run(&["router", "promote", "head.json", "--holdout", "even.jsonl"]);
    assert!(code(&even) == 1 && stderr(&even).contains("the head in use stays"), "{}", stderr(&even));
    assert_eq!(object(&cli.run(&["router", "show", "--json"]))["history"], json!([]));

    holdout(&cli, "holdout.jsonl", "beta", "CODE_GENERATION");
    assert_eq!(code(&cli.run(&["router", "promote", "head.json", "--holdout", "holdout.jsonl"])), 0);
    let other = cli.run(&["router", "promote", "head.json", "--holdout", "even.jsonl"]);
    assert!(code(&other) == 1 && stderr(&other).contains("not the frozen one"), "{}", stderr(&other));
}

#[test]
fn a_cut_off_history_loses_its_last_line_only() {
    let cli = Cli::new();
    train(&cli, "head.json");
    holdout(&cli, "holdout.jsonl", "beta", "CODE_GENERATION");
    assert_eq!(code(&cli.run(&["router", "promote", "head.json", "--holdout", "holdout.jsonl"])), 0);
    let history = cli.dir.path().join("data/router/heads/history.jsonl");
    let mut text = std::fs::read_to_string(&history).unwrap();
    text.push_str("{\"action\":\"roll");
    std::fs::write(&history, text).unwrap();
    assert_eq!(label_of(&cli, "beta beta beta"), json!("CODE_GENERATION"));
    assert_eq!(code(&cli.run(&["router", "rollback"])), 0);
    assert_ne!(label_of(&cli, "beta beta beta"), json!("CODE_GENERATION"));
}

#[test]
fn a_setting_names_the_head_and_a_wrong_file_is_told() {
    let cli = Cli::new();
    train(&cli, "head.json");
    let classify = |head: &str| {
        let args = ["router", "classify", "beta beta beta", "--json"];
        cli.command(&args).env("ASSAY_ROUTER__HEAD", cli.dir.path().join(head)).output().unwrap()
    };
    assert_eq!(object(&classify("head.json"))["label"], json!("CODE_GENERATION"));
    let missing = classify("none.json");
    assert!(code(&missing) == 78 && stderr(&missing).contains("router.head"), "{}", stderr(&missing));
    cli.file(
        "damaged.json",
        &std::fs::read_to_string(cli.dir.path().join("head.json")).unwrap().replace("0.", "1."),
    );
    let damaged = classify("damaged.json");
    assert!(code(&damaged) != 0 && stderr(&damaged).contains("checksum"), "{}", stderr(&damaged));
}

#[test]
fn an_explanation_shows_rule_head_and_words() {
    let cli = Cli::new();
    let ruled = object(&cli.run(&["router", "explain", "How much of my quota is left?", "--json"]));
    assert_eq!((&ruled["query_type"], &ruled["rule"]["contract"]), (&json!("PLATFORM"), &json!("RC-02")));
    let searched = object(&cli.run(&["router", "explain", "loops", "--json"]));
    assert_eq!(searched["query_type"], json!("RETRIEVAL"));
    assert_eq!((&searched["rule"], &searched["may_converse"]), (&Value::Null, &json!(false)));
    assert!(searched["parts"].as_array().unwrap().len() > 3, "{searched}");
}

/// Makes a page that can be asked about.
fn ingest(cli: &Cli) {
    cli.file("page.md", "# Beta\n\nA beta is mailed with the command `mail`.\n");
    let ingested = cli.run(&["ingest", "page.md"]);
    assert_eq!(code(&ingested), 0, "{}", stderr(&ingested));
}

/// Runs a command whose router collects.
fn collecting(cli: &Cli, args: &[&str], shadow: &str) -> std::process::Output {
    let mut command = cli.command(args);
    command.env("ROUTER_COLLECT", "true");
    if !shadow.is_empty() {
        command.env("ASSAY_ROUTER__SHADOW", cli.dir.path().join(shadow));
    }
    command.output().unwrap()
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn collected_messages_are_redacted_exported_and_compared_with_a_shadow_head() {
    let cli = Cli::new();
    let nothing = cli.run(&["router", "export", "--out", "-"]);
    assert!(code(&nothing) == 1 && stderr(&nothing).contains("ROUTER_COLLECT"), "{}", stderr(&nothing));

    train(&cli, "shadow.json");
    ingest(&cli);
    for question in ["how do I mail ada@example.com a beta", "thanks!", "thanks!"] {
        let asked = collecting(&cli, &["ask", question], "shadow.json");
        assert_eq!(code(&asked), 0, "{}", stderr(&asked));
    }
    let exported = cli.run(&["router", "export", "--out", "-"]);
    let found = lines(&String::from_utf8(exported.stdout).unwrap());
    assert_eq!(found.len(), 2, "a text stands once: {found:?}");
    assert_eq!(found[0]["text"], json!("how do I mail [redacted:email] a beta"));
    assert_eq!((&found[0]["label"], &found[0]["lang"]), (&json!("RETRIEVAL"), &json!("en")));
    assert_eq!(found[0]["shadow"], json!("CODE_GENERATION"));
    let disagreed = cli.run(&["router", "export", "--disagreed", "--out", "disagreed.jsonl"]);
    assert_eq!(code(&disagreed), 0, "{}", stderr(&disagreed));
    let kept = std::fs::read_to_string(cli.dir.path().join("disagreed.jsonl")).unwrap();
    assert!(lines(&kept).iter().all(|line| line["shadow"] != line["label"]), "{kept}");

    let shown = object(&cli.run(&["router", "show", "--json"]));
    assert_eq!((&shown["collected"]["messages"], &shown["collected"]["texts"]), (&json!(3), &json!(3)));
    let drift = object(&cli.run(&["router", "drift", "--json"]));
    assert_eq!((&drift["late"], &drift["before"], &drift["shares"]), (&json!(3), &json!(0), &json!([])));
}

#[test]
fn a_shadow_head_alone_keeps_no_text() {
    let cli = Cli::new();
    train(&cli, "shadow.json");
    ingest(&cli);
    let args = ["ask", "what does the secret alpha do"];
    let asked =
        cli.command(&args).env("ASSAY_ROUTER__SHADOW", cli.dir.path().join("shadow.json")).output().unwrap();
    assert_eq!(code(&asked), 0, "{}", stderr(&asked));
    let shown = object(&cli.run(&["router", "show", "--json"]));
    assert_eq!((&shown["collected"]["messages"], &shown["collected"]["texts"]), (&json!(1), &json!(0)));
    assert_eq!(shown["collected"]["shadowed"], json!(1));
}
