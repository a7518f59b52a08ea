//! Where a form of the report goes: to stdout, or into a file as a whole.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::output;

use super::words::{NAME, one_line};

#[derive(Clone, Debug)]
pub enum Destination {
    Stdout,
    /// A file, and the option that named it.
    File(PathBuf, &'static str),
}

impl Destination {
    /// Reads the value of an option: `-` is stdout.
    pub fn new(path: &Path, option: &'static str) -> Destination {
        if path.as_os_str() == "-" {
            Destination::Stdout
        } else {
            Destination::File(path.to_owned(), option)
        }
    }

    /// Refuses to write two forms to stdout, where these go; says whether there is one.
    pub fn one_on_stdout(forms: &[Option<&str>]) -> Result<bool, Failure> {
        let forms: Vec<&str> = forms.iter().copied().flatten().collect();
        if forms.len() > 1 {
            return Err(Failure::given(
                "two forms of the report cannot both go to stdout",
                forms.join(" "),
                "give all but one of them a file, such as --markdown=report.md",
            ));
        }
        Ok(!forms.is_empty())
    }

    /// Refuses to write where results are read from.
    pub fn is_not_among(&self, sources: &[PathBuf]) -> Result<(), Failure> {
        let Destination::File(path, option) = self else {
            return Ok(());
        };
        let Ok(own) = path.canonicalize() else {
            return Ok(());
        };
        let same = |source: &PathBuf| source.canonicalize().is_ok_and(|other| other == own);
        if sources.iter().any(same) {
            return Err(Failure::given(
                format!("{option} names one of the files that hold the results"),
                one_line(&path.display().to_string(), NAME),
                "write the report to another file",
            ));
        }
        Ok(())
    }

    /// Refuses to write two forms to one file, where the later would replace the
    /// earlier.
    pub fn is_not_that_of(&self, other: &Destination) -> Result<(), Failure> {
        let (Destination::File(own, option), Destination::File(path, earlier)) = (self, other)
        else {
            return Ok(());
        };
        // Devices and pipes replace nothing.
        let replaces = fs::metadata(own).is_ok_and(|known| known.is_file()) || !own.exists();
        if !replaces || resolved(own) != resolved(path) {
            return Ok(());
        }
        Err(Failure::given(
            "two forms of the report cannot both go to one file",
            format!(
                "{earlier} {} and {option} {}",
                one_line(&path.display().to_string(), NAME),
                one_line(&own.display().to_string(), NAME)
            ),
            "name a file for each of them",
        ))
    }

    /// Writes the text. A file is there as a whole or not at all.
    pub fn write(&self, text: &str) -> Result<(), Failure> {
        let Destination::File(path, option) = self else {
            return output::print(text);
        };
        write_file(path, text).map_err(|error| {
            Failure::given(
                format!("the report cannot be written: {error}"),
                one_line(&path.display().to_string(), NAME),
                format!("name a file that you can write to, such as {option}=report"),
            )
        })
    }
}

/// The path without links, as far as it is there.
fn resolved(path: &Path) -> PathBuf {
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    if let Ok(known) = whole.canonicalize() {
        return known;
    }
    match (whole.parent(), whole.file_name()) {
        (Some(folder), Some(name)) => resolved(folder).join(name),
        _ => whole,
    }
}

fn write_file(path: &Path, text: &str) -> io::Result<()> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    fs::create_dir_all(folder)?;
    // A pipe or a device is no file that could be replaced; a link stays one.
    if fs::symlink_metadata(path).is_ok_and(|known| !known.is_file()) {
        return fs::write(path, text);
    }
    let mut file = tempfile::Builder::new()
        .prefix(".probtest-report")
        .permissions(permissions(path))
        .tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.persist(path).map(drop).map_err(|error| error.error)
}

/// The permissions of the file that is replaced, or those of any new file.
fn permissions(path: &Path) -> fs::Permissions {
    use std::os::unix::fs::PermissionsExt;
    // The mask of the process is taken off by the system.
    fs::metadata(path)
        .map_or_else(|_| fs::Permissions::from_mode(0o666), |known| known.permissions())
}
