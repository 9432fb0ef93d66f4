//! Buoyline's tests as one binary; each module says what it holds.

#![allow(clippy::print_stdout)]

#[path = "../support/mod.rs"]
mod support;

mod scenes; // drawn situations give exactly their expected findings
