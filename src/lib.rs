//! Buoyline watches boats on lakes and rivers and says, with evidence, when one breaks the boating code.
//!
//! # The way of a fix
//!
//! ```text
//! recording, message ── ingest, replay::formats ──▶ observation  (fix, activity, profile, mark, conditions)
//! map of another tool ─ import ───▶ zone file
//! zone files ────────── zones ────────────────────▶ map          (waterways, an index of what is near)
//! rulebook ──────────── rulebook ─────────────────▶ rules        (clauses with their limits)
//!
//!              observation ── track ──▶ leg ── rules ──▶ sighting ── findings ──▶ finding
//!                             └───────────────── engine ─────────────────┘
//!
//! finding ── export ──▶ text, NDJSON, GeoJSON, CSV
//!
//! live:     broker ── serve ──▶ store (the ordered log) ── serve::Judge, an engine ──▶ finding ── outbox ──▶ broker
//! people:   browser ── console ──▶ serve::Board and store to look at, serve::Desk to state something into the log
//! after:    store, recording ── review ──▶ tracks with limits, a finding explained, what would change ── report ──▶ HTML
//! map:      zone file ── draft ──▶ differences, one version of two, put where the daemon looks
//! ```
//!
//! A *fix* is one position of one vessel at its own time. [`track`] screens and orders the fixes of a vessel and joins
//! neighbours to straight *legs*. Each rule in [`rules`] looks at one leg and says during which spans which clause
//! broke: *sightings*. Where somebody is in tow, [`skier`] says where behind the leg. [`findings`] merges sightings
//! close in time, gives them odds, an id and a sentence. [`engine`] holds all vessels of all waterways together, and
//! judges a stretch again when a late fix changes it.
//!
//! # Where to start reading
//!
//! 1. [`observation`] and [`zones::Map`]: what is judged, and on what.
//! 2. [`rules::Rule`] and one rule, say `rules/speed_cap.rs`; then `rules/wake_zone.rs`, which looks around.
//! 3. [`engine::Engine`]: `observe` and what it calls.
//! 4. [`findings::Ledger`]: how sightings become findings that open, change and close.
//! 5. [`replay::driver`]: how recordings are put through the engine.
//! 6. [`store`] and [`serve`]: the ordered log, and the daemon that judges it; live and replayed findings agree because
//!    both go by the log.
//!
//! On the way: [`units`] has every conversion factor, [`time`] the instants, [`geo`] the geometry, [`sun`] and
//! [`window`] know when it is night, [`encounter`] finds vessels that came near each other, and [`cli`] is where a
//! command starts.
//!
//! # What always holds
//!
//! - From [`engine`] down to [`zones`] there is no clock, no file, no network, no `async`, no randomness and no hash
//!   order. Findings are a function of observations, map and rulebook: the same input gives the same bytes.
//! - Inside there are metres, metres per second, seconds and degrees; a bare `f64` has its unit in its name.
//! - Motion is solved, never sampled: the ends of an interval are exact for straight legs, whatever the fix rate.
//! - What is not known is `None`, never zero; what is not judged is counted with its reason, never lost.
//! - A candidate of an index is checked exactly before anything is said about it.
//! - A rule keeps no state and knows nothing of merging, ids, odds or text.

pub mod encounter;
pub mod engine;
pub mod findings;
pub mod geo;
pub mod ingest;
pub mod observation;
pub mod rulebook;
pub mod rules;
pub mod skier;
pub mod sun;
pub mod time;
pub mod track;
pub mod units;
pub mod window;
pub mod zones;
// Above: no clock, IO, async, randomness or hash order. Below: adapters, each replaceable.
pub mod broker;
pub mod cli;
pub mod config;
pub mod console;
pub mod draft;
pub mod export;
pub mod import;
pub mod law;
pub mod replay;
pub mod report;
pub mod review;
pub mod serve;
pub mod store;
