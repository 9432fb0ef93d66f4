//! Builds the web console out of `web/`, where that can be done, and puts it into the program.
//!
//! `BUOYLINE_CONSOLE_DIST` names a folder that was built before. Else `web/dist` is taken, and made first by npm where
//! the sources are newer. Without either the program is built without a console, and says so; a build never fails for
//! it. Each file is embedded as it is, and as gzip and brotli where that is shorter.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;
use std::{env, fs, io};

use sha2::{Digest, Sha256};

/// What the console is made of, in `web/`.
const SOURCES: &[&str] =
    &["src", "public", "index.html", "package.json", "package-lock.json", "vite.config.ts", "tsconfig.json"];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=BUOYLINE_CONSOLE_DIST");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let dist = console().unwrap_or_else(|reason| {
        println!("cargo:warning=the web console is left out of this build: {reason}");
        None
    });
    let table = dist.map_or_else(|| Ok(String::new()), |dist| embed(&dist, &out)).unwrap_or_else(|error| {
        println!("cargo:warning=the web console is left out of this build: its files cannot be read: {error}");
        String::new()
    });
    fs::write(out.join("console.rs"), format!("&[{table}]")).expect("cargo's folder can be written");
}

/// The folder of the built console.
fn console() -> Result<Option<PathBuf>, String> {
    if let Some(given) = env::var_os("BUOYLINE_CONSOLE_DIST").filter(|given| !given.is_empty()) {
        let dist = PathBuf::from(given);
        println!("cargo:rerun-if-changed={}", dist.display());
        if dist.join("index.html").is_file() {
            return Ok(Some(dist));
        }
        return Err(format!("BUOYLINE_CONSOLE_DIST is {}, where there is no index.html", dist.display()));
    }
    let web = Path::new("web");
    let present: Vec<PathBuf> = SOURCES.iter().map(|name| web.join(name)).filter(|path| path.exists()).collect();
    for path in &present {
        println!("cargo:rerun-if-changed={}", path.display());
    }
    let index = web.join("dist/index.html");
    if index.exists() {
        println!("cargo:rerun-if-changed={}", index.display());
    }
    let newest = present.iter().filter_map(|path| newest(path)).max();
    let built = modified(&index);
    let Some(newest) = newest.filter(|_| web.join("package.json").is_file()) else {
        return built
            .map(|_| Some(web.join("dist")))
            .ok_or_else(|| "there is no folder web/ with its sources".to_owned());
    };
    if built.is_none_or(|built| built < newest) {
        build(web)?;
        // Its time is that of the sources, so that it does not seem changed since this run began.
        let file = fs::File::options().write(true).open(&index);
        file.and_then(|file| file.set_modified(newest)).map_err(|error| format!("{}: {error}", index.display()))?;
    }
    Ok(Some(web.join("dist")))
}

fn build(web: &Path) -> Result<(), String> {
    let is_installed = modified(&web.join("node_modules/.package-lock.json"))
        .is_some_and(|at| modified(&web.join("package-lock.json")).is_none_or(|lock| lock <= at));
    if !is_installed {
        npm(web, &["ci", "--no-audit", "--no-fund", "--prefer-offline"])?;
    }
    npm(web, &["run", "build"])
}

fn npm(web: &Path, arguments: &[&str]) -> Result<(), String> {
    let called = format!("npm {}", arguments.join(" "));
    let program = if cfg!(windows) { "npm.cmd" } else { "npm" };
    let done = Command::new(program).args(arguments).current_dir(web).output();
    let done = done.map_err(|error| {
        format!("{called} cannot be run ({error}); install Node.js with npm, or name a built console in BUOYLINE_CONSOLE_DIST")
    })?;
    if done.status.success() {
        return Ok(());
    }
    let said = [done.stdout, done.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    let last: Vec<&str> = said.lines().filter(|line| !line.trim().is_empty()).collect();
    Err(format!("{called} in web/ ended with {}: {}", done.status, last[last.len().saturating_sub(8)..].join(" / ")))
}

/// The newest change of a file, or of any file in a folder.
fn newest(path: &Path) -> Option<SystemTime> {
    if !path.is_dir() {
        return modified(path);
    }
    let entries = fs::read_dir(path).ok()?;
    entries.filter_map(|entry| newest(&entry.ok()?.path())).max()
}

fn modified(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).and_then(|metadata| metadata.modified()).ok()
}

/// The table of files, as Rust; what is compressed lies in `out`.
fn embed(dist: &Path, out: &Path) -> io::Result<String> {
    let mut paths = Vec::new();
    collect(dist, &mut paths)?;
    paths.sort();
    let mut table = String::new();
    for path in paths {
        let name = path.strip_prefix(dist).expect("it lies in it").to_string_lossy().replace('\\', "/");
        let bytes = fs::read(&path)?;
        let hash: String = Sha256::digest(&bytes)[..12].iter().map(|byte| format!("{byte:02x}")).collect();
        let plain = fs::canonicalize(&path)?;
        let packed = |ending: &str, packed: Vec<u8>| -> io::Result<String> {
            if packed.len() + 64 >= bytes.len() {
                return Ok("None".to_owned());
            }
            let path = out.join(format!("{hash}.{ending}"));
            fs::write(&path, packed)?;
            Ok(format!("Some(include_bytes!({path:?}))"))
        };
        let (gz, br) = (packed("gz", gzip(&bytes)?)?, packed("br", brotli(&bytes)?)?);
        // Writing to a string cannot fail.
        let _ = writeln!(
            table,
            "Asset {{ name: {name:?}, etag: \"\\\"{hash}\\\"\", plain: include_bytes!({plain:?}), gzip: {gz}, brotli: {br} }},"
        );
    }
    Ok(table)
}

fn collect(folder: &Path, out: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, out)?;
        } else {
            out.push(path);
        }
    }
    Ok(())
}

fn gzip(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    packed.write_all(bytes)?;
    packed.finish()
}

fn brotli(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut packed = Vec::new();
    let parameters = brotli::enc::BrotliEncoderParams { quality: 9, lgwin: 22, ..Default::default() };
    brotli::BrotliCompress(&mut &*bytes, &mut packed, &parameters)?;
    Ok(packed)
}
