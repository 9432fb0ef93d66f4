//! Sentences with AIS messages, or parts of them, become whole messages.

use compact_str::CompactString;

use super::frame::Frame;
use crate::ingest::ais::{Assembler, Key, Message, Part, Payload, Whole};
use crate::observation::Refusal;
use crate::time::EventTime;

/// Puts messages together from `VDM` and `VDO` sentences: `total,number,sequence,channel,characters,fill`.
#[derive(Debug, Default)]
pub struct Messages {
    assembler: Assembler,
    payload: Payload,
}

/// What became of a sentence.
#[derive(Debug, Clone, PartialEq)]
pub enum Taken {
    /// It makes a message whole, which was received at this time, where that is known.
    Message(Message, Option<EventTime>),
    /// It is a part of one, and others are missing.
    Waiting,
    /// It is a part that was there already.
    Repeated,
}

impl Messages {
    /// Takes a sentence that stands in `line` and was `received` at that time. `lost` is told of messages given up:
    /// the line of the first part, how many parts there were, and of how many.
    ///
    /// # Errors
    /// A refusal where the sentence, or the message that it makes whole, cannot be read.
    pub fn take(
        &mut self,
        frame: &Frame<'_>,
        line: u64,
        received: Option<EventTime>,
        lost: &mut dyn FnMut(u64, usize, usize),
    ) -> Result<Taken, Refusal> {
        let mut fields = frame.fields();
        let mut next = || fields.next().unwrap_or(&[]);
        let (total, number, sequence, channel, armoured, fill) = (next(), next(), next(), next(), next(), next());
        let (Some(total @ 1..), Some(number @ 1..), Some(fill)) = (digit(total), digit(number), digit(fill)) else {
            let detail = "number of parts, part or fill bits are no digit, as they are in !AIVDM,1,1,,A,…,0";
            return Err(Refusal::unparsable(detail));
        };
        if number > total {
            return Err(Refusal::unparsable(format!("part {number} of {total} is none")));
        }
        let whole = if total == 1 {
            self.payload.clear();
            self.payload.push(armoured, fill).map(|()| Whole::Message(received))
        } else {
            let tag = frame.tag.unwrap_or_default();
            let key = Key {
                total,
                sequence: digit(sequence),
                channel: text(channel),
                address: text(frame.address),
                group: tag.group.map(|group| group.id),
                // In a group only the first line names its source.
                source: if tag.group.is_some() { CompactString::default() } else { text(tag.source) },
            };
            self.assembler.take(&key, Part { number, armoured, fill, line, received }, &mut self.payload, lost)
        };
        let read = whole.and_then(|whole| match whole {
            Whole::Message(received) => Ok(Taken::Message(Message::decode(&self.payload)?, received)),
            Whole::Waiting => Ok(Taken::Waiting),
            Whole::Repeated => Ok(Taken::Repeated),
        });
        read.map_err(|fault| Refusal::unparsable(fault.to_string()))
    }

    /// Gives up all messages of which parts are missing.
    pub fn finish(&mut self, lost: &mut dyn FnMut(u64, usize, usize)) {
        self.assembler.finish(lost);
    }
}

fn digit(field: &[u8]) -> Option<u8> {
    match field {
        [digit @ b'0'..=b'9'] => Some(digit - b'0'),
        _ => None,
    }
}

/// A short field as text. What is longer than any right one is cut: it only has to tell messages apart.
fn text(field: &[u8]) -> CompactString {
    const LONGEST: usize = 24;
    CompactString::from_utf8_lossy(&field[..field.len().min(LONGEST)])
}
