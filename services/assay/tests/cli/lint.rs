//! `assay lint`: mistakes of documentation in every form.

use serde_json::json;

use crate::rest::git;
use crate::{Cli, code, object, stderr};

/// A folder with a dead link, a dead anchor and invalid code.
fn folder(cli: &Cli) {
    std::fs::create_dir(cli.dir.path().join("docs")).unwrap();
    cli.file("docs/index.md", "# Index\n\n[b](b.md#none)\n[c](c.md)\n![p](p.png)\n");
    cli.file("docs/b.md", "# B\n\n```json\n{\"a\" 1}\n```\n");
}

#[test]
fn findings_are_told_in_every_form_and_exit_one() {
    let cli = Cli::new();
    folder(&cli);
    cli.file("docs/p.png", "");
    let text = cli.run(&["lint", "docs"]);
    assert_eq!(code(&text), 1, "{}", stderr(&text));
    let told = String::from_utf8(text.stdout).unwrap();
    let lines: Vec<&str> = told.lines().collect();
    assert!(lines[0].starts_with("docs/b.md:4: code-invalid: json: "), "{told}");
    assert_eq!(
        &lines[1..],
        [
            "docs/index.md:3: dead-anchor: `b.md#none`: docs/b.md has no anchor `none`",
            "docs/index.md:4: dead-link: `c.md` leads to no file",
            "3 findings in 2 files: 1 code-invalid, 1 dead-link, 1 dead-anchor, 0 duplicate, 0 orphan, 0 contradiction, 0 unread",
        ]
    );
    let row = object(&cli.run(&["lint", "docs", "--rule", "dead-link", "--json"]));
    let finding = json!({
        "rule": "dead-link", "path": "docs/index.md", "first_line": 4, "last_line": 4,
        "message": "`c.md` leads to no file", "related": [],
    });
    assert_eq!(row, json!({ "files": 2, "findings": [finding] }));
    let clean = cli.run(&["lint", "docs", "--rule", "duplicate", "--rule", "contradiction"]);
    assert_eq!(code(&clean), 0, "{}", stderr(&clean));
    let unknown = cli.run(&["lint", "docs", "--rule", "spelling"]);
    assert_eq!(code(&unknown), 64);
    assert!(stderr(&unknown).contains("dead-anchor"), "{}", stderr(&unknown));
}

#[test]
fn sarif_has_the_fields_that_the_standard_requires() {
    let cli = Cli::new();
    folder(&cli);
    let long = "The importer reads every row of a table and skips those that are empty. ".repeat(3);
    cli.file("docs/b c.md", &format!("{long}\n\nBetween.\n\n{long}\n"));
    let log = object(&cli.run(&["lint", "docs", "--format", "sarif"]));
    assert_eq!(log["version"], "2.1.0");
    let driver = &log["runs"][0]["tool"]["driver"];
    assert_eq!(driver["name"], "assay");
    let rules = driver["rules"].as_array().unwrap();
    assert_eq!(rules.len(), 7);
    assert!(rules.iter().all(|rule| rule["shortDescription"]["text"].is_string()), "{driver}");
    let results = log["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results.len(), 6, "{log:#}");
    for result in results {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(result["ruleId"], rules[index]["id"]);
        assert_eq!(result["level"], "warning");
        assert!(result["message"]["text"].is_string());
        let place = &result["locations"][0]["physicalLocation"];
        assert!(place["artifactLocation"]["uri"].as_str().unwrap().starts_with("docs/"));
        assert!(place["region"]["startLine"].as_u64().unwrap() >= 1, "{place}");
        assert!(place["region"].get("startColumn").is_none(), "{place}");
    }
    let repeated = results.iter().find(|result| result["ruleId"] == "duplicate").unwrap();
    let related = &repeated["relatedLocations"][0]["physicalLocation"];
    assert_eq!(related["artifactLocation"]["uri"], "docs/b%20c.md");
    assert_eq!(related["region"], json!({ "startLine": 1, "endLine": 1 }));
}

#[test]
fn commit_is_linted_as_it_was() {
    let cli = Cli::new();
    folder(&cli);
    cli.file("docs/p.png", "x");
    let (repository, rules) = (cli.dir.path().join("docs"), ["--rule", "dead-link", "--json"]);
    git(&repository, &["init", "-q"]);
    git(&repository, &["add", "."]);
    git(&repository, &["commit", "-q", "-m", "first"]);
    std::fs::remove_file(repository.join("p.png")).unwrap();
    cli.file("docs/c.md", "# C\n");
    let dead = |args: &[&str]| {
        let row = object(&cli.run(&[args, &rules[..]].concat()));
        let findings = row["findings"].as_array().unwrap().clone();
        findings.iter().map(|finding| finding["message"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(dead(&["lint", "docs", "--commit", "HEAD"]), ["`c.md` leads to no file"]);
    assert_eq!(dead(&["lint", "docs"]), ["`p.png` leads to no file"]);
}

#[test]
fn archive_is_refused() {
    let cli = Cli::new();
    cli.file("docs.zip", "");
    let refused = cli.run(&["lint", "docs.zip"]);
    assert_eq!(code(&refused), 1);
    assert!(stderr(&refused).contains("an archive is not linted"), "{}", stderr(&refused));
}

#[test]
fn an_ingest_counts_the_findings_of_its_files() {
    let cli = Cli::new();
    folder(&cli);
    let text = cli.run(&["ingest", "docs"]);
    let told = String::from_utf8(text.stdout).unwrap();
    let counts =
        "lint: 1 code-invalid, 1 dead-anchor, 2 dead-link; `assay lint` with the same paths names the places";
    assert!(told.lines().any(|line| line == counts), "{told}");
    let row = object(&cli.run(&["ingest", "docs", "--json"]));
    assert_eq!(row["lint_findings"], json!({ "code-invalid": 1, "dead-anchor": 1, "dead-link": 2 }));
    cli.file("lines.jsonl", "{\"id\": \"1\", \"text\": \"words\"}");
    let row = object(&cli.run(&["ingest", "--jsonl", "lines.jsonl", "--no-chunking", "--json"]));
    assert_eq!(row["lint_findings"], json!(null));
}

#[test]
fn findings_have_the_forms_of_ci_servers() {
    let cli = Cli::new();
    cli.file("page.md", "# Page\n\nSee [the other](gone.md).\n");
    let form = |format: &str| {
        let output = cli.run(&["lint", "page.md", "--format", format]);
        assert_eq!(code(&output), 1, "{format}: {}", stderr(&output));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let told = form("github");
    assert!(told.starts_with("::warning file=page.md,line=3,endLine=3,title="), "{told}");
    let junit = form("junit");
    assert!(junit.contains("failures=\"1\"") && junit.contains("page.md:3: "), "{junit}");
}
