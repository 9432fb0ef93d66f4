//! What the tests are built with: reading maps and recordings.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use buoyline::replay::driver::{self, Job, Outcome};
use buoyline::rulebook::Rulebook;
use buoyline::zones::{Map, MapOptions, ZoneFile};

/// A path inside `tests/`.
pub fn tests_path(relative: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(relative)
}

/// The default rulebook.
pub fn spokane() -> Arc<Rulebook> {
    Arc::new(Rulebook::spokane())
}

/// The map in a file, or in all files of a folder.
pub fn map_of(path: &Path) -> Arc<Map> {
    let mut files = vec![path.to_owned()];
    if path.is_dir() {
        files = std::fs::read_dir(path).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
        files.sort();
    }
    let files: Vec<ZoneFile> = files
        .into_iter()
        .map(|path| ZoneFile {
            name: path.file_name().expect("a name").to_string_lossy().into_owned(),
            bytes: std::fs::read(&path).expect("a zone file"),
        })
        .collect();
    Arc::new(Map::from_files(&files, &MapOptions::default()).0)
}

/// Judges recordings offline, as `buoyline replay` does.
pub fn replay(tracks: &[PathBuf], map: &Arc<Map>, rulebook: &Arc<Rulebook>) -> Outcome {
    let job = Job { tracks: tracks.to_vec(), accounts: true, ..Job::default() };
    driver::judge(&job, map, rulebook, &mut |_| {})
}
