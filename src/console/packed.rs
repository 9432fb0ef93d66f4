//! Answers made smaller on the way.

use std::io::Write as _;

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use flate2::Compression;
use flate2::write::GzEncoder;
use futures_util::StreamExt as _;

/// Smaller answers are sent as they are, bytes.
const PACKED_BYTES_MIN: usize = 1_024;
/// Streams are packed for many at a time: less small, and in a third of the time.
const STREAM_LEVEL: Compression = Compression::new(3);

/// Bytes as gzip.
pub(super) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(bytes).and_then(|()| packed.finish()).expect("memory takes what is written to it")
}

/// Whether who asks reads gzip.
pub(super) fn reads_gzip(asked: &HeaderMap) -> bool {
    let values = asked.get_all(header::ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|text| text.split(',')).any(|item| {
        let (name, weight) = item.split_once(';').unwrap_or((item, ""));
        name.trim() == "gzip" && weight.replace(' ', "") != "q=0"
    })
}

/// An answer that goes on and on, packed piece by piece: each can be read as soon as it is there.
pub(super) fn stream(response: Response) -> Response {
    let (mut parts, body) = response.into_parts();
    let mut packer = GzEncoder::new(Vec::new(), STREAM_LEVEL);
    let packed = body.into_data_stream().map(move |piece| {
        let piece = piece?;
        packer.write_all(&piece).and_then(|()| packer.flush()).map_err(axum::Error::new)?;
        Ok::<_, axum::Error>(std::mem::take(packer.get_mut()))
    });
    parts.headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    parts.headers.remove(header::CONTENT_LENGTH);
    Response::from_parts(parts, Body::from_stream(packed))
}

/// An answer, packed where who asks reads that.
pub(super) fn answer(bytes: Vec<u8>, media_type: &'static str, asked: &HeaderMap) -> Response {
    let media_type = [(header::CONTENT_TYPE, media_type), (header::VARY, "accept-encoding")];
    if bytes.len() < PACKED_BYTES_MIN || !reads_gzip(asked) {
        return (media_type, bytes).into_response();
    }
    (media_type, [(header::CONTENT_ENCODING, "gzip")], gzip(&bytes)).into_response()
}
