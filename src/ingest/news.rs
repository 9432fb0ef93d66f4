//! Profiles that stations repeat every few minutes, handed on only where they say something new.

use std::collections::BTreeMap;

use super::decoder::{Decode, Decoded, Message, Speaker};
use crate::observation::{Observation, Profile, Refusal, VesselId};

/// Vessels whose profiles are kept. Beyond that all are forgotten, and each is news once more.
const KEPT_MAX: usize = 16_384;

/// The decoder that a pure function of one message is, without the profiles that were already said. A repeated
/// one is the aside `known_profile`.
pub(super) fn only_news(
    decode: impl Fn(&Message<'_>, &Speaker<'_>) -> Result<Decoded, Refusal> + Send + 'static,
) -> Box<dyn Decode> {
    Box::new(OnlyNews { decode, said: BTreeMap::new() })
}

struct OnlyNews<F> {
    decode: F,
    /// What each vessel was last said to be.
    said: BTreeMap<VesselId, Profile>,
}

impl<F> Decode for OnlyNews<F>
where
    F: Fn(&Message<'_>, &Speaker<'_>) -> Result<Decoded, Refusal> + Send,
{
    fn decode(&mut self, message: &Message<'_>, speaker: &Speaker<'_>, each: &mut dyn FnMut(Decoded)) {
        let decoded = (self.decode)(message, speaker).unwrap_or_else(Decoded::Refused);
        let Decoded::Observation(Observation::Profile(vessel, profile)) = &decoded else { return each(decoded) };
        if self.said.get(vessel).is_some_and(|said| *said == **profile) {
            return each(Decoded::Aside("known_profile"));
        }
        if self.said.len() >= KEPT_MAX {
            self.said.clear();
        }
        self.said.insert(vessel.clone(), (**profile).clone());
        each(decoded);
    }
}
