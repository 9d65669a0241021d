//! Messages of the Language Server Protocol over a pair of streams: framing, bounds and the life of a session. Whatever
//! comes in is answered or passed over; only the end of the input, or `exit`, ends it.

use std::io::{self, BufRead, Read as _, Write};

use assay_avap as avap;
use lsp_server::{ErrorCode, Notification, Request};
use lsp_types::InitializeParams;
use serde_json::{Value, json};

use super::{Encoding, Server};

/// Bytes of one message that are taken in; a longer one is skipped without being kept.
const MOST: u64 = 64 * 1024 * 1024;
/// Bytes of one header line.
const HEADER: u64 = 8 * 1024;

/// What a frame held.
enum Frame {
    End,
    Body(Vec<u8>),
    /// It could not be taken in; why.
    Refused(String),
}

enum State {
    /// Nobody has said `initialize`.
    Fresh,
    Serving(Box<Server>),
    /// After `shutdown`.
    Done,
}

/// Serves one editor: 0 after a shutdown, 1 if it went away without one.
///
/// # Errors
/// What the streams say.
pub fn serve(input: &mut dyn BufRead, output: &mut dyn Write, options: &avap::Options) -> io::Result<u8> {
    let mut state = State::Fresh;
    loop {
        let body = match frame(input)? {
            Frame::End => return Ok(u8::from(!matches!(state, State::Done))),
            Frame::Refused(why) => {
                refuse(output, &Value::Null, ErrorCode::ParseError, &why)?;
                continue;
            }
            Frame::Body(body) => body,
        };
        let message: Value = match serde_json::from_slice(&body) {
            Ok(message) => message,
            Err(error) => {
                refuse(output, &Value::Null, ErrorCode::ParseError, &format!("this is no JSON: {error}"))?;
                continue;
            }
        };
        let Some(method) = message.get("method").and_then(Value::as_str).map(str::to_owned) else {
            // An answer to something that this server never asks is passed over.
            if message.get("result").is_none() && message.get("error").is_none() {
                let id = message.get("id").unwrap_or(&Value::Null);
                refuse(output, id, ErrorCode::InvalidRequest, "a message needs a method")?;
            }
            continue;
        };
        let params = message.get("params").cloned().unwrap_or(Value::Null);
        let Some(id) = message.get("id").filter(|id| !id.is_null()) else {
            if method == "exit" {
                return Ok(u8::from(!matches!(state, State::Done)));
            }
            if let State::Serving(server) = &mut state
                && let Some(told) = server.notification(Notification { method, params })
            {
                send(output, &json!({"jsonrpc": "2.0", "method": told.method, "params": told.params}))?;
            }
            continue;
        };
        match (&state, method.as_str()) {
            (State::Fresh, "initialize") => match serde_json::from_value::<InitializeParams>(params) {
                Ok(params) => {
                    let offered = params.capabilities.general.and_then(|general| general.position_encodings);
                    let encoding = Encoding::agreed(&offered.unwrap_or_default());
                    let server = json!({"name": "assay", "version": env!("CARGO_PKG_VERSION")});
                    let result =
                        json!({"capabilities": Server::capabilities(encoding), "serverInfo": server});
                    send(output, &json!({"jsonrpc": "2.0", "id": id, "result": result}))?;
                    state = State::Serving(Box::new(Server::new(options.clone(), encoding)));
                }
                Err(error) => refuse(output, id, ErrorCode::InvalidParams, &error.to_string())?,
            },
            (State::Fresh, _) => {
                refuse(output, id, ErrorCode::ServerNotInitialized, "'initialize' must come first")?;
            }
            (State::Serving(_), "initialize") => {
                refuse(output, id, ErrorCode::InvalidRequest, "this server is initialized already")?;
            }
            (State::Serving(_), "shutdown") => {
                send(output, &json!({"jsonrpc": "2.0", "id": id, "result": null}))?;
                state = State::Done;
            }
            (State::Serving(server), _) => {
                let Ok(request) =
                    serde_json::from_value::<Request>(json!({"id": id, "method": method, "params": params}))
                else {
                    refuse(output, id, ErrorCode::InvalidRequest, "an id is a number or a string")?;
                    continue;
                };
                let mut answer = serde_json::to_value(server.request(request)).unwrap_or_default();
                answer["jsonrpc"] = json!("2.0");
                send(output, &answer)?;
            }
            (State::Done, _) => {
                refuse(
                    output,
                    id,
                    ErrorCode::InvalidRequest,
                    "this server was shut down; only 'exit' may follow",
                )?;
            }
        }
    }
}

/// The next message, headers aside.
fn frame(input: &mut dyn BufRead) -> io::Result<Frame> {
    let mut length: Option<u64> = None;
    let mut any = false;
    loop {
        let mut line = Vec::new();
        let read = (&mut *input).take(HEADER).read_until(b'\n', &mut line)?;
        if read == 0 {
            return Ok(Frame::End);
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim();
        if line.is_empty() {
            if any {
                break;
            }
            continue;
        }
        any = true;
        if let Some((name, value)) = line.split_once(':')
            && name.trim().eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().ok();
        }
    }
    let Some(length) = length else {
        return Ok(Frame::Refused("a message needs the header Content-Length, a number of bytes".to_owned()));
    };
    if length > MOST {
        io::copy(&mut (&mut *input).take(length), &mut io::sink())?;
        return Ok(Frame::Refused(format!(
            "a message of {length} bytes is too long; at most {MOST} are taken"
        )));
    }
    let mut body = Vec::new();
    (&mut *input).take(length).read_to_end(&mut body)?;
    let whole = u64::try_from(body.len()).is_ok_and(|read| read == length);
    Ok(if whole { Frame::Body(body) } else { Frame::End })
}

fn refuse(output: &mut dyn Write, id: &Value, code: ErrorCode, message: &str) -> io::Result<()> {
    send(output, &json!({"jsonrpc": "2.0", "id": id, "error": {"code": code as i32, "message": message}}))
}

fn send(output: &mut dyn Write, message: &Value) -> io::Result<()> {
    let text = message.to_string();
    write!(output, "Content-Length: {}\r\n\r\n{text}", text.len())?;
    output.flush()
}
