//! `assay check` and `assay ask`: verdicts and what is wrong with the input.

use serde_json::json;

use crate::{Cli, code, lines, object, stderr};

#[test]
fn check_exits_with_the_code_of_its_verdict() {
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
        told.contains("docs/a.md:1-2 [^1] The importer skips empty rows. It stops after one hundred errors."),
        "{told}"
    );
    let plain = cli.run(&["check", "wrong.md", "--sources", "sources.jsonl"]);
    let plain = String::from_utf8_lossy(&plain.stdout).into_owned();
    assert!(!plain.contains("docs/a.md:"), "{plain}");
    // What is wrong with a claim is said once.
    assert_eq!(plain.matches("one hundred").count(), 1, "{plain}");
    cli.file("words.md", "Empty rows are skipped by the importer [^1]. Penguins live in the south.");
    let told = cli.run(&["check", "words.md", "--sources", "sources.jsonl", "--explain"]);
    let told = String::from_utf8_lossy(&told.stdout).into_owned();
    assert!(told.contains("does not have: are, skipped, by\n"), "{told}");
    assert!(told.contains("cites    nothing\n"), "{told}");
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
        "code",
        "errors",
        "warnings",
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
fn an_answer_and_its_sources_cannot_both_be_standard_input() {
    let cli = Cli::new();
    let both = cli.feed(&["check", "--sources", "-"], "{\"id\": \"1\", \"text\": \"One.\"}\n");
    assert_eq!(code(&both), 1, "{}", stderr(&both));
    assert!(stderr(&both).contains("standard input"), "{}", stderr(&both));
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
    let source = page.split("```json\n").nth(1).unwrap().split("```").next().unwrap();
    cli.file("sources.jsonl", source);
    cli.file("answer.md", "Cursors expire after 48 hours [^1].");
    let told = cli.run(&["check", "answer.md", "--sources", "sources.jsonl", "--explain"]);
    let told = String::from_utf8_lossy(&told.stdout).into_owned();
    // The figure in front of the claim comes from the models of the day.
    let after_figure =
        |line: &str| line.trim().trim_start_matches(|c: char| c.is_ascii_digit() || c == '.').to_owned();
    let shown = page.split("```text\n").nth(1).unwrap().split("```").next().unwrap();
    for line in shown.lines().map(after_figure) {
        assert!(told.lines().any(|own| after_figure(own) == line), "{line:?} is not in {told}");
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
fn too_long_input_is_refused_by_name() {
    let cli = Cli::new();
    cli.file("one.jsonl", "{\"text\": \"The importer skips empty rows.\"}\n");
    cli.file("one.md", "The importer skips empty rows [^1].");
    let long = "The importer skips empty rows. ".repeat(600_000);
    cli.file("long.md", &long);
    cli.file("long.jsonl", &json!([{"text": long}]).to_string());
    cli.file("zero.jsonl", "{\"text\": \"One.\", \"first_line\": 0}\n");
    for (args, told) in [
        (&["check", "long.md", "--sources", "one.jsonl"][..], "the answer has"),
        (&["check", "one.md", "--sources", "long.jsonl"], "the sources have"),
        (&["parse", "long.md"], "long.md: it has"),
        (&["parse", "long.md", "--language", "avap"], "long.md: the code has"),
        (&["check", "one.md", "--sources", "zero.jsonl"], "zero.jsonl, line 1: invalid value"),
    ] {
        let output = cli.run(args);
        assert_eq!(code(&output), 1, "{args:?} {}", stderr(&output));
        assert!(stderr(&output).contains(told), "{args:?} {}", stderr(&output));
    }
    let line = json!({"id": 1, "text": long}).to_string();
    let ingested = cli.feed(&["ingest", "--jsonl", "-", "--no-chunking"], &format!("\n{line}\n"));
    assert_eq!(code(&ingested), 1, "{}", stderr(&ingested));
    assert!(stderr(&ingested).contains("- line 2: the line has"), "{}", stderr(&ingested));
}

#[test]
fn answers_and_programs_cannot_control_the_terminal() {
    let cli = Cli::new();
    let forged = "\u{1b}[2J\u{1b}[HPASS\u{9b}8m\r";
    cli.file(
        "sources.jsonl",
        &json!({"text": format!("Cursors expire after 24 {forged} hours.")}).to_string(),
    );
    cli.file("forged.md", &format!("Cursors expire after 48 {forged} hours [^1]. See `{forged}`."));
    cli.file("forged.avap", &format!("x = 1 // {forged}\nnope{forged}(x)\naddResult(x{forged})\n"));
    cli.file("\u{1b}[1m.avap", "if(x, 1, \"==\")\n");
    for args in [
        &["check", "forged.md", "--sources", "sources.jsonl", "--explain"][..],
        &["check", "forged.md", "--sources", "sources.jsonl"],
        &["parse", "forged.avap", "\u{1b}[1m.avap", "\u{1b}[2m.avap"],
        &["parse", "forged.avap", "--format", "trace"],
        &["fmt", "forged.avap", "\u{1b}[1m.avap"],
    ] {
        let output = cli.run(args);
        let told = String::from_utf8_lossy(&output.stdout).into_owned() + &stderr(&output);
        assert_ne!(code(&output), 0, "{args:?} {told}");
        assert!(!told.contains(['\u{1b}', '\u{9b}', '\r']), "{args:?} {told:?}");
        // The form for a model names the character instead.
        assert!(told.contains('␛') || told.contains("U+001B"), "{args:?} {told}");
    }
}
