//! Puts a version of a map where the daemon looks, whole or not at all.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::observation::WaterwayId;
use crate::zones::{Map, MapOptions, ZoneFile};

/// Why a version was not put in place.
#[derive(Debug, thiserror::Error)]
pub enum PublishError {
    /// The map in force is the built-in one.
    #[error(
        "the map in force is built in and has no file; name a zone file or a folder in the configuration (zones = …)"
    )]
    BuiltIn,
    /// Somebody has written the file meanwhile.
    #[error("{0} has been changed on disk and is not what is in force; wait until it is read, or mend it")]
    ChangedOnDisk(PathBuf),
    /// The disk says no.
    #[error("{path}: cannot be written: {source}")]
    Write {
        /// Which file.
        path: PathBuf,
        /// What the disk says.
        source: io::Error,
    },
}

/// Which of the files of a map holds a waterway.
pub fn file_of<'a>(files: &'a [ZoneFile], waterway: &WaterwayId) -> Option<&'a ZoneFile> {
    if let [only] = files {
        return Some(only);
    }
    files.iter().find(|file| {
        let (map, _) = Map::from_files(std::slice::from_ref(*file), &MapOptions::default());
        map.waterways.iter().any(|of_file| of_file.id == *waterway)
    })
}

/// Whether a file of the map is where it was read from, as it was read.
///
/// # Errors
/// [`PublishError`].
pub fn can_be_put_in_place(file: &ZoneFile) -> Result<(), PublishError> {
    let path = Path::new(&file.name);
    match fs::read(path) {
        Ok(bytes) if bytes == file.bytes => Ok(()),
        Ok(_) => Err(PublishError::ChangedOnDisk(path.to_owned())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(PublishError::BuiltIn),
        Err(source) => Err(PublishError::Write { path: path.to_owned(), source }),
    }
}

/// Replaces a file of the map by a new version: readers see the one or the other.
///
/// # Errors
/// [`PublishError`].
pub fn put_in_place(file: &ZoneFile, text: &str) -> Result<(), PublishError> {
    can_be_put_in_place(file)?;
    let path = Path::new(&file.name);
    // A link leads to where the file is: that is replaced, the link stays.
    let place = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    write(&place, text).map_err(|source| PublishError::Write { path: path.to_owned(), source })
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Its name ends otherwise than those of maps, so nobody reads it before it is whole.
    let mut new = tempfile::Builder::new().prefix(".map-").suffix(".new").tempfile_in(folder)?;
    new.write_all(text.as_bytes())?;
    new.as_file().sync_all()?;
    if let Ok(old) = fs::metadata(path) {
        fs::set_permissions(new.path(), old.permissions())?;
    }
    new.persist(path).map_err(|error| error.error)?;
    // The folder knows the new name for good; where it cannot be said so, the file is there all the same.
    let _ = fs::File::open(folder).and_then(|folder| folder.sync_all());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_replaces_the_one_that_is_in_force() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("lake.geojson");
        fs::write(&path, "old").expect("written");
        let file = |text: &str| ZoneFile { name: path.display().to_string(), bytes: text.as_bytes().to_vec() };
        put_in_place(&file("old"), "new").expect("put in place");
        assert_eq!(fs::read_to_string(&path).expect("read"), "new");
        assert_eq!(fs::read_dir(folder.path()).expect("listed").count(), 1, "nothing is left over");
        assert!(matches!(put_in_place(&file("old"), "newer"), Err(PublishError::ChangedOnDisk(_))));
        let gone = ZoneFile { name: "built-in zones/x".to_owned(), bytes: Vec::new() };
        assert!(matches!(put_in_place(&gone, "new"), Err(PublishError::BuiltIn)));
    }
}
