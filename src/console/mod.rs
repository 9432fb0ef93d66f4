//! The web console: what people and other programs see of the daemon over HTTP, and what they may say to it.
//!
//! ```text
//! browser ── assets ─────────────── the page itself, built into the program
//!         ── /api/v1 ── who ─┬───── waterways, boats, stream      the board of the daemon
//!                            ├───── findings, outcomes, quiet     the store
//!                            ├───── marks, tows, conditions ────▶ the desk of the daemon, into the log
//!                            └───── session, accounts, audit      the store
//! ```
//!
//! A resource is one file with its `routes`; `api.rs` has the list of them. A handler says who may call it by
//! what it takes: [`Viewer`], [`Officer`], [`Manager`], [`Admin`], or [`Anybody`]. What cannot be done is a [`Problem`].
//! The description of all of it (OpenAPI) is made from the handlers.
//!
//! What is not here: judging (the console only reads what was judged), and anything a tracker says.

mod access;
mod account;
mod api;
mod assets;
mod bbox;
mod chart;
mod docs;
mod edit;
mod finding;
mod headers;
mod health;
mod judged;
mod limit;
mod live;
mod ogc;
mod packed;
mod problem;
mod public;
mod review;
mod rulebooks;
mod secret;
mod session;
mod shelf;
mod statement;
mod vessels;
mod wall;
mod waterway;
mod who;

use std::sync::Arc;

use axum::Router;
use axum::extract::FromRef;
use tokio::sync::{Semaphore, watch};

pub use access::Settings;
pub use problem::Problem;
pub use secret::FirstLogin;
pub use shelf::Shelf;
pub use who::{Admin, Anybody, Manager, Officer, Viewer, Who};

use crate::serve::Desk;
use crate::time::EventTime;
use limit::Limits;

/// Passwords that are hashed at a time.
const HASHES: usize = 2;
/// Streams that are open at a time.
const LISTENERS: usize = 1_000;

/// What all handlers share. Cheap to clone.
#[derive(Clone)]
pub struct Console {
    inner: Arc<Inner>,
}

struct Inner {
    desk: Desk,
    shelf: Shelf,
    settings: Settings,
    limits: Limits,
    charts: waterway::Charts,
    fleet: live::Fleet,
    jobs: edit::Jobs,
    roster: vessels::Roster,
    /// Held by who publishes a map.
    publishing: tokio::sync::Mutex<()>,
    /// Counts the outcomes that were added since it began, for those who look on.
    outcomes: watch::Sender<u64>,
    rates: health::Rates,
    /// Hashing a password takes much memory.
    may_hash: Semaphore,
    /// Those who listen to streams.
    may_listen: Arc<Semaphore>,
    started: EventTime,
    /// What pseudonyms are made with.
    wall_key: Vec<u8>,
    /// What requests of somebody without a session carry, where no login is needed.
    open_csrf: String,
}

impl Console {
    /// The daemon: its board, its clock, and its log for what is stated.
    pub fn desk(&self) -> &Desk {
        &self.inner.desk
    }

    /// The store.
    pub fn shelf(&self) -> &Shelf {
        &self.inner.shelf
    }

    /// How the console is set.
    pub fn settings(&self) -> &Settings {
        &self.inner.settings
    }

    /// The boats.
    fn fleet(&self) -> &live::Fleet {
        &self.inner.fleet
    }

    /// What is judged again for somebody.
    fn jobs(&self) -> &edit::Jobs {
        &self.inner.jobs
    }

    /// Who is in the log.
    fn roster(&self) -> &vessels::Roster {
        &self.inner.roster
    }

    /// Waits for whoever else publishes a map.
    async fn publishing(&self) -> tokio::sync::MutexGuard<'_, ()> {
        self.inner.publishing.lock().await
    }

    /// Told whenever an outcome was added.
    fn outcomes(&self) -> watch::Receiver<u64> {
        self.inner.outcomes.subscribe()
    }

    fn outcome_added(&self) {
        self.inner.outcomes.send_modify(|n| *n += 1);
    }

    /// How much anybody may ask for.
    fn limits(&self) -> &Limits {
        &self.inner.limits
    }
}

impl FromRef<Console> for Shelf {
    fn from_ref(console: &Console) -> Self {
        console.shelf().clone()
    }
}

/// The console of a daemon, and the login of its first admin where one had to be made.
///
/// # Errors
/// The store cannot be opened or written, or the base map is no such thing.
pub fn open(desk: Desk, settings: Settings) -> Result<(Router, Option<FirstLogin>), String> {
    let policy = headers::policy(&settings.base_map)?;
    let shelf = Shelf::open(desk.store()).map_err(|error| error.to_string())?;
    let first = if settings.is_open { None } else { secret::first_login(&shelf, desk.now())? };
    let fleet = live::Fleet::default();
    let tows = shelf.read_now(|store| store.last_statements("tow")).map_err(|error| error.to_string())?;
    fleet.declare(tows.into_iter().map(|(vessel, by, t, _)| (vessel, by, t)));
    let open_csrf = secret::random_text();
    let wall_key = wall::key(&shelf).map_err(|error| error.to_string())?;
    let (started, rates) = (desk.now(), Default::default());
    let inner = Inner {
        rates,
        may_hash: Semaphore::new(HASHES),
        may_listen: Arc::new(Semaphore::new(LISTENERS)),
        started,
        desk,
        shelf,
        settings,
        limits: Limits::default(),
        charts: Default::default(),
        fleet,
        jobs: Default::default(),
        roster: Default::default(),
        publishing: Default::default(),
        outcomes: watch::Sender::default(),
        wall_key,
        open_csrf,
    };
    let console = Console { inner: Arc::new(inner) };
    Ok((api::router(console, policy), first))
}
