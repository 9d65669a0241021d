//! Requests that are made again: keys of idempotency, streams that go on, answers that a client has already.

use assay_domain::answer::EventBody;
use assay_domain::{AnswerEvent, Code, Failure, Question, RequestId};
use axum::response::{IntoResponse, Response};
use futures::{Stream, StreamExt as _, stream};
use http::{HeaderMap, HeaderValue, StatusCode, header};
use serde::Serialize;
use sha2::{Digest as _, Sha256};

/// Header that makes a question idempotent (IETF draft `idempotency-key-header`).
const KEY: &str = "idempotency-key";
/// Longest key, in bytes.
const MOST_KEY_BYTES: usize = 255;
/// Header of the last event that a client has (HTML, server-sent events).
const LAST_EVENT: &str = "last-event-id";

fn invalid(field: &str, text: impl Into<String>) -> Failure {
    Failure::new(Code::InvalidArgument, text).field(field)
}

/// The `request_id` of the header `Idempotency-Key`: a UUID itself, of any other key the hash.
///
/// # Errors
/// `invalid_argument` for a key that is empty or too long.
pub(crate) fn key(headers: &HeaderMap) -> Result<Option<RequestId>, Failure> {
    let Some(value) = headers.get(KEY) else { return Ok(None) };
    let text = value.to_str().unwrap_or_default();
    let key = text.trim_matches('"');
    if key.is_empty() || key.len() > MOST_KEY_BYTES {
        let text = format!("the header Idempotency-Key has 1 to {MOST_KEY_BYTES} plain characters");
        return Err(invalid(KEY, text));
    }
    Ok(RequestId::parse(key).or_else(|| {
        let digest = Sha256::digest(key.as_bytes());
        let bytes: [u8; 16] = digest.get(..16)?.try_into().ok()?;
        RequestId::parse(&uuid::Builder::from_custom_bytes(bytes).into_uuid().to_string())
    }))
}

/// Names a question after the key of its header, if there is one.
///
/// # Errors
/// `invalid_argument` for another `request_id` in the body.
pub(crate) fn named(question: &mut Question, key: Option<RequestId>) -> Result<(), Failure> {
    if key.is_some() && question.request_id.is_some() && question.request_id != key {
        return Err(invalid(KEY, "the header Idempotency-Key and `request_id` differ; send one of them"));
    }
    question.request_id = key.or(question.request_id);
    Ok(())
}

/// The number of the last event that a client has of a stream that broke.
///
/// # Errors
/// `invalid_argument` if it is no number, or the question has no name under which its answer is stored.
pub(crate) fn last_event(question: &Question, headers: &HeaderMap) -> Result<Option<u64>, Failure> {
    let Some(value) = headers.get(LAST_EVENT) else { return Ok(None) };
    let number = value.to_str().ok().and_then(|text| text.trim().parse().ok());
    let number =
        number.ok_or_else(|| invalid(LAST_EVENT, "the header Last-Event-ID is the `id` of an event"))?;
    if question.request_id.is_none() {
        let text = "a stream goes on only where it was asked with `request_id` or Idempotency-Key; send the same again";
        return Err(invalid("request_id", text));
    }
    Ok(Some(number))
}

/// The events of a stream that goes on behind `last`: the text so far is withdrawn, then all comes again with new
/// numbers, so that no word is lost and none stands twice.
pub(crate) fn resumed(
    events: impl Stream<Item = AnswerEvent> + Send,
    last: Option<u64>,
) -> impl Stream<Item = AnswerEvent> + Send {
    let withdrawn = last.map(|last| AnswerEvent {
        sequence: last.saturating_add(1),
        attempt: 0,
        body: EventBody::Retracted,
    });
    let offset = last.map_or(0, |last| last.saturating_add(2));
    let rest =
        events.map(move |event| AnswerEvent { sequence: event.sequence.saturating_add(offset), ..event });
    stream::iter(withdrawn).chain(rest)
}

/// The `ETag` of a text: a part of its hash.
pub(crate) fn tag(text: &[u8]) -> String {
    format!("\"{}\"", hex::encode(&Sha256::digest(text)[..12]))
}

/// A text with its `ETag`; 304 without the text where the client has it (RFC 9110, 13.1.2).
pub(crate) fn unless_known(
    headers: &HeaderMap,
    kind: &'static str,
    text: impl IntoResponse,
    tag: &str,
) -> Result<Response, Failure> {
    let known = headers.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    let mut known = known.flat_map(|value| value.split(','));
    let mut response = if known.any(|one| one.trim().trim_start_matches("W/") == tag) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        ([(header::CONTENT_TYPE, kind)], text).into_response()
    };
    let tag = HeaderValue::from_str(tag).map_err(|error| Failure::internal(error.to_string()))?;
    response.headers_mut().insert(header::ETAG, tag);
    Ok(response)
}

/// A body with its `ETag`.
pub(crate) fn tagged(headers: &HeaderMap, body: &impl Serialize) -> Result<Response, Failure> {
    let text = serde_json::to_vec(body).map_err(|error| Failure::internal(error.to_string()))?;
    let tag = tag(&text);
    let mut response = unless_known(headers, "application/json", text, &tag)?;
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    Ok(response)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn headers(name: &'static str, value: &str) -> HeaderMap {
        [(http::HeaderName::from_static(name), value.parse().unwrap())].into_iter().collect()
    }

    #[test]
    fn a_key_names_the_question_and_must_agree_with_its_body() {
        let id = "6f9619ff-8b86-4011-b42d-00c04fc964ff";
        let key = |value: &str, own: Option<&str>| {
            let mut question = Question::new("q");
            question.request_id = own.and_then(RequestId::parse);
            named(&mut question, key(&headers(KEY, value))?)?;
            Ok::<_, Failure>(question.request_id.unwrap().to_string())
        };
        assert_eq!(key(id, None).unwrap(), id);
        assert_eq!(key(&format!("\"{id}\""), Some(id)).unwrap(), id);
        assert_eq!(key("order 7", None).unwrap(), key("order 7", None).unwrap());
        assert_ne!(key("order 7", None).unwrap(), key("order 8", None).unwrap());
        for (value, own) in [("", None), (&*"x".repeat(256), None), ("order 7", Some(id))] {
            assert_eq!(key(value, own).unwrap_err().field, KEY);
        }
    }

    #[tokio::test]
    async fn a_stream_that_goes_on_withdraws_and_counts_on() {
        let mut question = Question::new("q");
        assert_eq!(last_event(&question, &headers(LAST_EVENT, "3")).unwrap_err().field, "request_id");
        question.request_id = RequestId::parse("6f9619ff-8b86-4011-b42d-00c04fc964ff");
        assert_eq!(last_event(&question, &headers(LAST_EVENT, "x")).unwrap_err().field, LAST_EVENT);
        assert_eq!(last_event(&question, &HeaderMap::new()).unwrap(), None);
        let last = last_event(&question, &headers(LAST_EVENT, "3")).unwrap();
        let event = |sequence| AnswerEvent { sequence, attempt: 1, body: EventBody::Segment("a".into()) };
        let numbers = async |last| {
            let events = resumed(stream::iter([event(0), event(1)]), last);
            events.map(|event| event.sequence).collect::<Vec<_>>().await
        };
        assert_eq!(numbers(last).await, [4, 5, 6]);
        assert_eq!(numbers(None).await, [0, 1]);
    }

    #[test]
    fn a_body_that_the_client_has_is_not_sent_again() {
        let sent = tagged(&HeaderMap::new(), &serde_json::json!({"a": 1})).unwrap();
        let tag = sent.headers()[header::ETAG].to_str().unwrap().to_owned();
        let again = |tag: &str| {
            tagged(&headers("if-none-match", tag), &serde_json::json!({"a": 1})).unwrap().status()
        };
        assert_eq!(
            (sent.status(), again(&tag), again("\"x\"")),
            (StatusCode::OK, StatusCode::NOT_MODIFIED, StatusCode::OK)
        );
        assert_eq!(again(&format!("\"x\", W/{tag}")), StatusCode::NOT_MODIFIED);
    }
}
