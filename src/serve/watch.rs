//! Watches the files of map and rulebook, and has what is in order put in force.
//!
//! Editors save by renaming, `git pull` and containers swap links, and a container's mount of a single file says
//! nothing at all when it changes. So folders are watched rather than files, a burst of events is waited out, and the
//! contents are compared now and then whatever was heard.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use notify::{Event, RecursiveMode, Watcher};
use tokio::sync::{mpsc, watch};
use tokio::time::{sleep, timeout};

use super::board::Board;
use super::work::Work;
use crate::law;
use crate::rulebook::Rulebook;
use crate::store::Law;
use crate::zones::Map;

/// A file that is being written is left alone until nothing has happened for so long.
const SETTLED: Duration = Duration::from_millis(300);
/// But no longer than this: something may go on for ever.
const SETTLED_MAX: Duration = Duration::from_secs(3);
/// How often contents are compared although nothing was heard.
const POLL: Duration = Duration::from_secs(10);

/// A law that is in order.
pub type Checked = (Law, Arc<Map>, Arc<Rulebook>);

/// Reads the law from where the settings say, or from what is built in where the default paths are missing, and checks
/// it whole.
///
/// # Errors
/// Everything that is wrong with it.
pub fn read(zones: &[PathBuf], rules: &Path) -> Result<Checked, String> {
    let files = if zones == [PathBuf::from(law::ZONES)] && !zones[0].exists() {
        vec![law::built_in_zones()]
    } else {
        let (files, unread) = law::zone_files(zones);
        if !unread.is_empty() {
            return Err(unread.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "));
        }
        files
    };
    let (name, text) = if rules == Path::new(law::RULES) && !rules.exists() {
        law::built_in_rulebook()
    } else {
        (rules.display().to_string(), law::rulebook_text(rules).map_err(|unread| unread.to_string())?)
    };
    let law = Law::new(files, name, text);
    let (map, rulebook) = law.check()?;
    Ok((law, map, rulebook))
}

/// Watches until the daemon stops.
pub(super) async fn run(
    zones: Vec<PathBuf>,
    rules: PathBuf,
    inbox: flume::Sender<Work>,
    board: Board,
    mut stop: watch::Receiver<bool>,
) {
    let (heard, mut events) = mpsc::channel::<()>(1);
    let watcher = watch_folders(&zones, &rules, heard);
    if let Err(error) = &watcher {
        tracing::warn!(%error, "folders cannot be watched; map and rulebook are compared every {} s", POLL.as_secs());
    }
    let mut told: Option<String> = None;
    let mut sent: Option<Arc<str>> = None;
    loop {
        tokio::select! {
            heard = timeout(POLL, events.recv()) => {
                if matches!(heard, Ok(None)) {
                    // Nothing is watched: what is left is to compare.
                    sleep(POLL).await;
                }
            }
            () = super::stopped(&mut stop) => return,
        }
        let settling = async { while timeout(SETTLED, events.recv()).await.is_ok_and(|event| event.is_some()) {} };
        tokio::select! {
            _ = timeout(SETTLED_MAX, settling) => {}
            () = super::stopped(&mut stop) => return,
        }
        let (of_zones, of_rules) = (zones.clone(), rules.clone());
        // As it is before they are read: a version that comes into force meanwhile writes its file first.
        let in_force = board.law().borrow().version.clone();
        let Ok(read) = tokio::task::spawn_blocking(move || read(&of_zones, &of_rules)).await else { continue };
        match read {
            Ok((law, ..)) if law.version == in_force => {
                sent = None;
                told = None;
                board.meter().law_faults.set(0);
                board.set_law_fault(None);
            }
            Ok((law, ..)) if sent.as_ref() == Some(&law.version) => {}
            Ok((law, map, rulebook)) => {
                sent = Some(law.version.clone());
                told = None;
                board.meter().law_faults.set(0);
                if inbox.send_async(Work::Law(law, map, rulebook)).await.is_err() {
                    return;
                }
            }
            Err(fault) if told.as_ref() != Some(&fault) => {
                tracing::error!(fault, "the changed map or rulebook is not in order; the one before stays in force");
                board.meter().law_faults.inc();
                board.set_law_fault(Some(fault.clone()));
                told = Some(fault);
                sent = None;
            }
            Err(_) => {}
        }
    }
}

/// Watches the folders that the files are in, which see renames and swapped links as well.
fn watch_folders(zones: &[PathBuf], rules: &Path, heard: mpsc::Sender<()>) -> notify::Result<impl Watcher + use<>> {
    // Events tell whole paths.
    let given = zones.iter().map(PathBuf::as_path).chain([rules]);
    let given: Vec<PathBuf> = given.map(std::path::absolute).collect::<Result<_, _>>().map_err(notify::Error::io)?;
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
        if event.map_or(true, |event| concerns(&event, &given)) {
            // One that waits is enough.
            let _ = heard.try_send(());
        }
    })?;
    let mut folders: Vec<PathBuf> = Vec::new();
    for path in zones.iter().map(PathBuf::as_path).chain([rules]) {
        if path.is_dir() {
            folders.push(path.to_owned());
        }
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        folders.push(parent.to_owned());
    }
    folders.sort();
    folders.dedup();
    for folder in folders.iter().filter(|folder| folder.exists()) {
        watcher.watch(folder, RecursiveMode::NonRecursive)?;
    }
    Ok(watcher)
}

/// Whether something happened to one of these files or folders, or in such a folder. The store may lie beside them, and
/// is written all the time; and reading them is no change.
fn concerns(event: &Event, given: &[PathBuf]) -> bool {
    let is_of = |path: &PathBuf| {
        given.iter().any(|given| given.file_name() == path.file_name() || path.parent() == Some(given.as_path()))
    };
    !event.kind.is_access() && (event.paths.is_empty() || event.paths.iter().any(is_of))
}

#[cfg(test)]
mod tests {
    use notify::EventKind;
    use notify::event::{AccessKind, ModifyKind};

    use super::*;

    #[test]
    fn what_happens_beside_the_files_does_not_concern_them() {
        let given = [PathBuf::from("zones"), PathBuf::from("config/rules/mine.toml")];
        let modified = EventKind::Modify(ModifyKind::Any);
        for (kind, path, does) in [
            (modified, "zones/lake.geojson", true),
            (modified, "./zones", true),
            (modified, "zones/..data", true),
            (modified, "config/rules/mine.toml", true),
            (modified, "config/rules/other.toml", false),
            (modified, "./buoyline.db-wal", false),
            (EventKind::Access(AccessKind::Any), "zones/lake.geojson", false),
        ] {
            let event = Event::new(kind).add_path(PathBuf::from(path));
            assert_eq!(concerns(&event, &given), does, "{path}");
        }
    }
}
