//! Messages of the Language Server Protocol over a pair of streams: framing, bounds and the life of a session. Whatever
//! comes in is answered or passed over; only the end of the input, or `exit`, ends it.

use std::io::{self, BufRead, Read as _, Write};

use assay_avap as avap;
use lsp_server::{ErrorCode, Message, Request, Response, ResponseError};
use lsp_types::{InitializeParams, InitializeResult, ServerInfo};
use serde::Serialize;
use serde_json::Value;

use super::{Encoding, Server};

/// Bytes of one message that are taken in; a longer one is skipped without being kept.
const MOST: u64 = 64 * 1024 * 1024;
/// Bytes of one header line.
const HEADER: u64 = 8 * 1024;

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
pub fn serve(input: &mut dyn BufRead, mut output: &mut dyn Write, options: &avap::Options) -> io::Result<u8> {
    let mut state = State::Fresh;
    while let Some(body) = body(input)? {
        let parsed = body.and_then(|body| {
            serde_json::from_slice::<Value>(&body).map_err(|error| format!("this is no JSON: {error}"))
        });
        let value = match parsed {
            Ok(value) => value,
            Err(why) => {
                refuse(output, &Value::Null, ErrorCode::ParseError, &why)?;
                continue;
            }
        };
        let id = value.get("id").cloned().unwrap_or_default();
        let answers = value.get("result").is_some() || value.get("error").is_some();
        match serde_json::from_value(value) {
            Ok(Message::Request(request)) => {
                Message::from(answer(&mut state, request, options)).write(&mut output)?;
            }
            // The library passes over an id that it cannot read.
            Ok(Message::Notification(_)) if !id.is_null() => {
                refuse(output, &id, ErrorCode::InvalidRequest, "an id is a number of 32 bits or a string")?;
            }
            Ok(Message::Notification(told)) if told.method == "exit" => break,
            Ok(Message::Notification(told)) => {
                if let State::Serving(server) = &mut state
                    && let Some(told) = server.notification(told)
                {
                    Message::from(told).write(&mut output)?;
                }
            }
            // An answer to something that this server never asks is passed over.
            Ok(Message::Response(_)) => {}
            Err(_) if answers => {}
            Err(_) => refuse(output, &id, ErrorCode::InvalidRequest, "a message needs a method")?,
        }
    }
    Ok(u8::from(!matches!(state, State::Done)))
}

/// Answers a request as the life of the session allows.
fn answer(state: &mut State, request: Request, options: &avap::Options) -> Response {
    let id = request.id.clone();
    let refused = |code: ErrorCode, why: &str| Response::new_err(id.clone(), code as i32, why.to_owned());
    match (&mut *state, request.method.as_str()) {
        (State::Fresh, "initialize") => match serde_json::from_value::<InitializeParams>(request.params) {
            Ok(params) => {
                let offered = params.capabilities.general.and_then(|general| general.position_encodings);
                let encoding = Encoding::agreed(&offered.unwrap_or_default());
                let version = Some(env!("CARGO_PKG_VERSION").to_owned());
                let server_info = Some(ServerInfo { name: "assay".to_owned(), version });
                let capabilities = Server::capabilities(encoding);
                *state = State::Serving(Box::new(Server::new(options.clone(), encoding)));
                Response::new_ok(id, InitializeResult { capabilities, server_info })
            }
            Err(error) => refused(ErrorCode::InvalidParams, &error.to_string()),
        },
        (State::Fresh, _) => refused(ErrorCode::ServerNotInitialized, "'initialize' must come first"),
        (State::Serving(_), "initialize") => {
            refused(ErrorCode::InvalidRequest, "this server is initialized already")
        }
        (State::Serving(_), "shutdown") => {
            *state = State::Done;
            Response::new_ok(id, ())
        }
        (State::Serving(server), _) => server.request(request),
        (State::Done, _) => {
            refused(ErrorCode::InvalidRequest, "this server was shut down; only 'exit' may follow")
        }
    }
}

/// Reads the next message, headers aside: nothing at the end of the input, or why it could not be taken in.
/// (`lsp_server::Message::read` reserves whatever length a header claims, and ends at the first malformed header.)
fn body(input: &mut dyn BufRead) -> io::Result<Option<Result<Vec<u8>, String>>> {
    let mut length: Option<u64> = None;
    let mut any = false;
    loop {
        let mut line = Vec::new();
        let read = (&mut *input).take(HEADER).read_until(b'\n', &mut line)?;
        if read == 0 {
            return Ok(None);
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
        return Ok(Some(Err("a message needs the header Content-Length, a number of bytes".to_owned())));
    };
    if length > MOST {
        io::copy(&mut (&mut *input).take(length), &mut io::sink())?;
        return Ok(Some(Err(format!("a message of {length} bytes is too long; at most {MOST} are taken"))));
    }
    let mut body = Vec::new();
    (&mut *input).take(length).read_to_end(&mut body)?;
    let whole = u64::try_from(body.len()).is_ok_and(|read| read == length);
    Ok(whole.then_some(Ok(body)))
}

/// A refusal of JSON-RPC whose id may be null, which no `Response` of the library can say.
#[derive(Serialize)]
struct Refusal<'a> {
    jsonrpc: &'static str,
    id: &'a Value,
    error: ResponseError,
}

fn refuse(output: &mut dyn Write, id: &Value, code: ErrorCode, message: &str) -> io::Result<()> {
    let error = ResponseError { code: code as i32, message: message.to_owned(), data: None };
    let text = serde_json::to_string(&Refusal { jsonrpc: "2.0", id, error })?;
    write!(output, "Content-Length: {}\r\n\r\n{text}", text.len())?;
    output.flush()
}
