//! `assay audit`: reads beside anything and writes nothing; receipts, checkpoints and exports verify anywhere.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use assay_testkit::external::{from_environment, loudly};
use serde_json::Value;

struct Cli {
    dir: tempfile::TempDir,
}

impl Cli {
    /// A data folder with two records.
    fn new() -> Self {
        let cli = Self { dir: tempfile::tempdir().unwrap() };
        for question in ["When does the importer stop?", "What does the importer skip?"] {
            cli.run(&["ask", "--type", "RETRIEVAL", question, "--json"]);
        }
        cli
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_assay"));
        command
            .env_remove("ASSAY_ENDPOINT")
            .env("ASSAY_DATA", self.path("data"))
            .env("ASSAY_RETRIEVAL__EMBEDDER", "hashing")
            .stdin(Stdio::null())
            .current_dir(self.dir.path());
        command
    }

    fn run(&self, args: &[&str]) -> Output {
        self.command().args(args).output().unwrap()
    }

    /// Standard output of a command with this exit code.
    fn says(&self, code: i32, args: &[&str]) -> String {
        let output = self.run(args);
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert_eq!(output.status.code(), Some(code), "{args:?}: {out}{err}");
        format!("{out}{err}")
    }

    fn first_id(&self) -> String {
        let listed: Value = serde_json::from_str(&self.says(0, &["audit", "list", "--json"])).unwrap();
        listed["records"][0]["audit_id"].as_str().unwrap().to_owned()
    }

    fn up(&self) -> Up {
        let mut child = self
            .command()
            .args(["up", "--http", "127.0.0.1:0", "--grpc", "127.0.0.1:0"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        lines.next().expect("the address is printed").unwrap();
        std::thread::spawn(move || lines.for_each(drop));
        Up(child)
    }
}

/// A serving system; killed when dropped.
struct Up(Child);

impl Drop for Up {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Content and time of every file below a folder.
fn state(folder: &Path) -> BTreeMap<PathBuf, (Vec<u8>, std::time::SystemTime)> {
    let mut files = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(state(&path));
        } else {
            let modified = std::fs::metadata(&path).unwrap().modified().unwrap();
            files.insert(path.clone(), (std::fs::read(&path).unwrap(), modified));
        }
    }
    files
}

#[test]
fn reading_commands_write_no_byte_after_a_kill() {
    let cli = Cli::new();
    {
        let _up = cli.up();
        cli.says(0, &["audit", "verify"]);
        cli.run(&["ask", "--type", "RETRIEVAL", "Who reads this?", "--json"]);
    }
    let id = cli.first_id();
    let before = state(&cli.path("data"));
    assert!(
        before.keys().any(|path| path.ends_with("audit/audit.sqlite3-wal")),
        "killed: the side files are there"
    );
    let told = cli.says(0, &["audit", "verify"]);
    assert!(told.contains("the log holds: 3 leaves"), "{told}");
    for args in [
        &["audit", "list"][..],
        &["audit", "show", &id],
        &["audit", "prove", &id],
        &["audit", "checkpoint"],
        &["audit", "key"],
        &["audit", "export"],
    ] {
        cli.says(0, args);
        assert!(state(&cli.path("data")) == before, "{args:?} wrote into the data folder");
    }
}

#[test]
fn no_copy_of_the_log_stays_behind() {
    let cli = Cli::new();
    let copies = cli.path("copies");
    std::fs::create_dir(&copies).unwrap();
    let left = || std::fs::read_dir(&copies).unwrap().count();
    for args in [&["audit", "export"][..], &["audit", "list"], &["audit", "verify"]] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = cli.command().args(args).env("TMPDIR", &copies).stdout(writer).output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), &*told, left()), (Some(0), "", 0), "{args:?}");
    }
    for (signal, expected) in [("-INT", 130), ("-TERM", 143)] {
        // A full pipe that nobody reads: the command cannot end by itself.
        let (reader, writer) = std::io::pipe().unwrap();
        let mut full = writer.try_clone().unwrap();
        std::thread::spawn(move || while full.write_all(&[b' '; 4096]).is_ok() {});
        let mut command = cli.command();
        command.args(["audit", "export"]).env("TMPDIR", &copies).stdout(writer).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        while left() == 0 {
            assert!(child.try_wait().unwrap().is_none(), "{signal}");
        }
        Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
        assert_eq!((child.wait().unwrap().code(), left()), (Some(expected), 0), "{signal}");
        drop(reader);
    }
}

#[test]
fn receipts_exports_and_checkpoints_verify_anywhere() {
    let cli = Cli::new();
    let id = cli.first_id();
    cli.says(0, &["audit", "checkpoint", "-o", "old.note"]);
    std::fs::write(cli.path("log.key"), cli.says(0, &["audit", "key"])).unwrap();
    let told = cli.says(0, &["audit", "prove", &id, "-o", "receipt.json"]);
    assert!(told.contains("leaf 1 of 2; the receipt is in receipt.json"), "{told}");
    std::fs::write(cli.path("log.jsonl"), cli.says(0, &["audit", "export"])).unwrap();
    cli.run(&["ask", "--type", "RETRIEVAL", "And after that?", "--json"]);
    cli.says(0, &["audit", "verify", "--checkpoint", "old.note", "--key", "log.key"]);

    // Another place, without the data folder.
    let log = std::fs::read_to_string(cli.path("log.jsonl")).unwrap();
    let receipt = std::fs::read_to_string(cli.path("receipt.json")).unwrap();
    assert!(!receipt.contains("What does the importer skip"), "the question is only committed to");
    std::fs::rename(cli.path("data"), cli.path("away")).unwrap();
    let told = cli.says(0, &["audit", "verify", "receipt.json", "--key", "log.key"]);
    assert!(told.contains(&format!("the receipt holds: record {id}, leaf 1 of 2")), "{told}");
    assert!(cli.says(0, &["audit", "verify", "receipt.json"]).contains("not covered: whose log it is"));
    cli.says(0, &["audit", "verify", "--export", "log.jsonl", "--key", "log.key"]);
    assert!(!cli.path("data").exists(), "nothing was made");

    std::fs::write(cli.path("receipt.json"), receipt.replacen("\\\"mode\\\":\\\"", "\\\"mode\\\":\\\"X", 1))
        .unwrap();
    assert!(cli.says(1, &["audit", "verify", "receipt.json"]).contains("WRONG: entry 1"));
    std::fs::write(cli.path("log.jsonl"), log.replacen("importer", "exporter", 1)).unwrap();
    assert!(cli.says(1, &["audit", "verify", "--export", "log.jsonl"]).contains("WRONG: entry 0"));
    std::fs::write(cli.path("receipt.json"), "{}").unwrap();
    assert!(cli.says(1, &["audit", "verify", "receipt.json"]).contains("is no receipt"));
    assert!(
        cli.says(1, &["audit", "verify", "--key", "receipt.json"]).contains("`assay audit key` prints one")
    );
    assert!(cli.says(1, &["audit", "verify"]).contains("there is no audit log in"));
}

#[test]
fn receipts_of_the_api_are_read_by_the_verifier() {
    let cli = Cli { dir: tempfile::tempdir().unwrap() };
    cli.run(&["ask", "--type", "RETRIEVAL", "When does the importer stop?", "--json"]);
    let exported = cli.says(0, &["audit", "export"]);
    let lines: Vec<Value> = exported.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let last = |kind: &str| lines.iter().rfind(|line| line["kind"] == kind).unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    // The only leaf is the root: its path is empty.
    let proved = assay_proto::audit::ProveResponse {
        tree_size: 1,
        entry: last("entry").to_string(),
        checkpoint: text(&last("checkpoint")["note"]),
        public_key: text(&last("log")["key"]),
        ..Default::default()
    };
    for payload in [false, true] {
        let file = assay_api::ReceiptFile::new(&proved, payload).unwrap();
        let receipt = assay_audit::Receipt::from_json(&serde_json::to_string(&file).unwrap()).unwrap();
        let proof = receipt.verify(None);
        assert_eq!((proof.findings, proof.with_payload), (Vec::new(), payload));
    }
}

#[test]
fn a_log_that_was_taken_away_is_missed() {
    let cli = Cli::new();
    std::fs::rename(cli.path("data/audit/audit.sqlite3"), cli.path("stolen")).unwrap();
    for args in [&["audit", "verify"][..], &["audit", "list"], &["ask", "Why?"]] {
        let told = cli.says(78, args);
        assert!(told.contains("the audit log is gone"), "{told}");
    }
}

#[test]
fn rolled_back_log_is_reported_from_the_router() {
    let cli = Cli::new();
    let log = cli.path("data/audit/audit.sqlite3");
    std::fs::copy(&log, cli.path("older")).unwrap();
    cli.run(&["ask", "--type", "RETRIEVAL", "And after that?", "--json"]);
    cli.says(0, &["audit", "verify"]);
    std::fs::copy(cli.path("older"), &log).unwrap();
    let told = cli.says(1, &["audit", "verify"]);
    assert!(told.contains("WRONG: rolled back: the router saw 3 entries, the log has 2"), "{told}");
    for question in ["What does the importer keep?", "What does the importer log?"] {
        cli.run(&["ask", "--type", "RETRIEVAL", question, "--json"]);
    }
    let told = cli.says(1, &["audit", "verify"]);
    assert!(told.contains("WRONG: rewritten"), "later records hide nothing: {told}");
    assert!(told.contains("NOT hold: 4 leaves"), "{told}");
}

#[test]
fn a_list_is_cut_by_time_and_page() {
    let cli = Cli::new();
    let list = |more: &[&str]| -> Value {
        let args = [&["audit", "list", "--json"], more].concat();
        serde_json::from_str(&cli.says(0, &args)).unwrap()
    };
    let first = list(&["--limit", "1"]);
    let token = first["next_page"].as_str().unwrap().to_owned();
    let second = list(&["--limit", "1", "--page", &token]);
    assert_ne!(first["records"][0]["audit_id"], second["records"][0]["audit_id"]);
    assert_eq!(second["next_page"], "");
    assert_eq!(list(&["--until", "2020-01-01"])["records"], serde_json::json!([]));
    assert_eq!(list(&["--since", "2020-01-01T00:00:00Z"])["records"].as_array().unwrap().len(), 2);
    assert!(cli.says(64, &["audit", "list", "--since", "yesterday"]).contains("give a date"));
}

#[test]
fn citations_of_an_old_record_are_found_again_or_missed() {
    let cli = Cli { dir: tempfile::tempdir().unwrap() };
    let page = |text: &str| std::fs::write(cli.path("importer.md"), text).unwrap();
    page("# Importer\n\nThe importer skips empty rows.\n\nThe importer stops after one hundred errors.\n");
    cli.says(0, &["ingest", "importer.md"]);
    cli.says(0, &["ask", "--type", "RETRIEVAL", "When does the importer stop?"]);
    let id = cli.first_id();
    let resolved = |code: i32| -> Vec<Value> {
        let told = cli.says(code, &["audit", "citations", &id, "--json"]);
        let told: Value = serde_json::from_str(&told).unwrap();
        told["citations"].as_array().unwrap().clone()
    };
    let before = resolved(0);
    assert!(!before.is_empty());
    assert!(before.iter().all(|one| one["resolution"] == "EXACT" && one["now"] == one["line_range"]));

    page(
        "New first line.\n\n# Importer\n\nThe importer skips empty rows.\n\nThe importer stops after one hundred errors.\n",
    );
    cli.says(0, &["ingest", "importer.md"]);
    let moved = resolved(0);
    assert!(
        moved.iter().all(|one| one["resolution"] == "MOVED" && one["now"] != one["line_range"]),
        "{moved:?}"
    );

    page("# Importer\n\nThe importer skips bad rows.\n\nThe importer stops after two hundred errors.\n");
    cli.says(0, &["ingest", "importer.md"]);
    assert!(resolved(1).iter().all(|one| one["resolution"] == "DANGLING" && one["now"].is_null()));
    assert!(cli.says(1, &["audit", "citations", &id]).contains("citations are gone or were changed"));
}

#[test]
fn records_are_found_by_words_type_verdict_and_time() {
    let cli = Cli::new();
    let questions = |args: &[&str]| -> Vec<String> {
        let said = cli.says(0, &[&["audit", "list", "--json"], args].concat());
        let listed: Value = serde_json::from_str(&said).unwrap();
        let records = listed["records"].as_array().unwrap().iter();
        records.map(|record| record["query"].as_str().unwrap().to_owned()).collect()
    };
    let (stop, skip) = ("When does the importer stop?", "What does the importer skip?");
    assert_eq!(questions(&["--text", "IMPÓRTER does"]), [skip, stop]);
    assert_eq!(questions(&["--text", "when", "--type", "retrieval"]), [stop]);
    assert_eq!(questions(&["--text", "when skip"]), [""; 0]);
    assert_eq!(questions(&["--type", "PLATFORM"]), [""; 0]);
    assert_eq!(questions(&["--since", "2020-01-01", "--principal", "local"]).len(), 2);
    assert_eq!(questions(&["--until", "2020-01-01"]), [""; 0]);
    // Nothing is indexed: both questions failed, and no verdict was given.
    assert_eq!(questions(&["--verdict", "pass,review,REJECT"]), [""; 0]);
    assert_eq!(questions(&["--outcome", "failed", "--text", "skip"]), [skip]);
    assert!(cli.says(1, &["audit", "list", "--text", "?!"]).contains("no letter"));
    assert!(cli.says(1, &["audit", "list", "--verdict", "PASS,FINE"]).contains("verdict"));
    assert!(cli.says(1, &["audit", "list", "--type", "SEARCH"]).contains("type"));
}

/// Columns of the exported rows, as text.
fn rows(file: &Path) -> Vec<Vec<(String, String)>> {
    use parquet::file::reader::{FileReader as _, SerializedFileReader};
    let reader = SerializedFileReader::new(std::fs::File::open(file).unwrap()).unwrap();
    let rows = reader.get_row_iter(None).unwrap().map(Result::unwrap);
    rows.map(|row| {
        let columns = row.get_column_iter();
        columns.map(|(name, field)| (name.clone(), field.to_string().trim_matches('"').to_owned())).collect()
    })
    .collect()
}

#[test]
fn a_table_has_the_records_that_a_list_with_its_filters_has() {
    let cli = Cli::new();
    for (filters, count) in [
        (&["--text", "IMPÓRTER does"][..], 2),
        (&["--text", "when", "--type", "retrieval"], 1),
        (&["--text", "when skip"], 0),
        (&["--type", "PLATFORM"], 0),
        (&["--since", "2020-01-01", "--principal", "local"], 2),
        (&["--until", "2020-01-01"], 0),
        (&["--session", "desk"], 0),
        (&["--verdict", "pass,review,REJECT"], 0),
        (&["--outcome", "failed", "--text", "skip"], 1),
    ] {
        let export = ["audit", "export", "--format", "parquet", "-o", "some.parquet"];
        let told = cli.says(0, &[&export[..], filters].concat());
        assert!(told.contains(&format!("{count} records in some.parquet")), "{filters:?}: {told}");
        let id = |row: &Vec<(String, String)>| row[0].1.clone();
        let rows: Vec<String> = rows(&cli.path("some.parquet")).iter().rev().map(id).collect();
        let said = cli.says(0, &[&["audit", "list", "--json"][..], filters].concat());
        let listed: Value = serde_json::from_str(&said).unwrap();
        let records = listed["records"].as_array().unwrap().iter();
        let listed: Vec<&str> = records.map(|record| record["audit_id"].as_str().unwrap()).collect();
        assert_eq!((rows.len(), rows), (count, listed.iter().map(|id| (*id).to_owned()).collect()));
    }
    let export = ["audit", "export", "--format", "parquet", "-o", "some.parquet", "--text", "?!"];
    assert!(cli.says(1, &export).contains("no letter"));
}

#[test]
fn an_export_in_parquet_has_a_row_a_record() {
    use std::os::unix::fs::PermissionsExt as _;
    let cli = Cli::new();
    let told = cli.says(0, &["audit", "export", "--format", "parquet", "-o", "records.parquet"]);
    assert!(told.contains("2 records in records.parquet"), "{told}");
    let file = cli.path("records.parquet");
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let beside = std::fs::read_dir(cli.dir.path()).unwrap().count();
    assert_eq!(beside, 2, "the data folder and the file, nothing temporary");

    let listed: Value = serde_json::from_str(&cli.says(0, &["audit", "list", "--json"])).unwrap();
    let rows = rows(&file);
    assert_eq!(rows.len(), 2);
    for (row, record) in rows.iter().zip(listed["records"].as_array().unwrap().iter().rev()) {
        let column = |name: &str| &row.iter().find(|(known, _)| known == name).unwrap().1;
        for (name, pointer) in [
            ("id", "/audit_id"),
            ("tenant", "/tenant"),
            ("principal", "/principal"),
            ("outcome", "/outcome"),
            ("query_type", "/route/query_type"),
            ("question", "/query"),
            ("leaf_hash", "/receipt/leaf_hash"),
        ] {
            assert_eq!(Some(column(name).as_str()), record.pointer(pointer).unwrap().as_str(), "{name}");
        }
        assert_eq!(column("leaf_index"), &record["receipt"]["leaf_index"].to_string());
        assert_eq!(column("session"), "null");
    }

    let lines = cli.says(0, &["audit", "export", "-o", "log.jsonl"]);
    assert!(lines.contains("lines in log.jsonl"), "{lines}");
    assert!(cli.says(0, &["audit", "verify", "--export", "log.jsonl"]).contains("holds: 2 leaves"));
    assert_eq!(std::fs::read_to_string(cli.path("log.jsonl")).unwrap(), cli.says(0, &["audit", "export"]));
    cli.says(64, &["audit", "export", "--format", "parquet"]);
    let refused = cli.says(64, &["audit", "export", "--text", "importer"]);
    assert!(refused.contains("a part cannot be verified"), "{refused}");
    cli.says(1, &["audit", "export", "--format", "parquet", "-o", "no/such/folder/file"]);

    let Some(python) = from_environment("ASSAY_TEST_CLIENTS_PYTHON") else { return };
    let script = "import json, sys
try:
    import pyarrow.parquet as parquet
except ImportError:
    sys.exit(9)
table = parquet.read_table(sys.argv[1])
rows = table.to_pylist()
assert str(table.schema.field('time').type) == 'timestamp[ms, tz=UTC]', table.schema
assert [row['leaf_index'] for row in rows] == [0, 1], rows
for row in rows:
    whole = json.loads(row['record'])
    assert whole['audit_id'] == row['id'] and whole['query'] == row['question'], row
    assert row['session'] is None and row['time'].year > 2020, row";
    let output = Command::new(python).args(["-c", script]).arg(&file).output().unwrap();
    if output.status.code() == Some(9) {
        return loudly(format_args!("SKIPPED: the Python of ASSAY_TEST_CLIENTS_PYTHON has no pyarrow"));
    }
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
