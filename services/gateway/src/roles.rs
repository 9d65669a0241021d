//! Who may do what: the one table of HTTP routes and the one table of forwarded methods, each with the roles it takes.
//!
//! A route or method without a row is not served at all, so a new one cannot be open by accident. `docs/identity.md`
//! shows both tables; a test compares them.

use assay_domain::{Code, Failure, Identity, Role};
use http::Method;

/// What a caller must be to come in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Needs {
    /// Nothing: pages that hold no data, and health.
    Open,
    /// A good credential, whatever its roles.
    Known,
    /// Any one of these roles.
    Any(&'static [Role]),
}

/// Asking, and reading what answers are made of.
const ASK: Needs = Needs::Any(&[Role::Ask]);
/// Reading records: one's own, or with `review` or `admin` those of the tenant; the audit service draws the line.
const RECORDS: Needs = Needs::Any(&[Role::Ask, Role::Review, Role::Admin]);
/// Seeing which collections there are and what stands in them, as whoever judges a citation must.
const COLLECTIONS: Needs = Needs::Any(&[Role::Ask, Role::Ingest, Role::Review, Role::Admin]);
/// Writing to collections.
const INGEST: Needs = Needs::Any(&[Role::Ingest]);
/// Deciding reviews.
const REVIEW: Needs = Needs::Any(&[Role::Review]);
/// Erasing what people asked and said.
const ERASE: Needs = Needs::Any(&[Role::Erase]);
/// What concerns the whole system.
const ADMIN: Needs = Needs::Any(&[Role::Admin]);

/// Every HTTP route: method, path as the router knows it, what it takes. `HEAD` counts as `GET`.
pub(crate) const ROUTES: &[(Method, &str, Needs)] = &[
    (Method::GET, "/", Needs::Open),
    (Method::GET, "/review", Needs::Open),
    (Method::GET, "/records", Needs::Open),
    (Method::GET, "/records/{id}", Needs::Open),
    (Method::GET, "/evaluation", Needs::Open),
    (Method::GET, "/index", Needs::Open),
    (Method::GET, "/console/{file}", Needs::Open),
    (Method::GET, "/errors/{code}", Needs::Open),
    (Method::GET, "/openapi.json", Needs::Open),
    (Method::GET, "/healthz", Needs::Open),
    (Method::GET, "/readyz", Needs::Open),
    (Method::GET, "/sign-in", Needs::Open),
    (Method::GET, "/sign-in/callback", Needs::Open),
    (Method::POST, "/sign-out", Needs::Open),
    (Method::GET, "/v1/me", Needs::Known),
    (Method::GET, "/v1/sign-in", Needs::Open),
    (Method::POST, "/v1/ask", ASK),
    (Method::GET, "/v1/search", ASK),
    (Method::POST, "/v1/check", ASK),
    (Method::POST, "/v1/parse", ASK),
    (Method::GET, "/v1/collections", COLLECTIONS),
    (Method::GET, "/v1/collections/{name}", COLLECTIONS),
    (Method::GET, "/v1/collections/{name}/lines", COLLECTIONS),
    (Method::GET, "/v1/collections/{name}/lint", COLLECTIONS),
    (Method::GET, "/v1/evaluations", ADMIN),
    (Method::GET, "/v1/evaluations/compare", ADMIN),
    (Method::GET, "/v1/evaluations/{name}/report", ADMIN),
    (Method::GET, "/v1/audit", RECORDS),
    (Method::GET, "/v1/audit/verify", ADMIN),
    (Method::GET, "/v1/audit/{id}/receipt", RECORDS),
    (Method::GET, "/v1/audit/{id}", RECORDS),
    (Method::POST, "/v1/audit/{id}/feedback", RECORDS),
    (Method::GET, "/v1/reviews", REVIEW),
    (Method::GET, "/v1/reviews/rates", REVIEW),
    (Method::POST, "/v1/reviews/{id}/claim", REVIEW),
    (Method::POST, "/v1/reviews/{id}/release", REVIEW),
    (Method::POST, "/v1/reviews/{id}/decision", REVIEW),
    (Method::POST, "/v1/erase", ERASE),
    (Method::GET, "/metrics", ADMIN),
    (Method::POST, "/v1/chat/completions", ASK),
    (Method::POST, "/v1/responses", ASK),
    (Method::POST, "/v1/embeddings", ASK),
    (Method::GET, "/v1/models", ASK),
    (Method::GET, "/v1/models/{*id}", ASK),
    (Method::POST, "/api/chat", ASK),
    (Method::POST, "/api/generate", ASK),
    (Method::GET, "/api/tags", ASK),
    (Method::GET, "/api/ps", ASK),
    (Method::GET, "/api/version", ASK),
    (Method::POST, "/api/show", ASK),
];

/// Every method that the gRPC listener forwards. What is missing, such as appending a record, is for services alone.
pub(crate) const METHODS: &[(&str, Needs)] = &[
    ("brunix.AssistanceEngine/AskAgent", ASK),
    ("brunix.AssistanceEngine/AskAgentStream", ASK),
    ("brunix.AssistanceEngine/EvaluateRAG", ADMIN),
    ("assay.router.v1alpha1.RouterService/Ask", ASK),
    ("assay.router.v1alpha1.RouterService/AskStream", ASK),
    ("assay.router.v1alpha1.RouterService/Explain", ASK),
    ("assay.router.v1alpha1.RouterService/Classify", ASK),
    ("assay.router.v1alpha1.RouterService/Forget", ERASE),
    ("assay.retrieval.v1alpha1.RetrievalService/Search", ASK),
    ("assay.retrieval.v1alpha1.RetrievalService/FewShot", ASK),
    ("assay.retrieval.v1alpha1.RetrievalService/Lookup", ASK),
    ("assay.retrieval.v1alpha1.RetrievalService/ReadLines", COLLECTIONS),
    ("assay.retrieval.v1alpha1.RetrievalService/LintCollection", COLLECTIONS),
    ("assay.retrieval.v1alpha1.RetrievalService/Embed", ASK),
    ("assay.retrieval.v1alpha1.RetrievalService/ListCollections", COLLECTIONS),
    ("assay.retrieval.v1alpha1.RetrievalService/DescribeCollection", COLLECTIONS),
    ("assay.retrieval.v1alpha1.RetrievalService/DeleteCollection", INGEST),
    ("assay.retrieval.v1alpha1.RetrievalService/Ingest", INGEST),
    ("assay.audit.v1alpha1.AuditService/Get", RECORDS),
    ("assay.audit.v1alpha1.AuditService/List", RECORDS),
    ("assay.audit.v1alpha1.AuditService/Prove", RECORDS),
    ("assay.audit.v1alpha1.AuditService/Checkpoint", RECORDS),
    ("assay.audit.v1alpha1.AuditService/GiveFeedback", RECORDS),
    ("assay.audit.v1alpha1.AuditService/ListReviews", REVIEW),
    ("assay.audit.v1alpha1.AuditService/ClaimReview", REVIEW),
    ("assay.audit.v1alpha1.AuditService/DecideReview", REVIEW),
    ("assay.audit.v1alpha1.AuditService/ReviewRates", REVIEW),
    ("assay.audit.v1alpha1.AuditService/Verify", ADMIN),
    ("assay.audit.v1alpha1.AuditService/Export", ADMIN),
    ("assay.evaluation.v1alpha1.EvaluationService/EvaluateRAG", ADMIN),
    ("assay.evaluation.v1alpha1.EvaluationService/Score", ADMIN),
    ("assay.parser.v1alpha1.ParserService/Parse", ASK),
    ("assay.parser.v1alpha1.ParserService/ParseAnswer", ASK),
    ("assay.parser.v1alpha1.ParserService/Describe", ASK),
    ("assay.validation.v1alpha1.ValidationService/Check", ASK),
    ("assay.validation.v1alpha1.ValidationService/AssessRelevance", ASK),
    ("grpc.reflection.v1.ServerReflection/ServerReflectionInfo", Needs::Known),
    ("grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", Needs::Known),
];

/// Routes and methods that ask a question: whoever is known and refused there leaves a record.
const QUESTIONS: &[&str] = &[
    "/v1/ask",
    "/v1/chat/completions",
    "/v1/responses",
    "/api/chat",
    "/api/generate",
    "brunix.AssistanceEngine/AskAgent",
    "brunix.AssistanceEngine/AskAgentStream",
    "assay.router.v1alpha1.RouterService/Ask",
    "assay.router.v1alpha1.RouterService/AskStream",
];

/// Whether a route, or a method over gRPC, asks a question.
pub(crate) fn asks(path: &str) -> bool {
    QUESTIONS.contains(&path)
}

/// Why a matched route is not served.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Unserved {
    /// It has no row.
    NoRow,
    /// It has rows for these methods only; `GET` brings `HEAD`.
    OtherMethods(String),
}

/// What a route takes.
pub(crate) fn of_route(method: &Method, path: &str) -> Result<Needs, Unserved> {
    let asked = if *method == Method::HEAD { &Method::GET } else { method };
    let rows = || ROUTES.iter().filter(|(_, known, _)| *known == path);
    if let Some((_, _, needs)) = rows().find(|(known, _, _)| known == asked) {
        return Ok(*needs);
    }
    let methods: Vec<&str> = rows()
        .flat_map(
            |(known, _, _)| if *known == Method::GET { vec!["GET", "HEAD"] } else { vec![known.as_str()] },
        )
        .collect();
    if methods.is_empty() { Err(Unserved::NoRow) } else { Err(Unserved::OtherMethods(methods.join(", "))) }
}

/// What a gRPC method takes; `path` as in the request, with or without its leading slash. None if it is not forwarded.
pub(crate) fn of_method(path: &str) -> Option<Needs> {
    let path = path.strip_prefix('/').unwrap_or(path);
    METHODS.iter().find(|(known, _)| *known == path).map(|(_, needs)| *needs)
}

/// Refuses a caller without any of the roles; the message names them.
pub(crate) fn permit(identity: &Identity, needs: Needs) -> Result<(), Failure> {
    let Needs::Any(roles) = needs else { return Ok(()) };
    if roles.iter().any(|role| identity.has(*role)) {
        return Ok(());
    }
    let names: Vec<&str> = roles.iter().map(|role| role.as_str()).collect();
    let text = match names.as_slice() {
        [one] => format!("this needs the role `{one}`, which the caller does not have"),
        several => format!("this needs one of the roles {}; the caller has none of them", several.join(", ")),
    };
    Err(Failure::new(Code::PermissionDenied, text).field("roles"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn who(roles: &[Role]) -> Identity {
        Identity { roles: roles.to_vec(), ..Identity::local() }
    }

    #[test]
    fn every_closed_row_takes_only_its_roles() {
        let rows = ROUTES.iter().map(|(_, path, needs)| (*path, *needs)).chain(METHODS.iter().copied());
        for (path, needs) in rows {
            let Needs::Any(roles) = needs else { continue };
            let failure = permit(&who(&[]), needs).unwrap_err();
            assert_eq!((failure.code, failure.field.as_str()), (Code::PermissionDenied, "roles"), "{path}");
            for role in Role::ALL {
                assert_eq!(permit(&who(&[*role]), needs).is_ok(), roles.contains(role), "{path} {role}");
            }
            assert!(roles.iter().all(|role| failure.message.contains(role.as_str())), "{}", failure.message);
        }
    }

    #[test]
    fn head_counts_as_get_and_other_methods_list_the_allowed() {
        assert_eq!(of_route(&Method::HEAD, "/v1/audit"), Ok(RECORDS));
        let Err(Unserved::OtherMethods(methods)) = of_route(&Method::DELETE, "/v1/audit") else {
            unreachable!()
        };
        assert_eq!(methods, "GET, HEAD");
        assert_eq!(of_route(&Method::GET, "/v1/nothing"), Err(Unserved::NoRow));
    }

    #[test]
    fn every_forwarded_method_exists_and_appending_is_not_forwarded() {
        assert_eq!(of_method("/assay.router.v1alpha1.RouterService/Ask"), Some(ASK));
        assert_eq!(of_method("assay.audit.v1alpha1.AuditService/Append"), None);
        let known = String::from_utf8_lossy(assay_proto::DESCRIPTORS);
        let ours = METHODS.iter().filter(|(path, _)| !path.starts_with("grpc."));
        for (path, _) in ours {
            let (service, method) = path.split_once('/').unwrap();
            let short = service.rsplit('.').next().unwrap();
            assert!(known.contains(short) && known.contains(method), "{path}");
        }
    }

    /// The tables of the page, as lines `| name | roles |`.
    #[test]
    fn the_page_shows_both_tables() {
        let page = include_str!("../../../docs/identity.md");
        let roles = |needs: &Needs| match needs {
            Needs::Open => "open".to_owned(),
            Needs::Known => "every known caller".to_owned(),
            Needs::Any(roles) => {
                roles.iter().map(|role| format!("`{role}`")).collect::<Vec<_>>().join(" or ")
            }
        };
        let mut rows: Vec<String> = ROUTES
            .iter()
            .map(|(method, path, needs)| format!("| `{method} {path}` | {} |", roles(needs)))
            .collect();
        rows.extend(METHODS.iter().map(|(path, needs)| format!("| `{path}` | {} |", roles(needs))));
        let section = page.split("## Roles").nth(1).unwrap().split("\n## ").next().unwrap();
        let shown: Vec<&str> = section.lines().filter(|line| line.starts_with("| `")).collect();
        assert_eq!(shown, rows, "docs/identity.md must show exactly these rows:\n{}", rows.join("\n"));
    }
}
