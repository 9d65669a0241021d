//! `docs/openapi.json` is made from the structs that are sent and from the page of the HTTP API, and the gateway serves
//! what it says. Run with ASSAY_WRITE=1 it is written instead of compared.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod scripted;

use assay_api::{self as api, ollama, openai, responses};
use assay_domain::{Code, Named as _};
use schemars::generate::SchemaSettings;
use schemars::transform::ReplaceBoolSchemas;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value, json};

use scripted::Bench;

const PAGE: &str = include_str!("../../../docs/http-api.md");
const DOCUMENT: &str = include_str!("../../../docs/openapi.json");

/// What stands between a heading of the page and the next one.
fn section(heading: &str) -> &'static str {
    let (_, rest) = PAGE.split_once(&format!("\n{heading}\n")).unwrap_or_else(|| panic!("no {heading}"));
    rest.split("\n#").next().unwrap_or_default()
}

/// The text without its links.
fn plain(text: &str) -> String {
    let mut plain = text.to_owned();
    while let Some(middle) = plain.find("](") {
        let begin = plain[..middle].rfind('[').unwrap();
        let end = middle + plain[middle..].find(')').unwrap();
        let words = plain[begin + 1..middle].to_owned();
        plain.replace_range(begin..=end, &words);
    }
    plain
}

/// Every route of the page: method, path, roles, what it does. Roles are none where it is open, and empty where any do.
fn routes() -> Vec<(&'static str, &'static str, Option<Vec<&'static str>>, String)> {
    let rows = section("## Routes").lines().filter_map(|line| line.strip_prefix("| `"));
    rows.map(|row| {
        let mut cells = row.trim_end_matches(" |").split(" | ");
        let (method, path) = cells.next().unwrap().trim_end_matches('`').split_once(' ').unwrap();
        let roles = cells.next().filter(|cell| *cell != "open");
        let roles = roles.map(|cell| cell.split('`').skip(1).step_by(2).collect());
        (method, path, roles, plain(cells.next().unwrap()))
    })
    .collect()
}

/// Schemas of what is sent and of what is read; each name stands once.
struct Schemas {
    sent: SchemaGenerator,
    read: SchemaGenerator,
}

impl Schemas {
    fn new() -> Self {
        let mut no_bools = ReplaceBoolSchemas::default();
        no_bools.skip_additional_properties = true;
        let settings = || {
            // Generators of clients do not know `true` as a schema.
            SchemaSettings::draft2020_12()
                .with(|settings| settings.definitions_path = "/components/schemas".into())
                .with_transform(no_bools.clone())
        };
        Self { sent: settings().for_serialize().into_generator(), read: settings().into_generator() }
    }

    fn sent<T: JsonSchema>(&mut self) -> Value {
        json!(self.sent.subschema_for::<T>())
    }

    fn read<T: JsonSchema>(&mut self) -> Value {
        json!(self.read.subschema_for::<T>())
    }

    fn json<T: JsonSchema>(&mut self) -> Value {
        json!({"application/json": {"schema": self.sent::<T>()}})
    }

    /// The fields of a struct as parameters of an address.
    fn parameters<T: JsonSchema>(&mut self) -> Vec<Value> {
        let schema = json!(T::json_schema(&mut self.read));
        let required = schema["required"].as_array().cloned().unwrap_or_default();
        let properties = schema["properties"].as_object().unwrap();
        let parameter = |(name, schema): (&String, &Value)| {
            let mut schema = schema.clone();
            let description = schema.as_object_mut().unwrap().shift_remove("description");
            // An address cannot say null: a parameter is there or not.
            for field in ["type", "enum"] {
                if let Some(all) = schema.get_mut(field).and_then(Value::as_array_mut) {
                    all.retain(|one| !one.is_null() && one != "null");
                }
            }
            let listed = schema["type"] == "array" || schema["type"] == json!(["array"]);
            let mut parameter = json!({"name": name, "in": "query", "required": required.contains(&json!(name)),
                "description": description, "schema": schema});
            if listed {
                // With commas between.
                parameter["style"] = "form".into();
                parameter["explode"] = false.into();
            }
            parameter
        };
        properties.iter().map(parameter).collect()
    }
}

/// In whose words a route tells of a failure.
#[derive(Clone, Copy)]
enum Form {
    Ours,
    OpenAi,
    Ollama,
}

impl Form {
    fn of(path: &str) -> Self {
        match path {
            "/v1/chat/completions"
            | "/v1/models"
            | "/v1/models/{id}"
            | "/v1/responses"
            | "/v1/embeddings" => Self::OpenAi,
            _ if path.starts_with("/api/") => Self::Ollama,
            _ => Self::Ours,
        }
    }

    fn name(self, status: u16) -> String {
        let name = match self {
            Self::Ours => "Problem",
            Self::OpenAi => "OpenAiError",
            Self::Ollama => "OllamaError",
        };
        format!("{name}{status}")
    }

    /// The response of a status, whose codes are these.
    fn response(self, codes: &[&str], schemas: &mut Schemas) -> Value {
        let (kind, schema) = match self {
            Self::Ours => ("application/problem+json", schemas.sent::<api::Problem<'_>>()),
            Self::OpenAi => ("application/json", schemas.sent::<openai::Error<'_>>()),
            Self::Ollama => ("application/json", schemas.sent::<ollama::Error<'_>>()),
        };
        let description = format!("`{}`", codes.join("`, `"));
        json!({"description": description, "x-codes": codes, "content": {kind: {"schema": schema}}})
    }
}

/// The codes of an HTTP status. A body that is no JSON is an argument, and HTTP has a status of its own for it.
fn codes(status: u16) -> Vec<&'static str> {
    if status == 415 {
        return vec![Code::InvalidArgument.as_str()];
    }
    let table = assay_wire::error::table();
    table.filter(|row| row.http == status).map(|row| row.code.as_str()).collect()
}

/// What a route refuses with. Every host and origin is looked at, and every credential where a role is needed.
fn refusals(method: &str, path: &str, open: bool) -> Vec<u16> {
    let mut all = vec![403];
    if !open {
        all.extend([401, 429]);
    }
    match (method, path) {
        ("GET", "/errors/{code}" | "/v1/models/{id}" | "/console/{file}") => all.push(404),
        ("GET", "/v1/evaluations") => all.push(500),
        ("GET", "/v1/evaluations/compare") => all.extend([400, 404, 500]),
        ("GET", "/v1/evaluations/{name}/report") => all.extend([404, 500]),
        ("GET", "/readyz") => all.push(503),
        ("GET", "/sign-in") => all.extend([400, 404, 500, 503]),
        ("GET", "/sign-in/callback") => all.extend([401, 404, 413, 429, 500, 503]),
        ("POST", path)
            if path.starts_with("/v1/reviews") || path.ends_with("/feedback") || path == "/v1/erase" =>
        {
            all.extend([400, 404, 409, 413, 415, 499, 500, 501, 503, 504]);
        }
        (
            "GET",
            "/v1/search"
            | "/v1/collections"
            | "/v1/audit"
            | "/v1/audit/{id}"
            | "/v1/reviews"
            | "/v1/reviews/rates"
            | "/v1/audit/verify"
            | "/v1/audit/{id}/receipt"
            | "/v1/collections/{name}"
            | "/v1/collections/{name}/lines",
        ) => {
            all.extend([400, 404, 500, 501, 503, 504]);
        }
        ("GET", "/v1/collections/{name}/lint") => all.extend([400, 404, 413, 500, 501, 503, 504]),
        ("POST", "/api/show") => all.extend([400, 404, 413, 499, 504]),
        ("POST", "/v1/check" | "/v1/parse") => all.extend([400, 413, 415, 499, 500, 501, 503, 504]),
        ("POST", "/v1/ask") => all.extend([400, 404, 409, 413, 415, 499, 500, 501, 503, 504]),
        ("POST", "/v1/embeddings") => all.extend([400, 413, 415, 499, 500, 501, 503, 504]),
        ("POST", "/v1/chat/completions" | "/v1/responses") => {
            all.extend([400, 404, 409, 413, 415, 422, 499, 500, 501, 503, 504]);
        }
        ("POST", _) => all.extend([400, 404, 409, 413, 422, 499, 500, 501, 503, 504]),
        _ => {}
    }
    all.sort_unstable();
    all
}

/// The text of a page.
fn text(kind: &str) -> Value {
    json!({kind: {"schema": {"type": "string"}}})
}

/// What a route takes and what it answers with 200: parameters, body, content.
fn taken(path: &str, schemas: &mut Schemas) -> (Vec<Value>, Value, Value) {
    let none = Vec::new;
    let inside = |name: &str, description: &str| {
        vec![json!({"name": name, "in": "path", "required": true, "description": description,
            "schema": {"type": "string"}})]
    };
    let header = |name: &str, schema: Value| json!({"name": name, "in": "header", "schema": schema});
    let wishes = vec![
        header("Assay-Session", json!({"type": "string"})),
        header("Assay-Reject", json!({"type": "string", "enum": ["error"]})),
        header("Assay-Footnotes", json!({"type": "string", "enum": ["true", "false"]})),
    ];
    match path {
        "/" | "/review" | "/records" | "/evaluation" | "/index" => (none(), Value::Null, text("text/html")),
        "/records/{id}" => (inside("id", "A UUID of version 7."), Value::Null, text("text/html")),
        "/console/{file}" => (inside("file", "A script or style."), Value::Null, text("text/javascript")),
        "/v1/audit/{id}/receipt" => {
            let mut parameters = inside("id", "A UUID of version 7.");
            parameters.extend(schemas.parameters::<api::ReceiptParameters>());
            (parameters, Value::Null, schemas.json::<api::ReceiptFile<'_>>())
        }
        "/v1/audit/verify" => (none(), Value::Null, schemas.json::<api::Verified<'_>>()),
        "/v1/collections/{name}" => {
            (inside("name", "A collection."), Value::Null, schemas.json::<api::Collection<'_>>())
        }
        "/v1/collections/{name}/lines" => {
            let mut parameters = inside("name", "A collection.");
            parameters.extend(schemas.parameters::<api::LinesParameters>());
            (parameters, Value::Null, schemas.json::<api::Lines<'_>>())
        }
        "/v1/collections/{name}/lint" => {
            (inside("name", "A collection."), Value::Null, schemas.json::<api::LintReport<'_>>())
        }
        "/v1/evaluations" => (none(), Value::Null, schemas.json::<api::Runs<'_>>()),
        "/v1/evaluations/compare" => {
            let parameters = schemas.parameters::<api::CompareParameters>();
            (parameters, Value::Null, schemas.json::<api::Comparison<'_>>())
        }
        "/v1/evaluations/{name}/report" => (inside("name", "A run."), Value::Null, text("text/html")),
        "/errors/{code}" => {
            let mut code = inside("code", "An error code.");
            code[0]["schema"]["enum"] = json!(Code::NAMES);
            (code, Value::Null, text("text/markdown"))
        }
        "/openapi.json" => (none(), Value::Null, json!({"application/json": {"schema": {"type": "object"}}})),
        "/healthz" => (none(), Value::Null, schemas.json::<api::Alive>()),
        "/readyz" => (none(), Value::Null, schemas.json::<api::Ready<'_>>()),
        "/sign-in" => {
            let go_on = json!({"name": "return", "in": "query", "description": "Path to go on to.",
                "schema": {"type": "string"}});
            (vec![go_on], Value::Null, Value::Null)
        }
        "/sign-in/callback" => (none(), Value::Null, text("text/html")),
        "/sign-out" => (none(), Value::Null, Value::Null),
        "/v1/me" => (none(), Value::Null, schemas.json::<api::Me<'_>>()),
        "/v1/sign-in" => (none(), Value::Null, schemas.json::<api::SignIn<'_>>()),
        "/v1/ask" => {
            let fields = [schemas.read::<api::Asked>(), schemas.read::<api::Settings>()];
            let mut content = schemas.json::<api::Answer<'_>>();
            content["text/event-stream"] = json!({"schema": schemas.sent::<api::Event<'_>>()});
            (none(), json!({"allOf": fields, "unevaluatedProperties": false}), content)
        }
        "/v1/search" => {
            let parameters = schemas.parameters::<api::SearchParameters>();
            (parameters, Value::Null, schemas.json::<api::Searched<'_>>())
        }
        "/v1/check" => {
            let one_or_many = [schemas.read::<api::ToCheck>(), schemas.read::<api::Batch<api::ToCheck>>()];
            let answers = [
                schemas.sent::<api::Recorded<api::Checked<'_>>>(),
                schemas.sent::<api::Results<api::Recorded<api::Checked<'_>>>>(),
            ];
            let content = json!({"application/json": {"schema": {"anyOf": answers}}});
            (schemas.parameters::<api::RecordParameters>(), json!({"anyOf": one_or_many}), content)
        }
        "/v1/parse" => {
            let one_or_many = [schemas.read::<api::ToParse>(), schemas.read::<api::Batch<api::ToParse>>()];
            let answers = [
                schemas.sent::<api::Recorded<api::Parsed<'_>>>(),
                schemas.sent::<api::Results<api::Recorded<api::Parsed<'_>>>>(),
            ];
            let content = json!({"application/json": {"schema": {"anyOf": answers}}});
            (schemas.parameters::<api::RecordParameters>(), json!({"anyOf": one_or_many}), content)
        }
        "/v1/collections" => (none(), Value::Null, schemas.json::<api::Collections<'_>>()),
        "/v1/audit" => {
            let parameters = schemas.parameters::<api::RecordsParameters>();
            (parameters, Value::Null, schemas.json::<api::Records<'_>>())
        }
        "/v1/audit/{id}" => {
            let id = inside("id", "A UUID of version 7.");
            (id, Value::Null, schemas.json::<api::Stored<'_>>())
        }
        "/v1/audit/{id}/feedback" => {
            let id = inside("id", "A UUID of version 7.");
            (id, schemas.read::<api::Feedback>(), schemas.json::<api::Receipt<'_>>())
        }
        "/v1/reviews" => {
            let parameters = schemas.parameters::<api::ReviewsParameters>();
            (parameters, Value::Null, schemas.json::<api::Reviews<'_>>())
        }
        "/v1/reviews/rates" => {
            let parameters = schemas.parameters::<api::RatesParameters>();
            (parameters, Value::Null, schemas.json::<api::ReviewRates<'_>>())
        }
        "/v1/reviews/{id}/claim" | "/v1/reviews/{id}/release" => {
            (inside("id", "A UUID of version 7."), Value::Null, schemas.json::<api::Claimed>())
        }
        "/v1/reviews/{id}/decision" => {
            let id = inside("id", "A UUID of version 7.");
            (id, schemas.read::<api::Decision>(), schemas.json::<api::Receipt<'_>>())
        }
        "/v1/erase" => (none(), schemas.read::<api::Erasing>(), schemas.json::<api::Erased<'_>>()),
        "/metrics" => {
            let mut content = text("application/openmetrics-text");
            content["text/plain"] = json!({"schema": {"type": "string"}});
            (none(), Value::Null, content)
        }
        "/v1/responses" => {
            let mut content = schemas.json::<responses::Response>();
            content["text/event-stream"] = json!({"schema": {"type": "object",
                "properties": {"type": {"type": "string"}, "sequence_number": {"type": "integer"}}}});
            (wishes, schemas.read::<responses::Request>(), content)
        }
        "/v1/embeddings" => {
            (none(), schemas.read::<responses::EmbeddingRequest>(), schemas.json::<responses::Embeddings>())
        }
        "/v1/chat/completions" => {
            let mut content = schemas.json::<openai::Completion<'_>>();
            let data = [
                schemas.sent::<openai::Chunk<'_>>(),
                schemas.sent::<openai::Error<'_>>(),
                json!({"const": "[DONE]"}),
            ];
            content["text/event-stream"] = json!({"schema": {"anyOf": data}});
            (wishes, schemas.read::<openai::Request>(), content)
        }
        "/v1/models" => (none(), Value::Null, schemas.json::<openai::Models>()),
        "/v1/models/{id}" => {
            let id = inside("id", "Name of a model; it may hold a slash.");
            (id, Value::Null, schemas.json::<openai::Model>())
        }
        "/api/chat" | "/api/generate" => {
            let mut content = schemas.json::<ollama::Line<'_>>();
            let lines = [schemas.sent::<ollama::Line<'_>>(), schemas.sent::<ollama::Error<'_>>()];
            content["application/x-ndjson"] = json!({"schema": {"anyOf": lines}});
            (wishes, schemas.read::<ollama::Request>(), content)
        }
        "/api/tags" | "/api/ps" => (none(), Value::Null, schemas.json::<ollama::Models>()),
        "/api/version" => (none(), Value::Null, schemas.json::<ollama::Version>()),
        "/api/show" => (none(), schemas.read::<ollama::Show>(), schemas.json::<ollama::Shown>()),
        _ => panic!("say here what {path} takes"),
    }
}

fn document() -> Value {
    let mut schemas = Schemas::new();
    let (mut paths, mut responses) = (Map::new(), Map::new());
    for (method, path, roles, does) in routes() {
        let path = path.replace("{*", "{");
        let (parameters, body, content) = taken(&path, &mut schemas);
        let mut answers = match path.as_str() {
            "/sign-in" => json!({"302": {"description": "The way to the issuer."}}),
            "/sign-out" => json!({"204": {"description": "The token is forgotten."}}),
            _ => json!({"200": {"description": "What was asked for.", "content": content}}),
        };
        let open = roles.is_none();
        for status in refusals(method, &path, open) {
            let (form, codes) = (Form::of(&path), codes(status));
            // A person reads it, unless the request is one of another site.
            if path == "/sign-in/callback" && status != 403 {
                let description = format!("`{}`", codes.join("`, `"));
                answers[status.to_string()] =
                    json!({"description": description, "content": text("text/html")});
                continue;
            }
            let name = form.name(status);
            responses.entry(name.clone()).or_insert_with(|| form.response(&codes, &mut schemas));
            answers[status.to_string()] = json!({"$ref": format!("#/components/responses/{name}")});
        }
        if path == "/v1/ask" {
            let content = schemas.json::<api::Rejected<'_>>();
            answers["422"] = json!({"description": "`answer_rejected`", "content": content});
        }
        let mut operation = json!({"summary": does, "x-roles": roles.unwrap_or_default()});
        if open {
            operation["security"] = json!([]);
        }
        if !parameters.is_empty() {
            operation["parameters"] = json!(parameters);
        }
        if !body.is_null() {
            operation["requestBody"] =
                json!({"required": true, "content": {"application/json": {"schema": body}}});
        }
        operation["responses"] = answers;
        let methods = paths.entry(path).or_insert_with(|| json!({}));
        methods[method.to_ascii_lowercase()] = operation;
    }
    responses.sort_keys();
    let mut all = schemas.sent.take_definitions(true);
    for (name, schema) in schemas.read.take_definitions(true) {
        assert!(all.insert(name.clone(), schema).is_none(), "{name} is both sent and read");
    }
    all.sort_keys();
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Assay",
            "version": env!("CARGO_PKG_VERSION"),
            "summary": "Answers questions over documentation and checks every answer before it is delivered.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "security": [{"bearer": []}, {"key": []}],
        "paths": paths,
        "components": {
            "schemas": all,
            "responses": responses,
            "securitySchemes": {
                "bearer": {"type": "http", "scheme": "bearer", "description": "A key or token, where any is configured."},
                "key": {"type": "apiKey", "in": "header", "name": "x-api-key", "description": "The same key."},
            },
        },
    })
}

#[test]
fn the_document_is_the_one_of_the_structs() {
    let fresh = format!("{:#}\n", document());
    if std::env::vars_os().any(|(key, _)| key == "ASSAY_WRITE") {
        std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/openapi.json"), fresh).unwrap();
        return;
    }
    assert!(DOCUMENT == fresh, "docs/openapi.json says something else than the structs; run `make diagrams`");
}

/// An address with every parameter that its operation takes, with the values that the scripts expect.
fn address(path: &str, operation: &Value) -> String {
    let mut address = path.to_owned();
    for parameter in operation["parameters"].as_array().into_iter().flatten() {
        let (name, schema) = (parameter["name"].as_str().unwrap(), &parameter["schema"]);
        let names = schema["enum"].as_array().or(schema["items"]["enum"].as_array());
        let last = names.and_then(|names| names.last()?.as_str());
        let value = match (name, last) {
            ("id", _) if path.starts_with("/v1/audit") || path.starts_with("/records") => scripted::AUDIT_ID,
            ("file", _) => "page.js",
            ("return", _) => "/",
            ("id", _) => "assay/code",
            (_, Some(last)) => last,
            _ if schema["type"] == "boolean" || schema["type"] == json!(["boolean"]) => "true",
            _ => "3",
        };
        if parameter["in"] == "path" {
            address = address.replace(&format!("{{{name}}}"), value);
        } else {
            let mark = if address.contains('?') { '&' } else { '?' };
            address += &format!("{mark}{name}={value}");
        }
    }
    address
}

#[tokio::test]
async fn the_gateway_serves_every_route_of_its_document() {
    let bench = Bench::start().await;
    let served = bench.get("/openapi.json").await;
    assert_eq!((served.status, served.header("content-type")), (200, "application/json".to_owned()));
    assert_eq!(served.text(), DOCUMENT);
    let document = served.json();
    let mut documented = Vec::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            documented.push((method.to_ascii_uppercase(), path.clone()));
            let reply = match method.as_str() {
                "get" => bench.get(&address(path, operation)).await,
                _ => bench.post(path, b"{}", "").await,
            };
            let expected = match (method.as_str(), path.as_str()) {
                // Nobody signs in at this gateway, and it has no runs.
                (
                    "get",
                    "/sign-in"
                    | "/sign-in/callback"
                    | "/v1/evaluations/compare"
                    | "/v1/evaluations/{name}/report",
                ) => 404,
                ("get", _) => 200,
                (_, "/sign-out") => 204,
                _ => 400,
            };
            assert_eq!(reply.status, expected, "{method} {path}: {}", reply.text());
            let known = operation["responses"].get(reply.status.to_string());
            assert!(known.is_some(), "{method} {path} does not say that it answers {}", reply.status);
        }
    }
    let listed: Vec<(String, String)> =
        routes().into_iter().map(|(method, path, ..)| (method.to_owned(), path.replace("{*", "{"))).collect();
    assert_eq!(documented, listed);
    bench.stop().await;
}

/// Every reference of a value.
fn references<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
    match value {
        Value::Object(fields) => {
            found.extend(fields.get("$ref").and_then(Value::as_str));
            fields.values().for_each(|value| references(value, found));
        }
        Value::Array(items) => items.iter().for_each(|item| references(item, found)),
        _ => {}
    }
}

#[test]
fn every_reference_leads_somewhere_and_nothing_is_unused() {
    let document: Value = serde_json::from_str(DOCUMENT).unwrap();
    let mut found = Vec::new();
    references(&document, &mut found);
    for reference in &found {
        assert!(document.pointer(&reference[1..]).is_some(), "{reference}");
    }
    for part in ["schemas", "responses"] {
        for name in document["components"][part].as_object().unwrap().keys() {
            let reference = format!("#/components/{part}/{name}");
            assert!(found.contains(&reference.as_str()), "nothing leads to {reference}");
        }
    }
}

/// The rows of a table of the page: field, type, meaning.
fn rows(heading: &str) -> Vec<[String; 3]> {
    let rows =
        section(heading).lines().filter(|line| line.starts_with("| `") || line.starts_with("| [Span]"));
    rows.map(|row| {
        let cells: Vec<String> = row.trim_matches('|').split(" | ").map(|cell| plain(cell.trim())).collect();
        [cells[0].replace('`', ""), cells[1].clone(), cells.last().unwrap().trim_end().to_owned()]
    })
    .collect()
}

/// The sentence of a meaning: it begins with a capital and ends with a full stop.
fn sentence(meaning: &str) -> String {
    let mut letters = meaning.chars();
    letters.next().map(|first| format!("{}{}.", first.to_uppercase(), letters.as_str())).unwrap_or_default()
}

fn description(schema: &Value) -> String {
    schema["description"].as_str().unwrap_or_default().replace('\n', " ")
}

/// Fields whose row refers to another one that has the values.
const NAMED_ELSEWHERE: [&str; 6] = [
    "Answer.query_type",
    "Failure.code",
    "Problem.code",
    "Searched.mode",
    "Record.grounding",
    "RecordedAttempt.verdict",
];

#[test]
fn every_table_of_the_page_says_what_the_document_says() {
    let document: Value = serde_json::from_str(DOCUMENT).unwrap();
    let schemas = &document["components"]["schemas"];
    let mut elsewhere = Vec::new();
    for (heading, name) in [
        ("### Answer", "Answer"),
        ("### Route", "Route"),
        ("### Source", "Source"),
        ("### Citation", "Citation"),
        ("### Check", "Check"),
        ("### Claim", "Claim"),
        ("### Evidence", "Evidence"),
        ("### Defect", "Defect"),
        ("### Code block", "CodeBlock"),
        ("### Diagnostic", "Diagnostic"),
        ("### Audit", "Audit"),
        ("### Timing", "Timing"),
        ("### Usage", "Usage"),
        ("### Rejection", "Rejection"),
        ("### Validation", "Validation"),
        ("### Finding", "Finding"),
        ("### Span", "Span"),
        ("### Failure", "Failure"),
        ("### Problem", "Problem"),
        ("### Hit", "Hit"),
        ("### Search result", "Searched"),
        ("### Manifest", "Manifest"),
        ("### Lint", "Lint"),
        ("### Comparison", "Comparison"),
        ("### Difference", "Difference"),
        ("### Lint report", "LintReport"),
        ("### Lint finding", "LintFinding"),
        ("### Record", "Record"),
        ("### Note", "Note"),
        ("### Receipt", "Receipt"),
        ("### Recorded validation", "RecordedValidation"),
        ("### Model use", "ModelUse"),
        ("### Recorded citation", "RecordedCitation"),
        ("### Recorded attempt", "RecordedAttempt"),
        ("### Prompt", "Prompt"),
        ("### Provider call", "ProviderCall"),
    ] {
        let properties =
            schemas[name]["properties"].as_object().unwrap_or_else(|| panic!("no schema {name}"));
        for [field, kind, meaning] in rows(heading) {
            if field == "Span" {
                continue;
            }
            let schema = properties.get(&field).unwrap_or_else(|| panic!("{name} lacks {field}"));
            assert_eq!(description(schema), sentence(&meaning), "{heading}: {field}");
            let nullable = schema["type"].as_array().is_some_and(|kinds| kinds.contains(&json!("null")))
                || schema["anyOf"].as_array().is_some_and(|all| all.contains(&json!({"type": "null"})));
            assert_eq!(
                nullable,
                kind.ends_with("or null") || meaning.contains("left out"),
                "{heading}: {field}"
            );
            // A stream may settle a request that broke, too.
            if (name, field.as_str()) == ("Answer", "outcome") {
                continue;
            }
            let listed = schema["enum"].as_array().into_iter().flatten().filter_map(Value::as_str);
            let lacks = listed.filter(|value| !value.is_empty() && !meaning.contains(&format!("`{value}`")));
            if lacks.count() > 0 {
                elsewhere.push(format!("{name}.{field}"));
            }
        }
    }
    assert_eq!(elsewhere, NAMED_ELSEWHERE, "the values of these are in another row");
    let request = [&schemas["Asked"]["properties"], &schemas["Settings"]["properties"]];
    for [field, _, meaning] in rows("### Request") {
        let schema =
            request.iter().find_map(|fields| fields.get(&field)).unwrap_or_else(|| panic!("no {field}"));
        assert_eq!(description(schema), sentence(&meaning), "{field}");
    }
    for (heading, path) in
        [("## Search", "/v1/search"), ("## Records", "/v1/audit"), ("## Reviews", "/v1/reviews")]
    {
        let parameters = document["paths"][path]["get"]["parameters"].as_array().unwrap();
        let known = parameters.iter().map(|known| (known["name"].as_str().unwrap(), description(known)));
        let rows = rows(heading);
        let listed = rows.iter().map(|[name, _, meaning]| (name.as_str(), sentence(meaning)));
        assert_eq!(listed.collect::<Vec<_>>(), known.collect::<Vec<_>>());
    }
}
