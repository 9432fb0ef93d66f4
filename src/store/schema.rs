//! The layout of the store: forward only, one file a step.

use super::{Sqlite, StoreError};

/// The steps, in order; how many have been taken is the file's `user_version`.
const STEPS: &[&str] = &[
    include_str!("migrations/0001_first.sql"),
    include_str!("migrations/0002_console.sql"),
    include_str!("migrations/0003_said.sql"),
    include_str!("migrations/0004_coming.sql"),
];

/// Takes the steps that are missing, each whole or not at all.
pub(super) fn migrate(store: &mut Sqlite) -> Result<(), StoreError> {
    check(store)?;
    while layout(store)? < STEPS.len() as i64 {
        store.whole(|store| {
            // Another process may have taken the step while this one waited.
            let taken = layout(store)?;
            let Some(step) = usize::try_from(taken).ok().and_then(|taken| STEPS.get(taken)) else { return Ok(()) };
            store.ok(store.connection.execute_batch(step))?;
            store.ok(store.connection.pragma_update(None, "user_version", taken + 1))
        })?;
    }
    Ok(())
}

/// Refuses a store whose layout is newer than what is known.
pub(super) fn check(store: &Sqlite) -> Result<(), StoreError> {
    let (found, known) = (layout(store)?, STEPS.len() as i64);
    if found > known {
        return Err(StoreError::Newer { path: store.path().display().to_string(), found, known });
    }
    Ok(())
}

fn layout(store: &Sqlite) -> Result<i64, StoreError> {
    store.ok(store.connection.pragma_query_value(None, "user_version", |row| row.get(0)))
}
