//! Messages by HTTP POST, for trackers without a broker: OwnTracks in HTTP mode, Traccar's forwarding.
//!
//! `POST /in/{source}` takes one message of that source. It is answered when the message is stored, so a tracker that
//! gets no answer sends it again.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::routing::post;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};
use tokio::sync::oneshot;
use tokio::time::timeout;

use super::PACKET_BYTES_MAX;
use super::work::{Arrival, Receipt, Work};
use crate::broker::matches;
use crate::time::EventTime;

/// How long a message may wait to be stored before the tracker is told to come again.
const STORE_WITHIN: Duration = Duration::from_secs(10);

/// A source that is posted to.
pub(super) struct Letterbox {
    /// The place of the source in the list.
    pub place: usize,
    /// Where its messages would be published.
    pub filter: String,
    /// What the tracker has to know.
    pub token: String,
}

/// All of them.
pub(super) struct Letterboxes {
    pub by_name: BTreeMap<String, Letterbox>,
    pub inbox: flume::Sender<Work>,
    pub clock: fn() -> EventTime,
}

/// Their routes.
pub(super) fn routes(letterboxes: Letterboxes) -> Router {
    Router::new()
        .route("/in/{source}", post(take))
        .layer(DefaultBodyLimit::max(PACKET_BYTES_MAX))
        .with_state(Arc::new(letterboxes))
}

async fn take(
    State(letterboxes): State<Arc<Letterboxes>>,
    Path(source): Path<String>,
    headers: HeaderMap,
    payload: Bytes,
) -> (StatusCode, String) {
    let Some(letterbox) = letterboxes.by_name.get(&source) else {
        return (StatusCode::NOT_FOUND, format!("no source {source:?} is posted to\n"));
    };
    if !knows_token(&headers, &letterbox.token) {
        return (StatusCode::UNAUTHORIZED, "the token is wrong or missing\n".to_owned());
    }
    let topic = match topic(&headers, &letterbox.filter) {
        Ok(topic) => topic,
        Err(reason) => return (StatusCode::BAD_REQUEST, reason),
    };
    let (done, is_done) = oneshot::channel();
    let work = Work::Arrival(Arrival {
        source: letterbox.place,
        topic: topic.into(),
        payload,
        retained: false,
        received_at: (letterboxes.clock)(),
        receipt: Receipt::Waiting(done),
    });
    let stored = async { letterboxes.inbox.send_async(work).await.is_ok() && is_done.await.is_ok() };
    match timeout(STORE_WITHIN, stored).await {
        // OwnTracks wants a list of messages for it.
        Ok(true) => (StatusCode::OK, "[]\n".to_owned()),
        Ok(false) | Err(_) => (StatusCode::SERVICE_UNAVAILABLE, "not stored; send it again\n".to_owned()),
    }
}

/// Whether the token stands in the headers: `Authorization: Bearer TOKEN`, or as the password of any user.
fn knows_token(headers: &HeaderMap, token: &str) -> bool {
    let given = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let given = match given.split_once(' ') {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => Some(token.trim().as_bytes().to_vec()),
        Some((scheme, login)) if scheme.eq_ignore_ascii_case("basic") => {
            let login = STANDARD.decode(login.trim()).unwrap_or_default();
            login.iter().position(|b| *b == b':').map(|colon| login[colon + 1..].to_vec())
        }
        _ => None,
    };
    // Hashes are compared, so that the time it takes tells nothing of the token.
    given.is_some_and(|given| Sha256::digest(given) == Sha256::digest(token))
}

/// The topic the message would have had: what OwnTracks says in its headers, or the source's own.
fn topic(headers: &HeaderMap, filter: &str) -> Result<String, String> {
    let header = |name| headers.get(name).and_then(|value| value.to_str().ok()).filter(|text| !text.contains('/'));
    if let (Some(user), Some(device)) = (header("x-limit-u"), header("x-limit-d")) {
        let topic = format!("owntracks/{user}/{device}");
        if matches(filter, &topic) {
            return Ok(topic);
        }
        return Err(format!("{topic:?} is not among the topics {filter:?} of this source\n"));
    }
    if filter.contains(['+', '#']) {
        return Err(format!("say whose message it is with X-Limit-U and X-Limit-D, as {filter:?} leaves it open\n"));
    }
    Ok(filter.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.parse().expect("a name"), value.parse().expect("a value"))).collect()
    }

    #[test]
    fn the_token_is_a_bearer_or_a_password() {
        for (authorization, knows) in [
            ("Bearer oar", true),
            ("bearer oar", true),
            ("Bearer paddle", false),
            ("Basic YW5uYTpvYXI=", true),
            ("Basic YW5uYTpwYWRkbGU=", false),
            ("Basic !!", false),
            ("oar", false),
        ] {
            assert_eq!(knows_token(&headers(&[("authorization", authorization)]), "oar"), knows, "{authorization}");
        }
        assert!(!knows_token(&HeaderMap::new(), ""));
    }

    #[test]
    fn headers_say_whose_message_it_is() {
        let anna = headers(&[("x-limit-u", "anna"), ("x-limit-d", "phone")]);
        assert_eq!(topic(&anna, "owntracks/+/+"), Ok("owntracks/anna/phone".to_owned()));
        assert!(topic(&anna, "traccar").is_err());
        assert_eq!(topic(&HeaderMap::new(), "traccar"), Ok("traccar".to_owned()));
        assert!(topic(&HeaderMap::new(), "owntracks/+/+").is_err());
        assert!(topic(&headers(&[("x-limit-u", "a/b"), ("x-limit-d", "c")]), "owntracks/#").is_err());
    }
}
