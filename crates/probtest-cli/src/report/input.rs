//! Which files hold the results? Files, folders and stdin, with limits.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// The most that one file may hold: some hundred thousand results.
const MOST_BYTES: u64 = 64 << 20;
/// The most files that one report is made of.
const MOST_FILES: usize = 100_000;
/// How deep folders are looked through: CI puts each shard into a folder of its own.
const MOST_DEPTH: usize = 8;

/// One file, and what stands in it.
pub struct Source {
    /// How the user knows it.
    pub name: String,
    /// Its path; none for stdin.
    pub path: Option<PathBuf>,
}

impl Source {
    /// Reads the whole file as text.
    ///
    /// # Errors
    ///
    /// When it cannot be read, is larger than any report, or is no text.
    pub fn text(&self) -> Result<String, Failure> {
        let bytes = match &self.path {
            None => read_limited(io::stdin().lock()),
            Some(path) => File::open(path).and_then(read_limited),
        };
        let bytes = bytes.map_err(|error| self.unreadable(&error))?;
        if bytes.len() as u64 > MOST_BYTES {
            return Err(Failure::given(
                format!("the file is too large: more than {} MiB", MOST_BYTES >> 20),
                &self.name,
                "give results of probtest; if these are, report them in parts",
            ));
        }
        String::from_utf8(bytes).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            Failure::given(
                format!("the file is not UTF-8 text: byte {} is not", at + 1),
                &self.name,
                "give the JSON that probtest wrote, without another encoding or compression",
            )
        })
    }

    fn unreadable(&self, error: &io::Error) -> Failure {
        Failure::given(
            format!("the results cannot be read: {error}"),
            &self.name,
            "name a file that PROBTEST_REPORT, --probtest-json or probtest run --json wrote, or a folder of them",
        )
    }
}

fn read_limited(from: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Finds the files that the words of the command line name. A folder stands for
/// all `.json` files in it; `-` for stdin.
///
/// # Errors
///
/// When something cannot be read, a folder holds no results, or there are too
/// many.
pub fn find(paths: &[PathBuf]) -> Result<Vec<Source>, Failure> {
    let mut found = Vec::new();
    for path in paths {
        if path.as_os_str() == "-" {
            found.push(Source {
                name: "stdin".into(),
                path: None,
            });
            continue;
        }
        let source = Source {
            name: path.display().to_string(),
            path: Some(path.clone()),
        };
        let kind = fs::metadata(path).map_err(|error| source.unreadable(&error))?;
        if !kind.is_dir() {
            found.push(source);
            continue;
        }
        let before = found.len();
        look_through(path, 0, &mut found)?;
        if found.len() == before {
            return Err(Failure::given(
                "the folder holds no results: no file in it ends in .json",
                path.display(),
                "run the tests with PROBTEST_REPORT set to this folder as an absolute path, then report",
            ));
        }
    }
    Ok(found)
}

fn look_through(folder: &Path, depth: usize, found: &mut Vec<Source>) -> Result<(), Failure> {
    let unreadable = |error: &io::Error| {
        Failure::given(
            format!("the folder cannot be read: {error}"),
            folder.display(),
            "name a folder that you may read",
        )
    };
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).map_err(|error| unreadable(&error))? {
        paths.push(entry.map_err(|error| unreadable(&error))?.path());
    }
    // The order of a folder is that of the file system, and no order at all.
    paths.sort();
    for path in paths {
        let hidden = path
            .file_name()
            .is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
        if hidden {
            continue;
        }
        // A link to a folder may lead back to where it is.
        if path.is_dir() && !path.is_symlink() {
            if depth == MOST_DEPTH {
                return Err(Failure::given(
                    format!("folders lie more than {MOST_DEPTH} deep"),
                    path.display(),
                    "name the folders that hold results",
                ));
            }
            look_through(&path, depth + 1, found)?;
        } else if path.extension().is_some_and(|ending| ending == "json") {
            if found.len() == MOST_FILES {
                return Err(Failure::given(
                    format!("there are more than {MOST_FILES} files"),
                    path.display(),
                    "report them in parts",
                ));
            }
            found.push(Source {
                name: path.display().to_string(),
                path: Some(path),
            });
        }
    }
    Ok(())
}
