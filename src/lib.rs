//! Buoyline watches boats on lakes and rivers and says, with evidence, when one breaks the boating code.

pub mod engine;
pub mod findings;
pub mod geo;
pub mod ingest;
pub mod observation;
pub mod rulebook;
pub mod rules;
pub mod sun;
pub mod time;
pub mod track;
pub mod units;
pub mod window;
pub mod zones;
// Above: no clock, IO, async, randomness or hash order. Below: adapters, each replaceable.
pub mod cli;
pub mod export;
pub mod replay;
