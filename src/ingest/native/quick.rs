//! Fixes in their usual form, read by hand: nearly all input is such, and takes a third of the time this way.
//!
//! A usual fix is one object with `"type":"fix"`, each key at most once, none of them unknown, texts without
//! escapes and numbers of at most 15 digits, which a double holds exactly. Anything else is `None` here and for
//! the decoder that reads all of JSON and can say what is wrong.

use super::fix::{NumbersAndTexts, from_parts};
use super::{Envelope, MessageKind};
use crate::observation::{NavStatus, Observation, Refusal};

/// The observation of a message that is a usual fix.
pub(super) fn decode(json: &[u8], envelope: Envelope<'_>) -> Option<Result<Observation, Refusal>> {
    let mut scan = Scan { rest: json };
    let mut parts = NumbersAndTexts::default();
    let mut seen = 0_u16;
    let mut is_fix = envelope.kind == Some(MessageKind::Fix);
    scan.expect(b'{')?;
    loop {
        let key = scan.text()?;
        scan.expect(b':')?;
        let bit = match key {
            b"type" => {
                is_fix = scan.text()? == b"fix";
                0
            }
            b"vessel" => {
                parts.vessel = Some(std::str::from_utf8(scan.text()?).ok()?);
                1
            }
            b"t" => {
                parts.t = Some(std::str::from_utf8(scan.text()?).ok()?);
                2
            }
            b"lat" => {
                parts.lat = scan.number()?;
                3
            }
            b"lon" => {
                parts.lon = scan.number()?;
                4
            }
            b"sog_kn" => {
                parts.sog_kn = scan.number()?;
                5
            }
            b"cog_deg" => {
                parts.cog_deg = scan.number()?;
                6
            }
            b"heading_deg" => {
                parts.heading_deg = scan.number()?;
                7
            }
            b"accuracy_m" => {
                parts.accuracy_m = scan.number()?;
                8
            }
            b"nav_status" => {
                parts.nav_status = Some(status(scan.text()?)?);
                9
            }
            _ => return None,
        };
        if seen & (1 << bit) != 0 {
            return None;
        }
        seen |= 1 << bit;
        match scan.next()? {
            b',' => {}
            b'}' => break,
            _ => return None,
        }
    }
    (is_fix && scan.is_at_end()).then(|| from_parts(parts, envelope))
}

fn status(name: &[u8]) -> Option<NavStatus> {
    Some(match name {
        b"under_way" => NavStatus::UnderWay,
        b"anchored" => NavStatus::Anchored,
        b"moored" => NavStatus::Moored,
        b"aground" => NavStatus::Aground,
        b"fishing" => NavStatus::Fishing,
        b"trolling" => NavStatus::Trolling,
        b"sailing" => NavStatus::Sailing,
        b"rowing" => NavStatus::Rowing,
        b"not_under_command" => NavStatus::NotUnderCommand,
        b"restricted" => NavStatus::Restricted,
        _ => return None,
    })
}

/// Bytes that stand for themselves in a text: ASCII that is printed, without quotes and backslashes.
static PLAIN: [bool; 256] = {
    let mut plain = [false; 256];
    let mut byte = b' ' as usize;
    while byte <= b'~' as usize {
        plain[byte] = byte != b'"' as usize && byte != b'\\' as usize;
        byte += 1;
    }
    plain
};

/// What of the message is still to be read.
struct Scan<'a> {
    rest: &'a [u8],
}

impl<'a> Scan<'a> {
    fn skip_white_space(&mut self) {
        while let [b' ' | b'\t' | b'\n' | b'\r', rest @ ..] = self.rest {
            self.rest = rest;
        }
    }

    /// The next byte that is no white space.
    fn next(&mut self) -> Option<u8> {
        self.skip_white_space();
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        (self.next()? == byte).then_some(())
    }

    fn is_at_end(&mut self) -> bool {
        self.skip_white_space();
        self.rest.is_empty()
    }

    /// A text of plain ASCII without escapes.
    fn text(&mut self) -> Option<&'a [u8]> {
        self.expect(b'"')?;
        let end = self.rest.iter().position(|b| !PLAIN[usize::from(*b)])?;
        let (text, rest) = self.rest.split_at(end);
        self.rest = rest.strip_prefix(b"\"")?;
        Some(text)
    }

    /// A number of at most 15 digits and no exponent, or null (`Some(None)`).
    fn number(&mut self) -> Option<Option<f64>> {
        const POWERS: [f64; 16] =
            [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];
        self.skip_white_space();
        if let Some(rest) = self.rest.strip_prefix(b"null") {
            self.rest = rest;
            return Some(None);
        }
        let (is_negative, mut rest) = match self.rest {
            [b'-', rest @ ..] => (true, rest),
            rest => (false, rest),
        };
        let (mut value, mut digits, mut decimals) = (0_u64, 0, None);
        loop {
            match rest {
                [digit @ b'0'..=b'9', more @ ..] => {
                    value = value * 10 + u64::from(digit - b'0');
                    digits += 1;
                    // JSON has no leading zeros.
                    if digits > 15 || (digits == 2 && value < 10 && decimals.is_none()) {
                        return None;
                    }
                    decimals = decimals.map(|count| count + 1);
                    rest = more;
                }
                [b'.', more @ ..] if decimals.is_none() && digits > 0 => {
                    decimals = Some(0);
                    rest = more;
                }
                [b'e' | b'E' | b'.', ..] => return None,
                _ => break,
            }
        }
        if digits == 0 || decimals == Some(0) {
            return None;
        }
        self.rest = rest;
        // Both are exact, and a division rounds once: this is the double nearest to what was written.
        let value = value as f64 / POWERS[decimals.unwrap_or(0)];
        Some(Some(if is_negative { -value } else { value }))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::decode_object;
    use super::*;

    fn slowly(json: &str) -> Result<Observation, Refusal> {
        decode_object(json, Envelope::default())
    }

    #[test]
    fn usual_fixes_are_read_by_hand() {
        for json in [
            r#"{"type":"fix","vessel":"boat-1","t":"2026-07-04T20:15:03.250Z","lat":47.66,"lon":-117.43,"sog_kn":12.4,"accuracy_m":3}"#,
            r#" { "lon" : -0.5 , "lat" : 0 , "t" : "x" , "vessel" : "b" , "type" : "fix" , "sog_kn" : null } "#,
            r#"{"type":"fix","vessel":"a/b","t":"2026-07-04T20:15:03Z","lat":91,"lon":181.0,"nav_status":"moored"}"#,
        ] {
            assert_eq!(decode(json.as_bytes(), Envelope::default()), Some(slowly(json)), "{json}");
        }
    }

    #[test]
    fn unusual_ones_are_left_to_the_other_decoder() {
        let with =
            |more: &str| format!(r#"{{"type":"fix","vessel":"a","t":"2026-07-04T20:15:03Z","lat":1,"lon":2{more}"#);
        for json in [
            with(""),
            with(r#","lat":1}"#),
            with(r#","x":1}"#),
            with(r#","towed_by":"b"}"#),
            with(r#","sog_kn":1e1}"#),
            with(r#","sog_kn":01}"#),
            with(r#","sog_kn":1.}"#),
            with(r#","sog_kn":.5}"#),
            with(r#","sog_kn":-}"#),
            with(r#","sog_kn":1.2.3}"#),
            with(r#","sog_kn":1234567890123456}"#),
            with(r#","sog_kn":"1"}"#),
            with(r#","nav_status":null}"#),
            with(r#","nav_status":"drifting"}"#),
            with("}}"),
            with(",}"),
            r#"{"type":"fix\u0021"}"#.to_owned(),
            r#"{"type":"vessel","vessel":"a"}"#.to_owned(),
            "[]".to_owned(),
            String::new(),
        ] {
            assert_eq!(decode(json.as_bytes(), Envelope::default()), None, "{json}");
        }
    }

    proptest! {
        #[test]
        fn what_is_read_by_hand_is_what_the_other_decoder_reads(
            json in "\\{(\"(type|vessel|t|lat|lon|sog_kn|cog_deg|nav_status)\" ?: ?(\"(fix|a|moored|2026-07-04T20:15:03Z)\"|null|-?[0-9]{0,3}(\\.[0-9]{0,13})?),?){0,8}\\}",
        ) {
            if let Some(read) = decode(json.as_bytes(), Envelope::default()) {
                prop_assert_eq!(read, slowly(&json), "{}", json);
            }
        }

        #[test]
        fn numbers_are_those_of_the_other_decoder(whole in -999_999i64..999_999, decimals in "[0-9]{1,9}") {
            let json = format!("{whole}.{decimals}");
            let read = Scan { rest: json.as_bytes() }.number().flatten();
            prop_assert_eq!(read, json.parse().ok());
            prop_assert_eq!(read, serde_json::from_str(&json).ok());
        }
    }
}
