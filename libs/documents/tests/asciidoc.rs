//! AsciiDoc: what a reader sees of a page, with its lines; the fixture was compared with Asciidoctor word by word.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests")]

use assay_documents::{Block, Document, Files, Format, Kind, NoFiles, Style, WarningKind, read, read_part};

/// Files of the fixture's folder.
struct Folder;

impl Files for Folder {
    fn text(&self, path: &str) -> Option<String> {
        match path {
            "parts/limits.adoc" => Some(include_str!("pages/asciidoc/parts/limits.adoc").to_owned()),
            "parts/Job.java" => Some(include_str!("pages/asciidoc/parts/Job.java").to_owned()),
            _ => None,
        }
    }
}

const EVERYTHING: &str = include_str!("pages/asciidoc/everything.adoc");

fn everything() -> Document {
    read(Format::AsciiDoc, "everything.adoc", EVERYTHING, &Folder)
}

fn page(text: &str) -> Document {
    read(Format::AsciiDoc, "page.adoc", text, &NoFiles)
}

fn texts(document: &Document) -> Vec<&str> {
    document.blocks.iter().map(|block| block.text.as_str()).collect()
}

fn block<'d>(document: &'d Document, beginning: &str) -> &'d Block {
    let found = document.blocks.iter().find(|block| block.text.starts_with(beginning));
    found.unwrap_or_else(|| panic!("no block begins with {beginning:?}: {:#?}", texts(document)))
}

fn led<'d>(document: &'d Document, block: &Block) -> &'d str {
    &document.blocks[block.lead.expect("a lead")].text
}

fn lines(block: &Block) -> (u32, u32) {
    (block.lines.first, block.lines.last)
}

#[test]
fn header_gives_title_and_attributes_and_shows_nothing_else() {
    let document = everything();
    assert_eq!(document.title, "Garden Guide: hose and pump");
    let first = block(&document, "The Garden Controller");
    assert_eq!(
        first.text,
        "The Garden Controller waters plants. It costs 10 euro+tax, and {unknown-name} stays as written. The second \
         sentence stands on its own line.\nThis one follows a hard break."
    );
    assert_eq!(lines(first), (13, 16));
    assert_eq!(first.line_at(first.text.find("second").unwrap()), 15);
    assert!(!texts(&document).concat().contains("Ada Gardener <"));
    assert!(!texts(&document).concat().contains("first edition"));
}

#[test]
fn references_and_links_show_their_text() {
    let document = everything();
    let text = &block(&document, "Read the pump page").text;
    assert!(text.starts_with(
        "Read the pump page, the limits, First steps and Valves; [nowhere] has no target. See the manual, the docs, \
         https://example.org/bare and the FAQ."
    ));
    let links: Vec<&str> = block(&document, "Read the pump page")
        .spans
        .iter()
        .filter_map(|span| match &span.style {
            Style::Link(target) => Some(target.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(links[..4], ["other.adoc#pump", "#limits-here", "#first-steps", "#_valves"]);
}

#[test]
fn inline_marks_become_styles() {
    let document = everything();
    let marks = block(&document, "Some bold");
    let styled = |style: &Style| -> Vec<&str> {
        let of = marks.spans.iter().filter(|span| span.style == *style);
        of.map(|span| &marks.text[span.range.clone()]).collect()
    };
    assert_eq!(styled(&Style::Struck), ["struck out"]);
    assert_eq!(styled(&Style::Lowered), ["2"]);
    assert_eq!(styled(&Style::Emphasis)[..2], ["italic", "em"]);
    assert_eq!(styled(&Style::Code)[..2], ["mono", "{literal}"]);
    for shown in [
        "Escapes: *not bold*, {product-name}, https://example.org and <<first-steps>>.",
        "© ® ™ — dash… an arrow → and ⇒ it's the owner's, “curly” and ‘single’ quotes, café & © 5 < 6 > 4.",
        "Keys Ctrl+Shift+N, button Save now and File › Export › As PDF.",
        "A note [1] and a named one [2], used [2] twice.",
        "Pass under and raw, plus quoted.",
        "inline, and visible term end.",
    ] {
        assert!(marks.text.contains(shown), "{shown}: {}", marks.text);
    }
    let note = block(&document, "The text of the note.");
    assert_eq!((lines(note), led(&document, note)), ((34, 34), marks.text.as_str()));
}

#[test]
fn admonitions_keep_label_group_and_lead() {
    let document = everything();
    let (one, two) = (block(&document, "Do not touch"), block(&document, "It needs this"));
    assert_eq!(one.kind, Kind::Admonition { label: "Warning".into() });
    assert_eq!(one.group, two.group);
    assert_eq!(led(&document, block(&document, "gloves")), "Do not touch the valve.");
    assert_eq!(led(&document, one), "Hot water");
    assert_eq!(block(&document, "A short note").kind, Kind::Admonition { label: "Note".into() });
}

#[test]
fn list_items_have_depth_number_tick_and_lead() {
    let document = everything();
    let item = |depth, number, ticked| Kind::Item { depth, number, ticked };
    for (beginning, kind, lead) in [
        ("First item continues here", item(1, None, None), "Lists come in kinds:"),
        ("Deeper", item(3, None, None), "Nested one"),
        ("done task", item(1, None, Some(true)), "Lists come in kinds:"),
        ("Half", item(2, Some(1), None), "Open"),
        ("Close", item(1, Some(2), None), "Steps to take:"),
        ("Dash one", item(3, None, None), "Two"),
        ("Runs the job", item(1, Some(1), None), "class Job {\n    void run() { } // (1)\n}"),
    ] {
        let block = block(&document, beginning);
        assert_eq!((&block.kind, led(&document, block)), (&kind, lead), "{beginning}");
    }
    assert_eq!(block(&document, "Five").kind, item(1, Some(5), None));
    assert_eq!(led(&document, block(&document, "A further paragraph")), "Second item");
    assert_eq!(led(&document, block(&document, "open valve")), "Second item");
}

#[test]
fn definitions_join_terms_with_their_description() {
    let document = everything();
    for text in
        ["Pump\nMoves water.", "Alias one, Alias two\nBoth stop water.", "What is it?\nA garden computer."]
    {
        let found = block(&document, text);
        let Kind::Definition { term } = &found.kind else { panic!("{found:?}") };
        assert_eq!(Some(&found.text[term.clone()]), text.split('\n').next());
    }
    assert_eq!(led(&document, block(&document, "It is ten metres")), "Hose\nCarries water.");
}

#[test]
fn code_is_verbatim_with_language_and_lines() {
    let document = everything();
    let listing = block(&document, "class Job");
    assert_eq!(listing.kind, Kind::Code { language: "java".into() });
    assert_eq!((lines(listing), led(&document, listing)), ((127, 131), "Listing of a job"));
    assert_eq!(listing.line_at(listing.text.find("void").unwrap()), 129);
    assert_eq!(block(&document, "print(").kind, Kind::Code { language: "python".into() });
    assert_eq!(block(&document, "$ literal").text, "$ literal paragraph\n  second line");
    assert_eq!(block(&document, "hours: 12").text, "hours: 12\nname: bold");
    assert_eq!(texts(&page("----\n\n    a\n\n\tb\n      c\n\n----\n")), ["    a\n\n\tb\n      c"]);
}

#[test]
fn tables_have_headers_spans_and_block_cells() {
    let document = everything();
    let row = |beginning: &str| {
        let block = block(&document, beginning);
        let Kind::Row { headers, cells, head } = &block.kind else { panic!("{block:?}") };
        let cells: Vec<(usize, &str)> =
            cells.iter().map(|cell| (cell.column, &block.text[cell.text.clone()])).collect();
        (headers.to_vec(), cells, *head, lines(block))
    };
    let (headers, cells, head, at) = row("Small");
    assert_eq!(headers, ["Name", "Width", "Height", "Remarks"]);
    assert_eq!(cells, [(0, "Small"), (1, "10"), (2, "20"), (3, "Has a list:\none\ntwo")]);
    assert_eq!((head, at), (false, (226, 232)));
    assert!(row("Name\t").2);
    assert_eq!(row("Spans two").1, [(0, "Spans two"), (2, "30"), (3, "code text")]);
    assert_eq!(row("3\t4").1, [(1, "3"), (2, "4"), (3, "b")]);
    assert_eq!(row("Head").1[1], (1, "literal\ncell"));
    assert_eq!(row("Paris").1, [(0, "Paris, north"), (1, "France")]);
    assert_eq!(row("b\t2").1[1].1, "2 | 3");
    assert_eq!(led(&document, block(&document, "Small")), "Table 1. Valve sizes");
    assert_eq!(led(&document, block(&document, "Inside the example.")), "Example 1. An example");
}

#[test]
fn includes_keep_their_own_file_and_lines() {
    let document = everything();
    let shown = block(&document, "A job may run");
    assert_eq!((shown.file.as_deref(), lines(shown)), (Some("parts/limits.adoc"), (4, 4)));
    assert!(!texts(&document).iter().any(|text| text.contains("outside of the tag")));
    let code = block(&document, "class Job {\n    // (1)");
    assert_eq!((code.file.as_deref(), lines(code)), (Some("parts/Job.java"), (4, 7)));
    assert_eq!(code.line_at(code.text.find("void").unwrap()), 6);
    let missing: Vec<_> = document.warnings.iter().map(|warning| (warning.line, warning.kind)).collect();
    assert_eq!(missing, [(272, WarningKind::MissingInclude)]);
}

#[test]
fn nothing_hidden_is_shown() {
    let document = everything();
    let all = texts(&document).join("\n");
    for hidden in [
        "comment",
        "Hidden",
        "toc::",
        "hidden,term",
        "gone,away",
        "|===",
        "leveloffset",
        "<p>",
        "'''",
        "ifdef",
    ] {
        assert!(!all.to_lowercase().contains(hidden), "{hidden}");
    }
    assert!(all.contains("Shown because hours are known.") && all.contains("Shown by a comparison."));
    assert!(all.contains("Raw HTML words."));
}

#[test]
fn ids_are_those_of_asciidoctor_or_antora() {
    let document = everything();
    let ids: Vec<&str> = document.anchors.iter().map(|(id, _)| id.as_str()).collect();
    for id in [
        "first-steps",
        "in-line",
        "made",
        "_inline_marks",
        "_valves",
        "id-ids-of-their-own",
        "own-id",
        "book",
    ] {
        assert!(ids.contains(&id), "{id}: {ids:?}");
    }
    let path = "docs/modules/ROOT/pages/page.adoc";
    let antora = read(Format::AsciiDoc, path, "= Page\n\n== Two Words\n", &NoFiles);
    assert_eq!(antora.sections[2].anchor, "two-words");
}

#[test]
fn antora_attributes_and_partials_are_found() {
    let files = |path: &str| match path {
        "docs/antora.yml" => {
            Some("name: x\nasciidoc:\n  attributes:\n    pump: 'Big Pump@'\nnav: []\n".to_owned())
        }
        "docs/modules/ROOT/partials/note.adoc" => Some("Included {pump}.\n".to_owned()),
        _ => None,
    };
    let text = "= Page\n\nThe {pump}.\n\ninclude::partial$note.adoc[]\n\ninclude::ROOT:partial$note.adoc[]\n";
    let document = read(Format::AsciiDoc, "docs/modules/ROOT/pages/a/page.adoc", text, &files);
    assert_eq!(texts(&document), ["Page", "The Big Pump.", "Included Big Pump.", "Included Big Pump."]);
}

#[test]
fn an_empty_reference_shows_the_title_of_its_page() {
    let files =
        |path: &str| (path == "modules/ROOT/pages/b/c.adoc").then(|| "[[c]]\n= The `C` Page\n".to_owned());
    let document = read(
        Format::AsciiDoc,
        "modules/ROOT/pages/a.adoc",
        "See xref:b/c.adoc[] and xref:d.adoc[].\n",
        &files,
    );
    assert_eq!(texts(&document), ["See The C Page and d.html."]);
}

#[test]
fn deep_nesting_keeps_words_with_one_warning() {
    let open: String = (0..100).map(|level| format!("{}\nword{level}\n\n", "=".repeat(4 + level))).collect();
    let document = page(&open);
    let all = texts(&document).join(" ");
    assert!((0..100).all(|level| all.contains(&format!("word{level}"))), "{all}");
    let kinds: Vec<_> = document.warnings.iter().map(|warning| warning.kind).collect();
    assert_eq!(kinds, [WarningKind::TooDeep]);
}

#[test]
fn unknown_address_attributes_keep_the_link() {
    let document = page("See {docs-url}/a.html[the docs] and {other}.\n");
    assert_eq!(document.blocks[0].text, "See the docs and {other}.");
    assert_eq!(document.blocks[0].spans[0].style, Style::Link("{docs-url}/a.html".into()));
}

#[test]
fn a_passage_keeps_words_of_unknown_references() {
    let document =
        read_part(Format::AsciiDoc, "Set {limit} as in <<limits>> and xref:a.adoc#b[there].\n\n* item\n");
    assert_eq!(texts(&document), ["Set limit as in limits and there.", "item"]);
    assert!(read_part(Format::AsciiDoc, "include::gone.adoc[]\n").warnings.is_empty());
}

#[test]
fn tabs_show_their_labels_as_captions() {
    let document = page(
        "[tabs]\n====\nJava::\n+\n[source,java]\n----\nint a;\n----\nKotlin::\n+\n----\nval a\n----\n====\n",
    );
    assert_eq!(texts(&document), ["Java", "int a;", "Kotlin", "val a"]);
    assert_eq!(document.blocks[0].kind, Kind::Caption);
    assert_eq!(document.blocks[3].lead, Some(2));
}

#[test]
fn front_matter_and_bare_returns_leave_lines_true() {
    let document = page("\u{feff}---\ntitle: Named\n---\n= Heading\r\n\r\none\rtwo\r\nthree");
    assert_eq!((document.title.as_str(), document.front_matter_lines), ("Named", 3));
    assert_eq!(texts(&document), ["Heading", "one two three"]);
    assert_eq!(lines(&document.blocks[1]), (6, 7));
}

#[test]
fn cyclic_and_growing_includes_end() {
    let files = |path: &str| match path {
        "a.adoc" => Some("A\n\ninclude::b.adoc[]\n\ninclude::b.adoc[]\n".to_owned()),
        "b.adoc" => Some("B\n\ninclude::a.adoc[]\n\ninclude::page.adoc[]\n".to_owned()),
        _ => None,
    };
    let document = read(Format::AsciiDoc, "page.adoc", "include::a.adoc[]\n", &files);
    assert_eq!(texts(&document), ["A", "B", "B"]);
    assert!(document.warnings.iter().all(|warning| warning.kind == WarningKind::IncludeCycle));
    let wide = |path: &str| {
        let level: u32 = path.strip_suffix(".adoc")?.parse().ok()?;
        Some(format!("include::{}.adoc[]\n\n", level + 1).repeat(3) + "x\n")
    };
    let document = read(Format::AsciiDoc, "page.adoc", "include::1.adoc[]\n", &wide);
    assert!(document.blocks.len() <= 200);
    assert!(!document.warnings.is_empty());
}

#[test]
fn hostile_pages_are_read_in_bounded_time() {
    let n = 10_000;
    let nested =
        |mark: &str| (1..=1_000).map(|level| format!("{} a\n", mark.repeat(level))).collect::<String>();
    let fences =
        |from: usize| (0..700).map(|level| format!("{}\n", "=".repeat(from + level))).collect::<String>();
    for text in [
        "x".repeat(10 << 20),
        "*a _b `c +d ".repeat(1 << 19),
        "*a ".repeat(n),
        "`a +".repeat(8_000),
        "http://a[".repeat(n),
        "<<a ".repeat(n),
        "footnote:[".repeat(n),
        "{a".repeat(n),
        "[[a]]".repeat(n),
        "[a]\n".repeat(n),
        "[a]\n\n".repeat(200),
        "== a\n\n".repeat(n),
        "* a\n".repeat(n),
        "* a\n+\nb\n\n".repeat(3_000),
        "a:: b\n\n".repeat(n),
        "----\na <1>\n".repeat(n),
        "----\na\n\n====\n".repeat(n),
        "|===\n".repeat(n),
        format!("|===\n{}\n|===\n", "|a ".repeat(5_000)),
        format!("[cols=a]\n|===\n{}\n|===\n", "|a\n".repeat(3_000)),
        format!(":a: {}\n\n{}{{a}}\n", "a".repeat(99), ":a: {a}{a}\n\n".repeat(40)),
        format!(":a: {}\n\n{}\n", "http://a[".repeat(400), "{a}".repeat(3_900)),
        format!(":a: {}\n\n{}\n", "http://a[".repeat(400), "{a}".repeat(n)),
        "> ".repeat(n) + "a",
        "ifdef::a[]\n".repeat(n),
        "ifndef::a[]\n".repeat(n) + "x\n",
        "\0*\0\r\0".repeat(n),
        "-".repeat(n),
        nested("*"),
        nested("."),
        fences(4),
        fences(5),
    ] {
        check(&text, &page(&text));
    }
}

#[test]
fn a_huge_count_of_columns_is_cut() {
    for text in [
        "[cols=99999999999]\n|===\n|a\n|===\n",
        "[cols=\"99999999999*,1\"]\n|===\n|a\n|===\n",
        "|===\n99999999999+|a\n|b\n|===\n",
        "|===\n99999999999.2+^.>s|a\n|b\n|===\n",
        "|===\n99999999999*|a\n|===\n",
        ":x: cols=9999999999999\n\n[{x}]\n|===\n|a\n|===\n",
        ":x: 99999\n\n[cols=\"{x}{x}{x}*\"]\n|===\n|a\n|===\n",
        "|===\na|\n[cols=99999999999]\n!===\n99999999999+! b\n!===\n|===\n",
        "[separator=@]\n|===\n99999999999+@a\n@b\n|===\n",
    ] {
        let document = page(text);
        check(text, &document);
    }
    assert_eq!(texts(&page("Version 20240101+ of 2024 * 1000\n")), ["Version 20240101+ of 2024 * 1000"]);
}

/// Places of a document that must hold for any text.
fn check(text: &str, document: &Document) {
    let count = u32::try_from(text.split('\n').count()).unwrap();
    for (index, block) in document.blocks.iter().enumerate() {
        let (first, last) = lines(block);
        assert!(1 <= first && first <= last && (block.file.is_some() || last <= count), "{block:?}");
        assert!(block.lead.is_none_or(|lead| lead < index), "{block:?}");
        assert!(block.section < document.sections.len());
        assert!(block.starts.first().is_none_or(|(at, _)| *at == 0), "{block:?}");
        assert!(block.starts.windows(2).all(|pair| pair[0].0 < pair[1].0), "{block:?}");
        assert!(
            block.starts.iter().all(|(at, line)| *at <= block.text.len() && (first..=last).contains(line)),
            "{block:?}"
        );
        for span in &block.spans {
            assert!(block.text.get(span.range.clone()).is_some(), "{block:?}");
        }
        match &block.kind {
            Kind::Row { cells, .. } => {
                assert!(cells.iter().all(|cell| block.text.get(cell.text.clone()).is_some()), "{block:?}");
            }
            Kind::Definition { term } => assert!(block.text.get(term.clone()).is_some(), "{block:?}"),
            _ => {}
        }
    }
}

/// Pieces of which hostile pages are made.
const PIECES: &[&str] = &[
    "*",
    "**",
    "_",
    "`",
    "``",
    "+",
    "+++",
    "#",
    "^",
    "~",
    "[",
    "]",
    "{",
    "}",
    "<<",
    ">>",
    "<1>",
    "((",
    "))",
    "\\",
    "'",
    "\"`",
    "`\"",
    "::",
    ":::",
    ";;",
    "|",
    "2+|",
    ".2+|",
    "a|",
    "|===\n",
    "!===\n",
    ",===\n",
    "====\n",
    "----\n",
    "....\n",
    "____\n",
    "****\n",
    "--\n",
    "++++\n",
    "////\n",
    "```\n",
    "\n",
    "\n\n",
    "\n+\n",
    "* ",
    "** ",
    "- ",
    ". ",
    ".. ",
    "1. ",
    "[NOTE]\n",
    "[source,java]\n",
    "[%header,cols=\"1,a\"]\n",
    "[quote, a, b]\n",
    "[verse]\n",
    "NOTE: ",
    "= ",
    "== ",
    "# ",
    ".Title\n",
    "[[a]]",
    "[#b]\n",
    "<<a,b>>",
    "xref:p.adoc#x[y]",
    "http://a.b[c]",
    "image::x.png[alt]\n",
    "image:y[]",
    "kbd:[Ctrl+C]",
    "menu:A[B > C]",
    "footnote:[z]",
    "pass:[<b>]",
    "stem:[x]",
    "ifdef::a[]\n",
    "endif::[]\n",
    ":a: b\n",
    ":leveloffset: +1\n",
    "{a}",
    "{nbsp}",
    "toc::[]\n",
    "'''\n",
    "(C)",
    "--",
    "...",
    "é",
    "日本",
    "\0",
    "\r",
    "\t",
    "word",
    "text. ",
    " ",
    "> ",
    "&nbsp;",
    "x:: y\n",
    "term::\n",
    "[.line-through]#s#",
    "// c\n",
    "[discrete]\n",
    "[qanda]\n",
    "[start=5]\n",
    "[subs=+quotes]\n",
    "* [x] ",
    "[[[bib]]]",
    "[tabs]\n",
    "include::a.adoc[]\n",
    "include::b.adoc[tag=x]\n",
];

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(300))]

    #[test]
    fn any_page_has_true_places(pieces in proptest::collection::vec(proptest::sample::select(PIECES), 0..80)) {
        let text = pieces.concat();
        let files = |path: &str| match path {
            "a.adoc" => Some("* é\n\n|===\n|x\n".to_owned()),
            "b.adoc" => Some("// tag::x[]\n= T\n\n[[q]]\n== t\n// end::x[]\n".to_owned()),
            _ => None,
        };
        check(&text, &read(Format::AsciiDoc, "page.adoc", &text, &files));
        check(&text, &read_part(Format::AsciiDoc, &text));
    }

    #[test]
    fn any_text_is_read(text in "\\PC{0,200}") {
        check(&text, &page(&text));
    }
}
