//! Lines in, observations out.
