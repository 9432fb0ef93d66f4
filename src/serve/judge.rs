//! The engine as it goes along the log: entry by entry, from the beginning or from a checkpoint.
//!
//! Live and replayed judging are this one thing, so they give the same findings, byte for byte. The law is part of the
//! log: what is in force changes where the log says so.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::engine::{Account, Engine, Event, Input, Posted, Regard, SnapshotError};
use crate::export;
use crate::findings::Finding;
use crate::observation::{RefusalReason, VesselId, WaterwayId};
use crate::rulebook::Rulebook;
use crate::store::{Checkpoint, Content, Kept, Log, Logged, Snapshots, Sqlite, StoreError};
use crate::time::EventTime;
use crate::zones::Map;

/// How many entries are read from the log at a time.
const READ: usize = 4_096;

/// Why the log cannot be judged.
#[derive(Debug, thiserror::Error)]
pub enum JudgeError {
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Nothing was ever in force.
    #[error("the store has no law yet: nothing has been judged with it")]
    Lawless,
    /// What was in force cannot be read any more.
    #[error("law {version} cannot be read by this Buoyline: {reason}")]
    Law {
        /// Which one.
        version: String,
        /// What is wrong.
        reason: String,
    },
    /// The state cannot be kept.
    #[error("the state of the judge cannot be kept: {0}")]
    Snapshot(#[from] SnapshotError),
}

/// What came of entries of the log.
#[derive(Debug, Default)]
pub struct Judged {
    /// Revisions of findings, in order, each with the entry that led to it.
    pub findings: Vec<(u64, Finding, String)>,
    /// Fixes that were judged.
    pub accepted: u64,
    /// Fixes that were not.
    pub refused: Vec<RefusedFix>,
}

/// A fix that was not judged.
#[derive(Debug, Clone, PartialEq)]
pub struct RefusedFix {
    /// Its entry of the log.
    pub position: u64,
    /// Whose it is.
    pub vessel: VesselId,
    /// Its time.
    pub t: EventTime,
    /// Why.
    pub reason: RefusalReason,
}

/// The engine at a position of the log.
pub struct Judge {
    engine: Engine,
    position: u64,
    law: Arc<str>,
    events: Vec<Event>,
    /// Rulebooks that findings may still close under.
    rulebooks: BTreeMap<Arc<str>, Arc<Rulebook>>,
}

impl Judge {
    /// A judge that goes on from the newest checkpoint at or before a position, or from the beginning of the log where
    /// there is none that this Buoyline can take up.
    ///
    /// # Errors
    /// [`JudgeError`].
    pub fn resume(store: &Sqlite, at_or_before: u64) -> Result<Self, JudgeError> {
        if let Some(checkpoint) = store.checkpoint(at_or_before)? {
            let (map, rulebook) = read_law(store, &checkpoint.law)?;
            let snapshots = checkpoint.snapshots.iter().map(Vec::as_slice);
            match Engine::restore(map, rulebook, snapshots) {
                Ok(engine) => return Ok(Self::at(checkpoint.position, checkpoint.law.as_str().into(), engine)),
                Err(error) => tracing::warn!(
                    %error,
                    position = checkpoint.position,
                    "a state of the judge cannot be taken up; judging from the beginning of the log"
                ),
            }
        }
        Self::from_the_beginning(store)
    }

    /// A judge that has seen nothing yet, at the first law of the log.
    ///
    /// # Errors
    /// [`JudgeError`].
    pub fn from_the_beginning(store: &Sqlite) -> Result<Self, JudgeError> {
        let mut after = 0;
        loop {
            let entries = store.read(after, READ)?;
            let Some(last) = entries.last() else { return Err(JudgeError::Lawless) };
            after = last.position;
            if let Some((position, version)) = entries.iter().find_map(|entry| match &entry.content {
                Content::Law(version) => Some((entry.position, version.clone())),
                _ => None,
            }) {
                let (map, rulebook) = read_law(store, &version)?;
                return Ok(Self::at(position, version, Engine::new(map, rulebook)));
            }
        }
    }

    fn at(position: u64, law: Arc<str>, engine: Engine) -> Self {
        let rulebook = engine.rulebook().clone();
        let rulebooks = BTreeMap::from([(rulebook.version.clone(), rulebook)]);
        Self { engine, position, law, events: Vec::new(), rulebooks }
    }

    /// Also keeps account of how long each rule could be judged.
    pub fn keep_accounts(&mut self) {
        self.engine.keep_accounts();
    }

    /// How long each rule could be judged for each vessel, where that was asked for.
    pub fn into_accounts(mut self) -> Vec<(VesselId, Account)> {
        // Ending everything completes the accounts; what that closes is still open in the log.
        self.engine.finish(&mut self.events);
        self.engine.accounts()
    }

    /// The last entry that has been judged.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// The version of the law in force.
    pub fn law(&self) -> &Arc<str> {
        &self.law
    }

    /// The engine, to be asked what holds for whom.
    pub fn engine_mut(&mut self) -> &mut Engine {
        &mut self.engine
    }

    /// The map in force.
    pub fn map(&self) -> &Arc<Map> {
        self.engine.map()
    }

    /// The rulebook in force.
    pub fn rulebook(&self) -> &Arc<Rulebook> {
        self.engine.rulebook()
    }

    /// All rulebooks that were in force since it began, by version.
    pub fn rulebooks(&self) -> impl Iterator<Item = &Arc<Rulebook>> {
        self.rulebooks.values()
    }

    /// How many vessels are known.
    pub fn vessel_count(&self) -> usize {
        self.engine.vessel_count()
    }

    /// How late it is on each waterway, and last on none, by what was heard there.
    pub fn clocks(&self) -> impl Iterator<Item = (Option<&WaterwayId>, EventTime)> {
        self.engine.clocks()
    }

    /// What is known of a vessel at its newest fix.
    pub fn regard(&mut self, vessel: &VesselId) -> Option<Regard> {
        self.engine.regard(vessel)
    }

    /// What lies on the waters beside the map.
    pub fn posted(&self) -> Vec<Posted> {
        self.engine.posted()
    }

    /// Judges one entry, the next one of the log.
    ///
    /// # Errors
    /// [`JudgeError`], only for an entry that puts a law in force.
    pub fn take(&mut self, store: &Sqlite, entry: &Logged, judged: &mut Judged) -> Result<(), JudgeError> {
        match &entry.content {
            Content::Observation(observation) => {
                self.engine.observe(entry.position, observation, &mut self.events);
            }
            Content::Clock(waterway, t) => {
                self.engine.push(entry.position, Input::Clock(waterway.clone(), *t), &mut self.events);
            }
            Content::Law(version) if *version != self.law => self.change_law(store, entry.position, version)?,
            Content::Law(_) => {}
        }
        self.position = entry.position;
        self.gather(judged);
        Ok(())
    }

    fn change_law(&mut self, store: &Sqlite, position: u64, version: &Arc<str>) -> Result<(), JudgeError> {
        let (map, rulebook) = read_law(store, version)?;
        // Links of buoy lines are derived with the rulebook, so another rulebook may mean another map.
        let links_differ = rulebook.motion.max_link_m.to_bits() != self.engine.rulebook().motion.max_link_m.to_bits();
        if rulebook.version != self.engine.rulebook().version {
            self.rulebooks.insert(rulebook.version.clone(), rulebook.clone());
            self.engine.push(position, Input::Rulebook(rulebook), &mut self.events);
        }
        if links_differ || map.version != self.engine.map().version {
            self.engine.push(position, Input::Map(map), &mut self.events);
        }
        self.law = version.clone();
        Ok(())
    }

    /// Judges everything behind its position, up to and with `end`. `each` is given what came of a stretch of it.
    ///
    /// # Errors
    /// [`JudgeError`].
    pub fn catch_up(&mut self, store: &Sqlite, end: u64, each: &mut dyn FnMut(Judged)) -> Result<(), JudgeError> {
        while self.position < end {
            let entries = store.read(self.position, READ)?;
            if entries.is_empty() {
                break;
            }
            let mut judged = Judged::default();
            for entry in entries.iter().take_while(|entry| entry.position <= end) {
                self.take(store, entry, &mut judged)?;
            }
            each(judged);
            if entries.last().is_some_and(|last| last.position > end) {
                break;
            }
        }
        Ok(())
    }

    fn gather(&mut self, judged: &mut Judged) {
        let mut events = std::mem::take(&mut self.events);
        for event in events.drain(..) {
            match event {
                Event::Accepted { count } => judged.accepted += count,
                Event::Refused { position, vessel, t, reason } => {
                    judged.refused.push(RefusedFix { position, vessel, t, reason });
                }
                Event::Idle { what } => tracing::warn!("a message changes nothing: {what}"),
                Event::Lifted { .. } | Event::Appeared { .. } => {}
                Event::Finding(finding) => {
                    let in_force = self
                        .rulebooks
                        .get(&finding.rulebook_version)
                        .is_none_or(|rulebook| rulebook.in_force(finding.start));
                    let json = export::finding_line(&finding, in_force);
                    judged.findings.push((self.position, *finding, json));
                }
            }
        }
        self.events = events;
    }

    /// Its state, to go on from later.
    ///
    /// # Errors
    /// [`JudgeError::Snapshot`].
    pub fn checkpoint(&self, made_at: EventTime) -> Result<Checkpoint, JudgeError> {
        let places = self.engine.map().waterways.iter().map(|waterway| Some(&waterway.id)).chain([None]);
        let snapshots = places.map(|place| self.engine.snapshot(place)).collect::<Result<_, _>>()?;
        Ok(Checkpoint { position: self.position, law: self.law.to_string(), made_at, snapshots })
    }
}

impl Judged {
    /// What is kept of its findings.
    pub fn kept(self, made_at: EventTime) -> impl Iterator<Item = Kept> {
        self.findings.into_iter().map(move |(position, finding, json)| Kept {
            finding,
            json,
            position,
            made_at,
            is_amended: false,
        })
    }
}

/// Reads a law that has been in force.
pub(super) fn read_law(store: &Sqlite, version: &str) -> Result<(Arc<Map>, Arc<Rulebook>), JudgeError> {
    let law = store.law(version)?;
    law.read().map_err(|reason| JudgeError::Law { version: version.to_owned(), reason })
}
