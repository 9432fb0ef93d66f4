//! A filled area of the map and whether a position lies in it.

/// Placeholder so that the tree compiles; replaced with the zones work.
#[derive(Debug, Clone)]
pub struct Region;
