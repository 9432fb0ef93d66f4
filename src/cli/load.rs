//! Reads map and rulebook from files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::args::Law;
use crate::rulebook::{Rulebook, SHIPPED};
use crate::zones::{Map, MapOptions, ZoneFile};

/// Map and rulebook, or what stops the work.
pub fn law(law: &Law) -> Result<(Arc<Map>, Arc<Rulebook>), String> {
    let text = match std::fs::read_to_string(&law.rules) {
        Ok(text) => text,
        Err(error) => match SHIPPED.iter().find(|(name, _)| law.rules.ends_with(name) && !law.rules.exists()) {
            Some((_, text)) => (*text).to_owned(),
            None => return Err(format!("{}: cannot be read: {error}", law.rules.display())),
        },
    };
    let rulebook = Rulebook::from_toml(&law.rules.display().to_string(), &text)
        .map_err(|errors| errors.iter().map(|error| error.to_string()).collect::<Vec<_>>().join("\n"))?;
    let mut files = Vec::new();
    for path in &law.zones {
        for file in zone_files(path).map_err(|error| format!("{}: {error}", path.display()))? {
            let bytes = std::fs::read(&file).map_err(|error| format!("{}: {error}", file.display()))?;
            files.push(ZoneFile { name: file.display().to_string(), bytes });
        }
    }
    let options = MapOptions { max_link_m: rulebook.motion.max_link_m, ..MapOptions::default() };
    let (map, faults) = Map::from_files(&files, &options);
    for fault in &faults {
        eprintln!("{fault}");
    }
    if map.waterways.is_empty() {
        return Err("no waterway".to_owned());
    }
    Ok((Arc::new(map), Arc::new(rulebook)))
}

fn zone_files(path: &Path) -> std::io::Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut files: Vec<PathBuf> = std::fs::read_dir(path)?
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|e| e == "geojson" || e == "json"))
        .collect();
    files.sort();
    Ok(files)
}
