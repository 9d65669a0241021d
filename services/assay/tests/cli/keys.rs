//! `assay keys`.

use serde_json::json;

use crate::{Cli, code, object, stderr};

#[test]
fn key_is_shown_once_and_stored_as_hash() {
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
