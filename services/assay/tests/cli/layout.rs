//! `assay fmt`.

use std::process::Command;

use std::process::Output;

use serde_json::{Value, json};

use crate::{Cli, code, object, stderr};

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn a_check_of_the_layout_says_what_would_change() {
    let cli = Cli::new();
    cli.file("a.avap", "x=1\nif(x, 1, \"==\")\naddResult(x)\nend()\n");
    let checked = cli.run(&["fmt", "--check", "a.avap"]);
    assert_eq!((code(&checked), text(&checked).as_str()), (1, "a.avap: would change\n"));
    let diff = "--- a.avap\n+++ a.avap\n@@ -1,4 +1,4 @@\n-x=1\n+x = 1\n if(x, 1, \"==\")\n-addResult(x)\n+    addResult(x)\n end()\n";
    // A diff writes nothing, with --check or without, as those of other formatters.
    for args in [&["fmt", "--check", "--diff", "a.avap"][..], &["fmt", "--diff", "a.avap"]] {
        let told = cli.run(args);
        assert_eq!((code(&told), text(&told).as_str()), (1, diff), "{args:?}");
    }
    let row = object(&cli.run(&["fmt", "--diff", "--json", "a.avap"]));
    assert_eq!((&row["state"], &row["diff"]), (&json!("changed"), &json!(diff)));
    assert_eq!(std::fs::read_to_string(cli.dir.path().join("a.avap")).unwrap().lines().next(), Some("x=1"));
    assert_eq!(code(&cli.run(&["fmt", "a.avap"])), 0);
    let kept = cli.run(&["fmt", "--diff", "a.avap"]);
    assert_eq!((code(&kept), kept.stdout.len()), (0, 0));
}

#[test]
fn standard_input_is_laid_out_alone() {
    let cli = Cli::new();
    cli.file("a.avap", "addResult( 1 )\n");
    let both = cli.feed(&["fmt", "a.avap", "-"], "x=1\naddResult(x)\n");
    assert_eq!(code(&both), 1);
    assert!(stderr(&both).contains("one after the other"), "{}", stderr(&both));
    assert_eq!(std::fs::read_to_string(cli.dir.path().join("a.avap")).unwrap(), "addResult( 1 )\n");
    let (old, new) = ("x=1\naddResult(x)\n", "x = 1\naddResult(x)\n");
    for args in [&["fmt", "-"][..], &["fmt", "--stdin"], &["fmt"]] {
        assert_eq!(text(&cli.feed(args, old)), new, "{args:?}");
    }
    let row = |args: &[&str], input: &str| {
        let output = cli.feed(args, input);
        (code(&output), object(&output))
    };
    let told = |state: &str, fresh: &str| json!({"path": "-", "state": state, "text": fresh});
    assert_eq!(row(&["fmt", "-", "--json"], old), (0, told("changed", new)));
    assert_eq!(row(&["fmt", "-", "--json"], new), (0, told("kept", new)));
    assert_eq!(row(&["fmt", "--json", "--check"], old), (1, json!({"path": "-", "state": "changed"})));
    let (code, broken) = row(&["fmt", "-", "--json"], "if(x, 1, \"==\")\n");
    assert_eq!((code, &broken["state"], &broken["text"]), (1, &json!("invalid"), &Value::Null));
    assert_eq!(broken["diagnostics"][0]["line"], 1, "{broken}");
}

#[test]
fn oversized_program_is_refused_with_its_size() {
    let cli = Cli::new();
    let line = "addResult( 1 )\n";
    let large = line.repeat((8 << 20) / line.len() + 1);
    cli.file("large.avap", &large);
    cli.file("small.avap", line);
    let told = cli.run(&["fmt", "large.avap", "small.avap"]);
    assert_eq!((code(&told), text(&told).as_str()), (1, "small.avap: laid out\n"));
    let (bytes, reason) = (large.len(), stderr(&told));
    assert!(
        reason.contains(&format!("large.avap has {bytes} bytes; programs of at most 8388608")),
        "{reason}"
    );
    let fed = cli.feed(&["fmt", "-"], &large);
    assert_eq!((code(&fed), fed.stdout.len()), (1, 0));
    assert!(stderr(&fed).contains(&format!("standard input has {bytes} bytes")), "{}", stderr(&fed));
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
    let script = "ln -s precious c.avap.$$.0.tmp; exec \"$0\" fmt c.avap";
    let mut guessed = Command::new("sh");
    guessed.args(["-c", script, env!("CARGO_BIN_EXE_assay")]).current_dir(cli.dir.path());
    // Nor does what a killed run with the same process number left behind keep a file from being laid out.
    assert!(guessed.output().unwrap().status.success());
    assert_eq!((text("precious").as_str(), text("c.avap").as_str()), ("keep me", "addResult(3)\n"));
}
