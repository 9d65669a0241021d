//! Pages of reStructuredText become the blocks that Sphinx shows.

use assay_documents::{Block, Document, Format, Kind, NoFiles, Style, WarningKind, read, read_part};
use proptest::prelude::*;

fn page(text: &str) -> Document {
    read(Format::Rst, "page.rst", text, &NoFiles)
}

fn texts(document: &Document) -> Vec<&str> {
    document.blocks.iter().map(|block| block.text.as_str()).collect()
}

/// The only block of a page.
fn one(text: &str) -> Block {
    let document = page(text);
    assert_eq!(document.blocks.len(), 1, "{:?}", texts(&document));
    document.blocks[0].clone()
}

/// Kinds in short, with texts.
fn outline(document: &Document) -> Vec<String> {
    let kind = |block: &Block| match &block.kind {
        Kind::Heading { level } => format!("h{level}"),
        Kind::Paragraph => "p".to_owned(),
        Kind::Item { depth, number, .. } => match number {
            Some(number) => format!("{depth}.{number}"),
            None => format!("{depth}-"),
        },
        Kind::Row { head: true, .. } => "head".to_owned(),
        Kind::Row { .. } => "row".to_owned(),
        Kind::Code { language } => format!("code {language}"),
        Kind::Definition { term } => format!("def [{}]", &block.text[term.clone()]),
        Kind::Admonition { label } => format!("!{label}"),
        Kind::Caption => "caption".to_owned(),
    };
    document.blocks.iter().map(|block| format!("{}: {}", kind(block), block.text)).collect()
}

fn styles(block: &Block) -> Vec<(Style, &str)> {
    block.spans.iter().map(|span| (span.style.clone(), &block.text[span.range.clone()])).collect()
}

fn link(target: &str) -> Style {
    Style::Link(target.to_owned())
}

#[test]
fn levels_follow_first_appearance_of_adornments() {
    let document = page("####\nPage\n####\n\nOne\n---\n\nTwo\n~~~\n\n`Three`\n-------\n\nFour\n");
    assert_eq!(outline(&document), ["h1: Page", "h2: One", "h3: Two", "h2: Three", "p: Four"]);
    assert_eq!(document.title, "Page");
    let section = &document.sections[document.blocks[4].section];
    assert_eq!(section.headings, ["Page", "Three"]);
    assert_eq!((document.blocks[0].lines.first, document.blocks[0].lines.last), (1, 3));
}

#[test]
fn headings_have_the_ids_of_docutils() {
    let document =
        page(".. _My Label:\n\nSome ``Title``, 2.0\n===================\n\nx\n\n2.0\n===\n\ny\n\n2.0\n===\n");
    let anchors: Vec<&str> = document.anchors.iter().map(|(id, _)| id.as_str()).collect();
    assert_eq!(anchors, ["my-label", "My Label", "some-title-2-0", "id1", "id2"]);
    assert_eq!(document.anchors[0].1, 1);
}

#[test]
fn lines_of_words_are_those_of_the_file() {
    let document = page("Top\n===\n\n* first\n  and second\n\n  .. note::\n\n     third\n     and fourth\n");
    let at = |word: &str| {
        let block = document.blocks.iter().find(|block| block.text.contains(word)).expect("a block");
        block.line_at(block.text.find(word).expect("the word"))
    };
    assert_eq!(["Top", "first", "second", "third", "fourth"].map(at), [1, 4, 5, 9, 10]);
}

#[test]
fn lists_nest_with_numbers_depths_and_leads() {
    let text = "Do this:\n\n1. first\n\n   * inner\n\n   more\n\n#. second\n\na) letter\nb) next\n\n(i) roman\n(ii) two\n";
    let document = page(text);
    let wanted = [
        "p: Do this:",
        "1.1: first",
        "2-: inner",
        "p: more",
        "1.2: second",
        "1.1: letter",
        "1.2: next",
        "1.1: roman",
        "1.2: two",
    ];
    assert_eq!(outline(&document), wanted);
    let leads: Vec<Option<usize>> = document.blocks.iter().map(|block| block.lead).take(5).collect();
    assert_eq!(leads, [None, Some(0), Some(1), Some(1), Some(0)]);
    assert_eq!(document.blocks[1].group, document.blocks[4].group);
    assert_ne!(document.blocks[1].group, document.blocks[2].group);
}

#[test]
fn sentence_that_begins_like_an_item_is_prose() {
    assert_eq!(outline(&page("A. Name wrote this\nand that.\n")), ["p: A. Name wrote this and that."]);
}

#[test]
fn definitions_hold_term_and_first_paragraph() {
    let document = page("term : kind\n    What it is.\n\n    More.\n\n``other``\n    ::\n\n        code\n");
    assert_eq!(
        outline(&document),
        ["def [term : kind]: term : kind\nWhat it is.", "p: More.", "def [other]: other", "code : code"]
    );
    assert_eq!(document.blocks[1].lead, Some(0));
    assert_eq!(document.blocks[3].lead, Some(2));
}

#[test]
fn fields_are_definitions_but_not_above_the_page() {
    let document = page(
        ":orphan:\n:tocdepth: 2\n\nPage\n====\n\n:param int size: How many.\n:type name: str\n:param name: Whose.\n:returns: All.\n",
    );
    assert_eq!(
        outline(&document),
        [
            "h1: Page",
            "def [size (int)]: size (int)\nHow many.",
            "def [name (str)]: name (str)\nWhose.",
            "def [Returns]: Returns\nAll."
        ]
    );
}

#[test]
fn options_of_a_command_are_definitions() {
    let document = page(
        "-a, --all  Take all.\n--file=FILE\n            Take one.\n-v         Say more\n           and more.\n",
    );
    assert_eq!(
        outline(&document),
        [
            "def [-a, --all]: -a, --all\nTake all.",
            "def [--file=FILE]: --file=FILE\nTake one.",
            "def [-v]: -v\nSay more and more."
        ]
    );
    assert_eq!(outline(&page("-- a dash\n")), ["p: -- a dash"]);
}

#[test]
fn line_blocks_and_sessions_keep_their_breaks() {
    let document = page("| one\n| two\n  goes on\n|\n| three\n\n>>> 1 + 1\n2\n\nEnd.\n");
    assert_eq!(outline(&document), ["p: one\ntwo goes on\nthree", "code pycon: >>> 1 + 1\n2", "p: End."]);
}

#[test]
fn literal_blocks_follow_two_colons() {
    let document = page("One::\n\n    a\n\n      b\n\nTwo ::\n\n> quoted\n> too\n\n::\n\n\tc\td\n\nThree\n");
    assert_eq!(
        outline(&document),
        ["p: One:", "code : a\n\n  b", "p: Two", "code : > quoted\n> too", "code : c\td", "p: Three"]
    );
    let code = &document.blocks[1];
    assert_eq!((code.lead, code.lines.first, code.line_at(code.text.len() - 1)), (Some(0), 3, 5));
}

#[test]
fn quotations_are_paragraphs() {
    assert_eq!(
        outline(&page("Said:\n\n  Words.\n\n  -- Someone\n")),
        ["p: Said:", "p: Words.", "p: Someone"]
    );
}

#[test]
fn grid_tables_have_rows_spans_and_blocks_in_cells() {
    let text = "\
+------+-------------+
| Name | Sense       |
+======+======+======+
| a    | - x  | 5    |
|      | - y  |      |
+------+------+------+
| b    | both ``c``  |
+------+-------------+
";
    let document = page(text);
    assert_eq!(outline(&document), ["head: Name\tSense", "row: a\tx\ny\t5", "row: b\tboth c"]);
    let Kind::Row { headers, cells, .. } = &document.blocks[1].kind else { panic!("a row") };
    assert_eq!(headers.to_vec(), ["Name", "Sense"]);
    assert_eq!(cells.iter().map(|cell| cell.column).collect::<Vec<_>>(), [0, 1, 2]);
    assert_eq!((document.blocks[1].lines.first, document.blocks[1].lines.last), (4, 5));
}

#[test]
fn cell_over_rows_stands_in_its_first() {
    let text = "+---+---+\n| a | b |\n|   +---+\n|   | c |\n+---+---+\n";
    assert_eq!(outline(&page(text)), ["row: a\tb", "row: c"]);
}

#[test]
fn simple_tables_have_heads_spans_and_further_lines() {
    let text = "\
=====  ====  ====
Both of      One
-----------  ----
Key    Text  Last
=====  ====  ====
a      one   x
       more
b            y
=====  ====  ====

After.
";
    let document = page(text);
    assert_eq!(
        outline(&document),
        ["head: Both of\tOne", "head: Key\tText\tLast", "row: a\tone more\tx", "row: b\t\ty", "p: After."]
    );
    let Kind::Row { headers, .. } = &document.blocks[2].kind else { panic!("a row") };
    assert_eq!(headers.to_vec(), ["Both of Key", "Text", "One Last"]);
}

#[test]
fn tables_of_lists_and_values_name_their_columns() {
    let text = "\
.. list-table:: Settings
   :header-rows: 1

   * - Name
     - Sense
   * - ``a``
     - first

       second

.. csv-table::
   :header: \"One, two\", Three

   \"a \"\"b\"\"\", c
   d, \"e,
   f\"
";
    let document = page(text);
    assert_eq!(
        outline(&document),
        [
            "caption: Settings",
            "head: Name\tSense",
            "row: a\tfirst\nsecond",
            "head: One, two\tThree",
            "row: a \"b\"\tc",
            "row: d\te, f"
        ]
    );
    assert_eq!(document.blocks[2].lead, Some(0));
    assert_eq!(document.blocks[5].line_at(document.blocks[5].text.len() - 1), 16);
}

#[test]
fn code_blocks_have_their_language_and_caption() {
    let text = "\
.. highlight:: toml

.. code-block:: Python
   :caption: An example
   :emphasize-lines: 1

   if x:
       y()

.. code::

   a = 1

.. console::

   $ run
";
    let document = page(text);
    assert_eq!(
        outline(&document),
        ["caption: An example", "code python: if x:\n    y()", "code toml: a = 1", "code console: $ run"]
    );
    assert_eq!(document.blocks[1].lead, Some(0));
    assert_eq!(document.blocks[1].starts, [(0, 7), (6, 8)]);
}

#[test]
fn parsed_literals_show_their_markup() {
    assert_eq!(one(".. parsed-literal::\n\n   run  *file* |x|\n     `a <b>`_\n").text, "run  file x\n  a");
}

#[test]
fn admonitions_share_a_group_and_a_label() {
    let text = "\
.. note:: First
   goes on.

   Second:

   - item

.. admonition:: *Own* title
   :class: x

   Third.

.. seealso::

   Fourth.
";
    let document = page(text);
    assert_eq!(
        outline(&document),
        ["!Note: First goes on.", "!Note: Second:", "1-: item", "!Own title: Third.", "!See also: Fourth."]
    );
    assert_eq!(document.blocks[0].group, document.blocks[1].group);
    assert_ne!(document.blocks[0].group, document.blocks[3].group);
    assert_eq!(document.blocks[2].lead, Some(1));
}

#[test]
fn literal_block_in_an_admonition_keeps_its_place() {
    let document = page(".. note::\n   Run it::\n\n     $ run\n\n   After.\n");
    assert_eq!(outline(&document), ["!Note: Run it:", "code : $ run", "!Note: After."]);
}

#[test]
fn versions_are_said_as_sphinx_says_them() {
    let document = page(
        ".. versionadded:: 1.2\n\n.. versionchanged:: 2.0\n   Now *more*.\n\n   Too.\n\n.. deprecated:: 3\n\n   Use it.\n",
    );
    assert_eq!(
        texts(&document),
        [
            "New in version 1.2.",
            "Changed in version 2.0: Now more.",
            "Too.",
            "Deprecated since version 3: Use it."
        ]
    );
}

#[test]
fn version_may_be_the_first_paragraph_of_a_definition() {
    let document = page("term\n  .. versionadded:: 1.2\n\n  What it is.\n");
    assert_eq!(outline(&document), ["def [term]: term\nNew in version 1.2.", "p: What it is."]);
    assert_eq!(document.blocks[1].lead, Some(0));
}

#[test]
fn objects_are_definitions_with_anchors() {
    let text = "\
.. module:: shop.cart

.. class:: Cart(size=5)
           Cart.of(items)

   Holds things.

   .. method:: Cart.add(item)

      Adds one.

      :param item: What.

.. program:: shop

.. option:: -n <count>, --number <count>

   How many.

.. confval:: LIMIT
   :type: ``int``

   At most.

.. setting:: DEBUG

.. c:function:: int open(const char *name)

   Opens.
";
    let document = page(text);
    assert_eq!(
        outline(&document),
        [
            "def [class Cart(size=5), class Cart.of(items)]: class Cart(size=5), class Cart.of(items)\nHolds things.",
            "def [add(item)]: add(item)\nAdds one.",
            "def [item]: item\nWhat.",
            "def [-n <count>, --number <count>]: -n <count>, --number <count>\nHow many.",
            "def [LIMIT]: LIMIT\nAt most.",
            "p: Type: int",
            "def [int open(const char *name)]: int open(const char *name)\nOpens."
        ]
    );
    let leads: Vec<Option<usize>> = document.blocks.iter().map(|block| block.lead).collect();
    assert_eq!(leads, [None, Some(0), Some(1), None, None, Some(4), None]);
    let anchors: Vec<&str> = document.anchors.iter().map(|(id, _)| id.as_str()).collect();
    for id in [
        "module-shop.cart",
        "shop.cart.Cart",
        "shop.cart.Cart.add",
        "cmdoption-shop-n",
        "cmdoption-shop-number",
        "confval-LIMIT",
        "std-setting-DEBUG",
    ] {
        assert!(anchors.contains(&id), "{id}: {anchors:?}");
    }
}

#[test]
fn paragraph_below_a_bare_object_describes_it() {
    let text = ".. method:: get(x)\n.. method:: aget(x)\n\nGets *it*.\n\nMore.\n\n.. data:: LIMIT\n.. data:: TWO\n\n* item\n\n.. data:: LAST\n";
    let document = page(text);
    assert_eq!(
        outline(&document),
        [
            "def [get(x), aget(x)]: get(x), aget(x)\nGets it.",
            "p: More.",
            "def [LIMIT]: LIMIT",
            "def [TWO]: TWO",
            "1-: item",
            "def [LAST]: LAST"
        ]
    );
    assert_eq!((document.blocks[0].lines.first, document.blocks[0].lines.last), (1, 4));
    assert_eq!(document.blocks[1].lead, None);
}

#[test]
fn images_and_figures_are_captions() {
    let text = "\
.. image:: a.png
   :alt: A plan

.. figure:: b.png
   :alt: Not shown

   The *caption*.

   A legend.

|logo|

Text with |logo| inside.

.. |logo| image:: c.png
   :alt: Our mark
";
    let document = page(text);
    assert_eq!(
        outline(&document),
        [
            "caption: A plan",
            "caption: The caption.",
            "p: A legend.",
            "caption: Our mark",
            "p: Text with inside."
        ]
    );
    assert_eq!(styles(&document.blocks[0]), [(Style::Image("a.png".to_owned()), "A plan")]);
    assert_eq!(styles(&document.blocks[1])[0], (Style::Image("b.png".to_owned()), ""));
    assert_eq!(document.blocks[2].lead, Some(1));
}

#[test]
fn comments_and_contents_show_nothing() {
    let text = "\
.. A comment
   of two lines

..
   Another

.. toctree::
   :maxdepth: 2

   intro
   Title <other>

.. index:: single: x
.. meta::
   :description: y
.. only:: latex

   Paper.

.. only:: html

   Web.

.. contents:: Here
";
    let document = page(text);
    assert_eq!(outline(&document), ["p: Web."]);
    let targets: Vec<&str> = document.targets.iter().map(|(target, _)| target.as_str()).collect();
    assert_eq!(targets, ["intro", "other"]);
}

#[test]
fn unknown_directives_keep_their_prose() {
    let document =
        page(".. shiny-box:: A title\n   :color: red\n\n   Some *prose*.\n\n.. run-command:: tool --help\n");
    assert_eq!(outline(&document), ["p: A title", "p: Some prose."]);
}

#[test]
fn tabs_show_their_names_and_content() {
    let document =
        page(".. tab:: Linux\n\n   .. code-block:: shell\n\n      $ x\n\n.. tab:: Windows\n\n   Words.\n");
    assert_eq!(outline(&document), ["p: Linux", "code shell: $ x", "p: Windows", "p: Words."]);
    assert_eq!(document.blocks[1].lead, Some(0));
}

#[test]
fn glossary_terms_share_a_description() {
    let document = page(".. glossary::\n\n   one\n   two\n      Both.\n\n   three\n      Alone.\n");
    assert_eq!(outline(&document), ["def [one, two]: one, two\nBoth.", "def [three]: three\nAlone."]);
    assert!(document.anchors.contains(&("term-two".to_owned(), 4)));
}

#[test]
fn included_files_define_names_and_go_on_with_headings() {
    let files = |path: &str| match path {
        "docs/parts/more.rst" => Some("Sub\n---\n\nFrom |x|.\n\n.. _site: https://example.org\n".to_owned()),
        "docs/names.inc" => Some(".. |x| replace:: an *include*\n".to_owned()),
        _ => None,
    };
    let text = "Top\n===\n\n.. include:: names.inc\n.. include:: /parts/more.rst\n\nSee site_.\n\n.. include:: gone.rst\n";
    let document = read(Format::Rst, "docs/page.rst", text, &files);
    assert_eq!(outline(&document), ["h1: Top", "h2: Sub", "p: From an include.", "p: See site."]);
    let files: Vec<Option<&str>> = document.blocks.iter().map(|block| block.file.as_deref()).collect();
    assert_eq!(files, [None, Some("docs/parts/more.rst"), Some("docs/parts/more.rst"), None]);
    assert_eq!(styles(&document.blocks[3]), [(link("https://example.org"), "site")]);
    assert_eq!(document.warnings.len(), 1);
    assert_eq!(document.warnings[0].kind, WarningKind::MissingInclude);
}

#[test]
fn code_and_values_come_out_of_other_files() {
    let files = |path: &str| match path {
        "docs/code/run.py" => Some("import os\n# begin\nrun()\nwait()\n# end\n".to_owned()),
        "docs/data.csv" => Some("a;1\nb;2\n".to_owned()),
        _ => None,
    };
    let text = "\
.. literalinclude:: code/run.py
   :start-after: # begin
   :end-before: # end

.. literalinclude:: code/run.py
   :lines: 1
   :language: text

.. csv-table::
   :file: data.csv
   :delim: ;
   :header-rows: 1

After.
";
    let document = read(Format::Rst, "docs/page.rst", text, &files);
    let wanted =
        ["code python: run()\nwait()", "code text: import os", "head: a\t1", "row: b\t2", "p: After."];
    assert_eq!(outline(&document), wanted);
    assert_eq!(
        (document.blocks[0].lines.first, document.blocks[0].file.as_deref()),
        (3, Some("docs/code/run.py"))
    );
    assert_eq!(document.blocks[4].file, None);
}

#[test]
fn targets_without_a_link_are_kept() {
    let document = page("See used_.\n\n.. _used: https://u.example\n.. _spare: https://s.example\n");
    assert_eq!(document.targets, [("https://s.example".to_owned(), 4)]);
}

#[test]
fn label_above_the_first_title_is_an_anchor() {
    let document = page(":orphan:\n\n.. a comment\n.. _start:\n\nPage\n====\n");
    assert!(document.anchors.contains(&("start".to_owned(), 4)), "{:?}", document.anchors);
    assert_eq!(outline(&document), ["h1: Page"]);
}

#[test]
fn inline_styles_hold_their_words() {
    let block = one("An *em phasis*, **strong\nwords** and ``a  *b*``; :sup:`2` :sub:`i` `plain`.\n");
    assert_eq!(block.text, "An em phasis, strong words and a *b*; 2 i plain.");
    assert_eq!(
        styles(&block),
        [
            (Style::Emphasis, "em phasis"),
            (Style::Strong, "strong words"),
            (Style::Code, "a *b*"),
            (Style::Raised, "2"),
            (Style::Lowered, "i"),
            (Style::Emphasis, "plain")
        ]
    );
    assert_eq!(block.line_at(block.text.find("words").expect("words")), 2);
}

#[test]
fn marks_without_partner_are_text() {
    let text = r#"2 * 3 * 4, a*b*c, "*", '`', (*) and *open, **kwargs, x_y, __init__ "``", |a"#;
    assert_eq!(one(text).text, text);
}

#[test]
fn backslashes_go_and_join() {
    assert_eq!(
        one(r"H\ :sub:`2`\ O, \*no\*, re\ ``code``\ s, c:\\temp").text,
        r"H2O, *no*, recodes, c:\temp"
    );
}

#[test]
fn references_show_their_text_and_lead_on() {
    let text = "\
`Text <https://a.example/x_y>`_, name_, `two words`_, `here`__, there__, Title_ and https://b.example/q?x=1.

.. _name: https://n.example
.. _two words: name_
.. __: https://h.example
__ https://t.example

Title
=====
";
    let document = page(text);
    let block = &document.blocks[0];
    assert_eq!(block.text, "Text, name, two words, here, there, Title and https://b.example/q?x=1.");
    let links = [
        "https://a.example/x_y",
        "https://n.example",
        "https://n.example",
        "https://h.example",
        "https://t.example",
        "#title",
        "https://b.example/q?x=1",
    ];
    let shown = ["Text", "name", "two words", "here", "there", "Title", "https://b.example/q?x=1"];
    assert_eq!(styles(block), links.into_iter().map(link).zip(shown).collect::<Vec<_>>());
}

#[test]
fn roles_show_what_sphinx_shows() {
    let shown = |text: &str| one(text).text;
    assert_eq!(
        shown(":class:`~shop.Cart` :func:`run` :meth:`.add()` :py:attr:`!x.y` :obj:`the cart <shop.Cart>`"),
        "Cart run() add() x.y the cart"
    );
    assert_eq!(
        shown(":pep:`8` :rfc:`2822#section-3.1` :issue:`12` :pypi:`tool`"),
        "PEP 8 RFC 2822 Section 3.1 #12 tool"
    );
    assert_eq!(
        shown(":menuselection:`File --> Save &as` :guilabel:`&Ok` :kbd:`C-x`"),
        "File ‣ Save as Ok C-x"
    );
    assert_eq!(
        shown(":file:`/etc/{name}.d` :abbr:`LIFO (last in, first out)` `text`:code:"),
        "/etc/name.d LIFO text"
    );
    assert_eq!(
        shown(":ref:`my-label` :ref:`words <x>` :doc:`text </a/b>` :term:`thing`"),
        "my label words text thing"
    );
    assert_eq!(shown("a :unknown:`b c` d"), "a b c d");
}

#[test]
fn code_roles_are_code() {
    let block = one("See :func:`shop.run` and :setting:`DEBUG`.\n");
    let code: Vec<&str> =
        styles(&block).into_iter().filter(|(style, _)| *style == Style::Code).map(|(_, text)| text).collect();
    assert_eq!(code, ["shop.run()", "DEBUG"]);
    assert!(styles(&block).contains(&(link("shop.run"), "shop.run()")));
}

#[test]
fn references_show_the_title_they_lead_to() {
    let files = |path: &str| (path == "docs/guide.rst").then(|| "=====\nGuide\n=====\n".to_owned());
    let text = ":ref:`there` and :doc:`/guide`.\n\n.. _there:\n\nA ``long`` title\n----------------\n";
    let document = read(Format::Rst, "docs/ref/page.rst", text, &files);
    assert_eq!(document.blocks[0].text, "A long title and Guide.");
}

#[test]
fn substitutions_resolve_and_trim() {
    let text = "One |copy| 2026 |-| Name, |deep|, |gone|.\n\n.. |copy| unicode:: 0xA9 .. sign\n.. |-| unicode:: U+2014\n   :trim:\n.. |deep| replace:: **very** |copy|\n";
    assert_eq!(one(text).text, "One © 2026—Name, very ©, gone.");
}

#[test]
fn footnotes_have_their_numbers() {
    let document = page(
        "A [#]_, b [#note]_, c [CIT]_.\n\n.. [#] First.\n.. [#note] Second\n   goes on.\n.. [CIT] Third.\n",
    );
    assert_eq!(
        texts(&document),
        ["A [1], b [2], c [CIT].", "[1] First.", "[2] Second goes on.", "[CIT] Third."]
    );
}

#[test]
fn part_may_begin_inside_of_anything() {
    let document = read_part(
        Format::Rst,
        "   left over words name_ and |x|\n   of a note.\n\n   * item\n\nNext `text`_ paragraph.\n",
    );
    assert_eq!(
        outline(&document),
        ["p: left over words name and x of a note.", "1-: item", "p: Next text paragraph."]
    );
    let fields = read_part(Format::Rst, ":param x: What.\n");
    assert_eq!(outline(&fields), ["def [x]: x\nWhat."]);
    assert!(read_part(Format::Rst, ".. include:: gone.rst\n").warnings.is_empty());
}

#[test]
fn part_may_begin_or_end_inside_of_a_table() {
    let rows = |text: &str| outline(&read_part(Format::Rst, text));
    assert_eq!(
        rows("a    one\nb    two\n===  ====\n\nAfter.\n"),
        ["row: a\tone", "row: b\ttwo", "p: After."]
    );
    assert_eq!(
        rows("===  ====\nK    V\n===  ====\na    one\nb    two"),
        ["head: K\tV", "row: a\tone", "row: b\ttwo"]
    );
    assert_eq!(
        rows("| a | one |\n+---+-----+\n| b | two |\n+---+-----+\n\nAfter.\n"),
        ["row: a\tone", "row: b\ttwo", "p: After."]
    );
    assert_eq!(rows("| a line\n| of verse\n"), ["p: a line\nof verse"]);
}

#[test]
fn text_files_with_marks_are_restructured() {
    assert_eq!(Format::of_file("docs/a.txt", "Title\n=====\n\n.. note::\n\n   x\n"), Some(Format::Rst));
    for plain in
        ["Copyright of someone.\n\nAll of it: here.\n", "```\ncode\n```\n", "a `_b_` c\n", "say ``\n"]
    {
        assert_eq!(Format::of_file("a.txt", plain), Some(Format::Plain), "{plain}");
    }
    for marked in ["See `this`_.\n", "Use ``this``\n", "As :ref:`this`.\n", ".. _this:\n"] {
        assert_eq!(Format::of_file("a.txt", marked), Some(Format::Rst), "{marked}");
    }
}

fn hostile() -> Vec<(&'static str, String)> {
    let many = |part: &str, times: usize| part.repeat(times);
    let stairs =
        |mark: &str| (0..1_000).map(|depth| format!("{}{mark} x\n\n", "  ".repeat(depth.min(400)))).collect();
    let wide = format!("{}+\n{}|\n{}+\n", many("+-", 5_000), many("|a", 5_000), many("+-", 5_000));
    vec![
        ("one line", many("word ", 20_000)),
        ("one word", many("x", 100_000)),
        ("stars", many("*a ", 15_000)),
        ("literals", many("``a ", 15_000)),
        ("ticks", many("`a ", 15_000)),
        ("bars", many("|a ", 15_000)),
        ("brackets", many("[a ", 15_000)),
        ("underscores", many("a_-", 15_000)),
        ("backslashes", many("\\", 50_000)),
        ("backslashes and stars", format!("*a{}", many("\\\\\\*", 10_000))),
        ("colons", many(":a:", 15_000)),
        ("addresses", many("http://(", 10_000)),
        ("roles", many(":a:`b ", 10_000)),
        ("stairs", stairs("-")),
        ("quotations", stairs("")),
        ("bullets in a line", many("- ", 10_000)),
        ("falling stairs", (0..2_000).map(|depth| format!("{}x\n", " ".repeat(2_000 - depth))).collect()),
        (
            "directives",
            (0..1_000).map(|depth| format!("{}.. note::\n\n", "   ".repeat(depth.min(300)))).collect(),
        ),
        ("wide table", wide),
        (
            "wide simple table",
            format!("{}\n{}\n{}\n", many("= ", 5_000), many("a ", 5_000), many("= ", 5_000)),
        ),
        ("borders", many("== ==\n", 5_000)),
        ("corners", many("+-+\n", 5_000)),
        ("open grid", format!("+---+\n{}", many("| a\n", 5_000))),
        ("wide values", format!(".. csv-table::\n\n   {}\n", many("a,", 5_000))),
        ("quotes", format!(".. csv-table::\n\n   {}\n", many("\"a\n   ", 10_000))),
        (
            "bomb",
            (0..40)
                .map(|at| format!(".. |a{at}| replace:: |a{}| |a{}|\n\n", at + 1, at + 1))
                .chain([many("|a0| ", 1_000)])
                .collect(),
        ),
        ("comments", many("..\n\n", 10_000)),
        ("labels", many(".. _a:\n\n", 10_000)),
        ("terms", many("a\n b\n", 10_000)),
        ("fields", many(":a: b\n", 10_000)),
        ("titles", many("a\n====\n", 10_000)),
        ("nuls", many("\0*\r`", 5_000)),
        ("tabs", many("\t", 5_000) + "x"),
        ("unclosed", ".. code-block::\n   :a".to_owned()),
    ]
}

#[test]
fn hostile_pages_end() {
    for (name, text) in hostile() {
        let document = page(&text);
        check(&document, &text, name);
        check(&read_part(Format::Rst, &text), &text, name);
    }
}

#[test]
fn deep_nesting_keeps_its_words_and_says_so() {
    let text: String = (0..200).map(|depth| format!("{}- w{depth}\n\n", "  ".repeat(depth))).collect();
    let document = page(&text);
    let words = texts(&document).join(" ");
    assert!((0..200).all(|depth| words.contains(&format!("w{depth}"))));
    assert_eq!(document.warnings.iter().filter(|warning| warning.kind == WarningKind::TooDeep).count(), 1);
}

#[test]
fn cyclic_includes_end() {
    let files = |path: &str| Some(format!("{path}\n\n.. include:: a.rst\n.. include:: b.rst\n"));
    let document = read(Format::Rst, "a.rst", ".. include:: b.rst\n", &files);
    assert!(document.warnings.iter().all(|warning| warning.kind == WarningKind::IncludeCycle));
    assert!(!document.warnings.is_empty());
}

/// Blocks have lines of the file; their starts ascend, and their spans lie inside on borders of characters.
fn check(document: &Document, text: &str, name: &str) {
    let last = u32::try_from(text.split('\n').count()).unwrap_or(u32::MAX);
    for block in &document.blocks {
        assert!(block.lines.first >= 1 && block.lines.first <= block.lines.last, "{name}: {:?}", block.lines);
        assert!(block.lines.last <= last, "{name}: {:?} of {last}", block.lines);
        assert!(block.starts.first().is_none_or(|(at, _)| *at == 0), "{name}");
        assert!(block.starts.is_sorted_by(|a, b| a.0 < b.0), "{name}: {:?}", block.starts);
        assert!(block.starts.iter().all(|(at, _)| block.text.is_char_boundary(*at)), "{name}");
        for (_, line) in &block.starts {
            assert!(
                (block.lines.first..=block.lines.last).contains(line),
                "{name}: {line} {:?} {:?}",
                block.lines,
                block.text
            );
        }
        for span in &block.spans {
            assert!(block.text.get(span.range.clone()).is_some(), "{name}: {span:?}");
        }
        if let Kind::Row { cells, .. } = &block.kind {
            assert!(cells.iter().all(|cell| block.text.get(cell.text.clone()).is_some()), "{name}");
        }
        if let Kind::Definition { term } = &block.kind {
            assert!(block.text.get(term.clone()).is_some(), "{name}");
        }
        assert!(block.lead.is_none_or(|lead| lead < document.blocks.len()), "{name}");
        assert!(block.section < document.sections.len(), "{name}");
    }
}

proptest! {
    #[test]
    fn any_page_has_blocks_in_its_lines(parts in proptest::collection::vec(part(), 0..40)) {
        let text = parts.concat();
        check(&page(&text), &text, &text);
        check(&read_part(Format::Rst, &text), &text, &text);
    }
}

fn part() -> impl Strategy<Value = String> {
    let words = [
        "a",
        "b c",
        "é",
        "\n",
        "\n\n",
        "\n   ",
        "\n  * ",
        "\n- ",
        "  ",
        " ",
        "*",
        "**",
        "`",
        "``",
        ":x:",
        ":class:`",
        "`_",
        "__",
        "_",
        "|x|",
        "|",
        "\\",
        "\\ ",
        "::",
        "::\n\n  ",
        "\n===\n",
        "\n----\n",
        "====\n",
        ".. note::",
        ".. |x| replace:: ",
        ".. _a: ",
        ".. [#] ",
        ".. code-block:: x\n\n   ",
        ".. function:: f(",
        ".. list-table::\n\n   * - ",
        ".. csv-table::\n\n   ",
        "\n.. ",
        "..\n",
        "1. ",
        "(i) ",
        "a) ",
        ">>> ",
        "| ",
        "+--+--+\n",
        "|  |  |\n",
        "+==+==+\n",
        "=== ===\n",
        "--- ---\n",
        ":f: ",
        "-o, --opt  ",
        "http://a.b",
        "[#]_",
        "\t",
        "\r",
        "\0",
        "\"",
        ",",
        ".. glossary::\n\n   ",
        ".. include:: page.rst\n",
        ".. versionadded:: 1 ",
        ".. image:: x\n   :alt: y\n",
        ".. figure:: x\n\n   ",
        "漢",
        "~",
    ];
    proptest::sample::select(words.to_vec()).prop_map(str::to_owned)
}

#[test]
fn includes_end_at_a_size_with_a_warning() {
    let files = |_: &str| Some("word ".repeat(500_000));
    let text = ".. include:: a.rst\n\n.. include:: b.rst\n";
    let warnings = read(Format::Rst, "page.rst", text, &files).warnings;
    let told: Vec<_> = warnings.iter().map(|warning| (warning.line, warning.kind)).collect();
    assert_eq!(told, [(3, WarningKind::TooLarge)]);
}
