//! The headers of every answer: what a page may load and who may frame it.

use axum::extract::{Request, State};
use axum::http::{HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;

use crate::config::BaseMapSettings;

/// What a page of the console may load: what the daemon itself serves, and what the base map is made of; nothing from
/// inside the page.
pub(super) fn policy(base_map: &BaseMapSettings) -> Result<HeaderValue, String> {
    let origins = base_map.origins().map_err(|(key, reason)| format!("console.base_map.{key}: {reason}"))?;
    let also: String = origins.iter().map(|origin| format!(" {origin}")).collect();
    let policy = format!(
        "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; connect-src 'self'{also}; \
         font-src 'self'; img-src 'self' data:{also}; manifest-src 'self'; base-uri 'none'; form-action 'self'; \
         frame-ancestors 'none'"
    );
    HeaderValue::try_from(policy).map_err(|error| format!("console.base_map: {error}"))
}

/// Adds them.
pub(super) async fn add(State(policy): State<HeaderValue>, request: Request, next: Next) -> Response {
    let is_api = request.uri().path().starts_with("/api/v1/");
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    headers.entry(header::CONTENT_SECURITY_POLICY).or_insert(policy);
    let mut set = |name, value| {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    };
    set(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    set(header::X_FRAME_OPTIONS, "DENY");
    set(header::REFERRER_POLICY, "same-origin");
    set(header::HeaderName::from_static("cross-origin-opener-policy"), "same-origin");
    set(header::HeaderName::from_static("cross-origin-resource-policy"), "same-origin");
    set(header::HeaderName::from_static("permissions-policy"), "geolocation=(self), camera=(), microphone=()");
    if is_api {
        // What one may see another may not.
        set(header::CACHE_CONTROL, "no-store");
    }
    response
}
