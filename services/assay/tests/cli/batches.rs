//! Batches: order, bad lines, bounds, signals.

use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::{Cli, code, lines, stderr};

#[test]
fn batch_keeps_order_and_ids_past_a_bad_line() {
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
fn batch_of_answers_reports_the_defect_and_its_line() {
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
fn input_that_is_no_batch_ends_with_a_message() {
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
fn fail_on_makes_the_exit_code_tell_the_verdicts() {
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
fn stopped_batch_ends_with_a_whole_line_and_a_message() {
    let cli = Cli::new();
    let line = json!({"id": 1, "sources": [{"text": "Cursors expire after 24 hours."}], "answer": "Cursors expire after 24 hours [^1]."});
    for (signal, verb, expected) in [("-INT", "interrupted", 130), ("-TERM", "terminated", 143)] {
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
        assert_eq!((code(&ended), rest.as_str()), (expected, ""), "{}", stderr(&ended));
        assert!(stderr(&ended).contains(&format!("{verb} after 1 line (SIG")), "{}", stderr(&ended));
    }
}

/// The end of a process; one that does not end is killed after a while, so that the test fails.
fn ended(child: std::process::Child) -> Option<i32> {
    let id = child.id().to_string();
    let (sender, end) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let mut child = child;
        let _ = sender.send(child.wait().unwrap().code());
    });
    end.recv_timeout(std::time::Duration::from_secs(60)).unwrap_or_else(|_| {
        Command::new("kill").args(["-KILL", &id]).status().unwrap();
        panic!("the process did not end");
    })
}

#[test]
fn a_signal_ends_a_batch_whose_reader_has_stalled() {
    use std::io::{BufRead as _, BufReader};
    let cli = Cli::new();
    // Longer than what a pipe holds, so that writing it waits for a reader.
    let bad = json!({"id": "x".repeat(1 << 20), "no such field": 1}).to_string();
    for (signal, expected) in [("-INT", 130), ("-TERM", 143)] {
        for together in [false, true] {
            let (out, writer) = std::io::pipe().unwrap();
            let (errors, told) = std::io::pipe().unwrap();
            let told = if together { writer.try_clone().unwrap() } else { told };
            let mut command = cli.command(&["parse", "--jsonl", "-"]);
            let mut child = command.stdin(Stdio::piped()).stdout(writer).stderr(told).spawn().unwrap();
            drop(command);
            let mut input = child.stdin.take().unwrap();
            writeln!(input, "{bad}").unwrap();
            // What is wrong with a line is said just before the line is written, which nobody reads.
            let mut words = BufReader::new(if together { out.try_clone().unwrap() } else { errors });
            let mut word = String::new();
            words.read_line(&mut word).unwrap();
            assert!(word.starts_with("line 1: "), "{word}");
            Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
            assert_eq!(ended(child), Some(expected), "{signal} {together}");
            if !together {
                word.clear();
                words.read_line(&mut word).unwrap();
                assert!(word.contains("nobody takes more of the output"), "{word}");
            }
            drop((input, out));
        }
    }
}

#[test]
fn batch_with_failed_output_reads_no_more_input() {
    let cli = Cli::new();
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut child = cli
        .command(&["parse", "--jsonl", "-"])
        .stdin(Stdio::piped())
        .stdout(full)
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // Whoever sends the second line after the first answer only.
    let mut input = child.stdin.take().unwrap();
    writeln!(input, "{}", json!({"id": 1, "code": "x = 1"})).unwrap();
    assert_eq!(ended(child), Some(70));
    drop(input);
}

#[test]
fn signal_ends_a_question_during_its_model_call() {
    use std::io::Read as _;
    let cli = Cli::new();
    cli.file("importer.md", "# The importer\n\nThe importer skips empty rows.\n");
    let ingested = cli.run(&["ingest", "importer.md"]);
    assert!(ingested.status.success(), "{}", stderr(&ingested));
    // A model that takes every question and answers none.
    let model = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", model.local_addr().unwrap());
    let (sender, asked) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        for caller in model.incoming() {
            let (mut caller, sender) = (caller.unwrap(), sender.clone());
            std::thread::spawn(move || {
                let (mut request, mut part) = (Vec::new(), [0; 4096]);
                let mut told = false;
                while let Ok(read @ 1..) = caller.read(&mut part) {
                    request.extend_from_slice(&part[..read]);
                    if !told && String::from_utf8_lossy(&request).contains("skips empty rows") {
                        told = sender.send("asked").is_ok();
                    }
                }
                if told {
                    let _ = sender.send("left alone");
                }
            });
        }
    });
    let mut child = cli
        .command(&["ask", "--jsonl", "-"])
        .env("OLLAMA_MODEL_NAME", "ollama:silent")
        .env("OLLAMA_URL", url)
        // Whoever waited for the question would wait for an hour.
        .env("ASSAY_LIMITS__DRAIN_SECONDS", "3600")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let question = json!({"id": 1, "query": "What does the importer skip?", "query_type": "RETRIEVAL"});
    writeln!(input, "{question}").unwrap();
    assert_eq!(asked.recv(), Ok("asked"));
    Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
    assert_eq!(ended(child), Some(143));
    assert_eq!(asked.recv(), Ok("left alone"));
    drop(input);
}
