//! Pages and passages of HTML, as blocks.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use assay_documents::{Block, Document, Format, Kind, NoFiles, Style, WarningKind, read, read_part};
use proptest::prelude::*;

fn page(text: &str) -> Document {
    read(Format::Html, "page.html", text, &NoFiles)
}

fn part(text: &str) -> Document {
    read_part(Format::Html, text)
}

/// A block in one line: kind, what is particular, lines, text.
fn shown(block: &Block) -> String {
    let kind = match &block.kind {
        Kind::Heading { level } => format!("h{level}"),
        Kind::Paragraph => "p".to_owned(),
        Kind::Item { depth, number, ticked } => {
            let number = number.map(|number| format!(" {number}.")).unwrap_or_default();
            let ticked = ticked.map(|ticked| if ticked { " [x]" } else { " [ ]" }).unwrap_or_default();
            format!("li{depth}{number}{ticked}")
        }
        Kind::Row { head: true, .. } => "th".to_owned(),
        Kind::Row { headers, cells, .. } => {
            let names = cells.iter().map(|cell| headers.get(cell.column).map_or("", String::as_str));
            format!("td({})", names.collect::<Vec<_>>().join("|"))
        }
        Kind::Code { language } => format!("code({language})"),
        Kind::Definition { term } => format!("def({})", &block.text[term.clone()]),
        Kind::Admonition { label } => format!("note({label})"),
        Kind::Caption => "caption".to_owned(),
    };
    let lead = block.lead.map(|lead| format!(" <{lead}")).unwrap_or_default();
    format!("{}-{} {kind}{lead}: {}", block.lines.first, block.lines.last, block.text.escape_debug())
}

fn blocks(document: &Document) -> Vec<String> {
    document.blocks.iter().map(shown).collect()
}

fn styled(block: &Block) -> Vec<(Style, &str)> {
    block.spans.iter().map(|span| (span.style.clone(), &block.text[span.range.clone()])).collect()
}

fn assert_sound(document: &Document, text: &str) {
    let lines = u32::try_from(text.split_inclusive('\n').count().max(1)).unwrap();
    for (index, block) in document.blocks.iter().enumerate() {
        assert!(block.lines.first >= 1 && block.lines.last <= lines && block.lines.first <= block.lines.last);
        assert!(block.section < document.sections.len());
        assert!(block.lead.is_none_or(|lead| lead < index));
        assert!(block.starts.is_sorted_by(|a, b| a.0 < b.0), "{:?}", block.starts);
        assert_eq!(block.starts.first().map(|(at, _)| *at), Some(0));
        for (at, line) in &block.starts {
            assert!(
                block.text.is_char_boundary(*at) && (block.lines.first..=block.lines.last).contains(line),
                "{block:?}"
            );
        }
        assert!(block.spans.is_sorted_by_key(|span| span.range.start));
        for span in &block.spans {
            assert!(block.text.get(span.range.clone()).is_some());
        }
        if let Kind::Row { cells, .. } = &block.kind {
            assert!(cells.iter().all(|cell| block.text.get(cell.text.clone()).is_some()));
        }
    }
}

#[test]
fn words_are_those_of_a_browser() {
    let text = "<p>A&nbsp;&lt;b&gt; co&shy;op\n <b>bo</b>ld<br>next <del>old</del> x<sup>2</sup>\n<!-- no --><q>said</q> \
                <a href='a.html?x=1&amp;y'>link <code>set</code></a><script>if (a</script><wbr>\n<kbd>K</kbd></p>";
    let page = page(text);
    assert_eq!(blocks(&page), ["1-4 p: A <b> coop bold\\nnext old x2 “said” link set K"]);
    assert_eq!(
        styled(&page.blocks[0]),
        [
            (Style::Strong, "bo"),
            (Style::Struck, "old"),
            (Style::Raised, "2"),
            (Style::Link("a.html?x=1&y".to_owned()), "link set"),
            (Style::Code, "set"),
            (Style::Code, "K"),
        ]
    );
    assert_eq!(page.blocks[0].starts, [(0, 1), (11, 2), (28, 3), (48, 4)]);
}

#[test]
fn hidden_parts_and_permalinks_make_no_words() {
    let text = "<h2 id=a>Name<a class=headerlink href='#a'>¶</a></h2><p>Shown<span hidden>1</span>\
                <span aria-hidden=true>2</span><span style='display: none'>3</span><svg><title>4</title><text>5</text></svg>\
                <button>6</button><select><option>7</select><input value=8><span class=sr-only>9</span>\
                <noscript>10</noscript><template><p>11</p></template><ruby>r<rt>12</rt></ruby></p><nav>13</nav>";
    assert_eq!(blocks(&page(text)), ["1-1 h2: Name", "1-1 p: Shownr"]);
}

#[test]
fn lists_keep_numbers_boxes_and_leads() {
    let text = "<p>Do this:</p>\n<ol start=3>\n<li>three\n<li value=7><p>seven</p><p>more</p>\n<pre>x</pre>\n<ul><li>inner</ul>\n</ol>\n\
                <ul><li><input type=checkbox checked disabled> done<li><label><input type=checkbox></label> open</ul>";
    assert_eq!(
        blocks(&page(text)),
        [
            "1-1 p: Do this:",
            "3-3 li1 3. <0: three",
            "4-4 li1 7. <0: seven",
            "4-4 p <2: more",
            "5-5 code() <2: x",
            "6-6 li2 <2: inner",
            "8-8 li1 [x]: done",
            "8-8 li1 [ ]: open",
        ]
    );
}

#[test]
fn definitions_join_their_terms() {
    let text = "<dl>\n<dt><span class=term><code>-a</code><br></span><span class=term><code>--all</code></span></dt>\n\
                <dd><p>Takes\nall.</p><p>More.</p></dd>\n<dt>one<dt>two<dd>Both.\n<dt>alone\n</dl>";
    let page = page(text);
    assert_eq!(
        blocks(&page),
        [
            "2-4 def(-a, --all): -a, --all\\nTakes all.",
            "4-4 p <0: More.",
            "5-5 def(one, two): one, two\\nBoth.",
            "6-6 def(alone): alone",
        ]
    );
    assert_eq!(styled(&page.blocks[0]), [(Style::Code, "-a"), (Style::Code, "--all")]);
}

#[test]
fn rows_know_their_columns_over_spans() {
    let text = "<table><caption>Sizes</caption>\n<thead><tr><th rowspan=2>Name<th colspan=2>Size</tr><tr><th>min<th>max</thead>\n\
                <tr><th rowspan=2>a<td>1<td>2\n<tr><td colspan=2><ul><li>x<li>y</ul>\n</table>";
    assert_eq!(
        blocks(&page(text)),
        [
            "1-1 caption: Sizes",
            "2-2 th <0: Name\\tSize",
            "2-2 th <0: min\\tmax",
            "3-3 td(Name|Size min|Size max) <0: a\\t1\\t2",
            "4-4 td(Size min) <0: x y",
        ]
    );
}

#[test]
fn tables_for_layout_are_read_as_blocks() {
    let numbered = "<table class=highlighttable><tr><td class=linenos><pre>1\n2</pre><td class=code>\
                    <div class='highlight'><pre><code class='language-go'>\na\n  b\n</code></pre></div></table>";
    assert_eq!(blocks(&page(numbered)), ["3-4 code(go): a\\n  b"]);
    let framed = "<table><tr><td>Menu<td><h1>Page</h1><p>Text</table>";
    assert_eq!(blocks(&page(framed)), ["1-1 p: Menu", "1-1 h1: Page", "1-1 p: Text"]);
}

#[test]
fn tables_of_javadoc_have_rows() {
    let text = "<div><div class=caption><span>Methods</span></div><div class='summary-table two-column-summary'>\
                <div class='table-header col-first'>Method</div><div class='table-header col-last'>Description</div>\n\
                <div class='col-method even-row-color'><code>size()</code></div><div class='col-last'><div class=block>How many.</div></div></div></div>";
    assert_eq!(
        blocks(&page(text)),
        [
            "1-1 caption: Methods",
            "1-1 th <0: Method\\tDescription",
            "2-2 td(Method|Description) <0: size()\\tHow many.",
        ]
    );
}

#[test]
fn code_is_as_written_with_its_lines() {
    let text = "<div class=\"highlight-python notranslate\"><div class=highlight><pre>\n\n    <span>def</span> f():\n\n\treturn &lt;1\n</pre></div></div>\n\
                <pre class='brush: js; x'>a</pre><pre><code class='hljs rust'>b</code></pre>\
                <pre class='sourceCode bash'>c</pre>\n<pre class=language-jsx><code><span>d<br></span><span>e<br></span></code></pre>";
    let page = page(text);
    assert_eq!(page.blocks[0].starts, [(0, 3), (13, 4), (14, 5)]);
    assert_eq!(
        blocks(&page),
        [
            "3-5 code(python):     def f():\\n\\n\\treturn <1",
            "7-7 code(js): a",
            "7-7 code(rust): b",
            "7-7 code(bash): c",
            "8-8 code(jsx): d\\ne",
        ]
    );
}

#[test]
fn notes_of_every_generator_have_their_label() {
    let notes = [
        "<div class='admonition note'><p class=admonition-title>Note</p><p>Text</p></div>",
        "<div class=note><h3 class=title>Note</h3><p>Text</p></div>",
        "<details class=note><summary>Note</summary><p>Text</p></details>",
        "<div class='theme-admonition theme-admonition-note admonition_x alert alert--secondary'>\
         <div class=admonitionHeading_x><span><svg></svg></span>note</div><div class=admonitionContent_x><p>Text</p></div></div>",
        "<div class='markdown-alert markdown-alert-note'><p class=markdown-alert-title><svg/>Note</p><p>Text</p></div>",
        "<blockquote class='blockquote-tag blockquote-tag-note'><p class=blockquote-tag-title>Note</p><p>Text</p></blockquote>",
        "<div class='alert alert-note'><blockquote><p class=alert-title>Note<p>Text</blockquote></div>",
        "<div class='alert alert-info'><h4 class=alert-heading>Note</h4>Text</div>",
        "<div class='admonitionblock note'><table><tr><td class=icon><div class=title>Note</div></td>\
         <td class=content>Text</td></tr></table></div>",
        "<div class='note'><p>Text</p></div>",
    ];
    for note in notes {
        assert_eq!(blocks(&page(note)), ["1-1 note(Note): Text"], "{note}");
    }
    let code = page("<details class=example><summary>Run it</summary><pre>x</pre></details>");
    assert_eq!(blocks(&code), ["1-1 note(Example): Run it", "1-1 code() <0: x"]);
    let tip = page("<div class='admonition tip'><p class=admonition-title>Tip</p><pre>x</pre></div>");
    assert_eq!(blocks(&tip), ["1-1 code(): x"]);
}

#[test]
fn figures_have_captions_and_words_for_images() {
    let text = "<figure><img src=a.png alt='A cat'><figcaption>The cat.</figcaption></figure>\n<p><img src=b.png alt=''></p>\n<p>An <img src=i.png alt=icon> in text</p>\
                <div class=example><p class=title><b>Example 1. Use</b></p><div><pre>x</pre></div></div>";
    let page = page(text);
    assert_eq!(
        blocks(&page),
        [
            "1-1 caption: A cat",
            "1-1 caption: The cat.",
            "3-3 p: An in text",
            "3-3 caption: Example 1. Use",
            "3-3 code() <3: x",
        ]
    );
    assert_eq!(styled(&page.blocks[0]), [(Style::Image("a.png".to_owned()), "A cat")]);
    assert_eq!(styled(&page.blocks[2]), [(Style::Image("i.png".to_owned()), "")]);
    assert_eq!(page.targets, [("b.png".to_owned(), 2)]);
}

#[test]
fn only_the_content_of_a_page_is_read() {
    let around = |content: &str| {
        format!(
            "<title>Guide - Site</title><body><header><a href=/>Site</a></header><div class=sidebar>Side</div>{content}<footer>Foot</footer>"
        )
    };
    let read = |content: &str| {
        let page = page(&around(content));
        (
            page.title.clone(),
            blocks(&page)
                .iter()
                .map(|block| block.split(": ").last().unwrap().to_owned())
                .collect::<Vec<_>>(),
        )
    };
    let expected = ("Guide".to_owned(), vec!["Guide".to_owned(), "Text".to_owned()]);
    assert_eq!(read("<main><h1>Guide</h1><p>Text</p></main>"), expected);
    assert_eq!(read("<div role=main><h1>Guide</h1><p>Text</p></div>"), expected);
    assert_eq!(
        read("<main><aside>Side</aside><article><header><h1>Guide</h1></header>Text</article></main>"),
        expected
    );
    assert_eq!(read("<div><h1>Guide</h1><p>Text</p></div>"), expected);
    assert_eq!(blocks(&page("<nav>Only this</nav>")), ["1-1 p: Only this"]);
    assert_eq!(read("<main></main>").1, [] as [&str; 0]);
}

#[test]
fn headings_take_the_id_a_link_names() {
    let text = "<h1 id=own>A</h1><section id=of-section><span id=other></span><h2>B</h2><p>w</p></section>\
                <a name=above></a><h2>C</h2><p>w</p><h3><a id=inside></a>D</h3><p>w</p>\
                <div id=far><p>w</p><h2>E<a class=headerlink href='#link'>¶</a></h2></div><p id=x>w</p><h2>F</h2>";
    let page = page(text);
    let anchors: Vec<&str> = page.sections.iter().map(|section| section.anchor.as_str()).collect();
    assert_eq!(anchors, ["", "own", "of-section", "above", "inside", "link", ""]);
    assert!(
        ["own", "other", "above", "far", "x"]
            .iter()
            .all(|id| page.anchors.iter().any(|(known, _)| known == id))
    );
    assert_eq!(page.sections[3].headings, ["A", "C"]);
}

#[test]
fn passages_belong_to_what_began_above() {
    assert_eq!(
        blocks(&part("of the item</li>\n<li>next\n</ul>\n<p>Behind")),
        ["1-1 li1: of the item", "2-2 li1: next", "4-4 p: Behind",]
    );
    assert_eq!(
        blocks(&part("<td>1</td><td>2</td></tr>\n<tr><td>3<td>4")),
        ["1-1 td(|): 1\\t2", "2-2 td(|): 3\\t4"]
    );
    assert_eq!(blocks(&part("<dt>a<dd>b\n<dd>c")), ["1-1 def(a): a\\nb", "2-2 p: c"]);
    assert_eq!(blocks(&part("  b = 1\n  c\n</pre>\n<p>Text")), ["1-2 code(): b = 1\\nc", "4-4 p: Text"]);
    assert_eq!(blocks(&part("var x;\n</script><p>Text")), ["2-2 p: Text"]);
    assert_eq!(blocks(&part("a remark -->\nText")), ["2-2 p: Text"]);
    assert_eq!(
        blocks(&part("class=\"x\">Text</h2>\n<p>More</p></div></div>")),
        ["1-1 h2: Text", "2-2 p: More"]
    );
    assert_eq!(part("<title>T</title>x").title, "");
}

#[test]
fn broken_pages_keep_their_words() {
    let text = "<ul><li>a<div><b>b</ul></i>c<table><p>d<tr>e<td>f</table></p><![CDATA[no]]>\0g<script>'</script' + x</script>h\
                <!--[if IE]>no<![endif]-->\r\nlone\rreturn <p";
    let page = page(text);
    let words: String = page.blocks.iter().map(|block| format!("{} ", block.text)).collect();
    let words: Vec<&str> = words.split_whitespace().collect();
    for word in ["a", "b", "c", "d", "f", "lone", "return"] {
        assert!(words.contains(&word), "{word} of {words:?}");
    }
    assert!(!words.join(" ").contains("no"));
    assert_sound(&page, text);
}

#[test]
fn hostile_pages_are_read_in_bounds() {
    let deep = |open: &str, close: &str| format!("{}word{}", open.repeat(10_000), close.repeat(10_000));
    let pages = [
        deep("<div>", "</div>"),
        deep("<ul><li>", "</li></ul>"),
        deep("<table><tr><td>", "</td></tr></table>"),
        deep("<b><i><a href=#>", ""),
        deep("<dl><dt>t<dd>", ""),
        deep("", "</li></ul>"),
        "<p>word <b>".repeat(100_000),
        format!("<table><tr>{}</tr><tr>{}</tr></table>", "<th>h".repeat(5_000), "<td>word".repeat(5_000)),
        format!("<p {}>word", (0..20_000).map(|index| format!("a{index}='v' ")).collect::<String>()),
        format!("<p>{}", "word &amp; ".repeat(30_000)),
        format!("<table>{}", "<tr><th colspan=999999 rowspan=65000>word".repeat(20_000)),
        format!("{}word", "<div class=sidebar><header>".repeat(5_000)),
        "<pre>\u{0}\r\r\nword".repeat(10_000),
        "<a href='#'>word".repeat(20_000),
    ];
    for text in pages {
        for document in [page(&text), part(&text)] {
            assert_sound(&document, &text);
            assert!(document.blocks.iter().any(|block| block.text.contains("word")), "{}", &text[..60]);
        }
    }
    let too_deep = page(&deep("<div>", "</div>"));
    assert_eq!(
        too_deep.warnings.iter().map(|warning| warning.kind).collect::<Vec<_>>(),
        [WarningKind::TooDeep]
    );
}

const PIECES: &[&str] = &[
    "<p>",
    "</p>",
    "<h2 id=x>",
    "</h2>",
    "<ul>",
    "<ol start=9>",
    "<li>",
    "</ul>",
    "<pre>",
    "</pre>",
    "<table>",
    "<tr>",
    "<td rowspan=2>",
    "<th colspan=3>",
    "</table>",
    "<caption>",
    "<thead>",
    "<dl>",
    "<dt>",
    "<dd>",
    "</dl>",
    "<b>",
    "</b>",
    "<a href=y>",
    "</a>",
    "<code>",
    "<br>",
    "<img src=i alt='é x'>",
    "<div class=note>",
    "</div>",
    "<summary>",
    "<details>",
    "<figure>",
    "<figcaption>",
    "<script>x()</script>",
    "<!-- c\nc -->",
    "\n",
    "\n\n",
    "\r\n",
    "\r",
    "\0",
    "&amp;",
    "&shy;",
    "é",
    "<svg/>",
    "<q>",
    "<input type=checkbox checked>",
    "<nav>",
    "<main>",
    "</main>",
    "<article>",
    "<header>",
    "word",
    " ",
    "<div class=line-block><div class=line>",
    "<span class='classifier'>",
    "<td class='linenos'>",
    "<aside class=footnote>",
    "<span class=label>",
    "</td>",
    "</li>",
    "</h2",
    "<div class=\"",
    "\">",
    "]]>",
    "<![CDATA[",
];

proptest! {
    #[test]
    fn any_page_makes_sound_blocks(picks in proptest::collection::vec(0..PIECES.len(), 0..80)) {
        let text: String = picks.iter().map(|pick| PIECES[*pick]).collect();
        assert_sound(&page(&text), &text);
        assert_sound(&part(&text), &text);
    }

    #[test]
    fn each_word_keeps_its_line(picks in proptest::collection::vec(0..PIECES.len(), 0..60)) {
        let open = |piece: &&str| !piece.contains("class=\"") && !piece.ends_with("h2") && !piece.contains("CDATA");
        let pieces: Vec<&str> = picks.iter().map(|pick| PIECES[*pick]).filter(open).collect();
        let text: String = pieces.iter().enumerate().map(|(index, piece)| format!("{piece} mark{index} ")).collect();
        for document in [page(&text), part(&text)] {
            for block in &document.blocks {
                for (at, word) in block.text.match_indices("mark") {
                    let name: String = word.chars().chain(block.text[at + 4..].chars().take_while(char::is_ascii_digit)).collect();
                    let line = text.lines().position(|line| line.split([' ', '>']).any(|known| known == name));
                    let line = text.split('\n').position(|line| line.split_whitespace().any(|known| known == name)).or(line);
                    prop_assert_eq!(line.map(|line| line + 1), Some(block.line_at(at) as usize), "{} of {:?}", name, &text);
                }
            }
        }
    }
}

fn fixture(name: &str) -> Document {
    let path = format!("{}/tests/pages/html/{name}.html", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    let document = page(&text);
    assert_sound(&document, &text);
    document
}

#[test]
fn pages_of_docusaurus_are_read_as_shown() {
    let page = fixture("docusaurus");
    assert_eq!(page.title, "Limits");
    assert_eq!(
        blocks(&page),
        [
            "11-11 h1: Limits",
            "12-12 p: A lamp has two limits.",
            "13-13 h2: Upper limit",
            "14-14 caption: lamp.yml",
            "14-14 code(yaml) <3: limit: 5\\n  unit: lux",
            "15-15 note(Warning): Never set it to zero.",
            "16-16 caption: Shell",
            "16-16 caption: Window",
            "16-16 code(bash) <6: lamp --limit 5",
            "16-16 p <7: Open the settings.",
            "17-17 note(Why two?): One is for the night."
        ]
    );
}

#[test]
fn pages_of_mkdocs_are_read_as_shown() {
    let page = fixture("mkdocs");
    assert_eq!(page.title, "Limits - Lantern");
    assert_eq!(
        blocks(&page),
        [
            "7-7 h1: Limits of a lamp",
            "8-8 li1 [x]: Upper limit",
            "9-9 li1 [ ]: Lower limit",
            "10-10 note(By night): Halve it.",
            "11-11 caption: YAML",
            "11-11 caption: TOML",
            "13-13 caption <4: lamp.yml",
            "13-14 code(yaml) <6: limit: 5\\nunit: lux",
            "17-17 code(toml) <5: limit = 5",
            "20-20 li1 1.: In lux."
        ]
    );
}

#[test]
fn pages_of_hugo_are_read_as_shown() {
    let page = fixture("hugo");
    assert_eq!(page.title, "Limits");
    assert_eq!(
        blocks(&page),
        [
            "6-6 h1: Limits",
            "6-6 p: How bright it may be.",
            "7-7 h2: Upper",
            "10-11 code(go): func f() {\\n}",
            "12-12 note(Warning): Never set it to zero.",
            "13-13 th: Setting\\tValue",
            "13-13 td(Setting|Value): limit\\t5"
        ]
    );
}

#[test]
fn pages_of_docbook_are_read_as_shown() {
    let page = fixture("docbook");
    assert_eq!(page.title, "2.1. Limits");
    assert_eq!(
        blocks(&page),
        [
            "2-2 h2: 2.1. Limits",
            "3-3 p: The limits of a lamp.",
            "4-4 h3: 2.1.1. Upper",
            "4-7 def(limit (integer)): limit (integer)\\nThe most light, in lux.",
            "9-9 note(Note) <3: Measured at one metre.",
            "10-10 caption: Table 2.1. Views",
            "11-14 th <5: Column Type Description",
            "16-19 def(lamp oid) <5: lamp oid\\nWhich lamp it is"
        ]
    );
    assert_eq!(page.sections[2].anchor, "UPPER");
    assert_eq!(page.targets, [("limits.html#UPPER".to_owned(), 2)]);
}

#[test]
fn pages_of_mdbook_are_read_as_shown() {
    let page = fixture("mdbook");
    assert_eq!(page.title, "Limits");
    assert_eq!(
        blocks(&page),
        [
            "7-7 h2: Limits",
            "8-8 p: Set it so:",
            "11-11 code(rust) <1: let limit = 5;",
            "14-14 note(Tip): Halve it by night."
        ]
    );
}
