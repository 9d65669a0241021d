//! What each rule finds, and where it is silent.
#![allow(clippy::unwrap_used)]

use assay_lint::{File, Finding, Rule, lint};

/// The findings of one rule in a set of pages, as `path:line: message`; `on_disk` exist beside them.
fn found(rule: Rule, pages: &[(&str, &str)], on_disk: &[&str]) -> Vec<String> {
    let findings = findings(rule, pages, on_disk);
    let told = |finding: &Finding| {
        format!("{}:{}: {}", finding.place.path, finding.place.lines.first, finding.message)
    };
    findings.iter().map(told).collect()
}

fn findings(rule: Rule, pages: &[(&str, &str)], on_disk: &[&str]) -> Vec<Finding> {
    let file = |(path, text): &(&str, &str)| File { path: (*path).to_owned(), text: (*text).to_owned() };
    let files: Vec<File> = pages.iter().map(file).collect();
    lint(&files, &[rule], &|path| Some(on_disk.contains(&path)))
}

fn fence(language: &str, code: &str) -> String {
    format!("# A\n\n- item\n\n  ```{language}\n  {}\n  ```\n", code.replace('\n', "\n  "))
}

#[test]
fn invalid_code_is_told_at_its_line() {
    for (language, code, line) in [
        ("avap", "addVar(x, 1)\nif (", 7),
        ("json", "{\n  \"a\" 1\n}", 7),
        ("go", "x := T{\n  A: 1\n}", 7),
        ("yaml", "a: [1\nb: 2", 7),
    ] {
        let told = found(Rule::CodeInvalid, &[("a.md", &fence(language, code))], &[]);
        assert_eq!(told.len(), 1, "{language}: {told:?}");
        assert!(told[0].starts_with(&format!("a.md:{line}: {language}: ")), "{told:?}");
    }
    assert_eq!(found(Rule::CodeInvalid, &[("b.avap", "addVar(x, 1)\nif (\n")], &[]).len(), 1);
}

#[test]
fn pieces_and_placeholders_are_no_invalid_code() {
    for (language, code) in [
        ("json", "{\n  \"a\": [1],"),
        ("json", "{\"a\": ...}"),
        ("rust", "safe fn f();"),
        ("bash", "tool (a|b)\n| ID | NAME |"),
        ("kotlin", "val ="),
        ("text", "{"),
    ] {
        let told = found(Rule::CodeInvalid, &[("a.md", &fence(language, code))], &[]);
        assert_eq!(told, Vec::<String>::new(), "{language} {code}");
    }
}

#[test]
fn link_to_no_file_is_dead_in_every_form() {
    let text = "---\ntitle: T\n---\n[a](b.md) [a](gone.md)\n\n![a](no.png) [a][r] [a](gone.md \"again\")\n\n[r]: ../x/no.rs\n";
    let dead = findings(Rule::DeadLink, &[("docs/a.md", text), ("docs/b.md", "# B\n")], &["x"]);
    let told: Vec<_> = dead.iter().map(|one| (one.place.lines.first, one.message.as_str())).collect();
    let leads = "leads to no file";
    assert_eq!(
        told,
        [
            (4, format!("`gone.md` {leads}").as_str()),
            (6, format!("`../x/no.rs` {leads}").as_str()),
            (6, format!("`no.png` {leads}").as_str())
        ]
    );
    assert_eq!(dead[0].related[0].lines.first, 6, "a target that is named twice is one finding");
}

#[test]
fn target_of_which_nobody_knows_is_not_dead() {
    let text = "[a](gone.md) [a](x/y) [b](sub/b)\n".to_owned();
    let files = [("a.md", text), ("sub/b.md", "[a](../a.md)\n".to_owned())];
    let files = files.map(|(path, text)| File { path: path.to_owned(), text });
    assert_eq!(lint(&files, &Rule::ALL, &|_| None), Vec::new());
}

#[test]
fn links_that_lead_somewhere_or_beyond_knowledge_are_alive() {
    let text = "[a](b.md?plain=1#b) [a](b) [a](b.html) [a](../a/b/) [a](sub/) [a](my%20file.txt) [a](<my file.txt>)\n\
                [a](https://example.org/x.md) [a](//example.org/x) [a](/x.md) [a](mailto:a@b.c) [a]({{ url }}/x.md)\n\
                [a](some.name) [a](../../std/vec/index.html) `[a](gone.md)`\n";
    let pages = [("docs/a.md", text), ("docs/b.md", "# B\n"), ("docs/sub/index.md", "# S\n")];
    assert_eq!(found(Rule::DeadLink, &pages, &["docs/my file.txt"]), Vec::<String>::new());
}

#[test]
fn anchors_follow_the_headings_of_their_page() {
    let target = "# Wörter & `code`: v1.2\n\n## Same\n\n## Same\n\n## Own {#mine}\n\n<a id=\"Raw\"></a> <a name=old></a>\n\nSetext\n======\n\n```\n# none\n```\n";
    let good = [
        "wörter--code-v12",
        "same",
        "same-1",
        "mine",
        "Raw",
        "old",
        "setext",
        "",
        "top",
        "w%C3%B6rter--code-v12",
    ];
    let links: String = good.iter().map(|anchor| format!("[a](b.md#{anchor})\n")).collect();
    let pages = |text: &str| found(Rule::DeadAnchor, &[("a.md", text), ("b.md", target)], &[]);
    assert_eq!(pages(&links), Vec::<String>::new());
    for (anchor, told) in [
        ("same-2", "`b.md#same-2`: b.md has no anchor `same-2`"),
        ("none", "`b.md#none`: b.md has no anchor `none`"),
        (
            "w%C3%B6rter--code-v1.2",
            "`b.md#w%C3%B6rter--code-v1.2`: b.md has no anchor `wörter--code-v1.2`, but `wörter--code-v12`",
        ),
    ] {
        assert_eq!(pages(&format!("# A\n[a](b.md#{anchor})\n")), [format!("a.md:2: {told}")]);
    }
    // No heading gives it, so that a generator may.
    assert_eq!(pages("[a](b.md#r-names.scopes)\n"), Vec::<String>::new());
    assert_eq!(pages("# A\n[a](#b)\n"), ["a.md:2: `#b`: a.md has no anchor `b`"]);
}

#[test]
fn repeated_passages_are_found_whatever_their_markup() {
    let long = "The importer reads every row of a table and skips those that are empty. ".repeat(3);
    let (other, short) = (long.replace("importer", "exporter"), "The importer skips rows.");
    let one = format!("# A\n\n{long}\n\n{other}\n\n{short}\n");
    let marked = long.replace("importer", "**Importer**").replace("table", "`table`").replace(". T", ".\nT");
    let two = format!(
        "# B\n\nIntroduction.\n\n> {}\n>\n> {other}\n\n{short}\n",
        marked.trim().replace('\n', "\n> ")
    );
    let repeated = findings(Rule::Duplicate, &[("a.md", &one), ("b.md", &two)], &[]);
    assert_eq!(repeated.len(), 1, "adjacent passages are one finding: {repeated:?}");
    assert_eq!((repeated[0].place.lines.first, repeated[0].place.lines.last), (5, 9));
    assert_eq!(repeated[0].message, "repeats a.md:3");
    let place = &repeated[0].related[0];
    assert_eq!((place.path.as_str(), place.lines.first, place.lines.last), ("a.md", 3, 5));
    assert_eq!(findings(Rule::Duplicate, &[("a.md", &one)], &[]), []);
}

#[test]
fn every_format_is_linted() {
    let rst = "Title\n=====\n\n.. code-block:: json\n\n   {\"a\" 1}\n";
    let adoc = "= Title\n\n[source,json]\n----\n{\"a\" 1}\n----\n";
    let html = "<h1>Title</h1>\n<pre><code class=\"language-json\">{\"a\" 1}</code></pre>\n<p><a href=\"gone.html\">x</a></p>\n";
    for (path, text, line) in [("a.rst", rst, 6), ("a.adoc", adoc, 5), ("a.html", html, 2)] {
        let told = findings(Rule::CodeInvalid, &[(path, text)], &[]);
        assert_eq!(told.iter().map(|one| one.place.lines.first).collect::<Vec<_>>(), [line], "{path}");
    }
    assert_eq!(found(Rule::DeadLink, &[("docs/a.html", html)], &[]), Vec::<String>::new());
    let html = html.replace("gone.html", "x/gone.html");
    assert_eq!(
        found(Rule::DeadLink, &[("a.html", &html)], &[]),
        ["a.html:3: `x/gone.html` leads to no file"]
    );
}

#[test]
fn a_page_that_includes_itself_is_not_read_in_full() {
    let pages = [("a.rst", "A\n=\n\n.. include:: b.rst\n"), ("b.rst", "B\n-\n\n.. include:: a.rst\n")];
    let told = found(Rule::Unread, &pages, &[]);
    assert_eq!(told.len(), 2, "{told:?}");
    assert_eq!(found(Rule::Unread, &[("a.rst", ".. include:: made.rst\n")], &[]), Vec::<String>::new());
}

#[test]
fn page_without_links_to_it_is_an_orphan() {
    let pages = [
        ("docs/README.md", "[a](a.md)\n"),
        ("docs/a.md", "[self](a.md) [site](/guide/d/)\n"),
        ("docs/b.md", "[self](b.md) [a](a.md)\n"),
        ("docs/c.md", "---\ntitle: menu\n---\n"),
        ("docs/guide/d.md", "# D\n"),
        ("docs/SUMMARY.md", "# S\n"),
    ];
    assert_eq!(found(Rule::Orphan, &pages, &[]), ["docs/b.md:1: no other page links to this one"]);
    assert_eq!(found(Rule::Orphan, &[("a.md", "# A\n"), ("b.md", "# B\n")], &[]), Vec::<String>::new());
}

#[test]
fn sentences_that_differ_in_one_value_contradict() {
    let says = |text: &str| format!("# T\n\nFirst things first.\n{text}\n");
    let told = |one: &str, other: &str| {
        found(Rule::Contradiction, &[("a.md", &says(one)), ("v2.md", &says(other))], &[])
    };
    let cursor = "A cursor of the importer expires after";
    assert_eq!(
        told(&format!("{cursor} 24 hours."), &format!("{cursor} **48** hours.")),
        ["v2.md:4: `48` here, `24` in a.md:4"]
    );
    let retries = "By default, retries of the importer are";
    assert_eq!(
        told(&format!("{retries} enabled."), &format!("{retries} `disabled`.")),
        ["v2.md:4: `disabled` here, `enabled` in a.md:4"]
    );
    for (one, other) in [
        ("24 hours", "24 hours"),
        ("24 hours", "48 days"),
        // The second page is about it.
        ("1", "2"),
    ] {
        let (one, other) = (format!("{cursor} {one}."), format!("{cursor} {other}."));
        assert_eq!(told(&one, &other), Vec::<String>::new(), "{other}");
    }
    assert_eq!(told("It has 3 rows.", "It has 4 rows."), Vec::<String>::new(), "too short");
}

#[test]
fn page_has_a_row_for_each_rule() {
    let page = include_str!("../../../docs/ingest.md");
    for rule in Rule::ALL {
        assert!(
            page.contains(&format!("| `{}` | ", rule.as_str())),
            "docs/ingest.md lacks {}",
            rule.as_str()
        );
        assert_eq!(Rule::named(rule.as_str()), Some(rule));
    }
}
