//! Sunset and sunrise at a place.
