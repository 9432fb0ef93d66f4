//! The console's own pages, built into the program: each file as it is and compressed, told apart by its hash.

use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};

use super::Problem;

/// A file of the console.
struct Asset {
    name: &'static str,
    etag: &'static str,
    plain: &'static [u8],
    gzip: Option<&'static [u8]>,
    brotli: Option<&'static [u8]>,
}

/// All of them, by name; none where the program was built without a console.
static ASSETS: &[Asset] = include!(concat!(env!("OUT_DIR"), "/console.rs"));

const WITHOUT: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Buoyline</title>\
    <h1>This build has no console</h1>\
    <p>The daemon runs; its API is described at <a href=\"/api\">/api</a>. To have the console, install Node.js with npm \
    and build Buoyline again (<code>cargo build --release</code> then makes it out of <code>web/</code> and says why if \
    it cannot), or name a folder with a built console in <code>BUOYLINE_CONSOLE_DIST</code> when building.</p></html>";

/// Whether the console was built in.
pub(super) fn is_built_in() -> bool {
    !ASSETS.is_empty()
}

/// A file of the console; any other path is a place in it, and answered with its page.
pub(super) async fn serve(method: Method, uri: Uri, headers: HeaderMap) -> Response {
    let path = uri.path().trim_start_matches('/');
    if path.starts_with("api/") || path.starts_with("ogc/") {
        return Problem::not_found("address", uri.path()).into_response();
    }
    if method != Method::GET && method != Method::HEAD {
        return Problem::new(StatusCode::METHOD_NOT_ALLOWED, "pages are only read").into_response();
    }
    if let Some(asset) = find(path) {
        return answer(asset, &headers);
    }
    if path.starts_with("assets/") {
        return Problem::not_found("file", path).into_response();
    }
    match find("index.html") {
        Some(index) => answer(index, &headers),
        None => ([(header::CONTENT_TYPE, "text/html; charset=utf-8")], WITHOUT).into_response(),
    }
}

fn find(name: &str) -> Option<&'static Asset> {
    ASSETS.iter().find(|asset| asset.name == name)
}

fn answer(asset: &'static Asset, asked: &HeaderMap) -> Response {
    let has = |name: header::HeaderName, what: &str| {
        let values = asked.get_all(name).iter().filter_map(|value| value.to_str().ok());
        values.flat_map(|text| text.split(',')).any(|item| {
            let (item, weight) = item.split_once(';').unwrap_or((item, ""));
            item.trim().trim_start_matches("W/") == what && weight.replace(' ', "") != "q=0"
        })
    };
    // A file whose name has its hash never changes; the page that names them is asked for anew each time.
    let keeps = if asset.name.starts_with("assets/") { "public, max-age=31536000, immutable" } else { "no-cache" };
    let mut headers = HeaderMap::new();
    headers.insert(header::ETAG, HeaderValue::from_static(asset.etag));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(keeps));
    headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    if has(header::IF_NONE_MATCH, asset.etag) {
        return (StatusCode::NOT_MODIFIED, headers).into_response();
    }
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type(asset.name)));
    let (encoding, bytes) = match (asset.brotli, asset.gzip) {
        (Some(bytes), _) if has(header::ACCEPT_ENCODING, "br") => (Some("br"), bytes),
        (_, Some(bytes)) if has(header::ACCEPT_ENCODING, "gzip") => (Some("gzip"), bytes),
        _ => (None, asset.plain),
    };
    if let Some(encoding) = encoding {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(encoding));
    }
    (headers, bytes).into_response()
}

fn media_type(name: &str) -> &'static str {
    match name.rsplit_once('.').map_or("", |(_, ending)| ending) {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "map" => "application/json",
        "webmanifest" => "application/manifest+json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "wasm" => "application/wasm",
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static FILE: Asset =
        Asset { name: "assets/a.1f.js", etag: "\"1f\"", plain: b"plain", gzip: Some(b"gz"), brotli: Some(b"br") };

    #[test]
    fn a_file_is_sent_as_small_as_can_be_read_and_not_twice() {
        for (name, value, status, encoding) in [
            ("accept-encoding", "gzip, deflate, br", 200, Some("br")),
            ("accept-encoding", "gzip;q=0.5, br;q=0", 200, Some("gzip")),
            ("accept-encoding", "identity", 200, None),
            ("if-none-match", "W/\"00\", \"1f\"", 304, None),
            ("if-none-match", "\"00\"", 200, None),
        ] {
            let mut asked = HeaderMap::new();
            asked.insert(name, HeaderValue::from_static(value));
            let answer = answer(&FILE, &asked);
            assert_eq!(answer.status().as_u16(), status, "{name}: {value}");
            let given = answer.headers().get(header::CONTENT_ENCODING).map(|v| v.to_str().expect("text"));
            assert_eq!(given, encoding, "{name}: {value}");
            assert_eq!(answer.headers()[header::ETAG], "\"1f\"");
            assert!(answer.headers()[header::CACHE_CONTROL].to_str().expect("text").contains("immutable"));
        }
    }
}
