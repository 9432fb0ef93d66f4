//! How fast recordings are read, beside what it takes at least: NDJSON beside serde_json alone, GPX beside memory.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write as _};
use std::path::Path;

use serde::Deserialize;

use super::{RUNS, median, read_alone, seconds};

/// A fix as a program would declare it that has only to read fixes.
#[derive(Deserialize)]
#[allow(dead_code)]
struct Typed<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    vessel: &'a str,
    t: &'a str,
    lat: f64,
    lon: f64,
    sog_kn: Option<f64>,
    cog_deg: Option<f64>,
    heading_deg: Option<f64>,
    accuracy_m: Option<f64>,
    nav_status: Option<&'a str>,
}

/// Reads the lines of a file and gives each to serde_json; how many there were.
fn typed(path: &Path) -> u64 {
    let file = std::fs::File::open(path).expect("the recording was just written");
    let mut input = BufReader::with_capacity(1 << 16, file);
    let (mut line, mut count) = (Vec::new(), 0);
    loop {
        line.clear();
        if input.read_until(b'\n', &mut line).expect("it can be read") == 0 {
            return count;
        }
        let text = std::str::from_utf8(&line).expect("UTF-8");
        std::hint::black_box(serde_json::from_str::<Typed<'_>>(text).expect("a fix"));
        count += 1;
    }
}

/// Writes the first fixes of an NDJSON recording in another form, up to some bytes.
fn rewritten(ndjson: &Path, path: &Path, head: &str, tail: &str, point: impl Fn(&Typed<'_>, &mut String)) {
    const BYTES: usize = 40 << 20;
    let text = std::fs::read_to_string(ndjson).expect("the recording was just written");
    let mut out = head.to_owned();
    for line in text.lines() {
        point(&serde_json::from_str(line).expect("a fix"), &mut out);
        if out.len() > BYTES {
            break;
        }
    }
    out.push_str(tail);
    std::fs::File::create(path).and_then(|mut file| file.write_all(out.as_bytes())).expect("room for it");
}

/// Prints the table. `ndjson` is a recording, `folder` has room for others.
pub fn table(ndjson: &Path, folder: &Path) {
    let (gpx, csv) = (folder.join("speed.gpx"), folder.join("speed.csv"));
    let head = "<?xml version=\"1.0\"?>\n<gpx version=\"1.1\" creator=\"x\" xmlns=\"http://www.topografix.com/GPX/1/1\"><trk><name>a</name><trkseg>\n";
    rewritten(ndjson, &gpx, head, "</trkseg></trk></gpx>\n", |fix, out| {
        let Typed { lat, lon, t, .. } = fix;
        let mps = fix.sog_kn.unwrap_or(0.0) * 1852.0 / 3600.0;
        let _ = writeln!(
            out,
            "      <trkpt lat=\"{lat:.7}\" lon=\"{lon:.7}\">\n        <ele>534.2</ele>\n        <time>{t}</time>\n        <extensions>\n          <gpxtpx:TrackPointExtension>\n            <gpxtpx:speed>{mps:.2}</gpxtpx:speed>\n          </gpxtpx:TrackPointExtension>\n        </extensions>\n      </trkpt>"
        );
    });
    rewritten(ndjson, &csv, "vessel,time_utc,lat,lon,sog_kn,cog\n", "", |fix, out| {
        let Typed { vessel, t, lat, lon, .. } = fix;
        let _ = writeln!(
            out,
            "{vessel},{t},{lat:.7},{lon:.7},{:.2},{:.1}",
            fix.sog_kn.unwrap_or(0.0),
            fix.cog_deg.unwrap_or(0.0)
        );
    });
    let files = [("NDJSON", ndjson), ("GPX", gpx.as_path()), ("CSV", csv.as_path())];
    let mut typed_s = Vec::new();
    let mut read_s = vec![Vec::new(); files.len()];
    let mut counts = vec![0; files.len()];
    for _ in 0..RUNS {
        typed_s.push(seconds(|| {
            std::hint::black_box(typed(ndjson));
        }));
        for (i, (_, path)) in files.iter().enumerate() {
            read_s[i].push(seconds(|| counts[i] = read_alone(path).observations));
        }
    }
    println!();
    println!("| read and parse | MB/s | M fixes/s |");
    println!("| --- | --- | --- |");
    let megabytes = |path: &Path| std::fs::metadata(path).map_or(0.0, |data| data.len() as f64 / 1e6);
    let typed_s = median(typed_s);
    println!(
        "| serde_json alone, typed | {:.0} | {:.2} |",
        megabytes(ndjson) / typed_s,
        counts[0] as f64 / typed_s / 1e6
    );
    for (i, (name, path)) in files.iter().enumerate() {
        let s = median(read_s[i].clone());
        println!("| {name} | {:.0} | {:.2} |", megabytes(path) / s, counts[i] as f64 / s / 1e6);
    }
    println!();
    println!("NDJSON of serde_json alone: {:.2}", typed_s / median(read_s[0].clone()));
    super::ais::row();
}
