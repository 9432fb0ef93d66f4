//! How the daemon is: its sources, queues, store and law, for the admin screen.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::Json;
use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::waterway::ShownWaterway;
use super::{Admin, Console, Problem};
use crate::time::EventTime;

/// Samples of refused messages, by reason.
const SAMPLES: usize = 3;
/// So much of a refused message is shown, characters.
const SAMPLE_CHARS: usize = 300;
/// Rates are over at least this time.
const RATE_OVER: Duration = Duration::from_secs(5);

pub(super) fn routes() -> OpenApiRouter<Console> {
    OpenApiRouter::new().routes(routes!(health))
}

/// How the daemon is.
#[derive(Serialize, ToSchema)]
struct Health {
    #[schema(value_type = String)]
    at: EventTime,
    version: &'static str,
    #[schema(value_type = String)]
    started: EventTime,
    /// Whether messages are stored and judged.
    is_ready: bool,
    /// Whether findings reach their broker.
    publishes: bool,
    /// Whether this build has a console.
    has_console: bool,
    sources: Vec<ShownSource>,
    queues: Vec<ShownQueue>,
    store: ShownStore,
    fixes: Fixes,
    /// Vessels that the judge knows.
    vessels: i64,
    law: Vec<ShownWaterway>,
}

/// A source of messages.
#[derive(Serialize, ToSchema)]
struct ShownSource {
    name: String,
    #[schema(value_type = Option<String>)]
    last_message_at: Option<EventTime>,
    last_message_age_s: Option<f64>,
    /// Messages a second of late; null until it has been asked for twice.
    rate_per_s: Option<f64>,
    messages: u64,
    stored: u64,
    repeated: u64,
    dropped: u64,
    /// By reason.
    refused: BTreeMap<String, Refusals>,
}

/// What was refused for one reason.
#[derive(Serialize, ToSchema)]
struct Refusals {
    count: u64,
    samples: Vec<Sample>,
}

/// A message that was refused.
#[derive(Serialize, ToSchema)]
struct Sample {
    #[schema(value_type = String)]
    received_at: EventTime,
    topic: String,
    detail: String,
    /// Its beginning, as text.
    payload: String,
}

/// What waits.
#[derive(Serialize, ToSchema)]
struct ShownQueue {
    name: &'static str,
    length: i64,
}

/// The store.
#[derive(Serialize, ToSchema)]
struct ShownStore {
    bytes: i64,
    last_position: i64,
    errors: u64,
}

/// Fixes, judged or not.
#[derive(Serialize, ToSchema)]
struct Fixes {
    accepted: u64,
    refused: BTreeMap<String, u64>,
}

/// Counts of messages from before, to tell rates by.
#[derive(Debug, Default)]
pub(super) struct Rates {
    before: Mutex<Option<(Instant, BTreeMap<String, u64>)>>,
}

impl Rates {
    /// Messages a second of each source since some while ago.
    fn since(&self, counts: BTreeMap<String, u64>) -> BTreeMap<String, f64> {
        let mut before = self.before.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let rates = before.as_ref().map(|(at, earlier)| {
            let passed_s = now.duration_since(*at).as_secs_f64().max(f64::MIN_POSITIVE);
            let rate = |(name, count): (&String, &u64)| {
                let grown = count.saturating_sub(earlier.get(name).copied().unwrap_or(0));
                (name.clone(), grown as f64 / passed_s)
            };
            counts.iter().map(rate).collect()
        });
        if before.as_ref().is_none_or(|(at, _)| now.duration_since(*at) >= RATE_OVER) {
            *before = Some((now, counts));
        }
        rates.unwrap_or_default()
    }
}

/// How the daemon is: sources, queues, store and law.
#[utoipa::path(get, path = "/health", tag = "admin", responses((status = 200, body = Health)))]
async fn health(State(console): State<Console>, _: Admin) -> Result<Json<Health>, Problem> {
    let (counts, samples) =
        console.shelf().read(|store| Ok((store.counts()?, store.refused_samples(SAMPLES)?))).await?;
    let pulse = console.desk().pulse();
    let now = console.desk().now();
    let mut refused: BTreeMap<(String, String), u64> = BTreeMap::new();
    for (_, label, value) in counts.iter().filter(|(name, ..)| name == "refused") {
        let (source, reason) = label.split_once('/').unwrap_or(("", label));
        *refused.entry((source.to_owned(), reason.to_owned())).or_default() += value;
    }
    let accepted = counts.iter().filter(|(name, ..)| name == "accepted").map(|(_, _, value)| value).sum();
    let of_source = |source: &str| {
        let mine = refused.iter().filter(|((of, _), _)| of == source);
        mine.map(|((_, reason), count)| (reason.clone(), *count)).collect::<Vec<_>>()
    };
    let messages = pulse.sources.iter().map(|source| (source.name.clone(), source.messages)).collect();
    let rates = console.inner.rates.since(messages);
    let sources = pulse.sources.iter().map(|source| ShownSource {
        last_message_at: source.last_message_at,
        last_message_age_s: source.last_message_at.map(|t| now.seconds_since(t).max(0.0)),
        rate_per_s: rates.get(&source.name).copied(),
        messages: source.messages,
        stored: source.stored,
        repeated: source.repeated,
        dropped: source.dropped,
        refused: of_source(&source.name)
            .into_iter()
            .map(|(reason, count)| {
                let alike = samples.iter().filter(|sample| *sample.source == *source.name && sample.reason == reason);
                let samples = alike.map(|sample| Sample {
                    received_at: sample.received_at,
                    topic: sample.topic.clone(),
                    detail: sample.detail.clone(),
                    payload: String::from_utf8_lossy(&sample.payload).chars().take(SAMPLE_CHARS).collect(),
                });
                let samples = samples.collect();
                (reason, Refusals { count, samples })
            })
            .collect(),
        name: source.name.clone(),
    });
    Ok(Json(Health {
        at: now,
        version: env!("CARGO_PKG_VERSION"),
        started: console.inner.started,
        is_ready: console.desk().board().is_ready(),
        publishes: console.desk().board().publishes(),
        has_console: super::assets::is_built_in(),
        sources: sources.collect(),
        queues: pulse.queues.iter().map(|&(name, length)| ShownQueue { name, length }).collect(),
        store: ShownStore { bytes: pulse.store_bytes, last_position: pulse.position, errors: pulse.store_errors },
        fixes: Fixes { accepted, refused: of_source("").into_iter().collect() },
        vessels: pulse.vessels,
        law: console.waterways().await?,
    }))
}
