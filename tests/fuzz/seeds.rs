//! What the targets begin with: the samples of `tests/data`, cut small.

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use serde_json::Value;

/// Between the messages of an input.
pub const NEXT: u8 = 0x1e;
/// Between the parts of a message, and between files that belong together.
pub const PART: u8 = 0x1f;

/// Longer samples are cut after their last whole line before this.
const SAMPLE_BYTES: usize = 3000;

/// All samples under a folder of `tests/`, in order of their names; none where there is no such folder.
pub fn files(folder: &str) -> impl Iterator<Item = PathBuf> {
    fn collect(folder: &Path, out: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).into_iter().flatten() {
            let path = entry.expect("an entry").path();
            if path.is_dir() { collect(&path, out) } else { out.push(path) }
        }
    }
    let mut out = Vec::new();
    collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder), &mut out);
    out.retain(|path| {
        let name = path.to_string_lossy();
        // What is said about samples is none; of the cases only track and map are.
        let is_told = [".read.txt", ".pyais.gz", ".md", ".py", "case.json", "expected.ndjson"];
        !is_told.iter().any(|end| name.ends_with(end))
    });
    out.sort();
    out.into_iter()
}

fn ends_with(path: &Path, ends: &[&str]) -> bool {
    ends.iter().any(|end| path.to_string_lossy().ends_with(end))
}

fn cut(mut bytes: Vec<u8>) -> Vec<u8> {
    if bytes.len() > SAMPLE_BYTES {
        let end = bytes[..SAMPLE_BYTES].iter().rposition(|b| *b == b'\n').map_or(SAMPLE_BYTES, |i| i + 1);
        bytes.truncate(end);
    }
    bytes
}

/// A sample as it is, unpacked where it is gzip.
pub fn contents(path: &Path) -> Vec<Vec<u8>> {
    let bytes = fs::read(path).expect("a sample");
    let mut unpacked = Vec::new();
    if ends_with(path, &[".gz"]) && GzDecoder::new(&bytes[..]).read_to_end(&mut unpacked).is_ok() {
        return vec![cut(unpacked)];
    }
    vec![cut(bytes)]
}

/// The messages of a sample of `tests/data/decoders`: its settings, then topic, time and payload of each.
pub fn messages(path: &Path) -> Vec<Vec<u8>> {
    if !ends_with(path, &[".json"]) {
        return Vec::new();
    }
    let text = fs::read_to_string(path).expect("a sample");
    let mut lines = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let head = lines.next().expect("a first line");
    let settings = head.get("settings").map_or_else(|| "{}".to_owned(), Value::to_string);
    let of_text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let messages: Vec<Vec<u8>> = lines
        .map(|line| {
            let parts = [of_text(&line["topic"]), of_text(&line["t"]), of_text(&line["payload"])];
            parts.join(char::from(PART).to_string().as_str()).into_bytes()
        })
        .collect();
    // Each alone, and as many together as are small.
    let whole = [settings.clone().into_bytes()].into_iter().chain(messages.iter().cloned()).collect::<Vec<_>>();
    let alone = messages.iter().map(|message| [settings.as_bytes(), message].join(&NEXT));
    alone.chain([whole.join(&NEXT)]).filter(|input| input.len() <= 2 * SAMPLE_BYTES).collect()
}

/// The armoured payloads of the AIS sentences at the beginning of a log, each behind its number of fill bits.
pub fn payloads(path: &Path) -> Vec<Vec<u8>> {
    let log = contents(path).concat();
    let sentences = log.split(|b| *b == b'\n').filter_map(|line| {
        let at = line.windows(3).position(|piece| piece == b"VDM" || piece == b"VDO")?;
        let fields: Vec<&[u8]> = line[at..].split(|b| *b == b',').collect();
        Some([&[*fields.get(6)?.first()?], *fields.get(5)?].concat())
    });
    sentences.take(20).collect()
}

/// Samples packed by gzip: those that are, and short ones that are not.
pub fn gzip(path: &Path) -> Vec<Vec<u8>> {
    let bytes = fs::read(path).expect("a sample");
    if bytes.starts_with(&[0x1f, 0x8b]) {
        return vec![bytes].into_iter().filter(|bytes| bytes.len() < SAMPLE_BYTES).collect();
    }
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(&cut(bytes)).expect("memory takes everything");
    vec![encoder.finish().expect("memory takes everything")]
}

/// Samples packed by zstd.
pub fn zstd(path: &Path) -> Vec<Vec<u8>> {
    contents(path).iter().map(|bytes| compress_to_vec(&bytes[..], CompressionLevel::Fastest)).collect()
}

/// Samples packed by zip.
pub fn zip(path: &Path) -> Vec<Vec<u8>> {
    contents(path).iter().map(|bytes| zipped(&path.file_name().expect("a name").to_string_lossy(), bytes)).collect()
}

/// A zip archive of one file.
pub fn zipped(name: &str, bytes: &[u8]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    writer.start_file(name, options).expect("memory takes everything");
    writer.write_all(bytes).expect("memory takes everything");
    writer.finish().expect("memory takes everything").into_inner()
}

/// A shapefile with the files beside it, cut to a few positions.
pub fn shapefiles(path: &Path) -> Vec<Vec<u8>> {
    if !ends_with(path, &[".shp"]) {
        return Vec::new();
    }
    let beside = |ending: &str| fs::read(path.with_extension(ending)).expect("a file beside a shapefile");
    let shp = short_polygon(&fs::read(path).expect("a shapefile"));
    vec![[shp, beside("dbf"), beside("prj"), beside("cpg")].join(&[PART, NEXT, PART][..])]
}

/// The first record of a shapefile of polygons, with the first ring of eight positions (ESRI Shapefile Technical
/// Description, 1998).
fn short_polygon(shp: &[u8]) -> Vec<u8> {
    const HEADER: usize = 100;
    const POSITIONS: usize = 8;
    let content = HEADER + 8;
    let parts = u32::from_le_bytes(shp[content + 36..content + 40].try_into().expect("four bytes")) as usize;
    let positions = content + 44 + 4 * parts;
    let mut out = shp[..content + 36].to_vec();
    for number in [1, POSITIONS as u32, 0] {
        out.extend(number.to_le_bytes());
    }
    out.extend(&shp[positions..positions + 16 * (POSITIONS - 1)]);
    out.extend(&shp[positions..positions + 16]);
    // Lengths count words of two bytes, without the header of a record.
    let length = out.len();
    out[24..28].copy_from_slice(&(length as u32 / 2).to_be_bytes());
    out[HEADER + 4..content].copy_from_slice(&((length - content) as u32 / 2).to_be_bytes());
    out
}
