//! OwnTracks and Traccar without a broker: what their apps post, and the reply that each expects.
//!
//! The reply depends on whether sending the same again could help. A message that is understood or can never be
//! is answered with 200, else the app would send it for ever before anything newer. A message that speaks for a
//! vessel it may not is answered with 403 and stays with the app until somebody mends its settings or ours: so
//! does, with the [`RETRY`] reply, one that could not be stored. Who may post at all is the server's to decide.

use super::decoder::{Decoded, Decoder, Message};
use crate::observation::RefusalReason;
use crate::time::EventTime;

/// One request, as far as its content goes.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// What stands after `?` in the address, percent-encoded.
    pub query: &'a str,
    /// The body.
    pub body: &'a [u8],
    /// OwnTracks: the headers `X-Limit-U` and `X-Limit-D`, user and device, where both are given.
    pub limit: Option<(&'a str, &'a str)>,
    /// When it arrived.
    pub received_at: EventTime,
}

/// What to answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reply {
    /// The HTTP status.
    pub status: u16,
    /// The `Content-Type` of the body.
    pub content_type: &'static str,
    /// The body.
    pub body: &'static str,
}

/// The reply to a request that was understood and could not be stored: send it again later.
pub const RETRY: Reply = Reply { status: 503, content_type: "text/plain", body: "not stored, send it again later\n" };

/// Decodes what an OwnTracks app posts, with a decoder of `"owntracks"`.
///
/// The vessel is that of the topic: the one that the headers give as user and device, else the one in the
/// message. The app expects a JSON array of messages for it; there are none.
pub fn owntracks(decoder: &mut Decoder, request: &Request<'_>, each: impl FnMut(Decoded)) -> Reply {
    let by_header = request.limit.map(|(user, device)| format!("owntracks/{user}/{device}"));
    let topic = by_header.or_else(|| {
        let message: serde_json::Value = serde_json::from_slice(request.body).ok()?;
        Some(message.get("topic")?.as_str()?.to_owned())
    });
    let topic = topic.unwrap_or_default();
    let message = Message { topic: &topic, payload: request.body, received_at: request.received_at, retained: false };
    let refused = watched(each, |each| decoder.decode(&message, each));
    reply(refused, "application/json", "[]")
}

/// Decodes what a Traccar app, OsmAnd or a small tracker sends, as a query, a posted form or JSON, with a
/// decoder of `"traccar"`. Also what a Traccar server forwards by HTTP.
pub fn traccar(decoder: &mut Decoder, request: &Request<'_>, each: impl FnMut(Decoded)) -> Reply {
    let is_json = request.body.trim_ascii_start().starts_with(b"{");
    // A form is posted where the address has no query.
    let query = if request.query.is_empty() { request.body } else { request.query.as_bytes() };
    let payload = if is_json { request.body } else { query };
    let message = Message { topic: "", payload, received_at: request.received_at, retained: false };
    let refused = watched(each, |each| decoder.decode(&message, each));
    reply(refused, "text/plain", "")
}

/// Hands on what `decode` gives, and says whether any of it was of a vessel that may not be spoken for.
fn watched(mut each: impl FnMut(Decoded), decode: impl FnOnce(&mut dyn FnMut(Decoded))) -> bool {
    let mut is_wrong = false;
    decode(&mut |decoded| {
        is_wrong |= matches!(&decoded, Decoded::Refused(refusal) if refusal.reason == RefusalReason::WrongVessel);
        each(decoded);
    });
    is_wrong
}

fn reply(is_wrong: bool, content_type: &'static str, body: &'static str) -> Reply {
    match is_wrong {
        true => Reply { status: 403, content_type: "text/plain", body: "not for this vessel: check its id\n" },
        false => Reply { status: 200, content_type, body },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ingest::Settings;
    use crate::ingest::topic::TopicPattern;

    const LOCATION: &str = r#""_type":"location","lat":39.1,"lon":-120.03,"vel":37,"tst":1796021998"#;

    fn request<'a>(query: &'a str, body: &'a str) -> Request<'a> {
        let received_at = EventTime::from_unix_ms(1_796_022_002_000);
        Request { query, body: body.as_bytes(), limit: None, received_at }
    }

    fn phones() -> Decoder {
        let topic = TopicPattern::new("owntracks/{vessel}/{vessel}").expect("a pattern");
        let settings = Settings { topic: Some(topic), ..Settings::default() };
        Decoder::new("owntracks", settings).expect("a decoder")
    }

    /// The vessel or the reason, and the status of the reply.
    fn told(post: impl FnOnce(&mut dyn FnMut(Decoded)) -> Reply) -> (String, u16) {
        let mut told = Vec::new();
        let reply = post(&mut |decoded| {
            told.push(match decoded {
                Decoded::Observation(observation) => observation.vessel().expect("a vessel").to_string(),
                Decoded::Aside(name) => name.to_owned(),
                Decoded::Refused(refusal) => refusal.reason.to_string(),
            });
        });
        (told.join(" "), reply.status)
    }

    #[test]
    fn phones_are_told_by_headers_or_topic() {
        let post =
            |limit, body: &str| told(|each| owntracks(&mut phones(), &Request { limit, ..request("", body) }, each));
        let by_topic = format!(r#"{{{LOCATION},"topic":"owntracks/anna/phone"}}"#);
        assert_eq!(post(None, &by_topic), ("anna:phone".to_owned(), 200));
        assert_eq!(post(Some(("bert", "pad")), &format!("{{{LOCATION}}}")), ("bert:pad".to_owned(), 200));
        assert_eq!(post(Some(("anna", "phone")), &by_topic), ("anna:phone".to_owned(), 200));
        assert_eq!(post(Some(("bert", "pad")), &by_topic), ("wrong_vessel".to_owned(), 403));
        assert_eq!(post(None, &format!("{{{LOCATION}}}")), ("wrong_vessel".to_owned(), 403));
        let reply = owntracks(&mut phones(), &request("", &by_topic), |_| {});
        assert_eq!(reply, Reply { status: 200, content_type: "application/json", body: "[]" });
    }

    #[test]
    fn what_can_never_be_read_is_not_sent_again() {
        let post = |body| {
            let limit = Some(("anna", "phone"));
            told(|each| owntracks(&mut phones(), &Request { limit, ..request("", body) }, each))
        };
        assert_eq!(post(""), ("empty".to_owned(), 200));
        assert_eq!(post("{"), ("unparsable".to_owned(), 200));
        assert_eq!(post(r#"{"_type":"encrypted","data":"x"}"#), ("unparsable".to_owned(), 200));
        assert_eq!(post(r#"{"_type":"lwt","tst":1}"#), ("last_will".to_owned(), 200));
    }

    #[test]
    fn trackers_send_queries_forms_and_json() {
        let post = |query: &str, body: &str| {
            let mut decoder = Decoder::new("traccar", Settings::default()).expect("a decoder");
            told(|each| traccar(&mut decoder, &request(query, body), each))
        };
        let query = "id=boat-1&lat=39.1&lon=-120.03&timestamp=1796021998&speed=8";
        let json = r#"{"location":{"timestamp":"2026-11-30T06:59:58Z","coords":{"latitude":39.1,"longitude":-120.03}},
            "device_id":"boat-1"}"#;
        for (query, body) in [(query, ""), ("", query), ("", json), ("token=x", json)] {
            assert_eq!(post(query, body), ("boat-1".to_owned(), 200), "{query} {body}");
        }
        assert_eq!(post("id=boat-1&batt=80", ""), ("status".to_owned(), 200));
        assert_eq!(post("id=boat-1&lat=x&lon=1", ""), ("unparsable".to_owned(), 200));
        assert_eq!(post("lat=39.1&lon=-120.03&timestamp=1796021998", ""), ("wrong_vessel".to_owned(), 403));
        assert_eq!(post("", ""), ("unparsable".to_owned(), 200));
    }
}
