//! The folder that a study writes its tables to.

use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// A folder that can be written to.
pub struct Folder(PathBuf);

impl Folder {
    /// Makes the folder. Done before a study begins: that its answer has no place
    /// to go should not come out at its end.
    ///
    /// # Errors
    ///
    /// When there is no such folder and none can be made.
    pub fn make(path: &Path) -> Result<Folder, Failure> {
        std::fs::create_dir_all(path).map_err(|error| refused(path, &error))?;
        Ok(Folder(path.to_owned()))
    }

    /// Writes a file, and returns its path.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn write(&self, name: &str, text: &str) -> Result<PathBuf, Failure> {
        let path = self.0.join(name);
        std::fs::write(&path, text).map_err(|error| refused(&path, &error))?;
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
