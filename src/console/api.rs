//! The list of all resources, and what they have in common.

use axum::Router;
use axum::body::Bytes;
use axum::extract::DefaultBodyLimit;
use axum::http::{HeaderValue, header};
use axum::routing::get;
use utoipa::openapi::security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::{InfoBuilder, OpenApiBuilder, SecurityRequirement};
use utoipa_axum::router::OpenApiRouter;

use super::{
    Console, account, assets, docs, edit, finding, headers, health, judged, live, ogc, public, review, rulebooks,
    session, statement, vessels, wall, waterway, who,
};

/// The largest body that is taken where a resource does not say otherwise, bytes.
const BODY_BYTES_MAX: usize = 256 << 10;

/// Everything under `/api/v1`; a resource is a line.
fn resources() -> OpenApiRouter<Console> {
    OpenApiRouter::new()
        .merge(session::routes())
        .merge(account::routes())
        .merge(waterway::routes())
        .merge(rulebooks::routes())
        .merge(live::routes())
        .merge(finding::routes())
        .merge(statement::routes())
        .merge(health::routes())
        .merge(judged::routes())
        .merge(public::routes())
        .merge(wall::routes())
        .merge(review::routes())
        .merge(edit::routes())
        .merge(vessels::routes())
}

/// The whole console.
pub(super) fn router(console: Console, policy: HeaderValue) -> Router {
    let info = InfoBuilder::new()
        .title("Buoyline")
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some(
            "Boats, findings, maps and outcomes of a daemon. Times are RFC 3339 in UTC; units stand in the keys. A \
             finding is a lead for an officer, not a ruling.",
        ))
        .build();
    let described = OpenApiRouter::with_openapi(OpenApiBuilder::new().info(info).build())
        .nest("/api/v1", resources())
        .layer(DefaultBodyLimit::max(BODY_BYTES_MAX));
    let (router, mut openapi) = described.split_for_parts();
    let schemes = openapi.components.get_or_insert_default();
    let bearer = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).build();
    schemes.add_security_scheme("token", SecurityScheme::Http(bearer));
    schemes.add_security_scheme("session", SecurityScheme::ApiKey(ApiKey::Cookie(ApiKeyValue::new(who::COOKIE))));
    let none: [&str; 0] = [];
    openapi.security = Some(vec![SecurityRequirement::new("token", none), SecurityRequirement::new("session", none)]);
    let description = serde_json::to_value(&openapi).expect("a description has only keys that are text");
    let page = Bytes::from(docs::page(&description));
    let description = Bytes::from(description.to_string());
    router
        .route("/api", get(move || async move { ([(header::CONTENT_TYPE, "text/html; charset=utf-8")], page) }))
        .route("/api/style.css", get(|| async { ([(header::CONTENT_TYPE, "text/css; charset=utf-8")], docs::STYLE) }))
        .route(
            "/api/openapi.json",
            get(move || async move { ([(header::CONTENT_TYPE, "application/json")], description) }),
        )
        .merge(ogc::routes())
        .fallback(assets::serve)
        .layer(axum::middleware::from_fn_with_state(policy, headers::add))
        .with_state(console)
}
