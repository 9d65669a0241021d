//! YAML, through a port of the reference parser: every document of a stream, its anchors included.

use assay_domain::code::{Category, Diagnostic};
use serde::Deserialize as _;
use serde::de::IgnoredAny;

use super::place::{Source, clip};
use super::watch::{Halt, TooLarge, Watch};

mod nesting;

/// Bytes of a stream that are read; the reader cannot be ended while it reads.
const MOST: usize = 256 * 1024;

/// The findings about a stream; one at most.
pub(super) fn parse(code: &str, watch: &Watch<'_>) -> Result<Vec<Diagnostic>, Halt<TooLarge>> {
    if code.len() > MOST {
        return Err(Halt::Other(TooLarge { what: "bytes of YAML", size: code.len(), most: MOST }));
    }
    if let Some(at) = nesting::too_deep(code, watch)? {
        let message = format!("more than {} brackets stand inside each other", nesting::DEEPEST);
        let found = Source::new(code).error(at..at + 1, "YAML002", Category::SyntaxError, message);
        return Ok(vec![found]);
    }
    for document in serde_yaml_ng::Deserializer::from_str(code) {
        watch.ask()?;
        let Err(failure) = IgnoredAny::deserialize(document) else { continue };
        let whole = failure.to_string();
        // An empty document is a document.
        if whole.contains("EOF while parsing a value") {
            continue;
        }
        let source = Source::new(code);
        let begun = begun(&source, &whole);
        let at = failure.location().map_or(code.len(), |place| place.index()).min(code.len());
        // A quote or key without its end is told where it begins.
        let early =
            whole.starts_with("found unexpected end of stream") || whole.starts_with("could not find");
        let at = begun.filter(|_| early).unwrap_or(at);
        let at = (0..=at).rev().find(|at| code.is_char_boundary(*at)).unwrap_or(0);
        // The place is told by the diagnostic.
        let what = whole.split(" at line ").next().unwrap_or(&whole).trim().to_owned();
        let rest = code.get(at..).unwrap_or_default();
        let near = clip(rest);
        let tab = code[..at].ends_with('\t') || rest.starts_with('\t');
        let what = worded(&what, if tab { "\t" } else { rest }).map_or(what, str::to_owned);
        let mut message = if near.is_empty() { what } else { format!("{what}, near '{near}'") };
        if let Some(open) = begun.filter(|open| code[*open..].starts_with(['[', '{'])) {
            let (line, _) = source.position(open);
            message.push_str(&format!("; the '{}' in line {line} is still open", &code[open..=open]));
        }
        let end = at + rest.find(['\n', '\r']).unwrap_or(rest.len());
        return Ok(vec![source.error(at..end, "YAML001", Category::SyntaxError, message)]);
    }
    Ok(Vec::new())
}

/// Where that begins of which the reader did not find the end: it is told behind the mistake, as "…, while scanning a
/// quoted scalar at line 1 column 4".
fn begun(source: &Source<'_>, said: &str) -> Option<usize> {
    let (_, place) = said.split_once(", while ")?.1.split_once(" at line ")?;
    let (line, column) = place.split_once(" column ")?;
    let line = line.parse::<usize>().ok()?.checked_sub(1)?;
    let column = column.split(|c: char| !c.is_ascii_digit()).next()?.parse::<usize>().ok()?.checked_sub(1)?;
    let text = source.line(line);
    let in_line = text.char_indices().nth(column).map(|(at, _)| at)?;
    Some(source.start(line) + in_line)
}

/// What a YAML reader means, in words about the text.
fn worded(said: &str, near: &str) -> Option<&'static str> {
    Some(match said {
        "mapping values are not allowed in this context" => {
            "this ':' cannot stand here: the value before it is complete; quote the value, or begin a new line for the key"
        }
        "found character that cannot start any token" if near.starts_with('\t') => {
            "a tab cannot indent YAML; use spaces"
        }
        "found character that cannot start any token" => "this sign cannot begin a value; quote the value",
        "did not find expected key" => {
            "a key is expected here: the indentation fits nothing above, or a quote or bracket ends too early"
        }
        "did not find expected '-' indicator" => "'- ' is missing: this line stands in a list",
        "did not find expected ',' or ']'" => "',' or ']' is missing",
        "did not find expected ',' or '}'" => "',' or '}' is missing",
        "could not find expected ':'" => "':' is missing after the key",
        "found unexpected end of stream" => "a text in quotes is not closed",
        "unknown anchor" => "this alias has no anchor '&…' before it",
        "did not find expected node content" => "a value is missing",
        "found unknown escape character" => "this escape does not exist in YAML",
        "block sequence entries are not allowed in this context" => {
            "a list entry cannot stand behind a key in the same line"
        }
        "did not find expected <document start>" => {
            "this cannot stand beside what is before it; a key, '- ' or '---' is missing"
        }
        _ => return None,
    })
}
