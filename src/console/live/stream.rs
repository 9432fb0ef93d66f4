//! The stream of a waterway as server-sent events.
//!
//! Whoever reads slowly gets the newest state of each boat when there is room again, and nothing in between: an event is
//! made when it can be sent. Findings and outcomes are never left out; they wait in the store.

use std::collections::{BTreeSet, VecDeque};
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::json;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{OwnedSemaphorePermit, broadcast, watch};
use tokio::time::{Instant, sleep_until};
use utoipa::{IntoParams, ToSchema};

use super::boat;
use super::compact::{Columns, Told};
use crate::console::bbox::Bbox;
use crate::console::problem::{Path, Query};
use crate::console::{Console, Problem, Viewer, finding, packed, statement};
use crate::engine::Posted;
use crate::observation::VesselId;
use crate::serve::InForce;
use crate::store::{Happening, Kept};

/// Events of findings that are read from the store at a time.
const READ: usize = 100;
/// How often boats come at most and at least, seconds.
const EVERY_S: (f64, f64) = (0.2, 60.0);
/// A comment keeps a silent connection alive.
const ALIVE: Duration = Duration::from_secs(15);
/// A stream ends after so long; who listens takes it up again, if they still may.
const LONGEST: Duration = Duration::from_secs(15 * 60);
/// When whoever finds too many listening may try again, seconds.
const AGAIN_S: u64 = 10;
/// The store is looked into although nobody said there was something.
const LOOK: Duration = Duration::from_secs(5);

/// What is asked of the stream.
#[derive(Debug, Deserialize, IntoParams)]
pub(super) struct Asked {
    /// Only boats in this box: west,south,east,north, degrees.
    bbox: Option<String>,
    /// How often boats come at most, seconds; 1 unless given, 0.2 to 60.
    every_s: Option<f64>,
    /// Findings and outcomes behind this number, as `Last-Event-ID` says it; from now on unless given.
    after: Option<i64>,
    /// How boats come: `full` unless given, as `boats` events ([Boats]); `compact`, as `fleet` events ([Columns]), packed
    /// a quarter as long.
    form: Option<Form>,
}

/// How boats come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum Form {
    /// As objects.
    Full,
    /// As columns of differences.
    Compact,
}

/// What changes on a waterway: `boats` (in the compact form `fleet`), `finding`, `outcome`, `law`, `marks`, `conditions`,
/// and first of all `hello`.
///
/// Findings and outcomes have an id; whoever connects again with it as `Last-Event-ID` gets all that came after.
#[utoipa::path(get, path = "/waterways/{waterway}/stream", tag = "live",
    params(("waterway" = String, Path), Asked),
    responses((status = 200, content_type = "text/event-stream", body = Columns), (status = 400, body = Problem), (status = 404, body = Problem)))]
pub(super) async fn stream(
    State(console): State<Console>,
    _: Viewer,
    Path(waterway): Path<String>,
    Query(asked): Query<Asked>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    console.waterway(&console.law(), &waterway)?;
    let bbox = asked.bbox.as_deref().map(|text| {
        let wrong = || Problem::bad(format!("{text:?} is no box")).at("bbox").mend(Bbox::MEND);
        Bbox::read(text).ok_or_else(wrong)
    });
    let bbox = bbox.transpose()?;
    let every_s = asked.every_s.unwrap_or(1.0);
    if !(EVERY_S.0..=EVERY_S.1).contains(&every_s) {
        return Err(Problem::bad(format!("every_s is {every_s}; take {} to {}", EVERY_S.0, EVERY_S.1)).at("every_s"));
    }
    let last = headers.get("last-event-id").and_then(|id| id.to_str().ok()).and_then(|id| id.trim().parse().ok());
    let newest = console.shelf().read(|store| store.last_happening()).await?;
    let seq = last.or(asked.after).unwrap_or(newest).min(newest);
    let may = console.inner.may_listen.clone().try_acquire_owned();
    let may = may.map_err(|_| Problem::too_many("too many listen already", AGAIN_S))?;
    let board = console.desk().board();
    let (mut law, mut posted) = (board.law(), board.posted());
    law.mark_changed();
    posted.mark_changed();
    let viewer = Viewing {
        bbox,
        every: Duration::from_secs_f64(every_s),
        seq,
        revision: 0,
        sent: BTreeSet::new(),
        told: (asked.form == Some(Form::Compact)).then(Told::default),
        due: Instant::now(),
        look: Instant::now(),
        found: board.findings(),
        outcomes: console.outcomes(),
        law,
        posted,
        ready: VecDeque::from([hello(&console, seq)]),
        ends: Instant::now() + LONGEST,
        _may: may,
        waterway,
        console,
    };
    let events = futures_util::stream::unfold(viewer, |mut viewer| async move {
        let event = viewer.next().await?;
        Some((Ok::<_, Infallible>(event), viewer))
    });
    let response = Sse::new(events).keep_alive(KeepAlive::new().interval(ALIVE)).into_response();
    Ok(if packed::reads_gzip(&headers) { packed::stream(response) } else { response })
}

/// Somebody who looks on.
struct Viewing {
    console: Console,
    waterway: String,
    bbox: Option<Bbox>,
    every: Duration,
    /// Up to here it has what happened to findings.
    seq: i64,
    /// Up to here it has the boats.
    revision: u64,
    /// The boats that it knows.
    sent: BTreeSet<VesselId>,
    /// What it was told of them, in the compact form.
    told: Option<Told>,
    /// When boats are to be sent again.
    due: Instant,
    /// When the store is to be looked into again.
    look: Instant,
    found: broadcast::Receiver<Arc<Kept>>,
    outcomes: watch::Receiver<u64>,
    law: watch::Receiver<Arc<InForce>>,
    posted: watch::Receiver<Arc<Vec<Posted>>>,
    ready: VecDeque<Event>,
    ends: Instant,
    _may: OwnedSemaphorePermit,
}

impl Viewing {
    /// The next event; `None` where the daemon stops, or who listens is to show again that they may.
    async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(event);
            }
            let now = Instant::now();
            if self.ends <= now {
                return None;
            }
            if self.due <= now {
                self.due = now + self.every;
                self.boats();
                continue;
            }
            if self.look <= now {
                self.look = now + LOOK;
                self.happenings().await;
                continue;
            }
            let desk = self.console.desk().clone();
            tokio::select! {
                () = desk.stopped() => return None,
                changed = self.law.changed() => {
                    changed.ok()?;
                    self.law.mark_unchanged();
                    self.tell_law().await;
                }
                changed = self.posted.changed() => {
                    changed.ok()?;
                    self.posted.mark_unchanged();
                    self.tell_posted().await;
                }
                found = self.found.recv() => match found {
                    Ok(kept) if kept.finding.waterway.as_str() == self.waterway => self.look = now,
                    // Whoever missed some looks into the store.
                    Err(RecvError::Lagged(_)) => self.look = now,
                    Ok(_) => {}
                    Err(RecvError::Closed) => return None,
                },
                changed = self.outcomes.changed() => {
                    changed.ok()?;
                    self.look = now;
                }
                () = sleep_until(self.due.min(self.look)) => {}
            }
        }
    }

    /// The boats that changed, and those who have gone.
    fn boats(&mut self) {
        let news = self.console.fleet().news(&self.console, &self.waterway, self.revision);
        self.revision = news.revision;
        let mut boats = Vec::new();
        let mut gone = Vec::new();
        for seen in news.boats {
            if self.bbox.is_none_or(|bbox| bbox.holds(seen.lat, seen.lon)) {
                self.sent.insert(seen.id.clone());
                boats.push(seen);
            } else if self.sent.remove(&seen.id) {
                gone.push(seen.id.clone());
            }
        }
        let (fleet, waterway) = (self.console.fleet(), &self.waterway);
        self.sent.retain(|id| {
            let is_there = fleet.is_on(id, waterway);
            if !is_there {
                gone.push(id.clone());
            }
            is_there
        });
        if boats.is_empty() && gone.is_empty() {
            return;
        }
        let at = self.console.desk().now();
        let event = match &mut self.told {
            None => Event::default().event("boats").data(boat::Boats::json(at, &boats, &gone)),
            Some(told) => {
                Event::default().event("fleet").data(told.tell(at, boats.iter().map(|seen| &seen.flat), &gone))
            }
        };
        self.ready.push_back(event);
    }

    /// What happened to findings since it last looked.
    async fn happenings(&mut self) {
        let (waterway, after) = (self.waterway.clone(), self.seq);
        let read = self.console.shelf().read(move |store| store.happenings(&waterway, after, READ)).await;
        // A store that is busy is looked into again.
        let Ok(happenings) = read else { return };
        if happenings.len() == READ {
            self.look = Instant::now();
        }
        let law = self.law.borrow().clone();
        for happening in happenings {
            self.seq = happening.seq();
            let event = Event::default().id(self.seq.to_string());
            let event = match happening {
                Happening::Revision(standing) => {
                    event.event("finding").data(finding::shown(&standing, &law.rulebook).to_string())
                }
                Happening::Outcome(_, outcome, state) => {
                    let entry = finding::ShownOutcome::from(outcome);
                    let data = json!({ "finding": entry.finding(), "entry": entry, "state": state });
                    event.event("outcome").data(data.to_string())
                }
            };
            self.ready.push_back(event);
        }
    }

    async fn tell_law(&mut self) {
        if let Ok(all) = self.console.waterways().await
            && let Some(waterway) = all.into_iter().find(|shown| shown.id() == self.waterway)
        {
            let data = serde_json::to_string(&waterway).expect("a waterway has only keys that are text");
            self.ready.push_back(Event::default().event("law").data(data));
        }
    }

    async fn tell_posted(&mut self) {
        let marks = statement::marks(&self.console, Some(&self.waterway)).await;
        if let Ok(marks) = marks {
            let data = serde_json::to_string(&marks).expect("marks have only keys that are text");
            self.ready.push_back(Event::default().event("marks").data(data));
        }
        if let Ok(all) = self.console.waterways().await
            && let Some(waterway) = all.into_iter().find(|shown| shown.id() == self.waterway)
        {
            let data = serde_json::to_string(&waterway.conditions()).expect("they have only keys that are text");
            self.ready.push_back(Event::default().event("conditions").data(data));
        }
    }
}

fn hello(console: &Console, seq: i64) -> Event {
    let data = json!({ "seq": seq, "version": env!("CARGO_PKG_VERSION"), "at": console.desk().now() });
    Event::default().event("hello").data(data.to_string())
}
