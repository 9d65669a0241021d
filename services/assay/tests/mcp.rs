//! `assay mcp` as an assistant's client speaks to it: over its standard input and output, over HTTP, and through the
//! official Python client.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use assay_testkit::external::from_environment;
use serde_json::{Value, json};

use common::{assay, data, indexed};

/// An interpreter with the package mcp.
const PYTHON: &str = "ASSAY_TEST_CLIENTS_PYTHON";
const PAGE: &str =
    "# The importer\n\nThe importer skips empty rows.\n\nThe importer stops after one hundred errors.\n";

/// A client that speaks line by line.
struct Client {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    next: u64,
    /// Notifications that came beside replies.
    told: Vec<Value>,
}

impl Client {
    fn start(data: &Path) -> Self {
        Self::with(data, &[])
    }

    fn with(data: &Path, flags: &[&str]) -> Self {
        let mut child = assay(data)
            .arg("mcp")
            .args(flags)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (input, output) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        let mut client = Self { child, input, output, next: 1, told: Vec::new() };
        let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"}});
        let server = client.request("initialize", &hello);
        assert_eq!(server["result"]["serverInfo"]["name"], "assay", "{server}");
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input, "{message}").unwrap();
        self.input.flush().unwrap();
    }

    /// Sends a request and waits for its reply; every line is a message of the protocol.
    fn request(&mut self, method: &str, parameters: &Value) -> Value {
        let id = self.next;
        self.next += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": parameters}));
        loop {
            let mut line = String::new();
            assert_ne!(self.output.read_line(&mut line).unwrap(), 0, "the server went away");
            let message: Value =
                serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
            if message["id"] == json!(id) {
                return message;
            }
            self.told.push(message);
        }
    }

    fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let parameters = json!({"name": tool, "arguments": arguments, "_meta": {"progressToken": "p"}});
        self.request("tools/call", &parameters)
    }
}

fn text(reply: &Value) -> &str {
    reply["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{reply}"))
}

#[test]
fn an_assistant_asks_searches_checks_parses_and_reads_the_record() {
    let folder = indexed(PAGE);
    let mut client = Client::start(&data(&folder));
    let tools = client.request("tools/list", &json!({}))["result"]["tools"].clone();
    let names: Vec<&str> =
        tools.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["ask", "search", "check", "parse", "audit_show"]);
    for tool in tools.as_array().unwrap() {
        assert_eq!(
            (&tool["inputSchema"]["type"], &tool["outputSchema"]["type"]),
            (&json!("object"), &json!("object"))
        );
        assert_eq!(tool["annotations"]["openWorldHint"], false, "{tool}");
    }

    let answer =
        client.call("ask", json!({"query": "When does the importer stop?", "query_type": "RETRIEVAL"}));
    let ours = answer["result"]["structuredContent"].clone();
    assert_eq!(ours["verdict"], "PASS", "{answer}");
    assert!(
        text(&answer).contains("one hundred errors") && text(&answer).contains("[1] importer.md:"),
        "{answer}"
    );
    assert!(client.told.iter().any(|told| told["method"] == "notifications/progress"), "{:?}", client.told);

    let record = client.call("audit_show", json!({"id": ours["audit"]["id"]}));
    assert!(text(&record).starts_with("Asked: When does the importer stop?"), "{record}");
    assert!(text(&record).contains(": no check doubted it."), "{record}");
    assert_eq!(record["result"]["structuredContent"]["audit_id"], ours["audit"]["id"]);

    let hits = client.call("search", json!({"query": "empty rows", "limit": 1}));
    assert!(text(&hits).contains("skips empty rows"), "{hits}");
    let checked = client.call(
        "check",
        json!({"answer": "The importer stops after 200 errors. [^1]", "sources": [{"text": "The importer stops after 100 errors."}]}),
    );
    assert!(text(&checked).starts_with("REJECT"), "{checked}");
    let parsed = client.call("parse", json!({"code": "addVar(x, 1"}));
    assert!(text(&parsed).starts_with("INVALID\nline 1"), "{parsed}");

    // What the assistant did wrong it can read; a call of another form is refused.
    let wrong = client.call("parse", json!({"code": "x", "language": "cobol"}));
    assert_eq!(wrong["result"]["isError"], true, "{wrong}");
    assert!(text(&wrong).contains("[invalid_argument, field `language`]"), "{wrong}");
    // As long as a line may be, and longer than what a message to the parser holds.
    let long = client.call("parse", json!({"code": "x".repeat((16 << 20) - 32 * 1024)}));
    assert!(text(&long).starts_with("the code has") && text(&long).contains("can be sent"), "{long}");
    for (tool, arguments) in
        [("ask", json!({"question": "q"})), ("nothing", json!({})), ("search", json!({}))]
    {
        let refused = client.call(tool, arguments);
        assert_eq!(refused["error"]["code"], -32602, "{refused}");
    }
    drop(client.input);
    assert!(client.child.wait().unwrap().success(), "the end of its input is its end");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_an_older_system_lacks_is_no_fault_of_the_call() {
    let service = assay_rpc::Service::new(&assay_parser::SPEC, assay_proto::DESCRIPTORS).unwrap();
    let address = std::net::SocketAddr::from(([127, 0, 0, 1], 0));
    let older = service.listen(address, assay_rpc::Limits::default()).await.unwrap();
    let endpoint = format!("http://{}", older.address().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let mut client = Client::with(&data(&folder), &["--endpoint", &endpoint]);
    let lacking = client.call("search", json!({"query": "empty rows"}));
    assert_eq!(lacking["result"]["isError"], true, "{lacking}");
    assert!(text(&lacking).contains("[unimplemented"), "{lacking}");
    drop(client.input);
    assert!(client.child.wait().unwrap().success());
    older.drain().await;
}

/// A server over HTTP; killed when dropped.
struct Served(Child, String);

impl Served {
    fn start(data: &Path) -> Self {
        let mut child = assay(data)
            .args(["mcp", "--http", "127.0.0.1:0"])
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut told = BufReader::new(child.stderr.take().unwrap());
        while !line.contains("http://") {
            line.clear();
            assert_ne!(told.read_line(&mut line).unwrap(), 0, "it ended");
        }
        std::thread::spawn(move || told.lines().for_each(drop));
        let address = line.split("http://").nth(1).unwrap().split('/').next().unwrap().to_owned();
        Self(child, address)
    }

    fn terminate(mut self) -> Option<i32> {
        Command::new("kill").args(["-TERM", &self.0.id().to_string()]).status().unwrap();
        self.0.wait().unwrap().code()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn over_http_only_clients_of_this_machine_are_heard() {
    let folder = indexed(PAGE);
    let data = data(&folder);
    let beyond = assay(&data).args(["mcp", "--http", "0.0.0.0:0"]).output().unwrap();
    assert_eq!(beyond.status.code(), Some(78));
    assert!(String::from_utf8_lossy(&beyond.stderr).contains("loopback"));
    let served = Served::start(&data);
    let post = |host: &str, more: &str| {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}})
        .to_string();
        let mut socket = TcpStream::connect(&served.1).unwrap();
        let head = format!(
            "POST /mcp HTTP/1.1\r\nHost: {host}\r\n{more}Accept: application/json, text/event-stream\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            body.len()
        );
        socket.write_all((head + &body).as_bytes()).unwrap();
        let mut first = [0; 12];
        socket.read_exact(&mut first).unwrap();
        String::from_utf8_lossy(&first[9..]).into_owned()
    };
    assert_eq!(post(&served.1, ""), "200");
    assert_eq!(post("evil.example", ""), "403");
    assert_eq!(post(&served.1, "Origin: https://evil.example\r\n"), "403");
    // The session of the first is open still, and holds what is to be closed.
    assert_eq!(served.terminate(), Some(0));
    assert_eq!(std::fs::read_to_string(data.join("lock")).unwrap(), "", "the folder was given back");
}

#[test]
fn the_official_python_client_is_content() {
    let Some(python) = from_environment(PYTHON) else { return };
    let folder = indexed(PAGE);
    let data = data(&folder);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/behaviour/clients/mcp_client.py");
    let run = |arguments: &[&str]| {
        let mut command = Command::new(&python);
        command
            .arg(&script)
            .args(arguments)
            .env("ASSAY_DATA", &data)
            .env("ASSAY_RETRIEVAL__EMBEDDER", "hashing");
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    run(&["stdio", env!("CARGO_BIN_EXE_assay")]);
    let served = Served::start(&data);
    run(&["http", &format!("http://{}/mcp", served.1)]);
}
