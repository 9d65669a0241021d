//! Reading and checking what a caller sends; every refusal names the field.

use std::collections::BTreeMap;

use assay_api::{Asked, Settings};
use assay_domain::question::{Mode, limits};
use assay_domain::{Code, Failure, QueryType, Question, RequestId, SessionId};
use assay_rpc::task;
use axum::body::Body;
use bytes::Bytes;
use http::{HeaderMap, Request, StatusCode};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::json;
use crate::options::{Options, seconds};
use crate::problem::Problem;

/// The body, if it is small enough and comes in time.
pub(crate) async fn read(headers: &HeaderMap, body: Body, options: &Options) -> Result<Bytes, Failure> {
    let too_large = || {
        let text = format!("the body has more than {} bytes, the setting body_bytes", options.body_bytes);
        Failure::new(Code::PayloadTooLarge, text).field("body")
    };
    let announced =
        headers.get(http::header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok());
    if announced.is_some_and(|length: usize| length > options.body_bytes) {
        return Err(too_large());
    }
    let whole = Limited::new(body, options.body_bytes).collect();
    match tokio::time::timeout(seconds(options.body_read_seconds), whole).await {
        Ok(Ok(whole)) => Ok(whole.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(too_large()),
        Ok(Err(_)) => Err(Failure::new(Code::Cancelled, "the body broke off").field("body")),
        Err(_) => {
            let text = format!("the body did not arrive within {} s", options.body_read_seconds);
            Err(Failure::new(Code::DeadlineExceeded, text).field("body_read_seconds"))
        }
    }
}

/// Refuses a body that says it is something else than JSON in UTF-8. One that says nothing is taken for JSON.
///
/// # Errors
/// `invalid_argument` naming `content-type`, which is 415 over HTTP.
pub(crate) fn json_only(headers: &HeaderMap) -> Result<(), Problem> {
    let mut kinds = headers.get_all(http::header::CONTENT_TYPE).iter();
    let kind = match (kinds.next(), kinds.next()) {
        (None, _) => return Ok(()),
        (Some(kind), None) => kind.to_str().unwrap_or_default(),
        (Some(_), Some(_)) => "",
    };
    let mut parts = kind.split(';').map(str::trim);
    let essence = parts.next().unwrap_or_default().to_ascii_lowercase();
    let json = essence == "application/json"
        || essence.strip_prefix("application/").is_some_and(|kind| kind.ends_with("+json"));
    let utf8 = parts.filter_map(|part| part.split_once('=')).all(|(name, value)| {
        !name.trim().eq_ignore_ascii_case("charset")
            || value.trim().trim_matches('"').eq_ignore_ascii_case("utf-8")
    });
    if json && utf8 {
        return Ok(());
    }
    let text = format!("the body is {kind:?}; send application/json in UTF-8");
    let failure = Failure::new(Code::InvalidArgument, text).field("content-type");
    Err(Problem::from(failure).with_status(StatusCode::UNSUPPORTED_MEDIA_TYPE))
}

/// Bodies up to this many bytes are read where they come in; larger ones beside the async threads.
const INLINE_BYTES: usize = 64 * 1024;

/// What `parse` makes of the body of a question; its refusal knows the words of the question as far as they can be found.
pub(crate) async fn parsed<T: Send + 'static>(
    bytes: Bytes,
    parse: impl FnOnce(&[u8]) -> Result<T, Failure> + Send + 'static,
) -> Result<T, Problem> {
    let large = bytes.len() > INLINE_BYTES;
    let work = move || parse(&bytes).map_err(|failure| Problem::from(failure).about(words(&bytes)));
    if large { task::blocking(work).await.map_err(Failure::from)? } else { work() }
}

/// What `parse` makes of a JSON body and of the headers before it.
pub(crate) async fn of<T: Send + 'static>(
    request: Request<Body>,
    options: &Options,
    parse: impl FnOnce(&[u8], &HeaderMap) -> Result<T, Failure> + Send + 'static,
) -> Result<T, Problem> {
    let (head, body) = request.into_parts();
    json_only(&head.headers)?;
    let bytes = read(&head.headers, body, options).await?;
    parsed(bytes, move |bytes| parse(bytes, &head.headers)).await
}

/// The words of a question in a body that is refused: of `query`, of `prompt`, of `input` or of the last message.
fn words(bytes: &[u8]) -> String {
    let fields: Value = serde_json::from_slice(bytes).unwrap_or_default();
    let named = ["query", "prompt", "input"].map(|name| fields.get(name));
    let last = ["messages", "input"].map(|name| fields.get(name)?.as_array()?.last()?.get("content"));
    let found = named.into_iter().chain(last).flatten().find_map(text_of);
    found.unwrap_or_default().chars().take(limits::QUERY_CHARS).collect()
}

/// A text, or that of the first part of a list that has one.
fn text_of(content: &Value) -> Option<&str> {
    content.as_str().or_else(|| content.as_array()?.iter().find_map(|part| part.get("text")?.as_str()))
}

/// A request to answer a question.
#[derive(Debug, Clone, PartialEq)]
pub struct Ask {
    /// The question; its limits were checked.
    pub question: Question,
    /// Whether events are wanted; none if the body does not say.
    pub stream: Option<bool>,
}

/// Fields that say how a question is answered.
const SETTINGS: &[&str] = &[
    "session",
    "query_type",
    "mode",
    "collection",
    "extra_context",
    "editor_content",
    "selected_text",
    "request_id",
];

/// Reads the fields that say how a question is answered. Beside them there may be those of `others` and no more.
///
/// # Errors
/// `invalid_argument` naming the field.
pub(crate) fn settings(
    question: &mut Question,
    fields: &Map<String, Value>,
    others: &[&str],
) -> Result<(), Failure> {
    let known = |key: &str| SETTINGS.contains(&key) || others.contains(&key);
    if let Some(unknown) = fields.keys().find(|key| !known(key)) {
        let names: Vec<&str> = others.iter().chain(SETTINGS).copied().collect();
        let text = format!("the field `{unknown}` does not exist; there are {}", names.join(", "));
        return Err(Failure::new(Code::InvalidArgument, text).field(unknown));
    }
    let given: Settings = read_fields(fields)?;
    question.declared_type = name("query_type", given.query_type, QueryType::from_name, QueryType::ALL)?;
    question.mode = name("mode", given.mode, Mode::from_name, Mode::ALL)?.unwrap_or(Mode::Strict);
    let rule = "1 to 128 characters without control characters";
    question.session = id("session", given.session, SessionId::parse, rule)?;
    question.request_id = id("request_id", given.request_id, RequestId::parse, "a UUID")?;
    question.collection = given.collection.unwrap_or_default();
    question.extra_context = given.extra_context.unwrap_or_default();
    question.editor_content = given.editor_content.unwrap_or_default();
    question.selected_text = given.selected_text.unwrap_or_default();
    Ok(())
}

impl Ask {
    /// Reads the body of `POST /v1/ask`.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` or `PAYLOAD_TOO_LARGE`, naming the field.
    pub fn parse(bytes: &[u8]) -> Result<Self, Failure> {
        let fields = json::object(bytes)?;
        let Asked { query, stream } = read_fields(&fields)?;
        let mut question = Question::new(query.unwrap_or_default());
        settings(&mut question, &fields, &["query", "stream"])?;
        if !fields.contains_key("query") {
            let text = "the field `query` is missing; it holds the question";
            return Err(Failure::new(Code::InvalidArgument, text).field("query"));
        }
        question.check_limits()?;
        Ok(Self { question, stream })
    }
}

/// The fields of a body; one that is missing, unknown or of another type is named.
pub(crate) fn fields<T: DeserializeOwned>(fields: Map<String, Value>) -> Result<T, Failure> {
    serde_path_to_error::deserialize(Value::Object(fields)).map_err(|error| {
        let path = error.path().to_string();
        let field = if path == "." { "body".to_owned() } else { path };
        Failure::new(Code::InvalidArgument, format!("the body: {}", error.inner())).field(field)
    })
}

/// The fields of `T`; what is not one of them is passed over.
fn read_fields<'de, T: Deserialize<'de>>(fields: &'de Map<String, Value>) -> Result<T, Failure> {
    serde_path_to_error::deserialize(fields).map_err(|error| {
        let field = error.path().to_string();
        let kind = if field == "stream" { "true or false" } else { "a string" };
        Failure::new(Code::InvalidArgument, format!("`{field}` must be {kind}")).field(field)
    })
}

fn name<T: Copy + std::fmt::Display>(
    field: &str,
    given: Option<String>,
    parse: impl Fn(&str) -> Option<T>,
    all: &[T],
) -> Result<Option<T>, Failure> {
    let given = given.filter(|given| !given.is_empty());
    given.map(|given| named(field, &given.to_ascii_uppercase(), parse, all)).transpose()
}

/// The value with this name; the failure lists the names there are.
pub(crate) fn named<T: Copy + std::fmt::Display>(
    field: &str,
    given: &str,
    parse: impl Fn(&str) -> Option<T>,
    all: &[T],
) -> Result<T, Failure> {
    parse(given).ok_or_else(|| {
        let names: Vec<String> = all.iter().map(ToString::to_string).collect();
        let text = format!("`{field}` is {given:?}; it must be one of {}", names.join(", "));
        Failure::new(Code::InvalidArgument, text).field(field)
    })
}

fn id<T>(
    field: &str,
    given: Option<String>,
    parse: impl Fn(&str) -> Option<T>,
    rule: &str,
) -> Result<Option<T>, Failure> {
    let failure = || Failure::new(Code::InvalidArgument, format!("`{field}` must be {rule}")).field(field);
    let given = given.filter(|given| !given.is_empty());
    given.map(|given| parse(&given).ok_or_else(failure)).transpose()
}

/// Parameters of a query string, each taken once by name; what is left over is unknown.
#[derive(Debug)]
pub(crate) struct Parameters(BTreeMap<String, String>);

impl Parameters {
    pub(crate) fn new(map: BTreeMap<String, String>) -> Self {
        Self(map)
    }

    /// The value, or empty.
    pub(crate) fn text(&mut self, name: &str) -> String {
        self.0.remove(name).unwrap_or_default()
    }

    /// A number, or 0.
    pub(crate) fn number(&mut self, name: &str, most: u32) -> Result<u32, Failure> {
        let Some(text) = self.0.remove(name) else { return Ok(0) };
        match text.parse() {
            Ok(number) if (1..=most).contains(&number) => Ok(number),
            _ => {
                let message = format!("`{name}` is {text:?}; it must be a number from 1 to {most}");
                Err(Failure::new(Code::InvalidArgument, message).field(name))
            }
        }
    }

    /// Milliseconds since the Unix epoch, or 0.
    pub(crate) fn moment(&mut self, name: &str) -> Result<u64, Failure> {
        let Some(text) = self.0.remove(name) else { return Ok(0) };
        text.parse().map_err(|_| {
            let message = format!("`{name}` is {text:?}; it must be milliseconds since the Unix epoch");
            Failure::new(Code::InvalidArgument, message).field(name)
        })
    }

    /// `true` or `false`; absent is false.
    pub(crate) fn flag(&mut self, name: &str) -> Result<bool, Failure> {
        match self.0.remove(name).as_deref() {
            None | Some("false") => Ok(false),
            Some("true") => Ok(true),
            Some(other) => {
                let message = format!("`{name}` is {other:?}; it must be true or false");
                Err(Failure::new(Code::InvalidArgument, message).field(name))
            }
        }
    }

    /// A named value, or none.
    pub(crate) fn name<T: Copy + std::fmt::Display>(
        &mut self,
        field: &str,
        parse: impl Fn(&str) -> Option<T>,
        all: &[T],
    ) -> Result<Option<T>, Failure> {
        self.0.remove(field).map(|given| named(field, &given, parse, all)).transpose()
    }

    /// Named values with commas between, or none.
    pub(crate) fn names<T: Copy + std::fmt::Display>(
        &mut self,
        field: &str,
        parse: impl Fn(&str) -> Option<T>,
        all: &[T],
    ) -> Result<Vec<T>, Failure> {
        let Some(given) = self.0.remove(field) else { return Ok(Vec::new()) };
        given.split(',').map(|one| named(field, one, &parse, all)).collect()
    }

    /// Refuses what was not taken.
    pub(crate) fn done(self) -> Result<(), Failure> {
        self.0.into_keys().next().map_or(Ok(()), |name| {
            let text = format!("the parameter `{name}` does not exist here");
            Err(Failure::new(Code::InvalidArgument, text).field(name))
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn refused(body: &str) -> (Code, String) {
        let failure = Ask::parse(body.as_bytes()).unwrap_err();
        (failure.code, failure.field)
    }

    #[tokio::test]
    async fn a_refused_body_still_tells_what_was_asked() {
        let told = async |body: String| {
            parsed(body.into(), |bytes| Ask::parse(bytes).map(|_| ())).await.unwrap_err().query
        };
        assert_eq!(told(r#"{"query":"q","querry":1}"#.into()).await, "q");
        assert_eq!(told(r#"{"prompt":"p"}"#.into()).await, "p");
        assert_eq!(told(r#"{"messages":[{"content":"a"},{"role":"user","content":"b"}]}"#.into()).await, "b");
        for nothing in ["", "[1]", r#"{"query":7}"#, r#"{"messages":[]}"#] {
            assert_eq!(told(nothing.into()).await, "", "{nothing}");
        }
        let long = format!(r#"{{"query":"{}"}}"#, "ñ".repeat(INLINE_BYTES));
        assert_eq!(told(long).await, "ñ".repeat(limits::QUERY_CHARS));
    }

    #[test]
    fn a_whole_body_is_read() {
        let body = r#"{"query":"q","session":"s","query_type":"PLATFORM","mode":"lenient","collection":"c",
            "extra_context":"x","editor_content":"e","selected_text":"t",
            "request_id":"6f9619ff-8b86-4011-b42d-00c04fc964ff","stream":true}"#;
        let ask = Ask::parse(body.as_bytes()).unwrap();
        assert_eq!(ask.stream, Some(true));
        assert_eq!(ask.question.declared_type, Some(QueryType::Platform));
        assert_eq!(ask.question.mode, Mode::Lenient);
        assert_eq!(ask.question.session, SessionId::parse("s"));
        assert!(ask.question.request_id.is_some());
        assert_eq!(ask.question.collection, "c");
        let plain = Ask::parse(br#"{"query":"q","session":null}"#).unwrap();
        assert_eq!(plain.question, Question::new("q"));
    }

    #[test]
    fn only_json_in_utf8_is_taken() {
        let taken = |kinds: &[&str]| {
            let mut headers = HeaderMap::new();
            for kind in kinds {
                headers.append(http::header::CONTENT_TYPE, kind.parse().unwrap());
            }
            json_only(&headers).is_ok()
        };
        assert!(taken(&[]));
        for kind in [
            "application/json",
            "Application/JSON; charset=UTF-8",
            "application/json;charset=\"utf-8\"",
            "application/ld+json",
        ] {
            assert!(taken(&[kind]), "{kind}");
        }
        for kind in [
            "text/plain",
            "application/x-www-form-urlencoded",
            "application/json; charset=latin1",
            "",
            "json",
            "+json",
        ] {
            assert!(!taken(&[kind]), "{kind}");
        }
        assert!(!taken(&["application/json", "application/json"]));
        let mut headers = HeaderMap::new();
        headers.insert(http::header::CONTENT_TYPE, "text/plain".parse().unwrap());
        let problem = json_only(&headers).unwrap_err();
        assert_eq!((problem.status().as_u16(), problem.failure.field.as_str()), (415, "content-type"));
    }

    #[test]
    fn every_refusal_names_its_field() {
        let invalid = Code::InvalidArgument;
        for (body, field) in [
            ("", "body"),
            ("[1]", "body"),
            ("{\"query\":", "body"),
            ("{}", "query"),
            (r#"{"query":""}"#, "query"),
            (r#"{"query":7}"#, "query"),
            (r#"{"query":"q","querry":1}"#, "querry"),
            (r#"{"query":"q","query_type":"SEARCH"}"#, "query_type"),
            (r#"{"query":"q","mode":"soft"}"#, "mode"),
            (r#"{"query":"q","mode":"STRICT","mode":"STRICT"}"#, "mode"),
            (r#"{"query":"q","extra":[{"a":1,"a at line ":2,"a at line ":3}]}"#, "a at line "),
            (r#"{"query":"q","stream":"yes"}"#, "stream"),
            (r#"{"query":"q","request_id":"1"}"#, "request_id"),
            (r#"{"query":"q","session":"a\nb"}"#, "session"),
        ] {
            assert_eq!(refused(body), (invalid, field.to_owned()), "{body}");
        }
        let body = format!(r#"{{"query":"q","extra_context":"{}"}}"#, "x".repeat(65537));
        assert_eq!(refused(&body), (Code::PayloadTooLarge, "extra_context".to_owned()));
        assert_eq!(Ask::parse(b"{\"query\":\"\xff\"}").unwrap_err().field, "body");
    }

    proptest::proptest! {
        #[test]
        fn no_content_type_upsets_the_check(kind in "[ -~]{0,60}") {
            let mut headers = HeaderMap::new();
            headers.insert(http::header::CONTENT_TYPE, kind.parse().unwrap());
            if json_only(&headers).is_ok() {
                proptest::prop_assert!(kind.to_ascii_lowercase().trim_start().starts_with("application/"));
            }
        }

        #[test]
        fn no_body_upsets_the_reader(bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..200)) {
            let _ = Ask::parse(&bytes);
        }
    }
}
