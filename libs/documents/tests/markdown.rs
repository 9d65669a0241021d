//! Markdown in its dialects, as a reader sees it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use assay_documents::{Block, Document, Files, Format, Kind, NoFiles, Style, WarningKind, read, read_part};

fn page(text: &str) -> Document {
    read(Format::Markdown, "docs/page.md", text, &NoFiles)
}

/// Kind and first line of each block, with its text.
fn shown(text: &str) -> Vec<String> {
    page(text).blocks.iter().map(line).collect()
}

fn line(block: &Block) -> String {
    let kind = match &block.kind {
        Kind::Heading { level } => format!("h{level}"),
        Kind::Paragraph => "p".to_owned(),
        Kind::Item { depth, number, ticked } => {
            let number = number.map_or(String::new(), |number| format!(" {number}."));
            let tick = ticked.map_or("", |ticked| if ticked { " x" } else { " o" });
            format!("li{depth}{number}{tick}")
        }
        Kind::Row { head, .. } => if *head { "head" } else { "row" }.to_owned(),
        Kind::Code { language } => format!("code {language}"),
        Kind::Definition { term } => format!("def {}", &block.text[term.clone()]),
        Kind::Admonition { label } => format!("note {label}"),
        Kind::Caption => "caption".to_owned(),
    };
    format!("{}: {kind}: {}", block.lines.first, block.text.replace('\n', "⏎").replace('\t', "|"))
}

#[test]
fn inline_marks_become_words_and_spans() {
    let text = "One &amp; *two* **three** `fo\no` ~~no~~ H<sub>2</sub>O\\* [ref][r] soft&shy;ly\n\n[r]: http://x.y\n";
    let block = page(text).blocks.remove(0);
    assert_eq!(block.text, "One & two three fo o no H2O* ref softly");
    let spans: Vec<(&Style, &str)> =
        block.spans.iter().map(|s| (&s.style, &block.text[s.range.clone()])).collect();
    assert_eq!(
        spans,
        [
            (&Style::Emphasis, "two"),
            (&Style::Strong, "three"),
            (&Style::Code, "fo o"),
            (&Style::Struck, "no"),
            (&Style::Lowered, "2"),
            (&Style::Link("http://x.y".into()), "ref"),
        ]
    );
    assert_eq!(block.starts, [(0, 1), (19, 2)]);
}

#[test]
fn unused_definitions_and_linked_images_are_targets() {
    let document =
        page("[![alt](a.png)](b) and ![c](d)\n\n[![alone](a.png)](e)\n\n[x]: f\n[Y]: g\n\n[y] said.\n");
    assert_eq!(document.targets, [("b".to_owned(), 1), ("e".to_owned(), 3), ("f".to_owned(), 5)][1..]);
}

#[test]
fn bare_addresses_are_links() {
    let block = page("See https://a.b/c_d_e(f), not `https://g.h`.\n").blocks.remove(0);
    let links: Vec<&Style> = block.spans.iter().map(|span| &span.style).collect();
    assert_eq!(links, [&Style::Link("https://a.b/c_d_e(f)".into()), &Style::Code]);
}

#[test]
fn front_matter_names_the_page_and_is_not_shown() {
    for text in [
        "---\ntitle: \"A page\"\ntags: [x, y]\ndescription: z\n---\nText.\n",
        "+++\ntitle = \"A page\"\ntags = [\"x\", \"y\"]\ndescription = \"z\"\n+++\nText.\n",
    ] {
        let document = page(text);
        assert_eq!((document.title.as_str(), document.front_matter_lines), ("A page", 5), "{text}");
        assert_eq!(document.tags, ["x", "y"]);
        assert_eq!(document.blocks.iter().map(line).collect::<Vec<_>>(), ["6: p: Text."]);
    }
}

#[test]
fn lists_know_their_numbers_boxes_and_leads() {
    let text = "Do this:\n\n3. First\n   - [x] done\n   - [ ] open\n\n     ```sh,x\n     run\n     ```\n4. Second\n\n   More.\n";
    let blocks = page(text).blocks;
    assert_eq!(
        blocks.iter().map(line).collect::<Vec<_>>(),
        [
            "1: p: Do this:",
            "3: li1 3.: First",
            "4: li2 x: done",
            "5: li2 o: open",
            "7: code sh: run",
            "10: li1 4.: Second",
            "12: p: More.",
        ]
    );
    let leads: Vec<Option<usize>> = blocks.iter().map(|block| block.lead).collect();
    assert_eq!(leads, [None, Some(0), Some(1), Some(1), Some(3), Some(0), Some(5)]);
    assert_eq!(blocks[1].group, blocks[5].group);
    assert_ne!(blocks[1].group, blocks[2].group);
    assert_eq!((blocks[4].lines.first, blocks[4].lines.last, blocks[4].starts[0]), (7, 9, (0, 8)));
}

#[test]
fn tables_of_bars_and_tags_are_alike() {
    let bars = "| A | B |\n|---|---|\n| 1 | `x` y |\n";
    let tags = "<table>\n<tr><th>A</th><th>B</th></tr>\n<tr><td>1<td><code>x</code> y</table>\n";
    for text in [bars, tags] {
        let blocks = page(text).blocks;
        assert_eq!(blocks[1].text, "1\tx y", "{text}");
        let Kind::Row { headers, cells, head: false } = &blocks[1].kind else { panic!("{text}") };
        assert_eq!(headers.to_vec(), ["A", "B"]);
        assert_eq!(cells.iter().map(|cell| cell.column).collect::<Vec<_>>(), [0, 1]);
        assert!(matches!(blocks[0].kind, Kind::Row { head: true, .. }));
    }
}

#[test]
fn cells_over_rows_and_columns_keep_their_column() {
    let text = "<table><caption>All</caption>\n<tr><td rowspan=2>a</td><td colspan=2>b</td></tr>\n<tr><td>c</td><td>d<ul><li>e<li>f</ul></td></tr></table>\n";
    let blocks = page(text).blocks;
    assert_eq!(
        blocks.iter().map(line).collect::<Vec<_>>(),
        ["1: caption: All", "2: row: a|b", "3: row: c|d⏎e⏎f"]
    );
    let Kind::Row { cells, .. } = &blocks[2].kind else { panic!() };
    assert_eq!(cells.iter().map(|cell| cell.column).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(blocks[2].lead, Some(0));
}

#[test]
fn html_in_a_page_is_visible_text() {
    let text = "<details><summary>More</summary>\n\nBody <kbd>Esc</kbd><br>new\n\n</details>\n\n<dl><dt>T1<dt>T2<dd>Said</dl>\n<!-- gone -->\n<p hidden>gone</p><script>gone</script>\n\n<pre><code>a &lt;b\n\n  c</code></pre>\n";
    assert_eq!(
        shown(text),
        ["1: caption: More", "3: p: Body Esc⏎new", "7: def T1, T2: T1, T2⏎Said", "11: code : a <b⏎⏎  c"]
    );
}

#[test]
fn an_image_alone_is_a_caption() {
    let blocks = page("![A *map*](m.png)\n\nAn ![icon](i.png) here.\n").blocks;
    assert_eq!(line(&blocks[0]), "1: caption: A map");
    assert_eq!(blocks[0].spans[0].style, Style::Image("m.png".into()));
    assert_eq!((blocks[1].text.as_str(), blocks[1].spans[0].range.clone()), ("An here.", 2..2));
}

#[test]
fn numbers_of_footnotes_are_no_words() {
    assert_eq!(
        shown("Said.[^b] And.[^a]\n\n[^a]: Second\n[^b]: First\n"),
        ["1: p: Said. And.", "3: p: Second", "4: p: First"]
    );
}

#[test]
fn headings_have_the_ids_that_link_to_them() {
    let text = "# Über uns\n\n## One {#own}\n\n## Two {: .x #two-id }\n\n## Two\n\n## Two\n\nSetext {#s}\n---\n\n<a name=\"old\"></a>\n### C++ & more\n";
    let document = page(text);
    let ids: Vec<&str> = document.anchors.iter().map(|(id, _)| id.as_str()).collect();
    for id in ["über-uns", "own", "two-id", "two", "two-1", "s", "old", "c--more"] {
        assert!(ids.contains(&id), "{id} of {ids:?}");
    }
    assert_eq!(document.sections[2].headings, ["Über uns", "One"]);
    assert_eq!(document.title, "Über uns");
}

#[test]
fn notes_of_every_dialect_are_admonitions() {
    for (text, label) in [
        ("> [!WARNING]\n> Hot.\n", "Warning"),
        (":::warning\n\nHot.\n\n:::\n", "Warning"),
        ("::: warning Mind *this*\nHot.\n:::\n", "Mind this"),
        (":::warning[Mind this]\nHot.\n:::\n", "Mind this"),
        (":::{admonition} Mind this\n:class: tip\n\nHot.\n:::\n", "Mind this"),
        ("```{warning}\nHot.\n```\n", "Warning"),
        ("!!! warning\n    Hot.\n", "Warning"),
        ("??? tip \"Mind this\"\n    Hot.\n", "Mind this"),
        ("{{% alert title=\"Mind this\" color=\"warning\" %}}\nHot.\n{{% /alert %}}\n", "Mind this"),
        ("{{< warning >}}Hot.{{< /warning >}}\n", "Warning"),
        ("import X from 'x'\n\n<Warning>\nHot.\n</Warning>\n", "Warning"),
    ] {
        let blocks = page(text).blocks;
        assert_eq!(blocks.len(), 1, "{text} {blocks:?}");
        assert_eq!(blocks[0].kind, Kind::Admonition { label: label.into() }, "{text}");
        assert_eq!(blocks[0].text, "Hot.", "{text}");
    }
}

#[test]
fn indented_notes_end_with_their_indentation() {
    let text = "!!! note \"Title\"\n    One.\n\n        code\n\n    - a\n      b\n\nAfter.\n";
    assert_eq!(shown(text), ["2: note Title: One.", "4: code : code", "6: li1: a b", "9: p: After."]);
}

#[test]
fn a_title_without_a_paragraph_is_shown() {
    let text = "??? example \"See it\"\n    ```yaml tab=\"File\"\n    a: b\n    ```\n";
    let blocks = page(text).blocks;
    let found: Vec<String> = blocks.iter().map(line).collect();
    assert_eq!(found, ["1: caption: See it", "2: caption: File", "2: code yaml: a: b"]);
    assert_eq!((blocks[1].lead, blocks[2].lead), (Some(0), Some(1)));
}

#[test]
fn tabs_show_their_titles_and_content() {
    for text in [
        "=== \"Shell\"\n    ```sh\n    run\n    ```\n",
        "import Tabs from 'x'\n\n<Tabs>\n  <TabItem value=\"sh\" label=\"Shell\">\n    ```sh\n    run\n    ```\n  </TabItem>\n</Tabs>\n",
        "::: code-group\n```sh [Shell]\nrun\n```\n:::\n",
        "{{< tabs >}}\n{{< tab \"Shell\" >}}\n```sh\nrun\n```\n{{< /tab >}}\n{{< /tabs >}}\n",
        "````{tab} Shell\n```sh\nrun\n```\n````\n",
    ] {
        let blocks = page(text).blocks;
        let found: Vec<&str> = blocks.iter().map(|block| block.text.as_str()).collect();
        assert_eq!(found, ["Shell", "run"], "{text}");
        assert_eq!((&blocks[0].kind, blocks[1].lead), (&Kind::Caption, Some(0)), "{text}");
    }
}

#[test]
fn mdx_shows_neither_modules_nor_expressions() {
    let text = "import {\n  A,\n} from 'a';\nexport const x = {\n  y: 1,\n\n  z: 2,\n};\n\n# Use {/*use*/}\n\n{/* a\ncomment */}\nA {x.y}{' '}word <b style={{a: 1}}>bold</b>.\n\n<dl>\n  <dt>`key`</dt>\n  <dd>\n    The *value*.\n  </dd>\n</dl>\n";
    let document = page(text);
    let found: Vec<String> = document.blocks.iter().map(line).collect();
    assert_eq!(found, ["10: h1: Use", "14: p: A word bold.", "17: def key: key⏎The value."]);
    assert_eq!(document.anchors, [("use".to_owned(), 10)]);
}

#[test]
fn myst_roles_targets_and_options_are_resolved() {
    let text = "(label)=\n\n# Title\n\n% comment\n\nSee {ref}`this <label>`, {ref}`label`, {class}`~a.B`, H{sub}`2`.\n\n```{code-block} python\n:linenos:\n\nx = 1\n```\n\n```{toctree}\n:maxdepth: 1\na\n```\n";
    let document = page(text);
    let found: Vec<String> = document.blocks.iter().map(line).collect();
    assert_eq!(found, ["3: h1: Title", "7: p: See this, Title, B, H2.", "9: code python: x = 1"]);
    assert_eq!(document.blocks[2].starts, [(0, 12)]);
    assert!(document.anchors.contains(&("label".to_owned(), 1)));
}

#[test]
fn shortcodes_and_liquid_are_not_shown() {
    let text = "{{< toc >}}\n\nUse {{< param \"v\" >}}[x]({{< relref \"y.md\" >}}) {% if a %}now{% endif %} `{{< code >}}`.\n\n{% highlight rb %}\nputs {{ 1 }}\n{% endhighlight %}\n\n{% raw %}\nEnd.\n{% endraw %}\n\n[TOC]\n";
    assert_eq!(shown(text), ["3: p: Use x now {{< code >}}.", "5: code rb: puts {{ 1 }}", "10: p: End."]);
}

#[test]
fn set_up_lines_of_rust_are_not_shown() {
    let text = "```rust,ignore\n# fn main() {\nlet x = 1;\n#[allow(x)]\n#\n## two\n# }\n```\n";
    let block = page(text).blocks.remove(0);
    assert_eq!(
        (block.text.as_str(), block.starts.as_slice()),
        ("let x = 1;\n#[allow(x)]\n# two", &[(0, 3), (11, 4), (23, 6)][..])
    );
}

#[test]
fn rules_of_the_reference_are_anchors() {
    let document = page("r[a.b]\n# Name\n\nr[a.b.c]\nText of [`Vec`] and [a.b].\n");
    assert_eq!(
        document.blocks.iter().map(line).collect::<Vec<_>>(),
        ["2: h1: Name", "5: p: Text of Vec and a.b."]
    );
    assert!(document.anchors.contains(&("r-a.b.c".to_owned(), 4)));
}

#[test]
fn marks_in_code_stay() {
    let text = "```\n:::note\n!!! x\n{{< a >}}\n<!-- b -->\n> [!NOTE]\n```\n\n`:::note {{< a >}} {#b}`\n";
    assert_eq!(
        shown(text),
        ["1: code : :::note⏎!!! x⏎{{< a >}}⏎<!-- b -->⏎> [!NOTE]", "9: p: :::note {{< a >}} {#b}"]
    );
}

fn set(path: &str) -> Option<String> {
    let text = match path {
        "docs/part.md" => "---\nt: 1\n---\nIncluded.\n\n[!INCLUDE [x](inner.md)]\n",
        "docs/inner.md" => "Inner.\n",
        "docs/cycle.md" => "Cycle.\n\n{{#include cycle.md}}\n",
        "docs/code.rs" => "fn a() {}\n// ANCHOR: b\nfn b() {}\n// ANCHOR_END: b\n",
        _ => return None,
    };
    Some(text.to_owned())
}

fn included(text: &str) -> (Vec<String>, Document) {
    let document = read(Format::Markdown, "docs/page.md", text, &set as &dyn Files);
    let file = |block: &Block| block.file.as_deref().unwrap_or("-").to_owned();
    (document.blocks.iter().map(|block| format!("{} {}", file(block), line(block))).collect(), document)
}

#[test]
fn included_pages_keep_their_file_and_lines() {
    for text in
        ["Before.\n\n{{#include part.md}}\n\nAfter.\n", "Before.\n\n```{include} part.md\n```\n\nAfter.\n"]
    {
        let (blocks, document) = included(text);
        assert_eq!(
            blocks[..3],
            ["- 1: p: Before.", "docs/part.md 4: p: Included.", "docs/inner.md 1: p: Inner."]
        );
        assert!(blocks[3].starts_with("- ") && blocks[3].ends_with("After."), "{blocks:?}");
        assert!(document.warnings.is_empty());
    }
    let (blocks, _) = included("```rust\n{{#include code.rs:b}}\n```\n");
    assert_eq!(blocks, ["docs/code.rs 3: code rust: fn b() {}"]);
}

#[test]
fn cycles_and_missing_files_are_warned_of() {
    let (blocks, document) = included("{{#include cycle.md}}\n\n--8<-- \"none.md\"\n\nEnd.\n");
    assert_eq!(blocks, ["docs/cycle.md 1: p: Cycle.", "- 5: p: End."]);
    let kinds: Vec<WarningKind> = document.warnings.iter().map(|warning| warning.kind).collect();
    assert_eq!(kinds, [WarningKind::IncludeCycle, WarningKind::MissingInclude]);
}

#[test]
fn a_passage_keeps_the_words_of_its_references() {
    let part = read_part(
        Format::Markdown,
        "Some [text][ref], [place expression] and {ref}`x`.\n\n{{#include a.md}}\n",
    );
    assert_eq!(
        part.blocks.iter().map(line).collect::<Vec<_>>(),
        ["1: p: Some text, place expression and x."]
    );
    assert!(part.warnings.is_empty() && part.title.is_empty());
    assert_eq!(page("A [place expression].\n").blocks[0].text, "A [place expression].");
}

#[test]
fn deep_and_wide_structure_is_told_and_words_are_kept() {
    let deep = page(&format!("{}word\n", "> - ".repeat(2000)));
    assert_eq!(deep.blocks.last().unwrap().text, "word");
    assert_eq!(deep.warnings.iter().map(|w| w.kind).collect::<Vec<_>>(), [WarningKind::TooDeep]);
    let wide = format!("|{}\n|{}\n|{}\n", "h|".repeat(5000), "-|".repeat(5000), "c|".repeat(5000));
    let wide = page(&wide);
    assert_eq!(wide.blocks.last().unwrap().text.matches('c').count(), 5000);
    assert!(
        wide.warnings.iter().all(|warning| warning.kind == WarningKind::TooLarge)
            && !wide.warnings.is_empty()
    );
}

#[test]
fn hostile_pages_end() {
    let size = 20_000;
    for unit in [
        "`",
        "{",
        "{{ ",
        "{{< ",
        "[",
        "![",
        "<a ",
        "<div>",
        "</div>",
        "<!--",
        "<table>",
        "<tr><td rowspan=9999 colspan=9999>a",
        "> ",
        "* ",
        ":::note\n",
        "!!! note\n",
        "```{note}\n",
        "> [!NOTE]\n",
        "{% a %}",
        "{a}`",
        ")",
        "\0",
        "a\r",
        "\\*",
        "&amp;",
        "é{ü`ß<ñ:ø",
        "<ul><li>",
        "<dl><dt>a<dd>b",
        "(a)=\n",
        "$",
        "http://",
        "{: ",
        "<pre>",
        "**a _b ",
        "|a|b|\n|-|\n",
    ] {
        for start in ["", "import a from 'a'\n\n"] {
            let text = format!("{start}{}", unit.repeat(size / unit.len()));
            holds(&text, &page(&text));
        }
    }
}

/// What holds of every page: lines inside the file, places ascending, spans inside the text.
fn holds(text: &str, document: &Document) {
    let count = u32::try_from(text.split_inclusive('\n').count()).unwrap().max(1);
    for block in &document.blocks {
        assert!(block.lines.first >= 1 && block.lines.first <= block.lines.last, "{block:?}");
        assert!(block.lines.last <= count || block.file.is_some(), "{block:?}");
        assert!(block.starts.windows(2).all(|pair| pair[0].0 < pair[1].0), "{block:?}");
        assert!(block.starts.first().is_none_or(|start| start.0 == 0), "{block:?}");
        for (byte, line) in &block.starts {
            assert!(block.text.is_char_boundary(*byte), "{block:?}");
            assert!((block.lines.first..=block.lines.last).contains(line), "{block:?}");
        }
        for span in &block.spans {
            assert!(block.text.get(span.range.clone()).is_some(), "{block:?}");
        }
        if let Kind::Row { cells, .. } = &block.kind {
            assert!(cells.iter().all(|cell| block.text.get(cell.text.clone()).is_some()), "{block:?}");
        }
        assert!(block.section < document.sections.len());
    }
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(400))]
    #[test]
    fn every_page_is_read(parts in proptest::collection::vec(proptest::sample::select(PARTS), 0..25)) {
        let text: String = parts.concat();
        holds(&text, &page(&text));
        holds(&text, &read_part(Format::Markdown, &text));
    }
}

const PARTS: &[&str] = &[
    "a",
    "b c",
    " ",
    "    ",
    "\n",
    "\n\n",
    "\r\n",
    "\r",
    "\0",
    "é",
    "# ",
    "- ",
    "1. ",
    "> ",
    "```",
    "```rust\n",
    "# x\n",
    "```{note}\n",
    "````{tab} T\n",
    ":::",
    ":::note T\n",
    ":::\n",
    "!!! note \"T\"\n",
    "=== \"T\"\n",
    "| a | b |\n",
    "|---|---|\n",
    "<table>",
    "<tr>",
    "<td>",
    "</td>",
    "</table>",
    "<div>",
    "</div>",
    "<b>",
    "</b>",
    "<pre>",
    "</pre>",
    "<!--",
    "-->",
    "<!---->",
    "*",
    "**",
    "_",
    "`",
    "[a](b)",
    "![c](d)",
    "[^1]",
    "[^1]: x\n",
    "{#id}",
    "{: .c}",
    "{{< a >}}",
    "{{% alert %}}",
    "{{% /alert %}}",
    "{% raw %}",
    "{ref}`x`",
    "(t)=\n",
    "> [!NOTE]\n",
    "import X from 'y'\n\n",
    "<Tab label=\"l\">\n",
    "</Tab>\n",
    "{/* c */}",
    "{x}",
    "---\n",
    "+++\n",
    "<dl><dt>",
    "<dd>",
    "<ul><li>",
    "T\n: d\n",
    "<br>",
    "&shy;",
    "~~",
    "\\",
    "[TOC]\n",
    "r[a]\n",
    "$",
    "<script>",
    "<summary>",
    "<h2>",
];
