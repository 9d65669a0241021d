//! Who a caller is, and how one signs in: what pages and programs need to know before anything else.

use std::sync::Arc;

use assay_api as api;
use axum::Router;
use axum::extract::State;
use axum::routing::get;
use http::StatusCode;

use crate::routes::{App, Known, Reply};
use crate::shared::{Shared, json_response};

/// The routes.
pub(crate) fn routes() -> Router<Arc<Shared>> {
    Router::new().route("/v1/me", get(me)).route("/v1/sign-in", get(sign_in))
}

async fn me(caller: Known) -> Reply {
    let identity = &caller.0.identity;
    let roles = identity.roles.iter().map(|role| role.as_str()).collect();
    let body = api::Me { principal: &identity.principal, tenant: &identity.tenant, roles };
    Ok(json_response(StatusCode::OK, &body))
}

async fn sign_in(State(shared): App) -> Reply {
    let auth = &shared.options.auth;
    let body = api::SignIn {
        required: auth.is_required(),
        keys: !auth.keys_file.as_os_str().is_empty(),
        tokens: auth.jwt.is_on(),
        sign_in: auth.sign_in.is_on().then_some("/sign-in"),
    };
    Ok(json_response(StatusCode::OK, &body))
}
