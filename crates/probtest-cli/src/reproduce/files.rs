//! The folder that a study writes its files to.

use std::fs::Permissions;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// A folder that can be written to.
pub struct Folder(PathBuf);

impl Folder {
    /// Makes the folder, and tries to write to it. Done before a study begins:
    /// that its answer has no place to go should not come out at its end.
    ///
    /// # Errors
    ///
    /// When there is no such folder and none can be made, or nothing can be
    /// written to it.
    pub fn make(path: &Path) -> Result<Folder, Failure> {
        std::fs::create_dir_all(path).map_err(|error| refused(path, &error))?;
        tempfile::tempfile_in(path).map_err(|error| refused(path, &error))?;
        Ok(Folder(path.to_owned()))
    }

    /// The path of a file in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Writes a file, whole or not at all, and returns its path.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> Result<PathBuf, Failure> {
        let path = self.path(name);
        // A reader, a second command or a signal in between sees the old file or the new one.
        let written = tempfile::Builder::new()
            .prefix(&format!(".{name}."))
            .suffix(".partial")
            // The mask of the process is taken off by the system.
            .permissions(Permissions::from_mode(0o666))
            .tempfile_in(&self.0)
            .and_then(|mut file| {
                file.write_all(content.as_ref())?;
                file.persist(&path).map_err(|error| error.error)
            });
        written.map_err(|error| refused(&path, &error))?;
        Ok(path)
    }
}

fn refused(path: &Path, error: &std::io::Error) -> Failure {
    Failure::given(
        format!("the tables cannot be written: {error}"),
        path.display(),
        "name a folder that you may write to, such as --out tables",
    )
}
