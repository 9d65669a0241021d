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
