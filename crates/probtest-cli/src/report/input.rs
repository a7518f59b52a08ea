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
    /// Whether it is a journal, rather than results.
    pub is_journal: bool,
}

impl Source {
    fn of(path: &Path) -> Source {
        Source {
            name: shown(path),
            path: Some(path.to_owned()),
            is_journal: path.extension().is_some_and(|ending| ending == JOURNAL),
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
                "give results of probtest; if these are results, report them in parts",
            ));
        }
        let text = String::from_utf8(bytes).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            Failure::given(
                format!("the file is not UTF-8 text: byte {} is not", at + 1),
                &self.name,
                "give the JSON as probtest wrote it, without re-encoding or compression",
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
            "name a file written by PROBTEST_REPORT, --probtest-json or probtest run --json, or a folder of them",
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

/// Finds the files that the words of the command line name, in their order. A folder stands for
/// all `.json` files and journals in it, in the order of their names; `-` for stdin.
///
/// # Errors
/// When something cannot be read, a folder holds no results, or there are too
/// many.
pub fn find(paths: &[PathBuf]) -> Result<Vec<Source>, Failure> {
    let mut found = Vec::new();
    for path in paths {
        if path.as_os_str() == "-" {
            found.push(Source { name: "stdin".into(), path: None, is_journal: false });
            continue;
        }
        let source = Source::of(path);
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
                shown(path),
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
            shown(folder),
            "name a folder that you can read",
        )
    };
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).map_err(|error| unreadable(&error))? {
        paths.push(entry.map_err(|error| unreadable(&error))?.path());
    }
    // The order of a folder is that of the file system, and no order at all.
    paths.sort_by_cached_key(|path| by_name(path));
    for path in paths {
        let source = Source::of(&path);
        let hidden = path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
        if hidden {
            continue;
        }
        // A link to a folder may lead back to where it is.
        if path.is_dir() && !path.is_symlink() {
            if depth == MOST_DEPTH {
                return Err(Failure::given(
                    format!("folders are nested more than {MOST_DEPTH} deep"),
                    shown(&path),
                    "name the folders that hold results",
                ));
            }
            look_through(&path, depth + 1, found)?;
        } else if source.is_journal && path.is_file() {
            found.push(source);
        } else if path.extension().is_some_and(|ending| ending == "json") {
            if found.len() == MOST_FILES {
                return Err(Failure::given(
                    format!("there are more than {MOST_FILES} files"),
                    shown(&path),
                    "report them in parts",
                ));
            }
            // Whoever opens a pipe waits until somebody writes. One that was named is
            // meant; one that lies about is not.
            if path.metadata().is_ok_and(|known| !known.is_file() && !known.is_dir()) {
                return Err(Failure::given(
                    "the folder holds something that is not a file: a pipe, a socket or a device",
                    shown(&path),
                    "remove it, or name the files that hold results",
                ));
            }
            found.push(source);
        }
    }
    Ok(())
}

/// What paths are ordered by: their names, with the length before each number, so that run-9 comes
/// before run-10.
fn by_name(path: &Path) -> (String, PathBuf) {
    let text = path.to_string_lossy();
    let mut key = String::new();
    let mut rest: &str = &text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, number) = rest.split_at(start);
        let end = number.find(|c: char| !c.is_ascii_digit());
        let (number, behind) = number.split_at(end.unwrap_or(number.len()));
        let number = number.trim_start_matches('0');
        key.push_str(&format!("{before}{:04}{number}", number.len()));
        rest = behind;
    }
    (key + rest, path.to_owned())
}
