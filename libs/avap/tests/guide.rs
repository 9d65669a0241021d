//! What the guide takes from the code: the command reference from the command table, the pages and tables of
//! diagnostic codes from their explanations. Run with ASSAY_WRITE=1 the tests write the pages instead of comparing.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::disallowed_methods)]

use std::fs;
use std::path::{Path, PathBuf};

use assay_avap::{Command, Options, ParamKind, Profile, commands, explanations, parse};

fn guide() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/avap")
}

/// Compares a page with what the code says it should be, or writes it.
fn hold(path: &Path, fresh: &str) {
    if std::env::var_os("ASSAY_WRITE").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, fresh).unwrap();
        return;
    }
    let text = fs::read_to_string(path).unwrap_or_default();
    assert!(text == fresh, "{} does not say what the code says; run `make diagrams`", path.display());
}

/// The text with the first table after `heading` exchanged.
fn with_table(text: &str, heading: &str, table: &str) -> String {
    let (before, after) = text.split_once(heading).unwrap_or_else(|| panic!("the page lacks {heading:?}"));
    let start = after.find("\n|").map_or_else(|| panic!("no table after {heading:?}"), |at| at + 1);
    let end = after[start..].find("\n\n").map_or(after.len(), |at| start + at + 1);
    assert!(!after[..start].contains("\n#"), "no table between {heading:?} and the next heading");
    format!("{before}{heading}{}{table}{}", &after[..start], &after[end..])
}

fn parameters(command: &Command) -> String {
    let mut table = String::from("| Position | Parameter | Kind |\n|---|---|---|\n");
    for (at, param) in command.params.iter().enumerate() {
        let kind = match param.kind {
            ParamKind::Target => "target",
            ParamKind::Var => "var",
            ParamKind::Value => "value",
        };
        let optional = if param.optional { ", may be left out" } else { "" };
        table.push_str(&format!("| {} | {} | {kind}{optional} |\n", at + 1, param.name));
    }
    table
}

#[test]
fn command_reference_is_that_of_the_command_table() {
    let path = guide().join("command-reference.md");
    let mut text = fs::read_to_string(&path).unwrap();
    let mut table = String::from("| Command | Profile | Since | Effect |\n|---|---|---|---|\n");
    for command in commands() {
        let (signature, profile) = (command.signature(), command.profile.name());
        table.push_str(&format!("| `{signature}` | {profile} | {} | {} |\n", command.since, command.effect));
    }
    text = with_table(&text, "## Table of commands\n", &table);
    for command in commands() {
        if !matches!(command.profile, Profile::Core | Profile::Full) {
            continue;
        }
        let heading = format!("### {}\n", command.name);
        if !command.params.is_empty() {
            text = with_table(&text, &heading, &parameters(command));
        }
        let section =
            text.split_once(&heading).unwrap_or_else(|| panic!("no section for {}", command.name)).1;
        let section = section.split("\n#").next().unwrap_or_default();
        assert!(section.contains("```avap"), "the section of {} has no example", command.name);
        assert!(section.contains(&format!("`{}`", command.signature())), "{}", command.name);
    }
    hold(&path, &text);
}

#[test]
fn table_of_codes_is_that_of_the_explanations() {
    let path = guide().join("diagnostic-codes.md");
    let mut table = String::from("| Code | Meaning | Remedy |\n|---|---|---|\n");
    for explanation in explanations() {
        let (code, title, remedy) = (&explanation.code, explanation.title(), &explanation.remedy);
        table.push_str(&format!("| `{code}` | {title} | {remedy} |\n"));
    }
    let text = fs::read_to_string(&path).unwrap();
    hold(&path, &with_table(&text, "# Diagnostic codes\n", &table));
}

#[test]
fn every_code_has_a_page_with_both_programs() {
    let folder = guide().join("diagnostics");
    let mut index = String::from(
        "# Pages of the diagnostic codes\n\nEach page shows a program that draws the finding and one that does not. \
         `assay parse --explain CODE` prints the same.\n\n| Code | Title | Severity | Category |\n|---|---|---|---|\n",
    );
    for explanation in explanations() {
        let (code, title) = (&explanation.code, explanation.title());
        let found = parse(&explanation.bad, &Options::default()).diagnostics;
        let finding = found.iter().find(|d| d.code == *code).unwrap();
        let severity = format!("{:?}", finding.severity).to_lowercase();
        let category = finding.category.name();
        index.push_str(&format!("| [`{code}`]({code}.md) | {title} | {severity} | `{category}` |\n"));
        let fence = if explanation.bad.contains("```") { "````" } else { "```" };
        let page = format!(
            "# {code}: {title}\n\nSeverity: {severity}. Category: `{category}`.\n\n{}\n\n**What to do.** {}\n\n\
             ## A program that draws it\n\n{fence}text\n{}{fence}\n\n```text\n{}\n```\n\n## A program that does not\n\n\
             ```avap\n{}```\n\n[All codes](index.md)\n",
            explanation.why,
            explanation.remedy.replace("](", "](../"),
            explanation.bad,
            finding.render(),
            explanation.good,
        );
        hold(&folder.join(format!("{code}.md")), &page);
    }
    hold(&folder.join("index.md"), &index);
    let pages = fs::read_dir(&folder).unwrap().count();
    assert_eq!(
        pages,
        explanations().len() + 1,
        "{} holds pages of codes that do not exist",
        folder.display()
    );
}
