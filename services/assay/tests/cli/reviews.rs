//! A reviewer's work and an erasure from the command line, over a scripted model that is wrong on purpose.

use assay_testkit::model_server::{ModelServer, Reply};
use serde_json::{Value, json};

use crate::{Cli, code, object, stderr};

/// A page, and a question that a model answers wrongly twice, in a session.
async fn rejected(cli: &Cli) -> Value {
    cli.file(
        "importer.md",
        "# Importer\n\nThe importer skips empty rows.\n\nIt stops after one hundred errors.\n",
    );
    assert_eq!(code(&cli.run(&["ingest", "importer.md"])), 0);
    let answer = "The importer stops after seven errors [^1].";
    let model = ModelServer::start(vec![Reply::Text(answer.to_owned())]).await.unwrap();
    let question = "When does the importer stop, says my colleague Leonore?";
    let asked = cli
        .command(&["ask", "--json", "--session", "desk", "--type", "RETRIEVAL", question])
        .env("OPENAI_BASE_URL", model.base_url())
        .env("ASSAY_GENERATION__MAIN", "openai:m")
        .output()
        .unwrap();
    assert_eq!(code(&asked), 3, "{}", stderr(&asked));
    let record = object(&cli.run(&["audit", "list", "--json"]))["records"][0].clone();
    // The session remembers what was answered alone.
    let question = "What does the importer skip?";
    let answered = cli.run(&["ask", "--session", "desk", "--type", "RETRIEVAL", question]);
    assert_ne!(code(&answered), 3, "{}", stderr(&answered));
    record
}

fn text(output: &std::process::Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Whether any file below the data folder holds the text.
fn on_disk(cli: &Cli, text: &str) -> bool {
    let mut folders = vec![cli.dir.path().join("data")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if std::fs::read(&path)
                .unwrap()
                .windows(text.len())
                .any(|window| window == text.as_bytes())
            {
                return true;
            }
        }
    }
    false
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_doubted_answer_is_reviewed_rated_explained_and_erased() {
    let cli = Cli::new();
    let answer = rejected(&cli).await;
    let id = answer["audit_id"].as_str().unwrap();

    let queue = object(&cli.run(&["audit", "review", "list", "--json"]));
    assert_eq!(
        (&queue["records"][0]["audit_id"], &queue["records"][0]["claimed_by"]),
        (&json!(id), &Value::Null)
    );
    let table = text(&cli.run(&["audit", "review", "list", "--free"]));
    assert!(table.contains("REJECT") && table.contains("claim_support"), "{table}");
    assert_eq!(code(&cli.run(&["audit", "review", "claim", id])), 0);

    let explained = text(&cli.run(&["audit", "explain", id]));
    for part in
        ["When does the importer stop", "was withheld", "Failed: ", "None of 2 attempts was delivered."]
    {
        assert!(explained.contains(part), "{part}: {explained}");
    }
    let bare = cli.run(&["audit", "review", "decide", id, "overturn"]);
    assert_eq!(code(&bare), 64, "a decision needs a reason: {}", stderr(&bare));
    let decided = cli.run(&["audit", "review", "decide", id, "overturn", "--reason", "Leonore is right"]);
    assert!(code(&decided) == 0 && text(&decided).contains("is leaf"), "{}", stderr(&decided));
    let again = cli.run(&["audit", "review", "decide", id, "confirm", "--reason", "no"]);
    assert!(code(&again) != 0 && stderr(&again).contains("waits for no reviewer"), "{}", stderr(&again));
    let fed = cli.run(&["audit", "feedback", id, "wrong", "--claim", "0", "--reason", "the colleague knows"]);
    assert_eq!(code(&fed), 0, "{}", stderr(&fed));

    let rates = object(&cli.run(&["audit", "review", "rates", "--json"]));
    assert_eq!(
        (&rates["doubted"]["overturned"], &rates["doubted"]["overturned_share"]),
        (&json!(1), &json!(1.0))
    );
    assert!(rates["no_catch"].as_str().unwrap().contains("review_sample_pass"), "{rates}");
    assert!(text(&cli.run(&["audit", "review", "rates"])).contains("check claim_support"));
    let shown = object(&cli.run(&["audit", "show", id, "--json"]));
    let said: Vec<&str> =
        shown["notes"].as_array().unwrap().iter().map(|note| note["said"].as_str().unwrap()).collect();
    assert_eq!(said, ["OVERTURN", "WRONG"]);

    assert!(on_disk(&cli, "Leonore"));
    let refused = cli.run(&["audit", "erase", "--principal", "local"]);
    assert!(code(&refused) == 1 && stderr(&refused).contains("--yes"), "{}", stderr(&refused));
    let erased = object(&cli.run(&["audit", "erase", "--principal", "local", "--yes", "--json"]));
    assert_eq!((&erased["payloads"], &erased["undelivered"]), (&json!(4), &json!(0)), "{erased}");
    assert_eq!(erased["router"]["sessions"], json!(1), "{erased}");
    assert!(!on_disk(&cli, "Leonore") && !on_disk(&cli, "the colleague knows"), "no word is left");
    let verified = cli.run(&["audit", "verify"]);
    assert_eq!(code(&verified), 0, "{}{}", text(&verified), stderr(&verified));
    let shown = object(&cli.run(&["audit", "show", id, "--json"]));
    assert_eq!((&shown["payload_erased"], &shown["query"]), (&json!(true), &json!("")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_is_erased_with_its_records_and_nothing_else() {
    let cli = Cli::new();
    rejected(&cli).await;
    cli.run(&["ask", "--session", "other", "What does the importer skip?"]);
    let other = object(&cli.run(&["audit", "list", "--session", "other", "--json"]))["records"][0].clone();
    let erased = object(&cli.run(&["audit", "erase", "--session", "desk", "--yes", "--json"]));
    assert_eq!((&erased["payloads"], &erased["router"]["sessions"]), (&json!(2), &json!(1)), "{erased}");
    let kept = object(&cli.run(&["audit", "show", other["audit_id"].as_str().unwrap(), "--json"]));
    assert_eq!(kept["payload_erased"], json!(false));
    let unnamed = cli.run(&["audit", "erase", "--yes"]);
    assert_eq!(code(&unnamed), 64, "{}", stderr(&unnamed));
}
