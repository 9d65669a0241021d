//! Saved pages of HTML: headings and blocks, and the words that a browser shows.
//!
//! Tags are read by the rules of browsers, whatever is left open. No style sheet counts, so that what one hides is read.

use crate::{Cut, Lines, Outline, Worth};
use html5gum::{DefaultEmitter, Span, Token, Tokenizer};

/// Elements whose text is not shown in the page.
const HIDDEN: &[&str] = &["script", "style", "template", "title"];

/// Elements that begin a line of their own.
const BLOCKS: &[&str] = &[
    "address",
    "article",
    "aside",
    "blockquote",
    "body",
    "br",
    "caption",
    "center",
    "details",
    "div",
    "dl",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hr",
    "main",
    "nav",
    "ol",
    "p",
    "pre",
    "section",
    "summary",
    "table",
    "ul",
];

/// Blocks inside of lists and tables.
const INNER_BLOCKS: &[&str] = &["dd", "dt", "li", "option", "td", "th", "tr"];

/// Elements of code.
const CODE: &[&str] = &["code", "kbd", "samp", "tt", "var"];

/// Cut marks, heading paths and title of a page.
pub(crate) fn outline(text: &str, lines: &Lines) -> Outline {
    let mut outline = Outline { worth: vec![Worth::Bare; lines.len()], ..Outline::of(lines) };
    let mut heading: Option<(usize, usize, String)> = None;
    let mut pre: Option<usize> = None;
    let mut title = String::new();
    read(text, |span, piece| {
        let first = lines.line_of(span.start);
        let last = lines.line_of(span.end.saturating_sub(1).max(span.start));
        match piece {
            Piece::Text(words) => {
                for line in first..=last {
                    if !lines.part(text, line, span.start..span.end).trim().is_empty() {
                        set(&mut outline, line, Worth::Text);
                    }
                }
                if let Some((_, _, name)) = &mut heading {
                    name.push_str(words);
                }
            }
            Piece::Hidden(name, words) => {
                if name == "title" && title.is_empty() {
                    title = words.split_whitespace().collect::<Vec<_>>().join(" ");
                }
                for line in first..=last {
                    if outline.worth(line) == Worth::Bare {
                        set(&mut outline, line, Worth::Out);
                    }
                }
            }
            Piece::Tag { name, opens } => {
                // Without its first line the rest of a tag would be words.
                if first < last {
                    outline.keep_whole(first, last);
                    (first..=last).for_each(|line| set(&mut outline, line, Worth::Text));
                }
                match (level(name), opens) {
                    (Some(level), true) => {
                        outline.mark(first, Cut::Section);
                        heading = Some((first, level, String::new()));
                    }
                    (Some(_), false) => {
                        if let Some((line, level, name)) = heading.take() {
                            outline.open_section(line, level, name.trim_matches(['¶', '§', ' ', '\n']));
                        }
                    }
                    (None, true) if BLOCKS.contains(&name) => outline.mark(first, Cut::Block),
                    (None, true) if INNER_BLOCKS.contains(&name) => outline.mark(first, Cut::Inner),
                    _ => {}
                }
                match (name, opens) {
                    ("pre", true) => pre = Some(first),
                    ("pre", false) => {
                        if let Some(first) = pre.take() {
                            outline.keep_whole(first, last);
                        }
                    }
                    _ => {}
                }
            }
        }
    });
    if !title.is_empty() {
        outline.title = title;
    }
    outline
}

/// Words that are shown, code between back-ticks; of a part of a page too.
pub(crate) fn words(text: &str) -> String {
    let mut out = String::new();
    read(text, |_, piece| match piece {
        Piece::Text(words) => out.push_str(words),
        Piece::Hidden(..) => {}
        // A part may begin inside a script.
        Piece::Tag { name, opens: false } if HIDDEN.contains(&name) => out.clear(),
        Piece::Tag { name, .. } if BLOCKS.contains(&name) || INNER_BLOCKS.contains(&name) => out.push('\n'),
        Piece::Tag { name, .. } if CODE.contains(&name) => out.push('`'),
        Piece::Tag { .. } => {}
    });
    out
}

/// What a page consists of; doctypes are left out.
enum Piece<'t> {
    Text(&'t str),
    /// Text of an element or comment that is not shown, with the element's name.
    Hidden(&'t str, &'t str),
    Tag {
        name: &'t str,
        opens: bool,
    },
}

/// Calls `each` with every piece of a page and its bytes; the tags around hidden text are not among them.
fn read(text: &str, mut each: impl FnMut(Span<usize>, Piece<'_>)) {
    let mut emitter = DefaultEmitter::<usize>::new_with_span();
    emitter.naively_switch_states(true);
    let mut hidden: Option<String> = None;
    for Ok(token) in Tokenizer::new_with_emitter(text, emitter) {
        match token {
            Token::StartTag(tag) => {
                let name = String::from_utf8_lossy(&tag.name);
                match &hidden {
                    Some(outer) => each(tag.span, Piece::Hidden(outer, "")),
                    None if HIDDEN.contains(&name.as_ref()) => {
                        each(tag.span, Piece::Hidden(&name, ""));
                        hidden = Some(name.into_owned());
                    }
                    None => each(tag.span, Piece::Tag { name: &name, opens: true }),
                }
            }
            Token::EndTag(tag) => {
                let name = String::from_utf8_lossy(&tag.name);
                match hidden.take_if(|hidden| hidden.as_str() == name) {
                    Some(hidden) => each(tag.span, Piece::Hidden(&hidden, "")),
                    None if hidden.is_some() => {}
                    None => each(tag.span, Piece::Tag { name: &name, opens: false }),
                }
            }
            Token::String(words) => {
                let shown = String::from_utf8_lossy(&words.value);
                match &hidden {
                    Some(name) => each(words.span, Piece::Hidden(name, &shown)),
                    None => each(words.span, Piece::Text(&shown)),
                }
            }
            Token::Comment(comment) => each(comment.span, Piece::Hidden("", "")),
            Token::Doctype(_) | Token::Error(_) => {}
        }
    }
}

/// Level of a heading.
fn level(name: &str) -> Option<usize> {
    let digit = name.strip_prefix('h')?.parse().ok()?;
    (1..=6).contains(&digit).then_some(digit)
}

fn set(outline: &mut Outline, line: usize, worth: Worth) {
    if let Some(old) = outline.worth.get_mut(line) {
        *old = worth;
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::words;
    use crate::{Chunked, Format, chunk};
    use proptest::prelude::*;

    fn page(text: &str) -> Chunked {
        chunk(Format::Html, text)
    }

    fn places(text: &str) -> Vec<(u32, u32, Vec<String>)> {
        page(text)
            .chunks
            .into_iter()
            .map(|chunk| (chunk.lines.first, chunk.lines.last, chunk.headings))
            .collect()
    }

    #[test]
    fn sections_are_passages_of_their_lines() {
        let filler = "many words of a page ".repeat(30);
        let text = format!(
            "<!doctype html>\r\n<html><head>\n<title>Guide\n to it</title>\n<script>\nvar hidden = 1;\n</script>\n</head>\n<body>\n\
             <h1>Start <a href='#s'>¶</a></h1>\n<p>{filler}</p>\n<!--\nremark\n-->\n<div>\n<h2\n class='x'>Next &amp; <i>last</i></h2>\n<p>{filler}</p>\n</div>\n</body></html>\n"
        );
        assert_eq!(page(&text).title, "Guide to it");
        let first = vec!["Start".to_owned()];
        let second = vec!["Start".to_owned(), "Next & last".to_owned()];
        assert_eq!(places(&text), [(10, 11, first), (16, 18, second)]);
    }

    #[test]
    fn searched_words_hold_no_markup() {
        let shown = words(
            "<p class=\"c\">A<b>B</b> &lt;C&gt; <code>set_limit</code><br>next</p><style>p { x: y }</style><!-- no -->",
        );
        assert_eq!(shown.split_whitespace().collect::<Vec<_>>(), ["AB", "<C>", "`set_limit`", "next"]);
        assert_eq!(words("<script>let open = '<!--';</script>Shown"), "Shown");
        assert_eq!(words("var x = 1;</script><p>Behind</p>").trim(), "Behind");
    }

    #[test]
    fn preformatted_text_is_never_split() {
        let code = "line of code\n\n".repeat(400);
        let text = format!("<p>Before</p>\n<pre>\n{code}</pre>\n<p>After</p>\n");
        assert!(page(&text).chunks.iter().any(|chunk| chunk.text.matches("line of code").count() == 400));
    }

    #[test]
    fn a_page_without_words_or_end_has_what_is_shown() {
        assert_eq!(places("<html>\n<body>\n<img src='a.png'>\n</body>\n"), []);
        assert_eq!(places("<p>Open <b>tags\n<script>\nlet x;\n"), [(1, 1, vec![])]);
        assert_eq!(places("<div <p>"), []);
    }

    const PIECES: &[&str] = &[
        "<p>",
        "</p>",
        "<h2>",
        "</h2>",
        "<ul>",
        "<li>",
        "<pre>",
        "</pre>",
        "<td",
        " class='a'>",
        "<b>",
        "<script>x()</script>",
        "<style>\np {}\n</style>",
        "<!-- c\nc -->",
        "\n",
        "\n\n",
        "\r\n",
        "&amp;",
        "words that fill a line of a page",
    ];

    proptest! {
        #[test]
        fn each_shown_word_is_in_one_passage(picks in proptest::collection::vec(0..PIECES.len(), 0..120)) {
            // A tag that is cut open takes what follows into itself.
            let picks = picks.iter().filter(|pick| !PIECES[**pick].starts_with("<td"));
            let text: String =
                picks.enumerate().map(|(index, pick)| format!("{} mark{index} \n", PIECES[*pick])).collect();
            let shown = words(&text);
            let passages: Vec<String> = page(&text).chunks.iter().map(|chunk| words(&chunk.text)).collect();
            for word in shown.split_whitespace().filter(|word| word.starts_with("mark")) {
                let holds = |passage: &&String| passage.split_whitespace().any(|known| known == word);
                prop_assert_eq!(passages.iter().filter(holds).count(), 1, "{} of {:?}", word, text);
            }
        }
    }
}
