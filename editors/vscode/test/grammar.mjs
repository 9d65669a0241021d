// The TextMate grammar under the engine of VS Code: every kind of token gets its scope. Run with `npm install && npm test`.
import fs from "node:fs";
import assert from "node:assert/strict";
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const textmate = require("vscode-textmate");
const oniguruma = require("vscode-oniguruma");

await oniguruma.loadWASM(fs.readFileSync(require.resolve("vscode-oniguruma/release/onig.wasm")).buffer);
const path = new URL("../syntaxes/avap.tmLanguage.json", import.meta.url);
const registry = new textmate.Registry({
  onigLib: Promise.resolve({
    createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
    createOnigString: (text) => new oniguruma.OnigString(text),
  }),
  loadGrammar: async () => textmate.parseRawGrammar(fs.readFileSync(path, "utf8"), "avap.tmLanguage.json"),
});
const grammar = await registry.loadGrammar("source.avap");

// The innermost scope of each token that has one, without the language's suffix.
function scopes(text) {
  const found = [];
  let stack = textmate.INITIAL;
  for (const line of text.split("\n")) {
    const { tokens, ruleStack } = grammar.tokenizeLine(line, stack);
    stack = ruleStack;
    for (const token of tokens) {
      const written = line.slice(token.startIndex, token.endIndex).trim();
      const scope = token.scopes[token.scopes.length - 1];
      if (written && scope !== "source.avap") found.push([written, scope.replace(/\.avap$/, "")]);
    }
  }
  return found;
}

const cases = [
  ["/// doc", [["/// doc", "comment.line.documentation"]]],
  ["x = 1 // c", [["=", "keyword.operator.assignment"], ["1", "constant.numeric"], ["// c", "comment.line.double-slash"]]],
  ["/* a\nif() */ 2", [["/*", "comment.block"], ["a", "comment.block"], ["if()", "comment.block"], ["*/", "comment.block"], ["2", "constant.numeric"]]],
  ['"a \\" b"', [['"', "string.quoted.double"], ["a", "string.quoted.double"], ['\\"', "constant.character.escape"], ["b", "string.quoted.double"], ['"', "string.quoted.double"]]],
  ["'// no'", [["'", "string.quoted.single"], ["// no", "string.quoted.single"], ["'", "string.quoted.single"]]],
  ["`a${x}`", [["`", "string.template"], ["a", "string.template"], ["${", "punctuation.definition.template-expression.begin"], ["x", "variable.other.readwrite"], ["}", "punctuation.definition.template-expression.end"], ["`", "string.template"]]],
  ['"open\n1', [['"', "string.quoted.double"], ["open", "string.quoted.double"], ["1", "constant.numeric"]]],
  ["if(None", [["if", "keyword.control"], ["None", "constant.language"]]],
  ["a if True else $b", [["if", "keyword.control.conditional"], ["True", "constant.language"], ["else", "keyword.control.conditional"], ["$b", "variable.other.readwrite"]]],
  ["function f(a) {", [["function", "storage.type.function"], ["f", "entity.name.function"]]],
  ["return 1.5", [["return", "keyword.other"], ["1.5", "constant.numeric"]]],
  ["addVar(x)", [["addVar", "support.function.command"]]],
  ["AddvariableToJSON(x)", [["AddvariableToJSON", "support.function.command"]]],
  ["addvar(x)", [["addvar", "entity.name.function.call"]]],
  ["len(x) + mine (y)", [["len", "support.function.builtin"], ["+", "keyword.operator.arithmetic"], ["mine", "entity.name.function.call"]]],
  ["_status = 200", [["_status", "variable.language"], ["=", "keyword.operator.assignment"], ["200", "constant.numeric"]]],
  ["x not in y and z", [["not", "keyword.operator.word"], ["in", "keyword.operator.word"], ["and", "keyword.operator.word"]]],
  ["a >= b != c", [[">=", "keyword.operator.comparison"], ["!=", "keyword.operator.comparison"]]],
  ["ifx endpoint len2", []],
];
for (const [text, expected] of cases) assert.deepEqual(scopes(text), expected, text);

// Every example of the front end is coloured to its end: no string or comment stays open.
const examples = new URL("../../../libs/avap/examples/", import.meta.url);
let programs = 0;
for (const name of fs.readdirSync(examples, { recursive: true })) {
  if (!name.endsWith(".avap")) continue;
  const text = fs.readFileSync(new URL(name, examples), "utf8");
  const last = scopes(`${text}\n_status`).at(-1);
  assert.deepEqual(last, ["_status", "variable.language"], name);
  programs += 1;
}
console.log(`${cases.length} texts and ${programs} programs are coloured as they should be`);
