//! The TextMate grammar of the editors knows the words of the command table and of the grammar, no more and no fewer.
//! Run with ASSAY_WRITE=1 it is written instead of compared.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::disallowed_methods)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use assay_avap::{commands, helpers, keywords};
use serde_json::{Value, json};

fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../editors/vscode/syntaxes/avap.tmLanguage.json")
}

/// Words of the grammar by what they are; together with the commands they are all words that mean something.
const CONSTANTS: &[&str] = &["None", "True", "False"];
const OPERATORS: &[&str] = &["and", "or", "not", "in"];
const DEFINITIONS: &[&str] = &["function", "return"];

fn words(list: &[&str], behind: &str) -> String {
    format!("\\b({})\\b{behind}", list.join("|"))
}

fn grammar() -> Value {
    let control: Vec<&str> = commands().iter().filter(|c| c.block).map(|c| c.name.as_str()).collect();
    let plain: Vec<&str> = commands().iter().filter(|c| !c.block).map(|c| c.name.as_str()).collect();
    let text = |quote: &str, name: &str, holes: bool| {
        let mut patterns = vec![json!({"name": "constant.character.escape.avap", "match": "\\\\."})];
        if holes {
            patterns.push(json!({
                "name": "meta.template.expression.avap",
                "match": "(\\$\\{)\\s*([A-Za-z_][A-Za-z0-9_]*)\\s*(\\})",
                "captures": {
                    "1": {"name": "punctuation.definition.template-expression.begin.avap"},
                    "2": {"name": "variable.other.readwrite.avap"},
                    "3": {"name": "punctuation.definition.template-expression.end.avap"},
                },
            }));
        }
        json!({"name": name, "begin": quote, "end": format!("{quote}|$"), "patterns": patterns})
    };
    json!({
        "$schema": "https://raw.githubusercontent.com/martinring/tmlanguage/master/tmlanguage.json",
        "name": "AVAP",
        "scopeName": "source.avap",
        "fileTypes": ["avap"],
        "patterns": [
            {"include": "#comments"}, {"include": "#strings"}, {"include": "#definitions"}, {"include": "#words"},
            {"include": "#numbers"}, {"include": "#operators"},
        ],
        "repository": {
            "comments": {"patterns": [
                {"name": "comment.line.documentation.avap", "match": "///.*$"},
                {"name": "comment.line.double-slash.avap", "match": "//.*$"},
                {"name": "comment.block.avap", "begin": "/\\*", "end": "\\*/"},
            ]},
            "strings": {"patterns": [
                text("\"", "string.quoted.double.avap", false),
                text("'", "string.quoted.single.avap", false),
                text("`", "string.template.avap", true),
            ]},
            "definitions": {"patterns": [{
                "match": "^\\s*(function)\\s+([A-Za-z_][A-Za-z0-9_]*)",
                "captures": {
                    "1": {"name": "storage.type.function.avap"},
                    "2": {"name": "entity.name.function.avap"},
                },
            }]},
            "words": {"patterns": [
                {"name": "keyword.control.avap", "match": words(&control, "(?=\\s*\\()")},
                {"name": "support.function.command.avap", "match": words(&plain, "(?=\\s*\\()")},
                {"name": "support.function.builtin.avap", "match": words(helpers(), "(?=\\s*\\()")},
                {"name": "keyword.other.avap", "match": words(DEFINITIONS, "")},
                {"name": "keyword.operator.word.avap", "match": words(OPERATORS, "")},
                {"name": "constant.language.avap", "match": words(CONSTANTS, "")},
                {"name": "keyword.control.conditional.avap", "match": "\\b(if|else)\\b"},
                {"name": "variable.language.avap",
                 "match": "\\b(_status|__last_error__|__CONECTOR__|__CONECTOR_VARS__|__CONECTOR_RESULTS__)\\b"},
                {"name": "variable.other.readwrite.avap", "match": "\\$[A-Za-z_][A-Za-z0-9_]*"},
                {"name": "entity.name.function.call.avap", "match": "\\b[A-Za-z_][A-Za-z0-9_]*(?=\\s*\\()"},
            ]},
            "numbers": {"patterns": [{"name": "constant.numeric.avap", "match": "\\b[0-9]+(\\.[0-9]+)?\\b"}]},
            "operators": {"patterns": [
                {"name": "keyword.operator.comparison.avap", "match": "==|!=|<=|>=|<|>"},
                {"name": "keyword.operator.assignment.avap", "match": "="},
                {"name": "keyword.operator.arithmetic.avap", "match": "[-+*/%]"},
            ]},
        },
    })
}

#[test]
fn grammar_of_the_editors_is_that_of_the_command_table() {
    let fresh = format!("{:#}\n", grammar());
    if std::env::var_os("ASSAY_WRITE").is_some() {
        std::fs::write(path(), fresh).unwrap();
        return;
    }
    let text = std::fs::read_to_string(path()).unwrap();
    assert!(text == fresh, "{} is not that of the command table; run `make diagrams`", path().display());
}

#[test]
fn every_keyword_and_command_is_highlighted() {
    let text = std::fs::read_to_string(path()).unwrap();
    let grammar: Value = serde_json::from_str(&text).unwrap();
    let mut found = BTreeSet::new();
    for pattern in grammar["repository"]["words"]["patterns"].as_array().unwrap() {
        let expression = pattern["match"].as_str().unwrap();
        if let Some((_, list)) = expression.split_once("\\b(") {
            found.extend(list.split(')').next().unwrap().split('|').map(str::to_owned));
        }
    }
    let wanted = commands().iter().map(|c| c.name.as_str()).chain(keywords().iter().copied());
    for word in wanted.chain(helpers().iter().copied()) {
        assert!(found.contains(word), "{word} is not highlighted");
    }
}
