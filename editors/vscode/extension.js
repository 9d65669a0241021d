// Starts the language server of Assay for files ending in .avap. Without the client library only highlighting is on.
const vscode = require("vscode");

let client;

exports.activate = function () {
  let library;
  try {
    library = require("vscode-languageclient/node");
  } catch {
    vscode.window.showInformationMessage("AVAP: run `npm install` in the extension's folder for diagnostics and completion.");
    return;
  }
  const command = vscode.workspace.getConfiguration("avap").get("assay", "assay");
  client = new library.LanguageClient(
    "avap",
    "AVAP",
    { command, args: ["lsp"] },
    { documentSelector: [{ language: "avap" }] },
  );
  return client.start();
};

exports.deactivate = function () {
  return client ? client.stop() : undefined;
};
