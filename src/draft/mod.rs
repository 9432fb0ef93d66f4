//! Drafts of a map: what differs between two versions of a zone file, how the work of two editors becomes one, and how
//! a version is put where the daemon looks.
//!
//! Everything works on the GeoJSON as it was written: members that Buoyline does not know and the order of features
//! survive. What a feature means, and whether it is in order, is told by `zones`.

mod accepted;
mod collection;
mod merge;
mod publish;

pub use accepted::Known;
pub use collection::{Change, Collection, NotACollection, What, diff, is_same};
pub use merge::{Conflict, merge};
pub use publish::{PublishError, can_be_put_in_place, file_of, put_in_place};
