//! Buoyline's tests as one binary; each module says what it holds.

mod cli;
