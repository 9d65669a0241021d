//! `assay lsp`: the language server over standard input and output.

use assay_avap as avap;
use assay_domain::{Code, Failure};
use lsp_server::{Connection, Message};
use lsp_types::InitializeParams;
use serde_json::json;

use crate::cli::Reading;
use crate::lsp::{Encoding, Server};
use crate::settings::Settings;

/// Runs the command: serves until the editor says goodbye.
///
/// # Errors
/// `INVALID_ARGUMENT` for an unknown profile or an editor that does not keep to the protocol.
pub fn run(reading: &Reading, settings: &Settings) -> Result<u8, Failure> {
    let options = super::avap_options(reading, settings)?;
    let (connection, threads) = Connection::stdio();
    let served = serve(&connection, options);
    // The threads end when the channels are gone.
    drop(connection);
    let code = served.map_err(|text| Failure::new(Code::InvalidArgument, text).field("lsp"))?;
    threads.join().map_err(|error| Failure::internal(error.to_string()))?;
    Ok(code)
}

/// Serves one editor: 0 after a shutdown, 1 if it went away without one.
fn serve(connection: &Connection, options: avap::Options) -> Result<u8, String> {
    let (id, params) = connection.initialize_start().map_err(|error| error.to_string())?;
    let params: InitializeParams = serde_json::from_value(params).map_err(|error| error.to_string())?;
    let offered = params.capabilities.general.and_then(|general| general.position_encodings);
    let encoding = Encoding::agreed(&offered.unwrap_or_default());
    let answer = json!({
        "capabilities": Server::capabilities(encoding),
        "serverInfo": {"name": "assay", "version": env!("CARGO_PKG_VERSION")},
    });
    connection.initialize_finish(id, answer).map_err(|error| error.to_string())?;
    let mut server = Server::new(options, encoding);
    for message in &connection.receiver {
        let reply: Option<Message> = match message {
            Message::Request(request) => {
                if connection.handle_shutdown(&request).map_err(|error| error.to_string())? {
                    return Ok(0);
                }
                Some(server.request(request).into())
            }
            Message::Notification(notification) if notification.method == "exit" => return Ok(1),
            Message::Notification(notification) => server.notification(notification).map(Into::into),
            Message::Response(_) => None,
        };
        if let Some(reply) = reply
            && connection.sender.send(reply).is_err()
        {
            return Ok(1);
        }
    }
    Ok(1)
}
