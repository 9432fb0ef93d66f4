//! Recorded MQTT: one message a line with its topic and when it came, as `mosquitto_sub -F %j` and `%J` write
//! them; and bare messages one a line, as far as they say themselves when they were heard (AIS-catcher,
//! OwnTracks, gpsd).
//!
//! | key | meaning here |
//! | --- | --- |
//! | `tst` (or `t`) | when it came; Mosquitto ends it in both `Z` and an offset, which says the same |
//! | `topic` | names the vessel where it has the shape usual for the format |
//! | `payload` (or `p`) | the message: a string, a string of hexadecimal digits (`%x`), or JSON |
//! | `payloadlen` | its bytes: where a string has fewer, it was cut at a NUL and is refused |
//! | `retain` | whether the broker had kept it |
//!
//! Each payload goes to the decoder that recognises it; see [`Sniffer`].

use std::borrow::Cow;
use std::io::BufRead;
use std::ops::ControlFlow;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::record::{shown, since_1970};
use crate::ingest::{Decoded, Message, Sniffer, sniff};
use crate::observation::{Refusal, RefusalReason};
use crate::replay::recording::{Format, Line, Lines, Place, ReadOptions, RecordingError, Sink};
use crate::time::EventTime;

pub(super) const FORMAT: Format = Format { name: "mqtt", is_log: true, recognise, read };

fn recognise(head: &[u8], _file_name: &str) -> bool {
    let head = head.trim_ascii_start();
    if !head.starts_with(b"{") {
        return false;
    }
    let first = head.split(|b| *b == b'\n').next().unwrap_or(head);
    let has = |key: &[u8]| first.windows(key.len()).any(|piece| piece == key);
    let is_enveloped = has(b"\"topic\"") && (has(b"\"payload\"") || has(b"\"p\""));
    // Our own messages without topics are NDJSON.
    is_enveloped || sniff("", first).is_some_and(|name| name != "native")
}

fn read(input: &mut dyn BufRead, _options: &ReadOptions, sink: &mut dyn Sink) -> Result<(), RecordingError> {
    let mut sniffer = Sniffer::new();
    let mut lines = Lines::new(input);
    let mut last = Place { line: 1 };
    while let Some((place, line)) = lines.next()? {
        last = place;
        let flow = match line {
            Line::Text(text) if text.trim_ascii().is_empty() => ControlFlow::Continue(()),
            Line::Text(text) => take(text, place, &mut sniffer, sink),
            Line::TooLong(limit) => {
                sink.refused(place, Refusal::unparsable(format!("the line is longer than {limit} bytes")));
                ControlFlow::Continue(())
            }
        };
        if flow.is_break() {
            return Ok(());
        }
    }
    // What waits for another message, such as the last epoch of NMEA lines.
    let mut flow = ControlFlow::Continue(());
    sniffer.finish(|decoded| hand_on(decoded, last, sink, &mut flow));
    Ok(())
}

/// Gives the sink what a message turned out to be, unless it has broken off.
fn hand_on(decoded: Decoded, place: Place, sink: &mut dyn Sink, flow: &mut ControlFlow<()>) {
    match decoded {
        _ if flow.is_break() => {}
        Decoded::Observation(observation) => *flow = sink.observation(place, &observation),
        Decoded::Aside(name) => sink.unused(place, &name, false),
        Decoded::Refused(refusal) => sink.refused(place, refusal),
    }
}

/// One line with a message and how it came.
#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow)]
    topic: Option<Cow<'a, str>>,
    #[serde(borrow)]
    tst: Option<&'a RawValue>,
    #[serde(borrow)]
    t: Option<&'a RawValue>,
    #[serde(borrow)]
    payload: Option<&'a RawValue>,
    #[serde(borrow)]
    p: Option<&'a RawValue>,
    payloadlen: Option<usize>,
    #[serde(borrow)]
    retain: Option<&'a RawValue>,
    // What bare messages say about when they were heard or sent.
    #[serde(borrow)]
    rxuxtime: Option<&'a RawValue>,
    #[serde(borrow)]
    time: Option<&'a RawValue>,
    #[serde(borrow)]
    timestamp: Option<&'a RawValue>,
    #[serde(borrow)]
    received_at: Option<&'a RawValue>,
}

fn take(line: &[u8], place: Place, sniffer: &mut Sniffer, sink: &mut dyn Sink) -> ControlFlow<()> {
    let decoded = serde_json::from_slice::<Envelope<'_>>(line)
        .map_err(|e| Refusal::unparsable(format!("no JSON of a message: {e}")))
        .and_then(|envelope| envelope.unwrap(line));
    let (topic, payload, heard_at, retained) = match decoded {
        Ok(unwrapped) => unwrapped,
        Err(refusal) => {
            sink.refused(place, refusal);
            return ControlFlow::Continue(());
        }
    };
    let message =
        Message { topic: &topic, payload: &payload, received_at: heard_at.unwrap_or(EventTime::MIN), retained };
    let mut flow = ControlFlow::Continue(());
    sniffer.decode(&message, |decoded| match decoded {
        Decoded::Observation(_) | Decoded::Refused(_) if heard_at.is_none() => {
            let detail = "nothing says when the message was heard; record with `mosquitto_sub -F %j`";
            let refusal = Refusal::new(RefusalReason::NoTime, detail);
            hand_on(Decoded::Refused(refusal), place, sink, &mut flow);
        }
        decoded => hand_on(decoded, place, sink, &mut flow),
    });
    flow
}

/// Topic, payload, arrival, and whether it had been kept.
type Unwrapped<'a> = (Cow<'a, str>, Cow<'a, [u8]>, Option<EventTime>, bool);

impl<'a> Envelope<'a> {
    fn unwrap(self, line: &'a [u8]) -> Result<Unwrapped<'a>, Refusal> {
        let Some(payload) = self.payload.or(self.p).filter(|_| self.topic.is_some() || self.tst.is_some()) else {
            return self.bare(line);
        };
        let topic = self.topic.ok_or_else(|| Refusal::unparsable("`topic` is missing"))?;
        let received_at = self.tst.or(self.t).map_or(Ok(None), arrival)?.ok_or_else(|| {
            let detail = "`tst` is missing: when the message came; record with `mosquitto_sub -F %j`";
            Refusal::new(RefusalReason::NoTime, detail)
        })?;
        let retained = self.retain.is_some_and(|said| matches!(said.get(), "true" | "1"));
        Ok((topic, unwrap_payload(payload, self.payloadlen)?, Some(received_at), retained))
    }

    /// A message without an envelope. What it says of when it was heard is all there is.
    fn bare(self, line: &'a [u8]) -> Result<Unwrapped<'a>, Refusal> {
        let said = self.rxuxtime.or(self.tst).or(self.time).or(self.timestamp).or(self.received_at);
        let heard_at = said.map_or(Ok(None), arrival)?;
        // OwnTracks says itself what it was published to.
        Ok((self.topic.unwrap_or_default(), Cow::Borrowed(line), heard_at, false))
    }
}

/// The instant of `tst`: a text, or seconds since 1970.
fn arrival(raw: &RawValue) -> Result<Option<EventTime>, Refusal> {
    if raw.get() == "null" {
        return Ok(None);
    }
    let fault = || {
        let detail = format!("`tst` is {}; it should be as in \"2026-11-30T07:26:45.728901Z\"", shown(raw.get()));
        Refusal::new(RefusalReason::NoTime, detail)
    };
    if !raw.get().starts_with('"') {
        return since_1970(raw.get(), 1).map(Some).ok_or_else(fault);
    }
    let text: String = serde_json::from_str(raw.get()).map_err(|_| fault())?;
    // "…Z+0000": both say UTC, but only the offset is sure to be what the clock was set to.
    let plain = text.replacen("Z+", "+", 1).replacen("Z-", "-", 1);
    super::stamp::read(&plain, None).map(Some).map_err(|_| fault())
}

fn unwrap_payload<'a>(raw: &'a RawValue, length: Option<usize>) -> Result<Cow<'a, [u8]>, Refusal> {
    let json = raw.get();
    if json == "null" {
        return Ok(Cow::Borrowed(&[]));
    }
    if !json.starts_with('"') {
        return Ok(Cow::Borrowed(json.as_bytes()));
    }
    let fault = |e: serde_json::Error| Refusal::unparsable(format!("`payload` is no text: {e}"));
    let text = serde_json::from_str::<Text<'_>>(json).map_err(fault)?.0;
    let digits = text.len();
    let looks_hexadecimal = digits > 0 && digits.is_multiple_of(2) && text.bytes().all(|b| b.is_ascii_hexdigit());
    // Without a length only what unpacks to JSON is sure to be digits of something else.
    let is_hexadecimal = looks_hexadecimal
        && length.map_or_else(|| text.starts_with("7b") || text.starts_with("5b"), |length| digits == 2 * length);
    if is_hexadecimal {
        let byte = |pair: &[u8]| std::str::from_utf8(pair).ok().and_then(|pair| u8::from_str_radix(pair, 16).ok());
        return Ok(Cow::Owned(text.as_bytes().chunks(2).filter_map(byte).collect()));
    }
    if let Some(length) = length.filter(|length| *length != digits) {
        let detail = format!(
            "`payload` has {digits} bytes and should have {length}: it was cut at a NUL; record binary payloads with \
             `mosquitto_sub -F '{{\"tst\":\"%I\",\"topic\":\"%t\",\"payloadlen\":%l,\"payload\":\"%x\"}}'`"
        );
        return Err(Refusal::unparsable(detail));
    }
    Ok(match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
        Cow::Owned(text) => Cow::Owned(text.into_bytes()),
    })
}

/// A text that is borrowed where it can be.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);
