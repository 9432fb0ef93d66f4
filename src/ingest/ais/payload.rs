//! The bits of one message, unpacked from the six-bit characters that sentences carry them in.
//!
//! IEC 61162-1 annex C: a character stands for six bits, `0` to `W` for 0 to 39 and `` ` `` to `w` for 40 to 63.
//! ITU-R M.1371-5 table 47 gives the characters of texts inside a message.

use compact_str::CompactString;

use super::AisFault;

/// The longest message held: nine parts of the longest sentence in use, and then some. M.1371 ends at 1064 bits.
pub const BITS_MAX: usize = 4096;

/// What a character stands for; 64 and more for those that stand for nothing.
const SIX_BITS: [u8; 256] = {
    let mut table = [0xff; 256];
    let mut value = 0;
    while value < 64 {
        let character = if value < 40 { value + 48 } else { value + 56 };
        table[character] = value as u8;
        value += 1;
    }
    table
};

/// The bits of one message, the most significant first.
#[derive(Debug, Clone)]
pub struct Payload {
    /// The bits, and eight bytes more so that any field is read in one piece.
    bytes: [u8; BITS_MAX / 8 + 8],
    bits: usize,
}

impl Default for Payload {
    fn default() -> Self {
        Self { bytes: [0; BITS_MAX / 8 + 8], bits: 0 }
    }
}

impl Payload {
    /// The message that stands whole in `armoured`, less `fill` bits at its end.
    ///
    /// # Errors
    /// As [`Payload::push`].
    pub fn from_armoured(armoured: &[u8], fill: u8) -> Result<Self, AisFault> {
        let mut payload = Self::default();
        payload.push(armoured, fill)?;
        Ok(payload)
    }

    /// Forgets what it holds.
    pub fn clear(&mut self) {
        self.bits = 0;
    }

    /// How many bits it holds.
    pub const fn bits(&self) -> usize {
        self.bits
    }

    /// Adds a part: its characters, less the `fill` bits that only fill up the last of them.
    ///
    /// # Errors
    /// [`AisFault::Character`] for a character that stands for nothing, [`AisFault::Fill`] where it has fewer bits
    /// than are to be taken away or more than five are, [`AisFault::TooLong`] beyond [`BITS_MAX`].
    pub fn push(&mut self, armoured: &[u8], fill: u8) -> Result<(), AisFault> {
        let added = armoured.len() * 6;
        if fill > 5 || usize::from(fill) > added {
            return Err(AisFault::Fill(fill));
        }
        if self.bits + added > BITS_MAX {
            return Err(AisFault::TooLong);
        }
        let (groups, rest) = if self.bits.is_multiple_of(8) { armoured.as_chunks::<4>() } else { (&[][..], armoured) };
        let mut at = self.bits / 8;
        for group in groups {
            let [a, b, c, d] = group.map(|character| SIX_BITS[usize::from(character)]);
            if (a | b | c | d) > 63 {
                return Err(first_odd(group));
            }
            self.bytes[at] = a << 2 | b >> 4;
            self.bytes[at + 1] = b << 4 | c >> 2;
            self.bytes[at + 2] = c << 6 | d;
            at += 3;
        }
        self.bits += groups.len() * 24;
        for character in rest {
            let value = SIX_BITS[usize::from(*character)];
            if value > 63 {
                return Err(first_odd(rest));
            }
            self.push_six(value);
        }
        self.bits -= usize::from(fill);
        Ok(())
    }

    /// Adds six bits wherever in a byte the end lies.
    fn push_six(&mut self, value: u8) {
        let (byte, used) = (self.bits / 8, self.bits % 8);
        let kept = u16::from(self.bytes[byte]) << 8 & !(0xffff_u16 >> used);
        let both = kept | u16::from(value) << (10 - used);
        self.bytes[byte] = (both >> 8) as u8;
        self.bytes[byte + 1] = both as u8;
        self.bits += 6;
    }

    /// The `width` bits (32 at most) from bit `start` on as a number; 0 where the message ends before them.
    #[inline]
    pub fn unsigned(&self, start: usize, width: usize) -> u32 {
        debug_assert!((1..=32).contains(&width));
        if start + width > self.bits {
            return 0;
        }
        let Some(eight) = self.bytes[start / 8..].first_chunk::<8>() else { return 0 };
        let shifted = u64::from_be_bytes(*eight) << (start % 8) >> (64 - width);
        shifted as u32
    }

    /// The `width` bits from bit `start` on as a number in two's complement.
    #[inline]
    pub fn signed(&self, start: usize, width: usize) -> i32 {
        let spare = 32 - width;
        ((self.unsigned(start, width) << spare) as i32) >> spare
    }

    /// Whether bit `start` is set.
    #[inline]
    pub fn flag(&self, start: usize) -> bool {
        self.unsigned(start, 1) == 1
    }

    /// The text in the six-bit characters from bit `start` on, `width` bits of them: up to the first `@`, which
    /// fills up what is not used (some units leave parts of older texts behind it), and without blanks around it.
    /// `None` where nothing is left.
    pub fn text(&self, start: usize, width: usize) -> Option<CompactString> {
        let mut text = CompactString::default();
        for at in (start..start + width / 6 * 6).step_by(6) {
            match self.unsigned(at, 6) as u8 {
                0 => break,
                value @ 1..32 => text.push(char::from(value + 64)),
                value => text.push(char::from(value)),
            }
        }
        let trimmed = text.trim();
        (!trimmed.is_empty()).then(|| CompactString::new(trimmed))
    }
}

fn first_odd(armoured: &[u8]) -> AisFault {
    let odd = armoured.iter().find(|character| SIX_BITS[usize::from(**character)] > 63);
    AisFault::Character(odd.copied().unwrap_or(b'?'))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A character for six bits, as IEC 61162-1 has it.
    fn armour(value: u8) -> u8 {
        if value < 40 { value + 48 } else { value + 56 }
    }

    proptest! {
        /// Bits come out as they went in, wherever the parts are cut and whatever stood there before.
        #[test]
        fn bits_are_those_that_were_armoured(
            parts in prop::collection::vec((prop::collection::vec(0_u8..64, 1..60), 0_u8..6), 1..6),
            (start, width) in (0_usize..1000, 1_usize..33),
        ) {
            let mut payload = Payload { bytes: [0xa5; BITS_MAX / 8 + 8], bits: 0 };
            let mut expected = Vec::new();
            for (values, fill) in &parts {
                let armoured: Vec<u8> = values.iter().map(|value| armour(*value)).collect();
                payload.push(&armoured, *fill).expect("these characters stand for something");
                expected.extend(values.iter().flat_map(|value| (0..6).rev().map(move |bit| value >> bit & 1)));
                expected.truncate(expected.len() - usize::from(*fill));
            }
            prop_assert_eq!(payload.bits(), expected.len());
            let number = expected.get(start..start + width).unwrap_or(&[]).iter().fold(0_u64, |n, b| n << 1 | u64::from(*b));
            prop_assert_eq!(u64::from(payload.unsigned(start, width)), number);
        }
    }

    #[test]
    fn what_stands_for_nothing_is_refused() {
        for (armoured, fill, fault) in [
            (&b"13aD\x7f"[..], 0, AisFault::Character(0x7f)),
            (b"13aX", 0, AisFault::Character(b'X')),
            (b"13a ", 0, AisFault::Character(b' ')),
            (b"1", 6, AisFault::Fill(6)),
            (b"", 2, AisFault::Fill(2)),
            (&[b'0'; BITS_MAX / 6 + 1], 0, AisFault::TooLong),
        ] {
            assert_eq!(Payload::from_armoured(armoured, fill).expect_err("refused"), fault);
        }
    }
}
