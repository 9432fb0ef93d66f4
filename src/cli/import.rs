//! `buoyline import`: maps of other tools become one zone file that `check` takes.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use geojson::Feature;
use indexmap::IndexMap;

use super::args::Import;
use super::check::{sort, write_faults};
use super::law::{self, Fault, counted};
use super::{Ending, print, tell};
use crate::import::{self, Beside, Cause, Collection, Drawn, Left, Mapping, Source};
use crate::zones::{Severity, ZoneFile};

/// The largest file that is imported, bytes: a layer of a whole state's waters.
const SOURCE_BYTES_MAX: u64 = 256 << 20;

pub(super) fn run(args: &Import) -> Ending {
    let rulebook = match law::rulebook_at(args.rules.as_deref()) {
        Ok(rulebook) => rulebook,
        Err(faults) => {
            faults.iter().for_each(|fault| tell(&fault.text));
            return Ending::Faulty;
        }
    };
    let Some(drawn) = read_all(args) else { return Ending::Faulty };
    let mapping = Mapping {
        kinds: args.kind.clone(),
        only: args.only.clone(),
        waterway_id: args.id.clone(),
        speed_limit: args.speed_limit,
    };
    mapping.in_vain(&drawn).iter().for_each(|text| tell(format_args!("warning: {text}")));
    let mut collection = match mapping.collect(drawn) {
        Ok(collection) => collection,
        Err(reason) => {
            tell(format_args!("error: {reason}"));
            return Ending::Faulty;
        }
    };
    let name = args.output.display().to_string();
    set_aside(&mut collection, &name, &rulebook);
    tell_left(&collection.left);
    if collection.features.is_empty() {
        tell(format_args!("error: nothing is left to write; {}", mend_of(&collection.left)));
        return Ending::Faulty;
    }
    let file = ZoneFile { name: name.clone(), bytes: text_of(&collection).into_bytes() };
    if let Err(ending) = write(&args.output, &file.bytes) {
        return ending;
    }
    tell(format_args!("{name}: {}", kinds_in(&collection)));
    let files = [file];
    let (_, mut faults) = law::check(&files, Some(&rulebook));
    sort(&mut faults);
    let mut text = Vec::new();
    match write_faults(&faults, &files, &mut text) {
        Ok(_) => tell(String::from_utf8_lossy(&text).trim_end()),
        Err(error) => tell(format_args!("error: {error}")),
    }
    if !collection.features.iter().any(|(feature, _)| kind_of(feature) == "waterway") {
        tell("note: without its water the file cannot be used alone; import the water's outline together with it");
    }
    if faults.iter().any(|fault| fault.severity == Severity::Error) { Ending::Faulty } else { Ending::Done }
}

/// What to do where everything was left out.
fn mend_of(left: &[Left]) -> &'static str {
    let is_any = |cause: Cause| left.iter().any(|one| one.cause == cause);
    match () {
        () if is_any(Cause::NoKind) => "say what kind things are with --kind, as in --kind TYPE=DOCK:dock",
        () if is_any(Cause::Unusable) => "what was asked for cannot be used, for the reasons above",
        () if is_any(Cause::NotAsked) => "ask for something that is there with --where, or leave it out",
        () => "the files draw nothing; export the layer again",
    }
}

/// Everything that the files draw; `None` where one of them cannot be read.
fn read_all(args: &Import) -> Option<Vec<Drawn>> {
    let mut all = Vec::new();
    let mut is_whole = true;
    for path in &args.files {
        let name = path.display().to_string();
        let bytes = crate::law::read_at_most(path, SOURCE_BYTES_MAX, "export only the part around the water");
        let read = match bytes.and_then(|bytes| Ok((bytes, beside(path)?))) {
            Ok((bytes, beside)) => import::read(&Source { name: name.clone(), bytes, beside }),
            Err(reason) => {
                tell(format_args!("error: {name}: {reason}"));
                is_whole = false;
                continue;
            }
        };
        match read {
            Ok(drawn) => {
                let mut types: BTreeMap<&str, usize> = BTreeMap::new();
                for one in &drawn {
                    *types.entry(one.geometry.as_ref().map_or("unusable", |g| g.type_name())).or_default() += 1;
                }
                let types: Vec<String> = types.into_iter().map(|(name, count)| format!("{count} {name}")).collect();
                let positions = drawn.iter().filter_map(|one| one.geometry.as_ref().ok()).map(import::position_count);
                let positions = counted(positions.sum(), "position");
                tell(format_args!("{name}: {} ({}), {positions}", counted(drawn.len(), "feature"), types.join(", ")));
                all.extend(drawn);
            }
            Err(error) => {
                tell(format_args!("error: {name}: {error}"));
                is_whole = false;
            }
        }
    }
    is_whole.then_some(all)
}

/// The other files of a shapefile: same name, other endings in any case.
///
/// # Errors
/// Which of them is there but cannot be read.
fn beside(path: &Path) -> Result<Beside, String> {
    let is_shape = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("shp"));
    let find = |ending: &str| -> Result<Option<Vec<u8>>, String> {
        let endings = [ending.to_owned(), ending.to_uppercase()];
        let Some(path) = endings.iter().map(|ending| path.with_extension(ending)).find(|path| path.exists()) else {
            return Ok(None);
        };
        let read = crate::law::read_at_most(&path, SOURCE_BYTES_MAX, "export only the part around the water");
        read.map(Some).map_err(|reason| format!("its .{ending} {reason}"))
    };
    if !is_shape {
        return Ok(Beside::default());
    }
    Ok(Beside { dbf: find("dbf")?, prj: find("prj")?, cpg: find("cpg")? })
}

/// Leaves out what `check` would set aside, each with its reason.
fn set_aside(collection: &mut Collection, name: &str, rulebook: &crate::rulebook::Rulebook) {
    let file = ZoneFile { name: name.to_owned(), bytes: text_of(collection).into_bytes() };
    let (map, faults) = law::check(&[file], Some(rulebook));
    // Of some a part alone was set aside, and the rest is on the map.
    let is_used = |fault: &Fault| {
        let is_part = fault.path.as_deref().is_some_and(|path| path.contains(".geometry.coordinates["));
        let features = || map.waterways.iter().flat_map(|waterway| &waterway.features);
        is_part && features().any(|feature| fault.feature_id.as_deref() == Some(&*feature.id))
    };
    let mut reasons: BTreeMap<usize, String> = BTreeMap::new();
    for fault in faults.iter().filter(|fault| fault.severity == Severity::Error && !is_used(fault)) {
        if let Some(index) = fault.feature_index {
            let mend = fault.mend.as_deref().map_or_else(String::new, |mend| format!("; {mend}"));
            reasons.entry(index).or_insert_with(|| format!("{}{mend}", fault.reason));
        }
    }
    let features = std::mem::take(&mut collection.features);
    for (i, (feature, place)) in features.into_iter().enumerate() {
        match reasons.remove(&i) {
            None => collection.features.push((feature, place)),
            Some(reason) => collection.left.push(Left { place, says: says(&feature), reason, cause: Cause::Unusable }),
        }
    }
}

fn says(feature: &Feature) -> String {
    let property = |key: &str| Some(format!("{key}={}", feature.property(key)?.as_str()?));
    ["kind", "name"].into_iter().filter_map(property).collect::<Vec<_>>().join(", ")
}

/// The zone file, a feature a line.
fn text_of(collection: &Collection) -> String {
    let lines: Vec<String> = collection.features.iter().map(|(feature, _)| feature.to_string()).collect();
    format!("{{\"type\": \"FeatureCollection\", \"features\": [\n{}\n]}}\n", lines.join(",\n"))
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Ending> {
    if path == Path::new("-") {
        return match print(|out| out.write_all(bytes)) {
            Ending::Done => Ok(()),
            ending => Err(ending),
        };
    }
    let written = File::create(path).map(BufWriter::new).and_then(|mut out| {
        out.write_all(bytes)?;
        out.flush()
    });
    written.map_err(|error: io::Error| {
        tell(format_args!("error: {}: cannot be written: {error}", path.display()));
        Ending::Faulty
    })
}

fn kind_of(feature: &Feature) -> &str {
    feature.property("kind").and_then(|kind| kind.as_str()).unwrap_or_default()
}

/// "1 waterway, 32 docks".
fn kinds_in(collection: &Collection) -> String {
    let mut kinds: IndexMap<&str, usize> = IndexMap::new();
    for (feature, _) in &collection.features {
        *kinds.entry(kind_of(feature)).or_default() += 1;
    }
    let kinds: Vec<String> = kinds.into_iter().map(|(kind, count)| counted(count, kind)).collect();
    kinds.join(", ")
}

/// How many examples are named for a reason.
const EXAMPLES_MAX: usize = 3;

fn tell_left(left: &[Left]) {
    let mut reasons: IndexMap<&str, Vec<&Left>> = IndexMap::new();
    for one in left {
        reasons.entry(&one.reason).or_default().push(one);
    }
    for (reason, all) in reasons {
        let mut text = format!("left out, {}: {reason}", counted(all.len(), "feature"));
        for one in all.iter().take(EXAMPLES_MAX) {
            let says = if one.says.is_empty() { String::new() } else { format!(": {}", one.says) };
            let _ = write!(text, "\n  {}{says}", one.place);
        }
        if all.len() > EXAMPLES_MAX {
            text.push_str("\n  …");
        }
        tell(text);
    }
}
