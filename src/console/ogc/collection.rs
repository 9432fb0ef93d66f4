//! The collections there are.

use crate::console::Problem;

/// A collection.
#[derive(Debug)]
pub(super) struct Collection {
    pub id: &'static str,
    pub title: &'static str,
    pub description: &'static str,
    /// Whether its features have a time.
    pub is_temporal: bool,
    /// Whether they show where boats are or were.
    pub shows_boats: bool,
}

/// All of them.
pub(super) const COLLECTIONS: &[Collection] = &[
    Collection {
        id: "zones",
        title: "Zones",
        description: "What is drawn on the maps in force, and the inshore areas derived from it",
        is_temporal: false,
        shows_boats: false,
    },
    Collection {
        id: "findings",
        title: "Findings",
        description: "Findings as they stand, each at the place of its worst instant; leads for an officer, not rulings",
        is_temporal: true,
        shows_boats: true,
    },
    Collection {
        id: "positions",
        title: "Latest positions",
        description: "The newest fix of every vessel heard within the last hour",
        is_temporal: true,
        shows_boats: true,
    },
    Collection {
        id: "tracks",
        title: "Tracks",
        description: "Tracks of vessels over a period: datetime asks for it, the last hour unless given, at most 24 hours",
        is_temporal: true,
        shows_boats: true,
    },
];

impl Collection {
    /// The collection of an id.
    pub fn of(id: &str) -> Result<&'static Self, Problem> {
        COLLECTIONS.iter().find(|collection| collection.id == id).ok_or_else(|| Problem::not_found("collection", id))
    }
}
