//! Versions of maps that are published for a later day, made ready before it comes.
//!
//! Such a version says what it changes in the file it was made for. Whenever the law in force or the list of such
//! versions changes, each is merged with what is in force, in the order in which they come, and checked whole; the
//! keeper then only has to put it in place. One that does not go together with what came between is kept back and
//! told, and tried again after the next change.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{sleep, timeout};

use super::board::Board;
use super::work::Work;
use crate::draft::{Collection, file_of, merge};
use crate::observation::WaterwayId;
use crate::rulebook::Rulebook;
use crate::store::{ComingVersion, Law, Sqlite, StoreError};
use crate::time::EventTime;
use crate::zones::{Map, ZoneFile, version_of};

/// How long it waits before it reads the store again, where that failed.
const RETRY: Duration = Duration::from_secs(5);

/// A waterway, and the number of a version of its map.
pub type VersionOf = (String, u32);

/// A version that is ready to come into force.
#[derive(Debug, Clone)]
pub struct Coming {
    /// Which one.
    pub of: VersionOf,
    /// From when on it holds, by the time of fixes.
    pub valid_from: EventTime,
    /// The law it follows: under another one it has to be made ready again.
    pub follows: Arc<str>,
    /// The law with it.
    pub law: Law,
    /// Its map.
    pub map: Arc<Map>,
    /// Its rulebook.
    pub rulebook: Arc<Rulebook>,
    /// The file as it has to be before.
    pub before: ZoneFile,
    /// The file as it is to be.
    pub after: Vec<u8>,
    /// Content hash of that.
    pub version: String,
}

/// What is to come.
#[derive(Debug, Default)]
pub struct Foreseen {
    /// What is ready, in the order in which it comes, each on top of the one before.
    pub coming: Vec<Coming>,
    /// Why others are not.
    pub faults: BTreeMap<VersionOf, String>,
}

/// Makes versions ready, in the order given, on top of a law.
pub fn foresee(versions: &[ComingVersion], law: &Law) -> Foreseen {
    let mut foreseen = Foreseen::default();
    let mut law = law.clone();
    for version in versions {
        match ready(version, &law) {
            Ok(coming) => {
                law = coming.law.clone();
                foreseen.coming.push(coming);
            }
            Err(fault) => drop(foreseen.faults.insert((version.waterway.clone(), version.n), fault)),
        }
    }
    foreseen
}

fn ready(coming: &ComingVersion, law: &Law) -> Result<Coming, String> {
    let waterway = WaterwayId::new(&coming.waterway).map_err(|error| error.to_string())?;
    let before = file_of(&law.zones, &waterway).cloned().ok_or("no file of the map in force has its waterway")?;
    let read = |bytes: &[u8]| Collection::parse(bytes).map_err(|error| error.to_string());
    let (base, mine, theirs) = (read(&coming.base)?, read(&coming.file)?, read(&before.bytes)?);
    let merged = merge(&base, &mine, &theirs).map_err(|conflicts| {
        let ids: Vec<&str> = conflicts.iter().map(|conflict| conflict.id.as_str()).collect();
        format!("{} has been changed since, and it changes that too; withdraw it and publish it anew", ids.join(", "))
    })?;
    // What is in force already is not written anew.
    let after = if merged == theirs { before.bytes.clone() } else { merged.to_text().into_bytes() };
    let with = |file: &ZoneFile| {
        let bytes = if file.name == before.name { after.clone() } else { file.bytes.clone() };
        ZoneFile { name: file.name.clone(), bytes }
    };
    let zones = law.zones.iter().map(with).collect();
    let new = Law::new(zones, law.rulebook_name.clone(), law.rulebook.clone());
    let (map, rulebook) = new.check()?;
    if !map.waterways.iter().any(|place| place.id == waterway) {
        return Err("the map would have no water of this id".to_owned());
    }
    Ok(Coming {
        of: (coming.waterway.clone(), coming.n),
        valid_from: coming.valid_from,
        follows: law.version.clone(),
        version: version_of(&after),
        law: new,
        map,
        rulebook,
        before,
        after,
    })
}

/// What is to come by a store, on top of one of its laws.
///
/// # Errors
/// [`StoreError`].
pub(super) fn of_store(store: &Sqlite, law: &str) -> Result<Foreseen, StoreError> {
    let versions = store.coming_versions()?;
    if versions.is_empty() {
        return Ok(Foreseen::default());
    }
    Ok(foresee(&versions, &store.law(law)?))
}

/// Makes ready what is to come until the daemon stops.
pub(super) async fn run(
    path: PathBuf,
    inbox: flume::Sender<Work>,
    board: Board,
    mut changes: watch::Receiver<u64>,
    mut stop: watch::Receiver<bool>,
) {
    let mut law = board.law();
    loop {
        let version = law.borrow_and_update().version.clone();
        changes.borrow_and_update();
        let (path, of) = (path.clone(), version.clone());
        let read = tokio::task::spawn_blocking(move || of_store(&Sqlite::open_to_read(&path)?, &of));
        match read.await {
            Ok(Ok(foreseen)) => {
                for ((waterway, n), fault) in &foreseen.faults {
                    tracing::warn!(waterway, n, fault, "a version of the map cannot come into force as it is");
                }
                board.set_coming_faults(foreseen.faults);
                if inbox.send_async(Work::Coming(foreseen.coming)).await.is_err() {
                    return;
                }
            }
            Ok(Err(error)) => {
                tracing::warn!(%error, "what is published for a later day cannot be read; trying again");
                if timeout(RETRY, super::stopped(&mut stop)).await.is_ok() {
                    return;
                }
                continue;
            }
            // It panicked, which has been told.
            Err(_) => sleep(RETRY).await,
        }
        tokio::select! {
            changed = law.wait_for(|law| law.version != version) => if changed.is_err() { return },
            changed = changes.changed() => if changed.is_err() { return },
            () = super::stopped(&mut stop) => return,
        }
    }
}
