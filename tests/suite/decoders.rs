//! Messages of every format are decoded as the files beside them tell, and no message breaks a decoder.
//!
//! A sample, `tests/data/decoders/FORMAT/VERDICT/NAME.json`, has its decoder and settings in the first line and
//! one message in each other line; `NAME.ndjson` beside it has what they become. `BLESS=1` writes that anew.

use std::fmt::Write as _;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use buoyline::ingest::native::{self, Envelope};
use buoyline::ingest::nmea;
use buoyline::ingest::{Decoded, Decoder, FORMATS, Message, Settings, Sniffer, TopicPattern, sniff};
use buoyline::observation::{Fix, Observation, VesselId};
use buoyline::time::EventTime;
use serde_json::{Value, json};

use crate::support::rng::Rng;
use crate::support::{sweep, tests_path};

/// One message of a sample.
struct Sample {
    topic: String,
    payload: Vec<u8>,
    received_at: EventTime,
    retained: bool,
}

impl Sample {
    fn message(&self) -> Message<'_> {
        let Self { topic, payload, received_at, retained } = self;
        Message { topic, payload, received_at: *received_at, retained: *retained }
    }
}

/// All samples of all formats, in order of their names.
fn samples() -> Vec<PathBuf> {
    fn collect(folder: &Path, out: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                collect(&path, out);
            } else if path.extension().is_some_and(|ending| ending == "json") {
                out.push(path);
            }
        }
    }
    let mut out = Vec::new();
    collect(&tests_path("data/decoders"), &mut out);
    out.sort();
    out
}

/// The decoder of a sample and its messages.
fn read(path: &Path) -> (Decoder, Vec<Sample>) {
    let text = std::fs::read_to_string(path).expect("a sample");
    let mut lines = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let head = lines.next().expect("a first line");
    let settings: Settings = match head.get("settings") {
        Some(settings) => serde_json::from_value(settings.clone()).expect("settings"),
        None => Settings::default(),
    };
    let decoder = Decoder::new(head["decoder"].as_str().expect("a name"), settings).expect("a decoder");
    let messages = lines.map(|line| Sample {
        topic: line["topic"].as_str().expect("a topic").to_owned(),
        received_at: EventTime::parse_rfc3339(line["t"].as_str().expect("a time")).expect("a time"),
        retained: line["retain"].as_bool().unwrap_or(false),
        payload: match &line["payload"] {
            Value::String(text) => text.clone().into_bytes(),
            other => other.to_string().into_bytes(),
        },
    });
    (decoder, messages.collect())
}

/// What a message became, as one line of JSON.
fn told(decoded: &Decoded) -> String {
    match decoded {
        Decoded::Observation(observation) => native::encode(observation),
        Decoded::Aside(name) => json!({ "aside": name }).to_string(),
        Decoded::Refused(refusal) => json!({"refused": refusal.reason, "detail": refusal.detail}).to_string(),
    }
}

#[test]
fn messages_are_decoded_as_told() {
    let bless = std::env::var_os("BLESS").is_some();
    let mut wrong = Vec::new();
    for path in samples() {
        let (mut decoder, messages) = read(&path);
        let verdict = path.parent().and_then(Path::file_name).expect("a folder").to_string_lossy().into_owned();
        let mut text = String::new();
        for (ix, sample) in messages.iter().enumerate() {
            let (mut accepted, mut refused) = (0, 0);
            decoder.decode(&sample.message(), |decoded| {
                match decoded {
                    Decoded::Refused(_) => refused += 1,
                    _ => accepted += 1,
                }
                writeln!(text, "{}", told(&decoded)).expect("a string takes everything");
            });
            let line = ix + 2;
            assert!(accepted + refused > 0, "{}:{line}: nothing came of it", path.display());
            match verdict.as_str() {
                "accepted" => assert_eq!(refused, 0, "{}:{line} was refused:\n{text}", path.display()),
                "refused" => assert!(refused > 0, "{}:{line} was not refused:\n{text}", path.display()),
                _ => {}
            }
        }
        let beside = path.with_extension("ndjson");
        if bless {
            std::fs::write(&beside, &text).expect("the told text is written");
        } else if std::fs::read_to_string(&beside).unwrap_or_default() != text {
            wrong.push(format!("{} is decoded as\n{text}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn every_format_has_samples_of_both_verdicts() {
    for format in FORMATS {
        for verdict in ["accepted", "refused"] {
            let folder = tests_path("data/decoders").join(format.name).join(verdict);
            assert!(folder.is_dir(), "{} has none: {} is missing", format.name, folder.display());
        }
    }
}

/// What is decoded is written as a native message and read back the same; the file can be replayed.
#[test]
fn what_is_decoded_is_the_same_as_a_native_message() {
    let mut count = 0;
    for path in samples() {
        let (mut decoder, messages) = read(&path);
        for sample in &messages {
            decoder.decode(&sample.message(), |decoded| {
                if let Decoded::Observation(observation) = decoded {
                    count += 1;
                    reads_back(&observation);
                }
            });
        }
    }
    assert!(count > 60, "{count}");
}

/// Checks that an observation written as a native message is read back the same.
fn reads_back(observation: &Observation) {
    let line = native::encode(observation);
    let mut results = Vec::new();
    native::decode(line.as_bytes(), Envelope::default(), |result| results.push(result));
    let [Ok(again)] = &results[..] else { panic!("{line} is read back as {results:?}") };
    match (observation, again) {
        (Observation::Fix(vessel, fix), Observation::Fix(its_vessel, its)) => {
            assert_eq!(vessel, its_vessel);
            // Numbers of 16 digits and more may be a hair off.
            let numbers = |fix: &Fix| {
                let (lat, lon) = (fix.position.lat_deg(), fix.position.lon_deg());
                [Some(lat), Some(lon), fix.sog_mps, fix.cog_deg, fix.heading_deg, fix.accuracy_m]
            };
            for (number, read) in numbers(fix).into_iter().zip(numbers(its)) {
                let (number, read) = (number.unwrap_or(-1.0), read.unwrap_or(-1.0));
                assert!((number - read).abs() <= 1e-15 * number.abs(), "{line}: {number} {read}");
            }
            let others = |fix: &Fix| (fix.t, fix.nav_status, fix.towed_by.clone(), fix.lights.clone());
            assert_eq!(others(fix), others(its), "{line}");
        }
        (observation, again) => assert_eq!(observation, again, "{line}"),
    }
}

/// Each message is recognised by its content as of its own format, or as of none.
#[test]
fn messages_are_recognised_by_their_content() {
    let mut unknown = 0;
    for path in samples().iter().filter(|path| path.to_string_lossy().contains("accepted")) {
        let (decoder, messages) = read(path);
        let own = decoder.format().name;
        for sample in &messages {
            match sniff(&sample.topic, &sample.payload) {
                Some(name) => assert_eq!(name, own, "{}: {}", path.display(), sample.payload.escape_ascii()),
                None => {
                    unknown += 1;
                    // Queries, which have no topic; and things that are nothing but a part of others.
                    assert!(
                        own == "traccar" || own == "signalk" || own == "ais-catcher",
                        "{own}: {}",
                        sample.payload.escape_ascii()
                    );
                }
            }
        }
    }
    assert!(unknown < 20, "{unknown}");
}

/// A recording of all samples in one is decoded as by the decoders of each, but for whose the messages are.
#[test]
fn a_recording_of_many_formats_is_decoded_by_what_is_in_it() {
    let mut sniffer = Sniffer::new();
    let (mut observations, mut refused) = (0, 0);
    for path in samples().iter().filter(|path| path.to_string_lossy().contains("accepted")) {
        for sample in &read(path).1 {
            sniffer.decode(&sample.message(), |decoded| match decoded {
                Decoded::Observation(_) => observations += 1,
                Decoded::Aside(_) => {}
                Decoded::Refused(_) => refused += 1,
            });
        }
    }
    assert!(observations > 60, "{observations} {refused}");
}

/// Damages a message.
fn damaged(payload: &[u8], rng: &mut Rng) -> Vec<u8> {
    const VALUES: &[&str] = &[
        "null",
        "0",
        "-0",
        "-1",
        "1e308",
        "1e999",
        "1e-320",
        "90.000001",
        "181",
        "18446744073709551616",
        "\"\"",
        "\"5\"",
        "\"nan\"",
        "[]",
        "{}",
        "true",
        "[[[[]]]]",
        "\"\\u0000\"",
        "9007199254740993",
        "-9223372036854775808",
    ];
    let mut out = payload.to_vec();
    for _ in 0..1 + rng.below(6) {
        if out.is_empty() {
            break;
        }
        let at = rng.below(out.len());
        match rng.below(6) {
            0 => out[at] = rng.below(256) as u8,
            1 => drop(out.remove(at)),
            2 => out.insert(at, rng.pick(b"{}[],:\"\n\0-.e0&=%+\xff")),
            3 => out.truncate(at),
            _ => {
                // The value after the next colon becomes another.
                if let Some(start) = out[at..].iter().position(|b| *b == b':').map(|i| at + i + 1) {
                    let end = out[start..].iter().position(|b| b",}".contains(b)).map_or(out.len(), |i| start + i);
                    out.splice(start..end, rng.pick(VALUES).bytes());
                }
            }
        }
    }
    out
}

/// No message panics, none vanishes, and what is accepted of a damaged one is still a whole observation.
#[test]
fn damaged_messages_are_decoded_or_refused() {
    let samples = samples();
    sweep(400, |seed| {
        let mut rng = Rng::new(seed + 13_000_000);
        let (mut decoder, messages) = read(&samples[rng.below(samples.len())]);
        let mut sniffer = Sniffer::new();
        let mut out = Vec::new();
        for sample in &messages {
            let payload = damaged(&sample.payload, &mut rng);
            let message = Message { payload: &payload, ..sample.message() };
            let mut count = 0;
            decoder.decode(&message, |decoded| {
                count += 1;
                if let Decoded::Observation(observation) = &decoded {
                    reads_back(observation);
                }
            });
            // An empty array of native messages says nothing, which is no message.
            if count == 0 && !payload.trim_ascii().starts_with(b"[") {
                out.push(format!("nothing came of \"{}\"", payload.escape_ascii()));
            }
            sniffer.decode(&message, |decoded| {
                if let Decoded::Observation(observation) = &decoded {
                    reads_back(observation);
                }
            });
        }
        out
    });
}

#[test]
fn any_bytes_are_decoded_or_refused() {
    sweep(100, |seed| {
        let mut rng = Rng::new(seed + 14_000_000);
        for format in FORMATS {
            let mut decoder = Decoder::new(format.name, Settings::default()).expect("a decoder");
            let payload: Vec<u8> = (0..rng.below(60)).map(|_| rng.below(256) as u8).collect();
            let topic = format.topic.replace('#', "x").replace('+', "y");
            let t = EventTime::from_unix_ms(1_796_022_002_000);
            let message = Message { topic: &topic, payload: &payload, received_at: t, retained: rng.chance(0.5) };
            decoder.decode(&message, |_| {});
        }
        Vec::new()
    });
}

#[test]
fn a_decoder_that_cannot_be_says_why() {
    let error = |name: &str, settings: Value| {
        let settings: Settings = serde_json::from_value(settings).expect("settings");
        Decoder::new(name, settings).expect_err(name).to_string()
    };
    assert!(error("nmea-2000", json!({})).starts_with("\"nmea-2000\" is no decoder; known are native, owntracks"));
    assert_eq!(
        error("owntracks", json!({"speed_unit": "km/h"})),
        "`speed_unit` means nothing to the decoder \"owntracks\": leave it out"
    );
    assert!(
        error("chirpstack", json!({"fields": {"lat": "gps.lat"}})).contains("`fields.lat` is \"gps.lat\"; it should")
    );
    assert!(error("chirpstack", json!({"fields": {"speed": "/v"}})).starts_with("`fields.speed_unit`"));
    assert!(error("meshtastic", json!({"course_per_deg": 0})).starts_with("`course_per_deg` is 0; it should be"));
    for (wrong, why) in [
        (json!({"topic": "a/#/b"}), "should be its last level"),
        (json!({"speed_unit": "furlongs"}), "is no unit of speed"),
        (json!({"speedunit": "kn"}), "unknown field"),
        (json!({"only": ["a b"]}), "is no vessel id"),
    ] {
        let error = serde_json::from_value::<Settings>(wrong).expect_err(why).to_string();
        assert!(error.contains(why), "{error}");
    }
}

/// Sentences that come as messages of their own give what the log of them gives; the last fix comes at the end.
#[test]
fn sentences_in_messages_are_read_like_their_log() {
    for log in ["moored-amsterdam-2014-04-03", "harlingen-moored-own-boat-2014-04-16"] {
        let file = std::fs::File::open(tests_path(&format!("data/nmea/{log}.nmea.gz"))).expect("a log");
        let mut text = Vec::new();
        flate2::read::MultiGzDecoder::new(file).read_to_end(&mut text).expect("a log");
        let lines = || text.split(|byte| *byte == b'\n');
        let t = EventTime::parse_rfc3339("2014-04-17T00:00:00Z").expect("a time");

        let mut expected = Vec::new();
        let mut take = |_: u64, entry| {
            if let nmea::Entry::Observation(observation) = entry {
                expected.push(observation);
            }
        };
        let vessel = Some(VesselId::new("skiff-3").expect("an id"));
        let mut reader = nmea::Reader::new(nmea::Settings { vessel, ..Default::default() });
        lines().filter(|line| !line.is_empty()).for_each(|line| reader.line(line, Some(t), &mut take));
        reader.finish(&mut take);
        assert!(expected.len() > 100, "{log}: {}", expected.len());

        let topic = TopicPattern::new("nmea/{vessel}").expect("a pattern");
        let mut decoder = Decoder::new("nmea", Settings { topic: Some(topic), ..Settings::default() }).expect("one");
        let mut found = Vec::new();
        let mut take = |decoded| {
            if let Decoded::Observation(observation) = decoded {
                found.push(observation);
            }
        };
        for payload in lines() {
            let message = Message { topic: "nmea/skiff-3", payload, received_at: t, retained: false };
            decoder.decode(&message, &mut take);
            // Another boat's lines between change nothing.
            decoder.decode(&Message { topic: "nmea/skiff-4", ..message }, |_| {});
        }
        let waiting = expected.len() - found.len();
        assert_eq!(found, expected[..found.len()], "{log}");
        let mut last = 0;
        decoder.finish(|decoded| last += usize::from(matches!(decoded, Decoded::Observation(_))));
        assert_eq!(last, 2 * waiting, "{log}: what waits comes at the end, of each boat");
    }
}

/// The document of formats names every one with its topic, and its examples can be used.
#[test]
fn the_document_of_formats_is_whole() {
    let text = std::fs::read_to_string(tests_path("../config/decoders.md")).expect("the document");
    for format in FORMATS {
        let row = text.lines().find(|line| line.starts_with(&format!("| `{}` |", format.name)));
        assert!(row.is_some(), "{} has no row", format.name);
    }
    let mut examples = 0;
    for example in text.split("```toml\n").skip(1).map(|rest| rest.split("```").next().expect("an end")) {
        let example: toml::Table = example.parse().expect(example);
        let settings: Settings = example["messages"].clone().try_into().expect("settings");
        Decoder::new(example["decoder"].as_str().expect("a name"), settings).expect("a decoder");
        for topic in example["topics"].as_array().expect("topics") {
            TopicPattern::new(topic.as_str().expect("a topic")).expect("a pattern");
        }
        examples += 1;
    }
    assert_eq!(examples, 4);
}
