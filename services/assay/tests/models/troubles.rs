//! What goes wrong between a hub and the disk: each trouble is told, and nothing half done is left in the models folder.

use std::process::{Command, Stdio};

use serde_json::Value;

use crate::hub::{Trouble, sha256};
use crate::{Bench, code, embedding, repository, small, stderr};

const MODEL: &str = "onnx/model_quantized.onnx";

fn nothing_entered(bench: &Bench) {
    assert_eq!(bench.lock(), Value::Null);
    assert!(!bench.models().join("small").exists());
}

#[test]
fn a_transfer_that_breaks_off_goes_on_where_it_was() {
    let bench = small();
    bench.hub.trouble(MODEL, &[Trouble::Cut(100), Trouble::Cut(50)]);
    let said = bench.fine(&["pull", "hub:someone/small"]);
    assert!(said.contains("100 bytes are kept"), "{said}");
    assert_eq!(bench.hub.ranges(), [None, Some("bytes=100-".to_owned()), Some("bytes=150-".to_owned())]);
    bench.fine(&["verify"]);
}

#[test]
fn killed_command_leaves_a_transfer_that_can_continue() {
    let bench = small();
    bench.hub.trouble(MODEL, &[Trouble::Hang(200)]);
    let mut child = bench.command(&["pull", "hub:someone/small"]).stderr(Stdio::null()).spawn().unwrap();
    let digest = sha256(repository("someone/small", embedding(0.0)).bytes(MODEL));
    let part = bench.models().join(".part/small").join(digest);
    while std::fs::metadata(&part).map_or(0, |found| found.len()) < 200 {
        assert_eq!(child.try_wait().unwrap(), None, "it must be waiting for the hub");
        std::thread::yield_now();
    }
    let busy = bench.fails(&["pull", "hub:someone/small"], 78);
    assert!(busy.contains("another `assay models` command"), "{busy}");
    child.kill().unwrap();
    child.wait().unwrap();
    nothing_entered(&bench);
    bench.hub.asked();
    bench.fine(&["pull", "hub:someone/small"]);
    assert_eq!(bench.hub.ranges(), [Some("bytes=200-".to_owned())]);
    bench.fine(&["verify"]);
}

#[test]
fn stalled_transfer_is_ended_and_its_bytes_kept() {
    let bench = small();
    bench.hub.trouble(MODEL, &[Trouble::Hang(100), Trouble::Hang(0)]);
    let mut command = bench.command(&["pull", "hub:someone/small"]);
    let output = command.env("ASSAY_MODELS__STALL_SECONDS", "1").output().unwrap();
    assert_eq!(code(&output), 69);
    let said = stderr(&output);
    assert!(said.contains("no answer in time") && said.contains("100 bytes are kept"), "{said}");
    nothing_entered(&bench);
    bench.fine(&["pull", "hub:someone/small"]);
}

#[test]
fn a_server_that_sends_the_whole_file_again_is_understood() {
    let bench = small();
    bench.hub.trouble(MODEL, &[Trouble::Cut(100), Trouble::Whole]);
    bench.fine(&["pull", "hub:someone/small"]);
    bench.fine(&["verify"]);
}

#[test]
fn other_bytes_than_the_hub_names_are_thrown_away() {
    let bench = small();
    let bytes = repository("someone/small", embedding(0.0)).bytes(MODEL).to_vec();
    let other: Vec<u8> = bytes.iter().map(|byte| byte ^ 1).collect();
    bench.hub.trouble(MODEL, &[Trouble::Other(other.clone())]);
    let said = bench.fails(&["pull", "hub:someone/small"], 78);
    assert!(said.contains(&sha256(&bytes)) && said.contains(&sha256(&other)), "{said}");
    nothing_entered(&bench);
    bench.fine(&["pull", "hub:someone/small"]);
}

#[test]
fn what_an_earlier_run_left_is_not_trusted() {
    let bench = small();
    let digest = sha256(repository("someone/small", embedding(0.0)).bytes(MODEL));
    let part = bench.models().join(".part/small").join(digest);
    std::fs::create_dir_all(part.parent().unwrap()).unwrap();
    std::fs::write(&part, [7; 64]).unwrap();
    let said = bench.fine(&["pull", "hub:someone/small"]);
    assert!(said.contains("fetching it as a whole"), "{said}");
    assert_eq!(bench.hub.ranges(), [Some("bytes=64-".to_owned()), None]);
    bench.fine(&["verify"]);
}

#[test]
fn hub_without_checksums_is_checked_by_its_headers() {
    let mut published = repository("someone/small", embedding(0.0));
    published.described = false;
    let bench = Bench::new(vec![published.clone()]);
    let bytes: Vec<u8> = published.bytes(MODEL).iter().map(|byte| byte ^ 1).collect();
    bench.hub.trouble(MODEL, &[Trouble::Other(bytes)]);
    let said = bench.fails(&["pull", "hub:someone/small"], 78);
    assert!(said.contains("the hub names sha256"), "{said}");
    bench.fine(&["pull", "hub:someone/small"]);
}

#[test]
fn what_a_hub_refuses_is_told_with_what_helps() {
    let bench = small();
    let said = bench.fails(&["pull", "hub:someone/other"], 1);
    assert!(said.contains("404") && said.contains("someone/other"), "{said}");
    bench.hub.trouble("?blobs=true", &[Trouble::Status(500)]);
    let said = bench.fails(&["pull", "hub:someone/small"], 69);
    assert!(said.contains("status 500 (not for you)"), "{said}");
    bench.hub.ask_for("secret");
    let said = bench.fails(&["pull", "hub:someone/small"], 78);
    assert!(said.contains("401") && said.contains("models.token_file"), "{said}");
    nothing_entered(&bench);
}

#[test]
fn redirects_that_never_end_are_left() {
    let bench = small();
    bench.hub.trouble("?blobs=true", &vec![Trouble::Circle; 9]);
    let said = bench.fails(&["pull", "hub:someone/small"], 69);
    assert!(said.contains("more than 5 redirects"), "{said}");
}

#[test]
fn oversized_model_is_refused_before_or_during_the_transfer() {
    for described in [true, false] {
        let mut published = repository("someone/small", embedding(0.0));
        published.described = described;
        let bench = Bench::new(vec![published]);
        let mut command = bench.command(&["pull", "hub:someone/small"]);
        let output = command.env("ASSAY_MODELS__MAX_BYTES", "1000").output().unwrap();
        assert_eq!(code(&output), 1);
        assert!(stderr(&output).contains("models.max_bytes allows"), "{}", stderr(&output));
        assert_eq!(bench.hub.ranges(), [], "no large file was asked for");
        nothing_entered(&bench);
    }
}

#[test]
fn a_folder_that_cannot_be_written_is_named() {
    let bench = small();
    std::fs::write(bench.dir.path().join("file"), "").unwrap();
    let mut command = bench.command(&["pull", "hub:someone/small"]);
    let output = command.env("ASSAY_MODELS_DIR", bench.dir.path().join("file/models")).output().unwrap();
    assert_eq!(code(&output), 78);
    assert!(stderr(&output).contains("file/models cannot be written"), "{}", stderr(&output));
}

#[test]
fn full_disk_is_reported_and_received_bytes_are_kept() {
    let bench = small();
    let mut shell = Command::new("bash");
    shell.args(["-c", r#"trap '' XFSZ; ulimit -f 2; exec "$0" "$@""#, env!("CARGO_BIN_EXE_assay")]);
    let output = bench.prepared(shell, &["pull", "hub:someone/small"]).output().unwrap();
    assert_eq!(code(&output), 78);
    assert!(stderr(&output).contains("make room and run the same command again"), "{}", stderr(&output));
    nothing_entered(&bench);
    bench.fine(&["pull", "hub:someone/small"]);
}

#[test]
fn missing_hub_fails_unless_the_model_is_optional() {
    let bench = small();
    let run = |args: &[&str]| {
        // Nobody listens there: the port was free a moment ago, and is not given to anybody else while this test runs.
        let free = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap();
        let mut command = bench.command(args);
        command.env("ASSAY_MODELS__HUB", format!("http://{free}")).output().unwrap()
    };
    let output = run(&["pull", "hub:someone/small"]);
    assert_eq!(code(&output), 69);
    assert!(stderr(&output).contains("cannot be reached"), "{}", stderr(&output));
    let output = run(&["pull", "hub:someone/small", "--optional"]);
    assert_eq!(code(&output), 0);
    assert!(stderr(&output).contains("going on without"), "{}", stderr(&output));
    bench.fine(&["pull", "hub:someone/small"]);
    let output = run(&["pull", "hub:someone/small", "--optional"]);
    assert!(stderr(&output).contains("small is there"), "{}", stderr(&output));
}

#[test]
fn what_a_repository_lacks_is_named() {
    let whole = repository("someone/small", embedding(0.0));
    let mut vague = whole.clone().without("config.json");
    vague.small("config.json", br#"{"architectures": ["BertForSequenceClassification"]}"#.to_vec());
    let mut split = whole.clone();
    split.large("onnx/model_quantized.onnx_data", vec![0; 8]);
    for (published, told) in [
        (whole.clone().without("tokenizer.json"), "there is no tokenizer.json"),
        (whole.clone().without("config.json"), "there is no config.json"),
        (whole.without(MODEL), "no .onnx file at all"),
        (vague, "name it with --kind"),
        (split, "it has onnx/model_quantized.onnx;"),
    ] {
        let bench = Bench::new(vec![published]);
        let said = bench.fails(&["pull", "hub:someone/small"], 1);
        assert!(said.contains(told), "{said}");
        nothing_entered(&bench);
    }
}

#[test]
fn a_model_of_another_shape_never_replaces_one_that_works() {
    let bench = small();
    bench.fine(&["pull", "hub:someone/small"]);
    let before = bench.lock();
    let said = bench.fails(&["pull", "hub:someone/small", "--kind", "reader"], 1);
    assert!(said.contains("cannot be used as reader") && said.contains("no output `answers`"), "{said}");
    let broken = vec![("model.onnx", b"no graph".to_vec()), ("tokenizer.json", b"{}".to_vec())];
    let mut published =
        repository("someone/small", embedding(0.0)).at("89abcdef0123456789abcdef0123456789abcdef");
    for (name, bytes) in broken {
        published.small(if name == "model.onnx" { MODEL } else { name }, bytes);
    }
    bench.hub.publish(published);
    let said = bench.fails(&["pull", "hub:someone/small"], 1);
    assert!(said.contains("cannot be used as embedding"), "{said}");
    assert_eq!(bench.lock(), before);
    bench.fine(&["verify"]);
}

#[test]
fn a_range_refused_by_the_server_starts_the_file_anew() {
    let bench = small();
    bench.hub.trouble(MODEL, &[Trouble::Cut(100), Trouble::Status(416)]);
    bench.fine(&["pull", "hub:someone/small"]);
    assert_eq!(bench.hub.ranges(), [None, Some("bytes=100-".to_owned()), None]);
    bench.fine(&["verify"]);
}

#[test]
fn a_file_of_another_size_than_listed_is_refused() {
    let bench = small();
    bench.hub.trouble("/config.json", &[Trouble::Other(vec![b' '; 5000])]);
    let said = bench.fails(&["pull", "hub:someone/small"], 78);
    assert!(said.contains("config.json: the hub lists"), "{said}");
    nothing_entered(&bench);
}

#[test]
fn an_update_that_cannot_be_recorded_leaves_the_old_model() {
    let bench = small();
    bench.fine(&["pull", "hub:someone/small"]);
    let newer = "89abcdef0123456789abcdef0123456789abcdef";
    bench.hub.publish(repository("someone/small", embedding(1.0)).at(newer));
    let blocked = bench.models().join("models.lock.json.part");
    std::fs::create_dir(&blocked).unwrap();
    bench.fails(&["pull", "hub:someone/small"], 78);
    bench.fine(&["verify"]);
    std::fs::remove_dir(&blocked).unwrap();
    bench.fine(&["pull", "hub:someone/small"]);
    assert_eq!(bench.lock()["models"]["small"]["revision"], newer);
    bench.fine(&["verify"]);
}

#[test]
fn an_update_killed_between_its_moves_can_be_repeated() {
    let bench = small();
    bench.fine(&["pull", "hub:someone/small"]);
    let home = bench.models().join("small");
    let old = bench.models().join(".part/small/old");
    for moved in [true, false] {
        std::fs::create_dir_all(old.parent().unwrap()).unwrap();
        if moved {
            std::fs::rename(&home, &old).unwrap();
        } else {
            std::fs::create_dir(&old).unwrap();
            std::fs::write(old.join("model.onnx"), "old").unwrap();
            std::fs::write(home.join("model.onnx"), "not recorded").unwrap();
        }
        bench.fine(&["pull", "hub:someone/small"]);
        bench.fine(&["verify"]);
    }
}

#[test]
fn names_and_settings_that_cannot_work_are_refused() {
    let bench = small();
    assert!(bench.fails(&["pull", "someone/small"], 64).contains("hub:OWNER/NAME"));
    assert!(
        bench.fails(&["pull", "hub:someone/small", "--name", "../up"], 1).contains("cannot name a model")
    );
    assert!(
        bench.fails(&["pull", "hub:someone/small", "--kind", "words"], 64).contains("embedding and reader")
    );
    let gone = bench.fails(&["pull", "hub:someone/small", "--kind", "entailment"], 64);
    assert!(gone.contains("a reader is in the box"), "{gone}");
    let run = |name: &str, value: &str| {
        let output = bench.command(&["pull", "hub:someone/small"]).env(name, value).output().unwrap();
        assert_eq!(code(&output), 78);
        stderr(&output)
    };
    assert!(run("ASSAY_MODELS__HUB", "nowhere").contains("models.hub"));
    assert!(run("ASSAY_MODELS__STALL_SECONDS", "0").contains("models.stall_seconds"));
    assert!(run("ASSAY_MODELS__TOKEN_FILE", "not-there").contains("models.token_file"));
    assert_eq!(bench.hub.asked(), []);
}
