//! track.
