//! The code's own rules: what the core never does, which module may use which, and that lists are whole.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Modules in the order in which they build on each other: each uses only those before it.
/// The core comes first; it is pure.
const CORE: &[&str] = &[
    "units",
    "time",
    "geo",
    "observation",
    "ingest",
    "encounter",
    "window",
    "sun",
    "zones",
    "rulebook",
    "track",
    "skier",
    "rules",
    "findings",
    "engine",
];
/// The adapters, which may touch the world.
const ADAPTERS: &[&str] = &[
    "law", "replay", "export", "import", "store", "config", "broker", "draft", "serve", "review", "report", "console",
    "cli",
];

/// A use that goes against the order, and why it is there.
const EXCEPTIONS: &[(&str, &str, &str)] = &[
    ("observation", "zones", "a mark is a zone that somebody put on the water: it has a zone's kind and shape"),
    ("ingest", "zones", "a message about a mark gives a zone's kind and shape"),
    ("rulebook", "rules", "a rulebook is read into the rules it names, by the one list of them"),
];

/// What must not stand in the core, and why.
const BANNED: &[(&str, &str)] = &[
    ("std::fs", "files are the adapters' work"),
    ("std::net", "the network is the adapters' work"),
    ("std::env", "settings come as arguments"),
    ("std::thread", "the core has no threads"),
    ("std::process", "the core starts nothing"),
    ("std::io", "the core is given bytes"),
    ("SystemTime", "event time only"),
    ("std::time::Instant", "event time only"),
    ("Utc::now", "event time only"),
    ("Local::now", "event time only"),
    ("HashMap", "its order differs from run to run; use BTreeMap, or IndexMap with a fixed hasher"),
    ("HashSet", "its order differs from run to run; use BTreeSet"),
    ("async fn", "the core does not wait"),
    (".await", "the core does not wait"),
    ("rand::", "the core is not random"),
    ("println!", "results are return values"),
    ("eprintln!", "messages are return values"),
    ("dbg!", "left over"),
    ("todo!", "left over"),
    ("unimplemented!", "left over"),
    (".sin()", "differs from machine to machine; use libm"),
    (".cos()", "differs from machine to machine; use libm"),
    (".tan()", "differs from machine to machine; use libm"),
    (".sin_cos()", "differs from machine to machine; use libm"),
    (".atan2(", "differs from machine to machine; use libm"),
    (".acos()", "differs from machine to machine; use libm"),
    (".asin()", "differs from machine to machine; use libm"),
    (".exp()", "differs from machine to machine; use libm"),
    (".ln()", "differs from machine to machine; use libm"),
    (".partial_cmp(", "floats are ordered by total_cmp"),
];

struct Source {
    path: PathBuf,
    module: String,
    /// Without comments and without what is only compiled for tests.
    code: Vec<(usize, String)>,
}

fn sources() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut paths = Vec::new();
    collect(&root, &mut paths);
    paths.sort();
    paths
        .into_iter()
        .filter(|path| !path.file_name().is_some_and(|name| name.to_string_lossy().ends_with("tests.rs")))
        .map(|path| {
            let inside = path.strip_prefix(&root).expect("inside src").to_string_lossy().replace('\\', "/");
            let module = inside.split('/').next().unwrap_or("").trim_end_matches(".rs").to_owned();
            let text = std::fs::read_to_string(&path).expect("a source file");
            Source { code: code_of(&text), module, path }
        })
        .collect()
}

fn collect(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            collect(&path, out);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            out.push(path);
        }
    }
}

/// The lines of code with their numbers, up to the test module at the end of a file.
fn code_of(text: &str) -> Vec<(usize, String)> {
    let mut out = Vec::new();
    let lines: Vec<&str> = text.lines().collect();
    for (i, line) in lines.iter().enumerate() {
        let opens_tests =
            line.starts_with("#[cfg(test)]") && lines.get(i + 1).is_some_and(|next| next.trim_end().ends_with('{'));
        if opens_tests {
            break;
        }
        // `//` inside a text is cut as well, which hides nothing that is looked for.
        let code = line.split("//").next().unwrap_or("");
        if !code.trim().is_empty() {
            out.push((i + 1, code.to_owned()));
        }
    }
    out
}

#[test]
fn the_core_is_pure() {
    let mut found = Vec::new();
    for source in sources().iter().filter(|source| CORE.contains(&source.module.as_str())) {
        for (number, line) in &source.code {
            for (banned, why) in BANNED {
                let is_name = |at: usize| {
                    banned.starts_with('.') || !line[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_')
                };
                if line.match_indices(banned).any(|(at, _)| is_name(at)) {
                    found.push(format!("{}:{number}: {banned}: {why}", source.path.display()));
                }
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// The modules that a line of code names as `crate::module`, in a list of imports or alone.
fn used(line: &str) -> BTreeSet<&str> {
    let mut out = BTreeSet::new();
    for (at, _) in line.match_indices("crate::") {
        if line[..at].ends_with('$') {
            continue;
        }
        let rest = &line[at + "crate::".len()..];
        let names = match rest.strip_prefix('{') {
            Some(list) => list.split([',', '}']).collect(),
            None => vec![rest],
        };
        for name in names {
            let name = name.trim_start();
            let end = name.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(name.len());
            out.insert(&name[..end]);
        }
    }
    out
}

#[test]
fn a_module_uses_only_those_before_it() {
    let order: Vec<&str> = CORE.iter().chain(ADAPTERS).copied().collect();
    let place = |module: &str| order.iter().position(|name| *name == module);
    let mut against: BTreeMap<(String, String), String> = BTreeMap::new();
    let mut found = Vec::new();
    for source in sources() {
        if ["lib", "main"].contains(&source.module.as_str()) {
            continue;
        }
        let Some(own) = place(&source.module) else {
            found.push(format!("{}: {} has no place in the order", source.path.display(), source.module));
            continue;
        };
        for (number, line) in &source.code {
            for other in used(line).into_iter().filter(|other| place(other).is_some_and(|at| at > own)) {
                let at = format!("{}:{number}", source.path.display());
                against.entry((source.module.clone(), other.to_owned())).or_insert(at);
            }
        }
    }
    for ((from, to), at) in &against {
        if !EXCEPTIONS.iter().any(|(a, b, _)| (a, b) == (&from.as_str(), &to.as_str())) {
            found.push(format!("{at}: {from} uses {to}, which comes after it"));
        }
    }
    for (from, to, _) in EXCEPTIONS {
        if !against.contains_key(&((*from).to_owned(), (*to).to_owned())) {
            found.push(format!("{from} does not use {to} any more: strike the exception"));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn the_list_of_rules_is_whole() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/rules");
    let list = std::fs::read_to_string(root.join("mod.rs")).expect("the list of rules");
    let mut kinds = 0;
    let mut missing = Vec::new();
    for source in sources().iter().filter(|source| source.module == "rules") {
        if source.code.iter().any(|(_, line)| line.contains("const KIND: RuleKind")) {
            kinds += 1;
            let inside = source.path.strip_prefix(&root).expect("a rule's file").with_extension("");
            let path: Vec<String> = inside.iter().map(|part| part.to_string_lossy().into_owned()).collect();
            let (file, entry) = (path.last().cloned().unwrap_or_default(), format!("{}::KIND", path.join("::")));
            if !list.contains(&entry) {
                missing.push(format!("{entry} is not in ALL"));
            }
            let id = file.replace('_', "-");
            if !source.code.iter().any(|(_, line)| line.contains(&format!("\"{id}\""))) {
                missing.push(format!("{} does not define {id:?}", source.path.display()));
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
    let ids: BTreeSet<&str> = buoyline::rules::ALL.iter().map(|kind| kind.id).collect();
    assert_eq!((ids.len(), kinds), (buoyline::rules::ALL.len(), buoyline::rules::ALL.len()));
    for id in ids {
        assert!(id.bytes().all(|b| b.is_ascii_lowercase() || b == b'-'), "{id}");
    }
}

/// Tests need nothing outside the repository, and the repository names nothing outside itself.
#[test]
fn nothing_points_outside() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = Vec::new();
    collect(&root.join("src"), &mut paths);
    collect(&root.join("tests"), &mut paths);
    let outside = [["/tmp", "/"].concat(), ["/home", "/"].concat(), ["/root", "/"].concat()];
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("a source file");
        for name in &outside {
            assert!(!text.contains(name.as_str()), "{} names {name}", path.display());
        }
    }
}
