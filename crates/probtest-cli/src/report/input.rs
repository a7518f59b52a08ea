//! Which files hold the results? Files, folders and stdin, with limits.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use probtest::machine::JOURNAL;

use crate::failure::Failure;

use super::words::one_line;

/// The most that one file may hold: some hundred thousand results.
const MOST_BYTES: u64 = 64 << 20;
/// The most files that one report is made of.
const MOST_FILES: usize = 100_000;
/// How deep folders are looked through: CI puts each shard into a folder of its own.
const MOST_DEPTH: usize = 8;

/// The most of a path that is shown: longer ones are none.
const MOST_SHOWN: usize = 4096;

/// One file, and what stands in it.
pub struct Source {
    /// How the user knows it.
    pub name: String,
    /// Its path; none for stdin.
    pub path: Option<PathBuf>,
}

impl Source {
    pub fn of(path: &Path) -> Source {
        Source {
            name: shown(path),
            path: Some(path.to_owned()),
        }
    }

    /// Reads the whole file as text.
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
        let text = String::from_utf8(bytes).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            Failure::given(
                format!("the file is not UTF-8 text: byte {} is not", at + 1),
                &self.name,
                "give the JSON that probtest wrote, without another encoding or compression",
            )
        })?;
        // Some shells and editors put a mark for the encoding before a text.
        Ok(match text.strip_prefix('\u{feff}') {
            Some(rest) => rest.to_owned(),
            None => text,
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

/// A path as it can be shown: its names may come out of an archive.
fn shown(path: &Path) -> String {
    one_line(&path.display().to_string(), MOST_SHOWN)
}

fn read_limited(from: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The files that the words of a command line name.
#[derive(Default)]
pub struct Found {
    /// Those of results.
    pub results: Vec<Source>,
    /// Journals, which only a folder that is named or a file by itself brings in.
    pub journals: Vec<PathBuf>,
}

/// Whether a path is that of a journal.
fn is_journal(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == JOURNAL)
}

/// Finds the files that the words of the command line name. A folder stands for
/// all `.json` files in it; `-` for stdin.
///
/// # Errors
/// When something cannot be read, a folder holds no results, or there are too
/// many.
pub fn find(paths: &[PathBuf]) -> Result<Found, Failure> {
    let mut found = Found::default();
    for path in paths {
        if path.as_os_str() == "-" {
            found.results.push(Source {
                name: "stdin".into(),
                path: None,
            });
            continue;
        }
        let source = Source::of(path);
        let kind = fs::metadata(path).map_err(|error| source.unreadable(&error))?;
        if !kind.is_dir() {
            match is_journal(path) {
                true => found.journals.push(path.clone()),
                false => found.results.push(source),
            }
            continue;
        }
        let before = found.results.len() + found.journals.len();
        look_through(path, 0, &mut found)?;
        if found.results.len() + found.journals.len() == before {
            return Err(Failure::given(
                "the folder holds no results: no file in it ends in .json",
                shown(path),
                "run the tests with PROBTEST_REPORT set to this folder as an absolute path, then report",
            ));
        }
    }
    Ok(found)
}

fn look_through(folder: &Path, depth: usize, found: &mut Found) -> Result<(), Failure> {
    let unreadable = |error: &io::Error| {
        Failure::given(
            format!("the folder cannot be read: {error}"),
            shown(folder),
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
                    shown(&path),
                    "name the folders that hold results",
                ));
            }
            look_through(&path, depth + 1, found)?;
        } else if is_journal(&path) && path.is_file() {
            found.journals.push(path);
        } else if path.extension().is_some_and(|ending| ending == "json") {
            if found.results.len() == MOST_FILES {
                return Err(Failure::given(
                    format!("there are more than {MOST_FILES} files"),
                    shown(&path),
                    "report them in parts",
                ));
            }
            // Whoever opens a pipe waits until somebody writes. One that was named is
            // meant; one that lies about is not.
            if path
                .metadata()
                .is_ok_and(|known| !known.is_file() && !known.is_dir())
            {
                return Err(Failure::given(
                    "the folder holds something that is no file: a pipe, a socket or a device",
                    shown(&path),
                    "take it away, or name the files that hold results",
                ));
            }
            found.results.push(Source::of(&path));
        }
    }
    Ok(())
}
