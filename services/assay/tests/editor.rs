//! What an editor meets: the language server over standard input and output with real messages, the formatter, and the
//! forms of findings that other tools read.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::io::{BufRead, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio};

use serde_json::{Value, json};

const URI: &str = "file:///tmp/a%20b.avap";

fn assay(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_assay"));
    command
        .args(args)
        .env_remove("ASSAY_ENDPOINT")
        .env("ASSAY_DATA", std::env::temp_dir().join("assay-editor"));
    command
}

/// An editor at the other end of the pipe.
struct Editor {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    next: i64,
}

impl Editor {
    fn start(encodings: &[&str]) -> (Self, Value) {
        let mut child = assay(&["lsp"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (to, from) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        let mut editor = Self { child, to, from, next: 0 };
        let capabilities = json!({"general": {"positionEncodings": encodings}});
        let answer = editor
            .ask("initialize", json!({"processId": null, "rootUri": null, "capabilities": capabilities}));
        editor.tell("initialized", json!({}));
        (editor, answer)
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        write!(self.to, "Content-Length: {}\r\n\r\n{text}", text.len()).unwrap();
        self.to.flush().unwrap();
    }

    fn tell(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    fn receive(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert!(self.from.read_line(&mut line).unwrap() > 0, "the server has gone");
            if let Some(value) = line.strip_prefix("Content-Length:") {
                length = value.trim().parse().unwrap();
            }
            if line == "\r\n" {
                break;
            }
        }
        let mut body = vec![0; length];
        self.from.read_exact(&mut body).unwrap();
        serde_json::from_slice(&body).unwrap()
    }

    /// The answer to a request; notifications that come first are passed over.
    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let id = self.next;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        loop {
            let message = self.receive();
            if message["id"] == json!(id) {
                return message.get("result").cloned().unwrap_or_else(|| json!({"error": message["error"]}));
            }
        }
    }

    /// Opens a document and takes its diagnostics.
    fn open(&mut self, text: &str) -> Vec<Value> {
        let document = json!({"uri": URI, "languageId": "avap", "version": 1, "text": text});
        self.tell("textDocument/didOpen", json!({"textDocument": document}));
        self.published()
    }

    fn published(&mut self) -> Vec<Value> {
        let message = self.receive();
        assert_eq!(message["method"], "textDocument/publishDiagnostics");
        assert_eq!(message["params"]["uri"], URI);
        message["params"]["diagnostics"].as_array().unwrap().clone()
    }

    fn at(&mut self, method: &str, line: u32, character: u32) -> Value {
        let place = json!({"textDocument": {"uri": URI}, "position": {"line": line, "character": character}});
        self.ask(method, place)
    }

    fn leave(mut self) -> i32 {
        assert_eq!(self.ask("shutdown", Value::Null), Value::Null);
        self.tell("exit", Value::Null);
        drop(self.to);
        self.child.wait().unwrap().code().unwrap()
    }
}

#[test]
fn findings_follow_what_is_typed() {
    let (mut editor, answer) = Editor::start(&["utf-32", "utf-16"]);
    assert_eq!(answer["capabilities"]["positionEncoding"], "utf-32");
    assert_eq!(answer["serverInfo"]["name"], "assay");
    let found = editor.open("x = \"😀\" + nope(1)\naddResult(x)\n");
    assert_eq!(found.len(), 1);
    assert_eq!((&found[0]["code"], &found[0]["severity"]), (&json!("AVAP011"), &json!(1)));
    assert_eq!(found[0]["range"]["start"], json!({"line": 0, "character": 10}));
    // The unknown call is deleted, then a closer forgotten.
    let range = json!({"start": {"line": 0, "character": 7}, "end": {"line": 0, "character": 17}});
    let change = |text: &str, range: &Value| json!({"textDocument": {"uri": URI, "version": 2}, "contentChanges": [{"range": range, "text": text}]});
    editor.tell("textDocument/didChange", change("", &range));
    assert_eq!(editor.published(), Vec::<Value>::new());
    let start = json!({"start": {"line": 1, "character": 0}, "end": {"line": 1, "character": 0}});
    editor.tell("textDocument/didChange", change("if(x, 1, \"==\")\n", &start));
    let found = editor.published();
    assert_eq!((&found[0]["code"], &found[0]["range"]["start"]["line"]), (&json!("AVAP018"), &json!(1)));
    editor.tell("textDocument/didClose", json!({"textDocument": {"uri": URI}}));
    assert!(editor.published().is_empty());
    assert_eq!(editor.leave(), 0);
}

#[test]
fn commands_are_completed_with_their_signatures() {
    let (mut editor, answer) = Editor::start(&[]);
    assert_eq!(answer["capabilities"]["positionEncoding"], "utf-16");
    editor.open("text = \"a\"\nenco\n");
    let items = editor.at("textDocument/completion", 1, 4);
    let item = items.as_array().unwrap().iter().find(|item| item["label"] == "encodeSHA256").unwrap();
    assert_eq!(item["detail"], "encodeSHA256(source, target)");
    assert_eq!(item["textEdit"]["newText"], "encodeSHA256(${1:source}, ${2:target})");
    assert_eq!(item["textEdit"]["range"]["start"], json!({"line": 1, "character": 0}));
    assert!(items.as_array().unwrap().iter().any(|item| item["label"] == "text"));
    let closed = editor.ask(
        "textDocument/completion",
        json!({"textDocument": {"uri": "file:///nowhere"},
        "position": {"line": 0, "character": 0}}),
    );
    assert_eq!(closed, Value::Null);
    assert_eq!(editor.leave(), 0);
}

#[test]
fn names_are_explained_found_and_listed() {
    let (mut editor, _) = Editor::start(&["utf-16"]);
    editor.open("/// Says hello.\nfunction greet(name){\n    return \"Hello \" + name\n}\ntext = greet(\"Ana\")\naddResult(text)\n");
    let hover = editor.at("textDocument/hover", 4, 9);
    assert!(hover["contents"]["value"].as_str().unwrap().contains("Says hello."));
    assert_eq!(hover["range"]["start"], json!({"line": 4, "character": 7}));
    let place = editor.at("textDocument/definition", 4, 9);
    assert_eq!((&place["uri"], &place["range"]["start"]), (&json!(URI), &json!({"line": 1, "character": 9})));
    let help = editor.at("textDocument/signatureHelp", 4, 13);
    assert_eq!(help["signatures"][0]["label"], "greet(name)");
    let symbols = editor.ask("textDocument/documentSymbol", json!({"textDocument": {"uri": URI}}));
    assert_eq!((&symbols[0]["name"], &symbols[0]["range"]["end"]["line"]), (&json!("greet"), &json!(3)));
    assert_eq!(editor.leave(), 0);
}

#[test]
fn documents_are_laid_out_and_mended() {
    let (mut editor, _) = Editor::start(&["utf-16"]);
    let found = editor.open("x=1\nif(x,1,\"==\")\ngetSHA256(x,y)\nend()\naddResult(y)\n");
    let format = json!({"textDocument": {"uri": URI}, "options": {"tabSize": 4, "insertSpaces": true}});
    // What does not parse is left alone.
    assert_eq!(editor.ask("textDocument/formatting", format.clone()), Value::Null);
    let asked =
        json!({"textDocument": {"uri": URI}, "range": found[0]["range"], "context": {"diagnostics": found}});
    let actions = editor.ask("textDocument/codeAction", asked);
    assert_eq!(actions[0]["title"], "Write encodeSHA256");
    let edit = &actions[0]["edit"]["changes"][URI][0];
    assert_eq!(edit["newText"], "encodeSHA256");
    let change = json!({"range": edit["range"], "text": edit["newText"]});
    editor.tell(
        "textDocument/didChange",
        json!({"textDocument": {"uri": URI, "version": 2}, "contentChanges": [change]}),
    );
    assert!(editor.published().is_empty());
    let edits = editor.ask("textDocument/formatting", format);
    assert_eq!(edits[0]["newText"], "x = 1\nif(x, 1, \"==\")\n    encodeSHA256(x, y)\nend()\naddResult(y)\n");
    assert_eq!(editor.leave(), 0);
}

#[test]
fn messages_that_make_no_sense_are_answered() {
    let (mut editor, _) = Editor::start(&["utf-16"]);
    let unknown = editor.ask("workspace/teleport", json!({}));
    assert_eq!(unknown["error"]["code"], -32601);
    let wrong = editor.ask("textDocument/hover", json!({"place": 1}));
    assert_eq!(wrong["error"]["code"], -32602);
    editor.open("x = \"\u{0}😀\u{feff}");
    assert_eq!(editor.at("textDocument/hover", 99, 99), Value::Null);
    // An editor that goes away without a shutdown is told so by the exit code.
    editor.tell("exit", Value::Null);
    drop(editor.to);
    assert_eq!(editor.child.wait().unwrap().code(), Some(1));
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

fn feed(args: &[&str], input: &[u8]) -> Output {
    let mut child =
        assay(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    child.wait_with_output().unwrap()
}

#[test]
fn files_and_folders_are_laid_out_or_checked() {
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = dir.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    };
    let loose = file("a.avap", "x=1 // kept\naddResult( x )\n");
    let tidy = file("sub/b.avap", "y = 1\naddResult(y)\n");
    let broken = file("sub/c.avap", "addVar(1, x)\n");
    let folder = dir.path().display().to_string();
    let check = assay(&["fmt", "--check", &folder]).output().unwrap();
    assert_eq!(code(&check), 1);
    assert_eq!(std::fs::read_to_string(&loose).unwrap(), "x=1 // kept\naddResult( x )\n");
    let said = String::from_utf8_lossy(&check.stdout).into_owned();
    assert!(said.contains("a.avap: would change") && !said.contains("b.avap"), "{said}");
    assert_eq!(code(&assay(&["fmt", &folder]).output().unwrap()), 1, "one does not parse");
    assert_eq!(std::fs::read_to_string(&loose).unwrap(), "x = 1 // kept\naddResult(x)\n");
    assert_eq!(std::fs::read_to_string(&broken).unwrap(), "addVar(1, x)\n");
    let (loose, tidy) = (loose.display().to_string(), tidy.display().to_string());
    let again = assay(&["fmt", "--check", "--json", &loose, &tidy]).output().unwrap();
    assert_eq!(code(&again), 0);
    assert_eq!(String::from_utf8_lossy(&again.stdout).matches("\"kept\"").count(), 2);
    let piped = feed(&["fmt", "--stdin"], b"x=1\naddResult(x)");
    assert_eq!(String::from_utf8_lossy(&piped.stdout), "x = 1\naddResult(x)\n");
    let refused = feed(&["fmt"], b"addVar(1, x)\n");
    assert_eq!((code(&refused), refused.stdout.len()), (1, 0));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("AVAP026"));
}

#[test]
fn findings_come_in_the_forms_of_other_tools() {
    let program = b"x = 1\ngetSHA256(x, y)\naddResult(y)\n";
    let sarif = feed(&["parse", "--format", "sarif"], program);
    assert_eq!(code(&sarif), 1);
    let sarif: Value = serde_json::from_slice(&sarif.stdout).unwrap();
    assert_eq!(sarif["runs"][0]["results"][0]["ruleId"], "AVAP011");
    let lsp: Value = serde_json::from_slice(&feed(&["parse", "--format", "lsp"], program).stdout).unwrap();
    assert_eq!(lsp["diagnostics"][0]["range"]["start"]["line"], 1);
    let text = feed(&["parse"], program);
    let said = String::from_utf8_lossy(&text.stdout).into_owned();
    assert!(
        said.contains("-:2:1: error: unknown command 'getSHA256'") && said.ends_with("-: INVALID\n"),
        "{said}"
    );
    let explained = assay(&["parse", "--explain", "avap018"]).output().unwrap();
    assert!(String::from_utf8_lossy(&explained.stdout).starts_with("AVAP018: A block is not closed."));
    assert_eq!(code(&assay(&["parse", "--explain", "AVAP999"]).output().unwrap()), 1);
}

#[test]
fn batch_answer_is_one_line_for_every_reader() {
    let line = json!({"id": "a\u{2028}b\u{85}", "language": "json", "code": "[\u{2028}]"});
    let answered = feed(&["parse", "--jsonl", "-"], line.to_string().as_bytes());
    let text = String::from_utf8(answered.stdout).unwrap();
    assert!(!text.contains(['\u{2028}', '\u{85}']), "{text}");
    let object: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&object["id"], &object["valid"]), (&json!("a\u{2028}b\u{85}"), &json!(false)));
}

#[test]
fn text_that_is_not_utf8_is_refused_with_its_line() {
    let refused = feed(&["parse"], b"x = 1\ny = \"\xff\"\n");
    assert_eq!(code(&refused), 1);
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(said.contains("is not UTF-8: byte 0xFF on line 2"), "{said}");
}

/// What the server answers to raw bytes, and how it ends.
fn session(bytes: &[u8]) -> (Vec<Value>, i32) {
    let mut child = assay(&["lsp"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut to = child.stdin.take().unwrap();
    let bytes = bytes.to_vec();
    let writer = std::thread::spawn(move || {
        let _ = to.write_all(&bytes);
    });
    let Output { status, stdout, .. } = child.wait_with_output().unwrap();
    writer.join().unwrap();
    let mut rest = stdout.as_slice();
    let mut messages = Vec::new();
    while let Some(end) = rest.windows(4).position(|window| window == b"\r\n\r\n") {
        let head = std::str::from_utf8(&rest[..end]).unwrap();
        let length: usize = head.trim_start_matches("Content-Length: ").parse().unwrap();
        messages.push(serde_json::from_slice(&rest[end + 4..end + 4 + length]).unwrap());
        rest = &rest[end + 4 + length..];
    }
    (messages, status.code().unwrap())
}

fn framed(messages: &[Value]) -> Vec<u8> {
    let frame = |message: &Value| {
        let text = message.to_string();
        format!("Content-Length: {}\r\n\r\n{text}", text.len())
    };
    messages.iter().map(frame).collect::<String>().into_bytes()
}

fn request(id: i64, method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

fn codes(messages: &[Value]) -> Vec<i64> {
    messages.iter().map(|message| message["error"]["code"].as_i64().unwrap_or(0)).collect()
}

#[test]
fn sessions_in_the_wrong_order_are_answered() {
    let start = request(1, "initialize", &json!({"capabilities": {}}));
    let hover = request(
        2,
        "textDocument/hover",
        &json!({"textDocument": {"uri": URI}, "position": {"line": 0, "character": 0}}),
    );
    let end = request(3, "shutdown", &Value::Null);
    let exit = json!({"jsonrpc": "2.0", "method": "exit"});
    let cancel = json!({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": 99}});
    let unknown = request(4, "textDocument/nothing", &json!({}));
    let bad = request(5, "textDocument/hover", &json!({"textDocument": 1}));
    let answer = json!({"jsonrpc": "2.0", "id": 77, "result": null});
    let (messages, code) = session(&framed(&[
        hover.clone(),
        cancel.clone(),
        start.clone(),
        start,
        answer,
        cancel,
        unknown,
        bad,
        hover.clone(),
        end,
        hover,
        exit,
    ]));
    assert_eq!(codes(&messages), [-32002, 0, -32600, -32601, -32602, 0, 0, -32600]);
    assert_eq!(code, 0);
    assert_eq!(session(b"").1, 1);
    let (messages, code) = session(&framed(&[json!({"jsonrpc": "2.0", "method": "exit"})]));
    assert_eq!((messages.len(), code), (0, 1));
}

#[test]
fn invalid_message_is_refused_and_the_session_continues() {
    let start = framed(&[request(1, "initialize", &json!({"capabilities": {}}))]);
    let mut bytes = start;
    bytes.extend(b"Content-Length: 3\r\n\r\n{a}");
    bytes.extend(b"Content-Length: 2\r\n\r\n\xff\xfe");
    bytes.extend(b"Content-Type: x\r\n\r\n");
    bytes.extend(b"Content-Length: -5\r\n\r\n");
    bytes.extend(framed(&[json!([1, 2]), json!({"id": 8}), json!("text")]));
    bytes.extend(framed(&[request(1 << 40, "shutdown", &Value::Null)]));
    bytes.extend(framed(&[request(9, "shutdown", &Value::Null), json!({"method": "exit"})]));
    let (messages, code) = session(&bytes);
    assert_eq!(codes(&messages), [0, -32700, -32700, -32700, -32700, -32600, -32600, -32600, -32600, 0]);
    assert_eq!((messages[6]["id"].as_i64(), code), (Some(8), 0));
    // A length that nobody can mean takes no memory.
    let mut bytes = framed(&[request(1, "initialize", &json!({"capabilities": {}}))]);
    bytes.extend(b"Content-Length: 999999999999\r\n\r\n{}");
    let (messages, code) = session(&bytes);
    assert_eq!((codes(&messages), code), (vec![0, -32700], 1));
}

#[test]
fn edits_out_of_range_and_huge_documents_are_taken() {
    let (mut editor, _) = Editor::start(&[]);
    editor.open("x = \"😀\"\naddResult(x)\n");
    let change = |from: (u32, u32), to: (u32, u32), text: &str| {
        let range =
            json!({"start": {"line": from.0, "character": from.1}, "end": {"line": to.0, "character": to.1}});
        json!({"textDocument": {"uri": URI, "version": 2}, "contentChanges": [{"range": range, "text": text}]})
    };
    // Behind the end of a line, behind the end of the text, backwards, and in the middle of a pair of units.
    for (from, to, text) in [
        ((0, 900), (0, 900), " "),
        ((900, 0), (4_000_000_000, 4_000_000_000), "y = 1\n"),
        ((1, 3), (0, 2), ""),
        ((0, 6), (0, 6), "b"),
    ] {
        editor.tell("textDocument/didChange", change(from, to, text));
        editor.published();
    }
    let whole = json!({"textDocument": {"uri": URI, "version": 3}, "contentChanges": [{"text": "x = 1\naddResult(x)\n"}]});
    editor.tell("textDocument/didChange", whole);
    assert_eq!(editor.published(), Vec::<Value>::new());
    let big = format!("{}addResult(x)\n", "x = \"é\" + str(1)\n".repeat(20_000));
    editor.tell(
        "textDocument/didChange",
        json!({"textDocument": {"uri": URI, "version": 4}, "contentChanges": [{"text": big}]}),
    );
    assert_eq!(editor.published(), Vec::<Value>::new());
    assert!(
        editor.at("textDocument/hover", 20_000, 3)["contents"]["value"]
            .as_str()
            .unwrap()
            .contains("addResult")
    );
    // A change of a document that was never opened is passed over.
    let elsewhere =
        json!({"textDocument": {"uri": "file:///nowhere", "version": 1}, "contentChanges": [{"text": "x"}]});
    editor.tell("textDocument/didChange", elsewhere);
    assert_eq!(editor.leave(), 0);
}
