//! The store as handlers use it: reads and writes on threads that may wait, readers kept open.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

use super::Problem;
use crate::store::{Sqlite, StoreError, Sync};

/// How many read at a time.
const READERS: usize = 4;

/// The store. Cheap to clone.
#[derive(Clone)]
pub struct Shelf {
    inner: Arc<Inner>,
}

struct Inner {
    path: PathBuf,
    readers: Mutex<Vec<Sqlite>>,
    may_read: Semaphore,
    writer: Mutex<Sqlite>,
}

impl Shelf {
    /// The store in this file.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let writer = Mutex::new(Sqlite::open(path, Sync::Full)?);
        let (readers, may_read) = (Mutex::default(), Semaphore::new(READERS));
        Ok(Self { inner: Arc::new(Inner { path: path.to_owned(), readers, may_read, writer }) })
    }

    /// Reads on a thread that may wait.
    ///
    /// # Errors
    /// What `read` says, or that the store cannot be opened.
    pub async fn read<T, F>(&self, read: F) -> Result<T, Problem>
    where
        T: Send + 'static,
        F: FnOnce(&Sqlite) -> Result<T, StoreError> + Send + 'static,
    {
        let _may = self.inner.may_read.acquire().await.map_err(|error| Problem::inside(&error))?;
        let inner = self.inner.clone();
        let done = spawn_blocking(move || {
            let kept = lock(&inner.readers).pop();
            let store = match kept {
                Some(store) => store,
                None => Sqlite::open_to_read(&inner.path)?,
            };
            let value = read(&store);
            lock(&inner.readers).push(store);
            value
        });
        Ok(done.await.map_err(|error| Problem::inside(&error))??)
    }

    /// Reads; the thread that calls waits.
    ///
    /// # Errors
    /// What `read` says.
    pub fn read_now<T>(&self, read: impl FnOnce(&Sqlite) -> Result<T, StoreError>) -> Result<T, StoreError> {
        read(&lock(&self.inner.writer))
    }

    /// Writes in one transaction, on a thread that may wait.
    ///
    /// # Errors
    /// What `write` says, or that the store cannot be written.
    pub async fn write<T, F>(&self, write: F) -> Result<T, Problem>
    where
        T: Send + 'static,
        F: FnOnce(&mut Sqlite) -> Result<T, StoreError> + Send + 'static,
    {
        let inner = self.inner.clone();
        let done = spawn_blocking(move || lock(&inner.writer).whole(write));
        Ok(done.await.map_err(|error| Problem::inside(&error))??)
    }

    /// Writes in one transaction; the thread that calls waits.
    ///
    /// # Errors
    /// What `write` says, or that the store cannot be written.
    pub fn write_now<T>(&self, write: impl FnOnce(&mut Sqlite) -> Result<T, StoreError>) -> Result<T, StoreError> {
        lock(&self.inner.writer).whole(write)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    // A transaction that a panic broke off is undone when the next one begins to fail; nothing else is half done.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
