//! What is fed, and which laws hold for it.

pub mod lines;
pub mod maps;
pub mod messages;
pub mod packed;
pub mod recordings;
pub mod rulebooks;
