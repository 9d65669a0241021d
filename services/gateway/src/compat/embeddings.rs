//! OpenAI's embeddings: vectors of texts from the model of the index.

use std::sync::Arc;

use assay_api::responses as api;
use assay_domain::{Code, Failure};
use axum::extract::{Extension, Request, State};
use axum::response::Response;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::StatusCode;
use serde_json::{Map, Value};

use super::chat::invalid;
use crate::authorize::Caller;
use crate::body;
use crate::json;
use crate::problem::Problem;
use crate::routes::context;
use crate::shared::{Shared, json_response};

/// Most texts of a request.
const MOST_TEXTS: usize = 256;

/// `POST /v1/embeddings`.
pub(super) async fn embed(
    State(shared): State<Arc<Shared>>,
    Extension(caller): Extension<Caller>,
    request: Request,
) -> Result<Response, Problem> {
    let wanted = body::of(request, &shared.options, |bytes, _| wanted(&json::object(bytes)?)).await?;
    let (texts, base64, dimensions) = wanted;
    let context = context(&shared.options, caller);
    let found = context.within(shared.library.embed(&context, texts)).await??;
    let length = found.vectors.first().map_or(0, |vector| vector.values.len());
    if dimensions.is_some_and(|wanted| wanted != length) {
        let text = format!("the vectors of this index have {length} components; leave `dimensions` out");
        return Err(invalid("dimensions", text).into());
    }
    let vector = |values: Vec<f32>| match base64 {
        true => {
            let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
            api::Vector::Base64(STANDARD.encode(bytes))
        }
        false => api::Vector::Floats(values),
    };
    let data = found.vectors.into_iter().enumerate().map(|(index, found)| api::Embedding {
        object: "embedding",
        index,
        embedding: vector(found.values),
    });
    let reply = api::Embeddings {
        object: "list",
        data: data.collect(),
        model: found.embedding_model,
        usage: api::EmbeddingUsage::default(),
    };
    Ok(json_response(StatusCode::OK, &reply))
}

/// The texts, whether they are wanted as base64, and how long vectors have to be.
fn wanted(fields: &Map<String, Value>) -> Result<(Vec<String>, bool, Option<usize>), Failure> {
    let text = |value: &Value| match value.as_str() {
        Some(text) if !text.is_empty() => Ok(text.to_owned()),
        Some(_) => Err(invalid("input", "an empty text has no vector")),
        None => Err(invalid("input", "`input` must be a text or a list of texts; tokens are not read")),
    };
    let texts = match fields.get("input") {
        Some(Value::Array(items)) => items.iter().map(text).collect::<Result<Vec<_>, _>>()?,
        Some(other) => vec![text(other)?],
        None => return Err(invalid("input", "the field `input` is missing; it holds the texts")),
    };
    if !(1..=MOST_TEXTS).contains(&texts.len()) {
        let text = format!("`input` has {} texts; send 1 to {MOST_TEXTS}", texts.len());
        return Err(Failure::new(Code::InvalidArgument, text).field("input"));
    }
    let base64 = match fields.get("encoding_format").map(Value::as_str) {
        None | Some(Some("float")) => false,
        Some(Some("base64")) => true,
        Some(_) => return Err(invalid("encoding_format", "`encoding_format` must be `float` or `base64`")),
    };
    let dimensions = match fields.get("dimensions") {
        None | Some(Value::Null) => None,
        Some(given) => {
            let number = given.as_u64().and_then(|number| usize::try_from(number).ok());
            Some(number.ok_or_else(|| invalid("dimensions", "`dimensions` must be a number"))?)
        }
    };
    Ok((texts, base64, dimensions))
}
