//! New inputs out of old ones: bytes, words and numbers change, lines come and go, pieces of another input come in.

use crate::rng::Rng;

/// Numbers and times that readers stumble over.
#[rustfmt::skip]
const ODD: &[&str] = &[
    "0", "-0", "0.0", "1e308", "-1e308", "1e-320", "NaN", "inf", "null", "true", "90", "-90", "90.000001", "180",
    "-180", "181", "360", "359.99999999999997", "511", "1023", "102.3", "9223372036854775807", "-9223372036854775808",
    "18446744073709551616", "99999999999999999999999999", "1e999", "0.1e", "0x10", "1,5", "+1", ".5", "5.", "00012",
    "\"\"", "[]", "{}", "\"\\u0000\"", "\"\\ud800\"", "1677-09-21T00:12:44Z", "2262-04-11T23:47:16Z",
    "0000-00-00T00:00:00Z", "2026-02-29T12:00:00Z", "2026-06-30T23:59:60Z", "9999-12-31T23:59:59Z",
    "2026-06-23T19:50:00+14:00", "23:59:60", "000000", "235959.999", "24:00:00",
];

/// What formats are made of.
#[rustfmt::skip]
const WORDS: &[&str] = &[
    "{", "}", "[", "]", ":", ",", "\"", "\\", "\n", "\r\n", "\r", "\t", ";", "\0", " ", "*", "$", "!", "#", "=", "<",
    ">", "/>", "&amp;", "&#0;", "&#x10FFFF;", "<!--", "-->", "<![CDATA[", "]]>", "<!DOCTYPE a [<!ENTITY b \"c\">]>",
    "&b;", "<?xml version=\"1.0\" encoding=\"UTF-16\"?>", "\u{feff}", "\u{fffd}", "é", "\u{2028}", "\\u00e9",
    "\"type\":", "\"fix\"", "\"activity\"", "\"vessel\"", "\"mark\"", "\"conditions\"", "\"geometry\":",
    "\"coordinates\":", "\"Feature\"", "\"FeatureCollection\"", "\"Point\"", "\"LineString\"", "\"Polygon\"",
    "\"MultiPolygon\"", "\"GeometryCollection\"", "\"properties\":", "\"t\":", "\"lat\":", "\"lon\":", "\"kind\":",
    "\"until\":", "\"towed_by\":", "\"lights\":[]", "null", "!AIVDM,2,1,1,A,", "!AIVDM,1,1,,A,", "!AIVDO,1,1,,,",
    "$GPRMC,", "$GPGGA,", "$GPGLL,", "$GPZDA,", "$GNGST,", "$PGHP,1,", "\\g:1-2-3,c:1796022001*00\\", "\\s:a,c:0*",
    "<trkpt lat=\"47\" lon=\"-117\">", "</trkpt>", "<time>", "</time>", "<gx:Track>", "<when>", "<gx:coord>",
    "<Placemark>", "<coordinates>", "<Trackpoint>", "<Position>", "<extensions>", "<speed>", "[[", "]]", "\"topic\":",
    "\"payload\":", "\"_type\":\"location\"", "\"tst\":", "[rules.", "clause = ", "[[", "\"50 ft\"", "\"5 mph\"",
    "1979-05-27", "'''", "\"\"\"",
];

/// An input made of `base`, and pieces of `other`.
pub fn mutated(base: Vec<u8>, other: &[u8], rng: &mut Rng) -> Vec<u8> {
    let mut out = base;
    for _ in 0..1 + rng.below(5) {
        once(&mut out, other, rng);
    }
    out
}

fn once(out: &mut Vec<u8>, other: &[u8], rng: &mut Rng) {
    let at = rng.below(out.len() + 1);
    let byte_at = at.min(out.len().saturating_sub(1));
    match rng.below(14) {
        0 if !out.is_empty() => out[byte_at] ^= 1 << rng.below(8),
        1 if !out.is_empty() => out[byte_at] = rng.next() as u8,
        2 => out.insert(at, rng.next() as u8),
        3 => drop(out.drain(at..(at + 1 + rng.below(8)).min(out.len()))),
        4 => drop(out.splice(at..at, rng.pick(WORDS).bytes())),
        5 | 6 => replace(out, at, u8::is_ascii_digit, |b| b.is_ascii_digit() || b".eE+-".contains(b), rng),
        7 => replace(out, at, |b| *b == b'"', |b| !b",}]\n".contains(b), rng),
        8 => {
            let piece = slice(other, rng);
            out.splice(at..at, piece);
        }
        9 => {
            // A piece of the other in the place of one of this.
            let to = (at + rng.below(32)).min(out.len());
            out.splice(at..to, slice(other, rng));
        }
        10 => {
            let piece = slice(out, rng);
            out.splice(at..at, piece);
        }
        11 => lines(out, rng),
        12 if rng.chance(0.3) => out.truncate(at),
        12 => words(out, rng),
        _ => drop(out.splice(at..at, rng.pick(ODD).bytes())),
    }
}

/// Up to 64 bytes, or a whole line.
fn slice(from: &[u8], rng: &mut Rng) -> Vec<u8> {
    if from.is_empty() {
        return Vec::new();
    }
    let at = rng.below(from.len());
    if rng.chance(0.5) {
        let start = from[..at].iter().rposition(|b| *b == b'\n').map_or(0, |i| i + 1);
        let end = from[at..].iter().position(|b| *b == b'\n').map_or(from.len(), |i| at + i + 1);
        return from[start..end].to_vec();
    }
    from[at..(at + 1 + rng.below(64)).min(from.len())].to_vec()
}

/// The next thing that begins so and goes on so becomes something odd.
fn replace(out: &mut Vec<u8>, at: usize, begins: fn(&u8) -> bool, goes_on: fn(&u8) -> bool, rng: &mut Rng) {
    let Some(start) = out[at..].iter().position(begins).map(|i| at + i) else { return };
    let end = out[start + 1..].iter().position(|b| !goes_on(b)).map_or(out.len(), |i| start + 1 + i);
    let new = if rng.chance(0.6) { rng.pick(ODD).to_owned() } else { (rng.next() as i32 >> rng.below(32)).to_string() };
    out.splice(start..end, new.bytes());
}

/// Two lines change places, one goes, or one comes twice.
fn lines(out: &mut Vec<u8>, rng: &mut Rng) {
    let mut lines: Vec<&[u8]> = out.split_inclusive(|b| *b == b'\n').collect();
    if lines.len() < 2 {
        return;
    }
    let (a, b) = (rng.below(lines.len()), rng.below(lines.len()));
    match rng.below(3) {
        0 => lines.swap(a, b),
        1 => drop(lines.remove(a)),
        _ => lines.insert(b, lines[a]),
    }
    *out = lines.concat();
}

/// Two words change places.
fn words(out: &mut Vec<u8>, rng: &mut Rng) {
    let is_word = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_' || *b == b'-' || *b == b'.';
    let mut pieces: Vec<&[u8]> = out.chunk_by(|a, b| is_word(a) && is_word(b)).collect();
    if pieces.is_empty() {
        return;
    }
    let (a, b) = (rng.below(pieces.len()), rng.below(pieces.len()));
    pieces.swap(a, b);
    *out = pieces.concat();
}

/// Gives every sentence of NMEA its right checksum.
pub fn checksums(out: &mut Vec<u8>) {
    let mended = out.split_inclusive(|b| *b == b'\n').map(|line| {
        let mut line = line.to_vec();
        let start = line.iter().rposition(|b| *b == b'$' || *b == b'!');
        let star = line.iter().rposition(|b| *b == b'*');
        if let (Some(start), Some(star)) = (start, star)
            && start < star
            && line.len() >= star + 3
        {
            let sum = line[start + 1..star].iter().fold(0, |sum, b| sum ^ b);
            line.splice(star + 1..star + 3, format!("{sum:02X}").bytes());
        }
        line
    });
    *out = mended.collect::<Vec<_>>().concat();
}

/// Gives a FIT file its right length and checksums.
#[allow(clippy::ptr_arg)] // As all that mend inputs; others change the length.
pub fn fit_sums(out: &mut Vec<u8>) {
    let Some(&header) = out.first() else { return };
    let header = usize::from(header);
    if header < 12 || out.len() < header + 2 {
        return;
    }
    let end = out.len() - 2;
    out[4..8].copy_from_slice(&((end - header) as u32).to_le_bytes());
    if header >= 14 {
        let sum = fit_sum(&out[..12]);
        out[12..14].copy_from_slice(&sum.to_le_bytes());
    }
    let sum = fit_sum(&out[..end]);
    out[end..].copy_from_slice(&sum.to_le_bytes());
}

/// The CRC of the FIT protocol: CRC-16/ARC.
fn fit_sum(bytes: &[u8]) -> u16 {
    bytes.iter().fold(0, |sum, byte| {
        (0..8).fold(sum ^ u16::from(*byte), |sum, _| if sum & 1 == 1 { sum >> 1 ^ 0xa001 } else { sum >> 1 })
    })
}
