//! The headers of every answer: what a page may load and who may frame it.

use axum::extract::Request;
use axum::http::{HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;

/// What a page of the console may load: what the daemon itself serves, and nothing from inside the page.
const POLICY: &str = "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; connect-src 'self'; \
                      font-src 'self'; img-src 'self' data:; manifest-src 'self'; base-uri 'none'; form-action 'self'; \
                      frame-ancestors 'none'";

/// Adds them.
pub(super) async fn add(request: Request, next: Next) -> Response {
    let is_api = request.uri().path().starts_with("/api/v1/");
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    let mut set = |name, value| {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    };
    set(header::CONTENT_SECURITY_POLICY, POLICY);
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
