//! What the tests are built with: maps and recordings from files, random scenarios, comparisons.

pub mod http;
pub mod judged;
pub mod plane;
pub mod rng;
pub mod scan;
pub mod scenario;
pub mod site;
mod skiing;
pub mod stage;

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

/// Checks a law on seeds; every seed that breaks it is named with what it found.
pub fn sweep(count: u64, law: impl Fn(u64) -> Vec<String>) {
    let mut broken = Vec::new();
    let seeds = rng::seeds(count);
    for seed in seeds.clone() {
        let found = law(seed);
        if !found.is_empty() {
            let more = found.len().saturating_sub(4);
            broken.push(format!("seed {seed}: {}\n  and {more} more", found[..found.len().min(4)].join("\n  ")));
        }
    }
    let shown = broken.len().min(5);
    assert!(
        broken.is_empty(),
        "{} of {} seeds break the law:\n{}",
        broken.len(),
        seeds.end - seeds.start,
        broken[..shown].join("\n")
    );
}

/// A folder that is removed when its test is over.
pub fn scratch() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder for temporary files")
}

/// Writes a recording and says where.
pub fn write_lines(folder: &Path, name: &str, lines: &[String]) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, lines.join("\n") + "\n").expect("a file can be written");
    path
}
