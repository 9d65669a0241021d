//! Manual pages: both sets of macros, tables, definitions, code, and pages that mean harm.

use assay_documents::{Block, Document, Format, Kind, NoFiles, Style, WarningKind, read, read_part};
use proptest::prelude::*;

fn page(text: &str) -> Document {
    read(Format::Man, "pages/fetch.1", text, &NoFiles)
}

/// Kind, text and lines of each block.
fn shown(document: &Document) -> Vec<(&'static str, &str, (u32, u32))> {
    let kind = |block: &Block| match block.kind {
        Kind::Heading { .. } => "heading",
        Kind::Paragraph => "paragraph",
        Kind::Item { .. } => "item",
        Kind::Row { .. } => "row",
        Kind::Code { .. } => "code",
        Kind::Definition { .. } => "definition",
        Kind::Admonition { .. } => "admonition",
        Kind::Caption => "caption",
    };
    let lines = |block: &Block| (block.lines.first, block.lines.last);
    document.blocks.iter().map(|block| (kind(block), block.text.as_str(), lines(block))).collect()
}

fn texts(document: &Document) -> Vec<&str> {
    document.blocks.iter().map(|block| block.text.as_str()).collect()
}

#[test]
fn man_macros_become_blocks_with_their_lines() {
    let document = page(concat!(
        ".TH FETCH 1 2026-01-01\n.SH NAME\nfetch \\- get a file\n.SH OPTIONS\nThe options are:\n.TP\n",
        ".BR \\-r , \" --retry \" \\fIn\\fR\nTry\n.I n\ntimes.\n.IP\nThe default is 3.\n.TP\n\\-q\n.TQ\n\\-\\-quiet\nSay \\fBnothing\\fR.\n",
        ".PP\nRun it:\n.nf\n  fetch \\-r 5 \\e\n\n    a.txt\n.fi\n.SS \"Exit codes\"\n.IP \\(bu 2\nzero\n.IP \\(bu\none\n",
    ));
    assert_eq!(document.title, "fetch(1)");
    assert_eq!(
        shown(&document),
        [
            ("heading", "NAME", (2, 2)),
            ("paragraph", "fetch - get a file", (3, 3)),
            ("heading", "OPTIONS", (4, 4)),
            ("paragraph", "The options are:", (5, 5)),
            ("definition", "-r, --retry n\nTry n times.", (7, 10)),
            ("paragraph", "The default is 3.", (12, 12)),
            ("definition", "-q, --quiet\nSay nothing.", (14, 17)),
            ("paragraph", "Run it:", (19, 19)),
            ("code", "fetch -r 5 \\\n\n  a.txt", (21, 23)),
            ("heading", "Exit codes", (25, 25)),
            ("item", "zero", (27, 27)),
            ("item", "one", (29, 29)),
        ]
    );
    let leads: Vec<Option<usize>> = document.blocks.iter().map(|block| block.lead).collect();
    assert_eq!(leads[4..9], [Some(3), Some(4), Some(3), None, Some(7)]);
    assert_eq!(document.blocks[4].group, document.blocks[6].group);
    assert_eq!(document.blocks[4].line_at(document.blocks[4].text.find("times").unwrap()), 10);
    assert_eq!(document.sections[3].headings, ["OPTIONS", "Exit codes"]);
    assert_eq!(document.sections[3].anchor, "Exit_codes");
}

#[test]
fn fonts_are_spans() {
    let document = page(".SH A\nSet \\fBlimit\\fR or \\f(CWtop\\fP to\n.I five\n.BR now .\n");
    let block = &document.blocks[1];
    assert_eq!(block.text, "Set limit or top to five now.");
    let spans: Vec<_> =
        block.spans.iter().map(|span| (&span.style, &block.text[span.range.clone()])).collect();
    let expected = [
        (&Style::Strong, "limit"),
        (&Style::Code, "top"),
        (&Style::Emphasis, "five"),
        (&Style::Strong, "now"),
    ];
    assert_eq!(spans, expected);
}

#[test]
fn escapes_show_their_characters() {
    let text = ".SH A\n\\(bu \\[u2014] \\(co\\~x \\*(Aq\\*(lqq\\*(rq a\\|b\\:c \\s-1SQL\\s0 \\e n\\&. don\\'t\\\" gone\nlong\\c\ner\n";
    assert_eq!(texts(&page(text))[1], "• — © x '“q” abc SQL \\ n. don't longer");
}

#[test]
fn an_indented_paragraph_below_a_short_line_defines_it() {
    let page = page(concat!(
        ".SH OPTIONS\n.PP\n\\fB\\-\\-all\\fR\n.RS 4\nTakes all.\n.sp\nAlso hidden ones.\n.RE\n.PP\n\\fB\\-\\-none\\fR\n.RS 4\nTakes none.\n.RE\n",
        ".PP\nIt stops:\n.RS 4\n.ie n \\{\\\n\\h'-04'\\(bu\\h'+03'\\c\n.\\}\n.el \\{\\\n.IP \\(bu 2.3\n.\\}\nat once\n.RE\n",
        ".RS 4\n.ie n \\{\\\n\\h'-04'\\(bu\\h'+03'\\c\n.\\}\nat the end\n.RE\n",
    ));
    assert_eq!(
        shown(&page)[1..],
        [
            ("definition", "--all\nTakes all.", (3, 5)),
            ("paragraph", "Also hidden ones.", (7, 7)),
            ("definition", "--none\nTakes none.", (10, 12)),
            ("paragraph", "It stops:", (15, 15)),
            ("item", "at once", (18, 23)),
            ("item", "at the end", (27, 29)),
        ]
    );
    assert_eq!(page.blocks[1].group, page.blocks[3].group);
    assert_eq!((page.blocks[5].lead, page.blocks[6].lead), (Some(4), Some(4)));
    assert_eq!(page.blocks[5].group, page.blocks[6].group);
}

#[test]
fn mdoc_macros_call_each_other() {
    let document = page(concat!(
        ".Dd January 1, 2026\n.Dt FETCH 1\n.Os\n.Sh NAME\n.Nm fetch\n.Nd get a file\n.Sh SYNOPSIS\n.Nm\n.Op Fl qr Ns Ar num , Ar x .\n.Nm\n.Fl Fl list | Cm all\n",
        ".Sh DESCRIPTION\nThe\n.Nm\ntool reads\n.Pa /etc/fetch\n.Pq see Xr fetch.conf 5 .\nIt is\n.Dq fast\n.Em and Ns No sure ,\n.Oo Fl t Oc\nor\n.Ql x .\n",
    ));
    assert_eq!(document.title, "fetch(1)");
    assert_eq!(
        texts(&document),
        [
            "NAME",
            "fetch — get a file",
            "SYNOPSIS",
            "fetch [-qrnum, x].\nfetch --list | all",
            "DESCRIPTION",
            "The fetch tool reads /etc/fetch (see fetch.conf(5)). It is “fast” andsure, [-t] or ‘x’.",
        ]
    );
    let links: Vec<_> =
        document.blocks[5].spans.iter().filter(|span| matches!(span.style, Style::Link(_))).collect();
    assert_eq!(links.len(), 1);
}

#[test]
fn mdoc_lists_nest() {
    let document = page(concat!(
        ".Sh A\nThe commands:\n.Bl -tag -width Ds\n.It Cm start Ar name\nStarts.\n.Pp\nAgain.\n.Bl -enum\n.It\nfirst\n.It\nsecond\n.El\n",
        ".It Fl L Xo\n.Sm off\n.Ar port : host\n.Sm on\n.Xc\n.It Fl R Ar x\nForwards.\n.Bd -literal\nfetch a\n  b\n.Ed\n.El\n",
        ".Bl -column name text\n.It Sy Name Ta Sy Text\n.It a Ta b\n.El\nEnd.\n",
    ));
    assert_eq!(
        shown(&document)[1..],
        [
            ("paragraph", "The commands:", (2, 2)),
            ("definition", "start name\nStarts.", (4, 5)),
            ("paragraph", "Again.", (7, 7)),
            ("item", "first", (10, 10)),
            ("item", "second", (12, 12)),
            ("definition", "-L port:host, -R x\nForwards.", (14, 20)),
            ("code", "fetch a\n  b", (22, 23)),
            ("row", "Name\tText", (27, 27)),
            ("row", "a\tb", (28, 28)),
            ("paragraph", "End.", (30, 30)),
        ]
    );
    assert_eq!(document.blocks[4].lead, Some(2));
    assert_eq!(document.blocks[4].kind, Kind::Item { depth: 1, number: Some(1), ticked: None });
    assert_eq!(document.blocks[7].lead, Some(6));
    let Kind::Row { headers, head, .. } = &document.blocks[9].kind else { panic!("a row") };
    assert_eq!((headers.to_vec(), *head), (vec!["Name".to_owned(), "Text".to_owned()], false));
}

#[test]
fn functions_of_a_synopsis_stand_alone() {
    let document = page(
        ".Sh SYNOPSIS\n.In fetch.h\n.Ft int\n.Fn fetch \"const char *name\" \"int n\"\n.Ft void\n.Fo done\n.Fa \"int n\"\n.Fc\n",
    );
    assert_eq!(
        texts(&document)[1..],
        ["#include <fetch.h>\nint\nfetch(const char *name, int n);", "void\ndone(int n);"]
    );
}

#[test]
fn tables_have_rows_and_headers() {
    let document = page(
        ".SH A\nThe codes:\n.TS\nallbox tab(:);\nlB lB.\nT{\nCode\nT}:T{\nMeaning\nT}\n.T&\nl l.\nT{\n0\nT}:T{\nAll is\n.I well\nT}\n1:bad\n.TE\nDone.\n",
    );
    let expected =
        [("row", "Code\tMeaning", (6, 10)), ("row", "0\tAll is well", (13, 18)), ("row", "1\tbad", (19, 19))];
    assert_eq!(shown(&document)[2..5], expected);
    let Kind::Row { headers, cells, .. } = &document.blocks[4].kind else { panic!("a row") };
    assert_eq!(headers.to_vec(), ["Code", "Meaning"]);
    assert_eq!((cells[1].column, &document.blocks[4].text[cells[1].text.clone()]), (1, "bad"));
    assert_eq!(document.blocks[4].lead, Some(1));
}

#[test]
fn macros_strings_and_conditions_of_the_page_work() {
    let document = page(concat!(
        ".de Vb\n.ft CW\n.nf\n..\n.de Ve\n.ft R\n.fi\n..\n.ds Tool fetch\\\\-it\n.nr x 1\n.SH A\n.if t hidden\n.ie \\nx=1 .B \\*[Tool]\n.el other\n",
        ".if !\\nx \\{\\\n.B lost\n.\\}\n.ig\nnothing\n..\n.Vb 1\nrun\n.Ve\nend\n",
    ));
    assert_eq!(texts(&document)[1..], ["fetch-it", "run", "end"]);
}

#[test]
fn a_page_may_stand_for_another() {
    let files = |path: &str| (path == "man1/get.1").then(|| ".TH GET 1\n.SH NAME\nget \\- take\n".to_owned());
    assert_eq!(Format::of_file("man1/fetch.1", ".so man1/get.1\n"), Some(Format::Man));
    let document = read(Format::Man, "man1/fetch.1", ".so man1/get.1\n", &files);
    assert_eq!((document.title.as_str(), document.blocks[1].text.as_str()), ("get(1)", "get - take"));
    assert_eq!(document.blocks[1].file.as_deref(), Some("man1/get.1"));
    assert_eq!(document.blocks[1].lines.first, 3);
    let document = read(Format::Man, "man1/fetch.1", ".so man1/none.1\n", &files);
    assert_eq!(document.warnings[0].kind, WarningKind::MissingInclude);
}

#[test]
fn only_pages_with_macros_are_manual_pages() {
    assert_eq!(Format::of_file("a.1", ".\\\" A page\n.TH A 1\n"), Some(Format::Man));
    assert_eq!(Format::of_file("a.8", ".Dd today\n.Dt A 8\n"), Some(Format::Man));
    assert_eq!(Format::of_file("notes.1", "Version 1\n.NET is out.\n"), None);
}

#[test]
fn a_passage_is_read_without_its_page() {
    let part = read_part(Format::Man, ".TP\n.B \\-q\nBe quiet.\n.It Fl v\nBe loud.\n");
    assert!(part.title.is_empty());
    assert_eq!(part.blocks[0].text, "-q\nBe quiet.");
    assert!(part.blocks.iter().any(|block| block.text.contains("Be loud.")));
}

#[test]
fn deep_nesting_keeps_its_words() {
    let deep = format!(".SH A\n{}word\n", ".RS\n".repeat(10_000));
    let document = page(&deep);
    assert_eq!(texts(&document)[1], "word");
    let deep = document.warnings.iter().filter(|warning| warning.kind == WarningKind::TooDeep);
    assert_eq!(deep.count(), 1);
    let lists = format!(".Sh A\n{}end\n", ".Bl -tag\n.It Fl a\nb\n".repeat(10_000));
    assert!(texts(&page(&lists)).iter().any(|text| text.contains("end")));
}

#[test]
fn hostile_pages_end() {
    let wide = format!(".TS\ntab(:);\nl.\n{}\n.TE\n", "a:".repeat(5_000));
    assert!(page(&wide).warnings.iter().any(|warning| warning.kind == WarningKind::TooLarge));
    for text in [
        "x".repeat(5_000_000),
        "\\h'".repeat(1_000_000),
        "\\*[".repeat(500_000),
        "\\[u".repeat(1_000_000),
        ".B ".to_owned() + &"\\fB".repeat(1_000_000),
        ".if n \\{\\\n".repeat(100_000),
        ".ie n .el .ie n ".repeat(50_000),
        ".if ".to_owned() + &"(".repeat(1_000_000),
        "\\\n".repeat(300_000),
        ".de a\n.a\n.a\n..\n.a\n".to_owned(),
        ".ds a x\\\\*(bbx\\\\*(bb\n.ds bb \\\\*a\\\\*a\n".to_owned() + &"\\*a\\*(bb\n".repeat(50_000),
        ".as a \\\\*a\\\\*a x\n".repeat(20_000) + "\\*a",
        ".Op ".to_owned() + &"Op ".repeat(200_000),
        ".TP\n.TQ\n".repeat(50_000),
        ".It Xo\n".repeat(50_000),
        "\0\r\r\n.SH \0\n.TS\nT{\n.TS".to_owned(),
        ".so a.1".repeat(3),
    ] {
        let document = page(&text);
        assert!(document.warnings.len() <= 50);
    }
}

fn lines() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        "[ -~]{0,12}",
        "\\.(TP|IP|PP|RS|RE|nf|fi|SH a|B x|TS|TE|T&|br|sp|ie n|el x|if t \\\\\\{|\\\\\\}|de a|\\.|a|UR x|UE|EX|EE|TQ|SY x|YS|OP a b)",
        "\\.(Bl -tag|Bl -column|Bl -enum|It a|El|Bd -literal|Ed|Sh a|Op Fl a|Oo|Oc|Xo|Xc|Fo a|Fa b|Fc|Fn a b|Nm|Sm off|Rs|%A x|Re|Ta|D1 x|Dl x) ?[\\.,é]?",
        "(T\\{|T\\}:x|a:b|l l\\.|_|tab\\(:\\);|x\\\\c|\\\\fBé|\\\\\\(bu|\\\\\\*\\(é|\\\\h'-04'\\\\\\(bu\\\\h'3'\\\\c|é\\\\)",
    ];
    proptest::collection::vec(line, 0..40).prop_map(|lines| lines.join("\n"))
}

proptest! {
    #[test]
    fn blocks_stay_inside_their_page(text in lines()) {
        let count = u32::try_from(text.split('\n').count()).unwrap();
        for document in [page(&text), read_part(Format::Man, &text)] {
            for block in &document.blocks {
                prop_assert!(1 <= block.lines.first && block.lines.first <= block.lines.last, "{block:?}");
                prop_assert!(block.lines.last <= count, "{block:?}");
                prop_assert!(block.starts.is_sorted_by(|one, next| one.0 < next.0), "{block:?}");
                for span in &block.spans {
                    prop_assert!(block.text.get(span.range.clone()).is_some(), "{block:?}");
                }
                if let Kind::Row { cells, .. } = &block.kind {
                    for cell in cells {
                        prop_assert!(block.text.get(cell.text.clone()).is_some(), "{block:?}");
                    }
                }
                if let Kind::Definition { term } = &block.kind {
                    prop_assert!(block.text.get(term.clone()).is_some(), "{block:?}");
                }
                prop_assert!(block.lead.is_none_or(|lead| lead < document.blocks.len()));
            }
        }
    }
}
