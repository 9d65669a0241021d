//! Requests and notifications of an editor to answers. Every message is answered; a document that is not open has no
//! answer but `null`.

use std::collections::HashMap;

use assay_avap as avap;
use assay_domain::{Diagnostic as Found, Severity};
use lsp_server::{ErrorCode, Notification, Request, Response};
use lsp_types::{
    CodeAction, CodeActionKind, CodeActionOrCommand, CodeActionParams, CodeActionProviderCapability,
    CompletionItem, CompletionItemKind, CompletionOptions, CompletionParams, CompletionTextEdit, Diagnostic,
    DiagnosticSeverity, DidChangeTextDocumentParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams,
    DocumentFormattingParams, DocumentSymbol, DocumentSymbolParams, Documentation, GotoDefinitionParams,
    Hover, HoverContents, HoverParams, HoverProviderCapability, InsertTextFormat, Location, MarkupContent,
    MarkupKind, NumberOrString, OneOf, ParameterInformation, ParameterLabel, PublishDiagnosticsParams, Range,
    ServerCapabilities, SignatureHelp, SignatureHelpOptions, SignatureHelpParams, SignatureInformation,
    SymbolKind, TextDocumentPositionParams, TextDocumentSyncCapability, TextDocumentSyncKind, TextEdit, Uri,
    WorkspaceEdit,
};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{Document, Encoding};
use crate::report::Remedy;

/// Codes whose suggestion takes the place of exactly what the finding marks.
const FIXABLE: &[&str] = &["AVAP005", "AVAP011", "AVAP016", "AVAP019", "AVAP054", "AVAP055"];

/// The language server: open documents and how AVAP is read.
#[derive(Debug)]
pub struct Server {
    options: avap::Options,
    encoding: Encoding,
    documents: HashMap<String, Document>,
}

impl Server {
    /// A server without documents.
    #[must_use]
    pub fn new(options: avap::Options, encoding: Encoding) -> Self {
        Self { options, encoding, documents: HashMap::new() }
    }

    /// What it can do.
    #[must_use]
    pub fn capabilities(encoding: Encoding) -> ServerCapabilities {
        ServerCapabilities {
            position_encoding: Some(encoding.kind()),
            text_document_sync: Some(TextDocumentSyncCapability::Kind(TextDocumentSyncKind::INCREMENTAL)),
            completion_provider: Some(CompletionOptions {
                trigger_characters: Some(vec!["$".to_owned(), "{".to_owned()]),
                ..CompletionOptions::default()
            }),
            hover_provider: Some(HoverProviderCapability::Simple(true)),
            signature_help_provider: Some(SignatureHelpOptions {
                trigger_characters: Some(vec!["(".to_owned(), ",".to_owned()]),
                ..SignatureHelpOptions::default()
            }),
            definition_provider: Some(OneOf::Left(true)),
            document_symbol_provider: Some(OneOf::Left(true)),
            document_formatting_provider: Some(OneOf::Left(true)),
            code_action_provider: Some(CodeActionProviderCapability::Simple(true)),
            ..ServerCapabilities::default()
        }
    }

    /// Answers a request.
    #[must_use]
    pub fn request(&self, request: Request) -> Response {
        let Request { id, method, params } = request;
        let answer = match method.as_str() {
            "textDocument/completion" => read(params).map(|p| self.completion(&p)),
            "textDocument/hover" => read(params).map(|p| self.hover(&p)),
            "textDocument/signatureHelp" => read(params).map(|p| self.signature(&p)),
            "textDocument/definition" => read(params).map(|p| self.definition(&p)),
            "textDocument/documentSymbol" => read(params).map(|p| self.symbols(&p)),
            "textDocument/formatting" => read(params).map(|p| self.formatting(&p)),
            "textDocument/codeAction" => read(params).map(|p| self.actions(&p)),
            _ => {
                let code = ErrorCode::MethodNotFound as i32;
                return Response::new_err(id, code, format!("this server has no method {method}"));
            }
        };
        match answer {
            Ok(value) => Response::new_ok(id, value),
            Err(text) => Response::new_err(id, ErrorCode::InvalidParams as i32, text),
        }
    }

    /// Takes a notification in; what is to be told the editor comes back.
    pub fn notification(&mut self, notification: Notification) -> Option<Notification> {
        let Notification { method, params } = notification;
        let (uri, version) = match method.as_str() {
            "textDocument/didOpen" => {
                let DidOpenTextDocumentParams { text_document: opened } = read(params).ok()?;
                let document = Document::new(opened.text, self.encoding);
                self.documents.insert(opened.uri.to_string(), document);
                (opened.uri, Some(opened.version))
            }
            "textDocument/didChange" => {
                let changed: DidChangeTextDocumentParams = read(params).ok()?;
                let document = self.documents.get_mut(changed.text_document.uri.as_str())?;
                for change in changed.content_changes {
                    document.change(change.range, &change.text);
                }
                (changed.text_document.uri, Some(changed.text_document.version))
            }
            "textDocument/didClose" => {
                let closed: DidCloseTextDocumentParams = read(params).ok()?;
                self.documents.remove(closed.text_document.uri.as_str());
                (closed.text_document.uri, None)
            }
            _ => return None,
        };
        let diagnostics = self.documents.get(uri.as_str()).map_or_else(Vec::new, |d| self.diagnostics(d));
        let published = PublishDiagnosticsParams { uri, diagnostics, version };
        Some(Notification {
            method: "textDocument/publishDiagnostics".to_owned(),
            params: serde_json::to_value(published).ok()?,
        })
    }

    fn document(&self, uri: &Uri) -> Option<&Document> {
        self.documents.get(uri.as_str())
    }

    /// The document and the byte offset of a place.
    fn at(&self, place: &TextDocumentPositionParams) -> Option<(&Document, usize)> {
        let document = self.document(&place.text_document.uri)?;
        Some((document, document.offset(place.position)))
    }

    fn diagnostics(&self, document: &Document) -> Vec<Diagnostic> {
        let found = crate::report::avap(document.text(), &self.options);
        found.iter().map(|found| diagnostic(document, found)).collect()
    }

    fn completion(&self, params: &CompletionParams) -> Value {
        let Some((document, offset)) = self.at(&params.text_document_position) else { return Value::Null };
        let found = avap::complete(document.text(), offset, &self.options);
        let range = document.range(found.replace);
        let items: Vec<CompletionItem> =
            found.proposals.into_iter().map(|proposal| item(proposal, range)).collect();
        to_value(items)
    }

    fn hover(&self, params: &HoverParams) -> Value {
        let Some((document, offset)) = self.at(&params.text_document_position_params) else {
            return Value::Null;
        };
        let Some(found) = avap::hover(document.text(), offset, &self.options) else { return Value::Null };
        to_value(Hover {
            contents: HoverContents::Markup(markdown(found.text)),
            range: Some(document.range(found.span)),
        })
    }

    fn signature(&self, params: &SignatureHelpParams) -> Value {
        let Some((document, offset)) = self.at(&params.text_document_position_params) else {
            return Value::Null;
        };
        let Some(found) = avap::call_help(document.text(), offset, &self.options) else { return Value::Null };
        let active = u32::try_from(found.active).unwrap_or(0);
        let parameters = found
            .parameters
            .into_iter()
            .map(|name| ParameterInformation { label: ParameterLabel::Simple(name), documentation: None });
        to_value(SignatureHelp {
            signatures: vec![SignatureInformation {
                label: found.signature,
                documentation: Some(Documentation::MarkupContent(markdown(found.doc))),
                parameters: Some(parameters.collect()),
                active_parameter: Some(active),
            }],
            active_signature: Some(0),
            active_parameter: Some(active),
        })
    }

    fn definition(&self, params: &GotoDefinitionParams) -> Value {
        let place = &params.text_document_position_params;
        let Some((document, offset)) = self.at(place) else { return Value::Null };
        match avap::definition(document.text(), offset, &self.options) {
            Some(span) => to_value(Location::new(place.text_document.uri.clone(), document.range(span))),
            None => Value::Null,
        }
    }

    fn symbols(&self, params: &DocumentSymbolParams) -> Value {
        let Some(document) = self.document(&params.text_document.uri) else { return Value::Null };
        let parsed = avap::parse(document.text(), &self.options);
        let statements = &parsed.tree.statements;
        let mut symbols = Vec::new();
        for (at, statement) in statements.iter().enumerate() {
            let avap::StatementKind::Function { name, parameters } = &statement.kind else { continue };
            let end = statements[at..]
                .iter()
                .find(|s| matches!(s.kind, avap::StatementKind::CloseFunction))
                .map_or(statement.span.1, |closing| closing.span.1);
            let slice = |span: &(u32, u32)| {
                let range = usize::try_from(span.0).unwrap_or(0)..usize::try_from(span.1).unwrap_or(0);
                document.text().get(range).unwrap_or_default().to_owned()
            };
            #[allow(deprecated, reason = "the protocol keeps the field, and the type has no constructor")]
            symbols.push(DocumentSymbol {
                name: slice(name),
                detail: Some(format!(
                    "({})",
                    parsed.tree.parameters(*parameters).iter().map(slice).collect::<Vec<_>>().join(", ")
                )),
                kind: SymbolKind::FUNCTION,
                tags: None,
                deprecated: None,
                range: document.range((statement.span.0, end)),
                selection_range: document.range(*name),
                children: None,
            });
        }
        to_value(symbols)
    }

    fn formatting(&self, params: &DocumentFormattingParams) -> Value {
        let Some(document) = self.document(&params.text_document.uri) else { return Value::Null };
        match avap::format(document.text(), &self.options) {
            avap::Formatted::Text(text) if text != document.text() => {
                to_value(vec![TextEdit::new(document.whole(), text)])
            }
            avap::Formatted::Text(_) => to_value(Vec::<TextEdit>::new()),
            // What does not parse is left alone; its diagnostics say why.
            avap::Formatted::Invalid(_) => Value::Null,
        }
    }

    fn actions(&self, params: &CodeActionParams) -> Value {
        let uri = &params.text_document.uri;
        let Some(document) = self.document(uri) else { return Value::Null };
        let found = crate::report::avap(document.text(), &self.options);
        let actions: Vec<CodeActionOrCommand> = found
            .iter()
            .filter(|found| FIXABLE.contains(&found.code.as_str()))
            .filter_map(|found| {
                let suggestion = found.suggestion.clone()?;
                let diagnostic = diagnostic(document, found);
                let touched =
                    diagnostic.range.start <= params.range.end && params.range.start <= diagnostic.range.end;
                touched.then(|| replace(uri, diagnostic, suggestion))
            })
            .collect();
        to_value(actions)
    }
}

/// A finding as the protocol has it.
#[must_use]
pub fn diagnostic(document: &Document, found: &Found) -> Diagnostic {
    let mut message = found.message.clone();
    match (&found.suggestion, &found.help) {
        (_, Some(help)) => message.push_str(&format!("\n{help}")),
        (Some(suggestion), None) => message.push_str(&format!("\ndid you mean '{suggestion}'?")),
        (None, None) => {}
    }
    Diagnostic {
        range: Range::new(
            document.located(found.line, found.column),
            document.located(found.line, found.end_column),
        ),
        severity: Some(match found.severity {
            Severity::Error => DiagnosticSeverity::ERROR,
            Severity::Warning => DiagnosticSeverity::WARNING,
            Severity::Hint => DiagnosticSeverity::HINT,
        }),
        code: Some(NumberOrString::String(found.code.clone())),
        source: Some("assay".to_owned()),
        message,
        data: Some(to_value(Remedy::of(found))),
        ..Diagnostic::default()
    }
}

/// The quick fix that puts a suggestion in the place of what a finding marks.
// The key is one the protocol fixes; a Uri compares by its text alone.
#[allow(clippy::mutable_key_type, reason = "the type of the protocol's map of edits")]
fn replace(uri: &Uri, diagnostic: Diagnostic, suggestion: String) -> CodeActionOrCommand {
    let edit = TextEdit::new(diagnostic.range, suggestion.clone());
    CodeActionOrCommand::CodeAction(CodeAction {
        title: format!("Write {suggestion}"),
        kind: Some(CodeActionKind::QUICKFIX),
        diagnostics: Some(vec![diagnostic]),
        edit: Some(WorkspaceEdit::new(HashMap::from([(uri.clone(), vec![edit])]))),
        is_preferred: Some(true),
        ..CodeAction::default()
    })
}

fn item(proposal: avap::Proposal, range: Range) -> CompletionItem {
    use avap::ProposalKind::{BlockWord, Command, Constant, Function, Keyword, Variable};
    let (kind, order) = match proposal.kind {
        BlockWord | Keyword => (CompletionItemKind::KEYWORD, 2),
        Command => (CompletionItemKind::FUNCTION, 1),
        Function => (CompletionItemKind::FUNCTION, 1),
        Variable => (CompletionItemKind::VARIABLE, 0),
        Constant => (CompletionItemKind::CONSTANT, 2),
    };
    let doc = (!proposal.doc.is_empty()).then(|| Documentation::MarkupContent(markdown(proposal.doc)));
    CompletionItem {
        sort_text: Some(format!("{order}{}", proposal.label)),
        label: proposal.label,
        kind: Some(kind),
        detail: (!proposal.detail.is_empty()).then_some(proposal.detail),
        documentation: doc,
        insert_text_format: Some(InsertTextFormat::SNIPPET),
        text_edit: Some(CompletionTextEdit::Edit(TextEdit::new(range, proposal.snippet))),
        ..CompletionItem::default()
    }
}

fn markdown(value: String) -> MarkupContent {
    MarkupContent { kind: MarkupKind::Markdown, value }
}

fn read<T: DeserializeOwned>(params: Value) -> Result<T, String> {
    serde_json::from_value(params).map_err(|error| error.to_string())
}

fn to_value(value: impl serde::Serialize) -> Value {
    serde_json::to_value(value).unwrap_or(Value::Null)
}
