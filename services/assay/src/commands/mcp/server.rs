//! The protocol: which tools there are, a call of one, its progress and its end.

use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, ListToolsResult,
    PaginatedRequestParams, ProgressNotificationParam, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};

use super::tools::{self, Done, Telling, Trouble};
use crate::clients::Clients;

/// What an assistant is told of the tools as a whole.
const INSTRUCTIONS: &str = "Assay answers questions over indexed documentation and code, and checks every answer. Quote \
     the cited lines of an answer, and say what was not checked. Use `check` for an answer that you wrote from sources of \
     your own, and `parse` before you show AVAP code.";

/// Serves the tools to one client.
#[derive(Debug, Clone)]
pub(super) struct Server {
    clients: Arc<Clients>,
}

impl Server {
    pub(super) fn new(clients: Arc<Clients>) -> Self {
        Self { clients }
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let named = Implementation::new("assay", env!("CARGO_PKG_VERSION"));
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(named)
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::all()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let (telling, mut told) = Telling::new();
        let call = tools::call(&self.clients, &request.name, arguments, &telling);
        tokio::pin!(call);
        let mut number = 0.0;
        loop {
            tokio::select! {
                done = &mut call => return result(done),
                // Dropping the call cancels the work.
                () = context.ct.cancelled() => {
                    return Err(ErrorData::internal_error("the client cancelled the call", None));
                }
                Some(message) = told.recv() => {
                    let Some(token) = context.meta.get_progress_token() else { continue };
                    number += 1.0;
                    let progress = ProgressNotificationParam::new(token, number).with_message(message);
                    // A client that does not listen loses its progress, not its answer.
                    let _ = context.peer.notify_progress(progress).await;
                }
            }
        }
    }
}

/// What became of a call: a wrong call is an error of the protocol, any other failure one that the assistant reads.
fn result(done: Result<Done, Trouble>) -> Result<CallToolResponse, ErrorData> {
    match done {
        Ok(Done { text, object }) => {
            let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
            result.structured_content = Some(object);
            Ok(result.into())
        }
        Err(Trouble::Call(wrong)) => Err(ErrorData::invalid_params(wrong, None)),
        Err(Trouble::Failed(failure)) => {
            let field = match failure.field.as_str() {
                "" => String::new(),
                field => format!(", field `{field}`"),
            };
            let text = format!("{} [{}{field}]", failure.message, failure.code);
            Ok(CallToolResult::error(vec![ContentBlock::text(text)]).into())
        }
    }
}
